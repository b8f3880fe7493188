//! The steps of UCI and UGI.

use std::time::{Duration, Instant};

use super::{CheckedDialect, Checker, Problem, SampleGame, Step, StepResult, fail, skip};
use crate::{
    arena::client::{EngineOption, EngineOptionKind},
    games::{facts_of, notation::Style},
};

/// To introduce itself, and to be ready.
const READY_TIMEOUT: Duration = Duration::from_secs(10);
/// For a search that is limited by depth or nodes.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(60);
/// For a search of some hundred nodes; an engine that does not know the limit searches on.
const NODES_TIMEOUT: Duration = Duration::from_secs(2);
/// How long an engine that must not answer is listened to.
const SILENCE: Duration = Duration::from_millis(300);
/// To end after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) const STEPS: &[Step] = &[
    ("handshake", handshake),
    ("ready", ready),
    ("options", options),
    ("unknown options", unknown_option),
    ("positions by moves", positions_by_moves),
    ("positions by text", positions_by_text),
    ("depth", depth),
    ("depth near the end of the game", depth_near_the_end),
    ("the end of the game", end_of_game),
    ("nodes", nodes),
    ("time for a move", move_time),
    ("clock", clock),
    ("stop", stop),
    ("stop without a search", stop_without_search),
    ("ready while searching", ready_while_searching),
    ("ponder", ponder),
    ("illegal input", illegal_input),
    ("robustness", robustness),
    ("repeated games", repeated_games),
    ("queries", queries),
    ("output grammar", output_grammar),
    ("legality of lines", legality_of_lines),
    ("quit", quit),
    ("quit while searching", quit_while_searching),
    ("end of input", end_of_input),
];

/// An answer to `go`.
struct Answer {
    mv: String,
    time: Duration,
}

fn is_ugi(checker: &Checker<'_>) -> bool {
    checker.plan.dialect == CheckedDialect::Ugi
}

/// The handshake, and the game.
pub(super) fn introduce(checker: &mut Checker<'_>) -> StepResult {
    let (hello, done) = match is_ugi(checker) {
        true => ("ugi", "ugiok"),
        false => ("uci", "uciok"),
    };
    checker.session.send(hello);
    let lines = checker
        .session
        .read_until(done, READY_TIMEOUT, |line| line.trim() == done)?;
    checker.options.clear();
    let declared = lines
        .iter()
        .filter(|line| line.trim_start().starts_with("option "));
    for line in declared {
        match EngineOption::parse(line) {
            Some(option) => checker.options.push(option),
            None => return fail(format!("not an option as the protocol has it: {line:?}")),
        }
    }
    if !lines.iter().any(|line| line.starts_with("id name ")) {
        return fail("no line id name NAME");
    }
    choose_game(checker);
    wait_ready(checker)
}

/// Has an engine with several games play the one that is checked.
fn choose_game(checker: &mut Checker<'_>) {
    let game = checker.plan.game.clone();
    let has = |name: &str| {
        checker
            .options
            .iter()
            .any(|option| option.name.eq_ignore_ascii_case(name))
    };
    let facts = facts_of(&game);
    let fairy = facts.and_then(|facts| facts.foreign.fairy_stockfish);
    if !is_ugi(checker)
        && has("UCI_Variant")
        && let Some(variant) = fairy
    {
        checker
            .session
            .send(&format!("setoption name UCI_Variant value {variant}"));
        checker.sample = SampleGame::in_style(&game, Style::Fairy);
    } else if has("Game") {
        checker
            .session
            .send(&format!("setoption name Game value {game}"));
    } else if has("UCI_Variant") && facts.is_none() {
        checker
            .session
            .send(&format!("setoption name UCI_Variant value {game}"));
    }
}

fn wait_ready(checker: &mut Checker<'_>) -> StepResult {
    checker.session.send("isready");
    checker
        .session
        .read_until("readyok", READY_TIMEOUT, |line| line.trim() == "readyok")?;
    Ok(())
}

/// Sets a position and searches it; the answer must come within `timeout`, and be legal.
fn search(
    checker: &mut Checker<'_>,
    plies: usize,
    by_text: bool,
    limits: &str,
    timeout: Duration,
) -> Result<Answer, Problem> {
    set_position(checker, plies, by_text);
    checker.session.send(&format!("go {limits}"));
    await_answer(checker, plies, timeout)
}

