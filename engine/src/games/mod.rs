//! The rules of the games: what a position is, what may be played in it, who has won. Shortcuts for speed are in
//! [`SearchHints`], text is in `notation`, judgement in each game's `eval`, names, formats and defaults in its `facts`; nothing else knows a game
//! by name.
//!
//! To add a game: one folder, and two lines here (its `pub mod` and its row in `games!`); see the README.

use std::{fmt, hash::Hash};

use crate::rng::Rng;

pub mod evaluate;
pub mod explain;
pub mod facts;
mod fours;
pub mod history;
pub mod linear;
pub mod notation;
pub mod perft;
pub mod position_list;
pub mod random_games;
pub mod scripted;
pub mod symmetry;
pub mod tactics;

pub mod chess;
pub mod connect_four;
pub mod delta;
pub mod kalah;
pub mod othello;

#[cfg(feature = "fixture-game")]
#[path = "../../../tests/fixtures/tic_tac_toe/mod.rs"]
pub mod tic_tac_toe;

pub use evaluate::{Evaluate, Evaluation};
pub use explain::{BoardPlace, Explain, Piece, Step};
pub use facts::{EndingFacts, GameFacts};
pub use history::History;
pub use notation::{Notation, ParseError};
pub use symmetry::{Symmetric, Symmetry};
pub use tactics::Tactics;

/// Writes the table of games: their facts, and the way from a name to the type.
macro_rules! games {
    ($($(#[$condition:meta])* $module:ident :: $game:ident),+ $(,)?) => {
        /// The facts of all games, unlisted ones included.
        pub const FACTS: &[&GameFacts] = &[
            $($(#[$condition])* <$module::$game as Notation>::FACTS),+
        ];

        /// Runs `visitor` for the game called `name`, which may be an alias and carry a variant (`kalah:4x3`).
        pub fn with_game<V: Visitor>(name: &str, visitor: V) -> Result<V::Out, ParseError> {
            let (word, variant) = split_variant(name);
            $(
                $(#[$condition])*
                if <$module::$game as Notation>::FACTS.is_called(word) {
                    let rules = notation::parse_variant::<$module::$game>(variant)?;
                    return Ok(visitor.visit::<$module::$game>(rules));
                }
            )+
            Err(ParseError::unknown_game(name.trim(), NAMES))
        }
    };
}

games! {
    chess::Chess,
    othello::Othello,
    kalah::Kalah,
    connect_four::ConnectFour,
    delta::Delta,
    #[cfg(feature = "fixture-game")]
    tic_tac_toe::TicTacToe,
}

/// The listed games, by the names used on the command line, in options and in files.
pub const NAMES: &[&str] = &listed_names::<{ listed_count() }>();

/// The game that a server plays until its client chooses another.
pub const DEFAULT: &GameFacts = chess::Chess::FACTS;

/// The game of demos and of benchmarks that need one: quick to play, and its trees are large.
pub const DEMO: &GameFacts = connect_four::ConnectFour::FACTS;

/// The game that the start screen proposes.
pub const PROPOSED: &GameFacts = kalah::Kalah::FACTS;

/// The game of tournament files that name none: report 001's.
pub const TOURNAMENT: &GameFacts = othello::Othello::FACTS;

const fn listed_count() -> usize {
    let (mut count, mut index) = (0, 0);
    while index < FACTS.len() {
        count += FACTS[index].is_listed as usize;
        index += 1;
    }
    count
}

const fn listed_names<const COUNT: usize>() -> [&'static str; COUNT] {
    let mut names = [""; COUNT];
    let (mut count, mut index) = (0, 0);
    while index < FACTS.len() {
        if FACTS[index].is_listed {
            names[count] = FACTS[index].name;
            count += 1;
        }
        index += 1;
    }
    names
}

/// The facts of the listed games.
pub fn listed() -> impl Iterator<Item = &'static GameFacts> {
    FACTS.iter().copied().filter(|facts| facts.is_listed)
}

/// The facts of the game called `name`, which may be an alias and carry a variant; the variant is not read.
pub fn facts_of(name: &str) -> Option<&'static GameFacts> {
    let (word, _) = split_variant(name);
    FACTS.iter().copied().find(|facts| facts.is_called(word))
}

/// The name of a game with its variant as it is written; `name` may be an alias.
pub fn full_name(name: &str) -> Result<String, ParseError> {
    struct FullNameVisitor;
    impl Visitor for FullNameVisitor {
        type Out = String;

        fn visit<G: Playable>(self, rules: G::Rules) -> String {
            notation::full_name::<G>(rules)
        }
    }
    with_game(name, FullNameVisitor)
}

/// A name and the variant after its colon. A colon with nothing after it is kept: it is a variant without a name.
fn split_variant(name: &str) -> (&str, &str) {
    let name = name.trim();
    match name.split_once(':') {
        Some((word, "")) => (word, ":"),
        Some(parts) => parts,
        None => (name, ""),
    }
}

/// One of the two sides. `First` moves first from the start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Player {
    /// The side that opens the game: White in chess, Black in othello and delta, South in kalah.
    First,
    /// The other side.
    Second,
}

impl Player {
    /// The other side.
    #[inline(always)]
    pub fn opponent(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// What the two sides have, from the first player's first to this player's first, or back.
    #[inline(always)]
    pub fn own_first<T>(self, [first, second]: [T; 2]) -> [T; 2] {
        match self {
            Self::First => [first, second],
            Self::Second => [second, first],
        }
    }

    /// 0 for the first player, 1 for the second.
    #[inline(always)]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// How a finished game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// That side won.
    Win(Player),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// The outcome of a game decided by counting: more wins, equal draws.
    #[inline(always)]
    pub fn by_score(first: u32, second: u32) -> Self {
        match first.cmp(&second) {
            std::cmp::Ordering::Greater => Self::Win(Player::First),
            std::cmp::Ordering::Less => Self::Win(Player::Second),
            std::cmp::Ordering::Equal => Self::Draw,
        }
    }

    /// The word for it in protocols and files: `p1win`, `p2win` or `draw`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Win(Player::First) => "p1win",
            Self::Win(Player::Second) => "p2win",
            Self::Draw => "draw",
        }
    }

    /// The inverse of [`Self::as_str`]; none for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        let all = [
            Self::Win(Player::First),
            Self::Win(Player::Second),
            Self::Draw,
        ];
        all.into_iter().find(|outcome| outcome.as_str() == word)
    }
}

