//! The window under a Wayland compositor.

use super::*;

/// A tree is opened, looked at with mouse and keyboard, and searches that grow are followed.
#[test]
fn a_tree_is_looked_at_under_wayland() {
    let Some(display) = Display::start_wayland() else {
        return;
    };
    let scratch = Scratch::new("window-wayland");
    let window = open_one_tree(&display, &scratch);
    let state = window.state();
    assert_eq!((&state["trees"], &state["tree"]), (&1.into(), &1.into()));

    let centre = |state: &Value| {
        let part = |key: &str, index: usize| as_number(&state[key][index]);
        (
            part("canvas_at", 0) + part("canvas", 0) / 2.0,
            part("canvas_at", 1) + part("canvas", 1) / 2.0,
        )
    };
    let zoom = as_number(&state["zoom"]);
    window.wheel(centre(&state), 3);
    window.wait_until("the wheel zooms", |state| as_number(&state["zoom"]) > zoom);
    let theme = state["theme"].clone();
    window.press("theme");
    window.wait_until("a click changes the colours", |state| {
        state["theme"] != theme
    });
    window.press_keys(&["1", "Down"]);
    window.wait_until("keys select a child of the root", |state| {
        state["moves"]
            .as_array()
            .is_some_and(|moves| moves.len() == 1)
    });

    grow_tree(&scratch.0.join("trees"), "--iterations 500 --moves 4");
    window.wait_until("the new tree of the folder is shown", |state| {
        state["trees"] == 2 && state["visits"] == 500
    });
    window.save_screenshot("wayland");
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}
