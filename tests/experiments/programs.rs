//! Experiments in which other programs play.

use super::*;

/// An experiment of connect four between a search and a program.
fn with_program(engine: &str) -> String {
    format!(
        r#"name = "programs"
title = "A search and a program"
question = "Is the search stronger than the program?"
kind = "games"
game = "connect-four"
[budget]
iterations = 60
[[players]]
name = "uct"
search = "uct"
[[players]]
name = "other"
engine = "{engine}"
[trials]
games = 4
plies = 2
[[hypotheses]]
id = "H1"
statement = "It is."
[hypotheses.claim]
stronger = [["uct", "other"]]
"#
    )
}

/// The rows of games.csv as texts, without the header.
fn games(out: &Path) -> Vec<String> {
    let text = read(out.join("games.csv"));
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn another_engine_plays_and_its_limits_are_those_of_the_budget() {
    let own = format!("{} --game connect-four --option Search=uct", engine_path());
    let file = ExperimentFile::new("engine", &with_program(&own));
    let out = file.beside("run");
    let table = file.run(&out, &[]);
    assert!(
        table.starts_with("Experiment programs: Is the search stronger"),
        "{table}"
    );
    let rows = games(&out);
    assert_eq!(rows.len(), 4, "{rows:?}");
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let [first, second] = [8, 9].map(|column| cells[column].parse::<u64>().expect("nodes"));
        let plies: u64 = cells[6].parse().expect("a number");
        // 60 playouts for each of the moves after the opening, and none for a move that wins at once or is the only one.
        assert!(
            first + second <= 60 * (plies - 2) && first > 0 && second > 0,
            "{row}"
        );
    }
    let page = read(out.join("report.md"));
    assert!(page.contains("go='nodes 60'"), "{page}");
    // The same in shards; results of other programs are compared with nothing.
    let split = file.beside("split");
    for shard in ["1/2", "2/2"] {
        file.run(&split, &["--shard", shard]);
    }
    report(&split, &[]);
    assert_eq!(games(&split).len(), 4);
}

#[test]
fn a_program_that_fails_loses_and_the_report_says_so() {
    let rogue = format!("sh {} crash 2", data("engines/rogue.sh").display());
    let file = ExperimentFile::new("rogue", &with_program(&rogue));
    let out = file.beside("run");
    file.run(&out, &["--games", "2"]);
    for row in games(&out) {
        let cells: Vec<&str> = row.split(',').collect();
        let expected = if cells[1] == "uct" { "p1win" } else { "p2win" };
        assert_eq!(cells[3], expected, "{row}");
    }
    let page = read(out.join("report.md"));
    assert!(
        page.contains("**Some games were lost by a fault.** 2 of them; game 1: other ended while it looked for a move"),
        "{page}"
    );
}

#[test]
fn a_program_that_does_not_start_ends_the_run_before_the_first_game() {
    let file = ExperimentFile::new("absent", &with_program("no-such-program"));
    let out = file.beside("run");
    let said = file.fail(&out, &[], 1);
    assert!(
        said.contains("other could not be started: no-such-program"),
        "{said}"
    );
    assert_eq!(part_files(&out), Vec::<PathBuf>::new(), "nothing has begun");
}

/// A program that is gone for a while is nobody's play: its games are void, and done by a later command.
#[test]
fn games_whose_program_cannot_be_started_are_void_and_done_later() {
    let scratch = Scratch::new("engine-that-goes");
    let script = scratch.0.join("engine.sh");
    let marker = scratch.0.join("starts");
    // The first start is the one that looks whether it starts at all.
    let text = format!(
        "echo start >> {marker}\nif [ $(wc -l < {marker}) = 2 ]; then exit 1; fi\nexec {} --game connect-four\n",
        engine_path(),
        marker = marker.display(),
    );
    fs::write(&script, text).expect("a file can be written");
    let file = ExperimentFile::new("gone", &with_program(&format!("sh {}", script.display())));
    let out = file.beside("run");
    let said = file.fail(&out, &[], 1);
    assert!(
        said.contains("1 of 4 games could not be done; number 1 was void once: other ended while it introduced itself"),
        "{said}"
    );
    assert!(said.contains("the same command tries again"), "{said}");
    assert_eq!(result_count(&out), 3);
    file.run(&out, &[]);
    assert_eq!(games(&out).len(), 4);
}

#[test]
fn a_program_without_limits_is_told_of_with_its_key() {
    let unlimited = with_program("stockfish").replace("[budget]\niterations = 60\n", "");
    let unlimited = unlimited.replace("\"uct\"\n[[", "\"uct,iterations=60\"\n[[");
    let file = ExperimentFile::new("unlimited", &unlimited);
    let said = file.fail(&file.beside("run"), &[], 2);
    assert!(
        said.contains(
            "players.2.engine: nothing says when it is to stop: expected go='nodes 1000'"
        ),
        "{said}"
    );
}
