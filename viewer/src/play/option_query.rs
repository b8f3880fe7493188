//! Asking another program for the options that it declares, on a thread of its own.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::panic))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::indexing_slicing))]

use std::{ops::ControlFlow, time::Duration};

use canopy_engine::{
    arena::{
        client::{Client, EngineFault, EngineOption, GameSpec},
        engine_config::EngineConfig,
    },
    games,
    runs::halt::Halt,
};

use super::{
    engine_handle::{ClientGameVisitor, ENGINE_TIMEOUTS},
    session::{DialectHint, INTRODUCTION_LIMIT},
    setup::Program,
};
use crate::system::{
    wake::Wake,
    worker::{Mailbox, Task, Worker},
};

/// A program's options, or why there are none.
type Answer = Result<Vec<EngineOption>, QueryFailure>;

/// Why a program gave no answer.
#[derive(Clone, Debug)]
struct QueryFailure {
    /// What it did, to follow its name.
    text: String,
    /// Whether it runs, and may have been spoken to in the wrong dialect.
    has_started: bool,
}

/// A program that is asked for its options.
pub struct OptionQuery {
    /// The program.
    pub program: Program,
    /// The game that it is to play.
    pub game: String,
    /// Its name in sentences.
    name: String,
    /// Since when.
    started_at: Duration,
    state: QueryState,
}

enum QueryState {
    /// It has not answered yet.
    Running {
        worker: Worker<EngineConfig, Answer>,
        halt: Halt,
    },
    /// It gave no answer.
    Failed(QueryFailure),
}

impl OptionQuery {
    /// Starts the program, which is ended when it has answered or the query is dropped. An error is a sentence.
    pub fn start(
        program: Program,
        engine: EngineConfig,
        game: &str,
        (now, wake): (Duration, Wake),
    ) -> Result<Self, String> {
        let spec = games::with_game(game, ClientGameVisitor).map_err(|error| error.to_string())?;
        let halt = Halt::new();
        let task = |mailbox| QueryTask {
            mailbox,
            game: spec,
            halt: halt.clone(),
        };
        let worker = Worker::start("options", wake, task)
            .map_err(|error| format!("no thread could be started: {error}"))?;
        let name = engine.name.clone();
        worker.send(engine);
        Ok(Self {
            program,
            game: game.to_owned(),
            name,
            started_at: now,
            state: QueryState::Running { worker, halt },
        })
    }

    /// The program's options once it has declared them.
    pub fn take_options(&mut self) -> Option<Vec<EngineOption>> {
        let QueryState::Running { worker, .. } = &self.state else {
            return None;
        };
        match worker.take_events().pop()? {
            Ok(options) => Some(options),
            Err(failure) => {
                self.state = QueryState::Failed(failure);
                None
            }
        }
    }

    /// Why there is no answer, in a sentence; none while there may be one.
    pub fn failure_text(&self) -> Option<String> {
        match &self.state {
            QueryState::Running { .. } => None,
            QueryState::Failed(failure) => Some(format!("{} {}.", self.name, failure.text)),
        }
    }

    /// A hint at other dialects, if the program has not answered for two seconds or has failed.
    pub fn dialect_hint(&self, now: Duration) -> Option<DialectHint> {
        let is_due = match &self.state {
            QueryState::Running { .. } => now >= self.hint_due_at(),
            QueryState::Failed(failure) => failure.has_started,
        };
        is_due.then(|| DialectHint {
            name: self.name.clone(),
            dialect: self.program.dialect,
        })
    }

    /// When silence becomes a hint.
    pub fn hint_due_at(&self) -> Duration {
        self.started_at + INTRODUCTION_LIMIT
    }
}

impl Drop for OptionQuery {
    /// Does not wait for the program.
    fn drop(&mut self) {
        if let QueryState::Running { worker, halt } = &mut self.state {
            halt.request();
            drop(worker.detach());
        }
    }
}

/// The state of the thread.
struct QueryTask {
    mailbox: Mailbox<EngineConfig, Answer>,
    game: GameSpec,
    halt: Halt,
}

impl Task for QueryTask {
    fn step(&mut self) -> ControlFlow<()> {
        let Some(engine) = self.mailbox.recv() else {
            return ControlFlow::Break(());
        };
        let started = Client::start(&engine, &self.game, ENGINE_TIMEOUTS, &self.halt);
        let (answer, client) = match started {
            Ok(client) => (Ok(client.options().to_vec()), Some(client)),
            Err(error) => {
                let failure = QueryFailure {
                    text: error.fault.describe(&error.post_mortem),
                    has_started: !matches!(error.fault, EngineFault::NotStarted(_)),
                };
                (Err(failure), None)
            }
        };
        let is_heard = self.mailbox.send(answer);
        if let Some(client) = client {
            client.quit();
        }
        is_heard
    }

    fn recover(&mut self, panic: &str) -> ControlFlow<()> {
        self.mailbox.send(Err(QueryFailure {
            text: format!("could not be talked to: {panic}"),
            has_started: false,
        }))
    }
}
