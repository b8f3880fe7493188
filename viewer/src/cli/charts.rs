//! `canopy-viewer charts`: charts of a whole tree as a table or a picture.

use std::path::PathBuf;

use canopy_engine::tree::replay_reader::ReplayReader;
use clap::Args;

use super::{CliError, read_model};
use crate::tree::tree_charts::TreeCharts;

/// Samples of the history of the root's moves.
const HISTORY_SAMPLES: usize = 1000;

#[derive(Args)]
pub(super) struct ChartsArgs {
    /// The tree, a .tree or .csv file; its growth journal is read too, if there is one
    file: PathBuf,
    /// The file to write: .csv or .svg
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Writes the charts of a tree.
pub(super) fn charts(arguments: &ChartsArgs) -> Result<(), CliError> {
    let model = read_model(&arguments.file)?;
    let journal = arguments.file.with_extension("growth");
    let meta = model.meta.as_ref().filter(|_| journal.exists());
    let history = meta.and_then(|meta| {
        let reader = ReplayReader::open(&journal, &meta.game, &meta.position).ok()?;
        let history = reader.root_move_history(HISTORY_SAMPLES).ok()?;
        Some((history, reader.iterations()))
    });
    let history = history.as_ref().map(|(history, end)| (history, *end));
    let charts = TreeCharts::new(&model, history);
    let output = &arguments.output;
    let extension = output.extension().map(|name| name.to_ascii_lowercase());
    let text = match extension.as_ref().and_then(|name| name.to_str()) {
        Some("csv") => charts.to_csv(),
        Some("svg") => charts.to_svg(),
        _ => {
            return Err(CliError::Input(format!(
                "{}: expected a name that ends in .csv or .svg",
                output.display()
            )));
        }
    };
    std::fs::write(output, text)
        .map_err(|error| CliError::Failed(format!("cannot write {}: {error}", output.display())))
}
