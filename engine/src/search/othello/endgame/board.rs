//! Boards as the ending solver needs them: flips in lanes, quadrants and their parity, discs that are stable.

use crate::{
    games::othello::{CORNERS, DIRECTION_SHIFTS, mobility_in_lanes, ray, rays_up},
    machine::Lanes,
};

/// The discs of both sides, seen by the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) own: u64,
    pub(super) opponent: u64,
}

impl Board {
    /// The squares without a disc.
    #[inline(always)]
    pub(super) fn empty(self) -> u64 {
        !(self.own | self.opponent)
    }

    /// The same discs seen by the other player.
    #[inline(always)]
    pub(super) fn passed(self) -> Self {
        Self {
            own: self.opponent,
            opponent: self.own,
        }
    }

    /// The squares the player to move can play on.
    #[inline(always)]
    pub(super) fn moves<L: Lanes>(self) -> u64 {
        mobility_in_lanes::<L>(self.own, self.opponent)
    }

    /// The board after a disc on `square` that turns `flips` over, seen by the other player.
    #[inline(always)]
    pub(super) fn after(self, square: u32, flips: u64) -> Self {
        Self {
            own: self.opponent ^ flips,
            opponent: self.own | flips | 1 << square,
        }
    }

    /// The board after a move onto an empty square; none if it turns nothing over.
    #[inline(always)]
    pub(super) fn play<L: Lanes>(self, square: u32) -> Option<Self> {
        if NEIGHBOURS[square as usize & 63] & self.opponent == 0 {
            return None;
        }
        let flips = self.flips::<L>(square);
        (flips != 0).then(|| self.after(square, flips))
    }

    /// The discs that a move onto an empty square turns over.
    #[inline(always)]
    pub(super) fn flips<L: Lanes>(self, square: u32) -> u64 {
        let [up, down] = RAYS[square as usize & 63].map(L::from);
        let own = L::splat(self.own);
        let not_opponent = L::splat(!self.opponent);
        let ones = L::splat(u64::MAX);
        // Towards higher bits the lowest square that is not the opponent's closes the run, if it is ours: the bits below it.
        let stops = up & not_opponent;
        let closing = stops & (L::splat(0) - stops) & own;
        let above = up & (closing + (closing.zero_mask() ^ ones));
        // Towards lower bits it is the highest one. From it down all squares of the ray are marked; the run is the rest.
        let stops = down & not_opponent;
        let stops = stops | stops >> L::from(DIRECTION_SHIFTS);
        let stops = stops | stops >> L::from(DIRECTION_SHIFTS.map(|shift| 2 * shift));
        let stops = stops | stops >> L::from(DIRECTION_SHIFTS.map(|shift| 4 * shift));
        let closing = (stops ^ stops >> DIRECTION_SHIFTS.into()) & own & down;
        let below = down & (stops ^ ones) & (closing.zero_mask() ^ ones);
        (above | below).reduce_or()
    }

    /// Discs of the opponent that can never be turned over; not all of them.
    ///
    /// A disc is stable if along each of the four directions its line is full, or it has a stable disc of its colour or the edge
    /// beside it.
    pub(super) fn stable_of_opponent(self) -> u64 {
        const EDGE_COLUMNS: u64 = 0x8181_8181_8181_8181;
        const EDGE_ROWS: u64 = 0xff00_0000_0000_00ff;
        let discs = self.opponent;
        let [rows, columns, falling, rising] = full_lines(self.empty());
        let mut stable = discs & (rows & columns & falling & rising | CORNERS);
        let (rows, columns) = (rows | EDGE_COLUMNS, columns | EDGE_ROWS);
        let (falling, rising) = (
            falling | EDGE_COLUMNS | EDGE_ROWS,
            rising | EDGE_COLUMNS | EDGE_ROWS,
        );
        loop {
            let left = stable & NOT_FIRST_COLUMN;
            let right = stable & NOT_LAST_COLUMN;
            let next = stable
                | discs
                    & (left >> 1 | right << 1 | rows)
                    & (stable << 8 | stable >> 8 | columns)
                    & (left >> 9 | right << 9 | falling)
                    & (left << 7 | right >> 7 | rising);
            if next == stable {
                return stable;
            }
            stable = next;
        }
    }
}

