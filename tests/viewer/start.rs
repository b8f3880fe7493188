//! The start screen: one click or one key to a match, a game or trees, and one link to the form for experts.

use std::{fs, path::PathBuf, time::Duration};

use canopy_viewer::{app::Action, settings::ViewerSettings, ui::input::idle_input};
use egui::Key;
use serde_json::Value;

use crate::{
    stage::Harness,
    support::{Scratch, program},
};

/// A start screen at its design size, with an engine that can be started.
fn open_start_screen() -> Harness {
    let mut stage = Harness::with_real_time();
    let viewer = program(option_env!("CARGO_BIN_EXE_canopy-viewer"));
    stage.app.own_engine_command = vec![viewer.to_owned(), "engine".to_owned()];
    stage.size = (1280, 800);
    stage.draw_frame();
    stage.draw_frame();
    stage
}

fn control(stage: &Harness, name: &str) -> Value {
    stage.frame.dump(&stage.app)["controls"][name].clone()
}

/// Waits for the first tree of a match.
fn wait_for_match(stage: &mut Harness) {
    stage.wait_until("a match is played", |app| {
        app.match_state().is_some() && app.document.model.is_some()
    });
}

#[test]
fn enter_starts_a_match_in_one_key() {
    let mut stage = open_start_screen();
    stage.press_key(Key::Enter);
    wait_for_match(&mut stage);
    stage.run_action(Action::GoHome);
    assert!(stage.app.is_at_start());
}

#[test]
fn the_cards_lead_to_something_alive() {
    let mut stage = open_start_screen();
    stage.click("start watch");
    wait_for_match(&mut stage);
    stage.run_action(Action::GoHome);
    stage
        .click("setup game othello")
        .click("quick side second")
        .click("start play");
    let is_thought_about =
        |app: &canopy_viewer::app::App| app.session.is_some() && app.document.model.is_some();
    stage.wait_until("the engine has begun the game", is_thought_about);
    let config = stage.app.session.as_ref().expect("a game").game.config();
    assert_eq!(config.game, "othello");
    assert!(config.participants[0].is_some() && config.participants[1].is_none());
    stage.run_action(Action::GoHome);
    stage.click("start open");
    stage.draw_frame();
    assert_eq!(control(&stage, "dialog path")["on"], true);
}

#[test]
fn pictures_start_what_they_show() {
    let mut stage = open_start_screen();
    stage.click("start play picture");
    assert!(stage.app.session.is_some());
    let mut stage = open_start_screen();
    stage.click("start watch picture");
    assert!(stage.app.followed_match.is_some());
}

#[test]
fn letters_start_what_the_cards_start() {
    let mut stage = open_start_screen();
    stage.press_key(Key::P);
    assert!(stage.app.session.is_some());
    let mut stage = open_start_screen();
    stage.press_key(Key::W);
    assert!(stage.app.followed_match.is_some());
    let mut stage = open_start_screen();
    stage.press_key(Key::O);
    stage.draw_frame();
    assert_eq!(control(&stage, "dialog path")["on"], true);
    // What is typed into the field starts nothing.
    stage.press_key(Key::W).press_key(Key::P);
    assert!(stage.app.is_at_start());
    stage.press_key(Key::Escape);
    stage.draw_frame();
    assert!(control(&stage, "dialog path").is_null());
}

#[test]
fn tab_walks_from_the_match_to_the_game_and_space_takes_what_has_the_focus() {
    let mut stage = open_start_screen();
    // The two sides and two people, then the strengths.
    for _ in 0..6 {
        stage.press_key(Key::Tab);
    }
    stage.press_key(Key::Space);
    let quick = serde_json::to_value(&stage.app.settings.quick).expect("JSON");
    assert_eq!(quick["strength"], "strong");
    stage.press_key(Key::Tab).press_key(Key::Enter);
    let session = stage.app.session.as_ref().expect("the game has begun");
    let engine = session.game.config().participants[1].clone();
    let limits = engine.and_then(|engine| engine.limits).expect("a limit");
    assert_eq!(limits.nodes, Some(30_000));
}

