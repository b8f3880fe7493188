//! The folder whose new trees appear in the window.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    system::wake::Wake,
    workers::watch::{DirectoryWatcher, EventSource, WatchEvent, WatchScope},
};

/// The watched folder, if there is one, and how it is watched.
pub struct WatchedFolder {
    /// The folder.
    pub directory: Option<PathBuf>,
    /// Whether new trees are shown as they appear.
    pub is_following_newest: bool,
    /// Where change events come from; other than the system in tests.
    pub event_source: EventSource,
    watcher: Option<DirectoryWatcher>,
    /// Set once the first listing has arrived.
    pub(super) has_listing: bool,
    /// Why the folder is polled; `None` while the system reports changes.
    pub(super) polling_reason: Option<String>,
}

impl Default for WatchedFolder {
    fn default() -> Self {
        Self {
            directory: None,
            is_following_newest: true,
            event_source: EventSource::System,
            watcher: None,
            has_listing: false,
            polling_reason: None,
        }
    }
}

impl WatchedFolder {
    /// Watches a folder from now on; an error is a sentence.
    pub(super) fn watch(
        &mut self,
        directory: &Path,
        scope: WatchScope,
        wake: &Wake,
    ) -> Result<(), String> {
        (self.has_listing, self.polling_reason) = (false, None);
        self.directory = Some(directory.to_owned());
        let started =
            DirectoryWatcher::start(directory, scope, self.event_source, Arc::clone(wake));
        let failed = |error| format!("{} is not watched: {error}", directory.display());
        self.watcher = Some(started.map_err(failed)?);
        Ok(())
    }

    /// Watches nothing.
    pub(super) fn close(&mut self) {
        self.watcher = None;
        self.directory = None;
    }

    pub(super) fn take_events(&self) -> Vec<WatchEvent> {
        let watcher = self.watcher.as_ref();
        watcher
            .map(DirectoryWatcher::take_events)
            .unwrap_or_default()
    }

    /// Whether the folder is polled because the system does not report changes.
    pub fn is_polling(&self) -> bool {
        self.polling_reason.is_some()
    }

    /// A sentence about the folder and how it is watched; `None` if there is none.
    pub fn status(&self) -> Option<String> {
        let directory = self.directory.as_deref()?.display();
        Some(match &self.polling_reason {
            None => format!("watching {directory}"),
            Some(reason) => format!(
                "looking into {directory} every half second, because the system does not tell of changes there ({reason})"
            ),
        })
    }
}
