//! What the window counts of itself: how soon it answers, and how smoothly trees grow.

use std::{collections::VecDeque, time::Duration};

use serde_json::{Value, json};

/// So many of the last ones are remembered.
const MOST: usize = 300;
/// A tree that has not changed for so long has stopped growing.
const BREAK: Duration = Duration::from_millis(500);

/// The counters.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// How many frames were drawn.
    frames: u64,
    /// Whether the next frame shows another state of a growing tree.
    has_grown: bool,
    /// From a click to the frame that answers it.
    clicks: VecDeque<Duration>,
    /// When another state of a growing tree was shown.
    grown: VecDeque<Duration>,
}

impl Counters {
    /// A click was answered.
    pub fn answered(&mut self, after: Duration) {
        push(&mut self.clicks, after);
    }

    /// There is another state of a growing tree to be shown.
    pub fn grew(&mut self) {
        self.has_grown = true;
    }

    /// A frame was drawn.
    pub fn drew(&mut self, now: Duration) {
        self.frames += 1;
        if std::mem::take(&mut self.has_grown) {
            push(&mut self.grown, now);
        }
    }

    /// How soon 95 of 100 clicks were answered.
    pub fn click_time(&self) -> Option<Duration> {
        let mut times: Vec<Duration> = self.clicks.iter().copied().collect();
        times.sort();
        times
            .get((times.len() * 95 / 100).min(times.len().checked_sub(1)?))
            .copied()
    }

    /// How many states of growing trees were shown in a second, pauses left out.
    pub fn growth_rate(&self) -> Option<f64> {
        let pairs = self.grown.iter().zip(self.grown.iter().skip(1));
        let steps: Vec<Duration> = pairs
            .map(|(before, after)| after.saturating_sub(*before))
            .filter(|step| *step < BREAK)
            .collect();
        let time: Duration = steps.iter().sum();
        (!time.is_zero()).then(|| steps.len() as f64 / time.as_secs_f64())
    }

    /// All of it, for tests.
    pub fn dump(&self) -> Value {
        json!({
            "frames": self.frames,
            "clicks": self.clicks.len(),
            "click_ms": self.click_time().map(|time| time.as_secs_f64() * 1e3),
            "grown": self.grown.len(),
            "grown_per_second": self.growth_rate(),
        })
    }
}

fn push(list: &mut VecDeque<Duration>, value: Duration) {
    if list.len() == MOST {
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
            (counters.click_time(), counters.growth_rate()),
            (None, None)
        );
        for index in 1..=100 {
            counters.answered(Duration::from_millis(index));
        }
        assert_eq!(counters.click_time(), Some(Duration::from_millis(96)));
        // Ten states a second, twice, with a minute between.
        for begin in [0, 60_000] {
            for step in 0..=10 {
                let now = Duration::from_millis(begin + step * 100);
                // What is replaced before it was drawn was never seen, and not every frame shows another state.
                counters.grew();
                counters.grew();
                counters.drew(now);
                counters.drew(now + Duration::from_millis(7));
            }
        }
        let rate = counters.growth_rate().expect("trees have grown");
        assert!((rate - 10.0).abs() < 1e-9, "{rate}");
    }
}
