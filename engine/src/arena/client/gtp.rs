//! The client side of GTP.

use std::time::{Duration, Instant};

use super::{
    EngineConnection, EngineFault, EngineInfo, EngineMove, EnginePhase, GameSpec, MoveRequest,
    NameSet, NewGame,
};
use crate::{
    arena::{engine_config::EngineConfig, process::Process, watch::line_board::RootPosition},
    games::Player,
};

/// Hundredths of a second between the lines of an engine that tells what it thinks.
const ANALYSIS_INTERVAL: u32 = 20;

/// The game, the engine's commands, the colour words, and the commands it has not answered yet.
#[derive(Debug)]
pub(super) struct GtpClient {
    game: GameSpec,
    commands: NameSet,
    colours: [&'static str; 2],
    /// Commands not answered yet.
    pending: Vec<String>,
    /// Whether the next move is the engine's own `genmove`, which must not be sent back to it.
    is_own_move: bool,
    /// Where the game began, and its moves, for trees of what the engine says.
    position: RootPosition,
}

impl GtpClient {
    pub(super) fn new(game: &GameSpec) -> Self {
        Self {
            game: game.clone(),
            commands: NameSet::new(),
            colours: game.facts.colours(),
            pending: Vec::new(),
            is_own_move: false,
            position: RootPosition::default(),
        }
    }

    pub(super) fn handshake(
        &mut self,
        connection: &mut EngineConnection,
        engine: &EngineConfig,
    ) -> Result<(), EngineFault> {
        let deadline = Instant::now() + connection.timeouts.start;
        self.send(&mut connection.process, "list_commands");
        let known = self.read_responses(connection, EnginePhase::Start, deadline)?;
        self.commands = known.split_whitespace().map(str::to_owned).collect();
        if self.has_command("set_game") {
            let mut letters = self.game.name.chars();
            let capital = letters.next().map(|letter| letter.to_ascii_uppercase());
            let name: String = capital.into_iter().chain(letters).collect();
            self.send(&mut connection.process, &format!("set_game {name}"));
        }
        if let Some(size) = self.game.facts.foreign.gtp_board_size {
            self.send(&mut connection.process, &format!("boardsize {size}"));
        }
        for (name, value) in &engine.options {
            self.set_option(&mut connection.process, name, value)?;
        }
        self.wait_ready(connection)
    }

