//! Broken files and extreme trees.

use std::{fs, path::Path};

use canopy_engine::tree::{Tree, TreeBuilder, TreeRow, files::Format};
use canopy_viewer::{
    app::{Action, Direction},
    tree::model::{ModelSource, TreeModel},
};

use crate::{stage::Harness, support::Scratch};

impl Harness {
    /// Dispatches navigation, zoom and search actions, with extreme values, and draws after each.
    fn exercise_everything(&mut self) {
        for action in [
            Action::MoveSelection(Direction::Down),
            Action::FitSelected,
            Action::Zoom(50.0, Some((400.0, 300.0))),
            Action::MoveSelection(Direction::Right),
            Action::MoveSelection(Direction::Up),
            Action::CentreOn(1.0, 1.0),
            Action::Click(500.0, 350.0),
            Action::Pan(-300.0, 120.0),
            Action::Zoom(1e-6, None),
            Action::Zoom(1e12, None),
            Action::Find("zz".to_owned()),
            Action::FitTree,
        ] {
            self.app.dispatch(action);
            self.draw_frame();
            self.draw_frame();
        }
    }
}

fn build_tree(rows: impl Iterator<Item = (String, u32)>) -> Tree {
    let mut builder = TreeBuilder::default();
    for (move_name, children) in rows {
        let row = TreeRow {
            move_name: &move_name,
            visits: 1,
            second: 1,
            mean: 0.5,
            children,
            ..TreeRow::default()
        };
        builder.push(&row).expect("a sound row");
    }
    builder.finish().expect("a whole tree")
}

#[test]
fn broken_files_open_as_messages() {
    let scratch = Scratch::new("hostile");
    let good = build_tree(
        [("", 2), ("a", 1), ("b", 0), ("c", 0)]
            .into_iter()
            .map(|(name, children)| (name.to_owned(), children)),
    );
    let mut sound = Vec::new();
    Format::Tree
        .write(&good, &mut sound)
        .expect("written to memory");
    let mut files: Vec<(String, Vec<u8>)> = vec![
        ("empty.tree".to_owned(), Vec::new()),
        ("empty.csv".to_owned(), Vec::new()),
        ("words.tree".to_owned(), b"this is no tree".to_vec()),
        ("words.csv".to_owned(), b"this,is,no,tree\n".to_vec()),
        ("zeros.tree".to_owned(), vec![0xff; 64]),
        ("number.csv".to_owned(), b",many,1,0.5,p1,0\n".to_vec()),
        (
            "short.csv".to_owned(),
            b",1,1,0.5,p1,2\na,1,1,0.5,p2,0\n".to_vec(),
        ),
        (
            "long.csv".to_owned(),
            b",1,1,0.5,p1,0\na,1,1,0.5,p2,0\n".to_vec(),
        ),
        ("mean.csv".to_owned(), b",1,1,nan,p1,0\n".to_vec()),
        ("text.csv".to_owned(), b"\xff\xfe,1,1,0.5,p1,0\n".to_vec()),
    ];
    for length in 1..sound.len() {
        files.push((format!("cut-{length:03}.tree"), sound[..length].to_vec()));
    }
    for (name, bytes) in &files {
        fs::write(scratch.0.join(name), bytes).expect("a file can be written");
    }
    fs::create_dir(scratch.0.join("folder.tree")).expect("a folder can be made");
    let mut stage = Harness::dark();
    stage
        .app
        .dispatch(Action::Open(vec![scratch.0.join("none.tree")]));
    stage.wait_until("a missing file", |app| {
        app.message.as_ref().is_some_and(|message| message.is_error)
    });
    stage.app.dispatch(Action::Open(vec![scratch.0.clone()]));
    stage.wait_until("all are listed", |app| {
        app.document.sequence.len() == files.len() + 1
    });
    for number in 1..=files.len() + 1 {
        stage.app.message = None;
        stage.app.dispatch(Action::JumpToTree(number.to_string()));
        stage.wait_until("each is told of", |app| {
            let name = app
                .document
                .sequence
                .path()
                .and_then(Path::file_name)
                .expect("a file");
            (app.message.as_ref()).is_some_and(|message| {
                message.is_error && message.text.starts_with(&*name.to_string_lossy())
            })
        });
    }
    // A sound file among them still opens, and a broken one beside it is told of.
    let path = scratch.0.join("sound.tree");
    fs::write(path.with_extension("json"), "{").expect("a file can be written");
    fs::write(path.with_extension("growth"), "no journal").expect("a file can be written");
    fs::write(&path, &sound).expect("a file can be written");
    stage.app.dispatch(Action::Open(vec![path]));
    stage.wait_until("it is shown", |app| {
        app.document
            .model
            .as_ref()
            .is_some_and(|model| model.len() == 4)
    });
    assert!(
        stage
            .app
            .message
            .as_ref()
            .is_some_and(|message| message.text.contains("sound.json"))
    );
    stage.exercise_everything();
}

