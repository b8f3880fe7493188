//! The view Why in a window: by key, by click, with the solver, and at rest.

use super::*;

#[test]
fn a_window_says_why_and_asks_the_solver_only_when_told_to() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-why");
    let trees = scratch.0.join("trees");
    let line = "1 4 3 4 3 4 5 1 1 3 3 6 4 3 3 4 6 2 6 1 2 5 4 7 5 5 5 6 7 2 2";
    let shown = engine(&["show", "--game", "connect-four", "--moves", line]);
    let position = (shown.lines())
        .find_map(|line| line.strip_prefix("position: "))
        .expect("the position is told");
    let options = format!("--position '{position}' --iterations 2000 --journal");
    grow_tree(&trees, &options);
    let window = Window::open(&display, &scratch.0, &[path_text(&trees)]);
    window.wait_until("a tree is shown", |state| state["nodes"].is_u64());

    window.press_keys(&["2"]);
    let state = window.wait_until("four sentences", |state| {
        let sentences = state["why"]["sentences"].as_array();
        sentences.is_some_and(|all| all.len() == 4)
    });
    assert!(state["view"] == "why" && state["truth"]["positions"] == 0);
    assert!(state["why"]["verdict"].is_null(), "nobody has asked");
    window.wait_until_idle();

    // On a click the engine solves what is on screen; then the window rests again.
    window.press("truth marks and regret");
    let state = window.wait_until("all is solved", |state| {
        state["truth"]["waiting"] == 0 && state["why"]["verdict"].is_string()
    });
    assert!(
        as_number(&state["truth"]["positions"]) > 5.0,
        "{}",
        state["truth"]
    );
    window.wait_until_idle();
    window.save_screenshot("window-why");

    window.press("view tree");
    window.wait_until("the tree", |state| state["view"] == "tree");
    window.press_keys(&["v"]);
    window.wait_until("no marks", |state| state["truth"]["mode"] == "Off");
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}
