//! Whether a file is still being written.

use std::path::Path;

/// Whether a process has the file open for writing. Known on Linux for the user's own processes; elsewhere always false.
pub fn is_open_for_writing(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    let is_written = linux::is_open_for_writing(path).unwrap_or(false);
    #[cfg(not(target_os = "linux"))]
    let is_written = {
        let _ = path;
        false
    };
    is_written
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        fs, io,
        os::unix::fs::MetadataExt as _,
        path::{Path, PathBuf},
    };

    pub(super) fn is_open_for_writing(path: &Path) -> io::Result<bool> {
        let file = fs::canonicalize(path)?;
        let data = fs::metadata(&file)?;
        let wanted = (data.dev(), data.ino());
        for process in fs::read_dir("/proc")?.flatten() {
            let is_process = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
            if !process.file_name().to_str().is_some_and(is_process) {
                continue;
            }
            // Other users' processes cannot be read, and some have ended by now.
            let open = fs::read_dir(process.path().join("fd"))
                .into_iter()
                .flatten();
            for descriptor in open.flatten().map(|entry| entry.path()) {
                // The name is compared first: inspecting a file on a network file system may block.
                let is_named = |name: PathBuf| name.file_name() == file.file_name();
                if fs::read_link(&descriptor).is_ok_and(is_named)
                    && fs::metadata(&descriptor).is_ok_and(|it| (it.dev(), it.ino()) == wanted)
                    && has_write_access(&process.path(), &descriptor)
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a descriptor was opened for writing: the last two bits of its flags, which are given in octal.
    fn has_write_access(process: &Path, descriptor: &Path) -> bool {
        let number = descriptor.file_name().unwrap_or_default();
        let told = fs::read_to_string(process.join("fdinfo").join(number)).unwrap_or_default();
        let flags = told.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & 3 != 0)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn a_file_is_written_until_it_is_closed() {
        let path = std::env::temp_dir().join(format!("canopy-writers-{}.x", std::process::id()));
        let link = path.with_extension("link");
        assert!(!is_open_for_writing(&path), "there is none");
        let file = File::create(&path).expect("it can be made");
        std::os::unix::fs::symlink(&path, &link).expect("a link can be made");
        assert!(is_open_for_writing(&path) && is_open_for_writing(&link));
        drop(file);
        let reader = File::open(&path).expect("it can be read");
        assert!(!is_open_for_writing(&path), "it is only read");
        drop(reader);
        for path in [path, link] {
            fs::remove_file(path).expect("it can be removed");
        }
    }
}
