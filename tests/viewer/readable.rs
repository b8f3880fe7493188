//! The readable part of a tree, what opens it, and the path from the root to what is in view.

use canopy_engine::tree::{TreeBuilder, TreeRow, meta::Meta};
use canopy_viewer::{
    app::{Action, App, Direction},
    tree::model::{ModelSource, TreeModel},
};
use egui::Key;

use crate::{
    pictures::{Part, grow_model},
    stage::Harness,
    support::Scratch,
};

fn othello() -> TreeModel {
    grow_model("othello", "uct", 5000)
}

fn model(app: &App) -> &TreeModel {
    app.document.model.as_ref().expect("a tree is shown")
}

fn is_folded(app: &App) -> bool {
    app.document.filter.readable && model(app).hidden > 0
}

fn show_readable(mut stage: Harness) -> Harness {
    stage.show_model("othello.tree", othello());
    stage
        .press_key(Key::A)
        .wait_until("the tree is folded", is_folded);
    // The camera follows.
    stage.draw_frame();
    stage
}

/// Row, number of hidden moves and place of each triangle, as the window's state tells them.
fn folds(stage: &Harness) -> Vec<(u64, u64, egui::Pos2)> {
    let state = stage.frame.dump(&stage.app);
    (state["folds"].as_array().expect("a list").iter())
        .map(|fold| {
            let coordinate = |index: usize| fold[index].as_f64().expect("a number") as f32;
            let number = |index: usize| fold[index].as_u64().expect("a number");
            let at = egui::pos2(coordinate(2), coordinate(3));
            (number(0), number(1), at)
        })
        .collect()
}

/// The texts of the labels on the canvas.
fn labels(stage: &Harness) -> Vec<String> {
    let state = stage.frame.dump(&stage.app);
    (state["labels"].as_array().expect("a list").iter())
        .map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

#[test]
fn a_chip_says_whether_the_whole_tree_is_shown() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", othello());
    let told = |stage: &Harness| stage.controls_after("chip: ").join(", ");
    assert!(
        told(&stage).contains("all 9,630 nodes shown"),
        "{}",
        told(&stage)
    );
    stage
        .press_key(Key::A)
        .wait_until("the tree is folded", is_folded);
    stage.draw_frame();
    assert!(
        told(&stage).contains(" of 9,630 nodes shown"),
        "{}",
        told(&stage)
    );
}

#[test]
fn a_key_and_a_chip_switch_between_the_main_lines_and_the_whole_tree() {
    let mut stage = show_readable(Harness::dark());
    let all = model(&stage.app).tree.nodes().len();
    assert!(model(&stage.app).len() * 20 < all);
    assert_eq!(stage.app.settings.readable, Some(true), "it is remembered");
    assert!(model(&stage.app).children_of(0).len() <= 3);
    let root_moves = model(&stage.app).child_rows(0).len();
    assert!(root_moves > 3, "the table of children has them all");
    stage
        .click("shown nodes")
        .wait_until("all is shown", |app| model(app).hidden == 0);
    assert_eq!(model(&stage.app).len(), all);
    assert_eq!(stage.app.settings.readable, Some(false));
    stage
        .click("shown nodes")
        .wait_until("the tree is folded", is_folded)
        .press_key(Key::A)
        .wait_until("all is shown", |app| model(app).hidden == 0);
}

#[test]
fn show_all_shows_all_however_nodes_were_hidden() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", othello());
    let all = model(&stage.app).len();
    let is_hidden = |app: &App| model(app).hidden > 0;
    let shows_all = move |app: &App| model(app).hidden == 0 && model(app).len() == all;
    // Fewer children by a key, all by a key.
    stage
        .press_key(Key::B)
        .wait_until("children are hidden", is_hidden)
        .press_key(Key::A)
        .wait_until("all is shown", shows_all);
    // Few visits by the toolbar, all by the chip.
    let mut filter = stage.app.document.filter.clone();
    filter.min_visits = 10;
    stage
        .run_action(Action::Filter(filter))
        .wait_until("little visited nodes are hidden", is_hidden)
        .click("shown nodes")
        .wait_until("all is shown", shows_all);
    // A node folded by hand.
    let child = model(&stage.app).children_of(0).start;
    stage
        .run_action(Action::Select(Some(child)))
        .press_key(Key::Z)
        .wait_until("the node is folded", is_hidden)
        .press_key(Key::A)
        .wait_until("all is shown", shows_all);
    assert_eq!(stage.app.settings.readable, Some(false), "it is remembered");
    stage
        .press_key(Key::A)
        .wait_until("then the main lines", is_folded);
}

