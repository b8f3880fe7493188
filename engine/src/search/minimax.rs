//! Minimax to a fixed depth without pruning (Shannon 1950), in negamax form. Slow; the reference for the other searches.

use super::{
    budget::SearchBudget,
    classical::{Evaluator, NodeCounts},
    tree_recorder::{NodeHandle, TreeRecorder},
};
use crate::games::{Game, History};

/// State shared by all plies of a minimax search.
pub(super) struct Minimax<'a, G: Game> {
    pub(super) evaluator: &'a Evaluator<G>,
    pub(super) budget: &'a mut SearchBudget,
    pub(super) history: &'a mut History,
    pub(super) recorder: &'a mut TreeRecorder<G>,
    pub(super) counts: &'a mut NodeCounts,
}

impl<G: Game> Minimax<'_, G> {
    /// The value of `position` for the player to move, and its principal variation; `None` if the budget is exhausted.
    pub(super) fn search(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        entry: NodeHandle,
    ) -> Option<(i32, Vec<G::Move>)> {
        let leaf = self
            .evaluator
            .leaf_value(position, self.history, ply, depth, self.counts);
        if let Some(value) = leaf {
            return Some((value, Vec::new()));
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut best: Option<(i32, Vec<G::Move>)> = None;
        for mv in moves {
            if self.budget.is_exhausted(self.counts.nodes) {
                return None;
            }
            let (value, pv) = self.search_move(position, mv, depth, ply, entry)?;
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                let pv = std::iter::once(mv).chain(pv).collect();
                best = Some((value, pv));
            }
        }
        best
    }

    /// The value of a move for the player who makes it, with the variation after it. An extra turn keeps the sign.
    pub(super) fn search_move(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: u32,
        ply: u32,
        entry: NodeHandle,
    ) -> Option<(i32, Vec<G::Move>)> {
        let mut after = position.clone();
        after.play(mv);
        self.counts.nodes += 1;
        let begun = self.counts.nodes;
        let here = self.recorder.enter(entry, mv);
        let mark = self.history.mark();
        self.history.push_search_position(&after);
        let found = self.search(&after, depth - 1, ply + 1, here);
        self.history.truncate_to(mark);
        let (value, pv) = found?;
        self.recorder
            .leave(here, value, after.to_move(), self.counts.nodes - begun + 1);
        let value = if after.to_move() == position.to_move() {
            value
        } else {
            -value
        };
        Some((value, pv))
    }
}
