//! `canopy-engine match`: games between engine processes; `canopy-engine report`: the report of a recorded match.

use std::{
    fs,
    io::{self, IsTerminal as _, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;

use super::{CliError, PositionCommand, bench::signature, game_help, game_name, with_position};
use crate::{
    arena::{
        client::{GameSpec as Asked, Timeouts},
        engine_config::EngineConfig,
        export,
        halt::Halt,
        match_log::{self, EngineBuild, GameRecord, MatchHeader, MatchLog, MatchLogError},
        openings::{self, Opening},
        referee::{Adjudication, AdjudicationRule, RefereeSettings},
        report,
        runner::{self, MatchEnd, MatchError, MatchEvent, MatchPlan},
        schedule::{OpeningOrder, Schedule},
        sprt::Sprt,
        stats::WdlCounts,
        time_control::MoveLimits,
    },
    catalog,
    games::{Playable, notation::escape_invisible},
    rng::mix,
    search::budget::Stopwatch,
};

/// The progress is drawn no more often than this, on a terminal and elsewhere.
const TERMINAL_REDRAW_INTERVAL: Duration = Duration::from_millis(100);
const LOG_INTERVAL: Duration = Duration::from_secs(10);
const BAR_WIDTH: usize = 24;

#[derive(Args)]
pub(super) struct MatchArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    /// An engine, given twice or more: its command, as for a shell; before it, if wanted, name=NAME dialect=ugi|uci|gtp
    /// option.NAME=VALUE go='LIMITS' dir=DIRECTORY. search=SEARCH without a command is one of ours
    #[arg(long, value_name = "ENGINE", required = true, num_args = 1)]
    engine: Vec<String>,
    /// How many games, for each two engines
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    /// How long a move may take: nodes N, iterations N, depth N, movetime MILLISECONDS, tc SECONDS+INCREMENT or
    /// tc MOVES/SECONDS+INCREMENT
    #[arg(long, value_name = "LIMITS", default_value = "nodes 1000")]
    go: MoveLimits,
    /// A file of openings: positions, moves, or positions with "moves ..." after them, one on a line
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Play the openings in an order that the seed decides
    #[arg(long, requires = "openings")]
    shuffle: bool,
    /// Random plies before the engines are asked, the same for both games of a pair
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    plies: u32,
    /// The seed of the match, from which every game's and every engine's follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    concurrency: u64,
    /// Where match.json and the engines' trees go, for a viewer to follow
    #[arg(long, value_name = "DIR")]
    trees: Option<PathBuf>,
    /// Directory of the records; the same command continues a stopped match
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Minimum milliseconds between two moves, for people who watch
    #[arg(long, value_name = "MILLIS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3_600_000))]
    pace: u64,
    /// Stop when standard input ends: for programs that start a match and may themselves be ended
    #[arg(long)]
    attended: bool,
    /// Play only this game, counted from 1; with --out it is compared with the one on record, or kept if there is none
    #[arg(long, value_name = "GAME", value_parser = clap::value_parser!(u64).range(1..))]
    only: Option<u64>,
    /// Call a game drawn after this many moves in a row with both scores this near to 0, from this ply on
    #[arg(long, value_name = "moves=8,score=10,after=40", value_parser = parse_adjudication_rule)]
    draw: Option<AdjudicationRule>,
    /// Call a game lost after this many moves in a row with the engine's own score this far below 0
    #[arg(long, value_name = "moves=3,score=700", value_parser = parse_adjudication_rule)]
    resign: Option<AdjudicationRule>,
    /// Call a game drawn after this many plies
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: Option<u32>,
    /// Stop as soon as an SPRT has decided: two Elo differences and two error rates
    #[arg(long, value_name = "elo0=0,elo1=5,alpha=0.05,beta=0.05", value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    /// Seconds an engine may take to start, to be ready, for a move without a time limit, to stop when its time is up, and to quit
    #[arg(long, value_name = "start=10,ready=10,move=300,stop=1,quit=2", default_value = "", value_parser = parse_timeouts)]
    timeouts: Timeouts,
    /// Milliseconds a move may be late
    #[arg(long, value_name = "MILLIS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(0..=600_000))]
    margin: u64,
}

#[derive(Args)]
pub(super) struct ReportArgs {
    /// The directory that was given to --out
    directory: PathBuf,
}

/// Reads `key=value` pairs between commas or blanks.
fn parse_pairs(text: &str) -> Result<Vec<(&str, f64)>, String> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let pair = word.split_once('=');
            let pair = pair.and_then(|(key, value)| Some((key, value.parse().ok()?)));
            pair.filter(|(_, value): &(&str, f64)| value.is_finite())
                .ok_or_else(|| format!("{word:?} is not NAME=NUMBER"))
        })
        .collect()
}

