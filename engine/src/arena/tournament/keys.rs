//! The keys of a tournament file: names, ranges and meaning, in one table for the reader and for the schema.

use std::{collections::BTreeMap, fmt};

use serde_json::{Map, Value, json};

use crate::{
    arena::schedule::MAX_ENGINES,
    games::notation::{escape_invisible, join_words},
};

/// Letters of a value that a message shows.
const MAX_SHOWN_CHARS: usize = 60;

/// More repetitions than this are mistakes.
pub const MAX_REPETITIONS: u64 = 1_000_000;
/// The deepest search of the catalogue.
const MAX_DEPTH: u64 = 500;

/// What may stand at a key.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number from 1 to this one.
    Whole(u64),
    /// True or false.
    Flag,
    /// Any text but an empty one; what it means is checked later.
    Text,
    /// The list of the players.
    Players,
}

/// A key of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// Its name, as the report writes it.
    pub(super) name: &'static str,
    /// Its name in the report's program, where that differs.
    pub(super) other_spelling: Option<&'static str>,
    pub(super) rule: Rule,
    /// The value if it is not given, as JSON; none where nothing is the default.
    pub(super) default: Option<&'static str>,
    /// Its meaning in a sentence, for the schema.
    pub(super) help: &'static str,
}

const fn key(name: &'static str, rule: Rule, help: &'static str) -> Key {
    Key {
        name,
        other_spelling: None,
        rule,
        default: None,
        help,
    }
}

impl Key {
    const fn or(self, other_spelling: &'static str) -> Self {
        Self {
            other_spelling: Some(other_spelling),
            ..self
        }
    }

    const fn with_default(self, default: &'static str) -> Self {
        Self {
            default: Some(default),
            ..self
        }
    }

    fn default_value(&self) -> Option<Value> {
        serde_json::from_str(self.default?).ok()
    }

    /// The name, and the other one where there is one.
    fn spellings(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.other_spelling)
    }
}

/// The kinds of players that report 001 has.
pub(super) const PLAYER_TYPES: [&str; 7] = [
    "user",
    "random",
    "simple_heuristic",
    "heuristic",
    "mcts_uct",
    "mcts_ucb1",
    "mcts_grouping",
];

/// The keys of the file. All but `game` are report 001's.
pub(super) const CONFIG_KEYS: &[Key] = &[
    key(
        "game",
        Rule::Text,
        "The game, with a variant if wanted, such as kalah:4x3",
    ),
    key(
        "game_type",
        Rule::Word(&["match", "tournament"]),
        "match: one game of two players; tournament: a best of three of every two players",
    )
    .with_default("\"match\""),
    key(
        "game_repetitions",
        Rule::Whole(MAX_REPETITIONS),
        "How often all of it is played, each time with another seed",
    )
    .with_default("1"),
    key(
        "seed",
        Rule::Whole(u64::MAX),
        "From which the seeds of the repetitions follow; without it every run is another one",
    ),
    key(
        "heuristic_simulation_depth",
        Rule::Whole(MAX_DEPTH),
        "Plies that players of the type heuristic look ahead",
    )
    .or("heurstic_simulation_depth")
    .with_default("6"),
    key(
        "mcts_simulation_count",
        Rule::Whole(u64::MAX),
        "Iterations a move of players of the types mcts_*, and of Monte-Carlo searches without a limit of their own",
    )
    .with_default("300"),
    key(
        "show_visualisation",
        Rule::Flag,
        "Whether the games are shown in a window; with a user they always are",
    )
    .or("show_visualization")
    .with_default("true"),
    key(
        "output_file",
        Rule::Text,
        "A file of all games, six columns each; an older one is overwritten",
    ),
    key("players", Rule::Players, "Who plays: two for a match, two or more for a tournament"),
];

/// The keys of a player. The first two are report 001's.
pub(super) const PLAYER_KEYS: &[Key] = &[
    key(
        "player_type",
        Rule::Word(&PLAYER_TYPES),
        "One of report 001's players",
    ),
    key(
        "player_color",
        Rule::Text,
        "The side in a match, if both players have different ones: black or white, or as the game calls its sides",
    ),
    key(
        "search",
        Rule::Text,
        "Instead of player_type: any search of the catalogue with its parameters, such as uct,iterations=1000",
    ),
    key(
        "engine",
        Rule::Text,
        "Instead of player_type: any engine, as canopy-engine match --engine takes it",
    ),
    key(
        "go",
        Rule::Text,
        "The limits of its moves, such as nodes 2000 or movetime 100",
    ),
    key("name", Rule::Text, "Its name in tables and files"),
];

/// The keys of which a player has exactly one.
pub(super) const PLAYER_KINDS: [&str; 3] = ["player_type", "search", "engine"];

/// A mistake in a file: where, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The path of the key, such as `players[1].player_type`; players are counted from 0. Or the line.
    pub path: String,
    /// The value and what is allowed, in a sentence.
    pub problem: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, problem } = self;
        write!(out, "{}: {problem}", escape_invisible(path))
    }
}

/// The mistakes of a file that were found so far.
#[derive(Debug, Default)]
pub(super) struct Problems(pub(super) Vec<ConfigProblem>);

