//! Delta: stones on five by five squares, and each side's reserve beside them.

use canopy_engine::games::{Player, notation};
use egui::Color32;
use tiny_skia::Rect;

use super::{
    BLACK, Face, Kind, Marks, Overlay, Place, Tone, WHITE,
    brush::{Brush, faint, middle},
    either,
    motion::{Body, Changes, Leg, Moving, SLIDE, between},
    squares::{Count, Plan, Squares},
};
use crate::theme::{self, Theme, mix};

const SIDE: u8 = 5;
/// Stones of each side.
const STONES: usize = 9;

const PLAN: Plan = Plan {
    columns: SIDE,
    rows: SIDE,
    rim: 0.1,
    strip: 0.6,
    count: Count::Upwards,
};

/// When a slide's other stone sets out, in milliseconds.
const DROP: f32 = 110.0;

/// How large a stone is on the board and in a reserve, in squares.
const STONE: f32 = 0.38;
const SMALL_STONE: f32 = 0.17;

/// The stones, a1 first, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Delta {
    stones: Vec<Option<Player>>,
    /// Stones of each side that are on their way.
    in_hand: [usize; 2],
}

impl Delta {
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
            in_hand: [0; 2],
        })
    }

    fn stone(&self, column: u8, row: u8) -> Option<Player> {
        let index = usize::from(row) * usize::from(SIDE) + usize::from(column);
        self.stones.get(index).copied().flatten()
    }

    /// Stones of a side that are not on the board, nor on their way.
    fn reserve(&self, owner: Player) -> usize {
        let placed = (self.stones.iter()).filter(|stone| **stone == Some(owner));
        STONES.saturating_sub(placed.count() + self.in_hand[owner.index()])
    }

    /// Stones on the board.
    pub(super) fn placed(&self) -> usize {
        self.stones.iter().flatten().count()
    }

    /// Takes a stone off the board; false if there is none.
    fn lift(&mut self, place: Place) -> bool {
        let Place::Square { column, row } = place else {
            return false;
        };
        let index = usize::from(row) * usize::from(SIDE) + usize::from(column);
        (self.stones.get_mut(index)).is_some_and(|stone| stone.take().is_some())
    }

    /// A stone is put down; or it slides, and then another one follows from the reserve, or from where it is picked up.
    pub(super) fn changes(&self, places: &[Place], mover: Player) -> Option<Changes> {
        let (body, reserve) = (Body::Disc(mover), Place::Reserve { owner: mover });
        let lasts = DROP + SLIDE;
        let mut still = self.clone();
        let legs = match *places {
            [to] => vec![Leg::new(body, reserve, to, 0.0..SLIDE)],
            [from, to, ref picked @ ..] => {
                let other = picked.first().copied().unwrap_or(reserve);
                vec![
                    Leg::new(body, other, dropped(from, to)?, DROP..lasts).shown(0.0..lasts),
                    Leg::new(body, from, to, 0.0..SLIDE).shown(0.0..lasts),
                ]
            }
            [] => return None,
        };
        for leg in &legs {
            still.lift(leg.from);
        }
        still.in_hand[mover.index()] = legs.len();
        Some(Changes {
            still: vec![(0.0, Kind::Delta(still))],
            legs,
        })
    }

    /// Where a stone lies and how large it is: on its square, or as the last one of a reserve.
    fn lies(&self, squares: &Squares, flip: bool, place: Place) -> Option<((f32, f32), f32)> {
        match place {
            Place::Reserve { owner } => {
                let at = reserved(squares, flip, owner, self.reserve(owner))?;
                Some((at, squares.cell * SMALL_STONE))
            }
            place => Some((squares.centre_of(place)?, squares.cell * STONE)),
        }
    }

    /// Draws the stones on their way.
    fn paint_moving(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        (moving, flip): (&[Moving], bool),
    ) {
        for Moving {
            body,
            from,
            to,
            along,
        } in moving
        {
            let [from, to] = [*from, *to].map(|place| self.lies(squares, flip, place));
            let (Body::Disc(player), Some((from, small)), Some((to, large))) = (*body, from, to)
            else {
                continue;
            };
            let at = (between(from.0, to.0, *along), between(from.1, to.1, *along));
            let tone = self.tone(player, brush.theme);
            brush.piece(at, between(small, large, *along), tone);
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
        let Some(strip) = squares.strip(is_above(owner, marks.flip)) else {
            return;
        };
        let tone = self.tone(owner, brush.theme);
        let tray_colour = mix(brush.theme.panel, ground(brush.theme), 0.6);
        let gap = squares.cell * 0.07;
        if let Some(tray) = strip.inset(0.0, gap) {
            brush.rounded(tray, squares.cell * 0.16, theme::skia(tray_colour));
        }
        let radius = squares.cell * SMALL_STONE;
        let left = self.reserve(owner);
        for index in 0..STONES {
            let Some(at) = reserved(squares, marks.flip, owner, index) else {
                continue;
            };
            if index < left {
                brush.piece(at, radius, tone);
            } else {
                let width = (squares.cell * 0.02).max(1.0);
                brush.ring(at, radius, width, faint(brush.theme.dim, 0.4));
            }
        }
        let place = Place::Reserve { owner };
        if marks.selected == Some(place) || marks.targets.contains(&place) {
            let width = (squares.cell * 0.05).max(1.0);
            let colour = theme::skia(brush.theme.warm);
            brush.border(strip, squares.cell * 0.2, width, colour);
        }
    }

    /// Dots on what the last move put down, and a fainter one where it came from.
    fn paint_last(&self, brush: &mut Brush<'_, '_>, squares: &Squares, last: &[Place]) {
        let put_down = match *last {
            [place] => [Some(place), None],
            [from, to, ..] => [Some(to), dropped(from, to)],
            [] => [None; 2],
        };
        for place in put_down.into_iter().flatten() {
            // A stone that is on its way is not yet there.
            if let Place::Square { column, row } = place
                && self.stone(column, row).is_some()
            {
                squares.last_dot(brush, place);
            }
        }
        let [from, _, ..] = *last else { return };
        if let Some(rect) = squares.rect_of(from) {
            let (radius, width) = (squares.cell * 0.14, (squares.cell * 0.04).max(1.0));
            let colour = faint(brush.theme.bad, 0.9);
            brush.ring(middle(rect), radius, width, colour);
        }
    }
}

