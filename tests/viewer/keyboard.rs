//! The window by keyboard alone, and the tooltip of every control.

use std::time::Duration;

use canopy_viewer::app::{Action, App};
use egui::{Id, Key, Modifiers};

use crate::{
    pictures::{grow_model, grow_with_journal},
    stage::Harness,
    support::Scratch,
};

/// More controls than any screen has.
const MAX_CONTROLS: usize = 300;

fn focused(stage: &Harness) -> Option<Id> {
    stage.frame.context.memory(|memory| memory.focused())
}

fn leave_focus(stage: &Harness) {
    if let Some(id) = focused(stage) {
        (stage.frame.context).memory_mut(|memory| memory.surrender_focus(id));
    }
}

/// Every control that the Tab key reaches, in its order.
fn reached_by_tab(stage: &mut Harness, first: Key) -> Vec<Id> {
    let mut reached = Vec::new();
    stage.press_key(first);
    while let Some(id) = focused(stage).filter(|id| !reached.contains(id)) {
        reached.push(id);
        assert!(reached.len() < MAX_CONTROLS, "Tab comes round");
        stage.press_key(Key::Tab);
    }
    leave_focus(stage);
    stage.draw_frame();
    reached
}

/// The names of the controls at a place, or the place.
fn name_at(stage: &Harness, at: egui::Pos2) -> String {
    let state = stage.frame.dump(&stage.app);
    let controls = state["controls"].as_object().into_iter().flatten();
    let near = |place: &serde_json::Value| {
        let number = |index: usize| place["at"][index].as_f64().unwrap_or(f64::NAN) as f32;
        (egui::pos2(number(0), number(1)) / stage.scale).distance(at) < 2.0
    };
    let names: Vec<&str> = controls
        .filter(|(_, place)| near(place))
        .map(|(name, _)| name.as_str())
        .collect();
    format!("{} at {at:?}", names.join(", "))
}

/// Walks through all controls by Tab and points at each; how many there are, and those without a tooltip.
/// Controls in layers below `lowest` are not looked at.
fn controls_without_tooltip(
    stage: &mut Harness,
    first: Key,
    lowest: egui::Order,
) -> (usize, Vec<String>) {
    stage.draw_frame();
    stage.frame.context.all_styles_mut(|style| {
        style.interaction.tooltip_delay = 0.0;
        style.interaction.show_tooltips_only_when_still = false;
    });
    let reached = reached_by_tab(stage, first);
    let mut missing = Vec::new();
    for &id in &reached {
        // The edges of panels are dragged, and the pointer over them says so.
        let place = stage.frame.context.read_response(id);
        let Some(place) =
            place.filter(|place| place.sense.senses_click() && place.layer_id.order >= lowest)
        else {
            continue;
        };
        let at = place.rect.center();
        // The pointer's shape tells what the edge of a panel does, and what lies below a dialog is told when that is closed.
        let is_edge = place.rect.height() > 100.0 && place.rect.width() < 20.0;
        let context = &stage.frame.context;
        let is_covered = context.layer_id_at(at) != Some(place.layer_id);
        // The cross of a window is egui's own.
        let is_cross = place.rect.size().max_elem() <= 20.0 && name_at(stage, at).starts_with(' ');
        if is_edge || is_covered || is_cross {
            continue;
        }
        stage.hover_at(at);
        stage.draw_frame();
        let response = stage.frame.context.read_response(id);
        if !response.is_some_and(|response| response.is_tooltip_open()) {
            missing.push(name_at(stage, at));
        }
    }
    (reached.len(), missing)
}

pub(crate) fn assert_tooltips(stage: &mut Harness, first: Key, least: usize) {
    assert_tooltips_from(stage, first, least, egui::Order::Background);
}

/// [`assert_tooltips`] for the controls of a menu: while it is open, nothing behind it shows a tooltip.
fn assert_tooltips_of_menu(stage: &mut Harness, first: Key, least: usize) {
    assert_tooltips_from(stage, first, least, egui::Order::Foreground);
}

