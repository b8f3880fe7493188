//! Reads and lays out trees on a background thread; the window stays usable meanwhile.

use std::{
    collections::VecDeque,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use canopy_engine::tree::{TreeError, files, meta};

use crate::{
    play::match_state,
    settings::memory_budget::{MemoryBudget, NODE_BYTES},
    system::{
        wake::Wake,
        worker::{Mailbox, Task, Worker},
        writers::is_open_for_writing,
    },
    tree::{
        depth_list::DepthMeta,
        model::{Filter, ModelSource, TreeModel},
        sequence::{list_match_trees, list_trees},
    },
};

#[derive(Clone)]
enum LoaderJob {
    /// Find the trees in files and directories.
    List(Vec<PathBuf>),
    /// Read a file: its path, the request number, and whether it is only prefetched.
    Read(PathBuf, u64, bool),
    /// Apply a filter to a tree.
    Filter(PathBuf, Arc<TreeModel>, Filter),
    /// Find the tree of the search that began after this many plies.
    Locate(Vec<PathBuf>, u32),
    /// Read later files within another budget.
    SetBudget(MemoryBudget),
}

/// The result of a job.
#[derive(Debug)]
pub enum LoaderEvent {
    /// The trees in the paths that were opened.
    Listed(Vec<PathBuf>, Listing),
    /// A file, the request number, and its tree or the reason why there is none.
    Read(PathBuf, u64, Result<LoadedTree, LoadError>),
    /// A file is too large to be prefetched.
    Skipped(PathBuf),
    /// A filtered tree.
    Filtered(PathBuf, Arc<TreeModel>, Filter),
    /// The tree that was looked for, if there is one.
    Located(Option<PathBuf>),
    /// A job panicked; a sentence for the user.
    Failed(String),
}

/// The tree of a file.
#[derive(Debug)]
pub struct LoadedTree {
    /// The tree.
    pub model: Arc<TreeModel>,
    /// Problems of the files beside it, such as the sidecar.
    pub problems: Vec<String>,
}

/// Why there is no tree of a file.
#[derive(Debug)]
pub enum LoadError {
    /// It is incomplete and still being written; the time it took to read this far.
    Incomplete(Duration),
    /// It cannot be read; a sentence for the user.
    Failed(String),
}

/// The trees in the files and directories that were opened.
#[derive(Debug, Default)]
pub struct Listing {
    /// The trees, in order.
    pub files: Vec<PathBuf>,
    /// The first tree, if it was read already.
    pub first_tree: Option<LoadedTree>,
    /// The directory to watch: set if it is the only path that was opened.
    pub directory: Option<PathBuf>,
    /// Whether that directory holds a match.
    pub is_match: bool,
    /// A sentence for each path that could not be opened.
    pub problems: Vec<String>,
}

/// How a job is done; another function in tests.
type RunJob = fn(LoaderJob, &mut MemoryBudget) -> Option<LoaderEvent>;

/// Reads, filters and looks for trees on a thread.
pub struct Loader {
    worker: Worker<LoaderJob, LoaderEvent>,
}

impl Loader {
    /// Starts the thread; `wake` is called after every event.
    pub fn start(wake: Wake, budget: MemoryBudget) -> std::io::Result<Self> {
        Self::start_with(wake, budget, run_job)
    }

    fn start_with(wake: Wake, budget: MemoryBudget, run: RunJob) -> std::io::Result<Self> {
        let new_task = |mailbox| LoaderTask {
            mailbox,
            budget,
            run,
            current: None,
        };
        let worker = Worker::start("loader", wake, new_task)?;
        Ok(Self { worker })
    }

    /// A loader that panics at files called `broken`.
    #[cfg(test)]
    pub(crate) fn start_fragile(wake: Wake, budget: MemoryBudget) -> std::io::Result<Self> {
        Self::start_with(wake, budget, |job, budget| match job {
            LoaderJob::Read(path, ..) if path.ends_with("broken") => panic!("broken on purpose"),
            LoaderJob::List(paths) if paths.iter().any(|path| path.ends_with("broken")) => {
                panic!("broken on purpose")
            }
            job => run_job(job, budget),
        })
    }

    /// Asks for the trees of files and directories.
    pub fn list(&self, paths: Vec<PathBuf>) {
        self.worker.send(LoaderJob::List(paths));
    }

    /// Asks for files. `around` are the shown file and its neighbours, the shown one first; queued reads of any other file are cancelled,
    /// and their paths returned.
    pub fn read(&self, wanted: Vec<(PathBuf, u64)>, around: &[&Path]) -> Vec<PathBuf> {
        let shown = around.first().copied();
        self.worker.edit_queue(|jobs| {
            let mut dropped = Vec::new();
            jobs.retain(|job| match job {
                LoaderJob::Read(path, ..) if !around.contains(&path.as_path()) => {
                    dropped.push(path.clone());
                    false
                }
                _ => true,
            });
            jobs.extend(wanted.into_iter().map(|(path, number)| {
                let is_ahead = shown != Some(path.as_path());
                LoaderJob::Read(path, number, is_ahead)
            }));
            // The shown file comes first, even if it was asked for as a neighbour.
            let is_shown = |job: &LoaderJob| matches!(job, LoaderJob::Read(path, ..) if Some(path.as_path()) == shown);
            if let Some(at) = jobs.iter().position(is_shown)
                && let Some(LoaderJob::Read(path, number, _)) = jobs.remove(at)
            {
                jobs.push_front(LoaderJob::Read(path, number, false));
            }
            dropped
        })
    }

    /// Asks for another view of a tree; replaces a queued request for one.
    pub fn filter(&self, path: PathBuf, model: Arc<TreeModel>, filter: Filter) {
        self.worker.edit_queue(|jobs| {
            jobs.retain(|job| !matches!(job, LoaderJob::Filter(..)));
            jobs.push_front(LoaderJob::Filter(path, model, filter));
        });
    }

    /// Asks which of these trees is of a search that began after `ply` plies; replaces a queued request of the kind.
    pub fn locate(&self, paths: Vec<PathBuf>, ply: u32) {
        self.worker.edit_queue(|jobs| {
            jobs.retain(|job| !matches!(job, LoaderJob::Locate(..)));
            jobs.push_front(LoaderJob::Locate(paths, ply));
        });
    }

    /// Reads later files within another budget.
    pub fn set_budget(&self, budget: MemoryBudget) {
        self.worker.send(LoaderJob::SetBudget(budget));
    }

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<LoaderEvent> {
        self.worker.take_events()
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.worker.edit_queue(VecDeque::clear);
    }
}

struct LoaderTask {
    mailbox: Mailbox<LoaderJob, LoaderEvent>,
    budget: MemoryBudget,
    run: RunJob,
    /// The job being done, for the report of a panic.
    current: Option<LoaderJob>,
}

impl Task for LoaderTask {
    fn step(&mut self) -> ControlFlow<()> {
        let Some(job) = self.mailbox.recv() else {
            return ControlFlow::Break(());
        };
        self.current = Some(job.clone());
        let event = (self.run)(job, &mut self.budget);
        self.current = None;
        match event {
            Some(event) => self.mailbox.send(event),
            None => ControlFlow::Continue(()),
        }
    }

    fn recover(&mut self, panic: &str) -> ControlFlow<()> {
        match self.current.take() {
            Some(job) => self.mailbox.send_all(job.failed(panic)),
            None => ControlFlow::Continue(()),
        }
    }
}

impl LoaderJob {
    /// What the window hears of a job that panicked: its result as far as there is one, and the problem.
    fn failed(self, panic: &str) -> Vec<LoaderEvent> {
        let problem = format!("reading it failed: {panic}");
        match self {
            Self::List(paths) => {
                let listing = Listing {
                    problems: vec![problem],
                    ..Listing::default()
                };
                vec![LoaderEvent::Listed(paths, listing)]
            }
            Self::Read(path, number, _) => {
                let result = Err(LoadError::Failed(problem));
                vec![LoaderEvent::Read(path, number, result)]
            }
            Self::Filter(path, model, filter) => vec![
                LoaderEvent::Filtered(path, model, filter),
                LoaderEvent::Failed(format!("filtering the tree failed: {panic}")),
            ],
            Self::Locate(..) => vec![
                LoaderEvent::Located(None),
                LoaderEvent::Failed(format!("looking for the tree failed: {panic}")),
            ],
            Self::SetBudget(_) => Vec::new(),
        }
    }
}

fn run_job(job: LoaderJob, budget: &mut MemoryBudget) -> Option<LoaderEvent> {
    Some(match job {
        LoaderJob::List(paths) => {
            let listing = list_all(&paths, budget);
            LoaderEvent::Listed(paths, listing)
        }
        LoaderJob::Read(path, _, true) if is_too_large_to_prefetch(&path, budget) => {
            LoaderEvent::Skipped(path)
        }
        LoaderJob::Read(path, number, _) => {
            let result = load_tree(&path, budget);
            LoaderEvent::Read(path, number, result)
        }
        LoaderJob::Filter(path, model, filter) => {
            let filtered = TreeModel::filtered(model.source(), &filter);
            LoaderEvent::Filtered(path, Arc::new(filtered), filter)
        }
        LoaderJob::Locate(paths, ply) => {
            let is_it = |path: &PathBuf| root_ply(path) == Some(ply);
            LoaderEvent::Located(paths.into_iter().rev().find(is_it))
        }
        LoaderJob::SetBudget(changed) => {
            *budget = changed;
            return None;
        }
    })
}

/// Whether a file is too large to be prefetched.
fn is_too_large_to_prefetch(path: &Path, budget: &MemoryBudget) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.len() > budget.max_prefetch_bytes())
}

