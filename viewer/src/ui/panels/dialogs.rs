//! The list of keys, and the questions: for files, and before a game is left.

use std::path::{Path, PathBuf};

use canopy_engine::{games::GameFacts, tree::files::Format};
use egui::{Align2, Button, Grid, Key, RichText, ScrollArea, TextEdit, Ui, vec2};

use super::Panels;
use crate::{
    app::{Action, App, GameAction, display_name},
    draw::theme::Theme,
    play::files::is_game_file,
    system::paths::absolute,
    tree::sequence::is_tree_file,
    ui::controls::Named as _,
    workers::render::is_picture,
};

/// Upper bound of listed files of a folder.
const MAX_LISTED_FILES: usize = 2000;

/// Key bindings and their meaning.
const KEY_BINDINGS: &[(&str, &str)] = &[
    ("← →", "previous and next tree"),
    ("g", "go to the tree of a number"),
    ("w", "follow new trees"),
    (
        "shift + arrows, h j k l",
        "walk to sibling, child and parent",
    ),
    ("[ ]", "back and forward through what was selected"),
    ("f, double click", "see the selected subtree"),
    ("Home", "see the whole tree"),
    ("a", "show the main lines, or all nodes"),
    ("click, shift + click ▲", "open folded moves, all below"),
    ("+ −, wheel", "zoom"),
    ("drag", "move the tree"),
    ("space", "fold and unfold the selected subtree"),
    ("p", "let the tree grow, and stop it"),
    (", .", "one iteration back and on"),
    ("End", "the end of the search"),
    ("ctrl + o", "open files or a folder"),
    ("ctrl + s", "save the tree or a picture"),
    ("ctrl + f", "find a move or state, again the next"),
    ("ctrl + c", "copy the line to the selected node"),
    ("c x", "copy its position, its figures"),
    ("t", "light and dark"),
    ("1 2", "fold the left and the right area"),
    ("w p o", "on the start screen: watch, play, open"),
    ("r", "the rules of the game"),
    ("tab", "from field to field, from choice to choice"),
    ("Enter", "take it; start the game that is set up"),
    ("m", "type a move, in a game"),
    ("u n b", "take back, one move of the engine, pause"),
    ("Page ↑ ↓", "through the moves of a game"),
    ("ctrl + + − 0", "size of all text"),
    ("ctrl + ,", "text size, memory, cache"),
    ("ctrl + q", "close the window"),
    ("?", "this list"),
];

/// A file dialog.
pub(super) struct FileDialog {
    is_save: bool,
    path: String,
    /// Files to be opened together.
    selected: Vec<PathBuf>,
    /// Size of a saved picture relative to the screen.
    picture_scale: f64,
    /// A folder's content: whether each entry is a file, and its path.
    listing: Option<(PathBuf, Vec<(bool, PathBuf)>)>,
    /// Why the answer was rejected.
    problem: Option<String>,
    /// The existing file for which the user has been warned that it will be replaced.
    confirmed_replacement: Option<PathBuf>,
}

impl Panels {
    /// Asks for the file of a game.
    pub(super) fn open_game_dialog(&mut self, app: &App, is_save: bool) {
        self.open_file_dialog(app, is_save);
        let facts = app.session.as_ref().map(|playing| playing.game.facts());
        let name = format!("game.{}", facts.map_or("txt", GameFacts::record_extension));
        let here = std::env::current_dir().unwrap_or_default();
        if let Some(dialog) = &mut self.dialog {
            let path = if is_save { here.join(name) } else { here };
            dialog.path = path.display().to_string();
        }
    }

    /// Asks for a file.
    pub(super) fn open_file_dialog(&mut self, app: &App, is_save: bool) {
        let path = if is_save {
            let shown = app
                .document
                .shown_path
                .clone()
                .unwrap_or_default()
                .with_extension("png");
            // Files beside the trees of a game in the window are deleted with the game.
            let path = match shown.file_name() {
                Some(name) if app.has_temporary_trees() => {
                    std::env::current_dir().unwrap_or_default().join(name)
                }
                _ => shown,
            };
            path.display().to_string()
        } else {
            let directory = (app.folder.directory.clone()).or_else(|| std::env::current_dir().ok());
            directory.unwrap_or_default().display().to_string()
        };
        self.dialog = Some(FileDialog {
            is_save,
            path,
            selected: Vec::new(),
            picture_scale: 1.0,
            listing: None,
            problem: None,
            confirmed_replacement: None,
        });
    }

