//! Turns a search's tree into rows: the only part of `tree` that walks a [`TreeView`].

use super::{
    Tree, TreeBuilder, TreeRow,
    columns::{Column, ColumnValues, Columns},
    extra::{Extra, ExtraTableEntry},
    files::saturate_counter,
    meta::{CutMeta, RootMeta},
    out_of_memory_message,
    window_columns::WindowColumns,
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet, TryReserveError},
};

use crate::{
    games::{Game, Notation, Outcome, Player, Symmetric, notation},
    search::{EdgeView, ReferenceFrame, Reward, Searchable, TableEntry, TreeView},
};

/// Which part of a tree is written, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Writes every node's position, not only the root's.
    pub states: bool,
    /// Produces [`Extra`] records.
    pub extra: bool,
    /// The most rows there may be: the most visited part of the tree stays.
    pub max_nodes: Option<u64>,
    /// The fewest visits a row may have; the root always stays.
    pub min_visits: u64,
}

/// A tree in rows.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The rows.
    pub tree: Tree,
    /// A record per row, if [`SnapshotOptions::extra`] is set.
    pub extra: Vec<Extra>,
    /// Further figures of the search, if extras were wanted; no columns if it has none.
    pub columns: Columns,
    /// The root's own figures.
    pub root: RootMeta,
    /// The limits, and the number of omitted nodes.
    pub cut: CutMeta,
    /// Whether a counter exceeded the format's range.
    pub saturated: bool,
}

/// Turns a tree into rows. Fails if there is no memory for them, or if the tree has a move that is illegal in this game,
/// which happens only to trees read from a file.
pub fn take<G: Searchable + Notation>(
    view: &dyn TreeView<G>,
    options: &SnapshotOptions,
) -> Result<Snapshot, String> {
    let mut filter = SnapshotFilter::new(view, options).map_err(out_of_memory_message)?;
    let mut rows = RowWriter {
        view,
        options,
        builder: TreeBuilder::default(),
        extra: Vec::new(),
        priors: Vec::new(),
        margins: Vec::new(),
        windows: WindowColumns::default(),
        expanded_rows: HashMap::new(),
        saturated: false,
        names: NameBuffers::default(),
    };
    let position = view.root_position().clone();
    let (visits, second, value) = view.root_stats();
    let root = RootMeta {
        visits,
        second,
        mean: value.for_player(position.to_move().opponent()),
    };
    let edges = filter.children(view, view.root());
    rows.push_root(&position, &root, edges.len())?;
    let mut open_nodes = vec![OpenNode::new(view, position, edges)];
    while let Some(level) = open_nodes.last_mut() {
        let Some(&edge) = level.edges.get(level.next) else {
            open_nodes.pop();
            continue;
        };
        level.next += 1;
        let Some(mv) = to_board_move(&level.position, level.frame, edge.mv) else {
            return Err(format!(
                "row {} would be a move that the rules do not allow",
                rows.builder.len() + 1
            ));
        };
        let mut after = level.position.clone();
        after.play(mv);
        let shared = edge
            .child
            .and_then(|child| rows.expanded_rows.get(&child).copied());
        let edges = match (edge.child, shared) {
            (Some(child), None) => filter.children(view, child),
            _ => Vec::new(),
        };
        let frame = rows.push(&level.position, mv, &edge, &after, shared, edges.len())?;
        if !edges.is_empty() {
            open_nodes.push(OpenNode {
                position: after,
                frame,
                edges,
                next: 0,
            });
        }
    }
    let columns = rows.columns()?;
    let tree = rows.builder.finish()?;
    let cut = CutMeta {
        max_nodes: options.max_nodes,
        min_visits: options.min_visits,
        left_out: filter.total.saturating_sub(tree.nodes().len() as u64),
    };
    Ok(Snapshot {
        tree,
        extra: rows.extra,
        columns,
        root,
        cut,
        saturated: rows.saturated,
    })
}

/// A node whose children are being written down.
struct OpenNode<G: Game> {
    position: G,
    frame: ReferenceFrame,
    edges: Vec<EdgeView<G::Move>>,
    next: usize,
}

impl<G: Game> OpenNode<G> {
    fn new(view: &dyn TreeView<G>, position: G, edges: Vec<EdgeView<G::Move>>) -> Self {
        Self {
            frame: view.frame(&position),
            position,
            edges,
            next: 0,
        }
    }
}

