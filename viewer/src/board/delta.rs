//! Delta: stones on five by five squares, and each side's reserve beside them.

use canopy_engine::games::{Player, notation};
use egui::Color32;
use tiny_skia::Rect;

use super::{
    BLACK_STONE, BoardKind, BoardPlace, BoardReader, BoardRenderer, Marks, PaintContext,
    PieceColours, WHITE_STONE,
    animation::{AnimationScript, MovingSprite, SLIDE_MS, Sprite, Tween, lerp},
    brush::{Brush, rect_centre, with_opacity},
    squares::{GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::theme::{self, Theme, mix};

const SIDE: u8 = 5;
/// Stones of each side.
const STONES_PER_SIDE: usize = 9;

const LAYOUT: GridLayout = GridLayout {
    columns: SIDE,
    rows: SIDE,
    rim: 0.1,
    strip_height: 0.6,
    numbering: RowNumbering::BottomUp,
};

/// When a slide's other stone sets out, in milliseconds.
const DROP_DELAY_MS: f32 = 110.0;

/// How large a stone is on the board and in a reserve, in squares.
const STONE_RADIUS: f32 = 0.38;
const RESERVE_STONE_RADIUS: f32 = 0.17;

/// How the positions of the game are read.
pub(super) const READER: BoardReader = BoardReader {
    game: "delta",
    read: |text| Some(BoardKind::Delta(DeltaBoard::read(text)?)),
};

/// The stones, a1 first, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DeltaBoard {
    stones: Vec<Option<Player>>,
    /// Stones of each side that are on their way.
    in_motion: [usize; 2],
}

impl DeltaBoard {
    /// Reads five rows from the top; what follows them is not looked at.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rows: Vec<Vec<Option<Player>>> = text
            .split_whitespace()
            .next()?
            .split('/')
            .map(read_row)
            .collect::<Option<_>>()?;
        rows.reverse();
        (rows.len() == usize::from(SIDE)).then(|| Self {
            stones: rows.concat(),
            in_motion: [0; 2],
        })
    }

    fn stone(&self, column: u8, row: u8) -> Option<Player> {
        let index = usize::from(row) * usize::from(SIDE) + usize::from(column);
        self.stones.get(index).copied().flatten()
    }

    /// Stones of a side that are not on the board, nor on their way.
    fn reserve_count(&self, owner: Player) -> usize {
        let placed = (self.stones.iter()).filter(|stone| **stone == Some(owner));
        STONES_PER_SIDE.saturating_sub(placed.count() + self.in_motion[owner.index()])
    }

    /// Stones on the board.
    pub(super) fn stone_count(&self) -> usize {
        self.stones.iter().flatten().count()
    }

    /// Takes a stone off the board; false if there is none.
    fn remove_stone(&mut self, place: BoardPlace) -> bool {
        let BoardPlace::Square { column, row } = place else {
            return false;
        };
        let index = usize::from(row) * usize::from(SIDE) + usize::from(column);
        (self.stones.get_mut(index)).is_some_and(|stone| stone.take().is_some())
    }

    /// A stone is put down; or it slides, and then another one follows from the reserve, or from where it is picked up.
    pub(super) fn animation_script(
        &self,
        places: &[BoardPlace],
        mover: Player,
    ) -> Option<AnimationScript> {
        let (body, reserve) = (Sprite::Disc(mover), BoardPlace::Reserve { owner: mover });
        let lasts = DROP_DELAY_MS + SLIDE_MS;
        let mut still = self.clone();
        let legs = match *places {
            [to] => vec![Tween::new(body, reserve, to, 0.0..SLIDE_MS)],
            [from, to, ref picked @ ..] => {
                let other = picked.first().copied().unwrap_or(reserve);
                vec![
                    Tween::new(body, other, drop_square(from, to)?, DROP_DELAY_MS..lasts)
                        .with_visible(0.0..lasts),
                    Tween::new(body, from, to, 0.0..SLIDE_MS).with_visible(0.0..lasts),
                ]
            }
            [] => return None,
        };
        for leg in &legs {
            still.remove_stone(leg.from);
        }
        still.in_motion[mover.index()] = legs.len();
        Some(AnimationScript {
            backgrounds: vec![(0.0, BoardKind::Delta(still))],
            tweens: legs,
        })
    }

    /// Where a stone lies and how large it is: on its square, or as the last one of a reserve.
    fn stone_position(
        &self,
        squares: &Squares,
        flip: bool,
        place: BoardPlace,
    ) -> Option<((f32, f32), f32)> {
        match place {
            BoardPlace::Reserve { owner } => {
                let at = reserve_position(squares, flip, owner, self.reserve_count(owner))?;
                Some((at, squares.cell * RESERVE_STONE_RADIUS))
            }
            place => Some((squares.centre_of(place)?, squares.cell * STONE_RADIUS)),
        }
    }

    /// Draws the stones on their way.
    fn paint_moving_stones(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        (moving, flip): (&[MovingSprite], bool),
    ) {
        for MovingSprite {
            sprite: body,
            from,
            to,
            progress: along,
        } in moving
        {
            let [from, to] = [*from, *to].map(|place| self.stone_position(squares, flip, place));
            let (Sprite::Disc(player), Some((from, small)), Some((to, large))) = (*body, from, to)
            else {
                continue;
            };
            let at = (lerp(from.0, to.0, *along), lerp(from.1, to.1, *along));
            let tone = self.piece_colours(player, brush.theme);
            brush.piece(at, lerp(small, large, *along), tone);
        }
    }

    /// The reserve as a row of nine places, each with a stone or without.
    fn paint_reserve(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        marks: &Marks,
        owner: Player,
    ) {
        let Some(strip) = squares.strip_rect(is_reserve_above(owner, marks.is_flipped)) else {
            return;
        };
        let tone = self.piece_colours(owner, brush.theme);
        let tray_colour = mix(brush.theme.panel, background(brush.theme), 0.6);
        let gap = squares.cell * 0.07;
        if let Some(tray) = strip.inset(0.0, gap) {
            brush.rounded_rectangle(tray, squares.cell * 0.16, theme::to_skia(tray_colour));
        }
        let radius = squares.cell * RESERVE_STONE_RADIUS;
        let left = self.reserve_count(owner);
        for index in 0..STONES_PER_SIDE {
            let Some(at) = reserve_position(squares, marks.is_flipped, owner, index) else {
                continue;
            };
            if index < left {
                brush.piece(at, radius, tone);
            } else {
                let width = (squares.cell * 0.02).max(1.0);
                brush.ring(at, radius, width, with_opacity(brush.theme.dim, 0.4));
            }
        }
        let place = BoardPlace::Reserve { owner };
        if marks.selected == Some(place) || marks.targets.contains(&place) {
            let width = (squares.cell * 0.05).max(1.0);
            let colour = theme::to_skia(brush.theme.warm);
            brush.border(strip, squares.cell * 0.2, width, colour);
        }
    }

    /// Dots on what the last move put down, and a fainter one where it came from.
    fn paint_last_move(&self, brush: &mut Brush<'_, '_>, squares: &Squares, last: &[BoardPlace]) {
        let put_down = match *last {
            [place] => [Some(place), None],
            [from, to, ..] => [Some(to), drop_square(from, to)],
            [] => [None; 2],
        };
        for place in put_down.into_iter().flatten() {
            // A stone that is on its way is not yet there.
            if let BoardPlace::Square { column, row } = place
                && self.stone(column, row).is_some()
            {
                squares.paint_last_move_dot(brush, place);
            }
        }
        let [from, _, ..] = *last else { return };
        if let Some(rect) = squares.rect_of(from) {
            let (radius, width) = (squares.cell * 0.14, (squares.cell * 0.04).max(1.0));
            let colour = with_opacity(brush.theme.bad, 0.9);
            brush.ring(rect_centre(rect), radius, width, colour);
        }
    }
}

