//! What the window knows and does, without a window: files, the tree that is shown, where one looks, what is selected.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use canopy_engine::tree::{Tree, files::Format};

use crate::{
    board::Board,
    camera::{Camera, Canvas},
    film::{News, Projector, Reel, Shot, Wish},
    loader::{Loader, Made, Wake},
    model::{Model, Sift, find_steps, steps},
    scene::{self, Look},
    sequence::Sequence,
    settings::Settings,
    theme::Theme,
    watch::{Change, Watch},
};

/// A message stays so long.
const MESSAGE: Duration = Duration::from_secs(6);

/// Something that happens in the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Open files, or a directory.
    Open(Vec<PathBuf>),
    /// The tree so many further in the sequence.
    Step(i64),
    /// The tree of that number, counted from 1, as it was typed.
    Jump(String),
    /// See the whole tree.
    Reset,
    /// See the selected node's subtree.
    FitSelected,
    /// Larger or smaller, at a pixel of the canvas or in its middle.
    Zoom(f64, Option<(f64, f64)>),
    /// Move the tree by pixels.
    Pan(f64, f64),
    /// Look at a place, given in parts of the whole tree.
    CentreOn(f64, f64),
    /// Select what lies at a pixel.
    Click(f64, f64),
    /// Select a node.
    Select(Option<usize>),
    /// Select the parent, the first or last visited child, or a sibling.
    Walk(Way),
    /// Through what was selected before.
    History(i64),
    /// Hide or show the children of the selected node.
    Fold,
    /// Show another part of the tree.
    Sift(Sift),
    /// Find a node by its move or state, or the next one.
    Find(String),
    /// Follow what appears in the directory, or not.
    Follow(bool),
    /// Write the tree to a file, .csv or .tree, or a picture, .png or .svg, so many times as large as on the screen.
    Save(PathBuf, f64),
    /// The other theme.
    SwitchTheme,
    /// The tree after so many iterations; `moving` if the next one follows at once.
    Scrub {
        /// After how many iterations.
        to: u32,
        /// Whether the next one follows at once.
        moving: bool,
    },
    /// So many iterations on.
    StepIteration(i64),
    /// Let the tree grow, or stop it.
    Play(bool),
    /// So many iterations a second.
    Speed(u32),
    /// The tree as it is in the end, or as far as the search is.
    ToEnd,
    /// Close the window.
    Quit,
    /// Copy something about the selected node.
    Copy(Copied),
}

/// What can be saved.
#[derive(Clone, Debug)]
pub enum Saving {
    /// What is on the canvas, so many times as large.
    Picture(f64),
    /// The tree.
    Tree(Arc<Tree>, Format),
}

/// What can be copied of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    /// The moves that lead to it.
    Line,
    /// Its position.
    Position,
    /// Its figures.
    Figures,
}

/// The speeds at which a tree grows, in iterations a second.
pub const SPEEDS: [u32; 7] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
/// A tree grows from its first iteration to the last in about so many seconds, if nothing else is said.
const SHOWTIME: u32 = 10;

/// How the tree grew, where there is a journal.
#[derive(Default)]
pub struct Timeline {
    /// What is known of the journal.
    pub reel: Option<Reel>,
    /// Where one looks: after so many iterations; none for the end.
    pub at: Option<u32>,
    /// The iteration that is shown; none if the tree of the file is.
    pub shown: Option<u32>,
    /// Since when it grows by itself, and from which iteration on.
    playing: Option<(Duration, u32)>,
    /// How fast, in iterations a second; none for whatever takes a few seconds.
    speed: Option<u32>,
}

impl Timeline {
    /// How many iterations there are.
    pub fn iterations(&self) -> u32 {
        self.reel.as_ref().map_or(0, |reel| reel.iterations)
    }

    /// The iteration one looks at.
    pub fn position(&self) -> u32 {
        self.at.unwrap_or(u32::MAX).min(self.iterations())
    }

    /// Whether the search still runs, as far as the journal tells.
    pub fn is_live(&self) -> bool {
        (self.reel.as_ref()).is_some_and(|reel| reel.ended.is_none())
    }

    /// Whether the tree grows by itself.
    pub fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// How fast it grows, in iterations a second.
    pub fn speed(&self) -> u32 {
        self.speed.unwrap_or_else(|| {
            let wanted = self.iterations() / SHOWTIME;
            (SPEEDS.into_iter().rev())
                .find(|&speed| speed <= wanted)
                .unwrap_or(SPEEDS[0])
        })
    }
}

/// A step in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the parent.
    Up,
    /// To the most visited child.
    Down,
    /// To the sibling on the left.
    Left,
    /// To the sibling on the right.
    Right,
}

/// So much of what was selected is kept when a tree changes.
const MOST_HISTORY: usize = 50;

