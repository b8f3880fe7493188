//! Plays the games of a match, several at a time, and keeps them in a part of its run directory.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use thiserror::Error;

use super::{
    client::{Client, EngineFault, PostMortem, StartError},
    engine_config::EngineConfig,
    match_log::{GameRecord, MatchHeader},
    match_status::MatchStatusWriter,
    openings::Opening,
    referee::{self, EnginePlayer, RefereeSettings, STOP_DELAY},
    report,
    schedule::{Schedule, ScheduledGame},
    sprt::{Sprt, SprtRun, SprtVerdict},
    time_control::MoveLimits,
};
use crate::{
    games::{Playable, Player, notation},
    runs::{
        RunError,
        execute::{self, Collector, ExecutionEnd, TrialEnd, TrialWorker},
        halt::Halt,
        part::PartWriter,
    },
};

/// More engines than this are not kept waiting for their next game.
const MAX_IDLE_ENGINES: usize = 16;
/// Bits of the engines' seeds, small enough for the integer options of every dialect.
const SEED_BITS: u32 = 31;

/// A match: games, engines and terms.
#[derive(Debug)]
pub struct MatchPlan<G: Playable> {
    /// What its games depend on.
    pub header: MatchHeader,
    /// Who plays.
    pub engines: Vec<EngineConfig>,
    /// Limits of a move, for engines without limits of their own.
    pub limits: MoveLimits,
    /// Which games.
    pub schedule: Schedule,
    /// Number of games.
    pub games: u64,
    /// How they begin; at least one.
    pub openings: Vec<Opening<G>>,
    /// The terms of each game.
    pub settings: RefereeSettings,
    /// Number of concurrent games.
    pub concurrency: usize,
    /// When the match may stop early.
    pub sprt: Option<Sprt>,
}

/// Events of a match.
#[derive(Debug)]
pub enum MatchEvent<'a> {
    /// A game is over; it is the last of these.
    GameOver(&'a [GameRecord]),
    /// A message for the user.
    Message(String),
    /// Some time has passed.
    Tick,
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchEnd {
    /// All games have been played.
    AllGamesPlayed,
    /// The test has decided.
    SprtDecided(SprtVerdict),
    /// A stop was requested.
    Halted,
}

/// Why a match cannot go on.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot be used from the start.
    #[error("{name} {fault}{}", format_post_mortem(post_mortem))]
    Engine {
        /// Its name.
        name: String,
        /// The failure.
        fault: EngineFault,
        /// The evidence.
        post_mortem: Box<PostMortem>,
    },
    /// The games cannot be kept.
    #[error(transparent)]
    Records(#[from] RunError),
    /// The directory of trees cannot be used.
    #[error("{path}: {error}")]
    Trees {
        /// The directory.
        path: String,
        /// The system's error.
        error: std::io::Error,
    },
}

fn format_post_mortem(post_mortem: &PostMortem) -> String {
    let mut text = String::new();
    if !post_mortem.exit.is_empty() {
        text.push_str(&format!("\n  process: {}", post_mortem.exit));
    }
    for (what, lines) in [
        ("last lines", &post_mortem.lines),
        ("standard error", &post_mortem.complaints),
    ] {
        if !lines.is_empty() {
            text.push_str(&format!("\n  {what}:\n    {}", lines.join("\n    ")));
        }
    }
    text
}

/// How workers speak to the collector of results.
type WorkerContext<'h> = execute::WorkerContext<'h, Box<GameRecord>, MatchError>;

/// State shared by the workers.
struct MatchContext<'a, G: Playable> {
    plan: &'a MatchPlan<G>,
    status_writer: Option<&'a MatchStatusWriter>,
    /// The engines that have started at least once.
    has_started: Vec<AtomicBool>,
    has_warned: AtomicBool,
    /// Messages of engines already reported.
    reported_messages: Mutex<BTreeSet<String>>,
}

/// Where the games of an attempt go.
#[derive(Debug)]
pub struct MatchOutput<'a> {
    /// The part of the run directory, if games are kept.
    pub part: Option<&'a mut PartWriter>,
    /// Numbers of games that are kept already, and are not put into the part again.
    pub kept: &'a BTreeSet<u64>,
    /// The games that are known, to which the new ones are added.
    pub records: &'a mut Vec<GameRecord>,
    /// The directory of match.json and the trees.
    pub trees: Option<&'a Path>,
}

