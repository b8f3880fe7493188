//! One game between two engines. The referee owns the board and believes nobody.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{
    client::{Answer, Beginning, Client, Fault, Game, Patience, Phase, Remains, Thought},
    engines::Engine,
    go::{Clocks, Go},
    halt::Halt,
    openings::Opening,
};
use crate::games::{
    History, Outcome, Playable, Player,
    notation::{self, Style, quote},
};

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The rules.
    Rules,
    /// Both sides had long thought it drawn.
    DrawAgreed,
    /// One side had long thought it lost.
    Hopeless,
    /// It had gone on for too long.
    TooLong,
    /// One side gave up.
    Resigned,
    /// A move that is none, or none here.
    IllegalMove,
    /// One side said that there was no move, though there was.
    FalseClaim,
    /// A move after its time.
    Late,
    /// No move, and no answer.
    Silent,
    /// A process that ended.
    Crashed,
    /// A process that did not start, or would not do what it was told.
    Refused,
}

impl Ending {
    /// Whether it is an engine's fault rather than its play.
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
    pub fn words(self) -> &'static str {
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
    pub draw: Option<Opinion>,
    /// Lost when the side to lose thinks so.
    pub resign: Option<Opinion>,
    /// Drawn after so many plies.
    pub plies: Option<u32>,
}

/// What a side must think for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// So many of its moves in a row.
    pub moves: u32,
    /// A score so near to 0, or so far below it.
    pub score: i32,
    /// Not before so many plies.
    pub after: u32,
}

/// What both engines are told, and what they may not do.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The game.
    pub game: Game,
    /// How long they may take for what is no move.
    pub patience: Patience,
    /// When a game is ended that is not over.
    pub adjudication: Adjudication,
    /// Nobody is asked for a move sooner than this after the last one, for people who watch.
    pub pace: Duration,
}

/// One side of a game: an engine, and the conversation with it while it is well.
#[derive(Debug)]
pub struct Seat<'a> {
    /// Who sits there.
    pub engine: &'a Engine,
    /// The conversation; none before the first game and after a failure.
    pub client: Option<Client>,
    /// How long its moves may take.
    pub go: &'a Go,
    /// Its random numbers.
    pub seed: u64,
    /// Where its trees go.
    pub trees: Option<String>,
}

/// How a game went.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The result.
    pub outcome: Outcome,
    /// What ended it.
    pub ending: Ending,
    /// The same in words, with what was wrong.
    pub reason: String,
    /// Whose fault it was.
    pub blame: Option<Player>,
    /// What is left of who failed.
    pub remains: Option<Remains>,
    /// The last position.
    pub position: String,
    /// Discs or stones of both sides, where they are counted.
    pub score: Option<[u32; 2]>,
    /// All moves, those of the opening first, with who made them.
    pub moves: Vec<(Player, String)>,
    /// What is known of those the engines made.
    pub thoughts: Vec<(Thought, Duration)>,
    /// What else is to be said of the engines.
    pub remarks: Vec<(Player, String)>,
    /// Whether the one to blame cannot play this match at all.
    pub is_hopeless: bool,
    /// Whether somebody outside the match seems to have stopped the process that failed.
    pub is_foreign_stop: bool,
}

/// How a game stands, for those who watch.
#[derive(Debug)]
pub struct Standing<'a> {
    /// The moves so far.
    pub moves: &'a [(Player, String)],
    /// The clocks.
    pub clocks: &'a Clocks,
    /// The result and why, when it is over.
    pub over: Option<(Outcome, &'a str)>,
}

