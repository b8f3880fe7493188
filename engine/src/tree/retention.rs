//! The retention policy of a process's trees on disk.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What the names of a tree's files may end in.
pub(super) const TREE_EXTENSIONS: [&str; 6] = ["tree", "csv", "json", "extra", "columns", "growth"];

/// The newest trees of a process, over all directories it writes to; older ones are removed with the files beside them.
#[derive(Debug, Default)]
pub struct TreeRetention {
    state: Mutex<RetentionState>,
}

#[derive(Debug, Default)]
struct RetentionState {
    /// Number of trees to keep; 0 for all, without tracking them.
    max_trees: usize,
    /// Directories and stems, of the tree and of those of its depths, by the order in which their searches began: several threads write, at their own pace.
    trees: BTreeMap<u64, (PathBuf, Vec<String>)>,
}

impl TreeRetention {
    /// Keeps the newest `max_trees` trees from now on; 0 for all.
    pub fn set_max_trees(&self, max_trees: usize) {
        let mut state = self.state();
        state.max_trees = max_trees;
        if max_trees == 0 {
            state.trees.clear();
        }
    }

    /// Records that the tree of a stem was written, for the first time or again; a larger `order` is newer.
    /// Removes the oldest trees if they are too many now.
    pub(super) fn record_tree(&self, order: u64, directory: &Path, stem: &str) {
        self.record_stem(order, directory, stem.to_owned());
        let mut state = self.state();
        if state.max_trees == 0 {
            return;
        }
        while state.trees.len() > state.max_trees
            && let Some((_, (directory, stems))) = state.trees.pop_first()
        {
            for (stem, extension) in stems
                .iter()
                .flat_map(|stem| TREE_EXTENSIONS.map(|ending| (stem, ending)))
            {
                // What is not there needs not go; what cannot be removed stays.
                let _ = fs::remove_file(directory.join(format!("{stem}.{extension}")));
            }
        }
    }

    /// Records the stem of a tree, which stays as long as others of the same order.
    pub(super) fn record_stem(&self, order: u64, directory: &Path, stem: String) {
        let mut state = self.state();
        if state.max_trees == 0 {
            return;
        }
        let (_, stems) =
            (state.trees.entry(order)).or_insert_with(|| (directory.to_owned(), Vec::new()));
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    }

    fn state(&self) -> MutexGuard<'_, RetentionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
