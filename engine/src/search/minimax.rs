//! Minimax to a fixed depth without pruning (Shannon 1950), in negamax form. Slow; the reference for the other searches.

use super::{
    Bound, Cut, WindowResult,
    depth_first::{DepthFirst, DepthFirstNode},
};
use crate::games::{Game, SearchHints};

/// A minimax search.
pub(super) struct Minimax<'a, G: Game> {
    pub(super) state: DepthFirst<'a, G>,
}

impl<G: Game + SearchHints> Minimax<'_, G> {
    /// The value of a node for the player to move, and its principal variation; `None` if the budget is exhausted.
    fn search(&mut self, node: &DepthFirstNode<'_, G>) -> Option<(i32, Vec<G::Move>)> {
        if let Some(value) = self.state.leaf_value(node) {
            return Some((value, Vec::new()));
        }
        let mut moves = Vec::new();
        node.position.legal_moves(&mut moves);
        let mut best: Option<(i32, Vec<G::Move>)> = None;
        for mv in moves {
            if self.state.is_exhausted() {
                return None;
            }
            let (value, pv) = self.search_move(node, mv)?;
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                let pv = std::iter::once(mv).chain(pv).collect();
                best = Some((value, pv));
            }
        }
        best
    }

    /// The value of a move for the player who makes it, with the variation after it.
    pub(super) fn search_move(
        &mut self,
        parent: &DepthFirstNode<'_, G>,
        mv: G::Move,
    ) -> Option<(i32, Vec<G::Move>)> {
        let child = self.state.descend(parent, mv);
        let (value, pv) = self.search(&child.node()).unzip();
        (self.state.recorder).record_window(child.handle, || WindowResult {
            value,
            alpha: None,
            beta: None,
            bound: Bound::Exact,
            cut: Cut::None,
            depth: child.depth,
        });
        let value = self.state.ascend(&child, value);
        value.zip(pv)
    }
}
