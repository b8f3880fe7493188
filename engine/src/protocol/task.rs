//! The running search or perft of a server.

use std::time::Duration;

use crate::{search::StopFlag, session::SearchResult};

/// A task that runs, or whose result is held back.
pub(super) struct RunningTask {
    pub(super) number: u64,
    pub(super) stop: StopFlag,
    pub(super) started_at: Duration,
    /// Whether the result is held back until `stop`.
    pub(super) is_held: bool,
    /// Set for `go infinite`: the result is held back until `stop`, even after `ponderhit`.
    pub(super) is_infinite: bool,
    /// Whether it ends without `stop`.
    pub(super) is_bounded: bool,
    /// Time for the move after `ponderhit`, counted from `started_at`.
    pub(super) allotted: Option<Duration>,
    /// When it is stopped.
    pub(super) deadline: Option<Duration>,
    /// Stop once a win within this many plies is proven.
    pub(super) mate: Option<u32>,
    /// The result, once the task is done; none inside for a perft.
    pub(super) result: Option<Option<SearchResult>>,
    pub(super) throttle: ReportThrottle,
}

impl RunningTask {
    /// A bounded task without deadline.
    pub(super) fn new(number: u64, stop: StopFlag, now: Duration) -> Self {
        Self {
            number,
            stop,
            started_at: now,
            is_held: false,
            is_infinite: false,
            is_bounded: true,
            allotted: None,
            deadline: None,
            mate: None,
            result: None,
            throttle: ReportThrottle::default(),
        }
    }
}

/// Decides which reports reach the client.
#[derive(Default)]
pub(super) struct ReportThrottle {
    last_best_move: String,
    last_report: Option<Duration>,
}

impl ReportThrottle {
    /// Whether a report is due: the best move is new, or `interval` has passed.
    pub(super) fn is_due(&mut self, best_move: &str, now: Duration, interval: Duration) -> bool {
        let is_new = self.last_best_move != best_move;
        let is_late = self.last_report.is_none_or(|last| now >= last + interval);
        if is_new || is_late {
            best_move.clone_into(&mut self.last_best_move);
            self.last_report = Some(now);
        }
        is_new || is_late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_best_move_is_due_at_once_and_an_old_one_after_the_interval() {
        let mut throttle = ReportThrottle::default();
        let interval = Duration::from_millis(500);
        let mut is_due =
            |best, millis| throttle.is_due(best, Duration::from_millis(millis), interval);
        assert!(is_due("a", 0));
        assert!(!is_due("a", 499));
        assert!(is_due("b", 499));
        assert!(!is_due("b", 998));
        assert!(is_due("b", 999));
    }
}
