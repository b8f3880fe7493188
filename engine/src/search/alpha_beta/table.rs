//! The transposition table: bounds, depths and best moves of positions, bounded and aged.

use std::sync::atomic::Ordering::Relaxed;

use crate::{games::MoveCode, machine::AtomicWords, search::Bound};

const BUCKET_ENTRIES: usize = 4;
/// An entry is its key and its data.
const BUCKET_WORDS: usize = 2 * BUCKET_ENTRIES;
/// No move: moves have at most 15 bits.
const NO_MOVE: MoveCode = MoveCode::MAX;
/// Plies that an entry counts less for every search that has passed since it was used.
const PLIES_PER_AGE: i32 = 4;
/// Depth of an entry whose lines all ended before the horizon: no search sees more.
pub(super) const SOLVED_DEPTH: u32 = 255;
/// Searches are numbered in 6 bits.
const GENERATIONS: u8 = 64;

/// Words of a new table, which a short search does not fill: its pages cost more than its nodes.
const START_WORDS: usize = 1 << 13;
/// A table that is half full is replaced by one this many times as large.
const GROWTH: usize = 4;
/// Up to this size the entries are moved when the table grows; moving more would take longer than they are worth.
const MAX_MOVED_WORDS: usize = 1 << 19;

/// A table of at most so many bytes.
pub(in crate::search) struct Table {
    words: AtomicWords,
    max_words: usize,
    /// Number of the search, below [`GENERATIONS`].
    generation: u8,
    /// Entries in use.
    stored: usize,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Entry {
    pub(in crate::search) value: i32,
    pub(in crate::search) bound: Bound,
    /// Plies that were left to search.
    pub(in crate::search) depth: u32,
    /// The best move or the one that caused a cutoff.
    pub(in crate::search) mv: Option<MoveCode>,
}

impl Table {
    /// A table of at most `megabytes`, or less if the system refuses them.
    pub(in crate::search) fn new(megabytes: usize) -> Self {
        // While it grows, there is an old table beside the new one.
        let words = (megabytes << 17) / (GROWTH + 1) * GROWTH;
        let max_words = (words / BUCKET_WORDS * BUCKET_WORDS).max(BUCKET_WORDS);
        Self {
            words: AtomicWords::zeroed_up_to(START_WORDS.min(max_words)),
            max_words,
            generation: 0,
            stored: 0,
        }
    }

    /// Begins a search: what earlier ones stored gives way first.
    pub(in crate::search) fn begin_search(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// Bytes of an entry.
    pub(in crate::search) const ENTRY_BYTES: u64 = 16;

    /// Entries in use.
    pub(in crate::search) fn stored(&self) -> u64 {
        self.stored as u64
    }

    /// Takes the next size, if there is memory for it.
    #[cold]
    fn grow(&mut self) {
        let len = (self.words.len() * GROWTH).min(self.max_words);
        let Ok(words) = AtomicWords::zeroed(len) else {
            self.max_words = self.words.len();
            return;
        };
        let old = std::mem::replace(&mut self.words, words);
        self.stored = 0;
        if old.len() > MAX_MOVED_WORDS {
            return;
        }
        for pair in old.chunks_exact(2) {
            let data = Data(pair[1].load(Relaxed));
            if data.is_used() {
                self.insert(pair[0].load(Relaxed), data);
            }
        }
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> usize {
        let buckets = self.words.len() / BUCKET_WORDS;
        ((u128::from(key) * buckets as u128) >> 64) as usize * BUCKET_WORDS
    }

    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        self.words[index].load(Relaxed)
    }

    /// What is known of the position with this key.
    #[inline(always)]
    pub(in crate::search) fn get(&self, key: u64) -> Option<Entry> {
        let bucket = self.bucket(key);
        let indices = (bucket..bucket + BUCKET_WORDS).step_by(2);
        for index in indices {
            let data = Data(self.word(index + 1));
            if self.word(index) == key && data.is_used() {
                return Some(data.entry());
            }
        }
        None
    }

    /// Stores an entry in place of the position's own, or of the one that is worth least: the oldest and shallowest.
    #[inline(always)]
    pub(in crate::search) fn put(&mut self, key: u64, entry: &Entry) {
        self.insert(key, Data::new(entry, self.generation));
        let is_half_full = self.stored * 4 > self.words.len();
        if is_half_full && self.words.len() < self.max_words {
            self.grow();
        }
    }

    #[inline(always)]
    fn insert(&mut self, key: u64, mut data: Data) {
        let bucket = self.bucket(key);
        let (mut place, mut least) = (bucket, i32::MAX);
        for index in (bucket..bucket + BUCKET_WORDS).step_by(2) {
            let old = Data(self.word(index + 1));
            if !old.is_used() {
                (place, least) = (index, i32::MIN);
                continue;
            }
            if self.word(index) == key {
                data = data.with_move_of(old);
                place = index;
                break;
            }
            let age = (GENERATIONS + self.generation - old.generation()) % GENERATIONS;
            let worth = old.depth() as i32 - PLIES_PER_AGE * i32::from(age);
            if worth < least {
                (place, least) = (index, worth);
            }
        }
        self.stored += usize::from(!Data(self.word(place + 1)).is_used());
        self.words[place].store(key, Relaxed);
        self.words[place + 1].store(data.0, Relaxed);
    }
}

/// The data of an entry: value in 32 bits, move in 16, depth in 8, generation in 6, bound in 2, which are 0 if it is empty.
#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    fn new(entry: &Entry, generation: u8) -> Self {
        let bound = match entry.bound {
            Bound::Exact => 1,
            Bound::AtLeast => 2,
            Bound::AtMost => 3,
        };
        let mv = entry.mv.unwrap_or(NO_MOVE);
        Self(
            u64::from(entry.value as u32) << 32
                | u64::from(mv) << 16
                | u64::from(entry.depth.min(SOLVED_DEPTH)) << 8
                | u64::from(generation) << 2
                | bound,
        )
    }

