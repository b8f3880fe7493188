//! The union of a run's parts.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};

use super::{
    RunError, directory,
    part::{self, EndRecord, PartHeader, PartLine},
    plan::Plan,
    shard::{NumberList, Shard},
};

/// A trial that was void this often, and never done, is not attempted again unless it is asked for by number.
pub const MAX_VOIDS: usize = 3;

/// An attempt at a shard: what its part says.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The file.
    pub file: String,
    /// Its first line.
    pub header: PartHeader,
    /// Its results.
    pub results: u64,
    /// The time of its last line, in milliseconds since 1970.
    pub last_time: u64,
    /// Its last line, if it had nothing left to do.
    pub end: Option<EndRecord>,
}

/// A trial that is done.
#[derive(Debug)]
struct DoneTrial {
    /// When, in milliseconds since 1970.
    time: u64,
    /// Which of the attempts did it.
    attempt: usize,
    /// The result, if results are kept.
    result: Option<Box<RawValue>>,
}

/// Trials that were attempted in vain and are not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoidTrial {
    /// The trial.
    pub trial: u64,
    /// How often it was attempted.
    pub count: usize,
    /// Why, the last time.
    pub reason: String,
}

/// All that is known of a run.
#[derive(Debug)]
pub struct Run {
    plan: Plan,
    keeps_results: bool,
    attempts: Vec<Attempt>,
    done: BTreeMap<u64, DoneTrial>,
    voids: BTreeMap<u64, (usize, String)>,
    repeated: BTreeSet<u64>,
}

impl Run {
    /// A run of which nothing is done. Results are compared and kept only if `keeps_results`.
    pub fn new(plan: Plan, keeps_results: bool) -> Self {
        Self {
            plan,
            keeps_results,
            attempts: Vec::new(),
            done: BTreeMap::new(),
            voids: BTreeMap::new(),
            repeated: BTreeSet::new(),
        }
    }

    /// What is run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Adds all parts of a directory. Of two results of one trial the earlier counts; they must be the same, times apart, if the
    /// plan is repeatable.
    pub fn add_directory(&mut self, path: &Path) -> Result<(), RunError> {
        for file in directory::part_files(path)? {
            self.add_part(&file)?;
        }
        Ok(())
    }

    fn add_part(&mut self, path: &Path) -> Result<(), RunError> {
        let file = path.display().to_string();
        let mut lines = Vec::new();
        let header = part::read(path, &mut |time, line| {
            lines.push((time, line));
            Ok(())
        })?;
        let Some(header) = header else {
            return Ok(());
        };
        if header.plan != self.plan.digest {
            return Err(RunError::Malformed {
                path: file,
                line: 1,
                problem: format!(
                    "a part of another {kind}: its plan is {there}, the directory's {here}",
                    kind = self.plan.kind,
                    there = header.plan,
                    here = self.plan.digest,
                ),
            });
        }
        self.start_attempt(file, header);
        lines
            .into_iter()
            .try_for_each(|(time, line)| self.add_line(time, line))
    }

    /// Begins an attempt to which the following lines belong.
    pub fn start_attempt(&mut self, file: String, header: PartHeader) {
        self.attempts.push(Attempt {
            file,
            last_time: header.time,
            header,
            results: 0,
            end: None,
        });
    }

    /// Adds a line of the attempt that was begun last.
    pub fn add_line(&mut self, time: u64, line: PartLine) -> Result<(), RunError> {
        let Some(attempt) = self.attempts.last_mut() else {
            return Ok(());
        };
        attempt.last_time = attempt.last_time.max(time);
        match line {
            PartLine::Result { trial, result } => {
                attempt.results += 1;
                self.add_result(trial, time, result)?;
            }
            PartLine::Void { trial, reason } => {
                let void = self.voids.entry(trial).or_default();
                *void = (void.0 + 1, reason);
            }
            PartLine::End(end) => attempt.end = Some(end),
        }
        Ok(())
    }

    fn add_result(&mut self, trial: u64, time: u64, result: Box<RawValue>) -> Result<(), RunError> {
        let new = DoneTrial {
            time,
            attempt: self.attempts.len().saturating_sub(1),
            result: self.keeps_results.then_some(result),
        };
        let Some(known) = self.done.get(&trial) else {
            self.done.insert(trial, new);
            return Ok(());
        };
        let text = |done: &DoneTrial| done.result.as_ref().map(|raw| raw.get().to_owned());
        let (one, other) = (text(known), text(&new));
        if one != other {
            self.repeated.insert(trial);
            if self.plan.repeatable
                && let Some(field) = self.first_difference(&one, &other)
            {
                let file = |done: &DoneTrial| {
                    let attempt = self.attempts.get(done.attempt);
                    attempt
                        .map(|attempt| attempt.file.clone())
                        .unwrap_or_default()
                };
                return Err(RunError::Disagreement {
                    trial: self.plan.kind.trial_name(),
                    number: trial,
                    field,
                    first: file(known),
                    second: file(&new),
                });
            }
        }
        if new.time < known.time {
            self.done.insert(trial, new);
        }
        Ok(())
    }

