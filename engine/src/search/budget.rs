//! Limits of a running search. The only module of `search` that reads the clock.

use std::time::{Duration, Instant};

use super::{SearchLimits, StopFlag};

/// Deadline, step limit and stop flag of a running search, and the timers of its callbacks. [`SearchLimits::time`] becomes the
/// deadline when the budget starts.
#[derive(Debug)]
pub struct SearchBudget {
    started: Instant,
    deadline: Option<Instant>,
    max_steps: u64,
    stop: StopFlag,
    reports: IntervalTimer,
    snapshots: IntervalTimer,
    reviews: IntervalTimer,
    /// Steps until the clock is read again; `clock_stride` adapts so that reads are about [`CLOCK_READ_INTERVAL`] apart.
    steps_until_clock_read: u32,
    clock_stride: u32,
    last_clock_read: Instant,
    exhausted: bool,
}

/// Elapsed time for modules that may not read the clock themselves.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts measuring.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A periodic timer. It restarts when it is found due: missed intervals do not accumulate.
#[derive(Debug)]
struct IntervalTimer {
    interval: Option<Duration>,
    due: Option<Instant>,
}

impl IntervalTimer {
    fn start(every: Option<Duration>, now: Instant) -> Self {
        Self {
            interval: every,
            due: every.and_then(|every| now.checked_add(every)),
        }
    }

    /// True if the interval has passed since it was last true; restarts the interval.
    #[inline(always)]
    fn is_due(&mut self, now: Instant) -> bool {
        match self.due {
            Some(due) if now >= due => {
                self.due = self.interval.and_then(|every| now.checked_add(every));
                true
            }
            _ => false,
        }
    }
}

/// Target time between two clock reads: precise enough for deadlines, rare enough to cost nothing.
const CLOCK_READ_INTERVAL: Duration = Duration::from_micros(250);
const MAX_CLOCK_STRIDE: u32 = 4096;

impl SearchBudget {
    /// Starts the clock. `count` limits the steps, which are iterations or nodes; `None` for no limit.
    pub fn start(limits: &SearchLimits, count: Option<u64>, stop: &StopFlag) -> Self {
        let now = Instant::now();
        Self {
            started: now,
            deadline: limits.time.and_then(|time| now.checked_add(time)),
            max_steps: count.unwrap_or(u64::MAX),
            stop: stop.clone(),
            reports: IntervalTimer::start(None, now),
            snapshots: IntervalTimer::start(None, now),
            reviews: IntervalTimer::start(None, now),
            steps_until_clock_read: 1,
            clock_stride: 1,
            last_clock_read: now,
            exhausted: false,
        }
    }

    /// A budget for a helper thread: the same deadline and stop flag, no step limit, no timers.
    pub fn for_helper(&self) -> Self {
        Self {
            started: self.started,
            deadline: self.deadline,
            max_steps: u64::MAX,
            stop: self.stop.clone(),
            reports: IntervalTimer::start(None, self.started),
            snapshots: IntervalTimer::start(None, self.started),
            reviews: IntervalTimer::start(None, self.started),
            steps_until_clock_read: 1,
            clock_stride: 1,
            last_clock_read: self.started,
            exhausted: false,
        }
    }

    /// [`Self::for_helper`] with the same step limit, for helpers that know the steps of all threads.
    pub fn for_counting_helper(&self) -> Self {
        Self {
            max_steps: self.max_steps,
            ..self.for_helper()
        }
    }

    /// Adds timers for reports and snapshots, `None` for no timer.
    pub fn with_timers(mut self, reports: Option<Duration>, snapshots: Option<Duration>) -> Self {
        self.reports = IntervalTimer::start(reports, self.started);
        self.snapshots = IntervalTimer::start(snapshots, self.started);
        self
    }

    /// Adds a timer for [`Self::is_review_due`], `None` for no timer.
    pub fn with_reviews(mut self, every: Option<Duration>) -> Self {
        self.reviews = IntervalTimer::start(every, self.started);
        self
    }

