//! Monte-Carlo tree search: one loop, three axes.
//!
//! `select` says which child is followed, `playout` how the game is played out, `store` where the statistics live;
//! every combination works for every game. An iteration (`worker`) walks down from the root, expands a leaf, plays
//! out, and adds the reward along the way. With several threads each walks for itself in the one tree; a visit
//! is counted on the way down, so that a way without a reward yet looks bad to the others (virtual loss). One thread with
//! one seed repeats itself to the bit.

use std::{io, sync::atomic::Ordering, thread};

use self::{
    bounded::Bounded,
    graph::Graph,
    playout::{Playout, Trail},
    proof::Proofs,
    select::{Select, Tuned, Uct, ln},
    store::Store,
    threads::{Shared, Tickets},
    tree::Tree,
    worker::{Board, Ground, Worker, unflipped},
};
use super::{
    Choice, Edge, Frame, Limits, LiveTree, Report, Reward, RootEdge, RootMove, Search, Searchable,
    Shortfall, Task, TreeView,
    budget::{Budget, DepthLimit},
    growth::{Record, Teller},
};
use crate::{
    games::{Outcome, Player, Symmetry},
    rng::child_seed,
};

mod arena;
mod bounded;
mod config;
mod graph;
mod index;
mod last_good_reply;
mod opening;
mod playout;
mod proof;
mod select;
mod sharing;
mod slot;
mod store;
#[cfg(test)]
mod tests;
mod threads;
mod tree;
mod worker;

pub use config::{Config, ExpansionRule, FinalChoice, Formula, StoreKind, max_threads};
pub use playout::Policy;
pub use select::{ChildStats, RewardRange};
pub use sharing::{Grouping, Sharing, frame_of};
pub use store::square;
pub(in crate::search) use store::{outcome_bits, outcome_of_bits};

/// The search that a configuration describes.
pub fn build<G: Searchable>(config: Config) -> Box<dyn Search<G>> {
    if config.opening_men > 0 {
        return Box::new(opening::Opening::new(config));
    }
    match config.formula {
        Formula::Uct => {
            with_store::<G, _, false>(config, Uct::new(config.exploration, config.reward_range))
        }
        Formula::Tuned => with_store::<G, _, true>(config, Tuned::new(config.reward_range)),
    }
}

fn with_store<G: Searchable, S: Select, const SQUARES: bool>(
    config: Config,
    select: S,
) -> Box<dyn Search<G>> {
    let bytes = (config.memory_mb << 20).saturating_sub(reply_bytes::<G>(&config));
    match config.store {
        StoreKind::Tree => Box::new(Mcts::new(config, select, Tree::<SQUARES>::new(bytes))),
        StoreKind::Graph => Box::new(Mcts::new(
            config,
            select,
            Graph::<SQUARES>::new(bytes, config.sharing),
        )),
        StoreKind::Bounded => {
            let store = Bounded::<SQUARES>::new(bytes, config.entries, config.verify_key);
            Box::new(Mcts::new(config, select, store))
        }
    }
}

/// The bytes that the playouts of one thread may have for tables: together at most half of the memory.
fn playout_budget(config: &Config) -> usize {
    (config.memory_mb << 20) / 2 / config.threads.max(1)
}

/// The bytes that the tables of replies of all threads take.
fn reply_bytes<G: Searchable>(config: &Config) -> usize {
    config.threads.max(1) * config.policy.bytes_within::<G>(playout_budget(config))
}

/// A Monte-Carlo tree search, put together.
struct Mcts<G, T, S> {
    config: Config,
    select: S,
    store: T,
    /// One policy a thread.
    playouts: Vec<Box<dyn Playout<G>>>,
    /// The position at the root of the store, once there is one.
    root: Option<G>,
    /// Whether a search from that root was restricted to some of its moves.
    restricted: bool,
    /// Searches made since the game began; part of the seed.
    searches: u64,
}

