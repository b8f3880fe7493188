//! `canopy-engine bench protocol`: the server's response times, measured on processes of its own.

use std::{
    io::{BufRead as _, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::json;

use super::super::CliError;
use crate::{
    games::{self, notation::Style},
    rng::Rng,
    session,
};

#[derive(Args)]
pub(super) struct ProtocolArgs {
    /// Number of measurements of each latency
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    samples: u32,
    /// One JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ProtocolArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let samples = arguments.samples;
    if !arguments.json {
        writeln!(out, "{:<48}{:>13}{:>17}", "", "median", "95th percentile")?;
    }
    let mut row = |name: &str, mut times: Vec<f64>| -> Result<(), CliError> {
        times.sort_by(f64::total_cmp);
        let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
        let (median, most) = (at(50), at(95));
        if arguments.json {
            writeln!(
                out,
                "{}",
                json!({"what": name, "median_ms": median, "p95_ms": most})
            )?;
        } else {
            writeln!(out, "{name:<48}{median:>10.3} ms{most:>14.3} ms")?;
        }
        out.flush().map_err(Into::into)
    };
    row("start to uciok", time_starts(samples.min(50))?)?;
    row("isready to readyok, idle", time_ready(samples * 10, None)?)?;
    row(
        "isready to readyok, two threads searching",
        time_ready(samples * 3, Some("go infinite"))?,
    )?;
    row("stop to bestmove", time_stops(samples, 1)?)?;
    row("stop to bestmove, two threads", time_stops(samples, 2)?)?;
    for game in games::NAMES {
        let positions = games::facts_of(game).map_or(&[][..], |facts| facts.slow_to_solve);
        if !positions.is_empty() {
            let name = format!("stop to value, {game}");
            row(&name, time_solver_stops(samples.min(40), game, positions)?)?;
        }
    }
    row(
        "quit to the end of the process, searching",
        time_quits(samples.min(50))?,
    )?;
    row("late after movetime 10", time_movetimes(samples)?)?;
    let rate = position_query_rate(200_000)?;
    if arguments.json {
        writeln!(
            out,
            "{}",
            json!({"what": "position and query", "pairs_per_second": rate})
        )?;
    } else {
        writeln!(
            out,
            "{:<48}{rate:>10.0} a second",
            "position and query, pipelined"
        )?;
    }
    Ok(())
}

/// An engine process and the ways to it.
struct ServerProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl ServerProcess {
    fn start() -> Result<Self, CliError> {
        let mut child = Command::new(std::env::current_exe()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(CliError::Usage("no pipes to a process".to_owned()));
        };
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    fn send(&mut self, line: &str) -> Result<(), CliError> {
        self.input.write_all(format!("{line}\n").as_bytes())?;
        Ok(self.input.flush()?)
    }

    /// Reads until a line begins with `word`, and returns that line.
    fn read_until(&mut self, word: &str) -> Result<String, CliError> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err(CliError::Usage(format!(
                    "the server ended before it said {word}"
                )));
            }
            if line.starts_with(word) {
                return Ok(line);
            }
        }
    }

    fn quit(mut self) -> Result<f64, CliError> {
        let begun = Instant::now();
        self.send("quit")?;
        self.child.wait()?;
        Ok(elapsed_ms(begun))
    }
}

/// Kills an engine that was not told to quit.
impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn elapsed_ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

fn time_starts(samples: u32) -> Result<Vec<f64>, CliError> {
    let mut times = Vec::new();
    for _ in 0..samples {
        let begun = Instant::now();
        let mut engine = ServerProcess::start()?;
        engine.send("uci")?;
        engine.read_until("uciok")?;
        times.push(elapsed_ms(begun));
        engine.quit()?;
    }
    Ok(times)
}

fn time_ready(samples: u32, first: Option<&str>) -> Result<Vec<f64>, CliError> {
    let mut engine = ServerProcess::start()?;
    engine.send("setoption name Threads value 2")?;
    if let Some(line) = first {
        engine.send(line)?;
    }
    let mut times = Vec::new();
    for _ in 0..samples {
        thread::sleep(Duration::from_millis(1));
        let begun = Instant::now();
        engine.send("isready")?;
        engine.read_until("readyok")?;
        times.push(elapsed_ms(begun));
    }
    Ok(times)
}

