//! The pieces of a board of squares.

use canopy_engine::games::{Piece, Player};

use super::{BoardPlace, squares::GridLayout};

/// What stands on each square, a1 first, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SquareMap<T> {
    columns: u8,
    squares: Vec<Option<T>>,
}

impl<T: Copy> SquareMap<T> {
    /// The pieces on a board of that layout; `read` gives what is kept of a piece.
    pub(super) fn new(
        layout: &GridLayout,
        pieces: &[(BoardPlace, Piece, u32)],
        read: impl Fn(Piece) -> Option<T>,
    ) -> Self {
        let count = usize::from(layout.columns) * usize::from(layout.rows);
        let mut map = Self::from_rows(layout, vec![None; count]);
        for &(place, piece, _) in pieces {
            if let Some(square) = map.get_mut(place) {
                *square = read(piece);
            }
        }
        map
    }

    /// What stands on each square of a board of that layout, a1 first, row by row.
    pub(super) fn from_rows(layout: &GridLayout, squares: Vec<Option<T>>) -> Self {
        Self {
            columns: layout.columns,
            squares,
        }
    }

    pub(super) fn get(&self, column: u8, row: u8) -> Option<T> {
        let index = self.index(column, row)?;
        self.squares.get(index).copied().flatten()
    }

    /// What stands on a place; none if it is no square of this board.
    pub(super) fn at(&self, place: BoardPlace) -> Option<T> {
        match place {
            BoardPlace::Square { column, row } => self.get(column, row),
            _ => None,
        }
    }

    /// The square of a place; none if it is no square of this board.
    fn get_mut(&mut self, place: BoardPlace) -> Option<&mut Option<T>> {
        let BoardPlace::Square { column, row } = place else {
            return None;
        };
        let index = self.index(column, row)?;
        self.squares.get_mut(index)
    }

    /// Clears a square; what stood there.
    pub(super) fn take(&mut self, place: BoardPlace) -> Option<T> {
        self.get_mut(place)?.take()
    }

    fn index(&self, column: u8, row: u8) -> Option<usize> {
        let index = usize::from(row) * usize::from(self.columns) + usize::from(column);
        (column < self.columns).then_some(index)
    }
}

/// The owner of a disc.
pub(super) fn disc_owner(piece: Piece) -> Option<Player> {
    match piece {
        Piece::Disc(player) => Some(player),
        Piece::Chess(_) | Piece::Stone => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::squares::RowNumbering, *};

    #[test]
    fn pieces_stand_on_their_squares_and_no_others() {
        let layout = GridLayout::new(3, 2, RowNumbering::BottomUp);
        let disc =
            |square: (u8, u8), player: Player| (BoardPlace::square(square), Piece::Disc(player), 1);
        let pieces = [
            disc((0, 0), Player::First),
            disc((2, 1), Player::Second),
            disc((3, 0), Player::First),
            disc((0, 2), Player::First),
        ];
        let mut map = SquareMap::new(&layout, &pieces, disc_owner);
        assert_eq!(map.get(0, 0), Some(Player::First));
        assert_eq!(map.get(2, 1), Some(Player::Second));
        assert_eq!(map.get(3, 0), None);
        assert_eq!(map.squares.iter().flatten().count(), 2);
        assert_eq!(map.take(pieces[1].0), Some(Player::Second));
        assert_eq!(map.get(2, 1), None);
        assert_eq!(map.take(pieces[2].0), None);
    }
}
