//! The form for experts.

use std::time::Duration;

use canopy_viewer::{settings::ViewerSettings, ui::input::idle_input};
use serde_json::Value;

use crate::stage::Harness;

/// A harness large enough to show the whole form.
fn open_start_form() -> Harness {
    let mut stage = Harness::dark();
    stage.size = (1280, 800);
    stage.click("start setup").draw_frame();
    stage
}

fn form_state(stage: &Harness) -> Value {
    stage.frame.dump(&stage.app)
}

/// The fields with an error message.
fn invalid_fields(stage: &Harness) -> Vec<String> {
    let state = form_state(stage);
    let problems = state["setup"]["problems"].as_array().expect("a list");
    let field = |problem: &Value| problem["field"].as_str().expect("a name").to_owned();
    problems.iter().map(field).collect()
}

fn is_enabled(stage: &Harness, control: &str) -> bool {
    let state = form_state(stage);
    let control = &state["controls"][control]["on"];
    control.as_bool().expect("there is such a control")
}

#[test]
fn what_cannot_be_is_told_while_it_is_typed() {
    let mut stage = open_start_form();
    assert!(invalid_fields(&stage).is_empty() && is_enabled(&stage, "start game"));
    for (control, field, bad, good) in [
        ("setup iterations second", "limit second", "0", "500"),
        (
            "setup playout limit second",
            "playout limit second",
            "5",
            "60",
        ),
        (
            "setup exploration second",
            "exploration second",
            "abc",
            "0.7",
        ),
        ("setup games", "games", "", "3"),
        ("setup delay", "delay", "-1", "0"),
        ("setup position", "position", "here", ""),
    ] {
        stage.fill_field(control, bad);
        stage.draw_frame();
        assert_eq!(invalid_fields(&stage), [field], "{bad:?} in {control}");
        assert!(!is_enabled(&stage, "start game"), "{bad:?} in {control}");
        stage.fill_field(control, good);
        stage.draw_frame();
        assert!(invalid_fields(&stage).is_empty(), "{good:?} in {control}");
        assert!(is_enabled(&stage, "start game"), "{good:?} in {control}");
    }
    let play = &stage.app.settings.play;
    assert_eq!((play.games.as_str(), play.pause.as_str()), ("3", "0"));
    let engine = &play.engines[1];
    assert_eq!(
        (engine.iterations.as_str(), engine.exploration.as_str()),
        ("500", "0.7")
    );
    assert_eq!(form_state(&stage)["typing"], true);
    stage.press_key(egui::Key::Escape);
    assert_eq!(form_state(&stage)["typing"], false, "Escape leaves a field");
}

#[test]
fn a_click_says_who_plays_what() {
    let mut stage = open_start_form();
    stage
        .click("setup game othello")
        .click("setup person second")
        .click("setup report 004 first");
    let chosen = form_state(&stage)["setup"]["chosen"].clone();
    assert_eq!(chosen["game"], "othello");
    assert_eq!(chosen["plays_second"], true);
    assert_eq!(chosen["engines"][0]["search"], "alpha-beta-004");
    // What a search has not is off, but in its place.
    for control in [
        "setup exploration first",
        "setup playout limit first",
        "setup cut playouts first",
        "setup by iterations first",
    ] {
        assert!(!is_enabled(&stage, control), "{control}");
    }
    assert!(
        is_enabled(&stage, "setup plies first")
            && is_enabled(&stage, "setup by milliseconds first")
    );
    stage.click("setup search first").click("setup lgr2 first");
    let chosen = form_state(&stage)["setup"]["chosen"].clone();
    assert_eq!(chosen["engines"][0]["search"], "lgr2");
    assert!(
        is_enabled(&stage, "setup iterations first")
            && is_enabled(&stage, "setup exploration first")
    );
    stage.click("setup by milliseconds first");
    stage.fill_field("setup milliseconds first", "250");
    stage.click("setup parameters first");
    stage.fill_field("setup parameter expand_on first", "3");
    stage.draw_frame();
    assert_eq!(invalid_fields(&stage), ["parameter expand_on first"]);
    stage.fill_field("setup parameter expand_on first", "2");
    stage.draw_frame();
    assert!(invalid_fields(&stage).is_empty());
    let engine = &stage.app.settings.play.engines[0];
    assert!(engine.parameters.is_empty(), "as the search has it");
    stage.click("setup game kalah").draw_frame();
    assert!(!is_enabled(&stage, "setup report 004 first"));
    stage.click("setup mode people").draw_frame();
    assert!(!is_enabled(&stage, "setup person first") && !is_enabled(&stage, "setup delay"));
    assert!(form_state(&stage)["controls"]["setup search first"].is_null());
    assert!(is_enabled(&stage, "start game"));
}

