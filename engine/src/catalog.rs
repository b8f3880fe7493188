//! The search catalogue: names, descriptions, configurations and parameters of all searches.
//!
//! A search is written `NAME` or `NAME,KEY=VALUE,...`, such as `uct,iterations=300,exploration=0.7`. A plain name (`uct`,
//! `alpha-beta`) has our own defaults. A name with a report's number is that report's player with every parameter as published,
//! and without the defects of the original program; some have a parameter `legacy` that brings these back.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
};

use crate::{
    games::{
        self, EndingFacts, GameFacts, Playable, Visitor, connect_four::ConnectFour,
        facts::PresetDefaults, notation::quote, othello::Othello,
    },
    rng::entropy_seed,
    search::{
        Search,
        classical::{Aspiration, Classical, ClassicalConfig, Enhancements, Method, TieBreak},
        connect_four::rule_player::RulePlayer,
        exact::{ExactEnding, ExactFrom, ExactPlayer},
        greedy::Greedy,
        legacy::{Legacy, Program},
        mcts::{
            self, ExpansionRule, FinalChoice, Fpu, Grouping, MctsConfig, PlayoutPolicy, Sharing,
            StoreKind,
        },
        othello::{HeaviestSquare, LegacyAlphaBeta, LegacyMcts},
        random::RandomPlayer,
    },
};

mod deviations;
mod parameters;
pub mod signature;
pub mod solver_cache;
pub mod solvers;

pub use crate::search::mcts::{
    ChildStats, ParentStats, RewardRange, SelectFormula, Selection, Terms,
};
use solver_cache::SolverCache;
use solvers::SolverConfig;

pub use deviations::deviations;
pub use parameters::{ENHANCEMENTS, PARAMETERS, Parameter, ParameterKind};

/// One row of the catalogue.
pub struct CatalogEntry {
    /// The name, as written in options and command lines.
    pub name: &'static str,
    /// One sentence for people.
    pub help: &'static str,
    /// The only game the search can play; `None` for all games.
    pub only_game: Option<&'static str>,
    /// Its settings for a game.
    spec: fn(&GameFacts) -> Spec,
}

impl CatalogEntry {
    /// Whether it is a report's player: its name ends in the report's number.
    fn is_of_report(&self) -> bool {
        let number = self.name.rsplit('-').next().unwrap_or_default();
        number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// A search with the value of every parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// Monte-Carlo tree search.
    Mcts(MctsConfig),
    /// Minimax and alpha-beta.
    Classical(ClassicalConfig),
    /// One-ply search by an evaluation.
    Greedy(ClassicalConfig),
    /// Report 001's simplest player: the square of the largest weight.
    HeaviestSquare,
    /// Report 002's rule-based player.
    Rules {
        /// Seed of the choice between equal moves.
        seed: u64,
    },
    /// Perfect play by an exact solver, where it reaches.
    Exact(ExactConfig),
    /// Uniformly random moves.
    Random {
        /// Seed of the moves.
        seed: u64,
    },
}

/// Settings of perfect play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactConfig {
    /// Megabytes, half of them for the solver and half for the search that it falls back to.
    pub memory_mb: usize,
    /// Threads of both.
    pub threads: usize,
    /// Seed of the search that it falls back to.
    pub seed: u64,
    /// Whether values of the first plies are taken from the embedded book, in games that have one.
    pub uses_book: bool,
    /// Where values that took long are kept; none for nowhere. No parameter: it does not change what is played.
    pub cache: Option<SolverCache>,
}

impl Default for ExactConfig {
    fn default() -> Self {
        Self {
            memory_mb: 512,
            threads: 1,
            seed: 1,
            uses_book: true,
            cache: None,
        }
    }
}