fn time_stops(samples: u32, threads: u32) -> Result<Vec<f64>, CliError> {
    let mut engine = ServerProcess::start()?;
    engine.send(&format!("setoption name Threads value {threads}"))?;
    let mut times = Vec::new();
    for _ in 0..samples {
        engine.send("ucinewgame")?;
        engine.send("go infinite")?;
        thread::sleep(Duration::from_millis(30));
        let begun = Instant::now();
        engine.send("stop")?;
        engine.read_until("bestmove")?;
        times.push(elapsed_ms(begun));
    }
    Ok(times)
}

/// Stops questions for the value of positions; those that were answered before that do not count.
fn time_solver_stops(samples: u32, game: &str, positions: &[&str]) -> Result<Vec<f64>, CliError> {
    let mut engine = ServerProcess::start()?;
    engine.send("ugi")?;
    engine.send(&format!("setoption name Game value {game}"))?;
    engine.send("setoption name CacheDir value none")?;
    let mut times = Vec::new();
    for (sample, position) in (0..u64::from(samples)).zip(positions.iter().cycle()) {
        engine.send(&format!("position {position}"))?;
        engine.send("query value movetime 1000000")?;
        // Moments spread over half a second.
        thread::sleep(Duration::from_millis(10 + 37 * sample % 500));
        let begun = Instant::now();
        engine.send("stop")?;
        if engine.read_until("response value")?.contains("unknown") {
            times.push(elapsed_ms(begun));
        }
    }
    match times.is_empty() {
        true => Err(CliError::Failed(format!(
            "{game}: all positions were solved too soon"
        ))),
        false => Ok(times),
    }
}

fn time_quits(samples: u32) -> Result<Vec<f64>, CliError> {
    let mut times = Vec::new();
    for _ in 0..samples {
        let mut engine = ServerProcess::start()?;
        engine.send("go infinite")?;
        engine.send("isready")?;
        engine.read_until("readyok")?;
        thread::sleep(Duration::from_millis(20));
        times.push(engine.quit()?);
    }
    Ok(times)
}

fn time_movetimes(samples: u32) -> Result<Vec<f64>, CliError> {
    let mut engine = ServerProcess::start()?;
    let mut times = Vec::new();
    for _ in 0..samples {
        let begun = Instant::now();
        engine.send("go movetime 10")?;
        engine.read_until("bestmove")?;
        times.push(elapsed_ms(begun) - 10.0);
    }
    Ok(times)
}

/// Pairs of position and query a second, for a game of connect four that grows to 40 moves and begins again.
fn position_query_rate(count: usize) -> Result<f64, CliError> {
    let moves = (0..1000)
        .map(random_game)
        .find(|moves| moves.len() >= 40)
        .ok_or_else(|| CliError::Usage("no game of 40 moves".to_owned()))?;
    let mut engine = ServerProcess::start()?;
    engine.send("ugi")?;
    engine.send(&format!("setoption name Game value {}", games::DEMO.name))?;
    engine.send("isready")?;
    engine.read_until("readyok")?;
    let mut text = String::new();
    for length in 0..40 {
        text.push_str("position startpos moves ");
        text.push_str(&moves[..=length].join(" "));
        text.push_str("\nquery gameover\n");
    }
    let begun = Instant::now();
    let ServerProcess { input, output, .. } = &mut engine;
    thread::scope(|scope| {
        let writer = scope.spawn(move || -> std::io::Result<()> {
            for _ in 0..count.div_ceil(40) {
                input.write_all(text.as_bytes())?;
            }
            input.flush()
        });
        let mut line = String::new();
        for _ in 0..count.div_ceil(40) * 40 {
            line.clear();
            output.read_line(&mut line)?;
        }
        writer.join().unwrap_or(Ok(()))
    })?;
    Ok((count.div_ceil(40) * 40) as f64 / begun.elapsed().as_secs_f64())
}

/// The moves of a random game, without the one that ends it.
fn random_game(seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut moves = Vec::new();
    let Ok(mut session) = session::open(games::DEMO.name) else {
        return moves;
    };
    while session.outcome().is_none() {
        let legal = session.moves(Style::Own);
        let mv = legal[rng.below(legal.len() as u32) as usize].clone();
        if session.play(&mv).is_err() {
            break;
        }
        moves.push(mv);
    }
    moves.pop();
    moves
}
