//! A directory that somebody else writes to: what appears in it, soon and not too often.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use notify::{
    EventKind, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, ModifyKind, RenameMode},
};

use crate::{
    loader::Wake,
    sequence::{is_tree, list},
};

/// Changes are told when nothing has happened for so long, or so long after the first of them.
const QUIET: Duration = Duration::from_millis(60);
const LONGEST: Duration = Duration::from_millis(150);
/// Where the system does not tell of changes, the directory is listed so often.
const POLL: Duration = Duration::from_millis(500);

/// What happened in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// These files are new or have changed.
    Files(Vec<PathBuf>),
    /// Something about watching itself, in a sentence.
    Said(String),
}

/// Watches one directory until it is dropped.
pub struct Watch {
    changes: Receiver<Change>,
    /// Dropped with the watch, which ends the thread.
    _end: Sender<()>,
}

impl Watch {
    /// Begins to watch; `wake` is called when there is news.
    pub fn start(directory: &Path, wake: Wake) -> std::io::Result<Self> {
        let (tell, changes) = channel();
        let (end, ended) = channel();
        let directory = directory.to_owned();
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                let tell = |change: Change| {
                    let sent = tell.send(change).is_ok();
                    wake();
                    sent
                };
                watch(&directory, &tell, &ended);
            })?;
        Ok(Self { changes, _end: end })
    }

    /// What has happened since.
    pub fn take(&self) -> Vec<Change> {
        self.changes.try_iter().collect()
    }
}

fn is_over(ended: &Receiver<()>) -> bool {
    matches!(
        ended.try_recv(),
        Err(std::sync::mpsc::TryRecvError::Disconnected)
    )
}

fn watch(directory: &Path, tell: &impl Fn(Change) -> bool, ended: &Receiver<()>) {
    let (sender, events) = channel();
    let watcher = notify::recommended_watcher(move |event| {
        let _ = sender.send(event);
    })
    .and_then(|mut watcher| {
        watcher.watch(directory, RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    let _watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => {
            tell(Change::Said(format!(
                "the system does not tell of changes ({error}); looking every half second"
            )));
            return poll(directory, tell, ended);
        }
    };
    let mut changed = BTreeSet::new();
    let mut first: Option<Instant> = None;
    while !is_over(ended) {
        let wait = if first.is_some() { QUIET } else { POLL };
        match events.recv_timeout(wait) {
            Ok(Ok(event)) => {
                let is_complete = matches!(
                    event.kind,
                    EventKind::Modify(ModifyKind::Name(
                        RenameMode::To | RenameMode::Both | RenameMode::Any
                    )) | EventKind::Access(AccessKind::Close(AccessMode::Write))
                );
                if event.need_rescan() {
                    changed.extend(list(directory).unwrap_or_default());
                } else if is_complete {
                    changed.extend(event.paths.into_iter().filter(|path| is_tree(path)));
                }
                if !changed.is_empty() {
                    first.get_or_insert_with(Instant::now);
                }
                if first.is_none_or(|first| first.elapsed() < LONGEST) {
                    continue;
                }
            }
            Ok(Err(_)) => changed.extend(list(directory).unwrap_or_default()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        first = None;
        if !changed.is_empty() {
            let files = std::mem::take(&mut changed).into_iter().collect();
            if !tell(Change::Files(files)) {
                return;
            }
        }
    }
}

/// Lists the directory again and again.
fn poll(directory: &Path, tell: &impl Fn(Change) -> bool, ended: &Receiver<()>) {
    let stamp = |path: &PathBuf| {
        let data = std::fs::metadata(path).ok();
        data.and_then(|data| Some((data.modified().ok()?, data.len())))
    };
    let seen = || -> std::collections::BTreeMap<PathBuf, _> {
        let paths = list(directory).unwrap_or_default();
        paths
            .into_iter()
            .map(|path| (path.clone(), stamp(&path)))
            .collect()
    };
    let mut before = seen();
    while !is_over(ended) {
        thread::sleep(POLL);
        let now = seen();
        let changed: Vec<PathBuf> = (now.iter())
            .filter(|(path, stamp)| before.get(*path) != Some(stamp))
            .map(|(path, _)| path.clone())
            .collect();
        if !changed.is_empty() && !tell(Change::Files(changed)) {
            return;
        }
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use super::*;

    #[test]
    fn files_that_are_renamed_into_place_are_told_soon() {
        let directory = std::env::temp_dir().join(format!("canopy-watch-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory can be made");
        let watch = Watch::start(&directory, Arc::new(|| {})).expect("a thread starts");
        thread::sleep(Duration::from_millis(200));
        let (hidden, shown) = (directory.join(".1-x.tmp"), directory.join("a.tree"));
        fs::write(&hidden, "x").expect("a file can be written");
        fs::rename(&hidden, &shown).expect("a file can be renamed");
        let begun = Instant::now();
        let mut found = Vec::new();
        while found.is_empty() && begun.elapsed() < Duration::from_secs(20) {
            found = watch.take();
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(found, [Change::Files(vec![shown])]);
        fs::remove_dir_all(&directory).expect("it can be removed");
    }
}
