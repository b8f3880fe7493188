//! The steps of NBoard, for othello.

use std::time::Duration;

use super::{Checker, Step, StepResult, fail, uci::check_exit};

/// To answer everything but a search.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
/// For a search.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(60);
/// How long an engine that must not answer is listened to.
const SILENCE: Duration = Duration::from_millis(300);
/// The beginning of the record of a game, up to its moves.
const GAME: &str = "(;GM[Othello]PC[x]PB[a]PW[b]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]";

pub(super) const STEPS: &[Step] = &[
    ("handshake", handshake),
    ("ping", ping),
    ("set depth", set_depth),
    ("go", go),
    ("move", play_move),
    ("hint", hint),
    ("analyze", analyze),
    ("ping ends a search", ping_ends_search),
    ("illegal input", illegal_input),
    ("repeated games", repeated_games),
    ("quit", quit),
    ("end of input", end_of_input),
];

pub(super) fn introduce(checker: &mut Checker<'_>) -> StepResult {
    checker.session.send("nboard 2");
    checker.session.send("set depth 1");
    wait_pong(checker, 1)
}

fn handshake(checker: &mut Checker<'_>) -> StepResult {
    checker.session.send("nboard 2");
    checker
        .session
        .read_until("line set myname", REPLY_TIMEOUT, |line| {
            line.starts_with("set myname ")
        })?;
    introduce(checker)
}

fn wait_pong(checker: &mut Checker<'_>, number: u32) -> StepResult {
    checker.session.send(&format!("ping {number}"));
    let pong = format!("pong {number}");
    checker
        .session
        .read_until(&pong, REPLY_TIMEOUT, |line| line.trim() == pong)?;
    Ok(())
}

fn ping(checker: &mut Checker<'_>) -> StepResult {
    wait_pong(checker, 7)?;
    wait_pong(checker, 8)
}

fn set_depth(checker: &mut Checker<'_>) -> StepResult {
    checker.session.send("set depth 2");
    wait_pong(checker, 2)?;
    checker.session.send("set depth 1");
    wait_pong(checker, 3)
}

/// Sets the game after so many moves of the sample.
fn set_game(checker: &mut Checker<'_>, plies: usize) -> StepResult {
    let sample = checker.sample()?;
    let mut game = GAME.to_owned();
    for (mv, is_black) in sample.moves.iter().zip(&sample.first_to_move).take(plies) {
        let mv = if mv == "pass" {
            "PA".to_owned()
        } else {
            mv.to_uppercase()
        };
        game.push_str(&format!("{}[{mv}]", if *is_black { "B" } else { "W" }));
    }
    checker.session.send(&format!("set game {game};)"));
    Ok(())
}

/// Asks for a move, which must be legal.
fn ask_move(checker: &mut Checker<'_>, plies: usize) -> StepResult {
    checker.session.send("go");
    let lines = checker
        .session
        .read_until("line ===", SEARCH_TIMEOUT, |line| line.starts_with("==="))?;
    let answer = lines
        .last()
        .map_or("", String::as_str)
        .trim_start_matches('=')
        .trim();
    let mv = answer
        .split('/')
        .next()
        .unwrap_or_default()
        .trim()
        .to_lowercase();
    let mv = if mv == "pa" { "pass".to_owned() } else { mv };
    match checker.sample()?.is_legal(plies, std::slice::from_ref(&mv)) {
        true => Ok(()),
        false => fail(format!("the answer {mv:?} is no legal move")),
    }
}

fn go(checker: &mut Checker<'_>) -> StepResult {
    let last = checker.sample()?.moves.len().saturating_sub(1);
    for plies in [0, 1, 2, last / 2, last] {
        set_game(checker, plies)?;
        ask_move(checker, plies)?;
        wait_pong(checker, 4)?;
    }
    Ok(())
}

fn play_move(checker: &mut Checker<'_>) -> StepResult {
    let sample = checker.sample()?;
    set_game(checker, 0)?;
    if let Some(mv) = sample.moves.first() {
        checker.session.send(&format!("move {}", mv.to_uppercase()));
    }
    ask_move(checker, 1)?;
    wait_pong(checker, 5)
}

fn hint(checker: &mut Checker<'_>) -> StepResult {
    set_game(checker, 1)?;
    checker.session.send("hint 2");
    let lines = checker
        .session
        .read_until("line status Done", SEARCH_TIMEOUT, is_done);
    let lines = lines?;
    match lines.iter().any(|line| line.starts_with("search ")) {
        true => Ok(()),
        false => fail("a hint without a line search"),
    }
}

fn is_done(line: &str) -> bool {
    // The status may be empty instead.
    line.trim() == "status Done" || line.trim() == "status"
}

fn analyze(checker: &mut Checker<'_>) -> StepResult {
    set_game(checker, 3)?;
    checker.session.send("analyze");
    let lines = checker
        .session
        .read_until("line status Done", SEARCH_TIMEOUT, is_done)?;
    match lines.iter().any(|line| line.starts_with("analysis ")) {
        true => Ok(()),
        false => fail("analyze without a line analysis"),
    }
}

/// After the pong nothing of the search before it may come.
fn ping_ends_search(checker: &mut Checker<'_>) -> StepResult {
    set_game(checker, 0)?;
    checker.session.send("set depth 40");
    checker.session.send("hint 1");
    wait_pong(checker, 6)?;
    let lines = checker.session.listen(SILENCE)?;
    if lines
        .iter()
        .any(|line| line.starts_with("search ") || line.starts_with("==="))
    {
        return fail("the search goes on after the pong");
    }
    checker.session.send("set depth 1");
    wait_pong(checker, 7)
}

fn illegal_input(checker: &mut Checker<'_>) -> StepResult {
    for line in [
        "",
        "no such command",
        "move Z9",
        "set game nonsense",
        "set depth many",
    ] {
        checker.session.send(line);
    }
    checker.session.send("set depth 1");
    wait_pong(checker, 8)?;
    set_game(checker, 0)?;
    ask_move(checker, 0)
}

fn repeated_games(checker: &mut Checker<'_>) -> StepResult {
    for plies in [0, 2, 0] {
        set_game(checker, plies)?;
        ask_move(checker, plies)?;
    }
    wait_pong(checker, 9)
}

fn quit(checker: &mut Checker<'_>) -> StepResult {
    check_exit(checker, "quit")
}

fn end_of_input(checker: &mut Checker<'_>) -> StepResult {
    check_exit(checker, "")
}
