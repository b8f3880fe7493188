//! The state of the view Compare: two searches side by side.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{App, View};
use crate::{
    play::search_run::{SearchOrder, SearchRun},
    tree::{
        camera::{Camera, Canvas, Margins},
        comparison::{Comparison, ComparisonFilter},
        scene::{self, LabelStyle, Measure, RenderOptions},
        title::{search_line, tree_title},
    },
    workers::compare::{CompareEvent, CompareWorker, ComparedSearch, ComparisonRequest},
};

/// Whether this program has the view.
pub(super) const EXISTS: bool = true;

/// The length of a whole replay.
const REPLAY_TIME: Duration = Duration::from_secs(10);

/// Free margins around a tree, in points: the name of its search stands above the canvas.
const MARGINS: Margins = Margins {
    side: 40.0,
    top: 36.0,
    bottom: 36.0,
};
/// Interval between frames while both journals play.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// The choices of how many children are shown; 0 for all.
pub const CHILD_COUNTS: [u32; 5] = [2, 3, 4, 8, 0];

/// The state of the view.
pub struct CompareState {
    worker: Option<CompareWorker>,
    /// The files that were asked for, the first search's first.
    paths: [Option<PathBuf>; 2],
    /// What was read of them.
    pub searches: Option<[ComparedSearch; 2]>,
    /// The trees as they are shown.
    pub shown: Option<Arc<Comparison>>,
    /// What was asked for last.
    request: ComparisonRequest,
    /// Searches that run to be compared, and those whose files are.
    runs: [Option<SearchRun>; 2],
    /// Where each side is looked at from; `None` until a frame fits the trees.
    cameras: [Option<Camera>; 2],
    /// The canvases of the last frame.
    pub canvases: [Canvas; 2],
    /// The moves to the selected node, and its place.
    selected_moves: Vec<String>,
    /// The selected place of the shared shape.
    pub selected: Option<usize>,
    /// What colours the edges.
    pub measure: Measure,
    /// Whether both sides follow one camera.
    pub is_linked: bool,
    /// Whether both sides show one iteration.
    pub has_one_iteration: bool,
    /// Why there is nothing to see.
    pub problem: Option<String>,
    /// When playing began, and at which part of the journals.
    play_start: Option<(Duration, f64)>,
    /// When the next frame is due while it plays.
    next_frame: Duration,
    /// The search that is written in the form, and its iterations.
    pub form: [(String, u64); 2],
}

impl Default for CompareState {
    fn default() -> Self {
        Self {
            worker: None,
            paths: [None, None],
            searches: None,
            shown: None,
            request: ComparisonRequest {
                iterations: [None, None],
                filter: ComparisonFilter::default(),
            },
            runs: [None, None],
            cameras: [None, None],
            canvases: [Canvas::default(); 2],
            selected_moves: Vec::new(),
            selected: None,
            measure: Measure::Difference,
            is_linked: true,
            has_one_iteration: true,
            problem: None,
            play_start: None,
            next_frame: Duration::ZERO,
            form: [("uct".to_owned(), 20_000), ("lgr2".to_owned(), 20_000)],
        }
    }
}

/// What a key does in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareCommand {
    /// Exchange the two searches.
    Exchange,
    /// Link or unlink the cameras.
    Link,
    /// Play or pause.
    Play,
    /// Step by iterations.
    Step(i32),
    /// Show both trees whole.
    Fit,
    /// Zoom in or out.
    Zoom(bool),
}

/// What can be done in the view.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    /// Compare these files.
    Open([PathBuf; 2]),
    /// Compare the shown tree with this file.
    OpenSecond(PathBuf),
    /// Search the position of the shown tree, or the start of a game, and compare with it.
    Search {
        /// The game where no tree is shown.
        game: Option<String>,
    },
    /// Exchange the two searches.
    Exchange,
    /// Link or unlink the cameras.
    Link(bool),
    /// Whether both sides show one iteration.
    ShareIteration(bool),
    /// Colour edges by this.
    Measure(Measure),
    /// Show so many children of a node; none for all.
    Children(Option<u32>),
    /// Zoom a side by a factor about a pixel of its canvas, or its middle.
    Zoom(usize, f64, Option<(f64, f64)>),
    /// Move a side by pixels.
    Pan(usize, f64, f64),
    /// Show both trees whole.
    Fit,
    /// Select what lies at a pixel of a side's canvas.
    Click(usize, f64, f64),
    /// Select a place of the shared shape.
    Select(Option<usize>),
    /// Show an iteration of a side; of both if they show one.
    Scrub(usize, u32),
    /// Play or pause.
    Play(bool),
    /// Explain the choice of a side in the view Why.
    Why(usize),
}

