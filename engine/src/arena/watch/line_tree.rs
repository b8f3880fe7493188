//! A tree made of lines: their union, each node with the last figures of a line that passed through it.

use std::{collections::HashMap, io};

use super::{
    analysis::{EngineScore, Statement, StatementKind},
    line_board::LineBoard,
};
use crate::{
    games::Player,
    tree::{
        TreeBuilder, TreeRow,
        columns::{Column, ColumnValues, Columns},
        files::saturate_counter,
        meta::{CutMeta, RootMeta},
        snapshot::Snapshot,
    },
};

/// The most nodes of a tree; lines that would add more are left out.
pub const MAX_NODES: usize = 1 << 20;

/// The union of the lines of one search.
pub struct LineTree {
    board: Box<dyn LineBoard>,
    nodes: Vec<LineNode>,
    /// By parent and name of the move.
    by_move: HashMap<(u32, String), u32>,
    /// Set when a line did not fit.
    is_full: bool,
    /// The last line that was told as the best.
    best_line: Vec<String>,
    /// The largest numbers told so far.
    nodes_searched: u64,
    time_ms: u64,
}

/// A move that was named.
#[derive(Clone, Debug, Default)]
struct LineNode {
    children: Vec<u32>,
    name: String,
    state: &'static str,
    /// How many lines passed through it.
    lines: u64,
    /// Visits as the engine counts them.
    visits: Option<u64>,
    /// The last win rate of the player who made the move, at the root of the opponent.
    mean: Option<f64>,
    /// Of the last line.
    figures: LineFigures,
}

/// Figures of the last line through a node; scores are those of the player who made the move.
#[derive(Clone, Copy, Debug, Default)]
struct LineFigures {
    score: Option<f64>,
    mate: Option<f64>,
    depth: Option<f64>,
    seldepth: Option<f64>,
    nodes: Option<f64>,
    time: Option<f64>,
    rank: Option<f64>,
    prior: Option<f64>,
}

/// The columns: name, unit, value of a node.
type ColumnRow = (&'static str, &'static str, fn(&LineFigures) -> Option<f64>);

const COLUMNS: [ColumnRow; 8] = [
    ("score", "cp", |figures| figures.score),
    ("mate", "moves", |figures| figures.mate),
    ("depth", "plies", |figures| figures.depth),
    ("seldepth", "plies", |figures| figures.seldepth),
    ("nodes", "", |figures| figures.nodes),
    ("time", "ms", |figures| figures.time),
    ("rank", "", |figures| figures.rank),
    ("prior", "", |figures| figures.prior),
];

impl LineFigures {
    /// Takes over what a statement says; a bound does not replace a score.
    fn update(&mut self, statement: &Statement, is_by_root_player: bool, is_first_move: bool) {
        let sign = if is_by_root_player { 1.0 } else { -1.0 };
        let keep = |new: Option<f64>, old: &mut Option<f64>| *old = new.or(*old);
        if !(statement.is_bound && (self.score.is_some() || self.mate.is_some())) {
            match statement.score {
                Some(EngineScore::Centipawns(score)) => {
                    (self.score, self.mate) = (Some(sign * f64::from(score)), None);
                }
                Some(EngineScore::Mate(moves)) => {
                    (self.score, self.mate) = (None, Some(sign * f64::from(moves)));
                }
                _ => {}
            }
        }
        keep(statement.depth.map(f64::from), &mut self.depth);
        keep(statement.seldepth.map(f64::from), &mut self.seldepth);
        keep(statement.nodes.map(|nodes| nodes as f64), &mut self.nodes);
        keep(statement.time_ms.map(|time| time as f64), &mut self.time);
        if is_first_move {
            keep(statement.multipv.map(f64::from), &mut self.rank);
            keep(statement.prior, &mut self.prior);
        }
    }
}

impl LineTree {
    /// The tree of a search on this board, of which nothing is known yet.
    pub fn new(board: Box<dyn LineBoard>) -> Self {
        Self {
            board,
            nodes: vec![LineNode::default()],
            by_move: HashMap::new(),
            is_full: false,
            best_line: Vec::new(),
            nodes_searched: 0,
            time_ms: 0,
        }
    }

    /// The board of the root.
    pub fn board(&self) -> &dyn LineBoard {
        &*self.board
    }

    /// Whether nothing but the root is in it.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// Whether the engine tells visits of the root's moves; else visits are lines.
    pub fn has_visits(&self) -> bool {
        self.nodes.iter().any(|node| node.visits.is_some())
    }

    /// Whether lines were left out because there are too many.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The last line that was told as the best, in our names.
    pub fn best_line(&self) -> &[String] {
        &self.best_line
    }

    /// Positions or playouts, and milliseconds, as last told.
    pub fn totals(&self) -> (u64, u64) {
        (self.nodes_searched, self.time_ms)
    }

