//! Trials that are series of games, best of three, between players, or of a person by recorded games.

mod recorded;
mod sections;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    OutputFile, TrialKind, Trials,
    games::{
        GameRow, Games, PairNames, PublishedFirst, PublishedPair, PublishedPlayer, SectionName,
        claims::GamesClaim, games_csv, style, tally::GamesContext,
    },
    to_row,
};
use crate::{
    arena::{openings::Opening, tournament::series::ScheduledSeries},
    catalog::{self, Spec},
    experiments::{
        document::{Document, Problem},
        experiment,
        file::ExperimentFile,
        play,
        scale::RunOptions,
    },
    games::{self as rules, Outcome, Playable, Player, Visitor},
    reports::Report,
    rng::child_seed,
    runs::{RunError, execute::TrialEnd, union::Run},
    search::StopFlag,
};

/// The child of a series' seed that draws its opening.
const OPENING_SEED_INDEX: u64 = u64::MAX - 1;

/// Series of games, best of three: the sides are exchanged in the second game and drawn for the third, and two points end it
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Series of each pair
    #[schemars(range(min = 1, max = 1_000_000))]
    pub series: u64,
    /// Who meets whom
    pub pairs: Vec<PairNames>,
    /// Random plies before the players take over, the same in all games of a series
    #[serde(default)]
    #[schemars(range(max = 1000))]
    pub plies: u32,
    /// Recorded games instead of played ones
    #[serde(default)]
    pub records: Option<Records>,
    /// What the report shows, in this order
    #[serde(default = "default_sections")]
    pub show: Vec<SectionName>,
    /// Published series won, drawn and lost, both colours together
    #[serde(default)]
    pub published: Vec<PublishedPair>,
    /// Published results of players over all their games
    #[serde(default)]
    pub published_players: Vec<PublishedPlayer>,
    /// Published results of whoever moved first, over all games
    #[serde(default)]
    pub published_first: Option<PublishedFirst>,
}

fn default_sections() -> Vec<SectionName> {
    vec![
        SectionName::Scores,
        SectionName::Games,
        SectionName::Ranking,
        SectionName::Colours,
    ]
}

/// Recorded games of a person against the first players of the pairs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Records {
    /// The games in the order in which they were played: in GGF, or one a line, as first player - second player: moves. One player of
    /// each has the name of a player here or of its search; the other is the person
    pub games: String,
}

/// The result of one series: a row of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SeriesRow {
    /// The number of the trial.
    trial: u64,
    /// The players, by number, as the pair lists them.
    players: [usize; 2],
    /// Its games, without times.
    games: Vec<GameRow>,
    /// Microseconds of thought in each game, the first player's first.
    micros: Vec<[u64; 2]>,
}

impl SeriesRow {
    fn new(trial: u64, players: [usize; 2], mut games: Vec<GameRow>) -> Self {
        let micros = games.iter().map(|game| game.micros).collect();
        games.iter_mut().for_each(|game| game.micros = [0; 2]);
        Self {
            trial,
            players,
            games,
            micros,
        }
    }

    /// Its games, with their times.
    fn games(&self) -> impl Iterator<Item = GameRow> {
        (self.games.iter().zip(&self.micros)).map(|(game, &micros)| GameRow {
            micros,
            ..game.clone()
        })
    }

    /// The series as a single game of the pair: who has more points has won.
    fn as_game(&self) -> GameRow {
        let [one, other] = half_points(self.players, &self.games);
        let result = match one.cmp(&other) {
            std::cmp::Ordering::Greater => Outcome::Win(Player::First),
            std::cmp::Ordering::Less => Outcome::Win(Player::Second),
            std::cmp::Ordering::Equal => Outcome::Draw,
        };
        GameRow {
            trial: self.trial,
            players: self.players,
            result,
            score: None,
            moves: String::new(),
            opening: 0,
            nodes: [0; 2],
            leaves: [0; 2],
            searched: [0; 2],
            micros: [0; 2],
            fault: String::new(),
        }
    }
}

