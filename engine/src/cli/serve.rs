//! `canopy-engine` without a command: the protocol server.

use std::{
    io::{self, IsTerminal as _, Write},
    path::{Path, PathBuf},
};

use clap::Args;

use super::CliError;
use crate::{
    protocol::{
        ProtocolKind, ServerConfig,
        stdio::{self, ServeError},
    },
    tree::confinement::Confinement,
};

#[derive(Args)]
pub(super) struct ServeArgs {
    /// The protocol to talk; without it the first word that is recognised decides
    #[arg(long, value_name = "PROTOCOL", value_parser = parse_protocol)]
    protocol: Option<ProtocolKind>,
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

fn parse_protocol(text: &str) -> Result<ProtocolKind, String> {
    ProtocolKind::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = ProtocolKind::all().map(|(name, _)| name).collect();
        match names.split_last() {
            Some((last, others)) => format!("expected {} or {last}", others.join(", ")),
            None => "no protocol is built in".to_owned(),
        }
    })
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| "expected NAME=VALUE".to_owned())
}

pub(super) fn run(arguments: &ServeArgs, out: &mut dyn Write) -> Result<(), CliError> {
    if io::stdin().is_terminal() {
        super::print_message("serving on standard input; say help, or quit");
    }
    let confine = |directory: &Path| {
        Confinement::below(directory).map_err(|error| {
            let directory = directory.display();
            CliError::Usage(format!("--trees-under {directory}: {error}"))
        })
    };
    let setup = ServerConfig {
        tree_confinement: arguments.trees_under.as_deref().map(confine).transpose()?,
        protocol: arguments.protocol,
        game: arguments.game.clone(),
        options: arguments.options.clone(),
    };
    let input = io::BufReader::with_capacity(1 << 16, io::stdin());
    stdio::serve(&setup, input, out, &mut |text| super::print_message(text)).map_err(|error| {
        match error {
            ServeError::Config(problem) => CliError::Usage(problem.to_string()),
            ServeError::Io(error) => CliError::Output(error),
        }
    })?;
    // A search that does not heed quit must not keep the process alive.
    let _ = out.flush();
    std::process::exit(0)
}
