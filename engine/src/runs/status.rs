//! How far a run is, shard by shard.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    shard::{NumberList, Shard},
    union::{Attempt, MAX_VOIDS, Run, VoidTrial},
};
use crate::games::notation::escape_invisible;

/// How far a shard is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShardStatus {
    /// The shard.
    #[serde(flatten)]
    pub shard: Shard,
    /// Its trials that are done, by whomever.
    pub done: u64,
    /// All its trials.
    pub total: u64,
    /// Attempts at this very shard.
    pub attempts: usize,
    /// The machine of the newest attempt.
    pub host: Option<String>,
    /// Milliseconds since the last line of any attempt.
    pub age_ms: Option<u64>,
    /// Trials a minute of the newest attempt.
    pub rate: Option<f64>,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunStatus {
    /// The kind of run.
    pub kind: super::plan::RunKind,
    /// Trials that are done.
    pub done: u64,
    /// All trials.
    pub total: u64,
    /// The shards.
    pub shards: Vec<ShardStatus>,
    /// The shards that are not complete, such as `3,7-8`.
    pub missing_shards: String,
    /// Trials that were attempted in vain and are not done.
    pub void: Vec<VoidTrial>,
}

impl RunStatus {
    /// The status of a run that is split into `count` shards, at a time in milliseconds since 1970.
    pub fn new(run: &Run, count: u64, now: u64) -> Self {
        let mut shards: Vec<ShardStatus> = (Shard::all(count))
            .map(|shard| ShardStatus::of_attempts(run, shard, now))
            .collect();
        let total = run.total();
        for trial in 1..=total {
            let unit = run.plan().units.unit_of(trial);
            let index = Shard::of_unit(unit, count).number as usize - 1;
            if let Some(shard) = shards.get_mut(index) {
                shard.total += 1;
                shard.done += u64::from(run.is_done(trial));
            }
        }
        let missing = shards.iter().filter(|shard| shard.done < shard.total);
        let missing = NumberList::from_ascending(missing.map(|status| status.shard.number));
        Self {
            kind: run.plan().kind,
            done: run.done_count(),
            total,
            missing_shards: missing.to_string(),
            shards,
            void: run.void_trials(),
        }
    }

    /// Whether all is done.
    pub fn is_complete(&self) -> bool {
        self.missing_shards.is_empty()
    }

    /// A table for people.
    pub fn render(&self) -> String {
        let mut out = String::new();
        let _ = self.write_table(&mut out);
        out
    }

    fn write_table(&self, out: &mut String) -> std::fmt::Result {
        let (names, share) = (
            self.kind.trial_names(),
            100.0 * self.done as f64 / self.total.max(1) as f64,
        );
        let (done, total) = (self.done, self.total);
        writeln!(
            out,
            "{}: {done} of {total} {names} ({share:.1} %)",
            self.kind
        )?;
        writeln!(
            out,
            "{:>9}  {:>15}  {:>9}  {:>8}  {:>8}  {:<12}  last line",
            "shard", "done", "rate", "left", "attempts", "host"
        )?;
        for status in &self.shards {
            let rate = status.rate.map(|rate| format!("{rate:.1}/min"));
            let host = status.host.as_deref().unwrap_or("-");
            writeln!(
                out,
                "{:>9}  {:>15}  {:>9}  {:>8}  {:>8}  {:<12}  {}",
                status.shard.to_string(),
                format!("{} of {}", status.done, status.total),
                rate.unwrap_or_else(|| "-".to_owned()),
                status.time_left().unwrap_or_else(|| "-".to_owned()),
                status.attempts,
                escape_invisible(host),
                match status.age_ms {
                    Some(age) => format!("{} ago", duration_text(age as f64 / 1000.0)),
                    None => "-".to_owned(),
                }
            )?;
        }
        if !self.is_complete() {
            writeln!(out, "missing shards: {}", self.missing_shards)?;
        }
        for void in &self.void {
            let name = self.kind.trial_name();
            let VoidTrial {
                trial,
                count,
                reason,
            } = void;
            let reason = escape_invisible(reason);
            let more = match *count >= MAX_VOIDS {
                true => format!("; it is given up, --only {trial} tries again"),
                false => String::new(),
            };
            let times = if *count == 1 { "time" } else { "times" };
            writeln!(
                out,
                "{name} {trial} was void {count} {times}: {reason}{more}"
            )?;
        }
        Ok(())
    }
}

impl ShardStatus {
    fn of_attempts(run: &Run, shard: Shard, now: u64) -> Self {
        let own = || {
            run.attempts()
                .iter()
                .filter(|attempt| attempt.header.shard == shard)
        };
        let newest = own().max_by_key(|attempt| attempt.header.time);
        let last_time = own().map(|attempt| attempt.last_time).max();
        Self {
            shard,
            done: 0,
            total: 0,
            attempts: own().count(),
            host: newest.map(|attempt| attempt.header.host.clone()),
            age_ms: last_time.map(|time| now.saturating_sub(time)),
            rate: newest.and_then(rate_of),
        }
    }

    fn time_left(&self) -> Option<String> {
        let left = self.total - self.done.min(self.total);
        let rate = self.rate.filter(|&rate| rate > 0.0)?;
        (left > 0).then(|| duration_text(left as f64 / rate * 60.0))
    }
}

/// Trials a minute, by the times of the lines.
fn rate_of(attempt: &Attempt) -> Option<f64> {
    let millis = attempt.last_time.checked_sub(attempt.header.time)?;
    (attempt.results > 0 && millis > 0).then(|| attempt.results as f64 * 60_000.0 / millis as f64)
}

/// A duration as people say it: `4 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
pub fn duration_text(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e10) as u64;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, ..) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}
