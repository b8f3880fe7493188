//! `canopy-engine experiment`: published tables run again, and experiments of one's own.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};

use super::{CliError, columns, progress::Progress, stop};
use crate::{
    experiments::{
        beside,
        builtin::{self, BUILTIN},
        document::Problem,
        experiment,
        report::{self, ExperimentTerms},
        run::{Attempt, AttemptEnd, AttemptError, AttemptEvent},
        scale::{RunOptions, Scale},
        schema, summary,
    },
    games::notation::join_words,
    reports::{Report, csv, html, markdown, text},
    runs::{
        RunError,
        directory::{RunDirectory, write_atomically},
        halt::Halt,
        plan::RunKind,
        shard::{NumberList, Shard},
        union::Run,
    },
};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(super) struct ExperimentArgs {
    /// Print the JSON schema of experiments' files, for editors
    #[arg(long)]
    schema: bool,
    #[command(subcommand)]
    command: Option<ExperimentCommand>,
}

#[derive(Subcommand)]
enum ExperimentCommand {
    /// List the experiments that come with the program
    List,
    /// Print the file of an experiment: the beginning of one's own
    Show(ShowArgs),
    /// Run an experiment, or go on with one
    Run(RunArgs),
}

#[derive(Args)]
struct ShowArgs {
    /// The experiment
    name: String,
}

#[derive(Args)]
struct RunArgs {
    /// The name of an experiment that comes with the program, or a file
    #[arg(value_name = "NAME|FILE")]
    experiment: String,
    /// How much of it: full, quick (a hundredth of the trials, small limits), or a factor for the number of trials
    #[arg(long, default_value = "full")]
    scale: Scale,
    /// Games of each pair, or runs of each position, instead of the file's
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: Option<u64>,
    /// Playouts for each move instead of the file's
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Recorded games, .ggf or a move list, instead of games played here; for experiments with series of games
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Do only these trials, such as 5,7-9, even if they were left out before because they were void
    #[arg(long, value_name = "NUMBERS")]
    only: Option<NumberList>,
    /// Trials at a time
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    concurrency: u64,
    /// Directory of the results; the same command goes on with a stopped run, and several may share the directory
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Run only shard K of N. N such commands, on any machines that share the directory, do the whole
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
}

/// Runs a command on experiments. `own` starts this program.
pub(super) fn run(
    arguments: &ExperimentArgs,
    own: &[String],
    out: &mut dyn Write,
) -> Result<(), CliError> {
    match &arguments.command {
        _ if arguments.schema => {
            let text = serde_json::to_string_pretty(&schema::whole()).unwrap_or_default();
            Ok(writeln!(out, "{text}")?)
        }
        None => Ok(()),
        Some(ExperimentCommand::List) => list(out),
        Some(ExperimentCommand::Show(show)) => {
            Ok(out.write_all(find_builtin(&show.name)?.text.as_bytes())?)
        }
        Some(ExperimentCommand::Run(run)) => run_experiment(run, own, out),
    }
}

fn list(out: &mut dyn Write) -> Result<(), CliError> {
    let rows = BUILTIN.iter().map(|builtin| {
        let loaded = experiment::load(builtin.text, &RunOptions::default());
        let about = match loaded {
            Ok(experiment) => {
                let (header, trials) = (&experiment.header, &experiment.trials);
                let (count, unit) = (trials.count(), trials.unit_name());
                format!("{} ({}; {count} {unit})", header.question, header.title)
            }
            Err(_) => String::new(),
        };
        (builtin.name.to_owned(), about)
    });
    let rows: Vec<(String, String)> = rows.collect();
    let text = columns::format_columns(&rows, columns::terminal_width());
    Ok(out.write_all(text.as_bytes())?)
}

fn find_builtin(name: &str) -> Result<&'static builtin::Builtin, CliError> {
    builtin::find(name).ok_or_else(|| {
        let names: Vec<&str> = BUILTIN.iter().map(|builtin| builtin.name).collect();
        let known = join_words(&names, "or");
        CliError::Usage(format!(
            "no experiment is called {name:?}: expected {known}"
        ))
    })
}

