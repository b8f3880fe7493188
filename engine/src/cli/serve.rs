//! `canopy-engine` without a command: the protocol server.

use std::{
    io::{self, IsTerminal as _, Write},
    path::{Path, PathBuf},
};

use clap::Args;

use super::CliError;
use crate::{
    protocol::{Setup, Talk, stdio},
    tree::confine::Confinement,
};

#[derive(Args)]
pub(super) struct ServeArgs {
    /// The protocol to talk; without it the first word that is recognised decides
    #[arg(long, value_name = "PROTOCOL", value_parser = parse_talk)]
    protocol: Option<Talk>,
    /// The game to begin with
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Set an option; may be given again and again
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// Trees go nowhere but to directories under this one, whatever TreeDir is set to
    #[arg(long, value_name = "DIR")]
    trees_under: Option<PathBuf>,
}

fn parse_talk(text: &str) -> Result<Talk, String> {
    let found = (Talk::ALL.iter()).find(|(name, _)| name.eq_ignore_ascii_case(text));
    found
        .map(|&(_, talk)| talk)
        .ok_or_else(|| "expected uci, ugi, gtp or nboard".to_owned())
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| "expected NAME=VALUE".to_owned())
}

pub(super) fn run(arguments: &ServeArgs, out: &mut dyn Write) -> Result<(), CliError> {
    if io::stdin().is_terminal() {
        super::say("serving on standard input; say help, or quit");
    }
    let confine = |directory: &Path| {
        Confinement::below(directory).map_err(|error| {
            let directory = directory.display();
            CliError::Usage(format!("--trees-under {directory}: {error}"))
        })
    };
    let setup = Setup {
        trees_under: arguments.trees_under.as_deref().map(confine).transpose()?,
        talk: arguments.protocol,
        game: arguments.game.clone(),
        options: arguments.options.clone(),
    };
    let input = io::BufReader::with_capacity(1 << 16, io::stdin());
    stdio::serve(&setup, input, out, &mut |text| super::say(text)).map_err(CliError::Usage)??;
    // A search that does not heed quit must not keep the process alive.
    let _ = out.flush();
    std::process::exit(0)
}
