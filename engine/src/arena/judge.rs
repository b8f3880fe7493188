//! Judges searches by exact values: how often they play an optimal move, keep the result of the position, and what they lose.

use std::ops::AddAssign;

use super::stats::{Interval, WdlCounts};
use crate::{
    games::{Notation, ParseError},
    search::exact::{ExactValue, ValueClass},
};

/// The value of every legal move of a position, for the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth<M> {
    values: Vec<(M, ExactValue)>,
    best: ExactValue,
}

/// Why a list of values is no truth about a position.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TruthError {
    /// A word that is no `MOVE:VALUE`.
    #[error("{0} is not MOVE:VALUE: expected a move, a colon, and win, draw, loss or a score")]
    Word(String),
    /// A move that cannot be played.
    #[error(transparent)]
    Move(#[from] ParseError),
    /// Legal moves without a value.
    #[error("no value of {0}: expected one for every legal move")]
    Missing(String),
}

impl<M: Copy + PartialEq> Truth<M> {
    /// The truth of a position with these values of its moves; none if there are no moves.
    pub fn new(values: Vec<(M, ExactValue)>) -> Option<Self> {
        let best = values.iter().map(|&(_, value)| value);
        let best = best.max_by_key(ExactValue::rank)?;
        Some(Self { values, best })
    }

    /// The value of the position.
    pub fn best(&self) -> ExactValue {
        self.best
    }

    /// What playing `mv` is worth; none for a move that is not legal.
    pub fn verdict(&self, mv: M) -> Option<Verdict> {
        let mut found = self.values.iter().filter(|(known, _)| *known == mv);
        let value = found.next()?.1;
        let score_lost = match (self.best.score, value.score) {
            (Some(best), Some(played)) => best - played,
            _ => 0,
        };
        Some(Verdict {
            is_optimal: value.class == self.best.class && score_lost == 0,
            keeps_result: value.class == self.best.class,
            points_lost: points(self.best.class) - points(value.class),
            score_lost,
        })
    }
}

impl<M: Copy + PartialEq> Truth<M> {
    /// Reads `MOVE:VALUE,...`, which must name every legal move of `position`.
    pub fn parse<G: Notation<Move = M>>(position: &G, text: &str) -> Result<Self, TruthError> {
        let mut values = Vec::new();
        for word in text.split(',') {
            let error = || TruthError::Word(crate::games::notation::quote(word));
            let (mv, value) = word.split_once(':').ok_or_else(error)?;
            let value = value.parse().map_err(|_| error())?;
            values.push((position.parse_move(mv)?, value));
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        for mv in moves {
            if !values.iter().any(|(known, _)| *known == mv) {
                let text = crate::games::notation::move_text(position, mv);
                return Err(TruthError::Missing(text));
            }
        }
        Self::new(values).ok_or_else(|| TruthError::Word("\"\"".to_owned()))
    }
}

/// Points of a result: 1 win, 0.5 draw, 0 loss.
fn points(class: ValueClass) -> f64 {
    match class {
        ValueClass::Loss => 0.0,
        ValueClass::Draw => 0.5,
        ValueClass::Win => 1.0,
    }
}

/// One move judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Whether no move has a better result or, in games with scores, a better score.
    pub is_optimal: bool,
    /// Whether the result under best play stays the same: report 002's "good" moves.
    pub keeps_result: bool,
    /// Points given away, a win being one.
    pub points_lost: f64,
    /// Score given away; 0 in games without scores.
    pub score_lost: i32,
}

/// Sums of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JudgeScore {
    /// Moves judged.
    pub trials: u32,
    /// Optimal moves.
    pub optimal: u32,
    /// Moves that keep the result.
    pub kept: u32,
    points_lost: f64,
    score_lost: i64,
}

impl JudgeScore {
    /// Adds a verdict.
    pub fn add(&mut self, verdict: Verdict) {
        self.trials += 1;
        self.optimal += u32::from(verdict.is_optimal);
        self.kept += u32::from(verdict.keeps_result);
        self.points_lost += verdict.points_lost;
        self.score_lost += i64::from(verdict.score_lost);
    }

    /// Share of optimal moves.
    pub fn optimal_rate(&self) -> f64 {
        self.mean(self.optimal.into())
    }

    /// Share of moves that keep the result.
    pub fn kept_rate(&self) -> f64 {
        self.mean(self.kept.into())
    }

    /// Points given away per move.
    pub fn mean_points_lost(&self) -> f64 {
        self.mean(self.points_lost)
    }

    /// Score given away per move.
    pub fn mean_score_lost(&self) -> f64 {
        self.mean(self.score_lost as f64)
    }

    /// Wilson's 95 % interval of [`Self::optimal_rate`].
    pub fn optimal_interval(&self) -> Interval {
        WdlCounts::new(self.optimal, 0, self.trials - self.optimal).wilson_interval()
    }

    /// Wilson's 95 % interval of [`Self::kept_rate`].
    pub fn kept_interval(&self) -> Interval {
        WdlCounts::new(self.kept, 0, self.trials - self.kept).wilson_interval()
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / f64::from(self.trials.max(1))
    }
}

impl AddAssign for JudgeScore {
    fn add_assign(&mut self, other: Self) {
        self.trials += other.trials;
        self.optimal += other.optimal;
        self.kept += other.kept;
        self.points_lost += other.points_lost;
        self.score_lost += other.score_lost;
    }
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::games::{Game as _, connect_four::Column, connect_four::ConnectFour};

    const VALUES: &str = "1:-2,2:-1,3:0,4:1,5:0,6:-1,7:-2";

    #[test]
    fn moves_are_judged_by_result_and_by_score() {
        let start = ConnectFour::start(());
        let truth = Truth::parse(&start, VALUES).expect("seven values");
        assert_eq!(truth.best().score, Some(1));
        let verdict = |column| truth.verdict(Column(column)).expect("a legal move");
        assert!(verdict(3).is_optimal && verdict(3).keeps_result);
        assert_eq!((verdict(2).points_lost, verdict(2).score_lost), (0.5, 1));
        assert_eq!((verdict(0).points_lost, verdict(0).score_lost), (1.0, 3));
        assert!(!verdict(0).keeps_result);
        assert_eq!(truth.verdict(Column(9)), None);

        let mut score = JudgeScore::default();
        for column in [3, 3, 2, 0] {
            score.add(verdict(column));
        }
        assert_eq!((score.trials, score.optimal, score.kept), (4, 2, 2));
        assert_eq!(score.mean_points_lost(), 0.375);
        assert_eq!(score.mean_score_lost(), 1.0);
        assert!(score.kept_interval().contains(0.5));
    }

    #[test]
    fn without_scores_every_move_of_the_best_class_is_optimal() {
        let start = ConnectFour::start(());
        let truth = Truth::parse(&start, "1:loss,2:loss,3:draw,4:win,5:win,6:loss,7:loss");
        let truth = truth.expect("seven values");
        assert!(
            truth
                .verdict(Column(4))
                .is_some_and(|verdict| verdict.is_optimal)
        );
        assert!(
            truth
                .verdict(Column(2))
                .is_some_and(|verdict| !verdict.keeps_result)
        );
    }

    #[test]
    fn values_of_some_moves_are_no_truth() {
        let start = ConnectFour::start(());
        let error = |text: &str| Truth::parse(&start, text).expect_err(text).to_string();
        assert_eq!(
            error("4:1"),
            "no value of 1: expected one for every legal move"
        );
        assert!(error("4").starts_with("\"4\" is not MOVE:VALUE"));
        assert!(error("9:1").contains("not a connect-four move"));
    }
}
