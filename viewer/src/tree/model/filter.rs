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

    /// Least visits of a shown node in a tree whose root has `root_visits`.
    pub(super) fn min_visits_in(&self, root_visits: i32) -> i64 {
        let readable = match self.readable {
            true => root_visits / READABLE_SHARE,
            false => 0,
        };
        i64::from(self.min_visits).max(readable.into())
    }

    /// Upper bound of shown children per node.
    pub(super) fn max_shown_children(&self) -> Option<u32> {
        let readable = self.readable.then_some(READABLE_CHILDREN);
        self.max_children.into_iter().chain(readable).min()
    }
}
