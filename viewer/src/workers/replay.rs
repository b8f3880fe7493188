//! The journal beside the tree that is shown, on a thread of its own: trees of any iteration are made there, and a journal
//! that is still written is read on.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use canopy_engine::tree::{
    meta::Meta,
    replay_reader::{ReplayLimits, ReplayReader, RootVisitHistory},
};

use crate::{
    system::wake::Wake,
    tree::model::{Filter, JournalFeatures, ModelSource, TreeModel},
};

/// A journal that is still written is looked at so often.
const POLL_INTERVAL: Duration = Duration::from_millis(16);
/// While the window has not taken what is ready, one looks so often whether it has.
const PICKUP_POLL_INTERVAL: Duration = Duration::from_millis(4);
/// A journal to which nothing has been added for a while is looked at so often: perhaps nobody writes any more.
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// A journal that is not there yet is looked for so many times.
const MAX_OPEN_ATTEMPTS: u32 = 50;
/// When there was nothing to do for so long, a tree that was shown in part is shown whole.
const FULL_REDRAW_DELAY: Duration = Duration::from_millis(300);
/// While the iteration changes all the time, the tree shows at most so many nodes, and at least so many of those there are.
pub(crate) const MAX_PREVIEW_NODES: u64 = 150_000;
const MIN_PREVIEW_NODES: u64 = 3_000;
/// A tree that changes all the time is to be ready in this time; there are the more nodes in it the sooner it is.
const TARGET_PREVIEW_TIME: Duration = Duration::from_millis(7);
/// Towards the newest tree of a search one goes for no longer than this at a time, and by so many iterations before one looks
/// at the clock: a search that is faster than its replay is seen to grow all the same, a little later.
const MAX_ADVANCE_TIME: Duration = Duration::from_millis(6);
const ADVANCE_STEP: u32 = 2048;
/// How often the progress is told while a long journal is read.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Bytes that are read so soon that nothing is said of them.
const MIN_PROGRESS_BYTES: u64 = 4 << 20;
/// How often the shares of the root's moves are told, from the beginning to the end.
const SHARE_SAMPLES: usize = 240;

/// What is known of a journal.
#[derive(Clone, Debug, Default)]
pub struct ReplayStatus {
    /// How many iterations it has so far.
    pub iterations: u32,
    /// Whether it has ended, and if so whether before the search did.
    pub ended: Option<bool>,
    /// How the visits of the root's moves went.
    pub shares: Arc<RootVisitHistory>,
    /// While much of it has not been read yet: how many bytes have, and how many there are.
    pub progress: Option<(u64, u64)>,
    /// The bytes it takes in memory.
    pub bytes: usize,
    /// Why it is read no further, if that is so.
    pub stop_reason: Option<String>,
}

/// A tree that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayRequest {
    /// After how many iterations; at most after the last.
    pub iteration: u32,
    /// Whether the next wish comes at once, so that large trees are shown in part.
    pub is_preview: bool,
    /// What of it is shown.
    pub filter: Filter,
}

impl ReplayRequest {
    /// Whether it is for the tree as it grows. It is fulfilled again and again, whenever there is more to see than last time,
    /// until something else is wished for.
    fn is_newest(&self) -> bool {
        self.is_preview && self.iteration == u32::MAX
    }
}

enum ReplayCommand {
    Open(PathBuf, Arc<Meta>),
    Close,
    /// More is known of the search.
    UpdateMeta(PathBuf, Arc<Meta>),
    Show(ReplayRequest),
}

/// What the thread has to say of the tree file at a path.
pub enum ReplayEvent {
    /// There is a journal, or more of it.
    Status(PathBuf, ReplayStatus),
    /// A tree of it.
    Tree(PathBuf, ReplayResponse),
    /// It cannot be read.
    Failed(PathBuf, String),
}

