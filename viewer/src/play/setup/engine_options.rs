//! The options of another program: those that it declares, and the values that the form has for them.

use canopy_engine::{
    arena::{
        client::{EngineOption, EngineOptionKind},
        engine_config::EngineProtocol,
    },
    games,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{EngineSetup, SetupField, SetupProblems};

/// How an empty text is sent as the value of an option.
const EMPTY_VALUE: &str = "<empty>";
/// Options, in small letters, that the program is told by whoever plays with it.
const OPTIONS_SET_BY_GAMES: [&str; 4] = ["game", "uci_variant", "seed", "treedir"];

/// A program as the form has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The command that starts it, with the settings before it.
    pub command: String,
    /// The dialect that is spoken with it.
    pub dialect: EngineProtocol,
}

/// The options that a program declared when it was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeclaredOptions {
    /// The program that was asked.
    pub program: Program,
    /// Its options, in its order.
    #[serde(
        serialize_with = "write_declarations",
        deserialize_with = "read_declarations"
    )]
    pub options: Vec<EngineOption>,
}

/// Writes options as the lines in which their program declared them.
fn write_declarations<S: Serializer>(
    options: &[EngineOption],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(options.iter().map(declaration))
}

/// Reads the lines of [`write_declarations`]; those that are not sound are dropped.
fn read_declarations<'a, D: Deserializer<'a>>(
    deserializer: D,
) -> Result<Vec<EngineOption>, D::Error> {
    let lines = Vec::<String>::deserialize(deserializer)?;
    Ok((lines.iter())
        .filter_map(|line| EngineOption::parse(line))
        .collect())
}

/// The line in which a program declares an option.
fn declaration(option: &EngineOption) -> String {
    let (kind, range) = match &option.kind {
        EngineOptionKind::Check => ("check", String::new()),
        EngineOptionKind::Spin { min, max } => ("spin", format!(" min {min} max {max}")),
        EngineOptionKind::Combo(choices) => {
            let words = choices.iter().map(|word| format!(" var {word}"));
            ("combo", words.collect())
        }
        EngineOptionKind::Button => ("button", String::new()),
        EngineOptionKind::Text => ("string", String::new()),
    };
    let default = match option.default.as_str() {
        "" => String::new(),
        default => format!(" default {default}"),
    };
    format!("option name {} type {kind}{default}{range}", option.name)
}

impl EngineSetup {
    /// The other program that is set up.
    pub fn program(&self) -> Program {
        Program {
            command: self.command.trim().to_owned(),
            dialect: self.dialect,
        }
    }

    /// The options that the program declared; none while it has not been asked, or after it was changed.
    pub fn declared_options(&self) -> Option<&[EngineOption]> {
        let declared = self.declared.as_ref()?;
        (declared.program == self.program()).then_some(&declared.options)
    }

    /// Takes in what a program declared in a game, if it is the one that is set up. Values that it would refuse are dropped.
    pub fn set_declared_options(
        &mut self,
        program: &Program,
        game: &str,
        mut options: Vec<EngineOption>,
    ) {
        if *program != self.program() {
            return;
        }
        let facts = games::facts_of(game);
        let variant = facts.and_then(|facts| facts.foreign.variant_option);
        options.retain(|option| {
            let name = option.name.to_lowercase();
            let is_variant = variant.is_some_and(|variant| variant.name == option.name);
            !is_variant && !OPTIONS_SET_BY_GAMES.contains(&name.as_str())
        });
        self.options.retain(|name, value| {
            let declared = options.iter().find(|option| option.name == *name);
            declared.is_some_and(|option| option.problem_with(value).is_none())
        });
        self.declared = Some(DeclaredOptions {
            program: program.clone(),
            options,
        });
    }

    /// Sets an option of the program, or leaves it as the program has it.
    pub fn set_option(&mut self, option: &EngineOption, value: String) {
        // A button is pressed or not; its value is empty either way.
        let is_button = option.kind == EngineOptionKind::Button;
        if value == option.default && !is_button {
            self.options.remove(&option.name);
        } else {
            self.options.insert(option.name.clone(), value);
        }
    }

    /// The options to send to the program, and what is wrong with them.
    pub(super) fn options_to_send(
        &self,
        side: usize,
        problems: &mut SetupProblems,
    ) -> Vec<(String, String)> {
        let mut set = Vec::new();
        for option in self.declared_options().unwrap_or_default() {
            let Some(value) = self.options.get(&option.name) else {
                continue;
            };
            if let Some(text) = option.problem_with(value.trim()) {
                problems.add(SetupField::Option(side, option.name.clone()), text);
            }
            let value = match option.kind {
                EngineOptionKind::Text if value.trim().is_empty() => EMPTY_VALUE,
                _ => value.trim(),
            };
            set.push((option.name.clone(), value.to_owned()));
        }
        set
    }
}
