//! The exact solver of connect four against plain minimax, known scores, its own answers for mirror images, and its limits.

use std::{
    collections::HashMap,
    path::PathBuf,
    process::{Command, Output},
    time::{Duration, Instant},
};

use canopy_engine::{
    games::{
        Game as _, Outcome, SearchHints as _, Symmetric as _, Symmetry,
        connect_four::{Column, ConnectFour},
        notation::read_position,
    },
    rng::Rng,
    search::{
        SearchLimits, StopFlag,
        connect_four::{
            opening_book::{self, LEAF_VALUES},
            solver::ConnectFourSolver,
        },
        exact::{
            Exact as _, ExactValue, SolveContext, ValueClass, best_move,
            book::Openings,
            leaf_values::{LeafValues, OpeningValues},
            solved,
        },
    },
};

mod support;

use support::{Scratch, data_lines, read_data, untested_data};

const MEGABYTE: usize = 1 << 20;

fn solver() -> ConnectFourSolver {
    ConnectFourSolver::with_memory(64 * MEGABYTE, 1)
}

/// Asks `solver` something without limits.
fn ask<T>(
    solver: &mut ConnectFourSolver,
    question: impl FnOnce(&mut ConnectFourSolver, &mut SolveContext<'_>) -> T,
) -> T {
    let (limits, stop) = (SearchLimits::default(), StopFlag::new());
    let mut ignore = |_| {};
    question(
        solver,
        &mut SolveContext::start(&limits, &stop, None, &mut ignore),
    )
}

fn value(solver: &mut ConnectFourSolver, position: &ConnectFour) -> ExactValue {
    ask(solver, |solver, context| solver.value(position, context)).expect("there is no limit")
}

fn score(solver: &mut ConnectFourSolver, position: &ConnectFour) -> i32 {
    let value = value(solver, position);
    value.score.expect("connect four has scores")
}

fn values(solver: &mut ConnectFourSolver, position: &ConnectFour) -> Vec<(Column, ExactValue)> {
    let values = ask(solver, |solver, context| solver.values(position, context));
    solved(values).expect("there is no limit")
}

/// A position after `stones` random moves; `None` if the game ends before.
fn random_position(rng: &mut Rng, stones: u32) -> Option<ConnectFour> {
    let mut position = ConnectFour::start(());
    while position.plies() < stones {
        if !position.play_random(rng) {
            return None;
        }
    }
    position.outcome().is_none().then_some(position)
}

/// Score and plies to the end by the rules alone. A win is better the fewer stones the winner has played.
fn minimax(position: &ConnectFour, known: &mut HashMap<ConnectFour, (i32, u32)>) -> (i32, u32) {
    match position.outcome() {
        Some(Outcome::Draw) => return (0, 0),
        // The player to move has lost.
        Some(Outcome::Win(_)) => return (-(22 - position.plies().div_ceil(2) as i32), 0),
        None => {}
    }
    if let Some(&value) = known.get(position) {
        return value;
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let replies = moves.into_iter().map(|mv| {
        let mut child = *position;
        child.play(mv);
        let (score, plies) = minimax(&child, known);
        (-score, plies + 1)
    });
    let best = replies.max_by_key(|&(score, _)| score).expect("not over");
    known.insert(*position, best);
    best
}

#[test]
fn endings_have_the_value_that_plain_minimax_finds() {
    let mut rng = Rng::new(7);
    let mut solver = solver();
    let mut checked = [0; 3];
    let mut known = HashMap::new();
    while checked.iter().sum::<u32>() < 3000 {
        let stones = 31 + rng.below(11);
        let Some(position) = random_position(&mut rng, stones) else {
            continue;
        };
        solver.clear();
        known.clear();
        let (score, plies) = minimax(&position, &mut known);
        let class = match score {
            1.. => ValueClass::Win,
            0 => ValueClass::Draw,
            _ => ValueClass::Loss,
        };
        let expected = ExactValue {
            class,
            score: Some(score),
            plies: Some(plies),
        };
        assert_eq!(value(&mut solver, &position), expected, "{position:?}");
        checked[class as usize] += 1;
    }
    assert!(checked.iter().all(|&count| count > 100), "{checked:?}");
}

#[test]
fn every_move_of_an_ending_has_the_value_that_plain_minimax_finds() {
    let mut rng = Rng::new(8);
    let (mut checked, mut known) = (0, HashMap::new());
    for threads in [1, 2] {
        let mut solver = ConnectFourSolver::with_memory(MEGABYTE, threads);
        while checked < 200 * threads {
            let Some(position) = random_position(&mut rng, 31) else {
                continue;
            };
            known.clear();
            for (mv, value) in values(&mut solver, &position) {
                let mut child = position;
                child.play(mv);
                let (score, plies) = minimax(&child, &mut known);
                assert_eq!(value.score, Some(-score), "{mv:?} in {position:?}");
                assert_eq!(value.plies, Some(plies + 1), "{mv:?} in {position:?}");
            }
            checked += 1;
        }
    }
}

#[test]
fn finished_games_have_a_value() {
    let mut solver = solver();
    let won: ConnectFour = read_position((), "1212121").expect("columns");
    let value = value(&mut solver, &won);
    assert_eq!((value.class, value.plies), (ValueClass::Loss, Some(0)));
    assert_eq!(value.score, Some(-18));
    assert!(values(&mut solver, &won).is_empty());
    assert!(
        ask(&mut solver, |solver, context| solver
            .best_line(&won, context))
        .is_empty()
    );
}

#[test]
fn a_mirror_image_has_the_same_value() {
    let mut rng = Rng::new(9);
    let (mut one, mut other) = (solver(), solver());
    let mut checked = 0;
    while checked < 100 {
        let Some(position) = random_position(&mut rng, 18) else {
            continue;
        };
        let image = position.image(Symmetry::MIRROR);
        let mut of_image = values(&mut other, &image);
        of_image.reverse();
        let mirrored: Vec<_> = of_image
            .into_iter()
            .map(|(mv, value)| (ConnectFour::image_of_move(mv, Symmetry::MIRROR), value))
            .collect();
        assert_eq!(values(&mut one, &position), mirrored, "{position:?}");
        checked += 1;
    }
}

#[test]
fn a_symmetric_position_has_symmetric_moves() {
    let position: ConnectFour = read_position((), "44444426").expect("columns");
    let values = values(&mut solver(), &position);
    assert_eq!(values.len(), 6);
    let mut plain = solver();
    for (mv, found) in values {
        let mut child = position;
        child.play(mv);
        assert_eq!(
            found,
            value(&mut plain, &child).before_move(false),
            "{mv:?}"
        );
    }
}

/// Lines of a position and its score; those whose number is a multiple of `every`.
fn check_scores(name: &str, text: &str, every: usize) -> usize {
    check_scores_with(
        ConnectFourSolver::with_memory(256 * MEGABYTE, 1),
        name,
        text,
        every,
    )
}

fn check_scores_with(mut solver: ConnectFourSolver, name: &str, text: &str, every: usize) -> usize {
    let lines = data_lines(text).filter(|(number, _)| number % every == 0);
    lines
        .map(|(number, line)| {
            let (position, expected) = line.split_once(' ').expect("a position and its score");
            let position = read_position((), position).expect("columns");
            solver.clear();
            let found = score(&mut solver, &position);
            assert_eq!(Ok(found), expected.trim().parse(), "{name}, line {number}");
        })
        .count()
}

#[test]
fn positions_of_8_to_10_stones_have_their_known_scores() {
    let text = read_data("connect_four/hard100.txt");
    assert_eq!(check_scores("hard100", &text, 10), 10);
}

#[test]
#[ignore = "half a minute; the test above takes a tenth of it"]
fn all_positions_of_8_to_10_stones_have_their_known_scores() {
    let text = read_data("connect_four/hard100.txt");
    assert_eq!(check_scores("hard100", &text, 1), 100);
}

#[test]
fn threads_that_share_a_position_find_its_known_score() {
    let text = read_data("connect_four/hard100.txt");
    for (threads, megabytes, every) in [(2, 64, 25), (3, 1, 50), (8, 64, 50)] {
        let solver = ConnectFourSolver::with_memory(megabytes * MEGABYTE, threads);
        check_scores_with(solver, &format!("{threads} threads"), &text, every);
    }
}

#[test]
#[ignore = "half a minute; the test above takes a part of it"]
fn threads_that_share_a_position_find_all_known_scores() {
    let text = read_data("connect_four/hard100.txt");
    let solver = ConnectFourSolver::with_memory(256 * MEGABYTE, 2);
    assert_eq!(check_scores_with(solver, "two threads", &text, 1), 100);
}

#[test]
fn every_move_of_36_middle_games_has_its_known_score() {
    let text = read_data("connect_four/positions36.txt");
    let (mut one, mut two) = (solver(), ConnectFourSolver::with_memory(64 * MEGABYTE, 2));
    let mut checked = 0;
    for (number, line) in data_lines(&text) {
        let mut words = line.split(' ');
        let position = words.next().expect("columns");
        let position = read_position((), position).expect("columns");
        let scores = words.next().expect("scores").split(',').zip(0..);
        let expected: Vec<(Column, i32)> = scores
            .filter(|&(score, _)| score != "-")
            .map(|(score, column)| (Column(column), score.parse().expect("a score")))
            .collect();
        for solver in [&mut one, &mut two] {
            let values = values(solver, &position);
            let scores = values.iter().map(|(mv, value)| (*mv, value.score));
            let found: Vec<(Column, i32)> = scores
                .map(|(mv, score)| (mv, score.expect("a score")))
                .collect();
            assert_eq!(found, expected, "line {number}");
        }
        checked += 1;
    }
    assert_eq!(checked, 36);
}

#[test]
fn the_positions_of_pascal_pons_sets_have_their_scores() {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/others-data/connect4-sets");
    // The harder a set the fewer of its positions.
    for (name, every) in [
        ("Test_L3_R1", 1),
        ("Test_L2_R1", 1),
        ("Test_L1_R1", 2),
        ("Test_L2_R2", 20),
    ] {
        let path = folder.join(name);
        match std::fs::read_to_string(&path) {
            Ok(text) => assert_eq!(check_scores(name, &text, every), 1000 / every),
            Err(_) => untested_data(&format!("{} is not there", path.display())),
        }
    }
}

#[test]
fn a_line_of_best_play_keeps_the_value_to_the_end() {
    let mut solver = solver();
    for text in ["63742577753471", "2234651757536636117", "44444426535"] {
        let mut position: ConnectFour = read_position((), text).expect("columns");
        let mut expected = value(&mut solver, &position);
        let line = ask(&mut solver, |solver, context| {
            solver.best_line(&position, context)
        });
        assert_eq!(Some(line.len() as u32), expected.plies, "{text}");
        for mv in line {
            let values = values(&mut solver, &position);
            assert_eq!(best_move(&values), Some(mv), "{text}");
            position.play(mv);
            let after = value(&mut solver, &position);
            assert_eq!(after.before_move(false), expected, "{text}");
            expected = after;
        }
        assert!(position.outcome().is_some(), "{text}");
    }
}

#[test]
fn the_table_keeps_within_its_memory() {
    let position = read_position((), "63742577753471").expect("columns");
    for bytes in [1000, 20_000, 300_000] {
        let mut solver = ConnectFourSolver::with_memory(bytes, 1);
        assert_eq!(score(&mut solver, &position), 3);
        let used = solver.memory_bytes();
        assert!(used <= bytes && used * 2 > bytes, "{used} of {bytes}");
    }
}

#[test]
fn one_thread_takes_the_same_nodes_every_time() {
    let position = read_position((), "63742577753471").expect("columns");
    let count = |solver: &mut ConnectFourSolver| {
        solver.clear();
        values(solver, &position);
        solver.nodes()
    };
    let mut solver = solver();
    let nodes = count(&mut solver);
    assert!(nodes > 1000, "{nodes}");
    assert_eq!(count(&mut solver), nodes);
    assert_eq!(
        count(&mut ConnectFourSolver::with_memory(64 * MEGABYTE, 1)),
        nodes
    );
}

#[test]
fn a_solver_gives_up_at_its_limits_and_goes_on_when_asked_again() {
    let start = ConnectFour::start(());
    let mut reports = Vec::new();
    for threads in [1, 2] {
        let mut solver = ConnectFourSolver::with_memory(16 * MEGABYTE, threads);
        let mut on_progress = |progress| reports.push(progress);
        let stop = StopFlag::new();
        let limits = SearchLimits {
            nodes: Some(50_000),
            ..SearchLimits::default()
        };
        let every = Some(Duration::from_micros(1));
        let mut context = SolveContext::start(&limits, &stop, every, &mut on_progress);
        assert_eq!(solver.value(&start, &mut context), None);
        assert!((50_000..51_000).contains(&solver.nodes()));
        let values = solver.values(&start, &mut context);
        assert_eq!(values.len(), 7);
        assert!(values.iter().all(|(_, value)| value.is_none()));
        assert!(solver.best_line(&start, &mut context).is_empty());
        let position = read_position((), "63742577753471").expect("columns");
        assert_eq!(score(&mut solver, &position), 3);
    }
    assert!(!reports.is_empty());
    assert!(reports.iter().all(|progress| progress.nodes < 60_000));
}

/// How long after its deadline the solver gives up the start position.
fn lateness_after_deadline(solver: &mut ConnectFourSolver) -> Duration {
    let time = Duration::from_millis(20);
    let limits = SearchLimits {
        time: Some(time),
        ..SearchLimits::default()
    };
    let begun = Instant::now();
    let mut ignore = |_| {};
    let mut context = SolveContext::start(&limits, &StopFlag::new(), None, &mut ignore);
    let values = solver.values(&ConnectFour::start(()), &mut context);
    let late = begun.elapsed() - time;
    assert!(values.iter().any(|(_, value)| value.is_none()));
    late
}

/// How long after a stop, which the first report gives, the solver gives up the value of the start position.
fn lateness_of_value_after_stop(solver: &mut ConnectFourSolver) -> Duration {
    lateness_after_stop(solver, |solver, position, context| {
        assert_eq!(solver.value(position, context), None);
    })
}

/// The same for the values of its moves.
fn lateness_of_values_after_stop(solver: &mut ConnectFourSolver) -> Duration {
    lateness_after_stop(solver, |solver, position, context| {
        let values = solver.values(position, context);
        assert!(values.iter().any(|(_, value)| value.is_none()));
    })
}

fn lateness_after_stop(
    solver: &mut ConnectFourSolver,
    ask: fn(&mut ConnectFourSolver, &ConnectFour, &mut SolveContext<'_>),
) -> Duration {
    let stop = StopFlag::new();
    let mut stopped_at = None;
    let mut on_progress = |_| {
        stop.set();
        stopped_at.get_or_insert_with(Instant::now);
    };
    let limits = SearchLimits::default();
    let every = Some(Duration::from_millis(20));
    let mut context = SolveContext::start(&limits, &stop, every, &mut on_progress);
    ask(solver, &ConnectFour::start(()), &mut context);
    stopped_at.expect("a report came").elapsed()
}

#[test]
fn a_stop_and_a_deadline_end_the_search_within_10_milliseconds() {
    for threads in [1, 2] {
        let mut solver = ConnectFourSolver::with_memory(256 * MEGABYTE, threads);
        for lateness in [
            lateness_after_deadline,
            lateness_of_value_after_stop,
            lateness_of_values_after_stop,
        ] {
            // On a busy machine some attempts are late through no fault of the solver.
            let is_in_time = (0..50).any(|_| lateness(&mut solver) < Duration::from_millis(10));
            assert!(is_in_time, "{threads} threads");
        }
    }
}

#[test]
#[ignore = "minutes: the whole game"]
fn the_first_moves_have_their_known_scores() {
    let mut solver = ConnectFourSolver::with_memory(1024 * MEGABYTE, 2);
    let values = values(&mut solver, &ConnectFour::start(()));
    let scores: Vec<_> = values.iter().map(|(_, value)| value.score).collect();
    assert_eq!(scores, [-2, -1, 0, 1, 0, -1, -2].map(Some));
}

fn embedded_leaves() -> LeafValues {
    LeafValues::from_bytes(LEAF_VALUES).expect("its checksum is right")
}

#[test]
fn the_embedded_book_is_whole_and_small() {
    let leaves = embedded_leaves();
    assert!(leaves.plies >= 1, "{}", leaves.plies);
    assert!(LEAF_VALUES.len() <= 600_000, "{}", LEAF_VALUES.len());
    let start = ConnectFour::start(());
    assert!(OpeningValues::new(&start, &leaves).is_some());
    // A draw with every first move but those in the middle, lost at the edges (Allis 1988).
    let scores = [0, 1, 2, 3, 4, 5, 6].map(|column| {
        let mut child = start;
        child.play(Column(column));
        opening_book::score(&child).map(|score| -score)
    });
    assert_eq!(scores, [-2, -1, 0, 1, 0, -1, -2].map(Some));
    assert_eq!(opening_book::score(&start), Some(1));
}

#[test]
fn every_value_of_the_book_follows_from_those_of_the_replies() {
    let plies = embedded_leaves().plies;
    let mut level = vec![ConnectFour::start(())];
    let (mut moves, mut checked) = (Vec::new(), 0);
    for _ in 0..plies {
        let mut next = Vec::new();
        for position in level {
            position.legal_moves(&mut moves);
            let replies = moves.iter().map(|&mv| {
                let mut child = position;
                child.play(mv);
                child
            });
            let replies: Vec<ConnectFour> = replies.collect();
            let scores = replies.iter().map(opening_book::score);
            let best = scores.map(|score| -score.expect("in the book")).max();
            if best.is_some() {
                assert_eq!(opening_book::score(&position), best, "{position:?}");
                checked += 1;
            }
            next.extend(replies);
        }
        next.sort_by_key(ConnectFour::key);
        next.dedup();
        level = next;
    }
    assert!(level.iter().all(|leaf| opening_book::score(leaf).is_some()));
    // All positions before the last ones: 1, 7, 49, 238, 1120 and so on.
    assert!(checked >= 7_usize.pow(plies.min(3) - 1), "{checked}");
}

/// Positions with fewer stones take the solver minutes.
const MIN_CHECKABLE_STONES: u32 = 7;

/// Solves so many positions of the book, chosen by a seed.
fn check_book_entries(count: usize, seed: u64) {
    let plies = embedded_leaves().plies;
    if plies < MIN_CHECKABLE_STONES {
        untested_data(&format!(
            "values of a book of {plies} plies take minutes to check; the_first_moves_have_their_known_scores does"
        ));
        return;
    }
    let mut rng = Rng::new(seed);
    let mut solver = ConnectFourSolver::with_memory(256 * MEGABYTE, 1);
    let mut checked = 0;
    while checked < count {
        // The last plies: from them all others follow.
        let Some(position) = random_position(&mut rng, plies) else {
            continue;
        };
        let known = opening_book::score(&position);
        assert_eq!(known, Some(score(&mut solver, &position)), "{position:?}");
        checked += 1;
    }
}

#[test]
fn twenty_entries_of_the_book_have_the_values_that_the_solver_finds() {
    check_book_entries(20, 31);
}

#[test]
#[ignore = "many minutes; the test above takes a hundredth of it"]
fn two_thousand_entries_of_the_book_have_the_values_that_the_solver_finds() {
    check_book_entries(2000, 32);
}

#[test]
fn a_solver_with_the_book_knows_the_first_moves_at_once() {
    let mut solver = solver().with_book();
    let start = ConnectFour::start(());
    let known = value(&mut solver, &start);
    assert_eq!(known.to_string(), "win:1:41");
    let scores = values(&mut solver, &start);
    let scores: Vec<_> = scores.into_iter().map(|(_, value)| value.score).collect();
    assert_eq!(scores, [-2, -1, 0, 1, 0, -1, -2].map(Some));
    assert_eq!(solver.nodes(), 0);
    let line = ask(&mut solver, |solver, context| {
        solver.best_line(&start, context)
    });
    assert!(line.len() as u32 >= embedded_leaves().plies, "{line:?}");
    assert!(solver.nodes() <= 1_001_000, "{}", solver.nodes());
    // Beyond the book it is the same solver.
    let position = read_position((), "63742577753471").expect("columns");
    assert_eq!(score(&mut solver, &position), 3);
}

/// Standard output and error of a command, and whether it succeeded.
fn run_engine(arguments: &[&str]) -> (String, String, Option<i32>) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (text(stdout), text(stderr), status.code())
}

#[test]
fn a_book_is_made_of_the_positions_that_were_solved_before() {
    let scratch = Scratch::new("book");
    let file = scratch.0.join("c4.cbook").display().to_string();
    let part = format!("{file}.part");
    // The values of the four first moves up to symmetry, for the player who replies, as if they had been solved before.
    let start = ConnectFour::start(());
    let openings = Openings::new("connect-four".to_owned(), &start, 1).expect("nothing recurs");
    let mut text = "canopy book connect-four 1 plies\n".to_owned();
    for (key, position) in openings.leaves() {
        let column = position.discs()[0].trailing_zeros() as i32 / 7;
        let value = 2 - column.min(6 - column);
        text += &format!("{key:016x} {value}\n");
    }
    // A line that was cut off is not one of them.
    text += "00000000";
    std::fs::write(&part, text).expect("the file can be written");
    let make = [
        "book",
        "make",
        "--game",
        "connect-four",
        "--plies",
        "1",
        "--out",
        &file,
    ];
    let (out, error, code) = run_engine(&make);
    assert_eq!(code, Some(0), "{error}");
    assert!(
        out.starts_with("4 positions, 4 of them known, 0 to solve\n"),
        "{out}"
    );
    let (out, error, code) = run_engine(&["book", "show", &file]);
    assert_eq!(code, Some(0), "{error}");
    let rows: Vec<String> = out
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        rows,
        [
            "connect-four: 1 positions, 7 moves",
            "1 -2",
            "2 -1",
            "3 0",
            "4 1 best",
            "5 0",
            "6 -1",
            "7 -2"
        ]
    );
    let (out, _, _) = run_engine(&["book", "show", &file, "--position", "44"]);
    assert!(out.ends_with("the position is not in the book\n"), "{out}");
    let packed = scratch.0.join("leaves").display().to_string();
    let (out, error, code) = run_engine(&["book", "pack", &file, "--out", &packed]);
    assert_eq!(code, Some(0), "{error}");
    assert!(
        out.ends_with("4 positions after 1 plies, 21 bytes\n"),
        "{out}"
    );
    let leaves = std::fs::read(&packed).expect("it is written");
    let leaves = LeafValues::from_bytes(&leaves).expect("its checksum is right");
    let values = OpeningValues::new(&start, &leaves).expect("four values");
    assert_eq!(values.get(&start), Some(1));
    std::fs::write(&part, "canopy book connect-four 2 plies\n").expect("it can be written");
    let (_, error, code) = run_engine(&make);
    assert_eq!(code, Some(1));
    assert!(error.contains("belongs to another book"), "{error}");
    std::fs::write(&part, "canopy book connect-four 1 plies\nx 1\n").expect("it can be written");
    let (_, error, code) = run_engine(&make);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("line 2: expected a key and a value"),
        "{error}"
    );
    let (_, error, code) = run_engine(&["book", "show", &part]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("expected it to begin with CANOPYB1"),
        "{error}"
    );
}

