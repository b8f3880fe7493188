//! The command line: flags become typed values, one function is called, an error becomes a sentence and an exit code.
//!
//! Exit codes: 0 done (a reader that went away counts as done), 1 something failed on the way, 2 the command line or
//! the input was wrong, 75 somebody else is at it and the same command may be tried again later, 130 stopped by a signal.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};

use crate::{
    catalog::{self, CatalogError},
    games::{self, Notation, ParseError, Playable, Visitor, notation},
    protocol::options,
    search::Search,
    tree::TreeError,
};

mod bench;
mod columns;
mod convert;
mod duel;
mod grow;
mod inspect;
mod matches;
mod perft;
mod searches;
mod serve;
mod show;
mod tree_args;

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
    /// Count the ways to play so many plies, to check the rules against published numbers
    Perft(perft::PerftArgs),
    /// Draw a position with its legal moves, side to move and result
    Show(show::ShowArgs),
    /// List the searches, or what can be set about one
    Searches(searches::SearchesArgs),
    /// Play games between two searches, without processes and protocols
    Duel(duel::DuelArgs),
    /// Play a match between engine processes
    Match(Box<matches::MatchArgs>),
    /// Write the records of a match again, and show its table
    Report(matches::ReportArgs),
    /// Search and write the search trees to a directory
    Grow(grow::GrowArgs),
    /// Turn a tree file into one of the other format
    Convert(convert::ConvertArgs),
    /// Say what is in a tree file, and what does not add up
    Inspect(inspect::InspectArgs),
    /// Measure speed, and check that searches do what they did
    Bench(bench::BenchArgs),
}

/// Which game, and where in it.
#[derive(Args)]
struct PositionArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    /// The position, as the game writes it; without it, the start of the game
    #[arg(
        long,
        value_name = "POSITION",
        default_value = "startpos",
        allow_hyphen_values = true
    )]
    position: String,
}

fn game_help() -> String {
    let names = games::NAMES.join(", ");
    format!("The game: {names}; a variant after a colon, such as kalah:4x3 or delta:forced")
}

/// What can go wrong, by whose fault it is.
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
    /// Somebody else is at it; later it may go well.
    #[error("{0}")]
    Busy(String),
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
            Self::Busy(_) => 75,
            // As shells have it for a program that Ctrl-C ended.
            Self::Interrupted => 130,
            _ => 1,
        }
    }
}

/// Says something on the side, where it does not disturb the output. If that cannot be written either, nothing is said:
/// standard error may be a file on the full disk that is spoken of.
fn print_message(message: &str) {
    let lines: Vec<_> = message.lines().map(notation::escape_invisible).collect();
    let text = format!("canopy-engine: {}\n", lines.join("\n"));
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Says what this machine does not have of what a search is asked for.
fn print_remarks(search: &str) {
    catalog::warnings(search)
        .iter()
        .for_each(|text| print_message(text));
}

/// Says what a search has less of than was asked for.
fn print_shortfalls<G: Playable>(search: &dyn Search<G>) {
    let shortfalls = search.shortfalls();
    shortfalls
        .iter()
        .for_each(|short| print_message(&short.to_string()));
}

/// Runs the program with these arguments, the first being its own name. `within` are the words by which another program
/// that carries this one is told to run it.
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
        CliCommand::Report(arguments) => matches::run_report(&arguments, &mut out),
        CliCommand::Grow(arguments) => grow::run(&arguments, &mut out),
        CliCommand::Convert(arguments) => convert::run(&arguments, &mut out),
        CliCommand::Inspect(arguments) => inspect::run(&arguments, &mut out),
        CliCommand::Bench(arguments) => bench::run(&arguments, &mut out),
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

/// The command that starts this program.
fn own_command(engine_arguments: &[&str]) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| "canopy-engine".into());
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
            // Who said stop has been told what came of it.
            if !matches!(error, CliError::Interrupted) {
                print_message(&error.to_string());
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// A piece of work on one position, whatever the game.
trait PositionCommand {
    fn run<G: Playable>(self, position: G) -> Result<(), CliError>;
}

impl PositionArgs {
    fn with_position<W: PositionCommand>(&self, work: W) -> Result<(), CliError> {
        with_position(&self.game, &self.position, work)
    }
}

/// Runs `work` on the position that `text` describes in the game called `game`.
fn with_position<W: PositionCommand>(game: &str, text: &str, work: W) -> Result<(), CliError> {
    struct ParsePosition<'a, W> {
        text: &'a str,
        work: W,
    }
    impl<W: PositionCommand> Visitor for ParsePosition<'_, W> {
        type Out = Result<(), CliError>;

        fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
            self.work
                .run::<G>(notation::read_position(rules, self.text)?)
        }
    }
    games::with_game(game, ParsePosition { text, work })?
}

/// The name of a position's game, with its variant.
fn game_name<G: Notation>(position: &G) -> String {
    notation::full_name::<G>(position.rules())
}
