//! Drawing primitives of the boards: discs, rings, arrows, rounded rectangles, text.

use egui::{Align2, Color32};
use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, Paint, Path, PathBuilder, PixmapMut, Point,
    RadialGradient, Rect, SpreadMode, Stroke, Transform,
};

use super::{PieceColours, rgb};
use crate::draw::{
    fonts::TextRenderer,
    theme::{self, Theme},
};

/// Smallest legible text size in pixels; smaller text is not drawn.
const MIN_TEXT_SIZE: f32 = 6.0;

/// Draws primitives into a pixmap with a theme's colours.
pub(super) struct Brush<'a, 'p> {
    pixmap: &'a mut PixmapMut<'p>,
    text: Option<TextRenderer>,
    semibold: Option<TextRenderer>,
    /// Colours of the window.
    pub(super) theme: &'a Theme,
}

/// Colour of visit shares; brighter in the light theme, where boards are darker than the window.
pub(super) fn visit_colour(theme: &Theme) -> Color32 {
    if theme.is_dark {
        theme.warm
    } else {
        rgb(0xf2a52c)
    }
}

/// Text size of coordinates for a drawing's width and the height of its margin, in pixels.
pub(super) fn coordinate_size(width: f32, room: f32) -> f32 {
    (width * 0.034 + 1.6).min(room * 0.85)
}

/// A colour with its opacity multiplied; `opacity` is clamped to 0 to 1.
pub(super) fn with_opacity(colour: Color32, opacity: f32) -> Color {
    let mut colour = theme::to_skia(colour);
    colour.apply_opacity(opacity.clamp(0.0, 1.0));
    colour
}

impl<'a, 'p> Brush<'a, 'p> {
    pub(super) fn new(pixmap: &'a mut PixmapMut<'p>, theme: &'a Theme) -> Self {
        Self {
            pixmap,
            text: None,
            semibold: None,
            theme,
        }
    }

    pub(super) fn fill(&mut self, path: &Path, colour: Color, at: Transform) {
        let paint = paint(colour, true);
        self.pixmap
            .fill_path(path, &paint, FillRule::Winding, at, None);
    }

    /// Fills by the even-odd rule, as for a plate with holes.
    pub(super) fn fill_even_odd(&mut self, path: &Path, colour: Color) {
        let paint = paint(colour, true);
        let at = Transform::identity();
        self.pixmap
            .fill_path(path, &paint, FillRule::EvenOdd, at, None);
    }

    pub(super) fn stroke(&mut self, path: &Path, colour: Color, width: f32, at: Transform) {
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        let paint = paint(colour, true);
        self.pixmap.stroke_path(path, &paint, &stroke, at, None);
    }

    /// A rectangle without anti-aliasing.
    pub(super) fn rectangle(&mut self, rect: Rect, colour: Color) {
        let paint = paint(colour, false);
        self.pixmap
            .fill_rect(rect, &paint, Transform::identity(), None);
    }

    pub(super) fn rounded_rectangle(&mut self, rect: Rect, radius: f32, colour: Color) {
        if let Some(path) = rounded_path(rect, radius) {
            self.fill(&path, colour, Transform::identity());
        }
    }

    /// A rounded rectangle's border, drawn inside it.
    pub(super) fn border(&mut self, rect: Rect, radius: f32, width: f32, colour: Color) {
        let inner = rect.inset(width / 2.0, width / 2.0);
        if let Some(path) = inner.and_then(|rect| rounded_path(rect, radius - width / 2.0)) {
            self.stroke(&path, colour, width, Transform::identity());
        }
    }

