//! When a search with a time limit answers before the limit, or after it on a clock.
//!
//! A search asks its `Pacer` now and then, with what it knows of its root as a `RootSummary`.

use std::time::Duration;

use super::SearchLimits;

/// Permissions to deviate from [`SearchLimits::time`]. `Default` has none: the time is a plain deadline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pacing {
    /// True if the search may answer as soon as the rest of the time cannot change its answer.
    pub early_stop: bool,
    /// The latest time for an answer on a clock: [`SearchLimits::time`] is then what a move gets on average, less if the best
    /// move is clear and more if it is not. `None` for a plain deadline.
    pub max_time: Option<Duration>,
}

impl Pacing {
    /// The same permissions after `used` of the time has passed.
    pub fn after(&self, used: Duration) -> Self {
        Self {
            max_time: (self.max_time)
                .map(|time| time.saturating_sub(used).max(Duration::from_millis(1))),
            ..*self
        }
    }

    /// Whether the search may answer early under `limits`: only if nothing but time limits it.
    pub fn allows_early_stop(&self, limits: &SearchLimits) -> bool {
        let only_time = SearchLimits {
            time: limits.time,
            ..SearchLimits::default()
        };
        self.early_stop && limits.time.is_some() && *limits == only_time
    }
}

/// What a search with playouts knows of its root.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RootSummary {
    /// Visits of the most visited move.
    pub(super) most_visits: u64,
    /// Visits of the second most visited move; `None` if there is no other move.
    pub(super) second_visits: Option<u64>,
    /// True if the most visited move has the highest mean, too.
    pub(super) leader_has_best_mean: bool,
    /// True if a move is proven to be as good as every other can be.
    pub(super) is_best_proven: bool,
    /// True if the most visited move is played and results count for nothing else.
    pub(super) is_chosen_by_visits: bool,
}

/// Decides when a search with playouts answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    may_stop_early: bool,
    /// Time for a move that is neither clear nor open.
    time: Duration,
    max_time: Option<Duration>,
}

impl Pacer {
    /// The bounds of the time that a move gets on a clock, as multiples of [`SearchLimits::time`].
    const MIN_STRETCH: f64 = 0.6;
    const MAX_STRETCH: f64 = 1.6;
    /// Safety factor of the number of playouts that the rest of the time allows: speed varies.
    const PLAYOUT_MARGIN: f64 = 1.1;
    const MIN_REVIEW_INTERVAL: Duration = Duration::from_millis(1);
    const MAX_REVIEW_INTERVAL: Duration = Duration::from_millis(5);

    /// `None` if the search ends at its limits and nowhere else.
    pub(super) fn new(pacing: &Pacing, limits: &SearchLimits) -> Option<Self> {
        let time = limits.time?;
        let pacer = Self {
            may_stop_early: pacing.allows_early_stop(limits),
            time,
            max_time: pacing.max_time,
        };
        (pacer.may_stop_early || pacer.max_time.is_some()).then_some(pacer)
    }

    /// The time at which the search ends whatever it knows.
    pub(super) fn deadline(&self) -> Duration {
        self.max_time.unwrap_or(self.time)
    }

    /// Time between two questions.
    pub(super) fn review_interval(&self) -> Duration {
        (self.time / 100).clamp(Self::MIN_REVIEW_INTERVAL, Self::MAX_REVIEW_INTERVAL)
    }

    /// The time of this move: on a clock the more, the closer the second move is to the first.
    fn time_for(&self, root: &RootSummary) -> Duration {
        let Some(max_time) = self.max_time else {
            return self.time;
        };
        let closeness = match root.second_visits {
            Some(_) if !root.leader_has_best_mean => 1.0,
            Some(visits) => visits as f64 / root.most_visits.max(1) as f64,
            None => 0.0,
        };
        let stretch = Self::MIN_STRETCH + closeness * (Self::MAX_STRETCH - Self::MIN_STRETCH);
        self.time.mul_f64(stretch).min(max_time)
    }

