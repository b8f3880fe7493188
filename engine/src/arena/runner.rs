//! Plays the games of a match, several at a time, and keeps the journal.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use thiserror::Error;

use super::{
    client::{Client, EngineFault, PostMortem, StartError},
    engine_config::EngineConfig,
    halt::Halt,
    match_log::{GameRecord, MatchHeader, MatchLog, MatchLogError},
    match_status::MatchStatusWriter,
    openings::Opening,
    referee::{self, EnginePlayer, RefereeSettings, STOP_DELAY},
    report,
    schedule::{Schedule, ScheduledGame},
    sprt::{Sprt, SprtRun, SprtVerdict},
    time_control::MoveLimits,
};
use crate::games::{Playable, Player, notation};

/// Poll interval of the thread that keeps the match log.
const TICK_INTERVAL: Duration = Duration::from_millis(50);
/// More engines than this are not kept waiting for their next game.
const MAX_IDLE_ENGINES: usize = 16;
/// Bits of the engines' seeds, small enough for the integer options of every dialect.
const SEED_BITS: u32 = 31;

/// A match: games, engines and terms.
#[derive(Debug)]
pub struct MatchPlan<G: Playable> {
    /// The first line of the match log.
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
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] MatchLogError),
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

/// Events from worker threads.
enum WorkerEvent {
    GameOver(Box<GameRecord>),
    Message(String),
    EngineUnusable(String, EngineFault, PostMortem),
}

/// State shared by the workers.
struct MatchContext<'a, G: Playable> {
    plan: &'a MatchPlan<G>,
    halt: &'a Halt,
    status_writer: Option<&'a MatchStatusWriter>,
    done: &'a BTreeSet<u64>,
    next_number: AtomicU64,
    /// The engines that have started at least once.
    has_started: Vec<AtomicBool>,
    has_warned: AtomicBool,
    /// Messages of engines already reported.
    reported_messages: Mutex<BTreeSet<String>>,
    events: Mutex<Sender<WorkerEvent>>,
}

/// Plays the games that `records` does not have, and adds them to it. The journal has them already.
pub fn run<G: Playable>(
    plan: &MatchPlan<G>,
    trees: Option<&Path>,
    log: &mut Option<MatchLog>,
    records: &mut Vec<GameRecord>,
    halt: &Halt,
    on_event: &mut dyn FnMut(MatchEvent<'_>),
) -> Result<MatchEnd, MatchError> {
    let status_writer = open_status_writer(plan, trees, records)?;
    let test = plan.sprt.map(|sprt| report::run_sprt(sprt, records));
    if let Some(verdict) = sprt_decision(test.as_ref()) {
        return Ok(MatchEnd::SprtDecided(verdict));
    }
    let done: BTreeSet<u64> = (records.iter())
        .filter_map(|record| record.game.checked_sub(1))
        .collect();
    let (sender, events) = channel();
    let worker_halt = Halt::new();
    let context = MatchContext::new(
        plan,
        &worker_halt,
        status_writer.as_ref(),
        (&done, 0),
        sender,
    );
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for number in 0..plan.concurrency {
            let context = &context;
            let worker = thread::Builder::new().name(format!("game {number}"));
            match worker.spawn_scoped(scope, move || play_games(context)) {
                Ok(helper) => workers.push(helper),
                Err(error) => on_event(MatchEvent::Message(format!(
                    "no thread could be started: {error}"
                ))),
            }
        }
        let mut collector = ResultCollector {
            halt,
            worker_halt: &worker_halt,
            live: status_writer.as_ref(),
            log,
            records,
            test,
            on_event,
            end: MatchEnd::AllGamesPlayed,
        };
        let collected = collector.collect(&events, || {
            workers.iter().all(|helper| helper.is_finished())
        });
        if collected.is_err() {
            worker_halt.request();
        }
        let end = collector.end;
        collected.map(|()| end)
    })
    .inspect(|end| {
        // A stopped match may be continued later.
        if let Some(status_writer) = status_writer.as_ref().filter(|_| *end != MatchEnd::Halted) {
            let _ = status_writer.finish();
        }
    })
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

/// Plays one game alone; keeping it is left to the caller.
pub fn run_single_game<G: Playable>(
    plan: &MatchPlan<G>,
    number: u64,
    trees: Option<&Path>,
    halt: &Halt,
) -> Result<Option<GameRecord>, MatchError> {
    let status_writer = open_status_writer(plan, trees, &[])?;
    let (sender, events) = channel();
    let done = BTreeSet::new();
    let shared = MatchContext::new(plan, halt, status_writer.as_ref(), (&done, number), sender);
    let scheduled = plan.schedule.game(number);
    let mut worker = GameWorker::new(&shared);
    let record = worker.play_game(&scheduled);
    worker.quit_engines();
    for event in events.try_iter() {
        if let WorkerEvent::EngineUnusable(name, fault, post_mortem) = event {
            let post_mortem = Box::new(post_mortem);
            return Err(MatchError::Engine {
                name,
                fault,
                post_mortem,
            });
        }
    }
    Ok(record)
}

