//! What a move does to the board, step by step, and what the rules see on it: data for programs that draw a game.
//!
//! A drawing needs more than the position after a move: which stones were sown where, which discs flipped, where the
//! castling rook went. [`Explain`] lets the rules say it, so that no rule is written again where boards are drawn.

use super::{
    Notation, Player,
    notation::{self, Grid, move_text},
};

/// A place of a board: it holds pieces, and a person can point at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoardPlace {
    /// A square, counted from 0 as the game's notation counts: a1 is (0, 0), whichever corner it is drawn in.
    Square {
        /// The column: 0 for a.
        column: u8,
        /// The row: 0 for 1.
        row: u8,
    },
    /// A pit of kalah.
    Pit {
        /// The player on whose side it lies.
        owner: Player,
        /// Counted from 0 at its owner's left.
        number: u8,
    },
    /// A player's store of kalah.
    Store {
        /// The player it belongs to.
        owner: Player,
    },
    /// The stones of a player that are not yet on the board.
    Reserve {
        /// The player they belong to.
        owner: Player,
    },
}

impl BoardPlace {
    /// The square (column, row).
    pub const fn square((column, row): (u8, u8)) -> Self {
        Self::Square { column, row }
    }

    /// The player whose place it is; none for a square.
    pub const fn owner(self) -> Option<Player> {
        match self {
            Self::Pit { owner, .. } | Self::Store { owner } | Self::Reserve { owner } => {
                Some(owner)
            }
            Self::Square { .. } => None,
        }
    }
}

/// What can lie on a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// A chess piece by its FEN letter: upper case for White.
    Chess(char),
    /// A disc or stone of a player.
    Disc(Player),
    /// A stone of kalah, which belongs to nobody.
    Stone,
}

/// One effect of a move. Applied in order to [`Explain::pieces`] before the move, the steps give the pieces after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A new piece is put on an empty square.
    Place {
        /// The piece.
        piece: Piece,
        /// The square.
        at: BoardPlace,
    },
    /// A piece goes from one place to another. A castling rook does in a second step, and until then may share its
    /// square with the king.
    Move {
        /// The piece.
        piece: Piece,
        /// Where it was.
        from: BoardPlace,
        /// Where it is then.
        to: BoardPlace,
    },
    /// A piece leaves the board.
    Capture {
        /// The piece.
        piece: Piece,
        /// Where it was; en passant, not where the capturing pawn goes.
        at: BoardPlace,
    },
    /// A disc becomes the other player's.
    Flip {
        /// Where it lies.
        at: BoardPlace,
        /// Its owner from then on.
        to: Player,
    },
    /// A pawn becomes another piece, on the square it has moved to.
    Promote {
        /// The square.
        at: BoardPlace,
        /// The pawn.
        from: Piece,
        /// What it becomes.
        to: Piece,
    },
    /// One stone is sown.
    Sow {
        /// The pit that the move empties.
        from: BoardPlace,
        /// Where the stone falls; after a whole lap the same pit.
        to: BoardPlace,
    },
    /// Stones are captured by the last one sown, that one included.
    CaptureStones {
        /// How many: all in the pit.
        count: u32,
        /// Their pit.
        from: BoardPlace,
        /// The mover's store.
        to: BoardPlace,
    },
    /// The game is over, and stones that are left go to their owner.
    Sweep {
        /// How many: all in the pit.
        count: u32,
        /// Their pit.
        from: BoardPlace,
        /// Their owner's store.
        to: BoardPlace,
    },
}

impl Step {
    /// The place it puts a piece on; none if it puts none anywhere.
    pub fn target(self) -> Option<BoardPlace> {
        match self {
            Self::Place { at, .. } => Some(at),
            Self::Move { to, .. }
            | Self::Sow { to, .. }
            | Self::CaptureStones { to, .. }
            | Self::Sweep { to, .. } => Some(to),
            Self::Capture { .. } | Self::Flip { .. } | Self::Promote { .. } => None,
        }
    }
}

