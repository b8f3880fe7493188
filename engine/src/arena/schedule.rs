//! The schedule of a match: players, opening and seed of every game.
//!
//! A round robin: each pairing plays its first game, then each its second, and so on, so a match of any length is balanced.
//! A pairing's games come in twos: the same opening, sides swapped. Everything about a game follows from its number, never
//! from the length of the match, so any game can be replayed alone, and a longer match keeps the games it had.

use rand::{Rng as _, SeedableRng as _};
use thiserror::Error;

use crate::{
    games::Player,
    rng::{Rng, child_seed},
};

/// No more engines than this take part.
pub const MAX_ENGINES: usize = 1000;

/// Bits of the engines' seeds.
const ENGINE_SEED_BITS: u32 = 31;

// Children of the run's seed that are no pairing's.
const OPENINGS_SEED_INDEX: u64 = u64::MAX - 1;
const SHUFFLE_SEED_INDEX: u64 = u64::MAX - 2;

/// In which order the openings of a list are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpeningOrder {
    /// As listed.
    #[default]
    Listed,
    /// Shuffled by the run's seed.
    Shuffled,
}

/// Why a schedule cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// Too few or too many engines.
    #[error("{0} engines cannot play a match: expected 2 to {MAX_ENGINES}")]
    Engines(usize),
}

/// Tells of each game by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The engines of each pairing, the one listed earlier first.
    pairings: Vec<(usize, usize)>,
    /// Number of openings.
    openings: usize,
    /// The order in which they are played; empty when that is their own.
    shuffled: Vec<usize>,
    seed: u64,
}

/// One game of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Its number in the match, from 0.
    pub number: u64,
    /// Which two engines meet: a number that does not change when engines are added to the end of the list.
    pub pairing: usize,
    /// Its number among the games of the pairing, from 0.
    pub round: u64,
    /// The engine that is the first player.
    pub first: usize,
    /// The engine that is the second player.
    pub second: usize,
    /// Which of the openings it starts with; none when there are none.
    pub opening: Option<usize>,
    /// Seed of the random opening plies: the same for both games of one opening, and for every pairing.
    pub opening_seed: u64,
    /// The seed of this game and no other.
    pub seed: u64,
}

impl ScheduledGame {
    /// The seed of the engine on one side of this game.
    pub fn seed_of(&self, player: Player) -> u64 {
        let side = match player {
            Player::First => 0,
            Player::Second => 1,
        };
        child_seed(self.seed, side)
    }

    /// The same, small enough for the integer options of every dialect. Never 0, which would ask the engine for a seed of its own.
    pub fn engine_seed_of(&self, player: Player) -> u64 {
        (self.seed_of(player) >> (u64::BITS - ENGINE_SEED_BITS)).max(1)
    }

    /// The engine on one side of this game.
    pub fn engine_of(&self, player: Player) -> usize {
        match player {
            Player::First => self.first,
            Player::Second => self.second,
        }
    }
}

impl Schedule {
    /// A round robin of `engines` engines over `openings` openings.
    pub fn new(
        engines: usize,
        openings: usize,
        order: OpeningOrder,
        seed: u64,
    ) -> Result<Self, ScheduleError> {
        if !(2..=MAX_ENGINES).contains(&engines) {
            return Err(ScheduleError::Engines(engines));
        }
        let pairings =
            (0..engines).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
        Ok(Self::of_pairings(pairings.collect(), openings, order, seed))
    }

    /// A schedule of these pairings, each of which plays as often as the others.
    pub fn of_pairings(
        pairings: Vec<(usize, usize)>,
        openings: usize,
        order: OpeningOrder,
        seed: u64,
    ) -> Self {
        Self {
            pairings,
            openings,
            shuffled: match order {
                OpeningOrder::Listed => Vec::new(),
                OpeningOrder::Shuffled => {
                    shuffled_indices(openings, child_seed(seed, SHUFFLE_SEED_INDEX))
                }
            },
            seed,
        }
    }

    /// The number of games when every pairing plays `each`.
    pub fn game_count(&self, each: u64) -> u64 {
        each.saturating_mul(self.pairings.len() as u64)
    }

    /// The game of this number. It depends on nothing but the schedule and the number.
    pub fn game(&self, number: u64) -> ScheduledGame {
        let count = self.pairings.len() as u64;
        let round = number.checked_div(count).unwrap_or_default();
        let pairing = number.checked_rem(count).unwrap_or_default() as usize;
        let (earlier, later) = self.pairings.get(pairing).copied().unwrap_or_default();
        let is_swapped = !round.is_multiple_of(2);
        let (first, second) = if is_swapped {
            (later, earlier)
        } else {
            (earlier, later)
        };
        let pair = round / 2;
        ScheduledGame {
            number,
            pairing,
            round,
            first,
            second,
            opening: self.opening_of_pair(pair),
            opening_seed: child_seed(child_seed(self.seed, OPENINGS_SEED_INDEX), pair),
            seed: child_seed(child_seed(self.seed, pairing as u64), round),
        }
    }

    /// The opening of a pair of games: one after the other, and again from the start.
    fn opening_of_pair(&self, pair: u64) -> Option<usize> {
        let turn = pair.checked_rem(self.openings as u64)? as usize;
        Some(self.shuffled.get(turn).copied().unwrap_or(turn))
    }
}

/// The numbers below `count` in an order that the seed decides.
fn shuffled_indices(count: usize, seed: u64) -> Vec<usize> {
    let mut list: Vec<usize> = (0..count).collect();
    let mut rng = Rng::seed_from_u64(seed);
    // Not `SliceRandom::shuffle`: the order of a seed must not change with a version of rand.
    for last in (1..count).rev() {
        // 64 bits favour no remainder by more than one part in 2^32, for any list that fits into memory.
        let other = rng.next_u64() % (last as u64 + 1);
        list.swap(last, other as usize);
    }
    list
}
