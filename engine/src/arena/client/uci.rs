//! UCI and UGI, as one who asks.

use std::{fmt::Write as _, time::Instant};

use super::{Answer, Beginning, Fault, Game, Line, Names, Phase, Thought, WIN};
use crate::{
    arena::{
        engines::Engine,
        go::{Clocks, Go},
    },
    games::{Player, notation::Style},
};

/// What is known of the other side.
#[derive(Debug)]
pub(super) struct Talk {
    is_ugi: bool,
    options: Names,
    pub(super) style: Style,
    /// The command that sets the position, moves and all.
    position: String,
    has_moves: bool,
}

impl Talk {
    pub(super) fn new(is_ugi: bool) -> Self {
        Self {
            is_ugi,
            options: Names::new(),
            style: Style::Own,
            position: String::new(),
            has_moves: false,
        }
    }

    pub(super) fn introduce(
        &mut self,
        line: &mut Line,
        engine: &Engine,
        game: &Game,
    ) -> Result<(), Fault> {
        let (hello, done) = if self.is_ugi {
            ("ugi\n", "ugiok")
        } else {
            ("uci\n", "uciok")
        };
        line.process.send(hello);
        let deadline = Instant::now() + line.patience.start;
        loop {
            let said = line.hear(Phase::Start, deadline)?;
            if said.trim() == done {
                break;
            }
            if let Some(name) = option_name(&said) {
                self.options.insert(name);
            }
        }
        self.choose_game(line, game)?;
        for (name, value) in &engine.options {
            self.set(line, name, value)?;
        }
        self.ready(line)
    }

    /// Has the engine play the right game, if it knows more than one.
    fn choose_game(&mut self, line: &mut Line, game: &Game) -> Result<(), Fault> {
        let fairy = match game.base {
            "connect-four" => Some("cfour"),
            "othello" => Some("flipello"),
            _ => None,
        };
        match fairy {
            Some(variant) if !self.is_ugi && self.has("uci_variant") => {
                self.style = Style::Fairy;
                self.set(line, "UCI_Variant", variant)
            }
            _ if self.has("game") => self.set(line, "Game", &game.name),
            _ if self.is_ugi || game.name == "chess" => Ok(()),
            _ if game.name == "chess:960" => self.set(line, "UCI_Chess960", "true"),
            _ => Err(Fault::Unable(format!(
                "does not play {} over UCI: it has neither a UCI_Variant for it nor a Game option",
                game.name
            ))),
        }
    }

    fn has(&self, option: &str) -> bool {
        self.options.contains(option)
    }

