//! Playouts: simulation of a game from a leaf to its end, or to a limit, by a policy.

use super::last_good_reply::LastGoodReply;
use crate::machine::{Work, run_accelerated};
use crate::{
    games::{Evaluate, Game, History, Outcome, Player, SearchHints},
    rng::Rng,
    search::Searchable,
};

/// A reward of 1 in fixed-point units of 2^-32. Integer sums do not depend on their order.
pub(super) const REWARD_ONE: u64 = 1 << 32;

/// The reward of a finished game for the first player.
#[inline(always)]
pub(super) fn outcome_reward(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Win(Player::First) => REWARD_ONE,
        Outcome::Win(Player::Second) => 0,
        Outcome::Draw => REWARD_ONE / 2,
    }
}

/// Converts a reward in [0, 1] to units of 2^-32.
pub(super) fn to_fixed_point(reward: f64) -> u64 {
    (reward * REWARD_ONE as f64) as u64
}

/// The last two moves before a playout, as [`SearchHints::reply_context`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LastMoves {
    pub(super) previous: Option<u32>,
    pub(super) last: Option<u32>,
}

impl LastMoves {
    /// The last two moves of a game.
    pub(super) fn from_history(history: &History) -> Self {
        let [before, last] = history.last_moves();
        Self {
            previous: before,
            last,
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, context: usize) {
        *self = Self {
            previous: self.last,
            last: Some(context as u32),
        };
    }
}

/// A playout policy. Policies learn, so each thread has its own.
pub(super) trait Playout<G: Game>: Send {
    /// True if [`Self::simulate`] reads `last_moves`.
    fn uses_last_moves(&self) -> bool;

    /// Makes a playout from `position`; returns the reward for the first player, in units of 2^-32.
    fn simulate(&mut self, position: &G, last_moves: LastMoves, rng: &mut Rng) -> u64;

    /// The moves of the playout made since the last call; `None` if there was none, or if they are not kept.
    fn take_moves(&mut self) -> Option<&[G::Move]> {
        None
    }

    /// Forgets what was learnt, for a new game.
    fn clear(&mut self);
}

/// A policy whose playouts can be recorded.
pub(super) trait RecordablePlayout<G: Game>: Playout<G> {
    /// The same playout as [`Playout::simulate`] makes, from the same random numbers; its moves are appended to `moves`.
    fn simulate_recorded(
        &mut self,
        position: &G,
        last_moves: LastMoves,
        rng: &mut Rng,
        moves: &mut Vec<G::Move>,
    ) -> u64;
}

/// Uniformly random moves, up to a limit of plies.
pub(super) struct UniformPlayout {
    pub(super) limit: Option<u32>,
}

impl<G: Searchable> Playout<G> for UniformPlayout {
    fn uses_last_moves(&self) -> bool {
        false
    }

    fn simulate(&mut self, position: &G, _: LastMoves, rng: &mut Rng) -> u64 {
        run_accelerated(RunUniformPlayout {
            position,
            rng,
            limit: self.limit,
        })
    }

    fn clear(&mut self) {}
}

impl<G: Searchable> RecordablePlayout<G> for UniformPlayout {
    fn simulate_recorded(
        &mut self,
        position: &G,
        _: LastMoves,
        rng: &mut Rng,
        moves: &mut Vec<G::Move>,
    ) -> u64 {
        let mut position = position.clone();
        let mut left = self.limit.unwrap_or(u32::MAX);
        while left > 0 {
            let Some(mv) = position.random_move(rng) else {
                return outcome_reward(position.final_outcome());
            };
            position.play(mv);
            moves.push(mv);
            left -= 1;
        }
        truncated_playout_reward(&position)
    }
}

struct RunUniformPlayout<'a, G> {
    position: &'a G,
    rng: &'a mut Rng,
    limit: Option<u32>,
}

impl<G: Searchable> Work for RunUniformPlayout<'_, G> {
    type Out = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut rng = self.rng.clone();
        let mut position = self.position.clone();
        let reward = match self.limit {
            None => {
                position.play_out(&mut rng);
                outcome_reward(position.final_outcome())
            }
            Some(limit) => {
                let mut left = limit;
                loop {
                    if left == 0 {
                        break truncated_playout_reward(&position);
                    }
                    if !position.play_random(&mut rng) {
                        break outcome_reward(position.final_outcome());
                    }
                    left -= 1;
                }
            }
        };
        *self.rng = rng;
        reward
    }
}

/// The reward of a truncated playout: the result if the game is over, else [`Evaluate::cutoff_reward`].
pub(super) fn truncated_playout_reward<G: Evaluate>(position: &G) -> u64 {
    position
        .outcome()
        .map_or_else(|| to_fixed_point(position.cutoff_reward()), outcome_reward)
}

/// A playout policy by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayoutPolicy {
    /// Uniformly random moves.
    #[default]
    Uniform,
    /// Last good reply to one move.
    LastGoodReply1,
    /// Last good reply to two moves, else to one.
    LastGoodReply2,
}

impl PlayoutPolicy {
    /// For policies with reply tables, true if they have replies to two moves.
    fn uses_two_move_replies(self) -> Option<bool> {
        match self {
            Self::Uniform => None,
            Self::LastGoodReply1 => Some(false),
            Self::LastGoodReply2 => Some(true),
        }
    }

    /// Bytes of one thread's reply tables under a limit of `bytes`.
    pub(super) fn reply_table_bytes<G: SearchHints>(self, bytes: usize) -> usize {
        self.uses_two_move_replies()
            .map_or(0, |two| LastGoodReply::<G>::table_bytes(bytes, two))
    }

    /// Slots for pairs of moves under a limit of `bytes`, and slots that the game could use; `None` for policies without.
    pub(super) fn reply_slots<G: SearchHints>(self, bytes: usize) -> Option<(u64, u64)> {
        (self == Self::LastGoodReply2).then(|| LastGoodReply::<G>::pair_slot_counts(bytes))
    }
}

/// Builds the policy of one thread; its reply tables take about `bytes` at most.
pub(super) fn build_playout<G: Searchable>(
    policy: PlayoutPolicy,
    limit: Option<u32>,
    forgetting: bool,
    bytes: usize,
) -> Box<dyn RecordablePlayout<G>> {
    match policy.uses_two_move_replies() {
        None => Box::new(UniformPlayout { limit }),
        Some(two) => Box::new(LastGoodReply::<G>::with_memory_limit(
            bytes, two, forgetting, limit,
        )),
    }
}
