//! Palettes: the hues of edges, by visits and by value. Choosing one changes nothing but hues.

use egui::Color32;

use crate::draw::theme::Theme;

/// Report 000's colours of the least and the most visited edges.
pub const REPORT_COLOURS: [[u8; 3]; 2] = [[255, 0, 0], [0, 255, 0]];

/// One choice of hues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Its name in settings and of its control.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// What is to be known of it.
    pub hint: &'static str,
    /// On dark and on light ground; none for the theme's own.
    hues: Option<[Hues; 2]>,
}

/// The least and the most visited edges, and the ends of the diverging scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hues {
    least: u32,
    most: u32,
    side_a: u32,
    side_b: u32,
}

/// The theme's own.
pub const THEME: usize = 0;
/// That of report 000.
pub const REPORT: usize = 2;

/// All palettes.
pub const PALETTES: [Palette; 3] = [
    Palette {
        name: "theme colours",
        label: "amber",
        hint: "Blue to amber; safe for the common kinds of colour blindness",
        hues: None,
    },
    Palette {
        name: "blue and yellow",
        label: "yellow",
        hint: "Blue to yellow; safe for the common kinds of colour blindness",
        hues: Some([
            Hues {
                least: 0x4a6fb5,
                most: 0xffe14d,
                side_a: 0xffe14d,
                side_b: 0x6ea3ff,
            },
            Hues {
                least: 0x7d9bd1,
                most: 0x6b5600,
                side_a: 0x806600,
                side_b: 0x1f56b8,
            },
        ]),
    },
    Palette {
        name: "green and red",
        label: "green, red",
        hint: "As report 000 draws its trees; hard to tell apart for one man in twelve",
        hues: Some([REPORT_HUES, REPORT_HUES]),
    },
];

const REPORT_HUES: Hues = Hues {
    least: 0xff0000,
    most: 0x00ff00,
    side_a: 0x00c853,
    side_b: 0xff3d3d,
};

impl Palette {
    /// Gives a theme these hues.
    pub fn apply(&self, theme: &mut Theme) {
        let Some([dark, light]) = self.hues else {
            return;
        };
        let hues = if theme.is_dark { dark } else { light };
        theme.edge_least = rgb(hues.least);
        theme.edge_most = rgb(hues.most);
        theme.side_a = rgb(hues.side_a);
        theme.side_b = rgb(hues.side_b);
    }
}

fn rgb(hex: u32) -> Color32 {
    let [_, red, green, blue] = hex.to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

/// The contrast ratio of the Web Content Accessibility Guidelines 2.1.
#[cfg(test)]
pub(crate) fn contrast(one: Color32, other: Color32) -> f32 {
    let luminance = |colour: Color32| {
        let [red, green, blue, _] = egui::Rgba::from(colour).to_array();
        0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
    };
    let (one, other) = (luminance(one), luminance(other));
    one.max(other) / one.min(other)
}

/// Both themes in every palette that everybody can read.
#[cfg(test)]
pub(crate) fn safe_themes() -> Vec<Theme> {
    let mut themes = Vec::new();
    for palette in &PALETTES[..REPORT] {
        for mut theme in [Theme::dark(), Theme::light()] {
            palette.apply(&mut theme);
            themes.push(theme);
        }
    }
    themes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Full protanopia, deuteranopia and tritanopia in linear RGB (Machado, Oliveira and Fernandes 2009), and none.
    const VISION: [[[f32; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    /// CIE L*a*b* under D65.
    fn lab(colour: Color32, vision: &[[f32; 3]; 3]) -> [f32; 3] {
        let [red, green, blue, _] = egui::Rgba::from(colour).to_array();
        let rgb = vision.map(|row| (row[0] * red + row[1] * green + row[2] * blue).clamp(0.0, 1.0));
        let dot = |row: [f32; 3]| row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2];
        let x = dot([0.4124, 0.3576, 0.1805]) / 0.9505;
        let y = dot([0.2126, 0.7152, 0.0722]);
        let z = dot([0.0193, 0.1192, 0.9505]) / 1.089;
        let [x, y, z] = [x, y, z].map(|part| {
            if part > 0.008_856 {
                part.cbrt()
            } else {
                7.787 * part + 16.0 / 116.0
            }
        });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The distance of two colours (CIE 1976), for the eyes that see it least.
    fn distance(one: Color32, other: Color32) -> f32 {
        let seen = VISION.iter().map(|vision| {
            let (one, other) = (lab(one, vision), lab(other, vision));
            let squares = one
                .iter()
                .zip(other)
                .map(|(one, other)| (one - other).powi(2));
            squares.sum::<f32>().sqrt()
        });
        seen.fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn everybody_can_tell_the_ends_of_a_scale_apart() {
        for theme in safe_themes() {
            let sides = distance(theme.side_a, theme.side_b);
            let visits = distance(theme.edge_least, theme.edge_most);
            assert!(
                sides >= 40.0 && visits >= 40.0,
                "{sides} {visits} {theme:?}"
            );
        }
        // The check finds what it looks for: report 000's light green and red lie close together for some.
        let mut report = Theme::dark();
        PALETTES[REPORT].apply(&mut report);
        assert!(distance(report.side_a, report.side_b) < 40.0);
    }

    #[test]
    fn the_ends_of_a_scale_can_be_seen_on_the_canvas() {
        for theme in safe_themes() {
            for colour in [theme.side_a, theme.side_b, theme.edge_most] {
                let ratio = contrast(colour, theme.canvas);
                assert!(ratio >= 3.0, "{ratio} {theme:?}");
            }
        }
    }
}
