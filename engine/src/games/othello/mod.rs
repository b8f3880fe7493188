//! Othello (reversi) on 8 by 8: a disc must turn opponents over; who cannot, passes; when neither can, discs count.
//!
//! Bit = row * 8 + column, rows from the top: a1 is bit 0, h1 bit 7, h8 bit 63. Moving by one square in the eight
//! directions is a shift by 1, 7, 8 or 9 to either side; four of them are worked on at a time, in lanes that the
//! compiler turns into vector instructions.

use super::{Game, Outcome, Player, Symmetric, Symmetry};
use crate::machine;
use crate::rng::{Rng, mix};

mod eval;
pub mod ggf;
mod notation;

/// A position. Boards are kept from the side of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Othello {
    own: u64,
    opponent: u64,
    to_move: Player,
}

/// A square (row * 8 + column), or [`PASS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub u8);

/// The move of a player who has no square to play on.
pub const PASS: Place = Place(64);

/// The four corners.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;

const D4_E5: u64 = 1 << 27 | 1 << 36;
const E4_D5: u64 = 1 << 28 | 1 << 35;
const CENTRE: u64 = D4_E5 | E4_D5;
/// Without the edge columns: a line that runs sideways can pass through these squares only.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;
const STEPS: [u32; 4] = [1, 7, 8, 9];
const PASSABLE: [u64; 4] = [INNER, INNER, u64::MAX, INNER];

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
    pub fn weight_001(place: Place) -> i32 {
        eval::weight_001(place)
    }

    /// The discs of each player, first player first, as bits.
    pub fn discs(&self) -> [u64; 2] {
        match self.to_move {
            Player::First => [self.own, self.opponent],
            Player::Second => [self.opponent, self.own],
        }
    }

    /// The squares the player to move can play on.
    #[inline(always)]
    pub fn squares(&self) -> u64 {
        mobility(self.own, self.opponent)
    }

    /// The squares the other player could play on, if it were its turn.
    #[inline(always)]
    pub fn opponent_squares(&self) -> u64 {
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
    let mut found = [0; 4];
    for lane in 0..4 {
        let step = STEPS[lane];
        let through = opponent & PASSABLE[lane];
        // Parallel prefix: lines of 1, then up to 2, then up to 6 opponent's discs beside an own disc.
        let mut up = through & (own << step);
        let mut down = through & (own >> step);
        up |= through & (up << step);
        down |= through & (down >> step);
        let pairs_up = through & (through << step);
        let pairs_down = through & (through >> step);
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        found[lane] = up << step | down >> step;
    }
    (found[0] | found[1] | found[2] | found[3]) & !(own | opponent)
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

/// The squares that lie to the right, down left, down and down right of a square, as far as the edge of the board.
static RAYS_UP: [[u64; 4]; 64] = {
    let mut table = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = [
            ray(square, 1, 0),
            ray(square, -1, 1),
            ray(square, 0, 1),
            ray(square, 1, 1),
        ];
        square += 1;
    }
    table
};

const fn ray(square: usize, dx: i32, dy: i32) -> u64 {
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
    type Move = Place;

    const MOVE_BITS: u32 = 7;

    #[inline(always)]
    fn move_to_bits(mv: Place) -> u32 {
        mv.0.into()
    }

    #[inline(always)]
    fn move_from_bits(bits: u32) -> Self::Move {
        Place(bits as u8)
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
        let over = self.squares() == 0 && self.opponent_squares() == 0;
        over.then(|| self.final_outcome())
    }

    #[inline(always)]
    fn final_outcome(&self) -> Outcome {
        let [first, second] = self.discs();
        Outcome::by_score(first.count_ones(), second.count_ones())
    }

    #[inline(always)]
    fn legal_moves(&self, out: &mut Vec<Place>) {
        out.clear();
        out.extend(machine::ones(self.squares()).map(Place));
        if out.is_empty() && self.opponent_squares() != 0 {
            out.push(PASS);
        }
    }

    #[inline(always)]
    fn is_legal(&self, mv: Place) -> bool {
        if mv == PASS {
            return self.squares() == 0 && self.opponent_squares() != 0;
        }
        mv < PASS && self.captures(mv.0) != 0
    }

    #[inline(always)]
    fn play(&mut self, mv: Place) {
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

    fn men(&self) -> u32 {
        (self.own | self.opponent).count_ones()
    }

    #[inline(always)]
    fn random_move(&self, rng: &mut Rng) -> Option<Place> {
        let squares = self.squares();
        if squares != 0 {
            return Some(Place(
                machine::select(squares, rng.below(squares.count_ones())) as u8,
            ));
        }
        (self.opponent_squares() != 0).then_some(PASS)
    }

    fn perft_count(&self) -> u64 {
        match self.squares().count_ones() {
            0 => u64::from(self.opponent_squares() != 0),
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

    fn image_of_move(mv: Place, symmetry: Symmetry) -> Place {
        if mv == PASS {
            return mv;
        }
        let (column, row) = symmetry.square((mv.0 % 8, mv.0 / 8), 8);
        Place(row * 8 + column)
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

    /// Flips by walking along each line square by square.
    fn flips_by_walking(own: u64, opponent: u64, square: u8) -> u64 {
        let mut all = 0;
        for (dx, dy) in [
            (1, 0),
            (-1, 0),
            (0, 1),
            (0, -1),
            (1, 1),
            (-1, -1),
            (1, -1),
            (-1, 1),
        ] {
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
        fn board_images_agree_with_square_images(board in any::<u64>()) {
            for symmetry in Symmetry::ALL {
                let by_square = machine::ones(board)
                    .fold(0, |image, square| image | 1u64 << Othello::image_of_move(Place(square), symmetry).0);
                prop_assert_eq!(image(board, symmetry), by_square);
            }
        }
    }
}
