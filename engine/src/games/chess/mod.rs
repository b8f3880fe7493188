//! Chess, on the move generator of cozy-chess: mate and stalemate, and draws by 50 moves and insufficient material.
//! Threefold repetition is judged by [`History`](super::History). Chess960 is a variant: its moves and positions are
//! written in its own way.

use crate::machine;
use cozy_chess::{BitBoard, Board, Color, Move, Piece, PieceMoves, Rank, Square};

use super::{Game, MoveCode, Outcome, Player, SearchHints, Symmetric, Symmetry};
use crate::rng::{Rng, mix};

mod eval;
mod explain;
mod facts;
mod fen;
mod notation;
pub mod pgn;
mod polyglot;
mod polyglot_keys;
mod san;
mod tactics;
mod tapered;
mod tapered_weights;

/// Half-moves without capture or pawn move after which a game is drawn.
const FIFTY_MOVE_PLIES: u8 = 100;
/// More pieces than any side has moves for: cozy-chess promises at most 18 groups of moves.
const MAX_MOVE_GROUPS: usize = 18;

/// The variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChessRules {
    /// Whether castling is written as the king taking its rook, and castling rights by the rook's file.
    pub chess960: bool,
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chess {
    board: Board,
    rules: ChessRules,
}

/// A move: from-square, to-square and promotion. Castling is the king taking its own rook.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChessMove(u16);

const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

impl ChessMove {
    #[inline(always)]
    fn pack(mv: Move) -> Self {
        // cozy-chess numbers its pieces pawn, knight, bishop, rook, queen, king.
        let promotion = mv.promotion.map_or(0, |piece| piece as u16);
        Self((mv.from as u16) << 9 | (mv.to as u16) << 3 | promotion)
    }

    #[inline(always)]
    fn unpack(self) -> Move {
        Move {
            from: Square::index(usize::from(self.0 >> 9 & 63)),
            to: Square::index(usize::from(self.0 >> 3 & 63)),
            promotion: match self.0 & 7 {
                0 => None,
                piece => PROMOTIONS.get(usize::from(piece - 1)).copied(),
            },
        }
    }
}

impl std::fmt::Debug for ChessMove {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.unpack())
    }
}

impl Chess {
    /// The board, for code that knows chess.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether a pawn can be taken en passant.
    pub fn has_en_passant(&self) -> bool {
        let file = self.board.en_passant();
        file.is_some_and(|file| self.can_capture_en_passant(file))
    }

    fn has_legal_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// Neither side can ever mate: bare kings, one minor piece, or bishops that all stand on one colour.
    #[inline(always)]
    fn has_insufficient_material(&self) -> bool {
        const DARK: BitBoard = BitBoard(0xaa55_aa55_aa55_aa55);
        let board = &self.board;
        let heavy =
            board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
        if !heavy.is_empty() {
            return false;
        }
        let knights = board.pieces(Piece::Knight);
        let bishops = board.pieces(Piece::Bishop);
        if knights.is_empty() {
            (bishops & DARK).is_empty() || (bishops & !DARK).is_empty()
        } else {
            knights.len() == 1 && bishops.is_empty()
        }
    }

    /// Drawn by a rule that looks at no moves; a mate on the board goes before.
    #[inline(always)]
    fn is_declared_draw(&self) -> bool {
        self.has_insufficient_material()
            || self.board.halfmove_clock() >= FIFTY_MOVE_PLIES && self.has_legal_move()
    }

    /// The position apart from the move counters, with en passant only where it can be played.
    fn placement_key(&self) -> u64 {
        match self.board.en_passant() {
            Some(file) if self.can_capture_en_passant(file) => self.board.hash(),
            _ => self.board.hash_without_ep(),
        }
    }

    fn can_capture_en_passant(&self, file: cozy_chess::File) -> bool {
        let side = self.board.side_to_move();
        let target = Square::new(file, Rank::Sixth.relative_to(side));
        let pawns = self.board.colored_pieces(side, Piece::Pawn)
            & cozy_chess::get_pawn_attacks(target, !side);
        !pawns.is_empty()
            && self
                .board
                .generate_moves_for(pawns, |moves| moves.to.has(target))
    }
}

impl Game for Chess {
    type Rules = ChessRules;
    type Move = ChessMove;

    const MOVE_BITS: u32 = 15;

    #[inline(always)]
    fn move_to_bits(mv: ChessMove) -> MoveCode {
        mv.0
    }

