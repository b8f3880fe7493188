//! Following what other programs write: new files, running searches, growth journals and matches.

use crate::support::{match_fixture::MatchFixture, window::control_at};

use super::*;

#[test]
fn new_files_are_shown_and_garbage_disturbs_nothing() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-follow");
    let (trees, aside) = (scratch.0.join("trees"), scratch.0.join("aside"));
    grow_tree(&trees, "--iterations 300");
    grow_tree(&aside, "--iterations 700");
    let window = Window::open(&display, &scratch.0, &[path_text(&trees)]);
    let state = window.wait_until("the tree is shown", |state| state["nodes"].is_u64());
    assert!(state["follow"] == true && state["trees"] == 1);

    // A new file is shown, whole; garbage is told of and disturbs nothing.
    let source = fs::read_dir(&aside)
        .expect("a directory")
        .flatten()
        .map(|entry| entry.path());
    let source = source
        .into_iter()
        .find(|path| path.extension().is_some_and(|name| name == "tree"));
    let source = source.expect("a tree");
    let (half, whole) = (trees.join(".half.tmp"), trees.join("zzz.tree"));
    fs::copy(&source, &half).expect("a file can be copied");
    fs::rename(&half, &whole).expect("a file can be renamed");
    let shown = window.wait_until("the new tree is shown", |state| state["file"] == "zzz.tree");
    assert_eq!(shown["tree"], 2);
    fs::write(&whole, "this is no tree").expect("a file can be written");
    let state = window.wait_until("it is told", |state| state["error"] == true);
    assert!(
        state["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("zzz.tree: ")),
        "{state}"
    );
    assert_eq!(state["nodes"], shown["nodes"]);
    fs::remove_file(&whole).expect("a file can be removed");
    fs::copy(&source, &whole).expect("a file can be copied");
    window.wait_until("it is shown again", |state| {
        state["error"].is_null() && state["nodes"] == shown["nodes"]
    });
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn nothing_is_done_while_nothing_happens() {
    with_one_tree("window-idle", |window, _| {
        window.wait_until_idle();
    });
}

#[test]
fn a_running_search_is_followed_and_looked_back_on() {
    with_one_tree("window-live", |window, home| {
        let trees = home.join("trees");
        let options = "--game connect-four --journal --millis 600000 --max-nodes 20000";
        let mut search = grow_command(&trees, options)
            .spawn()
            .expect("the engine starts");
        let is_live =
            |state: &Value| state["live"] == true && as_number(&state["iteration"]) > 100.0;
        let first = window.wait_until("the search is followed", is_live);
        let later = window.wait_until("it has grown", |state| {
            as_number(&state["iteration"]) > 2.0 * as_number(&first["iteration"])
        });
        assert!(as_number(&later["visits"]) == as_number(&later["iteration"]));
        // Looking back while it goes on.
        window.click(control_at(&later, "timeline"));
        let back = window.wait_until("one looks back", |state| {
            state["iteration"].is_u64()
                && as_number(&state["iteration"]) < as_number(&state["iterations"])
        });
        window.wait_until("it goes on", |state| {
            as_number(&state["iterations"]) > as_number(&back["iterations"])
        });
        search.kill().expect("it can be ended");
        search.wait().expect("it ends");
    });
}

#[test]
fn a_search_that_has_ended_leaves_the_tree_of_its_file() {
    with_one_tree("window-ended", |window, home| {
        let trees = home.join("trees");
        grow(&trees, "--game kalah --journal --iterations 300000");
        let is_over = |state: &Value| {
            let is_kalah = state["file"]
                .as_str()
                .is_some_and(|name| name.contains("kalah"));
            is_kalah
                && state["final"] == true
                && state["live"] == false
                && state["iteration"].is_null()
        };
        window.wait_until("the final tree is shown", is_over);
        window.wait_until_idle();
        let state = window.state();
        assert!(is_over(&state) && state["visits"] == 300_000, "{state}");
    });
}

#[test]
fn a_journal_of_a_million_iterations_is_scrubbed() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-journal");
    grow_tree(
        &scratch.0,
        "--iterations 1000000 --journal --max-nodes 50000",
    );
    let window = Window::open(&display, &scratch.0, &[path_text(&scratch.0)]);
    let state = window.wait_until("there is a journal", |state| {
        state["iterations"] == 1_000_000
    });
    assert!(state["iteration"].is_null() && state["visits"] == 1_000_000);
    let at = control_at(&state, "timeline");
    window.click((at.0 - 100.0, at.1));
    let state = window.wait_until("somewhere before the middle", |state| {
        state["iteration"].is_u64() && as_number(&state["iteration"]) < 500_000.0
    });
    let iteration = as_number(&state["iteration"]);
    assert_eq!(as_number(&state["visits"]), iteration);
    window.press_keys(&["period"]);
    let next = window.wait_until("one on", |state| {
        as_number(&state["iteration"]) == iteration + 1.0
    });
    assert_eq!(as_number(&next["visits"]), iteration + 1.0);
    assert!(as_number(&next["way"]) > 1.0);
    assert_eq!(next["left_out"], 0, "at rest nothing is left out");
    window.press_keys(&["comma", "comma"]);
    window.wait_until("two back", |state| {
        as_number(&state["iteration"]) == iteration - 1.0
    });
    // A drag through the whole, then playing from there.
    let from = (at.0 - 150.0, at.1);
    window.drag(from, (at.0 - 350.0, at.1));
    let state = window.wait_until("far back", |state| {
        as_number(&state["iteration"]) < 0.7 * iteration
    });
    let begun = as_number(&state["iteration"]);
    window.press_keys(&["space"]);
    window.wait_until("it grows", |state| {
        state["playing"] == true && as_number(&state["iteration"]) > begun + 10_000.0
    });
    window.press_keys(&["space"]);
    window.wait_until("it rests", |state| {
        state["playing"] == false && state["left_out"] == 0
    });
    window.press_keys(&["End"]);
    window.wait_until("the file again", |state| {
        state["iteration"].is_null() && state["visits"] == 1_000_000
    });
    assert!(window.close().success());
}

