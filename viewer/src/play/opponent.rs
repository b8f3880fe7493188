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
        client::{Answer, Beginning, Client, Fault, Game, Patience, Remains, Thought},
        engines::Engine,
        go::Clocks,
        halt::Halt,
    },
    games::{
        self, Playable, Player, Visitor,
        notation::{self, Style},
    },
};

use crate::loader::Wake;

/// A person decides how long is too long for a move.
const PATIENCE: Patience = Patience {
    start: Duration::from_secs(10),
    ready: Duration::from_secs(10),
    reply: Duration::from_secs(1 << 20),
    stop: Duration::from_secs(5),
    quit: Duration::from_millis(500),
    margin: Duration::from_secs(5),
};

/// What an engine is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which question it is, so that the answer to an older one is known as such.
    pub number: u64,
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
pub enum News {
    /// What it thinks so far.
    Thought(u64, Thought),
    /// Its move, which nobody has looked at yet.
    Chosen(u64, Answer),
    /// It failed; what happened, and what it said last.
    Failed(u64, String, Remains),
}

/// An engine in the window.
pub struct Opponent {
    orders: Sender<Question>,
    news: Receiver<News>,
    wanted: Arc<Mutex<Wanted>>,
    thread: Option<JoinHandle<()>>,
}

/// What is wanted of an engine at the moment.
#[derive(Default)]
struct Wanted {
    /// The number of the question that is to be answered; any other is not.
    question: Option<u64>,
    /// Stops what it is doing.
    halt: Halt,
}

fn lock(wanted: &Mutex<Wanted>) -> MutexGuard<'_, Wanted> {
    wanted.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Opponent {
    /// Has a thread ready for an engine that plays a game; the process is started with the first question.
    pub fn start(engine: Engine, game: &str, wake: Wake) -> Result<Self, String> {
        let asked = games::with_game(game, Ask).map_err(|error| error.to_string())?;
        let (orders, questions) = channel();
        let (tell, news) = channel();
        let wanted = Arc::new(Mutex::new(Wanted::default()));
        let mut desk = Desk {
            engine: Engine {
                gives_way: true,
                ..engine
            },
            game: asked,
            client: None,
            begun: None,
            told: Vec::new(),
            wanted: Arc::clone(&wanted),
            tell: Box::new(move |piece| {
                let is_heard = tell.send(piece).is_ok();
                wake();
                is_heard
            }),
        };
        let thread = thread::Builder::new()
            .name("opponent".to_owned())
            .spawn(move || {
                while let Ok(question) = questions.recv() {
                    if !desk.answer(&question) {
                        break;
                    }
                }
                if let Some(client) = desk.client.take() {
                    client.quit();
                }
            })
            .map_err(|error| format!("no thread could be started: {error}"))?;
        Ok(Self {
            orders,
            news,
            wanted,
            thread: Some(thread),
        })
    }

    /// Asks for a move.
    pub fn ask(&self, question: Question) {
        lock(&self.wanted).question = Some(question.number);
        let _ = self.orders.send(question);
    }

    /// What is new.
    pub fn take(&self) -> Vec<News> {
        self.news.try_iter().collect()
    }

    /// The thread that talks to it, for those who wait until it has ended.
    pub fn take_thread(&mut self) -> Option<JoinHandle<()>> {
        self.thread.take()
    }

    /// Breaks off what it is doing. Nothing more is heard of it then.
    pub fn interrupt(&self) {
        let mut wanted = lock(&self.wanted);
        wanted.question = None;
        wanted.halt.say();
    }
}

impl Drop for Opponent {
    fn drop(&mut self) {
        self.interrupt();
    }
}

/// What the thread holds.
struct Desk {
    engine: Engine,
    game: Game,
    client: Option<Client>,
    /// The game it plays.
    begun: Option<u64>,
    /// The moves of it that the engine knows.
    told: Vec<String>,
    wanted: Arc<Mutex<Wanted>>,
    tell: Box<dyn Fn(News) -> bool + Send>,
}

