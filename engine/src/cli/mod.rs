//! The command line: parses flags, calls one function, turns an error into a message and an exit code.
//!
//! Exit codes: 0 success (also if the reader of the output has closed it), 1 failure, 2 wrong command line or input, 75 a
//! failure that may pass, such as a full disk, 130 stopped by a signal.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, CommandFactory as _, Parser, Subcommand};

use crate::{
    catalog::{self, CatalogError},
    games::{self, Notation, ParseError, Playable, Visitor, notation},
    protocol::options,
    search::Search,
    tree::{Tree, TreeError},
};

mod bench;
mod book;
mod check;
mod columns;
mod convert;
mod duel;
mod experiment;
mod explain;
mod fit;
mod grow;
mod import;
mod inspect;
mod judge;
pub mod manual;
mod matches;
mod perft;
mod progress;
mod runs;
mod searches;
mod serve;
mod show;
mod solve;
mod stop;
mod suite;
mod tournament;
mod tree_args;
mod watch;

#[derive(Parser)]
#[command(
    name = "canopy-engine",
    version,
    about = "Plays five board games and shows how it thinks",
    long_about = "Plays five board games and shows how it thinks. Without a command it serves other programs on standard \
        input and output, in UCI, UGI, GTP or NBoard.",
    after_long_help = options::help(),
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    serve: serve::ServeArgs,
}

#[derive(Subcommand)]
enum CliCommand {
    /// Count the lines of play of a given depth, to check the rules against published numbers
    Perft(perft::PerftArgs),
    /// Draw a position with its legal moves, side to move and result
    Show(show::ShowArgs),
    /// List the searches, or the parameters of one
    Searches(searches::SearchesArgs),
    /// Play games between two searches, without processes and protocols
    Duel(duel::DuelArgs),
    /// Play a match between engine processes
    Match(Box<matches::MatchArgs>),
    /// Run published experiments again, or your own from a file
    Experiment(experiment::ExperimentArgs),
    /// Play a tournament that a file describes: report 001's config.json, or any game and searches
    Tournament(tournament::TournamentArgs),
    /// Show how far a run is, shard by shard
    Status(runs::StatusArgs),
    /// Join the results of a run from several directories
    Merge(runs::MergeArgs),
    /// Write the records of a run, and show its table
    Report(runs::ReportArgs),
    /// Solve positions: the value under best play, of every move, and a best line
    Solve(solve::SolveArgs),
    /// Judge searches by the exact values of positions
    Judge(judge::JudgeArgs),
    /// Make positions with exact values, for judging searches
    Suite(suite::SuiteArgs),
    /// Find the weights of a game's evaluation from games that a search plays against itself
    Fit(fit::FitArgs),
    /// Search and write the search trees to a directory
    Grow(grow::GrowArgs),
    /// Make a tree file of another program's: nested JSON, JSON Lines, DOT
    Import(Box<import::ImportArgs>),
    /// Turn a tree file into one of another format
    Convert(convert::ConvertArgs),
    /// Describe and check a tree file
    Inspect(inspect::InspectArgs),
    /// Say why a search prefers one move to another, from its tree file
    Explain(explain::ExplainArgs),
    /// Check whether an engine keeps to its protocol, step by step
    Check(check::CheckArgs),
    /// Make trees of what any engine says while it thinks
    Watch(watch::WatchArgs),
    /// Make an opening book of exact values, or show one
    Book(book::BookArgs),
    /// Measure speed, and check that searches have not changed
    Bench(bench::BenchArgs),
    /// Write the manual pages
    Man(manual::ManArgs),
    /// Write the completions for a shell
    Completions(manual::CompletionsArgs),
}

/// Which game, and where in it.
#[derive(Args)]
struct PositionArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    #[command(flatten)]
    position: PositionText,
}

