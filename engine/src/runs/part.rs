//! A part of a run: the results of one attempt at one shard, in a file of its own.
//!
//! One object a line: first a header, then a line per trial that is done or void, last an end record if the attempt had nothing
//! left to do. Lines are only appended, each with one write, by the process that created the file. A last line without its
//! newline was never written.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::{RunError, host_name, shard::Shard, unix_millis};

/// The folder of the parts in a run directory.
pub const FOLDER_NAME: &str = "parts";
/// The version of the file that is written.
const FORMAT_VERSION: u32 = 1;
/// Upper bound of the time a result may be lost to a power failure.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The first line: which plan, which shard, and who.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartHeader {
    /// The version of the file.
    pub format: u32,
    /// The digest of the plan.
    pub plan: String,
    /// The shard that was attempted.
    #[serde(flatten)]
    pub shard: Shard,
    /// Number of trials of the run, as this attempt was asked for.
    pub trials: u64,
    /// The machine.
    pub host: String,
    /// The process.
    pub process: u32,
    /// The version of the program.
    pub version: String,
    /// When it was started, in milliseconds since 1970.
    pub time: u64,
    /// Terms of this attempt that the results do not depend on, as the kind of run writes them.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub terms: Value,
}

impl PartHeader {
    /// The header of an attempt of this process, now.
    pub fn new(plan: &str, shard: Shard, trials: u64, terms: Value) -> Self {
        Self {
            format: FORMAT_VERSION,
            plan: plan.to_owned(),
            shard,
            trials,
            host: host_name(),
            process: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            time: unix_millis(),
            terms,
        }
    }

    /// The name of the file.
    fn file_name(&self) -> String {
        let Shard { number, count } = self.shard;
        let (host, process, time) = (&self.host, self.process, self.time);
        format!("{number}-of-{count}.{host}-{process}-{time}.jsonl")
    }
}

/// The end of an attempt that had nothing left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndRecord {
    /// Number of results in the file.
    pub results: u64,
    /// Set if the run needs no more than its first so many trials, because they have decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<u64>,
}

/// A line after the header, as it stands in the file.
#[derive(Serialize, Deserialize)]
struct RawLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trial: Option<u64>,
    time: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    void: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<EndRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
}

/// A line after the header.
#[derive(Debug)]
pub enum PartLine {
    /// A trial is done.
    Result {
        /// Its number, from 1.
        trial: u64,
        /// The result, as it stands in the file.
        result: Box<RawValue>,
    },
    /// A trial was attempted in vain, through no fault of what is tried.
    Void {
        /// Its number, from 1.
        trial: u64,
        /// Why.
        reason: String,
    },
    /// The end of the attempt.
    End(EndRecord),
}

/// A part that is being written.
#[derive(Debug)]
pub struct PartWriter {
    file: File,
    path: PathBuf,
    /// Bytes of whole lines.
    length: u64,
    results: u64,
    has_lines: bool,
    last_sync: Instant,
    has_unsynced_data: bool,
}

