//! Triangles and upright rectangles, row by row.
//!
//! An edge from `p` to `q` divides the plane; for a triangle whose corners turn the way a clock's hand does
//! on the screen, a point lies inside when
//!
//! ```text
//! (q.x - p.x) (y - p.y) - (q.y - p.y) (x - p.x)  >= 0    for a top or left edge
//!                                                >  0    for the others
//! ```
//!
//! holds for all three edges (Pineda, "A Parallel Algorithm for Polygon Rasterization", 1988, section 3). Solved for
//! x it says where a row of pixels begins and ends. All of it is done in integers, so it is exact.

use egui::epaint::Vertex;
use egui::{Pos2, TextureFilter, pos2};

use super::{PixelRect, texture::Texture};
use crate::draw::pixel::{Rgba, multiply, over, scale_colour};

/// Sub-pixel positions have this many bits.
const SUBPIXEL_BITS: u32 = 8;
/// One pixel in sub-pixel positions.
const SUBPIXEL_ONE: i32 = 1 << SUBPIXEL_BITS;
/// The centre of a pixel.
const SUBPIXEL_HALF: i32 = SUBPIXEL_ONE / 2;
/// Positions beyond two million pixels are pulled in, so that products of two of them fit 64 bits.
const MAX_SUBPIXEL_POSITION: f32 = 536_870_912.0;
/// Colour channels are interpolated with this many bits behind the point.
const COLOUR_BITS: u32 = 16;

/// The part of the canvas that may be painted, in pixels; right and bottom are exclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClipRect {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

impl ClipRect {
    /// Its intersection with a part of the canvas.
    pub(super) fn intersect(self, part: PixelRect) -> Self {
        let edge = |pixels: usize| i32::try_from(pixels).unwrap_or(i32::MAX);
        Self {
            left: self.left.max(edge(part.columns.0)),
            top: self.top.max(edge(part.rows.0)),
            right: self.right.min(edge(part.columns.1)),
            bottom: self.bottom.min(edge(part.rows.1)),
        }
    }

    /// Whether it contains no pixel.
    pub(super) fn is_empty(&self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }
}

/// A vertex in sub-pixel positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubpixelVertex {
    x: i32,
    y: i32,
    uv: Pos2,
    colour: Rgba,
    /// Whether the position is finite.
    is_finite: bool,
}

impl SubpixelVertex {
    pub(super) fn new(vertex: &Vertex, pixels_per_point: f32) -> Self {
        let (x, y) = (
            vertex.pos.x * pixels_per_point,
            vertex.pos.y * pixels_per_point,
        );
        Self {
            x: snap(x),
            y: snap(y),
            uv: vertex.uv,
            colour: vertex.color.to_array(),
            is_finite: x.is_finite() && y.is_finite() && vertex.uv.is_finite(),
        }
    }
}

/// A position in pixels to the nearest sub-pixel.
fn snap(pixels: f32) -> i32 {
    let steps = (pixels * SUBPIXEL_ONE as f32).clamp(-MAX_SUBPIXEL_POSITION, MAX_SUBPIXEL_POSITION);
    (steps + 0.5_f32.copysign(steps)) as i32
}

/// The first pixel whose centre is not before a sub-pixel position.
fn first_pixel(position: i32) -> i32 {
    (position + SUBPIXEL_HALF - 1) >> SUBPIXEL_BITS
}

/// Pixels and the part of them that may be painted.
pub(super) struct RasterTarget<'a> {
    pixels: &'a mut [Rgba],
    width: usize,
    pub(super) clip: ClipRect,
}

impl<'a> RasterTarget<'a> {
    pub(super) fn new(pixels: &'a mut [Rgba], width: u32, height: u32) -> Self {
        Self {
            pixels,
            width: width as usize,
            clip: ClipRect {
                left: 0,
                top: 0,
                right: i32::try_from(width).unwrap_or(i32::MAX),
                bottom: i32::try_from(height).unwrap_or(i32::MAX),
            },
        }
    }

