//! Evaluation of othello: those of reports 001 and 004.

use super::{CORNERS, Othello, OthelloMove, PASS, patterns};
use crate::games::{
    Evaluate, Game as _, Player,
    evaluate::{Evaluation, EvaluationParameter, EvaluationParameterKind, squashed_evaluation},
    linear::FittedEvaluation,
};
use crate::machine::iter_ones;

/// Report 001's weights (the classic matrix), a quadrant of them: the other three are its mirror images.
const WEIGHTS_001: [[i32; 4]; 4] = [
    [120, -20, 20, 5],
    [-20, -40, -5, -5],
    [20, -5, 15, 3],
    [5, -5, 3, 3],
];
/// Report 004's weights, likewise.
const WEIGHTS_004: [[i32; 4]; 4] = [
    [4, -3, 2, 2],
    [-3, -4, -1, -1],
    [2, -1, 1, 0],
    [2, -1, 0, 1],
];

const OWN_OR_DIFFERENCE: EvaluationParameter = EvaluationParameter {
    name: "eval",
    help: "diff: own minus opponent's; own: only the discs of the player who searches count, as report 001 has it.",
    kind: EvaluationParameterKind::Choice(&["diff", "own"]),
};

impl Evaluate for Othello {
    const EVALUATIONS: &'static [Evaluation<Self>] = &[
        Evaluation {
            name: "weights",
            help: "Report 001's weight of each square that a side holds: 120 for a corner, -40 beside it.",
            parameters: &[OWN_OR_DIFFERENCE],
            function: |position, arguments| {
                weights(position, position.to_move(), &WEIGHTS_001, arguments)
            },
            player_function: Some(|position, player, arguments| {
                weights(position, player, &WEIGHTS_001, arguments)
            }),
        },
        Evaluation {
            name: "weighted",
            help: "Report 004's weight of each square that a side holds: 4 for a corner, -4 beside it.",
            parameters: &[OWN_OR_DIFFERENCE],
            function: |position, arguments| {
                weights(position, position.to_move(), &WEIGHTS_004, arguments)
            },
            player_function: Some(|position, player, arguments| {
                weights(position, player, &WEIGHTS_004, arguments)
            }),
        },
        Evaluation {
            name: "count",
            help: "Disc difference in percent of all discs.",
            parameters: &[],
            function: |position, _| relative_difference(position.own, position.opponent),
            player_function: None,
        },
        Evaluation {
            name: "mobility",
            help: "Difference in playable squares in percent of both sides'.",
            parameters: &[],
            function: |position, _| {
                relative_difference(position.legal_squares(), position.opponent_legal_squares())
            },
            player_function: None,
        },
        Evaluation {
            name: "corners",
            help: "Difference in corners in percent of those taken.",
            parameters: &[],
            function: |position, _| {
                relative_difference(position.own & CORNERS, position.opponent & CORNERS)
            },
            player_function: None,
        },
        Evaluation {
            name: "patterns",
            help: "The expected disc difference: patterns on lines, diagonals and corners, mobility, corners and parity, by stage.",
            parameters: &[],
            function: |position, _| patterns::value(position),
            player_function: None,
        },
        Evaluation::random(),
        Evaluation::outcome_only(),
    ];

    const FITTED: Option<FittedEvaluation<Self>> = Some(patterns::FITTED);

    #[inline]
    fn cutoff_reward(&self) -> f64 {
        squashed_evaluation(self, 100)
    }
}

/// Report 001's weight of the square a move is made on; 0 for a pass.
pub(super) fn weight_001(place: OthelloMove) -> i32 {
    if place == PASS {
        0
    } else {
        weight(&WEIGHTS_001, place.0)
    }
}

/// Report 001's weights of these squares as its program has them, with -30 for -40 on b7 and g7.
pub(super) fn misprinted_weights_001(squares: u64) -> i32 {
    const MISPRINTED: u64 = 1 << 49 | 1 << 54;
    sum_of_weights(squares, &WEIGHTS_001) + 10 * (squares & MISPRINTED).count_ones() as i32
}

/// The weights of a set of squares.
fn sum_of_weights(squares: u64, quadrant: &[[i32; 4]; 4]) -> i32 {
    (iter_ones(squares))
        .map(|square| weight(quadrant, square))
        .sum()
}

/// The weight of a square (row * 8 + column) in a matrix given by its quadrant.
fn weight(quadrant: &[[i32; 4]; 4], square: u8) -> i32 {
    let fold = |line: u8| usize::from(line.min(7 - line));
    quadrant[fold(square / 8)][fold(square % 8)]
}

/// The weights of `player`'s squares, less the opponent's unless the arguments say not to look at those.
fn weights(position: &Othello, player: Player, quadrant: &[[i32; 4]; 4], arguments: &[i32]) -> i32 {
    let sum = |discs| sum_of_weights(discs, quadrant);
    let (own, opponent) = if position.to_move() == player {
        (position.own, position.opponent)
    } else {
        (position.opponent, position.own)
    };
    let own_only = arguments.first() == Some(&1);
    sum(own) - if own_only { 0 } else { sum(opponent) }
}

/// 100 * (own - opponent) / (own + opponent), towards zero; 0 when there is nothing to share.
fn relative_difference(own: u64, opponent: u64) -> i32 {
    let (own, opponent) = (own.count_ones() as i32, opponent.count_ones() as i32);
    if own + opponent == 0 {
        0
    } else {
        100 * (own - opponent) / (own + opponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::notation::read_position;

    fn value(name: &str, arguments: &[i32], text: &str) -> i32 {
        let evaluation = Othello::EVALUATIONS
            .iter()
            .find(|evaluation| evaluation.name == name)
            .unwrap();
        (evaluation.function)(&read_position((), text).unwrap(), arguments)
    }

    #[test]
    fn the_matrices_are_the_reports() {
        assert_eq!(
            [0, 1, 9, 18, 27].map(|square| weight(&WEIGHTS_001, square)),
            [120, -20, -40, 15, 3]
        );
        assert_eq!(
            [63, 62, 54, 14, 49].map(|square| weight(&WEIGHTS_001, square)),
            [120, -20, -40, -40, -40]
        );
    }

    #[test]
    fn values_worked_out_by_hand() {
        // Black a1 and all of the centre, white b1 and h8; black to move.
        let text = format!(
            "XO{}XX{}XX{}O X",
            "-".repeat(25),
            "-".repeat(6),
            "-".repeat(26)
        );
        assert_eq!(value("weights", &[0], &text), 120 + 4 * 3 - (-20 + 120));
        assert_eq!(value("weights", &[1], &text), 120 + 4 * 3);
        assert_eq!(value("weighted", &[0], &text), 4 + 4 - (-3 + 4));
        assert_eq!(value("count", &[], &text), 100 * 3 / 7);
        assert_eq!(value("corners", &[], &text), 0);
        assert_eq!(
            value("mobility", &[], &text),
            100,
            "black can take b1 by c1, white nothing"
        );
        assert_eq!(
            value("count", &[], &text.replace(" X", " O")),
            -(100 * 3 / 7)
        );
    }
}
