use std::sync::Arc;

use canopy_engine::tree::{Tree, TreeBuilder, TreeRow, meta::Meta};
use proptest::prelude::*;

use super::*;
use crate::tree::{
    camera::{Camera, Canvas},
    model::{Filter, ModelSource, TreeModel},
    scene::{RenderOptions, Scene, build_scene, tree_bounds},
};

/// A tree whose nodes have as many children as the numbers say, breadth-first as far as they go.
fn grown_tree(widths: &[u8]) -> Tree {
    let mut children: Vec<Vec<usize>> = vec![Vec::new()];
    for (node, &width) in widths.iter().enumerate() {
        if node >= children.len() {
            break;
        }
        for _ in 0..width {
            let child = children.len();
            children.push(Vec::new());
            children[node].push(child);
        }
    }
    let mut builder = TreeBuilder::default();
    let mut open = vec![(0, 0_usize)];
    while let Some((node, depth)) = open.pop() {
        let visits = 1_000_000 / (1 + 7 * depth as i32 + node as i32);
        let name = format!("{}{}", (b'a' + (node % 8) as u8) as char, 1 + node % 7);
        let row = TreeRow {
            move_name: if node == 0 { "" } else { &name },
            visits,
            second: visits,
            mean: 0.5,
            children: children[node].len() as u32,
            ..TreeRow::default()
        };
        builder.push(&row).expect("a sound row");
        open.extend(children[node].iter().rev().map(|&child| (child, depth + 1)));
    }
    builder.finish().expect("a whole tree")
}

fn model_of(widths: &[u8]) -> Arc<TreeModel> {
    let meta = Meta {
        game: "othello".to_owned(),
        ..Meta::default()
    };
    let source = ModelSource {
        meta: Some(Arc::new(meta)),
        ..ModelSource::of(grown_tree(widths))
    };
    let filter = Filter {
        max_children: Some(4),
        ..Filter::default()
    };
    Arc::new(TreeModel::filtered(source, &filter))
}

const CANVAS: Canvas = Canvas {
    width: 1000.0,
    height: 600.0,
    scale: 1.0,
};

/// Labels a view with what the labeller remembers.
fn label(
    labeller: &mut Labeller,
    model: &Arc<TreeModel>,
    camera: &Camera,
    overlays: &[LabelBox],
) -> (Scene, Vec<PlacedLabel>) {
    let options = RenderOptions::default();
    let scene = build_scene(model, camera, &CANVAS, &options, None, 1.0);
    let view = LabelledView {
        model,
        camera,
        canvas: &CANVAS,
        options: &options,
        selected: None,
        overlays,
    };
    let labels = labeller.place(&scene, &view);
    (scene, labels)
}

/// Panics if a label overlaps another, a node or an overlay, crosses too many edges or the principal variation, or leaves the
/// canvas.
fn assert_sound(model: &TreeModel, scene: &Scene, labels: &[PlacedLabel], overlays: &[LabelBox]) {
    let whole = LabelBox {
        left: 0.0,
        top: 0.0,
        right: CANVAS.width as f32,
        bottom: CANVAS.height as f32,
    };
    for (index, label) in labels.iter().enumerate() {
        let area = &label.area;
        assert!(whole.contains(area), "{label:?}");
        let clear = area.expanded(CLEARANCE - 2.0 * KEPT_TOLERANCE);
        for other in &labels[..index] {
            assert!(!clear.intersects(&other.area), "{label:?} {other:?}");
        }
        for overlay in overlays {
            assert!(!clear.intersects(overlay), "{label:?}");
        }
        for disc in &scene.nodes {
            let near = match label.owner == LabelOwner::Node(disc.node) {
                true => *area,
                false => clear,
            };
            let disc = LabelBox::around(disc.at, disc.radius);
            assert!(!near.intersects(&disc), "{label:?} {disc:?}");
        }
        let crossed = (scene.edges.iter())
            .map(|edge| (edge.from, edge.to))
            .chain(
                scene
                    .folds
                    .iter()
                    .filter_map(|fold| Some((fold.from?, (fold.at.0, fold.at.1 + 5.0)))),
            )
            .filter(|&(from, to)| crosses(from, to, &area.expanded(-2.0 * KEPT_TOLERANCE)))
            .count();
        let most = match label.owner {
            LabelOwner::Node(node) if model.depth_of(node as usize) == 1 => 3,
            _ => 0,
        };
        assert!(crossed <= most, "{crossed} edges behind {label:?}");
        let inner = area.expanded(-2.0 * KEPT_TOLERANCE);
        let mut pv = scene.pv.windows(2);
        assert!(
            !pv.any(|line| crosses(line[0], line[1], &inner)),
            "the principal variation runs behind {label:?}"
        );
    }
}

