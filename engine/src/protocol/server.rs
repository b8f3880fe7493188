//! The server: lines and notes in, text out.

use std::{collections::VecDeque, time::Duration};

use super::{
    core::{Core, Note, Notes},
    gtp::Gtp,
    nboard::NBoard,
    uci::{Flavour, Uci},
};
use crate::{
    session::{Answer, Event, Thought},
    tree::confine::Confinement,
};

/// The dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Talk {
    /// Chess programs'.
    Uci,
    /// The same for all games.
    Ugi,
    /// Go programs'.
    Gtp,
    /// Othello programs'.
    NBoard,
}

impl Talk {
    /// All of them, with the names they have on the command line.
    pub const ALL: [(&'static str, Self); 4] = [
        ("uci", Self::Uci),
        ("ugi", Self::Ugi),
        ("gtp", Self::Gtp),
        ("nboard", Self::NBoard),
    ];

    /// The dialect that a first line is in, if it is in one.
    fn of(line: &str) -> Option<Self> {
        let word = line.split_whitespace().next()?;
        match word {
            "ugi" => Some(Self::Ugi),
            "nboard" => Some(Self::NBoard),
            _ if Uci::knows(word) => Some(Self::Uci),
            _ if Gtp::knows(line) => Some(Self::Gtp),
            _ => None,
        }
    }
}

/// What a dialect makes of a line that comes while a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum During {
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
    GoOn,
    Quit,
}

/// A way of talking.
pub(super) trait Dialect: Send {
    /// What becomes of a line while a task runs; `queued` says that others are waiting already.
    fn during(&self, core: &Core, line: &str, queued: bool) -> During;

    /// Works a line off.
    fn line(&mut self, core: &mut Core, line: &str) -> Flow;

    /// Tells what a running search knows.
    fn thought(&mut self, core: &mut Core, thought: &Thought);

    /// Tells something as it is.
    fn said(&mut self, core: &mut Core, text: &str);

    /// A task is over.
    fn done(&mut self, core: &mut Core, answer: Option<Answer>);

    /// Something went wrong on the side.
    fn warning(&mut self, core: &mut Core, text: &str);

    /// A line was too long to be read.
    fn too_long(&mut self, core: &mut Core, text: &str);
}

/// What is fixed before the first line.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The dialect; the first word that is recognised decides if none.
    pub talk: Option<Talk>,
    /// The game.
    pub game: Option<String>,
    /// Options by name.
    pub options: Vec<(String, String)>,
    /// Below which trees must stay; none for anywhere.
    pub trees_under: Option<Confinement>,
}

/// A server of one client.
pub struct Server {
    core: Core,
    dialect: Option<Box<dyn Dialect>>,
    queue: VecDeque<String>,
    /// Something in the queue cuts everything before it short.
    hurry: bool,
    /// No more lines will come.
    closed: bool,
    /// Somebody said quit: it ends when the task is over, and at this time at the latest.
    quitting: Option<Duration>,
}

/// A task that does not stop when told to quit is left alone after so long.
const PATIENCE: Duration = Duration::from_millis(70);
/// What is said instead of a line that was too long.
const TOO_LONG: &str = "a line of more than 1048576 bytes: it was not read";

impl Server {
    /// A server; an error says what is wrong with the set-up.
    pub fn new(setup: &Setup, notes: Notes) -> Result<Self, String> {
        let mut server = Self {
            core: Core::new(notes),
            dialect: setup.talk.map(make),
            queue: VecDeque::new(),
            hurry: false,
            closed: false,
            quitting: None,
        };
        let core = &mut server.core;
        core.trees_under.clone_from(&setup.trees_under);
        if setup.talk == Some(Talk::NBoard) {
            core.set_option_text("Game", "othello")?;
        }
        if let Some(game) = &setup.game {
            core.set_option_text("Game", game)?;
        }
        for (name, value) in &setup.options {
            let checked = core.set_option_text(name, value)?;
            if let Some(note) = checked.note {
                return Err(note);
            }
            (checked.remarks.into_iter()).for_each(|text| core.say_aside(text));
        }
        core.check_search()?;
        Ok(server)
    }

    /// Takes a line, without its end; what is to be said.
    pub fn on_line(&mut self, line: &str, now: Duration) -> String {
        self.core.now = now;
        if self.quitting.is_none() {
            self.take_line(line);
        }
        self.settle();
        self.core.take_text()
    }

    /// Takes in that there was a line too long to be read.
    pub fn on_long_line(&mut self, now: Duration) -> String {
        self.core.now = now;
        if let Some(dialect) = &mut self.dialect {
            dialect.too_long(&mut self.core, TOO_LONG);
        }
        self.core.take_text()
    }

    /// Takes in that no more lines will come: what was asked for is finished, what would never end is stopped.
    pub fn on_end(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.closed = true;
        self.settle();
        self.core.take_text()
    }

    /// Takes in that the client is not there any more: what runs is stopped, what waits is given up, and the server ends.
    pub fn on_client_gone(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.closed = true;
        self.quit();
        self.settle();
        self.core.take_text()
    }

    /// Takes a note from another thread.
    pub fn on_note(&mut self, note: Note, now: Duration) -> String {
        self.core.now = now;
        self.take_note(note);
        self.settle();
        self.core.take_text()
    }

