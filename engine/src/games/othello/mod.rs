//! Othello (reversi) on 8 by 8: a disc must turn opponents over; who cannot, passes; when neither can, discs count.
//!
//! Bit = row * 8 + column, rows from the top: a1 is bit 0, h1 bit 7, h8 bit 63. Moving by one square in the eight
//! directions is a shift by 1, 7, 8 or 9 to either side; four of them are worked on at a time, in lanes.

use super::{Game, MoveCode, Outcome, Player, SearchHints, Symmetric, Symmetry};
use crate::machine::{self, LaneWork, Lanes, ScalarLanes};
use crate::rng::{Rng, mix};

mod eval;
mod explain;
mod facts;
pub mod ggf;
mod notation;
mod patterns;
mod tactics;

/// A position. Boards are kept from the side of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Othello {
    own: u64,
    opponent: u64,
    to_move: Player,
}

/// A square (row * 8 + column), or [`PASS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OthelloMove(pub u8);

/// The move of a player who has no square to play on.
pub const PASS: OthelloMove = OthelloMove(64);

/// The four corners.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;

const D4_E5: u64 = 1 << 27 | 1 << 36;
const E4_D5: u64 = 1 << 28 | 1 << 35;
const CENTRE: u64 = D4_E5 | E4_D5;
/// Without the edge columns: a line that runs sideways can pass through these squares only.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;
/// How far apart the bits of neighbouring squares are: to the right, down left, down and down right.
pub(crate) const DIRECTION_SHIFTS: [u64; 4] = [1, 7, 8, 9];
const PASSABLE: [u64; 4] = [INNER_COLUMNS, INNER_COLUMNS, u64::MAX, INNER_COLUMNS];

impl Othello {
    /// The start of report 004: the usual one seen in a mirror.
    pub fn mirrored_start() -> Self {
        Self {
            own: D4_E5,
            opponent: E4_D5,
            to_move: Player::First,
        }
    }

    /// Report 001's weight of the square a move is made on; 0 for a pass.
    pub fn weight_001(place: OthelloMove) -> i32 {
        eval::weight_001(place)
    }

    /// Report 001's weights of these squares as its program has them, with -30 for -40 on b7 and g7.
    pub fn misprinted_weights_001(squares: u64) -> i32 {
        eval::misprinted_weights_001(squares)
    }

    /// The discs of each player, first player first, as bits.
    pub fn discs(&self) -> [u64; 2] {
        self.to_move.own_first([self.own, self.opponent])
    }

    /// The squares the player to move can play on.
    #[inline(always)]
    pub fn legal_squares(&self) -> u64 {
        mobility(self.own, self.opponent)
    }

    /// The squares the other player could play on, if it were its turn.
    #[inline(always)]
    pub fn opponent_legal_squares(&self) -> u64 {
        mobility(self.opponent, self.own)
    }

    /// The discs that the player to move would turn over on `square`; none where it may not be played.
    pub fn captures(&self, square: u8) -> u64 {
        if (self.own | self.opponent) >> square & 1 == 1 {
            0
        } else {
            flips(self.own, self.opponent, square)
        }
    }

    /// The same position with the other player to move, whatever the rules say.
    pub fn with_turn_passed(&self) -> Self {
        Self {
            own: self.opponent,
            opponent: self.own,
            to_move: self.to_move.opponent(),
        }
    }
}

/// The empty squares from which a line of opponent's discs runs to an own disc.
#[inline(always)]
fn mobility(own: u64, opponent: u64) -> u64 {
    mobility_in_lanes::<ScalarLanes>(own, opponent)
}

/// The squares that the owner of `own` can play on, by lanes of the caller's choice.
#[inline(always)]
pub(crate) fn mobility_in_lanes<L: Lanes>(own: u64, opponent: u64) -> u64 {
    let lines = FlankedRuns::new(L::splat(own), L::splat(opponent));
    lines.ends().reduce_or() & !(own | opponent)
}

/// The opponent's discs that lie in a line beside an own disc.
struct FlankedRuns<L> {
    /// Those on the way from own discs towards higher bits; a lane for each of [`DIRECTION_SHIFTS`].
    up: L,
    /// And towards lower bits.
    down: L,
}

