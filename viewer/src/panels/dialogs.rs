//! The list of keys, and the questions: for files, and before a game is left.

use std::path::{Path, PathBuf};

use canopy_engine::tree::files::Format;
use egui::{Align2, Button, Grid, Key, RichText, ScrollArea, TextEdit, Ui, vec2};

use super::Panels;
use crate::{
    app::{Action, App, Deed, name_of},
    controls::Named as _,
    easel::is_picture,
    paths::absolute,
    play::files::is_game,
    sequence::is_tree,
    theme::Theme,
};

/// So many files of a folder are listed.
const MOST_FILES: usize = 2000;

/// The keys, and what they do.
const KEYS: &[(&str, &str)] = &[
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
    ("tab", "from field to field"),
    ("Enter", "start the game that is set up"),
    ("m", "type a move, in a game"),
    ("u n b", "take back, one move of the engine, pause"),
    ("Page ↑ ↓", "through the moves of a game"),
    ("ctrl + q", "close the window"),
    ("?", "this list"),
];

/// A question for a file.
pub(super) struct Dialog {
    saves: bool,
    path: String,
    /// Files to be opened together.
    chosen: Vec<PathBuf>,
    /// How many times as large as on the screen a picture is to be.
    scale: f64,
    /// What is in a folder: whether it is a file, and its path.
    listed: Option<(PathBuf, Vec<(bool, PathBuf)>)>,
    /// What is wrong with the answer.
    problem: Option<String>,
    /// The file of which it was said that it would be replaced.
    replaced: Option<PathBuf>,
}

impl Panels {
    /// Asks for the file of a game.
    pub(super) fn ask_for_game(&mut self, app: &App, saves: bool) {
        self.ask(app, saves);
        let base = (app.playing.as_ref()).map_or("", |playing| playing.table.plan().game.as_str());
        let name = match base.split(':').next() {
            Some("chess") => "game.pgn",
            Some("othello") => "game.ggf",
            _ => "game.txt",
        };
        let here = std::env::current_dir().unwrap_or_default();
        if let Some(dialog) = &mut self.dialog {
            let path = if saves { here.join(name) } else { here };
            dialog.path = path.display().to_string();
        }
    }

    /// Asks for a file.
    pub(super) fn ask(&mut self, app: &App, saves: bool) {
        let path = if saves {
            let shown = app.shown.clone().unwrap_or_default().with_extension("png");
            // What lies beside the trees of a game in the window goes when the game does.
            let path = match shown.file_name() {
                Some(name) if app.is_passing() => {
                    std::env::current_dir().unwrap_or_default().join(name)
                }
                _ => shown,
            };
            path.display().to_string()
        } else {
            let directory = (app.directory.clone()).or_else(|| std::env::current_dir().ok());
            directory.unwrap_or_default().display().to_string()
        };
        self.dialog = Some(Dialog {
            saves,
            path,
            chosen: Vec::new(),
            scale: 1.0,
            listed: None,
            problem: None,
            replaced: None,
        });
    }

    /// Asks before a game is left that is not over.
    pub(super) fn leaving(&mut self, app: &App, ui: &Ui, theme: &Theme, actions: &mut Vec<Action>) {
        let leaves =
            |action: &Action| matches!(action, Action::Open(_) | Action::LayOut(_) | Action::Home);
        if !app.is_in_game() {
            self.leaving = None;
            return;
        }
        if let Some(at) = actions.iter().position(leaves) {
            self.leaving = Some(actions.remove(at));
            ui.ctx().request_repaint();
            return;
        }
        if self.leaving.is_none() {
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
            Some(true) => actions.extend(self.leaving.take()),
            Some(false) => self.leaving = None,
            None => {}
        }
    }

