//! The state of the view Why: why one move of the root and not another.

use std::{path::PathBuf, sync::Arc, time::Duration};

use canopy_engine::{
    explain::{
        self, Explanation, LeadChange, MoveValue, SearchFacts, Sentence, ValueClass,
        truth::{self, Judgement, Truth, Verdict},
    },
    games::Player,
    tree::meta::Meta,
};

use super::{App, View};
use crate::tree::model::TreeModel;

/// Moves of an expected line that are shown at first.
const FIRST_STEPS: usize = 6;

/// What a key does in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyCommand {
    /// The expected lines a move further, or back.
    Step(i64),
}

/// What can be done in the view.
#[derive(Clone, Debug, PartialEq)]
pub enum WhyAction {
    /// Ask about a move of the root, by its row: the first or the second of the two.
    Choose(usize, usize),
    /// Show the expected lines after so many moves.
    ShowStep(usize),
}

/// One move of the root.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove {
    /// Its row.
    pub row: usize,
    /// As the file has it.
    pub name: String,
    /// As people read it.
    pub text: String,
    /// Its visits, of a classical search the nodes searched, and their part of all.
    pub visits: u64,
    /// The part of all visits, from 0 to 1.
    pub share: f64,
    /// What it is worth to the side to move.
    pub value: MoveValue,
    /// The same as text.
    pub value_text: String,
}

/// What the view shows of a tree.
pub struct WhyPage {
    model: Arc<TreeModel>,
    asked: [Option<String>; 2],
    has_answer: bool,
    truth_version: u64,
    has_lead: bool,
    /// The two moves and the sentences.
    pub explanation: Explanation,
    /// The sentences, with exact values where they are known.
    pub sentences: Vec<Sentence>,
    /// What exact values say.
    pub verdict: Option<Verdict>,
    /// Whether the search looks ahead to a depth.
    pub is_classical: bool,
    /// All moves of the root, the best first.
    pub moves: Vec<RootMove>,
    /// The side to move at the root.
    pub owner: Player,
    /// And its name.
    pub owner_name: &'static str,
}

/// What a journal says of two moves of a file's search.
struct KnownLead {
    path: PathBuf,
    moves: [String; 2],
    lead: Option<LeadChange>,
}

/// The state of the view.
#[derive(Default)]
pub struct WhyState {
    /// The moves that are asked about, as files have them; without the first the best, without the second the best two.
    asked: [Option<String>; 2],
    /// Moves of the expected lines that are made on the boards.
    step: Option<usize>,
    /// Why there is nothing to show, or what there is.
    page: Option<Result<WhyPage, String>>,
    /// The tree of a problem.
    problem_model: Option<Arc<TreeModel>>,
    lead: Option<KnownLead>,
    /// What the journal was asked for.
    lead_request: Option<(PathBuf, [String; 2])>,
}

impl WhyState {
    /// What is shown, or why there is nothing.
    pub fn page(&self) -> Option<Result<&WhyPage, &str>> {
        let page = self.page.as_ref()?;
        Some(page.as_ref().map_err(String::as_str))
    }

    /// The rows of the two moves.
    pub fn rows(&self) -> Option<[usize; 2]> {
        let page = self.page.as_ref()?.as_ref().ok()?;
        let [one, other] = &page.explanation.moves;
        Some([one.row, other.row])
    }

    /// Moves of the longer line, and how many are made on the boards.
    pub fn steps(&self) -> (usize, usize) {
        let page = self.page.as_ref().and_then(|page| page.as_ref().ok());
        let longest = page.map_or(0, |page| {
            let lines = page.explanation.moves.iter().map(|one| one.line.len());
            lines.max().unwrap_or(0)
        });
        (self.step.unwrap_or(FIRST_STEPS).min(longest), longest)
    }

    /// When the view needs another frame by itself.
    pub(super) fn due_at(&self) -> Option<Duration> {
        None
    }

