//! A game in the window as people see it: whose turn it is, what a click means, what can be taken back. No engine, no clock
//! and no window are known here.

use std::{sync::Arc, time::Duration};

use canopy_engine::{
    arena::referee::result_word,
    games::{Outcome, Player},
    tree::meta::{MatchMeta, ScoreMeta},
};

use super::Plan;
use crate::{
    board::{Board, Marks, Place, Replayed},
    standing::Standing,
};

/// What a person is called.
pub const PERSON: &str = "You";

/// The games of a plan, one of which is being played.
#[derive(Clone, Debug)]
pub struct Table {
    plan: Plan,
    /// What the two seats are called.
    names: [String; 2],
    /// The number of the game, from 1.
    number: u32,
    moves: Vec<String>,
    /// How many of the moves are shown; all of them while the game goes on.
    shown: usize,
    /// What has been clicked of a move so far.
    clicks: Vec<Place>,
    /// Moves that the clicks name, one of which has to be chosen.
    choices: Vec<String>,
    /// What each of the moves took.
    efforts: Vec<Effort>,
    score: ScoreMeta,
    /// Wins, draws and losses of the first seat, as the first player and as the second.
    by_colour: [[u32; 3]; 2],
    /// How the game was counted, if it was.
    counted: Option<Outcome>,
    /// Who gave up.
    resigned: Option<Player>,
    /// The game as it stands, and the position that is shown.
    standing: Arc<Standing>,
    view: Replayed,
}

/// What a move took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Time.
    pub time: Duration,
    /// Playouts or positions, as the engine told.
    pub nodes: u64,
    /// Plies looked ahead, as the engine told.
    pub depth: u32,
    /// What the engine thought the position worth.
    pub score: Option<i32>,
}

/// Who is to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A person, who plays this side.
    Person(Player),
    /// The engine in that seat, which plays this side.
    Engine(usize, Player),
    /// Nobody: the game is over.
    Over(Outcome),
}

impl Table {
    /// The first game of a plan. An error says what is wrong with it.
    pub fn new(plan: Plan) -> Result<Self, String> {
        let view = Board::replay(&plan.game, &plan.position, &[""; 0])?;
        let names = names(&plan);
        let score = ScoreMeta {
            names: names.to_vec(),
            won: vec![0, 0],
            drawn: 0,
        };
        let mut table = Self {
            names,
            number: 1,
            moves: Vec::new(),
            shown: 0,
            clicks: Vec::new(),
            choices: Vec::new(),
            efforts: Vec::new(),
            score,
            by_colour: [[0; 3]; 2],
            counted: None,
            resigned: None,
            standing: Arc::new(Standing::new(MatchMeta::default())),
            view,
            plan,
        };
        table.stand()?;
        Ok(table)
    }

    /// What is played.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The number of the game, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The moves so far, as the game writes them.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// The game as it stands.
    pub fn standing(&self) -> &Arc<Standing> {
        &self.standing
    }

    /// The position that is shown.
    pub fn view(&self) -> &Replayed {
        &self.view
    }

    /// How many of the moves are shown.
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// Whether the last position is shown.
    pub fn is_at_end(&self) -> bool {
        self.shown == self.moves.len()
    }

    /// Who sits at a side in this game: sides are swapped from game to game.
    pub fn seat_of(&self, player: Player) -> usize {
        let is_swapped = self.number.is_multiple_of(2);
        if is_swapped {
            1 - player.index()
        } else {
            player.index()
        }
    }

    /// What the one at a side is called.
    pub fn name_of(&self, player: Player) -> &str {
        self.names
            .get(self.seat_of(player))
            .map_or("", String::as_str)
    }

