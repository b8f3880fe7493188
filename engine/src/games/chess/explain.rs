//! Chess moves step by step: the piece, what it captures, the castling rook, the promotion; and the king in check.

use cozy_chess::{BitBoard, Move, Square};

use super::{Chess, ChessMove, fen, san};
use crate::games::{BoardPlace, Explain, Game as _, Piece, Step};

fn square(bit: u8) -> (u8, u8) {
    (bit % 8, bit / 8)
}

fn place(at: Square) -> BoardPlace {
    BoardPlace::square(square(at as u8))
}

impl Chess {
    fn piece_at(&self, at: Square) -> Option<Piece> {
        let (piece, colour) = (self.board.piece_on(at)?, self.board.color_on(at)?);
        Some(Piece::Chess(fen::piece_letter(piece, colour)))
    }

    /// The step from square to square; none if the piece stays where it is, as in some castlings of Chess960.
    fn step(&self, from: Square, to: Square) -> Option<Step> {
        let piece = self.piece_at(from).filter(|_| from != to)?;
        Some(Step::Move {
            piece,
            from: place(from),
            to: place(to),
        })
    }

    fn castling_steps(&self, mv: Move, after: &Self) -> Vec<Step> {
        let side = self.board.side_to_move();
        let rooks = |position: &Self| -> BitBoard {
            position.board.colored_pieces(side, cozy_chess::Piece::Rook)
        };
        let rook_to = (rooks(after) & !rooks(self)).next_square().unwrap_or(mv.to);
        let king = self.step(mv.from, after.board.king(side));
        king.into_iter().chain(self.step(mv.to, rook_to)).collect()
    }
}

impl Explain for Chess {
    fn pieces(&self) -> Vec<(BoardPlace, Piece, u32)> {
        (self.board.occupied().into_iter())
            .filter_map(|at| Some((place(at), self.piece_at(at)?, 1)))
            .collect()
    }

    /// From and to, as the variant writes castling; what a pawn becomes is no place.
    fn move_places(&self, mv: ChessMove) -> Vec<BoardPlace> {
        let mv = self.written_move(mv);
        vec![place(mv.from), place(mv.to)]
    }

    fn steps(&self, mv: ChessMove) -> Vec<Step> {
        let mut after = self.clone();
        after.play(mv);
        let mv = mv.unpack();
        if san::is_castling(self, mv) {
            return self.castling_steps(mv, &after);
        }
        let opponent = !self.board.side_to_move();
        let captured = self.board.colors(opponent) & !after.board.colors(opponent);
        let captures = captured.into_iter().filter_map(|at| {
            let piece = self.piece_at(at)?;
            Some(Step::Capture {
                piece,
                at: place(at),
            })
        });
        let promotion = mv.promotion.and_then(|_| {
            Some(Step::Promote {
                at: place(mv.to),
                from: self.piece_at(mv.from)?,
                to: after.piece_at(mv.to)?,
            })
        });
        (self.step(mv.from, mv.to).into_iter())
            .chain(captures)
            .chain(promotion)
            .collect()
    }

    fn checked_king(&self) -> Option<BoardPlace> {
        let king = self.board.king(self.board.side_to_move());
        (!self.board.checkers().is_empty()).then(|| place(king))
    }

    fn position_note(&self) -> Option<String> {
        self.checked_king().map(|_| "check".to_owned())
    }
}
