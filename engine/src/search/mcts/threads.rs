//! How the threads of one search get on with each other: who may make how many iterations, and who waits for whom.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use super::{
    node_store::SearchStore,
    select::Select,
    worker::{SearchContext, Worker},
};
use crate::search::{Searchable, budget::SearchBudget};

/// What the threads of one search tell each other.
#[derive(Default)]
pub(super) struct ThreadCoordinator {
    /// Iterations given out to threads.
    issued_iterations: AtomicU64,
    /// Iterations made by threads that have said so.
    pub(super) completed_iterations: AtomicU64,
    pub(super) stopped: AtomicBool,
    pub(super) out_of_memory: AtomicBool,
    /// Whether the first thread wants the others to rest.
    paused: AtomicBool,
    /// Threads beside the first, and how many of them are resting.
    pub(super) helpers: AtomicUsize,
    paused_helpers: AtomicUsize,
}

/// A thread's right to make iterations: taken a few at a time, so that threads seldom wait for each other.
#[derive(Default)]
pub(super) struct IterationQuota {
    remaining: u64,
    pub(super) used: u64,
    reported: u64,
}

impl IterationQuota {
    const QUOTA_SIZE: u64 = 16;

    /// Takes the right to one iteration, if there are any left.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        coordinator: &ThreadCoordinator,
        parallel: bool,
        count: Option<u64>,
    ) -> bool {
        if parallel && self.remaining == 0 {
            coordinator
                .completed_iterations
                .fetch_add(self.unreported(), Ordering::Relaxed);
            self.reported = self.used;
            let issued = coordinator
                .issued_iterations
                .fetch_add(Self::QUOTA_SIZE, Ordering::Relaxed);
            self.remaining = count.map_or(Self::QUOTA_SIZE, |count| {
                count.saturating_sub(issued).min(Self::QUOTA_SIZE)
            });
            if self.remaining == 0 {
                return false;
            }
        }
        self.remaining = self.remaining.saturating_sub(1);
        self.used += 1;
        true
    }

    pub(super) fn unreported(&self) -> u64 {
        self.used - self.reported
    }
}

impl ThreadCoordinator {
    const POLL_INTERVAL: Duration = Duration::from_micros(50);

    /// A further thread's work. Every thread watches the deadline: with more threads than processors the first may have to
    /// wait long for its turn.
    pub(super) fn run_helper<G: Searchable, T: SearchStore<G>, S: Select>(
        &self,
        worker: &mut Worker<'_, G>,
        context: &SearchContext<'_, G, T, S>,
        mut budget: SearchBudget,
        count: Option<u64>,
    ) {
        let mut quota = IterationQuota::default();
        while !self.stopped.load(Ordering::Relaxed) {
            if budget.is_exhausted(0) {
                self.stopped.store(true, Ordering::Relaxed);
                break;
            }
            if !quota.take(self, true, count) {
                break;
            }
            worker.run_iteration(context);
            if self.paused.load(Ordering::Relaxed) {
                self.wait_while_paused(worker, &mut quota, context);
            }
            if worker.out_of_memory && !self.out_of_memory.load(Ordering::Relaxed) {
                self.out_of_memory.store(true, Ordering::Relaxed);
            }
        }
        self.finish(worker, &quota, context);
        self.helpers.fetch_sub(1, Ordering::AcqRel);
    }

    /// Waits, with nothing kept back, until the first thread has looked at the tree.
    #[cold]
    fn wait_while_paused<G: Searchable, T: SearchStore<G>, S>(
        &self,
        worker: &mut Worker<'_, G>,
        quota: &mut IterationQuota,
        context: &SearchContext<'_, G, T, S>,
    ) {
        worker.flush_batch(context.store);
        worker.growth.flush();
        self.completed_iterations
            .fetch_add(quota.unreported(), Ordering::Relaxed);
        quota.reported = quota.used;
        self.paused_helpers.fetch_add(1, Ordering::AcqRel);
        while self.paused.load(Ordering::Acquire) {
            thread::sleep(Self::POLL_INTERVAL);
        }
        self.paused_helpers.fetch_sub(1, Ordering::AcqRel);
    }

    /// Waits until all other threads rest.
    pub(super) fn pause(&self) {
        self.paused.store(true, Ordering::Release);
        while self.paused_helpers.load(Ordering::Acquire) < self.helpers.load(Ordering::Acquire) {
            thread::sleep(Self::POLL_INTERVAL);
        }
    }

    pub(super) fn resume(&self) {
        self.paused.store(false, Ordering::Release);
    }

    /// A thread has nothing left to do: what it kept back is told.
    pub(super) fn finish<G: Searchable, T: SearchStore<G>, S>(
        &self,
        worker: &mut Worker<'_, G>,
        quota: &IterationQuota,
        context: &SearchContext<'_, G, T, S>,
    ) {
        worker.flush_batch(context.store);
        worker.growth.flush();
        self.completed_iterations
            .fetch_add(quota.unreported(), Ordering::Relaxed);
        self.out_of_memory
            .fetch_or(worker.out_of_memory, Ordering::Relaxed);
    }
}
