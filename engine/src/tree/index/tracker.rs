//! Follows the journal of a tree from its beginning and keeps the tree's most visited part, in bounded memory.
//!
//! The statistics of every tracked node are exact. When there are too many nodes, the least visited inner nodes are closed:
//! their children are dropped, and updates of anything below count as theirs. A closed node stays closed; a second pass over
//! the journal, which knows the final visits of each node, may choose better.

use std::{
    collections::{HashMap, VecDeque},
    io,
};

use super::{
    super::{
        TreeError,
        growth::{HEADER_BYTES, JournalKind},
        replay_reader::{RootMoveStats, RootMoveTally},
    },
    paged_table::PagedTable,
    partial_tree::{PartialIteration, PartialTree, PartialTreeNode, accumulate, single_reward},
};
use crate::{
    games::MoveCode,
    search::growth_records::{
        FIRST_TAG, GrowthRecord, MoveCodes, RawTableEntry, TRUNCATED_RECORD, decode,
    },
};

mod pruning;

const ONE: u64 = 1 << 32;
/// Bit of a word of [`PartialTreeTracker::owners`]: the node was visited.
const VISITED_BIT: u32 = 1 << 31;

/// Limits of a [`PartialTreeTracker`].
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackerLimits {
    /// Nodes with statistics.
    pub(super) max_nodes: usize,
    /// Bytes of the table of numbers.
    pub(super) owner_table_bytes: usize,
    /// Bytes of deferred records.
    pub(super) max_deferred_bytes: usize,
}

/// Bytes of a tracked node, with the working memory for dropping others.
pub(super) const TRACKED_NODE_BYTES: usize =
    size_of::<PartialTreeNode>() + size_of::<RawTableEntry>() + 4 + 4 + 12 + 8;

/// Follows a journal.
pub(super) struct PartialTreeTracker {
    part: PartialTree,
    limits: TrackerLimits,
    /// By node: the journal's number, which of the root's moves leads there, and visits and rewards that were not handed to
    /// the nodes above yet.
    journal_ids: Vec<u32>,
    branches: Vec<u32>,
    pending_stats: Vec<RawTableEntry>,
    /// By the journal's number: 0 if it is not assigned yet; else one more than the node that has its statistics, and
    /// [`VISITED_BIT`].
    owners: PagedTable,
    /// Final visits by the journal's number, if known from a first reading.
    final_visits: Option<FinalVisits>,
    /// The iterations since they were last taken.
    pending_iterations: Vec<PartialIteration>,
    /// Nodes that were made since the last iteration.
    new_nodes: u32,
    has_begun: bool,
    ended: Option<bool>,
    has_lost_nodes: bool,
    /// Bytes of records that were read.
    bytes_read: u64,
    deferred: HashMap<u32, Vec<DeferredWords>>,
    deferred_bytes: usize,
    ready: VecDeque<Vec<DeferredWords>>,
    pub(super) tally: RootMoveTally,
}

/// A record that precedes what it refers to, with its offset in the file.
struct DeferredWords {
    words: Box<[u32]>,
    offset: u64,
}

/// The final visits of the nodes.
pub(super) struct FinalVisits {
    pub(super) visits: PagedTable,
    /// Number of iterations at the end.
    pub(super) iterations: u32,
}

/// The item that a deferred record waits for, by the journal's number of the node.
enum Missing {
    Nothing,
    Node(u32),
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<String> for RecordError {
    fn from(text: String) -> Self {
        Self::Malformed(text)
    }
}

/// Why a record cannot be taken in.
enum RecordError {
    Io(io::Error),
    Malformed(String),
}

impl RecordError {
    fn at_byte(self, byte: u64) -> TreeError {
        match self {
            Self::Io(error) => error.into(),
            Self::Malformed(text) => TreeError::at_byte(byte, text),
        }
    }
}

impl PartialTreeTracker {
    /// Before the first record of a tree.
    pub(super) fn new(
        kind: JournalKind,
        root: u32,
        limits: TrackerLimits,
        scratch: Option<std::fs::File>,
        final_visits: Option<FinalVisits>,
    ) -> Result<Self, TreeError> {
        let mut owners = PagedTable::new(limits.owner_table_bytes, scratch);
        owners.set(root, 1)?;
        Ok(Self {
            part: PartialTree {
                kind,
                iteration: 0,
                nodes: vec![PartialTreeNode::new(0, 0)],
                total_nodes: 1,
                min_visits: 0,
                has_squares: false,
            },
            limits,
            journal_ids: vec![root],
            branches: vec![0],
            pending_stats: vec![RawTableEntry::default()],
            owners,
            final_visits,
            pending_iterations: Vec::new(),
            new_nodes: 0,
            has_begun: false,
            ended: None,
            has_lost_nodes: false,
            bytes_read: 0,
            deferred: HashMap::new(),
            deferred_bytes: 0,
            ready: VecDeque::new(),
            tally: RootMoveTally::new(RootMoveTally::MAX_SAMPLES_INDEXED),
        })
    }

