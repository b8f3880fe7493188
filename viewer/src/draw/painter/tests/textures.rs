//! Textures: reproduced, tinted, filtered, wrapped, patched and freed.

use std::sync::Arc;

use egui::{TextureWrapMode, vec2};

use super::*;

fn picture(rect: Rect, uv: Rect, tint: Color32) -> Mesh {
    let mut mesh = Mesh::with_texture(PICTURE);
    mesh.add_rect_with_uv(rect, uv, tint);
    mesh
}

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
        draw(
            &mut painter,
            &mut pixmap,
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
        draw(&mut painter, &mut pixmap, mesh);
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
    draw(
        &mut painter,
        &mut pixmap,
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
        draw(&mut painter, &mut pixmap, picture(rect, uv, Color32::WHITE));
        (0..8).map(|x| at(&pixmap, x, 0)[0]).collect()
    };
    let twice = Rect::from_min_max(pos2(0.0, 0.0), pos2(2.0, 1.0));
    let before = Rect::from_min_max(pos2(-1.0, 0.0), pos2(1.0, 1.0));
    let [nearest, linear] = [TextureOptions::NEAREST, TextureOptions::LINEAR];
    let repeated = TextureOptions::NEAREST_REPEAT;
    let mirrored = TextureOptions::NEAREST_MIRRORED_REPEAT;
    for (options, uv, expected) in [
        (nearest, WHOLE, [0, 0, 0, 0, 255, 255, 255, 255]),
        (linear, WHOLE, [0, 0, 32, 96, 159, 223, 255, 255]),
        (nearest, twice, [0, 0, 255, 255, 255, 255, 255, 255]),
        (repeated, twice, [0, 0, 255, 255, 0, 0, 255, 255]),
        (mirrored, twice, [0, 0, 255, 255, 255, 255, 0, 0]),
        (nearest, before, [0, 0, 0, 0, 0, 0, 255, 255]),
        (repeated, before, [0, 0, 255, 255, 0, 0, 255, 255]),
        (mirrored, before, [255, 255, 0, 0, 0, 0, 255, 255]),
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
        draw(painter, &mut pixmap, picture(rect, WHOLE, Color32::WHITE));
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
            draw(
                &mut painter,
                &mut canvas(4, 4),
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
