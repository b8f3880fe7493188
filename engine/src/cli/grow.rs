//! `canopy-engine grow`: searches without a protocol, for the sake of their trees.

use std::{io::Write, time::Duration};

use clap::Args;

use super::{CliError, LineArgs, PositionCommand, progress::Progress, tree_args::OutputArgs};
use crate::{
    catalog,
    games::{History, Playable, notation},
    search::{ReportCallback, SearchLimits, SearchReport, SearchTask, StopFlag},
    session::search_job::{self, SearchDescription},
    tree::writer::TreeOutput,
};

#[derive(Args)]
pub(super) struct GrowArgs {
    #[command(flatten)]
    line: LineArgs,
    /// The search, with parameters after commas, such as uct,exploration=0.7
    #[arg(long, value_name = "SEARCH", default_value = "uct")]
    search: String,
    /// Playouts of each search
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Positions of each search
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Plies of each search
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Milliseconds of each search
    #[arg(long, value_name = "MILLIS", value_parser = clap::value_parser!(u64).range(1..))]
    millis: Option<u64>,
    /// Play this many plies with the chosen moves, and write a tree for each
    #[arg(long, value_name = "PLIES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    plies: u32,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(arguments: &GrowArgs, out: &mut dyn Write) -> Result<(), CliError> {
    arguments.line.position.with_position(arguments, out)
}

impl PositionCommand for &GrowArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let spec = catalog::parse::<G>(&self.search)?.with_resolved_seed();
        super::print_remarks(&self.search);
        let mut search =
            catalog::build::<G>(&spec).expect("parse gives only searches of this game");
        let limits = self.limits();
        let has_limit = limits != SearchLimits::default() || catalog::has_default_limit(&spec);
        if !has_limit {
            return Err(CliError::Usage(
                "nothing says when the search is to stop: expected --iterations, --nodes, --depth or --millis"
                    .to_owned(),
            ));
        }
        let mut history = History::new();
        history.push(&start);
        let mut position = start;
        let mut played = 0;
        let count = |_: &G, _| played += 1;
        notation::play_moves(&mut position, &mut history, &self.line.moves, count)?;
        let directory = &self.output.out;
        let warn = |warning: &str| super::print_message(warning);
        let output = TreeOutput::open_blocking(self.output.settings(), Box::new(warn))
            .map(|output| output.with_playouts(self.output.playouts))
            .map_err(|error| CliError::file(directory, error.into()))?;
        let stop = StopFlag::new();
        super::print_shortfalls(&*search);
        let mut is_treeless = false;
        let mut trees = 0;
        let mut progress = GrowthProgress::new(self);
        for ply in 0..self.plies {
            if history.outcome(&position).is_some() {
                break;
            }
            let about = SearchDescription {
                spec: &spec,
                name: &self.search,
                ply: played + ply,
            };
            let mut on_report = |report: &SearchReport<G::Move>| progress.update(report.iterations);
            let task = SearchTask {
                reports: Some(ReportCallback {
                    interval: PROGRESS_INTERVAL,
                    callback: &mut on_report,
                }),
                ..SearchTask::new(&position, &history, &limits, &stop)
            };
            let mv = search_job::search_and_record(&mut *search, task, &about, Some(&output)).mv;
            match search.tree() {
                Some(_) => trees += 1,
                None if is_treeless => {}
                None => {
                    progress
                        .progress
                        .tell(&format!("{} grows no tree", self.search));
                    is_treeless = true;
                }
            }
            progress.progress.suspend(|| {
                writeln!(out, "{}", notation::move_text(&position, mv))?;
                out.flush()
            })?;
            progress.finish_search();
            search.advance(mv);
            history.play(&mut position, mv);
        }
        progress.progress.finish();
        match output.finish() {
            0 => Ok(()),
            lost => Err(CliError::Failed(format!(
                "{lost} of {trees} trees could not be written to {}",
                directory.display()
            ))),
        }
    }
}

/// How often a running search says how far it is.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Progress of the searches: iterations where these are limited, else searches.
struct GrowthProgress {
    progress: Progress,
    /// Iterations of a search; none if something else limits it.
    iterations: Option<u64>,
    searches: u64,
}

impl GrowthProgress {
    fn new(arguments: &GrowArgs) -> Self {
        let iterations = arguments.iterations;
        let unit = match iterations {
            Some(_) => "iterations",
            None => "searches",
        };
        let mut progress = Progress::new(unit);
        let plies = u64::from(arguments.plies);
        progress.begin(plies.saturating_mul(iterations.unwrap_or(1)), 0);
        Self {
            progress,
            iterations,
            searches: 0,
        }
    }

    /// The running search has done so many iterations.
    fn update(&mut self, done: u64) {
        match self.iterations {
            Some(each) => self.progress.advance_to(self.searches * each + done),
            None => self.progress.tick(),
        }
    }

    fn finish_search(&mut self) {
        self.searches += 1;
        self.progress
            .advance_to(self.searches * self.iterations.unwrap_or(1));
    }
}

impl GrowArgs {
    fn limits(&self) -> SearchLimits {
        SearchLimits {
            iterations: self.iterations,
            nodes: self.nodes,
            depth: self.depth,
            time: self.millis.map(Duration::from_millis),
        }
    }
}