impl Spec {
    /// The seed; 0 for a deterministic search.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Mcts(config) => config.seed,
            Self::Exact(config) => config.seed,
            Self::Classical(config) | Self::Greedy(config) => config.seed,
            Self::Random { seed } | Self::Rules { seed } => *seed,
            Self::HeaviestSquare => 0,
        }
    }

    /// The same search with another seed.
    pub fn with_seed(&self, seed: u64) -> Self {
        let mut spec = self.clone();
        match &mut spec {
            Self::Mcts(config) => config.seed = seed,
            Self::Exact(config) => config.seed = seed,
            Self::Classical(config) | Self::Greedy(config) => config.seed = seed,
            Self::Random { seed: old } | Self::Rules { seed: old } => *old = seed,
            Self::HeaviestSquare => {}
        }
        spec
    }

    /// Makes endings count by their margin and leaves the last ones to the game's exact solver, or does neither, as the reports'
    /// players have it.
    fn play_endings(&mut self, exactly: bool) {
        let from = if exactly {
            ExactFrom::Auto
        } else {
            ExactFrom::EmptySquares(0)
        };
        match self {
            Self::Mcts(config) => config.exact_from = Some(from),
            Self::Classical(config) => {
                config.exact_from = Some(from);
                config.wins_by_margin = exactly;
            }
            _ => {}
        }
    }

    /// When the game's exact solver takes over; none for searches that leave nothing to it.
    fn exact_from(&self) -> Option<ExactFrom> {
        match self {
            Self::Mcts(config) => config.exact_from,
            Self::Classical(config) => config.exact_from,
            _ => None,
        }
    }

    /// Megabytes that the search may take, for those that can be told.
    pub fn memory_mb(&self) -> Option<usize> {
        match self {
            Self::Mcts(config) => Some(config.memory_mb),
            Self::Exact(config) => Some(config.memory_mb),
            Self::Classical(config) if config.enhancements.table => Some(config.table_mb),
            _ => None,
        }
    }

    /// The same search, which keeps what a solver took long for in `cache`, if it has a solver.
    pub fn with_cache(mut self, cache: Option<SolverCache>) -> Self {
        if let Self::Exact(config) = &mut self {
            config.cache = cache;
        }
        self
    }

    /// The same search; a seed of 0 is replaced by one from the operating system.
    pub fn with_resolved_seed(&self) -> Self {
        match self.seed() {
            0 => self.with_seed(entropy_seed()),
            _ => self.clone(),
        }
    }
}

/// Why a search could not be configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// Unknown search.
    #[error("unknown search {name}: expected one of {known}")]
    Search {
        /// The requested name, quoted.
        name: String,
        /// The searches of this game.
        known: String,
    },
    /// The search is for another game.
    #[error("{search} cannot play {game}: expected {only}")]
    Game {
        /// The search.
        search: String,
        /// The game.
        game: &'static str,
        /// The game it is for.
        only: &'static str,
    },
    /// Parameter unknown, or not one of this search.
    #[error("{search} has no parameter {name}: expected one of {known}")]
    Parameter {
        /// The search.
        search: String,
        /// The requested parameter, quoted.
        name: String,
        /// The parameters of the search.
        known: String,
    },
    /// Value out of range, or not of the parameter's kind.
    #[error("{name} cannot be {value}: expected {expected}")]
    Value {
        /// The parameter.
        name: String,
        /// The requested value, quoted.
        value: String,
        /// The values allowed.
        expected: String,
    },
}

