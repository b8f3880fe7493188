//! Retrograde analysis: from the mates backwards, ply by ply (Thompson, "Retrograde analysis of certain endgames", ICCA Journal
//! 9/3, 1986). Moves into other tables are looked up there.

use cozy_chess::Piece;

use super::{
    Table, TableValue,
    layout::{Layout, TablePosition},
    material::{Material, Placement},
    moves::{self, Moves},
};

/// The value of a position that is not legal.
pub(super) const ILLEGAL: u8 = u8::MAX;

/// Bytes of a builder for each entry of its table.
pub(super) const BUILDER_BYTES_PER_ENTRY: usize = 2;

/// The pending moves of a position that has a move which does not lose.
const CANNOT_LOSE: u8 = u8::MAX;

const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

/// Entries between two calls of the check for interruption.
const ENTRIES_PER_CHECK: usize = 64;
/// The same of entries that are only read or copied, which is so much cheaper.
const SCANNED_PER_CHECK: usize = 32 * 1024;

/// What is known of a position: its value, once there is one, and how many moves within the table have not been refuted.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// As in a [`Table`]. A win may still become quicker, until its ply is reached.
    value: u8,
    pending: u8,
}

/// A table in the making. It can be interrupted at any time and goes on where it stopped.
#[derive(Debug)]
pub struct Builder {
    material: Material,
    layout: Layout,
    /// Those that are counted.
    entries: Vec<Entry>,
    /// The table, as far as it is copied.
    values: Vec<u8>,
    phase: Phase,
    /// The next entry of a [`Phase::Value`].
    cursor: usize,
    /// The greatest value given to an entry.
    greatest: u8,
    /// Entries worked on.
    nodes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Legality, mates and moves of each position are found.
    Count,
    /// What follows from positions of this value is entered.
    Value(u8),
    /// The values are copied into a table.
    Copy,
    Done,
}

/// The moves of a position that lead into other tables.
#[derive(Clone, Copy, Debug, Default)]
struct Conversions {
    count: u32,
    /// The quickest win of the mover.
    win: Option<u8>,
    /// The slowest loss of the mover.
    loss: u8,
    has_draw: bool,
}

impl Builder {
    /// The builder of a table; none if there is no memory for it.
    pub fn new(material: Material) -> Option<Self> {
        let layout = Layout::new(material);
        // The system grants pages as they are written, so that this takes no time.
        let mut entries = Vec::new();
        entries.try_reserve_exact(layout.entries()).ok()?;
        let mut values = Vec::new();
        values.try_reserve_exact(layout.entries()).ok()?;
        Some(Self {
            material,
            layout,
            entries,
            values,
            phase: Phase::Count,
            cursor: 0,
            greatest: 0,
            nodes: 0,
        })
    }

    /// What the table is for.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Entries worked on so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Works until the table is done, or `is_exhausted` says to stop; whether it is done. `lookup` has the values of positions
    /// of other tables.
    pub fn run(
        &mut self,
        lookup: &dyn Fn(Placement) -> TableValue,
        is_exhausted: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        while self.phase != Phase::Done {
            if is_exhausted(self.nodes) {
                return false;
            }
            match self.phase {
                Phase::Count => self.count_next(lookup),
                Phase::Value(value) => self.scan(value, lookup),
                Phase::Copy => self.copy_next(),
                Phase::Done => {}
            }
        }
        true
    }

    /// The finished table.
    pub fn finish(self) -> Option<Table> {
        debug_assert_eq!(self.phase, Phase::Done);
        Table::new(self.material, self.values)
    }

    /// The phase after that of a value.
    fn phase_after(&self, value: u8) -> Phase {
        if value < self.greatest {
            Phase::Value(value + 1)
        } else {
            Phase::Copy
        }
    }

    /// Counts the next entries.
    fn count_next(&mut self, lookup: &dyn Fn(Placement) -> TableValue) {
        let start = self.entries.len();
        let end = (start + ENTRIES_PER_CHECK).min(self.layout.entries());
        for index in start..end {
            let entry = self.count(index, lookup);
            if entry.value != ILLEGAL {
                self.greatest = self.greatest.max(entry.value);
            }
            self.entries.push(entry);
        }
        self.nodes += (end - start) as u64;
        if end == self.layout.entries() {
            self.phase = self.phase_after(0);
        }
    }

    /// Copies the next values into the table.
    fn copy_next(&mut self) {
        let start = self.values.len();
        let end = (start + SCANNED_PER_CHECK).min(self.entries.len());
        let values = self.entries[start..end].iter().map(|entry| entry.value);
        self.values.extend(values);
        if end == self.entries.len() {
            self.phase = Phase::Done;
        }
    }