/// Finds nodes of one state of a tree in another.
struct Finder<'a> {
    before: Option<&'a Model>,
    now: &'a Model,
    /// The sizes of both trees, if they are not one.
    sizes: Option<(Vec<u32>, Vec<u32>)>,
}

impl<'a> Finder<'a> {
    fn new(before: Option<&'a Model>, now: &'a Model) -> Self {
        let other = before.filter(|before| !Arc::ptr_eq(&before.tree, &now.tree));
        Self {
            before,
            now,
            sizes: other.map(|before| (before.tree.sizes(), now.tree.sizes())),
        }
    }

    /// The node that the same moves lead to.
    fn find(&self, node: usize) -> Option<usize> {
        let before = self.before.filter(|before| node < before.len())?;
        let row = match &self.sizes {
            None => before.row(node),
            Some((sizes, now)) => {
                let steps = steps(&before.tree, sizes, before.row(node));
                find_steps(&self.now.tree, now, &steps)?
            }
        };
        self.now.find_row(row as u32)
    }
}

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
    /// The directory that is watched.
    pub directory: Option<PathBuf>,
    watch: Option<Watch>,
    loader: Loader,
    projector: Projector,
    wake: Wake,
    /// How the tree grew.
    pub timeline: Timeline,
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
    /// Whether the window is to be closed.
    pub is_over: bool,
}

