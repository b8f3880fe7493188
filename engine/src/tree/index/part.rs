//! The most visited part of a tree at one time, and its way through the iterations before and after.

use super::super::growth::{Kind, NONE};
use crate::{
    games::Outcome,
    search::{Edge, Reward, RootEdge, Searchable, TreeView, growth::Entry, mcts::square},
};

const ONE: f64 = (1_u64 << 32) as f64;

/// A node of a [`Part`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartNode {
    /// The sum of rewards for the first player; 1 is 2^32.
    pub(super) sum: u64,
    /// The sum of their squares, if the search adds them up.
    pub(super) squares: u64,
    pub(super) visits: u32,
    /// Its parent, which comes before it; the root is its own.
    pub(super) parent: u32,
    /// Its children, which follow each other.
    pub(super) first: u32,
    pub(super) count: u16,
    /// The move that leads to it.
    pub(super) code: u16,
    /// The visits it had before the search.
    pub(super) inherited: u32,
    /// Since when it has moves; [`NONE`] if it has none.
    pub(super) expanded: u32,
    /// Since when its result is certain; [`NONE`] if it is not.
    pub(super) proven_at: u32,
    pub(super) proven: Option<Outcome>,
    /// Whether its children are not told apart any more: what they hear counts as its own.
    pub(super) is_closed: bool,
}

impl PartNode {
    pub(super) fn new(parent: u32, code: u16) -> Self {
        Self {
            sum: 0,
            squares: 0,
            visits: 0,
            parent,
            first: 0,
            count: 0,
            code,
            inherited: 0,
            expanded: NONE,
            proven_at: NONE,
            proven: None,
            is_closed: false,
        }
    }

    /// Adds what it was told, or takes it back.
    #[inline]
    fn change(&mut self, told: Entry, forwards: bool) {
        if forwards {
            self.visits = self.visits.wrapping_add(told.visits);
            self.sum = self.sum.wrapping_add(told.sum);
            self.squares = self.squares.wrapping_add(told.squares);
        } else {
            self.visits = self.visits.wrapping_sub(told.visits);
            self.sum = self.sum.wrapping_sub(told.sum);
            self.squares = self.squares.wrapping_sub(told.squares);
        }
    }
}

/// One reward.
#[inline]
pub(super) fn of_one(reward: u64) -> Entry {
    Entry {
        visits: 1,
        sum: reward,
        squares: square(reward),
    }
}

#[inline]
pub(super) fn add(entry: &mut Entry, more: Entry) {
    entry.visits = entry.visits.wrapping_add(more.visits);
    entry.sum = entry.sum.wrapping_add(more.sum);
    entry.squares = entry.squares.wrapping_add(more.squares);
}

/// An iteration, as far as a [`Part`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) reward: u64,
    /// The last node of its way that the part has.
    pub(super) node: u32,
    /// How many nodes the whole tree has more since then.
    pub(super) made: u32,
}

/// The most visited part of a tree.
#[derive(Clone, Debug)]
pub(in super::super) struct Part {
    pub(super) kind: Kind,
    /// How many iterations are done.
    pub(in super::super) at: u32,
    pub(super) nodes: Vec<PartNode>,
    /// How many nodes the whole tree has.
    pub(in super::super) total: u64,
    /// Every node with so many visits is there; those with fewer are not shown. 0 if all nodes are there.
    pub(in super::super) least: u32,
    /// Whether the search adds up squares of rewards.
    pub(super) has_squares: bool,
}

