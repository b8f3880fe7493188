//! Tells single iterations of a growth journal on a background thread, and has an engine search a position anew with its
//! playouts recorded.

use std::{
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, mpsc::RecvTimeoutError},
    time::{Duration, Instant},
};

use canopy_engine::tree::{
    meta::{self, Meta},
    replay_reader::{ReplayLimits, ReplayReader, ReplayTree},
};

use crate::{
    system::{
        temporary::TemporaryDirectory,
        wake::Wake,
        worker::{Mailbox, Task, Worker},
    },
    tree::{
        iteration::IterationSteps,
        model::{ModelSource, TreeModel},
    },
};

/// How long a search that was begun for the view may take.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(30);
/// Poll interval of its process.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A search of a position with its playouts recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct StepsSearch {
    /// The command that starts the engine.
    pub engine: Vec<String>,
    /// The game with its variant, and the position.
    pub game: String,
    /// The root position.
    pub position: String,
    /// The search with its parameters.
    pub search: String,
    /// Number of iterations.
    pub iterations: u32,
}

enum StepsCommand {
    Open(PathBuf, Arc<Meta>),
    Search(StepsSearch),
    Show(u32),
    Close,
}

/// The state of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepsJournal {
    /// Iterations read so far.
    pub iterations: u32,
    /// How many of them have the moves of their playouts.
    pub playouts: u32,
    /// The search that was begun for the view, if it is one.
    pub is_own: bool,
}

/// What the thread has to tell.
pub enum StepsEvent {
    /// A journal was opened or has grown.
    Journal(StepsJournal),
    /// There is no journal beside the tree.
    NoJournal,
    /// The iteration that was asked for.
    Steps(Arc<IterationSteps>),
    /// Something went wrong, in a sentence.
    Failed(String),
}

/// Tells iterations on a thread.
pub struct StepsWorker {
    worker: Worker<StepsCommand, StepsEvent>,
}

impl StepsWorker {
    /// Starts the thread; `wake` is called after every batch of events.
    pub fn start(wake: Wake, limits: ReplayLimits) -> std::io::Result<Self> {
        let new_task = |mailbox| StepsTask {
            mailbox,
            limits,
            current: None,
            own_directory: None,
        };
        Ok(Self {
            worker: Worker::start("steps", wake, new_task)?,
        })
    }

    /// Opens the journal beside a tree file.
    pub fn open(&self, path: &Path, meta: Arc<Meta>) {
        self.worker.send(StepsCommand::Open(path.to_owned(), meta));
    }

    /// Searches a position and opens the journal of that search.
    pub fn search(&self, search: StepsSearch) {
        self.worker.send(StepsCommand::Search(search));
    }

    /// Asks for an iteration, from 1; replaces what was asked for and not answered yet.
    pub fn show(&self, iteration: u32) {
        (self.worker).edit_queue(|queue| {
            queue.retain(|command| !matches!(command, StepsCommand::Show(_)));
        });
        self.worker.send(StepsCommand::Show(iteration));
    }

    /// Closes the journal.
    pub fn close(&self) {
        self.worker.send(StepsCommand::Close);
    }

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<StepsEvent> {
        self.worker.take_events()
    }
}

/// An open journal.
struct OpenJournal {
    reader: ReplayReader,
    meta: Arc<Meta>,
    is_own: bool,
}

struct StepsTask {
    mailbox: Mailbox<StepsCommand, StepsEvent>,
    limits: ReplayLimits,
    current: Option<OpenJournal>,
    /// The files of the last search that was begun for the view.
    own_directory: Option<TemporaryDirectory>,
}

impl Task for StepsTask {
    fn step(&mut self) -> ControlFlow<()> {
        let command = match self.mailbox.recv_within(None) {
            Ok(command) => command,
            Err(RecvTimeoutError::Timeout) => return ControlFlow::Continue(()),
            Err(RecvTimeoutError::Disconnected) => return ControlFlow::Break(()),
        };
        let events = match self.handle_command(command) {
            Ok(events) => events,
            Err(problem) => vec![StepsEvent::Failed(problem)],
        };
        match events.is_empty() {
            true => ControlFlow::Continue(()),
            false => self.mailbox.send_all(events),
        }
    }

    fn recover(&mut self, panic: &str) -> ControlFlow<()> {
        self.current = None;
        let problem = format!("telling the iteration failed: {panic}");
        self.mailbox.send(StepsEvent::Failed(problem))
    }
}

