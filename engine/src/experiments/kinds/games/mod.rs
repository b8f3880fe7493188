//! Trials that are games between players, by pair and colour.

pub mod claims;
mod programs;
mod sections;
pub mod starts;
pub mod style;
pub(super) mod tally;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{OutputFile, TrialContext, TrialKind, Trials, to_row};
use crate::{
    arena::{
        match_log::outcome_word,
        openings::{self, Opening},
        schedule::{OpeningOrder, Schedule, ScheduledGame},
        stats::WdlCounts,
    },
    catalog::{self, Spec},
    experiments::{
        document::{Document, Problem},
        experiment,
        file::ExperimentFile,
        play::{self, PlayedGame},
        scale::RunOptions,
    },
    games::{self as rules, Outcome, Playable, Player, Visitor},
    reports::{Caveat, Report},
    runs::{RunError, execute::TrialEnd, plan::Units, union::Run},
    search::StopFlag,
};

pub(super) use sections::{judge_pairs, needs_style, section};
pub(super) use tally::games_csv;

/// Both sides, the one that begins first.
const SIDES: [Player; 2] = [Player::First, Player::Second];

/// Games between players.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Games {
    /// Games of each pair; each side moves first in half of them
    #[schemars(range(min = 1, max = 10_000_000))]
    pub games: u64,
    /// Who meets whom; without it, everybody meets everybody else. A player may meet itself
    #[serde(default)]
    pub pairs: Vec<PairNames>,
    /// Random plies before the players take over, the same for both games of an opening
    #[serde(default)]
    #[schemars(range(max = 1000))]
    pub plies: u32,
    /// Which random openings are played; without it, all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced: Option<Balance>,
    /// Openings, one a line: positions, moves, or positions with "moves ..." after them; without them, the start of the game
    #[serde(default)]
    pub openings: String,
    /// What the report shows, in this order
    #[serde(default = "default_sections")]
    pub show: Vec<SectionName>,
    /// Published results of pairs
    #[serde(default)]
    pub published: Vec<PublishedPair>,
    /// Published results of players over all their games
    #[serde(default)]
    pub published_players: Vec<PublishedPlayer>,
    /// Published results of whoever moved first, over all games
    #[serde(default)]
    pub published_first: Option<PublishedFirst>,
    /// Published results of whoever moved first, by pair, of players that may be others than these
    #[serde(default)]
    pub published_starts: Vec<starts::PublishedStarts>,
}

/// Openings after which neither side is ahead.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// The search that judges a position, such as uct,iterations=400
    #[schemars(extend("x-check" = "search"))]
    pub search: String,
    /// The largest distance from 0.5 of the points that it expects for the side to move
    #[schemars(range(min = 0.001, max = 0.5))]
    pub within: f64,
}

/// The names of two players.
pub type PairNames = [PlayerName; 2];

/// The name of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("x-check" = "player"))]
pub struct PlayerName(pub String);

/// A part of a report on games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SectionName {
    /// Scores of pairs with intervals, a plot
    Scores,
    /// Results of pairs by who moves first
    Games,
    /// Games won, drawn and lost, as bars
    Results,
    /// Points, results, discs and time of each player
    Ranking,
    /// Strength of each player in Elo, a plot
    Strength,
    /// Who scored how against whom
    Pairs,
    /// Results by colour
    Colours,
    /// The share of whoever moves first, by pair
    FirstPlayer,
    /// The share of the points of each player, as bars
    Points,
    /// Time of each player for a game, as bars
    Time,
    /// Discs and mobility by move number, and corners
    Style,
}

fn default_sections() -> Vec<SectionName> {
    vec![
        SectionName::Scores,
        SectionName::Games,
        SectionName::Colours,
    ]
}

/// Published results of the first player of a pair against the second.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedPair {
    /// The two players; the first moves first, unless both colours are counted together
    pub players: PairNames,
    /// Whether the games with either side moving first are counted together
    #[serde(default)]
    pub both_colours: bool,
    /// Games that the first of them won
    pub won: u32,
    /// Games drawn
    pub drawn: u32,
    /// Games that it lost
    pub lost: u32,
    /// The statistic that was printed for the pair
    #[serde(default)]
    pub chi_squared: Option<f64>,
}

