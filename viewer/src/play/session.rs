//! A game in progress: the game's state, its engines, and their searches. What the window shows and follows is the app's
//! part.

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use canopy_engine::{
    arena::{client::PostMortem, engine_config::EngineProtocol},
    games::Player,
    rng::{child_seed, mix},
};

use super::{
    GameConfig,
    engine_handle::{EngineEvent, EngineHandle, MoveRequest},
    files::GameRecorder,
    game_state::{GameState, MoveStats, Turn, game_directory_name},
};
use crate::{
    board::{BoardPlace, MoveAnimation},
    system::{temporary::TemporaryDirectory, wake::Wake},
};

/// Silence after which an engine is suspected to hang.
const ENGINE_SILENCE_LIMIT: Duration = Duration::from_secs(15);
/// Time for a program to introduce itself; then it may speak another dialect.
pub(super) const INTRODUCTION_LIMIT: Duration = Duration::from_secs(2);
/// Redraw interval of animations.
pub(crate) const FRAME_INTERVAL: Duration = Duration::from_millis(16);
/// Redraw interval of clocks.
const CLOCK_REDRAW_INTERVAL: Duration = Duration::from_secs(1);
/// How a place shakes that was clicked in vain: how far, in points, for how long each time, and how often.
const SHAKE_POINTS: f32 = 4.0;
const SHAKE_PERIOD: Duration = Duration::from_millis(140);
const SHAKE_COUNT: f32 = 2.0;
/// Bits of the engines' seeds.
const SEED_BITS: u32 = 31;
/// Whose random numbers are neither seat's.
pub(crate) const ANALYST_SEED_INDEX: u64 = 2;

/// An engine that looks for a move.
#[derive(Clone, Copy, Debug)]
pub struct ActiveSearch {
    /// Whose move it is.
    pub player: Player,
    /// The request it answers.
    request_id: u64,
    /// Since when.
    pub started_at: Duration,
    /// Time of its last output.
    pub(crate) last_heard_at: Duration,
    /// Playouts or positions, as it reported.
    pub nodes: u64,
}

/// An engine's move that a person is to see coming, or whose tree grows first.
#[derive(Clone, Debug)]
pub(crate) struct DelayedMove {
    /// The move, as the engine wrote it.
    pub(crate) text: String,
    pub(crate) stats: MoveStats,
    /// When it is made, if its tree has grown.
    pub(crate) due: Duration,
    /// When it is made at the latest.
    pub(crate) latest: Duration,
}

/// A program that may speak another dialect than it was set up with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectHint {
    /// Its name.
    pub name: String,
    /// The dialect that it was set up with.
    pub dialect: EngineProtocol,
}

/// Something that went wrong with an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineFailure {
    /// The failure, in a sentence.
    pub text: String,
    /// Its last output.
    pub last_output: Vec<String>,
    /// Whether it may still answer.
    pub is_unresponsive: bool,
    /// Whether its program ran at all.
    pub has_run: bool,
}

/// The game that is played in the window.
pub struct GameSession {
    /// The game.
    pub game: GameState,
    pub(crate) engines: [Option<EngineHandle>; 2],
    pub(crate) analyst: Option<EngineHandle>,
    /// Whether the analysis is still running.
    pub is_analysing: bool,
    /// When engines begin the next game of a series by themselves.
    pub(crate) next_game_at: Option<Duration>,
    /// The directory of the trees, for the duration of the game; removed after the engines have ended.
    pub(crate) directory: TemporaryDirectory,
    pub(crate) recorder: Option<GameRecorder>,
    seed: u64,
    /// The seeds of the engines of both sides in a game of a tournament; others follow from `seed`.
    engine_seeds: Option<[u64; 2]>,
    /// Which game of a tournament it is; none outside one.
    pub tournament_place: Option<String>,
    /// The number of the last request, and of the last game started.
    last_request_id: u64,
    game_count: u64,
    /// The engine that looks for a move.
    pub search: Option<ActiveSearch>,
    /// A move that is not made at once.
    pub(crate) delayed_move: Option<DelayedMove>,
    /// How long a move waits for its tree to grow; zero if it does not.
    pub(crate) hold_limit: Duration,
    /// When the player to move could begin to think.
    pub(crate) turn_started_at: Duration,
    /// The current failure, if any.
    pub failure: Option<EngineFailure>,
    /// Whether engines are paused.
    pub is_paused: bool,
    /// Whether the game pauses after the next engine move.
    pub(crate) is_single_step: bool,
    /// Whether the result of this game is in the score.
    pub(crate) is_scored: bool,
    /// The last game that was recorded.
    recorded_game: Option<u64>,
    /// Whether the board is seen from the second player's side.
    pub is_flipped: bool,
    /// Minimum time of an engine's move.
    pub min_move_time: Duration,
    /// Whether the program in each seat has introduced itself.
    has_introduced: [bool; 2],
    /// The last click, if it led to no move: the place, when, and why.
    pub(crate) refused_click: Option<(BoardPlace, Duration, String)>,
    /// The last move on its way, and since when.
    motion: Option<(MoveAnimation, Duration)>,
}

