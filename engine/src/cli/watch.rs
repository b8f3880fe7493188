//! `canopy-engine watch`: makes trees of what any engine says while it thinks.

use std::{io::Write, path::PathBuf, process::ExitStatus};

use clap::Args;

use super::{CliError, print_message, stop};
use crate::{
    arena::{
        engine_config::EngineProtocol,
        time_control::MoveLimits,
        watch::{
            conversation::Conversation,
            driver::{self, DrivenSearch},
            line_board::RootPosition,
            proxy,
            recorder::LineRecorder,
        },
    },
    runs::halt::Halt,
};

#[derive(Args)]
pub(super) struct WatchArgs {
    /// The directory for the trees; made if it is not there
    #[arg(long, value_name = "DIR")]
    trees: PathBuf,
    /// The engine's dialect: uci, ugi or gtp; without it, what the client's first command says (with --go: uci)
    #[arg(long, value_parser = parse_dialect)]
    dialect: Option<EngineProtocol>,
    /// The game; of one that is not ours the trees have names of moves and no board. Without it, what the client and the dialect say
    #[arg(long)]
    game: Option<String>,
    /// Search one position with these limits, such as "depth 12" or "movetime 2000", instead of serving a client
    #[arg(long, value_name = "LIMITS")]
    go: Option<MoveLimits>,
    /// The position to search with --go, as the engine reads it
    #[arg(
        long,
        value_name = "POSITION",
        default_value = "startpos",
        allow_hyphen_values = true,
        requires = "go"
    )]
    position: String,
    /// Moves to play first with --go, with blanks between them, as the engine reads them
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        allow_hyphen_values = true,
        requires = "go"
    )]
    moves: String,
    /// An option of the engine with --go, such as MultiPV=4; can be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", requires = "go")]
    options: Vec<String>,
    /// The engine: a program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// A dialect by name.
pub(super) fn parse_dialect(name: &str) -> Result<EngineProtocol, String> {
    let mut all = EngineProtocol::ALL.into_iter();
    all.find(|dialect| dialect.name() == name)
        .ok_or_else(|| "expected uci, ugi or gtp".to_owned())
}

pub(super) fn run(arguments: &WatchArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let recorder =
        LineRecorder::start(arguments.trees.clone(), print_message).map_err(|error| {
            CliError::Failed(format!(
                "cannot write trees to {}: {error}",
                arguments.trees.display()
            ))
        })?;
    match &arguments.go {
        Some(limits) => search(arguments, limits, &recorder, out),
        None => serve(arguments, recorder),
    }
}

fn search(
    arguments: &WatchArgs,
    limits: &MoveLimits,
    recorder: &LineRecorder,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if limits.clock.is_some() {
        return Err(CliError::Usage(
            "--go searches one position and has no clock: expected nodes, depth or movetime"
                .to_owned(),
        ));
    }
    let mut options = Vec::new();
    for option in &arguments.options {
        let (name, value) = option.split_once('=').ok_or_else(|| {
            CliError::Usage(format!(
                "--option {option}: expected NAME=VALUE, such as MultiPV=4"
            ))
        })?;
        options.push((name.to_owned(), value.to_owned()));
    }
    let start = Some(arguments.position.trim()).filter(|&position| position != "startpos");
    let search = DrivenSearch {
        command: arguments.command.clone(),
        dialect: arguments.dialect.unwrap_or(EngineProtocol::Uci),
        game: arguments.game.clone(),
        options,
        position: RootPosition {
            start: start.map(str::to_owned),
            moves: arguments
                .moves
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        },
        limits: limits.clone(),
    };
    let halt = Halt::new();
    stop::on_signals(&halt)?;
    driver::run(&search, recorder, &halt, out).map_err(|problem| match halt.is_requested() {
        true => CliError::Interrupted,
        false => CliError::Failed(problem),
    })
}

fn serve(arguments: &WatchArgs, recorder: LineRecorder) -> Result<(), CliError> {
    let program = arguments.command.first().map_or("", String::as_str);
    let engine = std::path::Path::new(program).file_stem();
    let engine = engine.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let conversation = Conversation::new(arguments.dialect, arguments.game.as_deref(), &engine);
    let status = proxy::run(&arguments.command, conversation, recorder, pass_signals_to)
        .map_err(|error| CliError::Failed(format!("{program} could not be started: {error}")))?;
    match ending(status) {
        None => Ok(()),
        Some(problem) => Err(CliError::Failed(format!("{program} ended with {problem}"))),
    }
}

/// What went wrong with a process; none if nothing did.
fn ending(status: ExitStatus) -> Option<String> {
    (!status.success()).then(|| status.to_string())
}

/// Has the engine hear the signals that end this program.
#[cfg(unix)]
fn pass_signals_to(child: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };
    let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
    let (Some(pid), Ok(mut signals)) = (pid, Signals::new([SIGINT, SIGTERM, SIGHUP])) else {
        return;
    };
    let listener = std::thread::Builder::new().name("signals".to_owned());
    let _ = listener.spawn(move || {
        for _ in signals.forever() {
            let _ = kill_process(pid, Signal::TERM);
        }
    });
}

#[cfg(not(unix))]
fn pass_signals_to(_: u32) {}
