//! Directories for a user's files, and atomic replacement of them.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use canopy_engine::tree::files::write_atomic_synced;

/// A user directory: the value of an environment variable, or the system's default, usually below the home directory. `None` if
/// there is no home.
pub fn user_directory(variable: &str, usual: &str) -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    if cfg!(windows) {
        named("APPDATA")
    } else if let Some(directory) = named(variable).filter(|path| path.is_absolute()) {
        Some(directory)
    } else if cfg!(target_os = "macos") {
        Some(named("HOME")?.join("Library/Application Support"))
    } else {
        Some(named("HOME")?.join(usual))
    }
}

/// Writes a text file atomically. A symbolic link stays; its target is replaced.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    write_atomic_synced(&path, |out| out.write_all(text.as_bytes()))
}
