//! The command line of the viewer.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{self, ExitCode},
    sync::Arc,
    time::Instant,
};

use canopy_engine::{
    cli::manual,
    games::{self, notation},
    tree::{TreeError, files},
};
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::{
    app::{Action, App, CompareAction, LessonAction},
    draw::theme::Theme,
    play::{
        demo_match::{DemoMatchConfig, own_engine_command},
        lesson::Lesson,
        tournament,
    },
    settings::{ViewerSettings, memory_budget::MemoryBudget},
    system::display::WindowError,
    terminal,
    tree::model::TreeModel,
    ui::{
        frame::{FrameRenderer, copy_pixels},
        input::idle_input,
        window,
    },
    workers::journal_bench,
};

mod bench_views;
mod charts;
mod figure;
mod render;

use self::{
    charts::{ChartsArgs, charts},
    render::{RenderArgs, render},
};

#[derive(Parser)]
#[command(
    name = "canopy-viewer",
    version,
    about = "Shows search trees of millions of nodes in a window",
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Trees to open (.tree, .csv; .json, .jsonl, .dot of other programs), or a folder to watch
    files: Vec<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Show a match while an engine plays it (canopy-engine match --trees DIR)
    Follow(FollowArgs),
    /// Start a match between two searches, and watch it
    Demo(DemoArgs),
    /// Play the tournament of report 001's config.json in a window, people included
    Tournament(TournamentArgs),
    /// Show two trees, or the journals beside them, side by side
    Compare(CompareArgs),
    /// Take a lesson from a file (see protocol.md, section 10)
    Lesson(LessonArgs),
    /// Draw a tree into a file, without a display
    Render(Box<RenderArgs>),
    /// Write charts of a tree: levels, branching, visits, how sure its moves are, when the choice last changed
    Charts(ChartsArgs),
    /// Measure how fast trees are read, laid out and drawn
    Bench(BenchArgs),
    /// Write the manual pages
    Man(manual::ManArgs),
    /// Write the completions for a shell
    Completions(manual::CompletionsArgs),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeArg {
    Dark,
    Light,
}

impl ThemeArg {
    fn theme(self) -> Theme {
        match self {
            Self::Dark => Theme::dark(),
            Self::Light => Theme::light(),
        }
    }
}

fn demo_game_help() -> String {
    format!("The game: {}", notation::join_words(games::NAMES, "or"))
}

#[derive(Args)]
struct DemoArgs {
    #[arg(default_value = games::DEMO.name, help = demo_game_help())]
    game: String,
    /// How many games [default: 2]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    games: Option<u32>,
    /// Milliseconds between moves [default: 1800, in the terminal 300]
    #[arg(long, value_name = "MILLIS", value_parser = clap::value_parser!(u32).range(0..=600_000))]
    pace: Option<u32>,
    /// The command that starts canopy-engine, if it is not the one beside this program
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// Close the window when the match is over
    #[arg(long)]
    exit: bool,
    /// Play in the terminal, as without a display: within a minute unless --games or --pace is given
    #[arg(long, conflicts_with = "exit")]
    terminal: bool,
}

#[derive(Args)]
struct FollowArgs {
    /// The folder that the match is written to; it may appear later
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Close the window when all games are played
    #[arg(long)]
    exit: bool,
    /// Show the match in the terminal until all games are played
    #[arg(long, conflicts_with = "exit")]
    terminal: bool,
}

#[derive(Args)]
struct TournamentArgs {
    /// The file, as canopy-engine tournament --schema describes it
    config: PathBuf,
    /// Directory of the results; the same command continues a stopped tournament
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Close the window after the last game
    #[arg(long)]
    exit: bool,
}

#[derive(Args)]
struct LessonArgs {
    /// The lesson, a .toml file
    file: PathBuf,
    /// Only say whether the file is a sound lesson
    #[arg(long)]
    check: bool,
}

#[derive(Args)]
struct CompareArgs {
    /// The first tree, a .tree or .csv file, or a journal (.growth)
    first: PathBuf,
    /// The second one, of the same position
    second: PathBuf,
}

#[derive(Args)]
struct BenchArgs {
    /// Trees, or journals (.growth)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Memory limit of trees and journals; 0 for the window's default
    #[arg(long, value_name = "MEGABYTES", default_value_t = 0)]
    memory: u32,
    /// One JSON object a file instead of a table
    #[arg(long)]
    json: bool,
    /// Stop after the first frame of each tree, and leave out the figures of later ones
    #[arg(long, requires = "json")]
    first_frame: bool,
    /// Measure the views instead: explanations of each tree, and the first two side by side
    #[arg(long, conflicts_with = "first_frame")]
    views: bool,
}