/// A tree after some iterations.
pub struct ReplayResponse {
    /// What was wished for.
    pub request: ReplayRequest,
    /// The iteration it is.
    pub iteration: u32,
    /// The tree.
    pub model: Arc<TreeModel>,
}

/// Shows journals.
pub struct Replayer {
    commands: Sender<ReplayCommand>,
    events: Receiver<ReplayEvent>,
    /// How many trees nobody has taken yet.
    pending_trees: Arc<AtomicUsize>,
}

impl Replayer {
    /// Starts the thread; `wake` is called when there is news. A journal takes no more memory than the limits say.
    pub fn start(wake: Wake, limits: ReplayLimits) -> std::io::Result<Self> {
        let (commands, command_receiver) = channel();
        let (sender, events) = channel();
        let pending_trees = Arc::new(AtomicUsize::new(0));
        let worker_pending_trees = Arc::clone(&pending_trees);
        thread::Builder::new()
            .name("film".to_owned())
            .spawn(move || {
                let send = |events: Vec<ReplayEvent>| {
                    let is_heard = events.into_iter().all(|piece| sender.send(piece).is_ok());
                    wake();
                    is_heard
                };
                ReplayWorker {
                    pending_trees: worker_pending_trees,
                    limits,
                    current: None,
                    pending_open: None,
                    open_attempts: 0,
                    request: None,
                    last_request: None,
                    last_newest: None,
                    polled_at: None,
                    reported_at: None,
                    deferred_request: None,
                    preview_nodes: MAX_PREVIEW_NODES,
                }
                .run(&command_receiver, &send);
            })?;
        Ok(Self {
            commands,
            events,
            pending_trees,
        })
    }

    /// Asks for the journal beside a tree file.
    pub fn open(&self, path: &Path, meta: Arc<Meta>) {
        let _ = self
            .commands
            .send(ReplayCommand::Open(path.to_owned(), meta));
    }

    /// Tells what a newer snapshot of the same search says.
    pub fn update_meta(&self, path: &Path, meta: Arc<Meta>) {
        let _ = self
            .commands
            .send(ReplayCommand::UpdateMeta(path.to_owned(), meta));
    }

    /// No journal is wanted.
    pub fn close(&self) {
        let _ = self.commands.send(ReplayCommand::Close);
    }

    /// Asks for a tree; a wish that was not fulfilled yet is forgotten.
    pub fn request(&self, request: ReplayRequest) {
        let _ = self.commands.send(ReplayCommand::Show(request));
    }

    /// What is new.
    pub fn take_events(&self) -> Vec<ReplayEvent> {
        let events: Vec<ReplayEvent> = self.events.try_iter().collect();
        let is_tree = |piece: &&ReplayEvent| matches!(piece, ReplayEvent::Tree(..));
        let trees = events.iter().filter(is_tree).count();
        self.pending_trees.fetch_sub(trees, Ordering::Relaxed);
        events
    }
}

/// What the thread holds.
struct ReplayWorker {
    /// How many trees the window has not taken yet.
    pending_trees: Arc<AtomicUsize>,
    /// What a journal may take.
    limits: ReplayLimits,
    current: Option<OpenReplay>,
    /// A search that still runs may begin its journal a moment later than its tree.
    pending_open: Option<(PathBuf, Arc<Meta>)>,
    /// How often it is looked for.
    open_attempts: u32,
    request: Option<ReplayRequest>,
    /// The last wish that was fulfilled, unless it was for the newest tree.
    last_request: Option<ReplayRequest>,
    /// The last wish for the newest tree that was fulfilled, with its iteration, and when that was begun.
    last_newest: Option<(ReplayRequest, u32, Instant)>,
    /// When the journal was looked at last, and when there was more in it.
    polled_at: Option<Instant>,
    reported_at: Option<Instant>,
    /// A tree that was shown in part, to be shown whole when there is time; and since when there might be.
    deferred_request: Option<(ReplayRequest, Instant)>,
    /// How many nodes a tree has that changes all the time.
    preview_nodes: u64,
}

