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
    client::{Client, Fault, Remains},
    engines::Engine,
    go::Go,
    halt::Halt,
    journal::{Heading, Journal, JournalError, Record},
    live::Live,
    openings::Opening,
    referee::{self, STOP_DELAY, Seat, Terms},
    report,
    schedule::{Fixture, Schedule},
    sprt::{Sequential, Sprt, Verdict},
};
use crate::games::{Playable, Player, notation};

/// The one who keeps the journal looks about so often when no game ends.
const TICK: Duration = Duration::from_millis(50);
/// More engines than this are not kept waiting for their next game.
const MOST_IDLE: usize = 16;
/// The random numbers of engines are numbers of so many bits, which every program can read as an option.
const SEED_BITS: u32 = 31;

/// What is to be played, and how.
#[derive(Debug)]
pub struct Plan<G: Playable> {
    /// What the journal says of it.
    pub heading: Heading,
    /// Who plays.
    pub engines: Vec<Engine>,
    /// How long a move may take, for engines that say nothing else.
    pub go: Go,
    /// Which games.
    pub schedule: Schedule,
    /// How many of them.
    pub games: u64,
    /// How they begin; at least one.
    pub openings: Vec<Opening<G>>,
    /// On what terms.
    pub terms: Terms,
    /// How many at a time.
    pub concurrency: usize,
    /// When the match may stop early.
    pub sprt: Option<Sprt>,
}

/// What happens during a match.
#[derive(Debug)]
pub enum News<'a> {
    /// A game is over; it is the last of these.
    Over(&'a [Record]),
    /// Something is to be said.
    Said(String),
    /// Some time has passed.
    Tick,
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// All games have been played.
    Done,
    /// The test has decided.
    Decided(Verdict),
    /// Somebody said stop.
    Halted,
}

/// Why a match cannot go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// An engine is of no use from the start.
    #[error("{name} {fault}{}", told(remains))]
    Engine {
        /// What it is called.
        name: String,
        /// What happened.
        fault: Fault,
        /// What it said.
        remains: Box<Remains>,
    },
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The directory of trees cannot be used.
    #[error("{path}: {error}")]
    Trees {
        /// The directory.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
}

fn told(remains: &Remains) -> String {
    let mut text = String::new();
    if !remains.exit.is_empty() {
        text.push_str(&format!("\n  process: {}", remains.exit));
    }
    for (what, lines) in [
        ("last lines", &remains.lines),
        ("standard error", &remains.complaints),
    ] {
        if !lines.is_empty() {
            text.push_str(&format!("\n  {what}:\n    {}", lines.join("\n    ")));
        }
    }
    text
}

/// What workers tell.
enum Told {
    Over(Box<Record>),
    Said(String),
    Useless(String, Fault, Remains),
}

/// What workers share.
struct Shared<'a, G: Playable> {
    plan: &'a Plan<G>,
    halt: &'a Halt,
    live: Option<&'a Live>,
    done: &'a BTreeSet<u64>,
    next: AtomicU64,
    /// The engines that have started at least once.
    known: Vec<AtomicBool>,
    warned: AtomicBool,
    /// What engines said, so that it is told once.
    said: Mutex<BTreeSet<String>>,
    tell: Mutex<Sender<Told>>,
}

