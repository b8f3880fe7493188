//! The viewer's state without a window. [`Document`] is what is shown, [`Navigation`] where the user looks, [`WatchedFolder`] where new
//! trees come from; [`App`] routes actions and events between them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use canopy_engine::games::notation::escape_invisible;

pub use self::{
    action::{Action, CopyTarget, Direction},
    compare::{CHILD_COUNTS as COMPARE_CHILD_COUNTS, CompareAction, CompareCommand, CompareState},
    document::Document,
    folder::WatchedFolder,
    followed_match::{FollowedMatch, ShownPosition},
    game::GameAction,
    lesson::{LessonAction, LessonState, TriedValue, fill_figures},
    navigation::Navigation,
    presenting::Presentation,
    steps::{SlowMotion, StepsAction, StepsCommand, StepsJournal, StepsState},
    timeline::{SPEEDS, Timeline},
    truth::{NodeTruth, TruthMode, TruthState},
    view::View,
    why::{RootMove, WhyAction, WhyCommand, WhyPage, WhyState},
};
use crate::{
    app::counters::Counters,
    draw::theme::Theme,
    play::{
        demo_match::{DemoMatch, own_engine_command},
        files,
        option_query::OptionQuery,
        session::GameSession,
        tournament::WindowTournament,
    },
    settings::ViewerSettings,
    system::wake::Wake,
    tree::{
        camera::{Camera, Canvas},
        scene::{Measure, RenderOptions},
    },
    workers::{render::SaveContent, thumbnails::Thumbnails},
};

mod action;
mod compare;
pub mod counters;
mod document;
mod dump;
mod folder;
mod followed_match;
mod game;
mod held_answer;
mod lesson;
mod navigation;
mod opening;
mod options;
mod presenting;
mod readable;
mod saving;
mod steps;
#[cfg(test)]
mod tests;
mod timeline;
mod tournament;
mod truth;
mod view;
mod why;

/// How long a message that is not an error is shown.
const MESSAGE_DURATION: Duration = Duration::from_secs(6);

/// The line at the bottom of the window.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusMessage {
    /// The sentence.
    pub text: String,
    /// An error stays until it is dismissed or out of date.
    pub is_error: bool,
    /// When it appeared, in [`App::now`]'s time.
    pub shown_at: Duration,
}

/// The viewer's state, independent of any window. It routes actions and events between what is shown, where the user looks, the
/// watched folder and the game that is played.
pub struct App {
    /// What is shown.
    pub document: Document,
    /// Where the user looks.
    pub navigation: Navigation,
    /// The view that was chosen; [`Self::shown_view`] is what is shown.
    view: View,
    /// The state of the view Why.
    pub why: WhyState,
    /// Exact values of the shown tree's moves.
    pub truth: TruthState,
    /// The state of the view Steps.
    pub steps: StepsState,
    /// The state of the view Compare.
    pub compare: CompareState,
    /// The lesson that is taken.
    pub lesson: Option<LessonState>,
    /// The folder whose new trees appear.
    pub folder: WatchedFolder,
    /// The match that is followed in that folder.
    pub followed_match: Option<FollowedMatch>,
    /// What is remembered from one start to the next.
    pub settings: ViewerSettings,
    /// Whether the window is shown to an audience.
    pub presentation: Presentation,
    /// How long a new tree takes to grow on the screen; `None` shows it at once.
    pub growth_animation: Option<Duration>,
    /// A match that this window has started.
    demo_match: Option<DemoMatch>,
    /// The game that is played in this window.
    pub session: Option<GameSession>,
    /// The tournament that the game belongs to.
    tournament: Option<WindowTournament>,
    /// A program that is asked for its options.
    pub option_query: Option<OptionQuery>,
    /// The command that starts our engine.
    pub own_engine_command: Vec<String>,
    /// Where games played in this window are recorded; `None` if they are not.
    pub records_directory: Option<PathBuf>,
    /// The line at the bottom.
    pub message: Option<StatusMessage>,
    /// Time since the program began.
    pub now: Duration,
    /// What to save when the next frame is drawn, and where.
    pub pending_save: Option<(PathBuf, SaveContent)>,
    /// A text for the clipboard.
    pub clipboard_text: Option<String>,
    /// Small pictures for the start screen.
    pub thumbnails: Thumbnails,
    /// Frame statistics.
    pub counters: Counters,
    /// Set to close the window.
    pub is_closing: bool,
    wake: Wake,
}