/// The ply at which a tree's search began, from its sidecar.
fn root_ply(path: &Path) -> Option<u32> {
    let sidecar = std::fs::File::open(path.with_extension("json")).ok()?;
    meta::read(sidecar).ok().map(|meta| meta.ply)
}

/// Reads and lays out a tree, or as much of it as the budget allows.
fn load_tree(path: &Path, budget: &MemoryBudget) -> Result<LoadedTree, LoadError> {
    let begun = Instant::now();
    let version = || {
        let data = std::fs::metadata(path).ok()?;
        Some((data.len(), data.modified().ok()?))
    };
    let before = version();
    match files::read_with_byte_limit(path, budget.max_tree_bytes(), NODE_BYTES) {
        Ok((mut document, left_out)) => {
            let problems = std::mem::take(&mut document.problems);
            let mut source = ModelSource::from(document);
            source.left_out += left_out.nodes;
            source.least_visits = left_out.min_visits;
            source.depths = Arc::new(searched_depths(path, source.meta.as_deref()));
            Ok(LoadedTree {
                model: Arc::new(TreeModel::new(source)),
                problems,
            })
        }
        // The writer may just have closed it.
        Err(TreeError::Malformed { .. }) if is_open_for_writing(path) || version() != before => {
            Err(LoadError::Incomplete(begun.elapsed()))
        }
        Err(error) => Err(LoadError::Failed(error.to_string())),
    }
}