/// All searches.
pub const SEARCHES: &[CatalogEntry] = &[
    entry("uct", "UCT, the plain Monte-Carlo tree search", |game| {
        Spec::Mcts(base_config(game))
    }),
    entry("ucb1-tuned", "UCT with the UCB1-tuned formula", |game| {
        Spec::Mcts(MctsConfig {
            formula: SelectFormula::Ucb1Tuned,
            ..base_config(game)
        })
    }),
    entry(
        "uct-fpu",
        "UCT with first-play urgency: a child that was never chosen counts 1.1",
        |game| {
            Spec::Mcts(MctsConfig {
                fpu: Fpu::Constant(1.1),
                ..base_config(game)
            })
        },
    ),
    entry(
        "puct",
        "AlphaZero's PUCT formula with uniform priors",
        |game| {
            Spec::Mcts(MctsConfig {
                formula: SelectFormula::Puct,
                exploration: PUCT_EXPLORATION,
                fpu: Fpu::Reduction(0.1),
                ..base_config(game)
            })
        },
    ),
    entry(
        "lgr1",
        "UCT with last good replies to one move in its playouts",
        |game| {
            Spec::Mcts(MctsConfig {
                policy: PlayoutPolicy::LastGoodReply1,
                ..base_config(game)
            })
        },
    ),
    entry(
        "lgr2",
        "UCT with last good replies to two moves in its playouts",
        |game| {
            Spec::Mcts(MctsConfig {
                policy: PlayoutPolicy::LastGoodReply2,
                ..base_config(game)
            })
        },
    ),
    entry(
        "transposition",
        "UCT on a graph in which equal positions share a node",
        |game| {
            Spec::Mcts(MctsConfig {
                store: StoreKind::Graph,
                ..base_config(game)
            })
        },
    ),
    entry(
        "grouping",
        "UCT on a graph in which symmetric and colour-inverted positions share a node too",
        |game| {
            let sharing = Sharing {
                transpositions: true,
                grouping: Grouping::Dihedral,
                invert_colours: true,
            };
            Spec::Mcts(MctsConfig {
                store: StoreKind::Graph,
                sharing,
                ..base_config(game)
            })
        },
    ),
    entry(
        "uct-000",
        "Report 000's UCT: 30 iterations, playouts cut off after 25 plies",
        |_| {
            Spec::Mcts(MctsConfig {
                iterations: Some(30),
                expansion: ExpansionRule::AllRandom,
                expand_on: 1,
                playout_limit: Some(25),
                final_choice: FinalChoice::Mean,
                legacy: Legacy::of(Program::Report000),
                ..MctsConfig::default()
            })
        },
    ),
    entry(
        "uct-001",
        "Report 001's UCT: 300 iterations, one child in each",
        |_| Spec::Mcts(report_001()),
    ),
    entry("ucb1-tuned-001", "Report 001's UCB1-tuned", |_| {
        Spec::Mcts(MctsConfig {
            formula: SelectFormula::Ucb1Tuned,
            ..report_001()
        })
    }),
    entry(
        "grouping-001",
        "Report 001's grouping: half the iterations on a graph while fewer than 15 discs are down",
        |_| {
            let sharing = Sharing {
                transpositions: true,
                grouping: Grouping::Rotations,
                invert_colours: true,
            };
            Spec::Mcts(MctsConfig {
                store: StoreKind::Graph,
                sharing,
                opening_pieces: 15,
                ..report_001()
            })
        },
    ),
    entry("uct-002", "Report 002's UCT: 100,000 iterations", |_| {
        Spec::Mcts(report_002())
    }),
    entry(
        "transposition-002",
        "Report 002's UCT with a transposition table of 8,000,000 entries",
        |_| {
            Spec::Mcts(MctsConfig {
                store: StoreKind::Bounded,
                ..report_002()
            })
        },
    ),
    entry(
        "lgr1-002",
        "Report 002's last good reply to one move",
        |_| {
            Spec::Mcts(MctsConfig {
                policy: PlayoutPolicy::LastGoodReply1,
                ..report_002()
            })
        },
    ),
    entry(
        "lgr2-002",
        "Report 002's last good reply to two moves",
        |_| {
            Spec::Mcts(MctsConfig {
                policy: PlayoutPolicy::LastGoodReply2,
                ..report_002()
            })
        },
    ),
    entry(
        "transposition-lgr2-002",
        "Report 002's transposition table and last good replies together",
        |_| {
            Spec::Mcts(MctsConfig {
                store: StoreKind::Bounded,
                policy: PlayoutPolicy::LastGoodReply2,
                ..report_002()
            })
        },
    ),
    entry(
        "exact",
        "Perfect play by an exact solver; what it cannot solve is left to the game's default search",
        |_| Spec::Exact(ExactConfig::default()),
    ),
    entry("random", "Any legal move", |_| Spec::Random { seed: 1 }),
    entry(
        "greedy",
        "The move after which an evaluation likes the position best",
        |_| {
            Spec::Greedy(ClassicalConfig {
                tie_break: TieBreak::Random,
                ..ClassicalConfig::default()
            })
        },
    ),
    CatalogEntry {
        only_game: Some("othello"),
        ..entry(
            "simple-heuristic-001",
            "Report 001's simplest player: the square with the largest weight",
            |_| Spec::HeaviestSquare,
        )
    },
    CatalogEntry {
        only_game: Some("othello"),
        ..entry(
            "heuristic-001",
            "Report 001's alpha-beta on the weights of its own squares, 6 plies deep",
            |_| {
                Spec::Classical(ClassicalConfig {
                    evaluation: Some("weights:own".into()),
                    arguments: vec![1],
                    depth: Some(6),
                    legacy: Legacy::of(Program::Report001),
                    ..ClassicalConfig::default()
                })
            },
        )
    },
    CatalogEntry {
        only_game: Some("connect-four"),
        ..entry("rules-002", "Report 002's player by rules", |_| {
            Spec::Rules { seed: 1 }
        })
    },
    CatalogEntry {
        only_game: Some("delta"),
        ..entry(
            "alpha-beta-003",
            "Report 003's alpha-beta on mobility and lines",
            |_| Spec::Classical(report_003()),
        )
    },
    CatalogEntry {
        only_game: Some("delta"),
        ..entry("deepening-003", "Report 003's iterative deepening", |_| {
            Spec::Classical(ClassicalConfig {
                deepening: true,
                ..report_003()
            })
        })
    },
    CatalogEntry {
        only_game: Some("delta"),
        ..entry(
            "aspiration-003",
            "Report 003's aspiration windows of half-width 20",
            |_| {
                let aspiration = Some(Aspiration {
                    half_width: 20,
                    first_guess: 0,
                });
                Spec::Classical(ClassicalConfig {
                    deepening: true,
                    aspiration,
                    ..report_003()
                })
            },
        )
    },
    entry(
        "three-valued-003",
        "Report 003's best player: only win, draw and loss, as deep as the clock allows",
        |_| {
            Spec::Classical(ClassicalConfig {
                deepening: true,
                evaluation: Some("outcome".into()),
                depth: None,
                default_depth: None,
                millis: Some(1000),
                ..report_003()
            })
        },
    ),
    CatalogEntry {
        only_game: Some("othello"),
        ..entry("minimax-004", "Report 004's minimax, 5 plies deep", |_| {
            Spec::Classical(ClassicalConfig {
                method: Method::Minimax,
                ..report_004()
            })
        })
    },
    CatalogEntry {
        only_game: Some("othello"),
        ..entry(
            "alpha-beta-004",
            "Report 004's alpha-beta, 5 plies deep",
            |_| Spec::Classical(report_004()),
        )
    },
    entry("minimax", "Every line to a fixed depth", |_| {
        Spec::Classical(ClassicalConfig {
            method: Method::Minimax,
            default_depth: Some(4),
            ..ClassicalConfig::default()
        })
    }),
    entry(
        "alpha-beta",
        "Every line that can matter, to a fixed depth; depth by depth under any other limit",
        |_| Spec::Classical(ClassicalConfig::default()),
    ),
    entry(
        "deepening",
        "Alpha-beta at depth 1, 2, 3 and so on, the best moves first",
        |_| {
            Spec::Classical(ClassicalConfig {
                deepening: true,
                ..ClassicalConfig::default()
            })
        },
    ),
    entry(
        "aspiration",
        "Iterative deepening with a narrow window around the last value",
        |_| {
            let aspiration = Some(Aspiration {
                half_width: 50,
                first_guess: 0,
            });
            Spec::Classical(ClassicalConfig {
                deepening: true,
                aspiration,
                ..ClassicalConfig::default()
            })
        },
    ),
    entry(
        "strong",
        "Alpha-beta with everything that pays: a transposition table, ordered moves, quiescence and more",
        |game| {
            Spec::Classical(ClassicalConfig {
                deepening: true,
                evaluation: game.presets.strong_evaluation.map(str::to_owned),
                enhancements: Enhancements::ALL,
                exact_first: game.is_solved_on_clock.then_some(true),
                ..ClassicalConfig::default()
            })
        },
    ),
];

