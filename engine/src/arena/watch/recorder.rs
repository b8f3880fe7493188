//! Writes the tree of what an engine says, on a thread of its own, while the engine thinks.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{
    analysis,
    line_board::{self, RootPosition},
    line_tree::{LineTree, MAX_NODES},
};
use crate::tree::{
    files::Format,
    meta::{LimitsMeta, Meta},
    snapshot::SnapshotOptions,
    writer::{FileStem, TreeOutput, TreeOutputSettings, WarningSink},
};

/// Time between two trees of a running search.
const WRITE_INTERVAL: Duration = Duration::from_millis(200);
/// Bytes of lines that may wait; further lines are left out of the tree until there is room.
const MAX_PENDING_BYTES: usize = 16 << 20;

/// Something the recorder is told.
#[derive(Debug)]
pub enum LineEvent {
    /// A search begins.
    Begin(Box<SearchStart>),
    /// The engine has told its name.
    Engine(String),
    /// An output line of the engine.
    Line(String),
    /// The search is over, with this move; none if the engine named none.
    End(Option<String>),
}

/// What is known of a search when it begins.
#[derive(Clone, Debug, Default)]
pub struct SearchStart {
    /// The game.
    pub game: String,
    /// The engine.
    pub engine: String,
    /// Where it thinks.
    pub position: RootPosition,
    /// When it is to stop.
    pub limits: LimitsMeta,
    /// Whether its lines are those of KataGo.
    pub is_kata: bool,
}

/// A thread that makes trees of the searches it is told of. Dropping it writes what is left.
pub struct LineRecorder {
    events: Option<Sender<LineEvent>>,
    /// Bytes of lines that the thread has not read.
    pending_bytes: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for LineRecorder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LineRecorder")
    }
}

impl LineRecorder {
    /// Begins to write to a directory. `warn` hears what goes wrong, once each.
    pub fn start(
        directory: PathBuf,
        warn: impl Fn(&str) + Clone + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let settings = TreeOutputSettings {
            directory,
            format: Format::Tree,
            snapshot: SnapshotOptions::default(),
            snapshot_interval: Some(WRITE_INTERVAL),
            max_journal_bytes: None,
        };
        let output = TreeOutput::open(settings, Box::new(warn.clone()))?;
        let (events, received) = channel();
        let pending_bytes = Arc::new(AtomicUsize::new(0));
        let mut worker = RecorderThread {
            output,
            warn: Box::new(warn),
            pending_bytes: Arc::clone(&pending_bytes),
            search: None,
            has_warned: false,
        };
        let thread = thread::Builder::new()
            .name("lines".to_owned())
            .spawn(move || worker.run(&received))?;
        Ok(Self {
            events: Some(events),
            pending_bytes,
            thread: Some(thread),
        })
    }

    /// Tells it something; never waits.
    pub fn record(&self, event: LineEvent) {
        let Some(events) = &self.events else { return };
        if let LineEvent::Line(line) = &event {
            if self.pending_bytes.load(Ordering::Relaxed) > MAX_PENDING_BYTES {
                return;
            }
            self.pending_bytes.fetch_add(line.len(), Ordering::Relaxed);
        }
        let _ = events.send(event);
    }
}

