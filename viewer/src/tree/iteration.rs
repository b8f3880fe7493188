//! One iteration of a search in its four phases: what was compared on the way down, what was added, how the playout went, and
//! which figures changed.

use std::{cmp::Reverse, sync::Arc};

use canopy_engine::{
    games::{Outcome, Player},
    tree::replay_reader::IterationRecord,
};

use crate::tree::{
    arithmetic::{self, TableDecimals, score_text},
    formula::{ChildTerms, SelectionExplanation, explain_selection},
    model::{Filter, TreeModel},
    node_value::{self, ValueView},
    value_text::{INFINITE, NO_DATA, fixed},
};

pub use self::step_tree::{MAX_WHOLE_NODES, StepNode, StepTree};

mod step_tree;

/// An iteration, told from the trees before and after it.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationSteps {
    /// Its number, from 1.
    pub iteration: u32,
    /// Nodes that were ever visited, after it.
    pub visited_nodes: usize,
    /// The choices among visited children, from the root down.
    pub selection: Vec<SelectionStep>,
    /// What was added to the tree.
    pub expansion: ExpansionStep,
    /// What came of it.
    pub playout: PlayoutStep,
    /// The nodes of the path with their figures, the root first.
    pub updates: Vec<NodeUpdate>,
    /// The part of the tree that is drawn.
    pub tree: StepTree,
    /// Whose share of wins is told: the side to move at the root.
    pub owner: &'static str,
    /// The names of the sides.
    pub players: [&'static str; 2],
    /// Whether nodes at which the first player decides are light.
    pub first_is_light: bool,
    /// The game and the root position, as the sidecar has them.
    pub game: (String, String),
}

/// A choice among the children of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionStep {
    /// The name of the player who chooses.
    pub chooser: &'static str,
    /// The moves that lead there, as people read them.
    pub after: Vec<String>,
    /// The visits N of the node before the iteration.
    pub parent_visits: u64,
    /// Its children, the highest score first.
    pub rows: Vec<ScoreRow>,
    /// The score of the chosen one with its numbers, line by line; empty if the formula is not known.
    pub arithmetic: Vec<String>,
    /// Why there are no scores, if there are none.
    pub remark: Option<String>,
}

impl SelectionStep {
    /// The child that was chosen.
    pub fn chosen(&self) -> Option<&ScoreRow> {
        self.rows.iter().find(|row| row.is_chosen)
    }
}

/// A child and its terms, as they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRow {
    /// The move.
    pub name: String,
    /// Visits before the iteration.
    pub visits: u64,
    /// The mean for the player who chooses.
    pub mean: String,
    /// What is added for exploring.
    pub exploration: String,
    /// Their sum.
    pub score: String,
    /// Whether the iteration went there.
    pub is_chosen: bool,
}

/// What was added to the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpansionStep {
    /// The moves that lead to the node that got a child, as people read them.
    pub after: Vec<String>,
    /// The moves that had never been tried there; the new node's is the one with `is_new`.
    pub candidates: Vec<Candidate>,
    /// What happened, in a sentence.
    pub text: String,
}

impl ExpansionStep {
    /// The move of the new node; none if no node was added.
    pub fn new_move(&self) -> Option<&str> {
        let new = self.candidates.iter().find(|candidate| candidate.is_new)?;
        Some(&new.name)
    }
}

/// A move that had never been tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub name: String,
    /// Its score.
    pub score: String,
    /// Whether the iteration tried it.
    pub is_new: bool,
}

/// How the leaf was judged.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayoutStep {
    /// The moves to the leaf in the game's own notation.
    pub path: Vec<String>,
    /// The moves of the playout in the game's own notation; none if they are not known.
    pub moves: Option<Vec<String>>,
    /// Whether there was none: the leaf is the end of a game, or its result is proven.
    pub is_certain: bool,
    /// What it came to: "X won", "drawn", or the share of wins that a playout cut off was judged to be worth.
    pub result: String,
    /// The reward of the first player, from 0 to 1.
    pub reward: f64,
}

/// A node of the path and what the iteration changed.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeUpdate {
    /// The move into it; "root" at the root.
    pub name: String,
    /// Visits before and after.
    pub visits: (u64, u64),
    /// The owner's share of wins before, if it was visited, and after.
    pub share: (Option<f64>, f64),
}

/// A model and the nodes along a path; none from where it has no node.
struct Path<'a> {
    model: &'a TreeModel,
    nodes: Vec<Option<usize>>,
}

