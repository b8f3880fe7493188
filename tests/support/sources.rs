//! Source files, for tests that read them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The Rust files at a path: itself, or all below it.
pub(crate) fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        return if is_rust {
            vec![path.to_owned()]
        } else {
            vec![]
        };
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| rust_files(&entry.path()))
        .collect()
}
