//! Monte-Carlo tree search: one loop, three axes.
//!
//! `select` says which child is followed, `playout` how the game is played out, `store` where the statistics live;
//! every combination works for every game. An iteration (`worker`) walks down from the root, expands a leaf, plays
//! out, and adds the reward along the way. With several threads each walks for itself in the one tree; a visit
//! is counted on the way down, so that a way without a reward yet looks bad to the others (virtual loss). One thread with
//! one seed repeats itself to the bit.

use std::{io, marker::PhantomData, sync::atomic::Ordering, thread};

use self::{
    bounded_store::BoundedStore,
    graph_store::GraphStore,
    logarithm::ln,
    node_store::NodeStore,
    playout::{LastMoves, Playout},
    proof::ProofDepths,
    select::{FormulaVisitor, Select, Uct},
    threads::{IterationQuota, ThreadCoordinator},
    tree_store::TreeStore,
    worker::{PlayoutPosition, SearchContext, Worker, unflip_outcome},
};
use super::{
    BestMove, EdgeView, LiveTree, ReferenceFrame, Reward, RootEdge, RootMove, Search, SearchLimits,
    SearchReport, SearchTask, Searchable, Shortfall, TreeView,
    budget::{DepthLimit, SearchBudget},
    growth_records::{GrowthBuffer, GrowthRecord},
};
use crate::{
    games::{Outcome, Player, Symmetry},
    rng::child_seed,
};

mod bounded_store;
mod config;
mod graph_store;
mod last_good_reply;
mod logarithm;
mod node_arena;
mod node_sharing;
mod node_store;
mod opening_switch;
mod playout;
mod proof;
mod select;
mod slot;
#[cfg(test)]
mod tests;
mod threads;
mod transposition_index;
mod tree_store;
mod worker;

pub use config::{ExpansionRule, FinalChoice, MctsConfig, StoreKind, max_threads};
pub use node_sharing::{Grouping, Sharing, canonical_frame};
pub use node_store::square_reward;
pub(in crate::search) use node_store::{outcome_from_bits, outcome_to_bits};
pub use playout::PlayoutPolicy;
pub use select::{ChildStats, Fpu, ParentStats, RewardRange, SelectFormula, Selection, Terms};

/// The search that a configuration describes.
pub fn build<G: Searchable>(config: MctsConfig) -> Box<dyn Search<G>> {
    if config.opening_pieces > 0 {
        return Box::new(opening_switch::OpeningSwitch::new(config));
    }
    config.selection().visit(Build {
        config,
        game: PhantomData,
    })
}

/// Builds the search with a formula of its own type.
struct Build<G> {
    config: MctsConfig,
    game: PhantomData<G>,
}

impl<G: Searchable> FormulaVisitor for Build<G> {
    type Out = Box<dyn Search<G>>;

    fn visit<S: Select, const SQUARES: bool, const PRIORS: bool>(self, select: S) -> Self::Out {
        build_with_store::<G, S, SQUARES, PRIORS>(self.config, select)
    }
}

fn build_with_store<G: Searchable, S: Select, const SQUARES: bool, const PRIORS: bool>(
    config: MctsConfig,
    select: S,
) -> Box<dyn Search<G>> {
    let bytes = (config.memory_mb << 20).saturating_sub(total_reply_table_bytes::<G>(&config));
    match config.store {
        StoreKind::Tree => Box::new(Mcts::new(
            config,
            select,
            TreeStore::<SQUARES, PRIORS>::new(bytes),
        )),
        StoreKind::Graph => Box::new(Mcts::new(
            config,
            select,
            GraphStore::<SQUARES, PRIORS>::new(bytes, config.sharing),
        )),
        StoreKind::Bounded => {
            let store =
                BoundedStore::<SQUARES, PRIORS>::new(bytes, config.entries, config.verify_key);
            Box::new(Mcts::new(config, select, store))
        }
    }
}

/// The bytes that the playouts of one thread may have for tables: together at most half of the memory.
fn playout_memory_bytes(config: &MctsConfig) -> usize {
    (config.memory_mb << 20) / 2 / config.threads.max(1)
}

