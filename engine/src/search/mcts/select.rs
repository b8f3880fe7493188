//! Selection formulas: which child an iteration follows.
//!
//! A formula is a type that implements [`Select`], generic over one child or four in SIMD lanes, and a line in `formulas!`; the
//! parameter `select`, the store's words per node and the viewer's panel follow from these.
//!
//! Scores use only additions, multiplications, divisions and square roots, which IEEE 754 rounds exactly; [`ln`] is made of the
//! same. So a seed gives the same tree on every machine.

use super::{logarithm::ln, playout::REWARD_ONE};
use crate::machine::{Floats as _, Lanes, Number};

/// A child's statistics as stored, in fixed-point units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawChildStats {
    /// Visits of the edge from this parent.
    pub(super) edge_visits: u32,
    /// Visits of the node: number of rewards in the sums.
    pub(super) visits: u32,
    /// Sum of rewards for the player to move at the parent, in units of 2^-32.
    pub(super) sum: u64,
    /// Sum of squared rewards, in units of 2^-32.
    pub(super) squares: u64,
    /// The prior, as the bits of an `f64`.
    pub(super) prior: u64,
}

/// A child's statistics as the formulas read them; `N` is one child or several in SIMD lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChildStats<N = f64> {
    /// Visits of the edge from this parent.
    pub edge_visits: N,
    /// Visits of the node: number of rewards in the sums. Differs from `edge_visits` where nodes are shared.
    pub visits: N,
    /// Sum of rewards for the player to move at the parent, each in [0, 1].
    pub sum: N,
    /// Sum of squared rewards; only if the formula needs it.
    pub squares: N,
    /// Prior probability of being the best child; those of a node's children add up to 1. Only if the formula needs it.
    pub prior: N,
}

impl From<RawChildStats> for ChildStats {
    fn from(raw: RawChildStats) -> Self {
        Self {
            edge_visits: raw.edge_visits.into(),
            visits: raw.visits.into(),
            sum: from_fixed_point(raw.sum),
            squares: from_fixed_point(raw.squares),
            prior: f64::from_bits(raw.prior),
        }
    }
}

/// Converts a sum of rewards from units of 2^-32.
#[inline(always)]
pub(super) fn from_fixed_point(sum: u64) -> f64 {
    // Sums are below 2^63, and the signed conversion is the faster one.
    (sum as i64) as f64 * (1.0 / REWARD_ONE as f64)
}

/// The scale of rewards in a formula. Stores always hold rewards in [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RewardRange {
    /// From 0 to 1.
    #[default]
    ZeroToOne,
    /// From -1 to 1, as in report 001's program: halves the weight of the exploration constant.
    MinusOneToOne,
}

/// First-play urgency: the value of an unvisited child (Gelly and Wang 2006).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Fpu {
    /// Every child is visited once before any is visited twice.
    #[default]
    Infinite,
    /// A constant reward.
    Constant(f64),
    /// The parent's mean for the player to move there, minus this reduction.
    Reduction(f64),
}

impl Fpu {
    /// Names of the rules, in the order of the variants.
    pub const NAMES: &[&str] = &["infinite", "constant", "reduction"];

    /// The rule called [`Self::NAMES`]`[index]`, with a default value: 1.1 as in MoGo (Gelly and Wang 2006), or a reduction of 0.1.
    pub fn from_index(index: usize) -> Self {
        match index {
            1 => Self::Constant(1.1),
            2 => Self::Reduction(0.1),
            _ => Self::Infinite,
        }
    }

    /// The rule's index in [`Self::NAMES`].
    pub fn index(self) -> usize {
        match self {
            Self::Infinite => 0,
            Self::Constant(_) => 1,
            Self::Reduction(_) => 2,
        }
    }

    /// The constant or the reduction, if there is one.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Infinite => None,
            Self::Constant(value) | Self::Reduction(value) => Some(value),
        }
    }

    /// The same rule with another constant or reduction.
    pub fn with_value(self, value: f64) -> Self {
        match self {
            Self::Infinite => self,
            Self::Constant(_) => Self::Constant(value),
            Self::Reduction(_) => Self::Reduction(value),
        }
    }

    /// True if unvisited children go before all others.
    #[inline(always)]
    pub fn is_infinite(self) -> bool {
        matches!(self, Self::Infinite)
    }

    /// The value of a node's unvisited children; `mean` is the node's own mean for the player to move.
    #[inline(always)]
    pub(super) fn urgency(self, mean: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Infinite => f64::INFINITY,
            Self::Constant(value) => value,
            Self::Reduction(value) => mean() - value,
        }
    }

    /// A clause of [`Selection::describe`]; empty for the default rule.
    fn describe(self) -> String {
        match self {
            Self::Infinite => String::new(),
            Self::Constant(value) => format!(", {value} for the mean of an unvisited child"),
            Self::Reduction(value) => {
                format!(", the node's mean − {value} for that of an unvisited child")
            }
        }
    }
}

