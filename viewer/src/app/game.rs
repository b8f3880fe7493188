//! The game that is played in the window: clicks of people, moves of engines, and the trees that engines write.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use canopy_engine::{
    arena::engine_config::{EngineConfig, EngineProtocol},
    games,
    tree::meta,
};
use serde_json::{Value, json};

use super::{App, FollowedMatch};
use crate::{
    board::BoardPlace,
    play::{
        GameConfig,
        engine_handle::{EngineEvent, EngineHandle},
        files,
        game_state::{ClickOutcome, Turn},
        session::{ANALYST_SEED_INDEX, DelayedMove, EngineFailure, FRAME_INTERVAL, GameSession},
    },
    tree::sequence::Sequence,
    workers::watch::WatchScope,
};

/// Pause before the next game of a series, in addition to the least time of a move.
const NEXT_GAME_DELAY: Duration = Duration::from_secs(2);
/// The same in a tournament in which a person has played, who wants to see the end.
const NEXT_GAME_DELAY_OF_PEOPLE: Duration = Duration::from_secs(6);
/// Length of the growth animation of a new tree.
const GAME_GROWTH_DURATION: Duration = Duration::from_millis(1500);
/// How long the move of an engine waits for its tree to appear, beside the time in which that grows.
const TREE_TIMEOUT: Duration = Duration::from_millis(700);
/// Time for engines to quit when the window closes.
const ENGINE_SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(1200);

/// What a person does with the game.
#[derive(Clone, Debug, PartialEq)]
pub enum GameAction {
    /// Click a place of the board.
    Click(BoardPlace),
    /// Make a move, as it was typed or chosen.
    Move(String),
    /// Clear the selected squares.
    ClearClicks,
    /// Take the last move back, and the engine's reply.
    Undo,
    /// Begin the game again.
    Restart,
    /// Stop asking engines, or go on.
    Pause(bool),
    /// Have the engine make one move, and pause.
    SingleMove,
    /// Set the least time of an engine's move, in milliseconds.
    Pace(u32),
    /// Play another game: the next of the series, or a new one.
    NextGame,
    /// Restart an engine that failed, or ask it again.
    RestartEngine,
    /// Restart the program in a seat, and speak another dialect with it.
    SetDialect(usize, EngineProtocol),
    /// Keep waiting for an engine that is silent.
    KeepWaiting,
    /// Show the position this many moves on.
    StepPly(i64),
    /// Show the position after this many moves.
    ShowPly(usize),
    /// Have an engine analyse the shown position; no move is made.
    Analyse(Box<EngineConfig>),
    /// Do not begin the next game by itself.
    CancelNextGame,
    /// End the analysis.
    StopAnalysis,
    /// Write the game to a file.
    Save(PathBuf),
    /// Turn the board round.
    Flip,
    /// Show or hide the names of columns and rows.
    ToggleCoordinates,
}

impl GameSession {
    /// Carries out an action that concerns the game alone; an error is a sentence.
    fn apply_action(&mut self, action: GameAction, now: Duration) -> Result<(), String> {
        match action {
            GameAction::Click(place) => {
                self.refused_click = None;
                match self.game.click(place) {
                    ClickOutcome::Move(mv) => return self.play_person_move(&mv, now),
                    ClickOutcome::Incomplete => {}
                    ClickOutcome::Refused(reason) => {
                        self.refused_click = Some((place, now, reason));
                    }
                }
            }
            GameAction::Move(text) => return self.play_person_move(&text, now),
            GameAction::ClearClicks => self.game.clear_clicks(),
            GameAction::Undo => return self.undo(now),
            GameAction::Restart => {
                self.remove_result();
                return self.new_game(now, false);
            }
            GameAction::NextGame => {
                let is_next = self.game.has_next_game();
                if !is_next {
                    self.game.reset_series();
                }
                return self.new_game(now, is_next);
            }
            GameAction::Pause(is_paused) => {
                self.is_single_step = false;
                self.set_paused(is_paused, now);
            }
            GameAction::SingleMove if self.can_step() => {
                self.set_paused(false, now);
                self.is_single_step = true;
            }
            GameAction::Pace(milliseconds) => {
                self.min_move_time = Duration::from_millis(milliseconds.into());
            }
            GameAction::RestartEngine => {
                self.cancel_search();
                for engine in self.engines.iter().flatten() {
                    engine.interrupt();
                }
                self.turn_started_at = now;
            }
            GameAction::SetDialect(seat, dialect) => {
                self.cancel_search();
                self.set_dialect(seat, dialect);
                self.turn_started_at = now;
            }
            GameAction::KeepWaiting => {
                self.failure = None;
                if let Some(search) = &mut self.search {
                    search.last_heard_at = now;
                }
            }
            GameAction::StepPly(by) => return self.game.step_ply(by),
            GameAction::ShowPly(ply) => return self.game.show_ply(ply),
            GameAction::CancelNextGame => self.next_game_at = None,
            GameAction::StopAnalysis => {
                self.analyst = None;
                self.is_analysing = false;
            }
            GameAction::SingleMove
            | GameAction::Analyse(_)
            | GameAction::Save(_)
            | GameAction::Flip
            | GameAction::ToggleCoordinates => {}
        }
        Ok(())
    }

