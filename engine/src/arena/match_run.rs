//! Matches in run directories: the plan of a match, its games, and directories of the first release.

use std::{fs, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;

use super::{
    match_log::{self, EngineRecord, GameRecord, MatchHeader},
    sprt::Sprt,
};
use crate::runs::{
    RunError,
    directory::RunDirectory,
    part::{PartHeader, PartLine},
    plan::{Plan, RunKind, Units},
    shard::Shard,
    union::Run,
};

/// The fields of a game that differ when it is played again: times, dates, and the evidence about a process.
const TIME_FIELDS: [&str; 3] = ["micros", "began", "remains"];

/// Terms of an attempt at a match on which no game depends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchTerms {
    /// When the match may stop early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
}

/// The plan of a match. Its units are the two games of an opening.
pub fn plan_of(header: &MatchHeader, games: u64, is_repeatable: bool) -> Plan {
    let engines = header.engines.len() as u64;
    let content = serde_json::to_value(header).unwrap_or_default();
    Plan::new(RunKind::Match, games, content)
        .with_units(Units {
            size: 2,
            stride: (engines * engines.saturating_sub(1) / 2).max(1),
        })
        .with_times(is_repeatable, &TIME_FIELDS)
}

/// The games of a match in order of their numbers.
pub fn records_of(run: &Run, header: &MatchHeader) -> Result<Vec<GameRecord>, RunError> {
    run.results(|trial, record: &GameRecord| match record.game == trial {
        true => record.check(header.engines.len()),
        false => Err(format!("it is game {}", record.game)),
    })
}

/// The terms of the newest attempt.
pub fn terms_of(run: &Run) -> MatchTerms {
    let newest = run.newest_attempt();
    let terms = newest.map(|attempt| attempt.header.terms.clone());
    serde_json::from_value(terms.unwrap_or_default()).unwrap_or_default()
}

/// Puts a match into a directory, or joins the same match that is there. `commands` are those of the engines, by which
/// directories of the first release know them.
pub fn create(
    directory: &Path,
    plan: Plan,
    header: &MatchHeader,
    commands: &[Vec<String>],
) -> Result<RunDirectory, RunError> {
    // A directory that cannot be made is told by its own name, not by that of a file looked for in it.
    fs::create_dir_all(directory).map_err(|error| RunError::io(directory, error))?;
    let first_release = match RunDirectory::exists(directory) {
        true => None,
        false => match_log::read(directory)?.filter(|(_, records)| !records.is_empty()),
    };
    let Some((mut found, records)) = first_release else {
        return RunDirectory::create(directory, plan);
    };
    for ((there, now), command) in found.engines.iter_mut().zip(&header.engines).zip(commands) {
        adopt_build(there, now, command);
    }
    if let Some(difference) = plan_of(&found, 0, plan.repeatable).first_difference(&plan) {
        return Err(RunError::OtherRun {
            path: directory.display().to_string(),
            kind: RunKind::Match,
            difference,
        });
    }
    // The games become a part before there is a plan: whoever sees the plan sees them, too.
    let staged = RunDirectory::stage(directory, plan);
    let mut part = staged.start_part_with(first_release_header(&staged.plan().digest, &records))?;
    for record in &records {
        if let Ok(result) = to_raw_value(record) {
            part.append_raw(record.game, record.began, result)?;
        }
    }
    part.finish(None)?;
    RunDirectory::create(directory, staged.plan().clone())
}

/// Reads the match of a directory of the first release as a run of one part.
pub fn load_first_release(directory: &Path) -> Result<Run, RunError> {
    let (header, _) = read_first_release(directory)?;
    let mut run = Run::new(plan_of(&header, 0, false), true);
    add_first_release(&mut run, directory)?;
    Ok(run)
}

/// Adds the games of a directory of the first release to a run, as one more part.
pub fn add_first_release(run: &mut Run, directory: &Path) -> Result<(), RunError> {
    let (_, records) = read_first_release(directory)?;
    let file = directory.join(match_log::FILE_NAME).display().to_string();
    run.start_attempt(file, first_release_header(&run.plan().digest, &records));
    for record in &records {
        if let Ok(result) = to_raw_value(record) {
            let trial = record.game;
            run.add_line(record.began, PartLine::Result { trial, result })?;
        }
    }
    Ok(())
}

/// The match log of a directory of the first release, with our own engines as they are written now.
fn read_first_release(directory: &Path) -> Result<(MatchHeader, Vec<GameRecord>), RunError> {
    let found = match_log::read(directory)?;
    let (mut header, records) =
        found.ok_or_else(|| RunError::NoRun(directory.display().to_string()))?;
    for engine in &mut header.engines {
        if let Some(build) = engine.build.clone() {
            engine.set_build(build);
        }
    }
    Ok((header, records))
}

/// The header of a part that is made of a match log.
fn first_release_header(digest: &str, records: &[GameRecord]) -> PartHeader {
    let greatest = records.last().map_or(0, |record| record.game);
    let began = records.iter().map(|record| record.began).min();
    PartHeader {
        time: began.unwrap_or(0),
        ..PartHeader::new(digest, Shard::WHOLE, greatest, serde_json::Value::Null)
    }
}

/// Writes an engine of the first release as it is written now, if it is one of our own.
fn adopt_build(there: &mut EngineRecord, now: &EngineRecord, command: &[String]) {
    let build = match there.build.clone() {
        Some(build) => Some(build),
        // The log of a version that did not write it.
        None => now.build.clone().filter(|_| there.command == command),
    };
    if let Some(build) = build {
        there.set_build(build);
    }
}