/// The bytes that the tables of replies of all threads take.
fn total_reply_table_bytes<G: Searchable>(config: &MctsConfig) -> usize {
    config.threads.max(1)
        * config
            .policy
            .reply_table_bytes::<G>(playout_memory_bytes(config))
}

/// A Monte-Carlo tree search, put together.
struct Mcts<G, T, S> {
    config: MctsConfig,
    select: S,
    store: T,
    /// One policy a thread.
    playouts: Vec<Box<dyn Playout<G>>>,
    /// The position at the root of the store, once there is one.
    root: Option<G>,
    /// Whether a search from that root was restricted to some of its moves.
    is_restricted: bool,
    /// Searches made since the game began; part of the seed.
    search_count: u64,
}

impl<G: Searchable, T: NodeStore<G>, S: Select> Mcts<G, T, S> {
    fn new(config: MctsConfig, select: S, mut store: T) -> Self {
        let threads = config.threads.max(1);
        store.set_parallel(threads > 1);
        let playouts = (0..threads)
            .map(|_| {
                let MctsConfig {
                    policy,
                    playout_limit,
                    forgetting,
                    ..
                } = config;
                playout::build_playout(
                    policy,
                    playout_limit,
                    forgetting,
                    playout_memory_bytes(&config),
                )
            })
            .collect();
        Self {
            config,
            select,
            store,
            playouts,
            root: None,
            is_restricted: false,
            search_count: 0,
        }
    }

    /// Puts the root in place: what is known of it, or nothing.
    fn prepare_root(&mut self, root: &G) {
        if !(self.config.reuse && self.root.as_ref() == Some(root)) {
            self.store.reset(root);
            self.root = Some(root.clone());
            self.is_restricted = false;
        }
        if !self.store.mark_inherited() {
            // What there is no memory to keep apart is given up.
            self.store.reset(root);
            self.store.mark_inherited();
        }
    }

    /// What kind of tree grows here, as [`super::growth_records::GrowthObserver::start`] wants it.
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

    /// The root as its node sees it.
    fn position_in_frame(&self, root: &G) -> (G, ReferenceFrame) {
        let frame = self.store.frame(root);
        let mut image = root.clone();
        if frame.inverted
            && let Some(inverted) = image.inverted()
        {
            image = inverted;
        }
        if let Some(symmetry) = frame.symmetry {
            image = image.image(symmetry);
        }
        (image, frame)
    }

    /// The root on the board, if its node is in another frame and the playouts want to know where they are.
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

