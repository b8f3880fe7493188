//! Experiments as files: those that come with the program, and a user's with its mistakes.

use canopy_engine::experiments::{check, document::Document};
use serde_json::Value;

use super::*;

#[test]
fn the_list_has_every_experiment_with_its_question() {
    let (list, _) = success(&mut engine(&["experiment", "list"]));
    for builtin in BUILTIN {
        let line = list.lines().find(|line| line.starts_with(builtin.name));
        let line = line.unwrap_or_else(|| panic!("no {}: {list}", builtin.name));
        assert!(line.split_whitespace().count() > 3, "{line}");
    }
    let said = failure(&mut engine(&["experiment", "show", "002-h9"]), 2);
    assert!(
        said.contains("no experiment is called \"002-h9\": expected") && said.contains("002-h1"),
        "{said}"
    );
}

/// `experiment show NAME > mine.toml` begins one's own.
#[test]
fn a_file_that_was_shown_runs_as_ones_own() {
    let (shown, _) = success(&mut engine(&["experiment", "show", "002-h1"]));
    let file = ExperimentFile::new("shown", &shown);
    let out = file.beside("run");
    let table = file.run(&out, &["--scale", "quick", "--iterations", "20"]);
    assert!(
        table
            .starts_with("Experiment 002-h1: Do tables and last good replies make UCT stronger?\n"),
        "{table}"
    );
    assert!(table.contains("published: rejected"), "{table}");
    let page = read(out.join("report.html"));
    assert!(page.contains("Not at full scale.") && page.contains("--scale quick --iterations 20"));
    for name in ["report.md", "report.json", "games.csv", "tables"] {
        assert!(out.join(name).exists(), "no {name}");
    }
}

#[test]
fn every_experiment_of_the_program_runs_at_the_quick_scale() {
    for builtin in BUILTIN {
        let scratch = Scratch::new(&format!("quick-{}", builtin.name));
        let out = scratch.0.join("run");
        let arguments = [
            "experiment",
            "run",
            builtin.name,
            "--scale",
            "quick",
            "--out",
        ];
        let arguments = [&arguments[..], &[text(&out)]].concat();
        let (table, _) = success(&mut engine(&arguments));
        let heading = format!("Experiment {}: ", builtin.name);
        assert!(table.starts_with(&heading), "{table}");
        let (missing, _) = success(&mut engine(&["status", text(&out), "--missing"]));
        assert_eq!(missing, "\n", "{}", builtin.name);
        let page = read(out.join("report.html"));
        assert!(
            page.contains("<svg") || page.contains("<table"),
            "{}",
            builtin.name
        );
        let has_rows = |table: &str| {
            table
                .split("</table>")
                .next()
                .expect("text")
                .contains("<td")
        };
        assert!(
            page.split("<table").skip(1).all(has_rows),
            "{}: a table without rows",
            builtin.name
        );
        // A complete run is not done again.
        let before = part_files(&out);
        success(&mut engine(&arguments));
        assert_eq!(part_files(&out), before, "{}", builtin.name);
    }
}

/// The schema that editors get, kind by kind.
#[test]
fn the_schema_accepts_every_file_that_comes_with_the_program() {
    let (schema, _) = success(&mut engine(&["experiment", "--schema"]));
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    let kinds = schema["oneOf"].as_array().expect("a schema for each kind");
    for builtin in BUILTIN {
        let document = Document::parse(builtin.text).expect("TOML");
        let kind = document.string("kind").expect("a kind");
        let own = kinds
            .iter()
            .find(|schema| schema["properties"]["kind"]["const"] == kind);
        let own = own.unwrap_or_else(|| panic!("{}: no schema of {kind}", builtin.name));
        assert_eq!(check::problems(&document, own), [], "{}", builtin.name);
    }
}

/// Changes of [`SMALL`], and what is said of them: line, key, and what was expected.
const MISTAKES: [(&str, &str, &str); 5] = [
    ("seed = 7", "sed = 7", "line 6: sed: no such key: expected "),
    (
        "games = 6",
        "games = \"six\"",
        "line 24: trials.games: \"six\" is not allowed: expected a whole number from 1 to 10000000",
    ),
    (
        "search = \"lgr2\"",
        "search = \"lgr9\"",
        "line 17: players.2.search: ",
    ),
    (
        "stronger = [[\"uct\", \"chance\"]]",
        "stronger = [[\"uct\", \"luck\"]]",
        "line 32: hypotheses.1.claim.stronger.1.2: no player is called \"luck\": expected uct, lgr2 or chance",
    ),
    (
        "iterations = 100",
        "iterations = 0",
        "line 9: budget.iterations: 0 is not allowed: expected a whole number from 1",
    ),
];