impl Drop for GameSession {
    fn drop(&mut self) {
        self.engines = [None, None];
        self.analyst = None;
    }
}

impl GameSession {
    pub(crate) fn new(
        config: GameConfig,
        records: Option<&Path>,
        now: Duration,
    ) -> Result<Self, String> {
        let min_move_time = config.min_move_time;
        let game = GameState::new(config)?;
        let names = [
            game.player_name(Player::First),
            game.player_name(Player::Second),
        ];
        let recorder = records.map(|records| GameRecorder::new(game.config(), names, records));
        let directory = TemporaryDirectory::new()
            .map_err(|error| format!("there is no directory for the trees: {error}"))?;
        let clock = SystemTime::now().duration_since(UNIX_EPOCH);
        let seed = mix(clock.unwrap_or_default().as_nanos() as u64);
        let is_flipped = should_flip_board(&game);
        Ok(Self {
            game,
            engines: [None, None],
            analyst: None,
            is_analysing: false,
            next_game_at: None,
            directory,
            recorder,
            seed,
            engine_seeds: None,
            tournament_place: None,
            last_request_id: 0,
            game_count: 1,
            search: None,
            delayed_move: None,
            hold_limit: Duration::ZERO,
            turn_started_at: now,
            failure: None,
            is_paused: false,
            is_single_step: false,
            is_scored: false,
            recorded_game: None,
            is_flipped,
            min_move_time,
            has_introduced: [false, false],
            refused_click: None,
            motion: None,
        })
    }

    /// Makes it a game of a tournament, before an engine is asked.
    pub(crate) fn join_tournament(&mut self, seeds: [u64; 2], place: String) {
        self.engine_seeds = Some(seeds);
        self.tournament_place = Some(place);
    }

    /// The animation of the last move, and the time it has run; none once it has ended, or if another position is shown.
    pub fn motion(&self, now: Duration) -> Option<(&MoveAnimation, Duration)> {
        let (motion, since) = self.motion.as_ref().filter(|_| self.game.is_at_end())?;
        let at = now.saturating_sub(*since);
        (!motion.is_over(at)).then_some((motion, at))
    }

    /// The place of a click that led to no move, and how far it is moved sideways, in points; none once it is at rest.
    pub fn shaken_place(&self, now: Duration) -> Option<(BoardPlace, f32)> {
        let (place, since, _) = self.refused_click.as_ref()?;
        let elapsed = now.saturating_sub(*since);
        let part = elapsed.as_secs_f32() / SHAKE_PERIOD.as_secs_f32();
        let by = SHAKE_POINTS * (part * std::f32::consts::TAU).sin();
        (part < SHAKE_COUNT).then_some((*place, by))
    }

    /// The last move begins its way.
    fn start_motion(&mut self, now: Duration) {
        let plan = self.game.config();
        let motion = MoveAnimation::new(&plan.game, &plan.position, self.game.moves());
        self.motion = motion.map(|motion| (motion, now));
    }

    /// Cancels running searches and ignores their results.
    pub(crate) fn cancel_search(&mut self) {
        self.last_request_id += 1;
        self.delayed_move = None;
        self.failure = None;
        if self.search.take().is_some() {
            for opponent in self.engines.iter().flatten() {
                opponent.interrupt();
            }
        }
    }

