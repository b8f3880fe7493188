//! How long a proven win takes: the depth of the proof that the solver has found.

use std::collections::HashMap;

use super::node_store::SearchStore;
use crate::{games::Outcome, search::Searchable};

/// Walks through proofs and remembers how deep they are.
pub(super) struct ProofDepths<'a, T> {
    store: &'a T,
    /// Plies to the end of the game, by node.
    plies: HashMap<u32, u32>,
    /// Nodes that may still be looked at.
    nodes_left: usize,
}

impl<'a, T> ProofDepths<'a, T> {
    /// At most so many nodes are looked at for one report: some milliseconds' worth.
    const MAX_NODES: usize = 1 << 17;

    pub(super) fn new(store: &'a T) -> Self {
        Self {
            store,
            plies: HashMap::new(),
            nodes_left: Self::MAX_NODES,
        }
    }

    /// After how many plies the game is over at the latest from a node whose winner is certain, as far as that is proven: the
    /// winner takes the shortest way there is a proof for, the loser the longest. `position` is the node's, in its frame.
    /// None if the proof is too large to be looked at.
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

    /// The same with a move of the node, if that leads to the node's result; else none, inside.
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
