//! The choices of the setup form: a game's players, variants and searches, and a search's parameters.

use canopy_engine::{
    catalog::{self, CatalogError, PARAMETERS, ParameterKind, SEARCHES, Spec},
    games::{self, Playable, Visitor},
};

use crate::tree::scene::format_thousands;

/// A game's choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameInfo {
    /// The names of the first and the second player.
    pub players: [&'static str; 2],
    /// Its variants, without the plain game.
    pub variants: &'static [&'static str],
    /// The searches that can play it.
    pub searches: Vec<&'static str>,
    /// What a position looks like, to complete "expected …".
    pub position_help: &'static str,
}

impl GameInfo {
    /// The choices of a game, with or without a variant; none if there is no such game or variant.
    pub fn of(game: &str) -> Option<Self> {
        struct GameInfoVisitor;
        impl Visitor for GameInfoVisitor {
            type Out = GameInfo;

            fn visit<G: Playable>(self, _: G::Rules) -> GameInfo {
                GameInfo {
                    players: G::PLAYERS,
                    variants: G::VARIANTS,
                    searches: catalog::names::<G>().collect(),
                    position_help: G::POSITION_HELP,
                }
            }
        }
        games::with_game(game, GameInfoVisitor).ok()
    }

    /// The player of a report for this game; none if the report has none.
    pub fn report_search(&self, report: &str) -> Option<&'static str> {
        let (_, wanted) = REPORTS.iter().find(|(number, _)| *number == report)?;
        (self.searches.iter())
            .copied()
            .find(|search| search == wanted)
    }
}

/// The reports, each with the search that plays for it.
pub const REPORTS: [(&str, &str); 5] = [
    ("000", "uct-000"),
    ("001", "uct-001"),
    ("002", "uct-002"),
    ("003", "three-valued-003"),
    ("004", "alpha-beta-004"),
];

/// The report that a search comes from; none if it is ours.
pub fn report_of(search: &str) -> Option<&'static str> {
    (REPORTS.iter())
        .map(|&(number, _)| number)
        .find(|number| search.ends_with(number))
}

/// A search's description, in a sentence.
pub fn search_help(search: &str) -> &'static str {
    let entry = SEARCHES.iter().find(|entry| entry.name == search);
    entry.map_or("", |entry| entry.help)
}

/// The search of that name with these parameters; an error if one is invalid.
pub(super) fn configure(
    game: &str,
    search: &str,
    parameters: &[(String, String)],
) -> Result<Spec, String> {
    struct ConfigureVisitor<'a>(&'a str, &'a [(String, String)]);
    impl Visitor for ConfigureVisitor<'_> {
        type Out = Result<Spec, CatalogError>;

        fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
            catalog::configure::<G>(self.0, self.1)
        }
    }
    games::with_game(game, ConfigureVisitor(search, parameters))
        .map_err(|error| error.to_string())?
        .map_err(|error| match error {
            CatalogError::Search { name, .. } => format!("There is no search {name}."),
            CatalogError::Game { search, game, only } => {
                format!("{search} plays {only}, not {game}.")
            }
            CatalogError::Parameter { search, name, .. } => {
                format!("{search} has no parameter {name}.")
            }
            CatalogError::Value { expected, .. } => format!("It must be {expected}."),
        })
}

/// Something that can be set about a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchParameter {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// Its allowed values.
    pub range: String,
    /// The words it may be, if it must be one of them.
    pub choices: Vec<&'static str>,
    /// Its default value.
    pub default: String,
}

impl SearchParameter {
    /// Everything that can be set about a search; nothing if there is no such search for the game.
    pub fn all(game: &str, search: &str) -> Vec<Self> {
        let Ok(spec) = configure(game, search, &[]) else {
            return Vec::new();
        };
        let rows = PARAMETERS.iter().filter_map(|parameter| {
            let default = (parameter.get)(&spec)?;
            let words = match parameter.kind {
                ParameterKind::Choice(words) => words.to_vec(),
                ParameterKind::Flag => vec!["false", "true"],
                ParameterKind::Evaluation => evaluations(game),
                _ => Vec::new(),
            };
            let range = match parameter.kind {
                ParameterKind::Real { min, max } => format!("{min} to {max}"),
                ParameterKind::Whole { min, max: u64::MAX } => {
                    format!("{} or more", format_thousands(min))
                }
                ParameterKind::Whole { min, max } => {
                    format!("{} to {}", format_thousands(min), format_thousands(max))
                }
                ParameterKind::WholeOrAuto { min, max } => format!("auto, or {min} to {max}"),
                ParameterKind::Signed { min, max } => format!("{min} to {max}"),
                _ => words.join(", "),
            };
            // Only evaluations take arguments after the word.
            let is_word = parameter.kind != ParameterKind::Evaluation;
            Some(Self {
                name: parameter.name,
                help: parameter.help,
                range,
                default: match words.first() {
                    Some(first) if default.is_empty() => (*first).to_owned(),
                    _ => display_value(&default),
                },
                choices: if is_word { words } else { Vec::new() },
            })
        });
        rows.collect()
    }
}

/// The evaluations of a game.
fn evaluations(game: &str) -> Vec<&'static str> {
    struct EvaluationsVisitor;
    impl Visitor for EvaluationsVisitor {
        type Out = Vec<&'static str>;

        fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
            let known = G::EVALUATIONS.iter();
            known.map(|evaluation| evaluation.name).collect()
        }
    }
    games::with_game(game, EvaluationsVisitor).unwrap_or_default()
}

/// A value as shown in a field: rounded where it has many digits, such as the square root of 2.
fn display_value(value: &str) -> String {
    match (value.split_once('.'), value.parse::<f64>()) {
        (Some((_, decimals)), Ok(number)) if decimals.len() > 4 => format!("{number:.4}"),
        _ => value.to_owned(),
    }
}
