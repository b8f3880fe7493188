//! What a search tells of its growth, written down: a thread of its own gives nodes and moves the numbers of the file.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use super::{
    extra::outcome_code,
    growth::{JournalWriter, Kind},
    writer::Stem,
};
use crate::search::growth::{Observer, Record, encode, records};

/// More words than these do not wait for a slow disk: then the journal ends.
const MOST_WAITING: usize = 16 << 20;

/// Hears a search and hands on what it hears.
pub(super) struct Journal {
    sender: Option<Sender<Vec<u32>>>,
    waiting: Arc<AtomicUsize>,
    too_slow: AtomicBool,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Journal {
    /// A journal of at most `most` bytes beside the other files of `stem`.
    pub(super) fn start(stem: Arc<Stem>, most: u64) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let thread = thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write(&receiver, &stem, most, &left))?;
        Ok(Self {
            sender: Some(sender),
            waiting,
            too_slow: AtomicBool::new(false),
            thread: Some(thread),
        })
    }

    /// Waits until all is written; an error if something could not be.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.sender = None;
        let result = self.thread.take().map_or(Ok(Ok(())), JoinHandle::join);
        result.unwrap_or_else(|_| Err(io::Error::other("the journal's thread failed")))
    }
}

impl Observer for Journal {
    fn hear(&self, words: Vec<u32>) {
        let Some(sender) = &self.sender else { return };
        if self.too_slow.load(Ordering::Relaxed) {
            return;
        }
        let waiting = self.waiting.fetch_add(words.len(), Ordering::Relaxed);
        if waiting > MOST_WAITING {
            // An empty run says that something is missing.
            self.too_slow.store(true, Ordering::Relaxed);
            let _ = sender.send(Vec::new());
            return;
        }
        let _ = sender.send(words);
    }
}

fn write(
    receiver: &Receiver<Vec<u32>>,
    stem: &Stem,
    most: u64,
    waiting: &AtomicUsize,
) -> io::Result<()> {
    let mut scribe: Option<Scribe> = None;
    let mut result = Ok(());
    for words in receiver {
        waiting.fetch_sub(words.len(), Ordering::Relaxed);
        if result.is_err() {
            continue;
        }
        result = match &mut scribe {
            _ if words.is_empty() => scribe
                .as_mut()
                .map_or(Ok(()), |scribe| scribe.writer.end(true)),
            Some(scribe) => scribe.hear(&words),
            None => begin(&words, stem, most, &mut scribe),
        };
    }
    if let (Ok(()), Some(scribe)) = (&result, &mut scribe) {
        result = scribe.writer.end(false);
    }
    result
}

/// The first run begins with the root, which says what kind of journal there is to be.
fn begin(words: &[u32], stem: &Stem, most: u64, scribe: &mut Option<Scribe>) -> io::Result<()> {
    let Some(Record::Root { node, kind }) = records(words).next() else {
        return Ok(());
    };
    let kind = Kind::from_bits(kind).unwrap_or_default();
    let writer = stem.claim("growth", |path| JournalWriter::create(path, kind, most))?;
    scribe
        .insert(Scribe::new(writer, kind.graph, node))
        .hear(words)
}

/// Gives numbers.
struct Scribe {
    writer: JournalWriter,
    graph: bool,
    nodes: Numbers,
    edges: Numbers,
    /// By number of a move: whether it is known where it leads.
    linked: Vec<bool>,
    /// Records that speak of something whose making has not arrived yet.
    early: Vec<u32>,
    codes: Vec<u32>,
}

/// The numbers that things have in the file, by those they have in the store; 0 for none, else one more.
#[derive(Default)]
struct Numbers {
    of: Vec<u32>,
    next: u32,
}

impl Numbers {
    fn find(&self, thing: u32) -> Option<u32> {
        self.of.get(thing as usize)?.checked_sub(1)
    }

    fn give(&mut self, thing: u32) -> u32 {
        let index = thing as usize;
        if self.of.len() <= index {
            self.of.resize((index + 1).next_power_of_two(), 0);
        }
        self.next += 1;
        self.of[index] = self.next;
        self.next - 1
    }
}

impl Scribe {
    fn new(writer: JournalWriter, graph: bool, root: u32) -> Self {
        let mut nodes = Numbers::default();
        nodes.give(root);
        Self {
            writer,
            graph,
            nodes,
            edges: Numbers::default(),
            linked: Vec::new(),
            early: Vec::new(),
            codes: Vec::new(),
        }
    }

    fn hear(&mut self, words: &[u32]) -> io::Result<()> {
        if self.writer.is_over() {
            return Ok(());
        }
        for record in records(words) {
            if self.write(record).is_none() {
                encode(record, &mut self.early);
            }
        }
        // What came too early may be understood now.
        let mut before = usize::MAX;
        while !self.early.is_empty() && self.early.len() < before {
            before = self.early.len();
            for record in records(&std::mem::take(&mut self.early)) {
                if self.write(record).is_none() {
                    encode(record, &mut self.early);
                }
            }
        }
        self.writer.commit()
    }

    /// Writes a record; none if it speaks of something unknown.
    fn write(&mut self, record: Record<'_>) -> Option<()> {
        match record {
            Record::Root { .. } => {}
            Record::Begin => self.writer.begin(),
            Record::Moves { node, first, codes } => {
                let node = self.nodes.find(node)?;
                self.writer.moves(node, codes);
                for index in 0..codes.len() as u32 {
                    if self.graph {
                        self.edges.give(first + index);
                        self.linked.push(false);
                    } else {
                        self.nodes.give(first + index);
                    }
                }
            }
            Record::Link { edge, node, frame } => {
                let edge = self.edges.find(edge)?;
                // Two threads may find out at the same time.
                if !std::mem::replace(&mut self.linked[edge as usize], true) {
                    let node = match self.nodes.find(node) {
                        Some(known) => known,
                        None => self.nodes.give(node),
                    };
                    self.writer.link(edge, node, frame);
                }
            }
            Record::Leaf { node, reward } => {
                let node = self.nodes.find(node)?;
                self.writer.leaf(node, reward);
            }
            Record::Path { edges, reward } => {
                self.codes.clear();
                for &edge in edges {
                    let edge = self.edges.find(edge)?;
                    if !self.linked[edge as usize] {
                        return None;
                    }
                    self.codes.push(edge);
                }
                self.writer.path(&self.codes, reward);
            }
            Record::Proven { node, outcome } => {
                let node = self.nodes.find(node)?;
                self.writer.result(node, outcome_code(Some(outcome)));
            }
            Record::Known { node, visits, sum } => {
                let node = self.nodes.find(node)?;
                self.writer.known(node, visits, sum);
            }
            Record::Chosen { edge, visits } => {
                let edge = self.edges.find(edge)?;
                self.writer.chosen(edge, visits);
            }
        }
        Some(())
    }
}
