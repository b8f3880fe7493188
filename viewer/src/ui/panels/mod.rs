//! The panels around the tree: top bar, side panels, timeline.

use std::path::PathBuf;

use canopy_engine::{
    games::{self, notation::escape_invisible},
    tree::columns::{Column, ColumnValues},
};
use egui::{
    Align, FontFamily, FontId, Frame, Layout, Margin, Panel, Popup, Rect, Response, RichText,
    ScrollArea, Sense, TextFormat, Ui, text::LayoutJob, vec2,
};

use crate::{
    app::{Action, App, CompareAction, TruthMode, View},
    board::BoardTextures,
    draw::{
        fonts,
        theme::{BODY_SIZE, Theme},
    },
    settings::{PANEL_WIDTHS, ViewerSettings},
    tree::{model::TreeModel, summary::Phrase, title::middle_ellipsis},
    ui::{controls, glossary},
};
use child_table::ChildTableState;
use compare::ComparePanel;
use elide::elided_label;
use file_dialog::FileDialog;
use game::GamePanel;
use help::HelpPage;
use match_score::MoveList;
use minimap::Minimap;
use node_details::NodeDetails;
use play::{PlayPanel, PlayPanelResources};
use rules::RulesPage;
use settings_window::SettingsWindow;
use start_screen::StartScreen;
use steps::StepsPanel;
use timeline::{TimelineForm, TimelinePanel};
use why::WhyPanel;

mod canvas;
mod charts_section;
mod child_table;
mod chips;
mod classical;
mod commands;
mod compare;
mod cut_marks;
mod depth_cards;
mod dialect_hint;
mod dialogs;
mod elide;
mod engine_form;
mod engine_options;
mod file_dialog;
mod form;
mod game;
mod help;
mod legend;
mod lesson;
mod look_options;
mod match_score;
mod minimap;
mod node;
mod node_details;
mod page_scroll;
mod pinned_path;
mod play;
mod rules;
mod search_facts;
mod settings_window;
mod start_screen;
mod steps;
mod timeline;
mod toolbar;
mod top_bar;
mod truth_marks;
mod view_switch;
mod why;

