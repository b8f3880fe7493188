//! The state of the view Steps: one iteration in its four phases.

use std::{path::PathBuf, sync::Arc, time::Duration};

use super::{App, View};
use crate::{
    tree::iteration::{IterationSteps, Phase},
    workers::steps::{StepsEvent, StepsSearch, StepsWorker},
};

pub use crate::workers::steps::StepsJournal;

/// Whether this program has the view.
pub(super) const EXISTS: bool = true;

/// Searches with more iterations begin with an early one, whose tree can be seen whole.
const MAX_ITERATIONS_TO_END: u32 = 200;
/// That early iteration.
const EARLY_ITERATION: u32 = 30;
/// Iterations of a search that is begun for the view.
const SEARCH_ITERATIONS: u32 = 60;

/// How fast the phases follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlowMotion {
    /// 2.4 seconds a stage.
    Quarter,
    /// 1.2 seconds.
    #[default]
    Half,
    /// 0.6 seconds.
    Full,
}

impl SlowMotion {
    /// All of them, the slowest first.
    pub const ALL: [Self; 3] = [Self::Quarter, Self::Half, Self::Full];

    /// As it is written on its button.
    pub fn label(self) -> &'static str {
        match self {
            Self::Quarter => "¼ ×",
            Self::Half => "½ ×",
            Self::Full => "1 ×",
        }
    }

    /// How long a stage is shown.
    pub fn stage_time(self) -> Duration {
        Duration::from_millis(match self {
            Self::Quarter => 2400,
            Self::Half => 1200,
            Self::Full => 600,
        })
    }
}

/// The state of the view.
#[derive(Default)]
pub struct StepsState {
    worker: Option<StepsWorker>,
    /// The tree file whose search is told.
    document: Option<PathBuf>,
    /// Its journal, or that of the search that was begun for the view.
    pub journal: Option<StepsJournal>,
    /// The iteration that is told.
    pub steps: Option<Arc<IterationSteps>>,
    /// How far it is told.
    pub stage: usize,
    /// The iteration that was asked for.
    wanted: Option<u32>,
    /// Where to begin with it when it comes.
    begins_at_end: bool,
    /// How fast it plays.
    pub speed: SlowMotion,
    /// When the next stage is due; none if it does not play.
    next_stage_at: Option<Duration>,
    /// Whether a search was begun for the view and is not over.
    pub is_searching: bool,
    /// Whether the journal is being opened.
    pub is_opening: bool,
    /// What went wrong.
    pub problem: Option<String>,
}

/// What a key does in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepsCommand {
    /// To the stage before.
    Back,
    /// To the next stage.
    On,
    /// To the next iteration.
    NextIteration,
    /// To the iteration before.
    PreviousIteration,
    /// Plays in slow motion, or pauses.
    Play,
}

/// What can be done in the view.
#[derive(Clone, Debug, PartialEq)]
pub enum StepsAction {
    /// Goes so many stages on; from the last one to the next iteration.
    Step(i32),
    /// Goes to a phase.
    GoTo(Phase),
    /// Tells another iteration, from its beginning.
    Iteration(u32),
    /// Plays, or pauses.
    Play(bool),
    /// Sets the speed.
    Speed(SlowMotion),
    /// Searches the position anew, with its playouts.
    Search,
}

impl StepsState {
    /// When the view needs another frame by itself.
    pub(super) fn due_at(&self) -> Option<Duration> {
        self.next_stage_at
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.next_stage_at.is_some()
    }

    /// The phase that is shown.
    pub fn phase(&self) -> Option<Phase> {
        Some(self.steps.as_ref()?.phase(self.stage))
    }

    /// The state, for tests.
    pub(super) fn dump(&self) -> serde_json::Value {
        serde_json::json!({
            "iteration": self.steps.as_ref().map(|steps| steps.iteration),
            "iterations": self.journal.as_ref().map(|journal| journal.iterations),
            "playouts": self.journal.as_ref().map(|journal| journal.playouts),
            "own": self.journal.as_ref().is_some_and(|journal| journal.is_own),
            "stage": self.stage,
            "stages": self.steps.as_ref().map(|steps| steps.stages()),
            "playing": self.is_playing(),
            "problem": self.problem,
        })
    }

    /// Forgets the search that was told.
    fn reset(&mut self) {
        *self = Self {
            worker: self.worker.take(),
            speed: self.speed,
            ..Self::default()
        };
    }

    /// Asks for an iteration.
    fn show_iteration(&mut self, iteration: u32, begins_at_end: bool) {
        let Some(journal) = &self.journal else { return };
        let iteration = iteration.clamp(1, journal.iterations.max(1));
        self.begins_at_end = begins_at_end;
        self.wanted = Some(iteration);
        if let Some(worker) = &self.worker {
            worker.show(iteration);
        }
    }

    fn take_steps(&mut self, steps: Arc<IterationSteps>) {
        if self.wanted != Some(steps.iteration) {
            return;
        }
        self.stage = match self.begins_at_end {
            true => steps.stages() - 1,
            false => 0,
        };
        self.steps = Some(steps);
        self.problem = None;
    }

    /// Goes so many stages on; false if there is nowhere to go.
    fn step(&mut self, by: i32) -> bool {
        let (Some(steps), Some(journal)) = (&self.steps, &self.journal) else {
            return false;
        };
        let (stages, iteration) = (steps.stages(), steps.iteration);
        match self.stage.checked_add_signed(by as isize) {
            Some(stage) if stage < stages => self.stage = stage,
            Some(_) if iteration < journal.iterations => self.show_iteration(iteration + 1, false),
            None if iteration > 1 => self.show_iteration(iteration - 1, true),
            _ => return false,
        }
        true
    }
}

