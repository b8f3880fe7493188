//! The files one steps through, and those of them that are kept ready.

use std::{
    cmp::Ordering,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::model::Model;

/// Files in order, one of which is shown.
#[derive(Debug, Default)]
pub struct Sequence {
    paths: Vec<PathBuf>,
    at: usize,
    ready: HashMap<PathBuf, Arc<Model>>,
    /// The last used last.
    used: Vec<PathBuf>,
    /// The files that are being read, each with the number of the time it was asked for.
    asked: HashMap<PathBuf, u64>,
    count: u64,
}

impl Sequence {
    /// Files in the order given.
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            ..Self::default()
        }
    }

    /// How many there are.
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
    pub fn at(&self) -> usize {
        self.at
    }

    /// The file that is shown.
    pub fn path(&self) -> Option<&Path> {
        self.paths.get(self.at).map(PathBuf::as_path)
    }

    /// Goes to a file; whether there is one.
    pub fn go_to(&mut self, index: usize) -> bool {
        let exists = index < self.paths.len();
        if exists {
            self.at = index;
        }
        exists
    }

    /// Whether a file is among them, where they are in order.
    pub fn knows(&self, path: &Path) -> bool {
        self.find(path).is_ok()
    }

    /// Where a file is among them, where they are in order; else where it would be.
    pub fn find(&self, path: &Path) -> Result<usize, usize> {
        self.paths.binary_search_by(|known| order(known, path))
    }

    /// The files of one directory.
    pub fn within(&self, directory: &Path) -> Vec<PathBuf> {
        (self.paths.iter())
            .filter(|path| path.parent() == Some(directory))
            .cloned()
            .collect()
    }

    /// Which of these files, in order, are not among them, and which of them are not among these.
    pub fn compare(&self, paths: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        let mut known = self.paths.iter().peekable();
        for path in paths {
            while let Some(before) = known.next_if(|known| order(known, &path).is_lt()) {
                gone.push(before.clone());
            }
            if known.next_if(|known| **known == path).is_none() {
                new.push(path);
            }
        }
        gone.extend(known.cloned());
        (new, gone)
    }

    /// Files that have come or changed, and files that have gone, each in order: the first are read anew, and stand in their places
    /// among the others. What is shown stays shown.
    pub fn update(&mut self, changed: &[PathBuf], gone: &[PathBuf]) {
        for path in changed.iter().chain(gone) {
            self.forget(path);
        }
        let mut new: Vec<&PathBuf> = changed.iter().filter(|path| !self.knows(path)).collect();
        new.dedup();
        if new.is_empty() && gone.is_empty() {
            return;
        }
        let shown = self.path().map(Path::to_owned);
        let mut paths = Vec::with_capacity(self.paths.len() + new.len());
        let (mut new, mut gone) = (new.into_iter().peekable(), gone.iter().peekable());
        for path in std::mem::take(&mut self.paths) {
            while let Some(new) = new.next_if(|new| order(new, &path).is_lt()) {
                paths.push(new.clone());
            }
            while gone.next_if(|gone| order(gone, &path).is_lt()).is_some() {}
            if gone.next_if(|gone| **gone == path).is_none() {
                paths.push(path);
            }
        }
        paths.extend(new.cloned());
        self.paths = paths;
        // Where what was shown has gone, the next is in its place.
        self.at = shown.map_or(0, |shown| self.find(&shown).unwrap_or_else(|next| next));
        self.at = self.at.min(self.paths.len().saturating_sub(1));
    }

    /// Whether the file that is to be shown is being read.
    pub fn is_reading(&self) -> bool {
        self.path()
            .is_some_and(|path| self.asked.contains_key(path))
    }

    /// What is known of a file is out of date.
    pub fn forget(&mut self, path: &Path) {
        self.ready.remove(path);
        self.asked.remove(path);
        self.used.retain(|used| used != path);
    }

    /// The tree of a file, if it is ready.
    pub fn ready(&mut self, path: &Path) -> Option<Arc<Model>> {
        let model = Arc::clone(self.ready.get(path)?);
        self.used.retain(|used| used != path);
        self.used.push(path.to_owned());
        Some(model)
    }

    /// Whether a file was asked for just then: what was read of it before it changed is out of date.
    pub fn is_awaited(&self, path: &Path, number: u64) -> bool {
        self.asked.get(path) == Some(&number)
    }

    /// Keeps a tree; together they take at most so many bytes, and the longest unused make room.
    pub fn keep(&mut self, path: &Path, model: Arc<Model>, most_bytes: usize) {
        self.asked.remove(path);
        self.ready.insert(path.to_owned(), model);
        self.used.retain(|used| used != path);
        self.used.push(path.to_owned());
        while self.used.len() > 1 && self.bytes() > most_bytes {
            let oldest = self.used.remove(0);
            self.ready.remove(&oldest);
        }
    }

    /// The bytes of the trees that are kept ready.
    pub fn bytes(&self) -> usize {
        self.ready.values().map(|model| model.bytes()).sum()
    }

    /// Whether a tree is one of them.
    pub fn keeps(&self, model: &Arc<Model>) -> bool {
        self.ready.values().any(|ready| Arc::ptr_eq(ready, model))
    }

    /// A file could not be read, or was not.
    pub fn give_up(&mut self, path: &Path) {
        self.asked.remove(path);
    }

    /// The files to read now: the one that is shown, then its neighbours; each is asked for once, under a number.
    pub fn wanted(&mut self) -> Vec<(PathBuf, u64)> {
        let wanted: Vec<PathBuf> = (self.around().into_iter())
            .filter(|path| !self.ready.contains_key(*path) && !self.asked.contains_key(*path))
            .map(Path::to_owned)
            .collect();
        let mut numbered = Vec::new();
        for path in wanted {
            self.count += 1;
            self.asked.insert(path.clone(), self.count);
            numbered.push((path, self.count));
        }
        numbered
    }

    /// The file that is shown and its neighbours.
    pub fn around(&self) -> Vec<&Path> {
        let around = [
            Some(self.at),
            self.at.checked_add(1),
            self.at.checked_sub(1),
        ];
        (around.into_iter().flatten())
            .filter_map(|index| self.paths.get(index).map(PathBuf::as_path))
            .collect()
    }
}

