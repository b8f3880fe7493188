//! Where the system keeps a user's files, and how they are replaced.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use canopy_engine::tree::files::write_atomic_synced;

/// A directory of the user: what a variable says, or what systems have for it, on most of them this one in the home directory.
/// None if the system does not say.
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

/// Writes a text of the user's, whole or not at all. Where the name is a link, what it leads to is replaced and the link stays.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    write_atomic_synced(&path, |out| out.write_all(text.as_bytes()))
}
