//! The setup form of a game: text fields until they are validated.

use std::{collections::BTreeMap, fmt, ops::RangeInclusive, time::Duration};

use canopy_engine::{
    arena::{
        engine_config::{EngineConfig, EngineProtocol},
        time_control::MoveLimits,
    },
    games::{self, ParseError, Playable, Visitor, notation},
};
use serde::{Deserialize, Serialize};

use super::GameConfig;
use crate::tree::scene::format_thousands;

pub use engine_options::{DeclaredOptions, Program};
pub use game_info::{GameInfo, REPORTS, SearchParameter, report_of, search_help};
pub use quick::{PersonSide, QuickGame, Strength};

mod engine_options;
mod game_info;
mod quick;
#[cfg(test)]
mod tests;

/// The search of report 000. In the form its limits are those of the report's own window.
const REPORT_000_SEARCH: &str = "uct-000";

/// Who plays against whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlayMode {
    /// A person against an engine.
    #[default]
    Engine,
    /// An engine against another.
    Engines,
    /// A person against another.
    People,
}

/// The kind of a search's limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitKind {
    /// A number of iterations.
    #[default]
    Iterations,
    /// A time.
    Milliseconds,
    /// A depth.
    Plies,
}

impl LimitKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Iterations, Self::Milliseconds, Self::Plies];

    /// Its unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Milliseconds => "milliseconds",
            Self::Plies => "plies",
        }
    }
}

/// How an engine plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineSetup {
    /// Whether it is another program instead of Canopy.
    pub external: bool,
    /// The command that starts another program.
    pub command: String,
    /// The dialect of that program.
    pub dialect: EngineProtocol,
    /// What that program declared when it was asked for its options.
    pub declared: Option<DeclaredOptions>,
    /// Options of that program that differ from its defaults.
    pub options: BTreeMap<String, String>,
    /// Our search.
    pub search: String,
    /// Parameters of our search that differ from its defaults.
    pub parameters: BTreeMap<String, String>,
    /// The kind of its limit.
    pub limit: LimitKind,
    /// Limit in iterations.
    pub iterations: String,
    /// Limit in milliseconds.
    pub milliseconds: String,
    /// Limit in plies.
    pub plies: String,
    /// Whether playouts are truncated.
    pub cuts_playouts: bool,
    /// Plies after which playouts are truncated.
    pub playout_limit: String,
    /// The constant of UCT.
    pub exploration: String,
}

impl Default for EngineSetup {
    fn default() -> Self {
        Self {
            external: false,
            command: String::new(),
            dialect: EngineProtocol::default(),
            declared: None,
            options: BTreeMap::new(),
            search: REPORT_000_SEARCH.to_owned(),
            parameters: BTreeMap::new(),
            limit: LimitKind::default(),
            iterations: "30".to_owned(),
            milliseconds: "4000".to_owned(),
            plies: "6".to_owned(),
            cuts_playouts: true,
            playout_limit: "25".to_owned(),
            exploration: "1.41".to_owned(),
        }
    }
}

/// The game to set up. The defaults are those of report 000's window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameSetup {
    /// The game.
    pub game: String,
    /// Its variant; empty for the plain game.
    pub variant: String,
    /// Who plays against whom.
    pub mode: PlayMode,
    /// Whether a person who plays an engine has the second side.
    pub plays_second: bool,
    /// The engines of the first and the second side.
    pub engines: [EngineSetup; 2],
    /// Number of games.
    pub games: String,
    /// Where they begin; empty for the game's own start.
    pub position: String,
    /// Whether the growth of every move's tree is shown.
    pub animate: bool,
    /// Minimum time of an engine's move, in milliseconds.
    pub pause: String,
}

impl Default for GameSetup {
    fn default() -> Self {
        Self {
            game: games::PROPOSED.name.to_owned(),
            variant: String::new(),
            mode: PlayMode::default(),
            plays_second: false,
            engines: [EngineSetup::default(), EngineSetup::default()],
            games: "1".to_owned(),
            position: String::new(),
            animate: false,
            pause: "500".to_owned(),
        }
    }
}

