//! `canopy-engine tournament`: series of games as a file describes them, here or in the viewer's window.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use clap::Args;

use super::{CliError, runs, stop};
use crate::{
    arena::{
        report::ReportOptions,
        tournament::{
            config::TournamentConfig,
            keys,
            run::{self, Tournament, TournamentEvent, TournamentHeader},
            series::SeriesRecord,
            standings,
        },
        viewer_program::{self, NO_VIEWER, VIEWER},
    },
    games::{self, Playable, Visitor},
    rng::entropy_seed,
    runs::{
        RunError,
        directory::{RunDirectory, write_atomically},
        execute::ExecutionEnd,
        halt::Halt,
        shard::Shard,
        union::{MAX_VOIDS, Run},
    },
    search::budget::Stopwatch,
};

/// How often progress is told.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

#[derive(Args)]
pub(super) struct TournamentArgs {
    /// The file, in JSON: report 001's config.json, or one with any game and search
    #[arg(required_unless_present = "schema")]
    config: Option<PathBuf>,
    /// Print the schema of the file, in JSON schema, and exit
    #[arg(long)]
    schema: bool,
    /// Directory of the results; the same command continues a stopped tournament, and several may share the directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Play only shard K of N: every N-th series
    #[arg(long, value_name = "K/N", requires = "out")]
    shard: Option<Shard>,
    /// Series at a time
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    concurrency: u64,
    /// Play in the terminal, whatever the file says about a window
    #[arg(long)]
    terminal: bool,
}

/// Plays a tournament. `own` starts this program as an engine.
pub(super) fn run(
    arguments: &TournamentArgs,
    own: &[String],
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if arguments.schema {
        writeln!(out, "{:#}", keys::schema())?;
        return Ok(());
    }
    let path = arguments.config.as_deref().unwrap_or(Path::new(""));
    let config = read_config(path)?;
    if config.wants_window()
        && let Some(viewer) = window_program(arguments, &config, path)?
    {
        return run_viewer(&viewer, path, arguments.out.as_deref());
    }
    let own = run::own_command(own, &config.game);
    let play = PlayVisitor {
        arguments,
        config: &config,
        own: &own,
        out,
    };
    games::with_game(&config.game, play)?
}

/// Reads a file; all its mistakes are told at once.
fn read_config(path: &Path) -> Result<TournamentConfig, CliError> {
    let shown = path.display();
    let text =
        fs::read_to_string(path).map_err(|error| CliError::Usage(format!("{shown}: {error}")))?;
    TournamentConfig::parse(&text).map_err(|problems| {
        let mistakes = match problems.0.len() {
            1 => "one mistake".to_owned(),
            count => format!("{count} mistakes"),
        };
        let lines = problems.to_string().replace('\n', "\n  ");
        CliError::Usage(format!("{shown}: {mistakes}\n  {lines}"))
    })
}

/// The viewer that is to play a tournament, or none if it is played here, for which the reason is told.
fn window_program(
    arguments: &TournamentArgs,
    config: &TournamentConfig,
    path: &Path,
) -> Result<Option<PathBuf>, CliError> {
    let viewer = match (arguments.terminal, arguments.shard, arguments.concurrency) {
        (true, ..) => Err("--terminal is given"),
        (_, Some(_), _) => Err("a window does not play shards"),
        (_, None, 2..) => Err("a window plays one game at a time"),
        _ if !has_display() => Err("there is no display"),
        _ => viewer_program::find().ok_or(NO_VIEWER),
    };
    match viewer {
        Ok(viewer) => Ok(Some(viewer)),
        Err(reason) if config.has_people() => Err(CliError::Usage(format!(
            "a user takes part, who needs a window, but {reason}: expected {VIEWER} tournament {} on a machine with a display",
            path.display()
        ))),
        Err(reason) => {
            if !arguments.terminal {
                super::print_message(&format!(
                    "{reason}: the tournament is played here, without a window"
                ));
            }
            Ok(None)
        }
    }
}

