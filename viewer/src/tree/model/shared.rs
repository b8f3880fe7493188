//! Nodes of a graph that several moves lead to: one row has the subtree, the others have the state `=K` and name it.

use canopy_engine::tree::{Tree, meta::Meta};

use super::TreeModel;

/// The rows that stand for shared nodes.
#[derive(Debug, Default)]
pub(super) struct SharedRows {
    /// Every row of a shared node and the row with its subtree, in the order of rows.
    by_row: Vec<(u32, u32)>,
    /// The rows with subtrees, once for each row of their nodes, in order.
    expanded: Vec<u32>,
}

impl SharedRows {
    /// Reads the states of a tree. Where the sidecar says that nothing is shared, they are not read.
    pub(super) fn new(tree: &Tree, meta: Option<&Meta>) -> Self {
        let store = meta.and_then(|meta| meta.parameters.get("store"));
        if store.is_some_and(|store| store == "tree") {
            return Self::default();
        }
        let rows = tree.nodes().len();
        let named = |row: usize| {
            let number: usize = tree.state(row).strip_prefix('=')?.parse().ok()?;
            let expanded = number.checked_sub(1)?;
            (expanded < rows && expanded != row).then_some((row as u32, expanded as u32))
        };
        let mut by_row: Vec<(u32, u32)> = (0..rows).filter_map(named).collect();
        let own = by_row.iter().map(|&(_, expanded)| (expanded, expanded));
        by_row.extend(own.collect::<Vec<_>>());
        by_row.sort_unstable();
        // A row that is named by others and names one itself, in a strange file, has one of both.
        by_row.dedup_by_key(|&mut (row, _)| row);
        let mut expanded: Vec<u32> = by_row.iter().map(|&(_, expanded)| expanded).collect();
        expanded.sort_unstable();
        Self { by_row, expanded }
    }

    fn expanded(&self, row: usize) -> Option<u32> {
        let at = (self.by_row).binary_search_by_key(&(row as u32), |&(row, _)| row);
        at.ok().map(|at| self.by_row[at].1)
    }
}

impl TreeModel {
    /// Whether any node is shared.
    pub fn has_shared_nodes(&self) -> bool {
        !self.shared.by_row.is_empty()
    }

    /// How many moves of the tree lead to the node of a row: 1 unless it is shared.
    pub fn ways_to(&self, row: usize) -> usize {
        let Some(expanded) = self.shared.expanded(row) else {
            return 1;
        };
        let from = (self.shared.expanded).partition_point(|&other| other < expanded);
        let to = (self.shared.expanded).partition_point(|&other| other <= expanded);
        to - from
    }

    /// The row that has the subtree of a shared node, if it is another one.
    pub fn expanded_elsewhere(&self, row: usize) -> Option<usize> {
        let expanded = self.shared.expanded(row)? as usize;
        (expanded != row).then_some(expanded)
    }

    /// The visits of a row's node by any move, where they are known and the node is shared.
    pub fn shared_visits(&self, row: usize) -> Option<u64> {
        let extra = self.extra.as_ref()?.get(row)?;
        let edge = u64::try_from(self.tree.nodes()[row].visits).unwrap_or(0);
        let is_shared = self.ways_to(row) > 1 || extra.node_visits > edge;
        (is_shared && extra.node_visits > 0 && row > 0).then_some(extra.node_visits)
    }

    /// Whether the node of a row is shared, as far as the files tell.
    pub fn is_shared(&self, row: usize) -> bool {
        self.ways_to(row) > 1 || self.shared_visits(row).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{Tree, TreeRow, extra::Extra};

    use super::*;
    use crate::tree::model::ModelSource;

    fn source(states: &[(&str, i32, u32)]) -> ModelSource {
        let rows = (states.iter()).map(|&(state, visits, children)| TreeRow {
            state,
            ..TreeRow::new("m", visits, 0.5, children)
        });
        ModelSource::of(Tree::from_rows(rows).expect("a whole tree"))
    }

    #[test]
    fn rows_of_one_node_know_each_other_and_where_its_moves_are() {
        let model = TreeModel::new(source(&[
            ("", 9, 3),
            ("p2", 3, 1),
            ("p1", 2, 0),
            ("p2", 3, 1),
            ("=3", 2, 0),
            ("=3", 3, 0),
        ]));
        let ways: Vec<usize> = (0..6).map(|row| model.ways_to(row)).collect();
        assert_eq!(ways, [1, 1, 3, 1, 3, 3]);
        assert_eq!(model.expanded_elsewhere(4), Some(2));
        assert_eq!(model.expanded_elsewhere(2), None);
        assert!(model.has_shared_nodes());
    }

    #[test]
    fn the_visits_of_a_move_and_of_its_node_are_told_apart() {
        let mut source = source(&[("", 9, 2), ("p2", 3, 0), ("p2", 6, 0)]);
        let extra = |node_visits: u64| Extra {
            node_visits,
            ..Extra::default()
        };
        source.extra = Some(Arc::new(vec![extra(10), extra(8), extra(6)]));
        let model = TreeModel::new(source);
        let visits: Vec<Option<u64>> = (0..3).map(|row| model.shared_visits(row)).collect();
        assert_eq!(visits, [None, Some(8), None]);
    }

    #[test]
    fn names_of_rows_that_are_not_there_are_ignored() {
        let model = TreeModel::new(source(&[("=0", 1, 2), ("=9", 1, 0), ("=2", 1, 0)]));
        let ways: Vec<usize> = (0..3).map(|row| model.ways_to(row)).collect();
        assert_eq!(ways, [1, 2, 2]);
        let own = TreeModel::new(source(&[("", 1, 1), ("=2", 1, 0)]));
        assert!(!own.has_shared_nodes());
    }
}
