//! The formula panel: its explanation at any iteration is what the search computes.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use canopy_engine::{
    catalog,
    games::{self, History, Playable, Visitor},
    search::{SearchLimits, SearchTask, StopFlag},
    session::search_job::{self, SearchDescription},
    tree::{
        columns::{self, Column, ColumnValues, Columns},
        files::{self, Format},
        meta::{self, Meta},
        replay_reader::{ReplayReader, ReplayTree},
        snapshot::SnapshotOptions,
        writer::{DEFAULT_MAX_JOURNAL_BYTES, TreeOutput, TreeOutputSettings},
    },
};
use canopy_viewer::{
    app::{Action, App},
    board::Board,
    tree::{
        formula::{self, SelectionExplanation},
        model::{Filter, JournalFeatures, ModelSource, TreeModel},
        scene::Measure,
    },
};

use crate::{stage::Harness, support::Scratch};

/// Runs two searches in a game, the second with the tree reused after the first one's best move, and writes their trees and
/// growth journals.
struct GrowTrees<'a> {
    directory: &'a Path,
    search: &'a str,
    extra: bool,
    iterations: u64,
}

impl Visitor for GrowTrees<'_> {
    type Out = ();

    fn visit<G: Playable>(self, rules: G::Rules) {
        let wanted = SnapshotOptions {
            extra: self.extra,
            ..SnapshotOptions::default()
        };
        let output = TreeOutput::open(
            TreeOutputSettings {
                directory: self.directory.to_owned(),
                format: Format::Tree,
                snapshot: wanted,
                snapshot_interval: None,
                max_journal_bytes: Some(DEFAULT_MAX_JOURNAL_BYTES),
            },
            Box::new(|text| panic!("{text}")),
        )
        .expect("a directory");
        let spec = catalog::parse::<G>(self.search).expect("a search");
        let mut search = catalog::build::<G>(&spec).expect("a search");
        let (mut position, mut history) = (G::start(rules), History::new());
        history.push(&position);
        for ply in 0..2 {
            let (limits, stop) = (SearchLimits::iterations(self.iterations), StopFlag::new());
            let about = SearchDescription {
                spec: &spec,
                name: self.search,
                ply,
            };
            let task = SearchTask::new(&position, &history, &limits, &stop);
            let best = search_job::search_and_record(&mut *search, task, &about, Some(&output)).mv;
            search.advance(best);
            position.play(best);
            history.push(&position);
        }
    }
}

pub(crate) fn grow_trees(
    scratch: &Scratch,
    game: &str,
    search: &str,
    extra: bool,
    iterations: u64,
) -> Vec<PathBuf> {
    let grow = GrowTrees {
        directory: &scratch.0,
        search,
        extra,
        iterations,
    };
    games::with_game(game, grow).expect("a game");
    scratch.files("tree")
}

fn read_sidecar(tree: &Path) -> Meta {
    let file = fs::File::open(tree.with_extension("json")).expect("a sidecar");
    meta::read(file).expect("a sidecar")
}

/// A replayed tree as the viewer's model.
fn model_of_replay(meta: &Meta, shot: ReplayTree) -> TreeModel {
    TreeModel::new(ModelSource {
        meta: Some(Arc::new(meta.clone())),
        extra: Some(Arc::new(shot.extra)),
        journal: Some(JournalFeatures {
            has_table: shot.has_table,
        }),
        ..ModelSource::of(shot.tree)
    })
}

fn explain_selection(model: &TreeModel, node: usize) -> SelectionExplanation {
    let meta = model.meta.as_ref().expect("a sidecar");
    let replayed = Board::after_moves(&meta.game, &meta.position, &model.moves_to(node));
    formula::explain_selection(
        model,
        node,
        replayed.ok().map(|replayed| replayed.legal_moves.len()),
    )
}

/// The row that holds the children of `row`'s node, which in a graph may be another row of the same node.
fn expanded_row(model: &TreeModel, row: usize) -> usize {
    let shared = model.tree.state(row).strip_prefix('=');
    shared.map_or(row, |number| number.parse::<usize>().expect("a row") - 1)
}

