//! UCI, and UGI, which extends UCI to any game.

use std::fmt::Write as _;

use self::{
    commands::{QUIT, find_command},
    go::{ParsedGo, ParsedPerft},
};
use super::{
    options::OptionId,
    score::{self, UciScore},
    server::{Flow, LineTiming, ProtocolHandler},
    server_core::ServerCore,
    task::GoRequest,
};
use crate::{
    games::{
        Outcome, Player,
        notation::{escape_invisible, quote},
    },
    search::SearchLimits,
    session::{MoveInfo, SearchInfo, SearchResult, SessionError, Solution},
};

mod commands;
mod go;
mod solve;

/// Which of the two dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UciFlavour {
    /// The Universal Chess Interface.
    Uci,
    /// The Universal Game Interface.
    Ugi,
}

/// UCI or UGI.
pub(super) struct Uci {
    flavour: UciFlavour,
    /// Kind of the running task.
    task: UciTask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UciTask {
    /// A search that ends in a best move.
    Go,
    /// A perft.
    Perft,
    /// A search that reports its speed.
    Bench,
    /// The exact value of the position.
    Value,
    /// The exact value of every move.
    Values,
}

/// UCI's null move.
const NO_MOVE: &str = "0000";

impl Uci {
    pub(super) fn new(flavour: UciFlavour) -> Self {
        Self {
            flavour,
            task: UciTask::Go,
        }
    }

    /// Whether a client whose first line is `line` speaks this flavour: UGI clients begin with `ugi`, UCI clients with any
    /// other command.
    pub(super) fn recognises(flavour: UciFlavour, line: &str) -> bool {
        // Before a dialect is chosen, `help` is the server's own.
        find_command(&normalise_line(line)).is_some_and(|(command, _)| {
            command.name != "help"
                && (command.flavour == Some(UciFlavour::Ugi)) == (flavour == UciFlavour::Ugi)
        })
    }

    fn new_game(&mut self, core: &mut ServerCore, _: &str) {
        core.session.clear_search();
    }

    fn identify(&mut self, core: &mut ServerCore, _: &str) {
        core.send_line(concat!("id name Canopy ", env!("CARGO_PKG_VERSION")));
        core.send_line("id author the Canopy authors");
        let lines: Vec<String> = (core.options.definitions())
            .filter(|row| self.flavour == UciFlavour::Uci || !row.is_uci_only())
            .map(|row| row.declaration())
            .collect();
        for line in lines {
            core.send_line(line);
        }
        core.send_line(match self.flavour {
            UciFlavour::Uci => "uciok",
            UciFlavour::Ugi => "ugiok",
        });
    }

    fn set_option(core: &mut ServerCore, rest: &str) {
        let Some((name, value)) = split_option(rest) else {
            return send_info_string(
                core,
                "setoption wants name NAME, and value VALUE if there is one",
            );
        };
        match core.set_option_text(&name, &value) {
            Ok(checked) => {
                if let Some(note) = &checked.range_warning {
                    send_info_string(core, &format!("{note}, so it is {}", checked.value));
                }
                checked
                    .warnings
                    .iter()
                    .for_each(|text| send_info_string(core, text));
            }
            Err(problem) => send_info_string(core, &problem),
        }
    }

    fn position(core: &mut ServerCore, rest: &str) {
        let (position, moves) = split_moves(rest);
        let position = match position.split_once(' ') {
            Some(("fen", fen)) => fen.trim(),
            None if position == "startpos" => position,
            _ => {
                core.has_valid_position = false;
                let text = quote(rest);
                return send_info_string(
                    core,
                    &format!(
                        "no position: {text}; expected startpos or fen FEN, then moves if there are any"
                    ),
                );
            }
        };
        if let Err(problem) = core.set_position(position, moves) {
            send_info_string(core, &format!("no position now: {problem}"));
        }
    }

