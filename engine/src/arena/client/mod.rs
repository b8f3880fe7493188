//! What a match says to an engine and hears from it, in the engine's dialect. Nothing is believed here, and no rule is known.

use std::{
    collections::BTreeSet,
    fmt,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    engine_config::{EngineConfig, EngineProtocol},
    halt::Halt,
    process::{Process, ReadError},
    time_control::{Clocks, MoveLimits},
};
use crate::games::{
    GameFacts, Outcome, Playable, Player,
    notation::{self, Style},
};

mod gtp;
mod uci;

/// How long an engine may take, by what it is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From its start to the end of its introduction.
    pub start: Duration,
    /// To be ready, and for everything that is no thinking.
    pub ready: Duration,
    /// For a move that no time was set for.
    pub reply: Duration,
    /// To stop when it is told to, after its time is up.
    pub stop: Duration,
    /// To end after it was told to.
    pub quit: Duration,
    /// How much later than its time a move may come.
    pub margin: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            ready: Duration::from_secs(10),
            reply: Duration::from_secs(300),
            stop: Duration::from_secs(1),
            quit: Duration::from_secs(2),
            margin: Duration::from_millis(100),
        }
    }
}

/// What an engine was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnginePhase {
    /// Introducing itself.
    Start,
    /// Getting ready for a game.
    Ready,
    /// Looking for a move.
    Move,
}

impl fmt::Display for EnginePhase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Start => "while it introduced itself",
            Self::Ready => "while it got ready",
            Self::Move => "while it looked for a move",
        })
    }
}

/// How an engine failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineFault {
    /// It could not be started.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// It said nothing in time, not even when it was told to stop.
    #[error("did not answer {0}")]
    TimedOut(EnginePhase),
    /// It has ended, or closed its output.
    #[error("ended {0}")]
    Exited(EnginePhase),
    /// It will not do what it was told.
    #[error("refused {command:?}: {answer:?}")]
    Refused {
        /// What it was told.
        command: String,
        /// What it said.
        answer: String,
    },
    /// It cannot do what was asked of it.
    #[error("{0}")]
    Unsupported(String),
    /// Not its fault: somebody said stop.
    #[error("the match was stopped")]
    Halted,
}

impl EngineFault {
    /// The fault as a sentence, with how the process ended if that is the fault.
    pub fn describe(&self, post_mortem: &PostMortem) -> String {
        match self {
            Self::Exited(_) => format!("{self} ({})", post_mortem.exit),
            _ => self.to_string(),
        }
    }

    fn from_read_error(error: ReadError, phase: EnginePhase) -> Self {
        match error {
            ReadError::Timeout => Self::TimedOut(phase),
            ReadError::Closed => Self::Exited(phase),
            ReadError::Halted => Self::Halted,
        }
    }
}

/// Why an engine could not be started.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{fault}")]
pub struct StartError {
    /// What went wrong.
    pub fault: EngineFault,
    /// What is left of the process.
    pub post_mortem: Box<PostMortem>,
}

/// What an engine thinks of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineInfo {
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// Positions, or playouts.
    pub nodes: Option<u64>,
    /// What the position is worth to the player to move, in hundredths of a pawn or what the engine takes for it.
    pub score: Option<i32>,
}

/// A certain win counts as so much, less one for every move it takes.
pub const MATE_SCORE: i32 = 100_000;

/// An engine's answer to the question for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineMove {
    /// The move, as the engine wrote it. Nobody has looked at it yet.
    pub text: String,
    /// What it thinks.
    pub info: EngineInfo,
    /// How long it took.
    pub time: Duration,
    /// Whether it came too late.
    pub is_late: bool,
}

/// An engine's answer to the question for the result of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportedResult {
    /// It thinks that the game is over.
    Over(Outcome),
    /// It thinks that the game goes on.
    InProgress,
    /// A word outside the protocol.
    Unknown(String),
}

impl ReportedResult {
    fn parse(word: &str) -> Self {
        match Outcome::parse(word) {
            Some(outcome) => Self::Over(outcome),
            None if word == "none" => Self::InProgress,
            None => Self::Unknown(word.to_owned()),
        }
    }
}