impl Part {
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<PartNode>()
    }

    /// Adds iterations, which follow each other, or takes them back.
    pub(super) fn walk(&mut self, steps: &[Step], forwards: bool) {
        let made: u64 = steps.iter().map(|step| u64::from(step.made)).sum();
        let done = steps.len() as u32;
        if forwards {
            self.total += made;
            self.at += done;
        } else {
            self.total = self.total.saturating_sub(made);
            self.at -= done;
        }
        // Many of them are added up first, and then handed to the parents from the last node to the first.
        if steps.len() * 8 < self.nodes.len() {
            for step in steps {
                self.visit(step.node, step.reward, forwards);
            }
            return;
        }
        let mut told = vec![Entry::default(); self.nodes.len()];
        for step in steps {
            add(&mut told[step.node as usize], of_one(step.reward));
        }
        self.hand_up(&mut told, forwards);
    }

    fn visit(&mut self, mut node: u32, reward: u64, forwards: bool) {
        let told = of_one(reward);
        loop {
            let it = &mut self.nodes[node as usize];
            it.change(told, forwards);
            if node == 0 {
                return;
            }
            node = it.parent;
        }
    }

    /// Adds what was told to each node to it and to all above it, or takes it back; what was told is 0 afterwards.
    pub(super) fn hand_up(&mut self, told: &mut [Entry], forwards: bool) {
        for index in (0..self.nodes.len()).rev() {
            let here = std::mem::take(&mut told[index]);
            if here.visits == 0 {
                continue;
            }
            let node = &mut self.nodes[index];
            node.change(here, forwards);
            if index > 0 {
                add(&mut told[node.parent as usize], here);
            }
        }
    }

    /// The codes of the moves from the root to a node.
    pub(in super::super) fn codes_to(&self, node: u32) -> Vec<u16> {
        let mut codes = Vec::new();
        let mut at = node;
        while at > 0 {
            codes.push(self.nodes[at as usize].code);
            at = self.nodes[at as usize].parent;
        }
        codes.reverse();
        codes
    }

    fn value(&self, node: &PartNode) -> f64 {
        match node.visits {
            0 => 0.5,
            visits => (node.sum as i64) as f64 * (1.0 / ONE) / f64::from(visits),
        }
    }

    fn squares(&self, node: &PartNode) -> f64 {
        if self.has_squares {
            (node.squares as i64) as f64 * (1.0 / ONE)
        } else {
            f64::NAN
        }
    }

    fn proven(&self, node: &PartNode) -> Option<Outcome> {
        node.proven.filter(|_| node.proven_at <= self.at)
    }

    /// The children of a node that are shown.
    fn children(&self, node: u32) -> impl Iterator<Item = (u32, &PartNode)> {
        let parent = &self.nodes[node as usize];
        let is_there = parent.expanded <= self.at;
        let first = parent.first as usize;
        let end = first + if is_there { parent.count as usize } else { 0 };
        let least = self.least.max(u32::from(self.kind.hides_unvisited));
        (parent.first..)
            .zip(&self.nodes[first..end])
            .filter(move |(_, child)| child.visits >= least)
    }
}

/// A [`Part`] with the position at its root, to be looked at as a tree that a search lends out.
pub(in super::super) struct PartView<'a, G> {
    pub(in super::super) part: &'a Part,
    pub(in super::super) root: &'a G,
}

impl<G: Searchable> TreeView<G> for PartView<'_, G> {
    fn root_position(&self) -> &G {
        self.root
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_figures(&self) -> (u64, u64, Reward) {
        let root = &self.part.nodes[0];
        (
            root.visits.into(),
            u64::from(root.visits.wrapping_sub(root.inherited)),
            Reward::new(self.part.value(root)),
        )
    }

    fn node_count(&self) -> Option<u64> {
        Some(self.part.total)
    }

    fn edges(&self, node: u32, visit: &mut dyn FnMut(Edge<G::Move>)) {
        for (index, child) in self.part.children(node) {
            visit(Edge {
                mv: G::move_from_bits(child.code.into()),
                child: Some(index),
                visits: child.visits.into(),
                recent_visits: u64::from(child.visits.wrapping_sub(child.inherited)),
                node_visits: child.visits.into(),
                value: Reward::new(self.part.value(child)),
                proven: self.part.proven(child),
                cut: false,
                squares: self.part.squares(child),
                table: None,
            });
        }
    }

    fn followed(&self, node: u32, visit: &mut dyn FnMut(u64, Option<u32>)) {
        for (index, child) in self.part.children(node) {
            visit(child.visits.into(), Some(index));
        }
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            proven: self.part.proven(&self.part.nodes[0]),
            squares: self.part.squares(&self.part.nodes[0]),
            ..RootEdge::default()
        }
    }
}