    /// True if the search must end after `used` steps: these are all, the deadline has passed, or the stop flag is set. Call it once
    /// per step: it also schedules clock reads.
    #[inline(always)]
    pub fn is_exhausted(&mut self, used: u64) -> bool {
        if used >= self.max_steps || self.exhausted || self.stop.is_set() {
            self.exhausted = true;
            return true;
        }
        self.steps_until_clock_read -= 1;
        if self.steps_until_clock_read == 0 {
            self.read_clock();
        }
        self.exhausted
    }

    #[cold]
    fn read_clock(&mut self) {
        let now = Instant::now();
        self.exhausted |= self.deadline.is_some_and(|deadline| now >= deadline);
        let since = now - self.last_clock_read;
        if since < CLOCK_READ_INTERVAL / 2 {
            self.clock_stride = (self.clock_stride * 2).min(MAX_CLOCK_STRIDE);
        } else if since > CLOCK_READ_INTERVAL {
            self.clock_stride = (self.clock_stride / 2).max(1);
        }
        self.last_clock_read = now;
        self.steps_until_clock_read = self.clock_stride;
    }

    /// True if a report is due, at the resolution of the clock reads; at most once per interval.
    #[inline(always)]
    pub fn is_report_due(&mut self) -> bool {
        self.reports.is_due(self.last_clock_read)
    }

    /// True if a snapshot is due, at the resolution of the clock reads; at most once per interval.
    #[inline(always)]
    pub fn is_snapshot_due(&mut self) -> bool {
        self.snapshots.is_due(self.last_clock_read)
    }

    /// True if it is time to ask whether the search is done; at most once per interval.
    #[inline(always)]
    pub fn is_review_due(&mut self) -> bool {
        self.reviews.is_due(self.last_clock_read)
    }

    /// Time since the start of the search.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Depth limit of a search with playouts, whose depth is the length of its principal variation. The game may end before the
/// variation is that long, so the limit also ends a search whose variation has stopped growing.
#[derive(Debug)]
pub struct DepthLimit {
    plies: u32,
    longest: u32,
    /// Playouts completed when the variation first had its longest length.
    reached_at: u64,
}

impl DepthLimit {
    /// Playouts granted at least to a variation that does not grow.
    const MIN_STALLED_PLAYOUTS: u64 = 10_000;
    /// Playouts between two checks of the limit.
    pub const CHECK_INTERVAL: u64 = 256;

    /// A limit of `plies`.
    pub fn new(plies: u32) -> Self {
        Self {
            plies,
            longest: 0,
            reached_at: 0,
        }
    }

    /// True if the search must end with a principal variation of `length` plies after `playouts`: the variation is long enough,
    /// or has not grown for `MIN_STALLED_PLAYOUTS` and for as many playouts as it took to reach its length.
    pub fn is_reached(&mut self, length: u32, playouts: u64) -> bool {
        if length > self.longest {
            self.longest = length;
            self.reached_at = playouts;
        }
        let max_stalled_playouts = self.reached_at.max(Self::MIN_STALLED_PLAYOUTS);
        self.longest >= self.plies
            || playouts.saturating_sub(self.reached_at) >= max_stalled_playouts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_is_reached_by_length_or_by_patience() {
        let mut limit = DepthLimit::new(5);
        assert!(!limit.is_reached(4, 256));
        assert!(limit.is_reached(5, 512));
        // A variation that does not grow gets 10,000 playouts ...
        let mut limit = DepthLimit::new(5);
        assert!(!limit.is_reached(3, 1_000));
        assert!(!limit.is_reached(2, 10_999));
        assert!(limit.is_reached(3, 11_000));
        // ... or as many as it took to reach its length.
        let mut limit = DepthLimit::new(5);
        assert!(!limit.is_reached(3, 9_000));
        assert!(!limit.is_reached(4, 18_000));
        assert!(!limit.is_reached(4, 35_999));
        assert!(limit.is_reached(4, 36_000));
        // So does a search without any variation.
        assert!(DepthLimit::new(1).is_reached(0, 10_000));
    }
}
