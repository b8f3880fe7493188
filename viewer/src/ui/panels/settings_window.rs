//! The settings window: the size of text, memory for trees, and the folder of journal indexes.

use std::path::PathBuf;

use egui::{Align2, RichText, TextEdit, Ui, vec2};

use crate::{
    app::{Action, App},
    draw::theme::Theme,
    settings::{TEXT_SIZES, ViewerSettings, memory_budget::MAX_MEGABYTES},
    tree::scene::format_thousands,
    ui::controls::Named as _,
};

/// The choice of the size of all text, which applies at once.
fn show_text_size(settings: &mut ViewerSettings, ui: &mut Ui, theme: &Theme) {
    ui.label("Size of all text");
    ui.horizontal(|ui| {
        for size in TEXT_SIZES {
            let percent = format!("{:.0} %", size * 100.0);
            let chosen = (settings.text_size - size).abs() < 0.01;
            let label = ui.selectable_label(chosen, &percent);
            if label.named(&format!("text size {percent}")).clicked() {
                settings.text_size = size;
            }
        }
    });
    let hint = "Panels can be made wider by dragging their edges.";
    ui.label(RichText::new(hint).color(theme.dim));
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
        let mut is_open = true;
        let mut is_done = false;
        egui::Window::new("Settings")
            .anchor(Align2::CENTER_TOP, vec2(0.0, 80.0))
            .collapsible(false)
            .resizable(false)
            .open(&mut is_open)
            .show(ui.ctx(), |ui| {
                ui.set_width(460.0);
                show_text_size(&mut app.settings, ui, theme);
                self.show_fields(app, ui, theme);
                ui.horizontal(|ui| {
                    if ui.button("Apply").named("settings apply").clicked() {
                        match self.to_action() {
                            Ok(action) => {
                                actions.push(action);
                                is_done = true;
                            }
                            Err(problem) => self.problem = Some(problem),
                        }
                    }
                    let cancel = ui.button("Cancel").named("settings cancel");
                    is_done |= cancel.on_hover_text("Escape").clicked();
                });
            });
        is_open && !is_done
    }

    fn show_fields(&mut self, app: &App, ui: &mut Ui, theme: &Theme) {
        ui.label("Memory for trees and journals, in megabytes");
        let memory = TextEdit::singleline(&mut self.memory).desired_width(90.0);
        ui.add(memory).named("settings memory");
        let megabytes = |bytes: usize| format_thousands((bytes >> 20) as u64);
        let (used, limit) = app.memory();
        let hint = format!(
            "0 takes a quarter of the machine's memory, at most 2,048. In use: {} of {} MB.",
            megabytes(used),
            megabytes(limit)
        );
        ui.label(RichText::new(hint).color(theme.dim));
        ui.add_space(8.0);
        ui.label("Folder for indexes of long journals");
        let cache = TextEdit::singleline(&mut self.cache)
            .desired_width(f32::INFINITY)
            .hint_text("the user's cache folder");
        ui.add(cache).named("settings cache");
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
