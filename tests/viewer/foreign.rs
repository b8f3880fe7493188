//! Programs of others: the wrong dialect, the options that they declare, and the trees that they write.

use std::{fs, path::Path, time::Duration};

use canopy_viewer::{
    app::{Action, App},
    settings::ViewerSettings,
    tree::formula,
};

use crate::{
    pictures::Part,
    play::{await_turn, click_squares, game_plan, move_list, parse_engine, start_game},
    stage::Harness,
    support::{Scratch, data},
};

/// The command of a program that speaks UCI alone, and writes what it is told to a file.
fn uci_command(log: &Path) -> String {
    format!("sh {} {}", data("engines/uci.sh").display(), log.display())
}

/// The form of a new game of chess against that program, in its dialect or not.
fn open_form(log: &Path, dialect: &str) -> Harness {
    let mut stage = Harness::with_real_time();
    stage.size = (1280, 1000);
    stage
        .click("start setup")
        .click("setup game chess")
        .click("setup other second")
        .fill_field("setup command second", &uci_command(log))
        .click(&format!("setup {dialect} second"));
    stage
}

fn ask_for_options(stage: &mut Harness) {
    stage.click("setup options second");
    stage.wait_until("it has answered", |app| app.option_query.is_none());
    stage.draw_frame();
}

