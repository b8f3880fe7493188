//! Which child to follow: the selection formulas.
//!
//! A formula is one type that implements [`Select`], once for single children and for four side by side, and a line in the
//! list of [`SelectFormula`]; the parameter `select`, the stores and the viewer's panel follow from these.
//!
//! Only additions, multiplications, divisions and square roots, which IEEE 754 defines to the last bit, decide a
//! comparison; the logarithm is our own, made of the same. So a seed gives the same tree on every machine.

use super::{logarithm::ln, playout::REWARD_ONE};
use crate::machine::{Floats, Lanes, Number};

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

/// What is known of a child when its parent chooses; or of several, figure by figure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChildStats<N = f64> {
    /// How often the choice fell on it.
    pub edge_visits: N,
    /// How many rewards the sums below are made of: the same, but where nodes are shared.
    pub visits: N,
    /// Sum of rewards for the player who chooses, in [0, 1] each.
    pub sum: N,
    /// Sum of their squares; only if the formula asks for it.
    pub squares: N,
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

/// The two terms of a child's score; the child with the highest score is followed, the first of equals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms<N = f64> {
    /// What the rewards so far promise the player who chooses.
    pub mean: N,
    /// What is added for how little is known of the child.
    pub exploration: N,
}

impl<N: Number> Terms<N> {
    /// Their sum.
    #[inline(always)]
    pub fn score(self) -> N {
        self.mean + self.exploration
    }
}

/// How a search chooses among children: the formula and its constants.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Selection {
    /// The formula.
    pub formula: SelectFormula,
    /// Its constant C, if it has one.
    pub exploration: f64,
    /// The scale of rewards the formula sees.
    pub reward_range: RewardRange,
}

impl Selection {
    /// The terms of a child that was chosen at least once, of a node with so many visits, as the search computes them.
    pub fn terms(&self, parent_visits: u32, child: &ChildStats) -> Terms {
        struct OfChild<'a>(u32, &'a ChildStats);
        impl FormulaVisitor for OfChild<'_> {
            type Out = Terms;

            fn visit<S: Select, const SQUARES: bool>(self, select: S) -> Terms {
                select.terms(select.parent_term(self.0.max(1)), self.1)
            }
        }
        self.visit(OfChild(parent_visits, child))
    }

    /// The formula as people write it, with the constants that are set: N is the visits of the node, n those of the child.
    pub fn describe(&self) -> String {
        struct Described<'a>(&'a Selection);
        impl FormulaVisitor for Described<'_> {
            type Out = String;

            fn visit<S: Select, const SQUARES: bool>(self, _: S) -> String {
                S::describe(self.0)
            }
        }
        self.visit(Described(self))
    }
}

/// A selection formula.
pub(super) trait Select: Copy + Send + Sync + 'static {
    /// What it is called as a value of the parameter `select`.
    const NAME: &'static str;
    /// Whether it has a constant C.
    const HAS_EXPLORATION: bool;
    /// Whether it reads the sums of squared rewards.
    const NEEDS_SQUARES: bool = false;

    /// With the constants that are set.
    fn new(selection: &Selection) -> Self;

    /// See [`Selection::describe`].
    fn describe(selection: &Selection) -> String;

    /// What the terms of all children share: a function of the node's visits, which are 1 or more. Computed once a choice.
    fn parent_term(&self, visits: u32) -> f64;

    /// The terms of a child that was chosen at least once; of one that was not they may be anything. `N` is one child or
    /// several side by side.
    fn terms<N: Number>(&self, parent_term: f64, child: &ChildStats<N>) -> Terms<N>;
}

/// Work that depends on the formula.
pub(super) trait FormulaVisitor {
    /// What it answers.
    type Out;

    /// Does the work; `SQUARES` is [`Select::NEEDS_SQUARES`].
    fn visit<S: Select, const SQUARES: bool>(self, select: S) -> Self::Out;
}