impl App {
    /// An app with nothing open; background threads call `wake` when there is something for [`Self::update`].
    pub fn new(settings: ViewerSettings, wake: Wake) -> std::io::Result<Self> {
        Ok(Self {
            document: Document::new(&settings, &wake)?,
            navigation: Navigation::default(),
            view: View::default(),
            why: WhyState::default(),
            truth: TruthState::default(),
            steps: StepsState::default(),
            compare: CompareState::default(),
            lesson: None,
            folder: WatchedFolder::default(),
            followed_match: None,
            settings,
            presentation: Presentation::default(),
            growth_animation: None,
            demo_match: None,
            session: None,
            tournament: None,
            option_query: None,
            own_engine_command: own_engine_command(),
            records_directory: files::games_directory(),
            message: None,
            now: Duration::ZERO,
            pending_save: None,
            clipboard_text: None,
            thumbnails: Thumbnails::new(Arc::clone(&wake)),
            counters: Counters::default(),
            is_closing: false,
            wake,
        })
    }

    /// Bytes in use by trees and journals, and the most they may use.
    pub fn memory(&self) -> (usize, usize) {
        self.document.memory()
    }

    /// When an incomplete file is read again.
    pub fn retry_at(&self) -> Option<Duration> {
        self.document.retry_at()
    }

    /// The camera for a frame of this size; `None` if there is no tree.
    pub fn update_camera(&mut self, canvas: Canvas) -> Option<Camera> {
        let model = self.document.model.as_ref()?;
        Some(self.navigation.update_camera(model, canvas))
    }

    /// Colours and shapes of nodes and edges.
    pub fn look(&self) -> RenderOptions {
        let mut look = self.settings.look();
        look.shows_line = !self.hides_answer();
        let column = (self
            .settings
            .measured_column()
            .zip(self.document.model.as_ref()))
        .and_then(|(name, model)| {
            let mut columns = model.columns().iter();
            columns.position(|column| column.name == name)
        });
        if let Some(index) = column {
            look.scale.measure = Measure::Column(index);
        }
        let has_proofs = (self.document.model.as_ref()).is_some_and(|model| model.has_proofs());
        if look.scale.measure == Measure::Proof && !has_proofs {
            look.scale.measure = Measure::Visits;
        }
        look
    }

    /// The current theme.
    pub fn theme(&self) -> Theme {
        self.settings.theme()
    }

    /// When the message disappears by itself.
    pub fn message_expires_at(&self) -> Option<Duration> {
        let message = self.message.as_ref().filter(|message| !message.is_error)?;
        Some(message.shown_at + MESSAGE_DURATION)
    }

    /// Shows a message at the bottom for a while.
    pub fn show_message(&mut self, text: impl Into<String>) {
        self.message = Some(StatusMessage {
            text: text.into(),
            is_error: false,
            shown_at: self.now,
        });
    }

    fn show_error(&mut self, text: impl Into<String>) {
        self.message = Some(StatusMessage {
            text: text.into(),
            is_error: true,
            shown_at: self.now,
        });
    }

    /// Takes in the events of background threads, and does what is due at `now`.
    pub fn update(&mut self, now: Duration) {
        self.now = now;
        if self.message_expires_at().is_some_and(|end| now >= end) {
            self.message = None;
        }
        for event in self.folder.take_events() {
            self.handle_watch_event(event);
        }
        if let Some(problem) = self.demo_match.as_mut().and_then(DemoMatch::take_error) {
            self.show_error(problem);
        }
        self.update_game();
        self.update_option_query();
        for event in self.document.loader.take_events() {
            self.handle_loader_event(event);
        }
        for event in self.document.replayer.take_events() {
            self.handle_replay_event(event);
        }
        if self.retry_at().is_some_and(|at| now >= at) {
            self.request_trees();
        }
        for gone in self.thumbnails.poll() {
            self.settings.recent.retain(|path| *path != gone);
        }
        self.advance_replay();
        self.select_chosen_move();
        self.update_shown_state();
        self.update_views();
        self.update_lesson();
        self.navigation.advance_flight(now);
    }

    /// Whether the start screen is shown: nothing is open, played or waited for.
    pub fn is_at_start(&self) -> bool {
        self.document.model.is_none()
            && self.document.sequence.is_empty()
            && self.session.is_none()
            && self.lesson.is_none()
            && self.followed_match.is_none()
    }

    /// The parent of the selected node; none at the root and where there is no tree.
    pub fn parent_of_focused(&self) -> Option<usize> {
        let model = self.document.model.as_ref()?;
        let node = self.navigation.focused_node();
        let parent = *model.parents.get(node)?;
        Some(parent as usize)
    }

    /// The moves from the root to the selected node.
    pub fn moves_to_selected(&self) -> Option<Vec<String>> {
        let model = self.document.model.as_ref()?;
        let node = self.navigation.selected?;
        Some(
            model
                .moves_to(node)
                .into_iter()
                .map(str::to_owned)
                .collect(),
        )
    }

