//! Asks an engine process for the exact values of a position's moves, one position after the other.

use std::{
    collections::VecDeque,
    ops::ControlFlow,
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

use canopy_engine::{
    arena::process::Process,
    explain::truth::{MoveValues, parse_values},
    runs::halt::Halt,
};

use crate::system::{
    wake::Wake,
    worker::{Mailbox, Task, Worker},
};

/// How long a position is solved.
const SOLVE_TIME: Duration = Duration::from_secs(2);
/// Time for the answer beyond that.
const ANSWER_GRACE: Duration = Duration::from_secs(8);
/// How long an engine that is asked nothing stays.
const IDLE_LIMIT: Duration = Duration::from_secs(20);
/// Time for an engine to quit.
const QUIT_TIMEOUT: Duration = Duration::from_millis(300);

/// A position whose moves are to be judged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The game with its variant.
    pub game: String,
    /// The position, as the game writes it.
    pub position: String,
}

/// What came of a question.
pub enum SolverEvent {
    /// The values of all moves, as far as they were found.
    Answer(Question, MoveValues),
    /// The engine cannot be asked; a sentence says why. The question is not answered.
    Failed(Question, String),
}

/// An engine that is asked for exact values on a thread of its own.
pub struct Solver {
    worker: Worker<Vec<Question>, SolverEvent>,
    halt: Halt,
}

impl Solver {
    /// Starts the thread; the engine is started by the first question. `wake` is called after every answer.
    pub fn start(engine_command: Vec<String>, wake: Wake) -> std::io::Result<Self> {
        let halt = Halt::new();
        let task = |mailbox| SolverTask {
            mailbox,
            engine_command,
            halt: halt.clone(),
            waiting: VecDeque::new(),
            engine: None,
        };
        let worker = Worker::start("solver", wake, task)?;
        Ok(Self { worker, halt })
    }

    /// Asks these questions, the first one first, instead of those that were not asked yet.
    pub fn ask(&self, questions: Vec<Question>) {
        self.worker.edit_queue(|queue| {
            queue.clear();
            queue.push_back(questions);
        });
    }

    /// The answers since the last call.
    pub fn take_events(&self) -> Vec<SolverEvent> {
        self.worker.take_events()
    }
}

impl Drop for Solver {
    /// Does not wait for the engine.
    fn drop(&mut self) {
        self.halt.request();
        drop(self.worker.detach());
    }
}

/// The state of the thread.
struct SolverTask {
    mailbox: Mailbox<Vec<Question>, SolverEvent>,
    engine_command: Vec<String>,
    halt: Halt,
    waiting: VecDeque<Question>,
    /// The engine and the game that it was started for.
    engine: Option<(String, Process)>,
}

impl Task for SolverTask {
    fn step(&mut self) -> ControlFlow<()> {
        let wait = match (self.waiting.is_empty(), &self.engine) {
            (false, _) => Some(Duration::ZERO),
            (true, Some(_)) => Some(IDLE_LIMIT),
            (true, None) => None,
        };
        match self.mailbox.recv_within(wait) {
            Ok(questions) => self.waiting = questions.into(),
            Err(RecvTimeoutError::Disconnected) => return ControlFlow::Break(()),
            Err(RecvTimeoutError::Timeout) => match self.waiting.pop_front() {
                Some(question) => return self.answer(question),
                None => self.end_engine(),
            },
        }
        ControlFlow::Continue(())
    }

    fn recover(&mut self, _: &str) -> ControlFlow<()> {
        self.engine = None;
        ControlFlow::Continue(())
    }
}

impl SolverTask {
    fn end_engine(&mut self) {
        if let Some((_, process)) = self.engine.take() {
            process.shut_down("quit\n", Instant::now() + QUIT_TIMEOUT);
        }
    }

    fn answer(&mut self, question: Question) -> ControlFlow<()> {
        match self.ask(&question) {
            Ok(values) => self.mailbox.send(SolverEvent::Answer(question, values)),
            Err(problem) => {
                self.engine = None;
                self.mailbox.send(SolverEvent::Failed(question, problem))
            }
        }
    }

    /// Asks the engine, which is started if it is not there.
    fn ask(&mut self, question: &Question) -> Result<MoveValues, String> {
        if self
            .engine
            .as_ref()
            .is_none_or(|(game, _)| *game != question.game)
        {
            self.end_engine();
            let mut words = self.engine_command.clone();
            words.extend(["--game".to_owned(), question.game.clone()]);
            let mut process = Process::start(&words, None, &self.halt)
                .map_err(|error| format!("the solver could not be started: {error}"))?;
            process.lower_priority();
            process.send("ugi\n");
            self.engine = Some((question.game.clone(), process));
        }
        let Some((_, process)) = &mut self.engine else {
            return Err("the solver is not there".to_owned());
        };
        process.send(&format!(
            "position fen {}\nquery values movetime {}\n",
            question.position,
            SOLVE_TIME.as_millis()
        ));
        let deadline = Instant::now() + SOLVE_TIME + ANSWER_GRACE;
        loop {
            let line = (process.read_line(deadline))
                .map_err(|_| "the solver gave no answer".to_owned())?;
            if let Some(values) = parse_values(&line) {
                return Ok(values);
            }
        }
    }
}
