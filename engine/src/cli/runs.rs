//! `canopy-engine status`, `merge` and `report`: how far a run is, and what has come of it. They work on run directories of every
//! kind; [`write_outputs`] is where a kind has its own report.

use std::{
    fs,
    io::{self, IsTerminal as _, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use clap::Args;

use super::CliError;
use crate::{
    arena::{
        export,
        match_log::{GameRecord, MatchHeader},
        match_run,
        report::{self, ReportOptions},
        sprt::Sprt,
        tournament::{self, run::TournamentHeader, series::SeriesRecord, standings},
    },
    runs::{
        RunError,
        directory::{self, RunDirectory},
        part::PartHeader,
        plan::RunKind,
        shard::{MAX_SHARDS, Shard},
        status::RunStatus,
        union::Run,
        unix_millis,
    },
};

/// How often `status --watch` looks.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);
/// The host in the names of parts that `merge` makes.
const MERGED_HOST: &str = "merged";
/// Ranges of missing trials that are listed.
const MAX_LISTED_RANGES: usize = 8;

#[derive(Args)]
pub(super) struct StatusArgs {
    /// A directory that was given to --out
    directory: PathBuf,
    /// Number of shards; without it, as many as the newest attempt was one of
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=MAX_SHARDS))]
    shards: Option<u64>,
    /// Show it again every two seconds until all is done
    #[arg(long, conflicts_with_all = ["json", "missing"])]
    watch: bool,
    /// For programs
    #[arg(long, conflicts_with = "missing")]
    json: bool,
    /// Print the shards that are not complete, such as 3,7-8, and nothing else
    #[arg(long)]
    missing: bool,
}

