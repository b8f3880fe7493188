//! plan.json: what a run directory is for.

use std::{fmt, path::Path};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::RunError;
use crate::rng::mix;

/// The name of the file.
pub const FILE_NAME: &str = "plan.json";
/// The version of the file that is written.
pub const FORMAT_VERSION: u32 = 1;

/// What a run consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunKind {
    /// Games between engines, scheduled as a round robin.
    Match,
    /// Series of games between players, as report 001 has them.
    Tournament,
    /// Rows of measurements.
    Experiment,
}

impl RunKind {
    /// What one trial is called, in the singular.
    pub fn trial_name(self) -> &'static str {
        match self {
            Self::Match => "game",
            Self::Tournament => "series",
            Self::Experiment => "row",
        }
    }

    /// What several trials are called.
    pub fn trial_names(self) -> &'static str {
        match self {
            Self::Match => "games",
            Self::Tournament => "series",
            Self::Experiment => "rows",
        }
    }
}

impl fmt::Display for RunKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Match => "match",
            Self::Tournament => "tournament",
            Self::Experiment => "experiment",
        })
    }
}

/// How trials form units. `stride` units run side by side: their first trials follow each other, then their second ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    /// Trials of a unit.
    pub size: u64,
    /// Units that are interleaved.
    pub stride: u64,
}

impl Units {
    /// Every trial is a unit.
    pub const SINGLE: Self = Self { size: 1, stride: 1 };

    /// The unit, counted from 0, of a trial, counted from 1.
    pub fn unit_of(self, trial: u64) -> u64 {
        let index = trial.saturating_sub(1);
        let stride = self.stride.max(1);
        let block = index / self.size.max(1).saturating_mul(stride);
        block * stride + index % stride
    }
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of the file.
    pub format: u32,
    /// The kind of run.
    pub kind: RunKind,
    /// Identifies the plan in the parts of the run.
    pub digest: String,
    /// Number of trials that the first attempt asked for; later ones may ask for more.
    pub trials: u64,
    /// How trials form units.
    pub units: Units,
    /// Whether every attempt at a trial has the same result, times apart.
    pub repeatable: bool,
    /// The fields of a result that are times or dates.
    pub time_fields: Vec<String>,
    /// What the results depend on, as its kind writes it. It has no paths, times and names of machines.
    pub content: Value,
}

impl Plan {
    /// A plan of single, repeatable trials without times.
    pub fn new(kind: RunKind, trials: u64, content: Value) -> Self {
        let mut plan = Self {
            format: FORMAT_VERSION,
            kind,
            digest: String::new(),
            trials,
            units: Units::SINGLE,
            repeatable: true,
            time_fields: Vec::new(),
            content,
        };
        plan.digest = plan.compute_digest();
        plan
    }

    /// The same plan with its trials in such units.
    pub fn with_units(mut self, units: Units) -> Self {
        self.units = units;
        self.digest = self.compute_digest();
        self
    }

    /// The same plan, repeatable or not, with these fields of its results being times.
    pub fn with_times(mut self, repeatable: bool, time_fields: &[&str]) -> Self {
        self.repeatable = repeatable;
        self.time_fields = time_fields.iter().map(|&field| field.to_owned()).collect();
        self
    }

    /// A checksum of everything that makes it this run and no other.
    fn compute_digest(&self) -> String {
        // Keys of a JSON object are sorted, so the text is the same for equal plans.
        let text = format!("{} {:?} {}", self.kind, self.units, self.content);
        format!("{:016x}", text_digest(&text))
    }

    /// The first difference between two plans, in words: this one is there, the other is wanted now.
    pub fn first_difference(&self, now: &Self) -> Option<String> {
        if self.kind != now.kind {
            return Some(format!("it is of kind {}, now {}", self.kind, now.kind));
        }
        let difference = value_difference("", &self.content, &now.content);
        difference.or_else(|| {
            (self.compute_digest() != now.compute_digest())
                .then(|| "its trials are grouped in another way".to_owned())
        })
    }

    /// What is run, as its kind reads it; the plan lies in a directory.
    pub fn read_content<C: DeserializeOwned>(&self, directory: &Path) -> Result<C, RunError> {
        serde_json::from_value(self.content.clone()).map_err(|error| RunError::Malformed {
            path: directory.join(FILE_NAME).display().to_string(),
            line: 1,
            problem: format!("not the plan of a {}: {error}", self.kind),
        })
    }