/// What the rules know about a board and its moves, for programs that draw them.
///
/// All methods have defaults, which see the game as stones on the squares of its [`Grid`]. Moves must be legal.
pub trait Explain: Notation {
    /// Every piece of the game: its place, what it is, and how many of it lie there. Places that hold counted pieces
    /// are listed even when they are empty.
    fn pieces(&self) -> Vec<(BoardPlace, Piece, u32)> {
        squares_of(&self.grid())
            .filter_map(|(square, stone)| Some((square, Piece::Disc(stone?), 1)))
            .collect()
    }

    /// The places that name a move, in the order in which a person would click them: a square, a pit, or from where to
    /// where, and what is picked up. None for a pass.
    fn move_places(&self, mv: Self::Move) -> Vec<BoardPlace> {
        if let Some(square) = self.grid_square(mv) {
            return vec![BoardPlace::square(square)];
        }
        let grid = self.grid();
        let rows = grid.stones.len() / usize::from(grid.columns).max(1);
        squares_in_text(&move_text(self, mv), grid.columns, rows as u8)
    }

    /// What a move does, one step after the other; nothing for a pass.
    fn steps(&self, mv: Self::Move) -> Vec<Step> {
        let mut after = self.clone();
        after.play(mv);
        let (before, after) = (self.grid(), after.grid());
        (squares_of(&before).zip(squares_of(&after)))
            .filter_map(|((at, before), (_, after))| match (before, after) {
                (before, after) if before == after => None,
                (None, Some(player)) => Some(Step::Place {
                    piece: Piece::Disc(player),
                    at,
                }),
                (Some(_), Some(to)) => Some(Step::Flip { at, to }),
                (Some(player), None) => Some(Step::Capture {
                    piece: Piece::Disc(player),
                    at,
                }),
                (None, None) => None,
            })
            .collect()
    }

    /// The king of the player to move, if it is in check.
    fn checked_king(&self) -> Option<BoardPlace> {
        None
    }

    /// How many discs each player would flip on an empty square, first player first, whoever is to move; squares where
    /// nobody would are left out.
    fn flip_counts(&self) -> Vec<(BoardPlace, [u32; 2])> {
        Vec::new()
    }

    /// The lines that won the game, each by its places.
    fn winning_lines(&self) -> Vec<Vec<BoardPlace>> {
        Vec::new()
    }

    /// What is worth telling people about a move that was played here, in a few words: "extra turn".
    fn move_note(&self, mv: Self::Move) -> Option<String> {
        let _ = mv;
        None
    }

    /// What is worth telling people about this position while the game goes on, in a few words: "White must pass".
    fn position_note(&self) -> Option<String> {
        None
    }
}

/// The squares of a grid with their stones, row 1 first.
fn squares_of(grid: &Grid) -> impl Iterator<Item = (BoardPlace, Option<Player>)> {
    let columns = usize::from(grid.columns).max(1);
    (grid.stones.iter().enumerate()).map(move |(index, &stone)| {
        let square = ((index % columns) as u8, (index / columns) as u8);
        (BoardPlace::square(square), stone)
    })
}

/// The places of each bit of a word; `square` gives a bit's column and row.
pub(super) fn places_of(
    bits: u64,
    square: impl Fn(u8) -> (u8, u8),
) -> impl Iterator<Item = BoardPlace> {
    crate::machine::iter_ones(bits).map(move |bit| BoardPlace::square(square(bit)))
}

/// The squares that a text is made of; none if it is made of anything else.
fn squares_in_text(text: &str, columns: u8, rows: u8) -> Vec<BoardPlace> {
    (text.as_bytes().chunks(2))
        .map(|part| {
            let square = std::str::from_utf8(part).ok()?;
            notation::parse_square(square, columns, rows).map(BoardPlace::square)
        })
        .collect::<Option<_>>()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_squares_or_nothing() {
        let places = |text: &str| squares_in_text(text, 4, 3);
        assert_eq!(places("b3"), [BoardPlace::square((1, 2))]);
        assert_eq!(places("a1d2"), [(0, 0), (3, 1)].map(BoardPlace::square));
        for none in ["", "b", "b4", "e1", "b3x", "żż", "pass"] {
            assert_eq!(places(none), [], "{none}");
        }
    }
}
