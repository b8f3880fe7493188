//! Parameters of the searches: one table from which command lines, protocols and the viewer take names, ranges and help.

use std::{fmt, ops::RangeInclusive};

use super::{CatalogError, Spec, legacy, program_plays};
use crate::{
    games::{Playable, evaluate, notation::quote},
    search::{
        classical::{Aspiration, ClassicalConfig, Method, TieBreak},
        exact::ExactFrom,
        mcts::{
            ExpansionRule, FinalChoice, Fpu, Grouping, MctsConfig, PlayoutPolicy, RewardRange,
            SelectFormula, StoreKind, max_threads,
        },
    },
};

/// A search parameter.
pub struct Parameter {
    /// The name, as written in options and command lines.
    pub name: &'static str,
    /// One sentence for people.
    pub help: &'static str,
    /// The values allowed.
    pub kind: ParameterKind,
    /// The value as text; `None` if the search does not have the parameter.
    pub get: fn(&Spec) -> Option<String>,
    /// Sets a checked value. Does nothing if the search does not have the parameter.
    set: fn(&mut Spec, Value<'_>),
}

/// Type and range of a parameter; bounds are inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A real number.
    Real {
        /// Lower bound.
        min: f64,
        /// Upper bound.
        max: f64,
    },
    /// A natural number.
    Whole {
        /// Lower bound.
        min: u64,
        /// Upper bound.
        max: u64,
    },
    /// A natural number, or `auto`.
    WholeOrAuto {
        /// Lower bound.
        min: u64,
        /// Upper bound.
        max: u64,
    },
    /// An integer.
    Signed {
        /// Lower bound.
        min: i32,
        /// Upper bound.
        max: i32,
    },
    /// One of these words, in upper or lower case.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// One of the game's evaluations, with arguments after colons: `weights:own`, `lines:10:50`.
    Evaluation,
}

impl ParameterKind {
    /// Parses and range-checks a value. `None` if it is invalid, and for evaluations, which depend on the game.
    fn parse(&self, text: &str) -> Option<Value<'static>> {
        match *self {
            Self::Real { min, max } => (text.parse().ok())
                .filter(|value| (min..=max).contains(value))
                .map(Value::Real),
            Self::Whole { min, max } => (text.parse().ok())
                .filter(|value| (min..=max).contains(value))
                .map(Value::Whole),
            Self::WholeOrAuto { .. } if text.eq_ignore_ascii_case("auto") => Some(Value::Auto),
            Self::WholeOrAuto { min, max } => whole(min..=max).parse(text),
            Self::Signed { min, max } => (text.parse().ok())
                .filter(|value| (min..=max).contains(value))
                .map(Value::Signed),
            Self::Choice(words) => (words.iter())
                .position(|word| word.eq_ignore_ascii_case(text))
                .map(Value::Choice),
            Self::Flag => match text {
                "true" => Some(Value::Flag(true)),
                "false" => Some(Value::Flag(false)),
                _ => None,
            },
            Self::Evaluation => None,
        }
    }

    /// True if `text` is a valid value. Evaluations always pass: they depend on the game.
    pub fn accepts(&self, text: &str) -> bool {
        *self == Self::Evaluation || self.parse(text).is_some()
    }
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real { min, max } => write!(out, "a number from {min} to {max}"),
            Self::Whole { min, max: u64::MAX } => write!(out, "a whole number from {min}"),
            Self::Whole { min, max } => write!(out, "a whole number from {min} to {max}"),
            Self::WholeOrAuto { min, max } => {
                write!(out, "auto, or a whole number from {min} to {max}")
            }
            Self::Signed { min, max } => write!(out, "a whole number from {min} to {max}"),
            Self::Choice(words) => out.write_str(&words.join(", ")),
            Self::Flag => out.write_str("true or false"),
            Self::Evaluation => out.write_str("an evaluation of the game"),
        }
    }
}

/// A parsed value within its parameter's range.
#[derive(Clone, Copy)]
enum Value<'a> {
    Real(f64),
    Whole(u64),
    Auto,
    Signed(i32),
    /// Index of the word.
    Choice(usize),
    Flag(bool),
    Evaluation(&'a str, &'a [i32]),
}

