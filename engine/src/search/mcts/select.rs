//! Which child to follow: the bandit formulas.
//!
//! Only additions, multiplications, divisions and square roots, which IEEE 754 defines to the last bit, decide a
//! comparison; the logarithm is our own, made of the same. So a seed gives the same tree on every machine.

use wide::{CmpEq as _, f64x4};

/// What is known of a child when its parent chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChildStats {
    /// How often the choice fell on it.
    pub chosen: f64,
    /// How many rewards the sums below are made of: the same, but where nodes are shared.
    pub visits: f64,
    /// Sum of rewards for the player who chooses, in [0, 1] each.
    pub sum: f64,
    /// Sum of their squares; only if the formula asks for it.
    pub squares: f64,
}

/// The scale of the rewards that a formula sees. Trees always hold rewards in [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RewardRange {
    /// From 0 to 1.
    #[default]
    ZeroToOne,
    /// From -1 to 1, as report 001's program had it: the exploration constant weighs half as much.
    MinusOneToOne,
}

/// A bandit formula.
pub(super) trait Select: Copy + Send + Sync + 'static {
    /// The score of a child that was chosen at least once; the highest is followed, the first of equals.
    fn score(&self, ln_parent: f64, child: &ChildStats) -> f64;

    /// The scores of four children, side by side; what it says of one that was never chosen does not matter.
    fn scores(&self, ln_parent: f64, children: &Four) -> f64x4;
}

/// Four children, figure by figure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Four {
    chosen: [f64; 4],
    visits: [f64; 4],
    sum: [f64; 4],
    squares: [f64; 4],
}

impl Four {
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, child: &ChildStats) {
        self.chosen[lane] = child.chosen;
        self.visits[lane] = child.visits;
        self.sum[lane] = child.sum;
        self.squares[lane] = child.squares;
    }

    /// The scores by a formula; infinite for a child that was never chosen.
    #[inline(always)]
    pub(super) fn scores(&self, select: &impl Select, ln_parent: f64) -> [f64; 4] {
        let scores = select.scores(ln_parent, self);
        let never = f64x4::new(self.chosen).cmp_eq(f64x4::ZERO);
        never.blend(f64x4::splat(f64::INFINITY), scores).to_array()
    }
}

/// UCT: mean + C sqrt(ln N / n) (Kocsis and Szepesvári 2006).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Uct {
    exploration: f64,
}

impl Uct {
    /// With exploration constant C, meant for rewards of that range.
    pub(super) fn new(exploration: f64, range: RewardRange) -> Self {
        // 2 mean - 1 + C sqrt(..) orders children as mean + C / 2 sqrt(..) does.
        let scale = if range == RewardRange::MinusOneToOne {
            0.5
        } else {
            1.0
        };
        Self {
            exploration: exploration * scale,
        }
    }
}

impl Select for Uct {
    #[inline(always)]
    fn scores(&self, ln_parent: f64, children: &Four) -> f64x4 {
        let mean = f64x4::new(children.sum) / f64x4::new(children.visits);
        let share = f64x4::splat(ln_parent) / f64x4::new(children.chosen);
        mean + f64x4::splat(self.exploration) * share.sqrt()
    }

    #[inline(always)]
    fn score(&self, ln_parent: f64, child: &ChildStats) -> f64 {
        child.sum / child.visits + self.exploration * (ln_parent / child.chosen).sqrt()
    }
}

/// UCB1-tuned (Auer et al. 2002): the exploration term shrinks with the variance seen so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tuned {
    range: RewardRange,
}

impl Tuned {
    /// For rewards of that range; on [0, 1] it is Auer's formula, 1/4 being the largest variance there.
    pub(super) fn new(range: RewardRange) -> Self {
        Self { range }
    }
}

