//! Replays under a memory limit: an index gives the most visited part of every tree, with exact statistics.

use std::collections::BTreeMap;

use canopy_engine::tree::{
    extra::Extra,
    replay_reader::{self, ReplayTree},
};

use super::*;

/// Writes the growth journal of searches of connect four; returns the path of the last one.
fn write_journal(scratch: &Scratch, spec: &str, iterations: &[u64]) -> PathBuf {
    let output = open_with_journal(&scratch.0, DEFAULT_MAX_JOURNAL_BYTES);
    let (start, history) = start_position();
    let mut grown = catalog::build(&catalog::parse::<ConnectFour>(spec).unwrap()).unwrap();
    for &iterations in iterations {
        search_and_write(&mut *grown, &start, &history, iterations, Some(&output));
    }
    drop(output);
    scratch.files("growth").pop().unwrap()
}

/// The path of the file in a directory that has one.
pub(super) fn only_file_in(directory: &Path) -> PathBuf {
    let mut entries = fs::read_dir(directory).unwrap();
    entries.next().unwrap().unwrap().path()
}

pub(super) fn replay_limits(bytes: usize, cache: Option<PathBuf>) -> replay_reader::ReplayLimits {
    replay_reader::ReplayLimits {
        max_bytes: bytes,
        max_nodes: usize::MAX,
        cache_directory: cache,
    }
}

fn open_replay(journal: &Path, limits: replay_reader::ReplayLimits) -> ReplayReader {
    let start = notation::position_text(&start_position().0);
    ReplayReader::open_with_limits(journal, "connect-four", &start, limits).unwrap()
}

fn open_whole_replay(journal: &Path) -> ReplayReader {
    let start = notation::position_text(&start_position().0);
    ReplayReader::open(journal, "connect-four", &start).unwrap()
}

fn read_all(replay: &mut ReplayReader) {
    replay.poll().unwrap();
    while replay.is_behind() {
        replay.poll().unwrap();
    }
}

/// Statistics of the rows with at least `least` visits, by their path from the root: visits, visits of this search, mean, and
/// sum of squares where there are extra records.
fn row_figures<'a>(
    tree: &'a Tree,
    extra: &[Extra],
    least: u32,
) -> BTreeMap<Vec<&'a str>, (i32, i32, u64, u64)> {
    let mut lines: Vec<Option<Vec<&str>>> = Vec::new();
    let mut found = BTreeMap::new();
    for (row, node) in tree.nodes().iter().enumerate() {
        let above = match row {
            0 => Some(Vec::new()),
            _ => lines[node.parent as usize].clone(),
        };
        let line = above.filter(|_| row == 0 || node.visits >= least as i32);
        let line = line.map(|mut line| {
            line.push(tree.move_name(row));
            line
        });
        if let Some(line) = &line {
            found.insert(
                line.clone(),
                (
                    node.visits,
                    node.second,
                    node.mean.to_bits(),
                    extra.get(row).map_or(0, |extra| extra.squares.to_bits()),
                ),
            );
        }
        lines.push(line);
    }
    found
}

/// Asserts that a partial tree equals the whole one in all rows with `min_visits`, and states the total number of nodes.
fn assert_exact(part: &ReplayTree, whole: &ReplayTree) {
    assert_eq!(part.iteration, whole.iteration);
    assert_eq!(
        part.total_nodes, whole.total_nodes,
        "nodes after {}",
        whole.iteration
    );
    assert!(
        row_figures(&part.tree, &part.extra, 0)
            == row_figures(&whole.tree, &whole.extra, part.min_visits),
        "the figures after {} iterations, from {} visits on",
        whole.iteration,
        part.min_visits
    );
    let way = |shot: &ReplayTree| -> Vec<String> {
        let names = shot.path.iter();
        names
            .map(|&row| shot.tree.move_name(row as usize).to_owned())
            .collect()
    };
    assert!(way(whole).starts_with(&way(part)));
    assert_eq!(part.path.is_empty(), whole.path.is_empty());
}

