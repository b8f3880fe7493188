//! GTP, as one who asks.

use std::time::{Duration, Instant};

use super::{Answer, Beginning, Fault, Game, Line, Names, Phase, Thought};
use crate::{
    arena::{
        engines::Engine,
        go::{Clocks, Go},
        process::Process,
    },
    games::Player,
};

/// What is known of the other side.
#[derive(Debug)]
pub(super) struct Talk {
    commands: Names,
    colours: [&'static str; 2],
    /// Commands whose answers have not been heard yet.
    open: Vec<String>,
    /// Whether the next move is the one the engine has just made itself, of which it need not be told.
    is_own: bool,
}

impl Talk {
    pub(super) fn new(game: &Game) -> Self {
        Self {
            commands: Names::new(),
            colours: game.colours,
            open: Vec::new(),
            is_own: false,
        }
    }

    pub(super) fn introduce(
        &mut self,
        line: &mut Line,
        engine: &Engine,
        game: &Game,
    ) -> Result<(), Fault> {
        let deadline = Instant::now() + line.patience.start;
        self.say(&mut line.process, "list_commands");
        let known = self.settle(line, Phase::Start, deadline)?;
        self.commands = known.split_whitespace().map(str::to_owned).collect();
        if self.has("set_game") {
            let mut letters = game.name.chars();
            let capital = letters.next().map(|letter| letter.to_ascii_uppercase());
            let name: String = capital.into_iter().chain(letters).collect();
            self.say(&mut line.process, &format!("set_game {name}"));
        }
        if game.base == "othello" {
            self.say(&mut line.process, "boardsize 8");
        }
        for (name, value) in &engine.options {
            self.set(&mut line.process, name, value)?;
        }
        self.ready(line)
    }

