//! Trials that are searches of positions whose truth is known: how many good moves does each player find?

pub mod claims;
mod sections;
mod tally;

use std::sync::{Mutex, OnceLock, PoisonError};

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
    arena::judge::Truth,
    catalog::{
        self, Spec,
        solvers::{self, SolverConfig},
    },
    experiments::{
        document::{Document, Problem},
        file::ExperimentFile,
        scale::RunOptions,
    },
    games::{Playable, notation::move_text},
    reports::Report,
    rng::child_seed,
    runs::{RunError, execute::TrialEnd, union::Run},
    search::{SearchLimits, StopFlag, budget::Stopwatch, exact::Exact},
};

/// Memory of the solver that judges positions whose list has no values.
const SOLVER_MEMORY_BYTES: usize = 256 << 20;

/// Searches of positions, judged by what every move is worth under best play.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    /// Searches of each position by each player, each with a seed of its own
    #[schemars(range(min = 1, max = 1_000_000))]
    pub runs: u64,
    /// Positions, one a line, as canopy-engine judge reads them; those without values= are solved
    #[serde(default)]
    pub positions: String,
    /// A file with such a list, beside this file
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions_file: Option<String>,
    /// Published numbers of good moves
    #[serde(default)]
    pub published: Vec<PublishedMoves>,
}

/// A published number of good moves.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedMoves {
    /// The player
    pub player: PlayerName,
    /// Its mean number of good moves in all positions
    #[schemars(range(min = 0))]
    pub good: f64,
}

/// The move of one search: a row of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRow {
    /// The number of the trial.
    pub trial: u64,
    /// The player, by number from 0.
    pub player: usize,
    /// The position, by number from 0.
    pub position: usize,
    /// The run, from 0.
    pub run: u64,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether no move has a better result, or a better score with the same result.
    pub optimal: bool,
    /// Whether the result under best play stays the same: a good move.
    pub good: bool,
    /// Points given away, a win being one.
    pub points_lost: f64,
    /// Score given away; 0 in games without scores.
    pub score_lost: i32,
    /// Nodes or playouts.
    pub nodes: u64,
    /// Microseconds of thought.
    pub micros: u64,
}

impl TrialKind for Positions {
    const NAME: &'static str = "positions";
    const ABOUT: &'static str = "Searches of positions, judged by what every move is worth";
    const FREE_KEYS: &'static [&'static str] = &["runs", "published"];
    type Claim = claims::PositionsClaim;

    fn rescale(&mut self, options: &RunOptions) {
        self.runs = options.repetitions(self.runs, 2);
    }

    fn prepare(
        file: ExperimentFile<Self>,
        document: &Document<'_>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>> {
        claims::check(&file)?;
        listed::prepare(file, document)
    }
}

impl PositionKind for Positions {
    fn source(&self) -> (&str, Option<&str>) {
        (&self.positions, self.positions_file.as_deref())
    }

    fn trials<G: Playable>(
        file: ExperimentFile<Self>,
        rules: G::Rules,
        mut positions: Vec<ExperimentPosition<G>>,
        specs: Vec<Spec>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>> {
        let truths = (positions.iter_mut())
            .map(|position| match position.listed.truth.take() {
                Some(truth) => OnceLock::from(truth),
                None => OnceLock::new(),
            })
            .collect();
        Ok(Box::new(PositionTrials::<G> {
            file,
            positions,
            specs,
            truths,
            rules,
            solver: Mutex::new(None),
        }))
    }
}

struct PositionTrials<G: Playable> {
    file: ExperimentFile<Positions>,
    positions: Vec<ExperimentPosition<G>>,
    specs: Vec<Spec>,
    /// What the moves of each position are worth, where that is known by now.
    truths: Vec<OnceLock<Truth<G::Move>>>,
    rules: G::Rules,
    solver: Mutex<Option<Box<dyn Exact<G>>>>,
}

impl<G: Playable> PositionTrials<G> {
    /// Player, position and run of a trial: runs follow each other, so that more of them change no trial.
    fn place(&self, trial: u64) -> (usize, usize, u64) {
        let index = trial.saturating_sub(1);
        let players = (self.specs.len() as u64).max(1);
        let positions = (self.positions.len() as u64).max(1);
        let player = (index % players) as usize;
        let position = (index / players % positions) as usize;
        (player, position, index / players / positions)
    }