    /// The pixels from `left` to before `right` in a row that the clip admits.
    fn span(&mut self, y: i32, left: i32, right: i32) -> &mut [Rgba] {
        let start = y as usize * self.width;
        self.pixels
            .get_mut(start + left as usize..start + right as usize)
            .unwrap_or_default()
    }

    /// Paints the triangles `p q r` and `p q s` at once if together they are an upright rectangle of one colour whose
    /// texture, if any, is upright too. Otherwise paints nothing and returns false.
    pub(super) fn fill_rectangle(
        &mut self,
        texture: &Texture,
        corners: [&SubpixelVertex; 4],
    ) -> bool {
        let [p, q, r, s] = corners;
        if corners
            .iter()
            .any(|corner| !corner.is_finite || corner.colour != p.colour)
        {
            return false;
        }
        // `r` stands above or below `p`, and `s` above or below `q`; or the other way round.
        let (r, s) = if r.x == p.x { (r, s) } else { (s, r) };
        let upright = r.x == p.x && r.y == q.y && s.x == q.x && s.y == p.y;
        let texture_upright =
            r.uv.x == p.uv.x && r.uv.y == q.uv.y && s.uv.x == q.uv.x && s.uv.y == p.uv.y;
        if !upright || !texture_upright {
            return false;
        }
        if p.colour == [0; 4] {
            return true;
        }
        let box_left = first_pixel(p.x.min(q.x));
        let box_top = first_pixel(p.y.min(q.y));
        let left = box_left.max(self.clip.left);
        let top = box_top.max(self.clip.top);
        let right = first_pixel(p.x.max(q.x)).min(self.clip.right);
        let bottom = first_pixel(p.y.max(q.y)).min(self.clip.bottom);
        if left >= right || top >= bottom {
            return true;
        }
        if p.uv == q.uv {
            let texel = texture.sample(p.uv, texture.filter(0.0));
            let colour = multiply(p.colour, texel);
            for y in top..bottom {
                fill_span(self.span(y, left, right), colour);
            }
            return true;
        }

        // Texels per pixel, and the texture coordinate at the centre of the first pixel.
        let (scale_x, scale_y) = texture.scale();
        let step = pos2(
            slope(p.uv.x, q.uv.x, p.x, q.x),
            slope(p.uv.y, q.uv.y, p.y, q.y),
        );
        let (texels_x, texels_y) = (step.x * scale_x, step.y * scale_y);
        let filter = texture.filter((texels_x * texels_y).abs());
        let start = pos2(
            p.uv.x + step.x * pixels_between(p.x, left),
            p.uv.y + step.y * pixels_between(p.y, top),
        );
        let texel = (start.x * scale_x, start.y * scale_y);
        if let (Some(column), Some(row)) = (
            aligned_texel(texel.0, texels_x),
            aligned_texel(texel.1, texels_y),
        ) {
            for y in top..bottom {
                let span = self.span(y, left, right);
                if let Some(run) = texture.run(column, row + i64::from(y - top), span.len()) {
                    blit_texels(span, run, p.colour);
                } else {
                    let v = start.y + step.y * (y - top) as f32;
                    sample_span(span, texture, filter, pos2(start.x, v), step.x, p.colour);
                }
            }
        } else {
            for y in top..bottom {
                let v = start.y + step.y * (y - top) as f32;
                let span = self.span(y, left, right);
                sample_span(span, texture, filter, pos2(start.x, v), step.x, p.colour);
            }
        }
        true
    }

