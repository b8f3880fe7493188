//! How large an experiment must be to settle a question.
//!
//! Normal approximations for planning: with that many trials, [`POWER`] of all such experiments settle it.

use super::{Correlation, WdlCounts, distributions::normal_quantile};

/// The part of experiments of the planned size that find what there is to be found.
pub const POWER: f64 = 0.8;

/// The number of trials after which a mean that truly differs by `effect` is found to differ, in [`POWER`] of all experiments, by a two-sided
/// test at level `alpha`. Infinite for an effect of 0.
///
/// `((z(1 - alpha/2) + z(power)) deviation / effect)^2`
pub fn trials_needed(effect: f64, deviation: f64, alpha: f64) -> f64 {
    let distance = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(POWER);
    let trials = distance * deviation / effect.abs();
    trials * trials
}

/// The number of points after which a correlation of `r` is found: by Fisher's transformation, `((z + z) / atanh r)^2 + 3`.
pub fn points_needed(r: f64, alpha: f64) -> f64 {
    trials_needed(libm::atanh(r), 1.0, alpha) + 3.0
}

/// A question that games settle, for planning more of them. Scores within `margin` of a half are no difference that matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// Whether a side scores more than half. Settled by a difference, or by scores that stay below 1/2 + `margin`.
    IsStronger {
        /// The smallest gain that matters.
        margin: f64,
    },
    /// Whether two sides are equal. Settled by a difference, or by scores within 1/2 ± `margin`.
    IsEqual {
        /// The smallest difference that matters.
        margin: f64,
    },
}

/// The games in all that would settle a question, if later games go on as those played. None if no number would: the score lies exactly on
/// the border between two answers.
///
/// One win and one loss are added to the results, so that few games do not promise certainty.
pub fn games_needed(results: WdlCounts, question: Question, alpha: f64) -> Option<u64> {
    let results = results + WdlCounts::new(1, 0, 1);
    let lead = results.score() - 0.5;
    let deviation = results.variance().sqrt();
    let to_border = match question {
        Question::IsStronger { margin } => margin - lead,
        Question::IsEqual { margin } => margin - lead.abs(),
    };
    let difference = trials_needed(lead, deviation, alpha);
    let no_difference = if to_border > 0.0 {
        trials_needed(to_border, deviation, alpha)
    } else {
        f64::INFINITY
    };
    whole(difference.min(no_difference))
}

/// The points in all that would settle whether a correlation exists, if later ones are correlated as much as those measured.
pub fn correlation_points_needed(correlation: Correlation, alpha: f64) -> Option<u64> {
    whole(points_needed(correlation.r, alpha))
}

/// The whole number at or above; none for numbers that no experiment reaches.
fn whole(trials: f64) -> Option<u64> {
    (trials.is_finite() && trials < 1e12).then(|| trials.ceil() as u64)
}
