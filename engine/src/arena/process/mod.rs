//! An engine as a process: lines with deadlines in both directions, and an end that it cannot put off.
//!
//! There are two ways to run it. On Unix one thread does it all: pipes do not block; reads and writes are polled together, so an
//! engine that floods its output, stops reading, or hangs blocks nobody. Every engine leads its own process group, so that Ctrl-C
//! does not reach it. All its descendants are killed with it, also those that left the group. Elsewhere, and on Unix with
//! `CANOPY_ENGINE_BACKEND=threads` in the environment, a thread for each pipe does the same with what the standard library has;
//! there an engine is killed alone, and what it has started is left to the system.

use std::{
    fmt::Debug,
    io,
    path::Path,
    process::ExitStatus,
    time::{Duration, Instant},
};

use crate::runs::halt::Halt;

#[cfg(target_os = "linux")]
mod descendants;
mod lines;
mod portable;
#[cfg(unix)]
mod unix;

/// Poll interval for stop requests while waiting.
const HALT_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The environment variable that chooses how engines are run, and its value for the portable way.
#[cfg(unix)]
const BACKEND_VARIABLE: (&str, &str) = ("CANOPY_ENGINE_BACKEND", "threads");

/// How a process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessExit {
    /// In words.
    pub text: String,
    /// Whether it was apparently stopped from outside: it ended before we asked, by SIGTERM, SIGINT, SIGHUP or SIGKILL, with
    /// an exit code that stands for one of them, or with 0.
    pub is_stopped_externally: bool,
    /// Whether it had to be ended because it did not end by itself.
    pub is_ended_by_us: bool,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The time is up.
    Timeout,
    /// Its output has ended: it has exited, or closed it.
    Closed,
    /// The match was told to stop.
    Halted,
}

/// A running engine. Dropping it ends it.
#[derive(Debug)]
pub struct Process(Box<dyn Backend>);

/// One way to run an engine; see the methods of [`Process`].
trait Backend: Debug + Send {
    fn lower_priority(&self);
    fn send(&mut self, lines: &str);
    fn read_line(&mut self, deadline: Instant) -> Result<String, ReadError>;
    fn discard_output(&mut self);
    fn transcript_tail(&self) -> Vec<String>;
    fn stderr_tail(&self) -> Vec<String>;
    fn shut_down(self: Box<Self>, quit_command: &str, deadline: Instant) -> ProcessExit;
    fn kill(self: Box<Self>) -> (ProcessExit, Vec<String>);
}

impl Process {
    /// Starts a program with its arguments, in a directory if one is given.
    pub fn start(words: &[String], directory: Option<&Path>, halt: &Halt) -> io::Result<Self> {
        #[cfg(unix)]
        if std::env::var_os(BACKEND_VARIABLE.0).is_none_or(|value| value != BACKEND_VARIABLE.1) {
            let process = unix::PolledProcess::start(words, directory, halt)?;
            return Ok(Self(Box::new(process)));
        }
        let process = portable::ThreadedProcess::start(words, directory, halt)?;
        Ok(Self(Box::new(process)))
    }

    /// Lowers its scheduling priority. Call it before the process has threads. If the system refuses, the priority stays.
    pub fn lower_priority(&self) {
        self.0.lower_priority();
    }

    /// Sends lines, each ending with a line feed. Input the engine does not read at once is sent while waiting for its
    /// answers.
    pub fn send(&mut self, lines: &str) {
        self.0.send(lines);
    }

    /// The next line of output, without its end, if it arrives before the deadline.
    pub fn read_line(&mut self, deadline: Instant) -> Result<String, ReadError> {
        self.0.read_line(deadline)
    }

    /// Discards all output so far.
    pub fn discard_output(&mut self) {
        self.0.discard_output();
    }

    /// The last lines of the conversation: `> ` sent, `< ` received.
    pub fn transcript_tail(&self) -> Vec<String> {
        self.0.transcript_tail()
    }

    /// The last lines of its standard error.
    pub fn stderr_tail(&self) -> Vec<String> {
        self.0.stderr_tail()
    }

    /// Sends the quit command, waits until the deadline, then kills it; returns how it ended.
    pub fn shut_down(self, quit_command: &str, deadline: Instant) -> ProcessExit {
        self.0.shut_down(quit_command, deadline)
    }

    /// Ends it at once, with all that it has started where that can be known; how it had ended if it had.
    pub fn kill(self) -> (ProcessExit, Vec<String>) {
        self.0.kill()
    }
}

/// Whether a process ended by SIGHUP, SIGINT, SIGKILL or SIGTERM, or by the exit code that shells and Java use for one. Exit code
/// 0 counts: no engine exits normally in mid-game unless it was asked to, and some catch the signal.
fn is_stop_status(status: ExitStatus) -> bool {
    const STOP_SIGNALS: [i32; 4] = [1, 2, 9, 15];
    match status.code() {
        Some(0) => true,
        Some(code) => STOP_SIGNALS.contains(&(code - 128)),
        None => signal_of(status).is_some_and(|signal| STOP_SIGNALS.contains(&signal)),
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}
