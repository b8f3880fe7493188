//! Random access to a growth journal too large for memory: an index file of checkpoints, each with the most visited part of
//! the tree and the iterations since the previous checkpoint.
//!
//! A checkpoint holds the state at the end of the iterations it covers; earlier ones are reached by subtracting iterations.
//! Visits never decrease, so every node that has `min_visits` at some time within the range is present, with exact
//! statistics; updates below count for the deepest ancestor that is present. A checkpoint is self-contained: showing a tree
//! reads nothing of the journal itself.
//!
//! While the journal is read (`tracker`), nodes with few visits at that time are dropped, although some of them may become
//! important later. Where that has happened, a journal that has ended is read twice more: once to count the final visits of
//! each node, once guided by them.

mod checkpoint_store;
mod codec;
mod loaded_checkpoint;
mod paged_table;
mod partial_tree;
mod tracker;
mod visit_count;

use std::{
    io,
    path::{Path, PathBuf},
};

use self::{
    checkpoint_store::{CheckpointStore, JournalIdentity},
    loaded_checkpoint::LoadedCheckpoint,
    paged_table::PagedTable,
    partial_tree::{PartialIteration, PartialTreeNode},
    tracker::{FinalVisits, PartialTreeTracker, TRACKED_NODE_BYTES, TrackerLimits},
    visit_count::VisitCount,
};
use super::{
    TreeError,
    growth::{GrowthJournalFile, HEADER_BYTES, JournalKind},
    replay_reader::RootMoveTally,
};
use crate::{games::MoveCode, search::growth_records::TRUNCATED_RECORD};

pub(super) use self::partial_tree::{PartialTree, PartialTreeView as View};

/// Limits of a replay: memory, tree size, index directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayLimits {
    /// Total memory in bytes; 0 for no limit.
    pub max_bytes: usize,
    /// The most nodes that a tree may have that is shown whole.
    pub max_nodes: usize,
    /// Where indexes are kept; in memory if there is no such directory.
    pub cache_directory: Option<PathBuf>,
}

/// Bytes that are read at a time.
const MAX_CHUNK_BYTES: usize = 1 << 20;
/// Upper bounds of the iterations between two checkpoints, and of a checkpoint's nodes: they bound the time of a seek.
const MAX_CHECKPOINT_ITERATIONS: usize = 1 << 18;
const MAX_CHECKPOINT_NODES: usize = 400_000;
/// More nodes than these are not tracked, for every checkpoint looks at all of them.
const MAX_TRACKED_NODES: usize = 2_000_000;
/// Minimum memory for records of several threads that wait for each other, in bytes.
const MIN_DEFERRED_BYTES: usize = 4 << 20;
/// Bytes at the beginning and at the end of a journal that identify it.
const FINGERPRINT_BYTES: u64 = 1 << 16;

/// How the memory is divided.
#[derive(Clone, Copy, Debug)]
struct IndexBudget {
    tracker: TrackerLimits,
    max_iterations: usize,
    max_nodes: usize,
    final_visits_bytes: usize,
    max_in_memory_bytes: usize,
    chunk_bytes: usize,
}

impl IndexBudget {
    fn from_limits(limits: &ReplayLimits) -> Self {
        let bytes = limits.max_bytes;
        // Sixteenths: 6 tracked nodes, 4 their numbers, 2 iterations, 2 the tree shown, 1 reading, 1 spare. The tree shown
        // exists twice while one part replaces the other.
        let part = bytes / 16;
        let step = size_of::<PartialIteration>();
        Self {
            tracker: TrackerLimits {
                max_nodes: (6 * part / TRACKED_NODE_BYTES).clamp(64, MAX_TRACKED_NODES),
                owner_table_bytes: 3 * part,
                max_deferred_bytes: part.max(MIN_DEFERRED_BYTES),
            },
            max_iterations: (part / (2 * step)).clamp(256, MAX_CHECKPOINT_ITERATIONS),
            max_nodes: (part / (size_of::<PartialTreeNode>() + 16))
                .min(limits.max_nodes)
                .clamp(64, MAX_CHECKPOINT_NODES),
            final_visits_bytes: part,
            max_in_memory_bytes: 2 * part,
            chunk_bytes: (part / 2).clamp(1 << 14, MAX_CHUNK_BYTES),
        }
    }
}

