//! The view Why: why one move of the root and not another, in sentences, on two boards and over time.

use egui::{Frame, Margin, Panel, Ui};

use super::{
    LEFT, MIN_CANVAS_WIDTH, Panels, legend, show_scrolled, truth_marks,
    view_switch::show_empty_view,
};
use crate::{
    app::{Action, App, WhyAction, WhyCommand},
    draw::theme::Theme,
    tree::node_value,
};

mod charts;
mod page;

/// What the view says without a tree.
const NO_TREE: &str =
    "No tree here yet. When a search has written one, this says why it prefers a move.";
/// Part of the window that the sentences take, and its bounds in points.
const TEXT_PART: f32 = 0.365;
const TEXT_WIDTHS: (f32, f32) = (300.0, 600.0);
/// Height of the charts.
const CHART_HEIGHT: f32 = 180.0;
/// Windows lower than this have no charts.
const MIN_HEIGHT_FOR_CHARTS: f32 = 520.0;

/// The state of the view's controls.
#[derive(Default)]
pub(super) struct WhyPanel {}

impl Panels {
    /// Shows the view in what is left of the window.
    pub(super) fn show_why_view(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let WhyPanel {} = self.why;
        match app.why.page() {
            None => return show_empty_view(NO_TREE, ui, theme, actions),
            Some(Err(problem)) => {
                let text = format!("There is nothing to explain: {problem}.");
                return show_empty_view(&text, ui, theme, actions);
            }
            Some(Ok(_)) => {}
        }
        let is_classical = matches!(app.why.page(), Some(Ok(page)) if page.is_classical);
        let wide = ui.available_width();
        let most = (wide - MIN_CANVAS_WIDTH).max(TEXT_WIDTHS.0);
        let width = (wide * TEXT_PART).clamp(TEXT_WIDTHS.0, TEXT_WIDTHS.1.min(most));
        let has_charts = ui.available_height() >= MIN_HEIGHT_FOR_CHARTS;
        let side = Frame::new().fill(theme.panel);
        if !app.is_panel_folded(LEFT) {
            let textures = &mut self.board_textures;
            Panel::left("why text")
                .frame(side)
                .exact_size(width)
                .resizable(false)
                .show(ui, |ui| {
                    show_scrolled(ui, |ui| page::show(textures, app, ui, theme, actions));
                });
        }
        // A classical search has no iterations.
        if has_charts && !is_classical {
            let time = Frame::new()
                .fill(theme.panel)
                .inner_margin(Margin::symmetric(16, 12));
            Panel::bottom("why charts")
                .frame(time)
                .exact_size(CHART_HEIGHT)
                .resizable(false)
                .show(ui, |ui| charts::show(app, ui, theme));
        }
        self.show_toolbar(app, ui, theme, actions);
        truth_marks::show_bar(app, ui, theme, actions);
        let model = app.document.model.as_ref();
        let names = model.map(|model| node_value::wording(model).players);
        legend::show(app, names, ui, theme);
        self.show_canvas(app, ui, theme, actions);
    }

    /// Carries out a key of the view.
    pub(super) fn run_why_command(
        &mut self,
        app: &mut App,
        command: WhyCommand,
        actions: &mut Vec<Action>,
    ) {
        let WhyCommand::Step(by) = command;
        let (step, longest) = app.why.steps();
        let to = (step as i64 + by).clamp(0, longest as i64);
        actions.push(Action::Why(WhyAction::ShowStep(to as usize)));
    }
}
