//! Labels on the tree and the board, drawn straight into a pixmap.
//!
//! egui lays out the text of the interface; the canvas beneath it has its own labels, thousands of them
//! while one zooms, and needs nothing but glyphs in a row. So there is no shaping and no kerning here:
//! characters stand one after another in the order of the text.

use std::collections::HashMap;
use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, GlyphId, PxScale, point};
use egui::{Align, Align2, Color32};
use tiny_skia::{Path, PathBuilder, PixmapMut};

use super::outlines::push_curves;
use crate::draw::pixel::{Rgba, over, scale_colour};

/// Larger text is drawn at this size; its glyphs would cost too much memory.
const MAX_FONT_SIZE: f32 = 512.0;
/// Positions farther out than this are off every screen.
const MAX_POSITION: f32 = 1e6;
/// Glyphs are drawn at as many horizontal positions within a pixel.
const SUBPIXEL_BINS: f32 = 4.0;
/// When the bitmaps need more bytes than this, all are forgotten.
const MAX_CACHE_BYTES: usize = 4 << 20;
/// When more different characters than this were seen, all are forgotten.
const MAX_CACHED_CHARACTERS: usize = 1 << 14;

/// A typeface at any size, with a memory of the glyphs it has drawn.
pub struct TextRenderer {
    /// In the order in which they are asked for a glyph.
    faces: Vec<FontFace>,
    characters: HashMap<char, CharacterGlyph>,
    bitmaps: HashMap<GlyphKey, GlyphCoverage>,
    cache_bytes: usize,
}

struct FontFace {
    font: FontRef<'static>,
    units_per_em: f32,
}

/// A character's glyph, and its advance at size 1.
#[derive(Clone, Copy)]
struct CharacterGlyph {
    face: usize,
    glyph: GlyphId,
    advance: f32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct GlyphKey {
    face: usize,
    glyph: GlyphId,
    size_bits: u32,
    bin: u8,
}

/// A glyph's coverage of each pixel, and its upper left pixel relative to the pen.
struct GlyphCoverage {
    left: i32,
    top: i32,
    width: usize,
    coverage: Vec<u8>,
}

impl Default for TextRenderer {
    fn default() -> Self {
        Self::regular()
    }
}

impl TextRenderer {
    /// Inter in its regular weight, with DejaVu Sans as fallback.
    pub fn regular() -> Self {
        Self::new([super::INTER_REGULAR.as_slice(), super::DEJAVU_SANS])
    }

    /// Inter in its semibold weight, with DejaVu Sans as fallback.
    pub fn semibold() -> Self {
        Self::new([super::INTER_SEMIBOLD.as_slice(), super::DEJAVU_SANS])
    }

