//! Positions as the solver sees them: the stones in the pits, without the stores, and their numbering.
//!
//! A side is a word with its pits as bytes 0 to 5 from its owner's left. What lies in the stores is settled: the value of a
//! position is the difference that the stones in the pits will still make, for the player to move.

use crate::games::kalah::KalahRules;

/// Pits of a side at most.
pub(super) const MAX_PITS: usize = 6;
/// Stones of a game at most.
pub(super) const MAX_STONES: usize = 72;
/// Byte of a sown side that counts the stones that fell into the store.
const STORE_BYTE: usize = 6;
/// The bytes of the pits.
const PITS_MASK: u64 = (1 << 48) - 1;
/// Where a sowing ends that does not end in a pit or store of the mover.
const ELSEWHERE: u32 = 8;
const ONES: u64 = 0x0101_0101_0101_0101;

/// The stones in one pit.
#[inline(always)]
pub(super) fn stones_in(side: u64, pit: usize) -> usize {
    (side >> (8 * pit)) as usize & 0xff
}

/// The stones of a side.
#[inline(always)]
pub(super) fn stones_of(side: u64) -> usize {
    (side.wrapping_mul(ONES) >> 56) as usize
}

/// The pits in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    /// The side of the player to move.
    pub(super) own: u64,
    /// The other side.
    pub(super) other: u64,
}

impl Board {
    /// All stones in the pits.
    #[inline(always)]
    pub(super) fn stones(self) -> usize {
        stones_of(self.own + self.other)
    }

    /// The value if the game is over: the stones left are their owner's.
    #[inline(always)]
    pub(super) fn final_value(self) -> Option<i32> {
        (self.own == 0 || self.other == 0)
            .then(|| stones_of(self.own) as i32 - stones_of(self.other) as i32)
    }
}

/// What a move leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The position after it, for the player to move there.
    pub(super) board: Board,
    /// Stones that it brings into the mover's store.
    pub(super) gain: i32,
    /// Whether the mover moves again.
    pub(super) moves_again: bool,
}

impl Step {
    /// The value of the move, for the player who moves, by that of the position after it; the same for bounds, with lower and
    /// upper exchanged if the turn passes.
    #[inline(always)]
    pub(super) fn value(&self, after: i32) -> i32 {
        if self.moves_again {
            self.gain + after
        } else {
            self.gain - after
        }
    }
}

/// Stones that a sowing adds to both sides, and byte 7 of `own`: where the last one falls.
#[derive(Clone, Copy)]
struct Sowing {
    own: u64,
    other: u64,
}

/// The rules and tables for boards of one size.
pub(super) struct Layout {
    pub(super) pits: usize,
    pub(super) empty_capture: bool,
    sowings: Box<[[Sowing; MAX_STONES + 1]; MAX_PITS]>,
    /// `choose[i][p]` is C(p + i, i + 1): what a sum of `p` stones in the first i + 1 pits adds to a number. 0 for the last pit
    /// of a side and beyond, for with the stones of the side it is settled.
    side_terms: Box<[[u32; MAX_STONES + 1]; MAX_PITS - 1]>,
    /// The same for both sides together.
    key_terms: Box<[[u64; MAX_STONES + 1]; 2 * MAX_PITS]>,
    /// For each pit, the stones with which it ends in the store, as bytes.
    exact_pattern: u64,
}

/// The binomial coefficient.
pub(super) fn choose(n: usize, k: usize) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) as u64 / (i as u64 + 1))
}

impl Layout {
    pub(super) fn new(rules: KalahRules) -> Self {
        let pits = usize::from(rules.pits).clamp(1, MAX_PITS);
        let mut sowings = Box::new([[Sowing { own: 0, other: 0 }; MAX_STONES + 1]; MAX_PITS]);
        for (pit, row) in sowings.iter_mut().enumerate().take(pits) {
            for (stones, sowing) in row.iter_mut().enumerate().skip(1) {
                *sowing = sow(pits, pit, stones);
            }
        }
        let mut side_terms = Box::new([[0; MAX_STONES + 1]; MAX_PITS - 1]);
        for (pit, row) in side_terms.iter_mut().enumerate().take(pits - 1) {
            for (sum, term) in row.iter_mut().enumerate() {
                *term = choose(sum + pit, pit + 1) as u32;
            }
        }
        let mut key_terms = Box::new([[0; MAX_STONES + 1]; 2 * MAX_PITS]);
        for pit in 0..pits {
            for sum in 0..=MAX_STONES {
                key_terms[pit][sum] = choose(sum + pit, pit + 1);
                key_terms[MAX_PITS + pit][sum] = choose(sum + pits + pit, pits + pit + 1);
            }
        }
        Self {
            pits,
            empty_capture: rules.empty_capture,
            sowings,
            side_terms,
            key_terms,
            exact_pattern: (0..pits)
                .fold(0, |bytes, pit| bytes | ((pits - pit) as u64) << (8 * pit)),
        }
    }

