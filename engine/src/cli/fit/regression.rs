//! Finds the weights of an evaluation from positions and how their games ended (Texel's tuning method, Österlund 2014): logistic
//! regression of results, or least squares of margins.
//!
//! Deviations: all weights move at once, by Adam (Kingma and Ba 2015) on the gradient over all positions, and every weight is drawn
//! towards its prior value. One thread, fixed order, no platform's mathematics: the same positions give the same weights.

use crate::games::linear::{FitTarget, Stage};

/// Positions and the results of their games.
#[derive(Default)]
pub(super) struct Samples {
    /// Features of all positions one after the other, with how often each is there.
    features: Vec<(u16, i16)>,
    positions: Vec<Sample>,
}

struct Sample {
    /// Where its features end.
    end: usize,
    knot: usize,
    /// Weight of the second of its two knots.
    share: f32,
    /// Of the player to move: 1, 0.5 or 0, or points.
    result: f32,
}

impl Samples {
    /// Adds a position; `features` has each feature once.
    pub(super) fn push(&mut self, features: &[(u16, i16)], stage: Stage, result: f32) {
        self.features.extend(features);
        self.positions.push(Sample {
            end: self.features.len(),
            knot: stage.knot,
            share: stage.share as f32 / stage.parts as f32,
            result,
        });
    }

    /// Adds all of another.
    pub(super) fn append(&mut self, other: Self) {
        let before = self.features.len();
        self.features.extend(other.features);
        let moved = other.positions.into_iter().map(|sample| Sample {
            end: before + sample.end,
            ..sample
        });
        self.positions.extend(moved);
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    fn iter(&self) -> impl Iterator<Item = (&Sample, &[(u16, i16)])> {
        let mut start = 0;
        self.positions.iter().map(move |sample| {
            let features = &self.features[start..sample.end];
            start = sample.end;
            (sample, features)
        })
    }
}

/// What is fitted, and how.
pub(super) struct Regression {
    pub(super) knots: usize,
    pub(super) target: FitTarget,
    /// Weights before the fit, in points: a row of `knots` for each feature.
    pub(super) prior: Vec<f64>,
    /// Logistic units in a point.
    pub(super) scale: f64,
    /// How strongly weights are drawn to the prior, in positions.
    pub(super) shrink: f64,
}

impl Regression {
    /// The value of a position in points.
    fn value(&self, weights: &[f64], sample: &Sample, features: &[(u16, i16)]) -> f64 {
        let share = f64::from(sample.share);
        let mut sums = [0.0; 2];
        for &(feature, count) in features {
            let row = usize::from(feature) * self.knots + sample.knot;
            sums[0] += f64::from(count) * weights[row];
            sums[1] += f64::from(count) * weights[row + 1];
        }
        sums[0] * (1.0 - share) + sums[1] * share
    }

    /// The loss of one position, and its derivative by the value.
    fn loss(&self, value: f64, result: f64) -> (f64, f64) {
        match self.target {
            FitTarget::Outcome => {
                let score = 1.0 / (1.0 + libm::exp(-self.scale * value));
                let bounded = score.clamp(1e-9, 1.0 - 1e-9);
                let loss =
                    -(result * libm::log(bounded) + (1.0 - result) * libm::log(1.0 - bounded));
                (loss, self.scale * (score - result))
            }
            FitTarget::Margin => {
                let error = value - result;
                (error * error / 2.0, error)
            }
        }
    }

    /// The mean loss: cross-entropy, or half of the mean squared error in points.
    pub(super) fn mean_loss(&self, weights: &[f64], samples: &Samples) -> f64 {
        let losses = samples.iter().map(|(sample, features)| {
            let value = self.value(weights, sample, features);
            self.loss(value, sample.result.into()).0
        });
        losses.sum::<f64>() / samples.len().max(1) as f64
    }

    /// The scale from 0.1 to 4 with the least loss before the fit, by golden sections.
    pub(super) fn best_scale(&mut self, samples: &Samples) -> f64 {
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        let (mut low, mut high) = (0.1, 4.0);
        for _ in 0..24 {
            let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
            let [at_left, at_right] = [left, right].map(|scale| {
                self.scale = scale;
                self.mean_loss(&self.prior, samples)
            });
            if at_left < at_right {
                high = right;
            } else {
                low = left;
            }
        }
        (low + high) / 2.0
    }

