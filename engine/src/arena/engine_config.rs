//! An engine's configuration: command, options, dialect.
//!
//! Written as words that a shell would split: settings `key=value`, then the command. `name=deep option.Depth=6 go='movetime
//! 100' ./engine --quiet`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::time_control::MoveLimits;

/// The dialects an engine may speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineProtocol {
    /// The universal game interface, for any game.
    #[default]
    Ugi,
    /// The universal chess interface, with variants.
    Uci,
    /// The Go text protocol.
    Gtp,
}

impl EngineProtocol {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::Ugi, Self::Uci, Self::Gtp];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ugi => "ugi",
            Self::Uci => "uci",
            Self::Gtp => "gtp",
        }
    }
}

/// An engine that takes part in a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineConfig {
    /// Its name in tables.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it is started; none for where the match is.
    pub directory: Option<PathBuf>,
    /// Its dialect.
    pub protocol: EngineProtocol,
    /// Options, set before the first game.
    pub options: Vec<(String, String)>,
    /// Whether it thinks on its opponent's time, over UCI.
    pub ponders: bool,
    /// Limits of its moves; none for those of the match.
    pub limits: Option<MoveLimits>,
    /// Whether its process runs at low priority, so that a window stays responsive.
    pub is_low_priority: bool,
}

/// What is wrong with a text that should be an engine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "engine {text:?}: {problem}: expected a command with its arguments, and before it, if wanted, name=NAME dialect=ugi|uci|gtp \
     option.NAME=VALUE go='LIMITS' dir=DIRECTORY ponder=true; or search=SEARCH for one of ours"
)]
pub struct EngineConfigError {
    text: String,
    problem: String,
}

/// Splits a command into words as a shell does; none if a quote is not closed.
pub fn split_command(command: &str) -> Option<Vec<String>> {
    shlex::split(command)
}

impl EngineConfig {
    /// Reads an engine. One that names a search and no command is `own`, the program and arguments that start ours.
    pub fn parse(text: &str, own_command: &[String]) -> Result<Self, EngineConfigError> {
        let refuse = |problem: String| EngineConfigError {
            text: text.to_owned(),
            problem,
        };
        let words =
            split_command(text).ok_or_else(|| refuse("a quote is not closed".to_owned()))?;
        let mut engine = Self::default();
        let mut words = words.into_iter().peekable();
        while let Some((key, value)) = words.peek().and_then(|word| word.split_once('=')) {
            match key {
                "name" if !value.trim().is_empty() => engine.name = value.trim().to_owned(),
                "name" => return Err(refuse("the name is empty".to_owned())),
                "dialect" => {
                    let mut all = EngineProtocol::ALL.into_iter();
                    let known = all.find(|dialect| dialect.name() == value);
                    engine.protocol =
                        known.ok_or_else(|| refuse(format!("no dialect {value:?}")))?;
                }
                "go" => {
                    let go = value.parse().map_err(|error| refuse(format!("{error}")))?;
                    engine.limits = Some(go);
                }
                "ponder" => {
                    engine.ponders = value
                        .parse()
                        .map_err(|_| refuse(format!("ponder cannot be {value:?}")))?;
                }
                "dir" => engine.directory = Some(PathBuf::from(value)),
                "search" => engine.options.push(("Search".to_owned(), value.to_owned())),
                _ => match key.strip_prefix("option.") {
                    Some(name) if !name.is_empty() => {
                        engine.options.push((name.to_owned(), value.to_owned()));
                    }
                    // With a slash it is the path of a program, not a setting.
                    _ if key.contains('/') => break,
                    _ => return Err(refuse(format!("no setting {key:?}"))),
                },
            }
            words.next();
        }
        if engine.ponders && engine.protocol != EngineProtocol::Uci {
            return Err(refuse("ponder=true needs dialect=uci".to_owned()));
        }
        engine.command = words.collect();
        let search = engine.options.iter().find(|(name, _)| name == "Search");
        let search = search.map(|(_, value)| value.clone());
        if engine.command.is_empty() {
            if search.is_none() {
                return Err(refuse("no command".to_owned()));
            }
            engine.command = own_command.to_vec();
        }
        if engine.name.is_empty() {
            engine.name = search.unwrap_or_else(|| {
                let program = PathBuf::from(engine.command.first().map_or("", String::as_str));
                let stem = program.file_stem().unwrap_or_default();
                stem.to_string_lossy().into_owned()
            });
        }
        Ok(engine)
    }

    /// Gives engines of one name different ones.
    pub fn make_names_unique(engines: &mut [Self]) {
        let mut names: Vec<&mut String> =
            engines.iter_mut().map(|engine| &mut engine.name).collect();
        make_unique(&mut names);
    }
}

/// Adds numbers to names that were there before.
pub fn make_unique(names: &mut [&mut String]) {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        let mut unique = name.clone();
        let mut count = 1;
        while seen.contains(&unique) {
            count += 1;
            unique = format!("{name} {count}");
        }
        seen.push(unique.clone());
        **name = unique;
    }
}
