//! The most visited part of a tree at one time, and its way through the iterations before and after.

use super::super::growth::{JournalKind, NONE};
use crate::{
    games::{MoveCode, Outcome},
    search::{
        EdgeView, Reward, RootEdge, Searchable, TreeView, growth_records::RawTableEntry,
        mcts::square_reward,
    },
};

const ONE: f64 = (1_u64 << 32) as f64;

/// A node of a [`PartialTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartialTreeNode {
    /// The sum of rewards for the first player; 1 is 2^32.
    pub(super) sum: u64,
    /// The sum of their squares, if the search adds them up.
    pub(super) squares: u64,
    pub(super) visits: u32,
    /// Its parent, which comes before it; the root is its own.
    pub(super) parent: u32,
    /// Its children, which follow each other.
    pub(super) first_child: u32,
    pub(super) child_count: u16,
    /// The move that leads to it.
    pub(super) move_code: MoveCode,
    /// The visits it had before the search.
    pub(super) inherited: u32,
    /// Since when it has moves; [`NONE`] if it has none.
    pub(super) expanded_at: u32,
    /// The iteration since which its result is proven; [`NONE`] if it is not.
    pub(super) proven_at: u32,
    pub(super) proven: Option<Outcome>,
    /// Whether its children were dropped: their updates count as its own.
    pub(super) is_collapsed: bool,
}

impl PartialTreeNode {
    pub(super) fn new(parent: u32, code: MoveCode) -> Self {
        Self {
            sum: 0,
            squares: 0,
            visits: 0,
            parent,
            first_child: 0,
            child_count: 0,
            move_code: code,
            inherited: 0,
            expanded_at: NONE,
            proven_at: NONE,
            proven: None,
            is_collapsed: false,
        }
    }

    /// Adds an update, or subtracts it when going backwards.
    #[inline]
    fn apply(&mut self, update: RawTableEntry, forwards: bool) {
        if forwards {
            self.visits = self.visits.wrapping_add(update.visits);
            self.sum = self.sum.wrapping_add(update.sum);
            self.squares = self.squares.wrapping_add(update.squares);
        } else {
            self.visits = self.visits.wrapping_sub(update.visits);
            self.sum = self.sum.wrapping_sub(update.sum);
            self.squares = self.squares.wrapping_sub(update.squares);
        }
    }
}

/// One reward.
#[inline]
pub(super) fn single_reward(reward: u64) -> RawTableEntry {
    RawTableEntry {
        visits: 1,
        sum: reward,
        squares: square_reward(reward),
    }
}

#[inline]
pub(super) fn accumulate(entry: &mut RawTableEntry, more: RawTableEntry) {
    entry.visits = entry.visits.wrapping_add(more.visits);
    entry.sum = entry.sum.wrapping_add(more.sum);
    entry.squares = entry.squares.wrapping_add(more.squares);
}

/// An iteration, as far as a [`PartialTree`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartialIteration {
    pub(super) reward: u64,
    /// The last node of its way that the part has.
    pub(super) node: u32,
    /// Nodes the whole tree has gained since then.
    pub(super) new_nodes: u32,
}

/// The most visited part of a tree.
#[derive(Clone, Debug)]
pub(in super::super) struct PartialTree {
    pub(super) kind: JournalKind,
    /// Number of completed iterations.
    pub(in super::super) iteration: u32,
    pub(super) nodes: Vec<PartialTreeNode>,
    /// Number of nodes of the whole tree.
    pub(in super::super) total_nodes: u64,
    /// Every node with at least this many visits is present; nodes with fewer are not shown. 0 if all nodes are present.
    pub(in super::super) min_visits: u32,
    /// Whether the search adds up squares of rewards.
    pub(super) has_squares: bool,
}

