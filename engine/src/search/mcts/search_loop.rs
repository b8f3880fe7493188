//! The main loop of a search: threads make iterations until the budget is used up, the first one also reports.

use std::{sync::atomic::Ordering, thread};

use super::{
    ExpansionRule, Grouping, Mcts, Sharing,
    node_store::SearchStore,
    playout::LastMoves,
    select::Select,
    threads::{IterationQuota, ThreadCoordinator},
    worker::{PlayoutPosition, SearchContext, Worker},
};
use crate::{
    games::Symmetry,
    rng::child_seed,
    search::{
        SearchLimits, SearchTask, Searchable,
        budget::{DepthLimit, SearchBudget},
        growth_records::{GrowthBuffer, GrowthRecord},
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
        let limits = task
            .limits
            .or_default(self.config.iterations, self.config.millis);
        let limits = SearchLimits {
            iterations: limits.node_limit(),
            ..limits
        };
        let budget = SearchBudget::start(&limits, limits.iterations, task.stop).with_timers(
            task.reports.as_ref().map(|reports| reports.interval),
            task.snapshots.as_ref().map(|snapshots| snapshots.interval),
        );
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
                        let mut worker = Worker::new(&mut **playout, seed, history, true, growth);
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
                let worker = Worker::new(&mut **first, seed, task.history, parallel, growth);
                self.run_main_worker(task, &context, &coordinator, worker, budget, limits);
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
        mut budget: SearchBudget,
        limits: SearchLimits,
    ) {
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
        context.allowed.is_none() && self.store.proven(self.store.root()).is_some()
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
