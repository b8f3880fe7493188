//! What the window counts of itself: how soon it answers, and how smoothly trees grow.

use std::{collections::VecDeque, time::Duration};

use serde_json::{Value, json};

/// So many of the last ones are remembered.
const MAX_SAMPLES: usize = 300;
/// A tree that has not changed for so long has stopped growing.
const MIN_GROWTH_PAUSE: Duration = Duration::from_millis(500);

/// The counters.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// How many frames were drawn.
    frames: u64,
    /// Whether the next frame shows another state of a growing tree.
    has_grown: bool,
    /// From a click to the frame that answers it.
    click_latencies: VecDeque<Duration>,
    /// When another state of a growing tree was shown.
    growth_times: VecDeque<Duration>,
}

impl Counters {
    /// A click was answered.
    pub fn record_click_latency(&mut self, after: Duration) {
        push_bounded(&mut self.click_latencies, after);
    }

    /// There is another state of a growing tree to be shown.
    pub fn mark_grown(&mut self) {
        self.has_grown = true;
    }

    /// A frame was drawn.
    pub fn record_frame(&mut self, now: Duration) {
        self.frames += 1;
        if std::mem::take(&mut self.has_grown) {
            push_bounded(&mut self.growth_times, now);
        }
    }

    /// How soon 95 of 100 clicks were answered.
    pub fn click_latency_p95(&self) -> Option<Duration> {
        let mut times: Vec<Duration> = self.click_latencies.iter().copied().collect();
        times.sort();
        times
            .get((times.len() * 95 / 100).min(times.len().checked_sub(1)?))
            .copied()
    }

    /// How many states of growing trees were shown in a second, pauses left out.
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

    /// All of it, for tests.
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
