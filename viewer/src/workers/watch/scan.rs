//! Listing what changed in a watched directory, and reporting the differences.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use super::{
    MAX_MISSED_CHECKS, MAX_PAUSE, MAX_WATCHED_GAMES, PAUSE_FACTOR, PendingScan, WatchEnd,
    WatchEvent, WatchScope, WatchTask,
    events::Listener,
    folder::{FileStamp, Folder, FolderDiff, ScanHints},
};
use crate::tree::sequence::{compare_by_length, compare_paths};

impl WatchTask {
    /// Does the pending work and reports the differences; `Some` if watching ends.
    pub(super) fn scan(
        &mut self,
        listener: &mut Option<Listener>,
        identity: &FileStamp,
    ) -> Option<WatchEnd> {
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

    /// Lists the pending folders. An error concerns the directory itself.
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

    /// Updates the set of games and watches the last of them; returns the folders to list.
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
                // Finds what changed before the watch began.
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

    /// Sends the state of the match if it changed; false if the watcher was dropped.
    fn send_match_state(&mut self) -> bool {
        let event = match self.scope {
            WatchScope::Trees => None,
            WatchScope::Match => self.match_file.poll(&self.root.path),
        };
        event.is_none_or(|event| self.send(event))
    }

    /// Sends the differences, the first time all files; false if the watcher was dropped.
    pub(super) fn send_file_changes(&mut self, difference: FolderDiff) -> bool {
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

/// Whether an error says that the folder is gone.
fn is_not_found(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
