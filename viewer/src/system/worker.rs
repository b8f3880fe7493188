//! Background threads of the window: commands in, events out, and a panic that costs one job and not the thread.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::panic))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::indexing_slicing))]

use std::{
    any::Any,
    collections::VecDeque,
    io,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::system::wake::Wake;

/// Upper bound on the time a dropped worker is waited for; a thread that is busy for longer ends by itself.
const JOIN_TIMEOUT: Duration = Duration::from_millis(250);

/// The state of a background thread. It owns its [`Mailbox`].
pub trait Task: Send {
    /// Does one job: waits for a command, handles it, sends events. `Break` ends the thread.
    fn step(&mut self) -> ControlFlow<()>;

    /// Called after a panic in `step`, with its message. Drops whatever may be half done and sends an event that the window shows.
    fn recover(&mut self, panic: &str) -> ControlFlow<()>;
}

/// A background thread, seen from the window. Dropping it closes the queue and joins the thread within `JOIN_TIMEOUT`.
pub struct Worker<Command, Event> {
    commands: CommandSender<Command>,
    events: Receiver<Event>,
    thread: Option<JoinHandle<()>>,
}

impl<Command: Send + 'static, Event: Send + 'static> Worker<Command, Event> {
    /// Starts a thread with the task that `new_task` makes. `wake` is called after every event.
    pub fn start<T: Task + 'static>(
        name: &str,
        wake: Wake,
        new_task: impl FnOnce(Mailbox<Command, Event>) -> T,
    ) -> io::Result<Self> {
        let commands = CommandSender::default();
        let (event_sender, events) = mpsc::channel();
        let mut task = new_task(Mailbox {
            commands: commands.clone(),
            events: event_sender,
            wake,
        });
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || while run_step(&mut task).is_continue() {})?;
        Ok(Self {
            commands,
            events,
            thread: Some(thread),
        })
    }

    /// Appends a command to the queue.
    pub fn send(&self, command: Command) {
        self.commands.send(command);
    }

    /// Changes the queue of commands that have not been taken yet.
    pub fn edit_queue<R>(&self, edit: impl FnOnce(&mut VecDeque<Command>) -> R) -> R {
        self.commands.edit(edit)
    }

    /// The events since the last call, oldest first.
    pub fn take_events(&self) -> Vec<Event> {
        self.events.try_iter().collect()
    }

    /// Waits for an event; for tests.
    #[cfg(test)]
    pub(crate) fn wait_for_event(&self, timeout: Duration) -> Option<Event> {
        self.events.recv_timeout(timeout).ok()
    }
}

impl<Command, Event> Worker<Command, Event> {
    /// Closes the queue without waiting for the thread, and hands the thread out; `None` if that was done before.
    pub fn detach(&mut self) -> Option<JoinHandle<()>> {
        self.commands.close();
        self.thread.take()
    }
}

impl<Command, Event> Drop for Worker<Command, Event> {
    fn drop(&mut self) {
        let Some(thread) = self.detach() else { return };
        let deadline = Instant::now() + JOIN_TIMEOUT;
        // The channel is disconnected when the task is gone; the thread has nothing left to do then.
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(remaining) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let _ = thread.join();
    }
}

fn run_step(task: &mut impl Task) -> ControlFlow<()> {
    let result = catch_unwind(AssertUnwindSafe(|| task.step()));
    // A second panic while recovering ends the thread.
    result.unwrap_or_else(|panic| task.recover(panic_message(panic.as_ref())))
}

/// The message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    (panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("for no known reason")
}

/// The thread's end of a [`Worker`].
pub struct Mailbox<Command, Event> {
    commands: CommandSender<Command>,
    events: Sender<Event>,
    wake: Wake,
}

impl<Command, Event> Mailbox<Command, Event> {
    /// Blocks until there is a command; `None` when the queue is closed and empty.
    pub fn recv(&self) -> Option<Command> {
        self.recv_within(None).ok()
    }

    /// The next command if one is queued.
    pub fn try_recv(&self) -> Option<Command> {
        self.recv_within(Some(Duration::ZERO)).ok()
    }

