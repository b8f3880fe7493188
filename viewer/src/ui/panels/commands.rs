//! What the keys of [`keys::BINDINGS`] do.

use egui::{FocusDirection, Popup, Ui};

use super::{LEFT, Panels, RIGHT, settings_window::SettingsWindow, toolbar};
use crate::{
    app::{Action, App, CopyTarget, Direction, GameAction, LessonAction},
    ui::keys::{self, Command, KeyState},
};

/// Factor of one step of the zoom keys.
const ZOOM_STEP: f64 = 1.25;

impl Panels {
    /// Carries out the keys of this frame.
    pub(super) fn handle_keys(&mut self, app: &mut App, ui: &Ui, actions: &mut Vec<Action>) {
        let state = self.key_state(app, ui);
        for command in keys::take_commands(ui.ctx(), state) {
            if state == KeyState::Page {
                self.run_in_page(command);
            }
            match command {
                Command::Close => self.close_topmost(app, ui, actions),
                Command::Controls => {
                    ui.memory_mut(|memory| memory.move_focus(FocusDirection::Next));
                }
                _ if state == KeyState::Page => self.run_always(app, command, actions),
                _ => self.run_command(app, command, actions),
            }
        }
    }

    /// Which keys are heeded now.
    fn key_state(&self, app: &App, ui: &Ui) -> KeyState {
        let is_asked =
            self.dialog.is_some() || self.settings_window.is_some() || self.pending_leave.is_some();
        if ui.ctx().text_edit_focused() {
            KeyState::Typing
        } else if self.rules.is_open() || self.help.is_open() {
            KeyState::Page
        } else if is_asked {
            KeyState::Dialog
        } else if !app.is_at_start() {
            KeyState::Tree {
                nodes: app.document.model.is_some(),
                replay: app.document.timeline.status.is_some(),
                follow: app.folder.directory.is_some(),
                game: app.session.is_some(),
                lesson: app.lesson.is_some(),
                view: app.shown_view(),
            }
        } else if self.start.shows_cards() {
            KeyState::Start
        } else {
            KeyState::Empty
        }
    }

    /// Whether nothing lies over the window.
    pub(super) fn is_alone(&self) -> bool {
        self.dialog.is_none()
            && !self.help.is_open()
            && self.settings_window.is_none()
            && !self.rules.is_open()
    }

    /// Scrolls or closes the page that lies on top.
    fn run_in_page(&mut self, command: Command) {
        match (self.rules.is_open(), command) {
            (true, Command::Rules) => self.rules.close(),
            (true, _) => self.rules.scroll.run(command),
            (false, Command::Help) => self.help.close(),
            (false, _) => self.help.scroll.run(command),
        }
    }

    /// Closes what lies on top: a list, a page, a dialog, a question; else leaves a form and puts messages away.
    fn close_topmost(&mut self, app: &mut App, ui: &Ui, actions: &mut Vec<Action>) {
        // Menus close by themselves.
        if Popup::is_any_open(ui.ctx()) || self.is_more_open {
            return;
        }
        if self.rules.is_open() {
            self.rules.close();
            self.start.focus_first_card();
        } else if self.help.is_open() {
            self.help.close();
        } else if self.dialog.take().is_some()
            || self.settings_window.take().is_some()
            || self.pending_leave.take().is_some()
            || self.was_typing
        {
            // A text field loses the focus by itself.
        } else {
            if app.is_at_start() {
                self.start.go_back();
            } else if app.lesson.is_some() {
                actions.push(Action::GoHome);
            }
            app.message = None;
            actions.extend(app.is_presenting().then_some(Action::Present(false)));
            if app.session.is_some() {
                actions.push(Action::Game(GameAction::ClearClicks));
            }
        }
    }

    /// Carries out a command that every state has.
    fn run_always(&self, app: &mut App, command: Command, actions: &mut Vec<Action>) {
        match command {
            Command::Quit => actions.push(Action::Quit),
            Command::LargerText => app.settings.step_text_size(1),
            Command::SmallerText => app.settings.step_text_size(-1),
            Command::UsualText => app.settings.step_text_size(0),
            _ => {}
        }
    }

