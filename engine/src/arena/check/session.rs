//! A conversation with an engine in which everything has a deadline.

use std::time::{Duration, Instant};

use crate::{
    arena::process::{Process, ProcessExit, ReadError},
    runs::halt::Halt,
};

/// Lines of the exchange that a report shows at most.
const MAX_SHOWN_LINES: usize = 12;
/// Lines of a step that are kept.
const MAX_KEPT_LINES: usize = 10_000;
/// The longest part of a line that a report shows.
const MAX_SHOWN_CHARS: usize = 160;

/// An engine process, and what was said since the step began.
pub struct Session {
    command: Vec<String>,
    halt: Halt,
    process: Option<Process>,
    lines: Vec<String>,
}

impl Session {
    /// A session with an engine that has not been started.
    pub fn new(command: &[String], halt: &Halt) -> Self {
        Self {
            command: command.to_vec(),
            halt: halt.clone(),
            process: None,
            lines: Vec::new(),
        }
    }

    /// Forgets what was said.
    pub fn begin_step(&mut self) {
        self.lines.clear();
    }

    /// The last lines that were said in this step.
    pub fn exchange(&self) -> Vec<String> {
        let skipped = self.lines.len().saturating_sub(MAX_SHOWN_LINES);
        let shown = self.lines.iter().skip(skipped);
        shown
            .map(|line| match line.char_indices().nth(MAX_SHOWN_CHARS) {
                None => line.clone(),
                Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            })
            .collect()
    }

    /// Whether there is a process that nobody has ended.
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Starts a new process.
    pub fn start(&mut self) -> Result<(), String> {
        let program = self.command.first().map_or("", String::as_str);
        let started = Process::start(&self.command, None, &self.halt);
        self.process =
            Some(started.map_err(|error| format!("{program} could not be started: {error}"))?);
        Ok(())
    }

    /// Ends the process at once.
    pub fn kill(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill();
        }
    }

    fn keep(&mut self, mark: &str, line: &str) {
        if self.lines.len() < MAX_KEPT_LINES {
            self.lines.push(format!("{mark}{line}"));
        } else if let Some(last) = self.lines.last_mut() {
            *last = format!("{mark}{line}");
        }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.keep("> ", line);
        if let Some(process) = &mut self.process {
            process.send(&format!("{line}\n"));
        }
    }

    /// The next line; none if there is none in time. An error if the engine has ended.
    pub fn read(&mut self, timeout: Duration) -> Result<Option<String>, String> {
        let Some(process) = &mut self.process else {
            return Err("the engine is not running".to_owned());
        };
        match process.read_line(Instant::now() + timeout) {
            Ok(line) => {
                self.keep("< ", &line);
                Ok(Some(line))
            }
            Err(ReadError::Timeout) => Ok(None),
            Err(ReadError::Halted) => Err("the check was stopped".to_owned()),
            Err(ReadError::Closed) => {
                let exit = self.process.take().map(|process| {
                    let (exit, complaints) = process.kill();
                    match complaints.last() {
                        Some(last) => format!("{}; it said: {last}", exit.text),
                        None => exit.text,
                    }
                });
                Err(format!("the engine ended ({})", exit.unwrap_or_default()))
            }
        }
    }

    /// Reads up to a line that `is_last` accepts; all lines. An error names what was `awaited`.
    pub fn read_until(
        &mut self,
        awaited: &str,
        timeout: Duration,
        is_last: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, String> {
        let deadline = Instant::now() + timeout;
        let mut lines = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.read(left)? {
                Some(line) => {
                    let is_done = is_last(&line);
                    if lines.len() < MAX_KEPT_LINES || is_done {
                        lines.push(line);
                    }
                    if is_done {
                        return Ok(lines);
                    }
                }
                None => return Err(format!("no {awaited} within {} ms", timeout.as_millis())),
            }
        }
    }

    /// Everything that is said in this time.
    pub fn listen(&mut self, time: Duration) -> Result<Vec<String>, String> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.read(left)? {
                Some(line) if lines.len() < MAX_KEPT_LINES => lines.push(line),
                Some(_) => {}
                None => return Ok(lines),
            }
        }
    }

    /// Sends a command that ends the engine, or closes its input, and waits; how it ended, or that it had to be killed.
    pub fn end(&mut self, command: &str, timeout: Duration) -> Result<ProcessExit, String> {
        let process = self.process.take().ok_or("the engine is not running")?;
        if !command.is_empty() {
            self.keep("> ", command);
        }
        let text = match command {
            "" => String::new(),
            command => format!("{command}\n"),
        };
        Ok(process.shut_down(&text, Instant::now() + timeout))
    }
}
