//! Pipes that do not block, and process groups.

use std::{
    collections::VecDeque,
    io::{self, ErrorKind, Read, Write as _},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::process::{CommandExt as _, ExitStatusExt as _},
    },
    path::Path,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    process::{
        Pid, Signal, WaitId, WaitIdOptions, getpriority_process, kill_process_group,
        setpriority_process, waitid,
    },
};

#[cfg(target_os = "linux")]
use super::family::Family;
use super::{Exit, Silence};
use crate::arena::halt::Halt;

/// Longer lines are passed over.
const LONGEST_LINE: usize = 1 << 20;
/// So much of what an engine says may wait to be read; then the engine does.
const MOST_WAITING: usize = 4 << 20;
/// So many lines of each kind are kept for reports, and so many bytes of each.
const KEPT_LINES: usize = 10;
const KEPT_BYTES: usize = 400;
/// Whoever waits looks so often whether somebody said stop.
const GLANCE: Duration = Duration::from_millis(50);
/// After SIGTERM a process has so long before SIGKILL.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// By so much an engine that gives way is nicer than who started it.
const STEP_BACK: i32 = 10;

/// A running engine.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Pid,
    /// What it has started, wherever that has gone.
    #[cfg(target_os = "linux")]
    family: Family,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    errors: Option<ChildStderr>,
    /// What the engine has not taken yet.
    to_send: Vec<u8>,
    /// What it has said and nobody has heard yet.
    heard: Lines,
    complaints: Lines,
    /// The last lines of the conversation, and of standard error.
    said: VecDeque<String>,
    said_aside: VecDeque<String>,
    halt: Halt,
    is_reaped: bool,
}