    /// What a position shows by itself and in other tables.
    fn count(&self, index: usize, lookup: &dyn Fn(Placement) -> TableValue) -> Entry {
        let valued = |value| Entry { value, pending: 0 };
        let position = self.layout.position(index);
        let Some(moves) = Moves::new(&self.layout, &position) else {
            return valued(ILLEGAL);
        };
        let quiet: u32 = moves
            .own_slots()
            .map(|slot| moves.quiet_targets(slot).count_ones())
            .sum();
        let is_check = moves.is_check();
        let conversions = conversions(&self.layout, &position, &moves, lookup);
        if let Some(win) = conversions.win {
            return valued(win);
        }
        let cannot_lose = conversions.has_draw || quiet == 0 && conversions.count == 0 && !is_check;
        if cannot_lose {
            return Entry {
                value: 0,
                pending: CANNOT_LOSE,
            };
        }
        if quiet == 0 {
            return valued(conversions.loss.max(TableValue::MATED.code()));
        }
        Entry {
            value: 0,
            // Four men have at most 62 moves.
            pending: quiet as u8,
        }
    }

    /// Enters what follows from the positions of this value among the next entries.
    fn scan(&mut self, value: u8, lookup: &dyn Fn(Placement) -> TableValue) {
        let end = (self.cursor + SCANNED_PER_CHECK).min(self.entries.len());
        let mut found = 0;
        let mut index = self.cursor;
        while index < end && found < ENTRIES_PER_CHECK {
            if self.entries[index].value == value {
                self.propagate(index, value, lookup);
                found += 1;
            }
            index += 1;
        }
        self.nodes += found as u64;
        self.cursor = index;
        if index == self.entries.len() {
            self.cursor = 0;
            self.phase = self.phase_after(value);
        }
    }

    /// Enters what follows for the predecessors of a position of this value.
    fn propagate(&mut self, index: usize, value: u8, lookup: &dyn Fn(Placement) -> TableValue) {
        let Self {
            layout,
            entries,
            greatest,
            ..
        } = self;
        let position = layout.position(index);
        let next = value + 1;
        let is_loss = TableValue::from_code(value).is_loss();
        moves::for_each_predecessor(layout, &position, |before| {
            let entry = &mut entries[layout.index(before)];
            if is_loss {
                if entry.value == 0 || entry.value > next && entry.value != ILLEGAL {
                    entry.value = next;
                    *greatest = (*greatest).max(next);
                }
            } else if entry.value == 0 && entry.pending != CANNOT_LOSE {
                entry.pending -= 1;
                if entry.pending == 0 {
                    entry.value = next.max(slowest_conversion(layout, before, lookup));
                    *greatest = (*greatest).max(entry.value);
                }
            }
        });
    }
}

/// The slowest loss that a position has in other tables; 0 if it has none.
#[cold]
fn slowest_conversion(
    layout: &Layout,
    position: &TablePosition,
    lookup: &dyn Fn(Placement) -> TableValue,
) -> u8 {
    Moves::new(layout, position).map_or(0, |moves| {
        conversions(layout, position, &moves, lookup).loss
    })
}

/// Looks up the captures and promotions of a position.
fn conversions(
    layout: &Layout,
    position: &TablePosition,
    moves: &Moves<'_>,
    lookup: &dyn Fn(Placement) -> TableValue,
) -> Conversions {
    let mut found = Conversions::default();
    for slot in moves.own_slots() {
        for to in moves::squares(moves.converting_targets(slot)) {
            let captured = moves.slot_on(to);
            let is_pawn = slot >= 2 && layout.extra(slot).1 == Piece::Pawn;
            let promotes = is_pawn && matches!(to >> 3, 0 | 7);
            let pieces: &[Option<Piece>] = if promotes {
                &PROMOTIONS.map(Some)
            } else {
                &[None]
            };
            for &promotion in pieces {
                found.add(lookup(after(
                    layout, position, slot, to, captured, promotion,
                )));
            }
        }
    }
    if position.en_passant {
        let (own, other) = match position.to_move {
            cozy_chess::Color::White => (2, 3),
            cozy_chess::Color::Black => (3, 2),
        };
        let to = moves::en_passant_target(position);
        found.add(lookup(after(layout, position, own, to, Some(other), None)));
    }
    found
}

impl Conversions {
    /// Takes up a move to a position of this value.
    fn add(&mut self, value: TableValue) {
        self.count += 1;
        match value.before() {
            None => self.has_draw = true,
            Some(value) if value.is_loss() => self.loss = self.loss.max(value.code()),
            Some(value) => {
                let win = value.code();
                self.win = Some(self.win.map_or(win, |known| known.min(win)));
            }
        }
    }
}

/// The men after a capture or promotion.
fn after(
    layout: &Layout,
    position: &TablePosition,
    slot: usize,
    to: u8,
    captured: Option<usize>,
    promotion: Option<Piece>,
) -> Placement {
    let mut squares = position.squares;
    squares[slot] = to;
    let mut after = Placement::kings(squares[0], squares[1], !position.to_move);
    for (other, &square) in squares.iter().enumerate().take(layout.men()).skip(2) {
        if captured == Some(other) {
            continue;
        }
        let (color, piece) = layout.extra(other);
        let piece = promotion.filter(|_| other == slot).unwrap_or(piece);
        after.push(color, piece, square);
    }
    after
}
