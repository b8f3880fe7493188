//! Has an engine search one position, so that its lines become a tree.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::Write,
    time::{Duration, Instant},
};

use super::{conversation::Conversation, line_board::RootPosition, recorder::LineRecorder};
use crate::{
    arena::{
        engine_config::EngineProtocol,
        process::{Process, ReadError},
        time_control::MoveLimits,
    },
    games::facts_of,
    runs::halt::Halt,
};

/// Time for everything but the search.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);
/// Time for a search that no time was set for, and what others get beyond theirs.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(24 * 3600);
/// Hundredths of a second between the reports that GTP engines are asked for.
const GTP_INTERVAL: u32 = 10;

/// One search.
#[derive(Clone, Debug)]
pub struct DrivenSearch {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Its dialect.
    pub dialect: EngineProtocol,
    /// The game; none leaves the choice to the engine.
    pub game: Option<String>,
    /// Options and their values.
    pub options: Vec<(String, String)>,
    /// The position.
    pub position: RootPosition,
    /// When it stops.
    pub limits: MoveLimits,
}

/// Runs a search and passes what the engine says on to `out`. The error is a sentence.
pub fn run(
    search: &DrivenSearch,
    recorder: &LineRecorder,
    halt: &Halt,
    out: &mut dyn Write,
) -> Result<(), String> {
    let program = search.command.first().map_or("", String::as_str);
    let process = Process::start(&search.command, None, halt)
        .map_err(|error| format!("{program} could not be started: {error}"))?;
    let mut driver = Driver {
        process,
        conversation: Conversation::new(Some(search.dialect), search.game.as_deref(), program),
        recorder,
        out,
    };
    let result = match search.dialect {
        EngineProtocol::Gtp => driver.search_gtp(search),
        EngineProtocol::Uci | EngineProtocol::Ugi => driver.search_uci(search),
    };
    let Driver { process, .. } = driver;
    match &result {
        Ok(()) => drop(process.shut_down("quit\n", Instant::now() + Duration::from_secs(2))),
        Err(_) => drop(process.kill()),
    }
    result
}

struct Driver<'a> {
    process: Process,
    conversation: Conversation,
    recorder: &'a LineRecorder,
    out: &'a mut dyn Write,
}

