//! Connect four: discs behind an upright plate with holes.

use canopy_engine::games::{
    Piece, Player, Step,
    connect_four::{COLUMNS, ROWS},
};
use egui::Color32;
use tiny_skia::{PathBuilder, Rect};

use super::{
    BoardKind, BoardPlace, BoardStyle, GridRenderer, LastMoveMark, PaintContext, PieceColours,
    RefusedClick,
    animation::{AnimationScript, Easing, MovingSprite, Sprite, Tween, lerp},
    brush::{Brush, push_rounded_rectangle, with_opacity},
    square_map::{SquareMap, disc_owner},
    squares::{GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::theme::{self, Theme};

/// Time to fall one row; it grows with the square root of the rows.
const FALL_MS: f32 = 150.0;
/// Duration of the bounce.
const LANDING_MS: f32 = 110.0;
/// Height of the bounce, in rows.
const BOUNCE_ROWS: f32 = 0.09;

/// Radius of a hole, in squares.
const HOLE_RADIUS: f32 = 0.41;

/// The game's name.
pub(super) const GAME: &str = "connect-four";

const LAYOUT: GridLayout = GridLayout::new(COLUMNS, ROWS, RowNumbering::ColumnsOnly).with_rim(0.12);

/// The discs by their owners.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConnectFourBoard {
    discs: SquareMap<Player>,
}

impl ConnectFourBoard {
    pub(super) fn new(pieces: &[(BoardPlace, Piece, u32)]) -> Self {
        Self {
            discs: SquareMap::new(&LAYOUT, pieces, disc_owner),
        }
    }

    /// Fills the ring of the last disc; the red dot of other boards is invisible on a red disc.
    fn paint_last_move(&self, brush: &mut Brush<'_, '_>, squares: &Squares, place: BoardPlace) {
        if let (Some(player), Some(at)) = (self.discs.at(place), squares.centre_of(place)) {
            let colour = self.piece_colours(player, brush.theme).edge;
            brush.disc(at, squares.cell * 0.13, theme::to_skia(colour));
        }
    }

    /// A disc falls from above the column and bounces once.
    pub(super) fn animation_script(&self, steps: &[Step]) -> Option<AnimationScript> {
        let &[
            Step::Place {
                piece: Piece::Disc(player),
                at: to @ BoardPlace::Square { row, .. },
            },
        ] = steps
        else {
            return None;
        };
        let rows = f32::from(ROWS.checked_sub(row)?);
        let falls = FALL_MS * rows.sqrt();
        let lasts = falls + LANDING_MS;
        let from = BoardPlace::Reserve { owner: player };
        let easing = Easing::FallAndBounce {
            landing: falls / lasts,
            bounce: BOUNCE_ROWS / rows.max(1.0),
        };
        let tween = Tween::new(Sprite::Disc(player), from, to, 0.0..lasts);
        Some(AnimationScript {
            backgrounds: vec![(0.0, BoardKind::ConnectFour(self.clone()))],
            tweens: vec![Tween { easing, ..tween }],
        })
    }

    /// Paints a disc, at rest or falling.
    fn paint_disc(&self, brush: &mut Brush<'_, '_>, squares: &Squares, at: (f32, f32), by: Player) {
        let hole = squares.cell * HOLE_RADIUS;
        let tone = self.piece_colours(by, brush.theme);
        // The plate covers the disc's edge.
        brush.disc(at, hole + 1.0, theme::to_skia(tone.fill));
        let width = (squares.cell * 0.045).max(1.0);
        brush.ring(at, hole * 0.72, width, with_opacity(tone.edge, 0.55));
    }

    /// Paints the falling disc, behind the plate.
    fn paint_falling_disc(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        moving: &[MovingSprite],
    ) {
        for MovingSprite {
            sprite,
            to,
            progress,
            ..
        } in moving
        {
            let (Sprite::Disc(player), BoardPlace::Square { column, .. }) = (*sprite, *to) else {
                continue;
            };
            let top = squares.centre(column, ROWS.saturating_sub(1));
            if let (Some((x, top)), Some((_, y))) = (top, squares.centre_of(*to)) {
                let y = lerp(top - squares.cell, y, *progress);
                self.paint_disc(brush, squares, (x, y), player);
            }
        }
    }

    /// Highlights a column on the painted plate.
    fn paint_column(&self, brush: &mut Brush<'_, '_>, squares: &Squares, column: u8) {
        let [foot, head] = [0, ROWS.saturating_sub(1)]
            .map(|row| squares.rect_of(BoardPlace::Square { column, row }));
        let lit = foot.zip(head).and_then(|(foot, head)| {
            Rect::from_ltrb(foot.left(), head.top(), foot.right(), foot.bottom())
        });
        let Some(lit) = lit else { return };
        let mut path = PathBuilder::new();
        push_rounded_rectangle(&mut path, lit, squares.cell * 0.2);
        for at in (0..ROWS).filter_map(|row| squares.centre(column, row)) {
            path.push_circle(at.0, at.1, squares.cell * HOLE_RADIUS);
        }
        if let Some(path) = path.finish() {
            let opacity = if brush.theme.is_dark { 0.16 } else { 0.35 };
            brush.fill_even_odd(&path, with_opacity(Color32::WHITE, opacity));
        }
    }

    /// Paints a translucent disc in the hole where it would come to rest.
    fn paint_ghost(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        (landing, mover): (BoardPlace, Player),
    ) {
        if let Some(at) = squares.centre_of(landing) {
            let tone = self.piece_colours(mover, brush.theme);
            let hole = squares.cell * HOLE_RADIUS;
            brush.disc(at, hole + 1.0, with_opacity(tone.fill, 0.45));
            let width = (squares.cell * 0.045).max(1.0);
            // The colour with more contrast to an empty hole.
            let ring = if brush.theme.is_dark {
                tone.fill
            } else {
                tone.edge
            };
            brush.ring(at, hole * 0.72, width, with_opacity(ring, 0.65));
        }
    }
}

impl BoardStyle for ConnectFourBoard {
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

    /// The red dot of other boards is invisible on a red disc.
    fn last_move_mark(&self, player: Player, theme: &Theme) -> LastMoveMark {
        LastMoveMark::Dot(self.piece_colours(player, theme).edge)
    }

    fn refusal(&self, click: &RefusedClick) -> Option<String> {
        match click.place {
            BoardPlace::Square { column, .. } => Some(format!("Column {} is full.", column + 1)),
            _ => None,
        }
    }

    /// Any hole of a column selects the column.
    fn is_same_click(&self, one: BoardPlace, other: BoardPlace) -> bool {
        match (one, other) {
            (BoardPlace::Square { column, .. }, BoardPlace::Square { column: other, .. }) => {
                column == other
            }
            _ => false,
        }
    }
}

impl GridRenderer for ConnectFourBoard {
    fn layout(&self) -> GridLayout {
        LAYOUT
    }

    fn paint_squares(&self, brush: &mut Brush<'_, '_>, squares: &Squares, over: &PaintContext<'_>) {
        let marks = over.marks;
        let hole = squares.cell * HOLE_RADIUS;
        let mut plate = PathBuilder::new();
        push_rounded_rectangle(&mut plate, squares.board, squares.cell * 0.3);
        // Seen through the holes, the ground is a little darker than around the board.
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
            if let Some(player) = self.discs.get(column, row) {
                self.paint_disc(brush, squares, at, player);
            }
        }
        let lit = match marks.ghost {
            Some(BoardPlace::Square { column, .. }) => Some(column),
            _ => None,
        };
        let mut landings = over.facts.move_places.values().flatten();
        let is_under = |landing: &&BoardPlace| {
            (marks.ghost).is_some_and(|ghost| self.is_same_click(**landing, ghost))
        };
        if let Some(&landing) = landings.find(is_under) {
            self.paint_ghost(brush, squares, (landing, over.mover));
        }
        self.paint_falling_disc(brush, squares, over.moving);
        if let Some(plate) = plate.finish() {
            let colour = themed_colour(brush.theme, 0x41536a, 0x8da2ba);
            brush.fill_even_odd(&plate, theme::to_skia(colour));
        }
        if let Some(column) = lit {
            self.paint_column(brush, squares, column);
        }
        squares.paint_coordinates(brush);
        squares.paint_move_groups(brush, over.move_groups);
        squares.paint_selection(brush, marks, &self.discs);
        for &place in over.facts.winning_lines.iter().flatten() {
            let Some(at) = squares.centre_of(place) else {
                continue;
            };
            let width = (squares.cell * 0.07).max(1.0);
            brush.ring(
                at,
                hole - width / 2.0,
                width,
                theme::to_skia(Color32::WHITE),
            );
        }
        for &place in marks.last_places() {
            self.paint_last_move(brush, squares, place);
        }
    }
}
