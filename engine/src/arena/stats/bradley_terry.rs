//! Ratings of a round robin by maximum likelihood (Bradley and Terry, 1952).
//!
//! A player of strength a scores `e^a / (e^a + e^b)` against one of strength b. A draw counts as half a win and half a loss, which
//! makes standard errors a little too large, never too small. Strengths are found by Newton's method; their mean is 0.

// Players are checked at the entrance, and all matrices have one row and one column for each.
#![expect(
    clippy::indexing_slicing,
    reason = "square matrices of one size; players are checked"
)]

use super::{Interval, NORMAL_95, WdlCounts, distributions::normal_two_sided};

/// Elo for each unit of strength: `400 / ln 10`.
const ELO_PER_UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Newton's method ends when no strength moves more than this.
const PRECISION: f64 = 1e-13;

const MAX_STEPS: u32 = 200;

/// No strength moves farther than this in one step, so that steps from far away do not overshoot.
const MAX_MOVE: f64 = 2.0;

/// The results of one player against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// The two players, by number.
    pub players: [usize; 2],
    /// The results as the first of them sees them.
    pub results: WdlCounts,
}

/// Why players have no ratings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
    /// An encounter of a player that does not exist, or of one with itself.
    #[error(
        "players {0} and {1} are no pair of the {2} players: expected two different numbers below {2}"
    )]
    Players(usize, usize, usize),
    /// Players that nobody outside the group took a point from, or that have not played the others: differences in strength are unbounded.
    #[error(
        "no finite ratings: the players {0:?} gave no point to the others, or did not play them"
    )]
    Unbounded(Vec<usize>),
}

/// Strengths of players with their uncertainty.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    strengths: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

/// How far two players are apart.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RatingDifference {
    /// In Elo; positive when the first player is stronger.
    pub elo: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl RatingDifference {
    /// How often equal players would be at least this far apart (Wald's test).
    pub fn p_value(self) -> f64 {
        normal_two_sided(self.elo / self.standard_error.max(f64::MIN_POSITIVE))
    }

    /// The 95 % interval, in Elo.
    pub fn interval(self) -> Interval {
        let spread = NORMAL_95 * self.standard_error;
        Interval {
            low: self.elo - spread,
            high: self.elo + spread,
        }
    }
}

impl Ratings {
    /// The most likely strengths.
    pub fn bradley_terry(players: usize, encounters: &[Encounter]) -> Result<Self, RatingError> {
        let points = points_table(players, encounters)?;
        if let Some(group) = unbeaten_group(&points) {
            return Err(RatingError::Unbounded(group));
        }
        let mut strengths = vec![0.0; players];
        for _ in 0..MAX_STEPS {
            let (gradient, information) = derivatives(&points, &strengths);
            let inverse = invert(information);
            let moves: Vec<f64> = inverse.iter().map(|row| dot(row, &gradient)).collect();
            let longest = moves
                .iter()
                .fold(0.0, |most: f64, step| most.max(step.abs()));
            let scale = (MAX_MOVE / longest).min(1.0);
            for (strength, step) in strengths.iter_mut().zip(&moves) {
                *strength += scale * step;
            }
            if longest < PRECISION {
                break;
            }
        }
        let mean = strengths.iter().sum::<f64>() / players.max(1) as f64;
        for strength in &mut strengths {
            *strength -= mean;
        }
        let (_, information) = derivatives(&points, &strengths);
        let mut covariance = invert(information);
        for cell in covariance.iter_mut().flatten() {
            *cell -= 1.0 / players as f64;
        }
        Ok(Self {
            strengths,
            covariance,
        })
    }

    /// Number of players.
    pub fn players(&self) -> usize {
        self.strengths.len()
    }

    /// A player's distance from the mean of all players; none for a player that does not exist.
    pub fn rating(&self, player: usize) -> Option<RatingDifference> {
        let variance = *self.covariance.get(player)?.get(player)?;
        Some(in_elo(*self.strengths.get(player)?, variance))
    }

