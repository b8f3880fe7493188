//! Experiment 000-speed: with a viewer that a script stands for, and without any.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use super::support::Scratch;

/// Stands for the viewer: tells the lines of the file, one for each node, and times that never change.
#[cfg(unix)]
const VIEWER: &str = r#"#!/bin/sh
[ "$1 $2 $3" = "bench --json --first-frame" ] || exit 9
echo '{"file":"x","nodes":'$(grep -c . "$4")',"parse_ms":1000,"layout_ms":2000,"first_frame_ms":1200,"more":1}'
"#;

/// A quick run by a program that has nothing beside it but what is in `scratch`, and nothing on the PATH but the system's tools.
fn run_speed(scratch: &Path) -> Output {
    let engine = scratch.join("canopy-engine");
    let built = env!("CARGO_BIN_EXE_canopy-engine");
    if fs::hard_link(built, &engine).is_err() {
        fs::copy(built, &engine).expect("the program can be copied");
    }
    Command::new(engine)
        .args([
            "experiment",
            "run",
            "000-speed",
            "--scale",
            "quick",
            "--out",
        ])
        .arg(scratch.join("out"))
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("the program starts")
}

#[test]
#[cfg(unix)]
fn the_viewer_measures_trees_with_the_nodes_that_were_asked_for() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new("speed-viewer");
    let viewer = scratch.0.join("canopy-viewer");
    fs::write(&viewer, VIEWER).expect("a script can be written");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&viewer, mode).expect("it can be made a program");
    let output = run_speed(&scratch.0);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    // 4.2 s are too many for the small trees and few enough for the large ones.
    assert!(
        text.contains("T4 rejected (published: passed: 2.802 s)"),
        "{text}"
    );
    assert!(
        text.contains("T5 confirmed (published: passed: 4.626 s)"),
        "{text}"
    );
    let page = fs::read_to_string(scratch.0.join("out/report.md")).expect("a report");
    for row in [
        "chess, 100,000 nodes | uct-000 | 1,000 |",
        "kalah, 250,000 nodes | uct-000 | 2,500 |",
    ] {
        assert!(page.contains(row), "{row} in {page}");
    }
    let left = fs::read_dir(std::env::temp_dir()).expect("a directory");
    let id = format!("canopy-speed-{}", output_id(&scratch.0));
    for entry in left {
        let name = entry.expect("an entry").file_name();
        assert!(!name.to_string_lossy().starts_with(&id), "{name:?} is left");
    }
}

/// The process that wrote the only part of a run.
#[cfg(unix)]
fn output_id(scratch: &Path) -> String {
    let mut parts = fs::read_dir(scratch.join("out/parts")).expect("parts");
    let part = parts
        .next()
        .expect("one part")
        .expect("an entry")
        .file_name();
    let part = part.to_string_lossy().into_owned();
    let mut words = part.rsplit('-');
    words.nth(1).expect("HOST-PID-MILLIS").to_owned()
}

#[test]
fn without_a_viewer_the_measurements_are_void_and_the_reason_is_told() {
    let scratch = Scratch::new("speed-none");
    let output = run_speed(&scratch.0);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("8 of 8 measurements could not be done")
            && errors.contains("canopy-viewer is neither beside this program nor on the PATH"),
        "{errors}"
    );
    assert_eq!(output.status.code(), Some(1), "nothing was measured");
}