fn set_position(checker: &mut Checker<'_>, plies: usize, by_text: bool) {
    let command = match &checker.sample {
        None => "position startpos".to_owned(),
        Some(sample) if by_text => sample.position_by_text(plies),
        Some(sample) => sample.position_by_moves(plies),
    };
    checker.session.send(&command);
}

fn await_answer(
    checker: &mut Checker<'_>,
    plies: usize,
    timeout: Duration,
) -> Result<Answer, Problem> {
    let asked = Instant::now();
    let lines = checker.session.read_until("bestmove", timeout, is_answer)?;
    let time = asked.elapsed();
    for line in &lines {
        note_line(checker, plies, line);
    }
    let answer = lines.last().map_or("", String::as_str);
    let mv = answer
        .split_whitespace()
        .nth(1)
        .unwrap_or_default()
        .to_owned();
    if let Some(sample) = &checker.sample {
        let is_over = plies + 1 == sample.positions.len() && sample.result.is_some();
        if !is_over && !sample.is_legal(plies, std::slice::from_ref(&mv)) {
            return fail(format!("the answer {mv:?} is no legal move"));
        }
    }
    Ok(Answer { mv, time })
}

fn is_answer(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// Words of `info` that a number follows.
const NUMBERS: [&str; 13] = [
    "depth",
    "seldepth",
    "multipv",
    "nodes",
    "nps",
    "time",
    "hashfull",
    "tbhits",
    "sbhits",
    "cpuload",
    "currmovenumber",
    "leaves",
    "movesleft",
];

/// Checks a line of a search.
fn note_line(checker: &mut Checker<'_>, plies: usize, line: &str) {
    let is_ugi = is_ugi(checker);
    if let Err(problem) = check_grammar(line, is_ugi) {
        let note = format!("{problem}: {line:?}");
        checker.grammar_problem.get_or_insert(note);
    }
    let Some((_, pv)) = line
        .split_once(" pv ")
        .filter(|_| line.starts_with("info ") && !line.contains(" string "))
    else {
        return;
    };
    let pv: Vec<String> = pv.split_whitespace().map(str::to_owned).collect();
    if let Some(sample) = &checker.sample {
        checker.checked_lines += 1;
        if !sample.is_legal(plies, &pv) {
            let set = sample.position_by_moves(plies);
            checker.pv_problem.get_or_insert(format!(
                "after {set:?} the line {:?} is illegal",
                pv.join(" ")
            ));
        }
    }
}

/// What breaks the grammar of an output line.
fn check_grammar(line: &str, is_ugi: bool) -> Result<(), String> {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("info") => {}
        Some("bestmove") => {
            let rest: Vec<&str> = words.collect();
            return match rest.as_slice() {
                [_] => Ok(()),
                [_, "ponder", _] if !is_ugi => Ok(()),
                _ => Err(
                    "bestmove is followed by a move, and in UCI by ponder and a move".to_owned(),
                ),
            };
        }
        None => return Ok(()),
        Some(_) => return Err("neither info nor bestmove".to_owned()),
    }
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let mut number = || {
            let number = words.next().and_then(|word| word.parse::<i64>().ok());
            number
                .map(drop)
                .ok_or_else(|| format!("no whole number after {word}"))
        };
        match word {
            "string" => return Ok(()),
            "pv" | "refutation" | "currline" => {
                return match words.next() {
                    Some(_) => Ok(()),
                    None => Err(format!("no move after {word}")),
                };
            }
            "currmove" => drop(words.next()),
            "score" => match words.next() {
                Some("cp" | "mate") => {
                    let score = words.next().and_then(|word| word.parse::<i64>().ok());
                    score.ok_or("no whole number after score cp or score mate")?;
                }
                _ => return Err("score is followed by cp or mate".to_owned()),
            },
            "wdl" => {
                for _ in 0..3 {
                    number()?;
                }
            }
            "lowerbound" | "upperbound" => {}
            word if NUMBERS.contains(&word) => number()?,
            word => return Err(format!("the word {word:?} is none of the protocol's")),
        }
    }
    Ok(())
}

