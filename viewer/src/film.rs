//! The journal beside the tree that is shown, on a thread of its own: trees of any iteration are made there, and a journal
//! that is still written is read on.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use canopy_engine::tree::{
    film::{Film, Shares},
    meta::Meta,
};

use crate::{
    loader::Wake,
    model::{Model, Sift, Source},
};

/// A journal that is still written is looked at so often.
const POLL: Duration = Duration::from_millis(25);
/// The same when nothing has come for a while: perhaps nobody writes any more.
const SLOW_POLL: Duration = Duration::from_secs(2);
/// A journal that is not there yet is looked for so many times.
const TRIES: u32 = 50;
/// When there was nothing to do for so long, a tree that was shown in part is shown whole.
const QUIET: Duration = Duration::from_millis(300);
/// While the iteration changes all the time, the tree shows at most so many nodes, and at least so many of those there are.
const QUICK: u64 = 150_000;
const FEW: u64 = 3_000;
/// A tree that changes all the time is to be ready in this time; there are the more nodes in it the sooner it is.
const SOON: Duration = Duration::from_millis(20);
/// Of all time no more than one part in so many goes into the shares of the root's moves.
const SHARE_OF_SHARES: u32 = 8;
/// How often the shares of the root's moves are told, from the beginning to the end.
const TIMES: usize = 240;

/// What is known of a journal.
#[derive(Clone, Debug, Default)]
pub struct Reel {
    /// How many iterations it has so far.
    pub iterations: u32,
    /// Whether it has ended, and if so whether before the search did.
    pub ended: Option<bool>,
    /// How the visits of the root's moves went.
    pub shares: Arc<Shares>,
}

/// A tree that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// After how many iterations; at most after the last.
    pub iteration: u32,
    /// Whether the next wish comes at once, so that large trees are shown in part.
    pub quick: bool,
    /// What of it is shown.
    pub sift: Sift,
}

enum Order {
    Open(PathBuf, Arc<Meta>),
    Close,
    /// More is known of the search.
    Meta(PathBuf, Arc<Meta>),
    Wish(Wish),
}

/// What the thread has to say of the tree file at a path.
pub enum News {
    /// There is a journal, or more of it.
    Reel(PathBuf, Reel),
    /// A tree of it.
    Shot(PathBuf, Shot),
    /// It cannot be read.
    Failed(PathBuf, String),
}

/// A tree after some iterations.
pub struct Shot {
    /// What was wished for.
    pub wish: Wish,
    /// The iteration it is.
    pub iteration: u32,
    /// The tree.
    pub model: Arc<Model>,
}

/// Shows journals.
pub struct Projector {
    orders: Sender<Order>,
    news: Receiver<News>,
}

impl Projector {
    /// Starts the thread; `wake` is called when there is news.
    pub fn start(wake: Wake) -> std::io::Result<Self> {
        let (orders, wanted) = channel();
        let (sender, news) = channel();
        thread::Builder::new()
            .name("film".to_owned())
            .spawn(move || {
                let tell = |piece: News| {
                    let is_heard = sender.send(piece).is_ok();
                    wake();
                    is_heard
                };
                Booth {
                    playing: None,
                    awaited: None,
                    tries: 0,
                    wish: None,
                    told: None,
                    rest: None,
                    quick: QUICK,
                    shares: None,
                }
                .run(&wanted, &tell);
            })?;
        Ok(Self { orders, news })
    }

    /// Asks for the journal beside a tree file.
    pub fn open(&self, path: &Path, meta: Arc<Meta>) {
        let _ = self.orders.send(Order::Open(path.to_owned(), meta));
    }

    /// Tells what a newer snapshot of the same search says.
    pub fn renew(&self, path: &Path, meta: Arc<Meta>) {
        let _ = self.orders.send(Order::Meta(path.to_owned(), meta));
    }

    /// No journal is wanted.
    pub fn close(&self) {
        let _ = self.orders.send(Order::Close);
    }

    /// Asks for a tree; a wish that was not fulfilled yet is forgotten.
    pub fn wish(&self, wish: Wish) {
        let _ = self.orders.send(Order::Wish(wish));
    }

    /// What is new.
    pub fn take(&self) -> Vec<News> {
        self.news.try_iter().collect()
    }
}

/// What the thread holds.
struct Booth {
    playing: Option<Playing>,
    /// A search that still runs may begin its journal a moment later than its tree.
    awaited: Option<(PathBuf, Arc<Meta>)>,
    /// How often it is looked for.
    tries: u32,
    wish: Option<Wish>,
    /// When the reel was told of last.
    told: Option<Instant>,
    /// A tree that was shown in part, to be shown whole when there is time; and since when there might be.
    rest: Option<(Wish, Instant)>,
    /// How many nodes a tree has that changes all the time.
    quick: u64,
    /// The shares of the root's moves, when they are to be worked out again.
    shares: Option<(Arc<Shares>, Instant)>,
}

struct Playing {
    path: PathBuf,
    meta: Arc<Meta>,
    film: Film,
}

