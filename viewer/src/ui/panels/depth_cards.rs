//! The depths of a deepening search below its tree: a card each, with what cut-offs saved. A click opens the tree of that depth.

use std::path::PathBuf;

use egui::{
    Align2, FontId, Frame, Label, Margin, Panel, Rect, RichText, ScrollArea, Sense, Stroke,
    StrokeKind, Ui, pos2, vec2,
};

use super::{explain_term, steps::strong};
use crate::{
    app::{Action, App},
    draw::theme::{SMALL_SIZE, TITLE_SIZE, Theme},
    tree::{
        depth_list::{DepthMeta, saved_share},
        model::TreeModel,
        scene::format_thousands,
        search_window::{ClassicalColumns, value_text},
    },
    ui::controls::Named as _,
};

/// Size of a card, in points, and the space between two.
const CARD: egui::Vec2 = vec2(128.0, 112.0);
const GAP: f32 = 8.0;
/// Height of a bar.
const BAR_HEIGHT: f32 = 7.0;

/// Shows the cards, if the tree's search has a list of depths. One depth alone tells nothing that is not told beside the tree.
pub(super) fn show(
    app: &App,
    model: &TreeModel,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    if !model.is_classical() || model.depths.len() < 2 {
        return;
    }
    let frame = Frame::new()
        .fill(theme.panel)
        .inner_margin(Margin::symmetric(16, 12));
    Panel::bottom("depths").frame(frame).show(ui, |ui| {
        ui.horizontal(|ui| {
            let title = theme.semibold("Iterative deepening", TITLE_SIZE - 1.0);
            explain_term(ui.label(title), "Iterative deepening");
            let text = "one search per depth; a click opens its tree. Bars: nodes, log scale; grey without cut-offs";
            ui.add(Label::new(RichText::new(text).small().color(theme.dim)).truncate());
        });
        ui.add_space(6.0);
        ScrollArea::horizontal().show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = GAP;
                let all = model.depths.iter();
                let most = all.map(|depth| depth.nodes.max(depth.full_nodes.unwrap_or(0))).max();
                for depth in model.depths.iter() {
                    show_card(app, model, depth, most.unwrap_or(1).max(2), ui, theme, actions);
                }
            });
        });
    });
}

fn show_card(
    app: &App,
    model: &TreeModel,
    depth: &DepthMeta,
    most: u64,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let path = tree_path(app, depth);
    let is_shown = is_shown(app, model, depth, path.as_ref());
    let sense = if path.is_some() {
        Sense::CLICK
    } else {
        Sense::hover()
    };
    let (place, response) = ui.allocate_exact_size(CARD, sense);
    let painter = ui.painter();
    let (fill, line) = match (is_shown, response.hovered() && path.is_some()) {
        (true, _) => (theme.selected_fill(), theme.cool),
        (false, true) => (theme.raised, theme.line),
        (false, false) => (theme.card, theme.line),
    };
    painter.rect(place, 6.0, fill, Stroke::new(1.0, line), StrokeKind::Inside);
    let inner = place.shrink2(vec2(12.0, 9.0));
    let bold = strong(13.0);
    let title = format!("Depth {}", depth.depth);
    painter.text(
        inner.left_top(),
        Align2::LEFT_TOP,
        title,
        bold.clone(),
        theme.text,
    );
    // Without columns they are hundredths of a point, as our searches write them.
    let scale = ClassicalColumns::of(model).map_or(0.01, |columns| columns.scale());
    if depth.value.is_finite() {
        painter.text(
            inner.right_top(),
            Align2::RIGHT_TOP,
            value_text(depth.value * scale),
            bold.clone(),
            theme.text,
        );
    }
    let width = |nodes: u64| {
        let part = (nodes.max(1) as f64).ln() / (most as f64).ln();
        inner.width() * (part as f32).clamp(0.02, 1.0)
    };
    let bar = |top: f32, nodes: u64| {
        Rect::from_min_size(pos2(inner.left(), top), vec2(width(nodes), BAR_HEIGHT))
    };
    let top = inner.top() + 22.0;
    if let Some(full) = depth.full_nodes {
        painter.rect_filled(bar(top, full), 1.0, theme.side_mid);
    }
    painter.rect_filled(bar(top + BAR_HEIGHT + 3.0, depth.nodes), 1.0, theme.cool);
    let nodes = format_thousands(depth.nodes);
    let count = match depth.full_nodes {
        Some(full) => format!("{nodes} of {}", format_thousands(full)),
        None => format!("{nodes} nodes"),
    };
    let saved = saved_share(depth).map(|saved| format!("saved {:.0} %", 100.0 * saved));
    let best = format!("best: {}", best_reading(model, &depth.best));
    let small = FontId::proportional(SMALL_SIZE);
    let lines = [
        (Some(count.clone()), small.clone(), theme.text),
        (saved.clone(), strong(SMALL_SIZE), theme.text),
        (Some(best.clone()), small, theme.dim),
    ];
    let mut y = top + 2.0 * BAR_HEIGHT + 9.0;
    for (text, font, colour) in lines {
        if let Some(text) = text {
            painter.text(pos2(inner.left(), y), Align2::LEFT_TOP, text, font, colour);
            y += 16.0;
        }
    }
    let told = format!(
        "depth {}: {count}, {}, {best}",
        depth.depth,
        saved.unwrap_or_default()
    );
    let response = response.named(&told);
    if let Some(path) = path.filter(|_| response.clicked() && !is_shown) {
        actions.push(Action::Open(vec![path]));
    }
}

/// The tree file of a depth beside the shown one, if it is there to be opened.
fn tree_path(app: &App, depth: &DepthMeta) -> Option<PathBuf> {
    let shown = app.document.shown_path.as_ref()?;
    // The name of a file in this folder, whatever the sidecar says.
    let is_plain = |name: &&str| !name.is_empty() && !name.contains(['/', '\\']) && *name != "..";
    let name = depth.tree.as_deref().filter(is_plain)?;
    let has_extension = name.ends_with(".tree") || name.ends_with(".csv");
    let name = match has_extension {
        true => name.to_owned(),
        false => format!("{name}.{}", shown.extension()?.to_str()?),
    };
    Some(shown.with_file_name(name))
}

/// Whether the shown tree is that of a depth: by its name, else by the depth of the whole search.
fn is_shown(app: &App, model: &TreeModel, depth: &DepthMeta, path: Option<&PathBuf>) -> bool {
    let shown = app.document.shown_path.as_ref();
    let others = || {
        model
            .depths
            .iter()
            .any(|other| tree_path(app, other).as_ref() == shown)
    };
    match path {
        Some(path) if Some(path) == shown => true,
        _ if shown.is_some() && others() => false,
        _ => model.depths.iter().map(|depth| depth.depth).max() == Some(depth.depth),
    }
}

/// The best move as people read it.
fn best_reading(model: &TreeModel, best: &str) -> String {
    let mut rows = model.child_rows(0).into_iter();
    let row = rows.find(|&row| model.tree.move_name(row) == best);
    let text = row.map_or_else(
        || best.to_owned(),
        |row| model.row_reading(row).into_owned(),
    );
    super::display_move(&text)
}
