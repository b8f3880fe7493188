//! The memory of a search: one flat run of words, never more than the limit says, touched only as far as it is used.

use std::{
    io,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
};

use crate::machine::AtomicWords;

/// Words handed out from the front. Shared between threads: every word is atomic, every access relaxed unless said.
#[derive(Debug)]
pub(super) struct Arena {
    words: AtomicWords,
    used: AtomicUsize,
    /// Words that were asked for and not given.
    missing_words: usize,
}

/// Words set aside for one thread.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    next: usize,
    end: usize,
    /// How many words are set aside at a time; 0 for no more than are asked for.
    chunk_words: usize,
}

impl Chunk {
    /// For a thread that works beside others.
    pub(super) fn for_parallel_worker() -> Self {
        // A multiple of 3, 4 and 5, the sizes of a tree's nodes and a graph's slots: they stay at multiples of their size.
        Self {
            chunk_words: 60 * 68,
            ..Self::default()
        }
    }
}

impl Arena {
    /// Room for so many words, or as many as there is memory for. The system hands it out only when a word is first written.
    pub(super) fn new(words: usize) -> Self {
        let given = AtomicWords::zeroed_up_to(words);
        Self {
            missing_words: words.saturating_sub(given.len()),
            words: given,
            used: AtomicUsize::new(0),
        }
    }

    /// Words that were asked for and not given.
    pub(super) fn missing_words(&self) -> usize {
        self.missing_words
    }

    /// The words handed out so far, in memory of their own; an error if there is not so much.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        let words = AtomicWords::zeroed(self.used())?;
        for (new, old) in words.iter().zip(self.words.iter()).take(self.used()) {
            new.store(old.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        Ok(Self {
            words,
            used: AtomicUsize::new(self.used()),
            missing_words: 0,
        })
    }

    /// `count` words whose contents are old; none when there is no room. A thread that works beside others takes them from
    /// a plot of its own, so that they seldom meet.
    #[inline(always)]
    pub(super) fn allocate(&self, count: usize, chunk: &mut Chunk) -> Option<usize> {
        if chunk.end - chunk.next < count {
            // The rest of the old plot is lost; it is smaller than what was asked for.
            let size = count.max(chunk.chunk_words);
            let start = self.bump(size).map(|start| (start, size));
            let (start, size) = start.or_else(|| self.bump(count).map(|start| (start, count)))?;
            (chunk.next, chunk.end) = (start, start + size);
        }
        let start = chunk.next;
        chunk.next += count;
        Some(start)
    }

    fn bump(&self, count: usize) -> Option<usize> {
        let mut start = self.used.load(Ordering::Relaxed);
        loop {
            let end = start + count;
            if end > self.words.len() {
                return None;
            }
            match self
                .used
                .compare_exchange_weak(start, end, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Some(start),
                Err(now) => start = now,
            }
        }
    }

    /// The words handed out so far.
    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Takes back all words from `end` on.
    pub(super) fn truncate(&mut self, end: usize) {
        *self.used.get_mut() = end;
    }

    #[inline(always)]
    pub(super) fn word(&self, index: usize) -> &AtomicU64 {
        &self.words[index]
    }

    #[inline(always)]
    pub(super) fn slice(&self, start: usize, count: usize) -> &[AtomicU64] {
        &self.words[start..start + count]
    }

    /// All words.
    #[inline(always)]
    pub(super) fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> u64 {
        self.words[index].load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn set(&self, index: usize, value: u64) {
        self.words[index].store(value, Ordering::Relaxed);
    }

    /// Copies words towards the front; the two places may overlap.
    pub(super) fn copy_down(&mut self, from: usize, to: usize, count: usize) {
        debug_assert!(to <= from);
        for offset in 0..count {
            self.set(to + offset, self.get(from + offset));
        }
    }
}

/// Adds to a word, as one step if other threads may do so too; what it is then.
#[inline(always)]
pub(super) fn add(word: &AtomicU64, value: u64, parallel: bool) -> u64 {
    if parallel {
        return word.fetch_add(value, Ordering::Relaxed).wrapping_add(value);
    }
    let sum = word.load(Ordering::Relaxed).wrapping_add(value);
    word.store(sum, Ordering::Relaxed);
    sum
}