const fn entry(
    name: &'static str,
    help: &'static str,
    spec: fn(&GameFacts) -> Spec,
) -> CatalogEntry {
    CatalogEntry {
        name,
        help,
        only_game: None,
        spec,
    }
}

/// The exploration constant C of `puct`. By measurement, in duels against C = 0.5 at equal iterations: 63 % of the points in connect
/// four, 59 % in kalah, 64 % in othello.
const PUCT_EXPLORATION: f64 = 2.0;

/// The settings that presets without a report's number have in common. Exploration and the limit of playouts are the game's
/// ([`GameFacts::presets`], 0.5 and none unless it states others), not those of [`MctsConfig::default`].
fn base_config(game: &GameFacts) -> MctsConfig {
    let PresetDefaults {
        exploration,
        playout_limit,
        ..
    } = game.presets;
    MctsConfig {
        exploration,
        playout_limit,
        ..MctsConfig::default()
    }
}

fn report_001() -> MctsConfig {
    MctsConfig {
        exploration: std::f64::consts::SQRT_2,
        iterations: Some(300),
        expansion: ExpansionRule::One,
        expand_on: 1,
        final_choice: FinalChoice::Mean,
        reuse: false,
        legacy: Legacy::of(Program::Report001),
        ..MctsConfig::default()
    }
}

