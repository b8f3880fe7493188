//! Programs of others talk to the engine: python-chess with stockfish as the opponent, and the bots of open_spiel.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use support::untested;

mod support;

const ENGINE: &str = env!("CARGO_BIN_EXE_canopy-engine");

/// A path that begins where the project does.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Whether a program can be started so, and is content.
fn works(program: &Path, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A Python that has the packages of tests/clients/requirements.txt.
fn python() -> Option<PathBuf> {
    let named = env::var_os("CANOPY_PYTHON").map(PathBuf::from);
    let places = [project("target/clients-venv/bin/python"), "python3".into()];
    named.into_iter().chain(places).find(|python| {
        works(
            python,
            &["-c", "import chess.engine, open_spiel.python.bots.gtp"],
        )
    })
}

/// Stockfish, which Debian puts where not everybody looks for programs.
fn stockfish() -> Option<PathBuf> {
    ["stockfish", "/usr/games/stockfish"]
        .map(PathBuf::from)
        .into_iter()
        .find(|stockfish| works(stockfish, &["quit"]))
}

/// Runs a script of tests/clients, which fails with all that was said if a client and the engine do not understand each
/// other.
#[expect(
    clippy::print_stdout,
    reason = "what every check showed and how long it took, for whoever wants to see it"
)]
fn run(script: &str) {
    let (python, stockfish) = (python(), stockfish());
    if python.is_none() {
        untested(
            "There is no Python with the packages of tests/clients/requirements.txt (CANOPY_PYTHON, \
             target/clients-venv/bin/python or python3)",
        );
    }
    if stockfish.is_none() {
        untested("There is no stockfish");
    }
    let (Some(python), Some(stockfish)) = (python, stockfish) else {
        assert!(env::var_os("CI").is_none(), "under CI everything is tested");
        return;
    };
    let output = Command::new(python)
        .arg(project("tests/clients").join(script))
        .arg(ENGINE)
        .arg(stockfish)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .output()
        .expect("a Python that worked before works now");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !said.is_empty(),
        "{script}: {}\n{said}\n{errors}",
        output.status
    );
    println!("{said}");
}

#[test]
fn python_chess_plays_and_analyses() {
    run("python_chess.py");
}

#[test]
fn the_bots_of_open_spiel_play() {
    run("open_spiel_bots.py");
}