    /// Places of a lap: own pits, own store, the other side's pits.
    pub(super) fn lap(&self) -> usize {
        2 * self.pits + 1
    }

    /// Sides with so many stones.
    pub(super) fn sides(&self, stones: usize) -> usize {
        choose(stones + self.pits - 1, self.pits - 1) as usize
    }

    /// The number of a side among those with as many stones. It falls as stones move to the right.
    #[inline(always)]
    pub(super) fn side_number(&self, side: u64) -> usize {
        let sums = side.wrapping_mul(ONES);
        let terms = &self.side_terms;
        let term =
            |pit: usize| terms[pit][((sums >> (8 * pit)) as usize & 0xff).min(MAX_STONES)] as usize;
        term(0) + term(1) + term(2) + term(3) + term(4)
    }

    /// The number of a position, less than that of any with more stones; below 2^44 up to 60 stones.
    #[inline(always)]
    pub(super) fn key(&self, board: Board) -> u64 {
        let own = board.own.wrapping_mul(ONES);
        let other = board.other.wrapping_mul(ONES) + (own >> 56) * ONES;
        let terms = &self.key_terms;
        let term = |row: usize, sums: u64, pit: usize| {
            terms[row + pit][((sums >> (8 * pit)) as usize & 0xff).min(MAX_STONES)]
        };
        (0..MAX_PITS).fold(0, |key, pit| {
            key + term(0, own, pit) + term(MAX_PITS, other, pit)
        })
    }

    /// Pits of the mover whose last stone falls into its store, as top bits of their bytes. Each of them is sure to bring a stone:
    /// sown from the right they do not disturb each other.
    #[inline(always)]
    pub(super) fn exact_pits(&self, own: u64) -> u64 {
        // Bytes stay below 128, so no sum carries. A byte is 0 where the stones fit.
        let differs = (own ^ self.exact_pattern) + (0x7f * (ONES & PITS_MASK));
        !differs & self.exact_mask()
    }

    #[inline(always)]
    fn exact_mask(&self) -> u64 {
        (0x80 * ONES) & ((1 << (8 * self.pits)) - 1)
    }

    /// Plays `pit`, which must not be empty.
    #[inline(always)]
    pub(super) fn step(&self, board: Board, pit: usize) -> Step {
        let sowing = &self.sowings[pit][stones_in(board.own, pit).min(MAX_STONES)];
        let sown = board.own.wrapping_add(sowing.own);
        let mut other = board.other + sowing.other;
        let last = (sown >> 56) as u32;
        let mut own = sown & PITS_MASK;
        let mut gain = stones_in(sown, STORE_BYTE) as u64;
        let last_pit = (last as usize).min(self.pits - 1);
        let opposite = self.pits - 1 - last_pit;
        let captured = stones_in(other, opposite) as u64;
        let is_alone = last_pit == last as usize && stones_in(own, last_pit) == 1;
        let takes = u64::from(is_alone & (captured != 0 || self.empty_capture));
        own -= takes << (8 * last_pit);
        other -= (takes * captured) << (8 * opposite);
        gain += takes * (captured + 1);
        let moves_again = last == STORE_BYTE as u32;
        let board = if moves_again {
            Board { own, other }
        } else {
            Board {
                own: other,
                other: own,
            }
        };
        Step {
            board,
            gain: gain as i32,
            moves_again,
        }
    }
}

/// The sowing of a pit.
fn sow(pits: usize, pit: usize, stones: usize) -> Sowing {
    let mut sowing = Sowing { own: 0, other: 0 };
    let mut last = 0;
    for number in 1..=stones {
        let place = (pit + number) % (2 * pits + 1);
        if place > pits {
            sowing.other += 1 << (8 * (place - pits - 1));
            last = ELSEWHERE;
        } else {
            let byte = if place == pits { STORE_BYTE } else { place };
            sowing.own += 1 << (8 * byte);
            last = byte as u32;
        }
    }
    sowing.own += u64::from(last) << 56;
    sowing.own = sowing.own.wrapping_sub((stones as u64) << (8 * pit));
    sowing
}
