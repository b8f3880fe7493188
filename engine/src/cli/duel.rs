//! `canopy-engine duel`: games between two searches in this process, colours swapped from game to game.

use std::{
    io::Write,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use clap::Args;

use super::{CliError, PositionWork, name_of, with_position};
use crate::{
    catalog::{self, Spec},
    games::{History, Outcome, Playable, Player},
    rng::child_seed,
    search::{Limits, Search, Stop, Task},
};

#[derive(Args)]
pub(super) struct DuelArgs {
    /// The game, with a variant if wanted
    #[arg(long)]
    game: String,
    /// The two searches, with parameters after commas, such as uct,iterations=300; given twice
    #[arg(long, value_name = "SEARCH", num_args = 1, required = true)]
    search: Vec<String>,
    /// How many games
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Random plies before the searches take over, the same for both games of a pair
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    opening: u32,
    /// Which games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    concurrency: u64,
}

pub(super) fn run(arguments: &DuelArgs, out: &mut dyn Write) -> Result<(), CliError> {
    if arguments.search.len() != 2 {
        return Err(CliError::Usage(format!(
            "{} searches given: expected --search twice",
            arguments.search.len()
        )));
    }
    with_position(&arguments.game, "startpos", Duel { arguments, out })
}

struct Duel<'a> {
    arguments: &'a DuelArgs,
    out: &'a mut dyn Write,
}

/// Games won by the first search, drawn, and won by the second; with each of them moving first.
type Score = [[u64; 3]; 2];

impl PositionWork for Duel<'_> {
    fn run<G: Playable>(self, start: G) -> Result<(), CliError> {
        let arguments = self.arguments;
        let specs = [
            catalog::parse::<G>(&arguments.search[0])?,
            catalog::parse::<G>(&arguments.search[1])?,
        ];
        let next = AtomicU64::new(0);
        let score = Mutex::new(Score::default());
        std::thread::scope(|scope| {
            for _ in 0..arguments.concurrency {
                scope.spawn(|| {
                    loop {
                        let game = next.fetch_add(1, Ordering::Relaxed);
                        if game >= arguments.games {
                            return;
                        }
                        let starter = (game % 2) as usize;
                        let outcome = play(&start, &specs, starter, game, arguments);
                        let column = match outcome {
                            Outcome::Draw => 1,
                            Outcome::Win(winner) if winner.index() == starter => 0,
                            Outcome::Win(_) => 2,
                        };
                        score.lock().expect("no game panics")[starter][column] += 1;
                    }
                });
            }
        });
        let score = score.into_inner().expect("no game panics");
        let out = self.out;
        writeln!(out, "{}, {} games", name_of(&start), arguments.games)?;
        writeln!(out, "A: {}", arguments.search[0])?;
        writeln!(out, "B: {}", arguments.search[1])?;
        writeln!(
            out,
            "A moves first: A won {}, drawn {}, B won {}",
            score[0][0], score[0][1], score[0][2]
        )?;
        writeln!(
            out,
            "B moves first: A won {}, drawn {}, B won {}",
            score[1][0], score[1][1], score[1][2]
        )?;
        let won = score[0][0] + score[1][0];
        let drawn = score[0][1] + score[1][1];
        let lost = score[0][2] + score[1][2];
        let points = won as f64 + drawn as f64 / 2.0;
        let (low, high) = wilson(points, arguments.games as f64);
        writeln!(
            out,
            "A: {won} won, {drawn} drawn, {lost} lost: {points} points of {}",
            arguments.games
        )?;
        writeln!(
            out,
            "A's score {:.1} %, 95 % interval {:.1} to {:.1} %",
            100.0 * points / arguments.games as f64,
            100.0 * low,
            100.0 * high
        )?;
        Ok(())
    }
}

/// Wilson's 95 % interval for a score; a draw counts as half a win, which makes it a little too wide.
fn wilson(points: f64, games: f64) -> (f64, f64) {
    const Z: f64 = 1.959964;
    let share = points / games;
    let middle = share + Z * Z / (2.0 * games);
    let spread = Z * (share * (1.0 - share) / games + Z * Z / (4.0 * games * games)).sqrt();
    let scale = 1.0 + Z * Z / games;
    ((middle - spread) / scale, (middle + spread) / scale)
}

/// One game; `starter` is the search that moves first.
fn play<G: Playable>(
    start: &G,
    specs: &[Spec; 2],
    starter: usize,
    game: u64,
    arguments: &DuelArgs,
) -> Outcome {
    let seed = child_seed(arguments.seed, game);
    let mut searches: Vec<Box<dyn Search<G>>> = specs
        .iter()
        .zip(1..)
        .map(|(spec, side)| {
            let spec = spec.with_seed(child_seed(seed, side));
            catalog::build::<G>(&spec).expect("parse gives only searches of this game")
        })
        .collect();
    let mut position = start.clone();
    let mut history = History::new();
    history.push(&position);
    let mut rng = crate::rng::Rng::new(child_seed(arguments.seed, game / 2 + (1 << 40)));
    for _ in 0..arguments.opening {
        if history.outcome(&position).is_some() {
            break;
        }
        if let Some(mv) = position.random_move(&mut rng) {
            position.play(mv);
            history.push(&position);
        }
    }
    loop {
        if let Some(outcome) = history.outcome(&position) {
            return outcome;
        }
        let first_moves = position.to_move() == Player::First;
        let mover = if first_moves { starter } else { 1 - starter };
        let choice = searches[mover].choose(Task::new(
            &position,
            &history,
            &Limits::default(),
            &Stop::new(),
        ));
        for search in &mut searches {
            search.advance(choice.best);
        }
        position.play(choice.best);
        history.push(&position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_has_published_values() {
        // 8 of 10: Wilson's interval is 0.490 to 0.943.
        let (low, high) = wilson(8.0, 10.0);
        assert!(
            (low - 0.490).abs() < 5e-4 && (high - 0.943).abs() < 5e-4,
            "{low} {high}"
        );
    }
}