impl Value<'_> {
    fn whole(self) -> u64 {
        if let Self::Whole(value) = self {
            value
        } else {
            0
        }
    }

    fn choice(self) -> usize {
        if let Self::Choice(value) = self {
            value
        } else {
            0
        }
    }

    fn flag(self) -> bool {
        matches!(self, Self::Flag(true))
    }
}

const POLICIES: [PlayoutPolicy; 3] = [
    PlayoutPolicy::Uniform,
    PlayoutPolicy::LastGoodReply1,
    PlayoutPolicy::LastGoodReply2,
];
const EXPANSIONS: [ExpansionRule; 3] = [
    ExpansionRule::AllFirst,
    ExpansionRule::AllRandom,
    ExpansionRule::One,
];
const STORES: [StoreKind; 3] = [StoreKind::Tree, StoreKind::Graph, StoreKind::Bounded];
const GROUPINGS: [Grouping; 3] = [Grouping::None, Grouping::Rotations, Grouping::Dihedral];
const FINAL_CHOICES: [FinalChoice; 3] = [
    FinalChoice::Visits,
    FinalChoice::Mean,
    FinalChoice::LowerBound,
];
const REWARD_RANGES: [RewardRange; 2] = [RewardRange::ZeroToOne, RewardRange::MinusOneToOne];
/// The switches of the alpha-beta core, as parameters of its searches.
pub const ENHANCEMENTS: &[&str] = &[
    "table",
    "deeper_entries",
    "hash_move",
    "move_order",
    "killers",
    "history",
    "pvs",
    "mate_distance",
    "early_draws",
    "quiescence",
    "extensions",
    "null_move",
    "reductions",
    "futility",
];

const TIE_BREAKS: [TieBreak; 2] = [TieBreak::First, TieBreak::Random];

fn mcts(spec: &Spec) -> Option<&MctsConfig> {
    if let Spec::Mcts(config) = spec {
        Some(config)
    } else {
        None
    }
}

fn classical(spec: &Spec) -> Option<&ClassicalConfig> {
    if let Spec::Classical(config) = spec {
        Some(config)
    } else {
        None
    }
}

/// The word that stands for `value`.
fn word<T: PartialEq>(values: &[T], words: &[&str], value: &T) -> String {
    let index = values.iter().position(|other| other == value).unwrap_or(0);
    words[index].to_owned()
}

/// A whole number within bounds.
const fn whole(range: RangeInclusive<u64>) -> ParameterKind {
    ParameterKind::Whole {
        min: *range.start(),
        max: *range.end(),
    }
}

/// Formats an optional number, 0 for `None`.
fn or_zero<T: ToString + Default>(value: Option<T>) -> String {
    value.unwrap_or_default().to_string()
}

fn unless_zero(value: u64) -> Option<u64> {
    (value > 0).then_some(value)
}

/// A row for a field of [`MctsConfig`].
macro_rules! mcts_row {
    ($name:literal, $help:literal, $kind:expr, |$c:ident| $get:expr, |$m:ident, $v:ident| $set:expr) => {
        Parameter {
            name: $name,
            help: $help,
            kind: $kind,
            get: |spec| mcts(spec).map(|$c| $get),
            set: |spec, $v| {
                if let Spec::Mcts($m) = spec {
                    $set
                }
            },
        }
    };
}

/// A row for an enumeration field of [`MctsConfig`]; words and values correspond by index.
macro_rules! choice_row {
    ($name:literal, $help:literal, $words:expr, $values:ident, $($field:ident).+) => {
        mcts_row!(
            $name,
            $help,
            ParameterKind::Choice(&$words),
            |config| word(&$values, &$words, &config.$($field).+),
            |config, value| config.$($field).+ = $values[value.choice()]
        )
    };
}

/// A row for a switch of the alpha-beta core; minimax has none.
macro_rules! enhancement_row {
    ($name:literal, $help:literal, $field:ident) => {
        Parameter {
            name: $name,
            help: $help,
            kind: ParameterKind::Flag,
            get: |spec| {
                let config = classical(spec).filter(|config| config.method == Method::AlphaBeta)?;
                Some(config.enhancements.$field.to_string())
            },
            set: |spec, value| {
                if let Spec::Classical(config) = spec {
                    config.enhancements.$field = value.flag();
                }
            },
        }
    };
}