    fn go(&mut self, core: &mut ServerCore, rest: &str) {
        let mut go = ParsedGo::parse(rest, core.session.to_move());
        go.problems
            .iter()
            .for_each(|text| send_info_string(core, text));
        match go.perft {
            ParsedPerft::No => {}
            // The problem was reported, and no move is expected.
            ParsedPerft::Refused => return,
            ParsedPerft::Depth(depth) => return self.perft(core, depth),
        }
        self.task = UciTask::Go;
        let held = go.request.infinite || go.request.ponder;
        if !core.has_valid_position {
            send_info_string(
                core,
                "there is no position to search: the last one was refused",
            );
            return Self::send_or_hold_best_move(core, NO_MOVE, held);
        }
        go.request.multi_pv = core.options.number(OptionId::MultiPv) as usize;
        go.request.is_for_play = true;
        match core.start(&go.request) {
            Ok(remarks) => remarks.iter().for_each(|text| send_info_string(core, text)),
            Err(SessionError::GameOver(reason)) => {
                let mover = core.session.to_move();
                let score = match core.session.outcome() {
                    Some((Outcome::Win(winner), _)) if winner == mover => {
                        format!("cp {}", score::MAX_CENTIPAWNS)
                    }
                    Some((Outcome::Win(_), _)) => "mate 0".to_owned(),
                    _ => "cp 0".to_owned(),
                };
                send_info_string(core, &format!("the game is over ({reason})"));
                core.send_line(format!("info depth 0 score {score}"));
                let none = match self.flavour {
                    UciFlavour::Uci => "(none)",
                    UciFlavour::Ugi => NO_MOVE,
                };
                Self::send_or_hold_best_move(core, none, held);
            }
            // Illegal searchmoves do not prevent a search.
            Err(error) if !go.request.search_moves.is_empty() => {
                send_info_string(core, &format!("searchmoves are ignored: {error}"));
                go.request.search_moves.clear();
                match core.start(&go.request) {
                    Ok(remarks) => remarks.iter().for_each(|text| send_info_string(core, text)),
                    Err(error) => Self::send_any_move(core, &error, held),
                }
            }
            Err(error) => Self::send_any_move(core, &error, held),
        }
    }

    /// Answers with any legal move after a search could not start.
    fn send_any_move(core: &mut ServerCore, error: &SessionError, held: bool) {
        send_info_string(core, &error.to_string());
        let style = core.style;
        let moves = core.session.moves(style);
        let first = moves.first().map_or(NO_MOVE, String::as_str);
        Self::send_or_hold_best_move(core, first, held);
    }

    fn send_or_hold_best_move(core: &mut ServerCore, best: &str, held: bool) {
        if held {
            core.hold_result(SearchResult {
                best_move: best.to_owned(),
                ponder_move: None,
                info: SearchInfo::default(),
                failure: None,
            });
        } else {
            core.send_line(format!("bestmove {best}"));
        }
    }

    fn perft(&mut self, core: &mut ServerCore, depth: u32) {
        self.task = UciTask::Perft;
        if !core.has_valid_position {
            return send_info_string(core, "there is no position: the last one was refused");
        }
        if let Err(error) = core.start_perft(depth) {
            send_info_string(core, &error.to_string());
        }
    }

    /// Measures speed: a search of the start position with a node limit.
    fn bench(&mut self, core: &mut ServerCore, rest: &str) {
        let nodes = rest.split(' ').next().and_then(|word| word.parse().ok());
        let nodes = nodes.unwrap_or(10_000_u64).max(1);
        if let Err(problem) = core.set_position("startpos", "") {
            return send_info_string(core, &problem);
        }
        core.session.clear_search();
        let request = GoRequest {
            limits: SearchLimits {
                nodes: Some(nodes),
                ..SearchLimits::default()
            },
            ..GoRequest::default()
        };
        self.task = UciTask::Bench;
        match core.start(&request) {
            Ok(remarks) => remarks.iter().for_each(|text| send_info_string(core, text)),
            Err(error) => send_info_string(core, &error.to_string()),
        }
    }

    fn query(core: &mut ServerCore, rest: &str) {
        // Without a valid position the game counts as over, without a result.
        let outcome = core.session.outcome().map(|(outcome, _)| outcome);
        let response = match rest.trim() {
            "p1turn" => (core.session.to_move() == Player::First).to_string(),
            "gameover" => (outcome.is_some() || !core.has_valid_position).to_string(),
            "result" => (outcome.filter(|_| core.has_valid_position))
                .map_or("none", Outcome::as_str)
                .to_owned(),
            other => {
                let other = quote(other);
                let text =
                    format!("no query {other}: expected p1turn, gameover, result, value or values");
                return send_info_string(core, &text);
            }
        };
        core.send_line(format!("response {response}"));
    }