/// A position of a game that is known already.
#[derive(Args)]
struct PositionText {
    /// The position, as the game writes it; without it, the start of the game
    #[arg(
        long,
        value_name = "POSITION",
        default_value = "startpos",
        allow_hyphen_values = true
    )]
    position: String,
}

/// A position, and moves from there.
#[derive(Args)]
struct LineArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Moves to play first, with blanks between them; othello's f5d6c3 and connect four's 4453 may stand together
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        allow_hyphen_values = true
    )]
    moves: String,
}

fn game_help() -> String {
    let names = games::NAMES.join(", ");
    format!("The game: {names}; a variant after a colon, such as kalah:4x3 or delta:forced")
}

/// Errors by who can fix them.
#[derive(Debug, thiserror::Error)]
enum CliError {
    #[error(transparent)]
    Input(#[from] ParseError),
    #[error(transparent)]
    Search(#[from] CatalogError),
    #[error("{0}")]
    Usage(String),
    #[error("{path}: {error}")]
    File { path: String, error: TreeError },
    #[error("{0}")]
    Failed(String),
    /// The same command may succeed later.
    #[error("{0}")]
    Temporary(String),
    #[error("interrupted")]
    Interrupted,
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl CliError {
    fn file(path: &Path, error: TreeError) -> Self {
        Self::File {
            path: path.display().to_string(),
            error,
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::Search(_) | Self::Usage(_) => 2,
            Self::File { error, .. } if !matches!(error, TreeError::Io(_)) => 2,
            // EX_TEMPFAIL of sysexits.h, by which batch systems know that trying again may help.
            Self::Temporary(_) => 75,
            // As shells have it for a program that Ctrl-C ended.
            Self::Interrupted => 130,
            _ => 1,
        }
    }
}

impl From<manual::ManualError> for CliError {
    fn from(error: manual::ManualError) -> Self {
        match error {
            manual::ManualError::Output(error) => Self::Output(error),
            page => Self::Failed(page.to_string()),
        }
    }
}

/// Prints a message to standard error, apart from the output. A failure to write it is ignored: standard error may be a file
/// on the full disk in question.
fn print_message(message: &str) {
    let lines: Vec<_> = message.lines().map(notation::escape_invisible).collect();
    let text = format!("canopy-engine: {}\n", lines.join("\n"));
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Prints how many nodes a tree has that was written to a file.
fn write_node_count(out: &mut dyn io::Write, path: &Path, tree: &Tree) -> io::Result<()> {
    writeln!(out, "{}: {} nodes", path.display(), tree.nodes().len())
}

/// Warns about parameters that this machine does not support as requested.
fn print_remarks(search: &str) {
    catalog::warnings(search)
        .iter()
        .for_each(|text| print_message(text));
}

/// Warns about resources that a search has less of than requested.
fn print_shortfalls<G: Playable>(search: &dyn Search<G>) {
    let shortfalls = search.shortfalls();
    shortfalls
        .iter()
        .for_each(|short| print_message(&short.to_string()));
}

/// Runs the program with these arguments, the first being its own name. `engine_arguments` are the words by which a program
/// that embeds this one runs it.
pub fn main(arguments: impl IntoIterator<Item = OsString>, engine_arguments: &[&str]) -> ExitCode {
    ignore_file_size_signal();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let mut out = io::stdout().lock();
    let Some(command) = cli.command else {
        return to_exit_code(serve::run(&cli.serve, &mut out));
    };
    let result = match command {
        CliCommand::Perft(arguments) => perft::run(&arguments, &mut out),
        CliCommand::Show(arguments) => show::run(&arguments, &mut out),
        CliCommand::Searches(arguments) => searches::run(&arguments, &mut out),
        CliCommand::Duel(arguments) => duel::run(&arguments, &mut out),
        CliCommand::Match(arguments) => {
            matches::run(&arguments, &own_command(engine_arguments), &mut out)
        }
        CliCommand::Experiment(arguments) => {
            experiment::run(&arguments, &own_command(engine_arguments), &mut out)
        }
        CliCommand::Tournament(arguments) => {
            tournament::run(&arguments, &own_command(engine_arguments), &mut out)
        }
        CliCommand::Status(arguments) => runs::run_status(&arguments, &mut out),
        CliCommand::Merge(arguments) => runs::run_merge(&arguments, &mut out),
        CliCommand::Report(arguments) => runs::run_report(&arguments, &mut out),
        CliCommand::Solve(arguments) => solve::run(&arguments, &mut out),
        CliCommand::Judge(arguments) => judge::run(&arguments, &mut out),
        CliCommand::Suite(arguments) => suite::run(&arguments, &mut out),
        CliCommand::Fit(arguments) => fit::run(&arguments, &mut out),
        CliCommand::Grow(arguments) => grow::run(&arguments, &mut out),
        CliCommand::Import(arguments) => import::run(&arguments, &mut out),
        CliCommand::Convert(arguments) => convert::run(&arguments, &mut out),
        CliCommand::Inspect(arguments) => inspect::run(&arguments, &mut out),
        CliCommand::Explain(arguments) => explain::run(&arguments, &mut out),
        CliCommand::Check(arguments) => check::run(&arguments, &mut out),
        CliCommand::Watch(arguments) => watch::run(&arguments, &mut out),
        CliCommand::Book(arguments) => book::run(&arguments, &mut out),
        CliCommand::Bench(arguments) => bench::run(&arguments, &mut out),
        CliCommand::Man(arguments) => {
            manual::run_man(Cli::command(), &arguments, &mut out).map_err(CliError::from)
        }
        CliCommand::Completions(arguments) => {
            manual::run_completions(Cli::command(), &arguments, &mut out).map_err(CliError::from)
        }
    };
    to_exit_code(result)
}

/// A file that grows beyond a limit of the process is an error of that file, and no reason to be killed (SIGXFSZ).
fn ignore_file_size_signal() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(
        signal_hook::consts::SIGXFSZ,
        std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false)),
    );
}

/// The command that starts this program. Where the system does not tell its path, it is the word by which it was started.
fn own_command(engine_arguments: &[&str]) -> Vec<String> {
    let by_name = || std::env::args_os().next().map(PathBuf::from);
    let program =
        (std::env::current_exe().ok().or_else(by_name)).unwrap_or_else(|| "canopy-engine".into());
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(engine_arguments.iter().map(|&word| word.to_owned()));
    words
}

fn to_exit_code(result: Result<(), CliError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            // An interrupted command has reported its state already.
            if !matches!(error, CliError::Interrupted) {
                print_message(&error.to_string());
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// A piece of work on one position, whatever the game.
trait PositionCommand {
    fn run<G: Playable>(self, position: G, out: &mut dyn io::Write) -> Result<(), CliError>;
}

impl PositionArgs {
    fn with_position<W: PositionCommand>(
        &self,
        work: W,
        out: &mut dyn io::Write,
    ) -> Result<(), CliError> {
        with_position(&self.game, &self.position.position, work, out)
    }
}

/// Runs `work` on the position that `text` describes in the game called `game`.
fn with_position<W: PositionCommand>(
    game: &str,
    text: &str,
    work: W,
    out: &mut dyn io::Write,
) -> Result<(), CliError> {
    struct ParsePosition<'a, W> {
        text: &'a str,
        work: W,
        out: &'a mut dyn io::Write,
    }
    impl<W: PositionCommand> Visitor for ParsePosition<'_, W> {
        type Out = Result<(), CliError>;

        fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
            let position = notation::read_position::<G>(rules, self.text)?;
            self.work.run(position, self.out)
        }
    }
    games::with_game(game, ParsePosition { text, work, out })?
}

/// The name of a position's game, with its variant.
fn game_name<G: Notation>(position: &G) -> String {
    notation::full_name::<G>(position.rules())
}
