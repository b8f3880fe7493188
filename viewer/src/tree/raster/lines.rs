//! Thin antialiased lines, many at a time: each step along a line's longer axis shares its colour between two pixels, as
//! Wu's algorithm does. Ten times faster than a general stroke, for lines one pixel wide on an opaque picture.

use tiny_skia::PixmapMut;
use wide::{i16x8, u8x16, u16x8, u64x2};

/// One in each of four lanes.
const LANE_ONES: u64 = 0x0001_0001_0001_0001;

/// A colour for two pixels at once, eight channels side by side.
#[derive(Clone, Copy)]
struct LineInk(u16x8);

impl LineInk {
    fn new([red, green, blue]: [u8; 3]) -> Self {
        let [red, green, blue] = [red, green, blue].map(u16::from);
        Self(u16x8::new([red, green, blue, 255, red, green, blue, 255]))
    }

    /// Blends it over two pixels with weights `near` and `far`, in 256ths.
    #[inline(always)]
    fn over(self, one: [u8; 4], other: [u8; 4], near: u16, far: u16) -> [[u8; 4]; 2] {
        let both = u64::from(u32::from_le_bytes(one)) | u64::from(u32::from_le_bytes(other)) << 32;
        let below = u16x8::from_u8x16_low(bytemuck::cast(u64x2::new([both, 0])));
        let (near, far) = (u64::from(near) * LANE_ONES, u64::from(far) * LANE_ONES);
        let strengths: u16x8 = bytemuck::cast(u64x2::new([near, far]));
        // At most 255 times 256, so that nothing wraps.
        let sum = below * (u16x8::splat(256) - strengths) + self.0 * strengths;
        let mixed: i16x8 = bytemuck::cast(sum >> 8_u32);
        let [both, _] = bytemuck::cast::<_, u64x2>(u8x16::narrow_i16x8(mixed, mixed)).to_array();
        [both as u32, (both >> 32) as u32].map(u32::to_le_bytes)
    }
}

/// A picture to draw lines on.
pub struct LineCanvas<'a> {
    pixels: &'a mut [[u8; 4]],
    width: usize,
    height: usize,
    /// The row of the whole picture at which this part of it begins.
    top: f32,
}

impl<'a> LineCanvas<'a> {
    /// Lines on a picture, every pixel of which must be opaque.
    pub fn on(pixmap: &'a mut PixmapMut<'_>) -> Self {
        let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
        Self {
            pixels: pixmap.data_mut().as_chunks_mut().0,
            width,
            height,
            top: 0.0,
        }
    }

    /// Splits a picture into horizontal bands of `rows` rows.
    pub fn bands(pixmap: &'a mut PixmapMut<'_>, rows: usize) -> Vec<Self> {
        let width = pixmap.width() as usize;
        let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
        (pixels.chunks_mut(width * rows).enumerate())
            .map(|(index, pixels)| Self {
                height: pixels.len() / width,
                pixels,
                width,
                top: (index * rows) as f32,
            })
            .collect()
    }

    /// Draws a line between two points, integers being the centres of pixels; `strength` is its opacity, from 0 to 1.
    pub fn draw(&mut self, from: (f32, f32), to: (f32, f32), colour: [u8; 3], strength: f32) {
        let (above, below) = (self.top - 1.0, self.top + self.height as f32);
        if from.1.max(to.1) < above || from.1.min(to.1) > below {
            return;
        }
        let lower = |(x, y): (f32, f32)| (x, y - self.top);
        let Some((from, to)) = self.clip(lower(from), lower(to)) else {
            return;
        };
        let strength = (strength.clamp(0.0, 1.0) * 256.0) as i32;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        if dx.abs() > dy.abs() {
            let (from, to) = if dx < 0.0 { (to, from) } else { (from, to) };
            self.draw_along::<false>(from, to, colour, strength);
        } else {
            let (from, to) = if dy < 0.0 { (to, from) } else { (from, to) };
            self.draw_along::<true>((from.1, from.0), (to.1, to.0), colour, strength);
        }
    }

