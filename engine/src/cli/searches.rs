//! `canopy-engine searches`: what there is to search with.

use std::io::Write;

use clap::Args;

use super::{CliError, PositionWork, game_help, with_position};
use crate::{
    catalog::{self, PARAMETERS, SEARCHES},
    games::Playable,
};

#[derive(Args)]
pub(super) struct SearchesArgs {
    /// Tell of this search what can be set, and what it is set to
    search: Option<String>,
    #[arg(long, value_name = "GAME", default_value = "chess", help = game_help())]
    game: String,
}

pub(super) fn run(arguments: &SearchesArgs, out: &mut dyn Write) -> Result<(), CliError> {
    if let Some(search) = &arguments.search {
        return with_position(&arguments.game, "startpos", Describe { search, out });
    }
    for entry in SEARCHES {
        let only = entry
            .only
            .map_or(String::new(), |game| format!(" ({game} only)"));
        writeln!(out, "{:<24}{}{only}", entry.name, entry.help)?;
    }
    Ok(())
}

struct Describe<'a> {
    search: &'a str,
    out: &'a mut dyn Write,
}

impl PositionWork for Describe<'_> {
    fn run<G: Playable>(self, _: G) -> Result<(), CliError> {
        let spec = catalog::parse::<G>(self.search)?;
        for parameter in PARAMETERS {
            let Some(value) = (parameter.get)(&spec) else {
                continue;
            };
            let value = if value.is_empty() {
                G::evaluations()[0].name.to_owned()
            } else {
                value
            };
            let what = format!("{}={value}", parameter.name);
            writeln!(
                self.out,
                "{what:<24}{} ({})",
                parameter.help, parameter.kind
            )?;
        }
        Ok(())
    }
}