/// Errors by who can fix them.
#[derive(Debug)]
enum CliError {
    /// The command line or a file.
    Input(String),
    /// Something on the way.
    Failed(String),
    /// Ctrl-C was pressed.
    Stopped,
}

impl CliError {
    fn file(path: &Path, error: &TreeError) -> Self {
        let text = format!("{}: {error}", path.display());
        match error {
            TreeError::Io(_) => Self::Failed(text),
            _ => Self::Input(text),
        }
    }
}

/// Runs the program with these arguments, the first being its own name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let result = match cli.command {
        Some(Command::Follow(arguments)) => follow(arguments),
        Some(Command::Demo(arguments)) => demo(arguments),
        Some(Command::Tournament(arguments)) => play_tournament(arguments),
        Some(Command::Compare(arguments)) => compare(&arguments),
        Some(Command::Lesson(arguments)) => take_lesson(&arguments),
        Some(Command::Render(arguments)) => render(&arguments),
        Some(Command::Charts(arguments)) => charts(&arguments),
        Some(Command::Bench(arguments)) => bench(&arguments),
        Some(Command::Man(arguments)) => manual_result(manual::run_man(
            Cli::command(),
            &arguments,
            &mut io::stdout(),
        )),
        Some(Command::Completions(arguments)) => manual_result(manual::run_completions(
            Cli::command(),
            &arguments,
            &mut io::stdout(),
        )),
        None => {
            let files = cli.files;
            let first = (!files.is_empty()).then_some(Action::Open(files));
            show_window(first)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let (text, code) = match error {
                CliError::Input(text) => (Some(text), 2),
                CliError::Failed(text) => (Some(text), 1),
                CliError::Stopped => (None, 130),
            };
            if let Some(text) = text {
                print_message(&text);
            }
            ExitCode::from(code)
        }
    }
}

/// Turns what became of manual pages into the end of the program. A reader that closes the output has seen enough.
fn manual_result(result: Result<(), manual::ManualError>) -> Result<(), CliError> {
    match result {
        Err(manual::ManualError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(())
        }
        other => other.map_err(|error| CliError::Failed(error.to_string())),
    }
}

#[expect(
    clippy::print_stderr,
    reason = "where the program says what went wrong"
)]
fn print_message(text: &str) {
    eprintln!("canopy-viewer: {text}");
}

fn demo(arguments: DemoArgs) -> Result<(), CliError> {
    let config = DemoMatchConfig::new(&arguments.game, arguments.engine.as_deref())
        .map_err(CliError::Input)?;
    let config = DemoMatchConfig {
        games: arguments.games.unwrap_or(config.games),
        pace_ms: arguments.pace.unwrap_or(config.pace_ms),
        close_when_over: arguments.exit,
        ..config
    };
    if !arguments.terminal {
        match window::run(Some(Action::StartDemoMatch(config.clone()))) {
            Ok(()) => return Ok(()),
            Err(WindowError::Ended(text)) => return Err(CliError::Failed(text)),
            Err(WindowError::NoDisplay(text)) => {
                print_message(&format!("{text}. The match is played here instead."));
            }
        }
    }
    let is_free = arguments.games.is_none() && arguments.pace.is_none();
    let config = DemoMatchConfig {
        pace_ms: arguments.pace.unwrap_or(terminal::DEMO_PACE_MS),
        ..config
    };
    let limit = is_free.then_some(terminal::DEMO_TIME_LIMIT);
    terminal_result(terminal::run_demo(&config, limit, &program_command()))
}

/// Turns the end of a match in the terminal into that of the program.
fn terminal_result(end: Result<terminal::TerminalEnd, String>) -> Result<(), CliError> {
    match end.map_err(CliError::Failed)? {
        terminal::TerminalEnd::Over => Ok(()),
        terminal::TerminalEnd::Stopped => Err(CliError::Stopped),
    }
}