#[test]
fn a_journal_that_does_not_belong_to_the_tree_is_told_of() {
    let scratch = Scratch::new("hostile-journal");
    let path = scratch.0.join("a.tree");
    let one = build_tree([(String::new(), 0)].into_iter());
    let mut bytes = Vec::new();
    Format::Tree
        .write(&one, &mut bytes)
        .expect("written to memory");
    fs::write(&path, bytes).expect("a file can be written");
    let sidecar = r#"{"format":1,"game":"chess","position":"no position","final":true}"#;
    fs::write(path.with_extension("json"), sidecar).expect("a file can be written");
    fs::write(
        path.with_extension("growth"),
        "CANOPYG1 and so on, but not a journal at all",
    )
    .expect("a file can be written");
    let mut stage = Harness::dark();
    stage.app.dispatch(Action::Open(vec![path]));
    stage.wait_until("it is told", |app| {
        (app.message.as_ref()).is_some_and(|message| message.text.contains("a.growth"))
    });
    assert!(stage.app.document.model.is_some());
    for action in [
        Action::Play(true),
        Action::StepIteration(1),
        Action::ShowEnd,
    ] {
        stage.app.dispatch(action);
        stage.draw_frame();
    }
}

#[test]
fn trees_of_the_strangest_shapes_stay_usable() {
    let named = |name: &str, children| (name.to_owned(), children);
    let star = std::iter::once(named("", 300_000)).chain((0..300_000).map(|_| named("m", 0)));
    let chain = (0..1_000_000).map(|depth| named("m", u32::from(depth < 999_999)));
    let comb =
        (0..199_999).map(|row| named("m", if row % 2 == 0 && row < 199_998 { 2 } else { 0 }));
    let long = "long ".repeat(2000);
    let names = std::iter::once(named(&long, 3)).chain((0..3).map(|_| named(&long, 0)));
    let shapes: [(&str, Tree); 5] = [
        ("one node", build_tree([named("", 0)].into_iter())),
        ("a star", build_tree(star)),
        ("a chain", build_tree(chain)),
        ("a comb", build_tree(comb)),
        ("long names", build_tree(names)),
    ];
    for (name, tree) in shapes {
        let mut stage = Harness::dark();
        stage.show_model(name, TreeModel::new(ModelSource::of(tree)));
        stage.exercise_everything();
        let model = stage.app.document.model.clone().expect("it is shown");
        stage.app.dispatch(Action::Select(Some(model.len() - 1)));
        stage.draw_frame();
        stage.app.dispatch(Action::FitSelected);
        stage.exercise_everything();
    }
}

#[test]
fn a_hundred_thousand_files_are_listed_while_the_window_goes_on() {
    let scratch = Scratch::new("hostile-many");
    let one = build_tree([(String::new(), 0)].into_iter());
    let mut bytes = Vec::new();
    Format::Tree
        .write(&one, &mut bytes)
        .expect("written to memory");
    for number in 0..100_000 {
        let path = scratch.0.join(format!("{number:06}.tree"));
        fs::write(path, &bytes).expect("a file can be written");
    }
    let mut stage = Harness::dark();
    stage.app.dispatch(Action::Open(vec![scratch.0.clone()]));
    // Nothing was listed yet when opening came back.
    assert!(stage.app.document.sequence.is_empty());
    stage.wait_until("the last is shown", |app| {
        app.document.sequence.index() == 99_999 && app.document.model.is_some()
    });
    stage.app.dispatch(Action::JumpToTree("50000".to_owned()));
    stage.wait_until("one in the middle", |app| {
        app.document
            .shown_path
            .as_ref()
            .is_some_and(|path| path.ends_with("049999.tree"))
    });
    // What happens in it is seen as in a small one.
    let path = |name: &str| scratch.0.join(name);
    fs::rename(path("000007.tree"), path("000007b.tree")).expect("a file can be renamed");
    fs::remove_file(path("099999.tree")).expect("a file can be removed");
    stage.wait_until("it is seen", |app| {
        app.document.sequence.len() == 99_999
            && app.document.sequence.contains(&path("000007b.tree"))
    });
    assert!(!stage.app.document.sequence.contains(&path("000007.tree")));
}
