//! Pictures of the whole window, drawn as the window draws them, pixel by pixel.

use std::{fs, path::PathBuf, time::Duration};

use canopy_engine::{
    catalog,
    games::{self, Game as _, History, Playable, Visitor, notation},
    search::{Limits, Stop, Task},
    session::recorded::{self, About},
    tree::{
        Builder, Row,
        files::{self, Document, Format},
        meta::Meta,
        snapshot::{self, Wanted},
        writer::{LONGEST_JOURNAL, Output, Settings as OutputSettings},
    },
};
use canopy_viewer::{
    app::{Action, Deed, Message, Way},
    model::{Model, Sift, Source},
    play::Plan,
};
use tiny_skia::Pixmap;

use crate::{
    stage::Stage,
    support::{
        Scratch,
        contest::{Contest, put_tree},
        data,
        window::engine,
    },
};

impl Stage {
    /// Demands that it looks as it did; with `UPDATE=1` in the environment it looks right now.
    fn matches(&mut self, name: &str) {
        // What moves comes to rest, and what is drawn in haste is drawn again with care.
        for _ in 0..7 {
            self.frame();
        }
        let actual = self.frame.picture().expect("a picture");
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
}

/// Searches, and gives the tree with a sidecar in which nothing depends on the machine.
fn grown(game: &str, search: &str, iterations: u64) -> Model {
    Model::new(grown_after(game, &[], search, iterations))
}

/// A Monte-Carlo search with a constant of its own: pictures are of what is drawn, whatever the presets are.
fn pinned(search: &str) -> String {
    match search {
        _ if search.starts_with("alpha-beta") => search.to_owned(),
        _ => format!("{search},exploration=1.41"),
    }
}

/// The same after some moves.
fn grown_after(game: &str, moves: &[String], search: &str, iterations: u64) -> Document {
    struct Grow<'a>(&'a [String], &'a str, u64);
    impl Visitor for Grow<'_> {
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
            let spec = catalog::parse::<G>(&pinned(search)).expect("a search");
            let mut search = catalog::build::<G>(&spec).expect("a search");
            let (limits, stop) = (Limits::iterations(iterations), Stop::new());
            let choice = search.choose(Task::new(&start, &history, &limits, &stop));
            let tree = search.tree().expect("it grows a tree");
            let taken = snapshot::take(tree, &Wanted::default()).expect("a tree of the game");
            let meta = Meta {
                is_final: true,
                game: notation::full_name::<G>(rules),
                position: notation::position_text(&start),
                ply: moves.len() as u32,
                to_move: 1 + start.to_move().index() as u8,
                search: "uct".to_owned(),
                parameters: catalog::settings(&spec),
                seed: 1,
                threads: 1,
                iterations,
                nodes: choice.report.nodes,
                milliseconds: 12,
                root: taken.root,
                chosen: Some(notation::move_text(&start, choice.best)),
                ..Meta::default()
            };
            Document {
                tree: taken.tree,
                meta: Some(meta),
                extra: None,
                problems: Vec::new(),
            }
        }
    }
    games::with_game(game, Grow(moves, search, iterations)).expect("a game")
}

/// The tree of a classical search, whose line its sidecar does not tell.
fn classical(game: &str, moves: &str, depth: u32) -> Document {
    let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
    let search = format!("alpha-beta,depth={depth}");
    let mut document = grown_after(game, &moves, &search, 10_000_000);
    let meta = document.meta.as_mut().expect("it has a sidecar");
    (meta.iterations, meta.milliseconds) = (0, 0);
    meta.search = "alpha-beta".to_owned();
    document
}

/// A small tree that somebody else made.
fn foreign(rows: &[(&str, i32, f64, &str, u32)]) -> Model {
    let mut builder = Builder::default();
    for &(move_name, visits, mean, state, children) in rows {
        let row = Row {
            move_name,
            visits,
            second: visits / 2,
            mean,
            state,
            children,
        };
        builder.push(&row).expect("a sound row");
    }
    Model::new(Source::of(builder.finish().expect("a whole tree")))
}

fn six() -> Model {
    foreign(&[
        ("", 100, 0.5, "Current player: 1", 3),
        ("white e2e4", 60, 0.61, "Current player: 2", 2),
        ("black e7e5", 35, 0.42, "Current player: 1", 0),
        ("black c7c5", 25, 0.47, "Current player: 1", 0),
        ("white d2d4", 30, 0.55, "Current player: 2", 0),
        ("white a2a3", 10, 0.31, "Current player: 2", 0),
    ])
}

