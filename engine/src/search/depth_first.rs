//! What minimax and alpha-beta share: the state of a depth-first search, and the step to a child and back.

use super::{
    budget::SearchBudget,
    classical::{Evaluator, NodeCounts},
    tree_recorder::{NodeHandle, TreeRecorder},
};
use crate::{
    games::{Game, History, SearchHints},
    rng::mix,
};

/// State shared by all plies of a depth-first search.
pub(super) struct DepthFirst<'a, G: Game> {
    pub(super) evaluator: &'a Evaluator<G>,
    pub(super) budget: &'a mut SearchBudget,
    pub(super) history: &'a mut History,
    pub(super) recorder: &'a mut TreeRecorder<G>,
    pub(super) counts: &'a mut NodeCounts,
    /// How repetitions are judged.
    pub(super) repetitions: Repetitions,
}

/// How a search judges repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repetitions {
    /// The third occurrence is a draw. Nothing else is known of repetitions.
    ThirdIsDraw,
    /// The same, and nodes have [`DepthFirstNode::repeated`].
    ThirdIsDrawTracked,
    /// The second occurrence on the search path is a draw, too; the path begins at this mark of the history.
    SecondIsDraw(usize),
}

/// A position to be searched.
pub(super) struct DepthFirstNode<'a, G> {
    pub(super) position: &'a G,
    /// Plies left to search.
    pub(super) depth: u32,
    /// Plies from the root.
    pub(super) ply: u32,
    pub(super) handle: NodeHandle,
    /// Whether the position is a draw by repetition; only if repetitions are tracked.
    pub(super) is_repetition: bool,
    /// Which positions of game and path have occurred twice, as a key; 0 if none has. On these alone a draw by repetition in the
    /// next few plies depends.
    pub(super) repeated: u64,
    /// Whether a threat is to be met ([`crate::games::Tactics::is_threatened`]); false if threats are not looked for.
    pub(super) is_threatened: bool,
    /// Whether a pass led here.
    pub(super) is_after_pass: bool,
}

/// A child on the current path; see [`DepthFirst::descend`].
pub(super) struct ChildStep<G> {
    pub(super) position: G,
    pub(super) depth: u32,
    pub(super) ply: u32,
    pub(super) handle: NodeHandle,
    /// Whether its player made the move that led here: an extra turn, which keeps the sign of a value.
    pub(super) has_same_player: bool,
    pub(super) is_threatened: bool,
    is_after_pass: bool,
    is_repetition: bool,
    repeated: u64,
    history_mark: usize,
    first_node: u64,
}

impl<G> ChildStep<G> {
    /// The child as a node to be searched to its own depth.
    #[inline]
    pub(super) fn node(&self) -> DepthFirstNode<'_, G> {
        self.node_at(self.depth)
    }

    /// The child as a node to be searched to another depth.
    #[inline]
    pub(super) fn node_at(&self, depth: u32) -> DepthFirstNode<'_, G> {
        DepthFirstNode {
            position: &self.position,
            depth,
            ply: self.ply,
            handle: self.handle,
            is_repetition: self.is_repetition,
            repeated: self.repeated,
            is_threatened: self.is_threatened,
            is_after_pass: self.is_after_pass,
        }
    }

    /// A value for the child's player to move as the player who made the move sees it, and the other way round.
    #[inline(always)]
    pub(super) fn flip(&self, value: i32) -> i32 {
        if self.has_same_player { value } else { -value }
    }
}

