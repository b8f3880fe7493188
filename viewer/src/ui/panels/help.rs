//! The help page: all keys, and the ideas behind what the window shows.

use egui::{Align, Frame, Id, Label, Layout, Margin, Modal, RichText, Stroke, Ui, vec2};

use super::{
    form::{Segment, show_segments},
    page_scroll::PageScroll,
};
use crate::{
    draw::theme::{CARD_TITLE_SIZE, Theme},
    ui::{
        controls::Named as _,
        glossary::{GLOSSARY, TermGroup},
        keys::{BINDINGS, Command, GESTURES, Group, hint},
    },
};

/// Largest width of the page, and the least width of one of its columns, in points.
const MAX_WIDTH: f32 = 1080.0;
const MIN_COLUMN_WIDTH: f32 = 300.0;
/// Space between columns, and between groups.
const COLUMN_GAP: f32 = 32.0;
const GROUP_GAP: f32 = 16.0;
/// Width of the names of keys.
const KEYS_WIDTH: f32 = 132.0;

/// What the page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HelpTab {
    #[default]
    Keys,
    Ideas,
}

/// The help page.
#[derive(Default)]
pub(super) struct HelpPage {
    is_open: bool,
    tab: HelpTab,
    /// How far its text is scrolled.
    pub(super) scroll: PageScroll,
}

impl HelpPage {
    /// Opens the page where it was left.
    pub(super) fn open(&mut self) {
        self.is_open = true;
        self.scroll = PageScroll::at_start();
    }

    /// Closes it.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// Whether it is open.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Shows the page, if it is open.
    pub(super) fn show(&mut self, ui: &Ui, theme: &Theme) {
        if !self.is_open {
            return;
        }
        let window = ui.ctx().content_rect();
        let frame = Frame::new()
            .fill(theme.panel)
            .stroke(Stroke::new(1.0, theme.line))
            .corner_radius(12)
            .inner_margin(Margin::same(24))
            .shadow(ui.style().visuals.popup_shadow);
        let width = (window.width() - 96.0).clamp(MIN_COLUMN_WIDTH, MAX_WIDTH);
        let modal = Modal::new(Id::unique("help"))
            .frame(frame)
            .show(ui.ctx(), |ui| {
                ui.set_width(width);
                let is_closed = self.show_header(ui, theme);
                let height = (window.height() - 152.0).max(120.0);
                let tab = self.tab;
                self.scroll.show(ui, height, |ui| match tab {
                    HelpTab::Keys => show_keys(ui, theme, width),
                    HelpTab::Ideas => show_ideas(ui, theme, width),
                });
                is_closed
            });
        if modal.inner || modal.should_close() {
            self.is_open = false;
        }
    }

    /// The title, the choice of the page, and what closes it; true if that was clicked.
    fn show_header(&mut self, ui: &mut Ui, theme: &Theme) -> bool {
        let row = ui.horizontal(|ui| {
            ui.label(theme.semibold("Help", CARD_TITLE_SIZE));
            ui.add_space(16.0);
            let tabs = [
                Segment::new("help keys".to_owned(), "Keys", "What every key does"),
                Segment::new(
                    "help ideas".to_owned(),
                    "Ideas",
                    "What the words and the picture mean",
                ),
            ];
            let all = [HelpTab::Keys, HelpTab::Ideas];
            let chosen = all.iter().position(|&tab| tab == self.tab);
            if let Some(index) = show_segments(ui, theme, &tabs, chosen) {
                self.tab = all[index.min(1)];
                self.scroll = PageScroll::at_start();
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let close = ui.button("Close").named("help close");
                close
                    .on_hover_text(hint("Back to the window", Command::Close))
                    .clicked()
            })
            .inner
        });
        ui.add_space(16.0);
        row.inner
    }
}

/// Columns for a page of this width.
fn column_count(width: f32) -> usize {
    ((width + COLUMN_GAP) / (MIN_COLUMN_WIDTH + COLUMN_GAP)).max(1.0) as usize
}

