//! One thread of a search: iterations of selection, expansion, simulation and backpropagation.
//!
//! With one thread, on a tree, without the solver, all of an iteration is in this file: `batch` is for several threads, `board`
//! for playouts on a graph with grouping, `proof` for the solver.

use super::{
    ExpansionRule, MctsConfig,
    node_arena::Chunk,
    node_store::{
        ChildRange, Expansion, NewChildren, SearchStep, SearchStore, Transposition, Update,
        swap_players,
    },
    playout::{LastMoves, Playout, outcome_reward},
    select::{ChildStats, Select, child_terms},
};
use crate::{
    games::{Game, History, Outcome, Player, Symmetry},
    machine::{Floats as _, LaneWork, Lanes, Number as _, run_in_lanes},
    rng::Rng,
    search::{
        Searchable,
        growth_records::{GrowthBuffer, GrowthRecord},
    },
};

mod batch;
mod board;
mod proof;

use batch::Batch;
pub(super) use board::PlayoutPosition;
use proof::bounded_score;

/// The state of one thread.
pub(super) struct Worker<'a, G: Game> {
    pub(super) playout: &'a mut dyn Playout<G>,
    pub(super) rng: Rng,
    pub(super) path: Vec<SearchStep>,
    pub(super) moves: Vec<G::Move>,
    /// Priors of `moves`, if the store holds priors.
    priors: Vec<f64>,
    /// The positions of the game and of the current path, for repetition.
    pub(super) history: History,
    /// Number of positions of the game in `history`.
    game_mark: usize,
    /// True once the store had no memory for a leaf's children.
    pub(super) out_of_memory: bool,
    pub(super) growth: GrowthBuffer<'a>,
    batch: Option<Batch<G>>,
    chunk: Chunk,
    /// The current position in the game's own frame; only for playouts that use the last moves in a graph with grouping.
    board: Option<PlayoutPosition<G>>,
}

/// What all threads of a search share.
pub(super) struct SearchContext<'a, G: Game, T, S> {
    pub(super) config: &'a MctsConfig,
    pub(super) store: &'a T,
    pub(super) select: S,
    /// The root position, in its node's frame.
    pub(super) root: &'a G,
    /// The root in the game's own frame, if playouts need it.
    pub(super) board: Option<PlayoutPosition<G>>,
    /// The moves that led to the root.
    pub(super) last_moves: LastMoves,
    /// For each edge of the root, true if it may be selected; `None` for all.
    pub(super) allowed: Option<&'a [bool]>,
    /// True if the edges of every node are first followed in move order, at most one per visit.
    pub(super) expands_in_order: bool,
    /// True if the solver proves margins, not only results.
    pub(super) proves_margins: bool,
    pub(super) threads: u32,
}

impl<G: Game, T, S> SearchContext<'_, G, T, S> {
    #[inline(always)]
    pub(super) fn is_parallel(&self) -> bool {
        self.threads > 1
    }
}

impl<'a, G: Searchable> Worker<'a, G> {
    pub(super) fn new(
        playout: &'a mut dyn Playout<G>,
        seed: u64,
        history: &History,
        parallel: bool,
        growth: GrowthBuffer<'a>,
    ) -> Self {
        Self {
            playout,
            rng: Rng::new(seed),
            path: Vec::new(),
            moves: Vec::new(),
            priors: Vec::new(),
            history: history.clone(),
            game_mark: history.mark(),
            out_of_memory: false,
            growth,
            batch: None,
            chunk: if parallel {
                Chunk::for_parallel_worker()
            } else {
                Chunk::default()
            },
            board: None,
        }
    }

    /// Makes one iteration.
    pub(super) fn run_iteration<T: SearchStore<G>, S: Select>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
    ) {
        // Calls `Iteration::run` below, compiled for AVX2 where the processor has it.
        run_in_lanes(Iteration {
            worker: self,
            context,
        });
    }
}

struct Iteration<'w, 'a, 'g, G: Game, T, S> {
    worker: &'w mut Worker<'a, G>,
    context: &'g SearchContext<'g, G, T, S>,
}