/// Collects results and keeps the match log.
struct ResultCollector<'a> {
    /// Stop requests of the user, and the one passed on to the games.
    halt: &'a Halt,
    worker_halt: &'a Halt,
    live: Option<&'a MatchStatusWriter>,
    log: &'a mut Option<MatchLog>,
    records: &'a mut Vec<GameRecord>,
    /// When the match may stop early.
    test: Option<SprtRun>,
    on_event: &'a mut dyn FnMut(MatchEvent<'_>),
    end: MatchEnd,
}

impl ResultCollector<'_> {
    /// Handles worker events until all workers have ended.
    fn collect(
        &mut self,
        events: &Receiver<WorkerEvent>,
        is_over: impl Fn() -> bool,
    ) -> Result<(), MatchError> {
        loop {
            match events.recv_timeout(TICK_INTERVAL) {
                Ok(WorkerEvent::GameOver(record)) => self.add_game(*record)?,
                Ok(WorkerEvent::Message(text)) => (self.on_event)(MatchEvent::Message(text)),
                Ok(WorkerEvent::EngineUnusable(name, fault, post_mortem)) => {
                    let post_mortem = Box::new(post_mortem);
                    return Err(MatchError::Engine {
                        name,
                        fault,
                        post_mortem,
                    });
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    // Events sent before the last worker ended must still be handled.
                    if is_over() {
                        for event in events.try_iter() {
                            if let WorkerEvent::GameOver(record) = event {
                                self.add_game(*record)?;
                            }
                        }
                        break;
                    }
                    if let Some(log) = self.log {
                        log.sync(false)?;
                    }
                    (self.on_event)(MatchEvent::Tick);
                }
            }
            self.forward_halt();
        }
        if let Some(log) = self.log {
            log.sync(true)?;
        }
        Ok(())
    }

    fn forward_halt(&mut self) {
        if self.halt.is_requested() && !self.worker_halt.is_requested() {
            self.worker_halt.request();
            self.end = MatchEnd::Halted;
        }
        if self.halt.is_urgent() && !self.worker_halt.is_urgent() {
            self.worker_halt.request();
        }
    }

    fn add_game(&mut self, record: GameRecord) -> Result<(), MatchError> {
        if let Some(log) = self.log {
            log.append_game(&record)?;
        }
        if let Some(status_writer) = self.live
            && let Err(error) = status_writer.write_score(&record)
        {
            (self.on_event)(MatchEvent::Message(format!(
                "match.json is not written: {error}"
            )));
        }
        if let Some(test) = &mut self.test {
            report::add_to_sprt(test, &record);
        }
        self.records.push(record);
        (self.on_event)(MatchEvent::GameOver(self.records));
        if let Some(verdict) =
            sprt_decision(self.test.as_ref()).filter(|_| self.end == MatchEnd::AllGamesPlayed)
        {
            self.end = MatchEnd::SprtDecided(verdict);
            self.worker_halt.request();
        }
        Ok(())
    }
}

impl<'a, G: Playable> MatchContext<'a, G> {
    /// For the games from a number on, but for those that are done.
    fn new(
        plan: &'a MatchPlan<G>,
        halt: &'a Halt,
        status_writer: Option<&'a MatchStatusWriter>,
        (done, next): (&'a BTreeSet<u64>, u64),
        events: Sender<WorkerEvent>,
    ) -> Self {
        let unknown = |_: &EngineConfig| AtomicBool::new(false);
        Self {
            plan,
            halt,
            status_writer,
            done,
            next_number: AtomicU64::new(next),
            has_started: plan.engines.iter().map(unknown).collect(),
            has_warned: AtomicBool::new(false),
            reported_messages: Mutex::new(BTreeSet::new()),
            events: Mutex::new(events),
        }
    }

    fn send(&self, event: WorkerEvent) {
        let sender = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sender.send(event);
    }

    /// The next game that has not been played.
    fn next_game(&self) -> Option<u64> {
        loop {
            let number = self.next_number.fetch_add(1, Ordering::Relaxed);
            if number >= self.plan.games || self.halt.is_requested() {
                return None;
            }
            if !self.done.contains(&number) {
                return Some(number);
            }
        }
    }
}

fn play_games<G: Playable>(context: &MatchContext<'_, G>) {
    let mut worker = GameWorker::new(context);
    while let Some(number) = context.next_game() {
        let scheduled = context.plan.schedule.game(number);
        let Some(record) = worker.play_game(&scheduled) else {
            break;
        };
        context.send(WorkerEvent::GameOver(Box::new(record)));
    }
    worker.quit_engines();
}

/// Plays one game after the other.
struct GameWorker<'a, G: Playable> {
    context: &'a MatchContext<'a, G>,
    /// The conversations that are open, by engine.
    clients: Vec<Option<Client>>,
}

