//! `canopy-engine bench`: every search on every game, with a fixed amount of work and a fixed seed. The signature of a row
//! changes exactly when the search's results do.

use std::{io::Write, time::Instant};

use clap::Args;

use super::super::{CliError, PositionCommand, with_position};
use crate::{
    catalog::{self, Spec},
    games::{self, History, Playable, Player, notation::move_text},
    rng::mix,
    search::{SearchLimits, SearchReport, SearchTask, StopFlag},
};

/// Work per search: iterations with playouts, plies without.
const ITERATIONS: u64 = 2000;
const DEPTH: u32 = 3;
/// The same where a moment must do.
const BUILD_ITERATIONS: u64 = 100;
const BUILD_DEPTH: u32 = 2;
/// Plies before the search, so that the position is not symmetric; two moves are searched, so that trees are reused.
const OPENING_PLIES: usize = 6;

#[derive(Args)]
pub(super) struct SignatureArgs {
    /// A checksum for each row, and nothing that depends on the machine
    #[arg(long)]
    signature: bool,
    /// Repeat everything this many times in one process
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

pub(super) fn run(arguments: &SignatureArgs, out: &mut dyn Write) -> Result<(), CliError> {
    if !arguments.signature {
        writeln!(
            out,
            "{:<14}{:<26}{:>8}{:>12}{:>12}",
            "game", "search", "move", "steps", "steps/s"
        )?;
    }
    for game in (0..arguments.repeat).flat_map(|_| games::NAMES) {
        with_position(
            game,
            "startpos",
            SignatureBench {
                arguments,
                out: &mut *out,
            },
        )?;
    }
    Ok(())
}

struct SignatureBench<'a> {
    arguments: &'a SignatureArgs,
    out: &'a mut dyn Write,
}

impl PositionCommand for SignatureBench<'_> {
    fn run<G: Playable>(self, start: G) -> Result<(), CliError> {
        for name in catalog::names::<G>() {
            let begun = Instant::now();
            let row = search_twice(name, &start, (ITERATIONS, DEPTH))?;
            if self.arguments.signature {
                writeln!(
                    self.out,
                    "{} {name} {} {} {:016x}",
                    G::NAME,
                    row.mv,
                    row.steps,
                    row.checksum
                )?;
            } else {
                let rate = row.steps as f64 / begun.elapsed().as_secs_f64();
                writeln!(
                    self.out,
                    "{:<14}{name:<26}{:>8}{:>12}{rate:>12.0}",
                    G::NAME,
                    row.mv,
                    row.steps
                )?;
            }
            self.out.flush()?;
        }
        Ok(())
    }
}

/// The result of one search at one game.
struct SignatureRow {
    mv: String,
    steps: u64,
    checksum: u64,
}

/// A checksum of a search's results on a small task, the same on every machine.
pub(in crate::cli) fn search_signature<G: Playable>(
    search: &str,
    start: &G,
) -> Result<u64, CliError> {
    let row = search_twice(search, start, (BUILD_ITERATIONS, BUILD_DEPTH))?;
    Ok(row.checksum)
}

/// Searches a position, plays the move, and searches again, each time with this limit of iterations or depth.
fn search_twice<G: Playable>(
    search: &str,
    start: &G,
    (iterations, depth): (u64, u32),
) -> Result<SignatureRow, CliError> {
    let mut spec = catalog::parse::<G>(search)?;
    let limits = match &mut spec {
        Spec::Mcts(config) => {
            // A table as large as report 002's takes longer to make than to fill.
            config.entries = config.entries.min(100_000);
            config.memory_mb = 64;
            // Several threads do not repeat themselves.
            config.threads = 1;
            SearchLimits::iterations(iterations)
        }
        _ => SearchLimits::depth(depth),
    };
    let mut search = catalog::build::<G>(&spec).expect("the catalogue lists searches of this game");
    let mut position = start.clone();
    let mut history = History::new();
    history.push(&position);
    let mut moves = Vec::new();
    for ply in 0..OPENING_PLIES {
        position.legal_moves(&mut moves);
        let mv = moves[(ply * 5 + 2) % moves.len()];
        history.play(&mut position, mv);
    }
    let mut row = SignatureRow {
        mv: String::new(),
        steps: 0,
        checksum: 0,
    };
    for _ in 0..2 {
        if history.outcome(&position).is_some() {
            break;
        }
        let choice = search.search(SearchTask::new(
            &position,
            &history,
            &limits,
            &StopFlag::new(),
        ));
        row.mv = move_text(&position, choice.mv);
        row.steps += choice.report.nodes;
        row.checksum = mix(row.checksum ^ report_checksum::<G>(&choice.report));
        search.advance(choice.mv);
        history.play(&mut position, choice.mv);
    }
    Ok(row)
}

/// A checksum over everything a search reports about its moves.
fn report_checksum<G: Playable>(report: &SearchReport<G::Move>) -> u64 {
    let mut sum = mix(report.nodes);
    for root in &report.root_moves {
        sum = mix(sum ^ u64::from(G::move_to_bits(root.mv)));
        sum = mix(sum ^ root.visits);
        sum = mix(sum ^ root.value.for_player(Player::First).to_bits());
        for &mv in &root.pv {
            sum = mix(sum ^ u64::from(G::move_to_bits(mv)));
        }
    }
    sum
}
