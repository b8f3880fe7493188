//! Options: one table, the source of UCI's declarations, GTP's lists, `--help` and protocol.md's table.

use std::fmt::Write as _;

use crate::{
    catalog::{self, PARAMETERS, SEARCHES},
    games::{self, GameFacts, notation::Style},
};

/// Definition of an option.
#[derive(Clone, Debug)]
pub struct OptionDef {
    /// How the code refers to it.
    pub id: OptionId,
    /// The name in protocols and on the command line.
    pub name: String,
    /// Type, range and default.
    pub kind: OptionKind,
    /// What it does, in a sentence.
    pub help: &'static str,
}

/// Type, range and default of an option.
#[derive(Clone, Debug)]
pub enum OptionKind {
    /// true or false.
    Check(bool),
    /// A whole number in a range.
    Spin {
        /// The default.
        default: i64,
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// One of these words; the first is the default.
    Combo(Vec<&'static str>),
    /// Any text; with its default.
    Text(&'static str),
    /// An action without a value.
    Button,
}

/// Value of a parameter option that leaves the parameter to the search.
pub const AUTO: &str = "auto";

/// Identifies an option; names are for clients alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionId {
    /// The game.
    Game,
    /// The game by its `UCI_Variant` word.
    Variant,
    /// A check option that stands for a variant of one game, by its name.
    GameVariant(&'static str),
    /// Win, draw and loss counts in scores.
    ShowWdl,
    /// Announced by UCI clients; without effect.
    AnalyseMode,
    /// The search and its parameters.
    Search,
    /// Number of principal variations.
    MultiPv,
    /// Announced by UCI clients; without effect.
    Ponder,
    /// Default time for a move.
    MoveTime,
    /// Default node limit.
    Nodes,
    /// Time lost between client and engine.
    MoveOverhead,
    /// Answers before the time is up.
    EarlyStop,
    /// Time between reports.
    InfoInterval,
    /// Statistics of every move.
    VerboseMoveStats,
    /// Whether moves come from the opening book of [`Self::BookFile`].
    OwnBook,
    /// The opening book.
    BookFile,
    /// Discards the search tree.
    ClearHash,
    /// Directory for what solvers found.
    CacheDir,
    /// Whom empty squares count for in the scores of solvers.
    EmptiesToWinner,
    /// Directory for trees.
    TreeDir,
    /// Format of tree files.
    TreeFormat,
    /// Time between snapshots.
    TreeEvery,
    /// Size limit of tree files.
    TreeMaxNodes,
    /// Visit threshold of tree files.
    TreeMinVisits,
    /// Positions in tree files.
    TreeStates,
    /// Extras beside tree files.
    TreeExtra,
    /// Growth journals beside tree files.
    TreeJournal,
    /// Moves of playouts in growth journals.
    TreePlayouts,
    /// Number of trees that are kept.
    TreeKeep,
    /// A parameter of the search, by its catalogue name.
    Parameter(&'static str),
}

impl OptionId {
    /// Whether it changes where trees go or what is in them.
    pub(super) fn is_tree_setting(self) -> bool {
        matches!(
            self,
            Self::TreeDir
                | Self::TreeFormat
                | Self::TreeEvery
                | Self::TreeMaxNodes
                | Self::TreeMinVisits
                | Self::TreeStates
                | Self::TreeExtra
                | Self::TreeJournal
                | Self::TreePlayouts
                | Self::TreeKeep
        )
    }
}

/// A word of `UCI_Variant`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UciVariant {
    /// The word.
    pub word: &'static str,
    /// The game it means.
    pub game: &'static GameFacts,
    /// How moves and positions are written.
    pub style: Style,
}

/// The words of `UCI_Variant`: the default game, the names of Fairy-Stockfish in alphabetical order, the other games. Words of
/// unlisted games are read, too.
pub fn uci_variants() -> Vec<UciVariant> {
    let own = |&game: &&'static GameFacts| UciVariant {
        word: game.name,
        game,
        style: Style::Own,
    };
    let fairy = |&game: &&'static GameFacts| {
        Some(UciVariant {
            word: game.foreign.fairy_stockfish?,
            game,
            style: Style::Fairy,
        })
    };
    let mut variants: Vec<UciVariant> = games::FACTS.iter().filter_map(fairy).collect();
    variants.sort_by_key(|variant| variant.word);
    variants.insert(0, own(&games::DEFAULT));
    let others = games::FACTS
        .iter()
        .filter(|game| ***game != *games::DEFAULT);
    variants.extend(others.map(own));
    variants
}

/// The table.
pub fn option_definitions() -> Vec<OptionDef> {
    // Many clients store numbers as signed 32 bits.
    const MAX_SPIN: i64 = i32::MAX as i64;
    let row = |id: OptionId, name: &str, kind: OptionKind, help: &'static str| OptionDef {
        id,
        name: name.to_owned(),
        kind,
        help,
    };
    let spin = |default, min, max| OptionKind::Spin { default, min, max };
    let searches = SEARCHES.iter().map(|entry| entry.name).collect();
    let mut rows = vec![
        row(
            OptionId::Game,
            "Game",
            OptionKind::Combo(games::NAMES.to_vec()),
            "The game, with a variant after a colon if wanted, such as kalah:4x3; the position becomes its start",
        ),
        row(
            OptionId::Variant,
            "UCI_Variant",
            OptionKind::Combo(
                (uci_variants()
                    .iter()
                    .filter(|variant| variant.game.is_listed))
                .map(|variant| variant.word)
                .collect(),
            ),
            "The game as chess programs name it; cfour and flipello are read and written as Fairy-Stockfish does",
        ),
    ];
    let variant_options = games::listed().filter_map(|facts| facts.foreign.variant_option);
    rows.extend(variant_options.map(|option| {
        let id = OptionId::GameVariant(option.name);
        row(id, option.name, OptionKind::Check(false), option.help)
    }));
    rows.extend([
        row(
            OptionId::Search,
            "Search",
            OptionKind::Combo(searches),
            "The search; parameters may follow after commas, such as uct,exploration=0.7",
        ),
        row(
            OptionId::Parameter("threads"),
            "Threads",
            spin(1, 1, 512),
            "Threads that grow the tree; more than one no longer repeats itself",
        ),
        row(
            OptionId::Parameter("memory"),
            "Hash",
            spin(1024, 1, 1 << 20),
            "Megabytes for what a search remembers, never exceeded",
        ),
        row(
            OptionId::Parameter("seed"),
            "Seed",
            spin(1, 0, MAX_SPIN),
            "Seed of the random numbers; 0 takes one from the operating system",
        ),
        row(
            OptionId::MultiPv,
            "MultiPV",
            spin(1, 1, 500),
            "How many of the best moves are told, with their lines",
        ),
        row(
            OptionId::Ponder,
            "Ponder",
            OptionKind::Check(false),
            "Whether the client will ask to think on the opponent's time; nothing changes by it",
        ),
        row(
            OptionId::MoveTime,
            "MoveTime",
            spin(0, 0, MAX_SPIN),
            "Milliseconds a move where no limit is given; 0 for the search's own limit, and without one a second",
        ),
        row(
            OptionId::Nodes,
            "Nodes",
            spin(0, 0, MAX_SPIN),
            "Playouts a move, or positions for searches without playouts, where no limit is given; 0 for none",
        ),
        row(
            OptionId::MoveOverhead,
            "MoveOverhead",
            spin(20, 0, 10_000),
            "Milliseconds that a move may lose on the way to and from the client; kept back from clocks, not from move times",
        ),
        row(
            OptionId::EarlyStop,
            "EarlyStop",
            OptionKind::Check(true),
            "Whether a move on a clock or with a move time is answered as soon as more time cannot change it",
        ),
        row(
            OptionId::InfoInterval,
            "InfoInterval",
            spin(500, 50, 60_000),
            "Milliseconds between reports of a running search; a new best move is told sooner",
        ),
        row(
            OptionId::VerboseMoveStats,
            "VerboseMoveStats",
            OptionKind::Check(false),
            "Whether each report is followed by the figures of every move",
        ),
        row(
            OptionId::OwnBook,
            "OwnBook",
            OptionKind::Check(false),
            "Whether moves that the book BookFile has are played from it at once, drawn by weight; exact has its own book (Book)",
        ),
        row(
            OptionId::ShowWdl,
            "UCI_ShowWDL",
            OptionKind::Check(false),
            "Whether scores come with wins, draws and losses out of a thousand",
        ),
        row(
            OptionId::AnalyseMode,
            "UCI_AnalyseMode",
            OptionKind::Check(false),
            "Whether the client analyses rather than plays; nothing changes by it",
        ),
        row(
            OptionId::ClearHash,
            "Clear Hash",
            OptionKind::Button,
            "Forgets what the search knows",
        ),
        row(
            OptionId::CacheDir,
            "CacheDir",
            OptionKind::Text("auto"),
            "The directory in which solvers keep what took long; auto is the user's cache directory, empty none",
        ),
        row(
            OptionId::EmptiesToWinner,
            "EmptiesToWinner",
            OptionKind::Check(false),
            "Whether empty squares at the end count for the winner in the exact scores of othello; else discs count as they lie",
        ),
        row(
            OptionId::TreeDir,
            "TreeDir",
            OptionKind::Text(""),
            "The directory for search trees; none are written if empty",
        ),
        row(
            OptionId::TreeFormat,
            "TreeFormat",
            OptionKind::Combo(vec!["tree", "csv"]),
            "The format of tree files",
        ),
        row(
            OptionId::TreeEvery,
            "TreeEvery",
            spin(0, 0, 3_600_000),
            "Milliseconds between trees of a running search; 0 for the finished tree alone",
        ),
        row(
            OptionId::TreeMaxNodes,
            "TreeMaxNodes",
            spin(0, 0, MAX_SPIN),
            "The most nodes of a tree file: the most visited part stays; 0 for all",
        ),
        row(
            OptionId::TreeMinVisits,
            "TreeMinVisits",
            spin(0, 0, MAX_SPIN),
            "Nodes with fewer visits are left out of tree files",
        ),
        row(
            OptionId::TreeStates,
            "TreeStates",
            OptionKind::Combo(vec!["root", "all"]),
            "Which positions are written out in tree files",
        ),
        row(
            OptionId::TreeExtra,
            "TreeExtra",
            OptionKind::Check(false),
            "Whether a file of extras lies beside each tree",
        ),
        row(
            OptionId::TreeJournal,
            "TreeJournal",
            OptionKind::Check(false),
            "Whether a journal of how it grew lies beside each tree",
        ),
        row(
            OptionId::TreePlayouts,
            "TreePlayouts",
            OptionKind::Check(false),
            "Whether these journals have the moves of every playout too",
        ),
        row(
            OptionId::TreeKeep,
            "TreeKeep",
            spin(0, 0, MAX_SPIN),
            "How many trees of this process stay, the newest, with the files beside them; older ones are removed. 0 for all",
        ),
    ]);
    for parameter in PARAMETERS {
        let id = OptionId::Parameter(parameter.name);
        if rows.iter().any(|row| row.id == id) {
            continue;
        }
        let kind = match parameter.kind {
            catalog::ParameterKind::Choice(words) => {
                OptionKind::Combo([AUTO].into_iter().chain(words.iter().copied()).collect())
            }
            catalog::ParameterKind::Flag => OptionKind::Combo(vec![AUTO, "true", "false"]),
            _ => OptionKind::Text(AUTO),
        };
        rows.push(OptionDef {
            id,
            name: pascal_case(parameter.name),
            kind,
            help: parameter.help,
        });
    }
    rows.push(row(
        OptionId::BookFile,
        "BookFile",
        OptionKind::Text(""),
        "The opening book for OwnBook: Polyglot's .bin for chess, or a .cbook of the game made by canopy-engine book",
    ));
    rows
}