/// Walks the path of the iteration after `before` and asserts that the explanation at every node predicts the next move. Returns
/// the number of nodes.
fn check_iteration_path(before: &TreeModel, after: &ReplayTree, context: &str) -> usize {
    let mut asked = 0;
    let mut row = 0;
    for &next in &after.path[1..] {
        let name = after.tree.move_name(next as usize);
        row = expanded_row(before, row);
        let node = before.find_row(row as u32).expect("every row is shown");
        let children = before.child_rows(node);
        if children.is_empty() {
            break;
        }
        let why = explain_selection(before, node);
        asked += 1;
        let line = before.moves_to(node).join(" ");
        let found = (children.into_iter()).find(|&child| before.tree.move_name(child) == name);
        let Some(child) = found else {
            assert!(
                why.text.contains("never tried"),
                "{context}: {name} after {line:?}: {}",
                why.text
            );
            break;
        };
        let said = why
            .next_row
            .unwrap_or_else(|| panic!("{context}: {}", why.text));
        if said != child {
            let terms = |row: usize| {
                let terms = why.children.iter().find(|terms| terms.row == row);
                terms.expect("every child is shown").score()
            };
            // A graph does not try new moves strictly in their order, and what is equal may be rounded.
            let is_even = match (terms(said), terms(child)) {
                (None, None) => before.tree.nodes().len() > row && is_graph(before),
                (Some(one), Some(other)) => (one - other).abs() < 1e-12,
                _ => false,
            };
            assert!(
                is_even,
                "{context}: {name} after {line:?}, not {}",
                why.text
            );
        }
        row = child;
    }
    asked
}

fn is_graph(model: &TreeModel) -> bool {
    let meta = model.meta.as_ref().expect("a sidecar");
    meta.parameters["store"] == "graph"
}

#[test]
fn the_next_descent_is_the_one_that_the_search_makes() {
    for (game, search) in [
        ("connect-four", "uct"),
        ("kalah", "uct,solver=true"),
        ("connect-four", "uct,expansion=one,expand_on=1"),
        ("connect-four", "uct-fpu,fpu_value=0.8"),
        ("kalah", "uct,fpu=reduction,solver=true"),
        ("connect-four", "transposition,fpu=reduction"),
        ("kalah", "ucb1-tuned"),
        ("connect-four", "ucb1-tuned,reward_range=pm1"),
        ("connect-four", "transposition"),
        ("connect-four", "transposition,select=ucb1-tuned"),
        ("connect-four", "transposition-002"),
        ("connect-four", "transposition-002,entries=40"),
        ("connect-four", "transposition-002,select=ucb1-tuned"),
    ] {
        let scratch = Scratch::new(&format!("descents-{game}-{}", search.replace(',', "-")));
        let mut asked = 0;
        for tree in grow_trees(&scratch, game, search, false, 400) {
            let meta = read_sidecar(&tree);
            let journal = tree.with_extension("growth");
            let mut replay =
                ReplayReader::open(&journal, &meta.game, &meta.position).expect("a journal");
            for at in (0..40).chain((40..399).step_by(9)) {
                let before = model_of_replay(&meta, replay.tree_at(at, None).expect("a tree"));
                let after = replay.tree_at(at + 1, None).expect("a tree");
                let context = format!("{game}, {search}, after {at} iterations");
                asked += check_iteration_path(&before, &after, &context);
            }
        }
        assert!(asked > 100, "{game}, {search}: {asked}");
    }
}

fn shows_next_selection(app: &App) -> bool {
    let model = app.document.model.as_ref().expect("a tree");
    explain_selection(model, 0)
        .text
        .contains("the next descent goes to")
}