/// Plays a game; none if somebody said stop before it was over.
pub fn play<G: Playable>(
    terms: &Terms,
    opening: &Opening<G>,
    seats: &mut [Seat<'_>; 2],
    halt: &Halt,
    watch: &mut dyn FnMut(&Standing<'_>),
) -> Option<Played> {
    let [first, second] = &*seats;
    let clocks = Clocks::new([first.go.clock, second.go.clock]);
    let mut table = Table {
        terms,
        seats,
        halt,
        position: opening.start.clone(),
        history: History::new(),
        clocks,
        moves: Vec::new(),
        thoughts: Vec::new(),
        remarks: Vec::new(),
        is_hopeless: false,
        quiet: [0; 2],
        lost: [0; 2],
    };
    table.history.push(&table.position);
    let verdict = match table.begin(opening) {
        Ok(()) => loop {
            if let Some(verdict) = table.judge() {
                break verdict;
            }
            watch(&table.standing(None));
            table.pause();
            if let Err(verdict) = table.turn() {
                break verdict;
            }
        },
        Err(verdict) => verdict,
    };
    let verdict = verdict?;
    if verdict.ending == Ending::Rules {
        table.compare(verdict.outcome);
    }
    let is_foreign_stop = verdict.is_foreign_stop();
    if !is_foreign_stop {
        watch(&table.standing(Some((verdict.outcome, &verdict.reason))));
        table.pause();
    }
    Some(Played {
        is_foreign_stop,
        outcome: verdict.outcome,
        ending: verdict.ending,
        reason: verdict.reason,
        blame: verdict.blame,
        remains: verdict.remains,
        position: notation::position_text(&table.position),
        score: table.position.score(),
        moves: table.moves,
        thoughts: table.thoughts,
        remarks: table.remarks,
        is_hopeless: table.is_hopeless,
    })
}

/// What the referee decides.
struct Verdict {
    outcome: Outcome,
    ending: Ending,
    reason: String,
    blame: Option<Player>,
    remains: Option<Remains>,
}

impl Verdict {
    fn is_foreign_stop(&self) -> bool {
        let remains = self.remains.as_ref();
        self.ending == Ending::Crashed && remains.is_some_and(|remains| remains.is_foreign_stop)
    }
}

/// None if the game was given up because somebody said stop.
type Decision = Option<Verdict>;

struct Table<'a, 'b, G: Playable> {
    terms: &'a Terms,
    seats: &'a mut [Seat<'b>; 2],
    halt: &'a Halt,
    position: G,
    history: History,
    clocks: Clocks,
    moves: Vec<(Player, String)>,
    thoughts: Vec<(Thought, Duration)>,
    remarks: Vec<(Player, String)>,
    is_hopeless: bool,
    /// For how many of its moves each side has thought the game drawn, and lost.
    quiet: [u32; 2],
    lost: [u32; 2],
}

/// Whoever waits looks so often whether somebody said stop.
const GLANCE: Duration = Duration::from_millis(20);

/// How long after its engines a runner may be told to stop. Batch systems, terminals and containers signal all processes of a job,
/// in any order.
pub(super) const STOP_DELAY: Duration = Duration::from_secs(1);

const SIDES: [Player; 2] = [Player::First, Player::Second];

fn of<T>(player: Player, pair: &mut [T; 2]) -> &mut T {
    let [first, second] = pair;
    match player {
        Player::First => first,
        Player::Second => second,
    }
}

impl<G: Playable> Table<'_, '_, G> {
    fn standing<'a>(&'a self, over: Option<(Outcome, &'a str)>) -> Standing<'a> {
        Standing {
            moves: &self.moves,
            clocks: &self.clocks,
            over,
        }
    }

    /// Has both engines ready, at the same position.
    fn begin(&mut self, opening: &Opening<G>) -> Result<(), Decision> {
        for player in SIDES {
            let seat = of(player, self.seats);
            if seat.client.is_none() {
                let terms = self.terms;
                match Client::start(seat.engine, &terms.game, terms.patience, self.halt) {
                    Ok(client) => seat.client = Some(client),
                    Err((fault, remains)) => return Err(self.failed(player, &fault, *remains)),
                }
            }
        }
        for player in SIDES {
            let seat = of(player, self.seats);
            let Some(client) = &mut seat.client else {
                continue;
            };
            let is_start = opening.start == G::start(opening.start.rules());
            let position = (!is_start).then(|| {
                let mut text = String::new();
                let _ = opening.start.write_position(client.style(), &mut text);
                text
            });
            let beginning = Beginning {
                position,
                seed: seat.seed,
                trees: seat.trees.clone(),
                go: seat.go.clone(),
            };
            if let Err(fault) = client.begin(&beginning) {
                return Err(self.fail(player, &fault));
            }
        }
        for &mv in &opening.moves {
            self.make(mv);
        }
        Ok(())
    }

    /// Makes a legal move, and tells everybody.
    fn make(&mut self, mv: G::Move) {
        let mover = self.position.to_move();
        let own = notation::move_text(&self.position, mv);
        for player in SIDES {
            let Some(client) = &mut of(player, self.seats).client else {
                continue;
            };
            match client.style() {
                Style::Own => client.played(mover, &own),
                style => {
                    let mut text = String::new();
                    let _ = self.position.write_move(mv, style, &mut text);
                    client.played(mover, &text);
                }
            }
        }
        self.position.play(mv);
        self.history.push(&self.position);
        self.moves.push((mover, own));
    }

    /// Whether the game is over, and how.
    fn judge(&self) -> Option<Decision> {
        let decide = |outcome, ending, reason: String| {
            Some(Some(Verdict {
                outcome,
                ending,
                reason,
                blame: None,
                remains: None,
            }))
        };
        if let Some(outcome) = self.position.outcome() {
            return decide(outcome, Ending::Rules, self.position.reason().to_owned());
        }
        if let Some(outcome) = self.history.outcome(&self.position) {
            return decide(outcome, Ending::Rules, "threefold repetition".to_owned());
        }
        let Adjudication {
            draw,
            resign,
            plies,
        } = self.terms.adjudication;
        let played = self.moves.len();
        let is_due = |opinion: &Opinion| played >= opinion.after as usize;
        if let Some(opinion) = resign.filter(is_due) {
            for (player, lost) in SIDES.into_iter().zip(self.lost) {
                if lost >= opinion.moves {
                    let reason = format!("thought it lost for {} moves", opinion.moves);
                    return decide(Outcome::Win(player.opponent()), Ending::Hopeless, reason);
                }
            }
        }
        if let Some(opinion) = draw.filter(is_due)
            && self.quiet.iter().all(|&quiet| quiet >= opinion.moves)
        {
            let reason = format!("both thought it drawn for {} moves", opinion.moves);
            return decide(Outcome::Draw, Ending::DrawAgreed, reason);
        }
        if plies.is_some_and(|plies| played >= plies as usize) {
            let reason = format!("not over after {played} plies");
            return decide(Outcome::Draw, Ending::TooLong, reason);
        }
        None
    }

    /// Has the player to move make a move.
    fn turn(&mut self) -> Result<(), Decision> {
        let player = self.position.to_move();
        let clocks = self.clocks;
        let seat = of(player, self.seats);
        let Some(client) = &mut seat.client else {
            return Err(None);
        };
        let answer = match client.choose(player, seat.go, &clocks, &mut |_| {}) {
            Ok(answer) => answer,
            Err(fault) => return Err(self.fail(player, &fault)),
        };
        if answer.is_late {
            let limit = clocks.left(player).or(seat.go.movetime);
            let reason = format!(
                "moved after {:.3} s, and had {:.3} s",
                answer.time.as_secs_f64(),
                limit.unwrap_or_default().as_secs_f64()
            );
            return Err(self.blame(player, Ending::Late, reason));
        }
        let mv = self.read(player, &answer)?;
        self.clocks.spend(player, answer.time);
        self.weigh(player, &answer.thought);
        self.thoughts.push((answer.thought, answer.time));
        self.make(mv);
        Ok(())
    }

    /// Lets people look at the last move.
    fn pause(&self) {
        let begun = Instant::now();
        let pace = match self.moves.is_empty() {
            true => Duration::ZERO,
            false => self.terms.pace,
        };
        while let Some(rest) = pace.checked_sub(begun.elapsed())
            && !rest.is_zero()
            && !self.halt.is_said()
        {
            thread::sleep(rest.min(GLANCE));
        }
    }

    /// The move that an engine means.
    fn read(&mut self, player: Player, answer: &Answer) -> Result<G::Move, Decision> {
        let text = answer.text.as_str();
        let error = match self.position.parse_move(text) {
            Ok(mv) => return Ok(mv),
            Err(error) => error,
        };
        Err(match text.to_ascii_lowercase().as_str() {
            "resign" => Some(Verdict {
                outcome: Outcome::Win(player.opponent()),
                ending: Ending::Resigned,
                reason: "gave up".to_owned(),
                blame: None,
                remains: None,
            }),
            "" | "0000" | "(none)" | "none" | "null" => {
                let said = quote(text);
                let reason = format!("said that there was no move ({said}), though there are");
                self.blame(player, Ending::FalseClaim, reason)
            }
            _ => self.blame(player, Ending::IllegalMove, error.to_string()),
        })
    }

    /// Keeps what a side thinks of its chances.
    fn weigh(&mut self, player: Player, thought: &Thought) {
        let Adjudication { draw, resign, .. } = self.terms.adjudication;
        let score = thought.score;
        let count = |count: &mut u32, holds: bool| *count = if holds { *count + 1 } else { 0 };
        let is_quiet = (draw.zip(score))
            .is_some_and(|(opinion, score)| score.unsigned_abs() <= opinion.score.unsigned_abs());
        count(of(player, &mut self.quiet), is_quiet);
        let is_lost = (resign.zip(score)).is_some_and(|(opinion, score)| score <= -opinion.score);
        count(of(player, &mut self.lost), is_lost);
    }

    /// An engine that did something wrong and is well otherwise loses.
    fn blame(&mut self, player: Player, ending: Ending, reason: String) -> Decision {
        if self.halt.is_said() {
            return None;
        }
        let seat = of(player, self.seats);
        let remains = seat.client.as_ref().map(Client::last_words);
        Some(Verdict {
            outcome: Outcome::Win(player.opponent()),
            ending,
            reason,
            blame: Some(player),
            remains,
        })
    }

    /// An engine that failed loses, and is ended.
    fn fail(&mut self, player: Player, fault: &Fault) -> Decision {
        let client = of(player, self.seats).client.take();
        let remains = client.map(Client::bury).unwrap_or_default();
        self.failed(player, fault, remains)
    }

    fn failed(&mut self, player: Player, fault: &Fault, remains: Remains) -> Decision {
        if self.is_stopped_too(&remains) {
            return None;
        }
        self.is_hopeless |= matches!(fault, Fault::Unable(_) | Fault::NotStarted(_));
        let ending = match fault {
            Fault::Halted => return None,
            Fault::Silent(_) => Ending::Silent,
            Fault::Ended(_) => Ending::Crashed,
            Fault::NotStarted(_) | Fault::Refused { .. } | Fault::Unable(_) => Ending::Refused,
        };
        let reason = match fault {
            Fault::Ended(_) => format!("{fault} ({})", remains.exit),
            _ => fault.to_string(),
        };
        Some(Verdict {
            outcome: Outcome::Win(player.opponent()),
            ending,
            reason,
            blame: Some(player),
            remains: Some(remains),
        })
    }

    /// Whether the match is told to stop, now or right after somebody has stopped an engine.
    fn is_stopped_too(&self, remains: &Remains) -> bool {
        let delay = match remains.is_foreign_stop {
            true => STOP_DELAY,
            false => Duration::ZERO,
        };
        self.halt.comes_within(delay)
    }

    /// Asks the engines how the game ended. It is over whatever they say; who is wrong is remembered.
    fn compare(&mut self, outcome: Outcome) {
        let result = result_word(outcome);
        for player in SIDES {
            let Some(client) = &mut of(player, self.seats).client else {
                continue;
            };
            match client.result() {
                Ok(Some(said)) if said != result => {
                    let remark =
                        format!("says that the result is {}: it is {result}", quote(&said));
                    self.remarks.push((player, remark));
                }
                Ok(_) | Err(Fault::Halted) => {}
                Err(fault) => {
                    let client = of(player, self.seats).client.take();
                    let remains = client.map(Client::bury).unwrap_or_default();
                    if self.is_stopped_too(&remains) {
                        continue;
                    }
                    let remark = match fault {
                        Fault::Ended(Phase::Ready) => {
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

/// A result as files have it.
pub fn result_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Player::First) => "p1win",
        Outcome::Win(Player::Second) => "p2win",
        Outcome::Draw => "draw",
    }
}
