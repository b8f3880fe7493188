//! Chess: glyphs of a font as pieces, on squares of two colours.

use std::sync::LazyLock;

use canopy_engine::games::{Piece, Player, Step};
use tiny_skia::{Rect, Transform};

use super::{
    BoardKind, BoardPlace, BoardStyle, GridRenderer, LastMoveMark, Marks, PaintContext,
    PieceColours, Promotion, RefusedClick,
    animation::{AnimationScript, MovingSprite, SLIDE_MS, Sprite, Tween, lerp},
    brush::{Brush, rect_centre, with_opacity},
    place_name,
    square_map::SquareMap,
    squares::{GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::{
    fonts::GlyphOutline,
    theme::{self, Theme},
};

const SIDE: u8 = 8;

const LAYOUT: GridLayout = GridLayout::new(SIDE, SIDE, RowNumbering::BottomUp);

/// FEN letters and the glyphs that show them.
const PIECE_GLYPHS: [(char, char); 6] = [
    ('k', '♚'),
    ('q', '♛'),
    ('r', '♜'),
    ('b', '♝'),
    ('n', '♞'),
    ('p', '♟'),
];

/// Outlines of [`PIECE_GLYPHS`].
static PIECE_OUTLINES: LazyLock<[Option<GlyphOutline>; 6]> =
    LazyLock::new(|| PIECE_GLYPHS.map(|(_, sign)| GlyphOutline::of(sign)));

const WHITE_PIECE: PieceColours = PieceColours::new(0xf8f5ee, 0x23282f);
const BLACK_PIECE: PieceColours = PieceColours::new(0x23282f, 0xe9e6de);

/// Promotion pieces, the strongest first: the letter in a move, and the name for people.
const PROMOTIONS: [(char, &str); 4] = [
    ('q', "Queen"),
    ('r', "Rook"),
    ('b', "Bishop"),
    ('n', "Knight"),
];

/// The game's name.
pub(super) const GAME: &str = "chess";

/// The pieces by their FEN letters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChessBoard {
    pieces: SquareMap<char>,
}

impl ChessBoard {
    pub(super) fn new(pieces: &[(BoardPlace, Piece, u32)]) -> Self {
        let letter = |piece: Piece| match piece {
            Piece::Chess(letter) => Some(letter),
            Piece::Disc(_) | Piece::Stone => None,
        };
        Self {
            pieces: SquareMap::new(&LAYOUT, pieces, letter),
        }
    }

    /// Pieces slide to their targets. A promotion shows at the end, and a captured piece is drawn until then.
    pub(super) fn animation_script(&self, steps: &[Step]) -> Option<AnimationScript> {
        let mut still = self.clone();
        let mut tweens = Vec::new();
        for step in steps {
            let &Step::Move {
                piece: Piece::Chess(letter),
                from,
                to,
            } = step
            else {
                continue;
            };
            still.pieces.take(from);
            tweens.push(Tween::new(Sprite::Piece(letter), from, to, 0.0..SLIDE_MS));
        }
        // The rules list a castling king first; it is drawn over its rook.
        tweens.reverse();
        (!tweens.is_empty()).then(|| AnimationScript {
            backgrounds: vec![(0.0, BoardKind::Chess(still))],
            tweens,
        })
    }

    /// Paints the pieces in motion.
    fn paint_sliding_pieces(brush: &mut Brush<'_, '_>, squares: &Squares, moving: &[MovingSprite]) {
        for piece in moving {
            let Sprite::Piece(letter) = piece.sprite else {
                continue;
            };
            let [from, to] = [piece.from, piece.to].map(|place| squares.rect_of(place));
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            let rect = Rect::from_xywh(
                lerp(from.left(), to.left(), piece.progress),
                lerp(from.top(), to.top(), piece.progress),
                to.width(),
                to.height(),
            );
            if let Some(rect) = rect {
                paint_piece(brush, rect, letter);
            }
        }
    }

    fn paint_chequers(brush: &mut Brush<'_, '_>, squares: &Squares, marks: &Marks) {
        let light = themed_colour(brush.theme, 0x8793a3, 0xeef1f4);
        let dark = themed_colour(brush.theme, 0x5c697a, 0xb3c0ce);
        squares.paint_background(brush, themed_colour(brush.theme, 0x465262, 0x97a7b8));
        for (column, row) in squares.all() {
            let Some(rect) = squares.rect(column, row) else {
                continue;
            };
            let colour = if (column + row).is_multiple_of(2) {
                dark
            } else {
                light
            };
            brush.rectangle(rect, theme::to_skia(colour));
            if marks
                .last_places()
                .contains(&BoardPlace::square((column, row)))
            {
                brush.rectangle(rect, with_opacity(brush.theme.cool, 0.33));
            }
        }
        if let Some(rect) = marks.ghost.and_then(|place| squares.rect_of(place)) {
            brush.rectangle(rect, with_opacity(brush.theme.warm, 0.35));
        }
        if let Some(rect) = marks.checked_king.and_then(|place| squares.rect_of(place)) {
            brush.glow(rect, themed_colour(brush.theme, 0xe5402a, 0xdb2f1b));
        }
    }
}

/// The name of a piece by its FEN letter.
fn piece_name(letter: char) -> &'static str {
    match letter.to_ascii_lowercase() {
        'k' => "king",
        'q' => "queen",
        'r' => "rook",
        'b' => "bishop",
        'n' => "knight",
        _ => "pawn",
    }
}