    /// Adds what an engine said. Returns whether its first move was understood.
    pub fn add(&mut self, statement: &Statement) -> bool {
        let steps = self.board.walk(&statement.moves);
        if steps.is_empty() {
            return false;
        }
        self.nodes_searched = self.nodes_searched.max(statement.nodes.unwrap_or(0));
        self.time_ms = self.time_ms.max(statement.time_ms.unwrap_or(0));
        let is_line = statement.kind == StatementKind::Line;
        let is_best = is_line && statement.multipv.is_none_or(|rank| rank == 1);
        let rate = statement.win_rate();
        if let Some(root) = self.nodes.first_mut() {
            root.lines += u64::from(is_line);
            if is_best
                && let Some(rate) = rate.filter(|_| !statement.is_bound || root.mean.is_none())
            {
                root.mean = Some(1.0 - rate);
                root.figures.update(statement, false, false);
            }
        }
        let mut parent = 0;
        for (index, step) in steps.iter().enumerate() {
            let Some(at) = self.child(parent, &step.name, step.state) else {
                break;
            };
            let is_first_move = index == 0;
            let Some(node) = self.nodes.get_mut(at as usize) else {
                break;
            };
            parent = at;
            node.lines += u64::from(is_line);
            if is_first_move && statement.visits.is_some() {
                node.visits = statement.visits;
            }
            if statement.kind == StatementKind::CurrentMove {
                continue;
            }
            if let Some(rate) = rate.filter(|_| !statement.is_bound || node.mean.is_none()) {
                let mean = if step.is_by_root_player {
                    rate
                } else {
                    1.0 - rate
                };
                node.mean = Some(mean);
            }
            (node.figures).update(statement, step.is_by_root_player, is_first_move);
        }
        if is_best {
            self.best_line = steps.into_iter().map(|step| step.name).collect();
        }
        true
    }