impl Driver<'_> {
    fn send(&mut self, line: &str) {
        let recorder = self.recorder;
        (self.conversation).hear_client(line, &mut |event| recorder.record(event));
        self.process.send(&format!("{line}\n"));
    }

    fn read(&mut self, awaited: &str, timeout: Duration) -> Result<String, String> {
        let line = self.process.read_line(Instant::now() + timeout);
        let line = line.map_err(|error| match error {
            ReadError::Timeout => format!("the engine did not answer with {awaited} in time"),
            ReadError::Closed => {
                let complaints = self.process.stderr_tail().join("\n");
                format!("the engine ended before it answered with {awaited}\n{complaints}")
                    .trim_end()
                    .to_owned()
            }
            ReadError::Halted => "interrupted".to_owned(),
        })?;
        let recorder = self.recorder;
        (self.conversation).hear_engine(&line, &mut |event| recorder.record(event));
        // Nobody may be reading any more; the tree is what matters.
        let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        Ok(line)
    }

    fn search_uci(&mut self, search: &DrivenSearch) -> Result<(), String> {
        let (hello, ready) = match search.dialect {
            EngineProtocol::Ugi => ("ugi", "ugiok"),
            _ => ("uci", "uciok"),
        };
        self.send(hello);
        let mut options = BTreeSet::new();
        loop {
            let line = self.read(ready, REPLY_TIMEOUT)?;
            if line.trim() == ready {
                break;
            }
            if let Some(rest) = line.trim().strip_prefix("option name ") {
                let name = rest.split(" type ").next().unwrap_or_default();
                options.insert(name.trim().to_lowercase());
            }
        }
        if let Some(game) = &search.game {
            self.choose_game(game, &options);
        }
        for (name, value) in &search.options {
            if !options.contains(&name.to_lowercase()) {
                return Err(format!("the engine has no option {name}"));
            }
            self.send(&format!("setoption name {name} value {value}"));
        }
        self.send("isready");
        while self.read("readyok", REPLY_TIMEOUT)?.trim() != "readyok" {}
        let mut position = match &search.position.start {
            None => "position startpos".to_owned(),
            Some(start) => format!("position fen {start}"),
        };
        if !search.position.moves.is_empty() {
            let _ = write!(position, " moves {}", search.position.moves.join(" "));
        }
        self.send(&position);
        let limits = &search.limits;
        let mut go = "go".to_owned();
        let number = |out: &mut String, name: &str, value: Option<u128>| {
            value.map(|value| write!(out, " {name} {value}"))
        };
        number(&mut go, "nodes", limits.nodes.map(u128::from));
        number(&mut go, "depth", limits.depth.map(u128::from));
        let time = limits.movetime.map(|time| time.as_millis());
        number(&mut go, "movetime", time);
        self.send(&go);
        let timeout = limits
            .movetime
            .map_or(SEARCH_TIMEOUT, |time| time + REPLY_TIMEOUT);
        loop {
            let line = self.read("bestmove", timeout)?;
            if line.split_whitespace().next() == Some("bestmove") {
                return Ok(());
            }
        }
    }

    /// Tells an engine with several games which one it is.
    fn choose_game(&mut self, game: &str, options: &BTreeSet<String>) {
        let facts = facts_of(game);
        if options.contains("game") {
            self.send(&format!("setoption name Game value {game}"));
        } else if options.contains("uci_variant") {
            let variant = facts
                .and_then(|facts| facts.foreign.fairy_stockfish)
                .unwrap_or(game);
            self.send(&format!("setoption name UCI_Variant value {variant}"));
        } else if let Some(option) = facts.and_then(|facts| facts.foreign.variant_option)
            && game.ends_with(&format!(":{}", option.variant))
        {
            self.send(&format!("setoption name {} value true", option.name));
        }
    }

    fn search_gtp(&mut self, search: &DrivenSearch) -> Result<(), String> {
        let Some(time) = search
            .limits
            .movetime
            .filter(|_| search.limits.nodes.is_none() && search.limits.depth.is_none())
        else {
            return Err(
                "a GTP engine analyses for a time: expected --go 'movetime MILLISECONDS'"
                    .to_owned(),
            );
        };
        let commands = self.ask_gtp("list_commands")?;
        let has = |name: &str| commands.split_whitespace().any(|known| known == name);
        let analyze = ["kata-analyze", "lz-analyze"]
            .into_iter()
            .find(|name| has(name));
        let analyze = analyze.ok_or(
            "the engine has neither lz-analyze nor kata-analyze, and says nothing while it thinks",
        )?;
        self.ask_gtp("name")?;
        if let Some(game) = search.game.as_ref().filter(|_| has("set_game")) {
            self.ask_gtp(&format!("set_game {game}"))?;
        }
        let set_option = if has("set_option") {
            "set_option"
        } else {
            "kata-set-param"
        };
        for (name, value) in &search.options {
            self.ask_gtp(&format!("{set_option} {name} {value}"))?;
        }
        self.ask_gtp("clear_board")?;
        if let Some(start) = &search.position.start {
            self.ask_gtp(&format!("set_position {start}"))?;
        }
        let facts = search.game.as_deref().and_then(facts_of);
        let colours = facts.map_or(["b", "w"], |facts| facts.colours());
        for (mv, colour) in search.position.moves.iter().zip(colours.iter().cycle()) {
            self.ask_gtp(&format!("play {colour} {mv}"))?;
        }
        self.send(&format!("{analyze} {GTP_INTERVAL}"));
        let deadline = Instant::now() + time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            match self.read("a line of analysis", left) {
                Ok(_) => {}
                Err(_) if Instant::now() >= deadline => break,
                Err(problem) => return Err(problem),
            }
        }
        // Any command ends the analysis.
        self.send("name");
        for _ in 0..2 {
            while !self
                .read("the end of its analysis", REPLY_TIMEOUT)?
                .trim()
                .is_empty()
            {}
        }
        Ok(())
    }

    /// Sends a command and waits for its response, which must not be a failure.
    fn ask_gtp(&mut self, command: &str) -> Result<String, String> {
        self.send(command);
        let mut text = String::new();
        loop {
            let line = self.read("a response", REPLY_TIMEOUT)?;
            if line.trim().is_empty() && !text.is_empty() {
                break;
            }
            text.push_str(&line);
            text.push('\n');
        }
        match text.strip_prefix('?') {
            Some(problem) => Err(format!(
                "the engine refused {command:?}: {}",
                problem.trim()
            )),
            None => Ok(text.trim_start_matches('=').trim().to_owned()),
        }
    }
}
