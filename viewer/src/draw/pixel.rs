//! Arithmetic on premultiplied colours of four bytes, as `tiny-skia` and egui both keep them.

/// A premultiplied colour: red, green, blue, alpha.
pub(crate) type Rgba = [u8; 4];

/// A pixel of a colour that lets nothing through.
pub(crate) fn opaque(colour: egui::Color32) -> tiny_skia::PremultipliedColorU8 {
    tiny_skia::ColorU8::from_rgba(colour.r(), colour.g(), colour.b(), 255).premultiply()
}

/// The product of two bytes that stand for fractions of 255, rounded.
#[inline(always)]
pub(crate) fn scale(channel: u8, by: u8) -> u8 {
    let product = u16::from(channel) * u16::from(by) + 128;
    ((product + (product >> 8)) >> 8) as u8
}

/// The product of two colours, channel by channel.
#[inline(always)]
pub(crate) fn multiply(colour: Rgba, by: Rgba) -> Rgba {
    let mut product = colour;
    for (channel, by) in product.iter_mut().zip(by) {
        *channel = scale(*channel, by);
    }
    product
}

/// A colour whose channels are all [`scale`]d by the same byte, two at a time.
#[inline(always)]
pub(crate) fn scale_colour(colour: Rgba, by: u8) -> Rgba {
    const EVEN: u32 = 0x00ff_00ff;
    const HALVES: u32 = 0x0080_0080;
    let colour = u32::from_le_bytes(colour);
    let even = (colour & EVEN) * u32::from(by) + HALVES;
    let odd = ((colour >> 8) & EVEN) * u32::from(by) + HALVES;
    let even = ((even + ((even >> 8) & EVEN)) >> 8) & EVEN;
    let odd = (odd + ((odd >> 8) & EVEN)) & !EVEN;
    (even | odd).to_le_bytes()
}

/// A colour over another. Colours that only add light have alpha 0, and saturate.
#[inline(always)]
pub(crate) fn over(source: Rgba, below: Rgba) -> Rgba {
    let [.., alpha] = source;
    let mut result = source;
    for (channel, below) in result.iter_mut().zip(scale_colour(below, 255 - alpha)) {
        *channel = channel.saturating_add(below);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_rounds_to_the_nearest_byte() {
        for channel in 0..=255_u8 {
            for by in 0..=255_u8 {
                let exact = f64::from(channel) * f64::from(by) / 255.0;
                assert_eq!(f64::from(scale(channel, by)), exact.round());
                let colour = [channel, 0, 255, channel];
                let slowly = colour.map(|channel| scale(channel, by));
                assert_eq!(scale_colour(colour, by), slowly);
            }
        }
    }

    #[test]
    fn over_covers_adds_and_saturates() {
        assert_eq!(over([1, 2, 3, 255], [9, 9, 9, 255]), [1, 2, 3, 255]);
        assert_eq!(over([0; 4], [9, 8, 7, 6]), [9, 8, 7, 6]);
        assert_eq!(
            over([50, 0, 0, 128], [100, 100, 100, 255]),
            [100, 50, 50, 255]
        );
        assert_eq!(over([200, 0, 0, 0], [100, 100, 0, 255]), [255, 100, 0, 255]);
    }
}
