//! Exact solvers: game-theoretic values of positions, of every move, and lines of best play.
//!
//! [`Exact`] is the one interface. A solver for one game lives in `search/<game>/`. A solver is created with its memory and
//! threads, and keeps what it has learnt from one position to the next. [`generic`] has one for every game.

mod bounds_table;
pub(in crate::search) mod crew;
mod forced;
mod full_search;
pub mod generic;
pub(in crate::search) mod growing_words;
pub(in crate::search) mod node_counter;
mod win_search;

mod ending;
mod player;
mod root_solver;
mod value_text;

pub use ending::{ExactEnding, ExactFrom};
pub use forced::{forced_line, quickest_win};
pub use player::ExactPlayer;
pub use root_solver::NewSolver;
pub use value_text::ValueParseError;

pub mod book;
pub mod leaf_values;

use super::{SearchLimits, StopFlag, budget::SearchBudget};
use crate::games::{Game, Outcome, Player};

/// The result of a game under best play, compared with a draw, for the player to move. `Ord`: better is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueClass {
    /// The player to move loses.
    Loss,
    /// Nobody wins.
    Draw,
    /// The player to move wins.
    Win,
}

impl ValueClass {
    /// The class of a finished game for `player`.
    pub fn from_outcome(outcome: Outcome, player: Player) -> Self {
        match outcome {
            Outcome::Draw => Self::Draw,
            Outcome::Win(winner) if winner == player => Self::Win,
            Outcome::Win(_) => Self::Loss,
        }
    }

    /// The class of a score, of which 0 is a draw.
    pub fn from_score(score: i32) -> Self {
        match score.signum() {
            1 => Self::Win,
            0 => Self::Draw,
            _ => Self::Loss,
        }
    }

    /// The result of the game if `player` gets this class.
    pub fn to_outcome(self, player: Player) -> Outcome {
        match self {
            Self::Loss => Outcome::Win(player.opponent()),
            Self::Draw => Outcome::Draw,
            Self::Win => Outcome::Win(player),
        }
    }

    /// The same result for the other player.
    pub fn for_opponent(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// The word for it in protocols and files: `loss`, `draw` or `win`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

/// The game-theoretic value of a position for one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExactValue {
    /// Win, draw or loss.
    pub class: ValueClass,
    /// The score under best play in games that have one, such as stones or discs ahead; greater is better for the player.
    pub score: Option<i32>,
    /// Plies to the end of the game under best play, where the solver knows them.
    pub plies: Option<u32>,
}

impl ExactValue {
    /// The same value for the other player.
    pub fn for_opponent(self) -> Self {
        Self {
            class: self.class.for_opponent(),
            score: self.score.map(|score| -score),
            ..self
        }
    }

    /// The value of the move that leads to a position of this value, for the player who moves: `same_player` if that player is
    /// also to move after it.
    pub fn before_move(self, same_player: bool) -> Self {
        let value = if same_player {
            self
        } else {
            self.for_opponent()
        };
        Self {
            plies: self.plies.map(|plies| plies + 1),
            ..value
        }
    }

    /// The inverse of [`Self::before_move`]: the value of the position that the move leads to, for the player to move there.
    pub fn after_move(self, same_player: bool) -> Self {
        let value = if same_player {
            self
        } else {
            self.for_opponent()
        };
        Self {
            plies: self.plies.map(|plies| plies.saturating_sub(1)),
            ..value
        }
    }

    /// Whether nothing that both values say differs.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let agrees = |a: Option<i64>, b: Option<i64>| a.is_none() || b.is_none() || a == b;
        self.class == other.class
            && agrees(self.score.map(i64::from), other.score.map(i64::from))
            && agrees(self.plies.map(i64::from), other.plies.map(i64::from))
    }

    /// Sort key of moves: class first, then score, then a quick win and a slow loss. Greater is better.
    pub fn rank(&self) -> (ValueClass, i32, i64) {
        let plies = i64::from(self.plies.unwrap_or(0));
        let haste = match self.class {
            ValueClass::Win => -plies,
            ValueClass::Draw => 0,
            ValueClass::Loss => plies,
        };
        (self.class, self.score.unwrap_or(0), haste)
    }
}

/// Progress of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveProgress {
    /// Positions looked at since the solver was asked.
    pub nodes: u64,
}

/// Limits, stop flag and progress reports of one question to a solver.
pub struct SolveContext<'a> {
    budget: SearchBudget,
    on_progress: &'a mut dyn FnMut(SolveProgress),
}

