//! Evaluation `patterns` of othello: what stands on lines, diagonals and corners (Buro 1997), with mobility, corners in reach and
//! parity, by the stage of the game. A pattern, its mirror image and, with the opposite sign, the pattern in exchanged colours share a weight.

use std::sync::LazyLock;

use super::{CORNERS, Othello, image};
use crate::games::{
    Symmetry,
    linear::{
        FeatureSink, FitTarget, FittedEvaluation, Stage, WeightedSum, WeightsFile, feature_groups,
    },
};

feature_groups! {
    EDGE "edge" 1640,
    LINE_2 "line beside an edge" 1640,
    LINE_3 "third line from an edge" 1640,
    LINE_4 "fourth line from an edge" 1640,
    DIAGONAL_8 "diagonal of 8" 1640,
    DIAGONAL_7 "diagonal of 7" 560,
    DIAGONAL_6 "diagonal of 6" 182,
    DIAGONAL_5 "diagonal of 5" 65,
    DIAGONAL_4 "diagonal of 4" 20,
    CORNER "corner of 3 by 3" 5096,
    MOBILITY "playable square" 1,
    POTENTIAL "empty square beside a disc of the opponent" 1,
    OWN_CORNER "corner that the player to move can take" 1,
    OTHER_CORNER "corner that the opponent could take" 1,
    PARITY "odd number of empty squares" 1,
    QUADRANTS "quadrant with an odd number of empty squares" 1,
    TEMPO "to move" 1,
}

const KNOTS: usize = 3;
/// Discs placed at the first knot, and from one to the next.
const FIRST_KNOT: i32 = 8;
const KNOT_DISTANCE: i32 = 20;

pub(super) const FITTED: FittedEvaluation<Othello> = FittedEvaluation {
    target: FitTarget::Margin,
    ..FittedEvaluation::new(
        "patterns",
        GROUPS,
        KNOTS,
        |position, sink| features(position, sink),
        WeightsFile::Binary("engine/src/games/othello/patterns.bin"),
    )
};

/// A row of weights for each feature, as `canopy-engine fit` writes them; engine/RESULTS.md has the commands that were used.
static WEIGHTS: LazyLock<Vec<[i16; KNOTS]>> = LazyLock::new(|| {
    const BYTES: &[u8; 2 * KNOTS * FEATURES] = include_bytes!("patterns.bin");
    let (rows, _) = BYTES.as_chunks::<{ 2 * KNOTS }>();
    let row = |row: &[u8; 2 * KNOTS]| {
        std::array::from_fn(|knot| i16::from_le_bytes([row[2 * knot], row[2 * knot + 1]]))
    };
    rows.iter().map(row).collect()
});

/// The expected disc difference for the player to move, in hundredths of a disc.
pub(super) fn value(position: &Othello) -> i32 {
    WeightedSum::of(&WEIGHTS, stage(position), |sum| features(position, sum))
}

fn stage(position: &Othello) -> Stage {
    let placed = (position.own | position.opponent).count_ones() as i32 - 4;
    Stage::new(placed - FIRST_KNOT, KNOT_DISTANCE, KNOTS)
}

fn features<S: FeatureSink + ?Sized>(position: &Othello, sink: &mut S) -> Stage {
    let (own, opponent) = (position.own, position.opponent);
    let boards = [own, opponent];
    lines(boards, sink);
    lines(boards.map(|board| image(board, TRANSPOSITION)), sink);
    diagonals(boards, sink);
    diagonals(boards.map(u64::swap_bytes), sink);
    for turn in [
        |board: u64| board,
        u64::swap_bytes,
        u64::reverse_bits,
        |board: u64| board.reverse_bits().swap_bytes(),
    ] {
        corner(boards.map(turn), sink);
    }
    play(position, sink);
    stage(position)
}

const TRANSPOSITION: Symmetry = Symmetry::ALL[6];

/// The features of moves and empty squares.
fn play<S: FeatureSink + ?Sized>(position: &Othello, sink: &mut S) {
    let count = |squares: u64| squares.count_ones() as i32;
    let [own, other] = [position.legal_squares(), position.opponent_legal_squares()];
    let empty = !(position.own | position.opponent);
    sink.add(MOBILITY, count(own) - count(other));
    let beside = |discs| count(neighbours(discs) & empty);
    sink.add(POTENTIAL, beside(position.opponent) - beside(position.own));
    sink.add(OWN_CORNER, count(own & CORNERS));
    sink.add(OTHER_CORNER, count(other & CORNERS));
    sink.add(PARITY, count(empty) & 1);
    const QUADRANT: u64 = 0x0f0f_0f0f;
    let odd = [0, 4, 32, 36].map(|shift| count(empty & QUADRANT << shift) & 1);
    sink.add(QUADRANTS, odd.iter().sum());
    sink.add(TEMPO, 1);
}