#[derive(Args)]
pub(super) struct MergeArgs {
    /// Directories of one run, such as copies from several machines
    #[arg(required = true, value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// The directory of the joint results; what it has already is joined, too
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Args)]
pub(super) struct ReportArgs {
    /// A directory that was given to --out; several with --summary
    #[arg(required = true, value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Print the verdicts of experiments as one Markdown table, and write nothing
    #[arg(long, conflicts_with_all = ["sprt", "partial", "no_times"])]
    summary: bool,
    /// Put the table of --summary between its marks in this page instead
    #[arg(long, value_name = "PAGE", requires = "summary")]
    into: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// What is written about the results.
#[derive(Args)]
pub(super) struct OutputArgs {
    /// Leave times and dates out of everything that is written: the same results give the same bytes
    #[arg(long)]
    no_times: bool,
    /// Go by what is there though some is missing
    #[arg(long)]
    partial: bool,
    /// Judge a match of two engines by an SPRT, over its games in order, up to the first that is missing
    #[arg(long, value_name = "elo0=0,elo1=5,alpha=0.05,beta=0.05", value_parser = super::matches::parse_sprt)]
    sprt: Option<Sprt>,
}

/// Shows how far a run is.
pub(super) fn run_status(arguments: &StatusArgs, out: &mut dyn Write) -> Result<(), CliError> {
    loop {
        let run = load(&arguments.directory, false)?;
        let count = arguments.shards.unwrap_or_else(|| run.shard_count());
        let status = RunStatus::new(&run, count, unix_millis());
        if arguments.missing {
            writeln!(out, "{}", status.missing_shards)?;
        } else if arguments.json {
            let text = serde_json::to_string_pretty(&status).map_err(io::Error::from)?;
            writeln!(out, "{text}")?;
        } else {
            if arguments.watch && io::stdout().is_terminal() {
                // Clears the screen and begins at its top.
                write!(out, "\u{1b}[H\u{1b}[2J")?;
            }
            out.write_all(status.render().as_bytes())?;
        }
        out.flush()?;
        if !arguments.watch || status.is_complete() {
            return Ok(());
        }
        thread::sleep(WATCH_INTERVAL);
    }
}

/// Joins the results of several directories.
pub(super) fn run_merge(arguments: &MergeArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let mut sources: Vec<&Path> = arguments.directories.iter().map(PathBuf::as_path).collect();
    let is_listed = |path: &&Path| path.canonicalize().ok() == arguments.out.canonicalize().ok();
    if RunDirectory::exists(&arguments.out) && !sources.iter().any(is_listed) {
        sources.push(&arguments.out);
    }
    let mut joined: Option<Run> = None;
    for path in sources {
        match &mut joined {
            None => joined = Some(load(path, true)?),
            Some(run) => add_directory(run, path)?,
        }
    }
    let Some(run) = joined else { return Ok(()) };
    check_complete(&run, arguments.output.partial)?;
    let target = RunDirectory::create(&arguments.out, run.plan().clone())?;
    write_merged_part(&target, &run)?;
    write_outputs(&arguments.out, &run, &arguments.output, out)
}

/// Writes the records of a run, and prints its report.
pub(super) fn run_report(arguments: &ReportArgs, out: &mut dyn Write) -> Result<(), CliError> {
    match arguments.directories.as_slice() {
        directories if arguments.summary => {
            super::experiment::summarise(directories, arguments.into.as_deref(), out)
        }
        [directory] => {
            let run = load(directory, true)?;
            check_complete(&run, arguments.output.partial)?;
            write_outputs(directory, &run, &arguments.output, out)
        }
        directories => Err(CliError::Usage(format!(
            "{} directories: expected one, or --summary for a table of all",
            directories.len()
        ))),
    }
}

/// Reads a run directory, or a match of the first release.
fn load(directory: &Path, keeps_results: bool) -> Result<Run, RunError> {
    match RunDirectory::open(directory) {
        Ok(found) => found.load(keeps_results),
        Err(RunError::NoRun(_)) => match_run::load_first_release(directory),
        Err(error) => Err(error),
    }
}

/// Adds what a directory has to a run, if it is of the same run.
fn add_directory(run: &mut Run, directory: &Path) -> Result<(), RunError> {
    let other = load(directory, true)?;
    if let Some(difference) = other.plan().first_difference(run.plan()) {
        return Err(RunError::OtherRun {
            path: directory.display().to_string(),
            kind: other.plan().kind,
            difference,
        });
    }
    match RunDirectory::exists(directory) {
        true => run.add_directory(directory),
        false => match_run::add_first_release(run, directory),
    }
}

/// Fails if trials are missing, unless a partial result is asked for.
fn check_complete(run: &Run, is_partial_allowed: bool) -> Result<(), CliError> {
    let missing = run.missing();
    if missing.is_empty() || is_partial_allowed {
        return Ok(());
    }
    let (kind, total, count) = (run.plan().kind, run.total(), run.shard_count());
    let names = kind.trial_names();
    let shards = match count {
        1 => String::new(),
        count => format!(", of shards {} of {count}", run.missing_shards(count)),
    };
    Err(CliError::Failed(format!(
        "{} of {total} {names} are missing{shards}: {names} {}; run the missing ones, or use what is there with --partial",
        missing.count(),
        missing.shortened(MAX_LISTED_RANGES)
    )))
}

/// Writes everything that is known into one part, and removes the parts that earlier calls made so.
fn write_merged_part(target: &RunDirectory, run: &Run) -> Result<(), CliError> {
    let old = directory::part_files(target.path())?;
    let newest = run.newest_attempt();
    let header = PartHeader {
        host: MERGED_HOST.to_owned(),
        ..PartHeader::new(
            &run.plan().digest,
            Shard::WHOLE,
            run.asked_trials(),
            newest
                .map(|attempt| attempt.header.terms.clone())
                .unwrap_or_default(),
        )
    };
    let mut part = target.start_part_with(header)?;
    for (trial, time, result) in run.raw_results() {
        part.append_raw(trial, time, result.to_owned())?;
    }
    match run.missing().is_empty() {
        true => part.finish(newest.and_then(|attempt| attempt.end?.decided))?,
        false => part.sync(true)?,
    }
    let is_merged = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.contains(&format!(".{MERGED_HOST}-"))
    };
    for path in old.iter().filter(is_merged) {
        fs::remove_file(path).map_err(|error| RunError::io(path, error))?;
    }
    Ok(())
}

