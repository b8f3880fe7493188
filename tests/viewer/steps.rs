//! The view Steps: one iteration in its four phases, its figures beside arithmetic of our own.

use std::{collections::BTreeMap, fs, path::PathBuf, time::Duration};

use canopy_engine::{
    games::{Game as _, connect_four::ConnectFour, notation::move_text},
    rng::Rng,
    tree::{
        files,
        meta::{self, Meta},
        replay_reader::{IterationRecord, ReplayReader},
    },
};
use canopy_viewer::{
    app::{Action, StepsAction},
    tree::{
        iteration::{IterationSteps, Phase},
        model::{JournalFeatures, ModelSource, TreeModel},
    },
};
use egui::Key;

use crate::{
    pictures::{Part, grow_model, grow_named},
    stage::Harness,
    support::{Scratch, window::viewer},
};

/// Moves to a position of connect four in which playouts are short.
fn late_moves() -> String {
    let mut rng = Rng::new(4);
    loop {
        let mut position = ConnectFour::start(());
        let mut moves = Vec::new();
        let mut played = Vec::new();
        for _ in 0..24 {
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let mv = moves[rng.below(moves.len() as u32) as usize];
            played.push(move_text(&position, mv));
            position.play(mv);
        }
        position.legal_moves(&mut moves);
        if moves.len() >= 5 && position.piece_count() == 24 {
            return played.join(" ");
        }
    }
}

/// Searches that position with a growth journal; the tree file.
fn grow_steps(scratch: &Scratch, search: &str, iterations: u64, playouts: bool) -> PathBuf {
    let playouts = if playouts { "--playouts" } else { "" };
    let position = format!("--moves '{}'", late_moves());
    let options = format!("{position} --search {search} --iterations {iterations} {playouts}");
    grow_named(scratch, "steps", &options)
}

/// The steps of an iteration as the view tells them, and what the journal says of it.
fn told(
    reader: &mut ReplayReader,
    meta: &Meta,
    iteration: u32,
) -> (IterationSteps, IterationRecord) {
    let mut model = |iteration: u32| {
        let taken = reader.tree_at(iteration, None).expect("a tree");
        TreeModel::new(ModelSource {
            meta: Some(meta.clone().into()),
            extra: Some(taken.extra.into()),
            journal: Some(JournalFeatures { has_table: false }),
            last_path_rows: taken.path.into(),
            ..ModelSource::of(taken.tree)
        })
    };
    let (before, after) = (model(iteration - 1), model(iteration).into());
    let record = reader.iteration_record(iteration).expect("it can be read");
    let record = record.expect("it is there");
    let steps = IterationSteps::new(iteration, &before, &after, Some(&record));
    (steps.expect("it is told"), record)
}

/// Visits and the sum of the first player's rewards, by the moves from the root.
#[derive(Default)]
struct Tally(BTreeMap<Vec<String>, (u32, f64)>);

impl Tally {
    fn of(&self, moves: &[String]) -> (u32, f64) {
        self.0.get(moves).copied().unwrap_or_default()
    }

    fn count(&mut self, record: &IterationRecord) {
        for end in 0..=record.path.len() {
            let (visits, sum) = self.0.entry(record.path[..end].to_vec()).or_default();
            *visits += 1;
            *sum += record.reward;
        }
    }

    /// UCT's score of a child for the player who chooses.
    fn score(&self, above: &[String], mv: &str, is_first: bool, constant: f64) -> f64 {
        let (all, _) = self.of(above);
        let (visits, sum) = self.of(&[above, &[mv.to_owned()]].concat());
        let mean = sum / f64::from(visits);
        let mean = if is_first { mean } else { 1.0 - mean };
        mean + constant * (f64::from(all).ln() / f64::from(visits)).sqrt()
    }
}