/// A row for a field of [`ClassicalConfig`].
macro_rules! classical_row {
    ($name:literal, $help:literal, $kind:expr, |$c:ident| $get:expr, |$m:ident, $v:ident| $set:expr) => {
        Parameter {
            name: $name,
            help: $help,
            kind: $kind,
            get: |spec| classical(spec).map(|$c| $get),
            set: |spec, $v| {
                if let Spec::Classical($m) = spec {
                    $set
                }
            },
        }
    };
}

/// A row for a field that is a flag.
macro_rules! flag_row {
    ($row:ident, $name:literal, $help:literal, $($field:ident).+) => {
        $row!(
            $name,
            $help,
            ParameterKind::Flag,
            |config| config.$($field).+.to_string(),
            |config, value| config.$($field).+ = value.flag()
        )
    };
}

/// A row for a field that is a whole number within bounds.
macro_rules! whole_row {
    ($row:ident, $name:literal, $help:literal, $range:expr, $field:ident, $type:ty) => {
        $row!(
            $name,
            $help,
            whole($range),
            |config| config.$field.to_string(),
            |config, value| config.$field = value.whole() as $type
        )
    };
}

/// All parameters: those of Monte-Carlo searches, then of classical ones, then common ones.
pub const PARAMETERS: &[Parameter] = &[
    mcts_row!(
        "select",
        "The formula that chooses a child",
        ParameterKind::Choice(SelectFormula::NAMES),
        |config| word(SelectFormula::ALL, SelectFormula::NAMES, &config.formula),
        |config, value| config.formula = SelectFormula::ALL[value.choice()]
    ),
    Parameter {
        name: "exploration",
        help: "The constant C of UCT and PUCT; larger looks more widely",
        kind: ParameterKind::Real {
            min: 0.0,
            max: 20.0,
        },
        get: |spec| {
            mcts(spec)
                .filter(|config| config.uses_exploration())
                .map(|config| config.exploration.to_string())
        },
        set: |spec, value| {
            if let (Spec::Mcts(config), Value::Real(value)) = (spec, value) {
                config.exploration = value;
            }
        },
    },
    choice_row!(
        "reward_range",
        "Rewards as the formula sees them: from 0 to 1 or from -1 to 1",
        ["01", "pm1"],
        REWARD_RANGES,
        reward_range
    ),
    mcts_row!(
        "fpu",
        "First-play urgency, what stands for the mean of an unvisited child: infinity, a constant, or the node's mean less a reduction",
        ParameterKind::Choice(Fpu::NAMES),
        |config| Fpu::NAMES[config.fpu.index()].to_owned(),
        |config, value| config.fpu = Fpu::from_index(value.choice())
    ),
    Parameter {
        name: "fpu_value",
        help: "The constant or the reduction of the first-play urgency",
        kind: ParameterKind::Real {
            min: -1.0,
            max: 10.0,
        },
        get: |spec| mcts(spec)?.fpu.value().map(|value| value.to_string()),
        set: |spec, value| {
            if let (Spec::Mcts(config), Value::Real(value)) = (spec, value) {
                config.fpu = config.fpu.with_value(value);
            }
        },
    },
    choice_row!(
        "playout",
        "How games are played out",
        ["uniform", "lgr1", "lgr2"],
        POLICIES,
        policy
    ),
    flag_row!(
        mcts_row,
        "forgetting",
        "Whether last good replies are forgotten when they lose",
        forgetting
    ),
    mcts_row!(
        "playout_limit",
        "Plies after which a playout is cut off and judged; 0 for none",
        whole(0..=100_000),
        |config| or_zero(config.playout_limit),
        |config, value| config.playout_limit = unless_zero(value.whole()).map(|plies| plies as u32)
    ),
    choice_row!(
        "expansion",
        "What a leaf gets: all children and the first is played out, or one at random is, or one child at a time",
        ["all-first", "all-random", "one"],
        EXPANSIONS,
        expansion
    ),
    whole_row!(
        mcts_row,
        "expand_on",
        "The visit on which a leaf is expanded",
        1..=2,
        expand_on,
        u32
    ),
    choice_row!(
        "store",
        "Where statistics are kept: in a tree, in a graph with shared nodes, or in a tree with a bounded table",
        ["tree", "graph", "bounded"],
        STORES,
        store
    ),
    flag_row!(
        mcts_row,
        "transpositions",
        "Whether equal positions share a node in a graph",
        sharing.transpositions
    ),
    choice_row!(
        "symmetry",
        "Which images of a position share a node in a graph",
        ["none", "rotations", "dihedral"],
        GROUPINGS,
        sharing.grouping
    ),
    flag_row!(
        mcts_row,
        "invert_colours",
        "Whether positions with colours exchanged share a node in a graph",
        sharing.invert_colours
    ),
    whole_row!(
        mcts_row,
        "entries",
        "Entries of a bounded table",
        1..=1 << 32,
        entries,
        usize
    ),
    flag_row!(
        mcts_row,
        "verify_key",
        "Whether a bounded table tells positions apart that fall on one entry",
        verify_key
    ),
    whole_row!(
        mcts_row,
        "opening_discs",
        "With so many men on the board a graph gives way to a tree; 0 for never",
        0..=1000,
        opening_pieces,
        u32
    ),
    mcts_row!(
        "opening_fraction",
        "The part of the iterations that is made before that",
        ParameterKind::Real { min: 0.0, max: 1.0 },
        |config| config.opening_fraction.to_string(),
        |config, value| if let Value::Real(value) = value {
            config.opening_fraction = value;
        }
    ),
    choice_row!(
        "final_choice",
        "The move that is played: most visits, highest mean, or highest lower confidence bound",
        ["visits", "mean", "lower-bound"],
        FINAL_CHOICES,
        final_choice
    ),
    flag_row!(
        mcts_row,
        "reuse",
        "Whether what is known is kept from one move to the next",
        reuse
    ),
    flag_row!(
        mcts_row,
        "solver",
        "Whether certain wins and losses are passed up the tree",
        solver
    ),
    flag_row!(
        mcts_row,
        "score_bounds",
        "Whether the solver, which it switches on, also proves margins, in a tree of a game decided by counting",
        score_bounds
    ),
    mcts_row!(
        "iterations",
        "Iterations a move if no limit is given; 0 for none",
        whole(0..=u64::MAX),
        |config| or_zero(config.iterations),
        |config, value| config.iterations = unless_zero(value.whole())
    ),
    Parameter {
        name: "memory",
        help: "Megabytes for statistics, never exceeded",
        kind: whole(1..=1 << 20),
        get: |spec| match spec {
            Spec::Mcts(config) => Some(config.memory_mb.to_string()),
            Spec::Exact(config) => Some(config.memory_mb.to_string()),
            Spec::Classical(config) if config.enhancements.table => {
                Some(config.table_mb.to_string())
            }
            _ => None,
        },
        set: |spec, value| match spec {
            Spec::Mcts(config) => config.memory_mb = value.whole() as usize,
            Spec::Exact(config) => config.memory_mb = value.whole() as usize,
            Spec::Classical(config) => config.table_mb = value.whole() as usize,
            _ => {}
        },
    },
    Parameter {
        name: "threads",
        help: "Threads that grow the tree; more than one no longer repeats itself",
        kind: whole(1..=512),
        get: |spec| match spec {
            Spec::Mcts(config) => Some(config.threads.to_string()),
            Spec::Exact(config) => Some(config.threads.to_string()),
            _ => None,
        },
        set: |spec, value| {
            let threads = (value.whole() as usize).min(max_threads());
            match spec {
                Spec::Mcts(config) => config.threads = threads,
                Spec::Exact(config) => config.threads = threads,
                _ => {}
            }
        },
    },
    Parameter {
        name: "book",
        help: "Whether values of the first plies are taken from the embedded book, in games that have one",
        kind: ParameterKind::Flag,
        get: |spec| match spec {
            Spec::Exact(config) => Some(config.uses_book.to_string()),
            _ => None,
        },
        set: |spec, value| {
            if let Spec::Exact(config) = spec {
                config.uses_book = value.flag();
            }
        },
    },
    classical_row!(
        "depth",
        "Plies to look ahead: if set, whatever the clock says, else if no limit is given; 0 for as deep as the clock allows",
        whole(0..=500),
        |config| or_zero(config.depth.or(config.default_depth)),
        |config, value| {
            config.depth = unless_zero(value.whole()).map(|depth| depth as u32);
            config.default_depth = None;
        }
    ),
    flag_row!(
        classical_row,
        "deepening",
        "Whether depths are searched one after the other even if only the depth is limited",
        deepening
    ),
    classical_row!(
        "half_width",
        "Half the width of the aspiration window; 0 for no window",
        whole(0..=1_000_000),
        |config| or_zero(config.aspiration.map(|aspiration| aspiration.half_width)),
        |config, value| {
            let first_guess = config
                .aspiration
                .map_or(0, |aspiration| aspiration.first_guess);
            config.aspiration = unless_zero(value.whole()).map(|half_width| Aspiration {
                half_width: half_width as i32,
                first_guess,
            });
        }
    ),
    classical_row!(
        "first_guess",
        "The middle of the first aspiration window",
        ParameterKind::Signed {
            min: -1_000_000,
            max: 1_000_000
        },
        |config| or_zero(config.aspiration.map(|aspiration| aspiration.first_guess)),
        |config, value| if let (Value::Signed(guess), Some(aspiration)) =
            (value, &mut config.aspiration)
        {
            aspiration.first_guess = guess;
        }
    ),
    flag_row!(
        classical_row,
        "random_opening",
        "Whether the first move of a game is drawn",
        random_opening
    ),
    flag_row!(
        classical_row,
        "full_nodes",
        "Whether the nodes of minimax are counted after a search, for every completed depth that has at most 10 million",
        full_nodes
    ),
    whole_row!(
        classical_row,
        "tree_nodes",
        "How many nodes of the last iteration are kept to be looked at",
        1..=100_000_000,
        tree_nodes,
        usize
    ),
    enhancement_row!(
        "table",
        "Whether positions are remembered in a transposition table of `memory` megabytes",
        table
    ),
    enhancement_row!(
        "deeper_entries",
        "Whether the table's values of deeper searches count too; without, a fixed depth has minimax's value",
        deeper_entries
    ),
    enhancement_row!(
        "hash_move",
        "Whether the table's best move is tried first",
        hash_move
    ),
    enhancement_row!(
        "move_order",
        "Whether moves are ordered as the game says: captures by value, corners, lines",
        move_order
    ),
    enhancement_row!(
        "killers",
        "Whether quiet moves that caused a cutoff at the same ply are tried early",
        killers
    ),
    enhancement_row!(
        "history",
        "Whether quiet moves that caused cutoffs anywhere are tried early",
        history
    ),
    enhancement_row!(
        "pvs",
        "Principal variation search: all moves but the first are first asked whether they are better",
        pvs
    ),
    enhancement_row!(
        "mate_distance",
        "Whether lines are cut off in which even a win at once would change nothing",
        mate_distance
    ),
    enhancement_row!(
        "early_draws",
        "Whether the first repetition in a line counts as a draw",
        early_draws
    ),
    enhancement_row!(
        "quiescence",
        "Whether captures and threats are followed beyond the depth",
        quiescence
    ),
    enhancement_row!(
        "extensions",
        "Whether checks and forced replies are searched one ply deeper",
        extensions
    ),
    enhancement_row!(
        "null_move",
        "Whether a position is cut off in which passing would be good enough, in games that say where",
        null_move
    ),
    enhancement_row!(
        "reductions",
        "Whether late quiet moves are searched less deeply until one surprises, in games where quiet moves change little",
        reductions
    ),
    enhancement_row!(
        "futility",
        "Whether positions far ahead are cut off near the horizon and quiet moves left out far behind, in such games",
        futility
    ),
    Parameter {
        name: "evaluation",
        help: "What a position is worth: one of the game's evaluations, with arguments after colons",
        kind: ParameterKind::Evaluation,
        get: |spec| match spec {
            Spec::Classical(config) | Spec::Greedy(config) => {
                Some(config.evaluation.clone().unwrap_or_default())
            }
            _ => None,
        },
        set: |spec, value| {
            if let (
                Spec::Classical(config) | Spec::Greedy(config),
                Value::Evaluation(text, arguments),
            ) = (spec, value)
            {
                config.evaluation = Some(text.to_owned());
                config.arguments = arguments.to_vec();
            }
        },
    },
    Parameter {
        name: "ties",
        help: "Which of equal moves is played: the first, or one at random",
        kind: ParameterKind::Choice(&["first", "random"]),
        get: |spec| match spec {
            Spec::Classical(config) | Spec::Greedy(config) => {
                Some(word(&TIE_BREAKS, &["first", "random"], &config.tie_break))
            }
            _ => None,
        },
        set: |spec, value| {
            if let Spec::Classical(config) | Spec::Greedy(config) = spec {
                config.tie_break = TIE_BREAKS[value.choice()];
            }
        },
    },
    Parameter {
        name: "time",
        help: "Milliseconds a move if no limit is given; 0 for none",
        kind: whole(0..=u64::MAX),
        get: |spec| match spec {
            Spec::Mcts(config) => Some(or_zero(config.millis)),
            Spec::Classical(config) => Some(or_zero(config.millis)),
            _ => None,
        },
        set: |spec, value| match spec {
            Spec::Mcts(config) => config.millis = unless_zero(value.whole()),
            Spec::Classical(config) => config.millis = unless_zero(value.whole()),
            _ => {}
        },
    },
    Parameter {
        name: "exact_from",
        help: "With so many empty squares or fewer the game's exact solver chooses the move; auto is 12, and up to 16 by the time left; 0 for never",
        kind: ParameterKind::WholeOrAuto { min: 0, max: 60 },
        get: |spec| match spec.exact_from()? {
            ExactFrom::Auto | ExactFrom::Clock => Some("auto".to_owned()),
            ExactFrom::EmptySquares(count) => Some(count.to_string()),
        },
        set: |spec, value| {
            let from = match value {
                Value::Whole(count) => ExactFrom::EmptySquares(count as u32),
                _ => ExactFrom::Auto,
            };
            match spec {
                Spec::Mcts(config) => config.exact_from = config.exact_from.and(Some(from)),
                Spec::Classical(config) => config.exact_from = config.exact_from.and(Some(from)),
                _ => {}
            }
        },
    },
    Parameter {
        name: "exact_first",
        help: "Whether the game's exact solver is asked first on a clock, for at most half of the time, in games that it solves in seconds",
        kind: ParameterKind::Flag,
        get: |spec| match spec {
            Spec::Classical(config) => Some(config.exact_first?.to_string()),
            _ => None,
        },
        set: |spec, value| {
            if let Spec::Classical(config) = spec {
                config.exact_first = config.exact_first.and(Some(value.flag()));
            }
        },
    },
    Parameter {
        name: "seed",
        help: "Seed of the random numbers; 0 takes one from the operating system",
        kind: whole(0..=u64::MAX),
        get: |spec| match spec {
            Spec::Mcts(config) => Some(config.seed.to_string()),
            Spec::Exact(config) => Some(config.seed.to_string()),
            Spec::Classical(config) | Spec::Greedy(config) => Some(config.seed.to_string()),
            Spec::Random { seed } | Spec::Rules { seed } => Some(seed.to_string()),
            Spec::HeaviestSquare => None,
        },
        set: |spec, value| match spec {
            Spec::Mcts(config) => config.seed = value.whole(),
            Spec::Exact(config) => config.seed = value.whole(),
            Spec::Classical(config) | Spec::Greedy(config) => config.seed = value.whole(),
            Spec::Random { seed } | Spec::Rules { seed } => *seed = value.whole(),
            Spec::HeaviestSquare => {}
        },
    },
    Parameter {
        name: "legacy",
        help: "Whether the defects of the report's own program are repeated",
        kind: ParameterKind::Flag,
        get: |spec| legacy(spec).state().map(|is_on| is_on.to_string()),
        set: |spec, value| match spec {
            Spec::Mcts(config) => config.legacy.switch(value.flag()),
            Spec::Classical(config) => config.legacy.switch(value.flag()),
            _ => {}
        },
    },
];

