//! Builds a [`Growth`] from the records of a journal, in chunks of any size.
//!
//! Nodes and moves are renumbered consecutively. A record that refers to something not created yet is deferred and applied
//! as soon as it exists, before the next record is read, so chunk boundaries do not matter. A deferred record is filed under
//! what it waits for, and a path resumes where it stopped, so the total time is linear in the journal's length, whatever it
//! contains.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::{
    TreeError,
    growth::{Growth, HEADER_BYTES, JournalKind, LEAF, LeafMerge, NONE, PositionTable},
    id_map::{IdMap, MAX_IDS},
};
use crate::search::growth_records::{
    FIRST_TAG, GrowthRecord, MoveCodes, RawTableEntry, TRUNCATED_RECORD, decode,
};

const ONE: u64 = 1 << 32;

/// Reads records.
pub(super) struct GrowthBuilder {
    growth: Growth,
    version: u32,
    has_begun: bool,
    /// Bytes of records read so far.
    bytes_read: u64,
    /// Bytes that there are to be read, as far as that is known.
    expected_bytes: u64,
    /// The numbers that have room in tables.
    max_dense_ids: usize,
    /// The journal's numbers of nodes and, in a graph, of moves.
    node_ids: IdMap,
    edge_ids: IdMap,
    /// In a graph, by move: deferred records that wait for its link.
    waiting_for_link: BTreeMap<u32, u32>,
    deferred: DeferredRecords,
    /// Lists of deferred records that can be applied.
    ready: VecDeque<u32>,
    /// Where the playout of the record that is read stands, in words; [`NONE`] if it has none.
    playout: u32,
}

/// What a deferred record waits for.
#[derive(Clone, Copy)]
enum MissingItem {
    /// A node, by the journal's number.
    Node(u32),
    /// A move of a graph, by the journal's number.
    Move(u32),
    /// Where a move of a graph leads, by our number for the move.
    Link(u32),
}

impl GrowthBuilder {
    /// Minimum capacity of the dense table, in numbers.
    const MIN_DENSE_IDS: usize = 1 << 10;

    /// Before the first record.
    pub(super) fn new(kind: JournalKind, root: u32, version: u32) -> Self {
        let mut builder = Self {
            growth: Growth {
                kind,
                // Version 0 does not say whether squares are used; without inherited visits they can be summed from the
                // start.
                squares: (version == 0).then(HashMap::new),
                ..Growth::default()
            },
            version,
            has_begun: false,
            bytes_read: 0,
            expected_bytes: 0,
            max_dense_ids: Self::MIN_DENSE_IDS,
            node_ids: IdMap::default(),
            edge_ids: IdMap::default(),
            waiting_for_link: BTreeMap::new(),
            deferred: DeferredRecords::default(),
            ready: VecDeque::new(),
            playout: NONE,
        };
        // Nothing else has a number yet.
        let _ = builder
            .node_ids
            .assign(root, 1, 0, builder.max_dense_ids, &mut builder.ready);
        builder.add_node();
        builder
    }

