//! An engine process that plays in the window, and the thread that talks to it.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::panic))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::indexing_slicing))]

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use canopy_engine::{
    arena::{
        client::{
            Client, EngineFault, EngineInfo, EngineMove, GameSpec, NewGame, PostMortem, Timeouts,
        },
        engine_config::EngineConfig,
        time_control::Clocks,
    },
    games::{
        self, Playable, Player, Visitor,
        notation::{self, Style},
    },
    runs::halt::Halt,
};

use crate::system::{
    wake::Wake,
    worker::{Mailbox, Task, Worker},
};

/// Timeouts of an engine; the user decides how long a move may take.
pub(super) const ENGINE_TIMEOUTS: Timeouts = Timeouts {
    start: Duration::from_secs(10),
    ready: Duration::from_secs(10),
    reply: Duration::from_secs(1 << 20),
    stop: Duration::from_secs(5),
    quit: Duration::from_millis(500),
    margin: Duration::from_secs(1 << 20),
};

/// The name of an engine whose thread panics at the first request.
#[cfg(test)]
pub(crate) const PANICKING_ENGINE: &str = "panicking";

/// A request for a move.
#[derive(Clone, Debug)]
pub struct MoveRequest {
    /// Number of the request; answers to older requests are recognised by it.
    pub id: u64,
    /// Number of the game; a new number begins a new game.
    pub game: u64,
    /// Start position; empty for the game's own.
    pub position: String,
    /// Moves so far.
    pub moves: Vec<String>,
    /// Seed of the game.
    pub seed: u64,
    /// Directory for tree files.
    pub trees: Option<String>,
}

/// An event of an engine, with the number of the request.
#[derive(Debug)]
pub enum EngineEvent {
    /// It has introduced itself in its dialect.
    Introduced(u64),
    /// Progress of the search.
    Info(u64, EngineInfo),
    /// Its move, not checked for legality.
    BestMove(u64, EngineMove),
    /// It failed: a sentence, and its last output.
    Failed(u64, String, PostMortem),
}

/// An engine process that plays in the window, and the thread that talks to it.
pub struct EngineHandle {
    worker: Worker<MoveRequest, EngineEvent>,
    active: Arc<Mutex<ActiveRequest>>,
}

/// The request in force, shared between window and thread.
#[derive(Default)]
struct ActiveRequest {
    /// Number of the request to answer; others are dropped.
    request_id: Option<u64>,
    /// Interrupts the engine.
    halt: Halt,
}

fn lock_active(active: &Mutex<ActiveRequest>) -> MutexGuard<'_, ActiveRequest> {
    active.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EngineHandle {
    /// Starts the thread; the process is started by the first request.
    pub fn start(engine: EngineConfig, game: &str, wake: Wake) -> Result<Self, String> {
        let game = games::with_game(game, ClientGameVisitor).map_err(|error| error.to_string())?;
        let active = Arc::new(Mutex::new(ActiveRequest::default()));
        let new_task = |mailbox| EngineTask {
            mailbox,
            engine: EngineConfig {
                is_low_priority: true,
                ..engine
            },
            game,
            client: None,
            current_game: None,
            sent_moves: Vec::new(),
            current_request: None,
            active: Arc::clone(&active),
        };
        let worker = Worker::start("opponent", wake, new_task)
            .map_err(|error| format!("no thread could be started: {error}"))?;
        Ok(Self { worker, active })
    }

    /// Asks for a move.
    pub fn request_move(&self, request: MoveRequest) {
        lock_active(&self.active).request_id = Some(request.id);
        self.worker.send(request);
    }

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<EngineEvent> {
        self.worker.take_events()
    }

    /// Ends the engine and hands out its thread, for callers that wait for its end.
    pub fn take_thread(&mut self) -> Option<JoinHandle<()>> {
        self.interrupt();
        self.worker.detach()
    }

    /// Interrupts the current request; it is not answered.
    pub fn interrupt(&self) {
        let mut active = lock_active(&self.active);
        active.request_id = None;
        active.halt.request();
    }
}

impl Drop for EngineHandle {
    /// Does not wait: an engine may take its time to quit.
    fn drop(&mut self) {
        drop(self.take_thread());
    }
}

/// The state of the thread.
struct EngineTask {
    mailbox: Mailbox<MoveRequest, EngineEvent>,
    engine: EngineConfig,
    game: GameSpec,
    client: Option<Client>,
    /// The game the engine was last told of.
    current_game: Option<u64>,
    /// The moves of that game that the engine knows.
    sent_moves: Vec<String>,
    /// The request being answered, for the report of a panic.
    current_request: Option<u64>,
    active: Arc<Mutex<ActiveRequest>>,
}

impl Task for EngineTask {
    fn step(&mut self) -> ControlFlow<()> {
        let Some(request) = self.mailbox.recv() else {
            if let Some(client) = self.client.take() {
                client.quit();
            }
            return ControlFlow::Break(());
        };
        self.current_request = Some(request.id);
        #[cfg(test)]
        assert!(
            self.engine.name != PANICKING_ENGINE || request.id > 1,
            "broken on purpose"
        );
        let result = self.find_move(&request);
        self.current_request = None;
        match result {
            Ok(answer) => (self.mailbox).send(EngineEvent::BestMove(request.id, answer)),
            Err((fault, post_mortem)) => self.report_fault(request.id, &fault, post_mortem),
        }
    }

