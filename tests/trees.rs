//! Tree files: formats byte for byte, hostile files, growth journals, and the writer.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs,
    io::{self, Seek as _, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use canopy_engine::{
    catalog,
    games::{
        self, Game, History, Outcome, Playable, Player, Visitor, connect_four::ConnectFour,
        notation,
    },
    rng::Rng,
    search::{
        EdgeView, LiveTree, Reward, RootEdge, Search, SearchLimits, SearchReport, SearchTask,
        SnapshotCallback, StopFlag, TreeView,
        growth_records::{FIRST_TAG, GrowthRecord, RawTableEntry, decode, encode, encode_moves},
    },
    session::recorded_search::{self, SearchDescription},
    tree::{
        Tree, TreeBuilder, TreeError, TreeRow, binary,
        columns::{self, Column, ColumnValues, Columns},
        csv,
        extra::{self, Extra},
        files::{self, Format},
        growth::{Growth, JournalFollower},
        meta::{self, MatchMeta, Meta},
        replay::GrowthReplay,
        replay_reader::ReplayReader,
        snapshot::{self, SnapshotOptions},
        summary,
        writer::{DEFAULT_MAX_JOURNAL_BYTES, TreeCopy, TreeOutput, TreeOutputSettings},
    },
};
use proptest::prelude::*;
use support::{Scratch, data, every_game, untested_data};

#[path = "trees/damage.rs"]
mod damage;
#[path = "trees/index.rs"]
mod index;
mod support;

// ---- memory -----------------------------------------------------------------------------------------------------

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

// ---- helpers ----------------------------------------------------------------------------------------------------

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
            files.snapshot(|| tree.snapshot(), Meta::default());
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
        files.finish(|| tree.snapshot(), meta);
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

fn tree_rows<G: Playable>(view: &dyn TreeView<G>) -> Tree {
    snapshot::take(view, &SnapshotOptions::default())
        .unwrap()
        .tree
}

/// The extra records of a tree: the statistics that selection formulas need beside the rows.
fn tree_extras<G: Playable>(view: &dyn TreeView<G>) -> Vec<Extra> {
    let wanted = SnapshotOptions {
        extra: true,
        ..SnapshotOptions::default()
    };
    snapshot::take(view, &wanted).unwrap().extra
}

// ---- the formats ------------------------------------------------------------------------------------------------

#[test]
fn our_small_tree_has_these_bytes() {
    let bytes = fs::read(data("trees/small.tree")).unwrap();
    let text = fs::read(data("trees/small.csv")).unwrap();
    let quoted = fs::read(data("trees/quoted.csv")).unwrap();
    let tree = from_bytes(&text, Format::Csv).unwrap();
    assert_eq!(to_bytes(&tree, Format::Tree), bytes);
    assert_eq!(to_bytes(&tree, Format::Csv), text);
    assert!(from_bytes(&quoted, Format::Csv).unwrap() == tree);
    assert_eq!(tree.nodes().len(), 7);
    assert_eq!(tree.move_name(2), "bar | and \"quotes\"");
    assert_eq!(tree.state(2), "two\nlines");
    let mut binary = from_bytes(&bytes, Format::Tree).unwrap();
    assert_eq!((binary.nodes()[0].visits, binary.nodes()[0].mean), (0, 0.0));
    binary.set_root_stats(10, 10, 0.45);
    assert!(binary == tree);
    let parents: Vec<u32> = tree.nodes().iter().map(|node| node.parent).collect();
    assert_eq!(parents, [0, 0, 0, 2, 2, 0, 5]);
    assert_eq!(tree.subtree_sizes(), [7, 1, 3, 1, 1, 2, 1]);
}

/// A folder of third-party files; `None`, recorded as untested, where it is missing.
fn foreign_files(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/others-data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    untested_data(&format!("{} is not there", path.display()));
    None
}

#[test]
fn report_000s_trees_go_to_the_other_format_and_back() {
    let Some(folder) = foreign_files("report000-trees") else {
        return;
    };
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let tree = Format::from_path(&path)
            .unwrap()
            .read(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(from_bytes(&to_bytes(&tree, Format::Csv), Format::Csv).unwrap() == tree);
        let root = tree.nodes()[0];
        let mut back = from_bytes(&to_bytes(&tree, Format::Tree), Format::Tree).unwrap();
        back.set_root_stats(root.visits, root.second, root.mean);
        assert_eq!(back.nodes().len(), tree.nodes().len());
        // The root's move is the one thing that has no other place.
        let lost = !tree.move_name(0).is_empty();
        assert!(lost || back == tree, "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 10);
}

#[test]
fn the_reference_file_is_reproduced() {
    let (Some(tree), Some(text)) = (
        foreign_files("serialization_test.tree"),
        foreign_files("serialization_test.csv"),
    ) else {
        return;
    };
    let bytes = fs::read(tree).unwrap();
    assert_eq!(bytes.len(), 134);
    let read = csv::read(|| fs::File::open(&text)).unwrap();
    assert_eq!(to_bytes(&read, Format::Tree), bytes);
}

/// Random trees with names that need quoting and escaping.
fn arbitrary_trees() -> impl Strategy<Value = Tree> {
    let name = prop_oneof![
        Just(String::new()),
        "[a-h][1-8]",
        "[,|\"\n\r =]{1,6}",
        any::<String>(),
        Just("🌲🌳".to_owned()),
        Just("\u{feff}mark".to_owned()),
    ];
    let row = (
        name.clone(),
        any::<i32>(),
        any::<i32>(),
        any::<f64>(),
        name,
        0_u32..4,
    );
    prop::collection::vec(row, 1..40).prop_map(|rows| {
        let mut builder = TreeBuilder::default();
        let mut open = 1_i64;
        for (index, (move_name, visits, second, mean, state, children)) in rows.iter().enumerate() {
            // Close the tree with the last rows.
            let left = (rows.len() - index - 1) as i64;
            let children = i64::from(*children).min(left - (open - 1)).max(0);
            let children = if open == 1 && left > 0 {
                children.max(1)
            } else {
                children
            };
            open += children - 1;
            let visits = if mean.is_finite() { *visits } else { 0 };
            builder
                .push(&TreeRow {
                    move_name,
                    visits,
                    second: *second,
                    mean: *mean,
                    state,
                    children: children as u32,
                })
                .unwrap();
            if open == 0 {
                break;
            }
        }
        builder.finish().unwrap()
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(tree in arbitrary_trees()) {
        let text = to_bytes(&tree, Format::Csv);
        let read_back = from_bytes(&text, Format::Csv).unwrap();
        // Text has one way to say "not a number", bits have many.
        let nan = tree.nodes().iter().any(|node| node.mean.is_nan());
        prop_assert!(nan || read_back == tree);
        prop_assert_eq!(to_bytes(&read_back, Format::Csv), text);
        let bytes = to_bytes(&tree, Format::Tree);
        let mut read_back = from_bytes(&bytes, Format::Tree).unwrap();
        let root = tree.nodes()[0];
        read_back.set_root_stats(root.visits, root.second, root.mean);
        prop_assert!(read_back == tree || !tree.move_name(0).is_empty());
        prop_assert_eq!(to_bytes(&read_back, Format::Tree), bytes);
    }

    #[test]
    fn extras_are_read_as_they_were_written(
        rows in prop::collection::vec(
            (any::<f64>(), any::<u64>(), any::<Option<(u64, f64, f64)>>(), 0..4, any::<bool>()),
            0..20,
        )
    ) {
        let outcomes = [
            None,
            Some(Outcome::Win(Player::First)),
            Some(Outcome::Win(Player::Second)),
            Some(Outcome::Draw),
        ];
        let rows: Vec<Extra> = rows
            .into_iter()
            .map(|(squares, node_visits, table, proven, cut)| Extra {
                squares,
                node_visits,
                table: table.map(|(visits, mean, squares)| extra::ExtraTableEntry { visits, mean, squares }),
                proven: outcomes[proven as usize],
                cut,
            })
            .collect();
        let mut bytes = Vec::new();
        extra::write(&rows, &mut bytes).unwrap();
        prop_assert!(extra::read(&bytes[..]).unwrap() == rows);
    }

    #[test]
    fn columns_are_read_as_they_were_written(
        rows in prop::collection::vec(
            (any::<f64>(), any::<f32>(), any::<i64>(), any::<i32>(), any::<u8>()),
            0..40,
        ),
        kept in prop::collection::btree_set(0_u32..40, 0..20),
    ) {
        let column = |name: &str, values| Column {
            name: name.to_owned(),
            unit: "plies".to_owned(),
            labels: vec!["none".to_owned(), "ä".to_owned()],
            values,
        };
        let of_rows = |rows: &[(f64, f32, i64, i32, u8)]| vec![
            column("real", ColumnValues::F64(rows.iter().map(|row| row.0).collect())),
            column("short", ColumnValues::F32(rows.iter().map(|row| row.1).collect())),
            column("byte", ColumnValues::U8(rows.iter().map(|row| row.4).collect())),
            column("long", ColumnValues::I64(rows.iter().map(|row| row.2).collect())),
            column("whole", ColumnValues::I32(rows.iter().map(|row| row.3).collect())),
        ];
        let written = Columns { rows: rows.len() as u64, columns: of_rows(&rows) };
        let mut bytes = Vec::new();
        columns::write(&written, &mut bytes).unwrap();
        prop_assert_eq!(bytes.len() % 8, 0);
        prop_assert!(columns::read(&bytes[..]).unwrap() == written);
        let kept: Vec<u32> = kept.into_iter().filter(|&row| (row as usize) < rows.len()).collect();
        let part: Vec<_> = kept.iter().map(|&row| rows[row as usize]).collect();
        let read = columns::read_rows(&bytes[..], Some(&kept)).unwrap();
        let expected = Columns { rows: written.rows, columns: of_rows(&part) };
        prop_assert!(read == expected);
    }
}

/// A file of one column of bytes, with any header.
fn column_bytes(header: &str, values: &[u8]) -> Vec<u8> {
    let mut bytes = b"CANOPYC1".to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values);
    bytes
}

#[test]
fn columns_by_hand() {
    let header =
        r#"{"rows":3,"columns":[{"name":"class","type":"u8","labels":["leaf","inner"],"more":1}]}"#;
    let columns = columns::read(&column_bytes(header, &[1, 0, 7, 0, 0, 0, 0, 0])[..]).unwrap();
    let class = columns.find("class").unwrap();
    assert_eq!(
        [0, 1, 2, 3].map(|row| class.label(row)),
        [Some("inner"), Some("leaf"), None, None]
    );
    assert_eq!((class.value(2), class.unit.as_str()), (7.0, ""));
    assert!(class.value(3).is_nan());
    for (header, fragment) in [
        ("{", "the header cannot be read"),
        (r#"{"rows":3,"columns":[{"name":"a","type":"u9"}]}"#, "u9"),
        (
            r#"{"rows":5000000000,"columns":[]}"#,
            "rows: expected at most",
        ),
        (
            r#"{"rows":3,"columns":[{"name":"","type":"u8"}]}"#,
            "column 1",
        ),
        (
            r#"{"rows":0,"columns":[{"name":"a","type":"u8"},{"name":"a","type":"u8"}]}"#,
            "two columns are called a",
        ),
        (
            r#"{"rows":4000000000,"columns":[{"name":"a","type":"f64"}]}"#,
            "ends too early",
        ),
    ] {
        let problem = columns::read(&column_bytes(header, &[0; 8])[..]).unwrap_err();
        assert!(
            problem.to_string().contains(fragment),
            "{header}: {problem}"
        );
    }
    let mut long = b"CANOPYC1".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    let problem = columns::read(&long[..]).unwrap_err().to_string();
    assert!(problem.contains("header of 4294967295 bytes"), "{problem}");
}

/// PUCT's priors stand in a column beside the tree, written with the extras, and go with the tree.
#[test]
fn priors_are_a_column_of_the_tree() {
    let (start, history) = start_position();
    for (name, kept_rows) in [("puct", None), ("transposition,select=puct", Some(50))] {
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        let scratch = Scratch::new(&format!("priors-{}", name.replace(',', "-")));
        let settings = |extra| TreeOutputSettings {
            snapshot: SnapshotOptions {
                extra,
                max_nodes: kept_rows,
                ..SnapshotOptions::default()
            },
            ..writer_settings(&scratch.0)
        };
        let output = TreeOutput::open(settings(false), no_warning()).unwrap();
        let mut grown = catalog::build(&spec).unwrap();
        search_and_write(&mut *grown, &start, &history, 500, Some(&output));
        drop(output);
        assert_eq!(scratch.files("columns"), [""; 0].map(PathBuf::from));
        let output = TreeOutput::open(settings(true), no_warning()).unwrap();
        search_and_write(&mut *grown, &start, &history, 500, Some(&output));
        drop(output);
        let file = scratch.files("columns").pop().unwrap();
        let document = files::read(&file.with_extension("tree"), None).unwrap();
        assert_eq!(document.problems, [""; 0]);
        let named = document.meta.unwrap().columns;
        assert_eq!(named.as_deref(), file.file_name().unwrap().to_str());
        let columns = document.columns.unwrap();
        let prior = columns.find("prior").unwrap();
        assert_eq!(prior.values.len(), document.tree.nodes().len());
        assert!(prior.value(0).is_nan(), "no move leads to the root");
        let is_sound = |row: usize| prior.value(row) > 0.0 && prior.value(row) <= 1.0;
        assert!((1..prior.values.len()).all(is_sound), "{name}");
        assert_eq!(prior.value(1), 1.0 / 7.0);
        // Of another tree's rows nothing is taken.
        let mut bytes = Vec::new();
        let other = Columns {
            rows: 2,
            columns: Vec::new(),
        };
        columns::write(&other, &mut bytes).unwrap();
        fs::write(&file, bytes).unwrap();
        let document = files::read(&file.with_extension("tree"), None).unwrap();
        assert!(document.columns.is_none());
        assert!(document.problems[0].contains("columns of 2 rows"));
    }
}

/// Extra records had 32 bytes before they held the visits and squares of table entries.
#[test]
fn old_extras_are_read() {
    let mut bytes = b"CANOPYX1".to_vec();
    bytes.extend([32, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(2.5_f64.to_le_bytes());
    bytes.extend(7_u64.to_le_bytes());
    bytes.extend(0.75_f64.to_le_bytes());
    bytes.extend([3, 0, 0, 0, 0, 0, 0, 0]);
    let expected = Extra {
        squares: 2.5,
        node_visits: 7,
        table: Some(extra::ExtraTableEntry {
            visits: 0,
            mean: 0.75,
            squares: f64::NAN,
        }),
        proven: Some(Outcome::Draw),
        cut: false,
    };
    assert!(extra::read(&bytes[..]).unwrap() == [expected]);
}

// ---- files that lie ---------------------------------------------------------------------------------------------

/// Reads every truncation of a file and every change of one byte. Asserts that each gives an error with its place or a valid
/// result, in memory proportional to the file.
fn corrupt_every_byte(bytes: &[u8], read: &dyn Fn(&[u8]) -> Result<(), TreeError>) {
    let room = 16 * bytes.len() + (1 << 18);
    let check = |bytes: &[u8]| {
        let (result, most) = measure_peak_memory(|| read(bytes));
        assert!(most <= room, "{most} bytes for a file of {}", bytes.len());
        if let Err(error) = result {
            let text = error.to_string();
            assert!(text.contains("line ") || text.contains("byte "), "{text}");
        }
    };
    read(bytes).unwrap();
    for end in 0..bytes.len() {
        check(&bytes[..end]);
    }
    let mut changed = bytes.to_vec();
    for place in 0..bytes.len() {
        for value in 0..=255 {
            changed[place] = value;
            check(&changed);
        }
        changed[place] = bytes[place];
    }
}

#[test]
fn changed_trees_are_told_of() {
    for format in FORMATS {
        let name = format!("trees/small.{format}");
        let bytes = fs::read(data(&name)).unwrap();
        corrupt_every_byte(&bytes, &|bytes| from_bytes(bytes, format).map(drop));
    }
}

#[test]
fn changed_sidecars_are_told_of() {
    let meta = Meta {
        game: "kalah".to_owned(),
        ..Meta::default()
    };
    corrupt_every_byte(meta::to_json(&meta).as_bytes(), &|bytes| {
        meta::read(bytes).map(drop)
    });
    let rows = [Extra {
        squares: 1.5,
        node_visits: 3,
        table: Some(extra::ExtraTableEntry {
            visits: 2,
            mean: 0.25,
            squares: 0.5,
        }),
        proven: Some(Outcome::Draw),
        cut: true,
    }; 3];
    let mut bytes = Vec::new();
    extra::write(&rows, &mut bytes).unwrap();
    corrupt_every_byte(&bytes, &|bytes| extra::read(bytes).map(drop));
    let values = ColumnValues::I32(vec![1, -2, 3]);
    let columns = Columns {
        rows: 3,
        columns: vec![Column {
            name: "a".to_owned(),
            unit: String::new(),
            labels: Vec::new(),
            values,
        }],
    };
    let mut bytes = Vec::new();
    columns::write(&columns, &mut bytes).unwrap();
    corrupt_every_byte(&bytes, &|bytes| columns::read(bytes).map(drop));
}

#[test]
fn a_match_file_is_read_as_it_was_written() {
    let standing = MatchMeta {
        format: meta::FORMAT_VERSION,
        game: "kalah:4x3".to_owned(),
        number: 3,
        moves: vec!["1".to_owned(), "4".to_owned()],
        players: vec!["a".to_owned(), "b".to_owned()],
        result: Some("draw".to_owned()),
        directory: Some("game-0003".to_owned()),
        ..MatchMeta::default()
    };
    let text = meta::to_json(&standing);
    assert_eq!(meta::read_match(text.as_bytes()).unwrap(), standing);
    corrupt_every_byte(text.as_bytes(), &|bytes| meta::read_match(bytes).map(drop));
    // Somebody else's may say less, and more.
    let short = meta::read_match(&br#"{"game": "chess", "weather": "fine"}"#[..]).unwrap();
    assert_eq!((short.game.as_str(), short.moves.len()), ("chess", 0));
    let later = meta::read(&br#"{"format": 2}"#[..]).unwrap_err();
    assert_eq!(
        later.to_string(),
        "line 1: format 2 is of a later version: expected 1"
    );
}

#[test]
fn changed_journals_are_told_of() {
    for name in [
        "uct",
        "transposition",
        "ucb1-tuned",
        "transposition-002,entries=3",
    ] {
        let scratch = Scratch::new(&format!("changed-{name}"));
        let output = TreeOutput::open(
            TreeOutputSettings {
                max_journal_bytes: Some(DEFAULT_MAX_JOURNAL_BYTES),
                ..writer_settings(&scratch.0)
            },
            no_warning(),
        )
        .unwrap();
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        let (start, history) = start_position();
        search_and_write(
            &mut *catalog::build(&spec).unwrap(),
            &start,
            &history,
            12,
            Some(&output),
        );
        drop(output);
        let bytes = fs::read(&scratch.files("growth")[0]).unwrap();
        corrupt_every_byte(&bytes, &|bytes| {
            let growth = Growth::read(bytes)?;
            let iterations = growth.iterations();
            let mut replay = GrowthReplay::new(growth);
            for at in [iterations, iterations / 2, 0] {
                replay.seek(at);
                // Moves that are not legal are refused, in a sentence.
                let _ = snapshot::take(&replay.view(&start), &SnapshotOptions::default());
            }
            Ok(())
        });
    }
}

#[test]
fn lies_are_refused_without_memory() {
    let refused = |bytes: &[u8], format: Format, sentence: &str| {
        let (result, most) = measure_peak_memory(|| from_bytes(bytes, format));
        let text = result.map(drop).unwrap_err().to_string();
        assert!(text.contains(sentence), "{text}");
        assert!(most < 1 << 19, "{most} bytes for {text}");
    };
    let int = |number: i32| number.to_le_bytes().to_vec();
    let root = |children: i32| [int(2), b"aa".to_vec(), int(children)].concat();
    refused(
        &root(i32::MAX),
        Format::Tree,
        "byte 10: the file ends where a move's name",
    );
    refused(
        &root(-1),
        Format::Tree,
        "byte 6: -1 children: expected 0 or more",
    );
    refused(
        &int(i32::MAX),
        Format::Tree,
        "byte 4: the file ends where a state's name",
    );
    refused(&int(-5), Format::Tree, "byte 0: a state's name of -5 bytes");
    refused(
        &[],
        Format::Tree,
        "byte 0: the file ends where a state's name",
    );
    refused(
        &[root(0), vec![7]].concat(),
        Format::Tree,
        "byte 10: the tree is complete",
    );
    let child = |mean: f64, state: &[u8]| {
        [
            root(1),
            int(1),
            b"x".to_vec(),
            int(3),
            int(3),
            mean.to_le_bytes().to_vec(),
            int(state.len() as i32),
            state.to_vec(),
            int(0),
        ]
        .concat()
    };
    refused(
        &child(f64::NAN, b"s"),
        Format::Tree,
        "byte 10: the mean of 3 visits is NaN",
    );
    refused(
        &child(f64::INFINITY, b"s"),
        Format::Tree,
        "the mean of 3 visits is inf",
    );
    refused(
        &child(0.5, b"s\xff"),
        Format::Tree,
        "byte 36: a state's name is not UTF-8",
    );
    for (text, sentence) in [
        ("", "line 1: there is no root"),
        (",1,1,0.5,s\n", "line 1: 5 columns: expected 6"),
        (
            ",1,1,0.5,s,1\n",
            "line 1: the file ends before the tree does: row 1 still lacks 1 of its 1",
        ),
        (
            ",1,1,0.5,s,2000000000\nx,1,1,0,s,0\n",
            "row 1 still lacks 1999999999",
        ),
        (
            ",1,1,0.5,s,-1\n",
            "line 1: the number of children is -1: expected 0 or more",
        ),
        (
            ",1,1,0.5,s,99999999999\n",
            "\"99999999999\": expected a whole number below 2^31",
        ),
        (
            ",1,1,0.5,s,0\nx,1,1,0,s,0\n",
            "line 2: a row after the end of the tree",
        ),
        (
            ",one,1,0.5,s,0\n",
            "line 1: the visits is \"one\": expected a whole number",
        ),
        (
            ",1,1,half,s,0\n",
            "line 1: the mean is \"half\": expected a number",
        ),
        (",1,1,nan,s,0\n", "line 1: the mean of 1 visits is NaN"),
    ] {
        refused(text.as_bytes(), Format::Csv, sentence);
    }
    refused(
        b",1,1,0.5,\xff,0\n",
        Format::Csv,
        "line 1: the state is not UTF-8",
    );
    // The longest field there may be, and one that is longer.
    let row = |length: usize| format!(",1,1,0.5,s,1\nx,1,1,0.5,{},0\n", "s".repeat(length));
    assert!(from_bytes(row(csv::MAX_FIELD_BYTES).as_bytes(), Format::Csv).is_ok());
    let error = from_bytes(row(csv::MAX_FIELD_BYTES + 1).as_bytes(), Format::Csv);
    assert_eq!(
        error.map(drop).unwrap_err().to_string(),
        "line 2: the state of row 2 has 1048577 bytes: expected at most 1048576 bytes"
    );
    // No data is no data, whatever the mean.
    assert!(from_bytes(b",0,0,nan,s,0\n", Format::Csv).is_ok());
}

#[test]
fn a_field_of_300_megabytes_costs_little_memory() {
    // A name that never ends, whatever it is quoted with, behind a sound row.
    let open = || {
        let begin = &b",1,1,0.5,s,1\nx,1,1,0.5,"[..];
        Ok(io::Read::chain(
            begin,
            io::Read::take(io::repeat(b'x'), 300 << 20),
        ))
    };
    let (result, most) = measure_peak_memory(|| csv::read(open));
    assert_eq!(
        result.map(drop).unwrap_err().to_string(),
        "line 2: row 2 has a field that is too long: expected at most 1048576 bytes"
    );
    assert!(most < 24 << 20, "{most} bytes");
}

#[test]
fn a_name_that_csv_has_no_room_for_is_not_written() {
    let mut builder = TreeBuilder::default();
    let state = "s".repeat(csv::MAX_FIELD_BYTES + 1);
    let row = TreeRow {
        state: &state,
        ..TreeRow::default()
    };
    builder.push(&row).unwrap();
    let tree = builder.finish().unwrap();
    let error = Format::Csv.write(&tree, &mut Vec::new()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the state of row 1 has 1048577 bytes"),
        "{error}"
    );
    assert_eq!(to_bytes(&tree, Format::Tree).len(), state.len() + 8);
}

fn chain_tree(length: usize) -> Tree {
    let mut builder = TreeBuilder::default();
    for row in 0..length {
        builder
            .push(&TreeRow {
                move_name: if row == 0 { "" } else { "m" },
                visits: 1,
                second: 1,
                mean: 0.5,
                state: "p1",
                children: u32::from(row + 1 < length),
            })
            .unwrap();
    }
    builder.finish().unwrap()
}

fn check_deep_tree(length: usize) {
    let tree = chain_tree(length);
    for format in FORMATS {
        let bytes = to_bytes(&tree, format);
        let (back, most) = measure_peak_memory(|| from_bytes(&bytes, format).unwrap());
        assert_eq!(back.nodes().len(), length);
        assert!(most < 8 * bytes.len().max(40 * length), "{most}");
    }
    let document = files::Document {
        tree,
        meta: None,
        extra: None,
        columns: None,
        problems: Vec::new(),
    };
    let summary = summary::summarize(&document);
    assert_eq!(summary.widths.len(), length);
    assert_eq!(summary.pv.len(), length - 1);
    assert_eq!(summary.inconsistencies, []);
}

#[test]
fn a_chain_of_a_million_nodes_is_fine() {
    check_deep_tree(1_000_000);
}

#[test]
#[ignore = "takes some gigabytes"]
fn a_chain_of_ten_million_nodes_is_fine() {
    check_deep_tree(10_000_000);
}

#[test]
fn what_does_not_add_up_is_found() {
    let text = ",10,10,0.5,root,2\na,8,9,0.5,p2,1\nb,9,0,0.5,p1,0\nc,-1,0,3.5,=9,0\n";
    let document = files::Document {
        tree: from_bytes(text.as_bytes(), Format::Csv).unwrap(),
        meta: None,
        extra: None,
        columns: None,
        problems: Vec::new(),
    };
    let summary = summary::summarize(&document);
    let faults: Vec<(&str, u64, usize)> = summary
        .inconsistencies
        .iter()
        .map(|fault| (fault.what, fault.count, fault.row))
        .collect();
    assert_eq!(
        faults,
        [
            ("the second counter is above the visits", 2, 2),
            ("a counter is below 0", 1, 4),
            ("the node it shares is not in the tree", 1, 4),
            ("its children have more visits than it has", 1, 2),
        ]
    );
    assert_eq!(summary.widths, [1, 2, 1]);
    assert_eq!(summary.pv, ["a", "b"]);
}

// ---- journals ---------------------------------------------------------------------------------------------------

/// Searches that cover the stores and expansion rules, for every game.
const GROWING_SEARCHES: &[&str] = &[
    "uct",
    "uct,solver=true",
    "uct,expansion=one,expand_on=1",
    "uct-000",
    "ucb1-tuned",
    "ucb1-tuned,solver=true,expansion=one",
    "uct,fpu=reduction",
    "puct",
    "grouping,select=puct,fpu=constant",
    "transposition",
    "transposition,select=ucb1-tuned",
    "grouping,select=ucb1-tuned",
    "transposition,transpositions=false",
    "transposition,solver=true",
    "grouping",
    "transposition-002,entries=500",
    "transposition-002,entries=1,select=ucb1-tuned",
    "transposition-002,entries=50,verify_key=false",
    "transposition-002,select=ucb1-tuned",
];

struct CheckJournals<'a> {
    search: &'a str,
}

impl Visitor for CheckJournals<'_> {
    type Out = ();

    fn visit<G: Playable>(self, rules: G::Rules) {
        let start = G::start(rules);
        let mut history = History::new();
        history.push(&start);
        let iterations = 400;
        for threads in [1, 2] {
            // What several threads tell a table depends on their order, which is not in a journal.
            let is_table_of_many = threads > 1 && self.search.contains("transposition-002");
            let name = format!("{},threads={threads},playout_limit=20", self.search);
            let spec = catalog::parse::<G>(&name).unwrap();
            let scratch = Scratch::new(&format!("{}-{}", G::NAME, name.replace(',', "-")));
            let output = open_with_journal(&scratch.0, DEFAULT_MAX_JOURNAL_BYTES);
            // Two searches: the second inherits a part of the first one's tree.
            let mut first = catalog::build::<G>(&spec).unwrap();
            let mv = search_and_write(&mut *first, &start, &history, iterations, Some(&output));
            let fresh = tree_rows(first.tree().unwrap());
            let fresh_extras = tree_extras(first.tree().unwrap());
            first.advance(mv);
            let mut second_root = start.clone();
            second_root.play(mv);
            let mut second_history = history.clone();
            second_history.push(&second_root);
            search_and_write(
                &mut *first,
                &second_root,
                &second_history,
                iterations,
                Some(&output),
            );
            let reused = tree_rows(first.tree().unwrap());
            let reused_extras = tree_extras(first.tree().unwrap());
            drop(output);
            let journals = scratch.files("growth");
            let trees = scratch.files("tree");
            assert_eq!((journals.len(), trees.len()), (2, 2), "{name}");
            for (index, (root, rows, extras)) in [
                (&start, &fresh, &fresh_extras),
                (&second_root, &reused, &reused_extras),
            ]
            .iter()
            .enumerate()
            {
                let growth = JournalFollower::open(&journals[index])
                    .unwrap()
                    .into_growth();
                let bytes = fs::read(&journals[index]).unwrap();
                let (header, records) = split_journal(&bytes);
                assert!(growth == follow_journal(&scratch, &header, &records, 100));
                assert_eq!(growth.ended(), Some(false));
                assert_eq!(
                    u64::from(growth.iterations()),
                    iterations,
                    "{} {name}",
                    G::NAME
                );
                let mut replay = GrowthReplay::new(growth);
                replay.seek(u32::MAX);
                let last = tree_rows(&replay.view(*root));
                assert!(last == **rows, "{} {name}: search {index} rebuilt", G::NAME);
                assert!(
                    tree_extras(&replay.view(*root)) == **extras || is_table_of_many,
                    "{} {name}: extras of search {index} rebuilt",
                    G::NAME
                );
                let document = files::read(&trees[index], None).unwrap();
                assert!(
                    document.tree == **rows,
                    "{} {name}: search {index} written",
                    G::NAME
                );
            }
            check_replays_of_journals::<G>(&journals, [&start, &second_root], [&fresh, &reused]);
            if threads == 1 {
                let growth = Growth::read(fs::File::open(&journals[0]).unwrap()).unwrap();
                let mut replay = GrowthReplay::new(growth);
                let mut rng = Rng::new(7);
                for _ in 0..10 {
                    let at = 1 + rng.below(iterations as u32);
                    let mut again = catalog::build::<G>(&spec).unwrap();
                    search_and_write(&mut *again, &start, &history, at.into(), None);
                    replay.seek(at);
                    assert_eq!(replay.current_iteration(), at);
                    assert!(
                        tree_rows(&replay.view(&start)) == tree_rows(again.tree().unwrap()),
                        "{} {name}: after {at} iterations",
                        G::NAME
                    );
                    assert!(
                        tree_extras(&replay.view(&start)) == tree_extras(again.tree().unwrap()),
                        "{} {name}: extras after {at} iterations",
                        G::NAME
                    );
                }
            }
        }
    }
}

/// Asserts that replays show the recorded trees, the last iteration's path, and the history of the root's visits.
fn check_replays_of_journals<G: Playable>(journals: &[PathBuf], roots: [&G; 2], rows: [&Tree; 2]) {
    for ((journal, root), rows) in journals.iter().zip(roots).zip(rows) {
        let game = notation::full_name::<G>(root.rules());
        let position = notation::position_text(root);
        let mut film = ReplayReader::open(journal, &game, &position).unwrap();
        let total = film.iterations();
        let last = film.tree_at(u32::MAX, None).unwrap();
        assert_eq!(last.iteration, total);
        assert!(last.tree == *rows, "{game}");
        assert_eq!(last.total_nodes, rows.nodes().len() as u64);
        let part = film.tree_at(total, Some(20)).unwrap();
        assert_eq!(
            (part.tree.nodes().len(), part.total_nodes),
            (20, last.total_nodes)
        );
        // The most visited stay, however many; in a graph a move may be followed more often than the one that led there.
        let is_tree = is_tree_journal(journal);
        let most_visited = |tree: &Tree, count: usize| -> Vec<i32> {
            let mut visits: Vec<i32> = tree
                .nodes()
                .iter()
                .skip(1)
                .map(|node| node.visits)
                .collect();
            visits.sort_by(|one, other| other.cmp(one));
            visits.truncate(count);
            visits
        };
        for count in [1, 2, 9, 60, 300].into_iter().filter(|_| is_tree) {
            let part = film.tree_at(total, Some(count)).unwrap();
            let rows = most_visited(&last.tree, count as usize - 1);
            assert_eq!(
                most_visited(&part.tree, usize::MAX),
                rows,
                "{game}, {count}"
            );
        }
        // Whoever has little time gets there too, and sees on the way what was there.
        film.tree_at(0, None).unwrap();
        while film.current_iteration() < total {
            film.seek_towards(u32::MAX, total.div_ceil(5));
            let (part, whole) = (
                film.tree_at(film.current_iteration(), Some(20)),
                film.tree_at(film.current_iteration(), None),
            );
            assert_eq!(
                part.unwrap().total_nodes,
                whole.unwrap().total_nodes,
                "{game} at {}",
                film.current_iteration()
            );
        }
        // Every node on the way of an iteration has one visit more than before it, and no other node has.
        for iteration in [1, total / 3, total] {
            let before = film.tree_at(iteration - 1, None).unwrap();
            let after = film.tree_at(iteration, None).unwrap();
            let visits = |tree: &Tree| -> i64 {
                let nodes = tree.nodes().iter();
                nodes.map(|node| i64::from(node.visits)).sum()
            };
            let more = visits(&after.tree) - visits(&before.tree);
            assert_eq!(more, after.path.len() as i64, "{game} at {iteration}");
            assert!(after.path[0] == 0 && before.path.is_empty() == (iteration == 1));
        }
        let shares = film.root_visit_history(5).unwrap();
        assert_eq!(shares.visits.len(), 5);
        let sizes = rows.subtree_sizes();
        for child in rows.children(0, &sizes) {
            let mv = (shares.moves.iter())
                .position(|name| name == rows.move_name(child))
                .unwrap();
            assert_eq!(shares.visits[4][mv] as i32, rows.nodes()[child].visits);
            let inherited = rows.nodes()[child].visits - rows.nodes()[child].second;
            assert_eq!(shares.visits[0][mv] as i32, inherited);
        }
    }
}

/// True if the header says tree (bit 0 of the kind is 0), not graph.
fn is_tree_journal(journal: &Path) -> bool {
    let bytes = fs::read(journal).unwrap();
    bytes[8] & 1 == 0
}

/// A replay of a running search shows at each iteration what it shows after the search.
#[test]
fn a_film_can_be_watched_while_it_is_made() {
    let scratch = Scratch::new("film");
    let output = open_with_journal(&scratch.0, DEFAULT_MAX_JOURNAL_BYTES);
    let (start, history) = start_position();
    let mut grown = catalog::build(&catalog::parse::<ConnectFour>("uct").unwrap()).unwrap();
    let open =
        |path: &Path| ReplayReader::open(path, "connect-four", &notation::position_text(&start));
    let seen = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut film = loop {
                let film = scratch.files("growth").pop().map(|path| open(&path));
                match film {
                    Some(Ok(film)) => break film,
                    _ => std::thread::sleep(Duration::from_millis(1)),
                }
            };
            let mut seen = Vec::new();
            while film.ended().is_none() {
                film.poll().unwrap();
                let shot = film.tree_at(u32::MAX, Some(500)).unwrap();
                seen.push((shot.iteration, shot.total_nodes));
                let early = film.tree_at(shot.iteration / 2, None).unwrap();
                seen.push((early.iteration, early.total_nodes));
            }
            seen
        });
        search_and_write(&mut *grown, &start, &history, 100_000, Some(&output));
        watcher.join().unwrap()
    });
    drop(output);
    let mut film = open(&scratch.files("growth")[0]).unwrap();
    assert_eq!(film.ended(), Some(false));
    let step = (seen.len() / 20).max(1);
    for &(iteration, nodes) in seen.iter().step_by(step) {
        assert_eq!(film.tree_at(iteration, None).unwrap().total_nodes, nodes);
    }
}

/// A running search with a journal has a tree file beside it, if only of the root.
#[test]
fn the_root_alone_tells_of_a_journal() {
    let scratch = Scratch::new("announced");
    let output = open_with_journal(&scratch.0, DEFAULT_MAX_JOURNAL_BYTES);
    let (start, history) = start_position();
    let spec = catalog::parse::<ConnectFour>("uct").unwrap();
    let stop = StopFlag::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut search = catalog::build(&spec).unwrap();
            let limits = SearchLimits::default();
            let task = SearchTask::new(&start, &history, &limits, &stop);
            let about = SearchDescription {
                spec: &spec,
                name: "uct",
                ply: 0,
            };
            recorded_search::choose(&mut *search, task, &about, Some(&output));
        });
        let begun = Instant::now();
        // Two threads write them, and either may be the first.
        let is_there = |kind| !scratch.files(kind).is_empty();
        while !(is_there("tree") && is_there("growth")) && begun.elapsed() < Duration::from_secs(20)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        let trees = scratch.files("tree");
        let first = files::read(&trees[0], None);
        stop.set();
        let first = first.unwrap();
        assert_eq!(first.tree.nodes().len(), 1);
        assert!(!first.meta.unwrap().is_final);
        assert!(trees[0].with_extension("growth").exists());
    });
    drop(output);
    let last = files::read(&scratch.files("tree")[0], None).unwrap();
    assert!(last.tree.nodes().len() > 1 && last.meta.unwrap().is_final);
}

