//! Controls of how a tree looks: whose values, which colours, which nodes.

use canopy_engine::{games::notation::escape_invisible, tree::columns::Column};
use egui::{Align, Color32, Layout, Response, RichText, Ui};

use crate::{
    app::{Action, App},
    draw::{palette, theme::Theme},
    settings::ViewerSettings,
    tree::{
        model::{Filter, TreeModel},
        node_value::{ValueView, wording},
    },
    ui::controls::Named as _,
};

/// The selectable palettes: control name, label and tooltip.
pub(super) const PALETTES: [(&str, &str, &str); palette::PALETTES.len()] = {
    let mut all = [("", "", ""); palette::PALETTES.len()];
    let mut index = 0;
    while index < all.len() {
        let palette = &palette::PALETTES[index];
        all[index] = (palette.name, palette.label, palette.hint);
        index += 1;
    }
    all
};
/// Labels of the two edge colours.
pub(super) const EDGE_COLOUR_NAMES: [&str; 2] = ["Least visited", "Most visited"];

/// Which of the palettes is chosen; none if the colours are one's own.
pub(super) fn selected_palette(settings: &ViewerSettings) -> Option<usize> {
    settings.selected_palette()
}

/// Takes one of the palettes.
pub(super) fn apply_palette(settings: &mut ViewerSettings, index: usize) {
    settings.select_palette(index);
}

/// A button with a picker of opaque colours.
pub(super) fn colour_button(ui: &mut Ui, colour: &mut Color32) -> Response {
    let mut rgb = [colour.r(), colour.g(), colour.b()];
    let response = ui.color_edit_button_srgb(&mut rgb);
    *colour = Color32::from_rgb(rgb[0], rgb[1], rgb[2]);
    response
}

/// Shows the controls.
pub(super) fn show(app: &mut App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let Some(model) = app.document.model.clone() else {
        return;
    };
    ui.label(theme.heading("Values are told for"));
    show_value_view(&mut app.settings, &model, ui);
    ui.add_space(12.0);
    show_colours(&mut app.settings, &model, ui, theme);
    ui.add_space(12.0);
    show_filter(app, ui, theme, actions);
}

/// The choice of whose values are shown.
fn show_value_view(settings: &mut ViewerSettings, model: &TreeModel, ui: &mut Ui) {
    let names = wording(model).players;
    let root = names[usize::from(!model.node_states[0].is_first())];
    ui.horizontal_wrapped(|ui| {
        for view in ValueView::ALL {
            let (label, hint) = match view {
                ValueView::Root => (
                    format!("{root}, at the root"),
                    "The side to move at the root, at every depth",
                ),
                ValueView::First => (
                    format!("{}, who begins", names[0]),
                    "The player who begins the game, in every tree",
                ),
                ValueView::Mover => (
                    "who is to move".to_owned(),
                    "At each node the side to move there",
                ),
            };
            let chosen = settings.value_view == view;
            let button = ui.selectable_label(chosen, label);
            let button = button.named(&format!("values for {}", view.name()));
            if button.on_hover_text(hint).clicked() {
                settings.value_view = view;
            }
        }
    });
}

fn show_colours(settings: &mut ViewerSettings, model: &TreeModel, ui: &mut Ui, theme: &Theme) {
    ui.label(theme.heading("Colour"));
    show_measures(settings, model, ui);
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
    let chosen = selected_palette(settings);
    ui.horizontal_wrapped(|ui| {
        for (index, (name, text, hint)) in PALETTES.into_iter().enumerate() {
            let label = ui.selectable_label(chosen == Some(index), text).named(name);
            if label.on_hover_text(hint).clicked() {
                apply_palette(settings, index);
            }
        }
    });
    let mut colours = [theme.edge_least, theme.edge_most];
    let before = colours;
    for (colour, name) in colours.iter_mut().zip(EDGE_COLOUR_NAMES) {
        ui.horizontal(|ui| {
            ui.label(RichText::new(name).color(theme.dim));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                colour_button(ui, colour).named(name);
            });
        });
    }
    if colours != before {
        settings.edge_colours = Some(colours.map(|colour| [colour.r(), colour.g(), colour.b()]));
    }
}

/// The choice of what edges are coloured by.
fn show_measures(settings: &mut ViewerSettings, model: &TreeModel, ui: &mut Ui) {
    let second = if model.meta.is_some() {
        "this search"
    } else {
        "second counter"
    };
    let visits = if model.is_classical() {
        "nodes"
    } else {
        "visits"
    };
    ui.horizontal_wrapped(|ui| {
        for (name, text) in [("visits", visits), ("second", second), ("mean", "value")] {
            let chosen = settings.measure == name;
            let measure = ui
                .selectable_label(chosen, text)
                .named(&format!("colour by {name}"));
            if measure.clicked() {
                settings.measure = name.to_owned();
            }
        }
        for Column { name, .. } in model.columns() {
            let chosen = settings.measured_column() == Some(name.as_str());
            let measure = ui
                .selectable_label(chosen, &*escape_invisible(name))
                .named(&format!("colour by {name}"));
            if measure.clicked() {
                settings.measure = format!("column {name}");
            }
        }
    });
}

fn show_filter(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.label(theme.heading("Show"));
    let mut filter = app.document.filter.clone();
    ui.checkbox(&mut filter.sort_by_visits, "most visited on the left")
        .named("by visits");
    ui.checkbox(&mut filter.merge_turns, "whole turns as one edge")
        .named("whole turns")
        .on_hover_text("Moves that one player makes in a row, as in kalah");
    ui.horizontal(|ui| {
        ui.label(RichText::new("at least so many visits").color(theme.dim));
        ui.add(egui::DragValue::new(&mut filter.min_visits).speed(1.0));
    });
    ui.horizontal(|ui| {
        ui.label(RichText::new("only the best children").color(theme.dim));
        let mut best = filter.max_children.unwrap_or(0);
        ui.add(egui::DragValue::new(&mut best).range(0..=1000))
            .on_hover_text("0 for all");
        filter.max_children = (best > 0).then_some(best);
    });
    if !filter.is_unfiltered() && ui.button("Show everything").clicked() {
        filter = Filter::default();
    }
    if filter != app.document.filter {
        actions.push(Action::Filter(filter));
    }
}
