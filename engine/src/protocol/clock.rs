//! Time management: the time for a move as a pure function of the clock.

use std::time::Duration;

/// A player's own clock; the opponent's is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerClock {
    /// Milliseconds left; match runners may send 0 or less.
    pub remaining_ms: i64,
    /// Milliseconds added after each move.
    pub increment_ms: i64,
    /// Moves to the next time control; none or 0 for sudden death.
    pub moves_to_go: Option<u32>,
}

/// The time for a move on a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTime {
    /// For a choice that is neither clear nor open.
    pub time: Duration,
    /// For the most open choice.
    pub max_time: Duration,
}

/// Moves a game is assumed to last on if its rules set no end.
const EXPECTED_MOVES_LEFT: u32 = 30;

/// The time for the next move, keeping `overhead` back for communication. At least a millisecond, otherwise never more than
/// what is left without the overhead. `plies_left` is an estimate of the plies to the end of the game, if there is one.
///
/// With such an estimate early moves get up to twice the even share. Whether a game lasts as long as expected is not known before
/// its end, early moves decide more, and the last ones need little time.
pub fn allocate_time(clock: &PlayerClock, overhead: Duration, plies_left: Option<u32>) -> MoveTime {
    let left = Duration::from_millis(clock.remaining_ms.max(0) as u64);
    let usable = left.saturating_sub(overhead);
    let increment = Duration::from_millis(clock.increment_ms.max(0) as u64);
    let moves_to_go = clock.moves_to_go.filter(|&moves| moves > 0);
    let moves_left = plies_left.map(|plies| plies.div_ceil(2).max(1));
    let share = match (moves_left, moves_to_go) {
        // Expected to end before the next time control. Of the increments only those that come in time can be used. The game may
        // last longer than expected, and every move may lose time on the way: half of what is left stays, and a reserve.
        (Some(moves), _) if moves_to_go.is_none_or(|control| moves <= control) => {
            let reserve = (left / 16).min(overhead.saturating_mul(4));
            let spendable = usable.saturating_sub(reserve);
            let all = spendable.saturating_add(increment.saturating_mul((moves - 1) / 2));
            (all.saturating_mul(2) / (moves + 1)).min(spendable / 2)
        }
        // The increment arrives after the move, so it may be spent only while the clock can cover it.
        _ => {
            let moves = moves_to_go.unwrap_or(u32::MAX).min(EXPECTED_MOVES_LEFT);
            usable / moves + increment * 3 / 4
        }
    };
    // The last move before the time control may use everything; any other leaves a quarter.
    let most = match moves_to_go {
        Some(1) => usable,
        _ => usable * 3 / 4,
    };
    let at_least = Duration::from_millis(1);
    let time = share.min(most).max(at_least);
    let max_time = share.saturating_mul(2).min(most).max(at_least);
    MoveTime { time, max_time }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocate(
        left: i64,
        increment: i64,
        moves_to_go: Option<u32>,
        overhead: u64,
        plies_left: Option<u32>,
    ) -> MoveTime {
        let clock = PlayerClock {
            remaining_ms: left,
            increment_ms: increment,
            moves_to_go,
        };
        allocate_time(&clock, Duration::from_millis(overhead), plies_left)
    }

    fn millis(left: i64, increment: i64, moves_to_go: Option<u32>, overhead: u64) -> u128 {
        let allotted = allocate(left, increment, moves_to_go, overhead, None);
        allotted.time.as_millis()
    }

    #[test]
    fn time_is_shared_among_the_moves_to_come() {
        assert_eq!(millis(60_000, 0, None, 0), 2_000);
        assert_eq!(millis(60_000, 1_000, None, 0), 2_750);
        assert_eq!(millis(60_000, 0, Some(10), 0), 6_000);
        assert_eq!(millis(60_000, 0, Some(1), 20), 59_980);
        assert_eq!(millis(60_000, 0, Some(0), 0), 2_000);
        // Nearly nothing left and much to come: what is there is not overspent.
        assert_eq!(millis(100, 10_000, None, 20), 60);
        for left in [0, -5_000, i64::MIN, 5, 20] {
            assert_eq!(millis(left, 0, None, 20), 1, "{left}");
            assert_eq!(millis(left, -7, Some(3), 20), 1, "{left}");
        }
        for plies_left in [None, Some(0), Some(1), Some(u32::MAX)] {
            let most = allocate(i64::MAX, i64::MAX, Some(u32::MAX), 0, plies_left);
            assert!(most.time > Duration::ZERO, "{plies_left:?}");
        }
    }

    #[test]
    fn a_game_with_an_end_shares_its_clock_until_the_end() {
        let time = |plies| allocate(10_000, 0, None, 0, Some(plies)).time.as_millis();
        assert_eq!(time(38), 1_000);
        assert_eq!(time(18), 2_000);
        // The last moves leave half: a pass may lengthen the game.
        assert_eq!(time(1), 5_000);
        assert_eq!(time(2), 5_000);
        // A time control that comes first shares its clock as ever.
        let controlled = |moves| {
            allocate(10_000, 0, Some(moves), 0, Some(38))
                .time
                .as_millis()
        };
        assert_eq!(controlled(10), 1_000);
        assert_eq!(controlled(5), 2_000);
        assert_eq!(controlled(40), 1_000);
    }

    #[test]
    fn a_game_of_bounded_length_spends_its_clock() {
        for (base, increment) in [(5_000, 0), (2_000, 50)] {
            for plies in [30, 42, 60] {
                let (mut left, mut total) = (base, base);
                for ply in (0..plies).step_by(2) {
                    let share = allocate(left, increment, None, 20, Some(plies - ply));
                    left -= share.time.as_millis() as i64;
                    assert!(left > 0, "{base}+{increment}, ply {ply} of {plies}");
                    left += increment;
                    total += increment;
                }
                assert!(
                    left * 10 <= total,
                    "{base}+{increment}, {plies}: {left} of {total}"
                );
            }
        }
    }

    #[test]
    fn a_delay_below_the_overhead_costs_no_game() {
        for left in (0..3_000).step_by(7).chain((3_000..100_000).step_by(997)) {
            for increment in [0, 10, 100, 5_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    for overhead in [0, 5, 20, 100] {
                        for plies_left in [None, Some(1), Some(3), Some(60)] {
                            let share =
                                allocate(left, increment, moves_to_go, overhead, plies_left);
                            assert!(share.time <= share.max_time);
                            let used = share.max_time.as_micros() as i64;
                            assert!(
                                used + 1000 * overhead as i64 <= 1000 * left || used == 1000,
                                "{used} us of {left}+{increment}, {moves_to_go:?}, overhead {overhead}, {plies_left:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_clock_without_increment_lasts_for_a_long_game() {
        for start in [3_000, 10_000, 60_000] {
            for plies_left in [None, Some(60)] {
                let mut left = start;
                for ply in 0..120_u32 {
                    // Every move loses a millisecond on the way.
                    let rest = plies_left.map(|plies: u32| plies.saturating_sub(ply).max(1));
                    let share = allocate(left, 0, None, 20, rest);
                    left -= share.time.as_millis() as i64 + 1;
                    let is_ended = plies_left.is_some_and(|plies| ply >= plies);
                    assert!(left > 0 || is_ended, "{start} ms are used up at move {ply}");
                }
            }
        }
    }
}