fn unknown_key(key: &str, known: &str) -> String {
    format!("{key:?} means nothing here: expected {known}")
}

fn parse_adjudication_rule(text: &str) -> Result<AdjudicationRule, String> {
    let mut rule = AdjudicationRule {
        moves: 0,
        score: -1,
        after: 0,
    };
    for (key, value) in parse_pairs(text)? {
        if !(0.0..=1e6).contains(&value) || value.fract() != 0.0 {
            return Err(format!(
                "{key}={value}: expected a whole number from 0 to 1000000"
            ));
        }
        match key {
            "moves" => rule.moves = value as u32,
            "score" => rule.score = value as i32,
            "after" => rule.after = value as u32,
            _ => return Err(unknown_key(key, "moves, score and after")),
        }
    }
    if rule.moves == 0 || rule.score < 0 {
        return Err("expected moves, at least 1, and score, such as moves=8,score=10".to_owned());
    }
    Ok(rule)
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let [mut elo0, mut elo1, mut alpha, mut beta] = [0.0, 5.0, 0.05, 0.05];
    for (key, value) in parse_pairs(text)? {
        match key {
            "elo0" => elo0 = value,
            "elo1" => elo1 = value,
            "alpha" => alpha = value,
            "beta" => beta = value,
            _ => return Err(unknown_key(key, "elo0, elo1, alpha and beta")),
        }
    }
    Sprt::new(elo0, elo1, alpha, beta).map_err(|error| error.to_string())
}

fn parse_timeouts(text: &str) -> Result<Timeouts, String> {
    let mut timeouts = Timeouts::default();
    for (key, value) in parse_pairs(text)? {
        if !(0.001..=1e6).contains(&value) {
            return Err(format!(
                "{key}={value}: expected seconds, from 0.001 to 1000000"
            ));
        }
        let time = Duration::from_secs_f64(value);
        match key {
            "start" => timeouts.start = time,
            "ready" => timeouts.ready = time,
            "move" => timeouts.reply = time,
            "stop" => timeouts.stop = time,
            "quit" => timeouts.quit = time,
            _ => return Err(unknown_key(key, "start, ready, move, stop and quit")),
        }
    }
    Ok(timeouts)
}

/// Plays a match. `own` starts this program as an engine.
pub(super) fn run(
    arguments: &MatchArgs,
    own: &[String],
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let work = MatchCommand {
        arguments,
        own,
        out,
    };
    with_position(&arguments.game, "startpos", work)
}

struct MatchCommand<'a> {
    arguments: &'a MatchArgs,
    own: &'a [String],
    out: &'a mut dyn Write,
}

impl PositionCommand for MatchCommand<'_> {
    fn run<G: Playable>(self, start: G) -> Result<(), CliError> {
        let arguments = self.arguments;
        let plan = build_plan(arguments, self.own, &start)?;
        let halt = Halt::new();
        stop_on_signals(&halt)?;
        if arguments.attended {
            stop_on_end_of_input(&halt)?;
        }
        if let Some(number) = arguments.only.filter(|&number| number > plan.games) {
            return Err(CliError::Usage(format!(
                "--only {number}: expected a game from 1 to {}, the number of games of this match",
                plan.games
            )));
        }
        let mut log = None;
        let mut records = Vec::new();
        if let Some(directory) = &arguments.out {
            let (opened, known) = MatchLog::open(directory, &plan.header)?;
            if !opened.is_locked() {
                super::print_message(&format!(
                    "{}: files cannot be locked there; see that no other match is played there",
                    directory.display()
                ));
            }
            (log, records) = (Some(opened), known);
            records.retain(|record| record.game <= plan.games);
        }
        if let Some(number) = arguments.only {
            return play_single_game(
                arguments,
                &plan,
                number,
                (&mut log, &mut records),
                &halt,
                self.out,
            );
        }
        if let Some(directory) = arguments.out.as_ref().filter(|_| !records.is_empty()) {
            super::print_message(&format!(
                "going on after {} games that are in {}",
                records.len(),
                directory.display()
            ));
        }
        let mut progress = MatchProgress::new(&plan, &records);
        let end = runner::run(
            &plan,
            arguments.trees.as_deref(),
            &mut log,
            &mut records,
            &halt,
            &mut |event| progress.handle_event(&event),
        );
        progress.clear();
        if let Some(directory) = &arguments.out {
            write_records(directory, &plan.header, &records)?;
        }
        let end = end?;
        records.sort_by_key(|record| record.game);
        self.out
            .write_all(report::render(&plan.header, &records).as_bytes())?;
        if let Some(sprt) = plan.sprt {
            let test = report::run_sprt(sprt, &records);
            writeln!(self.out, "{}", report::format_sprt(&test, &plan.header))?;
        }
        self.out.flush()?;
        match end {
            MatchEnd::AllGamesPlayed | MatchEnd::SprtDecided(_) => Ok(()),
            MatchEnd::Halted => {
                super::print_message(&format!(
                    "stopped after {} of {} games; {}",
                    records.len(),
                    plan.games,
                    match &arguments.out {
                        Some(_) => "the same command goes on from there",
                        None => "they were not kept: --out DIR keeps them",
                    }
                ));
                Err(CliError::Interrupted)
            }
        }
    }
}