#[test]
fn a_strength_is_a_number_of_iterations() {
    for (strength, iterations) in [("easy", 300), ("fair", 3_000), ("strong", 30_000)] {
        let mut stage = open_start_screen();
        stage
            .click(&format!("quick strength {strength}"))
            .click("start play");
        let session = stage.app.session.as_ref().expect("the game has begun");
        let engine = session.game.config().participants[1].clone();
        let limits = engine.and_then(|engine| engine.limits).expect("a limit");
        assert_eq!(limits.nodes, Some(iterations), "{strength}");
    }
    let mut stage = open_start_screen();
    stage.click("quick side both");
    stage.draw_frame();
    assert_eq!(control(&stage, "quick strength easy")["on"], false);
}

#[test]
fn links_lead_to_the_form_of_experts_with_the_defaults_of_report_000() {
    let mut stage = open_start_screen();
    stage.click("start setup");
    stage.draw_frame();
    for name in [
        "setup game chess",
        "setup variant",
        "setup mode engine",
        "setup mode engines",
        "setup mode people",
        "setup person first",
        "setup person second",
        "setup games",
        "setup position",
        "setup delay",
        "setup animate",
        "setup ours second",
        "setup other second",
        "setup search second",
        "setup report 000 second",
        "setup by iterations second",
        "setup by milliseconds second",
        "setup iterations second",
        "setup cut playouts second",
        "setup playout limit second",
        "setup exploration second",
        "setup parameters second",
        "green and red",
        "start game",
    ] {
        assert!(!control(&stage, name).is_null(), "{name}");
    }
    assert_eq!(stage.app.settings.play, ViewerSettings::default().play);
    stage.fill_field("setup iterations second", "10001");
    stage.draw_frame();
    assert_eq!(control(&stage, "start game")["on"], false);
    // Escape leaves the field, then the form.
    stage.press_key(Key::Escape);
    stage.draw_frame();
    assert_eq!(control(&stage, "start game")["on"], false);
    stage.press_key(Key::Escape);
    stage.draw_frame();
    assert_eq!(control(&stage, "start watch")["on"], true);
    stage.click("start engine");
    stage.draw_frame();
    assert_eq!(control(&stage, "setup command second")["on"], true);
    stage.click("start back");
    stage.draw_frame();
    assert_eq!(control(&stage, "start watch")["on"], true);
}

#[test]
fn the_game_that_is_chosen_is_the_one_of_all_cards_and_of_the_form() {
    let mut stage = open_start_screen();
    stage.click("setup game delta").click("start setup");
    assert_eq!(stage.app.settings.play.game, "delta");
    stage.click("setup game kalah").click("start back");
    assert_eq!(stage.app.settings.quick.game, "kalah");
    assert!(control(&stage, "setup game tic-tac-toe").is_null());
}

#[test]
fn recent_trees_are_listed_and_what_is_missing_drops_out() {
    let scratch = Scratch::new("start-recent");
    let tree = scratch.0.join("small.csv");
    fs::write(&tree, ",3,0,0.5,,1\nx,2,0,0.5,,0\n").expect("a file can be written");
    let gone = scratch.0.join("gone.tree");
    let mut stage = open_start_screen();
    stage.app.settings.recent = vec![gone.clone(), tree.clone()];
    stage.draw_frame();
    stage.wait_until("it has dropped out", |app| {
        app.thumbnails.is_idle() && app.settings.recent.len() == 1
    });
    assert!(stage.app.message.is_none(), "quietly");
    stage.draw_frame();
    assert!(control(&stage, "recent 2").is_null());
    stage.click("recent 1");
    stage.wait_until("it is open", |app| app.document.model.is_some());
    assert_eq!(stage.app.document.shown_path, Some(tree));
}

#[test]
fn a_match_that_was_watched_is_listed() {
    let scratch = Scratch::new("start-kept");
    let mut stage = open_start_screen();
    stage.app.records_directory = Some(scratch.0.join("games"));
    stage.click("start watch");
    wait_for_match(&mut stage);
    stage.wait_until("it is remembered", |app| !app.settings.recent.is_empty());
    stage.run_action(Action::GoHome);
    let kept: Vec<PathBuf> = stage.app.settings.recent.clone();
    let matches = fs::canonicalize(scratch.0.join("matches")).expect("it is there");
    assert!(kept[0].starts_with(matches) && kept[0].is_dir(), "{kept:?}");
    stage.click("recent 1");
    stage.wait_until("its trees are shown", |app| {
        app.document.model.is_some() && app.match_state().is_some()
    });
}

