//! Any iteration of a journal too large for memory: checkpoints in an index file, each with the most visited part of the tree
//! and the iterations since the one before it.
//!
//! A checkpoint stands at the end of the iterations it covers, and others are reached from there by taking iterations
//! back. A node that has `least` visits at some time before has as many at the end: so every node with as many is there, and
//! its figures are exact. What lies below counts for the last node above it that is there. A checkpoint and its iterations
//! are self-contained: to show a tree, nothing is read of the journal itself.
//!
//! While the journal is read (`tracker`), nodes are dropped whose visits are few at that time; some of them may have
//! become important later. Where that has happened, a journal that has ended is read twice more: once to count the visits
//! that each node has in the end, once with these as a guide.

mod codec;
mod paged;
mod part;
mod store;
mod tracker;

use std::{
    io,
    path::{Path, PathBuf},
};

use self::{
    paged::PagedTable,
    part::{PartNode, Step},
    store::{Journal, Store},
    tracker::{Guide, NODE_BYTES, Sizes, Tracker},
};
use super::{
    TreeError,
    film::Tally,
    growth::{HEADER, JournalFile, Kind},
};
use crate::search::growth::{Record, TORN, decode};

pub(super) use self::part::{Part, PartView as View};

/// What a journal may take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory, with everything; 0 for no limit.
    pub bytes: usize,
    /// The most nodes that a tree may have that is shown whole.
    pub nodes: usize,
    /// Where indexes are kept; in memory if there is no such directory.
    pub cache: Option<PathBuf>,
}

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;
/// The most iterations between two checkpoints, and the most nodes of one: they decide how long it takes to get to an
/// iteration.
const MAX_STEPS: usize = 1 << 18;
const MAX_KEPT: usize = 400_000;
/// More nodes than these are not tracked, for every checkpoint looks at all of them.
const MAX_TRACKED: usize = 2_000_000;
/// Records of several threads that wait for each other may take so many bytes in any case.
const LEAST_EARLY: usize = 4 << 20;
/// A journal is known by so many bytes of its beginning and its end.
const KNOWN_BY: u64 = 1 << 16;

/// How the memory is divided.
#[derive(Clone, Copy, Debug)]
struct Division {
    tracker: Sizes,
    steps: usize,
    kept: usize,
    guide: usize,
    memory_store: usize,
    chunk: usize,
}

impl Division {
    fn of(limits: &Limits) -> Self {
        let bytes = limits.bytes;
        // Of sixteen parts: 6 for what is tracked, 4 for its numbers, 2 for iterations, 2 for what is shown, 1 to read, and
        // 1 is spare. What is shown is there twice while one part makes way for the next.
        let part = bytes / 16;
        let step = size_of::<Step>();
        Self {
            tracker: Sizes {
                nodes: (6 * part / NODE_BYTES).clamp(64, MAX_TRACKED),
                table: 3 * part,
                early: part.max(LEAST_EARLY),
            },
            steps: (part / (2 * step)).clamp(256, MAX_STEPS),
            kept: (part / (size_of::<PartNode>() + 16))
                .min(limits.nodes)
                .clamp(64, MAX_KEPT),
            guide: part,
            memory_store: 2 * part,
            chunk: (part / 2).clamp(1 << 14, CHUNK),
        }
    }
}

/// A checkpoint that was turned to one of its iterations.
struct Loaded {
    part: Part,
    /// The iterations it covers, from `begin` on.
    steps: Vec<Step>,
    begin: u32,
}

impl Loaded {
    fn new((part, steps): (Part, Vec<Step>)) -> Self {
        let begin = part.at - steps.len() as u32;
        Self { part, steps, begin }
    }

    /// Whether the tree after so many iterations can be made of it.
    fn covers(&self, at: u32) -> bool {
        let end = self.begin + self.steps.len() as u32;
        (self.begin < at && at <= end) || (at == 0 && self.begin == 0)
    }

    fn turn(&mut self, to: u32) {
        let (now, to_step) = (
            (self.part.at - self.begin) as usize,
            (to - self.begin) as usize,
        );
        if now < to_step {
            self.part.walk(&self.steps[now..to_step], true);
        } else {
            self.part.walk(&self.steps[to_step..now], false);
        }
    }
}

