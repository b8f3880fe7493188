//! A short game of one of ours, for questions to engines: its moves, its positions, and what is legal in them.

use crate::{
    arena::watch::line_board::{self, RootPosition},
    games::{
        self, Playable, Visitor,
        notation::{Style, position_text},
    },
    rng::Rng,
};

/// Random games that are tried; the shortest is taken.
const TRIES: u64 = 60;
/// Longer games are not finished.
const MAX_PLIES: usize = 300;

/// A game, from the start to its end.
#[derive(Clone, Debug)]
pub struct SampleGame {
    /// The game.
    pub game: String,
    /// Its moves, in our notation or Fairy-Stockfish's.
    pub moves: Vec<String>,
    /// The position before each move, and the last one.
    pub positions: Vec<String>,
    /// Whose turn it is in each: true for the first player.
    pub first_to_move: Vec<bool>,
    /// The result: `p1win`, `p2win` or `draw`; none if the game was too long.
    pub result: Option<&'static str>,
}

impl SampleGame {
    /// A game in our own notation.
    pub fn new(game: &str) -> Option<Self> {
        Self::in_style(game, Style::Own)
    }

    /// The same game in a notation.
    pub fn in_style(game: &str, style: Style) -> Option<Self> {
        games::with_game(game, FindSample { game, style }).ok()
    }

    /// The command that sets the position after so many moves, by moves.
    pub fn position_by_moves(&self, plies: usize) -> String {
        match self.moves.get(..plies) {
            None | Some([]) => "position startpos".to_owned(),
            Some(moves) => format!("position startpos moves {}", moves.join(" ")),
        }
    }

    /// The command that sets the position after so many moves, by its text.
    pub fn position_by_text(&self, plies: usize) -> String {
        let text = self.positions.get(plies).map_or("", String::as_str);
        format!("position fen {text}")
    }

    /// Whether a line of play is legal after so many moves, to its end.
    pub fn is_legal(&self, plies: usize, line: &[String]) -> bool {
        let position = RootPosition {
            start: None,
            moves: self.moves.get(..plies).unwrap_or_default().to_vec(),
        };
        let (board, problem) = line_board::open(&self.game, &position);
        problem.is_none() && board.walk(line).len() >= line.len()
    }
}

struct FindSample<'a> {
    game: &'a str,
    style: Style,
}

impl Visitor for FindSample<'_> {
    type Out = SampleGame;

    fn visit<G: Playable>(self, rules: G::Rules) -> SampleGame {
        let mut shortest: Option<Vec<G::Move>> = None;
        for seed in 1..=TRIES {
            let mut rng = Rng::new(seed);
            let mut position = G::start(rules);
            let mut moves = Vec::new();
            let limit = shortest.as_ref().map_or(MAX_PLIES, Vec::len);
            while moves.len() < limit
                && let Some(mv) = position.random_move(&mut rng)
            {
                position.play(mv);
                moves.push(mv);
            }
            if position.outcome().is_some() && moves.len() < limit || shortest.is_none() {
                shortest = Some(moves);
            }
        }
        let mut position = G::start(rules);
        let mut sample = SampleGame {
            game: self.game.to_owned(),
            moves: Vec::new(),
            positions: Vec::new(),
            first_to_move: Vec::new(),
            result: None,
        };
        for mv in shortest.unwrap_or_default() {
            sample.note(&position, self.style);
            let mut text = String::new();
            let _ = position.write_move(mv, self.style, &mut text);
            sample.moves.push(text);
            position.play(mv);
        }
        sample.note(&position, self.style);
        sample.result = position.outcome().map(games::Outcome::as_str);
        sample
    }
}

impl SampleGame {
    fn note<G: Playable>(&mut self, position: &G, style: Style) {
        let mut text = String::new();
        if position.write_position(style, &mut text).is_err() {
            text = position_text(position);
        }
        self.positions.push(text);
        self.first_to_move
            .push(position.to_move() == games::Player::First);
    }
}
