//! Small things about trees: what folding keeps, edges that can be seen, shared nodes, the score of a watched match.

use std::sync::Arc;

use canopy_engine::tree::{TreeBuilder, TreeRow, files};
use canopy_viewer::{
    app::{Action, App},
    draw::theme::Theme,
    tree::{
        camera::{Camera, Canvas},
        labels::PlacedLabel,
        model::{ModelSource, TreeModel},
        raster::{RenderQuality, TreeRenderer},
        scene::{RenderOptions, tree_bounds},
    },
};
use egui::Key;
use tiny_skia::Pixmap;

use crate::{
    formula::grow_trees,
    pictures::{grow_document, grow_model, labelled_scene},
    stage::Harness,
    support::{Scratch, match_fixture::MatchFixture},
};

/// The texts of the labels on the canvas that tell of a move.
fn labels_of(stage: &Harness, mv: &str) -> Vec<String> {
    let state = stage.frame.dump(&stage.app);
    (state["labels"].as_array().into_iter().flatten())
        .filter_map(|text| text.as_str().map(str::to_owned))
        .filter(|text| text.split_whitespace().next() == Some(mv))
        .collect()
}

#[test]
fn folding_keeps_the_label_and_the_table_of_a_node() {
    let mut stage = Harness::dark();
    stage.size = (1400, 900);
    stage.show_model("othello.tree", grow_model("othello", "uct", 1500));
    stage.press_key(Key::ArrowDown);
    stage.draw_frame();
    let mv = stage.app.moves_to_selected().expect("a node").remove(0);
    let children = stage.controls_after("child ");
    assert!(!labels_of(&stage, &mv).is_empty() && children.len() > 1);
    stage
        .press_key(Key::Z)
        .wait_until("it is folded", |app: &App| {
            let model = app.document.model.as_ref().expect("a tree");
            let node = app.navigation.selected.expect("it stays selected");
            model.children_of(node).is_empty()
        });
    stage.draw_frame();
    assert!(!labels_of(&stage, &mv).is_empty(), "its label is kept");
    assert_eq!(stage.controls_after("child "), children, "and its table");
}

