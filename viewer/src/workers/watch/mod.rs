//! Watches a directory that other programs write to.
//!
//! File events are only hints. After every burst the folders concerned are listed again and compared with the last listing, so that
//! reports agree with a listing whatever was missed or reordered. The folders' modification times are checked at intervals, which finds
//! changes without events. Where the system sends no events at all, everything is polled.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, mpsc::RecvTimeoutError},
    time::{Duration, Instant},
};

use notify::{Event, EventKind, event::ModifyKind};

pub use self::events::EventSource;
use self::{
    events::{EventEffect, Listener, event_effect},
    folder::{FileStamp, Folder, FolderDiff, ScanHints},
    match_file::MatchFileState,
};
use crate::{
    play::match_state::{self, MatchState},
    system::{
        wake::Wake,
        worker::{Mailbox, Task, Worker},
    },
    tree::sequence::{is_hidden, is_tree_file},
};

mod events;
mod folder;
mod match_file;
mod scan;
#[cfg(test)]
mod tests;

/// Silence that ends a burst of events.
const DEBOUNCE: Duration = Duration::from_millis(25);
/// Longest delay between the first event of a burst and the listing.
const MAX_DEBOUNCE: Duration = Duration::from_millis(100);
/// Interval between checks of modification times while the system sends events.
const STAMP_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between listings where the system sends none.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Interval between looks for a directory that does not exist yet.
const ARRIVAL_INTERVAL: Duration = Duration::from_millis(150);
/// Pause after a listing as a multiple of its duration, up to [`MAX_PAUSE`]: bounds the load of large directories to a tenth.
const PAUSE_FACTOR: u32 = 9;
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Consecutive checks that found unreported changes before polling takes over.
const MAX_MISSED_CHECKS: u32 = 2;
/// Game folders of a match with event watches, the last ones; older games are over and only checked at intervals.
const MAX_WATCHED_GAMES: usize = 256;

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchScope {
    /// The trees of one directory.
    Trees,
    /// A match: match.json, and the trees of all games. Neither they nor the directory need to be there yet.
    Match,
}

/// What a followed match still lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The directory.
    Directory,
    /// match.json in it.
    Match,
}

/// A change in the directory. Files are sorted.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent {
    /// The first listing.
    Listed(Vec<PathBuf>),
    /// Differences since the last report.
    Files {
        /// New and changed files.
        changed: Vec<PathBuf>,
        /// Removed files.
        gone: Vec<PathBuf>,
    },
    /// The current state of the match.
    Match(Arc<MatchState>),
    /// The match has not begun to exist.
    Awaited(Awaited),
    /// Polling has begun, with the reason why the system sends no events; `None`: it sends them again.
    Polling(Option<String>),
    /// A sentence for the user.
    Notice(String),
}

/// Watches one directory until it is dropped.
pub struct DirectoryWatcher {
    worker: Worker<notify::Result<Event>, WatchEvent>,
}

impl DirectoryWatcher {
    /// Starts the thread; `wake` is called after every event. `directory` is absolute.
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

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<WatchEvent> {
        self.worker.take_events()
    }
}

/// Why watching a directory ended.
enum WatchEnd {
    /// The watcher was dropped.
    Cancelled,
    /// The directory is gone or was replaced.
    Lost,
}

/// Work collected during a burst of events.
#[derive(Default)]
struct PendingScan {
    /// Folders to list.
    folders: BTreeMap<PathBuf, ScanHints>,
    /// Whether every file of every folder may have changed.
    is_full: bool,
    /// Whether match.json may have changed.
    has_match_file: bool,
    /// Whether the directory itself was removed or renamed.
    is_root_lost: bool,
    /// Times of the first and the last event.
    event_times: Option<(Instant, Instant)>,
}

impl PendingScan {
    fn hints(&mut self, folder: &Path) -> &mut ScanHints {
        self.folders.entry(folder.to_owned()).or_default()
    }
}

/// The state of the watching thread.
struct WatchTask {
    mailbox: Mailbox<notify::Result<Event>, WatchEvent>,
    root: Folder,
    /// The folders of a match's games.
    game_folders: BTreeMap<PathBuf, Folder>,
    /// Game folders with event watches.
    watched_games: BTreeSet<PathBuf>,
    scope: WatchScope,
    source: EventSource,
    match_file: MatchFileState,
    pending: PendingScan,
    /// Whether the first listing was reported.
    has_listed: bool,
    is_polling: bool,
    /// Consecutive checks that found unreported changes.
    missed_checks: u32,
    /// When folders were last listed or checked, and the pause due after it.
    scanned_at: Instant,
    scan_pause: Duration,
    /// Whether an unreadable directory was reported.
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
    /// Sends an event; false if the watcher was dropped.
    fn send(&self, event: WatchEvent) -> bool {
        self.mailbox.send(event).is_continue()
    }

    /// Waits until the directory exists; false if the watcher was dropped.
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
                // Late events of a directory that is gone.
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    /// Watches the directory until it is removed or replaced.
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
        // Finds what changed before the watch began.
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

    /// Asks the system for events of the directory; an error is the reason why there are none.
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

    /// When the next listing or check is due.
    fn next_scan_at(&self) -> Instant {
        let rested = self.scanned_at + self.scan_pause;
        match self.pending.event_times {
            Some((first, last)) => (last + DEBOUNCE).min(first + MAX_DEBOUNCE).max(rested),
            None if self.is_polling => (self.scanned_at + POLL_INTERVAL).max(rested),
            None => (self.scanned_at + STAMP_CHECK_INTERVAL).max(rested),
        }
    }

    /// Extends the current burst of events.
    fn record_event_time(&mut self) {
        let now = Instant::now();
        let (first, _) = self.pending.event_times.unwrap_or((now, now));
        self.pending.event_times = Some((first, now));
        self.missed_checks = 0;
    }

    /// Has everything listed: events were lost.
    fn request_full_scan(&mut self) {
        self.pending.is_full = true;
        self.record_event_time();
    }

    /// Takes in an event of the system.
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
            // Perhaps a game; a folder made again needs a new watch.
            self.watched_games.remove(path);
            self.pending.hints(parent);
        }
        self.record_event_time();
    }
}
