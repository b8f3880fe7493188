//! Trials that are single games of a table: every player against every player at every depth, compared figure by figure.

mod claims;
mod known;
mod program_files;
mod sections;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    OutputFile, TrialKind, Trials,
    games::{GameRow, PlayerName, games_csv},
    to_row,
};
use crate::{
    arena::openings::Opening,
    catalog::{self, Spec},
    experiments::{
        document::{Document, Problem},
        experiment::with_parameter,
        file::ExperimentFile,
        play,
        scale::RunOptions,
    },
    games::{self as rules, Playable, Visitor, notation},
    reports::Report,
    rng::child_seed,
    runs::{RunError, execute::TrialEnd, union::Run},
    search::{StopFlag, classical::Method},
};
use known::KnownGame;

/// One game of every player against every player at every depth
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// The depths of the searches; both players have the same
    #[schemars(inner(range(min = 1, max = 60)))]
    pub depths: Vec<u32>,
    /// The largest depth of a quick run
    #[serde(default = "default_quick_depth")]
    #[schemars(range(min = 1, max = 60))]
    pub quick_depth: u32,
    /// The position in which every game begins; without it, the start of the game
    #[serde(default = "default_start")]
    pub start: String,
    /// The name of a search that plays the same games again, with the other parameters of each player's search
    #[serde(default)]
    #[schemars(extend("x-check" = "search"))]
    pub again_with: String,
    /// Players that rest on random numbers: nothing that is known is comparable with their games
    #[serde(default)]
    pub random: Vec<PlayerName>,
    /// Games that are known
    #[serde(default)]
    pub known: Vec<KnownTable>,
    /// Published times of whole games, by depth
    #[serde(default)]
    pub published_times: Vec<PublishedTime>,
    /// What the report shows, in this order
    #[serde(default = "default_sections")]
    pub show: Vec<GridSection>,
}

fn default_quick_depth() -> u32 {
    4
}

fn default_start() -> String {
    "startpos".to_owned()
}

fn default_sections() -> Vec<GridSection> {
    vec![GridSection::Known, GridSection::Scores, GridSection::Cost]
}

/// A part of a report on a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GridSection {
    /// Known games and ours, figure by figure
    Known,
    /// The scores of all games, a table for each depth
    Scores,
    /// Leaves and time by depth
    Cost,
}

/// Games that somebody else has played.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownTable {
    /// Where they are from, such as report 004
    pub source: String,
    /// The games, one a line: first player, its depth, second player, its depth, score such as 15-49, moves such as 30/30, leaves such as
    /// 10330/11821; then, if known, the leaves of the search that plays the games again
    pub games: String,
}

/// The published time of a whole game.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedTime {
    /// The depth
    pub depth: u32,
    /// Milliseconds with the players' searches
    pub ms: f64,
    /// Milliseconds with the search that plays the games again
    pub again_ms: f64,
}

/// One game of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GridGame {
    /// The players, by number, the one that begins first.
    players: [usize; 2],
    /// The depths of their searches.
    depths: [u32; 2],
    /// Whether it is played by the search that plays all games again.
    is_again: bool,
}

impl TrialKind for Grid {
    const NAME: &'static str = "grid";
    const ABOUT: &'static str =
        "One game of every player against every player at every depth, compared figure by figure";
    const FREE_KEYS: &'static [&'static str] =
        &["quick_depth", "random", "published_times", "show"];
    type Claim = claims::GridClaim;

    fn rescale(&mut self, options: &RunOptions) {
        if options.scale.is_quick() {
            self.depths.retain(|&depth| depth <= self.quick_depth);
        } else {
            self.quick_depth = u32::MAX;
        }
    }

    fn prepare(
        file: ExperimentFile<Self>,
        document: &Document<'_>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>> {
        if file.players.is_empty() || file.game.is_empty() {
            return Err(vec![Problem::at(
                "players",
                "there are no players, or no game: expected both",
            )]);
        }
        claims::check(&file)?;
        let game = file.game.clone();
        let prepared = rules::with_game(&game, Prepare { file, document });
        prepared.map_err(|error| vec![Problem::at("game", error.to_string())])?
    }
}

