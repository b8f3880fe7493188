//! The client side of an engine's dialect. It knows no rules, and checks nothing but form.

use std::{
    collections::BTreeSet,
    fmt,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    engine_config::{EngineConfig, EngineProtocol},
    process::{Process, ProcessExit, ReadError},
    time_control::{Clocks, MoveLimits},
};
use crate::{
    games::{
        GameFacts, Outcome, Playable, Player,
        notation::{self, Style},
    },
    runs::halt::Halt,
};

use recording::LineRecording;

pub use option::{EngineOption, EngineOptionKind};

mod gtp;
mod option;
mod ponder;
mod recording;
mod uci;

/// Timeouts by phase of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From its start to the end of its introduction.
    pub start: Duration,
    /// To be ready, and for every request but a search.
    pub ready: Duration,
    /// For a move that no time was set for.
    pub reply: Duration,
    /// To answer `stop` after its time is up.
    pub stop: Duration,
    /// To exit after `quit`.
    pub quit: Duration,
    /// Tolerance for late moves.
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

/// The phase of the conversation in which an engine failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnginePhase {
    /// Introducing itself.
    Start,
    /// Preparing a game.
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
    /// No answer in time, not even to `stop`.
    #[error("did not answer {0}")]
    TimedOut(EnginePhase),
    /// It has ended, or closed its output.
    #[error("ended {0}")]
    Exited(EnginePhase),
    /// The engine refused a command.
    #[error("refused {command:?}: {answer:?}")]
    Refused {
        /// The command.
        command: String,
        /// The engine's answer.
        answer: String,
    },
    /// The engine lacks a required feature.
    #[error("{0}")]
    Unsupported(String),
    /// Not a fault: the match was told to stop.
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
    /// Leaves evaluated, from engines that say it (UGI `leaves`).
    pub leaves: Option<u64>,
    /// Score for the player to move, in centipawns or the engine's equivalent.
    pub score: Option<i32>,
}

/// The score of a mate in 0; each move to the mate takes one off.
pub const MATE_SCORE: i32 = 100_000;

/// An engine's answer to a move request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineMove {
    /// The move, as the engine wrote it; not validated.
    pub text: String,
    /// The opponent's reply that the engine expects (UCI `bestmove MOVE ponder REPLY`); not validated.
    pub expected_reply: Option<String>,
    /// The engine's last report on it.
    pub info: EngineInfo,
    /// The time it took.
    pub time: Duration,
    /// Whether it came after the time limit.
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
    /// Its seed, for engines with such an option.
    pub seed: u64,
    /// Its tree directory, for engines that write trees.
    pub trees: Option<String>,
    /// Its limits, for dialects that announce them before the game.
    pub limits: MoveLimits,
}

/// The game that an engine is asked to play.
#[derive(Clone, Debug)]
pub struct GameSpec {
    /// The game, with its variant.
    pub name: String,
    /// What the game states about itself.
    pub facts: &'static GameFacts,
}

impl GameSpec {
    /// The spec of a game under these rules.
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
    ponders: bool,
}

#[derive(Debug)]
enum ClientProtocol {
    Uci(uci::UciClient),
    Gtp(gtp::GtpClient),
}

