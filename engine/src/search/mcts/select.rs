//! Which child to follow: the bandit formulas.
//!
//! Only additions, multiplications, divisions and square roots, which IEEE 754 defines to the last bit, decide a
//! comparison; the logarithm is our own, made of the same. So a seed gives the same tree on every machine.

use super::playout::REWARD_ONE;
use crate::machine::{Floats, Lanes};

/// What is known of a child, in whole numbers, as a store keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawChildStats {
    /// How often the choice fell on it.
    pub(super) edge_visits: u32,
    /// How many rewards the sums below are made of.
    pub(super) visits: u32,
    /// Sum of rewards for the player who chooses; 1 is 2^32.
    pub(super) sum: u64,
    /// Sum of their squares.
    pub(super) squares: u64,
}

/// What is known of a child when its parent chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChildStats {
    /// How often the choice fell on it.
    pub edge_visits: f64,
    /// How many rewards the sums below are made of: the same, but where nodes are shared.
    pub visits: f64,
    /// Sum of rewards for the player who chooses, in [0, 1] each.
    pub sum: f64,
    /// Sum of their squares; only if the formula asks for it.
    pub squares: f64,
}

impl From<RawChildStats> for ChildStats {
    fn from(raw: RawChildStats) -> Self {
        Self {
            edge_visits: raw.edge_visits.into(),
            visits: raw.visits.into(),
            sum: from_fixed_point(raw.sum),
            squares: from_fixed_point(raw.squares),
        }
    }
}

/// A sum of whole-number rewards as rewards in [0, 1].
#[inline(always)]
pub(super) fn from_fixed_point(sum: u64) -> f64 {
    // Below 2^63 for any number of visits that fits: the signed conversion is the fast one.
    (sum as i64) as f64 * (1.0 / REWARD_ONE as f64)
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
    fn scores<N: Floats>(&self, ln_parent: f64, children: &ChildStatsX4<N>) -> N;
}

/// Four children, figure by figure, as a store keeps them; see [`RawChildStats`].
#[derive(Clone, Copy, Debug)]
pub(super) struct RawChildStatsX4<L> {
    pub(super) edge_visits: L,
    pub(super) visits: L,
    pub(super) sum: L,
    pub(super) squares: L,
}

/// Four children as a formula sees them; see [`ChildStats`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildStatsX4<N> {
    edge_visits: N,
    visits: N,
    sum: N,
    squares: N,
}

impl<L: Lanes> RawChildStatsX4<L> {
    #[inline(always)]
    pub(super) fn new(children: [RawChildStats; 4]) -> Self {
        Self {
            edge_visits: children.map(|child| child.edge_visits.into()).into(),
            visits: children.map(|child| child.visits.into()).into(),
            sum: children.map(|child| child.sum).into(),
            squares: children.map(|child| child.squares).into(),
        }
    }

    /// The scores by a formula; infinite for a child that was never chosen.
    #[inline(always)]
    pub(super) fn scores(&self, select: &impl Select, ln_parent: f64) -> L::Floats {
        let reward = L::Floats::splat(1.0 / REWARD_ONE as f64);
        let stats = ChildStatsX4 {
            edge_visits: u32_lanes_to_f64(self.edge_visits),
            visits: u32_lanes_to_f64(self.visits),
            sum: u64_lanes_to_f64(self.sum) * reward,
            squares: u64_lanes_to_f64(self.squares) * reward,
        };
        let scores = select.scores(ln_parent, &stats).to_bits();
        let infinite = L::splat(f64::INFINITY.to_bits());
        L::Floats::from_bits(self.edge_visits.zero_mask().blend(infinite, scores))
    }
}

/// The bits of 2^52 and of 2^84: a whole number below 2^32 in their lowest bits counts ones, and 2^32s.
const TWO_52: u64 = 0x4330 << 48;
const TWO_84: u64 = 0x4530 << 48;

/// Numbers below 2^32, exactly.
#[inline(always)]
fn u32_lanes_to_f64<L: Lanes>(numbers: L) -> L::Floats {
    let bits = numbers | L::splat(TWO_52);
    L::Floats::from_bits(bits) - L::Floats::splat(f64::from_bits(TWO_52))
}

