//! The bar above the tree, and the status line below.

use egui::{Align, Button, FontId, Key, Label, Layout, RichText, TextEdit, Ui};

use super::{
    Panels,
    elide::{elide, elided_label},
    form::segments_width,
    settings_window::SettingsWindow,
    view_switch,
};
use crate::{
    app::{Action, App, CompareCommand, View, display_name},
    draw::{
        fonts,
        theme::{BODY_SIZE, Theme},
    },
    tree::{
        scene::format_thousands,
        title::{middle_ellipsis, tree_title},
    },
    ui::{
        controls::{self, Named as _},
        keys::{Command, hint, keys_text},
    },
};

/// Space between groups of controls.
const GROUP_GAP: f32 = 8.0;
/// Width of the field for a tree's number.
const JUMP_WIDTH: f32 = 48.0;
/// A title that has less room than this is left out.
const MIN_TITLE_WIDTH: f32 = 48.0;
/// Room for a title for which the views become a menu, and for which other texts are shortened a little; a longer title is cut.
const READABLE_TITLE_WIDTH: f32 = 160.0;
const MAX_TITLE_WIDTH: f32 = 280.0;
const MAX_TITLE_CHARS: usize = 64;
/// The shortest texts of the bar; 0 is the longest.
const SHORTEST: u32 = 4;

/// The words of the bar, in one of several lengths.
struct BarTexts {
    /// Which tree is shown.
    tree: String,
    /// What the button that follows a folder says; none without a folder.
    follow: Option<&'static str>,
    reset: &'static str,
    /// Width of the field to find a move, in points.
    find_width: f32,
    /// What an empty one says.
    find_hint: &'static str,
    /// Whether the views are a menu.
    has_view_menu: bool,
}

impl BarTexts {
    /// The texts of a length; 0 is the longest.
    fn of_length(app: &App, length: u32) -> Self {
        let (count, at) = (app.document.sequence.len(), app.document.sequence.index());
        let number = format_thousands(at as u64 + 1);
        let total = format_thousands(count as u64);
        let is_following = app.folder.is_following_newest;
        let follow = match (is_following, length) {
            (true, 0) => "● Following",
            (false, 0) => "○ Follow",
            (true, _) => "●",
            (false, _) => "○",
        };
        Self {
            tree: match (count, length) {
                (0, _) => "No tree".to_owned(),
                (_, 0 | 1) => format!("Tree {number} of {total}"),
                (_, 2 | 3) => format!("{number} / {total}"),
                _ => format!("{number}/{total}"),
            },
            follow: app.folder.directory.is_some().then_some(follow),
            reset: match length {
                0 => "Reset view",
                _ => "Reset",
            },
            find_width: match length {
                0 => 110.0,
                1..=3 => 72.0,
                _ => 40.0,
            },
            // The key that leads there, where there is no room for words.
            find_hint: match length {
                0 => "find a move",
                1..=3 => "find",
                _ => "F",
            },
            has_view_menu: length > 2,
        }
    }

    /// The longest texts for which there is room, and the room that is left for the title.
    fn fitting(app: &App, ui: &Ui, theme: &Theme) -> (Self, f32) {
        let room = |texts: &Self| ui.available_width() - texts.width(app, ui, theme);
        let wanted = title_of(app).map_or(0.0, |title| {
            let font = FontId::new(BODY_SIZE, fonts::semibold());
            // Longer ones are cut before they are measured.
            let title = middle_ellipsis(&title, MAX_TITLE_CHARS);
            let galley = (ui.painter()).layout_no_wrap(title, font, theme.text);
            galley.size().x.min(MAX_TITLE_WIDTH) + ui.spacing().item_spacing.x
        });
        let mut texts = Self::of_length(app, 0);
        for length in 1..=SHORTEST {
            // The last one is for long numbers alone; the title may go before.
            let least = match length {
                1 | 2 => wanted,
                3 => wanted.min(READABLE_TITLE_WIDTH),
                _ => 0.0,
            };
            if room(&texts) < least {
                texts = Self::of_length(app, length);
            }
        }
        // The title has a gap behind it, as everything has.
        let left = room(&texts) - ui.spacing().item_spacing.x;
        (texts, left)
    }

    /// The width of everything to the right of the name of the program, without the title, in points.
    fn width(&self, app: &App, ui: &Ui, theme: &Theme) -> f32 {
        let gap = ui.spacing().item_spacing.x;
        let text = |text: &str| {
            let font = FontId::proportional(BODY_SIZE);
            let galley = (ui.painter()).layout_no_wrap(text.to_owned(), font, theme.text);
            galley.size().x + gap
        };
        let buttons = [
            "Open…",
            "<<",
            ">>",
            "OK",
            "Save…",
            theme_text(app),
            "?",
            self.reset,
        ];
        let buttons = buttons.into_iter().chain(self.follow);
        let padding = 2.0 * ui.spacing().button_padding.x;
        let buttons: f32 = buttons.map(|label| text(label) + padding).sum();
        let views = view_switch::texts(app, self.has_view_menu);
        let views: f32 = match self.has_view_menu {
            true => views.iter().map(|label| text(label) + padding).sum(),
            false => segments_width(ui, &views) + gap,
        };
        let fields = JUMP_WIDTH + self.find_width + 2.0 * gap;
        buttons + views + text(&self.tree) + fields + 5.0 * GROUP_GAP
    }
}

