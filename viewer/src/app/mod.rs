//! What the window knows and does, without a window: files, the tree that is shown, where one looks, what is selected.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use canopy_engine::{
    games::notation::escape_invisible,
    tree::{
        files::Format,
        meta::{CutMeta, Meta, RootMeta},
    },
};

pub use self::{
    action::{Action, CopyTarget, Direction},
    followed_match::{FollowedMatch, ShownPosition},
    game::GameAction,
    timeline::{SPEEDS, Timeline},
};
use crate::{
    app::counters::Counters,
    board::Board,
    draw::theme::Theme,
    play::{
        demo_match::{DemoMatch, own_engine_command},
        files,
        session::GameSession,
    },
    settings::{ViewerSettings, memory_budget::MemoryBudget},
    system::wake::Wake,
    tree::{
        camera::{Camera, Canvas},
        model::{
            Filter, TreeModel,
            node_path::{NodeFinder, path_to},
            root_only_meta,
        },
        scene::{self, RenderOptions},
        sequence::Sequence,
    },
    workers::{
        loader::{Listing, LoadError, LoadedTree, Loader, LoaderEvent},
        render::{SaveContent, is_picture},
        replay::Replayer,
        watch::{DirectoryWatcher, EventSource, WatchEvent, WatchScope},
    },
};

mod action;
pub mod counters;
mod dump;
mod followed_match;
mod game;
#[cfg(test)]
mod tests;
mod timeline;

/// A message stays so long.
const MESSAGE_DURATION: Duration = Duration::from_secs(6);
/// A file that is still being written is read again so often, or less often if that takes long.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Of so many files that could not be opened it is said why.
const MAX_PROBLEMS: usize = 4;
/// So much of what was selected is kept when a tree changes.
const MAX_HISTORY: usize = 50;

/// Something to be read at the bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusMessage {
    /// The sentence.
    pub text: String,
    /// Whether it stays until it is read.
    pub is_error: bool,
    /// When it was said.
    pub shown_at: Duration,
}

/// Everything.
pub struct App {
    /// The files.
    pub sequence: Sequence,
    /// The tree that is shown, whole or in part.
    pub model: Option<Arc<TreeModel>>,
    /// The file it comes from.
    pub shown_path: Option<PathBuf>,
    /// The same, whole.
    full_model: Option<Arc<TreeModel>>,
    /// What of it is shown.
    pub filter: Filter,
    /// Where one looks; none before the first frame.
    pub camera: Option<Camera>,
    /// Whether the camera sees the whole tree because nobody moved it.
    is_fitted: bool,
    /// The canvas of the last frame, in pixels.
    pub canvas: Canvas,
    /// Where it is in the window, in pixels.
    pub canvas_origin: (f64, f64),
    /// The selected node.
    pub selected: Option<usize>,
    history: Vec<usize>,
    history_index: usize,
    /// What is remembered from one start to the next.
    pub settings: ViewerSettings,
    /// Whether new files are shown as they appear.
    pub is_following_newest: bool,
    /// How long a tree that has just appeared takes to grow before one's eyes; none if it is there at once.
    pub growth_animation: Option<Duration>,
    /// A match that this window has started.
    demo_match: Option<DemoMatch>,
    /// The game that is played in this window.
    pub session: Option<GameSession>,
    /// The command that starts our engine.
    pub own_engine_command: Vec<String>,
    /// Where games that are played in this window are kept; none if they are not.
    pub records_directory: Option<PathBuf>,
    /// The directory that is watched.
    pub directory: Option<PathBuf>,
    /// The match that is followed, if it is one.
    pub followed_match: Option<FollowedMatch>,
    watcher: Option<DirectoryWatcher>,
    /// Who tells of changes in the directory; for tests anything but the system.
    pub event_source: EventSource,
    /// Whether it was told what lies in the directory.
    has_listing: bool,
    /// Why the directory is listed again and again; none where the system tells of changes.
    polling_reason: Option<String>,
    loader: Loader,
    replayer: Replayer,
    budget: MemoryBudget,
    wake: Wake,
    /// How the tree grew.
    pub timeline: Timeline,
    /// A file that is incomplete and still being written, and when it is read again.
    incomplete_file: Option<(PathBuf, Duration)>,
    /// What is to be read at the bottom.
    pub message: Option<StatusMessage>,
    /// Since the program began.
    pub now: Duration,
    /// A find that is walked through.
    last_find: (String, usize),
    /// Something that is to be saved when the next frame is drawn.
    pub pending_save: Option<(PathBuf, SaveContent)>,
    /// A text for the clipboard.
    pub clipboard_text: Option<String>,
    /// What the window counts of itself.
    pub counters: Counters,
    /// Whether the window is to be closed.
    pub is_closing: bool,
}

