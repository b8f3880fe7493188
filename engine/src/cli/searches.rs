//! `canopy-engine searches`: the catalogue of searches.

use std::io::Write;

use clap::Args;

use super::{
    CliError, PositionCommand,
    columns::{format_columns, terminal_width},
    game_help, with_position,
};
use crate::{
    catalog::{self, PARAMETERS, SEARCHES},
    games::{self, Playable},
};

#[derive(Args)]
pub(super) struct SearchesArgs {
    /// Show the parameters of this search and their values
    search: Option<String>,
    #[arg(long, value_name = "GAME", help = game_help())]
    game: Option<String>,
}

pub(super) fn run(arguments: &SearchesArgs, out: &mut dyn Write) -> Result<(), CliError> {
    if let Some(search) = &arguments.search {
        let game = arguments.game.as_deref();
        let game = game.unwrap_or_else(|| default_game(search));
        return with_position(game, "startpos", DescribeCommand { search }, out);
    }
    let row = |entry: &catalog::CatalogEntry| {
        let only = entry
            .only_game
            .map_or(String::new(), |game| format!(" ({game} only)"));
        (entry.name.to_owned(), format!("{}{only}", entry.help))
    };
    let rows: Vec<(String, String)> = SEARCHES.iter().map(row).collect();
    out.write_all(format_columns(&rows, terminal_width()).as_bytes())?;
    Ok(())
}

/// The game for which a search is described if none is named: its only one, or the server's default.
fn default_game(search: &str) -> &'static str {
    let name = search.split(',').next().unwrap_or_default().trim();
    let entry = SEARCHES
        .iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name));
    entry
        .and_then(|entry| entry.only_game)
        .unwrap_or(games::DEFAULT.name)
}

struct DescribeCommand<'a> {
    search: &'a str,
}

impl PositionCommand for DescribeCommand<'_> {
    fn run<G: Playable>(self, _: G, out: &mut dyn Write) -> Result<(), CliError> {
        let spec = catalog::parse::<G>(self.search)?;
        let mut rows = Vec::new();
        for parameter in PARAMETERS {
            let Some(value) = (parameter.get)(&spec) else {
                continue;
            };
            let value = if value.is_empty() {
                G::EVALUATIONS[0].name.to_owned()
            } else {
                value
            };
            rows.push((
                format!("{}={value}", parameter.name),
                format!("{} ({})", parameter.help, parameter.kind),
            ));
        }
        let width = terminal_width();
        out.write_all(format_columns(&rows, width).as_bytes())?;
        let name = self.search.split(',').next().unwrap_or_default().trim();
        let sentences = catalog::deviations(name).iter();
        let notes: Vec<(String, String)> = sentences
            .enumerate()
            .map(|(index, sentence)| {
                let label = ["", "and the report"][usize::from(index == 0)];
                (label.to_owned(), (*sentence).to_owned())
            })
            .collect();
        if !notes.is_empty() {
            writeln!(out)?;
            out.write_all(format_columns(&notes, width).as_bytes())?;
        }
        Ok(())
    }
}
