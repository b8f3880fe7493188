//! How a match is told to stop.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

/// Shared by everybody who works on a match. Only ever gets more urgent.
#[derive(Clone, Debug, Default)]
pub struct Halt(Arc<AtomicU8>);

impl Halt {
    /// Nobody has said stop yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says stop. The first time the engines may say good-bye; the second time they are ended at once.
    pub fn say(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |said| {
                (said < 2).then_some(said + 1)
            });
    }

    /// Whether somebody said stop.
    pub fn is_said(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Whether somebody said it twice.
    pub fn is_urgent(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}