fn assert_same_trees(part: &mut ReplayReader, whole: &mut ReplayReader, samples: u32) {
    let total = whole.iterations();
    assert_eq!(part.iterations(), total);
    let mut rng = Rng::new(3);
    let some = (0..samples).map(|_| rng.below(total + 1));
    for at in [0, 1, 2, total / 2, total - 1, total]
        .into_iter()
        .chain(some)
    {
        let (part, whole) = (
            part.tree_at(at, None).unwrap(),
            whole.tree_at(at, None).unwrap(),
        );
        assert_exact(&part, &whole);
    }
    let (one, other) = (
        part.root_move_history(200).unwrap(),
        whole.root_move_history(200).unwrap(),
    );
    assert_eq!(one.moves, other.moves);
    assert_eq!(one.visits.last(), other.visits.last());
}

#[test]
fn an_index_shows_what_the_whole_journal_shows() {
    for (spec, iterations) in [
        ("uct", &[9000][..]),
        ("uct,expansion=one", &[9000]),
        ("uct,reuse=true", &[2000, 5000]),
        ("uct,threads=3", &[6000]),
        ("uct,solver=true", &[5000]),
        ("uct,playout_limit=3", &[5000]),
        ("ucb1-tuned", &[5000]),
        ("ucb1-tuned,reuse=true,playout_limit=3", &[2000, 4000]),
    ] {
        let scratch = Scratch::new("index-exact");
        let journal = write_journal(&scratch, spec, iterations);
        let mut all = open_whole_replay(&journal);
        for bytes in [60_000, 400_000] {
            let cache = scratch.0.join(format!("cache-{bytes}"));
            let mut replay = open_replay(&journal, replay_limits(bytes, Some(cache.clone())));
            read_all(&mut replay);
            assert!(replay.index_bytes().is_some(), "{spec} in {bytes} bytes");
            let length = fs::metadata(&journal).unwrap().len();
            assert!(replay.index_bytes() <= Some(length), "{spec}");
            assert_same_trees(&mut replay, &mut all, 6);
            drop(replay);
            let names: Vec<PathBuf> = fs::read_dir(&cache)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            assert_eq!(names.len(), 1, "{names:?}");
            assert!(fs::metadata(&names[0]).unwrap().len() <= length, "{spec}");
            // What was built once is there at once.
            let mut again = open_replay(&journal, replay_limits(bytes, Some(cache)));
            assert_eq!(again.iterations(), all.iterations());
            assert_same_trees(&mut again, &mut all, 2);
        }
    }
}

#[test]
fn an_index_takes_no_more_memory_than_it_may() {
    let scratch = Scratch::new("index-memory");
    let journal = write_journal(&scratch, "uct", &[60_000]);
    let total = open_whole_replay(&journal).iterations();
    for bytes in [1 << 20, 2 << 20] {
        let cache = Some(scratch.0.join("cache"));
        let (counted, most) = measure_peak_memory(|| {
            let mut replay = open_replay(&journal, replay_limits(bytes, cache));
            let mut counted = 0;
            replay.poll().unwrap();
            while replay.is_behind() {
                replay.poll().unwrap();
                counted = counted.max(replay.bytes());
            }
            for part in 0..20 {
                replay.tree_at(total / 20 * part, Some(100)).unwrap();
                counted = counted.max(replay.bytes());
            }
            counted
        });
        assert!(counted <= bytes, "{counted} of {bytes} by its own account");
        // Rows that are made are not its own; the reader's tally of the root's moves is a constant.
        assert!(
            most <= bytes + (1 << 19),
            "{most} of {bytes} were allocated"
        );
        fs::remove_dir_all(scratch.0.join("cache")).unwrap();
    }
}

