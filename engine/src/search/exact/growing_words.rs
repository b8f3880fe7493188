//! The memory of the solvers' tables: small at first, so that small questions are answered in the processor's cache.

use std::sync::atomic::Ordering;

use crate::machine::AtomicWords;

/// Words in buckets of `BUCKET_WORDS`. They grow by doubling up to a few megabytes, then to their full size at once, whose pages
/// the system commits only as they are written: so growing, which moves all entries, never takes more than a few milliseconds.
#[derive(Debug)]
pub(in crate::search) struct GrowingWords<const BUCKET_WORDS: usize> {
    words: AtomicWords,
    /// Up to here the size is doubled.
    doubling_limit: usize,
    max_words: usize,
}

const MIN_WORDS: usize = 1 << 9;
const START_WORDS: usize = 1 << 15;
const MAX_DOUBLING_LIMIT: usize = 1 << 19;

impl<const BUCKET_WORDS: usize> GrowingWords<BUCKET_WORDS> {
    /// Memory that takes at most `bytes`, also while it grows, or 4 KB if that is more.
    pub(in crate::search) fn new(bytes: usize) -> Self {
        let limit = (bytes / 8).max(MIN_WORDS);
        let doubling_limit = (limit / 3).min(MAX_DOUBLING_LIMIT);
        let max_words = (limit - doubling_limit) / BUCKET_WORDS * BUCKET_WORDS;
        Self {
            words: AtomicWords::zeroed_up_to(START_WORDS.min(max_words)),
            doubling_limit,
            max_words,
        }
    }

    /// Returns to the first size, empty.
    pub(in crate::search) fn clear(&mut self) {
        self.words = AtomicWords::zeroed_up_to(START_WORDS.min(self.max_words));
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

    /// Takes the next size, empty, and returns the old words; none if there is no larger one, or no memory for it.
    #[cold]
    pub(in crate::search) fn grow(&mut self) -> Option<AtomicWords> {
        let doubled = self.words.len() * 2;
        let len = if doubled <= self.doubling_limit {
            doubled
        } else {
            self.max_words
        };
        if len <= self.words.len() {
            return None;
        }
        match AtomicWords::zeroed(len) {
            Ok(words) => Some(std::mem::replace(&mut self.words, words)),
            Err(_) => {
                self.max_words = self.words.len();
                None
            }
        }
    }

    /// Whether there is a larger size.
    #[inline(always)]
    pub(in crate::search) fn can_grow(&self) -> bool {
        self.words.len() < self.max_words
    }

    pub(in crate::search) fn len(&self) -> usize {
        self.words.len()
    }

    pub(in crate::search) fn bytes(&self) -> usize {
        self.words.len() * 8
    }
}