/// The command that starts this program from here, as a person would type it.
fn program_command() -> String {
    let this = std::env::current_exe().ok();
    let here = std::env::current_dir().ok();
    match (&this, &here) {
        (Some(this), Some(here)) => {
            match this.strip_prefix(here) {
                // A bare name would be looked for elsewhere.
                Ok(name) if name.components().count() == 1 => format!("./{}", name.display()),
                Ok(name) => name.display().to_string(),
                Err(_) => this.display().to_string(),
            }
        }
        _ => "canopy-viewer".to_owned(),
    }
}

fn follow(arguments: FollowArgs) -> Result<(), CliError> {
    let FollowArgs {
        directory,
        exit,
        terminal: is_terminal,
    } = arguments;
    if directory.exists() && !directory.is_dir() {
        return Err(CliError::Input(format!(
            "{}: expected the folder of a match, not a file",
            directory.display()
        )));
    }
    if is_terminal {
        return terminal_result(terminal::follow_match(&directory, &program_command()));
    }
    let first = Action::FollowMatch { directory, exit };
    show_window(Some(first))
}

fn play_tournament(arguments: TournamentArgs) -> Result<(), CliError> {
    let TournamentArgs { config, out, exit } = arguments;
    // Mistakes are told here, before a window opens.
    let read = tournament::read_config(&config).map_err(CliError::Input)?;
    let action = Action::StartTournament {
        config: config.clone(),
        out: out.clone(),
        exit,
    };
    match window::run(Some(action)) {
        Ok(()) => Ok(()),
        Err(WindowError::Ended(text)) => Err(CliError::Failed(text)),
        Err(WindowError::NoDisplay(text)) if read.has_people() => Err(CliError::Failed(format!(
            "{text}. A user takes part in the tournament, who needs a window"
        ))),
        Err(WindowError::NoDisplay(text)) => {
            print_message(&format!("{text}. The tournament is played here instead."));
            play_tournament_in_terminal(&config, out.as_deref())
        }
    }
}

/// Has our engine play a tournament, and ends as it does.
fn play_tournament_in_terminal(config: &Path, out: Option<&Path>) -> Result<(), CliError> {
    let own = own_engine_command();
    let (program, words) = own
        .split_first()
        .ok_or_else(|| CliError::Failed("there is no command that starts an engine".to_owned()))?;
    let mut command = process::Command::new(program);
    command
        .args(words)
        .arg("tournament")
        .arg(config)
        .arg("--terminal");
    if let Some(directory) = out {
        command.arg("--out").arg(directory);
    }
    let status = command
        .status()
        .map_err(|error| CliError::Failed(format!("{program}: {error}")))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(130) => Err(CliError::Stopped),
        _ => Err(CliError::Failed(format!("{program}: {status}"))),
    }
}

/// Shows the window until it is closed.
fn show_window(first: Option<Action>) -> Result<(), CliError> {
    window::run(first).map_err(|error| {
        CliError::Failed(match error {
            WindowError::NoDisplay(text) => format!(
                "{text}. Without a window, `canopy-viewer render FILE -o picture.png` draws a tree, \
                 and `demo --terminal` and `follow DIR --terminal` show a match"
            ),
            WindowError::Ended(text) => text,
        })
    })
}

/// Shows a lesson, or only reads it.
fn take_lesson(arguments: &LessonArgs) -> Result<(), CliError> {
    let lesson = Lesson::read(&arguments.file).map_err(CliError::Input)?;
    if arguments.check {
        let text = format!("{}: a lesson of {} steps", lesson.title, lesson.steps.len());
        return writeln!(io::stdout(), "{text}")
            .map_err(|error| CliError::Failed(format!("cannot write the output: {error}")));
    }
    show_window(Some(Action::Lesson(LessonAction::Begin(Arc::new(lesson)))))
}

/// Shows two trees side by side.
fn compare(arguments: &CompareArgs) -> Result<(), CliError> {
    let tree_of = |path: &PathBuf| {
        // A journal stands for the tree beside it.
        let path = match path.extension().is_some_and(|name| name == "growth") {
            true => path.with_extension("tree"),
            false => path.clone(),
        };
        match path.is_file() {
            true => Ok(path),
            false => Err(CliError::Input(format!(
                "{}: there is no such tree",
                path.display()
            ))),
        }
    };
    let paths = [tree_of(&arguments.first)?, tree_of(&arguments.second)?];
    show_window(Some(Action::Compare(CompareAction::Open(paths))))
}

