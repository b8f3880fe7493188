//! Golden pictures of the window or a part of it, compared pixel by pixel.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use canopy_engine::{
    catalog,
    games::{self, History, Playable, Visitor, notation},
    search::{SearchLimits, SearchTask, StopFlag},
    tree::{
        TreeBuilder, TreeRow,
        files::{self, Document},
        meta::Meta,
        snapshot::{self, SnapshotOptions},
    },
};
use canopy_viewer::{
    app::{Action, App, Direction, GameAction, StatusMessage},
    play::GameConfig,
    tree::{
        camera::{Camera, Canvas},
        labels::{LabelledView, Labeller},
        model::{Filter, ModelSource, TreeModel},
        scene::{RenderOptions, Scene, build_scene},
    },
};
use tiny_skia::{IntRect, Pixmap};

use crate::{
    stage::Harness,
    support::{
        Scratch, data,
        match_fixture::{MatchFixture, write_tree_file},
        window::grow,
    },
};

/// The part of the window that a picture shows.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Window,
    /// The tree and what is drawn over it.
    Canvas,
    /// The panel on the left, and the bars above and below it.
    Left,
    /// The panel on the right.
    Right,
    /// The bars above the tree.
    Above,
    /// What lies below the tree, between the panels.
    Below,
}

impl Harness {
    /// Compares the whole window with its golden picture; `UPDATE=1` in the environment renews the picture.
    fn assert_picture(&mut self, name: &str) {
        self.assert_part(name, Part::Window);
    }

    /// Compares a part of the window.
    pub(crate) fn assert_part(&mut self, name: &str, part: Part) {
        wait_for_thumbnails(self);
        // Animations end, and drafts are redrawn at full quality.
        for _ in 0..7 {
            self.draw_frame();
        }
        let window = self.frame.picture().expect("a picture");
        let actual = &window.clone_rect(self.part_rect(part)).expect("a part");
        assert_pixmap(name, actual);
    }
}

/// Compares a picture with its golden one.
pub(crate) fn assert_pixmap(name: &str, actual: &Pixmap) {
    let path = data("pictures").join(format!("{name}.png"));
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::create_dir_all(data("pictures")).expect("the folder can be made");
        actual.save_png(&path).expect("the picture can be written");
        return;
    }
    let expected = Pixmap::load_png(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; UPDATE=1 writes it", path.display()));
    let size = |picture: &Pixmap| (picture.width(), picture.height());
    let differing = (actual.pixels().iter().zip(expected.pixels()))
        .filter(|(one, other)| one != other)
        .count();
    if size(actual) != size(&expected) || differing > 0 {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/pictures");
        fs::create_dir_all(&folder).expect("the folder can be made");
        let kept = folder.join(format!("{name}.png"));
        actual.save_png(&kept).expect("the picture can be written");
        panic!(
            "{name} looks different in {differing} pixels: see target/pictures/{name}.png; UPDATE=1 accepts it"
        );
    }
}

impl Harness {
    /// The place of a part, in pixels.
    fn part_rect(&self, part: Part) -> IntRect {
        let window = self.frame.picture().expect("a picture");
        let (width, height) = (window.width(), window.height());
        let navigation = &self.app.navigation;
        let (left, top) = navigation.canvas_origin;
        let (canvas_width, canvas_height) = (navigation.canvas.width, navigation.canvas.height);
        let (x, y, width, height) = match part {
            Part::Window => (0, 0, width, height),
            Part::Canvas => (
                left as u32,
                top as u32,
                canvas_width as u32,
                canvas_height as u32,
            ),
            Part::Left => (0, 0, left as u32, height),
            Part::Above => (0, 0, width, top as u32),
            Part::Below => {
                let bottom = (top + canvas_height) as u32;
                (left as u32, bottom, canvas_width as u32, height - bottom)
            }
            Part::Right => {
                let right = (left + canvas_width) as u32;
                (right, top as u32, width - right, canvas_height as u32)
            }
        };
        IntRect::from_xywh(x as i32, y as i32, width, height).expect("it is not empty")
    }
}

/// Searches, and gives the tree with a sidecar in which nothing depends on the machine.
pub(crate) fn grow_model(game: &str, search: &str, iterations: u64) -> TreeModel {
    TreeModel::new(grow_document(game, &[], search, iterations))
}

