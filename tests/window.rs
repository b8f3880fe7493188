//! A real window on a virtual display: trees, navigation, the clipboard, the demo.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use canopy_engine::tree::{files, meta};
use serde_json::Value;
use support::{
    Scratch,
    match_fixture::MatchFixture,
    untested,
    window::{Display, Window, control_at, engine, engine_command, viewer},
};

#[path = "window/killed.rs"]
mod killed;
#[cfg(unix)]
#[path = "window/paths.rs"]
mod paths;
mod support;

fn path_text(path: &Path) -> &str {
    path.to_str().expect("temporary names are plain")
}

fn as_number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// The visible nodes: rows and centres in the window.
fn node_places(state: &Value) -> Vec<(u64, (f64, f64))> {
    let places = state["places"].as_array().expect("there are places");
    let place = |place: &Value| {
        let row = place[0].as_u64().expect("a row");
        (row, (as_number(&place[1]), as_number(&place[2])))
    };
    places.iter().map(place).collect()
}

/// Centre of the tree's canvas.
fn canvas_centre(state: &Value) -> (f64, f64) {
    let part = |index: usize| {
        as_number(&state["canvas_at"][index]) + as_number(&state["canvas"][index]) / 2.0
    };
    (part(0), part(1))
}

/// Presses a key that opens a text field, waits for the field, and replaces its text.
fn enter_text(window: &Window<'_>, key: &str, text: &str) {
    window.press_keys(&[key]);
    window.wait_until("there is a field", |state| state["typing"] == true);
    window.press_keys(&["ctrl+a"]);
    window.type_text(text);
    window.press_keys(&["Return"]);
    window.wait_until("the field is left", |state| state["typing"] == false);
}

fn save_picture(window: &Window<'_>, path: &Path) {
    enter_text(window, "ctrl+s", path_text(path));
    window.wait_until("it is saved", |state| {
        let message = state["message"].as_str().unwrap_or_default();
        message.starts_with("saved") && message.contains(path_text(path)) && path.exists()
    });
}

pub(crate) fn grow_tree(directory: &Path, more: &[&str]) {
    let mut arguments = vec![
        "grow",
        "--game",
        "connect-four",
        "--out",
        path_text(directory),
    ];
    arguments.extend(more);
    engine(&arguments);
}

/// Text is copied to and pasted from another program.
#[test]
fn texts_go_through_the_system_clipboard() {
    let Some(display) = Display::start() else {
        return;
    };
    let xclip = |arguments: &[&str]| {
        let mut command = Command::new("xclip");
        command.args(["-selection", "clipboard"]).args(arguments);
        command.env("DISPLAY", display.name());
        command
    };
    if xclip(&["-version"]).output().is_err() {
        return untested("xclip is not installed");
    }
    let scratch = Scratch::new("clipboard");
    let trees = scratch.0.join("trees");
    grow_tree(&trees, &["--iterations", "200"]);
    let window = Window::open(&display, &scratch.0, &[path_text(&trees)]);
    window.wait_until("a tree is shown", |state| state["nodes"].is_number());
    window.press_keys(&["c"]);
    window.wait_until("it is copied", |state| {
        state["message"]
            .as_str()
            .is_some_and(|text| text.starts_with("copied the position"))
    });
    let tree = fs::read_dir(&trees).expect("there are trees").flatten();
    let sidecar = (tree.map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|name| name == "json"))
        .expect("the tree has a sidecar");
    let sidecar = fs::File::open(sidecar).expect("it can be read");
    let position = meta::read(sidecar).expect("it is sound").position;
    let output = xclip(&["-o"]).output().expect("xclip runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), position);
    let saved = scratch.0.join("pasted.csv");
    let file = scratch.0.join("text");
    fs::write(&file, path_text(&saved)).expect("a file can be written");
    let given = xclip(&["-i", path_text(&file)]).status();
    assert!(given.expect("xclip runs").success());
    window.press_keys(&["ctrl+s"]);
    window.wait_until("there is a field", |state| state["typing"] == true);
    window.press_keys(&["ctrl+a", "ctrl+v", "Return"]);
    window.wait_until("what was pasted names the file", |_| saved.exists());
    window.close();
}

