//! Evaluation of kalah: stones in the stores and in one's own pits.

use super::{Kalah, sowing};
use crate::games::{
    Evaluate, Game as _, Player,
    evaluate::{Evaluation, EvaluationParameter},
    linear::FittedEvaluation,
};

impl Evaluate for Kalah {
    const EVALUATIONS: &'static [Evaluation<Self>] = &[
        Evaluation {
            name: "stores",
            help: "Difference of the stores, a hundred for a stone.",
            parameters: &[EvaluationParameter::number(
                "pits",
                "Hundredths of a stone for each stone in a pit of one's own.",
                0,
                100,
            )],
            function: |position, arguments| {
                let worth = |player| {
                    let pits: i32 = position.pits(player).map(i32::from).sum();
                    100 * i32::from(position.store(player)) + arguments[0] * pits
                };
                worth(position.to_move()) - worth(position.to_move().opponent())
            },
            player_function: None,
        },
        Evaluation {
            name: "sowing",
            help: "The expected difference of stones: stones by place, extra turns and captures in reach, by stage.",
            parameters: &[],
            function: |position, _| sowing::value(position),
            player_function: None,
        },
        Evaluation::outcome_only(),
        Evaluation::random(),
    ];

    const FITTED: Option<FittedEvaluation<Self>> = Some(sowing::FITTED);

    /// Report 000's straight line: from 0.2 at 48 stones behind to 0.8 at 48 ahead.
    #[inline]
    fn cutoff_reward(&self) -> f64 {
        let [south, north] =
            [Player::First, Player::Second].map(|player| i32::from(self.store(player)));
        reward(south - north, 48)
    }
}

/// The reward for being `ahead` stones ahead.
fn reward(ahead: i32, end: i32) -> f64 {
    0.3 * f64::from(ahead.clamp(-end, end)) / f64::from(end) + 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reward_curve_has_the_published_values() {
        assert_eq!([-48, 0, 48].map(|ahead| reward(ahead, 48)), [0.2, 0.5, 0.8]);
        assert_eq!(reward(16, 48), 0.6);
    }
}