/// `search` with a fixed exploration constant, so that pictures do not depend on the presets.
fn pin_exploration(search: &str) -> String {
    match search {
        _ if search.starts_with("alpha-beta") => search.to_owned(),
        _ => format!("{search},exploration=1.41"),
    }
}

/// [`grow_model`] after some moves, as a document.
pub(crate) fn grow_document(
    game: &str,
    moves: &[String],
    search: &str,
    iterations: u64,
) -> Document {
    struct GrowDocument<'a>(&'a [String], &'a str, u64);
    impl Visitor for GrowDocument<'_> {
        type Out = Document;

        fn visit<G: Playable>(self, rules: G::Rules) -> Document {
            let Self(moves, search, iterations) = self;
            let mut start = G::start(rules);
            let mut history = History::new();
            history.push(&start);
            for text in moves {
                start.play(start.parse_move(text).expect("a legal move"));
                history.push(&start);
            }
            let spec = catalog::parse::<G>(&pin_exploration(search)).expect("a search");
            let mut search = catalog::build::<G>(&spec).expect("a search");
            let (limits, stop) = (SearchLimits::iterations(iterations), StopFlag::new());
            let choice = search.search(SearchTask::new(&start, &history, &limits, &stop));
            let tree = search.tree().expect("it grows a tree");
            let taken =
                snapshot::take(tree, &SnapshotOptions::default()).expect("a tree of the game");
            let meta = Meta {
                is_final: true,
                game: notation::full_name::<G>(rules),
                position: notation::position_text(&start),
                ply: moves.len() as u32,
                to_move: 1 + start.to_move().index() as u8,
                search: "uct".to_owned(),
                parameters: catalog::parameter_values(&spec),
                seed: 1,
                threads: 1,
                iterations,
                nodes: choice.report.nodes,
                milliseconds: 12,
                root: taken.root,
                chosen: Some(notation::move_text(&start, choice.mv)),
                ..Meta::default()
            };
            Document {
                tree: taken.tree,
                meta: Some(meta),
                extra: None,
                columns: None,
                problems: Vec::new(),
            }
        }
    }
    games::with_game(game, GrowDocument(moves, search, iterations)).expect("a game")
}

/// The tree of a classical search, without the principal variation in its sidecar.
pub(crate) fn classical_document(game: &str, moves: &str, depth: u32) -> Document {
    let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
    let search = format!("alpha-beta,depth={depth}");
    let mut document = grow_document(game, &moves, &search, 10_000_000);
    let meta = document.meta.as_mut().expect("it has a sidecar");
    (meta.iterations, meta.milliseconds) = (0, 0);
    meta.search = "alpha-beta".to_owned();
    document
}

/// A tree seen through a camera, with its labels.
pub(crate) fn labelled_scene(
    model: &Arc<TreeModel>,
    camera: &Camera,
    canvas: &Canvas,
    options: &RenderOptions,
) -> Scene {
    let mut scene = build_scene(model, camera, canvas, options, None, 1.0);
    let view = LabelledView {
        model,
        camera,
        canvas,
        options,
        selected: None,
        overlays: &[],
    };
    scene.labels = Labeller::default().place(&scene, &view);
    scene
}

/// A small tree without a sidecar, as from another program.
fn foreign_model(rows: &[(&str, i32, f64, &str, u32)]) -> TreeModel {
    let mut builder = TreeBuilder::default();
    for &(move_name, visits, mean, state, children) in rows {
        let row = TreeRow {
            move_name,
            visits,
            second: visits / 2,
            mean,
            state,
            children,
        };
        builder.push(&row).expect("a sound row");
    }
    TreeModel::new(ModelSource::of(builder.finish().expect("a whole tree")))
}

pub(crate) fn six_node_model() -> TreeModel {
    let document = files::read(&data("trees/six.csv"), None).expect("a tree");
    TreeModel::new(ModelSource::of(document.tree))
}

