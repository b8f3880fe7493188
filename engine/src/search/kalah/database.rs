//! The endgame database: the values of all positions with few stones, one byte each.
//!
//! A layer has the positions with one number of stones in the pits. Within it the positions in which the mover has `a` stones and
//! the other side `b` are a class: a matrix with a row for each arrangement of the other side and a column for each of the
//! mover's. A class begins at a word, so that threads that fill different classes never write to the same word.

use std::{io, sync::atomic::Ordering::Relaxed};

use super::layout::{Board, Layout, choose, stones_of};
use crate::machine::AtomicWords;

/// Positions of a word.
const PER_WORD: usize = 8;

/// The values of the positions with up to [`Self::stones`] stones.
pub(super) struct Database {
    layers: Vec<Layer>,
}

/// The positions with one number of stones.
pub(super) struct Layer {
    words: AtomicWords,
    /// For each number of stones of the mover, the place of the first position, and the columns.
    classes: Vec<Class>,
}

#[derive(Clone, Copy)]
pub(super) struct Class {
    pub(super) start: usize,
    pub(super) columns: usize,
}

impl Layer {
    /// A layer whose values are all 0, if the system grants the memory.
    pub(super) fn zeroed(layout: &Layout, stones: usize) -> io::Result<Self> {
        let mut start = 0;
        let classes = (0..=stones).map(|own| {
            let class = Class {
                start,
                columns: layout.sides(own),
            };
            let positions = class.columns * layout.sides(stones - own);
            start += positions.next_multiple_of(PER_WORD);
            class
        });
        let classes = classes.collect();
        Ok(Self {
            words: AtomicWords::zeroed(start / PER_WORD)?,
            classes,
        })
    }

    /// The class in which the mover has `own` stones.
    #[inline(always)]
    pub(super) fn class(&self, own: usize) -> Class {
        self.classes[own]
    }

    /// The value at a place.
    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> i32 {
        let word = self.words[place / PER_WORD].load(Relaxed);
        i32::from((word >> (8 * (place % PER_WORD))) as i8)
    }

    /// Sets the value at a place. No other thread may write to the class meanwhile.
    #[inline(always)]
    pub(super) fn set(&self, place: usize, value: i32) {
        let word = &self.words[place / PER_WORD];
        let shift = 8 * (place % PER_WORD);
        let rest = word.load(Relaxed) & !(0xff << shift);
        word.store(rest | u64::from(value as u8) << shift, Relaxed);
    }
}

impl Database {
    /// No layer but that of the empty board.
    pub(super) fn new() -> Self {
        Self { layers: Vec::new() }
    }

    /// Layers that are there; positions with fewer stones are known.
    #[inline(always)]
    pub(super) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    pub(super) fn push(&mut self, layer: Layer) {
        self.layers.push(layer);
    }

    /// The value of a position with so many stones, fewer than there are layers.
    #[inline(always)]
    pub(super) fn get(&self, layout: &Layout, board: Board, stones: usize) -> i32 {
        let layer = &self.layers[stones];
        let class = layer.class(stones_of(board.own).min(stones));
        layer.get(
            class.start
                + layout.side_number(board.other) * class.columns
                + layout.side_number(board.own),
        )
    }
}

/// Bytes of a layer, and a few more.
pub(super) fn layer_bytes(layout: &Layout, stones: usize) -> usize {
    layer_positions(layout, stones) as usize + (stones + 1) * (PER_WORD + size_of::<Class>())
}

/// Positions of a layer.
pub(super) fn layer_positions(layout: &Layout, stones: usize) -> u64 {
    choose(stones + 2 * layout.pits - 1, 2 * layout.pits - 1)
}
