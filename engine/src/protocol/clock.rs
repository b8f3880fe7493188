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

/// Moves a game is assumed to last on.
const EXPECTED_MOVES_LEFT: u32 = 30;

/// The time for the next move, keeping `overhead` back for communication. At least a millisecond, otherwise never more than
/// what is left without the overhead.
pub fn allocate_time(clock: &PlayerClock, overhead: Duration) -> Duration {
    let left = Duration::from_millis(clock.remaining_ms.max(0) as u64);
    let usable = left.saturating_sub(overhead);
    let moves = match clock.moves_to_go {
        None | Some(0) => EXPECTED_MOVES_LEFT,
        Some(moves) => moves.min(EXPECTED_MOVES_LEFT),
    };
    let increment = Duration::from_millis(clock.increment_ms.max(0) as u64);
    // The increment arrives after the move, so it may be spent only while the clock can cover it. The last move before the
    // time control may use everything; any other leaves a quarter.
    let share = usable / moves + increment * 3 / 4;
    let most = if moves == 1 { usable } else { usable * 3 / 4 };
    share.min(most).max(Duration::from_millis(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(left: i64, increment: i64, moves_to_go: Option<u32>, overhead: u64) -> u128 {
        let clock = PlayerClock {
            remaining_ms: left,
            increment_ms: increment,
            moves_to_go,
        };
        allocate_time(&clock, Duration::from_millis(overhead)).as_millis()
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
        assert!(millis(i64::MAX, i64::MAX, Some(u32::MAX), 0) > 0);
    }

    #[test]
    fn a_delay_below_the_overhead_costs_no_game() {
        for left in (0..3_000).step_by(7).chain((3_000..100_000).step_by(997)) {
            for increment in [0, 10, 100, 5_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    for overhead in [0, 5, 20, 100] {
                        let used = millis(left, increment, moves_to_go, overhead) as i64;
                        assert!(
                            used + overhead as i64 <= left || used == 1,
                            "{used} of {left}+{increment}, {moves_to_go:?}, overhead {overhead}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_clock_without_increment_lasts_for_a_long_game() {
        for start in [3_000, 10_000, 60_000] {
            let mut left = start;
            for ply in 0..120 {
                // Every move loses a millisecond on the way.
                left -= millis(left, 0, None, 20) as i64 + 1;
                assert!(left > 0, "{start} ms are used up at move {ply}");
            }
        }
    }
}
