//! The order of a table's positions.

use cozy_chess::{Color, Piece};

use super::material::{MAX_MEN, Material, Placement, WHITE_KING};

/// The entries for positions in which en passant is possible: side to move, file of the white pawn (a to d), side on which the
/// black pawn stands, kings.
const EN_PASSANT_ENTRIES: usize = 2 * 4 * 2 * 64 * 64;

/// Which entry a position has.
///
/// The board is mirrored so that the first pawn is on files a to d; without pawns also the ranks, so that the white king is in the
/// quarter a1 to d4. No man of that kind is mapped to itself, so every position has exactly one entry, and as many predecessors as
/// on the board. With a pawn on each side, positions in which a pawn can be taken en passant follow the others.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The men, with squares 0.
    empty: Placement,
    /// The man whose square is restricted: a pawn, or the white king.
    leader: usize,
    has_pawns: bool,
    /// The other men.
    followers: [usize; MAX_MEN - 1],
    /// Entries of one side to move.
    half: usize,
    has_en_passant: bool,
}

/// A position of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablePosition {
    /// The squares of the men.
    pub squares: [u8; MAX_MEN],
    /// The side to move.
    pub to_move: Color,
    /// Whether the pawn that stands next to one of the side to move has just made a double step.
    pub en_passant: bool,
}

impl Layout {
    /// The order of the positions with these men.
    pub fn new(material: Material) -> Self {
        let mut empty = Placement::kings(0, 0, Color::White);
        for (color, piece) in material.extra() {
            empty.push(color, piece, 0);
        }
        let extra = &empty.extra[..empty.extra_count];
        let pawn = extra.iter().position(|man| man.1 == Piece::Pawn);
        let leader = pawn.map_or(WHITE_KING, |index| 2 + index);
        let mut followers = [0; MAX_MEN - 1];
        let others = (0..2 + empty.extra_count).filter(|&slot| slot != leader);
        for (follower, slot) in followers.iter_mut().zip(others) {
            *follower = slot;
        }
        let leader_squares = if pawn.is_some() { 24 } else { 16 };
        Self {
            half: leader_squares << (6 * (1 + empty.extra_count)),
            has_en_passant: extra == [(Color::White, Piece::Pawn), (Color::Black, Piece::Pawn)],
            has_pawns: pawn.is_some(),
            leader,
            followers,
            empty,
        }
    }

    /// The number of men.
    #[inline(always)]
    pub fn men(&self) -> usize {
        2 + self.empty.extra_count
    }

    /// Colour and kind of the man in a slot after the kings.
    #[inline(always)]
    pub fn extra(&self, slot: usize) -> (Color, Piece) {
        self.empty.extra[slot - 2]
    }

    /// Whether there are positions with en passant.
    pub fn has_en_passant(&self) -> bool {
        self.has_en_passant
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.plain_len()
            + if self.has_en_passant {
                EN_PASSANT_ENTRIES
            } else {
                0
            }
    }

    fn plain_len(&self) -> usize {
        2 * self.half
    }

    /// The entry of a position. Pawns must stand on the second to seventh rank.
    #[inline(always)]
    pub fn index(&self, position: &TablePosition) -> usize {
        let squares = &position.squares;
        let leader = squares[self.leader];
        let mut mirror = if leader & 4 != 0 { 7 } else { 0 };
        if !self.has_pawns && leader & 32 != 0 {
            mirror |= 56;
        }
        let leader = usize::from(leader ^ mirror);
        if position.en_passant {
            let black_pawn = squares[3] ^ mirror;
            let rank_of = |slot: usize| usize::from(squares[slot] ^ mirror);
            let is_right = usize::from(usize::from(black_pawn & 7) > leader & 7);
            return self.plain_len()
                + ((((position.to_move as usize * 4 + (leader & 3)) * 2 + is_right) * 64
                    + rank_of(0))
                    * 64
                    + rank_of(1));
        }
        let mut index = (leader >> 3) * 4 + (leader & 3);
        if self.has_pawns {
            index -= 4;
        }
        for &slot in &self.followers[..self.men() - 1] {
            index = index << 6 | usize::from(squares[slot] ^ mirror);
        }
        index
            + if position.to_move == Color::White {
                0
            } else {
                self.half
            }
    }

    /// The position of an entry. Men may stand on the same square.
    #[inline(always)]
    pub fn position(&self, index: usize) -> TablePosition {
        let mut squares = [0; MAX_MEN];
        if let Some(index) = index.checked_sub(self.plain_len()) {
            squares[0] = (index >> 6 & 63) as u8;
            squares[1] = (index & 63) as u8;
            let is_right = index >> 12 & 1 != 0;
            let file = (index >> 13 & 3) as u8;
            let to_move = if index >> 15 & 1 == 0 {
                Color::White
            } else {
                Color::Black
            };
            let rank = match to_move {
                Color::White => 4,
                Color::Black => 3,
            };
            squares[2] = rank * 8 + file;
            // On the a-file nothing stands to the left: both pawns on one square is no position.
            squares[3] = rank * 8
                + if is_right {
                    file + 1
                } else {
                    file.saturating_sub(1)
                };
            return TablePosition {
                squares,
                to_move,
                en_passant: true,
            };
        }
        let (to_move, mut index) = if index < self.half {
            (Color::White, index)
        } else {
            (Color::Black, index - self.half)
        };
        for &slot in self.followers[..self.men() - 1].iter().rev() {
            squares[slot] = (index & 63) as u8;
            index >>= 6;
        }
        if self.has_pawns {
            index += 4;
        }
        squares[self.leader] = ((index >> 2) * 8 + (index & 3)) as u8;
        TablePosition {
            squares,
            to_move,
            en_passant: false,
        }
    }

    /// The men of a position.
    pub fn placement(&self, position: &TablePosition) -> Placement {
        Placement {
            squares: position.squares,
            to_move: position.to_move,
            ..self.empty
        }
    }
}