impl<'a> Path<'a> {
    /// Follows moves in the game's own notation from the root down.
    fn new(model: &'a TreeModel, moves: &[String]) -> Self {
        let mut nodes = vec![Some(0)];
        for name in moves {
            let above = nodes.last().copied().flatten();
            let next = above.and_then(|above| {
                let mut children = model.children_of(children_owner(model, above));
                children.find(|&child| model.tree.move_name(model.row(child)) == name)
            });
            nodes.push(next);
        }
        Self { model, nodes }
    }

    fn node(&self, index: usize) -> Option<usize> {
        self.nodes.get(index).copied().flatten()
    }

    fn visits(&self, index: usize) -> u64 {
        self.node(index)
            .map_or(0, |node| self.model.visits(node).max(0) as u64)
    }

    /// The share of wins of `owner`; none without visits.
    fn share(&self, index: usize, owner: Player) -> Option<f64> {
        let node = self.node(index)?;
        share_of(self.model, node, owner)
    }
}

/// The node that has the children of a node: another one if they stand elsewhere in a graph.
fn children_owner(model: &TreeModel, node: usize) -> usize {
    let elsewhere = model.expanded_elsewhere(model.row(node));
    elsewhere
        .and_then(|row| model.find_row(row as u32))
        .unwrap_or(node)
}

/// The share of wins of `owner` at a node; none without visits.
fn share_of(model: &TreeModel, node: usize, owner: Player) -> Option<f64> {
    let figures = model.node(node);
    let is_owners = model.is_mean_of_first(node) == (owner == Player::First);
    let share = if is_owners {
        figures.mean
    } else {
        1.0 - figures.mean
    };
    (figures.visits > 0).then_some(share)
}

impl IterationSteps {
    /// Tells the iteration after which the tree was `after`, and before which it was `before`; neither is filtered. `record` is
    /// what the journal says of it. None if the trees do not tell where it went.
    pub fn new(
        iteration: u32,
        before: &TreeModel,
        after: &Arc<TreeModel>,
        record: Option<&IterationRecord>,
    ) -> Option<Self> {
        let moves = match record {
            Some(record) => record.path.clone(),
            None => last_moves(after)?,
        };
        let (before, path) = (Path::new(before, &moves), Path::new(after, &moves));
        let wording = node_value::wording(after);
        let values = node_value::NodeValues::new(after, ValueView::Root);
        let owner = values.owner(0);
        let names = readings(&path);
        let is_new = moves
            .len()
            .checked_sub(1)
            .is_some_and(|last| before.visits(last + 1) == 0 && path.visits(last + 1) > 0);
        let chosen_steps = moves.len() - usize::from(is_new);
        let selection = (0..chosen_steps)
            .filter_map(|index| selection_step(&before, index, &moves, &names, wording.players))
            .collect();
        let playout = playout_step(&moves, record, (&before, &path), wording.players);
        let updates = (0..=moves.len())
            .filter_map(|index| {
                Some(NodeUpdate {
                    name: match index {
                        0 => "root".to_owned(),
                        _ => names.get(index - 1)?.clone(),
                    },
                    visits: (before.visits(index), path.visits(index)),
                    share: (before.share(index, owner), path.share(index, owner)?),
                })
            })
            .collect();
        let meta = after.meta.as_ref();
        Some(Self {
            iteration,
            visited_nodes: (0..after.len())
                .filter(|&node| after.visits(node) > 0)
                .count(),
            selection,
            expansion: expansion_step((&before, &path), &moves, &names, is_new, &playout),
            updates,
            tree: StepTree::new(after, &path.nodes, is_new, owner),
            playout,
            owner: wording.name(owner),
            players: wording.players,
            first_is_light: after.fills_light(true),
            game: meta.map_or_else(Default::default, |meta| {
                (meta.game.clone(), meta.position.clone())
            }),
        })
    }

    /// Number of stages: a choice each, expansion, playout and back-propagation.
    pub fn stages(&self) -> usize {
        self.selection.len() + 3
    }

    /// The phase of a stage.
    pub fn phase(&self, stage: usize) -> Phase {
        match stage.checked_sub(self.selection.len()) {
            None => Phase::Select(stage),
            Some(0) => Phase::Expand,
            Some(1) => Phase::PlayOut,
            Some(_) => Phase::BackUp,
        }
    }

    /// The first stage of a phase.
    pub fn stage_of(&self, phase: Phase) -> usize {
        let choices = self.selection.len();
        match phase {
            Phase::Select(index) => index.min(choices),
            Phase::Expand => choices,
            Phase::PlayOut => choices + 1,
            Phase::BackUp => choices + 2,
        }
    }
}

