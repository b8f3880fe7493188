//! The match log: the match on its first line, then a line per finished game.
//!
//! Lines are only appended. A game is a whole line or absent, so an interrupted match continues with the missing games, and
//! every other file of a match can be regenerated from its log.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    client::{PostMortem, Timeouts},
    engine_config::{EngineConfig, EngineProtocol},
    referee::{Adjudication, FinishedGame, Termination},
    schedule::ScheduledGame,
    stats::WdlCounts,
};
use crate::games::{Outcome, Player};

/// The name of the file.
pub const FILE_NAME: &str = "match.jsonl";
/// The version of the file that is written.
const FORMAT_VERSION: u32 = 1;
/// Upper bound of the time a finished game may be lost to a power failure.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The match on the first line: everything a game depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchHeader {
    /// The version of the file.
    pub format: u32,
    /// The game with its variant.
    pub game: String,
    /// Who plays.
    pub engines: Vec<EngineRecord>,
    /// The seed of the match.
    pub seed: u64,
    /// Random plies at the beginning of every game.
    pub plies: u32,
    /// Number of openings, and a digest of them in playing order.
    pub openings: (usize, u64),
    /// When games are ended that are not over.
    pub adjudication: Adjudication,
    /// Tolerance for late moves, in milliseconds.
    pub margin: u64,
}

/// An engine as it stands in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineRecord {
    /// Its name in tables.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it is started.
    pub directory: Option<PathBuf>,
    /// Its dialect.
    pub dialect: EngineProtocol,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// The limits of its moves.
    pub go: String,
    /// Identity of one of our own engines, wherever its program is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<EngineBuild>,
}

/// Tells builds of our own engine apart, by how they play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineBuild {
    /// Its version.
    pub version: String,
    /// A checksum of the search's results on a small task; changes when the search does.
    pub signature: String,
}

impl EngineRecord {
    /// Whether both play alike; our own engines are compared by build, not by path.
    fn is_same_engine(&self, other: &Self) -> bool {
        let is_same_program = match (&self.build, &other.build) {
            (Some(there), Some(here)) => there == here,
            // A journal of a version that did not write it.
            _ => self.command == other.command,
        };
        is_same_program
            && self.name == other.name
            && self.directory == other.directory
            && self.dialect == other.dialect
            && self.options == other.options
            && self.go == other.go
    }
}

impl MatchHeader {
    /// Collects everything a match depends on; `go` applies to engines without limits of their own.
    pub fn new(
        game: String,
        engines: &[EngineConfig],
        limits: &super::time_control::MoveLimits,
        timeouts: &Timeouts,
    ) -> Self {
        let text = |engine: &EngineConfig| EngineRecord {
            name: engine.name.clone(),
            command: engine.command.clone(),
            directory: engine.directory.clone(),
            dialect: engine.protocol,
            options: engine.options.clone(),
            go: engine.limits.as_ref().unwrap_or(limits).to_string(),
            build: None,
        };
        Self {
            format: FORMAT_VERSION,
            game,
            engines: engines.iter().map(text).collect(),
            seed: 0,
            plies: 0,
            openings: (0, 0),
            adjudication: Adjudication::default(),
            margin: timeouts.margin.as_millis() as u64,
        }
    }

    /// The names of the engines.
    pub fn names(&self) -> Vec<&str> {
        self.engines
            .iter()
            .map(|engine| engine.name.as_str())
            .collect()
    }

    /// The first difference between two matches, in words.
    fn first_difference(&self, other: &Self) -> Option<String> {
        let differ = |what: &str, there: String, here: String| {
            (there != here).then(|| format!("its {what} is {there}, now {here}"))
        };
        let plain = [
            ("game", self.game.clone(), other.game.clone()),
            ("seed", self.seed.to_string(), other.seed.to_string()),
            (
                "random plies",
                self.plies.to_string(),
                other.plies.to_string(),
            ),
            ("margin", self.margin.to_string(), other.margin.to_string()),
            (
                "number of engines",
                self.engines.len().to_string(),
                other.engines.len().to_string(),
            ),
        ];
        let mut plain = plain.into_iter();
        plain
            .find_map(|(what, there, here)| differ(what, there, here))
            .or_else(|| {
                (self.engines.iter().zip(&other.engines))
                    .find(|(there, here)| !there.is_same_engine(here))
                    .map(|(there, here)| {
                        format!(
                            "its engine {} is {}, now {}",
                            there.name,
                            engine_json(there),
                            engine_json(here)
                        )
                    })
            })
            .or_else(|| {
                (self.openings != other.openings).then(|| "its openings are others".to_owned())
            })
            .or_else(|| {
                let is_another = self.adjudication != other.adjudication;
                is_another.then(|| "its adjudication is another".to_owned())
            })
    }
}

