//! Which positions are searched deeper or less deeply than the others: extensions, null moves, reductions, futility.

use std::sync::LazyLock;

use super::{AlphaBeta, INFINITE, MIN_WIN_VALUE, Searchable, Window};
use crate::{
    games::Tactics,
    search::depth_first::{ChildStep, DepthFirstNode},
};

/// Least depth at which passing is tried.
const MIN_NULL_DEPTH: u32 = 3;
/// Least depth and index at which moves are reduced.
const MIN_REDUCED_DEPTH: u32 = 3;
const MIN_REDUCED_INDEX: usize = 2;
/// Least depth at which a position without a move from the table is searched less deeply.
const MIN_UNKNOWN_DEPTH: u32 = 5;
/// Greatest depth at which a position far ahead is cut off.
const MAX_AHEAD_DEPTH: u32 = 6;
/// Greatest depth at which quiet moves of a position far behind are left out.
const MAX_BEHIND_DEPTH: u32 = 4;
/// Greatest depth at which late quiet moves are left out.
const MAX_LATE_DEPTH: u32 = 4;

/// A game in which somebody is so many quiet plies ahead is decided: what is left to find is the win.
const DECIDED_SWINGS: i32 = 20;

/// Longer lines are not extended: each ply takes a part of the stack.
pub(super) const MAX_EXTENDED_PLIES: u32 = 200;

/// Plies by which a move is reduced, by depth and index: 0.8 + ln(depth) ln(index) / 2.2.
static REDUCTIONS: LazyLock<[[u8; 64]; 64]> = LazyLock::new(|| {
    let entry = |depth: usize, index: usize| {
        let product = libm::log(depth.max(1) as f64) * libm::log(index.max(1) as f64);
        (0.8 + product / 2.2) as u8
    };
    std::array::from_fn(|depth| std::array::from_fn(|index| entry(depth, index)))
});

/// Which quiet moves of a node are left out.
#[derive(Clone, Copy)]
pub(super) struct Futility {
    /// With this index or a later one.
    late_index: usize,
    /// Any but the first, because even with a good ply the value stays at or below alpha: this one; `None` if it need not.
    hopeless: Option<i32>,
}

impl Futility {
    const NONE: Self = Self {
        late_index: usize::MAX,
        hopeless: None,
    };

    /// Whether a move is left out after others with the value `best`.
    #[inline(always)]
    pub(super) fn leaves_out<G: Tactics>(
        &self,
        position: &G,
        mv: G::Move,
        index: usize,
        best: i32,
    ) -> bool {
        let applies = index >= self.late_index || index > 0 && self.hopeless.is_some();
        applies && best > -MIN_WIN_VALUE && !position.is_noisy(mv)
    }

    /// What moves that are left out are worth at most, as far as is known.
    pub(super) fn value(&self) -> i32 {
        self.hopeless.unwrap_or(-INFINITE)
    }
}

