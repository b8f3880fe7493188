//! A player that looks one ply ahead.

use super::{
    Choice, Search, Searchable, Task,
    classical::{Judge, Ties},
    random::{answer, permitted},
};
use crate::{
    games::{Game, History},
    rng::{Rng, child_seed},
};

/// Plays the move after which an evaluation likes the position best.
pub struct Greedy<G: Game> {
    judge: Judge<G>,
    ties: Ties,
    seed: u64,
    searches: u64,
}

impl<G: Searchable> Greedy<G> {
    /// By the evaluation of that name and its arguments; the game's first if none.
    pub fn new(evaluation: Option<&str>, arguments: &[i32], ties: Ties, seed: u64) -> Self {
        Self {
            judge: Judge::new(evaluation, arguments),
            ties,
            seed,
            searches: 0,
        }
    }
}

impl<G: Searchable> Search<G> for Greedy<G> {
    fn choose(&mut self, task: Task<'_, G>) -> Choice<G::Move> {
        let mover = task.root.to_move();
        self.judge.searcher = mover;
        let judge = &self.judge;
        let value = |mv| {
            let mut after = task.root.clone();
            after.play(mv);
            let value = judge
                .at_end(&after, &History::new(), 1)
                .unwrap_or_else(|| judge.opinion(&after));
            if after.to_move() == mover {
                value
            } else {
                -value
            }
        };
        let ranked = permitted(&task)
            .into_iter()
            .map(|mv| (mv, value(mv)))
            .collect();
        let mut rng = Rng::new(child_seed(self.seed, self.searches));
        self.searches += 1;
        answer(task.root, best_first(ranked, self.ties, &mut rng))
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn clear(&mut self) {
        self.searches = 0;
    }
}

/// Sorts moves by value, one of the equal best to the front as `ties` says.
pub(super) fn best_first<M>(mut ranked: Vec<(M, i32)>, ties: Ties, rng: &mut Rng) -> Vec<(M, i32)> {
    ranked.sort_by_key(|&(_, value)| -value);
    let equal = ranked
        .iter()
        .take_while(|(_, value)| *value == ranked[0].1)
        .count();
    if ties == Ties::Random {
        let pick = rng.below(equal as u32) as usize;
        ranked[..=pick].rotate_right(1);
    }
    ranked
}
