//! Trees are read and laid out on a thread of their own; what is shown stays usable meanwhile.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use canopy_engine::tree::{TreeError, files, meta};

use crate::{
    play::match_state,
    settings::memory_budget::{MemoryBudget, NODE_BYTES},
    system::{wake::Wake, writers::is_open_for_writing},
    tree::{
        model::{Filter, ModelSource, TreeModel},
        sequence::{list_match_trees, list_trees},
    },
};

/// Something to be made.
enum LoaderJob {
    /// What files there are in these.
    List(Vec<PathBuf>),
    /// A tree from a file, asked for under a number; and whether before it is wanted.
    Read(PathBuf, u64, bool),
    /// The same tree with another part of it shown.
    Filter(PathBuf, Arc<TreeModel>, Filter),
    /// Which of these is the tree of a search that began after so many plies.
    Locate(Vec<PathBuf>, u32),
}

/// Something that was made.
#[derive(Debug)]
pub enum LoaderEvent {
    /// What there is to step through when these were opened.
    Listed(Vec<PathBuf>, Listing),
    /// The tree of a file, or why there is none; and the number.
    Read(PathBuf, u64, Result<LoadedTree, LoadError>),
    /// A file is too large to be read before it is wanted.
    Skipped(PathBuf),
    /// A part of it.
    Filtered(PathBuf, Arc<TreeModel>, Filter),
    /// The tree that was looked for, if there is one.
    Located(Option<PathBuf>),
}

/// The tree of a file.
#[derive(Debug)]
pub struct LoadedTree {
    /// The tree.
    pub model: Arc<TreeModel>,
    /// What is wrong with the files beside it.
    pub problems: Vec<String>,
}

/// Why there is no tree of a file.
#[derive(Debug)]
pub enum LoadError {
    /// It is incomplete, and somebody still writes it; so long it took to find that out.
    Incomplete(Duration),
    /// It cannot be read, in a sentence.
    Failed(String),
}

/// What is in files and directories that were opened.
#[derive(Debug, Default)]
pub struct Listing {
    /// The trees, in order.
    pub files: Vec<PathBuf>,
    /// The first of them, if it was read already.
    pub first_tree: Option<LoadedTree>,
    /// The directory to be followed: the only one that was opened.
    pub directory: Option<PathBuf>,
    /// Whether that is of a match.
    pub is_match: bool,
    /// What could not be opened, and why.
    pub problems: Vec<String>,
}

#[derive(Default)]
struct JobQueue {
    jobs: VecDeque<LoaderJob>,
    is_closed: bool,
}

/// What is to be done, and a bell that says so.
#[derive(Default)]
struct SharedJobQueue {
    queue: Mutex<JobQueue>,
    condvar: Condvar,
}