/// The squares next to some squares.
#[inline]
fn neighbours(squares: u64) -> u64 {
    const NOT_LEFT: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_RIGHT: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let row = squares | squares << 1 & NOT_LEFT | squares >> 1 & NOT_RIGHT;
    row | row << 8 | row >> 8
}

/// The eight rows of a board.
#[inline]
fn lines<S: FeatureSink + ?Sized>(boards: [u64; 2], sink: &mut S) {
    for (row, first) in [EDGE, LINE_2, LINE_3, LINE_4, LINE_4, LINE_3, LINE_2, EDGE]
        .into_iter()
        .enumerate()
    {
        let bits = boards.map(|board| (board >> (8 * row)) as u8);
        add(sink, first, &CLASSES.lines[8], index(bits.map(usize::from)));
    }
}

/// The squares of a diagonal that runs down and to the right, `right` columns from the main one.
const fn diagonal(right: i32) -> u64 {
    let (mut squares, mut row) = (0, 0);
    while row < 8 {
        let column = row + right;
        if column >= 0 && column < 8 {
            squares |= 1 << (8 * row + column);
        }
        row += 1;
    }
    squares
}

/// The diagonals of four squares and more in one of both directions.
#[inline]
fn diagonals<S: FeatureSink + ?Sized>(boards: [u64; 2], sink: &mut S) {
    const FILE: u64 = 0x0101_0101_0101_0101;
    const SHAPES: [(i32, usize); 9] = [
        (-4, DIAGONAL_4),
        (-3, DIAGONAL_5),
        (-2, DIAGONAL_6),
        (-1, DIAGONAL_7),
        (0, DIAGONAL_8),
        (1, DIAGONAL_7),
        (2, DIAGONAL_6),
        (3, DIAGONAL_5),
        (4, DIAGONAL_4),
    ];
    const SQUARES: [u64; 9] = {
        let mut squares = [0; 9];
        let mut at = 0;
        while at < 9 {
            squares[at] = diagonal(SHAPES[at].0);
            at += 1;
        }
        squares
    };
    for ((right, first), squares) in SHAPES.into_iter().zip(SQUARES) {
        let length = 8 - right.unsigned_abs() as usize;
        // A diagonal has one square in each column, so the product's top byte is the columns taken.
        let bits = boards.map(|board| {
            let columns = (board & squares).wrapping_mul(FILE) >> 56;
            (columns >> right.max(0)) as usize
        });
        add(sink, first, &CLASSES.lines[length], index(bits));
    }
}

/// The corner at a1.
#[inline]
fn corner<S: FeatureSink + ?Sized>(boards: [u64; 2], sink: &mut S) {
    let bits =
        boards.map(|board| (board & 7 | board >> 5 & 7 << 3 | board >> 10 & 7 << 6) as usize);
    add(sink, CORNER, &CLASSES.corner, index(bits));
}

/// Own discs count 1 and the opponent's 2, in base 3.
#[inline]
fn index([own, opponent]: [usize; 2]) -> usize {
    usize::from(TERNARY[own]) + 2 * usize::from(TERNARY[opponent])
}

/// Bits read as digits of base 3.
static TERNARY: [u16; 512] = {
    let mut table = [0; 512];
    let mut bits = 1;
    while bits < 512 {
        table[bits] = 3 * table[bits / 2] + (bits % 2) as u16;
        bits += 1;
    }
    table
};

#[inline]
fn add<S: FeatureSink + ?Sized>(sink: &mut S, first: usize, classes: &[i16], index: usize) {
    let class = classes[index];
    if class != 0 {
        let number = usize::from(class.unsigned_abs());
        sink.add(first + number - 1, i32::from(class.signum()));
    }
}

/// The class of each pattern, by its index: from 1, negative for exchanged colours, 0 for patterns that are their own
/// opposite.
struct Classes {
    /// By length.
    lines: [Vec<i16>; 9],
    corner: Vec<i16>,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes {
    lines: std::array::from_fn(|length| {
        let reversed: Vec<usize> = (0..length).rev().collect();
        classes(&reversed)
    }),
    corner: classes(&[0, 3, 6, 1, 4, 7, 2, 5, 8]),
});