impl Problems {
    pub(super) fn add(&mut self, path: impl Into<String>, problem: impl Into<String>) {
        self.0.push(ConfigProblem {
            path: path.into(),
            problem: problem.into(),
        });
    }
}

/// A value as a message shows it.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        None => text,
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}

fn quoted(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!("{word:?}")).collect()
}

impl Rule {
    fn expected(self) -> String {
        match self {
            Self::Word(words) => join_words(&quoted(words), "or"),
            Self::Whole(u64::MAX) => "a whole number, at least 1".to_owned(),
            Self::Whole(max) => format!("a whole number from 1 to {max}"),
            Self::Flag => "true or false".to_owned(),
            Self::Text => "a text in quotes".to_owned(),
            Self::Players => format!("a list of 2 to {MAX_ENGINES} objects"),
        }
    }

    /// What is wrong with a value.
    fn problem_of(self, value: &Value) -> Option<String> {
        let kind = match (self, value) {
            (Self::Word(words), Value::String(word)) => {
                if words.contains(&word.as_str()) {
                    return None;
                }
                "is not known"
            }
            (Self::Whole(max), Value::Number(number)) => {
                if (number.as_u64()).is_some_and(|number| (1..=max).contains(&number)) {
                    return None;
                }
                "is out of range"
            }
            (Self::Text, Value::String(text)) => {
                if !text.trim().is_empty() {
                    return None;
                }
                "is empty"
            }
            (Self::Flag, Value::Bool(_)) => return None,
            (Self::Players, Value::Array(players)) => {
                if (2..=MAX_ENGINES).contains(&players.len()) {
                    return None;
                }
                let count = match players.len() {
                    1 => "1 player".to_owned(),
                    count => format!("{count} players"),
                };
                return Some(format!("{count}: expected {}", self.expected()));
            }
            (_, Value::String(_)) => "is a text",
            (_, Value::Number(_)) => "is a number",
            (_, Value::Bool(_)) => "is true or false",
            (_, Value::Array(_)) => "is a list",
            (_, Value::Object(_)) => "is an object",
            (_, Value::Null) => "is nothing",
        };
        Some(format!(
            "{} {kind}: expected {}",
            shown(value),
            self.expected()
        ))
    }

    fn schema(self) -> Value {
        match self {
            Self::Word(words) => json!({"enum": words}),
            Self::Whole(u64::MAX) => json!({"type": "integer", "minimum": 1}),
            Self::Whole(max) => json!({"type": "integer", "minimum": 1, "maximum": max}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Text => json!({"type": "string", "minLength": 1}),
            Self::Players => json!({
                "type": "array",
                "minItems": 2,
                "maxItems": MAX_ENGINES,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": properties(PLAYER_KEYS),
                    "oneOf": PLAYER_KINDS.map(|kind| json!({"required": [kind]})),
                },
            }),
        }
    }
}

fn properties(keys: &[Key]) -> Map<String, Value> {
    let mut all = Map::new();
    for key in keys {
        let mut schema = key.rule.schema();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), key.help.into());
            schema.extend((key.default_value()).map(|default| ("default".to_owned(), default)));
        }
        for name in key.spellings() {
            all.insert(name.to_owned(), schema.clone());
        }
    }
    all
}

/// The schema of the file, in JSON schema's draft 4, as report 001 has it.
pub fn schema() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "A tournament for canopy-engine tournament",
        "type": "object",
        "additionalProperties": false,
        "required": ["players"],
        "properties": properties(CONFIG_KEYS),
    })
}

/// The values of an object that are sound, with defaults for the others.
#[derive(Debug)]
pub(super) struct CheckedObject {
    values: BTreeMap<&'static str, Value>,
}

impl CheckedObject {
    /// Reads an object at a path, which is empty for the whole file.
    pub(super) fn read(path: &str, value: &Value, keys: &[Key], problems: &mut Problems) -> Self {
        let place = |name: &str| match path {
            "" => name.to_owned(),
            _ => format!("{path}.{name}"),
        };
        let mut values = BTreeMap::new();
        let Some(object) = value.as_object() else {
            let path = if path.is_empty() { "the file" } else { path };
            problems.add(
                path,
                format!("{}: expected an object in braces", shown(value)),
            );
            return Self { values };
        };
        for (name, value) in object {
            let Some(key) = (keys.iter()).find(|key| key.spellings().any(|known| known == name))
            else {
                let known: Vec<&str> = keys.iter().map(|key| key.name).collect();
                problems.add(
                    place(name),
                    format!(
                        "there is no such key: expected {}",
                        join_words(&known, "or")
                    ),
                );
                continue;
            };
            if let Some(problem) = key.rule.problem_of(value) {
                problems.add(place(name), problem);
            } else if values.insert(key.name, value.clone()).is_some() {
                let both: Vec<&str> = key.spellings().collect();
                problems.add(
                    place(name),
                    format!(
                        "it is given in both spellings: expected {}",
                        join_words(&both, "or")
                    ),
                );
            }
        }
        for key in keys {
            if let (false, Some(default)) = (values.contains_key(key.name), key.default_value()) {
                values.insert(key.name, default);
            }
        }
        Self { values }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
}