/// Evidence about an engine that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostMortem {
    /// How its process ended.
    pub exit: String,
    /// The last lines sent and received.
    pub lines: Vec<String>,
    /// The last lines of its standard error.
    pub complaints: Vec<String>,
    /// Whether the process was apparently stopped from outside the match.
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
            EngineProtocol::Ugi => ClientProtocol::Uci(uci::UciClient::new(true, game)),
            EngineProtocol::Uci => ClientProtocol::Uci(uci::UciClient::new(false, game)),
            EngineProtocol::Gtp => ClientProtocol::Gtp(gtp::GtpClient::new(game)),
        };
        let connection = EngineConnection {
            process,
            timeouts,
            info_strings: Vec::new(),
            recording: LineRecording::new(&game.name, &engine.name),
        };
        let mut client = Self {
            connection,
            protocol,
            ponders: engine.ponders,
        };
        match client.handshake(engine) {
            Ok(()) => Ok(client),
            Err(fault) => Err(StartError {
                fault,
                post_mortem: Box::new(client.kill()),
            }),
        }
    }

    fn handshake(&mut self, engine: &EngineConfig) -> Result<(), EngineFault> {
        let connection = &mut self.connection;
        match &mut self.protocol {
            ClientProtocol::Uci(client) => client.handshake(connection, engine),
            ClientProtocol::Gtp(client) => client.handshake(connection, engine),
        }
    }

    /// How this engine writes moves and positions.
    pub fn style(&self) -> Style {
        match &self.protocol {
            ClientProtocol::Uci(client) => client.style,
            ClientProtocol::Gtp(_) => Style::Own,
        }
    }

    /// The options that the engine declared; none in GTP, which has no declarations.
    pub fn options(&self) -> &[EngineOption] {
        match &self.protocol {
            ClientProtocol::Uci(client) => &client.declared,
            ClientProtocol::Gtp(_) => &[],
        }
    }

    /// Messages the engine sent unasked, each once.
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

    /// Asks for a move of the player to move; `hear` receives the reports on the way.
    pub fn request_move(
        &mut self,
        player: Player,
        go: &MoveLimits,
        clocks: &Clocks,
        on_info: &mut dyn FnMut(&EngineInfo),
    ) -> Result<EngineMove, EngineFault> {
        let connection = &mut self.connection;
        let request = MoveRequest { player, go, clocks };
        match &mut self.protocol {
            ClientProtocol::Uci(client) => client.request_move(connection, request, on_info),
            ClientProtocol::Gtp(client) => client.request_move(connection, request),
        }
    }

    /// Has the engine think about its move after the opponent's move `expected`, in its style, until the opponent has moved. Only
    /// UCI has that.
    pub fn ponder(&mut self, expected: &str, player: Player, go: &MoveLimits, clocks: &Clocks) {
        if let ClientProtocol::Uci(client) = &mut self.protocol {
            let request = MoveRequest { player, go, clocks };
            client.ponder(&mut self.connection, expected, request);
        }
    }

    /// Ends thinking ahead, if the engine does.
    pub fn stop_pondering(&mut self) -> Result<(), EngineFault> {
        match &mut self.protocol {
            ClientProtocol::Uci(client) => client.stop_pondering(&mut self.connection),
            ClientProtocol::Gtp(_) => Ok(()),
        }
    }

    /// Whether the engine thinks on its opponent's time: it was configured so, and can.
    pub fn ponders(&self) -> bool {
        self.ponders
    }

    /// Asks the engine for the result of the game; none if its dialect has no such question.
    pub fn query_result(&mut self) -> Result<Option<ReportedResult>, EngineFault> {
        let connection = &mut self.connection;
        match &mut self.protocol {
            ClientProtocol::Uci(client) => client.query_result(connection),
            // The last move must be acknowledged too.
            ClientProtocol::Gtp(client) => client.wait_ready(connection).map(|()| None),
        }
    }

    /// Asks it to quit, and kills it if it does not; returns how it ended.
    pub fn quit(self) -> ProcessExit {
        let deadline = Instant::now() + self.connection.timeouts.quit;
        self.connection.process.shut_down("quit\n", deadline)
    }

    /// Kills the process and collects the evidence.
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

/// A request for a move: whose it is, and the limits that hold for it.
#[derive(Clone, Copy)]
struct MoveRequest<'a> {
    player: Player,
    go: &'a MoveLimits,
    clocks: &'a Clocks,
}

impl MoveRequest<'_> {
    /// What the player's clock has left; none without clocks.
    fn time_left(&self) -> Option<Duration> {
        self.clocks.remaining(self.player)
    }
}

/// The way to an engine, for the dialects.
#[derive(Debug)]
struct EngineConnection {
    process: Process,
    timeouts: Timeouts,
    info_strings: Vec<String>,
    /// Makes trees of what an engine says that writes none.
    recording: LineRecording,
}

/// Upper bound of kept unasked messages.
const MAX_INFO_STRINGS: usize = 8;

impl EngineConnection {
    /// Keeps an unasked message, once.
    fn keep_info_string(&mut self, reply_line: &str) {
        if let Some(note) = reply_line.strip_prefix("info string ") {
            self.keep_note(note);
        }
    }

    fn keep_note(&mut self, note: &str) {
        if self.info_strings.len() < MAX_INFO_STRINGS
            && !self.info_strings.iter().any(|known| known == note)
        {
            self.info_strings.push(note.to_owned());
        }
    }

    /// A search is over: its tree is written, and problems with trees are kept.
    fn end_recording(&mut self, chosen: &str) {
        self.recording.end(chosen);
        for problem in self.recording.take_problems() {
            self.keep_note(&problem);
        }
    }

    fn read_line(&mut self, phase: EnginePhase, deadline: Instant) -> Result<String, EngineFault> {
        (self.process.read_line(deadline))
            .map_err(|error| EngineFault::from_read_error(error, phase))
    }

    /// The time limit of a move, and whether it was agreed on rather than a timeout of ours.
    fn time_limit(&self, request: MoveRequest<'_>) -> (Duration, bool) {
        match request.time_left().or(request.go.movetime) {
            Some(time) => (time + self.timeouts.margin, true),
            None => (self.timeouts.reply, false),
        }
    }
}

/// The options an engine has, by their names in small letters.
type NameSet = BTreeSet<String>;
