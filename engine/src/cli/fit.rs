//! `canopy-engine fit`: finds the weights of a game's evaluation from games that a search plays against itself.

use std::{
    fmt::Write as _,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    time::Duration,
};

use clap::Args;

use super::{
    CliError, PositionCommand, game_help, game_name, progress::Progress, stop, with_position,
};
use crate::{
    catalog::{self, Spec},
    games::{
        Playable,
        linear::{FitTarget, FittedEvaluation, WeightsFile},
    },
    runs::halt::Halt,
    search::StopFlag,
    tree::files::write_atomic_synced,
};
use regression::{Regression, Samples};
use self_play::SelfPlay;

mod regression;
mod self_play;

#[derive(Args)]
pub(super) struct FitArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    /// Games to play
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    games: u64,
    /// The search that plays them against itself, with parameters after commas
    #[arg(long, value_name = "SEARCH", default_value = "deepening,ties=random")]
    search: String,
    /// Nodes of each of its searches
    #[arg(long, value_name = "NODES", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Random plies before the search takes over, on average; from none to twice as many
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=1000))]
    opening: u32,
    /// How strongly weights are drawn to what they were before the fit: as if so many positions spoke for that
    #[arg(long, value_name = "POSITIONS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..))]
    shrink: u32,
    /// Steps of the regression
    #[arg(long, value_name = "COUNT", default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,
    /// Which games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time; the weights do not depend on it
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    concurrency: u64,
    /// The file of weights to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Of so many games one is kept aside, to measure the weights by.
const HELD_OUT: u64 = 10;
/// How often signals are looked for while games are played.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(super) fn run(arguments: &FitArgs, out: &mut dyn Write) -> Result<(), CliError> {
    with_position(&arguments.game, "startpos", arguments, out)
}

impl PositionCommand for &FitArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let fitted = G::FITTED.ok_or_else(|| {
            CliError::Usage(format!("{} has no evaluation with weights to fit", G::NAME))
        })?;
        let spec = catalog::parse::<G>(&self.search)?;
        check_directory(&self.out)?;
        writeln!(
            out,
            "{}, evaluation {}: {} features, {} knots",
            game_name(&start),
            fitted.evaluation,
            fitted.feature_count(),
            fitted.knots
        )?;
        out.flush()?;
        let halt = Halt::new();
        stop::on_signals(&halt)?;
        let [learned, held_out] = play_games(&start, &fitted, &spec, self, &halt)?;
        writeln!(
            out,
            "{} positions of {} games, {} of them held out",
            learned.len() + held_out.len(),
            self.games,
            held_out.len()
        )?;
        if learned.len() == 0 {
            return Err(CliError::Failed(
                "no game reached a position to learn from: try a shorter --opening".to_owned(),
            ));
        }
        let mut regression = new_regression(&fitted, self.shrink);
        if fitted.target == FitTarget::Outcome && fitted.prior.is_some() {
            regression.scale = regression.best_scale(&learned);
            writeln!(out, "scale {:.4} a point", regression.scale)?;
        }
        out.flush()?;
        let weights = fit(&regression, &learned, self.rounds, &halt)?;
        for (name, samples) in [("learned from", &learned), ("held out", &held_out)] {
            writeln!(
                out,
                "loss on the games {name}: {:.5} before, {:.5} after",
                regression.mean_loss(&regression.prior, samples),
                regression.mean_loss(&weights, samples)
            )?;
        }
        let positions = learned.len() + held_out.len();
        let bytes = match fitted.file {
            WeightsFile::Rust(_) => rust_file(&fitted, self, positions, &weights).into_bytes(),
            WeightsFile::Binary(_) => rounded(&weights).flat_map(i16::to_le_bytes).collect(),
        };
        write_atomic_synced(&self.out, |file| file.write_all(&bytes))
            .map_err(|error| CliError::Failed(format!("{}: {error}", self.out.display())))?;
        let (WeightsFile::Rust(home) | WeightsFile::Binary(home)) = fitted.file;
        writeln!(
            out,
            "{} written; the engine is built with {home}",
            self.out.display()
        )?;
        Ok(())
    }
}

/// Fails before hours of play rather than after them.
fn check_directory(file: &Path) -> Result<(), CliError> {
    let directory = match file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() || file.is_dir() {
        return Err(CliError::Usage(format!(
            "{} cannot be written: --out needs a file in a directory that exists",
            file.display()
        )));
    }
    Ok(())
}

