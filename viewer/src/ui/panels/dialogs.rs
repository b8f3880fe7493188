//! Questions: for files, and before a game is left.

use std::path::Path;

use egui::{Align2, RichText, Ui, vec2};

use super::{
    Panels,
    file_dialog::{FileDialog, FilePurpose},
};
use crate::{
    app::{Action, App},
    draw::theme::Theme,
    ui::{
        controls::Named as _,
        keys::{Command, hint},
    },
};

impl Panels {
    /// Asks for the file of a game.
    pub(super) fn open_game_dialog(&mut self, app: &App, is_save: bool) {
        let here = std::env::current_dir().unwrap_or_default();
        let session = app.session.as_ref().filter(|_| is_save);
        self.dialog = Some(match session.map(|playing| playing.game.facts()) {
            Some(facts) => {
                let path = here.join(format!("game.{}", facts.record_extension()));
                FileDialog::new(FilePurpose::SaveGame(facts), &path)
            }
            None => FileDialog::new(FilePurpose::Open, &here),
        });
    }

    /// Asks for a file to open.
    pub(super) fn open_open_dialog(&mut self, app: &App) {
        let directory = (app.folder.directory.clone()).or_else(|| std::env::current_dir().ok());
        let directory = directory.unwrap_or_default();
        self.dialog = Some(FileDialog::new(FilePurpose::Open, &directory));
    }

    /// Asks for a tree to compare the shown one with.
    pub(super) fn open_second_dialog(&mut self, app: &App) {
        let beside = app.document.shown_path.as_deref().and_then(Path::parent);
        let here = || std::env::current_dir().unwrap_or_default();
        let directory = match beside {
            Some(beside) if !app.has_temporary_trees() => beside.to_owned(),
            _ => here(),
        };
        self.dialog = Some(FileDialog::new(FilePurpose::OpenSecond, &directory));
    }

    /// Asks for a file to save the tree or a picture in.
    pub(super) fn open_save_dialog(&mut self, app: &App) {
        let shown = app.document.shown_path.clone().unwrap_or_default();
        let shown = shown.with_extension("png");
        // Files beside the trees of a game in the window are deleted with the game.
        let path = match shown.file_name() {
            Some(name) if app.has_temporary_trees() => {
                std::env::current_dir().unwrap_or_default().join(name)
            }
            _ => shown,
        };
        let dialog = FileDialog::new(FilePurpose::SaveTree, &path);
        self.dialog = Some(dialog.with_figure(app.figure_words()));
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
                    let leave = ui.button("Leave it");
                    if leave.explained("leave yes", "The game ends here").clicked() {
                        answer = Some(true);
                    }
                    let stay = ui.button("Go on playing");
                    let about = hint("Back to the game", Command::Close);
                    if stay.explained("leave no", about).clicked() {
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

    /// The dialog, if one is open.
    pub(super) fn show_dialogs(&mut self, ui: &Ui, theme: &Theme, actions: &mut Vec<Action>) {
        let Some(dialog) = &mut self.dialog else {
            return;
        };
        let mut is_open = true;
        let mut is_done = false;
        egui::Window::new(dialog.title())
            .anchor(Align2::CENTER_TOP, vec2(0.0, 80.0))
            .collapsible(false)
            .resizable(false)
            .open(&mut is_open)
            .show(ui.ctx(), |ui| {
                ui.set_width(560.0);
                is_done = dialog.show(ui, theme, actions);
            });
        if !is_open || is_done {
            self.dialog = None;
        }
    }
}
