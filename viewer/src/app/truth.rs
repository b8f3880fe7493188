//! Exact values of the shown tree's moves: what is asked of a solver, what is known, and what the search did with it.

use std::{
    collections::{BinaryHeap, HashMap, HashSet},
    sync::Arc,
};

use canopy_engine::explain::{
    ValueClass,
    truth::{self, Judgement, MoveValues},
};

use super::{App, View};
use crate::{
    board::Board,
    tree::{exact_words::judgement_text, model::TreeModel, node_value::wording},
    workers::solver::{Question, Solver, SolverEvent},
};

/// Positions that are asked about for one view of a tree.
const MAX_ASKED: usize = 48;
/// Nodes looked at to find them.
const MAX_LOOKED_AT: usize = 4_000;
/// A move that was visited less says nothing about the search.
const MIN_MISTAKE_VISITS: i32 = 10;

/// Whether exact values are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TruthMode {
    /// They are not, and nothing is asked.
    #[default]
    Off,
    /// As marks at the nodes.
    Marks,
    /// As marks, and rings where the search's own choice gives something away.
    Regret,
}

impl TruthMode {
    /// All of them, in the order of their buttons.
    pub const ALL: [Self; 3] = [Self::Off, Self::Marks, Self::Regret];

    /// The next one, after the last the first.
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Marks,
            Self::Marks => Self::Regret,
            Self::Regret => Self::Off,
        }
    }

    /// What its button says.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::Marks => "Marks",
            Self::Regret => "Marks and regret",
        }
    }
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeTruth {
    /// Nobody was asked.
    NotAsked,
    /// It could not be solved in time.
    NotSolved,
    /// The winner under best play, none for a draw, and what the move into the node does to its player's result, where the values of
    /// all moves beside it are known.
    Known {
        /// The winner.
        winner: Option<canopy_engine::games::Player>,
        /// What the move does.
        judgement: Option<Judgement>,
    },
}

/// What is known and what is asked.
#[derive(Default)]
pub struct TruthState {
    /// What was chosen; [`App::truth_mode`] is what is shown.
    mode: TruthMode,
    /// By position; none where the solver failed.
    known: HashMap<Question, Option<MoveValues>>,
    /// The questions of nodes of the shown tree.
    questions: HashMap<usize, Option<Question>>,
    /// The tree of `questions`.
    model: Option<Arc<TreeModel>>,
    solver: Option<Solver>,
    /// What was asked last.
    asked: Vec<Question>,
    /// The state of the view for which it was asked.
    asked_for: Option<String>,
    /// Grows with every answer.
    pub version: u64,
    /// Whether a problem was told.
    has_failed: bool,
}

impl App {
    /// Whether exact values are shown now: not while a search grows, which would give the answer away.
    pub fn truth_mode(&self) -> TruthMode {
        let timeline = &self.document.timeline;
        let is_growing = timeline.is_growing() || self.is_answer_held();
        match is_growing || self.session.is_some() {
            true => TruthMode::Off,
            false => self.truth.mode,
        }
    }

    /// Whether exact values were asked for, shown now or not.
    pub fn is_truth_chosen(&self) -> bool {
        self.truth.mode != TruthMode::Off
    }