impl App {
    /// Nothing is open yet.
    pub fn new(settings: ViewerSettings, wake: Wake) -> std::io::Result<Self> {
        let budget = MemoryBudget::from_settings(&settings);
        Ok(Self {
            sequence: Sequence::default(),
            model: None,
            shown_path: None,
            full_model: None,
            filter: Filter::default(),
            camera: None,
            is_fitted: true,
            canvas: Canvas::default(),
            canvas_origin: (0.0, 0.0),
            selected: None,
            history: Vec::new(),
            history_index: 0,
            settings,
            is_following_newest: true,
            growth_animation: None,
            demo_match: None,
            session: None,
            own_engine_command: own_engine_command(),
            records_directory: files::games_directory(),
            directory: None,
            followed_match: None,
            watcher: None,
            event_source: EventSource::System,
            has_listing: false,
            polling_reason: None,
            loader: Loader::start(Arc::clone(&wake), budget.clone())?,
            replayer: Replayer::start(Arc::clone(&wake), budget.journal_limits())?,
            budget,
            wake,
            timeline: Timeline::default(),
            incomplete_file: None,
            message: None,
            now: Duration::ZERO,
            last_find: (String::new(), 0),
            pending_save: None,
            clipboard_text: None,
            counters: Counters::default(),
            is_closing: false,
        })
    }

    /// The bytes that trees and journals take, and those that they may take.
    pub fn memory(&self) -> (usize, usize) {
        let replay_bytes = self.timeline.status.as_ref().map_or(0, |reel| reel.bytes);
        let shown = [&self.full_model, &self.model].into_iter().flatten();
        let shown: usize = (shown.filter(|model| !self.sequence.is_cached(model)))
            .map(|model| model.bytes())
            .sum();
        (
            self.sequence.bytes() + shown + replay_bytes,
            self.budget.bytes(),
        )
    }

    /// How the tree is coloured and drawn.
    pub fn look(&self) -> RenderOptions {
        self.settings.look()
    }

    /// The colours of the moment.
    pub fn theme(&self) -> Theme {
        self.settings.theme()
    }

    /// When what is said at the bottom goes away by itself.
    pub fn message_expires_at(&self) -> Option<Duration> {
        let message = self.message.as_ref().filter(|message| !message.is_error)?;
        Some(message.shown_at + MESSAGE_DURATION)
    }

    /// Whether the directory is watched, and what lies in it is known.
    pub fn is_watched(&self) -> bool {
        self.watcher.is_some() && self.has_listing
    }

    /// Whether the directory is listed again and again, because the system does not tell of changes.
    pub fn is_polling(&self) -> bool {
        self.polling_reason.is_some()
    }

    /// Which directory is watched and how, in a sentence; none if there is none.
    pub fn watch_status(&self) -> Option<String> {
        let directory = self.directory.as_deref()?.display();
        Some(match &self.polling_reason {
            None => format!("watching {directory}"),
            Some(reason) => format!(
                "looking into {directory} every half second, because the system does not tell of changes there ({reason})"
            ),
        })
    }

    /// Says something at the bottom.
    pub fn show_message(&mut self, text: impl Into<String>) {
        self.message = Some(StatusMessage {
            text: text.into(),
            is_error: false,
            shown_at: self.now,
        });
    }

    fn show_error(&mut self, text: impl Into<String>) {
        self.message = Some(StatusMessage {
            text: text.into(),
            is_error: true,
            shown_at: self.now,
        });
    }