/// Numbers, each rounded once, as a conversion does; older processors convert only one at a time.
#[inline(always)]
fn u64_lanes_to_f64<L: Lanes>(numbers: L) -> L::Floats {
    let low = numbers & L::splat(u32::MAX.into()) | L::splat(TWO_52);
    let high = numbers >> L::splat(32) | L::splat(TWO_84);
    let offset = f64::from_bits(TWO_84) + f64::from_bits(TWO_52);
    (L::Floats::from_bits(high) - L::Floats::splat(offset)) + L::Floats::from_bits(low)
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
    fn scores<N: Floats>(&self, ln_parent: f64, children: &ChildStatsX4<N>) -> N {
        let mean = children.sum / children.visits;
        let share = N::splat(ln_parent) / children.edge_visits;
        mean + N::splat(self.exploration) * share.sqrt()
    }

    #[inline(always)]
    fn score(&self, ln_parent: f64, child: &ChildStats) -> f64 {
        child.sum / child.visits + self.exploration * (ln_parent / child.edge_visits).sqrt()
    }
}

/// UCB1-tuned (Auer et al. 2002): the exploration term shrinks with the variance seen so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ucb1Tuned {
    range: RewardRange,
}

impl Ucb1Tuned {
    /// For rewards of that range; on [0, 1] it is Auer's formula, 1/4 being the largest variance there.
    pub(super) fn new(range: RewardRange) -> Self {
        Self { range }
    }
}

impl Ucb1Tuned {
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

impl Select for Ucb1Tuned {
    #[inline(always)]
    fn scores<N: Floats>(&self, ln_parent: f64, children: &ChildStatsX4<N>) -> N {
        // Divisions are what this formula takes its time over: one where a node has as many visits as its move, else two.
        let inverse = N::splat(1.0) / children.visits;
        let mean = children.sum * inverse;
        let variance = children.squares * inverse - mean * mean;
        let share = N::splat(ln_parent) * (N::splat(1.0) / children.edge_visits);
        let (stretch, scale) = self.scales();
        let bound = variance * N::splat(stretch) + (N::splat(2.0) * share).sqrt();
        let most = N::splat(0.25);
        // Seldom is a bound below the largest variance; so a processor that guesses need not wait for one root to
        // take the next.
        let width = if bound.lt_mask(most).sign_mask() == 0 {
            most * share
        } else {
            bound.min(most) * share
        };
        mean + N::splat(scale) * width.sqrt()
    }

