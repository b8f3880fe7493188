#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use std::sync::Arc;

use egui::epaint::{ImageDelta, Vertex};
use egui::{Color32, ColorImage, Pos2, TextureOptions, TextureWrapMode, Vec2, pos2, vec2};
use proptest::prelude::*;
use tiny_skia::Pixmap;

use super::*;

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

#[test]
fn a_rectangle_covers_exactly_its_pixels() {
    let rect = Rect::from_min_max(pos2(2.0, 3.0), pos2(7.0, 5.0));
    let mut pixmap = canvas(10, 10);
    paint(
        &mut painter(),
        &mut pixmap,
        EVERYWHERE,
        1.0,
        rectangle(rect, Color32::RED),
    );
    assert_eq!(touched(&pixmap), within(2, 3, 7, 5));
    assert_eq!(at(&pixmap, 2, 3), [255, 0, 0, 255]);

    let mut pixmap = canvas(20, 20);
    paint(
        &mut painter(),
        &mut pixmap,
        EVERYWHERE,
        2.0,
        rectangle(rect, Color32::RED),
    );
    assert_eq!(touched(&pixmap), within(4, 6, 14, 10));
}

#[test]
fn a_pixel_is_covered_when_its_centre_is() {
    for (left, right, columns) in [
        (1.5, 3.5, 1..3),
        (1.51, 3.51, 2..4),
        (1.49, 3.49, 1..3),
        (1.6, 2.4, 0..0),
    ] {
        let rect = Rect::from_min_max(pos2(left, 0.0), pos2(right, 1.0));
        let mut pixmap = canvas(6, 1);
        paint(
            &mut painter(),
            &mut pixmap,
            EVERYWHERE,
            1.0,
            rectangle(rect, Color32::RED),
        );
        let expected: Vec<_> = columns.map(|x| (x, 0)).collect();
        assert_eq!(touched(&pixmap), expected, "from {left} to {right}");
    }
}

#[test]
fn the_clip_is_rounded_to_pixels_and_respected() {
    let everything = Rect::from_min_max(pos2(-50.0, -50.0), pos2(50.0, 50.0));
    for (clip, expected) in [
        (
            Rect::from_min_max(pos2(2.4, 1.6), pos2(5.5, 4.4)),
            within(2, 2, 6, 4),
        ),
        (
            Rect::from_min_max(pos2(-9.0, -9.0), pos2(1.0, 99.0)),
            within(0, 0, 1, 8),
        ),
        (Rect::from_min_max(pos2(5.0, 5.0), pos2(2.0, 2.0)), vec![]),
        (
            Rect::from_min_max(pos2(20.0, 20.0), pos2(30.0, 30.0)),
            vec![],
        ),
        (Rect::NOTHING, vec![]),
        (Rect::NAN, vec![]),
    ] {
        let mut pixmap = canvas(8, 8);
        paint(
            &mut painter(),
            &mut pixmap,
            clip,
            1.0,
            rectangle(everything, Color32::RED),
        );
        assert_eq!(touched(&pixmap), expected, "{clip:?}");

        let triangle = corners(
            &[(-90.0, -90.0), (200.0, -90.0), (-90.0, 200.0)],
            &[Color32::RED],
            &[0, 1, 2],
        );
        let mut pixmap = canvas(8, 8);
        paint(&mut painter(), &mut pixmap, clip, 1.0, triangle);
        assert_eq!(touched(&pixmap), expected, "a triangle in {clip:?}");
    }
}

#[test]
fn a_feathered_edge_blends() {
    // Opaque up to column 2, fading to nothing over four pixels: what egui's anti-aliasing is made of.
    let clear = Color32::TRANSPARENT;
    let mesh = corners(
        &[
            (0.0, 0.0),
            (2.0, 0.0),
            (6.0, 0.0),
            (0.0, 4.0),
            (2.0, 4.0),
            (6.0, 4.0),
        ],
        &[
            Color32::WHITE,
            Color32::WHITE,
            clear,
            Color32::WHITE,
            Color32::WHITE,
            clear,
        ],
        &[0, 1, 3, 3, 1, 4, 1, 2, 4, 4, 2, 5],
    );
    let mut pixmap = canvas(8, 4);
    paint(&mut painter(), &mut pixmap, EVERYWHERE, 1.0, mesh);
    for y in 0..4 {
        let row: Vec<u8> = (0..8).map(|x| at(&pixmap, x, y)[0]).collect();
        assert_eq!(&row[..2], [255, 255]);
        assert_eq!(&row[6..], [40, 40]);
        for (x, eighths) in [(2, 7.0), (3, 5.0), (4, 3.0), (5, 1.0)] {
            let expected = 40.0 + 215.0 * eighths / 8.0;
            assert!(
                (f32::from(row[x]) - expected).abs() <= 1.0,
                "{x}: {} for {expected}",
                row[x]
            );
        }
    }
}