/// The current pass over the journal.
enum IndexPhase {
    /// It is read for the first time, or followed.
    FirstPass(Box<PartialTreeTracker>),
    /// Visits are counted: where each node ends, from the beginning to the end; then the children's for their parents, from
    /// the end to the beginning.
    CountVisits(Box<VisitCount>),
    /// It is read with a guide.
    SecondPass(Box<(PartialTreeTracker, CheckpointStore)>),
    Done,
}

/// A journal of a tree with its index.
pub(super) struct JournalIndex {
    path: PathBuf,
    file: GrowthJournalFile,
    cache_directory: Option<PathBuf>,
    budget: IndexBudget,
    store: CheckpointStore,
    phase: IndexPhase,
    loaded: Option<LoadedCheckpoint>,
    words: Vec<u32>,
    /// Set when the whole journal has been read.
    finished: Option<FinishedIndex>,
    /// Why reading stopped early, if it did.
    stop_reason: Option<String>,
}

struct FinishedIndex {
    iterations: u32,
    ended_early: bool,
    tally: RootMoveTally,
    root_moves: Vec<(MoveCode, u32)>,
}

impl JournalIndex {
    /// Opens a journal of a tree: with the index that was built before, or to build one.
    pub(super) fn open(
        path: &Path,
        file: GrowthJournalFile,
        limits: &ReplayLimits,
    ) -> Result<Self, TreeError> {
        let division = IndexBudget::from_limits(limits);
        let found =
            (limits.cache_directory.as_deref()).and_then(|cache| Self::find(path, &file, cache));
        let mut index = Self {
            path: path.to_owned(),
            cache_directory: limits.cache_directory.clone(),
            budget: division,
            store: CheckpointStore::create(None, path),
            phase: IndexPhase::Done,
            loaded: None,
            words: Vec::new(),
            finished: None,
            stop_reason: None,
            file,
        };
        match found {
            Some((store, finished, is_refined)) => {
                index.store = store;
                index.finished = Some(finished);
                if !is_refined {
                    index.begin_visit_count()?;
                }
            }
            None => index.restart()?,
        }
        Ok(index)
    }

    fn find(
        path: &Path,
        file: &GrowthJournalFile,
        cache: &Path,
    ) -> Option<(CheckpointStore, FinishedIndex, bool)> {
        let hashes = |bytes: u64| (bytes == file.committed()).then(|| fingerprint(file, bytes))?;
        let (store, journal, tally) = CheckpointStore::open(cache, path, hashes)?;
        let (tally, root_moves) = RootMoveTally::from_bytes(&tally)?;
        let finished = FinishedIndex {
            iterations: store.entries.last().map_or(0, |entry| entry.end),
            ended_early: journal.ended_early,
            tally,
            root_moves,
        };
        Some((store, finished, journal.is_refined))
    }

    /// Begins from the beginning.
    fn restart(&mut self) -> Result<(), TreeError> {
        self.loaded = None;
        self.finished = None;
        self.store = CheckpointStore::create(self.cache_directory.as_deref(), &self.path);
        self.phase = IndexPhase::FirstPass(Box::new(self.tracker(None)?));
        Ok(())
    }

    fn tracker(&self, guide: Option<FinalVisits>) -> Result<PartialTreeTracker, TreeError> {
        PartialTreeTracker::new(
            self.file.kind(),
            self.file.root(),
            self.budget.tracker,
            self.create_scratch_file("numbers"),
            guide,
        )
    }

    fn create_scratch_file(&self, name: &str) -> Option<std::fs::File> {
        checkpoint_store::create_scratch_file(self.cache_directory.as_deref()?, name)
    }

    /// Iterations that can be shown.
    pub(super) fn iterations(&self) -> u32 {
        match (&self.finished, &self.phase) {
            (Some(finished), _) => finished.iterations,
            (None, IndexPhase::FirstPass(tracker)) => tracker.iterations(),
            _ => 0,
        }
    }

    pub(super) fn ended(&self) -> Option<bool> {
        self.finished.as_ref().map(|finished| finished.ended_early)
    }

    pub(super) fn kind(&self) -> JournalKind {
        self.file.kind()
    }