/// Set by tests of documented commands, to `GAMESxPLIES`: no match has more games, and no game more plies.
const MATCH_CAP_VARIABLE: &str = "CANOPY_TEST_GAMES";

fn match_cap_from_env() -> Option<(u64, u32)> {
    let text = std::env::var(MATCH_CAP_VARIABLE).ok()?;
    let (games, plies) = text.split_once('x')?;
    Some((games.parse().ok()?, plies.parse().ok()?))
}

fn build_plan<G: Playable>(
    arguments: &MatchArgs,
    own: &[String],
    start: &G,
) -> Result<MatchPlan<G>, CliError> {
    let cap = match_cap_from_env();
    let game = game_name(start);
    let mut own = own.to_vec();
    own.extend(["--game".to_owned(), game.clone()]);
    let usage = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
    let mut engines = (arguments.engine.iter())
        .map(|text| EngineConfig::parse(text, &own).map_err(|error| usage(&error)))
        .collect::<Result<Vec<EngineConfig>, CliError>>()?;
    for engine in engines.iter().filter(|engine| engine.command == own) {
        let search = engine.options.iter().find(|(name, _)| name == "Search");
        if let Some((_, search)) = search {
            catalog::configure::<G>(search, &[])?;
            super::print_remarks(search);
        }
    }
    EngineConfig::make_names_unique(&mut engines);
    let listed = match &arguments.openings {
        Some(path) => read_openings::<G>(path, start.rules())?,
        None => Vec::new(),
    };
    let order = if arguments.shuffle {
        OpeningOrder::Shuffled
    } else {
        OpeningOrder::Listed
    };
    let schedule = Schedule::new(engines.len(), listed.len(), order, arguments.seed)
        .map_err(|error| usage(&error))?;
    if arguments.sprt.is_some() && engines.len() != 2 {
        return Err(CliError::Usage(format!(
            "--sprt with {} engines: expected two",
            engines.len()
        )));
    }
    let timeouts = Timeouts {
        margin: Duration::from_millis(arguments.margin),
        ..arguments.timeouts
    };
    let adjudication = Adjudication {
        draw: arguments.draw,
        resign: arguments.resign,
        plies: (arguments.max_plies.into_iter())
            .chain(cap.map(|(_, plies)| plies))
            .min(),
    };
    let mut header = MatchHeader::new(game.clone(), &engines, &arguments.go, &timeouts);
    header.seed = arguments.seed;
    header.plies = arguments.plies;
    header.openings = (listed.len(), openings_digest(&listed, arguments.shuffle));
    header.adjudication = adjudication;
    if arguments.out.is_some() {
        for (text, engine) in header.engines.iter_mut().zip(&engines) {
            if engine.command == own
                && let Some((_, search)) = engine.options.iter().find(|(name, _)| name == "Search")
            {
                text.build = Some(EngineBuild {
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                    signature: format!("{:016x}", signature::search_signature(search, start)?),
                });
            }
        }
    }
    Ok(MatchPlan {
        header,
        engines,
        limits: arguments.go.clone(),
        games: schedule
            .game_count(cap.map_or(arguments.games, |(games, _)| games.min(arguments.games))),
        schedule,
        openings: match listed.is_empty() {
            true => vec![Opening::from_start(start.rules())],
            false => listed,
        },
        settings: RefereeSettings {
            game: Asked::of::<G>(start.rules()),
            timeouts,
            adjudication,
            move_delay: Duration::from_millis(arguments.pace),
        },
        concurrency: arguments.concurrency as usize,
        sprt: arguments.sprt,
    })
}

