//! Everything that can be set: one table, from which UCI's lines, the help, GTP and protocol.md's table come.

use std::fmt::Write as _;

use crate::{
    catalog::{self, PARAMETERS, SEARCHES},
    games::{self, GameFacts, notation::Style},
};

/// An option.
#[derive(Clone, Debug)]
pub struct OptionDef {
    /// What it is called.
    pub name: String,
    /// What it may be.
    pub kind: OptionKind,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// The parameter of the search it stands for, if it does.
    pub parameter: Option<&'static str>,
}

/// What an option may be.
#[derive(Clone, Debug)]
pub enum OptionKind {
    /// true or false.
    Check(bool),
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// One of some words, the first being the default.
    Combo(Vec<&'static str>),
    /// Any text.
    Text(&'static str),
    /// Something to be done.
    Button,
}

/// What says that a parameter is as the search has it.
pub const AUTO: &str = "auto";

/// The names of options that the server itself looks at.
pub mod name {
    #![expect(missing_docs, reason = "the table says what they are")]
    pub const GAME: &str = "Game";
    pub const VARIANT: &str = "UCI_Variant";
    pub const SHOW_WDL: &str = "UCI_ShowWDL";
    pub const ANALYSE: &str = "UCI_AnalyseMode";
    pub const SEARCH: &str = "Search";
    pub const MULTI_PV: &str = "MultiPV";
    pub const MOVE_TIME: &str = "MoveTime";
    pub const NODES: &str = "Nodes";
    pub const OVERHEAD: &str = "MoveOverhead";
    pub const INFO_INTERVAL: &str = "InfoInterval";
    pub const VERBOSE: &str = "VerboseMoveStats";
    pub const CLEAR: &str = "Clear Hash";
    pub const TREE_DIR: &str = "TreeDir";
    pub const TREE_FORMAT: &str = "TreeFormat";
    pub const TREE_EVERY: &str = "TreeEvery";
    pub const TREE_MAX_NODES: &str = "TreeMaxNodes";
    pub const TREE_MIN_VISITS: &str = "TreeMinVisits";
    pub const TREE_STATES: &str = "TreeStates";
    pub const TREE_EXTRA: &str = "TreeExtra";
    pub const TREE_JOURNAL: &str = "TreeJournal";
    pub const TREE_KEEP: &str = "TreeKeep";
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
    // Many clients keep numbers in 32 bits, with a sign.
    const MAX_SPIN: i64 = i32::MAX as i64;
    let row = |name: &str, kind: OptionKind, help: &'static str| OptionDef {
        name: name.to_owned(),
        kind,
        help,
        parameter: None,
    };
    let spin = |default, min, max| OptionKind::Spin { default, min, max };
    let of = |parameter: &'static str, row: OptionDef| OptionDef {
        parameter: Some(parameter),
        ..row
    };
    let searches = SEARCHES.iter().map(|entry| entry.name).collect();
    let mut rows = vec![
        row(
            name::GAME,
            OptionKind::Combo(games::NAMES.to_vec()),
            "The game, with a variant after a colon if wanted, such as kalah:4x3; the position becomes its start",
        ),
        row(
            name::VARIANT,
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
    rows.extend(
        variant_options.map(|option| row(option.name, OptionKind::Check(false), option.help)),
    );
    rows.extend([
        row(
            name::SEARCH,
            OptionKind::Combo(searches),
            "The search; parameters may follow after commas, such as uct,exploration=0.7",
        ),
        of(
            "threads",
            row(
                "Threads",
                spin(1, 1, 512),
                "Threads that grow the tree; more than one no longer repeats itself",
            ),
        ),
        of(
            "memory",
            row(
                "Hash",
                spin(1024, 1, 1 << 20),
                "Megabytes for what a search remembers, never exceeded",
            ),
        ),
        of(
            "seed",
            row("Seed", spin(1, 0, MAX_SPIN), "Which random numbers"),
        ),
        row(
            name::MULTI_PV,
            spin(1, 1, 500),
            "How many of the best moves are told, with their lines",
        ),
        row(
            "Ponder",
            OptionKind::Check(false),
            "Whether the client will ask to think on the opponent's time; nothing changes by it",
        ),
        row(
            name::MOVE_TIME,
            spin(0, 0, MAX_SPIN),
            "Milliseconds a move where no limit is given; 0 for the search's own limit, and without one a second",
        ),
        row(
            name::NODES,
            spin(0, 0, MAX_SPIN),
            "Playouts a move, or positions for searches without playouts, where no limit is given; 0 for none",
        ),
        row(
            name::OVERHEAD,
            spin(20, 0, 10_000),
            "Milliseconds that a move may lose on the way to and from the client; kept back from clocks, not from move times",
        ),
        row(
            name::INFO_INTERVAL,
            spin(500, 50, 60_000),
            "Milliseconds between reports of a running search; a new best move is told sooner",
        ),
        row(
            name::VERBOSE,
            OptionKind::Check(false),
            "Whether each report is followed by the figures of every move",
        ),
        row(
            "OwnBook",
            OptionKind::Check(false),
            "There is no book; here because runners switch it off",
        ),
        row(
            name::SHOW_WDL,
            OptionKind::Check(false),
            "Whether scores come with wins, draws and losses out of a thousand",
        ),
        row(
            name::ANALYSE,
            OptionKind::Check(false),
            "Whether the client analyses rather than plays; nothing changes by it",
        ),
        row(
            name::CLEAR,
            OptionKind::Button,
            "Forgets what the search knows",
        ),
        row(
            name::TREE_DIR,
            OptionKind::Text(""),
            "The directory for search trees; none are written if empty",
        ),
        row(
            name::TREE_FORMAT,
            OptionKind::Combo(vec!["tree", "csv"]),
            "The format of tree files",
        ),
        row(
            name::TREE_EVERY,
            spin(0, 0, 3_600_000),
            "Milliseconds between trees of a running search; 0 for the finished tree alone",
        ),
        row(
            name::TREE_MAX_NODES,
            spin(0, 0, MAX_SPIN),
            "The most nodes of a tree file: the most visited part stays; 0 for all",
        ),
        row(
            name::TREE_MIN_VISITS,
            spin(0, 0, MAX_SPIN),
            "Nodes with fewer visits are left out of tree files",
        ),
        row(
            name::TREE_STATES,
            OptionKind::Combo(vec!["root", "all"]),
            "Which positions are written out in tree files",
        ),
        row(
            name::TREE_EXTRA,
            OptionKind::Check(false),
            "Whether a file of extras lies beside each tree",
        ),
        row(
            name::TREE_JOURNAL,
            OptionKind::Check(false),
            "Whether a journal of how it grew lies beside each tree",
        ),
        row(
            name::TREE_KEEP,
            spin(0, 0, MAX_SPIN),
            "How many trees of this process stay, the newest, with the files beside them; older ones are removed. 0 for all",
        ),
    ]);
    let has_row = ["threads", "memory", "seed"];
    for parameter in PARAMETERS {
        if has_row.contains(&parameter.name) {
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
            name: pascal_case(parameter.name),
            kind,
            help: parameter.help,
            parameter: Some(parameter.name),
        });
    }
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
    /// The value it has before anybody sets it.
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

    /// What it may be, for people.
    pub fn allowed_values(&self) -> String {
        match &self.kind {
            OptionKind::Check(_) => "true or false".to_owned(),
            OptionKind::Spin { min, max, .. } => format!("{min} to {max}"),
            OptionKind::Combo(words) => words.join(", "),
            OptionKind::Text(_) => match self.parameter() {
                Some(parameter) => format!("auto, or {}", parameter.kind),
                None => "a text".to_owned(),
            },
            OptionKind::Button => "a button".to_owned(),
        }
    }

    fn parameter(&self) -> Option<&'static catalog::Parameter> {
        let name = self.parameter?;
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }
}

