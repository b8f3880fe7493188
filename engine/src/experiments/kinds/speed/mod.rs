//! Trials that measure how fast the viewer shows trees: parsing, layout and the first frame.

mod sections;
mod tree_file;
mod viewer;

use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use self::tree_file::TreeFile;
use super::{TrialKind, Trials, to_row};
use crate::{
    arena::viewer_program::{self, NO_VIEWER},
    experiments::{
        document::{Document, Problem},
        file::ExperimentFile,
        scale::RunOptions,
    },
    reports::Report,
    runs::{RunError, execute::TrialEnd, union::Run},
    search::StopFlag,
    tree::files::Format,
};

/// The fewest nodes of a tree in a small run.
const MIN_NODES: u64 = 1000;

/// Trees that the viewer reads, lays out and draws.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Speed {
    /// Measurements of each tree
    #[schemars(range(min = 1, max = 10_000))]
    pub runs: u64,
    /// The trees
    pub trees: Vec<TreeForm>,
}

/// A tree, which a search grows.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeForm {
    /// Its name in tables and plots
    pub name: String,
    /// The game, with a variant if wanted
    #[schemars(extend("x-check" = "game"))]
    pub game: String,
    /// The search that grows it from the start of the game
    pub search: String,
    /// Its nodes
    #[schemars(range(min = 1, max = 100_000_000))]
    pub nodes: u64,
    /// The file's format
    #[serde(default)]
    pub format: TreeFormat,
    /// Seconds within which it must be shown
    #[schemars(range(min = 0))]
    pub limit: f64,
    /// Seconds that were published
    #[serde(default)]
    pub published: Option<f64>,
}

/// The format of a tree file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TreeFormat {
    /// Text
    #[default]
    Csv,
    /// Report 000's binary format
    Tree,
}

impl TreeFormat {
    fn format(self) -> Format {
        match self {
            Self::Csv => Format::Csv,
            Self::Tree => Format::Tree,
        }
    }
}

/// What a hypothesis claims.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpeedClaim {
    /// The trees, by name, that are shown within their limits; all if none is listed
    #[serde(default)]
    pub within_limit: Vec<String>,
}

/// One measurement: a row of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeedRow {
    /// The number of the trial.
    pub trial: u64,
    /// The tree, by number from 0.
    pub tree: usize,
    /// The nodes that were shown.
    pub nodes: u64,
    /// The size of the file.
    pub bytes: u64,
    /// Milliseconds to read the file.
    pub parse_ms: f64,
    /// Milliseconds to give every node its place.
    pub layout_ms: f64,
    /// Milliseconds to draw the window for the first time with the tree in it.
    pub first_frame_ms: f64,
}

impl SpeedRow {
    /// Seconds until the tree is to be seen.
    fn seconds(&self) -> f64 {
        (self.parse_ms + self.layout_ms + self.first_frame_ms) / 1e3
    }
}

impl TrialKind for Speed {
    const NAME: &'static str = "speed";
    const ABOUT: &'static str = "Time until the viewer shows a tree; needs canopy-viewer";
    const FREE_KEYS: &'static [&'static str] = &["runs"];
    type Claim = SpeedClaim;

    fn rescale(&mut self, options: &RunOptions) {
        self.runs = options.repetitions(self.runs, 2);
        for tree in &mut self.trees {
            tree.nodes = options.scale.count(tree.nodes, MIN_NODES);
        }
    }

    fn prepare(
        file: ExperimentFile<Self>,
        _: &Document<'_>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>> {
        let mut problems = Vec::new();
        if file.trials.trees.is_empty() {
            let text = "there are none: expected a [[trials.trees]] table";
            problems.push(Problem::at("trials.trees", text));
        }
        for (number, tree) in (1..).zip(&file.trials.trees) {
            if let Err(error) = tree_file::check(tree) {
                let key = format!("trials.trees.{number}.search");
                problems.push(Problem::at(key, error));
            }
        }
        for (number, form) in (1..).zip(&file.hypotheses) {
            for (place, name) in (1..).zip(&form.claim.within_limit) {
                if !file.trials.trees.iter().any(|tree| tree.name == *name) {
                    problems.push(Problem::at(
                        format!("hypotheses.{number}.claim.within_limit.{place}"),
                        format!("no tree is called {name:?}: expected the name of a [[trials.trees]] table"),
                    ));
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let files = file.trials.trees.iter().map(|_| Mutex::new(None)).collect();
        Ok(Box::new(SpeedTrials { file, files }))
    }
}

struct SpeedTrials {
    file: ExperimentFile<Speed>,
    /// The trees that have been grown by now.
    files: Vec<Mutex<Option<TreeFile>>>,
}

impl SpeedTrials {
    fn tree_of(&self, trial: u64) -> usize {
        (trial.saturating_sub(1) % (self.files.len() as u64).max(1)) as usize
    }

    fn rows(&self, run: &Run) -> Result<Vec<SpeedRow>, RunError> {
        run.results(|trial, row: &SpeedRow| {
            match row.trial == trial && row.tree == self.tree_of(trial) {
                true => Ok(()),
                false => Err("not a measurement of this experiment".to_owned()),
            }
        })
    }
}

impl Trials for SpeedTrials {
    fn count(&self) -> u64 {
        (self.files.len() as u64).saturating_mul(self.file.trials.runs)
    }

    fn unit_name(&self) -> &'static str {
        "measurements"
    }

    fn is_repeatable(&self) -> bool {
        false
    }

    fn time_fields(&self) -> &'static [&'static str] {
        &["parse_ms", "layout_ms", "first_frame_ms"]
    }

    fn run(&self, trial: u64, stop: &StopFlag) -> TrialEnd<Box<RawValue>> {
        let Some(program) = viewer_program::find() else {
            return TrialEnd::Void(format!(
                "{NO_VIEWER}: expected it, as only the viewer lays out and draws trees"
            ));
        };
        let tree = self.tree_of(trial);
        let (Some(form), Some(file)) = (self.file.trials.trees.get(tree), self.files.get(tree))
        else {
            return TrialEnd::Void("it is not in the plan".to_owned());
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let measured = tree_file::get_or_grow(&mut file, form, self.file.seed, stop)
            .and_then(|file| viewer::measure(&program, file, stop));
        match measured {
            _ if stop.is_set() => TrialEnd::Halted,
            Err(problem) => TrialEnd::Void(problem),
            Ok(found) => to_row(&SpeedRow {
                trial,
                tree,
                nodes: found.nodes,
                bytes: file.as_ref().map_or(0, TreeFile::bytes),
                parse_ms: found.parse_ms,
                layout_ms: found.layout_ms,
                first_frame_ms: found.first_frame_ms,
            }),
        }
    }

    fn report(&self, run: &Run, report: &mut Report) -> Result<(), RunError> {
        sections::add(&self.file, &self.rows(run)?, report);
        Ok(())
    }
}