/// Classes of the patterns of squares that `mirror` permutes.
fn classes(mirror: &[usize]) -> Vec<i16> {
    let patterns = 3usize.pow(mirror.len() as u32);
    let mut classes: Vec<Option<i16>> = vec![None; patterns];
    let mut count = 0;
    for pattern in 0..patterns {
        if classes[pattern].is_some() {
            continue;
        }
        let digit = |square: usize| pattern / 3usize.pow(square as u32) % 3;
        let join = |digit: &dyn Fn(usize) -> usize| {
            (0..mirror.len())
                .rev()
                .fold(0, |sum, square| 3 * sum + digit(square))
        };
        let exchanged = |digit: usize| [0, 2, 1][digit];
        let mirrored = join(&|square| digit(mirror[square]));
        let opposite = join(&|square| exchanged(digit(square)));
        let both = join(&|square| exchanged(digit(mirror[square])));
        if pattern == opposite || pattern == both {
            for same in [pattern, mirrored, opposite, both] {
                classes[same] = Some(0);
            }
            continue;
        }
        count += 1;
        for (same, sign) in [(pattern, 1), (mirrored, 1), (opposite, -1), (both, -1)] {
            classes[same] = Some(sign * count);
        }
    }
    classes.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game as _, Symmetric as _};

    #[test]
    fn every_class_has_a_row_of_weights() {
        let most = |classes: &[i16]| classes.iter().copied().max().unwrap_or(0);
        let lengths = [8, 7, 6, 5, 4].map(|length| most(&CLASSES.lines[length]));
        assert_eq!(lengths, [1640, 560, 182, 65, 20]);
        assert_eq!(most(&CLASSES.corner), 5096);
    }

    #[test]
    fn patterns_of_one_class_are_images_of_each_other() {
        let lines = &CLASSES.lines[4];
        // Own disc first, read from the low end; reversed; the opponent's.
        assert_eq!(lines[1], lines[27]);
        assert_eq!(lines[1], -lines[2]);
        assert_ne!(lines[1], lines[3]);
        assert_eq!(lines[0], 0, "nothing stands there");
        assert_eq!(lines[1 + 2 * 27], 0, "turned round it is its own opposite");
    }

    #[test]
    fn features_are_those_found_square_by_square() {
        struct List(Vec<(usize, i32)>);
        impl FeatureSink for List {
            fn add(&mut self, feature: usize, count: i32) {
                self.0.push((feature, count));
            }
        }
        let mut rng = crate::rng::Rng::new(5);
        let mut position = Othello::start(());
        for _ in 0..30 {
            position.play(crate::games::SearchHints::random_move(&position, &mut rng).unwrap());
        }
        let mut found = List(Vec::new());
        features(&position, &mut found);
        let mut expected = Vec::new();
        for symmetry in Symmetry::ALL {
            let seen = position.image(symmetry);
            let digit = |column: usize, row: usize| {
                let bit = 1u64 << (8 * row + column);
                usize::from(seen.own & bit != 0) + 2 * usize::from(seen.opponent & bit != 0)
            };
            let mut list = |first: usize, classes: &[i16], squares: Vec<(usize, usize)>| {
                let read = |sum, &(column, row): &(usize, usize)| 3 * sum + digit(column, row);
                let class = classes[squares.iter().rev().fold(0, read)];
                if class != 0 {
                    let feature = first + usize::from(class.unsigned_abs()) - 1;
                    expected.push((feature, i32::from(class.signum())));
                }
            };
            // Each line and each corner is seen twice among the eight images, each main diagonal four times.
            for (row, first) in [EDGE, LINE_2, LINE_3, LINE_4].into_iter().enumerate() {
                list(
                    first,
                    &CLASSES.lines[8],
                    (0..8).map(|at| (at, row)).collect(),
                );
            }
            for (length, first) in [
                (8, DIAGONAL_8),
                (7, DIAGONAL_7),
                (6, DIAGONAL_6),
                (5, DIAGONAL_5),
                (4, DIAGONAL_4),
            ] {
                let squares: Vec<_> = (0..length).map(|at| (at + 8 - length, at)).collect();
                list(first, &CLASSES.lines[length], squares);
            }
            list(
                CORNER,
                &CLASSES.corner,
                (0..9).map(|at| (at % 3, at / 3)).collect(),
            );
        }
        let total = |list: &[(usize, i32)], feature: usize| -> i32 {
            list.iter()
                .filter(|entry| entry.0 == feature)
                .map(|entry| entry.1)
                .sum()
        };
        for feature in 0..MOBILITY {
            let times = if (DIAGONAL_8..DIAGONAL_7).contains(&feature) {
                4
            } else {
                2
            };
            assert_eq!(
                times * total(&found.0, feature),
                total(&expected, feature),
                "feature {feature}"
            );
        }
        let [squares, others] = [position, position.with_turn_passed()].map(|position| {
            let playable = (0..64).filter(|&square| position.captures(square) != 0);
            playable.count() as i32
        });
        assert_eq!(total(&found.0, MOBILITY), squares - others);
    }
}
