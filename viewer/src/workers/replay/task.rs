//! The state of the replay thread: opens a journal, polls it while it grows, and answers requests for its trees.

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::RecvTimeoutError,
    },
    time::{Duration, Instant},
};

use canopy_engine::{
    explain::lead,
    tree::{
        meta::Meta,
        replay_reader::{ReplayLimits, ReplayReader},
    },
};

use super::{ReplayCommand, ReplayEvent, ReplayRequest, ReplayResponse, ReplayStatus, count_trees};
use crate::{
    system::worker::{Mailbox, Task},
    tree::model::{ModelSource, TreeModel},
};

/// How often a growing journal is polled for new records.
const POLL_INTERVAL: Duration = Duration::from_millis(16);
/// Poll interval while finished trees wait to be picked up by the UI thread.
const PICKUP_POLL_INTERVAL: Duration = Duration::from_millis(4);
/// Longest poll interval of a journal that has stopped growing.
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Attempts to open a journal that does not exist yet.
const MAX_OPEN_ATTEMPTS: u32 = 50;
/// Idle time after which a preview is replaced by the whole tree.
const FULL_REDRAW_DELAY: Duration = Duration::from_millis(300);
/// Bounds on the nodes of a preview, the tree shown while the iteration keeps changing.
pub(crate) const MAX_PREVIEW_NODES: u64 = 150_000;
const MIN_PREVIEW_NODES: u64 = 3_000;
/// Target time for building a preview; the number of its nodes adapts to it.
const TARGET_PREVIEW_TIME: Duration = Duration::from_millis(7);
/// Time spent per frame on catching up with a running search, and iterations between looks at the clock. A search that is faster than
/// its replay is shown growing, with a lag.
const MAX_ADVANCE_TIME: Duration = Duration::from_millis(6);
const ADVANCE_STEP: u32 = 2048;
/// Interval between progress reports while a long journal is read.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// No progress is reported when fewer bytes than this remain.
const MIN_PROGRESS_BYTES: u64 = 4 << 20;
/// Samples of the root's visit history over the whole journal.
const SHARE_SAMPLES: usize = 240;

/// The state of the replay thread.
pub(super) struct ReplayTask {
    mailbox: Mailbox<ReplayCommand, ReplayEvent>,
    /// Trees that the window has not taken yet.
    pending_trees: Arc<AtomicUsize>,
    limits: ReplayLimits,
    /// The tree file whose journal is wanted.
    path: Option<PathBuf>,
    current: Option<OpenReplay>,
    /// A journal that does not exist yet: a running search may create it after its first tree.
    pending_open: Option<(PathBuf, Arc<Meta>)>,
    /// Remaining attempts to open it.
    open_attempts: u32,
    request: Option<ReplayRequest>,
    /// The last request that was answered, unless it was for the newest tree.
    last_request: Option<ReplayRequest>,
    /// The last answered request for the newest tree, its iteration, and when work on it began.
    last_newest: Option<(ReplayRequest, u32, Instant)>,
    /// When the journal was last polled, and when its status was last reported.
    polled_at: Option<Instant>,
    reported_at: Option<Instant>,
    /// The whole tree of a preview, to be built when idle, and when the preview was built.
    deferred_request: Option<(ReplayRequest, Instant)>,
    /// Nodes of the next preview.
    preview_nodes: u64,
}

struct OpenReplay {
    path: PathBuf,
    meta: Arc<Meta>,
    replay: ReplayReader,
}

