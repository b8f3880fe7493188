//! The game that is played in the window: people click, engines are asked, and the trees of their moves are followed.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use canopy_engine::{arena::engine_config::EngineConfig, games};
use serde_json::{Value, json};

use super::{App, FollowedMatch};
use crate::{
    board::BoardPlace,
    play::{
        GameConfig,
        engine_handle::{EngineEvent, EngineHandle},
        files,
        game_state::Turn,
        session::{ANALYST_SEED_INDEX, EngineFailure, FRAME_INTERVAL, GameSession},
    },
    tree::sequence::Sequence,
    workers::watch::WatchScope,
};

/// So long, beside their pace, engines wait before the next game of a series.
const NEXT_GAME_DELAY: Duration = Duration::from_secs(2);
/// A tree that has just come grows for so long, if that is wanted.
const GAME_GROWTH_DURATION: Duration = Duration::from_millis(1500);
/// When the window closes engines have so long to go.
const ENGINE_SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(1200);

/// What a person does with the game.
#[derive(Clone, Debug, PartialEq)]
pub enum GameAction {
    /// Click a place of the board.
    Click(BoardPlace),
    /// Make a move, as it was typed or chosen.
    Move(String),
    /// Let go of what was taken hold of.
    ClearClicks,
    /// Take the last move back, and the engine's reply.
    Undo,
    /// Begin the game again.
    Restart,
    /// Stop asking engines, or go on.
    Pause(bool),
    /// Have the engine make one move, and stop.
    SingleMove,
    /// Milliseconds that an engine's move takes at least.
    Pace(u32),
    /// Play another game: the next of the series, or a new one.
    NextGame,
    /// Start the engine again that failed, or ask it again.
    RestartEngine,
    /// Wait for an engine that says nothing.
    KeepWaiting,
    /// Show the position so many moves on.
    StepPly(i64),
    /// Show the position after so many moves.
    ShowPly(usize),
    /// Have an engine look at the position that is shown, without a move being made.
    Analyse(Box<EngineConfig>),
    /// Do not go on to the next game without being told to.
    CancelNextGame,
    /// Let nobody look at the position any more.
    StopAnalysis,
    /// Write the game to a file.
    Save(PathBuf),
    /// Look from the other side.
    Flip,
    /// Name columns and rows, or do not.
    ToggleCoordinates,
}

