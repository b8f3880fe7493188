//! The view Steps: one iteration in its four phases. The tree and the playout in the middle, what was compared on the right, the
//! phases and a caption below.

use std::sync::Arc;

use egui::{Frame, Margin, Panel, Rect, RichText, Sense, Ui, Vec2, pos2, vec2};

use self::playout_strip::PlayoutBoards;
use super::{Panels, show_scrolled};
use crate::{
    app::{Action, App, StepsAction, StepsCommand, StepsJournal},
    board::{Board, Marks, PositionInfo},
    draw::theme::{BODY_SIZE, Theme},
    tree::iteration::{IterationSteps, Phase},
    ui::controls::Named as _,
};

pub(super) use tree_drawing::strong;

mod captions;
mod playout_strip;
mod scores;
mod tree_drawing;

/// Widths of the area on the right: least, usual and most.
const SCORES_WIDTH: (f32, f32, f32) = (300.0, 384.0, 560.0);
/// What it leaves to the tree.
const MIN_TREE_WIDTH: f32 = 420.0;
/// Height of the playout below the tree.
const PLAYOUT_HEIGHT: f32 = 152.0;
/// Height of the root's board, and bounds of its width.
const ROOT_BOARD_HEIGHT: f32 = 92.0;
const ROOT_BOARD_WIDTH: (f32, f32) = (92.0, 210.0);

/// The state of the view's controls.
#[derive(Default)]
pub(super) struct StepsPanel {
    /// The root's position, and which iteration it belongs to.
    root: Option<(Arc<IterationSteps>, Result<PositionInfo, String>)>,
    playout: PlayoutBoards,
    /// The stage to which the scores were scrolled.
    scrolled_to: Option<(u32, usize)>,
}

impl StepsPanel {
    /// The position of the root.
    fn root(&mut self, steps: &Arc<IterationSteps>) -> Option<PositionInfo> {
        let is_known = (self.root.as_ref()).is_some_and(|(known, _)| Arc::ptr_eq(known, steps));
        if !is_known {
            let (game, position) = &steps.game;
            let moves: [&str; 0] = [];
            let root = Board::after_moves(game, position, &moves);
            self.root = Some((Arc::clone(steps), root));
        }
        self.root.as_ref()?.1.as_ref().ok().cloned()
    }
}

/// What is shown of an iteration.
#[derive(Clone, Copy)]
struct Shown<'a> {
    steps: &'a IterationSteps,
    journal: &'a StepsJournal,
    phase: Phase,
    theme: &'a Theme,
}

impl Shown<'_> {
    /// Whether a phase has begun.
    fn has_reached(&self, phase: Phase) -> bool {
        self.phase >= phase
    }
}