/// What the button that switches the theme says.
fn theme_text(app: &App) -> &'static str {
    match app.settings.dark {
        true => "Light",
        false => "Dark",
    }
}

impl Panels {
    /// The bar above the tree.
    pub(super) fn show_bar(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        /// Least height of the bar's content, in points.
        const BAR_HEIGHT: f32 = 32.0;
        ui.horizontal(|ui| {
            ui.set_min_height(BAR_HEIGHT);
            let home = ui.add(Button::new(theme.title("Canopy")).frame(false));
            if home.explained("home", "Back to the start screen").clicked() {
                self.start.go_back();
                actions.push(Action::GoHome);
            }
            if app.is_at_start() {
                // There is no tree to go to, to find a move in or to save.
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    self.show_general_buttons(app, ui, actions);
                    let about = hint("Size of texts, memory, cache", Command::Settings);
                    let settings = ui.button("Settings").explained("settings", about);
                    if settings.clicked() {
                        self.settings_window = Some(SettingsWindow::new(app));
                    }
                });
                return;
            }
            let (texts, room) = BarTexts::fitting(app, ui, theme);
            ui.add_space(GROUP_GAP);
            let about = hint("Files or a folder", Command::Open);
            if ui.button("Open…").explained("open", about).clicked() {
                self.open_open_dialog(app);
            }
            ui.add_space(GROUP_GAP);
            self.show_sequence(app, &texts, ui, actions);
            ui.add_space(GROUP_GAP);
            if room >= MIN_TITLE_WIDTH {
                show_title(app, room, ui, theme);
            }
            if let Some(text) = texts.follow {
                show_follow(app, text, ui, theme, actions);
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                self.show_general_buttons(app, ui, actions);
                self.show_tree_buttons(app, &texts, ui, actions);
                ui.add_space(GROUP_GAP);
                view_switch::show(app, texts.has_view_menu, ui, theme, actions);
            });
        });
    }

    /// Which tree is shown, and how to get to another.
    fn show_sequence(
        &mut self,
        app: &App,
        texts: &BarTexts,
        ui: &mut Ui,
        actions: &mut Vec<Action>,
    ) {
        let (count, at) = (app.document.sequence.len(), app.document.sequence.index());
        let back = ui.add_enabled(count > 0 && at > 0, Button::new("<<"));
        let back = back.explained("back", hint("Previous tree", Command::PreviousTree));
        if back.clicked() {
            actions.push(Action::StepTree(-1));
        }
        let about = "Trees are numbered in the order of their names or of their searches";
        ui.label(&texts.tree).on_hover_text(about);
        let next = ui.add_enabled(at + 1 < count, Button::new(">>"));
        let next = next.explained("next", hint("Next tree", Command::NextTree));
        if next.clicked() {
            actions.push(Action::StepTree(1));
        }
        let field = TextEdit::singleline(&mut self.jump_text)
            .desired_width(JUMP_WIDTH)
            .hint_text("no.");
        let field = ui.add_enabled(count > 0, field);
        let field = field.explained("jump", hint("The number of a tree", Command::GoToTree));
        if std::mem::take(&mut self.focuses_jump_field) {
            field.request_focus();
        }
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let ok = ui.add_enabled(!self.jump_text.is_empty(), Button::new("OK"));
        let ok = ok.explained("jump ok", "Go to the tree of this number (Enter)");
        if (is_entered || ok.clicked()) && !self.jump_text.is_empty() {
            actions.push(Action::JumpToTree(std::mem::take(&mut self.jump_text)));
        }
    }

    /// What can be done with the tree, from the right.
    fn show_tree_buttons(
        &mut self,
        app: &App,
        texts: &BarTexts,
        ui: &mut Ui,
        actions: &mut Vec<Action>,
    ) {
        let has_tree = app.document.model.is_some();
        let reset = ui.add_enabled(has_tree, Button::new(texts.reset));
        let reset = reset.explained("reset", hint("See the whole tree", Command::WholeTree));
        if reset.clicked() {
            actions.push(Action::FitTree);
        }
        let save = ui.add_enabled(has_tree, Button::new("Save…"));
        let about = hint("As .tree, .csv, .png or .svg", Command::Save);
        if save.explained("save", about).clicked() {
            self.open_save_dialog(app);
        }
        let field = TextEdit::singleline(&mut self.find_text)
            .desired_width(texts.find_width)
            .hint_text(texts.find_hint);
        let find = ui.add_enabled(has_tree, field);
        let about = hint(
            "A move, or a part of a state; again for the next",
            Command::Find,
        );
        let find = find.explained("find", about);
        if std::mem::take(&mut self.focuses_find_field) {
            find.request_focus();
        }
        if find.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            actions.push(Action::Find(self.find_text.clone()));
            find.request_focus();
        }
    }

    /// The buttons that every screen has, from the right: help, and the other theme.
    fn show_general_buttons(&mut self, app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
        let about = hint("All keys, and what the words mean", Command::Help);
        if ui.button("?").explained("help", about).clicked() {
            self.help.open();
        }
        let about = hint("The other theme", Command::SwitchTheme);
        let theme_button = ui.button(theme_text(app)).explained("theme", about);
        if theme_button.clicked() {
            actions.push(Action::SwitchTheme);
        }
    }

    /// The status line: a message or what can be done on the left, the folder that is followed on the right.
    pub(super) fn show_status(app: &App, ui: &mut Ui, theme: &Theme) {
        ui.horizontal(|ui| {
            ui.set_min_height(20.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                show_followed_folder(app, ui, theme);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let (text, colour) = match &app.message {
                        Some(message) if message.is_error => (message.text.clone(), theme.bad),
                        Some(message) => (message.text.clone(), theme.text),
                        None if app.folder.is_polling() => (idle_text(app), theme.warm),
                        None => (idle_text(app), theme.dim),
                    };
                    ui.add(Label::new(RichText::new(text).color(colour)).truncate());
                });
            });
        });
    }
}

