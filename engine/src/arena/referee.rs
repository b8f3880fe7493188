//! One game between two engines. The referee keeps its own board and trusts no engine.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{
    client::{
        Client, EngineFault, EngineInfo, EngineMove, EnginePhase, GameSpec, NewGame, PostMortem,
        ReportedResult, StartError, Timeouts,
    },
    openings::Opening,
    time_control::{Clocks, MoveLimits},
};
use crate::{
    games::{
        History, Outcome, Playable, Player,
        notation::{self, Style, quote},
    },
    runs::halt::Halt,
};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// The rules.
    Rules,
    /// Both sides had long thought it drawn.
    DrawAgreed,
    /// One side had long thought it lost.
    Hopeless,
    /// The ply limit was reached.
    TooLong,
    /// One side gave up.
    Resigned,
    /// A move that is none, or none here.
    IllegalMove,
    /// One side claimed to have no move, though it had.
    FalseClaim,
    /// A move after its time.
    Late,
    /// No move, and no answer.
    Silent,
    /// A process that ended.
    Crashed,
    /// A process did not start, or refused a command.
    Refused,
}

impl Termination {
    /// Whether it is an engine's malfunction rather than its play.
    pub fn is_fault(self) -> bool {
        matches!(
            self,
            Self::IllegalMove
                | Self::FalseClaim
                | Self::Late
                | Self::Silent
                | Self::Crashed
                | Self::Refused
        )
    }

    /// In a few words, for tables.
    pub fn description(self) -> &'static str {
        match self {
            Self::Rules => "by the rules",
            Self::DrawAgreed => "adjudicated a draw",
            Self::Hopeless => "adjudicated a loss",
            Self::TooLong => "too long",
            Self::Resigned => "resigned",
            Self::IllegalMove => "illegal move",
            Self::FalseClaim => "false claim",
            Self::Late => "late",
            Self::Silent => "no answer",
            Self::Crashed => "crashed",
            Self::Refused => "would not play",
        }
    }
}

/// When a game is ended that is not over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Drawn when both sides think so.
    pub draw: Option<AdjudicationRule>,
    /// Lost when the side to lose thinks so.
    pub resign: Option<AdjudicationRule>,
    /// Ply count at which a game is drawn.
    pub plies: Option<u32>,
}

/// When a game is adjudicated by an engine's own scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdjudicationRule {
    /// Consecutive moves of a side that must meet the rule.
    pub moves: u32,
    /// Score bound, in centipawns: at most this far from 0 for draws, at least this far below 0 for resignation.
    pub score: i32,
    /// First ply at which the rule applies.
    pub after: u32,
}

/// Terms of a game: what engines receive, and what they may not do.
#[derive(Clone, Debug)]
pub struct RefereeSettings {
    /// The game.
    pub game: GameSpec,
    /// Timeouts of everything but moves.
    pub timeouts: Timeouts,
    /// When a game is ended that is not over.
    pub adjudication: Adjudication,
    /// Minimum time between two moves, for people who watch.
    pub move_delay: Duration,
}

/// One side of a game: an engine, and the conversation with it while it is well.
#[derive(Debug)]
pub struct EnginePlayer<'a> {
    /// The conversation; none after a failure.
    pub client: Option<Client>,
    /// Why there is no client: the engine did not start, and forfeits.
    pub start_error: Option<StartError>,
    /// How long its moves may take.
    pub limits: &'a MoveLimits,
    /// Its random numbers.
    pub seed: u64,
    /// Where its trees go.
    pub trees: Option<String>,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedGame {
    /// The result.
    pub outcome: Outcome,
    /// How it ended.
    pub ending: Termination,
    /// The reason in words, with the details.
    pub reason: String,
    /// Whose fault it was.
    pub blame: Option<Player>,
    /// Evidence about the engine at fault.
    pub post_mortem: Option<PostMortem>,
    /// The last position.
    pub position: String,
    /// Discs or stones of both sides, where they are counted.
    pub score: Option<[u32; 2]>,
    /// All moves with their players, those of the opening first.
    pub moves: Vec<(Player, String)>,
    /// The engines' reports on their moves, with the time taken.
    pub infos: Vec<(EngineInfo, Duration)>,
    /// Remarks about the engines.
    pub remarks: Vec<(Player, String)>,
    /// Whether the engine at fault cannot play this match at all.
    pub is_engine_unusable: bool,
    /// Whether the failed process was apparently stopped from outside the match.
    pub is_stopped_externally: bool,
}

