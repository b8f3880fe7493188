//! A directory that somebody else writes to: what appears in it, soon and not too often.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use canopy_engine::tree::meta::MatchMeta;
use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, ModifyKind, RenameMode},
};

use crate::{
    loader::Wake,
    sequence::{games, is_game, is_tree, list, list_match, order},
    standing::{self, Standing},
};

/// Changes are told when nothing has happened for so long, or so long after the first of them.
const QUIET: Duration = Duration::from_millis(25);
const LONGEST: Duration = Duration::from_millis(100);
/// Where the system does not tell of changes, the directory is listed so often.
const POLL: Duration = Duration::from_millis(500);
/// A directory that is not there yet is looked for so often.
const LOOK: Duration = Duration::from_millis(150);
/// So many games of a match are watched, the last ones: those before them are over.
const MOST_GAMES: usize = 256;

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The trees of one directory.
    Trees,
    /// A match: match.json, and the trees of all games. Neither they nor the directory need to be there yet.
    Match,
}

/// What is not there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The directory.
    Directory,
    /// match.json in it.
    Match,
}

/// What happened in a directory.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// These files are new or have changed.
    Files(Vec<PathBuf>),
    /// These files have gone.
    Gone(Vec<PathBuf>),
    /// These files were there when watching began.
    Present(Vec<PathBuf>),
    /// This is how the match stands now.
    Match(Arc<Standing>),
    /// There is nothing to be seen of the match yet.
    Awaited(Awaited),
    /// Something about watching itself, in a sentence.
    Said(String),
}

/// Watches one directory until it is dropped.
pub struct Watch {
    changes: Receiver<Change>,
    signals: Sender<Signal>,
}

/// What wakes the thread.
enum Signal {
    /// The system tells of something.
    Event(notify::Result<Event>),
    /// Nobody wants to know any more.
    End,
}

impl Watch {
    /// Begins to watch; `wake` is called when there is news.
    pub fn start(directory: &Path, scope: Scope, wake: Wake) -> std::io::Result<Self> {
        let (tell, changes) = channel();
        let (signals, heard) = channel();
        let directory = directory.to_owned();
        let sender = signals.clone();
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                let lookout = Lookout {
                    directory,
                    scope,
                    tell,
                    wake,
                    sender,
                    signals: heard,
                    scores: Scores::default(),
                };
                lookout.run();
            })?;
        Ok(Self { changes, signals })
    }

    /// What has happened since.
    pub fn take(&self) -> Vec<Change> {
        self.changes.try_iter().collect()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.signals.send(Signal::End);
    }
}

/// Why watching ended.
enum End {
    /// Nobody wants to know any more.
    Over,
    /// The directory has gone, or is another one now.
    Lost,
}

/// What was told of match.json.
#[derive(Default)]
struct Scores {
    last: Option<MatchMeta>,
    /// Whether it was told that the file is bad, or that it is not there.
    is_bad: bool,
    is_awaited: bool,
}

impl Scores {
    /// What there is to tell of the file now. A file that is bad disturbs nobody, and is told of once.
    fn news(&mut self, directory: &Path) -> Option<Change> {
        match standing::read(directory) {
            Ok(Some(meta)) => {
                self.is_bad = false;
                if self.last.as_ref() == Some(&meta) {
                    return None;
                }
                self.last = Some(meta.clone());
                Some(Change::Match(Arc::new(Standing::new(meta))))
            }
            Ok(None) if self.last.is_none() && !self.is_awaited => {
                self.is_awaited = true;
                Some(Change::Awaited(Awaited::Match))
            }
            Ok(None) => None,
            Err(_) if self.is_bad => None,
            Err(error) => {
                self.is_bad = true;
                Some(Change::Said(format!("{}: {error}", standing::FILE)))
            }
        }
    }
}

/// The thread that watches.
struct Lookout {
    directory: PathBuf,
    scope: Scope,
    tell: Sender<Change>,
    wake: Wake,
    sender: Sender<Signal>,
    signals: Receiver<Signal>,
    scores: Scores,
}