impl<G: Game + SearchHints> DepthFirst<'_, G> {
    /// The value of a finished game, or the static evaluation at depth 0; `None` for inner nodes.
    #[inline]
    pub(super) fn leaf_value(&mut self, node: &DepthFirstNode<'_, G>) -> Option<i32> {
        let &DepthFirstNode {
            position,
            depth,
            ply,
            ..
        } = node;
        (self.evaluator).leaf_value(position, self.history, ply, depth, self.counts)
    }

    /// The value of a finished game; `None` if it continues.
    #[inline]
    pub(super) fn terminal_value(&mut self, node: &DepthFirstNode<'_, G>) -> Option<i32> {
        let value = match self.repetitions {
            Repetitions::ThirdIsDraw => {
                (self.evaluator).terminal_value(node.position, self.history, node.ply)
            }
            _ => self
                .evaluator
                .outcome_value(node.position, node.ply)
                .or(node.is_repetition.then_some(0)),
        };
        self.counts.leaves += u64::from(value.is_some());
        value
    }

    /// The static evaluation at the horizon.
    #[inline]
    pub(super) fn horizon_value(&mut self, node: &DepthFirstNode<'_, G>) -> i32 {
        self.counts.reached_horizon = true;
        self.counts.leaves += 1;
        self.evaluator.static_evaluation(node.position)
    }

    #[inline]
    pub(super) fn is_exhausted(&mut self) -> bool {
        self.budget.is_exhausted(self.counts.nodes)
    }

    /// Plays a move: counts and records the node, and adds its position to the history until [`Self::ascend`].
    #[inline]
    pub(super) fn descend(&mut self, parent: &DepthFirstNode<'_, G>, mv: G::Move) -> ChildStep<G> {
        let mut position = parent.position.clone();
        position.play(mv);
        self.counts.nodes += 1;
        let handle = self.recorder.enter(parent.handle, mv);
        let history_mark = self.history.mark();
        self.history.push_search_position(&position);
        let (is_repetition, repeated) = self.find_repetition(&position, parent.repeated);
        ChildStep {
            has_same_player: position.to_move() == parent.position.to_move(),
            position,
            depth: parent.depth.saturating_sub(1),
            ply: parent.ply + 1,
            handle,
            is_threatened: false,
            is_after_pass: false,
            is_repetition,
            repeated,
            history_mark,
            first_node: self.counts.nodes,
        }
    }

    /// Passes: `position` is the parent's after a null move, which no tree shows.
    pub(super) fn descend_by_pass(
        &mut self,
        parent: &DepthFirstNode<'_, G>,
        position: G,
        depth: u32,
    ) -> ChildStep<G> {
        self.counts.nodes += 1;
        ChildStep {
            has_same_player: false,
            position,
            depth,
            ply: parent.ply + 1,
            handle: NodeHandle::NONE,
            is_threatened: false,
            is_after_pass: true,
            is_repetition: false,
            repeated: parent.repeated,
            history_mark: self.history.mark(),
            first_node: self.counts.nodes,
        }
    }

    /// Whether the latest position is a draw by repetition, and the key of the positions that have occurred twice.
    #[inline]
    fn find_repetition(&self, position: &G, repeated: u64) -> (bool, u64) {
        if self.repetitions == Repetitions::ThirdIsDraw || position.is_irreversible() {
            return (false, repeated);
        }
        let Some(key) = position.repetition_key() else {
            return (false, repeated);
        };
        let start = match self.repetitions {
            Repetitions::SecondIsDraw(start) => start,
            _ => usize::MAX,
        };
        match self.history.latest_repetition(start) {
            (1, _) => (false, repeated),
            (2, is_on_path) => (is_on_path, repeated ^ mix(key)),
            _ => (true, repeated),
        }
    }

    /// Goes back to the parent with the value for the child's player to move; `None` if the budget was exhausted. Returns the
    /// value for the player who made the move.
    #[inline]
    pub(super) fn ascend(&mut self, child: &ChildStep<G>, value: Option<i32>) -> Option<i32> {
        self.history.truncate_to(child.history_mark);
        let value = value?;
        let nodes = self.counts.nodes - child.first_node + 1;
        let player = child.position.to_move();
        self.recorder.leave(child.handle, value, player, nodes);
        Some(child.flip(value))
    }
}
