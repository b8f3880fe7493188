//! A game in the window as people see it: whose turn it is, the meaning of a click, taking moves back. Independent of
//! engines, clocks and windows.

use std::{sync::Arc, time::Duration};

use canopy_engine::{
    arena::engine_config::EngineProtocol,
    games::{self, GameFacts, Outcome, Player},
    tree::meta::{MatchMeta, ScoreMeta},
};

use super::GameConfig;
use crate::{
    board::{Board, BoardPlace, Marks, PositionInfo, RefusedClick},
    play::match_state::MatchState,
};

/// The name of a human player.
pub const PERSON_NAME: &str = "You";

/// The games of a plan, one of which is being played.
#[derive(Clone, Debug)]
pub struct GameState {
    config: GameConfig,
    /// The names of the two players.
    names: [String; 2],
    /// The day of a game that was opened, as its record has it.
    date: Option<String>,
    /// The number of the game, from 1.
    game_number: u32,
    moves: Vec<String>,
    /// Number of moves shown; all of them while the game goes on.
    shown_ply: usize,
    /// The clicks of an incomplete move.
    clicks: Vec<BoardPlace>,
    /// Moves that the clicks name, one of which has to be chosen.
    choices: Vec<String>,
    /// Statistics of each move.
    move_stats: Vec<MoveStats>,
    score: ScoreMeta,
    /// Wins, draws and losses of the first seat, as the first player and as the second.
    by_colour: [[u32; 3]; 2],
    /// How the game was counted, if it was.
    scored_outcome: Option<Outcome>,
    /// Who gave up.
    resigned: Option<Player>,
    /// The game as it stands, and the position that is shown.
    state: Arc<MatchState>,
    shown_position: PositionInfo,
}

/// Time and effort of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveStats {
    /// Time.
    pub time: Duration,
    /// Playouts or positions, as the engine reported.
    pub nodes: u64,
    /// Evaluated leaves, as the engine reported; 0 if it did not.
    pub leaves: u64,
    /// Plies looked ahead, as the engine reported.
    pub depth: u32,
    /// The engine's score of the position.
    pub score: Option<i32>,
}

/// Who must act next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A person, who plays this side.
    Person(Player),
    /// The engine in that seat, which plays this side.
    Engine(usize, Player),
    /// The game is over.
    Over(Outcome),
}

/// What a click on the board leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClickOutcome {
    /// A whole move.
    Move(String),
    /// The beginning of a move.
    Incomplete,
    /// Nothing; the reason as a sentence.
    Refused(String),
}

/// Who played a game, and when, as its record says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameHeading {
    /// Names of the first and the second player; empty where they are not known.
    pub players: [String; 2],
    /// The day, such as `yyyy.mm.dd`; empty if nothing is said of it.
    pub date: String,
}

impl GameState {
    /// The first game of a configuration; an error if the configuration is invalid.
    pub fn new(config: GameConfig) -> Result<Self, String> {
        let view = Board::after_moves(&config.game, &config.position, &[""; 0])?;
        let names = participant_names(&config);
        let score = ScoreMeta {
            names: names.to_vec(),
            won: vec![0, 0],
            drawn: 0,
        };
        let mut table = Self {
            names,
            date: None,
            game_number: 1,
            moves: Vec::new(),
            shown_ply: 0,
            clicks: Vec::new(),
            choices: Vec::new(),
            move_stats: Vec::new(),
            score,
            by_colour: [[0; 3]; 2],
            scored_outcome: None,
            resigned: None,
            state: Arc::new(MatchState::new(MatchMeta::default())),
            shown_position: view,
            config,
        };
        table.update_match_state()?;
        Ok(table)
    }

    /// The configuration.
    pub fn config(&self) -> &GameConfig {
        &self.config
    }

    /// Another dialect is spoken with the engine in a seat.
    pub fn set_dialect(&mut self, seat: usize, dialect: EngineProtocol) {
        let engine = self.config.participants.get_mut(seat);
        if let Some(engine) = engine.and_then(Option::as_mut) {
            engine.protocol = dialect;
        }
    }

    /// The number of the game, from 1.
    pub fn game_number(&self) -> u32 {
        self.game_number
    }

    /// The moves so far, as the game writes them.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// The game as it stands.
    pub fn match_state(&self) -> &Arc<MatchState> {
        &self.state
    }

    /// The position that is shown.
    pub fn shown_position(&self) -> &PositionInfo {
        &self.shown_position
    }

    /// Number of moves shown.
    pub fn shown_ply(&self) -> usize {
        self.shown_ply
    }

    /// Whether the last position is shown.
    pub fn is_at_end(&self) -> bool {
        self.shown_ply == self.moves.len()
    }

