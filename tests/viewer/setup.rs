//! Games are set up on the start screen.

use std::time::Duration;

use canopy_viewer::{frame, settings::Settings};
use serde_json::Value;

use crate::stage::Stage;

/// A stage on which the whole form is in sight.
fn starting() -> Stage {
    let mut stage = Stage::dark();
    stage.size = (1280, 800);
    stage.frame();
    stage
}

fn state(stage: &Stage) -> Value {
    stage.frame.dump(&stage.app)
}

/// The fields about which something is said.
fn wrong(stage: &Stage) -> Vec<String> {
    let state = state(stage);
    let problems = state["setup"]["problems"].as_array().expect("a list");
    let field = |problem: &Value| problem["field"].as_str().expect("a name").to_owned();
    problems.iter().map(field).collect()
}

fn is_on(stage: &Stage, control: &str) -> bool {
    let state = state(stage);
    let control = &state["controls"][control]["on"];
    control.as_bool().expect("there is such a control")
}

#[test]
fn what_cannot_be_is_told_while_it_is_typed() {
    let mut stage = starting();
    assert!(wrong(&stage).is_empty() && is_on(&stage, "start game"));
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
        stage.fill(control, bad);
        stage.frame();
        assert_eq!(wrong(&stage), [field], "{bad:?} in {control}");
        assert!(!is_on(&stage, "start game"), "{bad:?} in {control}");
        stage.fill(control, good);
        stage.frame();
        assert!(wrong(&stage).is_empty(), "{good:?} in {control}");
        assert!(is_on(&stage, "start game"), "{good:?} in {control}");
    }
    let play = &stage.app.settings.play;
    assert_eq!((play.games.as_str(), play.pause.as_str()), ("3", "0"));
    let engine = &play.engines[1];
    assert_eq!(
        (engine.iterations.as_str(), engine.exploration.as_str()),
        ("500", "0.7")
    );
    assert_eq!(state(&stage)["typing"], true);
    stage.press(egui::Key::Escape);
    assert_eq!(state(&stage)["typing"], false, "Escape leaves a field");
}

#[test]
fn a_click_says_who_plays_what() {
    let mut stage = starting();
    stage
        .click("setup game othello")
        .click("setup person second")
        .click("setup report 004 first");
    let chosen = state(&stage)["setup"]["chosen"].clone();
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
        assert!(!is_on(&stage, control), "{control}");
    }
    assert!(is_on(&stage, "setup plies first") && is_on(&stage, "setup by milliseconds first"));
    stage.click("setup search first").click("setup lgr2 first");
    let chosen = state(&stage)["setup"]["chosen"].clone();
    assert_eq!(chosen["engines"][0]["search"], "lgr2");
    assert!(is_on(&stage, "setup iterations first") && is_on(&stage, "setup exploration first"));
    stage.click("setup by milliseconds first");
    stage.fill("setup milliseconds first", "250");
    stage.click("setup parameters first");
    stage.fill("setup parameter expand_on first", "3");
    stage.frame();
    assert_eq!(wrong(&stage), ["parameter expand_on first"]);
    stage.fill("setup parameter expand_on first", "2");
    stage.frame();
    assert!(wrong(&stage).is_empty());
    let engine = &stage.app.settings.play.engines[0];
    assert!(engine.parameters.is_empty(), "as the search has it");
    stage.click("setup game kalah").frame();
    assert!(!is_on(&stage, "setup report 004 first"));
    stage.click("setup mode people").frame();
    assert!(!is_on(&stage, "setup person first") && !is_on(&stage, "setup delay"));
    assert!(state(&stage)["controls"]["setup search first"].is_null());
    assert!(is_on(&stage, "start game"));
}

#[test]
fn another_engine_is_a_command() {
    let mut stage = starting();
    stage.click("setup other second");
    stage.frame();
    assert_eq!(wrong(&stage), ["command second"]);
    stage
        .fill("setup command second", "./engine --quiet")
        .click("setup gtp second");
    stage.frame();
    assert!(wrong(&stage).is_empty());
    let plan = (stage.app.settings.play.check(&[])).expect("sound");
    let engine = plan.seats[1].clone().expect("an engine");
    assert_eq!(engine.command, ["./engine", "--quiet"]);
    assert_eq!(engine.dialect.name(), "gtp");
}

#[test]
fn what_was_set_up_is_remembered() {
    let mut stage = starting();
    stage
        .click("setup game connect-four")
        .click("setup mode engines")
        .click("setup report 002 first")
        .click("setup animate")
        .fill("setup games", "5")
        .fill("setup exploration second", "0.5");
    let text = serde_json::to_string(&stage.app.settings).expect("JSON");
    let read: Settings = serde_json::from_str(&text).expect("settings");
    assert_eq!(read, stage.app.settings);
    assert_eq!(read.play.engines[0].search, "uct-002");
    let mut again = Stage::new(read);
    again.frame();
    assert_eq!(again.app.dump()["setup"], stage.app.dump()["setup"]);
    // What was written by an older program, or by a newer one, costs nothing but itself.
    let old: Settings = serde_json::from_str(r#"{"dark": false}"#).expect("settings");
    assert_eq!(old.play, Settings::default().play);
    let new = r#"{"dark": false, "play": {"mode": "crowd", "game": 3}}"#;
    let new: Settings = serde_json::from_str(new).expect("settings");
    assert!(!new.dark && new.play == Settings::default().play);
    let part = r#"{"play": {"game": "delta", "engines": [{"search": "lgr1"}, {}]}}"#;
    let part: Settings = serde_json::from_str(part).expect("settings");
    assert_eq!(
        (part.play.game.as_str(), part.play.games.as_str()),
        ("delta", "1")
    );
    assert_eq!(part.play.engines[0].search, "lgr1");
}

#[test]
fn colours_are_chosen_before_the_first_tree() {
    let mut stage = starting();
    stage.click("green and red");
    assert!(stage.app.settings.edge_colours.is_some());
    stage.click("theme colours");
    assert!(stage.app.settings.edge_colours.is_none());
}

#[test]
fn nothing_is_drawn_while_nothing_happens() {
    let mut stage = starting();
    for _ in 0..5 {
        stage.frame();
    }
    let input = frame::input(1280.0, 800.0, 1.0);
    let drawn = stage.frame.draw(&mut stage.app, input, (1280, 800));
    assert!(drawn.changed.is_empty() && drawn.next > Duration::from_secs(60));
}