/// A move in the frame of a node as the move on the board; none if it is not legal.
pub(super) fn to_board_move<G: Game + Symmetric>(
    position: &G,
    frame: ReferenceFrame,
    mv: G::Move,
) -> Option<G::Move> {
    match frame.symmetry {
        None => position.is_legal(mv).then_some(mv),
        Some(symmetry) => (position.image(symmetry))
            .is_legal(mv)
            .then(|| G::image_of_move(mv, symmetry.inverse())),
    }
}

/// Which moves stay.
struct SnapshotFilter {
    min_visits: u64,
    /// Moves with more visits than the first number stay, and as many with exactly that number as the second says.
    threshold: Option<(u64, u64)>,
    /// In a graph instead the moves that stay, by node and place among its moves: one may be followed more often than those
    /// that lead there, and is not seen if none of these stays.
    kept_edges: Option<HashSet<(u32, usize)>>,
    /// Number of rows without a filter.
    total: u64,
}

impl SnapshotFilter {
    fn new<G: Game>(
        view: &dyn TreeView<G>,
        options: &SnapshotOptions,
    ) -> Result<Self, TryReserveError> {
        let mut filter = Self {
            min_visits: options.min_visits,
            threshold: None,
            kept_edges: None,
            total: 1,
        };
        if options.max_nodes.is_none() && options.min_visits == 0 {
            return Ok(filter);
        }
        let most = usize::try_from(options.max_nodes.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        // The root is one of them.
        let most = most.max(1) - 1;
        if let Some(total) = view.node_count().filter(|_| options.max_nodes.is_some()) {
            filter.total = total;
            filter.threshold = visit_threshold(view, options.min_visits, most)?;
            return Ok(filter);
        }
        // Visits of all edges that `min_visits` leaves.
        let mut visits = Vec::new();
        let mut pending = vec![view.root()];
        let mut seen = HashSet::new();
        while let Some(node) = pending.pop() {
            if view.is_graph() {
                seen.try_reserve(1)?;
                if !seen.insert(node) {
                    continue;
                }
            }
            let mut has_room = Ok(());
            view.for_each_edge(node, &mut |edge| {
                filter.total += 1;
                let more = visits.try_reserve(1).and_then(|()| pending.try_reserve(1));
                if more.is_err() {
                    has_room = more;
                    return;
                }
                if edge.visits >= options.min_visits {
                    visits.push(edge.visits);
                }
                pending.extend(edge.child);
            });
            has_room?;
        }
        if visits.len() > most && view.is_graph() {
            filter.kept_edges = Some(most_visited_edges(view, options.min_visits, most)?);
        } else if visits.len() > most {
            filter.threshold = Some(match most.checked_sub(1) {
                None => (u64::MAX, 0),
                Some(last) => {
                    let (_, &mut least, _) =
                        visits.select_nth_unstable_by(last, |one, other| other.cmp(one));
                    let more = visits.iter().filter(|&&visits| visits > least).count();
                    (least, (most - more) as u64)
                }
            });
        }
        Ok(filter)
    }

    fn children<G: Game>(&mut self, view: &dyn TreeView<G>, node: u32) -> Vec<EdgeView<G::Move>> {
        let mut edges = Vec::new();
        let mut place = 0;
        view.for_each_edge(node, &mut |edge| {
            let is_there = |staying: &HashSet<_>| staying.contains(&(node, place));
            let stays = edge.visits >= self.min_visits
                && self.kept_edges.as_ref().is_none_or(is_there)
                && match &mut self.threshold {
                    None => true,
                    Some((least, _)) if edge.visits > *least => true,
                    Some((least, left)) if edge.visits == *least && *left > 0 => {
                        *left -= 1;
                        true
                    }
                    Some(_) => false,
                };
            place += 1;
            if stays {
                edges.push(edge);
            }
        });
        edges
    }
}

/// The `most` most followed edges of a graph, by node and position: always the most followed among the edges of nodes
/// already reached.
fn most_visited_edges<G: Game>(
    view: &dyn TreeView<G>,
    min_visits: u64,
    most: usize,
) -> Result<HashSet<(u32, usize)>, TryReserveError> {
    let (mut waiting, mut seen, mut met) = (BinaryHeap::new(), HashSet::new(), 0_u64);
    let mut staying = HashSet::new();
    let mut next = Some(view.root());
    while staying.len() < most {
        seen.try_reserve(1)?;
        staying.try_reserve(1)?;
        if let Some(node) = next.filter(|&node| seen.insert(node)) {
            let (mut place, mut has_room) = (0, Ok(()));
            view.for_each_child(node, &mut |visits, child| {
                let more = waiting.try_reserve(1);
                if more.is_err() {
                    has_room = more;
                } else if visits >= min_visits {
                    // Ties are broken by order of discovery.
                    waiting.push((visits, Reverse(met), node, place, child));
                    met += 1;
                }
                place += 1;
            });
            has_room?;
        }
        let Some((visits, _, node, place, child)) = waiting.pop() else {
            break;
        };
        staying.insert((node, place));
        next = child.filter(|_| visits > 0);
    }
    Ok(staying)
}

/// The visit threshold for `most` edges of a tree, found without visiting the rest: no edge has more visits than the one
/// above it, so a best-first walk from the root meets the most visited first.
fn visit_threshold<G: Game>(
    view: &dyn TreeView<G>,
    min_visits: u64,
    most: usize,
) -> Result<Option<(u64, u64)>, TryReserveError> {
    let mut waiting = BinaryHeap::new();
    let expand = |waiting: &mut BinaryHeap<(u64, Option<u32>)>, node: u32| {
        let mut has_room = Ok(());
        view.for_each_child(node, &mut |visits, child| {
            let more = waiting.try_reserve(1);
            if more.is_err() {
                has_room = more;
            } else if visits >= min_visits {
                waiting.push((visits, child));
            }
        });
        has_room
    };
    expand(&mut waiting, view.root())?;
    let (mut least, mut alike) = (u64::MAX, 0);
    for _ in 0..most {
        let Some((visits, child)) = waiting.pop() else {
            return Ok(None);
        };
        if visits < least {
            (least, alike) = (visits, 0);
        }
        alike += 1;
        // An unvisited edge has no subtree.
        if let Some(child) = child.filter(|_| visits > 0) {
            expand(&mut waiting, child)?;
        }
    }
    Ok(waiting.pop().map(|_| (least, alike)))
}

/// Room for the names of a row.
#[derive(Default)]
struct NameBuffers {
    move_name: String,
    state: String,
}

struct RowWriter<'a, G: Game> {
    view: &'a dyn TreeView<G>,
    options: &'a SnapshotOptions,
    builder: TreeBuilder,
    extra: Vec<Extra>,
    /// The priors of the rows up to the last that has one; not a number where there is none.
    priors: Vec<f64>,
    /// The least and the greatest margin that is left to the player who moved, row by row; empty if the search proves none.
    margins: Vec<[i32; 2]>,
    /// What a search of the alpha-beta family found, row by row; empty for other searches.
    windows: WindowColumns,
    /// In a graph, the row (counted from 1) under which each node is expanded.
    expanded_rows: HashMap<u32, usize>,
    saturated: bool,
    names: NameBuffers,
}

