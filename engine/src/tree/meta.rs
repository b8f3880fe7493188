//! STEM.json and match.json: the sidecar of a tree, and the state of a match.

use std::{collections::BTreeMap, io::Read};

use serde::{Deserialize, Serialize};

use super::{FileLocation, TreeError};
use crate::games::Outcome;

/// The version of the files that this program writes.
pub const FORMAT_VERSION: u32 = 1;

/// The content of STEM.json. Missing keys have their defaults, unknown ones are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// The version of the format: 1.
    pub format: u32,
    /// Whether the search is over.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// The game, with its variant.
    pub game: String,
    /// The root position, as the game writes it.
    pub position: String,
    /// Plies played before the search.
    pub ply: u32,
    /// Who is to move at the root: 1 or 2.
    pub to_move: u8,
    /// The search, as the catalogue calls it.
    pub search: String,
    /// Everything that can be set about it.
    pub parameters: BTreeMap<String, String>,
    /// Seed of the random numbers; the drawn one if 0 was set.
    pub seed: u64,
    /// Threads.
    pub threads: u32,
    /// When the search was to stop.
    pub limits: LimitsMeta,
    /// Completed playouts; 0 for searches without playouts.
    pub iterations: u64,
    /// Positions visited.
    pub nodes: u64,
    /// Time used so far.
    pub milliseconds: u64,
    /// The root's own statistics, which `.tree` files lack.
    pub root: RootMeta,
    /// The move that was chosen; none while the search runs.
    pub chosen: Option<String>,
    /// The moves that the search expects both sides to play, the chosen one first; empty while it runs.
    pub line: Vec<String>,
    /// The depths that a search of the alpha-beta family has completed; empty while it runs, and for other searches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<DepthMeta>,
    /// The limits of the tree file, and the number of omitted nodes.
    pub cut: CutMeta,
    /// Resources the search had less of than requested, for lack of memory: a sentence each.
    pub shortfalls: Vec<String>,
    /// Whether a counter exceeded the file's range and is written as 2147483647.
    pub saturated: bool,
    /// The file of extras, if there is one.
    pub extra: Option<String>,
    /// The file of columns, if there is one.
    pub columns: Option<String>,
    /// What the search of another program prefers among children, over the names of columns; not written if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The journal, if there is one.
    pub growth: Option<String>,
}

/// When a search was to stop; none for no such limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitsMeta {
    /// Playouts.
    pub iterations: Option<u64>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Time.
    pub milliseconds: Option<u64>,
}

/// A depth that a deepening search has completed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DepthMeta {
    /// Plies.
    pub depth: u32,
    /// Value of the root for the side to move, in the units of the evaluation.
    pub value: f64,
    /// Positions visited at this depth alone.
    pub nodes: u64,
    /// Positions that minimax visits at this depth; none if they were not counted.
    pub full_nodes: Option<u64>,
    /// The best move.
    pub best: String,
    /// The stem of its tree; none if it was not written.
    pub tree: Option<String>,
}

/// The root's own statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RootMeta {
    /// Visits.
    pub visits: u64,
    /// Visits of this search alone.
    pub second: u64,
    /// The mean for the opponent of the side to move.
    pub mean: f64,
}

/// The part left out of a tree file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CutMeta {
    /// The most rows there might be; none for any number.
    pub max_nodes: Option<u64>,
    /// The fewest visits a row might have.
    pub min_visits: u64,
    /// Number of the search's nodes that are not in the file.
    pub left_out: u64,
}

/// The content of match.json.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchMeta {
    /// The version of the format: 1.
    pub format: u32,
    /// The game, with its variant.
    pub game: String,
    /// The number of this game in the match, from 1.
    pub number: u64,
    /// The number of games of the match; 0 if unknown.
    pub games: u64,
    /// The position this game began with.
    pub position: String,
    /// The moves so far.
    pub moves: Vec<String>,
    /// Who plays the first and the second side of this game.
    pub players: Vec<String>,
    /// Milliseconds left on the clocks of the first and the second side; empty without clocks.
    pub clocks: Vec<u64>,
    /// Games won by each player of `names`, and drawn, so far.
    pub score: ScoreMeta,
    /// How this game ended: `p1win`, `p2win`, `draw`; none while it goes on.
    pub result: Option<String>,
    /// Why it ended, in a few words.
    pub reason: Option<String>,
    /// The sub-directory with this game's trees, such as `game-0003`.
    pub directory: Option<String>,
    /// Whether the match is over: all games have been played, or no more will be.
    pub over: bool,
}

impl MatchMeta {
    /// The result of this game; none while it goes on, and for a word that only another program knows.
    pub fn outcome(&self) -> Option<Outcome> {
        Outcome::parse(self.result.as_deref()?)
    }
}

/// How a match stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScoreMeta {
    /// The players of the match, in the order in which they were given.
    pub names: Vec<String>,
    /// Games won by each.
    pub won: Vec<u64>,
    /// Games drawn.
    pub drawn: u64,
}

/// `value` as indented JSON, the text of sidecars such as STEM.json.
pub fn to_json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads STEM.json.
pub fn read(input: impl Read) -> Result<Meta, TreeError> {
    let meta: Meta = parse(input)?;
    check_version(meta.format)?;
    Ok(meta)
}

/// Reads match.json.
pub fn read_match(input: impl Read) -> Result<MatchMeta, TreeError> {
    let meta: MatchMeta = parse(input)?;
    check_version(meta.format)?;
    Ok(meta)
}

fn parse<T: for<'a> Deserialize<'a>>(input: impl Read) -> Result<T, TreeError> {
    let mut text = Vec::new();
    // A sidecar is a few kilobytes; a longer file is something else.
    input.take(MAX_SIDECAR_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_SIDECAR_BYTES {
        return Err(TreeError::at_line(
            1,
            "not a sidecar: it is longer than 16 megabytes",
        ));
    }
    serde_json::from_slice(&text).map_err(|error| TreeError::Malformed {
        place: FileLocation::Line(error.line() as u64),
        problem: error.to_string(),
    })
}

const MAX_SIDECAR_BYTES: u64 = 1 << 24;

fn check_version(format: u32) -> Result<(), TreeError> {
    if format > FORMAT_VERSION {
        return Err(TreeError::at_line(
            1,
            format!("format {format} is of a later version: expected {FORMAT_VERSION}"),
        ));
    }
    Ok(())
}