/// Whether a line crosses a box: the line is cut off at each side in turn (Liang and Barsky).
fn crosses(from: (f32, f32), to: (f32, f32), area: &LabelBox) -> bool {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut begin, mut end) = (0.0_f32, 1.0_f32);
    for (step, room) in [
        (-dx, from.0 - area.left),
        (dx, area.right - from.0),
        (-dy, from.1 - area.top),
        (dy, area.bottom - from.1),
    ] {
        if step == 0.0 {
            if room < 0.0 {
                return false;
            }
        } else if step < 0.0 {
            begin = begin.max(room / step);
        } else {
            end = end.min(room / step);
        }
    }
    begin <= end
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn labels_keep_clear_of_each_other_of_nodes_and_of_edges(
        widths in prop::collection::vec(0_u8..7, 1..60),
        zoom in 0.5_f64..12.0,
        at in (0.0_f64..1000.0, 0.0_f64..600.0),
        overlay in (0.0_f32..800.0, 0.0_f32..500.0),
    ) {
        let model = model_of(&widths);
        let mut camera = Camera::fit(&tree_bounds(&model), &CANVAS);
        camera.zoom_at(&CANVAS, zoom, at.0, at.1);
        let overlays = [LabelBox {
            left: overlay.0,
            top: overlay.1,
            right: overlay.0 + 150.0,
            bottom: overlay.1 + 60.0,
        }];
        let (scene, labels) = label(&mut Labeller::default(), &model, &camera, &overlays);
        assert_sound(&model, &scene, &labels, &overlays);
    }

    #[test]
    fn a_label_that_still_fits_keeps_its_place_while_the_tree_is_scrolled(
        widths in prop::collection::vec(0_u8..6, 1..60),
        zoom in 1.0_f64..8.0,
        steps in prop::collection::vec((-60.0_f64..60.0, -40.0_f64..40.0), 1..6),
    ) {
        let model = model_of(&widths);
        let mut camera = Camera::fit(&tree_bounds(&model), &CANVAS);
        camera.zoom_at(&CANVAS, zoom, 500.0, 300.0);
        let mut labeller = Labeller::default();
        let (_, mut before) = label(&mut labeller, &model, &camera, &[]);
        for (dx, dy) in steps {
            camera.pan(dx, dy);
            let (scene, after) = label(&mut labeller, &model, &camera, &[]);
            assert_sound(&model, &scene, &after, &[]);
            let inside = |area: &LabelBox| {
                let room = LabelBox { left: 5.0, top: 5.0, right: 995.0, bottom: 595.0 };
                room.contains(area)
            };
            for old in &before {
                let (dx, dy) = (dx as f32, dy as f32);
                let moved = LabelBox {
                    left: old.area.left + dx,
                    top: old.area.top + dy,
                    right: old.area.right + dx,
                    bottom: old.area.bottom + dy,
                };
                // Nodes that come into view may take the place of a label.
                let folds = (scene.folds.iter())
                    .filter(|fold| LabelOwner::Fold(fold.node) != old.owner)
                    .map(|fold| LabelBox::around((fold.at.0, fold.at.1 + 5.0), 5.0));
                let is_free = (scene.nodes.iter())
                    .filter(|disc| LabelOwner::Node(disc.node) != old.owner)
                    .map(|disc| LabelBox::around(disc.at, disc.radius))
                    .chain(folds)
                    .all(|area| !area.intersects(&moved.expanded(CLEARANCE + 0.5)));
                let is_seen = match old.owner {
                    LabelOwner::Node(node) => (scene.nodes.iter())
                        .any(|disc| disc.node == node && inside(&LabelBox::around(disc.at, 0.0))),
                    LabelOwner::Fold(node) => scene.folds.iter().any(|fold| fold.node == node),
                };
                if !inside(&moved) || !is_free || !is_seen {
                    continue;
                }
                let now = after.iter().find(|label| label.owner == old.owner);
                let now = now.unwrap_or_else(|| panic!("{old:?} is gone"));
                prop_assert_eq!(now.choice, old.choice);
            }
            before = after;
        }
    }

    #[test]
    fn bisection_counts_the_edges_that_a_box_crosses(
        ends in prop::collection::vec((0.0_f32..50.0, 0.0_f32..50.0), 0..40),
        corner in (0.0_f32..900.0, 0.0_f32..90.0),
        size in (1.0_f32..300.0, 1.0_f32..40.0),
    ) {
        // Steps between neighbours, so that both ends ascend.
        let (mut upper, mut lower) = (0.0, 0.0);
        let lines: Vec<(f32, f32)> = ends.iter().map(|&(one, other)| {
            (upper, lower) = (upper + one, lower + other);
            (upper, lower)
        }).collect();
        let row = EdgeRow { top: 10.0, bottom: 90.0, lines: lines.clone() };
        let area = LabelBox {
            left: corner.0,
            top: corner.1,
            right: corner.0 + size.0,
            bottom: corner.1 + size.1,
        };
        let within = LabelBox { top: area.top.max(10.0), bottom: area.bottom.min(90.0), ..area };
        let expected = |by: f32| lines.iter()
            .filter(|line| within.top < within.bottom
                && crosses((line.0, 10.0), (line.1, 90.0), &within.expanded(by)))
            .count();
        let counted = row.crossings(&area);
        // Rounding decides about edges through a corner.
        prop_assert!((expected(-0.05)..=expected(0.05)).contains(&counted));
    }
}