impl Panels {
    /// Shows the view in what is left of the window.
    pub(super) fn show_steps_view(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let state = &app.steps;
        let (Some(steps), Some(journal)) = (state.steps.clone(), state.journal.clone()) else {
            return show_nothing(app, ui, theme, actions);
        };
        let shown = Shown {
            steps: &steps,
            journal: &journal,
            phase: steps.phase(state.stage),
            theme,
        };
        let side = Frame::new().fill(theme.panel);
        let room = ui.available_width() - MIN_TREE_WIDTH;
        let (least, usual, most) = SCORES_WIDTH;
        let (stage, panel) = ((steps.iteration, state.stage), &mut self.steps);
        if room >= least {
            Panel::right("steps scores")
                .frame(side)
                .resizable(true)
                .default_size(usual.min(room))
                .size_range(least..=most.min(room))
                .show(ui, |ui| {
                    show_scrolled(ui, |ui| {
                        let scrolls = panel.scrolled_to != Some(stage);
                        panel.scrolled_to = Some(stage);
                        scores::show(&shown, scrolls, ui, actions);
                    });
                });
        }
        let below = Frame::new()
            .fill(theme.panel)
            .inner_margin(Margin::symmetric(24, 16));
        Panel::bottom("steps captions").frame(below).show(ui, |ui| {
            captions::show(&shown, &app.steps, ui, actions);
        });
        let (area, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
        ui.painter().rect_filled(area, 0.0, theme.canvas);
        self.show_iteration(&shown, &steps, area, ui, actions);
    }

    /// The root's board, the tree and the playout.
    fn show_iteration(
        &mut self,
        shown: &Shown<'_>,
        steps: &Arc<IterationSteps>,
        area: Rect,
        ui: &mut Ui,
        actions: &mut Vec<Action>,
    ) {
        let corner = area.min + vec2(24.0, 20.0);
        let mut board = Rect::from_min_size(corner, Vec2::ZERO);
        let root = self.steps.root(steps);
        if let Some(root) = &root {
            board = Rect::from_min_size(corner, show_root_board(self, root, shown, corner, ui));
        }
        let tree_area =
            Rect::from_min_max(area.min, pos2(area.right(), area.bottom() - PLAYOUT_HEIGHT));
        let leaf = tree_drawing::draw(shown, tree_area, board, ui);
        let strip = Rect::from_min_max(pos2(area.left(), tree_area.bottom()), area.max);
        if shown.has_reached(Phase::PlayOut) {
            let aspect = root.map(|root| root.board.aspect(&Marks::default()));
            let boards = (&mut self.steps.playout, &mut self.board_textures, aspect);
            playout_strip::show(shown, boards, (strip, leaf), ui, actions);
        }
    }

    /// Carries out a key of the view.
    pub(super) fn run_steps_command(
        &mut self,
        app: &mut App,
        command: StepsCommand,
        actions: &mut Vec<Action>,
    ) {
        let iteration = app.steps.steps.as_ref().map_or(1, |steps| steps.iteration);
        actions.push(Action::Steps(match command {
            StepsCommand::Back => StepsAction::Step(-1),
            StepsCommand::On => StepsAction::Step(1),
            StepsCommand::NextIteration => StepsAction::Iteration(iteration.saturating_add(1)),
            StepsCommand::PreviousIteration => StepsAction::Iteration(iteration.saturating_sub(1)),
            StepsCommand::Play => StepsAction::Play(!app.steps.is_playing()),
        }));
    }
}

/// The board of the root with a few words beside it; its size.
fn show_root_board(
    panels: &mut Panels,
    root: &PositionInfo,
    shown: &Shown<'_>,
    corner: egui::Pos2,
    ui: &Ui,
) -> Vec2 {
    let theme = shown.theme;
    let marks = Marks {
        shows_coordinates: true,
        ..Marks::default()
    };
    let (least, most) = ROOT_BOARD_WIDTH;
    let width = (ROOT_BOARD_HEIGHT * root.board.aspect(&marks)).clamp(least, most);
    let textures = &mut panels.board_textures;
    let (texture, size) = textures.board_texture(ui.ctx(), &root.board, &marks, width, theme);
    let place = Rect::from_min_size(corner.round(), size);
    draw_texture(ui, &texture, place, 1.0);
    let text = |row: f32, text: String, is_strong: bool| {
        let at = pos2(place.right() + 16.0, place.top() + 20.0 * row);
        let (font, colour) = match is_strong {
            true => (strong(BODY_SIZE), theme.text),
            false => (egui::FontId::proportional(12.0), theme.dim),
        };
        ui.painter()
            .text(at, egui::Align2::LEFT_TOP, text, font, colour);
    };
    text(0.0, root.turn_text.clone(), true);
    let count = |number: u64| crate::tree::scene::format_thousands(number);
    let steps = shown.steps;
    let nodes = count(steps.visited_nodes as u64);
    let iterations = count(u64::from(steps.iteration));
    text(
        1.0,
        format!("{iterations} iterations, {nodes} nodes"),
        false,
    );
    let key = format!("under a node: its move, and how often {} wins", steps.owner);
    text(2.0, key, false);
    if steps.tree.hidden > 0 {
        let hidden = count(steps.tree.hidden as u64);
        text(
            3.0,
            format!("the path and its siblings; {hidden} nodes not drawn"),
            false,
        );
    }
    size
}

/// Draws a texture with some opacity.
fn draw_texture(ui: &Ui, texture: &egui::TextureHandle, place: Rect, opacity: f32) {
    let whole = Rect::from_min_max(egui::Pos2::ZERO, pos2(1.0, 1.0));
    let tint = egui::Color32::WHITE.gamma_multiply(opacity);
    ui.painter().image(texture.id(), place, whole, tint);
}

/// What is said while there is nothing to be told.
fn show_nothing(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let state = &app.steps;
    let (text, offers_search) = match (&state.problem, &state.journal) {
        _ if state.is_searching => ("Searching with all playouts recorded …".to_owned(), false),
        _ if state.is_opening => ("Reading the journal …".to_owned(), false),
        (Some(problem), _) => (format!("The iterations cannot be told: {problem}."), true),
        (None, Some(journal)) if journal.iterations == 0 => {
            ("The search has made no iteration yet.".to_owned(), false)
        }
        (None, Some(_)) => ("Reading the journal …".to_owned(), false),
        (None, None) => (
            "No journal beside this tree says how it grew. Search the position again to see its iterations."
                .to_owned(),
            true,
        ),
    };
    Frame::new().fill(theme.canvas).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        ui.vertical_centered(|ui| {
            ui.add_space((ui.available_height() / 2.0 - 40.0).max(16.0));
            ui.label(RichText::new(text).color(theme.text));
            ui.add_space(16.0);
            if offers_search {
                show_search_button(ui, actions);
            }
        });
    });
}

/// The button that searches the position anew.
fn show_search_button(ui: &mut Ui, actions: &mut Vec<Action>) {
    let button = ui.button("Search this position, playouts and all");
    let about = "60 iterations of the same search, with the moves of every playout";
    if button.explained("search for steps", about).clicked() {
        actions.push(Action::Steps(StepsAction::Search));
    }
}