#[test]
fn a_journal_gives_the_tree_of_every_iteration() {
    std::thread::scope(|scope| {
        for game in every_game() {
            scope.spawn(move || {
                for search in GROWING_SEARCHES {
                    games::with_game(game, CheckJournals { search }).unwrap();
                }
            });
        }
    });
}

#[test]
fn a_long_journal_is_turned_anywhere() {
    let scratch = Scratch::new("long-journal");
    let output = open_with_journal(&scratch.0, DEFAULT_MAX_JOURNAL_BYTES);
    let (start, history) = start_position();
    let spec = catalog::parse::<ConnectFour>("uct").unwrap();
    let mut grown = catalog::build(&spec).unwrap();
    search_and_write(&mut *grown, &start, &history, 60_000, Some(&output));
    drop(output);
    let growth = Growth::read(fs::File::open(&scratch.files("growth")[0]).unwrap()).unwrap();
    let mut replay = GrowthReplay::new(growth);
    let root_visits = |replay: &GrowthReplay| replay.view(&start).root_stats().0;
    for at in [60_000, 0, 31_234, 31_233, 7, 59_999, 12_345] {
        replay.seek(at);
        assert_eq!(root_visits(&replay), u64::from(at));
        if at < 20_000 {
            let mut again = catalog::build(&spec).unwrap();
            search_and_write(&mut *again, &start, &history, at.into(), None);
            if let Some(tree) = again.tree().filter(|_| at > 0) {
                assert!(tree_rows(&replay.view(&start)) == tree_rows(tree), "{at}");
            }
        }
    }
}