impl<G: Searchable, T: SearchStore<G>, S: Select> LaneWork for Iteration<'_, '_, '_, G, T, S> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { worker, context } = self;
        let mut descent = worker.begin_descent(context);
        let end = loop {
            if let Some(end) = worker.select::<L, _, _>(context, &mut descent) {
                break end;
            }
            if let Some(end) = worker.expand(context, &mut descent) {
                break end;
            }
        };
        let (reward, is_proven) = match end {
            DescentEnd::Proven(outcome) => (outcome_reward(outcome), true),
            DescentEnd::Repetition => (outcome_reward(Outcome::Draw), false),
            DescentEnd::Simulate => {
                let reward = worker.simulate(&descent.position, descent.last_moves);
                (reward, false)
            }
        };
        // The reward is for the first player of the leaf's frame.
        let reward = if descent.here.flipped {
            outcome_reward(Outcome::Win(Player::First)) - reward
        } else {
            reward
        };
        let reward = if context.proves_margins {
            worker.backpropagate_bounds(context);
            worker.proven_reward(context).unwrap_or(reward)
        } else {
            if is_proven && context.config.solver {
                worker.backpropagate_proof(context);
            }
            reward
        };
        worker.backpropagate(context, reward, descent.in_batch);
    }
}

/// The state of an iteration during selection and expansion. Only functions that are always inlined borrow it whole, so that the
/// last step can stay in registers.
struct Descent<G> {
    /// The last step.
    here: SearchStep,
    /// The position of its node, in the node's frame.
    position: G,
    last_moves: LastMoves,
    /// [`Playout::uses_last_moves`] of the policy.
    uses_last_moves: bool,
    /// True if it started at the node of a batch instead of the root.
    in_batch: bool,
}

/// Why an iteration stops descending.
enum DescentEnd {
    /// The node's result is proven.
    Proven(Outcome),
    /// The game is drawn by repetition on this path.
    Repetition,
    /// A playout follows.
    Simulate,
}

