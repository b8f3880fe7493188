//! The order in which othello's moves are tried.

use super::{CORNERS, Othello, OthelloMove, PASS};
use crate::games::{Game as _, tactics::Tactics};

/// Squares beside a corner on the diagonal.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;
/// Squares beside a corner on the edge.
const C_SQUARES: u64 = 0x4281_0000_0000_8142;
/// From this depth on the opponent's replies are counted.
const MOBILITY_DEPTH: u32 = 2;

impl Tactics for Othello {
    /// Corners first and squares beside them last; with depth left, moves that leave the opponent few replies first.
    fn move_order(&self, mv: OthelloMove, depth: u32) -> i32 {
        if mv == PASS {
            return 0;
        }
        let square = 1 << mv.0;
        let place = if CORNERS & square != 0 {
            30_000
        } else if X_SQUARES & square != 0 {
            -14_000
        } else if C_SQUARES & square != 0 {
            -6_000
        } else {
            0
        };
        if depth < MOBILITY_DEPTH {
            return place;
        }
        let mut after = *self;
        after.play(mv);
        place - 4_000 * after.legal_squares().count_ones() as i32
    }
}
