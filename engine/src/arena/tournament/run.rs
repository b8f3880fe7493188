//! Plays the series of a tournament, several at a time, and keeps them in a part of its run directory.

use std::{path::Path, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    TournamentMode,
    config::{PlayerConfig, TournamentConfig},
    series::{SeriesRecord, SeriesSchedule},
};
use crate::{
    arena::{
        client::{GameSpec, Timeouts},
        engine_config::EngineConfig,
        game_worker::{GameWorker, MatchContext},
        match_log::{EngineBuild, EngineRecord, GameRecord, MatchHeader},
        openings::Opening,
        referee::{Adjudication, RefereeSettings},
        runner::{MatchError, MatchPlan},
        schedule::{OpeningOrder, Schedule, ScheduleError},
        time_control::MoveLimits,
    },
    catalog::{self, CatalogError, Spec, signature},
    games::{self, Playable, Visitor},
    runs::{
        RunError,
        directory::RunDirectory,
        execute::{self, Collector, ExecutionEnd, TrialEnd, TrialWorker},
        halt::Halt,
        part::PartWriter,
        plan::{Plan, RunKind},
        union::Run,
    },
};

/// Time for a move without a time limit. Nobody waits for it: a file limits iterations or plies.
const MOVE_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The content of the plan: everything a series depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentHeader {
    /// What a series is.
    pub mode: TournamentMode,
    /// Whether the player listed second begins a match.
    pub is_swapped: bool,
    /// Game, players and seed.
    #[serde(flatten)]
    pub header: MatchHeader,
}

/// Why a tournament cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// A search does not play the game.
    #[error(transparent)]
    Search(#[from] CatalogError),
    /// Too few or too many players.
    #[error(transparent)]
    Players(#[from] ScheduleError),
}

impl TournamentHeader {
    /// The header of a file's tournament with its seed. `own` starts our engine for the game.
    pub fn new(config: &TournamentConfig, own: &[String], seed: u64) -> Self {
        let engines: Vec<EngineConfig> = config
            .players
            .iter()
            .map(|player| seated_engine(player, own))
            .collect();
        let mut header = MatchHeader::new(
            config.game.clone(),
            &engines,
            &MoveLimits::default(),
            &timeouts(),
        );
        header.seed = seed;
        for (record, engine) in header.engines.iter_mut().zip(&engines) {
            let search = engine.options.iter().find(|(name, _)| name == "Search");
            if let Some((_, search)) = search.filter(|_| engine.command == own)
                && let Some(signature) = signature::signature_in(&config.game, search)
            {
                record.set_build(EngineBuild {
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                    signature,
                });
            }
        }
        Self {
            mode: config.mode,
            is_swapped: config.is_swapped,
            header,
        }
    }

    /// The schedule of so many repetitions.
    pub fn schedule(&self, repetitions: u64) -> SeriesSchedule {
        let players = self.header.engines.len();
        SeriesSchedule::new(
            self.mode,
            self.is_swapped,
            players,
            self.header.seed,
            repetitions,
        )
    }

    /// The plan of so many series, each a unit of its own.
    pub fn plan(&self, series: u64) -> Plan {
        let content = serde_json::to_value(self).unwrap_or_default();
        Plan::new(RunKind::Tournament, series, content)
            .with_times(self.is_repeatable(), &[SeriesRecord::TIME_FIELD])
    }

    /// Puts the tournament of a file into a directory, or joins the same that is there. A file without a seed takes the one of the
    /// directory.
    pub fn open_directory(
        &mut self,
        path: &Path,
        config: &TournamentConfig,
    ) -> Result<RunDirectory, RunError> {
        let series = self.schedule(config.repetitions).count();
        let first = match RunDirectory::exists(path) {
            false => RunDirectory::create(path, self.plan(series)),
            true => Err(RunError::NoRun(String::new())),
        };
        // Another process may have been first with a seed of its own.
        let found = match first {
            Ok(directory) => return Ok(directory),
            Err(RunError::NoRun(_) | RunError::OtherRun { .. }) => RunDirectory::open(path)?,
            Err(error) => return Err(error),
        };
        if config.seed.is_none()
            && let Ok(known) = found.plan().read_content::<Self>(path)
        {
            self.header.seed = known.header.seed;
        }
        RunDirectory::create(path, self.plan(series))
    }

    /// Whether a series has the same games whenever and wherever it is played.
    fn is_repeatable(&self) -> bool {
        let is_fixed = |record: &EngineRecord| {
            let has_time = record.go.contains("movetime") || record.go.contains("tc ");
            let search = record.own_search();
            let spec = search.and_then(|search| {
                games::with_game(&self.header.game, SpecVisitor(search)).ok()?
            });
            let Some(spec) = spec.filter(|_| !has_time) else {
                return false;
            };
            let values = catalog::parameter_values(&spec);
            let is =
                |name: &str, wanted: &str| values.get(name).is_none_or(|value| value == wanted);
            // A solver counts fewer nodes where its cache has the answer.
            !matches!(spec, Spec::Exact(_))
                && is("threads", "1")
                && is("time", "0")
                && (!record.go.is_empty() || catalog::has_default_limit(&spec))
        };
        self.header.engines.iter().all(is_fixed)
    }
}

/// Reads a search for a game.
struct SpecVisitor<'a>(&'a str);

impl Visitor for SpecVisitor<'_> {
    type Out = Option<Spec>;

    fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
        catalog::parse::<G>(self.0).ok()
    }
}

/// The engine of a player; that of a person has no command.
fn seated_engine(player: &PlayerConfig, own: &[String]) -> EngineConfig {
    player.engine(own).unwrap_or_else(|| EngineConfig {
        name: player.name.clone(),
        ..EngineConfig::default()
    })
}