    fn new(files: [&'static [u8]; 2]) -> Self {
        let faces = files.into_iter().filter_map(|file| {
            let font = FontRef::try_from_slice(file).ok()?;
            let units_per_em = font.units_per_em()?;
            Some(FontFace { font, units_per_em })
        });
        Self {
            faces: faces.collect(),
            characters: HashMap::new(),
            bitmaps: HashMap::new(),
            cache_bytes: 0,
        }
    }

    /// The width of a text in pixels. `size_px` is the size of the em, as in a style sheet.
    pub fn width(&mut self, text: &str, size_px: f32) -> f32 {
        let Some(size_px) = drawable_size(size_px) else {
            return 0.0;
        };
        text.chars()
            .filter_map(|character| self.character(character))
            .map(|character| character.advance * size_px)
            .sum()
    }

    /// Draws a text so that the named point of its line lies at (`x`, `y`), in pixels from the upper left corner
    /// of the pixmap. Lines reach from the ascent to the descent of the face; the middle between the two is
    /// also the middle of a capital letter.
    ///
    /// The baseline is set on a whole pixel to be sharp. What lies outside the pixmap is not drawn. Control
    /// characters, line breaks among them, are passed over.
    #[expect(
        clippy::too_many_arguments,
        reason = "what, where, how large, in which colour: each call has another of each"
    )]
    pub fn draw(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        text: &str,
        x: f32,
        y: f32,
        size_px: f32,
        colour: Color32,
        anchor: Align2,
    ) {
        let (Some(size_px), Some(face)) = (drawable_size(size_px), self.faces.first()) else {
            return;
        };
        if !(x.abs() < MAX_POSITION && y.abs() < MAX_POSITION) || colour == Color32::TRANSPARENT {
            return;
        }
        let ascent = face.font.ascent_unscaled() / face.units_per_em * size_px;
        let descent = -face.font.descent_unscaled() / face.units_per_em * size_px;
        let baseline = match anchor.y() {
            Align::Min => y + ascent,
            Align::Center => y + (ascent - descent) / 2.0,
            Align::Max => y - descent,
        };
        let baseline = baseline.round() as i32;
        let mut pen = match anchor.x() {
            Align::Min => x,
            Align::Center => x - self.width(text, size_px) / 2.0,
            Align::Max => x - self.width(text, size_px),
        };

        let ink = GlyphInk::new(colour);
        let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
        let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
        let mut canvas = GlyphTarget {
            pixels,
            width,
            height,
        };
        for character in text.chars() {
            // No glyph reaches farther to the left of its pen than the size of a few letters.
            if pen - 4.0 * size_px > width as f32 {
                break;
            }
            let Some(character) = self.character(character) else {
                continue;
            };
            if pen + 4.0 * size_px > 0.0 {
                let steps = (pen * SUBPIXEL_BINS).round();
                let column = (steps / SUBPIXEL_BINS).floor();
                let bin = (steps - column * SUBPIXEL_BINS) as u8;
                let bitmap = self.bitmap(character, size_px, bin);
                canvas.draw_glyph(bitmap, column as i32, baseline, &ink);
            }
            pen += character.advance * size_px;
        }
    }

    /// The outlines of a text, the pen beginning at the origin and y pointing downwards; none if there is nothing to draw.
    pub fn outline(&mut self, text: &str, size: f32) -> Option<Path> {
        let mut path = PathBuilder::new();
        let mut pen = 0.0;
        for character in text.chars() {
            let Some(character) = self.character(character) else {
                continue;
            };
            let face = self.faces.get(character.face)?;
            if let Some(outline) = face.font.outline(character.glyph) {
                push_curves(
                    &mut path,
                    &outline.curves,
                    size / face.units_per_em,
                    (pen, 0.0),
                );
            }
            pen += character.advance * size;
        }
        path.finish()
    }

    /// How far below the middle of a line its baseline lies, as a part of the size.
    pub fn baseline_drop(&self) -> f32 {
        self.faces.first().map_or(0.0, |face| {
            let (ascent, descent) = (face.font.ascent_unscaled(), face.font.descent_unscaled());
            (ascent + descent) / face.units_per_em / 2.0
        })
    }

    /// The glyph of a character: from the first face that has it, else the first face's box.
    fn character(&mut self, character: char) -> Option<CharacterGlyph> {
        if is_invisible(character) {
            return None;
        }
        if let Some(&known) = self.characters.get(&character) {
            return Some(known);
        }
        let (face, glyph) = self
            .faces
            .iter()
            .map(|face| face.font.glyph_id(character))
            .enumerate()
            .find(|(_, glyph)| *glyph != GlyphId(0))
            .unwrap_or((0, GlyphId(0)));
        let FontFace { font, units_per_em } = self.faces.get(face)?;
        let found = CharacterGlyph {
            face,
            glyph,
            advance: font.h_advance_unscaled(glyph) / units_per_em,
        };
        if self.characters.len() >= MAX_CACHED_CHARACTERS {
            self.characters.clear();
        }
        self.characters.insert(character, found);
        Some(found)
    }