impl<'a> SolveContext<'a> {
    /// Starts the clock. Of the limits, time and nodes count.
    pub fn start(
        limits: &SearchLimits,
        stop: &StopFlag,
        report_interval: Option<std::time::Duration>,
        on_progress: &'a mut dyn FnMut(SolveProgress),
    ) -> Self {
        Self {
            budget: SearchBudget::start(limits, limits.nodes, stop)
                .with_timers(report_interval, None),
            on_progress,
        }
    }

    /// True if the solver must give up after `nodes`. Call it every few hundred nodes at most: it reads the clock and reports.
    #[inline(always)]
    pub fn is_exhausted(&mut self, nodes: u64) -> bool {
        let exhausted = self.budget.is_exhausted(nodes);
        if self.budget.is_report_due() {
            (self.on_progress)(SolveProgress { nodes });
        }
        exhausted
    }

    /// A budget for a helper thread: the same deadline, stop flag and node limit.
    pub fn helper_budget(&self) -> SearchBudget {
        self.budget.for_counting_helper()
    }

    /// Time since the start.
    pub fn elapsed(&self) -> std::time::Duration {
        self.budget.elapsed()
    }
}

/// The values of moves; `None` for those that were not solved.
pub type ExactMoves<G> = Vec<(<G as Game>::Move, Option<ExactValue>)>;

/// A question: whether a player can force a win within so many plies.
#[derive(Debug)]
pub struct WinGoal<'a, G> {
    /// Where the question is asked.
    pub position: &'a G,
    /// Who is to win.
    pub attacker: Player,
    /// Until the end of the game, at most.
    pub plies: u32,
}

/// An exact solver of one game.
///
/// Every answer is proven. A solver that runs into a limit answers `None`, and may be asked again: what it has learnt is kept
/// within its memory. It never exceeds the memory it was created with.
pub trait Exact<G: Game>: Send {
    /// The value of a position, finished ones included, for the player to move.
    fn value(&mut self, position: &G, context: &mut SolveContext<'_>) -> Option<ExactValue>;

    /// Whether a player can force a win; `None` if the limits, or the solver's way of solving, leave that open.
    fn wins_within(
        &mut self,
        _goal: WinGoal<'_, G>,
        _context: &mut SolveContext<'_>,
    ) -> Option<bool> {
        None
    }

    /// Positions looked at since the last [`Self::clear`].
    fn nodes(&self) -> u64;

    /// Forgets everything learnt.
    fn clear(&mut self);

    /// What scores count, in a few words, where there are several conventions; else empty.
    fn score_convention(&self) -> &'static str {
        ""
    }

    /// The value of every legal move for the player who moves, in the order of [`Game::legal_moves`]; `None` for the moves that
    /// the limits left unsolved.
    fn values(&mut self, position: &G, context: &mut SolveContext<'_>) -> ExactMoves<G> {
        values_of_moves(position, |child| self.value(child, context))
    }

    /// A line of best play to the end of the game, or as far as the limits allow. Of equal moves the first is taken.
    fn best_line(&mut self, position: &G, context: &mut SolveContext<'_>) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut position = position.clone();
        while line.len() < MAX_LINE_PLIES {
            let values = self.values(&position, context);
            let Some(values) = solved(values) else { break };
            let Some(best) = best_move(&values) else {
                break;
            };
            position.play(best);
            line.push(best);
        }
        line
    }
}

/// Every legal move with its value for the player who moves; `solve` gives the value of the position after it.
pub(in crate::search) fn values_of_moves<G: Game>(
    position: &G,
    mut solve: impl FnMut(&G) -> Option<ExactValue>,
) -> Vec<(G::Move, Option<ExactValue>)> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    (moves.into_iter())
        .map(|mv| {
            let mut child = position.clone();
            child.play(mv);
            let same_player = child.to_move() == position.to_move();
            let value = solve(&child);
            (mv, value.map(|value| value.before_move(same_player)))
        })
        .collect()
}

/// The longest line that [`Exact::best_line`] follows.
pub const MAX_LINE_PLIES: usize = 512;

/// All values, if every move was solved.
pub fn solved<M>(values: Vec<(M, Option<ExactValue>)>) -> Option<Vec<(M, ExactValue)>> {
    values
        .into_iter()
        .map(|(mv, value)| value.map(|value| (mv, value)))
        .collect()
}

/// The first of the moves with the greatest [`ExactValue::rank`]; none if there are no moves.
pub fn best_move<M: Copy>(values: &[(M, ExactValue)]) -> Option<M> {
    let best = values.iter().map(|(_, value)| value.rank()).max()?;
    let first = values.iter().find(|(_, value)| value.rank() == best)?;
    Some(first.0)
}