#[test]
fn a_click_on_a_triangle_opens_a_node_and_with_shift_all_below_it() {
    let mut wide = Harness::dark();
    wide.size = (1600, 1000);
    let mut stage = show_readable(wide);
    let (row, moves, at) = folds(&stage)[0];
    let shown = model(&stage.app).children_of(0).len() as u64;
    let all = model(&stage.app).child_rows(0).len() as u64;
    assert_eq!((row, shown + moves), (1, all));
    stage
        .click_at(at, egui::Modifiers::NONE)
        .wait_until("the root is open", |app| {
            model(app).children_of(0).len() as u64 == all
        });
    stage.draw_frame();
    assert!(
        stage.app.navigation.selected.is_none(),
        "nothing is selected"
    );
    let fold = (model(&stage.app).folds.iter())
        .find(|fold| fold.x.is_some())
        .expect("a node of which a part is shown");
    let (node, row) = (
        fold.node as usize,
        u64::from(model(&stage.app).rows[fold.node as usize]) + 1,
    );
    stage
        .run_action(Action::Select(Some(node)))
        .run_action(Action::FitSelected);
    let (_, _, at) = (folds(&stage).into_iter())
        .find(|fold| fold.0 == row)
        .expect("its triangle is drawn");
    let node = |app: &App| model(app).find_row(row as u32 - 1).expect("it is shown");
    let size = model(&stage.app).tree.subtree_sizes()[row as usize - 1] as usize;
    stage
        .click_at(at, egui::Modifiers::SHIFT)
        .wait_until("all below is open", |app| {
            let model = model(app);
            let mut below = vec![node(app)];
            let mut count = 0;
            while let Some(node) = below.pop() {
                count += 1;
                below.extend(model.children_of(node));
            }
            count == size
        });
}

#[test]
fn the_selected_node_opens_and_closes_by_a_key() {
    let mut stage = show_readable(Harness::dark());
    let leaf = (0..model(&stage.app).len())
        .find(|&node| {
            let model = model(&stage.app);
            model.children[node] == 0 && !model.child_rows(node).is_empty()
        })
        .expect("a leaf whose children are hidden");
    let moves = model(&stage.app).child_rows(leaf).len();
    let open = move |app: &App| {
        let node = app.navigation.selected.expect("it stays selected");
        model(app).children_of(node).len()
    };
    stage
        .run_action(Action::Select(Some(leaf)))
        .press_key(Key::Z)
        .wait_until("it is open", move |app| open(app) == moves)
        .press_key(Key::Z)
        .wait_until("it is folded", move |app| open(app) == 0);
}

#[test]
fn a_pill_leads_back_to_the_root() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", othello());
    let pills = |stage: &Harness| {
        let state = stage.frame.dump(&stage.app);
        let controls = state["controls"].as_object().expect("controls").clone();
        controls
            .keys()
            .filter(|name| name.starts_with("pinned "))
            .count()
    };
    assert_eq!(pills(&stage), 0, "the root is in view");
    for _ in 0..3 {
        stage.run_action(Action::MoveSelection(Direction::Down));
    }
    stage.run_action(Action::FitSelected);
    stage.draw_frame();
    assert_eq!(pills(&stage), 4);
    let deepest = stage.app.navigation.selected;
    let before = stage.app.navigation.camera;
    stage.click("pinned 2");
    assert!(stage.app.navigation.is_flying());
    stage.draw_frame();
    let on_the_way = stage.app.navigation.camera;
    stage.draw_frame();
    assert!(!stage.app.navigation.is_flying(), "it has arrived");
    assert!(![before, stage.app.navigation.camera].contains(&on_the_way));
    assert_eq!(
        stage.app.moves_to_selected().map(|moves| moves.len()),
        Some(1)
    );
    stage
        .run_action(Action::Select(deepest))
        .run_action(Action::FitSelected);
    stage.draw_frame();
    stage.click("pinned 1");
    for _ in 0..3 {
        stage.draw_frame();
    }
    assert_eq!(stage.app.navigation.selected, Some(0));
    assert_eq!(pills(&stage), 0);
}

