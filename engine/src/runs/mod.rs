//! Run directories: what is run, what has been run, and how the results of many processes and machines become one.
//!
//! A *run* is a list of *trials* (games of a match, rows of an experiment), numbered from 1. Everything about a trial follows
//! from the plan and its number, so any process can do any of them. Trials that belong together form a *unit* (the two games of
//! an opening); a [`shard::Shard`] K/N has every N-th unit.
//!
//! A run directory has two kinds of files that are never changed once they are there:
//!
//! - `plan.json` ([`plan::Plan`]): what is run. The first process links it into place, every other one compares.
//! - `parts/K-of-N.HOST-PID-MILLIS.jsonl` ([`part`]): the results of one attempt at one shard, written by its process alone. A
//!   file per attempt needs no locks: two attempts at one shard cost time, never truth.
//!
//! The result of a run is the union of its parts ([`union::Run`]), by trial number. All other files of the directory are
//! written from the union, under a temporary name and renamed ([`directory::write_atomically`]).
//!
//! # Adding a kind of run
//!
//! 1. Add it to [`plan::RunKind`].
//! 2. Describe what is run as JSON without paths, times and machine names: whatever differs there is another run. Versions and
//!    search signatures ([`crate::catalog::signature`]) belong there. Make a plan of it by [`plan::Plan::new`]: the number of trials,
//!    [`plan::Units`] (1 trial each for rows), whether trials repeat bit by bit, and which top-level fields of a result are times.
//! 3. Run: [`directory::RunDirectory::create`], [`directory::RunDirectory::load`], then [`execute::execute`] with a worker per thread
//!    that turns a trial number into a result, which is any serialisable value with named fields.
//! 4. Report: [`union::Run::results`] has the results in order of their numbers. Register the report with the commands `report` and
//!    `merge`; `status` needs nothing.

// Input comes from other programs and files: no text or file may end the process.
#![deny(clippy::expect_used, clippy::indexing_slicing)]

pub mod directory;
pub mod execute;
pub mod halt;
pub mod part;
pub mod plan;
pub mod shard;
pub mod status;
pub mod union;

use std::{
    io,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use thiserror::Error;

/// Why a run directory cannot be used.
#[derive(Debug, Error)]
pub enum RunError {
    /// The system says so.
    #[error("{path}: {error}")]
    Io {
        /// Which file or directory.
        path: String,
        /// The system's error.
        error: io::Error,
    },
    /// The directory has another run.
    #[error(
        "{path}: another {kind} was run there: {difference}; expected the same {kind}, to be gone on with, or a new directory"
    )]
    OtherRun {
        /// The directory.
        path: String,
        /// The kind of run there.
        kind: plan::RunKind,
        /// The first difference.
        difference: String,
    },
    /// There is no plan.json.
    #[error("{0}: no run is there: expected a directory that was given to --out")]
    NoRun(String),
    /// A file is not what it should be.
    #[error("{path}, line {line}: {problem}")]
    Malformed {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The violation.
        problem: String,
    },
    /// A result is whole, but not one of this kind of run.
    #[error("{path}: {trial} {number}: {problem}")]
    BadResult {
        /// The file.
        path: String,
        /// What a trial is called.
        trial: &'static str,
        /// Its number.
        number: u64,
        /// The violation.
        problem: String,
    },
    /// Two attempts at one trial differ though they may not.
    #[error(
        "{trial} {number} has two results that differ in {field}: one in {first}, the other in {second}; expected the same, as \
         nothing in this run depends on time: a machine or a build is faulty; remove the file that is wrong"
    )]
    Disagreement {
        /// What a trial is called.
        trial: &'static str,
        /// Its number.
        number: u64,
        /// The first field that differs.
        field: String,
        /// The file of one result.
        first: String,
        /// The file of the other.
        second: String,
    },
}

impl RunError {
    /// An error of the system at a path.
    pub fn io(path: &Path, error: io::Error) -> Self {
        Self::Io {
            path: path.display().to_string(),
            error,
        }
    }

    /// Whether the same command may succeed later without a change: a full disk, or a network file system that stumbles.
    pub fn is_temporary(&self) -> bool {
        use io::ErrorKind as Kind;
        let Self::Io { error, .. } = self else {
            return false;
        };
        matches!(
            error.kind(),
            Kind::StorageFull
                | Kind::QuotaExceeded
                | Kind::StaleNetworkFileHandle
                | Kind::ResourceBusy
                | Kind::TimedOut
                | Kind::WouldBlock
                | Kind::Interrupted
        )
    }
}

/// Milliseconds since 1970, by the system's clock.
pub fn unix_millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_millis() as u64
}

/// The name of this machine, as far as it can be part of a file name.
pub fn host_name() -> String {
    #[cfg(unix)]
    let name = (rustix::system::uname().nodename().to_string_lossy()).into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    let safe = |symbol: char| match symbol {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => symbol,
        _ => '_',
    };
    match name.is_empty() {
        true => "host".to_owned(),
        false => name.chars().take(64).map(safe).collect(),
    }
}
