//! Looking at trees in a window: opening, stepping, hitting nodes, dragging, and saving.

use canopy_engine::tree::files;

use crate::support::untested;

use super::*;

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
    grow_tree(&trees, "--iterations 200");
    let window = Window::open(&display, &scratch.0, &[path_text(&trees)]);
    window.wait_until("a tree is shown", |state| state["nodes"].is_number());
    window.press_keys(&["shift+c"]);
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

#[test]
fn a_directory_is_opened_and_stepped_through() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-steps");
    let trees = scratch.0.join("trees");
    grow_tree(&trees, "--iterations 500 --plies 3");
    grow_tree(&trees, "--iterations 500 --format csv");

    // From the start screen to the last of four trees.
    let window = Window::open(&display, &scratch.0, &[]);
    let state = window.wait_until("there is a start screen", |state| state["trees"] == 0);
    assert!(state["file"].is_null() && state["controls"]["back"].is_null());
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
    grow_tree(&trees, "--iterations 500 --plies 4");
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
    with_one_tree("window-hit", |window, _| {
        for zoom in 0..3 {
            window.press_keys(&["Escape", "Home"]);
            let state =
                window.wait_until("all is in sight", |state| as_number(&state["zoom"]) == 1.0);
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
    });
}

#[test]
fn the_selection_walks_goes_back_and_folds() {
    with_one_tree("window-walk", |window, _| {
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
        window.press_keys(&["alt+Left"]);
        window.wait_until("back", |state| state["selected"] == child["selected"]);
        window.press_keys(&["z"]);
        let folded = window.wait_until("it is folded", |state| as_number(&state["hidden"]) > 0.0);
        assert_eq!(folded["selected"], child["selected"]);
        window.press_keys(&["z"]);
        window.wait_until("it is unfolded", |state| state["hidden"] == 0);
    });
}

#[test]
fn a_tree_is_dragged_and_reset() {
    with_one_tree("window-drag", |window, _| {
        window.press_keys(&["Home"]);
        let before = window.wait_until("all is in sight", |state| as_number(&state["zoom"]) == 1.0);
        let at = canvas_centre(&before);
        window.drag((at.0, at.1 + 100.0), (at.0 + 120.0, at.1 + 60.0));
        window.wait_until("it has moved", |state| {
            as_number(&state["camera"][0]) < as_number(&before["camera"][0])
        });
        window.press_keys(&["Home"]);
        window.wait_until("it is back", |state| state["camera"] == before["camera"]);
    });
}

#[test]
fn colours_size_and_recent_folders_are_remembered() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-settings");
    let window = open_one_tree(&display, &scratch);
    window.press("more");
    window.wait_until_stable("the menu", |state| state["controls"].clone());
    window.press("green and red");
    window.wait_until("report 000's colours", |state| {
        state["colours"] == serde_json::json!([[255, 0, 0], [0, 255, 0]])
    });
    window.press_keys(&["Escape"]);
    window.press_keys(&["c"]);
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
    with_one_tree("window-unwritable", |window, _| {
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
        enter_text(window, "ctrl+s", "/proc/all.csv");
        window.wait_until("it is told", |state| {
            state["error"] == true
                && state["message"]
                    .as_str()
                    .is_some_and(|text| text.contains("/proc"))
        });
    });
}