impl Booth {
    fn run(mut self, orders: &Receiver<Order>, tell: &impl Fn(News) -> bool) {
        loop {
            let is_live = self.awaited.is_some()
                || (self.playing.as_ref()).is_some_and(|it| it.film.ended().is_none());
            let order = if self.wish.is_some() {
                // Whatever has come in the meantime counts more.
                orders.try_recv().map_err(|_| RecvTimeoutError::Timeout)
            } else if is_live || self.rest.is_some() {
                orders.recv_timeout(self.patience())
            } else {
                orders.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            let is_heard = match order {
                Ok(order) => self.obey(order, tell),
                Err(RecvTimeoutError::Timeout) if self.wish.is_some() => self.fulfil(tell),
                Err(RecvTimeoutError::Timeout) => {
                    self.take_rest();
                    true
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if !is_heard || !self.read_on(tell) {
                return;
            }
        }
    }

    /// Wishes for a whole tree where a part was shown, if there is nothing else to do.
    fn take_rest(&mut self) {
        let is_quiet = |since: Instant| since.elapsed() >= QUIET;
        let is_told = self.told.is_none_or(is_quiet);
        self.wish = (self.rest)
            .take_if(|(_, since)| is_told && is_quiet(*since))
            .map(|(wish, _)| wish);
    }

    /// How long to wait for more of a journal: the longer nothing has come, the longer.
    fn patience(&self) -> Duration {
        if self.rest.is_some() {
            return POLL;
        }
        let silence = self.told.map_or(POLL, |told| told.elapsed() / 10);
        silence.clamp(POLL, SLOW_POLL)
    }

    fn obey(&mut self, order: Order, tell: &impl Fn(News) -> bool) -> bool {
        match order {
            Order::Close => {
                self.playing = None;
                self.awaited = None;
                self.wish = None;
                self.rest = None;
                true
            }
            Order::Wish(wish) => {
                self.wish = Some(wish);
                self.rest = None;
                true
            }
            Order::Meta(path, meta) => {
                if let Some(playing) = self.playing.as_mut().filter(|it| it.path == path) {
                    playing.meta = meta;
                }
                true
            }
            Order::Open(path, meta) => {
                self.wish = None;
                self.playing = None;
                self.awaited = None;
                self.told = None;
                self.rest = None;
                self.shares = None;
                self.quick = QUICK;
                self.tries = TRIES;
                self.open(path, meta, tell)
            }
        }
    }

    fn open(&mut self, path: PathBuf, meta: Arc<Meta>, tell: &impl Fn(News) -> bool) -> bool {
        let journal = path.with_extension("growth");
        let is_early = !meta.is_final && self.tries > 0;
        self.tries = self.tries.saturating_sub(1);
        let film = (journal.exists()).then(|| Film::open(&journal, &meta.game, &meta.position));
        match film {
            Some(Ok(film)) => {
                self.playing = Some(Playing { path, meta, film });
                self.tell_reel(tell)
            }
            None | Some(Err(_)) if is_early => {
                self.awaited = Some((path, meta));
                true
            }
            None => true,
            Some(Err(error)) => tell(News::Failed(path, error.to_string())),
        }
    }

    /// Reads what was added to a journal that is still written.
    fn read_on(&mut self, tell: &impl Fn(News) -> bool) -> bool {
        if let Some((path, meta)) = self.awaited.take() {
            return self.open(path, meta, tell);
        }
        let Some(playing) = &mut self.playing else {
            return true;
        };
        let is_time = self.told.is_none_or(|told| told.elapsed() >= POLL);
        if playing.film.ended().is_some() || !is_time {
            return true;
        }
        match playing.film.poll() {
            Ok(true) => self.tell_reel(tell),
            Ok(false) => true,
            Err(error) => {
                let path = playing.path.clone();
                self.playing = None;
                tell(News::Failed(path, error.to_string()))
            }
        }
    }

    fn tell_reel(&mut self, tell: &impl Fn(News) -> bool) -> bool {
        let Some(Playing { path, film, .. }) = &self.playing else {
            return true;
        };
        let begun = Instant::now();
        self.told = Some(begun);
        let path = path.clone();
        let known = (self.shares.as_ref())
            .filter(|(_, due)| begun < *due && film.ended().is_none())
            .map(|(shares, _)| Arc::clone(shares));
        let shares = match known {
            Some(shares) => Ok(shares),
            None => film.shares(TIMES).map(|shares| {
                let shares = Arc::new(shares);
                let due = Instant::now() + begun.elapsed() * SHARE_OF_SHARES;
                self.shares = Some((Arc::clone(&shares), due));
                shares
            }),
        };
        match shares {
            Ok(shares) => {
                let reel = Reel {
                    iterations: film.iterations(),
                    ended: film.ended(),
                    shares,
                };
                tell(News::Reel(path, reel))
            }
            Err(problem) => {
                self.playing = None;
                tell(News::Failed(path, problem))
            }
        }
    }

    fn fulfil(&mut self, tell: &impl Fn(News) -> bool) -> bool {
        let (Some(wish), Some(playing)) = (self.wish.take(), &mut self.playing) else {
            return true;
        };
        let path = playing.path.clone();
        let most = wish.quick.then_some(self.quick);
        let begun = Instant::now();
        match playing.film.shot(wish.iteration, most) {
            Ok(taken) => {
                let source = Source {
                    meta: Some(Arc::clone(&playing.meta)),
                    way: Arc::new(taken.path),
                    left_out: taken.nodes - taken.tree.nodes().len() as u64,
                    ..Source::of(taken.tree)
                };
                if wish.quick && source.left_out > 0 {
                    let whole = Wish {
                        quick: false,
                        ..wish.clone()
                    };
                    self.rest = Some((whole, Instant::now()));
                }
                let shot = Shot {
                    iteration: taken.iteration,
                    model: Arc::new(Model::sifted(source, &wish.sift)),
                    wish,
                };
                if shot.wish.quick {
                    self.quick = adapted(self.quick, begun.elapsed());
                }
                tell(News::Shot(path, shot))
            }
            Err(problem) => {
                self.playing = None;
                tell(News::Failed(path, problem))
            }
        }
    }
}

/// How many nodes the next tree may have, if one of so many took so long.
fn adapted(nodes: u64, took: Duration) -> u64 {
    let ratio = SOON.as_secs_f64() / took.as_secs_f64().max(1e-4);
    ((nodes as f64 * ratio.clamp(0.3, 1.5)) as u64).clamp(FEW, QUICK)
}