impl<G: Searchable> AlphaBeta<'_, G> {
    /// Plies by which a node is searched deeper: one where a threat is to be met.
    pub(super) fn extension(&self, node: &DepthFirstNode<'_, G>) -> u32 {
        let extends =
            self.enhancements.extensions && node.is_threatened && self.may_extend_at(node.ply);
        extends.into()
    }

    /// Whether the only move of a node costs no depth. A threat has been paid for already.
    pub(super) fn extends_only_moves(&self, node: &DepthFirstNode<'_, G>) -> bool {
        self.enhancements.extensions && !node.is_threatened && self.may_extend_at(node.ply)
    }

    /// Whether a line of so many plies may still be extended.
    fn may_extend_at(&self, ply: u32) -> bool {
        ply < (2 * self.root_depth).min(MAX_EXTENDED_PLIES)
    }

    /// Plies less for a deep node whose best move nobody knows: the next iteration will know it.
    pub(super) fn reduction_without_move(&self, depth: u32, has_move: bool) -> u32 {
        let reduces = self.enhancements.reductions
            && G::QUIET_SWING.is_some()
            && self.enhancements.hash_move
            && self.memory.table.is_some()
            && !has_move
            && depth >= MIN_UNKNOWN_DEPTH;
        reduces.into()
    }

    /// The static evaluation of a node where it decides what is cut off or left out; `None` elsewhere.
    pub(super) fn judgement(&self, node: &DepthFirstNode<'_, G>, window: Window) -> Option<i32> {
        let decides = (self.enhancements.futility || self.enhancements.null_move)
            && !node.is_threatened
            && window.is_scout()
            && window.beta.abs() < G::QUIET_SWING.unwrap_or(0) * DECIDED_SWINGS;
        decides.then(|| self.state.evaluator.static_evaluation(node.position))
    }

    /// A value at or above beta without looking at moves: far ahead near the horizon, or with a pass. The outer `None` says that
    /// the budget is exhausted.
    pub(super) fn cut_without_moves(
        &mut self,
        node: &DepthFirstNode<'_, G>,
        window: Window,
        judged: Option<i32>,
    ) -> Option<Option<i32>> {
        let (futility, passes) = (self.enhancements.futility, self.enhancements.null_move);
        let (Some(judged), Some(swing)) = (judged, G::QUIET_SWING) else {
            return Some(None);
        };
        let ahead = judged - window.beta;
        if futility && node.depth <= MAX_AHEAD_DEPTH && ahead >= swing * node.depth as i32 {
            return Some(Some(window.beta + ahead));
        }
        if !passes || node.depth < MIN_NULL_DEPTH || node.is_after_pass || ahead < 0 {
            return Some(None);
        }
        let Some(passed) = node.position.null_move() else {
            return Some(None);
        };
        if self.state.is_exhausted() {
            return None;
        }
        let reduction = 3 + node.depth / 4 + (ahead / (2 * swing)).min(2) as u32;
        let depth = node.depth.saturating_sub(reduction + 1);
        let child = self.state.descend_by_pass(node, passed, depth);
        let value = self.search(&child.node(), window.negated());
        let value = self.state.ascend(&child, value)?;
        // A win after a pass is not proven.
        Some((value >= window.beta).then_some(value.min(MIN_WIN_VALUE - 1)))
    }

    /// Which quiet moves of a node are left out.
    pub(super) fn futility(
        &self,
        node: &DepthFirstNode<'_, G>,
        window: Window,
        judged: Option<i32>,
    ) -> Futility {
        let (true, Some(judged), Some(swing)) =
            (self.enhancements.futility, judged, G::QUIET_SWING)
        else {
            return Futility::NONE;
        };
        let depth = node.depth as i32;
        let hopeful = judged + swing * (depth + 1);
        Futility {
            late_index: match node.depth <= MAX_LATE_DEPTH {
                true => 4 + (depth * depth) as usize * 2,
                false => usize::MAX,
            },
            hopeless: (node.depth <= MAX_BEHIND_DEPTH && hopeful <= window.alpha)
                .then_some(hopeful),
        }
    }

    /// Plies by which a move is searched less deeply at first.
    pub(super) fn reduction(
        &self,
        parent: &DepthFirstNode<'_, G>,
        mv: G::Move,
        index: usize,
        child: &ChildStep<G>,
        window: Window,
    ) -> u32 {
        let reduces = self.enhancements.reductions
            && G::QUIET_SWING.is_some()
            && parent.depth >= MIN_REDUCED_DEPTH
            && index >= MIN_REDUCED_INDEX
            && window.alpha > -MIN_WIN_VALUE
            && !parent.is_threatened
            && !child.is_threatened
            && !parent.position.is_noisy(mv);
        if !reduces {
            return 0;
        }
        let plies = REDUCTIONS[parent.depth.min(63) as usize][index.min(63)];
        let less = u32::from(!window.is_scout());
        u32::from(plies)
            .saturating_sub(less)
            .min(child.depth.saturating_sub(1))
    }
}
