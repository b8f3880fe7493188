//! Fills layers of the database, class by class.
//!
//! A move that brings nothing into the store only moves stones of the mover to the right, so the value of a position in which the
//! sides have `a` and `b` stones needs, of its own layer, only positions in which they have `b` and `a`. Each such pair of
//! classes is a task for a thread. Within it the sides with `a` stones are taken in the order of their level, the sum of the
//! stones' distances from the left: a quiet move leads to a higher level, so all positions of a level are independent. With the
//! mover's side fixed, each move is one loop over the sides of the opponent, whose numbers after the sowing come from a table.

use std::{
    io,
    ops::Range,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

use super::{
    database::{Class, Database, Layer},
    layout::{Board, Layout, MAX_PITS, stones_in},
};

/// The sides with one number of stones.
struct Sides {
    /// By number.
    sides: Vec<u64>,
    /// The numbers, the highest level first.
    by_level: Vec<u32>,
    /// The levels as ranges of `by_level`.
    levels: Vec<Range<usize>>,
}

/// What becomes of each side with one number of stones in its opponent's moves.
struct Replies {
    /// For each number of pits that get a stone, less one: the number of the side after that.
    sown: Vec<Vec<u32>>,
    /// For each pit: the number of the side without its stones, and how many they are.
    cleared: Vec<Vec<(u32, u32)>>,
}

/// Sides of all numbers of stones up to that of the last layer.
pub(super) struct Builder {
    sides: Vec<Sides>,
}

impl Sides {
    fn new(layout: &Layout, stones: usize) -> Self {
        let mut sides = vec![0; layout.sides(stones)];
        list_sides(layout, stones, 0, 0, &mut sides);
        let mut levels = vec![Vec::new(); (layout.pits - 1) * stones + 1];
        for (number, &side) in (0..).zip(&sides) {
            let level: usize = (0..layout.pits).map(|pit| pit * stones_in(side, pit)).sum();
            levels[level].push(number);
        }
        levels.reverse();
        let by_level: Vec<u32> = levels.concat();
        let mut end = 0;
        let levels = (levels.iter())
            .map(|level| {
                end += level.len();
                end - level.len()..end
            })
            .collect();
        Self {
            sides,
            by_level,
            levels,
        }
    }
}

/// Enters all sides that continue `side` from `pit` on with so many stones.
fn list_sides(layout: &Layout, stones: usize, pit: usize, side: u64, sides: &mut [u64]) {
    if pit + 1 == layout.pits {
        let side = side | (stones as u64) << (8 * pit);
        sides[layout.side_number(side)] = side;
        return;
    }
    for here in 0..=stones {
        list_sides(
            layout,
            stones - here,
            pit + 1,
            side | (here as u64) << (8 * pit),
            sides,
        );
    }
}

impl Replies {
    /// None if `must_halt` says so; it is asked after each list.
    fn new(layout: &Layout, sides: &[u64], must_halt: &mut dyn FnMut() -> bool) -> Option<Self> {
        let mut replies = Self {
            sown: Vec::new(),
            cleared: Vec::new(),
        };
        let mut stones = 0;
        for pit in 0..layout.pits {
            stones |= 1 << (8 * pit);
            let sown = |side: &u64| layout.side_number(side + stones) as u32;
            replies.sown.push(sides.iter().map(sown).collect());
            if must_halt() {
                return None;
            }
            let cleared = |side: &u64| {
                let without = side & !(0xff << (8 * pit));
                let number = layout.side_number(without);
                (number as u32, stones_in(*side, pit) as u32)
            };
            replies.cleared.push(sides.iter().map(cleared).collect());
            if must_halt() {
                return None;
            }
        }
        Some(replies)
    }
}

/// Bytes that building a layer takes beside the layer.
pub(super) fn working_bytes(layout: &Layout, stones: usize, threads: usize) -> usize {
    let sides: usize = (0..=stones).map(|stones| layout.sides(stones)).sum();
    let per_side = size_of::<u64>() + 2 * size_of::<u32>();
    // Two lists of replies, and a buffer, for each thread.
    let per_thread = 2 * 12 * MAX_PITS + 16;
    sides * per_side + threads * layout.sides(stones) * per_thread
}

impl Builder {
    pub(super) fn new() -> Self {
        Self { sides: Vec::new() }
    }

    /// An empty layer of positions with so many stones, and the lists that filling it takes.
    pub(super) fn prepare(&mut self, layout: &Layout, stones: usize) -> io::Result<Layer> {
        while self.sides.len() <= stones {
            self.sides.push(Sides::new(layout, self.sides.len()));
        }
        Layer::zeroed(layout, stones)
    }

    /// Gives back the lists of sides.
    pub(super) fn clear(&mut self) {
        self.sides = Vec::new();
    }
}

/// A layer that several threads fill.
pub(super) struct LayerBuild<'a> {
    pub(super) layout: &'a Layout,
    pub(super) builder: &'a Builder,
    pub(super) database: &'a Database,
    pub(super) layer: &'a Layer,
    pub(super) stones: usize,
    next_task: AtomicUsize,
    is_halted: AtomicBool,
}

