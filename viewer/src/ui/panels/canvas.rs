//! Pointer input on the tree, and what lies over it.

use egui::{PointerButton, Pos2, Rect, RichText, Sense, Ui};

use super::{
    Panels, chips, cut_marks, explain_term, move_label, node_details::NodeDetails, pinned_path,
    truth_marks,
};
use crate::{
    app::{Action, App},
    board::BoardTextures,
    draw::theme::Theme,
    tree::{
        labels::LabelBox,
        model::TreeModel,
        scene::{self, format_thousands},
        title::middle_ellipsis,
    },
};

/// Width of the board shown for the node under the pointer, in points.
const HOVER_CARD_BOARD_WIDTH: f32 = 120.0;

impl Panels {
    /// Turns pointer input on the tree into actions.
    pub(super) fn handle_pointer(
        &mut self,
        app: &App,
        ui: &Ui,
        response: &egui::Response,
        actions: &mut Vec<Action>,
    ) {
        let scale = f64::from(ui.ctx().pixels_per_point());
        let place = |at: Pos2| {
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
        let is_on_map = pointer.is_some_and(|at| self.minimap.hit(at).is_some());
        if is_on_map {
            explain_term(response.clone(), "Map");
        }
        if let Some(at) = pointer {
            let (wheel, pinch) =
                ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            let factor = f64::from((wheel * 0.005).exp() * pinch);
            if factor != 1.0 {
                actions.push(Action::Zoom(factor, Some(place(at))));
            }
        }
        if response.clicked() {
            // The keys are the tree's again.
            ui.memory_mut(|memory| {
                if let Some(focused) = memory.focused() {
                    memory.surrender_focus(focused);
                }
            });
        }
        if response.clicked()
            && let Some(at) = response.interact_pointer_pos()
        {
            let (x, y) = place(at);
            let is_shifted = ui.input(|input| input.modifiers.shift);
            match (self.minimap.hit(at), fold_at(app, x, y)) {
                (Some((across, down)), _) => actions.push(Action::CentreOn(across, down)),
                (None, Some(node)) => actions.push(Action::OpenFold {
                    node,
                    all_below: is_shifted,
                }),
                // The double click applies to the node that the first click selected.
                (None, None) if response.double_clicked() => actions.push(Action::FitSelected),
                (None, None) => actions.push(Action::Click(x, y)),
            }
        }
        let over_tree = pointer.filter(|_| !is_on_map).map(place);
        self.show_hovered(app, ui, response, over_tree);
    }

    /// Says what lies at a pixel of the canvas under the pointer.
    fn show_hovered(
        &mut self,
        app: &App,
        ui: &Ui,
        response: &egui::Response,
        pointer: Option<(f64, f64)>,
    ) {
        // While a tree grows under a resting pointer, the hovered node would change in every frame.
        let is_resting = ui.input(|input| input.pointer.time_since_last_movement()) > 1.0;
        let is_moving = response.dragged() || (is_resting && app.document.timeline.is_growing());
        let (Some((x, y)), Some(model), Some(camera)) = (
            pointer.filter(|_| !is_moving),
            &app.document.model,
            &app.navigation.camera,
        ) else {
            return;
        };
        if let Some(fold) = fold_at(app, x, y).and_then(|node| model.fold_of(node)) {
            response.clone().on_hover_ui_at_pointer(|ui| {
                ui.label(fold_hint(fold.moves, &app.theme()));
            });
            return;
        }
        let hit = scene::node_at(model, camera, &app.navigation.canvas, x, y, None);
        if let Some(node) = hit.filter(|&node| node < model.len()) {
            let (textures, hovered) = (&mut self.board_textures, &mut self.hovered_details);
            response.clone().on_hover_ui_at_pointer(|ui| {
                let details =
                    NodeDetails::get_or_compute(hovered, model, node, app.settings.value_view);
                show_hover_card(textures, details, model, node, ui, &app.theme());
                if let Some(text) = app.truth_text(node) {
                    ui.label(format!("Exact solver: {text}"));
                }
            });
        }
    }

    /// Chips, map and the pinned path. What they cover is left free of labels.
    pub(super) fn show_canvas_overlays(
        &mut self,
        app: &App,
        ui: &Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        self.overlays.clear();
        let Some(model) = app.document.model.clone() else {
            return;
        };
        let marks = truth_marks::draw(app, &model, self.canvas, ui, theme);
        self.overlays.extend(marks);
        let marks = cut_marks::draw(app, &model, self.canvas, ui, theme);
        self.overlays.extend(marks);
        let mut area = self.canvas;
        if let Some(strip) = pinned_path::show(app, &model, area, ui, theme, actions) {
            self.overlays.push(strip);
            area.min.y = strip.bottom();
        }
        self.overlays
            .extend(chips::show(app, area, ui, theme, actions));
        self.overlays.extend(self.minimap.update(app, self.canvas));
        let painter = ui.painter_at(self.canvas);
        self.minimap.draw(app, &painter, theme);
    }

    /// What covers the tree, in pixels from the canvas's corner.
    pub fn canvas_overlays(&self, scale: f32) -> Vec<LabelBox> {
        boxes_within(&self.overlays, self.canvas.min, scale)
    }
}

/// Places in points as pixels from a corner.
pub(super) fn boxes_within(places: &[Rect], corner: Pos2, scale: f32) -> Vec<LabelBox> {
    (places.iter())
        .map(|rect| LabelBox {
            left: (rect.left() - corner.x) * scale,
            top: (rect.top() - corner.y) * scale,
            right: (rect.right() - corner.x) * scale,
            bottom: (rect.bottom() - corner.y) * scale,
        })
        .collect()
}

/// The node whose triangle lies at a pixel of the canvas.
fn fold_at(app: &App, x: f64, y: f64) -> Option<usize> {
    let (model, camera) = (
        app.document.model.as_ref()?,
        app.navigation.camera.as_ref()?,
    );
    let (canvas, selected) = (&app.navigation.canvas, app.navigation.selected);
    scene::fold_at(model, camera, canvas, selected, (x, y))
}

/// What a triangle does.
fn fold_hint(moves: u32, theme: &Theme) -> RichText {
    let count = format_thousands(moves.into());
    let moves = if moves == 1 { "move" } else { "moves" };
    RichText::new(format!(
        "{count} more {moves}: a click opens them, shift + click all below"
    ))
    .color(theme.text)
}

/// A few words about a node under the pointer.
fn show_hover_card(
    textures: &mut BoardTextures,
    details: &NodeDetails,
    model: &TreeModel,
    node: usize,
    ui: &mut Ui,
    theme: &Theme,
) {
    let figures = model.node(node);
    ui.label(theme.strong(middle_ellipsis(&move_label(model, node), 48)));
    let text = if figures.visits > 0 {
        let visits = format_thousands(u64::from(figures.visits.unsigned_abs()));
        let visited = match model.is_classical() {
            true => "nodes searched",
            false => "visits",
        };
        let shared = match model.shared_visits(model.row(node)) {
            Some(all) => format!(" by this move, {} in all", format_thousands(all)),
            None => String::new(),
        };
        format!("{visits} {visited}{shared} · {}", details.value_text)
    } else {
        "never visited".to_owned()
    };
    ui.label(RichText::new(text).color(theme.dim));
    ui.label(RichText::new(details.turn_text()).color(theme.dim));
    if let Ok((replayed, marks)) = &details.board {
        ui.add_space(4.0);
        let wide = (HOVER_CARD_BOARD_WIDTH, Sense::hover());
        textures.show(ui, &replayed.board, marks, wide, theme);
    }
}