fn invalid_fields(app: &App) -> Vec<String> {
    let problems = app.dump()["setup"]["problems"].clone();
    let problems = problems.as_array().expect("a list").clone();
    (problems.iter())
        .filter_map(|problem| problem["field"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn a_program_in_the_wrong_dialect_gets_a_hint_after_two_seconds_and_plays_in_the_right_one() {
    let scratch = Scratch::new("foreign-hint");
    let command = uci_command(&scratch.0.join("log"));
    let engine = parse_engine(&format!("name=stockfish dialect=ugi {command}"));
    let mut stage = start_game(game_plan("chess", "", [None, engine]));
    click_squares(&mut stage, &["e2", "e4"]);
    stage.draw_frame();
    assert!(!stage.has_control("dialect hint"), "it may still answer");
    stage.advance_time(Duration::from_secs(2));
    stage.draw_frame();
    assert!(stage.has_control("dialect hint"));
    assert_eq!(stage.controls_after("try "), ["gtp", "uci"]);
    stage.click("try uci");
    await_turn(&mut stage);
    assert_eq!(move_list(&stage.app), ["e2e4", "e7e5"]);
    assert!(!stage.has_control("dialect hint"));
}

#[test]
fn a_program_is_asked_for_its_options_which_are_a_form() {
    let scratch = Scratch::new("foreign-form");
    let log = scratch.0.join("log");
    let mut stage = open_form(&log, "uci");
    ask_for_options(&mut stage);
    assert_eq!(
        stage.controls_after("setup option "),
        ["list second"],
        "folded"
    );
    stage.click("setup option list second").draw_frame();
    let options = [
        "Book File second",
        "Clear Hash second",
        "Hash second",
        "Ponder second",
        "Style second",
        "list second",
    ];
    // What the game decides is not offered.
    assert_eq!(stage.controls_after("setup option "), options);
    for bad in ["0", "1025", "many", ""] {
        stage.fill_field("setup option Hash second", bad);
        stage.draw_frame();
        assert_eq!(
            invalid_fields(&stage.app),
            ["option Hash second"],
            "{bad:?}"
        );
    }
    stage
        .fill_field("setup option Hash second", "64")
        .fill_field("setup option Book File second", "my book.bin")
        .click("setup option Ponder second")
        .click("setup option Clear Hash second")
        .click("setup option Style second")
        .click("setup option Style second Very Risky");
    stage.draw_frame();
    assert_eq!(invalid_fields(&stage.app), [""; 0]);
    fs::remove_file(&log).expect("it was told something");
    stage.click("start game");
    stage.wait_until("the game has begun", |app| app.session.is_some());
    click_squares(&mut stage, &["e2", "e4"]);
    await_turn(&mut stage);
    let told = fs::read_to_string(&log).expect("it was told something");
    let mut set: Vec<&str> = (told.lines())
        .filter(|line| line.starts_with("setoption"))
        .collect();
    set.sort_unstable();
    let expected = [
        "setoption name Book File value my book.bin",
        "setoption name Clear Hash",
        "setoption name Hash value 64",
        "setoption name Ponder value true",
        "setoption name Style value Very Risky",
    ];
    assert_eq!(set, expected);
}

#[test]
fn options_are_remembered_until_the_program_is_another_one() {
    let scratch = Scratch::new("foreign-kept");
    let mut stage = open_form(&scratch.0.join("log"), "uci");
    ask_for_options(&mut stage);
    stage
        .click("setup option list second")
        .fill_field("setup option Hash second", "32");
    stage.draw_frame();
    let text = serde_json::to_string(&stage.app.settings).expect("JSON");
    let read: ViewerSettings = serde_json::from_str(&text).expect("settings");
    assert_eq!(read, stage.app.settings);
    let options = |settings: &ViewerSettings| {
        let plan = settings.play.validate(&[]).expect("sound");
        plan.participants[1].clone().expect("an engine").options
    };
    let hash = [("Hash".to_owned(), "32".to_owned())];
    assert_eq!(options(&read), hash);
    let mut other = read.clone();
    other.play.engines[1].command = "another program".to_owned();
    assert!(options(&other).is_empty());
    // As the program has it is not said.
    stage.fill_field("setup option Hash second", "16");
    stage.draw_frame();
    assert!(options(&stage.app.settings).is_empty());
}

#[test]
fn the_form_hints_at_dialects_after_two_seconds_and_asks_again_in_another() {
    let scratch = Scratch::new("foreign-ask");
    let mut stage = open_form(&scratch.0.join("log"), "ugi");
    stage.click("setup options second");
    stage.draw_frame();
    assert!(!stage.has_control("dialect hint"));
    stage.advance_time(Duration::from_secs(2));
    stage.draw_frame();
    assert!(stage.has_control("dialect hint"));
    stage.click("try uci");
    stage.wait_until("it has answered", |app| app.option_query.is_none());
    stage.draw_frame();
    assert!(stage.has_control("setup option list second"));
    let engine = &stage.app.settings.play.engines[1];
    assert_eq!(engine.dialect.name(), "uci");
    assert_eq!(engine.declared_options().map(<[_]>::len), Some(5));
}

#[test]
fn a_program_that_is_not_there_is_told_of_in_the_form() {
    let mut stage = Harness::with_real_time();
    stage.size = (1280, 1000);
    stage
        .click("start setup")
        .click("setup other second")
        .fill_field("setup command second", "/no/such/program")
        .click("setup options second");
    let failure = |app: &App| (app.option_query.as_ref()).and_then(|query| query.failure_text());
    stage.wait_until("it has failed", |app| failure(app).is_some());
    stage.draw_frame();
    let text = failure(&stage.app).expect("a sentence");
    assert!(text.starts_with("program could not be started"), "{text}");
    assert!(!stage.has_control("dialect hint"), "it speaks no dialect");
}

#[test]
fn a_program_that_cannot_be_started_is_told_of_and_no_dialect_is_blamed() {
    let engine = parse_engine("name=nobody go='nodes 1' /no/such/program");
    let mut stage = start_game(game_plan("connect-four", "", [engine, None]));
    let trouble = |app: &App| app.dump()["game"]["trouble"].clone();
    stage.wait_until("it is told", |app| !trouble(app).is_null());
    stage.draw_frame();
    let text = trouble(&stage.app);
    let text = text.as_str().expect("a sentence");
    assert!(text.starts_with("nobody could not be started"), "{text}");
    assert!(stage.has_control("revive") && !stage.has_control("dialect hint"));
}

/// A search as a program of another language may print it: moves by their columns, with values from -1 to 1 of who made the move.
const FOREIGN_TREE: &str = r#"{"visits": 100, "value": 0.2, "state": "start", "children": [
    {"action": "left", "visits": 60, "value": 0.3, "p": 0.5, "children": [
        {"action": "up", "visits": 39, "value": -0.4, "p": 0.7},
        {"action": "down", "visits": 20, "value": 0.1, "p": 0.3}]},
    {"action": "middle", "visits": 30, "value": 0.1, "p": 0.3, "children": [
        {"action": "up", "visits": 29, "value": -0.1, "p": 1.0}]},
    {"action": "right", "visits": 9, "value": -0.5, "p": 0.2}]}"#;

#[test]
fn a_file_of_another_program_opens_with_its_mapping_and_the_formula_it_states() {
    let scratch = Scratch::new("foreign-tree");
    let file = scratch.0.join("search.json");
    fs::write(&file, FOREIGN_TREE).expect("it can be written");
    let mapping = "prior = \"p\"\nrange = \"-1..1\"\nvalue_for = \"mover\"\nsearch = \"my search\"\n\
         formula = \"mean + 2 * prior * sqrt(parent_visits) / (1 + visits)\"\n";
    fs::write(file.with_extension("toml"), mapping).expect("it can be written");
    let mut stage = Harness::dark();
    stage.run_action(Action::Open(vec![file]));
    stage.wait_until("it is read", |app| app.document.model.is_some());
    let model = stage.app.document.model.clone().expect("a tree");
    assert_eq!(model.len(), 7);
    // mean + 2 * prior * sqrt(100) / (1 + visits), the means from 0 to 1.
    let expected = [
        ("left", 0.65 + 10.0 / 61.0),
        ("middle", 0.55 + 6.0 / 31.0),
        ("right", 0.25 + 4.0 / 10.0),
    ];
    let values = expected.map(|(mv, value)| format!("{mv} {value:.3}"));
    let explanation = formula::explain_selection(&model, 0, None);
    assert_eq!(
        explanation.text,
        format!(
            "The file states mean + 2 * prior * sqrt(parent_visits) / (1 + visits): {}.",
            values.join(", ")
        )
    );
    stage.assert_part("imported-dark", Part::Window);
}
