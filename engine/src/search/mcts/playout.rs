//! What happens after the tree: a game played out by some policy, paid to the first player.

use super::last_good_reply::LastGoodReply;
use crate::machine::{Work, run_accelerated};
use crate::{
    games::{Evaluate, Game, History, Outcome, Player, SearchHints, playout::playout},
    rng::Rng,
    search::Searchable,
};

/// Rewards as whole numbers, so that sums do not depend on their order: 1 is 2^32.
pub(super) const REWARD_ONE: u64 = 1 << 32;

/// What a finished game pays the first player.
#[inline(always)]
pub(super) fn outcome_reward(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Win(Player::First) => REWARD_ONE,
        Outcome::Win(Player::Second) => 0,
        Outcome::Draw => REWARD_ONE / 2,
    }
}

/// A reward between 0 and 1 as a whole number.
pub(super) fn to_fixed_point(reward: f64) -> u64 {
    (reward * REWARD_ONE as f64) as u64
}

/// The last moves on the way to a playout, as contexts for replies; the latest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LastMoves {
    pub(super) previous: Option<u32>,
    pub(super) last: Option<u32>,
}

impl LastMoves {
    /// The last moves of a game.
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

/// A policy for playouts. Each thread has its own, for policies learn.
pub(super) trait Playout<G: Game>: Send {
    /// Whether it wants to know the moves before.
    fn uses_last_moves(&self) -> bool;

    /// Plays the game out from `position` and says what it pays the first player.
    fn simulate(&mut self, position: &G, last_moves: LastMoves, rng: &mut Rng) -> u64;

    /// Another game begins: forget what was learnt.
    fn clear(&mut self);
}

/// Uniformly random moves, up to a limit of plies if there is one.
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
            None => outcome_reward(playout(position, &mut rng).0),
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

/// What a playout that stops here pays: the result if the game is over, else the game's own guess.
pub(super) fn truncated_playout_reward<G: Evaluate>(position: &G) -> u64 {
    position
        .outcome()
        .map_or_else(|| to_fixed_point(position.cutoff_reward()), outcome_reward)
}

/// The policy that a configuration asks for.
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
    /// How many moves its replies answer, if it has tables of replies.
    fn uses_two_move_replies(self) -> Option<bool> {
        match self {
            Self::Uniform => None,
            Self::LastGoodReply1 => Some(false),
            Self::LastGoodReply2 => Some(true),
        }
    }

    /// The bytes that the tables of one thread take if they may take so many.
    pub(super) fn reply_table_bytes<G: SearchHints>(self, bytes: usize) -> usize {
        self.uses_two_move_replies()
            .map_or(0, |two| LastGoodReply::<G>::table_bytes(bytes, two))
    }

    /// How many slots for pairs of moves there are in tables of so many bytes, and how many would be of use; none if there are
    /// no such slots at all.
    pub(super) fn reply_slots<G: SearchHints>(self, bytes: usize) -> Option<(u64, u64)> {
        (self == Self::LastGoodReply2).then(|| LastGoodReply::<G>::pair_slot_counts(bytes))
    }
}

/// The policy of one thread, whose tables take no more than about `bytes`.
pub(super) fn build_playout<G: Searchable>(
    policy: PlayoutPolicy,
    limit: Option<u32>,
    forgetting: bool,
    bytes: usize,
) -> Box<dyn Playout<G>> {
    match policy.uses_two_move_replies() {
        None => Box::new(UniformPlayout { limit }),
        Some(two) => Box::new(LastGoodReply::<G>::with_memory_limit(
            bytes, two, forgetting, limit,
        )),
    }
}
