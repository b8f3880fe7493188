//! Random games to the end, the inner loop of every Monte-Carlo search.

use super::{Game, Outcome, Player};
use crate::machine::{Work, accelerated};
use crate::rng::Rng;

/// Plays uniformly random moves until the game is over; says who won and after how many plies.
#[inline(always)]
pub fn playout<G: Game>(mut position: G, rng: &mut Rng) -> (Outcome, u32) {
    let plies = position.play_out(rng);
    (position.final_outcome(), plies)
}

/// What many playouts from one position came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won by the first player.
    pub first: u64,
    /// Games won by the second player.
    pub second: u64,
    /// Games drawn.
    pub draws: u64,
    /// Moves made in all of them.
    pub plies: u64,
}

/// Plays `count` random games from `position`.
pub fn many_playouts<G: Game>(position: &G, rng: &mut Rng, count: u64) -> Tally {
    accelerated(ManyPlayouts {
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

impl<G: Game> Work for ManyPlayouts<'_, G> {
    type Out = Tally;

    #[inline(always)]
    fn run(self) -> Tally {
        let mut tally = Tally::default();
        let mut rng = self.rng.clone();
        for _ in 0..self.count {
            let (outcome, plies) = playout(self.position.clone(), &mut rng);
            match outcome {
                Outcome::Win(Player::First) => tally.first += 1,
                Outcome::Win(Player::Second) => tally.second += 1,
                Outcome::Draw => tally.draws += 1,
            }
            tally.plies += u64::from(plies);
        }
        *self.rng = rng;
        tally
    }
}
