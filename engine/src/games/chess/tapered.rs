//! Evaluation `tapered` of chess: material, squares, mobility, pawns and kings, between a middle game and an end game by the
//! pieces left. Features are counted for each side on a board turned to its own side, and the opponent's taken off.

use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};

use super::{
    Chess,
    tapered_weights::{KNOTS, WEIGHTS},
};
use crate::{
    games::linear::{
        FeatureSink, FittedEvaluation, Stage, WeightedSum, WeightsFile, feature_groups,
    },
    machine::iter_ones,
};

mod endings;
mod prior;

feature_groups! {
    MATERIAL "pawn knight bishop rook queen" 5,
    PAWN_SQUARES "pawn on a1 b1 c1 d1, a2 ... (files mirrored)" 32,
    KNIGHT_SQUARES "knight on a1 b1 c1 d1, a2 ..." 32,
    BISHOP_SQUARES "bishop on" 32,
    ROOK_SQUARES "rook on" 32,
    QUEEN_SQUARES "queen on" 32,
    KING_SQUARES "king on" 32,
    MOBILITY "square within reach of a knight, bishop, rook, queen" 4,
    BISHOP_PAIR "two bishops" 1,
    DOUBLED "pawn before an own pawn" 1,
    ISOLATED "pawn without own pawns on the next files" 1,
    BACKWARD "pawn that cannot be supported and whose next square is attacked by a pawn" 1,
    CONNECTED "pawn beside or supported by a pawn, on rank 2 to 7" 6,
    PASSED "passed pawn on rank 2 to 7" 6,
    PASSED_BLOCKED "blocked passed pawn" 1,
    PASSED_KINGS "step of the own and of the other king to the square before a passed pawn from rank 4 on" 2,
    ROOK_FILES "rook on a file without pawns, without own pawns" 2,
    ROOK_BEHIND "rook behind a passed pawn of its own" 1,
    OUTPOSTS "knight, bishop that a pawn supports and none can attack, on rank 4 to 6" 2,
    SHELTER "pawn on the second, third rank before the king" 2,
    KING_FILES "file beside or of the king without own pawns, without any" 2,
    RING "square at the other king attacked by a knight, bishop, rook, queen" 4,
    ATTACKERS "two, three, four or more attackers of the other king" 3,
    SAFE_CHECKS "safe square for a check by a knight, bishop, rook, queen" 4,
    THREATS "pawn attacks a minor piece, rook, queen; minor piece attacks a rook or queen" 4,
    LOOSE "attacked piece of the opponent that nothing defends" 1,
    TEMPO "to move" 1,
}

const _: () = assert!(FEATURES == WEIGHTS.len());

pub(super) const FITTED: FittedEvaluation<Chess> = FittedEvaluation {
    prior: Some(prior::worth),
    is_quiet: |position| is_quiet(position.board()),
    decided: 700,
    ..FittedEvaluation::new(
        "tapered",
        GROUPS,
        KNOTS,
        |position, sink| features(position.board(), sink),
        WeightsFile::Rust("engine/src/games/chess/tapered_weights.rs"),
    )
};

/// The value in hundredths of a pawn for the player to move.
pub(super) fn value(position: &Chess) -> i32 {
    let board = position.board();
    let sum = WeightedSum::of(&WEIGHTS, stage(board), |sum| features(board, sum));
    let value = sum + endings::lone_king(board);
    if endings::can_hardly_win(board, value) {
        value / 8
    } else {
        value
    }
}

/// Pieces without pawns and kings at the start: knights and bishops 1, rooks 2, queens 4.
const ALL_PIECES: i32 = 24;

/// From the middle game with all pieces to the end game with none.
#[inline]
fn stage(board: &Board) -> Stage {
    let count = |piece| board.pieces(piece).len() as i32;
    let minors = count(Piece::Knight) + count(Piece::Bishop);
    let left = minors + 2 * count(Piece::Rook) + 4 * count(Piece::Queen);
    Stage::new(ALL_PIECES - left, ALL_PIECES, KNOTS)
}

/// Bits of a board seen from one side: its own first rank is the lowest byte.
#[derive(Clone, Copy)]
struct Side {
    /// By piece, as cozy-chess numbers them.
    pieces: [u64; 6],
    all: u64,
    king: Square,
    pawn_attacks: u64,
}

