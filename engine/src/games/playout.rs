//! Random games to the end, the inner loop of every Monte-Carlo search.

use super::{Outcome, Player, SearchHints};
use crate::machine::{Work, run_accelerated};
use crate::rng::Rng;

/// Plays uniformly random moves until the game is over; returns the result and the number of plies.
#[inline(always)]
pub fn playout<G: SearchHints>(mut position: G, rng: &mut Rng) -> (Outcome, u32) {
    let plies = position.play_out(rng);
    (position.final_outcome(), plies)
}

/// Results of many playouts from one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayoutCounts {
    /// Games won by the first player.
    pub first_wins: u64,
    /// Games won by the second player.
    pub second_wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Moves made in all of them.
    pub plies: u64,
}

/// Plays `count` random games from `position`.
pub fn many_playouts<G: SearchHints>(position: &G, rng: &mut Rng, count: u64) -> PlayoutCounts {
    run_accelerated(ManyPlayouts {
        position,
        rng,
        count,
    })
}

struct ManyPlayouts<'a, G> {
    position: &'a G,
    rng: &'a mut Rng,
    count: u64,
}

impl<G: SearchHints> Work for ManyPlayouts<'_, G> {
    type Out = PlayoutCounts;

    #[inline(always)]
    fn run(self) -> PlayoutCounts {
        let mut counts = PlayoutCounts::default();
        let mut rng = self.rng.clone();
        for _ in 0..self.count {
            let (outcome, plies) = playout(self.position.clone(), &mut rng);
            match outcome {
                Outcome::Win(Player::First) => counts.first_wins += 1,
                Outcome::Win(Player::Second) => counts.second_wins += 1,
                Outcome::Draw => counts.draws += 1,
            }
            counts.plies += u64::from(plies);
        }
        *self.rng = rng;
        counts
    }
}
