//! Does the trials of an experiment and keeps them in a run directory.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::value::RawValue;
use thiserror::Error;

use super::{
    experiment::Experiment,
    kinds::{TrialContext, Trials},
    report::ExperimentTerms,
};
use crate::{
    runs::{
        RunError,
        directory::RunDirectory,
        execute::{
            ExecutionEnd, ExecutionEvent, PartCollector, TrialEnd, TrialWorker, WorkerContext,
            execute,
        },
        halt::Halt,
        shard::{NumberList, Shard},
        union::{MAX_VOIDS, Run, VoidTrial},
    },
    search::StopFlag,
};

/// Longest time until searches hear of a stop request.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// An attempt at a shard of an experiment.
#[derive(Debug)]
pub struct Attempt<'a> {
    /// What is run.
    pub experiment: &'a Experiment,
    /// What its parts say of it.
    pub terms: &'a ExperimentTerms,
    /// Which part of it.
    pub shard: Shard,
    /// Only these trials of it, even if they were given up; none for all.
    pub only: Option<&'a NumberList>,
    /// Trials at a time.
    pub concurrency: usize,
    /// The command that starts this program.
    pub own_command: &'a [String],
}

/// Why an attempt failed.
#[derive(Debug, Error)]
pub enum AttemptError {
    /// The results cannot be kept.
    #[error(transparent)]
    Records(#[from] RunError),
    /// A program that takes part cannot be used.
    #[error("{0}")]
    Program(String),
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptEnd {
    /// Trials of the shard.
    pub total: u64,
    /// Those of them that are done.
    pub done: u64,
    /// Those that were done now.
    pub new: u64,
    /// Whether a stop was requested.
    pub is_halted: bool,
    /// The first trial of the shard that was void and is not done.
    pub void: Option<VoidTrial>,
}

impl AttemptEnd {
    /// Whether the void trial is not attempted again.
    pub fn is_given_up(&self) -> bool {
        (self.void.as_ref()).is_some_and(|void| void.count >= MAX_VOIDS)
    }
}

impl Attempt<'_> {
    /// Does what nobody has done of the shard. `on_event` hears what happens: first how much is to be done and how much of it is.
    pub fn run(
        &self,
        directory: &Path,
        halt: &Halt,
        on_event: &mut dyn FnMut(AttemptEvent<'_>),
    ) -> Result<AttemptEnd, AttemptError> {
        let trials = &*self.experiment.trials;
        let count = trials.count();
        let directory = RunDirectory::create(directory, self.experiment.plan())?;
        let known = directory.load(false)?;
        let units = known.plan().units;
        let is_own = |trial: &u64| {
            self.shard.has_unit(units.unit_of(*trial))
                && self.only.is_none_or(|only| only.contains(*trial))
        };
        let total = (1..=count).filter(is_own).count() as u64;
        let before = (1..=count)
            .filter(is_own)
            .filter(|&trial| known.is_done(trial))
            .count() as u64;
        let is_pending = |trial: &u64| match self.only {
            Some(_) => is_own(trial) && !known.is_done(*trial),
            None => known.is_pending(*trial, self.shard),
        };
        let mut end = AttemptEnd {
            total,
            done: before,
            new: 0,
            is_halted: false,
            void: None,
        };
        if !(1..=count).any(|trial| is_pending(&trial)) {
            end.void = self.first_void(&known, count);
            return Ok(end);
        }
        on_event(AttemptEvent::Begun {
            total,
            done: before,
        });
        let terms = serde_json::to_value(self.terms).unwrap_or_default();
        let mut part = directory.start_part(self.shard, count, terms)?;
        let mut new = 0;
        let mut on_execution = |event: ExecutionEvent<'_>| match event {
            ExecutionEvent::Trial(_) => {
                new += 1;
                on_event(AttemptEvent::Trial { new });
            }
            ExecutionEvent::Message(text) => on_event(AttemptEvent::Message(text)),
            ExecutionEvent::Tick => on_event(AttemptEvent::Tick),
        };
        let mut collector = PartCollector::new(&mut part, &mut on_execution);
        let pending = (1..=count).filter(is_pending);
        let executed = self.execute(pending, halt, &mut collector);
        let voids = collector.void_count;
        let ended = match executed {
            Ok(ended) => ended,
            Err(error) => {
                directory.remove_empty_part(part);
                return Err(error);
            }
        };
        end.new = new - voids.min(new);
        end.done += end.new;
        end.is_halted = ended == ExecutionEnd::Halted;
        match ended {
            ExecutionEnd::AllDone if voids == 0 && self.only.is_none() => part.finish(None)?,
            _ if part.has_lines() => part.sync(true)?,
            _ => directory.remove_empty_part(part),
        }
        if end.done < end.total && !end.is_halted {
            end.void = self.first_void(&directory.load(false)?, count);
        }
        Ok(end)
    }

    /// The first trial of the shard that was void and is not done; one that is given up, if there is one.
    fn first_void(&self, run: &Run, count: u64) -> Option<VoidTrial> {
        let units = run.plan().units;
        let own = (run.void_trials().into_iter())
            .filter(|void| void.trial <= count && self.shard.has_unit(units.unit_of(void.trial)));
        // Of equal ones the last is found, so they are looked at from the end.
        let mut own: Vec<VoidTrial> = own.collect();
        own.reverse();
        own.into_iter().max_by_key(|void| void.count >= MAX_VOIDS)
    }

    fn execute(
        &self,
        pending: impl Iterator<Item = u64> + Send,
        halt: &Halt,
        collector: &mut PartCollector<'_>,
    ) -> Result<ExecutionEnd, AttemptError> {
        let trials = &*self.experiment.trials;
        let worker_halt = Halt::new();
        let (stop, is_over) = (StopFlag::new(), AtomicBool::new(false));
        let context = TrialContext {
            stop: &stop,
            halt: &worker_halt,
            own_command: self.own_command,
        };
        trials
            .check_programs(&context)
            .map_err(AttemptError::Program)?;
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    if worker_halt.wait_timeout(STOP_POLL_INTERVAL) {
                        stop.set();
                        return;
                    }
                }
            });
            let make = |_: WorkerContext<'_, Box<RawValue>, RunError>| Worker { trials, context };
            let halts = (halt, &worker_halt);
            let end = execute(pending, self.concurrency, halts, &make, collector);
            is_over.store(true, Ordering::Relaxed);
            Ok(end?)
        })
    }
}

/// Events of an attempt.
#[derive(Debug)]
pub enum AttemptEvent<'a> {
    /// There is something to do.
    Begun {
        /// Trials of the shard.
        total: u64,
        /// Those that are done already.
        done: u64,
    },
    /// A trial has been done or was void.
    Trial {
        /// How many in this attempt.
        new: u64,
    },
    /// A message for the user.
    Message(&'a str),
    /// Some time has passed.
    Tick,
}

struct Worker<'a> {
    trials: &'a dyn Trials,
    context: TrialContext<'a>,
}

impl TrialWorker for Worker<'_> {
    type Result = Box<RawValue>;
    type Error = RunError;

    fn run_trial(&mut self, trial: u64) -> Result<TrialEnd<Self::Result>, RunError> {
        Ok(self.trials.run_in(trial, &self.context))
    }
}
