//! Processes with nothing but the standard library: a thread for each pipe.

use std::{
    io::{self, ErrorKind, Read},
    process::{Child, Command, ExitStatus},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    Backend, ProcessExit,
    lines::{Conversation, ErrorLog, MAX_UNREAD_BYTES},
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
    conversation: Conversation,
    errors: Arc<Mutex<ErrorLog>>,
    /// Disconnected once standard error has been read to its end.
    errors_end: Receiver<()>,
    halt: Halt,
    is_reaped: bool,
}

impl ThreadedProcess {
    pub(super) fn start(mut command: Command, halt: &Halt) -> io::Result<Self> {
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
            conversation: Conversation::default(),
            errors: Arc::clone(&errors),
            errors_end,
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
                self.conversation.output.push(&chunk);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                if !self.is_output_closed {
                    self.conversation.output.finish();
                }
                self.is_output_closed = true;
                false
            }
        }
    }

    fn wait_for_exit(&mut self, deadline: Instant) {
        while !self.has_exited() && Instant::now() < deadline && !self.halt.is_urgent() {
            // Its output is read on, so that it does not block on its way out.
            self.take_output();
            while self.conversation.next_line().is_some() {}
            thread::sleep(EXIT_POLL_INTERVAL);
        }
    }

    fn has_exited(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
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

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    fn send(&mut self, bytes: &[u8]) {
        if let Some(input) = &self.input {
            // If the thread is gone, the input pipe is closed; the output or the exit status will tell why.
            let _ = input.send(bytes.to_vec());
        }
    }

    fn poll_output(&mut self, timeout: Duration) {
        self.take_chunk(timeout);
    }

    fn is_output_closed(&self) -> bool {
        self.is_output_closed
    }

    fn take_output(&mut self) {
        while self.take_chunk(Duration::ZERO) {}
    }

    fn stderr_tail(&self) -> Vec<String> {
        if self.is_reaped || self.is_output_closed {
            let _ = self.errors_end.recv_timeout(LAST_WORDS_TIMEOUT);
        }
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.tail()
    }

    fn prepare_shut_down(&mut self) {}

    fn terminate(&mut self, deadline: Instant) -> ProcessExit {
        self.input = None;
        let grace = match self.is_output_closed {
            true => CLOSE_GRACE_PERIOD,
            false => Duration::ZERO,
        };
        self.wait_for_exit(deadline.max(Instant::now() + grace));
        let had_ended = self.has_exited();
        ProcessExit::new(self.reap(), had_ended)
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
        errors.lines.push(chunk);
        errors.log_lines();
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
