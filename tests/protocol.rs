//! The protocol server, in this process and as a child process.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use canopy_engine::{
    games::notation::Style,
    protocol::{ProtocolKind, ServerConfig, options},
    rng::Rng,
    session,
    tree::files,
};
use support::{
    Scratch, data, every_game,
    transcript::{self, EngineProcess, InProcessServer, Peer as _, REPLY_TIMEOUT},
};

#[path = "protocol/books.rs"]
mod books;
#[cfg(unix)]
#[path = "protocol/client_exit.rs"]
mod client_exit;
#[path = "protocol/depth.rs"]
mod depth;
#[path = "protocol/early_stop.rs"]
mod early_stop;
#[path = "protocol/fast_clocks.rs"]
mod fast_clocks;
#[path = "protocol/fuzz.rs"]
mod fuzz;
#[path = "protocol/info.rs"]
mod info;
#[path = "protocol/input.rs"]
mod input;
#[path = "protocol/short_games.rs"]
mod short_games;
#[path = "protocol/solving.rs"]
mod solving;
mod support;
#[path = "protocol/threads.rs"]
mod threads;
#[path = "protocol/transcripts.rs"]
mod transcripts;
#[path = "protocol/trees.rs"]
mod trees;

/// Sends `input` at once and closes the pipe; returns the output and whether the program exited with success.
fn run_piped(arguments: &[&str], input: &[u8]) -> (String, bool) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input is piped");
    stdin.write_all(input).expect("the program reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let text = String::from_utf8(output.stdout).expect("it says UTF-8");
    (text, output.status.success())
}

/// The last line that is not blank.
fn last_line(text: &str) -> &str {
    text.lines().rfind(|line| !line.is_empty()).unwrap_or("")
}

/// The moves of a random game, to its end.
fn random_game(game: &str, seed: u64) -> Vec<String> {
    let mut session = session::open(game).expect("there is the game");
    let mut rng = Rng::new(seed);
    let mut moves = Vec::new();
    while session.outcome().is_none() {
        let legal = session.moves(Style::Own);
        let mv = legal[rng.below(legal.len() as u32) as usize].clone();
        session.play(&mv).expect("it is legal");
        moves.push(mv);
    }
    moves
}

/// Asserts that the numeric fields of an info line are integers and that `pv` comes last; what a solver says is a text.
fn check_info(line: &str) {
    if line.starts_with("info string exact") {
        return;
    }
    let words: Vec<&str> = line.split(' ').collect();
    let mut index = 1;
    while index < words.len() {
        let values = match words[index] {
            "depth" | "seldepth" | "multipv" | "nodes" | "nps" | "hashfull" | "time" => 1,
            "score" => {
                assert!(["cp", "mate"].contains(&words[index + 1]), "{line}");
                index += 1;
                1
            }
            "wdl" => 3,
            "pv" => {
                assert!(index + 1 < words.len(), "{line}");
                return;
            }
            other => panic!("{other} in {line}"),
        };
        for value in &words[index + 1..=index + values] {
            assert!(value.parse::<i64>().is_ok(), "{value} in {line}");
        }
        index += values + 1;
    }
}