/// Whether windows can be shown, as far as the environment says.
fn has_display() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Plays a tournament in the viewer's window, and ends as it does.
fn run_viewer(viewer: &Path, config: &Path, out: Option<&Path>) -> Result<(), CliError> {
    let mut command = Command::new(viewer);
    command.arg("tournament").arg(config);
    if let Some(directory) = out {
        command.arg("--out").arg(directory);
    }
    let failed = |text: String| CliError::Failed(format!("{}: {text}", viewer.display()));
    let status = command
        .status()
        .map_err(|error| failed(error.to_string()))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(CliError::Usage(format!("{VIEWER} could not play it"))),
        Some(130) => Err(CliError::Interrupted),
        _ => Err(failed(status.to_string())),
    }
}

/// Plays a tournament at its game.
struct PlayVisitor<'a> {
    arguments: &'a TournamentArgs,
    config: &'a TournamentConfig,
    own: &'a [String],
    out: &'a mut dyn Write,
}

impl Visitor for PlayVisitor<'_> {
    type Out = Result<(), CliError>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let (config, arguments) = (self.config, self.arguments);
        let halt = Halt::new();
        stop::on_signals(&halt)?;
        check_writable(config.output_file.as_deref())?;
        let seed = config.seed.unwrap_or_else(entropy_seed);
        let mut header = TournamentHeader::new(config, self.own, seed);
        let series = header.schedule(config.repetitions).count();
        let store = match &arguments.out {
            Some(path) => {
                let directory = header.open_directory(path, config)?;
                let run = directory.load(true)?;
                Some((directory, run))
            }
            None => None,
        };
        let usage = |error: run::TournamentError| CliError::Usage(error.to_string());
        let concurrency = arguments.concurrency as usize;
        let tournament =
            Tournament::<G>::new(config, &header, self.own, rules, concurrency).map_err(usage)?;
        let attempt = Attempt {
            config,
            header: &header,
            series,
            shard: arguments.shard.unwrap_or(Shard::WHOLE),
            store,
            halt: &halt,
        };
        attempt.play(&tournament, self.out)
    }
}

/// Fails now rather than after the last game if the file of results cannot be written.
fn check_writable(output: Option<&Path>) -> Result<(), CliError> {
    let Some(path) = output else { return Ok(()) };
    let opened = fs::OpenOptions::new().append(true).create(true).open(path);
    opened
        .map(|_| ())
        .map_err(|error| CliError::Usage(format!("output_file: {}: {error}", path.display())))
}

/// One call of the command.
struct Attempt<'a> {
    config: &'a TournamentConfig,
    header: &'a TournamentHeader,
    /// Number of series of the whole tournament.
    series: u64,
    shard: Shard,
    store: Option<(RunDirectory, Run)>,
    halt: &'a Halt,
}

