//! `canopy-engine bench scale`: how time and memory of a search grow with its iterations, by game and store.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{
    super::{CliError, PositionCommand, game_name, with_position},
    selected_games,
};
use crate::{
    arena::stats::growth_exponent,
    catalog::{self, Spec},
    games::{History, Playable},
    search::{SearchLimits, SearchTask, StopFlag},
};

/// Iterations of the smallest search; each further one has ten times as many.
const FIRST_ITERATIONS: u64 = 1000;
/// Searches that take less than this in all are repeated: noise only ever adds, so the fastest counts.
const REPEAT_UNTIL: Duration = Duration::from_millis(100);
/// More memory a node, in bytes, than any store needs.
const MAX_NODE_BYTES: u64 = 96;

#[derive(Args)]
pub(super) struct ScaleArgs {
    /// Only this game; may be repeated
    #[arg(long, value_name = "GAME")]
    game: Vec<String>,
    /// Only this store; may be repeated
    #[arg(long, value_name = "STORE")]
    store: Vec<Store>,
    /// The search, with parameters after commas
    #[arg(long, value_name = "SEARCH", default_value = "uct")]
    search: String,
    /// Iterations of the largest search
    #[arg(long, value_name = "COUNT", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(FIRST_ITERATIONS..=100_000_000))]
    max: u64,
    /// Searches that would take longer are left out
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// One JSON object a line instead of tables
    #[arg(long)]
    json: bool,
}

/// Where a Monte-Carlo search keeps its statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Store {
    Tree,
    Graph,
    Bounded,
}

impl Store {
    /// Its name in the parameter `store`.
    fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Graph => "graph",
            Self::Bounded => "bounded",
        }
    }
}

/// What one search took.
struct Measurement {
    iterations: u64,
    seconds: f64,
    bytes: u64,
}

pub(super) fn run(arguments: &ScaleArgs, out: &mut dyn Write) -> Result<(), CliError> {
    for game in selected_games(&arguments.game) {
        with_position(&game, "startpos", arguments, out)?;
    }
    Ok(())
}

impl PositionCommand for &ScaleArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let game = game_name(&start);
        let stores = match self.store.as_slice() {
            [] => Store::value_variants(),
            asked => asked,
        };
        let specs = stores
            .iter()
            .map(|&store| spec::<G>(&self.search, store, self.max))
            .collect::<Result<Vec<Spec>, CliError>>()?;
        if !self.json {
            writeln!(out, "{game}, {}, one thread", self.search)?;
            writeln!(
                out,
                "{:<16}{:<10}{:>12}{:>12}{:>14}{:>12}{:>14}",
                "game", "store", "iterations", "seconds", "ns/iteration", "MB", "bytes/iter."
            )?;
        }
        for (&store, spec) in stores.iter().zip(specs) {
            let mut rows: Vec<Measurement> = Vec::new();
            let mut iterations = FIRST_ITERATIONS;
            while iterations <= self.max {
                if let Some(last) = rows.last() {
                    let expected = last.seconds * iterations as f64 / last.iterations as f64;
                    if expected > self.seconds as f64 {
                        break;
                    }
                }
                let row = measure(&start, &spec, iterations);
                write_row(out, &game, store, &row, self.json)?;
                rows.push(row);
                iterations *= 10;
            }
            write_growth(out, &game, store, &rows, self.json)?;
        }
        Ok(())
    }
}

/// The search with this store, on one thread and with memory for all that the largest search may need.
fn spec<G: Playable>(search: &str, store: Store, max_iterations: u64) -> Result<Spec, CliError> {
    let mut spec = catalog::parse::<G>(&format!("{search},store={}", store.name()))?;
    let Spec::Mcts(config) = &mut spec else {
        return Err(CliError::Usage(format!(
            "{search} has no store: expected a Monte-Carlo search"
        )));
    };
    config.threads = 1;
    let needed = (max_iterations * MAX_NODE_BYTES).div_ceil(1 << 20) as usize;
    config.memory_mb = config.memory_mb.max(needed);
    Ok(spec)
}

fn measure<G: Playable>(start: &G, spec: &Spec, iterations: u64) -> Measurement {
    let mut history = History::new();
    history.push(start);
    let begun = Instant::now();
    let mut best = Measurement {
        iterations,
        seconds: f64::INFINITY,
        bytes: 0,
    };
    while begun.elapsed() < REPEAT_UNTIL {
        let mut search = catalog::build::<G>(spec).expect("parse gives only searches of this game");
        let run = Instant::now();
        let choice = search.search(SearchTask::new(
            start,
            &history,
            &SearchLimits::iterations(iterations),
            &StopFlag::new(),
        ));
        best.seconds = best.seconds.min(run.elapsed().as_secs_f64());
        best.bytes = choice.report.memory_bytes;
    }
    best
}

fn write_row(
    out: &mut dyn Write,
    game: &str,
    store: Store,
    row: &Measurement,
    json: bool,
) -> Result<(), CliError> {
    let (iterations, seconds, bytes) = (row.iterations, row.seconds, row.bytes);
    if json {
        let row = json!({
            "bench": "scale", "game": game, "store": store.name(), "iterations": iterations,
            "seconds": seconds, "bytes": bytes,
        });
        writeln!(out, "{row}")?;
    } else {
        writeln!(
            out,
            "{game:<16}{:<10}{iterations:>12}{seconds:>12.4}{:>14.0}{:>12.1}{:>14.1}",
            store.name(),
            seconds * 1e9 / iterations as f64,
            bytes as f64 / 1e6,
            bytes as f64 / iterations as f64
        )?;
    }
    out.flush()?;
    Ok(())
}

/// Writes the exponents with which time and memory grow, and that of n log n over the same sizes.
fn write_growth(
    out: &mut dyn Write,
    game: &str,
    store: Store,
    rows: &[Measurement],
    json: bool,
) -> Result<(), CliError> {
    let exponent = |value: fn(&Measurement) -> f64| {
        let points: Vec<(f64, f64)> = (rows.iter())
            .map(|row| (row.iterations as f64, value(row)))
            .collect();
        growth_exponent(&points)
    };
    let time = exponent(|row| row.seconds);
    let memory = exponent(|row| row.bytes as f64);
    let reference = exponent(|row| row.iterations as f64 * (row.iterations as f64).ln());
    if json {
        let row = json!({
            "bench": "scale growth", "game": game, "store": store.name(),
            "time_exponent": time, "memory_exponent": memory, "n_log_n_exponent": reference,
        });
        writeln!(out, "{row}")?;
    } else if let (Some(time), Some(memory), Some(reference)) = (time, memory, reference) {
        writeln!(
            out,
            "{game:<16}{:<10}time grows as n^{time:.2}, memory as n^{memory:.2}; n log n as n^{reference:.2}",
            store.name()
        )?;
    }
    Ok(())
}