    fn set(&self, line: &mut Line, name: &str, value: &str) -> Result<(), Fault> {
        if !self.has(&name.to_lowercase()) {
            let known: Vec<&str> = self.options.iter().map(String::as_str).collect();
            return Err(Fault::Unable(format!(
                "has no option {name:?}; it has {}",
                if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                }
            )));
        }
        let command = if value.is_empty() {
            format!("setoption name {name}\n")
        } else {
            format!("setoption name {name} value {value}\n")
        };
        line.process.send(&command);
        Ok(())
    }

    fn ready(&self, line: &mut Line) -> Result<(), Fault> {
        line.process.send("isready\n");
        let deadline = Instant::now() + line.patience.ready;
        loop {
            let said = line.hear(Phase::Ready, deadline)?;
            if said.trim() == "readyok" {
                return Ok(());
            }
            line.note(&said);
        }
    }

    pub(super) fn begin(&mut self, line: &mut Line, beginning: &Beginning) -> Result<(), Fault> {
        if self.has("seed") {
            self.set(line, "Seed", &beginning.seed.to_string())?;
        }
        if let Some(trees) = beginning.trees.as_ref().filter(|_| self.has("treedir")) {
            self.set(line, "TreeDir", trees)?;
        }
        line.process.send(if self.is_ugi {
            "uginewgame\n"
        } else {
            "ucinewgame\n"
        });
        self.position = match &beginning.position {
            None => "position startpos".to_owned(),
            Some(position) => format!("position fen {position}"),
        };
        self.has_moves = false;
        self.ready(line)
    }

    pub(super) fn played(&mut self, text: &str) {
        self.position
            .push_str(if self.has_moves { " " } else { " moves " });
        self.position.push_str(text);
        self.has_moves = true;
    }

    pub(super) fn choose(
        &mut self,
        line: &mut Line,
        player: Player,
        go: &Go,
        clocks: &Clocks,
        hear: &mut dyn FnMut(&Thought),
    ) -> Result<Answer, Fault> {
        // A move that nobody asked for is no answer to what is asked now.
        line.process.pass_over();
        let mut command = format!("{}\ngo", self.position);
        self.write_limits(&mut command, player, go, clocks);
        command.push('\n');
        let (time, is_agreed) = line.time_for(player, go, clocks);
        let asked = Instant::now();
        line.process.send(&command);
        let mut deadline = asked + time;
        let mut thought = Thought::default();
        let mut is_late = false;
        loop {
            match line.hear(Phase::Move, deadline) {
                Ok(said) => {
                    let mut words = said.split_whitespace();
                    match words.next() {
                        Some("info") => {
                            line.note(&said);
                            hear_info(&mut thought, words, self.is_ugi);
                            hear(&thought);
                        }
                        Some("bestmove") => {
                            return Ok(Answer {
                                text: words.next().unwrap_or_default().to_owned(),
                                thought,
                                time: asked.elapsed(),
                                is_late,
                            });
                        }
                        _ => {}
                    }
                }
                Err(Fault::Silent(_)) if is_agreed && !is_late => {
                    // Too late to win, in time to show that it is well.
                    is_late = true;
                    line.process.send("stop\n");
                    deadline = Instant::now() + line.patience.stop;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    fn write_limits(&self, out: &mut String, player: Player, go: &Go, clocks: &Clocks) {
        if let Some(nodes) = go.nodes {
            let _ = write!(out, " nodes {nodes}");
        }
        if let Some(depth) = go.depth {
            let _ = write!(out, " depth {depth}");
        }
        if let Some(time) = go.movetime {
            let _ = write!(out, " movetime {}", time.as_millis());
        }
        if clocks.left(player).is_none() {
            return;
        }
        let words = if self.is_ugi {
            [("p1time", "p1inc"), ("p2time", "p2inc")]
        } else {
            [("wtime", "winc"), ("btime", "binc")]
        };
        for (side, (time, increment)) in [Player::First, Player::Second].into_iter().zip(words) {
            // Who has no clock has all the time in the world.
            let left = clocks.left(side).map_or(1 << 30, |left| left.as_millis());
            let more = clocks.increment(side).as_millis();
            let _ = write!(out, " {time} {left} {increment} {more}");
        }
        if let Some(moves) = clocks.moves_to_go(player) {
            let _ = write!(out, " movestogo {moves}");
        }
    }

    pub(super) fn result(&mut self, line: &mut Line) -> Result<Option<String>, Fault> {
        if !self.is_ugi {
            return Ok(None);
        }
        line.process.pass_over();
        line.process.send(&format!(
            "{}\nquery gameover\nquery result\n",
            self.position
        ));
        let deadline = Instant::now() + line.patience.ready;
        let mut answers = Vec::new();
        while answers.len() < 2 {
            let said = line.hear(Phase::Ready, deadline)?;
            if let Some(answer) = said.trim().strip_prefix("response ") {
                answers.push(answer.trim().to_owned());
            }
        }
        let result = answers.pop().unwrap_or_default();
        let is_over = answers.pop().is_some_and(|answer| answer == "true");
        Ok(Some(if is_over { result } else { "none".to_owned() }))
    }
}

/// The name of the option that a line tells of, in small letters.
fn option_name(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("option name ")?;
    let name = rest.split(" type ").next()?;
    Some(name.trim().to_lowercase())
}

/// Takes what can be used out of an `info` line about the best move.
fn hear_info<'a>(
    thought: &mut Thought,
    mut words: impl Iterator<Item = &'a str> + Clone,
    is_ugi: bool,
) {
    let mut heard = *thought;
    while let Some(word) = words.next() {
        match word {
            "string" | "pv" => break,
            "multipv" if words.clone().next() != Some("1") => return,
            "depth" => heard.depth = number(&mut words).or(heard.depth),
            "nodes" => heard.nodes = number(&mut words).or(heard.nodes),
            "score" => match words.next() {
                Some("cp") => heard.score = number(&mut words).or(heard.score),
                Some("mate") => {
                    let moves: Option<i32> = number(&mut words);
                    // UGI counts plies, UCI moves.
                    let unit = if is_ugi { 2 } else { 1 };
                    heard.score = moves.map(|moves| match moves {
                        1.. => WIN - (moves / unit).min(WIN / 2),
                        _ => -WIN - (moves / unit).max(-WIN / 2),
                    });
                }
                _ => {}
            },
            _ => {}
        }
    }
    *thought = heard;
}

fn number<'a, T: std::str::FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}
