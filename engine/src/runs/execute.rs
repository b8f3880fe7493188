//! Does the trials of a run on several threads, until all are done or a stop is requested.

use std::{
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{RunError, halt::Halt, part::PartWriter};

/// Time to give up running trials in order; then the stop becomes urgent. Batch systems kill what has not ended seconds after its
/// signal.
const STOP_GRACE: Duration = Duration::from_secs(1);
/// Poll interval of the thread that collects the results.
const TICK_INTERVAL: Duration = Duration::from_millis(50);

/// How an attempt at a trial ended.
#[derive(Debug)]
pub enum TrialEnd<R> {
    /// It has a result.
    Done(R),
    /// It was in vain, through no fault of what is tried; another attempt may succeed.
    Void(String),
    /// A stop was requested before it was over.
    Halted,
}

/// Does trials, one after the other, on a thread of its own.
pub trait TrialWorker {
    /// The result of a trial.
    type Result: Send;
    /// Why no more trials can be done.
    type Error: Send;

    /// Does a trial, counted from 1.
    fn run_trial(&mut self, trial: u64) -> Result<TrialEnd<Self::Result>, Self::Error>;

    /// Cleans up after the last trial.
    fn finish(&mut self) {}
}

/// Takes results as they come, on the thread that called [`execute`].
pub trait Collector<R, E> {
    /// Takes the result of a trial; false if no more trials are needed.
    fn on_result(&mut self, trial: u64, result: R) -> Result<bool, E>;

    /// Hears that a trial was void.
    fn on_void(&mut self, trial: u64, reason: &str) -> Result<(), E>;

    /// Hears a message for the user.
    fn on_message(&mut self, text: &str);

    /// Is called again and again while nothing else happens.
    fn on_tick(&mut self) -> Result<(), E>;
}

/// Why an execution is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutionEnd {
    /// All trials have been attempted.
    AllDone,
    /// The collector needs no more.
    Enough,
    /// A stop was requested.
    Halted,
}

/// Events from worker threads.
enum WorkerEvent<R, E> {
    Done(u64, R),
    Void(u64, String),
    Message(String),
    Failed(E),
}

/// What workers share: the stop request, and a way to say something.
pub struct WorkerContext<'a, R, E> {
    halt: &'a Halt,
    events: Sender<WorkerEvent<R, E>>,
}

impl<R, E> WorkerContext<'_, R, E> {
    /// The stop request of the workers; it comes from the user or from the collector.
    pub fn halt(&self) -> &Halt {
        self.halt
    }

    /// Says something to the user.
    pub fn send_message(&self, text: String) {
        let _ = self.events.send(WorkerEvent::Message(text));
    }

    /// Says that a trial was void, though it is attempted again at once.
    pub fn send_void(&self, trial: u64, reason: String) {
        let _ = self.events.send(WorkerEvent::Void(trial, reason));
    }
}

impl<R, E> Clone for WorkerContext<'_, R, E> {
    fn clone(&self) -> Self {
        Self {
            halt: self.halt,
            events: self.events.clone(),
        }
    }
}

impl<R, E> std::fmt::Debug for WorkerContext<'_, R, E> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WorkerContext")
            .field("halt", self.halt)
            .finish()
    }
}

/// Does the trials of `pending` in order, `concurrency` at a time, each thread with a worker of its own. The first request of
/// `halt` ends it when the running trials have been given up, the second at once.
pub fn execute<'h, W, C>(
    pending: impl Iterator<Item = u64> + Send,
    concurrency: usize,
    (halt, worker_halt): (&Halt, &'h Halt),
    make_worker: &(dyn Fn(WorkerContext<'h, W::Result, W::Error>) -> W + Sync),
    collector: &mut C,
) -> Result<ExecutionEnd, W::Error>
where
    W: TrialWorker,
    C: Collector<W::Result, W::Error>,
{
    let (sender, events) = channel();
    let context = WorkerContext {
        halt: worker_halt,
        events: sender,
    };
    let pending = Mutex::new(pending);
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for number in 0..concurrency.max(1) {
            let (pending, context) = (&pending, context.clone());
            let worker = thread::Builder::new().name(format!("trial {number}"));
            match worker.spawn_scoped(scope, move || work(pending, context, make_worker)) {
                Ok(helper) => workers.push(helper),
                Err(error) => {
                    collector.on_message(&format!("no thread could be started: {error}"));
                }
            }
        }
        // The events end with the last worker.
        drop(context);
        let collected = collect(&events, (halt, worker_halt), collector);
        if collected.is_err() {
            worker_halt.request();
        }
        collected
    })
}