    /// Who sits at a side in this game: sides are swapped from game to game.
    pub fn participant_of(&self, player: Player) -> usize {
        let is_swapped = self.game_number.is_multiple_of(2);
        if is_swapped {
            1 - player.index()
        } else {
            player.index()
        }
    }

    /// The name of the player of a side.
    pub fn player_name(&self, player: Player) -> &str {
        self.names
            .get(self.participant_of(player))
            .map_or("", String::as_str)
    }

    /// Takes names and date from the record of a game that was opened.
    pub fn set_heading(&mut self, heading: &GameHeading) -> Result<(), String> {
        for (name, known) in self.names.iter_mut().zip(&heading.players) {
            if !known.is_empty() {
                name.clone_from(known);
            }
        }
        self.score.names = self.names.to_vec();
        self.date = Some(heading.date.clone()).filter(|date| !date.is_empty());
        self.update_match_state()
    }

    /// The day of a game that was opened, as its record has it.
    pub fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// Who must act next.
    pub fn turn(&self) -> Turn {
        if let Some(player) = self.resigned {
            return Turn::Over(Outcome::Win(player.opponent()));
        }
        match self
            .state
            .board
            .as_ref()
            .map(|now| (now.to_move, now.outcome))
        {
            Ok((Some(player), None)) => {
                let seat = self.participant_of(player);
                match self.config.participants.get(seat) {
                    Some(Some(_)) => Turn::Engine(seat, player),
                    _ => Turn::Person(player),
                }
            }
            Ok((_, Some(outcome))) => Turn::Over(outcome),
            _ => Turn::Over(Outcome::Draw),
        }
    }

    /// Whether a person may move now.
    pub fn is_person_to_move(&self) -> bool {
        self.is_at_end() && matches!(self.turn(), Turn::Person(_))
    }

    /// The status, and the reason if the game is over.
    pub fn status_text(&self) -> (String, Option<String>) {
        let status = match self.turn() {
            Turn::Over(Outcome::Win(winner)) => win_text(self.player_name(winner)),
            Turn::Over(Outcome::Draw) => "Draw".to_owned(),
            _ => return ("Game in progress".to_owned(), None),
        };
        if self.resigned.is_some() {
            return (status, Some("given up".to_owned()));
        }
        let position = self.state.board.as_ref().ok();
        let reason = position.and_then(|position| position.end_reason);
        (status, reason.map(str::to_owned))
    }

    /// Makes a move, given in any of the game's notations. An error says why not, and nothing has happened.
    pub fn play_move(&mut self, text: &str, effort: MoveStats) -> Result<(), String> {
        let mut moves = self.moves.clone();
        moves.push(text.trim().to_owned());
        let replayed = Board::after_moves(&self.config.game, &self.config.position, &moves)?;
        self.moves = replayed.moves.into_iter().map(|(_, mv)| mv).collect();
        self.shown_ply = self.moves.len();
        self.move_stats
            .resize(self.moves.len().saturating_sub(1), MoveStats::default());
        self.move_stats.push(effort);
        self.update_match_state()
    }

    /// Handles a click on the board.
    pub fn click(&mut self, place: BoardPlace) -> ClickOutcome {
        if let Some(reason) = self.idle_reason() {
            return ClickOutcome::Refused(reason);
        }
        let selected = self.clicks.first().copied();
        self.choices.clear();
        let mut clicks = self.clicks.clone();
        clicks.push(place);
        let mut reach = self
            .shown_position
            .board
            .click_targets(&self.shown_position.legal_moves, &clicks);
        if reach.complete.is_empty() && reach.next.is_empty() {
            // Perhaps another move begins here.
            clicks = vec![place];
            reach = self
                .shown_position
                .board
                .click_targets(&self.shown_position.legal_moves, &clicks);
        }
        let named: Vec<String> = (reach.complete.iter())
            .filter_map(|&index| self.shown_position.legal_moves.get(index).cloned())
            .collect();
        match named.as_slice() {
            [] if reach.next.is_empty() => {
                self.clicks.clear();
                let refused = RefusedClick {
                    selected,
                    place,
                    mover: self.shown_position.board.to_move(),
                    players: self.shown_position.players,
                };
                return ClickOutcome::Refused(self.shown_position.board.refusal(&refused));
            }
            [only] if reach.next.is_empty() => return ClickOutcome::Move(only.clone()),
            [] => self.clicks = clicks,
            _ => {
                self.clicks = clicks;
                self.choices = named;
            }
        }
        ClickOutcome::Incomplete
    }