    /// Blocks until there is a command, for at most `timeout`; without one for ever.
    pub fn recv_within(&self, timeout: Option<Duration>) -> Result<Command, RecvTimeoutError> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut queue = self.commands.lock();
        loop {
            if let Some(command) = queue.commands.pop_front() {
                return Ok(command);
            }
            if queue.is_closed {
                return Err(RecvTimeoutError::Disconnected);
            }
            let is_filled = &self.commands.shared.is_filled;
            queue = match deadline {
                None => is_filled
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let remaining = deadline.saturating_duration_since(Instant::now());
                    if remaining.is_zero() {
                        return Err(RecvTimeoutError::Timeout);
                    }
                    let waited = is_filled.wait_timeout(queue, remaining);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Sends an event and wakes the window; `Break` if the worker is gone.
    pub fn send(&self, event: Event) -> ControlFlow<()> {
        self.send_all([event])
    }

    /// Sends events in order and wakes the window once; `Break` if the worker is gone.
    pub fn send_all(&self, events: impl IntoIterator<Item = Event>) -> ControlFlow<()> {
        let is_heard = (events.into_iter()).all(|event| self.events.send(event).is_ok());
        (self.wake)();
        if is_heard {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// A way to queue commands from anywhere else.
    pub fn command_sender(&self) -> CommandSender<Command> {
        self.commands.clone()
    }
}

/// Queues commands for a worker.
pub struct CommandSender<Command> {
    shared: Arc<SharedQueue<Command>>,
}

struct SharedQueue<Command> {
    queue: Mutex<CommandQueue<Command>>,
    is_filled: Condvar,
}

struct CommandQueue<Command> {
    commands: VecDeque<Command>,
    is_closed: bool,
}

impl<Command> Clone for CommandSender<Command> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<Command> Default for CommandSender<Command> {
    fn default() -> Self {
        Self {
            shared: Arc::new(SharedQueue {
                queue: Mutex::new(CommandQueue {
                    commands: VecDeque::new(),
                    is_closed: false,
                }),
                is_filled: Condvar::new(),
            }),
        }
    }
}

impl<Command> CommandSender<Command> {
    /// Appends a command; it is dropped if the worker is closed.
    pub fn send(&self, command: Command) {
        let mut queue = self.lock();
        if !queue.is_closed {
            queue.commands.push_back(command);
        }
        drop(queue);
        self.shared.is_filled.notify_one();
    }

    fn edit<R>(&self, edit: impl FnOnce(&mut VecDeque<Command>) -> R) -> R {
        let result = edit(&mut self.lock().commands);
        self.shared.is_filled.notify_one();
        result
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.shared.is_filled.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, CommandQueue<Command>> {
        (self.shared.queue.lock()).unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(60);

    /// Doubles numbers and panics at 13.
    struct Doubler {
        mailbox: Mailbox<u32, Result<u32, String>>,
        has_ended: Arc<AtomicBool>,
    }

    impl Task for Doubler {
        fn step(&mut self) -> ControlFlow<()> {
            match self.mailbox.recv() {
                Some(13) => panic!("unlucky"),
                Some(number) => self.mailbox.send(Ok(number * 2)),
                None => ControlFlow::Break(()),
            }
        }

        fn recover(&mut self, panic: &str) -> ControlFlow<()> {
            self.mailbox.send(Err(panic.to_owned()))
        }
    }

    impl Drop for Doubler {
        fn drop(&mut self) {
            self.has_ended.store(true, Ordering::SeqCst);
        }
    }

    fn start(wake: Wake) -> (Worker<u32, Result<u32, String>>, Arc<AtomicBool>) {
        let has_ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&has_ended);
        let new_task = |mailbox| Doubler {
            mailbox,
            has_ended: flag,
        };
        let worker = Worker::start("doubler", wake, new_task).expect("a thread starts");
        (worker, has_ended)
    }

    #[test]
    fn a_panic_becomes_an_event_and_the_next_command_is_handled() {
        let wakes = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&wakes);
        let (worker, _) = start(Arc::new(move || {
            counter.fetch_add(1, Ordering::SeqCst);
        }));
        for number in [1, 13, 2] {
            worker.send(number);
        }
        let events: Vec<_> = (0..3).map(|_| worker.wait_for_event(DEADLINE)).collect();
        let unlucky = Err("unlucky".to_owned());
        assert_eq!(events, [Some(Ok(2)), Some(unlucky), Some(Ok(4))]);
        drop(worker);
        assert_eq!(wakes.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn a_dropped_worker_does_what_is_queued_and_is_joined() {
        let (worker, has_ended) = start(Arc::new(|| {}));
        worker.send(1);
        drop(worker);
        assert!(has_ended.load(Ordering::SeqCst));
    }

    #[test]
    fn a_wait_for_commands_ends_at_its_deadline() {
        let (events, _receiver) = mpsc::channel::<()>();
        let mailbox: Mailbox<u32, ()> = Mailbox {
            commands: CommandSender::default(),
            events,
            wake: Arc::new(|| {}),
        };
        let wait = Some(Duration::from_millis(1));
        assert_eq!(mailbox.recv_within(wait), Err(RecvTimeoutError::Timeout));
        mailbox.command_sender().send(7);
        assert_eq!(mailbox.recv_within(wait), Ok(7));
        mailbox.commands.close();
        mailbox.command_sender().send(8);
        assert_eq!(mailbox.recv(), None);
    }
}