/// Where a stone of a reserve lies, counted from 0.
fn reserve_position(
    squares: &Squares,
    flip: bool,
    owner: Player,
    index: usize,
) -> Option<(f32, f32)> {
    let (x, y) = rect_centre(squares.strip_rect(is_reserve_above(owner, flip))?);
    let step = squares.cell * 0.48;
    Some((
        x + (index as f32 - (STONES_PER_SIDE - 1) as f32 / 2.0) * step,
        y,
    ))
}

/// The colour of the board.
fn background(theme: &Theme) -> Color32 {
    themed_colour(theme, 0x5a5470, 0xbcb4cc)
}

/// Whether a reserve lies above the board.
fn is_reserve_above(owner: Player, flip: bool) -> bool {
    (owner == Player::Second) != flip
}

/// The square on which a slide drops a stone: the last one it passes.
fn drop_square(from: BoardPlace, to: BoardPlace) -> Option<BoardPlace> {
    let (
        BoardPlace::Square { column, row },
        BoardPlace::Square {
            column: to_column,
            row: to_row,
        },
    ) = (from, to)
    else {
        return None;
    };
    let before = |from: u8, to: u8| match from.cmp(&to) {
        std::cmp::Ordering::Less => to - 1,
        std::cmp::Ordering::Equal => to,
        std::cmp::Ordering::Greater => to + 1,
    };
    Some(BoardPlace::square((
        before(column, to_column),
        before(row, to_row),
    )))
}

fn read_row(text: &str) -> Option<Vec<Option<Player>>> {
    let mut squares = Vec::new();
    for symbol in text.chars() {
        match symbol {
            '*' => squares.push(Some(Player::First)),
            'o' => squares.push(Some(Player::Second)),
            _ => squares.extend((0..symbol.to_digit(10)?).map(|_| None)),
        }
    }
    (squares.len() == usize::from(SIDE)).then_some(squares)
}

