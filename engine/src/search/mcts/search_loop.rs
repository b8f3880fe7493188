//! The main loop of a search. Threads make iterations until the budget is used up: the first one also reports, the helpers pause
//! while it copies the tree.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use super::{
    ChildStats, ExpansionRule, FinalChoice, Grouping, Mcts, Sharing,
    node_store::SearchStore,
    playout::LastMoves,
    recorded_playout::RecordedPlayout,
    select::Select,
    worker::{PlayoutPosition, SearchContext, Worker},
};
use crate::{
    games::Symmetry,
    rng::child_seed,
    search::{
        Reward, SearchLimits, SearchTask, Searchable,
        budget::{DepthLimit, SearchBudget},
        growth_records::{GrowthBuffer, GrowthObserver, GrowthRecord},
        pacing::{Pacer, RootSummary},
    },
};

impl<G: Searchable, T: SearchStore<G>, S: Select> Mcts<G, T, S> {
    /// The kind of tree, encoded for [`crate::search::growth_records::GrowthObserver::start`].
    fn tree_kind_bits(&self) -> u32 {
        let sharing = if T::IS_GRAPH {
            self.config.sharing
        } else {
            Sharing::default()
        };
        let grouping = match sharing.grouping {
            Grouping::None => 0,
            Grouping::Rotations => 1,
            Grouping::Dihedral => 2,
        };
        u32::from(T::IS_GRAPH)
            | u32::from(self.config.expansion == ExpansionRule::One) << 1
            | grouping << 2
            | u32::from(sharing.invert_colours) << 4
    }

    /// The root in the game's own frame, if nodes have other frames and the playouts use the last moves.
    fn playout_board(&self, root: &G) -> Option<PlayoutPosition<G>> {
        let uses_last_moves = self
            .playouts
            .first()
            .is_some_and(|playout| playout.uses_last_moves());
        let turns = T::IS_GRAPH && self.config.sharing.has_grouping();
        (uses_last_moves && turns).then(|| PlayoutPosition {
            position: root.clone(),
            symmetry: (self.store.frame(root).symmetry).unwrap_or(Symmetry::IDENTITY),
        })
    }

    /// Makes iterations until the budget is used up; returns their number, and true if memory ran out.
    pub(super) fn run_workers(
        &mut self,
        task: &mut SearchTask<'_, G>,
        framed: &G,
        allowed: Option<&[bool]>,
    ) -> (u64, bool) {
        let mut limits = self.config.effective_limits(task.limits);
        let pacer = Pacer::new(&task.pacing, &limits);
        if let Some(pacer) = &pacer {
            limits.time = Some(pacer.deadline());
        }
        let budget = SearchBudget::start(&limits, limits.iterations, task.stop)
            .with_timers(
                task.reports.as_ref().map(|reports| reports.interval),
                task.snapshots.as_ref().map(|snapshots| snapshots.interval),
            )
            .with_reviews(pacer.as_ref().map(Pacer::review_interval));
        let observer = task.observer;
        if let Some(listener) = observer {
            listener.start(self.store.root(), self.tree_kind_bits());
            let mut growth = GrowthBuffer::new(observer);
            self.store.record_inherited(&mut growth);
            growth.push(GrowthRecord::SearchStarted);
            growth.flush();
        }
        self.is_restricted |= allowed.is_some();
        let seed = child_seed(self.config.seed, self.search_count);
        let parallel = self.playouts.len() > 1;
        let board = self.playout_board(task.root);
        let records_playouts = observer.is_some_and(GrowthObserver::wants_playouts);
        let mut playouts = std::mem::take(&mut self.playouts);
        let coordinator = ThreadCoordinator::default();
        {
            let in_order = !parallel
                && self.config.expand_on > 1
                && !self.config.solver
                && !self.is_restricted
                && self.config.fpu.is_infinite()
                && self.config.expansion == ExpansionRule::AllFirst;
            let context = SearchContext {
                config: &self.config,
                store: &self.store,
                select: self.select,
                root: framed,
                board,
                last_moves: LastMoves::from_history(task.history),
                allowed,
                expands_in_order: in_order,
                proves_margins: self.store.keeps_score_bounds() && framed.margin_bounds().is_some(),
                threads: playouts.len() as u32,
            };
            let (first, others) = playouts
                .split_first_mut()
                .expect("there is a policy for the first thread");
            thread::scope(|scope| {
                for (index, playout) in (1..).zip(others) {
                    let (context, coordinator) = (&context, &coordinator);
                    let (count, history) = (limits.iterations, task.history);
                    let budget = budget.for_helper();
                    let work = move || {
                        let growth = GrowthBuffer::new(observer);
                        let seed = child_seed(seed, index);
                        let mut recorded = RecordedPlayout::new(&mut **playout);
                        let playout = recorded.policy(records_playouts);
                        let mut worker = Worker::new(playout, seed, history, true, growth);
                        coordinator.run_helper(&mut worker, context, budget, count);
                    };
                    coordinator.helpers.fetch_add(1, Ordering::AcqRel);
                    let name = format!("search-{index}");
                    if thread::Builder::new()
                        .name(name)
                        .spawn_scoped(scope, work)
                        .is_err()
                    {
                        // Continue with fewer threads: slower, not wrong.
                        coordinator.helpers.fetch_sub(1, Ordering::AcqRel);
                        break;
                    }
                }
                let growth = GrowthBuffer::new(observer);
                let seed = child_seed(seed, 0);
                let mut recorded = RecordedPlayout::new(&mut **first);
                let playout = recorded.policy(records_playouts);
                let worker = Worker::new(playout, seed, task.history, parallel, growth);
                let run = RunLimits {
                    budget,
                    limits,
                    pacer,
                };
                self.run_main_worker(task, &context, &coordinator, worker, run);
            });
        }
        self.playouts = playouts;
        (
            coordinator.completed_iterations.into_inner(),
            coordinator.out_of_memory.into_inner(),
        )
    }

