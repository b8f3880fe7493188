//! Search trees as plain data, and their files.
//!
//! The format half knows nothing of searches: [`Tree`] is a list of rows in pre-order, [`binary`] and [`csv`] are report
//! 000's two formats, [`meta`], [`extra`] and [`columns`] are the files that stand beside them, [`growth`] is the journal of how a tree
//! grew, [`summary`] looks for what does not add up, [`files`] picks the format by a file's name. The export half is
//! [`snapshot`], which turns a search's tree into rows, [`growth_recorder`], which writes a search's growth records, [`replay`],
//! which rebuilds a tree from its journal, [`replay_reader`], which replays a journal without knowing the game's type, with an
//! [`index`] where it is too large for memory, [`import`] and [`export`] are for the formats of other programs, and [`writer`], which puts files into a directory whole or not at all. protocol.md
//! says what is in each file.

// Input comes from other programs and files: no text or file may end the process.
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::indexing_slicing))]

use std::{collections::TryReserveError, fmt, io};

pub mod binary;
pub mod columns;
pub mod confinement;
pub mod csv;
pub mod export;
pub mod expression;
pub mod extra;
pub mod files;
pub mod growth;
mod growth_builder;
pub mod growth_recorder;
mod id_map;
pub mod import;
pub mod index;
pub mod meta;
pub mod replay;
pub mod replay_reader;
pub mod retention;
pub mod snapshot;
pub mod summary;
mod window_columns;
pub mod writer;

/// One node of a tree: a row of a file.
#[derive(Clone, Copy, Debug)]
pub struct TreeNode {
    /// Visits of the edge into the node.
    pub visits: i32,
    /// The second counter: visits in this search alone.
    pub second: i32,
    /// The mean reward, for the player who made the move.
    pub mean: f64,
    /// Number of children; their subtrees follow in pre-order.
    pub children: u32,
    /// The row of its parent, counted from 0; the root is its own parent.
    pub parent: u32,
    move_name: NameSpan,
    state: NameSpan,
}

/// Where a name stands in the text of all names.
#[derive(Clone, Copy, Debug, Default)]
struct NameSpan {
    start: u32,
    len: u32,
}

/// A tree: its nodes in depth-first pre-order, the root first. There is always a root.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    names: String,
}