#[test]
fn a_classical_tree_shows_its_chosen_line_and_only_figures_that_it_has() {
    let mut stage = Harness::dark();
    let model = TreeModel::new(classical_document("connect-four", "4 4 3", 3));
    let chosen = model.meta.as_ref().and_then(|meta| meta.chosen.clone());
    let next = model.pv.get(1).map(|&node| model.move_text(node));
    assert_eq!(
        next.as_deref(),
        chosen.as_deref(),
        "blue is what was chosen"
    );
    stage
        .show_model("000001.tree", model)
        .assert_picture("alpha-beta");
}

#[test]
fn the_blue_line_of_a_classical_tree_is_the_line_its_sidecar_tells() {
    let scratch = Scratch::new("classical-line");
    for game in ["kalah", "chess"] {
        let options = "--search alpha-beta,depth=4 --iterations 9000000";
        grow(&scratch.0, &format!("--game {game} {options}"));
    }
    let trees = scratch.files("tree");
    assert_eq!(trees.len(), 2);
    for tree in trees {
        let document = files::read(&tree, None).expect("a tree");
        let meta = document.meta.clone().expect("it has a sidecar");
        assert_eq!(meta.line.first(), meta.chosen.as_ref());
        let model = TreeModel::new(document);
        let blue: Vec<&str> = (model.pv.iter().skip(1))
            .map(|&node| model.tree.move_name(model.row(node)))
            .collect();
        assert!(
            blue.len() > 1
                && meta
                    .line
                    .starts_with(&blue.iter().map(|&mv| mv.to_owned()).collect::<Vec<_>>()),
            "{blue:?} {:?}",
            meta.line
        );
    }
}

#[test]
fn the_help_page() {
    for (mut stage, keys, ideas) in [
        (Harness::dark(), "help", "help-ideas-dark"),
        (Harness::light(), "help-light", "help-ideas-light"),
    ] {
        stage
            .press_key(egui::Key::Questionmark)
            .assert_picture(keys);
        stage.click("help ideas").assert_picture(ideas);
    }
}

#[test]
fn a_palette_that_everybody_can_read_in_both_themes() {
    for (mut stage, name) in [
        (Harness::dark(), "palette-dark"),
        (Harness::light(), "palette-light"),
    ] {
        stage.size = (760, 560);
        stage.app.settings.folded = [true, true];
        stage.app.settings.measure = "mean".to_owned();
        stage.app.settings.select_palette(1);
        let model = grow_model("othello", "uct", 1500);
        stage.show_model("othello.tree", model).assert_picture(name);
    }
}

#[test]
fn before_there_is_a_tree() {
    let mut stage = Harness::dark();
    stage.run_action(Action::Open(vec!["/no/such/file.tree".into()]));
    stage
        .wait_until("it is so", |app| app.message.is_some())
        .assert_picture("no-such-file");
}

/// Shows the start screen at its design size, with these trees listed.
fn show_start_screen(mut stage: Harness, recent: &[PathBuf]) -> Harness {
    stage.size = (1280, 800);
    stage.app.settings.recent = recent.to_vec();
    stage.draw_frame();
    stage
}

/// Draws until every small picture is there.
fn wait_for_thumbnails(stage: &mut Harness) {
    stage.draw_frame();
    stage.wait_until("the pictures are drawn", |app| app.thumbnails.is_idle());
}

/// Shows the form for experts.
fn show_setup_page(stage: Harness) -> Harness {
    let mut stage = show_start_screen(stage, &[]);
    stage.click("start setup");
    stage
}

/// A tree file, a match and a file that cannot be read, all written two and a half hours ago.
fn write_recent_trees(scratch: &Scratch) -> Vec<PathBuf> {
    let tree = scratch.0.join("one.tree");
    let document = grow_document("othello", &[], "uct", 2000);
    let about = document.meta.expect("it has a sidecar");
    write_tree_file(&tree, &document.tree, &about);
    let directory = scratch.0.join("match");
    fs::create_dir(&directory).expect("it can be made");
    let mut fixture = MatchFixture::new(directory.clone(), "connect-four", 4);
    fixture.begin_game();
    fixture.write_tree(&[("4", 900), ("3", 300), ("5", 250), ("1", 50)]);
    fixture.play("4");
    let foreign = scratch.0.join("unreadable.tree");
    fs::write(&foreign, "no tree").expect("it can be written");
    let recent = vec![tree, directory, foreign];
    for path in &recent {
        let written = std::time::SystemTime::now() - Duration::from_secs(9000);
        let file = fs::File::open(path).expect("it is there");
        file.set_modified(written).expect("it can be dated");
    }
    recent
}