    fn has(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    fn set(&mut self, process: &mut Process, name: &str, value: &str) -> Result<(), Fault> {
        let command = ["set_option", "kata-set-param"]
            .into_iter()
            .find(|command| self.has(command));
        let Some(command) = command else {
            return Err(Fault::Unable(format!(
                "cannot be told {name}={value} over GTP: it has neither set_option nor kata-set-param"
            )));
        };
        self.say(process, &format!("{command} {name} {value}"));
        Ok(())
    }

    fn say(&mut self, process: &mut Process, command: &str) {
        process.send(&format!("{command}\n"));
        self.open.push(command.to_owned());
    }

    /// Hears every answer that is due; the last one.
    fn settle(
        &mut self,
        line: &mut Line,
        phase: Phase,
        deadline: Instant,
    ) -> Result<String, Fault> {
        let mut last = String::new();
        while !self.open.is_empty() {
            let answer = hear_answer(line, phase, deadline)?;
            let command = self.open.remove(0);
            last = answer.map_err(|answer| Fault::Refused { command, answer })?;
        }
        Ok(last)
    }

    pub(super) fn ready(&mut self, line: &mut Line) -> Result<(), Fault> {
        let deadline = Instant::now() + line.patience.ready;
        self.settle(line, Phase::Ready, deadline).map(drop)
    }

    pub(super) fn begin(&mut self, line: &mut Line, beginning: &Beginning) -> Result<(), Fault> {
        self.is_own = false;
        if self.has("set_option") {
            let ours = [
                ("Seed", Some(beginning.seed.to_string())),
                ("TreeDir", beginning.trees.clone()),
                ("Nodes", beginning.go.nodes.map(|nodes| nodes.to_string())),
                ("Depth", beginning.go.depth.map(|depth| depth.to_string())),
            ];
            for (name, value) in ours {
                if let Some(value) = value {
                    self.set(&mut line.process, name, &value)?;
                }
            }
        } else if beginning.go.nodes.is_some() || beginning.go.depth.is_some() {
            return Err(Fault::Unable(
                "cannot be told nodes or depth over GTP: expected a time".to_owned(),
            ));
        }
        self.say(&mut line.process, "clear_board");
        if let Some(position) = &beginning.position {
            if !self.has("set_position") {
                return Err(Fault::Unable(
                    "cannot be told a position over GTP: it has no set_position".to_owned(),
                ));
            }
            self.say(&mut line.process, &format!("set_position {position}"));
        }
        if let Some(time) = beginning.go.movetime {
            // So long for each move, again and again.
            let command = match time.as_secs() {
                _ if self.has("set_option") => format!("set_option MoveTime {}", time.as_millis()),
                0 => {
                    let problem = "cannot be told less than a second a move over GTP";
                    return Err(Fault::Unable(problem.to_owned()));
                }
                seconds => format!("time_settings 0 {seconds} 1"),
            };
            self.say(&mut line.process, &command);
        }
        if let Some(clock) = beginning.go.clock {
            if !self.has("time_settings") {
                let problem = "cannot be told of a clock over GTP: it has no time_settings";
                return Err(Fault::Unable(problem.to_owned()));
            }
            let (main, more) = (clock.base.as_secs_f64(), clock.increment.as_secs_f64());
            let command = match clock.moves {
                None => format!("time_settings {} 0 0", (main + more).ceil()),
                Some(moves) => format!("time_settings 0 {} {moves}", main.ceil()),
            };
            self.say(&mut line.process, &command);
        }
        self.ready(line)
    }

    pub(super) fn played(&mut self, process: &mut Process, player: Player, text: &str) {
        if !std::mem::take(&mut self.is_own) {
            let colour = self.colour(player);
            self.say(process, &format!("play {colour} {text}"));
        }
    }

    pub(super) fn choose(
        &mut self,
        line: &mut Line,
        player: Player,
        go: &Go,
        clocks: &Clocks,
    ) -> Result<Answer, Fault> {
        let colour = self.colour(player);
        self.ready(line)?;
        if let Some(left) = clocks.left(player)
            && self.has("time_left")
        {
            let stones = clocks.moves_to_go(player).unwrap_or(0);
            let seconds = left.as_secs_f64();
            self.say(
                &mut line.process,
                &format!("time_left {colour} {seconds:.2} {stones}"),
            );
            self.ready(line)?;
        }
        let (time, is_agreed) = line.time_for(player, go, clocks);
        let asked = Instant::now();
        self.say(&mut line.process, &format!("genmove {colour}"));
        // GTP has no way to stop a search; who is late is waited for a little longer, to tell it from one that hangs.
        let grace = if is_agreed {
            line.patience.stop
        } else {
            Duration::ZERO
        };
        let text = self.settle(line, Phase::Move, asked + time + grace)?;
        let taken = asked.elapsed();
        self.is_own = true;
        Ok(Answer {
            text: text.trim().to_owned(),
            thought: Thought::default(),
            time: taken,
            is_late: is_agreed && taken > time,
        })
    }

    fn colour(&self, player: Player) -> &'static str {
        let [first, second] = self.colours;
        match player {
            Player::First => first,
            Player::Second => second,
        }
    }
}

/// The text of the next answer; what was said instead if it is a refusal.
fn hear_answer(
    line: &mut Line,
    phase: Phase,
    deadline: Instant,
) -> Result<Result<String, String>, Fault> {
    let (is_accepted, mut text) = loop {
        let said = line.hear(phase, deadline)?;
        let (is_accepted, rest) = match (said.strip_prefix('='), said.strip_prefix('?')) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            // What stands between answers is none.
            _ => continue,
        };
        let rest = rest.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
        break (is_accepted, rest.trim().to_owned());
    };
    loop {
        let said = line.hear(phase, deadline)?;
        if said.trim().is_empty() {
            return Ok(if is_accepted { Ok(text) } else { Err(text) });
        }
        // An answer of megabytes is not read to its end.
        if text.len() < 1 << 20 {
            text.push('\n');
            text.push_str(&said);
        }
    }
}
