//! Lessons: what they state is so, and they can be taken.

use std::{collections::BTreeMap, fs, process::Command};

use canopy_engine::{
    catalog,
    games::{self, History, Playable, Visitor},
    search::{SearchLimits, SearchTask, StopFlag, exact::ValueClass},
    tree::{
        Tree,
        snapshot::{self, SnapshotOptions},
    },
};
use canopy_viewer::{
    app::{Action, LessonAction},
    play::{
        lesson::{Claim, Lesson, MoveResult},
        search_run::SearchOrder,
    },
    settings::ViewerSettings,
};
use egui::Key;

use crate::{
    pictures::Part,
    stage::Harness,
    support::{Scratch, program},
};

/// What a search of a lesson leaves behind.
struct Searched {
    tree: Option<Tree>,
    chosen: String,
    positions: u64,
}

/// Runs a search as the lesson's engine does.
fn search(order: &SearchOrder) -> Searched {
    struct RunSearch<'a>(&'a SearchOrder);
    impl Visitor for RunSearch<'_> {
        type Out = Searched;

        fn visit<G: Playable>(self, rules: G::Rules) -> Searched {
            let order = self.0;
            let mut start = G::start(rules);
            let mut history = History::new();
            history.push(&start);
            for text in order.moves.split_whitespace() {
                start.play(start.parse_move(text).expect("a legal move"));
                history.push(&start);
            }
            let spec = catalog::parse::<G>(&order.search).expect("a search");
            let mut search = catalog::build::<G>(&spec).expect("a search");
            let limits = match order.iterations {
                Some(iterations) => SearchLimits::iterations(iterations),
                None => SearchLimits::default(),
            };
            let stop = StopFlag::new();
            let choice = search.search(SearchTask::new(&start, &history, &limits, &stop));
            let tree = search.tree().map(|tree| {
                let taken = snapshot::take(tree, &SnapshotOptions::default());
                taken.expect("a tree of the game").tree
            });
            Searched {
                tree,
                chosen: games::notation::move_text(&start, choice.mv),
                positions: choice.report.nodes,
            }
        }
    }
    games::with_game(&order.game, RunSearch(order)).expect("a game")
}

/// Checks a claim; what is not so is told.
fn check_claim(lesson: &Lesson, claim: &Claim) {
    let mut order = lesson.order(claim.step - 1, None);
    if let Some(search) = &claim.search {
        order.search.clone_from(search);
    }
    order.iterations = claim.iterations.or(order.iterations);
    let found = search(&order);
    let told = format!("{}, step {}: {}", lesson.name, claim.step, order.search);
    if let Some(chosen) = &claim.chosen {
        assert_eq!(&found.chosen, chosen, "{told}");
    }
    if let Some(positions) = claim.searched {
        assert_eq!(found.positions, positions, "{told}");
    }
    let tree = found.tree.expect("it grows a tree");
    let root = &tree.nodes()[0];
    if let Some(moves) = claim.moves {
        assert_eq!(root.children, moves, "{told}");
    }
    if let Some(visits) = claim.root_visits {
        assert_eq!(root.visits as u64, visits, "{told}");
    }
    if let Some(nodes) = claim.nodes {
        assert_eq!(tree.nodes().len() as u64, nodes, "{told}");
    }
    let sizes = tree.subtree_sizes();
    for (mv, &visits) in &claim.visits {
        let mut children = tree.children(0, &sizes);
        let row = children.find(|&row| tree.move_name(row) == mv);
        let row = row.unwrap_or_else(|| panic!("{told}: no move {mv}"));
        assert_eq!(tree.nodes()[row].visits as u64, visits, "{told}, move {mv}");
    }
}

#[test]
fn what_the_lessons_state_of_searches_is_so() {
    for lesson in Lesson::built_in() {
        assert!(!lesson.claims.is_empty(), "{} states nothing", lesson.name);
        for claim in &lesson.claims {
            check_claim(&lesson, claim);
        }
    }
}

/// Every figure that a text states itself, instead of taking it from the tree, stands in a claim, in a question that
/// follows from one, or in the list of what needs none.
#[test]
fn texts_take_their_large_figures_from_the_tree_or_from_claims() {
    for lesson in Lesson::built_in() {
        let mut known: Vec<u64> = vec![1000];
        for claim in &lesson.claims {
            known.extend(claim.visits.values());
            known.extend(claim.searched);
            known.extend(claim.root_visits);
        }
        for (index, step) in lesson.steps.iter().enumerate() {
            known.extend(lesson.order(index, None).iterations);
            let because = step
                .question
                .as_ref()
                .map_or("", |question| &question.because);
            let text = format!("{} {because}", step.text).replace(',', "");
            let words = text.split(|sign: char| !sign.is_ascii_digit());
            for figure in words.filter_map(|word| word.parse::<u64>().ok()) {
                // Powers of seven are the positions of each ply.
                let is_power = [7, 49, 343, 2401].contains(&figure);
                assert!(
                    figure < 100 || is_power || known.contains(&figure),
                    "{}, step {}: {figure} is stated by no claim",
                    lesson.name,
                    index + 1
                );
            }
        }
    }
}

