//! `canopy-engine perft`.

use std::io::Write;

use clap::Args;

use super::{CliError, PositionArgs, PositionCommand};
use crate::{
    games::{
        Playable,
        notation::move_text,
        perft::{divide, perft},
    },
    protocol::client_watch,
};

#[derive(Args)]
pub(super) struct PerftArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// How many plies; every depth up to it is printed on a line that ends in the count
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    /// Split the last count by first move
    #[arg(long)]
    divide: bool,
}

pub(super) fn run(arguments: &PerftArgs, out: &mut dyn Write) -> Result<(), CliError> {
    client_watch::exit_when_stdout_closes();
    arguments.position.with_position(arguments, out)
}

impl PositionCommand for &PerftArgs {
    fn run<G: Playable>(self, position: G, out: &mut dyn Write) -> Result<(), CliError> {
        let PerftArgs {
            depth,
            divide: split,
            ..
        } = *self;
        for plies in 1..=depth {
            let count = if split && plies == depth {
                let parts = divide(&position, plies);
                for &(mv, count) in &parts {
                    writeln!(out, "{}: {count}", move_text(&position, mv))?;
                }
                parts.iter().map(|&(_, count)| count).sum()
            } else {
                perft(&position, plies)
            };
            writeln!(out, "perft {plies}: {count}")?;
            out.flush()?;
        }
        Ok(())
    }
}