    /// Asks before a game is left that is not over.
    pub(super) fn confirm_leave(
        &mut self,
        app: &App,
        ui: &Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let leaves = |action: &Action| {
            matches!(
                action,
                Action::Open(_) | Action::LoadGame(_) | Action::GoHome
            )
        };
        if !app.has_unfinished_game() {
            self.pending_leave = None;
            return;
        }
        if let Some(at) = actions.iter().position(leaves) {
            self.pending_leave = Some(actions.remove(at));
            ui.ctx().request_repaint();
            return;
        }
        if self.pending_leave.is_none() {
            return;
        }
        let mut answer = None;
        egui::Window::new("Leave this game?")
            .anchor(Align2::CENTER_TOP, vec2(0.0, 80.0))
            .collapsible(false)
            .resizable(false)
            .show(ui.ctx(), |ui| {
                let text = "It is not over, and nothing of it is kept unless you save it.";
                ui.label(RichText::new(text).color(theme.dim));
                ui.horizontal(|ui| {
                    if ui.button("Leave it").named("leave yes").clicked() {
                        answer = Some(true);
                    }
                    if ui.button("Go on playing").named("leave no").clicked() {
                        answer = Some(false);
                    }
                });
            });
        match answer {
            Some(true) => actions.extend(self.pending_leave.take()),
            Some(false) => self.pending_leave = None,
            None => {}
        }
    }

    /// The key list, or a dialog, if one is open.
    pub(super) fn show_dialogs(&mut self, ui: &Ui, theme: &Theme, actions: &mut Vec<Action>) {
        if self.is_help_open {
            egui::Window::new("Keys")
                .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
                .collapsible(false)
                .resizable(false)
                .open(&mut self.is_help_open)
                .show(ui.ctx(), |ui| show_key_bindings(ui, theme));
        }
        let Some(dialog) = &mut self.dialog else {
            return;
        };
        let mut is_open = true;
        let mut is_done = false;
        let title = if dialog.is_save { "Save" } else { "Open" };
        egui::Window::new(title)
            .anchor(Align2::CENTER_TOP, vec2(0.0, 80.0))
            .collapsible(false)
            .resizable(false)
            .open(&mut is_open)
            .show(ui.ctx(), |ui| {
                ui.set_width(560.0);
                is_done = dialog.show(title, ui, theme, actions);
            });
        if !is_open || is_done {
            self.dialog = None;
        }
    }
}

impl FileDialog {
    /// Shows the dialog; true once it is answered.
    fn show(&mut self, title: &str, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) -> bool {
        let hint = if self.is_save {
            "A tree as .tree, .csv, .png or .svg; a game as .txt, .pgn (chess) or .ggf (othello)"
        } else {
            "A folder, a tree file, or several: click them in the list; or a game (.pgn, .ggf, .txt)"
        };
        ui.label(RichText::new(hint).color(theme.dim));
        let field = TextEdit::singleline(&mut self.path).desired_width(f32::INFINITY);
        let field = ui.add(field).named("dialog path");
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if field.changed() {
            self.selected.clear();
            self.problem = None;
        }
        field.request_focus();
        if self.is_save && self.path.trim().to_lowercase().ends_with(".png") {
            ui.horizontal(|ui| {
                ui.label(RichText::new("Size of a picture").color(theme.dim));
                for scale in [1.0, 2.0, 4.0] {
                    ui.selectable_value(&mut self.picture_scale, scale, format!("{scale}×"));
                }
            });
        } else if !self.is_save {
            self.show_files(ui, theme);
        }
        if let Some(problem) = &self.problem {
            ui.label(RichText::new(problem).color(theme.bad));
        }
        let mut is_done = false;
        ui.horizontal(|ui| {
            let text = match self.selected.len() {
                0 | 1 => title.to_owned(),
                many => format!("{title} {many} files"),
            };
            let is_pressed = ui.button(text).named("dialog yes").clicked();
            if (is_pressed || is_entered) && !self.path.trim().is_empty() {
                self.problem = self.is_save.then(|| self.validate()).flatten();
                if self.problem.is_none() {
                    actions.push(self.to_action());
                    is_done = true;
                }
            }
            is_done |= ui.button("Cancel").on_hover_text("Escape").clicked();
        });
        is_done
    }

