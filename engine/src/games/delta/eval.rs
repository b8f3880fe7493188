//! Evaluation of Delta: report 003's two measures.

use super::{BOARD, Delta, Slides, has_four, reach};
use crate::games::{
    Evaluate,
    evaluate::{Evaluation, EvaluationParameter, squashed_evaluation},
    linear::FittedEvaluation,
};
use crate::machine::iter_ones;

impl Evaluate for Delta {
    const EVALUATIONS: &'static [Evaluation<Self>] = &[
        Evaluation {
            name: "mobility",
            help: "Slides that each side's stones could make, and empty squares that would complete four in line.",
            parameters: &[
                EvaluationParameter::number("slides", "What a slide is worth.", 1, 1000),
                EvaluationParameter::number(
                    "lines",
                    "What a square that would complete a line of four is worth.",
                    10,
                    1000,
                ),
            ],
            function: |position, arguments| {
                let empty = BOARD & !(position.own | position.opponent);
                let worth = |stones| {
                    let slides = Slides::new(stones, empty).count() as i32;
                    arguments[0] * slides + arguments[1] * line_squares(stones, empty)
                };
                worth(position.own) - worth(position.opponent)
            },
            player_function: None,
        },
        Evaluation {
            name: "reach",
            help: "The chance to win: open lines, squares that complete one and those in reach, slides and places, by stage.",
            parameters: &[],
            function: |position, _| reach::value(position),
            player_function: None,
        },
        Evaluation::outcome_only(),
        Evaluation::random(),
    ];

    const FITTED: Option<FittedEvaluation<Self>> = Some(reach::FITTED);

    #[inline]
    fn cutoff_reward(&self) -> f64 {
        squashed_evaluation(self, 20)
    }
}

/// The empty squares on which one more stone would complete a line of four.
fn line_squares(stones: u32, empty: u32) -> i32 {
    iter_ones(empty.into())
        .filter(|square| has_four(stones | 1 << square))
        .count() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{delta::Equaliser, notation::read_position};

    #[test]
    fn values_worked_out_by_hand() {
        // Black a1 b1 c1 and a5, white e5 d5 and e2, white to move.
        let delta: Delta =
            read_position(Equaliser::Optional, "*..oo/...../...../....o/***.. w").unwrap();
        let mobility = &Delta::EVALUATIONS[0];
        // Black completes a line on d1 only, white on none.
        assert_eq!((mobility.function)(&delta, &[0, 1]), -1);
        // White. e5: e3, and diagonally c3, b2 (a1 is taken): 3. d5: left c5-b5 is a slide: 1; down d3 d2 d1: 3; diagonally
        // b3 (a2 free too): 2; to the right e4 is one step: 0. e2: left c2 b2 a2: 3; up e4 (e5 taken): 1; down one
        // step: 0; diagonally c4 b5: 2. In all 3 + 6 + 6 = 15.
        // Black. a1: up a3 a4 (a5 taken): 2; diagonally c3 d4 (e5 taken): 2. b1: up 4 - 1: b3 b4 b5: 3; diagonally
        // right d3 (e4 free too): 2; left one step: 0. c1: right e1: 1; up c3 c4 c5: 3; diagonally right e3: 1, left
        // a3: 1. a5: right c5 (d5 taken): 1; down a3 a2: 2; diagonally c3 d2 e1: 3. In all 4 + 5 + 6 + 6 = 21.
        assert_eq!((mobility.function)(&delta, &[1, 0]), 15 - 21);
        assert_eq!(mobility.value(&delta), 15 - 21 - 10);
    }
}