impl App {
    /// Why the view cannot be shown just now.
    pub(super) fn steps_obstacle(&self) -> Option<&'static str> {
        let Some(model) = &self.document.model else {
            return Some("There is no search here yet whose iterations could be told.");
        };
        if model.is_classical() {
            return Some(
                "This search makes no iterations: the tree shows its windows and cut-offs.",
            );
        }
        match &model.meta {
            Some(meta) if !meta.game.is_empty() => None,
            _ => {
                Some("The file does not say which game this is, so its iterations cannot be told.")
            }
        }
    }

    /// Carries out an action in the view.
    pub(super) fn dispatch_steps(&mut self, action: StepsAction) {
        let now = self.now;
        let state = &mut self.steps;
        if !matches!(action, StepsAction::Play(_) | StepsAction::Speed(_)) {
            state.next_stage_at = None;
        }
        match action {
            StepsAction::Step(by) => {
                state.step(by);
            }
            StepsAction::GoTo(phase) => {
                if let Some(steps) = &state.steps {
                    state.stage = steps.stage_of(phase);
                }
            }
            StepsAction::Iteration(iteration) => state.show_iteration(iteration, false),
            StepsAction::Speed(speed) => {
                state.speed = speed;
                if state.is_playing() {
                    state.next_stage_at = Some(now + speed.stage_time());
                }
            }
            StepsAction::Play(plays) => {
                state.next_stage_at =
                    (plays && state.steps.is_some()).then(|| now + state.speed.stage_time());
            }
            StepsAction::Search => self.search_for_steps(),
        }
    }

    /// Has our own engine search the root position again, with its playouts.
    fn search_for_steps(&mut self) {
        let meta = self
            .document
            .model
            .as_ref()
            .and_then(|model| model.meta.clone());
        let (Some(meta), Some(worker)) = (meta, &self.steps.worker) else {
            return;
        };
        let parameters = meta.parameters.iter();
        let parameters: String = parameters
            .filter(|(name, _)| !matches!(name.as_str(), "threads" | "iterations"))
            .map(|(name, value)| format!(",{name}={value}"))
            .collect();
        worker.search(StepsSearch {
            engine: self.own_engine_command.clone(),
            game: meta.game.clone(),
            position: meta.position.clone(),
            search: format!("{}{parameters}", meta.search),
            iterations: SEARCH_ITERATIONS,
        });
        (self.steps.is_searching, self.steps.problem) = (true, None);
    }

    /// Takes in what background work has made.
    pub(super) fn update_steps(&mut self) {
        let events = self.steps.worker.as_ref().map(StepsWorker::take_events);
        if self.shown_view() != View::Steps {
            // The journal is not kept in memory for a view that is not looked at.
            if self.steps.document.is_some() {
                self.steps.reset();
                if let Some(worker) = &self.steps.worker {
                    worker.close();
                }
            }
            return;
        }
        for event in events.unwrap_or_default() {
            self.handle_steps_event(event);
        }
        self.open_steps_journal();
        while let Some(due) = self.steps.next_stage_at
            && self.now >= due
        {
            // While the next iteration is awaited, its first stage has not begun.
            let is_waiting =
                (self.steps.steps.as_ref().map(|steps| steps.iteration)) != self.steps.wanted;
            let has_more = is_waiting || self.steps.step(1);
            self.steps.next_stage_at = has_more.then(|| self.now + self.steps.speed.stage_time());
        }
    }

    fn handle_steps_event(&mut self, event: StepsEvent) {
        let target = self.document.timeline.target;
        let state = &mut self.steps;
        state.is_opening = false;
        match event {
            // Left over from before the view was closed.
            _ if state.document.is_none() => {}
            StepsEvent::Journal(journal) => {
                let is_new = state.journal.is_none() || (journal.is_own && state.is_searching);
                let end = journal.iterations;
                state.journal = Some(journal);
                if is_new {
                    state.is_searching = false;
                    let first = match target {
                        Some(target) => target,
                        None if end > MAX_ITERATIONS_TO_END => EARLY_ITERATION,
                        None => EARLY_ITERATION.min(end),
                    };
                    state.show_iteration(first, false);
                }
            }
            StepsEvent::NoJournal => state.journal = None,
            StepsEvent::Steps(steps) => state.take_steps(steps),
            StepsEvent::Failed(problem) => {
                (state.is_searching, state.next_stage_at) = (false, None);
                state.problem = Some(problem.clone());
                self.show_error(format!("The iterations cannot be told: {problem}."));
            }
        }
    }

    /// Opens the journal of the shown tree, if that is another one than before.
    fn open_steps_journal(&mut self) {
        let Some(path) = self.document.shown_path.clone() else {
            return;
        };
        if self.steps.document.as_ref() == Some(&path) {
            return;
        }
        let meta = self
            .document
            .model
            .as_ref()
            .and_then(|model| model.meta.clone());
        let Some(meta) = meta else { return };
        self.steps.reset();
        if self.steps.worker.is_none() {
            let limits = self.document.budget.journal_limits();
            self.steps.worker = StepsWorker::start(Arc::clone(&self.wake), limits).ok();
        }
        match &self.steps.worker {
            Some(worker) => {
                worker.open(&path, meta);
                self.steps.is_opening = true;
            }
            None => self.steps.problem = Some("there is no thread left for it".to_owned()),
        }
        self.steps.document = Some(path);
    }
}
