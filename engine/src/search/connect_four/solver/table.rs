//! The transposition table: bounds of the score of positions, in memory that grows with the search.
//!
//! It begins with 16 KB, so that clearing is nearly free and short searches stay within the processor's cache (2.2 times as
//! fast on middle games), and doubles when it is half full.
//!
//! Threads share it without locks. An entry is one word with the whole key, and what it says of a position is true for ever: an
//! entry that another thread moves or overwrites can only be missed.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

use crate::{machine::AtomicWords, search::exact::crew::MixedKey};

/// Bits of a position's key.
const KEY_BITS: u32 = 49;
/// Entries of a bucket: half a cache line.
const BUCKET: usize = 4;
/// The table begins with 2^11 words of 8 bytes.
const START_BITS: u32 = 11;
/// Entries are counted in one of so many buckets only, so that threads seldom write to the counter.
const COUNTED_BUCKETS: usize = 8;
/// While it grows, the table asks after so many buckets whether to go on.
const GROWTH_POLL_BUCKETS: usize = 1 << 12;
/// Beyond any score: added to a bound, makes it positive.
const BOUND_OFFSET: i32 = 22;

/// Lower and upper bound of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
}

impl Bounds {
    const UNKNOWN: Self = Self {
        lower: -BOUND_OFFSET,
        upper: BOUND_OFFSET,
    };
}

/// A position's key, mixed.
pub(super) type Hash = MixedKey<KEY_BITS, 0x1_9e37_79b9_7f4b>;

/// See the module.
pub(super) struct Table {
    words: AtomicWords,
    /// Binary logarithm of the words in use.
    bits: AtomicU32,
    max_bits: u32,
    /// Entries in the counted buckets, replaced ones included.
    counted: AtomicUsize,
    is_growing: AtomicBool,
    /// Words that may differ from 0: the greatest number in use so far.
    touched: AtomicUsize,
}

impl Table {
    /// A table that grows to at most `bytes`: to the power of two below it, or less if the system does not grant it. One bucket
    /// of 32 bytes is the least.
    pub(super) fn with_memory(bytes: usize) -> Self {
        let words = (bytes / 8).max(BUCKET);
        let words = AtomicWords::zeroed_up_to(1 << words.ilog2());
        let max_bits = words.len().ilog2();
        let bits = max_bits.min(START_BITS);
        Self {
            words,
            bits: bits.into(),
            max_bits,
            counted: 0.into(),
            is_growing: false.into(),
            touched: (1 << bits).into(),
        }
    }

    /// Bytes in use now.
    pub(super) fn bytes(&self) -> usize {
        8 << self.bits.load(Relaxed)
    }

    /// Forgets all entries, in the time that 16 KB take. The memory stays with the process for the next search.
    pub(super) fn clear(&mut self) {
        let bits = self.max_bits.min(START_BITS);
        self.bits = bits.into();
        self.counted = 0.into();
        self.zero(0, 1 << bits);
    }

    fn zero(&self, start: usize, end: usize) {
        for word in &self.words[start..end] {
            word.store(0, Relaxed);
        }
    }

    /// Index of the first entry of the bucket.
    #[inline(always)]
    fn bucket(hash: Hash, bits: u32) -> usize {
        hash.upper_bits(bits) & !(BUCKET - 1)
    }

    /// What is known of a position.
    #[inline(always)]
    pub(super) fn get(&self, hash: Hash) -> Bounds {
        let start = Self::bucket(hash, self.bits.load(Relaxed));
        for word in &self.words[start..start + BUCKET] {
            let entry = Entry(word.load(Relaxed));
            if entry.is_of(hash) {
                return entry.bounds();
            }
        }
        Bounds::UNKNOWN
    }

    /// Stores what is known of a position; in a full bucket in place of the entry that took the fewest nodes. True if the table
    /// should grow.
    #[inline(always)]
    #[must_use]
    pub(super) fn put(&self, hash: Hash, bounds: Bounds, nodes: u64) -> bool {
        let entry = Entry::new(hash, bounds, nodes);
        let bits = self.bits.load(Relaxed);
        let start = Self::bucket(hash, bits);
        let bucket = &self.words[start..start + BUCKET];
        let (mut place, mut fewest) = (0, u64::MAX);
        for (index, word) in bucket.iter().enumerate() {
            let old = Entry(word.load(Relaxed));
            if old.is_of(hash) {
                word.store(entry.0, Relaxed);
                return false;
            }
            if old.0 == 0 {
                place = index;
                break;
            }
            if old.effort() <= fewest {
                (place, fewest) = (index, old.effort());
            }
        }
        bucket[place].store(entry.0, Relaxed);
        start & (COUNTED_BUCKETS * BUCKET - BUCKET) == 0 && self.count_entry(bits)
    }

    /// Counts a new entry; true if half of the table is full and it may grow.
    fn count_entry(&self, bits: u32) -> bool {
        let counted = self.counted.load(Relaxed) + 1;
        self.counted.store(counted, Relaxed);
        counted * COUNTED_BUCKETS * 2 > 1 << bits && bits < self.max_bits
    }