const NOT_FIRST_COLUMN: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_LAST_COLUMN: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The squares whose row, column, falling and rising diagonal have no empty square.
fn full_lines(empty: u64) -> [u64; 4] {
    const COLUMNS_2: [u64; 2] = [0xfcfc_fcfc_fcfc_fcfc, 0x3f3f_3f3f_3f3f_3f3f];
    const COLUMNS_4: [u64; 2] = [0xf0f0_f0f0_f0f0_f0f0, 0x0f0f_0f0f_0f0f_0f0f];
    // Empty squares spread along their lines, by 1, 2 and 4 squares; the masks keep them from passing the side edges.
    let spread = |shift: u32, [up, down]: [[u64; 3]; 2]| {
        let (mut high, mut low) = (empty, empty);
        for (step, (up, down)) in up.into_iter().zip(down).enumerate() {
            high |= high << (shift << step) & up;
            low |= low >> (shift << step) & down;
        }
        !(high | low)
    };
    let rightwards = [NOT_FIRST_COLUMN, COLUMNS_2[0], COLUMNS_4[0]];
    let leftwards = [NOT_LAST_COLUMN, COLUMNS_2[1], COLUMNS_4[1]];
    [
        spread(1, [rightwards, leftwards]),
        spread(8, [[u64::MAX; 3]; 2]),
        spread(9, [rightwards, leftwards]),
        spread(7, [leftwards, rightwards]),
    ]
}

/// The rays from each square in the four directions towards higher bits, then in the opposite ones.
static RAYS: [[[u64; 4]; 2]; 64] = {
    let mut table = [[[0; 4]; 2]; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = [
            rays_up(square),
            [
                ray(square, -1, 0),
                ray(square, 1, -1),
                ray(square, 0, -1),
                ray(square, -1, -1),
            ],
        ];
        square += 1;
    }
    table
};

/// The squares around each square.
static NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let disc = 1_u64 << square;
        let sides = disc << 1 & NOT_FIRST_COLUMN | disc >> 1 & NOT_LAST_COLUMN;
        let rows = disc | sides;
        table[square] = sides | rows << 8 | rows >> 8;
        square += 1;
    }
    table
};

/// The empty squares beside discs of the opponent, where the player to move may be able to play sooner or later.
#[inline(always)]
pub(super) fn potential_moves(board: Board) -> u64 {
    let left = board.opponent & NOT_FIRST_COLUMN;
    let right = board.opponent & NOT_LAST_COLUMN;
    let rows = board.opponent | left >> 1 | right << 1;
    (rows | rows << 8 | rows >> 8) & board.empty()
}

/// Which quadrants of the board have an odd number of empty squares, a bit each. The last move in such a region is worth
/// having: moves into them are tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parity(u32);

impl Parity {
    pub(super) fn of(empty: u64) -> Self {
        let bits = QUADRANTS
            .iter()
            .enumerate()
            .map(|(index, quadrant)| ((empty & quadrant).count_ones() & 1) << index);
        Self(bits.sum())
    }

    /// After a move onto `square`.
    #[inline(always)]
    pub(super) fn after(self, square: u32) -> Self {
        Self(self.0 ^ 1 << quadrant(square))
    }

    /// The squares of the odd quadrants.
    #[inline(always)]
    pub(super) fn odd_squares(self) -> u64 {
        ODD_SQUARES[self.0 as usize & 15]
    }
}

/// The index of a square's quadrant.
#[inline(always)]
pub(super) fn quadrant(square: u32) -> u32 {
    square >> 2 & 1 | square >> 4 & 2
}

const QUADRANTS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

static ODD_SQUARES: [u64; 16] = {
    let mut table = [0; 16];
    let mut bits = 0;
    while bits < 16 {
        let mut index = 0;
        while index < 4 {
            if bits >> index & 1 == 1 {
                table[bits] |= QUADRANTS[index];
            }
            index += 1;
        }
        bits += 1;
    }
    table
};

