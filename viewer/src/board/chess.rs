//! Chess: pieces from a typeface, on squares of two quiet colours.

use std::sync::LazyLock;

use canopy_engine::games::{Player, notation};
use tiny_skia::{Rect, Transform};

use super::{
    BoardKind, BoardPlace, BoardReader, BoardRenderer, Marks, PaintContext, PieceColours,
    Promotion,
    animation::{AnimationScript, MovingSprite, SLIDE_MS, Sprite, Tween, lerp},
    brush::{Brush, rect_centre, with_opacity},
    rgb,
    squares::{GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::{
    fonts::GlyphOutline,
    theme::{self, Theme},
};

const SIDE: u8 = 8;

const LAYOUT: GridLayout = GridLayout {
    columns: SIDE,
    rows: SIDE,
    rim: 0.1,
    strip_height: 0.0,
    numbering: RowNumbering::BottomUp,
};

/// A piece's letter, and the sign that shows it.
const PIECE_GLYPHS: [(char, char); 6] = [
    ('k', '♚'),
    ('q', '♛'),
    ('r', '♜'),
    ('b', '♝'),
    ('n', '♞'),
    ('p', '♟'),
];

/// The shapes of [`PIECE_GLYPHS`].
static PIECE_OUTLINES: LazyLock<[Option<GlyphOutline>; 6]> =
    LazyLock::new(|| PIECE_GLYPHS.map(|(_, sign)| GlyphOutline::of(sign)));

const WHITE_PIECE: PieceColours = PieceColours {
    fill: rgb(0xf8f5ee),
    edge: rgb(0x23282f),
};

const BLACK_PIECE: PieceColours = PieceColours {
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
const ROOK_DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const BISHOP_DIRECTIONS: [(i8, i8); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
/// The jumps of a knight.
const KNIGHT_STEPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// How the positions of the game are read.
pub(super) const READER: BoardReader = BoardReader {
    game: "chess",
    read: |text| Some(BoardKind::Chess(ChessBoard::read(text)?)),
};

/// The pieces, a1 first, row by row: their letters, large ones for White.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChessBoard {
    pieces: Vec<Option<char>>,
}

impl ChessBoard {
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
    fn piece_at_offset(&self, (column, row): (u8, u8), step: (i8, i8), times: i8) -> Option<char> {
        let [column, row] = offset_square((column, row), step, times)?;
        self.piece(column, row)
    }

    /// The king of a player, if a piece of the other player attacks it.
    pub(super) fn king_in_check(&self, player: Player) -> Option<BoardPlace> {
        let king = letter_for('k', player);
        let index = self.pieces.iter().position(|&piece| piece == Some(king))? as u8;
        let square = (index % SIDE, index / SIDE);
        let is_attacked = self.is_attacked(square, player.opponent());
        is_attacked.then(|| BoardPlace::square(square))
    }

    /// Whether a piece of a player could take what stands on a square.
    fn is_attacked(&self, square: (u8, u8), by: Player) -> bool {
        let theirs = |piece: Option<char>, kinds: &str| {
            piece.is_some_and(|piece| {
                kinds.contains(piece.to_ascii_lowercase()) && owner_of(piece) == by
            })
        };
        let next = |steps: &[(i8, i8)], kinds: &str| {
            (steps.iter()).any(|&step| theirs(self.piece_at_offset(square, step, 1), kinds))
        };
        let seen = |steps: &[(i8, i8)], kinds: &str| {
            (steps.iter()).any(|&step| {
                let first = (1..8).find_map(|times| self.piece_at_offset(square, step, times));
                theirs(first, kinds)
            })
        };
        // A pawn attacks forwards, so it stands behind.
        let behind = match by {
            Player::First => -1,
            Player::Second => 1,
        };
        seen(&ROOK_DIRECTIONS, "rq")
            || seen(&BISHOP_DIRECTIONS, "bq")
            || next(&KNIGHT_STEPS, "n")
            || next(&[(-1, behind), (1, behind)], "p")
            || next(&ROOK_DIRECTIONS, "k")
            || next(&BISHOP_DIRECTIONS, "k")
    }

    /// The pieces of the mover that stand elsewhere afterwards slide there; a pawn is a pawn until it arrives.
    pub(super) fn animation_script(
        &self,
        after: &Self,
        places: &[BoardPlace],
        mover: Player,
    ) -> Option<AnimationScript> {
        let &[BoardPlace::Square { column, row }, _] = places else {
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
            let [from, to] = [from, to].map(place_of_index);
            Some(Tween::new(Sprite::Piece(piece), from, to, 0.0..SLIDE_MS))
        });
        let legs = legs.collect();
        let mut still = self.clone();
        for (index, _) in left {
            if let Some(piece) = still.pieces.get_mut(index) {
                *piece = None;
            }
        }
        Some(AnimationScript {
            backgrounds: vec![(0.0, BoardKind::Chess(still))],
            tweens: legs,
        })
    }

    /// Draws the pieces on their way.
    fn paint_sliding_pieces(brush: &mut Brush<'_, '_>, squares: &Squares, moving: &[MovingSprite]) {
        for MovingSprite {
            sprite: body,
            from,
            to,
            progress: along,
        } in moving
        {
            let Sprite::Piece(letter) = *body else {
                continue;
            };
            let (Some(from), Some(to)) = (squares.rect_of(*from), squares.rect_of(*to)) else {
                continue;
            };
            let rect = Rect::from_xywh(
                lerp(from.left(), to.left(), *along),
                lerp(from.top(), to.top(), *along),
                to.width(),
                to.height(),
            );
            if let Some(rect) = rect {
                paint_piece(brush, rect, letter);
            }
        }
    }

    fn paint_squares(brush: &mut Brush<'_, '_>, squares: &Squares, marks: &Marks) {
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
            if marks.last_move.contains(&BoardPlace::square((column, row))) {
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

/// The square some steps away, if it is one.
fn offset_square((column, row): (u8, u8), step: (i8, i8), times: i8) -> Option<[u8; 2]> {
    let along = |from: u8, by: i8| {
        let to = from.checked_add_signed(by.checked_mul(times)?)?;
        (to < SIDE).then_some(to)
    };
    Some([along(column, step.0)?, along(row, step.1)?])
}

/// The square that is counted so from a1, row by row.
fn place_of_index(index: usize) -> BoardPlace {
    let index = index as u8;
    BoardPlace::square((index % SIDE, index / SIDE))
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
fn letter_for(piece: char, player: Player) -> char {
    match player {
        Player::First => piece.to_ascii_uppercase(),
        Player::Second => piece,
    }
}

/// The moves that say what a pawn becomes, the strongest piece first; none if there is only one.
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

/// The letter of what a pawn becomes by a move.
fn promotion_letter(mv: &str) -> Option<char> {
    mv.trim().chars().nth(4)
}

/// Draws what a pawn may become.
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

/// The squares of one rank, from a to h.
fn read_rank(text: &str) -> Option<Vec<Option<char>>> {
    let mut squares = Vec::new();
    for symbol in text.chars() {
        match symbol.to_digit(10) {
            Some(empty) => squares.extend((0..empty).map(|_| None)),
            None if glyph_index(symbol).is_some() => squares.push(Some(symbol)),
            None => return None,
        }
    }
    (squares.len() == usize::from(SIDE)).then_some(squares)
}

/// Which of [`PIECE_GLYPHS`] a letter means.
fn glyph_index(letter: char) -> Option<usize> {
    let letter = letter.to_ascii_lowercase();
    PIECE_GLYPHS.iter().position(|(known, _)| *known == letter)
}

/// Draws a piece on a square: all stand on the same line, and the king fills the square.
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
    let edge = theme::to_skia(tone.edge);
    brush.stroke(&shape.silhouette, edge, width / scale, at);
    brush.fill(&shape.silhouette, edge, at);
    brush.fill(&shape.glyph, theme::to_skia(tone.fill), at);
}

impl BoardRenderer for ChessBoard {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        LAYOUT.extent(coordinates)
    }

    fn place_rects(&self, area: Rect, marks: &Marks) -> Vec<(BoardPlace, Rect)> {
        LAYOUT
            .squares(area, marks)
            .map_or_else(Vec::new, |squares| squares.place_rects())
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &PaintContext<'_>) {
        let Some(squares) = LAYOUT.squares(area, marks) else {
            return;
        };
        Self::paint_squares(brush, &squares, marks);
        squares.paint_coordinates(brush);
        for (column, row) in squares.all() {
            if let (Some(letter), Some(rect)) = (self.piece(column, row), squares.rect(column, row))
            {
                paint_piece(brush, rect, letter);
            }
        }
        squares.paint_move_groups(brush, over.move_groups);
        squares.paint_selection(brush, marks, |column, row| {
            self.piece(column, row).is_some()
        });
        Self::paint_sliding_pieces(brush, &squares, over.moving);
    }

    /// From and to; what a pawn becomes is no place.
    fn move_places(&self, mv: &str, _: Player) -> Vec<BoardPlace> {
        let square = |part: Option<&str>| notation::parse_square(part?, SIDE, SIDE);
        match (square(mv.get(..2)), square(mv.get(2..4))) {
            (Some(from), Some(to)) => vec![BoardPlace::square(from), BoardPlace::square(to)],
            _ => Vec::new(),
        }
    }

    fn piece_colours(&self, player: Player, _: &Theme) -> PieceColours {
        match player {
            Player::First => WHITE_PIECE,
            Player::Second => BLACK_PIECE,
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::Color32;

    use super::*;

    #[test]
    fn ranks_are_read_from_the_top() {
        let board = ChessBoard::read("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1").unwrap();
        assert_eq!(board.piece(4, 7), Some('k'));
        assert_eq!(board.piece(4, 1), Some('P'));
        assert_eq!(board.piece(0, 0), Some('R'));
        assert_eq!(board.piece(1, 0), None);
        for wrong in ["", "8/8", "8/8/8/8/8/8/8/9", "8/8/8/8/8/8/8/7x w"] {
            assert_eq!(ChessBoard::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_move_goes_from_a_square_to_a_square() {
        let board = ChessBoard::read("8/8/8/8/8/8/8/8").unwrap();
        let places = |mv: &str| board.move_places(mv, Player::First);
        let [from, to] = [(4, 6), (4, 7)].map(BoardPlace::square);
        assert_eq!(places("e7e8q"), [from, to]);
        for none in ["", "e7", "Nf3", "e9e8", "żżżż"] {
            assert_eq!(places(none), [], "{none}");
        }
    }

    #[test]
    fn every_piece_has_a_shape() {
        assert!(PIECE_OUTLINES.iter().all(Option::is_some));
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
        for tone in [WHITE_PIECE, BLACK_PIECE] {
            assert!(contrast(tone.fill, tone.edge) > 10.0);
        }
    }
}
