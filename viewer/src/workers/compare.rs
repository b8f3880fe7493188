//! Reads two trees with their journals and lays them out alike, on a background thread.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use canopy_engine::tree::{
    files,
    replay_reader::{ReplayLimits, RootMoveHistory},
};

use crate::{
    settings::memory_budget::{MemoryBudget, NODE_BYTES},
    system::{
        wake::Wake,
        worker::{Mailbox, Task, Worker},
    },
    tree::{
        comparison::{Comparison, ComparisonFilter},
        model::ModelSource,
    },
    workers::growth::GrowthJournal,
};

/// Samples of the root's visit history.
const HISTORY_SAMPLES: usize = 240;

/// What is known of one of the two searches.
#[derive(Clone, Debug, Default)]
pub struct ComparedSearch {
    /// The file.
    pub path: PathBuf,
    /// Iterations in the journal; 0 if there is none.
    pub iterations: u32,
    /// Visits of the root's moves over time; none without a journal.
    pub history: Option<Arc<RootMoveHistory>>,
}

/// What is to be shown of two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonRequest {
    /// The iteration of each tree; none for the tree of its file.
    pub iterations: [Option<u32>; 2],
    /// Which nodes.
    pub filter: ComparisonFilter,
}

enum CompareCommand {
    Open([PathBuf; 2]),
    Show(ComparisonRequest),
}

/// A result.
pub enum CompareEvent {
    /// Both trees were read.
    Opened([ComparedSearch; 2]),
    /// They are laid out.
    Compared(ComparisonRequest, Arc<Comparison>),
    /// They cannot be compared; a sentence.
    Failed(String),
}

/// Compares trees on a thread.
pub struct CompareWorker {
    worker: Worker<CompareCommand, CompareEvent>,
}

impl CompareWorker {
    /// Starts the thread; `wake` is called after every event.
    pub fn start(wake: Wake, budget: &MemoryBudget) -> std::io::Result<Self> {
        let (limits, bytes) = (budget.journal_limits(), budget.max_tree_bytes());
        let new_task = |mailbox| CompareTask {
            mailbox,
            limits,
            bytes,
            sides: None,
        };
        let worker = Worker::start("compare", wake, new_task)?;
        Ok(Self { worker })
    }

    /// Asks for two trees.
    pub fn open(&self, paths: [PathBuf; 2]) {
        self.worker.edit_queue(std::collections::VecDeque::clear);
        self.worker.send(CompareCommand::Open(paths));
    }

    /// Asks for what is to be shown of them; replaces a request that was not answered yet.
    pub fn show(&self, request: ComparisonRequest) {
        self.worker.edit_queue(|commands| {
            commands.retain(|command| !matches!(command, CompareCommand::Show(_)));
            commands.push_back(CompareCommand::Show(request));
        });
    }

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<CompareEvent> {
        self.worker.take_events()
    }
}

/// A tree with its journal.
struct Side {
    file: ModelSource,
    journal: Option<GrowthJournal>,
}

struct CompareTask {
    mailbox: Mailbox<CompareCommand, CompareEvent>,
    limits: ReplayLimits,
    bytes: usize,
    sides: Option<[Side; 2]>,
}

impl Task for CompareTask {
    fn step(&mut self) -> ControlFlow<()> {
        let event = match self.mailbox.recv() {
            None => return ControlFlow::Break(()),
            Some(CompareCommand::Open(paths)) => self.open(&paths),
            Some(CompareCommand::Show(request)) => self.compare(request),
        };
        match event {
            Ok(Some(event)) => self.mailbox.send(event),
            Ok(None) => ControlFlow::Continue(()),
            Err(problem) => self.mailbox.send(CompareEvent::Failed(problem)),
        }
    }

    fn recover(&mut self, panic: &str) -> ControlFlow<()> {
        self.sides = None;
        let problem = format!("comparing the trees failed: {panic}");
        self.mailbox.send(CompareEvent::Failed(problem))
    }
}

impl CompareTask {
    fn open(&mut self, paths: &[PathBuf; 2]) -> Result<Option<CompareEvent>, String> {
        self.sides = None;
        let [one, other] = paths;
        let (one, first) = self.read(one)?;
        let (other, second) = self.read(other)?;
        self.sides = Some([one, other]);
        Ok(Some(CompareEvent::Opened([first, second])))
    }

    fn read(&self, path: &Path) -> Result<(Side, ComparedSearch), String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        // Two trees share the memory of one.
        let read = files::read_with_byte_limit(path, self.bytes / 2, NODE_BYTES);
        let (document, left_out) = read.map_err(|error| told(&error))?;
        let mut file = ModelSource::from(document);
        file.left_out += left_out.nodes;
        let journal = match &file.meta {
            Some(meta) if path.with_extension("growth").exists() => {
                Some(GrowthJournal::beside(path, meta, self.limits.clone())?)
            }
            _ => None,
        };
        let history = match &journal {
            Some(journal) => Some(Arc::new(journal.history(HISTORY_SAMPLES)?)),
            None => None,
        };
        let search = ComparedSearch {
            path: path.to_path_buf(),
            iterations: journal.as_ref().map_or(0, GrowthJournal::iterations),
            history,
        };
        Ok((Side { file, journal }, search))
    }

    fn compare(&mut self, request: ComparisonRequest) -> Result<Option<CompareEvent>, String> {
        let Some([one, other]) = &mut self.sides else {
            return Ok(None);
        };
        let [first, second] = request.iterations;
        let sources = [one.at(first)?, other.at(second)?];
        let made = Comparison::new(&sources, &request.filter)?;
        Ok(Some(CompareEvent::Compared(request, Arc::new(made))))
    }
}

impl Side {
    fn at(&mut self, iteration: Option<u32>) -> Result<ModelSource, String> {
        match (&mut self.journal, iteration) {
            (Some(journal), Some(iteration)) if iteration < journal.iterations() => {
                journal.source_at(iteration)
            }
            _ => Ok(self.file.clone()),
        }
    }
}
