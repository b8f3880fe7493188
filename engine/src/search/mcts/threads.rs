//! Coordination of a search's threads: iteration quotas, stopping, and pauses for snapshots.

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

/// Shared state of a search's threads.
#[derive(Default)]
pub(super) struct ThreadCoordinator {
    /// Iterations issued to threads as quotas.
    issued_iterations: AtomicU64,
    /// Iterations that threads have reported as made.
    pub(super) completed_iterations: AtomicU64,
    pub(super) stopped: AtomicBool,
    pub(super) out_of_memory: AtomicBool,
    /// Set by the first thread to make the helpers wait.
    paused: AtomicBool,
    /// Number of helper threads, and of those waiting.
    pub(super) helpers: AtomicUsize,
    paused_helpers: AtomicUsize,
}

/// A thread's quota of iterations, taken in batches so that threads seldom contend for the counters.
#[derive(Default)]
pub(super) struct IterationQuota {
    remaining: u64,
    pub(super) used: u64,
    reported: u64,
}

impl IterationQuota {
    const QUOTA_SIZE: u64 = 16;

    /// Takes one iteration of the quota; false if the limit `count` is used up.
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

    /// The loop of a helper thread. Every thread watches the deadline: with more threads than processors the first may be
    /// descheduled when it passes.
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

    /// Applies everything pending, then waits until [`Self::resume`].
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

    /// Makes the helpers wait; returns when all do.
    pub(super) fn pause(&self) {
        self.paused.store(true, Ordering::Release);
        while self.paused_helpers.load(Ordering::Acquire) < self.helpers.load(Ordering::Acquire) {
            thread::sleep(Self::POLL_INTERVAL);
        }
    }

    pub(super) fn resume(&self) {
        self.paused.store(false, Ordering::Release);
    }

    /// Applies and reports everything pending at the end of a thread.
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
