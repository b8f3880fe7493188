//! `canopy-engine duel`: games between two searches in this process, colours swapped from game to game.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
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
    experiments::summary,
    games::{History, Outcome, Playable, Player, notation::quote},
    protocol::client_watch,
    rng::{Rng, child_seed, resolve_seed},
    search::{Search, SearchLimits, SearchTask, StopFlag},
    tree::files::write_atomic_synced,
};

#[derive(Args)]
pub(super) struct DuelArgs {
    /// The game, with a variant if wanted
    #[arg(long, required_unless_present = "list")]
    game: Option<String>,
    /// The two searches, with parameters after commas, such as uct,iterations=300; given twice
    #[arg(
        long,
        value_name = "SEARCH",
        num_args = 1,
        required_unless_present = "list"
    )]
    search: Vec<String>,
    /// Play all duels of a file and print a table: a line each, GAME SEARCH SEARCH and, if wanted, games=N opening=N nodes=N seed=N
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "search", "games", "opening", "nodes", "seed"])]
    list: Option<PathBuf>,
    /// Put the table into this page, between its lines for it
    #[arg(long, value_name = "PAGE", requires = "list")]
    into: Option<PathBuf>,
    #[command(flatten)]
    terms: DuelTerms,
    /// Games at a time
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    concurrency: u64,
}

/// What a duel is played under.
#[derive(Args, Clone, Copy)]
struct DuelTerms {
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
}

/// What the beginning of the table in a page says.
const BEGIN_MARK: &str = "<!-- duels: written by canopy-engine duel --list -->";

pub(super) fn run(arguments: &DuelArgs, out: &mut dyn Write) -> Result<(), CliError> {
    client_watch::exit_when_stdout_closes();
    if let Some(list) = &arguments.list {
        return run_list(list, arguments, out);
    }
    let [first, second] = &arguments.search[..] else {
        return Err(CliError::Usage(format!(
            "{} searches given: expected --search twice",
            arguments.search.len()
        )));
    };
    let duel = Duel {
        game: arguments.game.clone().unwrap_or_default(),
        searches: [first.clone(), second.clone()],
        terms: DuelTerms {
            seed: resolve_seed(arguments.terms.seed),
            ..arguments.terms
        },
    };
    let score = play(&duel, arguments.concurrency)?;
    print_score(out, &duel, &score)
}

/// Plays the games of a duel.
fn play(duel: &Duel, concurrency: u64) -> Result<DuelScore, CliError> {
    let mut score = DuelScore::default();
    let command = DuelCommand {
        duel,
        concurrency,
        score: &mut score,
    };
    with_position(&duel.game, "startpos", command, &mut io::sink())?;
    Ok(score)
}

/// A duel to be played.
struct Duel {
    game: String,
    searches: [String; 2],
    terms: DuelTerms,
}

impl Duel {
    /// Reads a line of a list.
    fn read(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let (Some(game), Some(first), Some(second)) = (words.next(), words.next(), words.next())
        else {
            return Err("expected GAME SEARCH SEARCH".to_owned());
        };
        let mut duel = Self {
            game: game.to_owned(),
            searches: [first.to_owned(), second.to_owned()],
            terms: DuelTerms {
                games: 200,
                opening: 0,
                nodes: None,
                seed: 1,
            },
        };
        for word in words {
            let number = word.split_once('=').and_then(|(name, text)| {
                let number = text.parse::<u64>().ok().filter(|&number| number > 0)?;
                Some((name, number))
            });
            match number {
                Some(("games", number)) => duel.terms.games = number,
                Some(("nodes", number)) => duel.terms.nodes = Some(number),
                Some(("seed", number)) => duel.terms.seed = number,
                Some(("opening", number)) if number <= 1000 => duel.terms.opening = number as u32,
                _ => {
                    return Err(format!(
                        "{}: expected games=N, opening=N, nodes=N or seed=N, each from 1",
                        quote(word)
                    ));
                }
            }
        }
        Ok(duel)
    }
}

/// Plays the duels of a file one after the other.
fn run_list(list: &Path, arguments: &DuelArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path);
        text.map_err(|error| CliError::Usage(format!("{}: {error}", path.display())))
    };
    let text = read(list)?;
    let mut duels = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let at_line = |problem: String| {
            CliError::Usage(format!("{}, line {number}: {problem}", list.display()))
        };
        let duel = Duel::read(line).map_err(at_line)?;
        // Mistakes are told before hours of play.
        with_position(
            &duel.game,
            "startpos",
            CheckSearches(&duel),
            &mut io::sink(),
        )?;
        duels.push(duel);
    }
    let page = match &arguments.into {
        Some(path) => Some((path, read(path)?)),
        None => None,
    };
    let marks_are_missing = |path: &Path| {
        CliError::Usage(format!(
            "{}: expected a line {BEGIN_MARK:?} and {:?} below it",
            path.display(),
            summary::END_MARK
        ))
    };
    if let Some((path, text)) = &page {
        summary::insert_after(text, BEGIN_MARK, "").ok_or_else(|| marks_are_missing(path))?;
    }
    let mut table = String::from(TABLE_HEAD);
    write!(out, "{TABLE_HEAD}")?;
    for duel in &duels {
        let score = play(duel, arguments.concurrency)?;
        let row = table_row(duel, &score);
        write!(out, "{row}")?;
        out.flush()?;
        table += &row;
    }
    if let Some((path, text)) = page {
        let new = summary::insert_after(&text, BEGIN_MARK, &table)
            .ok_or_else(|| marks_are_missing(path))?;
        write_atomic_synced(path, |file| file.write_all(new.as_bytes()))
            .map_err(|error| CliError::Failed(format!("{}: {error}", path.display())))?;
    }
    Ok(())
}