    /// The loop of the first thread: iterations, budget, reports and snapshots.
    fn run_main_worker(
        &self,
        task: &mut SearchTask<'_, G>,
        context: &SearchContext<'_, G, T, S>,
        coordinator: &ThreadCoordinator,
        mut worker: Worker<'_, G>,
        run: RunLimits,
    ) {
        let RunLimits {
            mut budget,
            limits,
            pacer,
        } = run;
        let mut quota = IterationQuota::default();
        let mut depth_limit = limits.depth.map(DepthLimit::new);
        loop {
            // A single thread counts iterations by the budget, several by their quotas.
            let used = if context.is_parallel() { 0 } else { quota.used };
            if budget.is_exhausted(used)
                || context.is_parallel() && coordinator.stopped.load(Ordering::Relaxed)
                || context.config.solver && self.is_root_proven(context)
            {
                break;
            }
            if !quota.take(coordinator, context.is_parallel(), limits.iterations) {
                // The other threads finish their quotas.
                return coordinator.finish(&mut worker, &quota, context);
            }
            worker.run_iteration(context);
            if let Some(limit) = &mut depth_limit
                && quota.used.is_multiple_of(DepthLimit::CHECK_INTERVAL)
            {
                let (length, ends) = self.pv_length(task);
                let playouts =
                    coordinator.completed_iterations.load(Ordering::Relaxed) + quota.unreported();
                if ends || limit.is_reached(length, playouts) {
                    break;
                }
            }
            if let Some(pacer) = &pacer
                && budget.is_review_due()
                && let Some(root) = self.root_summary(context)
            {
                let playouts =
                    coordinator.completed_iterations.load(Ordering::Relaxed) + quota.unreported();
                if pacer.is_done(&root, budget.elapsed(), playouts) {
                    break;
                }
            }
            if budget.is_report_due() {
                worker.flush_batch(context.store);
                let done =
                    coordinator.completed_iterations.load(Ordering::Relaxed) + quota.unreported();
                let full =
                    worker.out_of_memory || coordinator.out_of_memory.load(Ordering::Relaxed);
                let report = self.build_report(task.root, task.search_moves, done, full);
                if let Some(reports) = &mut task.reports {
                    (reports.callback)(&report);
                }
            }
            if budget.is_snapshot_due()
                && let Some(snapshots) = &mut task.snapshots
            {
                worker.flush_batch(context.store);
                worker.growth.flush();
                coordinator.pause();
                let done =
                    coordinator.completed_iterations.load(Ordering::Relaxed) + quota.unreported();
                let full =
                    worker.out_of_memory || coordinator.out_of_memory.load(Ordering::Relaxed);
                let report = self.build_report(task.root, task.search_moves, done, full);
                (snapshots.callback)(self, &report);
                coordinator.resume();
            }
        }
        coordinator.stopped.store(true, Ordering::Relaxed);
        coordinator.finish(&mut worker, &quota, context);
    }