/// The statistics of the parent whose children are scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParentStats {
    /// Visits of the node.
    pub visits: u32,
    /// Mean reward for the player to move at the node.
    pub mean: f64,
}

/// The two terms of a child's score. Selection follows the child with the highest score, the first of equals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms<N = f64> {
    /// Exploitation: the mean reward for the player to move at the parent.
    pub mean: N,
    /// Exploration: the bonus for few visits.
    pub exploration: N,
}

impl<N: Number> Terms<N> {
    /// Their sum.
    #[inline(always)]
    pub fn score(self) -> N {
        self.mean + self.exploration
    }
}

/// A selection formula with its constants and first-play urgency.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Selection {
    /// The formula.
    pub formula: SelectFormula,
    /// The exploration constant C, if the formula has one.
    pub exploration: f64,
    /// The scale of rewards the formula sees.
    pub reward_range: RewardRange,
    /// First-play urgency.
    pub fpu: Fpu,
}

impl Selection {
    /// The terms of a child's score, as the search computes them.
    pub fn terms(&self, parent: &ParentStats, child: &ChildStats) -> Terms {
        struct OfChild<'a>(&'a ParentStats, Fpu, &'a ChildStats);
        impl FormulaVisitor for OfChild<'_> {
            type Out = Terms;

            fn visit<S: Select, const SQUARES: bool, const PRIORS: bool>(self, select: S) -> Terms {
                let Self(parent, fpu, child) = self;
                let urgency = fpu.urgency(|| parent.mean);
                child_terms(
                    &select,
                    select.parent_term(parent.visits.max(1)),
                    urgency,
                    child,
                )
            }
        }
        self.visit(OfChild(parent, self.fpu, child))
    }

    /// C for means in [0, 1]: 2 mean - 1 + C x orders children as mean + C / 2 x does.
    fn scaled_exploration(&self) -> f64 {
        match self.reward_range {
            RewardRange::ZeroToOne => self.exploration,
            RewardRange::MinusOneToOne => self.exploration * 0.5,
        }
    }

    /// The factor before C in [`Self::describe`].
    fn written_scale(&self) -> &'static str {
        match self.reward_range {
            RewardRange::ZeroToOne => "",
            RewardRange::MinusOneToOne => "½ ",
        }
    }

    /// The formula in mathematical notation with its constants; N is the visits of the parent, n those of the child.
    pub fn describe(&self) -> String {
        struct Described<'a>(&'a Selection);
        impl FormulaVisitor for Described<'_> {
            type Out = String;

            fn visit<S: Select, const SQUARES: bool, const PRIORS: bool>(self, _: S) -> String {
                S::describe(self.0) + &self.0.fpu.describe()
            }
        }
        self.visit(Described(self))
    }
}

/// The terms of a child, visited or not.
#[inline(always)]
pub(super) fn child_terms(
    select: &impl Select,
    parent_term: f64,
    urgency: f64,
    child: &ChildStats,
) -> Terms {
    if child.edge_visits == 0.0 {
        select.unvisited_terms(parent_term, urgency, child)
    } else {
        select.terms(parent_term, child)
    }
}

/// A selection formula.
pub(super) trait Select: Copy + Send + Sync + 'static {
    /// Its name as a value of the parameter `select`.
    const NAME: &'static str;
    /// True if it has an exploration constant C.
    const HAS_EXPLORATION: bool;
    /// True if it reads sums of squared rewards.
    const NEEDS_SQUARES: bool = false;
    /// True if it reads priors.
    const NEEDS_PRIORS: bool = false;

    /// The formula with the constants of `selection`.
    fn new(selection: &Selection) -> Self;

    /// See [`Selection::describe`].
    fn describe(selection: &Selection) -> String;

    /// The factor that all children share, computed once per selection: a function of the parent's visits, which are at least 1.
    fn parent_term(&self, visits: u32) -> f64;

    /// The terms of a visited child; unspecified for an unvisited one. `N` is one child or several in SIMD lanes.
    fn terms<N: Number>(&self, parent_term: f64, child: &ChildStats<N>) -> Terms<N>;

    /// The terms of an unvisited child, whose mean is `urgency`. The default is for formulas whose exploration term would be
    /// infinite: it leaves the urgency alone.
    #[inline(always)]
    fn unvisited_terms<N: Number>(
        &self,
        parent_term: f64,
        urgency: f64,
        child: &ChildStats<N>,
    ) -> Terms<N> {
        let _ = (parent_term, child);
        Terms {
            mean: N::splat(urgency),
            exploration: N::splat(0.0),
        }
    }
}

