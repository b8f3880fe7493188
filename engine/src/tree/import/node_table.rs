//! The nodes found in another program's file, in any order, and the tree they make.

use std::collections::HashMap;

use super::{
    super::{
        TreeBuilder, TreeError, TreeRow,
        columns::{Column, ColumnValues, Columns},
        files::{Document, saturate_counter},
        meta::{self, Meta, RootMeta},
    },
    json::Scalar,
    mapping::{Field, Mapping, ValueFor, ValueRange, scalar_text},
};

/// The most nodes that are read.
pub const MAX_NODES: usize = 50_000_000;
/// The most columns that a tree has; the prior is one.
const MAX_COLUMNS: usize = 64;

/// The nodes of a file.
#[derive(Debug, Default)]
pub struct NodeTable {
    nodes: Vec<FoundNode>,
    /// Other numbers of the nodes, by name; not a number where a node has none.
    columns: Vec<(String, Vec<f64>)>,
    column_by_name: HashMap<String, usize>,
    /// Names of numbers that found no place among the columns.
    left_out: Vec<String>,
    /// Edges to nodes that have another parent.
    shared: Vec<SharedEdge>,
}

#[derive(Debug, Default)]
struct FoundNode {
    parent: Option<u32>,
    /// The line it begins in.
    line: u64,
    mv: Box<str>,
    state: Box<str>,
    visits: Option<f64>,
    value: Option<f64>,
    sum: Option<f64>,
}

/// A second way to a node.
#[derive(Debug)]
struct SharedEdge {
    from: u32,
    to: u32,
    mv: Box<str>,
    visits: Option<f64>,
}

