//! egui's textures in memory, and how a colour is read out of them.

use egui::epaint::{ImageData, ImageDelta};
use egui::{Pos2, TextureFilter, TextureOptions, TextureWrapMode};

use crate::draw::pixel::Rgba;

/// A picture, row by row, and how it wants to be sampled.
pub(super) struct Texture {
    width: usize,
    height: usize,
    texels: Vec<Rgba>,
    options: TextureOptions,
}

impl Texture {
    /// The texture that a whole update describes.
    pub(super) fn new(delta: &ImageDelta) -> Self {
        let ImageData::Color(image) = &delta.image;
        let [width, height] = image.size;
        let mut texels: Vec<Rgba> = image.pixels.iter().map(|texel| texel.to_array()).collect();
        texels.resize(width.saturating_mul(height), [0; 4]);
        Self {
            width,
            height,
            texels,
            options: delta.options,
        }
    }

    /// Replaces the rectangle whose upper left corner is `at`; clips it to the texture.
    pub(super) fn patch(&mut self, at: [usize; 2], delta: &ImageDelta) {
        self.options = delta.options;
        let ImageData::Color(image) = &delta.image;
        let [left, top] = at;
        if image.size.contains(&0) || self.texels.is_empty() || left >= self.width {
            return;
        }
        let [source_width, _] = image.size;
        let rows = self.texels.chunks_exact_mut(self.width).skip(top);
        for (row, source) in rows.zip(image.pixels.chunks_exact(source_width)) {
            for (texel, new) in row.iter_mut().skip(left).zip(source) {
                *texel = new.to_array();
            }
        }
    }

    /// Width and height in texels, as the factors from texture coordinates to texels.
    pub(super) fn scale(&self) -> (f32, f32) {
        (self.width as f32, self.height as f32)
    }

    /// How to filter when one pixel steps over `texels_per_pixel` texels.
    pub(super) fn filter(&self, texels_per_pixel: f32) -> TextureFilter {
        if texels_per_pixel > 1.0 {
            self.options.minification
        } else {
            self.options.magnification
        }
    }

    /// `length` texels of row `y` from column `x` on, if the texture has them all.
    pub(super) fn run(&self, x: i64, y: i64, length: usize) -> Option<&[Rgba]> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        if y >= self.height || x.checked_add(length)? > self.width {
            return None;
        }
        let start = y * self.width + x;
        self.texels.get(start..start + length)
    }

    /// The colour at a texture coordinate.
    pub(super) fn sample(&self, at: Pos2, filter: TextureFilter) -> Rgba {
        let (x, y) = (at.x * self.width as f32, at.y * self.height as f32);
        match filter {
            TextureFilter::Nearest => self.texel(floor(x), floor(y)),
            TextureFilter::Linear => {
                let (x, y) = (x - 0.5, y - 0.5);
                let (column, row) = (floor(x), floor(y));
                let right = ((x - column as f32) * 256.0) as u32;
                let below = ((y - row as f32) * 256.0) as u32;
                let upper = mix(
                    self.texel(column, row),
                    self.texel(column + 1, row),
                    right.min(256),
                );
                let lower = mix(
                    self.texel(column, row + 1),
                    self.texel(column + 1, row + 1),
                    right.min(256),
                );
                mix(upper, lower, below.min(256))
            }
        }
    }

    fn texel(&self, column: i64, row: i64) -> Rgba {
        let column = wrap(column, self.width, self.options.wrap_mode);
        let row = wrap(row, self.height, self.options.wrap_mode);
        self.texels
            .get(row * self.width + column)
            .copied()
            .unwrap_or([0; 4])
    }
}

/// The largest integer not above `value`, clamped to 32 bits.
fn floor(value: f32) -> i64 {
    let truncated = value as i32;
    i64::from(truncated) - i64::from(truncated as f32 > value)
}

/// From `near` to `far` in 256 steps.
fn mix(near: Rgba, far: Rgba, weight: u32) -> Rgba {
    let mut mixed = near;
    for (channel, far) in mixed.iter_mut().zip(far) {
        *channel =
            ((u32::from(*channel) * (256 - weight) + u32::from(far) * weight + 128) >> 8) as u8;
    }
    mixed
}

fn wrap(index: i64, length: usize, mode: TextureWrapMode) -> usize {
    let length = length.max(1) as i64;
    let wrapped = match mode {
        TextureWrapMode::ClampToEdge => index.clamp(0, length - 1),
        TextureWrapMode::Repeat => index.rem_euclid(length),
        TextureWrapMode::MirroredRepeat => {
            let turn = index.rem_euclid(2 * length);
            turn.min(2 * length - 1 - turn)
        }
    };
    wrapped as usize
}
