//! `canopy-engine bench rate`: simulations per second, and bytes per node.

use std::{io::Write, time::Instant};

use clap::Args;
use serde_json::json;

use super::{
    super::{CliError, PositionCommand, game_name, print_message, print_shortfalls, with_position},
    selected_games,
};
use crate::{
    catalog::{self, Spec},
    games::{History, Playable},
    search::{SearchLimits, SearchTask, StopFlag, mcts::max_threads},
};

#[derive(Args)]
pub(super) struct RateArgs {
    /// Only this game; may be repeated
    #[arg(long, value_name = "GAME")]
    game: Vec<String>,
    /// The search, with parameters after commas; playouts go to the end of the game unless it says otherwise
    #[arg(long, value_name = "SEARCH", default_value = "uct")]
    search: String,
    /// Threads
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=512))]
    threads: u64,
    /// Iterations of each of the five searches that are timed; as many as take about half a second if not given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// One JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &RateArgs, out: &mut dyn Write) -> Result<(), CliError> {
    if let Some((_, sentence)) =
        catalog::nearest_supported("threads", &arguments.threads.to_string())
    {
        print_message(&sentence);
    }
    if !arguments.json {
        writeln!(
            out,
            "{}, {} thread(s), from the start position",
            arguments.search, arguments.threads
        )?;
        writeln!(
            out,
            "{:<24}{:>16}{:>14}{:>14}{:>22}",
            "game", "simulations/s", "iterations", "bytes/node", "seed"
        )?;
    }
    for game in selected_games(&arguments.game) {
        with_position(&game, "startpos", arguments, out)?;
    }
    Ok(())
}

impl PositionCommand for &RateArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let mut spec = catalog::parse::<G>(&self.search)?.with_resolved_seed();
        if let Spec::Mcts(config) = &mut spec {
            config.threads = (self.threads as usize).min(max_threads());
            // Compared programs play whole games out, at chess too.
            if !self.search.contains("playout_limit") && !self.search.contains("-000") {
                config.playout_limit = None;
            }
        }
        let mut history = History::new();
        history.push(&start);
        // Fresh memory is part of a search's cost: each run has its own.
        if let Some(search) = catalog::build::<G>(&spec) {
            print_shortfalls(&*search);
        }
        let measure = |iterations: u64| {
            let mut search =
                catalog::build::<G>(&spec).expect("parse gives only searches of this game");
            let begun = Instant::now();
            let choice = search.search(SearchTask::new(
                &start,
                &history,
                &SearchLimits::iterations(iterations),
                &StopFlag::new(),
            ));
            (choice.report, begun.elapsed().as_secs_f64())
        };
        let iterations = self.iterations.unwrap_or_else(|| {
            // A short search says little of a long one, whose memory is farther away.
            let mut pilot = 500;
            loop {
                let seconds = measure(pilot).1;
                if seconds > 0.1 {
                    break ((0.5 / seconds * pilot as f64) as u64).clamp(500, 2_000_000);
                }
                pilot *= 2;
            }
        });
        let mut rates: Vec<f64> = Vec::new();
        let mut bytes_per_node = 0.0;
        for _ in 0..5 {
            let (report, seconds) = measure(iterations);
            let done = if report.iterations > 0 {
                report.iterations
            } else {
                report.nodes
            };
            rates.push(done as f64 / seconds);
            bytes_per_node = report.memory_bytes as f64 / report.stored_moves.max(1) as f64;
        }
        rates.sort_by(f64::total_cmp);
        let rate = rates[rates.len() / 2];
        let game = game_name(&start);
        if self.json {
            let row = json!({
                "bench": "rate", "game": game, "search": self.search, "threads": self.threads,
                "value": rate.round(), "unit": "simulations/s", "iterations": iterations,
                "bytes_per_node": bytes_per_node, "seed": spec.seed(),
            });
            writeln!(out, "{row}")?;
        } else {
            writeln!(
                out,
                "{game:<24}{rate:>16.0}{iterations:>14}{bytes_per_node:>14.1}{:>22}",
                spec.seed()
            )?;
        }
        out.flush()?;
        Ok(())
    }
}