#[test]
fn a_journal_can_be_followed_and_ends_at_its_limit() {
    let scratch = Scratch::new("followed");
    let output = open_with_journal(&scratch.0, 200_000);
    let (start, history) = start_position();
    let mut grown = catalog::build(&catalog::parse::<ConnectFour>("uct").unwrap()).unwrap();
    let seen = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            // As a viewer does: wait for the file, then for more of it.
            let path = loop {
                if let Some(path) = scratch.files("growth").pop() {
                    break path;
                }
                std::thread::sleep(Duration::from_millis(1));
            };
            let mut follower = loop {
                match JournalFollower::open(&path) {
                    Ok(follower) => break follower,
                    Err(_) => std::thread::sleep(Duration::from_millis(1)),
                }
            };
            while follower.growth().ended().is_none() {
                follower.poll().unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
            follower.into_growth()
        });
        search_and_write(&mut *grown, &start, &history, 50_000, Some(&output));
        watcher.join().unwrap()
    });
    assert_eq!(seen.ended(), Some(true));
    assert!(seen.iterations() > 1000);
    assert!(fs::metadata(&scratch.files("growth")[0]).unwrap().len() <= 200_000 + 32);
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

#[test]
fn our_small_journal_has_these_bytes() {
    let records = [
        moves_record(7, 20, 2),
        record_words(GrowthRecord::InheritedStats {
            node: 21,
            visits: 3,
            sum: 1 << 32,
        }),
        begin_record(),
        leaf_record(21),
        proven_record(21),
        end_record(false),
    ];
    let wanted = "43414e4f50594731 00000000 07000000 4c00000000000000 0000000000000000 \
        00ffffff 07000000 14000000 02000000 01000000 \
        04ffffff 15000000 03000000 00000000 01000000 \
        06ffffff 15000000 00000080 00000000 03ffffff 15000000 01000000 07ffffff 00000000";
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let bytes = journal_bytes(&journal_header(false, 7), &records);
    assert_eq!(hex(&bytes), wanted.replace(' ', ""));
    assert_eq!(Growth::read(&bytes[..]).unwrap().nodes(), 3);
    let records = [
        moves_record(1, 2, 3),
        link_record(3, 3),
        record_words(GrowthRecord::InheritedEdgeVisits { edge: 3, visits: 9 }),
        begin_record(),
        path_record(&[3]),
        end_record(true),
    ];
    let wanted = "43414e4f50594731 01000000 01000000 5000000000000000 0000000000000000 \
        00ffffff 01000000 02000000 03000000 01000200 \
        01ffffff 03000000 03000000 00000000 05ffffff 03000000 09000000 \
        06ffffff 02ffffff 01000000 03000000 00000000 01000000 07ffffff 01000000";
    let bytes = journal_bytes(&journal_header(true, 1), &records);
    assert_eq!(hex(&bytes), wanted.replace(' ', ""));
    assert_eq!(Growth::read(&bytes[..]).unwrap().nodes(), 2);
}

