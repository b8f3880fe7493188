//! Which nodes of a tree are shown.

use std::sync::Arc;

use super::node_path::ChildStep;

/// Children of a node in the readable part of a tree, the most visited ones.
const READABLE_CHILDREN: u32 = 3;
/// Nodes with a smaller share of the root's visits than one in this many are not in the readable part.
const READABLE_SHARE: i32 = 500;

/// Which nodes of a tree are shown, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Nodes whose children are hidden.
    pub collapsed: Vec<Arc<Vec<ChildStep>>>,
    /// Nodes with fewer visits are hidden.
    pub min_visits: u32,
    /// Upper bound of children shown per node, the most visited first; none for all.
    pub max_children: Option<u32>,
    /// The same by level, the root's children first; below the last one named its bound holds on.
    pub max_children_by_level: Vec<u32>,
    /// Upper bound of the levels below the root that are shown; none for all.
    pub max_levels: Option<u32>,
    /// Whether only the root has a triangle for its hidden children; else every node has.
    pub folds_root_alone: bool,
    /// Whether children are ordered by visits, the most visited first.
    pub sort_by_visits: bool,
    /// Whether consecutive moves of one player are drawn as one edge.
    pub merge_turns: bool,
    /// Whether only the readable part is shown: of every node the three most visited children, the most visited first, if they
    /// have a five-hundredth of the root's visits.
    pub readable: bool,
    /// Nodes whose children are all shown, whatever their visits.
    pub opened: Vec<Arc<Vec<ChildStep>>>,
    /// Nodes below which everything is shown.
    pub opened_below: Vec<Arc<Vec<ChildStep>>>,
}

impl Filter {
    /// Whether every node is shown in its place.
    pub fn is_unfiltered(&self) -> bool {
        *self == Self::default()
    }

    /// Whether there may be nodes that it hides.
    pub fn may_hide(&self) -> bool {
        let has_bounds = self.min_visits > 0
            || self.max_children.is_some()
            || !self.max_children_by_level.is_empty()
            || self.max_levels.is_some();
        self.readable || has_bounds || !self.collapsed.is_empty()
    }

    /// Hides nothing from now on; the order of children and the merging of turns stay.
    pub fn show_all(&mut self) {
        (self.readable, self.min_visits, self.max_children) = (false, 0, None);
        self.max_children_by_level.clear();
        self.max_levels = None;
        self.clear_nodes();
    }

    /// Forgets which nodes were folded and opened by hand.
    pub fn clear_nodes(&mut self) {
        for nodes in [
            &mut self.collapsed,
            &mut self.opened,
            &mut self.opened_below,
        ] {
            nodes.clear();
        }
    }

    /// The same with the numbers of the readable part written out, so that each can be changed by itself.
    #[must_use]
    pub fn explicit(&self, root_visits: i32) -> Self {
        if !self.readable {
            return self.clone();
        }
        let min_visits = self.min_visits_in(root_visits);
        Self {
            min_visits: u32::try_from(min_visits).unwrap_or(u32::MAX),
            max_children: self.max_shown_children(0),
            sort_by_visits: true,
            readable: false,
            ..self.clone()
        }
    }

    /// Least visits of a shown node in a tree whose root has `root_visits`.
    pub(super) fn min_visits_in(&self, root_visits: i32) -> i64 {
        let readable = match self.readable {
            true => root_visits / READABLE_SHARE,
            false => 0,
        };
        i64::from(self.min_visits).max(readable.into())
    }

    /// Upper bound of shown children per node that lies so many levels below the root.
    pub(super) fn max_shown_children(&self, depth: usize) -> Option<u32> {
        if self
            .max_levels
            .is_some_and(|levels| depth >= levels as usize)
        {
            return Some(0);
        }
        let readable = self.readable.then_some(READABLE_CHILDREN);
        let by_level = &self.max_children_by_level;
        let of_level = by_level.get(depth).or(by_level.last()).copied();
        (self.max_children.into_iter())
            .chain(readable)
            .chain(of_level)
            .min()
    }
}