impl NodeTable {
    /// Adds a node that begins in this line.
    pub fn add(&mut self, parent: Option<u32>, line: u64) -> Result<u32, TreeError> {
        if self.nodes.len() >= MAX_NODES {
            let problem = format!("more than {MAX_NODES} nodes: expected a smaller tree");
            return Err(TreeError::at_line(line, problem));
        }
        self.nodes.push(FoundNode {
            parent,
            line,
            ..FoundNode::default()
        });
        Ok(self.nodes.len() as u32 - 1)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether a node has a parent.
    pub fn has_parent(&self, node: u32) -> bool {
        (self.nodes.get(node as usize)).is_some_and(|node| node.parent.is_some())
    }

    /// Sets the parent of a node.
    pub fn set_parent(&mut self, node: u32, parent: u32) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.parent = Some(parent);
        }
    }

    /// Adds a second way to a node that has a parent.
    pub fn add_shared_edge(&mut self, from: u32, to: u32, mv: &str, visits: Option<f64>) {
        let mv = mv.into();
        self.shared.push(SharedEdge {
            from,
            to,
            mv,
            visits,
        });
    }

    /// Sets the move into a node.
    pub fn set_move(&mut self, node: u32, mv: &str) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.mv = mv.into();
        }
    }

    /// Whether a node has a move.
    pub fn has_move(&self, node: u32) -> bool {
        (self.nodes.get(node as usize)).is_some_and(|node| !node.mv.is_empty())
    }

    /// Sets a field of a node; ids and parents are the readers' business.
    pub fn set(
        &mut self,
        node: u32,
        key: &str,
        field: Option<Field>,
        value: Scalar,
        line: u64,
    ) -> Result<(), TreeError> {
        let number = |value: &Scalar| match value {
            Scalar::Number(number) => Ok(Some(*number).filter(|number| !number.is_nan())),
            Scalar::Null => Ok(None),
            other => {
                let shown = scalar_text(other.clone()).unwrap_or_default();
                let problem = format!("{key:?} is {shown:?}: expected a number");
                Err(TreeError::at_line(line, problem))
            }
        };
        let finite = |found: Option<f64>| match found {
            Some(found) if !found.is_finite() => Err(TreeError::at_line(
                line,
                format!("{key:?} is {found}: expected a finite number"),
            )),
            found => Ok(found),
        };
        let Some(found) = self.nodes.get_mut(node as usize) else {
            return Ok(());
        };
        match field {
            Some(Field::Move) => found.mv = scalar_text(value).unwrap_or_default().into(),
            Some(Field::State) => found.state = scalar_text(value).unwrap_or_default().into(),
            Some(Field::Visits) => {
                let visits = finite(number(&value)?)?;
                if visits.is_some_and(|visits| visits < 0.0) {
                    let problem = format!("{key:?} is below 0: expected a number of visits");
                    return Err(TreeError::at_line(line, problem));
                }
                found.visits = visits;
            }
            Some(Field::Value) => found.value = finite(number(&value)?)?,
            Some(Field::Sum) => found.sum = finite(number(&value)?)?,
            Some(Field::Prior) => {
                let prior = number(&value)?;
                self.set_column(node, "prior", prior);
            }
            // A name will do where there is no move.
            Some(Field::Id) if found.mv.is_empty() => {
                found.mv = scalar_text(value).unwrap_or_default().into();
            }
            Some(Field::Children | Field::Id | Field::Parent) => {}
            None => match value {
                Scalar::Number(number) => self.set_column(node, key, Some(number)),
                Scalar::Bool(flag) => self.set_column(node, key, Some(f64::from(u8::from(flag)))),
                Scalar::Text(_) | Scalar::Null => {}
            },
        }
        Ok(())
    }

    fn set_column(&mut self, node: u32, key: &str, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            return;
        };
        let name: String = key.chars().take(100).collect();
        let column = match self.column_by_name.get(&name) {
            Some(&column) => column,
            None if name.is_empty() => return,
            None if self.columns.len() >= MAX_COLUMNS => {
                if self.left_out.len() < MAX_COLUMNS && !self.left_out.contains(&name) {
                    self.left_out.push(name);
                }
                return;
            }
            None => {
                self.columns.push((name.clone(), Vec::new()));
                self.column_by_name.insert(name, self.columns.len() - 1);
                self.columns.len() - 1
            }
        };
        if let Some((_, values)) = self.columns.get_mut(column) {
            let row = node as usize;
            if values.len() <= row {
                values.resize(row + 1, f64::NAN);
            }
            values
                .get_mut(row)
                .into_iter()
                .for_each(|slot| *slot = value);
        }
    }

    /// The tree that the nodes make: there must be one root, from which all can be reached.
    pub fn finish(self, mapping: &Mapping) -> Result<Document, TreeError> {
        let root = self.only_root()?;
        let outline = Outline::of(&self, root)?;
        let values = self.values(mapping, &outline);
        let visits = self.visits(&outline);
        let mut builder = TreeBuilder::default();
        let mut is_saturated = false;
        let mut root_meta = RootMeta::default();
        let root_state = root_state(self.nodes.get(root as usize), mapping);
        for (row, entry) in outline.rows.iter().enumerate() {
            let is_root = row == 0;
            let shared_state;
            let (mv, state, children, count, mean) = match *entry {
                OutlineRow::Node(node) => {
                    let Some(found) = self.nodes.get(node as usize) else {
                        continue;
                    };
                    let state: &str = if is_root { &root_state } else { &found.state };
                    let mean = values.mean.get(node as usize).copied().unwrap_or(0.5);
                    let count = visits.get(node as usize).copied().unwrap_or(0);
                    let children = outline.children.get(node as usize).copied().unwrap_or(0);
                    (&*found.mv, state, children, count, mean)
                }
                OutlineRow::Shared(edge) => {
                    let Some(edge) = self.shared.get(edge as usize) else {
                        continue;
                    };
                    let target = outline.row_of.get(edge.to as usize).copied().unwrap_or(0);
                    shared_state = format!("={}", target + 1);
                    let mean = values.mean.get(edge.to as usize).copied().unwrap_or(0.5);
                    let all = visits.get(edge.to as usize).copied().unwrap_or(0);
                    let count = edge.visits.map_or(all, |visits| visits as u64);
                    (&*edge.mv, shared_state.as_str(), 0, count, mean)
                }
            };
            let (clamped, is_clamped) = saturate_counter(count);
            is_saturated |= is_clamped;
            if is_root {
                root_meta = RootMeta {
                    visits: count,
                    second: count,
                    mean,
                };
            }
            let row = TreeRow {
                move_name: if is_root { "" } else { mv },
                visits: clamped,
                second: clamped,
                mean,
                state,
                children,
            };
            builder
                .push(&row)
                .map_err(|problem| TreeError::at_line(1, problem))?;
        }
        let tree = builder
            .finish()
            .map_err(|problem| TreeError::at_line(1, problem))?;
        let columns = self.ordered_columns(&outline);
        let mut parameters = std::collections::BTreeMap::new();
        if !self.has(|node| node.visits) {
            parameters.insert("visits".to_owned(), "nodes".to_owned());
        }
        if !self.has(|node| node.value.or(node.sum)) {
            parameters.insert("mean".to_owned(), "none".to_owned());
        }
        if !self.shared.is_empty() {
            parameters.insert("store".to_owned(), "graph".to_owned());
        }
        if values.is_signed {
            parameters.insert("values".to_owned(), "-1..1".to_owned());
        }
        let meta = Meta {
            format: meta::FORMAT_VERSION,
            is_final: true,
            game: mapping.game.clone().unwrap_or_default(),
            position: mapping.position.clone().unwrap_or_default(),
            search: mapping
                .search
                .clone()
                .unwrap_or_else(|| "import".to_owned()),
            parameters,
            nodes: self.nodes.len() as u64,
            root: root_meta,
            formula: mapping.formula.clone(),
            saturated: is_saturated,
            ..Meta::default()
        };
        let problems = match self.left_out.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "more than {MAX_COLUMNS} numbers a node: left out {}",
                self.left_out.join(", ")
            )],
        };
        Ok(Document {
            tree,
            meta: Some(meta),
            extra: None,
            columns: (!columns.columns.is_empty()).then_some(columns),
            problems,
        })
    }

    fn has(&self, field: impl Fn(&FoundNode) -> Option<f64>) -> bool {
        self.nodes.iter().any(|node| field(node).is_some())
    }

    fn only_root(&self) -> Result<u32, TreeError> {
        let mut roots = (0..)
            .zip(&self.nodes)
            .filter(|(_, node)| node.parent.is_none());
        let Some((root, found)) = roots.next() else {
            let problem = match self.nodes.is_empty() {
                true => "there is no node",
                false => "there is no root: every node has a parent",
            };
            return Err(TreeError::at_line(1, problem));
        };
        if let Some((_, second)) = roots.next() {
            let problem = format!(
                "a second node without a parent; the first is in line {}: expected one root",
                found.line
            );
            return Err(TreeError::at_line(second.line, problem));
        }
        Ok(root)
    }

    /// Means of all nodes as our files have them: from 0 to 1, for the player who made the move.
    fn values(&self, mapping: &Mapping, outline: &Outline) -> Values {
        let raw = |node: &FoundNode| {
            let mean = || match (node.sum, node.visits) {
                (Some(sum), Some(visits)) if visits > 0.0 => Some(sum / visits),
                _ => None,
            };
            node.value.or_else(mean)
        };
        let is_signed = match mapping.range {
            ValueRange::Signed => true,
            ValueRange::Unit => false,
            ValueRange::Auto => {
                let all = || self.nodes.iter().filter_map(raw);
                all().any(|value| value < 0.0) && all().all(|value| (-1.0..=1.0).contains(&value))
            }
        };
        let mean = |(index, node): (usize, &FoundNode)| {
            let Some(value) = raw(node) else { return 0.5 };
            let depth = outline.depths.get(index).copied().unwrap_or(0);
            let is_flipped = match mapping.value_for {
                ValueFor::Mover => false,
                ValueFor::ToMove => true,
                ValueFor::Root => depth % 2 == 0,
            };
            match (is_signed, is_flipped) {
                (true, false) => (value + 1.0) / 2.0,
                (true, true) => (1.0 - value) / 2.0,
                (false, false) => value,
                (false, true) => 1.0 - value,
            }
        };
        Values {
            mean: self.nodes.iter().enumerate().map(mean).collect(),
            is_signed,
        }
    }

    /// Visits of all nodes: as the file has them; where no node has any, the nodes at and below.
    fn visits(&self, outline: &Outline) -> Vec<u64> {
        if self.has(|node| node.visits) {
            let visits = |node: &FoundNode| node.visits.map_or(0, |visits| visits.round() as u64);
            let mut all: Vec<u64> = self.nodes.iter().map(visits).collect();
            // A root without visits has those of its children.
            if let Some(&OutlineRow::Node(root)) = outline.rows.first()
                && (self.nodes.get(root as usize)).is_some_and(|root| root.visits.is_none())
            {
                let children = self.nodes.iter().zip(&all);
                let children = children.filter(|(node, _)| node.parent == Some(root));
                let sum = children
                    .map(|(_, &visits)| visits)
                    .fold(0, u64::saturating_add);
                all.get_mut(root as usize)
                    .into_iter()
                    .for_each(|slot| *slot = sum);
            }
            return all;
        }
        let mut sizes = vec![1_u64; self.nodes.len()];
        for row in outline.rows.iter().rev() {
            let (from, count) = match *row {
                OutlineRow::Node(node) => {
                    let parent = self.nodes.get(node as usize).and_then(|node| node.parent);
                    (parent, sizes.get(node as usize).copied().unwrap_or(0))
                }
                OutlineRow::Shared(edge) => {
                    let edge = self.shared.get(edge as usize);
                    let to = edge.and_then(|edge| sizes.get(edge.to as usize).copied());
                    (edge.map(|edge| edge.from), to.unwrap_or(0))
                }
            };
            if let Some(slot) = from.and_then(|from| sizes.get_mut(from as usize)) {
                *slot = slot.saturating_add(count);
            }
        }
        sizes
    }

    fn ordered_columns(&self, outline: &Outline) -> Columns {
        let column = |(name, values): &(String, Vec<f64>)| {
            let value = |row: &OutlineRow| {
                let node = match *row {
                    OutlineRow::Node(node) => Some(node),
                    OutlineRow::Shared(edge) => self.shared.get(edge as usize).map(|edge| edge.to),
                };
                let value = node.and_then(|node| values.get(node as usize).copied());
                value.unwrap_or(f64::NAN)
            };
            Column {
                name: name.clone(),
                unit: String::new(),
                labels: Vec::new(),
                values: ColumnValues::F64(outline.rows.iter().map(value).collect()),
            }
        };
        Columns {
            rows: outline.rows.len() as u64,
            columns: self.columns.iter().map(column).collect(),
        }
    }
}

