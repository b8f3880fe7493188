//! What the window knows and does, without a window: files, the tree that is shown, where one looks, what is selected.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use canopy_engine::{
    games::notation::visible,
    tree::{
        files::Format,
        meta::{CutMeta, Meta, RootMeta},
    },
};

pub use self::{
    action::{Action, Copied, Way},
    follow::{Following, Sight},
    play::Deed,
    timeline::{SPEEDS, Timeline},
};
use crate::{
    board::Board,
    budget::Budget,
    camera::{Camera, Canvas},
    counters::Counters,
    easel::{Saving, is_picture},
    exhibition::{Exhibition, own_engine},
    film::Projector,
    loader::{Listing, Loaded, Loader, Made, Unread, Wake},
    model::{
        Model, Sift, root_only,
        steps::{Finder, steps},
    },
    play::{files, playing::Playing},
    scene::{self, Look},
    sequence::Sequence,
    settings::Settings,
    theme::Theme,
    watch::{Change, EventSource, Scope, Watch},
};

mod action;
mod dump;
mod follow;
mod play;
mod timeline;

/// A message stays so long.
const MESSAGE: Duration = Duration::from_secs(6);
/// A file that is still being written is read again so often, or less often if that takes long.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Of so many files that could not be opened it is said why.
const MAX_PROBLEMS: usize = 4;
/// So much of what was selected is kept when a tree changes.
const MOST_HISTORY: usize = 50;

/// Something to be read at the bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The sentence.
    pub text: String,
    /// Whether it stays until it is read.
    pub is_error: bool,
    /// When it was said.
    pub since: Duration,
}

/// Everything.
pub struct App {
    /// The files.
    pub sequence: Sequence,
    /// The tree that is shown, whole or in part.
    pub model: Option<Arc<Model>>,
    /// The file it comes from.
    pub shown: Option<PathBuf>,
    /// The same, whole.
    whole: Option<Arc<Model>>,
    /// What of it is shown.
    pub sift: Sift,
    /// Where one looks; none before the first frame.
    pub camera: Option<Camera>,
    /// Whether the camera sees the whole tree because nobody moved it.
    is_fitted: bool,
    /// The canvas of the last frame, in pixels.
    pub canvas: Canvas,
    /// Where it is in the window, in pixels.
    pub canvas_at: (f64, f64),
    /// The selected node.
    pub selected: Option<usize>,
    history: Vec<usize>,
    history_at: usize,
    /// What is remembered from one start to the next.
    pub settings: Settings,
    /// Whether new files are shown as they appear.
    pub follow: bool,
    /// How long a tree that has just appeared takes to grow before one's eyes; none if it is there at once.
    pub animates: Option<Duration>,
    /// A match that this window has started.
    exhibition: Option<Exhibition>,
    /// The game that is played in this window.
    pub playing: Option<Playing>,
    /// The command that starts our engine.
    pub own_engine: Vec<String>,
    /// Where games that are played in this window are kept; none if they are not.
    pub records: Option<PathBuf>,
    /// The directory that is watched.
    pub directory: Option<PathBuf>,
    /// The match that is followed, if it is one.
    pub following: Option<Following>,
    watch: Option<Watch>,
    /// Who tells of changes in the directory; for tests anything but the system.
    pub event_source: EventSource,
    /// Whether it was told what lies in the directory.
    is_present: bool,
    /// Why the directory is listed again and again; none where the system tells of changes.
    polling: Option<String>,
    loader: Loader,
    projector: Projector,
    budget: Budget,
    wake: Wake,
    /// How the tree grew.
    pub timeline: Timeline,
    /// A file that is incomplete and still being written, and when it is read again.
    unfinished: Option<(PathBuf, Duration)>,
    /// What is to be read at the bottom.
    pub message: Option<Message>,
    /// Since the program began.
    pub now: Duration,
    /// A find that is walked through.
    found: (String, usize),
    /// Something that is to be saved when the next frame is drawn.
    pub saving: Option<(PathBuf, Saving)>,
    /// A text for the clipboard.
    pub copied: Option<String>,
    /// What the window counts of itself.
    pub counters: Counters,
    /// Whether the window is to be closed.
    pub is_over: bool,
}

