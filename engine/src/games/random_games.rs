//! Results of many random games, for benchmarks and tests. A search makes its playouts itself.

use super::{Outcome, Player, SearchHints};
use crate::machine::{Work, run_accelerated};
use crate::rng::Rng;

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
            let mut position = self.position.clone();
            let plies = position.play_out(&mut rng);
            match position.final_outcome() {
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
