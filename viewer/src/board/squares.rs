//! Boards of squares: geometry, coordinates, and the marks that all such boards share.

use canopy_engine::games::Player;
use tiny_skia::Rect;

use super::{
    BoardPlace, FitTransform, Marks, MoveGroup, PaintContext, PieceColours,
    brush::{Brush, coordinate_size, rect_centre, visit_colour, with_opacity},
    square_map::SquareMap,
    themed_colour,
};
use crate::draw::theme;

/// Margin for coordinates, in squares.
const COORDINATE_MARGIN: f32 = 0.42;
/// Arrows drawn at most, those with the largest shares; more would hide the board.
const MAX_ARROWS: usize = 12;
/// Smallest visit share for which an arrow is drawn.
const MIN_ARROW_SHARE: f32 = 0.01;
/// Distance of the disc of a move between squares from the middle of its target, in squares.
const DISC_OFFSET: f32 = 0.2;

/// Direction in which rows are numbered, and where coordinates are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowNumbering {
    /// Row 1 is the lowest; letters below, numbers on the left.
    BottomUp,
    /// Row 1 is the highest; letters above, numbers on the left.
    TopDown,
    /// Row 1 is the lowest even when flipped; only columns are named, by numbers.
    ColumnsOnly,
}

/// Dimensions of a board of squares. Lengths are in squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GridLayout {
    pub(super) columns: u8,
    pub(super) rows: u8,
    /// Width of the frame around the squares.
    pub(super) rim: f32,
    /// Height of the free strips above and below the board.
    pub(super) strip_height: f32,
    pub(super) numbering: RowNumbering,
}

/// How the discs of a board look.
pub(super) struct DiscStyle {
    /// Radius, in squares.
    pub(super) radius: f32,
    /// Colours of the first and the second player's discs.
    pub(super) colours: [PieceColours; 2],
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
    /// A layout with a frame of a tenth of a square, and no strips.
    pub(super) const fn new(columns: u8, rows: u8, numbering: RowNumbering) -> Self {
        Self {
            columns,
            rows,
            rim: 0.1,
            strip_height: 0.0,
            numbering,
        }
    }

    pub(super) const fn with_rim(self, rim: f32) -> Self {
        Self { rim, ..self }
    }

    pub(super) const fn with_strips(self, strip_height: f32) -> Self {
        Self {
            strip_height,
            ..self
        }
    }

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

    /// Paints the frame, the ground, thin lines around the squares, and coordinates.
    pub(super) fn paint_empty_board(&self, brush: &mut Brush<'_, '_>, colour: egui::Color32) {
        self.paint_background(brush, colour);
        self.paint_grid(brush, 0.2);
        self.paint_coordinates(brush);
    }

    /// Paints thin lines around all squares.
    fn paint_grid(&self, brush: &mut Brush<'_, '_>, opacity: f32) {
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

    /// Paints visit shares: a disc for every move, on its square or where its arrow ends; the arrows of the best moves.
    pub(super) fn paint_move_groups(&self, brush: &mut Brush<'_, '_>, groups: &[MoveGroup]) {
        let is_arrow = |group: &&MoveGroup| group.places.len() > 1;
        let hidden = (groups.iter().filter(is_arrow).count()).saturating_sub(MAX_ARROWS);
        for group in groups.iter().filter(is_arrow).skip(hidden) {
            if group.is_chosen || group.share >= MIN_ARROW_SHARE {
                self.paint_arrow(brush, group);
            }
        }
        for group in groups {
            if let Some(at) = self.disc_centre(group) {
                paint_share_disc(brush, at, self.cell, group);
            }
        }
    }

    /// Centre of a move's disc. Where a piece comes from another square, it lies on that side of its target, so that the
    /// discs of several moves to one square can be told apart.
    fn disc_centre(&self, group: &MoveGroup) -> Option<(f32, f32)> {
        let mut centres = (group.places.iter()).filter_map(|&place| self.centre_of(place));
        let first = centres.next()?;
        Some(match centres.next() {
            Some(to) => toward(to, first, self.cell * DISC_OFFSET),
            None => first,
        })
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
    pub(super) fn paint_selection<T: Copy>(
        &self,
        brush: &mut Brush<'_, '_>,
        marks: &Marks,
        pieces: &SquareMap<T>,
    ) {
        if let Some(rect) = marks.selected.and_then(|place| self.rect_of(place)) {
            let width = (self.cell * 0.07).max(1.0);
            let colour = theme::to_skia(brush.theme.warm);
            brush.border(rect, self.cell * 0.1, width, colour);
        }
        let colour = with_opacity(themed_colour(brush.theme, 0xffffff, 0x10161d), 0.45);
        for &place in &marks.targets {
            let Some(at) = self.centre_of(place).filter(|_| marks.ghost != Some(place)) else {
                continue;
            };
            if pieces.at(place).is_some() {
                brush.ring(at, self.cell * 0.46, self.cell * 0.06, colour);
            } else {
                brush.disc(at, self.cell * 0.13, colour);
            }
        }
    }

    /// Paints the discs on their squares.
    pub(super) fn paint_discs(
        &self,
        brush: &mut Brush<'_, '_>,
        discs: &SquareMap<Player>,
        style: &DiscStyle,
    ) {
        for (column, row) in self.all() {
            if let (Some(player), Some(at)) = (discs.get(column, row), self.centre(column, row)) {
                brush.piece(at, self.cell * style.radius, style.colours[player.index()]);
            }
        }
    }

    /// Paints a translucent disc of the side to move as a preview, unless the square is occupied.
    pub(super) fn paint_ghost(
        &self,
        brush: &mut Brush<'_, '_>,
        over: &PaintContext<'_>,
        discs: &SquareMap<Player>,
        style: &DiscStyle,
    ) {
        if let Some(place) = over.marks.ghost.filter(|&place| discs.at(place).is_none())
            && let Some(at) = self.centre_of(place)
        {
            let colour = style.colours[over.mover.index()].fill;
            brush.disc(at, self.cell * style.radius, with_opacity(colour, 0.5));
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

/// The point `by` pixels from `start` on the way to `goal`.
fn toward(start: (f32, f32), goal: (f32, f32), by: f32) -> (f32, f32) {
    let (dx, dy) = (goal.0 - start.0, goal.1 - start.1);
    let length = dx.hypot(dy).max(f32::MIN_POSITIVE);
    (start.0 + dx / length * by, start.1 + dy / length * by)
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
