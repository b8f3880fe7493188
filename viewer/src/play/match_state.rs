//! The state of a match: the content of match.json, and what follows from it.

use std::{fs::File, path::Path};

use canopy_engine::{
    arena::stats::WdlCounts,
    games::{Outcome, Player, notation::escape_invisible},
    tree::{
        TreeError,
        meta::{MatchMeta, read_match},
    },
};

use crate::board::{Board, Marks, PositionInfo};

/// The status file in a match's directory.
pub const MATCH_FILE: &str = "match.json";

/// Upper bound of players shown; a match of two has two.
const MAX_PLAYERS: usize = 8;
/// Upper bound of a name's letters.
const MAX_TEXT_CHARS: usize = 60;

/// The state of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchState {
    /// The content of the file.
    pub meta: MatchMeta,
    /// The position of the game that is played, or why there is none.
    pub board: Result<PositionInfo, String>,
    /// The moves of that game, as people write them.
    pub moves: Vec<String>,
    /// The same by turns.
    pub turns: Vec<TurnMoves>,
}

/// The moves of the first and then the second player in one turn, as ranges of the move list. A turn may have several moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnMoves {
    /// The moves of the first player, and of the second.
    pub moves: [Vec<usize>; 2],
}

/// A player of the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchPlayer {
    /// The name.
    pub name: String,
    /// The player's side in this game; none if it does not play.
    pub side: Option<Player>,
    /// The points so far; none if the match keeps no score.
    pub points: Option<String>,
    /// Milliseconds left; none without a clock.
    pub clock: Option<u64>,
}

