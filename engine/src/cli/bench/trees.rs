//! `canopy-engine bench trees`: speed of tree files, and their cost to a running search.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::json;

use super::super::{CliError, PositionCommand, with_position};
use crate::{
    catalog,
    games::{self, History, Playable},
    search::{
        Search, SearchLimits, SearchTask, SnapshotCallback, StopFlag,
        growth_records::GrowthObserver,
    },
    session::grown_tree::{self, GrownTree},
    tree::{
        binary, csv,
        files::Format,
        growth::Growth,
        meta::Meta,
        replay::GrowthReplay,
        snapshot::{self, SnapshotOptions},
        writer::{DEFAULT_MAX_JOURNAL_BYTES, TreeOutput, TreeOutputSettings},
    },
};

#[derive(Args)]
pub(super) struct TreesArgs {
    /// The game
    #[arg(long, default_value = games::DEMO.name)]
    game: String,
    /// The search that grows the tree
    #[arg(long, default_value = "uct")]
    search: String,
    /// How many nodes the tree is to have
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1000..=100_000_000))]
    nodes: u64,
    /// One JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &TreesArgs, out: &mut dyn Write) -> Result<(), CliError> {
    with_position(&arguments.game, "startpos", arguments, out)
}

/// The best of a few runs: noise only ever adds.
fn best_seconds(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begun = Instant::now();
        work();
        best = best.min(begun.elapsed().as_secs_f64());
    }
    best
}

impl PositionCommand for &TreesArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let spec = catalog::parse::<G>(&self.search)?;
        let mut history = History::new();
        history.push(&start);
        let mut row = |what: &str, value: f64, unit: &str| -> Result<(), CliError> {
            if self.json {
                let row = json!({"bench": "trees", "what": what, "value": value, "unit": unit});
                writeln!(out, "{row}")?;
            } else {
                writeln!(out, "{what:<44}{value:>14.2} {unit}")?;
            }
            Ok(())
        };
        let search = |iterations: u64,
                      snapshots: Option<SnapshotCallback<'_, G>>,
                      observer: Option<&dyn GrowthObserver>| {
            let mut search =
                catalog::build::<G>(&spec).expect("parse gives only searches of this game");
            let begun = Instant::now();
            search.search(SearchTask {
                snapshots: snapshots.map(SnapshotCallback::shorten_lifetime),
                observer,
                ..SearchTask::new(
                    &start,
                    &history,
                    &SearchLimits::iterations(iterations),
                    &StopFlag::new(),
                )
            });
            (search, begun.elapsed().as_secs_f64())
        };
        let grown = grown_tree::grow(&spec, &start, self.nodes, &StopFlag::new());
        let Some(GrownTree { tree, iterations }) = grown else {
            return Err(CliError::Usage(format!(
                "{} grows no tree: expected a search that does",
                self.search
            )));
        };
        let nodes = tree.nodes().len() as f64;
        row("nodes", nodes, "")?;
        for format in [Format::Tree, Format::Csv] {
            let mut bytes = Vec::new();
            let seconds = best_seconds(|| {
                bytes.clear();
                format
                    .write(&tree, &mut bytes)
                    .expect("memory takes every byte");
            });
            row(
                &format!(".{format} written to memory"),
                nodes / seconds / 1e6,
                "M nodes/s",
            )?;
            let seconds = best_seconds(|| {
                let read = match format {
                    Format::Tree => binary::read(&bytes[..]),
                    Format::Csv => csv::read(|| Ok(&bytes[..])),
                };
                assert_eq!(
                    read.expect("what was written").nodes().len(),
                    tree.nodes().len()
                );
            });
            row(
                &format!(".{format} read from memory"),
                nodes / seconds / 1e6,
                "M nodes/s",
            )?;
        }
        let mut stall = Duration::ZERO;
        let mut copy_tree = |tree: &dyn crate::search::LiveTree<G>, _: &_| {
            let begun = Instant::now();
            let copy = tree.copy();
            stall = begun.elapsed();
            drop(copy);
        };
        // The last of a few looks is at the largest tree.
        let (_, whole) = search(iterations, None, None);
        let snapshots = SnapshotCallback {
            interval: Duration::from_secs_f64(whole / 5.0),
            callback: &mut copy_tree,
        };
        let (grown, _) = search(iterations, Some(snapshots), None);
        row(
            "a running search's tree copied",
            stall.as_secs_f64() * 1e3,
            "ms",
        )?;
        if let Some(view) = grown.tree() {
            let seconds = best_seconds(|| {
                snapshot::take(view, &SnapshotOptions::default()).expect("the search's own tree");
            });
            let all =
                snapshot::take(view, &SnapshotOptions::default()).expect("the search's own tree");
            let rate = all.tree.nodes().len() as f64 / seconds / 1e6;
            row("rows made of it", rate, "M nodes/s")?;
        }
        bench_growth_journal(self, iterations, &search, &mut row)
    }
}

