//! Quiescence search: at the horizon captures and threats are followed until the position is quiet (Shannon 1950, part B).

use super::{
    AlphaBeta, Bound, Cut, Found, INFINITE, Searchable, Window, ordering,
    selectivity::MAX_EXTENDED_PLIES,
};
use crate::search::depth_first::DepthFirstNode;

/// Beyond the depth of the root, threats are met in as many plies as this and that depth; then the evaluation must do.
const MAX_THREAT_PLIES: u32 = 8;

impl<G: Searchable> AlphaBeta<'_, G> {
    /// The value of a node at the horizon. The player to move may always stand pat, unless a threat must be met.
    pub(super) fn quiesce(
        &mut self,
        node: &DepthFirstNode<'_, G>,
        window: Window,
    ) -> Option<Found> {
        self.state.counts.reached_horizon = true;
        let max_ply = (2 * self.root_depth + MAX_THREAT_PLIES).min(MAX_EXTENDED_PLIES);
        let meets_threat = node.is_threatened && node.ply < max_ply;
        let mut best = if meets_threat {
            -INFINITE
        } else {
            self.state.horizon_value(node)
        };
        if best < window.beta {
            let level = node.ply as usize;
            let buffer = &mut self.memory.plies[level];
            let mut moves = std::mem::take(&mut buffer.moves);
            let mut scores = std::mem::take(&mut buffer.scores);
            if meets_threat {
                node.position.replies_to_threat(&mut moves);
            } else {
                node.position.quiescence_moves(&mut moves);
            }
            let found = self.quiesce_moves(node, window, best, (&mut moves, &mut scores));
            let buffer = &mut self.memory.plies[level];
            (buffer.moves, buffer.scores) = (moves, scores);
            best = found?;
        }
        Some(Found {
            value: best,
            cut: Cut::Quiescence,
            bound: Some(Bound::of(best, window.alpha, window.beta)),
        })
    }

    fn quiesce_moves(
        &mut self,
        node: &DepthFirstNode<'_, G>,
        mut window: Window,
        mut best: i32,
        (moves, scores): (&mut [G::Move], &mut Vec<i32>),
    ) -> Option<i32> {
        scores.clear();
        scores.extend(moves.iter().map(|&mv| node.position.move_order(mv, 0)));
        for index in 0..moves.len() {
            window.alpha = window.alpha.max(best);
            if self.state.is_exhausted() {
                return None;
            }
            ordering::select_next(moves, scores, index);
            let mv = moves[index];
            // Late moves are neither reduced nor scouted here: the index counts as the first.
            let value = self.search_move(node, mv, (0, false), window)?;
            if value > best {
                best = value;
                if value > window.alpha {
                    self.note_variation(node, mv);
                }
                if best >= window.beta {
                    let rest = moves.get(index + 1..).unwrap_or_default();
                    self.state.recorder.record_pruned(node.handle, rest);
                    break;
                }
            }
        }
        Some(best)
    }
}