struct Values {
    mean: Vec<f64>,
    is_signed: bool,
}

/// The root's state as our files have it where the game is named, else as the file has it.
fn root_state(root: Option<&FoundNode>, mapping: &Mapping) -> String {
    let found = root.map_or("", |root| &*root.state);
    match &mapping.game {
        Some(game) => {
            let position = mapping.position.as_deref().unwrap_or("startpos");
            format!("{game} {position}")
        }
        None => found.to_owned(),
    }
}

/// A row of the tree: a node, or a second way to one.
#[derive(Clone, Copy, Debug)]
enum OutlineRow {
    Node(u32),
    Shared(u32),
}

/// The nodes in pre-order.
struct Outline {
    rows: Vec<OutlineRow>,
    /// By node: its row, how many rows are its children, and how deep it is.
    row_of: Vec<u32>,
    children: Vec<u32>,
    depths: Vec<u32>,
}

impl Outline {
    fn of(table: &NodeTable, root: u32) -> Result<Self, TreeError> {
        let count = table.nodes.len();
        let mut below: Vec<Vec<OutlineRow>> = vec![Vec::new(); count];
        for (index, node) in (0..).zip(&table.nodes) {
            if let Some(slot) = node
                .parent
                .and_then(|parent| below.get_mut(parent as usize))
            {
                slot.push(OutlineRow::Node(index));
            }
        }
        for (index, edge) in (0..).zip(&table.shared) {
            below
                .get_mut(edge.from as usize)
                .into_iter()
                .for_each(|slot| slot.push(OutlineRow::Shared(index)));
        }
        let mut outline = Self {
            rows: Vec::with_capacity(count + table.shared.len()),
            row_of: vec![u32::MAX; count],
            children: below.iter().map(|below| below.len() as u32).collect(),
            depths: vec![0; count],
        };
        let mut open = vec![(OutlineRow::Node(root), 0)];
        while let Some((row, depth)) = open.pop() {
            let number = outline.rows.len() as u32;
            outline.rows.push(row);
            let OutlineRow::Node(node) = row else {
                continue;
            };
            let node = node as usize;
            outline
                .row_of
                .get_mut(node)
                .into_iter()
                .for_each(|slot| *slot = number);
            outline
                .depths
                .get_mut(node)
                .into_iter()
                .for_each(|slot| *slot = depth);
            let children = below.get_mut(node).map(std::mem::take).unwrap_or_default();
            open.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        }
        let missing = outline.row_of.iter().position(|&row| row == u32::MAX);
        if let Some(node) = missing.and_then(|missing| table.nodes.get(missing)) {
            let problem = "the node cannot be reached from the root: its parents form a cycle";
            return Err(TreeError::at_line(node.line, problem));
        }
        outline.refuse_cycles(table)?;
        Ok(outline)
    }

