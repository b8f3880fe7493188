//! Growth journals of real searches: replayed to every iteration, read while they grow, and ended at their limit.

use canopy_engine::{
    games::{self, Visitor},
    session::search_job::{self, SearchDescription},
};

use crate::support::every_game;

use super::*;

fn tree_rows<G: Playable>(view: &dyn TreeView<G>) -> Tree {
    snapshot::take(view, &SnapshotOptions::default())
        .unwrap()
        .tree
}

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
        let mut replay = ReplayReader::open(journal, &game, &position).unwrap();
        let total = replay.iterations();
        let last = replay.tree_at(u32::MAX, None).unwrap();
        assert_eq!(last.iteration, total);
        assert!(last.tree == *rows, "{game}");
        assert_eq!(last.total_nodes, rows.nodes().len() as u64);
        let part = replay.tree_at(total, Some(20)).unwrap();
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
            let part = replay.tree_at(total, Some(count)).unwrap();
            let rows = most_visited(&last.tree, count as usize - 1);
            assert_eq!(
                most_visited(&part.tree, usize::MAX),
                rows,
                "{game}, {count}"
            );
        }
        // Whoever has little time gets there too, and sees on the way what was there.
        replay.tree_at(0, None).unwrap();
        while replay.current_iteration() < total {
            replay.seek_towards(u32::MAX, total.div_ceil(5));
            let (part, whole) = (
                replay.tree_at(replay.current_iteration(), Some(20)),
                replay.tree_at(replay.current_iteration(), None),
            );
            assert_eq!(
                part.unwrap().total_nodes,
                whole.unwrap().total_nodes,
                "{game} at {}",
                replay.current_iteration()
            );
        }
        // Every node on the way of an iteration has one visit more than before it, and no other node has.
        for iteration in [1, total / 3, total] {
            let before = replay.tree_at(iteration - 1, None).unwrap();
            let after = replay.tree_at(iteration, None).unwrap();
            let visits = |tree: &Tree| -> i64 {
                let nodes = tree.nodes().iter();
                nodes.map(|node| i64::from(node.visits)).sum()
            };
            let more = visits(&after.tree) - visits(&before.tree);
            assert_eq!(more, after.path.len() as i64, "{game} at {iteration}");
            assert!(after.path[0] == 0 && before.path.is_empty() == (iteration == 1));
        }
        let shares = replay.root_move_history(5).unwrap();
        assert_eq!(shares.visits.len(), 5);
        let sizes = rows.subtree_sizes();
        for child in rows.children(0, &sizes) {
            let mv = (shares.moves.iter())
                .position(|name| name == rows.move_name(child))
                .unwrap();
            assert_eq!(shares.visits[4][mv] as i32, rows.nodes()[child].visits);
            // The mean of a row is that of the player who moved there; a graph's is that of all moves that lead to the position.
            if is_tree && rows.nodes()[child].visits > 0 {
                let mean = f64::from(shares.means[4][mv]);
                let for_mover = match root.to_move() {
                    Player::First => mean,
                    Player::Second => 1.0 - mean,
                };
                let told = rows.nodes()[child].mean;
                assert!(
                    (for_mover - told).abs() < 1e-5,
                    "{game}: {for_mover} {told}"
                );
            }
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
fn a_growth_journal_can_be_replayed_while_it_is_written() {
    let scratch = Scratch::new("growing");
    let output = open_with_journal(&scratch.0, DEFAULT_MAX_JOURNAL_BYTES);
    let (start, history) = start_position();
    let mut grown = catalog::build(&catalog::parse::<ConnectFour>("uct").unwrap()).unwrap();
    let open =
        |path: &Path| ReplayReader::open(path, "connect-four", &notation::position_text(&start));
    let seen = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut replay = loop {
                let replay = scratch.files("growth").pop().map(|path| open(&path));
                match replay {
                    Some(Ok(replay)) => break replay,
                    _ => std::thread::sleep(Duration::from_millis(1)),
                }
            };
            let mut seen = Vec::new();
            while replay.ended().is_none() {
                replay.poll().unwrap();
                let shot = replay.tree_at(u32::MAX, Some(500)).unwrap();
                seen.push((shot.iteration, shot.total_nodes));
                let early = replay.tree_at(shot.iteration / 2, None).unwrap();
                seen.push((early.iteration, early.total_nodes));
            }
            seen
        });
        search_and_write(&mut *grown, &start, &history, 100_000, Some(&output));
        watcher.join().unwrap()
    });
    drop(output);
    let mut replay = open(&scratch.files("growth")[0]).unwrap();
    assert_eq!(replay.ended(), Some(false));
    let step = (seen.len() / 20).max(1);
    for &(iteration, nodes) in seen.iter().step_by(step) {
        assert_eq!(replay.tree_at(iteration, None).unwrap().total_nodes, nodes);
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
            search_job::search_and_record(&mut *search, task, &about, Some(&output));
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
