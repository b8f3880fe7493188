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
    budget::{Budget, NODE_BYTES},
    model::{Model, Sift, Source},
    sequence::{list, list_match},
    standing,
    writers::is_written,
};

/// Called when something is ready, from another thread.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Something to be made.
enum Job {
    /// What files there are in these.
    List(Vec<PathBuf>),
    /// A tree from a file, asked for under a number; and whether before it is wanted.
    Read(PathBuf, u64, bool),
    /// The same tree with another part of it shown.
    Sift(PathBuf, Arc<Model>, Sift),
    /// Which of these is the tree of a search that began after so many plies.
    Locate(Vec<PathBuf>, u32),
}

/// Something that was made.
#[derive(Debug)]
pub enum Made {
    /// What there is to step through when these were opened.
    Listed(Vec<PathBuf>, Listing),
    /// The tree of a file, or why there is none; and the number.
    Read(PathBuf, u64, Result<Loaded, Unread>),
    /// A file is too large to be read before it is wanted.
    Skipped(PathBuf),
    /// A part of it.
    Sifted(PathBuf, Arc<Model>, Sift),
    /// The tree that was looked for, if there is one.
    Located(Option<PathBuf>),
}

/// The tree of a file.
#[derive(Debug)]
pub struct Loaded {
    /// The tree.
    pub model: Arc<Model>,
    /// What is wrong with the files beside it.
    pub problems: Vec<String>,
}

/// Why there is no tree of a file.
#[derive(Debug)]
pub enum Unread {
    /// It is incomplete, and somebody still writes it; so long it took to find that out.
    Unfinished(Duration),
    /// It cannot be read, in a sentence.
    Failed(String),
}

/// What is in files and directories that were opened.
#[derive(Debug, Default)]
pub struct Listing {
    /// The trees, in order.
    pub files: Vec<PathBuf>,
    /// The first of them, if it was read already.
    pub first: Option<Loaded>,
    /// The directory to be followed: the only one that was opened.
    pub directory: Option<PathBuf>,
    /// Whether that is of a match.
    pub is_match: bool,
    /// What could not be opened, and why.
    pub problems: Vec<String>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    is_over: bool,
}

/// What is to be done, and a bell that says so.
#[derive(Default)]
struct Desk {
    queue: Mutex<Queue>,
    bell: Condvar,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; none when it is over.
    fn next(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if queue.is_over {
                return None;
            }
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            queue = (self.bell.wait(queue)).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Makes models.
pub struct Loader {
    desk: Arc<Desk>,
    done: Receiver<Made>,
}

impl Loader {
    /// Starts the thread; `wake` is called for everything that is ready.
    pub fn start(wake: Wake, budget: Budget) -> std::io::Result<Self> {
        Self::start_with(wake, budget, work)
    }

    fn start_with(
        wake: Wake,
        budget: Budget,
        work: fn(Job, &Budget) -> Made,
    ) -> std::io::Result<Self> {
        let desk = Arc::new(Desk::default());
        let (ready, done) = channel();
        let jobs = Arc::clone(&desk);
        thread::Builder::new()
            .name("loader".to_owned())
            .spawn(move || {
                while let Some(job) = jobs.next() {
                    if ready.send(attempt(job, &budget, work)).is_err() {
                        break;
                    }
                    wake();
                }
            })?;
        Ok(Self { desk, done })
    }

    /// Asks for the trees of files and directories.
    pub fn list(&self, paths: Vec<PathBuf>) {
        self.desk.lock().jobs.push_back(Job::List(paths));
        self.desk.bell.notify_one();
    }

    /// Asks for files; `around` are those that are wanted at all, the one that is shown first. Files that were asked for and are not wanted any more are not
    /// read: it says which.
    pub fn read(&self, wanted: Vec<(PathBuf, u64)>, around: &[&Path]) -> Vec<PathBuf> {
        let mut queue = self.desk.lock();
        let mut dropped = Vec::new();
        queue.jobs.retain(|job| match job {
            Job::Read(path, ..) if !around.contains(&path.as_path()) => {
                dropped.push(path.clone());
                false
            }
            _ => true,
        });
        let reads = wanted.into_iter();
        (queue.jobs).extend(reads.map(|(path, number)| {
            let is_ahead = around.first() != Some(&path.as_path());
            Job::Read(path, number, is_ahead)
        }));
        // What is shown comes first, even if it was asked for as a neighbour.
        let is_shown = |job: &Job| matches!(job, Job::Read(path, ..) if Some(&path.as_path()) == around.first());
        if let Some(at) = queue.jobs.iter().position(is_shown)
            && let Some(Job::Read(path, number, _)) = queue.jobs.remove(at)
        {
            queue.jobs.push_front(Job::Read(path, number, false));
        }
        drop(queue);
        self.desk.bell.notify_one();
        dropped
    }

    /// Asks for another view of a tree; one that was asked for before is not made.
    pub fn sift(&self, path: PathBuf, model: Arc<Model>, sift: Sift) {
        let mut queue = self.desk.lock();
        queue.jobs.retain(|job| !matches!(job, Job::Sift(..)));
        queue.jobs.push_front(Job::Sift(path, model, sift));
        drop(queue);
        self.desk.bell.notify_one();
    }

    /// Asks which of these trees is of a search that began after so many plies; what was asked before does not matter any more.
    pub fn locate(&self, paths: Vec<PathBuf>, ply: u32) {
        let mut queue = self.desk.lock();
        queue.jobs.retain(|job| !matches!(job, Job::Locate(..)));
        queue.jobs.push_front(Job::Locate(paths, ply));
        drop(queue);
        self.desk.bell.notify_one();
    }

    /// What has become ready.
    pub fn take(&self) -> Vec<Made> {
        self.done.try_iter().collect()
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.desk.lock().is_over = true;
        self.desk.bell.notify_one();
    }
}

/// Does a job. A fault of ours costs its result, not the thread: without that nothing could be opened any more.
fn attempt(job: Job, budget: &Budget, work: fn(Job, &Budget) -> Made) -> Made {
    let otherwise: Box<dyn FnOnce(String) -> Made> = match &job {
        Job::List(paths) => {
            let paths = paths.clone();
            Box::new(|problem| {
                let problems = vec![problem];
                let listing = Listing {
                    problems,
                    ..Listing::default()
                };
                Made::Listed(paths, listing)
            })
        }
        Job::Read(path, number, _) => {
            let (path, number) = (path.clone(), *number);
            Box::new(move |problem| Made::Read(path, number, Err(Unread::Failed(problem))))
        }
        Job::Sift(path, model, sift) => {
            let (path, model, sift) = (path.clone(), Arc::clone(model), sift.clone());
            Box::new(|_| Made::Sifted(path, model, sift))
        }
        Job::Locate(..) => Box::new(|_| Made::Located(None)),
    };
    catch_unwind(AssertUnwindSafe(|| work(job, budget))).unwrap_or_else(|panic| {
        let said = (panic.downcast_ref::<String>().map(String::as_str))
            .or_else(|| panic.downcast_ref::<&str>().copied());
        otherwise(format!(
            "reading it failed: {}",
            said.unwrap_or("for no known reason")
        ))
    })
}

fn work(job: Job, budget: &Budget) -> Made {
    match job {
        Job::List(paths) => {
            let found = list_all(&paths, budget);
            Made::Listed(paths, found)
        }
        Job::Read(path, _, true) if is_large(&path, budget) => Made::Skipped(path),
        Job::Read(path, number, _) => {
            let result = read(&path, budget);
            Made::Read(path, number, result)
        }
        Job::Sift(path, model, sift) => {
            let sifted = Model::sifted(model.source(), &sift);
            Made::Sifted(path, Arc::new(sifted), sift)
        }
        Job::Locate(paths, ply) => {
            let is_it = |path: &PathBuf| ply_of(path) == Some(ply);
            Made::Located(paths.into_iter().rev().find(is_it))
        }
    }
}

/// Whether a file is too large to be read before it is wanted.
fn is_large(path: &Path, budget: &Budget) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.len() > budget.file_read_ahead())
}

