//! `canopy-engine solve`: positions and what they are worth under best play.

use std::{
    fs, io,
    io::{Read as _, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use serde::Serialize;

use super::{CliError, PositionCommand, game_help, game_name, progress::Progress, with_position};
use crate::{
    catalog::{
        solver_cache::SolverCache,
        solvers::{self, SolverConfig},
    },
    games::{
        Playable,
        notation::{self, Style},
        position_list::{self, PositionEntry},
    },
    search::{
        SearchLimits, StopFlag,
        exact::{ExactValue, SolveContext, ValueClass},
    },
    session::solution::{self, Solution, SolveRequest, value_text, values_text},
    tree::files::write_atomic_synced,
};

#[derive(Args)]
pub(super) struct SolveArgs {
    #[arg(long, value_name = "GAME", help = game_help(), required_unless_present = "file")]
    game: Option<String>,
    /// The position, as the game writes it; without it, the start of the game
    #[arg(
        long,
        value_name = "POSITION",
        allow_hyphen_values = true,
        conflicts_with = "file"
    )]
    position: Option<String>,
    /// Moves to play first
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        allow_hyphen_values = true,
        conflicts_with = "file"
    )]
    moves: String,
    /// Solve every position of this file, `-` for standard input
    ///
    /// Lines are GAME, tab, POSITION, and if wanted tab and MOVES, tab and KEY=VALUE words; `#` begins a comment. With --game,
    /// lines of OBF and of Pascal Pons' sets are read, and bare positions. A `value=` that differs is reported.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Solve every move of the positions of a file, and show a best line, as for a single position
    #[arg(long)]
    all: bool,
    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
    /// Milliseconds for each position; without it, as long as it takes
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Memory of the solver in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    memory: u64,
    /// Where values that took long to find are kept: a directory, auto for the user's cache directory, or none
    #[arg(long, value_name = "DIR", default_value = "auto")]
    cache: String,
    /// Write a winning strategy that can be checked without a solver to this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "json", "all"])]
    certificate: Option<PathBuf>,
    /// Threads of the solver
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Solve what the embedded book of the game has, too
    #[arg(long)]
    no_book: bool,
    /// Count empty squares at the end for the winner, as the FFO positions do (othello); without it discs count as they lie
    #[arg(long)]
    empties_to_winner: bool,
}

pub(super) fn run(arguments: &SolveArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let entries = arguments.entries()?;
    let mut counts = SolveCounts::default();
    let mut progress = match arguments.file {
        Some(_) => Progress::new("positions"),
        None => Progress::new("nodes"),
    };
    progress.begin(arguments.total(&entries), 0);
    for group in entries.chunk_by(|a, b| a.game == b.game) {
        let Some(first) = group.first() else { continue };
        let command = SolveCommand {
            arguments,
            entries: group,
            counts: &mut counts,
            progress: &mut progress,
        };
        with_position(&first.game, "startpos", command, out)?;
    }
    progress.finish();
    counts.finish(arguments)
}

impl SolveArgs {
    fn entries(&self) -> Result<Vec<PositionEntry>, CliError> {
        let Some(path) = &self.file else {
            return Ok(vec![PositionEntry {
                game: self.game.clone().unwrap_or_default(),
                position: self
                    .position
                    .clone()
                    .unwrap_or_else(|| "startpos".to_owned()),
                moves: self.moves.clone(),
                ..PositionEntry::default()
            }]);
        };
        read_positions(path, self.game.as_deref())
    }

    /// What progress counts to: the positions of a file; the nodes of one position are not known.
    fn total(&self, entries: &[PositionEntry]) -> u64 {
        match self.file {
            Some(_) => entries.len() as u64,
            None => 0,
        }
    }