    /// The state, for tests.
    pub(super) fn dump(&self) -> serde_json::Value {
        match &self.page {
            None => serde_json::Value::Null,
            Some(Err(problem)) => serde_json::json!({ "problem": problem }),
            Some(Ok(page)) => {
                let sentences = page.sentences.iter().map(|one| explain::sentence_text(one));
                let [one, other] = &page.explanation.moves;
                serde_json::json!({
                    "moves": [one.text, other.text],
                    "sentences": sentences.collect::<Vec<_>>(),
                    "verdict": page.verdict.as_ref().map(|verdict| &verdict.title),
                    "step": self.steps(),
                })
            }
        }
    }
}

impl App {
    /// Carries out an action in the view.
    pub(super) fn dispatch_why(&mut self, action: WhyAction) {
        match action {
            WhyAction::ShowStep(step) => self.why.step = Some(step),
            WhyAction::Choose(place, row) => {
                let Some(Ok(page)) = &self.why.page else {
                    return;
                };
                let Some(chosen) = page.moves.iter().find(|one| one.row == row) else {
                    return;
                };
                let mut asked = page.explanation.moves.clone().map(|one| one.name);
                let name = chosen.name.clone();
                // The same move twice: the two change places.
                if asked[1 - place.min(1)] == name {
                    asked.swap(0, 1);
                }
                asked[place.min(1)] = name;
                self.why.asked = asked.map(Some);
            }
        }
    }

    /// Makes what the view shows, if it is shown and something has changed.
    pub(super) fn update_why(&mut self) {
        if self.shown_view() != View::Why {
            return;
        }
        let Some(model) = self.document.model.clone() else {
            self.why.page = None;
            return;
        };
        let has_answer = self.document.timeline.shown_iteration.is_none() && !self.is_answer_held();
        let truth_version = match self.truth_mode() {
            super::TruthMode::Off => 0,
            _ => self.truth.version + 1,
        };
        let is_current = match &self.why.page {
            Some(Ok(page)) => {
                Arc::ptr_eq(&page.model, &model)
                    && page.asked == self.why.asked
                    && page.has_answer == has_answer
                    && page.truth_version == truth_version
                    && page.has_lead == self.lead_of(&page.explanation, has_answer).is_some()
            }
            Some(Err(_)) => {
                (self.why.problem_model.as_ref()).is_some_and(|known| Arc::ptr_eq(known, &model))
            }
            None => false,
        };
        if !is_current {
            self.why.problem_model = Some(Arc::clone(&model));
            self.why.page = Some(self.make_why_page(model, has_answer, truth_version));
        }
        self.request_lead(has_answer);
    }

    /// Asks why the best move and not the selected one, if a move of the root or what follows it is selected.
    pub(super) fn ask_about_selected(&mut self) {
        let (Some(model), Some(selected)) = (&self.document.model, self.navigation.selected) else {
            return;
        };
        if selected >= model.len() {
            return;
        }
        // A merged turn has the moves of several rows.
        let name = model
            .moves_to(selected)
            .first()
            .map(|&name| name.to_owned());
        if name.is_some() {
            self.why.asked = [None, name];
        }
    }

    /// Asks about two moves of the root, as files have them; without them about the best two.
    pub(super) fn ask_why(&mut self, moves: [Option<String>; 2]) {
        self.why.asked = moves;
    }

    /// What the journal has said of the two moves of an explanation.
    fn lead_of(&self, explanation: &Explanation, has_answer: bool) -> Option<&LeadChange> {
        let known = self.why.lead.as_ref().filter(|_| has_answer)?;
        let [one, other] = &explanation.moves;
        let is_this = self.document.shown_path.as_ref() == Some(&known.path)
            && known.moves == [one.name.clone(), other.name.clone()];
        known.lead.as_ref().filter(|_| is_this)
    }

