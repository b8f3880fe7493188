//! The positions of 002-h4, 002-h5 and 003-nodes are what they claim to be, and moves are judged by them.

use std::{
    collections::{HashMap, HashSet},
    fs,
    process::Command,
};

use canopy_engine::{
    experiments::scale::RunOptions,
    games::{
        Game as _, Notation as _,
        delta::{Delta, Equaliser},
        notation::position_text,
        position_list,
    },
    search::{
        SearchLimits, StopFlag,
        delta::DeltaSolver,
        exact::{Exact as _, ExactValue, SolveContext, ValueClass},
    },
};

use super::{
    builtin_text, quick, run,
    support::{Scratch, read_data},
};

/// The file of the 36 connect-four positions, with the value of every column.
const POSITIONS_36: &str = "connect_four/positions36.txt";

/// The list of positions of an experiment that comes with the program.
fn listed(name: &str) -> String {
    let file: toml::Table = builtin_text(name).parse().expect("it is TOML");
    let positions = file["trials"]["positions"].as_str().expect("a list");
    positions.trim().to_owned()
}

#[test]
fn hypotheses_4_and_5_use_the_36_stored_positions() {
    let stored = read_data(POSITIONS_36);
    for name in ["002-h4", "002-h5"] {
        assert_eq!(listed(name), stored.trim(), "{name}");
    }
}

#[test]
fn a_move_is_good_if_the_stored_list_calls_its_column_good() {
    let finished = quick("positions-good", "002-h5");
    let stored = read_data(POSITIONS_36);
    let good: HashMap<&str, &str> = (stored.lines())
        .filter_map(|line| {
            let (moves, rest) = line.split_once(' ')?;
            let (_, rest) = rest.split_once("good=")?;
            Some((moves, rest.split(' ').next()?))
        })
        .collect();
    assert_eq!(good.len(), 36);
    let mut reader = csv::Reader::from_reader(finished.file("moves.csv").as_bytes());
    let mut counts = [0, 0];
    for record in reader.records() {
        let record = record.expect("it is CSV");
        let is_good = good[&record[2]].contains(&record[4]);
        assert_eq!(record[5].parse(), Ok(is_good), "{record:?}");
        counts[usize::from(is_good)] += 1;
    }
    assert_eq!(counts[0] + counts[1], 3 * 36 * 2);
    assert!(counts[0] > 10 && counts[1] > 10, "{counts:?}");
}

/// An experiment on positions of one's own.
fn own_experiment(positions: &str) -> String {
    format!(
        r#"
name = "mine"
title = "My positions"
question = "Which is better?"
kind = "positions"
game = "connect-four"

[[players]]
name = "one"
search = "uct,iterations=200"

[[players]]
name = "other"
search = "random"

[trials]
runs = 2
{positions}

[[hypotheses]]
id = "H"
statement = "One is better."

[hypotheses.claim]
better = [["one", "other"]]
"#
    )
}

#[test]
fn positions_without_values_are_solved_and_judged_alike() {
    let stored = read_data(POSITIONS_36);
    let late: Vec<&str> = stored.lines().rev().take(3).collect();
    let bare: Vec<String> = (late.iter())
        .map(|line| line.split(' ').next().expect("moves").to_owned())
        .map(|moves| format!("connect-four\tstartpos\t{moves}"))
        .collect();
    let [with_values, without] = [late.join("\n"), bare.join("\n")].map(|list| {
        let text = own_experiment(&format!("positions = '''\n{list}\n'''"));
        let finished = run("positions-solved", &text, RunOptions::default());
        finished.file("moves.csv").to_owned()
    });
    assert_eq!(with_values, without);
    assert_eq!(with_values.lines().count(), 1 + 2 * 3 * 2);
}

