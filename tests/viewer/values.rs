//! Values in the window: whose they are, everywhere alike, and what the right panel tells of a node.

use std::sync::Arc;

use canopy_engine::tree::files;
use canopy_viewer::{
    app::Action,
    settings::{PANEL_WIDTHS, ViewerSettings},
    tree::{
        camera::{Camera, Canvas},
        formula::explain_selection,
        model::{Filter, TreeModel},
        node_value::ValueView,
        scene::{Measure, RenderOptions, tree_bounds},
    },
};

use crate::{
    formula::grow_trees,
    pictures::{
        Part, classical_document, grow_document, grow_model, labelled_scene, six_node_model,
    },
    stage::Harness,
    support::Scratch,
};

/// The value sentence of the right panel.
fn told_value(stage: &mut Harness) -> String {
    stage.draw_frame();
    stage.controls_after("value: ").pop().expect("a value")
}

/// Othello after one move: White is to move at the root.
fn after_one_move() -> TreeModel {
    TreeModel::new(grow_document("othello", &["f5".to_owned()], "uct", 1500))
}

/// Wilson's interval of 40 to 60 % of 5,000 playouts is 2.7 to 2.8 points wide.
#[test]
fn a_share_of_wins_is_told_with_how_sure_it_is() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", grow_model("othello", "uct", 5000));
    assert_eq!(stage.controls_after("how sure: "), ["± 1.4"]);
    let classical = TreeModel::new(classical_document("othello", "", 3));
    stage.show_model("depth.tree", classical);
    assert!(stage.controls_after("how sure: ").is_empty());
}

#[test]
fn one_setting_says_whose_values_the_panel_tells() {
    let model = after_one_move();
    // The root's mean is Black's, who is not to move; the child's is White's, who moved.
    let root = model.node(0).mean * 100.0;
    let child = model.best_child(0).expect("a child");
    let (own, visits) = (model.node(child).mean * 100.0, model.node(child).visits);
    assert!(visits < 1000, "{visits}");
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", model).click("more");
    for (control, of_root, of_child) in [
        (
            "values for root",
            format!("White wins {:.1} %", 100.0 - root),
            format!("White wins {own:.0} %"),
        ),
        (
            "values for first",
            format!("Black wins {root:.1} %"),
            format!("Black wins {:.0} %", 100.0 - own),
        ),
        (
            "values for mover",
            format!("White wins {:.1} %", 100.0 - root),
            format!("Black wins {:.0} %", 100.0 - own),
        ),
    ] {
        stage.run_action(Action::Select(Some(0))).click(control);
        assert_eq!(told_value(&mut stage), of_root, "{control}");
        stage.run_action(Action::Select(Some(child)));
        assert_eq!(told_value(&mut stage), of_child, "{control}");
    }
    assert_eq!(stage.app.settings.value_view, ValueView::Mover);
}

#[test]
fn labels_tell_values_with_their_owner_in_the_same_view() {
    let model = Arc::new(after_one_move());
    let canvas = Canvas {
        width: 1200.0,
        height: 800.0,
        scale: 1.0,
    };
    let mut camera = Camera::fit(&tree_bounds(&model), &canvas);
    // So close to the first child that its label has room for the value.
    while camera.sibling_spacing < 200.0 {
        let (x, y) = camera.to_canvas(&canvas, model.x[1], 1.0);
        camera.zoom_at(&canvas, 1.5, x, y);
    }
    for (view, owner, other) in [
        (ValueView::Root, "White wins ", "Black wins "),
        (ValueView::First, "Black wins ", "White wins "),
    ] {
        let options = RenderOptions {
            value_view: view,
            ..RenderOptions::default()
        };
        let labels = labelled_scene(&model, &camera, &canvas, &options).labels;
        let seconds: Vec<&str> = labels.iter().map(|label| &*label.text.second).collect();
        assert!(
            seconds.iter().any(|text| text.contains(owner)),
            "{labels:?}"
        );
        assert!(
            !seconds.iter().any(|text| text.contains(other)),
            "{labels:?}"
        );
    }
}