/// `playout_limit` as `PlayoutLimit`.
fn pascal_case(name: &str) -> String {
    let mut text = String::new();
    for word in name.split('_') {
        let (first, rest) = word.split_at(word.len().min(1));
        text.push_str(&first.to_ascii_uppercase());
        text.push_str(rest);
    }
    text
}

impl OptionDef {
    /// The value before anyone sets it.
    pub fn default_value(&self) -> String {
        match &self.kind {
            OptionKind::Check(value) => value.to_string(),
            OptionKind::Spin { default, .. } => default.to_string(),
            OptionKind::Combo(words) => words.first().copied().unwrap_or_default().to_owned(),
            OptionKind::Text(text) => (*text).to_owned(),
            OptionKind::Button => String::new(),
        }
    }

    /// Whether it is for UCI alone.
    pub fn is_uci_only(&self) -> bool {
        self.name.starts_with("UCI_")
    }

    /// The line in which UCI and UGI declare it.
    pub fn declaration(&self) -> String {
        let mut line = format!("option name {} type ", self.name);
        let _ = match &self.kind {
            OptionKind::Check(value) => write!(line, "check default {value}"),
            OptionKind::Spin { default, min, max } => {
                write!(line, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo(words) => {
                line.push_str("combo default ");
                line.push_str(words.first().copied().unwrap_or_default());
                for word in words {
                    line.push_str(" var ");
                    line.push_str(word);
                }
                Ok(())
            }
            OptionKind::Text("") => line.write_str("string default <empty>"),
            OptionKind::Text(text) => write!(line, "string default {text}"),
            OptionKind::Button => line.write_str("button"),
        };
        line
    }

    /// The allowed values, for help texts and errors.
    pub fn allowed_values(&self) -> String {
        match &self.kind {
            OptionKind::Check(_) => "true or false".to_owned(),
            OptionKind::Spin { min, max, .. } => format!("{min} to {max}"),
            OptionKind::Combo(words) => words.join(", "),
            OptionKind::Text(_) => match self.parameter() {
                Some(parameter) => match parameter.kind {
                    catalog::ParameterKind::WholeOrAuto { .. } => parameter.kind.to_string(),
                    kind => format!("auto, or {kind}"),
                },
                None => "a text".to_owned(),
            },
            OptionKind::Button => "a button".to_owned(),
        }
    }

    /// The catalogue name of the search parameter it sets, if it sets one.
    pub fn parameter_name(&self) -> Option<&'static str> {
        match self.id {
            OptionId::Parameter(name) => Some(name),
            _ => None,
        }
    }

    fn parameter(&self) -> Option<&'static catalog::Parameter> {
        let name = self.parameter_name()?;
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }
}

