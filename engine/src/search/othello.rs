//! Searches that know othello.

use super::{
    Choice, Search, Task,
    classical::Ties,
    greedy::best_first,
    random::{answer, permitted},
};
use crate::{
    games::othello::{Othello, Place},
    rng::Rng,
};

/// Report 001's simplest player: the square with the largest weight, whatever it does to the board.
pub struct HeaviestSquare;

impl Search<Othello> for HeaviestSquare {
    fn choose(&mut self, task: Task<'_, Othello>) -> Choice<Place> {
        let ranked = permitted(&task)
            .into_iter()
            .map(|mv| (mv, Othello::weight_001(mv)))
            .collect();
        answer(task.root, best_first(ranked, Ties::First, &mut Rng::new(0)))
    }

    fn reseed(&mut self, _: u64) {}
}