impl Task for ReplayTask {
    fn step(&mut self) -> ControlFlow<()> {
        let is_live = self.pending_open.is_some()
            || (self.current.as_ref()).is_some_and(|it| it.replay.ended().is_none());
        let is_behind = (self.current.as_ref()).is_some_and(|it| it.replay.is_behind());
        let due = match &self.request {
            Some(request) => self.time_until_due(request),
            None if is_live || self.deferred_request.is_some() => Some(self.poll_delay()),
            None => None,
        };
        let wait = if is_behind { Some(Duration::ZERO) } else { due };
        let mut events = Vec::new();
        // A command that is queued goes before the work that is due.
        match self.mailbox.recv_within(wait) {
            Ok(command) => self.handle_command(command, &mut events),
            Err(RecvTimeoutError::Timeout) if is_behind && due != Some(Duration::ZERO) => {
                self.poll_journal(&mut events);
            }
            Err(RecvTimeoutError::Timeout) => self.process_request(&mut events),
            Err(RecvTimeoutError::Disconnected) => return ControlFlow::Break(()),
        }
        self.poll_if_due(&mut events);
        if events.is_empty() {
            return ControlFlow::Continue(());
        }
        (self.pending_trees).fetch_add(count_trees(&events), Ordering::Relaxed);
        self.mailbox.send_all(events)
    }

    /// Closes the journal: another look at it would panic again.
    fn recover(&mut self, panic: &str) -> ControlFlow<()> {
        let path = self.path.take();
        self.close();
        match path {
            Some(path) => {
                let problem = format!("replaying it failed: {panic}");
                self.mailbox.send(ReplayEvent::Failed(path, problem))
            }
            None => ControlFlow::Continue(()),
        }
    }
}