fn handshake(checker: &mut Checker<'_>) -> StepResult {
    introduce(checker)
}

fn ready(checker: &mut Checker<'_>) -> StepResult {
    wait_ready(checker)?;
    checker.session.send("isready");
    wait_ready(checker)?;
    checker
        .session
        .read_until("second readyok", READY_TIMEOUT, |line| {
            line.trim() == "readyok"
        })?;
    Ok(())
}

/// Every option takes its default, and the ends of its range where they are small.
fn options(checker: &mut Checker<'_>) -> StepResult {
    if checker.options.is_empty() {
        return skip("it declares no options");
    }
    for option in checker.options.clone() {
        let is_game =
            ["game", "uci_variant", "uci_chess960"].contains(&option.name.to_lowercase().as_str());
        let is_sound = match &option.kind {
            EngineOptionKind::Check => ["true", "false"].contains(&option.default.as_str()),
            EngineOptionKind::Spin { min, max } => {
                let default = option.default.parse::<i64>();
                default.is_ok_and(|default| (*min..=*max).contains(&default))
            }
            EngineOptionKind::Combo(choices) => choices.contains(&option.default),
            EngineOptionKind::Button | EngineOptionKind::Text => true,
        };
        if !is_sound {
            return fail(format!(
                "the default {:?} of {} is none of its values",
                option.default, option.name
            ));
        }
        let takes_value = matches!(
            option.kind,
            EngineOptionKind::Check | EngineOptionKind::Spin { .. } | EngineOptionKind::Combo(_)
        );
        if takes_value && !is_game {
            checker.session.send(&format!(
                "setoption name {} value {}",
                option.name, option.default
            ));
        }
    }
    wait_ready(checker)
}

fn unknown_option(checker: &mut Checker<'_>) -> StepResult {
    checker.session.send("setoption name NoSuchOption value 1");
    checker.session.send("setoption");
    wait_ready(checker)
}

/// Plies of the sample at which positions are asked for.
fn sample_plies(sample: &SampleGame) -> Vec<usize> {
    let last = sample.moves.len().saturating_sub(1);
    let mut plies = vec![0, 1, 2, last / 2, last];
    plies.dedup();
    plies.retain(|&ply| ply <= last);
    plies
}

fn positions_by_moves(checker: &mut Checker<'_>) -> StepResult {
    let sample = checker.sample()?;
    for plies in sample_plies(&sample) {
        search(checker, plies, false, "depth 1", SEARCH_TIMEOUT)?;
    }
    Ok(())
}

fn positions_by_text(checker: &mut Checker<'_>) -> StepResult {
    let sample = checker.sample()?;
    for plies in sample_plies(&sample) {
        search(checker, plies, true, "depth 1", SEARCH_TIMEOUT)?;
    }
    Ok(())
}

fn depth(checker: &mut Checker<'_>) -> StepResult {
    for depth in 1..=4 {
        search(checker, 0, false, &format!("depth {depth}"), SEARCH_TIMEOUT)?;
    }
    Ok(())
}

/// The game ends before the depth is reached.
fn depth_near_the_end(checker: &mut Checker<'_>) -> StepResult {
    let sample = checker.sample()?;
    let last = sample.moves.len();
    for back in [1, 2, 3] {
        if let Some(plies) = last.checked_sub(back) {
            search(checker, plies, false, "depth 6", SEARCH_TIMEOUT)?;
        }
    }
    Ok(())
}

/// A finished game has no move.
fn end_of_game(checker: &mut Checker<'_>) -> StepResult {
    let sample = checker.sample()?;
    if sample.result.is_none() {
        return skip("the sample game has no end");
    }
    let answer = search(
        checker,
        sample.moves.len(),
        false,
        "depth 2",
        SEARCH_TIMEOUT,
    )?;
    match answer.mv.as_str() {
        "(none)" | "0000" | "none" | "NULL" => wait_ready(checker),
        mv => fail(format!(
            "the game is over, and the answer is {mv:?}: expected (none) or 0000"
        )),
    }
}