    /// What the moves of a position are worth; none if it could not be solved.
    fn truth(&self, index: usize, stop: &StopFlag) -> Option<&Truth<G::Move>> {
        let known = self.truths.get(index)?;
        if let Some(truth) = known.get() {
            return Some(truth);
        }
        let mut solver = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        let solver = solver.get_or_insert_with(|| {
            solvers::solver::<G>(self.rules, SolverConfig::plain(SOLVER_MEMORY_BYTES))
        });
        let position = self.positions.get(index)?;
        let truth = position.listed.solve(&mut **solver, None, stop)?;
        Some(known.get_or_init(|| truth))
    }

    fn rows(&self, run: &Run) -> Result<Vec<MoveRow>, RunError> {
        run.results(|trial, row: &MoveRow| {
            match row.trial == trial && (row.player, row.position, row.run) == self.place(trial) {
                true => Ok(()),
                false => Err("not a search of this experiment".to_owned()),
            }
        })
    }

    fn context(&self) -> tally::PositionsContext<'_> {
        tally::PositionsContext {
            file: &self.file,
            positions: (self.positions.iter())
                .map(|position| position.listed.text.as_str())
                .collect(),
        }
    }
}

impl<G: Playable> Trials for PositionTrials<G> {
    fn count(&self) -> u64 {
        let each = (self.specs.len() * self.positions.len()) as u64;
        each.saturating_mul(self.file.trials.runs)
    }

    fn unit_name(&self) -> &'static str {
        "searches"
    }

    fn is_repeatable(&self) -> bool {
        self.specs.iter().all(catalog::is_repeatable)
    }

    fn run(&self, trial: u64, stop: &StopFlag) -> TrialEnd<Box<RawValue>> {
        let (player, position, run) = self.place(trial);
        let (Some(spec), Some(place)) = (self.specs.get(player), self.positions.get(position))
        else {
            return TrialEnd::Void("it is not in the plan".to_owned());
        };
        let Some(truth) = self.truth(position, stop) else {
            return match stop.is_set() {
                true => TrialEnd::Halted,
                false => TrialEnd::Void(format!(
                    "{} could not be solved: expected values= in the list",
                    place.listed.text
                )),
            };
        };
        let of_player = child_seed(self.file.seed, player as u64);
        let number = run * self.positions.len() as u64 + position as u64;
        let spec = spec.with_seed(child_seed(of_player, number).max(1));
        let watch = Stopwatch::start();
        let found = place.listed.search(&spec, &SearchLimits::default(), stop);
        let micros = watch.elapsed().as_micros() as u64;
        if stop.is_set() {
            return TrialEnd::Halted;
        }
        let judged = found.and_then(|found| Some((truth.verdict(found.mv)?, found)));
        let Some((verdict, found)) = judged else {
            return TrialEnd::Void("the search has no move".to_owned());
        };
        to_row(&MoveRow {
            trial,
            player,
            position,
            run,
            mv: move_text(&place.listed.position, found.mv),
            optimal: verdict.is_optimal,
            good: verdict.keeps_result,
            points_lost: verdict.points_lost,
            score_lost: verdict.score_lost,
            nodes: found.report.nodes,
            micros,
        })
    }

    fn report(&self, run: &Run, report: &mut Report) -> Result<(), RunError> {
        sections::add(&self.context(), &self.rows(run)?, report);
        Ok(())
    }

    fn files(&self, run: &Run, has_times: bool) -> Result<Vec<OutputFile>, RunError> {
        let rows = self.rows(run)?;
        Ok(vec![tally::moves_csv(&self.context(), &rows, has_times)])
    }
}