/// The options with their values.
#[derive(Clone, Debug)]
pub struct Options {
    definitions: Vec<OptionDef>,
    values: Vec<String>,
    /// For each option the number of the setting that set it last, counted from 1; 0 if nobody did.
    set_at: Vec<u64>,
    set_count: u64,
}

impl Default for Options {
    fn default() -> Self {
        let rows = option_definitions();
        let values = rows.iter().map(OptionDef::default_value).collect();
        Self {
            set_at: vec![0; rows.len()],
            definitions: rows,
            values,
            set_count: 0,
        }
    }
}

/// A value that an option can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedOption {
    index: usize,
    /// The option.
    pub name: String,
    /// The value.
    pub value: String,
    /// Said if the value is outside the range of the table, and this is the nearest; some dialects refuse it then.
    pub range_warning: Option<String>,
    /// What else is to be said: of a value that this machine does not have.
    pub warnings: Vec<String>,
}

impl Options {
    /// The table.
    pub fn definitions(&self) -> &[OptionDef] {
        &self.definitions
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.definitions
            .iter()
            .position(|row| row.name.eq_ignore_ascii_case(name))
    }

    /// What an option is set to; nothing if there is none of that name.
    pub fn get(&self, name: &str) -> &str {
        self.find(name).map_or("", |row| &self.values[row])
    }

