//! Animated GIF, after the GIF89a specification of CompuServe (1990): a table of up to 256 colours a frame, LZW.

use std::collections::{BTreeMap, HashMap};

use tiny_skia::Pixmap;

/// Entries of a colour table.
const MAX_COLOURS: usize = 256;
/// Codes of LZW have at most so many bits.
const MAX_CODE_BITS: u32 = 12;
/// Bits of a colour table's index.
const INDEX_BITS: u32 = 8;
/// Bytes of a block of data.
const BLOCK_BYTES: usize = 255;

/// The beginning of a file: its size, and that it is repeated for ever.
pub(super) fn header(width: u16, height: u16) -> Vec<u8> {
    let mut out = b"GIF89a".to_vec();
    out.extend(width.to_le_bytes());
    out.extend(height.to_le_bytes());
    // No table of colours for all frames; square pixels.
    out.extend([0x70, 0, 0]);
    out.extend(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00");
    out
}

/// A frame that is shown for so many hundredths of a second.
pub(super) fn frame(picture: &Pixmap, hundredths: u16) -> Vec<u8> {
    let (table, indices) = quantise(picture);
    let mut out = vec![0x21, 0xf9, 4, 0x04];
    out.extend(hundredths.to_le_bytes());
    out.extend([0, 0, 0x2c, 0, 0, 0, 0]);
    out.extend((picture.width() as u16).to_le_bytes());
    out.extend((picture.height() as u16).to_le_bytes());
    // A table of 256 colours of its own.
    out.push(0x87);
    let filled = table.iter().flatten().copied();
    out.extend(filled.chain(std::iter::repeat(0)).take(3 * MAX_COLOURS));
    out.push(INDEX_BITS as u8);
    for block in compress(&indices).chunks(BLOCK_BYTES) {
        out.push(block.len() as u8);
        out.extend(block);
    }
    out.push(0);
    out
}

/// The end of a file.
pub(super) const TRAILER: u8 = 0x3b;

/// A table of colours, and the index of every pixel's colour or of the nearest to it. Up to 256 colours are all in the table. Of
/// more, the most frequent are its first half, for figures have few colours, and many shades of each at the edges of shapes; means
/// of similar colours stand for the rest.
fn quantise(picture: &Pixmap) -> (Vec<[u8; 3]>, Vec<u8>) {
    let colour =
        |pixel: &tiny_skia::PremultipliedColorU8| [pixel.red(), pixel.green(), pixel.blue()];
    let mut counts: HashMap<[u8; 3], u32> = HashMap::new();
    for pixel in picture.pixels() {
        *counts.entry(colour(pixel)).or_default() += 1;
    }
    let mut by_count: Vec<([u8; 3], u32)> = counts.into_iter().collect();
    // Colours of equal counts in the order of their numbers, so that a picture gives one file.
    by_count.sort_unstable_by_key(|&(colour, count)| (std::cmp::Reverse(count), colour));
    let own = match by_count.len() {
        0..=MAX_COLOURS => by_count.len(),
        _ => MAX_COLOURS / 2,
    };
    let (frequent, rest) = by_count.split_at(own);
    let mut table: Vec<[u8; 3]> = frequent.iter().map(|&(colour, _)| colour).collect();
    table.extend(mean_colours(rest, MAX_COLOURS - own));
    let nearest = |colour: [u8; 3]| {
        let distance = |other: &[u8; 3]| -> u32 {
            (colour.iter().zip(other))
                .map(|(one, other)| u32::from(one.abs_diff(*other)).pow(2))
                .sum()
        };
        let best = table
            .iter()
            .enumerate()
            .min_by_key(|(_, other)| distance(other));
        best.map_or(0, |(index, _)| index as u8)
    };
    let index_of: HashMap<[u8; 3], u8> = (by_count.iter().enumerate())
        .map(|(index, &(colour, _))| match index < own {
            true => (colour, index as u8),
            false => (colour, nearest(colour)),
        })
        .collect();
    let indices = (picture.pixels().iter())
        .map(|pixel| index_of.get(&colour(pixel)).copied().unwrap_or(0))
        .collect();
    (table, indices)
}

/// At most `most` colours, each the mean of those that agree in their upper bits, as many bits as possible.
fn mean_colours(colours: &[([u8; 3], u32)], most: usize) -> Vec<[u8; 3]> {
    for lower_bits in 0..=8 {
        let mut groups: BTreeMap<[u16; 3], [u64; 4]> = BTreeMap::new();
        for &([red, green, blue], count) in colours {
            let upper = [red, green, blue].map(|part| u16::from(part) >> lower_bits);
            let sums = groups.entry(upper).or_default();
            for (sum, part) in sums.iter_mut().zip([red, green, blue, 1]) {
                *sum += u64::from(part) * u64::from(count);
            }
        }
        if groups.len() <= most {
            let mean = |&[red, green, blue, count]: &[u64; 4]| {
                [red, green, blue].map(|sum| (sum / count.max(1)) as u8)
            };
            return groups.values().map(mean).collect();
        }
    }
    Vec::new()
}

/// Bits, the least significant first.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    pending: u32,
    count: u32,
}