impl Drop for LineRecorder {
    fn drop(&mut self) {
        self.events = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct RecorderThread {
    output: TreeOutput,
    warn: WarningSink,
    pending_bytes: Arc<AtomicUsize>,
    search: Option<RecordedSearch>,
    has_warned: bool,
}

/// A search whose lines are collected.
struct RecordedSearch {
    start: SearchStart,
    tree: LineTree,
    /// The name of its files; none until something is written.
    stem: Option<Arc<FileStem>>,
    began: Instant,
    /// When the tree is written next; none if nothing is new.
    due: Option<Instant>,
}

impl RecorderThread {
    fn run(&mut self, events: &Receiver<LineEvent>) {
        loop {
            let due = self.search.as_ref().and_then(|search| search.due);
            let event = match due {
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => events.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match event {
                Ok(LineEvent::Begin(start)) => self.begin(*start),
                Ok(LineEvent::Engine(name)) => {
                    if let Some(search) = &mut self.search {
                        search.start.engine = name;
                    }
                }
                Ok(LineEvent::Line(line)) => {
                    self.pending_bytes.fetch_sub(line.len(), Ordering::Relaxed);
                    self.add_line(&line);
                }
                Ok(LineEvent::End(chosen)) => self.end(chosen),
                Err(RecvTimeoutError::Timeout) => self.write_growing(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let is_due = |due: Instant| due <= Instant::now();
            if self
                .search
                .as_ref()
                .and_then(|search| search.due)
                .is_some_and(is_due)
            {
                self.write_growing();
            }
        }
        self.end(None);
    }

    fn begin(&mut self, start: SearchStart) {
        self.end(None);
        let (board, problem) = line_board::open(&start.game, &start.position);
        if let Some(problem) = problem {
            self.warn_once(&format!("a tree has no board: {problem}"));
        }
        self.search = Some(RecordedSearch {
            tree: LineTree::new(board),
            start,
            stem: None,
            began: Instant::now(),
            due: None,
        });
    }

    fn warn_once(&mut self, text: &str) {
        if !std::mem::replace(&mut self.has_warned, true) {
            (self.warn)(text);
        }
    }

    fn add_line(&mut self, line: &str) {
        let Some(search) = &mut self.search else {
            return;
        };
        let statements = analysis::parse(line, search.start.is_kata);
        let mut refused = None;
        for statement in &statements {
            if !search.tree.add(statement) {
                refused = statement.moves.first();
                continue;
            }
            let is_first = search.tree.is_empty();
            search.due.get_or_insert_with(|| match is_first {
                true => Instant::now(),
                false => Instant::now() + WRITE_INTERVAL,
            });
        }
        if let Some(mv) = refused {
            let text = format!(
                "the engine names the move {mv:?}, which is none here: it is left out of the tree; is the game {}?",
                search.start.game
            );
            self.warn_once(&text);
        }
    }

    fn write_growing(&mut self) {
        let Some(search) = &mut self.search else {
            return;
        };
        if !self.output.is_idle() {
            search.due = Some(Instant::now() + WRITE_INTERVAL);
            return;
        }
        search.due = None;
        let meta = search.meta(false, None);
        let stem = search.stem(&self.output);
        self.output
            .write_tree(&stem, search.tree.snapshot(), meta, false);
    }

    fn end(&mut self, chosen: Option<String>) {
        let Some(mut search) = self.search.take() else {
            return;
        };
        if search.tree.is_empty() {
            return;
        }
        let meta = search.meta(true, chosen);
        let stem = search.stem(&self.output);
        self.output
            .write_tree(&stem, search.tree.snapshot(), meta, true);
    }
}

impl RecordedSearch {
    fn stem(&mut self, output: &TreeOutput) -> Arc<FileStem> {
        let SearchStart { game, engine, .. } = &self.start;
        let stem = self
            .stem
            .get_or_insert_with(|| output.new_stem(game, engine));
        Arc::clone(stem)
    }

    fn meta(&self, is_final: bool, chosen: Option<String>) -> Meta {
        let root = self.tree.board().root();
        let (nodes, time) = self.tree.totals();
        let elapsed = self.began.elapsed().as_millis() as u64;
        let board = self.tree.board();
        let named = |mv: String| {
            let steps = board.walk(std::slice::from_ref(&mv));
            steps.into_iter().next_back().map_or(mv, |step| step.name)
        };
        let chosen = chosen.map(named);
        let line = match &chosen {
            Some(chosen) if self.tree.best_line().first() == Some(chosen) => {
                self.tree.best_line().to_vec()
            }
            Some(chosen) => vec![chosen.clone()],
            None => Vec::new(),
        };
        let visits = match self.tree.has_visits() {
            true => "engine",
            false => "lines",
        };
        let shortfall = format!("lines beyond {MAX_NODES} nodes are left out");
        Meta {
            is_final,
            game: root.game.clone(),
            position: root.position.clone(),
            ply: root.ply,
            to_move: self.tree.to_move(),
            search: self.start.engine.clone(),
            parameters: [("visits".to_owned(), visits.to_owned())].into(),
            limits: self.start.limits,
            nodes,
            milliseconds: if time > 0 { time } else { elapsed },
            chosen,
            line,
            shortfalls: self
                .tree
                .is_full()
                .then_some(shortfall)
                .into_iter()
                .collect(),
            ..Meta::default()
        }
    }
}
