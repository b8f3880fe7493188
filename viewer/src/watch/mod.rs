//! A directory that somebody else writes to: what is in it, soon and not too often.
//!
//! What the system tells of changes is only a hint. After every burst of events the folders concerned are listed again and compared
//! with what was listed before, so that what was told is always what a listing shows, whatever was missed or came in another order.
//! Now and then the folders' own dates are looked at: a change of which the system said nothing is found by them. Where the
//! system does not tell of changes at all, everything is listed again and again.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use canopy_engine::tree::meta::MatchMeta;
use notify::{Event, EventKind, event::ModifyKind};

pub use self::events::EventSource;
use self::{
    events::{Listener, Meaning, Signal, meaning},
    folder::{Difference, Folder, Hints, Stamp},
};
use crate::{
    loader::Wake,
    sequence::{by_length, is_hidden, is_tree, order},
    standing::{self, Standing},
};

mod events;
mod folder;

/// A burst of events is over when nothing has happened for so long.
const DEBOUNCE: Duration = Duration::from_millis(25);
/// Folders are listed so long after the first event of a burst, even if it goes on.
const MAX_DELAY: Duration = Duration::from_millis(100);
/// How often the dates of the folders are looked at, where the system tells of changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often everything is listed, where it does not.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How often one looks whether a directory is there that was not.
const ARRIVAL_INTERVAL: Duration = Duration::from_millis(150);
/// After a listing there is a pause of so many times its length, up to a limit: large directories do not keep the machine busy.
const PAUSE_FACTOR: u32 = 9;
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Checks in a row that found changes of which the system said nothing; then it is not relied upon any more.
const MAX_MISSED: u32 = 2;
/// So many games of a match are watched, the last ones: those before them are over, and only looked at now and then.
const MAX_WATCHED_GAMES: usize = 256;

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

/// What happened in a directory. Files are in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// All trees that were there when watching began.
    Present(Vec<PathBuf>),
    /// What is different since.
    Files {
        /// These files are new or have changed.
        changed: Vec<PathBuf>,
        /// These files have gone.
        gone: Vec<PathBuf>,
    },
    /// This is how the match stands now.
    Match(Arc<Standing>),
    /// There is nothing to be seen of the match yet.
    Awaited(Awaited),
    /// From now on the directory is listed again and again, because the system does not tell of changes, with the reason; or it
    /// tells of them again.
    Polling(Option<String>),
    /// Something about watching itself, in a sentence.
    Said(String),
}

/// Watches one directory until it is dropped.
pub struct Watch {
    changes: Receiver<Change>,
    signals: Sender<Signal>,
}

impl Watch {
    /// Begins to watch; `wake` is called when there is news. The path is absolute: the current folder plays no part.
    pub fn start(
        directory: &Path,
        scope: Scope,
        source: EventSource,
        wake: Wake,
    ) -> io::Result<Self> {
        let (tell, changes) = channel();
        let (signals, heard) = channel();
        let follower = Follower {
            root: Folder::new(directory.to_owned()),
            games: BTreeMap::new(),
            watched: BTreeSet::new(),
            scope,
            source,
            tell,
            wake,
            sender: signals.clone(),
            signals: heard,
            scores: Scores::default(),
            pending: Pending::default(),
            is_present: false,
            is_polling: false,
            missed: 0,
            listed: Instant::now(),
            pause: Duration::ZERO,
            is_unreadable: false,
        };
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || follower.run())?;
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

/// Why a directory is not followed any more.
enum End {
    /// Nobody wants to know.
    Over,
    /// It has gone, or is another one now.
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

/// What is to be looked at when the burst of events is over.
#[derive(Default)]
struct Pending {
    /// Folders that are to be listed.
    folders: BTreeMap<PathBuf, Hints>,
    /// Whether every file of every folder may have changed.
    is_thorough: bool,
    /// Whether match.json may have.
    has_score: bool,
    /// Whether the directory itself was removed or renamed.
    is_lost: bool,
    /// When the first and the last event came.
    times: Option<(Instant, Instant)>,
}

impl Pending {
    fn hints(&mut self, folder: &Path) -> &mut Hints {
        self.folders.entry(folder.to_owned()).or_default()
    }
}

/// The thread that watches.
struct Follower {
    root: Folder,
    /// The folders of a match's games.
    games: BTreeMap<PathBuf, Folder>,
    /// Those of them of which the system tells.
    watched: BTreeSet<PathBuf>,
    scope: Scope,
    source: EventSource,
    tell: Sender<Change>,
    wake: Wake,
    sender: Sender<Signal>,
    signals: Receiver<Signal>,
    scores: Scores,
    pending: Pending,
    /// Whether it was told what there is.
    is_present: bool,
    is_polling: bool,
    /// Checks in a row that found what the system had not told.
    missed: u32,
    /// When folders were last listed or checked, and how long a pause that needs.
    listed: Instant,
    pause: Duration,
    /// Whether it was told that the directory cannot be listed.
    is_unreadable: bool,
}

impl Follower {
    fn run(mut self) {
        while self.arrive() {
            if let End::Over = self.follow() {
                return;
            }
        }
    }

