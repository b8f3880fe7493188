//! `canopy-engine duel`: games between two searches in this process, colours swapped from game to game.

use std::{
    io::Write,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use clap::Args;
use rand::SeedableRng as _;

use super::{CliError, PositionCommand, game_name, with_position};
use crate::{
    arena::stats::WdlCounts,
    catalog::{self, Spec},
    games::{History, Outcome, Playable, Player},
    protocol::client_watch,
    rng::{Rng, child_seed, resolve_seed},
    search::{Search, SearchLimits, SearchTask, StopFlag},
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
    /// Nodes of each search, or playouts; without it, the searches' own limits
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Which games; 0 for a seed from the operating system
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
    client_watch::exit_when_stdout_closes();
    with_position(&arguments.game, "startpos", arguments, out)
}

/// Games won by the first search, drawn, and won by the second; with each of them moving first.
type DuelScore = [[u32; 3]; 2];

impl PositionCommand for &DuelArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let specs = [
            catalog::parse::<G>(&self.search[0])?,
            catalog::parse::<G>(&self.search[1])?,
        ];
        for (search, spec) in self.search.iter().zip(&specs) {
            super::print_remarks(search);
            if let Some(search) = catalog::build::<G>(spec) {
                super::print_shortfalls(&*search);
            }
        }
        let seed = resolve_seed(self.seed);
        let limits = SearchLimits {
            nodes: self.nodes,
            ..SearchLimits::default()
        };
        let next = AtomicU64::new(0);
        let score = Mutex::new(DuelScore::default());
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency {
                scope.spawn(|| {
                    loop {
                        let game = next.fetch_add(1, Ordering::Relaxed);
                        if game >= self.games {
                            return;
                        }
                        let starter = (game % 2) as usize;
                        let opening_seed = child_seed(seed, game / 2 + (1 << 40));
                        let opening = (self.opening, opening_seed);
                        let seed = child_seed(seed, game);
                        let outcome = play_game(&start, &specs, starter, seed, opening, &limits);
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
        writeln!(out, "{}, {} games", game_name(&start), self.games)?;
        writeln!(out, "seed {seed}")?;
        writeln!(out, "A: {}", self.search[0])?;
        writeln!(out, "B: {}", self.search[1])?;
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
        let [first, second] = score.map(|[won, drawn, lost]| WdlCounts::new(won, drawn, lost));
        let all = first + second;
        let interval = all.wilson_interval();
        writeln!(
            out,
            "A: {} won, {} drawn, {} lost: {} points of {}",
            all.wins,
            all.draws,
            all.losses,
            all.points(),
            self.games
        )?;
        writeln!(
            out,
            "A's score {:.1} %, 95 % interval {:.1} to {:.1} %",
            100.0 * all.score(),
            100.0 * interval.low,
            100.0 * interval.high
        )?;
        Ok(())
    }
}

/// One game after an opening of so many random plies, which have a seed of their own; `starter` is the search that moves
/// first.
fn play_game<G: Playable>(
    start: &G,
    specs: &[Spec; 2],
    starter: usize,
    seed: u64,
    (opening_plies, opening_seed): (u32, u64),
    limits: &SearchLimits,
) -> Outcome {
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
    let mut rng = Rng::seed_from_u64(opening_seed);
    for _ in 0..opening_plies {
        if history.outcome(&position).is_some() {
            break;
        }
        if let Some(mv) = position.random_move(&mut rng) {
            history.play(&mut position, mv);
        }
    }
    loop {
        if let Some(outcome) = history.outcome(&position) {
            return outcome;
        }
        let first_moves = position.to_move() == Player::First;
        let mover = if first_moves { starter } else { 1 - starter };
        let choice = searches[mover].search(SearchTask::new(
            &position,
            &history,
            limits,
            &StopFlag::new(),
        ));
        for search in &mut searches {
            search.advance(choice.mv);
        }
        history.play(&mut position, choice.mv);
    }
}
