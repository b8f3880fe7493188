//! The view Why: its sentences, its boards and charts, and what exact values say.

use std::path::Path;

use canopy_engine::{
    explain::truth::Judgement,
    games::{Game as _, Outcome, Player, connect_four::ConnectFour, notation},
    search::exact::ValueClass,
    tree::{files, replay_reader::ReplayReader},
};
use canopy_viewer::{
    app::{Action, App, NodeTruth, TruthMode, WhyAction},
    settings::ViewerSettings,
    tree::model::TreeModel,
};
use egui::Key;

use crate::{
    keyboard::assert_tooltips,
    pictures::{Part, classical_document, grow_document, grow_with_journal},
    stage::Harness,
    support::{
        Scratch,
        window::{engine, grow},
    },
};

/// Eleven empty squares are left; one move wins, and UCT does not find it.
const LATE: &str = "1 4 3 4 3 4 5 1 1 3 3 6 4 3 3 4 6 2 6 1 2 5 4 7 5 5 5 6 7 2 2";

fn late_moves() -> Vec<String> {
    LATE.split_whitespace().map(str::to_owned).collect()
}

/// A search of the late position, with the command that starts an engine.
fn late_search(mut stage: Harness) -> Harness {
    stage.app.own_engine_command = vec![
        crate::support::window::viewer().to_owned(),
        "engine".to_owned(),
    ];
    let document = grow_document("connect-four", &late_moves(), "uct", 400);
    stage.show_model("late.tree", TreeModel::new(document));
    stage
}