/// Plays the games of these numbers, counted from 1.
pub fn run<G: Playable>(
    plan: &MatchPlan<G>,
    games: impl Iterator<Item = u64> + Send,
    output: MatchOutput<'_>,
    halt: &Halt,
    on_event: &mut dyn FnMut(MatchEvent<'_>),
) -> Result<MatchEnd, MatchError> {
    let status_writer = open_status_writer(plan, output.trees, output.records)?;
    let test = (plan.sprt).map(|sprt| report::run_sprt(sprt, output.records));
    if let Some(verdict) = sprt_decision(test.as_ref()) {
        return Ok(MatchEnd::SprtDecided(verdict));
    }
    let context = MatchContext {
        plan,
        status_writer: status_writer.as_ref(),
        has_started: (plan.engines.iter())
            .map(|_| AtomicBool::new(false))
            .collect(),
        has_warned: AtomicBool::new(false),
        reported_messages: Mutex::new(BTreeSet::new()),
    };
    let mut collector = GameCollector {
        status_writer: status_writer.as_ref(),
        output,
        test,
        on_event,
    };
    let worker_halt = Halt::new();
    let end = execute::execute(
        games,
        plan.concurrency,
        (halt, &worker_halt),
        &|worker| GameWorker::new(&context, worker),
        &mut collector,
    )?;
    if let Some(part) = &mut collector.output.part {
        part.sync(true)?;
    }
    let end = match (end, sprt_decision(collector.test.as_ref())) {
        (ExecutionEnd::Halted, _) => MatchEnd::Halted,
        (_, Some(verdict)) => MatchEnd::SprtDecided(verdict),
        _ => MatchEnd::AllGamesPlayed,
    };
    // A stopped match may be continued later.
    if let Some(status_writer) = status_writer.as_ref().filter(|_| end != MatchEnd::Halted) {
        let _ = status_writer.finish();
    }
    Ok(end)
}

/// The verdict of the test, once it has decided.
fn sprt_decision(test: Option<&SprtRun>) -> Option<SprtVerdict> {
    let verdict = test?.verdict();
    (verdict != SprtVerdict::Continue).then_some(verdict)
}

fn open_status_writer<G: Playable>(
    plan: &MatchPlan<G>,
    trees: Option<&Path>,
    records: &[GameRecord],
) -> Result<Option<MatchStatusWriter>, MatchError> {
    let open = |path: &Path| {
        MatchStatusWriter::new(path, &plan.header, plan.games, records).map_err(|error| {
            MatchError::Trees {
                path: path.display().to_string(),
                error,
            }
        })
    };
    trees.map(open).transpose()
}

/// Keeps games as they end.
struct GameCollector<'a> {
    status_writer: Option<&'a MatchStatusWriter>,
    output: MatchOutput<'a>,
    /// When the match may stop early.
    test: Option<SprtRun>,
    on_event: &'a mut dyn FnMut(MatchEvent<'_>),
}

impl Collector<Box<GameRecord>, MatchError> for GameCollector<'_> {
    fn on_result(&mut self, trial: u64, record: Box<GameRecord>) -> Result<bool, MatchError> {
        if let Some(part) = &mut self.output.part
            && !self.output.kept.contains(&trial)
        {
            part.append_result(trial, &record)?;
        }
        if let Some(status_writer) = self.status_writer
            && let Err(error) = status_writer.write_score(&record)
        {
            self.on_message(&format!("match.json is not written: {error}"));
        }
        if let Some(test) = &mut self.test {
            report::add_to_sprt(test, &record);
        }
        self.output.records.push(*record);
        (self.on_event)(MatchEvent::GameOver(self.output.records));
        Ok(sprt_decision(self.test.as_ref()).is_none())
    }

    fn on_void(&mut self, trial: u64, reason: &str) -> Result<(), MatchError> {
        if let Some(part) = &mut self.output.part {
            part.append_void(trial, reason)?;
        }
        Ok(())
    }

    fn on_message(&mut self, text: &str) {
        (self.on_event)(MatchEvent::Message(text.to_owned()));
    }

    fn on_tick(&mut self) -> Result<(), MatchError> {
        if let Some(part) = &mut self.output.part {
            part.sync(false)?;
        }
        (self.on_event)(MatchEvent::Tick);
        Ok(())
    }
}