struct Prepare<'a> {
    file: ExperimentFile<Grid>,
    document: &'a Document<'a>,
}

impl Visitor for Prepare<'_> {
    type Out = Result<Box<dyn Trials>, Vec<Problem>>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let Self { file, document } = self;
        let known = known::parse(&file, document)?;
        let start = notation::read_position::<G>(rules, &file.trials.start);
        let start = start.map_err(|error| vec![Problem::at("trials.start", error.to_string())])?;
        let known: Vec<KnownGame> = (known.into_iter())
            .filter(|known| {
                known
                    .depths
                    .iter()
                    .all(|&depth| depth <= file.trials.quick_depth)
            })
            .collect();
        let games = games_of(&file, &known);
        let mut problems = Vec::new();
        let mut specs = Vec::new();
        for game in &games {
            let spec = |side: usize| spec_of::<G>(&file, game, side);
            match (spec(0), spec(1)) {
                (Ok(first), Ok(second)) => specs.push([first, second]),
                (Err(problem), _) | (_, Err(problem)) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            problems.dedup();
            return Err(problems);
        }
        Ok(Box::new(GridTrials {
            file,
            known,
            games,
            specs,
            opening: Opening {
                start,
                moves: Vec::new(),
            },
        }))
    }
}

/// All games: by depth, and then those that are known and not among them.
fn games_of(file: &ExperimentFile<Grid>, known: &[KnownGame]) -> Vec<GridGame> {
    let mut games = Vec::new();
    let variants: &[bool] = match file.trials.again_with.is_empty() {
        true => &[false],
        false => &[false, true],
    };
    let count = file.players.len();
    let mut add = |players: [usize; 2], depths: [u32; 2]| {
        for &is_again in variants {
            let game = GridGame {
                players,
                depths,
                is_again,
            };
            if !games.contains(&game) {
                games.push(game);
            }
        }
    };
    for &depth in &file.trials.depths {
        for first in 0..count {
            (0..count).for_each(|second| add([first, second], [depth; 2]));
        }
    }
    for known in known {
        add(known.players, known.depths);
    }
    games
}

/// The search of one side of a game.
fn spec_of<G: Playable>(
    file: &ExperimentFile<Grid>,
    game: &GridGame,
    side: usize,
) -> Result<Spec, Problem> {
    let (player, depth) = match side {
        0 => (game.players[0], game.depths[0]),
        _ => (game.players[1], game.depths[1]),
    };
    let own = file.players.get(player).map_or("", |player| &player.search);
    let search = match (game.is_again, own.split_once(',')) {
        (false, _) => own.to_owned(),
        (true, Some((_, parameters))) => format!("{},{parameters}", file.trials.again_with),
        (true, None) => file.trials.again_with.clone(),
    };
    let key = match game.is_again {
        true => "trials.again_with".to_owned(),
        false => format!("players.{}.search", player + 1),
    };
    catalog::parse::<G>(&with_parameter(&search, "depth", depth))
        .map_err(|error| Problem::at(key, error.to_string()))
}

struct GridTrials<G: Playable> {
    file: ExperimentFile<Grid>,
    known: Vec<KnownGame>,
    games: Vec<GridGame>,
    /// The searches of each game.
    specs: Vec<[Spec; 2]>,
    opening: Opening<G>,
}

/// What reports on a grid are made with.
struct GridContext<'a> {
    file: &'a ExperimentFile<Grid>,
    known: &'a [KnownGame],
    /// The games that were played, with their rows.
    played: Vec<(GridGame, &'a GameRow)>,
    /// The names of the sides, the one that begins first.
    sides: [&'static str; 2],
}

impl GridContext<'_> {
    fn name(&self, player: usize) -> &str {
        let player = self.file.players.get(player);
        player.map_or("", |player| player.name.as_str())
    }

    /// The row of a game, if it was played.
    fn row(&self, game: GridGame) -> Option<&GameRow> {
        let found = self.played.iter().find(|(played, _)| *played == game);
        found.map(|(_, row)| *row)
    }

    /// The games of a depth, of which both players have the same.
    fn at_depth(&self, depth: u32, is_again: bool) -> impl Iterator<Item = (GridGame, &GameRow)> {
        let is_wanted =
            move |game: &GridGame| game.depths == [depth; 2] && game.is_again == is_again;
        let found = self.played.iter().filter(move |(game, _)| is_wanted(game));
        found.map(|&(game, row)| (game, row))
    }

    /// Whether nothing that is known is comparable with games of these players.
    fn is_random(&self, players: [usize; 2]) -> bool {
        let random = &self.file.trials.random;
        let is_random = |player: usize| random.iter().any(|name| name.0 == self.name(player));
        players.into_iter().any(is_random)
    }
}

