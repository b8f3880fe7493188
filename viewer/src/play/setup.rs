//! What is to be played, as it is typed in: kept as text until it is checked.

use std::{collections::BTreeMap, fmt, ops::RangeInclusive, time::Duration};

use canopy_engine::{
    arena::{
        engines::{Dialect, Engine},
        go::Go,
    },
    games::{self, ParseError, Playable, Visitor, notation},
};
use serde::{Deserialize, Serialize};

use super::Plan;
use crate::scene::thousands;

pub use offers::{Adjustable, Offers, REPORTS, help_of, report_of};

mod offers;
#[cfg(test)]
mod tests;

/// The search whose limits are those of report 000's own window.
const OLDEST: &str = "uct-000";
/// The search that plays where the one that was chosen cannot.
const PLAINEST: &str = "uct";

/// Who plays against whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A person against an engine.
    #[default]
    Engine,
    /// An engine against another.
    Engines,
    /// A person against another.
    People,
}

/// What ends the search for a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// A number of iterations.
    #[default]
    Iterations,
    /// A time.
    Milliseconds,
    /// A depth.
    Plies,
}

impl Limit {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Iterations, Self::Milliseconds, Self::Plies];

    /// What it is counted in.
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
    /// Whether it is another program, not ours.
    pub external: bool,
    /// The command that starts another program.
    pub command: String,
    /// What that speaks.
    pub dialect: Dialect,
    /// Our search.
    pub search: String,
    /// What is set about our search, by parameter: only what is not as the search has it.
    pub parameters: BTreeMap<String, String>,
    /// What ends the search for a move.
    pub limit: Limit,
    /// So many iterations.
    pub iterations: String,
    /// So many milliseconds.
    pub milliseconds: String,
    /// So many plies.
    pub plies: String,
    /// Whether playouts are cut off.
    pub cuts_playouts: bool,
    /// After so many plies they are.
    pub playout_limit: String,
    /// The constant of UCT.
    pub exploration: String,
}

impl Default for EngineSetup {
    fn default() -> Self {
        Self {
            external: false,
            command: String::new(),
            dialect: Dialect::default(),
            search: OLDEST.to_owned(),
            parameters: BTreeMap::new(),
            limit: Limit::default(),
            iterations: "30".to_owned(),
            milliseconds: "4000".to_owned(),
            plies: "6".to_owned(),
            cuts_playouts: true,
            playout_limit: "25".to_owned(),
            exploration: "1.41".to_owned(),
        }
    }
}

/// What is to be played. The defaults are those of report 000's own window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// The game.
    pub game: String,
    /// Its variant; empty for the plain game.
    pub variant: String,
    /// Who plays against whom.
    pub mode: Mode,
    /// Whether a person who plays an engine has the second side.
    pub plays_second: bool,
    /// The engines of the first and the second side.
    pub engines: [EngineSetup; 2],
    /// How many games.
    pub games: String,
    /// Where they begin; empty for the game's own start.
    pub position: String,
    /// Whether one sees how the tree of every move grows.
    pub animate: bool,
    /// How many milliseconds an engine's move takes at least.
    pub pause: String,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            game: "kalah".to_owned(),
            variant: String::new(),
            mode: Mode::default(),
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
pub enum Field {
    /// The game or its variant.
    Game,
    /// Where it begins.
    Position,
    /// How many games.
    Games,
    /// How long an engine's move takes at least.
    Pause,
    /// The search of a side.
    Search(usize),
    /// The command of a side.
    Command(usize),
    /// What ends the searches of a side.
    Limit(usize),
    /// When the playouts of a side are cut off.
    PlayoutLimit(usize),
    /// The exploration of a side.
    Exploration(usize),
    /// A parameter of a side's search.
    Parameter(usize, String),
}

impl fmt::Display for Field {
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
        }
    }
}

/// A side, for names of controls.
pub fn side_name(side: usize) -> &'static str {
    if side == 0 { "first" } else { "second" }
}

/// Something that has to be put right before a game can begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub field: Field,
    /// What, in a sentence.
    pub text: String,
}

