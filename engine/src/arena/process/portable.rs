//! Processes with nothing but the standard library: a thread for each pipe.

use std::{
    collections::VecDeque,
    io::{self, ErrorKind, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    Backend, HALT_POLL_INTERVAL, ProcessExit, ReadError, is_stop_status,
    lines::{LineBuffer, MAX_UNREAD_BYTES, push_log_line},
};
use crate::runs::halt::Halt;

/// Bytes read at once.
const CHUNK_BYTES: usize = 1 << 16;
/// Chunks of unread output at which reading pauses, so that the engine blocks.
const MAX_UNREAD_CHUNKS: usize = MAX_UNREAD_BYTES / CHUNK_BYTES;
/// How long an engine whose input was closed has to end by itself.
const CLOSE_GRACE_PERIOD: Duration = Duration::from_millis(300);
/// How long the last words of an engine that has ended are awaited; a process that it has started may keep the pipe open.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_secs(1);
/// Poll interval for its end.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A running engine.
#[derive(Debug)]
pub(super) struct ThreadedProcess {
    child: Child,
    /// To the thread that writes its input; closed with it.
    input: Option<Sender<Vec<u8>>>,
    /// From the thread that reads its output.
    output: Receiver<Vec<u8>>,
    is_output_closed: bool,
    stdout_lines: LineBuffer,
    errors: Arc<Mutex<ErrorLog>>,
    /// Disconnected once standard error has been read to its end.
    errors_end: Receiver<()>,
    /// The last lines of the conversation.
    transcript: VecDeque<String>,
    halt: Halt,
    is_reaped: bool,
}

/// What it has written to standard error.
#[derive(Debug, Default)]
struct ErrorLog {
    lines: LineBuffer,
    tail: VecDeque<String>,
}

impl ErrorLog {
    fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
        while let Some(line) = self.lines.next_line() {
            push_log_line(&mut self.tail, "", &line);
        }
    }
}

impl ThreadedProcess {
    pub(super) fn start(
        words: &[String],
        directory: Option<&Path>,
        halt: &Halt,
    ) -> io::Result<Self> {
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
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, pending) = channel();
        let (chunks, output) = sync_channel(MAX_UNREAD_CHUNKS);
        let errors = Arc::new(Mutex::new(ErrorLog::default()));
        let (errors_open, errors_end) = channel();
        let process = Self {
            child,
            input: Some(input),
            output,
            is_output_closed: false,
            stdout_lines: LineBuffer::default(),
            errors: Arc::clone(&errors),
            errors_end,
            transcript: VecDeque::new(),
            halt: halt.clone(),
            is_reaped: false,
        };
        // From here on dropping it ends it. The threads end when their pipe does.
        if let Some(stdin) = stdin {
            spawn("engine input", move || write_input(stdin, &pending))?;
        }
        if let Some(stdout) = stdout {
            spawn("engine output", move || read_output(stdout, &chunks))?;
        }
        if let Some(stderr) = stderr {
            spawn("engine errors", move || {
                read_errors(stderr, &errors);
                drop(errors_open);
            })?;
        }
        Ok(process)
    }

    /// Takes a chunk of output, waiting at most `timeout`; false if there was none.
    fn take_chunk(&mut self, timeout: Duration) -> bool {
        match self.output.recv_timeout(timeout) {
            Ok(chunk) => {
                self.stdout_lines.push(&chunk);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                if !self.is_output_closed {
                    self.stdout_lines.finish();
                }
                self.is_output_closed = true;
                false
            }
        }
    }

    fn wait_for_exit(&mut self, deadline: Instant) {
        while !self.has_exited() && Instant::now() < deadline && !self.halt.is_urgent() {
            // Its output is read on, so that it does not block on its way out.
            self.discard_output();
            thread::sleep(EXIT_POLL_INTERVAL);
        }
    }

    fn has_exited(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    fn terminate(&mut self, deadline: Instant) -> ProcessExit {
        self.input = None;
        let grace = match self.is_output_closed {
            true => CLOSE_GRACE_PERIOD,
            false => Duration::ZERO,
        };
        self.wait_for_exit(deadline.max(Instant::now() + grace));
        let had_ended = self.has_exited();
        let status = self.reap();
        let text = match &status {
            Ok(status) => status.to_string(),
            Err(error) => format!("exit status unknown: {error}"),
        };
        match had_ended {
            true => ProcessExit {
                text,
                is_stopped_externally: status.is_ok_and(is_stop_status),
                is_ended_by_us: false,
            },
            false => ProcessExit {
                text: format!("{text}, ended by the match"),
                is_stopped_externally: false,
                is_ended_by_us: true,
            },
        }
    }

    fn reap(&mut self) -> io::Result<ExitStatus> {
        let _ = self.child.kill();
        self.is_reaped = true;
        self.child.wait()
    }
}