    pub(super) fn tally(&self) -> Option<&RootMoveTally> {
        match (&self.finished, &self.phase) {
            (Some(finished), _) => Some(&finished.tally),
            (None, IndexPhase::FirstPass(tracker)) => Some(&tracker.tally),
            _ => None,
        }
    }

    /// The root's moves: codes, and visits inherited from the search before.
    pub(super) fn root_moves(&self) -> Vec<(MoveCode, u32)> {
        match (&self.finished, &self.phase) {
            (Some(finished), _) => finished.root_moves.clone(),
            (None, IndexPhase::FirstPass(tracker)) => tracker.root_moves(),
            _ => Vec::new(),
        }
    }

    /// Bytes of records read, and committed.
    pub(super) fn progress(&self) -> (u64, u64) {
        let read = match (&self.finished, &self.phase) {
            (None, IndexPhase::FirstPass(tracker)) => tracker.bytes_read(),
            _ => self.file.committed(),
        };
        (read, self.file.committed())
    }

    /// Whether work is pending.
    pub(super) fn is_behind(&self) -> bool {
        let (read, committed) = self.progress();
        self.stop_reason.is_none() && (read < committed || self.is_refining())
    }

    /// Whether all iterations can be shown while a better choice of nodes is being computed.
    pub(super) fn is_refining(&self) -> bool {
        matches!(
            self.phase,
            IndexPhase::CountVisits(_) | IndexPhase::SecondPass(_)
        )
    }

    pub(super) fn stop_reason(&self) -> Option<&str> {
        self.stop_reason.as_deref()
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        let phase = match &self.phase {
            IndexPhase::FirstPass(tracker) => tracker.bytes(),
            IndexPhase::CountVisits(count) => {
                count.visits.bytes() + 8 * count.chunk_offsets.capacity()
            }
            IndexPhase::SecondPass(second) => second.0.bytes() + second.1.bytes(),
            IndexPhase::Done => 0,
        };
        let loaded = self.loaded.as_ref().map_or(0, |loaded| {
            loaded.part.bytes() + loaded.iterations.capacity() * size_of::<PartialIteration>()
        });
        let tally = (self.finished.as_ref()).map_or(0, |finished| finished.tally.bytes());
        phase + tally + loaded + self.store.bytes() + 4 * self.words.capacity()
    }

    /// The bytes of the index.
    pub(super) fn index_bytes(&self) -> u64 {
        self.store.len()
    }

    /// Updates the committed length of the journal.
    pub(super) fn refresh(&mut self) -> Result<(), TreeError> {
        if self.finished.is_none() {
            self.file.refresh()?;
        }
        Ok(())
    }

    /// Processes the next chunk; true if more can be shown than before.
    pub(super) fn advance(&mut self) -> Result<bool, TreeError> {
        if self.stop_reason.is_some() {
            return Ok(false);
        }
        match std::mem::replace(&mut self.phase, IndexPhase::Done) {
            IndexPhase::Done => Ok(false),
            IndexPhase::FirstPass(mut tracker) => {
                let before = (tracker.iterations(), tracker.ended());
                let mut store =
                    std::mem::replace(&mut self.store, CheckpointStore::create(None, &self.path));
                let result = self.read_chunk(&mut tracker, &mut store);
                self.store = store;
                let ended = tracker.ended();
                let has_more = before != (tracker.iterations(), ended);
                match (result, ended) {
                    (Err(error), _) => self.stop(&tracker, error)?,
                    (Ok(()), Some(early)) => self.finish_first_pass(&mut tracker, early)?,
                    (Ok(()), None) => self.phase = IndexPhase::FirstPass(tracker),
                }
                Ok(has_more)
            }
            IndexPhase::CountVisits(count) => self.count_visits(*count).map(|()| false),
            IndexPhase::SecondPass(mut second) => {
                let (tracker, store) = &mut *second;
                self.read_chunk(tracker, store)?;
                if tracker.ended().is_some() {
                    return self.finish_second_pass(*second).map(|()| true);
                }
                self.phase = IndexPhase::SecondPass(second);
                Ok(false)
            }
        }
    }