/// One worker: takes trials until there are none.
fn work<'h, W: TrialWorker>(
    pending: &Mutex<impl Iterator<Item = u64>>,
    context: WorkerContext<'h, W::Result, W::Error>,
    make_worker: &(dyn Fn(WorkerContext<'h, W::Result, W::Error>) -> W + Sync),
) {
    let mut worker = make_worker(context.clone());
    let next = || {
        pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    while !context.halt.is_requested()
        && let Some(trial) = next()
    {
        let event = match worker.run_trial(trial) {
            Ok(TrialEnd::Done(result)) => WorkerEvent::Done(trial, result),
            Ok(TrialEnd::Void(reason)) => WorkerEvent::Void(trial, reason),
            Ok(TrialEnd::Halted) => break,
            Err(error) => {
                let _ = context.events.send(WorkerEvent::Failed(error));
                break;
            }
        };
        if context.events.send(event).is_err() {
            break;
        }
    }
    worker.finish();
}

/// Hands events to the collector until all workers have ended.
fn collect<R, E>(
    events: &Receiver<WorkerEvent<R, E>>,
    (halt, worker_halt): (&Halt, &Halt),
    collector: &mut impl Collector<R, E>,
) -> Result<ExecutionEnd, E> {
    let mut end = ExecutionEnd::AllDone;
    let mut halted_at: Option<Instant> = None;
    loop {
        match events.recv_timeout(TICK_INTERVAL) {
            Ok(WorkerEvent::Done(trial, result)) => {
                let is_more_needed = collector.on_result(trial, result)?;
                if !is_more_needed && end == ExecutionEnd::AllDone {
                    end = ExecutionEnd::Enough;
                    worker_halt.request();
                }
            }
            Ok(WorkerEvent::Void(trial, reason)) => collector.on_void(trial, &reason)?,
            Ok(WorkerEvent::Message(text)) => collector.on_message(&text),
            Ok(WorkerEvent::Failed(error)) => return Err(error),
            Err(RecvTimeoutError::Disconnected) => return Ok(end),
            Err(RecvTimeoutError::Timeout) => collector.on_tick()?,
        }
        if halt.is_requested() && halted_at.is_none() {
            halted_at = Some(Instant::now());
            worker_halt.request();
            end = ExecutionEnd::Halted;
        }
        let is_overdue = halted_at.is_some_and(|time| time.elapsed() >= STOP_GRACE);
        if (halt.is_urgent() || is_overdue) && !worker_halt.is_urgent() {
            worker_halt.request();
        }
    }
}

/// Events of an execution, for progress lines.
#[derive(Debug)]
pub enum ExecutionEvent<'a> {
    /// A trial has been done or was void.
    Trial(u64),
    /// A message for the user.
    Message(&'a str),
    /// Some time has passed.
    Tick,
}

/// Writes results to a part as they come.
pub struct PartCollector<'a> {
    part: &'a mut PartWriter,
    on_event: &'a mut dyn FnMut(ExecutionEvent<'_>),
    /// Trials that were void.
    pub void_count: u64,
}

impl<'a> PartCollector<'a> {
    /// Results go to `part`; `on_event` hears what happens.
    pub fn new(part: &'a mut PartWriter, on_event: &'a mut dyn FnMut(ExecutionEvent<'_>)) -> Self {
        Self {
            part,
            on_event,
            void_count: 0,
        }
    }
}

impl std::fmt::Debug for PartCollector<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PartCollector")
            .field("part", &self.part)
            .finish()
    }
}

impl<R: Serialize, E: From<RunError>> Collector<R, E> for PartCollector<'_> {
    fn on_result(&mut self, trial: u64, result: R) -> Result<bool, E> {
        self.part.append_result(trial, &result)?;
        (self.on_event)(ExecutionEvent::Trial(trial));
        Ok(true)
    }

    fn on_void(&mut self, trial: u64, reason: &str) -> Result<(), E> {
        self.void_count += 1;
        self.part.append_void(trial, reason)?;
        (self.on_event)(ExecutionEvent::Trial(trial));
        Ok(())
    }

    fn on_message(&mut self, text: &str) {
        (self.on_event)(ExecutionEvent::Message(text));
    }

    fn on_tick(&mut self) -> Result<(), E> {
        self.part.sync(false)?;
        (self.on_event)(ExecutionEvent::Tick);
        Ok(())
    }
}
