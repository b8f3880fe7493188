//! Chess: pieces from a typeface, on squares of two quiet colours.

use std::sync::LazyLock;

use canopy_engine::games::{Player, notation};
use tiny_skia::{Rect, Transform};

use super::{
    Choice, Face, Kind, Marks, Overlay, Place, Tone,
    brush::{Brush, faint, middle},
    either,
    motion::{Body, Changes, Leg, Moving, SLIDE, between},
    rgb,
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

/// What a pawn may become, the strongest first.
const PROMOTIONS: [(char, &str); 4] = [
    ('q', "Queen"),
    ('r', "Rook"),
    ('b', "Bishop"),
    ('n', "Knight"),
];

/// Steps to the squares around.
const STRAIGHT: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
/// The jumps of a knight.
const JUMPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

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

    /// The piece some steps away from a square, if that is a square and there is one.
    fn piece_from(&self, (column, row): (u8, u8), step: (i8, i8), times: i8) -> Option<char> {
        let [column, row] = away((column, row), step, times)?;
        self.piece(column, row)
    }

    /// The king of a player, if a piece of the other player attacks it.
    pub(super) fn checked(&self, player: Player) -> Option<Place> {
        let king = letter_of('k', player);
        let index = self.pieces.iter().position(|&piece| piece == Some(king))? as u8;
        let square = (index % SIDE, index / SIDE);
        let is_attacked = self.is_attacked(square, player.opponent());
        is_attacked.then(|| Place::square(square))
    }

    /// Whether a piece of a player could take what stands on a square.
    fn is_attacked(&self, square: (u8, u8), by: Player) -> bool {
        let theirs = |piece: Option<char>, kinds: &str| {
            piece.is_some_and(|piece| {
                kinds.contains(piece.to_ascii_lowercase()) && owner_of(piece) == by
            })
        };
        let next = |steps: &[(i8, i8)], kinds: &str| {
            (steps.iter()).any(|&step| theirs(self.piece_from(square, step, 1), kinds))
        };
        let seen = |steps: &[(i8, i8)], kinds: &str| {
            (steps.iter()).any(|&step| {
                let first = (1..8).find_map(|times| self.piece_from(square, step, times));
                theirs(first, kinds)
            })
        };
        // A pawn attacks forwards, so it stands behind.
        let behind = match by {
            Player::First => -1,
            Player::Second => 1,
        };
        seen(&STRAIGHT, "rq")
            || seen(&DIAGONAL, "bq")
            || next(&JUMPS, "n")
            || next(&[(-1, behind), (1, behind)], "p")
            || next(&STRAIGHT, "k")
            || next(&DIAGONAL, "k")
    }

    /// The pieces of the mover that stand elsewhere afterwards slide there; a pawn is a pawn until it arrives.
    pub(super) fn changes(&self, after: &Self, places: &[Place], mover: Player) -> Option<Changes> {
        let &[Place::Square { column, row }, _] = places else {
            return None;
        };
        let named = usize::from(row) * usize::from(SIDE) + usize::from(column);
        let own = |piece: &Option<char>| piece.filter(|&piece| owner_of(piece) == mover);
        let changed = |one: &Self, other: &Self| -> Vec<(usize, char)> {
            (one.pieces.iter().zip(&other.pieces).enumerate())
                .filter(|(_, (one, other))| one != other)
                .filter_map(|(index, (one, _))| Some((index, own(one)?)))
                .collect()
        };
        let left = changed(self, after);
        let legs = changed(after, self).into_iter().filter_map(|(to, letter)| {
            let same = left.iter().find(|(_, piece)| *piece == letter);
            let &(from, piece) = same.or(left.iter().find(|(from, _)| *from == named))?;
            let [from, to] = [from, to].map(place_at);
            Some(Leg::new(Body::Piece(piece), from, to, 0.0..SLIDE))
        });
        let legs = legs.collect();
        let mut still = self.clone();
        for (index, _) in left {
            if let Some(piece) = still.pieces.get_mut(index) {
                *piece = None;
            }
        }
        Some(Changes {
            still: vec![(0.0, Kind::Chess(still))],
            legs,
        })
    }

    /// Draws the pieces on their way.
    fn paint_moving(brush: &mut Brush<'_, '_>, squares: &Squares, moving: &[Moving]) {
        for Moving {
            body,
            from,
            to,
            along,
        } in moving
        {
            let Body::Piece(letter) = *body else { continue };
            let (Some(from), Some(to)) = (squares.rect_of(*from), squares.rect_of(*to)) else {
                continue;
            };
            let rect = Rect::from_xywh(
                between(from.left(), to.left(), *along),
                between(from.top(), to.top(), *along),
                to.width(),
                to.height(),
            );
            if let Some(rect) = rect {
                piece(brush, rect, letter);
            }
        }
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
        if let Some(rect) = marks.ghost.and_then(|place| squares.rect_of(place)) {
            brush.rectangle(rect, faint(brush.theme.warm, 0.35));
        }
        if let Some(rect) = marks.check.and_then(|place| squares.rect_of(place)) {
            brush.glow(rect, either(brush.theme, 0xe5402a, 0xdb2f1b));
        }
    }
}

/// The square some steps away, if it is one.
fn away((column, row): (u8, u8), step: (i8, i8), times: i8) -> Option<[u8; 2]> {
    let along = |from: u8, by: i8| {
        let to = from.checked_add_signed(by.checked_mul(times)?)?;
        (to < SIDE).then_some(to)
    };
    Some([along(column, step.0)?, along(row, step.1)?])
}

/// The square that is counted so from a1, row by row.
fn place_at(index: usize) -> Place {
    let index = index as u8;
    Place::square((index % SIDE, index / SIDE))
}

/// Whose piece a letter means.
fn owner_of(letter: char) -> Player {
    if letter.is_ascii_uppercase() {
        Player::First
    } else {
        Player::Second
    }
}

/// A piece of a player, from its small letter.
fn letter_of(piece: char, player: Player) -> char {
    match player {
        Player::First => piece.to_ascii_uppercase(),
        Player::Second => piece,
    }
}

/// The moves that say what a pawn becomes, the strongest piece first; none if there is only one.
pub(super) fn promotions(moves: &[String]) -> Vec<Choice> {
    let choices: Vec<Choice> = (PROMOTIONS.iter())
        .flat_map(|&(letter, name)| {
            (moves.iter())
                .filter(move |mv| promotion(mv) == Some(letter))
                .map(move |mv| Choice {
                    mv: mv.clone(),
                    name,
                })
        })
        .collect();
    if choices.len() > 1 {
        choices
    } else {
        Vec::new()
    }
}

/// The letter of what a pawn becomes by a move.
fn promotion(mv: &str) -> Option<char> {
    mv.trim().chars().nth(4)
}

/// Draws what a pawn may become.
pub(super) fn paint_choice(brush: &mut Brush<'_, '_>, area: Rect, choice: &Choice, player: Player) {
    let side = area.width().min(area.height());
    let (x, y) = middle(area);
    let square = Rect::from_xywh(x - side / 2.0, y - side / 2.0, side, side);
    if let (Some(square), Some(letter)) = (square, promotion(&choice.mv)) {
        piece(brush, square, letter_of(letter, player));
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
    let tone = match owner_of(letter) {
        Player::First => WHITE,
        Player::Second => BLACK,
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

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &Overlay<'_>) {
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
        squares.routes(brush, over.routes);
        squares.hands(brush, marks, |column, row| {
            self.piece(column, row).is_some()
        });
        Self::paint_moving(brush, &squares, over.moving);
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