impl App {
    /// Begins to play; whether that went well.
    pub(super) fn start_game(&mut self, mut config: GameConfig) -> bool {
        for engine in config.participants.iter_mut().flatten() {
            self.add_tree_options(engine);
        }
        let animates = config.animate;
        match GameSession::new(config, self.records_directory.as_deref(), self.now) {
            Ok(playing) => {
                self.message = None;
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

    /// What our own engine is told beside what a person sets: to write down how its trees grow.
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
        self.is_following_newest = true;
    }

    /// Does something with the game.
    pub(super) fn dispatch_game_action(&mut self, action: GameAction) {
        match action {
            GameAction::Flip => {
                if let Some(playing) = &mut self.session {
                    playing.is_flipped ^= true;
                }
                return;
            }
            GameAction::ToggleCoordinates => {
                self.settings.coordinates ^= true;
                return;
            }
            _ => {}
        }
        let now = self.now;
        let Some(playing) = &mut self.session else {
            return;
        };
        let done = match action {
            GameAction::Click(place) => match playing.game.click(place) {
                Some(mv) => playing.play_person_move(&mv, now),
                None => Ok(()),
            },
            GameAction::Move(text) => playing.play_person_move(&text, now),
            GameAction::ClearClicks => {
                playing.game.clear_clicks();
                Ok(())
            }
            GameAction::Undo if !playing.game.can_undo() => Ok(()),
            GameAction::Undo => {
                playing.cancel_search();
                playing.next_game_at = None;
                playing.remove_result();
                playing.turn_started_at = now;
                // Engines alone would only play it again.
                playing.is_paused |= playing
                    .game
                    .config()
                    .participants
                    .iter()
                    .all(Option::is_some);
                playing.game.undo()
            }
            GameAction::Restart => {
                playing.remove_result();
                playing.new_game(now, false)
            }
            GameAction::NextGame => {
                let more = playing.game.has_next_game();
                if !more {
                    playing.game.reset_series();
                }
                playing.new_game(now, more)
            }
            GameAction::Pause(is_paused) => {
                playing.is_single_step = false;
                playing.set_paused(is_paused, now);
                Ok(())
            }
            GameAction::SingleMove if !playing.can_step() => Ok(()),
            GameAction::SingleMove => {
                playing.set_paused(false, now);
                playing.is_single_step = true;
                Ok(())
            }
            GameAction::Pace(milliseconds) => {
                playing.min_move_time = Duration::from_millis(milliseconds.into());
                Ok(())
            }
            GameAction::RestartEngine => {
                playing.cancel_search();
                for opponent in playing.engines.iter().flatten() {
                    opponent.interrupt();
                }
                playing.turn_started_at = now;
                Ok(())
            }
            GameAction::KeepWaiting => {
                playing.failure = None;
                if let Some(thinking) = &mut playing.search {
                    thinking.last_heard_at = now;
                }
                Ok(())
            }
            GameAction::StepPly(by) => playing.game.step_ply(by),
            GameAction::ShowPly(count) => playing.game.show_ply(count),
            GameAction::Analyse(engine) => {
                self.start_analysis(*engine);
                Ok(())
            }
            GameAction::CancelNextGame => {
                playing.next_game_at = None;
                Ok(())
            }
            GameAction::StopAnalysis => {
                playing.analyst = None;
                playing.is_analysing = false;
                Ok(())
            }
            GameAction::Save(path) => {
                let saved = files::save(&path, &playing.game);
                self.report_saved(&path, saved);
                Ok(())
            }
            GameAction::Flip | GameAction::ToggleCoordinates => Ok(()),
        };
        if let Err(problem) = done {
            self.show_error(problem);
        }
        self.advance_game();
    }

    /// Lays a game out that was read from a file: two people may go on with it.
    pub(super) fn load_game(&mut self, path: &Path) {
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
            // It was counted where it was played.
            playing.is_scored = true;
            let laid = playing.game.set_moves(&loaded.moves);
            let stepped = laid.and_then(|()| playing.game.show_ply(0));
            if let Err(problem) = stepped {
                self.show_error(problem);
            }
        }
        self.sync_match_state();
    }

    /// Whether the trees that are shown go when the window leaves them.
    pub fn has_temporary_trees(&self) -> bool {
        self.session.is_some() || self.demo_match.is_some()
    }

    /// Whether there is a game that is not over, and would be lost.
    pub fn has_unfinished_game(&self) -> bool {
        self.session.as_ref().is_some_and(|playing| {
            let is_over = matches!(playing.game.turn(), Turn::Over(_));
            !playing.game.moves().is_empty() && !is_over && !playing.is_scored
        })
    }

    /// Leaves whatever is played or shown: back to the start screen.
    pub(super) fn go_home(&mut self) {
        self.session = None;
        self.demo_match = None;
        self.followed_match = None;
        self.watcher = None;
        self.directory = None;
        self.growth_animation = None;
        self.message = None;
        self.sequence = Sequence::default();
        self.show_sequence(Vec::new());
    }

    /// Ends the game because the window closes; engines have a moment to go, and are ended then.
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

    /// Has an engine look at the position that is shown.
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
                self.is_following_newest = true;
                self.show_message("looking at the position");
            }
            Err(problem) => self.show_error(problem),
        }
    }

    /// Takes in what engines say, and does what is due.
    pub(super) fn update_game(&mut self) {
        let now = self.now;
        let Some(playing) = &mut self.session else {
            return;
        };
        let mut events = Vec::new();
        for opponent in playing.engines.iter().flatten() {
            events.extend(opponent.take_events());
        }
        let analyst_events = playing
            .analyst
            .as_ref()
            .map(EngineHandle::take_events)
            .unwrap_or_default();
        let mut is_moved = false;
        for event in events {
            is_moved |= playing.handle_engine_event(event, now);
        }
        if let Some((at, _, _)) = &playing.delayed_move
            && now >= *at
            && let Some((_, text, effort)) = playing.delayed_move.take()
        {
            playing.play_engine_move(&text, effort, now);
            is_moved = true;
        }
        playing.check_silence(now);
        // Its process stays for a while, for it may still write its tree.
        playing.is_analysing &= analyst_events
            .iter()
            .all(|piece| matches!(piece, EngineEvent::Info(..)));
        for event in analyst_events {
            match event {
                EngineEvent::Info(..) => {}
                EngineEvent::BestMove(_, answer) => {
                    self.show_message(format!("the best move here is {}", answer.text))
                }
                EngineEvent::Failed(_, text, remains) => {
                    self.show_error(format!("the engine {text} {}", remains.lines.join(" ")))
                }
            }
        }
        if is_moved {
            self.advance_game();
        }
        let next_game = self
            .session
            .as_ref()
            .and_then(|playing| playing.next_game_at);
        if next_game.is_some_and(|at| now >= at) {
            self.dispatch_game_action(GameAction::NextGame);
        }
    }

    /// Shows the game as it stands, counts it when it is over, and asks who is to move.
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
                    playing.next_game_at = (playing.game.has_next_game() && !has_people)
                        .then(|| now + playing.min_move_time + NEXT_GAME_DELAY);
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
                    });
                }
            }
        }
    }

    /// Selects the move that was chosen, in the tree of a game that is played here.
    pub(super) fn select_chosen_move(&mut self) {
        if self.session.is_none()
            || !self.is_following_newest
            || !self.is_final()
            || self.selected.is_some()
        {
            return;
        }
        let Some(model) = &self.model else { return };
        let chosen = model.meta.as_ref().and_then(|meta| meta.chosen.clone());
        let mut children = model.children_of(0);
        self.selected = children.find(|&child| chosen.as_deref() == Some(&*model.move_text(child)));
    }

    fn sync_match_state(&mut self) {
        if let (Some(playing), Some(following)) = (&self.session, &mut self.followed_match) {
            following.state = Some(Arc::clone(playing.game.match_state()));
        }
    }

    /// What there is to know of the game, for tests.
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
