//! Moves of a handful of men, forwards and backwards, as sets of squares.

use cozy_chess::{
    BitBoard, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use super::{
    layout::{Layout, TablePosition},
    material::{BLACK_KING, MAX_MEN, WHITE_KING},
};

const FIRST_AND_LAST_RANK: u64 = 0xff00_0000_0000_00ff;

/// A legal position, with what its moves depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves<'a> {
    layout: &'a Layout,
    position: &'a TablePosition,
    occupied: u64,
    /// The men of the side to move, kings included.
    own: u64,
    /// Squares that the other side attacks, also through the king of the side to move.
    guarded: u64,
    /// Whether a move of a man other than the king may leave the king in check.
    needs_test: bool,
}

/// Squares that a man attacks.
#[inline(always)]
fn attacks(color: Color, piece: Piece, square: u8, occupied: u64) -> u64 {
    let (from, occupied) = (Square::index(square.into()), BitBoard(occupied));
    match piece {
        Piece::Pawn => get_pawn_attacks(from, color),
        Piece::Knight => get_knight_moves(from),
        Piece::Bishop => get_bishop_moves(from, occupied),
        Piece::Rook => get_rook_moves(from, occupied),
        Piece::Queen => get_bishop_moves(from, occupied) | get_rook_moves(from, occupied),
        Piece::King => get_king_moves(from),
    }
    .0
}

/// Colour and kind of the man in a slot.
#[inline(always)]
fn man(layout: &Layout, slot: usize) -> (Color, Piece) {
    match slot {
        WHITE_KING => (Color::White, Piece::King),
        BLACK_KING => (Color::Black, Piece::King),
        _ => layout.extra(slot),
    }
}

#[inline(always)]
fn king_slot(color: Color) -> usize {
    match color {
        Color::White => WHITE_KING,
        Color::Black => BLACK_KING,
    }
}

/// The squares of all men and of those of the side to move; none if two men share a square.
#[inline(always)]
fn occupancy(layout: &Layout, position: &TablePosition) -> Option<(u64, u64)> {
    let (mut occupied, mut own) = (0, 0);
    for slot in 0..layout.men() {
        let bit = 1_u64 << position.squares[slot];
        if occupied & bit != 0 {
            return None;
        }
        occupied |= bit;
        if man(layout, slot).0 == position.to_move {
            own |= bit;
        }
    }
    Some((occupied, own))
}

/// The set's squares.
#[inline(always)]
pub(super) fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as u8);
        set &= set.wrapping_sub(1);
        square
    })
}

impl<'a> Moves<'a> {
    /// None if the position is not legal.
    #[inline(always)]
    pub(super) fn new(layout: &'a Layout, position: &'a TablePosition) -> Option<Self> {
        let (occupied, own) = occupancy(layout, position)?;
        let mover = position.to_move;
        let king = 1_u64 << position.squares[king_slot(mover)];
        let prey = 1_u64 << position.squares[king_slot(!mover)];
        let (mut guarded, mut threatened) = (0, 0);
        let mut has_sliders = false;
        for slot in 0..layout.men() {
            let (color, piece) = man(layout, slot);
            let square = position.squares[slot];
            if piece == Piece::Pawn && 1 << square & FIRST_AND_LAST_RANK != 0 {
                return None;
            }
            if color == mover {
                threatened |= attacks(color, piece, square, occupied);
            } else {
                guarded |= attacks(color, piece, square, occupied & !king);
                has_sliders |= matches!(piece, Piece::Bishop | Piece::Rook | Piece::Queen);
            }
        }
        if threatened & prey != 0 || position.en_passant && !has_passed_squares(position, occupied)
        {
            return None;
        }
        Some(Self {
            layout,
            position,
            occupied,
            own,
            guarded,
            needs_test: has_sliders || guarded & king != 0,
        })
    }

    /// Whether the side to move is in check.
    pub(super) fn is_check(&self) -> bool {
        self.guarded >> self.position.squares[king_slot(self.position.to_move)] & 1 != 0
    }

    /// The slots of the men of the side to move.
    pub(super) fn own_slots(&self) -> impl Iterator<Item = usize> {
        let (layout, mover) = (self.layout, self.position.to_move);
        (0..layout.men()).filter(move |&slot| man(layout, slot).0 == mover)
    }

    /// The man that stands on a square.
    pub(super) fn slot_on(&self, square: u8) -> Option<usize> {
        (0..self.layout.men()).find(|&slot| self.position.squares[slot] == square)
    }

    /// The men of the other side but the king.
    #[inline(always)]
    fn prey(&self) -> u64 {
        let king = 1_u64 << self.position.squares[king_slot(!self.position.to_move)];
        self.occupied & !self.own & !king
    }

    /// Where the man may legally go, to empty squares and with captures; en passant aside.
    #[inline(always)]
    pub(super) fn targets(&self, slot: usize) -> u64 {
        let (color, piece) = man(self.layout, slot);
        let square = self.position.squares[slot];
        let empty = !self.occupied;
        let targets = match piece {
            Piece::King => {
                return attacks(color, piece, square, self.occupied)
                    & !self.guarded
                    & (empty | self.prey());
            }
            Piece::Pawn => {
                attacks(color, piece, square, self.occupied) & self.prey()
                    | pawn_steps(color, square, empty)
            }
            _ => attacks(color, piece, square, self.occupied) & (empty | self.prey()),
        };
        if !self.needs_test || targets == 0 {
            return targets;
        }
        squares(targets)
            .filter(|&to| self.is_safe_after(square, to))
            .map(|to| 1 << to)
            .fold(0, |set: u64, bit: u64| set | bit)
    }