    /// Where the trees of this game go, made now.
    fn make_tree_directory(&self) -> Option<String> {
        let directory = self
            .directory
            .path()
            .join(game_directory_name(self.game.game_number()));
        std::fs::create_dir_all(&directory).ok()?;
        Some(directory.to_string_lossy().into_owned())
    }

    pub(crate) fn next_request(&mut self, moves: Vec<String>, seat: u64) -> MoveRequest {
        self.last_request_id += 1;
        // A tournament's game has the first side in seat 0.
        let given = (self.engine_seeds.as_ref()).and_then(|seeds| seeds.get(seat as usize));
        let own = child_seed(child_seed(self.seed, self.game_count), seat);
        let seed = given.copied().unwrap_or(own >> (u64::BITS - SEED_BITS));
        MoveRequest {
            id: self.last_request_id,
            game: self.game_count,
            position: self.game.config().position.clone(),
            moves,
            seed,
            trees: self.make_tree_directory(),
        }
    }

    /// The fraction of its limit that the running search has used; none without a measurable limit.
    pub fn progress(&self, now: Duration) -> Option<f32> {
        let thinking = self.search?;
        let seat = self.game.participant_of(thinking.player);
        let engine = self.game.config().participants.get(seat)?.as_ref()?;
        let go = engine.limits.as_ref()?;
        let part = match (go.movetime, go.nodes) {
            (Some(time), _) => {
                now.saturating_sub(thinking.started_at).as_secs_f32() / time.as_secs_f32()
            }
            (None, Some(nodes)) => thinking.nodes as f32 / nodes as f32,
            (None, None) => return None,
        };
        Some(part.clamp(0.0, 1.0))
    }

    /// The time a side has used, up to now.
    pub fn time_used(&self, player: Player, now: Duration) -> Duration {
        let is_running = match self.game.turn() {
            Turn::Person(mover) | Turn::Engine(_, mover) => mover == player && !self.is_paused,
            Turn::Over(_) => false,
        };
        let running = if is_running {
            now.saturating_sub(self.turn_started_at)
        } else {
            Duration::ZERO
        };
        self.game.time_used(player) + running
    }

    /// The next time at which something is due without input.
    pub fn next_deadline(&self) -> Option<Duration> {
        let held = (self.delayed_move.as_ref()).map(|delayed| delayed.latest);
        let silence = (self.search.as_ref().filter(|_| self.failure.is_none()))
            .map(|thinking| thinking.last_heard_at + self.silence_limit(thinking));
        held.into_iter()
            .chain(silence)
            .chain(self.next_game_at)
            .min()
    }

    /// When the window is to be drawn again because time passes.
    pub fn next_frame_delay(&self, now: Duration) -> Option<Duration> {
        if self.motion(now).is_some() || self.shaken_place(now).is_some() {
            return Some(FRAME_INTERVAL);
        }
        if matches!(self.game.turn(), Turn::Over(_)) || self.is_paused {
            return self.next_game_at.map(|at| at.saturating_sub(now));
        }
        let is_busy = self.search.is_some() || self.delayed_move.is_some();
        let pause = match is_busy {
            true => Duration::from_millis(33),
            false => CLOCK_REDRAW_INTERVAL,
        };
        Some(
            self.next_deadline()
                .map_or(pause, |at| at.saturating_sub(now).min(pause)),
        )
    }
}

impl GameSession {
    /// A person makes a move.
    pub(crate) fn play_person_move(&mut self, text: &str, now: Duration) -> Result<(), String> {
        if !matches!(self.game.turn(), Turn::Person(_)) {
            return Err("it is not your turn".to_owned());
        }
        if !self.game.is_at_end() {
            return Err(
                "this is an earlier position; go to the last one to make a move".to_owned(),
            );
        }
        let effort = MoveStats {
            time: now.saturating_sub(self.turn_started_at),
            ..MoveStats::default()
        };
        self.game.play_move(text, effort)?;
        self.turn_started_at = now;
        self.start_motion(now);
        Ok(())
    }

