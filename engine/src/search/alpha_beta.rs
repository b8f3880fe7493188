//! Alpha-beta, fail-soft: what cannot matter is not looked at.
//!
//! The contract of the value that a window (alpha, beta) gives, for the player to move:
//! at or below alpha, the true value is at most that; at or above beta, at least that; in between, it is exact.

use super::{
    budget::Budget,
    classical::{Judge, Tally},
    recorder::{Entry, Recorder},
};
use crate::games::{Game, History, evaluate::WIN};

/// No value lies beyond.
pub(super) const INFINITE: i32 = WIN + 1;

/// What a run of alpha-beta shares between its levels.
pub(super) struct AlphaBeta<'a, G: Game> {
    pub(super) judge: &'a Judge<G>,
    pub(super) budget: &'a mut Budget,
    pub(super) history: &'a mut History,
    pub(super) recorder: &'a mut Recorder<G>,
    pub(super) tally: &'a mut Tally,
    /// A list of moves and a best line for every level, used again and again.
    pub(super) levels: &'a mut Vec<Level<G::Move>>,
}

/// What one level keeps.
pub(super) struct Level<M> {
    moves: Vec<M>,
    line: Vec<M>,
}

impl<M> Default for Level<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            line: Vec::new(),
        }
    }
}

impl<G: Game> AlphaBeta<'_, G> {
    /// The value of `position` for the player to move; none if time ran out. The line is left in level `ply`.
    fn value(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        mut alpha: i32,
        beta: i32,
        entry: Entry,
    ) -> Option<i32> {
        let level = ply as usize;
        if self.levels.len() <= level + 1 {
            self.levels.resize_with(level + 2, Level::default);
        }
        self.levels[level].line.clear();
        let leaf = self
            .judge
            .at_leaf(position, self.history, ply, depth, self.tally);
        if leaf.is_some() {
            return leaf;
        }
        let mut moves = std::mem::take(&mut self.levels[level].moves);
        position.legal_moves(&mut moves);
        let mut best = -INFINITE;
        let mut found = true;
        for (index, &mv) in moves.iter().enumerate() {
            if self.budget.is_over(self.tally.nodes) {
                found = false;
                break;
            }
            let Some(value) = self.child(position, mv, depth, ply, alpha, beta, entry) else {
                found = false;
                break;
            };
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    let (above, below) = self.levels.split_at_mut(level + 1);
                    above[level].line.clear();
                    above[level].line.push(mv);
                    above[level].line.extend_from_slice(&below[0].line);
                }
                if best >= beta {
                    self.recorder.cut(entry, &moves[index + 1..]);
                    break;
                }
            }
        }
        self.levels[level].moves = moves;
        found.then_some(best)
    }

    /// The value of a move for the player who makes it.
    #[expect(
        clippy::too_many_arguments,
        reason = "a window, a place and a position are what alpha-beta is about"
    )]
    pub(super) fn child(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: u32,
        ply: u32,
        alpha: i32,
        beta: i32,
        entry: Entry,
    ) -> Option<i32> {
        let mut after = position.clone();
        after.play(mv);
        self.tally.nodes += 1;
        let begun = self.tally.nodes;
        let here = self.recorder.enter(entry, mv);
        let mark = self.history.mark();
        self.history.note(&after);
        // An extra turn looks through the same window, the opponent through the reversed one.
        let same = after.to_move() == position.to_move();
        let (low, high) = if same { (alpha, beta) } else { (-beta, -alpha) };
        let found = self.value(&after, depth - 1, ply + 1, low, high, here);
        self.history.forget_after(mark);
        let value = found?;
        self.recorder
            .leave(here, value, after.to_move(), self.tally.nodes - begun + 1);
        Some(if same { value } else { -value })
    }

    /// The line that was left at a level.
    pub(super) fn line(&self, ply: u32) -> &[G::Move] {
        self.levels
            .get(ply as usize)
            .map_or(&[], |level| &level.line)
    }
}