fn engine_json(engine: &EngineRecord) -> String {
    serde_json::to_string(engine).unwrap_or_default()
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the match, from 1.
    pub game: u64,
    /// Its number among the games of these two engines, from 1.
    pub round: u64,
    /// Which two engines met, from 1.
    pub pairing: usize,
    /// The engines that were the first and the second player, from 0.
    pub players: [usize; 2],
    /// The seed of the game.
    pub seed: u64,
    /// The number of the opening, from 1; 0 without openings.
    pub opening: usize,
    /// The position it began with; empty for the game's own start.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub start: String,
    /// Number of moves made before the engines' first.
    #[serde(default)]
    pub plies: usize,
    /// All moves, with blanks between them.
    pub moves: String,
    /// Who made them: a digit each, 1 or 2.
    pub movers: String,
    /// The result; `p1win`, `p2win` or `draw` in the file.
    #[serde(with = "outcome_word")]
    pub result: Outcome,
    /// What ended it.
    pub ending: Termination,
    /// The same in words.
    pub reason: String,
    /// Whose fault it was: 1 or 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<u8>,
    /// Discs or stones of the first and the second player, where they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<[u32; 2]>,
    /// Time of the engines' moves, in microseconds.
    pub micros: Vec<u64>,
    /// Their nodes; 0 where they did not say.
    pub nodes: Vec<u64>,
    /// Their depths; 0 where they did not say.
    pub depths: Vec<u32>,
    /// Their scores, for the side that moved.
    pub scores: Vec<Option<i32>>,
    /// When it began, in milliseconds since 1970.
    pub began: u64,
    /// After a fault: the last position.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub position: String,
    /// After a fault: the evidence about the engine at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remains: Option<PostMortem>,
    /// Remarks, each with the player it concerns: 1 or 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<(u8, String)>,
}

/// [`Outcome`] as its word in the log.
mod outcome_word {
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    use crate::games::Outcome;