fn sentences(app: &App) -> Vec<String> {
    let dump = app.dump();
    (dump["why"]["sentences"].as_array().into_iter().flatten())
        .map(|text| text.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn open_with_journal(mut stage: Harness, tree: &Path) -> Harness {
    stage.run_action(Action::Open(vec![tree.to_owned()]));
    stage.wait_until("it is there", |app| {
        app.document.model.is_some() && app.document.timeline.status.is_some()
    });
    stage.press_key(Key::Num2);
    stage.wait_until("the journal has told who leads", |app| {
        sentences(app)
            .iter()
            .any(|text| text.contains("has led since"))
    });
    stage
}

#[test]
fn the_window_says_what_the_command_says_and_both_count_right() {
    let scratch = Scratch::new("why-sentences");
    let tree = grow_with_journal(&scratch);
    let stage = open_with_journal(Harness::dark(), &tree);
    let shown = sentences(&stage.app);
    let printed = engine(&["explain", tree.to_str().expect("a plain name")]);
    let printed: Vec<&str> = printed.lines().skip(1).map(|line| &line[3..]).collect();
    assert_eq!(shown, printed);

    // The same figures from the rows alone.
    let document = files::read(&tree, None).expect("a tree");
    let sizes = document.tree.subtree_sizes();
    let visits = |row: usize| document.tree.nodes()[row].visits;
    let mut rows: Vec<usize> = document.tree.children(0, &sizes).collect();
    rows.sort_by_key(|&row| -visits(row));
    let total: i32 = rows.iter().map(|&row| visits(row)).sum();
    let name = |row: usize| document.tree.move_name(row);
    let percent = f64::from(visits(rows[0])) / f64::from(total) * 100.0;
    let count = |number: i32| match number {
        ..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    };
    let expected = format!(
        "{} has {} visits ({percent:.1} %)",
        name(rows[0]),
        count(visits(rows[0]))
    );
    assert!(shown[0].contains(&expected), "{expected}: {shown:#?}");
    let mean = document.tree.nodes()[rows[0]].mean * 100.0;
    assert!(
        shown[1].contains(&format!("X wins {mean:.0} % after {}", name(rows[0]))),
        "{shown:#?}"
    );

    // Since when it leads, from the tree after every iteration.
    let journal = tree.with_extension("growth");
    let mut reader = ReplayReader::open(&journal, "connect-four", "startpos").expect("a journal");
    reader.poll().expect("it can be read");
    let at = |reader: &mut ReplayReader, iteration: u32, row: usize| {
        let taken = reader.tree_at(iteration, Some(40)).expect("a tree").tree;
        let sizes = taken.subtree_sizes();
        let found = taken
            .children(0, &sizes)
            .find(|&child| taken.move_name(child) == name(row));
        found.map_or(0, |child| taken.nodes()[child].visits)
    };
    let last_behind = (0..=reader.iterations()).rev().find(|&iteration| {
        at(&mut reader, iteration, rows[0]) <= at(&mut reader, iteration, rows[1])
    });
    let since = last_behind.map_or(0, |iteration| iteration as i32 + 1);
    let expected = format!("{} has led since iteration {}", name(rows[0]), count(since));
    assert!(shown[1].contains(&expected), "{expected}: {shown:#?}");
}

#[test]
fn other_moves_are_asked_about_by_a_card_and_an_exchange() {
    let mut stage = late_search(Harness::dark());
    stage.size = (1500, 1300);
    stage.press_key(Key::Num2).draw_frame();
    let moves = |app: &App| app.dump()["why"]["moves"].clone();
    let before = moves(&stage.app);
    let cards = stage.controls_after("why card ");
    let third = (cards.iter())
        .find(|card| before[0] != card.as_str() && before[1] != card.as_str())
        .expect("a third move");
    stage.click(&format!("why card {third}")).draw_frame();
    assert_eq!(moves(&stage.app)[0], before[0]);
    assert_eq!(moves(&stage.app)[1], third.as_str());
    assert!(sentences(&stage.app)[0].contains(&format!(", {third} has ")));
    let rows = stage.app.why.rows().expect("two moves");
    stage.run_action(Action::Why(WhyAction::Choose(0, rows[1])));
    stage.draw_frame();
    assert_eq!(
        moves(&stage.app)[0],
        third.as_str(),
        "they have changed places"
    );
    assert_eq!(moves(&stage.app)[1], before[0]);
}

#[test]
fn the_selected_move_is_the_one_that_is_asked_about() {
    let mut stage = late_search(Harness::dark());
    let model = stage.app.document.model.clone().expect("a tree");
    let best = model.best_child(0).expect("it has moves");
    let other = (model.children_of(0))
        .find(|&node| node != best)
        .expect("another move");
    let below = model.children_of(other).next().expect("an answer");
    let asked = |stage: &Harness| stage.app.dump()["why"]["moves"].clone();
    for (selected, not) in [(other, Some(other)), (below, Some(other)), (best, None)] {
        stage.press_key(Key::Num1);
        stage.app.navigation.selected = Some(selected);
        stage.press_key(Key::Num2).draw_frame();
        assert_eq!(asked(&stage)[0], model.move_text(best).as_ref());
        if let Some(not) = not {
            assert_eq!(asked(&stage)[1], model.move_text(not).as_ref());
        }
    }
}

#[test]
fn the_page_offers_to_ask_the_solver() {
    let mut stage = late_search(Harness::with_real_time());
    stage.press_key(Key::Num2).draw_frame();
    assert_eq!(stage.app.dump()["truth"]["positions"], 0);
    stage
        .click("ask solver")
        .wait_until("there is a verdict", |app| {
            app.truth_mode() == TruthMode::Regret && app.dump()["why"]["verdict"].is_string()
        });
    stage.draw_frame();
    assert!(!stage.has_control("ask solver") && stage.has_control("verdict"));
}

#[test]
fn keys_step_through_both_lines() {
    let mut stage = late_search(Harness::light());
    stage.press_key(Key::Num2).draw_frame();
    let step = |app: &App| app.why.steps();
    let (first, longest) = step(&stage.app);
    assert!(first > 1 && first <= longest);
    stage.press_key(Key::ArrowUp);
    assert_eq!(step(&stage.app).0, first - 1);
    for _ in 0..longest + 3 {
        stage.press_key(Key::ArrowDown);
    }
    assert_eq!(step(&stage.app).0, longest, "there is no more");
}

#[test]
fn an_earlier_iteration_does_not_tell_what_was_chosen() {
    let scratch = Scratch::new("why-earlier");
    let tree = grow_with_journal(&scratch);
    let mut stage = open_with_journal(Harness::dark(), &tree);
    stage.run_action(Action::Scrub {
        to: 300,
        moving: false,
    });
    stage.wait_until("it is shown", |app| {
        app.document.timeline.shown_iteration == Some(300)
    });
    stage.draw_frame();
    let text = sentences(&stage.app).join(" ");
    assert!(
        !text.contains("plays") && !text.contains("led since") && !text.contains("To be played"),
        "{text}"
    );
}

#[test]
fn a_tree_that_tells_too_little_has_a_sentence_instead() {
    let mut stage = Harness::dark();
    let rows = [canopy_engine::tree::TreeRow::new("", 3, 0.5, 0)];
    let tree = canopy_engine::tree::Tree::from_rows(rows).expect("a tree");
    stage.show_model(
        "bare.tree",
        TreeModel::new(canopy_viewer::tree::model::ModelSource::of(tree)),
    );
    stage.press_key(Key::Num2).draw_frame();
    assert!(
        stage.app.dump()["why"]["problem"]
            .as_str()
            .is_some_and(|text| text.contains("sidecar"))
    );
    stage.click("back to the tree");
    assert_eq!(stage.app.dump()["view"], "tree");
}

#[test]
fn every_control_of_the_view_has_a_tooltip() {
    let mut stage = late_search(Harness::dark());
    stage.size = (1500, 1300);
    stage.press_key(Key::Num2).draw_frame();
    assert_tooltips(&mut stage, Key::F6, 20);
}

/// The result of a position under best play, by looking at everything.
fn outcome_by_force(position: &ConnectFour) -> Outcome {
    if let Some(outcome) = position.outcome() {
        return outcome;
    }
    let mover = position.to_move();
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mut best = Outcome::Win(mover.opponent());
    for mv in moves {
        let mut next = *position;
        next.play(mv);
        match outcome_by_force(&next) {
            Outcome::Win(winner) if winner == mover => return Outcome::Win(mover),
            Outcome::Draw => best = Outcome::Draw,
            Outcome::Win(_) => {}
        }
    }
    best
}

fn position_after(moves: &[&str]) -> ConnectFour {
    let start: ConnectFour = notation::read_position((), "startpos").expect("the start");
    let mut position = start;
    let late = late_moves();
    for text in late.iter().map(String::as_str).chain(moves.iter().copied()) {
        position.play(notation::Notation::parse_move(&position, text).expect("a legal move"));
    }
    position
}

#[test]
fn marks_agree_with_looking_at_every_line() {
    let mut stage = late_search(Harness::with_real_time());
    assert_eq!(stage.app.truth_mode(), TruthMode::Off);
    stage.press_key(Key::Num2).click("truth marks and regret");
    stage.wait_until("all is solved", |app| {
        app.truth_mode() == TruthMode::Regret
            && app.truth_waiting() == 0
            && app.move_values(0).is_some()
    });
    let model = stage.app.document.model.clone().expect("a tree");
    let mut checked = 0;
    for node in 1..model.len() {
        let NodeTruth::Known { winner, judgement } = stage.app.node_truth(node) else {
            continue;
        };
        let moves = model.moves_to(node);
        let by_force = match outcome_by_force(&position_after(&moves)) {
            Outcome::Win(player) => Some(player),
            Outcome::Draw => None,
        };
        assert_eq!(winner, by_force, "{moves:?}");
        // Half points: 2 for a win of the mover, 1 for a draw.
        let mover = position_after(&moves[..moves.len() - 1]).to_move();
        let points = |winner: Option<Player>| match winner {
            None => 1,
            Some(player) => u32::from(player == mover) * 2,
        };
        let best = match outcome_by_force(&position_after(&moves[..moves.len() - 1])) {
            Outcome::Win(player) => points(Some(player)),
            Outcome::Draw => 1,
        };
        let lost = match judgement.expect("all moves are solved") {
            Judgement::Loses(halves) => halves,
            Judgement::Best | Judgement::Keeps => 0,
        };
        assert_eq!(lost, best - points(winner), "{moves:?}");
        checked += 1;
    }
    assert!(checked > 100, "{checked} nodes");
    assert!(stage.app.dump()["why"]["verdict"].is_string());
    // What is known stays known: nothing is asked again after another view.
    stage.press_key(Key::Num1).press_key(Key::Num2).draw_frame();
    assert_eq!(
        stage.app.move_values(0).map(Vec::len),
        Some(model.children_of(0).len())
    );
}

#[test]
fn nothing_is_asked_before_the_marks_are_switched_on() {
    let mut stage = late_search(Harness::dark());
    stage.press_key(Key::Num2).draw_frame();
    let dump = stage.app.dump();
    assert_eq!(dump["truth"]["mode"], "Off");
    assert_eq!(dump["truth"]["positions"], 0);
    assert_eq!(stage.app.node_truth(1), NodeTruth::NotAsked);
    stage.press_key(Key::E);
    assert!(
        stage.app.dump()["message"]
            .as_str()
            .is_some_and(|text| text.contains("marks on"))
    );
}

#[test]
fn pictures_of_the_truth() {
    for (is_dark, name) in [(true, "why-truth-dark"), (false, "why-truth-light")] {
        let mut stage = late_search(Harness::new(ViewerSettings {
            dark: is_dark,
            ..ViewerSettings::default()
        }));
        stage.size = (1300, 760);
        // What is asked depends on what is on screen, and the view needs some frames to find its size.
        stage.press_key(Key::Num2).settle();
        stage.press_key(Key::V).press_key(Key::V);
        stage.wait_until("all is solved", |app| {
            app.truth_waiting() == 0 && app.dump()["why"]["verdict"].is_string()
        });
        stage.assert_part(name, Part::Window);
    }
}

/// The journal's charts with what the moves are worth, and when the favourite was wrong.
#[test]
fn charts_have_the_exact_values() {
    let scratch = Scratch::new("why-exact");
    let options = format!(
        "--game connect-four --moves '{LATE}' --search uct,exploration=1.41,seed=1 --iterations 1500 --journal"
    );
    let tree = grow(&scratch.0, &options).remove(0);
    let mut stage = Harness::dark();
    stage.app.own_engine_command = vec![
        crate::support::window::viewer().to_owned(),
        "engine".to_owned(),
    ];
    stage.size = (1500, 900);
    let mut stage = open_with_journal(stage, &tree);
    stage.settle();
    stage.press_key(Key::V).press_key(Key::V);
    stage.wait_until("all is solved", |app| {
        app.truth_waiting() == 0 && app.dump()["why"]["verdict"].is_string()
    });
    stage.assert_part("why-exact-dark", Part::Below);
}

/// A losing move has a cross and a drawing one an equals sign, whatever the best move leads to.
#[test]
fn cards_and_nodes_have_the_same_marks() {
    let mut stage = late_search(Harness::with_real_time());
    stage.press_key(Key::Num2).press_key(Key::V);
    stage.wait_until("all is solved", |app| {
        app.truth_waiting() == 0 && app.dump()["why"]["verdict"].is_string()
    });
    let model = stage.app.document.model.clone().expect("a tree");
    let mover = position_after(&[]).to_move();
    for node in model.children_of(0) {
        let name = model.tree.move_name(model.row(node));
        let (class, _) = stage.app.root_truth(name).expect("it is solved");
        let NodeTruth::Known { winner, .. } = stage.app.node_truth(node) else {
            panic!("{name} is not known");
        };
        let expected = match winner {
            None => ValueClass::Draw,
            Some(player) if player == mover => ValueClass::Win,
            Some(_) => ValueClass::Loss,
        };
        assert_eq!(class, expected, "{name}");
        assert_eq!(stage.app.row_result(0, model.row(node)), Some(expected));
        // One ply deeper the marks are still those of the side to move at the root.
        for reply in model.children_of(node) {
            let NodeTruth::Known { winner, .. } = stage.app.node_truth(reply) else {
                continue;
            };
            let told = stage.app.row_result(node, model.row(reply));
            let is_win = winner == Some(mover);
            assert_eq!(
                told == Some(ValueClass::Win),
                is_win,
                "{name} and its answer"
            );
        }
    }
}

#[test]
fn pictures_of_the_view() {
    let scratch = Scratch::new("why-pictures");
    let tree = grow_with_journal(&scratch);
    for (mut stage, name) in [
        (Harness::dark(), "why-dark"),
        (Harness::light(), "why-light"),
    ] {
        stage.size = (1100, 680);
        open_with_journal(stage, &tree).assert_part(name, Part::Window);
    }
    for (mut stage, name) in [
        (Harness::dark(), "why-classical-dark"),
        (Harness::light(), "why-classical-light"),
    ] {
        stage.size = (1000, 640);
        stage.show_model(
            "kalah.tree",
            TreeModel::new(classical_document("kalah", "", 4)),
        );
        stage.press_key(Key::Num2).draw_frame();
        stage.assert_part(name, Part::Left);
    }
}
