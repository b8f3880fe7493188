//! The typefaces of the viewer: Inter for everything, DejaVu Sans behind it for the glyphs Inter lacks.
//!
//! The files lie in `viewer/fonts` as their authors published them, each with its licence, and are embedded in
//! the program: egui 0.37 brings no font of its own, and no machine has to have these installed.
//!
//! Figures are tabular, all of one width, so that running counters do not jitter. egui cannot request a font feature, so the
//! figures are exchanged in memory before the font is loaded.

mod icons;
mod outlines;
mod tabular;
mod text;

use std::sync::{Arc, LazyLock};

use egui::{Context, FontData, FontDefinitions, FontFamily};

pub use outlines::GlyphOutline;
pub use text::TextRenderer;

/// The name of the semibold family, for titles and for numbers that matter.
pub const SEMIBOLD: &str = "semibold";

/// Light text on dark ground covers this power of what its outline covers.
///
/// Colours are mixed in gamma space, which makes light text thinner than dark text. Mixing light itself would take a
/// power near 0.5, but then ordinary text looks almost semibold; this lies between the two.
pub const LIGHT_TEXT_GAMMA: f32 = 0.7;

static INTER_REGULAR: LazyLock<Vec<u8>> = LazyLock::new(|| {
    tabular::with_tabular_figures(include_bytes!("../../fonts/Inter-Regular.ttf"))
});
static INTER_SEMIBOLD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    tabular::with_tabular_figures(include_bytes!("../../fonts/Inter-SemiBold.ttf"))
});
static DEJAVU_SANS: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf");

/// The semibold family, by egui's name for it.
pub fn semibold() -> FontFamily {
    FontFamily::Name(SEMIBOLD.into())
}

/// Gives a context the fonts of [`definitions`], and drawings of a few signs that none of them has: the signs of a player
/// (⏮ ⏴ ⏵ ⏭ ⏸ ⏹), up and down (⏶ ⏷), and the clipboard (📋).
pub fn install(context: &Context) {
    context.set_fonts(definitions());
    context.add_glyph_rasterizer(icons::rasteriser());
}

/// The fonts of the interface: the proportional and the monospace family are Inter (its figures are tabular), and
/// [`semibold`] is Inter SemiBold, each with DejaVu Sans as fallback.
pub fn definitions() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let files: [(&str, &'static [u8]); 3] = [
        ("Inter", &INTER_REGULAR),
        ("Inter SemiBold", &INTER_SEMIBOLD),
        ("DejaVu Sans", DEJAVU_SANS),
    ];
    for (name, bytes) in files {
        let data = Arc::new(FontData::from_static(bytes));
        fonts.font_data.insert(name.to_owned(), data);
    }
    for (family, first) in [
        (FontFamily::Proportional, "Inter"),
        (FontFamily::Monospace, "Inter"),
        (semibold(), "Inter SemiBold"),
    ] {
        let names = vec![first.to_owned(), "DejaVu Sans".to_owned()];
        fonts.families.insert(family, names);
    }
    fonts
}

#[cfg(test)]
mod tests {
    use egui::epaint::text::{Fonts, MissingGlyphPolicy, TextOptions};
    use egui::{Color32, FontId};

    use super::*;

    fn fonts() -> Fonts {
        // Panics on a glyph that no font has.
        Fonts::new(TextOptions::default(), definitions())
            .with_missing_glyph_policy(MissingGlyphPolicy::Panic)
    }

    fn width(fonts: &mut Fonts, text: &str, family: FontFamily) -> f32 {
        let galley = fonts.with_pixels_per_point(1.0).layout_no_wrap(
            text.to_owned(),
            FontId::new(13.0, family),
            Color32::WHITE,
        );
        galley
            .rows
            .iter()
            .flat_map(|row| &row.glyphs)
            .map(|glyph| glyph.advance_width)
            .sum()
    }

    #[test]
    fn egui_lays_all_figures_out_equally_wide() {
        let mut fonts = fonts();
        for family in [FontFamily::Proportional, FontFamily::Monospace, semibold()] {
            let zeros = width(&mut fonts, "0000000000", family.clone());
            for figure in 1..10 {
                let text = figure.to_string().repeat(10);
                let wide = width(&mut fonts, &text, family.clone());
                assert!((wide - zeros).abs() < 0.01, "{text} is {wide}, not {zeros}");
            }
            let (thin, wide) = (
                width(&mut fonts, "1,117", family.clone()),
                width(&mut fonts, "8,046", family),
            );
            assert!(
                (thin - wide).abs() < 0.01,
                "1,117 is {thin}, 8,046 is {wide}"
            );
        }
    }

    #[test]
    fn every_family_has_letters_symbols_and_chess_pieces() {
        let mut fonts = fonts();
        for family in [FontFamily::Proportional, FontFamily::Monospace, semibold()] {
            assert!(
                width(
                    &mut fonts,
                    "Visits äé → ▶ ▾ ● ○ √ − × … · ♔♕♖♗♘♙♚♛♜♝♞♟",
                    family
                ) > 0.0
            );
        }
    }
}
