//! The server: lines and notes in, text out.

use std::{collections::VecDeque, time::Duration};

use super::{
    gtp::Gtp,
    nboard::NBoard,
    server_core::{ServerCore, ServerEvent, ServerEventSink},
    uci::{Uci, UciFlavour},
};
use crate::{
    games::{self, Notation as _, notation, othello::Othello},
    session::{SearchInfo, SearchResult, SessionEvent},
    tree::confinement::Confinement,
};

/// The dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolKind {
    /// Chess programs'.
    Uci,
    /// The same for all games.
    Ugi,
    /// Go programs'.
    Gtp,
    /// Othello programs'.
    NBoard,
}

impl ProtocolKind {
    /// All of them, with the names they have on the command line.
    pub const ALL: [(&'static str, Self); 4] = [
        ("uci", Self::Uci),
        ("ugi", Self::Ugi),
        ("gtp", Self::Gtp),
        ("nboard", Self::NBoard),
    ];

    /// The dialect that a first line is in, if it is in one.
    fn detect(line: &str) -> Option<Self> {
        let word = line.split_whitespace().next()?;
        match word {
            "ugi" => Some(Self::Ugi),
            "nboard" => Some(Self::NBoard),
            _ if Uci::recognises(word) => Some(Self::Uci),
            _ if Gtp::recognises(line) => Some(Self::Gtp),
            _ => None,
        }
    }
}

/// What a dialect makes of a line that comes while a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineTiming {
    /// It is worked off at once.
    Now,
    /// It waits until the task is over.
    Later,
    /// The task is stopped, and the line waits until it is over.
    StopFirst,
}

/// What is to happen after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    Quit,
}

/// A way of talking.
pub(super) trait ProtocolHandler: Send {
    /// What becomes of a line while a task runs; `queued` says that others are waiting already.
    fn line_timing(&self, core: &ServerCore, line: &str, queued: bool) -> LineTiming;

    /// Works a line off.
    fn on_line(&mut self, core: &mut ServerCore, line: &str) -> Flow;

    /// Tells what a running search knows.
    fn on_info(&mut self, core: &mut ServerCore, info: &SearchInfo);

    /// Tells something as it is.
    fn on_text(&mut self, core: &mut ServerCore, text: &str);

    /// A task is over.
    fn on_done(&mut self, core: &mut ServerCore, result: Option<SearchResult>);

    /// Something went wrong on the side.
    fn on_warning(&mut self, core: &mut ServerCore, text: &str);

    /// A line was too long to be read.
    fn on_long_line(&mut self, core: &mut ServerCore, text: &str);
}

/// What is fixed before the first line.
#[derive(Clone, Debug, Default)]
pub struct ServerConfig {
    /// The dialect; the first word that is recognised decides if none.
    pub protocol: Option<ProtocolKind>,
    /// The game.
    pub game: Option<String>,
    /// Options by name.
    pub options: Vec<(String, String)>,
    /// Below which trees must stay; none for anywhere.
    pub tree_confinement: Option<Confinement>,
}

/// What is wrong with a [`ServerConfig`], in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl From<String> for ConfigError {
    fn from(problem: String) -> Self {
        Self(problem)
    }
}

/// A server of one client.
pub struct Server {
    core: ServerCore,
    handler: Option<Box<dyn ProtocolHandler>>,
    queue: VecDeque<String>,
    /// Something in the queue cuts everything before it short.
    has_urgent_line: bool,
    /// No more lines will come.
    is_input_closed: bool,
    /// Somebody said quit: it ends when the task is over, and at this time at the latest.
    quit_deadline: Option<Duration>,
}

/// A task that does not stop when told to quit is left alone after so long.
const QUIT_GRACE_PERIOD: Duration = Duration::from_millis(70);
/// What is said instead of a line that was too long.
const LINE_TOO_LONG: &str = "a line of more than 1048576 bytes: it was not read";