impl<'a, G: Playable> GameWorker<'a, G> {
    fn new(context: &'a MatchContext<'a, G>) -> Self {
        Self {
            context,
            clients: context.plan.engines.iter().map(|_| None).collect(),
        }
    }

    /// Plays a game; none if a stop was requested or an engine is unusable. A game in which an engine was stopped from
    /// outside is played once more, with a new process, before it counts.
    fn play_game(&mut self, scheduled: &ScheduledGame) -> Option<GameRecord> {
        let record = self.try_play_game(scheduled)?;
        let post_mortem = record.remains.as_ref();
        let Some(post_mortem) = post_mortem.filter(|post_mortem| post_mortem.is_stopped_externally)
        else {
            return Some(record);
        };
        self.context.send(WorkerEvent::Message(format!(
            "an engine was stopped from outside ({}): game {} is played again",
            post_mortem.exit,
            scheduled.number + 1
        )));
        self.try_play_game(scheduled)
    }

    fn try_play_game(&mut self, scheduled: &ScheduledGame) -> Option<GameRecord> {
        let plan = self.context.plan;
        self.quit_idle_engines(scheduled);
        let trees = self.create_tree_dir(scheduled);
        let mut players = [
            self.engine_player(scheduled, Player::First, trees.clone())?,
            self.engine_player(scheduled, Player::Second, trees)?,
        ];
        let listed = scheduled.opening.unwrap_or(0);
        let opening = plan.openings.get(listed)?;
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
            self.context.halt,
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
            let post_mortem = finished.post_mortem.clone().unwrap_or_default();
            let fault = EngineFault::Unsupported(finished.reason.clone());
            self.context
                .send(WorkerEvent::EngineUnusable(name, fault, post_mortem));
            return None;
        }
        Some(GameRecord::new(
            scheduled,
            start,
            opening.moves.len(),
            began,
            finished?,
        ))
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
                    self.context.send(WorkerEvent::Message(text));
                }
            }
        }
    }

    fn warn_once(&self, text: &str) {
        if !self.context.has_warned.swap(true, Ordering::Relaxed) {
            self.context.send(WorkerEvent::Message(text.to_owned()));
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
    ) -> Option<EnginePlayer<'a>> {
        let plan = self.context.plan;
        let index = scheduled.engine_of(player);
        let engine = plan.engines.get(index)?;
        let has_started = self.context.has_started.get(index)?;
        let mut client = self.clients.get_mut(index)?.take();
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
                }) => return None,
                // A program that is gone, or no more handles, is nobody's play.
                Err(StartError { fault, post_mortem })
                    if !has_started.load(Ordering::Relaxed)
                        || matches!(fault, EngineFault::NotStarted(_)) =>
                {
                    self.context.send(WorkerEvent::EngineUnusable(
                        engine.name.clone(),
                        fault,
                        *post_mortem,
                    ));
                    return None;
                }
                // It has started before: a second chance, then it forfeits.
                Err(_) => match self.start_client(engine) {
                    Ok(started) => client = Some(started),
                    Err(error) => start_error = Some(error),
                },
            }
        }
        Some(EnginePlayer {
            client,
            start_error,
            limits: engine.limits.as_ref().unwrap_or(&plan.limits),
            // 0 would ask the engine for a seed of its own, and the game could not be played again.
            seed: (scheduled.seed_of(player) >> (u64::BITS - SEED_BITS)).max(1),
            trees,
        })
    }

    /// Starts an engine; once more if somebody stopped it from outside, unless that meant the match, too.
    fn start_engine(&self, engine: &EngineConfig) -> Result<Client, StartError> {
        let halt = self.context.halt;
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
        Client::start(engine, &settings.game, settings.timeouts, self.context.halt)
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

    /// Asks all engines to quit.
    fn quit_engines(&mut self) {
        for client in self.clients.iter_mut().filter_map(Option::take) {
            client.quit();
        }
    }
}