/// Writes the list of formulas: for each the type that implements it.
macro_rules! formulas {
    ($($(#[$about:meta])* $formula:ident,)+) => {
        /// The formula that chooses among children.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum SelectFormula {
            $($(#[$about])* $formula,)+
        }

        impl SelectFormula {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$formula),+];
            /// What they are called, in the same order.
            pub const NAMES: &[&str] = &[$($formula::NAME),+];

            /// Whether it has a constant C.
            pub fn has_exploration(self) -> bool {
                match self {
                    $(Self::$formula => $formula::HAS_EXPLORATION,)+
                }
            }

            /// Whether it reads the sums of squared rewards.
            pub fn needs_squares(self) -> bool {
                match self {
                    $(Self::$formula => $formula::NEEDS_SQUARES,)+
                }
            }
        }

        impl Selection {
            /// Does work with the formula's own type.
            pub(super) fn visit<V: FormulaVisitor>(&self, visitor: V) -> V::Out {
                match self.formula {
                    $(SelectFormula::$formula => visitor
                        .visit::<_, { $formula::NEEDS_SQUARES }>($formula::new(self)),)+
                }
            }
        }
    };
}

formulas! {
    /// mean + C sqrt(ln N / n)
    #[default]
    Uct,
    /// UCB1-tuned
    Ucb1Tuned,
}

/// UCT: mean + C sqrt(ln N / n) (Kocsis and Szepesvári 2006).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Uct {
    exploration: f64,
}

impl Select for Uct {
    const NAME: &'static str = "uct";
    const HAS_EXPLORATION: bool = true;

    fn new(selection: &Selection) -> Self {
        // 2 mean - 1 + C sqrt(..) orders children as mean + C / 2 sqrt(..) does.
        let scale = match selection.reward_range {
            RewardRange::ZeroToOne => 1.0,
            RewardRange::MinusOneToOne => 0.5,
        };
        Self {
            exploration: selection.exploration * scale,
        }
    }

    fn describe(selection: &Selection) -> String {
        let half = match selection.reward_range {
            RewardRange::ZeroToOne => "",
            RewardRange::MinusOneToOne => "½ ",
        };
        format!("mean + {half}C·√(ln N / n), C = {}", selection.exploration)
    }

    #[inline(always)]
    fn parent_term(&self, visits: u32) -> f64 {
        ln(visits)
    }

    #[inline(always)]
    fn terms<N: Number>(&self, ln_parent: f64, child: &ChildStats<N>) -> Terms<N> {
        let share = N::splat(ln_parent) / child.edge_visits;
        Terms {
            mean: child.sum / child.visits,
            exploration: N::splat(self.exploration) * share.sqrt(),
        }
    }
}

/// UCB1-tuned (Auer et al. 2002): the exploration term shrinks with the variance seen so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ucb1Tuned {
    range: RewardRange,
}

impl Ucb1Tuned {
    /// What the variance and the second term are multiplied by. On [-1, 1] the same rewards vary four times as much, and the
    /// mean counts double against the second term; on [0, 1] it is Auer's formula, 1/4 being the largest variance there.
    #[inline(always)]
    fn scales(&self) -> (f64, f64) {
        match self.range {
            RewardRange::ZeroToOne => (1.0, 1.0),
            RewardRange::MinusOneToOne => (4.0, 0.5),
        }
    }
}

impl Select for Ucb1Tuned {
    const NAME: &'static str = "ucb1-tuned";
    const HAS_EXPLORATION: bool = false;
    const NEEDS_SQUARES: bool = true;

    fn new(selection: &Selection) -> Self {
        Self {
            range: selection.reward_range,
        }
    }

    fn describe(_: &Selection) -> String {
        "mean + √(ln N / n · min(¼, σ² + √(2 ln N / n)))".to_owned()
    }

    #[inline(always)]
    fn parent_term(&self, visits: u32) -> f64 {
        ln(visits)
    }

    #[inline(always)]
    fn terms<N: Number>(&self, ln_parent: f64, child: &ChildStats<N>) -> Terms<N> {
        // Divisions are what this formula takes its time over: one where a node has as many visits as its move, else two.
        let inverse = N::splat(1.0) / child.visits;
        let mean = child.sum * inverse;
        let variance = child.squares * inverse - mean * mean;
        let share = N::splat(ln_parent) * (N::splat(1.0) / child.edge_visits);
        let (stretch, scale) = self.scales();
        let bound = variance * N::splat(stretch) + (N::splat(2.0) * share).sqrt();
        let most = N::splat(0.25);
        // Seldom is a bound below the largest variance; so a processor that guesses need not wait for one root to
        // take the next.
        let width = if bound.any_lt(most) {
            bound.min(most) * share
        } else {
            most * share
        };
        Terms {
            mean,
            exploration: N::splat(scale) * width.sqrt(),
        }
    }
}