/// What is done with the journal at present.
enum Phase {
    /// It is read for the first time, or followed.
    First(Box<Tracker>),
    /// Visits are counted: where each node ends, from the beginning to the end; then the children's for their parents, from
    /// the end to the beginning.
    Count(Box<Count>),
    /// It is read with a guide.
    Second(Box<(Tracker, Store)>),
    Done,
}

struct Count {
    visits: PagedTable,
    /// Where pieces of whole records begin, and where the last ends.
    pieces: Vec<u64>,
    is_forwards: bool,
}

/// A journal of a tree with its index.
pub(super) struct JournalIndex {
    path: PathBuf,
    file: JournalFile,
    cache: Option<PathBuf>,
    division: Division,
    store: Store,
    phase: Phase,
    loaded: Option<Loaded>,
    words: Vec<u32>,
    /// What is known when all is read.
    finished: Option<Finished>,
    /// Why it goes no further.
    stopped: Option<String>,
}

struct Finished {
    iterations: u32,
    early: bool,
    tally: Tally,
    root_moves: Vec<(u16, u32)>,
}

impl JournalIndex {
    /// Opens a journal of a tree: with the index that was built before, or to build one.
    pub(super) fn open(path: &Path, file: JournalFile, limits: &Limits) -> Result<Self, TreeError> {
        let division = Division::of(limits);
        let found = (limits.cache.as_deref()).and_then(|cache| Self::find(path, &file, cache));
        let mut index = Self {
            path: path.to_owned(),
            cache: limits.cache.clone(),
            division,
            store: Store::create(None, path),
            phase: Phase::Done,
            loaded: None,
            words: Vec::new(),
            finished: None,
            stopped: None,
            file,
        };
        match found {
            Some((store, finished, is_refined)) => {
                index.store = store;
                index.finished = Some(finished);
                if !is_refined {
                    index.begin_count()?;
                }
            }
            None => index.restart()?,
        }
        Ok(index)
    }

    fn find(path: &Path, file: &JournalFile, cache: &Path) -> Option<(Store, Finished, bool)> {
        let hashes = |bytes: u64| (bytes == file.committed()).then(|| fingerprint(file, bytes))?;
        let (store, journal, tally) = Store::open(cache, path, hashes)?;
        let (tally, root_moves) = Tally::from_bytes(&tally)?;
        let finished = Finished {
            iterations: store.entries.last().map_or(0, |entry| entry.end),
            early: journal.ended_early,
            tally,
            root_moves,
        };
        Some((store, finished, journal.is_refined))
    }

    /// Begins from the beginning.
    fn restart(&mut self) -> Result<(), TreeError> {
        self.loaded = None;
        self.finished = None;
        self.store = Store::create(self.cache.as_deref(), &self.path);
        self.phase = Phase::First(Box::new(self.tracker(None)?));
        Ok(())
    }

    fn tracker(&self, guide: Option<Guide>) -> Result<Tracker, TreeError> {
        Tracker::new(
            self.file.kind(),
            self.file.root(),
            self.division.tracker,
            self.scratch("numbers"),
            guide,
        )
    }

    fn scratch(&self, name: &str) -> Option<std::fs::File> {
        store::scratch(self.cache.as_deref()?, name)
    }

    fn begin_count(&mut self) -> Result<(), TreeError> {
        let scratch = self.scratch("visits");
        self.phase = Phase::Count(Box::new(Count {
            visits: PagedTable::new(self.division.guide, scratch),
            pieces: vec![0],
            is_forwards: true,
        }));
        Ok(())
    }

    /// Iterations that can be shown.
    pub(super) fn iterations(&self) -> u32 {
        match (&self.finished, &self.phase) {
            (Some(finished), _) => finished.iterations,
            (None, Phase::First(tracker)) => tracker.iterations(),
            _ => 0,
        }
    }

    pub(super) fn ended(&self) -> Option<bool> {
        self.finished.as_ref().map(|finished| finished.early)
    }

    pub(super) fn kind(&self) -> Kind {
        self.file.kind()
    }

    pub(super) fn tally(&self) -> Option<&Tally> {
        match (&self.finished, &self.phase) {
            (Some(finished), _) => Some(&finished.tally),
            (None, Phase::First(tracker)) => Some(&tracker.tally),
            _ => None,
        }
    }