/// The user interface's own state.
pub struct Panels {
    canvas: Rect,
    jump_text: String,
    find_text: String,
    dialog: Option<FileDialog>,
    settings_window: Option<SettingsWindow>,
    /// Whether the toolbar's menu is open.
    is_more_open: bool,
    help: HelpPage,
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
    why: WhyPanel,
    steps: StepsPanel,
    compare: ComparePanel,
    board_textures: BoardTextures,
    /// An action that would end an unfinished game, until the user confirms it.
    pending_leave: Option<Action>,
    /// Whether the field for a tree's number takes the keyboard focus.
    focuses_jump_field: bool,
    /// And the field to find a move.
    focuses_find_field: bool,
    /// Whether all parameters of a side's search are listed on the start screen.
    expands_parameters: [bool; 2],
    start: StartScreen,
    rules: RulesPage,
    /// Whether the rules of the shown game were asked for.
    rules_request: bool,
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
            is_more_open: false,
            help: HelpPage::default(),
            selected_details: None,
            hovered_details: None,
            child_table: ChildTableState::default(),
            minimap: Minimap::default(),
            overlays: Vec::new(),
            timeline: TimelinePanel::default(),
            move_list: MoveList::default(),
            play: PlayPanel::default(),
            why: WhyPanel::default(),
            steps: StepsPanel::default(),
            compare: ComparePanel::default(),
            board_textures: BoardTextures::default(),
            pending_leave: None,
            focuses_jump_field: false,
            focuses_find_field: false,
            expands_parameters: [false, false],
            start: StartScreen::default(),
            rules: RulesPage::default(),
            rules_request: false,
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
        // Escape closes what lies on top, and nothing below it.
        let was_covered = self.has_dialog() || self.was_typing || Popup::is_any_open(ui.ctx());
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
        // A view that shows the tree says where.
        self.canvas = Rect::ZERO;
        self.clear_compared_canvases();
        if app.document.model.is_none() {
            (self.selected_details, self.hovered_details) = (None, None);
            self.minimap.clear();
        }
        let view = app.shown_view();
        self.show_lesson(app, ui, &theme, &mut actions);
        match view {
            View::Tree => self.show_tree_view(app, ui, &theme, &mut actions),
            View::Why => self.show_why_view(app, ui, &theme, &mut actions),
            View::Steps => self.show_steps_view(app, ui, &theme, &mut actions),
            View::Compare => self.show_compare_view(app, ui, &theme, &mut actions),
        }
        let canvas = self.canvas;
        if let Some(saves) = self.play.take_file_request() {
            self.open_game_dialog(app, saves);
        }
        if self.play.take_rules_request() | std::mem::take(&mut self.rules_request) {
            self.open_rules(app);
        }
        let is_covered = was_covered || self.has_dialog();
        if view == View::Tree {
            (self.play).show_game_over(app, ui, (canvas, is_covered), &theme, &mut actions);
        }
        self.show_dialogs(ui, &theme, &mut actions);
        self.help.show(ui, &theme);
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
        match dropped.as_slice() {
            [] => {}
            [second] if view == View::Compare && !app.compare.has_two() => {
                let second = CompareAction::OpenSecond(second.clone());
                actions.push(Action::Compare(second));
            }
            _ => actions.push(Action::Open(dropped)),
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

    /// Shows the tree with what lies around it, or the start screen.
    fn show_tree_view(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let has_tree = app.document.model.is_some();
        self.show_lesson_board(app, ui, theme);
        self.show_side_panels(app, ui, theme, actions);
        let has_chart = (app.lesson.as_ref()).is_some_and(|state| state.part().chart.is_some());
        if has_tree && app.document.timeline.status.is_some() && !has_chart {
            let time = Frame::new()
                .fill(theme.panel)
                .inner_margin(Margin::symmetric(TIME_SIDE, 12));
            let width = ui.available_width() - 2.0 * f32::from(TIME_SIDE);
            let name = TimelineForm::fitting(ui, width).panel_name();
            Panel::bottom(name).frame(time).show(ui, |ui| {
                self.timeline.show(app, ui, theme, actions);
            });
        }
        if let Some(model) = app.document.model.clone() {
            depth_cards::show(app, &model, ui, theme, actions);
        }
        let names = (self.selected_details.as_ref()).map(|details| details.players);
        self.show_toolbar(app, ui, theme, actions);
        if app.truth_mode() != TruthMode::Off {
            truth_marks::show_bar(app, ui, theme, actions);
        }
        legend::show(app, names, ui, theme);
        self.show_canvas(app, ui, theme, actions);
    }

    /// The tree, or the start screen, in what is left of the window.
    fn show_canvas(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let (id, area) = ui.allocate_space(ui.available_size());
        self.canvas = area;
        // The edges of the panels beside it are dragged from either side.
        let grabbed = area.shrink2(vec2(PANEL_GRAB_WIDTH, 0.0));
        // It is no stop of the Tab key: other keys walk through the tree.
        let response = ui.interact(grabbed, id, Sense::CLICK | Sense::DRAG);
        if app.document.model.is_some() {
            self.handle_pointer(app, ui, &response, actions);
            self.show_canvas_overlays(app, ui, theme, actions);
        } else {
            self.show_start_screen(app, ui, theme, actions);
        }
    }

    /// Whether a dialog lies over everything else.
    fn has_dialog(&self) -> bool {
        self.help.is_open()
            || self.dialog.is_some()
            || self.settings_window.is_some()
            || self.pending_leave.is_some()
            || self.rules.is_open()
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
            let usual = PlayPanel::usual_width(ui.available_width());
            let range = PlayPanel::width_range(ui.available_width() - MIN_CANVAS_WIDTH);
            Panel::left("play")
                .frame(side)
                .resizable(true)
                .default_size(usual)
                .size_range(range)
                .show(ui, |ui| {
                    let game = app.session.as_ref().map(|playing| playing.directory.path());
                    ui.push_id(game, |ui| {
                        show_scrolled(ui, |ui| play.show(&mut resources, app, ui, theme, actions));
                    });
                });
        } else if (has_game || app.match_state().is_some())
            && !app.is_panel_folded(LEFT)
            && app.lesson.is_none()
        {
            let game = GamePanel {
                board_textures: &mut self.board_textures,
                move_list: &mut self.move_list,
                details,
                rules_request: &mut self.rules_request,
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
        let is_shown = match &app.lesson {
            Some(state) => state.part().table,
            None => !app.is_panel_folded(RIGHT),
        };
        if let Some(details) = details.filter(|_| has_room && is_shown) {
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

/// Space at the sides of the line of time, in points.
const TIME_SIDE: i8 = 16;

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

/// A heading whose meaning stands under the pointer.
fn show_heading(ui: &mut Ui, theme: &Theme, text: &str) {
    explain_term(ui.label(theme.heading(text)), text);
}

/// Puts the sentence about a term under the pointer. Tests find terms that have none by the registered name.
fn explain_term(response: Response, term: &str) -> Response {
    controls::register(&response.ctx, &format!("term {term}"), response.rect);
    match glossary::explain(term) {
        Some(sentence) => response.on_hover_text(sentence),
        None => response,
    }
}

/// A figure with its name, which is a term.
fn show_figure(ui: &mut Ui, theme: &Theme, name: &str, value: impl Into<String>) {
    show_explained_figure(ui, theme, (name, name), value.into());
}

/// A figure with its name and the term that explains it.
fn show_explained_figure(ui: &mut Ui, theme: &Theme, (name, term): (&str, &str), value: String) {
    let told = format!("{name}: {value}");
    let row = ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(theme.dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(theme.strong(value));
        });
    });
    controls::register(ui.ctx(), &told, row.response.rect);
    explain_term(row.response, term);
}

/// A figure whose value may be long: its middle is left out where there is no room for it.
fn show_text_figure(ui: &mut Ui, theme: &Theme, name: &str, text: &str) {
    ui.horizontal(|ui| {
        explain_term(ui.label(RichText::new(name).color(theme.dim)), name);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let font = FontId::new(BODY_SIZE, fonts::semibold());
            let room = ui.available_width() - 8.0;
            elided_label(ui, text, (&font, theme.text), room);
        });
    });
}

/// A sentence with what matters most in semibold.
fn show_phrases(phrases: &[Phrase], ui: &mut Ui, theme: &Theme) -> Response {
    let mut job = LayoutJob::default();
    for Phrase { text, is_strong } in phrases {
        let family = match is_strong {
            true => fonts::semibold(),
            false => FontFamily::Proportional,
        };
        let format = TextFormat {
            font_id: FontId::new(BODY_SIZE, family),
            color: theme.text,
            ..TextFormat::default()
        };
        job.append(text, 0.0, format);
    }
    ui.label(job)
}

/// Minimum width for the right panel and the tree together, in points.
const MIN_WIDTH_FOR_NODE_PANEL: f32 = 480.0;

/// The content of a side panel: scrolled where it is too long, with the scroll bar in the margin.
fn show_scrolled(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical()
        .auto_shrink(false)
        .show(ui, |ui| Frame::new().inner_margin(16).show(ui, content));
}
