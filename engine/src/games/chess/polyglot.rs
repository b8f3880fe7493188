//! Keys and moves of Polyglot's opening books.

use cozy_chess::{Color, Piece, Square, get_pawn_attacks};

use super::{Chess, ChessMove, PROMOTIONS, polyglot_keys::KEYS};
use crate::games::Game as _;
use cozy_chess::{File, Move, Rank};

/// Where the numbers of castling rights, of files for en passant, and of White's turn begin.
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const WHITE_TO_MOVE: usize = 780;

/// The key of a position. En passant counts where a pawn stands ready, even if it is pinned.
pub(super) fn key(position: &Chess) -> u64 {
    let board = position.board();
    let mut key = 0;
    for (color, offset) in [(Color::Black, 0), (Color::White, 1)] {
        for piece in Piece::ALL {
            for square in board.colored_pieces(color, piece) {
                key ^= KEYS[64 * (2 * piece as usize + offset) + square as usize];
            }
        }
    }
    for (color, first) in [(Color::White, CASTLING), (Color::Black, CASTLING + 2)] {
        let rights = board.castle_rights(color);
        for (right, index) in [(rights.short, first), (rights.long, first + 1)] {
            key ^= right.map_or(0, |_| KEYS[index]);
        }
    }
    let side = board.side_to_move();
    if let Some(file) = board.en_passant() {
        let target = Square::new(file, Rank::Sixth.relative_to(side));
        let ready = get_pawn_attacks(target, !side) & board.colored_pieces(side, Piece::Pawn);
        if !ready.is_empty() {
            key ^= KEYS[EN_PASSANT + file as usize];
        }
    }
    match side {
        Color::White => key ^ KEYS[WHITE_TO_MOVE],
        Color::Black => key,
    }
}

/// The legal move that a book's 16 bits mean; none if they mean no legal one. Castling is the king taking its rook; the king
/// going two files, as some books have it, is read too.
pub(super) fn parse_move(position: &Chess, bits: u16) -> Option<ChessMove> {
    let square = |bits: u16| Square::index(usize::from(bits & 63));
    let promotion = match bits >> 12 {
        0 => None,
        piece => Some(*PROMOTIONS.get(usize::from(piece) - 1)?),
    };
    let (from, to) = (square(bits >> 6), square(bits));
    let mv = Move {
        from,
        to,
        promotion,
    };
    let legal = |mv: Move| Some(ChessMove::pack(mv)).filter(|&mv| position.is_legal(mv));
    legal(mv).or_else(|| {
        let board = position.board();
        let rights = board.castle_rights(board.side_to_move());
        let rook = match to.file() {
            File::G => rights.short?,
            File::C => rights.long?,
            _ => return None,
        };
        let castles = board.piece_on(from) == Some(Piece::King)
            && from.file() == File::E
            && from.rank() == to.rank();
        let to = Square::new(rook, from.rank());
        castles.then(|| legal(Move { to, ..mv })).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Notation as _;

    fn after(moves: &str) -> Chess {
        let mut position = Chess::start(Default::default());
        for text in moves.split_whitespace() {
            position.play(position.parse_move(text).unwrap());
        }
        position
    }

    #[test]
    fn keys_are_those_of_the_formats_description() {
        for (moves, published) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(key(&after(moves)), published, "{moves}");
        }
    }

    #[test]
    fn castling_promotion_and_nonsense_are_told_apart() {
        let position = after("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5");
        let castling = position.parse_move("e1g1").unwrap();
        // e1h1 as the format has it, and e1g1.
        for to in [7, 6] {
            assert_eq!(parse_move(&position, 4 << 6 | to), Some(castling));
        }
        assert_eq!(
            parse_move(&position, 4 << 6 | 2),
            None,
            "queenside is not free"
        );
        assert_eq!(parse_move(&position, 0), None);
        assert_eq!(parse_move(&position, u16::MAX), None);
        let promoting: Chess = crate::games::notation::read_position(
            Default::default(),
            "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        )
        .unwrap();
        let queen = promoting.parse_move("a7a8q").unwrap();
        assert_eq!(parse_move(&promoting, 4 << 12 | 48 << 6 | 56), Some(queen));
    }
}