fn read_model(path: &Path) -> Result<TreeModel, CliError> {
    let document = files::read(path, None).map_err(|error| CliError::file(path, &error))?;
    for problem in &document.problems {
        print_message(problem);
    }
    Ok(TreeModel::new(document))
}

/// Measurements of one tree file.
struct TreeBenchResult {
    nodes: usize,
    parse_ms: f64,
    layout_ms: f64,
    first_frame_ms: f64,
    frame_median_ms: f64,
    frame_p99_ms: f64,
    bytes_per_node: f64,
}

fn bench(arguments: &BenchArgs) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let failed = |error: io::Error| CliError::Failed(format!("cannot write the output: {error}"));
    let is_journal = |path: &&PathBuf| path.extension().is_some_and(|name| name == "growth");
    let budget = MemoryBudget::new(arguments.memory);
    for journal in arguments.files.iter().filter(is_journal) {
        let row = journal_bench::bench_journal(journal, &budget).map_err(CliError::Input)?;
        let name = journal.display().to_string();
        write_journal_row(&mut out, &name, &row, arguments.json).map_err(failed)?;
    }
    let trees: Vec<PathBuf> = (arguments.files.iter())
        .filter(|path| !is_journal(path))
        .cloned()
        .collect();
    if trees.is_empty() {
        return Ok(());
    }
    if arguments.views {
        drop(out);
        return bench_views::bench_views(&trees, arguments.json);
    }
    if !arguments.json {
        writeln!(
            out,
            "{:>10}{:>10}{:>10}{:>10}{:>12}{:>10}{:>8}  file",
            "nodes", "parse", "layout", "first", "frame", "99 %", "bytes"
        )
        .map_err(failed)?;
    }
    for file in &trees {
        let row = bench_tree(file, arguments.first_frame)?;
        let name = file.display().to_string();
        let written = if arguments.json {
            let mut object = serde_json::json!({
                "file": name,
                "nodes": row.nodes,
                "parse_ms": row.parse_ms,
                "layout_ms": row.layout_ms,
                "first_frame_ms": row.first_frame_ms,
                "bytes_per_node": row.bytes_per_node,
            });
            if !arguments.first_frame {
                object["frame_median_ms"] = row.frame_median_ms.into();
                object["frame_p99_ms"] = row.frame_p99_ms.into();
            }
            writeln!(out, "{object}")
        } else {
            writeln!(
                out,
                "{:>10}{:>10.1}{:>10.1}{:>10.1}{:>12.2}{:>10.2}{:>8.0}  {name}",
                row.nodes,
                row.parse_ms,
                row.layout_ms,
                row.first_frame_ms,
                row.frame_median_ms,
                row.frame_p99_ms,
                row.bytes_per_node
            )
        };
        written.map_err(failed)?;
    }
    if trees.len() > 1 && !arguments.json {
        let step = bench_step(&trees)?;
        writeln!(out, "to step from one of them to the next: {step:.1} ms").map_err(failed)?;
    }
    Ok(())
}

/// Writes the measurements of a growth journal.
fn write_journal_row(
    out: &mut impl io::Write,
    name: &str,
    row: &journal_bench::JournalBenchResult,
    json: bool,
) -> io::Result<()> {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let part = journal_bench::JournalBenchResult::percentile;
    let speed = megabytes(row.bytes) / row.ready_seconds.max(1e-9);
    let (nodes, shown, least_visits) = row.nodes;
    if json {
        let object = serde_json::json!({
            "file": name,
            "bytes": row.bytes,
            "iterations": row.iterations,
            "ready_s": row.ready_seconds,
            "refined_s": row.refined_seconds,
            "megabytes_per_second": speed,
            "index_bytes": row.index_bytes,
            "seek_median_ms": part(&row.seek_ms, 50),
            "seek_p95_ms": part(&row.seek_ms, 95),
            "frame_p95_ms": part(&row.frame_ms, 95),
            "frames_per_second": row.frames_per_second,
            "memory_bytes": row.max_journal_bytes,
            "peak_bytes": row.peak_bytes,
            "nodes": nodes,
            "shown": shown,
            "least_visits": least_visits,
        });
        return writeln!(out, "{object}");
    }
    writeln!(out, "{name}")?;
    writeln!(
        out,
        "  {:.1} MB, {} iterations, ready after {:.2} s ({speed:.0} MB/s), final after {:.2} s; index {:.1} MB",
        megabytes(row.bytes),
        row.iterations,
        row.ready_seconds,
        row.refined_seconds,
        megabytes(row.index_bytes)
    )?;
    writeln!(
        out,
        "  seek {:.1} ms, 95 % below {:.1} ms; plays at {:.0} frames a second, 95 % below {:.1} ms",
        part(&row.seek_ms, 50),
        part(&row.seek_ms, 95),
        row.frames_per_second,
        part(&row.frame_ms, 95)
    )?;
    let peak = (row.peak_bytes).map_or(String::new(), |peak| {
        format!(", the process at most {:.0} MB", megabytes(peak))
    });
    writeln!(
        out,
        "  memory {:.0} MB{peak}; {shown} of {nodes} nodes shown, the others below {least_visits} visits",
        megabytes(row.max_journal_bytes as u64)
    )
}