/// An odd number of games is refused in the file and on the command line, because one side would begin more often.
#[test]
fn a_number_of_games_of_which_nobody_can_begin_half_is_a_mistake() {
    let expected =
        "games of each pair: expected an even number, so that either side begins half of them";
    let file = ExperimentFile::new("odd", &SMALL.replacen("games = 6", "games = 41", 1));
    let said = file.fail(&file.beside("run"), &[], 2);
    assert!(
        said.contains(&format!("line 24: trials.games: 41 {expected}")),
        "{said}"
    );
    let file = ExperimentFile::new("odd-option", SMALL);
    let said = file.fail(&file.beside("run"), &["--games", "7"], 2);
    assert!(said.contains(&format!("7 {expected}")), "{said}");
}

#[test]
fn five_kinds_of_mistakes_get_five_sentences_at_once() {
    let wrong = (MISTAKES.iter()).fold(SMALL.to_owned(), |text, (right, wrong, _)| {
        assert!(text.contains(right), "{right}");
        text.replacen(right, wrong, 1)
    });
    let file = ExperimentFile::new("mistakes", &wrong);
    let said = file.fail(&file.beside("run"), &[], 2);
    let path = text(&file.path);
    assert_eq!(said.lines().count(), MISTAKES.len(), "{said}");
    for (_, _, expected) in MISTAKES {
        assert!(
            said.contains(&format!("{path}, {expected}")),
            "no {expected:?} in {said}"
        );
    }
    assert!(said.contains("did you mean seed?"), "{said}");
    assert!(!file.beside("run").exists(), "nothing has begun");
}

/// What the schema cannot say, one mistake a file.
#[test]
fn other_mistakes_are_told_with_line_and_key() {
    let cases = [
        ("games = 6", "games = = 6", "line 24: not TOML: "),
        (
            "kind = \"games\"\n",
            "",
            "line 1: kind: no kind of trials: expected ",
        ),
        (
            "kind = \"games\"",
            "kind = \"chess\"",
            "line 4: kind: no kind of trials is called \"chess\"",
        ),
        ("game = \"kalah:4x3\"", "game = \"go\"", "line 5: game: "),
        (
            "search = \"random\"",
            "",
            "line 19: players.3: it has both or neither of search and engine",
        ),
        (
            "plies = 3",
            "plies = 3\nopenings = \"1 99\"",
            "line 26: trials.openings: ",
        ),
        (
            "plies = 3",
            "plies = 3\npairs = [[\"uct\", \"lgr2\"]]",
            "uct and chance do not meet",
        ),
        (
            "search = \"random\"",
            "engine = \"go='nodes\"",
            "line 21: players.3.engine: ",
        ),
    ];
    for (index, (right, wrong, expected)) in cases.into_iter().enumerate() {
        assert!(SMALL.contains(right), "{right}");
        let name = format!("other-{index}");
        let file = ExperimentFile::new(&name, &SMALL.replacen(right, wrong, 1));
        let said = file.fail(&file.beside("run"), &[], 2);
        assert!(said.contains(expected), "no {expected:?} in {said}");
        assert!(said.contains("mine.toml, line "), "{said}");
    }
}

#[test]
fn wrong_commands_end_with_2_and_say_what_was_expected() {
    let file = ExperimentFile::new("commands", SMALL);
    let out = file.beside("run");
    let cases = [
        (
            vec!["--scale", "slow"],
            "is no scale: expected full, quick, or a factor",
        ),
        (vec!["--shard", "3/2"], "is no shard: expected K/N"),
        (
            vec!["--only", "1,19"],
            "--only 1,19: expected numbers from 1 to 18",
        ),
        (vec!["--sprt", "elo0=0,elo1=5"], "--sprt"),
    ];
    for (flags, expected) in cases {
        let said = file.fail(&out, &flags, 2);
        assert!(said.contains(expected), "no {expected:?} in {said}");
    }
    assert!(!out.exists(), "nothing has begun");
    let missing = ["experiment", "run", "no-such.toml", "--out", text(&out)];
    let said = failure(&mut engine(&missing), 2);
    assert!(said.contains("cannot read no-such.toml"), "{said}");
    // Another experiment in the directory.
    file.run(&out, &[]);
    fs::write(&file.path, SMALL.replace("seed = 7", "seed = 8")).expect("a file can be written");
    let said = file.fail(&out, &[], 2);
    assert!(
        said.contains("another experiment was run there: its seed is 7, now 8"),
        "{said}"
    );
}
