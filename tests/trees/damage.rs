//! Damaged files: whatever bytes a file has, reading it ends in a result or in a sentence, never in a panic. Seeds are fixed, so
//! that a failure repeats.

use canopy_engine::tree::{
    OmittedRows,
    files::Document,
    replay_reader::{ReplayLimits, ReplayTree},
};

use super::{
    index::{only_file_in, replay_limits},
    *,
};

/// Damages a file in one to four places: bits, bytes, numbers at the edges of their range, spans removed, repeated, swapped or
/// cut off.
pub(super) fn damage(rng: &mut Rng, sound: &[u8]) -> Vec<u8> {
    const EDGES: [u32; 8] = [
        0,
        1,
        0x7f,
        0xffff,
        i32::MAX as u32,
        1 << 31,
        FIRST_TAG,
        u32::MAX,
    ];
    let mut bytes = sound.to_vec();
    for _ in 0..=rng.below(4) {
        if bytes.is_empty() {
            break;
        }
        let len = bytes.len();
        let at = rng.below(len as u32) as usize;
        let end = (at + 1 + rng.below(24) as usize).min(len);
        match rng.below(8) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = rng.bits() as u8,
            2 => {
                let at = at / 4 * 4;
                let edge = EDGES[rng.below(8) as usize].to_le_bytes();
                let room = 4.min(len - at);
                bytes[at..at + room].copy_from_slice(&edge[..room]);
            }
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let span = bytes[at..end].to_vec();
                bytes.splice(at..at, span);
            }
            6 => {
                let other = rng.below(len as u32) as usize;
                bytes.swap(at, other);
            }
            _ => bytes[at..end].fill(rng.bits() as u8),
        }
    }
    bytes
}

/// Reads `count` damaged versions of a file; returns how many were accepted.
fn read_damaged(
    seed: u64,
    count: usize,
    sound: &[u8],
    read: impl Fn(&[u8]) -> Result<(), String>,
) -> usize {
    read(sound).unwrap();
    let mut rng = Rng::new(seed);
    let mut accepted = 0;
    for _ in 0..count {
        match read(&damage(&mut rng, sound)) {
            Ok(()) => accepted += 1,
            Err(sentence) => assert!(sentence.contains(' '), "{sentence:?}"),
        }
    }
    accepted
}

/// The file of a search of connect four with this extension.
fn searched_file(name: &str, spec: &str, iterations: u64, extension: &str) -> Vec<u8> {
    let scratch = Scratch::new(name);
    let output = TreeOutput::open(
        TreeOutputSettings {
            max_journal_bytes: Some(DEFAULT_MAX_JOURNAL_BYTES),
            snapshot: SnapshotOptions {
                extra: true,
                states: true,
                ..SnapshotOptions::default()
            },
            ..writer_settings(&scratch.0)
        },
        no_warning(),
    )
    .unwrap();
    let (start, history) = start_position();
    let mut search = catalog::build(&catalog::parse::<ConnectFour>(spec).unwrap()).unwrap();
    search_and_write(&mut *search, &start, &history, iterations, Some(&output));
    drop(output);
    fs::read(&scratch.files(extension)[0]).unwrap()
}

/// Looks at all of a tree that was accepted.
fn walk(document: &Document) {
    let tree = &document.tree;
    let summary = summary::summarize(document);
    assert_eq!(
        summary.widths.iter().sum::<u64>(),
        tree.nodes().len() as u64
    );
    for format in FORMATS {
        // A name may be too long for a format: then it says so.
        let _ = format.write(tree, &mut Vec::new());
    }
    let _ = tree.root_stats_from_children();
}

fn document(tree: Tree) -> Document {
    Document {
        tree,
        meta: None,
        extra: None,
        columns: None,
        problems: Vec::new(),
    }
}

