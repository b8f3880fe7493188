//! `canopy-engine import`: makes a tree file of another program's file.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args;

use super::CliError;
use crate::tree::{
    files::{self, Format, sidecar_path},
    import::{
        self, ImportFormat, Mapping,
        mapping::{ValueFor, ValueRange},
    },
};

#[derive(Args)]
pub(super) struct ImportArgs {
    /// The file to read: .json, .jsonl or .dot
    input: PathBuf,
    /// The tree file to write, .tree or .csv; its sidecars go beside it
    output: PathBuf,
    /// The format, json, jsonl or dot, if the extension does not tell
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<ImportFormat>,
    /// A file that names the fields, in TOML, with the names of these options; without it INPUT.toml beside the input, if there is one
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// The key that holds the root, where it is not the whole file
    #[arg(long, value_name = "KEY")]
    root: Option<String>,
    /// The key of a node's children: an array of nodes, or an object of nodes by move
    #[arg(long, value_name = "KEY")]
    children: Option<String>,
    /// The key of the move into a node
    #[arg(long = "move", value_name = "KEY")]
    mv: Option<String>,
    /// The key of visits
    #[arg(long, value_name = "KEY")]
    visits: Option<String>,
    /// The key of the mean value
    #[arg(long, value_name = "KEY")]
    value: Option<String>,
    /// The key of the sum of values, where there is no mean
    #[arg(long, value_name = "KEY")]
    sum: Option<String>,
    /// The key of the prior
    #[arg(long, value_name = "KEY")]
    prior: Option<String>,
    /// The key of the state
    #[arg(long, value_name = "KEY")]
    state: Option<String>,
    /// The key of a node's id, in JSON Lines
    #[arg(long, value_name = "KEY")]
    id: Option<String>,
    /// The key of the parent's id, in JSON Lines
    #[arg(long, value_name = "KEY")]
    parent: Option<String>,
    /// What values range over: 0..1, -1..1, or auto
    #[arg(long, allow_hyphen_values = true, value_parser = parse_range)]
    range: Option<ValueRange>,
    /// Whose values they are: of the player who made the move (mover), of the player to move in the node (to-move), or of the player
    /// to move at the root everywhere (root)
    #[arg(long, value_name = "WHOSE", value_parser = parse_value_for)]
    value_for: Option<ValueFor>,
    /// The game; of one of ours the viewer shows the board
    #[arg(long)]
    game: Option<String>,
    /// The position of the root
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<String>,
    /// What the search prefers among children, over the names of columns
    #[arg(long)]
    formula: Option<String>,
}

fn parse_format(name: &str) -> Result<ImportFormat, String> {
    ImportFormat::parse(name).ok_or_else(|| "expected json, jsonl or dot".to_owned())
}

fn parse_range(name: &str) -> Result<ValueRange, String> {
    ValueRange::parse(name).ok_or_else(|| "expected 0..1, -1..1 or auto".to_owned())
}

fn parse_value_for(name: &str) -> Result<ValueFor, String> {
    ValueFor::parse(name).ok_or_else(|| "expected mover, to-move or root".to_owned())
}

pub(super) fn run(arguments: &ImportArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let ImportArgs { input, output, .. } = arguments;
    let format = arguments.format.or_else(|| ImportFormat::from_path(input));
    let format = format.ok_or_else(|| {
        let problem = "its name does not tell its format: expected .json, .jsonl or .dot at the end, or --format";
        CliError::Usage(format!("{}: {problem}", input.display()))
    })?;
    let to = Format::from_path(output).map_err(|error| CliError::file(output, error))?;
    if sidecar_path(output, "json") == *input {
        return Err(CliError::Usage(format!(
            "{}: the sidecar of the tree would replace the input: choose another name for the tree",
            output.display()
        )));
    }
    let mapping = arguments.mapping()?;
    let document =
        import::read(input, format, &mapping).map_err(|error| CliError::file(input, error))?;
    files::write_document(output, to, &document)
        .map_err(|error| CliError::file(output, error.into()))?;
    super::write_node_count(out, output, &document.tree)?;
    if let Some(columns) = &document.columns {
        let names: Vec<&str> = columns
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        writeln!(out, "columns: {}", names.join(", "))?;
    }
    let parameters = document.meta.as_ref().map(|meta| &meta.parameters);
    let is_noted = |name: &str| parameters.is_some_and(|all| all.contains_key(name));
    if is_noted("visits") {
        writeln!(
            out,
            "no node has visits: they are the nodes at and below it (--visits names a key)"
        )?;
    }
    if is_noted("mean") {
        writeln!(
            out,
            "no node has a value: all means are 0.5 (--value names a key)"
        )?;
    }
    if is_noted("values") {
        writeln!(
            out,
            "values are from -1 to 1, and were mapped to means from 0 to 1"
        )?;
    }
    for problem in &document.problems {
        writeln!(out, "{problem}")?;
    }
    Ok(())
}

impl ImportArgs {
    /// The mapping of the file, and what the options say in its place.
    fn mapping(&self) -> Result<Mapping, CliError> {
        let beside = sidecar_path(&self.input, "toml");
        let file = match &self.mapping {
            Some(file) => Some(file.clone()),
            None => beside.is_file().then_some(beside),
        };
        let mut mapping = match file {
            None => Mapping::default(),
            Some(file) => read_mapping(&file)?,
        };
        let replace = |from: &Option<String>, to: &mut Option<String>| {
            if from.is_some() {
                to.clone_from(from);
            }
        };
        replace(&self.root, &mut mapping.root);
        replace(&self.children, &mut mapping.children);
        replace(&self.mv, &mut mapping.mv);
        replace(&self.visits, &mut mapping.visits);
        replace(&self.value, &mut mapping.value);
        replace(&self.sum, &mut mapping.sum);
        replace(&self.prior, &mut mapping.prior);
        replace(&self.state, &mut mapping.state);
        replace(&self.id, &mut mapping.id);
        replace(&self.parent, &mut mapping.parent);
        replace(&self.game, &mut mapping.game);
        replace(&self.position, &mut mapping.position);
        replace(&self.formula, &mut mapping.formula);
        mapping.range = self.range.unwrap_or(mapping.range);
        mapping.check().map_err(CliError::Usage)?;
        mapping.value_for = self.value_for.unwrap_or(mapping.value_for);
        Ok(mapping)
    }
}

fn read_mapping(path: &Path) -> Result<Mapping, CliError> {
    let text = fs::read_to_string(path).map_err(|error| CliError::file(path, error.into()))?;
    Mapping::parse(&text)
        .map_err(|problem| CliError::Usage(format!("{}: {problem}", path.display())))
}
