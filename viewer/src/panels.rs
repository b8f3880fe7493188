//! What stands around the tree: the bar above it, the areas beside it, the line below it.

use std::path::PathBuf;

use egui::{
    Align, Align2, Button, Color32, Frame, Grid, Key, Layout, Margin, Modifiers, Panel,
    PointerButton, Rect, RichText, ScrollArea, Sense, Stroke, TextEdit, Ui, vec2,
};

use crate::{
    app::{Action, App, Way, name_of},
    board::{Board, Marks, Pictures, Replayed, Weight},
    controls::{self, Named as _},
    formula,
    model::{Decider, Model},
    scene::thousands,
    theme::Theme,
    timeline::TimelinePanel,
};

/// Trees of at least so many nodes have a map.
const MAP_FROM: usize = 2000;
/// How wide the board is that a node shows under the pointer, in points.
const CARD_BOARD: f32 = 120.0;
/// At most so many children of a node are marked on its board; no game has so many moves, but a file may say so.
const MOST_MOVES: usize = 1024;

/// Report 000's colours of the least and the most visited edges.
const REPORT_COLOURS: [[u8; 3]; 2] = [[0, 160, 60], [220, 30, 30]];
/// So many children are listed.
const MOST_CHILDREN: usize = 40;

/// The user interface's own state.
pub struct Panels {
    canvas: Rect,
    jump: String,
    find: String,
    dialog: Option<Dialog>,
    help: bool,
    hovered: Option<usize>,
    timeline: TimelinePanel,
    pictures: Pictures,
    /// Whether the field for a tree's number is to be typed into.
    wants_jump: bool,
}

impl Default for Panels {
    fn default() -> Self {
        Self {
            canvas: Rect::ZERO,
            jump: String::new(),
            find: String::new(),
            dialog: None,
            help: false,
            hovered: None,
            timeline: TimelinePanel::default(),
            pictures: Pictures::default(),
            wants_jump: false,
        }
    }
}

/// A question for a file.
struct Dialog {
    saves: bool,
    path: String,
    /// How many times as large as on the screen a picture is to be.
    scale: f64,
}

/// The keys, and what they do.
const KEYS: &[(&str, &str)] = &[
    ("← →", "previous and next tree"),
    (
        "shift + arrows, h j k l",
        "walk to sibling, child and parent",
    ),
    ("g", "go to the tree of a number"),
    ("+ −", "zoom"),
    ("Home", "see the whole tree"),
    ("f, double click", "see the selected subtree"),
    ("space", "fold and unfold the selected subtree"),
    ("[ ]", "back and forward through what was selected"),
    ("ctrl + f", "find a move or state"),
    ("ctrl + o", "open files or a folder"),
    ("ctrl + s", "save the tree or a picture"),
    ("ctrl + c", "copy the line to the selected node"),
    ("p", "let the tree grow, and stop it"),
    (", .", "one iteration back and on"),
    ("End", "the end of the search"),
    ("w", "follow new trees"),
    ("t", "light and dark"),
    ("1 2", "fold the left and the right area"),
    ("ctrl + q", "close the window"),
    ("?", "this list"),
];

impl Panels {
    /// Where the tree is drawn, in points.
    pub fn canvas(&self) -> Rect {
        self.canvas
    }

    /// Shows everything and does what is asked for.
    pub fn show(&mut self, app: &mut App, ui: &mut Ui) {
        let theme = app.theme();
        let mut actions = Vec::new();
        controls::clear(ui.ctx());
        self.keys(app, ui, &mut actions);
        let bar = Frame::new()
            .fill(theme.panel)
            .inner_margin(Margin::symmetric(12, 8));
        Panel::top("bar")
            .frame(bar)
            .show(ui, |ui| self.bar(app, ui, &theme, &mut actions));
        let line = Frame::new()
            .fill(theme.panel)
            .inner_margin(Margin::symmetric(12, 4));
        Panel::bottom("status")
            .frame(line)
            .show(ui, |ui| Self::status(app, ui, &theme));
        let side = Frame::new()
            .fill(theme.panel)
            .inner_margin(Margin::same(16));
        let has_tree = app.model.is_some();
        if has_tree && !app.settings.folded[0] {
            Panel::left("game")
                .frame(side)
                .exact_size(272.0)
                .show(ui, |ui| {
                    let pictures = &mut self.pictures;
                    ScrollArea::vertical().show(ui, |ui| game(pictures, app, ui, &theme));
                });
        }
        if has_tree && !app.settings.folded[1] {
            Panel::right("node")
                .frame(side)
                .exact_size(300.0)
                .show(ui, |ui| {
                    ScrollArea::vertical().show(ui, |ui| node(app, ui, &theme, &mut actions));
                });
        }
        if has_tree && app.timeline.reel.is_some() {
            let time = Frame::new()
                .fill(theme.panel)
                .inner_margin(Margin::symmetric(16, 12));
            Panel::bottom("time").frame(time).show(ui, |ui| {
                self.timeline.show(app, ui, &theme, &mut actions);
            });
        }
        let response = ui.allocate_response(ui.available_size(), Sense::click_and_drag());
        self.canvas = response.rect;
        if has_tree {
            self.on_canvas(app, ui, &response, &mut actions);
            self.over_canvas(app, ui, &theme, &mut actions);
        } else {
            self.start(app, ui, &theme, &mut actions);
        }
        self.dialogs(ui, &theme, &mut actions);
        let dropped: Vec<PathBuf> = ui.input(|input| {
            input
                .raw
                .dropped_files
                .iter()
                .map(|file| file.path().to_owned())
                .collect()
        });
        if !dropped.is_empty() {
            actions.push(Action::Open(dropped));
        }
        // What was drawn is out of date then.
        if !actions.is_empty() {
            ui.ctx().request_repaint();
        }
        for action in actions {
            app.act(action);
        }
    }