const PAWN: usize = Piece::Pawn as usize;
const KNIGHT: usize = Piece::Knight as usize;
const BISHOP: usize = Piece::Bishop as usize;
const ROOK: usize = Piece::Rook as usize;
const QUEEN: usize = Piece::Queen as usize;
const KING: usize = Piece::King as usize;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const RANK_1: u64 = 0xff;
/// The ranks from which an outpost is one.
const RANKS_4_TO_6: u64 = 0x0000_ffff_ff00_0000;

impl Side {
    /// The pieces of `color`, seen by `viewer`.
    #[inline]
    fn new(board: &Board, color: Color, viewer: Color) -> Self {
        let turn = |bits: u64| match viewer {
            Color::White => bits,
            Color::Black => bits.swap_bytes(),
        };
        let pieces = Piece::ALL.map(|piece| turn(board.colored_pieces(color, piece).0));
        let pawns = pieces[PAWN];
        Self {
            pieces,
            all: turn(board.colors(color).0),
            king: board.king(color).relative_to(viewer),
            pawn_attacks: if color == viewer {
                attacks_up(pawns)
            } else {
                attacks_down(pawns)
            },
        }
    }
}

/// What pawns that go up attack.
#[inline]
fn attacks_up(pawns: u64) -> u64 {
    (pawns & !FILE_A) << 7 | (pawns & !FILE_H) << 9
}

/// What pawns that go down attack.
#[inline]
fn attacks_down(pawns: u64) -> u64 {
    (pawns & !FILE_A) >> 9 | (pawns & !FILE_H) >> 7
}

/// The squares above these, to the end of the board.
#[inline]
fn fill_up(mut bits: u64) -> u64 {
    bits |= bits << 8;
    bits |= bits << 16;
    bits | bits << 32
}

#[inline]
fn fill_down(bits: u64) -> u64 {
    fill_up(bits.swap_bytes()).swap_bytes()
}

/// The squares to the left and right of these.
#[inline]
fn beside(bits: u64) -> u64 {
    (bits & !FILE_A) >> 1 | (bits & !FILE_H) << 1
}

#[inline]
fn squares(bits: u64) -> impl Iterator<Item = Square> {
    iter_ones(bits).map(|square| Square::index(square.into()))
}

/// The feature of a square in a table of 32: the right half of the board is the mirror image of the left.
#[inline]
fn folded(square: Square) -> usize {
    let (file, rank) = (square as usize & 7, square as usize >> 3);
    rank * 4 + file.min(7 - file)
}

#[inline]
fn king_distance(one: Square, other: Square) -> i32 {
    let files = (one as i32 & 7) - (other as i32 & 7);
    let ranks = (one as i32 >> 3) - (other as i32 >> 3);
    files.abs().max(ranks.abs())
}

/// What a piece that is neither pawn nor king attacks.
#[inline]
fn piece_attacks(piece: usize, square: Square, occupied: u64) -> u64 {
    let occupied = BitBoard(occupied);
    let attacks = match piece {
        KNIGHT => get_knight_moves(square),
        BISHOP => get_bishop_moves(square, occupied),
        ROOK => get_rook_moves(square, occupied),
        _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
    };
    attacks.0
}

/// What a side attacks, seen by itself.
#[derive(Clone, Copy, Default)]
struct Attacks {
    /// By piece.
    by: [u64; 6],
    all: u64,
}

impl Attacks {
    /// Seen by the other side.
    #[inline]
    fn turned(self) -> Self {
        Self {
            by: self.by.map(u64::swap_bytes),
            all: self.all.swap_bytes(),
        }
    }
}

/// Both sides, seen by one of them.
struct Sides {
    own: Side,
    other: Side,
}

impl Sides {
    /// As the player to move sees them, and as the opponent does.
    #[inline]
    fn both(board: &Board) -> [Self; 2] {
        let mover = board.side_to_move();
        [mover, !mover].map(|viewer| Self {
            own: Side::new(board, viewer, viewer),
            other: Side::new(board, !viewer, viewer),
        })
    }

    #[inline]
    fn count<'a, S: ?Sized>(&'a self, sign: i32, sink: &'a mut S) -> SideCount<'a, S> {
        let Self { own, other } = self;
        SideCount {
            own,
            other,
            sign,
            sink,
        }
    }
}

/// Adds the features of one side to those of a sink, `sign` times.
struct SideCount<'a, S: ?Sized> {
    own: &'a Side,
    other: &'a Side,
    sign: i32,
    sink: &'a mut S,
}

