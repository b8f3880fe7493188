//! NBoard, the protocol of othello programs.

use std::time::Duration;

use super::{
    core::{Core, Wish},
    server::{Dialect, During, Flow},
};
use crate::{
    games::{
        Game as _, Player,
        notation::{self, visible},
        othello::ggf::Record,
    },
    session::{Answer, Line, Thought},
};

/// NBoard.
pub(super) struct NBoard {
    depth: u32,
    task: Option<Task>,
    /// The game as the client told it: where it began, and its moves.
    start: String,
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
enum Task {
    /// A move is wanted.
    Go,
    /// So many of the best moves are wanted.
    Hint(usize),
    /// The value of every position of the game is wanted, from the last to the first; this one is after so many moves.
    Analyze(usize),
}

/// Said when the last game that was set could not be read.
const NO_POSITION: &str = "there is no position: the last game was refused";

/// A depth of one is so many playouts, for searches with playouts.
const PLAYOUTS: u64 = 1000;

impl NBoard {
    fn set(&mut self, core: &mut Core, rest: &str) {
        let (what, value) = rest.split_once(' ').unwrap_or((rest, ""));
        match what {
            "depth" => match value.trim().parse() {
                Ok(depth) => self.depth = depth,
                Err(_) => status(core, "set depth wants a whole number"),
            },
            "game" => {
                if let Err(problem) = self.set_game(core, value) {
                    status(core, &problem);
                }
            }
            // Draws are worth half a win here.
            _ => {}
        }
    }

    fn play(&mut self, core: &mut Core, rest: &str) {
        // The evaluation and the time after the move are the client's own.
        let mv = rest.split('/').next().unwrap_or("").trim();
        if !core.valid {
            status(core, NO_POSITION);
        } else if let Err(error) = core.session.play(mv) {
            status(core, &error.to_string());
        } else {
            self.moves.push(mv.to_owned());
        }
    }

