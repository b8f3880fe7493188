//! A tournament file, read and checked: all mistakes at once, each with the path of its key.

use std::{fmt, path::PathBuf};

use serde_json::Value;

use super::{
    TournamentMode,
    keys::{CONFIG_KEYS, CheckedObject, ConfigProblem, PLAYER_KEYS, PLAYER_KINDS, Problems, shown},
};
use crate::{
    arena::{
        engine_config::{EngineConfig, make_unique},
        time_control::MoveLimits,
    },
    catalog::{self, CatalogError, Spec},
    games::{self, GameFacts, Playable, Visitor, notation::join_words},
};

/// A tournament as its file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentConfig {
    /// The game, with its variant.
    pub game: String,
    /// What a series is.
    pub mode: TournamentMode,
    /// How often every two players play a series.
    pub repetitions: u64,
    /// From which all other seeds follow; none for one of the operating system's.
    pub seed: Option<u64>,
    /// Whether the games are to be shown in a window.
    pub shows_window: bool,
    /// Where the table of all games goes, as the file has it.
    pub output_file: Option<PathBuf>,
    /// Who plays; names are unique.
    pub players: Vec<PlayerConfig>,
    /// Whether the second player of a match begins, by the players' colours.
    pub is_swapped: bool,
}

/// A player of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerConfig {
    /// The name in tables and files.
    pub name: String,
    /// Who or what it is.
    pub kind: PlayerKind,
    /// Limits of its moves; none for those of its search.
    pub limits: Option<MoveLimits>,
}

/// Who or what a player is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A person, who plays in the window.
    Person,
    /// A search of the catalogue, with its parameters.
    Search(String),
    /// An engine, as [`EngineConfig::parse`] reads it.
    Engine(String),
}

/// All mistakes of a file; displayed one on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblems(pub Vec<ConfigProblem>);

impl fmt::Display for ConfigProblems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ConfigProblem::to_string).collect();
        out.write_str(&lines.join("\n"))
    }
}

impl TournamentConfig {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, ConfigProblems> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut problems = Problems::default();
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => {
                let place = format!("line {}, column {}", error.line(), error.column());
                problems.add(place, format!("not JSON: {error}"));
                return Err(ConfigProblems(problems.0));
            }
        };
        let config = Self::read(&value, &mut problems);
        match problems.0.is_empty() {
            true => Ok(config),
            false => Err(ConfigProblems(problems.0)),
        }
    }

    fn read(value: &Value, problems: &mut Problems) -> Self {
        let file = CheckedObject::read("", value, CONFIG_KEYS, problems);
        let is_object = value.is_object();
        if is_object && value.get("players").is_none() {
            problems.add(
                "players",
                "it is missing: expected a list of two or more objects",
            );
        }
        let game = file.text("game").unwrap_or(games::TOURNAMENT.name);
        let full_name = match games::full_name(game) {
            Ok(name) => Some(name),
            Err(error) => {
                problems.add("game", error.to_string());
                None
            }
        };
        let mode = match file.text("game_type") {
            Some("tournament") => TournamentMode::Tournament,
            _ => TournamentMode::Match,
        };
        let reader = PlayerReader {
            game: full_name.as_deref(),
            depth: file.whole("heuristic_simulation_depth").unwrap_or(1),
            simulations: file.whole("mcts_simulation_count").unwrap_or(1),
        };
        let listed = file.get("players").and_then(Value::as_array);
        let listed = listed.map(Vec::as_slice).unwrap_or_default();
        if mode == TournamentMode::Match && listed.len() > 2 {
            let count = listed.len();
            problems.add(
                "players",
                format!("{count} players: expected 2 in a \"match\"; in a \"tournament\" there may be more"),
            );
        }
        let (mut players, mut sides) = (Vec::new(), Vec::new());
        for (index, value) in listed.iter().enumerate() {
            let path = format!("players[{index}]");
            let (player, side) = reader.read(&path, value, problems);
            players.push(player);
            sides.push(side);
        }
        let mut names: Vec<&mut String> =
            players.iter_mut().map(|player| &mut player.name).collect();
        make_unique(&mut names);
        Self {
            game: full_name.unwrap_or_default(),
            mode,
            repetitions: file.whole("game_repetitions").unwrap_or(1),
            seed: file.whole("seed"),
            shows_window: file.flag("show_visualisation"),
            output_file: file.text("output_file").map(PathBuf::from),
            players,
            // Colours count only if all players have one, and different ones.
            is_swapped: mode == TournamentMode::Match && sides == [Some(1), Some(0)],
        }
    }

    /// Whether a person plays.
    pub fn has_people(&self) -> bool {
        (self.players.iter()).any(|player| player.kind == PlayerKind::Person)
    }

    /// Whether a window is to show the games.
    pub fn wants_window(&self) -> bool {
        self.shows_window || self.has_people()
    }
}

impl PlayerConfig {
    /// The engine that plays; none for a person. `own` starts our engine for the game.
    pub fn engine(&self, own: &[String]) -> Option<EngineConfig> {
        let mut engine = match &self.kind {
            PlayerKind::Person => return None,
            PlayerKind::Search(search) => EngineConfig {
                command: own.to_vec(),
                options: vec![("Search".to_owned(), search.clone())],
                ..EngineConfig::default()
            },
            PlayerKind::Engine(text) => EngineConfig::parse(text, own).ok()?,
        };
        engine.name.clone_from(&self.name);
        engine.limits = self.limits.clone().or(engine.limits);
        Some(engine)
    }
}