#[test]
fn every_figure_of_every_iteration_is_what_the_definition_says() {
    let scratch = Scratch::new("steps-figures");
    let tree = grow_steps(&scratch, "uct,exploration=1.41", 120, true);
    let sidecar = fs::File::open(tree.with_extension("json")).expect("a sidecar");
    let meta = meta::read(sidecar).expect("a sidecar");
    let journal = tree.with_extension("growth");
    let mut reader = ReplayReader::open(&journal, &meta.game, &meta.position).expect("a journal");
    // X begins, and 24 moves were made.
    let is_first = |plies: usize| plies.is_multiple_of(2);
    let mut tally = Tally::default();
    let mut compared = 0;
    for iteration in 1..=120 {
        let (steps, record) = told(&mut reader, &meta, iteration);
        for (depth, step) in steps.selection.iter().enumerate() {
            let above = &record.path[..depth];
            assert_eq!(step.parent_visits, u64::from(tally.of(above).0));
            assert_eq!(step.chooser, if is_first(depth) { "X" } else { "O" });
            let mut best = f64::NEG_INFINITY;
            let mut chosen = f64::NAN;
            for row in &step.rows {
                let score = tally.score(above, &row.name, is_first(depth), 1.41);
                best = best.max(score);
                chosen = if row.is_chosen { score } else { chosen };
                let written: f64 = row.score.parse().expect("a number");
                assert!(
                    (written - score).abs() < 0.0051,
                    "{iteration}: {row:?} {score}"
                );
                compared += 1;
            }
            assert!(chosen >= best - 1e-9, "iteration {iteration}, step {depth}");
        }
        let before: Vec<(u32, f64)> = (0..=record.path.len())
            .map(|end| tally.of(&record.path[..end]))
            .collect();
        tally.count(&record);
        assert_eq!(steps.updates.len(), record.path.len() + 1);
        for (end, update) in steps.updates.iter().enumerate() {
            let (visits, sum) = tally.of(&record.path[..end]);
            assert_eq!(update.visits, (u64::from(before[end].0), u64::from(visits)));
            assert!((update.share.1 - sum / f64::from(visits)).abs() < 1e-9);
            let earlier = (before[end].0 > 0).then(|| before[end].1 / f64::from(before[end].0));
            assert_eq!(update.share.0.is_some(), earlier.is_some());
            let difference = update
                .share
                .0
                .zip(earlier)
                .map_or(0.0, |(one, other)| one - other);
            assert!(difference.abs() < 1e-9, "{iteration}: {update:?}");
        }
        // A node was added unless the leaf had been visited before.
        let is_new = before.last().is_some_and(|(visits, _)| *visits == 0);
        assert_eq!(
            steps.expansion.new_move().is_some(),
            is_new && !record.path.is_empty()
        );
        let told = steps.playout.moves.clone().unwrap_or_default();
        assert_eq!(told, record.playout.clone().unwrap_or_default());
        assert_eq!(steps.visited_nodes, tally.0.len());
    }
    assert!(compared > 500, "{compared}");
}

fn open_steps(mut stage: Harness, tree: PathBuf) -> Harness {
    stage.size = (1280, 800);
    stage
        .run_action(Action::Open(vec![tree]))
        .wait_until("the tree is there", |app| app.document.model.is_some())
        .press_key(Key::Num3)
        .wait_until("the iteration is told", |app| app.steps.steps.is_some());
    stage
}

fn told_iteration(stage: &Harness) -> u32 {
    stage
        .app
        .steps
        .steps
        .as_ref()
        .map_or(0, |steps| steps.iteration)
}

#[test]
fn an_iteration_is_stepped_through_by_keys_and_played() {
    let scratch = Scratch::new("steps-keys");
    let tree = grow_steps(&scratch, "uct,exploration=1.41", 60, true);
    let mut stage = open_steps(Harness::dark(), tree);
    assert_eq!((told_iteration(&stage), stage.app.steps.stage), (30, 0));
    let stages = stage
        .app
        .steps
        .steps
        .as_ref()
        .map_or(0, |steps| steps.stages());
    for stage_number in 1..stages {
        stage.press_key(Key::ArrowRight);
        assert_eq!(stage.app.steps.stage, stage_number);
    }
    assert_eq!(stage.app.steps.phase(), Some(Phase::BackUp));
    stage
        .press_key(Key::ArrowRight)
        .wait_until("the next iteration", |app| {
            app.dump()["steps"]["iteration"] == 31
        });
    assert_eq!(stage.app.steps.stage, 0);
    stage
        .press_key(Key::ArrowLeft)
        .wait_until("the end of the one before", |app| {
            app.dump()["steps"]["iteration"] == 30
        });
    assert_eq!(stage.app.steps.stage, stages - 1);
    stage
        .press_key(Key::N)
        .wait_until("the next iteration", |app| {
            app.dump()["steps"]["iteration"] == 31
        });
    stage.click("phase play out");
    assert_eq!(stage.app.steps.phase(), Some(Phase::PlayOut));
    stage.click("slow motion 1 ×").press_key(Key::Space);
    assert!(stage.app.steps.is_playing());
    stage.advance_time(Duration::from_millis(700));
    assert_eq!(stage.app.steps.phase(), Some(Phase::BackUp));
    stage.wait_until("it plays on", |app| app.dump()["steps"]["iteration"] == 32);
    stage.press_key(Key::Space);
    assert!(!stage.app.steps.is_playing());
    assert_eq!(
        stage.app.view_due_at(),
        None,
        "a view that rests asks for no frame"
    );
}

#[test]
fn an_iteration_in_pictures() {
    let scratch = Scratch::new("steps-pictures");
    let tree = grow_steps(&scratch, "uct,exploration=1.41", 30, true);
    let mut dark = open_steps(Harness::dark(), tree.clone());
    dark.assert_part("steps-select-dark", Part::Window);
    dark.run_action(Action::Steps(StepsAction::GoTo(Phase::BackUp)));
    dark.assert_part("steps-dark", Part::Window);
    let mut light = open_steps(Harness::light(), tree);
    light.assert_part("steps-select-light", Part::Window);
    light.run_action(Action::Steps(StepsAction::GoTo(Phase::BackUp)));
    light.assert_part("steps-light", Part::Window);
}

