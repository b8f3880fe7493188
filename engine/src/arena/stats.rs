//! Statistics of results: pure arithmetic.
//!
//! [`WdlCounts`] evaluates wins, draws and losses, [`PairCounts`] pairs of games, [`Ratings`] round robins, [`Correlation`] and [`Sample`]
//! measured values; [`holm`] corrects many tests at once, and [`power`] says how many games would settle a question.
//!
//! Every result is finite, whatever the input. Functions come from `libm`, so that the digits are the same on every machine.
//! Each function states its formula. A draw counts as half a point where points are counted, and is left out where only
//! decisive games are.

use std::{collections::HashSet, fmt, hash::Hash, ops::Add};

use serde::{Deserialize, Serialize};

pub use self::{
    bradley_terry::{Encounter, RatingDifference, RatingError, Ratings},
    correlation::{Correlation, Sample, growth_exponent},
    distributions::chi_squared_tail,
    pairs::PairCounts,
};

mod bradley_terry;
mod correlation;
pub mod distributions;
mod pairs;
pub mod power;

/// The 97.5 % point of the normal distribution: 95 % of it lie between this and its negative.
pub const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The 95 % point of the chi-squared distribution with one degree of freedom, which is [`NORMAL_95`] squared.
pub const CHI_SQUARED_95: f64 = 3.841_458_820_694_124;

/// When a smaller part of the games than this is different, a match says less than its error bars claim.
/// At 0.9 they are 5 % too narrow already.
pub const MIN_DISTINCT_RATE: f64 = 0.9;

/// An end of an interval this near to no point or to all points is not to be trusted, in points.
const EDGE_MARGIN_POINTS: f64 = 0.25;

/// How the games of a match ended, as one of the two sides sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WdlCounts {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl WdlCounts {
    /// Counts of wins, draws and losses.
    pub const fn new(wins: u32, draws: u32, losses: u32) -> Self {
        Self {
            wins,
            draws,
            losses,
        }
    }

    /// The same games as the other side sees them.
    pub const fn reversed(self) -> Self {
        Self::new(self.losses, self.draws, self.wins)
    }

    /// Number of games.
    pub fn games(self) -> u64 {
        self.decisive() + u64::from(self.draws)
    }

    /// Number of games that were won by either side.
    pub fn decisive(self) -> u64 {
        u64::from(self.wins) + u64::from(self.losses)
    }

    /// One point for a win, half a point for a draw.
    pub fn points(self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Points for each game, from 0 to 1. A half when nothing has been played.
    pub fn score(self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => self.points() / games as f64,
        }
    }

    /// The variance of one game's points (1, a half or 0) about the score, as the games show it.
    ///
    /// `(wins (1 - s)^2 + draws (1/2 - s)^2 + losses s^2) / games`
    pub fn variance(self) -> f64 {
        let score = self.score();
        let part = |count: u32, points: f64| f64::from(count) * (points - score) * (points - score);
        let sum = part(self.wins, 1.0) + part(self.draws, 0.5) + part(self.losses, 0.0);
        match self.games() {
            0 => 0.0,
            games => sum / games as f64,
        }
    }

    /// Where the true score lies with 95 % confidence, by Wilson's score interval.
    ///
    /// Points stand for successes and games for trials, so a draw is half a success. Draws make results vary less
    /// than that supposes: with many of them the interval is wider than it need be, never narrower. It stays within 0
    /// and 1, always holds the score, and is all of 0 to 1 when nothing has been played.
    ///
    /// The formula is that of [`wilson_interval`].
    pub fn wilson_interval(self) -> Interval {
        wilson_interval(self.score(), self.games() as f64, NORMAL_95)
    }

    /// How much stronger this side is than the other, in Elo, with 95 % error bars.
    ///
    /// `400 log10(s / (1 - s))` of the score, and of the score plus and minus `z sqrt(variance / games)`, with the
    /// [variance](Self::variance) of win, draw and loss. That fails when results are few or one-sided. When an end comes within a
    /// quarter of a point of no point or of all points, or when all games were drawn, the ends are those of
    /// [Wilson's interval](Self::wilson_interval) instead. When one side has all the points, only one end is finite, and the answer is that
    /// end.
    pub fn elo(self) -> Elo {
        let score = self.score();
        let games = self.games() as f64;
        if games == 0.0 {
            return Elo::Unknown;
        }
        let variance = self.variance();
        let spread = NORMAL_95 * (variance / games).sqrt();
        let edge = EDGE_MARGIN_POINTS / games;
        let is_sound = variance > 0.0 && score - spread >= edge && score + spread <= 1.0 - edge;
        let ends = if is_sound {
            Interval::around(score, score, spread, 1.0)
        } else {
            self.wilson_interval()
        };
        elo_of_trials(score, ends)
    }

    /// How likely it is that this side is the stronger one, from 0 to 1, judged by the decisive games.
    ///
    /// `Phi((wins - losses) / sqrt(wins + losses))`, Phi being the normal distribution. A half when no game was decisive.
    pub fn likelihood_of_superiority(self) -> f64 {
        match self.decisive() {
            0 => 0.5,
            decisive => {
                let deviation = self.lead() / (decisive as f64).sqrt();
                0.5 * libm::erfc(-deviation * std::f64::consts::FRAC_1_SQRT_2)
            }
        }
    }

    /// The exact two-sided sign test: how often two equal sides would be at least this far apart.
    ///
    /// Twice the probability that of all decisive games, each won by the toss of a coin, one side gets no more than the
    /// side with fewer wins got, and at most 1. Draws are left out. Below the smallest number there is, it is 0.
    pub fn sign_test(self) -> f64 {
        let fewer = u64::from(self.wins.min(self.losses));
        (2.0 * binomial_tail(self.decisive(), fewer)).min(1.0)
    }

    /// The figure that report 002 calls McNemar's: `(wins - losses)^2 / (wins + losses)`, without a correction for
    /// continuity. Draws are left out; 0 when no game was decisive. The exact form of the test is [`Self::sign_test`].
    pub fn mcnemar(self) -> McNemar {
        let chi_squared = match self.decisive() {
            0 => 0.0,
            decisive => self.lead() * self.lead() / decisive as f64,
        };
        McNemar { chi_squared }
    }

    /// Wins less losses.
    fn lead(self) -> f64 {
        f64::from(self.wins) - f64::from(self.losses)
    }
}