/// The text of an experiment that a command names, and the name for the command that repeats it.
fn read(asked: &str) -> Result<(String, String), CliError> {
    if let Some(builtin) = builtin::find(asked) {
        return Ok((builtin.text.to_owned(), asked.to_owned()));
    }
    let path = Path::new(asked);
    let is_path = path.exists() || asked.contains(['/', '.', '\\']);
    if !is_path {
        find_builtin(asked)?;
    }
    let (text, name) = read_text(path)?;
    let directory = path.parent().unwrap_or(Path::new("."));
    let text =
        beside::embed(&text, directory).map_err(|problem| tell_problems(asked, &[problem]))?;
    Ok((text, name))
}

/// The text of a file, and its name without directories.
fn read_text(path: &Path) -> Result<(String, String), CliError> {
    let failed = |problem: &dyn std::fmt::Display| {
        CliError::Usage(format!("cannot read {}: {problem}", path.display()))
    };
    let bytes = fs::read(path).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| failed(&"expected text in UTF-8"))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((text, name.into_owned()))
}

/// The key under which an experiment's file has recorded games.
const RECORDS_KEY: &str = "trials.records.games";

/// Recorded games as the end of an experiment's file, under [`RECORDS_KEY`].
fn records_table(games: &str) -> String {
    let games = toml::Value::String(games.to_owned());
    format!("\n\n[trials.records]\ngames = {games}\n")
}

/// All mistakes of a file, one a line.
fn tell_problems(asked: &str, problems: &[Problem]) -> CliError {
    let lines: Vec<String> = (problems.iter())
        .map(|problem| format!("{asked}, {problem}"))
        .collect();
    CliError::Usage(lines.join("\n"))
}

fn run_experiment(
    arguments: &RunArgs,
    own: &[String],
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let (mut text, mut asked) = read(&arguments.experiment)?;
    if let Some(path) = &arguments.records {
        let (games, name) = read_text(path)?;
        text += &records_table(&games);
        asked += &format!(" --records {name}");
    }
    let options = RunOptions {
        scale: arguments.scale,
        games: arguments.games,
        iterations: arguments.iterations,
    };
    let experiment = experiment::load(&text, &options).map_err(|problems| {
        match (&arguments.records, problems.as_slice()) {
            (Some(path), [problem]) if problem.key == RECORDS_KEY => {
                CliError::Usage(format!("{}: {}", path.display(), problem.text))
            }
            _ => tell_problems(&arguments.experiment, &problems),
        }
    })?;
    let terms = ExperimentTerms {
        file: text,
        asked,
        options,
    };
    let count = experiment.trials.count();
    if let Some(only) = (arguments.only.as_ref()).filter(|only| only.greatest() > count) {
        return Err(CliError::Usage(format!(
            "--only {only}: expected numbers from 1 to {count}"
        )));
    }
    let halt = Halt::new();
    stop::on_signals(&halt)?;
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let attempt = Attempt {
        experiment: &experiment,
        terms: &terms,
        shard,
        only: arguments.only.as_ref(),
        concurrency: arguments.concurrency as usize,
        own_command: own,
    };
    let unit = experiment.trials.unit_name();
    let mut progress = Progress::new(unit);
    let end = attempt.run(&arguments.out, &halt, &mut |event| match event {
        AttemptEvent::Begun { total, done } => {
            if done > 0 {
                let path = arguments.out.display();
                progress.tell(&format!("going on after {done} {unit} that are in {path}"));
            }
            progress.begin(total, done);
        }
        AttemptEvent::Trial { new } => progress.advance_to(new),
        AttemptEvent::Message(text) => progress.tell(text),
        AttemptEvent::Tick => progress.tick(),
    });
    progress.finish();
    show_end(arguments, unit, &end?, out)
}

