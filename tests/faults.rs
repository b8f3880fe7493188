//! Fault injection with real faults: full disks, directories that disappear, killed processes.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead as _, Write as _},
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

use canopy_engine::{
    rng::Rng,
    tree::{files, growth::Growth, meta},
};
use support::{Scratch, untested, wait_until};

#[path = "faults/disk.rs"]
mod disk;
#[path = "faults/killed.rs"]
mod killed;
#[path = "faults/memory.rs"]
mod memory;
#[path = "faults/records.rs"]
mod records;
mod support;

const ENGINE: &str = env!("CARGO_BIN_EXE_canopy-engine");

/// An engine command that grows trees in `directory` for `plies` plies.
fn grow_command(directory: &Path, plies: u32, more: &[&str]) -> Command {
    let mut command = Command::new(ENGINE);
    command.args([
        "grow",
        "--game",
        "connect-four",
        "--search",
        "uct,memory=64",
    ]);
    command
        .args(["--plies", &plies.to_string(), "--out"])
        .arg(directory);
    command.args(more);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn wait_for_output(child: Child) -> (Vec<String>, String, Option<i32>) {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    let moves = String::from_utf8(stdout).unwrap();
    (
        moves.lines().map(str::to_owned).collect(),
        String::from_utf8(stderr).unwrap(),
        status.code(),
    )
}

/// Asserts that every file without a leading dot is complete; returns the number of tree files.
fn count_whole_trees(directory: &Path) -> usize {
    let mut trees = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with('.') {
            continue;
        }
        let failed = |error| -> ! { panic!("{name}: {error}") };
        match path.extension().unwrap().to_str().unwrap() {
            "tree" | "csv" => {
                trees += 1;
                let document = files::read(&path, None).unwrap_or_else(|error| failed(error));
                // The extras may be those of the next snapshot, but whole they are.
                let torn = document
                    .problems
                    .iter()
                    .any(|problem| !problem.contains("records for"));
                assert!(!torn, "{:?}", document.problems);
                assert!(document.meta.is_some(), "{name} has no sidecar");
            }
            "growth" => {
                let bytes = fs::read(&path).unwrap();
                Growth::read(&bytes[..]).unwrap_or_else(|error| failed(error));
            }
            "json" | "extra" | "columns" => {}
            other => panic!("what is {name}, a {other}?"),
        }
    }
    trees
}

/// Runs a shell script in a mount namespace of its own, where it may mount disks; standard output and standard error. None
/// where that is not allowed, which is recorded as untested.
fn run_with_own_mounts(script: &str) -> Option<(String, String)> {
    if !is_runnable("unshare", &["--mount", "true"]) {
        return None;
    }
    let output = Command::new("unshare")
        .args(["--mount", "sh", "-c", script])
        .output()
        .unwrap();
    let [text, errors] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    Some((text, errors))
}

/// True if the program runs here with these arguments; records the test as untested if not.
fn is_runnable(program: &str, arguments: &[&str]) -> bool {
    let works = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !works {
        untested(&format!("{program} {} does not work", arguments.join(" ")));
    }
    works
}

/// What the engine wrote to standard error, and its exit code, when `inject` happened to `calls`; nothing where strace does not
/// run. It must have happened at least once.
fn run_with_fault(
    scratch: &Scratch,
    calls: &str,
    inject: &str,
    arguments: &[&str],
    directory: &Path,
) -> Option<(String, Option<i32>)> {
    if !has_strace() {
        return None;
    }
    let log = scratch.0.join(format!("{calls}.log"));
    let mut command = strace_command(&log, calls, inject);
    let output = command.args(arguments).arg(directory).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(injection_count(&log) > 0, "{calls}: {errors}");
    Some((errors, output.status.code()))
}

/// The engine under strace, which injects `inject` into `calls` and writes them to `log`.
fn strace_command(log: &Path, calls: &str, inject: &str) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-o"]).arg(log);
    command.args(["-e", &format!("trace={calls}")]);
    command.args(["-e", &format!("inject={calls}:{inject}"), ENGINE]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Number of system calls into which strace injected a fault or delay.
fn injection_count(log: &Path) -> usize {
    let log = fs::read_to_string(log).unwrap();
    log.matches("(INJECTED)").count() + log.matches("(DELAYED)").count()
}

fn has_strace() -> bool {
    is_runnable("strace", &["-o", "/dev/null", "true"])
}

/// Sends a script to a server; returns its output and whether it exited with success.
fn run_server_script(command: &mut Command, script: &str) -> (String, bool) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = String::from_utf8(output.stdout).unwrap();
    (text + &errors, output.status.success())
}

fn count_scratch_trees(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.path().extension().is_some_and(|name| name == "tree"))
        .count()
}
