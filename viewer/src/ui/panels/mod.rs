//! The panels around the tree: top bar, side panels, timeline.

use std::path::PathBuf;

use canopy_engine::{
    games::{self, notation::escape_invisible},
    tree::columns::{Column, ColumnValues},
};
use egui::{
    Align, Frame, Key, Layout, Margin, Modifiers, Panel, Popup, Rect, Response, RichText,
    ScrollArea, Sense, Ui, vec2,
};

use crate::{
    app::{Action, App, CopyTarget, Direction, GameAction},
    board::BoardTextures,
    draw::theme::Theme,
    settings::{PANEL_WIDTHS, ViewerSettings},
    tree::{model::TreeModel, title::middle_ellipsis},
    ui::controls,
};
use child_table::ChildTableState;
use dialogs::FileDialog;
use game::GamePanel;
use match_score::MoveList;
use minimap::Minimap;
use node_details::NodeDetails;
use play::{PlayPanel, PlayPanelResources};
use rules::RulesPage;
use settings_window::SettingsWindow;
use start_screen::StartScreen;
use timeline::TimelinePanel;

mod canvas;
mod child_table;
mod chips;
mod dialogs;
mod elide;
mod engine_form;
mod form;
mod game;
mod legend;
mod look_options;
mod match_score;
mod minimap;
mod node;
mod node_details;
mod pinned_path;
mod play;
mod rules;
mod settings_window;
mod start_screen;
mod timeline;
mod top_bar;

/// The user interface's own state.
pub struct Panels {
    canvas: Rect,
    jump_text: String,
    find_text: String,
    dialog: Option<FileDialog>,
    settings_window: Option<SettingsWindow>,
    is_help_open: bool,
    /// Details of the selected node, and of the one under the pointer.
    selected_details: Option<NodeDetails>,
    hovered_details: Option<NodeDetails>,
    child_table: ChildTableState,
    minimap: Minimap,
    /// What lies over the tree, in points.
    overlays: Vec<Rect>,
    timeline: TimelinePanel,
    move_list: MoveList,
    play: PlayPanel,
    board_textures: BoardTextures,
    /// An action that would end an unfinished game, until the user confirms it.
    pending_leave: Option<Action>,
    /// Whether the field for a tree's number takes the keyboard focus.
    focuses_jump_field: bool,
    /// Whether all parameters of a side's search are listed on the start screen.
    expands_parameters: [bool; 2],
    start: StartScreen,
    rules: RulesPage,
    /// Whether a text was being typed in the last frame: Escape then leaves its field and nothing else.
    was_typing: bool,
}

impl Default for Panels {
    fn default() -> Self {
        Self {
            canvas: Rect::ZERO,
            jump_text: String::new(),
            find_text: String::new(),
            dialog: None,
            settings_window: None,
            is_help_open: false,
            selected_details: None,
            hovered_details: None,
            child_table: ChildTableState::default(),
            minimap: Minimap::default(),
            overlays: Vec::new(),
            timeline: TimelinePanel::default(),
            move_list: MoveList::default(),
            play: PlayPanel::default(),
            board_textures: BoardTextures::default(),
            pending_leave: None,
            focuses_jump_field: false,
            expands_parameters: [false, false],
            start: StartScreen::default(),
            rules: RulesPage::default(),
            was_typing: false,
        }
    }
}

impl Panels {
    /// Where the tree is drawn, in points.
    pub fn canvas(&self) -> Rect {
        self.canvas
    }