/// The points of two players, a win being two.
fn half_points(players: [usize; 2], games: &[GameRow]) -> [u64; 2] {
    players.map(|player| {
        let points = games.iter().map(|game| match game.result {
            Outcome::Draw => 1,
            Outcome::Win(winner) if game.players.get(winner.index()) == Some(&player) => 2,
            Outcome::Win(_) => 0,
        });
        points.sum()
    })
}

impl TrialKind for Series {
    const NAME: &'static str = "series";
    const ABOUT: &'static str =
        "Series of games, best of three, between players, or of a person by recorded games";
    const FREE_KEYS: &'static [&'static str] = &[
        "series",
        "show",
        "published",
        "published_players",
        "published_first",
    ];
    type Claim = GamesClaim;

    fn rescale(&mut self, options: &RunOptions) {
        self.series = options.repetitions(self.series, 2);
    }

    fn prepare(
        file: ExperimentFile<Self>,
        _: &Document<'_>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>> {
        if file.game.is_empty() {
            return Err(vec![Problem::at(
                "game",
                "there is none: expected a game's name",
            )]);
        }
        if file.trials.pairs.is_empty() {
            return Err(vec![Problem::at(
                "trials.pairs",
                "nobody meets anybody: expected pairs of players",
            )]);
        }
        let game = file.game.clone();
        let prepared = rules::with_game(&game, Prepare(file));
        prepared.map_err(|error| vec![Problem::at("game", error.to_string())])?
    }
}

struct Prepare(ExperimentFile<Series>);

impl Visitor for Prepare {
    type Out = Result<Box<dyn Trials>, Vec<Problem>>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let mut problems = Vec::new();
        let records = self.0.trials.records.clone();
        let seed = self.0.seed;
        let (series, plies) = (self.0.trials.series, self.0.trials.plies);
        let mut file = as_games(self.0);
        super::games::claims::check(&file)?;
        let pairs = super::games::pairs_of(&file);
        let mut specs = Vec::new();
        let searches = experiment::searches_of::<G>(&file.players, &mut problems);
        for (number, search) in (1..).zip(searches) {
            match search {
                Some(spec) => specs.push(spec),
                None => problems.push(Problem::at(
                    format!("players.{number}.engine"),
                    "other programs play no series: expected a search",
                )),
            }
        }
        let mut recorded = None;
        if let Some(records) = &records {
            match recorded::read::<G>(rules, &mut file, &pairs, &records.games) {
                Ok(read) => recorded = Some(read),
                Err(text) => problems.push(Problem::at("trials.records.games", text)),
            }
        }
        match problems.is_empty() {
            true => Ok(Box::new(SeriesTrials::<G> {
                opening: Opening::from_start(rules),
                file,
                pairs,
                specs,
                recorded,
                seed,
                series,
                plies,
            })),
            false => Err(problems),
        }
    }
}

/// The file as one about single games, of which reports are made.
fn as_games(file: ExperimentFile<Series>) -> ExperimentFile<Games> {
    let trials = file.trials;
    let together = trials.published.into_iter().map(|row| PublishedPair {
        both_colours: true,
        ..row
    });
    ExperimentFile {
        name: file.name,
        title: file.title,
        question: file.question,
        answered_by: file.answered_by,
        source: file.source,
        method: file.method,
        kind: file.kind,
        game: file.game,
        seed: file.seed,
        players: file.players,
        budget: file.budget,
        quick: file.quick,
        trials: Games {
            games: trials.series,
            pairs: trials.pairs,
            plies: trials.plies,
            balanced: None,
            openings: String::new(),
            show: trials.show,
            published: together.collect(),
            published_players: trials.published_players,
            published_first: trials.published_first,
            published_starts: Vec::new(),
        },
        hypotheses: file.hypotheses,
        deviations: file.deviations,
    }
}

struct SeriesTrials<G: Playable> {
    file: ExperimentFile<Games>,
    pairs: Vec<(usize, usize)>,
    specs: Vec<Spec>,
    recorded: Option<recorded::Recorded>,
    opening: Opening<G>,
    seed: u64,
    series: u64,
    plies: u32,
}

