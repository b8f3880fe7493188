//! What happens after the tree: a game played out by some policy, paid to the first player.

use super::last_good_reply::LastGoodReply;
use crate::machine::{Work, accelerated};
use crate::{
    games::{Evaluate, Game, History, Outcome, Player, playout::playout},
    rng::Rng,
};

/// Rewards as whole numbers, so that sums do not depend on their order: 1 is 2^32.
pub(super) const ONE: u64 = 1 << 32;

/// What a finished game pays the first player.
#[inline(always)]
pub(super) fn pay(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Win(Player::First) => ONE,
        Outcome::Win(Player::Second) => 0,
        Outcome::Draw => ONE / 2,
    }
}

/// A reward between 0 and 1 as a whole number.
pub(super) fn fixed(reward: f64) -> u64 {
    (reward * ONE as f64) as u64
}

/// The last moves on the way to a playout, as contexts for replies; the latest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Trail {
    pub(super) before: Option<u32>,
    pub(super) last: Option<u32>,
}

impl Trail {
    /// The last moves of a game.
    pub(super) fn of_game(history: &History) -> Self {
        let [before, last] = history.last_moves();
        Self { before, last }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, context: usize) {
        *self = Self {
            before: self.last,
            last: Some(context as u32),
        };
    }
}

/// A policy for playouts. Each thread has its own, for policies learn.
pub(super) trait Playout<G: Game>: Send {
    /// Whether it wants to know the moves before.
    fn follows_trail(&self) -> bool;

    /// Plays the game out from `position` and says what it pays the first player.
    fn run(&mut self, position: &G, trail: Trail, rng: &mut Rng) -> u64;

    /// Another game begins: forget what was learnt.
    fn clear(&mut self);
}

/// Uniformly random moves, up to a limit of plies if there is one.
pub(super) struct Uniform {
    pub(super) limit: Option<u32>,
}

impl<G: Evaluate> Playout<G> for Uniform {
    fn follows_trail(&self) -> bool {
        false
    }

    fn run(&mut self, position: &G, _: Trail, rng: &mut Rng) -> u64 {
        accelerated(RunUniform {
            position,
            rng,
            limit: self.limit,
        })
    }

    fn clear(&mut self) {}
}

struct RunUniform<'a, G> {
    position: &'a G,
    rng: &'a mut Rng,
    limit: Option<u32>,
}

impl<G: Evaluate> Work for RunUniform<'_, G> {
    type Out = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut rng = self.rng.clone();
        let mut position = self.position.clone();
        let paid = match self.limit {
            None => pay(playout(position, &mut rng).0),
            Some(limit) => {
                let mut left = limit;
                loop {
                    if left == 0 {
                        break cut_off(&position);
                    }
                    if !position.play_random(&mut rng) {
                        break pay(position.final_outcome());
                    }
                    left -= 1;
                }
            }
        };
        *self.rng = rng;
        paid
    }
}

/// What a playout that stops here pays: the result if the game is over, else the game's own guess.
pub(super) fn cut_off<G: Evaluate>(position: &G) -> u64 {
    position
        .outcome()
        .map_or_else(|| fixed(position.cutoff_reward()), pay)
}

/// The policy that a configuration asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Uniformly random moves.
    #[default]
    Uniform,
    /// Last good reply to one move.
    LastGoodReply1,
    /// Last good reply to two moves, else to one.
    LastGoodReply2,
}

impl Policy {
    /// How many moves its replies answer, if it has tables of replies.
    fn replies_to_two(self) -> Option<bool> {
        match self {
            Self::Uniform => None,
            Self::LastGoodReply1 => Some(false),
            Self::LastGoodReply2 => Some(true),
        }
    }

    /// The bytes that the tables of one thread take if they may take so many.
    pub(super) fn bytes_within<G: Game>(self, bytes: usize) -> usize {
        self.replies_to_two()
            .map_or(0, |two| LastGoodReply::<G>::bytes_within(bytes, two))
    }

    /// How many slots for pairs of moves there are in tables of so many bytes, and how many would be of use; none if there are
    /// no such slots at all.
    pub(super) fn slots_within<G: Game>(self, bytes: usize) -> Option<(u64, u64)> {
        (self == Self::LastGoodReply2).then(|| LastGoodReply::<G>::slots_within(bytes))
    }
}

/// The policy of one thread, whose tables take no more than about `bytes`.
pub(super) fn build<G: Evaluate>(
    policy: Policy,
    limit: Option<u32>,
    forgetting: bool,
    bytes: usize,
) -> Box<dyn Playout<G>> {
    match policy.replies_to_two() {
        None => Box::new(Uniform { limit }),
        Some(two) => Box::new(LastGoodReply::<G>::within(bytes, two, forgetting, limit)),
    }
}