    /// Shows all panels and performs the requested actions.
    pub fn show(&mut self, app: &mut App, ui: &mut Ui) {
        let theme = app.theme();
        let mut actions = Vec::new();
        controls::clear(ui.ctx());
        self.handle_keys(app, ui, &mut actions);
        let bar = Frame::new()
            .fill(theme.panel)
            .inner_margin(Margin::symmetric(12, 8));
        Panel::top("bar")
            .frame(bar)
            .show(ui, |ui| self.show_bar(app, ui, &theme, &mut actions));
        let line = Frame::new()
            .fill(theme.panel)
            .inner_margin(Margin::symmetric(12, 4));
        Panel::bottom("status")
            .frame(line)
            .show(ui, |ui| Self::show_status(app, ui, &theme));
        let has_tree = app.document.model.is_some();
        if !has_tree {
            (self.selected_details, self.hovered_details) = (None, None);
            self.minimap.clear();
        }
        self.show_side_panels(app, ui, &theme, &mut actions);
        if has_tree && app.document.timeline.status.is_some() {
            let time = Frame::new()
                .fill(theme.panel)
                .inner_margin(Margin::symmetric(16, 12));
            Panel::bottom("time").frame(time).show(ui, |ui| {
                self.timeline.show(app, ui, &theme, &mut actions);
            });
        }
        let names = (self.selected_details.as_ref()).map(|details| details.players);
        legend::show(app, names, ui, &theme);
        let (id, area) = ui.allocate_space(ui.available_size());
        self.canvas = area;
        // The edges of the panels beside it are dragged from either side.
        let grabbed = area.shrink2(vec2(PANEL_GRAB_WIDTH, 0.0));
        let response = ui.interact(grabbed, id, Sense::click_and_drag());
        if has_tree {
            self.handle_pointer(app, ui, &response, &mut actions);
            self.show_canvas_overlays(app, ui, &theme, &mut actions);
        } else {
            self.show_start_screen(app, ui, &theme, &mut actions);
        }
        let canvas = self.canvas;
        if let Some(saves) = self.play.take_file_request() {
            self.open_game_dialog(app, saves);
        }
        if self.play.take_rules_request() {
            self.open_rules(app);
        }
        self.play
            .show_game_over(app, ui, canvas, &theme, &mut actions);
        self.show_dialogs(ui, &theme, &mut actions);
        if let Some(settings) = &mut self.settings_window
            && !settings.show(app, ui, &theme, &mut actions)
        {
            self.settings_window = None;
        }
        if self.rules.show(&mut self.board_textures, ui, &theme) {
            self.start.focus_first_card();
        }
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
        // The actions outdate the drawn frame.
        if !actions.is_empty() {
            ui.ctx().request_repaint();
        }
        self.confirm_leave(app, ui, &theme, &mut actions);
        for action in actions {
            app.dispatch(action);
        }
        if let Some(text) = app.clipboard_text.take() {
            ui.ctx().copy_text(text);
        }
        self.was_typing = ui.ctx().text_edit_focused();
    }

    /// Opens the rules of the game that is played or shown, if it is known.
    fn open_rules(&mut self, app: &App) {
        let session = app.session.as_ref().map(|playing| playing.game.facts());
        let watched = || games::facts_of(&app.match_state()?.meta.game);
        let shown = || games::facts_of(&app.document.model.as_ref()?.meta.as_ref()?.game);
        if let Some(facts) = session.or_else(watched).or_else(shown) {
            self.rules.open(facts);
        }
    }

    /// The areas beside the tree.
    fn show_side_panels(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let node = app.navigation.focused_node();
        let model = app.document.model.clone();
        let view = app.settings.value_view;
        let details = (model.as_ref()).map(|model| {
            NodeDetails::get_or_compute(&mut self.selected_details, model, node, view)
        });
        let side = Frame::new().fill(theme.panel);
        // Where no game is known there is nothing to say on the left.
        let has_game = model.as_ref().is_some_and(|model| model.meta.is_some());
        if app.session.is_some() {
            let mut resources = PlayPanelResources {
                board_textures: &mut self.board_textures,
                move_list: &mut self.move_list,
            };
            let play = &mut self.play;
            Panel::left("play")
                .frame(side)
                .exact_size(PlayPanel::width(ui.available_width()))
                .show(ui, |ui| {
                    let game = app.session.as_ref().map(|playing| playing.directory.path());
                    ui.push_id(game, |ui| {
                        show_scrolled(ui, |ui| play.show(&mut resources, app, ui, theme, actions));
                    });
                });
        } else if (has_game || app.match_state().is_some()) && !app.settings.folded[0] {
            let mut game = GamePanel {
                board_textures: &mut self.board_textures,
                move_list: &mut self.move_list,
                details,
            };
            let room = ui.available_width() - MIN_CANVAS_WIDTH;
            let shown = sized_panel(Panel::left("game"), &app.settings, LEFT, room)
                .frame(side)
                .show(ui, |ui| {
                    show_scrolled(ui, |ui| game.show(app, ui, theme, actions))
                });
            keep_width(&mut app.settings, LEFT, room, &shown.response);
        }
        // A tree that could not be seen needs no explanation.
        let has_room = ui.available_width() >= MIN_WIDTH_FOR_NODE_PANEL;
        if let Some(details) = details.filter(|_| has_room && !app.settings.folded[1]) {
            let room = ui.available_width() - MIN_CANVAS_WIDTH;
            let table = &mut self.child_table;
            let shown = sized_panel(Panel::right("node"), &app.settings, RIGHT, room)
                .frame(side)
                .show(ui, |ui| {
                    show_scrolled(ui, |ui| node::show(details, table, app, ui, theme, actions));
                });
            keep_width(&mut app.settings, RIGHT, room, &shown.response);
        }
    }