    #[inline(always)]
    fn move_from_bits(bits: MoveCode) -> Self::Move {
        ChessMove(bits)
    }

    fn start(rules: ChessRules) -> Self {
        Self {
            board: Board::startpos(),
            rules,
        }
    }

    fn rules(&self) -> ChessRules {
        self.rules
    }

    #[inline(always)]
    fn to_move(&self) -> Player {
        match self.board.side_to_move() {
            Color::White => Player::First,
            Color::Black => Player::Second,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.has_insufficient_material() {
            return Some(Outcome::Draw);
        }
        if self.has_legal_move() {
            return (self.board.halfmove_clock() >= FIFTY_MOVE_PLIES).then_some(Outcome::Draw);
        }
        let mated = !self.board.checkers().is_empty();
        Some(if mated {
            Outcome::Win(self.to_move().opponent())
        } else {
            Outcome::Draw
        })
    }

    fn legal_moves(&self, out: &mut Vec<ChessMove>) {
        if self.is_declared_draw() {
            out.clear();
        } else {
            self.perft_moves(out);
        }
    }

    fn is_legal(&self, mv: ChessMove) -> bool {
        // cozy-chess takes any promotion piece on trust, even a pawn or a king; ours cannot express those.
        mv.0 >> 15 == 0
            && mv.0 & 7 <= 4
            && self.board.is_legal(mv.unpack())
            && !self.is_declared_draw()
    }

    #[inline(always)]
    fn play(&mut self, mv: ChessMove) {
        // Perft plays on after a declared draw, so only the pieces are asked.
        debug_assert!(self.board.is_legal(mv.unpack()), "{mv:?} in {}", self.board);
        self.board.play_unchecked(mv.unpack());
    }

    fn key(&self) -> u64 {
        mix(self.placement_key() ^ mix(self.board.halfmove_clock().into()))
    }

    fn piece_count(&self) -> u32 {
        self.board.occupied().len()
    }

    fn perft_moves(&self, out: &mut Vec<ChessMove>) {
        out.clear();
        self.board.generate_moves(|moves| {
            out.extend(moves.into_iter().map(ChessMove::pack));
            false
        });
        out.sort_unstable();
    }

    fn repetition_key(&self) -> Option<u64> {
        Some(self.placement_key())
    }

    fn is_irreversible(&self) -> bool {
        self.board.halfmove_clock() == 0
    }
}

impl SearchHints for Chess {
    const HAS_FAST_MOVE_GENERATION: bool = false;

    #[inline(always)]
    fn random_move(&self, rng: &mut Rng) -> Option<ChessMove> {
        if self.is_declared_draw() {
            return None;
        }
        let mut groups = [PieceMoves {
            piece: Piece::Pawn,
            from: Square::A1,
            to: BitBoard::EMPTY,
        }; MAX_MOVE_GROUPS];
        let mut ends = [0u32; MAX_MOVE_GROUPS];
        let mut used = 0;
        let mut total = 0;
        self.board.generate_moves(|moves| {
            total += moves.len() as u32;
            groups[used] = moves;
            ends[used] = total;
            used += 1;
            false
        });
        if total == 0 {
            return None;
        }
        let index = rng.below(total);
        let group = ends[..used].iter().position(|&end| index < end)?;
        let moves = &groups[group];
        let index = index - if group == 0 { 0 } else { ends[group - 1] };
        Some(ChessMove::pack(nth_move(moves, index)))
    }

    fn perft_count(&self) -> u64 {
        let mut count = 0;
        self.board.generate_moves(|moves| {
            count += moves.len() as u64;
            false
        });
        count
    }
}

/// The move of that index in a group; a pawn that promotes counts four times for each target.
#[inline(always)]
fn nth_move(moves: &PieceMoves, index: u32) -> Move {
    const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;
    let promotes = moves.piece == Piece::Pawn && moves.to.0 & LAST_RANKS != 0;
    let (target, promotion) = if promotes {
        (index / 4, Some(PROMOTIONS[(index % 4) as usize]))
    } else {
        (index, None)
    };
    let to = Square::index(machine::select(moves.to.0, target) as usize);
    Move {
        from: moves.from,
        to,
        promotion,
    }
}

/// Chess has none that leave castling alone.
impl Symmetric for Chess {
    fn image(&self, _: Symmetry) -> Self {
        self.clone()
    }

    fn image_of_move(mv: ChessMove, _: Symmetry) -> ChessMove {
        mv
    }
}