impl fmt::Display for ReportedResult {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Over(outcome) => outcome.as_str(),
            Self::InProgress => "none",
            Self::Unknown(word) => word,
        })
    }
}

/// What an engine needs to know of a game before it begins.
#[derive(Clone, Debug, Default)]
pub struct NewGame {
    /// Where it begins, in the engine's style; none for the game's own start.
    pub position: Option<String>,
    /// Its random numbers, for those who have a say in them.
    pub seed: u64,
    /// Where its trees go, for those who write them.
    pub trees: Option<String>,
    /// Its clock or its time, for those who want to know beforehand.
    pub limits: MoveLimits,
}

/// What an engine has been asked to play.
#[derive(Clone, Debug)]
pub struct GameSpec {
    /// The game, with its variant.
    pub name: String,
    /// What the game states about itself.
    pub facts: &'static GameFacts,
}

impl GameSpec {
    /// What an engine is told of a game.
    pub fn of<G: Playable>(rules: G::Rules) -> Self {
        Self {
            name: notation::full_name::<G>(rules),
            facts: G::FACTS,
        }
    }
}

/// A conversation with one engine.
#[derive(Debug)]
pub struct Client {
    connection: EngineConnection,
    protocol: ClientProtocol,
}

#[derive(Debug)]
enum ClientProtocol {
    Uci(uci::UciClient),
    Gtp(gtp::GtpClient),
}

/// What is known of an engine that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostMortem {
    /// How its process ended.
    pub exit: String,
    /// The last lines it was told and said.
    pub lines: Vec<String>,
    /// The last lines of its standard error.
    pub complaints: Vec<String>,
    /// Whether somebody else seems to have stopped its process.
    #[serde(skip)]
    pub is_stopped_externally: bool,
}

impl Client {
    /// Starts an engine process, shakes hands and sets its options. Matches and the viewer start engines here.
    pub fn start(
        engine: &EngineConfig,
        game: &GameSpec,
        timeouts: Timeouts,
        halt: &Halt,
    ) -> Result<Self, StartError> {
        let process = Process::start(&engine.command, engine.directory.as_deref(), halt).map_err(
            |error| {
                let program = engine.command.first().map_or("", String::as_str);
                StartError {
                    fault: EngineFault::NotStarted(format!("{program}: {error}")),
                    post_mortem: Box::default(),
                }
            },
        )?;
        if engine.is_low_priority {
            process.lower_priority();
        }
        let protocol = match engine.protocol {
            EngineProtocol::Ugi => ClientProtocol::Uci(uci::UciClient::new(true)),
            EngineProtocol::Uci => ClientProtocol::Uci(uci::UciClient::new(false)),
            EngineProtocol::Gtp => ClientProtocol::Gtp(gtp::GtpClient::new(game)),
        };
        let connection = EngineConnection {
            process,
            timeouts,
            info_strings: Vec::new(),
        };
        let mut client = Self {
            connection,
            protocol,
        };
        match client.handshake(engine, game) {
            Ok(()) => Ok(client),
            Err(fault) => Err(StartError {
                fault,
                post_mortem: Box::new(client.kill()),
            }),
        }
    }

    fn handshake(&mut self, engine: &EngineConfig, game: &GameSpec) -> Result<(), EngineFault> {
        let connection = &mut self.connection;
        match &mut self.protocol {
            ClientProtocol::Uci(client) => client.handshake(connection, engine, game),
            ClientProtocol::Gtp(client) => client.handshake(connection, engine, game),
        }
    }

    /// How this engine writes moves and positions.
    pub fn style(&self) -> Style {
        match &self.protocol {
            ClientProtocol::Uci(client) => client.style,
            ClientProtocol::Gtp(_) => Style::Own,
        }
    }

    /// What it said on its own account, each thing once.
    pub fn info_strings(&self) -> &[String] {
        &self.connection.info_strings
    }