    pub(super) fn serialize<S: Serializer>(
        outcome: &Outcome,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(outcome.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Outcome, D::Error> {
        let word = String::deserialize(deserializer)?;
        let unknown = || de::Error::unknown_variant(&word, &["p1win", "p2win", "draw"]);
        Outcome::parse(&word).ok_or_else(unknown)
    }
}

fn player_number(player: Player) -> u8 {
    match player {
        Player::First => 1,
        Player::Second => 2,
    }
}

impl GameRecord {
    /// The record of a finished game.
    pub fn new(
        scheduled: &ScheduledGame,
        start: String,
        plies: usize,
        began: u64,
        finished: FinishedGame,
    ) -> Self {
        let texts: Vec<&str> = finished
            .moves
            .iter()
            .map(|(_, text)| text.as_str())
            .collect();
        let movers = finished.moves.iter().map(|&(player, _)| match player {
            Player::First => '1',
            Player::Second => '2',
        });
        let infos = || finished.infos.iter();
        Self {
            game: scheduled.number + 1,
            round: scheduled.round + 1,
            pairing: scheduled.pairing + 1,
            players: [scheduled.first, scheduled.second],
            seed: scheduled.seed,
            opening: scheduled.opening.map_or(0, |opening| opening + 1),
            start,
            plies,
            moves: texts.join(" "),
            movers: movers.collect(),
            result: finished.outcome,
            ending: finished.ending,
            reason: finished.reason.clone(),
            blame: finished.blame.map(player_number),
            score: finished.score,
            micros: infos().map(|(_, time)| time.as_micros() as u64).collect(),
            nodes: infos().map(|(info, _)| info.nodes.unwrap_or(0)).collect(),
            depths: infos().map(|(info, _)| info.depth.unwrap_or(0)).collect(),
            scores: infos().map(|(info, _)| info.score).collect(),
            began,
            position: match finished.ending.is_fault() {
                true => finished.position,
                false => String::new(),
            },
            remains: finished.post_mortem,
            remarks: (finished.remarks.into_iter())
                .map(|(player, text)| (player_number(player), text))
                .collect(),
        }
    }

    /// The side that won, 0 or 1; none for a draw.
    pub fn winning_side(&self) -> Option<usize> {
        match self.result {
            Outcome::Win(player) => Some(player.index()),
            Outcome::Draw => None,
        }
    }

    /// The result for one side, 0 or 1.
    pub fn wdl_of(&self, side: usize) -> WdlCounts {
        match self.winning_side() {
            Some(winner) if winner == side => WdlCounts::new(1, 0, 0),
            Some(_) => WdlCounts::new(0, 0, 1),
            None => WdlCounts::new(0, 1, 0),
        }
    }

    /// The engines' own moves, each with its side (0 or 1) and its place among them.
    pub fn engine_moves(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (self.movers.bytes().skip(self.plies))
            .enumerate()
            .map(|(index, mover)| (usize::from(mover == b'2'), index))
    }

    /// Sums over the moves of one side: count, microseconds, nodes.
    pub fn move_totals(&self, side: usize) -> (u64, u64, u64) {
        let mut sum = (0, 0, 0);
        for (_, index) in self.engine_moves().filter(|&(mover, _)| mover == side) {
            let Some(&micros) = self.micros.get(index) else {
                continue;
            };
            sum.0 += 1;
            sum.1 += micros;
            sum.2 += self.nodes.get(index).copied().unwrap_or(0);
        }
        sum
    }
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum MatchLogError {
    /// The system says so.
    #[error("{path}: {error}")]
    Io {
        /// Which file or directory.
        path: String,
        /// The system's error.
        error: io::Error,
    },
    /// Another runner holds the lock.
    #[error("{0}: another match is being played there")]
    Busy(String),
    /// It is of another match.
    #[error(
        "{path}: another match was played there: {difference}; expected the same match, to be gone on with, or a new directory"
    )]
    OtherMatch {
        /// The file.
        path: String,
        /// The first difference.
        difference: String,
    },
    /// The content is not a match log.
    #[error("{path}, line {line}: {problem}")]
    Malformed {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The violation.
        problem: String,
    },
}

/// A journal that is being written.
#[derive(Debug)]
pub struct MatchLog {
    file: File,
    path: PathBuf,
    last_sync: Instant,
    has_unsynced_data: bool,
    /// Whether the file is locked against other runners.
    is_locked: bool,
}

impl MatchLog {
    /// Creates a match log in a directory, or continues the one of the same match; returns the games it has. Where files
    /// cannot be locked it is not locked.
    pub fn open(
        directory: &Path,
        header: &MatchHeader,
    ) -> Result<(Self, Vec<GameRecord>), MatchLogError> {
        let path = directory.join(FILE_NAME);
        let failed = |error| MatchLogError::Io {
            path: path.display().to_string(),
            error,
        };
        fs::create_dir_all(directory).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        let is_locked = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                return Err(MatchLogError::Busy(path.display().to_string()));
            }
            Err(TryLockError::Error(error)) if is_locking_unsupported(&error) => false,
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let (mut found, records, mut length) = parse(&path, &text)?;
        if records.is_empty() {
            // A match of which no game was played may as well be another one.
            (found, length) = (None, 0);
        }
        if let Some(difference) = found
            .as_ref()
            .and_then(|found| found.first_difference(header))
        {
            return Err(MatchLogError::OtherMatch {
                path: path.display().to_string(),
                difference,
            });
        }
        // A line that was not finished is as if it had not been begun.
        file.set_len(length as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut log = Self {
            file,
            path,
            last_sync: Instant::now(),
            has_unsynced_data: false,
            is_locked,
        };
        if found.is_none() {
            log.append(header)?;
        }
        Ok((log, records))
    }

    /// Whether the file is locked against other runners.
    pub fn is_locked(&self) -> bool {
        self.is_locked
    }

    /// Adds a line.
    fn append(&mut self, line: &impl Serialize) -> Result<(), MatchLogError> {
        let mut text = serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|error| self.io_error(error))?;
        self.has_unsynced_data = true;
        Ok(())
    }

    /// Adds a game.
    pub fn append_game(&mut self, record: &GameRecord) -> Result<(), MatchLogError> {
        self.append(record)?;
        self.sync(false)
    }

