//! Which nodes are shown, and in which order.

use canopy_engine::tree::Tree;

use super::{Filter, Fold, NodeState, child_filter::ChildFilter};
use crate::tree::layout::TreeShape;

/// The nodes that are shown, breadth-first.
pub(super) struct NodeOrder {
    pub(super) rows: Vec<u32>,
    pub(super) parents: Vec<u32>,
    pub(super) first_child: Vec<u32>,
    pub(super) children: Vec<u32>,
    pub(super) layers: Vec<u32>,
    pub(super) hidden_counts: Vec<(u32, u32)>,
    pub(super) folds: Vec<Fold>,
    /// By row, unless all rows are shown in place: the size of its subtree in rows.
    pub(super) subtree_sizes: Option<Vec<u32>>,
}

impl NodeOrder {
    /// The shape of the tree that is shown.
    pub(super) fn shape(&self) -> TreeShape<'_> {
        TreeShape {
            parents: &self.parents,
            first_child: &self.first_child,
            children: &self.children,
        }
    }

    /// All nodes in the order of the file: a stable sort by depth.
    pub(super) fn all(tree: &Tree) -> Self {
        let nodes = tree.nodes();
        let mut depths = vec![0_u32; nodes.len()];
        let mut layers = vec![0_u32, 1];
        for (row, node) in nodes.iter().enumerate().skip(1) {
            let depth = depths[node.parent as usize] + 1;
            depths[row] = depth;
            if layers.len() <= depth as usize + 1 {
                layers.push(0);
            }
            layers[depth as usize + 1] += 1;
        }
        for depth in 1..layers.len() {
            layers[depth] += layers[depth - 1];
        }
        let mut next = layers.clone();
        // Depths are replaced by output positions in place.
        for depth in &mut depths {
            let place = &mut next[*depth as usize];
            *depth = *place;
            *place += 1;
        }
        let place = depths;
        let mut order = Self {
            rows: vec![0; nodes.len()],
            parents: vec![0; nodes.len()],
            first_child: vec![0; nodes.len()],
            children: vec![0; nodes.len()],
            layers,
            hidden_counts: Vec::new(),
            folds: Vec::new(),
            subtree_sizes: None,
        };
        for (row, node) in nodes.iter().enumerate() {
            let at = place[row] as usize;
            order.rows[at] = row as u32;
            order.parents[at] = place[node.parent as usize];
            order.children[at] = node.children;
            if node.children > 0 {
                order.first_child[at] = place[row + 1];
            }
        }
        order
    }

    /// The nodes that a filter lets through; the readable part has the rows of `line` in any case.
    pub(super) fn filtered(
        tree: &Tree,
        filter: &Filter,
        deciders: &[NodeState],
        line: &[u32],
    ) -> Self {
        let children = ChildFilter::new(tree, filter, deciders, line);
        let mut order = Self {
            rows: vec![0],
            parents: vec![0],
            first_child: Vec::new(),
            children: Vec::new(),
            layers: vec![0],
            hidden_counts: Vec::new(),
            folds: Vec::new(),
            subtree_sizes: None,
        };
        let mut end_of_layer = 1;
        let mut kept = Vec::new();
        let mut at = 0;
        while at < order.rows.len() {
            if at == end_of_layer {
                order.layers.push(at as u32);
                end_of_layer = order.rows.len();
            }
            let row = order.rows[at] as usize;
            let hidden = children.select(row, order.layers.len() - 1, &mut kept);
            if hidden.nodes > 0 {
                order.hidden_counts.push((at as u32, hidden.nodes));
                let is_collapsed = children.is_collapsed(row);
                if at == 0 || is_collapsed || !filter.folds_root_alone {
                    order.folds.push(Fold {
                        node: at as u32,
                        moves: hidden.moves,
                        x: None,
                        room: 0.0,
                        is_collapsed,
                    });
                }
            }
            order.first_child.push(order.rows.len() as u32);
            order.children.push(kept.len() as u32);
            order.rows.extend(kept.iter().map(|&child| child as u32));
            order.parents.resize(order.rows.len(), at as u32);
            at += 1;
        }
        order.layers.push(order.rows.len() as u32);
        order.subtree_sizes = Some(children.sizes);
        order
    }
}
