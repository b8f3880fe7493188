//! Plays the games of a match on one thread: starts engines, seats them, and makes records of their games.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    client::{Client, EngineFault, StartError},
    engine_config::EngineConfig,
    match_log::GameRecord,
    match_status::MatchStatusWriter,
    referee::{self, EnginePlayer, STOP_DELAY},
    runner::{MatchError, MatchPlan},
    schedule::ScheduledGame,
};
use crate::{
    games::{Playable, Player, notation},
    runs::execute,
};

/// More engines than this are not kept waiting for their next game.
const MAX_IDLE_ENGINES: usize = 16;

/// How workers speak to the collector of results, which are `R`.
pub(super) type WorkerContext<'h, R> = execute::WorkerContext<'h, R, MatchError>;

/// State shared by the workers of a match.
pub(super) struct MatchContext<'a, G: Playable> {
    plan: &'a MatchPlan<G>,
    status_writer: Option<&'a MatchStatusWriter>,
    /// The engines that have started at least once.
    has_started: Vec<AtomicBool>,
    has_warned: AtomicBool,
    /// Messages of engines already reported.
    reported_messages: Mutex<BTreeSet<String>>,
}

impl<'a, G: Playable> MatchContext<'a, G> {
    pub(super) fn new(
        plan: &'a MatchPlan<G>,
        status_writer: Option<&'a MatchStatusWriter>,
    ) -> Self {
        let engines = plan.engines.iter();
        Self {
            plan,
            status_writer,
            has_started: engines.map(|_| AtomicBool::new(false)).collect(),
            has_warned: AtomicBool::new(false),
            reported_messages: Mutex::new(BTreeSet::new()),
        }
    }
}

/// Plays games between the engines of a match, one after the other, for trials whose results are `R`.
pub(super) struct GameWorker<'a, G: Playable, R> {
    context: &'a MatchContext<'a, G>,
    worker: WorkerContext<'a, R>,
    /// The trial that the running game belongs to, counted from 1.
    trial: u64,
    /// The conversations that are open, by engine.
    clients: Vec<Option<Client>>,
}

impl<'a, G: Playable, R> GameWorker<'a, G, R> {
    pub(super) fn new(context: &'a MatchContext<'a, G>, worker: WorkerContext<'a, R>) -> Self {
        Self {
            context,
            worker,
            trial: 0,
            clients: context.plan.engines.iter().map(|_| None).collect(),
        }
    }

    /// The match it plays.
    pub(super) fn plan(&self) -> &'a MatchPlan<G> {
        self.context.plan
    }

    /// Plays a game of a trial; none if a stop was requested. A game in which an engine was stopped from outside is void, and
    /// played once more, with a new process, before it counts.
    pub(super) fn play_counted_game(
        &mut self,
        trial: u64,
        scheduled: &ScheduledGame,
    ) -> Result<Option<GameRecord>, MatchError> {
        self.trial = trial;
        let Some(record) = self.play_game(scheduled)? else {
            return Ok(None);
        };
        let post_mortem = record.remains.as_ref();
        let Some(post_mortem) = post_mortem.filter(|post_mortem| post_mortem.is_stopped_externally)
        else {
            return Ok(Some(record));
        };
        let reason = format!("an engine was stopped from outside ({})", post_mortem.exit);
        let number = scheduled.number + 1;
        self.worker
            .send_message(format!("{reason}: game {number} is played again"));
        self.worker.send_void(trial, reason);
        self.play_game(scheduled)
    }

    /// Asks all engines to quit.
    pub(super) fn quit_engines(&mut self) {
        for index in 0..self.clients.len() {
            self.quit_engine(index);
        }
    }

    /// Asks an engine to quit. One that has to be ended may not have written all its trees, which the user is told.
    fn quit_engine(&mut self, index: usize) {
        let Some(client) = self.clients.get_mut(index).and_then(Option::take) else {
            return;
        };
        let exit = client.quit();
        let plan = self.context.plan;
        if let Some(engine) = plan.engines.get(index).filter(|_| exit.is_ended_by_us)
            && !self.worker.halt().is_requested()
        {
            let seconds = plan.settings.timeouts.quit.as_secs_f64();
            let trees = match self.context.status_writer {
                Some(_) => ": its last trees may be missing",
                None => "",
            };
            self.worker.send_message(format!(
                "{} did not end within {seconds} s of quit and was ended{trees}",
                engine.name
            ));
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
                        self.worker.send_void(self.trial, reason);
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
            seed: scheduled.engine_seed_of(player),
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
            for index in 0..self.clients.len() {
                if !plays.contains(&index) {
                    self.quit_engine(index);
                }
            }
        }
    }
}
