//! Othello: black and white discs on green felt.

use canopy_engine::games::{Player, notation};
use tiny_skia::Rect;

use super::{
    BLACK, Face, Marks, Place, Route, Tone, WHITE,
    brush::Brush,
    either,
    squares::{Count, Plan},
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
}

impl Face for Othello {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        PLAN.extent(coordinates)
    }

    fn spots(&self, area: Rect, marks: &Marks) -> Vec<(Place, Rect)> {
        PLAN.squares(area, marks)
            .map_or_else(Vec::new, |squares| squares.spots())
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, routes: &[Route]) {
        let Some(squares) = PLAN.squares(area, marks) else {
            return;
        };
        squares.ground(brush, either(brush.theme, 0x2f6a4f, 0x4f9a76));
        squares.grid(brush, 0.2);
        squares.names(brush);
        for (column, row) in squares.all() {
            if let (Some(player), Some(at)) = (self.disc(column, row), squares.centre(column, row))
            {
                brush.piece(at, squares.cell * 0.4, self.tone(player, brush.theme));
            }
        }
        squares.routes(brush, routes);
        squares.hands(brush, marks, |column, row| self.disc(column, row).is_some());
        for &place in &marks.last {
            squares.last_dot(brush, place);
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