    /// True if the root's result is proven and all its moves are allowed.
    fn is_root_proven(&self, context: &SearchContext<'_, G, T, S>) -> bool {
        context.allowed.is_none() && context.is_closed(self.store.root())
    }

    /// What there is to know of the root, all inherited visits included; `None` until it has been expanded.
    fn root_summary(&self, context: &SearchContext<'_, G, T, S>) -> Option<RootSummary> {
        let store = &self.store;
        let mover = context.root.to_move();
        let (first, count) = store.edges(store.root());
        let is_allowed = |index: &usize| context.allowed.is_none_or(|allowed| allowed[*index]);
        let mut moves = Vec::with_capacity(count);
        for index in (0..count).filter(is_allowed) {
            let edge = first + index;
            let stats = ChildStats::from(store.child_stats(edge, mover));
            let mean = match stats.visits > 0.0 {
                true => stats.sum / stats.visits,
                false => f64::NEG_INFINITY,
            };
            // The worst and the best result that the move may still have.
            let bounds = match store.edge_proven(edge) {
                Some(outcome) => {
                    let value = Reward::from_outcome(outcome).for_player(mover);
                    (value, value)
                }
                None => (0.0, 1.0),
            };
            moves.push((stats.edge_visits as u64, mean, bounds));
        }
        let leader = (0..moves.len()).rev().max_by_key(|&index| moves[index].0)?;
        let (most_visits, leader_mean, (worst, _)) = moves[leader];
        let others = || (moves.iter().enumerate()).filter(|&(index, _)| index != leader);
        Some(RootSummary {
            most_visits,
            second_visits: others().map(|(_, one)| one.0).max(),
            leader_has_best_mean: others().all(|(_, one)| one.1 <= leader_mean),
            is_best_proven: others().all(|(_, (_, _, (_, best)))| *best <= worst),
            is_chosen_by_visits: context.config.final_choice == FinalChoice::Visits
                && !context.config.solver,
        })
    }

    /// Length of the principal variation in plies, and true if the game ends with it.
    fn pv_length(&self, task: &SearchTask<'_, G>) -> (u32, bool) {
        let ranked = self.ranked_moves(task.root, task.search_moves);
        let pv = (ranked.first()).map_or_else(Vec::new, |best| self.pv(task.root, best.mv));
        let mut position = task.root.clone();
        let mut history = task.history.clone();
        let ends = pv.iter().any(|&mv| {
            position.play(mv);
            history.push(&position);
            history.outcome(&position).is_some()
        });
        (pv.len() as u32, ends)
    }
}

/// When the first thread ends the search.
struct RunLimits {
    budget: SearchBudget,
    limits: SearchLimits,
    pacer: Option<Pacer>,
}

/// Shared state of a search's threads.
#[derive(Default)]
struct ThreadCoordinator {
    /// Iterations issued to threads as quotas.
    issued_iterations: AtomicU64,
    /// Iterations that threads have reported as made.
    completed_iterations: AtomicU64,
    stopped: AtomicBool,
    out_of_memory: AtomicBool,
    /// Set by the first thread to make the helpers wait.
    paused: AtomicBool,
    /// Number of helper threads, and of those waiting.
    helpers: AtomicUsize,
    paused_helpers: AtomicUsize,
}

/// A thread's quota of iterations, taken in batches so that threads seldom contend for the counters.
#[derive(Default)]
struct IterationQuota {
    remaining: u64,
    used: u64,
    reported: u64,
}

impl IterationQuota {
    const QUOTA_SIZE: u64 = 16;

    /// Takes one iteration of the quota; false if the limit `count` is used up.
    #[inline(always)]
    fn take(
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

    fn unreported(&self) -> u64 {
        self.used - self.reported
    }
}

impl ThreadCoordinator {
    const POLL_INTERVAL: Duration = Duration::from_micros(50);

    /// The loop of a helper thread. Every thread watches the deadline: with more threads than processors the first may be
    /// descheduled when it passes.
    fn run_helper<G: Searchable, T: SearchStore<G>, S: Select>(
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
    fn pause(&self) {
        self.paused.store(true, Ordering::Release);
        while self.paused_helpers.load(Ordering::Acquire) < self.helpers.load(Ordering::Acquire) {
            thread::sleep(Self::POLL_INTERVAL);
        }
    }

    fn resume(&self) {
        self.paused.store(false, Ordering::Release);
    }

    /// Applies and reports everything pending at the end of a thread.
    fn finish<G: Searchable, T: SearchStore<G>, S>(
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