fn report_002() -> MctsConfig {
    MctsConfig {
        exploration: std::f64::consts::SQRT_2,
        iterations: Some(100_000),
        expansion: ExpansionRule::AllFirst,
        expand_on: 2,
        final_choice: FinalChoice::Mean,
        reward_range: RewardRange::ZeroToOne,
        ..MctsConfig::default()
    }
}

fn report_003() -> ClassicalConfig {
    ClassicalConfig {
        depth: Some(7),
        tie_break: TieBreak::Random,
        random_opening: true,
        ..ClassicalConfig::default()
    }
}

fn report_004() -> ClassicalConfig {
    ClassicalConfig {
        evaluation: Some("count".into()),
        depth: Some(5),
        legacy: Legacy::of(Program::Report004),
        ..ClassicalConfig::default()
    }
}

/// Parses a search and configures it for the game `G`.
pub fn parse<G: Playable>(text: &str) -> Result<Spec, CatalogError> {
    let name = text.split(',').next().unwrap_or_default().trim();
    let Some(entry) = SEARCHES
        .iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
    else {
        let known: Vec<&str> = names::<G>().collect();
        return Err(CatalogError::Search {
            name: quote(name),
            known: known.join(", "),
        });
    };
    if let Some(only) = entry.only_game.filter(|&only| only != G::NAME) {
        return Err(CatalogError::Game {
            search: entry.name.into(),
            game: G::NAME,
            only,
        });
    }
    let mut spec = (entry.spec)(G::FACTS);
    if G::FACTS.endings.is_some() {
        spec.play_endings(!entry.is_of_report());
    }
    for (key, value) in written_parameters(text) {
        parameters::set_parameter::<G>(entry.name, &mut spec, key, value)?;
    }
    Ok(spec)
}

/// [`parse`], then applies `settings`, parameters by name and value. Settings for parameters the search does not have are
/// ignored.
pub fn configure<G: Playable>(
    text: &str,
    settings: &[(String, String)],
) -> Result<Spec, CatalogError> {
    let mut spec = parse::<G>(text)?;
    for (name, value) in settings {
        let parameter = PARAMETERS
            .iter()
            .find(|parameter| parameter.name == name && (parameter.get)(&spec).is_some());
        if parameter.is_some() {
            parameters::set_parameter::<G>(text, &mut spec, name, value)?;
        }
    }
    Ok(spec)
}

/// Whether a written search is a preset with a report's number, which plays as published.
pub fn is_published_preset(text: &str) -> bool {
    let name = text.split(',').next().unwrap_or_default().trim();
    let number = name.rsplit('-').next().unwrap_or_default();
    number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The `KEY=VALUE` pairs of a written search; the value is empty if there is no `=`.
pub fn written_parameters(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let words = text.split(',').skip(1);
    words.map(|word| {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        (key.trim(), value.trim())
    })
}

/// The nearest value this machine supports, and a sentence about the change; `None` if the value is supported as it is.
pub fn nearest_supported(name: &str, value: &str) -> Option<(String, String)> {
    parameters::nearest_supported(name, value)
}

/// A sentence for each written parameter that this machine does not support as it is.
pub fn warnings(text: &str) -> Vec<String> {
    (written_parameters(text))
        .filter_map(|(name, value)| nearest_supported(name, value))
        .map(|(_, sentence)| sentence)
        .collect()
}

/// Checks that some game can be searched as `text` says. The error is the one for `game`, or for the only game the search can
/// play.
pub fn check_search(game: &str, text: &str) -> Result<(), CatalogError> {
    struct CheckSearch<'a>(&'a str);
    impl Visitor for CheckSearch<'_> {
        type Out = Result<(), CatalogError>;

        fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
            parse::<G>(self.0).map(|_| ())
        }
    }
    let name = text.split(',').next().unwrap_or_default().trim();
    let only = (SEARCHES.iter())
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
        .and_then(|entry| entry.only_game);
    check_in_any_game(only.unwrap_or(game), || CheckSearch(text))
}

