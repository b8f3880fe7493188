//! Hints a game may give to make searches faster.

use super::{Game, Outcome};
use crate::rng::Rng;

/// Faster ways to do what the rules in [`Game`] already allow. Everything has a default: a game that states nothing is searched
/// correctly, only slower. Overrides keep the results, and random moves their distribution.
pub trait SearchHints: Game {
    /// True if generating the moves is faster than a cache miss: searches then generate them again instead of loading them.
    const HAS_FAST_MOVE_GENERATION: bool = true;

    /// Number of values of [`Self::reply_context`].
    const REPLY_CONTEXTS: usize = 1 << Self::MOVE_BITS;

    /// The key under which last-good-reply playouts store replies to `mv` played here, below [`Self::REPLY_CONTEXTS`]: the move's
    /// code, or its effect on the board where that is more specific.
    #[inline(always)]
    fn reply_context(&self, mv: Self::Move) -> usize {
        Self::move_to_bits(mv).into()
    }

    /// [`Game::outcome`] of a position without legal moves, which need not be checked again.
    #[inline(always)]
    fn final_outcome(&self) -> Outcome {
        self.outcome().unwrap_or(Outcome::Draw)
    }

    /// A uniformly random legal move; `None` exactly when the game is over.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        (!moves.is_empty()).then(|| moves[rng.below(moves.len() as u32) as usize])
    }

    /// Plays a uniformly random legal move; false, and nothing is played, exactly when the game is over.
    #[inline(always)]
    fn play_random(&mut self, rng: &mut Rng) -> bool {
        match self.random_move(rng) {
            Some(mv) => {
                self.play(mv);
                true
            }
            None => false,
        }
    }

    /// Repeats [`Self::play_random`] until the game is over; returns the number of plies.
    #[inline(always)]
    fn play_out(&mut self, rng: &mut Rng) -> u32 {
        let mut plies = 0;
        while self.play_random(rng) {
            plies += 1;
        }
        plies
    }

    /// The number of moves that [`Game::perft_moves`] lists.
    fn perft_count(&self) -> u64 {
        let mut moves = Vec::new();
        self.perft_moves(&mut moves);
        moves.len() as u64
    }
}
