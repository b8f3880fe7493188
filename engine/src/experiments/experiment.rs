//! An experiment that is ready to run: its file read, checked, and scaled.

use std::fmt::Display;

use serde_json::{Value, json};

use super::{
    check,
    document::{Document, Problem},
    file::{ExperimentFile, Header, Player},
    kinds::{KINDS, TrialKind, Trials},
    scale::{QUICK_BUDGET, RunOptions},
    schema,
};
use crate::{
    arena::engine_config::EngineConfig,
    catalog::{self, Spec, signature::signature_in},
    games::{self, Playable, Visitor, notation, notation::join_words},
    runs::plan::{Plan, RunKind},
};

/// An experiment and its trials.
#[derive(Debug)]
pub struct Experiment {
    /// What its file says, whatever the trials are. The players' searches have the limits of this run.
    pub header: Header,
    /// The trials.
    pub trials: Box<dyn Trials>,
    /// What the trials depend on.
    identity: Value,
}

/// Reads an experiment's file. Everything that is wrong with it is told at once, in order of lines.
pub fn load(text: &str, options: &RunOptions) -> Result<Experiment, Vec<Problem>> {
    let document = Document::parse(text).map_err(|problem| vec![problem])?;
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let Some(kind) = document.string("kind") else {
        let text = format!("no kind of trials: expected {}", join_words(&names, "or"));
        return Err(vec![document.locate(Problem::at("kind", text))]);
    };
    match KINDS.iter().find(|row| row.name == kind) {
        Some(row) => (row.load)(&document, options),
        None => {
            let text = format!(
                "no kind of trials is called {}: expected {}",
                notation::quote(kind),
                join_words(&names, "or")
            );
            Err(vec![document.locate(Problem::at("kind", text))])
        }
    }
}

/// [`load`] for a file whose kind is known.
pub(super) fn load_kind<K: TrialKind>(
    document: &Document<'_>,
    options: &RunOptions,
) -> Result<Experiment, Vec<Problem>> {
    let problems = check::problems(document, &schema::of_kind::<K>());
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut file: ExperimentFile<K> = toml::from_str(document.text()).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let problem = Problem {
            line: document.line(start),
            ..Problem::at("", error.message())
        };
        vec![problem]
    })?;
    let locate = |problems: Vec<Problem>| -> Vec<Problem> {
        let mut problems: Vec<Problem> = (problems.into_iter())
            .map(|problem| document.locate(problem))
            .collect();
        problems.sort();
        problems
    };
    common_problems(&file).map_err(locate)?;
    file.trials.rescale(options);
    set_budgets(&mut file, options).map_err(locate)?;
    let (header, identity) = (file.header(), identity_of(&file));
    let trials = K::prepare(file, document).map_err(locate)?;
    Ok(Experiment {
        header,
        trials,
        identity,
    })
}

/// What is wrong with a file that its schema cannot say, whatever its trials are.
fn common_problems<K: TrialKind>(file: &ExperimentFile<K>) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    for (number, player) in (1..).zip(&file.players) {
        let is_one = player.search.is_empty() != player.engine.is_empty();
        if !is_one {
            problems.push(Problem::at(
                format!("players.{number}"),
                "it has both or neither of search and engine: expected one of them",
            ));
        }
        if !player.search.is_empty() && file.game.is_empty() {
            problems.push(Problem::at(
                "game",
                "there is none for the searches to play: expected a game's name",
            ));
        }
    }
    let ids: Vec<&str> = file
        .hypotheses
        .iter()
        .map(|claim| claim.id.as_str())
        .collect();
    for (number, id) in (1..).zip(&file.answered_by) {
        if !ids.contains(&id.as_str()) {
            let known = match ids.is_empty() {
                true => "a [[hypotheses]] table with that id".to_owned(),
                false => join_words(&ids, "or"),
            };
            problems.push(Problem::at(
                format!("answered_by.{number}"),
                format!(
                    "no hypothesis is called {}: expected {known}",
                    notation::quote(id)
                ),
            ));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// Writes the limits of a run into the players' searches.
fn set_budgets<K: TrialKind>(
    file: &mut ExperimentFile<K>,
    options: &RunOptions,
) -> Result<(), Vec<Problem>> {
    let mut budget = file.budget;
    budget.iterations = options.iterations.or(budget.iterations);
    let mut limits = Vec::new();
    for ((name, value), ((_, own), (_, common))) in
        (budget.named().into_iter()).zip(file.quick.named().into_iter().zip(QUICK_BUDGET.named()))
    {
        let most = own.or(common).filter(|_| options.scale.is_quick());
        limits.push(Limit { name, value, most });
    }
    limit_engines(&mut file.players, &limits)?;
    if file.game.is_empty() {
        return Ok(());
    }
    let visitor = SetBudgets {
        players: &mut file.players,
        limits: &limits,
        is_forced: options.iterations.is_some(),
    };
    let set = games::with_game(&file.game, visitor);
    let name = set.map_err(|error| vec![Problem::at("game", error.to_string())])??;
    file.game = name;
    Ok(())
}

/// A limit of searches: the name of its parameter, its value, and its upper bound.
struct Limit {
    name: &'static str,
    value: Option<u64>,
    most: Option<u64>,
}

impl Limit {
    /// The limit as other programs are told it: `nodes 1000`.
    fn go_words(&self) -> Option<String> {
        let name = match self.name {
            "iterations" => "nodes",
            "time" => "movetime",
            name => name,
        };
        let value = self.value?.min(self.most.unwrap_or(u64::MAX));
        Some(format!("{name} {value}"))
    }
}

/// Gives other programs that have no limits of their own those of the file.
fn limit_engines(players: &mut [Player], limits: &[Limit]) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    let engines = players.iter_mut().enumerate();
    for (index, player) in engines.filter(|(_, player)| !player.engine.is_empty()) {
        let key = format!("players.{}.engine", index + 1);
        let engine = match EngineConfig::parse(&player.engine, &[]) {
            Ok(engine) => engine,
            Err(error) => {
                problems.push(Problem::at(key, error.to_string()));
                continue;
            }
        };
        if engine.limits.is_some() {
            continue;
        }
        let words: Vec<String> = limits.iter().filter_map(Limit::go_words).collect();
        if words.is_empty() {
            let text = "nothing says when it is to stop: expected go='nodes 1000' before the command, or [budget]";
            problems.push(Problem::at(key, text));
            continue;
        }
        player.engine = format!("go='{}' {}", words.join(" "), player.engine);
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// Gives every search the limits it has parameters for; the result is the game's full name.
struct SetBudgets<'a> {
    players: &'a mut [Player],
    limits: &'a [Limit],
    /// Whether limits hold for searches that write their own, too.
    is_forced: bool,
}

impl Visitor for SetBudgets<'_> {
    type Out = Result<String, Vec<Problem>>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let mut problems = Vec::new();
        let own_searches = self.players.iter_mut().enumerate();
        for (index, player) in own_searches.filter(|(_, player)| !player.search.is_empty()) {
            let failed = |error: &dyn Display| {
                Problem::at(format!("players.{}.search", index + 1), error.to_string())
            };
            for limit in self.limits {
                match limited::<G>(&player.search, limit, self.is_forced) {
                    Ok(search) => player.search = search,
                    Err(error) => problems.push(failed(&error)),
                }
            }
            let spec = catalog::parse::<G>(&player.search);
            match spec {
                Ok(spec) if !catalog::has_default_limit(&spec) => problems.push(failed(
                    &"nothing says when it is to stop: expected iterations, depth or time, here or in [budget]",
                )),
                Ok(_) => {}
                Err(error) => problems.push(failed(&error)),
            }
        }
        match problems.is_empty() {
            true => Ok(notation::full_name::<G>(rules)),
            false => Err(problems),
        }
    }
}

