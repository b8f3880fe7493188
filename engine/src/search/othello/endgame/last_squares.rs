//! The last four empty squares, of which nearly all nodes are: each move is tried instead of listing the playable ones first.

use super::{
    board::{Board, Parity, quadrant},
    negamax::{NO_SCORE, Negamax},
    score::EmptySquares,
};
use crate::machine::{InstructionSet, Lanes, Routine};

/// Null-window search of a board with four empty squares.
pub(super) struct LastFour;

// Each step is tried for the player to move, then, if that one has no move, for the other one. It is written as a loop because a
// closure would not be compiled for the instruction set.

impl<'a> Routine<Negamax<'a>> for LastFour {
    type Arguments = (Board, Parity, i32);
    type Out = i32;

    #[inline(always)]
    fn run<S: InstructionSet>(
        _: S,
        negamax: &mut Negamax<'a>,
        (board, parity, alpha): Self::Arguments,
    ) -> i32 {
        negamax.nodes += 1;
        let [a, b, c, d] = odd_first(board.empty(), parity);
        for (mover, alpha, sign) in [(board, alpha, 1), (board.passed(), !alpha, -1)] {
            let mut best = NO_SCORE;
            for (square, x, y, z) in [(a, b, c, d), (b, a, c, d), (c, a, b, d), (d, a, b, c)] {
                if let Some(child) = mover.play::<S::Lanes>(square) {
                    let rest = single_first(x, y, z);
                    best = best.max(-last_three::<S::Lanes>(negamax, child, rest, !alpha));
                    if best > alpha {
                        return sign * best;
                    }
                }
            }
            if best != NO_SCORE {
                return sign * best;
            }
        }
        negamax.empty_squares.final_score(board)
    }
}

/// The same with three.
#[inline(always)]
pub(super) fn last_three<L: Lanes>(
    negamax: &mut Negamax<'_>,
    board: Board,
    [a, b, c]: [u32; 3],
    alpha: i32,
) -> i32 {
    negamax.nodes += 1;
    for (mover, alpha, sign) in [(board, alpha, 1), (board.passed(), !alpha, -1)] {
        let mut best = NO_SCORE;
        for (square, x, y) in [(a, b, c), (b, a, c), (c, a, b)] {
            if let Some(child) = mover.play::<L>(square) {
                best = best.max(-last_two::<L>(negamax, child, [x, y], !alpha));
                if best > alpha {
                    return sign * best;
                }
            }
        }
        if best != NO_SCORE {
            return sign * best;
        }
    }
    negamax.empty_squares.final_score(board)
}

/// The same with two.
#[inline(always)]
pub(super) fn last_two<L: Lanes>(
    negamax: &mut Negamax<'_>,
    board: Board,
    [a, b]: [u32; 2],
    alpha: i32,
) -> i32 {
    negamax.nodes += 1;
    for (mover, alpha, sign) in [(board, alpha, 1), (board.passed(), !alpha, -1)] {
        let mut best = NO_SCORE;
        for (square, last) in [(a, b), (b, a)] {
            if let Some(child) = mover.play::<L>(square) {
                best = best.max(-negamax.empty_squares.last_score(child.own, last));
                if best > alpha {
                    return sign * best;
                }
            }
        }
        if best != NO_SCORE {
            return sign * best;
        }
    }
    negamax.empty_squares.final_score(board)
}

/// The score of a board with less than two empty squares.
pub(super) fn nearly_full(empty_squares: EmptySquares, board: Board) -> i32 {
    match board.empty() {
        0 => empty_squares.final_score(board),
        empty => empty_squares.last_score(board.own, empty.trailing_zeros()),
    }
}

/// Up to four squares, those in odd quadrants first.
#[inline(always)]
pub(super) fn odd_first(empty: u64, parity: Parity) -> [u32; 4] {
    let odd = parity.odd_squares();
    let mut squares = [0; 4];
    let mut count = 0;
    for mut set in [empty & odd, empty & !odd] {
        while set != 0 {
            squares[count & 3] = set.trailing_zeros();
            set &= set - 1;
            count += 1;
        }
    }
    squares
}

/// Three squares, one that is alone in its quadrant first.
#[inline(always)]
fn single_first(x: u32, y: u32, z: u32) -> [u32; 3] {
    let [in_x, in_y, in_z] = [x, y, z].map(quadrant);
    if in_x == in_z && in_y != in_x {
        [y, x, z]
    } else if in_x == in_y && in_z != in_x {
        [z, x, y]
    } else {
        [x, y, z]
    }
}
