//! The sequence of tree files to step through, with a cache of loaded ones.

use std::{
    cmp::Ordering,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use canopy_engine::tree::import::ImportFormat;

use crate::tree::model::TreeModel;

/// Files in order, one of which is shown.
#[derive(Debug, Default)]
pub struct Sequence {
    paths: Vec<PathBuf>,
    index: usize,
    loaded: HashMap<PathBuf, Arc<TreeModel>>,
    /// The last used last.
    recently_used: Vec<PathBuf>,
    /// Files being read, each with the number of its request.
    pending: HashMap<PathBuf, u64>,
    request_count: u64,
}

impl Sequence {
    /// Files in the order given.
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            ..Self::default()
        }
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// All of them.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Which is shown, counted from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The file that is shown.
    pub fn path(&self) -> Option<&Path> {
        self.paths.get(self.index).map(PathBuf::as_path)
    }

    /// Goes to a file; false if there is none.
    pub fn go_to(&mut self, index: usize) -> bool {
        let exists = index < self.paths.len();
        if exists {
            self.index = index;
        }
        exists
    }

    /// Whether a file is in the sequence, which is ordered.
    pub fn contains(&self, path: &Path) -> bool {
        self.find(path).is_ok()
    }

    /// Where a file is among them, where they are in order; else where it would be.
    pub fn find(&self, path: &Path) -> Result<usize, usize> {
        self.paths
            .binary_search_by(|known| compare_paths(known, path))
    }

    /// The files of one directory.
    pub fn in_directory(&self, directory: &Path) -> Vec<PathBuf> {
        (self.paths.iter())
            .filter(|path| path.parent() == Some(directory))
            .cloned()
            .collect()
    }

    /// Which of these files, in order, are not among them, and which of them are not among these.
    pub fn diff(&self, paths: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        let mut known = self.paths.iter().peekable();
        for path in paths {
            while let Some(before) = known.next_if(|known| compare_paths(known, &path).is_lt()) {
                gone.push(before.clone());
            }
            if known.next_if(|known| **known == path).is_none() {
                new.push(path);
            }
        }
        gone.extend(known.cloned());
        (new, gone)
    }

    /// Applies changes of the folder: new or changed files, and removed files, each in order. Changed files are read again
    /// and sorted in. The file shown stays.
    pub fn update(&mut self, changed: &[PathBuf], gone: &[PathBuf]) {
        for path in changed.iter().chain(gone) {
            self.invalidate(path);
        }
        let mut new: Vec<&PathBuf> = changed.iter().filter(|path| !self.contains(path)).collect();
        new.dedup();
        if new.is_empty() && gone.is_empty() {
            return;
        }
        let shown = self.path().map(Path::to_owned);
        let mut paths = Vec::with_capacity(self.paths.len() + new.len());
        let (mut new, mut gone) = (new.into_iter().peekable(), gone.iter().peekable());
        for path in std::mem::take(&mut self.paths) {
            while let Some(new) = new.next_if(|new| compare_paths(new, &path).is_lt()) {
                paths.push(new.clone());
            }
            while gone
                .next_if(|gone| compare_paths(gone, &path).is_lt())
                .is_some()
            {}
            if gone.next_if(|gone| **gone == path).is_none() {
                paths.push(path);
            }
        }
        paths.extend(new.cloned());
        self.paths = paths;
        // If the shown file was removed, the next one takes its place.
        self.index = shown.map_or(0, |shown| self.find(&shown).unwrap_or_else(|next| next));
        self.index = self.index.min(self.paths.len().saturating_sub(1));
    }

    /// Whether the file to be shown is being read.
    pub fn is_reading(&self) -> bool {
        self.path()
            .is_some_and(|path| self.pending.contains_key(path))
    }

    /// Drops the cached tree of a file, and ignores pending reads of it.
    pub fn invalidate(&mut self, path: &Path) {
        self.loaded.remove(path);
        self.pending.remove(path);
        self.recently_used.retain(|used| used != path);
    }

    /// The cached tree of a file.
    pub fn get(&mut self, path: &Path) -> Option<Arc<TreeModel>> {
        let model = Arc::clone(self.loaded.get(path)?);
        self.recently_used.retain(|used| used != path);
        self.recently_used.push(path.to_owned());
        Some(model)
    }

    /// Whether this is the latest request for a file; answers to earlier ones are out of date.
    pub fn is_pending(&self, path: &Path, number: u64) -> bool {
        self.pending.get(path) == Some(&number)
    }

    /// Caches a tree; above `most_bytes` in total, the least recently used are dropped.
    pub fn insert(&mut self, path: &Path, model: Arc<TreeModel>, most_bytes: usize) {
        self.pending.remove(path);
        self.loaded.insert(path.to_owned(), model);
        self.recently_used.retain(|used| used != path);
        self.recently_used.push(path.to_owned());
        while self.recently_used.len() > 1 && self.bytes() > most_bytes {
            let oldest = self.recently_used.remove(0);
            self.loaded.remove(&oldest);
        }
    }

    /// Bytes of the cached trees.
    pub fn bytes(&self) -> usize {
        self.loaded.values().map(|model| model.bytes()).sum()
    }

    /// Whether a tree is in the cache.
    pub fn is_cached(&self, model: &Arc<TreeModel>) -> bool {
        self.loaded.values().any(|ready| Arc::ptr_eq(ready, model))
    }

    /// A file could not be read, or was not.
    pub fn cancel_request(&mut self, path: &Path) {
        self.pending.remove(path);
    }

    /// The files to read now: the one shown, then its neighbours; each is requested once, under a number.
    pub fn take_requests(&mut self) -> Vec<(PathBuf, u64)> {
        let wanted: Vec<PathBuf> = (self.neighbours().into_iter())
            .filter(|path| !self.loaded.contains_key(*path) && !self.pending.contains_key(*path))
            .map(Path::to_owned)
            .collect();
        let mut numbered = Vec::new();
        for path in wanted {
            self.request_count += 1;
            self.pending.insert(path.clone(), self.request_count);
            numbered.push((path, self.request_count));
        }
        numbered
    }

    /// The file that is shown and its neighbours.
    pub fn neighbours(&self) -> Vec<&Path> {
        let around = [
            Some(self.index),
            self.index.checked_add(1),
            self.index.checked_sub(1),
        ];
        (around.into_iter().flatten())
            .filter_map(|index| self.paths.get(index).map(PathBuf::as_path))
            .collect()
    }
}