#[test]
fn the_root_and_the_first_moves_are_labelled_in_full() {
    let model = model_of(&[3, 2, 2, 2]);
    let camera = Camera::fit(&tree_bounds(&model), &CANVAS);
    let (_, labels) = label(&mut Labeller::default(), &model, &camera, &[]);
    let text = |node: u32| {
        let label = labels
            .iter()
            .find(|label| label.owner == LabelOwner::Node(node));
        let text = &label.expect("it has a label").text;
        format!("{}{}/{}", text.title, text.rest, text.second)
    };
    assert_eq!(text(0), "root 1,000,000 visits/");
    assert_eq!(text(1), "b2 · 111,111/Black wins 50.0 %");
    assert_eq!(labels.len(), model.len(), "there is room for all");
}

/// An edge runs through the place of the second line: the count stands beside the node without it, the move alone does not do.
#[test]
fn a_shorter_text_is_preferred_to_one_that_an_edge_crosses_but_not_the_move_alone() {
    let sized = |text: (&str, &str, &str), size: (f32, f32)| SizedText {
        text: LabelText {
            title: text.0.to_owned(),
            rest: text.1.to_owned(),
            second: text.2.to_owned(),
        },
        size,
        line_widths: [size.0, 0.0],
    };
    let name = sized(("d3", "", ""), (20.0, 15.0));
    let count = sized(("d3", " · 1,318", ""), (60.0, 15.0));
    let value = sized(("d3", " · 1,318", "Black wins 47.2 %"), (100.0, 29.0));
    let candidate = |texts: Vec<SizedText>| LabelCandidate {
        owner: LabelOwner::Node(1),
        at: (300.0, 100.0),
        radius: 5.0,
        obstacle: None,
        places: vec![Place::Right],
        texts,
        max_crossings: 3,
        kept: None,
        comes_first: false,
    };
    let placed = |at: f32, texts: Vec<SizedText>| {
        let edges = [EdgeRow {
            top: 0.0,
            bottom: 200.0,
            lines: vec![(at, at)],
        }];
        let surroundings = Surroundings {
            canvas: LabelBox {
                left: 0.0,
                top: 0.0,
                right: 1000.0,
                bottom: 600.0,
            },
            obstacles: &[],
            edges: &edges,
            lines: &[],
            scale: 1.0,
        };
        let labels = place_labels(&[candidate(texts)], &surroundings);
        labels[0].text.to_string()
    };
    let all = || vec![value.clone(), count.clone(), name.clone()];
    assert_eq!(placed(900.0, all()), value.text.to_string());
    assert_eq!(placed(390.0, all()), count.text.to_string());
    assert_eq!(placed(340.0, all()), value.text.to_string());
}

#[test]
fn counts_are_short() {
    for (count, text) in [
        (0, "0"),
        (992, "992"),
        (1_000, "1.0 k"),
        (5_549, "5.5 k"),
        (9_949, "9.9 k"),
        (9_950, "10 k"),
        (552_900, "553 k"),
        (999_499, "999 k"),
        (999_500, "1.0 M"),
        (1_500_000, "1.5 M"),
        (12_345_678_901, "12,345.7 M"),
    ] {
        assert_eq!(short_count(count), text, "{count}");
    }
}
