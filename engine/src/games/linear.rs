//! Evaluations that are weighted sums of features, with weights that change from stage to stage of the game. The same code that
//! lists a position's features sums them up in a search and hands them to `canopy-engine fit`, which finds the weights.

use super::Game;

/// Receives the features of a position.
pub trait FeatureSink {
    /// The player to move has the feature `count` times more than the opponent.
    fn add(&mut self, feature: usize, count: i32);
}

/// How far a game is: `share` parts in `parts` of the way from one knot, a point with weights of its own, to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The knot before, counted from 0.
    pub knot: usize,
    /// 0 at that knot, `parts` at the next one.
    pub share: i32,
    /// Parts between two knots.
    pub parts: i32,
}

impl Stage {
    /// The stage at `done` parts from the start of the game, with `knots` knots that are `parts` apart; the last one holds to the end.
    #[inline(always)]
    pub fn new(done: i32, parts: i32, knots: usize) -> Self {
        let done = done.clamp(0, parts * (knots as i32 - 1));
        let knot = ((done / parts) as usize).min(knots - 2);
        Self {
            knot,
            share: done - knot as i32 * parts,
            parts,
        }
    }
}

/// A weighted sum of features at a stage; a row of `weights` is a feature, a column a knot.
pub struct WeightedSum<'a, const KNOTS: usize> {
    weights: &'a [[i16; KNOTS]],
    stage: Stage,
    sums: [i32; 2],
}

impl<'a, const KNOTS: usize> WeightedSum<'a, KNOTS> {
    /// The sum of no features.
    #[inline(always)]
    pub fn new(weights: &'a [[i16; KNOTS]], stage: Stage) -> Self {
        Self {
            weights,
            stage,
            sums: [0; 2],
        }
    }

    /// The value of the features that `add` adds.
    #[inline(always)]
    pub fn of(
        weights: &'a [[i16; KNOTS]],
        stage: Stage,
        add: impl FnOnce(&mut Self) -> Stage,
    ) -> i32 {
        let mut sum = Self::new(weights, stage);
        add(&mut sum);
        sum.value()
    }

    /// The sum, between the sums at the two knots, rounded towards zero.
    #[inline(always)]
    pub fn value(&self) -> i32 {
        let Stage { share, parts, .. } = self.stage;
        (self.sums[0] * (parts - share) + self.sums[1] * share) / parts
    }
}

impl<const KNOTS: usize> FeatureSink for WeightedSum<'_, KNOTS> {
    #[inline(always)]
    fn add(&mut self, feature: usize, count: i32) {
        let row = &self.weights[feature];
        self.sums[0] += count * i32::from(row[self.stage.knot]);
        self.sums[1] += count * i32::from(row[self.stage.knot + 1]);
    }
}

/// Counts all features, for tests that look at them.
#[cfg(test)]
impl<const FEATURES: usize> FeatureSink for [i32; FEATURES] {
    fn add(&mut self, feature: usize, count: i32) {
        self[feature] += count;
    }
}

/// Features that belong together.
#[derive(Clone, Copy, Debug)]
pub struct FeatureGroup {
    /// What they are, in a few words; one word in the weights' file.
    pub name: &'static str,
    /// How many there are.
    pub count: usize,
}

impl FeatureGroup {
    /// A group of `count` features.
    pub const fn new(name: &'static str, count: usize) -> Self {
        Self { name, count }
    }
}

/// Declares the groups of features of a game, as `GROUPS`, a constant for the first feature of each group, and their number,
/// `FEATURES`.
macro_rules! feature_groups {
    ($($constant:ident $name:literal $count:literal),+ $(,)?) => {
        const GROUPS: &[$crate::games::linear::FeatureGroup] =
            &[$($crate::games::linear::FeatureGroup::new($name, $count)),+];
        $crate::games::linear::feature_groups!(@ 0; $($constant $count,)+);
    };
    (@ $first:expr; $constant:ident $count:literal, $($rest:tt)*) => {
        const $constant: usize = $first;
        $crate::games::linear::feature_groups!(@ $constant + $count; $($rest)*);
    };
    (@ $first:expr;) => {
        const FEATURES: usize = $first;
    };
}
pub(crate) use feature_groups;

/// What the weights are to foretell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitTarget {
    /// The result: win, draw or loss, as a logistic function of the value.
    Outcome,
    /// The margin at the end in points: a value of 100 is a point.
    Margin,
}

/// An evaluation whose weights `canopy-engine fit` can find.
pub struct FittedEvaluation<G> {
    /// The name of the evaluation.
    pub evaluation: &'static str,
    /// Its features.
    pub groups: &'static [FeatureGroup],
    /// Columns of its table of weights.
    pub knots: usize,
    /// What the weights foretell.
    pub target: FitTarget,
    /// What a feature is thought to be worth at a knot before the fit, in hundredths of a point: what weights are drawn to where
    /// games say little. `None` if nothing is known, not even what a point is.
    pub prior: Option<fn(feature: usize, knot: usize) -> f64>,
    /// Lists the features of a position, and tells its stage.
    pub features: FeaturesFn<G>,
    /// Whether nothing is about to happen that changes the value much: only such positions are learned from.
    pub is_quiet: fn(&G) -> bool,
    /// A value that decides a game of the fit, if it lasts; 0 to play all games to the end.
    pub decided: i32,
    /// Where the weights are in the source, and how.
    pub file: WeightsFile,
}

impl<G> FittedEvaluation<G> {
    /// One that foretells the result, with weights that are 0 before the fit, and that learns from every position.
    pub const fn new(
        evaluation: &'static str,
        groups: &'static [FeatureGroup],
        knots: usize,
        features: FeaturesFn<G>,
        file: WeightsFile,
    ) -> Self {
        Self {
            evaluation,
            groups,
            knots,
            target: FitTarget::Outcome,
            prior: None,
            features,
            is_quiet: |_| true,
            decided: 0,
            file,
        }
    }
}

/// Lists the features of a position, and tells its stage.
pub type FeaturesFn<G> = fn(&G, &mut dyn FeatureSink) -> Stage;

/// A file of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsFile {
    /// A constant in a Rust file at this path.
    Rust(&'static str),
    /// Little-endian 16-bit numbers, row after row, at this path.
    Binary(&'static str),
}

impl<G: Game> FittedEvaluation<G> {
    /// The number of features.
    pub fn feature_count(&self) -> usize {
        self.groups.iter().map(|group| group.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_run_from_knot_to_knot_and_end_at_the_last() {
        let at = |done| {
            let Stage { knot, share, .. } = Stage::new(done, 20, 3);
            (knot, share)
        };
        assert_eq!(
            [-5, 0, 19, 20, 39, 40, 99].map(at),
            [(0, 0), (0, 0), (0, 19), (1, 0), (1, 19), (1, 20), (1, 20)]
        );
    }

    #[test]
    fn sums_are_weighted_between_two_knots() {
        let weights = [[100, 200, 400], [-10, -20, -40]];
        let mut sum = WeightedSum::new(&weights, Stage::new(5, 10, 3));
        sum.add(0, 1);
        sum.add(1, 2);
        assert_eq!(sum.value(), (80 + 160) / 2);
        let mut end = WeightedSum::new(&weights, Stage::new(20, 10, 3));
        end.add(0, -1);
        assert_eq!(end.value(), -400);
    }
}
