//! Watching real folders.

use std::{fs, sync::Arc};

use super::*;

/// Waits until something is told.
fn wait_for_event(watch: &DirectoryWatcher, is_it: impl Fn(&WatchEvent) -> bool) -> WatchEvent {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if let Some(change) = watch.worker.wait_for_event(POLL_INTERVAL)
            && is_it(&change)
        {
            return change;
        }
    }
    panic!("it was not told");
}

fn files(changed: &[&Path], gone: &[&Path]) -> WatchEvent {
    let owned = |paths: &[&Path]| paths.iter().map(|&path| path.to_owned()).collect();
    WatchEvent::Files {
        changed: owned(changed),
        gone: owned(gone),
    }
}

fn start(directory: &Path, scope: WatchScope, source: EventSource) -> DirectoryWatcher {
    DirectoryWatcher::start(directory, scope, source, Arc::new(|| {})).expect("a thread starts")
}

#[test]
fn a_bad_file_is_told_of_once_until_there_was_a_good_one() {
    let directory = std::env::temp_dir().join(format!("canopy-score-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory can be made");
    let mut scores = MatchFileState::default();
    let mut poll_after = |text: Option<&str>| {
        let file = directory.join(match_state::MATCH_FILE);
        match text {
            Some(text) => fs::write(file, text).expect("a file can be written"),
            None => fs::remove_file(file).expect("a file can be removed"),
        }
        match scores.poll(&directory) {
            Some(WatchEvent::Match(standing)) => format!("game {}", standing.meta.number),
            Some(WatchEvent::Notice(_)) => "bad".to_owned(),
            Some(change) => format!("{change:?}"),
            None => "nothing".to_owned(),
        }
    };
    for (text, expected) in [
        (Some("{"), "bad"),
        (Some(""), "nothing"),
        (None, "Awaited(Match)"),
        (Some("{\"number\": 1}"), "game 1"),
        (Some("{\"number\": 1 }"), "nothing"),
        (Some("{\"number\": -1}"), "bad"),
        (Some("{\"format\": 99}"), "nothing"),
        (None, "nothing"),
        (Some("{\"number\": 2}"), "game 2"),
        (Some("{\"numb"), "bad"),
    ] {
        assert_eq!(poll_after(text), expected, "{text:?}");
    }
    fs::remove_dir_all(&directory).expect("it can be removed");
}

#[test]
fn where_the_system_does_not_tell_the_games_are_looked_at() {
    let directory = std::env::temp_dir().join(format!("canopy-poll-{}", std::process::id()));
    let game = directory.join("game-0001");
    let tree = game.join("a.tree");
    fs::create_dir_all(&directory).expect("a directory can be made");
    let watch = start(&directory, WatchScope::Match, EventSource::Refused);
    wait_for_event(&watch, |change| {
        matches!(change, WatchEvent::Polling(Some(_)))
    });
    wait_for_event(&watch, |change| {
        *change == WatchEvent::Awaited(Awaited::Match)
    });
    wait_for_event(&watch, |change| *change == WatchEvent::Listed(Vec::new()));
    fs::create_dir(&game).expect("a directory can be made");
    fs::write(&tree, "x").expect("a file can be written");
    wait_for_event(&watch, |change| *change == files(&[&tree], &[]));
    fs::write(directory.join("match.json"), "{\"number\": 3}").expect("a file can be written");
    let change = wait_for_event(&watch, |change| matches!(change, WatchEvent::Match(_)));
    assert!(matches!(change, WatchEvent::Match(standing) if standing.meta.number == 3));
    fs::remove_dir_all(&game).expect("it can be removed");
    wait_for_event(&watch, |change| *change == files(&[], &[&tree]));
    fs::remove_dir_all(&directory).expect("it can be removed");
}

#[test]
fn files_that_are_renamed_into_place_are_told_soon() {
    let directory = std::env::temp_dir().join(format!("canopy-watch-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory can be made");
    let watch = start(&directory, WatchScope::Trees, EventSource::System);
    wait_for_event(&watch, |change| *change == WatchEvent::Listed(Vec::new()));
    let (hidden, shown) = (directory.join(".1-x.tmp"), directory.join("a.tree"));
    for _ in 0..2 {
        fs::write(&hidden, "x").expect("a file can be written");
        fs::rename(&hidden, &shown).expect("a file can be renamed");
        wait_for_event(&watch, |change| *change == files(&[&shown], &[]));
    }
    fs::remove_file(&shown).expect("a file can be removed");
    wait_for_event(&watch, |change| *change == files(&[], &[&shown]));
    fs::remove_dir_all(&directory).expect("it can be removed");
}

#[test]
fn where_the_system_stays_silent_that_is_found_out() {
    let directory = std::env::temp_dir().join(format!("canopy-silent-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory can be made");
    let watch = start(&directory, WatchScope::Trees, EventSource::Silent);
    wait_for_event(&watch, |change| *change == WatchEvent::Listed(Vec::new()));
    for name in ["a.tree", "b.tree"] {
        let tree = directory.join(name);
        fs::write(&tree, "x").expect("a file can be written");
        let change = wait_for_event(&watch, |change| !matches!(change, WatchEvent::Notice(_)));
        let is_polling = |change: &WatchEvent| matches!(change, WatchEvent::Polling(Some(_)));
        if name == "b.tree" {
            assert!(is_polling(&change), "{change:?}");
            wait_for_event(&watch, |change| *change == files(&[&tree], &[]));
        } else {
            assert_eq!(change, files(&[&tree], &[]));
        }
    }
    // From now on new contents are seen, too.
    let tree = directory.join("a.tree");
    fs::write(&tree, "xy").expect("a file can be written");
    wait_for_event(&watch, |change| *change == files(&[&tree], &[]));
    fs::remove_dir_all(&directory).expect("it can be removed");
}
