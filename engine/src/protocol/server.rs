//! The server as a state machine: lines, events and timers in, text out.

use std::{collections::VecDeque, time::Duration};

use super::{
    dialect::{self, ProtocolKind},
    server_core::{ServerCore, ServerEvent, ServerEventSink},
};
use crate::{
    games::{self, notation},
    session::{SearchInfo, SearchResult, SessionEvent, Solution},
    tree::confinement::Confinement,
};

/// When a line that arrives while a task runs is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineTiming {
    /// At once.
    Now,
    /// After the task.
    Later,
    /// After the task, which is stopped.
    StopFirst,
}

/// Whether the server goes on after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    Quit,
}

/// A dialect's parsing and rendering.
pub(super) trait ProtocolHandler: Send {
    /// When to execute a line while a task runs; `queued` is set if other lines wait already.
    fn line_timing(&self, core: &ServerCore, line: &str, queued: bool) -> LineTiming;

    /// Executes a line.
    fn on_line(&mut self, core: &mut ServerCore, line: &str) -> Flow;

    /// Renders progress of the running search.
    fn on_info(&mut self, core: &mut ServerCore, info: &SearchInfo);

    /// Passes on a line of output of the running task.
    fn on_text(&mut self, core: &mut ServerCore, text: &str);

    /// Renders the answer of a solver.
    fn on_solution(&mut self, core: &mut ServerCore, solution: &Solution);

    /// Renders the end of a task, with the result of a search.
    fn on_done(&mut self, core: &mut ServerCore, result: Option<SearchResult>);

    /// Passes on a warning.
    fn on_warning(&mut self, core: &mut ServerCore, text: &str);

    /// Reports a line that was too long to be read.
    fn on_long_line(&mut self, core: &mut ServerCore, text: &str);
}

/// What the command line fixes before the first line.
#[derive(Clone, Debug, Default)]
pub struct ServerConfig {
    /// The dialect; without one the first recognised line decides.
    pub protocol: Option<ProtocolKind>,
    /// The game.
    pub game: Option<String>,
    /// Options, by name.
    pub options: Vec<(String, String)>,
    /// The directory that trees must stay below; none for anywhere.
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
    /// Set if a queued line demands that tasks started before it are stopped.
    has_urgent_line: bool,
    /// Set at the end of input.
    is_input_closed: bool,
    /// Set by `quit`: the server ends with the task, at this time at the latest.
    quit_deadline: Option<Duration>,
}

/// How long `quit` waits for a task to stop.
const QUIT_GRACE_PERIOD: Duration = Duration::from_millis(70);
/// The error for a line that was too long.
const LINE_TOO_LONG: &str = "a line of more than 1048576 bytes: it was not read";

impl Server {
    /// A server before its first line.
    pub fn new(config: &ServerConfig, event_sink: ServerEventSink) -> Result<Self, ConfigError> {
        let mut server = Self {
            core: ServerCore::new(event_sink),
            handler: None,
            queue: VecDeque::new(),
            has_urgent_line: false,
            is_input_closed: false,
            quit_deadline: None,
        };
        let core = &mut server.core;
        core.trees.confinement.clone_from(&config.tree_confinement);
        if let Some(protocol) = config.protocol {
            server.handler = Some(protocol.dialect().start(core)?);
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

    /// Handles a line without its line end; returns the output.
    pub fn on_line(&mut self, line: &str, now: Duration) -> String {
        self.core.now = now;
        if self.quit_deadline.is_none() {
            self.take_line(line);
        }
        self.process_pending();
        self.core.take_text()
    }

    /// Handles a line that was too long to be read.
    pub fn on_long_line(&mut self, now: Duration) -> String {
        self.core.now = now;
        if let Some(handler) = &mut self.handler {
            handler.on_long_line(&mut self.core, LINE_TOO_LONG);
        }
        self.core.take_text()
    }

    /// Handles the end of input: queued work is finished, open-ended searches are stopped.
    pub fn on_input_closed(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.is_input_closed = true;
        self.process_pending();
        self.core.take_text()
    }

    /// Handles the loss of the client: the task is stopped, the queue is dropped, and the server ends.
    pub fn on_client_gone(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.is_input_closed = true;
        self.quit();
        self.process_pending();
        self.core.take_text()
    }

    /// Handles an event from another thread.
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
                    (SessionEvent::Solved(solution), Some(handler)) if current => {
                        handler.on_solution(core, &solution);
                    }
                    (SessionEvent::Warning(text), Some(handler)) if current => {
                        handler.on_warning(core, &text);
                    }
                    _ => {}
                }
            }
        }
    }

    /// When [`Self::on_timer`] is due if no other input comes first.
    pub fn next_timer(&self) -> Option<Duration> {
        let timers = [self.core.next_timer(), self.quit_deadline];
        timers.into_iter().flatten().min()
    }

    /// Handles a timer.
    pub fn on_timer(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.core.on_timer();
        self.process_pending();
        self.core.take_text()
    }

    /// Whether the server has ended.
    pub fn is_over(&self) -> bool {
        let is_idle = !self.core.is_running();
        match self.quit_deadline {
            Some(deadline) => is_idle || self.core.now >= deadline,
            None => self.is_input_closed && is_idle && self.queue.is_empty(),
        }
    }

    /// Messages outside the protocol, for standard error.
    pub fn take_stderr_messages(&mut self) -> Vec<String> {
        self.core.take_stderr_messages()
    }

    /// Whether `quit` was received or the client is gone.
    pub fn is_quitting(&self) -> bool {
        self.quit_deadline.is_some()
    }

    /// Whether every tree of a finished search has been written.
    pub fn are_trees_written(&self) -> bool {
        self.core.trees.are_idle()
    }

    /// Closes tree outputs, once [`Self::are_trees_written`]. Failures arrive as events.
    pub fn close_trees(&mut self) {
        self.core.trees.close();
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
        // A byte order mark may precede the first line of a script.
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        if self.handler.is_none() {
            match dialect::detect(line) {
                Some(dialect) => self.handler = dialect.start(core).ok(),
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