/// Reads the status file of a directory; none if there is no match.
pub fn read_match_file(directory: &Path) -> Result<Option<MatchMeta>, TreeError> {
    match File::open(directory.join(MATCH_FILE)) {
        Ok(file) => read_match(file).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl MatchState {
    /// Derives the state from the status file.
    pub fn new(meta: MatchMeta) -> Self {
        let board = Board::after_moves(&meta.game, &meta.position, &meta.moves);
        let line: Vec<(Player, String)> = match &board {
            Ok(replayed) => {
                let players = replayed.moves.iter().map(|(player, _)| *player);
                players
                    .zip(replayed.display_moves.iter().cloned())
                    .collect()
            }
            Err(_) => {
                let players = [Player::First, Player::Second].into_iter().cycle();
                players
                    .zip(meta.moves.iter().map(|mv| printable(mv)))
                    .collect()
            }
        };
        let turns = group_turns(line.iter().map(|(player, _)| *player));
        Self {
            board,
            moves: line.into_iter().map(|(_, mv)| mv).collect(),
            turns,
            meta,
        }
    }

    /// Whether the match is declared over, or all games are played.
    pub fn is_over(&self) -> bool {
        let meta = &self.meta;
        let won = meta.score.won.iter();
        let played = won.fold(meta.score.drawn, |sum, &won| sum.saturating_add(won));
        // Without a score, games are played in order.
        let is_counted = !meta.score.names.is_empty();
        let played = if is_counted { played } else { meta.number };
        meta.over || meta.result.is_some() && meta.games > 0 && played >= meta.games
    }

    /// The marks on the board: the last move.
    pub fn marks(&self) -> Marks {
        let now = self.board.as_ref().ok();
        Marks {
            last_move: now.and_then(|now| now.last_move.clone()),
            ..Marks::default()
        }
    }

    /// Whose turn it is; or how the game ended, and why.
    pub fn turn_text(&self) -> String {
        let sides = (self.board.as_ref())
            .map_or(["the first player", "the second player"], |now| now.players);
        let told = match (&self.meta.result, &self.board) {
            (None, Ok(now)) => return now.turn_text.clone(),
            (None, Err(_)) => return String::new(),
            (Some(_), Ok(now)) if now.outcome.is_some() && self.meta.reason.is_none() => {
                return now.turn_text.clone();
            }
            (Some(result), _) => match self.meta.outcome() {
                Some(Outcome::Win(player)) => format!("{} wins", sides[player.index()]),
                Some(Outcome::Draw) => "Draw".to_owned(),
                None => printable(result),
            },
        };
        match &self.meta.reason {
            Some(reason) => format!("{told} ({})", printable(reason)),
            None => told,
        }
    }

    /// Whose turn it is while the game goes on.
    pub fn to_move(&self) -> Option<Player> {
        let now = self.board.as_ref().ok()?;
        now.to_move.filter(|_| self.meta.result.is_none())
    }

    /// The game with its variant, for people.
    pub fn game_name(&self) -> String {
        printable(&self.meta.game)
    }

    /// The number of the game, and of all games.
    pub fn game_label(&self) -> String {
        match self.meta.games {
            0 => format!("Game {}", self.meta.number),
            games => format!("Game {} of {games}", self.meta.number),
        }
    }

    /// The players, in the order in which the match lists them.
    pub fn players(&self) -> Vec<MatchPlayer> {
        let score = &self.meta.score;
        let is_counted = !score.names.is_empty();
        let names = if is_counted {
            &score.names
        } else {
            &self.meta.players
        };
        (names.iter().enumerate().take(MAX_PLAYERS))
            .map(|(index, name)| {
                let side = self.side_of(index, names);
                MatchPlayer {
                    name: printable(name),
                    side,
                    points: is_counted.then(|| self.points(index)),
                    clock: side.and_then(|side| self.meta.clocks.get(side.index()).copied()),
                }
            })
            .collect()
    }

    /// The side a player has. Players of the same name are told apart by their order.
    fn side_of(&self, index: usize, names: &[String]) -> Option<Player> {
        let is_twin = names.iter().filter(|name| **name == names[index]).count() > 1;
        let place = if is_twin {
            Some(index)
        } else {
            let players = &self.meta.players;
            players.iter().position(|player| *player == names[index])
        };
        match place? {
            0 => Some(Player::First),
            1 => Some(Player::Second),
            _ => None,
        }
    }

    /// The points of a player: a draw is half a point. With more than two players, drawn games cannot be attributed.
    fn points(&self, index: usize) -> String {
        let score = &self.meta.score;
        let won = score.won.get(index).copied().unwrap_or(0);
        if score.names.len() != 2 {
            return won.to_string();
        }
        match (won.saturating_add(score.drawn / 2), score.drawn % 2) {
            (points, 0) => points.to_string(),
            (0, _) => "½".to_owned(),
            (points, _) => format!("{points}½"),
        }
    }

    /// The first of two players, and how its games ended; none without a score, or before a game has ended.
    pub fn first_counts(&self) -> Option<(String, WdlCounts)> {
        let score = &self.meta.score;
        let ([name, _], [won, lost]) = (score.names.as_slice(), score.won.as_slice()) else {
            return None;
        };
        let [won, drawn, lost] = [*won, score.drawn, *lost].map(u32::try_from);
        let counts = WdlCounts::new(won.ok()?, drawn.ok()?, lost.ok()?);
        (counts.games() > 0).then(|| (printable(name), counts))
    }

    /// The winner of the match; none while it goes on, or if it is drawn.
    pub fn winner(&self) -> Option<String> {
        let score = &self.meta.score;
        let most = score.won.iter().max().filter(|_| self.is_over())?;
        let mut best = (score.names.iter().zip(&score.won)).filter(|(_, won)| *won == most);
        let (name, _) = best.next()?;
        best.next().is_none().then(|| printable(name))
    }

    /// The result of the match as a sentence; none while it goes on, or without a score.
    pub fn result_text(&self) -> Option<String> {
        (self.is_over() && !self.meta.score.names.is_empty()).then(|| match self.winner() {
            Some(name) => format!("{name} wins the match"),
            None => "The match is drawn".to_owned(),
        })
    }
}

/// Groups moves into turns; a move of the first player after the second's begins a new one.
fn group_turns(players: impl Iterator<Item = Player>) -> Vec<TurnMoves> {
    let mut turns: Vec<TurnMoves> = Vec::new();
    let mut last = None;
    for (index, player) in players.enumerate() {
        let begins = player == Player::First && last != Some(Player::First);
        if begins || turns.is_empty() {
            turns.push(TurnMoves::default());
        }
        if let Some(turn) = turns.last_mut() {
            turn.moves[player.index()].push(index);
        }
        last = Some(player);
    }
    turns
}

/// A text of others, fit to be shown in a line.
fn printable(text: &str) -> String {
    escape_invisible(text)
        .chars()
        .take(MAX_TEXT_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use canopy_engine::tree::meta::ScoreMeta;

    use super::*;

    fn meta(game: &str, moves: &[&str]) -> MatchMeta {
        MatchMeta {
            game: game.to_owned(),
            number: 2,
            games: 4,
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
            players: vec!["b".to_owned(), "a".to_owned()],
            clocks: vec![61_000, 9_400],
            score: ScoreMeta {
                names: vec!["a".to_owned(), "b".to_owned()],
                won: vec![1, 0],
                drawn: 0,
            },
            ..MatchMeta::default()
        }
    }

    #[test]
    fn the_position_and_who_plays_what_are_worked_out() {
        let standing = MatchState::new(meta("connect-four", &["4", "4", "3"]));
        assert_eq!(standing.turn_text(), "O to move");
        assert_eq!(standing.to_move(), Some(Player::Second));
        assert_eq!(standing.marks().last_move.unwrap().mv, "3");
        assert_eq!(standing.game_label(), "Game 2 of 4");
        assert!(!standing.is_over() && standing.result_text().is_none());
        let told = |points: &str, name: &str, side, clock| MatchPlayer {
            name: name.to_owned(),
            side: Some(side),
            points: Some(points.to_owned()),
            clock: Some(clock),
        };
        let expected = [
            told("1", "a", Player::Second, 9_400),
            told("0", "b", Player::First, 61_000),
        ];
        assert_eq!(standing.players(), expected);
    }

    #[test]
    fn a_turn_of_kalah_has_several_sowings() {
        let standing = MatchState::new(meta("kalah", &["3", "6", "1", "2"]));
        let places = |turn: &TurnMoves| turn.moves.clone();
        let turns: Vec<_> = standing.turns.iter().map(places).collect();
        assert_eq!(turns, [[vec![0, 1], vec![2]], [vec![3], vec![]]]);
    }

    #[test]
    fn the_end_is_told_as_the_match_tells_it() {
        let mut meta = meta("othello", &["f5", "d6"]);
        meta.result = Some("p2win".to_owned());
        meta.reason = Some("time".to_owned());
        let standing = MatchState::new(meta.clone());
        assert_eq!(standing.turn_text(), "White wins (time)");
        assert_eq!((standing.to_move(), standing.is_over()), (None, false));
        meta.number = 4;
        (meta.score.won, meta.score.drawn) = (vec![2, 1], 1);
        let standing = MatchState::new(meta.clone());
        assert_eq!(standing.result_text().as_deref(), Some("a wins the match"));
        let points: Vec<_> = (standing.players().into_iter())
            .filter_map(|player| player.points)
            .collect();
        assert_eq!(points, ["2½", "1½"]);
        (meta.score.won, meta.score.drawn) = (vec![0, 0], 4);
        let standing = MatchState::new(meta.clone());
        assert_eq!(
            standing.result_text().as_deref(),
            Some("The match is drawn")
        );
        meta.games = 0;
        assert!(!MatchState::new(meta).is_over(), "nobody knows how many");
    }

    #[test]
    fn nonsense_is_shown_as_far_as_it_goes() {
        let mut meta = meta("go", &["d4\u{7}", "q16", "x\u{202e}"]);
        meta.score.names = vec!["same".to_owned(); 3];
        meta.result = Some("resigned".to_owned());
        let standing = MatchState::new(meta);
        assert!(standing.board.is_err());
        assert_eq!(standing.moves, ["d4\\u{7}", "q16", "x\\u{202e}"]);
        assert_eq!(standing.turns.len(), 2);
        assert_eq!(standing.turn_text(), "resigned");
        let sides: Vec<_> = (standing.players().into_iter())
            .map(|player| player.side)
            .collect();
        assert_eq!(sides, [Some(Player::First), Some(Player::Second), None]);
        assert!(MatchState::new(MatchMeta::default()).players().is_empty());
    }
}
