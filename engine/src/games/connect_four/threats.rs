//! Evaluation `threats` of connect four: open lines, and the cells that would complete four, by row and side: a threat on an odd
//! row serves the first player, one on an even row the second (Allis 1988).

use super::{
    COLUMNS, ConnectFour, LINE_STARTS, LINE_STEPS, ROWS,
    threats_weights::{KNOTS, WEIGHTS},
};
use crate::{
    games::{
        Game as _, Player,
        fours::OpenLines,
        linear::{FeatureSink, FittedEvaluation, Stage, WeightedSum, WeightsFile, feature_groups},
    },
    machine::iter_ones,
};

feature_groups! {
    CELLS "disc on row 1 to 6 of an edge column, of the next and so on to the middle" 24,
    LINES "line that only one side can fill, with one, two, three discs" 3,
    FIRST_THREATS "cell on row 1 to 6 that completes four for the first player, not yet in reach" 6,
    SECOND_THREATS "the same for the second player" 6,
    OWN_IN_REACH "the same in reach of the player to move" 1,
    OTHER_IN_REACH "the same in reach of the opponent" 1,
    TEMPO "to move" 1,
}

const _: () = assert!(FEATURES == WEIGHTS.len());

pub(super) const FITTED: FittedEvaluation<ConnectFour> = FittedEvaluation::new(
    "threats",
    GROUPS,
    KNOTS,
    |position, sink| features(position, sink),
    WeightsFile::Rust("engine/src/games/connect_four/threats_weights.rs"),
);

/// The logarithm of the odds that the player to move wins, in hundredths.
pub(super) fn value(position: &ConnectFour) -> i32 {
    WeightedSum::of(&WEIGHTS, stage(position), |sum| features(position, sum))
}

fn stage(position: &ConnectFour) -> Stage {
    const KNOT_DISTANCE: i32 = 18;
    Stage::new(position.plies() as i32, KNOT_DISTANCE, KNOTS)
}

fn features<S: FeatureSink + ?Sized>(position: &ConnectFour, sink: &mut S) -> Stage {
    let (own, opponent) = (position.own, position.opponent);
    cells(own, 1, sink);
    cells(opponent, -1, sink);
    let landing = position.landing_cells();
    let [own_threats, other_threats] = [(own, opponent, 1), (opponent, own, -1)]
        .map(|(discs, others, sign)| lines(discs, others, sign, sink));
    let (first, second) = match position.to_move() {
        Player::First => ((own_threats, 1), (other_threats, -1)),
        Player::Second => ((other_threats, -1), (own_threats, 1)),
    };
    for ((threats, sign), group) in [(first, FIRST_THREATS), (second, SECOND_THREATS)] {
        for cell in iter_ones(threats & !landing) {
            sink.add(group + usize::from(cell % ROW_BITS), sign);
        }
    }
    sink.add(OWN_IN_REACH, (own_threats & landing).count_ones() as i32);
    sink.add(
        OTHER_IN_REACH,
        (other_threats & landing).count_ones() as i32,
    );
    sink.add(TEMPO, 1);
    stage(position)
}

/// Bits of a column, the spare row included.
const ROW_BITS: u8 = ROWS + 1;

#[inline]
fn cells<S: FeatureSink + ?Sized>(discs: u64, sign: i32, sink: &mut S) {
    for cell in iter_ones(discs) {
        let (column, row) = (cell / ROW_BITS, cell % ROW_BITS);
        let folded = column.min(COLUMNS - 1 - column);
        sink.add(CELLS + usize::from(folded * ROWS + row), sign);
    }
}

/// Adds the open lines of a side; returns the empty cells that complete one.
#[inline]
fn lines<S: FeatureSink + ?Sized>(discs: u64, others: u64, sign: i32, sink: &mut S) -> u64 {
    let open = OpenLines::new(discs, others, LINE_STARTS, LINE_STEPS);
    for (index, count) in open.counts.into_iter().enumerate() {
        sink.add(LINES + index, sign * count);
    }
    open.completing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{
        SearchHints as _,
        connect_four::{BOARD, has_four},
    };
    use crate::rng::Rng;

    #[test]
    fn lines_and_threats_are_those_found_cell_by_cell() {
        let mut rng = Rng::new(3);
        let mut checked = 0;
        for _ in 0..200 {
            let mut position = ConnectFour::start(());
            while position.outcome().is_none() {
                check(&position);
                checked += 1;
                position.play_random(&mut rng);
            }
        }
        assert!(checked > 2000);
    }

    fn check(position: &ConnectFour) {
        let (own, other) = (position.own, position.opponent);
        let mut list = [0; FEATURES];
        features(position, &mut list);
        let mut expected = [0; 3];
        let bit = |column: i32, row: i32| 1u64 << (7 * column + row);
        for (dx, dy) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            for column in 0..7 {
                for row in 0..6 {
                    let (end, top) = (column + 3 * dx, row + 3 * dy);
                    if end > 6 || !(0..6).contains(&top) {
                        continue;
                    }
                    let line =
                        (0..4).fold(0, |line, at| line | bit(column + at * dx, row + at * dy));
                    for (discs, others, sign) in [(own, other, 1), (other, own, -1)] {
                        let count = (line & discs).count_ones() as usize;
                        if line & others == 0 && (1..4).contains(&count) {
                            expected[count - 1] += sign;
                        }
                    }
                }
            }
        }
        assert_eq!(list[LINES..LINES + 3], expected);
        let wins = |discs: u64| {
            let empty = BOARD & !(own | other);
            iter_ones(empty)
                .filter(|&cell| has_four(discs | 1 << cell))
                .fold(0, |all, cell| all | 1u64 << cell)
        };
        let landing = position.landing_cells();
        assert_eq!(
            list[OWN_IN_REACH],
            (wins(own) & landing).count_ones() as i32
        );
        assert_eq!(
            list[OTHER_IN_REACH],
            (wins(other) & landing).count_ones() as i32
        );
        let [first, second] = position.discs();
        let sign = if position.to_move() == Player::First {
            1
        } else {
            -1
        };
        for row in 0..6 {
            let row_cells = (0..7).fold(0, |all, column| all | bit(column, row));
            let far = |discs| (wins(discs) & !landing & row_cells).count_ones() as i32;
            assert_eq!(list[FIRST_THREATS + row as usize], sign * far(first));
            assert_eq!(list[SECOND_THREATS + row as usize], -sign * far(second));
        }
    }
}