    /// Why there is nothing to be judged; none if there is.
    pub fn truth_obstacle(&self) -> Option<&'static str> {
        let model = self.document.model.as_ref();
        let has_game = model
            .is_some_and(|model| (model.meta.as_ref()).is_some_and(|meta| !meta.game.is_empty()));
        if !has_game {
            return Some("The tree has no sidecar that names its game.");
        }
        if self.session.is_some() {
            return Some("Not while you play.");
        }
        None
    }

    /// Shows exact values, or not.
    pub(super) fn set_truth_mode(&mut self, mode: TruthMode) {
        self.truth.mode = mode;
        self.truth.asked_for = None;
        if let (true, Some(solver)) = (mode == TruthMode::Off, &self.truth.solver) {
            solver.ask(Vec::new());
        }
    }

    /// The question about the moves of a node; none where the game is over or not known.
    fn question(&mut self, node: usize) -> Option<Question> {
        let model = self.document.model.clone()?;
        let truth = &mut self.truth;
        if !(truth.model.as_ref()).is_some_and(|known| Arc::ptr_eq(known, &model)) {
            truth.questions.clear();
            truth.model = Some(Arc::clone(&model));
        }
        let find = || {
            let meta = model.meta.as_ref()?;
            let moves = model.moves_to(node);
            let place = Board::after_moves(&meta.game, &meta.position, &moves).ok()?;
            place.outcome.is_none().then(|| Question {
                game: meta.game.clone(),
                position: place.position,
            })
        };
        (truth.questions.entry(node).or_insert_with(find)).clone()
    }

    /// The exact values of a node's moves, as far as they are known.
    pub fn move_values(&self, node: usize) -> Option<&MoveValues> {
        let question = self.truth.questions.get(&node)?.as_ref()?;
        self.truth.known.get(question)?.as_ref()
    }

    /// What is known of a node.
    pub fn node_truth(&self, node: usize) -> NodeTruth {
        let Some(model) = self.document.model.as_ref().filter(|_| node > 0) else {
            return NodeTruth::NotAsked;
        };
        let is_same = (self.truth.model.as_ref()).is_some_and(|known| Arc::ptr_eq(known, model));
        let Some(&parent) = model.parents.get(node).filter(|_| is_same) else {
            return NodeTruth::NotAsked;
        };
        let parent = parent as usize;
        let question = self.truth.questions.get(&parent);
        let Some(known) = question.and_then(|question| self.truth.known.get(question.as_ref()?))
        else {
            return NodeTruth::NotAsked;
        };
        let name = model.tree.move_name(model.row(node));
        let value = (known.as_ref()).and_then(|values| truth::value_of(values, name));
        let Some((values, value)) = known.as_ref().zip(value) else {
            return NodeTruth::NotSolved;
        };
        let maker = match model.node_states[parent].is_first() {
            true => canopy_engine::games::Player::First,
            false => canopy_engine::games::Player::Second,
        };
        NodeTruth::Known {
            winner: truth::winner(value, maker),
            judgement: truth::judge(values, name),
        }
    }

    /// What is known of a node in words: "O wins · keeps the result", "not solved". None while nothing is asked, and at the root.
    pub fn truth_text(&self, node: usize) -> Option<String> {
        if self.truth_mode() == TruthMode::Off || self.truth_obstacle().is_some() || node == 0 {
            return None;
        }
        let model = self.document.model.as_ref()?;
        Some(match self.node_truth(node) {
            NodeTruth::NotAsked => "not asked".to_owned(),
            NodeTruth::NotSolved => "not solved".to_owned(),
            NodeTruth::Known { winner, judgement } => {
                let players = wording(model).players;
                let result = match winner {
                    None => "draw".to_owned(),
                    Some(player) => format!("{} wins", players[player.index()]),
                };
                match judgement {
                    Some(judgement) => format!("{result} · {}", judgement_text(judgement)),
                    None => result,
                }
            }
        })
    }

    /// What a row below a node leads to, for the side to move at the root, where exact values are shown and known.
    pub fn row_result(&self, node: usize, row: usize) -> Option<ValueClass> {
        if self.truth_mode() == TruthMode::Off {
            return None;
        }
        let model = self.document.model.as_ref()?;
        let is_same = (self.truth.model.as_ref()).is_some_and(|known| Arc::ptr_eq(known, model));
        let values = self.move_values(node).filter(|_| is_same)?;
        let class = truth::value_of(values, model.tree.move_name(row))?.class;
        let is_owner = model.node_states[node].is_first() == model.node_states[0].is_first();
        Some(match (is_owner, class) {
            (true, class) => class,
            (false, ValueClass::Win) => ValueClass::Loss,
            (false, ValueClass::Draw) => ValueClass::Draw,
            (false, ValueClass::Loss) => ValueClass::Win,
        })
    }

    /// Takes in answers, and asks for what is on screen.
    pub(super) fn update_truth(&mut self) {
        self.take_truth_answers();
        if self.truth_mode() == TruthMode::Off || self.truth_obstacle().is_some() {
            return;
        }
        let state = self.truth_view_state();
        if self.truth.asked_for.as_ref() == Some(&state) {
            return;
        }
        self.truth.asked_for = Some(state);
        let nodes = self.nodes_to_ask();
        let mut seen = HashSet::new();
        let mut questions = Vec::new();
        for node in nodes {
            let question = self.question(node);
            let is_new = |question: &Question| !self.truth.known.contains_key(question);
            let question = question.filter(is_new);
            questions.extend(question.filter(|question| seen.insert(question.clone())));
        }
        self.truth.asked.clone_from(&questions);
        if questions.is_empty() {
            return;
        }
        if self.truth.solver.is_none() {
            let started = Solver::start(self.own_engine_command.clone(), Arc::clone(&self.wake));
            match started {
                Ok(solver) => self.truth.solver = Some(solver),
                Err(error) => self.show_error(format!("no thread could be started: {error}")),
            }
        }
        if let Some(solver) = &self.truth.solver {
            solver.ask(questions);
        }
    }

    fn take_truth_answers(&mut self) {
        let events = self.truth.solver.as_ref().map(Solver::take_events);
        for event in events.unwrap_or_default() {
            self.truth.version += 1;
            let (question, values) = match event {
                SolverEvent::Answer(question, values) => (question, Some(values)),
                SolverEvent::Failed(question, problem) => {
                    if !std::mem::replace(&mut self.truth.has_failed, true) {
                        self.show_error(problem);
                    }
                    (question, None)
                }
            };
            self.truth.asked.retain(|asked| *asked != question);
            self.truth.known.insert(question, values);
        }
    }

    /// Positions that are still to be solved.
    pub fn truth_waiting(&self) -> usize {
        match self.truth_mode() {
            TruthMode::Off => 0,
            _ => self.truth.asked.len(),
        }
    }

    /// What decides which nodes are asked about, as text.
    fn truth_view_state(&self) -> String {
        let model = (self.document.model.as_ref()).map(Arc::as_ptr);
        let camera = self.navigation.camera;
        format!(
            "{model:?} {camera:?} {:?} {:?} {}",
            self.shown_view(),
            self.why.rows(),
            self.navigation.focused_node()
        )
    }

    /// The nodes whose moves are asked about: those of the view Why or the selected one, then those on screen, the most visited
    /// first. Of two trees side by side the moves of the root, which they share, are all that is told.
    fn nodes_to_ask(&self) -> Vec<usize> {
        let Some(model) = self.document.model.as_deref() else {
            return Vec::new();
        };
        let mut nodes = vec![0];
        match self.shown_view() {
            View::Compare => return nodes,
            View::Why => {
                let rows = self.why.rows().into_iter().flatten();
                nodes.extend(rows.filter_map(|row| model.find_row(row as u32)));
            }
            _ => {
                // The selected node's table and its own judgement.
                let selected = self.navigation.focused_node();
                let above = model.parents.get(selected).map(|&parent| parent as usize);
                for node in [Some(selected), above].into_iter().flatten() {
                    if node < model.len() && !nodes.contains(&node) {
                        nodes.push(node);
                    }
                }
            }
        }
        let mut heap = BinaryHeap::from([(model.visits(0), std::cmp::Reverse(0_usize))]);
        for _ in 0..MAX_LOOKED_AT {
            let Some((_, std::cmp::Reverse(node))) = heap.pop() else {
                break;
            };
            if nodes.len() >= MAX_ASKED {
                break;
            }
            let mut children = model.children_of(node);
            if children.any(|child| self.is_on_canvas(model, child)) && !nodes.contains(&node) {
                nodes.push(node);
            }
            let visited = model
                .children_of(node)
                .filter(|&child| model.visits(child) > 0);
            heap.extend(visited.map(|child| (model.visits(child), std::cmp::Reverse(child))));
        }
        nodes
    }

    /// Whether a node lies on the canvas.
    pub fn is_on_canvas(&self, model: &TreeModel, node: usize) -> bool {
        let (Some(camera), canvas) = (&self.navigation.camera, &self.navigation.canvas) else {
            return false;
        };
        let depth = model.depth_of(node) as f64;
        let (x, y) = camera.to_canvas(canvas, model.x[node], depth);
        (0.0..canvas.width).contains(&x) && (0.0..canvas.height).contains(&y)
    }

    /// The half points that the move into a node gives away, if it was visited much and the search prefers it.
    fn mistake(&self, model: &TreeModel, node: usize) -> Option<u32> {
        let parent = *model.parents.get(node)? as usize;
        let is_meant =
            model.visits(node) >= MIN_MISTAKE_VISITS && model.best_child(parent) == Some(node);
        match self.node_truth(node) {
            NodeTruth::Known {
                judgement: Some(Judgement::Loses(halves)),
                ..
            } if is_meant => Some(halves),
            _ => None,
        }
    }

    /// Whether the search prefers the move into a node, visited it much, and gives something away by it.
    pub fn is_mistake(&self, model: &TreeModel, node: usize) -> bool {
        self.mistake(model, node).is_some()
    }

    /// Nodes from which the search prefers a move that gives something away, with what it gives, the most visited first.
    pub fn mistakes(&self) -> Vec<(usize, u32)> {
        let Some(model) = self.document.model.as_deref() else {
            return Vec::new();
        };
        let mut nodes: Vec<usize> = self.truth.questions.keys().copied().collect();
        nodes.retain(|&node| node < model.len());
        let mut found: Vec<(usize, u32)> = (nodes.into_iter())
            .filter_map(|node| model.best_child(node))
            .filter_map(|child| Some((child, self.mistake(model, child)?)))
            .collect();
        found.sort_by_key(|&(node, _)| (std::cmp::Reverse(model.visits(node)), node));
        found
    }

    /// Goes to the next move that the search prefers although it gives something away.
    pub(super) fn go_to_next_mistake(&mut self) {
        if self.truth_mode() == TruthMode::Off {
            self.show_message("Turn the solver's marks on first.");
            return;
        }
        let mistakes = self.mistakes();
        let selected = self.navigation.selected;
        let at = mistakes
            .iter()
            .position(|&(node, _)| Some(node) == selected);
        let next = at.map_or(0, |at| (at + 1) % mistakes.len().max(1));
        let Some(&(node, halves)) = mistakes.get(next) else {
            let text = match self.truth_waiting() {
                0 => "The search gives nothing away in what is solved.",
                _ => "Nothing is given away in what is solved so far.",
            };
            return self.show_message(text);
        };
        self.show_message(format!(
            "{} of {}: this move gives {} away.",
            next + 1,
            mistakes.len(),
            truth::regret_text(halves)
        ));
        if let Some(model) = self.document.model.as_deref() {
            self.navigation.select(model.len(), Some(node));
            self.navigation.scroll_to_selected(model);
        }
    }

    /// By sample of the journal's history: the half points that the most visited move gives away. None unless the values of all moves of
    /// the root are known.
    pub fn regret_history(&self) -> Option<Vec<u32>> {
        let values = self.move_values(0)?;
        let history = &self.document.timeline.status.as_ref()?.shares;
        regret_over_time(history, values)
    }

    /// The iteration from which on the search favoured a move that gives nothing away; none if it did not in the end.
    pub fn found_best_after(&self) -> Option<Option<u32>> {
        let regret = self.regret_history()?;
        let last_wrong = regret.iter().rposition(|&halves| halves > 0);
        let first_right = last_wrong.map_or(0, |last| last + 1);
        let parts = regret.len().saturating_sub(1).max(1) as u64;
        let iterations = u64::from(self.document.timeline.iterations());
        let at = (iterations * first_right as u64 / parts) as u32;
        Some((first_right < regret.len()).then_some(at))
    }

    /// The state, for tests.
    pub(super) fn dump_truth(&self) -> serde_json::Value {
        let known = self.truth.known.values().flatten();
        serde_json::json!({
            "mode": self.truth_mode().name(),
            "waiting": self.truth_waiting(),
            "positions": known.count(),
            "mistakes": self.mistakes().len(),
            "found": self.found_best_after().flatten(),
        })
    }
}

