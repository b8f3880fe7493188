//! Painting triangles: hostile meshes and positions, and what all paintings keep.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use egui::{
    Color32, ColorImage, Pos2, TextureOptions, Vec2,
    epaint::{ImageDelta, Vertex},
    pos2,
};
use proptest::prelude::*;
use tiny_skia::Pixmap;

use super::*;

mod coverage;
mod textures;

const WHITE: TextureId = TextureId::Managed(0);

const PICTURE: TextureId = TextureId::Managed(1);

const EVERYWHERE: Rect = Rect::EVERYTHING;

const GREY: [u8; 4] = [40, 40, 40, 255];

fn image(width: usize, texels: &[Color32]) -> ColorImage {
    ColorImage::new([width, texels.len() / width], texels.to_vec())
}

fn set(painter: &mut Painter, id: TextureId, delta: ImageDelta) {
    let mut textures = TexturesDelta::default();
    textures.push(id, delta);
    painter.update(textures);
}

/// A painter that knows a white texture.
fn painter() -> Painter {
    let mut painter = Painter::new();
    let white = image(1, &[Color32::WHITE]);
    set(
        &mut painter,
        WHITE,
        ImageDelta::full(white, TextureOptions::LINEAR),
    );
    painter
}

/// A painter that also knows a picture of two rows: red, green, blue, and transparent, white, half black.
fn painter_with_picture(options: TextureOptions) -> Painter {
    let mut painter = painter();
    let texels = [
        Color32::RED,
        Color32::GREEN,
        Color32::BLUE,
        Color32::TRANSPARENT,
        Color32::WHITE,
        Color32::from_black_alpha(128),
    ];
    set(
        &mut painter,
        PICTURE,
        ImageDelta::full(image(3, &texels), options),
    );
    painter
}

fn canvas(width: u32, height: u32) -> Pixmap {
    let mut pixmap = Pixmap::new(width, height).unwrap();
    for pixel in pixmap.data_mut().as_chunks_mut::<4>().0 {
        *pixel = GREY;
    }
    pixmap
}

fn paint(painter: &mut Painter, pixmap: &mut Pixmap, clip_rect: Rect, scale: f32, mesh: Mesh) {
    let primitive = ClippedPrimitive {
        clip_rect,
        primitive: Primitive::Mesh(mesh),
    };
    painter.paint(&mut pixmap.as_mut(), scale, &[primitive]);
}

/// Paints a mesh without a clip, one pixel a point.
fn draw(painter: &mut Painter, pixmap: &mut Pixmap, mesh: Mesh) {
    paint(painter, pixmap, EVERYWHERE, 1.0, mesh);
}

fn rectangle(rect: Rect, colour: Color32) -> Mesh {
    let mut mesh = Mesh::with_texture(WHITE);
    mesh.add_colored_rect(rect, colour);
    mesh
}

fn corners(positions: &[(f32, f32)], colours: &[Color32], indices: &[u32]) -> Mesh {
    let vertices = positions.iter().zip(colours.iter().cycle());
    Mesh {
        indices: indices.to_vec(),
        vertices: vertices
            .map(|(&(x, y), &colour)| Vertex::untextured(pos2(x, y), colour))
            .collect(),
        texture_id: WHITE,
    }
}

fn at(pixmap: &Pixmap, x: u32, y: u32) -> [u8; 4] {
    let start = 4 * (y * pixmap.width() + x) as usize;
    pixmap.data()[start..start + 4].try_into().unwrap()
}

/// The pixels that are not as [`canvas`] left them.
fn touched(pixmap: &Pixmap) -> Vec<(u32, u32)> {
    let all = (0..pixmap.height()).flat_map(|y| (0..pixmap.width()).map(move |x| (x, y)));
    all.filter(|&(x, y)| at(pixmap, x, y) != GREY).collect()
}

fn within(left: u32, top: u32, right: u32, bottom: u32) -> Vec<(u32, u32)> {
    (top..bottom)
        .flat_map(|y| (left..right).map(move |x| (x, y)))
        .collect()
}

const WHOLE: Rect = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));

