//! The app without a window, with workers that fail on purpose.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    time::Instant,
};

use canopy_engine::{
    arena::engine_config::EngineConfig,
    catalog,
    games::{Game as _, History, connect_four::ConnectFour},
    search::{SearchLimits, SearchTask, StopFlag},
    session::search_job::{self, SearchDescription},
    tree::{
        files::Format,
        snapshot::SnapshotOptions,
        writer::{DEFAULT_MAX_JOURNAL_BYTES, TreeOutput, TreeOutputSettings},
    },
};

use super::*;
use crate::{
    play::{GameConfig, engine_handle::PANICKING_ENGINE},
    workers::loader::Loader,
};

const DEADLINE: Duration = Duration::from_secs(60);

/// An app whose loader panics at files called `broken`, and what it is woken by.
fn fragile_app() -> (App, Receiver<()>) {
    let (sender, woken) = channel();
    let sender = Mutex::new(sender);
    let wake: Wake = Arc::new(move || {
        let _ = sender.lock().map(|sender| sender.send(()));
    });
    let mut app = App::new(ViewerSettings::default(), Arc::clone(&wake)).expect("threads start");
    app.document.loader =
        Loader::start_fragile(wake, app.document.budget.clone()).expect("a thread starts");
    (app, woken)
}

/// Updates the app whenever it is woken, until a condition holds.
fn wait_until(app: &mut App, woken: &Receiver<()>, is_done: impl Fn(&App) -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !is_done(app) {
        let remaining = deadline.saturating_duration_since(Instant::now());
        woken.recv_timeout(remaining).expect("the app is woken");
        app.update(Duration::from_secs(1));
    }
}

#[test]
fn a_worker_that_panics_is_told_of_in_the_window_and_works_on() {
    let (mut app, woken) = fragile_app();
    app.dispatch(Action::Open(vec![PathBuf::from("broken")]));
    wait_until(&mut app, &woken, |app| app.message.is_some());
    let message = app.message.take().expect("there is a message");
    assert!(message.is_error);
    assert_eq!(message.text, "reading it failed: broken on purpose");
    let path = std::env::temp_dir().join(format!("canopy-panic-{}.csv", std::process::id()));
    std::fs::write(&path, "").expect("a file can be written");
    let is_told = |app: &App| {
        let message = app.message.as_ref();
        message.is_some_and(|message| message.text.contains("canopy-panic"))
    };
    app.dispatch(Action::Open(vec![path.clone()]));
    wait_until(&mut app, &woken, |app| {
        app.document.model.is_some() || is_told(app)
    });
    std::fs::remove_file(&path).expect("it can be removed");
}

/// Writes a tree of connect four and its growth journal; returns the tree's path.
fn write_tree_with_journal(directory: &Path) -> PathBuf {
    let settings = TreeOutputSettings {
        directory: directory.to_owned(),
        format: Format::Tree,
        snapshot: SnapshotOptions::default(),
        snapshot_interval: None,
        max_journal_bytes: Some(DEFAULT_MAX_JOURNAL_BYTES),
    };
    let output = TreeOutput::open(settings, Box::new(|text| panic!("{text}")));
    let output = output.expect("a directory");
    let start = ConnectFour::start(());
    let mut history = History::new();
    history.push(&start);
    let spec = catalog::parse::<ConnectFour>("uct").expect("a search");
    let mut search = catalog::build(&spec).expect("a search");
    let (limits, stop) = (SearchLimits::iterations(50), StopFlag::new());
    let about = SearchDescription {
        spec: &spec,
        name: "uct",
        ply: 0,
    };
    let task = SearchTask::new(&start, &history, &limits, &stop);
    search_job::search_and_record(&mut *search, task, &about, Some(&output));
    drop(output);
    let entries = std::fs::read_dir(directory).expect("the directory can be read");
    (entries.flatten().map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|name| name == "tree"))
        .expect("there is a tree")
}

#[test]
fn a_replay_that_panics_is_told_of_in_the_window_and_begins_again() {
    let directory = std::env::temp_dir().join(format!("canopy-replay-{}", std::process::id()));
    let path = write_tree_with_journal(&directory);
    let (mut app, woken) = fragile_app();
    let has_journal = |app: &App| app.document.timeline.status.is_some();
    app.dispatch(Action::Open(vec![path.clone()]));
    wait_until(&mut app, &woken, has_journal);
    app.document.replayer.panic_on_purpose();
    wait_until(&mut app, &woken, |app| app.message.is_some());
    let message = app.message.take().expect("there is a message");
    assert!(message.is_error);
    let name = path.with_extension("growth");
    let name = name.file_name().expect("a name").to_string_lossy();
    assert_eq!(
        message.text,
        format!("{name}: replaying it failed: broken on purpose")
    );
    assert!(app.document.model.is_some(), "the tree stays");
    assert!(!has_journal(&app));
    app.dispatch(Action::Open(vec![path]));
    wait_until(&mut app, &woken, has_journal);
    app.dispatch(Action::Scrub {
        to: 7,
        moving: false,
    });
    wait_until(&mut app, &woken, |app| {
        app.document.timeline.shown_iteration == Some(7)
    });
    std::fs::remove_dir_all(&directory).expect("it can be removed");
}

#[test]
fn an_opponents_thread_that_panics_is_told_of_in_the_window_and_asked_again() {
    let (mut app, woken) = fragile_app();
    app.records_directory = None;
    let engine = EngineConfig {
        name: PANICKING_ENGINE.to_owned(),
        command: vec!["/nowhere/engine".to_owned()],
        ..EngineConfig::default()
    };
    app.dispatch(Action::StartGame(Box::new(GameConfig {
        game: "connect-four".to_owned(),
        position: String::new(),
        participants: [Some(engine), None],
        games: 1,
        animate: false,
        min_move_time: Duration::ZERO,
    })));
    let failure = |app: &App| {
        let session = app.session.as_ref().expect("a game");
        session.failure.as_ref().map(|failure| failure.text.clone())
    };
    wait_until(&mut app, &woken, |app| failure(app).is_some());
    assert_eq!(
        failure(&app).as_deref(),
        Some("panicking could not be talked to: broken on purpose")
    );
    // The same thread is asked again; now it finds that there is no such program.
    app.dispatch(Action::Game(GameAction::RestartEngine));
    wait_until(&mut app, &woken, |app| failure(app).is_some());
    let text = failure(&app).expect("a failure");
    assert!(text.contains("/nowhere/engine"), "{text}");
}
