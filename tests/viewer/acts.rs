//! User actions, without a window.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use canopy_engine::tree::{
    Tree, TreeBuilder, TreeRow,
    files::{self, Format},
    meta::Meta,
};
use canopy_viewer::{
    app::{Action, App, CopyTarget, Direction},
    tree::model::{ModelSource, TreeModel},
    ui::input::idle_input,
};

use crate::{stage::Harness, support::Scratch};

fn build_tree(rows: &[(&str, i32, u32)]) -> Tree {
    let mut builder = TreeBuilder::default();
    for &(move_name, visits, children) in rows {
        let row = TreeRow {
            move_name,
            state: "p1",
            visits,
            second: visits,
            mean: 0.25,
            children,
        };
        builder.push(&row).expect("a sound row");
    }
    builder.finish().expect("a whole tree")
}

fn sample_tree() -> Tree {
    build_tree(&[
        ("", 9, 2),
        ("left", 4, 2),
        ("up", 1, 0),
        ("down", 2, 0),
        ("right", 5, 1),
        ("down", 3, 0),
    ])
}

fn app_with_sample() -> App {
    let mut app = Harness::dark().app;
    app.show_single_tree(
        Path::new("sample.tree"),
        Arc::new(TreeModel::new(ModelSource::of(sample_tree()))),
    );
    app
}

fn selected_move(app: &App) -> String {
    app.moves_to_selected().unwrap_or_default().join(" ")
}

#[test]
fn walking_goes_to_children_siblings_and_back() {
    let mut app = app_with_sample();
    app.dispatch(Action::MoveSelection(Direction::Down));
    assert_eq!(selected_move(&app), "right", "the most visited");
    app.dispatch(Action::MoveSelection(Direction::Left));
    assert_eq!(selected_move(&app), "left");
    app.dispatch(Action::MoveSelection(Direction::Left));
    assert_eq!(selected_move(&app), "left", "there is no other");
    app.dispatch(Action::MoveSelection(Direction::Down));
    assert_eq!(selected_move(&app), "left down");
    app.dispatch(Action::StepHistory(-1));
    assert_eq!(selected_move(&app), "left");
    app.dispatch(Action::StepHistory(-1));
    assert_eq!(selected_move(&app), "right");
    app.dispatch(Action::StepHistory(1));
    assert_eq!(selected_move(&app), "left");
    app.dispatch(Action::MoveSelection(Direction::Up));
    assert_eq!(selected_move(&app), "");
}

#[test]
fn finding_walks_through_all_that_fits() {
    let mut app = app_with_sample();
    let mut found = Vec::new();
    for _ in 0..3 {
        app.dispatch(Action::Find("DOWN".to_owned()));
        found.push(selected_move(&app));
    }
    assert_eq!(found, ["left down", "right down", "left down"]);
    app.dispatch(Action::Find("sideways".to_owned()));
    assert!(app.message.as_ref().is_some_and(|message| message.is_error));
}

#[test]
fn copies_are_what_they_say() {
    let mut app = app_with_sample();
    app.dispatch(Action::MoveSelection(Direction::Down));
    app.dispatch(Action::MoveSelection(Direction::Down));
    app.dispatch(Action::Copy(CopyTarget::MovesToNode));
    assert_eq!(app.clipboard_text.take().as_deref(), Some("right down"));
    app.dispatch(Action::Copy(CopyTarget::Statistics));
    let figures = app.clipboard_text.take().unwrap_or_default();
    assert_eq!(
        figures,
        "node 6 move down visits 3 second 3 mean for Player 1 0.25 state p1"
    );
    app.dispatch(Action::Copy(CopyTarget::Position));
    assert!(
        app.clipboard_text.is_none()
            && app.message.as_ref().is_some_and(|message| message.is_error)
    );
}

/// When a tree is replaced by a larger one, selection and folded subtrees are kept by their paths.
#[test]
fn a_tree_that_grows_keeps_what_is_selected() {
    let scratch = Scratch::new("acts-grows");
    let path = scratch.0.join("a.tree");
    let write = |tree: &Tree| {
        let mut bytes = Vec::new();
        Format::Tree
            .write(tree, &mut bytes)
            .expect("written to memory");
        let whole = scratch.0.join(".a.tmp");
        fs::write(&whole, bytes).expect("a file can be written");
        fs::rename(whole, &path).expect("a file can be renamed");
    };
    write(&sample_tree());
    let mut stage = Harness::dark();
    stage.app.dispatch(Action::Open(vec![scratch.0.clone()]));
    stage.wait_until("it is so", |app| app.document.model.is_some());
    stage.wait_until("the folder is watched", |app| app.dump()["listed"] == true);
    stage.app.dispatch(Action::Find("right".to_owned()));
    assert_eq!(selected_move(&stage.app), "right");
    write(&build_tree(&[
        ("", 20, 3),
        ("new", 5, 0),
        ("left", 6, 0),
        ("right", 9, 1),
        ("down", 8, 0),
    ]));
    stage.wait_until("it is so", |app| {
        app.document
            .model
            .as_ref()
            .is_some_and(|model| model.len() == 5)
    });
    assert_eq!(selected_move(&stage.app), "right");
    stage.app.dispatch(Action::ToggleCollapsed);
    stage.wait_until("it is so", |app| {
        app.document
            .model
            .as_ref()
            .is_some_and(|model| model.hidden == 1)
    });
    assert_eq!(selected_move(&stage.app), "right");
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("nobody asks".to_owned())
    }
}