/// Something that can be wrong. Sides are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupField {
    /// The game or its variant.
    Game,
    /// Where it begins.
    Position,
    /// Number of games.
    Games,
    /// Minimum time of an engine's move.
    Pause,
    /// The search of a side.
    Search(usize),
    /// The command of a side.
    Command(usize),
    /// The limit of a side's searches.
    Limit(usize),
    /// When the playouts of a side are cut off.
    PlayoutLimit(usize),
    /// The exploration of a side.
    Exploration(usize),
    /// A parameter of a side's search.
    Parameter(usize, String),
    /// An option of a side's program.
    Option(usize, String),
}

impl fmt::Display for SetupField {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game => out.write_str("game"),
            Self::Position => out.write_str("position"),
            Self::Games => out.write_str("games"),
            Self::Pause => out.write_str("delay"),
            Self::Search(side) => write!(out, "search {}", side_name(*side)),
            Self::Command(side) => write!(out, "command {}", side_name(*side)),
            Self::Limit(side) => write!(out, "limit {}", side_name(*side)),
            Self::PlayoutLimit(side) => write!(out, "playout limit {}", side_name(*side)),
            Self::Exploration(side) => write!(out, "exploration {}", side_name(*side)),
            Self::Parameter(side, name) => write!(out, "parameter {name} {}", side_name(*side)),
            Self::Option(side, name) => write!(out, "option {name} {}", side_name(*side)),
        }
    }
}

/// A side, for names of controls.
pub fn side_name(side: usize) -> &'static str {
    if side == 0 { "first" } else { "second" }
}

/// Something that has to be put right before a game can begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupProblem {
    /// Where.
    pub field: SetupField,
    /// The problem, in a sentence.
    pub text: String,
}

impl GameSetup {
    /// The game with its variant.
    pub fn full_game(&self) -> String {
        if self.variant.is_empty() {
            self.game.clone()
        } else {
            format!("{}:{}", self.game, self.variant)
        }
    }

    /// Whether an engine plays a side, counted from 0.
    pub fn has_engine(&self, side: usize) -> bool {
        match self.mode {
            PlayMode::Engine => usize::from(self.plays_second) != side,
            PlayMode::Engines => true,
            PlayMode::People => false,
        }
    }

    /// Changes the game. Resets what only the old one has: the variant, the position, and searches that cannot play the new
    /// one.
    pub fn set_game(&mut self, game: &str) {
        if self.game == game {
            return;
        }
        let before = std::mem::replace(&mut self.game, game.to_owned());
        self.variant.clear();
        self.position.clear();
        let offered = GameInfo::of(game).map_or(Vec::new(), |offers| offers.searches);
        for engine in &mut self.engines {
            let mut untouched = engine.clone();
            untouched.set_search(&before, &engine.search);
            if !offered.contains(&engine.search.as_str()) {
                let external = engine.external;
                let facts = games::facts_of(game).unwrap_or(games::DEFAULT);
                engine.set_search(game, facts.default_search);
                engine.external = external;
            } else if untouched == *engine {
                // Untouched parameters take the new game's defaults.
                engine.set_search(game, &untouched.search);
            }
        }
    }

    /// The person takes a side against the engine, which takes the other, as it is set up.
    pub fn set_side(&mut self, second: bool) {
        if self.plays_second != second {
            self.plays_second = second;
            self.engines.swap(0, 1);
        }
    }

    /// Another program is to play: against the person, or, where no engine plays, first of all in the place of the second person.
    pub fn connect_engine(&mut self) {
        if self.mode == PlayMode::People {
            self.mode = PlayMode::Engine;
        }
        let side = usize::from(self.has_engine(1));
        self.engines[side].external = true;
    }

    /// An engine of ours that analyses a position with a search, limited to `effort` iterations, or plies for searches
    /// without playouts.
    pub fn analysis_engine(
        game: &str,
        search: &str,
        effort: &str,
        own: &[String],
    ) -> Result<EngineConfig, String> {
        let (base, variant) = game.split_once(':').unwrap_or((game, ""));
        let mut setup = Self {
            game: base.to_owned(),
            variant: variant.to_owned(),
            mode: PlayMode::Engine,
            plays_second: true,
            position: String::new(),
            ..Self::default()
        };
        let [engine, _] = &mut setup.engines;
        engine.set_search(game, search);
        if let Some(&limit) = engine.available_limits(game).first() {
            engine.limit = limit;
            *engine.limit_text_mut(limit) = effort.to_owned();
        }
        // The limits of report 000's window are those of its form alone.
        let checked = setup
            .validate_with(own, LimitRange::Wide)
            .map_err(|problems| {
                problems
                    .into_iter()
                    .next()
                    .map_or_else(String::new, |problem| problem.text)
            });
        let [engine, _] = checked?.participants;
        engine.ok_or_else(|| "There is no such search.".to_owned())
    }

