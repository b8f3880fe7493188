//! The game that is played in the window: people click, engines are asked, and the trees of their moves are followed.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use canopy_engine::arena::engines::Engine;
use serde_json::{Value, json};

use super::{App, Following};
use crate::{
    board::Place,
    play::{
        Plan, files,
        opponent::{News, Opponent},
        playing::{ANALYST, FRAME, Playing, Trouble},
        table::Turn,
    },
    sequence::Sequence,
    watch::Scope,
};

/// So long, beside their pace, engines wait before the next game of a series.
const BETWEEN_GAMES: Duration = Duration::from_secs(2);
/// A tree that has just come grows for so long, if that is wanted.
const SHOW: Duration = Duration::from_millis(1500);
/// When the window closes engines have so long to go.
const FAREWELL: Duration = Duration::from_millis(1200);

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
    /// Do not go on to the next game without being told to.
    Stay,
    /// Let nobody look at the position any more.
    StopAnalysis,
    /// Write the game to a file.
    Save(PathBuf),
    /// Look from the other side.
    Flip,
    /// Name columns and rows, or do not.
    Coordinates,
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
                self.watch_game(playing.directory.path());
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
                playing.next_game = None;
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
            Deed::Stay => {
                playing.next_game = None;
                Ok(())
            }
            Deed::StopAnalysis => {
                playing.analyst = None;
                playing.is_looking = false;
                Ok(())
            }
            Deed::Save(path) => {
                let saved = files::save(&path, &playing.table);
                self.saved(&path, saved);
                Ok(())
            }
            Deed::Flip | Deed::Coordinates => Ok(()),
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

    /// Whether the trees that are shown go when the window leaves them.
    pub fn is_passing(&self) -> bool {
        self.playing.is_some() || self.exhibition.is_some()
    }

    /// Whether there is a game that is not over, and would be lost.
    pub fn is_in_game(&self) -> bool {
        self.playing.as_ref().is_some_and(|playing| {
            let is_over = matches!(playing.table.turn(), Turn::Over(_));
            !playing.table.moves().is_empty() && !is_over && !playing.is_counted
        })
    }

    /// Leaves whatever is played or shown: back to the start screen.
    pub(super) fn go_home(&mut self) {
        self.playing = None;
        self.exhibition = None;
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
                playing.is_looking = true;
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
        // Its process stays for a while, for it may still write its tree.
        playing.is_looking &= said.iter().all(|piece| matches!(piece, News::Thought(..)));
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
        let next_game = self.playing.as_ref().and_then(|playing| playing.next_game);
        if next_game.is_some_and(|at| now >= at) {
            self.do_deed(Deed::Again);
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
                if !std::mem::replace(&mut playing.is_counted, true) {
                    let counted = playing.count();
                    let has_people = playing.table.plan().seats.iter().any(Option::is_none);
                    playing.next_game = (playing.table.has_more() && !has_people)
                        .then(|| now + playing.pace + BETWEEN_GAMES);
                    if let Err(problem) = counted {
                        self.complain(format!("the game is not recorded: {problem}"));
                    }
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