    fn keys(&mut self, app: &mut App, ui: &Ui, actions: &mut Vec<Action>) {
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        // A key may come several times in one frame.
        let count = |modifiers: Modifiers, key: Key| {
            ui.input_mut(|input| input.count_and_consume_key(modifiers, key))
        };
        let pressed = |modifiers: Modifiers, key: Key| count(modifiers, key) > 0;
        let none = Modifiers::NONE;
        for (key, way) in [
            (Key::ArrowUp, Way::Up),
            (Key::ArrowDown, Way::Down),
            (Key::ArrowLeft, Way::Left),
            (Key::ArrowRight, Way::Right),
        ] {
            let times = count(Modifiers::SHIFT, key);
            actions.extend(std::iter::repeat_n(Action::Walk(way), times));
        }
        for (key, action) in [
            (Key::ArrowLeft, Action::Step(-1)),
            (Key::ArrowRight, Action::Step(1)),
            (Key::H, Action::Walk(Way::Left)),
            (Key::J, Action::Walk(Way::Down)),
            (Key::K, Action::Walk(Way::Up)),
            (Key::L, Action::Walk(Way::Right)),
            (Key::Plus, Action::Zoom(1.25, None)),
            (Key::Equals, Action::Zoom(1.25, None)),
            (Key::Minus, Action::Zoom(0.8, None)),
            (Key::Home, Action::Reset),
            (Key::F, Action::FitSelected),
            (Key::Space, Action::Fold),
            (Key::OpenBracket, Action::History(-1)),
            (Key::CloseBracket, Action::History(1)),
            (Key::T, Action::SwitchTheme),
            (Key::P, Action::Play(!app.timeline.is_playing())),
            (Key::Comma, Action::StepIteration(-1)),
            (Key::Period, Action::StepIteration(1)),
            (Key::End, Action::ToEnd),
        ] {
            actions.extend(std::iter::repeat_n(action, count(none, key)));
        }
        if pressed(Modifiers::SHIFT, Key::Equals) || pressed(Modifiers::SHIFT, Key::Plus) {
            actions.push(Action::Zoom(1.25, None));
        }
        if pressed(none, Key::G) {
            self.wants_jump = true;
        }
        if pressed(none, Key::W) {
            actions.push(Action::Follow(!app.follow));
        }
        for (index, key) in [Key::Num1, Key::Num2].into_iter().enumerate() {
            if pressed(none, key) {
                app.settings.folded[index] ^= true;
            }
        }
        if pressed(Modifiers::SHIFT, Key::Questionmark)
            || pressed(none, Key::Questionmark)
            || pressed(Modifiers::SHIFT, Key::Slash)
        {
            self.help ^= true;
        }
        if pressed(none, Key::Escape) {
            self.help = false;
            app.message = None;
        }
        if pressed(Modifiers::COMMAND, Key::Q) {
            actions.push(Action::Quit);
        }
        if pressed(Modifiers::COMMAND, Key::O) {
            self.ask(app, false);
        }
        if pressed(Modifiers::COMMAND, Key::S) && app.model.is_some() {
            self.ask(app, true);
        }
        let copies = ui.input(|input| {
            input
                .events
                .iter()
                .any(|event| matches!(event, egui::Event::Copy))
        });
        if copies && let Some(moves) = app.moves_to_selected() {
            ui.ctx().copy_text(moves.join(" "));
            app.say("copied the line to the selected node");
        }
    }

    fn ask(&mut self, app: &App, saves: bool) {
        let path = if saves {
            let shown = app.shown.clone().unwrap_or_default();
            shown.with_extension("png").display().to_string()
        } else {
            let directory = app
                .directory
                .clone()
                .or_else(|| std::env::current_dir().ok());
            directory.unwrap_or_default().display().to_string()
        };
        self.dialog = Some(Dialog {
            saves,
            path,
            scale: 1.0,
        });
    }

