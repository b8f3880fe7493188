//! Searches for othello only: the solver of endings, report 001's simplest player, and the searches of two reports as their
//! programs had them.

use super::{
    BestMove, Search, SearchTask,
    classical::TieBreak,
    greedy::sort_best_first,
    random::{allowed_moves, result_from_ranking},
};
use crate::{
    games::othello::{Othello, OthelloMove},
    machine::iter_ones,
    rng::Rng,
};

pub mod endgame;
mod legacy_alpha_beta;
mod legacy_mcts;

pub use legacy_alpha_beta::LegacyAlphaBeta;
pub use legacy_mcts::LegacyMcts;

/// Report 001's simplest player: the legal move onto the square of the largest weight. Ignores the flipped discs.
pub struct HeaviestSquare;

impl Search<Othello> for HeaviestSquare {
    fn search(&mut self, task: SearchTask<'_, Othello>) -> BestMove<OthelloMove> {
        let ranked = allowed_moves(&task)
            .into_iter()
            .map(|mv| (mv, Othello::weight_001(mv)))
            .collect();
        result_from_ranking(
            task.root,
            sort_best_first(ranked, TieBreak::First, &mut Rng::new(0)),
        )
    }

    fn reseed(&mut self, _: u64) {}
}

/// The position after a pass if one is due, else the position as it is; reports 001 and 004 have no passes as moves.
fn skip_pass(position: &Othello) -> Othello {
    if position.legal_squares() == 0 && position.opponent_legal_squares() != 0 {
        position.with_turn_passed()
    } else {
        *position
    }
}

/// The squares of a set, column by column from the left, each from the top: report 001's order of moves.
fn column_by_column(squares: u64) -> impl Iterator<Item = u8> {
    const COLUMN: u64 = 0x0101_0101_0101_0101;
    (0..8).flat_map(move |column| iter_ones(squares & COLUMN << column))
}