/// Checks that some game has the evaluation `text`. The error lists the evaluations of `game`.
pub fn check_evaluation(game: &str, text: &str) -> Result<(), CatalogError> {
    struct CheckEvaluation<'a>(&'a str);
    impl Visitor for CheckEvaluation<'_> {
        type Out = Result<(), CatalogError>;

        fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
            parameters::check_evaluation::<G>(self.0)
        }
    }
    check_in_any_game(game, || CheckEvaluation(text))
}

/// Runs a check for every game until one passes. If none does, returns the error of `game`.
fn check_in_any_game<V>(game: &str, check: impl Fn() -> V) -> Result<(), CatalogError>
where
    V: Visitor<Out = Result<(), CatalogError>>,
{
    let passes = |name: &str| matches!(games::with_game(name, check()), Ok(Ok(())));
    match games::with_game(game, check()) {
        Ok(Err(error)) if !games::NAMES.iter().any(|name| passes(name)) => Err(error),
        _ => Ok(()),
    }
}

/// All parameters of a search with their values.
pub fn parameter_values(spec: &Spec) -> BTreeMap<String, String> {
    PARAMETERS
        .iter()
        .filter_map(|parameter| {
            (parameter.get)(spec).map(|value| (parameter.name.to_owned(), value))
        })
        .collect()
}

/// How a search with these parameters chooses among the children of a node; none if they do not say it.
pub fn selection(parameters: &BTreeMap<String, String>) -> Option<Selection> {
    let mut spec = Spec::Mcts(MctsConfig::default());
    let mut set = |name: &str| {
        let value = parameters.get(name)?;
        parameters::set_value(&mut spec, name, value)
    };
    set("select")?;
    let exploration = set("exploration");
    for name in ["reward_range", "fpu", "fpu_value"] {
        if parameters.contains_key(name) {
            set(name)?;
        }
    }
    let Spec::Mcts(config) = spec else {
        return None;
    };
    (exploration.is_some() || !config.formula.has_exploration()).then(|| config.selection())
}

/// Whether limits change what a search does: it has a parameter for one.
pub fn takes_limits(spec: &Spec) -> bool {
    limit_values(spec).next().is_some()
}

/// Whether a search stops when nothing else is said: those that could go on for ever have a parameter for it.
pub fn has_default_limit(spec: &Spec) -> bool {
    !takes_limits(spec) || limit_values(spec).any(|value| value != "0")
}

/// Whether a search with a seed always does the same under its own limits: nothing in it depends on time or on other threads.
pub fn is_repeatable(spec: &Spec) -> bool {
    let values = parameter_values(spec);
    let is = |name: &str, usual: &str| values.get(name).is_none_or(|value| value == usual);
    // A solver counts fewer nodes where its cache has the answer.
    is("time", "0") && is("threads", "1") && !matches!(spec, Spec::Exact(_))
}

/// The values of a search's parameters that limit it; 0 is no limit.
fn limit_values(spec: &Spec) -> impl Iterator<Item = String> {
    PARAMETERS
        .iter()
        .filter(|parameter| ["iterations", "time", "depth"].contains(&parameter.name))
        .filter_map(|parameter| (parameter.get)(spec))
}

/// Names of the searches that can play `G`.
pub fn names<G: Playable>() -> impl Iterator<Item = &'static str> {
    SEARCHES
        .iter()
        .filter(|entry| entry.only_game.is_none_or(|only| only == G::NAME))
        .map(|entry| entry.name)
}

/// Bytes of the solver that takes over in endings: enough for up to 16 empty squares.
const ENDING_SOLVER_BYTES: usize = 2 << 20;
/// Bytes of a solver that is asked first.
const FIRST_SOLVER_BYTES: usize = 12 << 20;