impl BitWriter {
    fn push(&mut self, code: u16, bits: u32) {
        self.pending |= u32::from(code) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// LZW with codes that grow from nine bits to twelve; then the table is begun anew.
fn compress(indices: &[u8]) -> Vec<u8> {
    const CLEAR: u16 = 1 << INDEX_BITS;
    const END: u16 = CLEAR + 1;
    let mut out = BitWriter::default();
    let mut codes: HashMap<(u16, u8), u16> = HashMap::new();
    let mut next = END + 1;
    let mut bits = INDEX_BITS + 1;
    out.push(CLEAR, bits);
    let Some((&first, rest)) = indices.split_first() else {
        out.push(END, bits);
        return out.finish();
    };
    let mut prefix = u16::from(first);
    for &index in rest {
        if let Some(&code) = codes.get(&(prefix, index)) {
            prefix = code;
            continue;
        }
        out.push(prefix, bits);
        if u32::from(next) == 1 << MAX_CODE_BITS {
            out.push(CLEAR, bits);
            codes.clear();
            (next, bits) = (END + 1, INDEX_BITS + 1);
        } else {
            // The reader learns a code one step later than the writer does.
            if u32::from(next) == 1 << bits {
                bits += 1;
            }
            codes.insert((prefix, index), next);
            next += 1;
        }
        prefix = u16::from(index);
    }
    out.push(prefix, bits);
    out.push(END, bits);
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LZW read back, written from the specification alone.
    fn decompress(bytes: &[u8]) -> Vec<u8> {
        let mut at = 0;
        let mut read = |bits: usize| {
            let code = (0..bits)
                .map(|bit| {
                    let place = at + bit;
                    usize::from(bytes[place / 8] >> (place % 8) & 1) << bit
                })
                .sum::<usize>();
            at += bits;
            code
        };
        let start = || -> Vec<Vec<u8>> {
            let singles = (0..=255).map(|index| vec![index]);
            singles.chain([vec![], vec![]]).collect()
        };
        let (mut table, mut bits) = (start(), 9);
        let (mut out, mut last): (Vec<u8>, Option<Vec<u8>>) = (Vec::new(), None);
        loop {
            let code = read(bits);
            match code {
                256 => {
                    (table, bits, last) = (start(), 9, None);
                    continue;
                }
                257 => return out,
                _ => {}
            }
            let entry = match (table.get(code), &last) {
                (Some(entry), _) => entry.clone(),
                (None, Some(last)) => [last.as_slice(), &last[..1]].concat(),
                (None, None) => panic!("a code before its time"),
            };
            if let Some(last) = last.filter(|_| table.len() < 4096) {
                table.push([last.as_slice(), &entry[..1]].concat());
                if table.len() == 1 << bits && bits < 12 {
                    bits += 1;
                }
            }
            out.extend(&entry);
            last = Some(entry);
        }
    }

    #[test]
    fn what_is_compressed_is_read_back() {
        let noise = |count: u32| -> Vec<u8> {
            let mut seed = 7_u32;
            (0..count)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 24) as u8
                })
                .collect()
        };
        for indices in [
            vec![],
            vec![3],
            vec![5; 10_000],
            noise(300),
            noise(40_000),
            [noise(5000), vec![0; 5000]].concat(),
        ] {
            assert!(decompress(&compress(&indices)) == indices);
        }
    }

    #[test]
    fn up_to_256_colours_are_kept_and_more_become_the_nearest() {
        let mut picture = Pixmap::new(32, 32).expect("a small picture");
        for (index, pixel) in picture.pixels_mut().iter_mut().enumerate() {
            let grey = (index % 200) as u8;
            *pixel = crate::draw::pixel::opaque(egui::Color32::from_gray(grey));
        }
        let (table, indices) = quantise(&picture);
        for (pixel, index) in picture.pixels().iter().zip(indices) {
            assert_eq!(table[usize::from(index)][0], pixel.red());
        }
        for (index, pixel) in picture.pixels_mut().iter_mut().enumerate() {
            let colour = egui::Color32::from_rgb((index / 4) as u8, (index % 7) as u8, 9);
            *pixel = crate::draw::pixel::opaque(colour);
        }
        let (table, indices) = quantise(&picture);
        assert!((129..=256).contains(&table.len()), "{}", table.len());
        for (pixel, index) in picture.pixels().iter().zip(indices) {
            assert!(table[usize::from(index)][0].abs_diff(pixel.red()) <= 8);
        }
    }
}