impl Tree {
    /// The tree with these rows, in pre-order; an error if one is not sound or some are missing.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = TreeRow<'a>>) -> Result<Self, String> {
        let mut builder = TreeBuilder::default();
        for row in rows {
            builder.push(&row)?;
        }
        builder.finish()
    }

    /// The rows.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The name of the move into a node; empty at the root.
    #[expect(clippy::indexing_slicing, reason = "rows are those of this tree")]
    pub fn move_name(&self, row: usize) -> &str {
        self.name(self.nodes[row].move_name)
    }

    /// The name of a node's state.
    #[expect(clippy::indexing_slicing, reason = "rows are those of this tree")]
    pub fn state(&self, row: usize) -> &str {
        self.name(self.nodes[row].state)
    }

    /// A row as builders take it.
    #[expect(clippy::indexing_slicing, reason = "rows are those of this tree")]
    pub fn row(&self, row: usize) -> TreeRow<'_> {
        let node = &self.nodes[row];
        TreeRow {
            move_name: self.move_name(row),
            visits: node.visits,
            second: node.second,
            mean: node.mean,
            state: self.state(row),
            children: node.children,
        }
    }

    fn name(&self, name: NameSpan) -> &str {
        &self.names[name.start as usize..(name.start + name.len) as usize]
    }

    /// The number of rows of each node's subtree, itself included: the children of row r begin at r + 1, and a child's next
    /// sibling is one subtree size further.
    #[expect(
        clippy::indexing_slicing,
        reason = "parents stand before their children: `TreeBuilder` sees to it"
    )]
    pub fn subtree_sizes(&self) -> Vec<u32> {
        let mut sizes = vec![1; self.nodes.len()];
        for row in (1..self.nodes.len()).rev() {
            sizes[self.nodes[row].parent as usize] += sizes[row];
        }
        sizes
    }

    /// The children of a row, `sizes` being [`Self::subtree_sizes`].
    #[expect(clippy::indexing_slicing, reason = "rows are those of this tree")]
    pub fn children<'a>(
        &'a self,
        row: usize,
        sizes: &'a [u32],
    ) -> impl Iterator<Item = usize> + 'a {
        let mut next = row + 1;
        (0..self.nodes[row].children).map(move |_| {
            let child = next;
            next += sizes[child] as usize;
            child
        })
    }

    /// The bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<TreeNode>() + self.names.capacity()
    }

    /// The root's visits, second counter and mean, derived from its children. The mean is that of the opponent of the player
    /// who chooses among them. It is 0 if some child's mean is no reward from 0 to 1.
    #[expect(clippy::indexing_slicing, reason = "children are rows of this tree")]
    pub fn root_stats_from_children(&self) -> (i32, i32, f64) {
        let (mut visits, mut second, mut sum, mut are_rewards) = (0_i64, 0_i64, 0.0, true);
        let sizes = self.subtree_sizes();
        for child in self.children(0, &sizes) {
            let child = &self.nodes[child];
            visits += i64::from(child.visits.max(0));
            second += i64::from(child.second.max(0));
            if child.visits > 0 {
                sum += f64::from(child.visits) * child.mean;
                are_rewards &= (0.0..=1.0).contains(&child.mean);
            }
        }
        let mean = if visits > 0 && are_rewards {
            1.0 - sum / visits as f64
        } else {
            0.0
        };
        let counter = |count: i64| i32::try_from(count).unwrap_or(i32::MAX);
        (counter(visits), counter(second), mean)
    }

    /// Sets the root's statistics, which `.tree` files lack.
    #[expect(clippy::indexing_slicing, reason = "there is always a root")]
    pub fn set_root_stats(&mut self, visits: i32, second: i32, mean: f64) {
        let root = &mut self.nodes[0];
        (root.visits, root.second, root.mean) = (visits, second, mean);
    }
}

/// Equal in every column of every row; means that are not numbers are equal if their bits are.
impl PartialEq for Tree {
    #[expect(clippy::indexing_slicing, reason = "both trees have as many rows")]
    fn eq(&self, other: &Self) -> bool {
        let figures =
            |node: &TreeNode| (node.visits, node.second, node.mean.to_bits(), node.children);
        self.nodes.len() == other.nodes.len()
            && (0..self.nodes.len()).all(|row| {
                figures(&self.nodes[row]) == figures(&other.nodes[row])
                    && self.move_name(row) == other.move_name(row)
                    && self.state(row) == other.state(row)
            })
    }
}

/// A row to be added to a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeRow<'a> {
    /// The name of the move.
    pub move_name: &'a str,
    /// Visits.
    pub visits: i32,
    /// The second counter.
    pub second: i32,
    /// The mean reward.
    pub mean: f64,
    /// The name of the state.
    pub state: &'a str,
    /// Number of children among the following rows.
    pub children: u32,
}

impl<'a> TreeRow<'a> {
    /// A row of a search by simulations: every visit counts once, and the state has no name.
    pub fn new(move_name: &'a str, visits: i32, mean: f64, children: u32) -> Self {
        Self {
            move_name,
            visits,
            second: visits,
            mean,
            children,
            ..Self::default()
        }
    }
}

/// Puts a tree together, row by row in pre-order.
pub struct TreeBuilder {
    nodes: Vec<TreeNode>,
    names: String,
    /// Nodes with children to come, and their number.
    open: Vec<(u32, u32)>,
    /// Names seen lately, by a hash: most names are seen again and again.
    recent_names: Vec<NameSpan>,
    /// Set if only the most visited part is kept.
    prune: Option<PruneState>,
}

