//! The board of games without one of their own: stones on the squares of [`Grid`].

use canopy_engine::games::{Player, notation::Grid};

use super::{
    BLACK_STONE, BoardStyle, GridRenderer, Marks, PaintContext, PieceColours, WHITE_STONE,
    brush::Brush,
    squares::{GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::theme::Theme;

/// Largest number of columns and of rows: one for each letter.
const MAX_SIDE: usize = 26;

/// The stones, a1 first, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlainBoard {
    columns: u8,
    rows: u8,
    stones: Vec<Option<Player>>,
}

impl PlainBoard {
    /// The part of a grid that can be shown: at least one square, at most [`MAX_SIDE`] each way.
    pub(super) fn new(grid: Grid) -> Self {
        let columns = usize::from(grid.columns).clamp(1, MAX_SIDE);
        let rows = (grid.stones.len() / columns).clamp(1, MAX_SIDE);
        Self {
            columns: columns as u8,
            rows: rows as u8,
            stones: grid.stones,
        }
    }

    fn stone(&self, column: u8, row: u8) -> Option<Player> {
        let index = usize::from(row) * usize::from(self.columns) + usize::from(column);
        self.stones.get(index).copied().flatten()
    }
}

impl BoardStyle for PlainBoard {
    fn piece_colours(&self, player: Player, _: &Theme) -> PieceColours {
        match player {
            Player::First => WHITE_STONE,
            Player::Second => BLACK_STONE,
        }
    }
}

impl GridRenderer for PlainBoard {
    fn layout(&self) -> GridLayout {
        GridLayout {
            columns: self.columns,
            rows: self.rows,
            rim: 0.1,
            strip_height: 0.0,
            numbering: RowNumbering::BottomUp,
        }
    }

    fn paint_squares(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        marks: &Marks,
        over: &PaintContext<'_>,
    ) {
        squares.paint_background(brush, themed_colour(brush.theme, 0x566374, 0xb9c4d0));
        squares.paint_grid(brush, 0.2);
        squares.paint_coordinates(brush);
        for (column, row) in squares.all() {
            if let (Some(player), Some(at)) = (self.stone(column, row), squares.centre(column, row))
            {
                brush.piece(
                    at,
                    squares.cell * 0.4,
                    self.piece_colours(player, brush.theme),
                );
            }
        }
        squares.paint_move_groups(brush, over.move_groups);
        let is_taken = |column, row| self.stone(column, row).is_some();
        let ghost = (
            squares.cell * 0.4,
            self.piece_colours(over.mover, brush.theme),
        );
        squares.paint_ghost(brush, marks, ghost, is_taken);
        squares.paint_selection(brush, marks, is_taken);
        if let Some(&place) = marks.last_places().last() {
            squares.paint_last_move_dot(brush, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use tiny_skia::Rect;

    use super::{super::BoardRenderer as _, *};

    fn plain(columns: u8, rows: u8) -> PlainBoard {
        PlainBoard::new(Grid::new(columns, rows, |column, row| {
            match (column, row) {
                (0, 0) => Some(Player::First),
                (1, 2) => Some(Player::Second),
                _ => None,
            }
        }))
    }

    #[test]
    fn a_grid_of_any_size_is_taken() {
        let board = plain(4, 3);
        assert_eq!((board.columns, board.rows), (4, 3));
        assert_eq!(board.stone(0, 0), Some(Player::First));
        assert_eq!(board.stone(1, 2), Some(Player::Second));
        for (columns, rows) in [(0, 0), (1, 0), (0, 9), (255, 255)] {
            let board = plain(columns, rows);
            let spots = board.place_rects(
                Rect::from_xywh(0.0, 0.0, 90.0, 90.0).unwrap(),
                &Marks::default(),
            );
            assert!(!spots.is_empty(), "{columns} by {rows}");
        }
    }
}