impl<G: Searchable> Worker<'_, G> {
    /// Starts at the root, or at the node of the batch.
    #[inline(always)]
    fn begin_descent<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
    ) -> Descent<G> {
        let uses_last_moves = self.playout.uses_last_moves();
        if let Some(batch) = &self.batch
            && context.is_parallel()
        {
            self.path.truncate(batch.path_len);
            self.history.truncate_to(batch.history_mark);
            if uses_last_moves {
                self.board.clone_from(&batch.board);
            }
            return Descent {
                here: self.path[batch.path_len - 1],
                position: batch.position.clone(),
                last_moves: batch.last_moves,
                uses_last_moves,
                in_batch: true,
            };
        }
        self.path.clear();
        self.history.truncate_to(self.game_mark);
        if uses_last_moves {
            self.board.clone_from(&context.board);
        }
        let root = SearchStep {
            edge: context.store.root() as usize,
            node: context.store.root(),
            mover: context.root.to_move().opponent(),
            flipped: false,
        };
        self.push_step(context, root);
        Descent {
            here: root,
            position: context.root.clone(),
            last_moves: context.last_moves,
            uses_last_moves,
            in_batch: false,
        }
    }

    /// Selection: descends by the formula; `None` at a leaf that may be expanded.
    #[inline(always)]
    fn select<L: Lanes, T: SearchStore<G>, S: Select>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        descent: &mut Descent<G>,
    ) -> Option<DescentEnd> {
        let store = context.store;
        let parallel = context.is_parallel();
        loop {
            let children = store.child_range(&descent.here);
            let ChildRange { visits, count, .. } = children;
            let is_open = count > 0 && (!context.config.solver || self.path.len() == 1);
            if !is_open
                && let Some(outcome) = store.proven(descent.here.node)
                && (!context.proves_margins || context.is_closed(descent.here.node))
            {
                return Some(DescentEnd::Proven(outcome));
            }
            // A new edge ends the descent, even if its position has a node already.
            if T::IS_GRAPH && count > 0 && self.is_new_edge(&children, parallel) {
                return Some(DescentEnd::Simulate);
            }
            if parallel
                && !descent.in_batch
                && visits >= Batch::<G>::MIN_VISITS_PER_THREAD * context.threads
            {
                self.begin_batch(&descent.position, descent.last_moves);
            }
            if count == 0 {
                return None;
            }
            let position = &descent.position;
            let (edge, new_move) = match self.next_new_edge_in_order(context, position, &children) {
                Some(new) => new,
                None => {
                    let here = &descent.here;
                    let chosen = self.select_child::<L, _, _>(context, here, position, &children);
                    (chosen, None)
                }
            };
            if self.follow(context, descent, edge, new_move) {
                return Some(DescentEnd::Repetition);
            }
        }
    }

    /// Expansion: adds children to a leaf and follows one of them. `None` if the leaf's position has a node already, from which
    /// selection continues.
    #[inline(always)]
    fn expand<T: SearchStore<G>, S: Select>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        descent: &mut Descent<G>,
    ) -> Option<DescentEnd> {
        match self.expand_leaf(context, descent.here, &descent.position) {
            LeafAction::Terminal(outcome) => Some(DescentEnd::Proven(outcome)),
            LeafAction::Simulate => Some(DescentEnd::Simulate),
            LeafAction::Transposed(node) => {
                descent.here.node = node;
                None
            }
            LeafAction::Follow(edge, mv) => {
                let is_drawn = self.follow(context, descent, edge, Some(mv));
                Some(if is_drawn {
                    DescentEnd::Repetition
                } else {
                    DescentEnd::Simulate
                })
            }
        }
    }

    /// Descends along an edge; `new_move` is its move if it was never followed. True if the position is drawn by repetition.
    #[inline(always)]
    fn follow<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        descent: &mut Descent<G>,
        edge: usize,
        new_move: Option<G::Move>,
    ) -> bool {
        let store = context.store;
        let position = &mut descent.position;
        let reply_context =
            (descent.uses_last_moves).then(|| self.play_on_board(position, store.move_of(edge)));
        let is_new_link = T::IS_GRAPH && self.growth.is_enabled() && store.is_unlinked(edge);
        let mover = position.to_move();
        let (node, inverted) = match new_move {
            Some(mv) => store.follow_new(edge, mv, position),
            None => store.follow(edge, position),
        };
        let here = SearchStep {
            edge,
            node,
            mover,
            flipped: descent.here.flipped ^ inverted,
        };
        descent.here = here;
        if let Some(reply_context) = reply_context {
            descent.last_moves.push(reply_context);
            self.transform_board(store.frame_bits(edge));
        }
        if is_new_link {
            self.record_link(store, &here);
        }
        self.push_step(context, here);
        self.push_and_check_repetition(&descent.position)
    }

    /// Backpropagation: adds a visit and its reward, for the first player of the root's frame, to the nodes of the path
    /// (`NodeStore::apply` for every step).
    #[inline(always)]
    fn backpropagate<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        reward: u64,
        in_batch: bool,
    ) {
        if self.growth.is_enabled() {
            self.record_iteration::<T>(reward);
        }
        if context.is_parallel() {
            self.backpropagate_batch(context, &Update::reward_only(reward), in_batch);
        } else {
            context.store.backpropagate(&self.path, reward);
        }
    }
}

/// What [`Worker::expand_leaf`] decides.
enum LeafAction<M> {
    Terminal(Outcome),
    Simulate,
    /// Follow this edge, which is new, with this move.
    Follow(usize, M),
    /// Continue from this node, to which the edge is linked now.
    Transposed(u32),
}