/// Generic code for a formula that is known only at run time; see [`Selection::visit`].
pub(super) trait FormulaVisitor {
    /// The result of the visit.
    type Out;

    /// Runs the code; `SQUARES` and `PRIORS` state which statistics the formula needs from a store.
    fn visit<S: Select, const SQUARES: bool, const PRIORS: bool>(self, select: S) -> Self::Out;
}

/// Declares [`SelectFormula`] from the types that implement [`Select`].
macro_rules! formulas {
    ($($(#[$about:meta])* $formula:ident,)+) => {
        /// A selection formula by name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum SelectFormula {
            $($(#[$about])* $formula,)+
        }

        impl SelectFormula {
            /// All formulas.
            pub const ALL: &[Self] = &[$(Self::$formula),+];
            /// Their names, in the same order.
            pub const NAMES: &[&str] = &[$($formula::NAME),+];

            /// True if it has an exploration constant C.
            pub fn has_exploration(self) -> bool {
                match self {
                    $(Self::$formula => $formula::HAS_EXPLORATION,)+
                }
            }

            /// True if it reads sums of squared rewards.
            pub fn needs_squares(self) -> bool {
                match self {
                    $(Self::$formula => $formula::NEEDS_SQUARES,)+
                }
            }

            /// True if it reads priors.
            pub fn needs_priors(self) -> bool {
                match self {
                    $(Self::$formula => $formula::NEEDS_PRIORS,)+
                }
            }
        }

        impl Selection {
            /// Runs `visitor` for the formula's type.
            pub(super) fn visit<V: FormulaVisitor>(&self, visitor: V) -> V::Out {
                match self.formula {
                    $(SelectFormula::$formula => visitor
                        .visit::<_, { $formula::NEEDS_SQUARES }, { $formula::NEEDS_PRIORS }>(
                            $formula::new(self),
                        ),)+
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
    /// mean + C P sqrt(N) / (1 + n)
    Puct,
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
        Self {
            exploration: selection.scaled_exploration(),
        }
    }

    fn describe(selection: &Selection) -> String {
        let (half, exploration) = (selection.written_scale(), selection.exploration);
        format!("mean + {half}C·√(ln N / n), C = {exploration}")
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

/// UCB1-tuned: the exploration term shrinks with the variance of the rewards (Auer, Cesa-Bianchi and Fischer 2002).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ucb1Tuned {
    range: RewardRange,
}

impl Ucb1Tuned {
    /// Factors of the variance and of the exploration term. On [0, 1] it is Auer's formula, whose 1/4 is the largest variance
    /// possible there. On [-1, 1] the variance is four times as large and the mean weighs double.
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
        // Divisions dominate the cost: in trees, where both counts are one value, the compiler merges the two reciprocals.
        let inverse = N::splat(1.0) / child.visits;
        let mean = child.sum * inverse;
        let variance = child.squares * inverse - mean * mean;
        let share = N::splat(ln_parent) * (N::splat(1.0) / child.edge_visits);
        let (stretch, scale) = self.scales();
        let bound = variance * N::splat(stretch) + (N::splat(2.0) * share).sqrt();
        let most = N::splat(0.25);
        // Few bounds are below 1/4, so the branch is predicted and the second root does not wait for the first.
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

/// PUCT: mean + C P sqrt(N) / (1 + n) with prior P (Rosin 2011, in the form of AlphaGo Zero, Silver et al. 2017). Deviations: C
/// does not grow with N as in AlphaZero (2018), N is the parent's own visits rather than the sum of its children's, which is
/// one or two less, and priors are uniform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Puct {
    exploration: f64,
}

impl Puct {
    #[inline(always)]
    fn exploration<N: Number>(&self, sqrt_parent: f64, child: &ChildStats<N>) -> N {
        let weight = N::splat(self.exploration * sqrt_parent);
        weight * child.prior / (N::splat(1.0) + child.edge_visits)
    }
}

impl Select for Puct {
    const NAME: &'static str = "puct";
    const HAS_EXPLORATION: bool = true;
    const NEEDS_PRIORS: bool = true;

    fn new(selection: &Selection) -> Self {
        Self {
            exploration: selection.scaled_exploration(),
        }
    }

    fn describe(selection: &Selection) -> String {
        let (half, exploration) = (selection.written_scale(), selection.exploration);
        format!("mean + {half}C·P·√N / (1 + n), C = {exploration}")
    }

    #[inline(always)]
    fn parent_term(&self, visits: u32) -> f64 {
        f64::from(visits).sqrt()
    }

    #[inline(always)]
    fn terms<N: Number>(&self, sqrt_parent: f64, child: &ChildStats<N>) -> Terms<N> {
        Terms {
            mean: child.sum / child.visits,
            exploration: self.exploration(sqrt_parent, child),
        }
    }

    #[inline(always)]
    fn unvisited_terms<N: Number>(
        &self,
        sqrt_parent: f64,
        urgency: f64,
        child: &ChildStats<N>,
    ) -> Terms<N> {
        Terms {
            mean: N::splat(urgency),
            exploration: self.exploration(sqrt_parent, child),
        }
    }
}

/// [`RawChildStats`] of four children in SIMD lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawChildStatsX4<L> {
    pub(super) edge_visits: L,
    pub(super) visits: L,
    pub(super) sum: L,
    pub(super) squares: L,
    pub(super) prior: L,
}

impl<L: Lanes> RawChildStatsX4<L> {
    #[inline(always)]
    pub(super) fn new(children: [RawChildStats; 4]) -> Self {
        Self {
            edge_visits: children.map(|child| child.edge_visits.into()).into(),
            visits: children.map(|child| child.visits.into()).into(),
            sum: children.map(|child| child.sum).into(),
            squares: children.map(|child| child.squares).into(),
            prior: children.map(|child| child.prior).into(),
        }
    }

    /// The scores by a formula; unvisited children have `urgency` for their mean.
    #[inline(always)]
    pub(super) fn scores(&self, select: &impl Select, parent_term: f64, urgency: f64) -> L::Floats {
        let reward = L::Floats::splat(1.0 / REWARD_ONE as f64);
        let stats = ChildStats {
            edge_visits: u32_lanes_to_f64(self.edge_visits),
            visits: u32_lanes_to_f64(self.visits),
            sum: u64_lanes_to_f64(self.sum) * reward,
            squares: u64_lanes_to_f64(self.squares) * reward,
            prior: L::Floats::from_bits(self.prior),
        };
        let visited = select.terms(parent_term, &stats).score();
        let unvisited = select.unvisited_terms(parent_term, urgency, &stats).score();
        let is_unvisited = self.edge_visits.zero_mask();
        L::Floats::from_bits(is_unvisited.blend(unvisited.to_bits(), visited.to_bits()))
    }
}

/// The bits of 2^52 and of 2^84 as `f64`: an integer below 2^32 in the low mantissa bits adds units of 1, and of 2^32.
const TWO_52: u64 = 0x4330 << 48;
const TWO_84: u64 = 0x4530 << 48;

/// Converts integers below 2^32, exactly.
#[inline(always)]
fn u32_lanes_to_f64<L: Lanes>(numbers: L) -> L::Floats {
    let bits = numbers | L::splat(TWO_52);
    L::Floats::from_bits(bits) - L::Floats::splat(f64::from_bits(TWO_52))
}

/// Converts integers, rounding once as a cast does; AVX2 has no such instruction.
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

    fn puct(exploration: f64, reward_range: RewardRange) -> Puct {
        Puct::new(&Selection {
            exploration,
            reward_range,
            ..Selection::default()
        })
    }

    fn score_of(select: impl Select, parent_visits: u32, child: &ChildStats) -> f64 {
        let parent_term = select.parent_term(parent_visits);
        select.terms(parent_term, child).score()
    }

    /// The scores of four children of a node with 99 visits.
    struct ScoreFourChildren<S>(S, [RawChildStats; 4], f64);

    impl<S: Select> LaneWork for ScoreFourChildren<S> {
        type Out = [f64; 4];

        #[inline(always)]
        fn run<L: Lanes>(self) -> [f64; 4] {
            let scores =
                RawChildStatsX4::<L>::new(self.1).scores(&self.0, self.0.parent_term(99), self.2);
            scores.to_bits().to_array().map(f64::from_bits)
        }
    }

    #[test]
    fn four_at_once_are_four_one_by_one() {
        fn check(select: impl Select, children: [RawChildStats; 4]) {
            let parent_term = select.parent_term(99);
            let expected = children.map(|child| {
                child_terms(&select, parent_term, 0.7, &ChildStats::from(child)).score()
            });
            let work = ScoreFourChildren(select, children, 0.7);
            assert_eq!(run_in_lanes(work), expected);
            let work = ScoreFourChildren(select, children, 0.7);
            assert_eq!(work.run::<ScalarLanes>(), expected);
        }
        // Few visits, many visits (where the variance bound is below 1/4), and both in one vector.
        for steps in [[1, 2, 3, 4], [1000, 2000, 3000, 4000], [1000, 2, 3, 4000]] {
            let children = steps.map(|step| {
                let visits = 3 + 7 * step;
                RawChildStats {
                    edge_visits: visits - 2,
                    visits,
                    sum: u64::from(visits) * 1_589_137_899,
                    squares: u64::from(visits) * 901_943_132,
                    prior: (1.0 / f64::from(step)).to_bits(),
                }
            });
            let one_unvisited = {
                let mut children = children;
                children[2] = RawChildStats {
                    prior: children[2].prior,
                    ..RawChildStats::default()
                };
                children
            };
            for range in [RewardRange::ZeroToOne, RewardRange::MinusOneToOne] {
                for children in [children, one_unvisited] {
                    check(uct(1.41, range), children);
                    check(tuned(range), children);
                    check(puct(1.41, range), children);
                }
            }
        }
        let uct = uct(1.0, RewardRange::ZeroToOne);
        let urgency = Fpu::Infinite.urgency(|| 0.5);
        assert_eq!(
            run_in_lanes(ScoreFourChildren(
                uct,
                [RawChildStats::default(); 4],
                urgency
            )),
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
            ..ChildStats::default()
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
            ..ChildStats::default()
        };
        let score = score_of(uct(1.41, RewardRange::ZeroToOne), 100, &child);
        assert!((score - 1.206846).abs() < 5e-7, "{score}");
    }

    #[test]
    fn puct_worked_out_by_hand() {
        // mean 0.6, C = 1.5, P = 0.25, N = 400, n = 9: 0.6 + 1.5 * 0.25 * 20 / 10 = 0.6 + 0.75
        let child = ChildStats {
            edge_visits: 9.0,
            visits: 9.0,
            sum: 5.4,
            prior: 0.25,
            ..ChildStats::default()
        };
        let score = score_of(puct(1.5, RewardRange::ZeroToOne), 400, &child);
        assert!((score - 1.35).abs() < 1e-12, "{score}");
        // On [-1, 1] C counts half.
        let score = score_of(puct(1.5, RewardRange::MinusOneToOne), 400, &child);
        assert!((score - 0.975).abs() < 1e-12, "{score}");
    }

    #[test]
    fn urgencies_worked_out_by_hand() {
        let parent = ParentStats {
            visits: 400,
            mean: 0.55,
        };
        let child = ChildStats {
            prior: 0.25,
            ..ChildStats::default()
        };
        let terms = |formula, fpu| {
            let selection = Selection {
                formula,
                exploration: 1.5,
                fpu,
                ..Selection::default()
            };
            let Terms { mean, exploration } = selection.terms(&parent, &child);
            (mean, exploration)
        };
        let (uct, puct) = (SelectFormula::Uct, SelectFormula::Puct);
        assert_eq!(terms(uct, Fpu::Infinite), (f64::INFINITY, 0.0));
        assert_eq!(terms(uct, Fpu::Constant(1.1)), (1.1, 0.0));
        assert_eq!(terms(uct, Fpu::Reduction(0.25)), (0.55 - 0.25, 0.0));
        // PUCT adds its term for n = 0: 1.5 * 0.25 * 20 / 1.
        assert_eq!(terms(puct, Fpu::Constant(0.0)), (0.0, 7.5));
        assert_eq!(terms(puct, Fpu::Reduction(0.25)), (0.55 - 0.25, 7.5));
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
            ..ChildStats::default()
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
            ..ChildStats::default()
        };
        let score = score_of(tuned(RewardRange::ZeroToOne), 100, &child);
        assert!((score - 0.939307).abs() < 1e-6, "{score}");
    }
}
