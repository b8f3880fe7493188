//! File events of the operating system.

use std::path::Path;

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, ModifyKind},
};

use crate::system::worker::CommandSender;

/// Where events come from; all but `System` are for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventSource {
    /// The system.
    #[default]
    System,
    /// No events, and watching fails, as when a limit of the system is reached.
    Refused,
    /// No events, though watching succeeds, as on network file systems.
    Silent,
}

/// A source of events.
pub(super) enum Listener {
    System(RecommendedWatcher),
    Silent,
}

impl Listener {
    /// Starts listening; an error is the reason why there are no events.
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

    /// Adds a folder.
    pub(super) fn watch(&mut self, folder: &Path) -> Result<(), String> {
        match self {
            Self::System(watcher) => watcher
                .watch(folder, RecursiveMode::NonRecursive)
                .map_err(|error| error_reason(&error)),
            Self::Silent => Ok(()),
        }
    }

    /// Removes a folder.
    pub(super) fn unwatch(&mut self, folder: &Path) {
        if let Self::System(watcher) = self {
            // It may have gone already.
            let _ = watcher.unwatch(folder);
        }
    }
}

/// The reason of an error, without the path.
fn error_reason(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::Io(error) => error.to_string(),
        notify::ErrorKind::MaxFilesWatch => "too many folders are watched".to_owned(),
        _ => error.to_string(),
    }
}

/// What an event says of its paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventEffect {
    /// Names appeared or disappeared.
    Names,
    /// Files have new contents or names.
    Contents,
}

/// The effect of an event; `None` if no listing changes by it. Reads, our own included, have none; nor have writes to an open file where
/// the system reports its closing.
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