/// Parses `text` and sets the parameter `name` of the search named `search`.
pub(super) fn set_parameter<G: Playable>(
    search: &str,
    spec: &mut Spec,
    name: &str,
    text: &str,
) -> Result<(), CatalogError> {
    let own = || {
        PARAMETERS
            .iter()
            .filter(|parameter| (parameter.get)(spec).is_some())
    };
    let Some(parameter) = own().find(|parameter| parameter.name.eq_ignore_ascii_case(name)) else {
        let known: Vec<&str> = own().map(|parameter| parameter.name).collect();
        return Err(CatalogError::Parameter {
            search: search.into(),
            name: quote(name),
            known: known.join(", "),
        });
    };
    let refuse = |expected: String| CatalogError::Value {
        name: parameter.name.into(),
        value: quote(text),
        expected,
    };
    let mut arguments = Vec::new();
    let in_small_letters = text.to_ascii_lowercase();
    let value = if parameter.kind == ParameterKind::Evaluation {
        parse_evaluation::<G>(text, &mut arguments).map_err(refuse)?;
        Value::Evaluation(&in_small_letters, &arguments)
    } else {
        let read = parameter.kind.parse(text);
        read.ok_or_else(|| refuse(parameter.kind.to_string()))?
    };
    (parameter.set)(spec, value);
    match legacy(spec).active() {
        Some(program) if !program_plays::<G>(program) => Err(refuse(format!(
            "false, because the program with these defects did not play {}",
            G::NAME
        ))),
        _ => Ok(()),
    }
}

