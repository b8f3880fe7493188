//! The client side of UCI and UGI.

use std::{fmt::Write as _, time::Instant};

use super::{
    EngineConnection, EngineFault, EngineInfo, EngineMove, EngineOption, EnginePhase, GameSpec,
    MATE_SCORE, MoveRequest, NameSet, NewGame, ReportedResult, ponder::Pondering,
};
use crate::{
    arena::{engine_config::EngineConfig, watch::line_board::RootPosition},
    games::{Player, notation::Style},
};

/// Upper bound of the options that are kept with their values.
const MAX_DECLARED_OPTIONS: usize = 512;

/// The engine's options, and the position it was last sent.
#[derive(Debug)]
pub(super) struct UciClient {
    is_ugi: bool,
    game: GameSpec,
    options: NameSet,
    /// The options that it declared, at most [`MAX_DECLARED_OPTIONS`].
    pub(super) declared: Vec<EngineOption>,
    pub(super) style: Style,
    /// The command that sets the position, moves and all.
    position: String,
    has_moves: bool,
    pondering: Pondering,
}

impl UciClient {
    pub(super) fn new(is_ugi: bool, game: &GameSpec) -> Self {
        Self {
            is_ugi,
            game: game.clone(),
            options: NameSet::new(),
            declared: Vec::new(),
            style: Style::Own,
            position: String::new(),
            has_moves: false,
            pondering: Pondering::default(),
        }
    }

    pub(super) fn handshake(
        &mut self,
        connection: &mut EngineConnection,
        engine: &EngineConfig,
    ) -> Result<(), EngineFault> {
        let (hello, done) = if self.is_ugi {
            ("ugi\n", "ugiok")
        } else {
            ("uci\n", "uciok")
        };
        connection.process.send(hello);
        let deadline = Instant::now() + connection.timeouts.start;
        loop {
            let reply_line = connection.read_line(EnginePhase::Start, deadline)?;
            if reply_line.trim() == done {
                break;
            }
            if let Some(name) = option_name(&reply_line) {
                self.options.insert(name);
            }
            let option = EngineOption::parse(&reply_line);
            if let Some(option) = option.filter(|_| self.declared.len() < MAX_DECLARED_OPTIONS) {
                self.declared.push(option);
            }
        }
        self.select_game(connection)?;
        if engine.ponders && self.has_option("ponder") {
            self.set_option(connection, "Ponder", "true")?;
        }
        for (name, value) in &engine.options {
            self.set_option(connection, name, value)?;
        }
        self.wait_ready(connection)
    }

    /// Has the engine play the right game, if it knows more than one.
    fn select_game(&mut self, connection: &mut EngineConnection) -> Result<(), EngineFault> {
        let game = self.game.clone();
        let foreign = &game.facts.foreign;
        let variant_option = foreign.variant_option.filter(|option| {
            let variant = game.name.split_once(':').map(|(_, variant)| variant);
            variant == Some(option.variant)
        });
        let is_plain = game.name == game.facts.name;
        match foreign.fairy_stockfish {
            Some(variant) if !self.is_ugi && self.has_option("uci_variant") => {
                self.style = Style::Fairy;
                self.set_option(connection, "UCI_Variant", variant)
            }
            _ if self.has_option("game") => self.set_option(connection, "Game", &game.name),
            _ if self.is_ugi || foreign.is_uci_default && is_plain => Ok(()),
            _ => match variant_option {
                Some(option) => self.set_option(connection, option.name, "true"),
                None => Err(EngineFault::Unsupported(format!(
                    "does not play {} over UCI: it has neither a UCI_Variant for it nor a Game option",
                    game.name
                ))),
            },
        }
    }

    fn has_option(&self, option: &str) -> bool {
        self.options.contains(option)
    }

