//! The order in which moves are tried.

use super::board::{Board, Child, column_cells};

/// Columns from the centre outwards: the order of moves that look equal.
const CENTRE_FIRST: [u32; 7] = [3, 2, 4, 1, 5, 0, 6];
/// A null window above this score looks for a quick win, where moves that force a reply come first among equals.
const QUICK_WIN_ALPHA: i32 = 3;

/// Some of the moves of a position, each alone as a cell, from the centre outwards.
#[inline(always)]
pub(super) fn centre_first(moves: u64) -> impl Iterator<Item = u64> {
    CENTRE_FIRST
        .into_iter()
        .map(move |column| moves & column_cells(column))
        .filter(|&mv| mv != 0)
}

/// Moves with the replies that each leaves, best first.
#[derive(Clone, Default)]
pub(super) struct OrderedMoves {
    moves: [OrderedMove; 7],
    len: usize,
}

/// A move and the opponent's replies that do not lose at once.
#[derive(Clone, Copy, Default)]
pub(super) struct OrderedMove {
    rank: u32,
    pub(super) mv: u64,
    pub(super) replies: u64,
}

impl OrderedMoves {
    /// Inserts a move behind those of the same rank. The more cells a player threatens after it the better (Pons).
    #[inline(always)]
    pub(super) fn insert(&mut self, mv: u64, child: &Child, alpha: i32) {
        let is_urgent = child.is_forcing && alpha > QUICK_WIN_ALPHA;
        let rank = child.threats.count_ones() * 2 + u32::from(is_urgent);
        let mut index = self.len;
        while index > 0 && self.moves[index - 1].rank < rank {
            self.moves[index] = self.moves[index - 1];
            index -= 1;
        }
        let replies = child.replies;
        self.moves[index] = OrderedMove { rank, mv, replies };
        self.len += 1;
    }

    /// Appends a move of another list.
    pub(super) fn push(&mut self, mv: OrderedMove) {
        self.moves[self.len] = mv;
        self.len += 1;
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[OrderedMove] {
        &self.moves[..self.len]
    }
}

impl OrderedMove {
    /// The position after the move from `board`.
    #[inline(always)]
    pub(super) fn play(&self, board: &Board) -> Board {
        board.after(self.mv)
    }

    /// True if the opponent has one reply only.
    #[inline(always)]
    pub(super) fn is_answer_forced(&self) -> bool {
        self.replies & (self.replies - 1) == 0
    }
}
