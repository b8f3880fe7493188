//! A tree as the viewer holds it: breadth-first, in flat arrays, so that a layer is a range and its nodes lie from left to
//! right.

use std::{borrow::Cow, sync::Arc};

use canopy_engine::{
    games::Player,
    tree::{
        Tree, TreeNode,
        columns::{Column, Columns},
        extra::Extra,
        files::Document,
        meta::{self, Meta, RootMeta},
        replay_reader::ReplayTree,
    },
};

pub use self::{filter::Filter, folds::Fold, node_state::NodeState};
use self::{
    node_order::NodeOrder, node_state::node_states, range_maxima::RangeMaxima, reading::MoveReader,
    shared::SharedRows,
};
use crate::tree::{
    depth_list::DepthMeta,
    value_colour::{CONFIDENT_VISITS, ValueSpread},
};

mod child_filter;
mod filter;
mod folds;
mod node_order;
pub mod node_path;
mod node_state;
mod pv;
mod range_maxima;
mod reading;
mod shared;

/// What a tree that is compared with another one knows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SideOfComparison {
    /// 0 for the first tree, 1 for the second.
    pub side: usize,
    /// By node: its share of the visits in the first tree less that in the second.
    pub difference: Vec<f32>,
    /// By node: whether the other tree lacks it.
    pub only_here: Vec<bool>,
}

/// The data a model is built from.
#[derive(Clone, Debug)]
pub struct ModelSource {
    /// The tree.
    pub tree: Arc<Tree>,
    /// STEM.json.
    pub meta: Option<Arc<Meta>>,
    /// STEM.extra.
    pub extra: Option<Arc<Vec<Extra>>>,
    /// STEM.columns.
    pub columns: Option<Arc<Columns>>,
    /// The rows along which the last iteration went, where that is known.
    pub last_path_rows: Arc<Vec<u32>>,
    /// Number of the search's nodes that are not in the tree.
    pub left_out: u64,
    /// Features of the growth journal that the tree was rebuilt from; none for a tree file.
    pub journal: Option<JournalFeatures>,
    /// Upper bound of the visits of the search's nodes that are not in the tree; 0 if unknown.
    pub least_visits: u32,
    /// The depths that a deepening search has completed.
    pub depths: Arc<Vec<DepthMeta>>,
}

/// Facts about a search that its growth journal has besides the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalFeatures {
    /// Whether it has the statistics of a transposition table.
    pub has_table: bool,
}

impl ModelSource {
    /// A tree alone.
    pub fn of(tree: Tree) -> Self {
        Self {
            tree: Arc::new(tree),
            meta: None,
            extra: None,
            columns: None,
            last_path_rows: Arc::default(),
            left_out: 0,
            journal: None,
            least_visits: 0,
            depths: Arc::default(),
        }
    }

    /// A tree that was rebuilt from the growth journal of a search.
    pub fn replayed(meta: Arc<Meta>, tree: ReplayTree) -> Self {
        let shown = tree.tree.nodes().len() as u64;
        Self {
            meta: Some(meta),
            extra: Some(Arc::new(tree.extra)),
            journal: Some(JournalFeatures {
                has_table: tree.has_table,
            }),
            last_path_rows: Arc::new(tree.path),
            left_out: tree.total_nodes.saturating_sub(shown),
            least_visits: tree.min_visits,
            ..Self::of(tree.tree)
        }
    }
}

impl From<Document> for ModelSource {
    fn from(mut document: Document) -> Self {
        let root = &document.tree.nodes()[0];
        // The file has no statistics of its root: derive them from the children.
        if root.children > 0 && (root.visits, root.second) == (0, 0) {
            let (visits, second, mean) = document.tree.root_stats_from_children();
            document.tree.set_root_stats(visits, second, mean);
        }
        Self {
            left_out: document.meta.as_ref().map_or(0, |meta| meta.cut.left_out),
            meta: (document.meta)
                .filter(|meta| *meta != root_only_meta(meta.root))
                .map(Arc::new),
            extra: document.extra.map(Arc::new),
            columns: document.columns.map(Arc::new),
            ..Self::of(document.tree)
        }
    }
}