    fn set_option(
        &self,
        connection: &mut EngineConnection,
        name: &str,
        value: &str,
    ) -> Result<(), EngineFault> {
        if !self.has_option(&name.to_lowercase()) {
            let known: Vec<&str> = self.options.iter().map(String::as_str).collect();
            return Err(EngineFault::Unsupported(format!(
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
        connection.process.send(&command);
        Ok(())
    }

    fn wait_ready(&self, connection: &mut EngineConnection) -> Result<(), EngineFault> {
        connection.process.send("isready\n");
        let deadline = Instant::now() + connection.timeouts.ready;
        loop {
            let reply_line = connection.read_line(EnginePhase::Ready, deadline)?;
            if reply_line.trim() == "readyok" {
                return Ok(());
            }
            connection.keep_info_string(&reply_line);
        }
    }

    pub(super) fn new_game(
        &mut self,
        connection: &mut EngineConnection,
        new_game: &NewGame,
    ) -> Result<(), EngineFault> {
        self.pondering.end(connection)?;
        if self.has_option("seed") {
            self.set_option(connection, "Seed", &new_game.seed.to_string())?;
        }
        if let Some(trees) = new_game
            .trees
            .as_ref()
            .filter(|_| self.has_option("treedir"))
        {
            self.set_option(connection, "TreeDir", trees)?;
        }
        let own_trees = self.has_option("treedir");
        let recorded = new_game.trees.as_ref().filter(|_| !own_trees);
        connection.recording.set_directory(recorded);
        connection.process.send(if self.is_ugi {
            "uginewgame\n"
        } else {
            "ucinewgame\n"
        });
        self.position = match &new_game.position {
            None => "position startpos".to_owned(),
            Some(position) => format!("position fen {position}"),
        };
        self.has_moves = false;
        self.wait_ready(connection)
    }

    pub(super) fn notify_move(&mut self, text: &str) {
        self.position = self.position_after(text);
        self.has_moves = true;
    }

    /// The command that sets the position after one more move.
    fn position_after(&self, text: &str) -> String {
        let separator = if self.has_moves { " " } else { " moves " };
        format!("{}{separator}{text}", self.position)
    }

    /// Has the engine think about the position after the opponent's move `expected`.
    pub(super) fn ponder(
        &mut self,
        connection: &mut EngineConnection,
        expected: &str,
        request: MoveRequest<'_>,
    ) {
        let position = self.position_after(expected);
        let mut command = format!("{position}\ngo ponder");
        self.write_limits(&mut command, request);
        command.push('\n');
        connection.process.discard_output();
        connection.process.send(&command);
        self.pondering.begin(position);
    }

    /// Ends thinking ahead, if the engine does.
    pub(super) fn stop_pondering(
        &mut self,
        connection: &mut EngineConnection,
    ) -> Result<(), EngineFault> {
        self.pondering.end(connection)
    }

    pub(super) fn request_move(
        &mut self,
        connection: &mut EngineConnection,
        request: MoveRequest<'_>,
        on_info: &mut dyn FnMut(&EngineInfo),
    ) -> Result<EngineMove, EngineFault> {
        let (time, is_agreed) = connection.time_limit(request);
        let asked = Instant::now();
        let root = || RootPosition::parse_command(&self.position).unwrap_or_default();
        connection.recording.begin(root, request.go, false);
        if !self.pondering.hit(connection, &self.position)? {
            // A late `bestmove` must not be taken for the answer to the next request.
            connection.process.discard_output();
            let mut command = format!("{}\ngo", self.position);
            self.write_limits(&mut command, request);
            command.push('\n');
            connection.process.send(&command);
        }
        let mut deadline = asked + time;
        let mut info = EngineInfo::default();
        let mut is_late = false;
        loop {
            match connection.read_line(EnginePhase::Move, deadline) {
                Ok(reply_line) => {
                    let mut words = reply_line.split_whitespace();
                    match words.next() {
                        Some("info") => {
                            connection.keep_info_string(&reply_line);
                            connection.recording.line(&reply_line);
                            parse_info(&mut info, words, self.is_ugi);
                            on_info(&info);
                        }
                        Some("bestmove") => {
                            let text = words.next().unwrap_or_default().to_owned();
                            connection.end_recording(&text);
                            let expects_reply = words.next() == Some("ponder");
                            return Ok(EngineMove {
                                text,
                                expected_reply: words
                                    .next()
                                    .filter(|_| expects_reply)
                                    .map(str::to_owned),
                                info,
                                time: asked.elapsed(),
                                is_late,
                            });
                        }
                        _ => {}
                    }
                }
                Err(EngineFault::TimedOut(_)) if is_agreed && !is_late => {
                    // Too late to win, in time to show that it is well.
                    is_late = true;
                    connection.process.send("stop\n");
                    deadline = Instant::now() + connection.timeouts.stop;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    fn write_limits(&self, out: &mut String, request: MoveRequest<'_>) {
        let MoveRequest { player, go, clocks } = request;
        if let Some(nodes) = go.nodes {
            let _ = write!(out, " nodes {nodes}");
        }
        if let Some(depth) = go.depth {
            let _ = write!(out, " depth {depth}");
        }
        if let Some(time) = go.movetime {
            let _ = write!(out, " movetime {}", time.as_millis());
        }
        if clocks.remaining(player).is_none() {
            return;
        }
        let words = if self.is_ugi {
            [("p1time", "p1inc"), ("p2time", "p2inc")]
        } else {
            [("wtime", "winc"), ("btime", "binc")]
        };
        for (side, (time, increment)) in [Player::First, Player::Second].into_iter().zip(words) {
            // Who has no clock has all the time in the world.
            let left = clocks
                .remaining(side)
                .map_or(1 << 30, |left| left.as_millis());
            let more = clocks.increment(side).as_millis();
            let _ = write!(out, " {time} {left} {increment} {more}");
        }
        if let Some(moves) = clocks.moves_to_go(player) {
            let _ = write!(out, " movestogo {moves}");
        }
    }

    pub(super) fn query_result(
        &mut self,
        connection: &mut EngineConnection,
    ) -> Result<Option<ReportedResult>, EngineFault> {
        if !self.is_ugi {
            return Ok(None);
        }
        connection.process.discard_output();
        connection.process.send(&format!(
            "{}\nquery gameover\nquery result\n",
            self.position
        ));
        let deadline = Instant::now() + connection.timeouts.ready;
        let mut answers = Vec::new();
        while answers.len() < 2 {
            let reply_line = connection.read_line(EnginePhase::Ready, deadline)?;
            if let Some(answer) = reply_line.trim().strip_prefix("response ") {
                answers.push(answer.trim().to_owned());
            }
        }
        let result = answers.pop().unwrap_or_default();
        let is_over = answers.pop().is_some_and(|answer| answer == "true");
        Ok(Some(if is_over {
            ReportedResult::parse(&result)
        } else {
            ReportedResult::InProgress
        }))
    }
}

/// The option's name on an `option` line, in lower case.
fn option_name(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("option name ")?;
    let name = rest.split(" type ").next()?;
    Some(name.trim().to_lowercase())
}

/// Reads an `info` line about the best move.
fn parse_info<'a>(
    info: &mut EngineInfo,
    mut words: impl Iterator<Item = &'a str> + Clone,
    is_ugi: bool,
) {
    let mut parsed = *info;
    while let Some(word) = words.next() {
        match word {
            "string" | "pv" => break,
            "multipv" if words.clone().next() != Some("1") => return,
            "depth" => parsed.depth = parse_next(&mut words).or(parsed.depth),
            "nodes" => parsed.nodes = parse_next(&mut words).or(parsed.nodes),
            "leaves" => parsed.leaves = parse_next(&mut words).or(parsed.leaves),
            "score" => match words.next() {
                Some("cp") => parsed.score = parse_next(&mut words).or(parsed.score),
                Some("mate") => {
                    let moves: Option<i32> = parse_next(&mut words);
                    // UGI counts plies, UCI moves.
                    let unit = if is_ugi { 2 } else { 1 };
                    parsed.score = moves.map(|moves| match moves {
                        1.. => MATE_SCORE - (moves / unit).min(MATE_SCORE / 2),
                        _ => -MATE_SCORE - (moves / unit).max(-MATE_SCORE / 2),
                    });
                }
                _ => {}
            },
            _ => {}
        }
    }
    *info = parsed;
}

fn parse_next<'a, T: std::str::FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}