impl CompareState {
    /// Iterations of the longer journal; 0 if there is none.
    pub fn iterations(&self) -> u32 {
        let searches = self.searches.iter().flatten();
        searches.map(|search| search.iterations).max().unwrap_or(0)
    }

    /// Iterations of a side's journal.
    pub fn iterations_of(&self, side: usize) -> u32 {
        (self.searches.as_ref()).map_or(0, |searches| searches[side].iterations)
    }

    /// The iteration of a side.
    pub fn iteration(&self, side: usize) -> u32 {
        let end = self.iterations_of(side);
        self.request.iterations[side].unwrap_or(end).min(end)
    }

    /// The file of a side.
    pub fn path(&self, side: usize) -> Option<&Path> {
        self.paths[side].as_deref()
    }

    /// Which nodes are shown.
    pub fn filter(&self) -> ComparisonFilter {
        self.request.filter
    }

    /// Whether a file is that of a search which this window has run to compare.
    pub(super) fn keeps(&self, path: &Path) -> bool {
        let is_run = |side: usize| self.runs[side].is_some() && self.path(side) == Some(path);
        is_run(0) || is_run(1)
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.play_start.is_some()
    }

    /// Whether a search runs that is to be compared.
    pub fn is_searching(&self) -> bool {
        let is_open = |side: usize| self.runs[side].is_some() && self.paths[side].is_none();
        is_open(0) || is_open(1)
    }

    /// Whether something is read or searched that is not shown yet.
    pub fn is_waiting(&self) -> bool {
        let is_read = self.paths.iter().all(Option::is_some) && self.shown.is_none();
        self.problem.is_none() && (is_read || self.is_searching())
    }

    /// Whether both searches are there or on their way.
    pub fn has_two(&self) -> bool {
        self.shown.is_some() || self.is_waiting()
    }

    /// The two names under which the searches are told apart: "UCT" and "LGR2", or with their parameters if these differ.
    pub fn names(&self) -> [String; 2] {
        let Some(shown) = &self.shown else {
            return ["A".to_owned(), "B".to_owned()];
        };
        let meta = |side: usize| shown.sides[side].meta.as_deref();
        let short = |side: usize| {
            let line = meta(side).map(search_line).unwrap_or_default();
            line.split(',').next().unwrap_or_default().to_owned()
        };
        let (one, other) = (short(0), short(1));
        match one == other || one.is_empty() || other.is_empty() {
            true => ["A".to_owned(), "B".to_owned()],
            false => [one, other],
        }
    }

    /// The title of the comparison.
    pub fn title(&self) -> Option<String> {
        let meta = self.shown.as_ref()?.sides[0].meta.as_ref()?;
        let title = tree_title(meta)?;
        // Without the search, of which there are two.
        let words: Vec<&str> = title.split(" · ").take(2).collect();
        Some(words.join(" · "))
    }

    /// Colours and shapes of both trees.
    pub fn look(&self, base: RenderOptions) -> RenderOptions {
        let mut look = base;
        look.scale.measure = self.measure;
        look.label_style = LabelStyle::Visits;
        look
    }

    /// The camera of a side for a canvas of this size.
    pub fn update_camera(&mut self, side: usize, canvas: Canvas) -> Option<Camera> {
        let bounds = self.shown.as_ref()?.bounds;
        if canvas != self.canvases[side] {
            self.canvases[side] = canvas;
            self.cameras[side] = None;
        }
        let fit = || Camera::fit_within(&MARGINS, &bounds, &canvas);
        Some(*self.cameras[side].get_or_insert_with(fit))
    }

