//! Thin antialiased lines, many at a time: each step along a line's longer axis shares its colour between two pixels, as
//! Wu's algorithm does. Ten times faster than a general stroke, for lines one pixel wide on an opaque picture.

use tiny_skia::PixmapMut;

/// A colour, two of its channels in each word, so that two are mixed at a time.
#[derive(Clone, Copy)]
struct Ink {
    even: u32,
    odd: u32,
}

impl Ink {
    const EVEN: u32 = 0x00ff_00ff;

    fn new([red, green, blue]: [u8; 3]) -> Self {
        let colour = u32::from_le_bytes([red, green, blue, 255]);
        Self {
            even: colour & Self::EVEN,
            odd: colour >> 8 & Self::EVEN,
        }
    }

    /// So many 256ths of it over a pixel.
    #[inline(always)]
    fn over(self, pixel: [u8; 4], strength: u32) -> [u8; 4] {
        let below = u32::from_le_bytes(pixel);
        let rest = 256 - strength;
        let even = (self.even * strength + (below & Self::EVEN) * rest) >> 8 & Self::EVEN;
        let odd = (self.odd * strength + (below >> 8 & Self::EVEN) * rest) & !Self::EVEN;
        (even | odd).to_le_bytes()
    }
}

/// A picture to draw lines on.
pub struct Lines<'a> {
    pixels: &'a mut [[u8; 4]],
    width: usize,
    height: usize,
}

impl<'a> Lines<'a> {
    /// Lines on a picture, every pixel of which must be opaque.
    pub fn on(pixmap: &'a mut PixmapMut<'_>) -> Self {
        let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
        Self {
            pixels: pixmap.data_mut().as_chunks_mut().0,
            width,
            height,
        }
    }

    /// Draws a line from pixel to pixel, whole numbers being the middles of pixels; `strength` from 0 to 1 is how much of
    /// the colour it lays on.
    pub fn draw(&mut self, from: (f32, f32), to: (f32, f32), colour: [u8; 3], strength: f32) {
        let Some((from, to)) = self.clip(from, to) else {
            return;
        };
        let strength = (strength.clamp(0.0, 1.0) * 256.0) as i32;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        if dx.abs() > dy.abs() {
            let (from, to) = if dx < 0.0 { (to, from) } else { (from, to) };
            self.walk::<false>(from, to, colour, strength);
        } else {
            let (from, to) = if dy < 0.0 { (to, from) } else { (from, to) };
            self.walk::<true>((from.1, from.0), (to.1, to.0), colour, strength);
        }
    }

    /// Goes along the longer axis; the shorter one moves by a part of a pixel a step.
    fn walk<const STEEP: bool>(
        &mut self,
        from: (f32, f32),
        to: (f32, f32),
        colour: [u8; 3],
        strength: i32,
    ) {
        const ONE: f32 = 65_536.0;
        let length = to.0 - from.0;
        let slope = if length > 0.0 {
            (to.1 - from.1) / length
        } else {
            0.0
        };
        let begin = from.0.round();
        let step = (slope * ONE) as i32;
        let mut across = ((from.1 + (begin - from.0) * slope) * ONE) as i32;
        let colour = Ink::new(colour);
        let (length, breadth) = if STEEP {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        };
        let (next, far_next) = if STEEP {
            (self.width, 1)
        } else {
            (1, self.width)
        };
        for along in begin as i32..=to.0.round() as i32 {
            let pixel = across >> 16;
            let part = (across >> 8) & 255;
            let (near, far) = (((256 - part) * strength) >> 8, (part * strength) >> 8);
            across = across.wrapping_add(step);
            if along < 0 || along as usize >= length {
                continue;
            }
            // Both pixels at once but at the border.
            let row = along as usize * next;
            if pixel >= 0 && (pixel as usize) + 1 < breadth {
                let at = row + pixel as usize * far_next;
                self.blend(at, colour, near);
                self.blend(at + far_next, colour, far);
            } else if pixel >= 0 && (pixel as usize) < breadth {
                self.blend(row + pixel as usize * far_next, colour, near);
            } else if pixel == -1 {
                self.blend(row, colour, far);
            }
        }
    }

    #[inline(always)]
    fn blend(&mut self, at: usize, ink: Ink, strength: i32) {
        if let Some(pixel) = self.pixels.get_mut(at) {
            *pixel = ink.over(*pixel, strength as u32);
        }
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
        Lines::on(&mut pixmap.as_mut()).draw(from, to, [255, 255, 255], 1.0);
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
