//! Connect four: discs behind an upright plate with holes.

use canopy_engine::games::Player;
use egui::Color32;
use tiny_skia::{PathBuilder, Rect};

use super::{
    BoardKind, BoardPlace, BoardReader, BoardRenderer, Marks, PaintContext, PieceColours,
    animation::{AnimationScript, Easing, MovingSprite, Sprite, Tween, lerp},
    brush::{Brush, push_rounded_rectangle, with_opacity},
    squares::{GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::theme::{self, Theme};

/// How long a disc falls by one row, in milliseconds; by four rows it takes twice as long.
const FALL_MS: f32 = 150.0;
/// How long it takes to come to rest.
const LANDING_MS: f32 = 110.0;
/// How high it jumps when it lands, in rows.
const BOUNCE_ROWS: f32 = 0.09;

/// How large a hole is, in squares.
const HOLE_RADIUS: f32 = 0.41;

/// How the positions of the game are read.
pub(super) const READER: BoardReader = BoardReader {
    game: "connect-four",
    read: |text| Some(BoardKind::ConnectFour(ConnectFourBoard::read(text)?)),
};

/// The holes, row 1 first, each row from column 1 on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConnectFourBoard {
    columns: u8,
    rows: u8,
    discs: Vec<Option<Player>>,
}

impl ConnectFourBoard {
    /// Reads rows from the top with / between them; what follows them is not looked at.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rows: Vec<Vec<Option<Player>>> = text
            .split_whitespace()
            .next()?
            .split('/')
            .map(read_row)
            .collect::<Option<_>>()?;
        rows.reverse();
        let columns = rows.first()?.len();
        let same = rows.iter().all(|row| row.len() == columns);
        (same && (1..=9).contains(&columns) && rows.len() <= 9).then(|| Self {
            columns: columns as u8,
            rows: rows.len() as u8,
            discs: rows.concat(),
        })
    }

    fn disc(&self, column: u8, row: u8) -> Option<Player> {
        let index = usize::from(row) * usize::from(self.columns) + usize::from(column);
        self.discs.get(index).copied().flatten()
    }

    /// The holes of all lines of four discs of one player, some perhaps twice.
    fn winning_lines(&self) -> Vec<BoardPlace> {
        let mut fours = Vec::new();
        for row in 0..self.rows {
            for column in 0..self.columns {
                let Some(player) = self.disc(column, row) else {
                    continue;
                };
                for (right, up) in [(1, 0), (1, 1), (0, 1), (-1, 1)] {
                    let hole = |step: i8| {
                        let column = column.checked_add_signed(right * step)?;
                        let row = row.checked_add_signed(up * step)?;
                        let is_there = column < self.columns && row < self.rows;
                        (is_there && self.disc(column, row) == Some(player))
                            .then_some(BoardPlace::Square { column, row })
                    };
                    let line: Option<Vec<BoardPlace>> = (0..4).map(hole).collect();
                    fours.extend(line.unwrap_or_default());
                }
            }
        }
        fours
    }

    /// Fills the ring of the disc that fell last: a red dot would not be seen on a red disc.
    fn paint_last_move(&self, brush: &mut Brush<'_, '_>, squares: &Squares, place: BoardPlace) {
        let BoardPlace::Square { column, row } = place else {
            return;
        };
        if let (Some(player), Some(at)) = (self.disc(column, row), squares.centre(column, row)) {
            let colour = self.piece_colours(player, brush.theme).edge;
            brush.disc(at, squares.cell * 0.13, theme::to_skia(colour));
        }
    }

    /// The hole in which a disc dropped into a column would come to rest.
    fn landing_hole(&self, column: u8) -> Option<BoardPlace> {
        let free = |row: &u8| self.disc(column, *row).is_none();
        let row = (0..self.rows).find(free).filter(|_| column < self.columns);
        row.map(|row| BoardPlace::Square { column, row })
    }

    /// A disc falls from above the column, jumps a little and lies.
    pub(super) fn animation_script(
        &self,
        places: &[BoardPlace],
        mover: Player,
    ) -> Option<AnimationScript> {
        let &[to @ BoardPlace::Square { row, .. }] = places else {
            return None;
        };
        let rows = f32::from(self.rows.checked_sub(row)?);
        let falls = FALL_MS * rows.sqrt();
        let lasts = falls + LANDING_MS;
        let from = BoardPlace::Reserve { owner: mover };
        let easing = Easing::FallAndBounce {
            landing: falls / lasts,
            bounce: BOUNCE_ROWS / rows.max(1.0),
        };
        let leg = Tween::new(Sprite::Disc(mover), from, to, 0.0..lasts);
        Some(AnimationScript {
            backgrounds: vec![(0.0, BoardKind::ConnectFour(self.clone()))],
            tweens: vec![Tween { easing, ..leg }],
        })
    }

    /// Draws a disc in its hole, or on its way down.
    fn paint_disc(&self, brush: &mut Brush<'_, '_>, squares: &Squares, at: (f32, f32), by: Player) {
        let hole = squares.cell * HOLE_RADIUS;
        let tone = self.piece_colours(by, brush.theme);
        // The plate hides the edge.
        brush.disc(at, hole + 1.0, theme::to_skia(tone.fill));
        let width = (squares.cell * 0.045).max(1.0);
        brush.ring(at, hole * 0.72, width, with_opacity(tone.edge, 0.55));
    }

    /// Draws the disc that falls, behind the plate.
    fn paint_falling_disc(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        moving: &[MovingSprite],
    ) {
        for MovingSprite {
            sprite: body,
            to,
            progress: along,
            ..
        } in moving
        {
            let (Sprite::Disc(player), BoardPlace::Square { column, .. }) = (*body, *to) else {
                continue;
            };
            let top = squares.centre(column, self.rows.saturating_sub(1));
            if let (Some((x, top)), Some((_, y))) = (top, squares.centre_of(*to)) {
                let y = lerp(top - squares.cell, y, *along);
                self.paint_disc(brush, squares, (x, y), player);
            }
        }
    }

    /// Lights up a column of the plate, which is drawn already.
    fn paint_column(&self, brush: &mut Brush<'_, '_>, squares: &Squares, column: u8) {
        let [foot, head] = [0, self.rows.saturating_sub(1)]
            .map(|row| squares.rect_of(BoardPlace::Square { column, row }));
        let lit = foot.zip(head).and_then(|(foot, head)| {
            Rect::from_ltrb(foot.left(), head.top(), foot.right(), foot.bottom())
        });
        let Some(lit) = lit else { return };
        let mut path = PathBuilder::new();
        push_rounded_rectangle(&mut path, lit, squares.cell * 0.2);
        for at in (0..self.rows).filter_map(|row| squares.centre(column, row)) {
            path.push_circle(at.0, at.1, squares.cell * HOLE_RADIUS);
        }
        if let Some(path) = path.finish() {
            let opacity = if brush.theme.is_dark { 0.16 } else { 0.35 };
            brush.fill_even_odd(&path, with_opacity(Color32::WHITE, opacity));
        }
    }

    /// A translucent disc where one dropped into that column would come to rest.
    fn paint_ghost(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        (column, mover): (u8, Player),
    ) {
        if let Some(at) = self
            .landing_hole(column)
            .and_then(|place| squares.centre_of(place))
        {
            let tone = self.piece_colours(mover, brush.theme);
            let hole = squares.cell * HOLE_RADIUS;
            brush.disc(at, hole + 1.0, with_opacity(tone.fill, 0.45));
            let width = (squares.cell * 0.045).max(1.0);
            // What stands out from an empty hole.
            let ring = if brush.theme.is_dark {
                tone.fill
            } else {
                tone.edge
            };
            brush.ring(at, hole * 0.72, width, with_opacity(ring, 0.65));
        }
    }

    fn layout(&self) -> GridLayout {
        GridLayout {
            columns: self.columns,
            rows: self.rows,
            rim: 0.12,
            strip_height: 0.0,
            numbering: RowNumbering::ColumnsOnly,
        }
    }
}