fn read_openings<G: Playable>(path: &Path, rules: G::Rules) -> Result<Vec<Opening<G>>, CliError> {
    let text = fs::read_to_string(path)
        .map_err(|error| CliError::Usage(format!("{}: {error}", path.display())))?;
    let openings = openings::parse_list(rules, &text).map_err(|(line, error)| {
        CliError::Usage(format!("{}, line {line}: {error}", path.display()))
    })?;
    if openings.is_empty() {
        return Err(CliError::Usage(format!(
            "{}: there is no opening in it",
            path.display()
        )));
    }
    Ok(openings)
}

/// Identifies a list of openings in the match log.
fn openings_digest<G: Playable>(openings: &[Opening<G>], is_shuffled: bool) -> u64 {
    let mut sum = u64::from(is_shuffled);
    for opening in openings {
        let (position, _) = opening.final_position();
        for part in [
            opening.start.key(),
            position.key(),
            opening.moves.len() as u64,
        ] {
            sum = mix(sum ^ part);
        }
    }
    sum
}

/// Makes Ctrl-C and the other termination signals stop the match.
#[cfg(unix)]
fn stop_on_signals(halt: &Halt) -> Result<(), CliError> {
    raise_file_limit();
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let halt = halt.clone();
    let listener = std::thread::Builder::new().name("signals".to_owned());
    listener.spawn(move || {
        for _ in signals.forever() {
            halt.request();
        }
    })?;
    Ok(())
}

/// Raises the limit of open files: every engine takes three, and default limits are low.
#[cfg(unix)]
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    );
}

/// Has the end of standard input stop the match.
fn stop_on_end_of_input(halt: &Halt) -> Result<(), CliError> {
    let halt = halt.clone();
    let listener = std::thread::Builder::new().name("attendance".to_owned());
    listener.spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        halt.request();
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn stop_on_signals(_: &Halt) -> Result<(), CliError> {
    Ok(())
}

fn write_records(
    directory: &Path,
    header: &MatchHeader,
    known: &[GameRecord],
) -> Result<(), CliError> {
    export::write_all(directory, header, known).map_err(|error| {
        CliError::Failed(format!(
            "{}: the records cannot be written: {error}",
            directory.display()
        ))
    })
}

/// Plays one game, shows it, and compares it with the one that is on record, or puts it there.
fn play_single_game<G: Playable>(
    arguments: &MatchArgs,
    plan: &MatchPlan<G>,
    number: u64,
    (log, records): (&mut Option<MatchLog>, &mut Vec<GameRecord>),
    halt: &Halt,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let record = runner::run_single_game(plan, number - 1, arguments.trees.as_deref(), halt)?;
    let record = record.ok_or(CliError::Interrupted)?;
    let names = plan.header.names();
    let [first, second] =
        (record.players).map(|index| names.get(index).copied().unwrap_or_default());
    let [first, second] = [first, second].map(escape_invisible);
    writeln!(out, "game {number}: {first} against {second}")?;
    if !record.start.is_empty() {
        writeln!(out, "start:  {}", record.start)?;
    }
    writeln!(out, "moves:  {}", record.moves)?;
    writeln!(
        out,
        "result: {} ({})",
        record.result.as_str(),
        escape_invisible(&record.reason)
    )?;
    let (Some(directory), Some(log)) = (&arguments.out, log) else {
        return Ok(());
    };
    let text = match records.iter().find(|known| known.game == number) {
        None => {
            log.append_game(&record)?;
            log.sync(true)?;
            records.push(record);
            write_records(directory, &plan.header, records)?;
            "it is on record now"
        }
        Some(known) if known.moves == record.moves && known.result == record.result => {
            "it is the same as on record"
        }
        Some(_) => "it is another one than on record",
    };
    writeln!(out, "{text}")?;
    Ok(())
}

/// Rewrites the records of a match from its match log, and prints the report.
pub(super) fn run_report(arguments: &ReportArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let (header, mut known) = match_log::read(&arguments.directory)?;
    known.sort_by_key(|record| record.game);
    write_records(&arguments.directory, &header, &known)?;
    out.write_all(report::render(&header, &known).as_bytes())?;
    Ok(())
}

/// Progress of a match, on standard error.
struct MatchProgress<'a, G: Playable> {
    plan: &'a MatchPlan<G>,
    is_terminal: bool,
    stopwatch: Stopwatch,
    /// When the line was last drawn.
    last_drawn: Duration,
    /// Games that were there before.
    resumed_games: usize,
    played_games: usize,
    results: WdlCounts,
    line_width: usize,
}

