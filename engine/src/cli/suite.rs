//! `canopy-engine suite`: makes positions with exact values, for judging searches.

use std::{collections::HashSet, io::Write, ops::RangeInclusive};

use clap::Args;

use super::{CliError, PositionCommand, game_help, game_name, with_position};
use crate::{
    arena::judge::Truth,
    catalog::{
        self,
        solvers::{self, SolverConfig},
    },
    games::{
        History, Playable,
        notation::{move_text, position_text},
    },
    rng::{Rng, child_seed},
    search::{
        SearchLimits, SearchTask, StopFlag,
        exact::{self, Exact, ExactValue, SolveContext},
    },
};

#[derive(Args)]
pub(super) struct SuiteArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    /// Positions, as many of each of the five levels if there are enough of them
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(5..=100_000))]
    count: u32,
    /// Random plies from the start of the game, such as 8-24
    #[arg(long, value_name = "FROM-TO", default_value = "8-24", value_parser = parse_range)]
    plies: RangeInclusive<u32>,
    /// Random endings with so many pieces instead of random games, such as 3-4; at chess
    #[arg(long, value_name = "FROM-TO", value_parser = parse_range, conflicts_with = "plies")]
    pieces: Option<RangeInclusive<u32>>,
    /// Which positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes in which a position must be solved
    #[arg(long, value_name = "NODES", default_value_t = 50_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Random games in which as many positions of each level are looked for; later ones may have any level
    #[arg(long, value_name = "GAMES")]
    games: Option<u64>,
}

fn parse_range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let range = text.split_once('-').and_then(|(from, to)| {
        let range = from.trim().parse::<u32>().ok()?..=to.trim().parse::<u32>().ok()?;
        (!range.is_empty()).then_some(range)
    });
    range.ok_or_else(|| "expected two numbers, such as 8-24".to_owned())
}

/// Memory of the solver.
const SOLVER_MEMORY_BYTES: usize = 512 << 20;

/// Levels of difficulty; a position has level n if UCT keeps its result with the nth of [`LEVEL_ITERATIONS`], and the last
/// level if it does not with any.
const LEVELS: usize = 5;
const LEVEL_ITERATIONS: [u64; LEVELS - 1] = [100, 1_000, 10_000, 100_000];
/// Searches per level, and how many of them must keep the result.
const LEVEL_TRIALS: u64 = 10;
const LEVEL_MIN_KEPT: usize = 9;
const LEVEL_MAX_LOST: usize = LEVEL_TRIALS as usize - LEVEL_MIN_KEPT;

/// Random games after which the generator gives up, for each wanted position.
const MAX_GAMES_PER_POSITION: u64 = 2_000;

pub(super) fn run(arguments: &SuiteArgs, out: &mut dyn Write) -> Result<(), CliError> {
    with_position(&arguments.game, "startpos", arguments, out)
}

impl PositionCommand for &SuiteArgs {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let game = game_name(&start);
        write_header(out, &game, self)?;
        let mut generator = SuiteGenerator::new(start, self);
        let per_level = self.count.div_ceil(LEVELS as u32) as usize;
        let mut counts = [0; LEVELS];
        let mut written = 0;
        let max_games = u64::from(self.count) * MAX_GAMES_PER_POSITION;
        let balanced_games = self.games.unwrap_or(max_games);
        for number in 0..max_games {
            if written == self.count {
                return Ok(());
            }
            let Some(found) = generator.candidate(number) else {
                continue;
            };
            let level = generator.level(&found);
            let is_wanted = |count: &usize| number >= balanced_games || *count < per_level;
            let Some(count) = counts.get_mut(level - 1).filter(|count| is_wanted(count)) else {
                continue;
            };
            *count += 1;
            written += 1;
            writeln!(
                out,
                "{game}\t{}\t{}\tvalue={} values={} level={level}",
                found.start,
                found.moves,
                found.truth.best(),
                found.value_texts(),
            )?;
            out.flush()?;
        }
        Err(CliError::Failed(format!(
            "only {written} of {} positions were found in {max_games} random games; by level: {counts:?}",
            self.count
        )))
    }
}

fn write_header(out: &mut dyn Write, game: &str, arguments: &SuiteArgs) -> Result<(), CliError> {
    let (origin, range, play) = match &arguments.pieces {
        Some(pieces) => ("pieces", pieces, "Random endings"),
        None => ("plies", &arguments.plies, "Random play"),
    };
    let (from, to) = (range.start(), range.end());
    let games = arguments.games.map(|games| format!(" --games {games}"));
    writeln!(
        out,
        "# Positions of {game} with exact values for the player to move. Made by canopy-engine suite --game {game} --count {} \
         --{origin} {from}-{to} --seed {} --nodes {}{}",
        arguments.count,
        arguments.seed,
        arguments.nodes,
        games.unwrap_or_default()
    )?;
    writeln!(
        out,
        "# {play}; nobody wins at once, and the moves have different results. level=N: UCT keeps the result in {LEVEL_MIN_KEPT} \
         of {LEVEL_TRIALS} searches of {LEVEL_ITERATIONS:?} iterations (level 1 to 4), or in none of them (5)"
    )?;
    Ok(())
}