/// A phase of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// A choice on the way down.
    Select(usize),
    /// A node is added.
    Expand,
    /// A game is played out from it.
    PlayOut,
    /// Its result is counted along the path.
    BackUp,
}

/// The moves of the last iteration's path in the game's own notation.
fn last_moves(model: &TreeModel) -> Option<Vec<String>> {
    let path = Some(&model.last_path).filter(|path| !path.is_empty())?;
    let moves = path.iter().skip(1);
    Some(
        moves
            .map(|&node| model.tree.move_name(model.row(node)).to_owned())
            .collect(),
    )
}

/// The moves along a path as people read them.
fn readings(path: &Path<'_>) -> Vec<String> {
    let nodes = path.nodes.iter().skip(1).map_while(|&node| node);
    nodes
        .map(|node| path.model.row_reading(path.model.row(node)).into_owned())
        .collect()
}

/// The choice at the node with this place on the path.
fn selection_step(
    before: &Path<'_>,
    index: usize,
    moves: &[String],
    names: &[String],
    players: [&'static str; 2],
) -> Option<SelectionStep> {
    let model = before.model;
    let node = children_owner(model, before.node(index)?);
    let why = explain_selection(model, node, None);
    let chosen = moves.get(index)?;
    let is_chosen = |terms: &ChildTerms| model.tree.move_name(terms.row) == chosen;
    let mut children: Vec<&ChildTerms> = why.all_children().collect();
    // The first of equals is followed, so the order is kept.
    children.sort_by_key(|terms| terms.row);
    children.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
    let decimals = TableDecimals::new(&why);
    let arithmetic = (children.iter().find(|terms| is_chosen(terms)))
        .and_then(|terms| arithmetic::in_full(&why, terms));
    Some(SelectionStep {
        chooser: players[why.to_move.index()],
        after: names.get(..index)?.to_vec(),
        parent_visits: why.parent_visits,
        rows: (children.iter())
            .map(|terms| score_row(model, terms, decimals, is_chosen(terms)))
            .collect(),
        arithmetic: arithmetic.unwrap_or_default(),
        remark: why.formula.is_none().then(|| why.text.clone()),
    })
}

/// The order of children by score; those without one by visits.
fn rank(terms: &ChildTerms) -> f64 {
    match terms.score() {
        _ if terms.is_infinite() => f64::INFINITY,
        Some(score) => score,
        None => terms.stats.edge_visits - 1e12,
    }
}

fn score_row(
    model: &TreeModel,
    terms: &ChildTerms,
    decimals: TableDecimals,
    is_chosen: bool,
) -> ScoreRow {
    let written =
        |value: Option<f64>| value.map_or(NO_DATA.to_owned(), |it| fixed(it, decimals.terms));
    ScoreRow {
        name: model.row_reading(terms.row).into_owned(),
        visits: terms.stats.edge_visits as u64,
        mean: written(terms.mean),
        exploration: written(terms.exploration),
        score: score_text(terms, decimals.scores),
        is_chosen,
    }
}

/// What was added at the end of the path.
fn expansion_step(
    (before, after): (&Path<'_>, &Path<'_>),
    moves: &[String],
    names: &[String],
    is_new: bool,
    playout: &PlayoutStep,
) -> ExpansionStep {
    let ends_at = moves.len() - usize::from(is_new);
    let parent_moves = names.get(..ends_at).unwrap_or_default().to_vec();
    let Some(parent) = after.node(ends_at).filter(|_| is_new) else {
        let text = match (playout.is_certain, &playout.moves) {
            (true, _) => "Nothing is added: the result here is certain.",
            _ => "Nothing is added yet: the node gets children when it is visited again.",
        };
        return ExpansionStep {
            after: parent_moves,
            candidates: Vec::new(),
            text: text.to_owned(),
        };
    };
    let model = after.model;
    let scores = before_scores(before, ends_at);
    let new_move = moves.last().map(String::as_str).unwrap_or_default();
    let candidates: Vec<Candidate> = (model.children_of(children_owner(model, parent)))
        .filter_map(|child| {
            let row = model.row(child);
            let is_new = model.tree.move_name(row) == new_move;
            (is_new || model.visits(child) == 0).then(|| Candidate {
                name: model.row_reading(row).into_owned(),
                score: (scores.iter())
                    .find(|(name, _)| name == model.tree.move_name(row))
                    .map_or_else(|| INFINITE.to_owned(), |(_, score)| score.clone()),
                is_new,
            })
        })
        .collect();
    let text = expansion_text(before, ends_at, &candidates);
    ExpansionStep {
        after: parent_moves,
        candidates,
        text,
    }
}

/// The scores of a node's children before the iteration, by move; empty if it had none.
fn before_scores(before: &Path<'_>, index: usize) -> Vec<(String, String)> {
    let Some(node) = before.node(index) else {
        return Vec::new();
    };
    let model = before.model;
    let why: SelectionExplanation = explain_selection(model, children_owner(model, node), None);
    let decimals = TableDecimals::new(&why).scores;
    (why.all_children())
        .map(|terms| {
            let name = model.tree.move_name(terms.row).to_owned();
            (name, score_text(terms, decimals))
        })
        .collect()
}

/// Why the new node is the one it is.
fn expansion_text(before: &Path<'_>, index: usize, candidates: &[Candidate]) -> String {
    let Some(new) = candidates.iter().find(|candidate| candidate.is_new) else {
        return String::new();
    };
    let name = &new.name;
    let had_children = (before.node(index)).is_some_and(|node| {
        !before
            .model
            .children_of(children_owner(before.model, node))
            .is_empty()
    });
    let rule = (before.model.meta.as_ref())
        .and_then(|meta| meta.parameters.get("expansion"))
        .map(String::as_str);
    match (had_children, rule) {
        (true, _) if new.score != INFINITE => {
            format!("{name} has the highest score although it was never tried: it becomes a node.")
        }
        (_, Some("one")) => {
            format!("A node gets one child at a time, in the order of moves: now {name}.")
        }
        (true, _) if candidates.len() == 1 => format!(
            "A move never tried counts as infinitely promising: {name}, the last of them, comes next."
        ),
        (true, _) => format!(
            "A move never tried counts as infinitely promising, so one of them comes next: {name}, the first in their order."
        ),
        (false, Some("all-random")) => {
            format!("The node gets all its moves as children. Lots fell on {name}.")
        }
        (false, _) if candidates.len() == 1 => {
            format!("The node gets its only move as a child, and it is tried: {name}.")
        }
        (false, _) => {
            format!("The node gets all its moves as children. The first of them is tried: {name}.")
        }
    }
}

fn playout_step(
    moves: &[String],
    record: Option<&IterationRecord>,
    (before, after): (&Path<'_>, &Path<'_>),
    players: [&'static str; 2],
) -> PlayoutStep {
    let reward = record.map_or_else(|| reward_between(before, after), |record| record.reward);
    let outcome = record.and_then(|record| record.outcome);
    let is_over =
        (after.node(moves.len())).is_some_and(|node| after.model.node_states[node].is_terminal());
    let playout = (record.and_then(|record| record.playout.clone()))
        .filter(|moves| !(moves.is_empty() && is_over));
    PlayoutStep {
        path: moves.to_vec(),
        is_certain: playout.is_none() && is_over,
        moves: playout,
        result: result_text(reward, outcome, players),
        reward,
    }
}

/// The first player's reward of the iteration between two trees, from the sums at the root.
fn reward_between(before: &Path<'_>, after: &Path<'_>) -> f64 {
    let sum = |path: &Path<'_>| path.share(0, Player::First).unwrap_or(0.0) * path.visits(0) as f64;
    (sum(after) - sum(before)).clamp(0.0, 1.0)
}

/// What a reward of the first player means.
fn result_text(reward: f64, outcome: Option<Outcome>, [first, second]: [&str; 2]) -> String {
    const TOLERANCE: f64 = 1e-6;
    let is = |value: f64| (reward - value).abs() < TOLERANCE;
    match outcome {
        _ if is(1.0) => format!("{first} won"),
        _ if is(0.0) => format!("{second} won"),
        Some(Outcome::Draw) => "drawn".to_owned(),
        _ if is(0.5) => "drawn".to_owned(),
        _ => format!("cut off and judged: {first} {:.0} %", 100.0 * reward),
    }
}

/// Trees that are drawn show the nodes that were visited.
fn visited_filter() -> Filter {
    Filter {
        min_visits: 1,
        ..Filter::default()
    }
}

/// Orders the children that are drawn beside a path: the most visited first.
fn by_visits(model: &TreeModel, nodes: &mut [usize]) {
    nodes.sort_by_key(|&node| (Reverse(model.visits(node)), node));
}