/// The options with their values.
#[derive(Clone, Debug)]
pub struct Options {
    rows: Vec<OptionRow>,
    set_count: u64,
}

/// An option with its value.
#[derive(Clone, Debug)]
struct OptionRow {
    definition: OptionDef,
    value: String,
    /// When it was last set, as a count of settings from 1; 0 if never.
    set_at: u64,
}

impl Default for Options {
    fn default() -> Self {
        let rows = option_definitions()
            .into_iter()
            .map(|definition| OptionRow {
                value: definition.default_value(),
                definition,
                set_at: 0,
            });
        Self {
            rows: rows.collect(),
            set_count: 0,
        }
    }
}

/// A value that passed [`Options::check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedOption {
    /// The option.
    pub id: OptionId,
    /// The value, normalised.
    pub value: String,
    /// Set if the value was out of range and is clamped; some dialects refuse it then.
    pub range_warning: Option<String>,
    /// Further remarks, such as on a value this machine cannot provide.
    pub warnings: Vec<String>,
}

impl Options {
    /// The options, in the order of the table.
    pub fn definitions(&self) -> impl Iterator<Item = &OptionDef> {
        self.rows.iter().map(|row| &row.definition)
    }

    /// The options with their values, in the order of the table.
    pub fn values(&self) -> impl Iterator<Item = (&OptionDef, &str)> {
        (self.rows.iter()).map(|row| (&row.definition, row.value.as_str()))
    }

