//! The random player: a baseline for matches.

use super::{BestMove, Reward, RootMove, Search, SearchReport, SearchTask, Searchable};
use crate::rng::{Rng, child_seed};

/// Plays a uniformly random legal move.
pub struct RandomPlayer {
    seed: u64,
    searches: u64,
}

impl RandomPlayer {
    /// A player with this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, searches: 0 }
    }
}

/// Result of a player that ranks single moves: `ranked` is best first, each move with its value in the units of the player.
pub(super) fn result_from_ranking<G: Searchable>(
    root: &G,
    ranked: Vec<(G::Move, i32)>,
) -> BestMove<G::Move> {
    let mover = root.to_move();
    let nodes = ranked.len() as u64;
    let root: Vec<RootMove<G::Move>> = ranked
        .into_iter()
        .map(|(mv, score)| RootMove {
            mv,
            visits: 1,
            value: super::tree_recorder::value_to_reward(score, mover),
            score: Some(score),
            proven: super::tree_recorder::value_to_outcome(score, mover),
            pv: vec![mv],
        })
        .collect();
    let value = root.first().map_or(Reward::EVEN, |best| best.value);
    BestMove {
        mv: root[0].mv,
        report: SearchReport {
            iterations: 0,
            nodes,
            leaves: nodes,
            depth: 1,
            value,
            root_moves: root,
            stored_moves: 0,
            memory_bytes: 0,
            memory_full: false,
        },
    }
}

/// Legal moves at the root, restricted to the task's `search_moves`.
pub(super) fn allowed_moves<G: Searchable>(task: &SearchTask<'_, G>) -> Vec<G::Move> {
    let mut moves = Vec::new();
    task.root.legal_moves(&mut moves);
    moves.retain(|mv| task.search_moves.is_none_or(|wanted| wanted.contains(mv)));
    moves
}

impl<G: Searchable> Search<G> for RandomPlayer {
    fn search(&mut self, task: SearchTask<'_, G>) -> BestMove<G::Move> {
        let mut rng = Rng::new(child_seed(self.seed, self.searches));
        self.searches += 1;
        let mut moves = allowed_moves(&task);
        let pick = rng.below(moves.len() as u32) as usize;
        moves[..=pick].rotate_right(1);
        result_from_ranking(task.root, moves.into_iter().map(|mv| (mv, 0)).collect())
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn clear(&mut self) {
        self.searches = 0;
    }
}