/// Plays one game after the other.
struct GameWorker<'a, G: Playable> {
    context: &'a MatchContext<'a, G>,
    worker: WorkerContext<'a>,
    /// The conversations that are open, by engine.
    clients: Vec<Option<Client>>,
}

impl<G: Playable> TrialWorker for GameWorker<'_, G> {
    type Result = Box<GameRecord>;
    type Error = MatchError;

    /// Plays a game. One in which an engine was stopped from outside is void, and played once more, with a new process, before it
    /// counts.
    fn run_trial(&mut self, trial: u64) -> Result<TrialEnd<Self::Result>, MatchError> {
        let scheduled = self.context.plan.schedule.game(trial.saturating_sub(1));
        let Some(record) = self.play_game(&scheduled)? else {
            return Ok(TrialEnd::Halted);
        };
        let post_mortem = record.remains.as_ref();
        let Some(post_mortem) = post_mortem.filter(|post_mortem| post_mortem.is_stopped_externally)
        else {
            return Ok(TrialEnd::Done(Box::new(record)));
        };
        let reason = format!("an engine was stopped from outside ({})", post_mortem.exit);
        self.worker
            .send_message(format!("{reason}: game {trial} is played again"));
        self.worker.send_void(trial, reason);
        let record = self.play_game(&scheduled)?;
        Ok(record.map_or(TrialEnd::Halted, |record| TrialEnd::Done(Box::new(record))))
    }

    /// Asks all engines to quit.
    fn finish(&mut self) {
        for client in self.clients.iter_mut().filter_map(Option::take) {
            client.quit();
        }
    }
}

impl<'a, G: Playable> GameWorker<'a, G> {
    fn new(context: &'a MatchContext<'a, G>, worker: WorkerContext<'a>) -> Self {
        Self {
            context,
            worker,
            clients: context.plan.engines.iter().map(|_| None).collect(),
        }
    }