/// Plays the games that `records` does not have, and adds them to it. The journal has them already.
pub fn run<G: Playable>(
    plan: &Plan<G>,
    trees: Option<&Path>,
    journal: &mut Option<Journal>,
    records: &mut Vec<Record>,
    halt: &Halt,
    news: &mut dyn FnMut(News<'_>),
) -> Result<Why, RunError> {
    let live = open_live(plan, trees, records)?;
    let test = plan.sprt.map(|sprt| report::sequential(sprt, records));
    if let Some(verdict) = decided(test.as_ref()) {
        return Ok(Why::Decided(verdict));
    }
    let done: BTreeSet<u64> = (records.iter())
        .filter_map(|record| record.game.checked_sub(1))
        .collect();
    let (sender, told) = channel();
    let inner = Halt::new();
    let shared = Shared::new(plan, &inner, live.as_ref(), (&done, 0), sender);
    thread::scope(|scope| {
        let mut helpers = Vec::new();
        for number in 0..plan.concurrency {
            let shared = &shared;
            let worker = thread::Builder::new().name(format!("game {number}"));
            match worker.spawn_scoped(scope, move || work(shared)) {
                Ok(helper) => helpers.push(helper),
                Err(error) => news(News::Said(format!("no thread could be started: {error}"))),
            }
        }
        let mut keeper = Keeper {
            halt,
            inner: &inner,
            live: live.as_ref(),
            journal,
            records,
            test,
            news,
            why: Why::Done,
        };
        let kept = keeper.keep(&told, || helpers.iter().all(|helper| helper.is_finished()));
        if kept.is_err() {
            inner.say();
        }
        let why = keeper.why;
        kept.map(|()| why)
    })
    .inspect(|why| {
        // A match that was stopped goes on another time.
        if let Some(live) = live.as_ref().filter(|_| *why != Why::Halted) {
            let _ = live.finish();
        }
    })
}

/// What the test says, if it has decided.
fn decided(test: Option<&Sequential>) -> Option<Verdict> {
    let verdict = test?.verdict();
    (verdict != Verdict::Continue).then_some(verdict)
}

fn open_live<G: Playable>(
    plan: &Plan<G>,
    trees: Option<&Path>,
    records: &[Record],
) -> Result<Option<Live>, RunError> {
    let open = |path: &Path| {
        Live::new(path, &plan.heading, plan.games, records).map_err(|error| RunError::Trees {
            path: path.display().to_string(),
            error,
        })
    };
    trees.map(open).transpose()
}

/// Plays one game alone; keeping it is left to the caller.
pub fn run_only<G: Playable>(
    plan: &Plan<G>,
    number: u64,
    trees: Option<&Path>,
    halt: &Halt,
) -> Result<Option<Record>, RunError> {
    let live = open_live(plan, trees, &[])?;
    let (sender, told) = channel();
    let done = BTreeSet::new();
    let shared = Shared::new(plan, halt, live.as_ref(), (&done, number), sender);
    let fixture = plan.schedule.fixture(number);
    let mut worker = Worker::new(&shared);
    let record = worker.play(&fixture);
    worker.dismiss();
    for told in told.try_iter() {
        if let Told::Useless(name, fault, remains) = told {
            let remains = Box::new(remains);
            return Err(RunError::Engine {
                name,
                fault,
                remains,
            });
        }
    }
    Ok(record)
}

/// The one who keeps the journal.
struct Keeper<'a> {
    /// What the user says, and what is passed on to the games.
    halt: &'a Halt,
    inner: &'a Halt,
    live: Option<&'a Live>,
    journal: &'a mut Option<Journal>,
    records: &'a mut Vec<Record>,
    /// When the match may stop early.
    test: Option<Sequential>,
    news: &'a mut dyn FnMut(News<'_>),
    why: Why,
}

impl Keeper<'_> {
    /// Takes in what is told until nobody is left to tell anything.
    fn keep(&mut self, told: &Receiver<Told>, is_over: impl Fn() -> bool) -> Result<(), RunError> {
        loop {
            match told.recv_timeout(TICK) {
                Ok(Told::Over(record)) => self.record(*record)?,
                Ok(Told::Said(text)) => (self.news)(News::Said(text)),
                Ok(Told::Useless(name, fault, remains)) => {
                    let remains = Box::new(remains);
                    return Err(RunError::Engine {
                        name,
                        fault,
                        remains,
                    });
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    // What was told before the last one left has to be heard.
                    if is_over() {
                        for late in told.try_iter() {
                            if let Told::Over(record) = late {
                                self.record(*record)?;
                            }
                        }
                        break;
                    }
                    if let Some(journal) = self.journal {
                        journal.tend(false)?;
                    }
                    (self.news)(News::Tick);
                }
            }
            self.pass_on();
        }
        if let Some(journal) = self.journal {
            journal.tend(true)?;
        }
        Ok(())
    }

    fn pass_on(&mut self) {
        if self.halt.is_said() && !self.inner.is_said() {
            self.inner.say();
            self.why = Why::Halted;
        }
        if self.halt.is_urgent() && !self.inner.is_urgent() {
            self.inner.say();
        }
    }

    fn record(&mut self, record: Record) -> Result<(), RunError> {
        if let Some(journal) = self.journal {
            journal.record(&record)?;
        }
        if let Some(live) = self.live
            && let Err(error) = live.score(&record)
        {
            (self.news)(News::Said(format!("match.json is not written: {error}")));
        }
        if let Some(test) = &mut self.test {
            report::judge(test, &record);
        }
        self.records.push(record);
        (self.news)(News::Over(self.records));
        if let Some(verdict) = decided(self.test.as_ref()).filter(|_| self.why == Why::Done) {
            self.why = Why::Decided(verdict);
            self.inner.say();
        }
        Ok(())
    }
}

