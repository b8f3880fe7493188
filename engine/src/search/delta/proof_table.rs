//! The prover's table: which boards are won, or not, within how many plies.

use std::sync::atomic::Ordering;

use crate::search::exact::growing_words::GrowingWords;

/// A question: whether the attacker wins a board within some plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question(u64);

impl Question {
    /// `board` has 50 bits, the mover's stones low.
    #[inline(always)]
    pub(super) fn new(board: u64, attacker_to_move: bool) -> Self {
        Self(board | u64::from(attacker_to_move) << BOARD_BITS)
    }
}

const BOARD_BITS: u32 = 50;
const QUESTION_MASK: u64 = (1 << (BOARD_BITS + 1)) - 1;
const WON_BIT: u32 = 51;
/// Half the plies: a win of the attacker takes an odd number of them if it is to move, else an even one.
const HALF_PLIES_BIT: u32 = 52;
const HALF_PLIES_MASK: u64 = 0x7f;
/// The binary logarithm of the nodes the answer took, from 1: an entry is never 0.
const WORK_BIT: u32 = 59;
const MAX_WORK: u64 = 31;

/// Entries of exact keys, two in a bucket: the first keeps what took more work, the second what came last.
#[derive(Debug)]
pub(super) struct ProofTable {
    pub(super) words: GrowingWords<2, 1>,
}

impl ProofTable {
    /// A table of at most `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            words: GrowingWords::new(bytes),
        }
    }

    #[inline(always)]
    fn bucket_of(&self, question: u64) -> usize {
        let mixed = question.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        self.words.bucket_of(mixed)
    }

    /// Whether the attacker wins within `plies`, as far as that is known.
    #[inline(always)]
    pub(super) fn answer(&self, question: Question, plies: u32) -> Option<bool> {
        let bucket = self.bucket_of(question.0);
        let half_plies = u64::from(plies / 2);
        [bucket, bucket + 1].into_iter().find_map(|index| {
            let entry = self.words.load(index);
            let won = entry >> WON_BIT & 1 == 1;
            let bound = entry >> HALF_PLIES_BIT & HALF_PLIES_MASK;
            let decides = if won {
                half_plies >= bound
            } else {
                half_plies <= bound
            };
            (entry != 0 && entry & QUESTION_MASK == question.0 && decides).then_some(won)
        })
    }

    /// Notes whether the attacker wins within `plies`, and how many nodes that took.
    #[inline(always)]
    pub(super) fn store(&mut self, question: Question, plies: u32, won: bool, nodes: u64) {
        let work = u64::from((nodes + 1).ilog2() + 1).min(MAX_WORK);
        let half_plies = u64::from(plies / 2).min(HALF_PLIES_MASK);
        let entry = question.0
            | u64::from(won) << WON_BIT
            | half_plies << HALF_PLIES_BIT
            | work << WORK_BIT;
        self.insert(entry);
        if self.words.should_grow() {
            self.grow();
        }
    }

    #[inline(always)]
    fn insert(&mut self, entry: u64) {
        const SAME: u64 = QUESTION_MASK | 1 << WON_BIT;
        let bucket = self.bucket_of(entry & QUESTION_MASK);
        let [first, second] = [bucket, bucket + 1].map(|index| self.words.load(index));
        if first != 0 && (first ^ entry) & SAME == 0 {
            self.words.store(bucket, entry);
        } else if entry >> WORK_BIT >= first >> WORK_BIT {
            self.words.count_entry(first == 0 || second == 0);
            self.words.store(bucket, entry);
            if first != 0 {
                self.words.store(bucket + 1, first);
            }
        } else {
            self.words.count_entry(second == 0);
            self.words.store(bucket + 1, entry);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let old = self.words.grow();
        for word in old.iter().flat_map(|old| old.iter()) {
            match word.load(Ordering::Relaxed) {
                0 => {}
                entry => self.insert(entry),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_hold_for_more_plies_if_won_and_for_fewer_if_not() {
        let mut table = ProofTable::new(1 << 16);
        let [won, lost] = [Question::new(5, true), Question::new(5, false)];
        table.store(won, 7, true, 100);
        table.store(lost, 8, false, 1);
        assert_eq!(table.answer(won, 5), None);
        assert_eq!(table.answer(won, 7), Some(true));
        assert_eq!(table.answer(won, 199), Some(true));
        assert_eq!(table.answer(lost, 8), Some(false));
        assert_eq!(table.answer(lost, 10), None);
        table.store(won, 5, false, 100);
        assert_eq!(table.answer(won, 5), Some(false));
        table.words.clear();
        assert_eq!(table.answer(won, 7), None);
    }

    #[test]
    fn a_table_grows_to_its_limit_and_keeps_answers_on_the_way() {
        let limit = 3 << 20;
        let mut table = ProofTable::new(limit);
        let small = table.words.bytes();
        for board in 0..40_000 {
            table.store(Question::new(board, true), 9, board % 3 == 0, 1);
        }
        assert!(table.words.bytes() > small && table.words.bytes() <= limit);
        let kept = (0..40_000).filter(|&board| {
            let answer = table.answer(Question::new(board, true), 9);
            assert!(answer.is_none_or(|won| won == (board % 3 == 0)), "{board}");
            answer.is_some()
        });
        assert!(kept.count() > 30_000);
        for board in 40_000..2_000_000 {
            table.store(Question::new(board, true), 9, true, 1);
        }
        assert!(table.words.bytes() <= limit);
    }
}
