//! Static judgement of positions: each game's evaluations, as a table of named functions with named parameters.

use super::{Game, Outcome, Player, linear::FittedEvaluation};
use crate::rng::mix;

/// The value of a won game for its winner, in hundredths of a point; no evaluation of an open game reaches it.
pub const WIN_VALUE: i32 = 1_000_000;

/// A game's evaluations, and the reward of a truncated playout.
pub trait Evaluate: Game {
    /// Every evaluation; the first is the default.
    const EVALUATIONS: &'static [Evaluation<Self>];

    /// The evaluation whose weights are found by a fit, if there is one.
    const FITTED: Option<FittedEvaluation<Self>> = None;

    /// The reward of a playout that is cut off here, for the first player: 0.2 to 0.8, and 0.5 when neither side is ahead.
    fn cutoff_reward(&self) -> f64;
}

/// A cutoff reward for games without a published one: the first evaluation, squashed with `half` (see [`squash`]).
#[inline]
pub fn squashed_evaluation<G: Evaluate>(position: &G, half: i32) -> f64 {
    let value = G::EVALUATIONS[0].value(position);
    squash(value, position.to_move(), half)
}

/// One way to judge a position.
pub struct Evaluation<G> {
    /// Its name in options.
    pub name: &'static str,
    /// What it measures, in a sentence.
    pub help: &'static str,
    /// Its parameters, in the order of the arguments.
    pub parameters: &'static [EvaluationParameter],
    /// The value in hundredths of a point for the player to move. Only for open games; the search scores finished games by
    /// their [`Outcome`].
    pub function: fn(&G, &[i32]) -> i32,
    /// For an evaluation that is not antisymmetric, because it looks at one side only: the value for the searching player,
    /// whoever is to move. None if `function` is enough.
    pub player_function: Option<PlayerEvaluationFn<G>>,
}

/// The value of a position for a player, whoever is to move.
pub type PlayerEvaluationFn<G> = fn(&G, Player, &[i32]) -> i32;

/// Something about an evaluation that can be set.
pub struct EvaluationParameter {
    /// Its name in options.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// Its allowed values.
    pub kind: EvaluationParameterKind,
}

/// The values of a parameter.
pub enum EvaluationParameterKind {
    /// A whole number.
    Number {
        /// The value if none is given.
        default: i32,
        /// The smallest value.
        min: i32,
        /// The largest value.
        max: i32,
    },
    /// One of some words; the argument is its index, and the first is the default.
    Choice(&'static [&'static str]),
}

impl EvaluationParameter {
    /// A whole number from 0 to `max`.
    pub const fn number(name: &'static str, help: &'static str, default: i32, max: i32) -> Self {
        Self {
            name,
            help,
            kind: EvaluationParameterKind::Number {
                default,
                min: 0,
                max,
            },
        }
    }

    /// The argument to use if none is given.
    pub fn default(&self) -> i32 {
        match self.kind {
            EvaluationParameterKind::Number { default, .. } => default,
            EvaluationParameterKind::Choice(_) => 0,
        }
    }
}

impl<G: Game> Evaluation<G> {
    /// The value of `position` for the player to move, with default arguments; finished games are worth
    /// plus or minus [`WIN_VALUE`], or 0.
    pub fn value(&self, position: &G) -> i32 {
        let defaults: Vec<i32> = self
            .parameters
            .iter()
            .map(EvaluationParameter::default)
            .collect();
        match position.outcome() {
            None => (self.function)(position, &defaults),
            Some(Outcome::Draw) => 0,
            Some(Outcome::Win(player)) if player == position.to_move() => WIN_VALUE,
            Some(Outcome::Win(_)) => -WIN_VALUE,
        }
    }

    /// The evaluation every game has: only the end of the game counts.
    pub const fn outcome_only() -> Self {
        Self {
            name: "outcome",
            help: "Win, draw or loss: an unfinished game is worth nothing to either side.",
            parameters: &[],
            function: |_, _| 0,
            player_function: None,
        }
    }

    /// An evaluation without sense, for comparison: a number below 100 drawn from the position and a seed.
    pub const fn random() -> Self {
        Self {
            name: "random",
            help: "A random whole number from 0 to 99, the same for the same position and seed.",
            parameters: const {
                &[EvaluationParameter::number(
                    "seed",
                    "Which random numbers.",
                    0,
                    i32::MAX,
                )]
            },
            function: |position, arguments| {
                let seed = arguments.first().copied().unwrap_or(0);
                (mix(position.key() ^ mix(seed as u64)) % 100) as i32
            },
            player_function: None,
        }
    }
}

/// Squashes a value for the mover into a reward for the first player between 0.2 and 0.8; half of the range is reached at
/// `half`. Uses only exact arithmetic, so it is the same on every machine.
pub fn squash(value: i32, mover: Player, half: i32) -> f64 {
    let value = f64::from(value);
    let reward = 0.3 * value / (value.abs() + f64::from(half));
    match mover {
        Player::First => 0.5 + reward,
        Player::Second => 0.5 - reward,
    }
}
