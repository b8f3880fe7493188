//! A lesson that is taken: its step, the search beside it, and what was tried.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use canopy_engine::explain::ValueClass;

use super::{App, View};
use crate::{
    play::{
        lesson::{Lesson, LessonStep, MoveResult},
        search_run::{SearchOrder, SearchRun},
    },
    tree::{model::TreeModel, scene::format_thousands, value_text::percent},
};

/// What a value of a step's slider led to.
#[derive(Clone, Debug, PartialEq)]
pub struct TriedValue {
    /// The value.
    pub value: f64,
    /// The moves of the root with their shares of the visits, in the order of the tree.
    pub shares: Vec<(String, f64)>,
    /// The move that was chosen.
    pub chosen: String,
}

/// A lesson that is taken.
pub struct LessonState {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// The step, counted from 0.
    pub step: usize,
    /// The value of the step's slider.
    pub value: Option<f64>,
    /// What was answered in this step.
    pub answer: Option<usize>,
    /// What the values of the slider led to that were tried, in order.
    pub tried: Vec<TriedValue>,
    /// Why there is no tree.
    pub problem: Option<String>,
    /// The search that runs.
    run: Option<SearchRun>,
    /// What it searches, and what is shown.
    order: Option<SearchOrder>,
    /// Searches whose files are shown, or may still be read.
    kept: Vec<(SearchRun, PathBuf)>,
}

/// What can be done in a lesson.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonAction {
    /// Take a lesson, from where it was left.
    Begin(Arc<Lesson>),
    /// Take the lesson of a file.
    Open(PathBuf),
    /// Go so many steps on or back.
    Turn(i64),
    /// Set the slider, by the place of its value.
    Slide(usize),
    /// Answer the question.
    Answer(usize),
}

impl LessonState {
    /// The step that is read.
    pub fn part(&self) -> &LessonStep {
        &self.lesson.steps[self.step]
    }

    /// Whether the search of this step runs.
    pub fn is_searching(&self) -> bool {
        self.run.is_some()
    }

    /// Whether it is the last step.
    pub fn is_last(&self) -> bool {
        self.step + 1 == self.lesson.steps.len()
    }

    fn keeps(&self, path: &Path) -> bool {
        self.kept.iter().any(|(_, kept)| kept == path)
    }
}

/// A text with its figures filled in from a tree; "…" where there is none yet.
pub fn fill_figures(text: &str, model: Option<&TreeModel>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let figure = model.and_then(|model| figure(name, model));
        out.push_str(&figure.unwrap_or_else(|| "…".to_owned()));
        rest = behind;
    }
    out + rest
}

/// A figure of a tree by its name: "nodes", "iterations", "chosen", "visits:4", "share:4", "value:4".
fn figure(name: &str, model: &TreeModel) -> Option<String> {
    let meta = model.meta.as_ref()?;
    let chosen = meta.chosen.clone()?;
    let (name, mv) = name.split_once(':').unwrap_or((name, ""));
    let mv = if mv == "chosen" { &chosen } else { mv };
    let row = || (model.child_rows(0).into_iter()).find(|&row| model.tree.move_name(row) == mv);
    let node = || row().map(|row| &model.tree.nodes()[row]);
    let visits = |count: i32| u64::from(count.max(0).unsigned_abs());
    Some(match name {
        "nodes" => format_thousands(model.tree.nodes().len() as u64 + model.left_out),
        "iterations" => format_thousands(meta.iterations),
        "chosen" => chosen.clone(),
        "visits" => format_thousands(visits(node()?.visits)),
        "share" => {
            let total = model.visits_below(0);
            percent(visits(node()?.visits) as f64 / total.max(1) as f64, 0)
        }
        // The mean of a move is that of the side that makes it.
        "value" => percent(node()?.mean, 0),
        _ => return None,
    })
}