impl PartWriter {
    /// Creates a new file in the folder of a run's parts.
    pub(super) fn create(folder: &Path, mut header: PartHeader) -> Result<Self, RunError> {
        fs::create_dir_all(folder).map_err(|error| RunError::io(folder, error))?;
        let (file, path) = loop {
            let path = folder.join(header.file_name());
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => break (file, path),
                // Two attempts of one process within a millisecond.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => header.time += 1,
                Err(error) => return Err(RunError::io(&path, error)),
            }
        };
        let mut part = Self {
            file,
            path,
            length: 0,
            results: 0,
            has_lines: false,
            last_sync: Instant::now(),
            has_unsynced_data: false,
        };
        let written = part.append(&header).and_then(|()| part.sync(true));
        if written.is_err() {
            let _ = fs::remove_file(&part.path);
        }
        written?;
        super::directory::sync_directory(folder);
        Ok(part)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a line has been written after the header.
    pub fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// Adds a line as one write; after a failure the file is as before.
    fn append(&mut self, line: &impl Serialize) -> Result<(), RunError> {
        let text = serde_json::to_string(line);
        let written = text.map_err(io::Error::from).and_then(|mut text| {
            text.push('\n');
            self.file.write_all(text.as_bytes())?;
            Ok(text.len() as u64)
        });
        match written {
            Ok(bytes) => {
                self.length += bytes;
                self.has_unsynced_data = true;
                Ok(())
            }
            Err(error) => {
                // What follows must not continue a line that is half written.
                let _ = self.file.set_len(self.length);
                let _ = io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.length));
                Err(RunError::io(&self.path, error))
            }
        }
    }

    fn append_line(&mut self, line: RawLine) -> Result<(), RunError> {
        self.append(&line)?;
        self.has_lines = true;
        self.sync(false)
    }

    /// Adds the result of a trial, counted from 1.
    pub fn append_result(&mut self, trial: u64, result: &impl Serialize) -> Result<(), RunError> {
        let raw = serde_json::value::to_raw_value(result);
        let raw = raw.map_err(|error| RunError::io(&self.path, error.into()))?;
        self.append_raw(trial, unix_millis(), raw)
    }

    /// Adds a result that was obtained at another time.
    pub fn append_raw(
        &mut self,
        trial: u64,
        time: u64,
        result: Box<RawValue>,
    ) -> Result<(), RunError> {
        self.append_line(RawLine {
            trial: Some(trial),
            time,
            void: None,
            end: None,
            result: Some(result),
        })?;
        self.results += 1;
        Ok(())
    }

    /// Adds that a trial, counted from 1, was attempted in vain.
    pub fn append_void(&mut self, trial: u64, reason: &str) -> Result<(), RunError> {
        self.append_line(RawLine {
            trial: Some(trial),
            time: unix_millis(),
            void: Some(reason.to_owned()),
            end: None,
            result: None,
        })
    }

    /// Ends an attempt that has nothing left to do; see [`EndRecord::decided`].
    pub fn finish(mut self, decided: Option<u64>) -> Result<(), RunError> {
        let end = EndRecord {
            results: self.results,
            decided,
        };
        self.append_line(RawLine {
            trial: None,
            time: unix_millis(),
            void: None,
            end: Some(end),
            result: None,
        })?;
        self.sync(true)
    }

    /// Syncs to disk if the last sync is older than `SYNC_INTERVAL`, or at once if `is_forced`.
    pub fn sync(&mut self, is_forced: bool) -> Result<(), RunError> {
        if self.has_unsynced_data && (is_forced || self.last_sync.elapsed() >= SYNC_INTERVAL) {
            let synced = self.file.sync_data();
            synced.map_err(|error| RunError::io(&self.path, error))?;
            self.last_sync = Instant::now();
            self.has_unsynced_data = false;
        }
        Ok(())
    }
}

/// Reads a part line by line: the header, and each line with its time. A last line without its newline is none; of a file whose
/// header is not whole there is nothing to read, and the answer is `None`.
pub fn read(
    path: &Path,
    on_line: &mut dyn FnMut(u64, PartLine) -> Result<(), RunError>,
) -> Result<Option<PartHeader>, RunError> {
    let file = File::open(path).map_err(|error| RunError::io(path, error))?;
    let mut reader = BufReader::new(file);
    let malformed = |line: usize, problem: String| RunError::Malformed {
        path: path.display().to_string(),
        line,
        problem,
    };
    let mut header = None;
    let mut results = 0;
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let read = reader.read_until(b'\n', &mut bytes);
        read.map_err(|error| RunError::io(path, error))?;
        if bytes.pop() != Some(b'\n') {
            break;
        }
        if number == 1 {
            let read: PartHeader = serde_json::from_slice(&bytes)
                .map_err(|error| malformed(1, format!("not the header of a part: {error}")))?;
            if read.format > FORMAT_VERSION {
                let format = read.format;
                return Err(malformed(
                    1,
                    format!("format {format} is of a later version: expected {FORMAT_VERSION}"),
                ));
            }
            header = Some(read);
            continue;
        }
        let line: RawLine = serde_json::from_slice(&bytes)
            .map_err(|error| malformed(number, format!("not a result: {error}")))?;
        let time = line.time;
        let parsed = match line {
            RawLine {
                trial: Some(trial @ 1..),
                result: Some(result),
                void: None,
                end: None,
                ..
            } => {
                results += 1;
                PartLine::Result { trial, result }
            }
            RawLine {
                trial: Some(trial @ 1..),
                void: Some(reason),
                result: None,
                end: None,
                ..
            } => PartLine::Void { trial, reason },
            RawLine {
                end: Some(end),
                trial: None,
                result: None,
                void: None,
                ..
            } => {
                if end.results != results {
                    let said = end.results;
                    return Err(malformed(
                        number,
                        format!("the end of {said} results, but {results} are there"),
                    ));
                }
                PartLine::End(end)
            }
            _ => {
                let problem = "expected a trial with a result or as void, or the end";
                return Err(malformed(number, problem.to_owned()));
            }
        };
        on_line(time, parsed)?;
    }
    Ok(header)
}