    fn handle_keys(&mut self, app: &mut App, ui: &Ui, actions: &mut Vec<Action>) {
        let is_typing = ui.ctx().text_edit_focused();
        if !is_typing && self.rules.handle_keys(ui) {
            return;
        }
        let is_start = app.is_at_start();
        if is_start && !is_typing {
            self.handle_start_keys(app, ui, actions);
            self.handle_common_keys(app, ui, actions);
        }
        if is_start || ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        // A key may come several times in one frame.
        let count = |modifiers: Modifiers, key: Key| {
            ui.input_mut(|input| input.count_and_consume_key(modifiers, key))
        };
        let pressed = |modifiers: Modifiers, key: Key| count(modifiers, key) > 0;
        let none = Modifiers::NONE;
        for (key, direction) in [
            (Key::ArrowUp, Direction::Up),
            (Key::ArrowDown, Direction::Down),
            (Key::ArrowLeft, Direction::Left),
            (Key::ArrowRight, Direction::Right),
        ] {
            let times = count(Modifiers::SHIFT, key);
            actions.extend(std::iter::repeat_n(Action::MoveSelection(direction), times));
        }
        for (key, action) in [
            (Key::ArrowLeft, Action::StepTree(-1)),
            (Key::ArrowRight, Action::StepTree(1)),
            (Key::H, Action::MoveSelection(Direction::Left)),
            (Key::J, Action::MoveSelection(Direction::Down)),
            (Key::K, Action::MoveSelection(Direction::Up)),
            (Key::L, Action::MoveSelection(Direction::Right)),
            (Key::Plus, Action::Zoom(1.25, None)),
            (Key::Equals, Action::Zoom(1.25, None)),
            (Key::Minus, Action::Zoom(0.8, None)),
            (Key::Home, Action::FitTree),
            (Key::A, Action::ToggleReadable),
            (Key::F, Action::FitSelected),
            (Key::Space, Action::ToggleCollapsed),
            (Key::OpenBracket, Action::StepHistory(-1)),
            (Key::CloseBracket, Action::StepHistory(1)),
            (Key::T, Action::SwitchTheme),
            (Key::C, Action::Copy(CopyTarget::Position)),
            (Key::X, Action::Copy(CopyTarget::Statistics)),
            (Key::P, Action::Play(!app.document.timeline.is_playing())),
            (Key::Comma, Action::StepIteration(-1)),
            (Key::Period, Action::StepIteration(1)),
            (Key::End, Action::ShowEnd),
        ] {
            actions.extend(std::iter::repeat_n(action, count(none, key)));
        }
        if pressed(Modifiers::SHIFT, Key::Equals) || pressed(Modifiers::SHIFT, Key::Plus) {
            actions.push(Action::Zoom(1.25, None));
        }
        if app.session.is_some() {
            for (key, game_action) in [
                (Key::U, GameAction::Undo),
                (Key::N, GameAction::SingleMove),
                (Key::PageUp, GameAction::StepPly(-1)),
                (Key::PageDown, GameAction::StepPly(1)),
            ] {
                let times = count(none, key);
                actions.extend(std::iter::repeat_n(Action::Game(game_action), times));
            }
            if let Some(playing) = app.session.as_ref().filter(|_| pressed(none, Key::B)) {
                actions.push(Action::Game(GameAction::Pause(!playing.is_paused)));
            }
            if pressed(none, Key::M) {
                self.play.focus_move_field();
            }
        }
        if pressed(none, Key::G) {
            self.focuses_jump_field = true;
        }
        if pressed(none, Key::W) {
            actions.push(Action::FollowNewest(!app.folder.is_following_newest));
        }
        for (index, key) in [Key::Num1, Key::Num2].into_iter().enumerate() {
            // A move that is typed too early folds nothing.
            let is_thinking = (app.session.as_ref()).is_some_and(|game| game.search.is_some());
            if pressed(none, key) && !is_thinking {
                app.settings.folded[index] ^= true;
            }
        }
        if pressed(none, Key::R) {
            self.open_rules(app);
        }
        self.handle_common_keys(app, ui, actions);
        if pressed(Modifiers::COMMAND, Key::Q) {
            actions.push(Action::Quit);
        }
        for (key, steps) in [
            (Key::Plus, 1),
            (Key::Equals, 1),
            (Key::Minus, -1),
            (Key::Num0, 0),
        ] {
            if pressed(Modifiers::COMMAND, key) {
                app.settings.step_text_size(steps);
            }
        }
        if pressed(Modifiers::COMMAND, Key::Comma) {
            self.settings_window = Some(SettingsWindow::new(app));
        }
        if pressed(Modifiers::COMMAND, Key::O) {
            self.open_file_dialog(app, false);
        }
        if pressed(Modifiers::COMMAND, Key::S) && app.document.model.is_some() {
            self.open_file_dialog(app, true);
        }
        let copies = ui.input(|input| {
            input
                .events
                .iter()
                .any(|event| matches!(event, egui::Event::Copy))
        });
        if copies {
            actions.push(Action::Copy(CopyTarget::MovesToNode));
        }
    }

