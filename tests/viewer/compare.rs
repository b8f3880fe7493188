//! Two searches side by side.

use std::path::PathBuf;

use canopy_viewer::{
    app::{Action, CompareAction, View},
    tree::scene::Measure,
};
use egui::Key;
use serde_json::Value;

use crate::{
    pictures::Part,
    stage::Harness,
    support::{Scratch, program, window::grow},
};

const POSITION: &str = "6 3 6 6 4 4 7 4 4 5 1 3 1";
/// Eleven empty squares are left, so that all is solved at once.
const LATE: &str = "1 4 3 4 3 4 5 1 1 3 3 6 4 3 3 4 6 2 6 1 2 5 4 7 5 5 5 6 7 2 2";

/// Trees of two searches of one position, with their journals.
fn grow_pair(scratch: &Scratch, iterations: &str) -> [PathBuf; 2] {
    grow_pair_after(POSITION, scratch, iterations)
}

fn grow_pair_after(moves: &str, scratch: &Scratch, iterations: &str) -> [PathBuf; 2] {
    ["uct", "lgr2"].map(|name| {
        let out = scratch.0.join(name);
        let search = format!("{name},exploration=1.41,seed=1");
        let limit = format!("--iterations {iterations} --journal");
        let options = format!("--game connect-four --moves '{moves}' --search {search} {limit}");
        grow(&out, &options).remove(0)
    })
}

fn state(stage: &Harness) -> Value {
    stage.app.dump()["compare"].clone()
}

/// Shows both, and waits until they are there.
fn compare(mut stage: Harness, pair: &[PathBuf; 2]) -> Harness {
    stage.run_action(Action::Compare(CompareAction::Open(pair.clone())));
    stage.wait_until("both are shown", |app| {
        assert_eq!(app.compare.problem, None);
        app.compare.shown.is_some() && app.document.model.is_some()
    });
    for _ in 0..3 {
        stage.draw_frame();
    }
    stage
}

#[test]
fn two_searches_in_both_themes() {
    let scratch = Scratch::new("compare-pictures");
    let pair = grow_pair(&scratch, "2000");
    for (mut stage, name) in [
        (Harness::dark(), "compare-dark"),
        (Harness::light(), "compare-light"),
    ] {
        stage.size = (1200, 780);
        let mut stage = compare(stage, &pair);
        assert_eq!(stage.app.shown_view(), View::Compare);
        stage.assert_part(name, Part::Window);
    }
}

/// Compares two searches of a late position, with the solver's marks.
fn compare_late(mut stage: Harness, scratch: &Scratch) -> Harness {
    let viewer = program(option_env!("CARGO_BIN_EXE_canopy-viewer"));
    stage.app.own_engine_command = vec![viewer.to_owned(), "engine".to_owned()];
    stage.size = (1280, 860);
    let mut stage = compare(stage, &grow_pair_after(LATE, scratch, "400"));
    stage
        .press_key(Key::V)
        .wait_until("all is solved", |app| {
            app.truth_waiting() == 0 && app.move_values(0).is_some()
        })
        .draw_frame();
    stage
}

/// The text of the control that begins so.
fn told(stage: &Harness, begin: &str) -> String {
    let dump = stage.frame.dump(&stage.app);
    let controls = dump["controls"].as_object().expect("controls");
    let mut found = controls.keys().filter(|name| name.starts_with(begin));
    found.next().cloned().unwrap_or_default()
}

#[test]
fn the_solver_says_which_search_is_right() {
    let scratch = Scratch::new("compare-truth");
    let mut stage = compare_late(Harness::with_real_time(), &scratch);
    // The moves of the root alone are asked about: no more is told.
    assert_eq!(stage.app.dump()["truth"]["positions"], 1);
    let shown = stage.app.compare.shown.clone().expect("it is shown");
    let chosen = [0, 1].map(|side| {
        let mut moves = shown.root_moves.iter();
        moves
            .find(|mv| mv.is_chosen[side])
            .expect("it has chosen")
            .name
            .clone()
    });
    // 6 is the only move that wins.
    let verdict = told(&stage, "compared: ");
    let is_right = chosen.clone().map(|mv| mv == "6");
    let expected = match is_right {
        [true, true] => "says both are right",
        [true, false] => "says A is right: 6 is the only move that wins. B gives",
        [false, true] => "says B is right: 6 is the only move that wins. A gives",
        [false, false] => "says both are wrong: 6 wins.",
    };
    assert!(verdict.contains(expected), "{chosen:?}: {verdict}");
    // From there to the view Why of either search, and back.
    for (side, letter) in ["A", "B"].into_iter().enumerate() {
        stage.click(&format!("compare why {letter}"));
        let path = stage.app.compare.path(side).map(std::path::Path::to_owned);
        stage.wait_until("why that search chose its move", |app| {
            app.shown_view() == View::Why
                && app.document.shown_path == path
                && app.dump()["why"]["moves"][0] == chosen[side].as_str()
        });
        stage.press_key(Key::Num4).draw_frame();
        assert_eq!(stage.app.shown_view(), View::Compare);
        assert!(stage.has_control("compared tree B"));
    }
}