    fn row(&self, id: OptionId) -> Option<&OptionRow> {
        self.rows.iter().find(|row| row.definition.id == id)
    }

    /// The value of an option.
    pub fn get(&self, id: OptionId) -> &str {
        self.row(id).map_or("", |row| &row.value)
    }

    /// Whether an option is true.
    pub fn flag(&self, id: OptionId) -> bool {
        self.get(id) == "true"
    }

    /// The value as a whole number; 0 if it is none.
    pub fn number(&self, id: OptionId) -> u64 {
        self.get(id).parse().unwrap_or(0)
    }

    /// The value as a whole number; none for 0.
    pub fn positive(&self, id: OptionId) -> Option<u64> {
        Some(self.number(id)).filter(|&number| number > 0)
    }

    /// Search parameters that were set as options. A parameter that a later `Search` text names as well is left out.
    pub fn search_settings(&self) -> Vec<(String, String)> {
        let search = self.row(OptionId::Search);
        let (search, search_set_at) = search.map_or(("", 0), |row| (&row.value, row.set_at));
        let is_named = |parameter: &str| {
            catalog::written_parameters(search).any(|(key, _)| key.eq_ignore_ascii_case(parameter))
        };
        (self.rows.iter())
            .filter_map(|row| {
                let parameter = row.definition.parameter_name()?;
                let is_older = row.set_at < search_set_at && is_named(parameter);
                let counts = row.set_at > 0 && row.value != AUTO && !is_older;
                counts.then(|| (parameter.to_owned(), row.value.clone()))
            })
            .collect()
    }