/// A sidecar that holds only the root's statistics, which `.tree` files cannot store.
pub fn root_only_meta(root: RootMeta) -> Meta {
    Meta {
        format: meta::FORMAT_VERSION,
        is_final: true,
        root,
        ..Meta::default()
    }
}

/// A tree that is laid out.
#[derive(Debug)]
pub struct TreeModel {
    /// The tree itself: names and statistics by row.
    pub tree: Arc<Tree>,
    /// The sidecar STEM.json.
    pub meta: Option<Arc<Meta>>,
    /// The sidecar STEM.extra, one record per row.
    pub extra: Option<Arc<Vec<Extra>>>,
    /// Further figures of every row, by name.
    columns: Option<Arc<Columns>>,
    /// By column: its range.
    column_ranges: Vec<ColumnRange>,
    /// The nodes along which the last iteration went, where that is known.
    pub last_path: Vec<usize>,
    last_path_rows: Arc<Vec<u32>>,
    /// Number of the search's nodes that are not in the tree.
    pub left_out: u64,
    /// Features of the growth journal that the tree was rebuilt from; none for a tree file.
    pub journal: Option<JournalFeatures>,
    /// Upper bound of the visits of the search's nodes that are not in the tree; 0 if unknown.
    pub least_visits: u32,
    /// The depths that a deepening search has completed.
    pub depths: Arc<Vec<DepthMeta>>,
    /// By row: the size of its subtree in rows; none if every row is a node.
    subtree_sizes: Option<Vec<u32>>,
    /// By node: its row.
    pub rows: Vec<u32>,
    /// By node: its parent; the root is its own.
    pub parents: Vec<u32>,
    /// By node: its first child, and how many there are.
    pub first_child: Vec<u32>,
    /// By node: the number of its children.
    pub children: Vec<u32>,
    /// By node: its horizontal position.
    pub x: Vec<f64>,
    /// By node: the player to move, or the result.
    pub node_states: Vec<NodeState>,
    /// The principal variation, drawn in blue: the line a classical search has chosen, else the most visited path from the
    /// root.
    pub pv: Vec<usize>,
    /// The side whose nodes are filled light.
    light_player: Player,
    /// By node: its visits, kept apart because they are read most often.
    visits: Vec<i32>,
    /// The first node of every layer, and the number of nodes in the end.
    pub layers: Vec<u32>,
    /// Number of nodes that are not shown.
    pub hidden: u32,
    /// Nodes with hidden descendants, in order, and the number of those.
    pub hidden_counts: Vec<(u32, u32)>,
    /// Nodes with hidden children, in order.
    pub folds: Vec<Fold>,
    reader: MoveReader,
    /// Whether an edge may stand for several moves.
    merge_turns: bool,
    /// Extent of the tree to the left and right of its root.
    pub extent: (f64, f64),
    /// The most visited nodes of ranges.
    visit_maxima: RangeMaxima,
    /// Smallest and largest visits, without the root: the range of edge colours.
    pub visit_range: (i32, i32),
    /// The same for the second counter.
    pub second_range: (i32, i32),
    /// The least and the most of the means of visited nodes.
    pub mean_range: (f64, f64),
    /// How far values lie from one half, as [`ColourRanges`] counts it.
    pub value_spread: ValueSpread,
    /// All of these ranges by layer.
    pub layer_ranges: Vec<ColourRanges>,
    /// The rows that stand for one node of a graph.
    shared: SharedRows,
    has_proofs: bool,
    /// Whether the game is over at any of the nodes.
    has_ends: bool,
    /// The other tree, where two are compared.
    pub comparison: Option<SideOfComparison>,
}

/// The range of the values that colour the edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourRanges {
    /// Of visits.
    pub visits: (i32, i32),
    /// Of the second counter.
    pub second: (i32, i32),
    /// Of the means of visited nodes.
    pub mean: (f64, f64),
    /// How far values lie from one half: of nodes with enough visits to be drawn in full colour, in a classical search of
    /// all whose result is not proven.
    pub value_spread: ValueSpread,
}

impl Default for ColourRanges {
    fn default() -> Self {
        Self {
            visits: (i32::MAX, 0),
            second: (i32::MAX, 0),
            mean: (f64::INFINITY, f64::NEG_INFINITY),
            value_spread: ValueSpread::default(),
        }
    }
}