struct OpenReplay {
    path: PathBuf,
    meta: Arc<Meta>,
    replay: ReplayReader,
}

impl ReplayWorker {
    fn run(mut self, commands: &Receiver<ReplayCommand>, send: &impl Fn(Vec<ReplayEvent>) -> bool) {
        loop {
            let is_live = self.pending_open.is_some()
                || (self.current.as_ref()).is_some_and(|it| it.replay.ended().is_none());
            let is_behind = (self.current.as_ref()).is_some_and(|it| it.replay.is_behind());
            let due = match &self.request {
                Some(request) => self.time_until_due(request),
                None if is_live || self.deferred_request.is_some() => Some(self.poll_delay()),
                None => None,
            };
            let wait = if is_behind { Some(Duration::ZERO) } else { due };
            // Whatever has come in the meantime counts more.
            let command = match wait {
                Some(wait) => commands.recv_timeout(wait),
                None => commands.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let mut events = Vec::new();
            match command {
                Ok(command) => self.handle_command(command, &mut events),
                Err(RecvTimeoutError::Timeout) if is_behind && due != Some(Duration::ZERO) => {
                    self.poll_journal(&mut events);
                }
                Err(RecvTimeoutError::Timeout) => self.process_request(&mut events),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.poll_if_due(&mut events);
            if !events.is_empty() && !send(events) {
                return;
            }
        }
    }

    /// How long to wait before a wish is fulfilled; none for ever.
    fn time_until_due(&self, request: &ReplayRequest) -> Option<Duration> {
        let (Some(playing), Some((_, _, begun))) = (&self.current, &self.last_newest) else {
            return Some(Duration::ZERO);
        };
        match (self.has_newer(request), playing.replay.ended()) {
            (true, _) if !request.is_newest() => Some(Duration::ZERO),
            (true, _) if self.has_backlog(request) => Some(PICKUP_POLL_INTERVAL),
            (true, _) => Some(POLL_INTERVAL.saturating_sub(begun.elapsed())),
            (false, None) => {
                let since = self
                    .polled_at
                    .map_or(Duration::MAX, |looked| looked.elapsed());
                Some(self.poll_delay().saturating_sub(since))
            }
            (false, Some(_)) => self.deferred_request.as_ref().map(|_| POLL_INTERVAL),
        }
    }

    /// Whether there is more to see for a wish than was shown.
    fn has_newer(&self, request: &ReplayRequest) -> bool {
        let (Some((grown, at, _)), Some(playing)) = (&self.last_newest, &self.current) else {
            return true;
        };
        grown != request || *at < playing.replay.iterations()
    }

    /// Whether the window has enough to show for the moment.
    fn has_backlog(&self, request: &ReplayRequest) -> bool {
        request.is_newest() && self.pending_trees.load(Ordering::Relaxed) > 1
    }

    /// Nothing else was asked for in the meantime.
    fn process_request(&mut self, events: &mut Vec<ReplayEvent>) {
        if self.request.as_ref().is_some_and(ReplayRequest::is_newest) {
            self.poll_journal(events);
        }
        match self.request.take() {
            Some(request) if self.has_newer(&request) && !self.has_backlog(&request) => {
                self.serve_request(request, events);
            }
            request => {
                self.request = request;
                self.resume_deferred();
            }
        }
    }

    /// Wishes for a whole tree where a part was shown, if there is nothing else to do.
    fn resume_deferred(&mut self) {
        let is_quiet = |since: Instant| since.elapsed() >= FULL_REDRAW_DELAY;
        let is_idle = self.reported_at.is_none_or(is_quiet);
        if let Some((request, _)) =
            (self.deferred_request).take_if(|(_, since)| is_idle && is_quiet(*since))
        {
            self.request = Some(request);
        }
    }

    /// How long to wait for more of a journal: the longer nothing has come, the longer.
    fn poll_delay(&self) -> Duration {
        if self.deferred_request.is_some() {
            return POLL_INTERVAL;
        }
        let silence = self
            .reported_at
            .map_or(POLL_INTERVAL, |told| told.elapsed() / 10);
        silence.clamp(POLL_INTERVAL, IDLE_POLL_INTERVAL)
    }

    fn handle_command(&mut self, command: ReplayCommand, events: &mut Vec<ReplayEvent>) {
        match command {
            ReplayCommand::Close => {
                self.current = None;
                self.pending_open = None;
                self.request = None;
                self.last_request = None;
                self.deferred_request = None;
            }
            ReplayCommand::Show(request) => {
                self.deferred_request =
                    self.deferred_request.take().filter(|_| request.is_newest());
                self.request = Some(request);
            }
            ReplayCommand::UpdateMeta(path, meta) => {
                if let Some(playing) = self.current.as_mut().filter(|it| it.path == path) {
                    playing.meta = meta;
                }
            }
            ReplayCommand::Open(path, meta) => {
                self.request = None;
                self.last_request = None;
                self.current = None;
                self.pending_open = None;
                self.last_newest = None;
                self.reported_at = None;
                self.deferred_request = None;
                self.preview_nodes = MAX_PREVIEW_NODES;
                self.open_attempts = MAX_OPEN_ATTEMPTS;
                self.open(path, meta, events);
            }
        }
    }

    fn open(&mut self, path: PathBuf, meta: Arc<Meta>, events: &mut Vec<ReplayEvent>) {
        let journal = path.with_extension("growth");
        let is_early = !meta.is_final && self.open_attempts > 0;
        self.open_attempts = self.open_attempts.saturating_sub(1);
        let limits = self.limits.clone();
        let film = (journal.exists())
            .then(|| ReplayReader::open_with_limits(&journal, &meta.game, &meta.position, limits));
        let film = film.map(|film| film.and_then(|mut film| film.poll().map(|_| film)));
        match film {
            Some(Ok(film)) => {
                self.current = Some(OpenReplay {
                    path,
                    meta,
                    replay: film,
                });
                self.report_status(events);
            }
            None | Some(Err(_)) if is_early => self.pending_open = Some((path, meta)),
            None => {}
            Some(Err(error)) => events.push(ReplayEvent::Failed(path, error.to_string())),
        }
    }

    /// Reads what was added to a journal that is still written, if it is time to.
    fn poll_if_due(&mut self, events: &mut Vec<ReplayEvent>) {
        if let Some((path, meta)) = self.pending_open.take() {
            return self.open(path, meta, events);
        }
        if self
            .polled_at
            .is_none_or(|looked| looked.elapsed() >= POLL_INTERVAL)
        {
            self.poll_journal(events);
        }
    }

    fn poll_journal(&mut self, events: &mut Vec<ReplayEvent>) {
        let Some(playing) = &mut self.current else {
            return;
        };
        let was_behind = playing.replay.is_behind();
        if playing.replay.ended().is_some() && !was_behind {
            return;
        }
        self.polled_at = Some(Instant::now());
        let result = playing.replay.poll();
        if was_behind && !playing.replay.is_behind() && playing.replay.ended().is_some() {
            // All is read, and the choice of nodes is final: what is shown may be a poorer one.
            self.request = self.request.take().or(self.last_request.take());
        }
        match result {
            // While there is much to read, one hears of it now and then.
            Ok(true) => {
                let is_soon =
                    (self.reported_at).is_some_and(|told| told.elapsed() < PROGRESS_INTERVAL);
                if !(playing.replay.is_behind() && is_soon) {
                    self.report_status(events);
                }
            }
            Ok(false) => {}
            Err(error) => self.fail(error.to_string(), events),
        }
    }

    /// The journal cannot be read.
    fn fail(&mut self, problem: String, events: &mut Vec<ReplayEvent>) {
        if let Some(playing) = self.current.take() {
            events.push(ReplayEvent::Failed(playing.path, problem));
        }
    }

    fn report_status(&mut self, events: &mut Vec<ReplayEvent>) {
        let Some(OpenReplay {
            path, replay: film, ..
        }) = &self.current
        else {
            return;
        };
        self.reported_at = Some(Instant::now());
        match film.root_visit_history(SHARE_SAMPLES) {
            Ok(shares) => {
                let status = ReplayStatus {
                    iterations: film.iterations(),
                    ended: film.ended(),
                    shares: Arc::new(shares),
                    progress: Some(film.progress())
                        .filter(|(read, there)| there.saturating_sub(*read) > MIN_PROGRESS_BYTES),
                    bytes: film.bytes(),
                    stop_reason: film.stop_reason().map(str::to_owned),
                };
                events.push(ReplayEvent::Status(path.clone(), status));
            }
            Err(problem) => self.fail(problem, events),
        }
    }

    fn serve_request(&mut self, request: ReplayRequest, events: &mut Vec<ReplayEvent>) {
        let begun = Instant::now();
        let Some(playing) = &mut self.current else {
            return;
        };
        let iteration = if request.is_newest() {
            advance_to_newest(&mut playing.replay)
        } else {
            request.iteration
        };
        let advanced_at = Instant::now();
        let max_nodes = request.is_preview.then_some(self.preview_nodes);
        let snapshot = match playing.replay.tree_at(iteration, max_nodes) {
            Ok(taken) => taken,
            Err(problem) => return self.fail(problem, events),
        };
        let source = ModelSource {
            meta: Some(Arc::clone(&playing.meta)),
            extra: Some(Arc::new(snapshot.extra)),
            journal: Some(JournalFeatures {
                has_table: snapshot.has_table,
            }),
            last_path_rows: Arc::new(snapshot.path),
            left_out: snapshot
                .total_nodes
                .saturating_sub(snapshot.tree.nodes().len() as u64),
            least_visits: snapshot.min_visits,
            ..ModelSource::of(snapshot.tree)
        };
        self.deferred_request = (request.is_preview && source.left_out > 0).then(|| {
            let whole = ReplayRequest {
                is_preview: false,
                ..request.clone()
            };
            (whole, Instant::now())
        });
        let response = ReplayResponse {
            iteration: snapshot.iteration,
            model: Arc::new(TreeModel::filtered(source, &request.filter)),
            request: request.clone(),
        };
        if request.is_preview {
            self.preview_nodes = adapt_preview_nodes(self.preview_nodes, advanced_at.elapsed());
        }
        if request.is_newest() {
            self.last_request = None;
            self.last_newest = Some((request.clone(), snapshot.iteration, begun));
            self.request = Some(request);
        } else {
            self.last_request = Some(request);
        }
        self.pending_trees.fetch_add(1, Ordering::Relaxed);
        events.push(ReplayEvent::Tree(playing.path.clone(), response));
    }
}

/// Goes towards the newest iteration for as long as may be; where it has come to.
fn advance_to_newest(replay: &mut ReplayReader) -> u32 {
    let begun = Instant::now();
    while replay.current_iteration() < replay.iterations() && begun.elapsed() < MAX_ADVANCE_TIME {
        replay.seek_towards(u32::MAX, ADVANCE_STEP);
    }
    replay.current_iteration()
}

/// How many nodes the next tree may have, if one of so many took so long.
pub(crate) fn adapt_preview_nodes(nodes: u64, took: Duration) -> u64 {
    let ratio = TARGET_PREVIEW_TIME.as_secs_f64() / took.as_secs_f64().max(1e-4);
    ((nodes as f64 * ratio.clamp(0.3, 1.5)) as u64).clamp(MIN_PREVIEW_NODES, MAX_PREVIEW_NODES)
}