    /// Bytes of records read.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Iterations so far.
    pub(super) fn iterations(&self) -> u32 {
        self.part.iteration
    }

    pub(super) fn ended(&self) -> Option<bool> {
        self.ended
    }

    /// Iterations that were not taken yet.
    pub(super) fn pending_iteration_count(&self) -> usize {
        self.pending_iterations.len()
    }

    /// Whether nodes were ever dropped because a closed one has as many visits.
    pub(super) fn has_lost_nodes(&self) -> bool {
        self.has_lost_nodes
    }

    pub(super) fn bytes(&self) -> usize {
        let guide = self
            .final_visits
            .as_ref()
            .map_or(0, |guide| guide.visits.bytes());
        self.part.bytes()
            + 4 * (self.journal_ids.capacity() + self.branches.capacity())
            + size_of::<RawTableEntry>() * self.pending_stats.capacity()
            + size_of::<PartialIteration>() * self.pending_iterations.capacity()
            + self.owners.bytes()
            + self.tally.bytes()
            + guide
            + self.deferred_bytes
    }

    /// The root's moves: codes, and visits inherited from the search before.
    pub(super) fn root_moves(&self) -> Vec<(MoveCode, u32)> {
        Self::root_children(&self.part)
            .map(|child| (child.move_code, child.inherited))
            .collect()
    }

    fn root_children(part: &PartialTree) -> impl Iterator<Item = &PartialTreeNode> {
        // An error may have come between the children.
        let root = part.nodes.first();
        let (first, count) = root.map_or((0, 0), |root| (root.first_child, root.child_count));
        part.nodes.iter().skip(first as usize).take(count.into())
    }

