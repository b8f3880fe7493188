//! Labels as pixels.

use egui::{Align2, Color32};
use tiny_skia::PixmapMut;

use crate::{
    draw::{fonts::TextRenderer, theme::Theme},
    tree::labels::{FIRST_LINE, LabelOwner, PlacedLabel, REST_SIZE, SECOND_LINE, TITLE_SIZE},
};

/// Width of the ground around letters that edges run behind, in points; half of it lies on either side of an outline.
pub const HALO_WIDTH: f32 = 4.0;
/// The halo is the text in the ground's colour, drawn at as many places around.
const HALO_STEPS: usize = 12;

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
    /// Draws a label, with a halo where edges run behind it.
    pub(super) fn draw(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        label: &PlacedLabel,
        theme: &Theme,
        scale: f32,
    ) {
        if label.crosses_edges {
            let radius = HALO_WIDTH / 2.0 * scale;
            for step in 0..HALO_STEPS {
                let angle = step as f32 / HALO_STEPS as f32 * std::f32::consts::TAU;
                let offset = (radius * angle.cos(), radius * angle.sin());
                self.draw_lines(pixmap, label, [theme.canvas; 3], offset, scale);
            }
        }
        let colours = label_colours(label.owner, theme);
        self.draw_lines(pixmap, label, colours, (0.0, 0.0), scale);
    }

    fn draw_lines(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        label: &PlacedLabel,
        [title, rest, second]: [Color32; 3],
        (dx, dy): (f32, f32),
        scale: f32,
    ) {
        let (title_size, rest_size) = (TITLE_SIZE * scale, REST_SIZE * scale);
        let (text, area) = (&label.text, &label.area);
        let title_width = self.semibold.width(&text.title, title_size);
        let rest_width = self.regular.width(&text.rest, rest_size);
        let flush = label.choice.1.alignment();
        let start = |width: f32| area.left + dx + flush * (area.right - area.left - width);
        let left = start(title_width + rest_width);
        let y = area.top + dy + FIRST_LINE / 2.0 * scale;
        let anchor = Align2::LEFT_CENTER;
        self.semibold
            .draw(pixmap, &text.title, left, y, title_size, title, anchor);
        let after = left + title_width;
        self.regular
            .draw(pixmap, &text.rest, after, y, rest_size, rest, anchor);
        if !text.second.is_empty() {
            let left = start(self.regular.width(&text.second, rest_size));
            let y = area.top + dy + (FIRST_LINE + SECOND_LINE / 2.0) * scale;
            self.regular
                .draw(pixmap, &text.second, left, y, rest_size, second, anchor);
        }
    }
}