#[test]
fn another_engine_is_a_command() {
    let mut stage = open_start_form();
    stage.click("setup other second");
    stage.draw_frame();
    assert_eq!(invalid_fields(&stage), ["command second"]);
    stage
        .fill_field("setup command second", "./engine --quiet")
        .click("setup gtp second");
    stage.draw_frame();
    assert!(invalid_fields(&stage).is_empty());
    let plan = (stage.app.settings.play.validate(&[])).expect("sound");
    let engine = plan.participants[1].clone().expect("an engine");
    assert_eq!(engine.command, ["./engine", "--quiet"]);
    assert_eq!(engine.protocol.name(), "gtp");
    // GTP has no words for iterations.
    assert_eq!(engine.limits, "movetime 4000".parse().ok());
    stage.click("setup by iterations second");
    let plan = (stage.app.settings.play.validate(&[])).expect("sound");
    let engine = plan.participants[1].clone().expect("an engine");
    assert!(engine.limits.is_some_and(|limits| limits.nodes.is_some()));
}

#[test]
fn what_was_set_up_is_remembered() {
    let mut stage = open_start_form();
    stage
        .click("setup game connect-four")
        .click("setup mode engines")
        .click("setup report 002 first")
        .click("setup animate")
        .fill_field("setup games", "5")
        .fill_field("setup exploration second", "0.5");
    let text = serde_json::to_string(&stage.app.settings).expect("JSON");
    let read: ViewerSettings = serde_json::from_str(&text).expect("settings");
    assert_eq!(read, stage.app.settings);
    assert_eq!(read.play.engines[0].search, "uct-002");
    let mut again = Harness::new(read);
    again.draw_frame();
    assert_eq!(again.app.dump()["setup"], stage.app.dump()["setup"]);
    // What was written by an older program, or by a newer one, costs nothing but itself.
    let old: ViewerSettings = serde_json::from_str(r#"{"dark": false}"#).expect("settings");
    assert_eq!(old.play, ViewerSettings::default().play);
    let new = r#"{"dark": false, "play": {"mode": "crowd", "game": 3}}"#;
    let new: ViewerSettings = serde_json::from_str(new).expect("settings");
    assert!(!new.dark && new.play == ViewerSettings::default().play);
    let part = r#"{"play": {"game": "delta", "engines": [{"search": "lgr1"}, {}]}}"#;
    let part: ViewerSettings = serde_json::from_str(part).expect("settings");
    assert_eq!(
        (part.play.game.as_str(), part.play.games.as_str()),
        ("delta", "1")
    );
    assert_eq!(part.play.engines[0].search, "lgr1");
}

#[test]
fn colours_are_chosen_before_the_first_tree() {
    let mut stage = open_start_form();
    stage.click("green and red");
    assert!(stage.app.settings.edge_colours.is_some());
    stage.click("theme colours");
    assert!(stage.app.settings.edge_colours.is_none());
}

#[test]
fn nothing_is_drawn_while_nothing_happens() {
    let mut stage = open_start_form();
    for _ in 0..5 {
        stage.draw_frame();
    }
    let input = idle_input(1280.0, 800.0, 1.0);
    let drawn = stage.frame.draw(&mut stage.app, input, (1280, 800));
    assert!(drawn.changed_rects.is_empty() && drawn.repaint_delay > Duration::from_secs(60));
}