#[test]
fn damaged_trees_never_panic() {
    let sound = searched_file("damage-tree", "transposition", 60, "tree");
    let tree = binary::read(&sound[..]).unwrap();
    for (seed, format) in [(1, Format::Tree), (2, Format::Csv)] {
        let accepted = read_damaged(seed, 1500, &to_bytes(&tree, format), |bytes| {
            let result = from_bytes(bytes, format).map_err(|error| error.to_string());
            // With a limit the same bytes are accepted, and of a good tree some rows stay.
            let limited = || TreeBuilder::with_byte_limit(2000, 40);
            let part = match format {
                Format::Tree => binary::read_into(limited(), bytes),
                Format::Csv => csv::read_into(limited, || Ok(bytes)),
            };
            assert_eq!(part.is_ok(), result.is_ok(), "{:?}", part.err());
            if let Ok(part) = part {
                let OmittedRows { nodes, .. } = part.omitted;
                assert_eq!(
                    nodes + part.tree.nodes().len() as u64,
                    result.as_ref().unwrap().nodes().len() as u64
                );
                walk(&document(part.tree));
            }
            result.map(|tree| walk(&document(tree)))
        });
        assert!((1..1500).contains(&accepted), "{accepted} of 1500");
    }
}

#[test]
fn damaged_sidecars_never_panic() {
    let sound = searched_file("damage-extra", "transposition", 60, "extra");
    let wanted = [0, 3, 4, 70];
    read_damaged(3, 1500, &sound, |bytes| {
        let _ = extra::read_rows(bytes, Some(&wanted));
        extra::read(bytes)
            .map(drop)
            .map_err(|error| error.to_string())
    });
    let column = |name: &str, labels: &[&str], values| Column {
        name: name.to_owned(),
        unit: "s".to_owned(),
        labels: labels.iter().map(|&label| label.to_owned()).collect(),
        values,
    };
    let columns = Columns {
        rows: 80,
        columns: vec![
            column(
                "a",
                &[],
                ColumnValues::F64((0..80).map(f64::from).collect()),
            ),
            column(
                "b",
                &["x", "y"],
                ColumnValues::U8((0..80).map(|row| row % 2).collect()),
            ),
            column("c", &[], ColumnValues::I32((-40..40).collect())),
        ],
    };
    let mut sound = Vec::new();
    columns::write(&columns, &mut sound).unwrap();
    read_damaged(4, 1500, &sound, |bytes| {
        let _ = columns::row_bytes(bytes);
        let _ = columns::read_rows(bytes, Some(&wanted));
        let read = columns::read(bytes).map_err(|error| error.to_string())?;
        for column in &read.columns {
            for row in 0..=80 {
                let _ = (column.value(row), column.label(row));
            }
        }
        Ok(())
    });
    let sound = searched_file("damage-meta", "uct", 60, "json");
    read_damaged(5, 1500, &sound, |bytes| {
        let _ = meta::read_match(bytes);
        meta::read(bytes)
            .map(drop)
            .map_err(|error| error.to_string())
    });
}

#[test]
fn a_tree_is_read_whatever_is_beside_it() {
    let scratch = Scratch::new("damage-beside");
    let path = scratch.0.join("a.tree");
    fs::write(&path, searched_file("damage-a", "uct", 60, "tree")).unwrap();
    for (seed, extension) in [(6, "json"), (7, "extra")] {
        let beside = files::sidecar_path(&path, extension);
        let sound = searched_file("damage-b", "uct", 60, extension);
        let mut rng = Rng::new(seed);
        for _ in 0..300 {
            fs::write(&beside, damage(&mut rng, &sound)).unwrap();
            let document = files::read(&path, None).unwrap();
            walk(&document);
            let (part, _) = files::read_with_byte_limit(&path, 3000, 40).unwrap();
            walk(&part);
        }
        fs::remove_file(&beside).unwrap();
    }
}