#[test]
fn records_of_later_versions_are_skipped() {
    let plain = [
        moves_record(7, 20, 2),
        begin_record(),
        leaf_record(21),
        end_record(false),
    ];
    let unknown = [
        vec![0xffff_ff20, 0],
        vec![0xffff_ff20, 2, 0xffff_ff07, 0],
        vec![0xffff_fffe, 3, 1, 2, 3],
    ];
    let [one, two, three, four] = plain.clone();
    let [a, b, c] = unknown;
    let mixed = [one, a, two, b, three, c, four];
    let mut header = journal_header(false, 7);
    header[24] = 9;
    let read = |records: &[Vec<u32>]| Growth::read(&journal_bytes(&header, records)[..]).unwrap();
    assert!(read(&mixed) == read(&plain));
    // A record that is known may have got longer.
    let root = record_words(GrowthRecord::InheritedSquares {
        node: 7,
        squares: 0,
    });
    let mut longer = root.clone();
    longer[1] += 2;
    longer.extend([5, 6]);
    assert!(read(&[longer, begin_record()]) == read(&[root, begin_record()]));
}

/// Journals of version 0 have no sums of squares. They are known nonetheless unless rewards were inherited.
#[test]
fn the_squares_of_old_journals_are_known_unless_there_were_some_before() {
    let (start, _) = start_position();
    let squares = |version: u8, records: &[Vec<u32>]| {
        let mut header = journal_header(false, 0);
        header[24] = version;
        let growth = Growth::read(&journal_bytes(&header, records)[..]).unwrap();
        let mut replay = GrowthReplay::new(growth);
        replay.seek(u32::MAX);
        tree_extras(&replay.view(&start))[0].squares
    };
    // The first player has lost so often; the root's squares are the second player's.
    let known = |node: u32, visits: u32| {
        record_words(GrowthRecord::InheritedStats {
            node,
            visits,
            sum: 0,
        })
    };
    let before = |squares: u64| record_words(GrowthRecord::InheritedSquares { node: 0, squares });
    assert_eq!(
        squares(0, &[begin_record(), leaf_record(0), leaf_record(0)]),
        0.5
    );
    assert!(squares(0, &[known(0, 2), begin_record(), leaf_record(0)]).is_nan());
    assert!(squares(1, &[begin_record(), leaf_record(0)]).is_nan());
    let told = [known(0, 2), before(0), begin_record(), leaf_record(0)];
    assert_eq!(squares(1, &told), 2.25);
}