impl Lookout {
    fn run(mut self) {
        while self.arrive() {
            match self.watch() {
                Ok(End::Lost) if self.scope == Scope::Match => {}
                Ok(_) => return,
                Err(error) => {
                    self.tell(Change::Said(format!(
                        "the system does not tell of changes ({error}); looking every half second"
                    )));
                    return self.poll();
                }
            }
        }
    }

    /// Tells of something; whether anybody listens.
    fn tell(&self, change: Change) -> bool {
        let is_sent = self.tell.send(change).is_ok();
        (self.wake)();
        is_sent
    }

    /// Waits for the directory of a match; whether anybody still wants to know.
    fn arrive(&mut self) -> bool {
        if self.scope == Scope::Trees || self.directory.is_dir() {
            return true;
        }
        self.scores.is_awaited = false;
        if !self.tell(Change::Awaited(Awaited::Directory)) {
            return false;
        }
        while !self.directory.is_dir() {
            match self.signals.recv_timeout(LOOK) {
                // What is left of a directory that has gone.
                Ok(Signal::Event(_)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Signal::End) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    /// The trees that there are.
    fn list(&self) -> Vec<PathBuf> {
        let found = match self.scope {
            Scope::Trees => list(&self.directory),
            Scope::Match => list_match(&self.directory),
        };
        found.unwrap_or_default()
    }

    /// Tells how the match stands, if that is news; whether anybody listens.
    fn tell_score(&mut self) -> bool {
        let news = match self.scope {
            Scope::Trees => None,
            Scope::Match => self.scores.news(&self.directory),
        };
        news.is_none_or(|news| self.tell(news))
    }

    /// Listens to the system. An error says that it does not tell.
    fn watch(&mut self) -> notify::Result<End> {
        let sender = self.sender.clone();
        let mut watcher = notify::recommended_watcher(move |event| {
            let _ = sender.send(Signal::Event(event));
        })?;
        watcher.watch(&self.directory, RecursiveMode::NonRecursive)?;
        let mut heard = Heard {
            watcher,
            games: BTreeSet::new(),
            files: BTreeSet::new(),
            has_score: false,
        };
        if self.scope == Scope::Match {
            heard.enter_all(&self.directory)?;
            heard.files.clear();
        }
        // What came before it was watched.
        if !self.tell_score() || !self.tell(Change::Present(self.list())) {
            return Ok(End::Over);
        }
        let mut first: Option<Instant> = None;
        loop {
            let signal = if first.is_some() {
                self.signals.recv_timeout(QUIET)
            } else {
                (self.signals.recv()).map_err(|_| RecvTimeoutError::Disconnected)
            };
            let is_quiet = matches!(signal, Err(RecvTimeoutError::Timeout));
            match signal {
                Ok(Signal::Event(Ok(event))) => {
                    if let Some(end) = self.hear(event, &mut heard)? {
                        return Ok(end);
                    }
                }
                Ok(Signal::Event(Err(_))) => self.look_again(&mut heard)?,
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Signal::End) | Err(RecvTimeoutError::Disconnected) => return Ok(End::Over),
            }
            if heard.is_empty() {
                first = None;
                continue;
            }
            let since = *first.get_or_insert_with(Instant::now);
            if is_quiet || since.elapsed() >= LONGEST {
                first = None;
                if !self.pass_on(&mut heard) {
                    return Ok(End::Over);
                }
            }
        }
    }

    /// Takes in what the system tells; how it ends, if it does.
    fn hear(&self, event: Event, heard: &mut Heard) -> notify::Result<Option<End>> {
        let is_complete = matches!(
            event.kind,
            EventKind::Modify(ModifyKind::Name(
                RenameMode::To | RenameMode::Both | RenameMode::Any
            )) | EventKind::Access(AccessKind::Close(AccessMode::Write))
        );
        let is_gone = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
        );
        let is_match = self.scope == Scope::Match;
        if event.need_rescan() {
            self.look_again(heard)?;
        } else if is_gone {
            if is_match && event.paths.contains(&self.directory) {
                return Ok(Some(End::Lost));
            }
            heard.games.retain(|game| !event.paths.contains(game));
            let gone: Vec<PathBuf> = (event.paths.into_iter())
                .filter(|path| is_tree(path))
                .collect();
            if !gone.is_empty() && !self.tell(Change::Gone(gone)) {
                return Ok(Some(End::Over));
            }
        } else if let Some(path) = event.paths.into_iter().last() {
            // Of an old and a new name the new one counts.
            let is_made = is_complete || matches!(event.kind, EventKind::Create(_));
            if is_match && is_made && self.is_game(&path) {
                heard.enter(path)?;
            } else if is_match && is_complete && path == self.directory.join(standing::FILE) {
                heard.has_score = true;
            } else if is_complete && is_tree(&path) {
                heard.files.insert(path);
            }
        }
        Ok(None)
    }

    fn is_game(&self, path: &Path) -> bool {
        path.parent() == Some(&self.directory) && is_game(path)
    }

    /// Something was not told: everything may have changed.
    fn look_again(&self, heard: &mut Heard) -> notify::Result<()> {
        if self.scope == Scope::Match {
            heard.enter_all(&self.directory)?;
            heard.has_score = true;
        }
        heard.files.extend(self.list());
        Ok(())
    }

    /// Tells what was heard; whether anybody listens.
    fn pass_on(&mut self, heard: &mut Heard) -> bool {
        if std::mem::take(&mut heard.has_score) && !self.tell_score() {
            return false;
        }
        let mut files: Vec<PathBuf> = std::mem::take(&mut heard.files).into_iter().collect();
        files.sort_by(|one, other| order(one, other));
        files.is_empty() || self.tell(Change::Files(files))
    }

    /// Lists the directory again and again.
    fn poll(&mut self) {
        let mut before = self.seen();
        if !self.tell_score() || !self.tell(Change::Present(before.keys().cloned().collect())) {
            return;
        }
        while let Ok(Signal::Event(_)) | Err(RecvTimeoutError::Timeout) =
            self.signals.recv_timeout(POLL)
        {
            let now = self.seen();
            let mut changed: Vec<PathBuf> = (now.iter())
                .filter(|(path, stamp)| before.get(*path) != Some(stamp))
                .map(|(path, _)| path.clone())
                .collect();
            changed.sort_by(|one, other| order(one, other));
            before = now;
            let is_heard = self.tell_score();
            if !is_heard || !changed.is_empty() && !self.tell(Change::Files(changed)) {
                return;
            }
        }
    }

    /// The trees that there are, with what shows that one has changed.
    fn seen(&self) -> BTreeMap<PathBuf, Option<(SystemTime, u64)>> {
        let stamp = |path: &Path| {
            let data = std::fs::metadata(path).ok();
            data.and_then(|data| Some((data.modified().ok()?, data.len())))
        };
        let stamped = |path: PathBuf| (path.clone(), stamp(&path));
        self.list().into_iter().map(stamped).collect()
    }
}

/// What the system has told and nobody knows yet.
struct Heard {
    watcher: RecommendedWatcher,
    /// The games that are watched.
    games: BTreeSet<PathBuf>,
    /// Trees that are new or have changed.
    files: BTreeSet<PathBuf>,
    /// Whether match.json has changed.
    has_score: bool,
}

impl Heard {
    fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.has_score
    }

