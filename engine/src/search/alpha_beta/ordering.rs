//! The order in which moves are searched: the table's move, what the game thinks, killers, history.

use super::Enhancements;
use crate::games::{Game, Player, tactics::MAX_HISTORY};
use crate::search::Searchable;

/// Killers come after moves that the game ranks highly, such as good captures, and before the others.
const KILLER_SCORE: i32 = 2 * MAX_HISTORY;
/// Bound of what a single cutoff adds to a move's history.
const MAX_BONUS: i32 = 1_600;

/// Move lists and principal variation of one ply, reused so that inner nodes allocate nothing.
pub(super) struct PlyBuffer<M> {
    pub(super) moves: Vec<M>,
    pub(super) scores: Vec<i32>,
    pub(super) pv: Vec<M>,
    /// The last two quiet moves that caused a cutoff at this ply.
    pub(super) killers: [Option<M>; 2],
}

impl<M> Default for PlyBuffer<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            scores: Vec::new(),
            pv: Vec::new(),
            killers: [None, None],
        }
    }
}

impl<M: Copy + PartialEq> PlyBuffer<M> {
    fn add_killer(&mut self, mv: M) {
        if self.killers[0] != Some(mv) {
            self.killers = [Some(mv), self.killers[0]];
        }
    }
}

/// How often moves caused cutoffs, by player and slot, aged so that late news count more.
pub(super) struct HistoryTable {
    scores: Vec<i16>,
    slots: usize,
}

impl HistoryTable {
    pub(super) fn new(slots: usize) -> Self {
        Self {
            scores: vec![0; 2 * slots],
            slots,
        }
    }

    /// Halves everything: a new search begins.
    pub(super) fn age(&mut self) {
        self.scores.iter_mut().for_each(|score| *score /= 2);
    }

    #[inline(always)]
    fn get(&self, player: Player, slot: usize) -> i32 {
        let score = self.scores.get(player.index() * self.slots + slot);
        score.copied().map_or(0, i32::from)
    }

    /// Moves a score towards [`MAX_HISTORY`] or, for a negative bonus, away from it, the less the nearer it is.
    fn add(&mut self, player: Player, slot: usize, bonus: i32) {
        if let Some(score) = self.scores.get_mut(player.index() * self.slots + slot) {
            let old = i32::from(*score);
            *score = (old + bonus - old * bonus.abs() / MAX_HISTORY) as i16;
        }
    }
}

/// What the order of moves rests on, apart from the position.
pub(super) struct OrderKnowledge<M> {
    pub(super) hash_move: Option<M>,
    pub(super) killers: [Option<M>; 2],
}

/// Scores all moves of a position into `scores`.
pub(super) fn score_moves<G: Searchable>(
    enhancements: &Enhancements,
    history: &HistoryTable,
    position: &G,
    depth: u32,
    known: &OrderKnowledge<G::Move>,
    (moves, scores): (&[G::Move], &mut Vec<i32>),
) {
    scores.clear();
    let player = position.to_move();
    scores.extend(moves.iter().map(|&mv| {
        if known.hash_move == Some(mv) {
            return i32::MAX;
        }
        let mut score = match enhancements.move_order {
            true => position.move_order(mv, depth),
            false => 0,
        };
        if !enhancements.killers && !enhancements.history || position.is_noisy(mv) {
            return score;
        }
        if enhancements.killers && known.killers.contains(&Some(mv)) {
            score += KILLER_SCORE + i32::from(known.killers[0] == Some(mv));
        }
        if enhancements.history {
            score += history.get(player, G::history_slot(mv));
        }
        score
    }));
}

/// Puts the best of the moves from `index` on at `index`; of equals the first.
#[inline(always)]
pub(super) fn select_next<M>(moves: &mut [M], scores: &mut [i32], index: usize) {
    let mut best = index;
    for other in index + 1..scores.len() {
        if scores[other] > scores[best] {
            best = other;
        }
    }
    // A rotation keeps the order of equals.
    moves[index..=best].rotate_right(1);
    scores[index..=best].rotate_right(1);
}

/// Remembers that a quiet move caused a cutoff after those before it had not.
pub(super) fn record_cutoff<G: Game + crate::games::Tactics>(
    enhancements: &Enhancements,
    history: &mut HistoryTable,
    buffer: &mut PlyBuffer<G::Move>,
    position: &G,
    (mv, depth): (G::Move, u32),
    before: &[G::Move],
) {
    let player = position.to_move();
    let bonus = (depth * depth * 8).min(MAX_BONUS as u32) as i32;
    if enhancements.history {
        for &mv in before.iter().filter(|&&mv| !position.is_noisy(mv)) {
            history.add(player, G::history_slot(mv), -bonus);
        }
    }
    if position.is_noisy(mv) {
        return;
    }
    if enhancements.killers {
        buffer.add_killer(mv);
    }
    if enhancements.history {
        history.add(player, G::history_slot(mv), bonus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_keeps_the_order_of_equals() {
        let (mut moves, mut scores) = (['a', 'b', 'c', 'd', 'e'], [1, 3, 1, 3, 1]);
        for index in 0..moves.len() {
            select_next(&mut moves, &mut scores, index);
        }
        assert_eq!(moves, ['b', 'd', 'a', 'c', 'e']);
    }

    #[test]
    fn history_stays_within_its_bounds() {
        let mut history = HistoryTable::new(4);
        for _ in 0..1000 {
            history.add(Player::First, 1, MAX_BONUS);
            history.add(Player::Second, 1, -MAX_BONUS);
        }
        let [first, second] = [Player::First, Player::Second].map(|player| history.get(player, 1));
        assert!(first > MAX_HISTORY / 2 && first <= MAX_HISTORY, "{first}");
        assert!(
            (-MAX_HISTORY..-MAX_HISTORY / 2).contains(&second),
            "{second}"
        );
        assert_eq!(history.get(Player::First, 0), 0);
    }
}