#[test]
fn what_the_solver_says_in_both_themes() {
    for (is_dark, name) in [(true, "compare-truth-dark"), (false, "compare-truth-light")] {
        let scratch = Scratch::new(name);
        let stage = Harness::new(canopy_viewer::settings::ViewerSettings {
            dark: is_dark,
            ..Default::default()
        });
        compare_late(stage, &scratch).assert_part(name, Part::Window);
    }
}

#[test]
fn a_second_tree_is_asked_for_and_can_be_opened() {
    let scratch = Scratch::new("compare-second");
    let pair = grow_pair(&scratch, "100");
    for (mut stage, name) in [
        (Harness::dark(), "compare-second-dark"),
        (Harness::light(), "compare-second-light"),
    ] {
        stage.size = (1000, 600);
        stage.run_action(Action::Open(vec![pair[0].clone()]));
        stage.wait_until("a tree is shown", |app| app.document.model.is_some());
        stage.press_key(Key::Num4).draw_frame();
        assert_eq!(stage.app.compare.form[1].1, 100, "as long as the first");
        stage.assert_part(name, Part::Window);
        stage.click("open second").draw_frame();
        assert!(stage.has_control("folder above"), "a dialog lists files");
    }
}

#[test]
fn the_figures_are_those_of_both_trees_and_the_selection_goes_by_moves() {
    let scratch = Scratch::new("compare-figures");
    let pair = grow_pair(&scratch, "20000");
    let mut stage = Harness::dark();
    stage.size = (1280, 900);
    let mut stage = compare(stage, &pair);
    let shown = stage.app.compare.shown.clone().expect("it is shown");
    let of = |mv: &str| {
        shown
            .root_moves
            .iter()
            .find(|row| row.mv == mv)
            .expect("a move")
    };
    // The known search of this position: plain UCT stays with 3, which wins, last good reply goes to 2, which loses.
    assert_eq!(of("3").visits, [Some(16_187), Some(2758)]);
    assert_eq!(of("2").visits, [Some(616), Some(14_320)]);
    assert!(of("3").is_chosen[0] && of("2").is_chosen[1]);
    assert!((of("3").shares[0] - 16_187.0 / 19_999.0).abs() < 1e-9);
    assert_eq!(shown.common_moves(), 0);
    stage.click("compared move 2");
    assert_eq!(state(&stage)["selected"], "2");
    let nodes = [0, 1].map(|side| stage.app.compare.selected_node(side).expect("both have it"));
    for (side, node) in nodes.into_iter().enumerate() {
        assert_eq!(shown.sides[side].moves_to(node), ["2"]);
    }
    // The selection stays with its moves when the searches are exchanged.
    stage.press_key(Key::X);
    stage.wait_until("they are exchanged", |app| app.compare.shown.is_some());
    let shown = stage.app.compare.shown.clone().expect("it is shown");
    assert_eq!(
        shown.root_moves[0]
            .visits
            .map(|visits| visits.unwrap_or(0))
            .iter()
            .sum::<u64>(),
        18_945
    );
    assert_eq!(state(&stage)["names"], serde_json::json!(["LGR2", "UCT"]));
}

#[test]
fn one_handle_moves_both_journals_or_each_has_its_own() {
    let scratch = Scratch::new("compare-iterations");
    let pair = grow_pair(&scratch, "1500");
    let mut stage = compare(Harness::dark(), &pair);
    let total = |stage: &Harness, side: usize| {
        let shown = stage.app.compare.shown.as_ref().expect("it is shown");
        shown
            .root_moves
            .iter()
            .map(|mv| mv.visits[side].unwrap_or(0))
            .sum::<u64>()
    };
    assert_eq!([total(&stage, 0), total(&stage, 1)], [1499, 1499]);
    stage.run_action(Action::Compare(CompareAction::Scrub(0, 100)));
    let has = |app: &canopy_viewer::app::App, side: usize, wanted: u64| {
        let shown = app.compare.shown.as_ref();
        shown.is_some_and(|shown| {
            shown
                .root_moves
                .iter()
                .map(|mv| mv.visits[side].unwrap_or(0))
                .sum::<u64>()
                == wanted
        })
    };
    stage.wait_until("both are at 100", |app| has(app, 0, 99) && has(app, 1, 99));
    stage.click("one iteration");
    stage.run_action(Action::Compare(CompareAction::Scrub(1, 900)));
    stage.wait_until("only B is at 900", |app| {
        has(app, 0, 99) && has(app, 1, 899)
    });
    assert_eq!(state(&stage)["iterations"], serde_json::json!([100, 900]));
    stage.press_key(Key::Space);
    assert!(stage.app.compare.is_playing());
    stage.wait_until("it plays to the end", |app| !app.compare.is_playing());
}

