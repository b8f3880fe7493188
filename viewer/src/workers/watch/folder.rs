//! One folder as it was listed last, and what is different when it is listed again.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs, io, mem,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use crate::tree::sequence::{is_hidden, is_tree_file};

/// A folder that has had the same stamp for so long does not change any more within the granularity of its stamp: what was listed
/// then is complete.
const STABLE_STAMP_AGE: Duration = Duration::from_secs(2);

/// What tells one version of a file or folder from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    modified: Option<SystemTime>,
    created: Option<SystemTime>,
    bytes: u64,
    /// Device and inode; zeros where there is no such thing.
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

    /// Whether both are of one folder: not of one that was removed and another that was made in its place.
    pub(super) fn is_same_folder(&self, other: &Self) -> bool {
        (self.identity, self.created) == (other.identity, other.created)
    }
}

/// What to look at when a folder is listed again.
#[derive(Clone, Debug, Default)]
pub(super) struct ScanHints {
    /// Files that have changed for certain, whatever their stamps say.
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

/// How the trees of folders differ from what they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FolderDiff {
    /// Files that are new or have changed.
    pub(super) changed: Vec<PathBuf>,
    /// Files that have gone.
    pub(super) gone: Vec<PathBuf>,
}

impl FolderDiff {
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty()
    }
}

/// A folder as it was listed last.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Names and versions of the trees, by name.
    trees: Vec<(OsString, Option<FileStamp>)>,
    /// The names of the folders in it that are not hidden, by name.
    pub(super) subfolders: Vec<OsString>,
    /// The folder itself when it was listed, and since when that has been so.
    stamp: Option<(FileStamp, Instant)>,
    is_stable: bool,
}

impl Folder {
    /// A folder that was not listed yet.
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            trees: Vec::new(),
            subfolders: Vec::new(),
            stamp: None,
            is_stable: false,
        }
    }

    /// The trees that were listed.
    pub(super) fn trees(&self) -> impl Iterator<Item = PathBuf> {
        self.trees.iter().map(|(name, _)| self.path.join(name))
    }

    /// Forgets the trees: they are gone.
    pub(super) fn clear(&mut self, difference: &mut FolderDiff) {
        difference.gone.extend(self.trees());
        *self = Self::new(mem::take(&mut self.path));
    }

    /// Whether the folder may hold other names than were listed.
    pub(super) fn is_stale(&self) -> bool {
        let Some((stamp, since)) = self.stamp else {
            return true;
        };
        let is_due = !self.is_stable && since.elapsed() >= STABLE_STAMP_AGE;
        is_due || FileStamp::of(&self.path).ok() != Some(stamp)
    }

    /// Lists the folder again and adds what is different. Only files that are new or hinted at are looked at, unless the hints say
    /// otherwise: a listing of 100,000 names takes a twentieth of a second, a look at each file several times that. On an error
    /// nothing has changed.
    pub(super) fn list(
        &mut self,
        hints: &ScanHints,
        difference: &mut FolderDiff,
    ) -> io::Result<()> {
        let begun = Instant::now();
        // The stamp is older than the listing: what comes in between makes the folder stale.
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