impl PartialTree {
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<PartialTreeNode>()
    }

    /// Adds iterations, which follow each other, or takes them back.
    #[expect(
        clippy::indexing_slicing,
        reason = "the node of an iteration is one of the part: `codec::decode` and the tracker see to it"
    )]
    pub(super) fn apply_iterations(&mut self, iterations: &[PartialIteration], forwards: bool) {
        let made: u64 = iterations
            .iter()
            .map(|step| u64::from(step.new_nodes))
            .sum();
        let done = iterations.len() as u32;
        if forwards {
            self.total_nodes += made;
            self.iteration += done;
        } else {
            self.total_nodes = self.total_nodes.saturating_sub(made);
            self.iteration -= done;
        }
        // Many of them are added up first, and then handed to the parents from the last node to the first.
        if iterations.len() * 8 < self.nodes.len() {
            for step in iterations {
                self.backpropagate(step.node, step.reward, forwards);
            }
            return;
        }
        let mut updates = vec![RawTableEntry::default(); self.nodes.len()];
        for step in iterations {
            accumulate(&mut updates[step.node as usize], single_reward(step.reward));
        }
        self.propagate_to_parents(&mut updates, forwards);
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a part has a root, and parents before their children: `codec::decode` and the tracker see to it"
    )]
    fn backpropagate(&mut self, mut node: u32, reward: u64, forwards: bool) {
        let update = single_reward(reward);
        loop {
            let it = &mut self.nodes[node as usize];
            it.apply(update, forwards);
            if node == 0 {
                return;
            }
            node = it.parent;
        }
    }

    /// Adds each node's update to it and to all its ancestors, or subtracts it; clears the updates.
    #[expect(
        clippy::indexing_slicing,
        reason = "a part has a root, and parents before their children: `codec::decode` and the tracker see to it, and updates are as many as nodes"
    )]
    pub(super) fn propagate_to_parents(&mut self, updates: &mut [RawTableEntry], forwards: bool) {
        for index in (0..self.nodes.len()).rev() {
            let here = std::mem::take(&mut updates[index]);
            if here.visits == 0 {
                continue;
            }
            let node = &mut self.nodes[index];
            node.apply(here, forwards);
            if index > 0 {
                accumulate(&mut updates[node.parent as usize], here);
            }
        }
    }

    /// The codes of the moves from the root to a node.
    #[expect(
        clippy::indexing_slicing,
        reason = "a part has a root, and parents before their children: `codec::decode` and the tracker see to it"
    )]
    pub(in super::super) fn move_codes_to(&self, node: u32) -> Vec<MoveCode> {
        let mut codes = Vec::new();
        let mut at = node;
        while at > 0 {
            codes.push(self.nodes[at as usize].move_code);
            at = self.nodes[at as usize].parent;
        }
        codes.reverse();
        codes
    }

    fn value(&self, node: &PartialTreeNode) -> f64 {
        match node.visits {
            0 => 0.5,
            visits => (node.sum as i64) as f64 * (1.0 / ONE) / f64::from(visits),
        }
    }

    fn squares(&self, node: &PartialTreeNode) -> f64 {
        if self.has_squares {
            (node.squares as i64) as f64 * (1.0 / ONE)
        } else {
            f64::NAN
        }
    }

    fn proven(&self, node: &PartialTreeNode) -> Option<Outcome> {
        node.proven.filter(|_| node.proven_at <= self.iteration)
    }

    /// The children of a node that are shown.
    #[expect(
        clippy::indexing_slicing,
        reason = "the children of a node of a part are nodes of the part"
    )]
    fn children(&self, node: u32) -> impl Iterator<Item = (u32, &PartialTreeNode)> {
        let parent = &self.nodes[node as usize];
        let is_there = parent.expanded_at <= self.iteration;
        let first = parent.first_child as usize;
        let end = first
            + if is_there {
                parent.child_count as usize
            } else {
                0
            };
        let least = self.min_visits.max(u32::from(self.kind.hides_unvisited));
        (parent.first_child..)
            .zip(&self.nodes[first..end])
            .filter(move |(_, child)| child.visits >= least)
    }
}

/// A [`PartialTree`] with its root position, as a [`TreeView`].
pub(in super::super) struct PartialTreeView<'a, G> {
    pub(in super::super) part: &'a PartialTree,
    pub(in super::super) root: &'a G,
}

impl<G: Searchable> TreeView<G> for PartialTreeView<'_, G> {
    fn root_position(&self) -> &G {
        self.root
    }

    fn root(&self) -> u32 {
        0
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a part has a root, and parents before their children: `codec::decode` and the tracker see to it"
    )]
    fn root_stats(&self) -> (u64, u64, Reward) {
        let root = &self.part.nodes[0];
        (
            root.visits.into(),
            u64::from(root.visits.wrapping_sub(root.inherited)),
            Reward::new(self.part.value(root)),
        )
    }

    fn node_count(&self) -> Option<u64> {
        Some(self.part.total_nodes)
    }

    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        for (index, child) in self.part.children(node) {
            visit(EdgeView {
                mv: G::move_from_bits(child.move_code),
                child: Some(index),
                visits: child.visits.into(),
                recent_visits: u64::from(child.visits.wrapping_sub(child.inherited)),
                node_visits: child.visits.into(),
                value: Reward::new(self.part.value(child)),
                proven: self.part.proven(child),
                pruned: false,
                prior: None,
                squares: self.part.squares(child),
                table: None,
                window: None,
            });
        }
    }

    fn for_each_child(&self, node: u32, visit: &mut dyn FnMut(u64, Option<u32>)) {
        for (index, child) in self.part.children(node) {
            visit(child.visits.into(), Some(index));
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a part has a root, and parents before their children: `codec::decode` and the tracker see to it"
    )]
    fn root_edge(&self) -> RootEdge {
        RootEdge {
            proven: self.part.proven(&self.part.nodes[0]),
            squares: self.part.squares(&self.part.nodes[0]),
            ..RootEdge::default()
        }
    }
}
