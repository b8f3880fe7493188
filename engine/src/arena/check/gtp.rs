//! The steps of GTP 2.

use std::time::{Duration, Instant};

use super::{Checker, Problem, Step, StepResult, fail, skip, uci::check_exit};
use crate::games::facts_of;

/// To answer everything but a search.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
/// For a search.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(120);
/// Moves of a game that is played.
const GAME_MOVES: usize = 6;

pub(super) const STEPS: &[Step] = &[
    ("handshake", handshake),
    ("mandatory commands", mandatory_commands),
    ("known_command", known_command),
    ("numbers of commands", numbers),
    ("unknown commands", unknown_command),
    ("comments and blanks", comments),
    ("boardsize", board_size),
    ("play", play),
    ("illegal moves", illegal_move),
    ("undo", undo),
    ("genmove", genmove),
    ("the end of the game", end_of_game),
    ("time for a move", time_for_a_move),
    ("analysis", analysis),
    ("repeated games", repeated_games),
    ("robustness", robustness),
    ("quit", quit),
    ("end of input", end_of_input),
];

/// The commands that every engine must have.
const MANDATORY: [&str; 12] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "undo",
];

/// Sends a command and reads its response: the text, or the engine's complaint.
fn ask(checker: &mut Checker<'_>, command: &str) -> Result<Result<String, String>, Problem> {
    checker.session.send(command);
    read_response(checker, REPLY_TIMEOUT, "")
}

fn read_response(
    checker: &mut Checker<'_>,
    timeout: Duration,
    number: &str,
) -> Result<Result<String, String>, Problem> {
    let lines =
        checker
            .session
            .read_until("response, which ends with an empty line", timeout, |line| {
                line.trim().is_empty()
            })?;
    let first = lines.first().map_or("", String::as_str);
    let (is_accepted, rest) = match (first.strip_prefix('='), first.strip_prefix('?')) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => {
            return fail(format!(
                "a response begins with = or ?, and this one with {first:?}"
            ));
        }
    };
    let Some(rest) = rest.strip_prefix(number) else {
        return fail(format!(
            "the response {first:?} does not repeat the number {number}"
        ));
    };
    let more = lines
        .get(1..lines.len().saturating_sub(1))
        .unwrap_or_default();
    let text = std::iter::once(rest.trim()).chain(more.iter().map(String::as_str));
    let text = text.collect::<Vec<&str>>().join("\n");
    Ok(if is_accepted { Ok(text) } else { Err(text) })
}

/// The text of a response that must not be a failure.
fn ask_well(checker: &mut Checker<'_>, command: &str) -> Result<String, Problem> {
    match ask(checker, command)? {
        Ok(text) => Ok(text),
        Err(complaint) => fail(format!("{command} was refused: {complaint}")),
    }
}

pub(super) fn introduce(checker: &mut Checker<'_>) -> StepResult {
    let commands = ask_well(checker, "list_commands")?;
    checker.commands = commands.split_whitespace().map(str::to_owned).collect();
    if has(checker, "set_game") {
        let game = checker.plan.game.clone();
        ask_well(checker, &format!("set_game {game}"))?;
    }
    if has(checker, "set_option") {
        // Searches of an engine of ours, as short as the check needs them; others have their own way.
        ask(checker, "set_option Nodes 200")?.ok();
    }
    Ok(())
}

fn has(checker: &Checker<'_>, command: &str) -> bool {
    checker.commands.iter().any(|known| known == command)
}

fn colours(checker: &Checker<'_>) -> [&'static str; 2] {
    facts_of(&checker.plan.game).map_or(["black", "white"], |facts| facts.colours())
}

fn handshake(checker: &mut Checker<'_>) -> StepResult {
    let version = ask_well(checker, "protocol_version")?;
    if version.trim() != "2" {
        return fail(format!("protocol_version is {version:?}: expected 2"));
    }
    for command in ["name", "version"] {
        if ask_well(checker, command)?.trim().is_empty() && command == "name" {
            return fail("the engine has no name");
        }
    }
    introduce(checker)
}

fn mandatory_commands(checker: &mut Checker<'_>) -> StepResult {
    let missing = MANDATORY.iter().filter(|command| !has(checker, command));
    let missing: Vec<&str> = missing.copied().collect();
    match missing.is_empty() {
        true => Ok(()),
        false => fail(format!("list_commands lacks {}", missing.join(", "))),
    }
}