impl<'a> LayerBuild<'a> {
    pub(super) fn new(
        layout: &'a Layout,
        builder: &'a Builder,
        database: &'a Database,
        layer: &'a Layer,
    ) -> Self {
        Self {
            layout,
            builder,
            database,
            layer,
            stones: database.layers().len(),
            next_task: 0.into(),
            is_halted: false.into(),
        }
    }

    pub(super) fn is_halted(&self) -> bool {
        self.is_halted.load(Relaxed)
    }

    /// Takes tasks as long as there are any, the largest first.
    pub(super) fn work(&self, is_exhausted: &mut dyn FnMut() -> bool) {
        loop {
            let task = self.next_task.fetch_add(1, Relaxed);
            if task > self.stones / 2 {
                return;
            }
            self.fill_pair(self.stones / 2 - task, is_exhausted);
            if self.is_halted() {
                return;
            }
        }
    }

    /// True if the layer will not be finished.
    fn must_halt(&self, is_exhausted: &mut dyn FnMut() -> bool) -> bool {
        if is_exhausted() {
            self.is_halted.store(true, Relaxed);
        }
        self.is_halted()
    }

    /// Fills the two classes in which one side has `few` stones, at most half.
    fn fill_pair(&self, few: usize, is_exhausted: &mut dyn FnMut() -> bool) {
        let many = self.stones - few;
        if few == 0 {
            // The game is over, and the stones are their owner's.
            for (own, value) in [
                (0, -(self.stones as i32)),
                (self.stones, self.stones as i32),
            ] {
                let class = self.layer.class(own);
                for index in 0..self.layout.sides(self.stones) {
                    self.layer.set(class.start + index, value);
                }
            }
            return;
        }
        let sides = &self.builder.sides;
        let few_sides = &sides[few];
        let many_sides = &sides[many];
        let mut must_halt = || self.must_halt(is_exhausted);
        let replies = |sides: &Sides, must_halt: &mut dyn FnMut() -> bool| {
            Replies::new(self.layout, &sides.sides, must_halt)
        };
        let Some(few_replies) = replies(few_sides, &mut must_halt) else {
            return;
        };
        let mut own_replies = None;
        if few != many {
            own_replies = replies(many_sides, &mut must_halt);
            if own_replies.is_none() {
                return;
            }
        }
        let many_replies = own_replies.as_ref().unwrap_or(&few_replies);
        let mut buffer = Vec::new();
        for level in &few_sides.levels {
            // A class that is its own counterpart has the lower levels done already, seen from the other side.
            let (from, after) = if few == many {
                (level.start, level.end)
            } else {
                (0, 0)
            };
            let of_level = &few_sides.by_level[level.clone()];
            for &number in of_level {
                if must_halt() {
                    return;
                }
                let others = &many_sides.by_level[from..];
                self.fill_column(few, number, others, many_replies, &mut buffer);
            }
            for (count, &number) in many_sides.by_level[after..].iter().enumerate() {
                if count % 64 == 0 && must_halt() {
                    return;
                }
                self.fill_column(many, number, of_level, &few_replies, &mut buffer);
            }
        }
    }

    /// The values of the positions in which the mover has the side of this number among those with `own` stones, and the
    /// opponent one of `others`.
    fn fill_column(
        &self,
        own: usize,
        number: u32,
        others: &[u32],
        replies: &Replies,
        buffer: &mut Vec<i32>,
    ) {
        let side = self.builder.sides[own].sides[number as usize];
        buffer.clear();
        buffer.resize(others.len(), i32::MIN);
        for pit in 0..self.layout.pits {
            if stones_in(side, pit) != 0 {
                self.raise_to_move(own, side, pit, others, replies, buffer);
            }
        }
        let class = self.layer.class(own);
        let start = class.start + number as usize;
        for (&other, &value) in others.iter().zip(buffer.iter()) {
            self.layer
                .set(start + other as usize * class.columns, value);
        }
    }

