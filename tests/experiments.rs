//! `canopy-engine experiment`: files, runs in shards, reports, and the verdicts of several runs.
#![cfg(unix)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use canopy_engine::experiments::builtin::BUILTIN;
use support::{
    Scratch,
    commands::{engine, engine_path, failure, read, success},
    data, stop_resumable, wait_until,
};

#[path = "experiments/files.rs"]
mod files;
#[path = "experiments/programs.rs"]
mod programs;
#[path = "experiments/shards.rs"]
mod shards;
#[path = "experiments/summary.rs"]
mod summary;
mod support;

/// An experiment of a moment: three players at a small board, six games a pair.
const SMALL: &str = r#"name = "small"
title = "Kalah on a small board"
question = "Is UCT stronger than chance?"
kind = "games"
game = "kalah:4x3"
seed = 7

[budget]
iterations = 100

[[players]]
name = "uct"
search = "uct"

[[players]]
name = "lgr2"
search = "lgr2"

[[players]]
name = "chance"
search = "random"

[trials]
games = 6
plies = 3
show = ["scores", "games", "colours", "time"]

[[hypotheses]]
id = "H1"
statement = "UCT beats chance."
[hypotheses.claim]
stronger = [["uct", "chance"]]
"#;

/// An experiment's file in a directory of its own.
struct ExperimentFile {
    scratch: Scratch,
    path: PathBuf,
}

impl ExperimentFile {
    fn new(name: &str, text: &str) -> Self {
        let scratch = Scratch::new(&format!("experiment-{name}"));
        let path = scratch.0.join("mine.toml");
        fs::write(&path, text).expect("a file can be written");
        Self { scratch, path }
    }

    /// A path beside the file.
    fn beside(&self, name: &str) -> PathBuf {
        self.scratch.0.join(name)
    }

    /// The arguments that run it in a directory.
    fn arguments<'a>(&'a self, out: &'a Path, flags: &[&'a str]) -> Vec<&'a str> {
        let run = ["experiment", "run", text(&self.path), "--out", text(out)];
        [&run, flags].concat()
    }

    /// Runs it in a directory; standard output.
    fn run(&self, out: &Path, flags: &[&str]) -> String {
        success(&mut engine(&self.arguments(out, flags))).0
    }

    /// Standard error of a run that must fail with this exit code.
    fn fail(&self, out: &Path, flags: &[&str], code: i32) -> String {
        failure(&mut engine(&self.arguments(out, flags)), code)
    }

    /// Starts a run.
    fn start(&self, out: &Path, flags: &[&str]) -> Child {
        engine(&self.arguments(out, flags))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts")
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Standard output of `report` on a directory.
fn report(directory: &Path, flags: &[&str]) -> String {
    let arguments = [&["report", text(directory)], flags].concat();
    success(&mut engine(&arguments)).0
}

/// The paths of the parts of a run directory.
fn part_files(directory: &Path) -> Vec<PathBuf> {
    let parts = fs::read_dir(directory.join("parts")).into_iter().flatten();
    let mut paths: Vec<PathBuf> = parts.map(|part| part.expect("a file").path()).collect();
    paths.sort();
    paths
}

/// The number of results in the parts of a run directory.
fn result_count(directory: &Path) -> usize {
    let results = |path: &PathBuf| {
        let part = fs::read_to_string(path).unwrap_or_default();
        part.matches("\"result\":{").count()
    };
    part_files(directory).iter().map(results).sum()
}

/// Everything that is written from the results, without times: names and texts.
fn timeless_files(directory: &Path) -> BTreeMap<String, String> {
    report(directory, &["--no-times"]);
    let mut files = BTreeMap::new();
    for folder in [directory.to_owned(), directory.join("tables")] {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            let name = text(path.strip_prefix(directory).expect("inside")).to_owned();
            if path.is_file() && name != "plan.json" {
                files.insert(name, read(path));
            }
        }
    }
    files
}