    /// Where the man may legally go without capture or promotion: to positions of the same table.
    #[inline(always)]
    pub(super) fn quiet_targets(&self, slot: usize) -> u64 {
        let targets = self.targets(slot) & !self.occupied;
        if man(self.layout, slot).1 == Piece::Pawn {
            targets & !FIRST_AND_LAST_RANK
        } else {
            targets
        }
    }

    /// Where the man may legally go with capture or promotion; en passant aside.
    #[inline(always)]
    pub(super) fn converting_targets(&self, slot: usize) -> u64 {
        let (color, piece) = man(self.layout, slot);
        let square = self.position.squares[slot];
        // Most positions have none, which is seen without the legality of moves.
        let possible = match piece {
            Piece::Pawn => {
                attacks(color, piece, square, self.occupied) & self.prey()
                    | pawn_steps(color, square, !self.occupied) & FIRST_AND_LAST_RANK
            }
            _ => attacks(color, piece, square, self.occupied) & self.prey(),
        };
        if possible == 0 {
            return 0;
        }
        possible & self.targets(slot)
    }

    /// Whether the own king is not in check after a man other than the king has moved.
    fn is_safe_after(&self, from: u8, to: u8) -> bool {
        let occupied = self.occupied & !(1 << from) | 1 << to;
        let mover = self.position.to_move;
        let king = 1_u64 << self.position.squares[king_slot(mover)];
        (0..self.layout.men()).all(|slot| {
            let (color, piece) = man(self.layout, slot);
            let square = self.position.squares[slot];
            color == mover || square == to || attacks(color, piece, square, occupied) & king == 0
        })
    }
}

/// The squares that a pawn reaches without capture.
#[inline(always)]
fn pawn_steps(color: Color, square: u8, empty: u64) -> u64 {
    let from = 1_u64 << square;
    match color {
        Color::White => {
            let step = from << 8 & empty;
            step | (step & 0xff << 16) << 8 & empty
        }
        Color::Black => {
            let step = from >> 8 & empty;
            step | (step & 0xff << 40) >> 8 & empty
        }
    }
}

/// The squares that a pawn without capture may have come from, in one step and in two.
#[inline(always)]
fn pawn_retreats(color: Color, square: u8, empty: u64) -> (u64, u64) {
    let to = 1_u64 << square;
    let pawn_ranks = !FIRST_AND_LAST_RANK;
    let (single, double) = match color {
        Color::White => {
            let single = to >> 8 & empty & pawn_ranks;
            (single, (single & 0xff << 16) >> 8 & empty)
        }
        Color::Black => {
            let single = to << 8 & empty & pawn_ranks;
            (single, (single & 0xff << 40) << 8 & empty)
        }
    };
    (single, double)
}

/// Whether the other side's pawn, in slot 2 or 3, can have made a double step and be taken by the other pawn en passant.
#[inline(always)]
fn has_passed_squares(position: &TablePosition, occupied: u64) -> bool {
    let [_, _, white, black] = position.squares;
    let (passer, taker, rank, passed) = match position.to_move {
        Color::White => (black, white, 4, [8, 16]),
        Color::Black => (white, black, 3, [-8, -16]),
    };
    passer >> 3 == rank
        && taker >> 3 == rank
        && (passer & 7).abs_diff(taker & 7) == 1
        && (passed.iter()).all(|by| occupied >> (i16::from(passer) + by) & 1 == 0)
}

/// The position after a double step that can be answered en passant, if the given one is such a position.
#[inline(always)]
pub(super) fn with_en_passant(layout: &Layout, position: &TablePosition) -> Option<TablePosition> {
    if !layout.has_en_passant() {
        return None;
    }
    let (occupied, _) = occupancy(layout, position)?;
    has_passed_squares(position, occupied).then_some(TablePosition {
        en_passant: true,
        ..*position
    })
}

/// The square of the taking pawn after an en-passant capture.
pub(super) fn en_passant_target(position: &TablePosition) -> u8 {
    match position.to_move {
        Color::White => position.squares[3] + 8,
        Color::Black => position.squares[2] - 8,
    }
}

/// Calls `visit` with every position of the same table from which one move leads to this legal one. Some of them are not legal.
#[inline(always)]
pub(super) fn for_each_predecessor(
    layout: &Layout,
    position: &TablePosition,
    mut visit: impl FnMut(&TablePosition),
) {
    let mover = !position.to_move;
    let mut occupied = 0;
    for &square in &position.squares[..layout.men()] {
        occupied |= 1_u64 << square;
    }
    let can_be_en_passant = with_en_passant(layout, position).is_some();
    for slot in 0..layout.men() {
        let (color, piece) = man(layout, slot);
        if color != mover {
            continue;
        }
        let square = position.squares[slot];
        let origins = if piece == Piece::Pawn {
            let (single, double) = pawn_retreats(color, square, !occupied);
            // A double step leads to the position with en passant where there is one, and nothing else does.
            match (position.en_passant, can_be_en_passant) {
                (true, _) => double,
                (false, true) => single,
                (false, false) => single | double,
            }
        } else if position.en_passant {
            0
        } else {
            attacks(color, piece, square, occupied) & !occupied
        };
        for from in squares(origins) {
            let mut squares = position.squares;
            squares[slot] = from;
            let before = TablePosition {
                squares,
                to_move: mover,
                en_passant: false,
            };
            visit(&before);
            if let Some(before) = with_en_passant(layout, &before) {
                visit(&before);
            }
        }
    }
    debug_assert!(layout.men() <= MAX_MEN);
}