#[test]
fn results_of_moves_are_those_of_exact_solutions() {
    let mut solved: BTreeMap<String, String> = BTreeMap::new();
    let mut checked = 0;
    for lesson in Lesson::built_in() {
        for (index, step) in lesson.steps.iter().enumerate() {
            if step.results.is_empty() {
                continue;
            }
            let order = lesson.order(index, None);
            let key = format!("{} {}", order.game, order.moves);
            let told = solved.entry(key).or_insert_with(|| solve(&order));
            for (mv, &result) in &step.results {
                let found = result_of(mv, told);
                assert_eq!(
                    found,
                    Some(result),
                    "{}, step {}: {mv}",
                    lesson.name,
                    index + 1
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 30);
}

/// What the exact solver says of a position and its moves.
fn solve(order: &SearchOrder) -> String {
    let viewer = program(option_env!("CARGO_BIN_EXE_canopy-viewer"));
    let output = Command::new(viewer)
        .args([
            "engine",
            "solve",
            "--game",
            &order.game,
            "--moves",
            &order.moves,
        ])
        .output()
        .expect("the engine runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The result of a move for the side that makes it, from the solver's list: "  4  O wins in 25 plies, score +3".
fn result_of(mv: &str, told: &str) -> Option<MoveResult> {
    let mover = told
        .lines()
        .find_map(|line| line.split_once(" to move: "))?
        .0;
    let line = told.lines().find_map(|line| {
        let (name, rest) = line.trim().split_once("  ")?;
        // The rows of the board begin with a number, too.
        (name == mv && rest.contains(" pl")).then(|| rest.trim())
    })?;
    Some(match line.split_once(" wins") {
        Some((winner, _)) if winner == mover => MoveResult::Wins,
        Some(_) => MoveResult::Loses,
        None if line.starts_with("draw") => MoveResult::Draws,
        None => return None,
    })
}

/// The counts of the chart of exploration, from the same 40 searches for each value: 400 searches of 1,000 iterations.
#[test]
fn the_charts_counts_are_those_of_its_searches() {
    for lesson in Lesson::built_in() {
        for (index, step) in lesson.steps.iter().enumerate() {
            let Some(chart) = &step.chart else { continue };
            let order = lesson.order(index, None);
            let base = order
                .search
                .split(',')
                .next()
                .unwrap_or_default()
                .to_owned();
            for (value, &told) in chart.values.iter().zip(&chart.found) {
                let found = (1..=chart.of).filter(|seed| {
                    let order = SearchOrder {
                        search: format!("{base},{}={value},seed={seed}", chart.parameter),
                        ..order.clone()
                    };
                    search(&order).chosen == chart.found_move
                });
                assert_eq!(found.count() as u32, told, "{} = {value}", chart.label);
            }
        }
    }
}

fn open_lesson(name: &str, settings: ViewerSettings) -> Harness {
    // Synthetic time: on a busy machine a click in real time would last too long.
    let mut stage = Harness::new(settings);
    let viewer = program(option_env!("CARGO_BIN_EXE_canopy-viewer"));
    stage.app.own_engine_command = vec![viewer.to_owned(), "engine".to_owned()];
    stage.size = (1280, 1200);
    stage.draw_frame();
    stage.click(&format!("lesson {name}"));
    stage.size = (1280, 800);
    wait_for_tree(&mut stage);
    stage
}

/// Waits until the tree of the step is shown.
fn wait_for_tree(stage: &mut Harness) {
    stage.wait_until("the tree of the step is there", |app| {
        let state = app.lesson.as_ref().expect("a lesson is taken");
        assert_eq!(state.problem, None);
        !state.is_searching() && app.document.model.is_some()
    });
    stage.draw_frame();
}

#[test]
fn a_lesson_is_taken_from_the_start_screen_and_its_place_is_kept() {
    let mut stage = open_lesson("exploration", ViewerSettings::default());
    assert!(stage.has_control("lesson next") && !stage.has_control("start watch"));
    stage.click("lesson next");
    wait_for_tree(&mut stage);
    stage.press_key(Key::Escape);
    stage.wait_until("it is left", |app| app.is_at_start());
    let settings = stage.app.settings.clone();
    assert_eq!(settings.lessons["exploration"].step, 1);
    assert!(
        settings.recent.is_empty(),
        "trees of lessons are not listed"
    );
    let mut stage = open_lesson("exploration", settings);
    assert_eq!(stage.app.dump()["lesson"]["step"], 2);
    stage.click("lesson next").click("lesson next");
    stage.wait_until("it is over", |app| app.is_at_start());
    assert!(stage.app.settings.lessons["exploration"].is_done);
}

#[test]
fn a_slider_searches_anew_and_shows_how_visits_are_shared() {
    let mut settings = ViewerSettings::default();
    settings
        .lessons
        .entry("exploration".to_owned())
        .or_default()
        .step = 1;
    let mut stage = open_lesson("exploration", settings);
    stage.run_action(Action::Lesson(LessonAction::Slide(0)));
    stage.wait_until("both values were tried", |app| {
        app.lesson
            .as_ref()
            .is_some_and(|state| state.tried.len() == 2)
    });
    stage.draw_frame();
    let tried = stage.app.dump()["lesson"]["tried"].clone();
    assert_eq!(tried[0], serde_json::json!([0.0, "2"]));
    assert!(stage.has_control("tried 0") && stage.has_control("tried 0.35"));
    stage.run_action(Action::Lesson(LessonAction::Answer(1)));
    stage.draw_frame();
    assert!(stage.has_control("lesson verdict"));
}

#[test]
fn a_step_of_a_lesson_in_both_themes() {
    for (is_dark, name) in [(true, "lesson-dark"), (false, "lesson-light")] {
        let mut settings = ViewerSettings {
            dark: is_dark,
            ..ViewerSettings::default()
        };
        settings
            .lessons
            .entry("exploration".to_owned())
            .or_default()
            .step = 2;
        let mut stage = open_lesson("exploration", settings);
        stage.run_action(Action::Lesson(LessonAction::Slide(1)));
        stage.wait_until("both values were tried", |app| {
            app.lesson
                .as_ref()
                .is_some_and(|state| state.tried.len() == 2)
        });
        stage.assert_part(name, Part::Window);
    }
}

#[test]
fn a_question_that_was_answered_in_both_themes() {
    for (is_dark, name) in [
        (true, "lesson-question-dark"),
        (false, "lesson-question-light"),
    ] {
        let mut settings = ViewerSettings {
            dark: is_dark,
            ..ViewerSettings::default()
        };
        settings
            .lessons
            .entry("exploration".to_owned())
            .or_default()
            .step = 1;
        let mut stage = open_lesson("exploration", settings);
        stage.run_action(Action::Lesson(LessonAction::Slide(1)));
        stage.wait_until("both values were tried", |app| {
            app.lesson
                .as_ref()
                .is_some_and(|state| state.tried.len() == 2)
        });
        stage.run_action(Action::Lesson(LessonAction::Answer(1)));
        stage.assert_part(name, Part::Window);
    }
}

/// What the step states of the root's moves is marked in its tree, and in no other.
#[test]
fn results_are_marked_in_the_tree_of_the_step() {
    let mut stage = open_lesson("exploration", ViewerSettings::default());
    let model = stage.app.document.model.clone().expect("a tree");
    let marked = stage.app.lesson_results(&model);
    let told: BTreeMap<&str, ValueClass> = (marked.iter())
        .map(|&(node, class)| (model.tree.move_name(model.row(node)), class))
        .collect();
    assert_eq!(told.get("4"), Some(&ValueClass::Win));
    assert!(
        told.iter()
            .all(|(mv, class)| *mv == "4" || *class == ValueClass::Loss)
    );
    assert!(told.len() >= 3, "{told:?}");
    // Keys turn the pages.
    stage.press_key(Key::Enter);
    wait_for_tree(&mut stage);
    assert_eq!(stage.app.dump()["lesson"]["step"], 2);
    stage.press_key(Key::Backspace);
    wait_for_tree(&mut stage);
    assert_eq!(stage.app.dump()["lesson"]["step"], 1);
}

/// The view Steps shows the playouts of the lesson on iterations.
#[test]
fn the_searches_of_lessons_record_their_playouts() {
    let mut stage = open_lesson("four-steps", ViewerSettings::default());
    stage
        .press_key(Key::Num3)
        .wait_until("an iteration is told", |app| {
            app.steps.steps.is_some() && app.dump()["steps"]["playouts"].as_u64() > Some(10)
        });
    assert_eq!(stage.app.dump()["view"], "steps");
    assert!(stage.app.lesson.is_some());
}

#[test]
fn a_teachers_file_is_taken_and_a_mistake_is_told() {
    let scratch = Scratch::new("own-lesson");
    let path = scratch.0.join("mine.toml");
    let text = "title = \"Mine\"\nminutes = 1\ngame = \"kalah\"\nsearch = \"uct,seed=1\"\niterations = 50\n[[steps]]\ntitle = \"One\"\ntext = \"{nodes} nodes.\"\n";
    fs::write(&path, text).expect("it can be written");
    let mut stage = Harness::with_real_time();
    let viewer = program(option_env!("CARGO_BIN_EXE_canopy-viewer"));
    stage.app.own_engine_command = vec![viewer.to_owned(), "engine".to_owned()];
    stage.run_action(Action::Lesson(LessonAction::Open(path.clone())));
    wait_for_tree(&mut stage);
    fs::write(&path, text.replace("title = \"One\"", "titel = \"One\""))
        .expect("it can be written");
    stage.run_action(Action::Lesson(LessonAction::Open(path)));
    let message = stage.app.message.clone().expect("it is told").text;
    assert!(
        message.contains("line 7") && message.contains("titel"),
        "{message}"
    );
}