#[test]
fn the_start_screen() {
    let scratch = Scratch::new("pictures-start");
    let recent = write_recent_trees(&scratch);
    show_start_screen(Harness::dark(), &recent).assert_picture("start-dark");
    let mut stage = show_start_screen(Harness::light(), &[]);
    stage
        .click("setup game othello")
        .click("quick side second")
        .assert_picture("start-light");
    let mut stage = show_start_screen(Harness::dark(), &recent);
    stage.size = (800, 600);
    stage
        .click("setup game kalah")
        .assert_picture("start-small");
}

#[test]
fn the_rules_of_a_game() {
    for (mut stage, game, name) in [
        (Harness::dark(), "connect-four", "rules-dark"),
        (Harness::light(), "delta", "rules-light"),
    ] {
        stage.size = (800, 600);
        stage
            .click(&format!("setup game {game}"))
            .click("start rules")
            .assert_picture(name);
    }
}

#[test]
fn the_form_for_experts() {
    show_setup_page(Harness::dark()).assert_picture("setup-dark");
    let mut stage = show_setup_page(Harness::light());
    stage
        .click("setup game chess")
        .click("setup mode people")
        .assert_picture("start-people");
}

/// Shows a game between two people after `moves`.
pub(crate) fn show_game(mut stage: Harness, game: &str, position: &str, moves: &str) -> Harness {
    stage.size = (1280, 800);
    stage.run_action(Action::StartGame(Box::new(GameConfig {
        game: game.to_owned(),
        position: position.to_owned(),
        participants: [None, None],
        games: 1,
        animate: false,
        min_move_time: Duration::ZERO,
    })));
    for mv in moves.split_whitespace() {
        stage.run_action(Action::Game(GameAction::Move(mv.to_owned())));
    }
    stage
}

#[test]
fn games_in_the_window() {
    let line = "e2e4 e7e5 g1f3 b8c6 f1c4 d8f6 d2d3 f6f3";
    let mut chess = show_game(Harness::dark(), "chess", "", line);
    chess.click("square d1").assert_picture("play-chess-dark");
    show_game(Harness::light(), "othello", "", "f5 d6 c3 d3 c4")
        .assert_part("play-othello-light", Part::Left);
    show_game(Harness::dark(), "kalah", "", "3 5").assert_part("play-kalah-dark", Part::Left);
    show_game(Harness::light(), "delta", "", "b2 c3 b2b4")
        .assert_part("play-delta-light", Part::Left);
    show_game(Harness::dark(), "connect-four", "", "1 2 1 2 1 2 1")
        .assert_picture("play-over-dark");
    let mut pawn = show_game(
        Harness::light(),
        "chess",
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "",
    );
    pawn.click("square a7")
        .click("square a8")
        .assert_part("play-promotion-light", Part::Left);
}

#[test]
fn a_start_screen_on_which_much_is_wrong() {
    let mut stage = show_setup_page(Harness::dark());
    stage
        .click("setup game othello")
        .click("setup mode engines")
        .click("setup other second")
        .fill_field("setup command second", "./engine 'quiet")
        .fill_field("setup iterations first", "1e9")
        .fill_field("setup playout limit first", "9")
        .fill_field("setup exploration first", "-1")
        .fill_field("setup games", "100")
        .fill_field("setup position", "nowhere")
        .press_key(egui::Key::Escape)
        .assert_picture("start-errors");
}

#[test]
fn a_start_screen_with_all_parameters() {
    let mut stage = show_setup_page(Harness::light());
    stage
        .click("setup game connect-four")
        .click("setup report 002 second")
        .click("setup parameters second")
        .fill_field("setup parameter expand_on second", "3")
        .press_key(egui::Key::Escape)
        .assert_picture("start-parameters");
}

