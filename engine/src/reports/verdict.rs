//! From data to verdicts.
//!
//! A claim is confirmed when a test at level [`ALPHA`] says so, and rejected when a test says the contrary or when the data exclude every
//! difference that matters (the margin). Otherwise it is not settled, and the verdict says how many more trials would settle it: so many
//! that four of five experiments would, if the trials go on as those so far.

use serde::{Deserialize, Serialize};

use super::numbers;
use crate::arena::stats::{
    Correlation, Interval, NORMAL_95, PairCounts, RatingDifference, Sample, WdlCounts, holm,
    power::{self, Question},
    wilson_interval,
};

/// The level of all tests, after correction for their number.
pub const ALPHA: f64 = 0.05;

/// The smallest difference in score that matters, where nothing else is said: 5 points of a hundred.
pub const DEFAULT_MARGIN: f64 = 0.05;

/// What became of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It holds.
    Confirmed,
    /// It has several parts, and some hold while others do not.
    PartlyConfirmed,
    /// It does not hold.
    Rejected,
    /// The data are too few.
    NotSettled {
        /// Trials that would settle it; none if no number can be given.
        more: Option<u64>,
    },
    /// There are no data.
    #[default]
    NotTested,
}

impl Outcome {
    /// Whether the claim holds.
    pub fn is_confirmed(self) -> bool {
        self == Self::Confirmed
    }

    /// In words: `not settled: 400 more games would settle it`; `unit` is what the trials are.
    pub fn label(self, unit: &str) -> String {
        match self {
            Self::Confirmed => "confirmed".to_owned(),
            Self::PartlyConfirmed => "partly confirmed".to_owned(),
            Self::Rejected => "rejected".to_owned(),
            Self::NotSettled { more: None } => "not settled".to_owned(),
            Self::NotSettled { more: Some(more) } => {
                let more = numbers::decimal(more as f64, 0);
                format!("not settled: {more} more {unit} would settle it")
            }
            Self::NotTested => "not tested".to_owned(),
        }
    }

    /// In a word or two, and the trials that would settle it: `not settled` and `400 more games`.
    pub fn short_label(self, unit: &str) -> (String, String) {
        match self {
            Self::NotSettled { more: Some(more) } => {
                let more = numbers::decimal(more as f64, 0);
                let label = Self::NotSettled { more: None }.label(unit);
                (label, format!("{more} more {unit}").replace(' ', "\u{a0}"))
            }
            settled => (settled.label(unit), String::new()),
        }
    }

    /// The outcome of a claim whose parts must all hold.
    ///
    /// Some confirmed and some rejected: partly confirmed. Some rejected, none confirmed: rejected. Else the unsettled parts decide; the
    /// largest need is that of the whole.
    pub fn of_all(parts: &[Self]) -> Self {
        let any = |is_wanted: fn(&Self) -> bool| parts.iter().any(is_wanted);
        let is_confirmed = any(|part| matches!(part, Self::Confirmed | Self::PartlyConfirmed));
        let is_rejected = any(|part| matches!(part, Self::Rejected | Self::PartlyConfirmed));
        if is_confirmed && is_rejected {
            return Self::PartlyConfirmed;
        }
        if is_rejected {
            return Self::Rejected;
        }
        let unsettled: Vec<Option<u64>> = (parts.iter())
            .filter_map(|part| match part {
                Self::NotSettled { more } => Some(*more),
                _ => None,
            })
            .collect();
        if !unsettled.is_empty() {
            let more = unsettled.into_iter().flatten().max();
            return Self::NotSettled { more };
        }
        match is_confirmed && !any(|part| matches!(part, Self::NotTested)) {
            true => Self::Confirmed,
            false if is_confirmed => Self::NotSettled { more: None },
            false => Self::NotTested,
        }
    }
}

/// The answer to a question, in a sentence or two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// What the trials are: "games", "runs", "positions".
    pub unit: String,
    /// What was found, in sentences; may be empty.
    pub text: String,
}

impl Verdict {
    /// A verdict.
    pub fn new(outcome: Outcome, unit: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            outcome,
            unit: unit.into(),
            text: text.into(),
        }
    }

    /// The outcome as a sentence: `Not settled: 400 more games would settle it.`
    pub fn lead(&self) -> String {
        let label = self.outcome.label(&self.unit);
        let mut symbols = label.chars();
        let first = symbols.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(symbols).chain(['.']).collect()
    }

    /// The whole verdict.
    pub fn sentence(&self) -> String {
        format!("{} {}", self.lead(), self.text)
            .trim_end()
            .to_owned()
    }
}

/// What a hypothesis claims of the score of one side against another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// The first side is stronger.
    Stronger {
        /// The smallest gain in score that matters, such as 0.05.
        margin: f64,
    },
    /// The sides are equal.
    Equal {
        /// The smallest difference in score that matters.
        margin: f64,
    },
}

impl Claim {
    fn margin(self) -> f64 {
        match self {
            Self::Stronger { margin } | Self::Equal { margin } => margin,
        }
    }