/// A window that shows the tree of one short search.
fn open_one_tree<'a>(display: &'a Display, scratch: &Scratch) -> Window<'a> {
    let trees = scratch.0.join("trees");
    grow_tree(&trees, &["--iterations", "3000"]);
    let window = Window::open(display, &scratch.0, &[path_text(&trees)]);
    window.wait_until("a tree is shown", |state| state["nodes"].is_u64());
    window.wait_for_frame();
    window
}

#[test]
fn a_directory_is_opened_and_stepped_through() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-steps");
    let trees = scratch.0.join("trees");
    grow_tree(&trees, &["--iterations", "500", "--plies", "3"]);
    grow_tree(&trees, &["--iterations", "500", "--format", "csv"]);

    // From the start screen to the last of four trees.
    let window = Window::open(&display, &scratch.0, &[]);
    let state = window.wait_until("there is a start screen", |state| state["trees"] == 0);
    assert!(state["file"].is_null() && state["controls"]["back"]["on"] == false);
    enter_text(&window, "ctrl+o", path_text(&trees));
    let state = window.wait_until("the last tree is shown", |state| {
        state["tree"] == 4 && state["controls"]["back"]["on"] == true
    });
    assert_eq!(state["trees"], 4);
    assert!(
        state["file"]
            .as_str()
            .is_some_and(|name| name.ends_with(".csv"))
    );
    assert!(state["controls"]["next"]["on"] == false && state["controls"]["back"]["on"] == true);

    // Stepping, with the keys and the buttons; they are off at the ends.
    window.press_keys(&["Left", "Left"]);
    window.wait_until("two back", |state| {
        state["tree"] == 2 && state["nodes"].is_u64()
    });
    window.press("back");
    window.wait_until("at the first", |state| {
        let is_on = |control: &str| state["controls"][control]["on"] == true;
        state["tree"] == 1 && !is_on("back") && is_on("next")
    });
    window.press_keys(&["Left"]);
    assert_eq!(window.state()["tree"], 1);
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn a_tree_is_chosen_by_its_number() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-jump");
    let trees = scratch.0.join("trees");
    grow_tree(&trees, &["--iterations", "500", "--plies", "4"]);
    let window = Window::open(&display, &scratch.0, &[path_text(&trees)]);
    window.wait_until("a tree is shown", |state| state["nodes"].is_u64());
    enter_text(&window, "g", "3");
    window.wait_until("the third is shown", |state| {
        state["tree"] == 3
            && state["file"]
                .as_str()
                .is_some_and(|name| name.contains("000003"))
    });
    enter_text(&window, "g", "99");
    let state = window.wait_until("it is told", |state| state["error"] == true);
    assert_eq!(state["message"], "Invalid tree number! Expected 1 to 4.");
    assert_eq!(state["tree"], 3);
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn nodes_are_hit_at_three_zooms() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-hit");
    let window = open_one_tree(&display, &scratch);
    for zoom in 0..3 {
        window.press_keys(&["Escape", "Home"]);
        let state = window.wait_until("all is in sight", |state| as_number(&state["zoom"]) == 1.0);
        let (_, root) = node_places(&state)[0];
        if zoom > 0 {
            window.wheel(root, 4 * zoom);
            window.wait_until("it is larger", |state| as_number(&state["zoom"]) > 1.5);
        }
        // The wheel turns on for a few frames.
        let state = window.wait_until_stable("the camera", |state| state["camera"].clone());
        let (left, top) = (
            as_number(&state["canvas_at"][0]),
            as_number(&state["canvas_at"][1]),
        );
        let right = left + as_number(&state["canvas"][0]);
        let on_canvas = |&(_, (x, y)): &(u64, (f64, f64))| {
            x > left + 20.0 && x < right - 20.0 && y > top + 60.0
        };
        let clicked: Vec<_> = node_places(&state)
            .into_iter()
            .filter(on_canvas)
            .take(3)
            .collect();
        assert!(!clicked.is_empty(), "{state:#}");
        for (row, at) in clicked {
            window.click(at);
            window.wait_until("the node is selected", |state| state["selected"] == row);
        }
    }
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn the_selection_walks_goes_back_and_folds() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-walk");
    let window = open_one_tree(&display, &scratch);
    window.press_keys(&["Home"]);
    window.press_keys(&["k"; 12]);
    window.wait_until("at the root", |state| state["selected"] == 1);
    window.press_keys(&["shift+Down"]);
    let child = window.wait_until("at a child", |state| {
        state["moves"]
            .as_array()
            .is_some_and(|moves| moves.len() == 1)
    });
    window.press_keys(&["j"]);
    window.wait_until("at its child", |state| {
        state["moves"]
            .as_array()
            .is_some_and(|moves| moves.len() == 2)
    });
    window.press_keys(&["bracketleft"]);
    window.wait_until("back", |state| state["selected"] == child["selected"]);
    window.press_keys(&["space"]);
    let folded = window.wait_until("it is folded", |state| as_number(&state["hidden"]) > 0.0);
    assert_eq!(folded["selected"], child["selected"]);
    window.press_keys(&["space"]);
    window.wait_until("it is unfolded", |state| state["hidden"] == 0);
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn a_tree_is_dragged_and_reset() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-drag");
    let window = open_one_tree(&display, &scratch);
    window.press_keys(&["Home"]);
    let before = window.wait_until("all is in sight", |state| as_number(&state["zoom"]) == 1.0);
    let at = canvas_centre(&before);
    window.drag((at.0, at.1 + 100.0), (at.0 + 120.0, at.1 + 60.0));
    window.wait_until("it has moved", |state| {
        as_number(&state["camera"][0]) < as_number(&before["camera"][0])
    });
    window.press_keys(&["Home"]);
    window.wait_until("it is back", |state| state["camera"] == before["camera"]);
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn colours_size_and_recent_folders_are_remembered() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-settings");
    let window = open_one_tree(&display, &scratch);
    window.press("green and red");
    window.wait_until("report 000's colours", |state| {
        state["colours"] == serde_json::json!([[255, 0, 0], [0, 255, 0]])
    });
    window.press("colour by mean");
    window.wait_until("by mean", |state| state["measure"] == "mean");
    window.press_keys(&["t"]);
    window.wait_until("the other theme", |state| state["theme"] == "light");

    window.resize(1000, 700);
    window.wait_until("it is smaller", |state| {
        as_number(&state["canvas"][0]) < 600.0
    });
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
    let settings = fs::read_to_string(scratch.0.join("canopy/viewer.json")).expect("settings");
    let settings: Value = serde_json::from_str(&settings).expect("JSON");
    assert!(settings["dark"] == false && settings["measure"] == "mean");
    assert_eq!(settings["window"][0], 1000.0);
    assert!(
        settings["recent"][0]
            .as_str()
            .is_some_and(|path| path.ends_with("trees"))
    );
}

