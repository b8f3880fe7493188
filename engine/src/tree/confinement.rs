//! Confines tree output to a directory, whatever a client requests.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use crate::games::notation::quote;

/// Where trees may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// The directory, without links.
    root: PathBuf,
}

impl Confinement {
    /// Everything at or below a directory, which must be there.
    pub fn below(directory: &Path) -> io::Result<Self> {
        let root = directory.canonicalize()?;
        match root.is_dir() {
            true => Ok(Self { root }),
            false => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        }
    }

    /// Resolves `path` to a directory without links; an error if it is outside. Components that do not exist yet are created
    /// later and cannot be links, so only existing ones are checked.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, String> {
        let refuse = |problem: &str| {
            Err(format!(
                "{} {problem}: expected a directory under {}",
                quote(&path.to_string_lossy()),
                self.root.display()
            ))
        };
        let Ok(absolute) = std::path::absolute(path) else {
            return refuse("cannot be found");
        };
        let mut real = PathBuf::new();
        let mut is_there = true;
        for part in absolute.components() {
            match part {
                // Below a component that does not exist yet, `..` cannot be resolved.
                Component::ParentDir if !is_there => return refuse("leads back out of itself"),
                Component::ParentDir => drop(real.pop()),
                Component::CurDir => {}
                part => real.push(part),
            }
            if is_there {
                match fs::symlink_metadata(&real) {
                    Ok(_) => match real.canonicalize() {
                        Ok(found) => real = found,
                        Err(_) => return refuse("leads through a link to nowhere"),
                    },
                    Err(error) if error.kind() == io::ErrorKind::NotFound => is_there = false,
                    Err(_) => return refuse("cannot be looked at"),
                }
            }
        }
        match real.starts_with(&self.root) {
            true => Ok(real),
            false => refuse("lies elsewhere"),
        }
    }
}