    /// Syncs to disk if the last sync is older than `SYNC_INTERVAL`, or at once if `is_forced`.
    pub fn sync(&mut self, is_forced: bool) -> Result<(), MatchLogError> {
        if self.has_unsynced_data && (is_forced || self.last_sync.elapsed() >= SYNC_INTERVAL) {
            let synced = self.file.sync_data();
            synced.map_err(|error| self.io_error(error))?;
            self.last_sync = Instant::now();
            self.has_unsynced_data = false;
        }
        Ok(())
    }

    fn io_error(&self, error: io::Error) -> MatchLogError {
        MatchLogError::Io {
            path: self.path.display().to_string(),
            error,
        }
    }
}

/// Whether the error means that the file system has no locks, as network file systems without a lock manager.
fn is_locking_unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::NOLCK.raw_os_error()) {
        return true;
    }
    error.kind() == io::ErrorKind::Unsupported
}

/// Reads the journal of a directory.
pub fn read(directory: &Path) -> Result<(MatchHeader, Vec<GameRecord>), MatchLogError> {
    let path = directory.join(FILE_NAME);
    let text = fs::read(&path).map_err(|error| MatchLogError::Io {
        path: path.display().to_string(),
        error,
    })?;
    let (header, records, _) = parse(&path, &text)?;
    let header = header.ok_or_else(|| MatchLogError::Malformed {
        path: path.display().to_string(),
        line: 1,
        problem: "nothing is there: expected what is played".to_owned(),
    })?;
    Ok((header, records))
}

/// The content of a match log, and the bytes of its whole lines. Of two games with one number the first counts.
fn parse(
    path: &Path,
    text: &[u8],
) -> Result<(Option<MatchHeader>, Vec<GameRecord>, usize), MatchLogError> {
    let whole = (text.iter().rposition(|&byte| byte == b'\n')).map_or(0, |last| last + 1);
    let mut lines = (1..).zip(
        text.get(..whole)
            .unwrap_or_default()
            .split(|&byte| byte == b'\n'),
    );
    let bad = |line: usize, problem: String| MatchLogError::Malformed {
        path: path.display().to_string(),
        line,
        problem,
    };
    let header: Option<MatchHeader> = match lines.next() {
        Some((_, line)) if !line.is_empty() => {
            let header: MatchHeader = serde_json::from_slice(line)
                .map_err(|error| bad(1, format!("not what is played: {error}")))?;
            if header.format > FORMAT_VERSION {
                let problem = format!(
                    "format {} is of a later version: expected {FORMAT_VERSION}",
                    header.format
                );
                return Err(bad(1, problem));
            }
            Some(header)
        }
        _ => None,
    };
    let mut records: Vec<GameRecord> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let record: GameRecord = serde_json::from_slice(line)
            .map_err(|error| bad(number, format!("not a game: {error}")))?;
        let engines = header.as_ref().map_or(0, |header| header.engines.len());
        let is_sound = record.players.iter().all(|&player| player < engines)
            && record.movers.len() == record.moves.split_whitespace().count();
        if !is_sound {
            return Err(bad(
                number,
                "a game that cannot have been played".to_owned(),
            ));
        }
        if seen.insert(record.game) {
            records.push(record);
        }
    }
    Ok((header, records, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log written by another hand is refused where its result is no word of ours.
    #[test]
    fn a_game_with_an_unknown_result_is_no_game() {
        let line = |result: &str| {
            format!(
                r#"{{"game":1,"round":1,"pairing":1,"players":[0,1],"seed":1,"opening":0,"moves":"","movers":"",
                "result":"{result}","ending":"rules","reason":"","micros":[],"nodes":[],"depths":[],"scores":[],"began":0}}"#
            )
        };
        for (word, winner) in [("p1win", Some(0)), ("p2win", Some(1)), ("draw", None)] {
            let record: Result<GameRecord, _> = serde_json::from_str(&line(word));
            let winning_side = record.as_ref().map(GameRecord::winning_side).ok();
            assert_eq!(winning_side, Some(winner), "{record:?}");
            let text = record.and_then(|record| serde_json::to_string(&record));
            assert!(text.is_ok_and(|text| text.contains(&format!("\"result\":\"{word}\""))));
        }
        let unknown: Result<GameRecord, _> = serde_json::from_str(&line("p3win"));
        let problem = unknown.err().map(|error| error.to_string());
        assert!(problem.is_some_and(|problem| problem.contains("expected one of `p1win`")));
    }
}