impl<G: Searchable> Worker<'_, G> {
    #[inline(always)]
    fn push_step<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        step: SearchStep,
    ) {
        // Threads that arrive at once both emit it.
        if T::HAS_TABLE && self.growth.is_enabled() && context.store.visits(step.node) == 0 {
            context
                .store
                .record_table_entry(step.node, &mut self.growth);
        }
        if context.is_parallel() {
            context.store.add_virtual_loss(&step, 1);
        }
        self.path.push(step);
    }

    /// True if the last edge of the path was unvisited before this iteration.
    #[inline(always)]
    fn is_new_edge(&self, children: &ChildRange, parallel: bool) -> bool {
        // With several threads, virtual loss has counted this visit.
        children.edge_visits == u32::from(parallel) && self.path.len() > 1
    }

    /// Simulation: makes a playout and returns its reward for the first player of the leaf's frame.
    #[inline(always)]
    fn simulate(&mut self, position: &G, last_moves: LastMoves) -> u64 {
        let Some(board) = &self.board else {
            return self.playout.simulate(position, last_moves, &mut self.rng);
        };
        let reward = self
            .playout
            .simulate(&board.position, last_moves, &mut self.rng);
        if board.position.to_move() == position.to_move() {
            reward
        } else {
            outcome_reward(Outcome::Win(Player::First)) - reward
        }
    }

    /// Records the node that a step's edge is linked to.
    fn record_link<T: SearchStore<G>>(&mut self, store: &T, step: &SearchStep) {
        self.growth.push(GrowthRecord::Link {
            edge: step.edge as u32,
            node: step.node,
            frame: store.frame_bits(step.edge),
        });
    }

    /// Records an iteration with `reward` for the first player of the root's frame.
    fn record_iteration<T: SearchStore<G>>(&mut self, reward: u64) {
        if let Some(moves) = self.playout.take_moves() {
            // Moves on the game's own board are recorded as the leaf's frame has them.
            let symmetry = (self.board.as_ref()).map_or(Symmetry::IDENTITY, |board| board.symmetry);
            let code = |&mv| G::move_to_bits(G::image_of_move(mv, symmetry));
            self.growth.push_playout(moves.iter().map(code));
        }
        if T::IS_GRAPH {
            let edges = self.path[1..].iter().map(|step| step.edge as u32);
            self.growth.push_path(edges, reward);
        } else {
            let node = self.path.last().map_or(0, |step| step.node);
            self.growth
                .push(GrowthRecord::TreeIteration { node, reward });
        }
    }

    /// Adds a position to the path's history; true if it is drawn by threefold repetition.
    #[inline(always)]
    fn push_and_check_repetition(&mut self, position: &G) -> bool {
        if position.repetition_key().is_none() {
            return false;
        }
        self.history.push_search_position(position);
        self.history.is_threefold(position)
    }

    /// Decides what happens at a leaf, and expands it on its `expand_on`th visit. Not inlined: keeps its register pressure out of
    /// the selection loop.
    #[inline(never)]
    fn expand_leaf<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        here: SearchStep,
        position: &G,
    ) -> LeafAction<G::Move> {
        let MctsConfig {
            expansion,
            expand_on,
            ..
        } = *context.config;
        let at_root = self.path.len() == 1;
        // With `One` a leaf's first playout was made when it was added, and is not among `visits` here; except the root's.
        let wait = match expansion {
            ExpansionRule::One if !at_root => expand_on,
            _ => expand_on - 1,
        };
        // Without the virtual visit of this iteration.
        let visits = context.store.visits(here.node) - u32::from(context.is_parallel());
        if visits < wait {
            return LeafAction::Simulate;
        }
        match context.store.resolve_transposition(&here, position) {
            Transposition::Own => {}
            Transposition::Shared(node) => {
                let step = SearchStep { node, ..here };
                if let Some(last) = self.path.last_mut() {
                    *last = step;
                }
                if self.growth.is_enabled() {
                    self.record_link(context.store, &step);
                }
                return LeafAction::Transposed(node);
            }
            Transposition::Full => {
                self.out_of_memory = true;
                return LeafAction::Simulate;
            }
        }
        position.legal_moves(&mut self.moves);
        if self.moves.is_empty() {
            let outcome = position.final_outcome();
            self.record_proven(context, here.node, outcome);
            self.record_own_bounds(context, here.node, position);
            return LeafAction::Terminal(outcome);
        }
        if T::HOLDS_PRIORS {
            // No policy gives priors: they are uniform.
            let count = self.moves.len();
            self.priors.clear();
            self.priors.resize(count, 1.0 / count as f64);
        }
        let new = NewChildren {
            position,
            moves: &self.moves,
            priors: &self.priors,
        };
        match (context.store).expand(&here, new, &mut self.chunk) {
            Expansion::Busy => return LeafAction::Simulate,
            Expansion::Full => {
                self.out_of_memory = true;
                return LeafAction::Simulate;
            }
            Expansion::Done => self.record_own_bounds(context, here.node, position),
        }
        let (first, count) = context.store.edges(here.edge as u32);
        if self.growth.is_enabled() {
            let codes = self.moves.iter().map(|&mv| G::move_to_bits(mv));
            self.growth.push_moves(here.node, first as u32, codes);
        }
        let mut pick = match expansion {
            ExpansionRule::AllRandom => self.rng.below(count as u32) as usize,
            _ => 0,
        };
        if at_root && let Some(allowed) = context.allowed {
            pick = (pick..count)
                .chain(0..pick)
                .find(|&index| allowed[index])
                .unwrap_or(pick);
        }
        LeafAction::Follow(first + pick, self.moves[pick])
    }

    /// The next unvisited edge of a graph node with few visits whose edges are followed in move order, and its move if generating
    /// it is faster than a cache miss.
    ///
    /// The node's visits tell which edge is next, so its slot, probably not cached, need not be read. Each visit takes the next
    /// edge, except those that ended here because the edge to this node was new while the node was not: an edge skipped by that
    /// is taken after the others.
    #[inline(always)]
    fn next_new_edge_in_order<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        position: &G,
        children: &ChildRange,
    ) -> Option<(usize, Option<G::Move>)> {
        // With repetitions a visit may also end here, and visits do not tell the next edge.
        if !T::IS_GRAPH || !context.expands_in_order || position.repetition_key().is_some() {
            return None;
        }
        let next = context.config.expected_visited_moves(children.visits);
        if next >= children.count {
            return None;
        }
        let mv = if G::HAS_FAST_MOVE_GENERATION {
            position.legal_moves(&mut self.moves);
            self.moves.get(next).copied()
        } else {
            None
        };
        Some((children.first + next, mv))
    }

    /// The edge with the highest score, the first of equals.
    #[inline(always)]
    fn select_child<L: Lanes, T: SearchStore<G>, S: Select>(
        &self,
        context: &SearchContext<'_, G, T, S>,
        here: &SearchStep,
        position: &G,
        children: &ChildRange,
    ) -> usize {
        let store = context.store;
        let ChildRange {
            visits,
            first,
            count,
            ..
        } = *children;
        let mover = position.to_move();
        let parent_term = context.select.parent_term(visits.max(1));
        let restricted = self.path.len() == 1 && context.allowed.is_some();
        let needs_scalar_path = restricted || context.config.solver;
        let fpu = context.config.fpu;
        // With infinite first-play urgency a node of few visits probably has an unvisited edge, and no score is needed.
        if fpu.is_infinite()
            && !needs_scalar_path
            && visits <= count as u32 + context.config.expand_on
        {
            let chosen = context.config.expected_visited_moves(visits);
            if let Some(new) = self.first_unvisited_edge(context, chosen, first, count) {
                return new;
            }
        }
        let urgency = fpu.urgency(|| mean_for(store, *here, mover));
        let terms = (parent_term, urgency);
        if needs_scalar_path || count < 4 {
            return self.select_child_scalar(context, mover, first, count, terms);
        }
        // The last four may overlap the ones before: repeated scores do not change the maximum.
        let last = count - 4;
        let best = if count <= 8 {
            let low = scores_x4::<L, _, _, _>(context, first, mover, terms);
            let high = scores_x4::<L, _, _, _>(context, first + last, mover, terms);
            let highest = low.max(high).splat_max();
            let places =
                low.eq_mask(highest).sign_mask() | high.eq_mask(highest).sign_mask() << last;
            places.trailing_zeros() as usize
        } else {
            let lanes = L::from([0, 1, 2, 3]);
            let mut highest = scores_x4::<L, _, _, _>(context, first, mover, terms);
            let mut places = lanes;
            for start in (4..last).step_by(4).chain([last]) {
                let scores = scores_x4::<L, _, _, _>(context, first + start, mover, terms);
                let better = highest.lt_mask(scores);
                places = better.blend(lanes + L::splat(start as u64), places);
                highest = highest.max(scores);
            }
            let is_best = highest.eq_mask(highest.splat_max());
            let places = is_best.blend(places, L::splat(u64::MAX)).to_array();
            places.into_iter().fold(u64::MAX, u64::min) as usize
        };
        // No formula gives NaN, which equals nothing; the limit keeps the index valid all the same.
        first + best.min(count - 1)
    }

    /// The first unvisited edge of a node; `chosen` is the probable number of visited ones.
    #[inline(always)]
    fn first_unvisited_edge<T: SearchStore<G>, S>(
        &self,
        context: &SearchContext<'_, G, T, S>,
        chosen: usize,
        first: usize,
        count: usize,
    ) -> Option<usize> {
        let is_new = |&edge: &usize| context.store.edge_visits(edge) == 0;
        // In move order, an unvisited edge after a visited one is the first.
        if context.config.expansion != ExpansionRule::AllRandom && (1..count).contains(&chosen) {
            let next = first + chosen;
            if !is_new(&(next - 1)) && is_new(&next) {
                return Some(next);
            }
        }
        (first..first + count).find(is_new)
    }

    /// [`Self::select_child`] for fewer than four edges, restricted root moves, or the solver.
    fn select_child_scalar<T: SearchStore<G>, S: Select>(
        &self,
        context: &SearchContext<'_, G, T, S>,
        mover: Player,
        first: usize,
        count: usize,
        (parent_term, urgency): (f64, f64),
    ) -> usize {
        let store = context.store;
        let allowed = context.allowed.filter(|_| self.path.len() == 1);
        let guaranteed = self.guaranteed_margin(context, mover);
        let mut best = first;
        let mut best_score = f64::NEG_INFINITY;
        for index in 0..count {
            let edge = first + index;
            if allowed.is_some_and(|allowed| !allowed[index]) {
                continue;
            }
            let stats = ChildStats::from(store.child_stats(edge, mover));
            let mut score = child_terms(&context.select, parent_term, urgency, &stats).score();
            if let Some(guaranteed) = guaranteed {
                score = bounded_score(store, edge, mover, guaranteed, score);
            } else if context.config.solver
                && let Some(outcome) = store.edge_proven(edge)
            {
                score = match outcome {
                    Outcome::Win(winner) if winner == mover => f64::INFINITY,
                    // Nothing left to learn: after every open edge, a draw before a loss.
                    Outcome::Draw => -1e299,
                    Outcome::Win(_) => -1e300,
                };
            }
            if score > best_score {
                best_score = score;
                best = edge;
            }
        }
        best
    }
}