    /// The cache. One that was named and cannot be written is an error; the usual one is left as it is.
    fn cache(&self) -> Result<Option<SolverCache>, CliError> {
        let cache = SolverCache::from_text(&self.cache);
        match cache {
            Some(cache) if SolverCache::is_named(&self.cache) => {
                Ok(Some(cache.checked().map_err(CliError::Usage)?))
            }
            cache => Ok(cache),
        }
    }

    fn solver_config(&self) -> SolverConfig {
        SolverConfig {
            memory_bytes: usize::try_from(self.memory << 20).unwrap_or(usize::MAX),
            threads: self.threads as usize,
            uses_book: !self.no_book,
            empties_to_winner: self.empties_to_winner,
        }
    }

    fn request(&self) -> SolveRequest {
        let is_detailed = self.file.is_none() || self.all;
        SolveRequest {
            limits: SearchLimits {
                time: self.time.map(Duration::from_millis),
                ..SearchLimits::default()
            },
            wants_moves: is_detailed,
            wants_pv: is_detailed,
            style: Style::Own,
            stop: StopFlag::new(),
        }
    }
}

/// Reads a list of positions from a file, or from standard input if it is called `-`.
pub(super) fn read_positions(
    path: &PathBuf,
    game: Option<&str>,
) -> Result<Vec<PositionEntry>, CliError> {
    let name = path.display();
    let cannot_read = |error: io::Error| CliError::Usage(format!("cannot read {name}: {error}"));
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(cannot_read)?;
    } else {
        bytes = fs::read(path).map_err(cannot_read)?;
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::Usage(format!("{name} is not text: expected UTF-8")))?;
    let entries = position_list::parse(&text, game)
        .map_err(|error| CliError::Usage(format!("{name}: {error}")))?;
    if entries.is_empty() {
        return Err(CliError::Usage(format!(
            "{name} has no positions: expected at least one"
        )));
    }
    Ok(entries)
}

/// The position of an entry, after its moves; errors name the line.
pub(super) fn entry_position<G: Playable>(
    rules: G::Rules,
    entry: &PositionEntry,
) -> Result<G, CliError> {
    let at_line = |error: notation::ParseError| match entry.line {
        0 => CliError::Input(error),
        line => CliError::Usage(format!("line {line}: {error}")),
    };
    let (position, _) = entry.read(rules).map_err(at_line)?;
    Ok(position)
}

/// Positions that the exit code depends on.
#[derive(Default)]
struct SolveCounts {
    positions: usize,
    unsolved: usize,
    mismatches: usize,
}

impl SolveCounts {
    fn finish(&self, arguments: &SolveArgs) -> Result<(), CliError> {
        let Self {
            positions,
            unsolved,
            mismatches,
        } = *self;
        let mut problems = Vec::new();
        if unsolved > 0 {
            let limits = match arguments.time {
                Some(time) => format!("in {time} ms and {} MB", arguments.memory),
                None => format!("in {} MB", arguments.memory),
            };
            problems.push(match positions {
                1 => format!("the position could not be solved {limits}"),
                _ => format!("{unsolved} of {positions} positions could not be solved {limits}"),
            });
        }
        if mismatches > 0 {
            problems.push(format!(
                "{mismatches} of {positions} values differ from those of the file"
            ));
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(CliError::Failed(problems.join("; ")))
        }
    }
}

struct SolveCommand<'a> {
    arguments: &'a SolveArgs,
    entries: &'a [PositionEntry],
    counts: &'a mut SolveCounts,
    progress: &'a mut Progress,
}

