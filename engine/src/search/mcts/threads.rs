//! How the threads of one search get on with each other: who may make how many iterations, and who waits for whom.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use super::{
    select::Select,
    store::Store,
    worker::{Ground, Worker},
};
use crate::search::{Searchable, budget::Budget};

/// What the threads of one search tell each other.
#[derive(Default)]
pub(super) struct Shared {
    /// Iterations given out to threads.
    given: AtomicU64,
    /// Iterations made by threads that have said so.
    pub(super) done: AtomicU64,
    pub(super) over: AtomicBool,
    pub(super) full: AtomicBool,
    /// Whether the first thread wants the others to rest.
    paused: AtomicBool,
    /// Threads beside the first, and how many of them are resting.
    pub(super) helpers: AtomicUsize,
    resting: AtomicUsize,
}

/// A thread's right to make iterations: taken a few at a time, so that threads seldom wait for each other.
#[derive(Default)]
pub(super) struct Tickets {
    left: u64,
    pub(super) used: u64,
    reported: u64,
}

impl Tickets {
    const BATCH: u64 = 16;

    /// Takes the right to one iteration, if there are any left.
    #[inline(always)]
    pub(super) fn take(&mut self, shared: &Shared, parallel: bool, count: Option<u64>) -> bool {
        if parallel && self.left == 0 {
            shared.done.fetch_add(self.unreported(), Ordering::Relaxed);
            self.reported = self.used;
            let given = shared.given.fetch_add(Self::BATCH, Ordering::Relaxed);
            self.left = count.map_or(Self::BATCH, |count| {
                count.saturating_sub(given).min(Self::BATCH)
            });
            if self.left == 0 {
                return false;
            }
        }
        self.left = self.left.saturating_sub(1);
        self.used += 1;
        true
    }

    pub(super) fn unreported(&self) -> u64 {
        self.used - self.reported
    }
}

impl Shared {
    const NAP: Duration = Duration::from_micros(50);

    /// A further thread's work. Every thread watches the deadline: with more threads than processors the first may have to
    /// wait long for its turn.
    pub(super) fn help<G: Searchable, T: Store<G>, S: Select>(
        &self,
        worker: &mut Worker<'_, G>,
        ground: &Ground<'_, G, T, S>,
        mut budget: Budget,
        count: Option<u64>,
    ) {
        let mut tickets = Tickets::default();
        while !self.over.load(Ordering::Relaxed) {
            if budget.is_over(0) {
                self.over.store(true, Ordering::Relaxed);
                break;
            }
            if !tickets.take(self, true, count) {
                break;
            }
            worker.iterate(ground);
            if self.paused.load(Ordering::Relaxed) {
                self.rest(worker, &mut tickets, ground);
            }
            if worker.full && !self.full.load(Ordering::Relaxed) {
                self.full.store(true, Ordering::Relaxed);
            }
        }
        self.finish(worker, &tickets, ground);
        self.helpers.fetch_sub(1, Ordering::AcqRel);
    }

    /// Waits, with nothing kept back, until the first thread has looked at the tree.
    #[cold]
    fn rest<G: Searchable, T: Store<G>, S>(
        &self,
        worker: &mut Worker<'_, G>,
        tickets: &mut Tickets,
        ground: &Ground<'_, G, T, S>,
    ) {
        worker.break_camp(ground.store);
        worker.teller.hand_over();
        self.done.fetch_add(tickets.unreported(), Ordering::Relaxed);
        tickets.reported = tickets.used;
        self.resting.fetch_add(1, Ordering::AcqRel);
        while self.paused.load(Ordering::Acquire) {
            thread::sleep(Self::NAP);
        }
        self.resting.fetch_sub(1, Ordering::AcqRel);
    }

    /// Waits until all other threads rest.
    pub(super) fn pause(&self) {
        self.paused.store(true, Ordering::Release);
        while self.resting.load(Ordering::Acquire) < self.helpers.load(Ordering::Acquire) {
            thread::sleep(Self::NAP);
        }
    }

    pub(super) fn resume(&self) {
        self.paused.store(false, Ordering::Release);
    }

    /// A thread has nothing left to do: what it kept back is told.
    pub(super) fn finish<G: Searchable, T: Store<G>, S>(
        &self,
        worker: &mut Worker<'_, G>,
        tickets: &Tickets,
        ground: &Ground<'_, G, T, S>,
    ) {
        worker.break_camp(ground.store);
        worker.teller.hand_over();
        self.done.fetch_add(tickets.unreported(), Ordering::Relaxed);
        self.full.fetch_or(worker.full, Ordering::Relaxed);
    }
}