impl SharedJobQueue {
    fn lock(&self) -> MutexGuard<'_, JobQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; none when it is over.
    fn next(&self) -> Option<LoaderJob> {
        let mut queue = self.lock();
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            queue = (self.condvar.wait(queue)).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Makes models.
pub struct Loader {
    queue: Arc<SharedJobQueue>,
    events: Receiver<LoaderEvent>,
}

impl Loader {
    /// Starts the thread; `wake` is called for everything that is ready.
    pub fn start(wake: Wake, budget: MemoryBudget) -> std::io::Result<Self> {
        Self::start_with(wake, budget, run_job)
    }

    fn start_with(
        wake: Wake,
        budget: MemoryBudget,
        work: fn(LoaderJob, &MemoryBudget) -> LoaderEvent,
    ) -> std::io::Result<Self> {
        let queue = Arc::new(SharedJobQueue::default());
        let (sender, events) = channel();
        let jobs = Arc::clone(&queue);
        thread::Builder::new()
            .name("loader".to_owned())
            .spawn(move || {
                while let Some(job) = jobs.next() {
                    if sender
                        .send(run_job_catching_panics(job, &budget, work))
                        .is_err()
                    {
                        break;
                    }
                    wake();
                }
            })?;
        Ok(Self { queue, events })
    }

    /// Asks for the trees of files and directories.
    pub fn list(&self, paths: Vec<PathBuf>) {
        self.queue.lock().jobs.push_back(LoaderJob::List(paths));
        self.queue.condvar.notify_one();
    }

    /// Asks for files; `around` are those that are wanted at all, the one that is shown first. Files that were asked for and are not wanted any more are not
    /// read: it says which.
    pub fn read(&self, wanted: Vec<(PathBuf, u64)>, around: &[&Path]) -> Vec<PathBuf> {
        let mut queue = self.queue.lock();
        let mut dropped = Vec::new();
        queue.jobs.retain(|job| match job {
            LoaderJob::Read(path, ..) if !around.contains(&path.as_path()) => {
                dropped.push(path.clone());
                false
            }
            _ => true,
        });
        let reads = wanted.into_iter();
        (queue.jobs).extend(reads.map(|(path, number)| {
            let is_ahead = around.first() != Some(&path.as_path());
            LoaderJob::Read(path, number, is_ahead)
        }));
        // What is shown comes first, even if it was asked for as a neighbour.
        let is_shown = |job: &LoaderJob| matches!(job, LoaderJob::Read(path, ..) if Some(&path.as_path()) == around.first());
        if let Some(at) = queue.jobs.iter().position(is_shown)
            && let Some(LoaderJob::Read(path, number, _)) = queue.jobs.remove(at)
        {
            queue.jobs.push_front(LoaderJob::Read(path, number, false));
        }
        drop(queue);
        self.queue.condvar.notify_one();
        dropped
    }

    /// Asks for another view of a tree; one that was asked for before is not made.
    pub fn filter(&self, path: PathBuf, model: Arc<TreeModel>, filter: Filter) {
        let mut queue = self.queue.lock();
        queue
            .jobs
            .retain(|job| !matches!(job, LoaderJob::Filter(..)));
        queue
            .jobs
            .push_front(LoaderJob::Filter(path, model, filter));
        drop(queue);
        self.queue.condvar.notify_one();
    }

    /// Asks which of these trees is of a search that began after so many plies; what was asked before does not matter any more.
    pub fn locate(&self, paths: Vec<PathBuf>, ply: u32) {
        let mut queue = self.queue.lock();
        queue
            .jobs
            .retain(|job| !matches!(job, LoaderJob::Locate(..)));
        queue.jobs.push_front(LoaderJob::Locate(paths, ply));
        drop(queue);
        self.queue.condvar.notify_one();
    }

    /// What has become ready.
    pub fn take_events(&self) -> Vec<LoaderEvent> {
        self.events.try_iter().collect()
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.condvar.notify_one();
    }
}

/// Does a job. A fault of ours costs its result, not the thread: without that nothing could be opened any more.
fn run_job_catching_panics(
    job: LoaderJob,
    budget: &MemoryBudget,
    work: fn(LoaderJob, &MemoryBudget) -> LoaderEvent,
) -> LoaderEvent {
    let on_panic: Box<dyn FnOnce(String) -> LoaderEvent> = match &job {
        LoaderJob::List(paths) => {
            let paths = paths.clone();
            Box::new(|problem| {
                let problems = vec![problem];
                let listing = Listing {
                    problems,
                    ..Listing::default()
                };
                LoaderEvent::Listed(paths, listing)
            })
        }
        LoaderJob::Read(path, number, _) => {
            let (path, number) = (path.clone(), *number);
            Box::new(move |problem| {
                LoaderEvent::Read(path, number, Err(LoadError::Failed(problem)))
            })
        }
        LoaderJob::Filter(path, model, filter) => {
            let (path, model, sift) = (path.clone(), Arc::clone(model), filter.clone());
            Box::new(|_| LoaderEvent::Filtered(path, model, sift))
        }
        LoaderJob::Locate(..) => Box::new(|_| LoaderEvent::Located(None)),
    };
    catch_unwind(AssertUnwindSafe(|| work(job, budget))).unwrap_or_else(|panic| {
        let said = (panic.downcast_ref::<String>().map(String::as_str))
            .or_else(|| panic.downcast_ref::<&str>().copied());
        on_panic(format!(
            "reading it failed: {}",
            said.unwrap_or("for no known reason")
        ))
    })
}

fn run_job(job: LoaderJob, budget: &MemoryBudget) -> LoaderEvent {
    match job {
        LoaderJob::List(paths) => {
            let found = list_all(&paths, budget);
            LoaderEvent::Listed(paths, found)
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
    }
}

/// Whether a file is too large to be read before it is wanted.
fn is_too_large_to_prefetch(path: &Path, budget: &MemoryBudget) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.len() > budget.max_prefetch_bytes())
}

/// After how many plies the search of a tree began, if its sidecar tells.
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
            Ok(LoadedTree {
                model: Arc::new(TreeModel::new(source)),
                problems,
            })
        }
        // Who wrote it may just have closed it.
        Err(TreeError::Malformed { .. }) if is_open_for_writing(path) || version() != before => {
            Err(LoadError::Incomplete(begun.elapsed()))
        }
        Err(error) => Err(LoadError::Failed(error.to_string())),
    }
}

/// The trees of files and directories, in the order given, those of a directory by name and those of a match by games. What cannot
/// be opened is left out and told of.
fn list_all(paths: &[PathBuf], budget: &MemoryBudget) -> Listing {
    let mut listing = Listing::default();
    for path in paths {
        let result = std::fs::metadata(path).and_then(|data| {
            if !data.is_file() && !data.is_dir() {
                // A pipe might never be opened.
                return Err(std::io::Error::other("it is neither a file nor a folder"));
            }
            if data.is_file() {
                // One that may not be read is found out before anything gives way to it.
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

/// Reads the first of the files that were named and can be read; those before it are left out and told of.
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
    use super::*;

    /// Fails at files called broken.
    fn fragile(job: LoaderJob, budget: &MemoryBudget) -> LoaderEvent {
        match job {
            LoaderJob::Read(path, ..) if path.ends_with("broken") => panic!("broken on purpose"),
            job => run_job(job, budget),
        }
    }

    #[test]
    fn a_loader_that_panics_tells_of_that_file_and_reads_the_next() {
        let (sender, woken) = channel();
        let sender = Mutex::new(sender);
        let wake: Wake = Arc::new(move || {
            let _ = sender.lock().map(|sender| sender.send(()));
        });
        let loader =
            Loader::start_with(wake, MemoryBudget::new(16), fragile).expect("a thread starts");
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