    /// Tells of something; whether anybody listens.
    fn tell(&self, change: Change) -> bool {
        let is_sent = self.tell.send(change).is_ok();
        (self.wake)();
        is_sent
    }

    /// Waits for the directory if it is not there; whether anybody still wants to know.
    fn arrive(&mut self) -> bool {
        if self.root.path.is_dir() {
            return true;
        }
        let mut difference = Difference::default();
        self.root.clear(&mut difference);
        for (_, mut game) in std::mem::take(&mut self.games) {
            game.clear(&mut difference);
        }
        if self.is_present {
            let name = self.root.path.display();
            let said = format!("the folder {name} is gone; it is followed again when it is back");
            if !self.tell_files(difference) || !self.tell(Change::Said(said)) {
                return false;
            }
        }
        self.scores.is_awaited = false;
        if !self.tell(Change::Awaited(Awaited::Directory)) {
            return false;
        }
        while !self.root.path.is_dir() {
            match self.signals.recv_timeout(ARRIVAL_INTERVAL) {
                // What is left of a directory that has gone.
                Ok(Signal::Event(_)) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Signal::End) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    /// Follows the directory as long as it is the same one.
    fn follow(&mut self) -> End {
        let Ok(identity) = Stamp::of(&self.root.path) else {
            return End::Lost;
        };
        self.watched.clear();
        self.missed = 0;
        let mut listener = match self.listen() {
            Ok(listener) => {
                if self.is_polling {
                    self.is_polling = false;
                    self.tell(Change::Polling(None));
                }
                Some(listener)
            }
            Err(reason) => {
                self.begin_to_poll(reason);
                None
            }
        };
        // What came before it was watched.
        self.pending = Pending {
            is_thorough: true,
            times: Some((self.listed, self.listed)),
            ..Pending::default()
        };
        self.pause = Duration::ZERO;
        loop {
            let wait = self.due().saturating_duration_since(Instant::now());
            match self.signals.recv_timeout(wait) {
                Ok(Signal::Event(Ok(event))) => self.note(&event),
                Ok(Signal::Event(Err(_))) => self.note_all(),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Signal::End) | Err(RecvTimeoutError::Disconnected) => return End::Over,
            }
            if self.due() <= Instant::now()
                && let Some(end) = self.catch_up(&mut listener, &identity)
            {
                return end;
            }
        }
    }

    /// Asks the system to tell of changes in the directory; an error says why it does not.
    fn listen(&self) -> Result<Listener, String> {
        let mut listener = Listener::start(self.source, self.sender.clone())?;
        listener.watch(&self.root.path)?;
        Ok(listener)
    }

    fn begin_to_poll(&mut self, reason: String) {
        self.is_polling = true;
        self.watched.clear();
        self.tell(Change::Polling(Some(reason)));
    }

    /// When folders are to be listed or checked next.
    fn due(&self) -> Instant {
        let rested = self.listed + self.pause;
        match self.pending.times {
            Some((first, last)) => (last + DEBOUNCE).min(first + MAX_DELAY).max(rested),
            None if self.is_polling => (self.listed + POLL_INTERVAL).max(rested),
            None => (self.listed + CHECK_INTERVAL).max(rested),
        }
    }

    /// Notes that something is to be looked at.
    fn note_event(&mut self) {
        let now = Instant::now();
        let (first, _) = self.pending.times.unwrap_or((now, now));
        self.pending.times = Some((first, now));
        self.missed = 0;
    }

    /// Something was not told: everything may have changed.
    fn note_all(&mut self) {
        self.pending.is_thorough = true;
        self.note_event();
    }

    /// Takes in what the system tells.
    fn note(&mut self, event: &Event) {
        if event.need_rescan() {
            return self.note_all();
        }
        let Some(meaning) = meaning(event.kind) else {
            return;
        };
        let is_gone = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        for path in &event.paths {
            if *path == self.root.path {
                self.pending.is_lost |= is_gone;
                self.note_event();
            } else {
                self.note_path(path, meaning);
            }
        }
    }

    fn note_path(&mut self, path: &Path, meaning: Meaning) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return;
        };
        let is_in_root = parent == self.root.path;
        if is_hidden(path) || !is_in_root && !self.games.contains_key(parent) {
            return;
        }
        if is_tree(path) {
            let hints = self.pending.hints(parent);
            if meaning == Meaning::Contents {
                hints.names.insert(name.to_owned());
            }
            return self.note_event();
        }
        if self.scope == Scope::Trees || !is_in_root {
            return;
        }
        if name == standing::FILE {
            self.pending.has_score |= meaning == Meaning::Contents;
        } else {
            // A game perhaps; one that was removed and made again is to be watched again.
            self.watched.remove(path);
            self.pending.hints(parent);
        }
        self.note_event();
    }

