//! `canopy-engine grow`: searches without a protocol, for the sake of their trees.

use std::{collections::BTreeMap, io::Write, time::Duration};

use clap::Args;

use super::{CliError, PositionArgs, PositionWork, name_of, trees::OutputArgs};
use crate::{
    catalog::{self, PARAMETERS, Spec},
    games::{History, Playable, Player, notation},
    search::{Limits, Report, Search, Snapshots, Stop, Task, budget::Stopwatch},
    tree::{
        meta::{LimitsMeta, Meta},
        writer::Output,
    },
};

#[derive(Args)]
pub(super) struct GrowArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Moves to play first
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        allow_hyphen_values = true
    )]
    moves: String,
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
    /// Play on with the chosen moves for so many plies: a tree for each
    #[arg(long, value_name = "PLIES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    plies: u32,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(arguments: &GrowArgs, out: &mut dyn Write) -> Result<(), CliError> {
    arguments.position.with_position(Grow { arguments, out })
}

struct Grow<'a> {
    arguments: &'a GrowArgs,
    out: &'a mut dyn Write,
}

impl PositionWork for Grow<'_> {
    fn run<G: Playable>(self, start: G) -> Result<(), CliError> {
        let Self { arguments, out } = self;
        let spec = catalog::parse::<G>(&arguments.search)?;
        let mut search =
            catalog::build::<G>(&spec).expect("parse gives only searches of this game");
        let limits = arguments.limits();
        // Searches that could go on for ever say by some parameter when they stop by themselves.
        let mut ends = PARAMETERS
            .iter()
            .filter(|parameter| ["iterations", "time", "depth"].contains(&parameter.name))
            .filter_map(|parameter| (parameter.get)(&spec))
            .peekable();
        let has_limit =
            limits != Limits::default() || ends.peek().is_none() || ends.any(|value| value != "0");
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
        notation::play_moves(&mut position, &mut history, &arguments.moves, count)?;
        let directory = &arguments.output.out;
        let warn = |warning: &str| super::say(warning);
        let output = Output::open(arguments.output.settings(), Box::new(warn))
            .map_err(|error| CliError::file(directory, error.into()))?;
        let mut is_treeless = false;
        for ply in 0..arguments.plies {
            if history.outcome(&position).is_some() {
                break;
            }
            let about = About {
                spec: &spec,
                name: &arguments.search,
                limits: &limits,
                ply: played + ply,
            };
            let mv = grow(&mut *search, &position, &history, &about, &output);
            if search.tree().is_none() && !std::mem::replace(&mut is_treeless, true) {
                super::say(&format!("{} grows no tree", arguments.search));
            }
            let mut text = String::new();
            let _ = position.write_move(mv, notation::Style::Own, &mut text);
            writeln!(out, "{text}")?;
            out.flush()?;
            search.advance(mv);
            position.play(mv);
            history.push(&position);
        }
        Ok(())
    }
}

impl GrowArgs {
    fn limits(&self) -> Limits {
        Limits {
            iterations: self.iterations,
            nodes: self.nodes,
            depth: self.depth,
            time: self.millis.map(Duration::from_millis),
        }
    }
}

/// What a sidecar says that the search itself does not know.
struct About<'a> {
    spec: &'a Spec,
    name: &'a str,
    limits: &'a Limits,
    ply: u32,
}

/// One search and its files; the move it chose.
fn grow<G: Playable>(
    search: &mut dyn Search<G>,
    position: &G,
    history: &History,
    about: &About<'_>,
    output: &Output,
) -> G::Move {
    let base = about.meta(position);
    let files = output.begin(&base.game, &base.search);
    let watch = Stopwatch::start();
    let meta = |report: &Report<G::Move>| Meta {
        iterations: report.iterations,
        nodes: report.nodes,
        milliseconds: watch.elapsed().as_millis() as u64,
        ..base.clone()
    };
    let mut look = |tree: &dyn crate::search::LiveTree<G>, report: &Report<G::Move>| {
        if files.is_idle() {
            files.snapshot(tree.copy(), meta(report));
        }
    };
    let snapshots = output.settings().every.map(|every| Snapshots {
        every,
        look: &mut look,
    });
    let choice = search.choose(Task {
        snapshots,
        observer: files.observer(),
        ..Task::new(position, history, about.limits, &Stop::new())
    });
    let mut chosen = String::new();
    let _ = position.write_move(choice.best, notation::Style::Own, &mut chosen);
    let meta = Meta {
        is_final: true,
        chosen: Some(chosen),
        ..meta(&choice.report)
    };
    if let Some(tree) = search.tree() {
        files.finish(tree.copy(), meta);
    }
    choice.best
}

impl About<'_> {
    fn meta<G: Playable>(&self, position: &G) -> Meta {
        let mut text = String::new();
        let _ = position.write_position(notation::Style::Own, &mut text);
        let parameters: BTreeMap<String, String> = PARAMETERS
            .iter()
            .filter_map(|parameter| {
                (parameter.get)(self.spec).map(|value| (parameter.name.to_owned(), value))
            })
            .collect();
        let whole = |name: &str| parameters.get(name).and_then(|value| value.parse().ok());
        Meta {
            game: name_of(position),
            position: text,
            ply: self.ply,
            to_move: if position.to_move() == Player::First {
                1
            } else {
                2
            },
            search: self.name.split(',').next().unwrap_or_default().to_owned(),
            seed: whole("seed").unwrap_or(0),
            threads: whole("threads").unwrap_or(1) as u32,
            parameters,
            limits: LimitsMeta {
                iterations: self.limits.iterations,
                nodes: self.limits.nodes,
                depth: self.limits.depth,
                milliseconds: self.limits.time.map(|time| time.as_millis() as u64),
            },
            ..Meta::default()
        }
    }
}
