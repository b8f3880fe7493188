//! The bar above the tree, and the status line below.

use egui::{Align, Button, Key, Label, Layout, Modifiers, RichText, TextEdit, Ui};

use super::{Panels, elide::elided_label, settings_window::SettingsWindow};
use crate::{
    app::{Action, App, display_name},
    draw::{
        fonts,
        theme::{BODY_SIZE, Theme},
    },
    tree::{scene::format_thousands, title::tree_title},
    ui::controls::Named as _,
};

/// Least height of the bar's content, in points.
const BAR_HEIGHT: f32 = 32.0;
/// Width of the controls to the right of the tree's name, in points, without and of the button that follows a folder.
const RIGHT_CONTROLS_WIDTH: f32 = 404.0;
const FOLLOW_BUTTON_WIDTH: f32 = 116.0;

impl Panels {
    /// The bar above the tree.
    pub(super) fn show_bar(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        ui.horizontal(|ui| {
            ui.set_min_height(BAR_HEIGHT);
            let home = ui
                .add(Button::new(theme.title("Canopy")).frame(false))
                .named("home");
            if home.on_hover_text("Back to the start screen").clicked() {
                self.start.go_back();
                actions.push(Action::GoHome);
            }
            if app.is_at_start() {
                // There is no tree to go to, to find a move in or to save.
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    self.show_general_buttons(app, ui, actions);
                    let settings = ui.button("Settings").named("settings");
                    if settings
                        .on_hover_text("Memory and cache (ctrl + ,)")
                        .clicked()
                    {
                        self.settings_window = Some(SettingsWindow::new(app));
                    }
                });
                return;
            }
            ui.add_space(8.0);
            if ui
                .button("Open…")
                .named("open")
                .on_hover_text("Files or a folder (ctrl + o)")
                .clicked()
            {
                self.open_file_dialog(app, false);
            }
            ui.add_space(16.0);
            let (count, at) = (app.document.sequence.len(), app.document.sequence.index());
            let back = ui.add_enabled(count > 0 && at > 0, Button::new("‹"));
            if back
                .named("back")
                .on_hover_text("Previous tree (←)")
                .clicked()
            {
                actions.push(Action::StepTree(-1));
            }
            if count > 0 {
                ui.label(RichText::new(format!(
                    "Tree {} of {}",
                    format_thousands(at as u64 + 1),
                    format_thousands(count as u64)
                )));
            } else {
                ui.label(RichText::new("No tree").color(theme.dim));
            }
            let next = ui.add_enabled(at + 1 < count, Button::new("›"));
            if next.named("next").on_hover_text("Next tree (→)").clicked() {
                actions.push(Action::StepTree(1));
            }
            let field = ui.add_enabled(
                count > 0,
                TextEdit::singleline(&mut self.jump_text)
                    .desired_width(56.0)
                    .hint_text("go to"),
            );
            let field = field
                .named("jump")
                .on_hover_text("The number of a tree (g)");
            if std::mem::take(&mut self.focuses_jump_field) {
                field.request_focus();
            }
            let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if is_entered && !self.jump_text.is_empty() {
                actions.push(Action::JumpToTree(std::mem::take(&mut self.jump_text)));
            }
            if let Some(shown) = &app.document.shown_path {
                // The rest of the bar needs room, too.
                let follow = f32::from(app.folder.directory.is_some()) * FOLLOW_BUTTON_WIDTH;
                let room = ui.available_width() - RIGHT_CONTROLS_WIDTH - follow;
                if room > 24.0 {
                    ui.scope(|ui| {
                        ui.set_max_width(room);
                        let file = display_name(shown);
                        let meta = app
                            .document
                            .model
                            .as_ref()
                            .and_then(|model| model.meta.as_ref());
                        let title = meta.and_then(|meta| tree_title(meta));
                        let font = egui::FontId::new(BODY_SIZE, fonts::semibold());
                        let text = title.as_ref().unwrap_or(&file);
                        let label = elided_label(ui, text, (&font, theme.text), room);
                        if title.is_some() {
                            label.on_hover_text(&file).named("tree title");
                        }
                    });
                }
            }
            if app.folder.directory.is_some() {
                let (text, colour) = if app.folder.is_following_newest {
                    ("● Following", theme.good)
                } else {
                    ("○ Follow", theme.dim)
                };
                let button = ui.button(RichText::new(text).color(colour)).named("follow");
                if button
                    .on_hover_text("Show new trees as they appear (w)")
                    .clicked()
                {
                    actions.push(Action::FollowNewest(!app.folder.is_following_newest));
                }
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                self.show_general_buttons(app, ui, actions);
                let has_tree = app.document.model.is_some();
                let reset = ui.add_enabled(has_tree, Button::new("Reset view"));
                if reset
                    .named("reset")
                    .on_hover_text("See the whole tree (Home)")
                    .clicked()
                {
                    actions.push(Action::FitTree);
                }
                let save = ui.add_enabled(has_tree, Button::new("Save…"));
                if save
                    .named("save")
                    .on_hover_text("As .tree, .csv, .png or .svg (ctrl + s)")
                    .clicked()
                {
                    self.open_file_dialog(app, true);
                }
                let find = ui.add_enabled(
                    has_tree,
                    TextEdit::singleline(&mut self.find_text)
                        .desired_width(110.0)
                        .hint_text("find a move"),
                );
                let find = find
                    .named("find")
                    .on_hover_text("A move, or a part of a state (ctrl + f)");
                if ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::F)) {
                    find.request_focus();
                }
                if find.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
                    actions.push(Action::Find(self.find_text.clone()));
                    find.request_focus();
                }
            });
        });
    }

    /// The buttons that every screen has, from the right: the list of keys, and the other theme.
    fn show_general_buttons(&mut self, app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
        if ui
            .button("?")
            .named("help")
            .on_hover_text("All keys (?)")
            .clicked()
        {
            self.is_help_open ^= true;
        }
        let theme_button = ui.button(if app.settings.dark { "Light" } else { "Dark" });
        if theme_button
            .named("theme")
            .on_hover_text("The other theme (t)")
            .clicked()
        {
            actions.push(Action::SwitchTheme);
        }
    }

    /// The status line.
    pub(super) fn show_status(app: &App, ui: &mut Ui, theme: &Theme) {
        ui.horizontal(|ui| {
            ui.set_min_height(20.0);
            match &app.message {
                Some(message) => {
                    let colour = if message.is_error {
                        theme.bad
                    } else {
                        theme.text
                    };
                    let text = RichText::new(&message.text).color(colour);
                    ui.add(Label::new(text).truncate());
                }
                None => {
                    let hint = match app.folder.status() {
                        Some(_) if app.session.is_some() => {
                            "click the board or type a move (m); u takes back, ? lists all keys"
                                .to_owned()
                        }
                        Some(watching) => watching,
                        None if app.is_at_start() => {
                            "Tab moves between the choices, Enter takes one. ? lists all keys."
                                .to_owned()
                        }
                        None => "? lists all keys".to_owned(),
                    };
                    let colour = if app.folder.is_polling() {
                        theme.warm
                    } else {
                        theme.dim
                    };
                    ui.add(Label::new(RichText::new(hint).color(colour)).truncate());
                }
            }
        });
    }
}
