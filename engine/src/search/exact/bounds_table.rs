//! A transposition table of bounds, for any game.

use std::sync::atomic::Ordering;

use super::growing_words::GrowingWords;

/// What is known of a position: its value is at least `lower` and at most `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: i16,
    pub(super) upper: i16,
}

impl Bounds {
    pub(super) const UNKNOWN: Self = Self {
        lower: i16::MIN,
        upper: i16::MAX,
    };
}

/// No move: moves have at most 15 bits.
pub(super) const NO_MOVE: u16 = u16::MAX;

const BUCKET_ENTRIES: usize = 4;
const BUCKET_WORDS: usize = 2 * BUCKET_ENTRIES;

/// The second word of an entry; the first is the key.
#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    fn new(bounds: Bounds, best: u16, nodes: u64) -> Self {
        let work = u64::from((nodes + 1).ilog2() + 1);
        let [lower, upper] = [bounds.lower, bounds.upper].map(|bound| u64::from(bound as u16));
        Self(work << 48 | u64::from(best) << 32 | upper << 16 | lower)
    }

    /// The binary logarithm of the nodes spent, from 1; 0 for an empty entry.
    fn work(self) -> u64 {
        self.0 >> 48
    }

    fn bounds(self) -> Bounds {
        Bounds {
            lower: self.0 as i16,
            upper: (self.0 >> 16) as i16,
        }
    }

    fn best(self) -> u16 {
        (self.0 >> 32) as u16
    }
}

/// Bounds by the positions' keys: two positions with the same key of 64 bits are taken for one. A full bucket gives up the entry
/// that took the least work.
#[derive(Debug)]
pub(super) struct BoundsTable {
    pub(super) words: GrowingWords<BUCKET_WORDS, 2>,
}

impl BoundsTable {
    /// A table of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            words: GrowingWords::new(bytes),
        }
    }

    /// The places of the entries that a key may have. Keys are mixed already.
    #[inline(always)]
    fn places(&self, key: u64) -> [usize; BUCKET_ENTRIES] {
        let bucket = self.words.bucket_of(key);
        std::array::from_fn(|entry| bucket + 2 * entry)
    }

    #[inline(always)]
    fn entry(&self, place: usize) -> (u64, Data) {
        (self.words.load(place), Data(self.words.load(place + 1)))
    }

    #[inline(always)]
    fn find(&self, key: u64) -> Option<(usize, Data)> {
        self.places(key).into_iter().find_map(|place| {
            let (found, data) = self.entry(place);
            (found == key && data.work() > 0).then_some((place, data))
        })
    }

    /// The bounds of a position and its best move as bits; [`Bounds::UNKNOWN`] and [`NO_MOVE`] for one that is not there.
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> (Bounds, u16) {
        self.find(key)
            .map_or((Bounds::UNKNOWN, NO_MOVE), |(_, data)| {
                (data.bounds(), data.best())
            })
    }

    /// Notes the bounds of a position, found by looking at so many nodes.
    #[inline(always)]
    pub(super) fn store(&mut self, key: u64, bounds: Bounds, best: u16, nodes: u64) {
        self.insert(key, Data::new(bounds, best, nodes));
        if self.words.should_grow() {
            self.grow();
        }
    }

    fn insert(&mut self, key: u64, data: Data) {
        let same = self.find(key).map(|(place, _)| place);
        let place = same.unwrap_or_else(|| {
            let places = self.places(key);
            let least = (places.into_iter()).min_by_key(|&place| self.entry(place).1.work());
            least.unwrap_or(places[0])
        });
        self.words.count_entry(self.entry(place).1.work() == 0);
        self.words.store(place, key);
        self.words.store(place + 1, data.0);
    }

    #[cold]
    fn grow(&mut self) {
        let old = self.words.grow();
        for entry in old.iter().flat_map(|old| old.chunks_exact(2)) {
            let [key, data] = [0, 1].map(|index| entry[index].load(Ordering::Relaxed));
            if Data(data).work() > 0 {
                self.insert(key, Data(data));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::mix;

    #[test]
    fn a_table_grows_to_its_limit_and_forgets_the_least_work() {
        let limit = 1 << 20;
        let mut table = BoundsTable::new(limit);
        let bounds = |number: u64| Bounds {
            lower: number as i16,
            upper: i16::MAX,
        };
        let hard = mix(u64::MAX);
        table.store(hard, bounds(7), 3, 1 << 40);
        for number in 0..200_000 {
            table.store(mix(number), bounds(number), NO_MOVE, 1);
            assert!(table.words.bytes() <= limit);
        }
        assert_eq!(table.get(hard), (bounds(7), 3));
        let known = (0..200_000).filter(|&number| {
            let (found, _) = table.get(mix(number));
            assert!(found == bounds(number) || found == Bounds::UNKNOWN);
            found == bounds(number)
        });
        assert!(known.count() > 5_000);
        table.words.clear();
        assert_eq!(table.get(hard), (Bounds::UNKNOWN, NO_MOVE));
    }
}
