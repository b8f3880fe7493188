//! When a match may stop: Wald's sequential probability ratio test (SPRT), for wins, draws and losses.
//!
//! The hypotheses are two Elo differences, `elo0` and `elo1`; neither fixes the draw rate. So each hypothesis takes the win,
//! draw and loss probabilities of maximum likelihood among those with its expected score (the generalised SPRT; Van den
//! Bergh, "Comments on normalized Elo", section 1, for any number of outcomes). The log-likelihood ratio equals the one that
//! fastchess prints for its model "logistic". cutechess reaches the same figures, to a few hundredths, by a draw model with
//! one parameter; far from both hypotheses the two differ.
//!
//! For three outcomes the maximum-likelihood probabilities are roots of a quadratic equation, so nothing is iterated, and
//! outcomes that have not occurred need no special case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::stats::{WdlCounts, elo_to_score};

/// Elo differences further from 0 than this are no hypotheses.
pub const MAX_ELO: f64 = 2000.0;

/// The two hypotheses and the error rate of each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// Why a test cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// A hypothesis is out of range.
    #[error(
        "an Elo difference of {0} is no hypothesis: expected a number from -{MAX_ELO} to {MAX_ELO}"
    )]
    Elo(f64),
    /// The hypotheses are the wrong way round.
    #[error("elo0 is {elo0} and elo1 is {elo1}: expected elo0 to be the smaller one")]
    Order {
        /// The first hypothesis.
        elo0: f64,
        /// The second.
        elo1: f64,
    },
    /// A rate of errors is out of range.
    #[error("{0} is no rate of errors: expected a number above 0 and below 0.5")]
    Rate(f64),
}

/// The verdict of a test so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// Play on.
    Continue,
    /// The difference is `elo0` rather than `elo1`.
    AcceptH0,
    /// The difference is `elo1` rather than `elo0`.
    AcceptH1,
}

/// A test that judges the games of a match in order of their numbers, whatever order they finish in: its verdict does not
/// depend on concurrency.
#[derive(Clone, Debug)]
pub struct SprtRun {
    test: Sprt,
    /// Results of games that wait for one with a smaller number.
    pending: BTreeMap<u64, WdlCounts>,
    /// The games that have been judged, from the first on without a gap.
    judged: WdlCounts,
    verdict: SprtVerdict,
}

impl SprtRun {
    /// Before the first game.
    pub fn new(test: Sprt) -> Self {
        Self {
            test,
            pending: BTreeMap::new(),
            judged: WdlCounts::default(),
            verdict: SprtVerdict::Continue,
        }
    }

    /// Adds a game by its number, counted from 1, with its result for the first engine. A verdict is final.
    pub fn add(&mut self, game: u64, result: WdlCounts) {
        if game <= self.judged.games() {
            return;
        }
        self.pending.entry(game).or_insert(result);
        while self.verdict == SprtVerdict::Continue
            && let Some(result) = self.pending.remove(&(self.judged.games() + 1))
        {
            self.judged = self.judged + result;
            self.verdict = self.test.verdict(self.judged);
        }
    }

    /// The test.
    pub fn test(&self) -> &Sprt {
        &self.test
    }

    /// The games that decided, or that have been judged so far.
    pub fn judged(&self) -> WdlCounts {
        self.judged
    }

    /// Their verdict.
    pub fn verdict(&self) -> SprtVerdict {
        self.verdict
    }
}

impl Sprt {
    /// A test of `elo0` against `elo1`. It accepts `elo1` though `elo0` is true at most about `alpha` of the time, and `elo0` though
    /// `elo1` is true at most about `beta` of the time.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        for elo in [elo0, elo1] {
            if !(-MAX_ELO..=MAX_ELO).contains(&elo) {
                return Err(SprtError::Elo(elo));
            }
        }
        for rate in [alpha, beta] {
            if !(rate > 0.0 && rate < 0.5) {
                return Err(SprtError::Rate(rate));
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    /// At or below this logarithm of the ratio, `elo0` is accepted: `ln(beta / (1 - alpha))`.
    pub fn lower_bound(&self) -> f64 {
        libm::log(self.beta) - libm::log1p(-self.alpha)
    }

    /// At or above this logarithm of the ratio, `elo1` is accepted: `ln((1 - beta) / alpha)`.
    pub fn upper_bound(&self) -> f64 {
        libm::log1p(-self.beta) - libm::log(self.alpha)
    }

    /// The logarithm of the ratio of the likelihoods of `elo1` and `elo0`. 0 when nothing has been played.
    pub fn log_likelihood_ratio(&self, results: WdlCounts) -> f64 {
        let [under0, under1] =
            [self.elo0, self.elo1].map(|elo| WdlProbabilities::max_likelihood(results, elo));
        let part = |count: u32, over: f64, under: f64| match count {
            0 => 0.0,
            count => f64::from(count) * libm::log(over / under),
        };
        part(results.wins, under1.win, under0.win)
            + part(results.draws, under1.draw, under0.draw)
            + part(results.losses, under1.loss, under0.loss)
    }

    /// The verdict for these results.
    pub fn verdict(&self, results: WdlCounts) -> SprtVerdict {
        let ratio = self.log_likelihood_ratio(results);
        if ratio >= self.upper_bound() {
            SprtVerdict::AcceptH1
        } else if ratio <= self.lower_bound() {
            SprtVerdict::AcceptH0
        } else {
            SprtVerdict::Continue
        }
    }
}

/// The probabilities of the three outcomes. Where an outcome has not occurred, its own means nothing.
struct WdlProbabilities {
    win: f64,
    draw: f64,
    loss: f64,
}

impl WdlProbabilities {
    /// Of all with the expected score of an Elo difference, those under which the results are most likely.
    ///
    /// With a = 2s and b = 2(1 - s), which add up to 2, the win is (a - d) / 2, the loss (b - d) / 2, and d, the draw, is where
    /// `W ln(a - d) + D ln(d) + L ln(b - d)` is greatest: the smaller root of `N d^2 - (2D + W b + L a) d + D a b = 0`. Put in
    /// terms of a win or of a loss it is a quadratic equation again. All three share a discriminant, which is a sum of
    /// squares and products, and each root is taken in the form that does not cancel.
    fn max_likelihood(results: WdlCounts, elo: f64) -> Self {
        let [wins, draws, losses] = [results.wins, results.draws, results.losses].map(f64::from);
        let games = wins + draws + losses;
        let (for_us, against) = (2.0 * elo_to_score(elo), 2.0 * elo_to_score(-elo));
        let slope = wins * against - losses * for_us + draws * (against - for_us);
        let root = (slope * slope + 4.0 * wins * losses * for_us * against).sqrt();
        let decisive = |count: f64, other: f64, share: f64, rest: f64| {
            let linear = draws * (share - rest) + count * (2.0 * share - rest) + other * share;
            if linear >= 0.0 {
                (linear + root) / (4.0 * games)
            } else {
                count * share * (share - rest) / (linear - root)
            }
        };
        Self {
            win: decisive(wins, losses, for_us, against),
            draw: 2.0 * draws * for_us * against
                / (2.0 * draws + wins * against + losses * for_us + root),
            loss: decisive(losses, wins, against, for_us),
        }
    }
}
