//! The rules of a game in half a page, with a picture of a typical position, over whatever the window shows.

use canopy_engine::games::GameFacts;
use egui::{Align, Frame, Id, Layout, Margin, Modal, RichText, Sense, Stroke, Ui, vec2};

use super::page_scroll::PageScroll;
use crate::{
    board::{Board, BoardTextures, Marks},
    draw::theme::{CARD_TITLE_SIZE, TITLE_SIZE, Theme},
    ui::controls::Named as _,
};

/// Widths of the text, the picture and the space between them, in points.
const TEXT_WIDTH: f32 = 396.0;
const PICTURE_WIDTH: f32 = 252.0;
const COLUMN_GAP: f32 = 32.0;
/// Room for the scroll bar beside them.
const SCROLL_BAR_WIDTH: f32 = 12.0;
/// Text size, and height of its lines.
const TEXT_SIZE: f32 = 14.0;
const LINE_HEIGHT: f32 = 20.0;

/// The page with the rules.
#[derive(Default)]
pub(super) struct RulesPage {
    /// The game that is explained; none while the page is closed.
    game: Option<&'static GameFacts>,
    /// How far its text is scrolled.
    pub(super) scroll: PageScroll,
}

impl RulesPage {
    /// Opens the page.
    pub(super) fn open(&mut self, game: &'static GameFacts) {
        *self = Self {
            game: Some(game),
            scroll: PageScroll::at_start(),
        };
    }

    /// Whether it is open.
    pub(super) fn is_open(&self) -> bool {
        self.game.is_some()
    }

    /// Closes the page.
    pub(super) fn close(&mut self) {
        self.game = None;
    }

    /// Shows the page, if it is open; true if it has just been closed.
    pub(super) fn show(&mut self, textures: &mut BoardTextures, ui: &Ui, theme: &Theme) -> bool {
        let Some(game) = self.game else { return false };
        let window = ui.ctx().content_rect();
        let frame = Frame::new()
            .fill(theme.panel)
            .stroke(Stroke::new(1.0, theme.line))
            .corner_radius(12)
            .inner_margin(Margin::same(28))
            .shadow(ui.style().visuals.popup_shadow);
        let modal = Modal::new(Id::unique("rules"))
            .frame(frame)
            .show(ui.ctx(), |ui| {
                ui.set_width(TEXT_WIDTH + COLUMN_GAP + PICTURE_WIDTH + SCROLL_BAR_WIDTH);
                let is_closed = show_header(ui, theme, game);
                let height = (window.height() - 168.0).max(120.0);
                self.scroll.show(ui, height, |ui| {
                    ui.horizontal_top(|ui| {
                        ui.spacing_mut().item_spacing = vec2(COLUMN_GAP, 0.0);
                        show_text(ui, theme, game);
                        show_picture(textures, ui, theme, game);
                    });
                });
                is_closed
            });
        if modal.inner || modal.should_close() {
            self.game = None;
        }
        self.game.is_none()
    }
}

/// The title and what closes the page; true if it was clicked.
fn show_header(ui: &mut Ui, theme: &Theme, game: &GameFacts) -> bool {
    let row = ui.horizontal(|ui| {
        ui.label(theme.semibold(
            format!("Rules of {}", game.title.to_lowercase()),
            CARD_TITLE_SIZE,
        ))
        .named("rules");
        let right = Layout::right_to_left(Align::Center);
        let close = ui.with_layout(right, |ui| {
            let button = ui.button("Close").named("rules close");
            ui.label(RichText::new("Esc").color(theme.dim));
            button.clicked()
        });
        close.inner
    });
    ui.add_space(16.0);
    row.inner
}

fn show_text(ui: &mut Ui, theme: &Theme, game: &GameFacts) {
    let down = Layout::top_down(Align::Min);
    ui.allocate_ui_with_layout(vec2(TEXT_WIDTH, 0.0), down, |ui| {
        ui.set_width(TEXT_WIDTH);
        for (heading, paragraphs) in game.rule_sections() {
            if !heading.is_empty() {
                ui.add_space(12.0);
                ui.label(theme.heading(heading));
                ui.add_space(4.0);
            }
            let size = if heading.is_empty() {
                TITLE_SIZE
            } else {
                TEXT_SIZE
            };
            for text in paragraphs {
                let text = RichText::new(text).size(size).color(theme.text);
                ui.label(text.line_height(Some(LINE_HEIGHT)));
            }
        }
    });
}

fn show_picture(textures: &mut BoardTextures, ui: &mut Ui, theme: &Theme, game: &GameFacts) {
    let moves: Vec<&str> = game.example.split_whitespace().collect();
    let Ok(position) = Board::after_moves(game.name, "", &moves) else {
        return;
    };
    let down = Layout::top_down(Align::Min);
    ui.allocate_ui_with_layout(vec2(PICTURE_WIDTH, 0.0), down, |ui| {
        let marks = Marks {
            last_move: position.last_move.clone(),
            shows_coordinates: true,
            ..Marks::default()
        };
        let wide = (PICTURE_WIDTH, Sense::hover());
        let shown = textures.show(ui, &position.board, &marks, wide, theme);
        shown.response.named("rules picture");
        ui.add_space(8.0);
        let last = position.display_moves.last().cloned().unwrap_or_default();
        let text = format!(
            "After {} moves, the last one {last}. {}.",
            position.moves.len(),
            position.turn_text
        );
        ui.label(RichText::new(text).small().color(theme.dim));
    });
}