    /// Watches a game, and then looks at what is there already: so nothing is missed.
    fn enter(&mut self, game: PathBuf) -> notify::Result<()> {
        if self.games.contains(&game) {
            return Ok(());
        }
        match self.watcher.watch(&game, RecursiveMode::NonRecursive) {
            Ok(()) => {}
            // It may have gone already.
            Err(_) if !game.is_dir() => return Ok(()),
            Err(error) => return Err(error),
        }
        self.files.extend(list(&game).unwrap_or_default());
        self.games.insert(game);
        if self.games.len() > MOST_GAMES
            && let Some(oldest) = self.games.pop_first()
        {
            let _ = self.watcher.unwatch(&oldest);
        }
        Ok(())
    }

    /// Watches the last games of a match.
    fn enter_all(&mut self, directory: &Path) -> notify::Result<()> {
        let games = games(directory).unwrap_or_default();
        let last = games.len().saturating_sub(MOST_GAMES);
        games
            .into_iter()
            .skip(last)
            .try_for_each(|game| self.enter(game))
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use super::*;

    /// What is told until something is.
    fn told(changes: &Receiver<Change>, is_it: impl Fn(&Change) -> bool) -> Change {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(20) {
            if let Ok(change) = changes.recv_timeout(POLL)
                && is_it(&change)
            {
                return change;
            }
        }
        panic!("it was not told");
    }

    #[test]
    fn a_bad_file_is_told_of_once_until_there_was_a_good_one() {
        let directory = std::env::temp_dir().join(format!("canopy-score-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let mut scores = Scores::default();
        let mut news = |text: Option<&str>| {
            let file = directory.join(standing::FILE);
            match text {
                Some(text) => fs::write(file, text).expect("a file can be written"),
                None => fs::remove_file(file).expect("a file can be removed"),
            }
            match scores.news(&directory) {
                Some(Change::Match(standing)) => format!("game {}", standing.meta.number),
                Some(Change::Said(_)) => "bad".to_owned(),
                Some(change) => format!("{change:?}"),
                None => "nothing".to_owned(),
            }
        };
        for (text, expected) in [
            (Some("{"), "bad"),
            (Some(""), "nothing"),
            (None, "Awaited(Match)"),
            (Some("{\"number\": 1}"), "game 1"),
            (Some("{\"number\": 1 }"), "nothing"),
            (Some("{\"number\": -1}"), "bad"),
            (Some("{\"format\": 99}"), "nothing"),
            (None, "nothing"),
            (Some("{\"number\": 2}"), "game 2"),
            (Some("{\"numb"), "bad"),
        ] {
            assert_eq!(news(text), expected, "{text:?}");
        }
        fs::remove_dir_all(&directory).expect("it can be removed");
    }

    #[test]
    fn where_the_system_does_not_tell_the_games_are_looked_at() {
        let directory = std::env::temp_dir().join(format!("canopy-poll-{}", std::process::id()));
        let game = directory.join("game-0001");
        fs::create_dir_all(&directory).expect("a directory can be made");
        let (tell, changes) = channel();
        let (sender, signals) = channel();
        let mut lookout = Lookout {
            directory: directory.clone(),
            scope: Scope::Match,
            tell,
            wake: Arc::new(|| {}),
            sender: sender.clone(),
            signals,
            scores: Scores::default(),
        };
        let thread = thread::spawn(move || lookout.poll());
        told(&changes, |change| {
            *change == Change::Awaited(Awaited::Match)
        });
        told(&changes, |change| *change == Change::Present(Vec::new()));
        fs::create_dir(&game).expect("a directory can be made");
        fs::write(game.join("a.tree"), "x").expect("a file can be written");
        let files = Change::Files(vec![game.join("a.tree")]);
        told(&changes, |change| *change == files);
        fs::write(directory.join("match.json"), "{\"number\": 3}").expect("a file can be written");
        let change = told(&changes, |change| matches!(change, Change::Match(_)));
        assert!(matches!(change, Change::Match(standing) if standing.meta.number == 3));
        sender.send(Signal::End).expect("it listens");
        thread.join().expect("it ends");
        fs::remove_dir_all(&directory).expect("it can be removed");
    }

    #[test]
    fn files_that_are_renamed_into_place_are_told_soon() {
        let directory = std::env::temp_dir().join(format!("canopy-watch-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let watch =
            Watch::start(&directory, Scope::Trees, Arc::new(|| {})).expect("a thread starts");
        thread::sleep(Duration::from_millis(200));
        let (hidden, shown) = (directory.join(".1-x.tmp"), directory.join("a.tree"));
        fs::write(&hidden, "x").expect("a file can be written");
        fs::rename(&hidden, &shown).expect("a file can be renamed");
        let begun = Instant::now();
        let mut found = Vec::new();
        let told = |found: &[Change]| found.contains(&Change::Files(vec![shown.clone()]));
        while !told(&found) && begun.elapsed() < Duration::from_secs(20) {
            found.extend(watch.take());
            thread::sleep(Duration::from_millis(5));
        }
        assert!(told(&found), "{found:?}");
        assert_eq!(found[0], Change::Present(Vec::new()));
        fs::remove_dir_all(&directory).expect("it can be removed");
    }
}
