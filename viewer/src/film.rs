//! The journal beside the tree that is shown, on a thread of its own: trees of any iteration are made there, and a journal
//! that is still written is read on.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use canopy_engine::tree::{
    film::{Film, Limits, Shares},
    meta::Meta,
};

use crate::{
    loader::Wake,
    model::{Journal, Model, Sift, Source},
};

/// A journal that is still written is looked at so often.
const POLL: Duration = Duration::from_millis(16);
/// While the window has not taken what is ready, one looks so often whether it has.
const GLANCE: Duration = Duration::from_millis(4);
/// A journal to which nothing has been added for a while is looked at so often: perhaps nobody writes any more.
const SLOW_POLL: Duration = Duration::from_secs(2);
/// A journal that is not there yet is looked for so many times.
const TRIES: u32 = 50;
/// When there was nothing to do for so long, a tree that was shown in part is shown whole.
const QUIET: Duration = Duration::from_millis(300);
/// While the iteration changes all the time, the tree shows at most so many nodes, and at least so many of those there are.
pub(crate) const QUICK: u64 = 150_000;
const FEW: u64 = 3_000;
/// A tree that changes all the time is to be ready in this time; there are the more nodes in it the sooner it is.
const SOON: Duration = Duration::from_millis(7);
/// Towards the newest tree of a search one goes for no longer than this at a time, and by so many iterations before one looks
/// at the clock: a search that is faster than its replay is seen to grow all the same, a little later.
const WALK: Duration = Duration::from_millis(6);
const STRIDE: u32 = 2048;
/// How often the progress is told while a long journal is read.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Bytes that are read so soon that nothing is said of them.
const MUCH_BEHIND: u64 = 4 << 20;
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
    /// While much of it has not been read yet: how many bytes have, and how many there are.
    pub progress: Option<(u64, u64)>,
    /// The bytes it takes in memory.
    pub bytes: usize,
    /// Why it is read no further, if that is so.
    pub stopped: Option<String>,
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

impl Wish {
    /// Whether it is for the tree as it grows. It is fulfilled again and again, whenever there is more to see than last time,
    /// until something else is wished for.
    fn is_newest(&self) -> bool {
        self.quick && self.iteration == u32::MAX
    }
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
    /// How many trees nobody has taken yet.
    untaken: Arc<AtomicUsize>,
}

impl Projector {
    /// Starts the thread; `wake` is called when there is news. A journal takes no more memory than the limits say.
    pub fn start(wake: Wake, limits: Limits) -> std::io::Result<Self> {
        let (orders, wanted) = channel();
        let (sender, news) = channel();
        let untaken = Arc::new(AtomicUsize::new(0));
        let unseen = Arc::clone(&untaken);
        thread::Builder::new()
            .name("film".to_owned())
            .spawn(move || {
                let tell = |news: Vec<News>| {
                    let is_heard = news.into_iter().all(|piece| sender.send(piece).is_ok());
                    wake();
                    is_heard
                };
                Booth {
                    untaken: unseen,
                    limits,
                    playing: None,
                    awaited: None,
                    tries: 0,
                    wish: None,
                    shown: None,
                    grown: None,
                    looked: None,
                    told: None,
                    rest: None,
                    quick: QUICK,
                }
                .run(&wanted, &tell);
            })?;
        Ok(Self {
            orders,
            news,
            untaken,
        })
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
        let news: Vec<News> = self.news.try_iter().collect();
        let is_shot = |piece: &&News| matches!(piece, News::Shot(..));
        let shots = news.iter().filter(is_shot).count();
        self.untaken.fetch_sub(shots, Ordering::Relaxed);
        news
    }
}

/// What the thread holds.
struct Booth {
    /// How many trees the window has not taken yet.
    untaken: Arc<AtomicUsize>,
    /// What a journal may take.
    limits: Limits,
    playing: Option<Playing>,
    /// A search that still runs may begin its journal a moment later than its tree.
    awaited: Option<(PathBuf, Arc<Meta>)>,
    /// How often it is looked for.
    tries: u32,
    wish: Option<Wish>,
    /// The last wish that was fulfilled, unless it was for the newest tree.
    shown: Option<Wish>,
    /// The last wish for the newest tree that was fulfilled, with its iteration, and when that was begun.
    grown: Option<(Wish, u32, Instant)>,
    /// When the journal was looked at last, and when there was more in it.
    looked: Option<Instant>,
    told: Option<Instant>,
    /// A tree that was shown in part, to be shown whole when there is time; and since when there might be.
    rest: Option<(Wish, Instant)>,
    /// How many nodes a tree has that changes all the time.
    quick: u64,
}

struct Playing {
    path: PathBuf,
    meta: Arc<Meta>,
    film: Film,
}