impl Server {
    /// A server before its first line.
    pub fn new(config: &ServerConfig, event_sink: ServerEventSink) -> Result<Self, ConfigError> {
        let mut server = Self {
            core: ServerCore::new(event_sink),
            handler: config.protocol.map(new_handler),
            queue: VecDeque::new(),
            has_urgent_line: false,
            is_input_closed: false,
            quit_deadline: None,
        };
        let core = &mut server.core;
        core.tree_confinement.clone_from(&config.tree_confinement);
        if config.protocol == Some(ProtocolKind::NBoard) {
            core.set_option_text("Game", Othello::NAME)?;
        }
        if let Some(game) = &config.game {
            core.set_option_text("Game", game)?;
        }
        for (name, value) in &config.options {
            let checked = core.set_option_text(name, value)?;
            if let Some(note) = checked.range_warning {
                return Err(ConfigError(note));
            }
            (checked.warnings.into_iter()).for_each(|text| core.send_stderr(text));
        }
        core.check_search()?;
        Ok(server)
    }

    /// Takes a line, without its end; what is to be said.
    pub fn on_line(&mut self, line: &str, now: Duration) -> String {
        self.core.now = now;
        if self.quit_deadline.is_none() {
            self.take_line(line);
        }
        self.process_pending();
        self.core.take_text()
    }

    /// Takes in that there was a line too long to be read.
    pub fn on_long_line(&mut self, now: Duration) -> String {
        self.core.now = now;
        if let Some(handler) = &mut self.handler {
            handler.on_long_line(&mut self.core, LINE_TOO_LONG);
        }
        self.core.take_text()
    }

    /// Takes in that no more lines will come: what was asked for is finished, what would never end is stopped.
    pub fn on_input_closed(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.is_input_closed = true;
        self.process_pending();
        self.core.take_text()
    }

    /// Takes in that the client is not there any more: what runs is stopped, what waits is given up, and the server ends.
    pub fn on_client_gone(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.is_input_closed = true;
        self.quit();
        self.process_pending();
        self.core.take_text()
    }

    /// Takes a note from another thread.
    pub fn on_event(&mut self, event: ServerEvent, now: Duration) -> String {
        self.core.now = now;
        self.handle_event(event);
        self.process_pending();
        self.core.take_text()
    }

    fn handle_event(&mut self, server_event: ServerEvent) {
        let core = &mut self.core;
        match server_event {
            ServerEvent::Warning(text) => {
                if let Some(handler) = &mut self.handler {
                    handler.on_warning(core, &text);
                }
            }
            ServerEvent::Task(number, event) => {
                let current = core.is_current(number);
                match (event, &mut self.handler) {
                    (SessionEvent::Done(result), _) => {
                        core.finish_task(number, result);
                    }
                    (SessionEvent::Info(info), Some(handler)) if current => {
                        handler.on_info(core, &info);
                    }
                    (SessionEvent::Text(text), Some(handler)) if current => {
                        handler.on_text(core, &text)
                    }
                    (SessionEvent::Warning(text), Some(handler)) if current => {
                        handler.on_warning(core, &text);
                    }
                    _ => {}
                }
            }
        }
    }

    /// When [`Self::on_timer`] must be called, if nothing else happens before.
    pub fn next_timer(&self) -> Option<Duration> {
        let timers = [self.core.next_timer(), self.quit_deadline];
        timers.into_iter().flatten().min()
    }

    /// Does what is due.
    pub fn on_timer(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.core.on_timer();
        self.process_pending();
        self.core.take_text()
    }

    /// Whether there is nothing more to do.
    pub fn is_over(&self) -> bool {
        let is_idle = !self.core.is_running();
        match self.quit_deadline {
            Some(deadline) => is_idle || self.core.now >= deadline,
            None => self.is_input_closed && is_idle && self.queue.is_empty(),
        }
    }

    /// What there is to say beside the protocol, on standard error.
    pub fn take_stderr_messages(&mut self) -> Vec<String> {
        self.core.take_stderr_messages()
    }

    /// Whether somebody said quit, or the client is gone.
    pub fn is_quitting(&self) -> bool {
        self.quit_deadline.is_some()
    }

    /// Whether every tree of a finished search has been written.
    pub fn are_trees_written(&self) -> bool {
        self.core.are_trees_written()
    }

    /// Closes what trees are written to; to be called when they are. What went wrong comes as notes.
    pub fn close_trees(&mut self) {
        self.core.close_outputs();
    }