    /// Takes the last move back, if there is one.
    fn undo(&mut self, now: Duration) -> Result<(), String> {
        if !self.game.can_undo() {
            return Ok(());
        }
        self.cancel_search();
        self.next_game_at = None;
        self.remove_result();
        self.turn_started_at = now;
        // Two engines would only play the move again.
        let participants = &self.game.config().participants;
        self.is_paused |= participants.iter().all(Option::is_some);
        self.game.undo()
    }
}

impl App {
    /// Begins a game; false if that failed.
    pub(super) fn start_game(&mut self, config: GameConfig) -> bool {
        self.start_session(config, |_| ())
    }

    /// Begins a game, after `prepare` has seen its session; false if that failed.
    pub(super) fn start_session(
        &mut self,
        mut config: GameConfig,
        prepare: impl FnOnce(&mut GameSession),
    ) -> bool {
        for engine in config.participants.iter_mut().flatten() {
            self.add_tree_options(engine);
        }
        let animates = config.animate;
        let has_own_engines = (config.participants.iter().flatten())
            .all(|engine| engine.command.starts_with(&self.own_engine_command));
        match GameSession::new(config, self.records_directory.as_deref(), self.now) {
            Ok(mut playing) => {
                self.message = None;
                prepare(&mut playing);
                if animates && has_own_engines && !self.settings.show_answer {
                    playing.hold_limit = GAME_GROWTH_DURATION + TREE_TIMEOUT;
                }
                self.watch_game_directory(playing.directory.path());
                self.session = Some(playing);
                self.growth_animation = animates.then_some(GAME_GROWTH_DURATION);
                self.advance_game();
                true
            }
            Err(problem) => {
                self.show_error(problem);
                false
            }
        }
    }

    /// Has our own engine write growth journals, whatever else is set.
    fn add_tree_options(&self, engine: &mut EngineConfig) {
        if engine.command.starts_with(&self.own_engine_command) {
            for (name, value) in [
                ("TreeJournal", "true"),
                ("TreeExtra", "true"),
                ("InfoInterval", "50"),
            ] {
                if !engine.options.iter().any(|(known, _)| known == name) {
                    engine.options.push((name.to_owned(), value.to_owned()));
                }
            }
        }
    }

    fn watch_game_directory(&mut self, directory: &Path) {
        self.watch_directory(directory, WatchScope::Match);
        self.followed_match = Some(FollowedMatch::default());
        self.show_sequence(Vec::new());
        self.folder.is_following_newest = true;
    }

    /// Carries out an action on the game.
    pub(super) fn dispatch_game_action(&mut self, action: GameAction) {
        if action == GameAction::NextGame && self.is_tournament_game_over() {
            return self.finish_tournament_game();
        }
        let Some(playing) = &mut self.session else {
            if action == GameAction::ToggleCoordinates {
                self.settings.coordinates ^= true;
            }
            return;
        };
        match action {
            GameAction::Flip => {
                playing.is_flipped ^= true;
                return;
            }
            GameAction::ToggleCoordinates => {
                self.settings.coordinates ^= true;
                return;
            }
            GameAction::Analyse(engine) => self.start_analysis(*engine),
            GameAction::Save(path) => {
                let result = files::save(&path, &playing.game);
                self.report_saved(&path, result);
            }
            action => {
                let is_click = matches!(action, GameAction::Click(_));
                let is_undo = action == GameAction::Undo;
                let applied = playing.apply_action(action, self.now);
                let refused = playing.refused_click.as_ref().filter(|_| is_click);
                let refused = refused.map(|(_, _, reason)| reason.clone());
                if let Err(problem) = applied {
                    self.show_error(problem);
                } else if let Some(reason) = refused {
                    self.show_message(reason);
                } else if is_undo {
                    self.discard_outdated_trees();
                }
            }
        }
        self.advance_game();
    }

