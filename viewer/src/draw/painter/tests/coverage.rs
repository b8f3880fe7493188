//! Which pixels a mesh covers, and how colours blend there.

use super::*;

#[test]
fn a_rectangle_covers_exactly_its_pixels() {
    let rect = Rect::from_min_max(pos2(2.0, 3.0), pos2(7.0, 5.0));
    let mut pixmap = canvas(10, 10);
    draw(&mut painter(), &mut pixmap, rectangle(rect, Color32::RED));
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
        draw(&mut painter(), &mut pixmap, rectangle(rect, Color32::RED));
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
    draw(&mut painter(), &mut pixmap, mesh);
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
        draw(
            &mut painter(),
            &mut pixmap,
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
            draw(
                &mut painter(),
                &mut pixmap,
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
    draw(&mut painter(), &mut pixmap, rectangle(rect, light));
    assert_eq!(at(&pixmap, 0, 0), [255, 50, 40, 255]);
}