    /// The keys that every screen has: the list of keys, and Escape.
    fn handle_common_keys(&mut self, app: &mut App, ui: &Ui, actions: &mut Vec<Action>) {
        let pressed = |modifiers: Modifiers, key: Key| {
            ui.input_mut(|input| input.count_and_consume_key(modifiers, key)) > 0
        };
        let none = Modifiers::NONE;
        if pressed(Modifiers::SHIFT, Key::Questionmark)
            || pressed(none, Key::Questionmark)
            || pressed(Modifiers::SHIFT, Key::Slash)
        {
            self.is_help_open ^= true;
        }
        // Lists that are open heed it, too.
        if ui.input(|input| input.key_pressed(Key::Escape)) {
            let lies_over = self.is_help_open
                || self.dialog.is_some()
                || self.settings_window.is_some()
                || self.was_typing
                || Popup::is_any_open(ui.ctx());
            if app.is_at_start() && !lies_over {
                self.start.go_back();
            }
            (self.is_help_open, self.dialog, self.pending_leave) = (false, None, None);
            self.settings_window = None;
            app.message = None;
            if app.session.is_some() {
                actions.push(Action::Game(GameAction::ClearClicks));
            }
        }
    }
}

/// The move into a node, for people.
fn move_label(model: &TreeModel, node: usize) -> String {
    if node == 0 {
        "root".to_owned()
    } else {
        display_move(&model.reading(node))
    }
}

/// The name of a move as it is shown.
fn display_move(name: &str) -> String {
    if name.is_empty() {
        "no name".to_owned()
    } else {
        escape_invisible(&middle_ellipsis(name, 60)).into_owned()
    }
}

/// The value of a row in a column with its unit, or what it stands for; none if there is none.
fn column_text(column: &Column, row: usize) -> Option<String> {
    if let Some(label) = column.label(row) {
        return Some(escape_invisible(label).into_owned());
    }
    let value = column.value(row);
    let number = match &column.values {
        ColumnValues::F64(_) | ColumnValues::F32(_) => format!("{value:.4}"),
        _ => format!("{value}"),
    };
    let unit = escape_invisible(&column.unit);
    let space = if unit.is_empty() { "" } else { " " };
    (!value.is_nan()).then(|| format!("{number}{space}{unit}"))
}

/// The two side panels in settings.
const LEFT: usize = 0;
const RIGHT: usize = 1;
/// What panels leave to the tree, in points.
const MIN_CANVAS_WIDTH: f32 = 240.0;

/// So close to the edge of a panel, in points, the pointer drags that instead of the tree.
const PANEL_GRAB_WIDTH: f32 = 5.0;

/// A side panel whose edge can be dragged; `room` is the width that it may take.
fn sized_panel(panel: Panel, settings: &ViewerSettings, side: usize, room: f32) -> Panel {
    let (least, _, most) = PANEL_WIDTHS[side];
    let most = most.min(room).max(least);
    panel
        .resizable(true)
        .default_size(settings.panel_widths[side].min(most))
        .size_range(least..=most)
}

/// Remembers the width that a panel was dragged to; one that a narrow window forces on it is not remembered.
fn keep_width(settings: &mut ViewerSettings, side: usize, room: f32, shown: &Response) {
    let width = shown.rect.width();
    if width < room && (width - settings.panel_widths[side]).abs() > 0.5 {
        settings.panel_widths[side] = width;
    }
}

/// A figure with its name.
fn show_figure(ui: &mut Ui, theme: &Theme, name: &str, value: impl Into<String>) {
    let value = value.into();
    let told = format!("{name}: {value}");
    let row = ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(theme.dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(theme.strong(value));
        });
    });
    controls::register(ui.ctx(), &told, row.response.rect);
}

/// Minimum width for the right panel and the tree together, in points.
const MIN_WIDTH_FOR_NODE_PANEL: f32 = 480.0;

/// The content of a side panel: scrolled where it is too long, with the scroll bar in the margin.
fn show_scrolled(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical()
        .auto_shrink(false)
        .show(ui, |ui| Frame::new().inner_margin(16).show(ui, content));
}