/// Published results of a player over all its games.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedPlayer {
    /// The player
    pub player: PlayerName,
    /// Games won
    #[serde(default)]
    pub won: u32,
    /// Games drawn
    #[serde(default)]
    pub drawn: u32,
    /// Games lost
    #[serde(default)]
    pub lost: u32,
    /// Its points, where wins, draws and losses are not known
    #[serde(default)]
    pub points: Option<f64>,
    /// Its games, where wins, draws and losses are not known
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub games: Option<u32>,
    /// Its discs or stones at the end of all games
    #[serde(default)]
    pub pieces: Option<u64>,
    /// Those of its opponents
    #[serde(default)]
    pub against: Option<u64>,
    /// Mean time of a game in seconds
    #[serde(default)]
    pub seconds: Option<f64>,
}

impl PublishedPlayer {
    /// Wins, draws and losses, if they are known.
    fn results(&self) -> Option<WdlCounts> {
        let results = WdlCounts::new(self.won, self.drawn, self.lost);
        (results.games() > 0).then_some(results)
    }

    /// Its points and its games.
    fn points_of_games(&self) -> (f64, f64) {
        let results = self.results().unwrap_or_default();
        let points = self.points.unwrap_or(results.points());
        let games = self.games.map_or(results.games() as f64, f64::from);
        (points, games)
    }
}

/// Published results of whoever moved first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedFirst {
    /// Games that the first player won
    pub won: u32,
    /// Games drawn
    pub drawn: u32,
    /// Games that it lost
    pub lost: u32,
}

/// The result of one game: a row of the run. Arrays have the first player's figure first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRow {
    /// The number of the trial.
    pub trial: u64,
    /// The players, by number.
    pub players: [usize; 2],
    /// The result; `p1win`, `p2win` or `draw` in the file.
    #[serde(with = "outcome_word")]
    pub result: Outcome,
    /// Discs or stones at the end.
    pub score: Option<[u32; 2]>,
    /// All moves.
    pub moves: String,
    /// Plies of the opening.
    pub opening: u32,
    /// Nodes or playouts.
    pub nodes: [u64; 2],
    /// Leaves evaluated.
    pub leaves: [u64; 2],
    /// Moves that were searched.
    pub searched: [u64; 2],
    /// Microseconds of thought.
    pub micros: [u64; 2],
    /// Who lost by a crash, an illegal move or silence, and how; empty if nobody did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fault: String,
}

impl GameRow {
    /// The row of a game that was played.
    pub(super) fn new(trial: u64, players: [usize; 2], game: PlayedGame) -> Self {
        Self {
            trial,
            players,
            result: game.result,
            score: game.score,
            moves: game.moves,
            opening: game.opening_plies,
            nodes: game.nodes,
            leaves: game.leaves,
            searched: game.searched,
            micros: game.micros,
            fault: String::new(),
        }
    }
}

impl TrialKind for Games {
    const NAME: &'static str = "games";
    const ABOUT: &'static str = "Games between players, by pair and colour";
    const FREE_KEYS: &'static [&'static str] = &[
        "games",
        "show",
        "published",
        "published_players",
        "published_first",
        "published_starts",
    ];
    type Claim = claims::GamesClaim;

    fn rescale(&mut self, options: &RunOptions) {
        let games = options.repetitions(self.games, 2);
        // A part of the games is rounded to pairs. What a person has written is not: it is checked.
        let is_scaled = options.games.is_none() && games != self.games;
        self.games = if is_scaled {
            games.next_multiple_of(2)
        } else {
            games
        };
    }

    fn prepare(
        file: ExperimentFile<Self>,
        document: &Document<'_>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>> {
        if file.players.is_empty() {
            return Err(vec![Problem::at(
                "players",
                "there are none: expected two or more",
            )]);
        }
        if file.game.is_empty() {
            return Err(vec![Problem::at(
                "game",
                "there is none: expected a game's name",
            )]);
        }
        claims::check(&file)?;
        let game = file.game.clone();
        let prepared = rules::with_game(&game, Prepare { file, document });
        prepared.map_err(|error| vec![Problem::at("game", error.to_string())])?
    }
}

struct Prepare<'a> {
    file: ExperimentFile<Games>,
    document: &'a Document<'a>,
}