/// By time: the half points that the most visited move gives away; the first of equals counts.
fn regret_over_time(
    history: &canopy_engine::tree::replay_reader::RootMoveHistory,
    values: &MoveValues,
) -> Option<Vec<u32>> {
    let of_move: Option<Vec<u32>> = (history.moves.iter())
        .map(|name| {
            Some(match truth::judge(values, name)? {
                Judgement::Loses(halves) => halves,
                _ => 0,
            })
        })
        .collect();
    let of_move = of_move?;
    let favourite = |visits: &Vec<u32>| {
        let places = 0..visits.len();
        places.rev().max_by_key(|&place| visits.get(place).copied())
    };
    Some(
        (history.visits.iter())
            .map(|visits| {
                let place = favourite(visits).unwrap_or(0);
                of_move.get(place).copied().unwrap_or(0)
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use canopy_engine::tree::replay_reader::RootMoveHistory;

    use super::*;

    #[test]
    fn regret_follows_the_favourite_over_time() {
        let history = RootMoveHistory {
            moves: ["a", "b"].map(str::to_owned).to_vec(),
            visits: vec![vec![0, 0], vec![3, 1], vec![3, 4]],
            means: Vec::new(),
        };
        let values = truth::parse_values("response values a:draw b:win").expect("values");
        assert_eq!(regret_over_time(&history, &values), Some(vec![1, 1, 0]));
        let unknown = truth::parse_values("response values a:draw b:unknown").expect("values");
        assert_eq!(regret_over_time(&history, &unknown), None);
    }
}
