//! One-ply search: the move with the best evaluation.

use super::{
    BestMove, Search, SearchTask, Searchable,
    classical::{Evaluator, TieBreak},
    random::{allowed_moves, result_from_ranking},
};
use crate::{
    games::{Game, History},
    rng::{Rng, child_seed},
};

/// Evaluates the position after each legal move and plays the best.
pub struct Greedy<G: Game> {
    evaluator: Evaluator<G>,
    tie_break: TieBreak,
    seed: u64,
    searches: u64,
}

impl<G: Searchable> Greedy<G> {
    /// Uses the evaluation called `evaluation`, with `arguments`; the game's first evaluation if `None`.
    pub fn new(
        evaluation: Option<&str>,
        arguments: &[i32],
        tie_break: TieBreak,
        seed: u64,
    ) -> Self {
        Self {
            evaluator: Evaluator::new(evaluation, arguments),
            tie_break,
            seed,
            searches: 0,
        }
    }
}

impl<G: Searchable> Search<G> for Greedy<G> {
    fn search(&mut self, task: SearchTask<'_, G>) -> BestMove<G::Move> {
        let mover = task.root.to_move();
        self.evaluator.root_player = mover;
        let evaluator = &self.evaluator;
        let value = |mv| {
            let mut after = task.root.clone();
            after.play(mv);
            let value = evaluator
                .terminal_value(&after, &History::new(), 1)
                .unwrap_or_else(|| evaluator.static_evaluation(&after));
            if after.to_move() == mover {
                value
            } else {
                -value
            }
        };
        let ranked = allowed_moves(&task)
            .into_iter()
            .map(|mv| (mv, value(mv)))
            .collect();
        let mut rng = Rng::new(child_seed(self.seed, self.searches));
        self.searches += 1;
        result_from_ranking(task.root, sort_best_first(ranked, self.tie_break, &mut rng))
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn clear(&mut self) {
        self.searches = 0;
    }
}

/// Sorts moves by value, best first, stable. With [`TieBreak::Random`] a random one of the equal best moves comes first.
pub(super) fn sort_best_first<M>(
    mut ranked: Vec<(M, i32)>,
    tie_break: TieBreak,
    rng: &mut Rng,
) -> Vec<(M, i32)> {
    ranked.sort_by_key(|&(_, value)| -value);
    let equal = ranked
        .iter()
        .take_while(|(_, value)| *value == ranked[0].1)
        .count();
    if tie_break == TieBreak::Random {
        let pick = rng.below(equal as u32) as usize;
        ranked[..=pick].rotate_right(1);
    }
    ranked
}