impl BoardRenderer for DeltaBoard {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        LAYOUT.extent(coordinates)
    }

    fn place_rects(&self, area: Rect, marks: &Marks) -> Vec<(BoardPlace, Rect)> {
        let Some(squares) = LAYOUT.squares(area, marks) else {
            return Vec::new();
        };
        let mut spots = squares.place_rects();
        spots.extend(
            [Player::First, Player::Second]
                .into_iter()
                .filter_map(|owner| {
                    let strip = squares.strip_rect(is_reserve_above(owner, marks.is_flipped))?;
                    Some((BoardPlace::Reserve { owner }, strip))
                }),
        );
        spots
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &PaintContext<'_>) {
        let Some(squares) = LAYOUT.squares(area, marks) else {
            return;
        };
        squares.paint_background(brush, background(brush.theme));
        squares.paint_grid(brush, 0.2);
        squares.paint_coordinates(brush);
        for owner in [Player::First, Player::Second] {
            self.paint_reserve(brush, &squares, marks, owner);
        }
        for (column, row) in squares.all() {
            if let (Some(player), Some(at)) = (self.stone(column, row), squares.centre(column, row))
            {
                brush.piece(
                    at,
                    squares.cell * STONE_RADIUS,
                    self.piece_colours(player, brush.theme),
                );
            }
        }
        squares.paint_move_groups(brush, over.move_groups);
        let is_taken = |column, row| self.stone(column, row).is_some();
        let ghost = (
            squares.cell * STONE_RADIUS,
            self.piece_colours(over.mover, brush.theme),
        );
        squares.paint_ghost(brush, marks, ghost, is_taken);
        squares.paint_selection(brush, marks, is_taken);
        self.paint_last_move(brush, &squares, &marks.last_move);
        self.paint_moving_stones(brush, &squares, (over.moving, marks.is_flipped));
    }

    /// A square to place on, or from where to where; then what is picked up.
    fn move_places(&self, mv: &str, _: Player) -> Vec<BoardPlace> {
        let (slide, picked) = match mv.split_once('x') {
            Some((slide, picked)) => (slide, Some(picked)),
            None => (mv, None),
        };
        let parts = match (slide.get(..2), slide.get(2..)) {
            (Some(square), Some("")) => vec![square],
            (Some(from), Some(to)) => vec![from, to],
            _ => Vec::new(),
        };
        let squares = (parts.into_iter().chain(picked))
            .map(|part| notation::parse_square(part, SIDE, SIDE).map(BoardPlace::square));
        squares.collect::<Option<_>>().unwrap_or_default()
    }

    fn piece_colours(&self, player: Player, _: &Theme) -> PieceColours {
        match player {
            Player::First => BLACK_STONE,
            Player::Second => WHITE_STONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_and_reserves_are_read() {
        let board = DeltaBoard::read("4o/3*1/2*2/o4/5 b 4").unwrap();
        assert_eq!(board.stone(4, 4), Some(Player::Second));
        assert_eq!(board.stone(3, 3), Some(Player::First));
        assert_eq!(board.stone(0, 1), Some(Player::Second));
        assert_eq!(board.stone(0, 0), None);
        assert_eq!(
            [Player::First, Player::Second].map(|owner| board.reserve_count(owner)),
            [7, 7]
        );
        for wrong in ["", "5/5", "5/5/5/5/6", "5/5/5/5/x4", "9/5/5/5/5"] {
            assert_eq!(DeltaBoard::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn moves_name_one_two_or_three_squares() {
        let board = DeltaBoard::read("5/5/5/5/5 b 0").unwrap();
        let places = |mv: &str| board.move_places(mv, Player::First);
        let [b2, b5, c3] = [(1, 1), (1, 4), (2, 2)].map(BoardPlace::square);
        assert_eq!(places("b2"), [b2]);
        assert_eq!(places("b2b5"), [b2, b5]);
        assert_eq!(places("b2b5xc3"), [b2, b5, c3]);
        for none in ["", "b", "b2b", "b2b5x", "b2b5xz9", "x", "żó"] {
            assert_eq!(places(none), [], "{none}");
        }
    }

    #[test]
    fn a_stone_is_dropped_just_before_the_end_of_a_slide() {
        let [a1, d4, c3, d1, c1] = [(0, 0), (3, 3), (2, 2), (3, 0), (2, 0)].map(BoardPlace::square);
        assert_eq!(drop_square(a1, d4), Some(c3));
        assert_eq!(drop_square(a1, d1), Some(c1));
        assert_eq!(drop_square(d4, d1), Some(BoardPlace::square((3, 1))));
    }
}