impl App {
    pub(super) fn dispatch_lesson(&mut self, action: LessonAction) {
        match action {
            LessonAction::Begin(lesson) => self.begin_lesson(lesson),
            LessonAction::Open(path) => match Lesson::read(&path) {
                Ok(lesson) => self.begin_lesson(Arc::new(lesson)),
                Err(problem) => self.show_error(problem),
            },
            LessonAction::Turn(by) => self.turn_lesson(by),
            LessonAction::Slide(index) => {
                let Some(state) = &mut self.lesson else {
                    return;
                };
                let slider = state.part().slider.as_ref();
                if let Some(value) = slider.and_then(|slider| slider.values.get(index)).copied() {
                    state.value = Some(value);
                    self.search_for_lesson();
                }
            }
            LessonAction::Answer(index) => {
                if let Some(state) = &mut self.lesson {
                    state.answer = Some(index);
                }
            }
        }
    }

    fn begin_lesson(&mut self, lesson: Arc<Lesson>) {
        let kept = self
            .settings
            .lessons
            .get(&lesson.name)
            .copied()
            .unwrap_or_default();
        // A lesson that was taken to its end begins anew.
        let step = if kept.is_done { 0 } else { kept.step };
        let step = step.min(lesson.steps.len().saturating_sub(1));
        self.session = None;
        self.view = View::Tree;
        self.lesson = Some(LessonState {
            lesson,
            step,
            value: None,
            answer: None,
            tried: Vec::new(),
            problem: None,
            run: None,
            order: None,
            kept: Vec::new(),
        });
        self.enter_step();
    }

    fn turn_lesson(&mut self, by: i64) {
        let Some(state) = &mut self.lesson else {
            return;
        };
        let to = state.step as i64 + by;
        if to < 0 {
            return;
        }
        if to as usize >= state.lesson.steps.len() {
            let name = state.lesson.name.clone();
            self.settings.lessons.entry(name).or_default().is_done = true;
            return self.go_home();
        }
        state.step = to as usize;
        self.enter_step();
    }

    /// The step has changed: its place is kept, and its search runs.
    fn enter_step(&mut self) {
        let Some(state) = &mut self.lesson else {
            return;
        };
        (state.answer, state.problem) = (None, None);
        state.tried.clear();
        state.value = state.part().slider.as_ref().map(|slider| slider.start);
        let place = self
            .settings
            .lessons
            .entry(state.lesson.name.clone())
            .or_default();
        place.step = state.step;
        self.search_for_lesson();
    }

    /// Runs the search of the step, unless it is shown already.
    fn search_for_lesson(&mut self) {
        let Some(state) = &mut self.lesson else {
            return;
        };
        let order = state.lesson.order(state.step, state.value);
        if state.order.as_ref() == Some(&order) {
            return;
        }
        match SearchRun::start(&order, &self.own_engine_command, Arc::clone(&self.wake)) {
            Ok(run) => {
                state.problem = None;
                state.run = Some(run);
                state.order = Some(order);
            }
            Err(problem) => state.problem = Some(problem),
        }
    }

    /// Takes in a search that has ended.
    pub(super) fn update_lesson(&mut self) {
        let Some(state) = &mut self.lesson else {
            return;
        };
        let Some(result) = state.run.as_mut().and_then(SearchRun::poll) else {
            return self.note_tried_value();
        };
        let run = state.run.take();
        match (result, run) {
            (Ok(path), Some(run)) => {
                // What is shown may be read until the next one is there.
                state.kept.push((run, path.clone()));
                let spare = state.kept.len().saturating_sub(2);
                state.kept.drain(..spare);
                self.document.loader.list(vec![path]);
            }
            (Err(problem), _) => {
                state.order = None;
                state.problem = Some(problem);
            }
            (Ok(_), None) => {}
        }
    }

