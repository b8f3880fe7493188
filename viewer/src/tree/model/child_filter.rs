//! Which children of a row are shown.

use std::{cmp::Reverse, sync::Arc};

use canopy_engine::tree::Tree;

use super::{
    Filter, NodeState,
    node_path::{ChildStep, find_path},
};

/// A filter applied to one tree.
pub(super) struct ChildFilter<'a> {
    tree: &'a Tree,
    filter: &'a Filter,
    deciders: &'a [NodeState],
    /// Rows that the readable part has in any case.
    line: &'a [u32],
    /// By row: the size of its subtree in rows.
    pub(super) sizes: Vec<u32>,
    /// Rows whose children are hidden, that are opened, and below which everything is, in order.
    collapsed: Vec<usize>,
    opened: Vec<usize>,
    opened_below: Vec<usize>,
    min_visits: i64,
}

/// The children that a row does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HiddenChildren {
    /// With all nodes below them.
    pub(super) nodes: u32,
    /// The moves alone.
    pub(super) moves: u32,
}

impl<'a> ChildFilter<'a> {
    pub(super) fn new(
        tree: &'a Tree,
        filter: &'a Filter,
        deciders: &'a [NodeState],
        line: &'a [u32],
    ) -> Self {
        let sizes = tree.subtree_sizes();
        let find = |paths: &[Arc<Vec<ChildStep>>]| {
            let mut rows: Vec<usize> = (paths.iter())
                .filter_map(|steps| find_path(tree, &sizes, steps))
                .collect();
            rows.sort_unstable();
            rows
        };
        Self {
            collapsed: find(&filter.collapsed),
            opened: find(&filter.opened),
            opened_below: find(&filter.opened_below),
            min_visits: filter.min_visits_in(tree.nodes()[0].visits),
            tree,
            filter,
            deciders,
            line,
            sizes,
        }
    }

    /// Whether a row's children are hidden by hand.
    pub(super) fn is_collapsed(&self, row: usize) -> bool {
        self.collapsed.binary_search(&row).is_ok()
    }

    /// Whether all children of a row are shown by hand.
    fn is_opened(&self, row: usize) -> bool {
        // A subtree is a range of rows.
        let is_below = |&top: &usize| (top..top + self.sizes[top] as usize).contains(&row);
        self.opened.binary_search(&row).is_ok() || self.opened_below.iter().any(is_below)
    }

    fn is_in_line(&self, row: usize) -> bool {
        self.filter.readable && self.line.contains(&(row as u32))
    }

    fn visits(&self, row: usize) -> i64 {
        self.tree.nodes()[row].visits.into()
    }

    /// Whether a player moves again after a move, which is one edge with the following moves.
    fn goes_on(&self, row: usize, child: usize) -> bool {
        self.filter.merge_turns
            && self.deciders[child] == self.deciders[row]
            && self.tree.nodes()[child].children > 0
            && !self.is_collapsed(child)
    }

    /// Puts the shown children of a row into `kept`, in the order in which they are shown; `depth` is its level below the root.
    pub(super) fn select(&self, row: usize, depth: usize, kept: &mut Vec<usize>) -> HiddenChildren {
        kept.clear();
        if self.is_collapsed(row) {
            return HiddenChildren {
                nodes: self.sizes[row] - 1,
                moves: self.tree.nodes()[row].children,
            };
        }
        let mut hidden = HiddenChildren::default();
        let is_opened = self.is_opened(row);
        // Where a player moves again, the following moves replace the move.
        let mut open = vec![row];
        while let Some(parent) = open.pop() {
            for child in self.tree.children(parent, &self.sizes) {
                let is_rare = self.visits(child) < self.min_visits;
                if is_rare && !is_opened && !self.is_in_line(child) {
                    hidden.nodes += self.sizes[child];
                    hidden.moves += 1;
                } else if self.goes_on(parent, child) {
                    open.push(child);
                } else {
                    kept.push(child);
                }
            }
        }
        kept.sort_unstable();
        let by_visits = |&child: &usize| Reverse(self.visits(child));
        let best = (self.filter.max_shown_children(depth)).map(|best| best as usize);
        if let Some(best) = best.filter(|&best| best < kept.len() && !is_opened) {
            kept.sort_by_key(|child| (!self.is_in_line(*child), by_visits(child)));
            hidden.moves += (kept.len() - best) as u32;
            hidden.nodes += (kept.drain(best..))
                .map(|child| self.sizes[child])
                .sum::<u32>();
            kept.sort_unstable();
        }
        if self.filter.sort_by_visits || self.filter.readable {
            kept.sort_by_key(by_visits);
        }
        hidden
    }
}