impl App {
    /// Nothing is open yet.
    pub fn new(settings: Settings, wake: Wake) -> std::io::Result<Self> {
        let budget = Budget::of(&settings);
        Ok(Self {
            sequence: Sequence::default(),
            model: None,
            shown: None,
            whole: None,
            sift: Sift::default(),
            camera: None,
            is_fitted: true,
            canvas: Canvas::default(),
            canvas_at: (0.0, 0.0),
            selected: None,
            history: Vec::new(),
            history_at: 0,
            settings,
            follow: true,
            animates: None,
            exhibition: None,
            playing: None,
            own_engine: own_engine(),
            records: files::directory(),
            directory: None,
            following: None,
            watch: None,
            event_source: EventSource::System,
            is_present: false,
            polling: None,
            loader: Loader::start(Arc::clone(&wake), budget.clone())?,
            projector: Projector::start(Arc::clone(&wake), budget.journal())?,
            budget,
            wake,
            timeline: Timeline::default(),
            unfinished: None,
            message: None,
            now: Duration::ZERO,
            found: (String::new(), 0),
            saving: None,
            copied: None,
            counters: Counters::default(),
            is_over: false,
        })
    }

    /// The bytes that trees and journals take, and those that they may take.
    pub fn memory(&self) -> (usize, usize) {
        let reel = self.timeline.reel.as_ref().map_or(0, |reel| reel.bytes);
        let shown = [&self.whole, &self.model].into_iter().flatten();
        let shown: usize = (shown.filter(|model| !self.sequence.keeps(model)))
            .map(|model| model.bytes())
            .sum();
        (self.sequence.bytes() + shown + reel, self.budget.bytes())
    }

    /// How the tree is coloured and drawn.
    pub fn look(&self) -> Look {
        self.settings.look()
    }

    /// The colours of the moment.
    pub fn theme(&self) -> Theme {
        self.settings.theme()
    }

    /// When what is said at the bottom goes away by itself.
    pub fn message_ends(&self) -> Option<Duration> {
        let message = self.message.as_ref().filter(|message| !message.is_error)?;
        Some(message.since + MESSAGE)
    }

    /// Whether the directory is watched, and what lies in it is known.
    pub fn is_watched(&self) -> bool {
        self.watch.is_some() && self.is_present
    }

    /// Whether the directory is listed again and again, because the system does not tell of changes.
    pub fn is_polling(&self) -> bool {
        self.polling.is_some()
    }

    /// Which directory is watched and how, in a sentence; none if there is none.
    pub fn watching(&self) -> Option<String> {
        let directory = self.directory.as_deref()?.display();
        Some(match &self.polling {
            None => format!("watching {directory}"),
            Some(reason) => format!(
                "looking into {directory} every half second, because the system does not tell of changes there ({reason})"
            ),
        })
    }