    /// Why nobody may move by a click now; none if a person may.
    fn idle_reason(&self) -> Option<String> {
        let reason = match self.turn() {
            Turn::Over(_) => "The game is over.".to_owned(),
            _ if !self.is_at_end() => {
                "This is an earlier position; go to the last one to make a move.".to_owned()
            }
            Turn::Engine(_, player) => format!("{} is to move.", self.player_name(player)),
            Turn::Person(_) => return None,
        };
        Some(reason)
    }

    /// Moves that the clicks name, one of which has to be chosen.
    pub fn choices(&self) -> &[String] {
        &self.choices
    }

    /// Discards the clicks of an incomplete move.
    pub fn clear_clicks(&mut self) {
        self.clicks.clear();
        self.choices.clear();
    }

    /// The marks on the board, with the pointer over one of its places.
    pub fn marks(&self, hovered: Option<BoardPlace>) -> Marks {
        let mut marks = Marks {
            last_move: self.shown_position.last_move.clone(),
            checked_king: self.shown_position.checked_king,
            captures: self.shown_position.captures.clone(),
            ..Marks::default()
        };
        if self.is_person_to_move() {
            let reach = |clicks: &[BoardPlace]| {
                self.shown_position
                    .board
                    .click_targets(&self.shown_position.legal_moves, clicks)
            };
            let leads_on = |place: &BoardPlace| {
                let clicks: Vec<BoardPlace> = self.clicks.iter().copied().chain([*place]).collect();
                let reach = reach(&clicks);
                !reach.complete.is_empty() || !reach.next.is_empty()
            };
            marks.selected = self.clicks.first().copied();
            // In Delta the last click picks up a stone; the sliding stone is shown at its target.
            marks.ghost = (self.clicks.get(1).copied()).or_else(|| hovered.filter(leads_on));
            if self.facts().board.marks_first_click || !self.clicks.is_empty() {
                marks.targets = reach(&self.clicks).next;
            }
        }
        marks
    }

