//! A real window on a virtual display: trees, navigation, the clipboard, the demo.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use canopy_engine::tree::meta;
use serde_json::Value;
use support::{
    Scratch,
    window::{Display, Window, engine, grow, grow_command, in_window, viewer},
};

#[path = "window/compare.rs"]
mod compare;
#[path = "window/demo.rs"]
mod demo;
#[cfg(unix)]
#[path = "window/dropping.rs"]
mod dropping;
#[path = "window/following.rs"]
mod following;
#[path = "window/foreign.rs"]
mod foreign;
#[path = "window/killed.rs"]
mod killed;
#[cfg(unix)]
#[path = "window/paths.rs"]
mod paths;
#[path = "window/startup.rs"]
mod startup;
#[path = "window/steps.rs"]
mod steps;
mod support;
#[path = "window/trees.rs"]
mod trees;
#[path = "window/wayland.rs"]
mod wayland;
#[path = "window/why.rs"]
mod why;

fn path_text(path: &Path) -> &str {
    path.to_str().expect("temporary names are plain")
}

fn as_number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

pub(crate) fn grow_tree(directory: &Path, options: &str) -> Vec<PathBuf> {
    grow(directory, &format!("--game connect-four {options}"))
}

/// A window that shows the tree of one short search.
fn open_one_tree<'a>(display: &'a Display, scratch: &Scratch) -> Window<'a> {
    let trees = scratch.0.join("trees");
    grow_tree(&trees, "--iterations 3000");
    let window = Window::open(display, &scratch.0, &[path_text(&trees)]);
    window.wait_until("a tree is shown", |state| state["nodes"].is_u64());
    window.wait_for_frame();
    window
}

/// Runs `test` with a window that shows the tree of one short search, in `trees` below the given home; then closes the window,
/// which must have had nothing to complain about.
fn with_one_tree(name: &str, test: impl FnOnce(&Window<'_>, &Path)) {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new(name);
    let window = open_one_tree(&display, &scratch);
    test(&window, &scratch.0);
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

/// A viewer command without a display, with its configuration in `home`.
fn without_display(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(viewer());
    command
        .args(arguments)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_DATA_HOME", home)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .stdin(Stdio::null());
    command
}

fn output_texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}
