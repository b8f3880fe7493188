//! Plain minimax to a fixed depth: every line is followed. Slow and simple, and the measure of the faster searches.

use super::{
    budget::Budget,
    classical::{Judge, Tally},
    recorder::{Entry, Recorder},
};
use crate::games::{Game, History};

/// What a run of minimax shares between its levels.
pub(super) struct Minimax<'a, G: Game> {
    pub(super) judge: &'a Judge<G>,
    pub(super) budget: &'a mut Budget,
    pub(super) history: &'a mut History,
    pub(super) recorder: &'a mut Recorder<G>,
    pub(super) tally: &'a mut Tally,
}

impl<G: Game> Minimax<'_, G> {
    /// The value of `position` for the player to move, and the line that leads to it; none if time ran out.
    pub(super) fn value(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        entry: Entry,
    ) -> Option<(i32, Vec<G::Move>)> {
        let leaf = self
            .judge
            .at_leaf(position, self.history, ply, depth, self.tally);
        if let Some(value) = leaf {
            return Some((value, Vec::new()));
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut best: Option<(i32, Vec<G::Move>)> = None;
        for mv in moves {
            if self.budget.is_over(self.tally.nodes) {
                return None;
            }
            let (value, line) = self.child(position, mv, depth, ply, entry)?;
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                let line = std::iter::once(mv).chain(line).collect();
                best = Some((value, line));
            }
        }
        best
    }

    /// The value of a move for the player who makes it.
    pub(super) fn child(
        &mut self,
        position: &G,
        mv: G::Move,
        depth: u32,
        ply: u32,
        entry: Entry,
    ) -> Option<(i32, Vec<G::Move>)> {
        let mut after = position.clone();
        after.play(mv);
        self.tally.nodes += 1;
        let begun = self.tally.nodes;
        let here = self.recorder.enter(entry, mv);
        let mark = self.history.mark();
        self.history.note(&after);
        let found = self.value(&after, depth - 1, ply + 1, here);
        self.history.forget_after(mark);
        let (value, line) = found?;
        self.recorder
            .leave(here, value, after.to_move(), self.tally.nodes - begun + 1);
        let value = if after.to_move() == position.to_move() {
            value
        } else {
            -value
        };
        Some((value, line))
    }
}