fn read_row(text: &str) -> Option<Vec<Option<Player>>> {
    text.chars()
        .map(|symbol| match symbol {
            'X' => Some(Some(Player::First)),
            'O' => Some(Some(Player::Second)),
            '.' => Some(None),
            _ => None,
        })
        .collect()
}

impl BoardRenderer for ConnectFourBoard {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        self.layout().extent(coordinates)
    }

    fn place_rects(&self, area: Rect, marks: &Marks) -> Vec<(BoardPlace, Rect)> {
        (self.layout().squares(area, marks)).map_or_else(Vec::new, |squares| squares.place_rects())
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &PaintContext<'_>) {
        let Some(squares) = self.layout().squares(area, marks) else {
            return;
        };
        let hole = squares.cell * HOLE_RADIUS;
        let mut plate = PathBuilder::new();
        push_rounded_rectangle(&mut plate, squares.board, squares.cell * 0.3);
        // Behind the holes it is a little darker than around the board.
        let shade = if brush.theme.is_dark { 0.3 } else { 0.06 };
        if let Some(behind) = squares.board.inset(1.0, 1.0) {
            brush.rounded_rectangle(
                behind,
                squares.cell * 0.3,
                with_opacity(Color32::BLACK, shade),
            );
        }
        for (column, row) in squares.all() {
            let Some(at) = squares.centre(column, row) else {
                continue;
            };
            plate.push_circle(at.0, at.1, hole);
            if let Some(player) = self.disc(column, row) {
                self.paint_disc(brush, &squares, at, player);
            }
        }
        let lit = match marks.ghost {
            Some(BoardPlace::Square { column, .. }) => Some(column),
            _ => None,
        };
        if let Some(column) = lit {
            self.paint_ghost(brush, &squares, (column, over.mover));
        }
        self.paint_falling_disc(brush, &squares, over.moving);
        if let Some(plate) = plate.finish() {
            let colour = themed_colour(brush.theme, 0x41536a, 0x8da2ba);
            brush.fill_even_odd(&plate, theme::to_skia(colour));
        }
        if let Some(column) = lit {
            self.paint_column(brush, &squares, column);
        }
        squares.paint_coordinates(brush);
        squares.paint_move_groups(brush, over.move_groups);
        squares.paint_selection(brush, marks, |column, row| self.disc(column, row).is_some());
        for at in (self.winning_lines().into_iter()).filter_map(|place| squares.centre_of(place)) {
            let width = (squares.cell * 0.07).max(1.0);
            brush.ring(
                at,
                hole - width / 2.0,
                width,
                theme::to_skia(Color32::WHITE),
            );
        }
        for &place in &marks.last_move {
            self.paint_last_move(brush, &squares, place);
        }
    }

    /// The hole in which a disc dropped into that column would come to rest.
    fn move_places(&self, mv: &str, _: Player) -> Vec<BoardPlace> {
        let [digit @ b'1'..=b'9'] = mv.as_bytes() else {
            return Vec::new();
        };
        self.landing_hole(digit - b'1').into_iter().collect()
    }

    fn piece_colours(&self, player: Player, theme: &Theme) -> PieceColours {
        match player {
            Player::First => PieceColours {
                fill: themed_colour(theme, 0xdb5a44, 0xcc4630),
                edge: themed_colour(theme, 0x8f3021, 0x8a2a1a),
            },
            Player::Second => PieceColours {
                fill: themed_colour(theme, 0xa5d8ee, 0x9fd6ef),
                edge: themed_colour(theme, 0x5288a3, 0x3f7d9c),
            },
        }
    }

    /// Wherever one clicks in a column, the disc falls.
    fn is_same_click(&self, one: BoardPlace, other: BoardPlace) -> bool {
        match (one, other) {
            (BoardPlace::Square { column, .. }, BoardPlace::Square { column: other, .. }) => {
                column == other
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_are_read_and_fall() {
        let text = "......./......./......./......./...O.../X..X... O";
        let board = ConnectFourBoard::read(text).unwrap();
        assert_eq!((board.columns, board.rows), (7, 6));
        assert_eq!(board.disc(3, 0), Some(Player::First));
        assert_eq!(board.disc(3, 1), Some(Player::Second));
        let places = |mv: &str| board.move_places(mv, Player::First);
        assert_eq!(places("4"), [BoardPlace::Square { column: 3, row: 2 }]);
        assert_eq!(places("7"), [BoardPlace::Square { column: 6, row: 0 }]);
        for none in ["", "0", "8", "44", "ż"] {
            assert_eq!(places(none), [], "{none}");
        }
    }

    #[test]
    fn lines_of_four_are_found_in_every_direction() {
        let columns_and_rows = |text: &str| {
            let fours = ConnectFourBoard::read(text).unwrap().winning_lines();
            let square = |place| match place {
                BoardPlace::Square { column, row } => (column, row),
                other => panic!("{other:?}"),
            };
            fours.into_iter().map(square).collect::<Vec<_>>()
        };
        assert_eq!(columns_and_rows("......./O...... X"), []);
        assert_eq!(columns_and_rows(".XXX.XX/OOO.OOO X"), []);
        let flat = columns_and_rows("......./...XXXX X");
        assert_eq!(flat, [(3, 0), (4, 0), (5, 0), (6, 0)]);
        let upright = columns_and_rows("X../X../X../X../O.. O");
        assert_eq!(upright, [(0, 1), (0, 2), (0, 3), (0, 4)]);
        let rising = columns_and_rows("...X/..XO/.XOO/XOOO O");
        assert_eq!(rising, [(0, 0), (1, 1), (2, 2), (3, 3)]);
        let falling = columns_and_rows("X.../OX../OOX./OOOX O");
        assert_eq!(falling, [(3, 0), (2, 1), (1, 2), (0, 3)]);
    }

    #[test]
    fn other_sizes_are_read_and_nonsense_is_not() {
        let board = ConnectFourBoard::read("..../X.../XO.. O").unwrap();
        assert_eq!((board.columns, board.rows), (4, 3));
        let lands = board.move_places("1", Player::First);
        assert_eq!(lands, [BoardPlace::Square { column: 0, row: 2 }]);
        for wrong in ["", "/", "../...", "?", "..........", &"./".repeat(300)] {
            assert_eq!(ConnectFourBoard::read(wrong), None, "{wrong}");
        }
    }
}
