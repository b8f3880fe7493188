//! Temporary directories, and removal of those that killed viewers left behind.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use crate::system::paths::absolute;

/// Lock file in the directory. The system releases the lock however the process ends.
const LOCK_FILE: &str = ".canopy-lock";
/// Least age of a directory that is swept: engines may outlive their viewer for a while.
const MIN_AGE: Duration = Duration::from_secs(60);
/// Least age without a lock: the process id in the name may have been reused.
const MIN_AGE_UNLOCKED: Duration = Duration::from_secs(24 * 60 * 60);

/// A directory that is removed on drop.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
    /// `None` where locks are not supported.
    lock: Option<File>,
}

impl TemporaryDirectory {
    /// Creates a directory in the system's temporary folder.
    pub fn new() -> io::Result<Self> {
        Self::new_in(&absolute(&std::env::temp_dir()))
    }

    fn new_in(parent: &Path) -> io::Result<Self> {
        let mut number = 0;
        let path = loop {
            let path = parent.join(format!("canopy-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => break path,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {
                    number += 1;
                }
                Err(error) => return Err(error),
            }
        };
        let lock = File::create(path.join(LOCK_FILE)).ok();
        let lock = lock.filter(|lock| lock.try_lock().is_ok());
        Ok(Self { path, lock })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // Some systems cannot remove an open file.
        drop(self.lock.take());
        // An engine may still write a last file into it.
        for _ in 0..20 {
            if fs::remove_dir_all(&self.path).is_ok() || !self.path.exists() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Removes directories of killed viewers from the system's temporary folder, on a thread.
pub fn remove_abandoned() {
    let sweeper = thread::Builder::new().name("sweep".to_owned());
    let _ = sweeper.spawn(|| remove_abandoned_in(&std::env::temp_dir(), SystemTime::now()));
}

/// Removes directories of killed viewers from `parent`, given the current time.
fn remove_abandoned_in(parent: &Path, now: SystemTime) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(creator_process) else {
            continue;
        };
        // Links are not followed.
        let Ok(data) = fs::symlink_metadata(entry.path()) else {
            continue;
        };
        let age = (data.modified().ok()).and_then(|modified| now.duration_since(modified).ok());
        if data.is_dir() && is_ours(&data) && is_abandoned(&entry.path(), process, age) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The process id in a directory's name; `None` for other programs' names.
fn creator_process(name: &str) -> Option<u32> {
    let (process, number) = name.strip_prefix("canopy-")?.split_once('-')?;
    let is_figures = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_named = is_figures(process) && is_figures(number) && !number.is_empty();
    process.parse().ok().filter(|_| is_named)
}

/// Whether a directory of this age is unused.
fn is_abandoned(path: &Path, process: u32, age: Option<Duration>) -> bool {
    let Some(age) = age.filter(|age| *age >= MIN_AGE) else {
        return false;
    };
    match File::open(path.join(LOCK_FILE)) {
        Ok(lock) => match lock.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        },
        // Made where locks are not supported.
        Err(_) => age >= MIN_AGE_UNLOCKED && !is_running(process),
    }
}

/// Whether this user owns a directory.
#[cfg(unix)]
fn is_ours(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    data.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_ours(_: &fs::Metadata) -> bool {
    true
}

/// Whether a process exists; assumed where the system does not say.
#[cfg(unix)]
fn is_running(process: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_none_or(|process| test_kill_process(process) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_running(_: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_ours_old_and_unused_is_swept() {
        let scratch = std::env::temp_dir().join(format!("canopy-sweep-{}", std::process::id()));
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir_all(&scratch).expect("it can be made");
        let make = |name: &str, has_lock: bool| {
            let path = scratch.join(name);
            fs::create_dir_all(path.join("game-0001")).expect("it can be made");
            fs::write(path.join("game-0001/a.tree"), "x").expect("it can be written");
            if has_lock {
                File::create(path.join(LOCK_FILE)).expect("it can be made");
            }
        };
        let used = TemporaryDirectory::new_in(&scratch).expect("it can be made");
        let used_name = used.path().file_name().expect("a name").to_owned();
        // There is no process of that number.
        let dead = format!("canopy-{}-0", i32::MAX);
        let mine = format!("canopy-{}-7", std::process::id());
        let killed = "canopy-1-0";
        for (name, has_lock) in [
            (dead.as_str(), false),
            (&mine, false),
            (killed, true),
            ("canopy-1-x", true),
            ("canopy-12", true),
            ("canopy-1-2-3", true),
            ("canopy-+1-2", true),
            ("other-1-0", true),
        ] {
            make(name, has_lock);
        }
        fs::write(scratch.join("canopy-2-0"), "a file").expect("it can be written");
        #[cfg(unix)]
        std::os::unix::fs::symlink(scratch.join("other-1-0"), scratch.join("canopy-3-0"))
            .expect("a link can be made");
        let names = || {
            let entries = fs::read_dir(&scratch).expect("it is there").flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
            names.sort();
            names
        };
        let before = names();
        let after = |seconds: u64| SystemTime::now() + Duration::from_secs(seconds);
        let swept = |seconds: u64, gone: &[&str]| {
            remove_abandoned_in(&scratch, after(seconds));
            let mut expected = before.clone();
            expected.retain(|name| !gone.iter().any(|gone| *name == **gone));
            assert_eq!(names(), expected, "after {seconds} s");
        };
        swept(1, &[]);
        swept(120, &[killed]);
        swept(90_000, &[killed, &dead]);
        assert!(used.path().join(LOCK_FILE).exists());
        drop(used);
        assert!(!names().contains(&used_name), "it goes when it is not used");
        fs::remove_dir_all(&scratch).expect("it can be removed");
    }
}