impl Booth {
    fn run(mut self, orders: &Receiver<Order>, tell: &impl Fn(Vec<News>) -> bool) {
        loop {
            let is_live = self.awaited.is_some()
                || (self.playing.as_ref()).is_some_and(|it| it.film.ended().is_none());
            let is_behind = (self.playing.as_ref()).is_some_and(|it| it.film.is_behind());
            let due = match &self.wish {
                Some(wish) => self.until_due(wish),
                None if is_live || self.rest.is_some() => Some(self.patience()),
                None => None,
            };
            let wait = if is_behind { Some(Duration::ZERO) } else { due };
            // Whatever has come in the meantime counts more.
            let order = match wait {
                Some(wait) => orders.recv_timeout(wait),
                None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let mut news = Vec::new();
            match order {
                Ok(order) => self.obey(order, &mut news),
                Err(RecvTimeoutError::Timeout) if is_behind && due != Some(Duration::ZERO) => {
                    self.read(&mut news);
                }
                Err(RecvTimeoutError::Timeout) => self.work(&mut news),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.read_on(&mut news);
            if !news.is_empty() && !tell(news) {
                return;
            }
        }
    }

    /// How long to wait before a wish is fulfilled; none for ever.
    fn until_due(&self, wish: &Wish) -> Option<Duration> {
        let (Some(playing), Some((_, _, begun))) = (&self.playing, &self.grown) else {
            return Some(Duration::ZERO);
        };
        match (self.has_more(wish), playing.film.ended()) {
            (true, _) if !wish.is_newest() => Some(Duration::ZERO),
            (true, _) if self.is_ahead(wish) => Some(GLANCE),
            (true, _) => Some(POLL.saturating_sub(begun.elapsed())),
            (false, None) => {
                let since = self.looked.map_or(Duration::MAX, |looked| looked.elapsed());
                Some(self.patience().saturating_sub(since))
            }
            (false, Some(_)) => self.rest.as_ref().map(|_| POLL),
        }
    }

    /// Whether there is more to see for a wish than was shown.
    fn has_more(&self, wish: &Wish) -> bool {
        let (Some((grown, at, _)), Some(playing)) = (&self.grown, &self.playing) else {
            return true;
        };
        grown != wish || *at < playing.film.iterations()
    }

    /// Whether the window has enough to show for the moment.
    fn is_ahead(&self, wish: &Wish) -> bool {
        wish.is_newest() && self.untaken.load(Ordering::Relaxed) > 1
    }

    /// Nothing else was asked for in the meantime.
    fn work(&mut self, news: &mut Vec<News>) {
        if self.wish.as_ref().is_some_and(Wish::is_newest) {
            self.read(news);
        }
        match self.wish.take() {
            Some(wish) if self.has_more(&wish) && !self.is_ahead(&wish) => {
                self.fulfil(wish, news);
            }
            wish => {
                self.wish = wish;
                self.take_rest();
            }
        }
    }

    /// Wishes for a whole tree where a part was shown, if there is nothing else to do.
    fn take_rest(&mut self) {
        let is_quiet = |since: Instant| since.elapsed() >= QUIET;
        let is_told = self.told.is_none_or(is_quiet);
        if let Some((wish, _)) = (self.rest).take_if(|(_, since)| is_told && is_quiet(*since)) {
            self.wish = Some(wish);
        }
    }

    /// How long to wait for more of a journal: the longer nothing has come, the longer.
    fn patience(&self) -> Duration {
        if self.rest.is_some() {
            return POLL;
        }
        let silence = self.told.map_or(POLL, |told| told.elapsed() / 10);
        silence.clamp(POLL, SLOW_POLL)
    }

    fn obey(&mut self, order: Order, news: &mut Vec<News>) {
        match order {
            Order::Close => {
                self.playing = None;
                self.awaited = None;
                self.wish = None;
                self.shown = None;
                self.rest = None;
            }
            Order::Wish(wish) => {
                self.rest = self.rest.take().filter(|_| wish.is_newest());
                self.wish = Some(wish);
            }
            Order::Meta(path, meta) => {
                if let Some(playing) = self.playing.as_mut().filter(|it| it.path == path) {
                    playing.meta = meta;
                }
            }
            Order::Open(path, meta) => {
                self.wish = None;
                self.shown = None;
                self.playing = None;
                self.awaited = None;
                self.grown = None;
                self.told = None;
                self.rest = None;
                self.quick = QUICK;
                self.tries = TRIES;
                self.open(path, meta, news);
            }
        }
    }

    fn open(&mut self, path: PathBuf, meta: Arc<Meta>, news: &mut Vec<News>) {
        let journal = path.with_extension("growth");
        let is_early = !meta.is_final && self.tries > 0;
        self.tries = self.tries.saturating_sub(1);
        let limits = self.limits.clone();
        let film = (journal.exists())
            .then(|| Film::open_within(&journal, &meta.game, &meta.position, limits));
        let film = film.map(|film| film.and_then(|mut film| film.poll().map(|_| film)));
        match film {
            Some(Ok(film)) => {
                self.playing = Some(Playing { path, meta, film });
                self.tell_reel(news);
            }
            None | Some(Err(_)) if is_early => self.awaited = Some((path, meta)),
            None => {}
            Some(Err(error)) => news.push(News::Failed(path, error.to_string())),
        }
    }

    /// Reads what was added to a journal that is still written, if it is time to.
    fn read_on(&mut self, news: &mut Vec<News>) {
        if let Some((path, meta)) = self.awaited.take() {
            return self.open(path, meta, news);
        }
        if self.looked.is_none_or(|looked| looked.elapsed() >= POLL) {
            self.read(news);
        }
    }

    fn read(&mut self, news: &mut Vec<News>) {
        let Some(playing) = &mut self.playing else {
            return;
        };
        let was_behind = playing.film.is_behind();
        if playing.film.ended().is_some() && !was_behind {
            return;
        }
        self.looked = Some(Instant::now());
        let result = playing.film.poll();
        if was_behind && !playing.film.is_behind() && playing.film.ended().is_some() {
            // All is read, and the choice of nodes is final: what is shown may be a poorer one.
            self.wish = self.wish.take().or(self.shown.take());
        }
        match result {
            // While there is much to read, one hears of it now and then.
            Ok(true) => {
                let is_soon = (self.told).is_some_and(|told| told.elapsed() < PROGRESS_INTERVAL);
                if !(playing.film.is_behind() && is_soon) {
                    self.tell_reel(news);
                }
            }
            Ok(false) => {}
            Err(error) => self.fail(error.to_string(), news),
        }
    }

    /// The journal cannot be read.
    fn fail(&mut self, problem: String, news: &mut Vec<News>) {
        if let Some(playing) = self.playing.take() {
            news.push(News::Failed(playing.path, problem));
        }
    }

    fn tell_reel(&mut self, news: &mut Vec<News>) {
        let Some(Playing { path, film, .. }) = &self.playing else {
            return;
        };
        self.told = Some(Instant::now());
        match film.shares(TIMES) {
            Ok(shares) => {
                let reel = Reel {
                    iterations: film.iterations(),
                    ended: film.ended(),
                    shares: Arc::new(shares),
                    progress: Some(film.progress())
                        .filter(|(read, there)| there.saturating_sub(*read) > MUCH_BEHIND),
                    bytes: film.bytes(),
                    stopped: film.stopped().map(str::to_owned),
                };
                news.push(News::Reel(path.clone(), reel));
            }
            Err(problem) => self.fail(problem, news),
        }
    }

    fn fulfil(&mut self, wish: Wish, news: &mut Vec<News>) {
        let begun = Instant::now();
        let Some(playing) = &mut self.playing else {
            return;
        };
        let iteration = if wish.is_newest() {
            walked(&mut playing.film)
        } else {
            wish.iteration
        };
        let walked = Instant::now();
        let most = wish.quick.then_some(self.quick);
        let taken = match playing.film.shot(iteration, most) {
            Ok(taken) => taken,
            Err(problem) => return self.fail(problem, news),
        };
        let source = Source {
            meta: Some(Arc::clone(&playing.meta)),
            extra: Some(Arc::new(taken.extra)),
            journal: Some(Journal {
                has_table: taken.has_table,
            }),
            way: Arc::new(taken.path),
            left_out: taken.nodes.saturating_sub(taken.tree.nodes().len() as u64),
            least_visits: taken.least_visits,
            ..Source::of(taken.tree)
        };
        self.rest = (wish.quick && source.left_out > 0).then(|| {
            let whole = Wish {
                quick: false,
                ..wish.clone()
            };
            (whole, Instant::now())
        });
        let shot = Shot {
            iteration: taken.iteration,
            model: Arc::new(Model::sifted(source, &wish.sift)),
            wish: wish.clone(),
        };
        if wish.quick {
            self.quick = adapted(self.quick, walked.elapsed());
        }
        if wish.is_newest() {
            self.shown = None;
            self.grown = Some((wish.clone(), taken.iteration, begun));
            self.wish = Some(wish);
        } else {
            self.shown = Some(wish);
        }
        self.untaken.fetch_add(1, Ordering::Relaxed);
        news.push(News::Shot(playing.path.clone(), shot));
    }
}

/// Goes towards the newest iteration for as long as may be; where it has come to.
fn walked(film: &mut Film) -> u32 {
    let begun = Instant::now();
    while film.at() < film.iterations() && begun.elapsed() < WALK {
        film.approach(u32::MAX, STRIDE);
    }
    film.at()
}

/// How many nodes the next tree may have, if one of so many took so long.
pub(crate) fn adapted(nodes: u64, took: Duration) -> u64 {
    let ratio = SOON.as_secs_f64() / took.as_secs_f64().max(1e-4);
    ((nodes as f64 * ratio.clamp(0.3, 1.5)) as u64).clamp(FEW, QUICK)
}