impl<G: Searchable, T: Store<G>, S: Select> Mcts<G, T, S> {
    fn new(config: Config, select: S, mut store: T) -> Self {
        let threads = config.threads.max(1);
        store.set_parallel(threads > 1);
        let playouts = (0..threads)
            .map(|_| {
                let Config {
                    policy,
                    playout_limit,
                    forgetting,
                    ..
                } = config;
                playout::build(policy, playout_limit, forgetting, playout_budget(&config))
            })
            .collect();
        Self {
            config,
            select,
            store,
            playouts,
            root: None,
            restricted: false,
            searches: 0,
        }
    }

    /// Puts the root in place: what is known of it, or nothing.
    fn prepare(&mut self, root: &G) {
        if !(self.config.reuse && self.root.as_ref() == Some(root)) {
            self.store.reset(root);
            self.root = Some(root.clone());
            self.restricted = false;
        }
        if !self.store.mark_inherited() {
            // What there is no memory to keep apart is given up.
            self.store.reset(root);
            self.store.mark_inherited();
        }
    }

    /// What kind of tree grows here, as [`super::growth::Observer::begin`] wants it.
    fn kind_bits(&self) -> u32 {
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
    fn framed(&self, root: &G) -> (G, Frame) {
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
    fn board(&self, root: &G) -> Option<Board<G>> {
        let follows = self
            .playouts
            .first()
            .is_some_and(|playout| playout.follows_trail());
        let turns = T::IS_GRAPH && self.config.sharing.groups();
        (follows && turns).then(|| Board {
            position: root.clone(),
            symmetry: (self.store.frame(root).symmetry).unwrap_or(Symmetry::IDENTITY),
        })
    }

    /// Makes iterations until the budget is used up; how many, and whether memory ran out.
    fn run(&mut self, task: &mut Task<'_, G>, framed: &G, allowed: Option<&[bool]>) -> (u64, bool) {
        let limits = task
            .limits
            .or_default(self.config.iterations, self.config.millis);
        let limits = Limits {
            iterations: limits.count(),
            ..limits
        };
        let budget = Budget::start(&limits, limits.iterations, task.stop).with_timers(
            task.reports.as_ref().map(|reports| reports.every),
            task.snapshots.as_ref().map(|snapshots| snapshots.every),
        );
        let observer = task.observer;
        if let Some(hearer) = observer {
            hearer.begin(self.store.root(), self.kind_bits());
            let mut teller = Teller::new(observer);
            self.store.tell_inherited(&mut teller);
            teller.tell(Record::Begin);
            teller.hand_over();
        }
        self.restricted |= allowed.is_some();
        let seed = child_seed(self.config.seed, self.searches);
        let parallel = self.playouts.len() > 1;
        let board = self.board(task.root);
        let mut playouts = std::mem::take(&mut self.playouts);
        let shared = Shared::default();
        {
            let in_order = !parallel
                && self.config.expand_on > 1
                && !self.config.solver
                && !self.restricted
                && self.config.expansion == ExpansionRule::AllFirst;
            let ground = Ground {
                config: &self.config,
                store: &self.store,
                select: self.select,
                root: framed,
                board,
                trail: Trail::of_game(task.history),
                allowed,
                in_order,
                threads: playouts.len() as u32,
            };
            let (first, others) = playouts
                .split_first_mut()
                .expect("there is a policy for the first thread");
            thread::scope(|scope| {
                for (index, playout) in (1..).zip(others) {
                    let (ground, shared) = (&ground, &shared);
                    let (count, history) = (limits.iterations, task.history);
                    let budget = budget.for_helper();
                    let work = move || {
                        let teller = Teller::new(observer);
                        let seed = child_seed(seed, index);
                        let mut worker = Worker::new(&mut **playout, seed, history, true, teller);
                        shared.help(&mut worker, ground, budget, count);
                    };
                    shared.helpers.fetch_add(1, Ordering::AcqRel);
                    let name = format!("search-{index}");
                    if thread::Builder::new()
                        .name(name)
                        .spawn_scoped(scope, work)
                        .is_err()
                    {
                        // Fewer threads than asked for search just as well, only slower.
                        shared.helpers.fetch_sub(1, Ordering::AcqRel);
                        break;
                    }
                }
                let teller = Teller::new(observer);
                let seed = child_seed(seed, 0);
                let worker = Worker::new(&mut **first, seed, task.history, parallel, teller);
                self.lead(task, &ground, &shared, worker, budget, limits);
            });
        }
        self.playouts = playouts;
        (shared.done.into_inner(), shared.full.into_inner())
    }

    /// The first thread's work: iterations, the budget, and reports.
    fn lead(
        &self,
        task: &mut Task<'_, G>,
        ground: &Ground<'_, G, T, S>,
        shared: &Shared,
        mut worker: Worker<'_, G>,
        mut budget: Budget,
        limits: Limits,
    ) {
        let mut tickets = Tickets::default();
        let mut depth_limit = limits.depth.map(DepthLimit::new);
        loop {
            // Alone, the budget sees every iteration; together, the tickets see to it that there are not too many.
            let used = if ground.parallel() { 0 } else { tickets.used };
            if budget.is_over(used)
                || ground.parallel() && shared.over.load(Ordering::Relaxed)
                || ground.config.solver && self.is_settled(ground)
            {
                break;
            }
            if !tickets.take(shared, ground.parallel(), limits.iterations) {
                // The others have a few left, and make them.
                return shared.finish(&mut worker, &tickets, ground);
            }
            worker.iterate(ground);
            if let Some(limit) = &mut depth_limit
                && tickets.used.is_multiple_of(DepthLimit::CHECK_INTERVAL)
            {
                let (length, ends) = self.principal_variation(task);
                let playouts = shared.done.load(Ordering::Relaxed) + tickets.unreported();
                if ends || limit.is_reached(length, playouts) {
                    break;
                }
            }
            if budget.wants_report() {
                worker.break_camp(ground.store);
                let done = shared.done.load(Ordering::Relaxed) + tickets.unreported();
                let full = worker.full || shared.full.load(Ordering::Relaxed);
                let report = self.report(task.root, task.moves, done, full);
                if let Some(reports) = &mut task.reports {
                    (reports.hear)(&report);
                }
            }
            if budget.wants_snapshot()
                && let Some(snapshots) = &mut task.snapshots
            {
                worker.break_camp(ground.store);
                worker.teller.hand_over();
                shared.pause();
                let done = shared.done.load(Ordering::Relaxed) + tickets.unreported();
                let full = worker.full || shared.full.load(Ordering::Relaxed);
                let report = self.report(task.root, task.moves, done, full);
                (snapshots.look)(self, &report);
                shared.resume();
            }
        }
        shared.over.store(true, Ordering::Relaxed);
        shared.finish(&mut worker, &tickets, ground);
    }

    /// Whether nothing is left to find out.
    fn is_settled(&self, ground: &Ground<'_, G, T, S>) -> bool {
        ground.allowed.is_none() && self.store.proven(self.store.root()).is_some()
    }

    /// How many plies the principal variation has, and whether the game is over behind it.
    fn principal_variation(&self, task: &Task<'_, G>) -> (u32, bool) {
        let ranked = self.ranked(task.root, task.moves);
        let line = (ranked.first()).map_or_else(Vec::new, |best| self.line(task.root, best.mv));
        let mut position = task.root.clone();
        let mut history = task.history.clone();
        let ends = line.iter().any(|&mv| {
            position.play(mv);
            history.push(&position);
            history.outcome(&position).is_some()
        });
        (line.len() as u32, ends)
    }

    /// A move with all there is to know, as those at the board see it.
    fn seen(&self, edge: usize, frame: Frame) -> Edge<G::Move> {
        let mut view = self.store.view(edge);
        if let Some(symmetry) = frame.symmetry {
            view.mv = G::image_of_move(view.mv, symmetry.inverse());
        }
        view
    }

    /// The root's moves, the one to play first.
    fn ranked(&self, root: &G, moves: Option<&[G::Move]>) -> Vec<Edge<G::Move>> {
        self.ranked_by(root, moves, &mut Proofs::new(&self.store))
    }

    fn ranked_by(
        &self,
        root: &G,
        moves: Option<&[G::Move]>,
        proofs: &mut Proofs<'_, T>,
    ) -> Vec<Edge<G::Move>> {
        let (framed, frame) = self.framed(root);
        let mover = framed.to_move();
        let (first, count) = self.store.edges(self.store.root());
        let visits = self.store.visits(self.store.root());
        let mut ranked: Vec<Candidate<G::Move>> = (first..first + count)
            .map(|edge| {
                let stats = ChildStats::from(self.store.tally(edge, mover));
                let proven = self.store.edge_proven(edge).filter(|_| self.config.solver);
                let rank = match proven {
                    Some(Outcome::Win(winner)) => {
                        let mut after = framed.clone();
                        let (child, _) = self.store.follow(edge, &mut after);
                        // A proof that is too large to be looked at is a long one.
                        let plies = proofs.plies(child, &after).map_or(1e9, f64::from);
                        if winner == mover {
                            (1.0, 1.0, -plies, stats.chosen)
                        } else {
                            (-1.0, 1.0, plies, stats.chosen)
                        }
                    }
                    _ => self.rank(&stats, ln(visits.max(1))),
                };
                Candidate {
                    rank,
                    is_draw: proven == Some(Outcome::Draw),
                    mean: stats.sum / stats.visits,
                    edge: self.seen(edge, frame),
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
    fn rank(&self, stats: &ChildStats, ln_root: f64) -> Rank {
        if stats.chosen == 0.0 {
            return (0.0, 0.0, f64::NEG_INFINITY, 0.0);
        }
        let mean = stats.sum / stats.visits;
        let visits = stats.chosen;
        let (one, two) = match self.config.final_choice {
            FinalChoice::Visits => (visits, mean),
            FinalChoice::Mean => (mean, visits),
            FinalChoice::LowerBound => (
                mean - self.config.exploration * (ln_root / visits).sqrt(),
                visits,
            ),
        };
        (0.0, 1.0, one, two)
    }

    /// Whether a move on the board certainly wins (1) or loses (-1) for who makes it, as far as that is looked at; else 0.
    fn certainty(&self, position: &G, edge: &Edge<G::Move>) -> i8 {
        let Some(outcome) = edge.proven.filter(|_| self.config.solver) else {
            return 0;
        };
        let mut after = position.clone();
        after.play(edge.mv);
        match unflipped(outcome, self.store.frame(&after).inverted) {
            Outcome::Win(winner) if winner == position.to_move() => 1,
            Outcome::Win(_) => -1,
            Outcome::Draw => 0,
        }
    }

    /// Whether who makes a move on the board can expect less of it than a draw, as far as is known.
    fn promises_less_than_draw(&self, position: &G, edge: &Edge<G::Move>) -> bool {
        let mut after = position.clone();
        after.play(edge.mv);
        let inverted = self.store.frame(&after).inverted;
        let first = edge.value.for_player(Player::First);
        let first = if inverted { 1.0 - first } else { first };
        edge.proven.is_none() && Reward::new(first).for_player(position.to_move()) < 0.5
    }

    /// `mv` and the best play after it as far as it is proven, on the board: a winner hurries, a loser delays. None if
    /// `mv` has no certain winner, and `mv` alone if the proof is too large to be looked at.
    fn proven_line(
        &self,
        root: &G,
        mv: G::Move,
        proofs: &mut Proofs<'_, T>,
    ) -> Option<Vec<G::Move>> {
        let mut line = vec![mv];
        let mut position = root.clone();
        let mut node = self.store.root();
        let (mut image, mut frame) = self.framed(&position);
        let (first, count) = self.store.edges(node);
        let mut edge = (first..first + count).find(|&edge| self.seen(edge, frame).mv == mv)?;
        let proven = self.store.edge_proven(edge).filter(|_| self.config.solver);
        if !matches!(proven, Some(Outcome::Win(_))) {
            return None;
        }
        let alone = line.clone();
        loop {
            node = self.store.follow(edge, &mut image).0;
            position.play(line[line.len() - 1]);
            let (first, count) = self.store.edges(node);
            if count == 0 {
                return Some(line);
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
            line.push(self.seen(edge, frame).mv);
        }
    }

    /// `mv` and the most visited moves after it, on the board; but certain wins before all others, certain losses last, and
    /// a certain draw before a move that promises less.
    fn line(&self, root: &G, mv: G::Move) -> Vec<G::Move> {
        self.line_by(root, mv, &mut Proofs::new(&self.store))
    }

    fn line_by(&self, root: &G, mv: G::Move, proofs: &mut Proofs<'_, T>) -> Vec<G::Move> {
        if let Some(line) = self.proven_line(root, mv, proofs) {
            return line;
        }
        let mut position = root.clone();
        let mut node = self.store.root();
        let mut line = Vec::new();
        let mut wanted = Some(mv);
        loop {
            let frame = self.store.frame(&position);
            let (first, count) = self.store.edges(node);
            let mut views = (first..first + count).map(|edge| self.seen(edge, frame));
            let next = match wanted.take() {
                Some(mv) => views.find(|view| view.mv == mv),
                // The last of equals is wanted first by `max_by_key`, so count them from behind.
                None => (views.clone().rev())
                    .max_by_key(|view| (self.certainty(&position, view), view.visits))
                    .filter(|view| view.visits > 0),
            };
            let Some(mut next) = next else { return line };
            if self.config.solver
                && !line.is_empty()
                && self.promises_less_than_draw(&position, &next)
            {
                let is_draw = |view: &Edge<G::Move>| view.proven == Some(Outcome::Draw);
                let draws = views.rev().filter(|view| is_draw(view) && view.visits > 0);
                next = draws.max_by_key(|view| view.visits).unwrap_or(next);
            }
            line.push(next.mv);
            position.play(next.mv);
            match next.child {
                Some(child) if next.visits > 0 => node = child,
                _ => return line,
            }
        }
    }

    fn report(
        &self,
        root: &G,
        moves: Option<&[G::Move]>,
        iterations: u64,
        memory_full: bool,
    ) -> Report<G::Move> {
        let mut proofs = Proofs::new(&self.store);
        let edges = self.ranked_by(root, moves, &mut proofs);
        let (_, _, first) = self.store.root_figures();
        let inverted = self.store.frame(root).inverted;
        let usage = self.store.usage();
        let root_moves: Vec<RootMove<G::Move>> = edges
            .iter()
            .map(|edge| {
                let mut after = root.clone();
                after.play(edge.mv);
                let flipped = self.store.frame(&after).inverted;
                let value = if flipped {
                    Reward::of(Player::Second, edge.value.for_player(Player::First))
                } else {
                    edge.value
                };
                RootMove {
                    mv: edge.mv,
                    visits: edge.visits,
                    value,
                    score: None,
                    proven: edge.proven.map(|outcome| unflipped(outcome, flipped)),
                    line: self.line_by(root, edge.mv, &mut proofs),
                }
            })
            .collect();
        let first = if inverted { 1.0 - first } else { first };
        Report {
            iterations,
            nodes: iterations,
            leaves: 0,
            depth: root_moves.first().map_or(0, |best| best.line.len() as u32),
            value: Reward::new(first),
            root: root_moves,
            stored: usage.1,
            bytes: usage.0 as u64 * 8,
            memory_full,
        }
    }
}

/// A root move's claim to be played: certain results, visited at all, then the chosen measures.
type Rank = (f64, f64, f64, f64);

/// A root move that may be played.
struct Candidate<M> {
    rank: Rank,
    /// Whether it certainly leads to a draw, where that is looked at.
    is_draw: bool,
    /// Its mean for the player to move.
    mean: f64,
    edge: Edge<M>,
}

impl<G: Searchable, T: Store<G>, S: Select> Search<G> for Mcts<G, T, S> {
    fn choose(&mut self, mut task: Task<'_, G>) -> Choice<G::Move> {
        let root = task.root;
        let mut legal = Vec::new();
        root.legal_moves(&mut legal);
        let permitted: Vec<G::Move> = legal
            .iter()
            .copied()
            .filter(|mv| task.moves.is_none_or(|moves| moves.contains(mv)))
            .collect();
        self.prepare(root);
        let (framed, _) = self.framed(root);
        // The root's moves stand in the order of the framed position's.
        let allowed = task.moves.map(|_| {
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
        let (iterations, full) = self.run(&mut task, &framed, allowed.as_deref());
        self.searches += 1;
        let mut report = self.report(root, task.moves, iterations, full);
        if report.root.is_empty() {
            // Stopped before the root had children: any move is as good as any other.
            report.root = permitted
                .iter()
                .map(|&mv| RootMove {
                    mv,
                    visits: 0,
                    value: Reward::EVEN,
                    score: None,
                    proven: None,
                    line: vec![mv],
                })
                .collect();
        }
        let best = report.root.first().map_or(legal[0], |best| best.mv);
        Choice { best, report }
    }

    fn advance(&mut self, mv: G::Move) {
        let Some(root) = &self.root else { return };
        if self.config.reuse && root.is_legal(mv) && self.store.advance(root, mv) {
            if let Some(root) = &mut self.root {
                root.play(mv);
            }
            self.restricted = false;
        } else {
            self.root = None;
        }
    }

    fn reseed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    fn clear(&mut self) {
        self.root = None;
        self.searches = 0;
        for playout in &mut self.playouts {
            playout.clear();
        }
    }

    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        self.root.is_some().then_some(self)
    }

    fn shortfalls(&self) -> Vec<Shortfall> {
        let limit = (self.config.memory_mb as u64) << 20;
        let refused = self.store.missing() as u64 * 8;
        let memory = (refused > 0).then(|| Shortfall::Memory {
            bytes: limit.saturating_sub(refused),
            wanted: limit,
        });
        let table = (self.store.table_entries()).map(|(entries, wanted)| Shortfall::Entries {
            entries,
            wanted,
            limit,
        });
        let slots = (self.config.policy).slots_within::<G>(playout_budget(&self.config));
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

impl<G: Searchable, T: Store<G>, S: Select> TreeView<G> for Mcts<G, T, S> {
    fn root_position(&self) -> &G {
        self.root.as_ref().expect("lent out only with a root")
    }

    fn root(&self) -> u32 {
        self.store.root()
    }

    fn root_figures(&self) -> (u64, u64, Reward) {
        root_figures(&self.store, self.root_position())
    }

    fn frame(&self, position: &G) -> Frame {
        self.store.frame(position)
    }

    fn edges(&self, node: u32, visit: &mut dyn FnMut(Edge<G::Move>)) {
        edges(&self.store, node, self.config.expansion, visit);
    }

    fn is_graph(&self) -> bool {
        T::IS_GRAPH
    }

    fn root_edge(&self) -> RootEdge {
        self.store.root_edge()
    }
}

impl<G: Searchable, T: Store<G>, S: Select> LiveTree<G> for Mcts<G, T, S> {
    fn copy(&self) -> io::Result<Box<dyn TreeView<G> + Send>> {
        Ok(Box::new(Copied {
            store: self.store.copy()?,
            root: self.root_position().clone(),
            expansion: self.config.expansion,
        }))
    }
}

/// A tree as it was, while the search goes on.
struct Copied<G, T> {
    store: T,
    root: G,
    expansion: ExpansionRule,
}

impl<G: Searchable, T: Store<G>> TreeView<G> for Copied<G, T> {
    fn root_position(&self) -> &G {
        &self.root
    }

    fn root(&self) -> u32 {
        self.store.root()
    }

    fn root_figures(&self) -> (u64, u64, Reward) {
        root_figures(&self.store, &self.root)
    }

    fn frame(&self, position: &G) -> Frame {
        self.store.frame(position)
    }

    fn edges(&self, node: u32, visit: &mut dyn FnMut(Edge<G::Move>)) {
        edges(&self.store, node, self.expansion, visit);
    }

    fn is_graph(&self) -> bool {
        T::IS_GRAPH
    }

    fn root_edge(&self) -> RootEdge {
        self.store.root_edge()
    }
}

fn root_figures<G: Searchable>(store: &impl Store<G>, root: &G) -> (u64, u64, Reward) {
    let (visits, recent, first) = store.root_figures();
    let inverted = store.frame(root).inverted;
    let first = if inverted { 1.0 - first } else { first };
    (visits, recent, Reward::new(first))
}

fn edges<G: Searchable, T: Store<G>>(
    store: &T,
    node: u32,
    expansion: ExpansionRule,
    visit: &mut dyn FnMut(Edge<G::Move>),
) {
    let (first, count) = store.edges(node);
    for edge in first..first + count {
        let edge = store.view(edge);
        if edge.visits > 0 || expansion != ExpansionRule::One {
            visit(edge);
        }
    }
}