    /// Takes in what other threads have made.
    pub fn update(&mut self, now: Duration) {
        self.now = now;
        if self.message_expires_at().is_some_and(|end| now >= end) {
            self.message = None;
        }
        for change in self
            .watcher
            .as_ref()
            .map(DirectoryWatcher::take_events)
            .unwrap_or_default()
        {
            match change {
                WatchEvent::Notice(text) => self.show_message(text),
                WatchEvent::Files { changed, gone } => self.update_files(changed, &gone),
                WatchEvent::Match(state) => self.set_match_state(state),
                WatchEvent::Awaited(awaited) => self.set_awaited(awaited),
                WatchEvent::Polling(reason) => {
                    self.polling_reason = reason;
                    if let Some(watching) = self.watch_status().filter(|_| self.is_polling()) {
                        self.show_message(watching);
                    }
                }
                WatchEvent::Listed(paths) => {
                    self.has_listing = true;
                    self.remember_match();
                    let (new, gone) = self.sequence.diff(paths);
                    self.update_files(new, &gone);
                }
            }
        }
        if let Some(problem) = self.demo_match.as_mut().and_then(DemoMatch::take_error) {
            self.show_error(problem);
        }
        self.update_game();
        for event in self.loader.take_events() {
            self.handle_loader_event(event);
        }
        for event in self.replayer.take_events() {
            self.handle_replay_event(event);
        }
        if self.retry_at().is_some_and(|at| now >= at) {
            self.request_trees();
        }
        self.advance_replay();
    }

    /// The node that is looked at: the selected one, or else the root.
    pub fn focused_node(&self) -> usize {
        self.selected.unwrap_or(0)
    }

    /// Files of the directory have come, changed or gone; what is shown stays until there is something newer.
    fn update_files(&mut self, changed: Vec<PathBuf>, gone: &[PathBuf]) {
        let newest = self
            .newest_to_show(&changed)
            .filter(|_| self.is_following_newest);
        self.sequence.update(&changed, gone);
        if !changed.is_empty() {
            if let Some(index) = newest.and_then(|path| self.sequence.find(&path).ok()) {
                self.sequence.go_to(index);
            }
            return self.request_trees();
        }
        match gone {
            [] => {}
            [one] => self.show_message(format!("{} is gone", display_name(one))),
            many => self.show_message(format!(
                "{} trees are gone",
                scene::format_thousands(many.len() as u64)
            )),
        }
    }

    fn handle_loader_event(&mut self, event: LoaderEvent) {
        let is_shown = |sequence: &Sequence, path: &Path| sequence.path() == Some(path);
        match event {
            LoaderEvent::Listed(paths, listing) => self.open_listing(&paths, listing),
            LoaderEvent::Located(path) => self.go_to_tree(path.as_deref()),
            LoaderEvent::Failed(problem) => self.show_error(problem),
            LoaderEvent::Skipped(path) => {
                self.sequence.cancel_request(&path);
                if is_shown(&self.sequence, &path) {
                    self.request_trees();
                }
            }
            LoaderEvent::Read(path, number, _) if !self.sequence.is_pending(&path, number) => {
                self.request_trees()
            }
            LoaderEvent::Read(path, _, Ok(LoadedTree { model, problems })) => {
                (self.sequence).insert(&path, Arc::clone(&model), self.budget.max_cached_bytes());
                if is_shown(&self.sequence, &path) {
                    self.show_tree(&path, model);
                    if let Some(problem) = problems.into_iter().next() {
                        self.show_error(problem);
                    }
                }
            }
            LoaderEvent::Read(path, _, Err(unread)) => {
                self.sequence.cancel_request(&path);
                if is_shown(&self.sequence, &path) {
                    self.handle_load_error(&path, unread);
                }
            }
            LoaderEvent::Filtered(path, model, filter) => {
                let is_file = self.timeline.shown_iteration.is_none();
                if is_file && self.shown_path.as_deref() == Some(&path) && filter == self.filter {
                    self.replace_model(model);
                }
            }
        }
    }

    /// The tree that is to be shown could not be read, or cannot be yet; what is shown stays.
    fn handle_load_error(&mut self, path: &Path, error: LoadError) {
        match error {
            LoadError::Failed(problem) => {
                self.incomplete_file = None;
                self.show_error(format!("{}: {problem}", display_name(path)));
            }
            LoadError::Incomplete(took) => {
                let pause = (took * 4).max(RETRY_INTERVAL);
                self.incomplete_file = Some((path.to_owned(), self.now + pause));
                self.show_message(format!(
                    "waiting for {}: it is incomplete, and still being written",
                    display_name(path)
                ));
            }
        }
    }

