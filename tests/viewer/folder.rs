//! Following a folder: the list of trees is the folder's content, whatever happens there.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
};

use canopy_engine::tree::{Tree, TreeBuilder, TreeRow, files::Format};
use canopy_viewer::{
    app::{Action, App},
    tree::sequence,
    workers::watch::EventSource,
};

use crate::{
    stage::Harness,
    support::{Scratch, match_fixture::write_file},
};

/// The bytes of a tree file with `moves` root moves.
fn tree_bytes(moves: u32) -> Vec<u8> {
    let mut builder = TreeBuilder::default();
    for row in 0..=moves {
        let row = TreeRow {
            move_name: if row == 0 { "" } else { "m" },
            visits: 1,
            second: 1,
            mean: 0.5,
            children: if row == 0 { moves } else { 0 },
            ..TreeRow::default()
        };
        builder.push(&row).expect("a sound row");
    }
    let tree: Tree = builder.finish().expect("a whole tree");
    let mut bytes = Vec::new();
    let written = Format::Tree.write(&tree, &mut bytes);
    written.expect("written to memory");
    bytes
}

/// The listed trees, in order.
fn listed_paths(app: &App) -> Vec<PathBuf> {
    app.document.sequence.paths().to_vec()
}

fn has_message(app: &App, text: &str) -> bool {
    let message = app.message.as_ref();
    message.is_some_and(|message| message.text.contains(text))
}

fn is_showing(app: &App, path: &Path) -> bool {
    app.document.shown_path.as_deref() == Some(path) && app.document.model.is_some()
}

/// A harness that has opened a folder and watches it by `source`.
fn open_folder(folder: &Path, source: EventSource) -> Harness {
    let mut stage = Harness::dark();
    stage.app.folder.event_source = source;
    stage.run_action(Action::Open(vec![folder.to_owned()]));
    let path = folder.display().to_string();
    stage.wait_until("it is watched", |app| {
        app.dump()["directory"] == *path && app.dump()["listed"] == true
    });
    stage
}

fn wait_until_listed(stage: &mut Harness, folder: &Path) {
    stage.wait_until("the list is what lies in the folder", |app| {
        sequence::list_trees(folder).is_ok_and(|found| listed_paths(app) == found)
    });
}

/// Renames one of eleven trees `times` times. The list in between may be anything; at the end it is the folder's content.
fn rename_many_times(times: u32) {
    let scratch = Scratch::new(&format!("folder-rename-{times}"));
    for number in 0..10 {
        write_file(&scratch.0.join(format!("a{number}.tree")), tree_bytes(1));
    }
    let mut from = scratch.0.join("x.tree");
    write_file(&from, tree_bytes(2));
    let mut stage = open_folder(&scratch.0, EventSource::System);
    assert_eq!(stage.app.document.sequence.len(), 11);
    for number in 0..times {
        let to = scratch.0.join(format!("y{number:06}.tree"));
        fs::rename(&from, &to).expect("a file can be renamed");
        from = to;
        if number % 1000 == 0 {
            stage.draw_frame();
        }
    }
    wait_until_listed(&mut stage, &scratch.0);
    assert_eq!(stage.app.document.sequence.len(), 11);
    // And back to a name that was there before.
    fs::rename(&from, scratch.0.join("x.tree")).expect("a file can be renamed");
    wait_until_listed(&mut stage, &scratch.0);
}

#[test]
fn a_tree_that_is_renamed_leaves_no_ghosts() {
    rename_many_times(10);
    rename_many_times(3000);
}

#[test]
#[ignore = "a hundred thousand renames"]
fn a_tree_that_is_renamed_a_hundred_thousand_times_leaves_no_ghosts() {
    rename_many_times(100_000);
}

#[test]
fn a_folder_that_is_removed_and_made_again_is_followed() {
    let scratch = Scratch::new("folder-again");
    let folder = scratch.0.join("trees");
    let make = |names: &[&str]| {
        fs::create_dir(&folder).expect("it can be made");
        for name in names {
            write_file(&folder.join(name), tree_bytes(3));
        }
    };
    make(&["a.tree", "b.tree"]);
    let mut stage = open_folder(&folder, EventSource::System);
    wait_until_listed(&mut stage, &folder);
    fs::remove_dir_all(&folder).expect("it can be removed");
    stage.wait_until("it is told", |app| {
        app.document.sequence.is_empty() && has_message(app, "is gone; it is followed again")
    });
    assert!(stage.app.document.model.is_some(), "what is shown stays");
    make(&["b.tree", "c.tree"]);
    wait_until_listed(&mut stage, &folder);
    // At once, so that nobody sees that it was gone; and moved away, which is told of differently.
    fs::remove_dir_all(&folder).expect("it can be removed");
    make(&["d.tree"]);
    wait_until_listed(&mut stage, &folder);
    fs::rename(&folder, scratch.0.join("elsewhere")).expect("it can be renamed");
    make(&["e.tree", "f.tree"]);
    wait_until_listed(&mut stage, &folder);
    write_file(&folder.join("g.tree"), tree_bytes(4));
    stage.wait_until("it is followed", |app| {
        is_showing(app, &folder.join("g.tree"))
    });
    // Somebody moves what is above it.
    let above = scratch.0.join("trees/deep/er");
    fs::create_dir_all(&above).expect("it can be made");
    let mut stage = open_folder(&above, EventSource::System);
    fs::rename(scratch.0.join("trees"), scratch.0.join("gone")).expect("it can be renamed");
    stage.wait_until("it is told", |app| has_message(app, "is gone"));
}

