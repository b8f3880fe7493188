//! `canopy-engine inspect`: describes and checks a tree file.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{CliError, tree_args::FormatArg};
use crate::{
    games::notation::escape_invisible,
    tree::{files, growth::Growth, summary},
};

#[derive(Args)]
pub(super) struct InspectArgs {
    /// The file: .tree, .csv, .growth, or what `import` reads
    file: PathBuf,
    /// The format, tree or csv, if the extension is neither
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatArg>,
    /// Fail (exit code 1) if anything does not add up
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(arguments: &InspectArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let path = &arguments.file;
    if arguments.format.is_none() && path.extension().is_some_and(|name| name == "growth") {
        return inspect_growth_journal(path, out);
    }
    let format = arguments.format.map(|FormatArg(format)| format);
    let document = files::read(path, format).map_err(|error| CliError::file(path, error))?;
    let summary = summary::summarize(&document);
    let root = &document.tree.nodes()[0];
    writeln!(out, "{}", escape_invisible(&path.display().to_string()))?;
    if let Some(meta) = &document.meta {
        let state = if meta.is_final { "finished" } else { "running" };
        writeln!(
            out,
            "game        {} {}",
            escape_invisible(&meta.game),
            escape_invisible(&meta.position)
        )?;
        writeln!(
            out,
            "search      {}, {state}: {} iterations, {} nodes, {} ms, {} thread(s)",
            escape_invisible(&meta.search),
            meta.iterations,
            meta.nodes,
            meta.milliseconds,
            meta.threads
        )?;
        if let Some(chosen) = &meta.chosen {
            writeln!(out, "chosen      {}", escape_invisible(chosen))?;
        }
        if meta.cut.left_out > 0 {
            writeln!(out, "left out    {} nodes of the search", meta.cut.left_out)?;
        }
        for shortfall in &meta.shortfalls {
            writeln!(out, "had less    {}", escape_invisible(shortfall))?;
        }
    } else {
        writeln!(
            out,
            "root        {}",
            escape_invisible(document.tree.state(0))
        )?;
    }
    writeln!(out, "nodes       {}", document.tree.nodes().len())?;
    writeln!(out, "depth       {}", summary.widths.len() - 1)?;
    let widths: Vec<String> = summary.widths.iter().map(u64::to_string).collect();
    writeln!(out, "width       {}", elide_middle(&widths, " "))?;
    writeln!(
        out,
        "visits      {} ({} in the second counter)",
        root.visits, root.second
    )?;
    if let Some((low, high)) = summary.means {
        writeln!(out, "means       from {low} to {high}")?;
    }
    if summary.shared > 0 {
        writeln!(
            out,
            "shared      {} rows lead to nodes that stand elsewhere",
            summary.shared
        )?;
    }
    let line = elide_middle(&summary.pv, " ");
    writeln!(out, "line        {}", escape_invisible(&line))?;
    for problem in &document.problems {
        writeln!(out, "problem     {}", escape_invisible(problem))?;
    }
    for fault in &summary.inconsistencies {
        let more = match fault.count - 1 {
            0 => String::new(),
            others => format!(", and {others} more"),
        };
        writeln!(out, "problem     row {}: {}{more}", fault.row, fault.what)?;
    }
    if summary.inconsistencies.is_empty() && document.problems.is_empty() {
        writeln!(out, "everything adds up")?;
    } else if arguments.strict {
        return Err(CliError::Failed(format!(
            "{}: not everything adds up",
            path.display()
        )));
    }
    Ok(())
}

fn inspect_growth_journal(path: &Path, out: &mut dyn Write) -> Result<(), CliError> {
    let growth = File::open(path)
        .map_err(Into::into)
        .and_then(Growth::read)
        .map_err(|error| CliError::file(path, error))?;
    let kind = if growth.kind.is_graph {
        "graph"
    } else {
        "tree"
    };
    writeln!(out, "{}", escape_invisible(&path.display().to_string()))?;
    writeln!(out, "journal     of a {kind}")?;
    writeln!(out, "iterations  {}", growth.iterations())?;
    writeln!(out, "nodes       {}", growth.nodes())?;
    if growth.recorded_playouts() > 0 {
        writeln!(
            out,
            "playouts    {} with their moves",
            growth.recorded_playouts()
        )?;
    }
    let end = match growth.ended() {
        None => "not written to its end: the search is running, or was stopped",
        Some(false) => "complete",
        Some(true) => "ended before the search did",
    };
    writeln!(out, "state       {end}")?;
    Ok(())
}

/// A list that fits on a few lines: its middle may be left out.
fn elide_middle(words: &[String], between: &str) -> String {
    const MAX_WORDS: usize = 60;
    if words.len() <= MAX_WORDS {
        return words.join(between);
    }
    let (begin, end) = (
        &words[..MAX_WORDS / 2],
        &words[words.len() - MAX_WORDS / 2..],
    );
    format!(
        "{}{between}... ({} more) ...{between}{}",
        begin.join(between),
        words.len() - MAX_WORDS,
        end.join(between)
    )
}
