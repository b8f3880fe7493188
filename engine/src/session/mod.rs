//! A game in progress and its search, addressed in text.
//!
//! [`Session`] is the object-safe face over the generic code: the only place where a game's type is erased. Its methods
//! return at once. A search runs on its own thread and reports through [`SessionEvent`]s. Nothing here prints or knows a protocol.
//!
//! ```
//! use canopy_engine::{games::notation::Style, session};
//!
//! let mut game = session::open("connect-four")?;
//! game.play("4")?;
//! assert_eq!(game.plies(), 1);
//! assert_eq!(game.moves(Style::Own).len(), 7);
//! # Ok::<(), session::SessionError>(())
//! ```

// Input comes from other programs and files: no text or file may end the process.
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::indexing_slicing))]

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crate::{
    catalog::{CatalogError, solver_cache::SolverCache, solvers::SolverConfig},
    games::{
        self, Outcome, ParseError, Playable, Player, Visitor,
        notation::{Grid, Style},
    },
    search::{SearchLimits, StopFlag, pacing::Pacing},
    tree::writer::TreeOutput,
};

pub mod grown_tree;
mod mate;
pub mod opening_book;
pub mod search_job;
pub mod solution;
mod solver;
mod typed_session;

pub use opening_book::OpeningBook;
pub use solution::{Solution, SolveRequest};

/// A message from a running search or perft.
#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// Progress of a search.
    Info(SearchInfo),
    /// A line of output, to be shown as it is.
    Text(String),
    /// A sentence about the search that the user should read.
    Warning(String),
    /// The answer of a solver.
    Solved(Box<Solution>),
    /// The last event of a task; with the result if the task was a search.
    Done(Option<SearchResult>),
}

/// Receives events; called from the search thread.
pub type SessionEventSink = Arc<dyn Fn(SessionEvent) + Send + Sync>;

/// What a solver may use, and its cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverResources {
    /// Memory, threads and book.
    pub config: SolverConfig,
    /// Where slow answers are kept; none for nowhere.
    pub cache: Option<SolverCache>,
}

/// Progress of a search, with moves as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchInfo {
    /// Search depth in plies.
    pub depth: u32,
    /// Length of the longest principal variation in plies.
    pub sel_depth: u32,
    /// Playouts, or positions for searches without playouts.
    pub nodes: u64,
    /// Positions evaluated at the ends of lines; 0 for searches that do not count them.
    pub leaves: u64,
    /// Time since the search was requested.
    pub time: Duration,
    /// Use of the search's memory, in permille.
    pub hashfull: u32,
    /// Set once memory ran out and the tree stopped growing.
    pub memory_full: bool,
    /// Every root move, best first.
    pub root_moves: Vec<MoveInfo>,
}

/// Statistics of one root move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveInfo {
    /// Visits of the move.
    pub visits: u64,
    /// Expected result for the player to move: 0 lost, 1 won.
    pub value: f64,
    /// The proven result for the player to move, compared with a draw.
    pub proven: Option<std::cmp::Ordering>,
    /// Whether `pv` reaches the end of the game.
    pub ends_game: bool,
    /// Principal variation, this move first; it stops at the end of the game.
    pub pv: Vec<String>,
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play.
    pub best_move: String,
    /// The expected reply; none when the same player moves again.
    pub ponder_move: Option<String>,
    /// The final progress report; empty if the search failed.
    pub info: SearchInfo,
    /// Why the search failed; `best_move` is then an arbitrary legal move.
    pub failure: Option<String>,
}

/// A request to count the lines of play from the session's position.
pub struct PerftRequest {
    /// Length of the lines in plies, at least 1.
    pub depth: u32,
    /// Notation of the first moves.
    pub style: Style,
    /// Ends the count early.
    pub stop: StopFlag,
}

/// A request to search the session's position.
pub struct SearchRequest {
    /// When to stop.
    pub limits: SearchLimits,
    /// How it may deviate from the time limit. Presets with a report's number keep to it.
    pub pacing: Pacing,
    /// How many of the best moves need exact values.
    pub multi_pv: usize,
    /// The root moves to consider; empty for all.
    pub search_moves: Vec<String>,
    /// How moves are written in events.
    pub style: Style,
    /// Time between two [`SessionEvent::Info`].
    pub info_interval: Duration,
    /// Stops the search when set.
    pub stop: StopFlag,
    /// Where the search tree is written; none for nowhere.
    pub output: Option<Arc<TreeOutput>>,
    /// Asked first: a win that is found is the answer, without a search.
    pub mate: Option<MateRequest>,
}

/// A question for a forced win.
#[derive(Clone, Debug)]
pub struct MateRequest {
    /// Plies in which the game must end.
    pub plies: u32,
    /// What the solver may use.
    pub resources: SolverResources,
}

