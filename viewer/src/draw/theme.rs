//! The colours of the viewer, and how egui's widgets wear them.
//!
//! Every colour has one meaning: edges go from quiet to warm by visits, the principal variation and the keyboard's focus are cool, the
//! selection is ringed in warm, and everything else is grey. Lengths are multiples of 4 points, separators are hairlines, and only
//! what floats above the rest throws a shadow.

use std::collections::BTreeMap;

use egui::epaint::FontColorTransferFunction;
use egui::epaint::text::TextOptions;
use egui::style::{
    HandleShape, ScrollStyle, Selection, Spacing, TextCursorStyle, WidgetVisuals, Widgets,
};
use egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Margin, RichText, Shadow, Stroke, Style,
    TextStyle, Vec2, Visuals, vec2,
};

use crate::draw::fonts;

/// The size of ordinary text in points.
pub const BODY_SIZE: f32 = 13.0;
/// Size of headings, which are capitals, of labels, units and captions; nothing is smaller.
pub const SMALL_SIZE: f32 = 12.0;
/// Size of titles of whole areas, in semibold, and of sentences that introduce them.
pub const TITLE_SIZE: f32 = 15.0;
/// Size of a card's title.
pub const CARD_TITLE_SIZE: f32 = 20.0;
/// Size of a page's title.
pub const PAGE_TITLE_SIZE: f32 = 28.0;

/// Width of the outline around what has the keyboard's focus, in points.
pub const FOCUS_WIDTH: f32 = 2.0;

/// The name of the text style for titles.
const TITLE_STYLE: &str = "title";

/// One set of colours. All are opaque.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Whether the ground is dark.
    pub is_dark: bool,
    /// Behind everything.
    pub window: Color32,
    /// The ground of the areas at the sides, above and below.
    pub panel: Color32,
    /// Fill of buttons, fields, pop-ups and other raised elements.
    pub card: Color32,
    /// What lies on a card: a row under the pointer, a key's name.
    pub raised: Color32,
    /// The ground of the tree.
    pub canvas: Color32,
    /// Separators and outlines.
    pub line: Color32,
    /// The grid of charts.
    pub grid: Color32,
    /// Text to be read.
    pub text: Color32,
    /// Text that may be read.
    pub dim: Color32,
    /// The principal variation, links, and the focus of the keyboard.
    pub cool: Color32,
    /// The path of the last iteration, and the next choice.
    pub last: Color32,
    /// The selection, and what asks for attention.
    pub warm: Color32,
    /// The edges with the fewest visits.
    pub edge_least: Color32,
    /// The edges with the most visits.
    pub edge_most: Color32,
    /// The first side, or the first of two searches: one end of the only diverging scale.
    pub side_a: Color32,
    /// The middle of that scale: equal.
    pub side_mid: Color32,
    /// The second side, or the second search: its other end.
    pub side_b: Color32,
    /// Wins that are known for certain.
    pub good: Color32,
    /// Losses that are known for certain, and errors.
    pub bad: Color32,
    /// The ground of the chosen option.
    pub selected: Color32,
    /// The ground of a screen's main button, under white text.
    pub primary: Color32,
    /// Nodes where the player with the light pieces is to move: the first player, except in games that Black begins.
    pub light_player: Color32,
    /// Nodes in which the other player decides.
    pub dark_player: Color32,
}

impl Theme {
    /// Light text on dark ground.
    pub const fn dark() -> Self {
        Self {
            is_dark: true,
            window: hex(0x14171c),
            panel: hex(0x1b1f26),
            card: hex(0x222831),
            raised: hex(0x2a313c),
            canvas: hex(0x101317),
            line: hex(0x2f3742),
            grid: hex(0x232a33),
            text: hex(0xe8ebf0),
            dim: hex(0x95a0ae),
            cool: hex(0x58b7d9),
            last: hex(0x6fc38b),
            warm: hex(0xf2b441),
            edge_least: hex(0x3f6688),
            edge_most: hex(0xffb547),
            side_a: hex(0xff9d4d),
            side_mid: hex(0x59636f),
            side_b: hex(0xb79cff),
            good: hex(0x6fc38b),
            bad: hex(0xf0897a),
            selected: hex(0x2b4a5a),
            primary: hex(0x2f6f8c),
            light_player: hex(0xf4f1e8),
            dark_player: hex(0x0b0d10),
        }
    }

    /// Dark text on light ground.
    pub const fn light() -> Self {
        Self {
            is_dark: false,
            window: hex(0xeceef1),
            panel: hex(0xf6f7f9),
            card: hex(0xffffff),
            raised: hex(0xe6eaef),
            canvas: hex(0xfbfbfc),
            line: hex(0xd3d9e1),
            grid: hex(0xe4e8ed),
            text: hex(0x1d232b),
            dim: hex(0x5a6573),
            cool: hex(0x176f94),
            last: hex(0x24734a),
            warm: hex(0x9a5505),
            edge_least: hex(0x7794b0),
            edge_most: hex(0xc2570c),
            side_a: hex(0xad4c08),
            side_mid: hex(0x87919d),
            side_b: hex(0x6a4bc4),
            good: hex(0x24734a),
            bad: hex(0xb3392e),
            selected: hex(0xcfe3ec),
            primary: hex(0x1b6f93),
            light_player: hex(0xffffff),
            dark_player: hex(0x22272e),
        }
    }

