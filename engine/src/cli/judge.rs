//! `canopy-engine judge`: searches against the truth about positions.

use std::{
    io::Write,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use clap::Args;
use serde::Serialize;

use super::{
    CliError, PositionCommand, game_help, game_name, solve::read_positions, with_position,
};
use crate::{
    arena::{
        judge::{JudgeScore, Truth, Verdict},
        listed_position::ListedPosition,
    },
    catalog::{
        self, Spec,
        solvers::{self, SolverConfig},
    },
    games::{Playable, notation, position_list::PositionEntry},
    rng::child_seed,
    search::{SearchLimits, StopFlag, exact::Exact},
};

#[derive(Args)]
pub(super) struct JudgeArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    /// A search, with parameters after commas; may be given several times
    #[arg(long, value_name = "SEARCH", required = true)]
    search: Vec<String>,
    /// Playouts of each search, or nodes for searches without playouts; several with commas between them
    #[arg(
        long,
        value_name = "COUNTS",
        value_delimiter = ',',
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    iterations: Vec<u64>,
    /// Searches of every position, each with a seed of its own
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seeds: u64,
    /// Show every position, too
    #[arg(long)]
    details: bool,
    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
    /// Searches at a time
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    concurrency: u64,
    /// Milliseconds in which a position without `values=` must be solved; without it, as long as it takes
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// A file of positions as `solve --file` reads it, `-` for standard input. `values=` says what every move is worth; positions
    /// without it are solved
    #[arg(value_name = "POSITIONS")]
    positions: PathBuf,
}

/// Memory of the solver that finds what a file does not say.
const SOLVER_MEMORY_BYTES: usize = 256 << 20;

pub(super) fn run(arguments: &JudgeArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let entries = read_positions(&arguments.positions, Some(&arguments.game))?;
    let command = JudgeCommand { arguments, entries };
    with_position(&arguments.game, "startpos", command, out)
}

struct JudgeCommand<'a> {
    arguments: &'a JudgeArgs,
    entries: Vec<PositionEntry>,
}

/// A position and the values of its moves.
struct JudgedPosition<G: Playable> {
    listed: ListedPosition<G>,
    truth: Truth<G::Move>,
}

/// A search under a budget.
struct Candidate<'a> {
    name: &'a str,
    spec: Spec,
    iterations: Option<u64>,
}

impl PositionCommand for JudgeCommand<'_> {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let Self { arguments, entries } = self;
        let positions = judged_positions(&start, &entries, arguments)?;
        let candidates = candidates::<G>(arguments)?;
        if !arguments.json {
            let (game, count) = (game_name(&start), positions.len());
            let trials = match arguments.seeds {
                1 => "one search".to_owned(),
                seeds => format!("{seeds} searches"),
            };
            writeln!(out, "{game}, {count} positions, {trials} of each")?;
            let width = name_width(&candidates);
            writeln!(
                out,
                "{:width$}  {:>10}  {:>22}  {:>22}  {:>8}  {:>8}  {:>8}",
                "search", "iterations", "optimal", "keeps the result", "good", "points", "score"
            )?;
        }
        for candidate in &candidates {
            let scores = judge(candidate, &positions, arguments);
            write_candidate(out, arguments, candidate, &candidates, &positions, &scores)?;
            out.flush()?;
        }
        if !arguments.json {
            writeln!(
                out,
                "optimal, keeps: share of moves, 95 % interval over all searches; good: positions of {} whose result is kept, on \
                 average; points, score: lost per move",
                positions.len()
            )?;
        }
        Ok(())
    }
}

fn judged_positions<G: Playable>(
    start: &G,
    entries: &[PositionEntry],
    arguments: &JudgeArgs,
) -> Result<Vec<JudgedPosition<G>>, CliError> {
    let mut solver: Option<Box<dyn Exact<G>>> = None;
    entries
        .iter()
        .map(|entry| {
            let mut listed = ListedPosition::read(start.rules(), entry)
                .map_err(|problem| CliError::Usage(format!("line {}: {problem}", entry.line)))?;
            let truth = listed.truth.take().or_else(|| {
                let solver = solver.get_or_insert_with(|| {
                    solvers::solver::<G>(start.rules(), SolverConfig::plain(SOLVER_MEMORY_BYTES))
                });
                let time = arguments.time.map(Duration::from_millis);
                listed.solve(&mut **solver, time, &StopFlag::new())
            });
            let truth = truth.ok_or_else(|| {
                CliError::Failed(format!(
                    "line {}: the position could not be solved: expected values= or more --time",
                    entry.line
                ))
            })?;
            Ok(JudgedPosition { listed, truth })
        })
        .collect()
}