#[test]
fn trees_of_other_programs_have_players_and_a_second_counter() {
    let mut stage = Harness::dark();
    stage.size = (1100, 1400);
    stage.show_model("six.tree", six_node_model());
    // 100 visits, mean 0.5 for Black, who is not to move.
    assert_eq!(told_value(&mut stage), "White wins 50 %");
    assert!(stage.has_control("Second counter: 50"));
    stage.run_action(Action::Select(Some(4)));
    // Black's e7e5 with 0.42 for Black, seen by White, who is to move at the root.
    assert_eq!(told_value(&mut stage), "White wins 58 %");
    assert!(stage.has_control("Mean for Black: 0.42"));
}

#[test]
fn a_classical_tree_speaks_of_values_and_not_of_means() {
    let mut stage = Harness::dark();
    stage.size = (1100, 1400);
    let model = TreeModel::new(classical_document("kalah", "3 6", 4));
    // The root's row has the value for the opponent of the player to move: v = 200 m / (1 - |m|), m = 1 - 2 mean.
    let part = 1.0 - 2.0 * model.node(0).mean;
    let stones = 2.0 * part / (1.0 - part.abs());
    stage.show_model("kalah.tree", model);
    let told = told_value(&mut stage);
    let sign = if stones < 0.0 { "−" } else { "+" };
    assert!(
        told.contains(&format!("{sign}{}", (stones.abs() * 10.0).round() / 10.0)),
        "{told} {stones}"
    );
    assert!(
        told.starts_with("South ") || told.starts_with("North "),
        "{told}"
    );
    assert!(told.contains("stone"), "{told}");
    for word in ["Mean", "Sum", "Visits"] {
        assert!(stage.controls_after(word).is_empty(), "{word}");
    }
    assert!(!stage.controls_after("Nodes searched: ").is_empty());
}

#[test]
fn hidden_children_unfold_and_the_clicked_one_is_worked_out() {
    let mut stage = Harness::dark();
    stage.size = (1100, 1200);
    stage.show_model("othello.tree", after_one_move());
    let filter = Filter {
        max_children: Some(1),
        ..Filter::default()
    };
    stage
        .run_action(Action::Filter(filter))
        .wait_until("it is filtered", |app| {
            (app.document.model.as_ref()).is_some_and(|model| model.hidden > 0)
        });
    let model = stage.app.document.model.clone().expect("a tree");
    let rows = model.child_rows(0);
    assert_eq!(rows.len(), 3);
    let next_is_hidden = explain_selection(&model, 0, None).is_next_hidden();
    let folded = 1 + usize::from(next_is_hidden);
    assert_eq!(stage.controls_after("child ").len(), folded);
    stage.click("hidden children").draw_frame();
    assert_eq!(stage.controls_after("child ").len(), 3);
    assert!(stage.has_control("arithmetic") && stage.has_control("next choice"));
    // The node stays selected; a double click would go to a child that is shown.
    stage.click(&format!("child {}", rows[0] + 1));
    assert_eq!(stage.app.navigation.focused_node(), 0);
    stage.click("fewer children").draw_frame();
    assert_eq!(stage.controls_after("child ").len(), folded);
    // Another node's table is folded again.
    stage
        .click("hidden children")
        .run_action(Action::Select(Some(1)))
        .run_action(Action::Select(Some(0)));
    assert_eq!(stage.controls_after("child ").len(), folded);
}

/// A tree in which the next iteration goes to a child that has at least so many siblings with more visits.
fn with_next_behind(moves: &[&str], siblings: usize) -> TreeModel {
    let moves: Vec<String> = moves.iter().map(|&mv| mv.to_owned()).collect();
    let grown =
        (1500..1600).map(|visits| TreeModel::new(grow_document("othello", &moves, "uct", visits)));
    let is_behind = |model: &TreeModel| {
        let why = explain_selection(model, 0, None);
        let place = (why.children.iter()).position(|terms| Some(terms.row) == why.next_row);
        place.is_some_and(|place| place >= siblings)
    };
    grown
        .into_iter()
        .find(is_behind)
        .expect("every child has its turn")
}