#[test]
fn a_tree_is_saved_in_every_format_and_read_back() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-save");
    let window = open_one_tree(&display, &scratch);
    let saved = scratch.0.join("saved");
    fs::create_dir_all(&saved).expect("a directory can be made");
    let state = window.state();
    for name in ["a.csv", "a.tree"] {
        let path = saved.join(name);
        save_picture(&window, &path);
        let document = files::read(&path, None).expect("what was saved is a tree");
        assert_eq!(Value::from(document.tree.nodes().len()), state["nodes"]);
    }
    for name in ["a.png", "a.svg"] {
        save_picture(&window, &saved.join(name));
    }
    let png = tiny_skia::Pixmap::load_png(saved.join("a.png")).expect("a picture");
    assert_eq!(f64::from(png.width()), as_number(&state["canvas"][0]));
    let svg = fs::read_to_string(saved.join("a.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn a_file_that_cannot_be_written_is_told_of() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-unwritable");
    let window = open_one_tree(&display, &scratch);
    // Where there is no folder the question stays.
    window.press_keys(&["ctrl+s"]);
    window.wait_until("there is a field", |state| state["typing"] == true);
    window.press_keys(&["ctrl+a"]);
    window.type_text("/nowhere/at/all.csv");
    window.press_keys(&["Return"]);
    let state = window.state();
    assert_ne!(state["controls"]["dialog yes"], Value::Null);
    window.press_keys(&["Escape"]);
    window.wait_until("the field is left", |state| state["typing"] == false);
    // Where nothing can be written that is told.
    enter_text(&window, "ctrl+s", "/proc/all.csv");
    window.wait_until("it is told", |state| {
        state["error"] == true
            && state["message"]
                .as_str()
                .is_some_and(|text| text.contains("/proc"))
    });
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn new_files_are_shown_and_garbage_disturbs_nothing() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-follow");
    let (trees, aside) = (scratch.0.join("trees"), scratch.0.join("aside"));
    grow_tree(&trees, &["--iterations", "300"]);
    grow_tree(&aside, &["--iterations", "700"]);
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
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-idle");
    let window = open_one_tree(&display, &scratch);
    window.wait_until_idle();
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn a_running_search_is_followed_and_looked_back_on() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-live");
    let window = open_one_tree(&display, &scratch);
    let trees = scratch.0.join("trees");
    let mut search = engine_command(&[
        "grow",
        "--game",
        "connect-four",
        "--out",
        path_text(&trees),
        "--journal",
        "--millis",
        "600000",
        "--max-nodes",
        "20000",
    ])
    .spawn()
    .expect("the engine starts");
    let is_live = |state: &Value| state["live"] == true && as_number(&state["iteration"]) > 100.0;
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
    assert!(window.close().success());
}

