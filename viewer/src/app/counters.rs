//! Latency of clicks and frame rate of growing trees.

use std::{collections::VecDeque, time::Duration};

use serde_json::{Value, json};

/// Samples kept of each kind, the latest.
const MAX_SAMPLES: usize = 300;
/// Gap after which a tree counts as having stopped growing.
const MIN_GROWTH_PAUSE: Duration = Duration::from_millis(500);

/// Measurements of the running window.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Frames drawn.
    frames: u64,
    /// Whether the next frame shows a new state of a growing tree.
    has_grown: bool,
    /// Times from a click to the frame that answers it.
    click_latencies: VecDeque<Duration>,
    /// When new states of growing trees were shown.
    growth_times: VecDeque<Duration>,
}

impl Counters {
    /// Records the time from a click to its frame.
    pub fn record_click_latency(&mut self, after: Duration) {
        push_bounded(&mut self.click_latencies, after);
    }

    /// Notes a new state of a growing tree, to be shown by the next frame.
    pub fn mark_grown(&mut self) {
        self.has_grown = true;
    }

    /// Records a frame.
    pub fn record_frame(&mut self, now: Duration) {
        self.frames += 1;
        if std::mem::take(&mut self.has_grown) {
            push_bounded(&mut self.growth_times, now);
        }
    }

    /// 95th percentile of click latencies.
    pub fn click_latency_p95(&self) -> Option<Duration> {
        let mut times: Vec<Duration> = self.click_latencies.iter().copied().collect();
        times.sort();
        times
            .get((times.len() * 95 / 100).min(times.len().checked_sub(1)?))
            .copied()
    }

    /// States of growing trees shown per second, without pauses.
    pub fn growth_frame_rate(&self) -> Option<f64> {
        let pairs = self
            .growth_times
            .iter()
            .zip(self.growth_times.iter().skip(1));
        let steps: Vec<Duration> = pairs
            .map(|(before, after)| after.saturating_sub(*before))
            .filter(|step| *step < MIN_GROWTH_PAUSE)
            .collect();
        let time: Duration = steps.iter().sum();
        (!time.is_zero()).then(|| steps.len() as f64 / time.as_secs_f64())
    }

    /// The measurements as JSON.
    pub fn dump(&self) -> Value {
        json!({
            "frames": self.frames,
            "clicks": self.click_latencies.len(),
            "click_ms": self.click_latency_p95().map(|time| time.as_secs_f64() * 1e3),
            "grown": self.growth_times.len(),
            "grown_per_second": self.growth_frame_rate(),
        })
    }
}

fn push_bounded(list: &mut VecDeque<Duration>, value: Duration) {
    if list.len() == MAX_SAMPLES {
        list.pop_front();
    }
    list.push_back(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slow_ones_and_the_pauses_are_known() {
        let mut counters = Counters::default();
        assert_eq!(
            (counters.click_latency_p95(), counters.growth_frame_rate()),
            (None, None)
        );
        for index in 1..=100 {
            counters.record_click_latency(Duration::from_millis(index));
        }
        assert_eq!(
            counters.click_latency_p95(),
            Some(Duration::from_millis(96))
        );
        // Ten states a second, twice, with a minute between.
        for begin in [0, 60_000] {
            for step in 0..=10 {
                let now = Duration::from_millis(begin + step * 100);
                // What is replaced before it was drawn was never seen, and not every frame shows another state.
                counters.mark_grown();
                counters.mark_grown();
                counters.record_frame(now);
                counters.record_frame(now + Duration::from_millis(7));
            }
        }
        let rate = counters.growth_frame_rate().expect("trees have grown");
        assert!((rate - 10.0).abs() < 1e-9, "{rate}");
    }
}
