//! `canopy-engine bench`: speed measurements, and signatures that show whether searches have changed.

use std::io::Write;

use clap::{Args, Subcommand};

use super::CliError;
use crate::{games, protocol::client_watch};

mod nodes;
mod playouts;
mod protocol;
mod rate;
mod scale;
mod signature;
mod solve;
mod trees;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct BenchArgs {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    #[command(flatten)]
    all: signature::SignatureArgs,
}

#[derive(Subcommand)]
enum BenchCommand {
    /// Random games per second from the start position, on one thread
    Playouts(playouts::PlayoutArgs),
    /// Simulations per second of a Monte-Carlo search from the start position
    Rate(rate::RateArgs),
    /// How time and memory of a Monte-Carlo search grow with its iterations
    Scale(scale::ScaleArgs),
    /// Speed of tree files, and the cost of snapshots and growth journals
    Trees(trees::TreesArgs),
    /// Response times of the protocol server
    Protocol(protocol::ProtocolArgs),
    /// Nodes that the enhancements of alpha-beta save, each and all together
    Nodes(nodes::NodesArgs),
    /// Time and nodes that an exact solver takes for positions with known scores
    Solve(solve::SolveArgs),
}

/// The games to measure: the given ones, or all.
fn selected_games(asked: &[String]) -> Vec<String> {
    if asked.is_empty() {
        games::NAMES.iter().map(|&name| name.to_owned()).collect()
    } else {
        asked.to_vec()
    }
}

pub(super) fn run(arguments: &BenchArgs, out: &mut dyn Write) -> Result<(), CliError> {
    // Measuring trees leaves a directory to be removed.
    if !matches!(arguments.command, Some(BenchCommand::Trees(_))) {
        client_watch::exit_when_stdout_closes();
    }
    match &arguments.command {
        None => signature::run(&arguments.all, out),
        Some(BenchCommand::Playouts(arguments)) => playouts::run(arguments, out),
        Some(BenchCommand::Rate(arguments)) => rate::run(arguments, out),
        Some(BenchCommand::Scale(arguments)) => scale::run(arguments, out),
        Some(BenchCommand::Trees(arguments)) => trees::run(arguments, out),
        Some(BenchCommand::Protocol(arguments)) => protocol::run(arguments, out),
        Some(BenchCommand::Nodes(arguments)) => nodes::run(arguments, out),
        Some(BenchCommand::Solve(arguments)) => solve::run(arguments, out),
    }
}
