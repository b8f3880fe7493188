//! Alpha-beta search with null windows, which tell whether a score is above `alpha`; a few of them narrow it down.
//!
//! Follows Pascal Pons' solver (2015) in score, move order and null windows. Beyond it: a table that grows, enhanced transposition
//! cut-offs, replies that lose found one ply earlier, bounds by pairing strategies, and sequences of forced moves without the
//! table.

use super::{
    board::{Board, CELLS, mirrored, winning_cells},
    follow_up,
    order::{OrderedMoves, centre_first},
    table::{Bounds, Hash, Table},
};
use crate::search::exact::{
    crew::InProgress,
    node_counter::{NodeCounter, Stopped},
};

/// The limits are polled after so many nodes, about 20 microseconds.
const POLL_INTERVAL: u64 = 256;
/// From so many stones on, the table is not asked for the positions after each move: the subtrees are small.
const MAX_STONES_FOR_CUT_OFFS: u32 = 34;
/// Up to so many stones a position and its mirror image share an entry of the table. Later, hardly any two meet.
const MAX_STONES_FOR_MIRRORING: u32 = 10;

/// Threads share the work on positions with fewer stones. Later the subtrees are small.
const MAX_STONES_FOR_SHARING: u32 = 24;

/// One search on a table that others may share.
pub(super) struct Negamax<'a> {
    table: &'a Table,
    pub(super) counter: NodeCounter<'a>,
    /// What other threads search now; none with one thread.
    in_progress: Option<&'a InProgress>,
    /// Work is shared on positions with fewer stones; 0 with one thread.
    shared_below: u32,
}

/// The greatest score with `stones` on the board when the player to move cannot win at once.
#[inline(always)]
fn max_score(stones: u32) -> i32 {
    (CELLS as i32 - 1 - stones as i32) / 2
}

/// The least score with `stones` on the board when some move does not lose at once.
#[inline(always)]
fn min_score(stones: u32) -> i32 {
    -((CELLS as i32 - 2 - stones as i32) / 2)
}

/// The position's place in the table.
#[inline(always)]
fn hash(board: &Board) -> Hash {
    if board.stones > MAX_STONES_FOR_MIRRORING {
        return Hash::new(board.key());
    }
    let image = mirrored(board.own) + mirrored(board.occupied);
    Hash::new(board.key().min(image))
}

/// The score of a position that is decided by the next two stones or by a full board.
fn trivial_score(board: &Board) -> Option<i32> {
    let left = (CELLS - board.stones) as i32;
    if left == 0 {
        return Some(0);
    }
    if board.can_win_at_once() {
        return Some((left + 1) / 2);
    }
    let is_lost = board.safe_moves(winning_cells(board.opponent(), board.occupied)) == 0;
    (is_lost && left > 1).then_some(-(left / 2))
}

impl<'a> Negamax<'a> {
    pub(super) fn new(table: &'a Table, is_exhausted: &'a mut dyn FnMut(u64) -> bool) -> Self {
        Self {
            table,
            counter: NodeCounter::new(is_exhausted),
            in_progress: None,
            shared_below: 0,
        }
    }

    /// The same search, which shares the work with others on the same table.
    pub(super) fn sharing(self, in_progress: Option<&'a InProgress>) -> Self {
        Self {
            in_progress,
            shared_below: MAX_STONES_FOR_SHARING,
            ..self
        }
    }

    /// The score of a position in which nobody has won.
    pub(super) fn score(&mut self, board: &Board) -> Result<i32, Stopped> {
        if let Some(score) = trivial_score(board) {
            return Ok(score);
        }
        let mut lower = min_score(board.stones);
        let mut upper = max_score(board.stones);
        // Quick wins and losses first, as they are cheap to find; then whether it is a win, draw or loss; then the score, from
        // the draw outwards.
        let (most, least) = (upper + 1, lower - 1);
        let mut cheap_tests = [most * 3 / 4, most / 2, least * 3 / 4, least / 2].into_iter();
        while lower < upper {
            let alpha = if lower < 0 && upper > 0 {
                let test = cheap_tests.find(|test| (lower..upper).contains(test));
                test.unwrap_or(0)
            } else if lower >= 0 {
                lower + (upper - lower) / 3
            } else {
                upper - 1 - (upper - 1 - lower) / 3
            };
            let bound = self.bound(board, alpha)?;
            if bound > alpha {
                lower = bound;
            } else {
                upper = bound;
            }
        }
        Ok(lower)
    }

    /// True if the score of a position in which nobody has won is above `alpha`.
    pub(super) fn is_above(&mut self, board: &Board, alpha: i32) -> Result<bool, Stopped> {
        match trivial_score(board) {
            Some(score) => Ok(score > alpha),
            None => Ok(self.bound(board, alpha)? > alpha),
        }
    }

    /// A bound of the score of a position that is not trivial: a lower bound above `alpha`, or an upper bound.
    fn bound(&mut self, board: &Board, alpha: i32) -> Result<i32, Stopped> {
        let moves = board.safe_moves(winning_cells(board.opponent(), board.occupied));
        let bound = self.search(*board, moves, alpha);
        self.counter.result(bound)
    }