impl ColourRanges {
    fn of(tree: &Tree, rows: &[u32], is_classical: bool) -> Self {
        let nodes = tree.nodes();
        let is_certain = |node: &TreeNode| {
            let is_proven = node.mean <= 0.0 || node.mean >= 1.0;
            match is_classical {
                true => node.visits > 0 && !is_proven,
                false => node.visits >= CONFIDENT_VISITS,
            }
        };
        rows.iter().fold(Self::default(), |ranges, &row| {
            let node = &nodes[row as usize];
            let mean = if node.visits > 0 && node.mean.is_finite() {
                (node.mean, node.mean)
            } else {
                Self::default().mean
            };
            ranges.merge(&Self {
                visits: (node.visits, node.visits),
                second: (node.second, node.second),
                mean,
                value_spread: match is_certain(node) && node.mean.is_finite() {
                    true => ValueSpread::of(node.mean, node.visits),
                    false => ValueSpread::default(),
                },
            })
        })
    }

    fn merge(self, other: &Self) -> Self {
        let whole = |one: (i32, i32), other: (i32, i32)| (one.0.min(other.0), one.1.max(other.1));
        Self {
            visits: whole(self.visits, other.visits),
            second: whole(self.second, other.second),
            mean: (self.mean.0.min(other.mean.0), self.mean.1.max(other.mean.1)),
            value_spread: self.value_spread.merge(other.value_spread),
        }
    }
}

/// The least and the most of a column; the first above the second where no row has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnRange {
    /// Of the whole tree, without the root.
    pub whole: (f64, f64),
    /// By layer.
    pub layers: Vec<(f64, f64)>,
}

impl ColumnRange {
    fn new(column: &Column, rows: &[u32], layers: &[u32]) -> Self {
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let merge = |one: (f64, f64), other: (f64, f64)| (one.0.min(other.0), one.1.max(other.1));
        let layers: Vec<(f64, f64)> = (layers.windows(2))
            .map(|layer| {
                let rows = &rows[layer[0] as usize..layer[1] as usize];
                (rows.iter().map(|&row| column.value(row as usize)))
                    .filter(|value| value.is_finite())
                    .fold(none, |range, value| merge(range, (value, value)))
            })
            .collect();
        Self {
            whole: layers.iter().copied().skip(1).fold(none, merge),
            layers,
        }
    }
}

impl TreeModel {
    /// Whether the search has proven the result of any node.
    pub fn has_proofs(&self) -> bool {
        self.has_proofs
    }

    /// Whether the game is over at any node that is shown.
    pub fn has_ends(&self) -> bool {
        self.has_ends
    }

    /// The columns beside the tree.
    pub fn columns(&self) -> &[Column] {
        (self.columns.as_ref()).map_or(&[], |columns| &columns.columns)
    }

    /// The file of columns beside the tree.
    pub fn columns_beside(&self) -> Option<&Columns> {
        self.columns.as_deref()
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.as_ref()?.find(name)
    }

    /// The range of the column with that index.
    pub fn column_range(&self, index: usize) -> Option<&ColumnRange> {
        self.column_ranges.get(index)
    }

    /// A tree in which everything is shown.
    pub fn new(source: impl Into<ModelSource>) -> Self {
        Self::filtered(source.into(), &Filter::default())
    }