#[test]
fn the_child_that_the_next_iteration_goes_to_has_a_row_even_if_the_tree_hides_it() {
    let mut stage = Harness::dark();
    stage.size = (1100, 1200);
    stage.show_model("othello.tree", with_next_behind(&["f5"], 1));
    stage
        .run_action(Action::Filter(Filter {
            max_children: Some(1),
            ..Filter::default()
        }))
        .wait_until("it is filtered", |app| {
            (app.document.model.as_ref()).is_some_and(|model| model.hidden > 0)
        });
    stage.draw_frame();
    let model = stage.app.document.model.clone().expect("a tree");
    let why = explain_selection(&model, 0, None);
    assert!(why.is_next_hidden());
    let next = format!("{}", why.next_row.expect("it is known") + 1);
    let rows = stage.controls_after("child ");
    assert!(rows.len() == 2 && rows.contains(&next), "{rows:?} {next}");
}

#[test]
fn the_child_that_the_next_iteration_goes_to_has_a_row_even_if_there_is_room_for_seven() {
    let moves = ["f5", "d6", "c3", "d3", "c4", "f4"];
    let model = with_next_behind(&moves, 7);
    let why = explain_selection(&model, 0, None);
    let next = format!("{}", why.next_row.expect("it is known") + 1);
    let mut stage = Harness::dark();
    stage.size = (1100, 680);
    stage.show_model("othello.tree", model);
    let rows = stage.controls_after("child ");
    assert!(rows.len() == 7 && rows.contains(&next), "{rows:?} {next}");
}

#[test]
fn shared_nodes_tell_the_visits_of_the_move_and_of_the_position() {
    let scratch = Scratch::new("values-shared");
    let tree = grow_trees(&scratch, "connect-four", "transposition", true, 3000).remove(0);
    let model = TreeModel::new(files::read(&tree, None).expect("a tree"));
    assert!(model.has_shared_nodes());
    let shared = (1..model.len()).find(|&node| model.ways_to(model.row(node)) > 1);
    let shared = shared.expect("a shared node");
    let elsewhere = (1..model.len())
        .find(|&node| model.expanded_elsewhere(model.row(node)).is_some())
        .expect("a node whose moves are elsewhere");
    let mut stage = Harness::light();
    stage.size = (1100, 1200);
    stage
        .show_model("shared.tree", model)
        .run_action(Action::Select(Some(shared)));
    let (by_move, of_position) = (
        stage.controls_after("Visits by this move: "),
        stage.controls_after("Visits of the position: "),
    );
    assert_eq!((by_move.len(), of_position.len()), (1, 1));
    stage
        .run_action(Action::Select(Some(elsewhere)))
        .click("shared node");
    let model = stage.app.document.model.clone().expect("a tree");
    let at = stage.app.navigation.focused_node();
    assert_eq!(
        Some(model.row(at)),
        model.expanded_elsewhere(model.row(elsewhere))
    );
}

#[test]
fn an_earlier_iteration_has_its_own_figures_and_no_result_yet() {
    let scratch = Scratch::new("values-earlier");
    let tree = grow_trees(&scratch, "connect-four", "uct", false, 400).remove(0);
    let mut stage = Harness::dark();
    stage.size = (1280, 1200);
    stage
        .run_action(Action::Open(vec![tree]))
        .wait_until("it is there", |app| {
            app.document.model.is_some() && app.document.timeline.status.is_some()
        });
    assert!(!stage.has_control("Move chosen: not yet") && !stage.has_control("Time: not yet"));
    stage
        .run_action(Action::Scrub {
            to: 100,
            moving: false,
        })
        .wait_until("it is shown", |app| {
            app.document.timeline.shown_iteration == Some(100)
        });
    let earlier = stage.app.document.model.clone().expect("a tree");
    let expected = format!("X wins {:.0} %", (1.0 - earlier.node(0).mean) * 100.0);
    assert_eq!(told_value(&mut stage), expected);
    assert!(stage.has_control("Iterations: 100"));
    assert!(stage.has_control("Move chosen: not yet") && stage.has_control("Time: not yet"));
    stage
        .run_action(Action::ShowEnd)
        .wait_until("the end is shown", |app| {
            app.document.timeline.shown_iteration.is_none()
        });
    stage.draw_frame();
    assert!(!stage.has_control("Move chosen: not yet"));
}

