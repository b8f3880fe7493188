//! Sprites of nodes, for transient frames: drawn once for each size and sub-pixel position, then copied.

use std::collections::HashMap;

use tiny_skia::{Pixmap, PixmapMut};

use super::draw_node;
use crate::{
    draw::{pixel::over, theme::Theme},
    tree::{model::TreeModel, scene::NodeDisc},
};

/// Resolution of sprite positions and sizes, per pixel.
const STEPS_PER_PIXEL: f32 = 4.0;
/// More stamps than these are not kept.
const MAX_SPRITES: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct NodeSpriteKey {
    /// Who decides, as far as it shows.
    is_light: bool,
    is_end: bool,
    /// The radius, and the place within a pixel, in steps.
    radius: u16,
    subpixel: (u8, u8),
}

/// Stamps for one theme and scale.
#[derive(Default)]
pub(super) struct NodeSprites {
    sprites: HashMap<NodeSpriteKey, Option<Pixmap>>,
    drawn_for: Option<(Theme, f32)>,
}

impl NodeSprites {
    /// Draws nodes.
    pub(super) fn paint(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        model: &TreeModel,
        discs: &[NodeDisc],
        theme: &Theme,
        scale: f32,
    ) {
        let is_same = (self.drawn_for.as_ref())
            .is_some_and(|(known, known_scale)| known == theme && *known_scale == scale);
        if !is_same || self.sprites.len() > MAX_SPRITES {
            self.sprites.clear();
            self.drawn_for = Some((theme.clone(), scale));
        }
        for disc in discs {
            let node = disc.node as usize;
            let (x, y) = disc.at;
            let step = |at: f32| ((at - at.floor()) * STEPS_PER_PIXEL) as u8;
            let key = NodeSpriteKey {
                is_light: model.is_light(node),
                is_end: model.node_states[node].is_terminal(),
                radius: (disc.radius * STEPS_PER_PIXEL).round().max(1.0) as u16,
                subpixel: (step(x), step(y)),
            };
            let sprite =
                (self.sprites.entry(key)).or_insert_with(|| render_sprite(key, theme, scale));
            if let Some(sprite) = sprite {
                let middle = (sprite.width() / 2) as i32;
                let corner = (x.floor() as i32 - middle, y.floor() as i32 - middle);
                blit(sprite, pixmap, corner);
            }
        }
    }
}

fn render_sprite(key: NodeSpriteKey, theme: &Theme, scale: f32) -> Option<Pixmap> {
    let radius = f32::from(key.radius) / STEPS_PER_PIXEL;
    let middle = (radius + 2.0 * scale).ceil();
    let size = 2 * middle as u32 + 1;
    let mut sprite = Pixmap::new(size, size)?;
    let place = |within: u8| middle + (f32::from(within) + 0.5) / STEPS_PER_PIXEL;
    let at = (place(key.subpixel.0), place(key.subpixel.1));
    let shape = (key.is_light, key.is_end);
    draw_node(&mut sprite.as_mut(), shape, at, radius, theme, scale);
    Some(sprite)
}

/// Lays a stamp over a picture with its upper left corner at a pixel, as far as it fits.
fn blit(sprite: &Pixmap, pixmap: &mut PixmapMut<'_>, (left, top): (i32, i32)) {
    let (width, height) = (pixmap.width() as i32, pixmap.height() as i32);
    let size = sprite.width() as i32;
    let columns = (-left).clamp(0, size)..(width - left).clamp(0, size);
    let (from, _) = sprite.data().as_chunks::<4>();
    let (to, _) = pixmap.data_mut().as_chunks_mut::<4>();
    for row in (-top).clamp(0, size)..(height - top).clamp(0, size) {
        if columns.is_empty() {
            return;
        }
        let begin = (row * size + columns.start) as usize;
        let source = &from[begin..begin + columns.len()];
        let begin = ((top + row) * width + left + columns.start) as usize;
        for (pixel, &stamp) in to[begin..begin + columns.len()].iter_mut().zip(source) {
            match stamp {
                [.., 0] => {}
                [.., 255] => *pixel = stamp,
                _ => *pixel = over(stamp, *pixel),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_over_an_edge_stays_on_the_picture() {
        let key = NodeSpriteKey {
            is_light: true,
            is_end: false,
            radius: 20,
            subpixel: (0, 3),
        };
        let sprite = render_sprite(key, &Theme::dark(), 1.0).expect("a picture");
        assert!(sprite.pixels().iter().any(|pixel| pixel.alpha() == 255));
        let mut pixmap = Pixmap::new(9, 7).expect("a picture");
        for corner in [
            (-30, -30),
            (-5, -5),
            (0, 0),
            (6, 5),
            (8, -8),
            (9, 7),
            (1000, -1000),
        ] {
            blit(&sprite, &mut pixmap.as_mut(), corner);
        }
        assert!(pixmap.pixels().iter().any(|pixel| pixel.alpha() > 0));
    }
}