    /// Lists what is to be listed, and tells what is different; how it ends, if it does.
    fn catch_up(&mut self, listener: &mut Option<Listener>, identity: &Stamp) -> Option<End> {
        let begun = Instant::now();
        let mut pending = std::mem::take(&mut self.pending);
        let is_same = Stamp::of(&self.root.path).is_ok_and(|now| now.is_same_folder(identity));
        if pending.is_lost || !is_same {
            return Some(End::Lost);
        }
        let is_check = pending.times.is_none();
        if listener.is_none() {
            pending.is_thorough = true;
        } else if is_check {
            for folder in std::iter::once(&self.root).chain(self.games.values()) {
                if folder.is_stale() {
                    pending.hints(&folder.path);
                }
            }
            pending.has_score = pending.folders.contains_key(&self.root.path);
        }
        let mut difference = Difference::default();
        match self.list(&pending, listener, &mut difference) {
            Ok(()) => self.is_unreadable = false,
            Err(error) if is_gone(&error) => return Some(End::Lost),
            Err(error) if !self.is_unreadable => {
                self.is_unreadable = true;
                let name = self.root.path.display();
                self.tell(Change::Said(format!("{name} cannot be listed: {error}")));
            }
            Err(_) => {}
        }
        if is_check && !difference.is_empty() && listener.is_some() {
            self.missed += 1;
            if self.missed >= MAX_MISSED {
                *listener = None;
                self.begin_to_poll("it said nothing of changes that were made".to_owned());
            }
        }
        self.listed = Instant::now();
        self.pause = (begun.elapsed() * PAUSE_FACTOR).min(MAX_PAUSE);
        let has_score = pending.has_score || pending.is_thorough;
        let is_heard = (!has_score || self.tell_score()) && self.tell_files(difference);
        (!is_heard).then_some(End::Over)
    }

    /// Lists the folders that are to be listed. An error says why the directory itself cannot be.
    fn list(
        &mut self,
        pending: &Pending,
        listener: &mut Option<Listener>,
        difference: &mut Difference,
    ) -> io::Result<()> {
        let hints_of = |path: &Path| {
            let mut hints = pending.folders.get(path).cloned();
            if pending.is_thorough {
                hints.get_or_insert_default().is_thorough = true;
            }
            hints
        };
        let mut entered = BTreeSet::new();
        if let Some(hints) = hints_of(&self.root.path) {
            self.root.list(&hints, difference)?;
            if self.scope == Scope::Match {
                entered = self.enter_games(listener, difference);
            }
        }
        let mut gone = Vec::new();
        for (path, game) in &mut self.games {
            let hints = hints_of(path);
            if let Some(hints) = hints.or_else(|| entered.contains(path).then(Hints::thorough))
                && let Err(error) = game.list(&hints, difference)
                && is_gone(&error)
            {
                game.clear(difference);
                gone.push(path.clone());
            }
        }
        for path in gone {
            self.games.remove(&path);
        }
        Ok(())
    }

    /// Takes in which games there are now, and has the system tell of the last of them; those are to be listed.
    fn enter_games(
        &mut self,
        listener: &mut Option<Listener>,
        difference: &mut Difference,
    ) -> BTreeSet<PathBuf> {
        let root = &self.root;
        let mut paths: Vec<PathBuf> = (root.subfolders.iter())
            .map(|name| root.path.join(name))
            .collect();
        let known: BTreeSet<&PathBuf> = paths.iter().collect();
        self.games.retain(|path, game| {
            let is_there = known.contains(path);
            if !is_there {
                game.clear(difference);
            }
            is_there
        });
        let mut entered = BTreeSet::new();
        for path in &paths {
            if !self.games.contains_key(path) {
                self.games.insert(path.clone(), Folder::new(path.clone()));
                entered.insert(path.clone());
            }
        }
        paths.sort_by(|one, other| by_length(one, other));
        let last = paths.split_off(paths.len().saturating_sub(MAX_WATCHED_GAMES));
        let last: BTreeSet<PathBuf> = last.into_iter().collect();
        let problem = listener.as_mut().and_then(|listener| {
            for path in self.watched.difference(&last) {
                listener.unwatch(path);
            }
            self.watched.retain(|path| last.contains(path));
            for path in last {
                if self.watched.contains(&path) {
                    continue;
                }
                if let Err(reason) = listener.watch(&path) {
                    // It may have gone already.
                    if path.is_dir() {
                        return Some(reason);
                    }
                    continue;
                }
                // What came before it was watched.
                entered.insert(path.clone());
                self.watched.insert(path);
            }
            None
        });
        if let Some(reason) = problem {
            *listener = None;
            self.begin_to_poll(reason);
        }
        entered
    }