    /// Why the file cannot be saved there, if so. An existing file is replaced on the second confirmation.
    fn validate(&mut self) -> Option<String> {
        let path = PathBuf::from(self.path.trim());
        if !is_game_file(&path) && !is_picture(&path) && Format::from_path(&path).is_err() {
            return Some(
                "The name says what is saved: expected .tree, .csv, .png, .svg, or a game's .txt, .pgn or .ggf.".to_owned(),
            );
        }
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Some(format!("There is no folder {}.", folder.display()));
        }
        if path.exists() && self.confirmed_replacement.as_ref() != Some(&path) {
            self.confirmed_replacement = Some(path);
            return Some("There is a file of that name; Save once more replaces it.".to_owned());
        }
        None
    }

    fn to_action(&self) -> Action {
        let path = PathBuf::from(self.path.trim());
        let first = self.selected.first().unwrap_or(&path);
        if is_game_file(first) && self.is_save {
            Action::Game(GameAction::Save(path))
        } else if is_game_file(first) {
            Action::LoadGame(first.clone())
        } else if self.is_save {
            Action::Save(path, self.picture_scale)
        } else if self.selected.is_empty() {
            Action::Open(vec![path])
        } else {
            Action::Open(self.selected.clone())
        }
    }

    /// Lists the folder that the path points to.
    fn show_files(&mut self, ui: &mut Ui, theme: &Theme) {
        let path = absolute(Path::new(self.path.trim()));
        let directory = if path.is_dir() {
            Some(path.as_path())
        } else {
            path.parent()
        };
        let Some(directory) = directory.map(Path::to_owned) else {
            return;
        };
        if self
            .listing
            .as_ref()
            .is_none_or(|(listed, _)| *listed != directory)
        {
            self.listing = Some((directory.clone(), list_directory(&directory)));
        }
        let Some((_, entries)) = &self.listing else {
            return;
        };
        let mut go_to = None;
        let mut toggled = None;
        ScrollArea::vertical()
            .max_height(260.0)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                if let Some(above) = directory.parent()
                    && ui.add(Button::new("↑ ..").frame(false)).clicked()
                {
                    go_to = Some(above.to_owned());
                }
                for (is_file, path) in entries {
                    let name = display_name(path);
                    if *is_file {
                        if ui
                            .selectable_label(self.selected.contains(path), name)
                            .clicked()
                        {
                            toggled = Some(path.clone());
                        }
                    } else {
                        let text = RichText::new(format!("{name}/")).color(theme.cool);
                        if ui.add(Button::new(text).frame(false)).clicked() {
                            go_to = Some(path.clone());
                        }
                    }
                }
            });
        if let Some(path) = go_to {
            self.path = path.display().to_string();
            self.selected.clear();
        }
        if let Some(path) = toggled {
            match self.selected.iter().position(|chosen| *chosen == path) {
                Some(at) => {
                    self.selected.remove(at);
                }
                None => self.selected.push(path),
            }
        }
    }
}

/// The folders and trees of a folder, folders first.
fn list_directory(directory: &Path) -> Vec<(bool, PathBuf)> {
    let mut names: Vec<(bool, PathBuf)> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| {
            let is_folder = entry
                .file_type()
                .is_ok_and(|kind| kind.is_dir() || kind.is_symlink() && entry.path().is_dir());
            (!is_folder, entry.path())
        })
        .filter(|(is_file, path)| !is_file || is_tree_file(path) || is_game_file(path))
        .collect();
    names.sort();
    names.truncate(MAX_LISTED_FILES);
    names
}

/// The keys, in two columns.
fn show_key_bindings(ui: &mut Ui, theme: &Theme) {
    let half = KEY_BINDINGS.len().div_ceil(2);
    Grid::new("keys")
        .num_columns(4)
        .spacing(vec2(16.0, 6.0))
        .show(ui, |ui| {
            for row in 0..half {
                for (key, what) in KEY_BINDINGS
                    .get(row)
                    .into_iter()
                    .chain(KEY_BINDINGS.get(half + row))
                {
                    ui.label(theme.strong(*key));
                    ui.label(RichText::new(*what).color(theme.dim));
                }
                ui.end_row();
            }
        });
}
