//! Requests to stop a match.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Poll interval of [`Halt::wait_timeout`].
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A stop request, shared by all threads of a match. It only ever gets more urgent.
#[derive(Clone, Debug, Default)]
pub struct Halt(Arc<AtomicU8>);

impl Halt {
    /// No stop requested yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests a stop. The first request lets the engines quit; the second kills them at once.
    pub fn request(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |said| {
                (said < 2).then_some(said + 1)
            });
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Waits at most `timeout` for a stop request; true if there was one.
    pub fn wait_timeout(&self, timeout: Duration) -> bool {
        let begun = Instant::now();
        while !self.is_requested() && begun.elapsed() < timeout {
            thread::sleep(POLL_INTERVAL);
        }
        self.is_requested()
    }

    /// Whether a stop was requested twice.
    pub fn is_urgent(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}
