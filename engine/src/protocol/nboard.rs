//! NBoard, the protocol of the othello program of that name.

use std::time::Duration;

use super::{
    server::{Flow, LineTiming, ProtocolHandler},
    server_core::ServerCore,
    task::GoRequest,
};
use crate::{
    games::{
        Game as _, Player,
        notation::{self, escape_invisible},
        othello::ggf::GgfRecord,
    },
    session::{MoveInfo, SearchInfo, SearchResult, Solution},
};

/// NBoard.
pub(super) struct NBoard {
    depth: u32,
    task: Option<NBoardTask>,
    /// Start of the client's game; `startpos` or a position.
    start: String,
    /// Moves of the client's game.
    moves: Vec<String>,
}

impl Default for NBoard {
    fn default() -> Self {
        Self {
            depth: 0,
            task: None,
            start: "startpos".to_owned(),
            moves: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NBoardTask {
    /// A move for `go`.
    Go,
    /// The best moves, this many, for `hint`.
    Hint(usize),
    /// The value of every position of the game, last first; the search is at the position after this many moves.
    Analyze(usize),
}

/// A command: its name, when it runs while a task runs, and what it does.
struct NBoardCommand {
    name: &'static str,
    timing: LineTiming,
    run: fn(&mut NBoard, &mut ServerCore, &str),
}

const fn command(
    name: &'static str,
    timing: LineTiming,
    run: fn(&mut NBoard, &mut ServerCore, &str),
) -> NBoardCommand {
    NBoardCommand { name, timing, run }
}

/// The commands. Those that change the position or ask for something else stop a running search first.
const COMMANDS: &[NBoardCommand] = &[
    command("nboard", LineTiming::StopFirst, |_, core, _| {
        core.send_line("set myname Canopy");
    }),
    command("set", LineTiming::StopFirst, NBoard::set),
    command("move", LineTiming::StopFirst, NBoard::play),
    command("go", LineTiming::StopFirst, |nboard, core, _| {
        nboard.start(core, NBoardTask::Go);
    }),
    command("hint", LineTiming::StopFirst, |nboard, core, rest| {
        nboard.start(core, NBoardTask::Hint(rest.parse().unwrap_or(1).max(1)));
    }),
    command("analyze", LineTiming::StopFirst, |nboard, core, _| {
        nboard.start(core, NBoardTask::Analyze(nboard.moves.len()));
    }),
    command("ping", LineTiming::StopFirst, |_, core, rest| {
        core.send_line(format!("pong {rest}"));
    }),
    command("learn", LineTiming::StopFirst, |_, core, _| {
        core.send_line("learned");
    }),
    // The server quits when the command has run.
    command(QUIT, LineTiming::Now, |_, _, _| {}),
];

const QUIT: &str = "quit";

fn find_command(name: &str) -> Option<&'static NBoardCommand> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// Status while the last `set game` was refused.
const NO_POSITION: &str = "there is no position: the last game was refused";

/// Playouts for one step of `set depth`, in searches with playouts.
const PLAYOUTS_PER_DEPTH: u64 = 1000;

impl NBoard {
    /// Whether a client whose first line is `line` speaks NBoard.
    pub(super) fn recognises(line: &str) -> bool {
        line.split_whitespace().next() == Some("nboard")
    }

    fn set(&mut self, core: &mut ServerCore, rest: &str) {
        let (what, value) = rest.split_once(' ').unwrap_or((rest, ""));
        match what {
            "depth" => match value.trim().parse() {
                Ok(depth) => self.depth = depth,
                Err(_) => send_status(core, "set depth wants a whole number"),
            },
            "game" => {
                if let Err(problem) = self.set_game(core, value) {
                    send_status(core, &problem);
                }
            }
            // `set contempt`: draws are always worth half a win.
            _ => {}
        }
    }

    fn play(&mut self, core: &mut ServerCore, rest: &str) {
        // Evaluation and time after the move are the client's and not needed.
        let mv = rest.split('/').next().unwrap_or("").trim();
        if !core.has_valid_position {
            send_status(core, NO_POSITION);
        } else if let Err(error) = core.session.play(mv) {
            send_status(core, &error.to_string());
        } else {
            self.moves.push(mv.to_owned());
        }
    }

    /// Sets the final position of a game in GGF.
    fn set_game(&mut self, core: &mut ServerCore, text: &str) -> Result<(), String> {
        let record = GgfRecord::parse(text).map_err(|error| {
            core.has_valid_position = false;
            error.to_string()
        })?;
        let mut position = record.start;
        self.moves.clear();
        for &mv in &record.moves {
            self.moves.push(notation::move_text(&position, mv));
            position.play(mv);
        }
        self.start = notation::position_text(&record.start);
        core.set_position(&self.start, &self.moves.join(" "))
    }

    /// Sets the position after `plies` moves of the client's game.
    fn rewind(&self, core: &mut ServerCore, plies: usize) -> Result<(), String> {
        let moves = self.moves.get(..plies).unwrap_or(&self.moves);
        core.set_position(&self.start, &moves.join(" "))
    }

    /// Sends the values of positions `plies` down to 0. The first that needs a search starts it; the rest follows in `on_done`.
    fn analyze(&mut self, core: &mut ServerCore, plies: usize) {
        for plies in (0..=plies).rev() {
            if let Err(problem) = self.rewind(core, plies) {
                send_status(core, &problem);
                break;
            }
            match core.session.outcome() {
                Some(_) => send_analysis(core, plies, final_discs(core)),
                None if self.search(core, NBoardTask::Analyze(plies)) => return,
                None => break,
            }
        }
        self.end_analysis(core);
    }

    fn end_analysis(&self, core: &mut ServerCore) {
        if let Err(problem) = self.rewind(core, self.moves.len()) {
            send_status(core, &problem);
        }
        send_status(core, "Done");
    }

    fn start(&mut self, core: &mut ServerCore, task: NBoardTask) {
        if !core.has_valid_position {
            return send_status(core, NO_POSITION);
        }
        if let NBoardTask::Analyze(plies) = task {
            send_status(core, "Thinking");
            self.analyze(core, plies);
        } else if self.search(core, task) {
            send_status(core, "Thinking");
        }
    }

    /// Starts a search; false if it was refused.
    fn search(&mut self, core: &mut ServerCore, task: NBoardTask) -> bool {
        let mut go = GoRequest {
            info_interval: Some(Duration::from_millis(200)),
            is_for_play: !matches!(task, NBoardTask::Hint(_)),
            ..GoRequest::default()
        };
        if self.depth > 0 {
            if core.session.has_playouts() {
                go.limits.iterations = Some(u64::from(self.depth) * PLAYOUTS_PER_DEPTH);
            } else {
                go.limits.depth = Some(self.depth);
            }
        }
        if let NBoardTask::Hint(count) = task {
            go.multi_pv = count;
        }
        match core.start(&go) {
            Ok(remarks) => {
                self.task = Some(task);
                for text in remarks {
                    send_status(core, &text);
                }
                true
            }
            Err(error) => {
                send_status(core, &error.to_string());
                false
            }
        }
    }

    fn send_search_info(core: &mut ServerCore, info: &SearchInfo, count: usize) {
        for line in info.root_moves.iter().take(count) {
            let moves: String = line.pv.iter().map(|mv| format_move(mv)).collect();
            let depth = match (line.proven.is_some(), line.ends_game) {
                (true, true) => "100%".to_owned(),
                (true, false) => "100%W".to_owned(),
                _ => info.depth.to_string(),
            };
            core.send_line(format!(
                "search {moves} {:.2} 0 {depth}",
                disc_difference(line)
            ));
        }
        let seconds = info.time.as_secs_f64();
        core.send_line(format!("nodestats {} {seconds:.3}", info.nodes));
    }
}

/// A move in NBoard's notation.
fn format_move(mv: &str) -> String {
    if mv == "pass" {
        "PA".to_owned()
    } else {
        mv.to_ascii_uppercase()
    }
}

/// A win rate as a disc difference, from -64 to 64.
fn disc_difference(line: &MoveInfo) -> f64 {
    64.0 * (2.0 * line.value - 1.0)
}

/// Disc difference of a finished game for the player to move.
fn final_discs(core: &ServerCore) -> f64 {
    let [first, second] = core.session.score().unwrap_or_default().map(f64::from);
    match core.session.to_move() {
        Player::First => first - second,
        Player::Second => second - first,
    }
}

fn send_analysis(core: &mut ServerCore, plies: usize, value: f64) {
    core.send_line(format!("analysis {plies} {value:.2}"));
}

fn send_status(core: &mut ServerCore, text: &str) {
    let text = text.replace('\n', " ");
    core.send_line(format!("status {}", escape_invisible(&text)));
}

impl ProtocolHandler for NBoard {
    fn line_timing(&self, _: &ServerCore, line: &str, queued: bool) -> LineTiming {
        let word = line.split_whitespace().next().unwrap_or_default();
        match find_command(word) {
            Some(command) if command.name == QUIT => LineTiming::Now,
            _ if queued => LineTiming::Later,
            Some(command) => command.timing,
            None => LineTiming::Now,
        }
    }

    fn on_line(&mut self, core: &mut ServerCore, line: &str) -> Flow {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if let Some(command) = find_command(word) {
            (command.run)(self, core, rest.trim());
        }
        match word {
            QUIT => Flow::Quit,
            _ => Flow::Continue,
        }
    }

    fn on_info(&mut self, core: &mut ServerCore, info: &SearchInfo) {
        match self.task {
            Some(NBoardTask::Hint(count)) if !core.is_stopping() => {
                Self::send_search_info(core, info, count)
            }
            Some(NBoardTask::Go) if !core.is_stopping() => Self::send_search_info(core, info, 1),
            _ => {}
        }
    }

    fn on_text(&mut self, _: &mut ServerCore, _: &str) {}

    /// The dialect has no question to solvers.
    fn on_solution(&mut self, _: &mut ServerCore, _: &Solution) {}

    fn on_done(&mut self, core: &mut ServerCore, result: Option<SearchResult>) {
        let Some(task) = self.task.take() else {
            return;
        };
        // A stopped search belongs to a position the client has left.
        let Some(result) = result.filter(|_| !core.was_stopped()) else {
            if let NBoardTask::Analyze(_) = task {
                let _ = self.rewind(core, self.moves.len());
            }
            return;
        };
        if let Some(failure) = &result.failure {
            send_status(core, failure);
        }
        match task {
            NBoardTask::Hint(count) => Self::send_search_info(core, &result.info, count),
            NBoardTask::Analyze(plies) => {
                let value = result.info.root_moves.first().map_or(0.0, disc_difference);
                send_analysis(core, plies, value);
                return match plies.checked_sub(1) {
                    Some(plies) => self.analyze(core, plies),
                    None => self.end_analysis(core),
                };
            }
            NBoardTask::Go => {
                Self::send_search_info(core, &result.info, 1);
                let value = result.info.root_moves.first().map_or(0.0, disc_difference);
                let seconds = result.info.time.as_secs_f64();
                core.send_line(format!(
                    "=== {}/{value:.2}/{seconds:.3}",
                    format_move(&result.best_move)
                ));
            }
        }
        send_status(core, "Done");
    }

    fn on_warning(&mut self, core: &mut ServerCore, text: &str) {
        send_status(core, text);
    }

    fn on_long_line(&mut self, core: &mut ServerCore, text: &str) {
        core.has_valid_position = false;
        send_status(core, text);
    }
}