#[test]
fn hostile_meshes_are_passed_over() {
    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    let half = [(0.0, 0.0), (9.0, 0.0), (0.0, 9.0)];
    let red = [Color32::RED];
    let meshes = [
        corners(&[], &red, &[0, 1, 2, 3, 4]),
        corners(&half, &red, &[0, 1, 3, u32::MAX, 0, 1]),
        corners(&[(nan, 0.0), half[1], half[2]], &red, &[0, 1, 2]),
        corners(&[half[0], (9.0, nan), half[2]], &red, &[0, 1, 2, 2, 1, 0]),
        corners(&[half[0], (infinity, 0.0), half[2]], &red, &[0, 1, 2]),
        corners(&[(1.0, 1.0), (5.0, 5.0), (9.0, 9.0)], &red, &[0, 1, 2]),
        corners(&[(4.0, 4.0)], &red, &[0, 0, 0, 0, 0, 0]),
        corners(&half, &[Color32::TRANSPARENT], &[0, 1, 2]),
        corners(&half, &red, &[0, 1]),
        Mesh {
            texture_id: TextureId::User(3),
            ..corners(&half, &red, &[0, 1, 2])
        },
    ];
    for mesh in meshes {
        let mut pixmap = canvas(8, 8);
        let described = format!("{mesh:?}");
        draw(&mut painter(), &mut pixmap, mesh);
        assert_eq!(touched(&pixmap), [], "{described}");
    }
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut pixmap = canvas(8, 8);
        paint(
            &mut painter(),
            &mut pixmap,
            EVERYWHERE,
            scale,
            rectangle(WHOLE, Color32::RED),
        );
        assert_eq!(touched(&pixmap), []);
    }
}

#[test]
fn positions_beyond_all_screens_still_cover_the_picture() {
    let far = 1e30;
    let rect = Rect::from_min_max(pos2(-far, -far), pos2(far, far));
    let mut pixmap = canvas(8, 8);
    draw(&mut painter(), &mut pixmap, rectangle(rect, Color32::RED));
    assert_eq!(touched(&pixmap), within(0, 0, 8, 8));
    let mesh = corners(
        &[(-far, -far), (far, -far), (0.0, far)],
        &[Color32::RED, Color32::GREEN, Color32::BLUE],
        &[0, 1, 2],
    );
    draw(&mut painter(), &mut pixmap, mesh);
}

fn any_position() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -20.0..40.0_f32,
        2 => (-20..40_i32).prop_map(|whole| whole as f32 / 2.0),
        1 => any::<f32>(),
    ]
}

fn any_vertex() -> impl Strategy<Value = Vertex> {
    let uv = prop_oneof![3 => Just(Pos2::ZERO), 1 => (any_position(), any_position()).prop_map(|(u, v)| pos2(u / 8.0, v / 8.0))];
    (any_position(), any_position(), uv, any::<[u8; 4]>()).prop_map(|(x, y, uv, [r, g, b, a])| {
        Vertex {
            pos: pos2(x, y),
            uv,
            color: Color32::from_rgba_premultiplied(r, g, b, a),
        }
    })
}

proptest! {
    #[test]
    fn any_mesh_is_survived(
        vertices in proptest::collection::vec(any_vertex(), 0..12),
        indices in proptest::collection::vec(0..14_u32, 0..60),
        clip in any::<[f32; 4]>(),
        textured in any::<bool>(),
    ) {
        let texture_id = if textured { PICTURE } else { WHITE };
        let mesh = Mesh { indices, vertices, texture_id };
        let clip = Rect::from_min_max(pos2(clip[0], clip[1]), pos2(clip[2], clip[3]));
        let mut painter = painter_with_picture(TextureOptions::LINEAR_REPEAT);
        let mut pixmap = canvas(24, 24);
        paint(&mut painter, &mut pixmap, clip, 1.0, mesh.clone());
        paint(&mut painter, &mut pixmap, EVERYWHERE, 1.25, mesh);
    }

    /// The rows that a triangle paints are those whose centres an independent test puts inside it.
    #[test]
    fn a_triangle_covers_the_centres_within(
        positions in proptest::array::uniform3((-200..1200_i32, -200..1200_i32)),
    ) {
        let points = positions.map(|(x, y)| (x as f32 / 32.0, y as f32 / 32.0));
        let mut pixmap = canvas(32, 32);
        draw(&mut painter(), &mut pixmap, corners(&points, &[Color32::RED], &[0, 1, 2]));
        for (x, y) in within(0, 0, 32, 32) {
            let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
            let [a, b, c] = [(0, 1), (1, 2), (2, 0)].map(|(from, to)| {
                let ((fx, fy), (tx, ty)) = (points[from], points[to]);
                (tx - fx) * (py - fy) - (ty - fy) * (px - fx)
            });
            let painted = at(&pixmap, x, y) != GREY;
            if (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0) {
                prop_assert!(painted, "({}, {}) is inside", x, y);
            } else if a != 0.0 && b != 0.0 && c != 0.0 {
                prop_assert!(!painted, "({}, {}) is outside", x, y);
            }
        }
    }
}