    /// Plays a game; none if a stop was requested.
    fn play_game(&mut self, scheduled: &ScheduledGame) -> Result<Option<GameRecord>, MatchError> {
        let plan = self.context.plan;
        self.quit_idle_engines(scheduled);
        let trees = self.create_tree_dir(scheduled);
        let first = self.engine_player(scheduled, Player::First, trees.clone())?;
        let second = self.engine_player(scheduled, Player::Second, trees)?;
        let listed = scheduled.opening.unwrap_or(0);
        let (Some(first), Some(second), Some(opening)) = (first, second, plan.openings.get(listed))
        else {
            return Ok(None);
        };
        let mut players = [first, second];
        let opening = opening.with_random_plies(plan.header.plies, scheduled.opening_seed);
        let is_start = opening.start == G::start(opening.start.rules());
        let start = match is_start {
            true => String::new(),
            false => notation::position_text(&opening.start),
        };
        let shown = notation::position_text(&opening.start);
        let began = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut on_status = |status: &referee::GameStatus<'_>| {
            if let Some(status_writer) = self.context.status_writer
                && let Err(error) = status_writer.write_game(scheduled, &shown, status)
            {
                self.warn_once(&format!("match.json is not written: {error}"));
            }
        };
        let finished = referee::play(
            &plan.settings,
            &opening,
            &mut players,
            self.worker.halt(),
            &mut on_status,
        );
        for (engine_player, player) in players.into_iter().zip([Player::First, Player::Second]) {
            if let Some(slot) = self.clients.get_mut(scheduled.engine_of(player)) {
                *slot = engine_player.client;
            }
        }
        self.report_info_strings();
        let began = began.unwrap_or_default().as_millis() as u64;
        if let Some(finished) = finished
            .as_ref()
            .filter(|finished| finished.is_engine_unusable)
        {
            let engine = finished
                .blame
                .and_then(|player| plan.engines.get(scheduled.engine_of(player)));
            let name = engine.map(|engine| engine.name.clone()).unwrap_or_default();
            return Err(MatchError::Engine {
                name,
                fault: EngineFault::Unsupported(finished.reason.clone()),
                post_mortem: Box::new(finished.post_mortem.clone().unwrap_or_default()),
            });
        }
        let plies = opening.moves.len();
        Ok(finished.map(|finished| GameRecord::new(scheduled, start, plies, began, finished)))
    }

    /// Reports unasked messages of the engines, each once.
    fn report_info_strings(&mut self) {
        for (client, engine) in self.clients.iter_mut().zip(&self.context.plan.engines) {
            let Some(client) = client else { continue };
            for note in client.info_strings() {
                let text = format!("{} says: {note}", engine.name);
                let mut reported = self
                    .context
                    .reported_messages
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                if reported.insert(text.clone()) {
                    self.worker.send_message(text);
                }
            }
        }
    }

    fn warn_once(&self, text: &str) {
        if !self.context.has_warned.swap(true, Ordering::Relaxed) {
            self.worker.send_message(text.to_owned());
        }
    }

    /// The directory for the trees of a game, as text for the engines.
    fn create_tree_dir(&self, scheduled: &ScheduledGame) -> Option<String> {
        match self.context.status_writer?.create_tree_dir(scheduled) {
            Ok(path) => Some(path.to_string_lossy().into_owned()),
            Err(error) => {
                self.warn_once(&format!("no directory for the trees of a game: {error}"));
                None
            }
        }
    }

    /// The engine of a seat, started if necessary. If it has never started anywhere and fails now, it is unusable.
    fn engine_player(
        &mut self,
        scheduled: &ScheduledGame,
        player: Player,
        trees: Option<String>,
    ) -> Result<Option<EnginePlayer<'a>>, MatchError> {
        let plan = self.context.plan;
        let index = scheduled.engine_of(player);
        let (Some(engine), Some(has_started), Some(slot)) = (
            plan.engines.get(index),
            self.context.has_started.get(index),
            self.clients.get_mut(index),
        ) else {
            return Ok(None);
        };
        let mut client = slot.take();
        let mut start_error = None;
        if client.is_none() {
            match self.start_engine(engine) {
                Ok(started) => {
                    has_started.store(true, Ordering::Relaxed);
                    client = Some(started);
                }
                Err(StartError {
                    fault: EngineFault::Halted,
                    ..
                }) => return Ok(None),
                // A program that is gone, or no more handles, is nobody's play.
                Err(StartError { fault, post_mortem })
                    if !has_started.load(Ordering::Relaxed)
                        || matches!(fault, EngineFault::NotStarted(_)) =>
                {
                    let name = engine.name.clone();
                    if has_started.load(Ordering::Relaxed) {
                        let reason = format!("{name} {fault}");
                        self.worker.send_void(scheduled.number + 1, reason);
                    }
                    return Err(MatchError::Engine {
                        name,
                        fault,
                        post_mortem,
                    });
                }
                // It has started before: a second chance, then it forfeits.
                Err(_) => match self.start_client(engine) {
                    Ok(started) => client = Some(started),
                    Err(error) => start_error = Some(error),
                },
            }
        }
        Ok(Some(EnginePlayer {
            client,
            start_error,
            limits: engine.limits.as_ref().unwrap_or(&plan.limits),
            // 0 would ask the engine for a seed of its own, and the game could not be played again.
            seed: (scheduled.seed_of(player) >> (u64::BITS - SEED_BITS)).max(1),
            trees,
        }))
    }

    /// Starts an engine; once more if somebody stopped it from outside, unless that meant the match, too.
    fn start_engine(&self, engine: &EngineConfig) -> Result<Client, StartError> {
        let halt = self.worker.halt();
        let error = match self.start_client(engine) {
            Ok(client) => return Ok(client),
            Err(error) => error,
        };
        let is_stopped_externally = matches!(error.fault, EngineFault::Exited(_))
            && error.post_mortem.is_stopped_externally;
        if halt.is_requested() || (is_stopped_externally && halt.wait_timeout(STOP_DELAY)) {
            let fault = EngineFault::Halted;
            return Err(StartError { fault, ..error });
        }
        if is_stopped_externally {
            return self.start_client(engine);
        }
        Err(error)
    }

    fn start_client(&self, engine: &EngineConfig) -> Result<Client, StartError> {
        let settings = &self.context.plan.settings;
        Client::start(
            engine,
            &settings.game,
            settings.timeouts,
            self.worker.halt(),
        )
    }

    /// Lets engines go that do not play now, if many are waiting.
    fn quit_idle_engines(&mut self, scheduled: &ScheduledGame) {
        let plays = [scheduled.first, scheduled.second];
        let waiting = self.clients.iter().flatten().count();
        if waiting >= MAX_IDLE_ENGINES {
            for (index, client) in self.clients.iter_mut().enumerate() {
                if !plays.contains(&index)
                    && let Some(client) = client.take()
                {
                    client.quit();
                }
            }
        }
    }
}