    /// A bound of the score of a position with `moves` that do not lose at once: a lower bound above `alpha`, or an upper bound.
    /// Meaningless once the search is stopped. Plays forced moves until there is a choice.
    fn search(&mut self, mut board: Board, mut moves: u64, mut alpha: i32) -> i32 {
        let mut sign = 1;
        loop {
            if self.counter.count::<POLL_INTERVAL>() || board.stones >= CELLS - 2 {
                return 0;
            }
            let (min, max) = (min_score(board.stones), max_score(board.stones));
            if alpha < min {
                return sign * min;
            }
            if alpha >= max {
                return sign * max;
            }
            if moves & (moves - 1) != 0 {
                return sign * self.search_choice(&board, moves, alpha);
            }
            let child = board.child(moves);
            if child.replies == 0 {
                return sign * max;
            }
            alpha = -alpha - 1;
            sign = -sign;
            if let Some(bound) = follow_up::upper_bound(&child.board, child.threats, alpha) {
                return sign * bound;
            }
            (board, moves) = (child.board, child.replies);
        }
    }

    /// [`Self::search`] of a position with several moves.
    fn search_choice(&mut self, board: &Board, moves: u64, alpha: i32) -> i32 {
        let first_node = self.counter.nodes;
        let hash = hash(board);
        let known = self.table.get(hash);
        if known.lower > alpha {
            return known.lower;
        }
        if known.upper <= alpha {
            return known.upper;
        }
        let mut ordered = OrderedMoves::default();
        for mv in centre_first(moves) {
            let child = board.child(mv);
            if child.replies == 0 {
                return max_score(board.stones);
            }
            if let Some(bound) = follow_up::upper_bound(&child.board, child.threats, -alpha - 1) {
                self.store(hash, -bound, known.upper, 0);
                return -bound;
            }
            ordered.insert(mv, &child, alpha);
        }
        if let Some(lower) = self.transposition_cut_off(board, &ordered, alpha) {
            self.store(hash, lower, known.upper, 0);
            return lower;
        }
        let best = match self.in_progress {
            Some(others) if board.stones < self.shared_below => {
                self.best_of_shared(board, &ordered, alpha, hash, others)
            }
            _ => self.best_of(board, &ordered, alpha),
        };
        if self.counter.is_stopped {
            return 0;
        }
        let nodes = self.counter.nodes - first_node;
        if best > alpha {
            self.store(hash, best, known.upper, nodes);
            return best;
        }
        let upper = best.min(known.upper);
        self.store(hash, known.lower, upper, nodes);
        upper
    }

    /// The greatest bound of the moves, or the first above `alpha`. Meaningless once the search is stopped.
    #[inline(always)]
    fn best_of(&mut self, board: &Board, ordered: &OrderedMoves, alpha: i32) -> i32 {
        let mut best = i32::MIN;
        for reply in ordered.as_slice() {
            let score = -self.search(reply.play(board), reply.replies, -alpha - 1);
            if self.counter.is_stopped || score > alpha {
                return score;
            }
            best = best.max(score);
        }
        best
    }

    /// [`Self::best_of`] of a position that `others` may search, too: moves that another thread searches now come last, and what
    /// another thread has found out about the position meanwhile ends the loop.
    fn best_of_shared(
        &mut self,
        board: &Board,
        ordered: &OrderedMoves,
        alpha: i32,
        hash: Hash,
        others: &InProgress,
    ) -> i32 {
        let mut best = i32::MIN;
        let mut put_off = OrderedMoves::default();
        for may_put_off in [true, false] {
            let moves = if may_put_off {
                ordered
            } else {
                &put_off.clone()
            };
            for reply in moves.as_slice() {
                let child = reply.play(board);
                let child_hash = self::hash(&child);
                if may_put_off && best > i32::MIN && others.contains(child_hash) {
                    put_off.push(*reply);
                    continue;
                }
                others.enter(child_hash);
                let score = -self.search(child, reply.replies, -alpha - 1);
                others.leave(child_hash);
                if self.counter.is_stopped || score > alpha {
                    return score;
                }
                best = best.max(score);
                let known = self.table.get(hash);
                if known.lower > alpha {
                    return known.lower;
                }
                if known.upper <= alpha {
                    return known.upper;
                }
            }
        }
        best
    }

    /// Enhanced transposition cut-off: a lower bound above `alpha` by what the table knows of the positions after the moves.
    #[inline(always)]
    fn transposition_cut_off(
        &self,
        board: &Board,
        ordered: &OrderedMoves,
        alpha: i32,
    ) -> Option<i32> {
        if board.stones >= MAX_STONES_FOR_CUT_OFFS {
            return None;
        }
        let in_table = (ordered.as_slice().iter()).filter(|reply| !reply.is_answer_forced());
        in_table
            .map(|reply| -self.table.get(hash(&reply.play(board))).upper)
            .find(|&lower| lower > alpha)
    }

    #[inline(always)]
    fn store(&mut self, hash: Hash, lower: i32, upper: i32, nodes: u64) {
        if self.table.put(hash, Bounds { lower, upper }, nodes) {
            self.table.grow(&mut || self.counter.is_exhausted());
        }
    }
}