fn assert_tooltips_from(stage: &mut Harness, first: Key, least: usize, lowest: egui::Order) {
    let (count, missing) = controls_without_tooltip(stage, first, lowest);
    assert!(missing.is_empty(), "of {count}: {missing:#?}");
    assert!(count >= least, "{count} controls");
}

/// A tree with its journal, in a window in which nothing needs to be scrolled.
fn show_tree_with_journal(scratch: &Scratch) -> Harness {
    let mut stage = Harness::dark();
    stage.size = (1500, 1300);
    stage.run_action(Action::Open(vec![grow_with_journal(scratch)]));
    stage.wait_until("it is there", |app| {
        app.document.model.is_some() && app.document.timeline.status.is_some()
    });
    stage.draw_frame();
    stage
}

#[test]
fn every_control_beside_a_tree_is_reached_by_tab_and_has_a_tooltip() {
    let scratch = Scratch::new("keyboard-tree");
    let mut stage = show_tree_with_journal(&scratch);
    assert_tooltips(&mut stage, Key::F6, 25);
    stage.click("more");
    assert_tooltips_of_menu(&mut stage, Key::F6, 35);
}

#[test]
fn every_control_of_the_start_screen_and_the_form_has_a_tooltip() {
    let mut stage = Harness::dark();
    stage.size = (1500, 1300);
    assert_tooltips(&mut stage, Key::Tab, 10);
    stage.click("start setup");
    assert_tooltips(&mut stage, Key::Tab, 20);
}

#[test]
fn every_control_of_the_settings_and_the_help_page_has_a_tooltip() {
    let mut stage = Harness::light();
    stage.size = (1500, 1300);
    stage.press_key_with(Modifiers::COMMAND, Key::Comma);
    assert_tooltips(&mut stage, Key::Tab, 8);
    let mut stage = Harness::light();
    stage.size = (1500, 1300);
    stage.press_key(Key::Questionmark);
    assert_tooltips(&mut stage, Key::Tab, 3);
}

fn selected_moves(app: &App) -> Vec<String> {
    app.moves_to_selected().unwrap_or_default()
}

#[test]
fn keys_walk_through_the_tree_and_tab_through_siblings() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", grow_model("othello", "uct", 1500));
    stage.press_key(Key::ArrowDown);
    let first = selected_moves(&stage.app);
    assert_eq!(first.len(), 1);
    stage.press_key(Key::Tab);
    let node = stage.app.navigation.selected;
    stage.press_key_with(Modifiers::SHIFT, Key::Tab);
    assert_ne!(stage.app.navigation.selected, node);
    assert_eq!(focused(&stage), None, "Tab is the tree's");
    stage
        .press_key(Key::ArrowDown)
        .press_key(Key::ArrowUp)
        .press_key_with(Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(selected_moves(&stage.app).len(), 2, "back");
    stage.press_key_with(Modifiers::ALT, Key::ArrowRight);
    assert_eq!(selected_moves(&stage.app).len(), 1, "forward");
    // With the focus on a button, its keys are its own.
    stage.press_key(Key::F6);
    assert!(focused(&stage).is_some());
    let selected = stage.app.navigation.selected;
    stage.press_key(Key::Tab);
    assert!(focused(&stage).is_some());
    assert_eq!(stage.app.navigation.selected, selected);
    stage.press_key(Key::Escape);
    assert_eq!(focused(&stage), None, "Escape gives the keys back");
}

#[test]
fn keys_choose_colours_and_what_is_shown() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", grow_model("othello", "uct", 3000));
    assert!(stage.has_control("legend Node"));
    stage.press_key(Key::L);
    stage.draw_frame();
    assert!(!stage.has_control("legend Node"));
    for measure in ["mean", "second", "visits"] {
        stage.press_key(Key::C);
        assert_eq!(stage.app.settings.measure, measure);
    }
    let most_children = |app: &App| app.document.filter.max_children;
    for count in [Some(2), Some(3), Some(5), Some(8), None] {
        stage.press_key(Key::B);
        assert_eq!(most_children(&stage.app), count);
    }
    stage.press_key(Key::CloseBracket);
    assert_eq!(stage.app.settings.folded, [false, true]);
    let zoom = |app: &App| app.navigation.camera.map(|camera| camera.zoom());
    stage.press_key(Key::Plus).press_key(Key::Plus);
    assert!(zoom(&stage.app) > Some(1.2));
    stage.press_key(Key::Num0);
    stage.draw_frame();
    assert_eq!(zoom(&stage.app), Some(1.0));
}