/// A journal suffices for the formula at any iteration and at the end, with extra records or without.
#[test]
fn a_journal_is_enough_for_the_formula() {
    for (search, extra) in [
        ("ucb1-tuned", false),
        ("transposition", false),
        ("transposition-002", false),
        ("transposition,select=ucb1-tuned", true),
    ] {
        let name = format!("formula-{}-{extra}", search.replace(',', "-"));
        let scratch = Scratch::new(&name);
        let trees = grow_trees(&scratch, "connect-four", search, extra, 300);
        let mut stage = Harness::dark();
        stage
            .run_action(Action::Open(vec![trees[1].clone()]))
            .wait_until("the end is known", |app| {
                app.document
                    .model
                    .as_ref()
                    .is_some_and(|model| model.extra.is_some())
                    && app.document.timeline.status.is_some()
                    && shows_next_selection(app)
            });
        for to in [1, 150, 299] {
            stage
                .run_action(Action::Scrub { to, moving: false })
                .wait_until("it is shown", |app| {
                    app.document.timeline.shown_iteration == Some(to)
                });
            assert!(shows_next_selection(&stage.app), "{search} after {to}");
        }
        stage
            .run_action(Action::ShowEnd)
            .wait_until("the end is shown again", |app| {
                app.document.timeline.shown_iteration.is_none() && shows_next_selection(app)
            });
    }
}

/// The priors of PUCT stand in a file of columns: with it the panel knows where the next iteration goes.
#[test]
fn a_file_of_columns_is_enough_for_puct() {
    for at in [20, 100, 250] {
        let [before, after] = [at, at + 1].map(|iterations| {
            let scratch = Scratch::new(&format!("puct-{iterations}"));
            let trees = grow_trees(&scratch, "connect-four", "puct", true, iterations);
            TreeModel::new(files::read(&trees[0], None).expect("a tree"))
        });
        let why = explain_selection(&before, 0);
        let next = why.next_row.unwrap_or_else(|| panic!("{}", why.text));
        let visits = |model: &TreeModel| -> Vec<(String, i32)> {
            let rows = model.child_rows(0).into_iter();
            rows.map(|row| {
                let name = model.tree.move_name(row).to_owned();
                (name, model.tree.nodes()[row].visits)
            })
            .collect()
        };
        let mut expected = visits(&before);
        for (name, visits) in &mut expected {
            *visits += i32::from(name == before.tree.move_name(next));
        }
        assert_eq!(visits(&after), expected, "after {at} iterations");
    }
}

/// Opens a tree of othello with a column `prior` beside it, the row's number: the later a row, the larger.
fn open_tree_with_column(scratch: &Scratch) -> (Harness, Arc<TreeModel>) {
    let tree = grow_trees(scratch, "othello", "puct", true, 300).remove(0);
    let rows = files::read(&tree, None).expect("a tree").tree.nodes().len();
    let priors = Columns {
        rows: rows as u64,
        columns: vec![Column {
            name: "prior".to_owned(),
            unit: String::new(),
            labels: Vec::new(),
            values: ColumnValues::F64((0..rows).map(|row| row as f64).collect()),
        }],
    };
    let mut bytes = Vec::new();
    columns::write(&priors, &mut bytes).expect("memory takes every byte");
    fs::write(tree.with_extension("columns"), bytes).expect("it can be written");
    let mut stage = Harness::dark();
    // High enough that all of the right panel is in view.
    stage.size.1 = 1400;
    stage
        .run_action(Action::Open(vec![tree]))
        .wait_until("it is there, and its timeline", |app| {
            app.document.model.is_some() && app.document.timeline.status.is_some()
        });
    let model = stage.app.document.model.clone().expect("a tree");
    (stage, model)
}

#[test]
fn a_column_orders_the_children_that_are_listed() {
    let scratch = Scratch::new("ordered-by-column");
    let (mut stage, model) = open_tree_with_column(&scratch);
    let listed = |stage: &mut Harness| -> Vec<usize> {
        stage.draw_frame();
        let dump = stage.frame.dump(&stage.app);
        let top = |row: usize| {
            let control = &dump["controls"][format!("child {}", row + 1).as_str()];
            control["at"][1].as_f64().expect("it is listed")
        };
        let mut rows = model.child_rows(0);
        rows.sort_by(|&one, &other| top(one).total_cmp(&top(other)));
        rows
    };
    let mut by_prior = model.child_rows(0);
    by_prior.reverse();
    assert_ne!(listed(&mut stage), by_prior);
    stage.click("order by prior");
    assert_eq!(listed(&mut stage), by_prior);
}