    /// Makes iterations until the budget is used up; how many, and whether memory ran out.
    fn run_workers(
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
                        // Fewer threads than asked for search just as well, only slower.
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

    /// The first thread's work: iterations, the budget, and reports.
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
            // Alone, the budget sees every iteration; together, the tickets see to it that there are not too many.
            let used = if context.is_parallel() { 0 } else { quota.used };
            if budget.is_exhausted(used)
                || context.is_parallel() && coordinator.stopped.load(Ordering::Relaxed)
                || context.config.solver && self.is_root_proven(context)
            {
                break;
            }
            if !quota.take(coordinator, context.is_parallel(), limits.iterations) {
                // The others have a few left, and make them.
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

    /// Whether nothing is left to find out.
    fn is_root_proven(&self, context: &SearchContext<'_, G, T, S>) -> bool {
        context.allowed.is_none() && self.store.proven(self.store.root()).is_some()
    }

    /// How many plies the principal variation has, and whether the game is over behind it.
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

    /// A move with all there is to know, as those at the board see it.
    fn edge_on_board(&self, edge: usize, frame: ReferenceFrame) -> EdgeView<G::Move> {
        let mut view = self.store.edge_view(edge);
        if let Some(symmetry) = frame.symmetry {
            view.mv = G::image_of_move(view.mv, symmetry.inverse());
        }
        view
    }

    /// The root's moves, the one to play first.
    fn ranked_moves(&self, root: &G, moves: Option<&[G::Move]>) -> Vec<EdgeView<G::Move>> {
        self.ranked_moves_with_proofs(root, moves, &mut ProofDepths::new(&self.store))
    }

    fn ranked_moves_with_proofs(
        &self,
        root: &G,
        moves: Option<&[G::Move]>,
        proofs: &mut ProofDepths<'_, T>,
    ) -> Vec<EdgeView<G::Move>> {
        let (framed, frame) = self.position_in_frame(root);
        let mover = framed.to_move();
        let (first, count) = self.store.edges(self.store.root());
        let visits = self.store.visits(self.store.root());
        let mut ranked: Vec<RankedMove<G::Move>> = (first..first + count)
            .map(|edge| {
                let stats = ChildStats::from(self.store.child_stats(edge, mover));
                let proven = self.store.edge_proven(edge).filter(|_| self.config.solver);
                let rank = match proven {
                    Some(Outcome::Win(winner)) => {
                        let mut after = framed.clone();
                        let (child, _) = self.store.follow(edge, &mut after);
                        // A proof that is too large to be looked at is a long one.
                        let plies = proofs.plies(child, &after).map_or(1e9, f64::from);
                        if winner == mover {
                            (1.0, 1.0, -plies, stats.edge_visits)
                        } else {
                            (-1.0, 1.0, plies, stats.edge_visits)
                        }
                    }
                    _ => self.rank_move(&stats, ln(visits.max(1))),
                };
                RankedMove {
                    rank,
                    is_draw: proven == Some(Outcome::Draw),
                    mean: stats.sum / stats.visits,
                    edge: self.edge_on_board(edge, frame),
                }
            })
            .filter(|one| moves.is_none_or(|moves| moves.contains(&one.edge.mv)))
            .collect();
        ranked.sort_by(|one, other| {
            let better_first = (other.rank)
                .partial_cmp(&one.rank)
                .unwrap_or(std::cmp::Ordering::Equal);
            better_first.then_with(|| one.edge.mv.cmp(&other.edge.mv))
        });
        // Certain draws are not visited any more: how often they were says nothing. They go before the first that promises less.
        let (draws, mut ranked): (Vec<_>, Vec<_>) =
            (ranked.into_iter()).partition(|candidate| candidate.is_draw);
        let place = (ranked.iter()).position(|other| {
            let promises = other.rank.0 > 0.0 || other.rank.0 == 0.0 && other.mean >= 0.5;
            !promises
        });
        let place = place.unwrap_or(ranked.len());
        ranked.splice(place..place, draws);
        ranked.into_iter().map(|candidate| candidate.edge).collect()
    }

    /// How much a root move without a certain winner is to be preferred.
    fn rank_move(&self, stats: &ChildStats, ln_root: f64) -> MoveRank {
        if stats.edge_visits == 0.0 {
            return (0.0, 0.0, f64::NEG_INFINITY, 0.0);
        }
        // The bound is UCT's, on rewards in [0, 1] whatever the formula of the search sees.
        let bound = Uct::new(&Selection {
            exploration: self.config.exploration,
            ..Selection::default()
        });
        let Terms { mean, exploration } = bound.terms(ln_root, stats);
        let visits = stats.edge_visits;
        let (one, two) = match self.config.final_choice {
            FinalChoice::Visits => (visits, mean),
            FinalChoice::Mean => (mean, visits),
            FinalChoice::LowerBound => (mean - exploration, visits),
        };
        (0.0, 1.0, one, two)
    }

    /// Whether a move on the board certainly wins (1) or loses (-1) for who makes it, as far as that is looked at; else 0.
    fn proven_sign(&self, position: &G, edge: &EdgeView<G::Move>) -> i8 {
        let Some(outcome) = edge.proven.filter(|_| self.config.solver) else {
            return 0;
        };
        let mut after = position.clone();
        after.play(edge.mv);
        match unflip_outcome(outcome, self.store.frame(&after).inverted) {
            Outcome::Win(winner) if winner == position.to_move() => 1,
            Outcome::Win(_) => -1,
            Outcome::Draw => 0,
        }
    }

    /// Whether who makes a move on the board can expect less of it than a draw, as far as is known.
    fn is_worse_than_draw(&self, position: &G, edge: &EdgeView<G::Move>) -> bool {
        let mut after = position.clone();
        after.play(edge.mv);
        let inverted = self.store.frame(&after).inverted;
        let first = edge.value.for_player(Player::First);
        let first = if inverted { 1.0 - first } else { first };
        edge.proven.is_none() && Reward::new(first).for_player(position.to_move()) < 0.5
    }

    /// `mv` and the best play after it as far as it is proven, on the board: a winner hurries, a loser delays. None if
    /// `mv` has no certain winner, and `mv` alone if the proof is too large to be looked at.
    fn proven_pv(
        &self,
        root: &G,
        mv: G::Move,
        proofs: &mut ProofDepths<'_, T>,
    ) -> Option<Vec<G::Move>> {
        let mut pv = vec![mv];
        let mut position = root.clone();
        let mut node = self.store.root();
        let (mut image, mut frame) = self.position_in_frame(&position);
        let (first, count) = self.store.edges(node);
        let mut edge =
            (first..first + count).find(|&edge| self.edge_on_board(edge, frame).mv == mv)?;
        let proven = self.store.edge_proven(edge).filter(|_| self.config.solver);
        if !matches!(proven, Some(Outcome::Win(_))) {
            return None;
        }
        let alone = pv.clone();
        loop {
            node = self.store.follow(edge, &mut image).0;
            position.play(pv[pv.len() - 1]);
            let (first, count) = self.store.edges(node);
            if count == 0 {
                return Some(pv);
            }
            frame = self.store.frame(&position);
            let wins = self.store.proven(node) == Some(Outcome::Win(image.to_move()));
            let mut best: Option<(u32, usize)> = None;
            for next in first..first + count {
                let Some(plies) = proofs.plies_of_move(node, next, &image) else {
                    return Some(alone);
                };
                let is_better = |plies: u32| {
                    best.is_none_or(|(most, _)| if wins { plies < most } else { plies > most })
                };
                if let Some(plies) = plies.filter(|&plies| is_better(plies)) {
                    best = Some((plies, next));
                }
            }
            let Some((_, next)) = best else {
                return Some(alone);
            };
            edge = next;
            pv.push(self.edge_on_board(edge, frame).mv);
        }
    }

    /// `mv` and the most visited moves after it, on the board; but certain wins before all others, certain losses last, and
    /// a certain draw before a move that promises less.
    fn pv(&self, root: &G, mv: G::Move) -> Vec<G::Move> {
        self.pv_with_proofs(root, mv, &mut ProofDepths::new(&self.store))
    }

    fn pv_with_proofs(
        &self,
        root: &G,
        mv: G::Move,
        proofs: &mut ProofDepths<'_, T>,
    ) -> Vec<G::Move> {
        if let Some(pv) = self.proven_pv(root, mv, proofs) {
            return pv;
        }
        let mut position = root.clone();
        let mut node = self.store.root();
        let mut pv = Vec::new();
        let mut wanted = Some(mv);
        loop {
            let frame = self.store.frame(&position);
            let (first, count) = self.store.edges(node);
            let mut views = (first..first + count).map(|edge| self.edge_on_board(edge, frame));
            let next = match wanted.take() {
                Some(mv) => views.find(|view| view.mv == mv),
                // The last of equals is wanted first by `max_by_key`, so count them from behind.
                None => (views.clone().rev())
                    .max_by_key(|view| (self.proven_sign(&position, view), view.visits))
                    .filter(|view| view.visits > 0),
            };
            let Some(mut next) = next else { return pv };
            if self.config.solver && !pv.is_empty() && self.is_worse_than_draw(&position, &next) {
                let is_draw = |view: &EdgeView<G::Move>| view.proven == Some(Outcome::Draw);
                let draws = views.rev().filter(|view| is_draw(view) && view.visits > 0);
                next = draws.max_by_key(|view| view.visits).unwrap_or(next);
            }
            pv.push(next.mv);
            position.play(next.mv);
            match next.child {
                Some(child) if next.visits > 0 => node = child,
                _ => return pv,
            }
        }
    }

    fn build_report(
        &self,
        root: &G,
        moves: Option<&[G::Move]>,
        iterations: u64,
        memory_full: bool,
    ) -> SearchReport<G::Move> {
        let mut proofs = ProofDepths::new(&self.store);
        let edges = self.ranked_moves_with_proofs(root, moves, &mut proofs);
        let (_, _, first) = self.store.root_stats();
        let inverted = self.store.frame(root).inverted;
        let usage = self.store.usage();
        let root_moves: Vec<RootMove<G::Move>> = edges
            .iter()
            .map(|edge| {
                let mut after = root.clone();
                after.play(edge.mv);
                let flipped = self.store.frame(&after).inverted;
                let value = if flipped {
                    Reward::from_player(Player::Second, edge.value.for_player(Player::First))
                } else {
                    edge.value
                };
                RootMove {
                    mv: edge.mv,
                    visits: edge.visits,
                    value,
                    score: None,
                    proven: edge.proven.map(|outcome| unflip_outcome(outcome, flipped)),
                    pv: self.pv_with_proofs(root, edge.mv, &mut proofs),
                }
            })
            .collect();
        let first = if inverted { 1.0 - first } else { first };
        SearchReport {
            iterations,
            nodes: iterations,
            leaves: 0,
            depth: root_moves.first().map_or(0, |best| best.pv.len() as u32),
            value: Reward::new(first),
            root_moves,
            stored_moves: usage.1,
            memory_bytes: usage.0 as u64 * 8,
            memory_full,
        }
    }
}

/// A root move's claim to be played: certain results, visited at all, then the chosen measures.
type MoveRank = (f64, f64, f64, f64);

/// A root move that may be played.
struct RankedMove<M> {
    rank: MoveRank,
    /// Whether it certainly leads to a draw, where that is looked at.
    is_draw: bool,
    /// Its mean for the player to move.
    mean: f64,
    edge: EdgeView<M>,
}

impl<G: Searchable, T: NodeStore<G>, S: Select> Search<G> for Mcts<G, T, S> {
    fn search(&mut self, mut task: SearchTask<'_, G>) -> BestMove<G::Move> {
        let root = task.root;
        let mut legal = Vec::new();
        root.legal_moves(&mut legal);
        let permitted: Vec<G::Move> = legal
            .iter()
            .copied()
            .filter(|mv| task.search_moves.is_none_or(|moves| moves.contains(mv)))
            .collect();
        self.prepare_root(root);
        let (framed, _) = self.position_in_frame(root);
        // The root's moves stand in the order of the framed position's.
        let allowed = task.search_moves.map(|_| {
            let frame = self.store.frame(root);
            let mut listed = Vec::new();
            framed.legal_moves(&mut listed);
            let here = |mv| {
                frame
                    .symmetry
                    .map_or(mv, |symmetry| G::image_of_move(mv, symmetry.inverse()))
            };
            listed
                .into_iter()
                .map(|mv| permitted.contains(&here(mv)))
                .collect::<Vec<bool>>()
        });
        let (iterations, full) = self.run_workers(&mut task, &framed, allowed.as_deref());
        self.search_count += 1;
        let mut report = self.build_report(root, task.search_moves, iterations, full);
        if report.root_moves.is_empty() {
            // Stopped before the root had children: any move is as good as any other.
            report.root_moves = permitted
                .iter()
                .map(|&mv| RootMove {
                    mv,
                    visits: 0,
                    value: Reward::EVEN,
                    score: None,
                    proven: None,
                    pv: vec![mv],
                })
                .collect();
        }
        let best = report.root_moves.first().map_or(legal[0], |best| best.mv);
        BestMove { mv: best, report }
    }

    fn advance(&mut self, mv: G::Move) {
        let Some(root) = &self.root else { return };
        if self.config.reuse && root.is_legal(mv) && self.store.advance(root, mv) {
            if let Some(root) = &mut self.root {
                root.play(mv);
            }
            self.is_restricted = false;
        } else {
            self.root = None;
        }
    }

    fn reseed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    fn clear(&mut self) {
        self.root = None;
        self.search_count = 0;
        for playout in &mut self.playouts {
            playout.clear();
        }
    }

    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        self.root.is_some().then_some(self)
    }

    fn shortfalls(&self) -> Vec<Shortfall> {
        let limit = (self.config.memory_mb as u64) << 20;
        let refused = self.store.missing_words() as u64 * 8;
        let memory = (refused > 0).then(|| Shortfall::Memory {
            bytes: limit.saturating_sub(refused),
            wanted: limit,
        });
        let table = (self.store.table_entries()).map(|(entries, wanted)| Shortfall::Entries {
            entries,
            wanted,
            limit,
        });
        let slots = (self.config.policy).reply_slots::<G>(playout_memory_bytes(&self.config));
        let replies = slots.map(|(slots, wanted)| Shortfall::Replies {
            slots,
            wanted,
            limit,
        });
        [memory, table, replies]
            .into_iter()
            .flatten()
            .filter(Shortfall::is_short)
            .collect()
    }
}

impl<G: Searchable, T: NodeStore<G>, S: Select> TreeView<G> for Mcts<G, T, S> {
    fn root_position(&self) -> &G {
        self.root.as_ref().expect("lent out only with a root")
    }