    /// Checks a value for an option by name, without setting it; an error says what was expected. Searches and evaluations of
    /// games other than `game` are accepted: the game may be selected later.
    pub fn check(&self, game: &str, name: &str, value: &str) -> Result<CheckedOption, String> {
        let (name, value) = (name.trim(), value.trim());
        let value = if value == "<empty>" { "" } else { value };
        let quoted = games::notation::quote;
        let mut rows = self.definitions();
        let Some(row) = rows.find(|row| row.name.eq_ignore_ascii_case(name)) else {
            let names: Vec<&str> = self.definitions().map(|row| row.name.as_str()).collect();
            return Err(format!(
                "unknown option {}: expected one of {}",
                quoted(name),
                names.join(", ")
            ));
        };
        let refuse = || {
            Err(format!(
                "{} cannot be {}: expected {}",
                row.name,
                quoted(value),
                row.allowed_values()
            ))
        };
        let mut range_warning = None;
        let mut warnings = Vec::new();
        let value = match &row.kind {
            OptionKind::Check(_) => match value.to_ascii_lowercase().as_str() {
                word @ ("true" | "false") => word.to_owned(),
                "on" | "1" | "yes" => "true".to_owned(),
                "off" | "0" | "no" => "false".to_owned(),
                _ => return refuse(),
            },
            &OptionKind::Spin { min, max, .. } => {
                let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return refuse();
                }
                // A number beyond 64 bits clamps like any other.
                let wanted: i64 = value.parse().unwrap_or(if value.starts_with('-') {
                    i64::MIN
                } else {
                    i64::MAX
                });
                let nearest = wanted.clamp(min, max);
                if nearest != wanted {
                    range_warning = Some(format!(
                        "{} cannot be {value}: expected {}",
                        row.name,
                        row.allowed_values()
                    ));
                }
                let nearest = nearest.to_string();
                match row
                    .parameter_name()
                    .and_then(|name| catalog::nearest_supported(name, &nearest))
                {
                    Some((value, sentence)) => {
                        warnings.push(sentence);
                        value
                    }
                    None => nearest,
                }
            }
            OptionKind::Combo(words) => {
                let found = words.iter().find(|word| word.eq_ignore_ascii_case(value));
                match found {
                    Some(word) => (*word).to_owned(),
                    // A variant may follow; the session checks it.
                    None if row.id == OptionId::Game => value.to_owned(),
                    None if row.id == OptionId::Variant => {
                        let variants = uci_variants();
                        let mut words = variants.iter().map(|variant| variant.word);
                        match words.find(|word| word.eq_ignore_ascii_case(value)) {
                            Some(word) => word.to_owned(),
                            None => return refuse(),
                        }
                    }
                    None if row.id == OptionId::Search && starts_with_search_name(value) => {
                        catalog::check_search(game, value).map_err(|error| error.to_string())?;
                        warnings = catalog::warnings(value);
                        value.to_owned()
                    }
                    None => return refuse(),
                }
            }
            OptionKind::Text(_) => match row.parameter() {
                Some(_) if value.eq_ignore_ascii_case(AUTO) => AUTO.to_owned(),
                Some(parameter) if !parameter.kind.accepts(value) => return refuse(),
                Some(parameter) if parameter.kind == catalog::ParameterKind::Evaluation => {
                    (catalog::check_evaluation(game, value)).map_err(|error| error.to_string())?;
                    value.to_owned()
                }
                _ => value.to_owned(),
            },
            OptionKind::Button => String::new(),
        };
        Ok(CheckedOption {
            id: row.id,
            value,
            range_warning,
            warnings,
        })
    }

    /// Sets a checked value.
    pub fn set(&mut self, checked: &CheckedOption) {
        let mut rows = self.rows.iter_mut();
        if let Some(row) = rows.find(|row| row.definition.id == checked.id) {
            row.value.clone_from(&checked.value);
            self.set_count += 1;
            row.set_at = self.set_count;
        }
    }
}

/// Whether a text begins with the name of a search.
fn starts_with_search_name(text: &str) -> bool {
    let name = text.split(',').next().unwrap_or("").trim();
    SEARCHES
        .iter()
        .any(|entry| entry.name.eq_ignore_ascii_case(name))
}

/// The table as `--help` shows it.
pub fn help() -> String {
    let mut text = String::from("Options, for --option NAME=VALUE and for the protocols:\n");
    for row in option_definitions() {
        let default = match row.default_value() {
            default if default.is_empty() => String::new(),
            default => format!(" [default: {default}]"),
        };
        let _ = writeln!(
            text,
            "  {}\n          {} ({}){default}",
            row.name,
            row.help,
            row.allowed_values()
        );
    }
    text
}