/// Builds the search; `None` if it is for another game than `G`.
pub fn build<G: Playable>(spec: &Spec) -> Option<Box<dyn Search<G>>> {
    let search = build_search::<G>(spec)?;
    if let Spec::Classical(config) = spec
        && config.exact_first == Some(true)
    {
        // With little memory for the search, the solver takes little.
        let half = config.table_mb << 19;
        let config = SolverConfig::plain(FIRST_SOLVER_BYTES.min(half));
        let new_solver = Box::new(move |rules| solvers::solver::<G>(rules, config));
        // Squares do not matter.
        let squares = EndingFacts {
            squares: 0,
            quick: 0,
            slow: 0,
        };
        let ending = ExactEnding::new(search, new_solver, ExactFrom::Clock, squares);
        return Some(Box::new(ending));
    }
    let (Some(from), Some(endings)) = (spec.exact_from(), G::FACTS.endings) else {
        return Some(search);
    };
    if from == ExactFrom::EmptySquares(0) {
        return Some(search);
    }
    // The search itself keeps the memory it is configured with: with little of it, the solver takes little.
    let eighth = spec.memory_mb().map_or(usize::MAX, |mb| mb << 17);
    let config = SolverConfig::plain(ENDING_SOLVER_BYTES.min(eighth));
    let new_solver = Box::new(move |rules| solvers::solver::<G>(rules, config));
    Some(Box::new(ExactEnding::new(
        search, new_solver, from, endings,
    )))
}

/// Builds the search itself. Monte-Carlo searches are built by [`mcts::build`], the others by their constructors.
fn build_search<G: Playable>(spec: &Spec) -> Option<Box<dyn Search<G>>> {
    let greedy = |config: &ClassicalConfig| {
        Greedy::new(
            config.evaluation.as_deref(),
            &config.arguments,
            config.tie_break,
            config.seed,
        )
    };
    match (spec, legacy(spec).active()) {
        (Spec::Mcts(config), Some(Program::Report001)) => {
            return for_game::<G, Othello>(Box::new(LegacyMcts::new(*config)));
        }
        (Spec::Classical(config), Some(program)) => {
            return for_game::<G, Othello>(Box::new(LegacyAlphaBeta::new(config.clone(), program)));
        }
        _ => {}
    }
    Some(match spec {
        Spec::Mcts(config) => mcts::build(*config),
        Spec::Classical(config) => Box::new(Classical::new(config.clone())),
        Spec::Greedy(config) => Box::new(greedy(config)),
        Spec::Exact(config) => build_exact::<G>(config)?,
        Spec::Random { seed } => Box::new(RandomPlayer::new(*seed)),
        Spec::HeaviestSquare => {
            return for_game::<G, Othello>(Box::new(HeaviestSquare));
        }
        Spec::Rules { seed } => {
            return for_game::<G, ConnectFour>(Box::new(RulePlayer::new(*seed)));
        }
    })
}

/// The program whose defects a search can repeat.
fn legacy(spec: &Spec) -> Legacy {
    match spec {
        Spec::Mcts(config) => config.legacy,
        Spec::Classical(config) => config.legacy,
        _ => Legacy::default(),
    }
}

/// Whether the program of a report played `G`; report 000's tree search is for any game.
fn program_plays<G: Playable>(program: Program) -> bool {
    match program {
        Program::Report000 => true,
        Program::Report001 | Program::Report004 => TypeId::of::<G>() == TypeId::of::<Othello>(),
    }
}

fn build_exact<G: Playable>(config: &ExactConfig) -> Option<Box<dyn Search<G>>> {
    let ExactConfig {
        memory_mb,
        threads,
        seed,
        uses_book,
        ref cache,
    } = *config;
    let settings = [
        ("memory".to_owned(), (memory_mb / 2).max(1).to_string()),
        ("threads".to_owned(), threads.to_string()),
        ("seed".to_owned(), seed.to_string()),
        // What the solver does not reach is not asked of it again.
        ("exact_from".to_owned(), "0".to_owned()),
    ];
    let name = G::FACTS.default_search;
    let fallback = build::<G>(&configure::<G>(name, &settings).ok()?)?;
    let solver = SolverConfig {
        memory_bytes: memory_mb.saturating_mul(1 << 19),
        threads,
        uses_book,
        empties_to_winner: false,
    };
    let cache = cache.clone();
    let new_solver =
        Box::new(move |rules| solvers::cached_solver::<G>(rules, solver, cache.clone()));
    Some(Box::new(ExactPlayer::new(new_solver, fallback, name)))
}

/// Casts a search for the game `Only`; `None` if that is not `G`.
fn for_game<G: Playable, Only: Playable>(
    search: Box<dyn Search<Only>>,
) -> Option<Box<dyn Search<G>>> {
    let search: Box<dyn Any> = Box::new(search);
    search.downcast().ok().map(|search| *search)
}