    /// The difference of two players; none for a player that does not exist.
    pub fn difference(&self, one: usize, other: usize) -> Option<RatingDifference> {
        if one >= self.players() || other >= self.players() {
            return None;
        }
        let covariance = &self.covariance;
        let variance =
            covariance[one][one] + covariance[other][other] - 2.0 * covariance[one][other];
        let difference = self.strengths[one] - self.strengths[other];
        Some(in_elo(difference, variance))
    }
}

fn in_elo(strength: f64, variance: f64) -> RatingDifference {
    RatingDifference {
        elo: ELO_PER_UNIT * strength,
        standard_error: ELO_PER_UNIT * variance.max(0.0).sqrt(),
    }
}

/// Points of each player (row) against each other (column).
fn points_table(players: usize, encounters: &[Encounter]) -> Result<Vec<Vec<f64>>, RatingError> {
    let mut points = vec![vec![0.0; players]; players];
    for encounter in encounters {
        let [one, other] = encounter.players;
        if one == other || one.max(other) >= players {
            return Err(RatingError::Players(one, other, players));
        }
        points[one][other] += encounter.results.points();
        points[other][one] += encounter.results.reversed().points();
    }
    Ok(points)
}

/// A group of players from which the others took no point (Ford, 1957): then no strengths are most likely.
fn unbeaten_group(points: &[Vec<f64>]) -> Option<Vec<usize>> {
    let players = points.len();
    (0..players).find_map(|start| {
        // Those that took a point from `start`, from one of those, and so on.
        let mut is_found = vec![false; players];
        let mut pending = vec![start];
        is_found[start] = true;
        while let Some(loser) = pending.pop() {
            for winner in 0..players {
                if points[winner][loser] > 0.0 && !is_found[winner] {
                    is_found[winner] = true;
                    pending.push(winner);
                }
            }
        }
        let group: Vec<usize> = (0..players).filter(|&player| is_found[player]).collect();
        (group.len() < players).then_some(group)
    })
}

/// The gradient of the log-likelihood, and its information matrix with `1/players` added to every cell. The matrix itself leaves the
/// mean open; the sum is regular, and its inverse is the covariance with the same constant added.
fn derivatives(points: &[Vec<f64>], strengths: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let players = strengths.len();
    let mut gradient = vec![0.0; players];
    let mut information = vec![vec![1.0 / players as f64; players]; players];
    for one in 0..players {
        for other in 0..players {
            let games = points[one][other] + points[other][one];
            if one == other || games == 0.0 {
                continue;
            }
            let expected = 1.0 / (1.0 + libm::exp(strengths[other] - strengths[one]));
            gradient[one] += points[one][other] - games * expected;
            let weight = games * expected * (1.0 - expected);
            information[one][one] += weight;
            information[one][other] -= weight;
        }
    }
    (gradient, information)
}

/// The inverse of a positive definite matrix, by Gauss and Jordan.
fn invert(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> = (0..size)
        .map(|row| {
            (0..size)
                .map(|column| f64::from(u8::from(row == column)))
                .collect()
        })
        .collect();
    for pivot in 0..size {
        let scale = 1.0 / matrix[pivot][pivot].max(f64::MIN_POSITIVE);
        for value in matrix[pivot].iter_mut().chain(&mut inverse[pivot]) {
            *value *= scale;
        }
        let (pivot_row, pivot_inverse) = (matrix[pivot].clone(), inverse[pivot].clone());
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = matrix[row][pivot];
            subtract(&mut matrix[row], &pivot_row, factor);
            subtract(&mut inverse[row], &pivot_inverse, factor);
        }
    }
    inverse
}

fn subtract(row: &mut [f64], other: &[f64], factor: f64) {
    for (value, other) in row.iter_mut().zip(other) {
        *value -= factor * other;
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