/// After how many plies the search of a tree began, if its sidecar tells.
fn ply_of(path: &Path) -> Option<u32> {
    let sidecar = std::fs::File::open(path.with_extension("json")).ok()?;
    meta::read(sidecar).ok().map(|meta| meta.ply)
}

/// Reads and lays out a tree, or as much of it as the budget allows.
fn read(path: &Path, budget: &Budget) -> Result<Loaded, Unread> {
    let begun = Instant::now();
    let version = || {
        let data = std::fs::metadata(path).ok()?;
        Some((data.len(), data.modified().ok()?))
    };
    let before = version();
    match files::read_within(path, budget.tree(), NODE_BYTES) {
        Ok((mut document, left_out)) => {
            let problems = std::mem::take(&mut document.problems);
            let mut source = Source::from(document);
            source.left_out += left_out.nodes;
            source.least_visits = left_out.least_visits;
            Ok(Loaded {
                model: Arc::new(Model::new(source)),
                problems,
            })
        }
        // Who wrote it may just have closed it.
        Err(TreeError::Malformed { .. }) if is_written(path) || version() != before => {
            Err(Unread::Unfinished(begun.elapsed()))
        }
        Err(error) => Err(Unread::Failed(error.to_string())),
    }
}

/// The trees of files and directories, in the order given, those of a directory by name and those of a match by games. What cannot
/// be opened is left out and told of.
fn list_all(paths: &[PathBuf], budget: &Budget) -> Listing {
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
            let is_match = path.join(standing::FILE).exists();
            let trees = if is_match {
                list_match(path)?
            } else {
                list(path)?
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
    read_first(paths, &mut listing, budget);
    listing
}

/// Reads the first of the files that were named and can be read; those before it are left out and told of.
fn read_first(named: &[PathBuf], listing: &mut Listing, budget: &Budget) {
    while let Some(path) = listing.files.first().filter(|path| named.contains(path)) {
        match read(path, budget) {
            Ok(loaded) => {
                listing.first = Some(loaded);
                return;
            }
            Err(Unread::Unfinished(_)) => return,
            Err(Unread::Failed(problem)) => {
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
    fn fragile(job: Job, budget: &Budget) -> Made {
        match job {
            Job::Read(path, ..) if path.ends_with("broken") => panic!("broken on purpose"),
            job => work(job, budget),
        }
    }

    #[test]
    fn a_loader_that_panics_tells_of_that_file_and_reads_the_next() {
        let (sender, woken) = channel();
        let sender = Mutex::new(sender);
        let wake: Wake = Arc::new(move || {
            let _ = sender.lock().map(|sender| sender.send(()));
        });
        let loader = Loader::start_with(wake, Budget::new(16), fragile).expect("a thread starts");
        for (number, name) in [(1, "broken"), (2, "missing.tree"), (3, "broken")] {
            let path = PathBuf::from(name);
            loader.read(vec![(path.clone(), number)], &[&path]);
            woken.recv().expect("the loader lives");
            let made = loader.take();
            let [Made::Read(of, its, Err(Unread::Failed(problem)))] = &made[..] else {
                panic!("{made:?}")
            };
            assert_eq!((of, *its), (&path, number));
            let is_panic = problem == "reading it failed: broken on purpose";
            assert_eq!(is_panic, name == "broken", "{problem}");
        }
    }
}
