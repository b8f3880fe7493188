//! Long names: the middle is an ellipsis where there is no room, and the whole stands under the pointer.

use std::sync::Arc;

use egui::{Color32, FontId, Galley, Painter, Response, Sense, Ui, vec2};

use crate::tree::title::middle_ellipsis;

/// Longer texts are cut before they are measured.
const MAX_CHARS: usize = 400;

/// A line of text no wider than `width` points, and whether its middle is left out.
pub(super) fn elide(
    painter: &Painter,
    text: &str,
    (font, colour): (&FontId, Color32),
    width: f32,
) -> (Arc<Galley>, bool) {
    let layout = |text: String| painter.layout_no_wrap(text, font.clone(), colour);
    let mut chars = text.chars().take(MAX_CHARS).count();
    let mut galley = layout(middle_ellipsis(text, MAX_CHARS));
    while galley.size().x > width && chars > 1 {
        let fitting = (chars as f32 * width / galley.size().x) as usize;
        chars = fitting.clamp(1, chars - 1);
        galley = layout(middle_ellipsis(text, chars));
    }
    let is_cut = text.chars().nth(chars).is_some();
    (galley, is_cut)
}

/// A label no wider than `width` points; a longer text stands whole under the pointer.
pub(super) fn elided_label(
    ui: &mut Ui,
    text: &str,
    (font, colour): (&FontId, Color32),
    width: f32,
) -> Response {
    let (galley, is_cut) = elide(ui.painter(), text, (font, colour), width);
    let height = galley.size().y.max(ui.spacing().interact_size.y.min(20.0));
    let (rect, response) =
        ui.allocate_exact_size(vec2(galley.size().x.min(width), height), Sense::hover());
    let top = rect.center().y - galley.size().y / 2.0;
    ui.painter()
        .galley(egui::pos2(rect.left(), top), galley, colour);
    if is_cut {
        let whole: String = text.chars().take(4 * MAX_CHARS).collect();
        response.on_hover_text(whole)
    } else {
        response
    }
}