    /// A tree of which a part is shown.
    pub fn filtered(source: ModelSource, filter: &Filter) -> Self {
        let ModelSource {
            tree,
            meta,
            extra,
            columns,
            last_path_rows: source_way,
            left_out,
            journal,
            least_visits,
            depths,
        } = source;
        let by_row = node_states(&tree, meta.as_deref());
        let mut order = if filter.is_unfiltered() {
            NodeOrder::all(&tree)
        } else {
            let line = pv::classical_line(&tree, meta.as_deref())
                .or_else(|| pv::chosen_move(&tree, meta.as_deref()));
            NodeOrder::filtered(&tree, filter, &by_row, &line.unwrap_or_default())
        };
        let x = folds::layout_with_folds(&mut order);
        let NodeOrder {
            rows,
            parents,
            first_child,
            children,
            layers,
            hidden_counts: marks,
            folds,
            subtree_sizes: sizes,
        } = order;
        let deciders: Vec<NodeState> = rows.iter().map(|&row| by_row[row as usize]).collect();
        let has_ends = deciders.iter().any(|state| state.is_terminal());
        let nodes = tree.nodes();
        let visits: Vec<i32> = (rows.iter())
            .map(|&row| nodes[row as usize].visits)
            .collect();
        let peaks = RangeMaxima::new(&visits);
        let is_classical = meta.as_deref().is_some_and(pv::is_classical);
        let layer_ranges: Vec<ColourRanges> = (layers.windows(2))
            .map(|layer| {
                let rows = &rows[layer[0] as usize..layer[1] as usize];
                ColourRanges::of(&tree, rows, is_classical)
            })
            .collect();
        let column_ranges = (columns.iter().flat_map(|columns| &columns.columns))
            .map(|column| ColumnRange::new(column, &rows, &layers))
            .collect();
        // The root has no edge.
        let all = (layer_ranges.iter().skip(1)).fold(ColourRanges::default(), ColourRanges::merge);
        let triangles = folds.iter().filter_map(|fold| fold.x.as_ref());
        let extent = (x.iter().chain(triangles)).fold((0.0_f64, 0.0_f64), |(left, right), &x| {
            (left.min(x), right.max(x))
        });
        let light_player = pv::light_player(meta.as_deref());
        let shared = SharedRows::new(&tree, meta.as_deref());
        let mut extras = extra.iter().flat_map(|rows| rows.iter());
        let has_proofs = extras.any(|row| row.proven.is_some());
        let mut model = Self {
            hidden: (nodes.len() - rows.len()) as u32,
            hidden_counts: marks,
            folds,
            reader: MoveReader::default(),
            merge_turns: filter.merge_turns,
            meta,
            extra,
            columns,
            column_ranges,
            last_path: Vec::new(),
            last_path_rows: source_way,
            left_out,
            journal,
            subtree_sizes: sizes,
            least_visits,
            depths,
            rows,
            parents,
            first_child,
            children,
            x,
            node_states: deciders,
            pv: Vec::new(),
            light_player,
            visits,
            layers,
            extent,
            visit_maxima: peaks,
            visit_range: all.visits,
            second_range: all.second,
            mean_range: all.mean,
            value_spread: all.value_spread,
            layer_ranges,
            shared,
            has_proofs,
            has_ends,
            comparison: None,
            tree,
        };
        let classical_pv = model.classical_pv();
        model.pv = classical_pv.unwrap_or_else(|| model.most_visited_path());
        model.last_path = model.nodes_along(&Arc::clone(&model.last_path_rows));
        model
    }

    /// The data it was built from.
    pub fn source(&self) -> ModelSource {
        ModelSource {
            tree: Arc::clone(&self.tree),
            meta: self.meta.clone(),
            extra: self.extra.clone(),
            columns: self.columns.clone(),
            last_path_rows: Arc::clone(&self.last_path_rows),
            left_out: self.left_out,
            journal: self.journal,
            least_visits: self.least_visits,
            depths: Arc::clone(&self.depths),
        }
    }

    /// The same tree, as a file has it: nothing is known of the last iteration.
    pub fn without_last_path(mut self) -> Self {
        self.last_path = Vec::new();
        self.last_path_rows = Arc::default();
        self
    }

    /// The nodes along which rows lead down, as far as they are shown.
    fn nodes_along(&self, rows: &[u32]) -> Vec<usize> {
        let mut nodes: Vec<usize> = Vec::new();
        for &row in rows {
            let found = match nodes.last() {
                None => (row == 0).then_some(0),
                // The next may lie within an edge that is several moves.
                Some(&last) => self
                    .children_of(last)
                    .find(|&child| self.rows[child] == row),
            };
            match found {
                Some(node) => nodes.push(node),
                None if self.merge_turns && !nodes.is_empty() => {}
                None => break,
            }
        }
        nodes
    }

