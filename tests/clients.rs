//! Third-party clients drive the engine: python-chess, with Stockfish as the opponent, and the GTP bots of open_spiel.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use support::{take_untested, untested, untested_data};

mod support;

const ENGINE: &str = env!("CARGO_BIN_EXE_canopy-engine");

/// A path relative to the root of the project.
fn project_path(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// True if the program starts and exits with success.
fn runs_successfully(program: &Path, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A Python with the packages of tests/clients/requirements.txt; `None` if there is none.
fn python() -> Option<PathBuf> {
    let places = match env::var_os("CANOPY_PYTHON") {
        Some(named) => vec![named.into()],
        None => vec![
            project_path("target/clients-venv/bin/python"),
            "python3".into(),
        ],
    };
    places.into_iter().find(|python| {
        runs_successfully(
            python,
            &["-c", "import chess.engine, open_spiel.python.bots.gtp"],
        )
    })
}

/// Stockfish, on the PATH or where Debian installs it.
fn stockfish() -> Option<PathBuf> {
    ["stockfish", "/usr/games/stockfish"]
        .map(PathBuf::from)
        .into_iter()
        .find(|stockfish| runs_successfully(stockfish, &["quit"]))
}

/// Runs a script of tests/clients that wants an opponent. On failure panics with everything the script printed.
fn run_script(script: &str) {
    let (python, stockfish) = (python(), stockfish());
    if python.is_none() {
        untested(
            "there is no Python with the packages of tests/clients/requirements.txt (CANOPY_PYTHON, \
             target/clients-venv/bin/python or python3)",
        );
    }
    if stockfish.is_none() {
        untested("there is no stockfish");
    }
    if let (Some(python), Some(stockfish)) = (python, stockfish) {
        let _ = run_with(&python, script, &[&stockfish]);
    }
}

/// Runs a script of tests/clients with the engine and these programs as arguments; returns what it printed.
#[expect(
    clippy::print_stdout,
    reason = "what every check showed and how long it took, for whoever wants to see it"
)]
fn run_with(python: &Path, script: &str, programs: &[&Path]) -> String {
    let script = Path::new("tests/clients").join(script);
    let arguments: Vec<&Path> = [Path::new(ENGINE)]
        .iter()
        .chain(programs)
        .copied()
        .collect();
    let said = python_output(python, &script, &arguments);
    println!("{said}");
    said
}

/// What a script of the project prints. On failure panics with everything that it printed.
fn python_output(python: &Path, script: &Path, arguments: &[&Path]) -> String {
    let output = Command::new(python)
        .arg(project_path(script))
        .args(arguments)
        .env("CANOPY_ENGINE", ENGINE)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .output()
        .expect("a Python that worked before works now");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !said.is_empty(),
        "{}: {}\n{said}\n{errors}",
        script.display(),
        output.status
    );
    said
}

#[test]
fn python_chess_plays_and_analyses() {
    run_script("python_chess.py");
}

#[test]
#[ignore = "minutes: python-chess generates the moves of a million positions"]
fn king_and_pawn_have_the_distances_of_python_chess() {
    match python() {
        Some(python) => drop(run_with(&python, "pawn_ending.py", &[])),
        None => untested(
            "there is no Python with the packages of tests/clients/requirements.txt (CANOPY_PYTHON, \
             target/clients-venv/bin/python or python3)",
        ),
    }
}

#[test]
fn the_bots_of_open_spiel_play() {
    run_script("open_spiel_bots.py");
}

/// Files that the libraries write on this machine are imported and compared with what the libraries hold.
#[test]
fn trees_of_open_spiel_networkx_and_graphviz_are_imported() {
    let Some(python) = python() else {
        untested(
            "there is no Python with the packages of tests/clients/requirements.txt (CANOPY_PYTHON, \
             target/clients-venv/bin/python or python3)",
        );
        return;
    };
    for missing in run_with(&python, "tree_files.py", &[])
        .lines()
        .filter_map(|line| line.strip_prefix("NOT TESTED: "))
    {
        untested(missing);
    }
}

/// The Python package of engine/python, tested by its own tests; open_spiel and networkx make trees for it where they are installed.
#[test]
fn the_python_package_agrees_with_the_engine() {
    let plain = ["target/clients-venv/bin/python", "python3"];
    let mut places = std::iter::once(project_path(plain[0])).chain([PathBuf::from(plain[1])]);
    let Some(python) =
        python().or_else(|| places.find(|place| runs_successfully(place, &["--version"])))
    else {
        untested("there is no Python");
        return;
    };
    let script = Path::new("engine/python/tests/test_package.py");
    let said = python_output(&python, script, &[]);
    assert!(said.matches("passed: ").count() >= 10, "{said}");
    for missing in said
        .lines()
        .filter_map(|line| line.strip_prefix("NOT TESTED: "))
    {
        untested_data(&format!("the Python package: {missing}"));
    }
}

/// Runs one test of this program with its tools hidden; returns success, output, and the notes of skipped tests.
fn run_test_without_tools(environment: &[(&str, &str)]) -> (bool, String, Vec<String>) {
    let output = Command::new(env::current_exe().expect("this program has a path"))
        .args(["--exact", "the_bots_of_open_spiel_play"])
        .env_remove("CANOPY_TEST_ALL")
        .env("CANOPY_PYTHON", "no-such-python")
        .env("CI", "true")
        .envs(environment.iter().copied())
        .output()
        .expect("this program can be run again");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let notes = take_untested(std::process::id());
    (output.status.success(), said, notes)
}

#[test]
fn what_cannot_be_tested_is_said_and_fails_only_on_request() {
    let (is_success, said, notes) = run_test_without_tools(&[]);
    assert!(is_success, "{said}");
    let note = "the_bots_of_open_spiel_play: there is no Python with the packages";
    assert!(
        said.contains(&format!("NOT TESTED {note}")),
        "held back by the test harness: {said}"
    );
    assert!(
        notes.iter().any(|line| line.starts_with(note)),
        "not in the list for the end: {notes:?}"
    );
    let (is_success, said, _) = run_test_without_tools(&[("CANOPY_TEST_ALL", "1")]);
    assert!(!is_success, "{said}");
    assert!(said.contains("needs what is missing"), "{said}");
}