    /// When a file that was incomplete is read again.
    pub fn retry_at(&self) -> Option<Duration> {
        let (path, at) = self.incomplete_file.as_ref()?;
        (self.sequence.path() == Some(path) && !self.sequence.is_reading()).then_some(*at)
    }

    /// Asks for what is to be shown, or shows it if it is ready.
    fn request_trees(&mut self) {
        if let Some(path) = self.sequence.path().map(Path::to_owned)
            && let Some(model) = self.sequence.get(&path)
        {
            let is_shown = self.shown_path.as_deref() == Some(&path)
                && (self.full_model.as_ref()).is_some_and(|whole| Arc::ptr_eq(whole, &model));
            if !is_shown {
                self.show_tree(&path, model);
            }
        }
        let wanted = self.sequence.take_requests();
        let dropped = self.loader.read(wanted, &self.sequence.neighbours());
        for path in dropped {
            self.sequence.cancel_request(&path);
        }
    }

    /// Shows the tree of a file.
    fn show_tree(&mut self, path: &Path, model: Arc<TreeModel>) {
        let same_file = self.shown_path.as_deref() == Some(path);
        // What was said of another file, or of there being none, is over.
        let was_unfinished = self.incomplete_file.take().is_some();
        let is_error = (self.message.as_ref()).is_some_and(|message| message.is_error);
        if self.model.is_none() || is_error || was_unfinished {
            self.message = None;
        }
        self.full_model = Some(Arc::clone(&model));
        if !same_file {
            self.shown_path = Some(path.to_owned());
            self.model = None;
            self.selected = None;
            self.history.clear();
            self.history_index = 0;
            self.camera = None;
            self.is_fitted = true;
            self.filter.collapsed.clear();
            self.timeline.reset();
        }
        match &model.meta {
            Some(meta) if meta.game.is_empty() => self.replayer.close(),
            Some(meta) if self.timeline.status.is_none() => {
                self.replayer.open(path, Arc::clone(meta));
            }
            Some(meta) => self.replayer.update_meta(path, Arc::clone(meta)),
            None => self.replayer.close(),
        }
        // While one looks at another iteration, or at the journal of a search that still runs, the file has to wait.
        if self.timeline.target.is_none() && (self.is_final() || !self.timeline.is_live()) {
            self.timeline.shown_iteration = None;
            self.show_filtered(path, model);
            self.select_chosen_move();
            self.request_extras();
        }
    }

    /// Shows a tree that was read already, without the files around it.
    pub fn show_single_tree(&mut self, path: &Path, model: Arc<TreeModel>) {
        if self.sequence.path() != Some(path) {
            self.sequence = Sequence::new(vec![path.to_owned()]);
        }
        (self.sequence).insert(path, Arc::clone(&model), self.budget.max_cached_bytes());
        self.show_tree(path, model);
    }

    /// Shows what the sieve lets through of a tree.
    fn show_filtered(&mut self, path: &Path, model: Arc<TreeModel>) {
        if self.filter.is_unfiltered() {
            self.replace_model(model);
        } else {
            self.loader
                .filter(path.to_owned(), Arc::clone(&model), self.filter.clone());
            if self.model.is_none() {
                self.replace_model(model);
            }
        }
    }

    /// Shows another state or part of the same tree: what is selected and where one looks stay.
    fn replace_model(&mut self, model: Arc<TreeModel>) {
        let before = self.model.take();
        let find = NodeFinder::new(before.as_deref(), &model);
        let kept = self.selected.and_then(|node| find.find(node));
        let here = self.history.get(self.history_index).copied();
        let mut history = Vec::new();
        let mut history_at = 0;
        for &node in self.history.iter().rev().take(MAX_HISTORY).rev() {
            if let Some(found) = find.find(node) {
                if here == Some(node) {
                    history_at = history.len();
                }
                history.push(found);
            }
        }
        if let (Some(camera), Some(before)) = (&mut self.camera, &before) {
            if self.is_fitted {
                self.camera = None;
            } else {
                // What is selected, or else the root, stays where it is on the screen.
                let (old, new) = match (self.selected, kept) {
                    (Some(old), Some(new)) => (old, new),
                    _ => (0, 0),
                };
                camera.x += model.x[new] - before.x[old];
                camera.y += model.depth_of(new) as f64 - before.depth_of(old) as f64;
                camera.refit(&scene::tree_bounds(&model), &self.canvas);
            }
        }
        self.selected = kept;
        (self.history, self.history_index) = (history, history_at);
        self.model = Some(model);
    }

