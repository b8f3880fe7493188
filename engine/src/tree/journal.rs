//! What a search tells of its growth, written down by a thread of its own, word for word.

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
    growth::{JournalWriter, Kind},
    writer::Stem,
};
use crate::search::growth::Observer;

/// More words than these do not wait for a slow disk: then the journal ends, or the search waits.
const MOST_WAITING: usize = 16 << 20;
/// Poll interval of a search that waits for the disk.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// After so many runs a reader is told of them, even if there are more.
const MOST_TOGETHER: usize = 8;

/// What the thread that writes is told.
enum Message {
    /// The root's number, and what kind of journal there is to be.
    Begin(u32, u32),
    /// A run of words.
    Run(Vec<u32>),
    /// From here on something is missing.
    Missing,
}

/// What is between a search and the thread that writes.
#[derive(Default)]
struct Shared {
    /// Words that are not written yet.
    waiting: AtomicUsize,
    /// Rooms for runs, to be used again: fresh memory takes longer to write to.
    spare: Mutex<Vec<Vec<u32>>>,
}

impl Shared {
    /// So many rooms are kept.
    const SPARE: usize = 16;

    fn borrow(&self) -> Vec<u32> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.pop().unwrap_or_default()
    }

    fn give_back(&self, mut words: Vec<u32>) {
        words.clear();
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < Self::SPARE {
            spare.push(words);
        }
    }
}

/// Hears a search and hands on what it hears.
pub(super) struct Journal {
    sender: Option<Sender<Message>>,
    shared: Arc<Shared>,
    too_slow: AtomicBool,
    /// Whether the search waits for a slow disk.
    waits: bool,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Journal {
    /// A journal of at most `most` bytes beside the other files of `stem`. When the disk is slow the search `waits`, or goes
    /// on and the journal ends.
    pub(super) fn start(stem: Arc<Stem>, most: u64, waits: bool) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let shared = Arc::new(Shared::default());
        let other = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write(&receiver, &stem, most, &other))?;
        Ok(Self {
            sender: Some(sender),
            shared,
            too_slow: AtomicBool::new(false),
            waits,
            thread: Some(thread),
        })
    }

    /// Waits until all is written; an error if something could not be.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.sender = None;
        let result = self.thread.take().map_or(Ok(Ok(())), JoinHandle::join);
        result.unwrap_or_else(|_| Err(io::Error::other("the journal's thread failed")))
    }

    /// Waits for a disk that is behind, as long as there is somebody who writes.
    fn wait_for_room(&self) {
        let is_writing = || (self.thread.as_ref()).is_some_and(|thread| !thread.is_finished());
        while self.shared.waiting.load(Ordering::Relaxed) > MOST_WAITING && is_writing() {
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn send(&self, message: Message) {
        if let Some(sender) = &self.sender {
            // Without a thread that listens there is nothing to be done.
            let _ = sender.send(message);
        }
    }
}

impl Observer for Journal {
    fn begin(&self, root: u32, kind: u32) {
        self.send(Message::Begin(root, kind));
    }

    fn hear(&self, mut words: Vec<u32>) -> Vec<u32> {
        if self.too_slow.load(Ordering::Relaxed) {
            words.clear();
            return words;
        }
        if self.waits {
            self.wait_for_room();
        }
        let waiting = self
            .shared
            .waiting
            .fetch_add(words.len(), Ordering::Relaxed);
        if waiting > MOST_WAITING && !self.waits {
            self.too_slow.store(true, Ordering::Relaxed);
            self.send(Message::Missing);
            words.clear();
            return words;
        }
        self.send(Message::Run(words));
        self.shared.borrow()
    }
}

fn write(receiver: &Receiver<Message>, stem: &Stem, most: u64, shared: &Shared) -> io::Result<()> {
    let mut writer = None;
    let mut result = Ok(());
    while let Ok(first) = receiver.recv() {
        // What has come in the meantime is written with it, and made known together.
        for message in std::iter::once(first).chain(receiver.try_iter().take(MOST_TOGETHER)) {
            let step = write_down(message, stem, most, shared, &mut writer);
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

fn write_down(
    message: Message,
    stem: &Stem,
    most: u64,
    shared: &Shared,
    writer: &mut Option<JournalWriter>,
) -> io::Result<()> {
    match (message, writer) {
        (Message::Begin(root, kind), writer) => {
            let kind = Kind::from_bits(kind).unwrap_or_default();
            let create = |path: &_| JournalWriter::create(path, kind, root, most);
            *writer = Some(stem.claim("growth", create)?);
            Ok(())
        }
        (Message::Run(mut words), writer) => {
            shared.waiting.fetch_sub(words.len(), Ordering::Relaxed);
            let result = writer
                .as_mut()
                .map_or(Ok(()), |writer| writer.add(&mut words));
            shared.give_back(words);
            result
        }
        (Message::Missing, writer) => writer.as_mut().map_or(Ok(()), |writer| writer.end(true)),
    }
}