impl PositionCommand for SolveCommand<'_> {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let Self {
            arguments,
            entries,
            counts,
            progress,
        } = self;
        let rules = start.rules();
        if let (Some(path), Some(entry)) = (&arguments.certificate, entries.first()) {
            return write_certificate::<G>(&entry_position(rules, entry)?, path, arguments, out);
        }
        let cache = arguments.cache()?;
        let mut solver = solvers::cached_solver::<G>(rules, arguments.solver_config(), cache);
        let request = arguments.request();
        for entry in entries {
            let position: G = entry_position(rules, entry)?;
            let expected = expected_value(entry)?;
            let mut nodes = NodeCount::default();
            let found =
                solution::solve(
                    &mut *solver,
                    &position,
                    &request,
                    &mut |now| match arguments.file {
                        Some(_) => progress.tick(),
                        None => progress.advance_to(nodes.update(now.nodes)),
                    },
                );
            let differs = match (&found.value, &expected) {
                (Some(value), Some(expected)) => !value.agrees_with(expected),
                _ => false,
            };
            counts.positions += 1;
            counts.unsolved += usize::from(found.value.is_none());
            counts.mismatches += usize::from(differs);
            let answer = Answer {
                position: &position,
                entry,
                found: &found,
                expected: expected.filter(|_| differs),
            };
            progress.suspend(|| -> Result<(), CliError> {
                match (arguments.json, &arguments.file) {
                    (true, _) => answer.write_json(out)?,
                    (false, None) => answer.write_page(out)?,
                    (false, Some(_)) => answer.write_line(out)?,
                }
                Ok(out.flush()?)
            })?;
            if arguments.file.is_some() {
                progress.advance_to(counts.positions as u64);
            }
        }
        Ok(())
    }
}

/// Nodes of several questions, of which each counts from 0.
#[derive(Default)]
struct NodeCount {
    before: u64,
    now: u64,
}

impl NodeCount {
    /// The nodes of all questions when the last one is at `nodes`.
    fn update(&mut self, nodes: u64) -> u64 {
        if nodes < self.now {
            self.before += self.now;
        }
        self.now = nodes;
        self.before + nodes
    }
}

/// Writes the certificate of a position, and says who wins and how long it is.
fn write_certificate<G: Playable>(
    position: &G,
    path: &Path,
    arguments: &SolveArgs,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let memory = arguments.solver_config().memory_bytes;
    let request = arguments.request();
    let mut on_progress = |_| ();
    let mut context = SolveContext::start(&request.limits, &request.stop, None, &mut on_progress);
    let mut text = Vec::new();
    let summary = solvers::write_certificate(position, memory, &mut context, &mut text)
        .ok_or_else(|| {
            let game = game_name(position);
            CliError::Usage(format!("the solver of {game} writes no certificates"))
        })?
        .map_err(|error| CliError::Failed(error.to_string()))?;
    let name = path.display();
    write_atomic_synced(path, |file| file.write_all(&text))
        .map_err(|error| CliError::Failed(format!("cannot write {name}: {error}")))?;
    let winner = notation::outcome_text::<G>(summary.outcome, "proven");
    let count = summary.decisions;
    writeln!(out, "{winner}: {count} decisions in {name}")?;
    Ok(())
}

/// The value that the file says a position has.
fn expected_value(entry: &PositionEntry) -> Result<Option<ExactValue>, CliError> {
    let Some(text) = entry.field("value") else {
        return Ok(None);
    };
    text.parse().map(Some).map_err(|error| {
        let (line, text) = (entry.line, notation::quote(text));
        CliError::Usage(format!("line {line}: value={text}: {error}"))
    })
}

/// One solved position, to be written.
struct Answer<'a, G> {
    position: &'a G,
    entry: &'a PositionEntry,
    found: &'a Solution,
    /// The value of the file, if it differs.
    expected: Option<ExactValue>,
}

#[derive(Serialize)]
struct JsonAnswer<'a> {
    game: String,
    position: String,
    value: Option<JsonValue>,
    /// What scores count, where there are several conventions.
    #[serde(skip_serializing_if = "str::is_empty")]
    score_convention: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<JsonValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<JsonMove<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pv: &'a [String],
    nodes: u64,
    milliseconds: f64,
}

#[derive(Serialize)]
struct JsonMove<'a> {
    #[serde(rename = "move")]
    text: &'a str,
    value: Option<JsonValue>,
}