/// The scores of four consecutive edges from `edge` on; `terms` are the parent term and the first-play urgency.
///
/// Not a closure: only functions that are always inlined are compiled with the vector instructions of their caller. As a closure,
/// in a build without MIR inlining, it called a function for every vector instruction: over half of all instructions executed.
#[inline(always)]
fn scores_x4<L: Lanes, G: Searchable, T: SearchStore<G>, S: Select>(
    context: &SearchContext<'_, G, T, S>,
    edge: usize,
    mover: Player,
    (parent_term, urgency): (f64, f64),
) -> L::Floats {
    let stats = context.store.child_stats_x4::<L>(edge, mover);
    stats.scores(&context.select, parent_term, urgency)
}

/// The mean of the node that a step led to, for `player` of the node's frame. Takes the step by value: a reference would keep the
/// selection loop's step in memory.
#[inline(never)]
fn mean_for<G: Searchable>(store: &impl SearchStore<G>, step: SearchStep, player: Player) -> f64 {
    let stats = ChildStats::from(store.child_stats(step.edge, step.mover));
    let mean = stats.sum / stats.visits;
    // `step.mover` is in the parent's frame.
    let inverted = store.frame_bits(step.edge) >> 3 & 1 == 1;
    if (step.mover == player) != inverted {
        mean
    } else {
        1.0 - mean
    }
}

/// Converts a result from a node's frame to the root's; `flipped` if they exchange colours.
pub(super) fn unflip_outcome(outcome: Outcome, flipped: bool) -> Outcome {
    if flipped {
        swap_players(outcome)
    } else {
        outcome
    }
}
