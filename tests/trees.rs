//! Tree files: formats byte for byte, hostile files, growth journals, and the writer.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs,
    io::{self, Seek as _, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use canopy_engine::{
    catalog,
    games::{Game, History, Outcome, Playable, Player, connect_four::ConnectFour, notation},
    rng::Rng,
    search::{
        LiveTree, Search, SearchLimits, SearchReport, SearchTask, SnapshotCallback, StopFlag,
        TreeView,
        growth_records::{FIRST_TAG, GrowthRecord, decode, encode, encode_moves},
    },
    tree::{
        Tree, TreeBuilder, TreeError, TreeRow, binary,
        columns::{self, Column, ColumnValues, Columns},
        csv,
        extra::{self, Extra},
        files::{self, Format},
        growth::{Growth, JournalFollower},
        meta::{self, Meta},
        replay::GrowthReplay,
        replay_reader::ReplayReader,
        snapshot::{self, SnapshotOptions},
        summary,
        writer::{DEFAULT_MAX_JOURNAL_BYTES, TreeOutput, TreeOutputSettings},
    },
};
use proptest::prelude::*;
use support::{Scratch, data};

#[path = "trees/damage.rs"]
mod damage;
#[path = "trees/depths.rs"]
mod depths;
#[path = "trees/formats.rs"]
mod formats;
#[path = "trees/hostile.rs"]
mod hostile;
#[path = "trees/index.rs"]
mod index;
#[path = "trees/journal_lies.rs"]
mod journal_lies;
#[path = "trees/journal_records.rs"]
mod journal_records;
#[path = "trees/playouts.rs"]
mod playouts;
#[path = "trees/replays.rs"]
mod replays;
#[path = "trees/snapshots.rs"]
mod snapshots;
mod support;
#[path = "trees/writer.rs"]
mod writer;

/// A global allocator that counts each thread's allocated bytes and their peak.
struct CountingAllocator;

thread_local! {
    static ALLOCATED_BYTES: Cell<usize> = const { Cell::new(0) };
    static PEAK_BYTES: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator that counts")]
// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = ALLOCATED_BYTES.get() + layout.size();
        ALLOCATED_BYTES.set(now);
        PEAK_BYTES.set(PEAK_BYTES.get().max(now));
        // SAFETY: as asked of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // Another thread may have allocated it.
        ALLOCATED_BYTES.set(ALLOCATED_BYTES.get().saturating_sub(layout.size()));
        // SAFETY: as asked of this function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Runs `work`; returns its result and the peak memory this thread allocated in it.
fn measure_peak_memory<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATED_BYTES.get();
    PEAK_BYTES.set(before);
    let result = work();
    (result, PEAK_BYTES.get() - before)
}

fn to_bytes(tree: &Tree, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    format.write(tree, &mut bytes).unwrap();
    bytes
}

fn from_bytes(bytes: &[u8], format: Format) -> Result<Tree, TreeError> {
    match format {
        Format::Tree => binary::read(bytes),
        Format::Csv => csv::read(|| Ok(bytes)),
    }
}

const FORMATS: [Format; 2] = [Format::Tree, Format::Csv];

fn writer_settings(directory: &Path) -> TreeOutputSettings {
    TreeOutputSettings {
        directory: directory.to_owned(),
        format: Format::Tree,
        snapshot: SnapshotOptions::default(),
        snapshot_interval: None,
        max_journal_bytes: None,
    }
}

/// A writer of trees with growth journals of at most `most` bytes.
fn open_with_journal(directory: &Path, most: u64) -> TreeOutput {
    let settings = TreeOutputSettings {
        max_journal_bytes: Some(most),
        ..writer_settings(directory)
    };
    TreeOutput::open(settings, no_warning()).unwrap()
}

fn no_warning() -> Box<dyn Fn(&str) + Send + Sync> {
    Box::new(|warning| panic!("{warning}"))
}

/// Searches with snapshots and growth journal as `output` is set up, then writes the final tree; returns the chosen move.
fn search_and_write<G: Playable>(
    search: &mut dyn Search<G>,
    position: &G,
    history: &History,
    iterations: u64,
    output: Option<&TreeOutput>,
) -> G::Move {
    let files = output.map(|output| output.begin_search(G::NAME, "test"));
    let limits = SearchLimits::iterations(iterations);
    let mut look = |tree: &dyn LiveTree<G>, _: &SearchReport<G::Move>| {
        if let Some(files) = files.as_ref().filter(|files| files.is_idle()) {
            files.write_growing(|| tree.copy(), Meta::default());
        }
    };
    let every = output.and_then(|output| output.settings().snapshot_interval);
    let choice = search.search(SearchTask {
        snapshots: every.map(|every| SnapshotCallback {
            interval: every,
            callback: &mut look,
        }),
        observer: files.as_ref().and_then(|files| files.observer()),
        ..SearchTask::new(position, history, &limits, &StopFlag::new())
    });
    if let (Some(files), Some(tree)) = (files, search.tree()) {
        let meta = Meta {
            is_final: true,
            ..Meta::default()
        };
        files.finish(|| tree.copy(), meta);
    }
    choice.mv
}

/// The start position of connect four and its history.
fn start_position() -> (ConnectFour, History) {
    let start = ConnectFour::start(());
    let mut history = History::new();
    history.push(&start);
    (start, history)
}

/// The extra records of a tree: the statistics that selection formulas need beside the rows.
fn tree_extras<G: Playable>(view: &dyn TreeView<G>) -> Vec<Extra> {
    let wanted = SnapshotOptions {
        extra: true,
        ..SnapshotOptions::default()
    };
    snapshot::take(view, &wanted).unwrap().extra
}

/// A record as words.
fn record_words(record: GrowthRecord<'_>) -> Vec<u32> {
    let mut words = Vec::new();
    encode(record, &mut words);
    words
}

fn moves_record(node: u32, first: u32, count: u16) -> Vec<u32> {
    let mut words = Vec::new();
    encode_moves(node, first, 0..count, &mut words);
    words
}

fn leaf_record(node: u32) -> Vec<u32> {
    let reward = 1 << 31;
    record_words(GrowthRecord::TreeIteration { node, reward })
}

fn link_record(edge: u32, node: u32) -> Vec<u32> {
    let frame = 0;
    record_words(GrowthRecord::Link { edge, node, frame })
}

fn path_record(edges: &[u32]) -> Vec<u32> {
    let reward = 1 << 32;
    record_words(GrowthRecord::GraphIteration { edges, reward })
}

fn proven_record(node: u32) -> Vec<u32> {
    let outcome = Outcome::Win(Player::First);
    record_words(GrowthRecord::Proven { node, outcome })
}

fn begin_record() -> Vec<u32> {
    record_words(GrowthRecord::SearchStarted)
}

fn end_record(early: bool) -> Vec<u32> {
    record_words(GrowthRecord::End { truncated: early })
}

/// A journal header with no committed records.
fn journal_header(graph: bool, root: u32) -> Vec<u8> {
    let mut header = b"CANOPYG1".to_vec();
    header.extend(u32::from(graph).to_le_bytes());
    header.extend(root.to_le_bytes());
    header.extend([0; 16]);
    header
}

/// A journal of these records, all committed.
fn journal_bytes(header: &[u8], records: &[Vec<u32>]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.extend(records.iter().flatten().flat_map(|word| word.to_le_bytes()));
    let len = bytes.len() as u64 - 32;
    bytes[16..24].copy_from_slice(&len.to_le_bytes());
    bytes
}

/// Splits a journal into its header and records.
fn split_journal(bytes: &[u8]) -> (Vec<u8>, Vec<Vec<u32>>) {
    let (header, rest) = bytes.split_at(32);
    let all: Vec<u32> = rest
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect();
    let mut rest = &all[..];
    let mut records = Vec::new();
    while !rest.is_empty() {
        let (_, behind) = decode(rest).unwrap();
        records.push(rest[..rest.len() - behind.len()].to_vec());
        rest = behind;
    }
    (header.to_vec(), records)
}

/// Follows a growing journal that commits `at_once` records between polls; returns what was read.
fn follow_journal(
    scratch: &Scratch,
    header: &[u8],
    records: &[Vec<u32>],
    at_once: usize,
) -> Growth {
    let path = scratch.0.join("followed");
    fs::write(&path, journal_bytes(header, &[])).unwrap();
    let mut follower = JournalFollower::open(&path).unwrap();
    let mut file = fs::File::options().write(true).open(&path).unwrap();
    let mut committed = 0_u64;
    for piece in records.chunks(at_once) {
        let bytes = &journal_bytes(header, piece)[32..];
        file.seek(io::SeekFrom::Start(32 + committed)).unwrap();
        file.write_all(bytes).unwrap();
        committed += bytes.len() as u64;
        file.seek(io::SeekFrom::Start(16)).unwrap();
        file.write_all(&committed.to_le_bytes()).unwrap();
        assert!(follower.poll().unwrap());
        assert!(!follower.poll().unwrap());
    }
    follower.into_growth()
}
