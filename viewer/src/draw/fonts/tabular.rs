//! Makes Inter's figures tabular, transparently to the code that draws text.
//!
//! Inter has ten figures of one width beside its proportional ones and offers them as the OpenType feature `tnum`, which
//! egui cannot request. The feature would also widen hyphens, which is unwanted in file names. So the character map (the
//! table `cmap`) is edited in memory: the characters 0 to 9 map to the tabular glyphs, and the font is otherwise unchanged.
//! Only the two map formats that Inter has are supported: format 4 (16-bit, segments) and format 12 (32-bit, groups).

/// The glyph of Inter's tabular zero; those of one to nine follow it. The same in every weight of Inter 4.001.
const TABULAR_ZERO: u16 = 1357;

/// A copy of an Inter font whose figures are all of one width. A font that is built differently stays as it is.
pub(super) fn with_tabular_figures(font: &[u8]) -> Vec<u8> {
    let mut copy = font.to_vec();
    for map in subtables(font).unwrap_or_default() {
        match u16_at(font, map) {
            Some(4) => patch_segments(font, &mut copy, map),
            Some(12) => patch_groups(font, &mut copy, map),
            _ => None,
        };
    }
    copy
}

/// The tabular glyph of a figure.
fn tabular_glyph(figure: u8) -> u16 {
    TABULAR_ZERO + u16::from(figure - b'0')
}

fn bytes_at<const N: usize>(font: &[u8], at: usize) -> Option<[u8; N]> {
    font.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(font: &[u8], at: usize) -> Option<u16> {
    bytes_at(font, at).map(u16::from_be_bytes)
}

fn u32_at(font: &[u8], at: usize) -> Option<usize> {
    let value = bytes_at(font, at).map(u32::from_be_bytes)?;
    usize::try_from(value).ok()
}

fn write_at(font: &mut [u8], at: usize, bytes: &[u8]) -> Option<()> {
    font.get_mut(at..at.checked_add(bytes.len())?)?
        .copy_from_slice(bytes);
    Some(())
}

/// Where the character maps begin, counted from the start of the file.
fn subtables(font: &[u8]) -> Option<Vec<usize>> {
    let tables = usize::from(u16_at(font, 4)?);
    let record = (0..tables)
        .map(|index| 12 + 16 * index)
        .find(|&record| bytes_at(font, record) == Some(*b"cmap"))?;
    let cmap = u32_at(font, record + 8)?;
    let maps = usize::from(u16_at(font, cmap + 2)?);
    (0..maps)
        .map(|index| Some(cmap + u32_at(font, cmap + 4 + 8 * index + 4)?))
        .collect()
}

/// Format 4: arrays of last characters, first characters, deltas and offsets, one entry for each segment. Only a
/// segment that lists its glyphs one by one (its offset is not 0) can be edited in place.
fn patch_segments(font: &[u8], copy: &mut [u8], map: usize) -> Option<()> {
    let doubled = usize::from(u16_at(font, map + 6)?);
    let (lasts, firsts) = (map + 14, map + 16 + doubled);
    let (deltas, offsets) = (firsts + doubled, firsts + 2 * doubled);
    for figure in b'0'..=b'9' {
        let character = u16::from(figure);
        let segment = (0..doubled)
            .step_by(2)
            .find(|&entry| u16_at(font, lasts + entry).is_some_and(|last| last >= character))?;
        let first = u16_at(font, firsts + segment)?;
        let offset = usize::from(u16_at(font, offsets + segment)?);
        if first > character || offset == 0 {
            return None;
        }
        let listed = tabular_glyph(figure).wrapping_sub(u16_at(font, deltas + segment)?);
        let at = offsets + segment + offset + 2 * usize::from(character - first);
        write_at(copy, at, &listed.to_be_bytes())?;
    }
    Some(())
}

/// Format 12: triples of first character, last character, and the glyph of the first.
fn patch_groups(font: &[u8], copy: &mut [u8], map: usize) -> Option<()> {
    let figures = usize::from(b'0')..=usize::from(b'9');
    let count = u32_at(font, map + 12)?;
    for group in 0..count {
        let at = map + 16 + 12 * group;
        let (first, last) = (u32_at(font, at)?, u32_at(font, at + 4)?);
        if figures.contains(&first) && figures.contains(&last) {
            let glyph = u32::from(tabular_glyph(first as u8));
            write_at(copy, at + 8, &glyph.to_be_bytes())?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use ab_glyph::{Font as _, FontRef};

    use super::*;

    #[test]
    fn figures_are_exchanged_and_nothing_else_is() {
        for file in [
            include_bytes!("../../../fonts/Inter-Regular.ttf").as_slice(),
            include_bytes!("../../../fonts/Inter-SemiBold.ttf"),
        ] {
            let changed = with_tabular_figures(file);
            let before = FontRef::try_from_slice(file).unwrap();
            let after = FontRef::try_from_slice(&changed).unwrap();
            let zero = after.h_advance_unscaled(after.glyph_id('0'));
            for figure in '0'..='9' {
                let glyph = after.glyph_id(figure);
                assert_eq!(glyph.0, tabular_glyph(figure as u8));
                assert_eq!(after.h_advance_unscaled(glyph), zero, "{figure}");
                assert!(after.outline(glyph).is_some(), "{figure} has an outline");
            }
            for other in ('\0'..'\u{3000}').filter(|character| !character.is_ascii_digit()) {
                assert_eq!(after.glyph_id(other), before.glyph_id(other), "{other:?}");
            }
        }
    }

    #[test]
    fn a_font_of_another_kind_or_a_torn_one_does_no_harm() {
        let file = include_bytes!("../../../fonts/Inter-Regular.ttf");
        for length in (0..400).chain((400..file.len()).step_by(997)) {
            assert_eq!(with_tabular_figures(&file[..length]).len(), length);
        }
        with_tabular_figures(&[0xff; 500]);
        with_tabular_figures(include_bytes!("../../../fonts/DejaVuSans.ttf"));
    }
}
