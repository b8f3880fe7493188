//! Evaluation `sowing` of kalah: stones by place, extra turns and captures in reach, by the stage of the game.

use super::{
    Kalah, byte, lap_length,
    sowing_weights::{KNOTS, WEIGHTS},
};
use crate::games::linear::{
    FeatureSink, FitTarget, FittedEvaluation, Stage, WeightedSum, WeightsFile, feature_groups,
};

feature_groups! {
    STORE "stone in the store" 1,
    PITS "stone in a pit, the pit next to the store first" 6,
    FILLED "pit with stones" 1,
    PASSING "stone that is sown past the store" 1,
    OWN_AGAIN "extra turn in reach of the player to move" 1,
    OTHER_AGAIN "extra turn in reach of the opponent" 1,
    OWN_CAPTURE "stone that the player to move can capture at most" 1,
    OTHER_CAPTURE "stone that the opponent could capture at most" 1,
    TEMPO "to move" 1,
}

const _: () = assert!(FEATURES == WEIGHTS.len());

pub(super) const FITTED: FittedEvaluation<Kalah> = FittedEvaluation {
    target: FitTarget::Margin,
    prior: Some(|feature, _| if feature == STORE { 100.0 } else { 0.0 }),
    ..FittedEvaluation::new(
        "sowing",
        GROUPS,
        KNOTS,
        |position, sink| features(position, sink),
        WeightsFile::Rust("engine/src/games/kalah/sowing_weights.rs"),
    )
};

/// The expected difference of stones at the end for the player to move, in hundredths of a stone.
pub(super) fn value(position: &Kalah) -> i32 {
    WeightedSum::of(&WEIGHTS, stage(position), |sum| features(position, sum))
}

/// Stones brought home, scaled to a game of 48.
fn stage(position: &Kalah) -> Stage {
    const STONES: i32 = 48;
    const KNOT_DISTANCE: i32 = 16;
    let home = i32::from(store(position.own)) + i32::from(store(position.other));
    let total = position.rules.total_stones() as i32;
    Stage::new(home * STONES / total.max(1), KNOT_DISTANCE, KNOTS)
}

#[inline]
fn store(side: u64) -> u8 {
    byte(side, super::STORE_BYTE)
}

fn features<S: FeatureSink + ?Sized>(position: &Kalah, sink: &mut S) -> Stage {
    let pits = usize::from(position.rules.pits);
    let stores = i32::from(store(position.own)) - i32::from(store(position.other));
    sink.add(STORE, stores);
    let own = Chances::new(position.own, position.other, pits, 1, sink);
    let other = Chances::new(position.other, position.own, pits, -1, sink);
    sink.add(OWN_AGAIN, own.extra_turns);
    sink.add(OTHER_AGAIN, other.extra_turns);
    sink.add(OWN_CAPTURE, own.capture);
    sink.add(OTHER_CAPTURE, other.capture);
    sink.add(TEMPO, 1);
    stage(position)
}

/// What a side could do if it were its turn.
struct Chances {
    extra_turns: i32,
    /// Stones of the largest capture.
    capture: i32,
}

impl Chances {
    /// Looks at the pits of a side, and adds their features `sign` times.
    #[inline]
    fn new<S: FeatureSink + ?Sized>(
        own: u64,
        other: u64,
        pits: usize,
        sign: i32,
        sink: &mut S,
    ) -> Self {
        let (mut extra_turns, mut capture, mut filled, mut passing) = (0, 0, 0, 0);
        let lap = lap_length(pits);
        for pit in 0..pits {
            let stones = usize::from(byte(own, pit as u32));
            if stones == 0 {
                continue;
            }
            let to_store = pits - pit;
            sink.add(PITS + to_store - 1, sign * stones as i32);
            filled += 1;
            passing += stones.saturating_sub(to_store) as i32;
            let last = (pit + stones) % lap;
            extra_turns += i32::from(last == pits);
            if last < pits && stones <= lap && (byte(own, last as u32) == 0 || last == pit) {
                let captured = i32::from(byte(other, (pits - 1 - last) as u32));
                capture = capture.max(captured);
            }
        }
        sink.add(FILLED, sign * filled);
        sink.add(PASSING, sign * passing);
        Self {
            extra_turns,
            capture,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Player, kalah::KalahRules};

    #[test]
    fn features_of_a_position_worked_out_by_hand() {
        // Own pits 4 0 1 0 0 1 and a store of 20; the opponent's 0 0 6 0 0 13 and a store of 3.
        let side = |stones: [u64; 7]| (stones.iter().rev()).fold(0, |side, pit| side << 8 | pit);
        let position = Kalah {
            own: side([4, 0, 1, 0, 0, 1, 20]),
            other: side([0, 0, 6, 0, 0, 13, 3]),
            to_move: Player::First,
            rules: KalahRules::default(),
        };
        let mut list = [0; FEATURES];
        let stage = features(&position, &mut list);
        let mut expected = [0; FEATURES];
        expected[STORE] = 17;
        // From the store on: own 1 0 0 1 0 4, the opponent's 13 0 0 6 0 0.
        for (distance, stones) in [1 - 13, 0, 0, 1 - 6, 0, 4].into_iter().enumerate() {
            expected[PITS + distance] = stones;
        }
        expected[FILLED] = 3 - 2;
        // Of the opponent's six stones four reach the store and two go past; of its thirteen twelve do.
        expected[PASSING] = -(2 + 12);
        expected[OWN_AGAIN] = 1;
        // The first pit ends in the fifth, which is empty, opposite of the opponent's second; the third ends in the fourth,
        // opposite of its third with six stones.
        expected[OWN_CAPTURE] = 6;
        // Thirteen stones go all the way round to their own pit, opposite of our first.
        expected[OTHER_CAPTURE] = 4;
        expected[TEMPO] = 1;
        assert_eq!(list, expected);
        assert_eq!((stage.knot, stage.share), (1, 23 - 16));
    }
}