fn run_file(scratch: &Scratch, text: &str) -> (bool, String) {
    let path = scratch.0.join("mine.toml");
    fs::write(&path, text).expect("a file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["experiment", "run"])
        .arg(&path)
        .arg("--out")
        .arg(scratch.0.join("out"))
        .output()
        .expect("the program starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn a_file_may_name_its_positions_and_the_results_need_it_no_more() {
    let scratch = Scratch::new("positions-beside");
    let stored = read_data(POSITIONS_36);
    let list = scratch.0.join("mine.txt");
    let few: Vec<&str> = stored.lines().take(4).collect();
    fs::write(&list, few.join("\n")).expect("a file can be written");
    let (is_done, text) = run_file(&scratch, &own_experiment("positions_file = \"mine.txt\""));
    assert!(is_done && text.contains("Good moves of 4: one"), "{text}");
    fs::remove_file(list).expect("it is there");
    let report = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .arg("report")
        .arg(scratch.0.join("out"))
        .output();
    assert!(report.expect("the program starts").status.success());
}

#[test]
fn a_wrong_position_is_named_with_its_line() {
    let scratch = Scratch::new("positions-wrong");
    let list = "positions = '''\n4444\n44444444\n'''";
    let (is_done, text) = run_file(&scratch, &own_experiment(list));
    assert!(!is_done);
    let lines = own_experiment(list);
    let line = 1 + (lines.lines().position(|line| line == "44444444")).expect("the line");
    let wanted = format!("line {line}: trials.positions: line 2 of the list: ");
    assert!(text.contains(&wanted), "{text}");
    let (is_done, text) = run_file(&scratch, &own_experiment("positions_file = \"no.txt\""));
    assert!(
        !is_done && text.contains("trials.positions_file: cannot read no.txt"),
        "{text}"
    );
}

/// Plies of the deepest search of 003-nodes.
const DEPTH: u32 = 7;
fn solve(solver: &mut DeltaSolver, position: &Delta) -> ExactValue {
    let (limits, mut on_progress) = (SearchLimits::default(), |_| ());
    let mut context = SolveContext::start(&limits, &StopFlag::new(), None, &mut on_progress);
    (solver.value(position, &mut context)).expect("it is solved without limits")
}

/// What sort of position it is, if it is one of those of the experiment.
fn kind(position: &Delta, value: ExactValue) -> Option<&'static str> {
    let is_near = value.plies.is_some_and(|plies| plies <= DEPTH);
    match (value.class, is_near) {
        (ValueClass::Win, true) if value.plies >= Some(5) => Some("forced-win"),
        (_, true) => None,
        _ if position.is_pick_up() => Some("pick-up"),
        _ => match position.ply() {
            4..=6 => Some("opening"),
            8..=13 => Some("middle"),
            _ => None,
        },
    }
}

/// The random games that the positions of 003-nodes are from.
const RANDOM_GAMES: &str = r#"
name = "random-games"
title = "Random games"
question = "Where do the positions come from?"
kind = "games"
game = "delta"
seed = 3

[[players]]
name = "random"
search = "random"

[trials]
games = 1200
pairs = [["random", "random"]]
"#;

#[test]
fn the_positions_of_report_003s_experiment_are_from_random_games_under_a_seed() {
    let finished = run("positions-random", RANDOM_GAMES, RunOptions::default());
    let mut reader = csv::Reader::from_reader(finished.file("games.csv").as_bytes());
    let mut reached = HashSet::new();
    for record in reader.records() {
        let record = record.expect("it is CSV");
        let mut position = Delta::start(Equaliser::Optional);
        for (ply, word) in (1..).zip(record[record.len() - 1].split_whitespace()) {
            let mv = position.parse_move(word).expect("a move of the game");
            position.play(mv);
            if [5, 10, 11, 18, 20].contains(&ply) {
                reached.insert(position_text(&position));
            }
        }
    }
    for entry in position_list::parse(&listed("003-nodes"), None).expect("a list") {
        assert!(reached.contains(&entry.position), "{entry:?}");
    }
}

#[test]
fn the_positions_of_report_003s_experiment_are_of_the_kinds_they_claim() {
    let entries = position_list::parse(&listed("003-nodes"), None).expect("a list");
    assert_eq!(entries.len(), 18);
    let mut solver = DeltaSolver::new(Equaliser::Optional, 64 << 20);
    for entry in entries {
        let (position, _) = entry
            .read::<Delta>(Equaliser::Optional)
            .expect("a position");
        let value = solve(&mut solver, &position);
        assert_eq!(
            kind(&position, value),
            entry.field("kind"),
            "{entry:?} {value:?}"
        );
    }
}
