//! Scrolling a page of text with the keyboard.

use egui::{ScrollArea, Ui};

use crate::ui::keys::Command;

/// Points that an arrow key scrolls.
const LINE: f32 = 40.0;

/// How far a page is scrolled.
#[derive(Default)]
pub(super) struct PageScroll {
    /// How far the text is scrolled, how far it can be, and the height of what is seen of it, in points.
    offset: f32,
    max_offset: f32,
    height: f32,
    /// Whether a key has changed `offset`.
    is_scrolled: bool,
}

impl PageScroll {
    /// At the beginning of a text.
    pub(super) fn at_start() -> Self {
        Self {
            is_scrolled: true,
            ..Self::default()
        }
    }

    /// How much of the text is not seen, in points.
    #[cfg(test)]
    pub(super) fn hidden_height(&self) -> f32 {
        self.max_offset
    }

    /// Scrolls as a key wants it.
    pub(super) fn run(&mut self, command: Command) {
        let page = (self.height - LINE).max(LINE);
        let by = match command {
            Command::LineUp => -LINE,
            Command::LineDown => LINE,
            Command::PageUp => -page,
            Command::PageDown => page,
            Command::TextStart => f32::MIN,
            Command::TextEnd => f32::MAX,
            _ => return,
        };
        self.offset = (self.offset + by).clamp(0.0, self.max_offset);
        self.is_scrolled = true;
    }

    /// Shows the page in an area of this height.
    pub(super) fn show(&mut self, ui: &mut Ui, height: f32, content: impl FnOnce(&mut Ui)) {
        let mut area = ScrollArea::vertical()
            .id_salt("page")
            .auto_shrink([false, true])
            .min_scrolled_height(height)
            .max_height(height);
        if std::mem::take(&mut self.is_scrolled) {
            area = area.vertical_scroll_offset(self.offset);
        }
        let shown = area.show(ui, content);
        self.height = shown.inner_rect.height();
        self.max_offset = (shown.content_size.y - self.height).max(0.0);
        self.offset = (shown.state.unclamped_offset().y).clamp(0.0, self.max_offset);
    }
}