/// The pixels between the focused node and its children, where there are only edges, once they are drawn at full quality.
fn edge_pixels(stage: &mut Harness) -> Vec<[u8; 4]> {
    stage.advance_time(Duration::from_secs(1));
    stage.draw_frame();
    let state = stage.app.dump();
    let places = state["places"].as_array().expect("there are places");
    let y = |node: usize| places[node][2].as_f64().expect("a number");
    let [top, bottom] = [0.4, 0.6].map(|part| (y(0) + (y(1) - y(0)) * part) as usize);
    assert!(top + 2 < bottom, "{top} to {bottom}");
    let picture = stage.frame.picture().expect("a frame");
    let width = picture.width() as usize;
    let left = stage.app.navigation.canvas_origin.0 as usize;
    let right = left + stage.app.navigation.canvas.width as usize;
    let (pixels, _) = picture.data().as_chunks::<4>();
    (top..bottom)
        .flat_map(|row| pixels[row * width + left..row * width + right].to_vec())
        .collect()
}

#[test]
fn a_click_on_a_column_colours_the_edges_by_it() {
    let scratch = Scratch::new("coloured-by-column");
    let (mut stage, model) = open_tree_with_column(&scratch);
    let rows = model.tree.nodes().len();
    let range = model.column_range(0).expect("a column").whole;
    assert_eq!(range, (1.0, (rows - 1) as f64));
    assert_eq!(stage.app.look().scale.measure, Measure::Visits);
    let by_visits = edge_pixels(&mut stage);
    stage.click("colour menu").click("colour by prior");
    stage.app.navigation.selected = None;
    assert_eq!(stage.app.look().scale.measure, Measure::Column(0));
    let by_prior = edge_pixels(&mut stage);
    assert_eq!(by_prior.len(), by_visits.len());
    assert!(by_prior != by_visits, "other colours");
    stage.click("colour menu").click("colour by visits");
    assert_eq!(stage.app.look().scale.measure, Measure::Visits);
    assert!(edge_pixels(&mut stage) == by_visits, "the same colours");
}

#[test]
fn a_tree_without_the_chosen_column_is_coloured_by_visits() {
    let scratch = Scratch::new("column-gone");
    let (mut stage, _) = open_tree_with_column(&scratch);
    stage.app.settings.measure = "column prior".to_owned();
    assert_eq!(stage.app.look().scale.measure, Measure::Column(0));
    stage.draw_frame();
    stage.app.settings.measure = "column gone".to_owned();
    assert_eq!(stage.app.look().scale.measure, Measure::Visits);
}

#[test]
fn hidden_children_are_a_row_of_the_list() {
    let scratch = Scratch::new("hidden-children");
    let trees = grow_trees(&scratch, "connect-four", "uct", false, 300);
    let mut stage = Harness::dark();
    stage
        .run_action(Action::Open(vec![trees[0].clone()]))
        .wait_until("it is there", |app| app.document.model.is_some());
    let has_row = |stage: &mut Harness| {
        stage.draw_frame();
        !stage.frame.dump(&stage.app)["controls"]["hidden children"].is_null()
    };
    assert!(!has_row(&mut stage));
    let all = explain_selection(stage.app.document.model.as_ref().expect("a tree"), 0);
    let filter = Filter {
        max_children: Some(2),
        ..Filter::default()
    };
    stage
        .run_action(Action::Filter(filter))
        .wait_until("it is filtered", |app| {
            app.document
                .model
                .as_ref()
                .is_some_and(|model| model.hidden > 0)
        });
    assert!(has_row(&mut stage));
    let some = explain_selection(stage.app.document.model.as_ref().expect("a tree"), 0);
    assert_eq!((some.children.len(), some.hidden), (2, 5));
    assert_eq!(some.next_row, all.next_row);
}
