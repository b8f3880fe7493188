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
const QUIET: Duration = Duration::from_millis(25);
const LONGEST: Duration = Duration::from_millis(100);
/// Where the system does not tell of changes, the directory is listed so often.
const POLL: Duration = Duration::from_millis(500);

/// What happened in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// These files are new or have changed.
    Files(Vec<PathBuf>),
    /// These files have gone.
    Gone(Vec<PathBuf>),
    /// These files were there when watching began.
    Present(Vec<PathBuf>),
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
    Event(notify::Result<notify::Event>),
    /// Nobody wants to know any more.
    End,
}

impl Watch {
    /// Begins to watch; `wake` is called when there is news.
    pub fn start(directory: &Path, wake: Wake) -> std::io::Result<Self> {
        let (tell, changes) = channel();
        let (signals, heard) = channel();
        let directory = directory.to_owned();
        let sender = signals.clone();
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                let tell = |change: Change| {
                    let sent = tell.send(change).is_ok();
                    wake();
                    sent
                };
                watch(&directory, &tell, sender, &heard);
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

fn watch(
    directory: &Path,
    tell: &impl Fn(Change) -> bool,
    sender: Sender<Signal>,
    signals: &Receiver<Signal>,
) {
    let watcher = notify::recommended_watcher(move |event| {
        let _ = sender.send(Signal::Event(event));
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
            return poll(directory, tell, signals);
        }
    };
    // What came after the directory was opened and before it was watched.
    if !tell(Change::Present(list(directory).unwrap_or_default())) {
        return;
    }
    let mut changed = BTreeSet::new();
    let mut first: Option<Instant> = None;
    loop {
        let signal = if first.is_some() {
            signals.recv_timeout(QUIET)
        } else {
            signals.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match signal {
            Ok(Signal::Event(Ok(event))) => {
                let is_complete = matches!(
                    event.kind,
                    EventKind::Modify(ModifyKind::Name(
                        RenameMode::To | RenameMode::Both | RenameMode::Any
                    )) | EventKind::Access(AccessKind::Close(AccessMode::Write))
                );
                if event.need_rescan() {
                    changed.extend(list(directory).unwrap_or_default());
                } else if is_complete {
                    // Of an old and a new name the new one counts.
                    changed.extend(event.paths.into_iter().last().filter(|path| is_tree(path)));
                } else if matches!(
                    event.kind,
                    EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
                ) {
                    let gone: Vec<PathBuf> = event
                        .paths
                        .into_iter()
                        .filter(|path| is_tree(path))
                        .collect();
                    if !gone.is_empty() && !tell(Change::Gone(gone)) {
                        return;
                    }
                }
                if !changed.is_empty() {
                    first.get_or_insert_with(Instant::now);
                }
                if first.is_none_or(|first| first.elapsed() < LONGEST) {
                    continue;
                }
            }
            Ok(Signal::Event(Err(_))) => changed.extend(list(directory).unwrap_or_default()),
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Signal::End) | Err(RecvTimeoutError::Disconnected) => return,
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
fn poll(directory: &Path, tell: &impl Fn(Change) -> bool, signals: &Receiver<Signal>) {
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
    if !tell(Change::Present(before.keys().cloned().collect())) {
        return;
    }
    while let Err(RecvTimeoutError::Timeout) = signals.recv_timeout(POLL) {
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