    /// Paints one triangle, whichever way it turns.
    pub(super) fn fill_triangle(
        &mut self,
        texture: &Texture,
        a: &SubpixelVertex,
        b: &SubpixelVertex,
        c: &SubpixelVertex,
    ) {
        if !(a.is_finite && b.is_finite && c.is_finite) {
            return;
        }
        let top = first_pixel(a.y.min(b.y).min(c.y)).max(self.clip.top);
        let bottom = first_pixel(a.y.max(b.y).max(c.y)).min(self.clip.bottom);
        let left = first_pixel(a.x.min(b.x).min(c.x)).max(self.clip.left);
        let right = first_pixel(a.x.max(b.x).max(c.x)).min(self.clip.right);
        if top >= bottom || left >= right {
            return;
        }
        if [a.colour, b.colour, c.colour] == [[0; 4]; 3] {
            return;
        }
        let area = cross(a, b, c);
        if area == 0 {
            return;
        }
        let (b, c, area) = if area > 0 {
            (b, c, area)
        } else {
            (c, b, -area)
        };

        let paint = TriangleFill::new(texture, a, b, c, area);
        let mut edges = [
            EdgeFunction::new(a, b, top),
            EdgeFunction::new(b, c, top),
            EdgeFunction::new(c, a, top),
        ];
        for y in top..bottom {
            let (mut from, mut to) = (left, right);
            for edge in &mut edges {
                edge.clip_span(&mut from, &mut to);
                edge.row_value += edge.row_step;
            }
            if from < to {
                paint.fill_row(self.span(y, from, to), from, y);
            }
        }
    }
}

/// Twice the area of a triangle, positive when its corners turn clockwise on the screen.
fn cross(a: &SubpixelVertex, b: &SubpixelVertex, c: &SubpixelVertex) -> i64 {
    i64::from(b.x - a.x) * i64::from(c.y - a.y) - i64::from(b.y - a.y) * i64::from(c.x - a.x)
}

/// One edge of a triangle, walked down the rows.
struct EdgeFunction {
    /// The value of the inequality at the centre of column 0 in the current row, less 1 where it is strict.
    row_value: i64,
    /// Change per row.
    row_step: i64,
    /// Change per column.
    column_step: i64,
}

impl EdgeFunction {
    fn new(p: &SubpixelVertex, q: &SubpixelVertex, row: i32) -> Self {
        let (dx, dy) = (i64::from(q.x - p.x), i64::from(q.y - p.y));
        let inclusive = dy < 0 || (dy == 0 && dx > 0);
        let y = (i64::from(row) << SUBPIXEL_BITS) + i64::from(SUBPIXEL_HALF);
        Self {
            row_value: dx * (y - i64::from(p.y))
                - dy * i64::from(SUBPIXEL_HALF - p.x)
                - i64::from(!inclusive),
            row_step: dx << SUBPIXEL_BITS,
            column_step: -dy << SUBPIXEL_BITS,
        }
    }

    /// Takes from the columns `from..to` those outside this edge.
    fn clip_span(&self, from: &mut i32, to: &mut i32) {
        // Within the canvas all bounds fit 32 bits; far outside, clamping keeps them outside.
        let column = |x: i64| x.clamp(-1, i64::from(i32::MAX) - 1) as i32;
        if self.column_step > 0 {
            let first = -self.row_value.div_euclid(self.column_step);
            *from = (*from).max(column(first));
        } else if self.column_step < 0 {
            let last = self.row_value.div_euclid(-self.column_step);
            *to = (*to).min(column(last) + 1);
        } else if self.row_value < 0 {
            *to = *from;
        }
    }
}

/// How the pixels of a triangle get their colours.
enum TriangleFill<'a> {
    /// All the same.
    Flat(Rgba),
    /// The corners' colours shade into each other.
    Shaded(BarycentricBlend),
    /// A texture, times the corners' colours.
    Textured {
        blend: BarycentricBlend,
        texture: &'a Texture,
        filter: TextureFilter,
        uv: [Pos2; 3],
    },
}

