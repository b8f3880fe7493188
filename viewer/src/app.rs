//! What the window knows and does, without a window: files, the tree that is shown, where one looks, what is selected.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{
    camera::{Camera, Canvas},
    loader::{Loader, Wake},
    model::{Model, Sift},
    scene::{self, Look},
    sequence::{Sequence, list},
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
    /// Write the tree to a file: .csv, .tree, .png or .svg.
    Save(PathBuf),
    /// The other theme.
    SwitchTheme,
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
    /// The canvas of the last frame, in pixels.
    pub canvas: Canvas,
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
    wake: Wake,
    /// What is to be read at the bottom.
    pub message: Option<Message>,
    /// Since the program began.
    pub now: Duration,
    /// A find that is walked through.
    found: (String, usize),
    /// A picture that is to be saved when the next frame is drawn.
    pub picture: Option<PathBuf>,
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
            canvas: Canvas::default(),
            selected: None,
            history: Vec::new(),
            history_at: 0,
            settings,
            follow: true,
            directory: None,
            watch: None,
            loader: Loader::start(Arc::clone(&wake))?,
            wake,
            message: None,
            now: Duration::ZERO,
            found: (String::new(), 0),
            picture: None,
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
            }
        }
        for loaded in self.loader.take() {
            changed = true;
            self.receive(loaded);
        }
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

    fn receive(&mut self, loaded: crate::loader::Loaded) {
        let is_shown = self.sequence.path() == Some(loaded.path.as_path());
        match (loaded.result, loaded.sift) {
            (Err(problem), _) => {
                self.sequence.give_up(&loaded.path);
                if is_shown {
                    let name = name_of(&loaded.path);
                    self.complain(format!("{name}: {problem}"));
                }
            }
            (Ok(model), Some(sift)) => {
                if is_shown && sift == self.sift {
                    self.replace(model);
                }
            }
            (Ok(model), None) => {
                self.sequence.keep(&loaded.path, Arc::clone(&model));
                if is_shown {
                    self.show(&loaded.path, model);
                }
            }
        }
    }

    /// Asks for what is to be shown, or shows it if it is ready.
    fn ask(&mut self) {
        if let Some(path) = self.sequence.path().map(Path::to_owned)
            && let Some(model) = self.sequence.ready(&path)
        {
            self.show(&path, model);
        }
        for path in self.sequence.wanted() {
            self.loader.read(path);
        }
    }

    fn show(&mut self, path: &Path, model: Arc<Model>) {
        let same_file = self.shown.as_deref() == Some(path);
        // A tree that only grew keeps where one looks and what is selected, by the moves that lead there.
        let kept = self.moves_to_selected().filter(|_| same_file);
        self.shown = Some(path.to_owned());
        self.whole = Some(Arc::clone(&model));
        if self
            .message
            .as_ref()
            .is_some_and(|message| message.is_error)
        {
            self.message = None;
        }
        self.selected = kept.and_then(|moves| find_by_moves(&model, &moves));
        if !same_file {
            self.history.clear();
            self.history_at = 0;
            self.camera = None;
            self.sift.collapsed.clear();
        }
        if self.sift.is_plain() {
            self.model = Some(model);
        } else {
            self.loader
                .sift(path.to_owned(), Arc::clone(&model), self.sift.clone());
            self.model.get_or_insert(model);
        }
    }

    /// Another part of the same tree is shown.
    fn replace(&mut self, model: Arc<Model>) {
        let row = self
            .selected
            .zip(self.model.as_ref())
            .map(|(node, model)| model.rows[node]);
        self.selected = row.and_then(|row| model.find_row(row));
        self.model = Some(model);
        self.history.clear();
        self.history_at = 0;
    }

    /// The moves from the root to the selected node.
    pub fn moves_to_selected(&self) -> Option<Vec<String>> {
        let model = self.model.as_ref()?;
        let node = self.selected.filter(|&node| node < model.len())?;
        let path = model.path(node);
        Some(
            path[1..]
                .iter()
                .map(|&node| model.tree.move_name(model.row(node)).to_owned())
                .collect(),
        )
    }

    /// The camera, made to fit if there is none yet.
    pub fn look_through(&mut self, canvas: Canvas) -> Option<Camera> {
        let model = self.model.as_ref()?;
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
            Action::Reset => self.camera = None,
            Action::FitSelected => self.fit_selected(),
            Action::Zoom(factor, at) => {
                let canvas = self.canvas;
                let (x, y) = at.unwrap_or((canvas.width / 2.0, canvas.height / 2.0));
                if let Some(camera) = &mut self.camera {
                    camera.zoom_at(&canvas, factor, x, y);
                }
            }
            Action::Pan(dx, dy) => {
                if let Some(camera) = &mut self.camera {
                    camera.pan(dx, dy);
                }
            }
            Action::CentreOn(across, down) => {
                if let (Some(camera), Some(model)) = (&mut self.camera, &self.model) {
                    let (left, right) = model.extent;
                    camera.x = left + (right - left) * across;
                    camera.y = (model.depth() - 1) as f64 * down;
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
            Action::Save(path) => self.save(&path),
            Action::SwitchTheme => self.settings.dark = !self.settings.dark,
        }
    }

    fn open(&mut self, paths: &[PathBuf]) {
        let mut files = Vec::new();
        let mut directory = None;
        for path in paths {
            if path.is_dir() {
                match list(path) {
                    Ok(found) => {
                        files.extend(found);
                        directory = Some(path.clone());
                    }
                    Err(error) => {
                        return self.complain(format!("{}: {error}", path.display()));
                    }
                }
            } else if path.exists() {
                files.push(path.clone());
            } else {
                return self.complain(format!("{}: there is no such file", path.display()));
            }
        }
        self.watch = None;
        self.directory = None;
        if let ([_], Some(directory)) = (paths, directory) {
            match Watch::start(&directory, Arc::clone(&self.wake)) {
                Ok(watch) => self.watch = Some(watch),
                Err(error) => {
                    self.complain(format!("{} is not watched: {error}", directory.display()))
                }
            }
            self.directory = Some(directory);
        }
        for path in paths {
            self.settings.remember(path);
        }
        if files.is_empty() {
            self.say("there are no trees here yet; they are shown as they appear");
        }
        let many = files.len();
        self.sequence = Sequence::new(files);
        self.model = None;
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
        }
    }

    fn select(&mut self, node: Option<usize>) {
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
        }
        if !(margin..self.canvas.height - margin).contains(&at_y) {
            camera.y = depth;
        }
    }

    fn fold(&mut self) {
        let (Some(model), Some(node)) = (&self.model, self.selected) else {
            return;
        };
        let row = model.rows[node];
        let mut sift = self.sift.clone();
        match sift.collapsed.binary_search(&row) {
            Ok(at) => {
                sift.collapsed.remove(at);
            }
            Err(at) => sift.collapsed.insert(at, row),
        }
        self.set_sift(sift);
    }

    fn set_sift(&mut self, sift: Sift) {
        if sift == self.sift {
            return;
        }
        self.sift = sift;
        if let (Some(path), Some(whole)) = (&self.shown, &self.whole) {
            if self.sift.is_plain() {
                let whole = Arc::clone(whole);
                self.replace(whole);
            } else {
                self.loader
                    .sift(path.clone(), Arc::clone(whole), self.sift.clone());
            }
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
            model.tree.move_name(row).to_lowercase().contains(&text)
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

    fn save(&mut self, path: &Path) {
        use canopy_engine::tree::files::{Format, write_whole};
        let Some(whole) = self.whole.clone() else {
            return self.complain("there is no tree to save");
        };
        let extension = path
            .extension()
            .and_then(|name| name.to_str())
            .map(str::to_ascii_lowercase);
        let format = match extension.as_deref() {
            Some("tree") => Format::Tree,
            Some("csv") => Format::Csv,
            Some("png" | "svg") => {
                self.picture = Some(path.to_owned());
                return;
            }
            _ => {
                return self.complain(format!(
                    "{}: expected a name that ends in .tree, .csv, .png or .svg",
                    path.display()
                ));
            }
        };
        match write_whole(path, |out| format.write(&whole.tree, out)) {
            Ok(()) => self.say(format!("saved {}", path.display())),
            Err(error) => self.complain(format!("cannot write {}: {error}", path.display())),
        }
    }

    /// A picture was saved, or not.
    pub fn saved(&mut self, path: &Path, result: Result<(), String>) {
        match result {
            Ok(()) => self.say(format!("saved {}", path.display())),
            Err(error) => self.complain(format!("cannot write {}: {error}", path.display())),
        }
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
            "theme": if self.settings.dark { "dark" } else { "light" },
            "follow": self.follow,
            "directory": self.directory.as_ref().map(|path| path.display().to_string()),
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

fn find_by_moves(model: &Model, moves: &[String]) -> Option<usize> {
    let mut node = 0;
    for mv in moves {
        node = model
            .children_of(node)
            .find(|&child| model.tree.move_name(model.row(child)) == mv)?;
    }
    Some(node)
}
