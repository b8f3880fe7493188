//! `canopy-engine explain`: why a search prefers one move to another, from its tree file.

use std::{io::Write, path::PathBuf};

use clap::Args;

use super::{CliError, tree_args::FormatArg};
use crate::{
    explain::{self, Explanation, LeadChange, SearchFacts, sentence_text},
    games::notation::escape_invisible,
    tree::{files, meta::Meta, replay_reader::ReplayReader},
};

#[derive(Args)]
pub(super) struct ExplainArgs {
    /// The tree file, .tree or .csv, with its sidecar beside it; a growth journal there is read, too
    file: PathBuf,
    /// The two moves, such as d3,c4: why the first and not the second. Without it, the chosen move and the best of the others
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    moves: Option<String>,
    /// The format, tree or csv, if the extension is neither
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatArg>,
}

pub(super) fn run(arguments: &ExplainArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let path = &arguments.file;
    let format = arguments.format.map(|FormatArg(format)| format);
    let document = files::read(path, format).map_err(|error| CliError::file(path, error))?;
    let refuse =
        |error: explain::ExplainError| CliError::Usage(format!("{}: {error}", path.display()));
    let extra = document.extra.as_deref();
    let facts = SearchFacts::new(&document.tree, document.meta.as_ref(), extra)
        .map_err(refuse)?
        .with_columns(document.columns.as_ref());
    let moves = match &arguments.moves {
        Some(text) => Some(split_moves(text)?),
        None => None,
    };
    let first = explain::explain(&facts, moves, None).map_err(refuse)?;
    for problem in &document.problems {
        super::print_message(problem);
    }
    let lead = (document.meta.as_ref()).and_then(|meta| find_lead(arguments, meta, &first));
    let explanation = match &lead {
        Some(lead) => explain::explain(&facts, moves, Some(lead)).map_err(refuse)?,
        None => first,
    };
    let [one, other] = &explanation.moves;
    let title = format!("Why {} and not {}?", one.text, other.text);
    writeln!(out, "{}", escape_invisible(&title))?;
    for (number, sentence) in explanation.sentences.iter().enumerate() {
        writeln!(out, "{}. {}", number + 1, sentence_text(sentence))?;
    }
    Ok(())
}

/// Two moves with a comma between them.
fn split_moves(text: &str) -> Result<[&str; 2], CliError> {
    match text.split(',').collect::<Vec<_>>().as_slice() {
        [one, other] if !one.trim().is_empty() && !other.trim().is_empty() => Ok([one, other]),
        _ => Err(CliError::Usage(format!(
            "--moves {text}: expected two moves with a comma between them, such as d3,c4"
        ))),
    }
}

/// What the growth journal beside the tree says of the two moves; a journal that cannot be read is told of.
fn find_lead(arguments: &ExplainArgs, meta: &Meta, found: &Explanation) -> Option<LeadChange> {
    let journal = files::sidecar_path(&arguments.file, "growth");
    if !journal.exists() {
        return None;
    }
    let read = || -> Result<Option<LeadChange>, String> {
        let opened = ReplayReader::open(&journal, &meta.game, &meta.position);
        let mut reader = opened.map_err(|error| error.to_string())?;
        reader.poll().map_err(|error| error.to_string())?;
        let [one, other] = &found.moves;
        explain::lead::find(&mut reader, meta, [&one.name, &other.name])
    };
    read().unwrap_or_else(|problem| {
        let path = journal.display();
        super::print_message(&format!(
            "{path}: {problem}; the tree is explained without it"
        ));
        None
    })
}