/// Writes the files that are made of a run's results, and prints the report: the one place that knows the kinds of runs.
fn write_outputs(
    directory: &Path,
    run: &Run,
    arguments: &OutputArgs,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    match run.plan().kind {
        RunKind::Match => write_match_outputs(directory, run, arguments, out),
        RunKind::Experiment => {
            refuse_sprt(arguments, run.plan().kind)?;
            super::experiment::write_outputs(directory, run, arguments.no_times, out)
        }
        RunKind::Tournament => write_tournament_outputs(directory, run, arguments, out),
    }
}

fn write_match_outputs(
    directory: &Path,
    run: &Run,
    arguments: &OutputArgs,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let header = run.plan().read_content::<MatchHeader>(directory)?;
    let records = match_run::records_of(run, &header)?;
    let sprt = arguments.sprt.or(match_run::terms_of(run).sprt);
    if sprt.is_some() && header.engines.len() != 2 {
        let engines = header.engines.len();
        return Err(CliError::Usage(format!(
            "--sprt with {engines} engines: expected two"
        )));
    }
    let options = report_options(run, arguments, &header, sprt);
    write_match(directory, &header, &records, &options)?;
    out.write_all(report::render(&header, &records, &options).as_bytes())?;
    Ok(())
}

/// Only matches can be judged by an SPRT.
fn refuse_sprt(arguments: &OutputArgs, kind: RunKind) -> Result<(), CliError> {
    let article = match kind {
        RunKind::Experiment => "an",
        _ => "a",
    };
    match arguments.sprt {
        None => Ok(()),
        Some(_) => Err(CliError::Usage(format!(
            "--sprt on {article} {kind}: expected a match of two engines"
        ))),
    }
}

fn write_tournament_outputs(
    directory: &Path,
    run: &Run,
    arguments: &OutputArgs,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    refuse_sprt(arguments, run.plan().kind)?;
    let header = run.plan().read_content::<TournamentHeader>(directory)?;
    let records = tournament::run::records_of(run, &header)?;
    let options = report_options(run, arguments, &header.header, None);
    write_tournament(directory, &header, &records, &options)?;
    out.write_all(standings::render(&header, &records, &options).as_bytes())?;
    Ok(())
}

/// What a report says besides the results.
fn report_options(
    run: &Run,
    arguments: &OutputArgs,
    header: &MatchHeader,
    sprt: Option<Sprt>,
) -> ReportOptions {
    let mut remarks = report::stale_engines(header);
    if !run.plan().repeatable && run.repeated_count() > 0 {
        let (count, names) = (run.repeated_count(), run.plan().kind.trial_names());
        remarks.push(format!(
            "{count} {names} were played more than once: the earliest counts"
        ));
    }
    ReportOptions {
        without_times: arguments.no_times,
        partial_of: (!run.missing().is_empty()).then(|| run.total()),
        sprt,
        remarks,
    }
}

/// Writes the records of a tournament.
pub(super) fn write_tournament(
    directory: &Path,
    header: &TournamentHeader,
    records: &[SeriesRecord],
    options: &ReportOptions,
) -> Result<(), CliError> {
    standings::write_all(directory, header, records, options)
        .map_err(|error| RunError::io(&directory.join(standings::RESULTS_FILE), error).into())
}

/// Writes the records of a match.
pub(super) fn write_match(
    directory: &Path,
    header: &MatchHeader,
    records: &[GameRecord],
    options: &ReportOptions,
) -> Result<(), CliError> {
    export::write_all(directory, header, records, options)
        .map_err(|error| RunError::io(&directory.join("games.csv"), error).into())
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match &error {
            RunError::Io { .. } if error.is_temporary() => Self::Temporary(error.to_string()),
            RunError::Io { .. } | RunError::Disagreement { .. } => Self::Failed(error.to_string()),
            _ => Self::Usage(error.to_string()),
        }
    }
}