impl Desk {
    /// Answers a question; whether anybody still listens.
    fn answer(&mut self, question: &Question) -> bool {
        match self.play(question) {
            Ok(answer) => (self.tell)(News::Chosen(question.number, answer)),
            Err(fault) => {
                self.begun = None;
                let remains = self.client.take().map(Client::bury).unwrap_or_default();
                match fault {
                    // Nobody wants to know.
                    (Fault::Halted, _) => true,
                    (fault, earlier) => {
                        let remains = earlier.map_or(remains, |earlier| *earlier);
                        let text = match fault {
                            Fault::Ended(_) => format!("{fault} ({})", remains.exit),
                            _ => fault.to_string(),
                        };
                        (self.tell)(News::Failed(question.number, text, remains))
                    }
                }
            }
        }
    }

    fn play(&mut self, question: &Question) -> Result<Answer, (Fault, Option<Box<Remains>>)> {
        let fail = |fault| (fault, None);
        let halt = self.renew(question.number).ok_or((Fault::Halted, None))?;
        if self.client.is_none() {
            let started = Client::start(&self.engine, &self.game, PATIENCE, &halt);
            self.client = Some(started.map_err(|(fault, remains)| (fault, Some(remains)))?);
            self.begun = None;
        }
        let Some(client) = &mut self.client else {
            return Err(fail(Fault::Halted));
        };
        let line = Line {
            position: &question.position,
            moves: &question.moves,
            style: client.style(),
        };
        let unable = |problem: String| (Fault::Unable(problem), None);
        let (position, moves, to_move) = games::with_game(&self.game.name, line)
            .map_err(|error| error.to_string())
            .flatten()
            .map_err(unable)?;
        let go = self.engine.go.clone().unwrap_or_default();
        // A game that does not just go on begins again: an engine has made its own last answer in its mind already.
        let goes_on =
            question.moves.starts_with(&self.told) && question.moves.len() > self.told.len();
        if self.begun != Some(question.game) || !goes_on {
            let beginning = Beginning {
                position,
                seed: question.seed,
                trees: question.trees.clone(),
                go: go.clone(),
            };
            client.begin(&beginning).map_err(fail)?;
            self.begun = Some(question.game);
            self.told.clear();
        }
        for (player, text) in moves.iter().skip(self.told.len()) {
            client.played(*player, text);
        }
        self.told.clone_from(&question.moves);
        let tell = &self.tell;
        let mut hear = |thought: &Thought| {
            tell(News::Thought(question.number, *thought));
        };
        let clocks = Clocks::new([None, None]);
        client
            .choose(to_move, &go, &clocks, &mut hear)
            .map_err(fail)
    }

    /// What stops the engine while it answers a question; none if that is not wanted any more. An engine that was stopped is
    /// of no more use.
    fn renew(&mut self, number: u64) -> Option<Halt> {
        let mut wanted = lock(&self.wanted);
        if wanted.question != Some(number) {
            return None;
        }
        if wanted.halt.is_said() || self.client.is_none() {
            wanted.halt = Halt::new();
            drop(self.client.take().map(Client::bury));
        }
        Some(wanted.halt.clone())
    }
}

/// What an engine needs to know of a game.
struct Ask;

impl Visitor for Ask {
    type Out = Game;

    fn visit<G: Playable>(self, rules: G::Rules) -> Game {
        Game::of::<G>(rules)
    }
}

/// A game so far, as an engine writes it.
struct Line<'a> {
    position: &'a str,
    moves: &'a [String],
    style: Style,
}

/// The start, unless it is the game's own, the moves with who made them, and whose turn it is.
type Restyled = (Option<String>, Vec<(Player, String)>, Player);

impl Visitor for Line<'_> {
    type Out = Result<Restyled, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let text = match self.position.trim() {
            "" => "startpos",
            position => position,
        };
        let mut position: G = notation::position(rules, text).map_err(|error| error.to_string())?;
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