/// Why a session refused a request.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A game, position or move that cannot be read.
    #[error(transparent)]
    Text(#[from] ParseError),
    /// An unknown search, or a parameter it does not have.
    #[error(transparent)]
    Search(#[from] CatalogError),
    /// The game is over, for this reason.
    #[error("the game is over ({0})")]
    GameOver(&'static str),
    /// Undo at the start of the game.
    #[error("there is no move to take back")]
    NothingToUndo,
    /// The system refused a thread.
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// A game in progress and its search.
///
/// Positions and moves are text in the game's notation. A call that fails leaves the game as it was.
pub trait Session: Send {
    /// The game's name with its variant, such as `kalah:4x3`.
    fn game(&self) -> String;

    /// The game's name without its variant.
    fn base_name(&self) -> &'static str;

    /// Names of the two sides, first player first.
    fn players(&self) -> [&'static str; 2];

    /// Sets the position reached from `position` by `moves`. If `moves` extends the previous call's, only the new moves are read.
    fn set_position(&mut self, position: &str, moves: &str) -> Result<(), ParseError>;

    /// Plays a move, preceded by an implied pass (see [`Self::play_implied_pass`]) if it is legal only then.
    fn play(&mut self, text: &str) -> Result<(), SessionError>;

    /// Plays the forced pass that game records leave out; false if none is due. It is undone together with the next move.
    fn play_implied_pass(&mut self) -> bool;

    /// Undoes [`Self::play_implied_pass`] if no move has followed it.
    fn undo_implied_pass(&mut self);

    /// Undoes the last move and the implied pass before it.
    fn undo(&mut self) -> Result<(), SessionError>;

    /// The player to move; in a finished game, whose turn it would have been.
    fn to_move(&self) -> Player;

    /// Estimate of the plies to the end of the game; none where the rules set no end.
    fn expected_plies_left(&self) -> Option<u32>;

    /// Plies played since the position that was set.
    fn plies(&self) -> usize;

    /// The result and its reason, once the game is over.
    fn outcome(&self) -> Option<(Outcome, &'static str)>;

    /// Points of each side, in games decided by counting.
    fn score(&self) -> Option<[u32; 2]>;

    /// The position as text.
    fn position(&self, style: Style) -> String;

    /// The board as a text diagram.
    fn drawing(&self) -> String;

    /// The legal moves; empty once the game is over.
    fn moves(&self, style: Style) -> Vec<String>;

    /// Each static evaluation of the game, for the player to move, in hundredths of its unit.
    fn evaluations(&self) -> Vec<(&'static str, i32)>;

    /// The board as stones on squares.
    fn grid(&self) -> Grid;

    /// The legal moves, written as squares of [`Self::grid`] where a move is one square.
    fn grid_moves(&self) -> Vec<String>;

    /// Selects a search: a catalogue entry with parameters, then `settings`. Settings the search does not have are ignored.
    /// The tree is kept if nothing changes.
    fn set_search(&mut self, text: &str, settings: &[(String, String)])
    -> Result<(), CatalogError>;

    /// Says where searches that solve positions keep slow answers; it counts from the next [`Self::set_search`] on.
    fn set_cache(&mut self, cache: Option<SolverCache>);

    /// Every parameter of the search with its value.
    fn search_settings(&self) -> BTreeMap<String, String>;

    /// Whether the search stops without limits.
    fn has_own_limits(&self) -> bool;

    /// Whether the search runs playouts.
    fn has_playouts(&self) -> bool;

    /// Discards the search tree.
    fn clear_search(&mut self);

    /// The answer of an opening book to the position, drawn by weight; none if the book does not have it or the game is over.
    fn book_result(&self, book: &OpeningBook, seed: u64, style: Style) -> Option<SearchResult>;

    /// Starts a search of the position. Exactly one [`SessionEvent::Done`] follows; then call [`Self::finish`]. A search
    /// too short to need a thread has ended on return: its events are returned, and none are sent.
    fn start(
        &mut self,
        request: SearchRequest,
        emit: SessionEventSink,
    ) -> Result<Vec<SessionEvent>, SessionError>;

    /// Starts a perft divided by first move. Events end as for [`Self::start`].
    fn start_perft(
        &mut self,
        request: PerftRequest,
        emit: SessionEventSink,
    ) -> Result<(), SessionError>;

    /// Starts solving the position with this memory and these threads. One [`SessionEvent::Solved`] follows; events end as for
    /// [`Self::start`].
    fn start_solve(
        &mut self,
        request: SolveRequest,
        resources: SolverResources,
        emit: SessionEventSink,
    ) -> Result<(), SessionError>;

    /// Joins the search thread; call after [`SessionEvent::Done`].
    fn finish(&mut self);
}

/// Opens a session at the start of the game called `name`, which may carry a variant.
pub fn open(name: &str) -> Result<Box<dyn Session>, ParseError> {
    struct Open;
    impl Visitor for Open {
        type Out = Box<dyn Session>;

        fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
            Box::new(typed_session::TypedSession::<G>::new(rules))
        }
    }
    games::with_game(name, Open)
}