impl<'a> TriangleFill<'a> {
    fn new(
        texture: &'a Texture,
        a: &SubpixelVertex,
        b: &SubpixelVertex,
        c: &SubpixelVertex,
        area: i64,
    ) -> Self {
        let colours = [a.colour, b.colour, c.colour];
        if a.uv == b.uv && b.uv == c.uv {
            let texel = texture.sample(a.uv, texture.filter(0.0));
            let [first, second, third] = colours.map(|colour| multiply(colour, texel));
            if first == second && second == third {
                return Self::Flat(first);
            }
            return Self::Shaded(BarycentricBlend::new(a, b, c, area, [first, second, third]));
        }
        let (scale_x, scale_y) = texture.scale();
        let (u, v) = (b.uv - a.uv, c.uv - a.uv);
        let texels = ((u.x * v.y - u.y * v.x) * scale_x * scale_y).abs();
        let pixels = area as f32 / (SUBPIXEL_ONE * SUBPIXEL_ONE) as f32;
        Self::Textured {
            blend: BarycentricBlend::new(a, b, c, area, colours),
            texture,
            filter: texture.filter(texels / pixels),
            uv: [a.uv, b.uv, c.uv],
        }
    }

    fn fill_row(&self, span: &mut [Rgba], x: i32, y: i32) {
        match self {
            Self::Flat(colour) => fill_span(span, *colour),
            Self::Shaded(blend) => {
                let (mut colour, step) = blend.colour_at(x, y);
                for pixel in span {
                    // Most rows of a soft edge are one pixel wide, and most of those pixels are opaque or clear: those need
                    // no read of the pixel beneath.
                    match to_rgba(colour) {
                        [0, 0, 0, 0] => {}
                        opaque @ [.., 255] => *pixel = opaque,
                        source => *pixel = over(source, *pixel),
                    }
                    advance(&mut colour, step);
                }
            }
            Self::Textured {
                blend,
                texture,
                filter,
                uv: [a, b, c],
            } => {
                let (mut colour, step) = blend.colour_at(x, y);
                let (mut second, mut third) = blend.weights(x, y);
                for pixel in span {
                    let at = *a + (*b - *a) * second + (*c - *a) * third;
                    let texel = texture.sample(at, *filter);
                    *pixel = over(multiply(to_rgba(colour), texel), *pixel);
                    advance(&mut colour, step);
                    second += blend.second_step;
                    third += blend.third_step;
                }
            }
        }
    }
}

/// The barycentric weights of a triangle's second and third corner, and the colours they mix.
struct BarycentricBlend {
    origin: (i32, i32),
    to_second: (i32, i32),
    to_third: (i32, i32),
    per_area: f32,
    /// Change of the second and third corner's weight per pixel to the right.
    second_step: f32,
    third_step: f32,
    colour: [f32; 4],
    second_change: [f32; 4],
    third_change: [f32; 4],
}

impl BarycentricBlend {
    fn new(
        a: &SubpixelVertex,
        b: &SubpixelVertex,
        c: &SubpixelVertex,
        area: i64,
        colours: [Rgba; 3],
    ) -> Self {
        let to_second = (b.x - a.x, b.y - a.y);
        let to_third = (c.x - a.x, c.y - a.y);
        let per_area = 1.0 / area as f32;
        let unit = (1_u32 << COLOUR_BITS) as f32;
        let [first, second, third] = colours.map(|colour| colour.map(|c| f32::from(c) * unit));
        let change = |to: [f32; 4]| {
            let mut change = to;
            for (to, from) in change.iter_mut().zip(first) {
                *to -= from;
            }
            change
        };
        Self {
            origin: (a.x, a.y),
            to_second,
            to_third,
            per_area,
            second_step: (i64::from(to_third.1) << SUBPIXEL_BITS) as f32 * per_area,
            third_step: -((i64::from(to_second.1) << SUBPIXEL_BITS) as f32) * per_area,
            colour: first,
            second_change: change(second),
            third_change: change(third),
        }
    }

    /// The weights of the second and third corner at the centre of a pixel.
    fn weights(&self, x: i32, y: i32) -> (f32, f32) {
        let x = (i64::from(x) << SUBPIXEL_BITS) + i64::from(SUBPIXEL_HALF - self.origin.0);
        let y = (i64::from(y) << SUBPIXEL_BITS) + i64::from(SUBPIXEL_HALF - self.origin.1);
        let second = x * i64::from(self.to_third.1) - y * i64::from(self.to_third.0);
        let third = y * i64::from(self.to_second.0) - x * i64::from(self.to_second.1);
        (second as f32 * self.per_area, third as f32 * self.per_area)
    }