    /// True if the search should answer now: its time is used up, or the rest of it cannot change the answer. `elapsed` is the time
    /// that its `playouts` took.
    pub(super) fn is_done(&self, root: &RootSummary, elapsed: Duration, playouts: u64) -> bool {
        let time = self.time_for(root);
        if elapsed >= time {
            return true;
        }
        if !self.may_stop_early {
            return false;
        }
        let Some(second_visits) = root.second_visits else {
            return true;
        };
        if root.is_best_proven {
            return true;
        }
        let speed = playouts as f64 / elapsed.as_secs_f64().max(1e-6);
        let left = (time - elapsed).as_secs_f64() * speed * Self::PLAYOUT_MARGIN;
        let lead = root.most_visits.saturating_sub(second_visits);
        root.is_chosen_by_visits && lead as f64 > left + 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: Pacing = Pacing {
        early_stop: true,
        max_time: None,
    };

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn timed(time: u64) -> SearchLimits {
        SearchLimits {
            time: Some(millis(time)),
            ..SearchLimits::default()
        }
    }

    /// Two moves with these visits; the first one has the better mean.
    fn visited(most: u64, second: u64) -> RootSummary {
        RootSummary {
            most_visits: most,
            second_visits: Some(second),
            leader_has_best_mean: true,
            is_best_proven: false,
            is_chosen_by_visits: true,
        }
    }

    #[test]
    fn only_time_alone_may_end_early() {
        assert!(Pacer::new(&EARLY, &timed(1000)).is_some());
        let other_limits = [
            SearchLimits::default(),
            SearchLimits::iterations(5),
            SearchLimits::depth(5),
            SearchLimits {
                nodes: Some(5),
                ..timed(1000)
            },
            SearchLimits {
                depth: Some(5),
                ..timed(1000)
            },
        ];
        for limits in other_limits {
            assert!(Pacer::new(&EARLY, &limits).is_none(), "{limits:?}");
        }
        assert!(Pacer::new(&Pacing::default(), &timed(1000)).is_none());
    }

    #[test]
    fn a_lead_that_cannot_be_overtaken_ends_the_search() {
        let pacer = Pacer::new(&EARLY, &timed(1000)).expect("it may end early");
        // 1000 playouts in half of the time: 1100 more are reckoned with.
        assert!(!pacer.is_done(&visited(1100, 0), millis(500), 1000));
        assert!(pacer.is_done(&visited(1102, 0), millis(500), 1000));
        assert!(!pacer.is_done(&visited(1102, 2), millis(500), 1000));
        let by_mean = RootSummary {
            is_chosen_by_visits: false,
            ..visited(100_000, 0)
        };
        assert!(!pacer.is_done(&by_mean, millis(500), 1000));
        assert!(pacer.is_done(&by_mean, millis(1000), 1000));
    }

    #[test]
    fn one_move_and_a_proven_move_end_the_search() {
        let pacer = Pacer::new(&EARLY, &timed(1000)).expect("it may end early");
        let alone = RootSummary {
            second_visits: None,
            is_chosen_by_visits: false,
            ..visited(1, 0)
        };
        assert!(pacer.is_done(&alone, millis(1), 1));
        let proven = RootSummary {
            is_best_proven: true,
            ..visited(5, 4)
        };
        assert!(pacer.is_done(&proven, millis(1), 10));
        let patient = Pacing {
            early_stop: false,
            max_time: Some(millis(1600)),
        };
        let patient = Pacer::new(&patient, &timed(1000)).expect("it is on a clock");
        assert!(!patient.is_done(&alone, millis(599), 1));
        assert!(!patient.is_done(&proven, millis(599), 1));
    }

    #[test]
    fn a_clock_gives_more_time_to_a_close_choice() {
        let pacing = Pacing {
            early_stop: false,
            max_time: Some(millis(1500)),
        };
        let pacer = Pacer::new(&pacing, &timed(1000)).expect("it is on a clock");
        let time = |root: &RootSummary| {
            (0..2000)
                .find(|&time| pacer.is_done(root, millis(time), 1000))
                .expect("it ends")
        };
        assert_eq!(time(&visited(100, 0)), 600);
        assert_eq!(time(&visited(100, 40)), 1000);
        assert_eq!(time(&visited(100, 100)), 1500);
        let torn = RootSummary {
            leader_has_best_mean: false,
            ..visited(100, 0)
        };
        assert_eq!(time(&torn), 1500);
        assert_eq!(pacer.deadline(), millis(1500));
    }
}