    fn bar(&mut self, app: &mut App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            ui.label(theme.title("Canopy"));
            ui.add_space(8.0);
            if ui
                .button("Open…")
                .named("open")
                .on_hover_text("Files or a folder (ctrl + o)")
                .clicked()
            {
                self.ask(app, false);
            }
            ui.add_space(16.0);
            let (count, at) = (app.sequence.len(), app.sequence.at());
            let back = ui.add_enabled(count > 0 && at > 0, Button::new("‹"));
            if back
                .named("back")
                .on_hover_text("Previous tree (←)")
                .clicked()
            {
                actions.push(Action::Step(-1));
            }
            if count > 0 {
                ui.label(RichText::new(format!(
                    "Tree {} of {}",
                    thousands(at as u64 + 1),
                    thousands(count as u64)
                )));
            } else {
                ui.label(RichText::new("No tree").color(theme.dim));
            }
            let next = ui.add_enabled(at + 1 < count, Button::new("›"));
            if next.named("next").on_hover_text("Next tree (→)").clicked() {
                actions.push(Action::Step(1));
            }
            let field = ui.add_enabled(
                count > 0,
                TextEdit::singleline(&mut self.jump)
                    .desired_width(56.0)
                    .hint_text("go to"),
            );
            let field = field
                .named("jump")
                .on_hover_text("The number of a tree (g)");
            if std::mem::take(&mut self.wants_jump) {
                field.request_focus();
            }
            let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if is_entered && !self.jump.is_empty() {
                actions.push(Action::Jump(std::mem::take(&mut self.jump)));
            }
            if let Some(shown) = &app.shown {
                ui.label(RichText::new(name_of(shown)).color(theme.dim));
            }
            if app.directory.is_some() {
                let (text, colour) = if app.follow {
                    ("● Following", theme.good)
                } else {
                    ("○ Follow", theme.dim)
                };
                let button = ui.button(RichText::new(text).color(colour)).named("follow");
                if button
                    .on_hover_text("Show new trees as they appear (w)")
                    .clicked()
                {
                    actions.push(Action::Follow(!app.follow));
                }
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui
                    .button("?")
                    .named("help")
                    .on_hover_text("All keys (?)")
                    .clicked()
                {
                    self.help ^= true;
                }
                let theme_button = ui.button(if app.settings.dark { "Light" } else { "Dark" });
                if theme_button
                    .named("theme")
                    .on_hover_text("The other theme (t)")
                    .clicked()
                {
                    actions.push(Action::SwitchTheme);
                }
                let has_tree = app.model.is_some();
                let reset = ui.add_enabled(has_tree, Button::new("Reset view"));
                if reset
                    .named("reset")
                    .on_hover_text("See the whole tree (Home)")
                    .clicked()
                {
                    actions.push(Action::Reset);
                }
                let save = ui.add_enabled(has_tree, Button::new("Save…"));
                if save
                    .named("save")
                    .on_hover_text("As .tree, .csv, .png or .svg (ctrl + s)")
                    .clicked()
                {
                    self.ask(app, true);
                }
                let find = ui.add_enabled(
                    has_tree,
                    TextEdit::singleline(&mut self.find)
                        .desired_width(110.0)
                        .hint_text("find a move"),
                );
                let find = find
                    .named("find")
                    .on_hover_text("A move, or a part of a state (ctrl + f)");
                if ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::F)) {
                    find.request_focus();
                }
                if find.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
                    actions.push(Action::Find(self.find.clone()));
                    find.request_focus();
                }
            });
        });
    }

    fn status(app: &App, ui: &mut Ui, theme: &Theme) {
        ui.horizontal(|ui| {
            ui.set_min_height(18.0);
            match &app.message {
                Some(message) => {
                    let colour = if message.is_error {
                        theme.bad
                    } else {
                        theme.text
                    };
                    ui.label(RichText::new(&message.text).color(colour));
                }
                None => {
                    let hint = match &app.directory {
                        Some(directory) => format!("watching {}", directory.display()),
                        None => "? lists all keys".to_owned(),
                    };
                    ui.label(RichText::new(hint).color(theme.dim));
                }
            }
        });
    }

    /// What the pointer does to the tree.
    fn on_canvas(
        &mut self,
        app: &App,
        ui: &Ui,
        response: &egui::Response,
        actions: &mut Vec<Action>,
    ) {
        let scale = f64::from(ui.ctx().pixels_per_point());
        let place = |at: egui::Pos2| {
            let at = at - self.canvas.min;
            (f64::from(at.x) * scale, f64::from(at.y) * scale)
        };
        if response.dragged_by(PointerButton::Primary)
            || response.dragged_by(PointerButton::Secondary)
        {
            let by = response.drag_delta();
            actions.push(Action::Pan(
                f64::from(by.x) * scale,
                f64::from(by.y) * scale,
            ));
        }
        let pointer = response.hover_pos();
        if let Some(at) = pointer {
            let (wheel, pinch) =
                ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            let factor = f64::from((wheel * 0.005).exp() * pinch);
            if factor != 1.0 {
                actions.push(Action::Zoom(factor, Some(place(at))));
            }
        }
        if response.clicked()
            && let Some(at) = response.interact_pointer_pos()
        {
            let (x, y) = place(at);
            match self.on_map(app, at) {
                Some((across, down)) => actions.push(Action::CentreOn(across, down)),
                None => actions.push(Action::Click(x, y)),
            }
        }
        if response.double_clicked() {
            actions.push(Action::FitSelected);
        }
        self.hovered = pointer.filter(|_| !response.dragged()).and_then(|at| {
            let (x, y) = place(at);
            let (model, camera) = (app.model.as_ref()?, app.camera.as_ref()?);
            crate::scene::hit(model, camera, &app.canvas, x, y, None)
        });
        if let (Some(node), Some(model)) = (self.hovered, &app.model)
            && node < model.len()
        {
            let pictures = &mut self.pictures;
            response
                .clone()
                .on_hover_ui_at_pointer(|ui| card(pictures, model, node, ui, &app.theme()));
        }
    }

    /// The map in the corner, where there is one.
    fn map(&self, app: &App) -> Option<Rect> {
        app.model.as_ref().filter(|model| model.len() >= MAP_FROM)?;
        let size = vec2(176.0, 96.0);
        (self.canvas.width() > 500.0 && self.canvas.height() > 300.0)
            .then(|| Rect::from_min_size(self.canvas.max - size - vec2(16.0, 16.0), size))
    }

    /// Which place of the tree a point of the map means.
    fn on_map(&self, app: &App, at: egui::Pos2) -> Option<(f64, f64)> {
        let map = self.map(app)?;
        map.contains(at).then(|| {
            let part = (at - map.min) / map.size();
            (f64::from(part.x), f64::from(part.y))
        })
    }

    /// Chips, legend and map.
    fn over_canvas(&self, app: &mut App, ui: &Ui, theme: &Theme, _: &mut Vec<Action>) {
        let Some(model) = app.model.clone() else {
            return;
        };
        let painter = ui.painter_at(self.canvas);
        let font = egui::FontId::proportional(12.0);
        let mut x = self.canvas.left() + 16.0;
        for chip in chips(&model) {
            let text = painter.layout_no_wrap(chip, font.clone(), theme.text);
            let rect = Rect::from_min_size(
                egui::pos2(x, self.canvas.top() + 12.0),
                text.size() + vec2(16.0, 8.0),
            );
            painter.rect(
                rect,
                10.0,
                theme.card,
                Stroke::new(1.0, theme.line),
                egui::StrokeKind::Inside,
            );
            painter.galley(rect.min + vec2(8.0, 4.0), text, theme.text);
            x = rect.right() + 8.0;
        }
        legend(app, &model, &painter, self.canvas, theme);
        if let (Some(map), Some(camera)) = (self.map(app), &app.camera) {
            painter.rect(
                map,
                4.0,
                theme.card.gamma_multiply(0.9),
                Stroke::new(1.0, theme.line),
                egui::StrokeKind::Inside,
            );
            silhouette(&model, &painter, map, theme);
            let (left, right) = model.extent;
            let width = (right - left).max(1e-9);
            let depth = (model.depth() as f64 - 1.0).max(1.0);
            let part = |x: f64, y: f64| {
                egui::pos2(
                    map.left() + map.width() * (((x - left) / width).clamp(0.0, 1.0) as f32),
                    map.top() + map.height() * ((y / depth).clamp(0.0, 1.0) as f32),
                )
            };
            let (from_x, from_y) = camera.to_tree(&app.canvas, 0.0, 0.0);
            let (to_x, to_y) = camera.to_tree(&app.canvas, app.canvas.width, app.canvas.height);
            let view = Rect::from_two_pos(part(from_x, from_y), part(to_x, to_y));
            let view = Rect::from_center_size(view.center(), view.size().max(vec2(4.0, 4.0)));
            painter.rect_stroke(
                view,
                2.0,
                Stroke::new(1.5, theme.warm),
                egui::StrokeKind::Inside,
            );
        }
    }

    /// What is there before a tree is.
    fn start(&mut self, app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        let rect =
            Rect::from_center_size(self.canvas.center(), vec2(520.0, 520.0)).intersect(self.canvas);
        let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(rect));
        ui.vertical_centered(|ui| {
            if !app.sequence.is_empty() {
                ui.add_space(200.0);
                ui.label(RichText::new("reading the tree…").color(theme.dim));
                return;
            }
            ui.add_space(40.0);
            ui.label(theme.title("See how a search thinks"));
            ui.add_space(4.0);
            let hint = "Open a tree (.tree or .csv), several, or a folder that an engine writes to; or drop them here.";
            ui.label(RichText::new(hint).color(theme.dim));
            ui.add_space(16.0);
            if ui.button("Open files or a folder…").clicked() {
                self.ask(app, false);
            }
            ui.add_space(16.0);
            if !app.settings.recent.is_empty() {
                ui.label(theme.heading("Recent"));
                for path in &app.settings.recent {
                    let text = RichText::new(path.display().to_string()).color(theme.cool);
                    if ui.add(Button::new(text).frame(false)).clicked() {
                        actions.push(Action::Open(vec![path.clone()]));
                    }
                }
                ui.add_space(16.0);
            }
            ui.label(theme.heading("Keys"));
            keys_table(ui, theme);
        });
    }

    fn dialogs(&mut self, ui: &Ui, theme: &Theme, actions: &mut Vec<Action>) {
        if self.help {
            egui::Window::new("Keys")
                .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
                .collapsible(false)
                .resizable(false)
                .open(&mut self.help)
                .show(ui.ctx(), |ui| keys_table(ui, theme));
        }
        let Some(dialog) = &mut self.dialog else {
            return;
        };
        let mut is_open = true;
        let mut is_done = false;
        let title = if dialog.saves { "Save" } else { "Open" };
        egui::Window::new(title)
            .anchor(Align2::CENTER_TOP, vec2(0.0, 80.0))
            .collapsible(false)
            .resizable(false)
            .open(&mut is_open)
            .show(ui.ctx(), |ui| {
                ui.set_width(560.0);
                let hint = if dialog.saves {
                    "A name that ends in .tree, .csv, .png or .svg"
                } else {
                    "A tree file, or a folder"
                };
                ui.label(RichText::new(hint).color(theme.dim));
                let field =
                    ui.add(TextEdit::singleline(&mut dialog.path).desired_width(f32::INFINITY));
                let is_entered =
                    field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                field.request_focus();
                if dialog.saves {
                    ui.horizontal(|ui| {
                        ui.label(RichText::new("Size of a picture").color(theme.dim));
                        for scale in [1.0, 2.0, 4.0] {
                            let text = format!("{scale}×");
                            ui.selectable_value(&mut dialog.scale, scale, text);
                        }
                    });
                } else {
                    browse(dialog, ui, theme);
                }
                ui.horizontal(|ui| {
                    if (ui.button(title).clicked() || is_entered) && !dialog.path.is_empty() {
                        let path = PathBuf::from(dialog.path.trim());
                        actions.push(if dialog.saves {
                            Action::Save(path, dialog.scale)
                        } else {
                            Action::Open(vec![path])
                        });
                        is_done = true;
                    }
                    is_done |= ui.button("Cancel").clicked();
                });
            });
        if !is_open || is_done || ui.input(|input| input.key_pressed(Key::Escape)) {
            self.dialog = None;
        }
    }
}

