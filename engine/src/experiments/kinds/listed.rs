//! Lists of positions in experiments' files.

use super::{TrialKind, Trials};
use crate::{
    arena::listed_position::ListedPosition,
    catalog::{self, Spec},
    experiments::{
        document::{Document, Problem},
        file::{ExperimentFile, Player},
    },
    games::{self, Playable, Visitor, notation, position_list},
};

/// A position of an experiment.
#[derive(Clone, Debug)]
pub(super) struct ExperimentPosition<G: Playable> {
    pub(super) listed: ListedPosition<G>,
    /// What the list calls its kind (`kind=`); empty if it says nothing.
    pub(super) kind: String,
}

/// A kind of trials that are searches of listed positions.
pub(super) trait PositionKind: TrialKind {
    /// The list of positions, and the name of a file that should have been read in its place.
    fn source(&self) -> (&str, Option<&str>);

    /// The trials on these positions with these searches.
    fn trials<G: Playable>(
        file: ExperimentFile<Self>,
        rules: G::Rules,
        positions: Vec<ExperimentPosition<G>>,
        specs: Vec<Spec>,
    ) -> Result<Box<dyn Trials>, Vec<Problem>>;
}

/// [`TrialKind::prepare`] for such a kind.
pub(super) fn prepare<K: PositionKind>(
    file: ExperimentFile<K>,
    document: &Document<'_>,
) -> Result<Box<dyn Trials>, Vec<Problem>> {
    let game = file.game.clone();
    if game.is_empty() {
        let text = "there is none: expected a game's name";
        return Err(vec![Problem::at("game", text)]);
    }
    let prepared = games::with_game(&game, Prepare { file, document });
    prepared.map_err(|error| vec![Problem::at("game", error.to_string())])?
}

struct Prepare<'a, K: PositionKind> {
    file: ExperimentFile<K>,
    document: &'a Document<'a>,
}

impl<K: PositionKind> Visitor for Prepare<'_, K> {
    type Out = Result<Box<dyn Trials>, Vec<Problem>>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let Self { file, document } = self;
        let positions = read::<G>(rules, file.trials.source(), document)?;
        let specs = own_searches::<G>(&file.players)?;
        K::trials(file, rules, positions, specs)
    }
}

/// Reads the list of positions of a file: its text, or the name of a file that should have been read.
fn read<G: Playable>(
    rules: G::Rules,
    (list, file_name): (&str, Option<&str>),
    document: &Document<'_>,
) -> Result<Vec<ExperimentPosition<G>>, Vec<Problem>> {
    const KEY: &str = "trials.positions";
    if let Some(name) = file_name {
        // The command that reads an experiment's file puts the text in the place of the name.
        let text = format!("{name} has not been read: expected a list in positions");
        return Err(vec![Problem::at("trials.positions_file", text)]);
    }
    let at_line = |line: usize, problem: String| {
        let text = format!("line {line} of the list: {problem}");
        document.locate_in_list(Problem::at(KEY, text), line)
    };
    let game = notation::full_name::<G>(rules);
    let entries = position_list::parse(list, Some(&game))
        .map_err(|error| vec![at_line(error.line, error.problem)])?;
    if entries.is_empty() {
        let text = "there are none: expected positions or positions_file";
        return Err(vec![Problem::at(KEY, text)]);
    }
    let (mut positions, mut problems) = (Vec::new(), Vec::new());
    for entry in &entries {
        match ListedPosition::read(rules, entry) {
            Ok(listed) => positions.push(ExperimentPosition {
                listed,
                kind: entry.field("kind").unwrap_or_default().to_owned(),
            }),
            Err(problem) => problems.push(at_line(entry.line, problem)),
        }
    }
    match problems.is_empty() {
        true => Ok(positions),
        false => Err(problems),
    }
}

/// The searches of the players, whose texts have been checked. Other engines are refused.
fn own_searches<G: Playable>(players: &[Player]) -> Result<Vec<Spec>, Vec<Problem>> {
    if players.is_empty() {
        let text = "there are none: expected one or more";
        return Err(vec![Problem::at("players", text)]);
    }
    let mut problems = Vec::new();
    let mut specs = Vec::new();
    for (number, player) in (1..).zip(players) {
        match catalog::parse::<G>(&player.search) {
            Ok(spec) => specs.push(spec),
            Err(_) => problems.push(Problem::at(
                format!("players.{number}.engine"),
                "another engine cannot take part in trials of this kind: expected a search",
            )),
        }
    }
    match problems.is_empty() {
        true => Ok(specs),
        false => Err(problems),
    }
}
