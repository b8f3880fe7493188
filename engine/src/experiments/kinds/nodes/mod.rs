//! Trials that count the nodes which searches visit, by depth.

pub mod claims;
mod sections;
mod tally;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    OutputFile, TrialKind, Trials,
    games::PlayerName,
    listed::{self, ExperimentPosition, PositionKind},
    to_row,
};
use crate::{
    catalog::Spec,
    experiments::{
        document::{Document, Problem},
        file::ExperimentFile,
        scale::RunOptions,
    },
    games::{Playable, notation::move_text},
    reports::Report,
    rng::child_seed,
    runs::{RunError, execute::TrialEnd, union::Run},
    search::{SearchLimits, StopFlag, budget::Stopwatch},
};

/// Searches of positions to every depth, whose nodes are counted.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    /// Every position is searched to every depth from 1 to this
    #[schemars(range(min = 1, max = 100))]
    pub depth: u32,
    /// Positions, one a line, as canopy-engine solve reads them; kind=WORD says what sort of position it is
    #[serde(default)]
    pub positions: String,
    /// A file with such a list, beside this file
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions_file: Option<String>,
    /// Published counts
    #[serde(default)]
    pub published: Vec<PublishedNodes>,
    /// A published number of positions, computed again
    #[serde(default)]
    pub state_space: Option<StateSpace>,
}

/// Published counts of a player in one position.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedNodes {
    /// The position, such as table 1
    pub table: String,
    /// The player
    pub player: PlayerName,
    /// The nodes by depth, from depth 1
    pub nodes: Vec<u64>,
}

/// A published number of ways to put the stones of two sides on a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateSpace {
    /// Squares of the board
    #[schemars(range(min = 1, max = 64))]
    pub squares: u32,
    /// Stones of each side
    pub stones: [u32; 2],
    /// The number that was published
    pub published: u64,
}

/// One search: a row of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodesRow {
    /// The number of the trial.
    pub trial: u64,
    /// The position, by number from 0.
    pub position: usize,
    /// The depth that was asked for.
    pub depth: u32,
    /// The player, by number from 0.
    pub player: usize,
    /// Positions visited below the root, over all iterations.
    pub nodes: u64,
    /// Leaves evaluated.
    pub leaves: u64,
    /// The depth that was reached; less where the result was proven before.
    pub reached: u32,
    /// The value of the position for the player to move, in the evaluation's units.
    pub value: Option<i32>,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Microseconds of thought.
    pub micros: u64,
}

impl TrialKind for Nodes {
    const NAME: &'static str = "nodes";
    const ABOUT: &'static str = "Nodes that searches of positions visit, by depth";
    const FREE_KEYS: &'static [&'static str] = &["published", "state_space"];
    type Claim = claims::NodesClaim;

    fn rescale(&mut self, options: &RunOptions) {
        self.depth = options.scale.depth(self.depth);
    }

    fn prepare(
        file: ExperimentFile<Self>,
        document: &Document<'_>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>> {
        listed::prepare(file, document)
    }
}

impl PositionKind for Nodes {
    fn source(&self) -> (&str, Option<&str>) {
        (&self.positions, self.positions_file.as_deref())
    }

    fn trials<G: Playable>(
        file: ExperimentFile<Self>,
        _: G::Rules,
        positions: Vec<ExperimentPosition<G>>,
        specs: Vec<Spec>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>> {
        let kinds: Vec<&str> = (positions.iter())
            .map(|position| position.kind.as_str())
            .collect();
        claims::check(&file, &kinds)?;
        Ok(Box::new(NodeTrials::<G> {
            file,
            positions,
            specs,
        }))
    }
}

struct NodeTrials<G: Playable> {
    file: ExperimentFile<Nodes>,
    positions: Vec<ExperimentPosition<G>>,
    specs: Vec<Spec>,
}

impl<G: Playable> NodeTrials<G> {
    /// Position, depth and player of a trial.
    fn place(&self, trial: u64) -> (usize, u32, usize) {
        let index = trial.saturating_sub(1);
        let players = (self.specs.len() as u64).max(1);
        let depths = u64::from(self.file.trials.depth.max(1));
        let position = (index / players / depths) as usize;
        let depth = (index / players % depths) as u32 + 1;
        (position, depth, (index % players) as usize)
    }

    fn rows(&self, run: &Run) -> Result<Vec<NodesRow>, RunError> {
        run.results(|trial, row: &NodesRow| {
            match row.trial == trial && (row.position, row.depth, row.player) == self.place(trial) {
                true => Ok(()),
                false => Err("not a search of this experiment".to_owned()),
            }
        })
    }

    fn context(&self) -> tally::NodesContext<'_> {
        tally::NodesContext {
            file: &self.file,
            positions: (self.positions.iter())
                .map(|position| (position.listed.text.as_str(), position.kind.as_str()))
                .collect(),
        }
    }
}

impl<G: Playable> Trials for NodeTrials<G> {
    fn count(&self) -> u64 {
        (self.specs.len() * self.positions.len()) as u64 * u64::from(self.file.trials.depth)
    }

    fn unit_name(&self) -> &'static str {
        "searches"
    }

    fn run(&self, trial: u64, stop: &StopFlag) -> TrialEnd<Box<RawValue>> {
        let (position, depth, player) = self.place(trial);
        let (Some(place), Some(spec)) = (self.positions.get(position), self.specs.get(player))
        else {
            return TrialEnd::Void("it is not in the plan".to_owned());
        };
        let limits = SearchLimits {
            depth: Some(depth),
            ..SearchLimits::default()
        };
        let spec = spec.with_seed(child_seed(self.file.seed, trial).max(1));
        let watch = Stopwatch::start();
        let found = place.listed.search(&spec, &limits, stop);
        let micros = watch.elapsed().as_micros() as u64;
        if stop.is_set() {
            return TrialEnd::Halted;
        }
        let Some(found) = found else {
            return TrialEnd::Void("the search has no move".to_owned());
        };
        let best = found.report.root_moves.first();
        to_row(&NodesRow {
            trial,
            position,
            depth,
            player,
            nodes: found.report.nodes,
            leaves: found.report.leaves,
            reached: found.report.depth,
            value: best.and_then(|best| best.score),
            mv: move_text(&place.listed.position, found.mv),
            micros,
        })
    }

    fn report(&self, run: &Run, report: &mut Report) -> Result<(), RunError> {
        sections::add(&self.context(), &self.rows(run)?, report);
        Ok(())
    }

    fn files(&self, run: &Run, has_times: bool) -> Result<Vec<OutputFile>, RunError> {
        let rows = self.rows(run)?;
        Ok(vec![tally::nodes_csv(&self.context(), &rows, has_times)])
    }
}
