//! [`TreeView`] of a running search and of its snapshots.

use std::io;

use super::{ExpansionRule, Mcts, node_store::SearchStore, select::Select};
use crate::search::{EdgeView, LiveTree, ReferenceFrame, Reward, RootEdge, Searchable, TreeView};

impl<G: Searchable, T: SearchStore<G>, S: Select> TreeView<G> for Mcts<G, T, S> {
    fn root_position(&self) -> &G {
        self.root.as_ref().expect("lent out only with a root")
    }

    fn root(&self) -> u32 {
        self.store.root()
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        root_stats(&self.store, self.root_position())
    }

    fn frame(&self, position: &G) -> ReferenceFrame {
        self.store.frame(position)
    }

    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        for_each_edge(&self.store, node, self.config.expansion, visit);
    }

    fn is_graph(&self) -> bool {
        T::IS_GRAPH
    }

    fn root_edge(&self) -> RootEdge {
        self.store.root_edge()
    }
}

impl<G: Searchable, T: SearchStore<G>, S: Select> LiveTree<G> for Mcts<G, T, S> {
    fn snapshot(&self) -> io::Result<Box<dyn TreeView<G> + Send>> {
        Ok(Box::new(MctsSnapshot {
            store: self.store.try_clone()?,
            root: self.root_position().clone(),
            expansion: self.config.expansion,
        }))
    }
}

/// A copy of the tree; the search may continue.
struct MctsSnapshot<G, T> {
    store: T,
    root: G,
    expansion: ExpansionRule,
}

impl<G: Searchable, T: SearchStore<G>> TreeView<G> for MctsSnapshot<G, T> {
    fn root_position(&self) -> &G {
        &self.root
    }

    fn root(&self) -> u32 {
        self.store.root()
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        root_stats(&self.store, &self.root)
    }

    fn frame(&self, position: &G) -> ReferenceFrame {
        self.store.frame(position)
    }

    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        for_each_edge(&self.store, node, self.expansion, visit);
    }

    fn is_graph(&self) -> bool {
        T::IS_GRAPH
    }

    fn root_edge(&self) -> RootEdge {
        self.store.root_edge()
    }
}

fn root_stats<G: Searchable>(store: &impl SearchStore<G>, root: &G) -> (u64, u64, Reward) {
    let (visits, recent, first) = store.root_stats();
    let inverted = store.frame(root).inverted;
    let first = if inverted { 1.0 - first } else { first };
    (visits, recent, Reward::new(first))
}

fn for_each_edge<G: Searchable, T: SearchStore<G>>(
    store: &T,
    node: u32,
    expansion: ExpansionRule,
    visit: &mut dyn FnMut(EdgeView<G::Move>),
) {
    let (first, count) = store.edges(node);
    for edge in first..first + count {
        let edge = store.edge_view(edge);
        if edge.visits > 0 || expansion != ExpansionRule::One {
            visit(edge);
        }
    }
}
