//! The switch between the views of a search.

use canopy_viewer::app::{Action, View};
use egui::Key;

use crate::{pictures::grow_model, stage::Harness};

fn shown(stage: &Harness) -> String {
    stage.app.dump()["view"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn show_search() -> Harness {
    let mut stage = Harness::dark();
    // Wide enough for the names of all views.
    stage.size = (1600, 900);
    stage.show_model("othello.tree", grow_model("othello", "uct", 500));
    stage
}

#[test]
fn views_are_changed_by_key_and_by_button() {
    let mut stage = show_search();
    assert_eq!(shown(&stage), "tree");
    stage.press_key(Key::Num2);
    assert_eq!(shown(&stage), "why");
    stage.click("view tree");
    assert_eq!(shown(&stage), "tree");
    stage.click("view why");
    assert_eq!(shown(&stage), "why");
    stage.press_key(Key::Num1);
    assert_eq!(shown(&stage), "tree");
}

#[test]
fn a_view_that_does_not_exist_has_neither_button_nor_key() {
    let mut stage = show_search();
    let keys = [Key::Num1, Key::Num2, Key::Num3, Key::Num4];
    for (view, key) in View::ALL.into_iter().zip(keys) {
        let name = view.name().to_lowercase();
        assert_eq!(stage.has_control(&format!("view {name}")), view.exists());
        stage.press_key(Key::Num1).press_key(key);
        let can_be_shown = view.exists() && stage.app.view_obstacle(view).is_none();
        let expected = if can_be_shown { &name } else { "tree" };
        assert_eq!(shown(&stage), expected);
    }
}

#[test]
fn the_start_screen_has_no_views_and_begins_with_the_tree() {
    let mut stage = show_search();
    stage.press_key(Key::Num2).run_action(Action::GoHome);
    assert!(!stage.has_control("view why") && shown(&stage) == "tree");
    stage.press_key(Key::Num2);
    stage.show_model("othello.tree", grow_model("othello", "uct", 500));
    assert_eq!(shown(&stage), "tree");
}

#[test]
fn narrow_windows_have_the_views_in_a_menu() {
    let mut stage = show_search();
    stage.size = (800, 600);
    stage.click("view menu").click("view why");
    assert_eq!(shown(&stage), "why");
}
