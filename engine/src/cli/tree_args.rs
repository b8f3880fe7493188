//! Arguments shared by the commands about tree files: formats and output directory.

use std::{path::PathBuf, str::FromStr, time::Duration};

use clap::Args;

use crate::tree::{
    files::Format,
    snapshot::SnapshotOptions,
    writer::{DEFAULT_MAX_JOURNAL_BYTES, TreeOutputSettings},
};

/// A format by name.
#[derive(Clone, Copy)]
pub(super) struct FormatArg(pub(super) Format);

impl FromStr for FormatArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Format::parse(text)
            .map(Self)
            .ok_or_else(|| "expected tree or csv".to_owned())
    }
}

/// Where trees go, and which.
#[derive(Args)]
pub(super) struct OutputArgs {
    /// The directory for the trees; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// The format of the trees: tree or csv
    #[arg(long, default_value = "tree")]
    pub(super) format: FormatArg,
    /// Also write the tree of the running search, every this many milliseconds
    #[arg(long, value_name = "MILLIS", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Write at most this many nodes: the most visited part of the tree
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    max_nodes: Option<u64>,
    /// Leave out nodes with fewer visits
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    min_visits: u64,
    /// Write every position, not only the root's
    #[arg(long)]
    states: bool,
    /// Write files of extras (squares, node visits, table values, certain results, cut-offs) and columns (priors)
    #[arg(long)]
    extra: bool,
    /// Write a journal of how the tree grew
    #[arg(long)]
    journal: bool,
    /// Write the moves of every playout to the journal
    #[arg(long, requires = "journal")]
    pub(super) playouts: bool,
    /// End the growth journal at this many megabytes
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MAX_JOURNAL_BYTES >> 20, value_parser = clap::value_parser!(u64).range(1..1 << 20))]
    journal_mb: u64,
}

impl OutputArgs {
    pub(super) fn settings(&self) -> TreeOutputSettings {
        TreeOutputSettings {
            directory: self.out.clone(),
            format: self.format.0,
            snapshot: SnapshotOptions {
                states: self.states,
                extra: self.extra,
                max_nodes: self.max_nodes,
                min_visits: self.min_visits,
            },
            snapshot_interval: self.every.map(Duration::from_millis),
            max_journal_bytes: self.journal.then_some(self.journal_mb << 20),
        }
    }
}