    /// Who is to do something.
    pub fn turn(&self) -> Turn {
        if let Some(player) = self.resigned {
            return Turn::Over(Outcome::Win(player.opponent()));
        }
        match self
            .standing
            .board
            .as_ref()
            .map(|now| (now.to_move, now.outcome))
        {
            Ok((Some(player), None)) => {
                let seat = self.seat_of(player);
                match self.plan.seats.get(seat) {
                    Some(Some(_)) => Turn::Engine(seat, player),
                    _ => Turn::Person(player),
                }
            }
            Ok((_, Some(outcome))) => Turn::Over(outcome),
            _ => Turn::Over(Outcome::Draw),
        }
    }

    /// Whether a person may move now.
    pub fn is_persons(&self) -> bool {
        self.is_at_end() && matches!(self.turn(), Turn::Person(_))
    }

    /// The status, and the reason if the game is over.
    pub fn status(&self) -> (&'static str, Option<String>) {
        let status = match self.turn() {
            Turn::Over(Outcome::Win(winner)) if self.seat_of(winner) == 0 => "Player 1 wins",
            Turn::Over(Outcome::Win(_)) => "Player 2 wins",
            Turn::Over(Outcome::Draw) => "Draw",
            _ => return ("Game in progress", None),
        };
        if self.resigned.is_some() {
            return (status, Some("given up".to_owned()));
        }
        let turn = self
            .standing
            .board
            .as_ref()
            .ok()
            .map(|now| now.turn.as_str());
        let reason = turn.and_then(|turn| Some(turn.split_once(" (")?.1.trim_end_matches(')')));
        (status, reason.map(str::to_owned))
    }

    /// Makes a move, given in any of the game's notations. An error says why not, and nothing has happened.
    pub fn play(&mut self, text: &str, effort: Effort) -> Result<(), String> {
        let mut moves = self.moves.clone();
        moves.push(text.trim().to_owned());
        let replayed = Board::replay(&self.plan.game, &self.plan.position, &moves)?;
        self.moves = replayed.line.into_iter().map(|(_, mv)| mv).collect();
        self.shown = self.moves.len();
        self.efforts
            .resize(self.moves.len().saturating_sub(1), Effort::default());
        self.efforts.push(effort);
        self.stand()
    }

    /// What a click on a place of the board does: the move that it completes, if any.
    pub fn click(&mut self, place: Place) -> Option<String> {
        if !self.is_persons() {
            return None;
        }
        self.choices.clear();
        let mut clicks = self.clicks.clone();
        clicks.push(place);
        let mut reach = self.view.board.reach(&self.view.legal, &clicks);
        if reach.complete.is_empty() && reach.next.is_empty() {
            // Perhaps another move begins here.
            clicks = vec![place];
            reach = self.view.board.reach(&self.view.legal, &clicks);
        }
        let named: Vec<String> = (reach.complete.iter())
            .filter_map(|&index| self.view.legal.get(index).cloned())
            .collect();
        match named.as_slice() {
            [] if reach.next.is_empty() => self.clicks.clear(),
            [only] if reach.next.is_empty() => return Some(only.clone()),
            [] => self.clicks = clicks,
            _ => {
                self.clicks = clicks;
                self.choices = named;
            }
        }
        None
    }

    /// Moves that the clicks name, one of which has to be chosen.
    pub fn choices(&self) -> &[String] {
        &self.choices
    }

    /// What has been taken hold of is let go.
    pub fn let_go(&mut self) {
        self.clicks.clear();
        self.choices.clear();
    }

    /// What lies over the board, with the pointer over one of its places.
    pub fn marks(&self, hovered: Option<Place>) -> Marks {
        let last = self.view.last.as_ref();
        let mut marks = Marks {
            last: last.map_or_else(Vec::new, |last| last.places.clone()),
            check: self.view.check,
            captures: self.view.captures.clone(),
            ..Marks::default()
        };
        if self.is_persons() {
            let reach = |clicks: &[Place]| self.view.board.reach(&self.view.legal, clicks);
            let leads_on = |place: &Place| {
                let clicks: Vec<Place> = self.clicks.iter().copied().chain([*place]).collect();
                let reach = reach(&clicks);
                !reach.complete.is_empty() || !reach.next.is_empty()
            };
            marks.selected = self.clicks.first().copied();
            // In delta's last click stones are picked up, and what slides is where it will be.
            marks.ghost = (self.clicks.get(1).copied()).or_else(|| hovered.filter(leads_on));
            // Who has nothing in hand yet knows the own pieces, and a disc falls by itself.
            let speaks_for_itself = ["chess", "connect-four"].contains(&self.base());
            if !(speaks_for_itself && self.clicks.is_empty()) {
                marks.targets = reach(&self.clicks).next;
            }
        }
        marks
    }

