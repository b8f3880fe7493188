//! Othello: black and white discs on green felt.

use canopy_engine::games::{Player, notation};
use tiny_skia::Rect;

use super::{
    BLACK, Face, Kind, Marks, Overlay, Place, Tone, WHITE,
    brush::{Brush, faint},
    either,
    motion::{Body, Changes, Leg, Moving},
    rgb,
    squares::{Count, Plan, Squares},
};
use crate::theme::Theme;

const SIDE: u8 = 8;

const PLAN: Plan = Plan {
    columns: SIDE,
    rows: SIDE,
    rim: 0.13,
    strip: 0.0,
    count: Count::Downwards,
};

/// The eight ways from a square.
const WAYS: [(i8, i8); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];

/// How long a disc takes to appear, in milliseconds.
const APPEAR: f32 = 90.0;
/// When the first disc begins to turn.
const FIRST_TURN: f32 = 40.0;
/// How much later the next one in a row begins.
const NEXT_TURN: f32 = 14.0;
/// How long a disc turns.
const TURN: f32 = 120.0;

/// How large a disc is, in squares.
const DISC: f32 = 0.4;

/// The discs, a1 first, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Othello {
    discs: Vec<Option<Player>>,
}

impl Othello {
    /// Reads 64 squares; what follows them is not looked at.
    pub(super) fn read(text: &str) -> Option<Self> {
        let squares = text.split_whitespace().next()?;
        let discs: Vec<Option<Player>> = (squares.chars())
            .map(|symbol| match symbol {
                'X' => Some(Some(Player::First)),
                'O' => Some(Some(Player::Second)),
                '-' => Some(None),
                _ => None,
            })
            .collect::<Option<_>>()?;
        (discs.len() == usize::from(SIDE) * usize::from(SIDE)).then_some(Self { discs })
    }

    fn disc(&self, column: u8, row: u8) -> Option<Player> {
        let index = usize::from(row) * usize::from(SIDE) + usize::from(column);
        self.discs.get(index).copied().flatten()
    }

    /// How many discs a player would capture on an empty square in one of the ways.
    fn captured(&self, (column, row): (u8, u8), (across, along): (i8, i8), by: Player) -> u32 {
        let (mut column, mut row, mut count) = (column, row, 0);
        loop {
            let next = (
                column.checked_add_signed(across),
                row.checked_add_signed(along),
            );
            let (Some(next_column), Some(next_row)) = next else {
                return 0;
            };
            if next_column >= SIDE || next_row >= SIDE {
                return 0;
            }
            (column, row) = (next_column, next_row);
            match self.disc(column, row) {
                None => return 0,
                Some(player) if player == by => return count,
                Some(_) => count += 1,
            }
        }
    }

    /// How many discs each player would capture on which empty square, where there are any.
    pub(super) fn captures(&self) -> Vec<(Place, [u32; 2])> {
        let squares = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (column, row)));
        squares
            .filter(|&(column, row)| self.disc(column, row).is_none())
            .map(|square| {
                let all = |by| WAYS.iter().map(|&way| self.captured(square, way, by)).sum();
                let counts: [u32; 2] = [Player::First, Player::Second].map(all);
                (Place::square(square), counts)
            })
            .filter(|(_, counts)| *counts != [0, 0])
            .collect()
    }

    /// A disc appears, and those it captures turn, the nearest ones first.
    pub(super) fn changes(&self, after: &Self, places: &[Place]) -> Option<Changes> {
        let &[Place::Square { column, row }] = places else {
            return None;
        };
        let mut still = self.clone();
        let mut turns = Vec::new();
        let pairs = still.discs.iter_mut().zip(&after.discs);
        for (index, (disc, &now)) in (0_u8..).zip(pairs) {
            let Some(to) = now.filter(|_| *disc != now) else {
                continue;
            };
            let at = (index % SIDE, index / SIDE);
            let far = at.0.abs_diff(column).max(at.1.abs_diff(row));
            turns.push((
                Place::square(at),
                far,
                Body::Turning {
                    from: disc.take(),
                    to,
                },
            ));
        }
        let farthest = turns.iter().map(|(_, far, _)| *far).max()?;
        let lasts = FIRST_TURN + NEXT_TURN * f32::from(farthest) + TURN;
        let legs = turns.into_iter().map(|(place, far, body)| {
            let start = FIRST_TURN + NEXT_TURN * f32::from(far);
            let moves = if far == 0 {
                0.0..APPEAR
            } else {
                start..start + TURN
            };
            Leg::new(body, place, place, moves).shown(0.0..lasts)
        });
        Some(Changes {
            legs: legs.collect(),
            still: vec![(0.0, Kind::Othello(still))],
        })
    }

    /// Draws the discs that appear and turn.
    fn paint_moving(&self, brush: &mut Brush<'_, '_>, squares: &Squares, moving: &[Moving]) {
        for Moving {
            body,
            to: place,
            along,
            ..
        } in moving
        {
            let (Body::Turning { from, to }, Some(at)) = (*body, squares.centre_of(*place)) else {
                continue;
            };
            let radius = squares.cell * DISC;
            let Some(from) = from else {
                let tone = self.tone(to, brush.theme);
                brush.piece(at, radius * along, tone);
                continue;
            };
            let player = if *along < 0.5 { from } else { to };
            let tone = self.tone(player, brush.theme);
            if *along > 0.0 && *along < 1.0 {
                let part = (along * std::f32::consts::PI).cos().abs();
                brush.turned(at, radius, part, tone);
            } else {
                brush.piece(at, radius, tone);
            }
        }
    }

    /// On each square how many discs black would capture, in black, and white, in white.
    fn paint_captures(&self, brush: &mut Brush<'_, '_>, squares: &Squares, marks: &Marks) {
        let size = squares.cell * 0.32;
        let colours = [rgb(0x0a0d10), rgb(0xf6f4ee)];
        for &(place, counts) in &marks.captures {
            let Some((x, y)) = squares
                .centre_of(place)
                .filter(|_| marks.ghost != Some(place))
            else {
                continue;
            };
            let aside = match counts {
                [0, _] | [_, 0] => 0.0,
                _ => squares.cell * 0.19,
            };
            for ((count, colour), side) in counts.into_iter().zip(colours).zip([-1.0, 1.0]) {
                if count > 0 {
                    let at = (x + side * aside, y);
                    brush.strong_text(&count.to_string(), at, size, colour);
                }
            }
        }
    }

    /// Rings where a disc may be put, so that the figures in them can be read.
    fn paint_targets(brush: &mut Brush<'_, '_>, squares: &Squares, marks: &Marks) {
        let colour = faint(either(brush.theme, 0xffffff, 0x10161d), 0.4);
        for &place in &marks.targets {
            if let Some(at) = squares
                .centre_of(place)
                .filter(|_| marks.ghost != Some(place))
            {
                let width = (squares.cell * 0.03).max(1.0);
                brush.ring(at, squares.cell * DISC, width, colour);
            }
        }
    }
}

