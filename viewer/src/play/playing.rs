//! A game in progress: the table, the engines that play at it, and what was made of it so far. The window's own part, what it
//! shows and follows, is the app's.

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use canopy_engine::{
    arena::client::Remains,
    games::Player,
    rng::{child_seed, mix},
};

use super::{
    Plan,
    files::Keeper,
    opponent::{News, Opponent, Question},
    table::{Effort, Table, Turn, directory_of},
};
use crate::{board::Motion, loader::Wake, temporary::TemporaryDirectory};

/// An engine that has said nothing for so long may hang.
const SILENCE: Duration = Duration::from_secs(15);
/// What moves is drawn so often.
pub(crate) const FRAME: Duration = Duration::from_millis(16);
/// The clocks are drawn so often.
const SECOND: Duration = Duration::from_secs(1);
/// Random numbers of engines have so many bits.
const SEED_BITS: u32 = 31;
/// Whose random numbers are neither seat's.
pub(crate) const ANALYST: u64 = 2;

/// An engine that looks for a move.
#[derive(Clone, Copy, Debug)]
pub struct Thinking {
    /// Whose move it is.
    pub player: Player,
    /// Which question it answers.
    question: u64,
    /// Since when.
    pub since: Duration,
    /// When it last said something.
    pub(crate) heard: Duration,
    /// What it said: playouts or positions.
    pub nodes: u64,
}

/// Something that went wrong with an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// What happened, in a sentence.
    pub text: String,
    /// What it said last.
    pub lines: Vec<String>,
    /// Whether it may still answer.
    pub is_silence: bool,
}

/// The game that is played in the window.
pub struct Playing {
    /// The game.
    pub table: Table,
    pub(crate) opponents: [Option<Opponent>; 2],
    pub(crate) analyst: Option<Opponent>,
    /// Whether it still looks.
    pub is_looking: bool,
    /// When engines begin the next game of a series by themselves.
    pub(crate) next_game: Option<Duration>,
    /// Where the trees go, as long as the game is played; it goes after the engines.
    pub(crate) directory: TemporaryDirectory,
    pub(crate) keeper: Option<Keeper>,
    seed: u64,
    /// The number of the last question, and of the last game that was begun.
    question: u64,
    games: u64,
    /// The engine that looks for a move.
    pub thinking: Option<Thinking>,
    /// A move that a person is to see coming: when it is made.
    pub(crate) held: Option<(Duration, String, Effort)>,
    /// When the player to move could begin to think.
    pub(crate) began: Duration,
    /// What went wrong.
    pub trouble: Option<Trouble>,
    /// Whether engines wait.
    pub is_paused: bool,
    /// Whether the next move of an engine is the last for now.
    pub(crate) is_single: bool,
    /// Whether the result of this game is in the score.
    pub(crate) is_counted: bool,
    /// The last game that was recorded.
    recorded: Option<u64>,
    /// Whether one looks from the second player's side.
    pub is_flipped: bool,
    /// How long a move of an engine takes at least.
    pub pace: Duration,
    /// The last move on its way, and since when.
    motion: Option<(Motion, Duration)>,
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.opponents = [None, None];
        self.analyst = None;
    }
}

impl Playing {
    pub(crate) fn new(plan: Plan, records: Option<&Path>, now: Duration) -> Result<Self, String> {
        let pace = plan.pause;
        let table = Table::new(plan)?;
        let names = [table.name_of(Player::First), table.name_of(Player::Second)];
        let keeper = records.map(|records| Keeper::new(table.plan(), names, records));
        let directory = TemporaryDirectory::new()
            .map_err(|error| format!("there is no directory for the trees: {error}"))?;
        let clock = SystemTime::now().duration_since(UNIX_EPOCH);
        let seed = mix(clock.unwrap_or_default().as_nanos() as u64);
        let is_flipped = is_seen_from_below(&table);
        Ok(Self {
            table,
            opponents: [None, None],
            analyst: None,
            is_looking: false,
            next_game: None,
            directory,
            keeper,
            seed,
            question: 0,
            games: 1,
            thinking: None,
            held: None,
            began: now,
            trouble: None,
            is_paused: false,
            is_single: false,
            is_counted: false,
            recorded: None,
            is_flipped,
            pace,
            motion: None,
        })
    }

    /// The last move on its way, and for how long it has been; none when it has arrived, or is not what is shown.
    pub fn motion(&self, now: Duration) -> Option<(&Motion, Duration)> {
        let (motion, since) = self.motion.as_ref().filter(|_| self.table.is_at_end())?;
        let at = now.saturating_sub(*since);
        (!motion.is_over(at)).then_some((motion, at))
    }

    /// The last move begins its way.
    fn set_off(&mut self, now: Duration) {
        let plan = self.table.plan();
        let motion = Motion::new(&plan.game, &plan.position, self.table.moves());
        self.motion = motion.map(|motion| (motion, now));
    }