    /// Where a side is looked at from; none until a frame has fitted the trees.
    pub fn camera(&self, side: usize) -> Option<&Camera> {
        self.cameras[side].as_ref()
    }

    /// The selected node of a side.
    pub fn selected_node(&self, side: usize) -> Option<usize> {
        self.shown.as_ref()?.node(side, self.selected?)
    }

    fn move_cameras(&mut self, side: usize, change: impl Fn(&mut Camera, &Canvas)) {
        for other in 0..2 {
            if (other == side || self.is_linked)
                && let Some(camera) = &mut self.cameras[other]
            {
                change(camera, &self.canvases[other]);
            }
        }
    }

    fn select(&mut self, place: Option<usize>) {
        let moves = (self.shown.as_ref().zip(place)).map(|(shown, place)| shown.moves_to(place));
        (self.selected, self.selected_moves) = (place, moves.unwrap_or_default());
    }

    /// The part of the journals at which both sides are, from 0 to 1.
    pub fn part(&self) -> f64 {
        let end = self.iterations().max(1);
        let at = self.iteration(0).max(self.iteration(1));
        f64::from(at) / f64::from(end)
    }

    /// When the view needs another frame by itself.
    pub(super) fn due_at(&self) -> Option<Duration> {
        self.play_start.map(|_| self.next_frame)
    }

    /// The state, for tests.
    pub(super) fn dump(&self) -> serde_json::Value {
        let shown = self.shown.as_ref();
        serde_json::json!({
            "nodes": shown.map(|shown| [shown.sides[0].len(), shown.sides[1].len()]),
            "only": shown.map(|shown| [shown.only_in(0), shown.only_in(1)]),
            "lines": shown.map(|shown| shown.lines.clone()),
            "iterations": [self.iteration(0), self.iteration(1)],
            "ends": [self.iterations_of(0), self.iterations_of(1)],
            "selected": self.selected.map(|_| self.selected_moves.join(" ")),
            "linked": self.is_linked,
            "problem": self.problem,
            "names": self.names(),
        })
    }
}