/// Measures the cost of a growth journal, and seeking in it.
fn bench_growth_journal<G: Playable>(
    arguments: &TreesArgs,
    iterations: u64,
    search: &impl Fn(
        u64,
        Option<SnapshotCallback<'_, G>>,
        Option<&dyn GrowthObserver>,
    ) -> (Box<dyn Search<G>>, f64),
    row: &mut impl FnMut(&str, f64, &str) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let directory = std::env::temp_dir().join(format!("canopy-bench-{}", std::process::id()));
    let failed = |error: std::io::Error| CliError::file(&directory, error.into());
    let settings = TreeOutputSettings {
        directory: directory.clone(),
        format: Format::Tree,
        snapshot: SnapshotOptions {
            max_nodes: Some(1),
            ..SnapshotOptions::default()
        },
        snapshot_interval: None,
        max_journal_bytes: Some(DEFAULT_MAX_JOURNAL_BYTES),
    };
    let (mut without, mut with) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        without = without.min(search(iterations, None, None).1);
        let output = TreeOutput::open(settings.clone(), Box::new(|_| {})).map_err(failed)?;
        let files = output.begin_search(&arguments.game, &arguments.search);
        let (grown, seconds) = search(iterations, None, files.observer());
        with = with.min(seconds);
        if let Some(tree) = grown.tree() {
            files.finish(|| tree.copy(), Meta::default());
        }
    }
    row(
        "search with a journal, beside one without",
        with / without,
        "times as long",
    )?;
    let journal = std::fs::read_dir(&directory)
        .map_err(failed)?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|name| name == "growth"));
    if let Some(path) = journal {
        let bytes = std::fs::read(&path).map_err(failed)?;
        row(
            "journal",
            bytes.len() as f64 / iterations as f64,
            "bytes an iteration",
        )?;
        let begun = Instant::now();
        let growth = Growth::read(&bytes[..]).map_err(|error| CliError::file(&path, error))?;
        let seconds = begun.elapsed().as_secs_f64();
        row(
            "journal read from memory",
            iterations as f64 / seconds / 1e6,
            "M iterations/s",
        )?;
        row(
            "nodes in it",
            growth.nodes() as f64 / iterations as f64,
            "an iteration",
        )?;
        let begun = Instant::now();
        let mut replay = GrowthReplay::new(growth);
        row(
            "journal made ready for turning",
            begun.elapsed().as_secs_f64() * 1e3,
            "ms",
        )?;
        let mut worst: f64 = 0.0;
        for step in 0..20 {
            let to = (iterations * (step * 7 % 20) / 20) as u32;
            let begun = Instant::now();
            replay.seek(to);
            worst = worst.max(begun.elapsed().as_secs_f64());
        }
        row("turned to another iteration, at worst", worst * 1e3, "ms")?;
    }
    std::fs::remove_dir_all(&directory).map_err(failed)?;
    Ok(())
}