    /// The moves from the root to the selected node.
    pub fn moves_to_selected(&self) -> Option<Vec<String>> {
        let model = self.model.as_ref()?;
        let node = self.selected?;
        Some(
            model
                .moves_to(node)
                .into_iter()
                .map(str::to_owned)
                .collect(),
        )
    }

    /// The camera, made to fit if there is none yet.
    pub fn update_camera(&mut self, canvas: Canvas) -> Option<Camera> {
        let model = self.model.as_ref()?;
        if canvas != self.canvas {
            if self.is_fitted {
                self.camera = None;
            } else if let Some(camera) = &mut self.camera {
                camera.refit(&scene::tree_bounds(model), &canvas);
            }
        }
        self.canvas = canvas;
        let camera = self
            .camera
            .unwrap_or_else(|| Camera::fit(&scene::tree_bounds(model), &canvas));
        self.camera = Some(camera);
        Some(camera)
    }

    /// Does something.
    pub fn dispatch(&mut self, action: Action) {
        match action.with_absolute_paths() {
            Action::Open(paths) => match paths.as_slice() {
                [path] if files::is_game_file(path) => self.load_game(path),
                _ => self.open(&paths),
            },
            Action::FollowMatch { directory, exit } => self.follow_match(directory, exit),
            Action::GoToMove(index) => self.go_to_move(index),
            Action::GoToLatest => {
                self.select(None);
                self.dispatch(Action::FollowNewest(true));
            }
            Action::StepTree(by) => {
                let to = self.sequence.index() as i64 + by;
                if to >= 0 && self.sequence.go_to(to as usize) {
                    self.is_following_newest &= to as usize + 1 == self.sequence.len();
                    self.request_trees();
                }
            }
            Action::JumpToTree(text) => self.jump_to_tree(&text),
            Action::FitTree => {
                self.camera = None;
                self.is_fitted = true;
            }
            Action::FitSelected => self.fit_selected(),
            Action::Zoom(factor, at) => {
                let canvas = self.canvas;
                let (x, y) = at.unwrap_or((canvas.width / 2.0, canvas.height / 2.0));
                if let Some(camera) = &mut self.camera {
                    camera.zoom_at(&canvas, factor, x, y);
                    self.is_fitted = false;
                }
            }
            Action::Pan(dx, dy) => {
                if let Some(camera) = &mut self.camera {
                    camera.pan(dx, dy);
                    self.is_fitted = false;
                }
            }
            Action::CentreOn(across, down) => {
                if let (Some(camera), Some(model)) = (&mut self.camera, &self.model) {
                    let (left, right) = model.extent;
                    camera.x = left + (right - left) * across;
                    camera.y = (model.depth() - 1) as f64 * down;
                    self.is_fitted = false;
                }
            }
            Action::Click(x, y) => {
                if let (Some(camera), Some(model)) = (&self.camera, &self.model) {
                    let hit = scene::node_at(model, camera, &self.canvas, x, y, self.selected);
                    self.select(hit);
                }
            }
            Action::Select(node) => self.select(node),
            Action::MoveSelection(direction) => self.move_selection(direction),
            Action::StepHistory(by) => self.step_history(by),
            Action::ToggleCollapsed => self.toggle_collapsed(),
            Action::Filter(filter) => self.set_filter(filter),
            Action::Find(text) => self.find(&text),
            Action::FollowNewest(follow) => {
                self.is_following_newest = follow;
                if follow && !self.sequence.is_empty() {
                    self.sequence.go_to(self.sequence.len() - 1);
                    self.request_trees();
                }
            }
            Action::Save(path, scale) => self.save(&path, scale),
            Action::SwitchTheme => self.settings.dark = !self.settings.dark,
            Action::Scrub { to, moving } => self.scrub(to, moving),
            Action::StepIteration(by) => {
                let to = i64::from(self.timeline.position()) + by;
                self.scrub(to.clamp(0, i64::from(u32::MAX)) as u32, false);
            }
            Action::Play(plays) => self.set_playing(plays),
            Action::Speed(speed) => self.set_speed(speed),
            Action::ShowEnd => self.show_end(),
            Action::StartDemoMatch(config) => self.start_demo_match(&config),
            Action::StartGame(config) => {
                self.start_game(*config);
            }
            Action::GoHome => self.go_home(),
            Action::Game(game_action) => self.dispatch_game_action(game_action),
            Action::LoadGame(path) => self.load_game(&path),
            Action::ShowError(problem) => self.show_error(problem),
            Action::Quit => self.is_closing = true,
            Action::Copy(what) => self.copy(what),
        }
    }