impl Tuned {
    /// What the variance and the second term are multiplied by. On [-1, 1] the same rewards vary four times as much, and the
    /// mean counts double against the second term.
    #[inline(always)]
    fn scales(&self) -> (f64, f64) {
        match self.range {
            RewardRange::ZeroToOne => (1.0, 1.0),
            RewardRange::MinusOneToOne => (4.0, 0.5),
        }
    }
}

impl Select for Tuned {
    #[inline(always)]
    fn scores(&self, ln_parent: f64, children: &Four) -> f64x4 {
        let visits = f64x4::new(children.visits);
        let mean = f64x4::new(children.sum) / visits;
        let variance = f64x4::new(children.squares) / visits - mean * mean;
        let share = f64x4::splat(ln_parent) / f64x4::new(children.chosen);
        let (stretch, scale) = self.scales();
        let bound = variance * f64x4::splat(stretch) + (f64x4::splat(2.0) * share).sqrt();
        let width = (bound.fast_min(f64x4::splat(0.25)) * share).sqrt();
        mean + f64x4::splat(scale) * width
    }

    #[inline(always)]
    fn score(&self, ln_parent: f64, child: &ChildStats) -> f64 {
        let mean = child.sum / child.visits;
        let variance = child.squares / child.visits - mean * mean;
        let share = ln_parent / child.chosen;
        let (stretch, scale) = self.scales();
        let bound = variance * stretch + (2.0 * share).sqrt();
        mean + scale * (bound.min(0.25) * share).sqrt()
    }
}

/// The natural logarithm of a whole number above 0, to the last bit or two.
#[inline(always)]
pub(super) fn ln(number: u32) -> f64 {
    // Most nodes of a tree have few visits.
    match SMALL.get(number as usize) {
        Some(&known) => known,
        None => ln_of_large(number),
    }
}

/// The logarithms of small numbers; 0 for 0.
static SMALL: [f64; 1024] = {
    let mut table = [0.0; 1024];
    let mut number = 1;
    while number < table.len() {
        table[number] = ln_of_large(number as u32);
        number += 1;
    }
    table
};

const fn ln_of_large(number: u32) -> f64 {
    // number = 2^exponent * (1 + index / 128) * (1 + rest)
    let exponent = number.ilog2();
    let mantissa = number as f64 * POWERS[exponent as usize];
    let index = ((mantissa - 1.0) * 128.0) as usize;
    let (anchor, ln_anchor) = ANCHORS[index & 127];
    let rest = (mantissa - anchor) / anchor;
    // rest < 1/128: seven terms of the series are enough.
    let series = rest
        * (1.0
            + rest
                * (-0.5
                    + rest
                        * (1.0 / 3.0
                            + rest
                                * (-0.25
                                    + rest * (0.2 + rest * (-1.0 / 6.0 + rest * (1.0 / 7.0)))))));
    exponent as f64 * std::f64::consts::LN_2 + (ln_anchor + series)
}

/// 2 to the power of minus the index.
const POWERS: [f64; 32] = {
    let mut table = [1.0; 32];
    let mut index = 1;
    while index < 32 {
        table[index] = table[index - 1] * 0.5;
        index += 1;
    }
    table
};