    fn make_why_page(
        &self,
        model: Arc<TreeModel>,
        has_answer: bool,
        truth_version: u64,
    ) -> Result<WhyPage, String> {
        let told = |error: explain::ExplainError| error.to_string();
        let meta = model.meta.as_deref().map(|meta| match has_answer {
            true => meta.clone(),
            // At an earlier iteration nothing has been chosen.
            false => Meta {
                chosen: None,
                line: Vec::new(),
                ..meta.clone()
            },
        });
        let extra = model.extra.as_deref().map(Vec::as_slice);
        let facts = SearchFacts::new(&model.tree, meta.as_ref(), extra)
            .map_err(told)?
            .with_columns(model.columns_beside());
        let asked = self.why.asked.clone();
        // Another tree may not have the moves that were asked about in the last one.
        let best = || facts.ranked_moves().first().map(|&row| facts.name(row));
        let moves = match &asked {
            [Some(one), Some(other)] => Some([one.as_str(), other.as_str()]),
            [None, Some(other)] => best()
                .filter(|best| best != other)
                .map(|best| [best, other.as_str()]),
            [_, None] => None,
        };
        let explained = explain::explain(&facts, moves, None)
            .or_else(|_| explain::explain(&facts, None, None))
            .map_err(told)?;
        let lead = self.lead_of(&explained, has_answer);
        let names = explained.moves.clone().map(|one| one.name);
        let [one, other] = &names;
        let explanation = match lead {
            Some(_) => explain::explain(&facts, Some([one, other]), lead).map_err(told)?,
            None => explained,
        };
        let truth = self.why_truth(&model, &explanation, truth_version > 0);
        let verdict = truth::verdict(&facts, &explanation.moves, &truth);
        let mut sentences = explanation.sentences.clone();
        let exact = match &verdict {
            Some(_) => truth::sentences(&facts, &explanation.moves, &truth),
            None => Vec::new(),
        };
        if !exact.is_empty() {
            // They take the place of what the search expects.
            sentences.truncate(4_usize.saturating_sub(exact.len()));
            sentences.extend(exact);
        }
        let texts = facts.moves_of(0);
        let moves = (facts.ranked_moves().into_iter())
            .map(|row| {
                let text = texts.iter().find(|(known, _)| *known == row);
                let about = facts.move_facts(row);
                RootMove {
                    row,
                    name: about.name.clone(),
                    text: text.map_or_else(|| about.text.clone(), |(_, text)| text.clone()),
                    visits: about.visits,
                    share: about.share(),
                    value: about.value,
                    value_text: facts.value_text(about.value),
                }
            })
            .collect();
        let owner = facts.owner();
        let owner_name = facts.player_name(owner);
        let has_lead = lead.is_some();
        let is_classical = facts.is_classical();
        Ok(WhyPage {
            asked,
            has_answer,
            truth_version,
            has_lead,
            explanation,
            sentences,
            verdict,
            moves,
            owner,
            owner_name,
            is_classical,
            model,
        })
    }

    /// The exact values around the two moves, as far as they are known and shown.
    fn why_truth(&self, model: &TreeModel, explanation: &Explanation, is_shown: bool) -> Truth {
        if !is_shown {
            return Truth::default();
        }
        let of_row = |row: usize| {
            let node = model.find_row(row as u32)?;
            self.move_values(node).cloned()
        };
        let [one, other] = &explanation.moves;
        Truth {
            root: self.move_values(0).cloned(),
            replies: [of_row(one.row), of_row(other.row)],
        }
    }

    /// Asks the journal since when the first move is ahead, once.
    fn request_lead(&mut self, has_answer: bool) {
        let (Some(Ok(page)), Some(path)) = (&self.why.page, self.document.shown_path.clone())
        else {
            return;
        };
        let is_complete =
            (self.document.timeline.status.as_ref()).is_some_and(|status| status.ended.is_some());
        if !has_answer || !is_complete || page.model.is_classical() {
            return;
        }
        let moves = page.explanation.moves.clone().map(|one| one.name);
        let request = (path, moves);
        if self.why.lead_request.as_ref() != Some(&request) {
            self.document
                .replayer
                .find_lead(&request.0, request.1.clone());
            self.why.lead_request = Some(request);
        }
    }

    /// Takes in what the journal says of two moves.
    pub(super) fn take_lead(
        &mut self,
        path: PathBuf,
        moves: [String; 2],
        lead: Option<LeadChange>,
    ) {
        self.why.lead = Some(KnownLead { path, moves, lead });
    }

    /// What a move of the root leads to, for the side to move there, and what it does to the result; where exact values are shown
    /// and known.
    pub fn root_truth(&self, name: &str) -> Option<(ValueClass, Option<Judgement>)> {
        if self.truth_mode() == super::TruthMode::Off {
            return None;
        }
        let values = self.move_values(0)?;
        Some((
            truth::value_of(values, name)?.class,
            truth::judge(values, name),
        ))
    }
}
