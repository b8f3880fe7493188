//! The buttons that change the view, and what a view says that has nothing to show.

use egui::{Button, Frame, Popup, RichText, Ui};

use super::form::{Segment, show_segments};
use crate::{
    app::{Action, App, View},
    draw::theme::Theme,
    ui::{
        controls::Named as _,
        keys::{Command, hint},
    },
};

/// The views of this program.
fn existing_views() -> impl Iterator<Item = View> {
    View::ALL.into_iter().filter(|view| view.exists())
}

/// The text of the menu where there is no room for buttons.
fn menu_text(app: &App) -> String {
    format!("{} ▾", app.shown_view().name())
}

/// The texts of the controls side by side, to know how wide they are.
pub(super) fn texts(app: &App, is_menu: bool) -> Vec<String> {
    match is_menu {
        true => vec![menu_text(app)],
        false => existing_views()
            .map(|view| view.name().to_owned())
            .collect(),
    }
}

/// What is told about the button of a view: what it shows and its key, or why it is off.
fn hint_of(app: &App, view: View) -> String {
    let obstacle = app.view_obstacle(view).map(str::to_owned);
    obstacle.unwrap_or_else(|| hint(view.about(), Command::Show(view)))
}

/// Shows the choice of the view: buttons, or a menu.
pub(super) fn show(
    app: &App,
    is_menu: bool,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let views: Vec<View> = existing_views().collect();
    let shown = app.shown_view();
    if is_menu {
        let button = ui.button(menu_text(app));
        let button = button.explained("view menu", "Other views of this search");
        Popup::menu(&button).show(|ui| {
            for &view in &views {
                let item = Button::selectable(view == shown, view.name());
                let is_on = app.view_obstacle(view).is_none();
                let item = ui.add_enabled(is_on, item);
                let item = item.explained(&control_name(view), hint_of(app, view));
                if item.clicked() {
                    actions.push(Action::ShowView(view));
                }
            }
        });
        return;
    }
    let hints: Vec<String> = views.iter().map(|&view| hint_of(app, view)).collect();
    let segments: Vec<Segment<'_>> = (views.iter().zip(&hints))
        .map(|(&view, hint)| Segment {
            is_enabled: app.view_obstacle(view).is_none(),
            ..Segment::new(control_name(view), view.name(), hint)
        })
        .collect();
    let chosen = views.iter().position(|&view| view == shown);
    if let Some(&view) = show_segments(ui, theme, &segments, chosen).and_then(|at| views.get(at)) {
        actions.push(Action::ShowView(view));
    }
}

/// The name of the control that shows a view.
fn control_name(view: View) -> String {
    format!("view {}", view.name().to_lowercase())
}

/// Fills what is left of the window with a sentence, and a button that leads back to the tree.
pub(super) fn show_empty_view(
    sentence: &str,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    Frame::new().fill(theme.canvas).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        ui.vertical_centered(|ui| {
            ui.add_space((ui.available_height() / 2.0 - 40.0).max(16.0));
            ui.label(RichText::new(sentence).color(theme.dim));
            ui.add_space(16.0);
            let back = ui.button("Back to the tree");
            let about = hint(View::Tree.about(), Command::Show(View::Tree));
            if back.explained("back to the tree", about).clicked() {
                actions.push(Action::ShowView(View::Tree));
            }
        });
    });
}