/// A move as a number, in node stores and growth journals.
pub type MoveCode = u16;

/// Upper limit of [`Game::MOVE_BITS`]: node stores pack a move's code with other fields into one word.
pub const MAX_MOVE_BITS: u32 = 15;

const _: () = assert!(MAX_MOVE_BITS <= MoveCode::BITS);

/// The rules of one two-player, zero-sum, perfect-information game, and nothing else.
///
/// A value is one position: the board, whose turn it is, and the counters that end games. It holds no history;
/// draws by repetition are judged by [`History`].
///
/// Play a game, with moves from text and from the list of legal moves:
///
/// ```
/// use canopy_engine::games::{Game, History, Notation, Outcome, Player, connect_four::ConnectFour};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut position = ConnectFour::start(Default::default());
/// let mut history = History::new();
/// history.push(&position);
/// for text in ["4", "4", "3", "3", "2", "2"] {
///     let mv = position.parse_move(text)?;
///     history.play(&mut position, mv);
/// }
/// assert_eq!(position.to_move(), Player::First);
///
/// let mut moves = Vec::new();
/// position.legal_moves(&mut moves);
/// assert_eq!(moves.len(), 7);
/// history.play(&mut position, moves[0]);
/// assert_eq!(history.outcome(&position), Some(Outcome::Win(Player::First)));
/// # Ok(())
/// # }
/// ```
pub trait Game: Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The variant, as plain data. `Default` is the standard game.
    type Rules: Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// `Ord` is the one tie-break order used by every search, file and test.
    type Move: Copy + Ord + Hash + fmt::Debug + Send + Sync + 'static;

    /// Width of move codes in bits, at most [`MAX_MOVE_BITS`].
    const MOVE_BITS: u32;

    /// The move's code, below 2 to the power of [`Self::MOVE_BITS`].
    fn move_to_bits(mv: Self::Move) -> MoveCode;

    /// The inverse of [`Self::move_to_bits`]. Files may hold codes of no move: any value is returned for them, without a panic.
    fn move_from_bits(bits: MoveCode) -> Self::Move;

    /// The position in which a game under these rules begins.
    fn start(rules: Self::Rules) -> Self;

    /// The rules this position is played under.
    fn rules(&self) -> Self::Rules;

    /// Whose turn it is. Never assume that players alternate: kalah grants extra turns, othello has passes. In a
    /// finished game, whose turn it would have been.
    fn to_move(&self) -> Player;

    /// The result, once the game is over. Draws by repetition are not seen here: see [`History`].
    fn outcome(&self) -> Option<Outcome>;

    /// Clears `out`, then fills it in ascending order. Empty exactly when [`Self::outcome`] is some.
    fn legal_moves(&self, out: &mut Vec<Self::Move>);

    /// Whether `mv`, any value of its type, may be played here.
    fn is_legal(&self, mv: Self::Move) -> bool;

    /// Plays a legal move (checked by `debug_assert!`); untrusted text goes through [`Notation::parse_move`].
    fn play(&mut self, mv: Self::Move);

    /// Under the same rules equal keys promise, but for accidents of one in 2^64, the same mover and, repetition apart,
    /// the same future: the counters that end games are in it.
    fn key(&self) -> u64;

    /// The moves perft counts: as [`Self::legal_moves`], except that a draw that is declared rather than played
    /// (chess: 50 moves, insufficient material) ends no line.
    fn perft_moves(&self, out: &mut Vec<Self::Move>) {
        self.legal_moves(out);
    }

    /// Number of pieces, discs or stones in play; distinguishes openings from endings.
    fn piece_count(&self) -> u32;

    /// Two positions of a game with the same repetition key count as the same position for a draw by threefold
    /// repetition; none where the rules know no such draw.
    fn repetition_key(&self) -> Option<u64> {
        None
    }

    /// Whether no earlier position can recur, so that a history may drop them.
    fn is_irreversible(&self) -> bool {
        false
    }
}