    /// The move into a node, or the moves where an edge is several; empty at the root.
    pub fn move_text(&self, node: usize) -> Cow<'_, str> {
        if node == 0 {
            // A file may have a move there, but nothing leads to the root in its tree.
            return Cow::Borrowed("");
        }
        let row = self.row(node);
        let above = self.row(self.parents[node] as usize);
        let name = self.tree.move_name(row);
        if !self.merge_turns || self.tree.nodes()[row].parent as usize == above {
            return Cow::Borrowed(name);
        }
        Cow::Owned(self.moves_between(above, row).join(" "))
    }

    /// The moves from the root to a node.
    pub fn moves_to(&self, node: usize) -> Vec<&str> {
        self.moves_between(0, self.row(node))
    }

    /// The moves from one row down to another.
    fn moves_between(&self, above: usize, row: usize) -> Vec<&str> {
        (self.rows_between(above, row).into_iter())
            .map(|row| self.tree.move_name(row))
            .collect()
    }

    /// The rows below one row down to another.
    fn rows_between(&self, above: usize, row: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut at = row;
        while at != above && at != 0 {
            rows.push(at);
            at = self.tree.nodes()[at].parent as usize;
        }
        rows.reverse();
        rows
    }

    /// Number of nodes hidden directly below a node.
    pub fn hidden_below(&self, node: usize) -> u32 {
        (self.hidden_counts)
            .binary_search_by_key(&(node as u32), |&(node, _)| node)
            .map_or(0, |at| self.hidden_counts[at].1)
    }

    /// Number of shown nodes.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Never: there is always a root.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of layers.
    pub fn depth(&self) -> usize {
        self.layers.len() - 1
    }

    /// The nodes of a layer.
    pub fn layer(&self, depth: usize) -> std::ops::Range<usize> {
        self.layers[depth] as usize..self.layers[depth + 1] as usize
    }

    /// The layer of a node.
    pub fn depth_of(&self, node: usize) -> usize {
        (self.layers).partition_point(|&first| first as usize <= node) - 1
    }

    /// The row of a node.
    pub fn row(&self, node: usize) -> usize {
        self.rows[node] as usize
    }

    /// The statistics of a node.
    pub fn node(&self, node: usize) -> &TreeNode {
        &self.tree.nodes()[self.row(node)]
    }

    /// Visits of the edge into a node.
    pub fn visits(&self, node: usize) -> i32 {
        self.visits[node]
    }

    /// Visits of all children of a node, shown or not.
    pub fn visits_below(&self, node: usize) -> u64 {
        (self.child_rows(node).into_iter())
            .map(|row| u64::from(self.tree.nodes()[row].visits.max(0).unsigned_abs()))
            .sum()
    }

    /// Whether a node is filled light: the player to move there, or the winner, has the light pieces.
    pub fn is_light(&self, node: usize) -> bool {
        self.fills_light(self.node_states[node].is_first())
    }

    /// Whether nodes of this player are filled light.
    pub fn fills_light(&self, is_first: bool) -> bool {
        is_first == (self.light_player == Player::First)
    }

    /// The children of a node.
    pub fn children_of(&self, node: usize) -> std::ops::Range<usize> {
        let first = self.first_child[node] as usize;
        first..first + self.children[node] as usize
    }

    /// The rows of all children of a node, shown or not, in the order of the tree.
    pub fn child_rows(&self, node: usize) -> Vec<usize> {
        match &self.subtree_sizes {
            Some(sizes) => self.tree.children(self.row(node), sizes).collect(),
            None => self
                .children_of(node)
                .map(|child| self.row(child))
                .collect(),
        }
    }

    /// Those of [`Self::child_rows`] that are shown, in the order of the tree, with their nodes; none where a child is only
    /// the first of several moves in one edge.
    pub fn shown_rows(&self, node: usize) -> Vec<(usize, Option<usize>)> {
        let above = self.row(node);
        let mut shown: Vec<(usize, Option<usize>)> = (self.children_of(node))
            .map(|child| {
                let row = self.row(child);
                let mut first = row;
                while self.tree.nodes()[first].parent as usize != above {
                    first = self.tree.nodes()[first].parent as usize;
                }
                (first, Some(child).filter(|_| first == row))
            })
            .collect();
        shown.sort_unstable_by_key(|&(row, _)| row);
        shown.dedup_by_key(|&mut (row, _)| row);
        shown
    }

    /// The nodes from the root to `node`, the root first.
    pub fn path(&self, node: usize) -> Vec<usize> {
        let mut path = vec![node];
        let mut at = node;
        while at != 0 {
            at = self.parents[at] as usize;
            path.push(at);
        }
        path.reverse();
        path
    }

    fn most_visited_path(&self) -> Vec<usize> {
        let mut path = vec![0];
        let mut at = 0;
        loop {
            let children = self.children_of(at);
            let best = Some(children)
                .filter(|children| !children.is_empty())
                .map(|children| self.most_visited(children))
                .filter(|&child| self.visits[child] > 0);
            match best {
                Some(child) => path.push(child),
                None => return path,
            }
            at = path[path.len() - 1];
        }
    }

    /// The most visited node of a range that is not empty.
    pub fn most_visited(&self, range: std::ops::Range<usize>) -> usize {
        self.visit_maxima.argmax(range, &self.visits)
    }

    /// The node with the given row, if it is shown.
    pub fn find_row(&self, row: u32) -> Option<usize> {
        self.rows.iter().position(|&shown| shown == row)
    }

    /// The bytes it takes in memory, its tree included.
    pub fn bytes(&self) -> usize {
        let words = self.rows.capacity()
            + self.parents.capacity()
            + self.first_child.capacity()
            + self.children.capacity()
            + self.layers.capacity()
            + self.subtree_sizes.as_ref().map_or(0, Vec::capacity)
            + self.folds.capacity() * size_of::<Fold>() / 4;
        let extra = self
            .extra
            .as_ref()
            .map_or(0, |extra| extra.capacity() * size_of::<Extra>());
        let columns = self.columns.as_ref().map_or(0, |columns| columns.bytes());
        self.tree.bytes()
            + extra
            + columns
            + 4 * words
            + 8 * self.x.capacity()
            + self.node_states.capacity()
            + 4 * self.visits.capacity()
            + self.visit_maxima.bytes()
    }
}