#[test]
fn without_recorded_playouts_the_result_is_told_and_a_search_brings_them() {
    let scratch = Scratch::new("steps-result");
    let tree = grow_steps(&scratch, "uct,exploration=1.41", 300, false);
    let mut stage = Harness::with_real_time();
    stage.app.own_engine_command = vec![viewer().to_owned(), "engine".to_owned()];
    let mut stage = open_steps(stage, tree);
    // Of a long search an early iteration is told, whose tree is small.
    assert_eq!(told_iteration(&stage), 30);
    stage.click("phase play out").draw_frame();
    let results = stage.controls_after("playout: ");
    assert!(
        results
            .iter()
            .any(|text| text.ends_with(" won") || text == "drawn"),
        "{results:?}"
    );
    stage
        .click("search for steps")
        .wait_until("the search is over", |app| {
            app.dump()["steps"]["own"] == true
        })
        .wait_until("it is told", |app| {
            app.steps.steps.is_some() && !app.steps.is_searching
        });
    let state = stage.app.dump();
    // Those that end where the game is over have none.
    let playouts = state["steps"]["playouts"].as_u64();
    assert!(
        playouts.is_some_and(|count| (40..=60).contains(&count)),
        "{state}"
    );
}

#[test]
fn trees_without_iterations_say_so() {
    let mut stage = Harness::dark();
    stage.show_model(
        "othello.tree",
        grow_model("othello", "alpha-beta,depth=2", 500),
    );
    stage.press_key(Key::Num3);
    assert_eq!(stage.app.dump()["view"], "tree");
    let mut stage = Harness::dark();
    stage.show_model("othello.tree", grow_model("othello", "uct", 500));
    stage.press_key(Key::Num3).draw_frame();
    assert_eq!(stage.app.dump()["view"], "steps");
    stage.wait_until("it is known", |app| !app.steps.is_opening);
    stage.draw_frame();
    assert!(stage.has_control("search for steps"));
}

#[test]
fn a_large_tree_is_drawn_as_the_path_and_its_siblings() {
    let scratch = Scratch::new("steps-large");
    let tree = grow_steps(&scratch, "uct,exploration=1.41", 2000, true);
    let mut stage = open_steps(Harness::dark(), tree);
    stage
        .run_action(Action::Steps(StepsAction::Iteration(2000)))
        .wait_until("it is told", |app| app.dump()["steps"]["iteration"] == 2000);
    let steps = stage.app.steps.steps.clone().expect("it is told");
    assert!(steps.visited_nodes > 200 && steps.tree.nodes.len() < 100);
    assert_eq!(
        steps.tree.hidden,
        steps.visited_nodes - steps.tree.nodes.len()
    );
    let path = steps
        .tree
        .nodes
        .iter()
        .filter(|node| node.on_path.is_some());
    assert_eq!(path.count(), steps.updates.len());
}

#[test]
fn charts_of_a_tree_in_both_themes() {
    let scratch = Scratch::new("steps-chart-pictures");
    let tree = grow_steps(&scratch, "uct,exploration=1.41", 300, false);
    for (mut stage, name) in [
        (Harness::dark(), "charts-section-dark"),
        (Harness::light(), "charts-section-light"),
    ] {
        stage.size = (1280, 1500);
        stage
            .run_action(Action::Open(vec![tree.clone()]))
            .wait_until("the journal is read", |app| {
                app.document.model.is_some()
                    && (app.document.timeline.status.as_ref())
                        .is_some_and(|status| status.ended.is_some())
            });
        stage.draw_frame();
        stage.click("figures").click("charts");
        stage.assert_part(name, Part::Right);
    }
}

#[test]
fn the_command_charts_writes_figures_that_agree_with_the_tree() {
    let scratch = Scratch::new("steps-charts");
    let tree = grow_steps(&scratch, "uct,exploration=1.41", 300, false);
    let out = scratch.0.join("charts.csv");
    let mut command = std::process::Command::new(viewer());
    command.arg("charts").arg(&tree).arg("-o").arg(&out);
    assert!(command.status().expect("it runs").success());
    let csv = fs::read_to_string(&out).expect("a table");
    let read = files::read(&tree, None).expect("a tree").tree;
    let sizes = read.subtree_sizes();
    let children = read.children(0, &sizes);
    let below: i32 = children.map(|row| read.nodes()[row].visits).sum();
    assert!(csv.contains(&format!("levels,1,visits,{below}\n")), "{csv}");
    assert!(csv.contains("levels,0,visits,300\n"), "{csv}");
    assert!(csv.contains(",leads since iteration,"), "{csv}");
}