    /// Refuses second ways that lead back to a node above.
    fn refuse_cycles(&self, table: &NodeTable) -> Result<(), TreeError> {
        if table.shared.is_empty() {
            return Ok(());
        }
        // Nodes all of whose ways have been followed; what is left over lies on a cycle.
        let mut ways: Vec<u32> = table
            .nodes
            .iter()
            .map(|node| u32::from(node.parent.is_some()))
            .collect();
        for edge in &table.shared {
            ways.get_mut(edge.to as usize)
                .into_iter()
                .for_each(|ways| *ways += 1);
        }
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); table.nodes.len()];
        let parents = (0..)
            .zip(&table.nodes)
            .filter_map(|(node, found)| Some((found.parent?, node)));
        for (from, to) in parents.chain(table.shared.iter().map(|edge| (edge.from, edge.to))) {
            targets
                .get_mut(from as usize)
                .into_iter()
                .for_each(|targets| targets.push(to));
        }
        let is_root = |node: &(u32, &FoundNode)| node.1.parent.is_none();
        let mut ready: Vec<u32> = (0..)
            .zip(&table.nodes)
            .filter(is_root)
            .map(|(node, _)| node)
            .collect();
        while let Some(node) = ready.pop() {
            for to in targets
                .get_mut(node as usize)
                .map(std::mem::take)
                .unwrap_or_default()
            {
                if let Some(ways) = ways.get_mut(to as usize) {
                    *ways -= 1;
                    if *ways == 0 {
                        ready.push(to);
                    }
                }
            }
        }
        let left = ways.iter().position(|&ways| ways > 0);
        match left.and_then(|left| table.nodes.get(left)) {
            None => Ok(()),
            Some(node) => Err(TreeError::at_line(
                node.line,
                "the node lies on a cycle: expected a tree, or a graph without cycles",
            )),
        }
    }
}