#[cfg(test)]
mod tests {
    use canopy_engine::tree::TreeRow;

    use super::{
        node_path::{find_path, path_to},
        *,
    };

    /// The shape of a tree of the csv format; `rows` are move, visits and number of children.
    pub(crate) fn tree(rows: &[(&str, i32, u32)]) -> Tree {
        let rows = (rows.iter())
            .map(|&(name, visits, children)| TreeRow::new(name, visits, 0.5, children));
        Tree::from_rows(rows).expect("a whole tree")
    }

    fn sample() -> Tree {
        tree(&[
            ("", 10, 3),
            ("a", 2, 1),
            ("a1", 1, 0),
            ("b", 5, 2),
            ("b1", 1, 0),
            ("b2", 4, 0),
            ("c", 3, 0),
        ])
    }

    #[test]
    fn layers_are_ranges_from_left_to_right() {
        let model = TreeModel::new(ModelSource::of(sample()));
        assert_eq!(model.layers, [0, 1, 4, 7]);
        let names: Vec<&str> = (0..7)
            .map(|node| model.tree.move_name(model.row(node)))
            .collect();
        assert_eq!(names, ["", "a", "b", "c", "a1", "b1", "b2"]);
        assert_eq!(model.parents, [0, 0, 0, 0, 1, 2, 2]);
        assert_eq!(model.children_of(2), 5..7);
        assert_eq!(model.path(6), [0, 2, 6]);
        assert_eq!(model.pv, [0, 2, 6]);
        assert_eq!(
            (model.depth_of(0), model.depth_of(3), model.depth_of(4)),
            (0, 1, 2)
        );
        assert!(model.node_states[0].is_first() && !model.node_states[1].is_first());
    }

