//! Trees with a given number of nodes, for measurements.

use crate::{
    catalog::{self, Spec},
    games::{History, Playable},
    search::{SearchLimits, SearchTask, StopFlag},
    tree::{
        Tree,
        snapshot::{self, SnapshotOptions},
    },
};

/// Playouts of the first try; each further one doubles them.
const FIRST_ITERATIONS: u64 = 1000;
/// No tree needs more playouts than these.
const MAX_ITERATIONS: u64 = 1 << 27;

/// A tree and the search it is of.
#[derive(Clone, Debug)]
pub struct GrownTree {
    /// The tree.
    pub tree: Tree,
    /// Playouts of the search.
    pub iterations: u64,
}

/// Grows a tree of exactly `nodes` nodes: searches until there are enough, then leaves out those with the fewest visits. A tree that
/// stops growing, as of a short game, has fewer. None if the search grows no tree, or if a stop was requested.
pub fn grow<G: Playable>(spec: &Spec, start: &G, nodes: u64, stop: &StopFlag) -> Option<GrownTree> {
    let mut history = History::new();
    history.push(start);
    let wanted = SnapshotOptions {
        max_nodes: Some(nodes),
        ..SnapshotOptions::default()
    };
    let mut iterations = FIRST_ITERATIONS;
    loop {
        let mut search = catalog::build::<G>(spec)?;
        let limits = SearchLimits::iterations(iterations);
        search.search(SearchTask::new(start, &history, &limits, stop));
        if stop.is_set() {
            return None;
        }
        let tree = snapshot::take(search.tree()?, &wanted).ok()?.tree;
        if tree.nodes().len() as u64 >= nodes || iterations > MAX_ITERATIONS {
            return Some(GrownTree { tree, iterations });
        }
        iterations *= 2;
    }
}
