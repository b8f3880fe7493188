//! Boards made of squares: where the squares lie, what they are called, and the marks that all such boards share.

use tiny_skia::Rect;

use super::{
    Fit, Marks, Place, Route, Tone,
    brush::{Brush, faint, glow, middle, name_size},
    either,
};
use crate::theme;

/// How much room names take at an edge, in squares.
const NAMES: f32 = 0.42;
/// At most so many moves are shown as arrows: more would be a thicket.
const MOST_ARROWS: usize = 12;
/// Arrows with a smaller share are left out.
const LEAST_SHARE: f32 = 0.01;

/// Which way rows are counted, and what is written at the edges.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// Row 1 is the lowest; letters below, numbers on the left.
    Upwards,
    /// Row 1 is the highest; letters above, numbers on the left.
    Downwards,
    /// Row 1 is the lowest whoever looks, and only columns have names, which are numbers.
    Columns,
}

/// How a board of squares is laid out. Lengths are in squares.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) columns: u8,
    pub(super) rows: u8,
    /// From the edge of the board to its outer squares.
    pub(super) rim: f32,
    /// Kept free above the board and below it.
    pub(super) strip: f32,
    pub(super) count: Count,
}

/// Where the squares of a board lie, in pixels.
pub(super) struct Squares {
    plan: Plan,
    fit: Fit,
    flip: bool,
    coordinates: bool,
    /// The board with its rim.
    pub(super) board: Rect,
    /// The side of a square.
    pub(super) cell: f32,
}

impl Plan {
    /// The room for names on the left, above and below.
    fn names(&self, coordinates: bool) -> [f32; 3] {
        match self.count {
            _ if !coordinates => [0.0; 3],
            Count::Upwards => [NAMES, 0.0, NAMES],
            Count::Downwards => [NAMES, NAMES, 0.0],
            Count::Columns => [0.0, 0.0, NAMES],
        }
    }

    /// Width and height.
    pub(super) fn extent(&self, coordinates: bool) -> (f32, f32) {
        let [left, above, below] = self.names(coordinates);
        let board = |squares: u8| f32::from(squares) + 2.0 * self.rim;
        (
            board(self.columns) + left,
            board(self.rows) + above + below + 2.0 * self.strip,
        )
    }

    /// The squares of the board when it is drawn into `area`; none if there is no room at all.
    pub(super) fn squares(&self, area: Rect, marks: &Marks) -> Option<Squares> {
        let fit = Fit::new(area, self.extent(marks.coordinates));
        let [left, above, _] = self.names(marks.coordinates);
        let board = fit.rect(
            left,
            above + self.strip,
            f32::from(self.columns) + 2.0 * self.rim,
            f32::from(self.rows) + 2.0 * self.rim,
        )?;
        Some(Squares {
            plan: *self,
            fit,
            flip: marks.flip,
            coordinates: marks.coordinates,
            board: snapped(board).unwrap_or(board),
            cell: fit.unit,
        })
    }
}

/// The same rectangle with its edges between pixels, if anything is left of it.
fn snapped(rect: Rect) -> Option<Rect> {
    Rect::from_ltrb(
        rect.left().round(),
        rect.top().round(),
        rect.right().round(),
        rect.bottom().round(),
    )
}

impl Squares {
    /// Where a square is drawn, in squares from the left and from the top.
    fn drawn(&self, column: u8, row: u8) -> (u8, u8) {
        let Plan { columns, rows, .. } = self.plan;
        let turned = |index: u8, count: u8| count - 1 - index.min(count - 1);
        let column = if self.flip {
            turned(column, columns)
        } else {
            column
        };
        let upwards = match self.plan.count {
            Count::Upwards => !self.flip,
            Count::Downwards => self.flip,
            Count::Columns => true,
        };
        let row = if upwards { turned(row, rows) } else { row };
        (column, row)
    }

