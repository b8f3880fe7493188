//! `canopy-engine inspect`: what is in a tree file, and what does not add up.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{CliError, trees::FormatArg};
use crate::{
    games::notation::visible,
    tree::{check, files, growth::Growth},
};

#[derive(Args)]
pub(super) struct InspectArgs {
    /// The file: .tree, .csv or .growth
    file: PathBuf,
    /// The format, if the name does not tell: tree or csv
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatArg>,
}

pub(super) fn run(arguments: &InspectArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let path = &arguments.file;
    if arguments.format.is_none() && path.extension().is_some_and(|name| name == "growth") {
        return inspect_journal(path, out);
    }
    let format = arguments.format.map(|FormatArg(format)| format);
    let document = files::read(path, format).map_err(|error| CliError::file(path, error))?;
    let summary = check::summarize(&document);
    let root = &document.tree.nodes()[0];
    writeln!(out, "{}", visible(&path.display().to_string()))?;
    if let Some(meta) = &document.meta {
        let state = if meta.is_final { "finished" } else { "running" };
        writeln!(
            out,
            "game        {} {}",
            visible(&meta.game),
            visible(&meta.position)
        )?;
        writeln!(
            out,
            "search      {}, {state}: {} iterations, {} nodes, {} ms, {} thread(s)",
            visible(&meta.search),
            meta.iterations,
            meta.nodes,
            meta.milliseconds,
            meta.threads
        )?;
        if let Some(chosen) = &meta.chosen {
            writeln!(out, "chosen      {}", visible(chosen))?;
        }
        if meta.cut.left_out > 0 {
            writeln!(out, "left out    {} nodes of the search", meta.cut.left_out)?;
        }
        for shortfall in &meta.shortfalls {
            writeln!(out, "had less    {}", visible(shortfall))?;
        }
    } else {
        writeln!(out, "root        {}", visible(document.tree.state(0)))?;
    }
    writeln!(out, "nodes       {}", document.tree.nodes().len())?;
    writeln!(out, "depth       {}", summary.widths.len() - 1)?;
    let widths: Vec<String> = summary.widths.iter().map(u64::to_string).collect();
    writeln!(out, "width       {}", shortened(&widths, " "))?;
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
    let line = shortened(&summary.line, " ");
    writeln!(out, "line        {}", visible(&line))?;
    for problem in &document.problems {
        writeln!(out, "problem     {}", visible(problem))?;
    }
    for fault in &summary.faults {
        let more = match fault.count - 1 {
            0 => String::new(),
            others => format!(", and {others} more"),
        };
        writeln!(out, "problem     row {}: {}{more}", fault.row, fault.what)?;
    }
    if summary.faults.is_empty() && document.problems.is_empty() {
        writeln!(out, "everything adds up")?;
    }
    Ok(())
}

fn inspect_journal(path: &Path, out: &mut dyn Write) -> Result<(), CliError> {
    let growth = File::open(path)
        .map_err(Into::into)
        .and_then(Growth::read)
        .map_err(|error| CliError::file(path, error))?;
    let kind = if growth.kind.graph { "graph" } else { "tree" };
    writeln!(out, "{}", visible(&path.display().to_string()))?;
    writeln!(out, "journal     of a {kind}")?;
    writeln!(out, "iterations  {}", growth.iterations())?;
    writeln!(out, "nodes       {}", growth.nodes())?;
    let end = match growth.ended() {
        None => "not written to its end: the search is running, or was stopped",
        Some(false) => "complete",
        Some(true) => "ended before the search did",
    };
    writeln!(out, "state       {end}")?;
    Ok(())
}

/// A list that fits on a few lines: its middle may be left out.
fn shortened(words: &[String], between: &str) -> String {
    const MOST: usize = 60;
    if words.len() <= MOST {
        return words.join(between);
    }
    let (begin, end) = (&words[..MOST / 2], &words[words.len() - MOST / 2..]);
    format!(
        "{}{between}... ({} more) ...{between}{}",
        begin.join(between),
        words.len() - MOST,
        end.join(between)
    )
}
