//! Trees are read and laid out on a thread of their own; what is shown stays usable meanwhile.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use canopy_engine::tree::files;

use crate::model::{Model, Sift};

/// Called when something is ready, from another thread.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Something to be made.
enum Job {
    /// A tree from a file.
    Read(PathBuf),
    /// The same tree with another part of it shown.
    Sift(PathBuf, Arc<Model>, Sift),
}

/// Something that was made.
#[derive(Debug)]
pub struct Loaded {
    /// The file.
    pub path: PathBuf,
    /// The tree, or why there is none.
    pub result: Result<Arc<Model>, String>,
    /// What of it is shown; none for a file that was just read.
    pub sift: Option<Sift>,
}

/// Makes models.
pub struct Loader {
    jobs: Sender<Job>,
    done: Receiver<Loaded>,
}

impl Loader {
    /// Starts the thread; `wake` is called for everything that is ready.
    pub fn start(wake: Wake) -> std::io::Result<Self> {
        let (jobs, wanted) = channel();
        let (ready, done) = channel();
        thread::Builder::new()
            .name("loader".to_owned())
            .spawn(move || {
                for job in wanted {
                    if ready.send(work(job)).is_err() {
                        break;
                    }
                    wake();
                }
            })?;
        Ok(Self { jobs, done })
    }

    /// Asks for a file.
    pub fn read(&self, path: PathBuf) {
        let _ = self.jobs.send(Job::Read(path));
    }

    /// Asks for another view of a tree.
    pub fn sift(&self, path: PathBuf, model: Arc<Model>, sift: Sift) {
        let _ = self.jobs.send(Job::Sift(path, model, sift));
    }

    /// What has become ready.
    pub fn take(&self) -> Vec<Loaded> {
        self.done.try_iter().collect()
    }
}

fn work(job: Job) -> Loaded {
    match job {
        Job::Read(path) => {
            let result = match files::read(&path, None) {
                Ok(document) => Ok(Arc::new(Model::new(document))),
                Err(error) => Err(error.to_string()),
            };
            Loaded {
                path,
                result,
                sift: None,
            }
        }
        Job::Sift(path, model, sift) => {
            let sifted = Model::sifted(Arc::clone(&model.tree), model.meta.clone(), &sift);
            Loaded {
                path,
                result: Ok(Arc::new(sifted)),
                sift: Some(sift),
            }
        }
    }
}