/// Frames are measured at this size.
const BENCH_FRAME_SIZE: (u32, u32) = (1600, 1000);

/// The window without a window.
struct HeadlessWindow {
    app: App,
    frame: FrameRenderer,
    shown: Vec<u32>,
}

impl HeadlessWindow {
    fn new() -> Result<Self, CliError> {
        let app = App::new(ViewerSettings::default(), Arc::new(|| {}))
            .map_err(|error| CliError::Failed(format!("no thread could be started: {error}")))?;
        Ok(Self {
            app,
            frame: FrameRenderer::default(),
            shown: vec![0; (BENCH_FRAME_SIZE.0 * BENCH_FRAME_SIZE.1) as usize],
        })
    }

    /// The milliseconds of a frame, with panels and all, up to the copy that the system gets.
    fn frame(&mut self) -> f64 {
        let begun = Instant::now();
        let input = idle_input(BENCH_FRAME_SIZE.0 as f32, BENCH_FRAME_SIZE.1 as f32, 1.0);
        let drawn = self.frame.draw(&mut self.app, input, BENCH_FRAME_SIZE);
        if let Some(picture) = self.frame.picture() {
            for part in drawn.changed_rects {
                copy_pixels(picture, &mut self.shown, part);
            }
        }
        elapsed_ms(begun)
    }

    /// The milliseconds of frames on a sweep through all zooms, over places along the tree.
    fn sweep(&mut self) -> Vec<f64> {
        // Panels take a second frame to find their sizes.
        self.frame();
        let mut times = Vec::new();
        let mut zoom = 1.0;
        for step in 0..24 {
            let wanted = 1.7_f64.powi(step);
            self.app.dispatch(Action::Zoom(wanted / zoom, None));
            zoom = wanted;
            for place in 0..8 {
                let across = (f64::from(place) + 0.5) / 8.0;
                let down = f64::from((place + step) % 8) / 8.0;
                self.app.dispatch(Action::CentreOn(across, down));
                times.push(self.frame());
            }
        }
        times
    }
}

fn elapsed_ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

fn bench_tree(path: &Path, first_only: bool) -> Result<TreeBenchResult, CliError> {
    let mut bench = HeadlessWindow::new()?;
    // The interface itself is there before a tree is.
    bench.frame();
    let begun = Instant::now();
    let document = files::read(path, None).map_err(|error| CliError::file(path, &error))?;
    let parse = elapsed_ms(begun);
    let begun = Instant::now();
    let model = Arc::new(TreeModel::new(document));
    let layout = elapsed_ms(begun);
    bench.app.show_single_tree(path, Arc::clone(&model));
    let first = bench.frame();
    let mut times = match first_only {
        true => vec![first],
        false => bench.sweep(),
    };
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
    Ok(TreeBenchResult {
        nodes: model.len(),
        parse_ms: parse,
        layout_ms: layout,
        first_frame_ms: first,
        frame_median_ms: at(50),
        frame_p99_ms: at(99),
        bytes_per_node: model.bytes() as f64 / model.len() as f64,
    })
}

/// The milliseconds it takes to step to another tree that is ready.
fn bench_step(paths: &[PathBuf]) -> Result<f64, CliError> {
    let mut bench = HeadlessWindow::new()?;
    let mut models = Vec::new();
    for path in paths {
        models.push((path, Arc::new(read_model(path)?)));
    }
    let mut times = Vec::new();
    for step in 0..40 {
        let (path, model) = &models[step % models.len()];
        let begun = Instant::now();
        bench.app.show_single_tree(path, Arc::clone(model));
        let rest = elapsed_ms(begun);
        times.push(bench.frame() + rest);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