    /// Loads a game from a file; two people may continue it.
    pub(super) fn load_game(&mut self, path: &Path) {
        self.tournament = None;
        let game = self
            .session
            .as_ref()
            .map_or(games::DEFAULT.name, |playing| &playing.game.config().game);
        let loaded = match files::load(path, game) {
            Ok(loaded) => loaded,
            Err(problem) => return self.show_error(format!("{}: {problem}", path.display())),
        };
        let config = GameConfig {
            game: loaded.game,
            position: loaded.position,
            participants: [None, None],
            games: 1,
            animate: false,
            min_move_time: Duration::ZERO,
        };
        let has_begun = self.start_game(config);
        if let Some(playing) = self.session.as_mut().filter(|_| has_begun) {
            // Its result was counted where it was played.
            playing.is_scored = true;
            let laid = playing.game.set_moves(&loaded.moves);
            let named = laid.and_then(|()| playing.game.set_heading(&loaded.heading));
            if let Err(problem) = named {
                self.show_error(problem);
            }
        }
        self.sync_match_state();
    }

    /// Removes the trees of moves that were taken back; the newest of the others is shown.
    fn discard_outdated_trees(&mut self) {
        let Some(playing) = &self.session else {
            return;
        };
        let Some(directory) = self.trees_of(playing.game.match_state()) else {
            return;
        };
        let gone: Vec<PathBuf> = (self.document.sequence.in_directory(&directory).into_iter())
            .filter(|path| self.is_outdated(path))
            .collect();
        if gone.is_empty() {
            return;
        }
        for path in &gone {
            remove_tree(path);
        }
        self.document.sequence.update(&[], &gone);
        self.show_sequence(self.document.sequence.paths().to_vec());
    }

    /// Whether a tree belongs to a search from a position that was taken back.
    pub(super) fn is_outdated(&self, path: &Path) -> bool {
        let Some(playing) = &self.session else {
            return false;
        };
        let Ok(sidecar) = File::open(path.with_extension("json")) else {
            return false;
        };
        let Ok(meta) = meta::read(sidecar) else {
            return false;
        };
        let is_new = self.trees_of(playing.game.match_state()).as_deref() == path.parent();
        let move_count = playing.game.moves().len();
        // A paused engine will search the position again.
        let is_repeated = playing.is_paused && matches!(playing.game.turn(), Turn::Engine(..));
        let ply = meta.ply as usize;
        is_new && (ply > move_count || ply == move_count && is_repeated)
    }

    /// Whether the shown trees are deleted when the window leaves them.
    pub fn has_temporary_trees(&self) -> bool {
        self.session.is_some() || self.demo_match.is_some()
    }

    /// Whether there is an unfinished game that would be lost.
    pub fn has_unfinished_game(&self) -> bool {
        self.session.as_ref().is_some_and(|playing| {
            let is_over = matches!(playing.game.turn(), Turn::Over(_));
            !playing.game.moves().is_empty() && !is_over && !playing.is_scored
        })
    }

    /// Closes whatever is played or shown: back to the start screen.
    pub(super) fn go_home(&mut self) {
        self.session = None;
        self.tournament = None;
        self.demo_match = None;
        self.followed_match = None;
        self.folder.close();
        self.growth_animation = None;
        self.message = None;
        self.thumbnails.forget_files();
        self.view = super::View::default();
        self.lesson = None;
        self.compare = super::CompareState::default();
        self.document.sequence = Sequence::default();
        self.show_sequence(Vec::new());
    }