#[test]
fn a_small_journal_is_kept_whole() {
    let scratch = Scratch::new("index-small");
    let journal = write_journal(&scratch, "uct", &[2000]);
    let mut replay = open_replay(&journal, replay_limits(64 << 20, None));
    read_all(&mut replay);
    assert_eq!(replay.index_bytes(), None);
    let shot = replay.tree_at(1500, None).unwrap();
    assert_eq!(shot.tree.nodes().len() as u64, shot.total_nodes);
    assert_eq!(shot.min_visits, 0);
}

#[test]
fn a_journal_that_outgrows_the_memory_gets_an_index() {
    let scratch = Scratch::new("index-outgrown");
    let path = write_journal(&scratch, "uct", &[20_000]);
    let bytes = fs::read(&path).unwrap();
    let growing = scratch.0.join("growing.growth");
    // A tenth of it is there at first.
    let (header, records) = split_journal(&bytes);
    let first = records.len() / 10;
    let part = |count: usize| journal_bytes(&header, &records[..count]);
    fs::write(&growing, part(first)).unwrap();
    let mut replay = open_replay(
        &growing,
        replay_limits(1_500_000, Some(scratch.0.join("cache"))),
    );
    read_all(&mut replay);
    assert_eq!(replay.index_bytes(), None);
    assert_eq!(replay.ended(), None);
    for tenths in [3, 6, 10] {
        let count = records.len() * tenths / 10;
        fs::write(&growing, part(count)).unwrap();
        read_all(&mut replay);
        let mut until_here = open_whole_replay(&growing);
        assert_eq!(replay.iterations(), until_here.iterations());
        assert_same_trees(&mut replay, &mut until_here, 1);
    }
    assert!(replay.index_bytes().is_some());
    assert_eq!(replay.ended(), Some(false));
}

#[test]
fn an_index_that_is_damaged_or_of_another_journal_is_built_again() {
    let scratch = Scratch::new("index-damaged");
    let path = write_journal(&scratch, "uct", &[9000]);
    let cache = scratch.0.join("cache");
    let limits = replay_limits(200_000, Some(cache.clone()));
    let mut all = open_whole_replay(&path);
    read_all(&mut open_replay(&path, limits.clone()));
    let index = only_file_in(&cache);
    let sound = fs::read(&index).unwrap();
    let mut rng = Rng::new(5);
    for case in 0..9 {
        let mut bytes = sound.clone();
        match case % 3 {
            0 => bytes.truncate(rng.below(bytes.len() as u32) as usize),
            1 => bytes[rng.below(sound.len() as u32) as usize] ^= 1 << rng.below(8),
            _ => bytes.extend_from_slice(&[7; 5000]),
        }
        fs::write(&index, &bytes).unwrap();
        let mut replay = open_replay(&path, limits.clone());
        read_all(&mut replay);
        assert_same_trees(&mut replay, &mut all, 3);
    }
    // Another search has taken the journal's place.
    let scratch = Scratch::new("index-stale");
    let other = write_journal(&scratch, "uct,seed=2", &[9000]);
    fs::write(&index, &sound).unwrap();
    fs::copy(&other, &path).unwrap();
    let mut replay = open_replay(&path, limits);
    read_all(&mut replay);
    assert_same_trees(&mut replay, &mut open_whole_replay(&other), 5);
}

#[test]
fn without_a_cache_directory_the_index_is_in_memory() {
    let scratch = Scratch::new("index-unwritable");
    let path = write_journal(&scratch, "uct", &[20_000]);
    let no_directory = scratch.0.join("file");
    fs::write(&no_directory, "").unwrap();
    for cache in [None, Some(no_directory.join("below"))] {
        let mut replay = open_replay(&path, replay_limits(4_000_000, cache.clone()));
        read_all(&mut replay);
        assert_eq!(replay.stop_reason(), None);
        assert_same_trees(&mut replay, &mut open_whole_replay(&path), 5);
        // If that is too much, what fits can be shown, and it says so.
        let mut replay = open_replay(&path, replay_limits(200_000, cache));
        read_all(&mut replay);
        assert!(
            replay
                .stop_reason()
                .is_some_and(|why| why.contains("budget"))
        );
        let until = replay.iterations();
        assert!(replay.bytes() <= 200_000 && until > 0);
        let mut all = open_whole_replay(&path);
        assert_exact(
            &replay.tree_at(until / 2, None).unwrap(),
            &all.tree_at(until / 2, None).unwrap(),
        );
    }
}

