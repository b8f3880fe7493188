//! `canopy-engine bench`: every search on every game, with a fixed amount of work and a fixed seed. The signature of a row
//! changes exactly when the search's results do.

use std::{io::Write, time::Instant};

use clap::Args;

use super::super::{CliError, PositionCommand, with_position};
use crate::{
    catalog::{self, signature::search_twice},
    games::{self, Playable},
};

/// Work per search: iterations with playouts, plies without.
const ITERATIONS: u64 = 2000;
const DEPTH: u32 = 3;

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
        with_position(game, "startpos", arguments, out)?;
    }
    Ok(())
}

impl PositionCommand for &SignatureArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        for name in catalog::names::<G>() {
            let begun = Instant::now();
            let row = search_twice(name, &start, (ITERATIONS, DEPTH))?;
            if self.signature {
                writeln!(
                    out,
                    "{} {name} {} {} {:016x}",
                    G::NAME,
                    row.mv,
                    row.steps,
                    row.checksum
                )?;
            } else {
                let rate = row.steps as f64 / begun.elapsed().as_secs_f64();
                writeln!(
                    out,
                    "{:<14}{name:<26}{:>8}{:>12}{rate:>12.0}",
                    G::NAME,
                    row.mv,
                    row.steps
                )?;
            }
            out.flush()?;
        }
        Ok(())
    }
}