/// What lies where the path points to.
fn browse(dialog: &mut Dialog, ui: &mut Ui, theme: &Theme) {
    let path = PathBuf::from(dialog.path.trim());
    let directory = if path.is_dir() {
        Some(path.as_path())
    } else {
        path.parent()
    };
    let Some(directory) = directory.map(std::path::Path::to_owned) else {
        return;
    };
    let mut names: Vec<(bool, PathBuf)> = std::fs::read_dir(&directory)
        .into_iter()
        .flatten()
        .flatten()
        .take(5000)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() || crate::sequence::is_tree(path))
        .filter(|path| !name_of(path).starts_with('.'))
        .map(|path| (!path.is_dir(), path))
        .collect();
    names.sort();
    ScrollArea::vertical()
        .max_height(240.0)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            if let Some(above) = directory.parent()
                && ui.add(Button::new("↑ ..").frame(false)).clicked()
            {
                dialog.path = above.display().to_string();
            }
            for (is_file, path) in names {
                let name = name_of(&path);
                let text = if is_file {
                    RichText::new(name)
                } else {
                    RichText::new(format!("{name}/")).color(theme.cool)
                };
                if ui.add(Button::new(text).frame(false)).clicked() {
                    dialog.path = path.display().to_string();
                }
            }
        });
}

