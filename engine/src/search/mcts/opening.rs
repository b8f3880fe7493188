//! Report 001's player: a graph with grouping and fewer iterations in the opening, a plain tree afterwards.

use super::{Config, StoreKind, build};
use crate::search::{
    Choice, Limits, LiveTree, Reports, Search, Searchable, Shortfall, Snapshots, Task,
};

/// Two searches, and when to change from one to the other.
pub(super) struct Opening<G> {
    config: Config,
    opening: Box<dyn Search<G>>,
    later: Box<dyn Search<G>>,
    /// Whether the last search was made by `later`.
    is_later: bool,
}

impl<G: Searchable> Opening<G> {
    pub(super) fn new(config: Config) -> Self {
        let memory_mb = (config.memory_mb / 2).max(1);
        let opening = Config {
            opening_men: 0,
            memory_mb,
            ..config
        };
        let later = Config {
            store: StoreKind::Tree,
            ..opening
        };
        Self {
            config,
            opening: build(opening),
            later: build(later),
            is_later: false,
        }
    }
}

impl<G: Searchable> Search<G> for Opening<G> {
    fn choose(&mut self, task: Task<'_, G>) -> Choice<G::Move> {
        self.is_later = task.root.men() >= self.config.opening_men;
        if self.is_later {
            // What the opening needed is not needed any more.
            self.opening.clear();
            return self.later.choose(task);
        }
        let fraction = |count: u64| ((count as f64 * self.config.opening_fraction) as u64).max(1);
        let limits = task
            .limits
            .or_default(self.config.iterations, self.config.millis);
        let limits = Limits {
            iterations: limits.iterations.map(fraction),
            nodes: limits.nodes.map(fraction),
            ..limits
        };
        self.opening.choose(Task {
            root: task.root,
            history: task.history,
            moves: task.moves,
            lines: task.lines,
            limits: &limits,
            stop: task.stop,
            reports: task.reports.map(Reports::for_now),
            snapshots: task.snapshots.map(Snapshots::for_now),
            observer: task.observer,
        })
    }

    fn advance(&mut self, mv: G::Move) {
        self.opening.advance(mv);
        self.later.advance(mv);
    }

    fn reseed(&mut self, seed: u64) {
        self.opening.reseed(seed);
        self.later.reseed(seed);
    }

    fn clear(&mut self) {
        self.opening.clear();
        self.later.clear();
    }

    fn shortfalls(&self) -> Vec<Shortfall> {
        let mut all = self.opening.shortfalls();
        for shortfall in self.later.shortfalls() {
            if !all.contains(&shortfall) {
                all.push(shortfall);
            }
        }
        all
    }

    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        if self.is_later {
            self.later.tree()
        } else {
            self.opening.tree()
        }
    }
}
