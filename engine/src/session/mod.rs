//! A game in progress and the search that looks at it, behind text: the only place where a game's type is hidden.
//!
//! A [`Session`] answers at once; a search runs on a thread of its own and tells what it finds as [`SessionEvent`]s. Nothing here
//! prints, and nothing knows a protocol.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use crate::{
    catalog::CatalogError,
    games::{
        self, Outcome, ParseError, Playable, Player, Visitor,
        notation::{Grid, Style},
    },
    search::{SearchLimits, StopFlag},
    tree::writer::TreeOutput,
};

pub mod recorded_search;
mod typed_session;

/// What a search or another long task tells while it runs and at its end.
#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// What a search knows so far.
    Info(SearchInfo),
    /// Something to be shown as it is.
    Text(String),
    /// Something worth knowing about a search, in a sentence.
    Warning(String),
    /// The task is over; with the answer, if it was a search. Nothing more comes from it.
    Done(Option<SearchResult>),
}

/// Hears events, from other threads too.
pub type SessionEventSink = Arc<dyn Fn(SessionEvent) + Send + Sync>;

/// What a search knows, in text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchInfo {
    /// Plies looked ahead.
    pub depth: u32,
    /// The longest line.
    pub sel_depth: u32,
    /// Playouts, or positions for searches without playouts.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// How full the memory is, in thousandths.
    pub hashfull: u32,
    /// Whether memory ran out, so that the tree stopped growing.
    pub memory_full: bool,
    /// Every move at the root, the best first.
    pub root_moves: Vec<MoveInfo>,
}

/// What a search thinks of one move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveInfo {
    /// How much of the search went into it.
    pub visits: u64,
    /// What it is worth to the player to move: 0 lost, 1 won.
    pub value: f64,
    /// The certain result for the player to move: more, as much or less than a draw.
    pub proven: Option<std::cmp::Ordering>,
    /// Whether the moves lead to the end of the game.
    pub ends_game: bool,
    /// The move and what is expected to follow, never past the end of the game.
    pub pv: Vec<String>,
}

/// What a search chose.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move.
    pub best_move: String,
    /// What the opponent is expected to reply, if it is the opponent's turn then.
    pub ponder_move: Option<String>,
    /// What was known; nothing if the search failed.
    pub info: SearchInfo,
    /// What went wrong, if the search failed and the move is just some legal one.
    pub failure: Option<String>,
}

/// What a search is asked for.
pub struct SearchRequest {
    /// When to stop.
    pub limits: SearchLimits,
    /// How many of the best moves are to have exact values.
    pub multi_pv: usize,
    /// The only moves to be looked at; all if empty.
    pub search_moves: Vec<String>,
    /// How moves are written in what comes back.
    pub style: Style,
    /// How often it tells what it knows.
    pub info_interval: Duration,
    /// Stops it.
    pub stop: StopFlag,
    /// Where its trees go.
    pub output: Option<Arc<TreeOutput>>,
}