    fn recover(&mut self, panic: &str) -> ControlFlow<()> {
        let post_mortem = self.kill_client();
        match self.current_request.take() {
            Some(id) => {
                let text = format!("could not be talked to: {panic}");
                (self.mailbox).send(EngineEvent::Failed(id, text, post_mortem))
            }
            None => ControlFlow::Continue(()),
        }
    }
}

impl EngineTask {
    /// Kills the engine and reports why; an interrupted request is not reported.
    fn report_fault(
        &mut self,
        request_id: u64,
        fault: &EngineFault,
        earlier: Option<Box<PostMortem>>,
    ) -> ControlFlow<()> {
        let killed = self.kill_client();
        if let EngineFault::Halted = fault {
            return ControlFlow::Continue(());
        }
        let post_mortem = earlier.map_or(killed, |earlier| *earlier);
        let text = fault.describe(&post_mortem);
        (self.mailbox).send(EngineEvent::Failed(request_id, text, post_mortem))
    }

    fn kill_client(&mut self) -> PostMortem {
        self.current_game = None;
        self.client.take().map(Client::kill).unwrap_or_default()
    }

    fn find_move(
        &mut self,
        request: &MoveRequest,
    ) -> Result<EngineMove, (EngineFault, Option<Box<PostMortem>>)> {
        let fail = |fault| (fault, None);
        let halt = self
            .arm_halt(request.id)
            .ok_or((EngineFault::Halted, None))?;
        if self.client.is_none() {
            let started = Client::start(&self.engine, &self.game, ENGINE_TIMEOUTS, &halt);
            self.client = Some(started.map_err(|error| (error.fault, Some(error.post_mortem)))?);
            self.current_game = None;
        }
        // The halt ends a search that nobody listens to.
        let _ = self.mailbox.send(EngineEvent::Introduced(request.id));
        let Some(client) = &mut self.client else {
            return Err(fail(EngineFault::Halted));
        };
        let restyle = RestyleVisitor {
            position: &request.position,
            moves: &request.moves,
            style: client.style(),
        };
        let unable = |problem: String| (EngineFault::Unsupported(problem), None);
        let (position, moves, to_move) = games::with_game(&self.game.name, restyle)
            .map_err(|error| error.to_string())
            .flatten()
            .map_err(unable)?;
        let go = self.engine.limits.clone().unwrap_or_default();
        // Anything but a continuation is sent as a new game: the engine has already played its last answer internally.
        let continues_game = request.moves.starts_with(&self.sent_moves)
            && request.moves.len() > self.sent_moves.len();
        if self.current_game != Some(request.game) || !continues_game {
            let new_game = NewGame {
                position,
                seed: request.seed,
                trees: request.trees.clone(),
                limits: go.clone(),
            };
            client.new_game(&new_game).map_err(fail)?;
            self.current_game = Some(request.game);
            self.sent_moves.clear();
        }
        for (player, text) in moves.iter().skip(self.sent_moves.len()) {
            client.notify_move(*player, text);
        }
        self.sent_moves.clone_from(&request.moves);
        let mailbox = &self.mailbox;
        let mut on_info = |info: &EngineInfo| {
            // The halt ends a search that nobody listens to.
            let _ = mailbox.send(EngineEvent::Info(request.id, *info));
        };
        let clocks = Clocks::new([None, None]);
        client
            .request_move(to_move, &go, &clocks, &mut on_info)
            .map_err(fail)
    }

    /// The halt for a request; `None` if the request is out of date. An engine that was halted is replaced.
    fn arm_halt(&mut self, number: u64) -> Option<Halt> {
        let mut active = lock_active(&self.active);
        if active.request_id != Some(number) {
            return None;
        }
        if active.halt.is_requested() || self.client.is_none() {
            active.halt = Halt::new();
            drop(self.client.take().map(Client::kill));
        }
        Some(active.halt.clone())
    }
}

/// Makes the client's description of a game.
pub(super) struct ClientGameVisitor;

impl Visitor for ClientGameVisitor {
    type Out = GameSpec;

    fn visit<G: Playable>(self, rules: G::Rules) -> GameSpec {
        GameSpec::of::<G>(rules)
    }
}

/// Translates a game into an engine's notation.
struct RestyleVisitor<'a> {
    position: &'a str,
    moves: &'a [String],
    style: Style,
}

/// Start position unless it is the game's own, moves with their players, player to move.
type RestyledGame = (Option<String>, Vec<(Player, String)>, Player);

impl Visitor for RestyleVisitor<'_> {
    type Out = Result<RestyledGame, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let text = match self.position.trim() {
            "" => "startpos",
            position => position,
        };
        let mut position: G =
            notation::read_position(rules, text).map_err(|error| error.to_string())?;
        let start = (position != G::start(rules)).then(|| {
            let mut text = String::new();
            let _ = position.write_position(self.style, &mut text);
            text
        });
        let mut moves = Vec::new();
        for text in self.moves {
            let mv = position
                .parse_move(text)
                .map_err(|error| error.to_string())?;
            let mut written = String::new();
            let _ = position.write_move(mv, self.style, &mut written);
            moves.push((position.to_move(), written));
            position.play(mv);
        }
        Ok((start, moves, position.to_move()))
    }
}
