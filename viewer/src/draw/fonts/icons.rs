//! Icons that neither typeface has, drawn as polygons: playback controls, the arrows by which egui names keys, and the
//! clipboard of its colour picker.
//!
//! egui requests them like any other character, at the size and in the colour of the surrounding text.

use egui::epaint::text::{GlyphBitmap, GlyphRasterizer, GlyphRasterizerRequest, RasterizedGlyph};
use egui::{Color32, ColorImage, vec2};
use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Transform};

/// Corners in units of the font size, to the right and down from where the sign begins, 1 above the baseline.
type Polygon = &'static [(f32, f32)];

/// Advance width of every icon, and the side of its picture, in units of the font size.
const ICON_ADVANCE: f32 = 0.9;
const ICON_SIDE: f32 = 1.25;
/// Larger signs are not drawn.
const MAX_ICON_SIZE: f32 = 512.0;

const BAR_LEFT: Polygon = &[(0.1, 0.3), (0.2, 0.3), (0.2, 1.0), (0.1, 1.0)];
const BAR_RIGHT: Polygon = &[(0.7, 0.3), (0.8, 0.3), (0.8, 1.0), (0.7, 1.0)];

const ICONS: &[(&str, &[Polygon])] = &[
    ("⏵", &[&[(0.15, 0.3), (0.8, 0.65), (0.15, 1.0)]]),
    ("⏴", &[&[(0.75, 0.3), (0.75, 1.0), (0.1, 0.65)]]),
    ("⏶", &[&[(0.45, 0.35), (0.8, 0.95), (0.1, 0.95)]]),
    ("⏷", &[&[(0.1, 0.35), (0.8, 0.35), (0.45, 0.95)]]),
    ("⏮", &[BAR_LEFT, &[(0.8, 0.3), (0.8, 1.0), (0.24, 0.65)]]),
    ("⏭", &[BAR_RIGHT, &[(0.1, 0.3), (0.66, 0.65), (0.1, 1.0)]]),
    (
        "⏸",
        &[
            &[(0.18, 0.3), (0.38, 0.3), (0.38, 1.0), (0.18, 1.0)],
            &[(0.52, 0.3), (0.72, 0.3), (0.72, 1.0), (0.52, 1.0)],
        ],
    ),
    (
        "⏹",
        &[&[(0.12, 0.34), (0.78, 0.34), (0.78, 1.0), (0.12, 1.0)]],
    ),
    (
        "📋",
        &[
            &[(0.1, 0.28), (0.8, 0.28), (0.8, 1.1), (0.1, 1.1)],
            &[(0.18, 0.36), (0.72, 0.36), (0.72, 1.02), (0.18, 1.02)],
            &[(0.3, 0.2), (0.6, 0.2), (0.6, 0.28), (0.3, 0.28)],
            &[(0.3, 0.36), (0.6, 0.36), (0.6, 0.44), (0.3, 0.44)],
            &[(0.28, 0.58), (0.62, 0.58), (0.62, 0.66), (0.28, 0.66)],
            &[(0.28, 0.78), (0.62, 0.78), (0.62, 0.86), (0.28, 0.86)],
        ],
    ),
];

/// Draws the signs for egui.
pub(super) fn rasteriser() -> GlyphRasterizer {
    GlyphRasterizer::new("canopy signs", draw_icon)
}

fn draw_icon(request: &GlyphRasterizerRequest<'_>) -> Option<RasterizedGlyph> {
    let size = request.font_size_px;
    let cluster = request.cluster.trim_end_matches('\u{fe0f}');
    let (_, polygons) = ICONS.iter().find(|(sign, _)| *sign == cluster)?;
    if !(size > 0.0 && size <= MAX_ICON_SIZE) {
        return None;
    }
    let mut path = PathBuilder::new();
    for polygon in *polygons {
        for (corner, &(x, y)) in polygon.iter().enumerate() {
            if corner == 0 {
                path.move_to(x, y);
            } else {
                path.line_to(x, y);
            }
        }
        path.close();
    }
    let side = (ICON_SIDE * size).ceil() as u32;
    let mut pixmap = Pixmap::new(side, side)?;
    let mut paint = Paint::default();
    paint.set_color(tiny_skia::Color::WHITE);
    // The baseline falls on the edge of a pixel.
    let baseline = size.round();
    let shift = Transform::from_translate(request.subpixel_offset_px, baseline - size);
    let place = shift.pre_scale(size, size);
    pixmap.fill_path(&path.finish()?, &paint, FillRule::EvenOdd, place, None);
    let (pixels, _) = pixmap.data().as_chunks::<4>();
    let pixels = pixels
        .iter()
        .map(|[.., alpha]| Color32::from_white_alpha(*alpha));
    let bitmap = GlyphBitmap {
        image: ColorImage::new([side as usize; 2], pixels.collect()),
        offset_px: vec2(0.0, -baseline),
        is_color: false,
    };
    Some(RasterizedGlyph {
        bitmap,
        advance_px: ICON_ADVANCE * size,
    })
}

#[cfg(test)]
mod tests {
    use egui::FontFamily;

    use super::*;

    fn drawn(cluster: &str, font_size_px: f32) -> Option<RasterizedGlyph> {
        draw_icon(&GlyphRasterizerRequest {
            cluster,
            family: &FontFamily::Proportional,
            font_size_px,
            subpixel_offset_px: 0.0,
        })
    }

    #[test]
    fn every_sign_leaves_ink_within_its_picture() {
        for (sign, _) in ICONS {
            for size in [9.0, 13.0, 26.5] {
                let image = drawn(sign, size).unwrap().bitmap.image;
                let [width, height] = image.size;
                let ink = image.pixels.iter().filter(|pixel| pixel.a() > 0).count();
                assert!(ink > 10, "{sign} at {size}");
                let border = (0..width).flat_map(|x| [(x, 0), (x, height - 1)]);
                assert!(
                    border.into_iter().all(|at| image[at].a() == 0),
                    "{sign} at {size}"
                );
            }
        }
    }

    #[test]
    fn other_text_and_strange_sizes_are_left_to_others() {
        assert!(drawn("a", 13.0).is_none());
        assert!(drawn("", 13.0).is_none());
        for size in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
            assert!(drawn("⏵", size).is_none());
        }
        assert!(drawn("⏸\u{fe0f}", 13.0).is_some());
    }
}