/// What can go wrong with a request.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A text that means nothing here.
    #[error(transparent)]
    Text(#[from] ParseError),
    /// A search that does not exist or cannot be so.
    #[error(transparent)]
    Search(#[from] CatalogError),
    /// The game is over.
    #[error("the game is over ({0})")]
    GameOver(String),
    /// There is nothing to take back.
    #[error("there is no move to take back")]
    NothingToUndo,
    /// No thread could be started.
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// A game in progress, behind text.
pub struct Session {
    inner: Box<dyn DynSession>,
}

impl fmt::Debug for Session {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Session({})", self.game())
    }
}

/// What a table of any game can do.
trait DynSession: Send {
    fn game(&self) -> String;
    fn base_name(&self) -> &'static str;
    fn players(&self) -> [&'static str; 2];
    fn set_position(&mut self, position: &str, moves: &str) -> Result<(), ParseError>;
    fn play(&mut self, text: &str) -> Result<(), SessionError>;
    fn play_implied_pass(&mut self) -> bool;
    fn undo_implied_pass(&mut self);
    fn undo(&mut self) -> Result<(), SessionError>;
    fn to_move(&self) -> Player;
    fn plies(&self) -> usize;
    fn outcome(&self) -> Option<(Outcome, &'static str)>;
    fn score(&self) -> Option<[u32; 2]>;
    fn position(&self, style: Style) -> String;
    fn drawing(&self) -> String;
    fn moves(&self, style: Style) -> Vec<String>;
    fn evaluations(&self) -> Vec<(&'static str, i32)>;
    fn grid(&self) -> Grid;
    fn grid_moves(&self) -> Vec<String>;
    fn set_search(&mut self, text: &str, settings: &[(String, String)])
    -> Result<(), CatalogError>;
    fn search_settings(&self) -> BTreeMap<String, String>;
    fn has_own_limits(&self) -> bool;
    fn has_playouts(&self) -> bool;
    fn clear_search(&mut self);
    fn start(
        &mut self,
        request: SearchRequest,
        emit: SessionEventSink,
    ) -> Result<Vec<SessionEvent>, SessionError>;
    fn start_perft(
        &mut self,
        depth: u32,
        style: Style,
        stop: StopFlag,
        emit: SessionEventSink,
    ) -> Result<(), SessionError>;
    fn finish(&mut self);
}

impl Session {
    /// A new game, at its start, of the game called `name`.
    pub fn new(name: &str) -> Result<Self, ParseError> {
        struct Make;
        impl Visitor for Make {
            type Out = Box<dyn DynSession>;

            fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
                Box::new(typed_session::TypedSession::<G>::new(rules))
            }
        }
        games::with_game(name, Make).map(|table| Self { inner: table })
    }

    /// The game's name with its variant.
    pub fn game(&self) -> String {
        self.inner.game()
    }

    /// The game's name without its variant.
    pub fn base_name(&self) -> &'static str {
        self.inner.base_name()
    }

    /// What the players are called.
    pub fn players(&self) -> [&'static str; 2] {
        self.inner.players()
    }

    /// Sets the position that `moves` lead to from `position`; at an error the session is as it was. When the game has just
    /// gone on, only what is new is read.
    pub fn set_position(&mut self, position: &str, moves: &str) -> Result<(), ParseError> {
        self.inner.set_position(position, moves)
    }

    /// Plays a move, before it one that records leave out if need be.
    pub fn play(&mut self, text: &str) -> Result<(), SessionError> {
        self.inner.play(text)
    }

    /// Plays the move that records leave out, if there is one here; whether there was. It belongs to the next move.
    pub fn play_implied_pass(&mut self) -> bool {
        self.inner.play_implied_pass()
    }

    /// Takes back what [`Self::play_implied_pass`] played, if the next move has not come.
    pub fn undo_implied_pass(&mut self) {
        self.inner.undo_implied_pass();
    }

    /// Takes the last move back, and what was left out before it.
    pub fn undo(&mut self) -> Result<(), SessionError> {
        self.inner.undo()
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Player {
        self.inner.to_move()
    }

    /// How many moves have been played since the position that was set.
    pub fn plies(&self) -> usize {
        self.inner.plies()
    }

    /// How the game ended and why, if it did.
    pub fn outcome(&self) -> Option<(Outcome, &'static str)> {
        self.inner.outcome()
    }

    /// What each side has, in games that are decided by counting.
    pub fn score(&self) -> Option<[u32; 2]> {
        self.inner.score()
    }

    /// The position as text.
    pub fn position(&self, style: Style) -> String {
        self.inner.position(style)
    }

    /// The board for people.
    pub fn drawing(&self) -> String {
        self.inner.drawing()
    }

    /// The legal moves.
    pub fn moves(&self, style: Style) -> Vec<String> {
        self.inner.moves(style)
    }

    /// What each of the game's evaluations says to the player to move, in hundredths.
    pub fn evaluations(&self) -> Vec<(&'static str, i32)> {
        self.inner.evaluations()
    }

    /// The board as stones on squares.
    pub fn grid(&self) -> Grid {
        self.inner.grid()
    }

    /// The legal moves, as squares of the grid where a move is one square.
    pub fn grid_moves(&self) -> Vec<String> {
        self.inner.grid_moves()
    }

    /// Chooses the search: an entry of the catalogue, and what is set about it beside. Settings that the search does not have
    /// are passed over. What a search knows is kept if nothing changes.
    pub fn set_search(
        &mut self,
        text: &str,
        settings: &[(String, String)],
    ) -> Result<(), CatalogError> {
        self.inner.set_search(text, settings)
    }

    /// Everything that is set about the search, by the names of the catalogue's parameters.
    pub fn search_settings(&self) -> BTreeMap<String, String> {
        self.inner.search_settings()
    }

    /// Whether the search stops by itself.
    pub fn has_own_limits(&self) -> bool {
        self.inner.has_own_limits()
    }

    /// Whether the search makes playouts.
    pub fn has_playouts(&self) -> bool {
        self.inner.has_playouts()
    }

    /// Another game begins: the search forgets what it knows.
    pub fn clear_search(&mut self) {
        self.inner.clear_search();
    }

    /// Starts a search of the position. Exactly one [`SessionEvent::Done`] follows; then call [`Self::finish`]. A search that was too
    /// short to wait for is over when this returns, and all its events are in the answer.
    pub fn start(
        &mut self,
        request: SearchRequest,
        emit: SessionEventSink,
    ) -> Result<Vec<SessionEvent>, SessionError> {
        self.inner.start(request, emit)
    }

    /// Starts to count lines of play, split by first move, which is written in `style`; ends as a search does.
    pub fn start_perft(
        &mut self,
        depth: u32,
        style: Style,
        stop: StopFlag,
        emit: SessionEventSink,
    ) -> Result<(), SessionError> {
        self.inner.start_perft(depth, style, stop, emit)
    }

    /// Takes back the search that has told that it is done.
    pub fn finish(&mut self) {
        self.inner.finish();
    }
}
