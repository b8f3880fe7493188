//! Which nodes are shown, and in which order.

use canopy_engine::tree::Tree;

use super::{Filter, NodeState, node_path::find_path};

/// The nodes that are shown, breadth-first.
pub(super) struct NodeOrder {
    pub(super) rows: Vec<u32>,
    pub(super) parents: Vec<u32>,
    pub(super) first_child: Vec<u32>,
    pub(super) children: Vec<u32>,
    pub(super) layers: Vec<u32>,
    pub(super) hidden_counts: Vec<(u32, u32)>,
    /// By row, unless all rows are shown in place: the size of its subtree in rows.
    pub(super) subtree_sizes: Option<Vec<u32>>,
}

impl NodeOrder {
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

    /// The nodes that a filter keeps.
    pub(super) fn filtered(tree: &Tree, filter: &Filter, deciders: &[NodeState]) -> Self {
        let nodes = tree.nodes();
        let sizes = tree.subtree_sizes();
        let mut collapsed: Vec<usize> = (filter.collapsed.iter())
            .filter_map(|steps| find_path(tree, &sizes, steps))
            .collect();
        collapsed.sort_unstable();
        let is_collapsed = |row: usize| collapsed.binary_search(&row).is_ok();
        let goes_on = |row: usize, child: usize| {
            filter.merge_turns
                && deciders[child] == deciders[row]
                && nodes[child].children > 0
                && !is_collapsed(child)
        };
        let mut order = Self {
            rows: vec![0],
            parents: vec![0],
            first_child: Vec::new(),
            children: Vec::new(),
            layers: vec![0],
            hidden_counts: Vec::new(),
            subtree_sizes: None,
        };
        let mut end_of_layer = 1;
        let (mut kept, mut open) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < order.rows.len() {
            if at == end_of_layer {
                order.layers.push(at as u32);
                end_of_layer = order.rows.len();
            }
            let row = order.rows[at] as usize;
            kept.clear();
            let mut hidden = 0;
            if is_collapsed(row) {
                hidden = sizes[row] - 1;
            } else {
                let visits = |row: usize| i64::from(nodes[row].visits);
                // Where a player moves again, the following moves replace the move.
                open.clear();
                open.push(row);
                while let Some(parent) = open.pop() {
                    for child in tree.children(parent, &sizes) {
                        if visits(child) < i64::from(filter.min_visits) {
                            hidden += sizes[child];
                        } else if goes_on(parent, child) {
                            open.push(child);
                        } else {
                            kept.push(child);
                        }
                    }
                }
                kept.sort_unstable();
                let by_visits = |&child: &usize| std::cmp::Reverse(visits(child));
                if let Some(best) = filter
                    .max_children
                    .filter(|&best| (best as usize) < kept.len())
                {
                    kept.sort_by_key(by_visits);
                    hidden += (kept.drain(best as usize..))
                        .map(|child| sizes[child])
                        .sum::<u32>();
                    kept.sort_unstable();
                }
                if filter.sort_by_visits {
                    kept.sort_by_key(by_visits);
                }
            }
            if hidden > 0 {
                order.hidden_counts.push((at as u32, hidden));
            }
            order.first_child.push(order.rows.len() as u32);
            order.children.push(kept.len() as u32);
            order.rows.extend(kept.iter().map(|&child| child as u32));
            order.parents.resize(order.rows.len(), at as u32);
            at += 1;
        }
        order.layers.push(order.rows.len() as u32);
        order.subtree_sizes = Some(sizes);
        order
    }
}