    /// Notes what the value of the slider led to, once its tree is there.
    fn note_tried_value(&mut self) {
        let Some(state) = &mut self.lesson else {
            return;
        };
        let (Some(value), Some(model)) = (state.value, &self.document.full_model) else {
            return;
        };
        let is_shown = (state.kept.last().zip(self.document.shown_path.as_ref()))
            .is_some_and(|((_, path), shown)| path == shown);
        let is_known = state.tried.iter().any(|tried| tried.value == value);
        if !is_shown || is_known || state.run.is_some() {
            return;
        }
        let total = model.visits_below(0).max(1) as f64;
        let rows = model.child_rows(0);
        let share = |row: usize| f64::from(model.tree.nodes()[row].visits.max(0)) / total;
        let name = |row: usize| model.tree.move_name(row).to_owned();
        state.tried.push(TriedValue {
            value,
            shares: rows
                .into_iter()
                .map(|row| (name(row), share(row)))
                .collect(),
            chosen: (model.meta.as_ref())
                .and_then(|meta| meta.chosen.clone())
                .unwrap_or_default(),
        });
        state
            .tried
            .sort_by(|one, other| one.value.total_cmp(&other.value));
    }

    /// The tree of the step, once it is shown; figures of another one would be wrong.
    pub fn lesson_model(&self) -> Option<Arc<TreeModel>> {
        let state = self.lesson.as_ref().filter(|state| state.run.is_none())?;
        let (_, path) = state.kept.last()?;
        let is_shown = self.document.shown_path.as_ref() == Some(path);
        self.document.full_model.clone().filter(|_| is_shown)
    }

    /// The nodes of the root's moves whose results with best play the step states, for the side to move; empty while another tree than
    /// the step's is shown.
    pub fn lesson_results(&self, model: &TreeModel) -> Vec<(usize, ValueClass)> {
        let Some(state) = self
            .lesson
            .as_ref()
            .filter(|_| self.lesson_model().is_some())
        else {
            return Vec::new();
        };
        let results = &state.part().results;
        if results.is_empty() {
            return Vec::new();
        }
        (model.children_of(0))
            .filter_map(|node| {
                let class = match results.get(model.tree.move_name(model.row(node)))? {
                    MoveResult::Wins => ValueClass::Win,
                    MoveResult::Draws => ValueClass::Draw,
                    MoveResult::Loses => ValueClass::Loss,
                };
                Some((node, class))
            })
            .collect()
    }

    /// Whether a file belongs to a search that this window has started, and goes with it.
    pub(super) fn is_own_search(&self, path: &Path) -> bool {
        let is_lesson = self.lesson.as_ref().is_some_and(|state| state.keeps(path));
        is_lesson || self.compare.keeps(path)
    }

    /// The state of the lesson, for tests.
    pub(super) fn dump_lesson(&self) -> serde_json::Value {
        let Some(state) = &self.lesson else {
            return serde_json::Value::Null;
        };
        serde_json::json!({
            "name": state.lesson.name,
            "step": state.step + 1,
            "searching": state.is_searching(),
            "value": state.value,
            "tried": state.tried.iter().map(|tried| (tried.value, tried.chosen.as_str())).collect::<Vec<_>>(),
            "problem": state.problem,
        })
    }
}

#[cfg(test)]
mod tests {
    use canopy_engine::tree::{Tree, TreeRow, meta::Meta};

    use super::*;
    use crate::tree::model::ModelSource;

    #[test]
    fn figures_are_those_of_the_tree() {
        let rows = [("", 100, 0.5, 2), ("3", 25, 0.4, 0), ("4", 75, 0.6, 0)];
        let rows =
            rows.map(|(name, visits, mean, children)| TreeRow::new(name, visits, mean, children));
        let model = TreeModel::new(ModelSource {
            meta: Some(Arc::new(Meta {
                chosen: Some("4".to_owned()),
                iterations: 1234,
                ..Meta::default()
            })),
            ..ModelSource::of(Tree::from_rows(rows).expect("a whole tree"))
        });
        let told = |text: &str| fill_figures(text, Some(&model));
        assert_eq!(told("{nodes} of {iterations}"), "3 of 1,234");
        assert_eq!(told("{chosen}: {visits:chosen}, {share:3}"), "4: 75, 25 %");
        assert_eq!(told("{value:4} {unknown} {open"), "60 % … {open");
        assert_eq!(fill_figures("{nodes} dots", None), "… dots");
    }
}
