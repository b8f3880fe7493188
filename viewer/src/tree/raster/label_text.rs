//! Labels as pixels.

use egui::{Align2, Color32};
use tiny_skia::{Paint, PixmapMut, Rect, Transform};

use crate::{
    draw::{fonts::TextRenderer, theme::Theme},
    tree::labels::{
        FIRST_LINE, LabelBox, LabelOwner, PlacedLabel, REST_SIZE, SECOND_LINE, TITLE_SIZE,
    },
};

/// Draws labels.
pub(super) struct LabelRenderer {
    semibold: TextRenderer,
    regular: TextRenderer,
}

impl Default for LabelRenderer {
    fn default() -> Self {
        Self {
            semibold: TextRenderer::semibold(),
            regular: TextRenderer::regular(),
        }
    }
}

/// The colours of a label's move, of what follows it, and of its second line.
pub fn label_colours(owner: LabelOwner, theme: &Theme) -> [Color32; 3] {
    match owner {
        LabelOwner::Node(_) => [theme.text, theme.text, theme.dim],
        LabelOwner::Fold(_) => [theme.dim; 3],
    }
}

impl LabelRenderer {
    /// Draws a label, on ground that breaks the edges behind it.
    pub(super) fn draw(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        label: &PlacedLabel,
        theme: &Theme,
        scale: f32,
    ) {
        if label.crosses_edges {
            for ground in label.grounds(scale) {
                draw_ground(pixmap, &ground, theme.canvas);
            }
        }
        let colours = label_colours(label.owner, theme);
        self.draw_lines(pixmap, label, colours, scale);
    }

    fn draw_lines(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        label: &PlacedLabel,
        [title, rest, second]: [Color32; 3],
        scale: f32,
    ) {
        let (title_size, rest_size) = (TITLE_SIZE * scale, REST_SIZE * scale);
        let (text, area) = (&label.text, &label.area);
        let title_width = self.semibold.width(&text.title, title_size);
        let rest_width = self.regular.width(&text.rest, rest_size);
        let flush = label.choice.1.alignment();
        let start = |width: f32| area.left + flush * (area.right - area.left - width);
        let left = start(title_width + rest_width);
        let y = area.top + FIRST_LINE / 2.0 * scale;
        let anchor = Align2::LEFT_CENTER;
        self.semibold
            .draw(pixmap, &text.title, left, y, title_size, title, anchor);
        let after = left + title_width;
        self.regular
            .draw(pixmap, &text.rest, after, y, rest_size, rest, anchor);
        if !text.second.is_empty() {
            let left = start(self.regular.width(&text.second, rest_size));
            let y = area.top + (FIRST_LINE + SECOND_LINE / 2.0) * scale;
            self.regular
                .draw(pixmap, &text.second, left, y, rest_size, second, anchor);
        }
    }
}

/// Fills a box with the colour of the canvas.
fn draw_ground(pixmap: &mut PixmapMut<'_>, area: &LabelBox, canvas: Color32) {
    let Some(rect) = Rect::from_ltrb(area.left, area.top, area.right, area.bottom) else {
        return;
    };
    let mut paint = Paint::default();
    paint.set_color_rgba8(canvas.r(), canvas.g(), canvas.b(), canvas.a());
    pixmap.fill_rect(rect, &paint, Transform::identity(), None);
}
