//! The match log, match.jsonl: the match on its first line, then a line per finished game, in order of their numbers.
//!
//! It is written from the parts of a run directory ([`super::match_run`]). A directory of the first release has nothing else.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    client::{PostMortem, Timeouts},
    engine_config::{EngineConfig, EngineProtocol},
    referee::{Adjudication, FinishedGame, Termination},
    schedule::ScheduledGame,
    stats::WdlCounts,
};
use crate::{
    games::{Outcome, Player},
    runs::RunError,
};

/// The name of the file.
pub const FILE_NAME: &str = "match.jsonl";
/// The version of the file that is written.
const FORMAT_VERSION: u32 = 1;

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

/// An engine as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineRecord {
    /// Its name in tables.
    pub name: String,
    /// The program and its arguments; none for one of our own engines, which is the same wherever its program lies.
    pub command: Vec<String>,
    /// Where it is started.
    pub directory: Option<PathBuf>,
    /// Its dialect.
    pub dialect: EngineProtocol,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// The limits of its moves.
    pub go: String,
    /// Whether it thinks on its opponent's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
    /// Which of our own engines it is.
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
    /// The name of its search, if it is one of our own engines.
    pub fn own_search(&self) -> Option<&str> {
        self.build.as_ref()?;
        let search = self.options.iter().find(|(name, _)| name == "Search");
        search.map(|(_, search)| search.as_str())
    }

    /// Whether it is a person, who has no program.
    pub fn is_person(&self) -> bool {
        self.build.is_none() && self.command.is_empty()
    }

    /// Makes it one of our own engines.
    pub fn set_build(&mut self, build: EngineBuild) {
        self.build = Some(build);
        self.command.clear();
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
            ponder: engine.ponders,
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
    /// Their evaluated leaves; empty if they never said, 0 for moves of which they did not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<u64>,
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
pub mod outcome_word {
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    use crate::games::Outcome;

    /// Writes the word.
    pub fn serialize<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(outcome.as_str())
    }

    /// Reads the word.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
        let word = String::deserialize(deserializer)?;
        let unknown = || de::Error::unknown_variant(&word, &["p1win", "p2win", "draw"]);
        Outcome::parse(&word).ok_or_else(unknown)
    }
}

/// Sums over the moves of one side in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTotals {
    /// Number of moves.
    pub moves: u64,
    /// Time, in microseconds.
    pub micros: u64,
    /// Nodes, or playouts.
    pub nodes: u64,
    /// Evaluated leaves; 0 if the engine does not say.
    pub leaves: u64,
}

/// The leaves of each move; empty if no engine said any.
fn leaves_of(finished: &FinishedGame) -> Vec<u64> {
    let leaves = finished.infos.iter().map(|(info, _)| info.leaves);
    match leaves.clone().any(|leaves| leaves.is_some()) {
        true => leaves.map(Option::unwrap_or_default).collect(),
        false => Vec::new(),
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
            leaves: leaves_of(&finished),
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

    /// Sums over the moves of one side.
    pub fn move_totals(&self, side: usize) -> MoveTotals {
        let mut sum = MoveTotals::default();
        for (_, index) in self.engine_moves().filter(|&(mover, _)| mover == side) {
            let Some(&nodes) = self.nodes.get(index) else {
                continue;
            };
            sum.moves += 1;
            sum.micros += self.micros.get(index).copied().unwrap_or(0);
            sum.nodes += nodes;
            sum.leaves += self.leaves.get(index).copied().unwrap_or(0);
        }
        sum
    }
}

impl GameRecord {
    /// What is wrong with a game of a match of so many engines.
    pub(super) fn check(&self, engines: usize) -> Result<(), String> {
        let is_sound = self.players.iter().all(|&player| player < engines)
            && self.movers.len() == self.moves.split_whitespace().count();
        match is_sound {
            true => Ok(()),
            false => Err("a game that cannot have been played".to_owned()),
        }
    }

    /// Whether it has the times of its moves.
    pub(super) fn has_times(&self) -> bool {
        !self.micros.is_empty() || self.nodes.is_empty()
    }

    /// The game without its times and dates.
    pub(super) fn without_times(&self) -> Self {
        Self {
            micros: Vec::new(),
            began: 0,
            remains: None,
            ..self.clone()
        }
    }
}

/// The text of a match log.
pub(super) fn to_text(header: &MatchHeader, records: &[GameRecord]) -> String {
    let mut text = serde_json::to_string(header).unwrap_or_default();
    text.push('\n');
    for record in records {
        text.push_str(&serde_json::to_string(record).unwrap_or_default());
        text.push('\n');
    }
    text
}

/// Reads the match log of a directory; `None` if it has none. A last line without its end is ignored; of two games with one
/// number the first counts.
pub(super) fn read(directory: &Path) -> Result<Option<(MatchHeader, Vec<GameRecord>)>, RunError> {
    let path = directory.join(FILE_NAME);
    let text = match fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| RunError::io(&path, error))?,
    };
    let malformed = |line: usize, problem: String| RunError::Malformed {
        path: path.display().to_string(),
        line,
        problem,
    };
    let whole = (text.iter().rposition(|&byte| byte == b'\n')).map_or(0, |last| last + 1);
    let lines = text
        .get(..whole)
        .unwrap_or_default()
        .split(|&byte| byte == b'\n');
    let mut lines = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
    let Some((_, line)) = lines.next() else {
        return Ok(None);
    };
    let header: MatchHeader = serde_json::from_slice(line)
        .map_err(|error| malformed(1, format!("not what is played: {error}")))?;
    if header.format > FORMAT_VERSION {
        let format = header.format;
        return Err(malformed(
            1,
            format!("format {format} is of a later version: expected {FORMAT_VERSION}"),
        ));
    }
    let mut records: Vec<GameRecord> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (number, line) in lines {
        let record: GameRecord = serde_json::from_slice(line)
            .map_err(|error| malformed(number, format!("not a game: {error}")))?;
        (record.check(header.engines.len())).map_err(|problem| malformed(number, problem))?;
        if seen.insert(record.game) {
            records.push(record);
        }
    }
    records.sort_by_key(|record| record.game);
    Ok(Some((header, records)))
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