/// Every search with every budget. A search that takes no budget is judged once.
fn candidates<G: Playable>(arguments: &JudgeArgs) -> Result<Vec<Candidate<'_>>, CliError> {
    let mut candidates = Vec::new();
    for name in &arguments.search {
        let spec = catalog::parse::<G>(name)?;
        super::print_remarks(name);
        let takes_budget = catalog::takes_limits(&spec);
        if arguments.iterations.is_empty() && !catalog::has_default_limit(&spec) {
            return Err(CliError::Usage(format!(
                "nothing says when {name} is to stop: expected --iterations"
            )));
        }
        let budgets: Vec<Option<u64>> = match arguments.iterations.as_slice() {
            [] => vec![None],
            _ if !takes_budget => vec![None],
            counts => counts.iter().copied().map(Some).collect(),
        };
        candidates.extend(budgets.into_iter().map(|iterations| Candidate {
            name,
            spec: spec.clone(),
            iterations,
        }));
    }
    Ok(candidates)
}

/// The scores of a candidate by position. Every trial follows from its position and seed alone.
fn judge<G: Playable>(
    candidate: &Candidate<'_>,
    positions: &[JudgedPosition<G>],
    arguments: &JudgeArgs,
) -> Vec<JudgeScore> {
    let next = AtomicUsize::new(0);
    let scores = Mutex::new(vec![JudgeScore::default(); positions.len()]);
    std::thread::scope(|scope| {
        for _ in 0..arguments.concurrency {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(position) = positions.get(index) else {
                        return;
                    };
                    let mut score = JudgeScore::default();
                    for seed in 1..=arguments.seeds {
                        if let Some(verdict) = trial(candidate, position, seed) {
                            score.add(verdict);
                        }
                    }
                    let mut scores = scores.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(place) = scores.get_mut(index) {
                        *place = score;
                    }
                }
            });
        }
    });
    scores.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn trial<G: Playable>(
    candidate: &Candidate<'_>,
    judged: &JudgedPosition<G>,
    seed: u64,
) -> Option<Verdict> {
    let spec = candidate.spec.with_seed(child_seed(seed, 0));
    let limits = SearchLimits {
        iterations: candidate.iterations,
        ..SearchLimits::default()
    };
    let found = judged.listed.search(&spec, &limits, &StopFlag::new())?;
    judged.truth.verdict(found.mv)
}

#[derive(Serialize)]
struct JsonScore<'a> {
    game: String,
    search: &'a str,
    iterations: Option<u64>,
    /// None for all positions together.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<&'a str>,
    positions: usize,
    trials: u32,
    optimal: u32,
    kept: u32,
    optimal_rate: f64,
    optimal_interval: [f64; 2],
    kept_rate: f64,
    kept_interval: [f64; 2],
    points_lost: f64,
    score_lost: f64,
}

fn write_candidate<G: Playable>(
    out: &mut dyn Write,
    arguments: &JudgeArgs,
    candidate: &Candidate<'_>,
    all: &[Candidate<'_>],
    positions: &[JudgedPosition<G>],
    scores: &[JudgeScore],
) -> Result<(), CliError> {
    let mut total = JudgeScore::default();
    scores.iter().for_each(|&score| total += score);
    let mut write = |name: &str, position: Option<&str>, count: usize, score: &JudgeScore| {
        if arguments.json {
            let (optimal, kept) = (score.optimal_interval(), score.kept_interval());
            let line = JsonScore {
                game: arguments.game.clone(),
                search: candidate.name,
                iterations: candidate.iterations,
                position,
                positions: count,
                trials: score.trials,
                optimal: score.optimal,
                kept: score.kept,
                optimal_rate: score.optimal_rate(),
                optimal_interval: [optimal.low, optimal.high],
                kept_rate: score.kept_rate(),
                kept_interval: [kept.low, kept.high],
                points_lost: score.mean_points_lost(),
                score_lost: score.mean_score_lost(),
            };
            let text = serde_json::to_string(&line).map_err(std::io::Error::from)?;
            return writeln!(out, "{text}");
        }
        let width = name_width(all);
        let iterations = candidate
            .iterations
            .map_or_else(|| "–".to_owned(), |count| count.to_string());
        let share = |rate: f64, low: f64, high: f64| {
            let [rate, low, high] = [rate, low, high].map(|part| 100.0 * part);
            format!("{rate:.1} % ({low:.1} to {high:.1})")
        };
        let (optimal, kept) = (score.optimal_interval(), score.kept_interval());
        writeln!(
            out,
            "{name:width$}  {iterations:>10}  {:>22}  {:>22}  {:>8.1}  {:>8.3}  {:>8.2}",
            share(score.optimal_rate(), optimal.low, optimal.high),
            share(score.kept_rate(), kept.low, kept.high),
            score.kept_rate() * count as f64,
            score.mean_points_lost(),
            score.mean_score_lost(),
        )
    };
    if arguments.details {
        for (position, score) in positions.iter().zip(scores) {
            let text = notation::escape_invisible(&position.listed.text);
            write(&format!("  {text}"), Some(&text), 1, score)?;
        }
    }
    write(candidate.name, None, positions.len(), &total)?;
    Ok(())
}

fn name_width(candidates: &[Candidate<'_>]) -> usize {
    let widths = candidates
        .iter()
        .map(|candidate| candidate.name.chars().count());
    widths.max().unwrap_or(0).max("search".len())
}