    fn layer(&self, stones: usize) -> &Layer {
        self.database.layers().get(stones).unwrap_or(self.layer)
    }

    /// Raises the values in `buffer` to that of a move.
    fn raise_to_move(
        &self,
        own: usize,
        side: u64,
        pit: usize,
        others: &[u32],
        replies: &Replies,
        buffer: &mut [i32],
    ) {
        let layout = self.layout;
        let (pits, stones) = (layout.pits, self.stones);
        let sown = stones_in(side, pit);
        let end = pit + sown;
        if end >= layout.lap() {
            return self.raise_to_long_move(own, side, pit, others, buffer);
        }
        // The opponent's stones do not matter for what becomes of the mover's.
        let step = layout.step(
            Board {
                own: side,
                other: 0,
            },
            pit,
        );
        let other_stones = stones - own;
        if end > pits {
            let after = step.board.other;
            let passed = end - pits;
            let layer = self.layer(stones - 1);
            let Class { start, columns } = layer.class(other_stones + passed);
            let row = start + layout.side_number(after) * columns;
            let numbers = &replies.sown[passed - 1];
            for (value, &other) in buffer.iter_mut().zip(others) {
                let reply = layer.get(row + numbers[other as usize] as usize);
                *value = (*value).max(1 - reply);
            }
        } else if end == pits {
            let layer = self.layer(stones - 1);
            let Class { start, columns } = layer.class(own - 1);
            let column = start + layout.side_number(step.board.own);
            for (value, &other) in buffer.iter_mut().zip(others) {
                let next = layer.get(column + other as usize * columns);
                *value = (*value).max(1 + next);
            }
        } else if stones_in(side, end) == 0 {
            let quiet = sow_quietly(side, pit, sown);
            let taken = quiet - (1 << (8 * end));
            self.raise_to_capture(own, [quiet, taken], pits - 1 - end, others, replies, buffer);
        } else {
            let layer = self.layer;
            let Class { start, columns } = layer.class(other_stones);
            let row = start + layout.side_number(step.board.other) * columns;
            for (value, &other) in buffer.iter_mut().zip(others) {
                let reply = layer.get(row + other as usize);
                *value = (*value).max(-reply);
            }
        }
    }

    /// A move that ends in an empty pit: the mover's side if nothing is taken, and if something is, and the pit it is taken from.
    fn raise_to_capture(
        &self,
        own: usize,
        [quiet, taken]: [u64; 2],
        from: usize,
        others: &[u32],
        replies: &Replies,
        buffer: &mut [i32],
    ) {
        let layout = self.layout;
        let other_stones = self.stones - own;
        // By the stones that are taken: the row after the move, and what it brings.
        let mut rows = [(self.layer, 0, 0); super::layout::MAX_STONES + 1];
        for (captured, row) in rows.iter_mut().enumerate().take(other_stones + 1) {
            let takes = captured > 0 || layout.empty_capture;
            let (side, gain) = if takes {
                (taken, captured + 1)
            } else {
                (quiet, 0)
            };
            let layer = self.layer(self.stones - gain);
            let Class { start, columns } = layer.class(other_stones - captured);
            *row = (
                layer,
                start + layout.side_number(side) * columns,
                gain as i32,
            );
        }
        let numbers = &replies.cleared[from];
        for (value, &other) in buffer.iter_mut().zip(others) {
            let (number, captured) = numbers[other as usize];
            let (layer, row, gain) = rows[captured as usize];
            *value = (*value).max(gain - layer.get(row + number as usize));
        }
    }

    /// A move that goes around the board.
    fn raise_to_long_move(
        &self,
        own: usize,
        side: u64,
        pit: usize,
        others: &[u32],
        buffer: &mut [i32],
    ) {
        let sides = &self.builder.sides[self.stones - own].sides;
        for (value, &other) in buffer.iter_mut().zip(others) {
            let board = Board {
                own: side,
                other: sides[other as usize],
            };
            let step = self.layout.step(board, pit);
            let left = self.stones - step.gain as usize;
            // It passes the store, so the position after it is of a lower layer.
            let after = self.database.get(self.layout, step.board, left);
            *value = (*value).max(step.value(after));
        }
    }
}

/// A side after a sowing that ends on it.
fn sow_quietly(side: u64, pit: usize, stones: usize) -> u64 {
    (1..=stones).fold(side - ((stones as u64) << (8 * pit)), |side, step| {
        side + (1 << (8 * (pit + step)))
    })
}