#[test]
fn triangles_that_share_an_edge_paint_each_pixel_once() {
    let half = Color32::from_rgba_premultiplied(100, 50, 0, 128);
    let once = crate::draw::pixel::over(half.to_array(), GREY);
    // A fan around a point off the grid, its rim a polygon far outside the picture.
    for (centre, turn) in [
        ((8.0, 8.0), 0.0),
        ((8.5, 8.5), 0.0),
        ((7.3, 9.1), 0.2),
        ((8.5, 8.0), std::f32::consts::FRAC_PI_4),
    ] {
        let rim = (0..7_u8).map(|corner| {
            let angle = turn + f32::from(corner) / 7.0 * std::f32::consts::TAU;
            (8.0 + 40.0 * angle.cos(), 8.0 + 40.0 * angle.sin())
        });
        let positions: Vec<_> = std::iter::once(centre).chain(rim).collect();
        let indices: Vec<u32> = (0..7)
            .flat_map(|corner| [0, 1 + corner, 1 + (corner + 1) % 7])
            .collect();
        let mut pixmap = canvas(16, 16);
        paint(
            &mut painter(),
            &mut pixmap,
            EVERYWHERE,
            1.0,
            corners(&positions, &[half], &indices),
        );
        for (x, y) in within(0, 0, 16, 16) {
            assert_eq!(at(&pixmap, x, y), once, "({x}, {y}) around {centre:?}");
        }
    }
}

#[test]
fn a_square_has_no_seam_however_its_triangles_turn() {
    let half = Color32::from_rgba_premultiplied(0, 60, 100, 128);
    let once = crate::draw::pixel::over(half.to_array(), GREY);
    let square = [(1.0, 1.0), (9.0, 1.0), (9.0, 9.0), (1.0, 9.0)];
    // A tilted corner keeps the second half of these from the path for rectangles.
    let tilted = [(1.0, 1.0), (9.0, 1.002), (9.0, 9.0), (1.0, 9.0)];
    for positions in [square, tilted] {
        for indices in [
            [0, 1, 2, 0, 2, 3],
            [0, 2, 1, 3, 0, 2],
            [1, 2, 3, 3, 0, 1],
            [1, 3, 0, 1, 2, 3],
        ] {
            let mut pixmap = canvas(10, 10);
            paint(
                &mut painter(),
                &mut pixmap,
                EVERYWHERE,
                1.0,
                corners(&positions, &[half], &indices),
            );
            assert_eq!(touched(&pixmap), within(1, 1, 9, 9), "{indices:?}");
            for (x, y) in touched(&pixmap) {
                assert_eq!(at(&pixmap, x, y), once, "({x}, {y}) of {indices:?}");
            }
        }
    }
}

#[test]
fn colours_that_only_add_light_saturate() {
    let mut pixmap = canvas(1, 1);
    let rect = Rect::from_min_size(Pos2::ZERO, Vec2::splat(1.0));
    let light = Color32::from_rgb_additive(230, 10, 0);
    paint(
        &mut painter(),
        &mut pixmap,
        EVERYWHERE,
        1.0,
        rectangle(rect, light),
    );
    assert_eq!(at(&pixmap, 0, 0), [255, 50, 40, 255]);
}

fn picture(rect: Rect, uv: Rect, tint: Color32) -> Mesh {
    let mut mesh = Mesh::with_texture(PICTURE);
    mesh.add_rect_with_uv(rect, uv, tint);
    mesh
}

const WHOLE: Rect = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));

#[test]
fn a_textured_rectangle_reproduces_its_texels() {
    let expected = [
        [255, 0, 0, 255],
        [0, 255, 0, 255],
        [0, 0, 255, 255],
        GREY,
        [255; 4],
        [20, 20, 20, 255],
    ];
    for options in [
        TextureOptions::NEAREST,
        TextureOptions::LINEAR,
        TextureOptions::LINEAR_REPEAT,
    ] {
        let mut painter = painter_with_picture(options);
        let rect = Rect::from_min_size(pos2(1.0, 1.0), vec2(3.0, 2.0));
        let mut pixmap = canvas(6, 4);
        paint(
            &mut painter,
            &mut pixmap,
            EVERYWHERE,
            1.0,
            picture(rect, WHOLE, Color32::WHITE),
        );
        let painted: Vec<_> = within(1, 1, 4, 3)
            .iter()
            .map(|&(x, y)| at(&pixmap, x, y))
            .collect();
        assert_eq!(painted, expected, "{options:?}");

        // The same by triangles, which take another way through the code.
        let mut mesh = picture(rect, WHOLE, Color32::WHITE);
        mesh.indices.extend_from_within(3..6);
        mesh.indices.drain(3..6);
        mesh.vertices[3].pos.x += 0.002;
        let mut pixmap = canvas(6, 4);
        paint(&mut painter, &mut pixmap, EVERYWHERE, 1.0, mesh);
        for (&(x, y), expected) in within(1, 1, 4, 3).iter().zip(expected) {
            for (channel, expected) in at(&pixmap, x, y).into_iter().zip(expected) {
                assert!(channel.abs_diff(expected) <= 2, "({x}, {y}) of {options:?}");
            }
        }
    }
}