fn keys_table(ui: &mut Ui, theme: &Theme) {
    Grid::new("keys")
        .num_columns(2)
        .spacing(vec2(16.0, 4.0))
        .show(ui, |ui| {
            for (key, what) in KEYS {
                ui.label(theme.strong(*key));
                ui.label(RichText::new(*what).color(theme.dim));
                ui.end_row();
            }
        });
}

fn chips(model: &Model) -> Vec<String> {
    let mut chips = Vec::new();
    if let Some(meta) = &model.meta {
        if !meta.game.is_empty() {
            chips.push(meta.game.clone());
        }
        let constant = meta.parameters.get("exploration");
        chips.push(match constant {
            Some(constant) => format!("{} · C {constant}", meta.search),
            None => meta.search.clone(),
        });
        if meta.iterations > 0 {
            chips.push(format!("{} iterations", thousands(meta.iterations)));
        }
    }
    let nodes = thousands(model.len() as u64);
    chips.push(format!("{nodes} nodes · depth {}", model.depth() - 1));
    if model.hidden > 0 {
        chips.push(format!("{} hidden", thousands(u64::from(model.hidden))));
    }
    if model.left_out > 0 {
        chips.push(format!("{} more in the search", thousands(model.left_out)));
    }
    chips
}

/// Which colour means what.
fn legend(app: &App, model: &Model, painter: &egui::Painter, canvas: Rect, theme: &Theme) {
    let settings = &app.settings;
    let (name, least, most) = match settings.measure.as_str() {
        "mean" => {
            let (least, most) = model.mean_range;
            ("mean", format!("{least:.2}"), format!("{most:.2}"))
        }
        other => {
            let (least, most) = if other == "second" {
                model.second_range
            } else {
                model.visit_range
            };
            let text = |number: i32| thousands(u64::from(number.min(i32::MAX - 1).unsigned_abs()));
            (
                if other == "second" {
                    "visits in this search"
                } else {
                    "visits"
                },
                text(least),
                text(most),
            )
        }
    };
    let font = egui::FontId::proportional(12.0);
    let at = egui::pos2(canvas.left() + 16.0, canvas.bottom() - 20.0);
    let text = painter.text(at, Align2::LEFT_CENTER, name, font.clone(), theme.dim);
    let bar = Rect::from_min_size(egui::pos2(text.right() + 8.0, at.y - 3.0), vec2(130.0, 6.0));
    for step in 0..65 {
        let heat = step as f32 / 64.0;
        let [red, green, blue] = crate::raster::shade(theme, heat);
        let left = bar.left() + bar.width() * heat * 0.985;
        let part = Rect::from_min_max(
            egui::pos2(left, bar.top()),
            egui::pos2(left + 3.0, bar.bottom()),
        );
        painter.rect_filled(part, 0.0, Color32::from_rgb(red, green, blue));
    }
    let how = match (settings.measure.as_str(), settings.logarithmic) {
        ("mean", _) => "",
        (_, true) => " log",
        _ => " linear",
    };
    let range = if settings.per_layer {
        "per level"
    } else {
        "whole tree"
    };
    let text = format!("{least} … {most}{how}, {range}");
    painter.text(
        egui::pos2(bar.right() + 8.0, at.y),
        Align2::LEFT_CENTER,
        text,
        font,
        theme.dim,
    );
}

