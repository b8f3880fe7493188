//! The viewer as another program: where it is.

use std::{env, path::PathBuf};

/// The name of the viewer's program.
pub const VIEWER: &str = "canopy-viewer";

/// Why something that only the viewer can do is not done.
pub const NO_VIEWER: &str = "canopy-viewer is neither beside this program nor on the PATH";

/// The viewer beside this program, else on the PATH.
pub fn find() -> Option<PathBuf> {
    let name = format!("{VIEWER}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe()
        .ok()
        .map(|this| this.with_file_name(&name));
    let searched = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&searched).map(|directory| directory.join(&name));
    beside
        .into_iter()
        .chain(on_path)
        .find(|path| path.is_file())
}
