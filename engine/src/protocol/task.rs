//! From a request to a search: its own limits stay, else the time follows from the clock, else from the options. Also the task while
//! it runs, and its result.

use std::time::Duration;

use super::{
    clock::{self, PlayerClock},
    options::{OptionId, Options},
};
use crate::{
    search::{SearchLimits, StopFlag, pacing::Pacing},
    session::{SearchResult, Session},
};

/// Time for a move that no limit, option or search bounds.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// A request to search as a dialect read it, before options and clock have turned it into a
/// [`SearchRequest`](crate::session::SearchRequest).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GoRequest {
    pub(super) limits: SearchLimits,
    /// A clock from which the time for the move follows.
    pub(super) clock: Option<PlayerClock>,
    /// The answer is held back until `stop`.
    pub(super) infinite: bool,
    /// The answer is held back until `ponderhit` or `stop`; time limits count from the start.
    pub(super) ponder: bool,
    /// Stop once a win within this many plies is proven.
    pub(super) mate: Option<u32>,
    /// The root moves to consider; empty for all.
    pub(super) search_moves: Vec<String>,
    /// How many of the best moves need exact values; 0 is 1.
    pub(super) multi_pv: usize,
    /// Time between two reports; none for the option's.
    pub(super) info_interval: Option<Duration>,
    /// Whether the answer is a move to be played, which may come from an opening book.
    pub(super) is_for_play: bool,
}

impl GoRequest {
    /// The limits of the search: as requested, else from the clock, else from the options, else the search's own. Also how it may
    /// deviate from the time.
    pub(super) fn resolve_limits(
        &self,
        options: &Options,
        session: &dyn Session,
    ) -> (SearchLimits, Pacing) {
        let mut limits = self.limits;
        let mut max_time = None;
        if let Some(clock) = &self.clock {
            let overhead = Duration::from_millis(options.number(OptionId::MoveOverhead));
            let share = clock::allocate_time(clock, overhead, session.expected_plies_left());
            let cap = |time: Duration| limits.time.map_or(time, |other| other.min(time));
            max_time = Some(cap(share.max_time));
            limits.time = Some(cap(share.time));
        }
        let is_open = self.infinite || self.mate.is_some();
        if limits == SearchLimits::default() && !is_open {
            limits.nodes = options.positive(OptionId::Nodes);
            limits.time = (options.positive(OptionId::MoveTime)).map(Duration::from_millis);
            if limits == SearchLimits::default() && !session.has_own_limits() {
                limits.time = Some(DEFAULT_MOVE_TIME);
            }
        }
        let is_held = self.infinite || self.ponder;
        let is_for_one_move = self.multi_pv <= 1 && self.mate.is_none() && !is_held;
        let pacing = Pacing {
            early_stop: options.flag(OptionId::EarlyStop) && is_for_one_move,
            max_time: max_time.filter(|_| !is_held),
        };
        (limits, pacing)
    }
}

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