    /// The first field, times apart, in which two results differ.
    fn first_difference(&self, one: &Option<String>, other: &Option<String>) -> Option<String> {
        let parse = |text: &Option<String>| -> Value {
            let text = text.as_deref().unwrap_or("null");
            serde_json::from_str(text).unwrap_or_default()
        };
        let (one, other) = (parse(one), parse(other));
        let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else {
            return (one != other).then(|| "everything".to_owned());
        };
        let is_time = |key: &str| self.plan.time_fields.iter().any(|field| field == key);
        let mut keys = one.keys().chain(other.keys());
        keys.find(|key| !is_time(key) && one.get(*key) != other.get(*key))
            .cloned()
    }

    /// The attempts, in the order in which their parts were read.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The attempt that was started last.
    pub fn newest_attempt(&self) -> Option<&Attempt> {
        (self.attempts.iter()).max_by_key(|attempt| (attempt.header.time, attempt.file.as_str()))
    }

    /// Number of trials of the whole run: as many as any attempt asked for, unless the first ones have decided it.
    pub fn total(&self) -> u64 {
        let newest = self.newest_attempt();
        if let Some(decided) = newest.and_then(|attempt| attempt.end?.decided) {
            return decided;
        }
        self.asked_trials()
    }

    /// Number of trials that attempts asked for, the largest of them; as many as there are if none of them says.
    pub fn asked_trials(&self) -> u64 {
        let asked = self.attempts.iter().map(|attempt| attempt.header.trials);
        match asked.chain([self.plan.trials]).max() {
            Some(asked @ 1..) => asked,
            _ => self.done.last_key_value().map_or(0, |(&trial, _)| trial),
        }
    }

    /// Whether a trial is done.
    pub fn is_done(&self, trial: u64) -> bool {
        self.done.contains_key(&trial)
    }

    /// The trials that are done, in order.
    pub fn done(&self) -> impl Iterator<Item = u64> {
        self.done.keys().copied()
    }

    /// The number of trials that are done, of those of the whole run.
    pub fn done_count(&self) -> u64 {
        let done = self.done.range(..=self.total());
        done.count() as u64
    }

    /// The trials that are not done.
    pub fn missing(&self) -> NumberList {
        NumberList::from_ascending((1..=self.total()).filter(|&trial| !self.is_done(trial)))
    }

    /// The trials that were attempted in vain and are not done, in order.
    pub fn void_trials(&self) -> Vec<VoidTrial> {
        let open = self
            .voids
            .iter()
            .filter(|(trial, _)| !self.is_done(**trial));
        let void = |(&trial, (count, reason)): (&u64, &(usize, String))| VoidTrial {
            trial,
            count: *count,
            reason: reason.clone(),
        };
        open.map(void).collect()
    }

    /// Whether an attempt at a shard has to do a trial: it is in the shard, and neither done nor given up.
    pub fn is_pending(&self, trial: u64, shard: Shard) -> bool {
        let is_given_up = |(count, _): &(usize, String)| *count >= MAX_VOIDS;
        shard.has_unit(self.plan.units.unit_of(trial))
            && !self.is_done(trial)
            && !self.voids.get(&trial).is_some_and(is_given_up)
    }

    /// The trials of which different results were found.
    pub fn repeated_count(&self) -> u64 {
        self.repeated.len() as u64
    }

    /// The number of shards that attempts of this run were split into, by the newest of them.
    pub fn shard_count(&self) -> u64 {
        self.newest_attempt()
            .map_or(1, |attempt| attempt.header.shard.count.max(1))
    }

    /// The shards of `count` that have trials that are not done.
    pub fn missing_shards(&self, count: u64) -> NumberList {
        let missing = (1..=self.total()).filter(|&trial| !self.is_done(trial));
        let shards: BTreeSet<u64> = missing
            .map(|trial| Shard::of_unit(self.plan.units.unit_of(trial), count).number)
            .collect();
        NumberList::from_ascending(shards)
    }

    /// The results with their trials and times, in order of the trials, as they stand in the files.
    pub fn raw_results(&self) -> impl Iterator<Item = (u64, u64, &RawValue)> {
        (self.done.iter())
            .filter_map(|(&trial, done)| Some((trial, done.time, done.result.as_deref()?)))
    }

    /// The results in order of their trials; `check` finds what is wrong with one that could be read.
    pub fn results<R: DeserializeOwned>(
        &self,
        check: impl Fn(u64, &R) -> Result<(), String>,
    ) -> Result<Vec<R>, RunError> {
        let parse = |(&trial, done): (&u64, &DoneTrial)| {
            let text = done.result.as_deref().map_or("null", RawValue::get);
            let parsed: Result<R, String> =
                serde_json::from_str(text).map_err(|error| error.to_string());
            let checked = parsed.and_then(|result| check(trial, &result).map(|()| result));
            checked.map_err(|problem| {
                let attempt = self.attempts.get(done.attempt);
                RunError::BadResult {
                    path: attempt
                        .map(|attempt| attempt.file.clone())
                        .unwrap_or_default(),
                    trial: self.plan.kind.trial_name(),
                    number: trial,
                    problem,
                }
            })
        };
        self.done.iter().map(parse).collect()
    }
}
