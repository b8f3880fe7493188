//! A bound on the score without search: what the player who is not to move, the follower, reaches by pairing strategies.
//!
//! The follower answers every move by rules of Allis' "A Knowledge-based Approach of Connect-Four" (1988):
//!
//! - Claimeven: in a column with an even number of empty cells, a stone is answered by the stone above it.
//! - Baseinverse: columns with an odd number of empty cells are paired. A stone on the next cell of one is answered on the next
//!   cell of the other, and both columns are even from then on.
//! - Odd threat: where the number of odd columns is odd, which is when the second player is to move, one column remains. The first
//!   player may leave it alone if a threat is waiting there that the second player has to make playable: there, too, a stone
//!   is answered by the one above it, and the last answer wins.
//!
//! So the opponent can only have the lower cells of the columns, and one of each two paired cells, and nothing above a cell where
//! the follower wins by an answer. If these hold no four with the stones on the board, the follower does not lose. If moreover
//! there is such a cell, the follower wins: every other cell runs out. Our deviation from the paper is to try all rules as one
//! assignment of cells, tested by bitboards, in place of choosing rules that solve each possible line. Against the search without
//! it, half the nodes are left in positions of 8 to 10 stones.

use super::board::{
    BOARD, BOTTOM, Board, CELLS, EVEN_ROWS, ODD_ROWS, SPARE, TOP, column_cells, winning_cells,
};
use crate::games::connect_four::has_four;

/// An upper bound of the score for the player to move that is at most `alpha`, if the follower has a strategy for it. `threats`
/// are the cells that complete a four of the follower.
#[inline(always)]
pub(super) fn upper_bound(board: &Board, threats: u64, alpha: i32) -> Option<i32> {
    debug_assert_eq!(threats, winning_cells(board.opponent(), board.occupied));
    let odd_columns = board.landing_cells() & EVEN_ROWS;
    if board.stones.is_multiple_of(2) {
        let claimed_threats = threats & EVEN_ROWS & !odd_columns;
        // Without a threat the follower can only hope for a draw.
        if claimed_threats == 0 && alpha < 0 {
            return None;
        }
        return bound_if_held(board, claimed_threats, 0, odd_columns, alpha);
    }
    let mut odd_threats = threats & ODD_ROWS;
    while odd_threats != 0 {
        let threat = odd_threats & odd_threats.wrapping_neg();
        let column = column_cells(threat.trailing_zeros() / 7);
        odd_threats &= !column;
        if odd_columns & column == 0 {
            continue;
        }
        let pairs = odd_columns & !column;
        let claimed_threats = threats & EVEN_ROWS & !pairs & !column | threat;
        let bound = bound_if_held(board, claimed_threats, column, pairs, alpha);
        if bound.is_some() {
            return bound;
        }
    }
    None
}

/// The bound, if the cells left to the player to move hold no four: the odd rows, but the even rows of `swapped_column`, all of
/// them below the lowest of `claimed_threats` in their column, and one of each two of the `pairs`.
#[inline(always)]
fn bound_if_held(
    board: &Board,
    claimed_threats: u64,
    swapped_column: u64,
    pairs: u64,
    alpha: i32,
) -> Option<i32> {
    // The spare row above the board ends a column without threats; the subtraction sets all bits below the lowest one.
    let ends = claimed_threats | SPARE;
    let reachable = (ends - BOTTOM) & !ends;
    let bound = if claimed_threats == 0 {
        0
    } else {
        score_of_latest_win(reachable)
    };
    if bound > alpha {
        return None;
    }
    let rows = ODD_ROWS & !swapped_column | EVEN_ROWS & swapped_column;
    let left = board.own | (rows & reachable & !board.occupied);
    is_held(left, pairs).then_some(bound)
}

/// The score of the player to move when the follower wins as late as possible: after everything but the columns of its threats is
/// full, and these up to two cells below the threat.
#[inline(always)]
fn score_of_latest_win(reachable: u64) -> i32 {
    let unreachable = BOARD & !reachable;
    let columns = (unreachable & TOP).count_ones();
    let stones_at_end = CELLS - unreachable.count_ones() - columns + 2;
    let winners_stones = stones_at_end.div_ceil(2);
    winners_stones as i32 - 22
}

/// True if `stones` with one of each two of the `pairs` hold no four, for some way of pairing them. Six pairable cells are tried
/// together only: that they matter one by one is rare.
#[inline(always)]
fn is_held(stones: u64, pairs: u64) -> bool {
    if has_four(stones) {
        return false;
    }
    if pairs == 0 || !has_four(stones | pairs) {
        return true;
    }
    let [a, b, c, d] = lowest_four(pairs);
    match pairs.count_ones() {
        2 => !has_four(stones | a) && !has_four(stones | b),
        4 => {
            let holds = |[a, b]: [u64; 2], [c, d]: [u64; 2]| {
                [a | c, a | d, b | c, b | d]
                    .iter()
                    .all(|choice| !has_four(stones | choice))
            };
            holds([a, b], [c, d]) || holds([a, c], [b, d]) || holds([a, d], [b, c])
        }
        _ => false,
    }
}

/// The lowest four bits of a set, each alone; 0 where there are fewer.
#[inline(always)]
fn lowest_four(mut cells: u64) -> [u64; 4] {
    [(); 4].map(|()| {
        let lowest = cells & cells.wrapping_neg();
        cells ^= lowest;
        lowest
    })
}
