//! Fail-soft alpha-beta in negamax form (Knuth and Moore 1975; fail-soft: Fishburn 1983).
//!
//! The value returned for a window (alpha, beta), for the player to move: at or below alpha it is an upper bound, at or above
//! beta a lower bound, in between exact.

use super::{
    budget::SearchBudget,
    classical::{Evaluator, NodeCounts},
    tree_recorder::{NodeHandle, TreeRecorder},
};
use crate::games::{Game, History, evaluate::WIN_VALUE};

/// Above every value; the bound of the full window.
pub(super) const INFINITE: i32 = WIN_VALUE + 1;

/// State shared by all plies of an alpha-beta search.
pub(super) struct AlphaBeta<'a, G: Game> {
    pub(super) evaluator: &'a Evaluator<G>,
    pub(super) budget: &'a mut SearchBudget,
    pub(super) history: &'a mut History,
    pub(super) recorder: &'a mut TreeRecorder<G>,
    pub(super) counts: &'a mut NodeCounts,
    /// Buffers by ply, reused so that inner nodes allocate nothing.
    pub(super) ply_buffers: &'a mut Vec<PlyBuffer<G::Move>>,
}

/// Move list and principal variation of one ply.
pub(super) struct PlyBuffer<M> {
    moves: Vec<M>,
    pv: Vec<M>,
}

impl<M> Default for PlyBuffer<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            pv: Vec::new(),
        }
    }
}

impl<G: Game> AlphaBeta<'_, G> {
    /// The value of `position` for the player to move; `None` if the budget is exhausted. Leaves the variation in buffer `ply`.
    fn search(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        mut alpha: i32,
        beta: i32,
        entry: NodeHandle,
    ) -> Option<i32> {
        let level = ply as usize;
        if self.ply_buffers.len() <= level + 1 {
            self.ply_buffers.resize_with(level + 2, PlyBuffer::default);
        }
        self.ply_buffers[level].pv.clear();
        let leaf = self
            .evaluator
            .leaf_value(position, self.history, ply, depth, self.counts);
        if leaf.is_some() {
            return leaf;
        }
        let mut moves = std::mem::take(&mut self.ply_buffers[level].moves);
        position.legal_moves(&mut moves);
        let mut best = -INFINITE;
        let mut found = true;
        for (index, &mv) in moves.iter().enumerate() {
            if self.budget.is_exhausted(self.counts.nodes) {
                found = false;
                break;
            }
            let Some(value) = self.search_move(position, mv, depth, ply, alpha, beta, entry) else {
                found = false;
                break;
            };
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    let (above, below) = self.ply_buffers.split_at_mut(level + 1);
                    above[level].pv.clear();
                    above[level].pv.push(mv);
                    above[level].pv.extend_from_slice(&below[0].pv);
                }
                if best >= beta {
                    self.recorder.record_pruned(entry, &moves[index + 1..]);
                    break;
                }
            }
        }
        self.ply_buffers[level].moves = moves;
        found.then_some(best)
    }

    /// The value of a move for the player who makes it, within the bounds of the window.
    #[expect(
        clippy::too_many_arguments,
        reason = "a window, a place and a position are what alpha-beta is about"
    )]
    pub(super) fn search_move(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: u32,
        ply: u32,
        alpha: i32,
        beta: i32,
        entry: NodeHandle,
    ) -> Option<i32> {
        let mut after = position.clone();
        after.play(mv);
        self.counts.nodes += 1;
        let begun = self.counts.nodes;
        let here = self.recorder.enter(entry, mv);
        let mark = self.history.mark();
        self.history.push_search_position(&after);
        // After an extra turn the window keeps its sign; for the opponent it is negated and swapped.
        let same = after.to_move() == position.to_move();
        let (low, high) = if same { (alpha, beta) } else { (-beta, -alpha) };
        let found = self.search(&after, depth - 1, ply + 1, low, high, here);
        self.history.truncate_to(mark);
        let value = found?;
        self.recorder
            .leave(here, value, after.to_move(), self.counts.nodes - begun + 1);
        Some(if same { value } else { -value })
    }

    /// The principal variation that the last search left at `ply`.
    pub(super) fn pv(&self, ply: u32) -> &[G::Move] {
        self.ply_buffers
            .get(ply as usize)
            .map_or(&[], |level| &level.pv)
    }
}