    /// Says something at the bottom.
    pub fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            is_error: false,
            since: self.now,
        });
    }

    fn complain(&mut self, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            is_error: true,
            since: self.now,
        });
    }

    /// Takes in what other threads have made.
    pub fn update(&mut self, now: Duration) {
        self.now = now;
        if self.message_ends().is_some_and(|end| now >= end) {
            self.message = None;
        }
        for change in self.watch.as_ref().map(Watch::take).unwrap_or_default() {
            match change {
                Change::Said(text) => self.say(text),
                Change::Files { changed, gone } => self.refresh(changed, &gone),
                Change::Match(standing) => self.stand(standing),
                Change::Awaited(awaited) => self.wait_for(awaited),
                Change::Polling(reason) => {
                    self.polling = reason;
                    if let Some(watching) = self.watching().filter(|_| self.is_polling()) {
                        self.say(watching);
                    }
                }
                Change::Present(paths) => {
                    self.is_present = true;
                    self.remember_match();
                    let (new, gone) = self.sequence.compare(paths);
                    self.refresh(new, &gone);
                }
            }
        }
        if let Some(problem) = self.exhibition.as_mut().and_then(Exhibition::problem) {
            self.complain(problem);
        }
        self.tend_game();
        for made in self.loader.take() {
            self.receive(made);
        }
        for news in self.projector.take() {
            self.hear(news);
        }
        if self.retries_at().is_some_and(|at| now >= at) {
            self.ask();
        }
        self.grow();
    }

    /// The node that is looked at: the selected one, or else the root.
    pub fn node(&self) -> usize {
        self.selected.unwrap_or(0)
    }

    /// Files of the directory have come, changed or gone; what is shown stays until there is something newer.
    fn refresh(&mut self, changed: Vec<PathBuf>, gone: &[PathBuf]) {
        let newest = self.newest(&changed).filter(|_| self.follow);
        self.sequence.update(&changed, gone);
        if !changed.is_empty() {
            if let Some(index) = newest.and_then(|path| self.sequence.find(&path).ok()) {
                self.sequence.go_to(index);
            }
            return self.ask();
        }
        match gone {
            [] => {}
            [one] => self.say(format!("{} is gone", name_of(one))),
            many => self.say(format!(
                "{} trees are gone",
                scene::thousands(many.len() as u64)
            )),
        }
    }

    fn receive(&mut self, made: Made) {
        let is_shown = |sequence: &Sequence, path: &Path| sequence.path() == Some(path);
        match made {
            Made::Listed(paths, listing) => self.begin(&paths, listing),
            Made::Located(path) => self.go_to_tree(path.as_deref()),
            Made::Skipped(path) => {
                self.sequence.give_up(&path);
                if is_shown(&self.sequence, &path) {
                    self.ask();
                }
            }
            Made::Read(path, number, _) if !self.sequence.is_awaited(&path, number) => self.ask(),
            Made::Read(path, _, Ok(Loaded { model, problems })) => {
                (self.sequence).keep(&path, Arc::clone(&model), self.budget.trees());
                if is_shown(&self.sequence, &path) {
                    self.show(&path, model);
                    if let Some(problem) = problems.into_iter().next() {
                        self.complain(problem);
                    }
                }
            }
            Made::Read(path, _, Err(unread)) => {
                self.sequence.give_up(&path);
                if is_shown(&self.sequence, &path) {
                    self.miss(&path, unread);
                }
            }
            Made::Sifted(path, model, sift) => {
                let is_file = self.timeline.shown.is_none();
                if is_file && self.shown.as_deref() == Some(&path) && sift == self.sift {
                    self.put(model);
                }
            }
        }
    }

    /// The tree that is to be shown could not be read, or cannot be yet; what is shown stays.
    fn miss(&mut self, path: &Path, unread: Unread) {
        match unread {
            Unread::Failed(problem) => {
                self.unfinished = None;
                self.complain(format!("{}: {problem}", name_of(path)));
            }
            Unread::Unfinished(took) => {
                let pause = (took * 4).max(RETRY_INTERVAL);
                self.unfinished = Some((path.to_owned(), self.now + pause));
                self.say(format!(
                    "waiting for {}: it is incomplete, and still being written",
                    name_of(path)
                ));
            }
        }
    }

    /// When a file that was incomplete is read again.
    pub fn retries_at(&self) -> Option<Duration> {
        let (path, at) = self.unfinished.as_ref()?;
        (self.sequence.path() == Some(path) && !self.sequence.is_reading()).then_some(*at)
    }

    /// Asks for what is to be shown, or shows it if it is ready.
    fn ask(&mut self) {
        if let Some(path) = self.sequence.path().map(Path::to_owned)
            && let Some(model) = self.sequence.ready(&path)
        {
            let is_shown = self.shown.as_deref() == Some(&path)
                && (self.whole.as_ref()).is_some_and(|whole| Arc::ptr_eq(whole, &model));
            if !is_shown {
                self.show(&path, model);
            }
        }
        let wanted = self.sequence.wanted();
        let dropped = self.loader.read(wanted, &self.sequence.around());
        for path in dropped {
            self.sequence.give_up(&path);
        }
    }

    /// Shows the tree of a file.
    fn show(&mut self, path: &Path, model: Arc<Model>) {
        let same_file = self.shown.as_deref() == Some(path);
        // What was said of another file, or of there being none, is over.
        let was_unfinished = self.unfinished.take().is_some();
        let is_error = (self.message.as_ref()).is_some_and(|message| message.is_error);
        if self.model.is_none() || is_error || was_unfinished {
            self.message = None;
        }
        self.whole = Some(Arc::clone(&model));
        if !same_file {
            self.shown = Some(path.to_owned());
            self.model = None;
            self.selected = None;
            self.history.clear();
            self.history_at = 0;
            self.camera = None;
            self.is_fitted = true;
            self.sift.collapsed.clear();
            self.timeline.restart();
        }
        match &model.meta {
            Some(meta) if meta.game.is_empty() => self.projector.close(),
            Some(meta) if self.timeline.reel.is_none() => {
                self.projector.open(path, Arc::clone(meta));
            }
            Some(meta) => self.projector.renew(path, Arc::clone(meta)),
            None => self.projector.close(),
        }
        // While one looks at another iteration, or at the journal of a search that still runs, the file has to wait.
        if self.timeline.at.is_none() && (self.is_final() || !self.timeline.is_live()) {
            self.timeline.shown = None;
            self.show_part_of(path, model);
            self.point_out();
            self.ask_for_extras();
        }
    }

    /// Shows a tree that was read already, without the files around it.
    pub fn show_alone(&mut self, path: &Path, model: Arc<Model>) {
        if self.sequence.path() != Some(path) {
            self.sequence = Sequence::new(vec![path.to_owned()]);
        }
        (self.sequence).keep(path, Arc::clone(&model), self.budget.trees());
        self.show(path, model);
    }

    /// Shows what the sieve lets through of a tree.
    fn show_part_of(&mut self, path: &Path, model: Arc<Model>) {
        if self.sift.is_plain() {
            self.put(model);
        } else {
            self.loader
                .sift(path.to_owned(), Arc::clone(&model), self.sift.clone());
            if self.model.is_none() {
                self.put(model);
            }
        }
    }

    /// Shows another state or part of the same tree: what is selected and where one looks stay.
    fn put(&mut self, model: Arc<Model>) {
        let before = self.model.take();
        let find = Finder::new(before.as_deref(), &model);
        let kept = self.selected.and_then(|node| find.find(node));
        let here = self.history.get(self.history_at).copied();
        let mut history = Vec::new();
        let mut history_at = 0;
        for &node in self.history.iter().rev().take(MOST_HISTORY).rev() {
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
                camera.fit_to(&scene::bounds(&model), &self.canvas);
            }
        }
        self.selected = kept;
        (self.history, self.history_at) = (history, history_at);
        self.model = Some(model);
    }

    /// The moves from the root to the selected node.
    pub fn moves_to_selected(&self) -> Option<Vec<String>> {
        let model = self.model.as_ref()?;
        let node = self.selected?;
        Some(model.line(node).into_iter().map(str::to_owned).collect())
    }

    /// The camera, made to fit if there is none yet.
    pub fn look_through(&mut self, canvas: Canvas) -> Option<Camera> {
        let model = self.model.as_ref()?;
        if canvas != self.canvas {
            if self.is_fitted {
                self.camera = None;
            } else if let Some(camera) = &mut self.camera {
                camera.fit_to(&scene::bounds(model), &canvas);
            }
        }
        self.canvas = canvas;
        let camera = self
            .camera
            .unwrap_or_else(|| Camera::fit(&scene::bounds(model), &canvas));
        self.camera = Some(camera);
        Some(camera)
    }

    /// Does something.
    pub fn act(&mut self, action: Action) {
        match action.with_absolute_paths() {
            Action::Open(paths) => match paths.as_slice() {
                [path] if files::is_game(path) => self.lay_out(path),
                _ => self.open(&paths),
            },
            Action::FollowMatch { directory, exit } => self.follow_match(directory, exit),
            Action::GoToMove(index) => self.go_to_move(index),
            Action::GoToNow => {
                self.select(None);
                self.act(Action::Follow(true));
            }
            Action::Step(by) => {
                let to = self.sequence.at() as i64 + by;
                if to >= 0 && self.sequence.go_to(to as usize) {
                    self.follow &= to as usize + 1 == self.sequence.len();
                    self.ask();
                }
            }
            Action::Jump(text) => self.jump(&text),
            Action::Reset => {
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
                    let hit = scene::hit(model, camera, &self.canvas, x, y, self.selected);
                    self.select(hit);
                }
            }
            Action::Select(node) => self.select(node),
            Action::Walk(way) => self.walk(way),
            Action::History(by) => self.step_history(by),
            Action::Fold => self.fold(),
            Action::Sift(sift) => self.set_sift(sift),
            Action::Find(text) => self.find(&text),
            Action::Follow(follow) => {
                self.follow = follow;
                if follow && !self.sequence.is_empty() {
                    self.sequence.go_to(self.sequence.len() - 1);
                    self.ask();
                }
            }
            Action::Save(path, scale) => self.save(&path, scale),
            Action::SwitchTheme => self.settings.dark = !self.settings.dark,
            Action::Scrub { to, moving } => self.scrub(to, moving),
            Action::StepIteration(by) => {
                let to = i64::from(self.timeline.position()) + by;
                self.scrub(to.clamp(0, i64::from(u32::MAX)) as u32, false);
            }
            Action::Play(plays) => self.play(plays),
            Action::Speed(speed) => self.set_speed(speed),
            Action::ToEnd => self.show_end(),
            Action::Exhibit(wanted) => self.exhibit(&wanted),
            Action::Begin(plan) => {
                self.begin_play(*plan);
            }
            Action::Home => self.go_home(),
            Action::Deed(deed) => self.do_deed(deed),
            Action::LayOut(path) => self.lay_out(&path),
            Action::Complain(problem) => self.complain(problem),
            Action::Quit => self.is_over = true,
            Action::Copy(what) => self.copy(what),
        }
    }

    /// Asks what there is to be opened; what is shown stays until that is known.
    fn open(&mut self, paths: &[PathBuf]) {
        self.loader.list(paths.to_vec());
    }

    /// These were opened, and these trees are in them. If there is nothing that could be opened, what is shown stays.
    fn begin(&mut self, paths: &[PathBuf], listing: Listing) {
        let Listing {
            files,
            first,
            directory,
            is_match,
            mut problems,
        } = listing;
        if files.is_empty() && directory.is_none() {
            let none = "there are no trees here".to_owned();
            return self.complain(problems_in_short(&problems).unwrap_or(none));
        }
        // What is opened takes the place of what is played.
        self.playing = None;
        self.watch = None;
        self.directory = None;
        self.following = None;
        if let Some(directory) = &directory {
            let scope = if is_match { Scope::Match } else { Scope::Trees };
            self.watch(directory, scope);
        }
        for path in paths.iter().filter(|path| path.exists()) {
            self.settings.remember(path);
        }
        if files.is_empty() && !is_match {
            self.say("there are no trees here yet; they are shown as they appear");
        }
        let first = files.first().cloned().zip(first);
        self.clear(files);
        if let Some((path, loaded)) = first {
            (self.sequence).keep(&path, loaded.model, self.budget.trees());
            problems.extend(loaded.problems);
        }
        self.ask();
        if let Some(problem) = problems_in_short(&problems) {
            self.complain(problem);
        }
    }

    /// Watches a directory from now on.
    fn watch(&mut self, directory: &Path, scope: Scope) {
        (self.is_present, self.polling) = (false, None);
        match Watch::start(directory, scope, self.event_source, Arc::clone(&self.wake)) {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => {
                self.complain(format!("{} is not watched: {error}", directory.display()));
            }
        }
        self.directory = Some(directory.to_owned());
        self.following = (scope == Scope::Match).then(Following::default);
    }

    /// Shows the first of these trees, or the last if what appears is followed.
    fn step_through(&mut self, files: Vec<PathBuf>) {
        self.clear(files);
        self.ask();
    }

    /// The same, except that nothing is asked for yet.
    fn clear(&mut self, files: Vec<PathBuf>) {
        let many = files.len();
        self.sequence = Sequence::new(files);
        self.projector.close();
        self.timeline.restart();
        self.model = None;
        self.whole = None;
        self.shown = None;
        self.unfinished = None;
        self.selected = None;
        self.camera = None;
        self.follow = self.directory.is_some();
        if self.follow && many > 0 {
            self.sequence.go_to(many - 1);
        }
    }

    fn jump(&mut self, text: &str) {
        let count = self.sequence.len();
        let wanted = text
            .trim()
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        match wanted {
            Some(index) if self.sequence.go_to(index) => {
                self.follow &= index + 1 == count;
                self.ask();
            }
            _ => self.complain(format!("Invalid tree number! Expected 1 to {count}.")),
        }
    }

    fn fit_selected(&mut self) {
        if let (Some(camera), Some(model)) = (&mut self.camera, &self.model) {
            let bounds = scene::subtree_bounds(model, self.selected.unwrap_or(0));
            camera.look_at(&bounds, &self.canvas);
            self.is_fitted = false;
        }
    }

    fn select(&mut self, node: Option<usize>) {
        // The tree may have changed since somebody meant that node.
        let count = self.model.as_ref().map_or(0, |model| model.len());
        let node = node.filter(|&node| node < count);
        self.selected = node;
        if let Some(node) = node
            && self.history.get(self.history_at) != Some(&node)
        {
            self.history.truncate(self.history_at + 1);
            self.history.push(node);
            self.history_at = self.history.len() - 1;
        }
    }

    fn step_history(&mut self, by: i64) {
        let to = self.history_at as i64 + by;
        if let Some(&node) = usize::try_from(to).ok().and_then(|to| self.history.get(to)) {
            self.history_at = to as usize;
            self.selected = Some(node);
            self.keep_in_sight();
        }
    }

    fn walk(&mut self, way: Way) {
        let Some(model) = &self.model else { return };
        let node = self.node();
        let siblings = model.children_of(model.parents[node] as usize);
        let to = match way {
            Way::Up => model.parents[node] as usize,
            Way::Down => {
                let children = model.children_of(node);
                match model
                    .preferred_child(node)
                    .or_else(|| children.into_iter().next())
                {
                    Some(child) => child,
                    None => return,
                }
            }
            Way::Left if node > 0 && node > siblings.start => node - 1,
            Way::Right if node > 0 && node + 1 < siblings.end => node + 1,
            _ => return,
        };
        self.select(Some(to));
        self.keep_in_sight();
    }

    /// Moves the camera if the selected node is not on the canvas.
    fn keep_in_sight(&mut self) {
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

    fn fold(&mut self) {
        let (Some(model), Some(node)) = (&self.model, self.selected) else {
            return;
        };
        let steps = Arc::new(steps(&model.tree, &model.tree.sizes(), model.row(node)));
        let mut sift = self.sift.clone();
        match sift.collapsed.iter().position(|folded| *folded == steps) {
            Some(at) => {
                sift.collapsed.remove(at);
            }
            None if model.children[node] > 0 => sift.collapsed.push(steps),
            None => return,
        }
        self.set_sift(sift);
    }

    fn set_sift(&mut self, sift: Sift) {
        if sift == self.sift {
            return;
        }
        self.sift = sift;
        if self.timeline.at.is_some() || self.timeline.shown.is_some() {
            self.wish(self.timeline.at.unwrap_or(u32::MAX), false);
        } else if let (Some(path), Some(whole)) = (self.shown.clone(), self.whole.clone()) {
            self.show_part_of(&path, whole);
        }
    }

    /// Selects the next node whose move is `text`, or in whose move or state it occurs.
    fn find(&mut self, text: &str) {
        let Some(model) = &self.model else { return };
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return;
        }
        let begin = if self.found.0 == text {
            self.found.1 + 1
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
                self.found = (text, node);
                self.select(Some(node));
                self.keep_in_sight();
            }
            None => self.complain(format!("no move or state contains \"{text}\"")),
        }
    }

    fn save(&mut self, path: &Path, scale: f64) {
        let Some(shown) = self.model.clone() else {
            return self.complain("there is no tree to save");
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
        let saving = match Format::of(path) {
            Ok(format) => {
                // Of a tree of which nothing is known, too, the root's figures are kept, if its children do not tell them.
                let is_lost = format == Format::Tree && figures != shown.tree.root_of_children();
                let meta = meta.or_else(|| is_lost.then(|| root_only(root)));
                Saving::Tree(Arc::clone(&shown.tree), format, meta.map(Box::new))
            }
            Err(_) if is_picture(path) => Saving::Picture(scale),
            Err(_) => {
                return self.complain(format!(
                    "{}: expected a name that ends in .tree, .csv, .png or .svg",
                    path.display()
                ));
            }
        };
        self.saving = Some((path.to_owned(), saving));
    }

    /// Copies something about the selected node, or about the root.
    fn copy(&mut self, what: Copied) {
        if let (Copied::Game | Copied::Moves, Some(playing)) = (what, &self.playing) {
            let (text, said) = match what {
                Copied::Game => (playing.table.view().position.clone(), "the position"),
                _ => (playing.table.moves().join(" "), "the moves"),
            };
            self.say(format!("copied {said}"));
            self.copied = Some(text);
            return;
        }
        let Some(model) = self.model.clone() else {
            return;
        };
        let node = self.node();
        let line = model.line(node);
        let (text, said) = match what {
            Copied::Line => (line.join(" "), "the line"),
            Copied::Game | Copied::Moves => return,
            Copied::Position => {
                let Some(meta) = &model.meta else {
                    return self.complain(
                        "nothing says which game this is, so there is no position to copy",
                    );
                };
                match Board::replay(&meta.game, &meta.position, &line) {
                    Ok(replayed) => (replayed.position, "the position"),
                    Err(problem) => return self.complain(problem),
                }
            }
            Copied::Figures => {
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
        self.say(format!("copied {said} of the node"));
        self.copied = Some(text);
    }

    /// Something was saved, or not.
    pub fn saved(&mut self, path: &Path, result: Result<(), String>) {
        let left_out = self.model.as_ref().map_or(0, |model| model.left_out);
        let is_tree = crate::sequence::is_tree(path);
        match result {
            Ok(()) if is_tree && left_out > 0 => self.say(format!(
                "saved {} without the {} nodes that are not shown",
                path.display(),
                scene::thousands(left_out)
            )),
            Ok(()) => self.say(format!("saved {}", path.display())),
            Err(error) => self.complain(format!("cannot write {}: {error}", path.display())),
        }
    }
}

/// Several problems in one sentence, the first of them at length; none if there is none.
fn problems_in_short(problems: &[String]) -> Option<String> {
    let (told, rest) = problems.split_at(problems.len().min(MAX_PROBLEMS));
    let text = told.join("; ");
    match (told.len(), rest.len()) {
        (0, _) => None,
        (_, 0) => Some(text),
        (_, more) => Some(format!("{text}; and {more} more")),
    }
}

/// The name of a file, for people.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    visible(&name.to_string_lossy()).into_owned()
}