    /// The root's moves: their codes, and how often each was followed before the search.
    pub(super) fn root_moves(&self) -> Vec<(u16, u32)> {
        match (&self.finished, &self.phase) {
            (Some(finished), _) => finished.root_moves.clone(),
            (None, Phase::First(tracker)) => tracker.root_moves(),
            _ => Vec::new(),
        }
    }

    /// Bytes of records that were read, and how many there are.
    pub(super) fn progress(&self) -> (u64, u64) {
        let read = match (&self.finished, &self.phase) {
            (None, Phase::First(tracker)) => tracker.read(),
            _ => self.file.committed(),
        };
        (read, self.file.committed())
    }

    /// Whether there is something to be done at once.
    pub(super) fn is_behind(&self) -> bool {
        let (read, committed) = self.progress();
        self.stopped.is_none() && (read < committed || self.is_refining())
    }

    /// Whether all iterations can be shown, but a better choice of nodes is on its way.
    pub(super) fn is_refining(&self) -> bool {
        matches!(self.phase, Phase::Count(_) | Phase::Second(_))
    }

    pub(super) fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        let phase = match &self.phase {
            Phase::First(tracker) => tracker.bytes(),
            Phase::Count(count) => count.visits.bytes() + 8 * count.pieces.capacity(),
            Phase::Second(second) => second.0.bytes() + second.1.bytes(),
            Phase::Done => 0,
        };
        let loaded = self.loaded.as_ref().map_or(0, |loaded| {
            loaded.part.bytes() + loaded.steps.capacity() * size_of::<Step>()
        });
        let tally = (self.finished.as_ref()).map_or(0, |finished| finished.tally.bytes());
        phase + tally + loaded + self.store.bytes() + 4 * self.words.capacity()
    }

    /// The bytes of the index.
    pub(super) fn index_bytes(&self) -> u64 {
        self.store.len()
    }

    /// Looks whether the journal is longer now.
    pub(super) fn refresh(&mut self) -> Result<(), TreeError> {
        if self.finished.is_none() {
            self.file.refresh()?;
        }
        Ok(())
    }

    /// Reads on by a piece; whether there is more to show than before.
    pub(super) fn advance(&mut self) -> Result<bool, TreeError> {
        if self.stopped.is_some() {
            return Ok(false);
        }
        match std::mem::replace(&mut self.phase, Phase::Done) {
            Phase::Done => Ok(false),
            Phase::First(mut tracker) => {
                let before = (tracker.iterations(), tracker.ended());
                let mut store = std::mem::replace(&mut self.store, Store::create(None, &self.path));
                let result = self.track(&mut tracker, &mut store);
                self.store = store;
                let ended = tracker.ended();
                let has_more = before != (tracker.iterations(), ended);
                match (result, ended) {
                    (Err(error), _) => self.stop(&tracker, error)?,
                    (Ok(()), Some(early)) => self.finish_first(&mut tracker, early)?,
                    (Ok(()), None) => self.phase = Phase::First(tracker),
                }
                Ok(has_more)
            }
            Phase::Count(count) => self.count(*count).map(|()| false),
            Phase::Second(mut second) => {
                let (tracker, store) = &mut *second;
                self.track(tracker, store)?;
                if tracker.ended().is_some() {
                    return self.finish_second(*second).map(|()| true);
                }
                self.phase = Phase::Second(second);
                Ok(false)
            }
        }
    }

    /// Reads a piece of the journal into a tracker, with the checkpoints that are due.
    fn track(&mut self, tracker: &mut Tracker, store: &mut Store) -> Result<(), TreeError> {
        let mut chunk = self.division.chunk;
        loop {
            self.file
                .read_words(tracker.read(), chunk, &mut self.words)?;
            let mut rest = &self.words[..];
            let mut is_torn = false;
            while !rest.is_empty() && !is_torn {
                let most = self.division.steps;
                let read = tracker.read_words(rest, most)?;
                rest = &rest[read..];
                let is_full = tracker.waiting_steps() >= most;
                if is_full || tracker.ended().is_some() {
                    checkpoint(tracker, store, &self.division)?;
                }
                is_torn = !is_full && !rest.is_empty();
            }
            let left = self.file.committed() - tracker.read();
            if rest.len() < self.words.len() || self.words.is_empty() {
                if left > 0 && left < 4 {
                    let problem = "a record that is not complete";
                    return Err(TreeError::at_byte(HEADER + tracker.read(), problem));
                }
                break;
            }
            // Not one record: it is longer than a piece, or it is torn.
            if chunk as u64 >= left {
                return Err(TreeError::at_byte(HEADER + tracker.read(), TORN));
            }
            chunk *= 2;
        }
        if store.is_in_memory() && store.bytes() > self.division.memory_store {
            let problem =
                "the index fits neither into the memory budget nor into the cache directory";
            return Err(out_of_memory(problem).into());
        }
        Ok(())
    }

    /// If the memory is used up, what there is can be shown, and no more is read; other errors are returned.
    fn stop(&mut self, tracker: &Tracker, error: TreeError) -> Result<(), TreeError> {
        let iterations = self.store.entries.last().map_or(0, |entry| entry.end);
        match &error {
            TreeError::Io(problem)
                if problem.kind() == io::ErrorKind::OutOfMemory && iterations > 0 =>
            {
                self.stopped = Some(format!("{problem}: its iterations up to here can be shown"));
                self.finished = Some(Finished {
                    iterations,
                    early: true,
                    tally: tracker.tally.clone(),
                    root_moves: tracker.root_moves(),
                });
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// All is read: the index gets its name. If nodes were dropped that mattered later, it is made once more.
    fn finish_first(&mut self, tracker: &mut Tracker, early: bool) -> Result<(), TreeError> {
        let is_refined = !tracker.was_raised();
        let mut store = std::mem::replace(&mut self.store, Store::create(None, &self.path));
        self.finish(tracker, &mut store, early, is_refined);
        self.store = store;
        if !is_refined {
            self.begin_count()?;
        }
        Ok(())
    }

    fn finish(&mut self, tracker: &Tracker, store: &mut Store, early: bool, is_refined: bool) {
        let bytes = self.file.committed();
        let root_moves = tracker.root_moves();
        let room = bytes.saturating_sub(store.len() + store.directory_bytes());
        if let Some(tally) = tracker.tally.to_bytes(&root_moves, room as usize)
            && let Some(hashes) = fingerprint(&self.file, bytes)
        {
            let journal = Journal {
                bytes,
                hashes,
                ended_early: early,
                is_refined,
            };
            store.finish(&journal, &tally);
        }
        self.finished = Some(Finished {
            iterations: tracker.iterations(),
            early,
            tally: tracker.tally.clone(),
            root_moves,
        });
    }

    fn finish_second(&mut self, (tracker, mut store): (Tracker, Store)) -> Result<(), TreeError> {
        let early = tracker.ended() == Some(true);
        self.finish(&tracker, &mut store, early, true);
        self.store = store;
        self.loaded = None;
        Ok(())
    }

    /// Counts visits in a piece of the journal.
    fn count(&mut self, mut count: Count) -> Result<(), TreeError> {
        let committed = self.file.committed();
        if count.is_forwards {
            let begin = count.pieces[count.pieces.len() - 1];
            self.file
                .read_words(begin, self.division.chunk, &mut self.words)?;
            let mut rest = &self.words[..];
            while let Ok((record, behind)) = decode(rest) {
                if let Record::Leaf { node, .. } = record {
                    let visits = count.visits.entry(node)?;
                    *visits = visits.saturating_add(1);
                }
                rest = behind;
            }
            let read = 4 * (self.words.len() - rest.len()) as u64;
            // What cannot be read here was read before: a record longer than a piece tells of no visits.
            let read = if read == 0 {
                self.division.chunk as u64
            } else {
                read
            };
            count.pieces.push((begin + read).min(committed));
            count.is_forwards = begin + read < committed;
        } else if let [.., begin, end] = count.pieces[..] {
            count.pieces.pop();
            self.file
                .read_words(begin, (end - begin) as usize, &mut self.words)?;
            let mut made = Vec::new();
            let mut rest = &self.words[..];
            while let Ok((record, behind)) = decode(rest) {
                if let Record::Moves { node, first, codes } = record {
                    made.push((node, first, codes.count()));
                }
                rest = behind;
            }
            for (node, first, moves) in made.into_iter().rev() {
                let mut sum = 0_u32;
                for child in first..first.saturating_add(moves) {
                    sum = sum.saturating_add(count.visits.get(child)?);
                }
                let visits = count.visits.entry(node)?;
                *visits = visits.saturating_add(sum);
            }
        } else {
            let guide = Guide {
                visits: count.visits,
                iterations: self.iterations(),
            };
            let tracker = self.tracker(Some(guide))?;
            let store = Store::create(self.cache.as_deref(), &self.path);
            self.phase = Phase::Second(Box::new((tracker, store)));
            return Ok(());
        }
        self.phase = Phase::Count(Box::new(count));
        Ok(())
    }

    /// Turns to the tree after so many iterations, at most after the last.
    pub(super) fn seek(&mut self, to: u32) -> Result<(), TreeError> {
        let to = to.min(self.iterations());
        if !(self.loaded.as_ref()).is_some_and(|loaded| loaded.covers(to)) {
            self.load(to)?;
        }
        if let Some(loaded) = &mut self.loaded {
            loaded.turn(to);
        }
        Ok(())
    }

    /// Loads what covers an iteration. A damaged index is built again first.
    fn load(&mut self, to: u32) -> Result<(), TreeError> {
        if self.try_load(to)? {
            return Ok(());
        }
        let damaged = std::mem::replace(&mut self.store, Store::create(None, &self.path));
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

    /// Whether what covers an iteration could be loaded.
    fn try_load(&mut self, to: u32) -> Result<bool, TreeError> {
        // One makes way before the other comes.
        self.loaded = None;
        let index = (self.store.entries).partition_point(|entry| entry.end < to);
        let found = if let Some(&entry) = self.store.entries.get(index) {
            let kind = self.kind();
            let found = self.store.read(index)?;
            (found.and_then(|bytes| codec::decode(kind, &bytes)))
                .filter(|(part, _)| part.at == entry.end)
        } else if let Phase::First(tracker) = &mut self.phase {
            Some(tracker.select(self.division.kept))
        } else {
            None
        };
        self.loaded = (found.map(Loaded::new)).filter(|loaded| loaded.covers(to));
        Ok(self.loaded.is_some())
    }

    /// The tree it was turned to, and the last node of the last iteration's way that it has.
    pub(super) fn shown(&self) -> Option<(&Part, Option<u32>)> {
        let loaded = self.loaded.as_ref()?;
        let last = (loaded.part.at - loaded.begin).checked_sub(1);
        Some((
            &loaded.part,
            last.map(|last| loaded.steps[last as usize].node),
        ))
    }
}

/// There is no room for what would have to be kept.
fn out_of_memory(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, problem)
}

/// Writes down where a tracker stands, in no more bytes than the journal has.
fn checkpoint(
    tracker: &mut Tracker,
    store: &mut Store,
    division: &Division,
) -> Result<(), TreeError> {
    // A part of what there is stays for the directory and the tally.
    let read = tracker.read() + HEADER;
    let room = (read - read / 16).saturating_sub(store.len() + store.directory_bytes()) as usize;
    let mut most = division
        .kept
        .min(room.saturating_sub(6 * tracker.waiting_steps()) / 12)
        .max(1);
    loop {
        let (part, steps) = tracker.select(most);
        let bytes = codec::encode(&part, &steps);
        if bytes.len() <= room || part.nodes.len() == 1 {
            store.add(part.at, &bytes)?;
            tracker.clear_steps();
            return Ok(());
        }
        let fitting = part.nodes.len() as u128 * room as u128 / bytes.len() as u128;
        most = (fitting as usize * 7 / 8).min(part.nodes.len() - 1).max(1);
    }
}

/// What a journal of so many bytes is known by.
fn fingerprint(file: &JournalFile, bytes: u64) -> Option<[u64; 2]> {
    let mut words = Vec::new();
    let mut hash = |begin: u64| {
        file.read_words(begin, KNOWN_BY as usize, &mut words).ok()?;
        Some(store::hash(bytemuck::cast_slice(&words)))
    };
    let begin = hash(0)?;
    Some([begin, hash(bytes.saturating_sub(KNOWN_BY) / 4 * 4)?])
}