    /// The game without its variant.
    pub fn base(&self) -> &str {
        self.plan.game.split(':').next().unwrap_or_default()
    }

    /// The only move there is, if it is no place of the board: a pass.
    pub fn forced(&self) -> Option<&str> {
        match self.view.legal.as_slice() {
            [only] if self.is_persons() && self.view.board.places_of(only).is_empty() => Some(only),
            _ => None,
        }
    }

    /// How many moves are taken back by an undo: those up to the last one of a person, or the last one if no person plays.
    fn to_undo(&self) -> usize {
        let Ok(now) = &self.standing.board else {
            return 0;
        };
        let is_person = |player: Player| {
            let seat = self.plan.seats.get(self.seat_of(player));
            seat.is_some_and(Option::is_none)
        };
        if !self.plan.seats.iter().any(Option::is_none) {
            return usize::from(!now.line.is_empty());
        }
        let last = now.line.iter().rposition(|&(player, _)| is_person(player));
        last.map_or(0, |last| now.line.len() - last)
    }

    /// Whether there is something to take back.
    pub fn can_undo(&self) -> bool {
        self.to_undo() > 0
    }

    /// Takes the last move back, and what the engine replied.
    pub fn undo(&mut self) -> Result<(), String> {
        let left = self.moves.len() - self.to_undo().min(self.moves.len());
        self.moves.truncate(left);
        self.resigned = None;
        self.efforts.truncate(left);
        self.shown = left;
        self.stand()
    }

    /// Shows the position so many moves on.
    pub fn step(&mut self, by: i64) -> Result<(), String> {
        let shown = (self.shown as i64).saturating_add(by);
        self.show_move(usize::try_from(shown).unwrap_or(0))
    }

    /// Shows the position after so many moves.
    pub fn show_move(&mut self, count: usize) -> Result<(), String> {
        self.let_go();
        self.shown = count.min(self.moves.len());
        let moves = self.moves.get(..self.shown).unwrap_or_default();
        self.view = Board::replay(&self.plan.game, &self.plan.position, moves)?;
        Ok(())
    }

    /// The same game from its beginning; the score stays.
    pub fn restart(&mut self) -> Result<(), String> {
        (self.counted, self.resigned) = (None, None);
        self.moves.clear();
        self.efforts.clear();
        self.shown = 0;
        self.stand()
    }

    /// Puts moves on the board, all of which must be legal.
    pub fn load(&mut self, moves: &[String]) -> Result<(), String> {
        let replayed = Board::replay(&self.plan.game, &self.plan.position, moves)?;
        self.moves = replayed.line.into_iter().map(|(_, mv)| mv).collect();
        self.efforts = vec![Effort::default(); self.moves.len()];
        self.shown = self.moves.len();
        self.stand()
    }

    /// A player gives up.
    pub fn resign(&mut self, player: Player) {
        self.resigned = Some(player);
        let _ = self.stand();
    }

    /// Whether somebody gave up.
    pub fn has_resigned(&self) -> bool {
        self.resigned.is_some()
    }

    /// A new series, with nothing won yet.
    pub fn begin_series(&mut self) {
        self.number = 1;
        self.score.won = vec![0, 0];
        self.score.drawn = 0;
        self.by_colour = [[0; 3]; 2];
    }