    /// Bytes of records read.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    pub(super) fn growth(&self) -> &Growth {
        &self.growth
    }

    pub(super) fn into_growth(self) -> Growth {
        self.growth
    }

    /// Reads more words; returns how many were consumed. The last record may be incomplete.
    #[expect(
        clippy::indexing_slicing,
        reason = "`decode` returns the end of the words it was given"
    )]
    pub(super) fn read_words(&mut self, words: &[u32]) -> Result<usize, TreeError> {
        // Every numbered item takes at least two bytes of the journal, its code.
        let told = ((self.bytes_read / 2) as usize + words.len() * 2)
            .max(self.expected_bytes as usize / 2);
        self.max_dense_ids = told.max(Self::MIN_DENSE_IDS);
        let mut rest = words;
        while !rest.is_empty() {
            let at = HEADER_BYTES + self.bytes_read;
            let wrong = |problem| TreeError::at_byte(at, problem);
            let (record, behind) = match decode(rest) {
                Err(problem) if problem == TRUNCATED_RECORD => break,
                result => result.map_err(wrong)?,
            };
            let words = &rest[..rest.len() - behind.len()];
            let is_playout = matches!(record, GrowthRecord::Playout { .. });
            if let Some(thing) = self.apply_record(record).map_err(wrong)? {
                let waiting = DeferredRecord {
                    words: words.into(),
                    offset: at,
                    playout: self.playout,
                    ..DeferredRecord::default()
                };
                self.defer(thing, waiting).map_err(wrong)?;
            }
            self.retry_ready()?;
            self.playout = if is_playout {
                u32::try_from(self.bytes_read / 4).unwrap_or(NONE)
            } else {
                NONE
            };
            self.bytes_read += 4 * words.len() as u64;
            rest = behind;
        }
        Ok(words.len() - rest.len())
    }

    /// Sets the number of bytes actually present, which bounds the tables' capacity.
    pub(super) fn set_expected_bytes(&mut self, bytes: u64) {
        self.expected_bytes = bytes;
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.growth.bytes() + self.node_ids.bytes() + self.edge_ids.bytes() + self.deferred.bytes()
    }

    /// Applies deferred records whose items exist now.
    fn retry_ready(&mut self) -> Result<(), TreeError> {
        while let Some(last) = self.ready.pop_front() {
            let mut place = self.deferred.first(last);
            loop {
                let mut waiting = self.deferred.take(place);
                let next = waiting.next;
                let at = waiting.offset;
                self.playout = waiting.playout;
                let wrong = |problem| TreeError::at_byte(at, problem);
                if let Some(thing) = self.retry_record(&mut waiting).map_err(wrong)? {
                    self.defer(thing, waiting).map_err(wrong)?;
                }
                if place == last {
                    break;
                }
                place = next;
            }
        }
        Ok(())
    }

    fn defer(&mut self, thing: MissingItem, waiting: DeferredRecord) -> Result<(), String> {
        // Before `begin` a single thread writes, in order.
        if !self.has_begun {
            return Err(match thing {
                MissingItem::Node(number) => {
                    format!("node {number} before the record that makes it")
                }
                _ => "a move before the record that makes it".to_owned(),
            });
        }
        match thing {
            MissingItem::Node(number) | MissingItem::Move(number) if number >= FIRST_TAG => {
                return Err(format!("{number:#x}, which is no number"));
            }
            MissingItem::Node(number) => {
                let list = self
                    .deferred
                    .add(self.node_ids.waiting_list(number), waiting)?;
                self.node_ids
                    .set_waiting_list(number, list, self.max_dense_ids);
            }
            MissingItem::Move(number) => {
                let list = self
                    .deferred
                    .add(self.edge_ids.waiting_list(number), waiting)?;
                self.edge_ids
                    .set_waiting_list(number, list, self.max_dense_ids);
            }
            MissingItem::Link(edge) => {
                let list = self.waiting_for_link.get(&edge).copied();
                let list = self.deferred.add(list, waiting)?;
                self.waiting_for_link.insert(edge, list);
            }
        }
        Ok(())
    }

    /// Applies a record, or returns the item it has to wait for.
    #[inline(always)]
    #[expect(
        clippy::indexing_slicing,
        reason = "a number that `IdMap` found is below the length of every table, which grow with it"
    )]
    fn apply_record(&mut self, record: GrowthRecord<'_>) -> Result<Option<MissingItem>, String> {
        if self.growth.ended.is_some() {
            return Err("a record after the end of the journal".to_owned());
        }
        match record {
            GrowthRecord::TreeIteration { node, reward } => {
                if self.growth.kind.is_graph {
                    return Err("an iteration of a tree in a graph".to_owned());
                }
                self.check_iteration(reward)?;
                let Some(leaf) = self.node_ids.find(node) else {
                    return Ok(Some(MissingItem::Node(node)));
                };
                self.push_iteration(leaf, reward)?;
            }
            GrowthRecord::Moves { node, first, codes } => {
                return self.add_moves(node, first, codes);
            }
            GrowthRecord::Link { edge, node, frame } => return self.add_link(edge, node, frame),
            GrowthRecord::GraphIteration { edges, reward } => return self.add_path(edges, reward),
            GrowthRecord::Proven { node, outcome } => {
                let Some(node) = self.node_ids.find(node) else {
                    return Ok(Some(MissingItem::Node(node)));
                };
                let now = self.now();
                self.growth.proven[node as usize].get_or_insert((now, outcome));
            }
            GrowthRecord::InheritedStats { node, visits, sum } => {
                if self.has_begun || sum > u64::from(visits) << 32 {
                    return Err(format!("{visits} visits known with a sum of {sum}"));
                }
                let Some(node) = self.node_ids.find(node) else {
                    return Ok(Some(MissingItem::Node(node)));
                };
                self.growth.inherited[node as usize] = (visits, sum);
                if self.version == 0 && visits > 0 {
                    self.growth.squares = None;
                }
            }
            GrowthRecord::InheritedSquares { node, squares } => {
                if self.has_begun {
                    return Err("squares known after the search began".to_owned());
                }
                let Some(node) = self.node_ids.find(node) else {
                    return Ok(Some(MissingItem::Node(node)));
                };
                let (visits, _) = self.growth.inherited[node as usize];
                if squares > u64::from(visits) << 32 {
                    return Err(format!("squares of {squares} with {visits} visits known"));
                }
                let known = self.growth.squares.get_or_insert_default();
                known.insert(node, squares);
            }
            GrowthRecord::Table { entries, verified } => {
                if self.has_begun || self.growth.kind.is_graph || self.growth.table.is_some() {
                    return Err("a table of positions where there can be none".to_owned());
                }
                if entries == 0 {
                    return Err("a table of positions without entries".to_owned());
                }
                self.growth.table = Some(PositionTable::new(entries, verified));
            }
            GrowthRecord::TableEntry {
                node,
                key,
                stats: told,
            } => return self.add_entry(node, key, told),
            GrowthRecord::Playout { .. } | GrowthRecord::Unknown { .. } => {}
            GrowthRecord::InheritedEdgeVisits { edge, visits } => {
                if self.has_begun || !self.growth.kind.is_graph {
                    return Err("a number of choices where there can be none".to_owned());
                }
                let Some(edge) = self.edge_ids.find(edge) else {
                    return Ok(Some(MissingItem::Move(edge)));
                };
                self.growth.inherited_edge_visits[edge as usize] = visits;
            }
            GrowthRecord::SearchStarted => {
                if self.has_begun {
                    return Err("the search begins a second time".to_owned());
                }
                self.has_begun = true;
            }
            GrowthRecord::End { truncated: early } => {
                // A journal that ends early may lack what deferred records wait for.
                if !early && self.deferred.len() > 0 {
                    return Err(format!(
                        "the end, with {} records that speak of what was never made",
                        self.deferred.len()
                    ));
                }
                self.growth.ended = Some(early);
            }
        }
        Ok(None)
    }

    /// [`Self::apply_record`] for a record that waited.
    #[inline(never)]
    fn retry_record(
        &mut self,
        waiting: &mut DeferredRecord,
    ) -> Result<Option<MissingItem>, String> {
        let (record, _) = decode(&waiting.words)?;
        let GrowthRecord::GraphIteration { edges, reward } = record else {
            return self.apply_record(record);
        };
        let count = edges.len();
        // A tag and the number of edges come before them.
        let edges = (waiting.words.get_mut(2..2 + count)).ok_or(TRUNCATED_RECORD)?;
        let missing = self.resolve_path(edges, &mut waiting.resolved)?;
        if missing.is_none() {
            self.growth.paths.extend_from_slice(edges);
            self.push_path_iteration(reward)?;
        }
        Ok(missing)
    }

    /// The iteration that the current record belongs to.
    fn now(&self) -> u32 {
        self.growth.iterations() + u32::from(self.has_begun)
    }

    fn add_node(&mut self) {
        self.growth.moves.push((0, 0));
        self.growth.expanded_at.push(NONE);
        self.growth.inherited.push((0, 0));
        self.growth.proven.push(None);
    }

    /// Checks that another iteration with this reward is possible.
    fn check_iteration(&self, reward: u64) -> Result<(), String> {
        if !self.has_begun {
            return Err("an iteration before the search begins".to_owned());
        }
        if reward > ONE {
            return Err(format!("a reward of {reward}: expected 2^32 or less"));
        }
        Ok(())
    }

    fn push_iteration(&mut self, leaf: u32, reward: u64) -> Result<(), String> {
        if self.growth.iterations() == u32::MAX - 2 {
            return Err("more than four billion iterations".to_owned());
        }
        if self.playout != NONE {
            let before = self.growth.leaves.len();
            self.growth.playouts.resize(before, NONE);
            self.growth.playouts.push(self.playout);
        }
        self.growth.leaves.push(leaf);
        self.growth.rewards.push(reward);
        Ok(())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a number that `IdMap` found is below the length of every table, which grow with it"
    )]
    fn add_moves(
        &mut self,
        node: u32,
        first: u32,
        codes: MoveCodes<'_>,
    ) -> Result<Option<MissingItem>, String> {
        let count = codes.count();
        if count == 0 {
            return Err(format!("no moves for node {node}"));
        }
        let Some(parent) = self.node_ids.find(node) else {
            return Ok(Some(MissingItem::Node(node)));
        };
        let now = self.now();
        let growth = &mut self.growth;
        if growth.expanded_at[parent as usize] != NONE {
            return Err(format!("{count} moves for node {node}, which has moves"));
        }
        let begin = growth.codes.len() as u32;
        if begin + count >= MAX_IDS {
            return Err("more than two billion moves".to_owned());
        }
        // In a tree they are nodes too, of which there is one more.
        let (numbers, counted) = if growth.kind.is_graph {
            (&mut self.edge_ids, begin)
        } else {
            (&mut self.node_ids, begin + 1)
        };
        numbers.assign(first, count, counted, self.max_dense_ids, &mut self.ready)?;
        growth.moves[parent as usize] = (begin, begin + count);
        growth.expanded_at[parent as usize] = now;
        growth.codes.extend(codes.iter());
        let len = growth.codes.len();
        growth.parents.resize(len, parent);
        if growth.kind.is_graph {
            growth.targets.resize(len, NONE);
            growth.linked_at.resize(len, NONE);
            growth.frames.resize(len, 0);
            growth.merge_of_edge.resize(len, NONE);
            growth.inherited_edge_visits.resize(len, 0);
        } else {
            growth.moves.resize(len + 1, (0, 0));
            growth.expanded_at.resize(len + 1, NONE);
            growth.inherited.resize(len + 1, (0, 0));
            growth.proven.resize(len + 1, None);
        }
        Ok(None)
    }

    fn add_entry(
        &mut self,
        number: u32,
        key: u64,
        told: Option<RawTableEntry>,
    ) -> Result<Option<MissingItem>, String> {
        let is_possible = |told: &RawTableEntry| {
            let most = u64::from(told.visits) << 32;
            told.visits > 0 && told.sum <= most && told.squares <= most
        };
        if told.is_some_and(|told| !is_possible(&told)) {
            return Err(format!("an entry for node {number} that cannot be"));
        }
        let Some(node) = self.node_ids.find(number) else {
            return Ok(Some(MissingItem::Node(number)));
        };
        let now = self.now();
        let Some(table) = &mut self.growth.table else {
            return Err(format!("an entry for node {number} without a table"));
        };
        if !table.visit(node, key, now, told) {
            return Err(format!("another key for node {number}"));
        }
        Ok(None)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "a number that `IdMap` found is below the length of every table, which grow with it, as are targets of moves"
    )]
    fn add_link(
        &mut self,
        number: u32,
        node: u32,
        frame: u32,
    ) -> Result<Option<MissingItem>, String> {
        if !self.growth.kind.is_graph || frame > 15 {
            return Err(format!("move {number} cannot lead to node {node}"));
        }
        let Some(edge) = self.edge_ids.find(number) else {
            return Ok(Some(MissingItem::Move(number)));
        };
        let index = edge as usize;
        let known = self.node_ids.find(node);
        let before = self.growth.targets[index];
        if before != NONE {
            let is_framed_so = u32::from(self.growth.frames[index]) == frame;
            // Two threads may find out at the same time.
            if is_framed_so && known == Some(before) {
                return Ok(None);
            }
            let is_leaf = self.growth.merge_of_edge[index] == LEAF
                && self.growth.expanded_at[before as usize] == NONE;
            if !(is_framed_so && is_leaf && self.has_begun) {
                return Err(format!("move {number} leads to node {node} and elsewhere"));
            }
        }
        let target = match known {
            Some(target) => target,
            None => {
                let target = self.growth.nodes() as u32;
                self.node_ids
                    .assign(node, 1, target, self.max_dense_ids, &mut self.ready)?;
                self.add_node();
                target
            }
        };
        let now = self.now();
        self.growth.targets[index] = target;
        if before != NONE {
            self.growth.merge_of_edge[index] = self.growth.merges.len() as u32;
            self.growth.merges.push(LeafMerge {
                iteration: now,
                leaf: before,
                node: target,
            });
        } else {
            self.growth.linked_at[index] = now;
            self.growth.frames[index] = frame as u8;
            // A leaf has the number of the move that led there.
            if node == number {
                self.growth.merge_of_edge[index] = LEAF;
            }
        }
        self.ready.extend(self.waiting_for_link.remove(&edge));
        Ok(None)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "`begin` is the length before the edges were added"
    )]
    fn add_path(&mut self, edges: &[u32], reward: u64) -> Result<Option<MissingItem>, String> {
        if !self.growth.kind.is_graph {
            return Err("an iteration of a graph in a tree".to_owned());
        }
        self.check_iteration(reward)?;
        let mut paths = std::mem::take(&mut self.growth.paths);
        let begin = paths.len();
        paths.extend_from_slice(edges);
        let missing = self.resolve_path(&mut paths[begin..], &mut 0);
        // A deferred path starts over when it is resumed for the first time, then continues where it stopped.
        if !matches!(missing, Ok(None)) {
            paths.truncate(begin);
        }
        self.growth.paths = paths;
        if let Ok(None) = missing {
            self.push_path_iteration(reward)?;
        }
        missing
    }

    /// Follows a path from its `done`-th move on, putting our numbers in place of the journal's.
    #[expect(
        clippy::indexing_slicing,
        reason = "edges before `done` are our own numbers, and `IdMap` found the others"
    )]
    fn resolve_path(
        &self,
        edges: &mut [u32],
        done: &mut u32,
    ) -> Result<Option<MissingItem>, String> {
        let growth = &self.growth;
        let mut node = match *done {
            0 => 0,
            done => growth.targets[edges[done as usize - 1] as usize],
        };
        for number in &mut edges[*done as usize..] {
            let Some(edge) = self.edge_ids.find(*number) else {
                return Ok(Some(MissingItem::Move(*number)));
            };
            let index = edge as usize;
            if growth.parents[index] != node {
                return Err(format!(
                    "a path with move {number}, which is made elsewhere"
                ));
            }
            node = growth.targets[index];
            if node == NONE {
                return Ok(Some(MissingItem::Link(edge)));
            }
            *number = edge;
            *done += 1;
        }
        Ok(None)
    }

    /// Makes an iteration of the path that was added last.
    fn push_path_iteration(&mut self, reward: u64) -> Result<(), String> {
        let end = u32::try_from(self.growth.paths.len()).map_err(|_| "too many paths")?;
        self.push_iteration(end, reward)
    }
}