impl<G: Searchable + Notation> RowWriter<'_, G> {
    fn counter(&mut self, counter: u64) -> i32 {
        let (counter, was_too_large) = saturate_counter(counter);
        self.saturated |= was_too_large;
        counter
    }

    /// Takes in the prior of the last row, if there is one.
    fn push_prior(&mut self, prior: Option<f64>) -> Result<(), String> {
        if let Some(prior) = prior {
            let row = self.builder.len() - 1;
            self.priors
                .try_reserve(row + 1 - self.priors.len())
                .map_err(out_of_memory_message)?;
            self.priors.resize(row, f64::NAN);
            self.priors.push(prior);
        }
        Ok(())
    }

    /// Takes in the bounds of the last row's margin, if the search proves margins: the search's or, where they are tighter, those
    /// that the position itself has.
    fn push_margins(
        &mut self,
        node: Option<u32>,
        position: &G,
        mover: Player,
    ) -> Result<(), String> {
        let known = node.and_then(|node| self.view.margin_bounds(node));
        let (Some([lower, upper]), Some([least, most])) = (known, position.margin_bounds()) else {
            return Ok(());
        };
        let (lower, upper) = (lower.max(least), upper.min(most));
        self.margins.try_reserve(1).map_err(out_of_memory_message)?;
        self.margins.push(match mover {
            Player::First => [lower, upper],
            Player::Second => [-upper, -lower],
        });
        Ok(())
    }

    /// The columns of all rows.
    fn columns(&mut self) -> Result<Columns, String> {
        let rows = self.builder.len();
        let mut columns = Vec::new();
        let mut push = |name: &str, values| {
            columns.push(Column {
                name: name.to_owned(),
                unit: String::new(),
                labels: Vec::new(),
                values,
            });
        };
        let mut priors = std::mem::take(&mut self.priors);
        if !priors.is_empty() {
            priors
                .try_reserve(rows - priors.len())
                .map_err(out_of_memory_message)?;
            priors.resize(rows, f64::NAN);
            push("prior", ColumnValues::F64(priors));
        }
        let margins = std::mem::take(&mut self.margins);
        if margins.len() == rows {
            let column = |bound: fn(&[i32; 2]) -> i32| {
                let mut values = Vec::new();
                values.try_reserve(rows).map_err(out_of_memory_message)?;
                values.extend(margins.iter().map(bound));
                Ok::<_, String>(ColumnValues::I32(values))
            };
            push("lower", column(|&[lower, _]| lower)?);
            push("upper", column(|&[_, upper]| upper)?);
        }
        columns.append(&mut std::mem::take(&mut self.windows).into_columns(rows));
        if columns.is_empty() {
            return Ok(Columns::default());
        }
        Ok(Columns {
            rows: rows as u64,
            columns,
        })
    }

    fn push_root(&mut self, position: &G, root: &RootMeta, children: usize) -> Result<(), String> {
        let mut state = notation::full_name::<G>(position.rules());
        state.push(' ');
        let _ = position.write_position(notation::Style::Own, &mut state);
        let (visits, second) = (self.counter(root.visits), self.counter(root.second));
        self.builder.push(&TreeRow {
            move_name: "",
            visits,
            second,
            mean: root.mean,
            state: &state,
            children: children as u32,
        })?;
        if self.options.extra {
            let about = self.view.root_edge();
            let frame = self.view.frame(position);
            let seen = Perspective {
                inverted: frame.inverted,
                mover: position.to_move().opponent(),
            };
            // The statistics are in the board's frame already; the root's frame may not be.
            let value = if frame.inverted {
                1.0 - Reward::from_player(seen.mover, root.mean).for_player(Player::First)
            } else {
                Reward::from_player(seen.mover, root.mean).for_player(Player::First)
            };
            self.extra.push(Extra {
                squares: seen.squares(about.squares, value, root.visits),
                node_visits: root.visits,
                table: about.table.map(|entry| seen.table(entry)),
                proven: about.proven.map(|outcome| seen.outcome(outcome)),
                cut: false,
            });
            self.push_margins(Some(self.view.root()), position, seen.mover)?;
            (self.windows)
                .push(about.window, true)
                .map_err(out_of_memory_message)?;
        }
        if self.view.is_graph() {
            self.expanded_rows.insert(self.view.root(), 1);
        }
        Ok(())
    }

    /// Writes down the row of a move, and says in which frame the position after it is kept.
    fn push(
        &mut self,
        before: &G,
        mv: G::Move,
        edge: &EdgeView<G::Move>,
        after: &G,
        shared: Option<usize>,
        children: usize,
    ) -> Result<ReferenceFrame, String> {
        let frame = if self.view.is_graph() {
            self.view.frame(after)
        } else {
            ReferenceFrame::default()
        };
        let seen = Perspective {
            inverted: frame.inverted,
            mover: before.to_move(),
        };
        let mut text = std::mem::take(&mut self.names);
        text.move_name.clear();
        let _ = before.write_move(mv, notation::Style::Own, &mut text.move_name);
        text.state.clear();
        match shared {
            Some(row) => text.state = format!("={row}"),
            None => self.write_state(after, &mut text.state),
        }
        let value = edge.value.for_player(Player::First);
        let (visits, second) = (self.counter(edge.visits), self.counter(edge.recent_visits));
        self.builder.push(&TreeRow {
            move_name: &text.move_name,
            visits,
            second,
            mean: match edge.node_visits {
                0 => self.view.unvisited_mean(),
                _ => seen.mean(value),
            },
            state: &text.state,
            children: children as u32,
        })?;
        self.names = text;
        self.extra
            .try_reserve(usize::from(self.options.extra))
            .map_err(out_of_memory_message)?;
        if self.options.extra {
            self.extra.push(Extra {
                squares: seen.squares(edge.squares, value, edge.node_visits),
                node_visits: edge.node_visits,
                table: edge.table.map(|entry| seen.table(entry)),
                proven: edge.proven.map(|outcome| seen.outcome(outcome)),
                cut: edge.pruned,
            });
            self.push_prior(edge.prior)?;
            self.push_margins(edge.child, after, seen.mover)?;
            (self.windows)
                .push(edge.window, after.to_move() != seen.mover)
                .map_err(out_of_memory_message)?;
        }
        if self.view.is_graph()
            && shared.is_none()
            && let Some(child) = edge.child
        {
            self.expanded_rows
                .try_reserve(1)
                .map_err(out_of_memory_message)?;
            self.expanded_rows.insert(child, self.builder.len());
        }
        Ok(frame)
    }

    fn write_state(&self, position: &G, out: &mut String) {
        out.push_str(match position.outcome() {
            Some(outcome) => outcome.as_str(),
            None if position.to_move() == Player::First => "p1",
            None => "p2",
        });
        if self.options.states {
            out.push(' ');
            let _ = position.write_position(notation::Style::Own, out);
        }
    }
}