impl Visitor for Prepare<'_> {
    type Out = Result<Box<dyn Trials>, Vec<Problem>>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let Self { file, document } = self;
        let mut problems = Vec::new();
        let mut listed = Vec::new();
        match openings::parse_list::<G>(rules, &file.trials.openings) {
            Ok(openings) => listed = openings,
            Err((line, error)) => {
                let problem = Problem::at("trials.openings", error.to_string());
                problems.push(document.locate_in_text(problem, line));
            }
        }
        if !file.trials.games.is_multiple_of(2) {
            let text = format!(
                "{} games of each pair: expected an even number, so that either side begins half of them",
                file.trials.games
            );
            problems.push(Problem::at("trials.games", text));
        }
        let specs = experiment::searches_of::<G>(&file.players, &mut problems);
        let mut judge = None;
        if let Some(balance) = &file.trials.balanced {
            match catalog::parse::<G>(&balance.search) {
                Ok(spec) if catalog::has_default_limit(&spec) => {
                    judge = Some((spec, balance.within))
                }
                Ok(_) => problems.push(Problem::at(
                    "trials.balanced.search",
                    "nothing says when it is to stop: expected iterations, depth or time",
                )),
                Err(error) => {
                    problems.push(Problem::at("trials.balanced.search", error.to_string()));
                }
            }
        }
        let pairs = pairs_of(&file);
        let schedule =
            Schedule::of_pairings(pairs.clone(), listed.len(), OpeningOrder::Listed, file.seed);
        if pairs.is_empty() {
            let text = "nobody meets anybody: expected two players, or pairs";
            problems.push(Problem::at("trials", text));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        if listed.is_empty() {
            listed.push(Opening::from_start(rules));
        }
        Ok(Box::new(GameTrials::<G> {
            file,
            schedule,
            pairs,
            openings: listed,
            specs,
            judge,
        }))
    }
}

/// The pairs of a file, by the numbers of their players.
pub(super) fn pairs_of(file: &ExperimentFile<Games>) -> Vec<(usize, usize)> {
    let count = file.players.len();
    if file.trials.pairs.is_empty() {
        let all = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
        return all.collect();
    }
    let index = |name: &PlayerName| file.player_index(&name.0);
    let pair = |[one, other]: &PairNames| index(one).zip(index(other));
    file.trials.pairs.iter().filter_map(pair).collect()
}

struct GameTrials<G: Playable> {
    file: ExperimentFile<Games>,
    schedule: Schedule,
    pairs: Vec<(usize, usize)>,
    openings: Vec<Opening<G>>,
    /// The players' searches; none for other programs.
    specs: Vec<Option<Spec>>,
    /// The search that judges random openings, and how far from even they may be.
    judge: Option<(Spec, f64)>,
}

impl<G: Playable> GameTrials<G> {
    /// The opening of a game with its random plies; none if a stop was requested.
    fn opening(&self, opening: &Opening<G>, seed: u64, stop: &StopFlag) -> Option<Opening<G>> {
        let plies = self.file.trials.plies;
        match &self.judge {
            Some((judge, within)) => {
                play::balanced_opening(opening, (plies, seed), (judge, *within), stop)
            }
            None => Some(opening.with_random_plies(plies, seed)),
        }
    }

    fn rows(&self, run: &Run) -> Result<Vec<GameRow>, RunError> {
        let players = self.file.players.len();
        run.results(|trial, row: &GameRow| {
            match row.trial == trial && row.players.iter().all(|&player| player < players) {
                true => Ok(()),
                false => Err("not a game of this experiment".to_owned()),
            }
        })
    }

    /// Whether both games of a pair begin with the same opening, so that the pair is the unit of tests.
    fn has_openings(&self) -> bool {
        self.file.trials.plies > 0 || !self.file.trials.openings.trim().is_empty()
    }

    /// The position in which a game began, before its opening.
    fn start_of(&self, row: &GameRow) -> Option<&G> {
        let scheduled = self.schedule.game(row.trial.saturating_sub(1));
        let opening = self.openings.get(scheduled.opening.unwrap_or(0));
        opening.map(|opening| &opening.start)
    }

    /// The game of a trial, and its opening without random plies.
    fn scheduled(&self, trial: u64) -> Option<(ScheduledGame, &Opening<G>)> {
        let scheduled = self.schedule.game(trial.saturating_sub(1));
        let opening = self.openings.get(scheduled.opening.unwrap_or(0))?;
        Some((scheduled, opening))
    }

    /// The search of a player; none if it is another program.
    fn spec(&self, player: usize) -> Option<&Spec> {
        self.specs.get(player)?.as_ref()
    }

