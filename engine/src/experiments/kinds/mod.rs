//! Kinds of trials: what an experiment does again and again.
//!
//! # Adding a kind
//!
//! One file here with a type that implements [`TrialKind`], and its row in [`KINDS`].

pub mod games;
pub mod grid;
pub mod listed;
pub mod nodes;
pub mod positions;
pub mod series;
pub mod speed;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};

use super::{
    document::{Document, Problem},
    experiment::{self, Experiment},
    file::ExperimentFile,
    scale::RunOptions,
};
use crate::{
    reports::Report,
    runs::{RunError, execute::TrialEnd, halt::Halt, plan::Units, union::Run},
    search::StopFlag,
};

/// The form of a kind of trials: the table `[trials]` of a file.
pub trait TrialKind:
    Clone + std::fmt::Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// The word after `kind =`.
    const NAME: &'static str;
    /// What a trial is, in a few words.
    const ABOUT: &'static str;
    /// The keys of `[trials]` on which no single trial depends: counts, published rows, what is shown.
    const FREE_KEYS: &'static [&'static str];
    /// What a hypothesis claims: the table `[hypotheses.claim]`.
    type Claim: Clone
        + std::fmt::Debug
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Send
        + Sync
        + 'static;

    /// Applies the scale of a run.
    fn rescale(&mut self, options: &RunOptions);

    /// Gets ready to do the trials of a file, whose players have their budgets and whose scale is applied. What is wrong with it that
    /// its schema cannot say is told with keys.
    fn prepare(
        file: ExperimentFile<Self>,
        document: &Document<'_>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>>;
}

/// What a trial may need of the process that does it.
#[derive(Clone, Copy, Debug)]
pub struct TrialContext<'a> {
    /// Asks searches for an early end.
    pub stop: &'a StopFlag,
    /// The same request as processes hear it that a trial starts.
    pub halt: &'a Halt,
    /// The command that starts this program.
    pub own_command: &'a [String],
}

/// The trials of an experiment, numbered from 1. Everything about a trial follows from its number.
pub trait Trials: Send + Sync {
    /// How many there are.
    fn count(&self) -> u64;

    /// What they are, for people: "games".
    fn unit_name(&self) -> &'static str;

    /// How trials form units, which belong to one shard.
    fn units(&self) -> Units {
        Units::SINGLE
    }

    /// Whether every attempt at a trial has the same result, times apart.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// The top-level fields of a row that are times.
    fn time_fields(&self) -> &'static [&'static str] {
        &["micros"]
    }

    /// Does a trial. Its row is a JSON object with the field `trial`, its number. The flag asks for an early end, which is
    /// [`TrialEnd::Halted`].
    fn run(&self, trial: u64, stop: &StopFlag) -> TrialEnd<Box<RawValue>>;

    /// Called once before the trials of an attempt: fails with a sentence if they cannot be done at all, because a program does not start.
    fn check_programs(&self, context: &TrialContext<'_>) -> Result<(), String> {
        let _ = context;
        Ok(())
    }

    /// [`Self::run`] for trials that start processes.
    fn run_in(&self, trial: u64, context: &TrialContext<'_>) -> TrialEnd<Box<RawValue>> {
        self.run(trial, context.stop)
    }

    /// Adds sections, hypotheses and the verdict to a report.
    fn report(&self, run: &Run, report: &mut Report) -> Result<(), RunError>;

    /// Other files of a run, such as a row for each game. `has_times` is false where times are left out.
    fn files(&self, run: &Run, has_times: bool) -> Result<Vec<OutputFile>, RunError> {
        let _ = (run, has_times);
        Ok(Vec::new())
    }
}

impl std::fmt::Debug for dyn Trials {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.count(), self.unit_name())
    }
}

/// A file that is written beside the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Its name in the run directory.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A kind in the table.
#[derive(Debug)]
pub struct KindRow {
    /// The word after `kind =`.
    pub name: &'static str,
    /// What a trial is.
    pub about: &'static str,
    /// The schema of its files.
    pub schema: fn() -> Value,
    /// Reads a file of this kind.
    pub load: fn(&Document<'_>, &RunOptions) -> Result<Experiment, Vec<Problem>>,
}

/// The row of a kind.
const fn row<K: TrialKind>() -> KindRow {
    KindRow {
        name: K::NAME,
        about: K::ABOUT,
        schema: super::schema::of_kind::<K>,
        load: experiment::load_kind::<K>,
    }
}

/// All kinds of trials.
pub const KINDS: &[KindRow] = &[
    row::<games::Games>(),
    row::<positions::Positions>(),
    row::<nodes::Nodes>(),
    row::<speed::Speed>(),
    row::<grid::Grid>(),
    row::<series::Series>(),
];

/// A result that was made by code cannot fail to be JSON.
fn to_row(row: &impl Serialize) -> TrialEnd<Box<RawValue>> {
    match serde_json::value::to_raw_value(row) {
        Ok(row) => TrialEnd::Done(row),
        Err(error) => TrialEnd::Void(error.to_string()),
    }
}

/// A file of comma-separated values.
fn csv_file(
    name: &str,
    headings: &[&str],
    lines: impl IntoIterator<Item = Vec<String>>,
) -> OutputFile {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_record(headings);
    for cells in lines {
        let _ = writer.write_record(&cells);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    OutputFile {
        name: name.to_owned(),
        text: String::from_utf8(bytes).unwrap_or_default(),
    }
}
