//! What stands around the tree: the bar above it, the areas beside it, the line below it.

use std::path::PathBuf;

use canopy_engine::games::notation::visible;
use egui::{
    Align, Frame, Key, Layout, Margin, Modifiers, Panel, Rect, RichText, ScrollArea, Sense, Ui,
};

use crate::{
    app::{Action, App, Copied, Deed, Way},
    board::Pictures,
    controls,
    model::Model,
    theme::Theme,
};
use canvas::Silhouette;
use dialogs::Dialog;
use game::GamePanel;
use glance::Glance;
use match_score::MoveList;
use play::{Around, PlayPanel};
use timeline::TimelinePanel;

mod bar;
mod canvas;
mod dialogs;
mod form;
mod game;
mod glance;
mod match_score;
mod node;
mod play;
mod seat;
mod start;
mod timeline;

/// The user interface's own state.
pub struct Panels {
    canvas: Rect,
    jump: String,
    find: String,
    dialog: Option<Dialog>,
    help: bool,
    /// What there is to say of the selected node, and of the one under the pointer.
    selected: Option<Glance>,
    hovered: Option<Glance>,
    silhouette: Option<Silhouette>,
    timeline: TimelinePanel,
    moves: MoveList,
    play: PlayPanel,
    pictures: Pictures,
    /// What would end a game that is not over, until somebody says whether to do it.
    leaving: Option<Action>,
    /// Whether the field for a tree's number is to be typed into.
    wants_jump: bool,
    /// Whether all parameters of a side's search are listed on the start screen.
    lists_parameters: [bool; 2],
}

impl Default for Panels {
    fn default() -> Self {
        Self {
            canvas: Rect::ZERO,
            jump: String::new(),
            find: String::new(),
            dialog: None,
            help: false,
            selected: None,
            hovered: None,
            silhouette: None,
            timeline: TimelinePanel::default(),
            moves: MoveList::default(),
            play: PlayPanel::default(),
            pictures: Pictures::default(),
            leaving: None,
            wants_jump: false,
            lists_parameters: [false, false],
        }
    }
}

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
        let has_tree = app.model.is_some();
        if !has_tree {
            (self.selected, self.hovered, self.silhouette) = (None, None, None);
        }
        self.sides(app, ui, &theme, &mut actions);
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
            self.over_canvas(app, ui, &theme);
        } else {
            self.start(app, ui, &theme, &mut actions);
        }
        let canvas = self.canvas;
        if let Some(saves) = self.play.take_wish() {
            self.ask_for_game(app, saves);
        }
        self.play.overlay(app, ui, canvas, &theme, &mut actions);
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
        self.leaving(app, ui, &theme, &mut actions);
        for action in actions {
            app.act(action);
        }
        if let Some(text) = app.copied.take() {
            ui.ctx().copy_text(text);
        }
    }

    /// The areas beside the tree.
    fn sides(&mut self, app: &mut App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        let node = app.node();
        let model = app.model.clone();
        let glance = (model.as_ref()).map(|model| Glance::at(&mut self.selected, model, node));
        let side = Frame::new().fill(theme.panel);
        // Where no game is known there is nothing to say on the left.
        let has_game = model.as_ref().is_some_and(|model| model.meta.is_some());
        if app.playing.is_some() {
            let mut around = Around {
                pictures: &mut self.pictures,
                moves: &mut self.moves,
            };
            let play = &mut self.play;
            Panel::left("play")
                .frame(side)
                .exact_size(PlayPanel::width(ui.available_width()))
                .show(ui, |ui| {
                    let game = app.playing.as_ref().map(|playing| playing.directory.path());
                    ui.push_id(game, |ui| {
                        scrolled(ui, |ui| play.show(&mut around, app, ui, theme, actions));
                    });
                });
        } else if (has_game || app.standing().is_some()) && !app.settings.folded[0] {
            let mut game = GamePanel {
                pictures: &mut self.pictures,
                moves: &mut self.moves,
                glance,
            };
            Panel::left("game")
                .frame(side)
                .exact_size(272.0)
                .show(ui, |ui| {
                    scrolled(ui, |ui| game.show(app, ui, theme, actions))
                });
        }
        // A tree that could not be seen needs no explanation.
        let has_room = ui.available_width() >= ROOM_FOR_NODE;
        if let Some(glance) = glance.filter(|_| has_room && !app.settings.folded[1]) {
            Panel::right("node")
                .frame(side)
                .exact_size(300.0)
                .show(ui, |ui| {
                    scrolled(ui, |ui| node::show(glance, app, ui, theme, actions));
                });
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
            (Key::C, Action::Copy(Copied::Position)),
            (Key::X, Action::Copy(Copied::Figures)),
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
        if app.playing.is_some() {
            for (key, deed) in [
                (Key::U, Deed::Undo),
                (Key::N, Deed::Next),
                (Key::PageUp, Deed::Step(-1)),
                (Key::PageDown, Deed::Step(1)),
            ] {
                let times = count(none, key);
                actions.extend(std::iter::repeat_n(Action::Deed(deed), times));
            }
            if let Some(playing) = app.playing.as_ref().filter(|_| pressed(none, Key::B)) {
                actions.push(Action::Deed(Deed::Pause(!playing.is_paused)));
            }
            if pressed(none, Key::M) {
                self.play.type_move();
            }
        }
        if pressed(none, Key::G) {
            self.wants_jump = true;
        }
        if pressed(none, Key::W) {
            actions.push(Action::Follow(!app.follow));
        }
        for (index, key) in [Key::Num1, Key::Num2].into_iter().enumerate() {
            // A move that is typed too early folds nothing.
            let is_thinking = (app.playing.as_ref()).is_some_and(|game| game.thinking.is_some());
            if pressed(none, key) && !is_thinking {
                app.settings.folded[index] ^= true;
            }
        }
        if pressed(Modifiers::SHIFT, Key::Questionmark)
            || pressed(none, Key::Questionmark)
            || pressed(Modifiers::SHIFT, Key::Slash)
        {
            self.help ^= true;
        }
        // Lists that are open heed it, too.
        if ui.input(|input| input.key_pressed(Key::Escape)) {
            (self.help, self.dialog, self.leaving) = (false, None, None);
            app.message = None;
            if app.playing.is_some() {
                actions.push(Action::Deed(Deed::LetGo));
            }
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
        if copies {
            actions.push(Action::Copy(Copied::Line));
        }
    }
}

/// The move into a node, for people.
fn move_of(model: &Model, node: usize) -> String {
    if node == 0 {
        "root".to_owned()
    } else {
        printed_move(&model.move_text(node))
    }
}

/// The name of a move as it is shown.
fn printed_move(name: &str) -> String {
    if name.is_empty() {
        "no name".to_owned()
    } else {
        visible(name).chars().take(60).collect()
    }
}

/// A figure with its name.
fn figure(ui: &mut Ui, theme: &Theme, name: &str, value: impl Into<String>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(theme.dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(theme.strong(value.into()));
        });
    });
}

/// The area on the right is there where so much is left for it and the tree, in points.
const ROOM_FOR_NODE: f32 = 480.0;

/// What stands in an area beside the tree: scrolled where it is too long, with the bar in the margin.
fn scrolled(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical()
        .auto_shrink(false)
        .show(ui, |ui| Frame::new().inner_margin(16).show(ui, content));
}