    /// Stops whoever thinks; what they find is not wanted any more.
    pub(crate) fn break_off(&mut self) {
        self.question += 1;
        self.held = None;
        self.trouble = None;
        if self.thinking.take().is_some() {
            for opponent in self.opponents.iter().flatten() {
                opponent.interrupt();
            }
        }
    }

    /// Where the trees of this game go, made now.
    fn trees(&self) -> Option<String> {
        let directory = self
            .directory
            .path()
            .join(directory_of(self.table.number()));
        std::fs::create_dir_all(&directory).ok()?;
        Some(directory.to_string_lossy().into_owned())
    }

    pub(crate) fn next_question(&mut self, moves: Vec<String>, seat: u64) -> Question {
        self.question += 1;
        let seed = child_seed(child_seed(self.seed, self.games), seat);
        Question {
            number: self.question,
            game: self.games,
            position: self.table.plan().position.clone(),
            moves,
            seed: seed >> (u64::BITS - SEED_BITS),
            trees: self.trees(),
        }
    }

    /// What fraction of its limit the engine that thinks has used; none without a limit that can be told.
    pub fn progress(&self, now: Duration) -> Option<f32> {
        let thinking = self.thinking?;
        let seat = self.table.seat_of(thinking.player);
        let engine = self.table.plan().seats.get(seat)?.as_ref()?;
        let go = engine.go.as_ref()?;
        let part = match (go.movetime, go.nodes) {
            (Some(time), _) => {
                now.saturating_sub(thinking.since).as_secs_f32() / time.as_secs_f32()
            }
            (None, Some(nodes)) => thinking.nodes as f32 / nodes as f32,
            (None, None) => return None,
        };
        Some(part.clamp(0.0, 1.0))
    }

    /// What a side has used of its time, up to now.
    pub fn used(&self, player: Player, now: Duration) -> Duration {
        let is_running = match self.table.turn() {
            Turn::Person(mover) | Turn::Engine(_, mover) => mover == player && !self.is_paused,
            Turn::Over(_) => false,
        };
        let running = if is_running {
            now.saturating_sub(self.began)
        } else {
            Duration::ZERO
        };
        self.table.used(player) + running
    }

    /// When something has to be done though nobody does anything.
    pub fn next_timer(&self) -> Option<Duration> {
        let held = self.held.as_ref().map(|(at, _, _)| *at);
        let silence = (self.thinking.as_ref().filter(|_| self.trouble.is_none()))
            .map(|thinking| thinking.heard + self.silence(thinking));
        held.into_iter().chain(silence).chain(self.next_game).min()
    }

    /// When the window is to be drawn again because time passes.
    pub fn next_frame(&self, now: Duration) -> Option<Duration> {
        if self.motion(now).is_some() {
            return Some(FRAME);
        }
        if matches!(self.table.turn(), Turn::Over(_)) || self.is_paused {
            return self.next_game.map(|at| at.saturating_sub(now));
        }
        let pause = match self.thinking {
            Some(_) => Duration::from_millis(33),
            None => SECOND,
        };
        Some(
            self.next_timer()
                .map_or(pause, |at| at.saturating_sub(now).min(pause)),
        )
    }
}

impl Playing {
    /// A person makes a move.
    pub(crate) fn person_moves(&mut self, text: &str, now: Duration) -> Result<(), String> {
        if !matches!(self.table.turn(), Turn::Person(_)) {
            return Err("it is not your turn".to_owned());
        }
        if !self.table.is_at_end() {
            return Err(
                "this is an earlier position; go to the last one to make a move".to_owned(),
            );
        }
        let effort = Effort {
            time: now.saturating_sub(self.began),
            ..Effort::default()
        };
        self.table.play(text, effort)?;
        self.began = now;
        self.set_off(now);
        Ok(())
    }

    /// An engine makes a move; one that is not legal is its trouble.
    pub(crate) fn engine_moves(&mut self, text: &str, effort: Effort, now: Duration) {
        let Turn::Engine(_, player) = self.table.turn() else {
            return;
        };
        if text.trim().eq_ignore_ascii_case("resign") {
            self.table.resign(player);
            return;
        }
        if let Err(problem) = self.table.play(text, effort) {
            let name = self.table.name_of(player);
            self.trouble = Some(Trouble {
                text: format!("{name} made a move that it may not make: {problem}"),
                lines: Vec::new(),
                is_silence: false,
            });
            return;
        }
        self.began = now;
        self.set_off(now);
        if std::mem::take(&mut self.is_single) {
            self.is_paused = true;
        }
    }