impl Face for Othello {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        PLAN.extent(coordinates)
    }

    fn spots(&self, area: Rect, marks: &Marks) -> Vec<(Place, Rect)> {
        PLAN.squares(area, marks)
            .map_or_else(Vec::new, |squares| squares.spots())
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &Overlay<'_>) {
        let Some(squares) = PLAN.squares(area, marks) else {
            return;
        };
        squares.ground(brush, either(brush.theme, 0x2f6a4f, 0x4f9a76));
        squares.grid(brush, 0.2);
        squares.names(brush);
        for (column, row) in squares.all() {
            if let (Some(player), Some(at)) = (self.disc(column, row), squares.centre(column, row))
            {
                brush.piece(at, squares.cell * DISC, self.tone(player, brush.theme));
            }
        }
        self.paint_moving(brush, &squares, over.moving);
        squares.routes(brush, over.routes);
        let is_taken = |column, row| self.disc(column, row).is_some();
        let ghost = (squares.cell * DISC, self.tone(over.mover, brush.theme));
        squares.ghost(brush, marks, ghost, is_taken);
        if marks.captures.is_empty() {
            squares.hands(brush, marks, is_taken);
        } else {
            Self::paint_targets(brush, &squares, marks);
            self.paint_captures(brush, &squares, marks);
        }
        for &place in &marks.last {
            if let Place::Square { column, row } = place
                && is_taken(column, row)
            {
                squares.last_dot(brush, place);
            }
        }
    }

    fn places_of(&self, mv: &str, _: Player) -> Vec<Place> {
        let square = notation::parse_square(mv, SIDE, SIDE);
        square.map(Place::square).into_iter().collect()
    }

    fn tone(&self, player: Player, _: &Theme) -> Tone {
        match player {
            Player::First => BLACK,
            Player::Second => WHITE,
        }
    }

    fn counted(&self) -> &'static str {
        "discs"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_are_read_from_the_upper_left_corner_on() {
        let mut text = "-".repeat(64);
        text.replace_range(0..1, "X");
        text.replace_range(10..11, "O");
        let board = Othello::read(&format!("{text} X")).unwrap();
        assert_eq!(board.disc(0, 0), Some(Player::First));
        assert_eq!(board.disc(2, 1), Some(Player::Second));
        assert_eq!(board.disc(1, 2), None);
        for wrong in ["", "X", "---", &format!("{}? X", "-".repeat(63))] {
            assert_eq!(Othello::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_move_is_a_square_and_a_pass_is_none() {
        let board = Othello::read(&"-".repeat(64)).unwrap();
        let places = |mv: &str| board.places_of(mv, Player::First);
        assert_eq!(places("c4"), [Place::Square { column: 2, row: 3 }]);
        for none in ["pass", "", "i1", "c9", "żż"] {
            assert_eq!(places(none), [], "{none}");
        }
    }
}