    fn run_command(&mut self, app: &mut App, command: Command, actions: &mut Vec<Action>) {
        match command {
            Command::Help => self.help.open(),
            Command::Rules if app.is_at_start() => self.rules.open(self.start_game(app)),
            Command::Rules => self.open_rules(app),
            Command::Settings => self.settings_window = Some(SettingsWindow::new(app)),
            Command::Open => self.open_open_dialog(app),
            Command::Save if app.document.model.is_some() => self.open_save_dialog(app),
            Command::Show(view) => actions.push(Action::ShowView(view)),
            Command::Why(command) => self.run_why_command(app, command, actions),
            Command::Steps(command) => self.run_steps_command(app, command, actions),
            Command::Compare(command) => self.run_compare_command(app, command, actions),
            Command::TurnLesson(by) => actions.push(Action::Lesson(LessonAction::Turn(by))),
            Command::Watch => actions.push(super::start_screen::watch_action(app)),
            Command::Play => actions.push(super::start_screen::play_action(app)),
            Command::GoToTree => self.focuses_jump_field = true,
            Command::Find => self.focuses_find_field = true,
            Command::TypeMove => self.play.focus_move_field(),
            Command::NextColouring => toolbar::next_colouring(app),
            Command::Readable if app.reveal_answer() => {}
            Command::Legend => app.settings.legend ^= true,
            Command::FoldLeftPanel => app.settings.folded[LEFT] ^= true,
            Command::FoldRightPanel => app.settings.folded[RIGHT] ^= true,
            _ => {
                self.run_always(app, command, actions);
                actions.extend(action_of(app, command));
            }
        }
    }
}

/// The action of a command that is one and nothing else.
fn action_of(app: &App, command: Command) -> Option<Action> {
    let game = |action: GameAction| Some(Action::Game(action));
    match command {
        Command::SwitchTheme => Some(Action::SwitchTheme),
        Command::Truth => Some(Action::ShowTruth(app.truth_mode().next())),
        Command::NextMistake => Some(Action::NextMistake),
        Command::PreviousTree => Some(Action::StepTree(-1)),
        Command::NextTree => Some(Action::StepTree(1)),
        Command::FollowNewest => Some(Action::FollowNewest(!app.folder.is_following_newest)),
        Command::Parent => Some(Action::MoveSelection(Direction::Up)),
        Command::Child => Some(Action::MoveSelection(Direction::Down)),
        Command::PreviousSibling => Some(Action::MoveSelection(Direction::Left)),
        Command::NextSibling => Some(Action::MoveSelection(Direction::Right)),
        Command::Back => Some(Action::StepHistory(-1)),
        Command::Forward => Some(Action::StepHistory(1)),
        Command::FitNode => Some(Action::FitSelected),
        Command::FitParent => Some(Action::GoToNode(app.parent_of_focused()?)),
        Command::WholeTree => Some(Action::FitTree),
        Command::ZoomIn => Some(Action::Zoom(ZOOM_STEP, None)),
        Command::ZoomOut => Some(Action::Zoom(1.0 / ZOOM_STEP, None)),
        Command::Fold => Some(Action::ToggleCollapsed),
        Command::Readable => Some(Action::ToggleReadable),
        Command::Present => Some(Action::Present(!app.is_presenting())),
        Command::BestChildren => Some(Action::Filter(toolbar::next_best_children(app)?)),
        Command::CopyLine => Some(Action::Copy(CopyTarget::MovesToNode)),
        Command::CopyPosition => Some(Action::Copy(CopyTarget::Position)),
        Command::CopyFigures => Some(Action::Copy(CopyTarget::Statistics)),
        Command::PlayReplay => Some(Action::Play(!app.document.timeline.is_playing())),
        Command::PreviousIteration => Some(Action::StepIteration(-1)),
        Command::NextIteration => Some(Action::StepIteration(1)),
        Command::HundredBack => Some(Action::StepIteration(-100)),
        Command::HundredOn => Some(Action::StepIteration(100)),
        Command::ShowEnd => Some(Action::ShowEnd),
        Command::Undo => game(GameAction::Undo),
        Command::SingleMove => game(GameAction::SingleMove),
        Command::PreviousPly => game(GameAction::StepPly(-1)),
        Command::NextPly => game(GameAction::StepPly(1)),
        Command::PauseGame => game(GameAction::Pause(!app.session.as_ref()?.is_paused)),
        _ => None,
    }
}