#[test]
fn where_the_system_does_not_tell_the_list_is_right_all_the_same() {
    let scratch = Scratch::new("folder-refused");
    for name in ["a.tree", "b.tree"] {
        write_file(&scratch.0.join(name), tree_bytes(3));
    }
    let mut stage = open_folder(&scratch.0, EventSource::Refused);
    stage.wait_until("it is told", |app| {
        let watching = app.folder.status().unwrap_or_default();
        watching.contains("every half second") && watching.contains("does not tell")
    });
    fs::remove_file(scratch.0.join("a.tree")).expect("it can be removed");
    wait_until_listed(&mut stage, &scratch.0);
    fs::rename(scratch.0.join("b.tree"), scratch.0.join("c.tree")).expect("it can be renamed");
    wait_until_listed(&mut stage, &scratch.0);
    write_file(&scratch.0.join("c.tree"), tree_bytes(5));
    stage.wait_until("new contents are shown", |app| {
        app.document
            .model
            .as_ref()
            .is_some_and(|model| model.len() == 6)
    });
    fs::remove_dir_all(&scratch.0).expect("it can be removed");
    stage.wait_until("nothing is there", |app| app.document.sequence.is_empty());
    assert!(stage.app.folder.is_polling());
}

/// Only Linux tells which files are open for writing.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_incomplete_and_still_open_is_waited_for() {
    let scratch = Scratch::new("folder-open");
    let (whole, slow) = (scratch.0.join("a.tree"), scratch.0.join("b.tree"));
    write_file(&whole, tree_bytes(3));
    let mut stage = open_folder(&scratch.0, EventSource::System);
    stage.wait_until("it is shown", |app| is_showing(app, &whole));
    let bytes = tree_bytes(200);
    let (begin, end) = bytes.split_at(bytes.len() / 2);
    let mut file = File::create(&slow).expect("it can be made");
    file.write_all(begin).expect("it can be written");
    stage.wait_until("it is waited for", |app| {
        has_message(app, "waiting for b.tree")
    });
    stage.draw_frame();
    let message = stage.app.message.clone().expect("it is still said");
    assert!(!message.is_error && is_showing(&stage.app, &whole));
    file.write_all(end).expect("it can be written");
    drop(file);
    stage.wait_until("it is shown", |app| {
        is_showing(app, &slow) && app.message.is_none()
    });

    // One that was named, in a folder that nobody watches.
    let mut file = File::create(&slow).expect("it can be made");
    file.write_all(begin).expect("it can be written");
    stage.run_action(Action::Open(vec![slow.clone()]));
    stage.wait_until("it is waited for", |app| {
        has_message(app, "waiting for b.tree")
    });
    file.write_all(end).expect("it can be written");
    drop(file);
    stage.wait_until("it is shown", |app| is_showing(app, &slow));

    // Who wrote it has gone, and it is not whole.
    let file = File::create(&slow).expect("it can be made");
    let mut stage = open_folder(&scratch.0, EventSource::System);
    stage.wait_until("it is waited for", |app| {
        has_message(app, "waiting for b.tree")
    });
    drop(file);
    stage.wait_until("it is told", |app| {
        has_message(app, "b.tree: ") && app.message.as_ref().is_some_and(|it| it.is_error)
    });
}

#[test]
fn a_file_that_cannot_be_opened_leaves_everything_as_it_is() {
    let scratch = Scratch::new("folder-bad");
    let (good, bad) = (scratch.0.join("good.tree"), scratch.0.join("bad.tree"));
    write_file(&good, tree_bytes(3));
    write_file(&bad, "this is no tree");
    let mut stage = open_folder(&scratch.0, EventSource::System);
    stage.run_action(Action::JumpToTree("2".to_owned()));
    stage.wait_until("it is shown", |app| is_showing(app, &good));
    let device = PathBuf::from("/dev/null");
    for path in [
        bad,
        scratch.0.join("none.tree"),
        scratch.0.join("none"),
        device,
    ] {
        stage.app.message = None;
        stage.run_action(Action::Open(vec![path.clone()]));
        let name = path.display().to_string();
        stage.wait_until("it is told", |app| has_message(app, &name));
        assert!(is_showing(&stage.app, &good) && stage.app.dump()["listed"] == true);
        assert_eq!(stage.app.document.sequence.len(), 2);
    }
    let folder = scratch.0.canonicalize().expect("it is there");
    assert_eq!(stage.app.settings.recent, [folder]);
}

#[test]
fn of_several_files_those_open_that_can() {
    let scratch = Scratch::new("folder-several");
    let path = |name: &str| scratch.0.join(name);
    for name in ["a.tree", "b.tree"] {
        write_file(&path(name), tree_bytes(3));
    }
    write_file(&path("bad.tree"), "this is no tree");
    let mut stage = Harness::dark();
    let named = ["none.tree", "bad.tree", "b.tree", "nor.tree", "a.tree"].map(path);
    stage.run_action(Action::Open(named.to_vec()));
    stage.wait_until("one is shown", |app| is_showing(app, &path("b.tree")));
    assert_eq!(listed_paths(&stage.app), [path("b.tree"), path("a.tree")]);
    for name in ["none.tree", "bad.tree", "nor.tree"] {
        assert!(has_message(&stage.app, name), "{:?}", stage.app.message);
    }
    stage.run_action(Action::StepTree(1));
    stage.wait_until("the other is shown", |app| is_showing(app, &path("a.tree")));
    // One of them goes bad: what is shown stays.
    write_file(&path("b.tree"), "no more");
    let mut stage = Harness::dark();
    stage.run_action(Action::Open(vec![path("a.tree"), path("b.tree")]));
    stage.wait_until("one is shown", |app| is_showing(app, &path("a.tree")));
    stage.run_action(Action::StepTree(1));
    stage.wait_until("it is told", |app| has_message(app, "b.tree: "));
    assert!(is_showing(&stage.app, &path("a.tree")));
}