    fn take_note(&mut self, note: Note) {
        let core = &mut self.core;
        match note {
            Note::Warning(text) => {
                if let Some(dialect) = &mut self.dialect {
                    dialect.warning(core, &text);
                }
            }
            Note::Task(number, event) => {
                let current = core.is_current(number);
                match (event, &mut self.dialect) {
                    (Event::Done(answer), _) => {
                        core.note_done(number, answer);
                    }
                    (Event::Thought(thought), Some(dialect)) if current => {
                        dialect.thought(core, &thought);
                    }
                    (Event::Said(text), Some(dialect)) if current => dialect.said(core, &text),
                    (Event::Remark(text), Some(dialect)) if current => {
                        dialect.warning(core, &text);
                    }
                    _ => {}
                }
            }
        }
    }

    /// When [`Self::on_timer`] must be called, if nothing else happens before.
    pub fn next_timer(&self) -> Option<Duration> {
        let timers = [self.core.next_timer(), self.quitting];
        timers.into_iter().flatten().min()
    }

    /// Does what is due.
    pub fn on_timer(&mut self, now: Duration) -> String {
        self.core.now = now;
        self.core.on_timer();
        self.settle();
        self.core.take_text()
    }

    /// Whether there is nothing more to do.
    pub fn is_over(&self) -> bool {
        let is_idle = !self.core.is_running();
        match self.quitting {
            Some(deadline) => is_idle || self.core.now >= deadline,
            None => self.closed && is_idle && self.queue.is_empty(),
        }
    }

    /// What there is to say beside the protocol, on standard error.
    pub fn take_asides(&mut self) -> Vec<String> {
        self.core.take_asides()
    }

    /// Whether somebody said quit, or the client is gone.
    pub fn is_quitting(&self) -> bool {
        self.quitting.is_some()
    }

    /// Whether every tree of a finished search has been written.
    pub fn is_written(&self) -> bool {
        self.core.is_written()
    }

    /// Closes what trees are written to; to be called when they are. What went wrong comes as notes.
    pub fn close_trees(&mut self) {
        self.core.close_outputs();
    }

    fn take_line(&mut self, line: &str) {
        let Some(dialect) = &self.dialect else {
            self.work(line);
            return;
        };
        if !self.core.is_running() && self.queue.is_empty() {
            self.work(line);
            return;
        }
        match dialect.during(&self.core, line, !self.queue.is_empty()) {
            During::Now if self.queue.is_empty() => {
                self.work(line);
                return;
            }
            During::StopFirst => {
                self.core.stop();
                self.hurry = !self.queue.is_empty();
            }
            _ => {}
        }
        self.queue.push_back(line.to_owned());
    }

    fn work(&mut self, line: &str) {
        let core = &mut self.core;
        // Some editors put a mark before the first line of a script.
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        if self.dialect.is_none() {
            match Talk::of(line) {
                Some(Talk::NBoard) => {
                    let _ = core.set_option_text("Game", "othello");
                    self.dialect = Some(make(Talk::NBoard));
                }
                Some(talk) => self.dialect = Some(make(talk)),
                None if line.trim() == "help" => {
                    core.say(HELP);
                    return;
                }
                None => return,
            }
        }
        if let Some(dialect) = &mut self.dialect
            && dialect.line(core, line) == Flow::Quit
        {
            self.quit();
        }
    }

    fn quit(&mut self) {
        self.core.stop();
        self.quitting = Some(self.core.now + PATIENCE);
        self.queue.clear();
    }

    /// Tells answers that are due, and works off what waited for them.
    fn settle(&mut self) {
        loop {
            if let Some(note) = self.core.take_early() {
                self.take_note(note);
            } else if let Some(answer) = self.core.take_answer() {
                if let Some(dialect) = &mut self.dialect {
                    dialect.done(&mut self.core, answer);
                }
            } else if !self.core.is_running()
                && self.quitting.is_none()
                && let Some(line) = self.queue.pop_front()
            {
                self.hurry &= !self.queue.is_empty();
                self.work(&line);
            } else if self.core.is_running()
                && let Some(line) = self.queue.front()
                && let Some(dialect) = &self.dialect
                && dialect.during(&self.core, line, false) == During::Now
            {
                // A queued line may have begun a task during which the next one is worked off.
                let line = self.queue.pop_front().unwrap_or_default();
                self.work(&line);
            } else if self.core.is_running()
                && let Some(line) = self.queue.front()
                && let Some(dialect) = &self.dialect
                && dialect.during(&self.core, line, false) == During::StopFirst
                && !self.core.is_stopping()
            {
                self.core.stop();
            } else if !self.core.is_stopping()
                && ((self.hurry && self.core.is_running())
                    || (self.closed && self.core.is_open_ended()))
            {
                self.core.stop();
            } else {
                break;
            }
        }
    }
}

const HELP: &str = "Canopy plays chess, othello, kalah, connect four and delta for other programs.\n\
    Say uci, ugi, nboard or a GTP command such as list_commands to begin; quit ends.\n\
    canopy-engine --help tells what else the program can do.";

fn make(talk: Talk) -> Box<dyn Dialect> {
    match talk {
        Talk::Uci => Box::new(Uci::new(Flavour::Uci)),
        Talk::Ugi => Box::new(Uci::new(Flavour::Ugi)),
        Talk::Gtp => Box::new(Gtp::default()),
        Talk::NBoard => Box::new(NBoard::default()),
    }
}