impl<'a, G: Playable> MatchProgress<'a, G> {
    fn new(plan: &'a MatchPlan<G>, records: &[GameRecord]) -> Self {
        let before = records.len();
        let sums = report::engine_stats(plan.engines.len(), records);
        Self {
            plan,
            is_terminal: io::stderr().is_terminal(),
            stopwatch: Stopwatch::start(),
            last_drawn: Duration::ZERO,
            resumed_games: before,
            played_games: before,
            results: sums
                .first()
                .map_or(WdlCounts::default(), |sum| sum.results.total()),
            line_width: 0,
        }
    }

    fn handle_event(&mut self, event: &MatchEvent<'_>) {
        match event {
            MatchEvent::Message(text) => {
                self.clear();
                super::print_message(text);
            }
            MatchEvent::GameOver(records) => {
                self.played_games = records.len();
                if let Some(record) = records.last()
                    && let Some(side) = record.players.iter().position(|&engine| engine == 0)
                {
                    self.results = self.results + record.wdl_of(side);
                }
                self.redraw();
            }
            MatchEvent::Tick => self.redraw(),
        }
    }

    fn redraw(&mut self) {
        let pause = if self.is_terminal {
            TERMINAL_REDRAW_INTERVAL
        } else {
            LOG_INTERVAL
        };
        let now = self.stopwatch.elapsed();
        if now < self.last_drawn + pause {
            return;
        }
        self.last_drawn = now;
        let line = self.bar_line();
        if self.is_terminal {
            let blank = self.line_width.saturating_sub(line.chars().count());
            self.line_width = line.chars().count();
            let mut terminal = io::stderr().lock();
            let _ = write!(terminal, "\r{line}{:blank$}", "");
            let _ = terminal.flush();
        } else {
            super::print_message(&line);
        }
    }

    fn bar_line(&self) -> String {
        let total = self.plan.games.max(1);
        let part = self.played_games as f64 / total as f64;
        let filled = ((part * BAR_WIDTH as f64) as usize).min(BAR_WIDTH);
        let names = self.plan.header.names();
        let results = self.results;
        let time = self.stopwatch.elapsed();
        let new = self.played_games.saturating_sub(self.resumed_games);
        let left = match new {
            0 => String::new(),
            _ => {
                let rest = total.saturating_sub(self.played_games as u64);
                let seconds = time.as_secs_f64() / new as f64 * rest as f64;
                format!(", {} left", format_seconds(seconds))
            }
        };
        format!(
            "[{:#<filled$}{:.<rest$}] {} of {total}  {} {}-{}-{} {:.1}%{left}",
            "",
            "",
            self.played_games,
            escape_invisible(names.first().copied().unwrap_or_default()),
            results.wins,
            results.draws,
            results.losses,
            100.0 * results.score(),
            rest = BAR_WIDTH - filled,
        )
    }

    /// Takes the line away.
    fn clear(&mut self) {
        if self.is_terminal && self.line_width > 0 {
            let mut terminal = io::stderr().lock();
            let _ = write!(terminal, "\r{:width$}\r", "", width = self.line_width);
            let _ = terminal.flush();
            self.line_width = 0;
        }
    }
}

fn format_seconds(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e9) as u64;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

impl From<MatchLogError> for CliError {
    fn from(error: MatchLogError) -> Self {
        match error {
            MatchLogError::Io { .. } => Self::Failed(error.to_string()),
            MatchLogError::Busy(_) => Self::Busy(error.to_string()),
            _ => Self::Usage(error.to_string()),
        }
    }
}

impl From<MatchError> for CliError {
    fn from(error: MatchError) -> Self {
        Self::Failed(error.to_string())
    }
}
