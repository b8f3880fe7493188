//! Report 001's player: a graph with grouping and fewer iterations in the opening, a tree afterwards.

use super::{MctsConfig, StoreKind, build};
use crate::search::{BestMove, LiveTree, Search, SearchLimits, SearchTask, Searchable, Shortfall};

/// Two searches, of which the number of pieces selects one.
pub(super) struct OpeningSwitch<G> {
    config: MctsConfig,
    opening: Box<dyn Search<G>>,
    after_opening: Box<dyn Search<G>>,
    /// True if the last search was made by `after_opening`.
    is_past_opening: bool,
}

impl<G: Searchable> OpeningSwitch<G> {
    pub(super) fn new(config: MctsConfig) -> Self {
        let memory_mb = (config.memory_mb / 2).max(1);
        let opening = MctsConfig {
            opening_pieces: 0,
            memory_mb,
            ..config
        };
        let later = MctsConfig {
            store: StoreKind::Tree,
            ..opening
        };
        Self {
            config,
            opening: build(opening),
            after_opening: build(later),
            is_past_opening: false,
        }
    }
}

impl<G: Searchable> Search<G> for OpeningSwitch<G> {
    fn search(&mut self, task: SearchTask<'_, G>) -> BestMove<G::Move> {
        self.is_past_opening = task.root.piece_count() >= self.config.opening_pieces;
        if self.is_past_opening {
            // The opening's graph is not used again in this game.
            self.opening.clear();
            return self.after_opening.search(task);
        }
        let fraction = |count: u64| ((count as f64 * self.config.opening_fraction) as u64).max(1);
        let limits = task
            .limits
            .or_default(self.config.iterations, self.config.millis);
        let limits = SearchLimits {
            iterations: limits.iterations.map(fraction),
            nodes: limits.nodes.map(fraction),
            ..limits
        };
        self.opening.search(task.with_limits(&limits))
    }

    fn advance(&mut self, mv: G::Move) {
        self.opening.advance(mv);
        self.after_opening.advance(mv);
    }

    fn reseed(&mut self, seed: u64) {
        self.opening.reseed(seed);
        self.after_opening.reseed(seed);
    }

    fn clear(&mut self) {
        self.opening.clear();
        self.after_opening.clear();
    }

    fn shortfalls(&self) -> Vec<Shortfall> {
        let mut all = self.opening.shortfalls();
        for shortfall in self.after_opening.shortfalls() {
            if !all.contains(&shortfall) {
                all.push(shortfall);
            }
        }
        all
    }

    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        if self.is_past_opening {
            self.after_opening.tree()
        } else {
            self.opening.tree()
        }
    }
}
