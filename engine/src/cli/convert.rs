//! `canopy-engine convert`: from one tree format to another.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;

use super::{CliError, tree_args::FormatArg};
use crate::tree::{
    Tree,
    export::{self, ExportFormat},
    files::{self, Format, sidecar_path, write_atomic_synced},
    import::ImportFormat,
    meta::{self, Meta},
};

#[derive(Args)]
pub(super) struct ConvertArgs {
    /// The file to read: .tree or .csv, or what `import` reads
    input: PathBuf,
    /// The file to write: .tree or .csv with the files beside it, .json (nested) or .dot with the columns of STEM.columns
    output: PathBuf,
    /// The format of the input file, if its extension is neither .tree nor .csv
    #[arg(long, value_name = "FORMAT")]
    from: Option<FormatArg>,
    /// The format of the output file, if its extension is neither .tree nor .csv
    #[arg(long, value_name = "FORMAT")]
    to: Option<FormatArg>,
    /// Write every position into the states
    #[arg(long)]
    positions: bool,
}

pub(super) fn run(arguments: &ConvertArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let ConvertArgs { input, output, .. } = arguments;
    let extension = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.map(str::to_ascii_lowercase).unwrap_or_default()
    };
    let foreign = ExportFormat::parse(&extension(output)).filter(|_| arguments.to.is_none());
    let is_imported = arguments.from.is_none() && ImportFormat::parse(&extension(input)).is_some();
    if foreign.is_some() || is_imported {
        return export_document(arguments, foreign, out);
    }
    let from = resolve_format(arguments.from, input)?;
    let to = resolve_format(arguments.to, output)?;
    let mut document =
        files::read(input, Some(from)).map_err(|error| CliError::file(input, error))?;
    if arguments.positions {
        document.tree = with_positions(&document, input)?;
    }
    let failed = |error: io::Error| CliError::file(output, error.into());
    write_atomic_synced(output, |out| to.write(&document.tree, out)).map_err(failed)?;
    super::write_node_count(out, output, &document.tree)?;
    for problem in &document.problems {
        writeln!(out, "left out: {problem}")?;
    }
    let carried = copy_sidecars(input, output, document.meta.as_ref())?;
    for path in &carried {
        writeln!(out, "carried along: {}", path.display())?;
    }
    if to == Format::Tree && from == Format::Csv {
        let root = &document.tree.nodes()[0];
        if document.meta.is_none()
            && (root.visits != 0
                || root.second != 0
                || root.mean != 0.0
                || !document.tree.move_name(0).is_empty())
        {
            writeln!(
                out,
                "lost: the root's own move and figures ({}, {}, {}), for which .tree files have no place",
                root.visits, root.second, root.mean
            )?;
        }
    }
    Ok(())
}

/// Writes a format of other programs, or one of ours from a file of theirs.
fn export_document(
    arguments: &ConvertArgs,
    foreign: Option<ExportFormat>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let ConvertArgs { input, output, .. } = arguments;
    let from = arguments.from.map(|FormatArg(format)| format);
    let mut document = files::read(input, from).map_err(|error| CliError::file(input, error))?;
    if sidecar_path(input, "json") == *output || sidecar_path(output, "json") == *input {
        return Err(CliError::Usage(format!(
            "{}: a sidecar has this name: choose another one",
            output.display()
        )));
    }
    if arguments.positions {
        document.tree = with_positions(&document, input)?;
    }
    let written = match foreign {
        Some(foreign) => write_atomic_synced(output, |out| foreign.write(&document, out)),
        None => {
            let to = resolve_format(arguments.to, output)?;
            files::write_document(output, to, &document)
        }
    };
    written.map_err(|error| CliError::file(output, error.into()))?;
    let nodes = document.tree.nodes().len();
    writeln!(out, "{}: {nodes} nodes", output.display())?;
    for problem in &document.problems {
        writeln!(out, "left out: {problem}")?;
    }
    Ok(())
}

fn with_positions(document: &files::Document, input: &Path) -> Result<Tree, CliError> {
    export::with_positions(document)
        .map_err(|problem| CliError::Usage(format!("{}: no positions: {problem}", input.display())))
}

fn resolve_format(given: Option<FormatArg>, path: &Path) -> Result<Format, CliError> {
    match given {
        Some(FormatArg(format)) => Ok(format),
        None => Format::from_path(path).map_err(|error| CliError::file(path, error)),
    }
}

/// Copies the files beside `input` to where they stand beside `output`.
fn copy_sidecars(
    input: &Path,
    output: &Path,
    meta: Option<&Meta>,
) -> Result<Vec<PathBuf>, CliError> {
    let mut carried = Vec::new();
    let mut meta = meta.cloned();
    for extension in ["extra", "columns", "growth"] {
        let (from, to) = (
            sidecar_path(input, extension),
            sidecar_path(output, extension),
        );
        if !from.is_file() {
            continue;
        }
        let name = to
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        match (&mut meta, extension) {
            (Some(meta), "extra") => meta.extra = name,
            (Some(meta), "columns") => meta.columns = name,
            (Some(meta), _) => meta.growth = name,
            (None, _) => {}
        }
        if from == to {
            continue;
        }
        let copy = |out: &mut io::BufWriter<File>| {
            io::copy(&mut File::open(&from)?, out)?;
            Ok(())
        };
        write_atomic_synced(&to, copy).map_err(|error| CliError::file(&to, error.into()))?;
        carried.push(to);
    }
    let (from, to) = (sidecar_path(input, "json"), sidecar_path(output, "json"));
    if let Some(meta) = meta
        && from != to
    {
        let text = meta::to_json(&meta);
        write_atomic_synced(&to, |out| out.write_all(text.as_bytes()))
            .map_err(|error| CliError::file(&to, error.into()))?;
        carried.push(to);
    }
    Ok(carried)
}