    fn question(self) -> Question {
        match self {
            Self::Stronger { margin } => Question::IsStronger { margin },
            Self::Equal { margin } => Question::IsEqual { margin },
        }
    }
}

/// What games between two sides show of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// It is stronger.
    Stronger,
    /// It is weaker.
    Weaker,
    /// It is neither stronger nor weaker by the margin.
    NoDifference,
    /// It is not stronger by the margin, and may be weaker.
    NotStronger,
    /// It is not weaker by the margin, and may be stronger.
    NotWeaker,
    /// None of these.
    Unclear,
}

impl Finding {
    /// Whether it is a difference in either direction.
    pub fn is_difference(self) -> bool {
        matches!(self, Self::Stronger | Self::Weaker)
    }

    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Self::Stronger => "stronger",
            Self::Weaker => "weaker",
            Self::NoDifference => "no difference",
            Self::NotStronger => "not stronger",
            Self::NotWeaker => "not weaker",
            Self::Unclear => "not settled",
        }
    }
}

/// Games between two sides with all that tests say of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GamesTest {
    /// The results of the first side.
    pub results: WdlCounts,
    /// Where its true score lies: Wilson's interval, or by pairs.
    pub interval: Interval,
    /// The exact sign test: of decisive games, or of pairs that one side won.
    pub p_value: f64,
    /// The same after Holm's correction for all comparisons of the claim.
    pub corrected_p: f64,
    /// What it shows.
    pub finding: Finding,
    /// What that means for the claim.
    pub outcome: Outcome,
}

/// Tests a claim on several pairs of sides at once. Where pairs of games are given, they are the unit; else the game is.
pub fn test_games(claim: Claim, games: &[(WdlCounts, Option<PairCounts>)]) -> Vec<GamesTest> {
    let p_value = |(results, pairs): &(WdlCounts, Option<PairCounts>)| {
        pairs.map_or(*results, PairCounts::pairs_won).sign_test()
    };
    let p_values: Vec<f64> = games.iter().map(p_value).collect();
    let corrected = holm(&p_values);
    let each = games.iter().zip(p_values.iter().zip(&corrected));
    each.map(|(&(results, pairs), (&p_value, &corrected_p))| {
        let interval = pairs.map_or_else(|| results.wilson_interval(), PairCounts::interval);
        let finding = find(results, interval, corrected_p, claim.margin());
        let mut test = GamesTest {
            results,
            interval,
            p_value,
            corrected_p,
            finding,
            outcome: Outcome::NotTested,
        };
        test.outcome = test.outcome_for(claim, games.len());
        test
    })
    .collect()
}

/// What results show, given the corrected p-value and the margin.
fn find(results: WdlCounts, interval: Interval, p: f64, margin: f64) -> Finding {
    let is_below = interval.high < 0.5 + margin;
    let is_above = interval.low > 0.5 - margin;
    if p <= ALPHA {
        if results.wins > results.losses {
            Finding::Stronger
        } else {
            Finding::Weaker
        }
    } else {
        match (is_below, is_above) {
            (true, true) => Finding::NoDifference,
            (true, false) => Finding::NotStronger,
            (false, true) => Finding::NotWeaker,
            (false, false) => Finding::Unclear,
        }
    }
}

impl GamesTest {
    /// The outcome of a claim that is one of `claims` tested together.
    fn outcome_for(&self, claim: Claim, claims: usize) -> Outcome {
        if self.results.games() == 0 {
            return Outcome::NotTested;
        }
        let margin = claim.margin();
        let is_equal = self.interval.low > 0.5 - margin && self.interval.high < 0.5 + margin;
        let settled = match (claim, self.finding) {
            (Claim::Equal { .. }, _) if is_equal => Some(Outcome::Confirmed),
            (Claim::Equal { .. }, Finding::Stronger | Finding::Weaker) => Some(Outcome::Rejected),
            (Claim::Stronger { .. }, Finding::Stronger) => Some(Outcome::Confirmed),
            (
                Claim::Stronger { .. },
                Finding::Weaker | Finding::NoDifference | Finding::NotStronger,
            ) => Some(Outcome::Rejected),
            _ => None,
        };
        settled.unwrap_or_else(|| {
            let alpha = ALPHA / claims.max(1) as f64;
            let needed = power::games_needed(self.results, claim.question(), alpha);
            Outcome::NotSettled {
                more: needed.map(|needed| more_trials(needed, self.results.games())),
            }
        })
    }
}

/// Trials beyond those done, rounded up to two digits and to whole pairs. An experiment that should have settled the question already is
/// continued by a quarter.
fn more_trials(needed: u64, done: u64) -> u64 {
    let more = needed.saturating_sub(done).max(done / 4).max(2);
    let mut unit = 1;
    while more / unit >= 100 {
        unit *= 10;
    }
    let rounded = more.div_ceil(unit) * unit;
    rounded + rounded % 2
}

/// How our result stands to a published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The same finding, and scores that chance explains; or no difference found in either.
    AsPublished,
    /// The same finding, farther from equal than published.
    MoreThanPublished,
    /// The same finding, nearer to equal than published.
    LessThanPublished,
    /// A difference in one of them alone, or in contrary directions.
    Differs {
        /// What those show.
        published: Finding,
    },
}