    /// The list of keys, or a question, if there is one.
    pub(super) fn dialogs(&mut self, ui: &Ui, theme: &Theme, actions: &mut Vec<Action>) {
        if self.help {
            egui::Window::new("Keys")
                .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
                .collapsible(false)
                .resizable(false)
                .open(&mut self.help)
                .show(ui.ctx(), |ui| keys_table(ui, theme));
        }
        let Some(dialog) = &mut self.dialog else {
            return;
        };
        let mut is_open = true;
        let mut is_done = false;
        let title = if dialog.saves { "Save" } else { "Open" };
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

impl Dialog {
    /// Shows it; whether it is answered.
    fn show(&mut self, title: &str, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) -> bool {
        let hint = if self.saves {
            "A tree as .tree, .csv, .png or .svg; a game as .txt, .pgn (chess) or .ggf (othello)"
        } else {
            "A folder, a tree file, or several: click them in the list; or a game (.pgn, .ggf, .txt)"
        };
        ui.label(RichText::new(hint).color(theme.dim));
        let field = TextEdit::singleline(&mut self.path).desired_width(f32::INFINITY);
        let field = ui.add(field).named("dialog path");
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if field.changed() {
            self.chosen.clear();
            self.problem = None;
        }
        field.request_focus();
        if self.saves && self.path.trim().to_lowercase().ends_with(".png") {
            ui.horizontal(|ui| {
                ui.label(RichText::new("Size of a picture").color(theme.dim));
                for scale in [1.0, 2.0, 4.0] {
                    ui.selectable_value(&mut self.scale, scale, format!("{scale}×"));
                }
            });
        } else if !self.saves {
            self.browse(ui, theme);
        }
        if let Some(problem) = &self.problem {
            ui.label(RichText::new(problem).color(theme.bad));
        }
        let mut is_done = false;
        ui.horizontal(|ui| {
            let text = match self.chosen.len() {
                0 | 1 => title.to_owned(),
                many => format!("{title} {many} files"),
            };
            let is_pressed = ui.button(text).named("dialog yes").clicked();
            if (is_pressed || is_entered) && !self.path.trim().is_empty() {
                self.problem = self.saves.then(|| self.check()).flatten();
                if self.problem.is_none() {
                    actions.push(self.answer());
                    is_done = true;
                }
            }
            is_done |= ui.button("Cancel").on_hover_text("Escape").clicked();
        });
        is_done
    }

    /// What speaks against saving there, if anything does. A file is replaced if that is said twice.
    fn check(&mut self) -> Option<String> {
        let path = PathBuf::from(self.path.trim());
        if !is_game(&path) && !is_picture(&path) && Format::of(&path).is_err() {
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
        if path.exists() && self.replaced.as_ref() != Some(&path) {
            self.replaced = Some(path);
            return Some("There is a file of that name; Save once more replaces it.".to_owned());
        }
        None
    }

    fn answer(&self) -> Action {
        let path = PathBuf::from(self.path.trim());
        let first = self.chosen.first().unwrap_or(&path);
        if is_game(first) && self.saves {
            Action::Deed(Deed::Save(path))
        } else if is_game(first) {
            Action::LayOut(first.clone())
        } else if self.saves {
            Action::Save(path, self.scale)
        } else if self.chosen.is_empty() {
            Action::Open(vec![path])
        } else {
            Action::Open(self.chosen.clone())
        }
    }

    /// What lies where the path points to.
    fn browse(&mut self, ui: &mut Ui, theme: &Theme) {
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
            .listed
            .as_ref()
            .is_none_or(|(listed, _)| *listed != directory)
        {
            self.listed = Some((directory.clone(), contents(&directory)));
        }
        let Some((_, entries)) = &self.listed else {
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
                    let name = name_of(path);
                    if *is_file {
                        if ui
                            .selectable_label(self.chosen.contains(path), name)
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
            self.chosen.clear();
        }
        if let Some(path) = toggled {
            match self.chosen.iter().position(|chosen| *chosen == path) {
                Some(at) => {
                    self.chosen.remove(at);
                }
                None => self.chosen.push(path),
            }
        }
    }
}

/// The folders and trees of a folder, folders first.
fn contents(directory: &Path) -> Vec<(bool, PathBuf)> {
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
        .filter(|(is_file, path)| !is_file || is_tree(path) || is_game(path))
        .collect();
    names.sort();
    names.truncate(MOST_FILES);
    names
}

/// The keys, in two columns.
fn keys_table(ui: &mut Ui, theme: &Theme) {
    let half = KEYS.len().div_ceil(2);
    Grid::new("keys")
        .num_columns(4)
        .spacing(vec2(16.0, 6.0))
        .show(ui, |ui| {
            for row in 0..half {
                for (key, what) in KEYS.get(row).into_iter().chain(KEYS.get(half + row)) {
                    ui.label(theme.strong(*key));
                    ui.label(RichText::new(*what).color(theme.dim));
                }
                ui.end_row();
            }
        });
}