/// The depths that the search of a tree has completed, from its sidecar; from that of the whole search if the tree is one of
/// its depths.
fn searched_depths(path: &Path, meta: Option<&meta::Meta>) -> Vec<DepthMeta> {
    let Some(meta) = meta.filter(|meta| meta.parameters.contains_key("depth")) else {
        return Vec::new();
    };
    if !meta.depths.is_empty() {
        return meta.depths.clone();
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let whole = stem.and_then(|stem| Some(stem.rsplit_once("-d")?.0));
    let sidecar = whole.map(|whole| path.with_file_name(format!("{whole}.json")));
    let whole = sidecar.and_then(|sidecar| meta::read(std::fs::File::open(sidecar).ok()?).ok());
    whole.map_or_else(Vec::new, |whole| whole.depths)
}

/// The trees of files and directories in the order given; those of a directory by name, those of a match by game. Paths that cannot be
/// opened go into `problems`.
fn list_all(paths: &[PathBuf], budget: &MemoryBudget) -> Listing {
    let mut listing = Listing::default();
    for path in paths {
        let result = std::fs::metadata(path).and_then(|data| {
            if !data.is_file() && !data.is_dir() {
                // A pipe might never be opened.
                return Err(std::io::Error::other("it is neither a file nor a folder"));
            }
            if data.is_file() {
                // A file without read permission must not replace what is shown.
                std::fs::File::open(path)?;
                listing.files.push(path.clone());
                return Ok(());
            }
            let is_match = path.join(match_state::MATCH_FILE).exists();
            let trees = if is_match {
                list_match_trees(path)?
            } else {
                list_trees(path)?
            };
            listing.files.extend(trees);
            if paths.len() == 1 {
                listing.directory = Some(path.clone());
                listing.is_match = is_match;
            }
            Ok(())
        });
        if let Err(error) = result {
            let problem = match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
                _ => error.to_string(),
            };
            listing
                .problems
                .push(format!("{}: {problem}", path.display()));
        }
    }
    load_first(paths, &mut listing, budget);
    listing
}

/// Reads the first of the named files that can be read; those before it go into `problems`.
fn load_first(named: &[PathBuf], listing: &mut Listing, budget: &MemoryBudget) {
    while let Some(path) = listing.files.first().filter(|path| named.contains(path)) {
        match load_tree(path, budget) {
            Ok(loaded) => {
                listing.first_tree = Some(loaded);
                return;
            }
            Err(LoadError::Incomplete(_)) => return,
            Err(LoadError::Failed(problem)) => {
                listing
                    .problems
                    .push(format!("{}: {problem}", path.display()));
                listing.files.remove(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc::channel};

    use super::*;

    #[test]
    fn a_loader_that_panics_tells_of_that_file_and_reads_the_next() {
        let (sender, woken) = channel();
        let sender = Mutex::new(sender);
        let wake: Wake = Arc::new(move || {
            let _ = sender.lock().map(|sender| sender.send(()));
        });
        let loader = Loader::start_fragile(wake, MemoryBudget::new(16)).expect("a thread starts");
        for (number, name) in [(1, "broken"), (2, "missing.tree"), (3, "broken")] {
            let path = PathBuf::from(name);
            loader.read(vec![(path.clone(), number)], &[&path]);
            woken.recv().expect("the loader lives");
            let made = loader.take_events();
            let [LoaderEvent::Read(of, its, Err(LoadError::Failed(problem)))] = &made[..] else {
                panic!("{made:?}")
            };
            assert_eq!((of, *its), (&path, number));
            let is_panic = problem == "reading it failed: broken on purpose";
            assert_eq!(is_panic, name == "broken", "{problem}");
        }
    }
}