    /// Carries out an action.
    pub fn dispatch(&mut self, action: Action) {
        match action.with_absolute_paths() {
            Action::Open(paths) => match paths.as_slice() {
                [path] if files::is_game_file(path) => self.load_game(path),
                _ => self.open(&paths),
            },
            Action::FollowMatch { directory, exit } => self.follow_match(directory, exit),
            Action::ShowView(view) => self.show_view(view),
            Action::ShowTruth(mode) => self.set_truth_mode(mode),
            Action::NextMistake => self.go_to_next_mistake(),
            Action::Why(action) => self.dispatch_why(action),
            Action::Steps(action) => self.dispatch_steps(action),
            Action::Compare(action) => self.dispatch_compare(action),
            Action::Lesson(action) => self.dispatch_lesson(action),
            Action::GoToMove(index) => self.go_to_move(index),
            Action::GoToLatest => {
                self.select(None);
                self.follow_newest(true);
            }
            Action::StepTree(by) => {
                let to = self.document.sequence.index() as i64 + by;
                if let Ok(to) = usize::try_from(to) {
                    self.go_to_index(to);
                }
            }
            Action::JumpToTree(text) => self.jump_to_tree(&text),
            Action::FollowNewest(follow) => self.follow_newest(follow),
            Action::Save(path, scale) => self.save(&path, scale),
            Action::SaveFigure(path, words) => self.save_figure(&path, words),
            Action::Copy(what) => self.copy(what),
            Action::Present(begins) => self.present(begins),
            Action::SwitchTheme => self.settings.dark = !self.settings.dark,
            Action::SetMemory { megabytes, cache } => {
                (self.settings.memory, self.settings.cache) = (megabytes, cache);
                self.document.apply_budget(&self.settings);
            }
            Action::Scrub { to, moving } => self.scrub(to, moving),
            Action::StepIteration(by) => {
                let to = i64::from(self.document.timeline.position()) + by;
                self.scrub(to.clamp(0, i64::from(u32::MAX)) as u32, false);
            }
            Action::Play(plays) => self.set_playing(plays),
            Action::Speed(speed) => self.set_speed(speed),
            Action::ShowEnd => self.show_end(),
            Action::StartDemoMatch(config) => self.start_demo_match(&config),
            Action::StartTournament { config, out, exit } => {
                self.start_tournament(&config, out.as_deref(), exit);
            }
            Action::StartGame(config) => {
                self.tournament = None;
                self.start_game(*config);
            }
            Action::GoHome => self.go_home(),
            Action::QueryOptions(side) => self.query_options(side),
            Action::Game(game_action) => self.dispatch_game_action(game_action),
            Action::LoadGame(path) => self.load_game(&path),
            Action::ShowError(problem) => self.show_error(problem),
            Action::Quit => self.is_closing = true,
            action => self.dispatch_in_tree(action),
        }
    }

    /// Carries out an action on the camera, the selection or the filter.
    fn dispatch_in_tree(&mut self, action: Action) {
        let navigation = &mut self.navigation;
        match action {
            Action::FitTree => return navigation.fit_tree(),
            Action::Zoom(factor, at) => return navigation.zoom(factor, at),
            Action::Pan(dx, dy) => return navigation.pan(dx, dy),
            Action::Select(node) => return self.select(node),
            Action::StepHistory(by) => {
                return navigation.step_history(self.document.model.as_deref(), by);
            }
            Action::ToggleCollapsed => return self.document.toggle_collapsed(navigation),
            Action::Filter(filter) => return self.set_filter(filter),
            Action::ToggleReadable => return self.toggle_readable(),
            Action::OpenFold { node, all_below } => {
                return self.document.open_fold(node, all_below, navigation);
            }
            _ => {}
        }
        let Some(model) = self.document.model.as_deref() else {
            return;
        };
        match action {
            Action::FitSelected => navigation.fit_selected(model),
            Action::GoToNode(node) => navigation.fly_to_node(model, node, self.now),
            Action::CentreOn(across, down) => navigation.centre_on(model, across, down),
            Action::Click(x, y) => navigation.click(model, x, y),
            Action::MoveSelection(direction) => navigation.move_selection(model, direction),
            Action::Find(text) => {
                if let Err(problem) = navigation.find(model, &text) {
                    self.show_error(problem);
                }
            }
            _ => {}
        }
    }

    fn select(&mut self, node: Option<usize>) {
        let node_count = (self.document.model.as_ref()).map_or(0, |model| model.len());
        self.navigation.select(node_count, node);
    }

    /// Shows new trees as they appear, or not; if so, goes to the last one.
    fn follow_newest(&mut self, follow: bool) {
        self.folder.is_following_newest = follow;
        let sequence = &mut self.document.sequence;
        if follow && !sequence.is_empty() {
            sequence.go_to(sequence.len() - 1);
            self.request_trees();
        }
    }
}

/// A file's name with invisible characters escaped, for display.
pub fn display_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    escape_invisible(&name.to_string_lossy()).into_owned()
}
