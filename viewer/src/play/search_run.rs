//! One search of a position by our engine, as a process that writes its tree and its journal.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
};

use crate::system::{temporary::TemporaryDirectory, wake::Wake};

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
}

/// A search that runs or has run. It ends when this is dropped, and its files go with it.
pub struct SearchRun {
    child: Child,
    directory: TemporaryDirectory,
    stderr_text: Receiver<String>,
}

impl SearchRun {
    /// Starts it with the engine's command; `wake` is called when it has ended. An error is a sentence.
    pub fn start(order: &SearchOrder, engine: &[String], wake: Wake) -> Result<Self, String> {
        let failed = |error: io::Error| format!("the search cannot be started: {error}");
        let directory = TemporaryDirectory::new().map_err(failed)?;
        let (program, words) = engine
            .split_first()
            .ok_or_else(|| "there is no command that starts an engine".to_owned())?;
        let mut command = Command::new(program);
        command
            .args(words)
            .args(["grow", "--game", &order.game, "--search", &order.search])
            .args(["--journal", "--extra", "--out"])
            .arg(directory.path());
        if !order.position.is_empty() {
            command.args(["--position", &order.position]);
        }
        if !order.moves.is_empty() {
            command.args(["--moves", &order.moves]);
        }
        if let Some(iterations) = order.iterations {
            command.args(["--iterations", &iterations.to_string()]);
        }
        let spawned = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(failed)?;
        let (sender, stderr_text) = channel();
        let stderr = child.stderr.take();
        let listener = thread::Builder::new().name("search".to_owned());
        let listening = listener.spawn(move || {
            let mut text = Vec::new();
            if let Some(said) = stderr {
                let _ = said.take(1 << 16).read_to_end(&mut text);
            }
            let _ = sender.send(String::from_utf8_lossy(&text).into_owned());
            wake();
        });
        let run = Self {
            child,
            directory,
            stderr_text,
        };
        listening.map_err(failed)?;
        Ok(run)
    }

    /// The tree, or why there is none; `None` while the search runs.
    pub fn poll(&mut self) -> Option<Result<PathBuf, String>> {
        let said = self.stderr_text.try_recv().ok()?;
        let status = self.child.wait();
        if !status.is_ok_and(|status| status.success()) {
            let said = said.trim().trim_start_matches("canopy-engine: ");
            return Some(Err(format!("the search has failed: {said}")));
        }
        let found = first_tree(self.directory.path());
        Some(found.ok_or_else(|| "the search has written no tree".to_owned()))
    }
}

impl Drop for SearchRun {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn first_tree(directory: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?.flatten();
    let mut trees = (entries.map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|name| name == "tree"));
    trees.next()
}