/// (1 + i / 128, its logarithm) for i below 128.
const ANCHORS: [(f64, f64); 128] = {
    let mut table = [(0.0, 0.0); 128];
    let mut index = 0;
    while index < 128 {
        let anchor = 1.0 + index as f64 / 128.0;
        // ln x = 2 artanh((x - 1) / (x + 1)), summed from the small end.
        let ratio = (anchor - 1.0) / (anchor + 1.0);
        let mut sum = 0.0;
        let mut power = 41;
        while power >= 1 {
            sum = sum * ratio * ratio + 1.0 / power as f64;
            power -= 2;
        }
        table[index] = (anchor, 2.0 * ratio * sum);
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_logarithm() {
        for number in
            (1..5000)
                .chain((0..32).map(|bit| 1 << bit))
                .chain([u32::MAX, 999_999_937, 12_345_678])
        {
            let expected = libm::log(f64::from(number));
            assert!(
                (ln(number) - expected).abs() <= 4e-16 * expected.max(1.0),
                "{number}: {} {expected}",
                ln(number)
            );
        }
        assert_eq!(ln(1), 0.0);
    }

    #[test]
    fn four_at_once_are_four_one_by_one() {
        let children: [ChildStats; 5] = std::array::from_fn(|index| {
            let visits = 3.0 + 7.0 * index as f64;
            ChildStats {
                chosen: visits - 2.0,
                visits,
                sum: visits * 0.37,
                squares: visits * 0.21,
            }
        });
        let mut four = Four::default();
        for (lane, child) in children[1..].iter().enumerate() {
            four.set(lane, child);
        }
        fn check(select: impl Select, four: &Four, children: &[ChildStats]) {
            for (score, child) in four.scores(&select, ln(99)).iter().zip(children) {
                assert_eq!(score.to_bits(), select.score(ln(99), child).to_bits());
            }
        }
        for range in [RewardRange::ZeroToOne, RewardRange::MinusOneToOne] {
            check(Uct::new(1.41, range), &four, &children[1..]);
            check(Tuned::new(range), &four, &children[1..]);
        }
        four.set(2, &ChildStats::default());
        assert_eq!(
            four.scores(&Uct::new(1.0, RewardRange::ZeroToOne), 1.0)[2],
            f64::INFINITY
        );
    }

    #[test]
    fn uct_worked_out_by_hand() {
        // mean 0.6, C = 1.41, N = 100, n = 10: 0.6 + 1.41 sqrt(4.605170 / 10) = 0.6 + 1.41 * 0.678614 = 1.556846
        let child = ChildStats {
            chosen: 10.0,
            visits: 10.0,
            sum: 6.0,
            squares: 0.0,
        };
        let score = Uct::new(1.41, RewardRange::ZeroToOne).score(ln(100), &child);
        assert!((score - 1.556846).abs() < 5e-7, "{score}");
        // On [-1, 1] C counts half: 0.6 + 0.478423.
        let score = Uct::new(1.41, RewardRange::MinusOneToOne).score(ln(100), &child);
        assert!((score - 1.078423).abs() < 5e-7, "{score}");
        // A shared child: the mean is over all its visits, the exploration over this parent's choices.
        let child = ChildStats {
            chosen: 10.0,
            visits: 40.0,
            sum: 10.0,
            squares: 0.0,
        };
        let score = Uct::new(1.41, RewardRange::ZeroToOne).score(ln(100), &child);
        assert!((score - 1.206846).abs() < 5e-7, "{score}");
    }

    #[test]
    fn ucb1_tuned_worked_out_by_hand() {
        // n = 10000, n_i = 1000, mean 0.9, squares 0.88: variance 0.88 - 0.81 = 0.07; sqrt(2 * 9.210340 / 1000) =
        // 0.135723; V = 0.205723 < 1/4; 0.9 + sqrt(0.205723 * 0.009210340) = 0.9 + 0.043529 = 0.943529
        let child = ChildStats {
            chosen: 1000.0,
            visits: 1000.0,
            sum: 900.0,
            squares: 880.0,
        };
        let score = Tuned::new(RewardRange::ZeroToOne).score(ln(10_000), &child);
        assert!((score - 0.943529).abs() < 1e-6, "{score}");
        // Few visits: V is capped at 1/4. n = 100, n_i = 10, mean 0.6, squares 0.5:
        // V = 0.14 + sqrt(2 * 0.460517) = 1.099706, so 0.6 + sqrt(0.25 * 0.460517) = 0.6 + 0.339307
        let child = ChildStats {
            chosen: 10.0,
            visits: 10.0,
            sum: 6.0,
            squares: 5.0,
        };
        let score = Tuned::new(RewardRange::ZeroToOne).score(ln(100), &child);
        assert!((score - 0.939307).abs() < 1e-6, "{score}");
    }
}