    /// Validates the form: the game to play, or all problems. `own` is the command that starts our engine.
    pub fn validate(&self, own: &[String]) -> Result<GameConfig, Vec<SetupProblem>> {
        self.validate_with(own, LimitRange::Report)
    }

    fn validate_with(
        &self,
        own: &[String],
        range: LimitRange,
    ) -> Result<GameConfig, Vec<SetupProblem>> {
        let mut problems = SetupProblems(Vec::new());
        let game = self.full_game();
        let position = self.position.trim();
        let begins = games::with_game(&game, StartPositionVisitor(position));
        let is_known = begins.is_ok();
        match begins {
            Ok(Ok(())) => {}
            Ok(Err(text)) => problems.add(SetupField::Position, text),
            Err(ParseError::Variant { expected, .. }) => {
                problems.add(SetupField::Game, format!("A variant is {expected}."));
            }
            Err(_) => problems.add(SetupField::Game, "There is no such game.".to_owned()),
        }
        let games = problems.parse_whole(
            SetupField::Games,
            "The number of games",
            &self.games,
            1..=99,
        );
        let pause = problems.parse_whole(SetupField::Pause, "The delay", &self.pause, 0..=60_000);
        // Who can play is known only when the game is.
        let mut seats = [0, 1].map(|side| {
            let is_engine = is_known && self.has_engine(side);
            is_engine.then(|| self.engines[side].validate(side, &game, (own, range), &mut problems))
        });
        if !problems.0.is_empty() {
            return Err(problems.0);
        }
        if let [Some(first), Some(second)] = &mut seats {
            let mut both = [first.clone(), second.clone()];
            EngineConfig::make_names_unique(&mut both);
            [*first, *second] = both;
        }
        Ok(GameConfig {
            game,
            position: position.to_owned(),
            participants: seats,
            games: games as u32,
            animate: self.animate,
            min_move_time: Duration::from_millis(pause),
        })
    }
}

/// Which limits a search may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LimitRange {
    /// Those of a report's own window, where it had one.
    Report,
    /// All that the engine accepts.
    Wide,
}

/// Reads the position in which a game is to begin.
struct StartPositionVisitor<'a>(&'a str);

impl Visitor for StartPositionVisitor<'_> {
    type Out = Result<(), String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        if self.0.is_empty() {
            return Ok(());
        }
        match notation::read_position::<G>(rules, self.0) {
            Ok(position) if position.outcome().is_some() => {
                Err("The game is over in this position.".to_owned())
            }
            Ok(_) => Ok(()),
            Err(ParseError::Position { problem, .. }) => {
                Err(format!("This is no position of {}: {problem}.", G::NAME))
            }
            Err(error) => Err(format!("{error}.")),
        }
    }
}

struct SetupProblems(Vec<SetupProblem>);

impl SetupProblems {
    fn add(&mut self, field: SetupField, text: String) {
        self.0.push(SetupProblem { field, text });
    }

    /// A whole number; 0 and a problem if it is none, or not in the range.
    fn parse_whole(
        &mut self,
        field: SetupField,
        what: &str,
        text: &str,
        range: RangeInclusive<u64>,
    ) -> u64 {
        let text = text.trim();
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| range.contains(number));
        match number.filter(|_| is_plain) {
            Some(number) => number,
            None => {
                let (least, most) = (
                    format_thousands(*range.start()),
                    format_thousands(*range.end()),
                );
                let text = format!("{what} must be a whole number from {least} to {most}.");
                self.add(field, text);
                0
            }
        }
    }
}

