//! What a match says to an engine and hears from it, in the engine's dialect. Nothing is believed here, and no rule is known.

use std::{
    collections::BTreeSet,
    fmt,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    engines::{Dialect, Engine},
    go::{Clocks, Go},
    halt::Halt,
    process::{Process, Silence},
};
use crate::games::{
    Playable, Player,
    notation::{self, Style},
};

mod gtp;
mod uci;

/// How long an engine may take, by what it is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
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

impl Default for Patience {
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
pub enum Phase {
    /// Introducing itself.
    Start,
    /// Getting ready for a game.
    Ready,
    /// Looking for a move.
    Move,
}

impl fmt::Display for Phase {
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
pub enum Fault {
    /// It could not be started.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// It said nothing in time, not even when it was told to stop.
    #[error("did not answer {0}")]
    Silent(Phase),
    /// It has ended, or closed its output.
    #[error("ended {0}")]
    Ended(Phase),
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
    Unable(String),
    /// Not its fault: somebody said stop.
    #[error("the match was stopped")]
    Halted,
}

impl Fault {
    fn of(silence: Silence, phase: Phase) -> Self {
        match silence {
            Silence::TimeOut => Self::Silent(phase),
            Silence::Closed => Self::Ended(phase),
            Silence::Halted => Self::Halted,
        }
    }
}

/// What an engine thinks of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// Positions, or playouts.
    pub nodes: Option<u64>,
    /// What the position is worth to the player to move, in hundredths of a pawn or what the engine takes for it.
    pub score: Option<i32>,
}

/// A certain win counts as so much, less one for every move it takes.
pub const WIN: i32 = 100_000;

/// An engine's answer to the question for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move, as the engine wrote it. Nobody has looked at it yet.
    pub text: String,
    /// What it thinks.
    pub thought: Thought,
    /// How long it took.
    pub time: Duration,
    /// Whether it came too late.
    pub is_late: bool,
}

/// What an engine needs to know of a game before it begins.
#[derive(Clone, Debug, Default)]
pub struct Beginning {
    /// Where it begins, in the engine's style; none for the game's own start.
    pub position: Option<String>,
    /// Its random numbers, for those who have a say in them.
    pub seed: u64,
    /// Where its trees go, for those who write them.
    pub trees: Option<String>,
    /// Its clock or its time, for those who want to know beforehand.
    pub go: Go,
}

/// What an engine has been asked to play.
#[derive(Clone, Debug)]
pub struct Game {
    /// The game, with its variant.
    pub name: String,
    /// The game alone.
    pub base: &'static str,
    /// The words for the first and the second player where players are black and white.
    pub colours: [&'static str; 2],
}

impl Game {
    /// What an engine is told of a game.
    pub fn of<G: Playable>(rules: G::Rules) -> Self {
        Self {
            name: notation::full_name::<G>(rules),
            base: G::NAME,
            colours: match G::NAME {
                "chess" => ["white", "black"],
                _ => ["black", "white"],
            },
        }
    }
}

/// A conversation with one engine.
#[derive(Debug)]
pub struct Client {
    line: Line,
    talk: Talk,
}

#[derive(Debug)]
enum Talk {
    Uci(uci::Talk),
    Gtp(gtp::Talk),
}

/// What is known of an engine that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remains {
    /// How its process ended.
    pub exit: String,
    /// The last lines it was told and said.
    pub lines: Vec<String>,
    /// The last lines of its standard error.
    pub complaints: Vec<String>,
    /// Whether somebody else seems to have stopped its process.
    #[serde(skip)]
    pub is_foreign_stop: bool,
}

impl Client {
    /// Starts an engine and has it introduce itself and take its options.
    pub fn start(
        engine: &Engine,
        game: &Game,
        patience: Patience,
        halt: &Halt,
    ) -> Result<Self, (Fault, Box<Remains>)> {
        let process = Process::start(&engine.command, engine.directory.as_deref(), halt).map_err(
            |error| {
                let program = engine.command.first().map_or("", String::as_str);
                let fault = Fault::NotStarted(format!("{program}: {error}"));
                (fault, Box::default())
            },
        )?;
        if engine.gives_way {
            process.give_way();
        }
        let talk = match engine.dialect {
            Dialect::Ugi => Talk::Uci(uci::Talk::new(true)),
            Dialect::Uci => Talk::Uci(uci::Talk::new(false)),
            Dialect::Gtp => Talk::Gtp(gtp::Talk::new(game)),
        };
        let line = Line {
            process,
            patience,
            notes: Vec::new(),
        };
        let mut client = Self { line, talk };
        match client.introduce(engine, game) {
            Ok(()) => Ok(client),
            Err(fault) => Err((fault, Box::new(client.bury()))),
        }
    }