/// How many discs a move onto the last empty square turns over, by the discs of the player who moves: all others are the
/// opponent's. Each of the four lines is gathered into a byte by a multiplication and looked up.
#[inline(always)]
pub(super) fn last_flips(own: u64, square: u32) -> u32 {
    const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
    const COLUMN_TO_BYTE: u64 = 0x0102_0408_1020_4080;
    let (x, y) = (square as usize & 7, square as usize >> 3 & 7);
    let [falling, rising] = DIAGONALS[square as usize & 63];
    let row = own >> (8 * y) & 255;
    let column = (own >> x & FIRST_COLUMN).wrapping_mul(COLUMN_TO_BYTE) >> 56;
    let falling = (own & falling).wrapping_mul(FIRST_COLUMN) >> 56;
    let rising = (own & rising).wrapping_mul(FIRST_COLUMN) >> 56;
    line_flips(x, row) + line_flips(y, column) + line_flips(x, falling) + line_flips(x, rising)
}

#[inline(always)]
fn line_flips(place: usize, own: u64) -> u32 {
    LINE_FLIPS[place][own as usize & 255].into()
}

/// The two diagonals through each square, without it.
static DIAGONALS: [[u64; 2]; 64] = {
    let mut table = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = [
            ray(square, 1, 1) | ray(square, -1, -1),
            ray(square, 1, -1) | ray(square, -1, 1),
        ];
        square += 1;
    }
    table
};

/// Discs turned over in a line of eight by a move onto a place, by the own discs; the others are the opponent's. Beyond the ends of
/// a shorter line nobody has a disc that could close a run.
static LINE_FLIPS: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0;
        while own < 256 {
            let higher = own >> (place + 1);
            if higher != 0 {
                table[place][own] += higher.trailing_zeros() as u8;
            }
            let lower = own & ((1 << place) - 1);
            if lower != 0 {
                table[place][own] += (place as u32 - 1 - lower.ilog2()) as u8;
            }
            own += 1;
        }
        place += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{Game as _, SearchHints as _, othello::Othello},
        machine::{LaneWork, ScalarLanes, run_in_lanes},
        rng::Rng,
    };

    struct Flips(Board, u32);

    impl LaneWork for Flips {
        type Out = u64;

        #[inline(always)]
        fn run<L: Lanes>(self) -> u64 {
            self.0.flips::<L>(self.1)
        }
    }

    fn random_positions(count: usize) -> impl Iterator<Item = (Othello, Board)> {
        let mut rng = Rng::new(5);
        let mut position = Othello::start(());
        std::iter::repeat_with(move || {
            if !position.play_random(&mut rng) {
                position = Othello::start(());
            }
            let [own, opponent] = position.to_move().own_first(position.discs());
            (position, Board { own, opponent })
        })
        .take(count)
    }

    #[test]
    fn flips_are_those_of_the_rules() {
        for (position, board) in random_positions(3000) {
            for square in crate::machine::iter_ones(board.empty()) {
                let expected = position.captures(square);
                assert_eq!(run_in_lanes(Flips(board, square.into())), expected);
                assert_eq!(board.flips::<ScalarLanes>(square.into()), expected);
                let played = board.play::<ScalarLanes>(square.into());
                assert_eq!(played.is_some(), expected != 0);
            }
        }
    }

    #[test]
    fn the_last_move_turns_over_what_the_rules_say() {
        let mut rng = Rng::new(7);
        for _ in 0..5000 {
            let square = rng.below(64);
            let own = rng.bits() & !(1 << square);
            let board = Board {
                own,
                opponent: !own & !(1 << square),
            };
            let flips = board.flips::<ScalarLanes>(square);
            assert_eq!(last_flips(own, square), flips.count_ones());
        }
    }

    #[test]
    fn parity_follows_moves() {
        let empty = 0x8100_0000_1040_0003;
        let after = Parity::of(empty & !(1 << 28));
        assert_eq!(Parity::of(empty).after(28), after);
        assert_eq!(Parity::of(empty).odd_squares(), QUADRANTS[2] | QUADRANTS[3]);
    }

    #[test]
    fn stable_discs_are_never_turned_over() {
        let mut rng = Rng::new(3);
        for (position, board) in random_positions(4000) {
            let stable = board.stable_of_opponent();
            assert_eq!(stable & !board.opponent, 0);
            let mut end = position;
            end.play_out(&mut rng);
            let owner = end.discs()[position.to_move().opponent().index()];
            assert_eq!(stable & !owner, 0, "{position:?}");
        }
    }
}