/// Lists all features of a position.
#[inline]
fn features<S: FeatureSink + ?Sized>(board: &Board, sink: &mut S) -> Stage {
    let [mover, opponent] = Sides::both(board);
    let own = mover.count(1, sink).standing();
    let other = opponent.count(-1, sink).standing();
    mover.count(1, sink).meeting(&own, &other.turned());
    opponent.count(-1, sink).meeting(&other, &own.turned());
    sink.add(TEMPO, 1);
    stage(board)
}

impl<S: FeatureSink + ?Sized> SideCount<'_, S> {
    #[inline]
    fn add(&mut self, feature: usize, count: u32) {
        self.sink.add(feature, self.sign * count as i32);
    }

    /// The features that need no attacks of the other side, and what this side attacks.
    #[inline]
    fn standing(&mut self) -> Attacks {
        self.squares();
        self.pawns();
        self.passed_pawns();
        self.shelter();
        self.pieces()
    }

    fn squares(&mut self) {
        for (piece, first) in [
            (PAWN, PAWN_SQUARES),
            (KNIGHT, KNIGHT_SQUARES),
            (BISHOP, BISHOP_SQUARES),
            (ROOK, ROOK_SQUARES),
            (QUEEN, QUEEN_SQUARES),
            (KING, KING_SQUARES),
        ] {
            for square in squares(self.own.pieces[piece]) {
                self.add(first + folded(square), 1);
            }
        }
        for piece in PAWN..KING {
            self.add(MATERIAL + piece, self.own.pieces[piece].count_ones());
        }
        self.add(
            BISHOP_PAIR,
            u32::from(self.own.pieces[BISHOP].count_ones() > 1),
        );
    }

    fn pawns(&mut self) {
        let pawns = self.own.pieces[PAWN];
        let files = fill_up(fill_down(pawns));
        self.add(DOUBLED, (pawns & fill_up(pawns << 8)).count_ones());
        self.add(ISOLATED, (pawns & !beside(files)).count_ones());
        // Every square that a pawn of the next files can come to support, or supports.
        let supportable = fill_up(beside(pawns));
        let stopped = (self.other.pawn_attacks & !self.own.pawn_attacks) >> 8;
        self.add(
            BACKWARD,
            (pawns & beside(files) & !supportable & stopped).count_ones(),
        );
        let connected = pawns & (beside(pawns) | self.own.pawn_attacks);
        for rank in 1..7 {
            self.add(
                CONNECTED + rank - 1,
                (connected & RANK_1 << (8 * rank)).count_ones(),
            );
        }
    }

    /// The pawns that no pawn of the other side can stop.
    #[inline]
    fn passed(&self) -> u64 {
        let (pawns, theirs) = (self.own.pieces[PAWN], self.other.pieces[PAWN]);
        let guarded = fill_down(theirs >> 8) | fill_down(self.other.pawn_attacks);
        // Of doubled pawns only the first is one.
        pawns & !guarded & !fill_down(pawns >> 8)
    }

    fn passed_pawns(&mut self) {
        let occupied = self.own.all | self.other.all;
        for square in squares(self.passed()) {
            let rank = square as usize >> 3;
            self.add(PASSED + rank - 1, 1);
            let before = Square::index(square as usize + 8);
            self.add(PASSED_BLOCKED, u32::from(BitBoard(occupied).has(before)));
            if rank >= 3 {
                let (own, other) = (self.own.king, self.other.king);
                self.add(PASSED_KINGS, king_distance(own, before) as u32);
                self.add(PASSED_KINGS + 1, king_distance(other, before) as u32);
            }
        }
    }

    fn shelter(&mut self) {
        let (pawns, theirs) = (self.own.pieces[PAWN], self.other.pieces[PAWN]);
        let king = 1 << self.own.king as u32;
        let front = king | beside(king);
        self.add(SHELTER, (pawns & front << 8).count_ones());
        self.add(SHELTER + 1, (pawns & front << 16).count_ones());
        let without = |pawns: u64| {
            (fill_up(fill_down(front)) & !fill_up(fill_down(pawns)) & RANK_1).count_ones()
        };
        self.add(KING_FILES, without(pawns));
        self.add(KING_FILES + 1, without(pawns | theirs));
    }

    /// Mobility and attacks of the pieces, and what depends on their files and pawns.
    #[inline]
    fn pieces(&mut self) -> Attacks {
        let occupied = self.own.all | self.other.all;
        let king = get_king_moves(self.own.king).0;
        let mut attacks = Attacks::default();
        attacks.by[PAWN] = self.own.pawn_attacks;
        attacks.by[KING] = king;
        attacks.all = self.own.pawn_attacks | king;
        let free = !(self.own.all | self.other.pawn_attacks);
        let ring = get_king_moves(self.other.king).0;
        let mut attackers = 0;
        for piece in KNIGHT..KING {
            let (mut mobility, mut near) = (0, 0);
            for square in squares(self.own.pieces[piece]) {
                let reached = piece_attacks(piece, square, occupied);
                attacks.by[piece] |= reached;
                mobility += (reached & free).count_ones();
                near += (reached & ring).count_ones();
                attackers += usize::from(reached & ring != 0);
            }
            attacks.all |= attacks.by[piece];
            self.add(MOBILITY + piece - KNIGHT, mobility);
            self.add(RING + piece - KNIGHT, near);
        }
        if attackers >= 2 {
            self.add(ATTACKERS + attackers.min(4) - 2, 1);
        }
        self.rooks_and_outposts();
        attacks
    }

    fn rooks_and_outposts(&mut self) {
        let (pawns, theirs) = (self.own.pieces[PAWN], self.other.pieces[PAWN]);
        let rooks = self.own.pieces[ROOK];
        let own_files = fill_up(fill_down(pawns));
        let their_files = fill_up(fill_down(theirs));
        self.add(ROOK_FILES, (rooks & !own_files & !their_files).count_ones());
        self.add(
            ROOK_FILES + 1,
            (rooks & !own_files & their_files).count_ones(),
        );
        self.add(ROOK_BEHIND, (rooks & fill_down(self.passed())).count_ones());
        let attackable = fill_down(self.other.pawn_attacks);
        let posts = self.own.pawn_attacks & !attackable & RANKS_4_TO_6;
        for piece in [KNIGHT, BISHOP] {
            self.add(
                OUTPOSTS + piece - KNIGHT,
                (self.own.pieces[piece] & posts).count_ones(),
            );
        }
    }

    /// The features that need the attacks of both sides.
    #[inline]
    fn meeting(&mut self, own: &Attacks, other: &Attacks) {
        let occupied = self.own.all | self.other.all;
        let safe = !(self.own.all | other.all);
        for piece in KNIGHT..KING {
            let checks = piece_attacks(piece, self.other.king, occupied);
            self.add(
                SAFE_CHECKS + piece - KNIGHT,
                (checks & safe & own.by[piece]).count_ones(),
            );
        }
        let [_, knights, bishops, rooks, queens, _] = self.other.pieces;
        let by_pawns = own.by[PAWN];
        self.add(THREATS, (by_pawns & (knights | bishops)).count_ones());
        self.add(THREATS + 1, (by_pawns & rooks).count_ones());
        self.add(THREATS + 2, (by_pawns & queens).count_ones());
        let by_minors = own.by[KNIGHT] | own.by[BISHOP];
        self.add(THREATS + 3, (by_minors & (rooks | queens)).count_ones());
        let loose = self.other.all & !self.other.pieces[KING] & own.all & !other.all;
        self.add(LOOSE, loose.count_ones());
    }
}

/// Whether the player to move is not in check and can neither win material by a capture of a more valuable or undefended piece
/// nor promote.
fn is_quiet(board: &Board) -> bool {
    if !board.checkers().is_empty() {
        return false;
    }
    struct Nothing;
    impl FeatureSink for Nothing {
        fn add(&mut self, _: usize, _: i32) {}
    }
    let [mover, opponent] = Sides::both(board);
    let own = mover.count(1, &mut Nothing).standing();
    let other = opponent.count(1, &mut Nothing).standing().turned();
    let theirs = &mover.other;
    let [_, knights, bishops, rooks, queens, _] = theirs.pieces;
    let by_minors = own.by[KNIGHT] | own.by[BISHOP];
    let gains = own.by[PAWN] & (knights | bishops | rooks | queens)
        | by_minors & (rooks | queens)
        | own.by[ROOK] & queens
        | own.all & theirs.all & !other.all;
    const RANK_7: u64 = RANK_1 << 48;
    let promotes = mover.own.pieces[PAWN] & RANK_7 != 0;
    gains == 0 && !promotes
}

#[cfg(test)]
mod tests;
