//! Chess as text: FEN and EPD, and moves as UCI writes them (`e2e4`, `e7e8q`, castling as the king's move) or in
//! algebraic notation.

use std::fmt;

use cozy_chess::{Color, File, Move, Piece, Square};

use super::{Chess, ChessMove, ChessRules, facts, fen, polyglot, san};
use crate::games::{
    Game as _, Notation, ParseError,
    facts::GameFacts,
    notation::{Grid, Style},
};

impl Notation for Chess {
    const FACTS: &'static GameFacts = &facts::FACTS;
    const MOVE_HELP: &'static str = "from and to square with what a pawn becomes, such as e2e4, e1g1 (castling) or e7e8q, or Nf3 and the like";
    const POSITION_HELP: &'static str = "a FEN: eight ranks with / between them, w or b, castling rights, en passant square, and \
        if wanted half-move clock and move number, such as 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1; or an EPD";
    const VARIANT_HELP: &'static str = "960";

    fn parse_variant_word(_: ChessRules, word: &str) -> Option<ChessRules> {
        (word == "960").then_some(ChessRules { chess960: true })
    }

    fn write_variant(rules: ChessRules, out: &mut dyn fmt::Write) -> fmt::Result {
        if rules.chess960 {
            out.write_str(":960")
        } else {
            Ok(())
        }
    }

    fn polyglot_key(&self) -> Option<u64> {
        Some(polyglot::key(self))
    }

    fn parse_polyglot_move(&self, bits: u16) -> Option<ChessMove> {
        polyglot::parse_move(self, bits)
    }

    fn parse_move(&self, text: &str) -> Result<ChessMove, ParseError> {
        let text = text.trim();
        // In capitals, B2D5 would be a bishop's move: algebraic notation is asked in between.
        if let Some(mv) = self.parse_uci(text) {
            return self.check_legal(mv, text);
        }
        let lower = text.to_ascii_lowercase();
        match (san::parse(self, text), self.parse_uci(&lower)) {
            (Some(Ok(mv)), _) => Ok(mv),
            (_, Some(mv)) => self.check_legal(mv, text),
            (Some(error), None) => error,
            (None, None) => Err(ParseError::not_a_move::<Self>(text)),
        }
    }

    fn write_move(&self, mv: ChessMove, style: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        if style == Style::Human {
            return san::write(self, mv, out);
        }
        write!(out, "{}", self.written_move(mv))
    }

    fn parse_position(rules: ChessRules, text: &str) -> Result<Self, ParseError> {
        fen::parse(rules, text)
    }

    fn write_position(&self, _: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.rules.chess960 {
            write!(out, "{:#}", self.board)
        } else {
            write!(out, "{}", self.board)
        }
    }

    fn draw(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for rank in (0..8).rev() {
            write!(out, "{} ", rank + 1)?;
            for file in 0..8 {
                let square = Square::index(rank * 8 + file);
                let symbol = match (self.board.piece_on(square), self.board.color_on(square)) {
                    (Some(piece), Some(color)) => fen::piece_letter(piece, color),
                    _ => '.',
                };
                write!(out, " {symbol}")?;
            }
            out.write_char('\n')?;
        }
        out.write_str("   a b c d e f g h\n")
    }

    fn grid(&self) -> Grid {
        let colours = [Color::White, Color::Black].map(|colour| self.board.colors(colour).0);
        Grid::from_bitboards(8, 8, colours, |column, row| row * 8 + column)
    }

    fn end_reason(&self) -> &'static str {
        if self.has_insufficient_material() {
            "insufficient material"
        } else if self.has_legal_move() {
            "50 moves without capture or pawn move"
        } else if self.board.checkers().is_empty() {
            "stalemate"
        } else {
            "checkmate"
        }
    }
}

/// The king's square after castling with the rook on the move's target square.
fn castled_king_square(mv: Move) -> Square {
    let file = if mv.to.file() > mv.from.file() {
        File::G
    } else {
        File::C
    };
    Square::new(file, mv.from.rank())
}

impl Chess {
    /// The move with the squares that its text names: castling is the king's move, but for Chess960.
    pub(super) fn written_move(&self, mv: ChessMove) -> Move {
        let mut mv = mv.unpack();
        if !self.rules.chess960 && san::is_castling(self, mv) {
            mv.to = castled_king_square(mv);
        }
        mv
    }

    /// Two squares and perhaps a letter, taken as UCI means them; none if the text is not of that form.
    fn parse_uci(&self, text: &str) -> Option<Move> {
        let from: Square = text.get(..2)?.parse().ok()?;
        let to: Square = text.get(2..4)?.parse().ok()?;
        let promotion = match &text[4..] {
            "" => None,
            "n" | "N" => Some(Piece::Knight),
            "b" | "B" => Some(Piece::Bishop),
            "r" | "R" => Some(Piece::Rook),
            "q" | "Q" => Some(Piece::Queen),
            _ => return None,
        };
        let mut mv = Move {
            from,
            to,
            promotion,
        };
        let side = self.board.side_to_move();
        if self.board.king(side) == from {
            let takes_rook = self.board.colors(side).has(to);
            if takes_rook && !self.rules.chess960 {
                // The king taking its rook is Chess960's way to write castling: a null move is never legal.
                mv.to = from;
            } else if !takes_rook
                && (from.file() as i8 - to.file() as i8).abs() > 1
                && from.rank() == to.rank()
            {
                let rights = self.board.castle_rights(side);
                let rook = if to.file() > from.file() {
                    rights.short
                } else {
                    rights.long
                };
                let rook = rook.map(|file| Square::new(file, from.rank()));
                if let Some(rook) = rook.filter(|&rook| {
                    castled_king_square(Move {
                        from,
                        to: rook,
                        promotion,
                    }) == to
                }) {
                    mv.to = rook;
                }
            }
        }
        Some(mv)
    }

    fn check_legal(&self, mv: Move, text: &str) -> Result<ChessMove, ParseError> {
        let mv = ChessMove::pack(mv);
        if self.is_legal(mv) {
            Ok(mv)
        } else {
            Err(ParseError::illegal(
                self,
                text,
                self.illegal_move_reason(mv),
            ))
        }
    }

    fn illegal_move_reason(&self, mv: ChessMove) -> &'static str {
        let mv = mv.unpack();
        let side = self.board.side_to_move();
        let with = |promotion| ChessMove::pack(Move { promotion, ..mv });
        if self.outcome().is_some() {
            "the game is over"
        } else if !self.board.colors(side).has(mv.from) {
            "there is no piece of the side to move on its first square"
        } else if mv.promotion.is_none() && self.is_legal(with(Some(Piece::Queen))) {
            "a pawn that reaches the last rank must say what it becomes"
        } else if mv.promotion.is_some() && self.is_legal(with(None)) {
            "only a pawn that reaches the last rank becomes something"
        } else if !self.board.checkers().is_empty() {
            "it does not answer the check, or the piece does not move like that"
        } else {
            "the piece does not move like that, or its king would be in check"
        }
    }

    /// Why no legal move is written like that in algebraic notation.
    pub(super) fn no_san_match_reason(&self, text: &str) -> &'static str {
        let becomes_queen = format!("{text}=Q");
        if self.outcome().is_some() {
            "the game is over"
        } else if text.len() < 5 && matches!(san::parse(self, &becomes_queen), Some(Ok(_))) {
            "a pawn that reaches the last rank must say what it becomes"
        } else {
            "no piece can move like that here"
        }
    }
}