    fn send_board(core: &mut ServerCore) {
        let drawing = core.session.drawing();
        core.send_line(drawing.trim_end());
        core.send_line("");
        let game = core.session.game();
        core.send_line(format!("game:     {game}"));
        let position = core.session.position(core.style);
        core.send_line(format!("position: {position}"));
        let to_move = core.player_name(core.session.to_move());
        match core.session.outcome() {
            Some((outcome, reason)) => {
                let result = match outcome {
                    Outcome::Draw => "draw".to_owned(),
                    Outcome::Win(player) => {
                        format!("{} wins", core.player_name(player))
                    }
                };
                core.send_line(format!("result:   {result} ({reason})"));
            }
            None => {
                core.send_line(format!("to move:  {to_move}"));
                let moves = core.session.moves(core.style);
                core.send_line(format!("moves:    {} ({})", moves.join(" "), moves.len()));
            }
        }
        if !core.has_valid_position {
            core.send_line("the last position was refused; this is the one before");
        }
    }

    fn send_evaluations(core: &mut ServerCore) {
        for (name, value) in core.session.evaluations() {
            let text = format!(
                "{name}: {}{}.{:02} for {}",
                if value < 0 { "-" } else { "" },
                value.unsigned_abs() / 100,
                value.unsigned_abs() % 100,
                core.player_name(core.session.to_move())
            );
            core.send_line(text);
        }
    }

    /// Sends `info` lines, one for each principal variation.
    fn send_info(&self, core: &mut ServerCore, info: &SearchInfo) {
        if core.should_report_full_memory(info) {
            send_info_string(
                core,
                "memory is full: the search goes on, but its tree grows no more",
            );
        }
        let count = core.options.number(OptionId::MultiPv).max(1) as usize;
        let shows_wdl = core.options.flag(OptionId::ShowWdl);
        let millis = info.time.as_millis().max(1);
        let rate = u128::from(info.nodes) * 1000 / millis;
        for (index, line) in info.root_moves.iter().take(count).enumerate() {
            let mut text = format!(
                "info depth {} seldepth {} multipv {} score {}",
                info.depth,
                info.sel_depth.max(info.depth),
                index + 1,
                self.score(line)
            );
            if shows_wdl {
                let [wins, draws, losses] = score::win_draw_loss(line);
                let _ = write!(text, " wdl {wins} {draws} {losses}");
            }
            let _ = write!(
                text,
                " nodes {} nps {rate} hashfull {} time {}",
                info.nodes,
                info.hashfull,
                info.time.as_millis()
            );
            if self.flavour == UciFlavour::Ugi && info.leaves > 0 {
                let _ = write!(text, " leaves {}", info.leaves);
            }
            if !line.pv.is_empty() {
                let _ = write!(text, " pv {}", line.pv.join(" "));
            }
            core.send_line(text);
        }
        if core.options.flag(OptionId::VerboseMoveStats) {
            for line in &info.root_moves {
                let certain = match line.proven {
                    None => "",
                    Some(std::cmp::Ordering::Less) => " certain: loss",
                    Some(std::cmp::Ordering::Equal) => " certain: draw",
                    Some(std::cmp::Ordering::Greater) => " certain: win",
                };
                send_info_string(
                    core,
                    &format!(
                        "{} N: {} Q: {:.5}{certain}",
                        line.pv.first().map_or("", String::as_str),
                        line.visits,
                        2.0 * line.value - 1.0
                    ),
                );
            }
        }
    }

    fn score(&self, line: &MoveInfo) -> String {
        match score::score(line) {
            UciScore::Centipawns(score) => format!("cp {score}"),
            UciScore::Mate(plies, wins) => {
                // UCI counts moves of the player to move, UGI plies.
                let count = match self.flavour {
                    UciFlavour::Uci => plies.div_ceil(2),
                    UciFlavour::Ugi => plies,
                };
                format!("mate {}{count}", if wins { "" } else { "-" })
            }
        }
    }
}

impl ProtocolHandler for Uci {
    fn line_timing(&self, core: &ServerCore, line: &str, queued: bool) -> LineTiming {
        if queued {
            return LineTiming::Later;
        }
        let line = normalise_line(line);
        match find_command(&line).map_or(LineTiming::Now, |(command, _)| command.timing) {
            // A held result waits for a line of ours: waiting for it would never end.
            LineTiming::Later if core.is_held() => LineTiming::Now,
            timing => timing,
        }
    }

