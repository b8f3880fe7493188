//! A run directory on disk.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    RunError, host_name,
    part::{self, PartHeader, PartWriter},
    plan::{self, Plan},
    shard::Shard,
    union::Run,
    unix_millis,
};

/// A directory with a plan.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    plan: Plan,
    /// Whether this process put the plan there.
    is_new: bool,
}

impl RunDirectory {
    /// Puts a plan into a directory, or compares it with the one that is there.
    pub fn create(path: &Path, plan: Plan) -> Result<Self, RunError> {
        fs::create_dir_all(path).map_err(|error| RunError::io(path, error))?;
        let is_new = match Self::open(path) {
            Err(RunError::NoRun(_)) => link_plan(path, &plan)?,
            Err(error) => return Err(error),
            Ok(_) => false,
        };
        let found = Self::open(path)?.plan;
        if let Some(difference) = found.first_difference(&plan) {
            return Err(RunError::OtherRun {
                path: path.display().to_string(),
                kind: found.kind,
                difference,
            });
        }
        Ok(Self {
            path: path.to_owned(),
            plan: found,
            is_new,
        })
    }

    /// A directory whose plan is not there yet, for parts that must be there before it.
    pub fn stage(path: &Path, plan: Plan) -> Self {
        Self {
            path: path.to_owned(),
            plan,
            is_new: false,
        }
    }

    /// Opens a directory that has a plan.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let file = path.join(plan::FILE_NAME);
        match fs::read(&file) {
            Ok(text) => Ok(Self {
                path: path.to_owned(),
                plan: Plan::parse(&file, &text)?,
                is_new: false,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(RunError::NoRun(path.display().to_string()))
            }
            Err(error) => Err(RunError::io(&file, error)),
        }
    }

    /// Whether a directory has a plan.
    pub fn exists(path: &Path) -> bool {
        path.join(plan::FILE_NAME).exists()
    }

    /// What is run there.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all parts; see [`Run::add_directory`].
    pub fn load(&self, keeps_results: bool) -> Result<Run, RunError> {
        let mut run = Run::new(self.plan.clone(), keeps_results);
        run.add_directory(&self.path)?;
        Ok(run)
    }

    /// Creates the part of a new attempt at a shard, for a run of so many trials; `terms` are the attempt's own.
    pub fn start_part(
        &self,
        shard: Shard,
        trials: u64,
        terms: Value,
    ) -> Result<PartWriter, RunError> {
        let header = PartHeader::new(&self.plan.digest, shard, trials, terms);
        let part = self.start_part_with(header)?;
        // An attempt in which nothing could be done may have removed its plan meanwhile.
        if !Self::exists(&self.path) {
            link_plan(&self.path, &self.plan)?;
        }
        Ok(part)
    }

    /// Creates a part with a given header.
    pub fn start_part_with(&self, header: PartHeader) -> Result<PartWriter, RunError> {
        PartWriter::create(&self.path.join(part::FOLDER_NAME), header)
    }

    /// Removes a part in which nothing was done, and with it a plan that nobody else has begun to carry out: the directory is free
    /// for another run.
    pub fn remove_empty_part(&self, part: PartWriter) {
        if part.has_lines() {
            return;
        }
        let _ = fs::remove_file(part.path());
        // A folder that has other parts is not removed.
        let folder = self.path.join(part::FOLDER_NAME);
        if self.is_new && fs::remove_dir(folder).is_ok() {
            let _ = fs::remove_file(self.path.join(plan::FILE_NAME));
        }
    }
}

/// The files of all parts of a run directory, in order of their names.
pub fn part_files(directory: &Path) -> Result<Vec<PathBuf>, RunError> {
    let folder = directory.join(part::FOLDER_NAME);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| RunError::io(&folder, error))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| RunError::io(&folder, error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".jsonl") && !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Puts plan.json into place unless there is one; true if it was put there.
fn link_plan(directory: &Path, plan: &Plan) -> Result<bool, RunError> {
    let path = directory.join(plan::FILE_NAME);
    let hidden = directory.join(temporary_name(plan::FILE_NAME));
    let failed = |error| RunError::io(&path, error);
    let mut text = serde_json::to_string_pretty(plan).map_err(|error| failed(error.into()))?;
    text.push('\n');
    let written = write_and_sync(&hidden, text.as_bytes());
    let linked = written.and_then(|()| match fs::hard_link(&hidden, &path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // Where there are no hard links: between the look and the renaming somebody else may be first, who then finds this plan.
        Err(_) if path.exists() => Ok(false),
        Err(_) => fs::rename(&hidden, &path).map(|()| true),
    });
    let _ = fs::remove_file(&hidden);
    sync_directory(directory);
    linked.map_err(failed)
}

/// A name beside `name` that no other process uses.
fn temporary_name(name: &str) -> String {
    let (host, process, time) = (host_name(), std::process::id(), unix_millis());
    format!(".{name}.{host}-{process}-{time}.tmp")
}

fn write_and_sync(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// Puts a whole file in the place of an older one, whatever happens meanwhile.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let hidden = path.with_file_name(temporary_name(&name));
    let written = write_and_sync(&hidden, bytes).and_then(|()| fs::rename(&hidden, path));
    if written.is_err() {
        let _ = fs::remove_file(&hidden);
    }
    written
}

/// Syncs the names in a directory, where the system can.
pub(super) fn sync_directory(directory: &Path) {
    #[cfg(unix)]
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
    #[cfg(not(unix))]
    let _ = directory;
}
