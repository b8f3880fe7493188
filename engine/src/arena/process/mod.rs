//! An engine as a process: lines with deadlines in both directions, and an end that it cannot put off.
//!
//! There are two ways to run it. On Unix one thread does it all: pipes do not block; reads and writes are polled together, so an
//! engine that floods its output, stops reading, or hangs blocks nobody. Every engine leads its own process group, so that Ctrl-C
//! does not reach it. All its descendants are killed with it, also those that left the group. Elsewhere, and on Unix with
//! `CANOPY_ENGINE_BACKEND=threads` in the environment, a thread for each pipe does the same with what the standard library has;
//! there an engine is killed alone, and what it has started is left to the system.

use std::{
    fmt::Debug,
    io::{self, ErrorKind},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use self::lines::Conversation;
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

impl ProcessExit {
    /// The end of a process that had ended by itself, or was ended by us.
    fn new(status: io::Result<ExitStatus>, had_ended: bool) -> Self {
        let text = match &status {
            Ok(status) => status.to_string(),
            Err(error) => format!("exit status unknown: {error}"),
        };
        match had_ended {
            true => Self {
                text,
                is_stopped_externally: status.is_ok_and(is_stop_status),
                is_ended_by_us: false,
            },
            false => Self {
                text: format!("{text}, ended by the match"),
                is_stopped_externally: false,
                is_ended_by_us: true,
            },
        }
    }
}

/// A running engine. Dropping it ends it.
#[derive(Debug)]
pub struct Process {
    backend: Box<dyn Backend>,
    halt: Halt,
}

/// One way to run an engine.
trait Backend: Debug + Send {
    fn lower_priority(&self);
    fn conversation(&self) -> &Conversation;
    fn conversation_mut(&mut self) -> &mut Conversation;
    /// Sends bytes; those that the engine does not read at once are sent while waiting for its output.
    fn send(&mut self, bytes: &[u8]);
    /// Waits until there is output or its end, at most so long.
    fn poll_output(&mut self, timeout: Duration);
    fn is_output_closed(&self) -> bool;
    /// Takes the output that is there.
    fn take_output(&mut self);
    fn stderr_tail(&self) -> Vec<String>;
    /// Called before the engine is told to quit.
    fn prepare_shut_down(&mut self);
    /// Waits for its end until the deadline, then ends it.
    fn terminate(&mut self, deadline: Instant) -> ProcessExit;
}

/// The command that starts a program with its arguments, in a directory if one is given, with pipes.
fn piped_command(words: &[String], directory: Option<&Path>) -> io::Result<Command> {
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "no program is named"))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    Ok(command)
}

impl Process {
    /// Starts a program with its arguments, in a directory if one is given.
    pub fn start(words: &[String], directory: Option<&Path>, halt: &Halt) -> io::Result<Self> {
        let command = piped_command(words, directory)?;
        Ok(Self {
            backend: start_backend(command, halt)?,
            halt: halt.clone(),
        })
    }

    /// Lowers its scheduling priority. Call it before the process has threads. If the system refuses, the priority stays.
    pub fn lower_priority(&self) {
        self.backend.lower_priority();
    }

    /// Sends lines, each ending with a line feed. Input the engine does not read at once is sent while waiting for its
    /// answers.
    pub fn send(&mut self, lines: &str) {
        self.backend.conversation_mut().log_sent(lines);
        self.backend.send(lines.as_bytes());
    }

    /// The next line of output, without its end, if it arrives before the deadline.
    pub fn read_line(&mut self, deadline: Instant) -> Result<String, ReadError> {
        loop {
            if let Some(line) = self.backend.conversation_mut().next_line() {
                return Ok(line);
            }
            if self.backend.is_output_closed() {
                return Err(ReadError::Closed);
            }
            if self.halt.is_requested() {
                return Err(ReadError::Halted);
            }
            let now = Instant::now();
            if now >= deadline {
                return Err(ReadError::Timeout);
            }
            self.backend
                .poll_output(HALT_POLL_INTERVAL.min(deadline - now));
        }
    }

    /// Discards all output so far.
    pub fn discard_output(&mut self) {
        self.backend.take_output();
        while self.backend.conversation_mut().next_line().is_some() {}
    }

    /// The last lines of the conversation: `> ` sent, `< ` received.
    pub fn transcript_tail(&self) -> Vec<String> {
        self.backend.conversation().tail()
    }

    /// The last lines of its standard error.
    pub fn stderr_tail(&self) -> Vec<String> {
        self.backend.stderr_tail()
    }

    /// Sends the quit command, waits until the deadline, then kills it; returns how it ended.
    pub fn shut_down(mut self, quit_command: &str, deadline: Instant) -> ProcessExit {
        self.backend.prepare_shut_down();
        self.send(quit_command);
        self.backend.terminate(deadline)
    }

    /// Ends it at once, with all that it has started where that can be known; how it had ended if it had.
    pub fn kill(mut self) -> (ProcessExit, Vec<String>) {
        let exit = self.backend.terminate(Instant::now());
        (exit, self.stderr_tail())
    }
}

fn start_backend(command: Command, halt: &Halt) -> io::Result<Box<dyn Backend>> {
    #[cfg(unix)]
    if std::env::var_os(BACKEND_VARIABLE.0).is_none_or(|value| value != BACKEND_VARIABLE.1) {
        return Ok(Box::new(unix::PolledProcess::start(command, halt)?));
    }
    Ok(Box::new(portable::ThreadedProcess::start(command, halt)?))
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