/// The owner of a piece by its FEN letter.
fn owner_of(letter: char) -> Player {
    if letter.is_ascii_uppercase() {
        Player::First
    } else {
        Player::Second
    }
}

/// The FEN letter of a player's piece, from its lower-case letter.
fn letter_for(piece: char, player: Player) -> char {
    match player {
        Player::First => piece.to_ascii_uppercase(),
        Player::Second => piece,
    }
}

/// The promotions among some moves, the strongest first; none if there is no choice.
pub(super) fn promotions(moves: &[String]) -> Vec<Promotion> {
    let choices: Vec<Promotion> = (PROMOTIONS.iter())
        .flat_map(|&(letter, name)| {
            (moves.iter())
                .filter(move |mv| promotion_letter(mv) == Some(letter))
                .map(move |mv| Promotion {
                    mv: mv.clone(),
                    piece_name: name,
                })
        })
        .collect();
    if choices.len() > 1 {
        choices
    } else {
        Vec::new()
    }
}

/// The letter of the promotion piece in a move.
fn promotion_letter(mv: &str) -> Option<char> {
    mv.trim().chars().nth(4)
}

/// Paints a promotion piece, centred in `area`.
pub(super) fn paint_promotion(
    brush: &mut Brush<'_, '_>,
    area: Rect,
    choice: &Promotion,
    player: Player,
) {
    let side = area.width().min(area.height());
    let (x, y) = rect_centre(area);
    let square = Rect::from_xywh(x - side / 2.0, y - side / 2.0, side, side);
    if let (Some(square), Some(letter)) = (square, promotion_letter(&choice.mv)) {
        paint_piece(brush, square, letter_for(letter, player));
    }
}

/// Index of a letter of either case in [`PIECE_GLYPHS`].
fn glyph_index(letter: char) -> Option<usize> {
    let letter = letter.to_ascii_lowercase();
    PIECE_GLYPHS.iter().position(|(known, _)| *known == letter)
}

/// Paints a piece on a square. All pieces share a base line; the king's height sets the scale.
fn paint_piece(brush: &mut Brush<'_, '_>, square: Rect, letter: char) {
    let shapes = &*PIECE_OUTLINES;
    let shape = glyph_index(letter).and_then(|index| shapes.get(index)?.as_ref());
    let (Some(shape), Some(Some(king))) = (shape, shapes.first()) else {
        return;
    };
    let tone = match owner_of(letter) {
        Player::First => WHITE_PIECE,
        Player::Second => BLACK_PIECE,
    };
    let (bounds, tallest) = (shape.bounds(), king.bounds());
    let scale = square.height() * 0.8 / tallest.height();
    let (x, y) = rect_centre(square);
    let (centre, _) = rect_centre(bounds);
    let (_, line) = rect_centre(tallest);
    // On a whole pixel the base line is equally sharp for all pieces.
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
    let edge = theme::to_skia(tone.edge);
    brush.stroke(&shape.silhouette, edge, width / scale, at);
    brush.fill(&shape.silhouette, edge, at);
    brush.fill(&shape.glyph, theme::to_skia(tone.fill), at);
}

impl BoardStyle for ChessBoard {
    fn piece_colours(&self, player: Player, _: &Theme) -> PieceColours {
        match player {
            Player::First => WHITE_PIECE,
            Player::Second => BLACK_PIECE,
        }
    }

    fn refusal(&self, click: &RefusedClick) -> Option<String> {
        let piece = |place: BoardPlace| self.pieces.at(place);
        let (at, mover) = (place_name(click.place), click.name(click.mover));
        let moved = (click.selected).and_then(|from| Some((from, piece(from)?)));
        Some(match (piece(click.place), moved) {
            (Some(letter), _) if owner_of(letter) == click.mover => {
                format!("The {} on {at} has no legal move.", piece_name(letter))
            }
            (_, Some((from, letter))) => {
                let from = place_name(from);
                format!("The {} on {from} cannot go to {at}.", piece_name(letter))
            }
            (Some(letter), None) => {
                let name = piece_name(letter);
                let owner = click.name(owner_of(letter));
                format!("The {name} on {at} is {owner}’s; {mover} is to move.")
            }
            (None, None) => format!("There is no piece on {at}."),
        })
    }

    fn last_move_mark(&self, _: Player, theme: &Theme) -> LastMoveMark {
        LastMoveMark::Squares(theme.cool)
    }
}

impl GridRenderer for ChessBoard {
    fn layout(&self) -> GridLayout {
        LAYOUT
    }

    fn paint_squares(&self, brush: &mut Brush<'_, '_>, squares: &Squares, over: &PaintContext<'_>) {
        Self::paint_chequers(brush, squares, over.marks);
        squares.paint_coordinates(brush);
        for (column, row) in squares.all() {
            if let (Some(letter), Some(rect)) =
                (self.pieces.get(column, row), squares.rect(column, row))
            {
                paint_piece(brush, rect, letter);
            }
        }
        squares.paint_move_groups(brush, over.move_groups);
        squares.paint_selection(brush, over.marks, &self.pieces);
        Self::paint_sliding_pieces(brush, squares, over.moving);
    }
}

#[cfg(test)]
mod tests {
    use egui::Color32;

    use super::*;

    #[test]
    fn every_piece_has_a_shape() {
        assert!(PIECE_OUTLINES.iter().all(Option::is_some));
    }

    /// Contrast ratio of two colours (Web Content Accessibility Guidelines 2.1).
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
        for tone in [WHITE_PIECE, BLACK_PIECE] {
            assert!(contrast(tone.fill, tone.edge) > 10.0);
        }
    }
}