impl Backend for ThreadedProcess {
    /// The standard library has no priorities.
    fn lower_priority(&self) {}

    fn send(&mut self, lines: &str) {
        for line in lines.lines() {
            push_log_line(&mut self.transcript, "> ", line);
        }
        if let Some(input) = &self.input {
            // If the thread is gone, the input pipe is closed; the output or the exit status will tell why.
            let _ = input.send(lines.as_bytes().to_vec());
        }
    }

    fn read_line(&mut self, deadline: Instant) -> Result<String, ReadError> {
        loop {
            if let Some(line) = self.stdout_lines.next_line() {
                push_log_line(&mut self.transcript, "< ", &line);
                return Ok(line);
            }
            if self.is_output_closed {
                return Err(ReadError::Closed);
            }
            if self.halt.is_requested() {
                return Err(ReadError::Halted);
            }
            let now = Instant::now();
            if now >= deadline {
                return Err(ReadError::Timeout);
            }
            self.take_chunk(HALT_POLL_INTERVAL.min(deadline - now));
        }
    }

    fn discard_output(&mut self) {
        while self.take_chunk(Duration::ZERO) {}
        while let Some(line) = self.stdout_lines.next_line() {
            push_log_line(&mut self.transcript, "< ", &line);
        }
    }

    fn transcript_tail(&self) -> Vec<String> {
        self.transcript.iter().cloned().collect()
    }

    fn stderr_tail(&self) -> Vec<String> {
        if self.is_reaped || self.is_output_closed {
            let _ = self.errors_end.recv_timeout(LAST_WORDS_TIMEOUT);
        }
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let partial_line = errors.lines.partial_line();
        let lines = errors.tail.iter().cloned();
        lines
            .chain((!partial_line.is_empty()).then_some(partial_line))
            .collect()
    }

    fn shut_down(mut self: Box<Self>, quit_command: &str, deadline: Instant) -> ProcessExit {
        self.send(quit_command);
        self.terminate(deadline)
    }

    fn kill(mut self: Box<Self>) -> (ProcessExit, Vec<String>) {
        let exit = self.terminate(Instant::now());
        (exit, self.stderr_tail())
    }
}

impl Drop for ThreadedProcess {
    fn drop(&mut self) {
        if !self.is_reaped {
            let _ = self.reap();
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
}

/// Writes what is sent until the engine closes its input, or there is nothing more to come.
fn write_input(mut stdin: impl io::Write, pending: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = pending.recv() {
        if stdin
            .write_all(&bytes)
            .and_then(|()| stdin.flush())
            .is_err()
        {
            return;
        }
    }
}

/// Passes on what a pipe has until its end, or until nobody waits for it any more.
fn read_output(mut stdout: impl Read, chunks: &SyncSender<Vec<u8>>) {
    let mut buffer = vec![0; CHUNK_BYTES];
    while let Some(chunk) = next_chunk(&mut stdout, &mut buffer) {
        if chunks.send(chunk.to_vec()).is_err() {
            return;
        }
    }
}

fn read_errors(mut stderr: impl Read, errors: &Mutex<ErrorLog>) {
    let mut buffer = vec![0; CHUNK_BYTES];
    while let Some(chunk) = next_chunk(&mut stderr, &mut buffer) {
        let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.push(chunk);
    }
}

/// The next bytes of a pipe; none at its end.
fn next_chunk<'a>(pipe: &mut impl Read, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    loop {
        match pipe.read(buffer) {
            Ok(0) => return None,
            Ok(count) => return buffer.get(..count),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}