impl<L: Lanes> FlankedRuns<L> {
    #[inline(always)]
    fn new(own: L, opponent: L) -> Self {
        let through = opponent & PASSABLE.into();
        Self {
            up: flood_up(own, through),
            down: flood_down(own, through),
        }
    }

    /// The squares just behind the lines; some are taken.
    #[inline(always)]
    fn ends(&self) -> L {
        self.up << DIRECTION_SHIFTS.into() | self.down >> DIRECTION_SHIFTS.into()
    }

    /// The discs of the lines that end at the one square `end`: those that a disc there turns over.
    #[inline(always)]
    fn flips_for(&self, end: L) -> L {
        (flood_down(end, self.up) | flood_up(end, self.down)).splat_or()
    }
}

/// The squares of `through` that are reached from `start` without leaving it, at most six steps towards higher bits.
#[inline(always)]
fn flood_up<L: Lanes>(start: L, through: L) -> L {
    let [one, two, four] = [1, 2, 4].map(|count| DIRECTION_SHIFTS.map(|step| count * step).into());
    // Where a run of two ends, and one of four.
    let pairs = through & (through << one);
    let fours = pairs & (pairs << two);
    let near = through & (start << one) | pairs & (start << two);
    near | (pairs & (near << two) | fours & (near << four))
}

/// The same towards lower bits.
#[inline(always)]
fn flood_down<L: Lanes>(start: L, through: L) -> L {
    let [one, two, four] = [1, 2, 4].map(|count| DIRECTION_SHIFTS.map(|step| count * step).into());
    let pairs = through & (through >> one);
    let fours = pairs & (pairs >> two);
    let near = through & (start >> one) | pairs & (start >> two);
    near | (pairs & (near >> two) | fours & (near >> four))
}

/// A random game to the end.
struct OthelloPlayout<'a> {
    position: &'a mut Othello,
    rng: &'a mut Rng,
}

impl LaneWork for OthelloPlayout<'_> {
    type Out = u32;

    #[inline(always)]
    fn run<L: Lanes>(self) -> u32 {
        let Self {
            position,
            rng: shared,
        } = self;
        let mut rng = shared.clone();
        let mut plies = 0;
        // The same discs in every lane.
        let [mut own, mut opponent] =
            [position.own, position.opponent].map(|discs| L::from([discs; 4]));
        let mut to_move = position.to_move;
        let mut empty = !(position.own | position.opponent);
        let mut passed = false;
        while empty != 0 {
            let lines = FlankedRuns::new(own, opponent);
            let squares = lines.ends().reduce_or() & empty;
            if squares == 0 {
                (own, opponent) = (opponent, own);
                to_move = to_move.opponent();
                if passed {
                    // The game is over, with the player to move who passed first.
                    break;
                }
                passed = true;
                continue;
            }
            plies += 1 + u32::from(passed);
            passed = false;
            let square = machine::select_bit(squares, rng.below(squares.count_ones()));
            empty ^= square;
            let placed = L::from([square; 4]);
            let turned = lines.flips_for(placed);
            (own, opponent) = (opponent ^ turned, own | placed | turned);
            to_move = to_move.opponent();
        }
        *shared = rng;
        *position = Othello {
            own: own.reduce_or(),
            opponent: opponent.reduce_or(),
            to_move,
        };
        plies
    }
}

/// The opponent's discs between `square` and an own disc, in all eight directions.
#[inline(always)]
fn flips(own: u64, opponent: u64, square: u8) -> u64 {
    let below = flips_up(own, opponent, square);
    // With the rows reversed, the three directions that lead up the board lead down.
    let above = flips_up(own.swap_bytes(), opponent.swap_bytes(), square ^ 56).swap_bytes();
    // What is left is the direction to the left, where the highest square that is not the opponent's closes the line. Bit
    // 0 stands in for "none", and is on the ray only if it is rightly there.
    let ray = (1 << square) - (1 << (square & 56));
    let stops = ray & !opponent | 1;
    let closing = (1 << 63 >> stops.leading_zeros()) & own & ray;
    below | above | ray & (closing << 1).wrapping_neg()
}

/// The part of [`flips`] that lies towards higher bits.
#[inline(always)]
fn flips_up(own: u64, opponent: u64, square: u8) -> u64 {
    let mut turned = 0;
    for ray in RAYS_UP[usize::from(square)] {
        // The lowest square of the ray that is not the opponent's closes the line, if it is ours.
        let stops = ray & !opponent;
        let closing = stops & stops.wrapping_neg() & own;
        turned |= ray & closing.wrapping_sub((closing != 0).into());
    }
    turned
}