    /// Counts the game that is over; call it once.
    pub fn count(&mut self) {
        if let Turn::Over(outcome) = self.turn() {
            self.counted = Some(outcome);
            self.add(outcome, true);
        }
    }

    /// Takes back that the game was counted.
    pub fn uncount(&mut self) {
        if let Some(outcome) = self.counted.take() {
            self.add(outcome, false);
        }
    }

    /// Adds a result to the score, or takes it away.
    fn add(&mut self, outcome: Outcome, is_more: bool) {
        let change = |count: u64| match is_more {
            true => count + 1,
            false => count.saturating_sub(1),
        };
        let side = self.seat_of(Player::First);
        let column = match outcome {
            Outcome::Draw => {
                self.score.drawn = change(self.score.drawn);
                1
            }
            Outcome::Win(winner) => {
                let seat = self.seat_of(winner);
                if let Some(won) = self.score.won.get_mut(seat) {
                    *won = change(*won);
                }
                if seat == 0 { 0 } else { 2 }
            }
        };
        let row = self.by_colour.get_mut(side);
        if let Some(count) = row.and_then(|row| row.get_mut(column)) {
            *count = change((*count).into()) as u32;
        }
        let _ = self.stand();
    }

    /// Whether more games are to come after this one: a series ends when nobody can catch up.
    pub fn has_more(&self) -> bool {
        let games = u64::from(self.plan.games);
        let played: u64 = self.score.won.iter().sum::<u64>() + self.score.drawn;
        let lead = match self.score.won.as_slice() {
            [first, second] => first.abs_diff(*second),
            _ => 0,
        };
        games > 1 && played < games && lead <= games - played
    }

    /// The next game, sides swapped.
    pub fn next_game(&mut self) -> Result<(), String> {
        self.number += 1;
        self.restart()
    }

    /// Wins, draws and losses of the first seat, as the first player and as the second.
    pub fn by_colour(&self) -> [[u32; 3]; 2] {
        self.by_colour
    }

    /// What each of the moves took.
    pub fn efforts(&self) -> &[Effort] {
        &self.efforts
    }

    /// What a side has used of its time.
    pub fn used(&self, player: Player) -> Duration {
        let Ok(now) = &self.standing.board else {
            return Duration::ZERO;
        };
        (now.line.iter().zip(&self.efforts))
            .filter(|((mover, _), _)| *mover == player)
            .map(|(_, effort)| effort.time)
            .sum()
    }

    /// Works out how the game stands.
    fn stand(&mut self) -> Result<(), String> {
        let player = |player| self.name_of(player).to_owned();
        let mut meta = MatchMeta {
            game: self.plan.game.clone(),
            number: self.number.into(),
            games: self.plan.games.into(),
            position: self.plan.position.clone(),
            moves: self.moves.clone(),
            players: vec![player(Player::First), player(Player::Second)],
            directory: Some(directory_of(self.number)),
            ..MatchMeta::default()
        };
        if self.plan.games > 1 {
            meta.score = self.score.clone();
        }
        if let Some(player) = self.resigned {
            meta.result = Some(result_word(Outcome::Win(player.opponent())).to_owned());
            meta.reason = Some("given up".to_owned());
        }
        self.standing = Arc::new(Standing::new(meta));
        self.show_move(self.shown)
    }
}

/// The directory of a game's trees.
pub fn directory_of(number: u32) -> String {
    format!("game-{number:04}")
}

/// What the seats are called: a person, two of them apart, or an engine.
fn names(plan: &Plan) -> [String; 2] {
    let both = plan.seats.iter().all(Option::is_none);
    let name = |seat: usize| match plan.seats.get(seat) {
        Some(Some(engine)) => engine.name.clone(),
        _ if both => format!("Player {}", seat + 1),
        _ => PERSON.to_owned(),
    };
    let [first, second] = [name(0), name(1)];
    if first == second {
        return [format!("{first} 1"), format!("{second} 2")];
    }
    [first, second]
}