impl EngineSetup {
    /// The possible kinds of limits: none for a search that needs no time.
    pub fn available_limits(&self, game: &str) -> &'static [LimitKind] {
        const PLAYOUTS: &[LimitKind] = &[LimitKind::Iterations, LimitKind::Milliseconds];
        const LINES: &[LimitKind] = &[LimitKind::Plies, LimitKind::Milliseconds];
        if self.external {
            return &LimitKind::ALL;
        }
        let all = SearchParameter::all(game, &self.search);
        let has = |name: &str| all.iter().any(|adjustable| adjustable.name == name);
        match () {
            () if has("iterations") => PLAYOUTS,
            () if has("depth") => LINES,
            () => &[],
        }
    }

    /// Whether our search has such a parameter.
    pub fn has_parameter(&self, game: &str, parameter: &str) -> bool {
        let all = SearchParameter::all(game, &self.search);
        !self.external && (all.iter()).any(|adjustable| adjustable.name == parameter)
    }

    /// The limit that counts: the chosen one, or one that the search knows.
    pub fn effective_limit(&self, game: &str) -> Option<LimitKind> {
        let known = self.available_limits(game);
        let chosen = known.contains(&self.limit).then_some(self.limit);
        chosen.or_else(|| known.first().copied())
    }

    /// The number of a limit.
    pub fn limit_text_mut(&mut self, limit: LimitKind) -> &mut String {
        match limit {
            LimitKind::Iterations => &mut self.iterations,
            LimitKind::Milliseconds => &mut self.milliseconds,
            LimitKind::Plies => &mut self.plies,
        }
    }

    /// Selects the dialect of another program. GTP has no words for iterations and plies, so its limit becomes a time; who sets
    /// another one gets it, as our own engine has options for them.
    pub fn set_dialect(&mut self, dialect: EngineProtocol) {
        self.dialect = dialect;
        if dialect == EngineProtocol::Gtp {
            self.limit = LimitKind::Milliseconds;
        }
    }

    /// Selects one of our searches, with its default parameters.
    pub fn set_search(&mut self, game: &str, search: &str) {
        self.external = false;
        self.search = search.to_owned();
        self.parameters.clear();
        let all = SearchParameter::all(game, search);
        let default = |name: &str| {
            let found = all.iter().find(|adjustable| adjustable.name == name);
            found.map(|adjustable| adjustable.default.clone())
        };
        let number = |name: &str| default(name).filter(|text| text != "0");
        if let Some(exploration) = default("exploration") {
            self.exploration = exploration;
        }
        if default("playout_limit").is_some() {
            self.cuts_playouts = number("playout_limit").is_some();
        }
        if let Some(plies) = number("playout_limit") {
            self.playout_limit = plies;
        }
        for (limit, name) in [
            (LimitKind::Milliseconds, "time"),
            (LimitKind::Plies, "depth"),
            (LimitKind::Iterations, "iterations"),
        ] {
            if let Some(text) = number(name) {
                self.limit = limit;
                *self.limit_text_mut(limit) = text;
            }
        }
        if let Some(limit) = self.effective_limit(game) {
            self.limit = limit;
        }
    }

    fn validate(
        &self,
        side: usize,
        game: &str,
        (own, range): (&[String], LimitRange),
        problems: &mut SetupProblems,
    ) -> EngineConfig {
        let go = self.move_limits(side, game, range, problems);
        if self.external {
            let mut engine = self.external_engine().unwrap_or_else(|text| {
                problems.add(SetupField::Command(side), text);
                self.own_engine(String::new(), &[])
            });
            engine.options.extend(self.options_to_send(side, problems));
            let go = engine.limits.clone().unwrap_or(go);
            if go.clock.is_some() {
                let text = "There is no clock here: expected nodes, depth or movetime after go=.";
                problems.add(SetupField::Command(side), text.to_owned());
            }
            return EngineConfig {
                limits: Some(go),
                ..engine
            };
        }
        let search = self.search_option(side, game, problems);
        let command = own.iter().cloned();
        let told = ["--game".to_owned(), game.to_owned()];
        let command: Vec<String> = command.chain(told).collect();
        EngineConfig {
            limits: Some(go),
            ..self.own_engine(search, &command)
        }
    }

    fn own_engine(&self, search: String, command: &[String]) -> EngineConfig {
        EngineConfig {
            name: self.search.clone(),
            command: command.to_vec(),
            protocol: EngineProtocol::Ugi,
            options: vec![("Search".to_owned(), search)],
            ..EngineConfig::default()
        }
    }

    /// Another program, with the options of its command alone; an error if the command is invalid.
    pub fn external_engine(&self) -> Result<EngineConfig, String> {
        if self.command.trim().is_empty() {
            return Err("Say which program plays, with its arguments.".to_owned());
        }
        let text = format!("dialect={} {}", self.dialect.name(), self.command);
        let engine = EngineConfig::parse(&text, &[]).map_err(|error| {
            // The tooltip has the expected form.
            let whole = error.to_string();
            let short = whole.strip_prefix(&format!("engine {text:?}: "));
            let short = short.and_then(|rest| rest.split_once(": expected"));
            let problem = short.map_or(whole.as_str(), |(problem, _)| problem);
            format!("This command cannot be read: {problem}.")
        })?;
        if engine.command.is_empty() {
            return Err("Say which program plays, with its arguments.".to_owned());
        }
        Ok(engine)
    }

    /// The limits sent to the engine with every move.
    fn move_limits(
        &self,
        side: usize,
        game: &str,
        range: LimitRange,
        problems: &mut SetupProblems,
    ) -> MoveLimits {
        let is_report_000 =
            !self.external && self.search == REPORT_000_SEARCH && range == LimitRange::Report;
        let field = SetupField::Limit(side);
        match self.effective_limit(game) {
            Some(LimitKind::Iterations) => {
                let most = if is_report_000 { 10_000 } else { 10_000_000 };
                let number = problems.parse_whole(field, "Iterations", &self.iterations, 1..=most);
                MoveLimits {
                    nodes: Some(number),
                    ..MoveLimits::default()
                }
            }
            Some(LimitKind::Milliseconds) => {
                let range = if is_report_000 {
                    1000..=120_000
                } else {
                    10..=3_600_000
                };
                let number = problems.parse_whole(field, "Milliseconds", &self.milliseconds, range);
                MoveLimits {
                    movetime: Some(Duration::from_millis(number)),
                    ..MoveLimits::default()
                }
            }
            Some(LimitKind::Plies) => {
                let number = problems.parse_whole(field, "Plies", &self.plies, 1..=500);
                MoveLimits {
                    depth: Some(number as u32),
                    ..MoveLimits::default()
                }
            }
            None => MoveLimits {
                nodes: Some(1),
                ..MoveLimits::default()
            },
        }
    }

    /// Our search with its parameters, as the value of its option.
    fn search_option(&self, side: usize, game: &str, problems: &mut SetupProblems) -> String {
        if let Err(text) = game_info::configure(game, &self.search, &[]) {
            problems.add(SetupField::Search(side), text);
            return String::new();
        }
        let mut text = self.search.clone();
        for adjustable in SearchParameter::all(game, &self.search) {
            let name = adjustable.name;
            let (field, value) = match name {
                "exploration" => (SetupField::Exploration(side), self.exploration.clone()),
                "playout_limit" => {
                    let field = SetupField::PlayoutLimit(side);
                    // A search may have a shorter one than people are let choose.
                    let is_default = self.playout_limit.trim() == adjustable.default;
                    let plies = if self.cuts_playouts && is_default {
                        adjustable.default.clone()
                    } else {
                        self.playout_limit_value(field.clone(), problems)
                    };
                    (field, plies)
                }
                _ => match self.parameters.get(name) {
                    Some(value) => (SetupField::Parameter(side, name.to_owned()), value.clone()),
                    None => continue,
                },
            };
            let value = value.trim();
            if value == adjustable.default {
                continue;
            }
            let set = [(name.to_owned(), value.to_owned())];
            match game_info::configure(game, &self.search, &set) {
                Ok(_) => text.push_str(&format!(",{name}={value}")),
                Err(_) if name == "exploration" => {
                    let text = "The exploration must be a number from 0 to 20.";
                    problems.add(field, text.to_owned());
                }
                Err(problem) => problems.add(field, problem),
            }
        }
        text
    }

    /// Plies after which playouts are truncated; 0 for never.
    fn playout_limit_value(&self, field: SetupField, problems: &mut SetupProblems) -> String {
        if !self.cuts_playouts {
            return "0".to_owned();
        }
        let what = "The limit";
        let plies = problems.parse_whole(field, what, &self.playout_limit, 10..=100_000);
        plies.to_string()
    }
}