    /// Tells how the match stands, if that is news; whether anybody listens.
    fn tell_score(&mut self) -> bool {
        let news = match self.scope {
            Scope::Trees => None,
            Scope::Match => self.scores.news(&self.root.path),
        };
        news.is_none_or(|news| self.tell(news))
    }

    /// Tells which files are different, the first time which there are; whether anybody listens.
    fn tell_files(&mut self, difference: Difference) -> bool {
        let sorted = |mut paths: Vec<PathBuf>| {
            paths.sort_by(|one, other| order(one, other));
            paths
        };
        if !self.is_present && !self.is_unreadable {
            self.is_present = true;
            return self.tell(Change::Present(sorted(difference.changed)));
        }
        difference.is_empty()
            || self.tell(Change::Files {
                changed: sorted(difference.changed),
                gone: sorted(difference.gone),
            })
    }
}

/// Whether there is no such folder any more.
fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use super::*;

    /// Waits until something is told.
    fn told(watch: &Watch, is_it: impl Fn(&Change) -> bool) -> Change {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            if let Ok(change) = watch.changes.recv_timeout(POLL_INTERVAL)
                && is_it(&change)
            {
                return change;
            }
        }
        panic!("it was not told");
    }

    fn files(changed: &[&Path], gone: &[&Path]) -> Change {
        let owned = |paths: &[&Path]| paths.iter().map(|&path| path.to_owned()).collect();
        Change::Files {
            changed: owned(changed),
            gone: owned(gone),
        }
    }

    fn start(directory: &Path, scope: Scope, source: EventSource) -> Watch {
        Watch::start(directory, scope, source, Arc::new(|| {})).expect("a thread starts")
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
        let tree = game.join("a.tree");
        fs::create_dir_all(&directory).expect("a directory can be made");
        let watch = start(&directory, Scope::Match, EventSource::Refused);
        told(&watch, |change| matches!(change, Change::Polling(Some(_))));
        told(&watch, |change| *change == Change::Awaited(Awaited::Match));
        told(&watch, |change| *change == Change::Present(Vec::new()));
        fs::create_dir(&game).expect("a directory can be made");
        fs::write(&tree, "x").expect("a file can be written");
        told(&watch, |change| *change == files(&[&tree], &[]));
        fs::write(directory.join("match.json"), "{\"number\": 3}").expect("a file can be written");
        let change = told(&watch, |change| matches!(change, Change::Match(_)));
        assert!(matches!(change, Change::Match(standing) if standing.meta.number == 3));
        fs::remove_dir_all(&game).expect("it can be removed");
        told(&watch, |change| *change == files(&[], &[&tree]));
        fs::remove_dir_all(&directory).expect("it can be removed");
    }

    #[test]
    fn files_that_are_renamed_into_place_are_told_soon() {
        let directory = std::env::temp_dir().join(format!("canopy-watch-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let watch = start(&directory, Scope::Trees, EventSource::System);
        told(&watch, |change| *change == Change::Present(Vec::new()));
        let (hidden, shown) = (directory.join(".1-x.tmp"), directory.join("a.tree"));
        for _ in 0..2 {
            fs::write(&hidden, "x").expect("a file can be written");
            fs::rename(&hidden, &shown).expect("a file can be renamed");
            told(&watch, |change| *change == files(&[&shown], &[]));
        }
        fs::remove_file(&shown).expect("a file can be removed");
        told(&watch, |change| *change == files(&[], &[&shown]));
        fs::remove_dir_all(&directory).expect("it can be removed");
    }

    #[test]
    fn where_the_system_stays_silent_that_is_found_out() {
        let directory = std::env::temp_dir().join(format!("canopy-silent-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let watch = start(&directory, Scope::Trees, EventSource::Silent);
        told(&watch, |change| *change == Change::Present(Vec::new()));
        for name in ["a.tree", "b.tree"] {
            let tree = directory.join(name);
            fs::write(&tree, "x").expect("a file can be written");
            let change = told(&watch, |change| !matches!(change, Change::Said(_)));
            let is_polling = |change: &Change| matches!(change, Change::Polling(Some(_)));
            if name == "b.tree" {
                assert!(is_polling(&change), "{change:?}");
                told(&watch, |change| *change == files(&[&tree], &[]));
            } else {
                assert_eq!(change, files(&[&tree], &[]));
            }
        }
        // From now on new contents are seen, too.
        let tree = directory.join("a.tree");
        fs::write(&tree, "xy").expect("a file can be written");
        told(&watch, |change| *change == files(&[&tree], &[]));
        fs::remove_dir_all(&directory).expect("it can be removed");
    }
}
