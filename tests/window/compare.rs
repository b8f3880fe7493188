//! Two searches side by side, and lessons, in a real window.

use std::path::PathBuf;

use crate::support::window::control_at;

use super::*;

/// Trees of two searches of the start of connect four, with their journals.
fn grow_pair(scratch: &Scratch) -> [PathBuf; 2] {
    ["uct,seed=1", "lgr2,seed=1"].map(|search| {
        let out = scratch.0.join(search.split(',').next().unwrap_or_default());
        grow_tree(
            &out,
            &format!("--search {search} --iterations 3000 --journal"),
        )
        .remove(0)
    })
}

#[test]
fn two_trees_are_compared_and_an_idle_comparison_costs_nothing() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-compare");
    let [one, other] = grow_pair(&scratch);
    let arguments = ["compare", path_text(&one), path_text(&other)];
    let window = Window::open(&display, &scratch.0, &arguments);
    let state = window.wait_until("both trees are shown", |state| {
        state["view"] == "compare" && state["compare"]["nodes"].is_array()
    });
    assert_eq!(
        state["compare"]["names"],
        serde_json::json!(["UCT", "LGR2"])
    );
    assert_eq!(
        state["compare"]["iterations"],
        serde_json::json!([3000, 3000])
    );
    // A click on a move of the table selects it in both trees.
    window.press("compared move 4");
    window.wait_until("it is selected", |state| {
        state["compare"]["selected"] == "4"
    });
    // The handle of the iterations moves both journals.
    let state = window.wait_until("there is a slider", |state| {
        state["controls"]["iterations"]["on"] == true
    });
    window.click(control_at(&state, "iterations"));
    window.wait_until("both are half way", |state| {
        let at = |side: usize| as_number(&state["compare"]["iterations"][side]);
        at(0) == at(1) && (1000.0..2000.0).contains(&at(0))
    });
    window.press_keys(&["x"]);
    window.wait_until("they are exchanged", |state| {
        state["compare"]["names"] == serde_json::json!(["LGR2", "UCT"])
    });
    window.wait_until_idle();
    window.save_screenshot("compare");
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

#[test]
fn a_lesson_is_taken_with_the_mouse_and_its_place_is_kept() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-lesson");
    let window = Window::open(&display, &scratch.0, &[]);
    window.resize(1400, 1000);
    window.press("lesson uct");
    window.wait_until("its first tree is shown", |state| {
        state["lesson"]["step"] == 1
            && state["lesson"]["searching"] == false
            && state["nodes"].is_u64()
    });
    window.press("lesson next");
    window.wait_until("the next step has another", |state| {
        state["lesson"]["step"] == 2 && state["lesson"]["searching"] == false
    });
    window.press("lesson answer 1");
    window.wait_until("it is judged", |state| {
        state["controls"]["lesson verdict"].is_object()
    });
    window.wait_until_idle();
    window.save_screenshot("lesson");
    window.press_keys(&["Escape"]);
    window.wait_until("the start screen is back", |state| {
        state["lesson"].is_null() && state["controls"]["lesson uct"].is_object()
    });
    assert!(window.close().success());
    let window = Window::open(&display, &scratch.0, &[]);
    window.resize(1400, 1000);
    window.press("lesson uct");
    window.wait_until("it goes on where it was left", |state| {
        state["lesson"]["step"] == 2
    });
    window.close();
}