#[test]
fn panels_are_as_wide_as_they_are_dragged() {
    let mut stage = Harness::dark();
    stage.size = (1400, 800);
    stage.show_model("othello.tree", after_one_move());
    let usual = PANEL_WIDTHS.map(|(_, usual, _)| usual);
    assert_eq!(stage.app.settings.panel_widths, usual);
    let at = |x: f32| egui::pos2(x, 400.0);
    // One from within the panel, the other from the canvas.
    stage.drag(at(usual[0] - 2.0), at(usual[0] + 58.0));
    let edge = 1400.0 - usual[1];
    stage.drag(at(edge - 3.0), at(edge - 53.0));
    let [left, right] = stage.app.settings.panel_widths;
    assert!((left - usual[0] - 60.0).abs() < 4.0, "{left}");
    assert!((right - usual[1] - 50.0).abs() < 4.0, "{right}");
    stage.draw_frame();
    // A new window has the same.
    let mut again = Harness::new(ViewerSettings {
        panel_widths: [left, right],
        ..ViewerSettings::default()
    });
    again.size = (1400, 800);
    again.show_model("othello.tree", after_one_move());
    again.draw_frame();
    let (origin, _) = again.app.navigation.canvas_origin;
    assert!((origin - f64::from(left)).abs() < 2.0, "{origin} {left}");
}

#[test]
fn the_size_of_text_is_a_setting() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", after_one_move());
    stage.press_key_with(egui::Modifiers::COMMAND, egui::Key::Plus);
    stage.draw_frame();
    stage.draw_frame();
    assert_eq!(stage.app.settings.text_size, 1.15);
    assert!((stage.frame.context.zoom_factor() - 1.15).abs() < 1e-6);
    // The tree's labels grow with the rest.
    assert!((stage.app.navigation.canvas.scale - 1.15).abs() < 1e-3);
    stage.press_key_with(egui::Modifiers::COMMAND, egui::Key::Num0);
    stage.draw_frame();
    stage.draw_frame();
    assert_eq!(stage.frame.context.zoom_factor(), 1.0);
}

#[test]
fn a_palette_changes_hues_only() {
    let mut stage = Harness::dark();
    stage.app.settings.measure = "mean".to_owned();
    stage.app.settings.per_layer = true;
    stage.show_model("othello.tree", after_one_move());
    let look = stage.app.look();
    assert_eq!(look.scale.measure, Measure::Mean);
    let mut seen = Vec::new();
    stage.click("more");
    for palette in ["blue and yellow", "green and red", "theme colours"] {
        stage.click(palette);
        assert_eq!(stage.app.look(), look, "{palette}");
        seen.push(stage.app.theme().side_a);
    }
    seen.dedup();
    assert_eq!(seen.len(), 3, "each has its own hues");
}

#[test]
fn the_right_panel() {
    let model = || grow_model("othello", "uct", 5000);
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", model());
    stage.assert_part("panel-root-dark", Part::Right);
    let mut stage = Harness::light();
    stage.show_model("othello.tree", model());
    let child = model().best_child(0).expect("a child");
    stage.run_action(Action::Select(Some(child)));
    stage.assert_part("panel-child-light", Part::Right);
    let mut stage = Harness::light();
    stage.show_model(
        "kalah.tree",
        TreeModel::new(classical_document("kalah", "3 6", 4)),
    );
    stage.assert_part("panel-classical-light", Part::Right);
    let mut stage = Harness::dark();
    stage.show_model("six.tree", six_node_model());
    stage.assert_part("panel-foreign-dark", Part::Right);
}
