//! The board of games without one of their own: stones on the squares of [`Grid`].

use canopy_engine::games::{Player, notation::Grid};

use super::{
    BLACK_STONE, BoardStyle, GridRenderer, PaintContext, PieceColours, WHITE_STONE,
    brush::Brush,
    square_map::SquareMap,
    squares::{DiscStyle, GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::theme::Theme;

/// Largest number of columns and of rows: one for each letter.
const MAX_SIDE: usize = 26;

const STONES: DiscStyle = DiscStyle {
    radius: 0.4,
    colours: [WHITE_STONE, BLACK_STONE],
};

/// The stones by their owners.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlainBoard {
    layout: GridLayout,
    stones: SquareMap<Player>,
}

impl PlainBoard {
    /// The part of a grid that can be shown: at least one square, at most [`MAX_SIDE`] each way.
    pub(super) fn new(grid: Grid) -> Self {
        let columns = usize::from(grid.columns).clamp(1, MAX_SIDE);
        let rows = (grid.stones.len() / columns).clamp(1, MAX_SIDE);
        let layout = GridLayout::new(columns as u8, rows as u8, RowNumbering::BottomUp);
        Self {
            layout,
            stones: SquareMap::from_rows(&layout, grid.stones),
        }
    }
}

impl BoardStyle for PlainBoard {
    fn piece_colours(&self, player: Player, _: &Theme) -> PieceColours {
        STONES.colours[player.index()]
    }
}

impl GridRenderer for PlainBoard {
    fn layout(&self) -> GridLayout {
        self.layout
    }

    fn paint_squares(&self, brush: &mut Brush<'_, '_>, squares: &Squares, over: &PaintContext<'_>) {
        squares.paint_empty_board(brush, themed_colour(brush.theme, 0x566374, 0xb9c4d0));
        squares.paint_discs(brush, &self.stones, &STONES);
        squares.paint_move_groups(brush, over.move_groups);
        squares.paint_ghost(brush, over, &self.stones, &STONES);
        squares.paint_selection(brush, over.marks, &self.stones);
        if let Some(&place) = over.marks.last_places().last() {
            squares.paint_last_move_dot(brush, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use tiny_skia::Rect;

    use super::{
        super::{BoardRenderer as _, Marks},
        *,
    };

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
        assert_eq!((board.layout.columns, board.layout.rows), (4, 3));
        assert_eq!(board.stones.get(0, 0), Some(Player::First));
        assert_eq!(board.stones.get(1, 2), Some(Player::Second));
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