    #[test]
    fn a_filter_hides_and_orders() {
        let shown = |filter: &Filter| -> String {
            let model = TreeModel::filtered(ModelSource::of(sample()), filter);
            let names = (0..model.len()).map(|node| model.tree.move_name(model.row(node)));
            assert_eq!(model.hidden as usize + model.len(), 7);
            names.collect::<Vec<_>>().join(" ")
        };
        let plain = Filter::default();
        assert_eq!(
            shown(&Filter {
                sort_by_visits: true,
                ..plain.clone()
            }),
            " b c a b2 b1 a1"
        );
        assert_eq!(
            shown(&Filter {
                min_visits: 3,
                ..plain.clone()
            }),
            " b c b2"
        );
        assert_eq!(
            shown(&Filter {
                max_children: Some(1),
                ..plain.clone()
            }),
            " b b2"
        );
        assert_eq!(
            shown(&Filter {
                collapsed: vec![Arc::new(vec![("b".to_owned(), 0)])],
                ..plain.clone()
            }),
            " a b c a1"
        );
        assert_eq!(
            shown(&Filter {
                collapsed: vec![Arc::new(vec![])],
                ..plain
            }),
            ""
        );
    }

    #[test]
    fn marks_say_how_much_is_hidden() {
        let filter = |filter: Filter| TreeModel::filtered(ModelSource::of(sample()), &filter);
        let some = filter(Filter {
            min_visits: 3,
            ..Filter::default()
        });
        // The root lacks a with a1, b lacks b1.
        assert_eq!(some.hidden_counts, [(0, 2), (1, 1)]);
        assert_eq!((some.hidden_below(0), some.hidden_below(2)), (2, 0));
        let folded = filter(Filter {
            collapsed: vec![Arc::new(vec![("b".to_owned(), 0)])],
            ..Filter::default()
        });
        assert_eq!(folded.hidden_counts, [(2, 2)]);
    }

    /// The first player sows twice, then the second once: one edge each.
    #[test]
    fn whole_turns_are_one_edge() {
        let rows = [
            ("", "p1", 2),
            ("1", "p1", 2),
            ("2", "p2", 1),
            ("3", "p1", 0),
            ("4", "p1win", 0),
            ("5", "p2", 0),
        ];
        let rows = rows.map(|(name, state, children)| TreeRow {
            state,
            ..TreeRow::new(name, 1, 0.5, children)
        });
        let mut source = ModelSource::of(Tree::from_rows(rows).expect("a whole tree"));
        source.last_path_rows = Arc::new(vec![0, 1, 2, 3]);
        let filter = Filter {
            merge_turns: true,
            ..Filter::default()
        };
        let model = TreeModel::filtered(source, &filter);
        let texts: Vec<_> = (0..model.len()).map(|node| model.move_text(node)).collect();
        assert_eq!(texts, ["", "1 2", "1 4", "5", "3"]);
        // Both turns begin with one move, for which there is no node.
        assert_eq!(model.child_rows(0), [1, 5]);
        assert_eq!(model.shown_rows(0), [(1, None), (5, Some(3))]);
        assert_eq!(model.moves_to(4), ["1", "2", "3"]);
        assert_eq!(model.last_path, [0, 1, 4]);
    }

    #[test]
    fn all_children_are_known_whatever_is_shown() {
        let all = |filter: Filter| {
            let model = TreeModel::filtered(ModelSource::of(sample()), &filter);
            (model.child_rows(0), model.shown_rows(0))
        };
        let plain = all(Filter::default());
        assert_eq!(plain.0, [1, 3, 6]);
        assert_eq!(plain.1, [(1, Some(1)), (3, Some(2)), (6, Some(3))]);
        let best = all(Filter {
            max_children: Some(1),
            sort_by_visits: true,
            ..Filter::default()
        });
        assert_eq!(best, (plain.0.clone(), vec![(3, Some(1))]));
        let folded = all(Filter {
            collapsed: vec![Arc::default()],
            ..Filter::default()
        });
        assert_eq!(folded, (plain.0, Vec::new()));
    }

    #[test]
    fn steps_lead_back_to_where_they_come_from() {
        let tree = tree(&[
            ("", 9, 3),
            ("a", 1, 0),
            ("a", 2, 2),
            ("b", 1, 0),
            ("b", 1, 0),
            ("", 1, 0),
        ]);
        let sizes = tree.subtree_sizes();
        for row in 0..6 {
            assert_eq!(
                find_path(&tree, &sizes, &path_to(&tree, &sizes, row)),
                Some(row)
            );
        }
        assert_eq!(find_path(&tree, &sizes, &[("c".to_owned(), 0)]), None);
    }
}