/// Four children, figure by figure, as a store keeps them; see [`RawChildStats`].
#[derive(Clone, Copy, Debug)]
pub(super) struct RawChildStatsX4<L> {
    pub(super) edge_visits: L,
    pub(super) visits: L,
    pub(super) sum: L,
    pub(super) squares: L,
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
    pub(super) fn scores(&self, select: &impl Select, parent_term: f64) -> L::Floats {
        let reward = L::Floats::splat(1.0 / REWARD_ONE as f64);
        let stats = ChildStats {
            edge_visits: u32_lanes_to_f64(self.edge_visits),
            visits: u32_lanes_to_f64(self.visits),
            sum: u64_lanes_to_f64(self.sum) * reward,
            squares: u64_lanes_to_f64(self.squares) * reward,
        };
        let scores = select.terms(parent_term, &stats).score().to_bits();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{LaneWork, ScalarLanes, run_in_lanes};

    fn uct(exploration: f64, reward_range: RewardRange) -> Uct {
        Uct::new(&Selection {
            exploration,
            reward_range,
            ..Selection::default()
        })
    }

    fn tuned(reward_range: RewardRange) -> Ucb1Tuned {
        Ucb1Tuned::new(&Selection {
            reward_range,
            ..Selection::default()
        })
    }

    fn score_of(select: impl Select, parent_visits: u32, child: &ChildStats) -> f64 {
        let parent_term = select.parent_term(parent_visits);
        select.terms(parent_term, child).score()
    }

    /// The scores of four children of a node with 99 visits.
    struct ScoreFourChildren<S>(S, [RawChildStats; 4]);

    impl<S: Select> LaneWork for ScoreFourChildren<S> {
        type Out = [f64; 4];

        #[inline(always)]
        fn run<L: Lanes>(self) -> [f64; 4] {
            let scores = RawChildStatsX4::<L>::new(self.1).scores(&self.0, self.0.parent_term(99));
            scores.to_bits().to_array().map(f64::from_bits)
        }
    }

    #[test]
    fn four_at_once_are_four_one_by_one() {
        fn check(select: impl Select, children: [RawChildStats; 4]) {
            let expected = children.map(|child| score_of(select, 99, &ChildStats::from(child)));
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
                check(uct(1.41, range), children);
                check(tuned(range), children);
            }
        }
        let uct = uct(1.0, RewardRange::ZeroToOne);
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
        let score = score_of(uct(1.41, RewardRange::ZeroToOne), 100, &child);
        assert!((score - 1.556846).abs() < 5e-7, "{score}");
        // On [-1, 1] C counts half: 0.6 + 0.478423.
        let score = score_of(uct(1.41, RewardRange::MinusOneToOne), 100, &child);
        assert!((score - 1.078423).abs() < 5e-7, "{score}");
        // A shared child: the mean is over all its visits, the exploration over this parent's choices.
        let child = ChildStats {
            edge_visits: 10.0,
            visits: 40.0,
            sum: 10.0,
            squares: 0.0,
        };
        let score = score_of(uct(1.41, RewardRange::ZeroToOne), 100, &child);
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
        let score = score_of(tuned(RewardRange::ZeroToOne), 10_000, &child);
        assert!((score - 0.943529).abs() < 1e-6, "{score}");
        // Few visits: V is capped at 1/4. n = 100, n_i = 10, mean 0.6, squares 0.5:
        // V = 0.14 + sqrt(2 * 0.460517) = 1.099706, so 0.6 + sqrt(0.25 * 0.460517) = 0.6 + 0.339307
        let child = ChildStats {
            edge_visits: 10.0,
            visits: 10.0,
            sum: 6.0,
            squares: 5.0,
        };
        let score = score_of(tuned(RewardRange::ZeroToOne), 100, &child);
        assert!((score - 0.939307).abs() < 1e-6, "{score}");
    }
}
