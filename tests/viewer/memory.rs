//! The viewer's memory stays within its budget; the part of a tree it shows under the budget is exact.

use std::{path::Path, process::Command};

use canopy_viewer::{
    app::{Action, App},
    settings::ViewerSettings,
};
use serde_json::Value;

use crate::{
    stage::Harness,
    support::{Scratch, program, window::grow},
};

const VIEWER: Option<&str> = option_env!("CARGO_BIN_EXE_canopy-viewer");
const ITERATIONS: u64 = 60_000;
/// The smallest memory budget, in megabytes.
const MIN_BUDGET_MB: u32 = 16;

/// Writes a tree with a growth journal of [`ITERATIONS`] iterations, both too large for the smallest budget.
fn write_large_tree(scratch: &Scratch) {
    let options = format!("--game connect-four --iterations {ITERATIONS} --journal");
    grow(&scratch.0, &format!("{options} --search uct"));
}

fn small_budget_harness(cache: &Path) -> Harness {
    Harness::new(ViewerSettings {
        memory: MIN_BUDGET_MB,
        cache: Some(cache.to_owned()),
        ..ViewerSettings::default()
    })
}

fn assert_within_budget(app: &App) {
    let (kept, most) = app.memory();
    assert_eq!(most, (MIN_BUDGET_MB as usize) << 20);
    assert!(kept <= most, "{kept} of {most}");
}

/// A stage with the settings window open.
fn open_settings() -> Harness {
    let mut stage = Harness::dark();
    stage.draw_frame();
    stage.press_key_with(egui::Modifiers::COMMAND, egui::Key::Comma);
    stage
}

#[test]
fn memory_and_cache_are_set_in_the_settings_window() {
    let scratch = Scratch::new("memory-settings");
    write_large_tree(&scratch);
    let cache = scratch.0.join("cache");
    let mut stage = open_settings();
    stage
        .fill_field("settings memory", &MIN_BUDGET_MB.to_string())
        .fill_field("settings cache", &cache.display().to_string())
        .click("settings apply");
    let settings = &stage.app.settings;
    assert_eq!(
        (settings.memory, &settings.cache),
        (MIN_BUDGET_MB, &Some(cache))
    );
    assert!(stage.app.dump()["error"].is_null());
    stage.draw_frame();
    assert!(stage.frame.dump(&stage.app)["controls"]["settings apply"].is_null());
    // The workers keep to it: the tree is shown in part.
    stage.run_action(Action::Open(vec![scratch.0.clone()]));
    stage.wait_until("a part is shown", |app| {
        let model = app.document.model.as_ref();
        model.is_some_and(|model| model.left_out > 0)
    });
    assert_within_budget(&stage.app);
}

#[test]
fn settings_that_cannot_be_are_refused_in_the_settings_window() {
    let scratch = Scratch::new("memory-refused");
    let file = scratch.0.join("file");
    std::fs::write(&file, "").expect("a file can be written");
    let file = file.display().to_string();
    for (field, text) in [
        ("settings memory", ""),
        ("settings memory", "-1"),
        ("settings memory", "many"),
        ("settings memory", "1048577"),
        ("settings cache", file.as_str()),
    ] {
        let mut stage = open_settings();
        stage.fill_field(field, text).click("settings apply");
        let settings = &stage.app.settings;
        assert_eq!((settings.memory, &settings.cache), (0, &None), "{text:?}");
        let state = stage.frame.dump(&stage.app);
        assert!(
            state["controls"]["settings apply"]["on"] == true,
            "{text:?}"
        );
    }
}

#[test]
fn a_tree_and_a_journal_too_large_for_the_budget_are_shown_in_part() {
    let scratch = Scratch::new("memory");
    write_large_tree(&scratch);
    let tree = scratch.files("tree").pop().expect("a tree");
    let mut stage = small_budget_harness(&scratch.0.join("cache"));
    stage.run_action(Action::Open(vec![tree]));
    let has_read = |app: &App| {
        let state = app.dump();
        state["iterations"] == ITERATIONS && state["indexing"].is_null() && state["live"] == false
    };
    stage.wait_until("the journal is indexed", has_read);
    assert_within_budget(&stage.app);
    let of = |app: &App, name: &str| app.dump()[name].as_u64().unwrap_or(0);
    // The tree of the file.
    let all = of(&stage.app, "nodes") + of(&stage.app, "left_out");
    assert!(of(&stage.app, "left_out") > 0 && of(&stage.app, "least_visits") > 1);
    for at in [1, 300, 41_234, ITERATIONS as u32] {
        let to = Action::Scrub {
            to: at,
            moving: false,
        };
        stage.run_action(to);
        stage.wait_until("the iteration is shown", |app| {
            of(app, "iteration") == u64::from(at)
        });
        assert_within_budget(&stage.app);
        assert_eq!(of(&stage.app, "visits"), u64::from(at));
        let model = stage.app.document.model.clone().expect("a tree");
        let least = model.least_visits;
        assert!((1..model.len()).all(|node| model.visits(node) as u32 >= least));
        if at == ITERATIONS as u32 {
            assert_eq!(model.len() as u64 + model.left_out, all);
            assert!(least > 1);
        }
    }
}

#[test]
fn a_process_that_shows_a_long_journal_stays_within_the_budget() {
    let scratch = Scratch::new("memory-process");
    write_large_tree(&scratch);
    let journal = scratch.files("growth").pop().expect("a journal");
    let output = Command::new(program(VIEWER))
        .args(["bench", "--json", "--memory", &MIN_BUDGET_MB.to_string()])
        .arg(&journal)
        .env("XDG_CACHE_HOME", scratch.0.join("cache"))
        .output()
        .expect("the viewer starts");
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).expect("an object");
    let number = |name: &str| told[name].as_u64().unwrap_or(0);
    assert_eq!(number("iterations"), ITERATIONS);
    assert!(number("index_bytes") > 0 && number("index_bytes") <= number("bytes"));
    let budget = u64::from(MIN_BUDGET_MB) << 20;
    assert!(number("memory_bytes") <= budget);
    // The process takes some itself, with its code; and where the system does not tell how much, there is nothing to compare.
    let peak = number("peak_bytes");
    assert!(peak <= budget + (24 << 20), "{peak}");
    assert!(number("shown") < number("nodes") && number("least_visits") > 1);
}