#[test]
fn a_tint_multiplies_texels() {
    let mut painter = painter_with_picture(TextureOptions::NEAREST);
    let rect = Rect::from_min_size(Pos2::ZERO, vec2(3.0, 2.0));
    let mut pixmap = canvas(3, 2);
    paint(
        &mut painter,
        &mut pixmap,
        EVERYWHERE,
        1.0,
        picture(rect, WHOLE, Color32::from_rgb(128, 64, 0)),
    );
    assert_eq!(at(&pixmap, 0, 0), [128, 0, 0, 255]);
    assert_eq!(at(&pixmap, 1, 0), [0, 64, 0, 255]);
    assert_eq!(at(&pixmap, 1, 1), [128, 64, 0, 255]);
}

#[test]
fn textures_are_filtered_and_wrapped_as_they_ask() {
    let row = |options: TextureOptions, uv: Rect| -> Vec<u8> {
        let mut painter = painter();
        let texels = [Color32::BLACK, Color32::WHITE];
        set(
            &mut painter,
            PICTURE,
            ImageDelta::full(image(2, &texels), options),
        );
        let mut pixmap = canvas(8, 1);
        let rect = Rect::from_min_size(Pos2::ZERO, vec2(8.0, 1.0));
        paint(
            &mut painter,
            &mut pixmap,
            EVERYWHERE,
            1.0,
            picture(rect, uv, Color32::WHITE),
        );
        (0..8).map(|x| at(&pixmap, x, 0)[0]).collect()
    };
    let twice = Rect::from_min_max(pos2(0.0, 0.0), pos2(2.0, 1.0));
    let before = Rect::from_min_max(pos2(-1.0, 0.0), pos2(1.0, 1.0));
    for (options, uv, expected) in [
        (
            TextureOptions::NEAREST,
            WHOLE,
            [0, 0, 0, 0, 255, 255, 255, 255],
        ),
        (
            TextureOptions::LINEAR,
            WHOLE,
            [0, 0, 32, 96, 159, 223, 255, 255],
        ),
        (
            TextureOptions::NEAREST,
            twice,
            [0, 0, 255, 255, 255, 255, 255, 255],
        ),
        (
            TextureOptions::NEAREST_REPEAT,
            twice,
            [0, 0, 255, 255, 0, 0, 255, 255],
        ),
        (
            TextureOptions::NEAREST_MIRRORED_REPEAT,
            twice,
            [0, 0, 255, 255, 255, 255, 0, 0],
        ),
        (
            TextureOptions::NEAREST,
            before,
            [0, 0, 0, 0, 0, 0, 255, 255],
        ),
        (
            TextureOptions::NEAREST_REPEAT,
            before,
            [0, 0, 255, 255, 0, 0, 255, 255],
        ),
        (
            TextureOptions::NEAREST_MIRRORED_REPEAT,
            before,
            [255, 255, 0, 0, 0, 0, 255, 255],
        ),
    ] {
        assert_eq!(row(options, uv), expected, "{options:?} {uv:?}");
    }
}

#[test]
fn a_texture_is_patched_replaced_and_freed() {
    let mut painter = painter_with_picture(TextureOptions::NEAREST);
    let show = |painter: &mut Painter| -> Vec<[u8; 4]> {
        let rect = Rect::from_min_size(Pos2::ZERO, vec2(3.0, 2.0));
        let mut pixmap = canvas(3, 2);
        paint(
            painter,
            &mut pixmap,
            EVERYWHERE,
            1.0,
            picture(rect, WHOLE, Color32::WHITE),
        );
        pixmap.data().as_chunks::<4>().0.to_vec()
    };
    let before = show(&mut painter);
    let patch = |at, colours: &[Color32]| {
        ImageDelta::partial(at, image(2, colours), TextureOptions::NEAREST)
    };
    set(
        &mut painter,
        PICTURE,
        patch([1, 1], &[Color32::RED, Color32::GREEN]),
    );
    let after = show(&mut painter);
    assert_eq!(after[..4], before[..4]);
    assert_eq!(after[4..], [[255, 0, 0, 255], [0, 255, 0, 255]]);

    // Patches that reach over the edge, lie outside, or are meant for a texture that is not there.
    set(&mut painter, PICTURE, patch([2, 1], &[Color32::BLUE; 4]));
    assert_eq!(show(&mut painter)[5], [0, 0, 255, 255]);
    set(
        &mut painter,
        PICTURE,
        patch([9, 9], &[Color32::RED, Color32::RED]),
    );
    set(
        &mut painter,
        TextureId::User(7),
        patch([0, 0], &[Color32::RED, Color32::RED]),
    );

    // A freed texture is there for the frame that frees it, and gone in the next one.
    let mut textures = TexturesDelta::default();
    textures.free(PICTURE);
    painter.update(textures);
    assert_ne!(show(&mut painter), vec![GREY; 6]);
    painter.update(TexturesDelta::default());
    assert_eq!(show(&mut painter), vec![GREY; 6]);
}