#[derive(Serialize)]
struct JsonValue {
    class: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
}

impl From<ExactValue> for JsonValue {
    fn from(value: ExactValue) -> Self {
        Self {
            class: value.class.as_str(),
            score: value.score,
            plies: value.plies,
        }
    }
}

impl<G: Playable> Answer<'_, G> {
    fn write_json(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let found = self.found;
        let answer = JsonAnswer {
            game: game_name(self.position),
            position: notation::position_text(self.position),
            value: found.value.map(JsonValue::from),
            score_convention: found.score_convention,
            expected: self.expected.map(JsonValue::from),
            moves: (found.moves.iter())
                .map(|(text, value)| JsonMove {
                    text,
                    value: value.map(JsonValue::from),
                })
                .collect(),
            pv: &found.pv,
            nodes: found.nodes,
            // Whole microseconds.
            milliseconds: (found.time.as_secs_f64() * 1e6).round() / 1e3,
        };
        let text = serde_json::to_string(&answer).map_err(io::Error::from)?;
        writeln!(out, "{text}")?;
        Ok(())
    }

    /// One line of a file: its position as written there, the value, what it took.
    fn write_line(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let PositionEntry {
            position, moves, ..
        } = self.entry;
        let position = match (position.as_str(), moves.as_str()) {
            ("startpos", moves) if !moves.is_empty() => moves.to_owned(),
            (position, "") => position.to_owned(),
            (position, moves) => format!("{position} moves {moves}"),
        };
        let found = self.found;
        let value = value_text(found.value);
        write!(out, "{position}\t{value}")?;
        if !found.moves.is_empty() {
            write!(out, "\t{}", values_text(&found.moves))?;
        }
        if !found.pv.is_empty() {
            write!(out, "\tpv {}", found.pv.join(" "))?;
        }
        write!(
            out,
            "\t{} nodes\t{:.3} s",
            found.nodes,
            found.time.as_secs_f64()
        )?;
        if let Some(expected) = self.expected {
            write!(out, "\texpected {expected}")?;
        }
        writeln!(out)?;
        Ok(())
    }

    /// All about one position, for people.
    fn write_page(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let found = self.found;
        out.write_all(notation::board_text(self.position).as_bytes())?;
        let mover = self.position.to_move();
        writeln!(
            out,
            "{} to move: {}",
            G::PLAYERS[mover.index()],
            self.sentence(found.value)
        )?;
        let width = found
            .moves
            .iter()
            .map(|(text, _)| text.chars().count())
            .max();
        for (text, value) in &found.moves {
            let width = width.unwrap_or(0);
            writeln!(out, "  {text:width$}  {}", self.sentence(*value))?;
        }
        if !found.score_convention.is_empty() {
            writeln!(out, "scores count: {}", found.score_convention)?;
        }
        if !found.pv.is_empty() {
            writeln!(out, "best line: {}", found.pv.join(" "))?;
        }
        let seconds = found.time.as_secs_f64();
        writeln!(out, "{} nodes in {seconds:.3} s", found.nodes)?;
        Ok(())
    }

    /// A value for the player to move, in words that name the winner.
    fn sentence(&self, value: Option<ExactValue>) -> String {
        let Some(value) = value else {
            return "not solved".to_owned();
        };
        let mover = self.position.to_move();
        let mut text = match value.class {
            ValueClass::Win => format!("{} wins", G::PLAYERS[mover.index()]),
            ValueClass::Draw => "draw".to_owned(),
            ValueClass::Loss => format!("{} wins", G::PLAYERS[mover.opponent().index()]),
        };
        match value.plies {
            Some(1) => text += " in 1 ply",
            Some(plies) if plies > 0 => text += &format!(" in {plies} plies"),
            _ => {}
        }
        if let Some(score) = value.score {
            text += &format!(", score {score:+}");
        }
        text
    }
}
