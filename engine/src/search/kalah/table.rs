//! The transposition table: bounds of the value of positions, and the best move.
//!
//! An entry is one word with the whole key, so it is never another position's. A bucket of eight is a cache line; when it is full,
//! the entry of the smallest subtree goes. Threads share the table without locks: an entry that another thread overwrites can only
//! be missed. It begins with 128 KB, so that short searches need not wait for memory, and grows between searches.

use std::sync::atomic::Ordering::Relaxed;

use crate::{
    machine::{self, AtomicWords},
    search::exact::crew::MixedKey,
};

/// Bits of a position's key.
const KEY_BITS: u32 = 44;
/// Positions with more stones, which only six pits of six stones have, are not stored: their keys are too long.
const MAX_STORED_STONES: usize = 60;
/// Entries of a bucket.
const BUCKET: usize = 8;
const START_BITS: u32 = 14;
/// Factor by which the table grows, as a power of two.
const GROWTH_BITS: u32 = 2;
/// While it grows, the table asks after so many buckets whether to go on.
const GROWTH_POLL_BUCKETS: usize = 1 << 12;
const BOUND_MASK: u64 = 0x7f;

/// No best move.
pub(super) const NO_PIT: usize = 7;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) lower: i32,
    pub(super) upper: i32,
    /// The move that gave the lower bound, or [`NO_PIT`].
    pub(super) best: usize,
}

/// A position's key, mixed.
pub(super) type Hash = MixedKey<KEY_BITS, 0x9e3_779b_97f4_a7c5>;

/// See the module.
pub(super) struct Table {
    words: AtomicWords,
    /// Binary logarithm of the words in use.
    bits: u32,
    max_bits: u32,
}

impl Table {
    /// A table that grows to at most `bytes`: to the power of two below it, or less if the system does not grant it. One bucket
    /// is the least.
    pub(super) fn with_memory(bytes: usize) -> Self {
        let words = (bytes / 8).max(BUCKET);
        let words = AtomicWords::zeroed_up_to(1 << words.ilog2());
        let max_bits = words.len().ilog2();
        Self {
            words,
            bits: max_bits.min(START_BITS),
            max_bits,
        }
    }

    /// Bytes in use now.
    pub(super) fn bytes(&self) -> usize {
        8 << self.bits
    }

    /// Bytes to which it may grow.
    pub(super) fn max_bytes(&self) -> usize {
        8 << self.max_bits
    }

    /// Words in use; no more than that many entries.
    pub(super) fn words(&self) -> u64 {
        1 << self.bits
    }

    /// Forgets all entries.
    pub(super) fn clear(&mut self) {
        if self.bits > START_BITS {
            self.words.clear();
        } else {
            self.words[..1 << self.bits]
                .iter()
                .for_each(|word| word.store(0, Relaxed));
        }
        self.bits = self.max_bits.min(START_BITS);
    }

    pub(super) fn can_grow(&self) -> bool {
        self.bits < self.max_bits
    }

    /// Makes the table four times as large, if it may grow. `is_stopped` is polled; a stop loses the entries not yet moved: where
    /// they are, nobody asks for them.
    pub(super) fn grow(&mut self, is_stopped: &mut dyn FnMut() -> bool) {
        let old_buckets = (1 << self.bits) / BUCKET;
        self.bits = (self.bits + GROWTH_BITS).min(self.max_bits);
        // From the end, as the buckets that one becomes lie at or behind it.
        for bucket in (0..old_buckets).rev() {
            if bucket % GROWTH_POLL_BUCKETS == 0 && is_stopped() {
                break;
            }
            let words = &self.words[bucket * BUCKET..][..BUCKET];
            let entries: [u64; BUCKET] = std::array::from_fn(|index| words[index].swap(0, Relaxed));
            for entry in entries.into_iter().filter(|&entry| entry != 0) {
                let start = self.bucket(Hash::from_bits(entry >> 20));
                let mut places = self.words[start..start + BUCKET].iter();
                if let Some(place) = places.find(|word| word.load(Relaxed) == 0) {
                    place.store(entry, Relaxed);
                }
            }
        }
    }

    #[inline(always)]
    fn bucket(&self, hash: Hash) -> usize {
        hash.upper_bits(self.bits) & !(BUCKET - 1)
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, hash: Hash) {
        machine::prefetch(&self.words, self.bucket(hash));
    }

    /// What is known of a position with so many stones.
    #[inline(always)]
    pub(super) fn get(&self, hash: Hash, stones: usize) -> Known {
        let start = self.bucket(hash);
        for word in &self.words[start..start + BUCKET] {
            let entry = word.load(Relaxed);
            if stones <= MAX_STORED_STONES && entry >> 20 == hash.to_bits() && entry != 0 {
                let bound = |shift: u32| 2 * (entry >> shift & BOUND_MASK) as i32 - stones as i32;
                return Known {
                    lower: bound(13),
                    upper: bound(6),
                    best: (entry & 7) as usize,
                };
            }
        }
        Known {
            lower: -(stones as i32),
            upper: stones as i32,
            best: NO_PIT,
        }
    }

    /// Stores what is known of a position, in place of what is already stored of it.
    #[inline(always)]
    pub(super) fn put(&self, hash: Hash, stones: usize, known: Known, nodes: u64) {
        if stones > MAX_STORED_STONES {
            return;
        }
        // Logarithm to base 8 of the nodes.
        let effort = u64::from((u64::BITS - nodes.leading_zeros()) / 3).min(7);
        let bound = |value: i32| ((value + stones as i32) / 2) as u64 & BOUND_MASK;
        let entry = hash.to_bits() << 20
            | bound(known.lower) << 13
            | bound(known.upper) << 6
            | effort << 3
            | known.best as u64;
        let start = self.bucket(hash);
        let bucket = &self.words[start..start + BUCKET];
        let (mut place, mut least) = (0, u64::MAX);
        for (index, word) in bucket.iter().enumerate() {
            let old = word.load(Relaxed);
            if old >> 20 == hash.to_bits() || old == 0 {
                place = index;
                break;
            }
            let old_effort = old >> 3 & 7;
            if old_effort < least {
                (place, least) = (index, old_effort);
            }
        }
        bucket[place].store(entry, Relaxed);
    }
}
