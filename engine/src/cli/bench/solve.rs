//! `canopy-engine bench solve`: time and nodes that an exact solver takes for positions with known scores.

use std::{fs, io::Write, path::PathBuf, time::Duration};

use clap::Args;
use serde_json::json;

use super::super::{CliError, PositionCommand, game_help, game_name, with_position};
use crate::{
    catalog::solvers::{self, SolverConfig},
    games::{Playable, notation},
    search::{
        SearchLimits, StopFlag,
        exact::{Exact, SolveContext},
    },
};

#[derive(Args)]
pub(super) struct SolveArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    /// Memory of the solver, in megabytes
    #[arg(long, value_name = "MEGABYTES", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    memory: u64,
    /// Threads of the solver: "us" is the time of all together, "wall us" that on the wall
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Files of lines with a position and its score for the player to move; the solver forgets everything in between
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// One JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &SolveArgs, out: &mut dyn Write) -> Result<(), CliError> {
    with_position(&arguments.game, "startpos", arguments, out)
}

/// Sums over the positions of a file.
#[derive(Default)]
struct Sums {
    positions: u32,
    /// Of all processors together.
    solving: Duration,
    /// On the wall.
    solving_wall: Duration,
    clearing: Duration,
    nodes: u64,
    mismatches: u32,
}

impl PositionCommand for &SolveArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let config = SolverConfig {
            memory_bytes: usize::try_from(self.memory << 20).unwrap_or(usize::MAX),
            threads: self.threads as usize,
            uses_book: false,
            empties_to_winner: false,
        };
        let game = game_name(&start);
        let mut solver = solvers::solver::<G>(start.rules(), config);
        if !self.json {
            let columns = [
                "positions",
                "us",
                "wall us",
                "nodes",
                "clear us",
                "mismatches",
            ];
            write!(out, "{:<32}", "file")?;
            columns
                .iter()
                .try_for_each(|name| write!(out, "{name:>12}"))?;
            writeln!(out)?;
        }
        let mut mismatches = 0;
        for path in &self.files {
            let name = path.display().to_string();
            let text = fs::read_to_string(path)
                .map_err(|error| CliError::Failed(format!("{name}: {error}")))?;
            let sums = solve_lines(&mut *solver, start.rules(), &name, &text)?;
            mismatches += sums.mismatches;
            sums.print(self.json, &game, &name, out)?;
        }
        match mismatches {
            0 => Ok(()),
            count => Err(CliError::Failed(format!(
                "{count} scores differ from the files'"
            ))),
        }
    }
}

fn solve_lines<G: Playable>(
    solver: &mut dyn Exact<G>,
    rules: G::Rules,
    name: &str,
    text: &str,
) -> Result<Sums, CliError> {
    let mut sums = Sums::default();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (position, score) = read_line::<G>(rules, line)
            .map_err(|problem| CliError::Usage(format!("{name}, line {}: {problem}", index + 1)))?;
        let before_clearing = processor_time();
        solver.clear();
        let before_solving = processor_time();
        let stop = StopFlag::new();
        let mut ignore = |_| {};
        let limits = SearchLimits::default();
        let mut context = SolveContext::start(&limits, &stop, None, &mut ignore);
        let value = solver.value(&position, &mut context);
        sums.solving += processor_time() - before_solving;
        sums.solving_wall += context.elapsed();
        sums.clearing += before_solving - before_clearing;
        sums.positions += 1;
        sums.nodes += solver.nodes();
        sums.mismatches += u32::from(value.and_then(|value| value.score) != Some(score));
    }
    Ok(sums)
}

/// A position and its score.
fn read_line<G: Playable>(rules: G::Rules, line: &str) -> Result<(G, i32), String> {
    let (position, score) = line
        .trim()
        .rsplit_once(char::is_whitespace)
        .ok_or("expected a position and its score")?;
    let position = notation::read_position(rules, position).map_err(|error| error.to_string())?;
    let score = score
        .parse()
        .map_err(|_| format!("expected a score, not {}", notation::quote(score)))?;
    Ok((position, score))
}

impl Sums {
    fn print(
        &self,
        as_json: bool,
        game: &str,
        name: &str,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let per_position = |sum: f64| sum / f64::from(self.positions.max(1));
        let micros = per_position(self.solving.as_secs_f64() * 1e6);
        let wall = per_position(self.solving_wall.as_secs_f64() * 1e6);
        let clear = per_position(self.clearing.as_secs_f64() * 1e6);
        let nodes = per_position(self.nodes as f64);
        let (positions, mismatches) = (self.positions, self.mismatches);
        if as_json {
            let row = json!({
                "bench": "solve", "game": game, "file": name, "positions": positions, "value": micros, "unit": "us",
                "wall_us": wall, "nodes": nodes, "clear_us": clear, "mismatches": mismatches,
            });
            writeln!(out, "{row}")?;
        } else {
            writeln!(
                out,
                "{name:<32}{positions:>12}{micros:>12.2}{wall:>12.2}{nodes:>12.1}{clear:>12.2}{mismatches:>12}"
            )?;
        }
        out.flush()?;
        Ok(())
    }
}

/// Time that this process has spent on processors: other programs do not disturb it as they do the clock on the wall.
fn processor_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    {
        use std::{sync::LazyLock, time::Instant};
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}