/// Replays a journal's bytes in memory: some iterations, forwards and backwards, as rows.
fn replay_bytes(bytes: &[u8]) -> Result<(), String> {
    let growth = Growth::read(bytes).map_err(|error| error.to_string())?;
    let (start, _) = start_position();
    let last = growth.iterations();
    let mut replay = GrowthReplay::new(growth);
    let wanted = SnapshotOptions {
        extra: true,
        states: true,
        ..SnapshotOptions::default()
    };
    for at in [last, last / 2, 1, last, 0] {
        replay.seek(at);
        // Moves that are not legal are refused, in a sentence.
        let _ = snapshot::take(&replay.view(&start), &wanted);
    }
    Ok(())
}

#[test]
fn damaged_journals_never_panic() {
    for (seed, spec) in [
        (8, "uct"),
        (9, "transposition"),
        (10, "ucb1-tuned"),
        (11, "transposition-002,entries=3"),
    ] {
        let sound = searched_file("damage-growth", spec, 40, "growth");
        let accepted = read_damaged(seed, 1000, &sound, replay_bytes);
        assert!((1..1000).contains(&accepted), "{spec}: {accepted} of 1000");
    }
}

/// Reads a journal file with an index in little memory, and looks at some iterations.
fn show_indexed(path: &Path, limits: ReplayLimits) -> Result<(), String> {
    let start = notation::position_text(&start_position().0);
    let mut reader = ReplayReader::open_with_limits(path, "connect-four", &start, limits)
        .map_err(|error| error.to_string())?;
    loop {
        reader.poll().map_err(|error| error.to_string())?;
        if !reader.is_behind() {
            break;
        }
    }
    let last = reader.iterations();
    for at in [last, last / 2, 1, 0] {
        let _: Result<ReplayTree, String> = reader.tree_at(at, Some(50));
    }
    reader.root_move_history(20).map(drop)
}

#[test]
fn damaged_journals_with_an_index_never_panic() {
    let scratch = Scratch::new("damage-indexed");
    let path = scratch.0.join("a.growth");
    let cache = scratch.0.join("cache");
    let sound = searched_file("damage-long", "uct,expansion=one", 700, "growth");
    let mut accepted = 0;
    for (seed, cache) in [(12, Some(cache)), (13, None)] {
        accepted += read_damaged(seed, 400, &sound, |bytes| {
            fs::write(&path, bytes).unwrap();
            show_indexed(&path, replay_limits(20_000, cache.clone()))
        });
    }
    assert!((1..800).contains(&accepted), "{accepted} of 800");
}

#[test]
fn a_damaged_index_never_panics() {
    let scratch = Scratch::new("damage-index");
    let path = scratch.0.join("a.growth");
    let cache = scratch.0.join("cache");
    fs::write(
        &path,
        searched_file("damage-i", "uct,expansion=one", 700, "growth"),
    )
    .unwrap();
    let limits = replay_limits(20_000, Some(cache.clone()));
    show_indexed(&path, limits.clone()).unwrap();
    let index = only_file_in(&cache);
    let sound = fs::read(&index).unwrap();
    let accepted = read_damaged(14, 300, &sound, |bytes| {
        fs::write(&index, bytes).unwrap();
        show_indexed(&path, limits.clone())
    });
    assert_eq!(accepted, 300, "a damaged index is built again");
}

/// The table of numbers overflows its memory in the middle of the root's moves, after a checkpoint was written.
#[test]
fn memory_that_ends_within_the_moves_of_the_root_is_told_of() {
    let scratch = Scratch::new("damage-root");
    let path = scratch.0.join("a.growth");
    let mut records = vec![begin_record()];
    records.extend((0..3000).map(|_| leaf_record(0)));
    records.push(moves_record(0, 1, 60_000));
    records.push(end_record(false));
    fs::write(&path, journal_bytes(&journal_header(false, 0), &records)).unwrap();
    let start = notation::position_text(&start_position().0);
    let limits = replay_limits(20_000, None);
    let mut reader = ReplayReader::open_with_limits(&path, "connect-four", &start, limits).unwrap();
    while reader.is_behind() {
        reader.poll().unwrap();
    }
    let reason = reader.stop_reason().unwrap().to_owned();
    assert!(reason.contains("memory budget"), "{reason}");
    assert!(reader.iterations() > 0);
}
