//! Boards of squares: geometry, coordinates, and the marks that all such boards share.

use canopy_engine::games::{Piece, Player};
use tiny_skia::Rect;

use super::{
    BoardPlace, FitTransform, Marks, MoveGroup, PieceColours,
    brush::{Brush, coordinate_size, rect_centre, visit_colour, with_opacity},
    themed_colour,
};
use crate::draw::theme;

/// Margin for coordinates, in squares.
const COORDINATE_MARGIN: f32 = 0.42;
/// Arrows drawn at most, those with the largest shares; more would hide the board.
const MAX_ARROWS: usize = 12;
/// Smallest visit share for which an arrow is drawn.
const MIN_ARROW_SHARE: f32 = 0.01;

/// Direction in which rows are numbered, and where coordinates are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RowNumbering {
    /// Row 1 is the lowest; letters below, numbers on the left.
    BottomUp,
    /// Row 1 is the highest; letters above, numbers on the left.
    TopDown,
    /// Row 1 is the lowest even when flipped; only columns are named, by numbers.
    ColumnsOnly,
}

/// Dimensions of a board of squares. Lengths are in squares.
#[derive(Clone, Copy)]
pub(super) struct GridLayout {
    pub(super) columns: u8,
    pub(super) rows: u8,
    /// Width of the frame around the squares.
    pub(super) rim: f32,
    /// Height of the free strips above and below the board.
    pub(super) strip_height: f32,
    pub(super) numbering: RowNumbering,
}

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
        let mut map = Self {
            columns: layout.columns,
            squares: vec![None; usize::from(layout.columns) * usize::from(layout.rows)],
        };
        for &(place, piece, _) in pieces {
            if let Some(square) = map.get_mut(place) {
                *square = read(piece);
            }
        }
        map
    }

    pub(super) fn get(&self, column: u8, row: u8) -> Option<T> {
        let index = self.index(column, row)?;
        self.squares.get(index).copied().flatten()
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

/// The geometry of a painted board, in pixels.
pub(super) struct Squares {
    layout: GridLayout,
    fit: FitTransform,
    is_flipped: bool,
    shows_coordinates: bool,
    /// The board with its frame.
    pub(super) board: Rect,
    /// Side of a square.
    pub(super) cell: f32,
}

impl GridLayout {
    /// Margins for coordinates: left, above, below.
    fn coordinate_margins(&self, coordinates: bool) -> [f32; 3] {
        match self.numbering {
            _ if !coordinates => [0.0; 3],
            RowNumbering::BottomUp => [COORDINATE_MARGIN, 0.0, COORDINATE_MARGIN],
            RowNumbering::TopDown => [COORDINATE_MARGIN, COORDINATE_MARGIN, 0.0],
            RowNumbering::ColumnsOnly => [0.0, 0.0, COORDINATE_MARGIN],
        }
    }

    /// Width and height with all margins.
    pub(super) fn extent(&self, coordinates: bool) -> (f32, f32) {
        let [left, above, below] = self.coordinate_margins(coordinates);
        let board = |squares: u8| f32::from(squares) + 2.0 * self.rim;
        (
            board(self.columns) + left,
            board(self.rows) + above + below + 2.0 * self.strip_height,
        )
    }

    /// The geometry of the board when it is painted into `area`; none if the area is too small.
    pub(super) fn squares(&self, area: Rect, marks: &Marks) -> Option<Squares> {
        let fit = FitTransform::new(area, self.extent(marks.shows_coordinates));
        let [left, above, _] = self.coordinate_margins(marks.shows_coordinates);
        let board = fit.rect(
            left,
            above + self.strip_height,
            f32::from(self.columns) + 2.0 * self.rim,
            f32::from(self.rows) + 2.0 * self.rim,
        )?;
        Some(Squares {
            layout: *self,
            fit,
            is_flipped: marks.is_flipped,
            shows_coordinates: marks.shows_coordinates,
            board: snap_to_pixels(board).unwrap_or(board),
            cell: fit.unit,
        })
    }
}

/// Rounds a rectangle's edges to whole pixels; none if it becomes empty.
fn snap_to_pixels(rect: Rect) -> Option<Rect> {
    Rect::from_ltrb(
        rect.left().round(),
        rect.top().round(),
        rect.right().round(),
        rect.bottom().round(),
    )
}

impl Squares {
    /// Column and row on screen, counted from the upper left corner.
    fn screen_square(&self, column: u8, row: u8) -> (u8, u8) {
        let GridLayout { columns, rows, .. } = self.layout;
        let turned = |index: u8, count: u8| count - 1 - index.min(count - 1);
        let column = if self.is_flipped {
            turned(column, columns)
        } else {
            column
        };
        let upwards = match self.layout.numbering {
            RowNumbering::BottomUp => !self.is_flipped,
            RowNumbering::TopDown => self.is_flipped,
            RowNumbering::ColumnsOnly => true,
        };
        let row = if upwards { turned(row, rows) } else { row };
        (column, row)
    }

    /// The rectangle of a square, rounded to whole pixels unless it is tiny.
    pub(super) fn rect(&self, column: u8, row: u8) -> Option<Rect> {
        let (across, down) = self.screen_square(column, row);
        let edge = |start: f32, index: f32| start + (self.layout.rim + index) * self.cell;
        let (across, down) = (f32::from(across), f32::from(down));
        let exact = Rect::from_ltrb(
            edge(self.board.left(), across),
            edge(self.board.top(), down),
            edge(self.board.left(), across + 1.0),
            edge(self.board.top(), down + 1.0),
        )?;
        if self.cell < 2.0 {
            return Some(exact);
        }
        snap_to_pixels(exact)
    }

    pub(super) fn centre(&self, column: u8, row: u8) -> Option<(f32, f32)> {
        self.rect(column, row).map(rect_centre)
    }

    /// Centre of a place; none if it is no square of this board.
    pub(super) fn centre_of(&self, place: BoardPlace) -> Option<(f32, f32)> {
        self.rect_of(place).map(rect_centre)
    }

    pub(super) fn rect_of(&self, place: BoardPlace) -> Option<Rect> {
        let BoardPlace::Square { column, row } = place else {
            return None;
        };
        let is_here = column < self.layout.columns && row < self.layout.rows;
        is_here.then(|| self.rect(column, row)).flatten()
    }

    /// All squares, row by row from a1.
    pub(super) fn all(&self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let GridLayout { columns, rows, .. } = self.layout;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    /// Every square with its rectangle.
    pub(super) fn place_rects(&self) -> Vec<(BoardPlace, Rect)> {
        self.all()
            .filter_map(|square| Some((BoardPlace::square(square), self.rect(square.0, square.1)?)))
            .collect()
    }

    /// The strip above the board or below it.
    pub(super) fn strip_rect(&self, above: bool) -> Option<Rect> {
        let (_, height) = self.layout.extent(self.shows_coordinates);
        let y = if above {
            0.0
        } else {
            height - self.layout.strip_height
        };
        let strip = self.fit.rect(0.0, y, 1.0, self.layout.strip_height)?;
        Rect::from_ltrb(
            self.board.left(),
            strip.top(),
            self.board.right(),
            strip.bottom(),
        )
    }

    /// Width of a thin line in whole pixels.
    pub(super) fn line_width(&self) -> f32 {
        (self.cell * 0.02).round().max(1.0)
    }

    /// Paints the board's frame and ground.
    pub(super) fn paint_background(&self, brush: &mut Brush<'_, '_>, colour: egui::Color32) {
        brush.rounded_rectangle(self.board, self.cell * 0.16, theme::to_skia(colour));
    }

    /// Paints thin lines around all squares.
    pub(super) fn paint_grid(&self, brush: &mut Brush<'_, '_>, opacity: f32) {
        if self.cell < 4.0 {
            return;
        }
        let thick = self.line_width();
        let colour = with_opacity(egui::Color32::BLACK, opacity);
        let at = |start: f32, index: u8| {
            let edge = start + (self.layout.rim + f32::from(index)) * self.cell;
            edge.round() - (thick / 2.0).floor()
        };
        let x = |column: u8| at(self.board.left(), column);
        let y = |row: u8| at(self.board.top(), row);
        let GridLayout { columns, rows, .. } = self.layout;
        let along = (0..=columns)
            .map(|column| Rect::from_ltrb(x(column), y(0), x(column) + thick, y(rows) + thick));
        // Horizontal lines leave out the crossings, which would become darker.
        let across = (0..=rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let across = across.map(|(column, row)| {
            Rect::from_ltrb(x(column) + thick, y(row), x(column + 1), y(row) + thick)
        });
        for line in along.chain(across).flatten() {
            brush.rectangle(line, colour);
        }
    }

    /// Paints the names of columns and rows.
    pub(super) fn paint_coordinates(&self, brush: &mut Brush<'_, '_>) {
        if !self.shows_coordinates {
            return;
        }
        let size = coordinate_size(
            self.board.right() - self.fit.left,
            COORDINATE_MARGIN * self.cell,
        );
        let away = COORDINATE_MARGIN / 2.0 * self.cell;
        let dim = brush.theme.dim;
        let GridLayout {
            columns,
            rows,
            numbering: count,
            ..
        } = self.layout;
        let y = if count == RowNumbering::TopDown {
            self.board.top() - away
        } else {
            self.board.bottom() + away
        };
        for column in 0..columns {
            let name = if count == RowNumbering::ColumnsOnly {
                (b'1' + column) as char
            } else {
                (b'a' + column) as char
            };
            if let Some((x, _)) = self.centre(column, 0) {
                brush.text(name.encode_utf8(&mut [0; 4]), (x, y), size, dim);
            }
        }
        if count == RowNumbering::ColumnsOnly {
            return;
        }
        for row in 0..rows {
            if let Some((_, y)) = self.centre(0, row) {
                let name = (row + 1).to_string();
                brush.text(&name, (self.board.left() - away, y), size, dim);
            }
        }
    }

    /// Paints visit shares: discs on squares, arrows between squares.
    pub(super) fn paint_move_groups(&self, brush: &mut Brush<'_, '_>, groups: &[MoveGroup]) {
        let (arrows, squares): (Vec<&MoveGroup>, Vec<&MoveGroup>) =
            groups.iter().partition(|group| group.places.len() > 1);
        for group in squares {
            if let Some(at) = (group.places.first()).and_then(|&place| self.centre_of(place)) {
                paint_share_disc(brush, at, self.cell, group);
            }
        }
        let hidden = arrows.len().saturating_sub(MAX_ARROWS);
        for group in arrows.into_iter().skip(hidden) {
            if group.is_chosen || group.share >= MIN_ARROW_SHARE {
                self.paint_arrow(brush, group);
            }
        }
    }

    /// Paints an arrow from the first place to the second, and a ring around a picked-up stone.
    fn paint_arrow(&self, brush: &mut Brush<'_, '_>, group: &MoveGroup) {
        let mut centres = (group.places.iter()).filter_map(|&place| self.centre_of(place));
        let (Some(from), Some(to)) = (centres.next(), centres.next()) else {
            return;
        };
        let much = group.share.sqrt();
        let opacity = if group.is_chosen {
            0.9
        } else {
            0.2 + 0.5 * much
        };
        let colour = with_opacity(brush.theme.warm, opacity);
        let width = self.cell * (0.05 + 0.11 * much);
        let head = self.cell * (0.2 + 0.2 * much);
        let toward = |start: (f32, f32), goal: (f32, f32), by: f32| {
            let (dx, dy) = (goal.0 - start.0, goal.1 - start.1);
            let length = dx.hypot(dy).max(f32::MIN_POSITIVE);
            (start.0 + dx / length * by, start.1 + dy / length * by)
        };
        let start = toward(from, to, self.cell * 0.3);
        let end = toward(to, from, self.cell * 0.08);
        brush.arrow(start, end, width, head, colour);
        if group.is_chosen
            && let Some(picked) = centres.next()
        {
            let width = (self.cell * 0.06).max(1.0);
            brush.ring(picked, self.cell * 0.46, width, colour);
        }
    }

    /// Paints the selection and its targets, over the pieces.
    pub(super) fn paint_selection(
        &self,
        brush: &mut Brush<'_, '_>,
        marks: &Marks,
        is_taken: impl Fn(u8, u8) -> bool,
    ) {
        if let Some(rect) = marks.selected.and_then(|place| self.rect_of(place)) {
            let width = (self.cell * 0.07).max(1.0);
            let colour = theme::to_skia(brush.theme.warm);
            brush.border(rect, self.cell * 0.1, width, colour);
        }
        let colour = with_opacity(themed_colour(brush.theme, 0xffffff, 0x10161d), 0.45);
        for &place in &marks.targets {
            let BoardPlace::Square { column, row } = place else {
                continue;
            };
            let Some(at) = self.centre_of(place).filter(|_| marks.ghost != Some(place)) else {
                continue;
            };
            if is_taken(column, row) {
                brush.ring(at, self.cell * 0.46, self.cell * 0.06, colour);
            } else {
                brush.disc(at, self.cell * 0.13, colour);
            }
        }
    }

    /// Paints a translucent disc as a preview of a move, unless the square is occupied.
    pub(super) fn paint_ghost(
        &self,
        brush: &mut Brush<'_, '_>,
        marks: &Marks,
        (radius, tone): (f32, PieceColours),
        is_taken: impl Fn(u8, u8) -> bool,
    ) {
        if let Some(place @ BoardPlace::Square { column, row }) = marks.ghost
            && let Some(at) = self.centre_of(place).filter(|_| !is_taken(column, row))
        {
            brush.disc(at, radius, with_opacity(tone.fill, 0.5));
        }
    }

    /// Paints a small dot on the last move's square.
    pub(super) fn paint_last_move_dot(&self, brush: &mut Brush<'_, '_>, place: BoardPlace) {
        if let Some(at) = self.centre_of(place) {
            let colour = theme::to_skia(brush.theme.bad);
            brush.disc(at, (self.cell * 0.11).max(1.0), colour);
        }
    }
}

/// Paints a disc whose area is a move's visit share.
pub(super) fn paint_share_disc(
    brush: &mut Brush<'_, '_>,
    at: (f32, f32),
    cell: f32,
    group: &MoveGroup,
) {
    if group.share <= 0.0 && !group.is_chosen {
        return;
    }
    let radius = (cell * 0.4 * group.share.sqrt()).max(cell * 0.06);
    let opacity = if group.is_chosen { 0.95 } else { 0.6 };
    brush.disc(at, radius, with_opacity(visit_colour(brush.theme), opacity));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_on_their_squares_and_no_others() {
        let layout = GridLayout {
            columns: 3,
            rows: 2,
            rim: 0.0,
            strip_height: 0.0,
            numbering: RowNumbering::BottomUp,
        };
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
