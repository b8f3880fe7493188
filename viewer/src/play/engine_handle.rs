//! An engine that plays in the window: a process, and a thread that talks to it.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use canopy_engine::{
    arena::{
        client::{
            Client, EngineFault, EngineInfo, EngineMove, GameSpec, NewGame, PostMortem, Timeouts,
        },
        engine_config::EngineConfig,
        halt::Halt,
        time_control::Clocks,
    },
    games::{
        self, Playable, Player, Visitor,
        notation::{self, Style},
    },
};

use crate::system::wake::Wake;

/// A person decides how long is too long for a move.
const ENGINE_TIMEOUTS: Timeouts = Timeouts {
    start: Duration::from_secs(10),
    ready: Duration::from_secs(10),
    reply: Duration::from_secs(1 << 20),
    stop: Duration::from_secs(5),
    quit: Duration::from_millis(500),
    margin: Duration::from_secs(5),
};

/// A request for a move.
#[derive(Clone, Debug)]
pub struct MoveRequest {
    /// Which question it is, so that the answer to an older one is known as such.
    pub id: u64,
    /// Which game it belongs to; with another one a new game begins.
    pub game: u64,
    /// Where the game began; empty for the game's own start.
    pub position: String,
    /// What has been played.
    pub moves: Vec<String>,
    /// The random numbers of the game.
    pub seed: u64,
    /// Where its trees go.
    pub trees: Option<String>,
}

/// What is heard of an engine, each with the number of the question.
#[derive(Debug)]
pub enum EngineEvent {
    /// What it thinks so far.
    Info(u64, EngineInfo),
    /// Its move, which nobody has looked at yet.
    BestMove(u64, EngineMove),
    /// It failed; what happened, and what it said last.
    Failed(u64, String, PostMortem),
}

/// An engine in the window.
pub struct EngineHandle {
    requests: Sender<MoveRequest>,
    events: Receiver<EngineEvent>,
    active: Arc<Mutex<ActiveRequest>>,
    thread: Option<JoinHandle<()>>,
}

/// What is wanted of an engine at the moment.
#[derive(Default)]
struct ActiveRequest {
    /// The number of the question that is to be answered; any other is not.
    request_id: Option<u64>,
    /// Stops what it is doing.
    halt: Halt,
}

fn lock_active(active: &Mutex<ActiveRequest>) -> MutexGuard<'_, ActiveRequest> {
    active.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EngineHandle {
    /// Has a thread ready for an engine that plays a game; the process is started with the first question.
    pub fn start(engine: EngineConfig, game: &str, wake: Wake) -> Result<Self, String> {
        let client_game =
            games::with_game(game, ClientGameVisitor).map_err(|error| error.to_string())?;
        let (requests, request_receiver) = channel();
        let (event_sender, events) = channel();
        let active = Arc::new(Mutex::new(ActiveRequest::default()));
        let mut worker = EngineWorker {
            engine: EngineConfig {
                is_low_priority: true,
                ..engine
            },
            game: client_game,
            client: None,
            current_game: None,
            sent_moves: Vec::new(),
            active: Arc::clone(&active),
            send: Box::new(move |piece| {
                let is_heard = event_sender.send(piece).is_ok();
                wake();
                is_heard
            }),
        };
        let thread = thread::Builder::new()
            .name("opponent".to_owned())
            .spawn(move || {
                while let Ok(request) = request_receiver.recv() {
                    if !worker.handle_request(&request) {
                        break;
                    }
                }
                if let Some(client) = worker.client.take() {
                    client.quit();
                }
            })
            .map_err(|error| format!("no thread could be started: {error}"))?;
        Ok(Self {
            requests,
            events,
            active,
            thread: Some(thread),
        })
    }

    /// Asks for a move.
    pub fn request_move(&self, request: MoveRequest) {
        lock_active(&self.active).request_id = Some(request.id);
        let _ = self.requests.send(request);
    }

    /// What is new.
    pub fn take_events(&self) -> Vec<EngineEvent> {
        self.events.try_iter().collect()
    }

    /// The thread that talks to it, for those who wait until it has ended.
    pub fn take_thread(&mut self) -> Option<JoinHandle<()>> {
        self.thread.take()
    }

    /// Breaks off what it is doing. Nothing more is heard of it then.
    pub fn interrupt(&self) {
        let mut active = lock_active(&self.active);
        active.request_id = None;
        active.halt.request();
    }
}

impl Drop for EngineHandle {
    fn drop(&mut self) {
        self.interrupt();
    }
}

/// What the thread holds.
struct EngineWorker {
    engine: EngineConfig,
    game: GameSpec,
    client: Option<Client>,
    /// The game it plays.
    current_game: Option<u64>,
    /// The moves of it that the engine knows.
    sent_moves: Vec<String>,
    active: Arc<Mutex<ActiveRequest>>,
    send: Box<dyn Fn(EngineEvent) -> bool + Send>,
}

impl EngineWorker {
    /// Answers a question; whether anybody still listens.
    fn handle_request(&mut self, request: &MoveRequest) -> bool {
        match self.find_move(request) {
            Ok(answer) => (self.send)(EngineEvent::BestMove(request.id, answer)),
            Err(fault) => {
                self.current_game = None;
                let remains = self.client.take().map(Client::kill).unwrap_or_default();
                match fault {
                    // Nobody wants to know.
                    (EngineFault::Halted, _) => true,
                    (fault, earlier) => {
                        let remains = earlier.map_or(remains, |earlier| *earlier);
                        let text = match fault {
                            EngineFault::Exited(_) => format!("{fault} ({})", remains.exit),
                            _ => fault.to_string(),
                        };
                        (self.send)(EngineEvent::Failed(request.id, text, remains))
                    }
                }
            }
        }
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
            self.client = Some(started.map_err(|(fault, remains)| (fault, Some(remains)))?);
            self.current_game = None;
        }
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
        // A game that does not just go on begins again: an engine has made its own last answer in its mind already.
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
        let send = &self.send;
        let mut on_info = |thought: &EngineInfo| {
            send(EngineEvent::Info(request.id, *thought));
        };
        let clocks = Clocks::new([None, None]);
        client
            .request_move(to_move, &go, &clocks, &mut on_info)
            .map_err(fail)
    }

    /// What stops the engine while it answers a question; none if that is not wanted any more. An engine that was stopped is
    /// of no more use.
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

/// What an engine needs to know of a game.
struct ClientGameVisitor;

impl Visitor for ClientGameVisitor {
    type Out = GameSpec;

    fn visit<G: Playable>(self, rules: G::Rules) -> GameSpec {
        GameSpec::of::<G>(rules)
    }
}

/// A game so far, as an engine writes it.
struct RestyleVisitor<'a> {
    position: &'a str,
    moves: &'a [String],
    style: Style,
}

/// The start, unless it is the game's own, the moves with who made them, and whose turn it is.
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
