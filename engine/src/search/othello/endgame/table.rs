//! The transposition table: bounds of the scores of positions, exactly told apart.
//!
//! A position is its own discs and its empty squares. All positions of one question have their empty squares among those of
//! the first one, so that 32 bits name them, and an entry has room for the whole position. A question about other squares starts
//! a new epoch, which costs nothing: entries of older ones count as absent.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::machine::{AtomicWords, iter_ones};

/// Words of an entry: own discs; empty squares (32 bits), epoch (6), effort (5), best move (5), upper and lower bound.
const ENTRY_WORDS: usize = 2;
/// Words of a bucket: a cache line.
const BUCKET_WORDS: usize = 4 * ENTRY_WORDS;
/// Epochs until all entries must be cleared.
const EPOCHS: u64 = 64;
/// The most empty squares that an entry can name.
const MAX_NAMED_SQUARES: u32 = 32;
/// The table of a question about n empty squares has 2^(n + this) words at most: fewer pages to be touched in short searches.
const EXTRA_BITS: u32 = 4;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) lower: i32,
    pub(super) upper: i32,
    /// The name of the square played on in the best move.
    pub(super) best: u32,
}

/// See the module.
pub(super) struct Table {
    words: AtomicWords,
    /// Binary logarithm of the words in use.
    bits: u32,
    epoch: u64,
    /// The squares that have names, empty at first.
    named: u64,
    /// The name of each of them, from 0 on.
    names: [u8; 64],
    /// The squares by their names.
    squares: [u8; MAX_NAMED_SQUARES as usize],
}

impl Table {
    /// A table of at most `bytes`, or less if the system does not grant it; one bucket at least.
    pub(super) fn with_memory(bytes: usize) -> Self {
        let words = (bytes / 8).max(BUCKET_WORDS);
        let words = AtomicWords::zeroed_up_to(1 << words.ilog2());
        Self {
            bits: words.len().ilog2(),
            words,
            epoch: 0,
            named: 0,
            names: [0; 64],
            squares: [0; MAX_NAMED_SQUARES as usize],
        }
    }

    /// Bytes reserved.
    pub(super) fn bytes(&self) -> usize {
        8 * self.words.len()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.epoch = 0;
        self.named = 0;
    }

    /// Prepares for questions about positions whose empty squares are among these. False if they are too many to be named.
    pub(super) fn begin(&mut self, empty: u64) -> bool {
        let count = empty.count_ones();
        if count > MAX_NAMED_SQUARES {
            return false;
        }
        if self.epoch > 0 && empty & !self.named == 0 {
            return true;
        }
        self.epoch += 1;
        if self.epoch == EPOCHS {
            self.words.clear();
            self.epoch = 1;
        }
        self.named = empty;
        for (name, square) in iter_ones(empty).enumerate() {
            self.names[usize::from(square)] = name as u8;
            self.squares[name] = square;
        }
        self.bits = self.words.len().ilog2().min(count + EXTRA_BITS);
        true
    }

    /// The name of a square as a bit.
    #[inline(always)]
    pub(super) fn name_bit(&self, square: u32) -> u32 {
        1 << (self.names[square as usize & 63] & 31)
    }

    /// The names of a set of squares.
    pub(super) fn name_bits(&self, squares: u64) -> u32 {
        iter_ones(squares)
            .map(|square| self.name_bit(square.into()))
            .sum()
    }

    #[inline(always)]
    fn bucket(&self, own: u64, vacant: u32) -> &[AtomicU64] {
        let mixed = own ^ u64::from(vacant).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let start = (mixed >> (64 - self.bits)) as usize & !(BUCKET_WORDS - 1);
        &self.words[start..start + BUCKET_WORDS]
    }

    #[inline(always)]
    fn tag(&self, vacant: u32) -> u64 {
        u64::from(vacant) << 6 | self.epoch
    }

    /// What is known of the position with these own discs and these empty squares, by their names.
    #[inline(always)]
    pub(super) fn get(&self, own: u64, vacant: u32) -> Option<Entry> {
        let tag = self.tag(vacant);
        for entry in self.bucket(own, vacant).chunks_exact(ENTRY_WORDS) {
            if entry[0].load(Relaxed) == own {
                let data = entry[1].load(Relaxed);
                if data >> 26 == tag {
                    return Some(Entry {
                        lower: i32::from(data as u8 as i8),
                        upper: i32::from((data >> 8) as u8 as i8),
                        best: (data >> 16) as u32 & 31,
                    });
                }
            }
        }
        None
    }

    /// Stores what is known of a position; in a full bucket in place of the entry that took the fewest nodes.
    #[inline(always)]
    pub(super) fn put(&self, own: u64, vacant: u32, entry: Entry, nodes: u64) {
        let tag = self.tag(vacant);
        let effort = u64::from(nodes.max(1).ilog2().min(31));
        let bound = |score: i32| u64::from(score as i8 as u8);
        let data = tag << 26
            | effort << 21
            | u64::from(entry.best) << 16
            | bound(entry.upper) << 8
            | bound(entry.lower);
        let bucket = self.bucket(own, vacant);
        let (mut place, mut least) = (0, u64::MAX);
        for (index, old) in bucket.chunks_exact(ENTRY_WORDS).enumerate() {
            let old_data = old[1].load(Relaxed);
            if old_data >> 26 == tag && old[0].load(Relaxed) == own {
                place = index;
                break;
            }
            let is_current = old_data >> 26 & (EPOCHS - 1) == self.epoch;
            let worth = if is_current {
                1 + (old_data >> 21 & 31)
            } else {
                0
            };
            if worth < least {
                (place, least) = (index, worth);
            }
        }
        bucket[ENTRY_WORDS * place].store(own, Relaxed);
        bucket[ENTRY_WORDS * place + 1].store(data, Relaxed);
    }

    /// The square of the best move of an entry.
    #[inline(always)]
    pub(super) fn best_square(&self, entry: Entry) -> u32 {
        self.squares[entry.best as usize & 31].into()
    }

    /// The name of a square, as it stands in [`Entry::best`].
    #[inline(always)]
    pub(super) fn name(&self, square: u32) -> u32 {
        self.names[square as usize & 63].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_until_other_squares_are_asked_about() {
        let mut table = Table::with_memory(1 << 16);
        let entry = Entry {
            lower: -64,
            upper: 63,
            best: 1,
        };
        assert!(table.begin(0b1011));
        let vacant = table.name_bits(0b1010);
        table.put(5 << 20, vacant, entry, 100);
        assert_eq!(table.get(5 << 20, vacant), Some(entry));
        assert_eq!(table.get(5 << 20, table.name_bits(0b1011)), None);
        assert_eq!(table.best_square(entry), 1);
        assert!(table.begin(0b0011), "some of the same squares");
        assert_eq!(table.get(5 << 20, vacant), Some(entry));
        for epoch in 0..2 * EPOCHS {
            assert!(table.begin(1 << (10 + epoch % 2)));
            assert_eq!(table.get(5 << 20, vacant), None, "epoch {epoch}");
        }
        assert!(!table.begin(u64::MAX >> 31));
    }

    #[test]
    fn the_least_table_has_one_bucket() {
        let table = Table::with_memory(0);
        assert_eq!(table.bytes(), 64);
        let mut table = Table::with_memory(100);
        assert!(table.begin(1));
        assert_eq!(table.get(3, 1), None);
    }
}