/// Calls `see` with `order` followed by every permutation of `left`.
fn for_each_permutation(
    order: &mut Vec<Vec<u32>>,
    left: &mut Vec<Vec<u32>>,
    see: &mut dyn FnMut(&[Vec<u32>]),
) {
    if left.is_empty() {
        see(order);
    }
    for index in 0..left.len() {
        order.push(left.remove(index));
        for_each_permutation(order, left, see);
        left.insert(index, order.pop().unwrap());
    }
}

#[test]
fn records_may_come_in_any_order() {
    let scratch = Scratch::new("orders");
    let (start, _) = start_position();
    let tree = vec![
        moves_record(100, 5_000_000, 7),
        leaf_record(5_000_003),
        moves_record(5_000_003, 1, 7),
        leaf_record(2),
        proven_record(2),
    ];
    let graph = vec![
        moves_record(1, 10, 7),
        link_record(13, 13),
        moves_record(13, 0xffff_fe00, 7),
        link_record(0xffff_fe02, 15),
        // Two threads may find out at the same time.
        link_record(0xffff_fe02, 15),
        path_record(&[13, 0xffff_fe02]),
        proven_record(15),
    ];
    // What happened after the last iteration is not seen, so there is one more.
    let tree = (
        tree,
        journal_header(false, 100),
        [leaf_record(100), end_record(false)],
    );
    let graph = (
        graph,
        journal_header(true, 1),
        [path_record(&[]), end_record(false)],
    );
    for (mut records, header, last) in [tree, graph] {
        let mut first = None;
        let mut order = vec![begin_record()];
        for_each_permutation(&mut order, &mut records, &mut |order| {
            let order = [order, &last[..]].concat();
            let whole = Growth::read(&journal_bytes(&header, &order)[..]).unwrap();
            assert!(
                whole == follow_journal(&scratch, &header, &order, 1),
                "{order:x?}"
            );
            assert_eq!(whole.ended(), Some(false));
            let mut replay = GrowthReplay::new(whole);
            replay.seek(u32::MAX);
            let mut rows = Vec::new();
            let wanted = SnapshotOptions {
                extra: true,
                ..SnapshotOptions::default()
            };
            let taken = snapshot::take(&replay.view(&start), &wanted).unwrap();
            extra::write(&taken.extra, &mut rows).unwrap();
            let all = (taken.tree, rows, replay.current_iteration());
            let first = first.get_or_insert_with(|| all.clone());
            assert!(*first == all, "{order:x?}");
        });
    }
}

