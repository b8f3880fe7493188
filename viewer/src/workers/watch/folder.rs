//! The last listing of one folder, and differences to the next.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs, io, mem,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use crate::tree::sequence::{is_hidden, is_tree_file};

/// Age of a stamp after which a listing is complete: later changes get another stamp, whatever its granularity.
const STABLE_STAMP_AGE: Duration = Duration::from_secs(2);

/// Identifies a version of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    modified: Option<SystemTime>,
    created: Option<SystemTime>,
    bytes: u64,
    /// Device and inode; zeros where the system has none.
    identity: (u64, u64),
}

impl FileStamp {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let data = fs::metadata(path)?;
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt as _;
            (data.dev(), data.ino())
        };
        #[cfg(not(unix))]
        let identity = (0, 0);
        Ok(Self {
            modified: data.modified().ok(),
            created: data.created().ok(),
            bytes: data.len(),
            identity,
        })
    }

    /// Whether both are of the same folder, and not of one that replaced it.
    pub(super) fn is_same_folder(&self, other: &Self) -> bool {
        (self.identity, self.created) == (other.identity, other.created)
    }
}

/// What may have changed beside the names in a folder.
#[derive(Clone, Debug, Default)]
pub(super) struct ScanHints {
    /// Files known to have changed, whatever their stamps say.
    pub(super) names: BTreeSet<OsString>,
    /// Whether every file may have changed.
    pub(super) is_full: bool,
}

impl ScanHints {
    /// Every file may have changed.
    pub(super) fn full() -> Self {
        Self {
            is_full: true,
            ..Self::default()
        }
    }
}

/// Differences between two listings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FolderDiff {
    /// New and changed files.
    pub(super) changed: Vec<PathBuf>,
    /// Removed files.
    pub(super) gone: Vec<PathBuf>,
}

impl FolderDiff {
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty()
    }
}

/// The last listing of a folder.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Trees by name, with their versions.
    trees: Vec<(OsString, Option<FileStamp>)>,
    /// Names of the subfolders that are not hidden, sorted.
    pub(super) subfolders: Vec<OsString>,
    /// The folder's own stamp at the listing, and when it was first seen.
    stamp: Option<(FileStamp, Instant)>,
    is_stable: bool,
}

impl Folder {
    /// A folder before its first listing.
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            trees: Vec::new(),
            subfolders: Vec::new(),
            stamp: None,
            is_stable: false,
        }
    }

    /// Paths of the listed trees.
    pub(super) fn trees(&self) -> impl Iterator<Item = PathBuf> {
        self.trees.iter().map(|(name, _)| self.path.join(name))
    }

    /// Reports all trees as removed.
    pub(super) fn clear(&mut self, difference: &mut FolderDiff) {
        difference.gone.extend(self.trees());
        *self = Self::new(mem::take(&mut self.path));
    }

    /// Whether names may have changed since the listing.
    pub(super) fn is_stale(&self) -> bool {
        let Some((stamp, since)) = self.stamp else {
            return true;
        };
        let is_due = !self.is_stable && since.elapsed() >= STABLE_STAMP_AGE;
        is_due || FileStamp::of(&self.path).ok() != Some(stamp)
    }

    /// Lists the folder and adds the differences. Only new and hinted files are inspected, unless the hints say otherwise: listing
    /// 100,000 names takes 50 ms, inspecting each file several times that. On an error the listing is unchanged.
    pub(super) fn list(
        &mut self,
        hints: &ScanHints,
        difference: &mut FolderDiff,
    ) -> io::Result<()> {
        let begun = Instant::now();
        // The stamp is taken before the listing: a change in between makes the folder stale.
        let stamp = FileStamp::of(&self.path)?;
        let mut names = Vec::new();
        let mut subfolders = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name();
            if !is_hidden(Path::new(&name)) && is_folder(&entry) {
                subfolders.push(name.clone());
            }
            if is_tree_file(Path::new(&name)) {
                names.push(name);
            }
        }
        names.sort_unstable();
        subfolders.sort_unstable();
        self.subfolders = subfolders;
        let since = match self.stamp {
            Some((before, since)) if before == stamp => since,
            _ => begun,
        };
        self.stamp = Some((stamp, since));
        self.is_stable = begun.duration_since(since) >= STABLE_STAMP_AGE;
        self.replace_trees(names, hints, difference);
        Ok(())
    }

    fn replace_trees(
        &mut self,
        names: Vec<OsString>,
        hints: &ScanHints,
        difference: &mut FolderDiff,
    ) {
        let folder = &self.path;
        let mut trees = Vec::with_capacity(names.len());
        let mut before = mem::take(&mut self.trees).into_iter().peekable();
        let join = |name: &OsStr| folder.join(name);
        for name in names {
            while let Some((gone, _)) = before.next_if(|(known, _)| *known < name) {
                difference.gone.push(join(&gone));
            }
            let known = before.next_if(|(known, _)| *known == name);
            let is_hinted = hints.names.contains(&name);
            let stamp = match known {
                Some((_, stamp)) if !hints.is_full && !is_hinted => stamp,
                _ => FileStamp::of(&join(&name)).ok(),
            };
            if is_hinted || known.is_none_or(|(_, before)| before != stamp) {
                difference.changed.push(join(&name));
            }
            trees.push((name, stamp));
        }
        difference.gone.extend(before.map(|(gone, _)| join(&gone)));
        self.trees = trees;
    }
}

/// Whether an entry is a folder, or a link to one.
fn is_folder(entry: &fs::DirEntry) -> bool {
    entry
        .file_type()
        .is_ok_and(|kind| kind.is_dir() || kind.is_symlink() && entry.path().is_dir())
}