    /// Makes every window and widget of a context look like this. The fonts are set by [`fonts::install`].
    pub fn apply(&self, context: &Context) {
        let theme = if self.is_dark {
            egui::Theme::Dark
        } else {
            egui::Theme::Light
        };
        context.set_style_of(theme, self.style());
        context.set_theme(theme);
    }

    /// The style of egui's widgets.
    pub fn style(&self) -> Style {
        Style {
            text_styles: text_styles(),
            drag_value_text_style: TextStyle::Body,
            spacing: spacing(),
            visuals: self.visuals(),
            // Nothing moves by itself but trees and pieces: a fade would have the window drawn again and again.
            animation_time: 0.0,
            // Selectable text would catch the pointer, on cards beside it too; text worth copying has a key.
            interaction: egui::style::Interaction {
                selectable_labels: false,
                ..egui::style::Interaction::default()
            },
            ..Style::default()
        }
    }

    /// A heading over a group of controls: small, dim, spaced capitals.
    pub fn heading(&self, text: &str) -> RichText {
        RichText::new(text.to_uppercase())
            .text_style(TextStyle::Heading)
            .extra_letter_spacing(0.8)
            .color(self.dim)
    }

    /// The title of a whole area.
    pub fn title(&self, text: impl Into<String>) -> RichText {
        RichText::new(text)
            .text_style(TextStyle::Name(TITLE_STYLE.into()))
            .color(self.text)
    }

    /// Ordinary text in semibold, for the numbers that matter.
    pub fn strong(&self, text: impl Into<String>) -> RichText {
        RichText::new(text)
            .font(FontId::new(BODY_SIZE, fonts::semibold()))
            .color(self.text)
    }

    /// Text in semibold of any size.
    pub fn semibold(&self, text: impl Into<String>, size: f32) -> RichText {
        RichText::new(text)
            .font(FontId::new(size, fonts::semibold()))
            .color(self.text)
    }

    /// The ground of a row or a chip that is selected.
    pub fn selected_fill(&self) -> Color32 {
        self.selected
    }

    /// The outline of what has the keyboard's focus.
    pub fn focus_stroke(&self) -> Stroke {
        Stroke::new(FOCUS_WIDTH, self.cool)
    }

    fn visuals(&self) -> Visuals {
        let base = if self.is_dark {
            Visuals::dark()
        } else {
            Visuals::light()
        };
        let shadow = Shadow {
            offset: [0, 4],
            blur: 16,
            spread: 0,
            color: Color32::from_black_alpha(if self.is_dark { 112 } else { 36 }),
        };
        let text_options = TextOptions {
            color_transfer_function: if self.is_dark {
                FontColorTransferFunction::Gamma(fonts::LIGHT_TEXT_GAMMA)
            } else {
                FontColorTransferFunction::Off
            },
            ..TextOptions::default()
        };
        Visuals {
            text_options,
            override_text_color: None,
            weak_text_color: Some(self.dim),
            widgets: self.widgets(),
            selection: Selection {
                bg_fill: mix(self.card, self.cool, 0.32),
                stroke: Stroke::new(1.0, self.text),
            },
            hyperlink_color: self.cool,
            faint_bg_color: mix(self.panel, self.card, 0.5),
            extreme_bg_color: if self.is_dark { self.window } else { self.card },
            text_edit_bg_color: Some(if self.is_dark { self.window } else { self.card }),
            code_bg_color: self.card,
            warn_fg_color: self.warm,
            error_fg_color: self.bad,
            window_corner_radius: CornerRadius::same(8),
            window_shadow: shadow,
            window_fill: self.card,
            window_stroke: Stroke::new(1.0, self.line),
            window_highlight_topmost: false,
            menu_corner_radius: CornerRadius::same(8),
            panel_fill: self.panel,
            popup_shadow: shadow,
            text_cursor: TextCursorStyle {
                stroke: Stroke::new(1.0, self.text),
                ..TextCursorStyle::default()
            },
            indent_has_left_vline: false,
            slider_trailing_fill: true,
            handle_shape: HandleShape::Circle,
            disabled_alpha: 0.4,
            ..base
        }
    }