/// The state of a running game, for observers.
#[derive(Debug)]
pub struct GameStatus<'a> {
    /// The moves so far.
    pub moves: &'a [(Player, String)],
    /// The clocks.
    pub clocks: &'a Clocks,
    /// The result and why, when it is over.
    pub result: Option<(Outcome, &'a str)>,
}

/// Plays a game; none if a stop was requested before it was over.
pub fn play<G: Playable>(
    settings: &RefereeSettings,
    opening: &Opening<G>,
    players: &mut [EnginePlayer<'_>; 2],
    halt: &Halt,
    on_status: &mut dyn FnMut(&GameStatus<'_>),
) -> Option<FinishedGame> {
    let [first, second] = &*players;
    let clocks = Clocks::new([first.limits.clock, second.limits.clock]);
    let mut referee = Referee {
        settings,
        players,
        halt,
        position: opening.start.clone(),
        history: History::new(),
        clocks,
        moves: Vec::new(),
        infos: Vec::new(),
        remarks: Vec::new(),
        is_engine_unusable: false,
        drawn_streak: [0; 2],
        lost_streak: [0; 2],
    };
    referee.history.push(&referee.position);
    let verdict = match referee.start_game(opening) {
        Ok(()) => loop {
            if let Some(verdict) = referee.adjudicate() {
                break verdict;
            }
            on_status(&referee.status(None));
            referee.wait_move_delay();
            if let Err(verdict) = referee.play_turn() {
                break verdict;
            }
        },
        Err(verdict) => verdict,
    };
    referee.stop_pondering();
    let verdict = verdict?;
    if verdict.ending == Termination::Rules {
        referee.check_engine_results(verdict.outcome);
    }
    let is_stopped_externally = verdict.is_stopped_externally();
    if !is_stopped_externally {
        on_status(&referee.status(Some((verdict.outcome, &verdict.reason))));
        referee.wait_move_delay();
    }
    Some(FinishedGame {
        is_stopped_externally,
        outcome: verdict.outcome,
        ending: verdict.ending,
        reason: verdict.reason,
        blame: verdict.blame,
        post_mortem: verdict.post_mortem,
        position: notation::position_text(&referee.position),
        score: referee.position.score(),
        moves: referee.moves,
        infos: referee.infos,
        remarks: referee.remarks,
        is_engine_unusable: referee.is_engine_unusable,
    })
}

/// The referee's decision.
struct Ruling {
    outcome: Outcome,
    ending: Termination,
    reason: String,
    blame: Option<Player>,
    post_mortem: Option<PostMortem>,
}

impl Ruling {
    fn is_stopped_externally(&self) -> bool {
        let post_mortem = self.post_mortem.as_ref();
        self.ending == Termination::Crashed
            && post_mortem.is_some_and(|remains| remains.is_stopped_externally)
    }
}

/// None if the game was abandoned because of a stop request.
type Decision = Option<Ruling>;

struct Referee<'a, 'b, G: Playable> {
    settings: &'a RefereeSettings,
    players: &'a mut [EnginePlayer<'b>; 2],
    halt: &'a Halt,
    position: G,
    history: History,
    clocks: Clocks,
    moves: Vec<(Player, String)>,
    infos: Vec<(EngineInfo, Duration)>,
    remarks: Vec<(Player, String)>,
    is_engine_unusable: bool,
    /// Consecutive moves of each side that met the draw rule, and the resignation rule.
    drawn_streak: [u32; 2],
    lost_streak: [u32; 2],
}

/// Poll interval for stop requests while waiting.
const HALT_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Maximum delay between an engine's and the runner's stop signal. Batch systems, terminals and containers signal all
/// processes of a job, in any order.
pub(super) const STOP_DELAY: Duration = Duration::from_secs(1);

const SIDES: [Player; 2] = [Player::First, Player::Second];

fn side_mut<T>(player: Player, pair: &mut [T; 2]) -> &mut T {
    let [first, second] = pair;
    match player {
        Player::First => first,
        Player::Second => second,
    }
}

impl<G: Playable> Referee<'_, '_, G> {
    fn status<'a>(&'a self, result: Option<(Outcome, &'a str)>) -> GameStatus<'a> {
        GameStatus {
            moves: &self.moves,
            clocks: &self.clocks,
            result,
        }
    }

    /// Prepares both engines at the start position.
    fn start_game(&mut self, opening: &Opening<G>) -> Result<(), Decision> {
        for player in SIDES {
            if let Some(error) = side_mut(player, self.players).start_error.take() {
                return Err(self.forfeit_after_fault(player, &error.fault, *error.post_mortem));
            }
        }
        for player in SIDES {
            let engine_player = side_mut(player, self.players);
            let Some(client) = &mut engine_player.client else {
                continue;
            };
            let is_start = opening.start == G::start(opening.start.rules());
            let position = (!is_start).then(|| {
                let mut text = String::new();
                let _ = opening.start.write_position(client.style(), &mut text);
                text
            });
            let new_game = NewGame {
                position,
                seed: engine_player.seed,
                trees: engine_player.trees.clone(),
                limits: engine_player.limits.clone(),
            };
            if let Err(fault) = client.new_game(&new_game) {
                return Err(self.kill_and_forfeit(player, &fault));
            }
        }
        for &mv in &opening.moves {
            self.make_move(mv);
        }
        Ok(())
    }

    /// Makes a legal move, and notifies both engines and observers.
    fn make_move(&mut self, mv: G::Move) {
        let mover = self.position.to_move();
        let own = notation::move_text(&self.position, mv);
        for player in SIDES {
            let Some(client) = &mut side_mut(player, self.players).client else {
                continue;
            };
            match client.style() {
                Style::Own => client.notify_move(mover, &own),
                style => {
                    let mut text = String::new();
                    let _ = self.position.write_move(mv, style, &mut text);
                    client.notify_move(mover, &text);
                }
            }
        }
        self.position.play(mv);
        self.history.push(&self.position);
        self.moves.push((mover, own));
    }

    /// The result, if the game is over by the rules or by adjudication.
    fn adjudicate(&self) -> Option<Decision> {
        let decide = |outcome, ending, reason: String| {
            Some(Some(Ruling {
                outcome,
                ending,
                reason,
                blame: None,
                post_mortem: None,
            }))
        };
        if let Some(outcome) = self.position.outcome() {
            return decide(
                outcome,
                Termination::Rules,
                self.position.end_reason().to_owned(),
            );
        }
        if let Some(outcome) = self.history.outcome(&self.position) {
            return decide(
                outcome,
                Termination::Rules,
                "threefold repetition".to_owned(),
            );
        }
        let Adjudication {
            draw,
            resign,
            plies,
        } = self.settings.adjudication;
        let played = self.moves.len();
        let is_due = |rule: &AdjudicationRule| played >= rule.after as usize;
        if let Some(rule) = resign.filter(is_due) {
            for (player, lost) in SIDES.into_iter().zip(self.lost_streak) {
                if lost >= rule.moves {
                    let reason = format!("thought it lost for {} moves", rule.moves);
                    return decide(
                        Outcome::Win(player.opponent()),
                        Termination::Hopeless,
                        reason,
                    );
                }
            }
        }
        if let Some(rule) = draw.filter(is_due)
            && self.drawn_streak.iter().all(|&quiet| quiet >= rule.moves)
        {
            let reason = format!("both thought it drawn for {} moves", rule.moves);
            return decide(Outcome::Draw, Termination::DrawAgreed, reason);
        }
        if plies.is_some_and(|plies| played >= plies as usize) {
            let reason = format!("not over after {played} plies");
            return decide(Outcome::Draw, Termination::TooLong, reason);
        }
        None
    }

    /// Has the player to move make a move.
    fn play_turn(&mut self) -> Result<(), Decision> {
        let player = self.position.to_move();
        let clocks = self.clocks;
        let engine_player = side_mut(player, self.players);
        let Some(client) = &mut engine_player.client else {
            return Err(None);
        };
        let answer = match client.request_move(player, engine_player.limits, &clocks, &mut |_| {}) {
            Ok(answer) => answer,
            Err(fault) => return Err(self.kill_and_forfeit(player, &fault)),
        };
        if answer.is_late {
            let limit = clocks.remaining(player).or(engine_player.limits.movetime);
            let reason = format!(
                "moved after {:.3} s, and had {:.3} s",
                answer.time.as_secs_f64(),
                limit.unwrap_or_default().as_secs_f64()
            );
            return Err(self.forfeit(player, Termination::Late, reason));
        }
        let mv = self.parse_engine_move(player, &answer)?;
        self.clocks.spend(player, answer.time);
        self.update_streaks(player, &answer.info);
        self.infos.push((answer.info, answer.time));
        self.make_move(mv);
        if let Some(reply) = answer.expected_reply {
            self.ponder(player, &reply);
        }
        Ok(())
    }

    /// Has an engine that ponders think about its move after the opponent's `reply`, which must be legal and lead to its turn.
    fn ponder(&mut self, player: Player, reply: &str) {
        if self.history.outcome(&self.position).is_some() || self.position.to_move() == player {
            return;
        }
        let Ok(mv) = self.position.parse_move(reply) else {
            return;
        };
        let mut after = self.position.clone();
        let mut history = self.history.clone();
        history.play(&mut after, mv);
        if after.to_move() != player || history.outcome(&after).is_some() {
            return;
        }
        let clocks = self.clocks;
        let engine_player = side_mut(player, self.players);
        let Some(client) = engine_player
            .client
            .as_mut()
            .filter(|client| client.ponders())
        else {
            return;
        };
        let mut text = String::new();
        let _ = self.position.write_move(mv, client.style(), &mut text);
        client.ponder(&text, player, engine_player.limits, &clocks);
    }

    /// Ends pondering when the game is over, so that nobody thinks on. An engine that does not obey is ended; it is not needed any
    /// more in this game.
    fn stop_pondering(&mut self) {
        for player in SIDES {
            let seat = side_mut(player, self.players);
            let stopped = seat.client.as_mut().map(Client::stop_pondering);
            let Some(Err(fault)) = stopped else {
                continue;
            };
            if let Some(client) = seat.client.take() {
                drop(client.kill());
                let remark = format!("{fault}, when it was told to stop pondering");
                self.remarks.push((player, remark));
            }
        }
    }

    /// Lets people look at the last move.
    fn wait_move_delay(&self) {
        let begun = Instant::now();
        let pace = match self.moves.is_empty() {
            true => Duration::ZERO,
            false => self.settings.move_delay,
        };
        while let Some(rest) = pace.checked_sub(begun.elapsed())
            && !rest.is_zero()
            && !self.halt.is_requested()
        {
            thread::sleep(rest.min(HALT_POLL_INTERVAL));
        }
    }

    /// The move that an engine means.
    fn parse_engine_move(
        &mut self,
        player: Player,
        answer: &EngineMove,
    ) -> Result<G::Move, Decision> {
        let text = answer.text.as_str();
        let error = match self.position.parse_move(text) {
            Ok(mv) => return Ok(mv),
            Err(error) => error,
        };
        Err(match text.to_ascii_lowercase().as_str() {
            "resign" => Some(Ruling {
                outcome: Outcome::Win(player.opponent()),
                ending: Termination::Resigned,
                reason: "gave up".to_owned(),
                blame: None,
                post_mortem: None,
            }),
            "" | "0000" | "(none)" | "none" | "null" => {
                let said = quote(text);
                let reason = format!("said that there was no move ({said}), though there are");
                self.forfeit(player, Termination::FalseClaim, reason)
            }
            _ => self.forfeit(player, Termination::IllegalMove, error.to_string()),
        })
    }

    /// Counts the consecutive moves that meet the adjudication rules.
    fn update_streaks(&mut self, player: Player, info: &EngineInfo) {
        let Adjudication { draw, resign, .. } = self.settings.adjudication;
        let score = info.score;
        let count = |count: &mut u32, holds: bool| *count = if holds { *count + 1 } else { 0 };
        let is_quiet = (draw.zip(score))
            .is_some_and(|(rule, score)| score.unsigned_abs() <= rule.score.unsigned_abs());
        count(side_mut(player, &mut self.drawn_streak), is_quiet);
        let is_lost = (resign.zip(score)).is_some_and(|(rule, score)| score <= -rule.score);
        count(side_mut(player, &mut self.lost_streak), is_lost);
    }

    /// Forfeits the game for an engine that broke a rule but still runs.
    fn forfeit(&mut self, player: Player, ending: Termination, reason: String) -> Decision {
        if self.halt.is_requested() {
            return None;
        }
        let seat = side_mut(player, self.players);
        let post_mortem = seat.client.as_ref().map(Client::diagnostics);
        Some(Ruling {
            outcome: Outcome::Win(player.opponent()),
            ending,
            reason,
            blame: Some(player),
            post_mortem,
        })
    }

    /// An engine that failed loses, and is ended.
    fn kill_and_forfeit(&mut self, player: Player, fault: &EngineFault) -> Decision {
        let client = side_mut(player, self.players).client.take();
        let post_mortem = client.map(Client::kill).unwrap_or_default();
        self.forfeit_after_fault(player, fault, post_mortem)
    }

    fn forfeit_after_fault(
        &mut self,
        player: Player,
        fault: &EngineFault,
        post_mortem: PostMortem,
    ) -> Decision {
        if self.is_match_stopping(&post_mortem) {
            return None;
        }
        self.is_engine_unusable |= matches!(
            fault,
            EngineFault::Unsupported(_) | EngineFault::NotStarted(_)
        );
        let ending = match fault {
            EngineFault::Halted => return None,
            EngineFault::TimedOut(_) => Termination::Silent,
            EngineFault::Exited(_) => Termination::Crashed,
            EngineFault::NotStarted(_)
            | EngineFault::Refused { .. }
            | EngineFault::Unsupported(_) => Termination::Refused,
        };
        let reason = fault.describe(&post_mortem);
        Some(Ruling {
            outcome: Outcome::Win(player.opponent()),
            ending,
            reason,
            blame: Some(player),
            post_mortem: Some(post_mortem),
        })
    }

    /// Whether the match is told to stop, now or within [`STOP_DELAY`] after an engine was stopped from outside.
    fn is_match_stopping(&self, post_mortem: &PostMortem) -> bool {
        let delay = match post_mortem.is_stopped_externally {
            true => STOP_DELAY,
            false => Duration::ZERO,
        };
        self.halt.wait_timeout(delay)
    }

    /// Asks the engines for the result. It does not change the ruling; a wrong answer becomes a remark.
    fn check_engine_results(&mut self, outcome: Outcome) {
        for player in SIDES {
            let Some(client) = &mut side_mut(player, self.players).client else {
                continue;
            };
            match client.query_result() {
                Ok(Some(said)) if said != ReportedResult::Over(outcome) => {
                    let said = quote(&said.to_string());
                    let result = outcome.as_str();
                    let remark = format!("says that the result is {said}: it is {result}");
                    self.remarks.push((player, remark));
                }
                Ok(_) | Err(EngineFault::Halted) => {}
                Err(fault) => {
                    let client = side_mut(player, self.players).client.take();
                    let remains = client.map(Client::kill).unwrap_or_default();
                    if self.is_match_stopping(&remains) {
                        continue;
                    }
                    let remark = match fault {
                        EngineFault::Exited(EnginePhase::Ready) => {
                            format!("ended after the game ({})", remains.exit)
                        }
                        fault => format!("{fault}, when it was asked for the result"),
                    };
                    self.remarks.push((player, remark));
                }
            }
        }
    }
}