    /// Doubles the table in place. `is_stopped` is polled; a stop loses the entries not yet moved.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&self, is_stopped: &mut dyn FnMut() -> bool) {
        if self.is_growing.swap(true, Relaxed) {
            return;
        }
        let bits = self.bits.load(Relaxed);
        if bits < self.max_bits {
            let (old_words, new_words) = (1 << bits, 2 << bits);
            let touched = self.touched.load(Relaxed);
            self.zero(old_words, touched.clamp(old_words, new_words));
            self.touched.store(touched.max(new_words), Relaxed);
            self.bits.store(bits + 1, Relaxed);
            self.counted.store(old_words / 2 / COUNTED_BUCKETS, Relaxed);
            // From the end, as the two buckets that one becomes lie at or behind it.
            for bucket in (0..old_words / BUCKET).rev() {
                self.split(bucket, bits + 1);
                if bucket % GROWTH_POLL_BUCKETS == 0 && is_stopped() {
                    break;
                }
            }
        }
        self.is_growing.store(false, Relaxed);
    }

    /// Moves the entries of a bucket of the smaller table to the two that it becomes.
    fn split(&self, bucket: usize, bits: u32) {
        let old = &self.words[bucket * BUCKET..][..BUCKET];
        let entries = std::array::from_fn::<_, BUCKET, _>(|index| old[index].load(Relaxed));
        let new = &self.words[2 * bucket * BUCKET..][..2 * BUCKET];
        new.iter().for_each(|word| word.store(0, Relaxed));
        if bucket > 0 {
            old.iter().for_each(|word| word.store(0, Relaxed));
        }
        let mut next = [0, BUCKET];
        for entry in entries.into_iter().filter(|&entry| entry != 0) {
            let half = usize::from(Self::bucket(Entry(entry).hash(), bits) & BUCKET != 0);
            new[next[half]].store(entry, Relaxed);
            next[half] += 1;
        }
    }
}

/// From the upper end: the key (49 bits), the effort (3), lower and upper bound (6 each). 0 is no entry.
#[derive(Clone, Copy)]
struct Entry(u64);

impl Entry {
    #[inline(always)]
    fn new(hash: Hash, bounds: Bounds, nodes: u64) -> Self {
        let effort = u64::from((u64::BITS - nodes.leading_zeros()) / 3).min(7);
        let lower = (bounds.lower + BOUND_OFFSET) as u64;
        let upper = (bounds.upper + BOUND_OFFSET) as u64;
        Self(hash.to_bits() << 15 | effort << 12 | lower << 6 | upper)
    }

    #[inline(always)]
    fn hash(self) -> Hash {
        Hash::from_bits(self.0 >> 15)
    }

    #[inline(always)]
    fn is_of(self, hash: Hash) -> bool {
        self.hash() == hash && self.0 != 0
    }

    /// Logarithm to base 8 of the nodes that the bounds took.
    #[inline(always)]
    fn effort(self) -> u64 {
        self.0 >> 12 & 7
    }

    #[inline(always)]
    fn bounds(self) -> Bounds {
        Bounds {
            lower: (self.0 >> 6 & 63) as i32 - BOUND_OFFSET,
            upper: (self.0 & 63) as i32 - BOUND_OFFSET,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: fn() -> bool = || false;

    /// Stores `count` entries whose bounds follow from the key.
    fn fill(table: &Table, count: u64) {
        for key in 1..=count {
            let lower = (key % 20) as i32;
            let bounds = Bounds { lower, upper: 21 };
            if table.put(Hash::new(key * 0x1234_5677), bounds, key) {
                table.grow(&mut NEVER.clone());
            }
        }
    }

    /// The number of keys that are found; each of them with its own bounds.
    fn found(table: &Table, count: u64) -> u64 {
        (1..=count)
            .filter(|&key| {
                let bounds = table.get(Hash::new(key * 0x1234_5677));
                let is_found = bounds != Bounds::UNKNOWN;
                assert!(!is_found || bounds.lower == (key % 20) as i32, "{key}");
                is_found
            })
            .count() as u64
    }

    #[test]
    fn a_table_grows_to_its_memory_and_no_further() {
        for bytes in [0, 32, 1000, 100_000, 1 << 20] {
            let table = Table::with_memory(bytes);
            fill(&table, 200_000);
            assert!(table.bytes() <= bytes.max(32), "{bytes}");
            assert!(table.bytes() * 2 > bytes, "{bytes}");
            assert!(found(&table, 200_000) > 0, "{bytes}");
        }
    }

    #[test]
    fn entries_survive_growth_until_they_are_cleared() {
        let mut table = Table::with_memory(8 << 20);
        fill(&table, 100_000);
        assert!(table.bytes() >= 1 << 20, "{}", table.bytes());
        let kept = found(&table, 100_000);
        assert!(kept > 90_000, "{kept}");
        table.clear();
        assert_eq!(table.bytes(), 16 << 10);
        assert_eq!(found(&table, 100_000), 0);
        // Memory that was used before a clear is empty when the table grows into it again.
        fill(&table, 40_000);
        assert_eq!(found(&table, 100_000), found(&table, 40_000));
    }

    #[test]
    fn growth_that_is_stopped_leaves_a_table_that_works() {
        let table = Table::with_memory(8 << 20);
        fill(&table, 60_000);
        table.grow(&mut || true);
        assert!(found(&table, 60_000) > 0);
        fill(&table, 60_000);
        assert!(found(&table, 60_000) > 50_000);
    }
}