/// Shows what came of an attempt: the report on a whole run, a line on a shard.
fn show_end(
    arguments: &RunArgs,
    unit: &str,
    end: &AttemptEnd,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let path = arguments.out.display();
    if end.is_halted {
        super::print_message(&format!(
            "stopped after {} of {} {unit}; the same command goes on from there",
            end.done, end.total
        ));
        return Err(CliError::Interrupted);
    }
    let part = match (arguments.shard, &arguments.only) {
        (_, Some(only)) => Some(format!("numbers {only}")),
        (Some(shard), None) if !shard.is_whole() => Some(format!("shard {shard}")),
        _ => None,
    };
    if let Some(part) = &part {
        writeln!(
            out,
            "{part}: {} of {} {unit}, {} of them done now; canopy-engine status {path} shows all shards, canopy-engine report {path} \
             makes the report",
            end.done, end.total, end.new
        )?;
    }
    if let Some(void) = &end.void {
        let next = match end.is_given_up() {
            true => format!("it is left out; --only {} tries it again", void.trial),
            false => "the same command tries again".to_owned(),
        };
        let count = match void.count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        return Err(CliError::Failed(format!(
            "{} of {} {unit} could not be done; number {} was void {count}: {}; {next}",
            end.total - end.done,
            end.total,
            void.trial,
            void.reason
        )));
    }
    if part.is_some() {
        return Ok(());
    }
    let run = RunDirectory::open(&arguments.out)?.load(true)?;
    write_outputs(&arguments.out, &run, false, out)
}

impl From<AttemptError> for CliError {
    fn from(error: AttemptError) -> Self {
        match error {
            AttemptError::Records(error) => error.into(),
            AttemptError::Program(text) => Self::Failed(text),
        }
    }
}

/// Writes the report on a run and the files beside it, and prints it.
pub(super) fn write_outputs(
    directory: &Path,
    run: &Run,
    without_times: bool,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let (report, files) = report::make(run, without_times)?;
    write_report(directory, &report)?;
    for file in files {
        write_file(&directory.join(&file.name), &file.text)?;
    }
    out.write_all(text::text(&report).as_bytes())?;
    let page = directory.join("report.html");
    writeln!(out, "\nThe whole report: {}", page.display())?;
    Ok(())
}

/// Prints the verdicts of several runs as one table, or puts it into a page.
pub(super) fn summarise(
    directories: &[PathBuf],
    page: Option<&Path>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let mut reports = Vec::new();
    for directory in directories {
        let run = RunDirectory::open(directory)?.load(true)?;
        let kind = run.plan().kind;
        if kind != RunKind::Experiment {
            return Err(CliError::Usage(format!(
                "{}: a {kind} is there: expected experiments",
                directory.display()
            )));
        }
        reports.push(report::make(&run, true)?.0);
    }
    let table = summary::table(&reports);
    let Some(path) = page else {
        return Ok(out.write_all(table.as_bytes())?);
    };
    let text = fs::read_to_string(path).map_err(|error| RunError::io(path, error))?;
    let new = summary::insert(&text, &table).ok_or_else(|| {
        CliError::Usage(format!(
            "{}: expected a line {:?} and {:?} below it",
            path.display(),
            summary::BEGIN_MARK,
            summary::END_MARK
        ))
    })?;
    write_file(path, &new)
}

/// Writes a report as a page, as Markdown, as JSON and as tables.
pub(super) fn write_report(directory: &Path, report: &Report) -> Result<(), CliError> {
    write_file(&directory.join("report.html"), &html::page(report))?;
    write_file(&directory.join("report.md"), &markdown::text(report))?;
    let json = serde_json::to_string_pretty(&report.without_times()).unwrap_or_default();
    write_file(&directory.join("report.json"), &(json + "\n"))?;
    let tables = directory.join("tables");
    fs::create_dir_all(&tables).map_err(|error| RunError::io(&tables, error))?;
    let files = csv::files(report);
    for file in &files {
        write_file(&tables.join(&file.name), &file.text)?;
    }
    remove_other_tables(&tables, &files)
}

/// Removes tables of earlier reports on the run that this one does not have.
fn remove_other_tables(tables: &Path, files: &[csv::CsvFile]) -> Result<(), CliError> {
    let failed = |error| RunError::io(tables, error);
    for entry in fs::read_dir(tables).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_table = path.extension().is_some_and(|extension| extension == "csv");
        let name = path.file_name().unwrap_or_default();
        if is_table && !files.iter().any(|file| name == file.name.as_str()) {
            fs::remove_file(&path).map_err(|error| RunError::io(&path, error))?;
        }
    }
    Ok(())
}

fn write_file(path: &Path, text: &str) -> Result<(), CliError> {
    write_atomically(path, text.as_bytes()).map_err(|error| RunError::io(path, error).into())
}