impl<'a, G: Playable> Shared<'a, G> {
    /// For the games from a number on, but for those that are done.
    fn new(
        plan: &'a Plan<G>,
        halt: &'a Halt,
        live: Option<&'a Live>,
        (done, next): (&'a BTreeSet<u64>, u64),
        tell: Sender<Told>,
    ) -> Self {
        let unknown = |_: &Engine| AtomicBool::new(false);
        Self {
            plan,
            halt,
            live,
            done,
            next: AtomicU64::new(next),
            known: plan.engines.iter().map(unknown).collect(),
            warned: AtomicBool::new(false),
            said: Mutex::new(BTreeSet::new()),
            tell: Mutex::new(tell),
        }
    }

    fn tell(&self, told: Told) {
        let sender = self.tell.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sender.send(told);
    }

    /// The next game that has not been played.
    fn next(&self) -> Option<u64> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.plan.games || self.halt.is_said() {
                return None;
            }
            if !self.done.contains(&number) {
                return Some(number);
            }
        }
    }
}

fn work<G: Playable>(shared: &Shared<'_, G>) {
    let mut worker = Worker::new(shared);
    while let Some(number) = shared.next() {
        let fixture = shared.plan.schedule.fixture(number);
        let Some(record) = worker.play(&fixture) else {
            break;
        };
        shared.tell(Told::Over(Box::new(record)));
    }
    worker.dismiss();
}

/// Plays one game after the other.
struct Worker<'a, G: Playable> {
    shared: &'a Shared<'a, G>,
    /// The conversations that are open, by engine.
    clients: Vec<Option<Client>>,
}

impl<'a, G: Playable> Worker<'a, G> {
    fn new(shared: &'a Shared<'a, G>) -> Self {
        Self {
            shared,
            clients: shared.plan.engines.iter().map(|_| None).collect(),
        }
    }

    /// Plays a game; none if somebody said stop, or an engine is of no use. One in which an engine was stopped from outside
    /// is played once more, with a new process, before it counts.
    fn play(&mut self, fixture: &Fixture) -> Option<Record> {
        let record = self.try_to_play(fixture)?;
        let remains = record.remains.as_ref();
        let Some(remains) = remains.filter(|remains| remains.is_foreign_stop) else {
            return Some(record);
        };
        self.shared.tell(Told::Said(format!(
            "an engine was stopped from outside ({}): game {} is played again",
            remains.exit,
            fixture.number + 1
        )));
        self.try_to_play(fixture)
    }