    /// A game begins.
    pub fn new_game(&mut self, new_game: &NewGame) -> Result<(), EngineFault> {
        let connection = &mut self.connection;
        match &mut self.protocol {
            ClientProtocol::Uci(client) => client.new_game(connection, new_game),
            ClientProtocol::Gtp(client) => client.new_game(connection, new_game),
        }
    }

    /// A move was made, by this engine or by another, in this engine's style.
    pub fn notify_move(&mut self, player: Player, text: &str) {
        match &mut self.protocol {
            ClientProtocol::Uci(client) => client.notify_move(text),
            ClientProtocol::Gtp(client) => {
                client.notify_move(&mut self.connection.process, player, text)
            }
        }
    }

    /// Asks for a move of the player to move; `hear` is told what it thinks on the way.
    pub fn request_move(
        &mut self,
        player: Player,
        go: &MoveLimits,
        clocks: &Clocks,
        on_info: &mut dyn FnMut(&EngineInfo),
    ) -> Result<EngineMove, EngineFault> {
        let connection = &mut self.connection;
        match &mut self.protocol {
            ClientProtocol::Uci(client) => {
                client.request_move(connection, player, go, clocks, on_info)
            }
            ClientProtocol::Gtp(client) => client.request_move(connection, player, go, clocks),
        }
    }

    /// Asks the engine for the result of the game; none if its dialect has no such question.
    pub fn query_result(&mut self) -> Result<Option<ReportedResult>, EngineFault> {
        let connection = &mut self.connection;
        match &mut self.protocol {
            ClientProtocol::Uci(client) => client.query_result(connection),
            // The last move has to be heard of, too.
            ClientProtocol::Gtp(client) => client.wait_ready(connection).map(|()| None),
        }
    }

    /// Says good-bye, and ends it if it does not go.
    pub fn quit(self) {
        let deadline = Instant::now() + self.connection.timeouts.quit;
        self.connection.process.shut_down("quit\n", deadline);
    }

    /// Ends it at once, and keeps what may explain why.
    pub fn kill(mut self) -> PostMortem {
        self.connection.process.discard_output();
        let lines = self.connection.process.transcript_tail();
        let (exit, complaints) = self.connection.process.kill();
        PostMortem {
            exit: exit.text,
            lines,
            complaints,
            is_stopped_externally: exit.is_stopped_externally,
        }
    }

    /// The last lines of the conversation and of standard error, of an engine that is well.
    pub fn diagnostics(&self) -> PostMortem {
        PostMortem {
            exit: "still running".to_owned(),
            lines: self.connection.process.transcript_tail(),
            complaints: self.connection.process.stderr_tail(),
            is_stopped_externally: false,
        }
    }
}

/// The way to an engine, for the dialects.
#[derive(Debug)]
struct EngineConnection {
    process: Process,
    timeouts: Timeouts,
    info_strings: Vec<String>,
}

/// More of what an engine says on its own account is not kept.
const MAX_INFO_STRINGS: usize = 8;

impl EngineConnection {
    /// Keeps what an engine says on its own account, once.
    fn keep_info_string(&mut self, reply_line: &str) {
        if let Some(note) = reply_line.strip_prefix("info string ")
            && self.info_strings.len() < MAX_INFO_STRINGS
            && !self.info_strings.iter().any(|known| known == note)
        {
            self.info_strings.push(note.to_owned());
        }
    }

    fn read_line(&mut self, phase: EnginePhase, deadline: Instant) -> Result<String, EngineFault> {
        (self.process.read_line(deadline))
            .map_err(|error| EngineFault::from_read_error(error, phase))
    }

    /// How long a move may take, and whether that was agreed on rather than a matter of patience.
    fn time_limit(&self, player: Player, go: &MoveLimits, clocks: &Clocks) -> (Duration, bool) {
        match clocks.remaining(player).or(go.movetime) {
            Some(time) => (time + self.timeouts.margin, true),
            None => (self.timeouts.reply, false),
        }
    }
}

/// The options an engine has, by their names in small letters.
type NameSet = BTreeSet<String>;