/// Faster ways to do what the rules in [`Game`] already allow. Everything has a default: a game that states nothing is searched
/// correctly, only slower. Overrides keep the results, and random moves their distribution.
pub trait SearchHints: Game {
    /// True if generating the moves is faster than a cache miss: searches then generate them again instead of loading them.
    const HAS_FAST_MOVE_GENERATION: bool = true;

    /// Number of values of [`Self::reply_context`].
    const REPLY_CONTEXTS: usize = 1 << Self::MOVE_BITS;

    /// The key under which last-good-reply playouts store replies to `mv` played here, below [`Self::REPLY_CONTEXTS`]: the move's
    /// code, or its effect on the board where that is more specific.
    #[inline(always)]
    fn reply_context(&self, mv: Self::Move) -> usize {
        Self::move_to_bits(mv).into()
    }

    /// [`Game::outcome`] of a position without legal moves, which need not be checked again.
    #[inline(always)]
    fn final_outcome(&self) -> Outcome {
        self.outcome().unwrap_or(Outcome::Draw)
    }

    /// By how much the winner of a finished game is ahead, in games where a larger win is better; else 0. Below 1,000.
    fn final_margin(&self) -> u32 {
        0
    }

    /// A uniformly random legal move; `None` exactly when the game is over.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        (!moves.is_empty()).then(|| moves[rng.below(moves.len() as u32) as usize])
    }

    /// Plays a uniformly random legal move; false, and nothing is played, exactly when the game is over.
    #[inline(always)]
    fn play_random(&mut self, rng: &mut Rng) -> bool {
        match self.random_move(rng) {
            Some(mv) => {
                self.play(mv);
                true
            }
            None => false,
        }
    }

    /// Repeats [`Self::play_random`] until the game is over; returns the number of plies.
    #[inline(always)]
    fn play_out(&mut self, rng: &mut Rng) -> u32 {
        let mut plies = 0;
        while self.play_random(rng) {
            plies += 1;
        }
        plies
    }

    /// Bounds of the margin of the first player at the end of the game, points ahead, in games decided by counting: the least and
    /// the greatest that the position still allows, the same number once the game is over. `None` for other games.
    fn margin_bounds(&self) -> Option<[i32; 2]> {
        None
    }

    /// Estimate of the plies to the end of the game, at least 1; `None` where the rules set no end that games come near. Time
    /// management divides clocks by it.
    fn expected_plies_left(&self) -> Option<u32> {
        None
    }

    /// The number of moves that [`Game::perft_moves`] lists.
    fn perft_count(&self) -> u64 {
        let mut moves = Vec::new();
        self.perft_moves(&mut moves);
        moves.len() as u64
    }
}

/// Every legal move with the position it leads to, in the order of [`Game::legal_moves`].
pub fn successors<G: Game>(position: &G) -> Vec<(G::Move, G)> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let after = |mv| {
        let mut child = position.clone();
        child.play(mv);
        (mv, child)
    };
    moves.into_iter().map(after).collect()
}

/// All that the rest of the engine may ask of a game.
pub trait Playable:
    Game + SearchHints + Notation + Evaluate + Symmetric + Explain + Tactics
{
}

impl<G: Game + SearchHints + Notation + Evaluate + Symmetric + Explain + Tactics> Playable for G {}

/// Generic code for a game that is known only by name; see [`with_game`].
pub trait Visitor {
    /// The result of the visit.
    type Out;

    /// Runs the code for one game under one variant's rules.
    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out;
}

/// The steps (dx, dy) to the eight neighbours of a square, for tests that walk a board.
#[cfg(test)]
fn eight_directions() -> impl Iterator<Item = (i32, i32)> {
    (-1..=1)
        .flat_map(|dx| (-1..=1).map(move |dy| (dx, dy)))
        .filter(|&step| step != (0, 0))
}
