//! Files left by a killed viewer are removed by the next one.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::support::{
    Scratch,
    window::{Display, Window},
};

/// Sets a folder's modification time back by a day.
fn make_day_old(folder: &Path) {
    let yesterday = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
    let opened = File::open(folder).expect("it is there");
    opened.set_modified(yesterday).expect("it can be aged");
}

#[test]
fn what_a_killed_viewer_left_behind_is_swept_by_the_next() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-killed");
    let window = Window::open(&display, &scratch.0, &["demo", "--pace", "50"]);
    let state = window.wait_until("the match is under way", |state| {
        state["match"]["moves"].as_u64().unwrap_or(0) >= 2
    });
    let directory = PathBuf::from(state["directory"].as_str().expect("it has a directory"));
    assert_eq!(directory.parent(), Some(scratch.0.as_path()));
    // As when it is killed.
    drop(window);
    // Its engines may still write a last tree, but not to another name.
    let left = scratch.0.join("canopy-1-0");
    fs::rename(&directory, &left).expect("it is still there");
    let kept = scratch.0.join("canopy-of-somebody-else");
    fs::create_dir(&kept).expect("it can be made");
    make_day_old(&left);
    make_day_old(&kept);
    let window = Window::open(&display, &scratch.0, &[]);
    window.wait_until("it is gone", |_| !left.exists());
    assert!(kept.exists());
    assert!(window.close().success());
}
