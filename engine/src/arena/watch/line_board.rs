//! Names and states for the moves of a line: of the games we know, checked by their rules; of others as they are written.

use crate::games::{
    self, Outcome, Playable, Player, Visitor,
    notation::{self, move_text, position_text},
};

/// A position as dialects set it: where it begins, and the moves from there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootPosition {
    /// The position text; none for the game's start.
    pub start: Option<String>,
    /// The moves from there, as the client writes them.
    pub moves: Vec<String>,
}

impl RootPosition {
    /// Reads a `position` command of UCI or UGI; none if it is none.
    pub fn parse_command(command: &str) -> Option<Self> {
        let mut words = command.split_whitespace();
        if words.next()? != "position" {
            return None;
        }
        let mut position = Self::default();
        let mut start = Vec::new();
        let mut is_moves = false;
        for word in words {
            match word {
                "moves" if !is_moves => is_moves = true,
                word if is_moves => position.moves.push(word.to_owned()),
                "fen" | "startpos" if start.is_empty() => {}
                word => start.push(word),
            }
        }
        if !start.is_empty() {
            position.start = Some(start.join(" "));
        }
        Some(position)
    }
}

/// What a tree says about its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootFacts {
    /// The game with its variant.
    pub game: String,
    /// The position, as the game writes it.
    pub position: String,
    /// Plies played from where it began.
    pub ply: u32,
    /// Who is to move; none if only the engine knows.
    pub to_move: Option<Player>,
    /// Whether the rules are known.
    pub is_known: bool,
}

/// A move of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineStep {
    /// The move's name.
    pub name: String,
    /// The state behind it: who is to move, or the result; empty if unknown.
    pub state: &'static str,
    /// Whether the player to move at the root makes it.
    pub is_by_root_player: bool,
}

/// The board on which an engine thinks.
pub trait LineBoard: Send {
    /// The root.
    fn root(&self) -> &RootFacts;

    /// The moves of a line as far as they are legal.
    fn walk(&self, moves: &[String]) -> Vec<LineStep>;
}

/// The board of a search from this position. A position that is none of the game's gives a board without rules, and what is wrong.
pub fn open(game: &str, position: &RootPosition) -> (Box<dyn LineBoard>, Option<String>) {
    match games::with_game(game, OpenBoard { position }) {
        Ok(Ok(board)) => (board, None),
        Ok(Err(problem)) => (unknown(game, position), Some(problem)),
        // Not one of ours.
        Err(_) => (unknown(game, position), None),
    }
}

fn unknown(game: &str, position: &RootPosition) -> Box<dyn LineBoard> {
    let begins = match position.moves.len() % 2 {
        0 => Player::First,
        _ => Player::Second,
    };
    let mut text = position.start.as_deref().unwrap_or("startpos").to_owned();
    if !position.moves.is_empty() {
        text.push_str(" moves ");
        text.push_str(&position.moves.join(" "));
    }
    Box::new(UnknownBoard {
        facts: RootFacts {
            game: game.to_owned(),
            position: text,
            ply: position.moves.len() as u32,
            to_move: position.start.is_none().then_some(begins),
            is_known: false,
        },
    })
}

struct OpenBoard<'a> {
    position: &'a RootPosition,
}

impl Visitor for OpenBoard<'_> {
    type Out = Result<Box<dyn LineBoard>, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let start = self.position.start.as_deref().unwrap_or("startpos");
        let mut position =
            notation::read_position::<G>(rules, start).map_err(|error| error.to_string())?;
        let mut plies = 0;
        for text in &self.position.moves {
            for mv in read_move(&position, text).ok_or_else(|| {
                let legal = position.parse_move(text).err();
                legal.map_or_else(String::new, |error| error.to_string())
            })? {
                position.play(mv);
                plies += 1;
            }
        }
        Ok(Box::new(KnownBoard {
            facts: RootFacts {
                game: notation::full_name::<G>(rules),
                position: position_text(&position),
                ply: plies,
                to_move: Some(position.to_move()),
                is_known: true,
            },
            position,
        }))
    }
}

