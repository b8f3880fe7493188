//! The memory of the solvers' tables: small at first, so that small questions are answered in the processor's cache.

use std::sync::atomic::Ordering;

use crate::machine::AtomicWords;

/// Words in buckets of `BUCKET_WORDS`, for entries of `ENTRY_WORDS`. They double up to a few megabytes, then take their full size at once, whose pages the system
/// commits as they are touched. Entries are moved only if that is at most [`MAX_MOVE_FACTOR`] times the old size, so that growing
/// takes a few milliseconds at most.
#[derive(Debug)]
pub(in crate::search) struct GrowingWords<const BUCKET_WORDS: usize, const ENTRY_WORDS: usize> {
    words: AtomicWords,
    used_entries: usize,
    /// Up to here the size is doubled.
    doubling_limit: usize,
    max_words: usize,
}

const MAX_MOVE_FACTOR: usize = 4;
const MIN_WORDS: usize = 1 << 9;
const START_WORDS: usize = 1 << 15;
const MAX_DOUBLING_LIMIT: usize = 1 << 20;

impl<const BUCKET_WORDS: usize, const ENTRY_WORDS: usize> GrowingWords<BUCKET_WORDS, ENTRY_WORDS> {
    /// Memory that takes at most `bytes`, also while it grows, or 4 KB if that is more.
    pub(in crate::search) fn new(bytes: usize) -> Self {
        let limit = (bytes / 8).max(MIN_WORDS);
        let doubling_limit = (limit / 3).min(MAX_DOUBLING_LIMIT);
        let max_words = (limit - doubling_limit) / BUCKET_WORDS * BUCKET_WORDS;
        Self {
            words: AtomicWords::zeroed_up_to(START_WORDS.min(max_words)),
            used_entries: 0,
            doubling_limit,
            max_words,
        }
    }

    /// Returns to the first size, empty.
    pub(in crate::search) fn clear(&mut self) {
        self.words = AtomicWords::zeroed_up_to(START_WORDS.min(self.max_words));
        self.used_entries = 0;
    }

    /// The first word of the bucket of a hash, whose upper half decides.
    #[inline(always)]
    pub(in crate::search) fn bucket_of(&self, hash: u64) -> usize {
        let buckets = (self.words.len() / BUCKET_WORDS) as u64;
        let upper = hash >> 32;
        ((upper * buckets) >> 32) as usize * BUCKET_WORDS
    }

    #[inline(always)]
    pub(in crate::search) fn load(&self, index: usize) -> u64 {
        self.words[index].load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(in crate::search) fn store(&mut self, index: usize, word: u64) {
        self.words[index].store(word, Ordering::Relaxed);
    }

    /// Counts an entry if it took an empty place.
    #[inline(always)]
    pub(in crate::search) fn count_entry(&mut self, is_new: bool) {
        self.used_entries += usize::from(is_new);
    }

    /// Whether more than half of the places are taken, and there is a larger size.
    #[inline(always)]
    pub(in crate::search) fn should_grow(&self) -> bool {
        self.used_entries > self.words.len() / (2 * ENTRY_WORDS)
            && self.words.len() < self.max_words
    }

    /// Takes the next size, if the system has the memory, and returns the old words if the owner must insert their entries again;
    /// else they are gone.
    #[cold]
    pub(in crate::search) fn grow(&mut self) -> Option<AtomicWords> {
        let doubled = self.words.len() * 2;
        let len = if doubled <= self.doubling_limit {
            doubled
        } else {
            self.max_words
        };
        match AtomicWords::zeroed(len) {
            Ok(words) => {
                let old = std::mem::replace(&mut self.words, words.without_huge_pages());
                self.used_entries = 0;
                (len <= old.len() * MAX_MOVE_FACTOR).then_some(old)
            }
            Err(_) => {
                self.max_words = self.words.len();
                None
            }
        }
    }

    pub(in crate::search) fn bytes(&self) -> usize {
        self.words.len() * 8
    }
}