    fn has_command(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    fn set_option(
        &mut self,
        process: &mut Process,
        name: &str,
        value: &str,
    ) -> Result<(), EngineFault> {
        let command = ["set_option", "kata-set-param"]
            .into_iter()
            .find(|command| self.has_command(command));
        let Some(command) = command else {
            return Err(EngineFault::Unsupported(format!(
                "cannot be told {name}={value} over GTP: it has neither set_option nor kata-set-param"
            )));
        };
        self.send(process, &format!("{command} {name} {value}"));
        Ok(())
    }

    fn send(&mut self, process: &mut Process, command: &str) {
        process.send(&format!("{command}\n"));
        self.pending.push(command.to_owned());
    }

    /// Hears every answer that is due; the last one.
    fn read_responses(
        &mut self,
        connection: &mut EngineConnection,
        phase: EnginePhase,
        deadline: Instant,
    ) -> Result<String, EngineFault> {
        let mut last = String::new();
        while !self.pending.is_empty() {
            let is_analysis =
                (self.pending.first()).is_some_and(|command| command.contains("analyze"));
            let response = read_response(connection, phase, deadline, is_analysis)?;
            let command = self.pending.remove(0);
            last = response.map_err(|answer| EngineFault::Refused { command, answer })?;
        }
        Ok(last)
    }

    pub(super) fn wait_ready(
        &mut self,
        connection: &mut EngineConnection,
    ) -> Result<(), EngineFault> {
        let deadline = Instant::now() + connection.timeouts.ready;
        self.read_responses(connection, EnginePhase::Ready, deadline)
            .map(drop)
    }

    pub(super) fn new_game(
        &mut self,
        connection: &mut EngineConnection,
        new_game: &NewGame,
    ) -> Result<(), EngineFault> {
        self.is_own_move = false;
        self.position = RootPosition {
            start: new_game.position.clone(),
            moves: Vec::new(),
        };
        let own_trees = self.has_command("set_option");
        let recorded = new_game.trees.as_ref().filter(|_| !own_trees);
        connection.recording.set_directory(recorded);
        if self.has_command("set_option") {
            let ours = [
                ("Seed", Some(new_game.seed.to_string())),
                ("TreeDir", new_game.trees.clone()),
                (
                    "Nodes",
                    new_game.limits.nodes.map(|nodes| nodes.to_string()),
                ),
                (
                    "Depth",
                    new_game.limits.depth.map(|depth| depth.to_string()),
                ),
            ];
            for (name, value) in ours {
                if let Some(value) = value {
                    self.set_option(&mut connection.process, name, &value)?;
                }
            }
        } else if new_game.limits.nodes.is_some() || new_game.limits.depth.is_some() {
            return Err(EngineFault::Unsupported(
                "cannot be told nodes or depth over GTP: expected a time".to_owned(),
            ));
        }
        self.send(&mut connection.process, "clear_board");
        if let Some(position) = &new_game.position {
            if !self.has_command("set_position") {
                return Err(EngineFault::Unsupported(
                    "cannot be told a position over GTP: it has no set_position".to_owned(),
                ));
            }
            self.send(&mut connection.process, &format!("set_position {position}"));
        }
        if let Some(time) = new_game.limits.movetime {
            // The same time for each move.
            let command = match time.as_secs() {
                _ if self.has_command("set_option") => {
                    format!("set_option MoveTime {}", time.as_millis())
                }
                0 => {
                    let problem = "cannot be told less than a second a move over GTP";
                    return Err(EngineFault::Unsupported(problem.to_owned()));
                }
                seconds => format!("time_settings 0 {seconds} 1"),
            };
            self.send(&mut connection.process, &command);
        }
        if let Some(clock) = new_game.limits.clock {
            if !self.has_command("time_settings") {
                let problem = "cannot be told of a clock over GTP: it has no time_settings";
                return Err(EngineFault::Unsupported(problem.to_owned()));
            }
            let (main, more) = (clock.base.as_secs_f64(), clock.increment.as_secs_f64());
            let command = match clock.moves {
                None => format!("time_settings {} 0 0", (main + more).ceil()),
                Some(moves) => format!("time_settings 0 {} {moves}", main.ceil()),
            };
            self.send(&mut connection.process, &command);
        }
        self.wait_ready(connection)
    }

    pub(super) fn notify_move(&mut self, process: &mut Process, player: Player, text: &str) {
        self.position.moves.push(text.to_owned());
        if !std::mem::take(&mut self.is_own_move) {
            let colour = self.colour_name(player);
            self.send(process, &format!("play {colour} {text}"));
        }
    }

    pub(super) fn request_move(
        &mut self,
        connection: &mut EngineConnection,
        request: MoveRequest<'_>,
    ) -> Result<EngineMove, EngineFault> {
        let MoveRequest { player, go, clocks } = request;
        let colour = self.colour_name(player);
        self.wait_ready(connection)?;
        if let Some(left) = request.time_left()
            && self.has_command("time_left")
        {
            let stones = clocks.moves_to_go(player).unwrap_or(0);
            let seconds = left.as_secs_f64();
            self.send(
                &mut connection.process,
                &format!("time_left {colour} {seconds:.2} {stones}"),
            );
            self.wait_ready(connection)?;
        }
        let (time, is_agreed) = connection.time_limit(request);
        let asked = Instant::now();
        let genmove = self.genmove(connection.recording.is_on());
        let command = match genmove {
            "genmove" => format!("genmove {colour}"),
            _ => format!("{genmove} {colour} {ANALYSIS_INTERVAL}"),
        };
        let is_kata = genmove.starts_with("kata");
        let root = || self.position.clone();
        connection.recording.begin(root, go, is_kata);
        self.send(&mut connection.process, &command);
        // GTP cannot stop a search; a late engine gets a little longer, to tell it from one that hangs.
        let grace = if is_agreed {
            connection.timeouts.stop
        } else {
            Duration::ZERO
        };
        let text = self.read_responses(connection, EnginePhase::Move, asked + time + grace)?;
        let taken = asked.elapsed();
        connection.end_recording(text.trim());
        self.is_own_move = true;
        Ok(EngineMove {
            text: text.trim().to_owned(),
            expected_reply: None,
            info: EngineInfo::default(),
            time: taken,
            is_late: is_agreed && taken > time,
        })
    }

    /// The command that asks for a move: one that tells what the engine thinks, if that is wanted and it has one.
    fn genmove(&self, tells_lines: bool) -> &'static str {
        let mut telling = ["kata-genmove_analyze", "lz-genmove_analyze"].into_iter();
        let found = telling.find(|command| tells_lines && self.has_command(command));
        found.unwrap_or("genmove")
    }

    fn colour_name(&self, player: Player) -> &'static str {
        let [first, second] = self.colours;
        match player {
            Player::First => first,
            Player::Second => second,
        }
    }
}

/// The text of the next response; an error with the engine's message if it is a failure.
fn read_response(
    connection: &mut EngineConnection,
    phase: EnginePhase,
    deadline: Instant,
    is_analysis: bool,
) -> Result<Result<String, String>, EngineFault> {
    let (is_accepted, mut text) = loop {
        let reply_line = connection.read_line(phase, deadline)?;
        let (is_accepted, rest) = match (reply_line.strip_prefix('='), reply_line.strip_prefix('?'))
        {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            // Text between responses is ignored.
            _ => continue,
        };
        let rest = rest.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
        break (is_accepted, rest.trim().to_owned());
    };
    loop {
        let reply_line = connection.read_line(phase, deadline)?;
        if reply_line.trim().is_empty() {
            return Ok(if is_accepted { Ok(text) } else { Err(text) });
        }
        if is_analysis {
            match reply_line.strip_prefix("play ") {
                Some(mv) => text = mv.trim().to_owned(),
                None => connection.recording.line(&reply_line),
            }
            continue;
        }
        // An answer of megabytes is not read to its end.
        if text.len() < 1 << 20 {
            text.push('\n');
            text.push_str(&reply_line);
        }
    }
}