#[test]
fn a_graph_that_does_not_fit_is_shown_as_far_as_it_does() {
    let scratch = Scratch::new("index-graph");
    let path = write_journal(&scratch, "transposition", &[20_000]);
    let mut replay = open_replay(&path, replay_limits(600_000, Some(scratch.0.join("cache"))));
    read_all(&mut replay);
    assert!(
        replay
            .stop_reason()
            .is_some_and(|why| why.contains("budget"))
    );
    assert!(replay.bytes() <= 900_000, "{}", replay.bytes());
    let until = replay.iterations();
    assert!(until > 100);
    let mut all = open_whole_replay(&path);
    assert!(replay.tree_at(until, None).unwrap().tree == all.tree_at(until, None).unwrap().tree);
}

#[test]
fn a_tree_file_is_read_as_far_as_it_fits() {
    for (spec, is_tree) in [("uct", true), ("transposition", false)] {
        let scratch = Scratch::new("index-files");
        let (start, history) = start_position();
        let mut grown = catalog::build(&catalog::parse::<ConnectFour>(spec).unwrap()).unwrap();
        search_and_write(&mut *grown, &start, &history, 3000, None);
        let wanted = SnapshotOptions {
            extra: true,
            states: true,
            ..SnapshotOptions::default()
        };
        let taken = snapshot::take(grown.tree().unwrap(), &wanted).unwrap();
        let all = &taken.tree;
        for format in FORMATS {
            let path = scratch.0.join(format!("tree.{format}"));
            fs::write(&path, to_bytes(all, format)).unwrap();
            let mut extra = Vec::new();
            extra::write(&taken.extra, &mut extra).unwrap();
            fs::write(path.with_extension("extra"), extra).unwrap();
            for bytes in [2000, 100_000, 900_000, usize::MAX] {
                let (document, left_out) = files::read_with_byte_limit(&path, bytes, 100).unwrap();
                let part = &document.tree;
                let count = part.nodes().len() as u64;
                assert_eq!(count + left_out.nodes, all.nodes().len() as u64);
                assert_eq!(left_out.nodes == 0, bytes == usize::MAX);
                assert!(
                    count * 100 <= bytes as u64 && count > 1,
                    "{count} in {bytes}"
                );
                let shown = row_figures(part, &[], 0);
                let figures = row_figures(all, &[], left_out.min_visits);
                assert!(shown.keys().eq(figures.keys()), "{spec} in {bytes} bytes");
                // A binary file does not have the root's own figures.
                let equal = |(one, other): (_, _)| one == other;
                assert!(shown.values().zip(figures.values()).skip(1).all(equal));
                let rows = document.extra.unwrap();
                assert_eq!(rows.len() as u64, count);
                if is_tree {
                    let visits = part.nodes().iter().map(|node| node.visits as u64);
                    assert!(
                        (rows.iter().map(|row| row.node_visits))
                            .skip(1)
                            .eq(visits.skip(1))
                    );
                    continue;
                }
                for row in 0..part.nodes().len() {
                    let Some(shared) = part.state(row).strip_prefix('=') else {
                        continue;
                    };
                    // Where a position is expanded it has the same visits as a node, whichever way leads there.
                    let shared: usize = shared.parse().unwrap();
                    if let Some(shared) = shared.checked_sub(1) {
                        assert_eq!(rows[row].node_visits, rows[shared].node_visits);
                    }
                }
            }
        }
    }
}
