//! `canopy-engine bench nodes`: how many nodes the enhancements of alpha-beta save, each and all together.

use std::io::Write;

use clap::Args;
use serde_json::json;

use super::{
    super::{CliError, PositionCommand, with_position},
    selected_games,
};
use crate::{
    catalog::{self, ENHANCEMENTS},
    games::{History, Playable},
    rng::{Rng, child_seed},
    search::{SearchLimits, SearchTask, StopFlag},
};

/// Plies of the random openings.
const MIN_PLIES: u32 = 4;
const MAX_PLIES: u32 = 16;
/// Seed of the openings.
const SEED: u64 = 20;

#[derive(Args)]
pub(super) struct NodesArgs {
    /// Only this game, with a variant if wanted; may be repeated
    #[arg(long, value_name = "GAME")]
    game: Vec<String>,
    /// Plies to look ahead
    #[arg(long, value_name = "PLIES", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// Positions of each game, after 4 to 16 random plies
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Parameters of the searches, separated by commas, such as evaluation=material
    #[arg(long, value_name = "PARAMETERS", default_value = "")]
    with: String,
    /// Only all enhancements and none, not each
    #[arg(long)]
    brief: bool,
    /// One line for each count, without columns
    #[arg(long)]
    signature: bool,
    /// One JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &NodesArgs, out: &mut dyn Write) -> Result<(), CliError> {
    if !arguments.json && !arguments.signature {
        writeln!(
            out,
            "nodes of {} positions to depth {}, and their share of plain alpha-beta's",
            arguments.positions, arguments.depth
        )?;
        writeln!(
            out,
            "{:<24}{:<24}{:>14}{:>10}",
            "game", "search", "nodes", "share"
        )?;
    }
    for game in selected_games(&arguments.game) {
        let out = &mut *out;
        with_position(&game, "startpos", arguments, out)?;
    }
    Ok(())
}

impl PositionCommand for &NodesArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let positions = sample_positions(&start, self.positions);
        let count = |search: &str| nodes_of(search, self, &positions);
        let plain = count("alpha-beta")?;
        let mut rows = vec![("alpha-beta".to_owned(), plain)];
        let switches = ENHANCEMENTS.iter().filter(|_| !self.brief);
        for switch in switches {
            let setting = format!("{switch}=false");
            let nodes = count(&format!("strong,{setting}"))?;
            rows.push((setting, nodes));
        }
        rows.push(("strong".to_owned(), count("strong")?));
        for (search, nodes) in rows {
            let share = nodes as f64 / plain.max(1) as f64;
            if self.json {
                let row = json!({
                    "game": G::NAME,
                    "search": search,
                    "depth": self.depth,
                    "positions": self.positions,
                    "nodes": nodes,
                    "share": share,
                });
                writeln!(out, "{row}")?;
            } else if self.signature {
                writeln!(out, "{} {search} {} {nodes}", G::NAME, self.depth)?;
            } else {
                let game = G::NAME;
                writeln!(
                    out,
                    "{game:<24}{search:<24}{nodes:>14}{:>9.1}%",
                    100.0 * share
                )?;
            }
            out.flush()?;
        }
        Ok(())
    }
}

/// Unfinished positions after a few random plies each, the same for every search.
fn sample_positions<G: Playable>(start: &G, count: u32) -> Vec<G> {
    let mut positions = Vec::new();
    let mut attempt = 0;
    while positions.len() < count as usize {
        let mut rng = Rng::new(child_seed(SEED, attempt));
        attempt += 1;
        let mut position = start.clone();
        let plies = MIN_PLIES + rng.below(MAX_PLIES - MIN_PLIES + 1);
        let played = (0..plies).take_while(|_| position.play_random(&mut rng));
        // In small variants no game may be as long.
        if played.count() as u32 == plies && position.outcome().is_none() || attempt > 10_000 {
            positions.push(if position.outcome().is_none() {
                position
            } else {
                start.clone()
            });
        }
    }
    positions
}

/// The nodes that a search takes for these positions, each on its own.
fn nodes_of<G: Playable>(
    search: &str,
    arguments: &NodesArgs,
    positions: &[G],
) -> Result<u64, CliError> {
    let mut text = search.to_owned();
    if G::FACTS.endings.is_some() {
        text.push_str(",exact_from=0");
    }
    if !arguments.with.is_empty() {
        text = format!("{text},{}", arguments.with);
    }
    let spec = catalog::parse::<G>(&text)?;
    let (limits, stop) = (SearchLimits::depth(arguments.depth), StopFlag::new());
    let mut nodes = 0;
    for position in positions {
        let mut history = History::new();
        history.push(position);
        let mut search = catalog::build::<G>(&spec)
            .ok_or_else(|| CliError::Failed(format!("{search} does not play {}", G::NAME)))?;
        let task = SearchTask::new(position, &history, &limits, &stop);
        nodes += search.search(task).report.nodes;
    }
    Ok(nodes)
}
