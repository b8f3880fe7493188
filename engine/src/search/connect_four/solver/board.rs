//! Bitboards of the solver, in the layout of [`crate::games::connect_four`].

use crate::games::connect_four::{COLUMNS, ConnectFour, ROWS};

/// Cells of the board, which is the greatest number of stones.
pub(super) const CELLS: u32 = COLUMNS as u32 * ROWS as u32;
/// The lowest cell of every column.
pub(super) const BOTTOM: u64 = 0x0000_0408_1020_4081;
/// All cells of the board.
pub(super) const BOARD: u64 = BOTTOM * 0b11_1111;
/// The highest cell of every column.
pub(super) const TOP: u64 = BOTTOM << 5;
/// The spare cell above every column.
pub(super) const SPARE: u64 = BOTTOM << 6;
/// Rows 1, 3 and 5, counted from 1 at the bottom.
pub(super) const ODD_ROWS: u64 = BOTTOM * 0b01_0101;
/// Rows 2, 4 and 6.
pub(super) const EVEN_ROWS: u64 = BOTTOM * 0b10_1010;

/// The cells of a column.
#[inline(always)]
pub(super) const fn column_cells(column: u32) -> u64 {
    0b11_1111 << (column * 7)
}

/// A position from the side of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    /// The stones of the player to move.
    pub(super) own: u64,
    /// All stones.
    pub(super) occupied: u64,
    /// The number of stones.
    pub(super) stones: u32,
}

/// A position after a move that does not let the opponent win at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) board: Board,
    /// The empty cells that complete a four of the player who has just moved.
    pub(super) threats: u64,
    /// Whether that player would win by the next stone if the opponent passed.
    pub(super) is_forcing: bool,
    /// The opponent's replies that do not lose at once; none if every reply does.
    pub(super) replies: u64,
}

impl Board {
    pub(super) fn new(position: &ConnectFour) -> Self {
        let [first, second] = position.discs();
        let stones = position.plies();
        let own = if stones.is_multiple_of(2) {
            first
        } else {
            second
        };
        Self {
            own,
            occupied: first | second,
            stones,
        }
    }

    #[inline(always)]
    pub(super) fn opponent(&self) -> u64 {
        self.own ^ self.occupied
    }

    /// The cells a stone could fall into.
    #[inline(always)]
    pub(super) fn landing_cells(&self) -> u64 {
        (self.occupied + BOTTOM) & BOARD
    }

    /// A number that no other position has (Tromp).
    #[inline(always)]
    pub(super) fn key(&self) -> u64 {
        self.own + self.occupied
    }

    /// The position after a stone in the cell `mv`.
    #[inline(always)]
    pub(super) fn after(&self, mv: u64) -> Self {
        Self {
            own: self.opponent(),
            occupied: self.occupied | mv,
            stones: self.stones + 1,
        }
    }

    /// True if the player to move has four with the next stone.
    pub(super) fn can_win_at_once(&self) -> bool {
        winning_cells(self.own, self.occupied) & self.landing_cells() != 0
    }

    /// The moves after which the opponent cannot win at once, if the player to move cannot either. `threats` are the cells that
    /// complete a four of the opponent.
    #[inline(always)]
    pub(super) fn safe_moves(&self, threats: u64) -> u64 {
        let landing = self.landing_cells();
        let forced = landing & threats;
        let candidates = if forced == 0 {
            landing
        } else if forced & (forced - 1) == 0 {
            forced
        } else {
            0
        };
        // A stone under a cell where the opponent wins gives that cell away.
        candidates & !(threats >> 1)
    }

    /// The position after `mv`, and what the opponent can do there.
    #[inline(always)]
    pub(super) fn child(&self, mv: u64) -> Child {
        let board = self.after(mv);
        let threats = winning_cells(board.opponent(), board.occupied);
        Child {
            board,
            threats,
            is_forcing: threats & board.landing_cells() != 0,
            replies: board.safe_moves(threats),
        }
    }
}

/// The empty cells that complete a four of `stones`.
#[inline(always)]
pub(super) fn winning_cells(stones: u64, occupied: u64) -> u64 {
    let up = (stones << 1) & (stones << 2) & (stones << 3);
    let lines = up | gaps::<6>(stones) | gaps::<7>(stones) | gaps::<8>(stones);
    lines & (BOARD ^ occupied)
}

/// The cells that lack to a four along one direction: at either end of three, or between one and two.
#[inline(always)]
fn gaps<const STEP: u32>(stones: u64) -> u64 {
    let pair_below = (stones << STEP) & (stones << (2 * STEP));
    let pair_above = (stones >> STEP) & (stones >> (2 * STEP));
    pair_below & ((stones << (3 * STEP)) | (stones >> STEP))
        | pair_above & ((stones >> (3 * STEP)) | (stones << STEP))
}

/// The mirror image of a set of cells.
pub(super) fn mirrored(cells: u64) -> u64 {
    (0..7).fold(0, |image, column| {
        image | (cells >> (column * 7) & 0b111_1111) << ((6 - column) * 7)
    })
}