impl App {
    /// Why the view cannot be shown just now.
    pub(super) fn compare_obstacle(&self) -> Option<&'static str> {
        None
    }

    /// Carries out an action in the view.
    pub(super) fn dispatch_compare(&mut self, action: CompareAction) {
        let state = &mut self.compare;
        match action {
            CompareAction::Open(paths) => self.compare_files(paths),
            CompareAction::OpenSecond(path) => self.compare_with(path),
            CompareAction::Search { game } => self.search_to_compare(game.as_deref()),
            CompareAction::Exchange => self.exchange_searches(),
            CompareAction::Link(is_linked) => {
                state.is_linked = is_linked;
                if is_linked {
                    state.cameras[1] = None;
                    state.cameras[0] = None;
                }
            }
            CompareAction::ShareIteration(is_shared) => {
                state.has_one_iteration = is_shared;
                if is_shared {
                    let at = state.iteration(0).max(state.iteration(1));
                    self.scrub_comparison(0, at);
                }
            }
            CompareAction::Measure(measure) => state.measure = measure,
            CompareAction::Children(best) => {
                state.request.filter.max_children = best;
                state.request.filter.min_share = match best {
                    Some(_) => ComparisonFilter::default().min_share,
                    None => None,
                };
                self.request_comparison();
            }
            CompareAction::Zoom(side, factor, at) => state.move_cameras(side, |camera, canvas| {
                let (x, y) = at.unwrap_or((canvas.width / 2.0, canvas.height / 2.0));
                camera.zoom_at(canvas, factor, x, y);
            }),
            CompareAction::Pan(side, dx, dy) => {
                state.move_cameras(side, |camera, _| camera.pan(dx, dy));
            }
            CompareAction::Fit => state.cameras = [None, None],
            CompareAction::Click(side, x, y) => self.click_comparison(side, x, y),
            CompareAction::Select(place) => state.select(place),
            CompareAction::Scrub(side, to) => {
                state.play_start = None;
                self.scrub_comparison(side, to);
            }
            CompareAction::Why(side) => self.explain_compared(side),
            CompareAction::Play(plays) => {
                let at = state.part();
                let from = if at >= 1.0 { 0.0 } else { at };
                state.play_start = plays.then_some((self.now, from));
            }
        }
    }

    /// Shows two files side by side. The first is the tree of the other views.
    fn compare_files(&mut self, paths: [PathBuf; 2]) {
        if self.document.shown_path.as_deref() != Some(paths[0].as_path()) {
            self.open(&paths[..1]);
        }
        let [one, other] = paths;
        self.compare.paths = [Some(one), Some(other)];
        self.open_comparison();
    }

    /// Compares the shown tree with another file.
    fn compare_with(&mut self, path: PathBuf) {
        let first = (self.compare.paths[0].clone()).or_else(|| self.document.shown_path.clone());
        match first {
            Some(first) => self.compare_files([first, path]),
            None => self.show_error("there is no tree to compare with"),
        }
    }

    /// The second search of the form is as long as the one that is shown.
    pub(super) fn suggest_second_search(&mut self) {
        let meta = (self.document.model.as_ref()).and_then(|model| model.meta.as_ref());
        let iterations = meta.map_or(0, |meta| meta.iterations);
        if iterations > 0 && !self.compare.has_two() {
            self.compare.form[1].1 = iterations;
        }
    }

    /// Shows in the view Why why a side prefers its move to that of the other side. The comparison stays as it is.
    fn explain_compared(&mut self, side: usize) {
        let Some(path) = self.compare.paths[side].clone() else {
            return;
        };
        let chosen = |side: usize| {
            let shown = self.compare.shown.as_ref()?;
            let mut moves = shown.root_moves.iter();
            Some(moves.find(|mv| mv.is_chosen[side])?.mv.clone())
        };
        let asked = [chosen(side), chosen(1 - side)];
        if self.document.shown_path.as_ref() != Some(&path) {
            self.open(&[path]);
        }
        match &asked {
            [Some(one), Some(other)] if one != other => self.ask_why(asked),
            _ => self.ask_why([None, None]),
        }
        self.show_view(View::Why);
    }

    fn exchange_searches(&mut self) {
        let state = &mut self.compare;
        if state.paths.iter().any(Option::is_none) {
            return;
        }
        state.paths.swap(0, 1);
        state.runs.swap(0, 1);
        state.request.iterations.swap(0, 1);
        self.open_comparison();
    }

    /// Has both files read anew.
    fn open_comparison(&mut self) {
        self.view = View::Compare;
        let state = &mut self.compare;
        (state.shown, state.searches, state.problem) = (None, None, None);
        (state.play_start, state.cameras) = (None, [None, None]);
        let [Some(one), Some(other)] = state.paths.clone() else {
            return;
        };
        if state.worker.is_none() {
            match CompareWorker::start(Arc::clone(&self.wake), &self.document.budget) {
                Ok(worker) => state.worker = Some(worker),
                Err(error) => state.problem = Some(format!("no thread could be started: {error}")),
            }
        }
        if let Some(worker) = &state.worker {
            worker.open([one, other]);
        }
        self.request_comparison();
    }

    fn request_comparison(&mut self) {
        if let Some(worker) = &self.compare.worker {
            worker.show(self.compare.request.clone());
        }
    }

    /// Starts the searches of the form: both where no tree is shown, else the second.
    fn search_to_compare(&mut self, game: Option<&str>) {
        let meta = (self.document.model.as_ref()).and_then(|model| model.meta.clone());
        let first = self.document.shown_path.clone().filter(|_| game.is_none());
        let (game, position) = match (game, &meta) {
            (Some(game), _) => (game.to_owned(), String::new()),
            (None, Some(meta)) => (meta.game.clone(), meta.position.clone()),
            (None, None) => {
                return self.show_error(
                    "nothing says which position this tree is of: open a second tree instead",
                );
            }
        };
        self.compare.problem = None;
        self.compare.shown = None;
        self.compare.searches = None;
        self.compare.request.iterations = [None, None];
        let sides = if first.is_some() { 1..2 } else { 0..2 };
        self.compare.paths = [first, None];
        self.view = View::Compare;
        for side in sides {
            let (search, iterations) = self.compare.form[side].clone();
            let order = SearchOrder {
                game: game.clone(),
                position: position.clone(),
                moves: String::new(),
                search,
                iterations: Some(iterations),
                records_playouts: false,
            };
            match SearchRun::start(&order, &self.own_engine_command, Arc::clone(&self.wake)) {
                Ok(run) => self.compare.runs[side] = Some(run),
                Err(problem) => self.compare.problem = Some(problem),
            }
        }
    }

    fn scrub_comparison(&mut self, side: usize, to: u32) {
        let state = &mut self.compare;
        for other in 0..2 {
            if other == side || state.has_one_iteration {
                let end = state.iterations_of(other);
                state.request.iterations[other] = (to < end).then_some(to.max(1));
            }
        }
        self.request_comparison();
    }

    fn click_comparison(&mut self, side: usize, x: f64, y: f64) {
        let state = &mut self.compare;
        let (Some(shown), Some(camera)) = (state.shown.clone(), state.cameras[side]) else {
            return;
        };
        let before = state.selected_node(side);
        let model = &shown.sides[side];
        let hit = scene::node_at(model, &camera, &state.canvases[side], x, y, before);
        state.select(hit.and_then(|node| shown.place(side, node)));
    }

    /// Takes in what background work has made.
    pub(super) fn update_compare(&mut self) {
        self.poll_compared_searches();
        let events = match &self.compare.worker {
            Some(worker) => worker.take_events(),
            None => return,
        };
        for event in events {
            self.handle_compare_event(event);
        }
        self.advance_comparison();
    }

    fn handle_compare_event(&mut self, event: CompareEvent) {
        let state = &mut self.compare;
        match event {
            CompareEvent::Failed(problem) => {
                (state.problem, state.shown) = (Some(problem), None);
            }
            CompareEvent::Opened(searches) => {
                let is_current = (0..2).all(|side| {
                    state.paths[side].as_deref() == Some(searches[side].path.as_path())
                });
                if is_current {
                    state.searches = Some(searches);
                }
            }
            CompareEvent::Compared(request, made) => {
                if request.filter != state.request.filter || state.searches.is_none() {
                    return;
                }
                let is_refitted = state
                    .shown
                    .as_ref()
                    .is_some_and(|shown| shown.bounds != made.bounds);
                if is_refitted {
                    state.cameras = [None, None];
                }
                state.selected = match state.selected {
                    Some(_) => made.find(&state.selected_moves),
                    None => None,
                };
                state.shown = Some(made);
            }
        }
    }

    /// Takes in searches that have ended.
    fn poll_compared_searches(&mut self) {
        let mut has_new = false;
        for side in 0..2 {
            if self.compare.paths[side].is_some() {
                continue;
            }
            let result = self.compare.runs[side].as_mut().and_then(SearchRun::poll);
            match result {
                Some(Ok(path)) => {
                    self.compare.paths[side] = Some(path);
                    has_new = true;
                }
                Some(Err(problem)) => {
                    self.compare.runs[side] = None;
                    self.compare.problem = Some(problem);
                }
                None => {}
            }
        }
        if has_new && let [Some(one), Some(other)] = self.compare.paths.clone() {
            self.compare_files([one, other]);
        }
    }

    /// Goes on while the journals play.
    fn advance_comparison(&mut self) {
        let Some((since, from)) = self.compare.play_start else {
            return;
        };
        self.compare.next_frame = self.now + FRAME_INTERVAL;
        let passed = self.now.saturating_sub(since).as_secs_f64() / REPLAY_TIME.as_secs_f64();
        let part = (from + passed).min(1.0);
        let end = self.compare.iterations();
        let to = (f64::from(end) * part) as u32;
        if part >= 1.0 {
            self.compare.play_start = None;
        }
        // One request at a time: the next one when the last is answered.
        if self.compare.iteration(0).max(self.compare.iteration(1)) != to {
            let was_one = std::mem::replace(&mut self.compare.has_one_iteration, true);
            self.scrub_comparison(0, to);
            self.compare.has_one_iteration = was_one;
        }
    }
}