/// Converts statistics for the first player of a frame to those of the player who moved, on the board.
struct Perspective {
    inverted: bool,
    mover: Player,
}

impl Perspective {
    fn is_flipped(&self) -> bool {
        self.inverted != (self.mover == Player::Second)
    }

    fn mean(&self, first: f64) -> f64 {
        if self.is_flipped() {
            1.0 - first
        } else {
            first
        }
    }

    fn squares(&self, first: f64, mean: f64, visits: u64) -> f64 {
        if self.is_flipped() {
            // The sum of (1 - x)^2.
            let visits = visits as f64;
            visits - 2.0 * visits * mean + first
        } else {
            first
        }
    }

    fn table(&self, entry: TableEntry) -> ExtraTableEntry {
        ExtraTableEntry {
            visits: entry.visits.into(),
            mean: self.mean(entry.mean),
            squares: self.squares(entry.squares, entry.mean, entry.visits.into()),
        }
    }

    fn outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Win(winner) if self.inverted => Outcome::Win(winner.opponent()),
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::connect_four::{Column, ConnectFour},
        search::RootEdge,
    };

    /// Two ways of three moves to one node, and a move from there that was followed more often than either way.
    struct TransposingGraph(ConnectFour);

    /// Node, move, where it leads to, visits.
    const MOVES: [(u32, u8, u32, u64); 7] = [
        (0, 0, 1, 10),
        (0, 2, 2, 10),
        (1, 1, 3, 10),
        (2, 1, 4, 10),
        (3, 2, 5, 6),
        (4, 0, 5, 6),
        (5, 3, 6, 12),
    ];

    impl TreeView<ConnectFour> for TransposingGraph {
        fn root_position(&self) -> &ConnectFour {
            &self.0
        }

        fn root(&self) -> u32 {
            0
        }

        fn root_stats(&self) -> (u64, u64, Reward) {
            (20, 20, Reward::EVEN)
        }

        fn frame(&self, _: &ConnectFour) -> ReferenceFrame {
            ReferenceFrame::default()
        }

        fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<Column>)) {
            for (_, column, child, visits) in MOVES.into_iter().filter(|mv| mv.0 == node) {
                visit(EdgeView {
                    mv: Column(column),
                    child: Some(child),
                    visits,
                    recent_visits: visits,
                    node_visits: visits,
                    value: Reward::EVEN,
                    proven: None,
                    pruned: false,
                    prior: None,
                    squares: f64::NAN,
                    table: None,
                    window: None,
                });
            }
        }

        fn is_graph(&self) -> bool {
            true
        }

        fn root_edge(&self) -> RootEdge {
            RootEdge::default()
        }
    }

    #[test]
    fn a_graph_gives_as_many_rows_as_are_wanted() {
        let view = TransposingGraph(ConnectFour::start(()));
        for count in 1..=8 {
            let wanted = SnapshotOptions {
                max_nodes: Some(count),
                ..SnapshotOptions::default()
            };
            let taken = take(&view, &wanted).unwrap();
            assert_eq!(taken.tree.nodes().len() as u64, count);
            assert_eq!(taken.cut.left_out, 8 - count);
        }
    }
}