#[test]
fn a_match_is_followed_to_its_end() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-match");
    let directory = scratch.0.join("match");
    let arguments = ["follow", path_text(&directory), "--exit"];
    let window = Window::open(&display, &scratch.0, &arguments);
    window.wait_until("the folder is waited for", |state| {
        (state["awaits"].as_str()).is_some_and(|text| text.contains("does not exist yet"))
    });
    let mut fixture = MatchFixture::new(directory.clone(), "connect-four", 2);
    fs::create_dir(&directory).expect("it can be made");
    for _ in 0..2 {
        fixture.begin_game();
        for (count, mv) in ["4", "4", "3", "5"].into_iter().enumerate() {
            let tree = fixture.write_tree(&[(mv, 30), ("1", 10)]);
            fixture.play(mv);
            let name = tree.file_name().expect("a name").to_string_lossy();
            let state = window.wait_until("the move and its tree are shown", |state| {
                let told = &state["match"];
                state["file"] == *name
                    && told["moves"] == count + 1
                    && told["number"] == fixture.meta.number
            });
            assert_eq!(state["match"]["last"], mv);
            assert_eq!(state["match"]["position"], fixture.position());
            assert_eq!(state["board"], "now");
        }
        if fixture.meta.number == 1 {
            fixture.end_game(None, "agreed");
            let state = window.wait_until("the game is over", |state| {
                state["match"]["result"] == "draw"
            });
            assert_eq!(state["match"]["to_move"], "Draw (agreed)");
        }
    }

    // Back to the search for an earlier move, and to the game again.
    window.press("move 2");
    window.wait_until("an earlier tree is shown", |state| {
        state["file"] == "000006.tree" && state["board"] == "tree" && state["follow"] == false
    });
    window.press("now");
    window.wait_until("the game is shown again", |state| {
        state["file"] == "000008.tree" && state["board"] == "now"
    });
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    fixture.end_game(Some(1), "time");
    assert!(window.wait_for_exit().success());
    let settings = fs::read_to_string(scratch.0.join("canopy/viewer.json")).expect("settings");
    let settings: Value = serde_json::from_str(&settings).expect("JSON");
    assert!(
        settings["recent"][0]
            .as_str()
            .is_some_and(|path| path.ends_with("match"))
    );
}

#[test]
fn a_match_that_is_over_stays_in_sight() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-over");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "othello", 1);
    fixture.begin_game();
    fixture.write_tree(&[("f5", 30)]);
    fixture.play("f5");
    fixture.end_game(Some(0), "time");
    let window = Window::open(&display, &scratch.0, &[path_text(&scratch.0)]);
    // The tree and how the match stands are read by two threads.
    let state = window.wait_until("the end is shown", |state| {
        state["nodes"].is_u64() && state["match"]["over"] == true
    });
    let told = &state["match"];
    assert_eq!(told["verdict"], "uct wins the match");
    assert_eq!(told["to_move"], "Black wins (time)");
    assert!(window.close().success());
}

#[test]
fn a_file_is_no_match() {
    let scratch = Scratch::new("window-file");
    let file = scratch.0.join("a.tree");
    fs::write(&file, "").expect("a file can be written");
    let output = Command::new(viewer())
        .args(["follow", path_text(&file)])
        .output()
        .expect("the viewer runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("expected the folder of a match"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