#[test]
fn small_trees() {
    Harness::dark()
        .show_model("six.tree", six_node_model())
        .assert_picture("six-dark");
    Harness::light()
        .show_model("six.tree", six_node_model())
        .run_action(Action::Select(Some(1)))
        .assert_picture("six-selected-light");
    let one = foreign_model(&[("", 0, 0.0, "", 0)]);
    Harness::dark()
        .show_model("one.csv", one)
        .assert_picture("one-node");
    let mut large = Harness::dark();
    large.scale = 2.0;
    large
        .show_model("six.tree", six_node_model())
        .assert_picture("six-hidpi");
}

#[test]
fn names_of_every_kind() {
    let long = "x".repeat(10_000);
    let strange = foreign_model(&[
        (
            "",
            9,
            0.5,
            "a root with a long name, which is cut off where there is no room for it",
            4,
        ),
        (&long, 4, 0.5, &long, 0),
        ("שלום עולם", 3, 0.5, "مرحبا", 0),
        ("tab\tand\nline", 2, 4.5, "", 0),
        ("♞ → 日本語 😀", 1, -2.0, "", 0),
    ]);
    Harness::dark()
        .show_model("strange.tree", strange)
        .run_action(Action::Select(Some(1)))
        .assert_picture("strange-names");
}

#[test]
fn a_search_at_every_zoom() {
    let model = || grow_model("othello", "uct", 5000);
    let mut stage = Harness::dark();
    stage
        .show_model("othello.tree", model())
        .assert_picture("othello-dark");
    stage
        .run_action(Action::MoveSelection(Direction::Down))
        .run_action(Action::MoveSelection(Direction::Down))
        .run_action(Action::FitSelected)
        .assert_part("othello-close", Part::Canvas);
    let mut stage = Harness::light();
    stage.app.settings.measure = "mean".to_owned();
    stage
        .show_model("othello.tree", model())
        .assert_part("othello-mean-light", Part::Canvas);
    let mut stage = Harness::light();
    stage.app.settings.edge_colours = Some([[0, 160, 60], [220, 30, 30]]);
    stage.app.settings.logarithmic = false;
    stage.app.settings.per_layer = true;
    stage.app.settings.folded = [true, false];
    stage
        .show_model("othello.tree", model())
        .run_action(Action::Zoom(6.0, Some((300.0, 200.0))))
        .assert_part("othello-report-colours", Part::Canvas);
}

#[test]
fn what_the_pointer_is_over_is_told() {
    let mut stage = Harness::dark();
    stage.show_model(
        "chess.tree",
        grow_model("chess", "uct,playout_limit=20", 400),
    );
    let (model, camera) = (
        stage.app.document.model.clone(),
        stage.app.navigation.camera,
    );
    let (model, camera) = (model.expect("a tree"), camera.expect("a camera"));
    let child = model.children_of(0).start + 9;
    let at = camera.to_canvas(&stage.app.navigation.canvas, model.x[child], 1.0);
    stage.move_pointer(at).assert_part("hover", Part::Canvas);
}

#[test]
fn a_hundred_thousand_nodes() {
    let mut stage = Harness::dark();
    stage
        .show_model(
            "connect-four.tree",
            grow_model("connect-four", "uct", 60_000),
        )
        .assert_part("dense-dark", Part::Canvas);
    stage
        .run_action(Action::Zoom(40.0, Some((200.0, 400.0))))
        .assert_part("dense-close", Part::Canvas);
    let mut stage = Harness::light();
    stage.app.settings.folded = [true, true];
    stage
        .show_model(
            "chess.tree",
            grow_model("chess", "uct,playout_limit=20", 3000),
        )
        .assert_part("dense-light", Part::Canvas);
}

/// Whether the filter hides nodes of the shown tree.
fn hides_nodes(app: &App) -> bool {
    (app.document.model.as_ref()).is_some_and(|model| model.hidden > 0)
}

