//! Evaluation `reach` of Delta: open lines, squares that complete one and which of them are in reach, slides and places.

use super::{
    BOARD, Delta, LINE_STARTS, LINE_STEPS, Slides,
    reach_weights::{KNOTS, WEIGHTS},
};
use crate::{
    games::{
        fours::OpenLines,
        linear::{FeatureSink, FittedEvaluation, Stage, WeightedSum, WeightsFile, feature_groups},
    },
    machine::iter_ones,
};

feature_groups! {
    SQUARES "stone on a corner, beside it, in the middle of an edge, inside of a corner, beside the centre, on it" 6,
    LINES "line that only one side can fill, with one, two, three stones" 3,
    COMPLETING "square that completes four" 1,
    OWN_IN_REACH "the same as the end of a slide of the player to move, or where it drops" 1,
    OTHER_IN_REACH "the same for the opponent" 1,
    SLIDES "slide" 1,
    TEMPO "to move" 1,
}

const _: () = assert!(FEATURES == WEIGHTS.len());

pub(super) const FITTED: FittedEvaluation<Delta> = FittedEvaluation::new(
    "reach",
    GROUPS,
    KNOTS,
    |position, sink| features(position, sink),
    WeightsFile::Rust("engine/src/games/delta/reach_weights.rs"),
);

/// The logarithm of the odds that the player to move wins, in hundredths.
pub(super) fn value(position: &Delta) -> i32 {
    WeightedSum::of(&WEIGHTS, stage(position), |sum| features(position, sum))
}

/// Until all stones are placed.
fn stage(position: &Delta) -> Stage {
    const PLACEMENTS: i32 = 18;
    Stage::new(position.ply.into(), PLACEMENTS, KNOTS)
}

/// Sides of the board.
const SIZE: u8 = 5;

fn features<S: FeatureSink + ?Sized>(position: &Delta, sink: &mut S) -> Stage {
    let empty = BOARD & !(position.own | position.opponent);
    let mut in_reach = [0; 2];
    for (reach, (stones, others, sign)) in in_reach.iter_mut().zip([
        (position.own, position.opponent, 1),
        (position.opponent, position.own, -1),
    ]) {
        for square in iter_ones(stones.into()) {
            sink.add(SQUARES + place(square), sign);
        }
        let completing = lines(stones, others, sign, sink);
        let slides = Slides::new(stones, empty);
        sink.add(COMPLETING, sign * completing.count_ones() as i32);
        sink.add(SLIDES, sign * slides.count() as i32);
        if completing != 0 {
            *reach = (completing & ends(&slides)).count_ones() as i32;
        }
    }
    sink.add(OWN_IN_REACH, in_reach[0]);
    sink.add(OTHER_IN_REACH, in_reach[1]);
    sink.add(TEMPO, 1);
    stage(position)
}

/// The squares on which slides end or drop a stone: the last one passed.
fn ends(slides: &Slides) -> u32 {
    slides.iter().fold(0, |ends, (from, to)| {
        let step = |line: fn(u8) -> u8| (i32::from(line(from)) - i32::from(line(to))).signum();
        let drop = i32::from(to)
            + step(|square| square % SIZE)
            + i32::from(SIZE) * step(|square| square / SIZE);
        ends | 1 << to | 1 << drop
    })
}

/// Which of the six kinds of squares one is.
#[inline]
fn place(square: u8) -> usize {
    let fold = |line: u8| line.min(SIZE - 1 - line);
    let (one, other) = (fold(square % SIZE), fold(square / SIZE));
    match (one.min(other), one.max(other)) {
        (0, far) => far.into(),
        (1, 1) => 3,
        (1, _) => 4,
        _ => 5,
    }
}

/// Adds the open lines of a side; returns the empty squares that complete one.
#[inline]
fn lines<S: FeatureSink + ?Sized>(stones: u32, others: u32, sign: i32, sink: &mut S) -> u32 {
    let open = OpenLines::new(stones.into(), others.into(), LINE_STARTS, LINE_STEPS);
    for (index, count) in open.counts.into_iter().enumerate() {
        sink.add(LINES + index, sign * count);
    }
    open.completing as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game as _, SearchHints as _, delta::has_four};
    use crate::rng::Rng;

    #[test]
    fn completing_squares_and_reach_are_those_found_by_playing() {
        let mut rng = Rng::new(3);
        let mut reached = 0;
        for _ in 0..100 {
            let mut position = Delta::start(Default::default());
            while position.outcome().is_none() && position.ply < 40 {
                let mut list = [0; FEATURES];
                features(&position, &mut list);
                let empty = BOARD & !(position.own | position.opponent);
                let completing = |stones: u32| {
                    let fours =
                        iter_ones(empty.into()).filter(|&square| has_four(stones | 1 << square));
                    fours.fold(0u32, |all, square| all | 1 << square)
                };
                let [own, other] = [completing(position.own), completing(position.opponent)];
                assert_eq!(
                    list[COMPLETING],
                    own.count_ones() as i32 - other.count_ones() as i32
                );
                let mut moves = Vec::new();
                position.legal_moves(&mut moves);
                let slides = moves.iter().filter(|mv| !mv.is_placement());
                let ends = slides.fold(0u32, |ends, mv| ends | 1 << mv.to | 1 << mv.drop_square());
                if position.ply > 3 {
                    assert_eq!(list[OWN_IN_REACH], (own & ends).count_ones() as i32);
                    reached += list[OWN_IN_REACH];
                }
                position.play_random(&mut rng);
            }
        }
        assert!(reached > 20, "{reached}");
    }

    #[test]
    fn the_board_has_six_kinds_of_squares() {
        let mut counts = [0; 6];
        (0..25).for_each(|square| counts[place(square)] += 1);
        assert_eq!(counts, [4, 8, 4, 4, 4, 1]);
    }
}
