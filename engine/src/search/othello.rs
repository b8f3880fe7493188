//! Searches for othello only.

use super::{
    BestMove, Search, SearchTask,
    classical::TieBreak,
    greedy::sort_best_first,
    random::{allowed_moves, result_from_ranking},
};
use crate::{
    games::othello::{Othello, OthelloMove},
    rng::Rng,
};

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