/// The shape of the whole tree: for every layer how far it reaches.
fn silhouette(model: &Model, painter: &egui::Painter, map: Rect, theme: &Theme) {
    let (left, right) = model.extent;
    let width = (right - left).max(1e-9);
    let depth = model.depth();
    let rows = depth.min(map.height() as usize);
    let colour = theme.edge_least.gamma_multiply(0.8);
    for row in 0..rows {
        let layer = model.layer(row * depth / rows.max(1));
        let xs = &model.x[layer];
        let y = map.top() + map.height() * (row as f32 + 0.5) / rows as f32;
        // Stretches without a gap of more than a pixel or two.
        let columns = 88;
        let mut begin: Option<usize> = None;
        for column in 0..=columns {
            let from = left + width * f64::from(column) / f64::from(columns);
            let to = left + width * f64::from(column + 1) / f64::from(columns);
            let first = xs.partition_point(|&x| x < from);
            let is_full = column < columns && xs.get(first).is_some_and(|&x| x < to);
            match (begin, is_full) {
                (None, true) => begin = Some(column as usize),
                (Some(start), false) => {
                    let part =
                        |column: usize| map.left() + map.width() * column as f32 / columns as f32;
                    let rect = Rect::from_min_max(
                        egui::pos2(part(start), y - map.height() / rows as f32 / 2.0),
                        egui::pos2(part(column as usize), y + map.height() / rows as f32 / 2.0),
                    );
                    painter.rect_filled(rect, 0.0, colour);
                    begin = None;
                }
                _ => {}
            }
        }
    }
}

fn who(decider: Decider) -> &'static str {
    match decider {
        Decider::First => "the first player decides here",
        Decider::Second => "the second player decides here",
        Decider::FirstWins => "the first player has won",
        Decider::SecondWins => "the second player has won",
        Decider::Draw => "drawn",
    }
}

fn move_of(model: &Model, node: usize) -> String {
    let name = model.move_text(node);
    if node == 0 {
        "root".to_owned()
    } else if name.is_empty() {
        "no name".to_owned()
    } else {
        name.chars()
            .filter(|symbol| !symbol.is_control())
            .take(60)
            .collect()
    }
}

/// A few words about a node under the pointer.
fn card(pictures: &mut Pictures, model: &Model, node: usize, ui: &mut Ui, theme: &Theme) {
    let figures = model.node(node);
    ui.label(theme.strong(move_of(model, node)));
    let visits = thousands(u64::from(figures.visits.unsigned_abs()));
    let text = if figures.visits > 0 {
        format!("{visits} visits, mean {:.4}", figures.mean)
    } else {
        "never visited".to_owned()
    };
    ui.label(RichText::new(text).color(theme.dim));
    ui.label(RichText::new(who(model.deciders[node])).color(theme.dim));
    if let Ok((replayed, marks)) = board_of(model, node) {
        ui.add_space(4.0);
        let wide = (CARD_BOARD, Sense::hover());
        pictures.show(ui, &replayed.board, &marks, wide, theme);
    }
}

fn figure(ui: &mut Ui, theme: &Theme, name: &str, value: impl Into<String>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(theme.dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(theme.strong(value.into()));
        });
    });
}

/// The area on the right: the selected node, and why the search prefers a child.
fn node(app: &mut App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let Some(model) = app.model.clone() else {
        return;
    };
    let node = app.selected.filter(|&node| node < model.len()).unwrap_or(0);
    let figures = model.node(node);
    ui.label(theme.heading("Node"));
    let title = if node == 0 {
        "root".to_owned()
    } else {
        let parent = model.parents[node] as usize;
        format!("{} → {}", move_of(&model, parent), move_of(&model, node))
    };
    ui.label(theme.title(title));
    ui.label(RichText::new(who(model.deciders[node])).color(theme.dim));
    ui.add_space(8.0);
    let number = |number: i32| thousands(u64::from(number.unsigned_abs()));
    figure(ui, theme, "Visits", number(figures.visits));
    figure(ui, theme, "Visits in this search", number(figures.second));
    let has_data = figures.visits > 0;
    let mean = if has_data {
        format!("{:.4}", figures.mean)
    } else {
        "no data".to_owned()
    };
    figure(ui, theme, "Mean", mean);
    let sum = figures.mean * f64::from(figures.visits);
    figure(
        ui,
        theme,
        "Sum",
        if has_data {
            format!("{sum:.1}")
        } else {
            "no data".to_owned()
        },
    );
    figure(
        ui,
        theme,
        "Children",
        thousands(u64::from(figures.children)),
    );
    figure(ui, theme, "Depth", model.depth_of(node).to_string());
    figure(
        ui,
        theme,
        "Node id",
        thousands(u64::from(model.rows[node]) + 1),
    );
    let state = model.tree.state(model.row(node));
    let state: String = state
        .chars()
        .filter(|symbol| !symbol.is_control())
        .take(200)
        .collect();
    ui.label(
        RichText::new(if state.is_empty() { "no state" } else { &state })
            .color(theme.dim)
            .small(),
    );
    if !model.children_of(node).is_empty() {
        ui.add_space(12.0);
        children(&model, node, ui, theme, actions);
    }
    ui.add_space(12.0);
    colours(app, ui, theme);
    ui.add_space(12.0);
    sieve(app, ui, theme, actions);
}