    /// Asks what there is to be opened; what is shown stays until that is known.
    fn open(&mut self, paths: &[PathBuf]) {
        self.loader.list(paths.to_vec());
    }

    /// These were opened, and these trees are in them. If there is nothing that could be opened, what is shown stays.
    fn open_listing(&mut self, paths: &[PathBuf], listing: Listing) {
        let Listing {
            files,
            first_tree: first,
            directory,
            is_match,
            mut problems,
        } = listing;
        if files.is_empty() && directory.is_none() {
            let none = "there are no trees here".to_owned();
            return self.show_error(summarise_problems(&problems).unwrap_or(none));
        }
        // What is opened takes the place of what is played.
        self.session = None;
        self.watcher = None;
        self.directory = None;
        self.followed_match = None;
        if let Some(directory) = &directory {
            let scope = if is_match {
                WatchScope::Match
            } else {
                WatchScope::Trees
            };
            self.watch_directory(directory, scope);
        }
        for path in paths.iter().filter(|path| path.exists()) {
            self.settings.add_recent(path);
        }
        if files.is_empty() && !is_match {
            self.show_message("there are no trees here yet; they are shown as they appear");
        }
        let first = files.first().cloned().zip(first);
        self.reset_sequence(files);
        if let Some((path, loaded)) = first {
            (self.sequence).insert(&path, loaded.model, self.budget.max_cached_bytes());
            problems.extend(loaded.problems);
        }
        self.request_trees();
        if let Some(problem) = summarise_problems(&problems) {
            self.show_error(problem);
        }
    }

    /// Watches a directory from now on.
    fn watch_directory(&mut self, directory: &Path, scope: WatchScope) {
        (self.has_listing, self.polling_reason) = (false, None);
        match DirectoryWatcher::start(directory, scope, self.event_source, Arc::clone(&self.wake)) {
            Ok(watch) => self.watcher = Some(watch),
            Err(error) => {
                self.show_error(format!("{} is not watched: {error}", directory.display()));
            }
        }
        self.directory = Some(directory.to_owned());
        self.followed_match = (scope == WatchScope::Match).then(FollowedMatch::default);
    }

    /// Shows the first of these trees, or the last if what appears is followed.
    fn show_sequence(&mut self, files: Vec<PathBuf>) {
        self.reset_sequence(files);
        self.request_trees();
    }

    /// The same, except that nothing is asked for yet.
    fn reset_sequence(&mut self, files: Vec<PathBuf>) {
        let many = files.len();
        self.sequence = Sequence::new(files);
        self.replayer.close();
        self.timeline.reset();
        self.model = None;
        self.full_model = None;
        self.shown_path = None;
        self.incomplete_file = None;
        self.selected = None;
        self.camera = None;
        self.is_following_newest = self.directory.is_some();
        if self.is_following_newest && many > 0 {
            self.sequence.go_to(many - 1);
        }
    }

    fn jump_to_tree(&mut self, text: &str) {
        let count = self.sequence.len();
        let wanted = text
            .trim()
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        match wanted {
            Some(index) if self.sequence.go_to(index) => {
                self.is_following_newest &= index + 1 == count;
                self.request_trees();
            }
            _ => self.show_error(format!("Invalid tree number! Expected 1 to {count}.")),
        }
    }

    fn fit_selected(&mut self) {
        if let (Some(camera), Some(model)) = (&mut self.camera, &self.model) {
            let bounds = scene::subtree_bounds(model, self.selected.unwrap_or(0));
            camera.zoom_to(&bounds, &self.canvas);
            self.is_fitted = false;
        }
    }