    fn introduce(&mut self, engine: &Engine, game: &Game) -> Result<(), Fault> {
        let line = &mut self.line;
        match &mut self.talk {
            Talk::Uci(talk) => talk.introduce(line, engine, game),
            Talk::Gtp(talk) => talk.introduce(line, engine, game),
        }
    }

    /// How this engine writes moves and positions.
    pub fn style(&self) -> Style {
        match &self.talk {
            Talk::Uci(talk) => talk.style,
            Talk::Gtp(_) => Style::Own,
        }
    }

    /// What it said on its own account, each thing once.
    pub fn notes(&self) -> &[String] {
        &self.line.notes
    }

    /// A game begins.
    pub fn begin(&mut self, beginning: &Beginning) -> Result<(), Fault> {
        let line = &mut self.line;
        match &mut self.talk {
            Talk::Uci(talk) => talk.begin(line, beginning),
            Talk::Gtp(talk) => talk.begin(line, beginning),
        }
    }

    /// A move was made, by this engine or by another, in this engine's style.
    pub fn played(&mut self, player: Player, text: &str) {
        match &mut self.talk {
            Talk::Uci(talk) => talk.played(text),
            Talk::Gtp(talk) => talk.played(&mut self.line.process, player, text),
        }
    }

    /// Asks for a move of the player to move; `hear` is told what it thinks on the way.
    pub fn choose(
        &mut self,
        player: Player,
        go: &Go,
        clocks: &Clocks,
        hear: &mut dyn FnMut(&Thought),
    ) -> Result<Answer, Fault> {
        let line = &mut self.line;
        match &mut self.talk {
            Talk::Uci(talk) => talk.choose(line, player, go, clocks, hear),
            Talk::Gtp(talk) => talk.choose(line, player, go, clocks),
        }
    }

    /// What the engine says how the game ended, `p1win`, `p2win`, `draw` or `none`; nothing if its dialect has no such
    /// question.
    pub fn result(&mut self) -> Result<Option<String>, Fault> {
        let line = &mut self.line;
        match &mut self.talk {
            Talk::Uci(talk) => talk.result(line),
            // The last move has to be heard of, too.
            Talk::Gtp(talk) => talk.ready(line).map(|()| None),
        }
    }

    /// Says good-bye, and ends it if it does not go.
    pub fn quit(self) {
        let deadline = Instant::now() + self.line.patience.quit;
        self.line.process.end("quit\n", deadline);
    }

    /// Ends it at once, and keeps what may explain why.
    pub fn bury(mut self) -> Remains {
        self.line.process.pass_over();
        let lines = self.line.process.last_lines();
        let (exit, complaints) = self.line.process.kill();
        Remains {
            exit: exit.text,
            lines,
            complaints,
            is_foreign_stop: exit.is_foreign_stop,
        }
    }

    /// The last lines of the conversation and of standard error, of an engine that is well.
    pub fn last_words(&self) -> Remains {
        Remains {
            exit: "still running".to_owned(),
            lines: self.line.process.last_lines(),
            complaints: self.line.process.last_complaints(),
            is_foreign_stop: false,
        }
    }
}

/// The way to an engine, for the dialects.
#[derive(Debug)]
struct Line {
    process: Process,
    patience: Patience,
    notes: Vec<String>,
}

/// More of what an engine says on its own account is not kept.
const MOST_NOTES: usize = 8;

impl Line {
    /// Keeps what an engine says on its own account, once.
    fn note(&mut self, said: &str) {
        if let Some(note) = said.strip_prefix("info string ")
            && self.notes.len() < MOST_NOTES
            && !self.notes.iter().any(|known| known == note)
        {
            self.notes.push(note.to_owned());
        }
    }

    fn hear(&mut self, phase: Phase, deadline: Instant) -> Result<String, Fault> {
        (self.process.hear(deadline)).map_err(|silence| Fault::of(silence, phase))
    }

    /// How long a move may take, and whether that was agreed on rather than a matter of patience.
    fn time_for(&self, player: Player, go: &Go, clocks: &Clocks) -> (Duration, bool) {
        match clocks.left(player).or(go.movetime) {
            Some(time) => (time + self.patience.margin, true),
            None => (self.patience.reply, false),
        }
    }
}

/// The options an engine has, by their names in small letters.
type Names = BTreeSet<String>;