/// Luminance of the Web Content Accessibility Guidelines 2.1, from its definition.
fn luminance([red, green, blue]: [u8; 3]) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        match part <= 0.04045 {
            true => part / 12.92,
            false => ((part + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

/// A root with three children, all visited equally often.
fn equal_visits(visits: i32) -> TreeModel {
    let mut builder = TreeBuilder::default();
    for (move_name, children) in [("", 3), ("a", 0), ("b", 0), ("c", 0)] {
        let row = TreeRow {
            move_name,
            state: "",
            visits,
            second: visits,
            mean: 0.5,
            children,
        };
        builder.push(&row).expect("a sound row");
    }
    TreeModel::new(ModelSource::of(builder.finish().expect("a whole tree")))
}

#[test]
fn ends_of_games_are_squares_that_the_legend_explains() {
    let mut stage = Harness::dark();
    stage.show_model("start.tree", grow_model("connect-four", "uct", 50));
    assert!(!stage.has_control("legend End of a game"));
    // X has three in column 1.
    let moves = ["1", "2", "1", "2", "1", "2"].map(str::to_owned);
    let document = grow_document("connect-four", &moves, "uct", 200);
    stage.show_model("end.tree", TreeModel::new(document));
    stage.draw_frame();
    assert!(stage.has_control("legend End of a game"));
}

#[test]
fn the_rules_are_one_click_from_the_board_beside_a_tree() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", grow_model("othello", "uct", 50));
    stage.click("rules of game");
    stage.draw_frame();
    assert!(stage.has_control("rules"));
}

#[test]
fn edges_of_equal_visits_can_be_seen() {
    for visits in [0, 1, 1000] {
        for (mut stage, theme) in [(Harness::dark(), "dark"), (Harness::light(), "light")] {
            stage.app.settings.labels = false;
            // So that a line of one point covers a whole pixel.
            stage.scale = 2.0;
            stage.show_model("equal.tree", equal_visits(visits));
            for _ in 0..4 {
                stage.draw_frame();
            }
            let state = stage.frame.dump(&stage.app);
            let place = |index: usize| {
                let at = &state["places"][index];
                let number = |part: usize| at[part].as_f64().expect("a number");
                (number(1), number(2))
            };
            let picture = stage.frame.picture().expect("a picture");
            let pixel = |x: f64, y: f64| {
                let pixel = picture
                    .pixel(x as u32, y as u32)
                    .expect("within the window");
                let pixel = pixel.demultiply();
                [pixel.red(), pixel.green(), pixel.blue()]
            };
            let root = place(0);
            for child in 1..=3 {
                let to = place(child);
                let middle = ((root.0 + to.0) / 2.0, (root.1 + to.1) / 2.0);
                let ground = pixel(middle.0 + 50.0, middle.1);
                let best = (-6..=6)
                    .map(|by| contrast(pixel(middle.0 + f64::from(by), middle.1), ground))
                    .fold(1.0, f64::max);
                assert!(best >= 3.0, "{theme}, {visits} visits: {best:.2}");
            }
        }
    }
}

/// Draws a tree with more moves than there is room for beside their nodes, and hands over the picture with its labels.
fn labelled_picture() -> (Pixmap, Vec<PlacedLabel>) {
    let document = grow_document("connect-four", &[], "uct", 2000);
    let model = Arc::new(TreeModel::new(document));
    let canvas = Canvas {
        width: 452.0,
        height: 474.0,
        scale: 1.0,
    };
    let camera = Camera::fit(&tree_bounds(&model), &canvas);
    let options = RenderOptions::default();
    let scene = labelled_scene(&model, &camera, &canvas, &options);
    let mut pixmap = Pixmap::new(452, 474).expect("a picture");
    TreeRenderer::default().paint(
        &mut pixmap.as_mut(),
        &model,
        &scene,
        &canvas,
        &Theme::light(),
        RenderQuality::Fine,
    );
    (pixmap, scene.labels)
}

#[test]
fn edges_break_at_the_labels_that_lie_over_them() {
    let (picture, labels) = labelled_picture();
    let canvas = Theme::light().canvas;
    let crossing: Vec<_> = labels.iter().filter(|label| label.crosses_edges).collect();
    assert!(!crossing.is_empty(), "{labels:?}");
    for label in crossing {
        // Left of the letters, where the ground reaches beyond the text: nothing of an edge is there.
        for ground in label.grounds(1.0) {
            let (left, right) = (
                ground.left.ceil() as u32,
                (ground.left + 3.0).floor() as u32,
            );
            for x in left..right {
                for y in (ground.top.ceil() as u32)..(ground.bottom.floor() as u32) {
                    let pixel = picture.pixel(x, y).expect("it is in the picture");
                    let colour = (pixel.red(), pixel.green(), pixel.blue());
                    let expected = (canvas.r(), canvas.g(), canvas.b());
                    assert_eq!(colour, expected, "{x} {y} {label:?}");
                }
            }
        }
    }
}

#[test]
fn shared_nodes_are_marked_and_the_mark_is_explained() {
    let scratch = Scratch::new("details-shared");
    let tree = grow_trees(&scratch, "connect-four", "transposition", true, 3000).remove(0);
    let model = TreeModel::new(files::read(&tree, None).expect("a tree"));
    let mut stage = Harness::dark();
    stage.size = (1400, 900);
    stage.show_model("shared.tree", model);
    stage.draw_frame();
    assert!(stage.has_control("legend Shared"));
    let mut plain = Harness::dark();
    plain.size = (1400, 900);
    plain.show_model("othello.tree", grow_model("othello", "uct", 300));
    plain.draw_frame();
    assert!(!plain.has_control("legend Shared"));
}

#[test]
fn the_score_of_a_watched_match_has_error_bars() {
    let scratch = Scratch::new("details-score");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "connect-four", 20);
    for winner in [Some(0), Some(0), Some(1), Some(0)] {
        fixture.begin_game();
        fixture.end_game(winner, "four in line");
    }
    fixture.begin_game();
    fixture.write_match_json();
    let mut stage = Harness::dark();
    stage.run_action(Action::FollowMatch {
        directory: scratch.0.clone(),
        exit: false,
    });
    stage.wait_until("the match is there", |app| {
        app.match_state()
            .is_some_and(|state| state.meta.number == 5)
    });
    stage.draw_frame();
    assert!(stage.has_control("score bar"));
    // Wilson's interval of 3 in 4 by hand: (0.75 + 0.4802 ± 1.96 √(0.046875 + 0.060025)) / 1.9604.
    assert!(stage.has_control("uct: 75 % of 4 games (95 %: 30 to 95)"));
}

/// Left and right end of a control, in pixels.
fn ends(stage: &Harness, control: &str) -> (f64, f64) {
    let state = stage.frame.dump(&stage.app);
    let control = &state["controls"][control];
    let (at, width) = (control["at"][0].as_f64(), control["size"][0].as_f64());
    let (at, width) = (at.expect("a place"), width.expect("a size"));
    (at - width / 2.0, at + width / 2.0)
}

#[test]
fn controls_of_the_bar_keep_clear_of_each_other_while_a_match_is_followed() {
    let scratch = Scratch::new("details-bar");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "connect-four", 20);
    fixture.begin_game();
    for mv in ["4", "4", "3"] {
        fixture.write_tree(&[(mv, 30), ("1", 10)]);
        fixture.play(mv);
    }
    let names = [
        "home", "open", "back", "next", "jump", "jump ok", "follow", "find", "save", "reset",
        "theme", "help",
    ];
    let widths = (800..=1400).step_by(75).map(|width| (width, 1.0));
    for (width, scale) in widths.chain([(800, 2.0), (1280, 1.0)]) {
        let mut stage = Harness::dark();
        (stage.size, stage.scale) = ((width, 600), scale);
        stage.run_action(Action::FollowMatch {
            directory: scratch.0.clone(),
            exit: false,
        });
        stage.wait_until("its trees are there", |app| {
            app.document.sequence.len() == 3 && app.document.model.is_some()
        });
        stage.draw_frame();
        let ends = names.map(|name| ends(&stage, name));
        for (pair, name) in ends.windows(2).zip(&names[1..]) {
            assert!(pair[1].0 >= pair[0].1, "{width}: {name} of {ends:?}");
        }
        let right = f64::from(width) * f64::from(scale);
        assert!(ends[11].1 <= right, "{width}: {ends:?}");
        if width >= 1280 {
            assert!(
                stage.has_control("title: Connect four · move 3 · UCT"),
                "{width}"
            );
        }
    }
}