    /// A square; its edges lie between pixels where it is large enough to have any.
    pub(super) fn rect(&self, column: u8, row: u8) -> Option<Rect> {
        let (across, down) = self.drawn(column, row);
        let edge = |start: f32, index: f32| start + (self.plan.rim + index) * self.cell;
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
        snapped(exact)
    }

    pub(super) fn centre(&self, column: u8, row: u8) -> Option<(f32, f32)> {
        self.rect(column, row).map(middle)
    }

    /// The middle of a place, if it is a square of this board.
    pub(super) fn centre_of(&self, place: Place) -> Option<(f32, f32)> {
        self.rect_of(place).map(middle)
    }

    pub(super) fn rect_of(&self, place: Place) -> Option<Rect> {
        let Place::Square { column, row } = place else {
            return None;
        };
        let is_here = column < self.plan.columns && row < self.plan.rows;
        is_here.then(|| self.rect(column, row)).flatten()
    }

    /// All squares, row by row from a1.
    pub(super) fn all(&self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let Plan { columns, rows, .. } = self.plan;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    /// Every square as a place, and where it lies.
    pub(super) fn spots(&self) -> Vec<(Place, Rect)> {
        self.all()
            .filter_map(|square| Some((Place::square(square), self.rect(square.0, square.1)?)))
            .collect()
    }

    /// The strip above the board or below it.
    pub(super) fn strip(&self, above: bool) -> Option<Rect> {
        let (_, height) = self.plan.extent(self.coordinates);
        let y = if above { 0.0 } else { height - self.plan.strip };
        let strip = self.fit.rect(0.0, y, 1.0, self.plan.strip)?;
        Rect::from_ltrb(
            self.board.left(),
            strip.top(),
            self.board.right(),
            strip.bottom(),
        )
    }

    /// How thick a thin line is: whole pixels.
    pub(super) fn hairline(&self) -> f32 {
        (self.cell * 0.02).round().max(1.0)
    }

    /// The ground of the board with its rim.
    pub(super) fn ground(&self, brush: &mut Brush<'_, '_>, colour: egui::Color32) {
        brush.rounded(self.board, self.cell * 0.16, theme::skia(colour));
    }

    /// Thin lines around all squares.
    pub(super) fn grid(&self, brush: &mut Brush<'_, '_>, opacity: f32) {
        if self.cell < 4.0 {
            return;
        }
        let thick = self.hairline();
        let colour = faint(egui::Color32::BLACK, opacity);
        let at = |start: f32, index: u8| {
            let edge = start + (self.plan.rim + f32::from(index)) * self.cell;
            edge.round() - (thick / 2.0).floor()
        };
        let x = |column: u8| at(self.board.left(), column);
        let y = |row: u8| at(self.board.top(), row);
        let Plan { columns, rows, .. } = self.plan;
        let along = (0..=columns)
            .map(|column| Rect::from_ltrb(x(column), y(0), x(column) + thick, y(rows) + thick));
        // The lines across leave out what those along have drawn, so that crossings are no darker.
        let across = (0..=rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let across = across.map(|(column, row)| {
            Rect::from_ltrb(x(column) + thick, y(row), x(column + 1), y(row) + thick)
        });
        for line in along.chain(across).flatten() {
            brush.rectangle(line, colour);
        }
    }

    /// The names of columns and rows.
    pub(super) fn names(&self, brush: &mut Brush<'_, '_>) {
        if !self.coordinates {
            return;
        }
        let size = name_size(self.board.right() - self.fit.left, NAMES * self.cell);
        let away = NAMES / 2.0 * self.cell;
        let dim = brush.theme.dim;
        let Plan {
            columns,
            rows,
            count,
            ..
        } = self.plan;
        let y = if count == Count::Downwards {
            self.board.top() - away
        } else {
            self.board.bottom() + away
        };
        for column in 0..columns {
            let name = if count == Count::Columns {
                (b'1' + column) as char
            } else {
                (b'a' + column) as char
            };
            if let Some((x, _)) = self.centre(column, 0) {
                brush.text(name.encode_utf8(&mut [0; 4]), (x, y), size, dim);
            }
        }
        if count == Count::Columns {
            return;
        }
        for row in 0..rows {
            if let Some((_, y)) = self.centre(0, row) {
                let name = (row + 1).to_string();
                brush.text(&name, (self.board.left() - away, y), size, dim);
            }
        }
    }

    /// The moves of a search: discs on squares, arrows between squares.
    pub(super) fn routes(&self, brush: &mut Brush<'_, '_>, routes: &[Route]) {
        let (ways, squares): (Vec<&Route>, Vec<&Route>) =
            routes.iter().partition(|route| route.places.len() > 1);
        for route in squares {
            if let Some(at) = (route.places.first()).and_then(|&place| self.centre_of(place)) {
                weight(brush, at, self.cell, route);
            }
        }
        let hidden = ways.len().saturating_sub(MOST_ARROWS);
        for route in ways.into_iter().skip(hidden) {
            if route.chosen || route.share >= LEAST_SHARE {
                self.way(brush, route);
            }
        }
    }

    /// An arrow from the first place to the second, and a ring round what is picked up.
    fn way(&self, brush: &mut Brush<'_, '_>, route: &Route) {
        let mut centres = (route.places.iter()).filter_map(|&place| self.centre_of(place));
        let (Some(from), Some(to)) = (centres.next(), centres.next()) else {
            return;
        };
        let much = route.share.sqrt();
        let opacity = if route.chosen { 0.9 } else { 0.2 + 0.5 * much };
        let colour = faint(brush.theme.warm, opacity);
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
        if route.chosen
            && let Some(picked) = centres.next()
        {
            let width = (self.cell * 0.06).max(1.0);
            brush.ring(picked, self.cell * 0.46, width, colour);
        }
    }

    /// What a person has taken hold of, and where it may go; drawn over the pieces.
    pub(super) fn hands(
        &self,
        brush: &mut Brush<'_, '_>,
        marks: &Marks,
        is_taken: impl Fn(u8, u8) -> bool,
    ) {
        if let Some(rect) = marks.selected.and_then(|place| self.rect_of(place)) {
            let width = (self.cell * 0.07).max(1.0);
            let colour = theme::skia(brush.theme.warm);
            brush.border(rect, self.cell * 0.1, width, colour);
        }
        let colour = faint(either(brush.theme, 0xffffff, 0x10161d), 0.45);
        for &place in &marks.targets {
            let Place::Square { column, row } = place else {
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

    /// A translucent disc where a piece would go, unless another is there.
    pub(super) fn ghost(
        &self,
        brush: &mut Brush<'_, '_>,
        marks: &Marks,
        (radius, tone): (f32, Tone),
        is_taken: impl Fn(u8, u8) -> bool,
    ) {
        if let Some(place @ Place::Square { column, row }) = marks.ghost
            && let Some(at) = self.centre_of(place).filter(|_| !is_taken(column, row))
        {
            brush.disc(at, radius, faint(tone.fill, 0.5));
        }
    }

    /// A small dot on the last move's square.
    pub(super) fn last_dot(&self, brush: &mut Brush<'_, '_>, place: Place) {
        if let Some(at) = self.centre_of(place) {
            let colour = theme::skia(brush.theme.bad);
            brush.disc(at, (self.cell * 0.11).max(1.0), colour);
        }
    }
}

/// A warm disc whose area is a move's share of the visits.
pub(super) fn weight(brush: &mut Brush<'_, '_>, at: (f32, f32), cell: f32, route: &Route) {
    if route.share <= 0.0 && !route.chosen {
        return;
    }
    let radius = (cell * 0.4 * route.share.sqrt()).max(cell * 0.06);
    let opacity = if route.chosen { 0.95 } else { 0.6 };
    brush.disc(at, radius, faint(glow(brush.theme), opacity));
}
