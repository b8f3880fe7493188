//! The settings window: the size of text, what boards show, memory for trees, and the folder of journal indexes.

use std::path::PathBuf;

use egui::{Frame, Id, Modal, RichText, TextEdit, Ui};

use crate::{
    app::{Action, App},
    draw::theme::Theme,
    settings::{TEXT_SIZES, ViewerSettings, memory_budget::MAX_MEGABYTES},
    tree::scene::format_thousands,
    ui::{
        controls::Named as _,
        keys::{Command, hint, keys_text},
    },
};

/// The choice of the size of all text, which applies at once.
fn show_text_size(settings: &mut ViewerSettings, ui: &mut Ui, theme: &Theme) {
    ui.label("Size of all text");
    ui.horizontal(|ui| {
        for size in TEXT_SIZES {
            let percent = format!("{:.0} %", size * 100.0);
            let chosen = (settings.text_size - size).abs() < 0.01;
            let label = ui.selectable_label(chosen, &percent);
            let about = format!(
                "The whole window; also with {} and {}",
                keys_text(Command::LargerText),
                keys_text(Command::SmallerText)
            );
            let label = label.explained(&format!("text size {percent}"), about);
            if label.clicked() {
                settings.text_size = size;
            }
        }
    });
    let hint = "Panels can be made wider by dragging their edges.";
    ui.label(RichText::new(hint).color(theme.dim));
    ui.add_space(8.0);
}

/// What boards and running searches show, which applies at once.
fn show_switches(settings: &mut ViewerSettings, ui: &mut Ui) {
    ui.checkbox(
        &mut settings.coordinates,
        "Names of columns and rows on boards",
    )
    .explained(
        "settings coordinates",
        "Letters and numbers at the edges, as people name squares",
    );
    ui.checkbox(
        &mut settings.show_answer,
        "Show a move at once, before its tree has grown",
    )
    .named("settings answer")
    .on_hover_text(
        "Otherwise a move that is watched is held back until the tree that led to it is complete",
    );
    ui.add_space(8.0);
}

/// Texts of the settings window while it is open.
pub(super) struct SettingsWindow {
    memory: String,
    cache: String,
    /// What is wrong with them.
    problem: Option<String>,
}

impl SettingsWindow {
    /// The window with the settings as they are.
    pub(super) fn new(app: &App) -> Self {
        let cache = app.settings.cache.as_ref();
        Self {
            memory: app.settings.memory.to_string(),
            cache: cache.map_or_else(String::new, |path| path.display().to_string()),
            problem: None,
        }
    }

    /// Shows the window; false when it is closed.
    pub(super) fn show(
        &mut self,
        app: &mut App,
        ui: &Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) -> bool {
        // What lies below can neither be clicked nor reached by Tab.
        let frame = Frame::popup(ui.style()).inner_margin(16);
        let modal = Modal::new(Id::unique("settings")).frame(frame);
        let shown = modal.show(ui.ctx(), |ui| {
            ui.set_width(460.0);
            ui.label(theme.title("Settings"));
            ui.add_space(8.0);
            show_text_size(&mut app.settings, ui, theme);
            show_switches(&mut app.settings, ui);
            self.show_fields(app, ui, theme);
            self.show_buttons(ui, actions)
        });
        !shown.inner && !shown.should_close()
    }

    /// The buttons that close the window; true if one was clicked.
    fn show_buttons(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) -> bool {
        let mut is_done = false;
        ui.horizontal(|ui| {
            let apply = ui.button("Apply");
            let about = "Take these numbers for trees and journals opened from now on";
            if apply.explained("settings apply", about).clicked() {
                match self.to_action() {
                    Ok(action) => {
                        actions.push(action);
                        is_done = true;
                    }
                    Err(problem) => self.problem = Some(problem),
                }
            }
            let cancel = ui.button("Cancel");
            let about = hint("Leave memory and cache as they were", Command::Close);
            is_done |= cancel.explained("settings cancel", about).clicked();
        });
        is_done
    }

    fn show_fields(&mut self, app: &App, ui: &mut Ui, theme: &Theme) {
        ui.label("Memory for trees and journals, in megabytes");
        let memory = TextEdit::singleline(&mut self.memory).desired_width(90.0);
        let about = "Trees that were looked at before are forgotten beyond this";
        ui.add(memory).explained("settings memory", about);
        let megabytes = |bytes: usize| format_thousands((bytes >> 20) as u64);
        let (used, limit) = app.memory();
        let note = format!(
            "0 takes a quarter of the machine's memory, at most 2,048. In use: {} of {} MB.",
            megabytes(used),
            megabytes(limit)
        );
        ui.label(RichText::new(note).color(theme.dim));
        ui.add_space(8.0);
        ui.label("Folder for indexes of long journals");
        let cache = TextEdit::singleline(&mut self.cache)
            .desired_width(f32::INFINITY)
            .hint_text("the user's cache folder");
        let about =
            "Journals that are too large for memory are read with an index, which is kept here";
        ui.add(cache).explained("settings cache", about);
        if let Some(problem) = &self.problem {
            ui.label(RichText::new(problem).color(theme.bad));
        }
        ui.add_space(8.0);
        let hint = "Both count for trees and journals that are opened from now on.";
        ui.label(RichText::new(hint).color(theme.dim));
    }

    /// The action that applies the texts; an error is a sentence.
    fn to_action(&self) -> Result<Action, String> {
        let megabytes = self.memory.trim().parse::<u32>().ok();
        let megabytes = megabytes.filter(|&megabytes| megabytes <= MAX_MEGABYTES);
        let megabytes = megabytes.ok_or_else(|| {
            let most = format_thousands(MAX_MEGABYTES.into());
            format!("Memory is a whole number of megabytes from 0 to {most}.")
        })?;
        let cache = Some(self.cache.trim()).filter(|text| !text.is_empty());
        let cache = cache.map(PathBuf::from);
        if let Some(path) = cache.as_ref().filter(|path| path.is_file()) {
            return Err(format!(
                "{} is a file; name a folder for the indexes.",
                path.display()
            ));
        }
        Ok(Action::SetMemory { megabytes, cache })
    }
}
