//! Trees of engines that write none, made of the lines they tell in a game.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    arena::{
        time_control::MoveLimits,
        watch::{
            line_board::RootPosition,
            recorder::{LineEvent, LineRecorder, SearchStart},
        },
    },
    tree::meta::LimitsMeta,
};

/// What is recorded of a conversation; nothing unless trees are wanted of an engine that writes none.
#[derive(Debug, Default)]
pub(super) struct LineRecording {
    recorder: Option<LineRecorder>,
    /// Names for the trees.
    game: String,
    engine: String,
    /// What went wrong, until somebody asks.
    problems: Arc<Mutex<Vec<String>>>,
}

impl LineRecording {
    pub(super) fn new(game: &str, engine: &str) -> Self {
        Self {
            game: game.to_owned(),
            engine: engine.to_owned(),
            ..Self::default()
        }
    }

    /// Records the next game's searches into this directory; none records nothing.
    pub(super) fn set_directory(&mut self, directory: Option<&String>) {
        // What is left of the last game is written before.
        self.recorder = None;
        let Some(directory) = directory else { return };
        let problems = Arc::clone(&self.problems);
        let warn = move |text: &str| {
            let mut problems = problems.lock().unwrap_or_else(PoisonError::into_inner);
            problems.push(text.to_owned());
        };
        match LineRecorder::start(PathBuf::from(directory), warn.clone()) {
            Ok(recorder) => self.recorder = Some(recorder),
            Err(error) => warn(&format!("no trees are written to {directory}: {error}")),
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.recorder.is_some()
    }

    pub(super) fn begin(
        &self,
        position: impl FnOnce() -> RootPosition,
        go: &MoveLimits,
        is_kata: bool,
    ) {
        if let Some(recorder) = &self.recorder {
            let start = SearchStart {
                game: self.game.clone(),
                engine: self.engine.clone(),
                position: position(),
                limits: LimitsMeta {
                    nodes: go.nodes,
                    depth: go.depth,
                    milliseconds: go.movetime.map(|time| time.as_millis() as u64),
                    ..LimitsMeta::default()
                },
                is_kata,
            };
            recorder.record(LineEvent::Begin(Box::new(start)));
        }
    }

    pub(super) fn line(&self, line: &str) {
        if let Some(recorder) = &self.recorder {
            recorder.record(LineEvent::Line(line.to_owned()));
        }
    }

    /// The search is over, with this move.
    pub(super) fn end(&self, chosen: &str) {
        if let Some(recorder) = &self.recorder {
            let chosen = Some(chosen.to_owned()).filter(|chosen| !chosen.is_empty());
            recorder.record(LineEvent::End(chosen));
        }
    }

    /// What went wrong since the last call.
    pub(super) fn take_problems(&self) -> Vec<String> {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *problems)
    }
}