impl Add for WdlCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(
            self.wins.saturating_add(other.wins),
            self.draws.saturating_add(other.draws),
            self.losses.saturating_add(other.losses),
        )
    }
}

/// The results of one side, apart for the two colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WdlByColour {
    /// The games in which this side was the first player.
    pub first: WdlCounts,
    /// The games in which it was the second player.
    pub second: WdlCounts,
}

impl WdlByColour {
    /// All games of this side.
    pub fn total(self) -> WdlCounts {
        self.first + self.second
    }

    /// The same games as the other side sees them.
    pub const fn reversed(self) -> Self {
        Self {
            first: self.second.reversed(),
            second: self.first.reversed(),
        }
    }

    /// All games from the first player's perspective.
    pub fn first_player(self) -> WdlCounts {
        self.first + self.second.reversed()
    }
}

/// Two scores between which the true one lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// From `(centre - spread) / scale` to `(centre + spread) / scale`, within 0 and 1, and never without the score,
    /// whatever rounding does.
    fn around(score: f64, centre: f64, spread: f64, scale: f64) -> Self {
        Self {
            low: ((centre - spread) / scale).max(0.0).min(score),
            high: ((centre + spread) / scale).min(1.0).max(score),
        }
    }

    /// Whether a score lies in it.
    pub fn contains(self, score: f64) -> bool {
        self.low <= score && score <= self.high
    }
}

/// A difference in strength, in Elo. Positive is stronger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elo {
    /// Nothing has been played.
    Unknown,
    /// All points were lost: with 95 % confidence the difference is below this; there is no lower bound.
    Below(f64),
    /// Both sides have points.
    Known {
        /// The best guess.
        difference: f64,
        /// The lower end of the 95 % interval.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// All points were won: with 95 % confidence the difference is above this; there is no upper bound.
    Above(f64),
}

impl Elo {
    /// Half the width of the interval, which match runners print after "+/-"; none where the interval has but one end.
    pub fn margin(self) -> Option<f64> {
        match self {
            Self::Known { low, high, .. } => Some((high - low) / 2.0),
            Self::Unknown | Self::Below(_) | Self::Above(_) => None,
        }
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::Below(high) => write!(f, "< {high:+.1}"),
            Self::Above(low) => write!(f, "> {low:+.1}"),
            Self::Known {
                difference,
                low,
                high,
            } => write!(f, "{difference:+.1} [{low:+.1}, {high:+.1}]"),
        }
    }
}

/// The outcome of McNemar's test as report 002 makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McNemar {
    /// Follows the chi-squared distribution with one degree of freedom when the sides are equal.
    pub chi_squared: f64,
}

impl McNemar {
    /// How often two equal sides would be at least this far apart, by the chi-squared distribution.
    pub fn p_value(self) -> f64 {
        chi_squared_tail(self.chi_squared, 1)
    }

