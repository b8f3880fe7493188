//! The order in which moves are tried: fastest first, those after which the opponent has the fewest moves.

use super::board::{Board, Parity, potential_moves};
use crate::{games::othello::CORNERS, machine::Lanes};

/// A move and the position after it, seen by the opponent.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) board: Board,
    pub(super) square: u32,
    /// Greater is tried earlier.
    pub(super) promise: i32,
}

/// The diagonal neighbours of the corners.
const BESIDE_CORNERS: u64 = 0x0042_0000_0000_4200;
/// From so many empty squares on, the places where the opponent may be able to play later count, too.
const POTENTIAL_FROM: u32 = 9;
/// From so many empty squares on, moves are judged after the opponent's best reply.
const REPLY_FROM: u32 = 11;

// The weights are by measurement: nodes for FFO 40 to 44, in which each was varied by itself.

/// How good a move is, before anything is searched.
#[inline(always)]
pub(super) fn promise<L: Lanes>(child: &Child, parity: Parity, empty_count: u32) -> i32 {
    if empty_count >= REPLY_FROM {
        return promise_by_replies::<L>(child.board);
    }
    let square = 1_u64 << child.square;
    let mut promise = -32 * weighted_count(child.board.moves::<L>());
    if empty_count >= POTENTIAL_FROM {
        promise -= 10 * count(potential_moves(child.board));
    }
    if square & CORNERS != 0 {
        promise += 10;
    }
    if square & BESIDE_CORNERS != 0 {
        promise -= 10;
    }
    if square & parity.odd_squares() != 0 {
        promise += 16;
    }
    promise
}

/// The same by the reply that is worst for us: our moves and corners after it, less the opponent's.
#[inline(always)]
fn promise_by_replies<L: Lanes>(board: Board) -> i32 {
    let mut replies = board.moves::<L>();
    if replies == 0 {
        return 200 + 32 * weighted_count(board.passed().moves::<L>());
    }
    let few_replies = -48 * weighted_count(replies);
    let mut worst = i32::MAX;
    while replies != 0 {
        let square = replies.trailing_zeros();
        replies &= replies - 1;
        let after = board.after(square, board.flips::<L>(square));
        let theirs = after.passed();
        let value = 32 * weighted_count(after.moves::<L>())
            - 48 * weighted_count(theirs.moves::<L>())
            + 6 * (count(potential_moves(after)) - count(potential_moves(theirs)))
            + 80 * (count(after.own & CORNERS) - count(after.opponent & CORNERS));
        worst = worst.min(value);
    }
    few_replies + worst
}

/// Moves, of which corners count twice.
#[inline(always)]
fn weighted_count(moves: u64) -> i32 {
    count(moves) + count(moves & CORNERS)
}

#[inline(always)]
fn count(squares: u64) -> i32 {
    squares.count_ones() as i32
}