fn known_command(checker: &mut Checker<'_>) -> StepResult {
    for (command, expected) in [("genmove", "true"), ("no_such_command", "false")] {
        let answer = ask_well(checker, &format!("known_command {command}"))?;
        if answer.trim() != expected {
            return fail(format!(
                "known_command {command} is answered {answer:?}: expected {expected}"
            ));
        }
    }
    Ok(())
}

fn numbers(checker: &mut Checker<'_>) -> StepResult {
    for number in ["7", "123456"] {
        checker.session.send(&format!("{number} name"));
        if read_response(checker, REPLY_TIMEOUT, number)?.is_err() {
            return fail("name was refused");
        }
    }
    Ok(())
}

fn unknown_command(checker: &mut Checker<'_>) -> StepResult {
    match ask(checker, "no_such_command at all")? {
        Err(_) => Ok(()),
        Ok(text) => fail(format!(
            "a command that nobody knows is answered {text:?}: expected a failure"
        )),
    }
}

fn comments(checker: &mut Checker<'_>) -> StepResult {
    for line in ["", "   ", "# a comment"] {
        checker.session.send(line);
    }
    checker.session.send("9 name # the rest is a comment");
    match read_response(checker, REPLY_TIMEOUT, "9")? {
        Ok(_) => Ok(()),
        Err(complaint) => fail(format!("a comment behind a command: {complaint}")),
    }
}

fn board_size(checker: &mut Checker<'_>) -> StepResult {
    if let Some(size) = facts_of(&checker.plan.game).and_then(|facts| facts.foreign.gtp_board_size)
    {
        ask_well(checker, &format!("boardsize {size}"))?;
    }
    match ask(checker, "boardsize 100000")? {
        Err(_) => Ok(()),
        Ok(_) => fail("boardsize 100000 is accepted"),
    }
}

fn new_game(checker: &mut Checker<'_>) -> StepResult {
    ask_well(checker, "clear_board").map(drop)
}

/// Plays the first moves of the sample.
fn play_sample(checker: &mut Checker<'_>, plies: usize) -> StepResult {
    let sample = checker.sample()?;
    let [first, second] = colours(checker);
    new_game(checker)?;
    for (mv, is_first) in sample.moves.iter().zip(&sample.first_to_move).take(plies) {
        let colour = if *is_first { first } else { second };
        ask_well(checker, &format!("play {colour} {mv}"))?;
    }
    Ok(())
}

fn play(checker: &mut Checker<'_>) -> StepResult {
    let plies = checker.sample()?.moves.len();
    play_sample(checker, plies)
}

fn illegal_move(checker: &mut Checker<'_>) -> StepResult {
    let [first, _] = colours(checker);
    new_game(checker)?;
    for wrong in [
        format!("play {first} zz99"),
        format!("play {first}"),
        "play nobody a1".to_owned(),
    ] {
        if ask(checker, &wrong)?.is_ok() {
            return fail(format!("{wrong:?} is accepted"));
        }
    }
    Ok(())
}

fn undo(checker: &mut Checker<'_>) -> StepResult {
    play_sample(checker, 2)?;
    for _ in 0..2 {
        ask_well(checker, "undo")?;
    }
    if ask(checker, "undo")?.is_ok() {
        return fail("undo is accepted at the beginning of the game");
    }
    let sample = checker.sample()?;
    let [first, _] = colours(checker);
    match sample.moves.first() {
        Some(mv) => ask_well(checker, &format!("play {first} {mv}")).map(drop),
        None => Ok(()),
    }
}

/// Has the engine play both sides; its moves must be legal.
fn play_moves(checker: &mut Checker<'_>, count: usize) -> StepResult {
    new_game(checker)?;
    let colours = colours(checker);
    let mut moves: Vec<String> = Vec::new();
    let game = checker.plan.game.clone();
    for index in 0..count {
        use crate::arena::watch::line_board::{RootPosition, open};
        let position = RootPosition {
            start: None,
            moves: moves.clone(),
        };
        let (board, _) = open(&game, &position);
        let by_turns = if index % 2 == 0 { 0 } else { 1 };
        let turn = board
            .root()
            .to_move
            .map_or(by_turns, |player| player.index());
        let colour = colours.get(turn).copied().unwrap_or_default();
        checker.session.send(&format!("genmove {colour}"));
        let mv = match read_response(checker, SEARCH_TIMEOUT, "")? {
            Ok(mv) => mv.trim().to_owned(),
            Err(complaint) => return fail(format!("genmove {colour} was refused: {complaint}")),
        };
        if mv.eq_ignore_ascii_case("resign") {
            return Ok(());
        }
        if board.root().is_known && board.walk(std::slice::from_ref(&mv)).is_empty() {
            return fail(format!(
                "genmove {colour} answers {mv:?}, which is no legal move"
            ));
        }
        moves.push(mv);
    }
    Ok(())
}