/// Decides which rows a [`TreeBuilder`] leaves out.
struct PruneState {
    /// Memory limit in bytes, and the bytes a node counts as, without its names.
    bytes: usize,
    node_bytes: usize,
    /// Rows with fewer visits are left out, with all below them.
    min_visits: i32,
    /// Rows pushed so far, and the row of every kept node.
    rows_seen: u32,
    kept_rows: Vec<u32>,
}

/// Nothing: in place of a node that was left out.
const OMITTED: u32 = u32::MAX;

/// A tree of which some rows may be left out.
#[derive(Clone, Debug)]
pub struct TreePart {
    /// The tree.
    pub tree: Tree,
    /// By node: its row in the whole tree, if something was left out.
    pub rows: Option<Vec<u32>>,
    /// Rows that were left out.
    pub omitted: OmittedRows,
}

/// Counts of the rows left out of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OmittedRows {
    /// Number of rows.
    pub nodes: u64,
    /// Those have fewer visits, or are below rows that have; 0 if there are none.
    pub min_visits: u32,
}

impl Default for TreeBuilder {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            names: String::new(),
            open: Vec::new(),
            recent_names: vec![NameSpan::default(); Self::RECENT_NAMES_CAPACITY],
            prune: None,
        }
    }
}

impl TreeBuilder {
    const RECENT_NAMES_CAPACITY: usize = 1 << 11;

