//! Replays the growth journal of the shown tree on a background thread: builds the tree after any iteration, and follows a journal that
//! is still growing.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use canopy_engine::{
    explain::LeadChange,
    tree::{
        meta::Meta,
        replay_reader::{ReplayLimits, RootMoveHistory},
    },
};

use self::task::ReplayTask;
pub(crate) use self::task::{MAX_PREVIEW_NODES, adapt_preview_nodes};
use crate::{
    system::{wake::Wake, worker::Worker},
    tree::model::{Filter, TreeModel},
};

mod task;

/// The state of a journal.
#[derive(Clone, Debug, Default)]
pub struct ReplayStatus {
    /// Iterations read so far.
    pub iterations: u32,
    /// Set when the journal has ended; true if it ended before the search did.
    pub ended: Option<bool>,
    /// Visits of the root's moves over time.
    pub shares: Arc<RootMoveHistory>,
    /// Bytes read and bytes there are, while much is left to read.
    pub progress: Option<(u64, u64)>,
    /// Memory in use, in bytes.
    pub bytes: usize,
    /// Why reading stopped early.
    pub stop_reason: Option<String>,
}

/// A request for the tree after some iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayRequest {
    /// Iterations; clamped to the last.
    pub iteration: u32,
    /// Set while the iteration keeps changing: large trees are cut to a preview.
    pub is_preview: bool,
    /// Nodes to hide.
    pub filter: Filter,
}

impl ReplayRequest {
    /// Whether this asks for the tree as it grows. Such a request stays in force, and is answered again whenever the journal has grown,
    /// until the next request.
    fn is_newest(&self) -> bool {
        self.is_preview && self.iteration == u32::MAX
    }
}

enum ReplayCommand {
    Open(PathBuf, Arc<Meta>),
    Close,
    /// A newer snapshot's sidecar.
    UpdateMeta(PathBuf, Arc<Meta>),
    Show(ReplayRequest),
    /// Since when one move of the root is ahead of another; both as files have them.
    FindLead(PathBuf, [String; 2]),
    /// Bounds for journals that are opened later.
    SetLimits(ReplayLimits),
    /// Panics.
    #[cfg(test)]
    Panic,
}

/// An event of the journal beside a tree file.
pub enum ReplayEvent {
    /// The journal was opened or has grown.
    Status(PathBuf, ReplayStatus),
    /// A tree of it.
    Tree(PathBuf, ReplayResponse),
    /// Since when the first of two moves is ahead of the second; none if it is not.
    Lead(PathBuf, [String; 2], Option<LeadChange>),
    /// The journal cannot be read.
    Failed(PathBuf, String),
}

/// The answer to a [`ReplayRequest`].
pub struct ReplayResponse {
    /// The request.
    pub request: ReplayRequest,
    /// The iteration of the tree.
    pub iteration: u32,
    /// The tree.
    pub model: Arc<TreeModel>,
}

/// Replays growth journals on a thread.
pub struct Replayer {
    worker: Worker<ReplayCommand, ReplayEvent>,
    /// Trees that the window has not taken yet.
    pending_trees: Arc<AtomicUsize>,
}

impl Replayer {
    /// Starts the thread; `wake` is called after every batch of events. `limits` bound the memory of a journal.
    pub fn start(wake: Wake, limits: ReplayLimits) -> std::io::Result<Self> {
        let pending_trees = Arc::new(AtomicUsize::new(0));
        let pending = Arc::clone(&pending_trees);
        let new_task = |mailbox| ReplayTask::new(mailbox, pending, limits);
        let worker = Worker::start("replay", wake, new_task)?;
        Ok(Self {
            worker,
            pending_trees,
        })
    }

    /// Asks for the journal beside a tree file.
    pub fn open(&self, path: &Path, meta: Arc<Meta>) {
        self.worker.send(ReplayCommand::Open(path.to_owned(), meta));
    }

    /// Hands over the sidecar of a newer snapshot of the same search.
    pub fn update_meta(&self, path: &Path, meta: Arc<Meta>) {
        self.worker
            .send(ReplayCommand::UpdateMeta(path.to_owned(), meta));
    }

    /// Closes the journal.
    pub fn close(&self) {
        self.worker.send(ReplayCommand::Close);
    }

    /// Asks for a tree; replaces a request that was not answered yet.
    pub fn request(&self, request: ReplayRequest) {
        self.worker.send(ReplayCommand::Show(request));
    }

    /// Asks since when one move of the root is ahead of another, in the journal beside a tree file.
    pub fn find_lead(&self, path: &Path, moves: [String; 2]) {
        self.worker
            .send(ReplayCommand::FindLead(path.to_owned(), moves));
    }

    /// Opens later journals within other limits.
    pub fn set_limits(&self, limits: ReplayLimits) {
        self.worker.send(ReplayCommand::SetLimits(limits));
    }

    /// Has the thread panic.
    #[cfg(test)]
    pub(crate) fn panic_on_purpose(&self) {
        self.worker.send(ReplayCommand::Panic);
    }

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<ReplayEvent> {
        let events = self.worker.take_events();
        (self.pending_trees).fetch_sub(count_trees(&events), Ordering::Relaxed);
        events
    }
}

fn count_trees(events: &[ReplayEvent]) -> usize {
    let is_tree = |event: &&ReplayEvent| matches!(event, ReplayEvent::Tree(..));
    events.iter().filter(is_tree).count()
}