    fn on_line(&mut self, core: &mut ServerCore, line: &str) -> Flow {
        let line = normalise_line(line);
        // UCI demands that unknown commands are ignored.
        let found = find_command(&line).filter(|(command, _)| command.is_in(self.flavour));
        let Some((command, rest)) = found else {
            return Flow::Continue;
        };
        (command.run)(self, core, rest);
        if command.name == QUIT {
            Flow::Quit
        } else {
            Flow::Continue
        }
    }

    fn on_info(&mut self, core: &mut ServerCore, info: &SearchInfo) {
        if core.should_report(info) && self.task == UciTask::Go {
            self.send_info(core, info);
        }
    }

    fn on_text(&mut self, core: &mut ServerCore, text: &str) {
        core.send_line(text);
    }

    fn on_solution(&mut self, core: &mut ServerCore, solution: &Solution) {
        self.send_solution(core, solution);
    }

    fn on_done(&mut self, core: &mut ServerCore, result: Option<SearchResult>) {
        let Some(result) = result else {
            return;
        };
        if let Some(failure) = &result.failure {
            send_info_string(core, failure);
        }
        let info = &result.info;
        if self.task == UciTask::Bench {
            let millis = info.time.as_millis().max(1);
            core.send_line(format!("Total time (ms) : {millis}"));
            core.send_line(format!("Nodes searched  : {}", info.nodes));
            let rate = u128::from(info.nodes) * 1000 / millis;
            core.send_line(format!("Nodes/second    : {rate}"));
            return;
        }
        if info.root_moves.is_empty() {
            core.send_line("info depth 0 score cp 0");
        } else {
            self.send_info(core, info);
        }
        let mut text = format!("bestmove {}", result.best_move);
        if self.flavour == UciFlavour::Uci
            && let Some(reply) = &result.ponder_move
        {
            let _ = write!(text, " ponder {reply}");
        }
        core.send_line(text);
    }

    fn on_warning(&mut self, core: &mut ServerCore, text: &str) {
        send_info_string(core, text);
    }

    fn on_long_line(&mut self, core: &mut ServerCore, text: &str) {
        core.has_valid_position = false;
        send_info_string(core, text);
    }
}

/// Sends text for people, which clients ignore.
fn send_info_string(core: &mut ServerCore, text: &str) {
    for line in text.lines() {
        core.send_line(format!("info string {}", escape_invisible(line)));
    }
}

/// The line with single blanks between its words.
fn normalise_line(line: &str) -> std::borrow::Cow<'_, str> {
    let trimmed = line.trim();
    let is_tidy = !trimmed.contains("  ")
        && !trimmed.contains(|symbol: char| symbol.is_whitespace() && symbol != ' ');
    if is_tidy {
        return trimmed.into();
    }
    let words: Vec<&str> = trimmed.split_whitespace().collect();
    words.join(" ").into()
}

/// Splits `position` arguments at `moves`.
fn split_moves(rest: &str) -> (&str, &str) {
    if let Some((position, moves)) = rest.split_once(" moves ") {
        return (position, moves);
    }
    match rest.strip_suffix(" moves") {
        Some(position) => (position, ""),
        None => (rest, ""),
    }
}

/// Name and value of `name NAME value VALUE`.
fn split_option(rest: &str) -> Option<(String, String)> {
    let words: Vec<&str> = rest.split(' ').collect();
    let is = |word: &str, what: &str| word.eq_ignore_ascii_case(what);
    let (first, words) = words.split_first()?;
    if !is(first, "name") {
        return None;
    }
    let mut parts = words.splitn(2, |word| is(word, "value"));
    let mut next_part = || parts.next().unwrap_or_default().join(" ");
    let (name, value) = (next_part(), next_part());
    (!name.is_empty()).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_blanks_in_names_and_values() {
        let split = |text| split_option(text);
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(split("name Clear Hash"), pair("Clear Hash", ""));
        assert_eq!(split("name TreeDir value a b"), pair("TreeDir", "a b"));
        assert_eq!(split("NAME x VALUE y"), pair("x", "y"));
        assert_eq!(split("Hash 5"), None);
        assert_eq!(split(""), None);
    }

    #[test]
    fn moves_may_be_missing_or_empty() {
        assert_eq!(split_moves("startpos moves 1 2"), ("startpos", "1 2"));
        assert_eq!(split_moves("startpos moves"), ("startpos", ""));
        assert_eq!(split_moves("startpos"), ("startpos", ""));
        assert_eq!(normalise_line("  go \t nodes  5\r"), "go nodes 5");
    }
}