impl<G: Playable> SeriesTrials<G> {
    fn rows(&self, run: &Run) -> Result<Vec<SeriesRow>, RunError> {
        let players = self.file.players.len();
        run.results(|trial, row: &SeriesRow| {
            let is_seated = |game: &GameRow| {
                let mut seats = game.players.iter();
                seats.all(|seat| row.players.contains(seat) && *seat < players)
            };
            let is_sound = row.trial == trial
                && !row.games.is_empty()
                && row.games.len() == row.micros.len()
                && row.games.iter().all(is_seated);
            match is_sound {
                true => Ok(()),
                false => Err("not a series of this experiment".to_owned()),
            }
        })
    }

    fn context(&self) -> GamesContext<'_> {
        GamesContext {
            file: &self.file,
            pairs: &self.pairs,
            sides: G::PLAYERS,
            has_openings: false,
            unit: "series",
        }
    }

    /// Plays a series; none if a stop was requested.
    fn play(
        &self,
        trial: u64,
        (one, other): (usize, usize),
        seed: u64,
        stop: &StopFlag,
    ) -> Option<Vec<GameRow>> {
        let scheduled = ScheduledSeries::best_of_three(trial, [one, other], seed);
        let opening_seed = child_seed(seed, OPENING_SEED_INDEX);
        let opening = self.opening.with_random_plies(self.plies, opening_seed);
        let mut games: Vec<GameRow> = Vec::new();
        while let Some(next) = scheduled.next_after(games.len(), half_points([one, other], &games))
        {
            let specs = [self.specs.get(next.first)?, self.specs.get(next.second)?];
            let seeds = [Player::First, Player::Second].map(|player| next.seed_of(player).max(1));
            let game = play::play_game(&opening, specs, seeds, stop)?;
            games.push(GameRow::new(trial, [next.first, next.second], game));
        }
        Some(games)
    }
}

impl<G: Playable> Trials for SeriesTrials<G> {
    fn count(&self) -> u64 {
        match &self.recorded {
            Some(recorded) => recorded.series.len() as u64,
            None => self.series.saturating_mul(self.pairs.len() as u64),
        }
    }

    fn unit_name(&self) -> &'static str {
        "series"
    }

    fn is_repeatable(&self) -> bool {
        self.recorded.is_some() || self.specs.iter().all(catalog::is_repeatable)
    }

    fn run(&self, trial: u64, stop: &StopFlag) -> TrialEnd<Box<RawValue>> {
        let index = trial.saturating_sub(1);
        if let Some(recorded) = &self.recorded {
            return match recorded.series.get(index as usize) {
                Some((players, games)) => to_row(&SeriesRow::new(trial, *players, games.clone())),
                None => TrialEnd::Void("it is not recorded".to_owned()),
            };
        }
        let pairs = (self.pairs.len() as u64).max(1);
        let (pairing, repetition) = (index % pairs, index / pairs);
        let Some(&pair) = self.pairs.get(pairing as usize) else {
            return TrialEnd::Void("it is not in the schedule".to_owned());
        };
        let seed = child_seed(child_seed(self.seed, pairing), repetition);
        match self.play(trial, pair, seed, stop) {
            Some(games) => to_row(&SeriesRow::new(trial, [pair.0, pair.1], games)),
            None => TrialEnd::Halted,
        }
    }

    fn report(&self, run: &Run, report: &mut Report) -> Result<(), RunError> {
        let rows = self.rows(run)?;
        let games: Vec<GameRow> = rows.iter().flat_map(SeriesRow::games).collect();
        let context = self.context();
        let styles = match super::games::needs_style(&self.file) {
            true => style::measure(|_| Some(&self.opening.start), &games),
            false => Vec::new(),
        };
        if let Some(recorded) = &self.recorded {
            report.method.push(format!(
                "The games were not played by the program: they are {} recorded games of {}.",
                games.len(),
                recorded.person
            ));
        }
        sections::add(&context, (&rows, &games), &styles, report);
        Ok(())
    }

    fn files(&self, run: &Run, has_times: bool) -> Result<Vec<OutputFile>, RunError> {
        let games: Vec<GameRow> = (self.rows(run)?.iter())
            .flat_map(SeriesRow::games)
            .collect();
        let context = self.context();
        let names = |row: &GameRow| context.names(row);
        Ok(vec![games_csv(names, &games, has_times)])
    }
}