    /// Sets the position that a game in GGF comes to.
    fn set_game(&mut self, core: &mut Core, text: &str) -> Result<(), String> {
        let record = Record::parse(text).map_err(|error| {
            core.valid = false;
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

    /// Puts the game back to where it stands after so many moves.
    fn turn_back(&self, core: &mut Core, plies: usize) -> Result<(), String> {
        let moves = self.moves.get(..plies).unwrap_or(&self.moves);
        core.set_position(&self.start, &moves.join(" "))
    }

    /// Tells the values of all positions from the one after so many moves back to the first; at one that needs a search the
    /// rest comes when that is done.
    fn analyze(&mut self, core: &mut Core, plies: usize) {
        for plies in (0..=plies).rev() {
            if let Err(problem) = self.turn_back(core, plies) {
                status(core, &problem);
                break;
            }
            match core.session.outcome() {
                Some(_) => tell_analysis(core, plies, final_discs(core)),
                None if self.search(core, Task::Analyze(plies)) => return,
                None => break,
            }
        }
        self.end_analysis(core);
    }

    fn end_analysis(&self, core: &mut Core) {
        if let Err(problem) = self.turn_back(core, self.moves.len()) {
            status(core, &problem);
        }
        status(core, "Done");
    }

    fn start(&mut self, core: &mut Core, task: Task) {
        if !core.valid {
            return status(core, NO_POSITION);
        }
        if let Task::Analyze(plies) = task {
            status(core, "Thinking");
            self.analyze(core, plies);
        } else if self.search(core, task) {
            status(core, "Thinking");
        }
    }

    /// Starts a search; whether it could be.
    fn search(&mut self, core: &mut Core, task: Task) -> bool {
        let mut wish = Wish::default();
        if self.depth > 0 {
            if core.session.has_playouts() {
                wish.limits.iterations = Some(u64::from(self.depth) * PLAYOUTS);
            } else {
                wish.limits.depth = Some(self.depth);
            }
        }
        let lines = match task {
            Task::Hint(count) => count,
            _ => 1,
        };
        match core.start(&wish, Vec::new(), lines, Some(Duration::from_millis(200))) {
            Ok(remarks) => {
                self.task = Some(task);
                for text in remarks {
                    status(core, &text);
                }
                true
            }
            Err(error) => {
                status(core, &error.to_string());
                false
            }
        }
    }

    fn tell(core: &mut Core, thought: &Thought, count: usize) {
        for line in thought.lines.iter().take(count) {
            let moves: String = line.moves.iter().map(|mv| written(mv)).collect();
            let depth = match (line.certain.is_some(), line.ends) {
                (true, true) => "100%".to_owned(),
                (true, false) => "100%W".to_owned(),
                _ => thought.depth.to_string(),
            };
            core.say(format!("search {moves} {:.2} 0 {depth}", discs(line)));
        }
        let seconds = thought.time.as_secs_f64();
        core.say(format!("nodestats {} {seconds:.3}", thought.nodes));
    }
}

/// A move as the protocol writes it.
fn written(mv: &str) -> String {
    if mv == "pass" {
        "PA".to_owned()
    } else {
        mv.to_ascii_uppercase()
    }
}

/// A win rate as a number of discs: from 64 down when all are lost up to 64 ahead when all are won.
fn discs(line: &Line) -> f64 {
    64.0 * (2.0 * line.value - 1.0)
}

/// Discs that the player to move is ahead when the game is over.
fn final_discs(core: &Core) -> f64 {
    let [first, second] = core.session.score().unwrap_or_default().map(f64::from);
    match core.session.to_move() {
        Player::First => first - second,
        Player::Second => second - first,
    }
}

fn tell_analysis(core: &mut Core, plies: usize, value: f64) {
    core.say(format!("analysis {plies} {value:.2}"));
}

fn status(core: &mut Core, text: &str) {
    let text = text.replace('\n', " ");
    core.say(format!("status {}", visible(&text)));
}

impl Dialect for NBoard {
    fn during(&self, _: &Core, line: &str, queued: bool) -> During {
        let word = line.split_whitespace().next().unwrap_or("");
        match word {
            "quit" => During::Now,
            _ if queued => During::Later,
            // All of these speak of another position or ask something else.
            "ping" | "set" | "move" | "go" | "hint" | "analyze" | "learn" | "nboard" => {
                During::StopFirst
            }
            _ => During::Now,
        }
    }

    fn line(&mut self, core: &mut Core, line: &str) -> Flow {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "nboard" => core.say("set myname Canopy"),
            "set" => self.set(core, rest),
            "move" => self.play(core, rest),
            "go" => self.start(core, Task::Go),
            "hint" => self.start(core, Task::Hint(rest.parse().unwrap_or(1).max(1))),
            "analyze" => self.start(core, Task::Analyze(self.moves.len())),
            "ping" => core.say(format!("pong {rest}")),
            "learn" => core.say("learned"),
            "quit" => return Flow::Quit,
            _ => {}
        }
        Flow::GoOn
    }

    fn thought(&mut self, core: &mut Core, thought: &Thought) {
        match self.task {
            Some(Task::Hint(count)) if !core.is_stopping() => Self::tell(core, thought, count),
            Some(Task::Go) if !core.is_stopping() => Self::tell(core, thought, 1),
            _ => {}
        }
    }

    fn said(&mut self, _: &mut Core, _: &str) {}

    fn done(&mut self, core: &mut Core, answer: Option<Answer>) {
        let Some(task) = self.task.take() else {
            return;
        };
        // What was cut short is about a position that the client has left.
        let Some(answer) = answer.filter(|_| !core.was_stopped()) else {
            if let Task::Analyze(_) = task {
                let _ = self.turn_back(core, self.moves.len());
            }
            return;
        };
        if let Some(failure) = &answer.failure {
            status(core, failure);
        }
        match task {
            Task::Hint(count) => Self::tell(core, &answer.thought, count),
            Task::Analyze(plies) => {
                let value = answer.thought.lines.first().map_or(0.0, discs);
                tell_analysis(core, plies, value);
                return match plies.checked_sub(1) {
                    Some(plies) => self.analyze(core, plies),
                    None => self.end_analysis(core),
                };
            }
            Task::Go => {
                Self::tell(core, &answer.thought, 1);
                let value = answer.thought.lines.first().map_or(0.0, discs);
                let seconds = answer.thought.time.as_secs_f64();
                core.say(format!(
                    "=== {}/{value:.2}/{seconds:.3}",
                    written(&answer.best)
                ));
            }
        }
        status(core, "Done");
    }

    fn warning(&mut self, core: &mut Core, text: &str) {
        status(core, text);
    }

    fn too_long(&mut self, core: &mut Core, text: &str) {
        core.valid = false;
        status(core, text);
    }
}