/// The tree files of a directory, by name. Names that begin with a dot are on their way to another name.
pub fn list(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if is_tree(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The directories of a match's games, in order.
pub fn games(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if is_game(&path) {
            found.push(path);
        }
    }
    found.sort_by(|one, other| by_length(one, other));
    Ok(found)
}

/// Whether this is the directory of a match's game: one that is not hidden.
pub fn is_game(path: &Path) -> bool {
    !is_hidden(path) && path.is_dir()
}

/// The tree files of a match, game by game. What cannot be listed any more has none.
pub fn list_match(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = list(directory)?;
    for game in games(directory)? {
        found.extend(list(&game).unwrap_or_default());
    }
    Ok(found)
}

/// The order of files: directory by directory, and by name there.
pub fn order(one: &Path, other: &Path) -> Ordering {
    match (one.parent(), other.parent()) {
        (Some(one), Some(other)) if one != other => by_length(one, other),
        _ => one.cmp(other),
    }
}

/// Of two directories the one with the shorter name comes first: the ten thousandth game has one figure more.
pub fn by_length(one: &Path, other: &Path) -> Ordering {
    let length = |path: &Path| path.as_os_str().len();
    length(one).cmp(&length(other)).then(one.cmp(other))
}

/// Whether a name begins with a dot, or is none at all.
pub fn is_hidden(path: &Path) -> bool {
    (path.file_name().and_then(|name| name.to_str())).is_none_or(|name| name.starts_with('.'))
}

/// Whether a file is a tree, by its name.
pub fn is_tree(path: &Path) -> bool {
    let known = (path.extension().and_then(|name| name.to_str()))
        .is_some_and(|name| name.eq_ignore_ascii_case("tree") || name.eq_ignore_ascii_case("csv"));
    known && !is_hidden(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_join_in_order_and_what_is_shown_stays() {
        let mut sequence = Sequence::new(vec!["b.tree".into(), "d.csv".into()]);
        assert!(sequence.go_to(1) && !sequence.go_to(2));
        sequence.update(
            &["a.tree", "c.tree", "d.csv", "e.tree"].map(PathBuf::from),
            &[],
        );
        assert_eq!(sequence.path(), Some(Path::new("d.csv")));
        assert_eq!((sequence.at(), sequence.len()), (3, 5));
        let wanted: Vec<PathBuf> = sequence
            .wanted()
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert_eq!(wanted, ["d.csv", "e.tree", "c.tree"].map(PathBuf::from));
        assert!(sequence.is_awaited(Path::new("d.csv"), 1));
        assert!(sequence.wanted().is_empty(), "each is asked for once");
        sequence.forget(Path::new("d.csv"));
        assert_eq!(sequence.wanted(), [(PathBuf::from("d.csv"), 4)]);
        assert!(
            !sequence.is_awaited(Path::new("d.csv"), 1),
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
        assert_eq!((sequence.at(), sequence.len()), (0, 1));
        sequence.update(&[], &["c.tree".into()]);
        assert_eq!((sequence.at(), sequence.path()), (0, None));
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
        assert_eq!(sequence.within(Path::new("m/game-9999")).len(), 2);
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
            assert_eq!(is_tree(Path::new(name)), expected, "{name}");
        }
    }
}
