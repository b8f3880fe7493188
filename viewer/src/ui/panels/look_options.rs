//! Choices of how a tree looks that are made seldom: whose values, order and size of nodes, colours.

use egui::{Align, Button, Color32, Layout, Response, RichText, Ui};

use super::form::show_separator;

use crate::{
    app::{Action, App},
    draw::{palette, theme::Theme},
    settings::ViewerSettings,
    tree::{
        model::{Filter, TreeModel},
        node_value::{ValueView, wording},
    },
    ui::{controls::Named as _, glossary},
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
/// Width of the menu, in points.
const MENU_WIDTH: f32 = 264.0;
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

/// The content of the menu with everything about the look of a tree that is not on the toolbar itself.
pub(super) fn show_menu(app: &mut App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let Some(model) = app.document.model.clone() else {
        return;
    };
    ui.set_width(MENU_WIDTH);
    ui.label(theme.heading("Values are told for"));
    show_value_view(&mut app.settings, &model, ui);
    show_separator(ui);
    ui.label(theme.heading("Nodes"));
    show_node_options(app, ui, actions);
    show_separator(ui);
    ui.label(theme.heading("Colours"));
    show_scale_options(&mut app.settings, ui);
    show_palettes(&mut app.settings, ui, theme);
}

/// The choice of whose values are shown.
fn show_value_view(settings: &mut ViewerSettings, model: &TreeModel, ui: &mut Ui) {
    let names = wording(model).players;
    let root = names[usize::from(!model.node_states[0].is_first())];
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
        let button = ui.radio(chosen, label);
        let button = button.explained(&format!("values for {}", view.name()), hint);
        if button.clicked() {
            settings.value_view = view;
        }
    }
}

/// Order, size and labels of nodes.
fn show_node_options(app: &mut App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let mut filter = app.document.filter.clone();
    let sorted = ui.checkbox(&mut filter.sort_by_visits, "most visited on the left");
    sorted.explained("by visits", "Else in the order of the file");
    let merged = ui.checkbox(&mut filter.merge_turns, "whole turns as one edge");
    let hint = "Moves that one player makes in a row, as in kalah";
    merged.explained("whole turns", hint);
    let sized = ui.checkbox(&mut app.settings.by_size, "size by visits");
    sized.explained(
        "size by visits",
        "Nodes and edges that were visited often are larger",
    );
    let labels = ui.checkbox(&mut app.settings.labels, "labels");
    labels.explained("labels", "Moves, visits and values beside the nodes");
    let everything = ui.add_enabled(!filter.is_unfiltered(), Button::new("Show everything"));
    let everything = everything.explained("show everything", "No node hidden, none out of order");
    if everything.clicked() {
        filter = Filter::default();
    }
    if filter != app.document.filter {
        actions.push(Action::Filter(filter));
    }
}

/// How numbers become colours.
fn show_scale_options(settings: &mut ViewerSettings, ui: &mut Ui) {
    ui.horizontal(|ui| {
        for (is_on, name, term) in [
            (&mut settings.logarithmic, "logarithmic", "Log scale"),
            (&mut settings.per_layer, "per level", "Per level"),
        ] {
            let hint = glossary::explain(term).unwrap_or_default();
            ui.checkbox(is_on, name).explained(name, hint);
        }
    });
}

/// The palettes, and colours of one's own.
fn show_palettes(settings: &mut ViewerSettings, ui: &mut Ui, theme: &Theme) {
    let chosen = selected_palette(settings);
    ui.horizontal_wrapped(|ui| {
        for (index, (name, text, hint)) in PALETTES.into_iter().enumerate() {
            let label = ui.selectable_label(chosen == Some(index), text);
            if label.explained(name, hint).clicked() {
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
                let hint = format!("{name} edges have this colour");
                colour_button(ui, colour).explained(name, hint);
            });
        });
    }
    if colours != before {
        settings.edge_colours = Some(colours.map(|colour| [colour.r(), colour.g(), colour.b()]));
    }
}

#[cfg(test)]
mod tests {
    use egui::{Event, PointerButton, Pos2, RawInput, Shape, epaint::ClippedShape, pos2};

    use super::*;

    fn add_texts(shape: &Shape, texts: &mut Vec<String>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| add_texts(shape, texts)),
            Shape::Text(text) => texts.push(text.galley.text().to_owned()),
            _ => {}
        }
    }

    /// Runs a frame of the button with these events; its middle, and the texts that are shown.
    fn run(context: &egui::Context, events: Vec<Event>) -> (Pos2, Vec<String>) {
        let input = RawInput {
            screen_rect: Some(egui::Rect::from_min_size(
                Pos2::ZERO,
                egui::vec2(800.0, 600.0),
            )),
            events,
            ..RawInput::default()
        };
        let (mut at, mut colour) = (Pos2::ZERO, Color32::RED);
        let mut output = context.run_ui(input, |ui| {
            at = colour_button(ui, &mut colour).rect.center();
        });
        let mut texts = Vec::new();
        for ClippedShape { shape, .. } in &output.shapes {
            add_texts(shape, &mut texts);
        }
        output.textures_delta.clear();
        (at, texts)
    }

    #[test]
    fn the_colour_picker_asks_for_a_colour_and_not_for_blending() {
        let context = egui::Context::default();
        let (at, _) = run(&context, Vec::new());
        let button = |pressed: bool| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        run(&context, vec![Event::PointerMoved(at), button(true)]);
        run(&context, vec![button(false)]);
        run(&context, vec![Event::PointerMoved(pos2(700.0, 500.0))]);
        let (_, texts) = run(&context, Vec::new());
        assert!(!texts.is_empty(), "the picker is open");
        let is_said = |word: &str| texts.iter().any(|text| text.contains(word));
        assert!(!is_said("Blending") && !is_said("Additive"), "{texts:?}");
    }
}