    /// Reads a piece of the journal into a tracker, with the checkpoints that are due.
    #[expect(
        clippy::indexing_slicing,
        reason = "the tracker consumes at most the words it is given"
    )]
    fn read_chunk(
        &mut self,
        tracker: &mut PartialTreeTracker,
        store: &mut CheckpointStore,
    ) -> Result<(), TreeError> {
        let mut chunk = self.budget.chunk_bytes;
        loop {
            self.file
                .read_words(tracker.bytes_read(), chunk, &mut self.words)?;
            let mut rest = &self.words[..];
            let mut is_torn = false;
            while !rest.is_empty() && !is_torn {
                let most = self.budget.max_iterations;
                let read = tracker.read_words(rest, most)?;
                rest = &rest[read..];
                let is_full = tracker.pending_iteration_count() >= most;
                if is_full || tracker.ended().is_some() {
                    write_checkpoint(tracker, store, &self.budget)?;
                }
                is_torn = !is_full && !rest.is_empty();
            }
            let left = self.file.committed() - tracker.bytes_read();
            if rest.len() < self.words.len() || self.words.is_empty() {
                if left > 0 && left < 4 {
                    let problem = "a record that is not complete";
                    return Err(TreeError::at_byte(
                        HEADER_BYTES + tracker.bytes_read(),
                        problem,
                    ));
                }
                break;
            }
            // Not one record: it is longer than a piece, or it is torn.
            if chunk as u64 >= left {
                return Err(TreeError::at_byte(
                    HEADER_BYTES + tracker.bytes_read(),
                    TRUNCATED_RECORD,
                ));
            }
            chunk *= 2;
        }
        if store.is_in_memory() && store.bytes() > self.budget.max_in_memory_bytes {
            let problem =
                "the index fits neither into the memory budget nor into the cache directory";
            return Err(out_of_memory_error(problem).into());
        }
        Ok(())
    }

    /// When memory is exhausted, keeps what can be shown and reads no more; other errors are returned.
    fn stop(&mut self, tracker: &PartialTreeTracker, error: TreeError) -> Result<(), TreeError> {
        let iterations = self.store.entries.last().map_or(0, |entry| entry.end);
        match &error {
            TreeError::Io(problem)
                if problem.kind() == io::ErrorKind::OutOfMemory && iterations > 0 =>
            {
                self.stop_reason =
                    Some(format!("{problem}: its iterations up to here can be shown"));
                self.finished = Some(FinishedIndex {
                    iterations,
                    ended_early: true,
                    tally: tracker.tally.clone(),
                    root_moves: tracker.root_moves(),
                });
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// All is read: the index gets its name. If nodes were dropped that mattered later, it is made once more.
    fn finish_first_pass(
        &mut self,
        tracker: &mut PartialTreeTracker,
        early: bool,
    ) -> Result<(), TreeError> {
        let is_refined = !tracker.has_lost_nodes();
        let mut store =
            std::mem::replace(&mut self.store, CheckpointStore::create(None, &self.path));
        self.finish(tracker, &mut store, early, is_refined);
        self.store = store;
        if !is_refined {
            self.begin_visit_count()?;
        }
        Ok(())
    }

    fn finish(
        &mut self,
        tracker: &PartialTreeTracker,
        store: &mut CheckpointStore,
        early: bool,
        is_refined: bool,
    ) {
        let bytes = self.file.committed();
        let root_moves = tracker.root_moves();
        let room = bytes.saturating_sub(store.len() + store.directory_bytes());
        if let Some(tally) = tracker.tally.to_bytes(&root_moves, room as usize)
            && let Some(hashes) = fingerprint(&self.file, bytes)
        {
            let journal = JournalIdentity {
                bytes,
                hashes,
                ended_early: early,
                is_refined,
            };
            store.finish(&journal, &tally);
        }
        self.finished = Some(FinishedIndex {
            iterations: tracker.iterations(),
            ended_early: early,
            tally: tracker.tally.clone(),
            root_moves,
        });
    }

    fn finish_second_pass(
        &mut self,
        (tracker, mut store): (PartialTreeTracker, CheckpointStore),
    ) -> Result<(), TreeError> {
        let early = tracker.ended() == Some(true);
        self.finish(&tracker, &mut store, early, true);
        self.store = store;
        self.loaded = None;
        Ok(())
    }

    /// Moves to the tree after `to` iterations, at most the last.
    pub(super) fn seek(&mut self, to: u32) -> Result<(), TreeError> {
        let to = to.min(self.iterations());
        if !(self.loaded.as_ref()).is_some_and(|loaded| loaded.covers(to)) {
            self.load(to)?;
        }
        if let Some(loaded) = &mut self.loaded {
            loaded.seek(to);
        }
        Ok(())
    }

    /// Loads the checkpoint that covers an iteration. A damaged index is rebuilt first.
    fn load(&mut self, to: u32) -> Result<(), TreeError> {
        if self.try_load(to)? {
            return Ok(());
        }
        let damaged = std::mem::replace(&mut self.store, CheckpointStore::create(None, &self.path));
        damaged.remove();
        self.restart()?;
        while self.finished.is_none() && self.is_behind() {
            self.advance()?;
        }
        if self.try_load(to)? {
            return Ok(());
        }
        let problem = "its index was damaged, and could not be built again";
        Err(io::Error::other(problem).into())
    }

    /// Loads the checkpoint that covers an iteration; false if there is no sound one.
    fn try_load(&mut self, to: u32) -> Result<bool, TreeError> {
        // Free the old checkpoint before loading the new one.
        self.loaded = None;
        let index = (self.store.entries).partition_point(|entry| entry.end < to);
        let found = if let Some(&entry) = self.store.entries.get(index) {
            let kind = self.kind();
            let found = self.store.read(entry)?;
            (found.and_then(|bytes| codec::decode(kind, &bytes)))
                .filter(|(part, _)| part.iteration == entry.end)
        } else if let IndexPhase::FirstPass(tracker) = &mut self.phase {
            Some(tracker.most_visited_part(self.budget.max_nodes))
        } else {
            None
        };
        self.loaded = (found.map(LoadedCheckpoint::new)).filter(|loaded| loaded.covers(to));
        Ok(self.loaded.is_some())
    }

    /// The current tree, and the deepest node of the last iteration's path that it contains.
    pub(super) fn current(&self) -> Option<(&PartialTree, Option<u32>)> {
        let loaded = self.loaded.as_ref()?;
        let last = (loaded.part.iteration - loaded.begin).checked_sub(1);
        Some((
            &loaded.part,
            last.and_then(|last| loaded.iterations.get(last as usize))
                .map(|step| step.node),
        ))
    }
}

/// The error when a limit leaves no room for required data.
fn out_of_memory_error(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, problem)
}

/// Writes down where a tracker stands, in no more bytes than the journal has.
fn write_checkpoint(
    tracker: &mut PartialTreeTracker,
    store: &mut CheckpointStore,
    budget: &IndexBudget,
) -> Result<(), TreeError> {
    // Part of the remaining room is reserved for the directory and the tally.
    let read = tracker.bytes_read() + HEADER_BYTES;
    let room = (read - read / 16).saturating_sub(store.len() + store.directory_bytes()) as usize;
    let mut most = budget
        .max_nodes
        .min(room.saturating_sub(6 * tracker.pending_iteration_count()) / 12)
        .max(1);
    loop {
        let (part, steps) = tracker.most_visited_part(most);
        let bytes = codec::encode(&part, &steps);
        if bytes.len() <= room || part.nodes.len() == 1 {
            store.add(part.iteration, &bytes)?;
            tracker.clear_iterations();
            return Ok(());
        }
        let fitting = part.nodes.len() as u128 * room as u128 / bytes.len() as u128;
        most = (fitting as usize * 7 / 8).min(part.nodes.len() - 1).max(1);
    }
}

/// The fingerprint of a journal of `bytes` bytes.
fn fingerprint(file: &GrowthJournalFile, bytes: u64) -> Option<[u64; 2]> {
    let mut words = Vec::new();
    let mut hash = |begin: u64| {
        file.read_words(begin, FINGERPRINT_BYTES as usize, &mut words)
            .ok()?;
        Some(checkpoint_store::hash(bytemuck::cast_slice(&words)))
    };
    let begin = hash(0)?;
    Some([
        begin,
        hash(bytes.saturating_sub(FINGERPRINT_BYTES) / 4 * 4)?,
    ])
}
