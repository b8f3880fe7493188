//! Evaluation of connect four: lines that can still become four.

use super::{ConnectFour, threats};
use crate::games::{
    Evaluate,
    evaluate::{Evaluation, EvaluationParameter, squashed_evaluation},
    linear::FittedEvaluation,
};
use crate::machine::iter_ones;

impl Evaluate for ConnectFour {
    const EVALUATIONS: &'static [Evaluation<Self>] = &[
        Evaluation {
            name: "lines",
            help: "Lines of four cells that only one side has discs in, by how many discs they hold.",
            parameters: &[
                EvaluationParameter::number(
                    "two",
                    "Hundredths of a point for a line with two discs.",
                    10,
                    1000,
                ),
                EvaluationParameter::number(
                    "three",
                    "Hundredths of a point for a line with three discs.",
                    50,
                    1000,
                ),
            ],
            function: |position, arguments| {
                let [two, three] = [arguments[0], arguments[1]];
                lines(position.own, position.opponent, two, three)
                    - lines(position.opponent, position.own, two, three)
            },
            player_function: None,
        },
        Evaluation {
            name: "threats",
            help: "The chance to win: open lines, cells that would complete four by row and side, and places, by stage.",
            parameters: &[],
            function: |position, _| threats::value(position),
            player_function: None,
        },
        Evaluation::outcome_only(),
        Evaluation::random(),
    ];

    const FITTED: Option<FittedEvaluation<Self>> = Some(threats::FITTED);

    #[inline]
    fn cutoff_reward(&self) -> f64 {
        squashed_evaluation(self, 100)
    }
}

fn lines(own: u64, other: u64, two: i32, three: i32) -> i32 {
    let mut total = 0;
    for step in [1, 6, 7, 8] {
        let line = 1 | 1 << step | 1 << (2 * step) | 1 << (3 * step);
        for start in iter_ones(super::BOARD) {
            let cells: u64 = line << start;
            // A line that would leave the board or wrap touches the spare row.
            if cells & !super::BOARD != 0 || cells & other != 0 {
                continue;
            }
            total += match (cells & own).count_ones() {
                2 => two,
                3 => three,
                _ => 0,
            };
        }
    }
    total
}