impl Process {
    /// Starts a program with its arguments, in a directory if one is given.
    pub fn start(words: &[String], directory: Option<&Path>, halt: &Halt) -> io::Result<Self> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "no program is named"))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        #[cfg(target_os = "linux")]
        let family = Family::found(&mut command);
        let mut child = command.spawn()?;
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let group = group.ok_or_else(|| io::Error::other("the process has no number"))?;
        let process = Self {
            child,
            group,
            #[cfg(target_os = "linux")]
            family,
            input,
            output,
            errors,
            to_send: Vec::new(),
            heard: Lines::default(),
            complaints: Lines::default(),
            said: VecDeque::new(),
            said_aside: VecDeque::new(),
            halt: halt.clone(),
            is_reaped: false,
        };
        // From here on dropping it ends it.
        process.input.as_ref().map_or(Ok(()), unblock)?;
        process.output.as_ref().map_or(Ok(()), unblock)?;
        process.errors.as_ref().map_or(Ok(()), unblock)?;
        Ok(process)
    }

    /// Lets it step back where others want to run. To be called before it has threads; where the system does not want to, it
    /// stays as it was.
    pub fn give_way(&self) {
        if let Ok(own) = getpriority_process(None) {
            let _ = setpriority_process(Some(self.group), own.saturating_add(STEP_BACK));
        }
    }

    /// Sends lines, each of which ends with a line feed. What the engine does not take at once is sent while its answers are
    /// waited for.
    pub fn send(&mut self, lines: &str) {
        for line in lines.lines() {
            keep(&mut self.said, "> ", line);
        }
        self.to_send.extend_from_slice(lines.as_bytes());
        self.write();
    }

    /// The next line it says, without its end, if it comes in time.
    pub fn hear(&mut self, deadline: Instant) -> Result<String, Silence> {
        loop {
            if let Some(line) = self.heard.next() {
                keep(&mut self.said, "< ", &line);
                return Ok(line);
            }
            if self.output.is_none() {
                return Err(Silence::Closed);
            }
            let now = Instant::now();
            if self.halt.is_said() {
                return Err(Silence::Halted);
            }
            if now >= deadline {
                return Err(Silence::TimeOut);
            }
            self.exchange(GLANCE.min(deadline - now));
        }
    }

    /// Passes over everything it has said so far.
    pub fn pass_over(&mut self) {
        self.read();
        while let Some(line) = self.heard.next() {
            keep(&mut self.said, "< ", &line);
        }
    }

    /// The last lines of the conversation: `> ` what it was told, `< ` what it said.
    pub fn last_lines(&self) -> Vec<String> {
        self.said.iter().cloned().collect()
    }

    /// The last lines of its standard error.
    pub fn last_complaints(&self) -> Vec<String> {
        let unfinished = self.complaints.unfinished();
        let lines = self.said_aside.iter().cloned();
        lines
            .chain((!unfinished.is_empty()).then_some(unfinished))
            .collect()
    }

    /// Says good-bye, lets it end by itself until the deadline, then ends it; how it ended.
    pub fn end(mut self, farewell: &str, deadline: Instant) -> Exit {
        // Once it is gone nobody knows whose children they were.
        #[cfg(target_os = "linux")]
        self.family.look_up(self.group);
        self.send(farewell);
        self.finish(deadline)
    }

    /// Ends it at once, with all that it has started; how it had ended if it had.
    pub fn kill(mut self) -> (Exit, Vec<String>) {
        let exit = self.finish(Instant::now());
        (exit, self.last_complaints())
    }

    fn finish(&mut self, deadline: Instant) -> Exit {
        self.to_send.clear();
        self.input = None;
        // An engine that has just closed its output is about to have an exit code.
        let grace = match self.output {
            None => LAST_WORDS,
            Some(_) => Duration::ZERO,
        };
        self.await_end(deadline.max(Instant::now() + grace));
        let had_ended = self.has_ended();
        if !had_ended {
            #[cfg(target_os = "linux")]
            self.family.look_up(self.group);
            let _ = kill_process_group(self.group, Signal::TERM);
            self.await_end(Instant::now() + LAST_WORDS);
        }
        let status = self.reap();
        let text = match &status {
            Ok(status) => status.to_string(),
            Err(error) => format!("exit status unknown: {error}"),
        };
        if had_ended {
            let is_foreign_stop = status.is_ok_and(is_stop);
            Exit {
                text,
                is_foreign_stop,
            }
        } else {
            Exit {
                text: format!("{text}, ended by the match"),
                is_foreign_stop: false,
            }
        }
    }

    fn await_end(&mut self, deadline: Instant) {
        while !self.has_ended() && Instant::now() < deadline && !self.halt.is_urgent() {
            if self.output.is_some() {
                self.exchange(Duration::from_millis(5));
                while self.heard.next().is_some() {}
            } else {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        self.exchange(Duration::ZERO);
    }

    /// Whether it has ended; it stays a zombie, so that its group is nobody else's.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Ends what is left of the group and of the family, and takes leave of the process.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        #[cfg(target_os = "linux")]
        self.family.look_up(self.group);
        let _ = kill_process_group(self.group, Signal::KILL);
        #[cfg(target_os = "linux")]
        self.family.kill();
        self.is_reaped = true;
        self.child.wait()
    }

    /// Waits until something can be read or written, and does so.
    fn exchange(&mut self, patience: Duration) {
        let mut pipes = Vec::with_capacity(3);
        let is_full = self.heard.len() >= MOST_WAITING;
        if let Some(output) = self.output.as_ref().filter(|_| !is_full) {
            pipes.push(PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN));
        }
        if let Some(errors) = &self.errors {
            pipes.push(PollFd::from_borrowed_fd(errors.as_fd(), PollFlags::IN));
        }
        if let Some(input) = self.input.as_ref().filter(|_| !self.to_send.is_empty()) {
            pipes.push(PollFd::from_borrowed_fd(input.as_fd(), PollFlags::OUT));
        }
        let time = Timespec {
            tv_sec: patience.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        };
        // A signal that interrupts it is as good as a glance.
        let _ = poll(&mut pipes, Some(&time));
        drop(pipes);
        self.write();
        self.read();
    }

    fn write(&mut self) {
        while let Some(input) = &mut self.input
            && !self.to_send.is_empty()
        {
            match input.write(&self.to_send) {
                Ok(count) => drop(self.to_send.drain(..count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => {
                    // Nobody reads there any more; what it says or how it ended tells why.
                    self.input = None;
                    self.to_send.clear();
                }
            }
        }
    }

    fn read(&mut self) {
        if self.heard.len() < MOST_WAITING {
            read_from(&mut self.output, &mut self.heard);
        }
        read_from(&mut self.errors, &mut self.complaints);
        while let Some(line) = self.complaints.next() {
            keep(&mut self.said_aside, "", &line);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_reaped {
            let _ = self.reap();
        }
    }
}

/// Whether a process was stopped by a signal that asks processes to end, or says so by its exit code, as shells and Java do.
/// Exit code 0 counts: no engine ends well in mid-game unless it was asked to, and some catch the signal.
fn is_stop(status: ExitStatus) -> bool {
    let is_asking = |signal: i32| {
        [Signal::TERM, Signal::INT, Signal::HUP, Signal::KILL]
            .iter()
            .any(|asking| asking.as_raw() == signal)
    };
    match status.code() {
        Some(0) => true,
        Some(code) => is_asking(code - 128),
        None => status.signal().is_some_and(is_asking),
    }
}

fn unblock(pipe: &impl AsFd) -> io::Result<()> {
    let pipe: BorrowedFd<'_> = pipe.as_fd();
    let flags = fcntl_getfl(pipe)?;
    Ok(fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?)
}

/// Takes what a pipe has at the moment, not more than a line may be long; a pipe that has ended is closed.
fn read_from(pipe: &mut Option<impl Read>, lines: &mut Lines) {
    let mut buffer = [0; 1 << 16];
    while let Some(reader) = pipe {
        match reader.read(&mut buffer) {
            Ok(0) => {
                *pipe = None;
                lines.end();
            }
            Ok(count) => {
                lines.add(buffer.get(..count).unwrap_or_default());
                // A pipe that gave less than was asked for is empty.
                if count < buffer.len() || lines.len() >= LONGEST_LINE {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return,
            Err(_) => *pipe = None,
        }
    }
}

/// Keeps a line in place of the oldest of its kind, so that a flood does not wash away what it was told.
fn keep(lines: &mut VecDeque<String>, mark: &str, line: &str) {
    let alike = || {
        lines
            .iter()
            .enumerate()
            .filter(|(_, kept)| kept.starts_with(mark))
    };
    if alike().count() >= KEPT_LINES
        && let Some((oldest, _)) = alike().next()
    {
        lines.remove(oldest);
    }
    let mut end = line.len().min(KEPT_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let rest = if end < line.len() { "..." } else { "" };
    lines.push_back(format!(
        "{mark}{}{rest}",
        line.get(..end).unwrap_or_default()
    ));
}

/// Bytes that become lines.
#[derive(Debug, Default)]
struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    begin: usize,
    /// Up to here there is no line feed.
    looked: usize,
    /// Whether the line at the beginning is too long and passed over.
    is_long: bool,
}

impl Lines {
    fn len(&self) -> usize {
        self.bytes.len() - self.begin
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.begin > 0 && self.begin == self.bytes.len() {
            self.bytes.clear();
            (self.begin, self.looked) = (0, 0);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// There will be no more: what is left is a line.
    fn end(&mut self) {
        if self.len() > 0 {
            self.bytes.push(b'\n');
        }
    }

    fn next(&mut self) -> Option<String> {
        loop {
            let fresh = self.bytes.get(self.looked..).unwrap_or_default();
            let Some(at) = fresh.iter().position(|&byte| byte == b'\n') else {
                self.looked = self.bytes.len();
                if self.len() > LONGEST_LINE {
                    self.bytes.clear();
                    (self.begin, self.looked, self.is_long) = (0, 0, true);
                }
                return None;
            };
            let end = self.looked + at;
            let line = self.bytes.get(self.begin..end).unwrap_or_default();
            let line = String::from_utf8_lossy(line)
                .trim_end_matches('\r')
                .to_owned();
            (self.begin, self.looked) = (end + 1, end + 1);
            if self.begin > LONGEST_LINE {
                self.bytes.drain(..self.begin);
                (self.begin, self.looked) = (0, 0);
            }
            if !std::mem::take(&mut self.is_long) {
                return Some(line);
            }
        }
    }

    fn unfinished(&self) -> String {
        let bytes = self.bytes.get(self.begin..).unwrap_or_default();
        String::from_utf8_lossy(bytes.get(..bytes.len().min(KEPT_BYTES)).unwrap_or_default())
            .into_owned()
    }
}
