//! Paints egui's tessellated primitives into a pixmap, on the CPU.
//!
//! egui hands over a list of triangles with colours and texture coordinates; everything it shows, text
//! included, is made of them. [`Painter`] keeps egui's textures and draws those triangles over whatever the
//! pixmap holds, so the tree and the interface share one picture and one copy to the screen.
//!
//! The arithmetic is that of egui's own backends: colours are premultiplied and stay in gamma space, a vertex
//! colour multiplies a texel, and the product goes over the pixel beneath. A pixel belongs to a triangle
//! when its centre does; a centre on an edge belongs to the triangle below or to the right of it, so two
//! triangles that share an edge paint every pixel once. Positions are snapped to 1/256 of a pixel first.
//!
//! Most of an interface is rectangles of one colour and upright glyphs. Both come as pairs of triangles, are
//! recognised as such, and are filled and copied row by row.
//!
//! Depends on `egui` and `tiny-skia`, and on nothing else of the viewer.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod texture;
mod triangles;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use egui::epaint::{ClippedPrimitive, Primitive};
use egui::{Mesh, Rect, TextureId, TexturesDelta};
use tiny_skia::PixmapMut;

use texture::Texture;
use triangles::{ClipRect, RasterTarget, SubpixelVertex};

/// A part of a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRect {
    /// The first column and the one after the last.
    pub columns: (usize, usize),
    /// The first row and the one after the last.
    pub rows: (usize, usize),
}

impl PixelRect {
    /// All of a picture of that size.
    pub fn whole(width: u32, height: u32) -> Self {
        Self {
            columns: (0, width as usize),
            rows: (0, height as usize),
        }
    }
}

/// Holds egui's textures and paints its meshes.
#[derive(Default)]
pub struct Painter {
    textures: HashMap<TextureId, Texture>,

    /// Textures of the last frame that nothing will ask for once it is painted.
    retired: Vec<TextureId>,

    /// The corners of the mesh at hand, kept for their memory.
    vertices: Vec<SubpixelVertex>,
}

impl Painter {
    /// A painter that knows no texture yet; egui's first frame brings the one for fonts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes over what changed about egui's textures. Call it once for every frame egui ran, before
    /// [`Self::paint`], also when that frame is not painted.
    ///
    /// A texture that egui frees stays until the next call, because the frame at hand may still show it.
    pub fn update(&mut self, mut delta: TexturesDelta) {
        for id in self.retired.drain(..) {
            self.textures.remove(&id);
        }
        #[expect(
            clippy::iter_over_hash_type,
            reason = "each texture is set on its own, the order cannot show"
        )]
        for (id, changes) in &delta.set {
            for change in changes {
                match change.pos {
                    None => {
                        self.textures.insert(*id, Texture::new(change));
                    }
                    Some(at) => {
                        if let Some(texture) = self.textures.get_mut(id) {
                            texture.patch(at, change);
                        }
                    }
                }
            }
        }
        self.retired.extend(&delta.free);
        delta.clear();
    }

    /// Paints primitives over the pixmap, as [`Self::paint_rect`] does.
    pub fn paint(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        pixels_per_point: f32,
        primitives: &[ClippedPrimitive],
    ) {
        let whole = PixelRect::whole(pixmap.width(), pixmap.height());
        self.paint_rect(pixmap, pixels_per_point, primitives, whole);
    }

    /// Paints primitives over a part of the pixmap, first to last. One point of egui is `pixels_per_point` pixels.
    ///
    /// What cannot be drawn is left out: meshes of unknown textures, triangles of vertices that do not exist
    /// or whose position is not a number, paint callbacks.
    pub fn paint_rect(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        pixels_per_point: f32,
        primitives: &[ClippedPrimitive],
        part: PixelRect,
    ) {
        if !(pixels_per_point.is_finite() && pixels_per_point > 0.0) {
            return;
        }
        let (width, height) = (pixmap.width(), pixmap.height());
        let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
        let mut canvas = RasterTarget::new(pixels, width, height);
        for primitive in primitives {
            let Primitive::Mesh(mesh) = &primitive.primitive else {
                continue;
            };
            let clip = pixel_clip(primitive.clip_rect, pixels_per_point, width, height);
            let clip = clip.intersect(part);
            if clip.is_empty() {
                continue;
            }
            let Some(texture) = self.textures.get(&mesh.texture_id) else {
                continue;
            };
            canvas.clip = clip;
            self.vertices.clear();
            self.vertices.extend(
                mesh.vertices
                    .iter()
                    .map(|vertex| SubpixelVertex::new(vertex, pixels_per_point)),
            );
            paint_mesh(&mut canvas, texture, mesh, &self.vertices);
        }
    }
}

/// The pixels of a clip rectangle: its edges rounded to the nearest pixel edge, within the pixmap.
fn pixel_clip(rect: Rect, pixels_per_point: f32, width: u32, height: u32) -> ClipRect {
    let width = i32::try_from(width).unwrap_or(i32::MAX);
    let height = i32::try_from(height).unwrap_or(i32::MAX);
    // A conversion from float to integer saturates, and turns NaN into 0.
    let edge = |points: f32| (points * pixels_per_point).round() as i32;
    let left = edge(rect.min.x).clamp(0, width);
    let top = edge(rect.min.y).clamp(0, height);
    ClipRect {
        left,
        top,
        right: edge(rect.max.x).clamp(left, width),
        bottom: edge(rect.max.y).clamp(top, height),
    }
}

fn paint_mesh(
    canvas: &mut RasterTarget<'_>,
    texture: &Texture,
    mesh: &Mesh,
    corners: &[SubpixelVertex],
) {
    let (triangles, _) = mesh.indices.as_chunks::<3>();
    let corner = |index: u32| corners.get(index as usize);
    let mut rest = triangles;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let &[a, b, c] = first;
        if let Some((second, after_pair)) = after.split_first()
            && let Some([p, q, r, s]) = shared_side(*first, *second)
            && let (Some(p), Some(q), Some(r), Some(s)) =
                (corner(p), corner(q), corner(r), corner(s))
            && canvas.fill_rectangle(texture, [p, q, r, s])
        {
            rest = after_pair;
            continue;
        }
        if let (Some(a), Some(b), Some(c)) = (corner(a), corner(b), corner(c)) {
            canvas.fill_triangle(texture, a, b, c);
        }
    }
}

/// The vertices of two triangles that share one side: the two ends of that side, then the lone vertex of
/// each triangle.
fn shared_side(first: [u32; 3], second: [u32; 3]) -> Option<[u32; 4]> {
    let [a, b, c] = first;
    let [lone_first, p, q] = match [a, b, c].map(|vertex| second.contains(&vertex)) {
        [false, true, true] => [a, b, c],
        [true, false, true] => [b, a, c],
        [true, true, false] => [c, a, b],
        _ => return None,
    };
    let mut others = second.into_iter().filter(|vertex| !first.contains(vertex));
    match (others.next(), others.next()) {
        (Some(lone_second), None) => Some([p, q, lone_first, lone_second]),
        _ => None,
    }
}
