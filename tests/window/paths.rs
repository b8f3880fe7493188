//! Command lines as people type them: relative paths, links, trailing slashes.

use std::fs;

use serde_json::Value;

use crate::{
    grow_tree,
    support::{
        Scratch,
        window::{Display, Window, engine_command},
    },
};

#[test]
fn a_folder_is_followed_whatever_name_it_is_given() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-paths");
    let (trees, aside) = (scratch.0.join("trees"), scratch.0.join("aside"));
    grow_tree(&trees, "--iterations 300");
    grow_tree(&aside, "--iterations 700 --plies 2");
    let sources = canopy_viewer::tree::sequence::list_trees(&aside).expect("a folder");
    std::os::unix::fs::symlink("trees", scratch.0.join("link")).expect("a link can be made");
    let hidden = trees.join(".new.tmp");
    let place = |source: usize| {
        fs::copy(&sources[source], &hidden).expect("a file can be copied");
        fs::rename(&hidden, trees.join("zzz.tree")).expect("a file can be renamed");
    };
    for name in ["trees", "trees/", "link", "aside/../link/"] {
        let window = Window::open_in(&display, &scratch.0, &scratch.0, &[name]);
        window.wait_until(name, |state| state["trees"] == 1 && state["nodes"].is_u64());
        place(0);
        let before = window.wait_until(name, |state| state["file"] == "zzz.tree");
        assert_eq!(before["trees"], 2, "{name}");
        // A tree that grows is replaced, not listed once more.
        place(1);
        let after = window.wait_until(name, |state| state["nodes"] != before["nodes"]);
        assert_eq!((&after["trees"], &after["tree"]), (&2.into(), &2.into()));
        fs::remove_file(trees.join("zzz.tree")).expect("a file can be removed");
        window.wait_until(name, |state| state["trees"] == 1);
        assert!(window.close().success());
    }
}

#[test]
fn a_match_in_a_relative_folder_is_followed_to_its_end() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-relative-match");
    let mut played = engine_command(&["match", "--game", "connect-four", "--games", "1"])
        .args(["--engine", "search=uct", "--engine", "search=lgr2"])
        .args(["--go", "nodes 200", "--pace", "60", "--trees", "m"])
        .current_dir(&scratch.0)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the engine starts");
    let window = Window::open_in(&display, &scratch.0, &scratch.0, &["follow", "m"]);
    let over = window.wait_until("the match is over", |state| state["match"]["over"] == true);
    assert!(played.wait().expect("it ends").success());
    let last = over["match"]["moves"].as_u64().expect("moves are counted");
    let is_whole = |state: &Value| state["trees"] == last && state["tree"] == last;
    window.wait_until("every move has its tree, once", is_whole);
    assert!(window.close().success());
}