/// Reads players.
struct PlayerReader<'a> {
    /// The game; none if it is not known, so that nothing can be said about searches.
    game: Option<&'a str>,
    depth: u64,
    simulations: u64,
}

impl PlayerReader<'_> {
    /// The player at a path, and the side that its colour is: 0 begins.
    fn read(
        &self,
        path: &str,
        value: &Value,
        problems: &mut Problems,
    ) -> (PlayerConfig, Option<usize>) {
        let object = CheckedObject::read(path, value, PLAYER_KEYS, problems);
        let given: Vec<&str> = (PLAYER_KINDS.into_iter())
            .filter(|kind| value.get(kind).is_some())
            .collect();
        match given.as_slice() {
            [_] => {}
            [] if !value.is_object() => {}
            [] => problems.add(
                format!("{path}.player_type"),
                "it is missing: expected player_type, search or engine",
            ),
            several => problems.add(
                path,
                format!(
                    "{} are given: expected one of them",
                    join_words(several, "and")
                ),
            ),
        }
        let limits = object.text("go").and_then(|text| {
            let parsed = text.parse::<MoveLimits>();
            parsed
                .map_err(|error| problems.add(format!("{path}.go"), error.to_string()))
                .ok()
        });
        let side = object
            .text("player_color")
            .and_then(|word| self.read_side(path, word, problems));
        let mut player = PlayerConfig {
            name: String::new(),
            kind: PlayerKind::Person,
            limits,
        };
        if let Some(word) = object.text("player_type") {
            let (kind, name) = self.report_player(word);
            (player.kind, player.name) = (kind, name.to_owned());
        } else if let Some(search) = object.text("search") {
            player.name = search.to_owned();
            player.kind = PlayerKind::Search(search.to_owned());
        } else if let Some(text) = object.text("engine") {
            match EngineConfig::parse(text, &[]) {
                Ok(engine) => player.name = engine.name,
                Err(error) => problems.add(format!("{path}.engine"), error.to_string()),
            }
            player.kind = PlayerKind::Engine(text.to_owned());
        }
        if let Some(name) = object.text("name") {
            player.name = name.trim().to_owned();
        }
        self.check_search(path, &given, &mut player, problems);
        (player, side)
    }

    /// Report 001's player of a type, and its name in the report's files.
    fn report_player(&self, word: &str) -> (PlayerKind, &'static str) {
        let Self {
            depth, simulations, ..
        } = self;
        let mcts = |preset: &str| PlayerKind::Search(format!("{preset},iterations={simulations}"));
        match word {
            "random" => (PlayerKind::Search("random".to_owned()), "RandomPlayer"),
            "simple_heuristic" => (
                PlayerKind::Search("simple-heuristic-001".to_owned()),
                "SimpleHeuristicPlayer",
            ),
            "heuristic" => (
                PlayerKind::Search(format!("heuristic-001,depth={depth}")),
                "AlphaBetaHeuristicPlayer",
            ),
            "mcts_uct" => (mcts("uct-001"), "MCTSPlayer-UCT"),
            "mcts_ucb1" => (mcts("ucb1-tuned-001"), "MCTSPlayer-UCB1_TUNED"),
            "mcts_grouping" => (mcts("grouping-001"), "MCTSPlayer-UCT_GROUPING"),
            _ => (PlayerKind::Person, "UserPlayer"),
        }
    }

    /// The side of a colour. Black and white are known in every game, and its own names of the sides.
    fn read_side(&self, path: &str, word: &str, problems: &mut Problems) -> Option<usize> {
        let facts = games::facts_of(self.game?)?;
        let (own, colours) = (facts.players_lowercase(), GameFacts::colours(facts));
        let word = word.trim().to_lowercase();
        let side = (own.iter().position(|name| *name == word))
            .or_else(|| colours.iter().position(|name| **name == word));
        if side.is_none() {
            let mut known: Vec<String> = own.iter().map(|name| format!("{name:?}")).collect();
            let others = colours.iter().map(|name| format!("{name:?}"));
            known.extend(others.filter(|name| !own.iter().any(|own| format!("{own:?}") == *name)));
            problems.add(
                format!("{path}.player_color"),
                format!(
                    "{} is not known: expected {}",
                    shown(&word.into()),
                    join_words(&known, "or")
                ),
            );
        }
        side
    }

    /// Checks that a search can play the game, and limits one that has no limit.
    fn check_search(
        &self,
        path: &str,
        given: &[&str],
        player: &mut PlayerConfig,
        problems: &mut Problems,
    ) {
        let (Some(game), PlayerKind::Search(search)) = (self.game, &mut player.kind) else {
            return;
        };
        match games::with_game(game, SpecVisitor(search)) {
            Ok(Ok(spec)) => {
                let is_open = player.limits.is_none() && !catalog::has_default_limit(&spec);
                if is_open && matches!(spec, Spec::Mcts(_)) {
                    search.push_str(&format!(",iterations={}", self.simulations));
                }
            }
            Ok(Err(error)) => {
                let key = given.first().copied().unwrap_or_default();
                problems.add(format!("{path}.{key}"), format!("{search:?}: {error}"));
            }
            Err(_) => {}
        }
    }
}

/// Reads a search for a game.
struct SpecVisitor<'a>(&'a str);

impl Visitor for SpecVisitor<'_> {
    type Out = Result<Spec, CatalogError>;

    fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
        catalog::parse::<G>(self.0)
    }
}