fn genmove(checker: &mut Checker<'_>) -> StepResult {
    play_moves(checker, GAME_MOVES)
}

fn end_of_game(checker: &mut Checker<'_>) -> StepResult {
    let sample = checker.sample()?;
    if sample.result.is_none() {
        return skip("the sample game has no end");
    }
    play_sample(checker, sample.moves.len())?;
    let [first, second] = colours(checker);
    let is_first = sample.first_to_move.last().copied().unwrap_or(true);
    let colour = if is_first { first } else { second };
    checker.session.send(&format!("genmove {colour}"));
    match read_response(checker, SEARCH_TIMEOUT, "")? {
        Err(_) => Ok(()),
        Ok(mv) if ["pass", "resign"].contains(&mv.trim().to_lowercase().as_str()) => Ok(()),
        Ok(mv) => fail(format!(
            "the game is over, and genmove answers {mv:?}: expected a failure, pass or resign"
        )),
    }
}

fn time_for_a_move(checker: &mut Checker<'_>) -> StepResult {
    if !has(checker, "time_settings") {
        return skip("there is no command time_settings");
    }
    if has(checker, "set_option") {
        ask(checker, "set_option Nodes 0")?.ok();
    }
    new_game(checker)?;
    ask_well(checker, "time_settings 0 1 1")?;
    let [first, _] = colours(checker);
    let asked = Instant::now();
    checker.session.send(&format!("genmove {first}"));
    let answer = read_response(checker, SEARCH_TIMEOUT, "")?;
    let time = asked.elapsed();
    if has(checker, "set_option") {
        ask(checker, "set_option Nodes 200")?.ok();
    }
    if let Err(complaint) = answer {
        return fail(format!("genmove {first} was refused: {complaint}"));
    }
    let latest = Duration::from_secs(1) + checker.plan.margin;
    match time > latest {
        true => fail(format!("a move of a second took {} ms", time.as_millis())),
        false => Ok(()),
    }
}

fn analysis(checker: &mut Checker<'_>) -> StepResult {
    let commands = ["lz-analyze", "kata-analyze"]
        .into_iter()
        .filter(|name| has(checker, name));
    let commands: Vec<&str> = commands.collect();
    if commands.is_empty() {
        return skip("there is neither lz-analyze nor kata-analyze");
    }
    for command in commands {
        new_game(checker)?;
        checker.session.send(&format!("{command} 10"));
        let lines = checker
            .session
            .read_until("line of analysis", REPLY_TIMEOUT, |line| {
                line.starts_with("info ")
            })?;
        if !lines.first().is_some_and(|line| line.starts_with('=')) {
            return fail("the response to an analysis begins with =");
        }
        checker.session.send("name");
        for _ in 0..2 {
            checker
                .session
                .read_until("end of the analysis", REPLY_TIMEOUT, |line| {
                    line.trim().is_empty()
                })?;
        }
    }
    Ok(())
}

fn repeated_games(checker: &mut Checker<'_>) -> StepResult {
    for _ in 0..3 {
        play_moves(checker, 2)?;
    }
    Ok(())
}

fn robustness(checker: &mut Checker<'_>) -> StepResult {
    if ask(checker, &"x".repeat(100_000))?.is_ok() {
        return fail("a word of 100,000 letters is accepted");
    }
    for _ in 0..200 {
        checker.session.send("name");
    }
    for _ in 0..200 {
        if read_response(checker, REPLY_TIMEOUT, "")?.is_err() {
            return fail("name was refused");
        }
    }
    Ok(())
}

fn quit(checker: &mut Checker<'_>) -> StepResult {
    check_exit(checker, "quit")
}

fn end_of_input(checker: &mut Checker<'_>) -> StepResult {
    check_exit(checker, "")
}