    /// The same data with the move of `old` if it has none of its own.
    fn with_move_of(self, old: Self) -> Self {
        const MOVE: u64 = 0xffff << 16;
        match self.0 & MOVE {
            MOVE => Self(self.0 & !MOVE | old.0 & MOVE),
            _ => self,
        }
    }

    fn is_used(self) -> bool {
        self.0 & 3 != 0
    }

    fn depth(self) -> u32 {
        (self.0 >> 8 & 255) as u32
    }

    fn generation(self) -> u8 {
        (self.0 >> 2 & 63) as u8
    }

    fn entry(self) -> Entry {
        let mv = (self.0 >> 16) as MoveCode;
        Entry {
            value: (self.0 >> 32) as i32,
            bound: match self.0 & 3 {
                2 => Bound::AtLeast,
                3 => Bound::AtMost,
                _ => Bound::Exact,
            },
            depth: self.depth(),
            mv: (mv != NO_MOVE).then_some(mv),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(value: i32, depth: u32) -> Entry {
        Entry {
            value,
            bound: Bound::AtMost,
            depth,
            mv: Some(77),
        }
    }

    #[test]
    fn entries_come_back_as_they_were_stored() {
        let mut table = Table::new(1);
        for value in [-1_000_000, -1, 0, 1, 1_000_000] {
            for bound in [Bound::Exact, Bound::AtLeast, Bound::AtMost] {
                let stored = Entry {
                    bound,
                    ..entry(value, 9)
                };
                table.put(12345, &stored);
                assert_eq!(table.get(12345), Some(stored));
                // Without a move of its own an entry keeps the one that was known.
                table.put(12345, &Entry { mv: None, ..stored });
                assert_eq!(table.get(12345), Some(stored));
            }
        }
        assert_eq!((table.get(12346), table.stored()), (None, 1));
    }

    #[test]
    fn the_shallowest_gives_way_and_age_counts_as_plies() {
        let mut table = Table::new(1);
        // Keys of one bucket.
        for key in 0..4 {
            table.put(key, &entry(0, 10 + key as u32));
        }
        table.put(4, &entry(0, 1));
        assert!(table.get(0).is_none() && table.get(1).is_some());
        // A new search: the shallow entry of this search outlives deeper ones of the last.
        for _ in 0..4 {
            table.begin_search();
        }
        table.put(5, &entry(0, 1));
        table.put(6, &entry(0, 1));
        assert!(table.get(5).is_some() && table.get(6).is_some());
        assert!(table.get(4).is_none() && table.get(1).is_none());
    }

    #[test]
    fn a_table_grows_to_its_limit_and_keeps_what_it_knows() {
        let mut table = Table::new(1);
        let key = |number: u64| crate::rng::mix(number);
        for number in 0..5_000 {
            table.put(key(number), &entry(number as i32, 3));
        }
        assert!(table.words.len() > START_WORDS);
        let known = (0..5_000).filter(|&number| {
            let found = table.get(key(number));
            found.is_some_and(|found| found.value == number as i32)
        });
        // A few gave way in full buckets of the small table.
        assert!(known.count() > 4_800);
        for number in 0..200_000 {
            table.put(key(number), &entry(0, 3));
        }
        assert!(table.words.len() * 8 <= 1 << 20);
        assert!(table.stored() * Table::ENTRY_BYTES <= 1 << 20);
    }
}
