//! The view Steps in a window: by key, by click, with a search of its own, and at rest.

use super::*;

#[test]
fn a_window_tells_an_iteration_and_rests() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-iteration-steps");
    let trees = scratch.0.join("trees");
    grow_tree(&trees, "--iterations 400 --journal");
    let window = Window::open(&display, &scratch.0, &[path_text(&trees)]);
    window.wait_until("a tree is shown", |state| state["nodes"].is_u64());
    window.press_keys(&["3"]);
    let state = window.wait_until("an iteration is told", |state| {
        state["view"] == "steps" && state["steps"]["iteration"] == 30
    });
    assert_eq!(state["steps"]["playouts"], 0, "none were asked for");
    window.press_keys(&["Right", "Right"]);
    window.wait_until("two stages on", |state| state["steps"]["stage"] == 2);
    window.wait_until_idle();

    // The search that the view starts has its playouts.
    window.press("phase play out");
    window.wait_until("the button", |state| {
        !state["controls"]["search for steps"].is_null()
    });
    window.press("search for steps");
    let state = window.wait_until("its own search", |state| {
        state["steps"]["own"] == true && state["steps"]["iterations"] == 60
    });
    assert_eq!(state["steps"]["playouts"], 60);
    window.wait_until("it is told", |state| state["steps"]["stage"] == 0);
    window.press_keys(&["n"]);
    window.wait_until("the next iteration", |state| {
        state["steps"]["iteration"] == 31
    });
    window.press("phase back up");
    window.wait_until_idle();
    window.save_screenshot("window-steps");

    window.press("slow motion 1 ×");
    window.press_keys(&["space"]);
    window.wait_until("it plays on", |state| state["steps"]["iteration"] == 32);
    window.press_keys(&["space", "1"]);
    window.wait_until("the tree", |state| state["view"] == "tree");
    window.wait_until_idle();
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}
