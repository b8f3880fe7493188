//! Standard algebraic notation: `Nf3`, `exd5`, `O-O`, `e8=Q+`.

use cozy_chess::{Color, File, Move, Piece, Rank, Square, util::display_san_move};

use super::{Chess, ChessMove};
use crate::games::{Game as _, ParseError};

/// The move in algebraic notation, with check and mate marked.
pub(super) fn write(
    position: &Chess,
    mv: ChessMove,
    out: &mut dyn std::fmt::Write,
) -> std::fmt::Result {
    write!(out, "{}", display_san_move(&position.board, mv.unpack()))
}

/// A parsed move in algebraic notation: piece, target, and disambiguation.
struct SanMove {
    piece: Piece,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to: Square,
    promotion: Option<Piece>,
    captures: bool,
}

impl SanMove {
    fn matches(&self, position: &Chess, mv: Move) -> bool {
        // A pawn captures exactly when it leaves its file, and then says which file that was.
        let is_pawn = self.piece == Piece::Pawn;
        let captures =
            position.board.occupied().has(mv.to) || is_pawn && mv.from.file() != mv.to.file();
        (captures || !self.captures)
            && (!is_pawn || captures == self.from_file.is_some() || self.from_rank.is_some())
            && position.board.piece_on(mv.from) == Some(self.piece)
            && mv.to == self.to
            && mv.promotion == self.promotion
            && self.from_file.is_none_or(|file| mv.from.file() == file)
            && self.from_rank.is_none_or(|rank| mv.from.rank() == rank)
            && !is_castling(position, mv)
    }
}

/// Reads algebraic notation; none if the text is not of that form.
pub(super) fn parse(position: &Chess, text: &str) -> Option<Result<ChessMove, ParseError>> {
    let bare = text.trim_end_matches(['+', '#', '!', '?']);
    let fits: Box<dyn Fn(Move) -> bool> = match bare {
        "O-O" | "0-0" | "o-o" => {
            Box::new(|mv| is_castling(position, mv) && mv.to.file() > mv.from.file())
        }
        "O-O-O" | "0-0-0" | "o-o-o" => {
            Box::new(|mv| is_castling(position, mv) && mv.to.file() < mv.from.file())
        }
        _ => {
            let san_move = parse_san_move(bare)?;
            Box::new(move |mv| san_move.matches(position, mv))
        }
    };
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.retain(|mv| fits(mv.unpack()));
    Some(match moves.as_slice() {
        [mv] => Ok(*mv),
        [] => Err(ParseError::illegal(
            position,
            text,
            position.no_san_match_reason(bare),
        )),
        _ => Err(ParseError::illegal(
            position,
            text,
            format!("{} pieces can move like that", moves.len()),
        )),
    })
}

/// Splits `Nbxd7`, `e8=Q` and the like into its parts.
fn parse_san_move(text: &str) -> Option<SanMove> {
    if !text.is_ascii() {
        return None;
    }
    let (piece, rest) = match text.as_bytes().first()? {
        b'N' => (Piece::Knight, &text[1..]),
        b'B' => (Piece::Bishop, &text[1..]),
        b'R' => (Piece::Rook, &text[1..]),
        b'Q' => (Piece::Queen, &text[1..]),
        b'K' => (Piece::King, &text[1..]),
        _ => (Piece::Pawn, text),
    };
    let (rest, promotion) = match rest.as_bytes() {
        [_, _, .., letter] if piece == Piece::Pawn && promotion_piece(*letter).is_some() => {
            let rest = &rest[..rest.len() - 1];
            (
                rest.strip_suffix('=').unwrap_or(rest),
                promotion_piece(*letter),
            )
        }
        _ => (rest, None),
    };
    let (origin, target) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
    let (origin, captures) = match origin.strip_suffix('x') {
        Some(origin) => (origin, true),
        None => (origin, false),
    };
    let (mut from_file, mut from_rank) = (None, None);
    for symbol in origin.chars() {
        match symbol {
            'a'..='h' if from_file.is_none() && from_rank.is_none() => {
                from_file = File::try_index(symbol as usize - 'a' as usize);
            }
            '1'..='8' if from_rank.is_none() => {
                from_rank = Rank::try_index(symbol as usize - '1' as usize)
            }
            _ => return None,
        }
    }
    Some(SanMove {
        piece,
        from_file,
        from_rank,
        to: target.parse().ok()?,
        promotion,
        captures,
    })
}

/// The promotion piece; the letter may be in lower case after the target square.
fn promotion_piece(letter: u8) -> Option<Piece> {
    match letter {
        b'N' | b'n' => Some(Piece::Knight),
        b'B' | b'b' => Some(Piece::Bishop),
        b'R' | b'r' => Some(Piece::Rook),
        b'Q' | b'q' => Some(Piece::Queen),
        _ => None,
    }
}

/// Whether the king goes to its own rook, which is how castling is stored.
pub(super) fn is_castling(position: &Chess, mv: Move) -> bool {
    let side: Color = position.board.side_to_move();
    position.board.colors(side).has(mv.to)
}