/// The children with the terms of the formula that chooses among them.
fn children(model: &Model, node: usize, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.label(theme.heading("Why this child"));
    let why = formula::why(model, node);
    let most = (why.rows.first()).map_or(1, |row| model.node(row.child).visits.max(1));
    Grid::new("children")
        .num_columns(5)
        .striped(true)
        .spacing(vec2(12.0, 4.0))
        .show(ui, |ui| {
            for heading in ["move", "visits", "mean", "+ explore", "= score"] {
                ui.label(RichText::new(heading).color(theme.dim).small());
            }
            ui.end_row();
            for terms in why.rows.iter().take(MOST_CHILDREN) {
                let child = terms.child;
                let figures = model.node(child);
                let name = theme.strong(move_of(model, child));
                let is_next = why.next == Some(child);
                let name = if is_next {
                    name.color(theme.cool)
                } else {
                    name
                };
                if ui
                    .add(Button::new(name).frame(false))
                    .on_hover_text("Select it")
                    .clicked()
                {
                    actions.push(Action::Select(Some(child)));
                }
                let (rect, _) = ui.allocate_exact_size(vec2(64.0, 16.0), Sense::hover());
                let part = figures.visits as f32 / most as f32;
                let bar = Rect::from_min_size(
                    rect.min,
                    vec2(rect.width() * part.clamp(0.0, 1.0), rect.height()),
                );
                ui.painter()
                    .rect_filled(bar, 2.0, theme.warm.gamma_multiply(0.45));
                let text = thousands(u64::from(figures.visits.unsigned_abs()));
                let font = egui::FontId::proportional(12.0);
                ui.painter().text(
                    rect.right_center(),
                    Align2::RIGHT_CENTER,
                    text,
                    font,
                    theme.text,
                );
                let term = |value: Option<f64>| {
                    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
                };
                ui.label(term(terms.mean));
                ui.label(RichText::new(term(terms.explore)).color(theme.dim));
                ui.label(term(terms.score()));
                ui.end_row();
            }
        });
    if why.rows.len() > MOST_CHILDREN {
        let more = thousands((why.rows.len() - MOST_CHILDREN) as u64);
        ui.label(RichText::new(format!("and {more} more")).color(theme.dim));
    }
    ui.label(RichText::new(why.text).color(theme.dim).small());
}

fn colours(app: &mut App, ui: &mut Ui, theme: &Theme) {
    ui.label(theme.heading("Colour"));
    let settings = &mut app.settings;
    ui.horizontal(|ui| {
        for (name, text) in [
            ("visits", "visits"),
            ("second", "this search"),
            ("mean", "mean"),
        ] {
            let chosen = settings.measure == name;
            let measure = ui
                .selectable_label(chosen, text)
                .named(&format!("colour by {name}"));
            if measure.clicked() {
                settings.measure = name.to_owned();
            }
        }
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut settings.logarithmic, "logarithmic")
            .named("logarithmic");
        ui.checkbox(&mut settings.per_layer, "per level")
            .named("per level");
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut settings.by_size, "size by visits");
        ui.checkbox(&mut settings.labels, "labels");
    });
    let mut colours = [theme.edge_least, theme.edge_most];
    let before = colours;
    for (colour, name) in colours.iter_mut().zip(["Least visited", "Most visited"]) {
        ui.horizontal(|ui| {
            ui.label(RichText::new(name).color(theme.dim));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.color_edit_button_srgba(colour).named(name);
            });
        });
    }
    if colours != before {
        settings.edge_colours = Some(colours.map(|colour| [colour.r(), colour.g(), colour.b()]));
    }
    ui.horizontal(|ui| {
        let own = ui.selectable_label(settings.edge_colours.is_none(), "the theme's");
        if own.named("theme colours").clicked() {
            settings.edge_colours = None;
        }
        let is_old = settings.edge_colours == Some(REPORT_COLOURS);
        let old = ui.selectable_label(is_old, "green and red");
        let old = old.named("green and red");
        if old
            .on_hover_text("As report 000 draws its trees: linear, over the whole tree")
            .clicked()
        {
            settings.edge_colours = Some(REPORT_COLOURS);
            settings.logarithmic = false;
            settings.per_layer = false;
        }
    });
}

fn sieve(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.label(theme.heading("Show"));
    let mut sift = app.sift.clone();
    ui.checkbox(&mut sift.by_visits, "most visited on the left")
        .named("by visits");
    ui.checkbox(&mut sift.whole_turns, "whole turns as one edge")
        .named("whole turns")
        .on_hover_text("Moves that one player makes in a row, as in kalah");
    ui.horizontal(|ui| {
        ui.label(RichText::new("at least so many visits").color(theme.dim));
        ui.add(egui::DragValue::new(&mut sift.least_visits).speed(1.0));
    });
    ui.horizontal(|ui| {
        ui.label(RichText::new("only the best children").color(theme.dim));
        let mut best = sift.best.unwrap_or(0);
        ui.add(egui::DragValue::new(&mut best).range(0..=1000))
            .on_hover_text("0 for all");
        sift.best = (best > 0).then_some(best);
    });
    if !sift.is_plain() && ui.button("Show everything").clicked() {
        sift = crate::model::Sift::default();
    }
    if sift != app.sift {
        actions.push(Action::Sift(sift));
    }
}