#[test]
fn parts_of_a_tree() {
    let mut stage = Harness::dark();
    let filter = Filter {
        max_children: Some(2),
        sort_by_visits: true,
        ..Filter::default()
    };
    stage
        .show_model("delta.tree", grow_model("delta", "uct", 1500))
        .run_action(Action::Filter(filter))
        .wait_until("nodes are hidden", hides_nodes)
        .assert_part("two-best-children", Part::Canvas);
    stage
        .run_action(Action::Select(Some(1)))
        .run_action(Action::ToggleCollapsed)
        .wait_until("it is so", |app| {
            app.document
                .model
                .as_ref()
                .is_some_and(|model| model.children[1] == 0)
        })
        .assert_part("folded", Part::Canvas);
    let filter = Filter {
        merge_turns: true,
        min_visits: 20,
        ..Filter::default()
    };
    Harness::light()
        .show_model("kalah.tree", grow_model("kalah", "uct", 3000))
        .run_action(Action::Filter(filter))
        .wait_until("nodes are hidden", hides_nodes)
        .run_action(Action::MoveSelection(Direction::Down))
        .assert_part("kalah-turns", Part::Canvas);
}

/// Searches connect four with a growth journal; the tree file, in which nothing depends on the machine.
pub(crate) fn grow_with_journal(scratch: &Scratch) -> PathBuf {
    let search = pin_exploration("uct");
    let options = format!("--search {search} --iterations 2000");
    let tree = grow_named(scratch, "grown", &options);
    let named = tree.with_extension("json");
    let sidecar = fs::read_to_string(&named).expect("a sidecar");
    let mut sidecar: serde_json::Value = serde_json::from_str(&sidecar).expect("JSON");
    sidecar["milliseconds"] = 12.into();
    fs::write(named, sidecar.to_string()).expect("it can be written");
    tree
}

/// Searches connect four with a growth journal, under a name that does not tell the time; the tree file.
pub(crate) fn grow_named(scratch: &Scratch, name: &str, options: &str) -> PathBuf {
    let options = format!("--game connect-four --journal {options}");
    grow(&scratch.0, &options);
    let named = |extension: &str| scratch.0.join(format!("{name}.{extension}"));
    for extension in ["tree", "growth", "json"] {
        fs::rename(&scratch.files(extension)[0], named(extension)).expect("it can be renamed");
    }
    named("tree")
}

/// Opens a tree with its journal, after so many iterations.
fn show_growth(mut stage: Harness, tree: PathBuf, iteration: u32) -> Harness {
    stage
        .run_action(Action::Open(vec![tree]))
        .wait_until("it is so", |app| {
            app.document.model.is_some() && app.document.timeline.status.is_some()
        })
        .run_action(Action::Scrub {
            to: iteration,
            moving: false,
        })
        .wait_until("it is so", |app| {
            app.document.timeline.shown_iteration == Some(iteration)
        });
    stage
}

#[test]
fn a_tree_as_it_grew() {
    let scratch = Scratch::new("pictures");
    let tree = grow_with_journal(&scratch);
    show_growth(Harness::dark(), tree, 1234).assert_picture("growth");
}

#[test]
fn charts_of_the_moves_of_the_root() {
    let scratch = Scratch::new("pictures-charts");
    let tree = grow_with_journal(&scratch);
    let mut dark = Harness::dark();
    dark.size = (1280, 800);
    let mut dark = show_growth(dark, tree.clone(), 1234);
    dark.assert_picture("tree-dark");
    let mut light = Harness::light();
    (light.size, light.scale) = ((1280, 800), 2.0);
    let mut light = show_growth(light, tree.clone(), 700);
    light.assert_part("charts-light", Part::Below);
    let mut narrow = Harness::light();
    narrow.size = (1100, 760);
    show_growth(narrow, tree.clone(), 700).assert_part("charts-narrow-light", Part::Below);
    let mut hovered = Harness::dark();
    hovered.size = (1280, 800);
    let mut hovered = show_growth(hovered, tree, 700);
    let at = hovered.place_of("timeline").expect("the charts");
    hovered.hover_at(at).advance_time(Duration::from_secs(1));
    hovered.assert_part("charts-hovered-dark", Part::Below);
}

