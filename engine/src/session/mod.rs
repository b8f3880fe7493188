//! A game in progress and the search that looks at it, behind text: the only place where a game's type is hidden.
//!
//! A [`Session`] answers at once; a search runs on a thread of its own and tells what it finds as [`Event`]s. Nothing here
//! prints, and nothing knows a protocol.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use crate::{
    catalog::CatalogError,
    games::{
        self, Outcome, ParseError, Playable, Player, Visitor,
        notation::{Grid, Style},
    },
    search::{Limits, Stop},
    tree::writer::Output,
};

pub mod recorded;
mod table;

/// What a search or another long task tells while it runs and at its end.
#[derive(Clone, Debug)]
pub enum Event {
    /// What a search knows so far.
    Thought(Thought),
    /// Something to be shown as it is.
    Said(String),
    /// Something worth knowing about a search, in a sentence.
    Remark(String),
    /// The task is over; with the answer, if it was a search. Nothing more comes from it.
    Done(Option<Answer>),
}

/// Hears events, from other threads too.
pub type Tell = Arc<dyn Fn(Event) + Send + Sync>;

/// What a search knows, in text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thought {
    /// Plies looked ahead.
    pub depth: u32,
    /// The longest line.
    pub longest: u32,
    /// Playouts, or positions for searches without playouts.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// How full the memory is, in thousandths.
    pub full: u32,
    /// Whether memory ran out, so that the tree stopped growing.
    pub memory_full: bool,
    /// Every move at the root, the best first.
    pub lines: Vec<Line>,
}

/// What a search thinks of one move.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// How much of the search went into it.
    pub visits: u64,
    /// What it is worth to the player to move: 0 lost, 1 won.
    pub value: f64,
    /// The certain result for the player to move: more, as much or less than a draw.
    pub certain: Option<std::cmp::Ordering>,
    /// Whether the moves lead to the end of the game.
    pub ends: bool,
    /// The move and what is expected to follow, never past the end of the game.
    pub moves: Vec<String>,
}

/// What a search chose.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The move.
    pub best: String,
    /// What the opponent is expected to reply, if it is the opponent's turn then.
    pub reply: Option<String>,
    /// What was known; nothing if the search failed.
    pub thought: Thought,
    /// What went wrong, if the search failed and the move is just some legal one.
    pub failure: Option<String>,
}

/// What a search is asked for.
pub struct Request {
    /// When to stop.
    pub limits: Limits,
    /// How many of the best moves are to have exact values.
    pub lines: usize,
    /// The only moves to be looked at; all if empty.
    pub moves: Vec<String>,
    /// How moves are written in what comes back.
    pub style: Style,
    /// How often it tells what it knows.
    pub every: Duration,
    /// Stops it.
    pub stop: Stop,
    /// Where its trees go.
    pub output: Option<Arc<Output>>,
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
    Over(String),
    /// There is nothing to take back.
    #[error("there is no move to take back")]
    Start,
    /// No thread could be started.
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// A game in progress, behind text.
pub struct Session {
    table: Box<dyn Table>,
}

impl fmt::Debug for Session {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Session({})", self.game())
    }
}

/// What a table of any game can do.
trait Table: Send {
    fn game(&self) -> String;
    fn base_name(&self) -> &'static str;
    fn players(&self) -> [&'static str; 2];
    fn set_position(&mut self, position: &str, moves: &str) -> Result<(), ParseError>;
    fn play(&mut self, text: &str) -> Result<(), SessionError>;
    fn pass_if_implied(&mut self) -> bool;
    fn take_pass_back(&mut self);
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
    fn forget(&mut self);
    fn start(&mut self, request: Request, tell: Tell) -> Result<Vec<Event>, SessionError>;
    fn start_perft(
        &mut self,
        depth: u32,
        style: Style,
        stop: Stop,
        tell: Tell,
    ) -> Result<(), SessionError>;
    fn finish(&mut self);
}

impl Session {
    /// A new game, at its start, of the game called `name`.
    pub fn new(name: &str) -> Result<Self, ParseError> {
        struct Make;
        impl Visitor for Make {
            type Out = Box<dyn Table>;

            fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
                Box::new(table::GameTable::<G>::new(rules))
            }
        }
        games::with_game(name, Make).map(|table| Self { table })
    }