    /// What the game states about itself.
    pub fn facts(&self) -> &'static GameFacts {
        games::facts_of(&self.config.game).unwrap_or(games::DEFAULT)
    }

    /// The only move there is, if it is no place of the board: a pass.
    pub fn forced_pass(&self) -> Option<&str> {
        match self.shown_position.legal_moves.as_slice() {
            [only]
                if self.is_person_to_move()
                    && self.shown_position.board.move_places(only).is_empty() =>
            {
                Some(only)
            }
            _ => None,
        }
    }

    /// Number of moves an undo takes back: those up to a person's last one, or the last one if no person plays.
    fn undo_count(&self) -> usize {
        let Ok(now) = &self.state.board else {
            return 0;
        };
        let is_person = |player: Player| {
            let seat = self.config.participants.get(self.participant_of(player));
            seat.is_some_and(Option::is_none)
        };
        if !self.config.participants.iter().any(Option::is_none) {
            return usize::from(!now.moves.is_empty());
        }
        let last = now.moves.iter().rposition(|&(player, _)| is_person(player));
        last.map_or(0, |last| now.moves.len() - last)
    }

    /// Whether a move can be taken back.
    pub fn can_undo(&self) -> bool {
        self.undo_count() > 0
    }

    /// Takes the last move back, with the engine's reply.
    pub fn undo(&mut self) -> Result<(), String> {
        let left = self.moves.len() - self.undo_count().min(self.moves.len());
        self.moves.truncate(left);
        self.resigned = None;
        self.move_stats.truncate(left);
        self.shown_ply = left;
        self.update_match_state()
    }

    /// Moves the shown position by this many plies.
    pub fn step_ply(&mut self, by: i64) -> Result<(), String> {
        let shown = (self.shown_ply as i64).saturating_add(by);
        self.show_ply(usize::try_from(shown).unwrap_or(0))
    }

    /// Shows the position after `count` moves.
    pub fn show_ply(&mut self, count: usize) -> Result<(), String> {
        self.clear_clicks();
        self.shown_ply = count.min(self.moves.len());
        let moves = self.moves.get(..self.shown_ply).unwrap_or_default();
        self.shown_position = Board::after_moves(&self.config.game, &self.config.position, moves)?;
        Ok(())
    }

    /// The same game from its beginning; the score stays.
    pub fn restart(&mut self) -> Result<(), String> {
        (self.scored_outcome, self.resigned) = (None, None);
        self.moves.clear();
        self.move_stats.clear();
        self.shown_ply = 0;
        self.update_match_state()
    }

    /// Puts moves on the board, all of which must be legal.
    pub fn set_moves(&mut self, moves: &[String]) -> Result<(), String> {
        let replayed = Board::after_moves(&self.config.game, &self.config.position, moves)?;
        self.moves = replayed.moves.into_iter().map(|(_, mv)| mv).collect();
        self.move_stats = vec![MoveStats::default(); self.moves.len()];
        self.shown_ply = self.moves.len();
        self.update_match_state()
    }

    /// A player gives up.
    pub fn resign(&mut self, player: Player) {
        self.resigned = Some(player);
        let _ = self.update_match_state();
    }

    /// Whether a player has resigned.
    pub fn has_resigned(&self) -> bool {
        self.resigned.is_some()
    }

    /// A new series, with nothing won yet.
    pub fn reset_series(&mut self) {
        self.game_number = 1;
        self.score.won = vec![0, 0];
        self.score.drawn = 0;
        self.by_colour = [[0; 3]; 2];
    }

    /// Counts the game that is over; call it once.
    pub fn add_result(&mut self) {
        if let Turn::Over(outcome) = self.turn() {
            self.scored_outcome = Some(outcome);
            self.adjust_score(outcome, true);
        }
    }

    /// Takes back that the game was counted.
    pub fn remove_result(&mut self) {
        if let Some(outcome) = self.scored_outcome.take() {
            self.adjust_score(outcome, false);
        }
    }

    /// Adds a result to the score, or takes it away.
    fn adjust_score(&mut self, outcome: Outcome, is_more: bool) {
        let change = |count: u64| match is_more {
            true => count + 1,
            false => count.saturating_sub(1),
        };
        let side = self.participant_of(Player::First);
        let column = match outcome {
            Outcome::Draw => {
                self.score.drawn = change(self.score.drawn);
                1
            }
            Outcome::Win(winner) => {
                let seat = self.participant_of(winner);
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
        let _ = self.update_match_state();
    }

    /// Whether another game follows: a series ends early once the lead exceeds the games left.
    pub fn has_next_game(&self) -> bool {
        let games = u64::from(self.config.games);
        let played: u64 = self.score.won.iter().sum::<u64>() + self.score.drawn;
        let lead = match self.score.won.as_slice() {
            [first, second] => first.abs_diff(*second),
            _ => 0,
        };
        games > 1 && played < games && lead <= games - played
    }

    /// The next game, sides swapped.
    pub fn next_game(&mut self) -> Result<(), String> {
        self.game_number += 1;
        self.restart()
    }

    /// Wins, draws and losses of the first seat, as the first player and as the second.
    pub fn by_colour(&self) -> [[u32; 3]; 2] {
        self.by_colour
    }

    /// Statistics of each move.
    pub fn move_stats(&self) -> &[MoveStats] {
        &self.move_stats
    }

    /// The time a side has used.
    pub fn time_used(&self, player: Player) -> Duration {
        let Ok(now) = &self.state.board else {
            return Duration::ZERO;
        };
        (now.moves.iter().zip(&self.move_stats))
            .filter(|((mover, _), _)| *mover == player)
            .map(|(_, effort)| effort.time)
            .sum()
    }

    /// Works out how the game stands.
    fn update_match_state(&mut self) -> Result<(), String> {
        let player = |player| self.player_name(player).to_owned();
        let mut meta = MatchMeta {
            game: self.config.game.clone(),
            number: self.game_number.into(),
            games: self.config.games.into(),
            position: self.config.position.clone(),
            moves: self.moves.clone(),
            players: vec![player(Player::First), player(Player::Second)],
            directory: Some(game_directory_name(self.game_number)),
            ..MatchMeta::default()
        };
        if self.config.games > 1 {
            meta.score = self.score.clone();
        }
        if let Some(player) = self.resigned {
            meta.result = Some(Outcome::Win(player.opponent()).as_str().to_owned());
            meta.reason = Some("given up".to_owned());
        }
        self.state = Arc::new(MatchState::new(meta));
        self.show_ply(self.shown_ply)
    }
}

/// Who has won, in words.
fn win_text(name: &str) -> String {
    match name {
        PERSON_NAME => format!("{name} win"),
        _ => format!("{name} wins"),
    }
}

/// The directory of a game's trees.
pub fn game_directory_name(number: u32) -> String {
    format!("game-{number:04}")
}

/// The players' names: a person, two numbered persons, or an engine.
fn participant_names(config: &GameConfig) -> [String; 2] {
    let both = config.participants.iter().all(Option::is_none);
    let name = |seat: usize| match config.participants.get(seat) {
        Some(Some(engine)) => engine.name.clone(),
        _ if both => format!("Player {}", seat + 1),
        _ => PERSON_NAME.to_owned(),
    };
    let [first, second] = [name(0), name(1)];
    if first == second {
        return [format!("{first} 1"), format!("{second} 2")];
    }
    [first, second]
}