const TABLE_HEAD: &str = "| game | A | B | nodes | opening | seed | games | won, drawn, lost | A's score |\n\
                          |---|---|---|---|---|---|---|---|---|\n";

fn table_row(duel: &Duel, score: &DuelScore) -> String {
    let all = total(score);
    let interval = all.wilson_interval();
    let DuelTerms {
        games,
        opening,
        nodes,
        seed,
    } = duel.terms;
    let nodes = nodes.map_or_else(|| "their own".to_owned(), |nodes| nodes.to_string());
    format!(
        "| {} | `{}` | `{}` | {nodes} | {opening} | {seed} | {games} | {}, {}, {} | {:.1} % ({:.1} to {:.1}) |\n",
        duel.game,
        duel.searches[0],
        duel.searches[1],
        all.wins,
        all.draws,
        all.losses,
        100.0 * all.score(),
        100.0 * interval.low,
        100.0 * interval.high
    )
}

/// The first line of a result.
struct PrintGame(u64);

impl PositionCommand for PrintGame {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        Ok(writeln!(out, "{}, {} games", game_name(&start), self.0)?)
    }
}

/// Whether both searches of a duel can play its game.
struct CheckSearches<'a>(&'a Duel);

impl PositionCommand for CheckSearches<'_> {
    fn run<G: Playable>(self, _: G, _: &mut dyn Write) -> Result<(), CliError> {
        for search in &self.0.searches {
            catalog::parse::<G>(search)?;
        }
        Ok(())
    }
}

struct DuelCommand<'a> {
    duel: &'a Duel,
    concurrency: u64,
    score: &'a mut DuelScore,
}

/// Games won by the first search, drawn, and won by the second; with each of them moving first.
type DuelScore = [[u32; 3]; 2];

/// The games of both colours, as the first search sees them.
fn total(score: &DuelScore) -> WdlCounts {
    let [first, second] = score.map(|[won, drawn, lost]| WdlCounts::new(won, drawn, lost));
    first + second
}

impl PositionCommand for DuelCommand<'_> {
    fn run<G: Playable>(self, start: G, _: &mut dyn Write) -> Result<(), CliError> {
        let Self {
            duel,
            concurrency,
            score: result,
        } = self;
        let specs = [
            catalog::parse::<G>(&duel.searches[0])?,
            catalog::parse::<G>(&duel.searches[1])?,
        ];
        for (search, spec) in duel.searches.iter().zip(&specs) {
            super::print_remarks(search);
            if let Some(search) = catalog::build::<G>(spec) {
                super::print_shortfalls(&*search);
            }
        }
        let DuelTerms {
            games,
            opening,
            nodes,
            seed,
        } = duel.terms;
        let limits = SearchLimits {
            nodes,
            ..SearchLimits::default()
        };
        let next = AtomicU64::new(0);
        let score = Mutex::new(DuelScore::default());
        std::thread::scope(|scope| {
            for _ in 0..concurrency {
                scope.spawn(|| {
                    loop {
                        let game = next.fetch_add(1, Ordering::Relaxed);
                        if game >= games {
                            return;
                        }
                        let starter = (game % 2) as usize;
                        let opening_seed = child_seed(seed, game / 2 + (1 << 40));
                        let opening = (opening, opening_seed);
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
        *result = score.into_inner().expect("no game panics");
        Ok(())
    }
}

fn print_score(out: &mut dyn Write, duel: &Duel, score: &DuelScore) -> Result<(), CliError> {
    let games = duel.terms.games;
    with_position(&duel.game, "startpos", PrintGame(games), out)?;
    writeln!(out, "seed {}", duel.terms.seed)?;
    writeln!(out, "A: {}", duel.searches[0])?;
    writeln!(out, "B: {}", duel.searches[1])?;
    for ([won, drawn, lost], first) in score.iter().zip(["A", "B"]) {
        writeln!(
            out,
            "{first} moves first: A won {won}, drawn {drawn}, B won {lost}"
        )?;
    }
    let all = total(score);
    let interval = all.wilson_interval();
    writeln!(
        out,
        "A: {} won, {} drawn, {} lost: {} points of {games}",
        all.wins,
        all.draws,
        all.losses,
        all.points(),
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