impl Relation {
    /// How ours stands to the published games, both tested the same way.
    pub fn of(ours: &GamesTest, published: &GamesTest) -> Self {
        let findings = [ours.finding, published.finding];
        if !findings.iter().any(|finding| finding.is_difference()) {
            return Self::AsPublished;
        }
        if ours.finding != published.finding {
            return Self::Differs {
                published: published.finding,
            };
        }
        let variance = |test: &GamesTest| {
            let games = test.results.games().max(1) as f64;
            test.results.variance() / games
        };
        let error = (variance(ours) + variance(published)).sqrt();
        let lead = |test: &GamesTest| (test.results.score() - 0.5).abs();
        let difference = ours.results.score() - published.results.score();
        if difference.abs() <= NORMAL_95 * error {
            Self::AsPublished
        } else if lead(ours) > lead(published) {
            Self::MoreThanPublished
        } else {
            Self::LessThanPublished
        }
    }

    /// In words.
    pub fn label(self) -> String {
        match self {
            Self::AsPublished => "as published".to_owned(),
            Self::MoreThanPublished => "more than published".to_owned(),
            Self::LessThanPublished => "less than published".to_owned(),
            Self::Differs { published } if published.is_difference() => {
                format!("published: {}", published.label())
            }
            Self::Differs { .. } => "published: no effect found".to_owned(),
        }
    }
}

/// Whether two values are correlated, where coefficients below `margin` do not matter; the trials are points.
pub fn judge_correlation(correlation: Correlation, margin: f64) -> Outcome {
    let interval = correlation.interval();
    if correlation.p_value() <= ALPHA {
        return Outcome::Confirmed;
    }
    if interval.low > -margin && interval.high < margin {
        return Outcome::Rejected;
    }
    // To find the correlation, or to show that it stays within the margin.
    let r = correlation.r.abs();
    let gap = libm::atanh(margin.min(0.999)) - libm::atanh(r.min(0.999));
    let found = power::correlation_points_needed(correlation, ALPHA);
    let excluded = (gap > 0.0).then(|| power::trials_needed(gap, 1.0, ALPHA).ceil() as u64 + 3);
    let needed = found.into_iter().chain(excluded).min();
    Outcome::NotSettled {
        more: needed.map(|needed| more_trials(needed, u64::from(correlation.points))),
    }
}

/// Whether the mean of a measured value is at most `limit`.
pub fn judge_limit(sample: Sample, limit: f64) -> Outcome {
    let Some(interval) = sample.interval() else {
        return Outcome::NotSettled { more: Some(4) };
    };
    if interval.high <= limit {
        return Outcome::Confirmed;
    }
    if interval.low > limit {
        return Outcome::Rejected;
    }
    let needed = power::trials_needed(sample.mean - limit, sample.deviation, ALPHA).ceil();
    let more = (needed < 1e12).then(|| more_trials(needed as u64, u64::from(sample.count)));
    Outcome::NotSettled { more }
}

/// Whether all rows are equal to the published ones.
pub fn judge_rows(equal: u64, rows: u64) -> Outcome {
    match (equal, rows) {
        (_, 0) => Outcome::NotTested,
        (equal, rows) if equal >= rows => Outcome::Confirmed,
        _ => Outcome::Rejected,
    }
}

/// Whether a share of trials exceeds `limit`: `successes` of `trials`. Settled by Wilson's interval.
pub fn judge_share(successes: f64, trials: u64, limit: f64) -> Outcome {
    if trials == 0 {
        return Outcome::NotTested;
    }
    let share = successes / trials as f64;
    let interval = wilson_interval(share, trials as f64, NORMAL_95);
    if interval.low > limit {
        return Outcome::Confirmed;
    }
    if interval.high < limit {
        return Outcome::Rejected;
    }
    let deviation = (limit * (1.0 - limit)).max(0.0).sqrt();
    let needed = power::trials_needed(share - limit, deviation, ALPHA).ceil();
    let more = (needed < 1e12).then(|| more_trials(needed as u64, trials));
    Outcome::NotSettled { more }
}

/// Whether every step of a ranking is real: the rating differences of neighbours, best first, with Holm's correction. The outcomes of
/// the steps; a step that is not significant is not settled, and needs so many more games for each of the pair of `games` each has.
pub fn judge_ranking(steps: &[RatingDifference], games: u64) -> Vec<Outcome> {
    let p_values: Vec<f64> = steps.iter().map(|step| step.p_value()).collect();
    let corrected = holm(&p_values);
    let alpha = ALPHA / steps.len().max(1) as f64;
    let each = steps.iter().zip(corrected);
    each.map(|(step, p)| {
        if p <= ALPHA {
            return Outcome::Confirmed;
        }
        // The error shrinks with the root of the number of games.
        let deviation = step.standard_error * (games as f64).sqrt();
        let needed = power::trials_needed(step.elo, deviation, alpha).ceil();
        let more = (needed < 1e12).then(|| more_trials(needed as u64, games));
        Outcome::NotSettled { more }
    })
    .collect()
}