    /// Styles of buttons and the like: at rest, under the pointer, pressed or focused; and of inert elements.
    fn widgets(&self) -> Widgets {
        let lift = |amount: f32| mix(self.card, self.text, amount);
        let (hover, press) = if self.is_dark {
            (0.08, 0.03)
        } else {
            (0.04, 0.10)
        };
        let outlined = |fill: Color32, line: Color32, text: Color32| WidgetVisuals {
            bg_fill: fill,
            weak_bg_fill: fill,
            bg_stroke: Stroke::new(1.0, line),
            corner_radius: CornerRadius::same(6),
            fg_stroke: Stroke::new(1.0, text),
            expansion: 0.0,
        };
        let strong_line = mix(self.line, self.text, 0.25);
        Widgets {
            noninteractive: outlined(self.panel, self.line, self.text),
            inactive: WidgetVisuals {
                // The rails of sliders have no outline and must be seen on a card as on a panel.
                bg_fill: self.line,
                ..outlined(self.card, self.line, self.text)
            },
            hovered: outlined(lift(hover), strong_line, self.text),
            // What has the keyboard's focus looks like this, too.
            active: WidgetVisuals {
                bg_stroke: self.focus_stroke(),
                ..outlined(lift(press), self.cool, self.text)
            },
            open: outlined(lift(press), strong_line, self.text),
        }
    }
}

/// An opaque colour from its six hexadecimal digits.
const fn hex(rgb: u32) -> Color32 {
    Color32::from_rgb((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8)
}

/// Interpolates between two opaque colours.
pub fn mix(from: Color32, to: Color32, amount: f32) -> Color32 {
    from.lerp_to_gamma(to, amount.clamp(0.0, 1.0))
}

/// The same colour as `tiny-skia` wants it.
pub fn to_skia(colour: Color32) -> tiny_skia::Color {
    let [red, green, blue, alpha] = colour.to_srgba_unmultiplied();
    tiny_skia::Color::from_rgba8(red, green, blue, alpha)
}

fn text_styles() -> BTreeMap<TextStyle, FontId> {
    let inter = |size| FontId::new(size, FontFamily::Proportional);
    BTreeMap::from([
        (TextStyle::Small, inter(SMALL_SIZE)),
        (TextStyle::Body, inter(BODY_SIZE)),
        (TextStyle::Button, inter(BODY_SIZE)),
        (
            TextStyle::Heading,
            FontId::new(SMALL_SIZE, fonts::semibold()),
        ),
        (
            TextStyle::Monospace,
            FontId::new(BODY_SIZE, FontFamily::Monospace),
        ),
        (
            TextStyle::Name(TITLE_STYLE.into()),
            FontId::new(TITLE_SIZE, fonts::semibold()),
        ),
    ])
}

fn spacing() -> Spacing {
    Spacing {
        item_spacing: vec2(8.0, 4.0),
        window_margin: Margin::same(12),
        button_padding: vec2(12.0, 4.0),
        menu_margin: Margin::same(4),
        indent: 16.0,
        interact_size: vec2(32.0, 24.0),
        slider_width: 120.0,
        slider_rail_height: 4.0,
        combo_width: 96.0,
        icon_width: 16.0,
        icon_width_inner: 8.0,
        icon_spacing: 8.0,
        menu_spacing: 4.0,
        default_area_size: Vec2::new(480.0, 320.0),
        scroll: ScrollStyle {
            bar_width: 8.0,
            floating_width: 4.0,
            handle_min_length: 24.0,
            ..ScrollStyle::floating()
        },
        ..Spacing::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: Color32) -> f32 {
        let [red, green, blue, _] = egui::Rgba::from(colour).to_array();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast ratio of the Web Content Accessibility Guidelines 2.1.
    fn contrast(one: Color32, other: Color32) -> f32 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn text_can_be_read_on_every_ground() {
        for theme in [Theme::dark(), Theme::light()] {
            for ground in [
                theme.window,
                theme.panel,
                theme.card,
                theme.raised,
                theme.canvas,
            ] {
                assert!(contrast(theme.text, ground) >= 7.0, "{theme:?}");
                assert!(contrast(theme.dim, ground) >= 4.9, "{theme:?}");
            }
            assert!(contrast(Color32::WHITE, theme.primary) >= 5.5, "{theme:?}");
            assert!(
                contrast(theme.text, theme.selected_fill()) >= 7.0,
                "{theme:?}"
            );
        }
    }

    #[test]
    fn the_three_states_of_a_button_differ() {
        for theme in [Theme::dark(), Theme::light()] {
            let widgets = theme.style().visuals.widgets;
            assert_ne!(widgets.inactive, widgets.hovered);
            assert_ne!(widgets.hovered, widgets.active);
            assert_ne!(widgets.inactive, widgets.active);
        }
    }

    #[test]
    fn a_context_wears_the_theme() {
        let context = Context::default();
        for theme in [Theme::light(), Theme::dark()] {
            theme.apply(&context);
            assert_eq!(context.global_style().visuals.panel_fill, theme.panel);
        }
    }

    #[test]
    fn both_libraries_see_the_same_colour() {
        let colour = to_skia(Theme::dark().warm).to_color_u8();
        assert_eq!(
            [colour.red(), colour.green(), colour.blue(), colour.alpha()],
            [0xf2, 0xb4, 0x41, 0xff]
        );
    }
}
