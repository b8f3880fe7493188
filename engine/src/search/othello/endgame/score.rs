//! What the score of a finished game counts.

use super::board::{Board, last_flips};

/// Whom empty squares at the end of a game count for, in the score; who wins does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptySquares {
    /// Nobody: the discs as they lie.
    #[default]
    ToNobody,
    /// The winner, as in competitions and in the FFO positions.
    ToWinner,
}

impl EmptySquares {
    /// A few words for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::ToNobody => "discs as they lie",
            Self::ToWinner => "empty squares to the winner",
        }
    }

    /// The score of a finished game for the player to move.
    #[inline(always)]
    pub(super) fn final_score(self, board: Board) -> i32 {
        let ahead = board.own.count_ones() as i32 - board.opponent.count_ones() as i32;
        self.with_empty(ahead, board.empty().count_ones() as i32)
    }

    /// The score of a game that ended with so many discs ahead and so many empty squares.
    #[inline(always)]
    pub(super) fn with_empty(self, ahead: i32, empty: i32) -> i32 {
        match self {
            Self::ToNobody => ahead,
            Self::ToWinner => ahead + ahead.signum() * empty,
        }
    }

    /// The score for the owner of `own`, who is to move, with one empty square left.
    #[inline(always)]
    pub(super) fn last_score(self, own: u64, square: u32) -> i32 {
        let discs = own.count_ones() as i32;
        let flips = last_flips(own, square) as i32;
        if flips != 0 {
            return 2 * (discs + flips + 1) - 64;
        }
        let flips = last_flips(!own & !(1 << square), square) as i32;
        if flips != 0 {
            return 2 * (discs - flips) - 64;
        }
        self.with_empty(2 * discs - 63, 1)
    }

    /// The distance between two scores that are possible next to each other.
    pub(super) fn step(self) -> i32 {
        match self {
            Self::ToNobody => 1,
            Self::ToWinner => 2,
        }
    }
}