#[test]
fn a_search_that_has_ended_leaves_the_tree_of_its_file() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-ended");
    let window = open_one_tree(&display, &scratch);
    let trees = scratch.0.join("trees");
    let mut search = engine_command(&[
        "grow",
        "--game",
        "kalah",
        "--out",
        path_text(&trees),
        "--journal",
        "--iterations",
        "300000",
    ])
    .spawn()
    .expect("the engine starts");
    search.wait().expect("it ends");
    let is_over = |state: &Value| {
        let is_kalah = state["file"]
            .as_str()
            .is_some_and(|name| name.contains("kalah"));
        is_kalah && state["final"] == true && state["live"] == false && state["iteration"].is_null()
    };
    window.wait_until("the final tree is shown", is_over);
    window.wait_until_idle();
    let state = window.state();
    assert!(is_over(&state) && state["visits"] == 300_000, "{state}");
    assert!(window.close().success());
}

#[test]
fn a_journal_of_a_million_iterations_is_scrubbed() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-journal");
    grow_tree(
        &scratch.0,
        &[
            "--iterations",
            "1000000",
            "--journal",
            "--max-nodes",
            "50000",
        ],
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
    window.press_keys(&["p"]);
    window.wait_until("it grows", |state| {
        state["playing"] == true && as_number(&state["iteration"]) > begun + 10_000.0
    });
    window.press_keys(&["p"]);
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

#[test]
fn without_a_display_there_is_a_sentence() {
    let output = Command::new(viewer())
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .expect("the viewer runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("no display") && said.contains("canopy-viewer render"),
        "{said}"
    );
}

/// The demo: two engines play while the window shows board, score and tree.
#[test]
fn the_demonstration_is_watched_to_its_end() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-demo");
    let arguments = ["demo", "connect-four", "--games", "2", "--pace", "120"];
    let window = Window::open(&display, &scratch.0, &arguments);
    let moves = |state: &Value| state["match"]["moves"].as_u64().unwrap_or(0);
    let first = window.wait_until("the match is under way", |state| {
        moves(state) >= 2 && state["nodes"].as_u64().is_some_and(|nodes| nodes > 100)
    });
    window.save_screenshot("demo-under-way");
    assert_eq!(
        first["match"]["names"],
        serde_json::json!(["UCT", "Last good reply"])
    );
    assert_eq!(
        (&first["board"], &first["follow"]),
        (&"now".into(), &true.into())
    );
    assert!(
        first["match"]["last"].is_string() && first["match"]["result"].is_null(),
        "{first}"
    );
    // Every move changes the board, and brings a tree.
    let later = window.wait_until("the game goes on", |state| moves(state) > moves(&first) + 1);
    assert_ne!(later["match"]["position"], first["match"]["position"]);
    assert!(
        as_number(&later["trees"]) > as_number(&first["trees"]),
        "{later}"
    );
    let over = window.wait_until("the match is over", |state| state["match"]["over"] == true);
    window.save_screenshot("demo-over");
    assert_eq!(over["match"]["number"], 2);
    let won = over["match"]["won"].as_array().expect("wins are counted");
    let played = won.iter().filter_map(Value::as_u64).sum::<u64>()
        + as_number(&over["match"]["drawn"]) as u64;
    assert_eq!(played, 2, "{over}");
    // The window stays, with the result.
    window.wait_until("the result is told", |state| {
        state["match"]["verdict"].is_string()
    });
    let directory = over["directory"]
        .as_str()
        .expect("it has a directory")
        .to_owned();
    assert!(window.close().success());
    assert!(!Path::new(&directory).exists(), "nothing is left behind");
}

