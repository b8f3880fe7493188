//! Chess: pieces from a typeface, on squares of two quiet colours.

use std::sync::LazyLock;

use canopy_engine::games::{Player, notation};
use tiny_skia::{Rect, Transform};

use super::{
    Face, Marks, Place, Route, Tone,
    brush::{Brush, faint, middle},
    either, rgb,
    squares::{Count, Plan, Squares},
};
use crate::{
    fonts::Outline,
    theme::{self, Theme},
};

const SIDE: u8 = 8;

const PLAN: Plan = Plan {
    columns: SIDE,
    rows: SIDE,
    rim: 0.1,
    strip: 0.0,
    count: Count::Upwards,
};

/// A piece's letter, and the sign that shows it.
const SIGNS: [(char, char); 6] = [
    ('k', '♚'),
    ('q', '♛'),
    ('r', '♜'),
    ('b', '♝'),
    ('n', '♞'),
    ('p', '♟'),
];

/// The shapes of [`SIGNS`].
static SHAPES: LazyLock<[Option<Outline>; 6]> =
    LazyLock::new(|| SIGNS.map(|(_, sign)| Outline::of(sign)));

const WHITE: Tone = Tone {
    fill: rgb(0xf8f5ee),
    edge: rgb(0x23282f),
};

const BLACK: Tone = Tone {
    fill: rgb(0x23282f),
    edge: rgb(0xe9e6de),
};

/// The pieces, a1 first, row by row: their letters, large ones for White.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chess {
    pieces: Vec<Option<char>>,
}

impl Chess {
    /// Reads the first field of a FEN; what follows it is not looked at.
    pub(super) fn read(text: &str) -> Option<Self> {
        let board = text.split_whitespace().next()?;
        let mut ranks: Vec<Vec<Option<char>>> =
            board.split('/').map(read_rank).collect::<Option<_>>()?;
        ranks.reverse();
        (ranks.len() == usize::from(SIDE)).then(|| Self {
            pieces: ranks.concat(),
        })
    }

    fn piece(&self, column: u8, row: u8) -> Option<char> {
        let index = usize::from(row) * usize::from(SIDE) + usize::from(column);
        self.pieces.get(index).copied().flatten()
    }

    fn ground(brush: &mut Brush<'_, '_>, squares: &Squares, marks: &Marks) {
        let light = either(brush.theme, 0x8793a3, 0xeef1f4);
        let dark = either(brush.theme, 0x5c697a, 0xb3c0ce);
        squares.ground(brush, either(brush.theme, 0x465262, 0x97a7b8));
        for (column, row) in squares.all() {
            let Some(rect) = squares.rect(column, row) else {
                continue;
            };
            let colour = if (column + row).is_multiple_of(2) {
                dark
            } else {
                light
            };
            brush.rectangle(rect, theme::skia(colour));
            if marks.last.contains(&Place::square((column, row))) {
                brush.rectangle(rect, faint(brush.theme.cool, 0.33));
            }
        }
    }
}

/// The squares of one rank, from a to h.
fn read_rank(text: &str) -> Option<Vec<Option<char>>> {
    let mut squares = Vec::new();
    for symbol in text.chars() {
        match symbol.to_digit(10) {
            Some(empty) => squares.extend((0..empty).map(|_| None)),
            None if index_of(symbol).is_some() => squares.push(Some(symbol)),
            None => return None,
        }
    }
    (squares.len() == usize::from(SIDE)).then_some(squares)
}

/// Which of [`SIGNS`] a letter means.
fn index_of(letter: char) -> Option<usize> {
    let letter = letter.to_ascii_lowercase();
    SIGNS.iter().position(|(known, _)| *known == letter)
}

