//! Connect four on 7 columns by 6 rows: discs fall, four in line win, a full board is a draw.
//!
//! ```text
//!  .  .  .  .  .  .  .       a spare row that stays empty, so that lines
//!  5 12 19 26 33 40 47       do not run on into the next column
//!  4 11 18 25 32 39 46
//!  3 10 17 24 31 38 45       bit = column * 7 + row
//!  2  9 16 23 30 37 44
//!  1  8 15 22 29 36 43
//!  0  7 14 21 28 35 42
//! ```

use super::{Game, MoveCode, Outcome, Player, SearchHints, Symmetric, Symmetry, fours};
use crate::machine;
use crate::rng::{Rng, mix};

mod eval;
mod explain;
mod facts;
mod notation;
mod tactics;
mod threats;
mod threats_weights;

/// Columns of the board.
pub const COLUMNS: u8 = 7;
/// Rows of the board.
pub const ROWS: u8 = 6;

const BOTTOM_CELLS: u64 = 0x0000_0408_1020_4081;
const BOARD: u64 = BOTTOM_CELLS * 0b11_1111;

/// A position. Boards are kept from the side of the player to move, so that playing is three operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConnectFour {
    own: u64,
    opponent: u64,
}

/// A column, counted from 0 at the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(pub u8);

impl ConnectFour {
    /// The discs of each player, first player first, as bits of the layout above.
    pub fn discs(&self) -> [u64; 2] {
        self.to_move().own_first([self.own, self.opponent])
    }

    /// The cells a disc could fall into, whether or not the game is over.
    #[inline(always)]
    pub fn landing_cells(&self) -> u64 {
        ((self.own | self.opponent) + BOTTOM_CELLS) & BOARD
    }

    /// The number of discs on the board.
    #[inline(always)]
    pub fn plies(&self) -> u32 {
        (self.own | self.opponent).count_ones()
    }

    fn is_over(&self) -> bool {
        has_four(self.opponent) || self.landing_cells() == 0
    }
}

/// Whether some four of the discs stand in line.
#[inline(always)]
pub fn has_four(discs: u64) -> bool {
    let [up, falling, across, rising] = fours(discs);
    up | falling | across | rising != 0
}

/// Every line of four discs, as bits.
fn lines_of_four(discs: u64) -> impl Iterator<Item = u64> {
    fours::lines(fours(discs), LINE_STEPS)
}

/// From one cell of a line to the next, as a shift: up, falling, across, rising.
const LINE_STEPS: [u32; 4] = [1, 6, 7, 8];

/// The lowest bits of all lines of four cells.
const LINE_STARTS: [u64; 4] = fours(BOARD);

/// The lowest bits of all lines of four, by [`LINE_STEPS`].
#[inline(always)]
const fn fours(discs: u64) -> [u64; 4] {
    [
        four_along::<1>(discs),
        four_along::<6>(discs),
        four_along::<7>(discs),
        four_along::<8>(discs),
    ]
}

#[inline(always)]
const fn four_along<const STEP: u32>(discs: u64) -> u64 {
    let pairs = discs & (discs >> STEP);
    pairs & (pairs >> (2 * STEP))
}

impl Game for ConnectFour {
    type Rules = ();
    type Move = Column;

    const MOVE_BITS: u32 = 3;

    #[inline(always)]
    fn move_to_bits(mv: Column) -> MoveCode {
        mv.0.into()
    }

    #[inline(always)]
    fn move_from_bits(bits: MoveCode) -> Self::Move {
        Column(bits as u8)
    }

    fn start((): ()) -> Self {
        Self {
            own: 0,
            opponent: 0,
        }
    }

    fn rules(&self) {}

    #[inline(always)]
    fn to_move(&self) -> Player {
        if self.plies().is_multiple_of(2) {
            Player::First
        } else {
            Player::Second
        }
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        if has_four(self.opponent) {
            Some(Outcome::Win(self.to_move().opponent()))
        } else {
            (self.landing_cells() == 0).then_some(Outcome::Draw)
        }
    }

    #[inline(always)]
    fn legal_moves(&self, out: &mut Vec<Column>) {
        out.clear();
        if !has_four(self.opponent) {
            out.extend(machine::iter_ones(self.landing_cells()).map(|cell| Column(cell / 7)));
        }
    }

    #[inline(always)]
    fn is_legal(&self, Column(column): Column) -> bool {
        column < COLUMNS
            && !has_four(self.opponent)
            && self.landing_cells() >> (column * 7) & 0b111_1111 != 0
    }

    #[inline(always)]
    fn play(&mut self, Column(column): Column) {
        debug_assert!(self.is_legal(Column(column)), "column {column} in {self:?}");
        let occupied = self.own | self.opponent;
        // Adding a disc at the foot of a column carries up to its first free cell.
        let after = occupied | (occupied + (1 << (column * 7)));
        (self.own, self.opponent) = (self.opponent, after ^ self.opponent);
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        // Own discs plus all discs plus the bottom row differ for every position (Tromp); mixing is one to one.
        mix(self.own + (self.own | self.opponent) + BOTTOM_CELLS)
    }

    fn piece_count(&self) -> u32 {
        self.plies()
    }
}

impl SearchHints for ConnectFour {
    /// Four fifths of the empty cells: good players fill most of the board.
    fn expected_plies_left(&self) -> Option<u32> {
        Some(((BOARD.count_ones() - self.plies()) * 4 / 5).max(1))
    }

    const REPLY_CONTEXTS: usize = 49;

    /// The cell the disc comes to rest in.
    #[inline(always)]
    fn reply_context(&self, Column(column): Column) -> usize {
        let column_cells = 0b111_1111 << (column * 7);
        (self.landing_cells() & column_cells).trailing_zeros() as usize
    }

    #[inline(always)]
    fn random_move(&self, rng: &mut Rng) -> Option<Column> {
        let cells = self.landing_cells();
        if cells == 0 || has_four(self.opponent) {
            return None;
        }
        let cell = machine::select(cells, rng.below(cells.count_ones()));
        Some(Column((cell / 7) as u8))
    }

    #[inline(always)]
    fn play_random(&mut self, rng: &mut Rng) -> bool {
        let cells = self.landing_cells();
        if cells == 0 || has_four(self.opponent) {
            return false;
        }
        let cell = machine::select_bit(cells, rng.below(cells.count_ones()));
        (self.own, self.opponent) = (self.opponent, self.own | cell);
        true
    }

    fn perft_count(&self) -> u64 {
        if self.is_over() {
            0
        } else {
            u64::from(self.landing_cells().count_ones())
        }
    }
}

impl Symmetric for ConnectFour {
    const SYMMETRIES: &'static [Symmetry] = &[Symmetry::IDENTITY, Symmetry::MIRROR];

    fn image(&self, symmetry: Symmetry) -> Self {
        if symmetry == Symmetry::IDENTITY {
            return *self;
        }
        let mirror = |discs: u64| {
            (0..COLUMNS).fold(0, |image, column| {
                image | (discs >> (column * 7) & 0b111_1111) << ((COLUMNS - 1 - column) * 7)
            })
        };
        Self {
            own: mirror(self.own),
            opponent: mirror(self.opponent),
        }
    }

    fn image_of_move(Column(column): Column, symmetry: Symmetry) -> Column {
        if symmetry == Symmetry::IDENTITY {
            Column(column)
        } else {
            Column(COLUMNS - 1 - column)
        }
    }
}