#[test]
fn whatever_numbers_a_journal_has_the_tree_is_the_same() {
    let grown = |number: &dyn Fn(u32) -> u32, early: bool| {
        let mut rng = Rng::new(3);
        let mut records = vec![begin_record()];
        let mut later = Vec::new();
        for index in 0..100_000 {
            let node = rng.below(index + 1);
            records.push(leaf_record(number(node)));
            // Half of the nodes are told of only when many others have been.
            let made = moves_record(number(index), number(index + 1), 1);
            if early && index > 50_000 && rng.below(2) == 0 {
                later.push(made);
            } else {
                records.push(made);
            }
        }
        records.extend(later);
        records.push(end_record(false));
        let bytes = journal_bytes(&journal_header(false, number(0)), &records);
        let room = 16 * bytes.len() + (1 << 18);
        let (growth, most) = measure_peak_memory(|| Growth::read(&bytes[..]).unwrap());
        assert!(most <= room, "{most} bytes for a file of {}", bytes.len());
        assert_eq!((growth.iterations(), growth.nodes()), (100_000, 100_001));
        growth
    };
    let dense = |node| node;
    // Odd factors, so that no two nodes get one number.
    let scattered = |node: u32| node.wrapping_mul(0x9e37_79b1) % (1 << 31) * 2 % FIRST_TAG;
    let apart = |node: u32| FIRST_TAG - 1 - node * 40_000;
    for early in [false, true] {
        let plain = grown(&dense, early);
        assert!(plain == grown(&scattered, early));
        assert!(plain == grown(&apart, early));
    }
}

/// Reads a hostile journal. Asserts that time and memory stay proportional to its size.
fn read_malicious_journal(graph: bool, records: &[Vec<u32>]) -> Result<Growth, TreeError> {
    let bytes = journal_bytes(&journal_header(graph, 0), records);
    let begun = Instant::now();
    let (result, most) = measure_peak_memory(|| Growth::read(&bytes[..]));
    let room = 16 * bytes.len() + (1 << 18);
    assert!(most <= room, "{most} bytes for a file of {}", bytes.len());
    // Those that begin again and again take minutes.
    assert!(begun.elapsed() < Duration::from_secs(10));
    result
}

#[test]
fn waiting_takes_no_time() {
    let many = 200_000;
    let after_begin = |records: &mut dyn Iterator<Item = Vec<u32>>| -> Vec<Vec<u32>> {
        std::iter::once(begin_record()).chain(records).collect()
    };
    // All wait for nodes that are never made: one each, and all for the same.
    let spread = |index: u32| 1 + index * 20_000;
    for number in [&spread as &dyn Fn(u32) -> u32, &|index| index + 1, &|_| 77] {
        let mut records = after_begin(&mut (0..many).map(|index| leaf_record(number(index))));
        assert_eq!(
            read_malicious_journal(false, &records)
                .unwrap()
                .iterations(),
            0
        );
        records.push(end_record(true));
        assert_eq!(
            read_malicious_journal(false, &records)
                .unwrap()
                .iterations(),
            0
        );
        records.pop();
        records.push(end_record(false));
        let text = read_malicious_journal(false, &records)
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("200000 records that speak of what was never"),
            "{text}"
        );
        // They are made after all, and whoever waits is taken up.
        records.pop();
        let mut needed: Vec<u32> = (0..many).map(number).collect();
        needed.dedup();
        let mut above = 0;
        for &node in &needed {
            records.push(moves_record(above, node, 1));
            above = node;
        }
        records.push(end_record(false));
        assert_eq!(
            read_malicious_journal(false, &records)
                .unwrap()
                .iterations(),
            many
        );
    }
    // Everything waits for what is told last.
    let mut backwards =
        after_begin(&mut (1..many).rev().map(|node| moves_record(node, node + 1, 1)));
    backwards.extend((1..many).map(leaf_record));
    backwards.push(moves_record(0, 1, 1));
    let growth = read_malicious_journal(false, &backwards).unwrap();
    assert_eq!(
        (growth.iterations(), growth.nodes()),
        (many - 1, many as usize + 1)
    );
    // Paths that learn of one move at a time, first that it is there and then where it leads.
    for (paths, length) in [(1, many), (400, 500)] {
        let edges: Vec<u32> = (1..=length).collect();
        let mut records = after_begin(&mut (0..paths).map(|_| path_record(&edges)));
        for edge in 0..length {
            records.push(moves_record(edge, edge + 1, 1));
            records.push(link_record(edge + 1, edge + 1));
        }
        records.push(end_record(false));
        assert_eq!(
            read_malicious_journal(true, &records).unwrap().iterations(),
            paths
        );
        // The other way round.
        records[1 + paths as usize..].reverse();
        records.remove(1 + paths as usize);
        assert_eq!(
            read_malicious_journal(true, &records).unwrap().iterations(),
            paths
        );
    }
    // Many paths that wait for the same link, and never hear of the next.
    let mut records = after_begin(&mut (0..many).map(|_| path_record(&[1, 2])));
    records.extend([moves_record(0, 1, 1), link_record(1, 1)]);
    assert_eq!(
        read_malicious_journal(true, &records).unwrap().iterations(),
        0
    );
}