    pub(super) fn disc(&mut self, (x, y): (f32, f32), radius: f32, colour: Color) {
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            self.fill(&path, colour, Transform::identity());
        }
    }

    /// A circle; `radius` is that of its outer edge.
    pub(super) fn ring(&mut self, (x, y): (f32, f32), radius: f32, width: f32, colour: Color) {
        let middle = radius - width / 2.0;
        if let Some(path) = PathBuilder::from_circle(x, y, middle) {
            self.stroke(&path, colour, width, Transform::identity());
        }
    }

    /// A disc with an outline, visible on any ground.
    pub(super) fn piece(&mut self, at: (f32, f32), radius: f32, tone: PieceColours) {
        self.disc(at, radius, theme::to_skia(tone.fill));
        let width = (radius * 0.07).max(0.8);
        self.ring(at, radius, width, with_opacity(tone.edge, 0.9));
    }

    /// A disc seen at an angle; `part` is the visible share of its width.
    pub(super) fn flipping_piece(
        &mut self,
        (x, y): (f32, f32),
        radius: f32,
        part: f32,
        tone: PieceColours,
    ) {
        let wide = (radius * part).max(radius * 0.05);
        let oval = Rect::from_xywh(x - wide, y - radius, 2.0 * wide, 2.0 * radius);
        let Some(path) = oval.and_then(PathBuilder::from_oval) else {
            return;
        };
        let width = (radius * 0.07).max(0.8);
        self.fill(&path, theme::to_skia(tone.fill), Transform::identity());
        self.stroke(
            &path,
            with_opacity(tone.edge, 0.9),
            width,
            Transform::identity(),
        );
    }

    /// A radial gradient over a square, strongest in the centre.
    pub(super) fn glow(&mut self, rect: Rect, colour: Color32) {
        let (x, y) = rect_centre(rect);
        let stops = [(0.0, 0.95), (0.45, 0.75), (1.0, 0.1)];
        let shader = RadialGradient::new(
            Point::from_xy(x, y),
            0.0,
            Point::from_xy(x, y),
            rect.width() * 0.64,
            stops
                .map(|(at, opacity)| GradientStop::new(at, with_opacity(colour, opacity)))
                .to_vec(),
            SpreadMode::Pad,
            Transform::identity(),
        );
        if let Some(shader) = shader {
            let paint = Paint {
                shader,
                anti_alias: false,
                ..Paint::default()
            };
            self.pixmap
                .fill_rect(rect, &paint, Transform::identity(), None);
        }
    }

    /// An arrow as one path, so that translucent parts do not overlap.
    pub(super) fn arrow(
        &mut self,
        from: (f32, f32),
        to: (f32, f32),
        width: f32,
        head: f32,
        colour: Color,
    ) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        if !(length > 0.0 && length.is_finite()) {
            return;
        }
        // Along the arrow, and across it.
        let at = |along: f32, across: f32| {
            let (ux, uy) = (dx / length, dy / length);
            (
                from.0 + ux * along - uy * across,
                from.1 + uy * along + ux * across,
            )
        };
        let neck = (length - head).max(0.0);
        let half = width / 2.0;
        let wide = head * 0.62;
        let corners = [
            at(0.0, half),
            at(neck, half),
            at(neck, wide),
            at(length, 0.0),
            at(neck, -wide),
            at(neck, -half),
            at(0.0, -half),
        ];
        let mut path = PathBuilder::new();
        for (index, (x, y)) in corners.into_iter().enumerate() {
            if index == 0 {
                path.move_to(x, y);
            } else {
                path.line_to(x, y);
            }
        }
        path.close();
        if let Some(path) = path.finish() {
            self.fill(&path, colour, Transform::identity());
        }
    }

    /// Text centred at a point.
    pub(super) fn text(&mut self, text: &str, at: (f32, f32), size: f32, colour: Color32) {
        if size >= MIN_TEXT_SIZE {
            let fonts = self.text.get_or_insert_with(TextRenderer::regular);
            let anchor = Align2::CENTER_CENTER;
            fonts.draw(self.pixmap, text, at.0, at.1, size, colour, anchor);
        }
    }

    /// Semibold text centred at a point, for small digits on a coloured ground.
    pub(super) fn semibold_text(&mut self, text: &str, at: (f32, f32), size: f32, colour: Color32) {
        if size >= MIN_TEXT_SIZE {
            let fonts = self.semibold.get_or_insert_with(TextRenderer::semibold);
            let anchor = Align2::CENTER_CENTER;
            fonts.draw(self.pixmap, text, at.0, at.1, size, colour, anchor);
        }
    }
}

fn paint(colour: Color, smooth: bool) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour);
    paint.anti_alias = smooth;
    paint
}

/// The path of a rounded rectangle.
fn rounded_path(rect: Rect, radius: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    push_rounded_rectangle(&mut path, rect, radius);
    path.finish()
}

/// Adds a rounded rectangle to a path; its corners are square if the radius is 0 or less.
pub(super) fn push_rounded_rectangle(path: &mut PathBuilder, rect: Rect, radius: f32) {
    /// Distance of the control points of a cubic Bézier quarter circle from its ends, in radii.
    const HANDLE: f32 = 0.552_285;
    let radius = radius.clamp(0.0, rect.width().min(rect.height()) / 2.0);
    if radius <= 0.0 {
        path.push_rect(rect);
        return;
    }
    let (left, top, right, bottom) = (rect.left(), rect.top(), rect.right(), rect.bottom());
    let rest = radius * (1.0 - HANDLE);
    path.move_to(left + radius, top);
    path.line_to(right - radius, top);
    path.cubic_to(right - rest, top, right, top + rest, right, top + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(
        right,
        bottom - rest,
        right - rest,
        bottom,
        right - radius,
        bottom,
    );
    path.line_to(left + radius, bottom);
    path.cubic_to(
        left + rest,
        bottom,
        left,
        bottom - rest,
        left,
        bottom - radius,
    );
    path.line_to(left, top + radius);
    path.cubic_to(left, top + rest, left + rest, top, left + radius, top);
    path.close();
}

/// Centre of a rectangle.
pub(super) fn rect_centre(rect: Rect) -> (f32, f32) {
    (
        (rect.left() + rect.right()) / 2.0,
        (rect.top() + rect.bottom()) / 2.0,
    )
}