    fn root(&self) -> u32 {
        self.store.root()
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        root_stats(&self.store, self.root_position())
    }

    fn frame(&self, position: &G) -> ReferenceFrame {
        self.store.frame(position)
    }

    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        for_each_edge(&self.store, node, self.config.expansion, visit);
    }

    fn is_graph(&self) -> bool {
        T::IS_GRAPH
    }

    fn root_edge(&self) -> RootEdge {
        self.store.root_edge()
    }
}

impl<G: Searchable, T: NodeStore<G>, S: Select> LiveTree<G> for Mcts<G, T, S> {
    fn snapshot(&self) -> io::Result<Box<dyn TreeView<G> + Send>> {
        Ok(Box::new(MctsSnapshot {
            store: self.store.try_clone()?,
            root: self.root_position().clone(),
            expansion: self.config.expansion,
        }))
    }
}

/// A tree as it was, while the search goes on.
struct MctsSnapshot<G, T> {
    store: T,
    root: G,
    expansion: ExpansionRule,
}

impl<G: Searchable, T: NodeStore<G>> TreeView<G> for MctsSnapshot<G, T> {
    fn root_position(&self) -> &G {
        &self.root
    }

    fn root(&self) -> u32 {
        self.store.root()
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        root_stats(&self.store, &self.root)
    }

    fn frame(&self, position: &G) -> ReferenceFrame {
        self.store.frame(position)
    }

    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        for_each_edge(&self.store, node, self.expansion, visit);
    }

    fn is_graph(&self) -> bool {
        T::IS_GRAPH
    }

    fn root_edge(&self) -> RootEdge {
        self.store.root_edge()
    }
}

fn root_stats<G: Searchable>(store: &impl NodeStore<G>, root: &G) -> (u64, u64, Reward) {
    let (visits, recent, first) = store.root_stats();
    let inverted = store.frame(root).inverted;
    let first = if inverted { 1.0 - first } else { first };
    (visits, recent, Reward::new(first))
}

fn for_each_edge<G: Searchable, T: NodeStore<G>>(
    store: &T,
    node: u32,
    expansion: ExpansionRule,
    visit: &mut dyn FnMut(EdgeView<G::Move>),
) {
    let (first, count) = store.edges(node);
    for edge in first..first + count {
        let edge = store.edge_view(edge);
        if edge.visits > 0 || expansion != ExpansionRule::One {
            visit(edge);
        }
    }
}
