//! Fail-soft alpha-beta in negamax form (Knuth and Moore 1975; fail-soft: Fishburn 1983), with the enhancements that
//! [`Enhancements`] switches on. Without any it is the plain algorithm.
//!
//! The value returned for a window (alpha, beta), for the player to move: at or below alpha it is an upper bound, at or above
//! beta a lower bound, in between exact.

use super::{
    Bound, Cut, Searchable, WindowResult,
    depth_first::{ChildStep, DepthFirst, DepthFirstNode},
    tree_recorder::MIN_WIN_VALUE,
};
use crate::games::{Game, evaluate::WIN_VALUE};
use ordering::{HistoryTable, OrderKnowledge, PlyBuffer};
use selectivity::Futility;
use table::{Entry, SOLVED_DEPTH};

mod enhancements;
mod ordering;
mod quiescence;
mod selectivity;
mod table;

pub use enhancements::Enhancements;
pub(super) use table::Table;

/// Above every value; the bound of the full window.
pub(super) const INFINITE: i32 = WIN_VALUE + 1;

/// The values that matter: those between alpha and beta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    /// The smallest window: is the value greater than `alpha`?
    fn scout(alpha: i32) -> Self {
        Self {
            alpha,
            beta: alpha + 1,
        }
    }

    fn is_scout(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// The window of a child whose player has the other sign.
    fn negated(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

/// What the core keeps between nodes, and from one search to the next.
pub(super) struct CoreMemory<G: Game> {
    pub(super) table: Option<Table>,
    history: HistoryTable,
    plies: Vec<PlyBuffer<G::Move>>,
}

impl<G: Searchable> CoreMemory<G> {
    /// Memory for these enhancements, with `table_mb` megabytes for the table.
    pub(super) fn new(enhancements: &Enhancements, table_mb: usize) -> Self {
        let slots = match enhancements.history {
            true => G::HISTORY_SLOTS,
            false => 0,
        };
        Self {
            table: enhancements.table.then(|| Table::new(table_mb)),
            history: HistoryTable::new(slots),
            plies: Vec::new(),
        }
    }

    /// A search begins: what earlier ones left counts less.
    pub(super) fn begin_search(&mut self) {
        if let Some(table) = &mut self.table {
            table.begin_search();
        }
        self.history.age();
        self.plies.clear();
    }
}

/// An alpha-beta search.
pub(super) struct AlphaBeta<'a, G: Game> {
    pub(super) state: DepthFirst<'a, G>,
    pub(super) enhancements: Enhancements,
    pub(super) memory: &'a mut CoreMemory<G>,
    /// Depth of the root, which bounds extensions.
    pub(super) root_depth: u32,
}

/// The result of a node.
struct Found {
    value: i32,
    cut: Cut,
    /// `None` if it follows from the window.
    bound: Option<Bound>,
}

impl Found {
    fn exact(value: i32) -> Self {
        Self {
            value,
            cut: Cut::None,
            bound: Some(Bound::Exact),
        }
    }

    fn by(cut: Cut, value: i32) -> Self {
        Self {
            value,
            cut,
            bound: None,
        }
    }
}

impl<G: Searchable> AlphaBeta<'_, G> {
    /// The value of a node for the player to move; `None` if the budget is exhausted. Leaves the variation in the buffer of its
    /// ply.
    fn search(&mut self, node: &DepthFirstNode<'_, G>, window: Window) -> Option<i32> {
        let level = node.ply as usize;
        if self.memory.plies.len() <= level + 1 {
            self.memory.plies.resize_with(level + 2, PlyBuffer::default);
        }
        self.memory.plies[level].pv.clear();
        let found = self.search_node(node, window)?;
        self.state.recorder.record_window(node.handle, || {
            window_result(found.value, window, node.depth, found.cut, found.bound)
        });
        Some(found.value)
    }

    fn search_node(&mut self, node: &DepthFirstNode<'_, G>, window: Window) -> Option<Found> {
        if let Some(value) = self.state.terminal_value(node) {
            // A draw by repetition depends on the way here: more may be seen on others.
            self.state.counts.reached_horizon |= node.is_repetition;
            return Some(Found::exact(value));
        }
        let depth = node.depth + self.extension(node);
        if depth == 0 {
            return if self.enhancements.quiescence {
                self.quiesce(node, window)
            } else {
                Some(Found::exact(self.state.horizon_value(node)))
            };
        }
        let Some(window) = self.bound_by_distance(node, window) else {
            return Some(Found::by(Cut::Beta, window.alpha));
        };
        let key = self.table_key(node);
        let entry = (self.memory.table.as_ref()).and_then(|table| table.get(key));
        if let Some(found) = self.table_result(node, window, entry) {
            self.state.counts.reached_horizon |=
                entry.is_some_and(|entry| entry.depth < SOLVED_DEPTH);
            return Some(found);
        }
        let hash_move = self.hash_move(node, entry);
        let node = &DepthFirstNode {
            depth: depth - self.reduction_without_move(depth, hash_move.is_some()),
            ..*node
        };
        let judged = self.judgement(node, window);
        if let Some(value) = self.cut_without_moves(node, window, judged)? {
            self.state.counts.reached_horizon = true;
            return Some(Found::by(Cut::NullMove, value));
        }
        let futility = self.futility(node, window, judged);
        let counts = &mut *self.state.counts;
        let had_reached = std::mem::take(&mut counts.reached_horizon);
        let (found, best) = self.search_moves(node, window, (hash_move, futility))?;
        let is_solved = !self.state.counts.reached_horizon;
        self.state.counts.reached_horizon |= had_reached;
        self.store(node, key, window, (&found, best, is_solved));
        Some(found)
    }

    /// Searches the moves of a node, from the buffer of its ply. Also returns the best move, if it is known.
    fn search_moves(
        &mut self,
        node: &DepthFirstNode<'_, G>,
        window: Window,
        plan: (Option<G::Move>, Futility),
    ) -> Option<(Found, Option<G::Move>)> {
        let level = node.ply as usize;
        let buffer = &mut self.memory.plies[level];
        let mut moves = std::mem::take(&mut buffer.moves);
        let mut scores = std::mem::take(&mut buffer.scores);
        moves.clear();
        let found = self.try_moves(node, window, plan, (&mut moves, &mut scores));
        let buffer = &mut self.memory.plies[level];
        (buffer.moves, buffer.scores) = (moves, scores);
        found
    }

    fn try_moves(
        &mut self,
        node: &DepthFirstNode<'_, G>,
        mut window: Window,
        (hash_move, futility): (Option<G::Move>, Futility),
        (moves, scores): (&mut Vec<G::Move>, &mut Vec<i32>),
    ) -> Option<(Found, Option<G::Move>)> {
        // The table's move often makes the others needless: they are generated only when it is their turn.
        let mut waits = hash_move.is_some()
            && !self.is_restricted(node)
            && !self.state.recorder.is_recording(node.handle);
        if !waits {
            self.generate(node, hash_move, (moves, scores));
        }
        let orders = self.enhancements.orders_moves();
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut cut = Cut::None;
        let mut index = 0;
        loop {
            let mv = match hash_move {
                Some(mv) if waits && index == 0 => mv,
                _ => {
                    if waits {
                        waits = false;
                        self.generate(node, hash_move, (moves, scores));
                        if orders && !moves.is_empty() {
                            ordering::select_next(moves, scores, 0);
                        }
                    }
                    if index >= moves.len() {
                        break;
                    }
                    if orders {
                        ordering::select_next(moves, scores, index);
                    }
                    moves[index]
                }
            };
            if self.state.is_exhausted() {
                return None;
            }
            if futility.leaves_out(node.position, mv, index, best) {
                (self.state.recorder).record_pruned(node.handle, &[mv]);
                self.state.counts.reached_horizon = true;
                best = best.max(futility.value());
                index += 1;
                continue;
            }
            let is_only = !waits && moves.len() == 1;
            let value = self.search_move(node, mv, (index, is_only), window)?;
            if value > best {
                best = value;
                if value > window.alpha {
                    window.alpha = value;
                    best_move = Some(mv);
                    self.note_variation(node, mv);
                }
                if best >= window.beta {
                    cut = Cut::Beta;
                    let rest = moves.get(index + 1..).unwrap_or_default();
                    self.state.recorder.record_pruned(node.handle, rest);
                    let before = moves.get(..index).unwrap_or_default();
                    self.note_cutoff(node, mv, before);
                    break;
                }
            }
            index += 1;
        }
        Some((Found::by(cut, best), best_move))
    }

    /// Fills `moves` with the moves to be searched, and `scores` for their order.
    fn generate(
        &self,
        node: &DepthFirstNode<'_, G>,
        hash_move: Option<G::Move>,
        (moves, scores): (&mut Vec<G::Move>, &mut Vec<i32>),
    ) {
        if self.is_restricted(node) {
            node.position.replies_to_threat(moves);
        } else if self.enhancements.orders_moves() {
            node.position.unordered_moves(moves);
        } else {
            node.position.legal_moves(moves);
        }
        if self.enhancements.orders_moves() {
            let known = OrderKnowledge {
                hash_move,
                killers: self.memory.plies[node.ply as usize].killers,
            };
            ordering::score_moves(
                &self.enhancements,
                &self.memory.history,
                node.position,
                node.depth,
                &known,
                (moves, scores),
            );
        }
    }

    /// Whether only replies to a threat are searched.
    fn is_restricted(&self, node: &DepthFirstNode<'_, G>) -> bool {
        self.enhancements.extensions && node.is_threatened
    }

    /// The variation of a node begins with `mv` and goes on as that of its child.
    fn note_variation(&mut self, node: &DepthFirstNode<'_, G>, mv: G::Move) {
        let (above, below) = self.memory.plies.split_at_mut(node.ply as usize + 1);
        if let (Some(own), Some(next)) = (above.last_mut(), below.first()) {
            own.pv.clear();
            own.pv.push(mv);
            own.pv.extend_from_slice(&next.pv);
        }
    }

    /// Learns from a move that caused a cutoff after `before` had not.
    fn note_cutoff(&mut self, node: &DepthFirstNode<'_, G>, mv: G::Move, before: &[G::Move]) {
        if self.enhancements.killers || self.enhancements.history {
            let memory = &mut *self.memory;
            ordering::record_cutoff(
                &self.enhancements,
                &mut memory.history,
                &mut memory.plies[node.ply as usize],
                node.position,
                (mv, node.depth),
                before,
            );
        }
    }

    /// The value of a move for the player who makes it, within the bounds of the window. `index` moves were searched before; one
    /// that is the only move may be searched deeper.
    pub(super) fn search_move(
        &mut self,
        parent: &DepthFirstNode<'_, G>,
        mv: G::Move,
        (index, is_only): (usize, bool),
        window: Window,
    ) -> Option<i32> {
        let mut child = self.state.descend(parent, mv);
        if self.enhancements.sees_threats() {
            child.is_threatened = child.position.is_threatened();
        }
        if is_only && self.extends_only_moves(parent) {
            child.depth += 1;
        }
        let reduction = self.reduction(parent, mv, index, &child, window);
        let value = self.search_child(&child, (index, reduction), window);
        let value = value.map(|value| child.flip(value));
        self.state.ascend(&child, value)
    }

    /// The value of a child for the player who moved there: first less deeply or with a scout window, then as far as that is
    /// contradicted.
    fn search_child(
        &mut self,
        child: &ChildStep<G>,
        (index, reduction): (usize, u32),
        window: Window,
    ) -> Option<i32> {
        let scouts = self.enhancements.pvs && index > 0 && window.alpha > -INFINITE;
        let first_window = if scouts {
            Window::scout(window.alpha)
        } else {
            window
        };
        if reduction > 0 {
            let value = self.search_at(child, child.depth - reduction, first_window)?;
            if value <= window.alpha {
                self.state.recorder.record_reduction(child.handle);
                return Some(value);
            }
            self.state.recorder.restart(child.handle);
        }
        if scouts && !window.is_scout() {
            let value = self.search_at(child, child.depth, first_window)?;
            if value <= window.alpha || value >= window.beta {
                return Some(value);
            }
            self.state.recorder.restart(child.handle);
        }
        self.search_at(child, child.depth, window)
    }

    /// The value of a child at this depth for the player who moved there; so is the window.
    fn search_at(&mut self, child: &ChildStep<G>, depth: u32, window: Window) -> Option<i32> {
        // After an extra turn the window keeps its sign; for the opponent it is negated and swapped.
        let own = if child.has_same_player {
            window
        } else {
            window.negated()
        };
        let value = self.search(&child.node_at(depth), own)?;
        Some(child.flip(value))
    }

    /// The principal variation that the last search left at `ply`.
    pub(super) fn pv(&self, ply: u32) -> &[G::Move] {
        self.memory
            .plies
            .get(ply as usize)
            .map_or(&[], |level| &level.pv)
    }

    /// The window without values that no win or loss can reach from here; `None` if nothing is left.
    fn bound_by_distance(&self, node: &DepthFirstNode<'_, G>, window: Window) -> Option<Window> {
        if !self.enhancements.mate_distance || self.state.evaluator.counts_margins() {
            return Some(window);
        }
        // The best: a win with the next move.
        let beta = window.beta.min(WIN_VALUE - node.ply as i32);
        (window.alpha < beta).then_some(Window { beta, ..window })
    }

    fn table_key(&self, node: &DepthFirstNode<'_, G>) -> u64 {
        if self.memory.table.is_none() {
            return 0;
        }
        let evaluator = self.state.evaluator;
        let side = match evaluator.is_one_sided() {
            true => 1 + evaluator.root_player.index() as u64,
            false => 0,
        };
        node.position.table_key(node.depth) ^ node.repeated ^ side
    }

    /// What the table says, if that is enough for the window.
    fn table_result(
        &self,
        node: &DepthFirstNode<'_, G>,
        window: Window,
        entry: Option<Entry>,
    ) -> Option<Found> {
        let entry = entry?;
        let is_deep_enough = match self.enhancements.deeper_entries {
            true => entry.depth >= node.depth.min(SOLVED_DEPTH),
            false => entry.depth == node.depth,
        };
        // On the principal variation, moves are wanted, and draws by repetition seen.
        if !is_deep_enough || self.enhancements.pvs && !window.is_scout() {
            return None;
        }
        let value = self.distance_shift(entry.value, -(node.ply as i32));
        let settles = match entry.bound {
            Bound::Exact => true,
            Bound::AtLeast => value >= window.beta,
            Bound::AtMost => value <= window.alpha,
        };
        settles.then_some(Found {
            value,
            cut: Cut::Table,
            bound: Some(entry.bound),
        })
    }

    /// The table's move, if it may be played.
    fn hash_move(&self, node: &DepthFirstNode<'_, G>, entry: Option<Entry>) -> Option<G::Move> {
        let mv = entry.filter(|_| self.enhancements.hash_move)?.mv?;
        let mv = G::move_from_bits(mv);
        node.position.is_legal(mv).then_some(mv)
    }

    fn store(
        &mut self,
        node: &DepthFirstNode<'_, G>,
        key: u64,
        window: Window,
        (found, best, is_solved): (&Found, Option<G::Move>, bool),
    ) {
        let value = self.distance_shift(found.value, node.ply as i32);
        if let Some(table) = &mut self.memory.table {
            let entry = Entry {
                value,
                bound: Bound::of(found.value, window.alpha, window.beta),
                depth: match is_solved && self.enhancements.deeper_entries {
                    true => SOLVED_DEPTH,
                    false => node.depth.min(SOLVED_DEPTH - 1),
                },
                mv: best.map(G::move_to_bits),
            };
            table.put(key, &entry);
        }
    }

    /// The table keeps the distance of wins from the node, not from the root: `plies` away from here.
    fn distance_shift(&self, value: i32, plies: i32) -> i32 {
        if self.state.evaluator.counts_margins() || value.abs() < MIN_WIN_VALUE {
            value
        } else {
            value + value.signum() * plies
        }
    }
}

/// What is recorded of a node.
fn window_result(
    value: i32,
    window: Window,
    depth: u32,
    cut: Cut,
    bound: Option<Bound>,
) -> WindowResult {
    let is_open = |bound: i32| bound.abs() >= INFINITE;
    WindowResult {
        value: Some(value),
        alpha: Some(window.alpha).filter(|&alpha| !is_open(alpha)),
        beta: Some(window.beta).filter(|&beta| !is_open(beta)),
        bound: bound.unwrap_or_else(|| Bound::of(value, window.alpha, window.beta)),
        cut,
        depth,
    }
}