#[test]
fn textures_of_no_size_or_wrong_size_do_no_harm() {
    let mut painter = painter();
    let rect = Rect::from_min_size(Pos2::ZERO, vec2(3.0, 2.0));
    for size in [[0, 0], [0, 5], [5, 0], [4, 4]] {
        let torn = ColorImage {
            size,
            source_size: Vec2::ZERO,
            pixels: vec![Color32::RED; 3],
        };
        for wrap_mode in [
            TextureWrapMode::ClampToEdge,
            TextureWrapMode::Repeat,
            TextureWrapMode::MirroredRepeat,
        ] {
            let options = TextureOptions {
                wrap_mode,
                ..TextureOptions::LINEAR
            };
            set(
                &mut painter,
                PICTURE,
                ImageDelta::full(Arc::new(torn.clone()), options),
            );
            paint(
                &mut painter,
                &mut canvas(4, 4),
                EVERYWHERE,
                1.0,
                picture(rect, WHOLE, Color32::WHITE),
            );
            set(
                &mut painter,
                PICTURE,
                ImageDelta::partial([1, 1], Arc::new(torn.clone()), options),
            );
        }
    }
}

#[test]
fn hostile_meshes_are_passed_over() {
    let nan = f32::NAN;
    let meshes = [
        corners(&[], &[Color32::RED], &[0, 1, 2, 3, 4]),
        corners(
            &[(0.0, 0.0), (9.0, 0.0), (0.0, 9.0)],
            &[Color32::RED],
            &[0, 1, 3, u32::MAX, 0, 1],
        ),
        corners(
            &[(nan, 0.0), (9.0, 0.0), (0.0, 9.0)],
            &[Color32::RED],
            &[0, 1, 2],
        ),
        corners(
            &[(0.0, 0.0), (9.0, nan), (0.0, 9.0)],
            &[Color32::RED],
            &[0, 1, 2, 2, 1, 0],
        ),
        corners(
            &[(0.0, 0.0), (f32::INFINITY, 0.0), (0.0, 9.0)],
            &[Color32::RED],
            &[0, 1, 2],
        ),
        corners(
            &[(1.0, 1.0), (5.0, 5.0), (9.0, 9.0)],
            &[Color32::RED],
            &[0, 1, 2],
        ),
        corners(&[(4.0, 4.0)], &[Color32::RED], &[0, 0, 0, 0, 0, 0]),
        corners(
            &[(0.0, 0.0), (9.0, 0.0), (0.0, 9.0)],
            &[Color32::TRANSPARENT],
            &[0, 1, 2],
        ),
        corners(
            &[(0.0, 0.0), (9.0, 0.0), (0.0, 9.0)],
            &[Color32::RED],
            &[0, 1],
        ),
        Mesh {
            texture_id: TextureId::User(3),
            ..corners(
                &[(0.0, 0.0), (9.0, 0.0), (0.0, 9.0)],
                &[Color32::RED],
                &[0, 1, 2],
            )
        },
    ];
    for mesh in meshes {
        let mut pixmap = canvas(8, 8);
        let described = format!("{mesh:?}");
        paint(&mut painter(), &mut pixmap, EVERYWHERE, 1.0, mesh);
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
    paint(
        &mut painter(),
        &mut pixmap,
        EVERYWHERE,
        1.0,
        rectangle(rect, Color32::RED),
    );
    assert_eq!(touched(&pixmap), within(0, 0, 8, 8));
    let mesh = corners(
        &[(-far, -far), (far, -far), (0.0, far)],
        &[Color32::RED, Color32::GREEN, Color32::BLUE],
        &[0, 1, 2],
    );
    paint(&mut painter(), &mut pixmap, EVERYWHERE, 1.0, mesh);
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
        paint(&mut painter(), &mut pixmap, EVERYWHERE, 1.0, corners(&points, &[Color32::RED], &[0, 1, 2]));
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