/// A deferred record.
#[derive(Default)]
struct DeferredRecord {
    words: Box<[u32]>,
    /// Where it stands in the file.
    offset: u64,
    /// Of an iteration: where its playout stands, as in [`GrowthBuilder`].
    playout: u32,
    /// Of a path: the number of moves already renumbered.
    resolved: u32,
    /// The place of the next one in its list.
    next: u32,
}

/// Deferred records in circular lists, each identified by its last element.
#[derive(Default)]
struct DeferredRecords {
    slots: Vec<DeferredRecord>,
    free: Vec<u32>,
}

impl DeferredRecords {
    fn bytes(&self) -> usize {
        let words: usize = self.slots.iter().map(|waiting| waiting.words.len()).sum();
        self.slots.capacity() * size_of::<DeferredRecord>() + 4 * (words + self.free.capacity())
    }

    fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Adds a record to a list, or begins one; the list.
    #[expect(
        clippy::indexing_slicing,
        reason = "a place is that of a slot which was pushed before"
    )]
    fn add(&mut self, list: Option<u32>, mut waiting: DeferredRecord) -> Result<u32, String> {
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.slots.len() < MAX_IDS as usize => {
                self.slots.push(DeferredRecord::default());
                self.slots.len() as u32 - 1
            }
            None => return Err("more than two billion records that wait".to_owned()),
        };
        waiting.next = match list {
            Some(last) => std::mem::replace(&mut self.slots[last as usize].next, place),
            None => place,
        };
        self.slots[place as usize] = waiting;
        Ok(place)
    }

    /// The place of the first of a list.
    #[expect(
        clippy::indexing_slicing,
        reason = "a place is that of a slot which was pushed before"
    )]
    fn first(&self, list: u32) -> u32 {
        self.slots[list as usize].next
    }

    /// Takes out a record.
    #[expect(
        clippy::indexing_slicing,
        reason = "a place is that of a slot which was pushed before"
    )]
    fn take(&mut self, place: u32) -> DeferredRecord {
        self.free.push(place);
        std::mem::take(&mut self.slots[place as usize])
    }
}
