//! One search of a position by our engine, as a process that writes its tree and its journal.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::{
    play::engine_run::{self, EngineRun},
    system::{temporary::TemporaryDirectory, wake::Wake},
};

/// What is searched, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchOrder {
    /// The game, with its variant.
    pub game: String,
    /// The position; empty for the start.
    pub position: String,
    /// The moves that are played first, separated by spaces.
    pub moves: String,
    /// The search with its parameters, as the engine reads it.
    pub search: String,
    /// Playouts, or plies of a search that looks ahead to a depth; none if the search says it itself.
    pub iterations: Option<u64>,
    /// Whether the journal has the moves of playouts.
    pub records_playouts: bool,
}

/// A search that runs or has run. It ends when this is dropped, and its files go with it.
pub struct SearchRun {
    run: EngineRun,
    directory: TemporaryDirectory,
}

impl SearchRun {
    /// Starts it with the engine's command; `wake` is called when it has ended. An error is a sentence.
    pub fn start(order: &SearchOrder, engine: &[String], wake: Wake) -> Result<Self, String> {
        let failed = |error: io::Error| format!("the search cannot be started: {error}");
        let directory = TemporaryDirectory::new().map_err(failed)?;
        let mut command = engine_run::engine_command(engine)?;
        command
            .args(["grow", "--game", &order.game, "--search", &order.search])
            .args(["--journal", "--extra", "--out"])
            .arg(directory.path());
        if order.records_playouts {
            command.arg("--playouts");
        }
        if !order.position.is_empty() {
            command.args(["--position", &order.position]);
        }
        if !order.moves.is_empty() {
            command.args(["--moves", &order.moves]);
        }
        if let Some(iterations) = order.iterations {
            command.args(["--iterations", &iterations.to_string()]);
        }
        let run = EngineRun::start(command.stdin(Stdio::null()), "search", wake);
        Ok(Self {
            run: run.map_err(failed)?,
            directory,
        })
    }

    /// The tree, or why there is none; `None` while the search runs.
    pub fn poll(&mut self) -> Option<Result<PathBuf, String>> {
        let (status, said) = self.run.take_end()?;
        if !status.is_ok_and(|status| status.success()) {
            let said = said.trim().trim_start_matches("canopy-engine: ");
            return Some(Err(format!("the search has failed: {said}")));
        }
        let found = first_tree(self.directory.path());
        Some(found.ok_or_else(|| "the search has written no tree".to_owned()))
    }
}

fn first_tree(directory: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?.flatten();
    let mut trees = (entries.map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|name| name == "tree"));
    trees.next()
}