    fn bitmap(&mut self, character: CharacterGlyph, size_px: f32, bin: u8) -> &GlyphCoverage {
        let key = GlyphKey {
            face: character.face,
            glyph: character.glyph,
            size_bits: size_px.to_bits(),
            bin,
        };
        if self.cache_bytes > MAX_CACHE_BYTES {
            self.bitmaps.clear();
            self.cache_bytes = 0;
        }
        let (faces, bytes) = (&self.faces, &mut self.cache_bytes);
        self.bitmaps.entry(key).or_insert_with(|| {
            let bitmap = faces
                .get(key.face)
                .and_then(|face| face.rasterise(key.glyph, size_px, f32::from(bin) / SUBPIXEL_BINS))
                .unwrap_or(GlyphCoverage {
                    left: 0,
                    top: 0,
                    width: 0,
                    coverage: Vec::new(),
                });
            *bytes += bitmap.coverage.len() + size_of::<(GlyphKey, GlyphCoverage)>();
            bitmap
        })
    }
}

impl FontFace {
    /// Draws a glyph whose pen stands `offset` of a pixel to the right of a pixel's edge. Spaces have nothing to draw.
    fn rasterise(&self, glyph: GlyphId, size_px: f32, offset: f32) -> Option<GlyphCoverage> {
        // The crate measures sizes by the height of a line, not by the em.
        let line = size_px * self.font.height_unscaled() / self.units_per_em;
        let glyph = glyph.with_scale_and_position(PxScale::from(line), point(offset, 0.0));
        let outline = self.font.outline_glyph(glyph)?;
        let bounds = outline.px_bounds();
        let (width, height) = (bounds.width() as usize, bounds.height() as usize);
        let mut coverage = vec![0; width * height];
        outline.draw(|x, y, covered| {
            if let Some(pixel) = coverage.get_mut(y as usize * width + x as usize) {
                *pixel = (covered * 255.0).round() as u8;
            }
        });
        Some(GlyphCoverage {
            left: bounds.min.x as i32,
            top: bounds.min.y as i32,
            width,
            coverage,
        })
    }
}

/// Coverage of light text, by the coverage of its outline.
static LIGHT_TEXT_COVERAGE: LazyLock<[u8; 256]> = LazyLock::new(|| {
    std::array::from_fn(|coverage| {
        let coverage = coverage as f32 / 255.0;
        (coverage.powf(super::LIGHT_TEXT_GAMMA) * 255.0).round() as u8
    })
});

/// A colour, and whether it is the light one on a dark ground.
struct GlyphInk {
    colour: Rgba,
    is_light: bool,
}

impl GlyphInk {
    fn new(colour: Color32) -> Self {
        let [red, green, blue, alpha] = colour.to_array();
        let luminance = 2 * u32::from(red) + 5 * u32::from(green) + u32::from(blue);
        Self {
            colour: [red, green, blue, alpha],
            is_light: luminance > 4 * u32::from(alpha),
        }
    }

    fn with_coverage(&self, coverage: u8) -> Rgba {
        let coverage = if self.is_light {
            LIGHT_TEXT_COVERAGE[usize::from(coverage)]
        } else {
            coverage
        };
        scale_colour(self.colour, coverage)
    }
}

struct GlyphTarget<'a> {
    pixels: &'a mut [Rgba],
    width: usize,
    height: usize,
}

impl GlyphTarget<'_> {
    fn draw_glyph(&mut self, bitmap: &GlyphCoverage, column: i32, baseline: i32, ink: &GlyphInk) {
        if bitmap.coverage.is_empty() {
            return;
        }
        let (left, top) = (column + bitmap.left, baseline + bitmap.top);
        // Columns and rows outside the pixmap, to the left or above, are skipped.
        let (skip_columns, skip_rows) = (pixels_before_edge(left), pixels_before_edge(top));
        let (first_column, first_row) = (left.max(0) as usize, top.max(0) as usize);
        if first_column >= self.width || first_row >= self.height {
            return;
        }
        let rows = self.pixels.chunks_exact_mut(self.width).skip(first_row);
        let glyph_rows = bitmap.coverage.chunks_exact(bitmap.width).skip(skip_rows);
        for (row, glyph_row) in rows.zip(glyph_rows) {
            let pixels = row.iter_mut().skip(first_column);
            for (pixel, &coverage) in pixels.zip(glyph_row.iter().skip(skip_columns)) {
                if coverage > 0 {
                    *pixel = over(ink.with_coverage(coverage), *pixel);
                }
            }
        }
    }
}

