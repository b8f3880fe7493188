//! Describes a tree file: shape, principal variation, inconsistencies.

use super::files::Document;

/// The description of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeSummary {
    /// Number of nodes on each level, the root's first.
    pub widths: Vec<u64>,
    /// The most visited moves from the root on.
    pub pv: Vec<String>,
    /// The smallest and the largest mean of a visited node; none if none was visited.
    pub means: Option<(f64, f64)>,
    /// Rows that stand for a node that is expanded elsewhere.
    pub shared: u64,
    /// Inconsistencies: kind, count, and first row (from 1).
    pub inconsistencies: Vec<Inconsistency>,
}

/// Something that does not add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inconsistency {
    /// The kind, to complete "at row 5 …".
    pub what: &'static str,
    /// Number of rows affected.
    pub count: u64,
    /// The first of them, counted from 1.
    pub row: usize,
}

/// Looks at a tree.
#[expect(
    clippy::indexing_slicing,
    reason = "tables are as long as the tree, and parents come before their children: `TreeBuilder` sees to it"
)]
pub fn summarize(document: &Document) -> TreeSummary {
    let tree = &document.tree;
    let nodes = tree.nodes();
    let mut depths = vec![0_u32; nodes.len()];
    let mut widths = vec![1];
    let mut sums = vec![0_i64; nodes.len()];
    let mut inconsistencies = Vec::new();
    let mut means: Option<(f64, f64)> = None;
    let mut shared = 0;
    let mut is_graph = is_graph_search(document);
    for (row, node) in nodes.iter().enumerate() {
        let parent = node.parent as usize;
        if row > 0 {
            depths[row] = depths[parent] + 1;
            let depth = depths[row] as usize;
            if widths.len() == depth {
                widths.push(0);
            }
            widths[depth] += 1;
            sums[parent] += i64::from(node.visits);
        }
        if node.visits < 0 || node.second < 0 {
            record_inconsistency(&mut inconsistencies, "a counter is below 0", row);
        }
        if node.second > node.visits && row > 0 {
            record_inconsistency(
                &mut inconsistencies,
                "the second counter is above the visits",
                row,
            );
        }
        if node.visits > 0 {
            let (low, high) = means.unwrap_or((node.mean, node.mean));
            means = Some((low.min(node.mean), high.max(node.mean)));
        }
        if let Some(target) = tree.state(row).strip_prefix('=') {
            shared += 1;
            match target.parse::<usize>() {
                Ok(target) if (1..=nodes.len()).contains(&target) && target != row + 1 => {
                    is_graph = true;
                }
                _ => record_inconsistency(
                    &mut inconsistencies,
                    "the node it shares is not in the tree",
                    row,
                ),
            }
        }
    }
    // A row has the visits of its edge. In a graph a node's children also have visits through other edges, including pruned
    // ones and ones above the current root; only the extras have their number.
    for (row, node) in nodes.iter().enumerate() {
        let extra = (document.extra.as_ref()).and_then(|extra| extra.get(row));
        let visits = match extra {
            Some(extra) => i64::try_from(extra.node_visits).unwrap_or(i64::MAX),
            None if is_graph && row > 0 => continue,
            // A root without statistics of its own.
            None if row == 0 && node.visits == 0 => continue,
            None => node.visits.into(),
        };
        if sums[row] > visits.max(0) {
            record_inconsistency(
                &mut inconsistencies,
                "its children have more visits than it has",
                row,
            );
        }
    }
    let sizes = tree.subtree_sizes();
    let mut pv = Vec::new();
    let mut row = 0;
    loop {
        let mut best: Option<usize> = None;
        for child in tree.children(row, &sizes) {
            if nodes[child].visits > best.map_or(0, |best| nodes[best].visits) {
                best = Some(child);
            }
        }
        let Some(child) = best else { break };
        pv.push(tree.move_name(child).to_owned());
        row = child;
    }
    TreeSummary {
        widths,
        pv,
        means,
        shared,
        inconsistencies,
    }
}

/// Whether the sidecar's search shares nodes between equal positions.
fn is_graph_search(document: &Document) -> bool {
    let parameters = document.meta.as_ref().map(|meta| &meta.parameters);
    let store = parameters.and_then(|parameters| parameters.get("store"));
    store.is_some_and(|store| store == "graph")
}

fn record_inconsistency(inconsistencies: &mut Vec<Inconsistency>, what: &'static str, row: usize) {
    match inconsistencies.iter_mut().find(|fault| fault.what == what) {
        Some(fault) => fault.count += 1,
        None => inconsistencies.push(Inconsistency {
            what,
            count: 1,
            row: row + 1,
        }),
    }
}
