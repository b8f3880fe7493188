//! The depth of proven results: plies to the end of the game, as far as the solver has proven them.

use std::collections::HashMap;

use super::node_store::SearchStore;
use crate::{games::Outcome, search::Searchable};

/// Depths of proven nodes, computed on demand and memoised.
pub(super) struct ProofDepths<'a, T> {
    store: &'a T,
    /// Plies to the end of the game, by node.
    plies: HashMap<u32, u32>,
    /// Nodes that may still be visited.
    nodes_left: usize,
}

impl<'a, T> ProofDepths<'a, T> {
    /// Upper limit of nodes visited for one report: a few milliseconds.
    const MAX_NODES: usize = 1 << 17;

    pub(super) fn new(store: &'a T) -> Self {
        Self {
            store,
            plies: HashMap::new(),
            nodes_left: Self::MAX_NODES,
        }
    }

    /// Plies to the end of the game from a node with a proven winner, if the winner takes the shortest proven line and the loser
    /// the longest. `position` is the node's, in its frame. `None` if the proof exceeds [`Self::MAX_NODES`].
    pub(super) fn plies<G: Searchable>(&mut self, node: u32, position: &G) -> Option<u32>
    where
        T: SearchStore<G>,
    {
        let (first, count) = self.store.edges(node);
        if count == 0 {
            return Some(0);
        }
        if let Some(&known) = self.plies.get(&node) {
            return Some(known);
        }
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        let mut plies = Vec::with_capacity(count);
        for edge in first..first + count {
            plies.extend(self.plies_of_move(node, edge, position)?);
        }
        let wins = self.store.proven(node) == Some(Outcome::Win(position.to_move()));
        let plies = if wins {
            plies.into_iter().min()
        } else {
            plies.into_iter().max()
        }?;
        self.plies.insert(node, plies);
        Some(plies)
    }

    /// [`Self::plies`] after a move of the node, plus one; `Some(None)` if the move does not have the node's proven result.
    pub(super) fn plies_of_move<G: Searchable>(
        &mut self,
        node: u32,
        edge: usize,
        position: &G,
    ) -> Option<Option<u32>>
    where
        T: SearchStore<G>,
    {
        let proven = self.store.edge_proven(edge);
        if proven.is_none() || proven != self.store.proven(node) {
            return Some(None);
        }
        let mut after = position.clone();
        let (child, _) = self.store.follow(edge, &mut after);
        let below = self.plies(child, &after)?;
        Some(Some(1 + below))
    }
}
