//! The app without a window, with workers that fail on purpose.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    time::Instant,
};

use super::*;
use crate::workers::loader::Loader;

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