/// A search with a limit, if it has such a parameter.
fn limited<G: Playable>(
    search: &str,
    limit: &Limit,
    is_forced: bool,
) -> Result<String, catalog::CatalogError> {
    let spec = catalog::parse::<G>(search)?;
    let values = catalog::parameter_values(&spec);
    let Some(current) = values.get(limit.name) else {
        return Ok(search.to_owned());
    };
    let is_written = catalog::written_parameters(search).any(|(name, _)| name == limit.name);
    let current: u64 = current.parse().unwrap_or(0);
    let wanted = limit.value.filter(|_| !is_written || is_forced);
    let wanted = wanted.unwrap_or(current);
    let wanted = limit.most.map_or(wanted, |most| wanted.min(most));
    if wanted == current {
        return Ok(search.to_owned());
    }
    Ok(with_parameter(search, limit.name, wanted))
}

/// A search with another value of a parameter.
pub(super) fn with_parameter(search: &str, name: &str, value: impl Display) -> String {
    let mut words: Vec<String> = (search.split(','))
        .filter(|word| word.split('=').next().map(str::trim) != Some(name))
        .map(str::to_owned)
        .collect();
    words.push(format!("{name}={value}"));
    words.join(",")
}

/// The searches of players; none for other programs. What is wrong with them is added to the problems.
pub(super) fn searches_of<G: Playable>(
    players: &[Player],
    problems: &mut Vec<Problem>,
) -> Vec<Option<Spec>> {
    let mut specs = Vec::new();
    for (number, player) in (1..).zip(players) {
        if player.search.is_empty() {
            specs.push(None);
            continue;
        }
        match catalog::parse::<G>(&player.search) {
            Ok(spec) => specs.push(Some(spec)),
            Err(error) => {
                let key = format!("players.{number}.search");
                problems.push(Problem::at(key, error.to_string()));
            }
        }
    }
    specs
}

/// What the trials of a file depend on, without paths, counts and texts for people.
fn identity_of<K: TrialKind>(file: &ExperimentFile<K>) -> Value {
    let mut trials = serde_json::to_value(&file.trials).unwrap_or_default();
    if let Some(trials) = trials.as_object_mut() {
        for key in K::FREE_KEYS {
            trials.remove(*key);
        }
    }
    let player = |player: &Player| {
        let is_own = !player.search.is_empty();
        let signature = is_own
            .then(|| signature_in(&file.game, &player.search))
            .flatten();
        json!({
            "name": player.name,
            "search": player.search,
            "engine": player.engine,
            "signature": signature,
        })
    };
    json!({
        "kind": K::NAME,
        "game": file.game,
        "seed": file.seed,
        "version": env!("CARGO_PKG_VERSION"),
        "players": file.players.iter().map(player).collect::<Vec<Value>>(),
        "trials": trials,
    })
}

impl Experiment {
    /// The plan of a run.
    pub fn plan(&self) -> Plan {
        let trials = &self.trials;
        Plan::new(RunKind::Experiment, trials.count(), self.identity.clone())
            .with_units(trials.units())
            .with_times(trials.is_repeatable(), trials.time_fields())
    }
}