/// The area on the left: the game, and the search.
fn game(pictures: &mut Pictures, app: &App, ui: &mut Ui, theme: &Theme) {
    let Some(model) = &app.model else { return };
    let Some(meta) = &model.meta else {
        ui.label(theme.heading("Tree"));
        ui.label(
            RichText::new("Nothing stands beside this file: neither game nor search is known.")
                .color(theme.dim),
        );
        return;
    };
    ui.label(theme.title(if meta.game.is_empty() {
        "unknown game"
    } else {
        &meta.game
    }));
    ui.label(RichText::new(&meta.search).color(theme.dim));
    ui.add_space(8.0);
    let moves = app.moves_to_selected().unwrap_or_default();
    let node = app.selected.filter(|&node| node < model.len()).unwrap_or(0);
    match board_of(model, node) {
        Ok((replayed, marks)) => {
            let wide = (ui.available_width(), Sense::hover());
            pictures.show(ui, &replayed.board, &marks, wide, theme);
            turn(ui, &replayed, theme);
        }
        Err(why) => {
            let text = RichText::new("the position cannot be shown").color(theme.dim);
            ui.label(text).on_hover_text(why);
        }
    }
    ui.add_space(12.0);
    if !moves.is_empty() {
        ui.label(theme.heading("Line"));
        ui.label(moves.join(" "));
        ui.add_space(12.0);
    }
    ui.label(theme.heading("Search"));
    figure(ui, theme, "Iterations", thousands(meta.iterations));
    figure(
        ui,
        theme,
        "Time",
        format!("{} ms", thousands(meta.milliseconds)),
    );
    figure(ui, theme, "Seed", meta.seed.to_string());
    figure(ui, theme, "Threads", meta.threads.to_string());
    if let Some(chosen) = &meta.chosen {
        figure(ui, theme, "Chosen", chosen.clone());
    } else {
        figure(ui, theme, "Chosen", "still searching");
    }
    for (name, value) in &meta.parameters {
        ui.label(
            RichText::new(format!("{name} {value}"))
                .color(theme.dim)
                .small(),
        );
    }
}

/// The board of a node, with what lies over it; an error says why there is none.
fn board_of(model: &Model, node: usize) -> Result<(Replayed, Marks), String> {
    let meta = model.meta.as_ref().ok_or("the game is not known")?;
    let name = |&node: &usize| model.tree.move_name(model.row(node)).to_owned();
    let moves: Vec<String> = model.path(node).iter().skip(1).map(name).collect();
    let replayed = Board::replay(&meta.game, &meta.position, &moves)?;
    let visits = |child: usize| model.node(child).visits.max(0) as f32;
    let children = model.children_of(node);
    let children = children.start..children.end.min(children.start + MOST_MOVES);
    let total: f32 = children.clone().map(visits).sum();
    let most = (children.clone().map(visits).enumerate())
        // The first of those with the most.
        .min_by(|(_, one), (_, other)| other.total_cmp(one))
        .map(|(index, _)| index);
    let marks = Marks {
        last: (replayed.last.as_ref()).map_or_else(Vec::new, |last| last.places.clone()),
        moves: children
            .map(|child| Weight {
                mv: name(&child),
                share: visits(child) / total.max(1.0),
            })
            .collect(),
        chosen: most.filter(|_| total > 0.0),
        ..Marks::default()
    };
    Ok((replayed, marks))
}

/// Whose turn it is, with a disc of that player's colour, and the score on the right.
fn turn(ui: &mut Ui, replayed: &Replayed, theme: &Theme) {
    ui.horizontal(|ui| {
        if let Some(player) = replayed.to_move {
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 16.0), Sense::hover());
            let tone = replayed.board.tone(player, theme);
            let stroke = Stroke::new(1.0, theme.dim);
            ui.painter().circle(rect.center(), 5.0, tone.fill, stroke);
        }
        ui.label(RichText::new(&replayed.turn).color(theme.text));
        if let Some([first, second]) = replayed.score {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let score = format!("{first} – {second} {}", replayed.board.counted());
                ui.label(RichText::new(score).color(theme.dim));
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{Builder, Row, meta::Meta};

    use super::*;
    use crate::{board::Place, model::Source};

    /// A tree of connect four: the root, its two children, and a child of the first.
    fn model(game: &str, rows: [(&str, i32, u32); 4]) -> Model {
        let mut builder = Builder::default();
        for (move_name, visits, children) in rows {
            let row = Row {
                move_name,
                visits,
                children,
                ..Row::default()
            };
            builder.push(&row).unwrap();
        }
        let meta = Meta {
            game: game.to_owned(),
            ..Meta::default()
        };
        let tree = builder.finish().unwrap();
        Model::new(Source {
            meta: Some(Arc::new(meta)),
            ..Source::of(tree)
        })
    }

    #[test]
    fn the_board_of_a_node_shows_its_children_and_how_it_was_reached() {
        let model = model(
            "connect-four",
            [("", 40, 2), ("4", 30, 1), ("4", 29, 0), ("1", 10, 0)],
        );
        let (root, marks) = board_of(&model, 0).unwrap();
        assert_eq!((root.turn.as_str(), root.last), ("X to move", None));
        let shares: Vec<(&str, f32)> = (marks.moves.iter())
            .map(|weight| (weight.mv.as_str(), weight.share))
            .collect();
        assert_eq!(shares, [("4", 0.75), ("1", 0.25)]);
        assert_eq!(marks.chosen, Some(0));
        let (leaf, marks) = board_of(&model, 3).unwrap();
        assert_eq!(leaf.turn, "X to move");
        assert_eq!(marks.last, [Place::Square { column: 3, row: 1 }]);
        assert_eq!((marks.moves.len(), marks.chosen), (0, None));
    }

    #[test]
    fn a_node_that_no_game_explains_has_no_board() {
        let rows = [("", 4, 2), ("x", 0, 1), ("y", -1, 0), ("z", 3, 0)];
        assert!(board_of(&model("chess", rows), 0).is_ok());
        assert!(board_of(&model("chess", rows), 1).is_err());
        assert!(board_of(&model("go", rows), 0).is_err());
    }
}