#[test]
fn a_key_presents_the_tree_and_another_shows_the_answer() {
    let mut stage = Harness::dark();
    stage.size = (1600, 1000);
    stage.show_model("othello.tree", grow_model("othello", "uct", 3000));
    let said = |stage: &mut Harness| {
        stage.draw_frame();
        stage.draw_frame();
        let panels = ["in words", "arithmetic"].map(|name| stage.has_control(name));
        (panels, stage.app.text_size(), stage.app.look().shows_line)
    };
    assert_eq!(said(&mut stage), ([true; 2], 1.0, true));
    stage.press_key(Key::F5);
    assert_eq!(said(&mut stage), ([false; 2], 1.5, false));
    assert!(stage.has_control("chip: answer hidden (A)"));
    assert!(stage.app.is_answer_held(), "nothing else tells it");
    stage.press_key(Key::A);
    assert_eq!(said(&mut stage), ([false; 2], 1.5, true));
    assert!(
        !stage.app.document.filter.readable,
        "all is shown as before"
    );
    stage.press_key(Key::Escape);
    assert_eq!(said(&mut stage), ([true; 2], 1.0, true));
    assert_eq!(stage.app.settings.folded, [false; 2]);
}

#[test]
fn keys_step_through_iterations() {
    let scratch = Scratch::new("keyboard-growth");
    let mut stage = show_tree_with_journal(&scratch);
    let at = |to: u32| move |app: &App| app.document.timeline.shown_iteration == Some(to);
    stage
        .press_key(Key::Comma)
        .wait_until("one back", at(1999))
        .press_key_with(Modifiers::SHIFT, Key::Comma)
        .wait_until("a hundred back", at(1899))
        .press_key(Key::Period)
        .wait_until("one on", at(1900))
        .press_key_with(Modifiers::SHIFT, Key::Period)
        .wait_until("a hundred on", at(2000));
    stage.press_key(Key::Home).press_key(Key::Space);
    assert!(stage.app.document.timeline.is_playing());
    stage.press_key(Key::Space);
    assert!(!stage.app.document.timeline.is_playing());
}

#[test]
fn the_help_page_has_keys_and_ideas() {
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", grow_model("othello", "uct", 300));
    stage.press_key(Key::Questionmark);
    stage.draw_frame();
    assert!(stage.has_control("help ideas"));
    stage.click("help ideas").press_key(Key::Escape);
    stage.draw_frame();
    assert!(!stage.has_control("help ideas"), "Escape closes it");
    stage.click("help");
    stage.draw_frame();
    assert!(stage.has_control("help keys"));
    // Keys of the tree are not heeded below the page.
    stage.press_key(Key::L);
    assert!(stage.app.settings.legend);
    stage.click("help close");
    stage.advance_time(Duration::from_millis(200));
    assert!(!stage.has_control("help keys"));
}

#[test]
fn nothing_overlaps_in_the_bar_of_a_small_window() {
    let scratch = Scratch::new("keyboard-bar");
    let tree = grow_with_journal(&scratch);
    let folder = tree.parent().expect("it is in a folder").to_owned();
    for width in [800, 1000, 1280] {
        let mut stage = Harness::dark();
        stage.size = (width, 600);
        stage.run_action(Action::Open(vec![folder.clone()]));
        stage.wait_until("a tree is shown", |app| app.document.model.is_some());
        stage.draw_frame();
        let names = [
            "home", "open", "back", "next", "jump", "jump ok", "follow", "find", "save", "reset",
            "theme", "help",
        ];
        let places = names.map(|name| stage.place_of(name).expect(name).x);
        for (pair, name) in places.windows(2).zip(&names[1..]) {
            assert!(pair[1] - pair[0] > 20.0, "{width}: {name} at {places:?}");
        }
        assert!(places[11] < width as f32);
    }
}