impl ReplayTask {
    /// A task without a journal.
    pub(super) fn new(
        mailbox: Mailbox<ReplayCommand, ReplayEvent>,
        pending_trees: Arc<AtomicUsize>,
        limits: ReplayLimits,
    ) -> Self {
        Self {
            mailbox,
            pending_trees,
            limits,
            path: None,
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
    }

    /// Time until a request is answered; `None` if there is nothing to wait for.
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

    /// Whether a request would show more than the last answer did.
    fn has_newer(&self, request: &ReplayRequest) -> bool {
        let (Some((grown, at, _)), Some(playing)) = (&self.last_newest, &self.current) else {
            return true;
        };
        grown != request || *at < playing.replay.iterations()
    }

    /// Whether finished trees already wait for the window.
    fn has_backlog(&self, request: &ReplayRequest) -> bool {
        request.is_newest() && self.pending_trees.load(Ordering::Relaxed) > 1
    }

    /// Answers the current request, or resumes a deferred one.
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

    /// Requests the whole tree of a preview once idle for [`FULL_REDRAW_DELAY`].
    fn resume_deferred(&mut self) {
        let is_quiet = |since: Instant| since.elapsed() >= FULL_REDRAW_DELAY;
        let is_idle = self.reported_at.is_none_or(is_quiet);
        if let Some((request, _)) =
            (self.deferred_request).take_if(|(_, since)| is_idle && is_quiet(*since))
        {
            self.request = Some(request);
        }
    }

    /// Poll interval: grows with the time since the journal last did.
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
            ReplayCommand::Close => self.close(),
            ReplayCommand::SetLimits(limits) => self.limits = limits,
            #[cfg(test)]
            ReplayCommand::Panic => panic!("broken on purpose"),
            ReplayCommand::FindLead(path, moves) => self.find_lead(path, moves, events),
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
                self.close();
                self.path = Some(path.clone());
                self.last_newest = None;
                self.reported_at = None;
                self.preview_nodes = MAX_PREVIEW_NODES;
                self.open_attempts = MAX_OPEN_ATTEMPTS;
                self.open(path, meta, events);
            }
        }
    }

    /// A journal that cannot tell says nothing: the tree is explained without it.
    fn find_lead(&mut self, path: PathBuf, moves: [String; 2], events: &mut Vec<ReplayEvent>) {
        let Some(playing) = self.current.as_mut().filter(|it| it.path == path) else {
            return;
        };
        let [one, other] = &moves;
        let found = lead::find(&mut playing.replay, &playing.meta, [one, other]);
        events.push(ReplayEvent::Lead(path, moves, found.unwrap_or_default()));
    }

    fn close(&mut self) {
        self.path = None;
        self.current = None;
        self.pending_open = None;
        self.request = None;
        self.last_request = None;
        self.deferred_request = None;
    }

    fn open(&mut self, path: PathBuf, meta: Arc<Meta>, events: &mut Vec<ReplayEvent>) {
        let journal = path.with_extension("growth");
        let is_early = !meta.is_final && self.open_attempts > 0;
        self.open_attempts = self.open_attempts.saturating_sub(1);
        let limits = self.limits.clone();
        let replay = (journal.exists())
            .then(|| ReplayReader::open_with_limits(&journal, &meta.game, &meta.position, limits));
        let replay =
            replay.map(|replay| replay.and_then(|mut replay| replay.poll().map(|_| replay)));
        match replay {
            Some(Ok(replay)) => {
                self.current = Some(OpenReplay { path, meta, replay });
                self.report_status(events);
            }
            None | Some(Err(_)) if is_early => self.pending_open = Some((path, meta)),
            None => {}
            Some(Err(error)) => events.push(ReplayEvent::Failed(path, error.to_string())),
        }
    }

    /// Reads what was added to a growing journal, if a poll is due.
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
            // All is read and the choice of nodes is final: what is shown may be coarser.
            self.request = self.request.take().or(self.last_request.take());
        }
        match result {
            // While there is much to read, progress is reported at intervals.
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

    /// Closes the journal with an error.
    fn fail(&mut self, problem: String, events: &mut Vec<ReplayEvent>) {
        if let Some(playing) = self.current.take() {
            events.push(ReplayEvent::Failed(playing.path, problem));
        }
    }

    fn report_status(&mut self, events: &mut Vec<ReplayEvent>) {
        let Some(OpenReplay { path, replay, .. }) = &self.current else {
            return;
        };
        self.reported_at = Some(Instant::now());
        match replay.root_move_history(SHARE_SAMPLES) {
            Ok(shares) => {
                let status = ReplayStatus {
                    iterations: replay.iterations(),
                    ended: replay.ended(),
                    shares: Arc::new(shares),
                    progress: Some(replay.progress())
                        .filter(|(read, there)| there.saturating_sub(*read) > MIN_PROGRESS_BYTES),
                    bytes: replay.bytes(),
                    stop_reason: replay.stop_reason().map(str::to_owned),
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
        let iteration = snapshot.iteration;
        let source = ModelSource::replayed(Arc::clone(&playing.meta), snapshot);
        self.deferred_request = (request.is_preview && source.left_out > 0).then(|| {
            let whole = ReplayRequest {
                is_preview: false,
                ..request.clone()
            };
            (whole, Instant::now())
        });
        let response = ReplayResponse {
            iteration,
            model: Arc::new(TreeModel::filtered(source, &request.filter)),
            request: request.clone(),
        };
        if request.is_preview {
            self.preview_nodes = adapt_preview_nodes(self.preview_nodes, advanced_at.elapsed());
        }
        if request.is_newest() {
            self.last_request = None;
            self.last_newest = Some((request.clone(), iteration, begun));
            self.request = Some(request);
        } else {
            self.last_request = Some(request);
        }
        events.push(ReplayEvent::Tree(playing.path.clone(), response));
    }
}

/// Advances towards the newest iteration for at most [`MAX_ADVANCE_TIME`]; returns the iteration reached.
fn advance_to_newest(replay: &mut ReplayReader) -> u32 {
    let begun = Instant::now();
    while replay.current_iteration() < replay.iterations() && begun.elapsed() < MAX_ADVANCE_TIME {
        replay.seek_towards(u32::MAX, ADVANCE_STEP);
    }
    replay.current_iteration()
}

/// Nodes of the next preview, after one of `nodes` took `took`.
pub(crate) fn adapt_preview_nodes(nodes: u64, took: Duration) -> u64 {
    let ratio = TARGET_PREVIEW_TIME.as_secs_f64() / took.as_secs_f64().max(1e-4);
    ((nodes as f64 * ratio.clamp(0.3, 1.5)) as u64).clamp(MIN_PREVIEW_NODES, MAX_PREVIEW_NODES)
}