/// Sets a parameter that is no evaluation from text; none if the text is not one of its values.
pub(super) fn set_value(spec: &mut Spec, name: &str, text: &str) -> Option<()> {
    let parameter = PARAMETERS.iter().find(|parameter| parameter.name == name)?;
    (parameter.set)(spec, parameter.kind.parse(text)?);
    Some(())
}

/// The nearest value that this machine has to a value of a parameter, and a sentence about it; none if it can be had as it is.
pub(super) fn nearest_supported(name: &str, text: &str) -> Option<(String, String)> {
    let wanted = (text.parse::<usize>().ok()).filter(|_| name.eq_ignore_ascii_case("threads"))?;
    let most = max_threads();
    (wanted > most).then(|| {
        let sentence = format!(
            "{wanted} threads are more than this machine serves well: there will be {most}, the most for its processors"
        );
        (most.to_string(), sentence)
    })
}

/// Checks that `G` has the evaluation `text`; the error lists those it has.
pub(super) fn check_evaluation<G: Playable>(text: &str) -> Result<(), CatalogError> {
    match parse_evaluation::<G>(text, &mut Vec::new()) {
        Ok(_) => Ok(()),
        Err(expected) => Err(CatalogError::Value {
            name: "evaluation".to_owned(),
            value: quote(text),
            expected,
        }),
    }
}