#[test]
fn a_demonstration_closes_its_window_if_told_to() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-demo-exit");
    let arguments = ["demo", "kalah:4x3", "--games", "1", "--pace", "0", "--exit"];
    assert!(
        Window::open(&display, &scratch.0, &arguments)
            .wait_for_exit()
            .success()
    );
}

/// A viewer command without a display, with its configuration in `home`.
fn without_display(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(viewer());
    command
        .args(arguments)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_DATA_HOME", home)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .stdin(Stdio::null());
    command
}

fn output_texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// The error of a viewer that cannot open a window: one line without source locations, and exit code 1.
fn startup_error(command: &mut Command) -> String {
    let output = command.output().expect("the viewer runs");
    let (_, errors) = output_texts(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        !errors.contains(".rs") && !errors.contains("panicked"),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors
}

#[test]
fn without_a_display_the_demo_is_played_in_the_terminal() {
    let scratch = Scratch::new("terminal");
    let arguments = ["demo", "connect-four", "--games", "1", "--pace", "0"];
    let output = without_display(&scratch.0, &arguments)
        .output()
        .expect("the viewer runs");
    let (told, errors) = output_texts(&output);
    assert!(output.status.success(), "{told}{errors}");
    assert!(
        errors.contains("no display") && !errors.contains(".rs"),
        "{errors}"
    );
    assert!(
        !told.contains('\u{1b}'),
        "there are only plain lines: {told}"
    );
    // Moves with what the searches thought, the board, and how it ended.
    assert!(told.contains("  1. UCT (X) "), "{told}");
    assert!(
        told.contains("playouts: ") && told.contains("; mean for X 0."),
        "{told}"
    );
    assert!(told.contains("     1 2 3 4 5 6 7\n"), "{told}");
    let last: Vec<&str> = told.lines().rev().take(3).collect();
    assert!(last[2].starts_with("Score: UCT "), "{told}");
    assert!(
        last[0].starts_with("Next: ") && last[0].contains(" demo "),
        "{told}"
    );
    let pictures = last[1].split_once(": ").expect("a place").1;
    let names: Vec<_> = fs::read_dir(pictures)
        .expect("the pictures are there")
        .map(|entry| entry.expect("the pictures are there").path())
        .collect();
    assert_eq!(names.len(), 2, "the last tree of either player");
    for name in names {
        let begin = fs::read(&name).expect("a picture");
        assert!(begin.starts_with(b"\x89PNG"), "{}", name.display());
    }
    let directory = Path::new(pictures).parent().expect("the trees lie beside");
    assert!(directory.starts_with(&scratch.0) && directory.join("game-0001").is_dir());

    // What was kept can be followed in the same way.
    let output = without_display(&scratch.0, &["follow", path_text(directory), "--terminal"])
        .output()
        .expect("the viewer runs");
    let (again, errors) = output_texts(&output);
    assert!(output.status.success(), "{again}{errors}");
    let score = told.lines().find(|line| line.starts_with("Score: "));
    assert_eq!(
        again.lines().find(|line| line.starts_with("Score: ")),
        score
    );
}

#[test]
fn without_a_display_or_a_library_a_sentence_says_what_to_do() {
    let scratch = Scratch::new("no-display");
    let errors = startup_error(&mut without_display(&scratch.0, &[]));
    assert!(
        errors.contains("neither DISPLAY nor WAYLAND_DISPLAY"),
        "{errors}"
    );
    assert!(errors.contains("--terminal"), "{errors}");
    if cfg!(target_os = "linux") {
        let mut command = without_display(&scratch.0, &[]);
        let errors = startup_error(command.env("DISPLAY", ":54321"));
        assert!(
            errors.contains("display :54321") || errors.contains("Install"),
            "{errors}"
        );
        // A library that is there and empty cannot be loaded.
        let libraries = scratch.0.join("libraries");
        fs::create_dir(&libraries).expect("a directory can be made");
        fs::write(libraries.join("libXcursor.so.1"), "").expect("a file can be written");
        let mut command = without_display(&scratch.0, &[]);
        command
            .env("DISPLAY", ":54321")
            .env("LD_LIBRARY_PATH", &libraries);
        let errors = startup_error(&mut command);
        assert!(
            errors.contains("Install ") && errors.contains("libxcursor1"),
            "{errors}"
        );
    }
    // One without which the libraries themselves panic, on a display.
    let Some(display) = Display::start() else {
        return;
    };
    let libraries = scratch.0.join("keyboard");
    fs::create_dir(&libraries).expect("a directory can be made");
    fs::write(libraries.join("libxkbcommon-x11.so.0"), "").expect("a file can be written");
    let mut command = without_display(&scratch.0, &[]);
    command
        .env("DISPLAY", display.name())
        .env("LD_LIBRARY_PATH", &libraries);
    let errors = startup_error(&mut command);
    assert!(
        errors.contains("Install ") && errors.contains("libxkbcommon-x11-0"),
        "{errors}"
    );
}

#[test]
fn absurd_settings_do_not_stop_a_start() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("absurd");
    let file = scratch.0.join("canopy/viewer.json");
    fs::create_dir_all(scratch.0.join("canopy")).expect("a directory can be made");
    fs::write(
        &file,
        "{\"window\": [1e9, 1e9], \"dark\": false, \"labels\": 7}",
    )
    .expect("a file can be written");
    let window = Window::open(&display, &scratch.0, &[]);
    let state = window.wait_until("there is a start screen", |state| state["trees"] == 0);
    assert_eq!(state["theme"], "light", "what is sound is heeded");
    assert!(window.close().success());
    let stored = fs::read_to_string(&file).expect("the settings are kept");
    let stored: Value = serde_json::from_str(&stored).expect("the settings are JSON");
    assert!(as_number(&stored["window"][0]) <= 7680.0, "{stored}");
    let left = fs::read_dir(scratch.0.join("canopy"))
        .expect("the folder is there")
        .count();
    assert_eq!(left, 1, "nothing temporary is left");
}

#[test]
fn a_display_that_goes_away_ends_the_program_with_a_sentence() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("crash");
    let window = Window::open(&display, &scratch.0, &[]);
    window.wait_until("there is a start screen", |state| state["trees"] == 0);
    display.crash();
    let (status, errors) = window.wait_for_exit_with_stderr();
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(
        !errors.is_empty() && !errors.contains("panicked") && !errors.contains(".rs"),
        "{errors}"
    );
}

#[test]
fn a_match_is_watched_from_the_start_screen() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("watch");
    let window = Window::open(&display, &scratch.0, &[]);
    window.press("setup game connect-four");
    window.press("start watch");
    let state = window.wait_until("a match is played", |state| {
        as_number(&state["trees"]) > 0.0
    });
    assert_eq!(state["match"]["names"][0], "UCT");
    window.press("home");
    window.wait_until("the start screen is back", |state| {
        state["match"].is_null() && state["controls"]["start watch"]["on"] == true
    });
    assert!(window.close().success());
}