    /// The colour at the centre of a pixel, and its change per pixel to the right.
    fn colour_at(&self, x: i32, y: i32) -> ([i32; 4], [i32; 4]) {
        let (second, third) = self.weights(x, y);
        let half = (1_u32 << (COLOUR_BITS - 1)) as f32;
        let mut colour = [0; 4];
        let mut step = [0; 4];
        let changes = self.second_change.iter().zip(self.third_change);
        for (((colour, step), from), (to_second, to_third)) in (colour.iter_mut().zip(&mut step))
            .zip(self.colour)
            .zip(changes)
        {
            *colour = (from + to_second * second + to_third * third + half) as i32;
            *step = (to_second * self.second_step + to_third * self.third_step) as i32;
        }
        (colour, step)
    }
}

/// An interpolated colour, rounded.
#[inline(always)]
fn to_rgba(colour: [i32; 4]) -> Rgba {
    colour.map(|channel| (channel >> COLOUR_BITS).clamp(0, 255) as u8)
}

/// The colour one pixel further. After the last pixel of a row it may leave the range; it is not used then.
#[inline(always)]
fn advance(colour: &mut [i32; 4], step: [i32; 4]) {
    for (channel, step) in colour.iter_mut().zip(step) {
        *channel = channel.wrapping_add(step);
    }
}

/// Paints a row in one colour.
fn fill_span(span: &mut [Rgba], colour: Rgba) {
    match colour {
        [.., 255] => span.fill(colour),
        [0, 0, 0, 0] => {}
        _ => {
            for pixel in span {
                *pixel = over(colour, *pixel);
            }
        }
    }
}

/// Paints a row of texels that lie exactly on pixels, times a colour.
fn blit_texels(span: &mut [Rgba], texels: &[Rgba], colour: Rgba) {
    for (pixel, texel) in span.iter_mut().zip(texels) {
        // Glyphs are white, more or less transparent.
        let &[red, green, blue, alpha] = texel;
        if red == alpha && green == alpha && blue == alpha {
            if alpha > 0 {
                *pixel = over(scale_colour(colour, alpha), *pixel);
            }
        } else {
            *pixel = over(multiply(colour, *texel), *pixel);
        }
    }
}

/// Paints a row through a texture that steps `du` from pixel to pixel, times a colour.
fn sample_span(
    span: &mut [Rgba],
    texture: &Texture,
    filter: TextureFilter,
    start: Pos2,
    du: f32,
    colour: Rgba,
) {
    for (column, pixel) in span.iter_mut().enumerate() {
        let at = pos2(start.x + du * column as f32, start.y);
        *pixel = over(multiply(colour, texture.sample(at, filter)), *pixel);
    }
}

/// The change of a texture coordinate per pixel between two sub-pixel positions.
fn slope(from: f32, to: f32, start: i32, end: i32) -> f32 {
    (to - from) * SUBPIXEL_ONE as f32 / (end - start) as f32
}

/// Distance in pixels from a sub-pixel position to the centre of a pixel.
fn pixels_between(position: i32, pixel: i32) -> f32 {
    ((pixel << SUBPIXEL_BITS) + SUBPIXEL_HALF - position) as f32 / SUBPIXEL_ONE as f32
}

/// The texel a row or column of pixels begins with, if each pixel is one texel and their centres fall together.
fn aligned_texel(texel_centre: f32, texels_per_pixel: f32) -> Option<i64> {
    const TOLERANCE: f32 = 1.0 / 64.0;
    let texel = (texel_centre - 0.5).round();
    ((texel_centre - 0.5 - texel).abs() < TOLERANCE
        && (texels_per_pixel - 1.0).abs() < TOLERANCE / 16.0)
        .then_some(texel as i64)
}