    /// Reads records until `most` iterations are pending; returns the words consumed. The last record may be incomplete.
    #[expect(
        clippy::indexing_slicing,
        reason = "`decode` returns the end of the words it was given"
    )]
    pub(super) fn read_words(
        &mut self,
        words: &[u32],
        max_iterations: usize,
    ) -> Result<usize, TreeError> {
        let mut rest = words;
        if self.pending_iterations.capacity() < max_iterations {
            self.pending_iterations
                .reserve_exact(max_iterations - self.pending_iterations.len());
        }
        while !rest.is_empty() && self.pending_iterations.len() < max_iterations {
            let at = HEADER_BYTES + self.bytes_read;
            let (record, behind) = match decode(rest) {
                Err(problem) if problem == TRUNCATED_RECORD => break,
                result => result.map_err(|problem| TreeError::at_byte(at, problem))?,
            };
            let words = &rest[..rest.len() - behind.len()];
            let missing = self
                .apply_record(record)
                .map_err(|problem| problem.at_byte(at))?;
            if let Missing::Node(number) = missing {
                let early = DeferredWords {
                    words: words.into(),
                    offset: at,
                };
                self.defer(number, early)
                    .map_err(|problem| problem.at_byte(at))?;
            }
            while let Some(list) = self.ready.pop_front() {
                self.retry_records(list)?;
            }
            self.bytes_read += 4 * words.len() as u64;
            rest = behind;
        }
        Ok(words.len() - rest.len())
    }

    fn retry_records(&mut self, list: Vec<DeferredWords>) -> Result<(), TreeError> {
        for early in list {
            let at = early.offset;
            self.deferred_bytes -= deferred_size(&early);
            let wrong = |problem| TreeError::at_byte(at, problem);
            let (record, _) = decode(&early.words).map_err(wrong)?;
            if let Missing::Node(number) = self
                .apply_record(record)
                .map_err(|problem| problem.at_byte(at))?
            {
                self.defer(number, early)
                    .map_err(|problem| problem.at_byte(at))?;
            }
        }
        Ok(())
    }

    fn defer(&mut self, number: u32, early: DeferredWords) -> Result<(), RecordError> {
        if !self.has_begun {
            return Err(format!("node {number} before the record that makes it").into());
        }
        if number >= FIRST_TAG {
            return Err(format!("{number:#x}, which is no number").into());
        }
        self.deferred_bytes += deferred_size(&early);
        if self.deferred_bytes > self.limits.max_deferred_bytes {
            return Err(super::out_of_memory_error(
                "more records wait for what they speak of than the memory budget has room for",
            )
            .into());
        }
        self.deferred.entry(number).or_default().push(early);
        Ok(())
    }

    #[inline]
    fn owner(&mut self, number: u32) -> io::Result<Option<u32>> {
        if number >= FIRST_TAG {
            return Ok(None);
        }
        let word = self.owners.get(number)? & !VISITED_BIT;
        Ok(word.checked_sub(1))
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "an owner is a tracked node, and the tables of tracked nodes grow and shrink together"
    )]
    fn apply_record(&mut self, record: GrowthRecord<'_>) -> Result<Missing, RecordError> {
        if self.ended.is_some() {
            return Err("a record after the end of the journal".to_owned().into());
        }
        match record {
            GrowthRecord::TreeIteration { node, reward } => {
                if !self.has_begun {
                    return Err("an iteration before the search begins".to_owned().into());
                }
                if reward > ONE {
                    let problem = format!("a reward of {reward}: expected 2^32 or less");
                    return Err(problem.into());
                }
                let Some(owner) = self.owner(node)? else {
                    return Ok(Missing::Node(node));
                };
                self.push_iteration(node, owner, reward)?;
            }
            GrowthRecord::Moves { node, first, codes } => {
                return self.add_moves(node, first, codes);
            }
            GrowthRecord::Proven { node, outcome } => {
                let Some(owner) = self.owner(node)? else {
                    return Ok(Missing::Node(node));
                };
                let now = self.now();
                let it = &mut self.part.nodes[owner as usize];
                if self.journal_ids[owner as usize] == node && it.proven.is_none() {
                    (it.proven_at, it.proven) = (now, Some(outcome));
                }
            }
            GrowthRecord::InheritedStats { node, visits, sum } => {
                if self.has_begun || sum > u64::from(visits) << 32 {
                    return Err(format!("{visits} visits known with a sum of {sum}").into());
                }
                let Some(owner) = self.owner(node)? else {
                    return Ok(Missing::Node(node));
                };
                if visits > 0 && self.mark_visited(node, owner)? {
                    self.part.total_nodes += 1;
                }
                if self.journal_ids[owner as usize] == node {
                    let it = &mut self.part.nodes[owner as usize];
                    (it.visits, it.sum, it.inherited) = (visits, sum, visits);
                }
            }
            GrowthRecord::InheritedSquares { node, squares } => {
                if self.has_begun {
                    let problem = format!("squares known of node {node} after the search began");
                    return Err(problem.into());
                }
                let Some(owner) = self.owner(node)? else {
                    return Ok(Missing::Node(node));
                };
                self.part.has_squares = true;
                if self.journal_ids[owner as usize] == node {
                    self.part.nodes[owner as usize].squares = squares;
                }
            }
            GrowthRecord::SearchStarted => {
                if self.has_begun {
                    return Err("the search begins a second time".to_owned().into());
                }
                self.has_begun = true;
                self.part.total_nodes += u64::from(std::mem::take(&mut self.new_nodes));
                self.update_root_tally();
            }
            GrowthRecord::End { truncated: early } => {
                if !early && !self.deferred.is_empty() {
                    let count: usize = self.deferred.values().map(Vec::len).sum();
                    return Err(format!(
                        "the end, with {count} records that speak of what was never made"
                    )
                    .into());
                }
                self.ended = Some(early);
            }
            other => {
                // All other records are irrelevant here.
                let is_of_graph = matches!(
                    other,
                    GrowthRecord::Link { .. }
                        | GrowthRecord::GraphIteration { .. }
                        | GrowthRecord::InheritedEdgeVisits { .. }
                );
                if is_of_graph {
                    return Err("a record of a graph in a tree".to_owned().into());
                }
            }
        }
        Ok(Missing::Nothing)
    }

    fn update_root_tally(&mut self) {
        let children = Self::root_children(&self.part);
        // Only what is inherited counts, and that is all there is before the search begins.
        self.tally.extend_moves(children.map(|child| RootMoveStats {
            visits: child.inherited,
            sum: if child.inherited > 0 { child.sum } else { 0 },
        }));
    }

    fn now(&self) -> u32 {
        self.part.iteration + u32::from(self.has_begun)
    }

    /// Records the visit of a node; true if this is the first visit of a shown node.
    #[expect(clippy::indexing_slicing, reason = "the root is always tracked")]
    fn mark_visited(&mut self, number: u32, owner: u32) -> io::Result<bool> {
        if !self.part.kind.hides_unvisited || (owner == 0 && self.journal_ids[0] == number) {
            return Ok(false);
        }
        let word = self.owners.get_mut(number)?;
        let is_new = *word & VISITED_BIT == 0;
        *word |= VISITED_BIT;
        Ok(is_new)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "an owner is a tracked node, and the tables of tracked nodes grow and shrink together"
    )]
    fn push_iteration(&mut self, number: u32, owner: u32, reward: u64) -> Result<(), RecordError> {
        if self.part.iteration == u32::MAX - 2 {
            return Err("more than four billion iterations".to_owned().into());
        }
        self.new_nodes += u32::from(self.mark_visited(number, owner)?);
        let new_nodes = std::mem::take(&mut self.new_nodes);
        self.pending_iterations.push(PartialIteration {
            reward,
            node: owner,
            new_nodes,
        });
        accumulate(
            &mut self.pending_stats[owner as usize],
            single_reward(reward),
        );
        self.part.iteration += 1;
        self.part.total_nodes += u64::from(new_nodes);
        let branch = (owner > 0).then(|| self.branches[owner as usize] as usize);
        self.tally.count_iteration(branch, reward);
        Ok(())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "an owner is a tracked node, and the tables of tracked nodes grow and shrink together"
    )]
    fn add_moves(
        &mut self,
        node: u32,
        first: u32,
        codes: MoveCodes<'_>,
    ) -> Result<Missing, RecordError> {
        let count = codes.count();
        if count == 0 {
            return Err(format!("no moves for node {node}").into());
        }
        let Some(parent) = self.owner(node)? else {
            return Ok(Missing::Node(node));
        };
        if u64::from(first) + u64::from(count) > u64::from(FIRST_TAG) {
            return Err(format!("{count} numbers from {first} on").into());
        }
        let is_itself = self.journal_ids[parent as usize] == node;
        if is_itself && (self.part.nodes[parent as usize].child_count > 0) {
            return Err(format!("{count} moves for node {node}, which has moves").into());
        }
        let now = self.now();
        let has_room = |tracker: &Self| {
            tracker.part.nodes.len() + count as usize <= tracker.limits.max_nodes || parent == 0
        };
        let mut owner = parent;
        let mut is_tracked = is_itself && !self.part.nodes[parent as usize].is_collapsed;
        if is_tracked && !has_room(self) {
            self.collapse_least_visited()?;
            owner = self.owner(node)?.unwrap_or(0);
            is_tracked = self.journal_ids[owner as usize] == node && has_room(self);
        }
        let begin = self.part.nodes.len() as u32;
        if is_tracked {
            self.reserve_nodes(count as usize);
            let it = &mut self.part.nodes[owner as usize];
            (it.first_child, it.child_count, it.expanded_at) = (begin, count as u16, now);
        } else if self.journal_ids[owner as usize] == node {
            let it = &mut self.part.nodes[owner as usize];
            (it.is_collapsed, it.expanded_at) = (true, now);
        }
        for (place, (number, code)) in (first..first + count).zip(codes.iter()).enumerate() {
            let word = self.owners.get_mut(number)?;
            if *word != 0 {
                let problem = format!("{count} numbers from {first} on, one of them taken");
                return Err(problem.into());
            }
            *word = owner + 1;
            if is_tracked {
                *word = begin + place as u32 + 1;
                self.part.nodes.push(PartialTreeNode::new(owner, code));
                self.journal_ids.push(number);
                let branch = match owner {
                    0 => place as u32,
                    _ => self.branches[owner as usize],
                };
                self.branches.push(branch);
                self.pending_stats.push(RawTableEntry::default());
            }
        }
        if !self.part.kind.hides_unvisited {
            self.new_nodes = self.new_nodes.saturating_add(count);
        }
        if owner == 0 && is_tracked {
            self.update_root_tally();
        }
        if !self.deferred.is_empty() {
            let lists = (first..first + count).filter_map(|number| self.deferred.remove(&number));
            self.ready.extend(lists);
        }
        Ok(Missing::Nothing)
    }

    /// Grows lists by half, but not beyond their final bound.
    fn reserve_nodes(&mut self, more: usize) {
        let len = self.part.nodes.len();
        if len + more > self.part.nodes.capacity() {
            let wanted = (len + len / 2).min(self.limits.max_nodes).max(len + more) - len;
            self.part.nodes.reserve_exact(wanted);
            self.journal_ids.reserve_exact(wanted);
            self.branches.reserve_exact(wanted);
            self.pending_stats.reserve_exact(wanted);
        }
    }

    /// Propagates all pending updates to the ancestors.
    fn flush_pending_stats(&mut self) {
        self.part
            .propagate_to_parents(&mut self.pending_stats, true);
    }

    /// Forgets the iterations that were taken.
    pub(super) fn clear_iterations(&mut self) {
        self.pending_iterations.clear();
    }
}

fn deferred_size(deferred: &DeferredWords) -> usize {
    4 * deferred.words.len() + size_of::<DeferredWords>() + 16
}