    /// Ends the game because the window closes; waits for engines at most `ENGINE_SHUTDOWN_TIMEOUT`.
    pub fn shut_down(&mut self) {
        let Some(mut playing) = self.session.take() else {
            return;
        };
        let GameSession {
            engines: opponents,
            analyst,
            ..
        } = &mut playing;
        let threads: Vec<_> = (opponents.iter_mut().chain([analyst]).flatten())
            .filter_map(EngineHandle::take_thread)
            .collect();
        drop(playing);
        let mut remaining = ENGINE_SHUTDOWN_TIMEOUT;
        while !remaining.is_zero() && threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(FRAME_INTERVAL);
            remaining = remaining.saturating_sub(FRAME_INTERVAL);
        }
    }

    /// Has an engine analyse the shown position.
    fn start_analysis(&mut self, mut engine: EngineConfig) {
        self.add_tree_options(&mut engine);
        let wake = Arc::clone(&self.wake);
        let Some(playing) = &mut self.session else {
            return;
        };
        if playing.game.shown_position().outcome.is_some() {
            return self
                .show_error("the game is over in this position: there is nothing to look for");
        }
        let moves = playing
            .game
            .moves()
            .get(..playing.game.shown_ply())
            .unwrap_or_default()
            .to_vec();
        let request = playing.next_request(moves, ANALYST_SEED_INDEX);
        match EngineHandle::start(engine, &playing.game.config().game, wake) {
            Ok(analyst) => {
                analyst.request_move(request);
                playing.analyst = Some(analyst);
                playing.is_analysing = true;
                self.folder.is_following_newest = true;
                self.show_message("looking at the position");
            }
            Err(problem) => self.show_error(problem),
        }
    }

    /// Takes in the events of engines, and does what is due.
    pub(super) fn update_game(&mut self) {
        let now = self.now;
        let Some(playing) = &mut self.session else {
            return;
        };
        let engines = playing.engines.iter().flatten();
        let events: Vec<_> = engines.flat_map(EngineHandle::take_events).collect();
        let mut is_moved = false;
        for event in events {
            is_moved |= playing.handle_engine_event(event, now);
        }
        is_moved |= self.play_delayed_move();
        let Some(playing) = &mut self.session else {
            return;
        };
        playing.check_silence(now);
        self.update_analysis();
        if is_moved {
            self.advance_game();
        }
        let next_game_at = (self.session.as_ref()).and_then(|playing| playing.next_game_at);
        if next_game_at.is_some_and(|at| now >= at) {
            self.dispatch_game_action(GameAction::NextGame);
        }
    }

    /// Plays an engine's move that is due and whose tree has grown; true if there was one.
    fn play_delayed_move(&mut self) -> bool {
        let is_held = self.is_move_held();
        let now = self.now;
        let Some(playing) = &mut self.session else {
            return false;
        };
        let is_due =
            |delayed: &mut DelayedMove| now >= delayed.due && (!is_held || now >= delayed.latest);
        let Some(delayed) = playing.delayed_move.take_if(is_due) else {
            return false;
        };
        playing.play_engine_move(&delayed.text, delayed.stats, now);
        true
    }

    /// Takes in the events of the engine that analyses. Its process is kept after the answer: it may still write its tree.
    fn update_analysis(&mut self) {
        let Some(playing) = &mut self.session else {
            return;
        };
        let analyst = playing.analyst.as_ref();
        let events = analyst.map(EngineHandle::take_events).unwrap_or_default();
        for event in events {
            let is_answer = !matches!(event, EngineEvent::Info(..) | EngineEvent::Introduced(_));
            if let Some(playing) = self.session.as_mut().filter(|_| is_answer) {
                playing.is_analysing = false;
            }
            match event {
                EngineEvent::Info(..) | EngineEvent::Introduced(_) => {}
                EngineEvent::BestMove(_, answer) => {
                    self.show_message(format!("the best move here is {}", answer.text));
                }
                EngineEvent::Failed(_, text, post_mortem) => {
                    let output = post_mortem.lines.join(" ");
                    self.show_error(format!("the engine {text} {output}"));
                }
            }
        }
    }

    /// Updates the shown game, counts it when it is over, and asks the engine to move.
    fn advance_game(&mut self) {
        let (now, wake) = (self.now, Arc::clone(&self.wake));
        self.sync_match_state();
        let Some(playing) = &mut self.session else {
            return;
        };
        match playing.game.turn() {
            Turn::Person(_) => {}
            Turn::Over(_) => {
                if !std::mem::replace(&mut playing.is_scored, true) {
                    let counted = playing.record_result();
                    let has_people = playing
                        .game
                        .config()
                        .participants
                        .iter()
                        .any(Option::is_none);
                    let goes_on = playing.game.has_next_game() && !has_people;
                    let delay = match (playing.tournament_place.is_some(), has_people) {
                        (true, true) => Some(NEXT_GAME_DELAY_OF_PEOPLE),
                        (true, false) => Some(NEXT_GAME_DELAY),
                        (false, _) => goes_on.then_some(NEXT_GAME_DELAY),
                    };
                    playing.next_game_at = delay.map(|delay| now + playing.min_move_time + delay);
                    if let Err(problem) = counted {
                        self.show_error(format!("the game is not recorded: {problem}"));
                    }
                }
                self.sync_match_state();
            }
            Turn::Engine(seat, player) => {
                let is_busy = playing.search.is_some() || playing.delayed_move.is_some();
                if playing.is_paused || is_busy || playing.failure.is_some() {
                    return;
                }
                if let Err(text) = playing.request_move(seat, player, now, wake) {
                    playing.failure = Some(EngineFailure {
                        text,
                        last_output: Vec::new(),
                        is_unresponsive: false,
                        has_run: false,
                    });
                }
            }
        }
    }

    /// Selects the chosen move in the final tree of a game played here, once the tree shows it and has grown.
    pub(super) fn select_chosen_move(&mut self) {
        if self.session.is_none()
            || !self.navigation.awaits_chosen_move
            || self.navigation.selected.is_some()
            || !self.folder.is_following_newest
            || !self.document.is_final()
            || self.document.timeline.target.is_some()
            || self.is_about_to_grow()
        {
            return;
        }
        let (Some(model), Some(full_model)) = (&self.document.model, &self.document.full_model)
        else {
            return;
        };
        // What is left of an unfinished tree may name another move, and one that the final tree hides.
        if !Arc::ptr_eq(&model.tree, &full_model.tree) {
            return;
        }
        let Some(chosen) = (model.meta.as_ref()).and_then(|meta| meta.chosen.as_deref()) else {
            return;
        };
        let mut children = model.children_of(0);
        self.navigation.selected = children.find(|&child| model.move_text(child) == *chosen);
        self.navigation.awaits_chosen_move = self.navigation.selected.is_none();
    }

    fn sync_match_state(&mut self) {
        if let (Some(playing), Some(following)) = (&self.session, &mut self.followed_match) {
            following.state = Some(Arc::clone(playing.game.match_state()));
            following.shown_state.clone_from(&following.state);
        }
    }

    /// The state of the game, for tests.
    pub(super) fn dump_game(&self) -> Value {
        let Some(playing) = &self.session else {
            return Value::Null;
        };
        let table = &playing.game;
        let (status, reason) = table.status_text();
        let view = table.shown_position();
        json!({
            "game": table.config().game,
            "status": status,
            "reason": reason,
            "turn": view.turn_text,
            "told": view.note,
            "position": view.position,
            "moves": table.moves(),
            "shown": table.shown_ply(),
            "legal": view.legal_moves,
            "selected": table.marks(None).selected.map(|place| format!("{place:?}")),
            "targets": table.marks(None).targets.len(),
            "choices": table.choices(),
            "thinking": playing.search.is_some(),
            "paused": playing.is_paused,
            "trouble": playing.failure.as_ref().map(|trouble| &trouble.text),
            "number": table.game_number(),
            "by_colour": table.by_colour(),
            "score": table.match_state().meta.score.won,
            "drawn": table.match_state().meta.score.drawn,
            "can_undo": table.can_undo(),
            "records": playing.recorder.as_ref().map(|keeper| keeper.directory().display().to_string()),
        })
    }
}

/// Removes a tree file with everything beside it, as far as it is there.
fn remove_tree(path: &Path) {
    for extension in ["json", "growth", "extra", "columns"] {
        let _ = fs::remove_file(path.with_extension(extension));
    }
    let _ = fs::remove_file(path);
}