#[test]
fn files_that_are_dropped_are_opened_together() {
    let scratch = Scratch::new("acts-drop");
    let mut input = idle_input(800.0, 600.0, 1.0);
    for name in ["b.tree", "a.csv"] {
        let path = scratch.0.join(name);
        let mut bytes = Vec::new();
        let format = Format::from_path(&path).expect("a format");
        format
            .write(&sample_tree(), &mut bytes)
            .expect("written to memory");
        fs::write(&path, bytes).expect("a file can be written");
        input.dropped_files.push(Arc::new(Dropped(path)));
    }
    let mut stage = Harness::dark();
    stage.frame.draw(&mut stage.app, input, (800, 600));
    stage.wait_until("it is so", |app| {
        app.document.sequence.len() == 2 && app.document.model.is_some()
    });
    assert!(
        stage
            .app
            .document
            .shown_path
            .as_ref()
            .is_some_and(|path| path.ends_with("b.tree"))
    );
    stage.app.dispatch(Action::StepTree(1));
    stage.wait_until("it is so", |app| {
        app.document
            .shown_path
            .as_ref()
            .is_some_and(|path| path.ends_with("a.csv"))
    });
    stage.app.dispatch(Action::StepTree(1));
    assert_eq!(stage.app.document.sequence.index(), 1, "there is no other");
}

/// Report 000's second acceptance test: a tree is read, saved as .csv, .tree and picture; the saved trees are read again and
/// give the same picture. The trees are third-party files without a sidecar.
#[test]
fn a_tree_that_was_saved_gives_the_same_picture() {
    let scratch = Scratch::new("same-picture");
    let sums_up = ",100,40,0.5,,2\nx,60,30,0.25,,0\ny,40,10,0.875,,1\nz,39,9,0.5,,0\n";
    let moved_on = "e4,107,0,0.25,,2\nx,60,0,0.25,,0\ny,40,0,0.875,,0\n";
    let negative = ",0,0,0,,2\nx,60,5,-0.25,,0\ny,40,5,7.5,,0\n";
    let classical = ",3,4,4.5,root,3\nx,3,4,4.5,bb,0\ny,0,0,0,,0\nz,9,9,1,,0\n";
    for (index, text) in [sums_up, moved_on, negative, classical].iter().enumerate() {
        let path = |name: &str| scratch.0.join(format!("{index}-{name}"));
        fs::write(path("original.csv"), text).expect("a file can be written");
        for measure in ["visits", "second", "mean"] {
            let picture = |name: &str| -> Vec<u8> {
                let document = files::read(&path(name), None).expect("a tree");
                let mut stage = Harness::dark();
                stage.app.settings.measure = measure.to_owned();
                stage.app.settings.by_size = true;
                stage.show_model(name, TreeModel::new(document));
                let drawn = path(&format!("{name}-{measure}.png"));
                stage.run_action(Action::Save(drawn.clone(), 1.0));
                for saved in ["saved.csv", "saved.tree"] {
                    if name == "original.csv" {
                        stage.run_action(Action::Save(path(saved), 1.0));
                    }
                }
                fs::read(drawn).expect("a picture")
            };
            let original = picture("original.csv");
            for name in ["saved.csv", "saved.tree"] {
                assert!(picture(name) == original, "tree {index}: {name}, {measure}");
            }
        }
    }
}

/// Saving loses nothing: errors are shown while the prompt is open, a file is replaced only after a second confirmation, and
/// the sidecar is saved too.
#[test]
fn a_tree_is_saved_with_care() {
    let scratch = Scratch::new("saved-with-care");
    let mut stage = Harness::dark();
    let meta = Meta {
        game: "connect-four".to_owned(),
        position: "startpos".to_owned(),
        search: "uct".to_owned(),
        extra: Some("gone.extra".to_owned()),
        ..Meta::default()
    };
    let source = ModelSource {
        meta: Some(Arc::new(meta)),
        ..ModelSource::of(build_tree(&[("", 9, 1), ("4", 8, 0)]))
    };
    let model = Arc::new(TreeModel::new(source));
    stage.app.show_single_tree(Path::new("sample.tree"), model);
    let path = |name: &str| scratch.0.join(name).display().to_string();
    let is_asking = |stage: &Harness| {
        let state = stage.frame.dump(&stage.app);
        state["controls"]["dialog yes"] != serde_json::Value::Null
    };
    stage.click("save");
    for wrong in ["tree.doc", "tree", "nowhere/a.tree"] {
        stage
            .fill_field("dialog path", &path(wrong))
            .click("dialog yes");
        stage.draw_frame();
        assert!(is_asking(&stage), "{wrong}");
    }
    fs::write(scratch.0.join("a.tree"), "precious").expect("a file can be written");
    stage
        .fill_field("dialog path", &path("a.tree"))
        .click("dialog yes");
    stage.draw_frame();
    assert!(is_asking(&stage));
    let before = fs::read_to_string(scratch.0.join("a.tree")).expect("it is still there");
    assert_eq!(before, "precious");
    stage.click("dialog yes");
    stage.draw_frame();
    assert!(!is_asking(&stage));
    let saved = files::read(&scratch.0.join("a.tree"), None).expect("a tree with its sidecar");
    let meta = saved.meta.expect("what is known of the search");
    assert_eq!(
        (meta.root.visits, meta.search.as_str(), meta.extra),
        (9, "uct", None)
    );
    assert_eq!(saved.tree.nodes().len(), 2);
}