impl StepsTask {
    fn handle_command(&mut self, command: StepsCommand) -> Result<Vec<StepsEvent>, String> {
        match command {
            StepsCommand::Close => {
                self.current = None;
                Ok(Vec::new())
            }
            StepsCommand::Open(path, meta) => {
                self.current = None;
                let journal = path.with_extension("growth");
                match journal.exists() {
                    false => Ok(vec![StepsEvent::NoJournal]),
                    true => self.open(&journal, meta, false),
                }
            }
            StepsCommand::Search(search) => {
                self.current = None;
                let directory = TemporaryDirectory::new().map_err(|error| error.to_string())?;
                run_search(&search, directory.path())?;
                let (journal, meta) = find_search(directory.path())?;
                self.own_directory = Some(directory);
                self.open(&journal, Arc::new(meta), true)
            }
            StepsCommand::Show(iteration) => {
                let Some(open) = &mut self.current else {
                    return Ok(Vec::new());
                };
                let mut events = Vec::new();
                if open.poll()? {
                    events.push(StepsEvent::Journal(open.describe()));
                }
                events.extend(
                    open.steps(iteration)?
                        .map(|steps| StepsEvent::Steps(Arc::new(steps))),
                );
                Ok(events)
            }
        }
    }

    fn open(
        &mut self,
        journal: &Path,
        meta: Arc<Meta>,
        is_own: bool,
    ) -> Result<Vec<StepsEvent>, String> {
        let limits = self.limits.clone();
        let reader = ReplayReader::open_with_limits(journal, &meta.game, &meta.position, limits)
            .map_err(|error| error.to_string())?;
        let mut open = OpenJournal {
            reader,
            meta,
            is_own,
        };
        open.poll()?;
        let event = StepsEvent::Journal(open.describe());
        self.current = Some(open);
        Ok(vec![event])
    }
}

impl OpenJournal {
    /// Reads all that was added; true if there was anything.
    fn poll(&mut self) -> Result<bool, String> {
        let mut has_more = false;
        while self.reader.poll().map_err(|error| error.to_string())? {
            has_more = true;
        }
        Ok(has_more)
    }

    fn describe(&self) -> StepsJournal {
        StepsJournal {
            iterations: self.reader.iterations(),
            playouts: u32::try_from(self.reader.recorded_playouts()).unwrap_or(u32::MAX),
            is_own: self.is_own,
        }
    }

    fn steps(&mut self, iteration: u32) -> Result<Option<IterationSteps>, String> {
        let iteration = iteration.clamp(1, self.reader.iterations().max(1));
        if self.reader.iterations() == 0 {
            return Ok(None);
        }
        let before = self.reader.tree_at(iteration - 1, None)?;
        let after = self.reader.tree_at(iteration, None)?;
        let record = self.reader.iteration_record(iteration)?;
        let (before, after) = (self.model(before), Arc::new(self.model(after)));
        let steps = IterationSteps::new(iteration, &before, &after, record.as_ref());
        steps
            .map(Some)
            .ok_or_else(|| "the journal does not tell where this iteration went".to_owned())
    }

    fn model(&self, taken: ReplayTree) -> TreeModel {
        TreeModel::new(ModelSource::replayed(Arc::clone(&self.meta), taken))
    }
}

/// Runs a search that writes its journal to `directory`.
fn run_search(search: &StepsSearch, directory: &Path) -> Result<(), String> {
    let (program, words) = (search.engine.split_first())
        .ok_or_else(|| "there is no command that starts an engine".to_owned())?;
    let errors = directory.join("errors.txt");
    let failed = |error: std::io::Error| format!("the search could not be started: {error}");
    let stderr = fs::File::create(&errors).map_err(failed)?;
    let mut child = Command::new(program)
        .args(words)
        .args([
            "grow",
            "--game",
            &search.game,
            "--position",
            &search.position,
        ])
        .args(["--search", &search.search])
        .args(["--iterations", &search.iterations.to_string()])
        .args(["--journal", "--playouts", "--out"])
        .arg(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .map_err(failed)?;
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if begun.elapsed() > SEARCH_TIMEOUT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("the search took too long and was stopped".to_owned());
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    };
    if status.success() {
        return Ok(());
    }
    let said = fs::read_to_string(&errors).unwrap_or_default();
    let line = said.lines().last().unwrap_or("it says nothing");
    Err(format!("the search failed: {line}"))
}

/// The journal in a directory and the sidecar of its tree.
fn find_search(directory: &Path) -> Result<(PathBuf, Meta), String> {
    const MISSING: &str = "the search has written no journal; Monte-Carlo searches do";
    let entries = fs::read_dir(directory).map_err(|error| error.to_string())?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    let journal = (paths.find(|path| path.extension().is_some_and(|name| name == "growth")))
        .ok_or_else(|| MISSING.to_owned())?;
    let sidecar = fs::File::open(journal.with_extension("json")).map_err(|_| MISSING.to_owned())?;
    let meta = meta::read(sidecar).map_err(|error| error.to_string())?;
    Ok((journal, meta))
}
