//! Pairs of games: one opening, both colours.
//!
//! The two games of a pair are not independent, for the opening may favour a colour. So the pair is the unit, with five outcomes
//! (the pentanomial model): 0, 1/2, 1, 3/2 or 2 points.

use super::{
    Elo, Interval, NORMAL_95, WdlCounts, distributions::normal_cdf, elo_of_trials, wilson_interval,
};

/// How many pairs of games brought this side how many points.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct PairCounts {
    /// Pairs with 0, 1/2, 1, 3/2 and 2 points.
    pub by_points: [u32; 5],
}

impl PairCounts {
    /// Counts pairs; each is the results of its two games. Others than two games are no pair and left out.
    pub fn of(pairs: impl IntoIterator<Item = WdlCounts>) -> Self {
        let mut counts = Self::default();
        for pair in pairs.into_iter().filter(|pair| pair.games() == 2) {
            let half_points = (2 * pair.wins + pair.draws) as usize;
            if let Some(count) = counts.by_points.get_mut(half_points) {
                *count = count.saturating_add(1);
            }
        }
        counts
    }

    /// Number of pairs.
    pub fn pairs(self) -> u64 {
        self.by_points.into_iter().map(u64::from).sum()
    }

    /// Points for each game, from 0 to 1. A half when nothing has been played.
    pub fn score(self) -> f64 {
        match self.pairs() {
            0 => 0.5,
            pairs => self.weighted().map(|(count, s)| count * s).sum::<f64>() / pairs as f64,
        }
    }

    /// The variance of a pair's score, its points for each game, about the score of all.
    pub fn variance(self) -> f64 {
        let mean = self.score();
        let squares = self
            .weighted()
            .map(|(count, score)| count * (score - mean) * (score - mean));
        squares.sum::<f64>() / self.pairs().max(1) as f64
    }

    /// Where the true score lies with 95 % confidence, by the normal distribution; by Wilson's interval with a pair as one trial, which
    /// is wider than it need be, where that fails: near the edges, or when all pairs ended alike.
    pub fn interval(self) -> Interval {
        let (score, spread) = (self.score(), NORMAL_95 * self.standard_error());
        let edge = super::EDGE_MARGIN_POINTS / self.pairs().max(1) as f64;
        if spread > 0.0 && score - spread >= edge && score + spread <= 1.0 - edge {
            Interval::around(score, score, spread, 1.0)
        } else {
            wilson_interval(score, self.pairs() as f64, NORMAL_95)
        }
    }

    /// How much stronger this side is than the other, in Elo, with 95 % error bars: [`Self::interval`] as Elo.
    pub fn elo(self) -> Elo {
        match self.pairs() {
            0 => Elo::Unknown,
            _ => elo_of_trials(self.score(), self.interval()),
        }
    }

    /// How likely it is that this side is the stronger one: `Phi((s - 1/2) / standard error)`. A half when all pairs ended even.
    pub fn likelihood_of_superiority(self) -> f64 {
        let (lead, error) = (self.score() - 0.5, self.standard_error());
        if error > 0.0 {
            normal_cdf(lead / error)
        } else if lead == 0.0 {
            0.5
        } else {
            f64::from(u8::from(lead > 0.0))
        }
    }

    /// Pairs with more than one point, with one, and with less. Its [sign test](WdlCounts::sign_test) is exact although the two games of
    /// a pair depend on each other.
    pub fn pairs_won(self) -> WdlCounts {
        let [none, half, one, most, all] = self.by_points;
        WdlCounts::new(most.saturating_add(all), one, none.saturating_add(half))
    }

    /// The standard error of the score.
    pub fn standard_error(self) -> f64 {
        (self.variance() / self.pairs().max(1) as f64).sqrt()
    }

    /// The same pairs as the other side sees them.
    pub fn reversed(mut self) -> Self {
        self.by_points.reverse();
        self
    }

    /// Each outcome's count and score.
    fn weighted(self) -> impl Iterator<Item = (f64, f64)> {
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        self.by_points
            .into_iter()
            .zip(scores)
            .map(|(count, score)| (f64::from(count), score))
    }
}
