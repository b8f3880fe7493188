//! The search that grew a tree: its facts in a few lines, all its parameters, and what its figures say in words.

use canopy_engine::{catalog::PARAMETERS, games::notation::escape_invisible, tree::meta::Meta};
use egui::{CollapsingHeader, RichText, Ui};

use super::{
    explain_term, node_details::NodeDetails, show_figure, show_heading, show_phrases,
    show_text_figure,
};
use crate::{
    app::App,
    draw::theme::Theme,
    tree::{model::TreeModel, scene::format_thousands, title::search_line, value_text::NO_DATA},
    ui::controls::Named as _,
};

/// Stands for what only the end of a search tells.
pub(super) const NOT_YET: &str = "not yet";
/// Times from here on are told in seconds.
const MIN_SECONDS_MS: u64 = 1_000;

/// Windows lower than this have rows that are less high, in points.
const MIN_WINDOW_HEIGHT: f32 = 900.0;
const DENSE_ROW_HEIGHT: f32 = 17.0;
const DENSE_ROW_GAP: f32 = 1.0;

/// Heights of everything, in windows that are low and in others.
const DENSE_HEIGHT: f32 = 118.0;
const USUAL_HEIGHT: f32 = 190.0;

fn is_dense(ui: &Ui) -> bool {
    ui.ctx().content_rect().height() < MIN_WINDOW_HEIGHT
}

/// Brings rows closer together where the window is low: below the score of a match.
pub(super) fn tighten_rows(ui: &mut Ui) {
    if is_dense(ui) {
        ui.spacing_mut().interact_size.y = DENSE_ROW_HEIGHT;
        ui.spacing_mut().item_spacing.y = DENSE_ROW_GAP;
    }
}

/// The height of the facts, in points.
pub(super) fn height(ui: &Ui) -> f32 {
    match is_dense(ui) {
        true => DENSE_HEIGHT,
        false => USUAL_HEIGHT,
    }
}

/// Shows the facts about the search of a tree.
pub(super) fn show(app: &App, model: &TreeModel, ui: &mut Ui, theme: &Theme) {
    let Some(meta) = &model.meta else { return };
    show_heading(ui, theme, "Search");
    if !meta.search.is_empty() {
        show_text_figure(ui, theme, "Search", &search_line(meta));
    }
    let shown_iteration = app.document.timeline.shown_iteration;
    // In a low window a chip on the canvas has to do.
    let has_chip = app.match_state().is_some() && is_dense(ui);
    if !model.is_classical() && !has_chip {
        let iterations = shown_iteration.map_or(meta.iterations, u64::from);
        show_figure(ui, theme, "Iterations", format_thousands(iterations));
    }
    // At an earlier iteration nothing has been chosen, and the sidecar's figures are those of the end.
    let is_over = meta.is_final && shown_iteration.is_none() && !app.is_answer_held();
    // A classical search forgets most of the nodes that it has looked at.
    let nodes = match model.is_classical() {
        true => meta.nodes,
        false => model.tree.nodes().len() as u64 + model.left_out,
    };
    show_figure(ui, theme, "Nodes", format_thousands(nodes));
    let time = match is_over {
        true => time_text(meta.milliseconds),
        false => NOT_YET.to_owned(),
    };
    show_figure(ui, theme, "Time", time);
    let chosen = match &meta.chosen {
        _ if !is_over => NOT_YET.to_owned(),
        Some(chosen) => escape_invisible(&chosen_reading(model, chosen)).into_owned(),
        None => NO_DATA.to_owned(),
    };
    show_figure(ui, theme, "Move chosen", chosen);
    let title = match meta.parameters.len() {
        1 => "One parameter".to_owned(),
        count => format!("All {count} parameters"),
    };
    let folded = CollapsingHeader::new(RichText::new(title).color(theme.cool))
        .id_salt("parameters")
        .show_unindented(ui, |ui| show_parameters(model, meta, ui, theme));
    explain_term(folded.header_response.named("parameters"), "Parameters");
}

/// Shows what the figures of the selected node say, in words.
pub(super) fn show_in_words(details: &NodeDetails, ui: &mut Ui, theme: &Theme) {
    if details.in_words.is_empty() {
        return;
    }
    ui.add_space(4.0);
    show_heading(ui, theme, "What the numbers say");
    show_phrases(&details.in_words, ui, theme).named("in words");
}

/// A time as people tell it.
fn time_text(milliseconds: u64) -> String {
    match milliseconds {
        0 => "under 1 ms".to_owned(),
        1..MIN_SECONDS_MS => format!("{milliseconds} ms"),
        _ if milliseconds < 60 * MIN_SECONDS_MS => {
            format!("{:.1} s", milliseconds as f64 / 1_000.0)
        }
        _ => format!("{} s", format_thousands(milliseconds.div_ceil(1_000))),
    }
}

/// The chosen move as people read it.
fn chosen_reading(model: &TreeModel, chosen: &str) -> String {
    let mut rows = model.child_rows(0).into_iter();
    let row = rows.find(|&row| model.tree.move_name(row) == chosen);
    row.map_or_else(
        || chosen.to_owned(),
        |row| model.row_reading(row).into_owned(),
    )
}

/// Everything that was set about the search, and the facts that are asked for seldom.
fn show_parameters(model: &TreeModel, meta: &Meta, ui: &mut Ui, theme: &Theme) {
    let widest = (model.layers.windows(2))
        .map(|layer| layer[1] - layer[0])
        .max();
    for (name, value) in [
        ("Seed", meta.seed.to_string()),
        ("Threads", meta.threads.to_string()),
        ("Widest level", format_thousands(widest.unwrap_or(0).into())),
    ] {
        let about = crate::ui::glossary::explain(name).unwrap_or_default();
        show_parameter(&name.to_lowercase(), &value, about, ui, theme);
    }
    for (name, value) in &meta.parameters {
        let known = PARAMETERS.iter().find(|known| known.name == name);
        let about = known.map_or("A parameter of another program", |known| known.help);
        show_parameter(&name.replace('_', " "), value, about, ui, theme);
    }
}

fn show_parameter(name: &str, value: &str, about: &str, ui: &mut Ui, theme: &Theme) {
    let row = ui.horizontal(|ui| {
        ui.set_min_height(14.0);
        ui.spacing_mut().item_spacing.x = 6.0;
        let name = RichText::new(escape_invisible(name));
        ui.label(name.color(theme.dim).small());
        ui.label(RichText::new(escape_invisible(value)).small());
    });
    row.response.on_hover_text(about);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_the_unit_that_people_would_choose() {
        assert_eq!(time_text(0), "under 1 ms");
        assert_eq!(time_text(999), "999 ms");
        assert_eq!(time_text(2_840), "2.8 s");
        assert_eq!(time_text(3_600_001), "3,601 s");
    }
}