/// Shows groups in columns of about equal heights; `sizes` are those of the groups in any unit.
fn show_in_columns(
    ui: &mut Ui,
    (width, columns): (f32, usize),
    sizes: &[usize],
    mut show_group: impl FnMut(&mut Ui, usize),
) {
    let total: usize = sizes.iter().sum();
    let column_width = (width - COLUMN_GAP * (columns as f32 - 1.0)) / columns as f32 - 8.0;
    let mut next = 0;
    let mut done = 0;
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = COLUMN_GAP;
        for column in 0..columns {
            let down = Layout::top_down(Align::Min);
            ui.allocate_ui_with_layout(vec2(column_width, 0.0), down, |ui| {
                ui.set_width(column_width);
                ui.spacing_mut().item_spacing.x = 8.0;
                let target = total * (column + 1) / columns;
                while let Some(size) = sizes.get(next) {
                    // The group goes where more than half of it belongs.
                    if column + 1 < columns && done + size / 2 > target {
                        break;
                    }
                    show_group(ui, next);
                    ui.add_space(GROUP_GAP);
                    done += size;
                    next += 1;
                }
            });
        }
    });
}

fn show_keys(ui: &mut Ui, theme: &Theme, width: f32) {
    let rows_of = |group: Group| {
        let bindings = BINDINGS.iter().filter(move |row| {
            let is_there = !matches!(row.command, Command::Show(view) if !view.exists());
            row.group == Some(group) && is_there
        });
        bindings.map(|binding| (binding.keys_text(), binding.what))
    };
    let mut groups: Vec<(&str, Vec<(String, &str)>)> = (Group::ALL.into_iter())
        .map(|(group, title)| (title, rows_of(group).collect()))
        .collect();
    let gestures = GESTURES.iter().map(|&(keys, what)| (keys.to_owned(), what));
    groups.push(("Mouse, Tab", gestures.collect()));
    let sizes: Vec<usize> = groups.iter().map(|(_, rows)| rows.len() + 2).collect();
    let columns = column_count(width);
    show_in_columns(ui, (width, columns), &sizes, |ui, index| {
        let Some((title, rows)) = groups.get(index) else {
            return;
        };
        ui.label(theme.heading(title));
        ui.spacing_mut().item_spacing.y = 2.0;
        for (keys, what) in rows {
            show_key(ui, theme, keys, what);
        }
    });
}

/// A row of the table of keys: what is pressed, and what that does, in as many lines as it needs.
fn show_key(ui: &mut Ui, theme: &Theme, keys: &str, what: &str) {
    ui.horizontal_top(|ui| {
        for (text, width) in [
            (theme.strong(keys), KEYS_WIDTH),
            (
                RichText::new(what).color(theme.dim),
                ui.available_width() - KEYS_WIDTH - 8.0,
            ),
        ] {
            let down = Layout::top_down(Align::Min);
            ui.allocate_ui_with_layout(vec2(width, 0.0), down, |ui| {
                ui.set_width(width);
                ui.add(Label::new(text).wrap());
            });
        }
    });
}

fn show_ideas(ui: &mut Ui, theme: &Theme, width: f32) {
    let letters = |(_, terms): &TermGroup| -> usize {
        let lines = terms.iter().map(|(_, sentence)| 2 + sentence.len() / 60);
        lines.sum::<usize>() + 2
    };
    let sizes: Vec<usize> = GLOSSARY.iter().map(letters).collect();
    let columns = column_count(width).min(2);
    show_in_columns(ui, (width, columns), &sizes, |ui, index| {
        let Some((title, terms)) = GLOSSARY.get(index) else {
            return;
        };
        ui.label(theme.heading(title));
        for (name, sentence) in *terms {
            ui.add_space(2.0);
            ui.label(theme.strong(*name));
            ui.label(RichText::new(*sentence).color(theme.dim));
        }
    });
}

#[cfg(test)]
mod tests {
    use egui::Context;

    use super::*;
    use crate::ui::input::idle_input;

    #[test]
    fn all_keys_are_seen_at_once_at_the_design_size() {
        let context = Context::default();
        crate::draw::fonts::install(&context);
        let theme = Theme::dark();
        theme.apply(&context);
        let mut page = HelpPage::default();
        page.open();
        for _ in 0..3 {
            let mut output = context.run_ui(idle_input(1280.0, 800.0, 1.0), |ui| {
                page.show(ui, &theme);
            });
            output.textures_delta.clear();
        }
        assert_eq!(page.scroll.hidden_height(), 0.0);
    }
}
