//! What the system tells of changes in folders.

use std::path::Path;

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, ModifyKind},
};

use crate::system::worker::CommandSender;

/// Where events come from. Everything but the system is for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventSource {
    /// The system.
    #[default]
    System,
    /// Nowhere, and watching fails: as where a limit of the system is reached.
    Refused,
    /// Nowhere, and watching seems to work: as in folders of another machine.
    Silent,
}

/// Listens to the system.
pub(super) enum Listener {
    System(RecommendedWatcher),
    Silent,
}

impl Listener {
    /// Begins to listen; an error says why the system does not tell of changes.
    pub(super) fn start(
        source: EventSource,
        sender: CommandSender<notify::Result<Event>>,
    ) -> Result<Self, String> {
        match source {
            EventSource::System => notify::recommended_watcher(move |event| {
                sender.send(event);
            })
            .map(Self::System)
            .map_err(|error| error_reason(&error)),
            EventSource::Refused => Err("it was told not to".to_owned()),
            EventSource::Silent => Ok(Self::Silent),
        }
    }

    /// Listens to what happens in a folder.
    pub(super) fn watch(&mut self, folder: &Path) -> Result<(), String> {
        match self {
            Self::System(watcher) => watcher
                .watch(folder, RecursiveMode::NonRecursive)
                .map_err(|error| error_reason(&error)),
            Self::Silent => Ok(()),
        }
    }

    /// Listens no more.
    pub(super) fn unwatch(&mut self, folder: &Path) {
        if let Self::System(watcher) = self {
            // It may have gone already.
            let _ = watcher.unwatch(folder);
        }
    }
}

/// Why the system does not tell, without the path.
fn error_reason(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::Io(error) => error.to_string(),
        notify::ErrorKind::MaxFilesWatch => "too many folders are watched".to_owned(),
        _ => error.to_string(),
    }
}

/// What an event means for the names in its paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventEffect {
    /// Names have come or gone.
    Names,
    /// These files have new contents, or new names.
    Contents,
}

/// What an event means; none if nothing that can be listed has changed. Reading, our own too, is told of as well, and so is every
/// write to a file that is still open: where the system tells when it is closed, that is soon enough.
pub(super) fn event_effect(kind: EventKind) -> Option<EventEffect> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Modify(ModifyKind::Name(_)) => Some(EventEffect::Contents),
        EventKind::Access(_) => None,
        EventKind::Modify(_) if cfg!(target_os = "linux") => None,
        EventKind::Modify(_) => Some(EventEffect::Contents),
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => {
            Some(EventEffect::Names)
        }
    }
}