/// Where a stone of a reserve lies, counted from 0.
fn reserved(squares: &Squares, flip: bool, owner: Player, index: usize) -> Option<(f32, f32)> {
    let (x, y) = middle(squares.strip(is_above(owner, flip))?);
    let step = squares.cell * 0.48;
    Some((x + (index as f32 - (STONES - 1) as f32 / 2.0) * step, y))
}

/// The colour of the board.
fn ground(theme: &Theme) -> Color32 {
    either(theme, 0x5a5470, 0xbcb4cc)
}

/// Whether a reserve lies above the board.
fn is_above(owner: Player, flip: bool) -> bool {
    (owner == Player::Second) != flip
}

/// The square on which a slide drops a stone: the last one it passes.
fn dropped(from: Place, to: Place) -> Option<Place> {
    let (
        Place::Square { column, row },
        Place::Square {
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
    Some(Place::square((
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

impl Face for Delta {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        PLAN.extent(coordinates)
    }

    fn spots(&self, area: Rect, marks: &Marks) -> Vec<(Place, Rect)> {
        let Some(squares) = PLAN.squares(area, marks) else {
            return Vec::new();
        };
        let mut spots = squares.spots();
        spots.extend(
            [Player::First, Player::Second]
                .into_iter()
                .filter_map(|owner| {
                    let strip = squares.strip(is_above(owner, marks.flip))?;
                    Some((Place::Reserve { owner }, strip))
                }),
        );
        spots
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &Overlay<'_>) {
        let Some(squares) = PLAN.squares(area, marks) else {
            return;
        };
        squares.ground(brush, ground(brush.theme));
        squares.grid(brush, 0.2);
        squares.names(brush);
        for owner in [Player::First, Player::Second] {
            self.paint_reserve(brush, &squares, marks, owner);
        }
        for (column, row) in squares.all() {
            if let (Some(player), Some(at)) = (self.stone(column, row), squares.centre(column, row))
            {
                brush.piece(at, squares.cell * STONE, self.tone(player, brush.theme));
            }
        }
        squares.routes(brush, over.routes);
        let is_taken = |column, row| self.stone(column, row).is_some();
        let ghost = (squares.cell * STONE, self.tone(over.mover, brush.theme));
        squares.ghost(brush, marks, ghost, is_taken);
        squares.hands(brush, marks, is_taken);
        self.paint_last(brush, &squares, &marks.last);
        self.paint_moving(brush, &squares, (over.moving, marks.flip));
    }

    /// A square to place on, or from where to where; then what is picked up.
    fn places_of(&self, mv: &str, _: Player) -> Vec<Place> {
        let (way, picked) = match mv.split_once('x') {
            Some((way, picked)) => (way, Some(picked)),
            None => (mv, None),
        };
        let parts = match (way.get(..2), way.get(2..)) {
            (Some(square), Some("")) => vec![square],
            (Some(from), Some(to)) => vec![from, to],
            _ => Vec::new(),
        };
        let squares = (parts.into_iter().chain(picked))
            .map(|part| notation::parse_square(part, SIDE, SIDE).map(Place::square));
        squares.collect::<Option<_>>().unwrap_or_default()
    }

    fn tone(&self, player: Player, _: &Theme) -> Tone {
        match player {
            Player::First => BLACK,
            Player::Second => WHITE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_and_reserves_are_read() {
        let board = Delta::read("4o/3*1/2*2/o4/5 b 4").unwrap();
        assert_eq!(board.stone(4, 4), Some(Player::Second));
        assert_eq!(board.stone(3, 3), Some(Player::First));
        assert_eq!(board.stone(0, 1), Some(Player::Second));
        assert_eq!(board.stone(0, 0), None);
        assert_eq!(
            [Player::First, Player::Second].map(|owner| board.reserve(owner)),
            [7, 7]
        );
        for wrong in ["", "5/5", "5/5/5/5/6", "5/5/5/5/x4", "9/5/5/5/5"] {
            assert_eq!(Delta::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn moves_name_one_two_or_three_squares() {
        let board = Delta::read("5/5/5/5/5 b 0").unwrap();
        let places = |mv: &str| board.places_of(mv, Player::First);
        let [b2, b5, c3] = [(1, 1), (1, 4), (2, 2)].map(Place::square);
        assert_eq!(places("b2"), [b2]);
        assert_eq!(places("b2b5"), [b2, b5]);
        assert_eq!(places("b2b5xc3"), [b2, b5, c3]);
        for none in ["", "b", "b2b", "b2b5x", "b2b5xz9", "x", "żó"] {
            assert_eq!(places(none), [], "{none}");
        }
    }

    #[test]
    fn a_stone_is_dropped_just_before_the_end_of_a_slide() {
        let [a1, d4, c3, d1, c1] = [(0, 0), (3, 3), (2, 2), (3, 0), (2, 0)].map(Place::square);
        assert_eq!(dropped(a1, d4), Some(c3));
        assert_eq!(dropped(a1, d1), Some(c1));
        assert_eq!(dropped(d4, d1), Some(Place::square((3, 1))));
    }
}