#[test]
fn journals_that_lie_are_refused() {
    let refused = |graph: bool, records: &[Vec<u32>], sentence: &str| {
        let text = read_malicious_journal(graph, records)
            .unwrap_err()
            .to_string();
        assert!(text.contains(sentence), "{text}");
    };
    let made = moves_record(0, 10, 3);
    refused(
        false,
        &[leaf_record(0)],
        "byte 32: an iteration before the search begins",
    );
    refused(
        false,
        &[begin_record(), begin_record()],
        "byte 36: the search begins a second",
    );
    refused(
        false,
        &[proven_record(5)],
        "byte 32: node 5 before the record that makes it",
    );
    refused(
        false,
        &[moves_record(5, 6, 1)],
        "byte 32: node 5 before the record",
    );
    let known = record_words(GrowthRecord::InheritedStats {
        node: 5,
        visits: 2,
        sum: 1,
    });
    refused(
        false,
        std::slice::from_ref(&known),
        "byte 32: node 5 before the record",
    );
    refused(
        false,
        &[moves_record(0, 5, 1), begin_record(), known],
        "2 visits known",
    );
    let chosen = record_words(GrowthRecord::InheritedEdgeVisits { edge: 5, visits: 2 });
    refused(
        false,
        std::slice::from_ref(&chosen),
        "byte 32: a number of choices where",
    );
    refused(
        true,
        &[chosen],
        "byte 32: a move before the record that makes it",
    );
    refused(
        true,
        &[link_record(5, 6)],
        "byte 32: a move before the record that makes it",
    );
    refused(
        false,
        &[moves_record(0, 1, 0)],
        "byte 32: no moves for node 0",
    );
    let again = [made.clone(), moves_record(0, 20, 3)];
    refused(
        false,
        &again,
        "byte 52: 3 moves for node 0, which has moves",
    );
    for first in [0, 8, 12] {
        let sentence = format!("byte 52: 3 numbers from {first} on, one of them taken");
        refused(
            false,
            &[made.clone(), moves_record(10, first, 3)],
            &sentence,
        );
    }
    refused(
        false,
        &[moves_record(0, FIRST_TAG - 2, 3)],
        "byte 32: 3 numbers from 4294967038 on",
    );
    refused(
        false,
        &[moves_record(0, u32::MAX, 3)],
        "byte 32: 3 numbers from 4294967295 on",
    );
    refused(
        true,
        &[begin_record(), moves_record(FIRST_TAG, 1, 1)],
        "byte 36: 0xffffff00, which is no number",
    );
    refused(
        true,
        &[begin_record(), path_record(&[FIRST_TAG])],
        "byte 36: 0xffffff00, which is no number",
    );
    refused(
        true,
        &[made.clone(), link_record(10, FIRST_TAG)],
        "byte 52: 1 numbers from",
    );
    refused(
        true,
        &[begin_record(), leaf_record(0)],
        "byte 36: an iteration of a tree in a graph",
    );
    refused(
        false,
        &[begin_record(), path_record(&[])],
        "byte 36: an iteration of a graph in a tree",
    );
    refused(
        false,
        &[begin_record(), link_record(1, 2)],
        "byte 36: move 1 cannot lead to node 2",
    );
    let elsewhere = [made.clone(), link_record(10, 10), link_record(10, 11)];
    refused(
        true,
        &elsewhere,
        "byte 68: move 10 leads to node 11 and elsewhere",
    );
    // A leaf may turn out to be known, but only once, and not when it has moves.
    let joined = [
        made.clone(),
        begin_record(),
        link_record(10, 10),
        link_record(10, 11),
    ];
    assert_eq!(read_malicious_journal(true, &joined).unwrap().nodes(), 3);
    refused(
        true,
        &[&joined[..], &[link_record(10, 12)]].concat(),
        "byte 88: move 10 leads to node 12 and elsewhere",
    );
    let expanded = [
        made.clone(),
        begin_record(),
        link_record(10, 10),
        moves_record(10, 20, 1),
        link_record(10, 11),
    ];
    refused(
        true,
        &expanded,
        "byte 88: move 10 leads to node 11 and elsewhere",
    );
    let turned = record_words(GrowthRecord::Link {
        edge: 10,
        node: 10,
        frame: 1,
    });
    let turned = [made.clone(), link_record(10, 10), turned];
    refused(
        true,
        &turned,
        "byte 68: move 10 leads to node 10 and elsewhere",
    );
    // A lie that waits is told of where it stands.
    let late = [
        begin_record(),
        path_record(&[10, 10]),
        made.clone(),
        link_record(10, 10),
    ];
    refused(
        true,
        &late,
        "byte 36: a path with move 10, which is made elsewhere",
    );
    let late = [
        begin_record(),
        moves_record(11, 30, 1),
        moves_record(11, 40, 1),
        made.clone(),
    ];
    refused(
        false,
        &late,
        "byte 52: 1 moves for node 11, which has moves",
    );
    refused(
        false,
        &[end_record(true), begin_record()],
        "byte 40: a record after the end",
    );
    refused(
        false,
        &[vec![0xffff_ffff]],
        "byte 32: a record that is not complete",
    );
    refused(
        false,
        &[vec![0xffff_ffff, 3, 0, 0]],
        "byte 32: a record that is not complete",
    );
    refused(
        false,
        &[vec![0xffff_ff08, 2, 0, 0]],
        "byte 32: a record of 2 words: expected 3",
    );
    let squares = record_words(GrowthRecord::InheritedSquares {
        node: 0,
        squares: 1,
    });
    refused(
        false,
        std::slice::from_ref(&squares),
        "byte 32: squares of 1 with 0 visits known",
    );
    refused(
        false,
        &[begin_record(), squares],
        "byte 36: squares known after the search began",
    );
    let table = |entries: u64| {
        record_words(GrowthRecord::Table {
            entries,
            verified: true,
        })
    };
    let entry_of = |key: u64, told: Option<RawTableEntry>| {
        record_words(GrowthRecord::TableEntry {
            node: 0,
            key,
            stats: told,
        })
    };
    let entry = |told: Option<RawTableEntry>| entry_of(5, told);
    refused(
        true,
        &[table(3)],
        "byte 32: a table of positions where there can be none",
    );
    refused(
        false,
        &[table(0)],
        "byte 32: a table of positions without entries",
    );
    refused(
        false,
        &[table(3), table(3)],
        "byte 52: a table of positions where there can be none",
    );
    refused(
        false,
        &[entry(None)],
        "byte 32: an entry for node 0 without a table",
    );
    refused(
        false,
        &[table(3), entry(None), begin_record(), entry_of(6, None)],
        "byte 76: another key for node 0",
    );
    // Two threads may come at the same time.
    let twice = [table(3), entry(None), begin_record(), entry(None)];
    assert!(read_malicious_journal(false, &twice).is_ok());
    let impossible = RawTableEntry {
        visits: 1,
        sum: 2 << 32,
        squares: 0,
    };
    for told in [impossible, RawTableEntry::default()] {
        refused(
            false,
            &[table(3), entry(Some(told))],
            "byte 52: an entry for node 0 that cannot be",
        );
    }
    refused(
        false,
        &[vec![0xffff_ff03, 0, 4]],
        "byte 32: the result is 4: expected 1",
    );
    let mut long = path_record(&[]);
    long[1] = u32::MAX;
    refused(
        true,
        &[begin_record(), long],
        "byte 36: a record that is not complete",
    );
    let mut long = moves_record(0, 1, 9);
    long.pop();
    refused(
        true,
        &[begin_record(), long],
        "byte 36: a record that is not complete",
    );
    let mut bytes = journal_bytes(&journal_header(false, 0), &[begin_record(), leaf_record(0)]);
    let with = |bytes: &[u8]| Growth::read(bytes).map(drop).unwrap_err().to_string();
    bytes[12..16].fill(255);
    assert!(with(&bytes).contains("byte 12: the root is node 4294967295"));
    bytes[12..16].fill(0);
    bytes[16] = 14;
    assert!(with(&bytes).contains("byte 36: a record that is not complete"));
    bytes[16] = 4 + 3;
    assert!(with(&bytes).contains("byte 36: a record that is not complete"));
    bytes[16..24].fill(255);
    assert!(with(&bytes).contains("byte 48: the file ends, but its header promises"));
}

// ---- snapshots --------------------------------------------------------------------------------------------------

#[test]
fn the_most_visited_part_stays() {
    let (start, history) = start_position();
    for name in ["uct", "transposition", "alpha-beta,depth=4"] {
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        let mut grown = catalog::build(&spec).unwrap();
        search_and_write(&mut *grown, &start, &history, 3000, None);
        let view = grown.tree().unwrap();
        let all = snapshot::take(view, &SnapshotOptions::default()).unwrap();
        assert_eq!(all.cut.left_out, 0);
        let total = all.tree.nodes().len();
        for most in [1, 2, 10, 500, total - 1, total, total + 1] {
            let wanted = SnapshotOptions {
                max_nodes: Some(most as u64),
                ..SnapshotOptions::default()
            };
            let cut = snapshot::take(view, &wanted).unwrap();
            let kept = cut.tree.nodes();
            assert!(kept.len() <= most);
            assert_eq!(cut.cut.left_out as usize, total - kept.len());
            if name != "transposition" {
                assert_eq!(kept.len(), most.min(total), "{name}");
            }
            // Nothing that was left out has more visits than what stayed.
            let mut visits: Vec<i32> = all.tree.nodes()[1..]
                .iter()
                .map(|node| node.visits)
                .collect();
            visits.sort_unstable_by(|one, other| other.cmp(one));
            let least = visits.get(most.saturating_sub(2)).copied().unwrap_or(0);
            assert!(kept[1..].iter().all(|node| node.visits >= least));
        }
        let wanted = SnapshotOptions {
            min_visits: 5,
            ..SnapshotOptions::default()
        };
        let cut = snapshot::take(view, &wanted).unwrap();
        let expected = all.tree.nodes()[1..]
            .iter()
            .filter(|node| node.visits >= 5)
            .count();
        if name != "transposition" {
            assert_eq!(cut.tree.nodes().len(), expected + 1);
        }
        assert!(cut.tree.nodes()[1..].iter().all(|node| node.visits >= 5));
    }
}

#[test]
fn states_say_who_decides_and_where() {
    let (start, history) = start_position();
    let spec = catalog::parse::<ConnectFour>("transposition").unwrap();
    let mut grown = catalog::build(&spec).unwrap();
    search_and_write(&mut *grown, &start, &history, 2000, None);
    let wanted = SnapshotOptions {
        states: true,
        extra: true,
        ..SnapshotOptions::default()
    };
    let taken = snapshot::take(grown.tree().unwrap(), &wanted).unwrap();
    let tree = &taken.tree;
    assert!(tree.state(0).starts_with("connect-four "));
    let mut shared = 0;
    for row in 1..tree.nodes().len() {
        match tree.state(row).split_once(' ') {
            Some((who, position)) => {
                assert!(["p1", "p2", "p1win", "p2win", "draw"].contains(&who));
                let text = notation::read_position::<ConnectFour>((), position).unwrap();
                let decides = if text.to_move() == Player::First {
                    "p1"
                } else {
                    "p2"
                };
                assert!(who == decides || text.outcome().is_some());
            }
            None => {
                let target: usize = tree.state(row).strip_prefix('=').unwrap().parse().unwrap();
                assert!(target <= row && !tree.state(target - 1).starts_with('='));
                assert_eq!(tree.nodes()[row].children, 0);
                // The node is one: both rows know its visits and its mean.
                assert_eq!(
                    taken.extra[row].node_visits,
                    taken.extra[target - 1].node_visits
                );
                if taken.extra[row].node_visits > 0 {
                    assert_eq!(tree.nodes()[row].mean, tree.nodes()[target - 1].mean);
                }
                shared += 1;
            }
        }
    }
    assert!(shared > 10, "{shared}");
}

