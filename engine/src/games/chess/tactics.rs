//! Captures, checks and passes of chess, for the searches of the alpha-beta family.

use cozy_chess::{
    BitBoard, Color, Move, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use super::{Chess, ChessMove, FIFTY_MOVE_PLIES};
use crate::{
    games::tactics::{MAX_HISTORY, Tactics},
    rng::mix,
};

/// Values of pawn, knight, bishop, rook, queen and king in exchanges.
const EXCHANGE_VALUES: [i32; 6] = [100, 300, 300, 500, 900, 10_000];
/// Captures that lose nothing come before all quiet moves, others after them.
const GOOD_CAPTURE: i32 = 4 * MAX_HISTORY;
const BAD_CAPTURE: i32 = -4 * MAX_HISTORY;
/// More captures than an exchange on one square has.
const MAX_EXCHANGES: usize = 32;

impl Tactics for Chess {
    const HISTORY_SLOTS: usize = 1 << 12;
    const QUIET_SWING: Option<i32> = Some(80);

    #[inline(always)]
    fn history_slot(mv: ChessMove) -> usize {
        usize::from(mv.0 >> 3) & 0xfff
    }

    /// Without the clock of the 50-move rule while it is far from ending the game.
    #[inline(always)]
    fn table_key(&self, depth: u32) -> u64 {
        let clock = self.board.halfmove_clock();
        let key = self.placement_key();
        if u32::from(clock) + depth < FIFTY_MOVE_PLIES.into() {
            key
        } else {
            mix(key ^ mix(clock.into()))
        }
    }

    fn unordered_moves(&self, out: &mut Vec<ChessMove>) {
        out.clear();
        self.board.generate_moves(|moves| {
            out.extend(moves.into_iter().map(ChessMove::pack));
            false
        });
    }

    fn move_order(&self, mv: ChessMove, _: u32) -> i32 {
        let mv = mv.unpack();
        let Some(victim) = self.victim(mv) else {
            return match mv.promotion {
                Some(Piece::Queen) => GOOD_CAPTURE + EXCHANGE_VALUES[4],
                Some(_) => BAD_CAPTURE,
                None => 0,
            };
        };
        let attacker = self.board.piece_on(mv.from).unwrap_or(Piece::Pawn);
        let most_valuable = 16 * EXCHANGE_VALUES[victim as usize] - attacker as i32;
        if self.wins_exchange(mv, 0) {
            GOOD_CAPTURE + most_valuable
        } else {
            BAD_CAPTURE + most_valuable / 16
        }
    }

    #[inline(always)]
    fn is_noisy(&self, mv: ChessMove) -> bool {
        let mv = mv.unpack();
        mv.promotion.is_some() || self.victim(mv).is_some()
    }

    /// Captures that lose nothing, and promotions to a queen.
    fn quiescence_moves(&self, out: &mut Vec<ChessMove>) {
        out.clear();
        let board = &self.board;
        let side = board.side_to_move();
        let seventh = Rank::Seventh.relative_to(side).bitboard();
        let en_passant = board.en_passant().map_or(BitBoard::EMPTY, |file| {
            Square::new(file, Rank::Sixth.relative_to(side)).bitboard()
        });
        let victims = board.colors(!side);
        board.generate_moves(|mut moves| {
            let mut targets = victims;
            if moves.piece == Piece::Pawn {
                targets |= en_passant;
                if seventh.has(moves.from) {
                    targets = BitBoard::FULL;
                }
            }
            moves.to &= targets;
            let wanted = |mv: &Move| {
                matches!(mv.promotion, None | Some(Piece::Queen)) && self.wins_exchange(*mv, 0)
            };
            out.extend(moves.into_iter().filter(wanted).map(ChessMove::pack));
            false
        });
    }

    fn replies_to_threat(&self, out: &mut Vec<ChessMove>) {
        self.unordered_moves(out);
    }

    #[inline(always)]
    fn is_threatened(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// Only with a piece beside king and pawns: in endings without one having to move is often a burden.
    fn null_move(&self) -> Option<Self> {
        let board = &self.board;
        let side = board.side_to_move();
        let men = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        if (board.colors(side) & !men).is_empty() {
            return None;
        }
        Some(Self {
            board: board.null_move()?,
            rules: self.rules,
        })
    }
}

impl Chess {
    /// The piece that a move takes. Castling, which is written as the king taking its own rook, takes none.
    #[inline(always)]
    fn victim(&self, mv: Move) -> Option<Piece> {
        let board = &self.board;
        let side = board.side_to_move();
        if board.colors(!side).has(mv.to) {
            return board.piece_on(mv.to);
        }
        let is_en_passant = mv.from.file() != mv.to.file()
            && board.pieces(Piece::Pawn).has(mv.from)
            && !board.occupied().has(mv.to);
        is_en_passant.then_some(Piece::Pawn)
    }

    /// Whether the exchanges that a move begins on its square leave the mover at least `margin` ahead, if both sides take with
    /// their least valuable piece as long as it pays (static exchange evaluation). Pins are not seen.
    fn wins_exchange(&self, mv: Move, margin: i32) -> bool {
        let board = &self.board;
        let victim = self.victim(mv);
        let value = |piece: Piece| EXCHANGE_VALUES[piece as usize];
        let moved = board.piece_on(mv.from).unwrap_or(Piece::Pawn);
        let standing = mv.promotion.unwrap_or(moved);
        let gained = victim.map_or(0, value) + value(standing) - value(moved);
        // The usual case: even if the piece is lost, the move has paid.
        if gained - value(standing) >= margin {
            return true;
        }
        if gained < margin {
            return false;
        }
        let mut occupied = board.occupied() & !mv.from.bitboard() | mv.to.bitboard();
        if victim == Some(Piece::Pawn) && !board.occupied().has(mv.to) {
            occupied &= !Square::new(mv.to.file(), mv.from.rank()).bitboard();
        }
        self.exchange_value(mv.to, standing, gained, occupied) >= margin
    }

    /// What a side has won after the exchanges on `square`, where its piece `standing` has just taken `gained`.
    fn exchange_value(
        &self,
        square: Square,
        mut standing: Piece,
        gained: i32,
        mut occupied: BitBoard,
    ) -> i32 {
        let board = &self.board;
        let mut gains = [0; MAX_EXCHANGES];
        gains[0] = gained;
        let mut count = 1;
        let mut side = !board.side_to_move();
        while count < MAX_EXCHANGES {
            let attackers = self.attackers(square, occupied) & occupied;
            let Some((from, piece)) = self.least_valuable(attackers & board.colors(side)) else {
                break;
            };
            let is_covered = !(attackers & board.colors(!side)).is_empty();
            if piece == Piece::King && is_covered {
                break;
            }
            gains[count] = EXCHANGE_VALUES[standing as usize] - gains[count - 1];
            count += 1;
            occupied &= !from.bitboard();
            standing = piece;
            side = !side;
        }
        // From the end: each side takes only if that is better than leaving it.
        for index in (1..count).rev() {
            gains[index - 1] = -gains[index].max(-gains[index - 1]);
        }
        gains[0]
    }

    /// The men of both sides that attack `square` on a board with these squares occupied.
    fn attackers(&self, square: Square, occupied: BitBoard) -> BitBoard {
        let board = &self.board;
        let queens = board.pieces(Piece::Queen);
        let pawns = |side| board.colored_pieces(side, Piece::Pawn);
        get_pawn_attacks(square, Color::White) & pawns(Color::Black)
            | get_pawn_attacks(square, Color::Black) & pawns(Color::White)
            | get_knight_moves(square) & board.pieces(Piece::Knight)
            | get_king_moves(square) & board.pieces(Piece::King)
            | get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens)
            | get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens)
    }

    /// The least valuable of some men, and its square.
    fn least_valuable(&self, men: BitBoard) -> Option<(Square, Piece)> {
        Piece::ALL.into_iter().find_map(|piece| {
            let found = men & self.board.pieces(piece);
            found.next_square().map(|square| (square, piece))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game as _, Notation as _, notation::read_position};

    fn position(fen: &str) -> Chess {
        read_position(Default::default(), fen).unwrap()
    }

    fn wins(fen: &str, mv: &str, margin: i32) -> bool {
        let position = position(fen);
        position.wins_exchange(position.parse_move(mv).unwrap().unpack(), margin)
    }

    #[test]
    fn exchanges_worked_out_by_hand() {
        // A free pawn.
        let fen = "4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1";
        assert!(wins(fen, "d1d5", 100) && !wins(fen, "d1d5", 101));
        // The pawn is covered: rook for pawn.
        let fen = "4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1";
        assert!(wins(fen, "d1d5", -400) && !wins(fen, "d1d5", -399));
        // A second rook behind the first changes nothing, as a pawn takes.
        let fen = "4k3/8/4p3/3p4/8/8/3R4/3RK3 w - - 0 1";
        assert!(wins(fen, "d2d5", -300) && !wins(fen, "d2d5", -299));
        // Rook takes pawn, rook takes rook, the rook behind takes back: a pawn.
        let fen = "3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1";
        assert!(wins(fen, "d2d5", 100) && !wins(fen, "d2d5", 101));
        // En passant: a pawn for a pawn.
        let fen = "4k3/2p5/8/1pP5/8/8/8/4K3 w - b6 0 1";
        assert!(wins(fen, "c5b6", 0) && !wins(fen, "c5b6", 1));
        // A quiet move onto a covered square.
        let fen = "4k3/8/4p3/8/8/8/8/3RK3 w - - 0 1";
        assert!(!wins(fen, "d1d5", 0) && wins(fen, "d1d4", 0));
        // A king does not take a covered piece.
        let fen = "8/8/8/3k4/4p3/8/8/4RK2 b - - 0 1";
        assert!(position(fen).is_legal(position(fen).parse_move("d5d4").unwrap()));
        let fen = "8/8/3k4/4p3/8/8/4R3/4RK2 w - - 0 1";
        assert!(wins(fen, "e2e5", 100));
    }

    #[test]
    fn only_captures_that_pay_and_new_queens_are_followed_at_the_horizon() {
        let mut moves = Vec::new();
        let game = position("4k3/P7/4p3/3p4/2P5/8/8/3RK3 w - - 0 1");
        game.quiescence_moves(&mut moves);
        let mut names: Vec<String> = (moves.iter())
            .map(|&mv| crate::games::notation::move_text(&game, mv))
            .collect();
        names.sort();
        assert_eq!(names, ["a7a8q", "c4d5"], "not d1d5, no under-promotion");
    }

    #[test]
    fn nobody_passes_in_check_or_without_pieces() {
        assert!(
            position("4k3/8/8/8/8/8/4r3/3RK3 w - - 0 1")
                .null_move()
                .is_none()
        );
        assert!(
            position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
                .null_move()
                .is_none()
        );
        let passed = position("4k3/8/8/8/8/8/8/3RK3 w - - 0 1").null_move();
        assert_eq!(
            passed.map(|game| game.to_move()),
            Some(crate::games::Player::Second)
        );
    }
}
