//! Writes the growth records of a search to its journal, on a thread of its own.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{
    growth::{GrowthJournalWriter, JournalKind},
    writer::FileStem,
};
use crate::search::growth_records::GrowthObserver;

/// More words than these do not wait for a slow disk: then the journal ends, or the search waits.
const MAX_PENDING_WORDS: usize = 16 << 20;
/// Poll interval of a search that waits for the disk.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Runs written before the committed length is updated, even if more are queued.
const MAX_COMMANDS_PER_COMMIT: usize = 8;

/// Commands to the writer thread.
enum RecorderCommand {
    /// The root's number and the header's flags.
    Begin(u32, u32),
    /// A run of words.
    Write(Vec<u32>),
    /// Records are missing from here on: the journal ends early.
    EndEarly,
}

/// The queue between a search and the writer thread.
#[derive(Default)]
struct RecorderQueue {
    /// Words that are not written yet.
    pending_words: AtomicUsize,
    /// Rooms for runs, to be used again: fresh memory takes longer to write to.
    spare_buffers: Mutex<Vec<Vec<u32>>>,
}

impl RecorderQueue {
    /// Upper bound of recycled buffers.
    const MAX_SPARE_BUFFERS: usize = 16;

    fn take_buffer(&self) -> Vec<u32> {
        let mut spare = self
            .spare_buffers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        spare.pop().unwrap_or_default()
    }

    fn return_buffer(&self, mut words: Vec<u32>) {
        words.clear();
        let mut spare = self
            .spare_buffers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if spare.len() < Self::MAX_SPARE_BUFFERS {
            spare.push(words);
        }
    }
}

/// Observes a search and queues its records.
pub(super) struct GrowthRecorder {
    sender: Option<Sender<RecorderCommand>>,
    queue: Arc<RecorderQueue>,
    has_overflowed: AtomicBool,
    /// Whether the search blocks while the queue is full, instead of ending the journal.
    blocks_when_full: bool,
    /// Whether the moves of playouts are recorded.
    wants_playouts: bool,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl GrowthRecorder {
    /// Starts a journal of at most `max_bytes` beside the other files of `stem`. When the disk is slow, the search waits if
    /// `blocks_when_full`; otherwise the journal ends.
    pub(super) fn start(
        stem: Arc<FileStem>,
        max_bytes: u64,
        blocks_when_full: bool,
    ) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let queue = Arc::new(RecorderQueue::default());
        let thread_queue = Arc::clone(&queue);
        let thread = thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || run_writer(&receiver, &stem, max_bytes, &thread_queue))?;
        Ok(Self {
            sender: Some(sender),
            queue,
            has_overflowed: AtomicBool::new(false),
            blocks_when_full,
            wants_playouts: false,
            thread: Some(thread),
        })
    }

    /// Records the moves of playouts too, if `wants_playouts`.
    pub(super) fn with_playouts(mut self, wants_playouts: bool) -> Self {
        self.wants_playouts = wants_playouts;
        self
    }

    /// Waits until everything is written; an error if a write failed.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.sender = None;
        let result = self.thread.take().map_or(Ok(Ok(())), JoinHandle::join);
        result.unwrap_or_else(|_| Err(io::Error::other("the journal's thread failed")))
    }

    /// Blocks while the queue is full and the writer thread lives.
    fn wait_for_room(&self) {
        let is_writing = || (self.thread.as_ref()).is_some_and(|thread| !thread.is_finished());
        while self.queue.pending_words.load(Ordering::Relaxed) > MAX_PENDING_WORDS && is_writing() {
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn send(&self, command: RecorderCommand) {
        if let Some(sender) = &self.sender {
            // Without a thread that listens there is nothing to be done.
            let _ = sender.send(command);
        }
    }
}

impl GrowthObserver for GrowthRecorder {
    fn start(&self, root: u32, kind: u32) {
        self.send(RecorderCommand::Begin(root, kind));
    }

    fn wants_playouts(&self) -> bool {
        self.wants_playouts
    }

    fn receive(&self, mut words: Vec<u32>) -> Vec<u32> {
        if self.has_overflowed.load(Ordering::Relaxed) {
            words.clear();
            return words;
        }
        if self.blocks_when_full {
            self.wait_for_room();
        }
        let pending = self
            .queue
            .pending_words
            .fetch_add(words.len(), Ordering::Relaxed);
        if pending > MAX_PENDING_WORDS && !self.blocks_when_full {
            self.has_overflowed.store(true, Ordering::Relaxed);
            self.send(RecorderCommand::EndEarly);
            words.clear();
            return words;
        }
        self.send(RecorderCommand::Write(words));
        self.queue.take_buffer()
    }
}

fn run_writer(
    receiver: &Receiver<RecorderCommand>,
    stem: &FileStem,
    max_bytes: u64,
    queue: &RecorderQueue,
) -> io::Result<()> {
    let mut writer = None;
    let mut result = Ok(());
    while let Ok(first) = receiver.recv() {
        // Runs that arrived in the meantime are committed together.
        for message in
            std::iter::once(first).chain(receiver.try_iter().take(MAX_COMMANDS_PER_COMMIT))
        {
            let step = handle_command(message, stem, max_bytes, queue, &mut writer);
            result = result.and(step);
            if result.is_err() {
                writer = None;
            }
        }
        if let Some(writer) = &mut writer {
            result = result.and(writer.commit());
        }
    }
    result?;
    writer.map_or(Ok(()), |mut writer| writer.end(false))
}

fn handle_command(
    command: RecorderCommand,
    stem: &FileStem,
    max_bytes: u64,
    queue: &RecorderQueue,
    writer: &mut Option<GrowthJournalWriter>,
) -> io::Result<()> {
    match (command, writer) {
        (RecorderCommand::Begin(root, kind), writer) => {
            let kind = JournalKind::from_bits(kind).unwrap_or_default();
            let create = |path: &_| GrowthJournalWriter::create(path, kind, root, max_bytes);
            *writer = Some(stem.claim("growth", create)?);
            Ok(())
        }
        (RecorderCommand::Write(mut words), writer) => {
            queue
                .pending_words
                .fetch_sub(words.len(), Ordering::Relaxed);
            let result = writer
                .as_mut()
                .map_or(Ok(()), |writer| writer.append(&mut words));
            queue.return_buffer(words);
            result
        }
        (RecorderCommand::EndEarly, writer) => {
            writer.as_mut().map_or(Ok(()), |writer| writer.end(true))
        }
    }
}