    /// Goes along the longer axis; the shorter one moves by a part of a pixel a step.
    fn draw_along<const STEEP: bool>(
        &mut self,
        from: (f32, f32),
        to: (f32, f32),
        colour: [u8; 3],
        strength: i32,
    ) {
        const FIXED_ONE: f32 = 65_536.0;
        let length = to.0 - from.0;
        let slope = if length > 0.0 {
            (to.1 - from.1) / length
        } else {
            0.0
        };
        // Rounds to nearest; clipped values are not below -1.
        let nearest = |along: f32| (along + 1.5) as i32 - 1;
        let (length, breadth) = if STEEP {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        };
        let begin = nearest(from.0).max(0);
        let end = (nearest(to.0) + 1).min(length as i32);
        let step = (slope * FIXED_ONE) as i32;
        let mut across = ((from.1 + (begin as f32 - from.0) * slope) * FIXED_ONE) as i32;
        let ink = LineInk::new(colour);
        let (next, far_next) = if STEEP {
            (self.width, 1)
        } else {
            (1, self.width)
        };
        for along in begin..end {
            let pixel = across >> 16;
            let part = (across >> 8) & 255;
            let (near, far) = (
                (((256 - part) * strength) >> 8) as u16,
                ((part * strength) >> 8) as u16,
            );
            across = across.wrapping_add(step);
            // Both pixels at once but at the border, where one of them is not there.
            let row = along as usize * next;
            if pixel >= 0 && (pixel as usize) + 1 < breadth {
                let at = row + pixel as usize * far_next;
                self.blend((at, at + far_next), ink, (near, far));
            } else if pixel >= 0 && (pixel as usize) < breadth {
                let at = row + pixel as usize * far_next;
                self.blend((at, at), ink, (near, 0));
            } else if pixel == -1 {
                self.blend((row, row), ink, (far, 0));
            }
        }
    }

    /// Mixes a colour into two pixels; if they are one, the first counts.
    #[inline(always)]
    fn blend(&mut self, (one, other): (usize, usize), ink: LineInk, (near, far): (u16, u16)) {
        let pixels = &mut self.pixels;
        if one >= pixels.len() || other >= pixels.len() {
            return;
        }
        [pixels[one], pixels[other]] = match ink.over(pixels[one], pixels[other], near, far) {
            [mixed, _] if one == other => [mixed, mixed],
            both => both,
        };
    }

    /// The part of a line that lies on the picture and a pixel around it.
    fn clip(&self, from: (f32, f32), to: (f32, f32)) -> Option<((f32, f32), (f32, f32))> {
        let finite = [from.0, from.1, to.0, to.1]
            .iter()
            .all(|number| number.is_finite());
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (right, bottom) = (self.width as f32, self.height as f32);
        let (mut first, mut last) = (0.0_f32, 1.0_f32);
        let sides = [
            (-dx, from.0 + 1.0),
            (dx, right - from.0),
            (-dy, from.1 + 1.0),
            (dy, bottom - from.1),
        ];
        for (towards, room) in sides {
            if towards == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if towards < 0.0 {
                first = first.max(room / towards);
            } else {
                last = last.min(room / towards);
            }
        }
        let along = |part: f32| (from.0 + part * dx, from.1 + part * dy);
        (finite && first <= last).then_some((along(first), along(last)))
    }
}

#[cfg(test)]
mod tests {
    use tiny_skia::{Color, Pixmap};

    use super::*;

    fn drawn(from: (f32, f32), to: (f32, f32)) -> Pixmap {
        let mut pixmap = Pixmap::new(20, 20).expect("a small picture");
        pixmap.fill(Color::BLACK);
        LineCanvas::on(&mut pixmap.as_mut()).draw(from, to, [255, 255, 255], 1.0);
        pixmap
    }

    fn light(pixmap: &Pixmap) -> u32 {
        pixmap
            .pixels()
            .iter()
            .map(|pixel| u32::from(pixel.red()))
            .sum()
    }

    #[test]
    fn a_line_is_one_pixel_wide_in_whatever_direction() {
        for (to, length) in [
            ((15.0, 5.0), 11),
            ((5.0, 15.0), 11),
            ((15.0, 15.0), 11),
            ((15.0, 8.0), 11),
            ((5.0, 5.0), 1),
        ] {
            let sum = light(&drawn((5.0, 5.0), to));
            let expected = length * 255;
            assert!(
                sum.abs_diff(expected) < expected / 20 + 20,
                "{to:?}: {sum} {expected}"
            );
            assert_eq!(sum, light(&drawn(to, (5.0, 5.0))), "{to:?} backwards");
        }
        assert_eq!(
            drawn((5.0, 5.0), (15.0, 5.0))
                .pixel(10, 5)
                .map(|pixel| pixel.red()),
            Some(255)
        );
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        assert_eq!(light(&drawn((-50.0, -5.0), (50.0, -5.0))), 0);
        assert!(light(&drawn((-1e7, 10.0), (1e7, 10.0))) > 19 * 255);
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(light(&drawn((wrong, 5.0), (5.0, 5.0))), 0);
        }
        light(&drawn((1e30, 1e30), (-1e30, 1e30)));
        light(&drawn((-3.0, 30.0), (30.0, -3.0)));
    }
}
