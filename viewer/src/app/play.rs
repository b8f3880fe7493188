//! The game that is played in the window: people click, engines are asked, and the trees of their moves are followed.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use canopy_engine::{
    arena::{client::Remains, engines::Engine},
    games::Player,
    rng::{child_seed, mix},
};
use serde_json::{Value, json};

use super::{App, Following};
use crate::{
    board::{Motion, Place},
    exhibition::{new_directory, remove_directory},
    play::{
        Plan,
        files::{self, Keeper},
        opponent::{News, Opponent, Question},
        table::{Effort, Table, Turn, directory_of},
    },
    sequence::Sequence,
    watch::Scope,
};

/// An engine that has said nothing for so long may hang.
const SILENCE: Duration = Duration::from_secs(15);
/// A tree that has just come grows for so long, if that is wanted.
const SHOW: Duration = Duration::from_millis(1500);
/// When the window closes engines have so long to go.
const FAREWELL: Duration = Duration::from_millis(1200);
/// What moves is drawn so often.
const FRAME: Duration = Duration::from_millis(16);
/// The clocks are drawn so often.
const SECOND: Duration = Duration::from_secs(1);
/// Random numbers of engines have so many bits.
const SEED_BITS: u32 = 53;
/// Whose random numbers are neither seat's.
const ANALYST: u64 = 2;

/// What a person does with the game.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Click a place of the board.
    Click(Place),
    /// Make a move, as it was typed or chosen.
    Move(String),
    /// Let go of what was taken hold of.
    LetGo,
    /// Take the last move back, and the engine's reply.
    Undo,
    /// Begin the game again.
    Restart,
    /// Stop asking engines, or go on.
    Pause(bool),
    /// Have the engine make one move, and stop.
    Next,
    /// Milliseconds that an engine's move takes at least.
    Pace(u32),
    /// Play another game: the next of the series, or a new one.
    Again,
    /// Start the engine again that failed, or ask it again.
    Revive,
    /// Wait for an engine that says nothing.
    Wait,
    /// Show the position so many moves on.
    Step(i64),
    /// Show the position after so many moves.
    Show(usize),
    /// Have an engine look at the position that is shown, without a move being made.
    Analyse(Box<Engine>),
    /// Write the game to a file.
    Save(PathBuf),
    /// Look from the other side.
    Flip,
    /// Name columns and rows, or do not.
    Coordinates,
    /// Leave the table.
    Leave,
}

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
    heard: Duration,
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
    opponents: [Option<Opponent>; 2],
    analyst: Option<Opponent>,
    /// Where the trees go, as long as the game is played.
    directory: PathBuf,
    keeper: Option<Keeper>,
    seed: u64,
    /// The number of the last question, and of the last game that was begun.
    question: u64,
    games: u64,
    /// The engine that looks for a move.
    pub thinking: Option<Thinking>,
    /// A move that a person is to see coming: when it is made.
    held: Option<(Duration, String, Effort)>,
    /// When the player to move could begin to think.
    began: Duration,
    /// What went wrong.
    pub trouble: Option<Trouble>,
    /// Whether engines wait.
    pub is_paused: bool,
    /// Whether the next move of an engine is the last for now.
    is_single: bool,
    /// Whether the result of this game is in the score.
    is_counted: bool,
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
        remove_directory(&self.directory);
    }
}