impl Setup {
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
            Mode::Engine => usize::from(self.plays_second) != side,
            Mode::Engines => true,
            Mode::People => false,
        }
    }

    /// Takes another game. What belongs to the old one alone is left behind: the variant, the position, and searches that
    /// cannot play the new one.
    pub fn take_game(&mut self, game: &str) {
        if self.game == game {
            return;
        }
        let before = std::mem::replace(&mut self.game, game.to_owned());
        self.variant.clear();
        self.position.clear();
        let offered = Offers::of(game).map_or(Vec::new(), |offers| offers.searches);
        for engine in &mut self.engines {
            let mut untouched = engine.clone();
            untouched.choose(&before, &engine.search);
            if !offered.contains(&engine.search.as_str()) {
                let external = engine.external;
                engine.choose(game, PLAINEST);
                engine.external = external;
            } else if untouched == *engine {
                // What is as the search has it may be something else in this game.
                engine.choose(game, &untouched.search);
            }
        }
    }

    /// The person takes a side against the engine, which takes the other, as it is set up.
    pub fn take_side(&mut self, second: bool) {
        if self.plays_second != second {
            self.plays_second = second;
            self.engines.swap(0, 1);
        }
    }

    /// An engine of ours that looks at a position of a game with a search, for so many iterations, or plies where it has none.
    pub fn analyst(
        game: &str,
        search: &str,
        effort: &str,
        own: &[String],
    ) -> Result<Engine, String> {
        let (base, variant) = game.split_once(':').unwrap_or((game, ""));
        let mut setup = Self {
            game: base.to_owned(),
            variant: variant.to_owned(),
            mode: Mode::Engine,
            plays_second: true,
            position: String::new(),
            ..Self::default()
        };
        let [engine, _] = &mut setup.engines;
        engine.choose(game, search);
        if let Some(&limit) = engine.limits(game).first() {
            engine.limit = limit;
            *engine.text_of(limit) = effort.to_owned();
        }
        let checked = setup.check(own).map_err(|problems| {
            problems
                .into_iter()
                .next()
                .map_or_else(String::new, |problem| problem.text)
        });
        let [engine, _] = checked?.seats;
        engine.ok_or_else(|| "There is no such search.".to_owned())
    }

    /// What is to be played; or everything that has to be put right before. `own` is the command that starts our engine.
    pub fn check(&self, own: &[String]) -> Result<Plan, Vec<Problem>> {
        let mut problems = Problems(Vec::new());
        let game = self.full_game();
        let position = self.position.trim();
        let begins = games::with_game(&game, Begin(position));
        let is_known = begins.is_ok();
        match begins {
            Ok(Ok(())) => {}
            Ok(Err(text)) => problems.add(Field::Position, text),
            Err(ParseError::Variant { expected, .. }) => {
                problems.add(Field::Game, format!("A variant is {expected}."));
            }
            Err(_) => problems.add(Field::Game, "There is no such game.".to_owned()),
        }
        let games = problems.whole(Field::Games, "The number of games", &self.games, 1..=99);
        let pause = problems.whole(Field::Pause, "The delay", &self.pause, 0..=60_000);
        // Who can play is known only when the game is.
        let mut seats = [0, 1].map(|side| {
            let is_engine = is_known && self.has_engine(side);
            is_engine.then(|| self.engines[side].check(side, &game, own, &mut problems))
        });
        if !problems.0.is_empty() {
            return Err(problems.0);
        }
        if let [Some(first), Some(second)] = &mut seats {
            let mut both = [first.clone(), second.clone()];
            Engine::tell_apart(&mut both);
            [*first, *second] = both;
        }
        Ok(Plan {
            game,
            position: position.to_owned(),
            seats,
            games: games as u32,
            animate: self.animate,
            pause: Duration::from_millis(pause),
        })
    }
}

/// Reads the position in which a game is to begin.
struct Begin<'a>(&'a str);

impl Visitor for Begin<'_> {
    type Out = Result<(), String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        if self.0.is_empty() {
            return Ok(());
        }
        match notation::position::<G>(rules, self.0) {
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

struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, field: Field, text: String) {
        self.0.push(Problem { field, text });
    }

    /// A whole number; 0 and a problem if it is none, or not in the range.
    fn whole(&mut self, field: Field, what: &str, text: &str, range: RangeInclusive<u64>) -> u64 {
        let text = text.trim();
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| range.contains(number));
        match number.filter(|_| is_plain) {
            Some(number) => number,
            None => {
                let (least, most) = (thousands(*range.start()), thousands(*range.end()));
                let text = format!("{what} must be a whole number from {least} to {most}.");
                self.add(field, text);
                0
            }
        }
    }
}