/// The folder that is followed, while there is no message; where the system does not tell of changes there, the sentence on the left says so.
fn show_followed_folder(app: &App, ui: &mut Ui, theme: &Theme) {
    let is_told = app.message.is_none() && app.session.is_none() && !app.folder.is_polling();
    let Some(directory) = app.folder.directory.as_ref().filter(|_| is_told) else {
        return;
    };
    let text = format!("watching {}", display_name(directory));
    let font = FontId::proportional(BODY_SIZE);
    let room = ui.available_width() / 3.0;
    let label = elided_label(ui, &text, (&font, theme.dim), room);
    label.explained("watching", directory.display().to_string());
    ui.add_space(GROUP_GAP);
}

/// What the status line says while there is no message.
fn idle_text(app: &App) -> String {
    let help = format!("{} lists all keys", keys_text(Command::Help));
    match app.folder.status().filter(|_| app.folder.is_polling()) {
        _ if app.session.is_some() => {
            let (typing, undo) = (keys_text(Command::TypeMove), keys_text(Command::Undo));
            format!("Click the board, or type a move ({typing}). {undo} takes back, {help}.")
        }
        _ if app.shown_view() == View::Steps => {
            format!(
                "Right and Left step, Space plays in slow motion, N goes to the next iteration. {help}."
            )
        }
        _ if app.shown_view() == View::Why => {
            format!(
                "Click another move to ask about it. Up and Down step through both lines. {help}."
            )
        }
        _ if app.shown_view() == View::Compare && app.compare.shown.is_some() => {
            let (link, exchange) = (
                keys_text(Command::Compare(CompareCommand::Link)),
                keys_text(Command::Compare(CompareCommand::Exchange)),
            );
            let linked = match app.compare.is_linked {
                true => {
                    format!("Both trees follow one camera and one selection; {link} unlinks them")
                }
                false => format!("Each tree has its own camera; {link} links them"),
            };
            format!("{linked}, {exchange} exchanges A and B. {help}.")
        }
        Some(polling) => polling,
        None if app.is_at_start() => {
            format!("Tab moves between the choices, Enter takes one. {help}.")
        }
        None => format!("Click a node to select it, double-click to zoom, wheel to zoom. {help}."),
    }
}

/// The tree's name in words, or else its file's.
fn title_of(app: &App) -> Option<String> {
    let model = app.document.model.as_ref();
    let title = model.and_then(|model| tree_title(model.meta.as_ref()?));
    title.or_else(|| app.document.shown_path.as_deref().map(display_name))
}

fn show_title(app: &App, room: f32, ui: &mut Ui, theme: &Theme) {
    let (Some(title), Some(shown)) = (title_of(app), &app.document.shown_path) else {
        return;
    };
    let file = display_name(shown);
    let font = FontId::new(BODY_SIZE, fonts::semibold());
    let (_, is_cut) = elide(ui.painter(), &title, (&font, theme.text), room);
    let label = elided_label(ui, &title, (&font, theme.text), room);
    if !is_cut {
        controls::register(ui.ctx(), &format!("title: {title}"), label.rect);
    }
    if title != file {
        label.explained("tree title", &file);
    }
}

/// The button that follows a folder.
fn show_follow(app: &App, text: &str, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let is_following = app.folder.is_following_newest;
    let colour = match is_following {
        true => theme.good,
        false => theme.dim,
    };
    let about = match is_following {
        true => "New trees are shown as they appear; click to stay at this one",
        false => "Show new trees as they appear",
    };
    let button = ui.button(RichText::new(text).color(colour));
    let button = button.explained("follow", hint(about, Command::FollowNewest));
    if button.clicked() {
        actions.push(Action::FollowNewest(!is_following));
    }
}