    /// Whether the sides differ at the 5 % level.
    pub fn is_significant(self) -> bool {
        self.chi_squared > CHI_SQUARED_95
    }
}

/// The number of distinct games of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variety {
    /// All games.
    pub games: u64,
    /// Different ones among them.
    pub distinct: u64,
}

impl Variety {
    /// Counts distinct games, by equality of the given values: moves, with the first player where the same moves by other
    /// players are another game.
    pub fn of<T: Hash + Eq>(games: impl IntoIterator<Item = T>) -> Self {
        let mut seen = HashSet::new();
        let mut count = 0;
        for game in games {
            seen.insert(game);
            count += 1;
        }
        Self {
            games: count,
            distinct: seen.len() as u64,
        }
    }

    /// The part of the games that is different, from 0 to 1. All when nothing has been played.
    pub fn rate(self) -> f64 {
        match self.games {
            0 => 1.0,
            games => self.distinct as f64 / games as f64,
        }
    }

    /// Whether the rate of distinct games is below [`MIN_DISTINCT_RATE`], which deserves a warning.
    pub fn is_low(self) -> bool {
        self.rate() < MIN_DISTINCT_RATE
    }
}

/// Where the true share of successes lies, by Wilson's score interval; `z` is [`NORMAL_95`] for 95 % confidence. All of 0 to 1 without
/// trials.
///
/// `(s + z^2 / 2n ± z sqrt(s (1 - s) / n + z^2 / 4n^2)) / (1 + z^2 / n)`
pub fn wilson_interval(share: f64, trials: f64, z: f64) -> Interval {
    if trials <= 0.0 {
        return Interval {
            low: 0.0,
            high: 1.0,
        };
    }
    let square = z * z / trials;
    let spread = z * (share * (1.0 - share) / trials + square / trials / 4.0).sqrt();
    Interval::around(share, share + square / 2.0, spread, 1.0 + square)
}

/// P-values corrected for their number by Holm's method: each may be compared with the level that holds for all together. In the order given.
///
/// The k-th smallest of n, counted from 1, is multiplied by n - k + 1; none becomes smaller than one before it, or larger than 1.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = p_values.iter().copied().enumerate().collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, (index, p)) in order.into_iter().enumerate() {
        largest = largest.max(p * (p_values.len() - rank) as f64).min(1.0);
        if let Some(place) = corrected.get_mut(index) {
            *place = largest;
        }
    }
    corrected
}

/// A score and its interval as Elo; only one end where one side has all the points.
fn elo_of_trials(score: f64, ends: Interval) -> Elo {
    if score <= 0.0 {
        return Elo::Below(score_to_elo(ends.high));
    }
    if score >= 1.0 {
        return Elo::Above(score_to_elo(ends.low));
    }
    Elo::Known {
        difference: score_to_elo(score),
        low: score_to_elo(ends.low),
        high: score_to_elo(ends.high),
    }
}

/// The Elo difference at which this score is expected: `400 log10(s / (1 - s))`. The score is clamped away from 0 and 1, so
/// that the result stays within 6,400 Elo.
fn score_to_elo(score: f64) -> f64 {
    let won = score.clamp(f64::EPSILON / 2.0, 1.0 - f64::EPSILON / 2.0);
    400.0 * libm::log10(won / (1.0 - won))
}

/// The score that is expected at this Elo difference: `1 / (1 + 10^(-elo / 400))`.
pub(super) fn elo_to_score(elo: f64) -> f64 {
    1.0 / (1.0 + libm::pow(10.0, -elo / 400.0))
}

/// The probability of at most `most` heads in `tosses` of a coin; `most` is at most half the tosses.
///
/// Walks from the middle of the distribution down, each term made from the one above, and divides the terms in the tail by
/// all of them. Terms that are too small for a number end the walk, after about 20 steps times the root of the tosses.
fn binomial_tail(tosses: u64, most: u64) -> f64 {
    let middle = tosses / 2;
    let (mut term, mut tail, mut lower_half) = (1.0, 0.0, 0.0);
    let mut heads = middle;
    while term >= f64::MIN_POSITIVE {
        if heads <= most {
            tail += term;
        }
        lower_half += term;
        if heads == 0 {
            break;
        }
        term *= heads as f64 / (tosses - heads + 1) as f64;
        heads -= 1;
    }
    // An even number of tosses has its middle term once, an odd one has two alike.
    let once = if tosses.is_multiple_of(2) { 1.0 } else { 0.0 };
    tail / (2.0 * lower_half - once)
}