impl EngineSetup {
    /// What can end the search for a move: nothing where it needs no time.
    pub fn limits(&self, game: &str) -> &'static [Limit] {
        const PLAYOUTS: &[Limit] = &[Limit::Iterations, Limit::Milliseconds];
        const LINES: &[Limit] = &[Limit::Plies, Limit::Milliseconds];
        if self.external {
            return &Limit::ALL;
        }
        let all = Adjustable::all(game, &self.search);
        let has = |name: &str| all.iter().any(|adjustable| adjustable.name == name);
        match () {
            () if has("iterations") => PLAYOUTS,
            () if has("depth") => LINES,
            () => &[],
        }
    }

    /// Whether our search has such a parameter.
    pub fn has(&self, game: &str, parameter: &str) -> bool {
        let all = Adjustable::all(game, &self.search);
        !self.external && (all.iter()).any(|adjustable| adjustable.name == parameter)
    }

    /// The limit that counts: the chosen one, or one that the search knows.
    pub fn limit(&self, game: &str) -> Option<Limit> {
        let known = self.limits(game);
        let chosen = known.contains(&self.limit).then_some(self.limit);
        chosen.or_else(|| known.first().copied())
    }

    /// The number of a limit.
    pub fn text_of(&mut self, limit: Limit) -> &mut String {
        match limit {
            Limit::Iterations => &mut self.iterations,
            Limit::Milliseconds => &mut self.milliseconds,
            Limit::Plies => &mut self.plies,
        }
    }

    /// Takes one of our searches, with everything as that has it.
    pub fn choose(&mut self, game: &str, search: &str) {
        self.external = false;
        self.search = search.to_owned();
        self.parameters.clear();
        let all = Adjustable::all(game, search);
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
            (Limit::Milliseconds, "time"),
            (Limit::Plies, "depth"),
            (Limit::Iterations, "iterations"),
        ] {
            if let Some(text) = number(name) {
                self.limit = limit;
                *self.text_of(limit) = text;
            }
        }
        if let Some(limit) = self.limit(game) {
            self.limit = limit;
        }
    }

    fn check(&self, side: usize, game: &str, own: &[String], problems: &mut Problems) -> Engine {
        let go = self.go(side, game, problems);
        if self.external {
            let engine = self.other_engine().unwrap_or_else(|text| {
                problems.add(Field::Command(side), text);
                self.our_engine(String::new(), &[])
            });
            let go = engine.go.clone().unwrap_or(go);
            if go.clock.is_some() {
                let text = "There is no clock here: expected nodes, depth or movetime after go=.";
                problems.add(Field::Command(side), text.to_owned());
            }
            return Engine {
                go: Some(go),
                ..engine
            };
        }
        let search = self.search_text(side, game, problems);
        let command = own.iter().cloned();
        let told = ["--game".to_owned(), game.to_owned()];
        let command: Vec<String> = command.chain(told).collect();
        Engine {
            go: Some(go),
            ..self.our_engine(search, &command)
        }
    }

    fn our_engine(&self, search: String, command: &[String]) -> Engine {
        Engine {
            name: self.search.clone(),
            command: command.to_vec(),
            dialect: Dialect::Ugi,
            options: vec![("Search".to_owned(), search)],
            ..Engine::default()
        }
    }

    /// Another program; or what is wrong with its command.
    fn other_engine(&self) -> Result<Engine, String> {
        if self.command.trim().is_empty() {
            return Err("Say which program plays, with its arguments.".to_owned());
        }
        let text = format!("dialect={} {}", self.dialect.name(), self.command);
        let engine = Engine::parse(&text, &[]).map_err(|error| {
            // What was expected is told by the tooltip.
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

    /// What the engine is told with every move.
    fn go(&self, side: usize, game: &str, problems: &mut Problems) -> Go {
        let is_oldest = !self.external && self.search == OLDEST;
        let field = Field::Limit(side);
        match self.limit(game) {
            Some(Limit::Iterations) => {
                let most = if is_oldest { 10_000 } else { 10_000_000 };
                let number = problems.whole(field, "Iterations", &self.iterations, 1..=most);
                Go {
                    nodes: Some(number),
                    ..Go::default()
                }
            }
            Some(Limit::Milliseconds) => {
                let range = if is_oldest {
                    1000..=120_000
                } else {
                    10..=3_600_000
                };
                let number = problems.whole(field, "Milliseconds", &self.milliseconds, range);
                Go {
                    movetime: Some(Duration::from_millis(number)),
                    ..Go::default()
                }
            }
            Some(Limit::Plies) => {
                let number = problems.whole(field, "Plies", &self.plies, 1..=500);
                Go {
                    depth: Some(number as u32),
                    ..Go::default()
                }
            }
            None => Go {
                nodes: Some(1),
                ..Go::default()
            },
        }
    }

    /// Our search with what is set about it, as its option wants it.
    fn search_text(&self, side: usize, game: &str, problems: &mut Problems) -> String {
        if let Err(text) = offers::configure(game, &self.search, &[]) {
            problems.add(Field::Search(side), text);
            return String::new();
        }
        let mut text = self.search.clone();
        for adjustable in Adjustable::all(game, &self.search) {
            let name = adjustable.name;
            let (field, value) = match name {
                "exploration" => (Field::Exploration(side), self.exploration.clone()),
                "playout_limit" => {
                    let field = Field::PlayoutLimit(side);
                    // A search may have a shorter one than people are let choose.
                    let is_default = self.playout_limit.trim() == adjustable.default;
                    let plies = if self.cuts_playouts && is_default {
                        adjustable.default.clone()
                    } else {
                        self.plies_of_playouts(field.clone(), problems)
                    };
                    (field, plies)
                }
                _ => match self.parameters.get(name) {
                    Some(value) => (Field::Parameter(side, name.to_owned()), value.clone()),
                    None => continue,
                },
            };
            let value = value.trim();
            if value == adjustable.default {
                continue;
            }
            let set = [(name.to_owned(), value.to_owned())];
            match offers::configure(game, &self.search, &set) {
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

    /// After how many plies playouts are cut off; 0 for never.
    fn plies_of_playouts(&self, field: Field, problems: &mut Problems) -> String {
        if !self.cuts_playouts {
            return "0".to_owned();
        }
        let what = "The limit";
        let plies = problems.whole(field, what, &self.playout_limit, 10..=100_000);
        plies.to_string()
    }
}
