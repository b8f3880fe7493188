//! The growth of a tree as one file: frames of equal size, as GIF or as animated PNG.

use tiny_skia::Pixmap;

use super::{gif, pixels::rgb};

/// How frames are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnimationFormat {
    /// Up to 256 colours a frame; shown everywhere.
    Gif,
    /// All colours; shown by browsers and by most viewers.
    Apng,
}

/// How long frames are shown, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTimes {
    /// Number of frames.
    pub count: u32,
    /// Each but the last.
    pub each_ms: u32,
    /// The last, before the film begins again.
    pub last_ms: u32,
}

impl FrameTimes {
    fn of(&self, index: u32) -> u16 {
        let milliseconds = match index + 1 == self.count {
            true => self.last_ms,
            false => self.each_ms,
        };
        u16::try_from(milliseconds).unwrap_or(u16::MAX)
    }
}

/// The iterations of `count` frames of a search: the first ones one by one, then in growing steps, as a tree grows.
pub fn frame_iterations(total: u32, count: u32) -> Vec<u32> {
    let steps = f64::from(count.max(2) - 1);
    let mut frames: Vec<u32> = (0..count.max(2))
        .map(|step| {
            f64::from(total.max(1))
                .powf(f64::from(step) / steps)
                .round() as u32
        })
        .collect();
    // The first frames would be one and the same iteration.
    for index in 1..frames.len() {
        frames[index] = frames[index].max(frames[index - 1] + 1).min(total.max(1));
    }
    frames.dedup();
    frames
}

/// Writes an animation; `picture` gives the frame with a number.
pub fn encode(
    format: AnimationFormat,
    times: &FrameTimes,
    mut picture: impl FnMut(u32) -> Result<Pixmap, String>,
) -> Result<Vec<u8>, String> {
    let first = picture(0)?;
    let (width, height) = (first.width(), first.height());
    let mut frame = |index: u32, first: &mut Option<Pixmap>| match first.take() {
        Some(first) => Ok(first),
        None => picture(index),
    };
    let mut first = Some(first);
    match format {
        AnimationFormat::Gif => {
            let side = |length: u32| {
                u16::try_from(length)
                    .map_err(|_| "a GIF has at most 65535 pixels a side".to_owned())
            };
            let mut out = gif::header(side(width)?, side(height)?);
            for index in 0..times.count {
                let picture = frame(index, &mut first)?;
                out.extend(gif::frame(&picture, times.of(index).div_ceil(10)));
            }
            out.push(gif::TRAILER);
            Ok(out)
        }
        AnimationFormat::Apng => {
            let mut out = Vec::new();
            write_apng(&mut out, (width, height), times, |index| {
                frame(index, &mut first)
            })?;
            Ok(out)
        }
    }
}

fn write_apng(
    out: &mut Vec<u8>,
    (width, height): (u32, u32),
    times: &FrameTimes,
    mut frame: impl FnMut(u32) -> Result<Pixmap, String>,
) -> Result<(), String> {
    let told = |error: png::EncodingError| error.to_string();
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_animated(times.count, 0).map_err(told)?;
    let mut writer = encoder.write_header().map_err(told)?;
    for index in 0..times.count {
        let picture = frame(index)?;
        writer
            .set_frame_delay(times.of(index), 1000)
            .and_then(|()| writer.write_image_data(&rgb(&picture)))
            .map_err(told)?;
    }
    writer.finish().map_err(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_begin_at_the_first_iteration_and_end_at_the_last() {
        assert_eq!(frame_iterations(10, 10), (1..=10).collect::<Vec<_>>());
        let frames = frame_iterations(20_000, 60);
        assert_eq!((frames[0], frames.len(), frames[59]), (1, 60, 20_000));
        assert!(frames.is_sorted_by(|one, other| one < other));
        assert_eq!(frame_iterations(1, 60), [1]);
        assert_eq!(frame_iterations(3, 60), [1, 2, 3]);
    }
}
