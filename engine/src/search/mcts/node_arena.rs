//! The memory of a node store: an arena of words with a fixed capacity, committed by the system as it is used.

use std::{
    io,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
};

use crate::machine::AtomicWords;

/// A bump allocator of words, shared between threads. Every word is atomic; accesses are relaxed unless stated otherwise.
#[derive(Debug)]
pub(super) struct Arena {
    words: AtomicWords,
    used: AtomicUsize,
    /// Words that were requested and that the system refused.
    missing_words: usize,
}

/// Words reserved for one thread, so that threads seldom contend for the arena.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    next: usize,
    end: usize,
    /// Number of words reserved at a time; 0 to reserve only what is requested.
    chunk_words: usize,
}

impl Chunk {
    /// A chunk for one of several threads.
    pub(super) fn for_parallel_worker() -> Self {
        // A multiple of 3, 4, 5 and 6, the sizes of nodes and slots in words: offsets stay multiples of the size.
        Self {
            chunk_words: 60 * 68,
            ..Self::default()
        }
    }
}

impl Arena {
    /// An arena of `words` words, or of as many as the system grants. Pages are committed when first written.
    pub(super) fn new(words: usize) -> Self {
        let given = AtomicWords::zeroed_up_to(words);
        Self {
            missing_words: words.saturating_sub(given.len()),
            words: given,
            used: AtomicUsize::new(0),
        }
    }

    /// Words that were requested and that the system refused.
    pub(super) fn missing_words(&self) -> usize {
        self.missing_words
    }

    /// A copy of the allocated words; an error if there is not enough memory.
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

    /// Allocates `count` words, uninitialised, and returns the offset of the first; `None` if the arena is full.
    #[inline(always)]
    pub(super) fn allocate(&self, count: usize, chunk: &mut Chunk) -> Option<usize> {
        if chunk.end - chunk.next < count {
            // The rest of the old chunk, less than `count` words, is lost.
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

    /// Number of allocated words.
    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Frees all words from `end` on.
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

    /// Copies words towards the front; the ranges may overlap.
    pub(super) fn copy_down(&mut self, from: usize, to: usize, count: usize) {
        debug_assert!(to <= from);
        for offset in 0..count {
            self.set(to + offset, self.get(from + offset));
        }
    }
}

/// Adds to a word, atomically if `parallel`; returns the new value.
#[inline(always)]
pub(super) fn add(word: &AtomicU64, value: u64, parallel: bool) -> u64 {
    if parallel {
        return word.fetch_add(value, Ordering::Relaxed).wrapping_add(value);
    }
    let sum = word.load(Ordering::Relaxed).wrapping_add(value);
    word.store(sum, Ordering::Relaxed);
    sum
}