    /// Reads the text of a plan.json.
    pub fn parse(path: &Path, text: &[u8]) -> Result<Self, RunError> {
        let malformed = |problem: String| RunError::Malformed {
            path: path.display().to_string(),
            line: 1,
            problem,
        };
        let plan: Self = serde_json::from_slice(text)
            .map_err(|error| malformed(format!("not a plan: {error}")))?;
        if plan.format > FORMAT_VERSION {
            return Err(malformed(format!(
                "format {} is of a later version: expected {FORMAT_VERSION}",
                plan.format
            )));
        }
        if plan.digest != plan.compute_digest() {
            return Err(malformed(
                "its digest is not that of its content: expected a file that nobody has changed"
                    .to_owned(),
            ));
        }
        Ok(plan)
    }
}

/// A checksum of a text, the same on every machine.
pub fn text_digest(text: &str) -> u64 {
    let words = text.as_bytes().chunks(8).map(|chunk| {
        let mut bytes = [0; 8];
        bytes
            .iter_mut()
            .zip(chunk)
            .for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(bytes)
    });
    words.fold(mix(text.len() as u64), |sum, word| mix(sum ^ word))
}

/// The first place where two values differ, in words.
fn value_difference(place: &str, there: &Value, now: &Value) -> Option<String> {
    let inside = |key: &dyn fmt::Display| match place.is_empty() {
        true => key.to_string(),
        false => format!("{place}.{key}"),
    };
    match (there, now) {
        (Value::Object(old), Value::Object(new)) => {
            let keys = old
                .keys()
                .chain(new.keys().filter(|key| !old.contains_key(*key)));
            let get = |map: &serde_json::Map<String, Value>, key: &String| {
                map.get(key).cloned().unwrap_or(Value::Null)
            };
            keys.into_iter()
                .find_map(|key| value_difference(&inside(key), &get(old, key), &get(new, key)))
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => (old.iter().zip(new))
            .zip(1..)
            .find_map(|((old, new), number)| value_difference(&inside(&number), old, new)),
        (Value::Array(old), Value::Array(new)) if old.iter().chain(new).any(Value::is_object) => {
            let (old, new) = (old.len(), new.len());
            Some(format!("its number of {place} is {old}, now {new}"))
        }
        (old, new) if old == new => None,
        (old, new) => Some(format!("its {place} is {old}, now {new}")),
    }
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn units_of_a_round_robin_are_pairs_of_games() {
        // Three pairings: games 1 to 3 are their first games, 4 to 6 their second ones.
        let units = Units { size: 2, stride: 3 };
        let of: Vec<u64> = (1..=13).map(|trial| units.unit_of(trial)).collect();
        assert_eq!(of, [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 6]);
        let of: Vec<u64> = (1..=5).map(|trial| Units::SINGLE.unit_of(trial)).collect();
        assert_eq!(of, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn the_first_difference_of_two_plans_is_named() {
        let plan = |content: Value| Plan::new(RunKind::Match, 8, content);
        let one = plan(json!({"seed": 7, "engines": [{"name": "uct"}, {"name": "lgr2"}]}));
        let difference = |other: Value| one.first_difference(&plan(other)).expect("they differ");
        assert_eq!(one.first_difference(&one), None);
        assert_eq!(
            difference(json!({"seed": 8, "engines": [{"name": "uct"}, {"name": "lgr2"}]})),
            "its seed is 7, now 8"
        );
        assert_eq!(
            difference(json!({"seed": 7, "engines": [{"name": "uct"}, {"name": "lgr1"}]})),
            "its engines.2.name is \"lgr2\", now \"lgr1\""
        );
        assert_eq!(
            difference(json!({"seed": 7, "engines": [{"name": "uct"}]})),
            "its number of engines is 2, now 1"
        );
        let other = Plan::new(RunKind::Experiment, 8, one.content.clone());
        assert_eq!(
            one.first_difference(&other).expect("they differ"),
            "it is of kind match, now experiment"
        );
        let more = Plan {
            trials: 9,
            ..one.clone()
        };
        assert_eq!(
            one.first_difference(&more),
            None,
            "more trials are the same run"
        );
    }

    #[test]
    fn a_plan_that_was_changed_by_hand_is_refused() {
        let plan = Plan::new(RunKind::Experiment, 4, json!({"seed": 7}));
        let text = serde_json::to_string(&plan).expect("a plan is JSON");
        let read = |text: &str| Plan::parse(Path::new("plan.json"), text.as_bytes());
        assert_eq!(read(&text).expect("it is sound"), plan);
        let error = read(&text.replace("\"seed\":7", "\"seed\":8")).expect_err("changed");
        assert!(
            error.to_string().contains("its digest is not that"),
            "{error}"
        );
        let error = read(&text.replace("\"format\":1", "\"format\":9")).expect_err("later");
        assert!(error.to_string().contains("of a later version"), "{error}");
    }
}
