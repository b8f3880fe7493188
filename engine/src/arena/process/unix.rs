//! Pipes that do not block, and process groups.

use std::{
    io::{self, ErrorKind, Read, Write as _},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::process::CommandExt as _,
    },
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus},
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
use super::descendants::Descendants;
use super::{
    Backend, ProcessExit,
    lines::{Conversation, ErrorLog, LineBuffer, MAX_LINE_BYTES, MAX_UNREAD_BYTES},
};
use crate::runs::halt::Halt;

/// Time between SIGTERM and SIGKILL.
const TERM_GRACE_PERIOD: Duration = Duration::from_millis(300);
/// Niceness added to a low-priority engine.
const NICE_INCREMENT: i32 = 10;

/// A running engine.
#[derive(Debug)]
pub(super) struct PolledProcess {
    child: Child,
    group: Pid,
    /// All processes it has started.
    #[cfg(target_os = "linux")]
    descendants: Descendants,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// Input the engine has not read yet.
    pending_input: Vec<u8>,
    conversation: Conversation,
    errors: ErrorLog,
    halt: Halt,
    is_reaped: bool,
}

impl PolledProcess {
    pub(super) fn start(mut command: Command, halt: &Halt) -> io::Result<Self> {
        command.process_group(0);
        #[cfg(target_os = "linux")]
        let descendants = Descendants::track(&mut command);
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let group = group.ok_or_else(|| io::Error::other("the process has no number"))?;
        let process = Self {
            child,
            group,
            #[cfg(target_os = "linux")]
            descendants,
            stdin,
            stdout,
            stderr,
            pending_input: Vec::new(),
            conversation: Conversation::default(),
            errors: ErrorLog::default(),
            halt: halt.clone(),
            is_reaped: false,
        };
        // From here on dropping it ends it.
        process.stdin.as_ref().map_or(Ok(()), set_nonblocking)?;
        process.stdout.as_ref().map_or(Ok(()), set_nonblocking)?;
        process.stderr.as_ref().map_or(Ok(()), set_nonblocking)?;
        Ok(process)
    }

    fn wait_for_exit(&mut self, deadline: Instant) {
        while !self.has_exited() && Instant::now() < deadline && !self.halt.is_urgent() {
            if self.stdout.is_some() {
                self.poll_pipes(Duration::from_millis(5));
                while self.conversation.output.next_line().is_some() {}
            } else {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        self.poll_pipes(Duration::ZERO);
    }

    /// Whether it has exited. It stays a zombie, so that its group id is not reused.
    fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Kills the rest of the group and all descendants, then reaps the process.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        #[cfg(target_os = "linux")]
        self.descendants.refresh(self.group);
        let _ = kill_process_group(self.group, Signal::KILL);
        #[cfg(target_os = "linux")]
        self.descendants.kill();
        self.is_reaped = true;
        self.child.wait()
    }

    /// Waits until a pipe is readable or writable, and serves it.
    fn poll_pipes(&mut self, timeout: Duration) {
        let mut pipes = Vec::with_capacity(3);
        let is_full = self.conversation.output.len() >= MAX_UNREAD_BYTES;
        if let Some(output) = self.stdout.as_ref().filter(|_| !is_full) {
            pipes.push(PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN));
        }
        if let Some(errors) = &self.stderr {
            pipes.push(PollFd::from_borrowed_fd(errors.as_fd(), PollFlags::IN));
        }
        if let Some(input) = self
            .stdin
            .as_ref()
            .filter(|_| !self.pending_input.is_empty())
        {
            pipes.push(PollFd::from_borrowed_fd(input.as_fd(), PollFlags::OUT));
        }
        let time = Timespec {
            tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        };
        // A signal that interrupts it is as good as a glance.
        let _ = poll(&mut pipes, Some(&time));
        drop(pipes);
        self.write_stdin();
        self.read_pipes();
    }

    fn write_stdin(&mut self) {
        while let Some(input) = &mut self.stdin
            && !self.pending_input.is_empty()
        {
            match input.write(&self.pending_input) {
                Ok(count) => drop(self.pending_input.drain(..count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => {
                    // The input pipe is closed; the output or the exit status will tell why.
                    self.stdin = None;
                    self.pending_input.clear();
                }
            }
        }
    }

    fn read_pipes(&mut self) {
        if self.conversation.output.len() < MAX_UNREAD_BYTES {
            drain_pipe(&mut self.stdout, &mut self.conversation.output);
        }
        drain_pipe(&mut self.stderr, &mut self.errors.lines);
        self.errors.log_lines();
    }
}

impl Backend for PolledProcess {
    fn lower_priority(&self) {
        if let Ok(own) = getpriority_process(None) {
            let _ = setpriority_process(Some(self.group), own.saturating_add(NICE_INCREMENT));
        }
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    fn send(&mut self, bytes: &[u8]) {
        self.pending_input.extend_from_slice(bytes);
        self.write_stdin();
    }

    fn poll_output(&mut self, timeout: Duration) {
        self.poll_pipes(timeout);
    }

    fn is_output_closed(&self) -> bool {
        self.stdout.is_none()
    }

    fn take_output(&mut self) {
        self.read_pipes();
    }

    fn stderr_tail(&self) -> Vec<String> {
        self.errors.tail()
    }

    /// After its exit its children can no longer be attributed to it.
    fn prepare_shut_down(&mut self) {
        #[cfg(target_os = "linux")]
        self.descendants.refresh(self.group);
    }

    fn terminate(&mut self, deadline: Instant) -> ProcessExit {
        self.pending_input.clear();
        self.stdin = None;
        // An engine that has just closed its output is about to have an exit code.
        let grace = match self.stdout {
            None => TERM_GRACE_PERIOD,
            Some(_) => Duration::ZERO,
        };
        self.wait_for_exit(deadline.max(Instant::now() + grace));
        let had_ended = self.has_exited();
        if !had_ended {
            #[cfg(target_os = "linux")]
            self.descendants.refresh(self.group);
            let _ = kill_process_group(self.group, Signal::TERM);
            self.wait_for_exit(Instant::now() + TERM_GRACE_PERIOD);
        }
        ProcessExit::new(self.reap(), had_ended)
    }
}

impl Drop for PolledProcess {
    fn drop(&mut self) {
        if !self.is_reaped {
            let _ = self.reap();
        }
    }
}

fn set_nonblocking(pipe: &impl AsFd) -> io::Result<()> {
    let pipe: BorrowedFd<'_> = pipe.as_fd();
    let flags = fcntl_getfl(pipe)?;
    Ok(fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?)
}

/// Reads what a pipe has at the moment, at most one maximal line; closes it at its end.
fn drain_pipe(pipe: &mut Option<impl Read>, lines: &mut LineBuffer) {
    let mut buffer = [0; 1 << 16];
    while let Some(reader) = pipe {
        match reader.read(&mut buffer) {
            Ok(0) => {
                *pipe = None;
                lines.finish();
            }
            Ok(count) => {
                lines.push(buffer.get(..count).unwrap_or_default());
                // A short read means that the pipe is empty.
                if count < buffer.len() || lines.len() >= MAX_LINE_BYTES {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return,
            Err(_) => *pipe = None,
        }
    }
}