impl Attempt<'_> {
    /// Plays what is missing of the shard, and shows the table.
    fn play<G: Playable>(
        &self,
        tournament: &Tournament<G>,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let mut records = match &self.store {
            Some((_, run)) => run::records_of(run, self.header)?,
            None => Vec::new(),
        };
        records.retain(|record| record.series <= self.series);
        let is_pending = |series: &u64| match &self.store {
            Some((_, run)) => run.is_pending(*series, self.shard),
            None => true,
        };
        let before = records.len();
        if before > 0 {
            super::print_message(&format!(
                "{before} of {} series are there already",
                self.series
            ));
        }
        let has_work = (1..=self.series).any(|series| is_pending(&series));
        let mut part = match &self.store {
            Some((directory, _)) if has_work => {
                Some(directory.start_part(self.shard, self.series, serde_json::Value::Null)?)
            }
            _ => None,
        };
        let mut progress = Progress::new(self.series, before);
        let end = tournament.play(
            (1..=self.series).filter(is_pending),
            part.as_mut(),
            &mut records,
            self.halt,
            &mut |event| progress.handle_event(&event),
        );
        if let (Some((directory, _)), Some(part)) = (&self.store, part) {
            match &end {
                Ok(ExecutionEnd::AllDone) if part.has_lines() => part.finish(None)?,
                _ => directory.remove_empty_part(part),
            }
        }
        let end = end?;
        self.finish(records, before, end, out)
    }

    /// Writes and shows what has come of it.
    fn finish(
        &self,
        mut records: Vec<SeriesRecord>,
        before: usize,
        end: ExecutionEnd,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let played = records.len() - before;
        // Other shards may have ended meanwhile.
        if let Some((directory, _)) = self.store.as_ref().filter(|_| !self.shard.is_whole()) {
            records = run::records_of(&directory.load(true)?, self.header)?;
        }
        records.sort_by_key(|record| record.series);
        let is_partial = (records.len() as u64) < self.series;
        let options = ReportOptions {
            partial_of: is_partial.then_some(self.series),
            ..ReportOptions::default()
        };
        if let (Some((directory, _)), false) = (&self.store, is_partial) {
            runs::write_tournament(directory.path(), self.header, &records, &options)?;
        }
        if let Some(path) = self.config.output_file.as_deref() {
            let written = standings::results_csv(self.header, &records)
                .and_then(|bytes| write_atomically(path, &bytes));
            written.map_err(|error| CliError::from(RunError::io(path, error)))?;
        }
        match self.shard.is_whole() {
            true => out.write_all(standings::render(self.header, &records, &options).as_bytes())?,
            false => writeln!(
                out,
                "shard {}: {played} series played now, {} of {} are there",
                self.shard,
                records.len(),
                self.series
            )?,
        }
        out.flush()?;
        if end == ExecutionEnd::Halted {
            super::print_message(&format!(
                "stopped after {} of {} series; {}",
                records.len(),
                self.series,
                match &self.store {
                    Some(_) => "the same command goes on from there",
                    None => "they were not kept: --out DIR keeps them",
                }
            ));
            return Err(CliError::Interrupted);
        }
        self.check_void()
    }

    /// Fails if series of the shard were given up.
    fn check_void(&self) -> Result<(), CliError> {
        let Some((_, run)) = &self.store else {
            return Ok(());
        };
        let void = run.void_trials().into_iter().find(|void| {
            void.count >= MAX_VOIDS && self.shard.has_unit(run.plan().units.unit_of(void.trial))
        });
        match void {
            None => Ok(()),
            Some(void) => Err(CliError::Failed(format!(
                "series {} could not be played {} times and was left out: {}",
                void.trial, void.count, void.reason
            ))),
        }
    }
}

/// Progress of a tournament, on standard error.
struct Progress {
    series: u64,
    /// Series that were there before.
    before: usize,
    done: usize,
    stopwatch: Stopwatch,
    last_told: Duration,
}

impl Progress {
    fn new(series: u64, before: usize) -> Self {
        Self {
            series,
            before,
            done: before,
            stopwatch: Stopwatch::start(),
            last_told: Duration::ZERO,
        }
    }

    fn handle_event(&mut self, event: &TournamentEvent<'_>) {
        match event {
            TournamentEvent::Message(text) => super::print_message(text),
            TournamentEvent::SeriesOver(records) => self.done = records.len(),
            TournamentEvent::Tick => {}
        }
        let now = self.stopwatch.elapsed();
        if now < self.last_told + PROGRESS_INTERVAL {
            return;
        }
        self.last_told = now;
        let rate = (self.done - self.before) as f64 / now.as_secs_f64();
        let left = match rate > 0.0 {
            true => {
                let seconds = self.series.saturating_sub(self.done as u64) as f64 / rate;
                format!(", {} left", crate::runs::status::duration_text(seconds))
            }
            false => String::new(),
        };
        super::print_message(&format!("{} of {} series{left}", self.done, self.series));
    }
}