/// Parses `NAME:ARGUMENT:...` and appends the arguments; the error says what was expected.
fn parse_evaluation<G: Playable>(text: &str, arguments: &mut Vec<i32>) -> Result<(), String> {
    let mut words = text.split(':');
    let name = words.next().unwrap_or_default();
    let Some(found) = G::EVALUATIONS
        .iter()
        .find(|evaluation| evaluation.name.eq_ignore_ascii_case(name))
    else {
        let names: Vec<&str> = G::EVALUATIONS
            .iter()
            .map(|evaluation| evaluation.name)
            .collect();
        return Err(format!("one of {}", names.join(", ")));
    };
    for (index, word) in words.enumerate() {
        let Some(parameter) = found.parameters.get(index) else {
            return Err(format!(
                "{} with at most {} arguments",
                found.name,
                found.parameters.len()
            ));
        };
        let argument = match parameter.kind {
            evaluate::EvaluationParameterKind::Number { min, max, .. } => word
                .parse()
                .ok()
                .filter(|value| (min..=max).contains(value))
                .ok_or_else(|| format!("{} from {min} to {max}", parameter.name))?,
            evaluate::EvaluationParameterKind::Choice(choices) => choices
                .iter()
                .position(|choice| choice.eq_ignore_ascii_case(word))
                .map(|index| index as i32)
                .ok_or_else(|| format!("{} to be {}", parameter.name, choices.join(" or ")))?,
        };
        arguments.push(argument);
    }
    Ok(())
}