    /// Keeps the most visited part that fits into `bytes`, a node counting as `node_bytes` besides its names.
    pub fn with_byte_limit(bytes: usize, node_bytes: usize) -> Self {
        Self {
            prune: Some(PruneState {
                bytes,
                node_bytes,
                min_visits: i32::MIN,
                rows_seen: 0,
                kept_rows: Vec::new(),
            }),
            ..Self::default()
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &TreeRow<'_>) -> Result<(), String> {
        let count = (self.prune.as_ref()).map_or(self.nodes.len(), |cut| cut.rows_seen as usize);
        let index = u32::try_from(count)
            .ok()
            .filter(|&index| index < u32::MAX)
            .ok_or("the tree has more nodes than four billion")?;
        let parent = match self.open.last_mut() {
            None if index == 0 => 0,
            None => {
                return Err(
                    "a row after the end of the tree: every node has its children already"
                        .to_owned(),
                );
            }
            Some((parent, left)) => {
                let parent = *parent;
                *left -= 1;
                if *left == 0 {
                    self.open.pop();
                }
                parent
            }
        };
        self.nodes.try_reserve(1).map_err(out_of_memory_message)?;
        self.open.try_reserve(1).map_err(out_of_memory_message)?;
        if row.visits != 0 && !row.mean.is_finite() {
            return Err(format!(
                "the mean of {} visits is {}: expected a number",
                row.visits, row.mean
            ));
        }
        if self.prune.is_some() {
            return self.push_if_kept(row, index, parent);
        }
        self.push_node(row, parent, row.children)?;
        if row.children > 0 {
            self.open.push((index, row.children));
        }
        Ok(())
    }

    /// Makes a node of a row.
    fn push_node(&mut self, row: &TreeRow<'_>, parent: u32, children: u32) -> Result<(), String> {
        let move_name = self.intern(row.move_name)?;
        let state = self.intern(row.state)?;
        self.nodes.push(TreeNode {
            visits: row.visits,
            second: row.second,
            mean: row.mean,
            children,
            parent,
            move_name,
            state,
        });
        Ok(())
    }

    /// Adds a row if it is one that stays; `parent` is a node, or [`OMITTED`].
    #[expect(
        clippy::indexing_slicing,
        reason = "a parent that was not left out is a node"
    )]
    fn push_if_kept(&mut self, row: &TreeRow<'_>, index: u32, parent: u32) -> Result<(), String> {
        let Some(cut) = &mut self.prune else {
            return Ok(());
        };
        cut.rows_seen += 1;
        let stays = index == 0 || parent != OMITTED && row.visits >= cut.min_visits;
        let mut node = OMITTED;
        if stays {
            node = self.nodes.len() as u32;
            cut.kept_rows.push(index);
            // Its children are counted as they come, for some may be left out.
            self.push_node(row, parent, 0)?;
            if index > 0 {
                self.nodes[parent as usize].children += 1;
            }
        }
        if row.children > 0 {
            self.open.push((node, row.children));
        }
        let is_full = (self.prune.as_ref())
            .is_some_and(|cut| self.nodes.len() * cut.node_bytes + self.names.len() > cut.bytes);
        if stays && is_full && self.nodes.len() > 1 {
            self.drop_least_visited()?;
        }
        Ok(())
    }

    /// Leaves out the least visited quarter of the nodes, and all that have as few visits.
    #[expect(
        clippy::indexing_slicing,
        reason = "parents stand before their children: `TreeBuilder` sees to it"
    )]
    fn drop_least_visited(&mut self) -> Result<(), String> {
        let Some(cut) = &mut self.prune else {
            return Ok(());
        };
        let nodes = self.nodes.iter().skip(1);
        let mut visits: Vec<i32> = nodes.map(|node| node.visits).collect();
        let last = visits.len() / 4;
        let (_, &mut most, _) = visits.select_nth_unstable(last);
        drop(visits);
        cut.min_visits = most.saturating_add(1);
        // By node: where it is from now on.
        let mut places: Vec<u32> = Vec::with_capacity(self.nodes.len());
        let mut kept = 0;
        let old_names = std::mem::take(&mut self.names);
        self.recent_names.fill(NameSpan::default());
        for index in 0..self.nodes.len() {
            let mut node = self.nodes[index];
            let parent = if index == 0 {
                0
            } else {
                places[node.parent as usize]
            };
            let least = (self.prune.as_ref()).map_or(i32::MIN, |cut| cut.min_visits);
            if index > 0 && (parent == OMITTED || node.visits < least) {
                places.push(OMITTED);
                continue;
            }
            let text =
                |name: NameSpan| &old_names[name.start as usize..(name.start + name.len) as usize];
            node.move_name = self.intern(text(node.move_name))?;
            node.state = self.intern(text(node.state))?;
            (node.parent, node.children) = (parent, 0);
            places.push(kept as u32);
            self.nodes[kept] = node;
            if index > 0 {
                self.nodes[parent as usize].children += 1;
            }
            if let Some(cut) = &mut self.prune {
                cut.kept_rows[kept] = cut.kept_rows[index];
            }
            kept += 1;
        }
        self.nodes.truncate(kept);
        if let Some(cut) = &mut self.prune {
            cut.kept_rows.truncate(kept);
        }
        for (node, _) in &mut self.open {
            if *node != OMITTED {
                *node = places[*node as usize];
            }
        }
        Ok(())
    }

    /// The tree with counts of omitted rows; an error if rows are missing.
    pub fn finish_part(mut self) -> Result<TreePart, String> {
        let Some(cut) = self.prune.take() else {
            return Ok(TreePart {
                tree: self.finish()?,
                rows: None,
                omitted: OmittedRows::default(),
            });
        };
        if let Some(&(_, left)) = self.open.last() {
            return Err(missing_children(left));
        }
        let omitted = OmittedRows {
            nodes: u64::from(cut.rows_seen) - self.nodes.len() as u64,
            min_visits: cut.min_visits.max(0) as u32,
        };
        if omitted.nodes > 0 {
            self.renumber_shared_rows(&cut.kept_rows)?;
        }
        let tree = self.finish()?;
        Ok(TreePart {
            tree,
            rows: (omitted.nodes > 0).then_some(cut.kept_rows),
            omitted,
        })
    }

    /// States that say in which row a shared node is expanded, counted from 1, get its row among those that stay, or 0 if it
    /// does not.
    #[expect(clippy::indexing_slicing, reason = "names are those of this tree")]
    fn renumber_shared_rows(&mut self, rows: &[u32]) -> Result<(), String> {
        for index in 0..self.nodes.len() {
            let state = self.nodes[index].state;
            let text = &self.names[state.start as usize..(state.start + state.len) as usize];
            let Some(row) = text.strip_prefix('=') else {
                continue;
            };
            let row = row.parse::<u32>().ok().and_then(|row| row.checked_sub(1));
            let place = row.and_then(|row| rows.binary_search(&row).ok());
            let text = format!("={}", place.map_or(0, |place| place + 1));
            self.nodes[index].state = self.intern(&text)?;
        }
        Ok(())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a slot is a remainder, and a known name lies within the names"
    )]
    fn intern(&mut self, text: &str) -> Result<NameSpan, String> {
        if text.is_empty() {
            return Ok(NameSpan::default());
        }
        let slot = name_slot(text.as_bytes());
        let known = self.recent_names[slot];
        let (start, end) = (known.start as usize, (known.start + known.len) as usize);
        if self.names.as_bytes()[start..end] == *text.as_bytes() {
            return Ok(known);
        }
        let too_much = |_| "the names take more than four gigabytes".to_owned();
        u32::try_from(self.names.len() + text.len()).map_err(too_much)?;
        let name = NameSpan {
            start: self.names.len() as u32,
            len: text.len() as u32,
        };
        self.names
            .try_reserve(text.len())
            .map_err(out_of_memory_message)?;
        self.names.push_str(text);
        self.recent_names[slot] = name;
        Ok(name)
    }

    /// Whether every node has its children.
    pub fn is_complete(&self) -> bool {
        !self.nodes.is_empty() && self.open.is_empty()
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no row yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The tree; an error if rows are missing.
    pub fn finish(self) -> Result<Tree, String> {
        match self.open.last() {
            _ if self.nodes.is_empty() => Err("there is no root".to_owned()),
            None => Ok(Tree {
                nodes: self.nodes,
                names: self.names,
            }),
            Some(&(row, left)) => Err(match self.nodes.get(row as usize) {
                Some(node) => format!(
                    "the file ends before the tree does: row {} still lacks {left} of its {} children",
                    row + 1,
                    node.children
                ),
                // The row was left out.
                None => missing_children(left),
            }),
        }
    }
}