static RAYS_UP: [[u64; 4]; 64] = {
    let mut table = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = rays_up(square);
        square += 1;
    }
    table
};

/// The squares that lie to the right, down left, down and down right of a square, as far as the edge of the board.
pub(crate) const fn rays_up(square: usize) -> [u64; 4] {
    [
        ray(square, 1, 0),
        ray(square, -1, 1),
        ray(square, 0, 1),
        ray(square, 1, 1),
    ]
}

/// The squares from a square on in a direction, as far as the edge of the board, without the square itself.
pub(crate) const fn ray(square: usize, dx: i32, dy: i32) -> u64 {
    let (mut x, mut y) = (square as i32 % 8 + dx, square as i32 / 8 + dy);
    let mut squares = 0;
    while x >= 0 && x < 8 && y >= 0 && y < 8 {
        squares |= 1 << (y * 8 + x);
        x += dx;
        y += dy;
    }
    squares
}

impl Game for Othello {
    type Rules = ();
    type Move = OthelloMove;

    const MOVE_BITS: u32 = 7;

    #[inline(always)]
    fn move_to_bits(mv: OthelloMove) -> MoveCode {
        mv.0.into()
    }

    #[inline(always)]
    fn move_from_bits(bits: MoveCode) -> Self::Move {
        OthelloMove(bits as u8)
    }

    fn start((): ()) -> Self {
        Self {
            own: E4_D5,
            opponent: D4_E5,
            to_move: Player::First,
        }
    }

    fn rules(&self) {}

    #[inline(always)]
    fn to_move(&self) -> Player {
        self.to_move
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        let over = self.legal_squares() == 0 && self.opponent_legal_squares() == 0;
        over.then(|| self.final_outcome())
    }

    #[inline(always)]
    fn legal_moves(&self, out: &mut Vec<OthelloMove>) {
        out.clear();
        out.extend(machine::iter_ones(self.legal_squares()).map(OthelloMove));
        if out.is_empty() && self.opponent_legal_squares() != 0 {
            out.push(PASS);
        }
    }

    #[inline(always)]
    fn is_legal(&self, mv: OthelloMove) -> bool {
        if mv == PASS {
            return self.legal_squares() == 0 && self.opponent_legal_squares() != 0;
        }
        mv < PASS && self.captures(mv.0) != 0
    }

    #[inline(always)]
    fn play(&mut self, mv: OthelloMove) {
        debug_assert!(self.is_legal(mv), "{mv:?} in {self:?}");
        if mv == PASS {
            *self = self.with_turn_passed();
            return;
        }
        let turned = flips(self.own, self.opponent, mv.0);
        (self.own, self.opponent) = (self.opponent & !turned, self.own | turned | 1 << mv.0);
        self.to_move = self.to_move.opponent();
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        mix(self.own ^ mix(self.opponent ^ mix(self.to_move as u64)))
    }

    fn piece_count(&self) -> u32 {
        (self.own | self.opponent).count_ones()
    }
}

impl SearchHints for Othello {
    /// The empty squares: games seldom end before the board is full.
    fn expected_plies_left(&self) -> Option<u32> {
        Some((64 - self.piece_count()).max(1))
    }

    fn margin_bounds(&self) -> Option<[i32; 2]> {
        let [first, second] = self.discs().map(|discs| discs.count_ones() as i32);
        Some(match self.outcome() {
            Some(_) => [first - second; 2],
            None => [-64, 64],
        })
    }

    #[inline(always)]
    fn final_outcome(&self) -> Outcome {
        let [first, second] = self.discs();
        Outcome::by_score(first.count_ones(), second.count_ones())
    }

    fn final_margin(&self) -> u32 {
        let [first, second] = self.discs();
        first.count_ones().abs_diff(second.count_ones())
    }

    #[inline(always)]
    fn random_move(&self, rng: &mut Rng) -> Option<OthelloMove> {
        let squares = self.legal_squares();
        if squares != 0 {
            return Some(OthelloMove(
                machine::select(squares, rng.below(squares.count_ones())) as u8,
            ));
        }
        (self.opponent_legal_squares() != 0).then_some(PASS)
    }