#[test]
fn the_rules_are_read_with_the_keyboard() {
    let mut stage = open_start_screen();
    stage.size = (880, 560);
    stage.click("setup game chess").click("start rules");
    stage.draw_frame();
    assert_eq!(control(&stage, "rules")["on"], true);
    let mut picture_after = |keys: &[Key]| {
        for &key in keys {
            stage.press_key(key);
        }
        stage.draw_frame();
        control(&stage, "rules picture")["at"][1].as_f64()
    };
    let top = picture_after(&[]).expect("there is a picture");
    let line = picture_after(&[Key::ArrowDown]).expect("it is there");
    assert_eq!(line, top - 40.0);
    assert!(picture_after(&[Key::PageDown]).is_some_and(|page| page < line));
    let end = picture_after(&[Key::End]);
    assert_eq!(picture_after(&[Key::PageDown]), end, "there is no more");
    assert_eq!(picture_after(&[Key::Home]), Some(top));
    // Keys of the screen below do nothing.
    stage.press_key(Key::P).press_key(Key::Enter);
    assert!(stage.app.is_at_start());
    stage.press_key(Key::Escape);
    stage.draw_frame();
    assert!(control(&stage, "rules").is_null());
    stage.draw_frame();
    stage.press_key(Key::R);
    stage.draw_frame();
    assert_eq!(control(&stage, "rules")["on"], true);
}

#[test]
fn the_rules_are_at_hand_while_a_game_is_played() {
    let mut stage = open_start_screen();
    stage.click("quick side both").click("start play");
    stage.click("rules of game");
    stage.draw_frame();
    assert_eq!(control(&stage, "rules")["on"], true);
    stage.click("rules close");
    stage.draw_frame();
    assert!(control(&stage, "rules").is_null());
    stage.press_key(Key::R);
    stage.draw_frame();
    assert_eq!(control(&stage, "rules")["on"], true);
    stage.press_key(Key::Escape);
    stage.draw_frame();
    assert!(control(&stage, "rules").is_null());
    assert!(stage.app.session.is_some(), "the game goes on");
}

#[test]
fn everything_is_above_the_fold_at_the_design_size_and_reachable_below_it() {
    for scale in [1.0, 2.0] {
        let mut stage = Harness::dark();
        (stage.size, stage.scale) = ((1280, 800), scale);
        stage.draw_frame();
        for name in [
            "start watch",
            "start play",
            "start open",
            "lesson alpha-beta",
            "start setup",
            "start compare",
        ] {
            let at = control(&stage, name)["at"][1]
                .as_f64()
                .expect("it is there");
            assert!(at < 760.0 * f64::from(scale), "{name} at {at}");
        }
    }
    let mut stage = Harness::dark();
    stage.size = (800, 600);
    stage.draw_frame();
    let last = |stage: &Harness| control(stage, "start setup")["at"][1].as_f64();
    assert!(last(&stage).expect("it is there") > 600.0);
    // Tab brings the links into view.
    for _ in 0..9 {
        stage.press_key(Key::Tab);
    }
    for _ in 0..4 {
        stage.draw_frame();
    }
    assert!(last(&stage).expect("it is there") < 580.0);
}

#[test]
fn nothing_is_drawn_while_nothing_happens() {
    let mut stage = Harness::dark();
    stage.size = (1280, 800);
    stage.draw_frame();
    stage.wait_until("pictures are drawn", |app| app.thumbnails.is_idle());
    for _ in 0..5 {
        stage.draw_frame();
    }
    let input = idle_input(1280.0, 800.0, 1.0);
    let drawn = stage.frame.draw(&mut stage.app, input, (1280, 800));
    assert!(drawn.changed_rects.is_empty() && drawn.repaint_delay > Duration::from_secs(60));
}