/// Draws a piece on a square: all stand on the same line, and the king fills the square.
fn piece(brush: &mut Brush<'_, '_>, square: Rect, letter: char) {
    let shapes = &*SHAPES;
    let shape = index_of(letter).and_then(|index| shapes.get(index)?.as_ref());
    let (Some(shape), Some(Some(king))) = (shape, shapes.first()) else {
        return;
    };
    let tone = if letter.is_ascii_uppercase() {
        WHITE
    } else {
        BLACK
    };
    let (bounds, tallest) = (shape.bounds(), king.bounds());
    let scale = square.height() * 0.8 / tallest.height();
    let (x, y) = middle(square);
    let (centre, _) = middle(bounds);
    let (_, line) = middle(tallest);
    // Whole pixels keep the feet of all pieces equally sharp.
    let foot = (y + (tallest.bottom() - line) * scale).round();
    let at = Transform::from_row(
        scale,
        0.0,
        0.0,
        scale,
        x - centre * scale,
        foot - bounds.bottom() * scale,
    );
    let width = (square.height() * 0.045).max(1.4);
    let edge = theme::skia(tone.edge);
    brush.stroke(&shape.silhouette, edge, width / scale, at);
    brush.fill(&shape.silhouette, edge, at);
    brush.fill(&shape.sign, theme::skia(tone.fill), at);
}

impl Face for Chess {
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
        Self::ground(brush, &squares, marks);
        squares.names(brush);
        for (column, row) in squares.all() {
            if let (Some(letter), Some(rect)) = (self.piece(column, row), squares.rect(column, row))
            {
                piece(brush, rect, letter);
            }
        }
        squares.routes(brush, routes);
        squares.hands(brush, marks, |column, row| {
            self.piece(column, row).is_some()
        });
    }

    /// From and to; what a pawn becomes is no place.
    fn places_of(&self, mv: &str, _: Player) -> Vec<Place> {
        let square = |part: Option<&str>| notation::parse_square(part?, SIDE, SIDE);
        match (square(mv.get(..2)), square(mv.get(2..4))) {
            (Some(from), Some(to)) => vec![Place::square(from), Place::square(to)],
            _ => Vec::new(),
        }
    }

    fn tone(&self, player: Player, _: &Theme) -> Tone {
        match player {
            Player::First => WHITE,
            Player::Second => BLACK,
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::Color32;

    use super::*;

    #[test]
    fn ranks_are_read_from_the_top() {
        let board = Chess::read("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1").unwrap();
        assert_eq!(board.piece(4, 7), Some('k'));
        assert_eq!(board.piece(4, 1), Some('P'));
        assert_eq!(board.piece(0, 0), Some('R'));
        assert_eq!(board.piece(1, 0), None);
        for wrong in ["", "8/8", "8/8/8/8/8/8/8/9", "8/8/8/8/8/8/8/7x w"] {
            assert_eq!(Chess::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_move_goes_from_a_square_to_a_square() {
        let board = Chess::read("8/8/8/8/8/8/8/8").unwrap();
        let places = |mv: &str| board.places_of(mv, Player::First);
        let [from, to] = [(4, 6), (4, 7)].map(Place::square);
        assert_eq!(places("e7e8q"), [from, to]);
        for none in ["", "e7", "Nf3", "e9e8", "żżżż"] {
            assert_eq!(places(none), [], "{none}");
        }
    }

    #[test]
    fn every_piece_has_a_shape() {
        assert!(SHAPES.iter().all(Option::is_some));
    }

    /// How different two colours look, by the contrast ratio of the Web Content Accessibility Guidelines 2.1.
    fn contrast(one: Color32, other: Color32) -> f32 {
        let light = |colour: Color32| {
            let [red, green, blue, _] = egui::Rgba::from(colour).to_array();
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (one, other) = (light(one), light(other));
        one.max(other) / one.min(other)
    }

    #[test]
    fn bodies_and_outlines_can_be_told_apart() {
        for tone in [WHITE, BLACK] {
            assert!(contrast(tone.fill, tone.edge) > 10.0);
        }
    }
}