#[test]
fn a_classical_tree_shows_its_chosen_line_and_only_figures_that_it_has() {
    let mut stage = Stage::dark();
    let model = Model::new(classical("connect-four", "4 4 3", 3));
    let chosen = model.meta.as_ref().and_then(|meta| meta.chosen.clone());
    let next = model.principal.get(1).map(|&node| model.move_text(node));
    assert_eq!(
        next.as_deref(),
        chosen.as_deref(),
        "blue is what was chosen"
    );
    stage.show("000001.tree", model).matches("alpha-beta");
}

#[test]
fn the_blue_line_of_a_classical_tree_is_the_line_its_sidecar_tells() {
    let scratch = Scratch::new("classical-line");
    let out = scratch.0.to_str().expect("temporary names are plain");
    for game in ["kalah", "chess"] {
        let search = "alpha-beta,depth=4";
        engine(&[
            "grow",
            "--game",
            game,
            "--search",
            search,
            "--iterations",
            "9000000",
            "--out",
            out,
        ]);
    }
    let trees = scratch.files("tree");
    assert_eq!(trees.len(), 2);
    for tree in trees {
        let document = files::read(&tree, None).expect("a tree");
        let meta = document.meta.clone().expect("it has a sidecar");
        assert_eq!(meta.line.first(), meta.chosen.as_ref());
        let model = Model::new(document);
        let blue: Vec<&str> = (model.principal.iter().skip(1))
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
fn before_there_is_a_tree() {
    Stage::dark().press(egui::Key::Questionmark).matches("help");
    let mut stage = Stage::dark();
    stage.act(Action::Open(vec!["/no/such/file.tree".into()]));
    stage
        .until("it is so", |app| app.message.is_some())
        .matches("no-such-file");
}

/// The start screen at the size it is made for, after something was open.
fn starting(mut stage: Stage) -> Stage {
    stage.size = (1280, 800);
    stage.app.settings.recent = vec!["matches/othello-live".into(), "trees/example.csv".into()];
    stage.frame();
    stage
}

#[test]
fn the_start_screen() {
    starting(Stage::dark()).matches("start-dark");
    starting(Stage::light()).matches("start-light");
    let mut stage = starting(Stage::dark());
    stage.size = (900, 600);
    stage.click("setup person second").matches("start-small");
    let mut stage = starting(Stage::light());
    stage
        .click("setup game chess")
        .click("setup mode people")
        .matches("start-people");
}

/// Two people in the middle of a game, or at its end.
fn at_the_board(mut stage: Stage, game: &str, position: &str, moves: &str) -> Stage {
    stage.size = (1280, 800);
    stage.act(Action::Begin(Box::new(Plan {
        game: game.to_owned(),
        position: position.to_owned(),
        seats: [None, None],
        games: 1,
        animate: false,
        pause: Duration::ZERO,
    })));
    for mv in moves.split_whitespace() {
        stage.act(Action::Deed(Deed::Move(mv.to_owned())));
    }
    stage
}

#[test]
fn games_in_the_window() {
    let line = "e2e4 e7e5 g1f3 b8c6 f1c4 d8f6 d2d3 f6f3";
    let mut chess = at_the_board(Stage::dark(), "chess", "", line);
    chess.click("square d1").matches("play-chess-dark");
    at_the_board(Stage::light(), "othello", "", "f5 d6 c3 d3 c4").matches("play-othello-light");
    at_the_board(Stage::dark(), "kalah", "", "3 5").matches("play-kalah-dark");
    at_the_board(Stage::light(), "delta", "", "b2 c3 b2b4").matches("play-delta-light");
    at_the_board(Stage::dark(), "connect-four", "", "1 2 1 2 1 2 1").matches("play-over-dark");
    let mut pawn = at_the_board(
        Stage::light(),
        "chess",
        "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
        "",
    );
    pawn.click("square a7")
        .click("square a8")
        .matches("play-promotion-light");
}

#[test]
fn a_start_screen_on_which_much_is_wrong() {
    let mut stage = starting(Stage::dark());
    stage
        .click("setup game othello")
        .click("setup mode engines")
        .click("setup other second")
        .fill("setup command second", "./engine 'quiet")
        .fill("setup iterations first", "1e9")
        .fill("setup playout limit first", "9")
        .fill("setup exploration first", "-1")
        .fill("setup games", "100")
        .fill("setup position", "nowhere")
        .press(egui::Key::Escape)
        .matches("start-errors");
}

#[test]
fn a_start_screen_with_all_parameters() {
    let mut stage = starting(Stage::light());
    stage
        .click("setup game connect-four")
        .click("setup report 002 second")
        .click("setup parameters second")
        .fill("setup parameter expand_on second", "3")
        .press(egui::Key::Escape)
        .matches("start-parameters");
}

#[test]
fn small_trees() {
    Stage::dark().show("six.tree", six()).matches("six-dark");
    Stage::light()
        .show("six.tree", six())
        .act(Action::Select(Some(1)))
        .matches("six-selected-light");
    let one = foreign(&[("", 0, 0.0, "", 0)]);
    Stage::dark().show("one.csv", one).matches("one-node");
    let mut large = Stage::dark();
    large.scale = 2.0;
    large.show("six.tree", six()).matches("six-hidpi");
}

#[test]
fn names_of_every_kind() {
    let long = "x".repeat(10_000);
    let strange = foreign(&[
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
    Stage::dark()
        .show("strange.tree", strange)
        .act(Action::Select(Some(1)))
        .matches("strange-names");
}

#[test]
fn a_search_at_every_zoom() {
    let model = || grown("othello", "uct", 5000);
    let mut stage = Stage::dark();
    stage.show("othello.tree", model()).matches("othello-dark");
    stage
        .act(Action::Walk(Way::Down))
        .act(Action::Walk(Way::Down))
        .act(Action::FitSelected)
        .matches("othello-close");
    let mut stage = Stage::light();
    stage.app.settings.measure = "mean".to_owned();
    stage
        .show("othello.tree", model())
        .matches("othello-mean-light");
    let mut stage = Stage::light();
    stage.app.settings.edge_colours = Some([[0, 160, 60], [220, 30, 30]]);
    stage.app.settings.logarithmic = false;
    stage.app.settings.per_layer = true;
    stage.app.settings.folded = [true, false];
    stage
        .show("othello.tree", model())
        .act(Action::Zoom(6.0, Some((300.0, 200.0))))
        .matches("othello-report-colours");
}

#[test]
fn what_the_pointer_is_over_is_told() {
    let mut stage = Stage::dark();
    stage.show("chess.tree", grown("chess", "uct,playout_limit=20", 400));
    let (model, camera) = (stage.app.model.clone(), stage.app.camera);
    let (model, camera) = (model.expect("a tree"), camera.expect("a camera"));
    let child = model.children_of(0).start + 9;
    let at = camera.to_canvas(&stage.app.canvas, model.x[child], 1.0);
    stage.point(at).matches("hover");
}

#[test]
fn a_hundred_thousand_nodes() {
    let mut stage = Stage::dark();
    stage
        .show("connect-four.tree", grown("connect-four", "uct", 60_000))
        .matches("dense-dark");
    stage
        .act(Action::Zoom(40.0, Some((200.0, 400.0))))
        .matches("dense-close");
    let mut stage = Stage::light();
    stage.app.settings.folded = [true, true];
    stage
        .show("chess.tree", grown("chess", "uct,playout_limit=20", 3000))
        .matches("dense-light");
}

#[test]
fn parts_of_a_tree() {
    let mut stage = Stage::dark();
    let sift = Sift {
        best: Some(2),
        by_visits: true,
        ..Sift::default()
    };
    stage
        .show("delta.tree", grown("delta", "uct", 1500))
        .act(Action::Sift(sift))
        .until("it is so", |app| {
            app.model.as_ref().is_some_and(|model| model.hidden > 0)
        })
        .matches("two-best-children");
    stage
        .act(Action::Select(Some(1)))
        .act(Action::Fold)
        .until("it is so", |app| {
            app.model
                .as_ref()
                .is_some_and(|model| model.children[1] == 0)
        })
        .matches("folded");
    let sift = Sift {
        whole_turns: true,
        least_visits: 20,
        ..Sift::default()
    };
    Stage::light()
        .show("kalah.tree", grown("kalah", "uct", 3000))
        .act(Action::Sift(sift))
        .until("it is so", |app| {
            app.model.as_ref().is_some_and(|model| model.hidden > 0)
        })
        .act(Action::Walk(Way::Down))
        .matches("kalah-turns");
}

#[test]
fn a_tree_as_it_grew() {
    let scratch = Scratch::new("pictures");
    let output = Output::open(
        OutputSettings {
            directory: scratch.0.clone(),
            format: Format::Tree,
            wanted: Wanted::default(),
            every: None,
            journal: Some(LONGEST_JOURNAL),
        },
        Box::new(|text| panic!("{text}")),
    )
    .expect("a directory");
    let start = games::connect_four::ConnectFour::start(());
    let mut history = History::new();
    history.push(&start);
    let spec = catalog::parse::<games::connect_four::ConnectFour>(&pinned("uct"));
    let spec = spec.expect("a search");
    let mut search = catalog::build(&spec).expect("a search");
    let (limits, stop) = (Limits::iterations(2000), Stop::new());
    let about = About {
        spec: &spec,
        name: "uct",
        ply: 0,
    };
    let task = Task::new(&start, &history, &limits, &stop);
    recorded::choose(&mut *search, task, &about, Some(&output));
    drop(output);
    // Under a name that does not tell the time, with a sidecar that does not either.
    let named = |extension: &str| scratch.0.join(format!("grown.{extension}"));
    for extension in ["tree", "growth"] {
        fs::rename(&scratch.files(extension)[0], named(extension)).expect("it can be renamed");
    }
    let sidecar = fs::read_to_string(&scratch.files("json")[0]).expect("a sidecar");
    let mut sidecar: serde_json::Value = serde_json::from_str(&sidecar).expect("JSON");
    sidecar["milliseconds"] = 12.into();
    fs::write(named("json"), sidecar.to_string()).expect("it can be written");
    let mut stage = Stage::dark();
    stage
        .act(Action::Open(vec![named("tree")]))
        .until("it is so", |app| {
            app.model.is_some() && app.timeline.reel.is_some()
        })
        .act(Action::Scrub {
            to: 1234,
            moving: false,
        })
        .until("it is so", |app| app.timeline.shown == Some(1234))
        .matches("growth");
}

/// Follows a match; what is said at the bottom does not name its directory, which depends on the machine.
fn following(mut stage: Stage, contest: &Contest) -> Stage {
    stage.act(Action::FollowMatch {
        directory: contest.directory.clone(),
        exit: false,
    });
    let moves = contest.meta.moves.len();
    stage.until("the match is there", |app| {
        let is_told =
            |moves: usize| (app.standing()).is_some_and(|standing| standing.moves.len() == moves);
        is_told(moves) && app.model.is_some()
    });
    stage.app.message = Some(Message {
        text: "copied the position of the node".to_owned(),
        is_error: false,
        since: Duration::from_secs(3600),
    });
    stage
}

/// Writes the tree of a search for the next move.
fn search(contest: &mut Contest, iterations: u64) {
    let moves = contest.meta.moves.clone();
    let document = grown_after(&contest.meta.game, &moves, "uct", iterations);
    let path = contest.stem();
    fs::create_dir_all(contest.game()).expect("it can be made");
    let about = document.meta.expect("a sidecar");
    put_tree(&path, &document.tree, &about);
}

#[test]
fn a_match_under_way() {
    let scratch = Scratch::new("pictures-match");
    let mut contest = Contest::new(scratch.0.clone(), "othello", 20);
    contest.begin();
    contest.end(None, "even");
    contest.begin();
    contest.end(Some(0), "discs");
    contest.begin();
    contest.meta.clocks = vec![62_400, 8_730];
    let record = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6";
    for at in (0..record.len()).step_by(2) {
        contest.meta.moves.push(record[at..at + 2].to_owned());
        if at >= 24 {
            search(&mut contest, 900);
        }
    }
    contest.tell();
    let mut stage = following(Stage::dark(), &contest);
    stage.matches("match-dark");
    stage
        .act(Action::Step(-1))
        .until("it is so", |app| app.shown_move() == Some(14))
        .matches("match-back");
}

#[test]
fn a_match_that_is_over() {
    let scratch = Scratch::new("pictures-over");
    let mut contest = Contest::new(scratch.0.clone(), "connect-four", 4);
    contest.meta.score.names[1] = "lgr2,exploration=0.7,forgetting=true".to_owned();
    for winner in [Some(0), Some(1), None] {
        contest.begin();
        contest.end(winner, "told");
    }
    contest.begin();
    for mv in ["4", "4", "3", "5", "2", "1", "5", "5", "6", "3", "6", "6"] {
        contest.meta.moves.push(mv.to_owned());
    }
    search(&mut contest, 600);
    contest.meta.moves.push("6".to_owned());
    contest.end(Some(1), "four in line");
    following(Stage::light(), &contest).matches("match-over-light");
}

#[test]
fn a_match_that_has_not_begun() {
    let mut stage = Stage::dark();
    stage.act(Action::FollowMatch {
        directory: "/no/such/match".into(),
        exit: false,
    });
    stage
        .until("the folder is missed", |app| {
            let awaits = app.awaits().unwrap_or_default();
            awaits.ends_with("it does not exist yet.")
        })
        .matches("match-awaited");
}