    /// Plays an engine's move; an illegal one is a failure of the engine.
    pub(crate) fn play_engine_move(&mut self, text: &str, effort: MoveStats, now: Duration) {
        let Turn::Engine(_, player) = self.game.turn() else {
            return;
        };
        if text.trim().eq_ignore_ascii_case("resign") {
            self.game.resign(player);
            return;
        }
        if let Err(problem) = self.game.play_move(text, effort) {
            let name = self.game.player_name(player);
            self.failure = Some(EngineFailure {
                text: format!("{name} made a move that it may not make: {problem}"),
                last_output: Vec::new(),
                is_unresponsive: false,
                has_run: true,
            });
            return;
        }
        self.turn_started_at = now;
        self.start_motion(now);
        if std::mem::take(&mut self.is_single_step) {
            self.is_paused = true;
        }
    }

    /// Handles an engine's event; true if a move was made.
    pub(crate) fn handle_engine_event(&mut self, event: EngineEvent, now: Duration) -> bool {
        let (EngineEvent::Introduced(number)
        | EngineEvent::Info(number, _)
        | EngineEvent::BestMove(number, _)
        | EngineEvent::Failed(number, _, _)) = &event;
        let Some(thinking) =
            (self.search.as_mut()).filter(|thinking| thinking.request_id == *number)
        else {
            return false;
        };
        thinking.last_heard_at = now;
        // Output ends the silence.
        self.failure.take_if(|trouble| trouble.is_unresponsive);
        match event {
            EngineEvent::Introduced(_) => {
                let seat = self.game.participant_of(thinking.player);
                if let Some(is_known) = self.has_introduced.get_mut(seat) {
                    *is_known = true;
                }
                false
            }
            EngineEvent::Info(_, info) => {
                thinking.nodes = info.nodes.unwrap_or(thinking.nodes);
                false
            }
            EngineEvent::BestMove(_, answer) => {
                let since = thinking.started_at;
                self.search = None;
                self.failure = None;
                let effort = MoveStats {
                    time: answer.time,
                    nodes: answer.info.nodes.unwrap_or(0),
                    leaves: answer.info.leaves.unwrap_or(0),
                    depth: answer.info.depth.unwrap_or(0),
                    score: answer.info.score,
                };
                let due = since + self.min_move_time;
                let latest = due.max(now + self.hold_limit);
                if now < latest {
                    self.delayed_move = Some(DelayedMove {
                        text: answer.text,
                        stats: effort,
                        due,
                        latest,
                    });
                    return false;
                }
                self.play_engine_move(&answer.text, effort, now);
                true
            }
            EngineEvent::Failed(_, text, post_mortem) => {
                let name = self.game.player_name(thinking.player).to_owned();
                self.search = None;
                self.failure = Some(EngineFailure {
                    text: format!("{name} {text}"),
                    last_output: last_output_lines(&post_mortem),
                    is_unresponsive: false,
                    has_run: !post_mortem.exit.is_empty(),
                });
                false
            }
        }
    }

    /// The seat of a program that has not introduced itself, and a hint at other dialects, after two seconds or once it has failed.
    pub fn dialect_hint(&self, now: Duration) -> Option<(usize, DialectHint)> {
        let Turn::Engine(seat, _) = self.game.turn() else {
            return None;
        };
        let is_silent = (self.search.as_ref())
            .is_some_and(|search| now >= search.started_at + INTRODUCTION_LIMIT);
        let has_failed =
            self.search.is_none() && (self.failure.as_ref()).is_some_and(|failure| failure.has_run);
        if *self.has_introduced.get(seat)? || !(is_silent || has_failed) {
            return None;
        }
        let engine = self.game.config().participants.get(seat)?.as_ref()?;
        let hint = DialectHint {
            name: engine.name.clone(),
            dialect: engine.protocol,
        };
        Some((seat, hint))
    }

    /// Speaks another dialect with the program in a seat, which is started again.
    pub(crate) fn set_dialect(&mut self, seat: usize, dialect: EngineProtocol) {
        self.game.set_dialect(seat, dialect);
        if let Some(engine) = self.engines.get_mut(seat) {
            *engine = None;
        }
    }