impl Playing {
    fn new(plan: Plan, records: Option<&Path>, now: Duration) -> Result<Self, String> {
        let pace = plan.pause;
        let table = Table::new(plan)?;
        let names = [table.name_of(Player::First), table.name_of(Player::Second)];
        let keeper = records.map(|records| Keeper::new(table.plan(), names, records));
        let directory = new_directory()
            .map_err(|error| format!("there is no directory for the trees: {error}"))?;
        let clock = SystemTime::now().duration_since(UNIX_EPOCH);
        let seed = mix(clock.unwrap_or_default().as_nanos() as u64);
        let is_flipped = is_seen_from_below(&table);
        Ok(Self {
            table,
            opponents: [None, None],
            analyst: None,
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
    fn break_off(&mut self) {
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
        let directory = self.directory.join(directory_of(self.table.number()));
        std::fs::create_dir_all(&directory).ok()?;
        Some(directory.to_string_lossy().into_owned())
    }

    fn next_question(&mut self, moves: Vec<String>, seat: u64) -> Question {
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
        held.into_iter().chain(silence).min()
    }

    /// When the window is to be drawn again because time passes.
    pub fn next_frame(&self, now: Duration) -> Option<Duration> {
        if self.motion(now).is_some() {
            return Some(FRAME);
        }
        if matches!(self.table.turn(), Turn::Over(_)) || self.is_paused {
            return None;
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

impl App {
    /// Begins to play; whether that went well.
    pub(super) fn begin_play(&mut self, mut plan: Plan) -> bool {
        for engine in plan.seats.iter_mut().flatten() {
            self.equip(engine);
        }
        let animates = plan.animate;
        match Playing::new(plan, self.records.as_deref(), self.now) {
            Ok(playing) => {
                self.message = None;
                self.watch_game(&playing.directory.clone());
                self.playing = Some(playing);
                self.animates = animates.then_some(SHOW);
                self.carry_on();
                true
            }
            Err(problem) => {
                self.complain(problem);
                false
            }
        }
    }

    /// What our own engine is told beside what a person sets: to write down how its trees grow.
    fn equip(&self, engine: &mut Engine) {
        if engine.command.starts_with(&self.own_engine) {
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

    fn watch_game(&mut self, directory: &Path) {
        self.watch(directory, Scope::Match);
        self.following = Some(Following::default());
        self.step_through(Vec::new());
        self.follow = true;
    }

    /// Does something with the game.
    pub(super) fn do_deed(&mut self, deed: Deed) {
        match deed {
            Deed::Leave => return self.leave_table(),
            Deed::Flip => {
                if let Some(playing) = &mut self.playing {
                    playing.is_flipped ^= true;
                }
                return;
            }
            Deed::Coordinates => {
                self.settings.coordinates ^= true;
                return;
            }
            _ => {}
        }
        let now = self.now;
        let Some(playing) = &mut self.playing else {
            return;
        };
        let done = match deed {
            Deed::Click(place) => match playing.table.click(place) {
                Some(mv) => playing.person_moves(&mv, now),
                None => Ok(()),
            },
            Deed::Move(text) => playing.person_moves(&text, now),
            Deed::LetGo => {
                playing.table.let_go();
                Ok(())
            }
            Deed::Undo if !playing.table.can_undo() => Ok(()),
            Deed::Undo => {
                playing.break_off();
                playing.uncount();
                playing.began = now;
                // Engines alone would only play it again.
                playing.is_paused |= playing.table.plan().seats.iter().all(Option::is_some);
                playing.table.undo()
            }
            Deed::Restart => {
                playing.uncount();
                playing.begin_again(now, false)
            }
            Deed::Again => {
                let more = playing.table.has_more();
                if !more {
                    playing.table.begin_series();
                }
                playing.begin_again(now, more)
            }
            Deed::Pause(is_paused) => {
                playing.is_single = false;
                playing.pause(is_paused, now);
                Ok(())
            }
            Deed::Next if !playing.can_step() => Ok(()),
            Deed::Next => {
                playing.pause(false, now);
                playing.is_single = true;
                Ok(())
            }
            Deed::Pace(milliseconds) => {
                playing.pace = Duration::from_millis(milliseconds.into());
                Ok(())
            }
            Deed::Revive => {
                playing.break_off();
                for opponent in playing.opponents.iter().flatten() {
                    opponent.interrupt();
                }
                playing.began = now;
                Ok(())
            }
            Deed::Wait => {
                playing.trouble = None;
                if let Some(thinking) = &mut playing.thinking {
                    thinking.heard = now;
                }
                Ok(())
            }
            Deed::Step(by) => playing.table.step(by),
            Deed::Show(count) => playing.table.show_move(count),
            Deed::Analyse(engine) => {
                self.analyse(*engine);
                Ok(())
            }
            Deed::Save(path) => {
                let saved = files::save(&path, &playing.table);
                self.saved(&path, saved);
                Ok(())
            }
            Deed::Leave | Deed::Flip | Deed::Coordinates => Ok(()),
        };
        if let Err(problem) = done {
            self.complain(problem);
        }
        self.carry_on();
    }

    /// Lays a game out that was read from a file: two people may go on with it.
    pub(super) fn lay_out(&mut self, path: &Path) {
        let game = self
            .playing
            .as_ref()
            .map_or("chess", |playing| &playing.table.plan().game);
        let loaded = match files::load(path, game) {
            Ok(loaded) => loaded,
            Err(problem) => return self.complain(format!("{}: {problem}", path.display())),
        };
        let plan = Plan {
            game: loaded.game,
            position: loaded.position,
            seats: [None, None],
            games: 1,
            animate: false,
            pause: Duration::ZERO,
        };
        let has_begun = self.begin_play(plan);
        if let Some(playing) = self.playing.as_mut().filter(|_| has_begun) {
            // It was counted where it was played.
            playing.is_counted = true;
            let laid = playing.table.load(&loaded.moves);
            let stepped = laid.and_then(|()| playing.table.show_move(0));
            if let Err(problem) = stepped {
                self.complain(problem);
            }
        }
        self.show_game();
    }

    fn leave_table(&mut self) {
        self.playing = None;
        self.following = None;
        self.watch = None;
        self.directory = None;
        self.animates = None;
        self.message = None;
        self.sequence = Sequence::default();
        self.step_through(Vec::new());
    }

    /// Ends the game because the window closes; engines have a moment to go, and are ended then.
    pub fn shut_down(&mut self) {
        let Some(mut playing) = self.playing.take() else {
            return;
        };
        let Playing {
            opponents, analyst, ..
        } = &mut playing;
        let threads: Vec<_> = (opponents.iter_mut().chain([analyst]).flatten())
            .filter_map(Opponent::take_thread)
            .collect();
        drop(playing);
        let mut patience = FAREWELL;
        while !patience.is_zero() && threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(FRAME);
            patience = patience.saturating_sub(FRAME);
        }
    }

    /// Has an engine look at the position that is shown.
    fn analyse(&mut self, mut engine: Engine) {
        self.equip(&mut engine);
        let wake = Arc::clone(&self.wake);
        let Some(playing) = &mut self.playing else {
            return;
        };
        if playing.table.view().outcome.is_some() {
            return self
                .complain("the game is over in this position: there is nothing to look for");
        }
        let moves = playing
            .table
            .moves()
            .get(..playing.table.shown())
            .unwrap_or_default()
            .to_vec();
        let question = playing.next_question(moves, ANALYST);
        match Opponent::start(engine, &playing.table.plan().game, wake) {
            Ok(analyst) => {
                analyst.ask(question);
                playing.analyst = Some(analyst);
                self.follow = true;
                self.say("looking at the position");
            }
            Err(problem) => self.complain(problem),
        }
    }

    /// Takes in what engines say, and does what is due.
    pub(super) fn tend_game(&mut self) {
        let now = self.now;
        let Some(playing) = &mut self.playing else {
            return;
        };
        let mut news = Vec::new();
        for opponent in playing.opponents.iter().flatten() {
            news.extend(opponent.take());
        }
        let said = playing
            .analyst
            .as_ref()
            .map(Opponent::take)
            .unwrap_or_default();
        let mut is_moved = false;
        for piece in news {
            is_moved |= playing.hear(piece, now);
        }
        if let Some((at, _, _)) = &playing.held
            && now >= *at
            && let Some((_, text, effort)) = playing.held.take()
        {
            playing.engine_moves(&text, effort, now);
            is_moved = true;
        }
        playing.watch_silence(now);
        for piece in said {
            match piece {
                News::Thought(..) => {}
                News::Chosen(_, answer) => {
                    self.say(format!("the best move here is {}", answer.text))
                }
                News::Failed(_, text, remains) => {
                    self.complain(format!("the engine {text} {}", remains.lines.join(" ")))
                }
            }
        }
        if is_moved {
            self.carry_on();
        }
    }

    /// Shows the game as it stands, counts it when it is over, and asks who is to move.
    fn carry_on(&mut self) {
        let (now, wake) = (self.now, Arc::clone(&self.wake));
        self.show_game();
        let Some(playing) = &mut self.playing else {
            return;
        };
        match playing.table.turn() {
            Turn::Person(_) => {}
            Turn::Over(_) => {
                if !std::mem::replace(&mut playing.is_counted, true)
                    && let Err(problem) = playing.count()
                {
                    self.complain(format!("the game is not recorded: {problem}"));
                }
                self.show_game();
            }
            Turn::Engine(seat, player) => {
                let is_busy = playing.thinking.is_some() || playing.held.is_some();
                if playing.is_paused || is_busy || playing.trouble.is_some() {
                    return;
                }
                if let Err(text) = playing.ask(seat, player, now, wake) {
                    playing.trouble = Some(Trouble {
                        text,
                        lines: Vec::new(),
                        is_silence: false,
                    });
                }
            }
        }
    }

    /// Selects the move that was chosen, in the tree of a game that is played here.
    pub(super) fn point_out(&mut self) {
        if self.playing.is_none() || !self.follow || !self.is_final() || self.selected.is_some() {
            return;
        }
        let Some(model) = &self.model else { return };
        let chosen = model.meta.as_ref().and_then(|meta| meta.chosen.clone());
        let mut children = model.children_of(0);
        self.selected = children.find(|&child| chosen.as_deref() == Some(&*model.move_text(child)));
    }

    fn show_game(&mut self) {
        if let (Some(playing), Some(following)) = (&self.playing, &mut self.following) {
            following.standing = Some(Arc::clone(playing.table.standing()));
        }
    }

    /// What there is to know of the game, for tests.
    pub(super) fn dump_game(&self) -> Value {
        let Some(playing) = &self.playing else {
            return Value::Null;
        };
        let table = &playing.table;
        let (status, reason) = table.status();
        let view = table.view();
        json!({
            "game": table.plan().game,
            "status": status,
            "reason": reason,
            "turn": view.turn,
            "told": view.told,
            "position": view.position,
            "moves": table.moves(),
            "shown": table.shown(),
            "legal": view.legal,
            "selected": table.marks(None).selected.map(|place| format!("{place:?}")),
            "targets": table.marks(None).targets.len(),
            "choices": table.choices(),
            "thinking": playing.thinking.is_some(),
            "paused": playing.is_paused,
            "trouble": playing.trouble.as_ref().map(|trouble| &trouble.text),
            "number": table.number(),
            "by_colour": table.by_colour(),
            "score": table.standing().meta.score.won,
            "drawn": table.standing().meta.score.drawn,
            "can_undo": table.can_undo(),
            "records": playing.keeper.as_ref().map(|keeper| keeper.directory().display().to_string()),
        })
    }
}

impl Playing {
    /// A person makes a move.
    fn person_moves(&mut self, text: &str, now: Duration) -> Result<(), String> {
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
    fn engine_moves(&mut self, text: &str, effort: Effort, now: Duration) {
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
    fn hear(&mut self, news: News, now: Duration) -> bool {
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
    fn watch_silence(&mut self, now: Duration) {
        let Some(thinking) = self.thinking.filter(|_| self.trouble.is_none()) else {
            return;
        };
        if now >= thinking.heard + SILENCE {
            let name = self.table.name_of(thinking.player);
            self.trouble = Some(Trouble {
                text: format!("{name} has said nothing for {} seconds", SILENCE.as_secs()),
                lines: Vec::new(),
                is_silence: true,
            });
        }
    }

    /// Asks an engine for a move.
    fn ask(
        &mut self,
        seat: usize,
        player: Player,
        now: Duration,
        wake: crate::loader::Wake,
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
    fn uncount(&mut self) {
        if std::mem::take(&mut self.is_counted) {
            self.table.uncount();
        }
    }

    fn pause(&mut self, is_paused: bool, now: Duration) {
        self.is_paused = is_paused;
        if is_paused {
            self.break_off();
        } else {
            self.began = now;
        }
    }

    /// The same game from its beginning, or the next one of the series.
    fn begin_again(&mut self, now: Duration, is_next: bool) -> Result<(), String> {
        self.break_off();
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
    fn count(&mut self) -> Result<(), String> {
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

/// Whether the second player's side belongs below: a person sits there, and nobody else.
fn is_seen_from_below(table: &Table) -> bool {
    let is_person = |player: Player| {
        let seat = table.plan().seats.get(table.seat_of(player));
        seat.is_some_and(Option::is_none)
    };
    is_person(Player::Second) && !is_person(Player::First)
}

fn last_words(remains: &Remains) -> Vec<String> {
    let mut lines = remains.lines.clone();
    lines.extend(remains.complaints.iter().map(|line| format!("! {line}")));
    lines.split_off(lines.len().saturating_sub(6))
}