#[test]
fn the_bars_above_a_tree() {
    let scratch = Scratch::new("pictures-bars");
    let tree = grow_with_journal(&scratch);
    let folder = tree.parent().expect("it is in a folder").to_owned();
    for (mut stage, size, name) in [
        (Harness::light(), (1600, 1000), "bars-light"),
        (Harness::dark(), (1280, 800), "bars-dark"),
        (Harness::dark(), (800, 600), "bars-small"),
    ] {
        stage.size = size;
        stage.run_action(Action::Open(vec![folder.clone()]));
        stage.wait_until("a tree is shown", |app| app.document.model.is_some());
        stage.assert_part(name, Part::Above);
    }
    for (mut stage, name) in [
        (Harness::light(), "more-light"),
        (Harness::dark(), "more-dark"),
    ] {
        stage.size = (1280, 800);
        stage
            .show_model("othello.tree", grow_model("othello", "uct", 2000))
            .click("more")
            .assert_part(name, Part::Canvas);
    }
}

#[test]
fn the_panel_beside_a_tree() {
    for (mut stage, name) in [
        (Harness::dark(), "search-dark"),
        (Harness::light(), "search-light"),
    ] {
        stage.size = (1280, 800);
        stage
            .show_model("othello.tree", grow_model("othello", "uct", 2000))
            .assert_part(name, Part::Left);
    }
}

/// Follows a match, with a status message that does not name its directory, which depends on the machine.
fn follow_match(mut stage: Harness, fixture: &MatchFixture) -> Harness {
    stage.run_action(Action::FollowMatch {
        directory: fixture.directory.clone(),
        exit: false,
    });
    let moves = fixture.meta.moves.len();
    stage.wait_until("the match is there", |app| {
        let is_told = |moves: usize| {
            (app.match_state()).is_some_and(|standing| standing.moves.len() == moves)
        };
        is_told(moves) && app.document.model.is_some()
    });
    stage.app.message = Some(StatusMessage {
        text: "copied the position of the node".to_owned(),
        is_error: false,
        shown_at: Duration::from_secs(3600),
    });
    stage
}

/// Searches for the next move of the match and writes the tree.
fn write_search_tree(fixture: &mut MatchFixture, iterations: u64) {
    let moves = fixture.meta.moves.clone();
    let document = grow_document(&fixture.meta.game, &moves, "uct", iterations);
    let path = fixture.next_tree_path();
    fs::create_dir_all(fixture.game_directory()).expect("it can be made");
    let about = document.meta.expect("a sidecar");
    write_tree_file(&path, &document.tree, &about);
}

#[test]
fn a_match_under_way() {
    let scratch = Scratch::new("pictures-match");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "othello", 20);
    fixture.begin_game();
    fixture.end_game(None, "even");
    fixture.begin_game();
    fixture.end_game(Some(0), "discs");
    fixture.begin_game();
    fixture.meta.clocks = vec![62_400, 8_730];
    let record = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6";
    for at in (0..record.len()).step_by(2) {
        fixture.meta.moves.push(record[at..at + 2].to_owned());
        if at >= 24 {
            write_search_tree(&mut fixture, 900);
        }
    }
    fixture.write_match_json();
    let mut stage = follow_match(Harness::dark(), &fixture);
    stage.assert_picture("match-dark");
    stage
        .run_action(Action::StepTree(-1))
        .wait_until("it is so", |app| app.shown_move() == Some(14))
        .assert_part("match-back", Part::Left);
}

#[test]
fn a_match_that_is_over() {
    let scratch = Scratch::new("pictures-over");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "connect-four", 4);
    fixture.meta.score.names[1] = "lgr2,exploration=0.7,forgetting=true".to_owned();
    for winner in [Some(0), Some(1), None] {
        fixture.begin_game();
        fixture.end_game(winner, "told");
    }
    fixture.begin_game();
    for mv in ["4", "4", "3", "5", "2", "1", "5", "5", "6", "3", "6", "6"] {
        fixture.meta.moves.push(mv.to_owned());
    }
    write_search_tree(&mut fixture, 600);
    fixture.meta.moves.push("6".to_owned());
    fixture.end_game(Some(1), "four in line");
    follow_match(Harness::light(), &fixture).assert_part("match-over-light", Part::Left);
}

#[test]
fn a_match_that_has_not_begun() {
    let mut stage = Harness::dark();
    stage.run_action(Action::FollowMatch {
        directory: "/no/such/match".into(),
        exit: false,
    });
    stage
        .wait_until("the folder is missed", |app| {
            let awaits = app.waiting_text().unwrap_or_default();
            awaits.ends_with("it does not exist yet.")
        })
        .assert_picture("match-awaited");
}