    /// The gradient of the loss, drawn towards the prior.
    fn gradient(&self, weights: &[f64], samples: &Samples, gradient: &mut [f64]) {
        for (slot, (weight, prior)) in gradient.iter_mut().zip(weights.iter().zip(&self.prior)) {
            *slot = self.shrink * (weight - prior);
        }
        for (sample, features) in samples.iter() {
            let value = self.value(weights, sample, features);
            let (_, slope) = self.loss(value, sample.result.into());
            let share = f64::from(sample.share);
            let [first, second] = [slope * (1.0 - share), slope * share];
            for &(feature, count) in features {
                let row = usize::from(feature) * self.knots + sample.knot;
                gradient[row] += first * f64::from(count);
                gradient[row + 1] += second * f64::from(count);
            }
        }
        let count = samples.len().max(1) as f64;
        gradient.iter_mut().for_each(|slot| *slot /= count);
    }

    /// The weights after `rounds` steps; `on_round` hears of each, and false from it ends the fit.
    pub(super) fn fit(
        &self,
        samples: &Samples,
        rounds: u32,
        mut on_round: impl FnMut(u32) -> bool,
    ) -> Vec<f64> {
        const FIRST_STEP: f64 = 0.03;
        const DECAYS: [f64; 2] = [0.9, 0.999];
        let mut weights = self.prior.clone();
        let mut gradient = vec![0.0; weights.len()];
        let mut moments = vec![[0.0; 2]; weights.len()];
        let mut powers = [1.0; 2];
        for round in 0..rounds {
            if !on_round(round) {
                break;
            }
            self.gradient(&weights, samples, &mut gradient);
            powers = [powers[0] * DECAYS[0], powers[1] * DECAYS[1]];
            // Steps become smaller to the end, so that weights of frequent features settle.
            let left = 1.0 - f64::from(round) / f64::from(rounds);
            let step = FIRST_STEP * left * left;
            for ((weight, slope), moment) in weights.iter_mut().zip(&gradient).zip(&mut moments) {
                moment[0] = DECAYS[0] * moment[0] + (1.0 - DECAYS[0]) * slope;
                moment[1] = DECAYS[1] * moment[1] + (1.0 - DECAYS[1]) * slope * slope;
                let mean = moment[0] / (1.0 - powers[0]);
                let spread = (moment[1] / (1.0 - powers[1])).sqrt();
                *weight -= step * mean / (spread + 1e-9);
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const STAGE: Stage = Stage {
        knot: 0,
        share: 1,
        parts: 4,
    };

    fn regression(target: FitTarget) -> Regression {
        Regression {
            knots: 2,
            target,
            prior: vec![0.0; 4],
            scale: 1.0,
            shrink: 0.0,
        }
    }

    #[test]
    fn least_squares_finds_the_weights_that_made_the_margins() {
        let mut samples = Samples::default();
        let mut rng = Rng::new(1);
        for _ in 0..400 {
            let counts = [0, 1].map(|_| rng.below(7) as i16 - 3);
            let share = rng.below(5) as i32;
            let stage = Stage { share, ..STAGE };
            let part = share as f32 / 4.0;
            let between = |first: f32, second: f32| first * (1.0 - part) + second * part;
            let margin = f32::from(counts[0]) * between(2.0, -1.0)
                + f32::from(counts[1]) * between(0.5, 0.25);
            samples.push(&[(0, counts[0]), (1, counts[1])], stage, margin);
        }
        let weights = regression(FitTarget::Margin).fit(&samples, 2000, |_| true);
        for (found, made) in weights.iter().zip([2.0, -1.0, 0.5, 0.25]) {
            assert!((found - made).abs() < 0.01, "{weights:?}");
        }
    }

    #[test]
    fn logistic_regression_finds_the_log_odds() {
        // Of four games with the feature three are won: log 3.
        let mut samples = Samples::default();
        let start = Stage { share: 0, ..STAGE };
        for result in [1.0, 1.0, 1.0, 0.0] {
            samples.push(&[(0, 1)], start, result);
        }
        let weights = regression(FitTarget::Outcome).fit(&samples, 2000, |_| true);
        assert!((weights[0] - libm::log(3.0)).abs() < 0.01, "{weights:?}");
        assert_eq!(weights[2..], [0.0, 0.0], "nothing was said of the other");
    }

    #[test]
    fn weights_without_evidence_stay_at_their_prior() {
        let mut regression = regression(FitTarget::Outcome);
        regression.prior = vec![3.0; 4];
        regression.shrink = 1.0;
        let mut samples = Samples::default();
        samples.push(&[], STAGE, 1.0);
        assert_eq!(regression.fit(&samples, 50, |_| true), [3.0; 4]);
    }
}