#[test]
fn cameras_are_linked_until_they_are_not() {
    let scratch = Scratch::new("compare-cameras");
    let pair = grow_pair(&scratch, "500");
    let mut stage = compare(Harness::dark(), &pair);
    let cameras = |stage: &mut Harness| {
        [0, 1].map(|side| {
            let canvas = stage.app.compare.canvases[side];
            stage
                .app
                .compare
                .update_camera(side, canvas)
                .expect("it is shown")
        })
    };
    let zoom = |side: usize| Action::Compare(CompareAction::Zoom(side, 2.0, None));
    stage.run_action(zoom(0));
    let [one, other] = cameras(&mut stage);
    assert!(one.zoom() > 1.5 && (one.zoom() - other.zoom()).abs() < 1e-9);
    stage.press_key(Key::U).run_action(zoom(1));
    let [one, other] = cameras(&mut stage);
    assert!(other.zoom() > 1.5 * one.zoom());
    stage.run_action(Action::Compare(CompareAction::Measure(Measure::Visits)));
    stage.press_key(Key::Num1);
    assert_eq!(stage.app.shown_view(), View::Tree);
    stage.press_key(Key::Num4);
    stage.draw_frame();
    assert!(stage.has_control("compared tree A") && stage.has_control("compared tree B"));
}

#[test]
fn two_searches_are_run_from_the_start_screen() {
    let mut stage = Harness::dark();
    let viewer = program(option_env!("CARGO_BIN_EXE_canopy-viewer"));
    stage.app.own_engine_command = vec![viewer.to_owned(), "engine".to_owned()];
    stage.size = (1280, 1200);
    stage.draw_frame();
    stage.app.compare.form = [
        ("uct,seed=1".to_owned(), 300),
        ("lgr2,seed=1".to_owned(), 300),
    ];
    stage.draw_frame();
    stage.click("start compare");
    stage.wait_until("both are shown", |app| {
        assert_eq!(app.compare.problem, None);
        app.compare.shown.is_some()
    });
    assert_eq!(state(&stage)["names"], serde_json::json!(["UCT", "LGR2"]));
    assert!(stage.app.settings.recent.is_empty());
}

#[test]
fn trees_of_two_positions_are_told_apart_and_one_tree_asks_for_another() {
    let scratch = Scratch::new("compare-wrong");
    let [one, _] = grow_pair(&scratch, "100");
    let out = scratch.0.join("other");
    let other = grow(&out, "--game kalah --iterations 100").remove(0);
    let mut stage = Harness::dark();
    stage.run_action(Action::Open(vec![one.clone()]));
    stage.wait_until("a tree is shown", |app| app.document.model.is_some());
    stage.press_key(Key::Num4);
    stage.draw_frame();
    assert!(stage.has_control("second go"));
    stage.run_action(Action::Compare(CompareAction::OpenSecond(other)));
    stage.wait_until("it is told", |app| app.compare.problem.is_some());
    let problem = stage.app.compare.problem.clone().expect("it is told");
    assert!(problem.contains("connect-four and kalah"), "{problem}");
}

/// Two trees of a million nodes: frames while one zooms and pans. Takes a minute; prints the percentiles.
#[test]
#[ignore = "a measurement"]
fn frames_of_two_trees_of_a_million_nodes() {
    let scratch = Scratch::new("compare-million");
    let pair = grow_pair(&scratch, "600000");
    let mut stage = Harness::with_real_time();
    stage.size = (1600, 1000);
    let mut stage = compare(stage, &pair);
    stage.run_action(Action::Compare(CompareAction::Children(None)));
    stage.wait_until("all nodes are shown", |app| {
        let shown = app.compare.shown.as_ref();
        shown.is_some_and(|shown| shown.sides[0].len() > 1_000_000)
    });
    let sizes = state(&stage)["nodes"].clone();
    let mut times = Vec::new();
    for step in 0..200 {
        let by = if step % 40 < 20 { 1.25 } else { 0.8 };
        let at = (f64::from(step % 7) * 100.0 + 50.0, 200.0);
        for action in [
            CompareAction::Zoom(0, by, Some(at)),
            CompareAction::Pan(1, 15.0, -5.0),
        ] {
            stage.app.dispatch(Action::Compare(action));
        }
        let begun = std::time::Instant::now();
        stage.draw_frame();
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times[times.len() * part / 100];
    crate::support::print_uncaptured(&format!(
        "{sizes} nodes: frames {:.1} ms, 95 % below {:.1} ms, 99 % below {:.1} ms\n",
        at(50),
        at(95),
        at(99)
    ));
}