    fn try_to_play(&mut self, fixture: &Fixture) -> Option<Record> {
        let plan = self.shared.plan;
        self.make_room(fixture);
        let trees = self.trees(fixture);
        let mut seats = [
            self.seat(fixture, Player::First, trees.clone())?,
            self.seat(fixture, Player::Second, trees)?,
        ];
        let listed = fixture.opening.unwrap_or(0);
        let opening = plan.openings.get(listed)?;
        let opening = opening.with_plies(plan.heading.plies, fixture.opening_seed);
        let is_start = opening.start == G::start(opening.start.rules());
        let start = match is_start {
            true => String::new(),
            false => notation::position_text(&opening.start),
        };
        let shown = notation::position_text(&opening.start);
        let began = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut watch = |standing: &referee::Standing<'_>| {
            if let Some(live) = self.shared.live
                && let Err(error) = live.tell(fixture, &shown, standing)
            {
                self.warn(&format!("match.json is not written: {error}"));
            }
        };
        let played = referee::play(
            &plan.terms,
            &opening,
            &mut seats,
            self.shared.halt,
            &mut watch,
        );
        for (seat, player) in seats.into_iter().zip([Player::First, Player::Second]) {
            if let Some(slot) = self.clients.get_mut(fixture.engine(player)) {
                *slot = seat.client;
            }
        }
        self.pass_on_notes();
        let began = began.unwrap_or_default().as_millis() as u64;
        if let Some(played) = played.as_ref().filter(|played| played.is_hopeless) {
            let engine = played
                .blame
                .and_then(|player| plan.engines.get(fixture.engine(player)));
            let name = engine.map(|engine| engine.name.clone()).unwrap_or_default();
            let remains = played.remains.clone().unwrap_or_default();
            let fault = Fault::Unable(played.reason.clone());
            self.shared.tell(Told::Useless(name, fault, remains));
            return None;
        }
        Some(Record::new(
            fixture,
            start,
            opening.moves.len(),
            began,
            played?,
        ))
    }

    /// Tells what engines said on their own account, each thing once.
    fn pass_on_notes(&mut self) {
        for (client, engine) in self.clients.iter_mut().zip(&self.shared.plan.engines) {
            let Some(client) = client else { continue };
            for note in client.notes() {
                let text = format!("{} says: {note}", engine.name);
                let mut said = self
                    .shared
                    .said
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                if said.insert(text.clone()) {
                    self.shared.tell(Told::Said(text));
                }
            }
        }
    }

    fn warn(&self, text: &str) {
        if !self.shared.warned.swap(true, Ordering::Relaxed) {
            self.shared.tell(Told::Said(text.to_owned()));
        }
    }

    /// The directory for the trees of a game, as text for the engines.
    fn trees(&self, fixture: &Fixture) -> Option<String> {
        match self.shared.live?.trees(fixture) {
            Ok(path) => Some(path.to_string_lossy().into_owned()),
            Err(error) => {
                self.warn(&format!("no directory for the trees of a game: {error}"));
                None
            }
        }
    }

    /// Puts an engine in its seat. One that has never started anywhere is of no use if it does not start now.
    fn seat(
        &mut self,
        fixture: &Fixture,
        player: Player,
        trees: Option<String>,
    ) -> Option<Seat<'a>> {
        let plan = self.shared.plan;
        let index = fixture.engine(player);
        let engine = plan.engines.get(index)?;
        let known = self.shared.known.get(index)?;
        let mut client = self.clients.get_mut(index)?.take();
        if client.is_none() {
            match self.start(engine) {
                Ok(started) => {
                    known.store(true, Ordering::Relaxed);
                    client = Some(started);
                }
                Err((Fault::Halted, _)) => return None,
                // A program that is gone, or no more handles, is nobody's play.
                Err((fault, remains))
                    if !known.load(Ordering::Relaxed) || matches!(fault, Fault::NotStarted(_)) =>
                {
                    self.shared
                        .tell(Told::Useless(engine.name.clone(), fault, *remains));
                    return None;
                }
                // The referee tries once more.
                Err(_) => {}
            }
        }
        Some(Seat {
            engine,
            client,
            go: engine.go.as_ref().unwrap_or(&plan.go),
            seed: fixture.seed_of(player) >> (u64::BITS - SEED_BITS),
            trees,
        })
    }

    /// Starts an engine; once more if somebody stopped it from outside, unless that meant the match, too.
    fn start(&self, engine: &Engine) -> Result<Client, (Fault, Box<Remains>)> {
        let halt = self.shared.halt;
        let terms = &self.shared.plan.terms;
        let start = || Client::start(engine, &terms.game, terms.patience, halt);
        match start() {
            Err((_, remains)) if halt.is_said() => Err((Fault::Halted, remains)),
            Err((Fault::Ended(_), remains)) if remains.is_foreign_stop => {
                match halt.comes_within(STOP_DELAY) {
                    true => Err((Fault::Halted, remains)),
                    false => start(),
                }
            }
            started => started,
        }
    }

    /// Lets engines go that do not play now, if many are waiting.
    fn make_room(&mut self, fixture: &Fixture) {
        let plays = [fixture.first, fixture.second];
        let waiting = self.clients.iter().flatten().count();
        if waiting >= MOST_IDLE {
            for (index, client) in self.clients.iter_mut().enumerate() {
                if !plays.contains(&index)
                    && let Some(client) = client.take()
                {
                    client.quit();
                }
            }
        }
    }

    /// Says good-bye to all.
    fn dismiss(&mut self) {
        for client in self.clients.iter_mut().filter_map(Option::take) {
            client.quit();
        }
    }
}