    fn select(&mut self, node: Option<usize>) {
        // The tree may have changed since somebody meant that node.
        let count = self.model.as_ref().map_or(0, |model| model.len());
        let node = node.filter(|&node| node < count);
        self.selected = node;
        if let Some(node) = node
            && self.history.get(self.history_index) != Some(&node)
        {
            self.history.truncate(self.history_index + 1);
            self.history.push(node);
            self.history_index = self.history.len() - 1;
        }
    }

    fn step_history(&mut self, by: i64) {
        let to = self.history_index as i64 + by;
        if let Some(&node) = usize::try_from(to).ok().and_then(|to| self.history.get(to)) {
            self.history_index = to as usize;
            self.selected = Some(node);
            self.scroll_to_selected();
        }
    }

    fn move_selection(&mut self, direction: Direction) {
        let Some(model) = &self.model else { return };
        let node = self.focused_node();
        let siblings = model.children_of(model.parents[node] as usize);
        let to = match direction {
            Direction::Up => model.parents[node] as usize,
            Direction::Down => {
                let children = model.children_of(node);
                match model
                    .best_child(node)
                    .or_else(|| children.into_iter().next())
                {
                    Some(child) => child,
                    None => return,
                }
            }
            Direction::Left if node > 0 && node > siblings.start => node - 1,
            Direction::Right if node > 0 && node + 1 < siblings.end => node + 1,
            _ => return,
        };
        self.select(Some(to));
        self.scroll_to_selected();
    }

    /// Moves the camera if the selected node is not on the canvas.
    fn scroll_to_selected(&mut self) {
        let (Some(camera), Some(model), Some(node)) =
            (&mut self.camera, &self.model, self.selected)
        else {
            return;
        };
        let (x, depth) = (model.x[node], model.depth_of(node) as f64);
        let (at_x, at_y) = camera.to_canvas(&self.canvas, x, depth);
        let margin = 30.0 * self.canvas.scale;
        if !(margin..self.canvas.width - margin).contains(&at_x) {
            camera.x = x;
            self.is_fitted = false;
        }
        if !(margin..self.canvas.height - margin).contains(&at_y) {
            camera.y = depth;
            self.is_fitted = false;
        }
    }

    fn toggle_collapsed(&mut self) {
        let (Some(model), Some(node)) = (&self.model, self.selected) else {
            return;
        };
        let steps = Arc::new(path_to(
            &model.tree,
            &model.tree.subtree_sizes(),
            model.row(node),
        ));
        let mut filter = self.filter.clone();
        match filter.collapsed.iter().position(|folded| *folded == steps) {
            Some(at) => {
                filter.collapsed.remove(at);
            }
            None if model.children[node] > 0 => filter.collapsed.push(steps),
            None => return,
        }
        self.set_filter(filter);
    }

    fn set_filter(&mut self, filter: Filter) {
        if filter == self.filter {
            return;
        }
        self.filter = filter;
        if self.timeline.target.is_some() || self.timeline.shown_iteration.is_some() {
            self.request_iteration(self.timeline.target.unwrap_or(u32::MAX), false);
        } else if let (Some(path), Some(whole)) = (self.shown_path.clone(), self.full_model.clone())
        {
            self.show_filtered(&path, whole);
        }
    }

