//! A playout policy whose moves are kept, for growth journals with playouts.

use super::playout::{LastMoves, Playout, RecordablePlayout};
use crate::{games::Game, rng::Rng};

/// Makes the playouts of another policy and keeps the moves of the last one.
pub(super) struct RecordedPlayout<'a, G: Game> {
    policy: &'a mut dyn RecordablePlayout<G>,
    moves: Vec<G::Move>,
    /// True until the moves of the last playout are taken.
    is_fresh: bool,
}

impl<'a, G: Game> RecordedPlayout<'a, G> {
    pub(super) fn new(policy: &'a mut dyn RecordablePlayout<G>) -> Self {
        Self {
            policy,
            moves: Vec::new(),
            is_fresh: false,
        }
    }

    /// The policy to search with: this one if moves are to be kept, else the other itself.
    pub(super) fn policy(&mut self, keeps_moves: bool) -> &mut dyn Playout<G> {
        if keeps_moves { self } else { self.policy }
    }
}

impl<G: Game> Playout<G> for RecordedPlayout<'_, G> {
    fn uses_last_moves(&self) -> bool {
        self.policy.uses_last_moves()
    }

    fn simulate(&mut self, position: &G, last_moves: LastMoves, rng: &mut Rng) -> u64 {
        self.moves.clear();
        self.is_fresh = true;
        (self.policy).simulate_recorded(position, last_moves, rng, &mut self.moves)
    }

    fn take_moves(&mut self) -> Option<&[G::Move]> {
        std::mem::take(&mut self.is_fresh).then_some(&self.moves)
    }

    fn clear(&mut self) {
        self.policy.clear();
    }
}