fn nodes(checker: &mut Checker<'_>) -> StepResult {
    let timeout = NODES_TIMEOUT + checker.plan.margin;
    for nodes in [1, 500] {
        search(checker, 0, false, &format!("nodes {nodes}"), timeout)?;
    }
    Ok(())
}

/// Fails if an answer came too late.
fn check_time(checker: &Checker<'_>, answer: &Answer, time_ms: u64) -> StepResult {
    let latest = Duration::from_millis(time_ms) + checker.plan.margin;
    if answer.time > latest {
        return fail(format!(
            "answered after {} ms: expected at most {} ms, and {} ms of margin (--margin)",
            answer.time.as_millis(),
            time_ms,
            checker.plan.margin.as_millis()
        ));
    }
    Ok(())
}

fn move_time(checker: &mut Checker<'_>) -> StepResult {
    for time in [20, 200] {
        let answer = search(
            checker,
            0,
            false,
            &format!("movetime {time}"),
            SEARCH_TIMEOUT,
        )?;
        check_time(checker, &answer, time)?;
    }
    Ok(())
}

fn clock_limits(checker: &Checker<'_>, milliseconds: u64) -> String {
    let [first, second] = match is_ugi(checker) {
        true => ["p1", "p2"],
        false => ["w", "b"],
    };
    format!("{first}time {milliseconds} {second}time {milliseconds} {first}inc 0 {second}inc 0")
}

fn clock(checker: &mut Checker<'_>) -> StepResult {
    for time in [100, 1_000] {
        let limits = clock_limits(checker, time);
        let answer = search(checker, 0, false, &limits, SEARCH_TIMEOUT)?;
        check_time(checker, &answer, time)?;
    }
    Ok(())
}

/// Fails if something was answered.
fn expect_silence(checker: &mut Checker<'_>, plies: usize, when: &str) -> StepResult {
    let lines = checker.session.listen(SILENCE)?;
    for line in &lines {
        note_line(checker, plies, line);
    }
    match lines.iter().any(|line| is_answer(line)) {
        true => fail(format!("a bestmove {when}")),
        false => Ok(()),
    }
}

fn stop(checker: &mut Checker<'_>) -> StepResult {
    for plies in [0, 1] {
        set_position(checker, plies, false);
        checker.session.send("go infinite");
        expect_silence(checker, plies, "before stop")?;
        checker.session.send("stop");
        let answer = await_answer(checker, plies, SEARCH_TIMEOUT)?;
        check_time(checker, &answer, 0)?;
    }
    expect_silence(checker, 0, "after the answer")
}

fn stop_without_search(checker: &mut Checker<'_>) -> StepResult {
    checker.session.send("stop");
    expect_silence(checker, 0, "though nothing was asked")?;
    wait_ready(checker)
}

fn ready_while_searching(checker: &mut Checker<'_>) -> StepResult {
    set_position(checker, 0, false);
    checker.session.send("go infinite");
    checker.session.send("isready");
    let lines = checker
        .session
        .read_until("readyok", READY_TIMEOUT, |line| line.trim() == "readyok")?;
    if lines.iter().any(|line| is_answer(line)) {
        return fail("isready ended the search");
    }
    checker.session.send("stop");
    await_answer(checker, 0, SEARCH_TIMEOUT)?;
    Ok(())
}

fn ponder(checker: &mut Checker<'_>) -> StepResult {
    let ponders = (checker.options.iter()).any(|option| option.name.eq_ignore_ascii_case("ponder"));
    if is_ugi(checker) || !ponders {
        return skip("there is no option Ponder");
    }
    checker.session.send("setoption name Ponder value true");
    let limits = clock_limits(checker, 2_000);
    for end in ["ponderhit", "stop"] {
        set_position(checker, 1, false);
        checker.session.send(&format!("go ponder {limits}"));
        expect_silence(checker, 1, "while it ponders")?;
        checker.session.send(end);
        let answer = await_answer(checker, 1, SEARCH_TIMEOUT)?;
        check_time(checker, &answer, if end == "stop" { 0 } else { 2_000 })?;
    }
    checker.session.send("setoption name Ponder value false");
    wait_ready(checker)
}

