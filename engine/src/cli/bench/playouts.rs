//! `canopy-engine bench playouts`: random games per second.

use crate::machine::has_wide_instructions;
use std::{
    io::Write,
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::json;

use super::{
    super::{CliError, PositionCommand, game_name, with_position},
    selected_games,
};
use crate::{
    games::{Playable, random_games::many_playouts},
    rng::{Rng, resolve_seed},
};

#[derive(Args)]
pub(super) struct PlayoutArgs {
    /// Only this game, with a variant if wanted; may be repeated
    #[arg(long, value_name = "GAME")]
    game: Vec<String>,
    /// How long to measure each game
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = seconds)]
    seconds: f64,
    /// Which random games; 0 for a seed from the operating system
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds between 0.01 and 3600".into()),
    }
}

pub(super) fn run(arguments: &PlayoutArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let seed = resolve_seed(arguments.seed);
    if !arguments.json {
        let kind = if has_wide_instructions() {
            "vector and bit instructions found"
        } else {
            "portable code"
        };
        writeln!(
            out,
            "random games to the end, one thread ({kind}), seed {seed}"
        )?;
        writeln!(
            out,
            "{:<24}{:>14}{:>10}{:>10}",
            "game", "playouts/s", "plies", "ns/ply"
        )?;
    }
    for game in selected_games(&arguments.game) {
        let bench = PlayoutBench { arguments, seed };
        with_position(&game, "startpos", bench, out)?;
    }
    Ok(())
}

struct PlayoutBench<'a> {
    arguments: &'a PlayoutArgs,
    seed: u64,
}

impl PositionCommand for PlayoutBench<'_> {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        const SLICES: u32 = 10;
        let mut rng = Rng::new(self.seed);
        let slice = Duration::from_secs_f64(self.arguments.seconds) / SLICES;
        // Games long or short, a batch is to take about a millisecond.
        let batch = 1 + 20_000 / (1 + many_playouts(&start, &mut rng, 20).plies / 20);
        let mut rates = Vec::new();
        let (mut all_games, mut all_plies) = (0, 0);
        for _ in 0..SLICES {
            let begun = Instant::now();
            let (mut games, mut plies) = (0, 0);
            while begun.elapsed() < slice {
                plies += many_playouts(&start, &mut rng, batch).plies;
                games += batch;
            }
            rates.push(games as f64 / begun.elapsed().as_secs_f64());
            all_games += games;
            all_plies += plies;
        }
        // The median of some slices: a neighbour's burst of work does not show.
        rates.sort_by(f64::total_cmp);
        let rate = rates[rates.len() / 2];
        let plies_per_game = all_plies as f64 / all_games as f64;
        let ns_per_ply = 1e9 / rate / plies_per_game;
        let game = game_name(&start);
        if self.arguments.json {
            let row = json!({
                "bench": "playouts", "game": game, "search": "uniform", "threads": 1, "seed": self.seed,
                "value": rate.round(), "unit": "playouts/s", "plies": plies_per_game, "ns_per_ply": ns_per_ply,
            });
            writeln!(out, "{row}")?;
        } else {
            writeln!(
                out,
                "{game:<24}{rate:>14.0}{plies_per_game:>10.1}{ns_per_ply:>10.1}"
            )?;
        }
        out.flush()?;
        Ok(())
    }
}