    /// Silence allowed for a search: not every engine reports before its time is up.
    fn silence_limit(&self, thinking: &ActiveSearch) -> Duration {
        let seat = self.game.participant_of(thinking.player);
        let engine = self
            .game
            .config()
            .participants
            .get(seat)
            .and_then(Option::as_ref);
        let time = engine.and_then(|engine| engine.limits.as_ref()?.movetime);
        ENGINE_SILENCE_LIMIT + time.unwrap_or_default()
    }

    /// Reports an engine that has been silent for too long.
    pub(crate) fn check_silence(&mut self, now: Duration) {
        let Some(thinking) = self.search.filter(|_| self.failure.is_none()) else {
            return;
        };
        let silence = self.silence_limit(&thinking);
        if now >= thinking.last_heard_at + silence {
            let name = self.game.player_name(thinking.player);
            self.failure = Some(EngineFailure {
                text: format!("{name} has said nothing for {} seconds", silence.as_secs()),
                last_output: Vec::new(),
                is_unresponsive: true,
                has_run: true,
            });
        }
    }

    /// Asks an engine for a move.
    pub(crate) fn request_move(
        &mut self,
        seat: usize,
        player: Player,
        now: Duration,
        wake: Wake,
    ) -> Result<(), String> {
        let request = self.next_request(self.game.moves().to_vec(), seat as u64);
        let plan = self.game.config();
        let Some(slot) = self.engines.get_mut(seat) else {
            return Ok(());
        };
        let opponent = match slot {
            Some(opponent) => opponent,
            None => {
                let engine = plan.participants.get(seat).cloned().flatten();
                let engine = engine.ok_or("nobody sits there")?;
                slot.insert(EngineHandle::start(engine, &plan.game, wake)?)
            }
        };
        opponent.request_move(request);
        self.search = Some(ActiveSearch {
            player,
            request_id: self.last_request_id,
            started_at: now,
            last_heard_at: now,
            nodes: 0,
        });
        self.turn_started_at = now;
        Ok(())
    }

    /// Whether a paused engine can be stepped by one move.
    pub fn can_step(&self) -> bool {
        self.is_paused && matches!(self.game.turn(), Turn::Engine(..))
    }

    /// Removes the result of a game that is continued or replayed from the score.
    pub(crate) fn remove_result(&mut self) {
        if std::mem::take(&mut self.is_scored) {
            self.game.remove_result();
        }
    }

    pub(crate) fn set_paused(&mut self, is_paused: bool, now: Duration) {
        self.is_paused = is_paused;
        if is_paused {
            self.cancel_search();
        } else {
            self.turn_started_at = now;
        }
    }

    /// The same game from its beginning, or the next one of the series.
    pub(crate) fn new_game(&mut self, now: Duration, is_next: bool) -> Result<(), String> {
        self.cancel_search();
        self.next_game_at = None;
        self.game_count += 1;
        (self.is_scored, self.is_paused, self.is_single_step) = (false, false, false);
        self.turn_started_at = now;
        let begun = if is_next {
            self.game.next_game()
        } else {
            self.game.restart()
        };
        self.is_flipped = should_flip_board(&self.game);
        begun
    }

    /// Counts a game that is over, and keeps it.
    pub(crate) fn record_result(&mut self) -> Result<(), String> {
        self.game.add_result();
        // A game that was taken back and ended again is on record already.
        let is_known = self.recorded_game == Some(self.game_count);
        let Some(recorder) = self.recorder.as_mut().filter(|_| !is_known) else {
            return Ok(());
        };
        self.recorded_game = Some(self.game_count);
        recorder.record_game(&self.game, self.seed)
    }
}

/// Whether the board starts flipped: it has sides, and the only person has the second one.
fn should_flip_board(game: &GameState) -> bool {
    let is_person = |player: Player| {
        let seat = game.config().participants.get(game.participant_of(player));
        seat.is_some_and(Option::is_none)
    };
    let has_sides = game.facts().board.has_home_sides;
    has_sides && is_person(Player::Second) && !is_person(Player::First)
}

fn last_output_lines(post_mortem: &PostMortem) -> Vec<String> {
    let mut lines = post_mortem.lines.clone();
    lines.extend(
        post_mortem
            .complaints
            .iter()
            .map(|line| format!("! {line}")),
    );
    lines.split_off(lines.len().saturating_sub(6))
}