    /// Takes in what an engine says; whether a move was made.
    pub(crate) fn hear(&mut self, news: News, now: Duration) -> bool {
        let (News::Thought(number, _) | News::Chosen(number, _) | News::Failed(number, _, _)) =
            &news;
        let Some(thinking) =
            (self.thinking.as_mut()).filter(|thinking| thinking.question == *number)
        else {
            return false;
        };
        thinking.heard = now;
        // Who speaks is not silent.
        self.trouble.take_if(|trouble| trouble.is_silence);
        match news {
            News::Thought(_, thought) => {
                thinking.nodes = thought.nodes.unwrap_or(thinking.nodes);
                false
            }
            News::Chosen(_, answer) => {
                let since = thinking.since;
                self.thinking = None;
                self.trouble = None;
                let effort = Effort {
                    time: answer.time,
                    nodes: answer.thought.nodes.unwrap_or(0),
                    depth: answer.thought.depth.unwrap_or(0),
                    score: answer.thought.score,
                };
                if now < since + self.pace {
                    self.held = Some((since + self.pace, answer.text, effort));
                    return false;
                }
                self.engine_moves(&answer.text, effort, now);
                true
            }
            News::Failed(_, text, remains) => {
                let name = self.table.name_of(thinking.player).to_owned();
                self.thinking = None;
                self.trouble = Some(Trouble {
                    text: format!("{name} {text}"),
                    lines: last_words(&remains),
                    is_silence: false,
                });
                false
            }
        }
    }

    /// How long an engine may say nothing: not every one tells what it thinks before its time is up.
    fn silence(&self, thinking: &Thinking) -> Duration {
        let seat = self.table.seat_of(thinking.player);
        let engine = self.table.plan().seats.get(seat).and_then(Option::as_ref);
        let time = engine.and_then(|engine| engine.go.as_ref()?.movetime);
        SILENCE + time.unwrap_or_default()
    }

    /// Says so when an engine has said nothing for long.
    pub(crate) fn watch_silence(&mut self, now: Duration) {
        let Some(thinking) = self.thinking.filter(|_| self.trouble.is_none()) else {
            return;
        };
        let silence = self.silence(&thinking);
        if now >= thinking.heard + silence {
            let name = self.table.name_of(thinking.player);
            self.trouble = Some(Trouble {
                text: format!("{name} has said nothing for {} seconds", silence.as_secs()),
                lines: Vec::new(),
                is_silence: true,
            });
        }
    }

    /// Asks an engine for a move.
    pub(crate) fn ask(
        &mut self,
        seat: usize,
        player: Player,
        now: Duration,
        wake: Wake,
    ) -> Result<(), String> {
        let question = self.next_question(self.table.moves().to_vec(), seat as u64);
        let plan = self.table.plan();
        let Some(slot) = self.opponents.get_mut(seat) else {
            return Ok(());
        };
        let opponent = match slot {
            Some(opponent) => opponent,
            None => {
                let engine = plan.seats.get(seat).cloned().flatten();
                let engine = engine.ok_or("nobody sits there")?;
                slot.insert(Opponent::start(engine, &plan.game, wake)?)
            }
        };
        opponent.ask(question);
        self.thinking = Some(Thinking {
            player,
            question: self.question,
            since: now,
            heard: now,
            nodes: 0,
        });
        self.began = now;
        Ok(())
    }

    /// Whether an engine waits to be told to make one move.
    pub fn can_step(&self) -> bool {
        self.is_paused && matches!(self.table.turn(), Turn::Engine(..))
    }

    /// The result of a game that goes on, or is played again, counts no more.
    pub(crate) fn uncount(&mut self) {
        if std::mem::take(&mut self.is_counted) {
            self.table.uncount();
        }
    }

    pub(crate) fn pause(&mut self, is_paused: bool, now: Duration) {
        self.is_paused = is_paused;
        if is_paused {
            self.break_off();
        } else {
            self.began = now;
        }
    }

    /// The same game from its beginning, or the next one of the series.
    pub(crate) fn begin_again(&mut self, now: Duration, is_next: bool) -> Result<(), String> {
        self.break_off();
        self.next_game = None;
        self.games += 1;
        (self.is_counted, self.is_paused, self.is_single) = (false, false, false);
        self.began = now;
        let begun = if is_next {
            self.table.next_game()
        } else {
            self.table.restart()
        };
        self.is_flipped = is_seen_from_below(&self.table);
        begun
    }

    /// Counts a game that is over, and keeps it.
    pub(crate) fn count(&mut self) -> Result<(), String> {
        self.table.count();
        // A game that was taken back and ended again is on record already.
        let is_known = self.recorded == Some(self.games);
        let Some(keeper) = self.keeper.as_mut().filter(|_| !is_known) else {
            return Ok(());
        };
        self.recorded = Some(self.games);
        keeper.keep(&self.table, self.seed, self.table.efforts())
    }
}

/// Whether the second player's side belongs below: the board has sides, and there a person sits, and nobody else.
fn is_seen_from_below(table: &Table) -> bool {
    let has_sides = ["chess", "kalah", "delta"].contains(&table.base());
    let is_person = |player: Player| {
        let seat = table.plan().seats.get(table.seat_of(player));
        seat.is_some_and(Option::is_none)
    };
    has_sides && is_person(Player::Second) && !is_person(Player::First)
}

fn last_words(remains: &Remains) -> Vec<String> {
    let mut lines = remains.lines.clone();
    lines.extend(remains.complaints.iter().map(|line| format!("! {line}")));
    lines.split_off(lines.len().saturating_sub(6))
}