/// A position fit for a suite.
struct SuitePosition<G: Playable> {
    position: G,
    history: History,
    /// The position before `moves`.
    start: String,
    moves: String,
    values: Vec<(G::Move, ExactValue)>,
    truth: Truth<G::Move>,
}

impl<G: Playable> SuitePosition<G> {
    fn value_texts(&self) -> String {
        let texts: Vec<String> = (self.values.iter())
            .map(|(mv, value)| format!("{}:{value}", move_text(&self.position, *mv)))
            .collect();
        texts.join(",")
    }
}

struct SuiteGenerator<'a, G: Playable> {
    start: G,
    arguments: &'a SuiteArgs,
    solver: Box<dyn Exact<G>>,
    seen: HashSet<u64>,
}

impl<'a, G: Playable> SuiteGenerator<'a, G> {
    fn new(start: G, arguments: &'a SuiteArgs) -> Self {
        Self {
            solver: solvers::solver::<G>(start.rules(), SolverConfig::plain(SOLVER_MEMORY_BYTES)),
            start,
            arguments,
            seen: HashSet::new(),
        }
    }

    /// The position after a random game; none if it is not fit or known already. The number of the game decides it.
    fn candidate(&mut self, number: u64) -> Option<SuitePosition<G>> {
        let mut rng = Rng::new(child_seed(self.arguments.seed, number));
        let (position, history, start, texts) = match &self.arguments.pieces {
            Some(pieces) => self.random_ending(pieces, &mut rng)?,
            None => self.random_game(&mut rng)?,
        };
        let is_over = history.outcome(&position).is_some();
        if is_over || wins_at_once(&position) || !self.seen.insert(position.key()) {
            return None;
        }
        let limits = SearchLimits {
            nodes: Some(self.arguments.nodes),
            ..SearchLimits::default()
        };
        let mut on_progress = |_| ();
        self.solver.clear();
        let mut context = SolveContext::start(&limits, &StopFlag::new(), None, &mut on_progress);
        let values = exact::solved(self.solver.values(&position, &mut context))?;
        let truth = Truth::new(values.clone())?;
        let best = truth.best().class;
        let has_choice = values.iter().any(|(_, value)| value.class != best);
        has_choice.then_some(SuitePosition {
            position,
            history,
            start,
            moves: texts.join(" "),
            values,
            truth,
        })
    }

    /// The position after random moves, its history, where it began, and the moves.
    fn random_game(&self, rng: &mut Rng) -> Option<(G, History, String, Vec<String>)> {
        let (from, to) = self.arguments.plies.clone().into_inner();
        let plies = from + rng.below(to - from + 1);
        let mut position = self.start.clone();
        let mut history = History::new();
        history.push(&position);
        let mut texts = Vec::new();
        for _ in 0..plies {
            let mv = position.random_move(rng)?;
            texts.push(move_text(&position, mv));
            history.play(&mut position, mv);
        }
        Some((position, history, "startpos".to_owned(), texts))
    }

    /// The same for a random ending, without moves.
    fn random_ending(
        &self,
        pieces: &RangeInclusive<u32>,
        rng: &mut Rng,
    ) -> Option<(G, History, String, Vec<String>)> {
        let pieces = pieces.start() + rng.below(pieces.end() - pieces.start() + 1);
        let position: G = solvers::random_ending(self.start.rules(), pieces as usize, rng)?;
        let mut history = History::new();
        history.push(&position);
        let text = position_text(&position);
        Some((position, history, text, Vec::new()))
    }

    /// How hard UCT finds the position, from 1 to [`LEVELS`].
    fn level(&self, found: &SuitePosition<G>) -> usize {
        let keeps = |iterations: u64| {
            let lost = (1..=LEVEL_TRIALS).filter(|&seed| !keeps_result(found, iterations, seed));
            // The last search need not be made once too many have failed.
            lost.take(LEVEL_MAX_LOST + 1).count() <= LEVEL_MAX_LOST
        };
        let reached = LEVEL_ITERATIONS
            .iter()
            .position(|&iterations| keeps(iterations));
        reached.map_or(LEVELS, |index| index + 1)
    }
}

/// Whether some move ends the game with a win for whoever plays it.
fn wins_at_once<G: Playable>(position: &G) -> bool {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let mover = position.to_move();
    moves.into_iter().any(|mv| {
        let mut after = position.clone();
        after.play(mv);
        after.outcome() == Some(crate::games::Outcome::Win(mover))
    })
}

fn keeps_result<G: Playable>(found: &SuitePosition<G>, iterations: u64, seed: u64) -> bool {
    let no_solver = [("exact_from".to_owned(), "0".to_owned())];
    let Ok(spec) = catalog::configure::<G>("uct", &no_solver) else {
        return false;
    };
    let Some(mut search) = catalog::build::<G>(&spec.with_seed(seed)) else {
        return false;
    };
    let limits = SearchLimits::iterations(iterations);
    let stop = StopFlag::new();
    let task = SearchTask::new(&found.position, &found.history, &limits, &stop);
    let verdict = found.truth.verdict(search.search(task).mv);
    verdict.is_some_and(|verdict| verdict.keeps_result)
}