/// Input that means nothing leaves the engine well.
fn illegal_input(checker: &mut Checker<'_>) -> StepResult {
    for line in [
        "",
        "   ",
        "no such command",
        "position fen this is no position",
        "position startpos moves zz99",
        "position",
        "setoption name",
        "ponderhit",
    ] {
        checker.session.send(line);
    }
    wait_ready(checker)?;
    search(checker, 0, false, "depth 1", SEARCH_TIMEOUT)?;
    // Searches of positions that were refused may be answered as the engine likes, or not at all.
    Ok(())
}

fn robustness(checker: &mut Checker<'_>) -> StepResult {
    checker.session.send(&"x".repeat(100_000));
    checker
        .session
        .send(&format!("position startpos{}", " ".repeat(10_000)));
    for _ in 0..200 {
        checker.session.send("isready");
    }
    for _ in 0..200 {
        checker
            .session
            .read_until("readyok", READY_TIMEOUT, |line| line.trim() == "readyok")?;
    }
    search(checker, 0, false, "depth 1", SEARCH_TIMEOUT)?;
    Ok(())
}

fn repeated_games(checker: &mut Checker<'_>) -> StepResult {
    let new_game = if is_ugi(checker) {
        "uginewgame"
    } else {
        "ucinewgame"
    };
    for plies in [0, 1, 0] {
        checker.session.send(new_game);
        wait_ready(checker)?;
        search(checker, plies, false, "depth 2", SEARCH_TIMEOUT)?;
    }
    Ok(())
}

fn ask(checker: &mut Checker<'_>, question: &str, expected: &str) -> StepResult {
    checker.session.send(&format!("query {question}"));
    let lines = checker
        .session
        .read_until("response", READY_TIMEOUT, |line| {
            line.starts_with("response")
        })?;
    let answer = lines
        .last()
        .and_then(|line| line.strip_prefix("response "))
        .unwrap_or_default()
        .trim();
    match answer == expected {
        true => Ok(()),
        false => fail(format!(
            "query {question} is answered {answer:?}: expected {expected:?}"
        )),
    }
}

fn queries(checker: &mut Checker<'_>) -> StepResult {
    if !is_ugi(checker) {
        return skip("queries are UGI's");
    }
    let sample = checker.sample()?;
    for plies in sample_plies(&sample) {
        set_position(checker, plies, false);
        let is_first = sample.first_to_move.get(plies).copied().unwrap_or(true);
        ask(checker, "p1turn", if is_first { "true" } else { "false" })?;
        ask(checker, "gameover", "false")?;
        ask(checker, "result", "none")?;
    }
    let Some(result) = sample.result else {
        return Ok(());
    };
    set_position(checker, sample.moves.len(), false);
    ask(checker, "gameover", "true")?;
    ask(checker, "result", result)
}

/// What the searches so far have shown.
fn output_grammar(checker: &mut Checker<'_>) -> StepResult {
    match checker.grammar_problem.take() {
        Some(problem) => fail(problem),
        None => Ok(()),
    }
}

fn legality_of_lines(checker: &mut Checker<'_>) -> StepResult {
    match (checker.pv_problem.take(), checker.checked_lines) {
        (Some(problem), _) => fail(problem),
        (None, 0) => skip("no line of play was told whose legality is known"),
        (None, _) => Ok(()),
    }
}

/// Ends the engine, which must not need a signal.
pub(super) fn check_exit(checker: &mut Checker<'_>, command: &str) -> StepResult {
    let exit = checker.session.end(command, QUIT_TIMEOUT)?;
    match exit.text.contains("ended by") {
        true => fail(format!(
            "it did not end within {} ms and was killed",
            QUIT_TIMEOUT.as_millis()
        )),
        false if exit.text.contains("exit status: 0") => Ok(()),
        false => fail(format!(
            "it ended with {}: expected exit status 0",
            exit.text
        )),
    }
}

fn quit(checker: &mut Checker<'_>) -> StepResult {
    check_exit(checker, "quit")
}

fn quit_while_searching(checker: &mut Checker<'_>) -> StepResult {
    set_position(checker, 0, false);
    checker.session.send("go infinite");
    checker.session.listen(Duration::from_millis(50))?;
    check_exit(checker, "quit")
}

fn end_of_input(checker: &mut Checker<'_>) -> StepResult {
    check_exit(checker, "")
}
