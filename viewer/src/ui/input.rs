//! Input of frames that no system window drives: benchmarks and tests.

use egui::{RawInput, ViewportId};

/// The input of a frame in which nothing happens, for a window of this size in pixels and `scale` pixels per point.
pub fn idle_input(width: f32, height: f32, scale: f32) -> RawInput {
    let mut input = RawInput {
        screen_rect: Some(egui::Rect::from_min_size(
            egui::Pos2::ZERO,
            egui::vec2(width / scale, height / scale),
        )),
        ..RawInput::default()
    };
    if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
        viewport.native_pixels_per_point = Some(scale);
    }
    input
}