    fn context(&self) -> tally::GamesContext<'_> {
        tally::GamesContext {
            file: &self.file,
            pairs: &self.pairs,
            sides: G::PLAYERS,
            has_openings: self.has_openings(),
            unit: "games",
        }
    }
}

impl<G: Playable> Trials for GameTrials<G> {
    fn count(&self) -> u64 {
        self.schedule.game_count(self.file.trials.games)
    }

    fn unit_name(&self) -> &'static str {
        "games"
    }

    fn units(&self) -> Units {
        Units {
            size: 2,
            stride: (self.pairs.len() as u64).max(1),
        }
    }

    fn is_repeatable(&self) -> bool {
        let is_repeatable = |spec: &Option<Spec>| spec.as_ref().is_some_and(catalog::is_repeatable);
        let judge = self.judge.as_ref().map(|(spec, _)| spec);
        self.specs.iter().all(is_repeatable) && judge.is_none_or(catalog::is_repeatable)
    }

    fn run(&self, trial: u64, stop: &StopFlag) -> TrialEnd<Box<RawValue>> {
        let Some((scheduled, opening)) = self.scheduled(trial) else {
            return TrialEnd::Void("it is not in the schedule".to_owned());
        };
        let Some(opening) = self.opening(opening, scheduled.opening_seed, stop) else {
            return TrialEnd::Halted;
        };
        let players = [scheduled.first, scheduled.second];
        let [Some(first), Some(second)] = players.map(|player| self.spec(player)) else {
            return TrialEnd::Void("a player is another program".to_owned());
        };
        let seeds = SIDES.map(|player| scheduled.seed_of(player).max(1));
        match play::play_game(&opening, [first, second], seeds, stop) {
            Some(game) => to_row(&GameRow::new(trial, players, game)),
            None => TrialEnd::Halted,
        }
    }

    fn check_programs(&self, context: &TrialContext<'_>) -> Result<(), String> {
        let rules = self.openings.first().map(|opening| opening.start.rules());
        rules.map_or(Ok(()), |rules| {
            programs::check::<G>(&self.file.players, rules, context)
        })
    }

    fn run_in(&self, trial: u64, context: &TrialContext<'_>) -> TrialEnd<Box<RawValue>> {
        let Some((scheduled, opening)) = self.scheduled(trial) else {
            return TrialEnd::Void("it is not in the schedule".to_owned());
        };
        let indices = [scheduled.first, scheduled.second];
        let players = indices.map(|player| self.file.players.get(player));
        let ([Some(first), Some(second)], true) = (
            players,
            indices.iter().any(|&player| self.spec(player).is_none()),
        ) else {
            return self.run(trial, context.stop);
        };
        let Some(opening) = self.opening(opening, scheduled.opening_seed, context.stop) else {
            return TrialEnd::Halted;
        };
        let seeds = SIDES.map(|player| scheduled.engine_seed_of(player));
        match programs::play(&[first, second], &opening, seeds, context) {
            TrialEnd::Done((game, fault)) => to_row(&GameRow {
                fault,
                ..GameRow::new(trial, indices, game)
            }),
            TrialEnd::Void(reason) => TrialEnd::Void(reason),
            TrialEnd::Halted => TrialEnd::Halted,
        }
    }

    fn report(&self, run: &Run, report: &mut Report) -> Result<(), RunError> {
        let rows = self.rows(run)?;
        report.caveats.extend(faults_caveat(&rows));
        let context = self.context();
        let styles = match needs_style(&self.file) {
            true => style::measure(|row| self.start_of(row), &rows),
            false => Vec::new(),
        };
        sections::add(&context, &rows, &styles, report);
        Ok(())
    }

    fn files(&self, run: &Run, has_times: bool) -> Result<Vec<OutputFile>, RunError> {
        let rows = self.rows(run)?;
        let context = self.context();
        let names = |row: &GameRow| context.names(row);
        Ok(vec![games_csv(names, &rows, has_times)])
    }
}

/// What to say of games that a fault decided.
fn faults_caveat(rows: &[GameRow]) -> Option<Caveat> {
    let mut faults = rows.iter().filter(|row| !row.fault.is_empty());
    let first = faults.next()?;
    let count = 1 + faults.count();
    Some(Caveat::new(
        "Some games were lost by a fault.",
        format!("{count} of them; game {}: {}.", first.trial, first.fault),
    ))
}