/// The tree files of a directory, by name. Names that begin with a dot are on their way to another name.
pub fn list_trees(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if is_tree_file(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The directories of a match's games, in order.
pub fn list_games(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if is_game_directory(&path) {
            found.push(path);
        }
    }
    found.sort_by(|one, other| compare_by_length(one, other));
    Ok(found)
}

/// Whether this is the directory of a match's game: one that is not hidden.
pub fn is_game_directory(path: &Path) -> bool {
    !is_hidden(path) && path.is_dir()
}

/// The tree files of a match, game by game. A directory that cannot be listed counts as empty.
pub fn list_match_trees(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = list_trees(directory)?;
    for game in list_games(directory)? {
        found.extend(list_trees(&game).unwrap_or_default());
    }
    Ok(found)
}

/// The order of files: directory by directory, and by name there.
pub fn compare_paths(one: &Path, other: &Path) -> Ordering {
    match (one.parent(), other.parent()) {
        (Some(one), Some(other)) if one != other => compare_by_length(one, other),
        _ => one.cmp(other),
    }
}

/// Orders directories by the length of their names first, since the ten thousandth game has one digit more.
pub fn compare_by_length(one: &Path, other: &Path) -> Ordering {
    let length = |path: &Path| path.as_os_str().len();
    length(one).cmp(&length(other)).then(one.cmp(other))
}

/// Whether a name begins with a dot, or there is none.
pub fn is_hidden(path: &Path) -> bool {
    (path.file_name().and_then(|name| name.to_str())).is_none_or(|name| name.starts_with('.'))
}

/// Whether a file is a tree, by its extension.
pub fn is_tree_file(path: &Path) -> bool {
    let known = (path.extension().and_then(|name| name.to_str()))
        .is_some_and(|name| name.eq_ignore_ascii_case("tree") || name.eq_ignore_ascii_case("csv"));
    known && !is_hidden(path)
}

/// Whether a file may be a tree of another program, by its extension. A sidecar is none.
pub fn is_foreign_tree(path: &Path) -> bool {
    let is_sidecar = || path.with_extension("tree").exists() || path.with_extension("csv").exists();
    match ImportFormat::from_path(path) {
        None => false,
        Some(ImportFormat::Json) => !is_hidden(path) && !is_sidecar(),
        Some(_) => !is_hidden(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_of_other_programs_are_known_by_their_names() {
        for (name, expected) in [
            ("x.dot", true),
            ("x.jsonl", true),
            ("x.json", true),
            (".x.gv", false),
            ("x.tree", false),
        ] {
            assert_eq!(is_foreign_tree(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn new_files_join_in_order_and_what_is_shown_stays() {
        let mut sequence = Sequence::new(vec!["b.tree".into(), "d.csv".into()]);
        assert!(sequence.go_to(1) && !sequence.go_to(2));
        sequence.update(
            &["a.tree", "c.tree", "d.csv", "e.tree"].map(PathBuf::from),
            &[],
        );
        assert_eq!(sequence.path(), Some(Path::new("d.csv")));
        assert_eq!((sequence.index(), sequence.len()), (3, 5));
        let wanted: Vec<PathBuf> = sequence
            .take_requests()
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert_eq!(wanted, ["d.csv", "e.tree", "c.tree"].map(PathBuf::from));
        assert!(sequence.is_pending(Path::new("d.csv"), 1));
        assert!(
            sequence.take_requests().is_empty(),
            "each is asked for once"
        );
        sequence.invalidate(Path::new("d.csv"));
        assert_eq!(sequence.take_requests(), [(PathBuf::from("d.csv"), 4)]);
        assert!(
            !sequence.is_pending(Path::new("d.csv"), 1),
            "it has changed since"
        );
        sequence.update(&[], &["a.tree", "aa.tree"].map(PathBuf::from));
        assert_eq!(sequence.path(), Some(Path::new("d.csv")));
        sequence.update(&["f.tree".into()], &["b.tree", "d.csv"].map(PathBuf::from));
        assert_eq!(sequence.path(), Some(Path::new("e.tree")), "the next one");
        assert_eq!(
            sequence.paths,
            ["c.tree", "e.tree", "f.tree"].map(PathBuf::from)
        );
        sequence.update(&[], &["e.tree", "f.tree"].map(PathBuf::from));
        assert_eq!((sequence.index(), sequence.len()), (0, 1));
        sequence.update(&[], &["c.tree".into()]);
        assert_eq!((sequence.index(), sequence.path()), (0, None));
    }

    #[test]
    fn games_come_one_after_the_other_however_many_there_are() {
        let mut sequence = Sequence::default();
        for name in [
            "m/game-10000/a.tree",
            "m/game-9999/b.tree",
            "m/game-0002/a.tree",
            "m/z.tree",
            "m/game-9999/a.tree",
        ] {
            sequence.update(&[name.into()], &[]);
        }
        let expected = [
            "m/z.tree",
            "m/game-0002/a.tree",
            "m/game-9999/a.tree",
            "m/game-9999/b.tree",
            "m/game-10000/a.tree",
        ];
        assert_eq!(sequence.paths, expected.map(PathBuf::from));
        assert_eq!(sequence.find(Path::new("m/game-9999/b.tree")), Ok(3));
        assert_eq!(sequence.in_directory(Path::new("m/game-9999")).len(), 2);
    }

    #[test]
    fn trees_are_known_by_their_names() {
        for (name, expected) in [
            ("x.tree", true),
            ("x.CSV", true),
            (".x.tree", false),
            ("x.json", false),
            ("tree", false),
        ] {
            assert_eq!(is_tree_file(Path::new(name)), expected, "{name}");
        }
    }
}