fn timeouts() -> Timeouts {
    Timeouts {
        reply: MOVE_TIMEOUT,
        ..Timeouts::default()
    }
}

/// The command that starts our engine for a game, `own` being the one that starts it at all.
pub fn own_command(own: &[String], game: &str) -> Vec<String> {
    let words = ["--game".to_owned(), game.to_owned()];
    own.iter().cloned().chain(words).collect()
}

/// The series of a run in order of their numbers.
pub fn records_of(run: &Run, header: &TournamentHeader) -> Result<Vec<SeriesRecord>, RunError> {
    let players = header.header.engines.len();
    run.results(|trial, record: &SeriesRecord| record.check(trial, players))
}

/// A tournament of engines at the game `G`.
#[derive(Debug)]
pub struct Tournament<G: Playable> {
    plan: MatchPlan<G>,
    schedule: SeriesSchedule,
}

impl<G: Playable> Tournament<G> {
    /// The tournament of a file with its header; `own` starts our engine for the game.
    pub fn new(
        config: &TournamentConfig,
        header: &TournamentHeader,
        own: &[String],
        rules: G::Rules,
        concurrency: usize,
    ) -> Result<Self, TournamentError> {
        let engines: Vec<EngineConfig> = (config.players.iter())
            .map(|player| seated_engine(player, own))
            .collect();
        let schedule = header.schedule(config.repetitions);
        let seed = header.header.seed;
        Ok(Self {
            plan: MatchPlan {
                header: header.header.clone(),
                limits: MoveLimits::default(),
                schedule: Schedule::new(engines.len(), 0, OpeningOrder::Listed, seed)?,
                games: schedule.count(),
                openings: vec![Opening::from_start(rules)],
                settings: RefereeSettings {
                    game: GameSpec::of::<G>(rules),
                    timeouts: timeouts(),
                    adjudication: Adjudication::default(),
                    move_delay: Duration::ZERO,
                },
                concurrency,
                sprt: None,
                engines,
            },
            schedule,
        })
    }

    /// Plays the series of these numbers, counted from 1, and adds them to `records` as they end.
    pub fn play(
        &self,
        series: impl Iterator<Item = u64> + Send,
        part: Option<&mut PartWriter>,
        records: &mut Vec<SeriesRecord>,
        halt: &Halt,
        on_event: &mut dyn FnMut(TournamentEvent<'_>),
    ) -> Result<ExecutionEnd, MatchError> {
        let context = MatchContext::new(&self.plan, None);
        let mut collector = SeriesCollector {
            part,
            records,
            on_event,
        };
        let worker_halt = Halt::new();
        let end = execute::execute(
            series,
            self.plan.concurrency,
            (halt, &worker_halt),
            &|worker| SeriesWorker {
                games: GameWorker::new(&context, worker),
                schedule: &self.schedule,
            },
            &mut collector,
        )?;
        if let Some(part) = collector.part {
            part.sync(true)?;
        }
        Ok(end)
    }
}

/// Events of a tournament.
#[derive(Debug)]
pub enum TournamentEvent<'a> {
    /// A series is over; it is the last of these.
    SeriesOver(&'a [SeriesRecord]),
    /// A message for the user.
    Message(&'a str),
    /// Some time has passed.
    Tick,
}

/// Keeps series as they end.
struct SeriesCollector<'a> {
    part: Option<&'a mut PartWriter>,
    records: &'a mut Vec<SeriesRecord>,
    on_event: &'a mut dyn FnMut(TournamentEvent<'_>),
}

impl Collector<Box<SeriesRecord>, MatchError> for SeriesCollector<'_> {
    fn on_result(&mut self, trial: u64, record: Box<SeriesRecord>) -> Result<bool, MatchError> {
        if let Some(part) = &mut self.part {
            part.append_result(trial, &record)?;
        }
        self.records.push(*record);
        (self.on_event)(TournamentEvent::SeriesOver(self.records));
        Ok(true)
    }

    fn on_void(&mut self, trial: u64, reason: &str) -> Result<(), MatchError> {
        if let Some(part) = &mut self.part {
            part.append_void(trial, reason)?;
        }
        Ok(())
    }

    fn on_message(&mut self, text: &str) {
        (self.on_event)(TournamentEvent::Message(text));
    }

    fn on_tick(&mut self) -> Result<(), MatchError> {
        if let Some(part) = &mut self.part {
            part.sync(false)?;
        }
        (self.on_event)(TournamentEvent::Tick);
        Ok(())
    }
}

/// Plays one series after the other.
struct SeriesWorker<'a, G: Playable> {
    games: GameWorker<'a, G, Box<SeriesRecord>>,
    schedule: &'a SeriesSchedule,
}

impl<G: Playable> TrialWorker for SeriesWorker<'_, G> {
    type Result = Box<SeriesRecord>;
    type Error = MatchError;

    fn run_trial(&mut self, trial: u64) -> Result<TrialEnd<Self::Result>, MatchError> {
        let Some(series) = self.schedule.series(trial) else {
            return Ok(TrialEnd::Void(format!("there is no series {trial}")));
        };
        let mut games: Vec<GameRecord> = Vec::new();
        while let Some(scheduled) = series.next_game(&games) {
            match self.games.play_counted_game(trial, &scheduled)? {
                Some(record) => games.push(record),
                None => return Ok(TrialEnd::Halted),
            }
        }
        Ok(TrialEnd::Done(Box::new(SeriesRecord::new(&series, games))))
    }

    fn finish(&mut self) {
        self.games.quit_engines();
    }
}