    #[inline(always)]
    fn score(&self, ln_parent: f64, child: &ChildStats) -> f64 {
        let inverse = 1.0 / child.visits;
        let mean = child.sum * inverse;
        let variance = child.squares * inverse - mean * mean;
        let share = ln_parent * (1.0 / child.edge_visits);
        let (stretch, scale) = self.scales();
        let bound = variance * stretch + (2.0 * share).sqrt();
        mean + scale * (bound.min(0.25) * share).sqrt()
    }
}

/// The natural logarithm of a whole number above 0, to the last bit or two.
#[inline(always)]
pub(super) fn ln(number: u32) -> f64 {
    // Most nodes of a tree have few visits.
    match LN_TABLE.get(number as usize) {
        Some(&known) => known,
        None => compute_ln(number),
    }
}

/// The logarithms of small numbers; 0 for 0.
static LN_TABLE: [f64; 1024] = {
    let mut table = [0.0; 1024];
    let mut number = 1;
    while number < table.len() {
        table[number] = compute_ln(number as u32);
        number += 1;
    }
    table
};

const fn compute_ln(number: u32) -> f64 {
    // number = 2^exponent * anchor * (1 + rest), the anchor being 1 + index / 128
    let exponent = number.ilog2();
    let aligned = number << (31 - exponent);
    let mantissa = f64::from_bits(0x3ff0 << 48 | (aligned as u64 & 0x7fff_ffff) << 21);
    let LnAnchor { at, inverse, ln } = LN_ANCHORS[(aligned >> 24 & 127) as usize];
    let rest = (mantissa - at) * inverse;
    // rest < 1/128: seven terms of the series are enough, added up in pairs that need not wait for each other.
    let square = rest * rest;
    let low = rest - 0.5 * square;
    let middle = 1.0 / 3.0 - 0.25 * rest + square * (0.2 - 1.0 / 6.0 * rest);
    let high = square * square * (1.0 / 7.0);
    let series = low + square * rest * (middle + high);
    exponent as f64 * std::f64::consts::LN_2 + (ln + series)
}

#[derive(Clone, Copy)]
struct LnAnchor {
    at: f64,
    inverse: f64,
    ln: f64,
}

/// 1 + i / 128 for i below 128, with inverses and logarithms.
static LN_ANCHORS: [LnAnchor; 128] = {
    let mut table = [LnAnchor {
        at: 0.0,
        inverse: 0.0,
        ln: 0.0,
    }; 128];
    let mut index = 0;
    while index < 128 {
        let at = 1.0 + index as f64 / 128.0;
        // ln x = 2 artanh((x - 1) / (x + 1)), summed from the small end.
        let ratio = (at - 1.0) / (at + 1.0);
        let mut sum = 0.0;
        let mut power = 41;
        while power >= 1 {
            sum = sum * ratio * ratio + 1.0 / power as f64;
            power -= 2;
        }
        table[index] = LnAnchor {
            at,
            inverse: 1.0 / at,
            ln: 2.0 * ratio * sum,
        };
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{LaneWork, ScalarLanes, run_in_lanes};

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

    /// The scores of four children of a node with 99 visits.
    struct ScoreFourChildren<S>(S, [RawChildStats; 4]);

    impl<S: Select> LaneWork for ScoreFourChildren<S> {
        type Out = [f64; 4];

        #[inline(always)]
        fn run<L: Lanes>(self) -> [f64; 4] {
            let scores = RawChildStatsX4::<L>::new(self.1).scores(&self.0, ln(99));
            scores.to_bits().to_array().map(f64::from_bits)
        }
    }

    #[test]
    fn four_at_once_are_four_one_by_one() {
        fn check(select: impl Select, children: [RawChildStats; 4]) {
            let expected = children.map(|child| select.score(ln(99), &ChildStats::from(child)));
            assert_eq!(run_in_lanes(ScoreFourChildren(select, children)), expected);
            assert_eq!(
                ScoreFourChildren(select, children).run::<ScalarLanes>(),
                expected
            );
        }
        // Of few visits, of so many that the bound on the variance tells, and both side by side.
        for steps in [[1, 2, 3, 4], [1000, 2000, 3000, 4000], [1000, 2, 3, 4000]] {
            let children = steps.map(|step| {
                let visits = 3 + 7 * step;
                RawChildStats {
                    edge_visits: visits - 2,
                    visits,
                    sum: u64::from(visits) * 1_589_137_899,
                    squares: u64::from(visits) * 901_943_132,
                }
            });
            for range in [RewardRange::ZeroToOne, RewardRange::MinusOneToOne] {
                check(Uct::new(1.41, range), children);
                check(Ucb1Tuned::new(range), children);
            }
        }
        let uct = Uct::new(1.0, RewardRange::ZeroToOne);
        assert_eq!(
            run_in_lanes(ScoreFourChildren(uct, [RawChildStats::default(); 4])),
            [f64::INFINITY; 4]
        );
    }

    #[test]
    fn uct_worked_out_by_hand() {
        // mean 0.6, C = 1.41, N = 100, n = 10: 0.6 + 1.41 sqrt(4.605170 / 10) = 0.6 + 1.41 * 0.678614 = 1.556846
        let child = ChildStats {
            edge_visits: 10.0,
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
            edge_visits: 10.0,
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
            edge_visits: 1000.0,
            visits: 1000.0,
            sum: 900.0,
            squares: 880.0,
        };
        let score = Ucb1Tuned::new(RewardRange::ZeroToOne).score(ln(10_000), &child);
        assert!((score - 0.943529).abs() < 1e-6, "{score}");
        // Few visits: V is capped at 1/4. n = 100, n_i = 10, mean 0.6, squares 0.5:
        // V = 0.14 + sqrt(2 * 0.460517) = 1.099706, so 0.6 + sqrt(0.25 * 0.460517) = 0.6 + 0.339307
        let child = ChildStats {
            edge_visits: 10.0,
            visits: 10.0,
            sum: 6.0,
            squares: 5.0,
        };
        let score = Ucb1Tuned::new(RewardRange::ZeroToOne).score(ln(100), &child);
        assert!((score - 0.939307).abs() < 1e-6, "{score}");
    }
}