/// Number of pixels before pixel 0 if the first one is at `position`.
fn pixels_before_edge(position: i32) -> usize {
    usize::try_from(-position).unwrap_or(0)
}

/// A size that can be drawn: a positive number, not too large.
fn drawable_size(size_px: f32) -> Option<f32> {
    (size_px.is_finite() && size_px > 0.0).then_some(size_px.min(MAX_FONT_SIZE))
}

/// Characters that guide a text layout and show nothing: controls, joiners, marks of direction, variation selectors.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tiny_skia::Pixmap;

    use super::*;

    const INK: Color32 = Color32::from_rgb(232, 235, 240);

    fn drawn(
        text: &mut TextRenderer,
        words: &str,
        x: f32,
        y: f32,
        size: f32,
        anchor: Align2,
    ) -> Pixmap {
        let mut pixmap = Pixmap::new(160, 60).unwrap();
        text.draw(&mut pixmap.as_mut(), words, x, y, size, INK, anchor);
        pixmap
    }

    /// Left, top, right and bottom of the non-empty area; right and bottom are exclusive.
    fn bounds(pixmap: &Pixmap) -> Option<[u32; 4]> {
        let mut found: Option<[u32; 4]> = None;
        for y in 0..pixmap.height() {
            for x in 0..pixmap.width() {
                if pixmap.pixel(x, y).unwrap().alpha() > 0 {
                    let [left, top, right, bottom] = found.unwrap_or([x, y, x, y]);
                    found = Some([left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)]);
                }
            }
        }
        found
    }

    #[test]
    fn both_weights_load_both_faces() {
        assert_eq!(TextRenderer::regular().faces.len(), 2);
        assert_eq!(TextRenderer::semibold().faces.len(), 2);
    }

    #[test]
    fn width_is_the_sum_of_its_parts_and_grows_with_the_size() {
        let mut text = TextRenderer::regular();
        let (whole, first, second) = (
            text.width("f2 2,141", 13.0),
            text.width("f2 ", 13.0),
            text.width("2,141", 13.0),
        );
        assert!((whole - first - second).abs() < 0.01);
        assert!(whole > 40.0 && whole < 60.0, "{whole}");
        assert!((text.width("2,141", 26.0) - 2.0 * second).abs() < 0.01);
        assert_eq!(text.width("", 13.0), 0.0);
        assert_eq!(text.width("1111", 13.0), text.width("8888", 13.0));
        assert!(TextRenderer::semibold().width("Node", 13.0) > text.width("Node", 13.0));
    }

    #[test]
    fn text_stands_where_its_anchor_says() {
        let mut text = TextRenderer::regular();
        let wide = text.width("H", 20.0);
        for (anchor, left) in [
            (Align2::LEFT_CENTER, 80.0),
            (Align2::CENTER_CENTER, 80.0 - wide / 2.0),
            (Align2::RIGHT_CENTER, 80.0 - wide),
        ] {
            let [first, top, last, bottom] =
                bounds(&drawn(&mut text, "H", 80.0, 30.0, 20.0, anchor)).unwrap();
            assert!(
                first as f32 >= left - 0.5 && last as f32 <= left + wide + 0.5,
                "{anchor:?}"
            );
            let middle = (top + bottom) as f32 / 2.0;
            assert!(
                (middle - 30.0).abs() <= 1.0,
                "the capital's middle is {middle}"
            );
        }
        let [_, top, _, bottom] =
            bounds(&drawn(&mut text, "Hg", 10.0, 20.0, 20.0, Align2::LEFT_TOP)).unwrap();
        assert!(top >= 20 && bottom <= 20 + 25);
        let [_, top, _, bottom] = bounds(&drawn(
            &mut text,
            "Hg",
            10.0,
            50.0,
            20.0,
            Align2::LEFT_BOTTOM,
        ))
        .unwrap();
        assert!(top >= 50 - 25 && bottom <= 50);
    }

    #[test]
    fn a_remembered_glyph_looks_like_a_new_one() {
        let mut text = TextRenderer::regular();
        let first = drawn(&mut text, "d1 → f2 ♞", 3.3, 30.0, 13.0, Align2::LEFT_CENTER);
        let remembered = text.bitmaps.len();
        let second = drawn(&mut text, "d1 → f2 ♞", 3.3, 30.0, 13.0, Align2::LEFT_CENTER);
        assert!(first == second);
        assert_eq!(text.bitmaps.len(), remembered);
        text.cache_bytes = MAX_CACHE_BYTES + 1;
        let third = drawn(&mut text, "d1 → f2 ♞", 3.3, 30.0, 13.0, Align2::LEFT_CENTER);
        assert!(first == third);
        assert!(text.cache_bytes <= MAX_CACHE_BYTES);
    }

    #[test]
    fn the_second_face_helps_out_and_a_box_shows_what_no_face_has() {
        let mut text = TextRenderer::regular();
        assert_eq!(text.character('a').unwrap().face, 0);
        let knight = text.character('♞').unwrap();
        assert_eq!(knight.face, 1);
        assert_ne!(knight.glyph, GlyphId(0));
        let unknown = text.character('\u{10ffff}').unwrap();
        assert_eq!((unknown.face, unknown.glyph), (0, GlyphId(0)));
    }

    #[test]
    fn text_over_the_border_is_the_cut_of_text_within() {
        let mut text = TextRenderer::regular();
        let whole = drawn(&mut text, "Canopy", 40.0, 30.0, 24.0, Align2::LEFT_CENTER);
        let cut = drawn(&mut text, "Canopy", -10.0, 10.0, 24.0, Align2::LEFT_CENTER);
        for y in 0..40 {
            for x in 0..100 {
                assert_eq!(cut.pixel(x, y), whole.pixel(x + 50, y + 20));
            }
        }
        let mut corner = Pixmap::new(5, 5).unwrap();
        text.draw(
            &mut corner.as_mut(),
            "Canopy",
            3.0,
            3.0,
            24.0,
            INK,
            Align2::LEFT_TOP,
        );
    }

    #[test]
    fn strange_text_and_numbers_do_no_harm() {
        let mut text = TextRenderer::regular();
        for words in [
            "",
            "\0\n\r\t\u{7f}",
            "שלום",
            "مرحبا",
            "👩‍👩‍👧",
            "e\u{301}\u{fe0f}",
            "\u{202e}abc",
            "\u{10ffff}",
        ] {
            drawn(&mut text, words, 80.0, 30.0, 13.0, Align2::CENTER_CENTER);
        }
        assert!(
            bounds(&drawn(
                &mut text,
                "\n\t\u{200b}",
                9.0,
                9.0,
                13.0,
                Align2::LEFT_TOP
            ))
            .is_none()
        );
        for strange in [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            -0.0,
            f32::MIN_POSITIVE,
            -5.0,
        ] {
            drawn(&mut text, "abc", strange, 9.0, 13.0, Align2::LEFT_TOP);
            drawn(&mut text, "abc", 9.0, strange, 13.0, Align2::RIGHT_BOTTOM);
            drawn(&mut text, "abc", 9.0, 9.0, strange, Align2::CENTER_CENTER);
            assert!(text.width("abc", strange).is_finite());
        }
        let long = "W".repeat(100_000);
        drawn(&mut text, &long, 0.0, 30.0, 13.0, Align2::CENTER_CENTER);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_drawn(words in any::<String>(), x in -200.0..200.0_f32, size in 0.1..64.0_f32) {
            let mut text = TextRenderer::regular();
            drawn(&mut text, &words, x, 30.0, size, Align2::CENTER_CENTER);
        }
    }
}