    /// Selects the next node whose move is `text`, or in whose move or state it occurs.
    fn find(&mut self, text: &str) {
        let Some(model) = &self.model else { return };
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return;
        }
        let begin = if self.last_find.0 == text {
            self.last_find.1 + 1
        } else {
            0
        };
        let fits = |node: usize| {
            let row = model.row(node);
            model.move_text(node).to_lowercase().contains(&text)
                || model.tree.state(row).to_lowercase().contains(&text)
        };
        let count = model.len();
        match (0..count)
            .map(|step| (begin + step) % count)
            .find(|&node| fits(node))
        {
            Some(node) => {
                self.last_find = (text, node);
                self.select(Some(node));
                self.scroll_to_selected();
            }
            None => self.show_error(format!("no move or state contains \"{text}\"")),
        }
    }

    fn save(&mut self, path: &Path, scale: f64) {
        let Some(shown) = self.model.clone() else {
            return self.show_error("there is no tree to save");
        };
        let root = shown.node(0);
        let figures = (root.visits, root.second, root.mean);
        // The tree that is saved may be an earlier one, or a part.
        let root = RootMeta {
            visits: u64::try_from(root.visits).unwrap_or(0),
            second: u64::try_from(root.second).unwrap_or(0),
            mean: root.mean,
        };
        let meta = shown.meta.as_ref().map(|meta| Meta {
            root,
            cut: CutMeta {
                left_out: shown.left_out,
                ..meta.cut
            },
            extra: None,
            growth: None,
            ..Meta::clone(meta)
        });
        let saving = match Format::from_path(path) {
            Ok(format) => {
                // Of a tree of which nothing is known, too, the root's figures are kept, if its children do not tell them.
                let is_lost =
                    format == Format::Tree && figures != shown.tree.root_stats_from_children();
                let meta = meta.or_else(|| is_lost.then(|| root_only_meta(root)));
                SaveContent::Tree(Arc::clone(&shown.tree), format, meta.map(Box::new))
            }
            Err(_) if is_picture(path) => SaveContent::Picture(scale),
            Err(_) => {
                return self.show_error(format!(
                    "{}: expected a name that ends in .tree, .csv, .png or .svg",
                    path.display()
                ));
            }
        };
        self.pending_save = Some((path.to_owned(), saving));
    }

    /// Copies something about the selected node, or about the root.
    fn copy(&mut self, what: CopyTarget) {
        if let (CopyTarget::GamePosition | CopyTarget::GameMoves, Some(playing)) =
            (what, &self.session)
        {
            let (text, said) = match what {
                CopyTarget::GamePosition => (
                    playing.game.shown_position().position.clone(),
                    "the position",
                ),
                _ => (playing.game.moves().join(" "), "the moves"),
            };
            self.show_message(format!("copied {said}"));
            self.clipboard_text = Some(text);
            return;
        }
        let Some(model) = self.model.clone() else {
            return;
        };
        let node = self.focused_node();
        let line = model.moves_to(node);
        let (text, said) = match what {
            CopyTarget::MovesToNode => (line.join(" "), "the line"),
            CopyTarget::GamePosition | CopyTarget::GameMoves => return,
            CopyTarget::Position => {
                let Some(meta) = &model.meta else {
                    return self.show_error(
                        "nothing says which game this is, so there is no position to copy",
                    );
                };
                match Board::after_moves(&meta.game, &meta.position, &line) {
                    Ok(replayed) => (replayed.position, "the position"),
                    Err(problem) => return self.show_error(problem),
                }
            }
            CopyTarget::Statistics => {
                let figures = model.node(node);
                let text = format!(
                    "node {} move {} visits {} second {} mean {} state {}",
                    model.rows[node] + 1,
                    model.move_text(node),
                    figures.visits,
                    figures.second,
                    figures.mean,
                    model.tree.state(model.row(node)),
                );
                (text, "the figures")
            }
        };
        self.show_message(format!("copied {said} of the node"));
        self.clipboard_text = Some(text);
    }

    /// Something was saved, or not.
    pub fn report_saved(&mut self, path: &Path, result: Result<(), String>) {
        let left_out = self.model.as_ref().map_or(0, |model| model.left_out);
        let is_tree = crate::tree::sequence::is_tree_file(path);
        match result {
            Ok(()) if is_tree && left_out > 0 => self.show_message(format!(
                "saved {} without the {} nodes that are not shown",
                path.display(),
                scene::format_thousands(left_out)
            )),
            Ok(()) => self.show_message(format!("saved {}", path.display())),
            Err(error) => self.show_error(format!("cannot write {}: {error}", path.display())),
        }
    }
}

/// Several problems in one sentence, the first of them at length; none if there is none.
fn summarise_problems(problems: &[String]) -> Option<String> {
    let (told, rest) = problems.split_at(problems.len().min(MAX_PROBLEMS));
    let text = told.join("; ");
    match (told.len(), rest.len()) {
        (0, _) => None,
        (_, 0) => Some(text),
        (_, more) => Some(format!("{text}; and {more} more")),
    }
}

/// The name of a file, for people.
pub fn display_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    escape_invisible(&name.to_string_lossy()).into_owned()
}