    fn take_line(&mut self, line: &str) {
        let Some(handler) = &self.handler else {
            self.execute_line(line);
            return;
        };
        if !self.core.is_running() && self.queue.is_empty() {
            self.execute_line(line);
            return;
        }
        match handler.line_timing(&self.core, line, !self.queue.is_empty()) {
            LineTiming::Now if self.queue.is_empty() => {
                self.execute_line(line);
                return;
            }
            LineTiming::StopFirst => {
                self.core.stop();
                self.has_urgent_line = !self.queue.is_empty();
            }
            _ => {}
        }
        self.queue.push_back(line.to_owned());
    }

    fn execute_line(&mut self, line: &str) {
        let core = &mut self.core;
        // Some editors put a mark before the first line of a script.
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        if self.handler.is_none() {
            match ProtocolKind::detect(line) {
                Some(ProtocolKind::NBoard) => {
                    let _ = core.set_option_text("Game", Othello::NAME);
                    self.handler = Some(new_handler(ProtocolKind::NBoard));
                }
                Some(protocol) => self.handler = Some(new_handler(protocol)),
                None if line.trim() == "help" => {
                    core.send_line(help());
                    return;
                }
                None => return,
            }
        }
        if let Some(handler) = &mut self.handler
            && handler.on_line(core, line) == Flow::Quit
        {
            self.quit();
        }
    }

    fn quit(&mut self) {
        self.core.stop();
        self.quit_deadline = Some(self.core.now + QUIT_GRACE_PERIOD);
        self.queue.clear();
    }

    /// Handles everything that can be handled before the next input.
    fn process_pending(&mut self) {
        while let Some(step) = self.next_step() {
            match step {
                PendingStep::Event(event) => self.handle_event(event),
                PendingStep::Result(result) => {
                    if let Some(handler) = &mut self.handler {
                        handler.on_done(&mut self.core, result);
                    }
                }
                PendingStep::Line(line) => self.execute_line(&line),
                PendingStep::Stop => self.core.stop(),
            }
        }
    }

    fn next_step(&mut self) -> Option<PendingStep> {
        if let Some(event) = self.core.take_inline_event() {
            return Some(PendingStep::Event(event));
        }
        if let Some(result) = self.core.take_result() {
            return Some(PendingStep::Result(result));
        }
        if !self.core.is_running() {
            let line = self.queue.pop_front_if(|_| self.quit_deadline.is_none())?;
            self.has_urgent_line &= !self.queue.is_empty();
            return Some(PendingStep::Line(line));
        }
        // A queued line may have started the running task, so the next line is judged anew.
        let timing = match (&self.handler, self.queue.front()) {
            (Some(handler), Some(line)) => handler.line_timing(&self.core, line, false),
            _ => LineTiming::Later,
        };
        if timing == LineTiming::Now {
            return self.queue.pop_front().map(PendingStep::Line);
        }
        let must_stop = timing == LineTiming::StopFirst
            || self.has_urgent_line
            || (self.is_input_closed && self.core.is_open_ended());
        (must_stop && !self.core.is_stopping()).then_some(PendingStep::Stop)
    }
}

/// The next thing a server can do without input.
enum PendingStep {
    Event(ServerEvent),
    Result(Option<SearchResult>),
    Line(String),
    Stop,
}

fn help() -> String {
    let titles: Vec<String> = games::listed()
        .map(|facts| facts.title.to_lowercase())
        .collect();
    format!(
        "Canopy plays {} for other programs.\n\
        Say uci, ugi, nboard or a GTP command such as list_commands to begin; quit ends.\n\
        canopy-engine --help tells what else the program can do.",
        notation::join_words(&titles, "and")
    )
}

fn new_handler(protocol: ProtocolKind) -> Box<dyn ProtocolHandler> {
    match protocol {
        ProtocolKind::Uci => Box::new(Uci::new(UciFlavour::Uci)),
        ProtocolKind::Ugi => Box::new(Uci::new(UciFlavour::Ugi)),
        ProtocolKind::Gtp => Box::new(Gtp::default()),
        ProtocolKind::NBoard => Box::new(NBoard::default()),
    }
}