impl App {
    /// Nothing is open yet.
    pub fn new(settings: Settings, wake: Wake) -> std::io::Result<Self> {
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
            directory: None,
            watch: None,
            loader: Loader::start(Arc::clone(&wake))?,
            projector: Projector::start(Arc::clone(&wake))?,
            wake,
            timeline: Timeline::default(),
            message: None,
            now: Duration::ZERO,
            found: (String::new(), 0),
            saving: None,
            copied: None,
            is_over: false,
        })
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

    /// Takes in what other threads have made; whether anything changed.
    pub fn update(&mut self, now: Duration) -> bool {
        self.now = now;
        let mut changed = false;
        if let Some(message) = &self.message
            && !message.is_error
            && now >= message.since + MESSAGE
        {
            self.message = None;
            changed = true;
        }
        for change in self.watch.as_ref().map(Watch::take).unwrap_or_default() {
            changed = true;
            match change {
                Change::Said(text) => self.say(text),
                Change::Files(paths) => self.arrive(paths),
                Change::Gone(paths) => self.lose(&paths),
                Change::Present(mut paths) => {
                    paths.retain(|path| !self.sequence.knows(path));
                    if !paths.is_empty() {
                        self.arrive(paths);
                    }
                }
            }
        }
        for made in self.loader.take() {
            changed = true;
            self.receive(made);
        }
        for news in self.projector.take() {
            changed = true;
            self.hear(news);
        }
        self.grow();
        changed
    }

    /// Files have appeared in the directory, or have changed.
    fn arrive(&mut self, paths: Vec<PathBuf>) {
        let mut last = None;
        for path in paths {
            self.sequence.forget(&path);
            last = Some(self.sequence.insert(path));
        }
        if let Some(index) = last.filter(|_| self.follow) {
            self.sequence.go_to(index);
        }
        self.ask();
    }

    /// Files have gone from the directory; what is shown stays.
    fn lose(&mut self, paths: &[PathBuf]) {
        for path in paths.iter().filter(|path| !path.exists()) {
            if self.sequence.remove(path) {
                self.say(format!("{} is gone", name_of(path)));
            }
        }
    }

    fn receive(&mut self, made: Made) {
        let is_shown = |sequence: &Sequence, path: &Path| sequence.path() == Some(path);
        match made {
            Made::Listed(paths, Ok(files)) => self.begin(&paths, files),
            Made::Listed(_, Err(problem)) => self.complain(problem),
            Made::Read(path, number, _) if !self.sequence.is_awaited(&path, number) => self.ask(),
            Made::Read(path, _, Ok((model, problems))) => {
                self.sequence.keep(&path, Arc::clone(&model));
                if is_shown(&self.sequence, &path) {
                    self.show(&path, model);
                    if let Some(problem) = problems.into_iter().next() {
                        self.complain(problem);
                    }
                }
            }
            Made::Read(path, _, Err(problem)) => {
                self.sequence.give_up(&path);
                if is_shown(&self.sequence, &path) {
                    self.complain(format!("{}: {problem}", name_of(&path)));
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

    /// Takes in what is said of the journal.
    fn hear(&mut self, news: News) {
        let (News::Reel(path, _) | News::Shot(path, _) | News::Failed(path, _)) = &news;
        if self.shown.as_deref() != Some(path) {
            return;
        }
        match news {
            News::Failed(path, problem) => {
                let was_elsewhere = self.timeline.shown.is_some();
                self.timeline = Timeline {
                    speed: self.timeline.speed,
                    ..Timeline::default()
                };
                if let Some(whole) = self.whole.clone().filter(|_| was_elsewhere) {
                    self.show_part_of(&path, whole);
                }
                let name = name_of(&path.with_extension("growth"));
                self.complain(format!("{name}: {problem}"));
            }
            News::Reel(_, reel) => {
                let was_live = self.timeline.is_live();
                self.timeline.reel = Some(reel);
                // The tree of a search that is over is in its file, with all that stands beside it.
                let is_live = self.timeline.is_live();
                if self.timeline.at.is_none() && (is_live || was_live) && !self.is_final() {
                    self.wish(u32::MAX, is_live);
                }
            }
            News::Shot(
                _,
                Shot {
                    wish,
                    iteration,
                    model,
                },
            ) => {
                // What was asked for may not be wanted any more: the file's own tree is the end.
                let is_wanted = match self.timeline.at {
                    None => wish.iteration == u32::MAX && !self.is_final(),
                    Some(_) => wish.iteration != u32::MAX,
                };
                if is_wanted && wish.sift == self.sift {
                    self.timeline.shown = Some(iteration);
                    self.put(model);
                }
            }
        }
    }

    /// Whether the file that is shown is of a search that is over.
    fn is_final(&self) -> bool {
        let whole = self.whole.as_ref();
        whole.is_some_and(|model| model.meta.as_ref().is_none_or(|meta| meta.is_final))
    }

    fn wish(&self, iteration: u32, quick: bool) {
        self.projector.wish(Wish {
            iteration,
            quick,
            sift: self.sift.clone(),
        });
    }

    /// Asks for the next tree while it grows by itself.
    fn grow(&mut self) {
        let Some((since, from)) = self.timeline.playing else {
            return;
        };
        let seconds = self.now.saturating_sub(since).as_secs_f64();
        let done = seconds * f64::from(self.timeline.speed());
        let to = (f64::from(from) + done).min(f64::from(u32::MAX)) as u32;
        let end = self.timeline.iterations();
        if to >= end && !self.timeline.is_live() {
            self.timeline.playing = None;
            self.timeline.at = Some(end);
            self.wish(end, false);
        } else if self.timeline.at != Some(to.min(end)) {
            self.timeline.at = Some(to.min(end));
            self.wish(to.min(end), true);
        }
    }

    /// Goes to an iteration.
    fn scrub(&mut self, to: u32, moving: bool) {
        if self.timeline.reel.is_none() {
            return;
        }
        self.timeline.playing = None;
        let to = to.min(self.timeline.iterations());
        self.timeline.at = Some(to);
        self.wish(to, moving);
    }

    fn play(&mut self, plays: bool) {
        if self.timeline.reel.is_none() {
            return;
        }
        let at = self.timeline.position();
        if !plays {
            return self.scrub(at, false);
        }
        let is_over = at >= self.timeline.iterations() && !self.timeline.is_live();
        self.timeline.playing = Some((self.now, if is_over { 0 } else { at }));
    }

    /// Shows the end again.
    fn show_end(&mut self) {
        self.timeline.playing = None;
        self.timeline.at = None;
        if self.timeline.is_live() && !self.is_final() {
            self.wish(u32::MAX, true);
        } else if self.timeline.shown.take().is_some()
            && let (Some(path), Some(whole)) = (self.shown.clone(), self.whole.clone())
        {
            self.show_part_of(&path, whole);
        }
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
        if self.model.is_none() || (self.message.as_ref()).is_some_and(|message| message.is_error) {
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
            let speed = self.timeline.speed;
            self.timeline = Timeline {
                speed,
                ..Timeline::default()
            };
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
        }
    }

    /// Shows a tree that was read already, without the files around it.
    pub fn show_alone(&mut self, path: &Path, model: Arc<Model>) {
        if self.sequence.path() != Some(path) {
            self.sequence = Sequence::new(vec![path.to_owned()]);
        }
        self.sequence.keep(path, Arc::clone(&model));
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
        let node = self.selected.filter(|&node| node < model.len())?;
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
        match action {
            Action::Open(paths) => self.open(&paths),
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
            Action::Speed(speed) => {
                self.timeline.speed = Some(speed);
                if self.timeline.is_playing() {
                    self.timeline.playing = Some((self.now, self.timeline.position()));
                }
            }
            Action::ToEnd => self.show_end(),
            Action::Quit => self.is_over = true,
            Action::Copy(what) => self.copy(what),
        }
    }

    /// Asks what there is to be opened; what is shown stays until that is known.
    fn open(&mut self, paths: &[PathBuf]) {
        self.loader.list(paths.to_vec());
    }

    /// These were opened, and these trees are in them.
    fn begin(&mut self, paths: &[PathBuf], files: Vec<PathBuf>) {
        self.watch = None;
        self.directory = None;
        if let [directory] = paths
            && directory.is_dir()
        {
            match Watch::start(directory, Arc::clone(&self.wake)) {
                Ok(watch) => self.watch = Some(watch),
                Err(error) => {
                    self.complain(format!("{} is not watched: {error}", directory.display()));
                }
            }
            self.directory = Some(directory.clone());
        }
        for path in paths {
            self.settings.remember(path);
        }
        if files.is_empty() {
            if self.watch.is_some() {
                self.say("there are no trees here yet; they are shown as they appear");
            } else {
                self.complain("there are no trees here");
            }
        }
        let many = files.len();
        self.sequence = Sequence::new(files);
        self.projector.close();
        self.timeline = Timeline::default();
        self.model = None;
        self.whole = None;
        self.shown = None;
        self.selected = None;
        self.camera = None;
        self.follow = self.directory.is_some();
        if self.follow && many > 0 {
            self.sequence.go_to(many - 1);
        }
        self.ask();
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
        let node = self.selected.unwrap_or(0);
        let siblings = model.children_of(model.parents[node] as usize);
        let to = match way {
            Way::Up => model.parents[node] as usize,
            Way::Down => {
                let children = model.children_of(node);
                if children.is_empty() {
                    return;
                }
                model.peak(children)
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
        let extension = path
            .extension()
            .and_then(|name| name.to_str())
            .map(str::to_ascii_lowercase);
        let tree = |format: Format| Saving::Tree(Arc::clone(&shown.tree), format);
        let saving = match extension.as_deref() {
            Some("tree") => tree(Format::Tree),
            Some("csv") => tree(Format::Csv),
            Some("png" | "svg") => Saving::Picture(scale),
            _ => {
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
        let Some(model) = self.model.clone() else {
            return;
        };
        let node = self
            .selected
            .filter(|&node| node < model.len())
            .unwrap_or(0);
        let line = model.line(node);
        let (text, said) = match what {
            Copied::Line => (line.join(" "), "the line"),
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

    /// Where in the window the selected node and its children are, by row counted from 1; the root's if none is selected.
    fn places(&self) -> Vec<(u32, f64, f64)> {
        let (Some(model), Some(camera)) = (&self.model, &self.camera) else {
            return Vec::new();
        };
        let node = self
            .selected
            .filter(|&node| node < model.len())
            .unwrap_or(0);
        let depth = model.depth_of(node) as f64;
        let children = model
            .children_of(node)
            .take(100)
            .map(|child| (child, depth + 1.0));
        (std::iter::once((node, depth)).chain(children))
            .map(|(node, depth)| {
                let (x, y) = camera.to_canvas(&self.canvas, model.x[node], depth);
                (
                    model.rows[node] + 1,
                    self.canvas_at.0 + x,
                    self.canvas_at.1 + y,
                )
            })
            .collect()
    }

    /// What there is to know, for tests.
    pub fn dump(&self) -> serde_json::Value {
        let model = self.model.as_ref();
        serde_json::json!({
            "trees": self.sequence.len(),
            "tree": if self.sequence.is_empty() { 0 } else { self.sequence.at() + 1 },
            "file": self.shown.as_deref().map(name_of),
            "nodes": model.map(|model| model.len()),
            "hidden": model.map(|model| model.hidden),
            "depth": model.map(|model| model.depth()),
            "selected": self.selected.zip(model).map(|(node, model)| model.rows[node] + 1),
            "moves": self.moves_to_selected(),
            "zoom": self.camera.map(|camera| camera.zoom()),
            "camera": self.camera.map(|camera| [camera.x, camera.y]),
            "canvas": [self.canvas.width, self.canvas.height],
            "canvas_at": self.canvas_at,
            "places": self.places(),
            "colours": self.settings.edge_colours,
            "measure": self.settings.measure,
            "theme": if self.settings.dark { "dark" } else { "light" },
            "follow": self.follow,
            "directory": self.directory.as_ref().map(|path| path.display().to_string()),
            "iterations": self.timeline.reel.as_ref().map(|reel| reel.iterations),
            "iteration": self.timeline.shown,
            "live": self.timeline.is_live(),
            "playing": self.timeline.is_playing(),
            "visits": model.map(|model| model.node(0).visits),
            "final": model.and_then(|model| model.meta.as_ref()).map(|meta| meta.is_final),
            "way": model.map(|model| model.way.len()),
            "left_out": model.map(|model| model.left_out),
            "copied": self.copied,
            "message": self.message.as_ref().map(|message| message.text.clone()),
            "error": self.message.as_ref().map(|message| message.is_error),
        })
    }
}

/// The name of a file, for people.
pub fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}