    /// The child of a node by that move, made if it is new; none if the tree is full.
    fn child(&mut self, parent: u32, name: &str, state: &'static str) -> Option<u32> {
        if let Some(&known) = self.by_move.get(&(parent, name.to_owned())) {
            return Some(known);
        }
        if self.nodes.len() >= MAX_NODES {
            self.is_full = true;
            return None;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(LineNode {
            name: name.to_owned(),
            state,
            ..LineNode::default()
        });
        self.nodes.get_mut(parent as usize)?.children.push(number);
        self.by_move.insert((parent, name.to_owned()), number);
        Some(number)
    }

    /// Visits of every node: those that the engine tells of the root's moves, else the lines that passed through it, as far as those
    /// of the parent reach.
    fn visits(&self) -> Vec<u64> {
        let mut visits = vec![0; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            let children = || {
                let children = node.children.iter().map(|&child| child as usize);
                children.filter_map(|child| Some((child, self.nodes.get(child)?)))
            };
            if index == 0 {
                let mut all = 0;
                for (child, node) in children() {
                    let own = node.visits.unwrap_or(node.lines);
                    all += own;
                    visits
                        .get_mut(child)
                        .into_iter()
                        .for_each(|slot| *slot = own);
                }
                let lines = node.lines;
                visits
                    .first_mut()
                    .into_iter()
                    .for_each(|slot| *slot = all.max(lines));
                continue;
            }
            let mut left = visits.get(index).copied().unwrap_or(0);
            for (child, node) in children() {
                let own = node.lines.min(left);
                left -= own;
                visits
                    .get_mut(child)
                    .into_iter()
                    .for_each(|slot| *slot = own);
            }
        }
        visits
    }

    /// The tree as it is written.
    pub fn snapshot(&self) -> io::Result<Snapshot> {
        let visits = self.visits();
        let root_facts = self.board.root();
        let root_state = format!("{} {}", root_facts.game, root_facts.position);
        let mut builder = TreeBuilder::default();
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut is_saturated = false;
        let mut open = vec![0_u32];
        while let Some(index) = open.pop() {
            let Some(node) = self.nodes.get(index as usize) else {
                continue;
            };
            order.push(index as usize);
            open.extend(node.children.iter().rev());
            let count = visits.get(index as usize).copied().unwrap_or(0);
            // Without a score there is no mean, and with no mean no visits.
            let known = if node.mean.is_some() { count } else { 0 };
            let (count, is_clamped) = saturate_counter(known);
            is_saturated |= is_clamped;
            let row = TreeRow {
                move_name: &node.name,
                visits: count,
                second: count,
                mean: node.mean.unwrap_or(0.0),
                state: if index == 0 { &root_state } else { node.state },
                children: node.children.len() as u32,
            };
            builder.push(&row).map_err(io::Error::other)?;
        }
        let root_visits = match self.nodes.first() {
            Some(root) if root.mean.is_some() => visits.first().copied().unwrap_or(0),
            _ => 0,
        };
        Ok(Snapshot {
            tree: builder.finish().map_err(io::Error::other)?,
            extra: Vec::new(),
            columns: self.columns(&order),
            root: RootMeta {
                visits: root_visits,
                second: root_visits,
                mean: self.nodes.first().and_then(|root| root.mean).unwrap_or(0.0),
            },
            cut: CutMeta::default(),
            saturated: is_saturated,
        })
    }

    fn columns(&self, order: &[usize]) -> Columns {
        let mut columns = Vec::new();
        for (name, unit, value) in COLUMNS {
            let of = |index: &usize| {
                let node = self.nodes.get(*index);
                node.and_then(|node| value(&node.figures))
                    .unwrap_or(f64::NAN)
            };
            let values: Vec<f64> = order.iter().map(of).collect();
            if values.iter().any(|value| !value.is_nan()) {
                columns.push(Column {
                    name: name.to_owned(),
                    unit: unit.to_owned(),
                    labels: Vec::new(),
                    values: ColumnValues::F64(values),
                });
            }
        }
        Columns {
            rows: order.len() as u64,
            columns,
        }
    }

    /// Who is to move at the root as STEM.json writes it.
    pub fn to_move(&self) -> u8 {
        match self.board.root().to_move {
            Some(Player::First) => 1,
            Some(Player::Second) => 2,
            None => 0,
        }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;
    use crate::arena::watch::{
        analysis,
        line_board::{self, RootPosition},
    };

    fn tree_of(game: &str, lines: &[&str]) -> LineTree {
        let (board, _) = line_board::open(game, &RootPosition::default());
        let mut tree = LineTree::new(board);
        for line in lines {
            for statement in analysis::parse(line, false) {
                tree.add(&statement);
            }
        }
        tree
    }

    /// The rows as `move visits mean`.
    fn rows(tree: &LineTree) -> Vec<String> {
        let snapshot = tree.snapshot().unwrap_or_else(|error| panic!("{error}"));
        let tree = &snapshot.tree;
        let row = |(row, node): (usize, &crate::tree::TreeNode)| {
            format!("{} {} {:.2}", tree.move_name(row), node.visits, node.mean)
        };
        tree.nodes().iter().enumerate().map(row).collect()
    }

    #[test]
    fn lines_become_their_union_with_the_last_score() {
        let tree = tree_of(
            "chess",
            &[
                "info depth 1 score cp 400 pv e2e4",
                "info depth 2 score cp -400 pv e2e4 e7e5",
                "info depth 3 score cp 0 pv d2d4 d7d5 c2c4",
            ],
        );
        assert_eq!(
            rows(&tree),
            [
                " 3 0.50",
                "e2e4 2 0.09",
                "e7e5 1 0.91",
                "d2d4 1 0.50",
                "d7d5 1 0.50",
                "c2c4 1 0.50"
            ]
        );
        assert_eq!(tree.best_line(), ["d2d4", "d7d5", "c2c4"]);
        let snapshot = tree.snapshot().unwrap_or_else(|error| panic!("{error}"));
        let score = snapshot
            .columns
            .find("score")
            .map(|score| (score.value(1), score.value(2)));
        assert_eq!(score, Some((-400.0, 400.0)));
        let depth = snapshot.columns.find("depth").map(|depth| depth.value(1));
        assert_eq!(depth, Some(2.0));
    }

    #[test]
    fn visits_are_the_engines_own_where_it_tells_them() {
        let tree = tree_of(
            "go",
            &[
                "info move D4 visits 300 winrate 5000 order 0 pv D4 Q16 info move Q4 visits 1 winrate 2500 order 1 pv Q4 D4",
                "info move D4 visits 900 winrate 6000 order 0 pv D4 Q16 info move Q4 visits 1 winrate 2500 order 1 pv Q4 D4",
            ],
        );
        assert_eq!(
            rows(&tree),
            [
                " 901 0.40",
                "D4 900 0.60",
                "Q16 2 0.40",
                "Q4 1 0.25",
                "D4 1 0.75"
            ]
        );
    }

    #[test]
    fn a_move_that_is_being_searched_is_a_node_without_figures() {
        let tree = tree_of("chess", &["info depth 5 currmove g1f3 currmovenumber 2"]);
        assert_eq!(rows(&tree), [" 0 0.00", "g1f3 0 0.00"]);
    }

    #[test]
    fn a_bound_does_not_replace_a_score() {
        let tree = tree_of(
            "chess",
            &[
                "info score cp 0 pv e2e4",
                "info score cp 900 lowerbound pv e2e4",
            ],
        );
        assert_eq!(rows(&tree)[1], "e2e4 2 0.50");
    }
}