#[test]
fn a_classical_tree_marks_what_was_cut_off() {
    let (start, history) = start_position();
    let spec = catalog::parse::<ConnectFour>("alpha-beta,depth=5").unwrap();
    let scratch = Scratch::new("classical");
    let output = TreeOutput::open(
        TreeOutputSettings {
            snapshot: SnapshotOptions {
                extra: true,
                ..SnapshotOptions::default()
            },
            format: Format::Csv,
            ..writer_settings(&scratch.0)
        },
        no_warning(),
    )
    .unwrap();
    search_and_write(
        &mut *catalog::build(&spec).unwrap(),
        &start,
        &history,
        1_000_000,
        Some(&output),
    );
    drop(output);
    let document = files::read(&scratch.files("csv")[0], None).unwrap();
    assert_eq!(document.problems, [""; 0]);
    let extra = document.extra.unwrap();
    assert_eq!(extra.len(), document.tree.nodes().len());
    let cut: Vec<usize> = (0..extra.len()).filter(|&row| extra[row].cut).collect();
    assert!(!cut.is_empty());
    assert!(
        cut.iter()
            .all(|&row| document.tree.nodes()[row].visits == 0)
    );
    assert!(document.meta.unwrap().is_final);
}

/// Extra records suffice for the formulas: UCB1-tuned's squares and means give the variance of the rewards.
#[test]
fn extras_hold_what_the_formulas_need() {
    let (start, history) = start_position();
    for name in ["ucb1-tuned", "transposition,select=ucb1-tuned"] {
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        let mut grown = catalog::build(&spec).unwrap();
        search_and_write(&mut *grown, &start, &history, 3000, None);
        let wanted = SnapshotOptions {
            extra: true,
            ..SnapshotOptions::default()
        };
        let taken = snapshot::take(grown.tree().unwrap(), &wanted).unwrap();
        for (node, extra) in taken.tree.nodes().iter().zip(&taken.extra) {
            if extra.node_visits == 0 {
                continue;
            }
            // Rewards are 0, 1/2 and 1: squares lie between a half and all of the sum.
            let sum = node.mean * extra.node_visits as f64;
            assert!(
                extra.squares <= sum + 1e-6 && extra.squares >= sum / 2.0 - 1e-6,
                "{name}"
            );
        }
    }
}

// ---- the writer -------------------------------------------------------------------------------------------------

#[test]
fn snapshots_of_a_running_search_replace_each_other() {
    let scratch = Scratch::new("running");
    for threads in [1, 2] {
        let output = TreeOutput::open(
            TreeOutputSettings {
                snapshot_interval: Some(Duration::from_millis(2)),
                ..writer_settings(&scratch.0)
            },
            no_warning(),
        )
        .unwrap();
        let (start, history) = start_position();
        let name = format!("uct,threads={threads}");
        let spec = catalog::parse::<ConnectFour>(&name).unwrap();
        search_and_write(
            &mut *catalog::build(&spec).unwrap(),
            &start,
            &history,
            100_000,
            Some(&output),
        );
        drop(output);
        let trees = scratch.files("tree");
        assert_eq!(trees.len(), threads);
        let document = files::read(&trees[threads - 1], None).unwrap();
        assert_eq!(document.tree.nodes()[0].visits, 100_000);
        assert_eq!(summary::summarize(&document).inconsistencies, []);
        assert!(document.meta.unwrap().is_final);
    }
    assert!(scratch.files("tmp").is_empty());
}

/// A tree that is slow to read, which keeps the writer busy.
struct SlowTree(ConnectFour);

impl TreeView<ConnectFour> for SlowTree {
    fn root_position(&self) -> &ConnectFour {
        &self.0
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        std::thread::sleep(Duration::from_millis(50));
        (1, 1, Reward::EVEN)
    }

    fn for_each_edge(&self, _: u32, _: &mut dyn FnMut(EdgeView<<ConnectFour as Game>::Move>)) {}

    fn root_edge(&self) -> RootEdge {
        RootEdge::default()
    }
}

#[test]
fn a_slow_disk_holds_nobody_up_and_fills_no_memory() {
    let scratch = Scratch::new("slow");
    let warnings = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&warnings);
    let output = TreeOutput::open(
        writer_settings(&scratch.0),
        Box::new(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        }),
    )
    .unwrap();
    // All of these would take 5 seconds.
    for _ in 0..100 {
        let files = output.begin_search("connect-four", "slow");
        files.finish(
            || Ok(Box::new(SlowTree(ConnectFour::start(())))),
            Meta::default(),
        );
    }
    assert!(scratch.files("tree").len() < 50);
    drop(output);
    let trees = scratch.files("tree").len();
    assert!((1..50).contains(&trees), "{trees}");
    // The first that was lost is told, then that it were ten, and in the end how many.
    assert!((2..10).contains(&warnings.load(Ordering::Relaxed)));
}

#[test]
fn a_directory_that_goes_and_comes_back_is_told_of_once() {
    let scratch = Scratch::new("gone");
    let inner = scratch.0.join("trees");
    let warnings = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&warnings);
    let warn = move |warning: &str| {
        let known = [
            "cannot write the tree to ",
            "2 trees could not be written to ",
        ];
        assert!(
            known.iter().any(|begin| warning.starts_with(begin)),
            "{warning}"
        );
        counted.fetch_add(1, Ordering::Relaxed);
    };
    let output = TreeOutput::open(writer_settings(&inner), Box::new(warn)).unwrap();
    let write = || {
        let files = output.begin_search("connect-four", "quick");
        let start = ConnectFour::start(());
        files.finish(|| Ok(Box::new(SlowTree(start))), Meta::default());
        // The writer is done when it is idle.
        while !output.begin_search("connect-four", "quick").is_idle() {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    let trees = || {
        fs::read_dir(&inner).map_or(0, |entries| {
            let names = entries.map(|entry| entry.unwrap().path());
            names
                .filter(|path| path.extension().is_some_and(|name| name == "tree"))
                .count()
        })
    };
    write();
    assert_eq!(trees(), 1);
    fs::remove_dir_all(&inner).unwrap();
    write();
    write();
    assert_eq!(warnings.load(Ordering::Relaxed), 1);
    fs::create_dir(&inner).unwrap();
    write();
    assert_eq!(trees(), 1);
    // Now it is told that two were lost.
    assert_eq!(warnings.load(Ordering::Relaxed), 2);
    fs::remove_dir_all(&inner).unwrap();
    write();
    assert_eq!(warnings.load(Ordering::Relaxed), 3);
    assert_eq!(output.finish(), 3);
}

#[test]
fn whoever_keeps_all_trees_waits_for_the_disk() {
    let scratch = Scratch::new("patient");
    let output = TreeOutput::open_blocking(writer_settings(&scratch.0), no_warning()).unwrap();
    for _ in 0..20 {
        let files = output.begin_search("connect-four", "slow");
        files.finish(
            || Ok(Box::new(SlowTree(ConnectFour::start(())))),
            Meta::default(),
        );
    }
    assert_eq!(output.finish(), 0);
    assert_eq!(scratch.files("tree").len(), 20);
}

/// A tree on which the writer fails.
struct BrokenTree(ConnectFour);

impl TreeView<ConnectFour> for BrokenTree {
    fn root_position(&self) -> &ConnectFour {
        &self.0
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        panic!("broken on purpose")
    }

    fn for_each_edge(&self, _: u32, _: &mut dyn FnMut(EdgeView<<ConnectFour as Game>::Move>)) {}

    fn root_edge(&self) -> RootEdge {
        RootEdge::default()
    }
}

#[test]
fn a_writer_that_panics_loses_that_tree_alone_and_says_so() {
    let scratch = Scratch::new("panics");
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&warnings);
    let warn = move |warning: &str| heard.lock().unwrap().push(warning.to_owned());
    let output = TreeOutput::open(writer_settings(&scratch.0), Box::new(warn)).unwrap();
    let start = ConnectFour::start(());
    let write = |copy: io::Result<TreeCopy<ConnectFour>>| {
        let files = output.begin_search("connect-four", "broken");
        files.finish(|| copy, Meta::default());
    };
    write(Ok(Box::new(BrokenTree(start))));
    // No memory for a copy is a lost tree, too.
    write(Err(io::ErrorKind::OutOfMemory.into()));
    write(Ok(Box::new(SlowTree(start))));
    assert_eq!(output.finish(), 2);
    assert_eq!(scratch.files("tree").len(), 1);
    let warnings = warnings.lock().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0].contains("the writer failed: broken on purpose"),
        "{warnings:?}"
    );
    assert!(
        warnings[1].starts_with("2 trees could not be written"),
        "{warnings:?}"
    );
}

#[test]
fn a_directory_that_is_a_file_is_refused_at_once() {
    let scratch = Scratch::new("file");
    let path = scratch.0.join("file");
    fs::write(&path, "text").unwrap();
    let error = TreeOutput::open(writer_settings(&path), no_warning())
        .err()
        .unwrap();
    assert!(
        [io::ErrorKind::AlreadyExists, io::ErrorKind::NotADirectory].contains(&error.kind()),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_directory() {
    let scratch = Scratch::new("links");
    let outside = scratch.0.join("outside");
    fs::write(&outside, "precious").unwrap();
    let inner = scratch.0.join("trees");
    fs::create_dir(&inner).unwrap();
    let target = inner.join("x.tree");
    std::os::unix::fs::symlink(&outside, &target).unwrap();
    let hidden = inner.join(format!(".{}-x.tree.tmp", std::process::id()));
    std::os::unix::fs::symlink(&outside, &hidden).unwrap();
    files::write_atomic(&target, |out| io::Write::write_all(out, b"new")).unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
    assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    assert!(!target.is_symlink());
}