    #[inline(always)]
    fn play_out(&mut self, rng: &mut Rng) -> u32 {
        machine::run_in_lanes(OthelloPlayout {
            position: self,
            rng,
        })
    }

    fn perft_count(&self) -> u64 {
        match self.legal_squares().count_ones() {
            0 => u64::from(self.opponent_legal_squares() != 0),
            squares => squares.into(),
        }
    }
}

impl Symmetric for Othello {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn image(&self, symmetry: Symmetry) -> Self {
        Self {
            own: image(self.own, symmetry),
            opponent: image(self.opponent, symmetry),
            to_move: self.to_move,
        }
    }

    fn image_of_move(mv: OthelloMove, symmetry: Symmetry) -> OthelloMove {
        if mv == PASS {
            return mv;
        }
        let (column, row) = symmetry.map_square((mv.0 % 8, mv.0 / 8), 8);
        OthelloMove(row * 8 + column)
    }

    fn inverted(&self) -> Option<Self> {
        Some(Self {
            to_move: self.to_move.opponent(),
            ..*self
        })
    }
}

fn image(mut board: u64, symmetry: Symmetry) -> u64 {
    if symmetry.transposes() {
        // Exchange across the diagonal: in 2x2 blocks, then 4x4, then 8x8.
        for (mask, shift) in [
            (0x00aa_00aa_00aa_00aa, 7),
            (0x0000_cccc_0000_cccc, 14),
            (0x0000_0000_f0f0_f0f0, 28),
        ] {
            let swapped = (board ^ (board >> shift)) & mask;
            board ^= swapped ^ (swapped << shift);
        }
    }
    if symmetry.reverses_columns() {
        board = board.reverse_bits().swap_bytes();
    }
    if symmetry.reverses_rows() {
        board = board.swap_bytes();
    }
    board
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{games::eight_directions, rng::Rng};

    /// Flips by walking along each line square by square.
    fn flips_by_walking(own: u64, opponent: u64, square: u8) -> u64 {
        let mut all = 0;
        for (dx, dy) in eight_directions() {
            let (mut x, mut y) = (i32::from(square % 8) + dx, i32::from(square / 8) + dy);
            let mut line = 0u64;
            while (0..8).contains(&x) && (0..8).contains(&y) {
                let bit = 1u64 << (y * 8 + x);
                if opponent & bit == 0 {
                    all |= if own & bit != 0 { line } else { 0 };
                    break;
                }
                line |= bit;
                (x, y) = (x + dx, y + dy);
            }
        }
        all
    }

    proptest! {
        #[test]
        fn bit_tricks_agree_with_walking(own in any::<u64>(), other in any::<u64>(), thin in any::<u64>()) {
            let (own, opponent) = (own & thin, other & !own);
            let mut squares = 0;
            for square in 0..64 {
                if (own | opponent) >> square & 1 == 0 {
                    let expected = flips_by_walking(own, opponent, square);
                    prop_assert_eq!(flips(own, opponent, square), expected);
                    squares |= u64::from(expected != 0) << square;
                }
            }
            prop_assert_eq!(mobility(own, opponent), squares);
        }

        #[test]
        fn a_game_played_out_is_one_played_move_by_move(seed in any::<u64>()) {
            let (mut position, mut rng) = (Othello::start(()), Rng::new(seed));
            let mut plies = 0;
            while position.play_random(&mut rng) {
                plies += 1;
            }
            let expected = (plies, position, rng);
            let (mut position, mut rng) = (Othello::start(()), Rng::new(seed));
            let plies = position.play_out(&mut rng);
            prop_assert_eq!(&(plies, position, rng), &expected);
            let (mut position, mut rng) = (Othello::start(()), Rng::new(seed));
            let plies = OthelloPlayout { position: &mut position, rng: &mut rng }.run::<ScalarLanes>();
            prop_assert_eq!(&(plies, position, rng), &expected);
        }

        #[test]
        fn board_images_agree_with_square_images(board in any::<u64>()) {
            for symmetry in Symmetry::ALL {
                let by_square = machine::iter_ones(board)
                    .fold(0, |image, square| image | 1u64 << Othello::image_of_move(OthelloMove(square), symmetry).0);
                prop_assert_eq!(image(board, symmetry), by_square);
            }
        }
    }
}
