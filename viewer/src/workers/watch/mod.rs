//! A directory that somebody else writes to: what is in it, soon and not too often.
//!
//! What the system tells of changes is only a hint. After every burst of events the folders concerned are listed again and compared
//! with what was listed before, so that what was told is always what a listing shows, whatever was missed or came in another order.
//! Now and then the folders' own dates are looked at: a change of which the system said nothing is found by them. Where the
//! system does not tell of changes at all, everything is listed again and again.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, mpsc::RecvTimeoutError},
    time::{Duration, Instant},
};

use canopy_engine::tree::meta::MatchMeta;
use notify::{Event, EventKind, event::ModifyKind};

pub use self::events::EventSource;
use self::{
    events::{EventEffect, Listener, event_effect},
    folder::{FileStamp, Folder, FolderDiff, ScanHints},
};
use crate::{
    play::match_state::{self, MatchState},
    system::{
        wake::Wake,
        worker::{Mailbox, Task, Worker},
    },
    tree::sequence::{compare_by_length, compare_paths, is_hidden, is_tree_file},
};

mod events;
mod folder;

/// A burst of events is over when nothing has happened for so long.
const DEBOUNCE: Duration = Duration::from_millis(25);
/// Folders are listed so long after the first event of a burst, even if it goes on.
const MAX_DEBOUNCE: Duration = Duration::from_millis(100);
/// How often the dates of the folders are looked at, where the system tells of changes.
const STAMP_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often everything is listed, where it does not.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How often one looks whether a directory is there that was not.
const ARRIVAL_INTERVAL: Duration = Duration::from_millis(150);
/// After a listing there is a pause of so many times its length, up to a limit: large directories do not keep the machine busy.
const PAUSE_FACTOR: u32 = 9;
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Checks in a row that found changes of which the system said nothing; then it is not relied upon any more.
const MAX_MISSED_CHECKS: u32 = 2;
/// So many games of a match are watched, the last ones: those before them are over, and only looked at now and then.
const MAX_WATCHED_GAMES: usize = 256;

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchScope {
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
pub enum WatchEvent {
    /// All trees that were there when watching began.
    Listed(Vec<PathBuf>),
    /// What is different since.
    Files {
        /// These files are new or have changed.
        changed: Vec<PathBuf>,
        /// These files have gone.
        gone: Vec<PathBuf>,
    },
    /// This is how the match stands now.
    Match(Arc<MatchState>),
    /// There is nothing to be seen of the match yet.
    Awaited(Awaited),
    /// From now on the directory is listed again and again, because the system does not tell of changes, with the reason; or it
    /// tells of them again.
    Polling(Option<String>),
    /// Something about watching itself, in a sentence.
    Notice(String),
}

/// Watches one directory until it is dropped.
pub struct DirectoryWatcher {
    worker: Worker<notify::Result<Event>, WatchEvent>,
}

impl DirectoryWatcher {
    /// Begins to watch; `wake` is called when there is news. The path is absolute: the current folder plays no part.
    pub fn start(
        directory: &Path,
        scope: WatchScope,
        source: EventSource,
        wake: Wake,
    ) -> io::Result<Self> {
        let new_task = |mailbox| WatchTask {
            mailbox,
            root: Folder::new(directory.to_owned()),
            game_folders: BTreeMap::new(),
            watched_games: BTreeSet::new(),
            scope,
            source,
            match_file: MatchFileState::default(),
            pending: PendingScan::default(),
            has_listed: false,
            is_polling: false,
            missed_checks: 0,
            scanned_at: Instant::now(),
            scan_pause: Duration::ZERO,
            is_unreadable: false,
        };
        let worker = Worker::start("watch", wake, new_task)?;
        Ok(Self { worker })
    }

    /// What has happened since.
    pub fn take_events(&self) -> Vec<WatchEvent> {
        self.worker.take_events()
    }
}

/// Why a directory is not followed any more.
enum WatchEnd {
    /// Nobody wants to know.
    Cancelled,
    /// It has gone, or is another one now.
    Lost,
}

/// What was told of match.json.
#[derive(Default)]
struct MatchFileState {
    last_meta: Option<MatchMeta>,
    /// Whether it was told that the file is bad, or that it is not there.
    has_reported_invalid: bool,
    has_reported_missing: bool,
}

impl MatchFileState {
    /// What there is to tell of the file now. A file that is bad disturbs nobody, and is told of once.
    fn poll(&mut self, directory: &Path) -> Option<WatchEvent> {
        match match_state::read_match_file(directory) {
            Ok(Some(meta)) => {
                self.has_reported_invalid = false;
                if self.last_meta.as_ref() == Some(&meta) {
                    return None;
                }
                self.last_meta = Some(meta.clone());
                Some(WatchEvent::Match(Arc::new(MatchState::new(meta))))
            }
            Ok(None) if self.last_meta.is_none() && !self.has_reported_missing => {
                self.has_reported_missing = true;
                Some(WatchEvent::Awaited(Awaited::Match))
            }
            Ok(None) => None,
            Err(_) if self.has_reported_invalid => None,
            Err(error) => {
                self.has_reported_invalid = true;
                Some(WatchEvent::Notice(format!(
                    "{}: {error}",
                    match_state::MATCH_FILE
                )))
            }
        }
    }
}

/// What is to be looked at when the burst of events is over.
#[derive(Default)]
struct PendingScan {
    /// Folders that are to be listed.
    folders: BTreeMap<PathBuf, ScanHints>,
    /// Whether every file of every folder may have changed.
    is_full: bool,
    /// Whether match.json may have.
    has_match_file: bool,
    /// Whether the directory itself was removed or renamed.
    is_root_lost: bool,
    /// When the first and the last event came.
    event_times: Option<(Instant, Instant)>,
}

impl PendingScan {
    fn hints(&mut self, folder: &Path) -> &mut ScanHints {
        self.folders.entry(folder.to_owned()).or_default()
    }
}

/// The thread that watches.
struct WatchTask {
    mailbox: Mailbox<notify::Result<Event>, WatchEvent>,
    root: Folder,
    /// The folders of a match's games.
    game_folders: BTreeMap<PathBuf, Folder>,
    /// Those of them of which the system tells.
    watched_games: BTreeSet<PathBuf>,
    scope: WatchScope,
    source: EventSource,
    match_file: MatchFileState,
    pending: PendingScan,
    /// Whether it was told what there is.
    has_listed: bool,
    is_polling: bool,
    /// Checks in a row that found what the system had not told.
    missed_checks: u32,
    /// When folders were last listed or checked, and how long a pause that needs.
    scanned_at: Instant,
    scan_pause: Duration,
    /// Whether it was told that the directory cannot be listed.
    is_unreadable: bool,
}

impl Task for WatchTask {
    fn step(&mut self) -> ControlFlow<()> {
        if !self.wait_for_directory() {
            return ControlFlow::Break(());
        }
        match self.watch_while_present() {
            WatchEnd::Cancelled => ControlFlow::Break(()),
            WatchEnd::Lost => ControlFlow::Continue(()),
        }
    }

    /// Ends: the next listing would panic again.
    fn recover(&mut self, panic: &str) -> ControlFlow<()> {
        let name = self.root.path.display();
        self.send(WatchEvent::Notice(format!(
            "{name} is not watched any more: {panic}; open it again to watch it"
        )));
        ControlFlow::Break(())
    }
}

impl WatchTask {
    /// Tells of something; whether anybody listens.
    fn send(&self, event: WatchEvent) -> bool {
        self.mailbox.send(event).is_continue()
    }

    /// Waits for the directory if it is not there; whether anybody still wants to know.
    fn wait_for_directory(&mut self) -> bool {
        if self.root.path.is_dir() {
            return true;
        }
        let mut difference = FolderDiff::default();
        self.root.clear(&mut difference);
        for (_, mut game) in std::mem::take(&mut self.game_folders) {
            game.clear(&mut difference);
        }
        if self.has_listed {
            let name = self.root.path.display();
            let said = format!("the folder {name} is gone; it is followed again when it is back");
            if !self.send_file_changes(difference) || !self.send(WatchEvent::Notice(said)) {
                return false;
            }
        }
        self.match_file.has_reported_missing = false;
        if !self.send(WatchEvent::Awaited(Awaited::Directory)) {
            return false;
        }
        while !self.root.path.is_dir() {
            match self.mailbox.recv_within(Some(ARRIVAL_INTERVAL)) {
                // What is left of a directory that has gone.
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    /// Follows the directory as long as it is the same one.
    fn watch_while_present(&mut self) -> WatchEnd {
        let Ok(identity) = FileStamp::of(&self.root.path) else {
            return WatchEnd::Lost;
        };
        self.watched_games.clear();
        self.missed_checks = 0;
        let mut listener = match self.start_listener() {
            Ok(listener) => {
                if self.is_polling {
                    self.is_polling = false;
                    self.send(WatchEvent::Polling(None));
                }
                Some(listener)
            }
            Err(reason) => {
                self.start_polling(reason);
                None
            }
        };
        // What came before it was watched.
        self.pending = PendingScan {
            is_full: true,
            event_times: Some((self.scanned_at, self.scanned_at)),
            ..PendingScan::default()
        };
        self.scan_pause = Duration::ZERO;
        loop {
            let wait = self
                .next_scan_at()
                .saturating_duration_since(Instant::now());
            match self.mailbox.recv_within(Some(wait)) {
                Ok(Ok(event)) => self.handle_event(&event),
                Ok(Err(_)) => self.request_full_scan(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return WatchEnd::Cancelled,
            }
            if self.next_scan_at() <= Instant::now()
                && let Some(end) = self.scan(&mut listener, &identity)
            {
                return end;
            }
        }
    }

    /// Asks the system to tell of changes in the directory; an error says why it does not.
    fn start_listener(&self) -> Result<Listener, String> {
        let mut listener = Listener::start(self.source, self.mailbox.command_sender())?;
        listener.watch(&self.root.path)?;
        Ok(listener)
    }

    fn start_polling(&mut self, reason: String) {
        self.is_polling = true;
        self.watched_games.clear();
        self.send(WatchEvent::Polling(Some(reason)));
    }

    /// When folders are to be listed or checked next.
    fn next_scan_at(&self) -> Instant {
        let rested = self.scanned_at + self.scan_pause;
        match self.pending.event_times {
            Some((first, last)) => (last + DEBOUNCE).min(first + MAX_DEBOUNCE).max(rested),
            None if self.is_polling => (self.scanned_at + POLL_INTERVAL).max(rested),
            None => (self.scanned_at + STAMP_CHECK_INTERVAL).max(rested),
        }
    }

    /// Notes that something is to be looked at.
    fn record_event_time(&mut self) {
        let now = Instant::now();
        let (first, _) = self.pending.event_times.unwrap_or((now, now));
        self.pending.event_times = Some((first, now));
        self.missed_checks = 0;
    }

    /// Something was not told: everything may have changed.
    fn request_full_scan(&mut self) {
        self.pending.is_full = true;
        self.record_event_time();
    }

    /// Takes in what the system tells.
    fn handle_event(&mut self, event: &Event) {
        if event.need_rescan() {
            return self.request_full_scan();
        }
        let Some(effect) = event_effect(event.kind) else {
            return;
        };
        let is_gone = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        for path in &event.paths {
            if *path == self.root.path {
                self.pending.is_root_lost |= is_gone;
                self.record_event_time();
            } else {
                self.handle_path(path, effect);
            }
        }
    }

    fn handle_path(&mut self, path: &Path, effect: EventEffect) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return;
        };
        let is_in_root = parent == self.root.path;
        if is_hidden(path) || !is_in_root && !self.game_folders.contains_key(parent) {
            return;
        }
        if is_tree_file(path) {
            let hints = self.pending.hints(parent);
            if effect == EventEffect::Contents {
                hints.names.insert(name.to_owned());
            }
            return self.record_event_time();
        }
        if self.scope == WatchScope::Trees || !is_in_root {
            return;
        }
        if name == match_state::MATCH_FILE {
            self.pending.has_match_file |= effect == EventEffect::Contents;
        } else {
            // A game perhaps; one that was removed and made again is to be watched again.
            self.watched_games.remove(path);
            self.pending.hints(parent);
        }
        self.record_event_time();
    }

    /// Lists what is to be listed, and tells what is different; how it ends, if it does.
    fn scan(&mut self, listener: &mut Option<Listener>, identity: &FileStamp) -> Option<WatchEnd> {
        let begun = Instant::now();
        let mut pending = std::mem::take(&mut self.pending);
        let is_same = FileStamp::of(&self.root.path).is_ok_and(|now| now.is_same_folder(identity));
        if pending.is_root_lost || !is_same {
            return Some(WatchEnd::Lost);
        }
        let is_check = pending.event_times.is_none();
        if listener.is_none() {
            pending.is_full = true;
        } else if is_check {
            for folder in std::iter::once(&self.root).chain(self.game_folders.values()) {
                if folder.is_stale() {
                    pending.hints(&folder.path);
                }
            }
            pending.has_match_file = pending.folders.contains_key(&self.root.path);
        }
        let mut difference = FolderDiff::default();
        match self.list_folders(&pending, listener, &mut difference) {
            Ok(()) => self.is_unreadable = false,
            Err(error) if is_not_found(&error) => return Some(WatchEnd::Lost),
            Err(error) if !self.is_unreadable => {
                self.is_unreadable = true;
                let name = self.root.path.display();
                self.send(WatchEvent::Notice(format!(
                    "{name} cannot be listed: {error}"
                )));
            }
            Err(_) => {}
        }
        if is_check && !difference.is_empty() && listener.is_some() {
            self.missed_checks += 1;
            if self.missed_checks >= MAX_MISSED_CHECKS {
                *listener = None;
                self.start_polling("it said nothing of changes that were made".to_owned());
            }
        }
        self.scanned_at = Instant::now();
        self.scan_pause = (begun.elapsed() * PAUSE_FACTOR).min(MAX_PAUSE);
        let has_score = pending.has_match_file || pending.is_full;
        let is_connected =
            (!has_score || self.send_match_state()) && self.send_file_changes(difference);
        (!is_connected).then_some(WatchEnd::Cancelled)
    }

    /// Lists the folders that are to be listed. An error says why the directory itself cannot be.
    fn list_folders(
        &mut self,
        pending: &PendingScan,
        listener: &mut Option<Listener>,
        difference: &mut FolderDiff,
    ) -> io::Result<()> {
        let hints_of = |path: &Path| {
            let mut hints = pending.folders.get(path).cloned();
            if pending.is_full {
                hints.get_or_insert_default().is_full = true;
            }
            hints
        };
        let mut entered = BTreeSet::new();
        if let Some(hints) = hints_of(&self.root.path) {
            self.root.list(&hints, difference)?;
            if self.scope == WatchScope::Match {
                entered = self.update_game_folders(listener, difference);
            }
        }
        let mut gone = Vec::new();
        for (path, game) in &mut self.game_folders {
            let hints = hints_of(path);
            if let Some(hints) = hints.or_else(|| entered.contains(path).then(ScanHints::full))
                && let Err(error) = game.list(&hints, difference)
                && is_not_found(&error)
            {
                game.clear(difference);
                gone.push(path.clone());
            }
        }
        for path in gone {
            self.game_folders.remove(&path);
        }
        Ok(())
    }

    /// Takes in which games there are now, and has the system tell of the last of them; those are to be listed.
    fn update_game_folders(
        &mut self,
        listener: &mut Option<Listener>,
        difference: &mut FolderDiff,
    ) -> BTreeSet<PathBuf> {
        let root = &self.root;
        let mut paths: Vec<PathBuf> = (root.subfolders.iter())
            .map(|name| root.path.join(name))
            .collect();
        let known: BTreeSet<&PathBuf> = paths.iter().collect();
        self.game_folders.retain(|path, game| {
            let is_there = known.contains(path);
            if !is_there {
                game.clear(difference);
            }
            is_there
        });
        let mut entered = BTreeSet::new();
        for path in &paths {
            if !self.game_folders.contains_key(path) {
                self.game_folders
                    .insert(path.clone(), Folder::new(path.clone()));
                entered.insert(path.clone());
            }
        }
        paths.sort_by(|one, other| compare_by_length(one, other));
        let last = paths.split_off(paths.len().saturating_sub(MAX_WATCHED_GAMES));
        let last: BTreeSet<PathBuf> = last.into_iter().collect();
        let problem = listener.as_mut().and_then(|listener| {
            for path in self.watched_games.difference(&last) {
                listener.unwatch(path);
            }
            self.watched_games.retain(|path| last.contains(path));
            for path in last {
                if self.watched_games.contains(&path) {
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
                self.watched_games.insert(path);
            }
            None
        });
        if let Some(reason) = problem {
            *listener = None;
            self.start_polling(reason);
        }
        entered
    }

    /// Tells how the match stands, if that is news; whether anybody listens.
    fn send_match_state(&mut self) -> bool {
        let event = match self.scope {
            WatchScope::Trees => None,
            WatchScope::Match => self.match_file.poll(&self.root.path),
        };
        event.is_none_or(|news| self.send(news))
    }

    /// Tells which files are different, the first time which there are; whether anybody listens.
    fn send_file_changes(&mut self, difference: FolderDiff) -> bool {
        let sorted = |mut paths: Vec<PathBuf>| {
            paths.sort_by(|one, other| compare_paths(one, other));
            paths
        };
        if !self.has_listed && !self.is_unreadable {
            self.has_listed = true;
            return self.send(WatchEvent::Listed(sorted(difference.changed)));
        }
        difference.is_empty()
            || self.send(WatchEvent::Files {
                changed: sorted(difference.changed),
                gone: sorted(difference.gone),
            })
    }
}

/// Whether there is no such folder any more.
fn is_not_found(error: &io::Error) -> bool {
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
    fn wait_for_event(watch: &DirectoryWatcher, is_it: impl Fn(&WatchEvent) -> bool) -> WatchEvent {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            if let Some(change) = watch.worker.wait_for_event(POLL_INTERVAL)
                && is_it(&change)
            {
                return change;
            }
        }
        panic!("it was not told");
    }

    fn files(changed: &[&Path], gone: &[&Path]) -> WatchEvent {
        let owned = |paths: &[&Path]| paths.iter().map(|&path| path.to_owned()).collect();
        WatchEvent::Files {
            changed: owned(changed),
            gone: owned(gone),
        }
    }

    fn start(directory: &Path, scope: WatchScope, source: EventSource) -> DirectoryWatcher {
        DirectoryWatcher::start(directory, scope, source, Arc::new(|| {})).expect("a thread starts")
    }

    #[test]
    fn a_bad_file_is_told_of_once_until_there_was_a_good_one() {
        let directory = std::env::temp_dir().join(format!("canopy-score-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let mut scores = MatchFileState::default();
        let mut news = |text: Option<&str>| {
            let file = directory.join(match_state::MATCH_FILE);
            match text {
                Some(text) => fs::write(file, text).expect("a file can be written"),
                None => fs::remove_file(file).expect("a file can be removed"),
            }
            match scores.poll(&directory) {
                Some(WatchEvent::Match(standing)) => format!("game {}", standing.meta.number),
                Some(WatchEvent::Notice(_)) => "bad".to_owned(),
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
        let watch = start(&directory, WatchScope::Match, EventSource::Refused);
        wait_for_event(&watch, |change| {
            matches!(change, WatchEvent::Polling(Some(_)))
        });
        wait_for_event(&watch, |change| {
            *change == WatchEvent::Awaited(Awaited::Match)
        });
        wait_for_event(&watch, |change| *change == WatchEvent::Listed(Vec::new()));
        fs::create_dir(&game).expect("a directory can be made");
        fs::write(&tree, "x").expect("a file can be written");
        wait_for_event(&watch, |change| *change == files(&[&tree], &[]));
        fs::write(directory.join("match.json"), "{\"number\": 3}").expect("a file can be written");
        let change = wait_for_event(&watch, |change| matches!(change, WatchEvent::Match(_)));
        assert!(matches!(change, WatchEvent::Match(standing) if standing.meta.number == 3));
        fs::remove_dir_all(&game).expect("it can be removed");
        wait_for_event(&watch, |change| *change == files(&[], &[&tree]));
        fs::remove_dir_all(&directory).expect("it can be removed");
    }

    #[test]
    fn files_that_are_renamed_into_place_are_told_soon() {
        let directory = std::env::temp_dir().join(format!("canopy-watch-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let watch = start(&directory, WatchScope::Trees, EventSource::System);
        wait_for_event(&watch, |change| *change == WatchEvent::Listed(Vec::new()));
        let (hidden, shown) = (directory.join(".1-x.tmp"), directory.join("a.tree"));
        for _ in 0..2 {
            fs::write(&hidden, "x").expect("a file can be written");
            fs::rename(&hidden, &shown).expect("a file can be renamed");
            wait_for_event(&watch, |change| *change == files(&[&shown], &[]));
        }
        fs::remove_file(&shown).expect("a file can be removed");
        wait_for_event(&watch, |change| *change == files(&[], &[&shown]));
        fs::remove_dir_all(&directory).expect("it can be removed");
    }

    #[test]
    fn where_the_system_stays_silent_that_is_found_out() {
        let directory = std::env::temp_dir().join(format!("canopy-silent-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let watch = start(&directory, WatchScope::Trees, EventSource::Silent);
        wait_for_event(&watch, |change| *change == WatchEvent::Listed(Vec::new()));
        for name in ["a.tree", "b.tree"] {
            let tree = directory.join(name);
            fs::write(&tree, "x").expect("a file can be written");
            let change = wait_for_event(&watch, |change| !matches!(change, WatchEvent::Notice(_)));
            let is_polling = |change: &WatchEvent| matches!(change, WatchEvent::Polling(Some(_)));
            if name == "b.tree" {
                assert!(is_polling(&change), "{change:?}");
                wait_for_event(&watch, |change| *change == files(&[&tree], &[]));
            } else {
                assert_eq!(change, files(&[&tree], &[]));
            }
        }
        // From now on new contents are seen, too.
        let tree = directory.join("a.tree");
        fs::write(&tree, "xy").expect("a file can be written");
        wait_for_event(&watch, |change| *change == files(&[&tree], &[]));
        fs::remove_dir_all(&directory).expect("it can be removed");
    }
}