/// Error message when rows are missing below a row that may have been left out.
fn missing_children(left: u32) -> String {
    format!("the file ends before the tree does: {left} children are missing")
}

/// Error message when the system refuses memory for a tree.
fn out_of_memory_message(_: TryReserveError) -> String {
    "the tree does not fit into memory".to_owned()
}

/// Where a name is kept among those seen lately: by its first and last bytes and its length.
#[inline]
fn name_slot(bytes: &[u8]) -> usize {
    let mut word = bytes.len() as u64;
    for &byte in bytes.iter().take(8).chain(bytes.iter().rev().take(8)) {
        word = (word ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (word >> 40) as usize % TreeBuilder::RECENT_NAMES_CAPACITY
}

/// The location of an error in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLocation {
    /// A line, counted from 1.
    Line(u64),
    /// A byte, counted from 0.
    Byte(u64),
}

impl fmt::Display for FileLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(out, "line {line}"),
            Self::Byte(byte) => write!(out, "byte {byte}"),
        }
    }
}

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The content violates the format.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where.
        place: FileLocation,
        /// The violation.
        problem: String,
    },
    /// The extension names no format.
    #[error("{0}")]
    Name(String),
}

impl TreeError {
    fn at_byte(byte: u64, problem: impl Into<String>) -> Self {
        Self::Malformed {
            place: FileLocation::Byte(byte),
            problem: problem.into(),
        }
    }

    fn at_line(line: u64, problem: impl Into<String>) -> Self {
        Self::Malformed {
            place: FileLocation::Line(line),
            problem: problem.into(),
        }
    }
}
