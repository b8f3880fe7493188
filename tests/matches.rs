//! Matches between engine processes: runner, referee, match log and records.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use support::{Scratch, data, program, signal, stop_resumable, untested, wait_until};

#[path = "matches/command_line.rs"]
mod command_line;
#[path = "matches/dialects.rs"]
mod dialects;
#[path = "matches/portable.rs"]
mod portable;
#[path = "matches/processes.rs"]
mod processes;
#[path = "matches/records.rs"]
mod records;
#[path = "matches/referee.rs"]
mod referee;
#[path = "matches/resume.rs"]
mod resume;
#[path = "matches/shards.rs"]
mod shards;
#[path = "matches/stopping.rs"]
mod stopping;
mod support;

fn engine_path() -> &'static str {
    program(option_env!("CARGO_BIN_EXE_canopy-engine"))
}

/// Arguments of a match; words are separated by `|`.
fn match_arguments(text: &str) -> Vec<String> {
    let mut words = vec!["match".to_owned()];
    words.extend(text.split('|').map(|word| word.trim().to_owned()));
    words
}

fn spawn_match(text: &str) -> Child {
    Command::new(engine_path())
        .args(match_arguments(text))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn run_match(text: &str) -> Output {
    spawn_match(text)
        .wait_with_output()
        .expect("the program ends")
}

/// Standard output of a match that must succeed.
fn match_report(text: &str) -> String {
    let output = run_match(text);
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}: {complaints}");
    String::from_utf8(output.stdout).expect("reports are UTF-8")
}

/// Standard error of a match that must fail with exit code `code`.
fn match_error(text: &str, code: i32) -> String {
    let output = run_match(text);
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}: {complaints}");
    complaints
}

/// An engine description of tests/data/engines/rogue.sh, which misbehaves as `mode` says.
fn rogue_engine(mode: &str) -> String {
    format!(
        "name=rogue sh {} {mode}",
        data("engines/rogue.sh").display()
    )
}

/// Standard output of `report` on a directory, with these flags.
fn report(directory: &Path, flags: &[&str]) -> String {
    let output = run_engine(&[&["report", &directory.display().to_string()], flags].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).expect("reports are UTF-8")
}

/// Runs the engine with these arguments.
fn run_engine(arguments: &[&str]) -> Output {
    Command::new(engine_path())
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

const SHORT_TIMEOUTS: &str = "--timeouts|start=3,ready=0.5,move=0.5,stop=0.3,quit=0.3";

/// The games in the parts of a run directory, in order of their numbers.
fn read_games(directory: &Path) -> Vec<serde_json::Value> {
    let mut games: Vec<serde_json::Value> = (part_lines(directory).into_iter())
        .filter_map(|mut line| line.get_mut("result").map(serde_json::Value::take))
        .collect();
    games.sort_by_key(|game| game["game"].as_u64());
    games
}

/// The whole lines of all parts of a run directory, with the headers.
fn part_lines(directory: &Path) -> Vec<serde_json::Value> {
    let parts = fs::read_dir(directory.join("parts")).into_iter().flatten();
    let texts = parts.map(|part| {
        let path = part.expect("the folder can be read").path();
        fs::read_to_string(path).expect("a part can be read")
    });
    texts
        .flat_map(|text| {
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            whole.lines().map(str::to_owned).collect::<Vec<String>>()
        })
        .map(|line| serde_json::from_str(&line).expect("every line is an object"))
        .collect()
}

/// Waits until the match log in `directory` has `count` games.
fn wait_for_games(directory: &Path, count: usize) {
    wait_until("games are played", || read_games(directory).len() >= count);
}

/// Plays one game between our engine and a rogue one; returns its match log entry.
fn play_rogue(mode: &str, go: &str) -> serde_json::Value {
    play_rogue_with(&[], mode, go)
}

/// [`play_rogue`] with these variables in the runner's environment.
fn play_rogue_with(variables: &[(&str, &str)], mode: &str, go: &str) -> serde_json::Value {
    let kind = if variables.is_empty() {
        "ending"
    } else {
        "variables"
    };
    let scratch = Scratch::new(&format!("{kind}-{}", mode.replace(' ', "-")));
    let out = scratch.0.display();
    let begun = Instant::now();
    let text = format!(
        "--game|connect-four|--engine|search=uct|--engine|{}|--games|1|--go|{go}|{SHORT_TIMEOUTS}|--out|{out}",
        rogue_engine(mode)
    );
    let output = Command::new(engine_path())
        .args(match_arguments(&text))
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}: {complaints}");
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{mode} held the match up"
    );
    let mut games = read_games(&scratch.0);
    assert_eq!(games.len(), 1, "{mode}");
    games.remove(0)
}

const RESUMED_MATCH: &str = "--game|kalah:4x3|--engine|search=uct|--engine|search=lgr2|--engine|search=random|--go|nodes 20|--plies|3|--seed|7";