    /// Whether an option is true.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name) == "true"
    }

    /// A whole number; 0 if it is none.
    pub fn number(&self, name: &str) -> u64 {
        self.get(name).parse().unwrap_or(0)
    }

    /// What is set about the search beside its own text: the parameters that somebody set, unless the text was set later and
    /// names them, too.
    pub fn search_settings(&self) -> Vec<(String, String)> {
        let search = self.find(name::SEARCH).unwrap_or_default();
        let is_named = |parameter: &str| {
            catalog::written_parameters(&self.values[search])
                .any(|(key, _)| key.eq_ignore_ascii_case(parameter))
        };
        let rows = self.definitions.iter().zip(&self.values).zip(&self.set_at);
        rows.filter_map(|((row, value), &set_at)| {
            let parameter = row.parameter?;
            let is_older = set_at < self.set_at[search] && is_named(parameter);
            let counts = set_at > 0 && value != AUTO && !is_older;
            counts.then(|| (parameter.to_owned(), value.clone()))
        })
        .collect()
    }

    /// Reads a value for a client that plays the game called `game`, without setting it; or says what was wrong and what was
    /// expected. A search or an evaluation may be one of another game, for that may be chosen later.
    pub fn check(&self, game: &str, name: &str, value: &str) -> Result<CheckedOption, String> {
        let (name, value) = (name.trim(), value.trim());
        let value = if value == "<empty>" { "" } else { value };
        let quoted = games::notation::quote;
        let Some(index) = self.find(name) else {
            let names: Vec<&str> = self
                .definitions
                .iter()
                .map(|row| row.name.as_str())
                .collect();
            return Err(format!(
                "unknown option {}: expected one of {}",
                quoted(name),
                names.join(", ")
            ));
        };
        let row = &self.definitions[index];
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
                // A number too large to be read is larger than the largest.
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
                    .parameter
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
                    // A variant may follow; whether there is such a one is for others to say.
                    None if row.name == name::GAME => value.to_owned(),
                    None if row.name == name::VARIANT => {
                        let variants = uci_variants();
                        let mut words = variants.iter().map(|variant| variant.word);
                        match words.find(|word| word.eq_ignore_ascii_case(value)) {
                            Some(word) => word.to_owned(),
                            None => return refuse(),
                        }
                    }
                    None if row.name == name::SEARCH && starts_with_search_name(value) => {
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
            index,
            name: row.name.clone(),
            value,
            range_warning,
            warnings,
        })
    }

    /// Sets a value that was read.
    pub fn set(&mut self, checked: &CheckedOption) {
        if let Some(value) = self.values.get_mut(checked.index) {
            value.clone_from(&checked.value);
            self.set_count += 1;
            self.set_at[checked.index] = self.set_count;
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

/// The table for people, as --help shows it.
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