/// Plays the games; the positions to learn from, and those held out, in the order of the games.
fn play_games<G: Playable>(
    start: &G,
    fitted: &FittedEvaluation<G>,
    spec: &Spec,
    arguments: &FitArgs,
    halt: &Halt,
) -> Result<[Samples; 2], CliError> {
    let stop = StopFlag::new();
    let play = SelfPlay {
        start,
        fitted,
        spec,
        arguments,
        stop: &stop,
    };
    let mut progress = Progress::new("games");
    progress.begin(arguments.games, 0);
    let next = AtomicU64::new(0);
    let (sender, finished) = mpsc::channel();
    let mut games: Vec<Option<Samples>> = (0..arguments.games).map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..arguments.concurrency {
            let (sender, next, play) = (sender.clone(), &next, &play);
            scope.spawn(move || {
                loop {
                    let game = next.fetch_add(1, Relaxed);
                    if game >= arguments.games || play.stop.is_set() {
                        return;
                    }
                    let _ = sender.send((game, play.play(game)));
                }
            });
        }
        drop(sender);
        let mut played = 0;
        loop {
            if halt.is_requested() {
                stop.set();
            }
            match finished.recv_timeout(POLL_INTERVAL) {
                Ok((game, samples)) => {
                    games[game as usize] = Some(samples);
                    played += 1;
                    progress.advance_to(played);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => progress.tick(),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    progress.finish();
    if halt.is_requested() {
        return Err(interrupted());
    }
    let mut sets = [Samples::default(), Samples::default()];
    for (game, samples) in (0..).zip(games.into_iter().flatten()) {
        sets[usize::from(game % HELD_OUT == HELD_OUT - 1)].append(samples);
    }
    Ok(sets)
}

fn interrupted() -> CliError {
    super::print_message(
        "interrupted: no weights are written; the same command plays the same games again",
    );
    CliError::Interrupted
}

fn new_regression<G: Playable>(fitted: &FittedEvaluation<G>, shrink: u32) -> Regression {
    let mut prior = vec![0.0; fitted.feature_count() * fitted.knots];
    if let Some(worth) = fitted.prior {
        for (index, weight) in prior.iter_mut().enumerate() {
            *weight = worth(index / fitted.knots, index % fitted.knots) / 100.0;
        }
    }
    Regression {
        knots: fitted.knots,
        target: fitted.target,
        prior,
        scale: 1.0,
        shrink: shrink.into(),
    }
}

fn fit(
    regression: &Regression,
    samples: &Samples,
    rounds: u32,
    halt: &Halt,
) -> Result<Vec<f64>, CliError> {
    let mut progress = Progress::new("steps");
    progress.begin(rounds.into(), 0);
    let weights = regression.fit(samples, rounds, |round| {
        progress.advance_to(round.into());
        !halt.is_requested()
    });
    progress.finish();
    if halt.is_requested() {
        return Err(interrupted());
    }
    Ok(weights)
}

/// Weights in hundredths of a point.
fn rounded(weights: &[f64]) -> impl Iterator<Item = i16> {
    weights.iter().map(|weight| (100.0 * weight).round() as i16)
}

/// Rows of weights on a line of a Rust file.
const ROWS_PER_LINE: usize = 8;

/// A Rust file with the table of weights, group by group.
fn rust_file<G: Playable>(
    fitted: &FittedEvaluation<G>,
    arguments: &FitArgs,
    positions: usize,
    weights: &[f64],
) -> String {
    let numbers: Vec<String> = rounded(weights).map(|weight| weight.to_string()).collect();
    let mut rows = numbers.chunks(fitted.knots).map(|row| row.join(", "));
    let mut text = format!(
        "//! Weights of {}'s evaluation `{}`, in hundredths of a point: a row for each feature, a column for each knot.\n\
         //! Written by `canopy-engine fit --game {} --games {} --search {} --nodes {} --opening {} --shrink {} --rounds {}\n\
         //! --seed {}`, from {positions} positions.\n\n\
         pub(super) const KNOTS: usize = {};\n\n\
         #[rustfmt::skip]\n\
         pub(super) const WEIGHTS: [[i16; KNOTS]; {}] = [\n",
        G::NAME,
        fitted.evaluation,
        arguments.game,
        arguments.games,
        arguments.search,
        arguments.nodes,
        arguments.opening,
        arguments.shrink,
        arguments.rounds,
        arguments.seed,
        fitted.knots,
        fitted.feature_count(),
    );
    for group in fitted.groups {
        let _ = writeln!(text, "    // {}", group.name);
        let rows: Vec<String> = rows.by_ref().take(group.count).collect();
        for line in rows.chunks(ROWS_PER_LINE) {
            let line: Vec<String> = line.iter().map(|row| format!("[{row}]")).collect();
            let _ = writeln!(text, "    {},", line.join(", "));
        }
    }
    text + "];\n"
}
