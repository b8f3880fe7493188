//! How long a search may go on. The only place in a search that looks at a clock.

use std::time::{Duration, Instant};

use super::{SearchLimits, StopFlag};

/// Keeps count of what a search has used up.
#[derive(Debug)]
pub struct SearchBudget {
    started: Instant,
    deadline: Option<Instant>,
    max_steps: u64,
    stop: StopFlag,
    reports: IntervalTimer,
    snapshots: IntervalTimer,
    /// The clock is read when `until_look` reaches 0, and rarely enough to cost nothing.
    steps_until_clock_read: u32,
    clock_stride: u32,
    last_clock_read: Instant,
    exhausted: bool,
}

/// Tells how long something took, to those who may not look at a clock.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts it.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Something that is done every so often.
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

    /// Whether it is time; true at most once per interval.
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

/// The clock is to be read about so often.
const CLOCK_READ_INTERVAL: Duration = Duration::from_micros(250);
const MAX_CLOCK_STRIDE: u32 = 4096;

impl SearchBudget {
    /// Starts the clock. `count` is how many steps (iterations, nodes) there may be.
    pub fn start(limits: &SearchLimits, count: Option<u64>, stop: &StopFlag) -> Self {
        let now = Instant::now();
        Self {
            started: now,
            deadline: limits.time.and_then(|time| now.checked_add(time)),
            max_steps: count.unwrap_or(u64::MAX),
            stop: stop.clone(),
            reports: IntervalTimer::start(None, now),
            snapshots: IntervalTimer::start(None, now),
            steps_until_clock_read: 1,
            clock_stride: 1,
            last_clock_read: now,
            exhausted: false,
        }
    }

    /// The deadline and the stop flag for another thread of the same search, without a count, reports or snapshots.
    pub fn for_helper(&self) -> Self {
        Self {
            started: self.started,
            deadline: self.deadline,
            max_steps: u64::MAX,
            stop: self.stop.clone(),
            reports: IntervalTimer::start(None, self.started),
            snapshots: IntervalTimer::start(None, self.started),
            steps_until_clock_read: 1,
            clock_stride: 1,
            last_clock_read: self.started,
            exhausted: false,
        }
    }

    /// The same budget, with clocks for reports and snapshots.
    pub fn with_timers(mut self, reports: Option<Duration>, snapshots: Option<Duration>) -> Self {
        self.reports = IntervalTimer::start(reports, self.started);
        self.snapshots = IntervalTimer::start(snapshots, self.started);
        self
    }

    /// Whether the search must end, `used` steps having been made. Call it once a step.
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

    /// Whether it is time for a report; true at most once per interval.
    #[inline(always)]
    pub fn is_report_due(&mut self) -> bool {
        self.reports.is_due(self.last_clock_read)
    }

    /// Whether it is time for a snapshot; true at most once per interval.
    #[inline(always)]
    pub fn is_snapshot_due(&mut self) -> bool {
        self.snapshots.is_due(self.last_clock_read)
    }

    /// The time used so far.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// A limit of depth for a search with playouts, which looks ahead as far as its principal variation goes. The variation may
/// never get so long, for the game may end before: the limit also ends a search whose variation has stopped growing.
#[derive(Debug)]
pub struct DepthLimit {
    plies: u32,
    longest: u32,
    /// Playouts made when the variation was first found to be so long.
    reached_at: u64,
}

impl DepthLimit {
    /// How many playouts a variation that does not grow is given at least.
    const MIN_STALLED_PLAYOUTS: u64 = 10_000;
    /// The limit is to be looked at after every so many playouts.
    pub const CHECK_INTERVAL: u64 = 256;

    /// A limit of so many plies.
    pub fn new(plies: u32) -> Self {
        Self {
            plies,
            longest: 0,
            reached_at: 0,
        }
    }

    /// Whether the search is to end with a principal variation of `length` plies after so many playouts: it is long enough,
    /// or it has not grown for `MIN_PATIENCE` playouts and for as many as it took to reach its length.
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
        // A variation that stays as it is gets ten thousand playouts, ...
        let mut limit = DepthLimit::new(5);
        assert!(!limit.is_reached(3, 1_000));
        assert!(!limit.is_reached(2, 10_999));
        assert!(limit.is_reached(3, 11_000));
        // ... or as many as it took to get there.
        let mut limit = DepthLimit::new(5);
        assert!(!limit.is_reached(3, 9_000));
        assert!(!limit.is_reached(4, 18_000));
        assert!(!limit.is_reached(4, 35_999));
        assert!(limit.is_reached(4, 36_000));
        // Without any variation at all it ends, too.
        assert!(DepthLimit::new(1).is_reached(0, 10_000));
    }
}