#[test]
fn bench_solve_prints_means_and_fails_where_scores_differ() {
    let scratch = Scratch::new("bench-solve");
    let file = scratch.0.join("positions").display().to_string();
    let bench = ["bench", "solve", "--game", "connect-four", "--json", &file];
    let right = "# two endings\n7632776264666172311375221 4\n\n112233 18\n";
    std::fs::write(&file, right).expect("the file can be written");
    let (out, error, code) = run_engine(&bench);
    assert_eq!(code, Some(0), "{error}");
    for part in ["\"positions\":2", "\"mismatches\":0", "\"unit\":\"us\""] {
        assert!(out.contains(part), "{out}");
    }
    std::fs::write(&file, "112233 17\n").expect("the file can be written");
    let (out, error, code) = run_engine(
        &bench[..4]
            .iter()
            .chain([&bench[5]])
            .copied()
            .collect::<Vec<_>>(),
    );
    assert_eq!(code, Some(1));
    assert!(
        out.lines().count() == 2 && error.contains("1 scores differ"),
        "{out}{error}"
    );
    for (line, problem) in [
        ("112233", "expected a position and its score"),
        ("112233 x", "expected a score"),
        ("999 1", "line 1"),
    ] {
        std::fs::write(&file, line).expect("the file can be written");
        let (_, error, code) = run_engine(&bench);
        assert_eq!(code, Some(2), "{line}");
        assert!(error.contains(problem), "{line}: {error}");
    }
    let (_, error, code) = run_engine(&["bench", "solve", "--game", "chess", &file]);
    assert_eq!(code, Some(2));
    assert!(error.contains("not a chess position"), "{error}");
}
