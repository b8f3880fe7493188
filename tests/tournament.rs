//! `canopy-engine tournament`: report 001's config.json, series of games in run directories, and the way to the window.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use support::{
    Scratch,
    commands::{engine, engine_path, failure, read, success},
};

#[path = "tournament/config.rs"]
mod config;
#[path = "tournament/play.rs"]
mod play;
mod support;
#[path = "tournament/window.rs"]
mod window;

/// A configuration file in a directory of its own.
struct ConfigFile {
    scratch: Scratch,
    path: PathBuf,
}

impl ConfigFile {
    fn new(name: &str, config: &Value) -> Self {
        let scratch = Scratch::new(&format!("tournament-{name}"));
        let path = scratch.0.join("config.json");
        fs::write(&path, config.to_string()).expect("a file can be written");
        Self { scratch, path }
    }

    fn path(&self) -> &str {
        self.path.to_str().expect("UTF-8")
    }

    /// A path beside the file.
    fn beside(&self, name: &str) -> String {
        self.scratch.0.join(name).display().to_string()
    }

    /// Plays it in the terminal with these flags; standard output.
    fn play(&self, flags: &[&str]) -> String {
        success(&mut engine(&[&["tournament", self.path()], flags].concat())).0
    }
}