impl<G: Playable> GridTrials<G> {
    fn rows(&self, run: &Run) -> Result<Vec<GameRow>, RunError> {
        run.results(|trial, row: &GameRow| match self.game(trial) {
            Some(game) if row.trial == trial && row.players == game.players => Ok(()),
            _ => Err("not a game of this experiment".to_owned()),
        })
    }

    /// The game of a trial.
    fn game(&self, trial: u64) -> Option<GridGame> {
        let index = usize::try_from(trial.checked_sub(1)?).ok()?;
        self.games.get(index).copied()
    }

    fn context<'a>(&'a self, rows: &'a [GameRow]) -> GridContext<'a> {
        let played = rows
            .iter()
            .filter_map(|row| Some((self.game(row.trial)?, row)));
        GridContext {
            file: &self.file,
            known: &self.known,
            played: played.collect(),
            sides: G::PLAYERS,
        }
    }

    /// Whether the searches of a game prune.
    fn prunes(&self, trial: u64) -> bool {
        let index = trial.saturating_sub(1) as usize;
        let specs = self.specs.get(index).into_iter().flatten();
        let is_minimax = |spec: &Spec| matches!(spec, Spec::Classical(config) if config.method == Method::Minimax);
        !specs.into_iter().any(is_minimax)
    }
}

impl<G: Playable> Trials for GridTrials<G> {
    fn count(&self) -> u64 {
        self.games.len() as u64
    }

    fn unit_name(&self) -> &'static str {
        "games"
    }

    fn is_repeatable(&self) -> bool {
        self.specs.iter().flatten().all(catalog::is_repeatable)
    }

    fn run(&self, trial: u64, stop: &StopFlag) -> TrialEnd<Box<RawValue>> {
        let specs = self.specs.get(trial.saturating_sub(1) as usize);
        let (Some(game), Some([first, second])) = (self.game(trial), specs) else {
            return TrialEnd::Void("it is not in the grid".to_owned());
        };
        // Both searches of a game have the seeds that they have when it is played again.
        let seeds = [0, 1].map(|side| child_seed(self.file.seed, side).max(1));
        match play::play_game(&self.opening, [first, second], seeds, stop) {
            Some(played) => to_row(&GameRow::new(trial, game.players, played)),
            None => TrialEnd::Halted,
        }
    }

    fn report(&self, run: &Run, report: &mut Report) -> Result<(), RunError> {
        let rows = self.rows(run)?;
        sections::add(&self.context(&rows), report);
        Ok(())
    }

    fn files(&self, run: &Run, has_times: bool) -> Result<Vec<OutputFile>, RunError> {
        let rows = self.rows(run)?;
        let context = self.context(&rows);
        let names = |row: &GameRow| {
            let game = self.game(row.trial);
            let depths = game.map_or([0; 2], |game| game.depths);
            let [first, second] = row.players.map(|player| context.name(player));
            let again = match game.is_some_and(|game| game.is_again) {
                true => format!(" {}", self.file.trials.again_with),
                false => String::new(),
            };
            [(first, depths[0]), (second, depths[1])]
                .map(|(name, depth)| format!("{name} depth {depth}{again}"))
        };
        let mut files = vec![games_csv(names, &rows, has_times)];
        let prunes = |row: &GameRow| self.prunes(row.trial);
        files.extend(program_files::all(&context, prunes, has_times));
        Ok(files)
    }
}