/// The move that a text means, with the one before it that records leave out; none if there is no such move.
fn read_move<G: Playable>(position: &G, text: &str) -> Option<Vec<G::Move>> {
    if let Ok(mv) = position.parse_move(text) {
        return Some(vec![mv]);
    }
    let implied = position.implied_move()?;
    let mut after = position.clone();
    after.play(implied);
    let mv = after.parse_move(text).ok()?;
    Some(vec![implied, mv])
}

struct KnownBoard<G> {
    position: G,
    facts: RootFacts,
}

impl<G: Playable> LineBoard for KnownBoard<G> {
    fn root(&self) -> &RootFacts {
        &self.facts
    }

    fn walk(&self, moves: &[String]) -> Vec<LineStep> {
        let mut position = self.position.clone();
        let root_player = position.to_move();
        let mut steps = Vec::with_capacity(moves.len());
        for text in moves {
            let Some(moves) = read_move(&position, text) else {
                break;
            };
            for mv in moves {
                let name = move_text(&position, mv);
                let mover = position.to_move();
                position.play(mv);
                let state = match (position.outcome(), position.to_move()) {
                    (Some(outcome), _) => Outcome::as_str(outcome),
                    (None, Player::First) => "p1",
                    (None, Player::Second) => "p2",
                };
                steps.push(LineStep {
                    name,
                    state,
                    is_by_root_player: mover == root_player,
                });
            }
        }
        steps
    }
}

struct UnknownBoard {
    facts: RootFacts,
}

impl LineBoard for UnknownBoard {
    fn root(&self) -> &RootFacts {
        &self.facts
    }

    /// Every word is a move, and players alternate.
    fn walk(&self, moves: &[String]) -> Vec<LineStep> {
        let step = |(index, text): (usize, &String)| LineStep {
            name: text.clone(),
            state: "",
            is_by_root_player: index % 2 == 0,
        };
        moves.iter().enumerate().map(step).collect()
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn position_commands_are_read() {
        let parse = |text| RootPosition::parse_command(text).unwrap_or_default();
        let moves = parse("position startpos moves e2e4 e7e5");
        assert_eq!((moves.start, moves.moves), (None, words("e2e4 e7e5")));
        let fen = parse("position fen 8/8/8/8/8/8/8/8 w - - 0 1 moves a b");
        assert_eq!(fen.start.as_deref(), Some("8/8/8/8/8/8/8/8 w - - 0 1"));
        assert_eq!(fen.moves, words("a b"));
        assert_eq!(RootPosition::parse_command("go depth 3"), None);
    }

    #[test]
    fn lines_end_where_the_rules_do_not_allow_their_moves() {
        let (board, problem) = open("chess", &RootPosition::default());
        assert_eq!(problem, None);
        let steps = board.walk(&words("e2e4 e7e5 e4e5 d2d4"));
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names, ["e2e4", "e7e5"]);
        assert_eq!((steps[0].state, steps[0].is_by_root_player), ("p2", true));
        assert!(!steps[1].is_by_root_player);
    }

    #[test]
    fn an_extra_turn_is_a_move_of_the_same_player() {
        let (board, _) = open("kalah", &RootPosition::default());
        let steps = board.walk(&words("3 1 1"));
        let movers: Vec<bool> = steps.iter().map(|step| step.is_by_root_player).collect();
        assert_eq!(movers, [true, true, false]);
    }

    #[test]
    fn moves_of_fairy_stockfish_get_our_names() {
        let (board, _) = open("connect-four", &RootPosition::default());
        let steps = board.walk(&words("P@d1 P@d2"));
        assert_eq!(steps[0].name, "4");
        assert_eq!(steps[1].name, "4");
    }

    #[test]
    fn unknown_games_keep_their_words() {
        let position = RootPosition {
            start: None,
            moves: words("D4"),
        };
        let (board, problem) = open("go", &position);
        assert_eq!(problem, None);
        assert_eq!(board.root().to_move, Some(Player::Second));
        assert_eq!(board.root().position, "startpos moves D4");
        assert_eq!(board.walk(&words("Q16 pass")).len(), 2);
    }

    #[test]
    fn a_position_that_is_none_gives_a_board_without_rules_and_the_reason() {
        let position = RootPosition {
            start: Some("nonsense".to_owned()),
            moves: Vec::new(),
        };
        let (board, problem) = open("chess", &position);
        assert!(!board.root().is_known);
        assert!(problem.is_some_and(|problem| problem.contains("nonsense")));
    }
}