    /// The game's name with its variant.
    pub fn game(&self) -> String {
        self.table.game()
    }

    /// The game's name without its variant.
    pub fn base_name(&self) -> &'static str {
        self.table.base_name()
    }

    /// What the players are called.
    pub fn players(&self) -> [&'static str; 2] {
        self.table.players()
    }

    /// Sets the position that `moves` lead to from `position`; at an error the session is as it was. When the game has just
    /// gone on, only what is new is read.
    pub fn set_position(&mut self, position: &str, moves: &str) -> Result<(), ParseError> {
        self.table.set_position(position, moves)
    }

    /// Plays a move, before it one that records leave out if need be.
    pub fn play(&mut self, text: &str) -> Result<(), SessionError> {
        self.table.play(text)
    }

    /// Plays the move that records leave out, if there is one here; whether there was. It belongs to the next move.
    pub fn pass_if_implied(&mut self) -> bool {
        self.table.pass_if_implied()
    }

    /// Takes back what [`Self::pass_if_implied`] played, if the next move has not come.
    pub fn take_pass_back(&mut self) {
        self.table.take_pass_back();
    }

    /// Takes the last move back, and what was left out before it.
    pub fn undo(&mut self) -> Result<(), SessionError> {
        self.table.undo()
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Player {
        self.table.to_move()
    }

    /// How many moves have been played since the position that was set.
    pub fn plies(&self) -> usize {
        self.table.plies()
    }

    /// How the game ended and why, if it did.
    pub fn outcome(&self) -> Option<(Outcome, &'static str)> {
        self.table.outcome()
    }

    /// What each side has, in games that are decided by counting.
    pub fn score(&self) -> Option<[u32; 2]> {
        self.table.score()
    }

    /// The position as text.
    pub fn position(&self, style: Style) -> String {
        self.table.position(style)
    }

    /// The board for people.
    pub fn drawing(&self) -> String {
        self.table.drawing()
    }

    /// The legal moves.
    pub fn moves(&self, style: Style) -> Vec<String> {
        self.table.moves(style)
    }

    /// What each of the game's evaluations says to the player to move, in hundredths.
    pub fn evaluations(&self) -> Vec<(&'static str, i32)> {
        self.table.evaluations()
    }

    /// The board as stones on squares.
    pub fn grid(&self) -> Grid {
        self.table.grid()
    }

    /// The legal moves, as squares of the grid where a move is one square.
    pub fn grid_moves(&self) -> Vec<String> {
        self.table.grid_moves()
    }

    /// Chooses the search: an entry of the catalogue, and what is set about it beside. Settings that the search does not have
    /// are passed over. What a search knows is kept if nothing changes.
    pub fn set_search(
        &mut self,
        text: &str,
        settings: &[(String, String)],
    ) -> Result<(), CatalogError> {
        self.table.set_search(text, settings)
    }

    /// Everything that is set about the search, by the names of the catalogue's parameters.
    pub fn search_settings(&self) -> BTreeMap<String, String> {
        self.table.search_settings()
    }

    /// Whether the search stops by itself.
    pub fn has_own_limits(&self) -> bool {
        self.table.has_own_limits()
    }

    /// Whether the search makes playouts.
    pub fn has_playouts(&self) -> bool {
        self.table.has_playouts()
    }

    /// Another game begins: the search forgets what it knows.
    pub fn forget(&mut self) {
        self.table.forget();
    }

    /// Starts a search of the position. Exactly one [`Event::Done`] follows; then call [`Self::finish`]. A search that was too
    /// short to wait for is over when this returns, and all its events are in the answer.
    pub fn start(&mut self, request: Request, tell: Tell) -> Result<Vec<Event>, SessionError> {
        self.table.start(request, tell)
    }

    /// Starts to count lines of play, split by first move, which is written in `style`; ends as a search does.
    pub fn start_perft(
        &mut self,
        depth: u32,
        style: Style,
        stop: Stop,
        tell: Tell,
    ) -> Result<(), SessionError> {
        self.table.start_perft(depth, style, stop, tell)
    }

    /// Takes back the search that has told that it is done.
    pub fn finish(&mut self) {
        self.table.finish();
    }
}
