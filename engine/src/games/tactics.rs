//! What a game tells a searcher about its moves: which to try first, which cannot wait, when passing is a fair question.

use super::Game;

/// Knowledge that makes alpha-beta faster or its leaves quieter. Everything has a default: a game that states nothing is
/// searched correctly, only slower.
pub trait Tactics: Game {
    /// Number of values of [`Self::history_slot`].
    const HISTORY_SLOTS: usize = 1 << Self::MOVE_BITS;

    /// How far an evaluation may change in one quiet ply, in its units: a position that is further ahead is not searched near the
    /// horizon. `None` where quiet moves decide games.
    const QUIET_SWING: Option<i32> = None;

    /// The slot of the history heuristic that a move falls into, below [`Self::HISTORY_SLOTS`].
    #[inline(always)]
    fn history_slot(mv: Self::Move) -> usize {
        Self::move_to_bits(mv).into()
    }

    /// The key of the transposition table: as [`Game::key`], but counters that cannot end the game within `depth` plies may be
    /// left out.
    #[inline(always)]
    fn table_key(&self, depth: u32) -> u64 {
        let _ = depth;
        self.key()
    }

    /// Clears `out`, then fills it with the legal moves of an unfinished game, in any order that is always the same.
    #[inline(always)]
    fn unordered_moves(&self, out: &mut Vec<Self::Move>) {
        self.legal_moves(out);
    }

    /// Where a legal move stands among the moves of the position, the largest first. `depth` plies are left to search: with more
    /// of them, more time may be spent on the order. The history heuristic adds -[`MAX_HISTORY`] to [`MAX_HISTORY`].
    fn move_order(&self, mv: Self::Move, depth: u32) -> i32 {
        let _ = (mv, depth);
        0
    }

    /// Whether a legal move changes the evaluation at once, such as a capture: neither killers nor history hold it, and it is
    /// never reduced.
    #[inline(always)]
    fn is_noisy(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// Clears `out`, then fills it with the legal moves that must be seen before the position can be evaluated.
    fn quiescence_moves(&self, out: &mut Vec<Self::Move>) {
        out.clear();
    }

    /// Whether the player to move is in check or faces a threat that a quiet move would lose to.
    #[inline(always)]
    fn is_threatened(&self) -> bool {
        false
    }

    /// Clears `out`, then fills it with the legal moves that can meet the threat, in a position that [`Self::is_threatened`]: a
    /// move that is left out is no better than one that is in.
    fn replies_to_threat(&self, out: &mut Vec<Self::Move>) {
        self.legal_moves(out);
    }

    /// The position after a pass, where one that is worse than passing would be rare; `None` elsewhere, and in games in
    /// which having to move can be a burden.
    fn null_move(&self) -> Option<Self> {
        None
    }
}

/// Bound of what the history heuristic adds to [`Tactics::move_order`].
pub const MAX_HISTORY: i32 = 1 << 13;