#[test]
fn small_windows_begin_with_the_main_lines_unless_somebody_chose_otherwise() {
    for (window, chosen, expected) in [
        ([1400.0, 880.0], None, false),
        ([880.0, 560.0], None, true),
        ([880.0, 560.0], Some(false), false),
        ([1400.0, 880.0], Some(true), true),
    ] {
        let mut stage = Harness::dark();
        (stage.app.settings.window, stage.app.settings.readable) = (window, chosen);
        stage.show_model("othello.tree", othello());
        assert_eq!(stage.app.document.filter.readable, expected);
        stage.wait_until("the tree is so", |app| (model(app).hidden > 0) == expected);
        assert_eq!(stage.app.settings.readable, chosen, "nobody has chosen");
    }
}

#[test]
fn chess_moves_are_read_in_algebraic_notation() {
    let mut builder = TreeBuilder::default();
    for (move_name, visits, children) in [
        ("", 100, 2),
        ("g1f3", 60, 1),
        ("g8f6", 50, 0),
        ("e2e4", 40, 0),
    ] {
        let row = TreeRow {
            move_name,
            visits,
            mean: 0.5,
            children,
            ..TreeRow::default()
        };
        builder.push(&row).expect("a sound row");
    }
    let meta = Meta {
        game: "chess".to_owned(),
        ..Meta::default()
    };
    let chess = TreeModel::new(ModelSource {
        meta: Some(meta.into()),
        ..ModelSource::of(builder.finish().expect("a whole tree"))
    });
    let mut stage = Harness::dark();
    stage.show_model("chess.tree", chess);
    let texts = labels(&stage);
    for expected in ["root 100 visits", "Nf3 · 60 White wins 50 %", "Nf6 · 50"] {
        assert!(
            texts.iter().any(|text| text == expected),
            "{expected}: {texts:?}"
        );
    }
    let scratch = Scratch::new("algebraic");
    let picture = scratch.0.join("tree.svg");
    stage.run_action(Action::Save(picture.clone(), 1.0));
    let svg = std::fs::read_to_string(&picture).expect("it is saved");
    for expected in [">Nf3</tspan> · 60<", ">White wins 50 %<"] {
        assert!(svg.contains(expected), "{expected}: {svg}");
    }
    stage.run_action(Action::Find("nf6".to_owned()));
    let found = stage.app.moves_to_selected();
    assert_eq!(
        found.as_deref(),
        Some(&["g1f3".to_owned(), "g8f6".to_owned()][..])
    );
}

#[test]
fn labels_stay_where_they_are_while_one_scrolls() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", othello());
    stage.run_action(Action::Zoom(3.0, None));
    let before = labels(&stage);
    stage.run_action(Action::Pan(-7.0, -3.0));
    stage.run_action(Action::Pan(7.0, 3.0));
    assert_eq!(labels(&stage).len(), before.len());
    stage.app.settings.labels = false;
    stage.draw_frame();
    assert!(labels(&stage).is_empty());
}

#[test]
fn pictures_of_main_lines_and_of_the_way_from_the_root() {
    show_readable(Harness::dark()).assert_part("readable-dark", Part::Canvas);
    show_readable(Harness::light()).assert_part("readable-light", Part::Canvas);
    let mut stage = show_readable(Harness::dark());
    for _ in 0..2 {
        stage.run_action(Action::MoveSelection(Direction::Down));
    }
    stage
        .run_action(Action::FitSelected)
        .assert_part("pinned-path", Part::Canvas);
}
