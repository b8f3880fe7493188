//! Where games begin: positions and moves from a list, and random plies under a seed.

use rand::SeedableRng as _;

use crate::{
    games::{History, ParseError, Playable, notation},
    rng::Rng,
};

/// Retries when random plies end the game.
const MAX_TRIES: u32 = 1000;

/// The start of a game: a position and moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening<G: Playable> {
    /// The first position.
    pub start: G,
    /// The moves made before the engines' first.
    pub moves: Vec<G::Move>,
}

impl<G: Playable> Opening<G> {
    /// The start of the game, without any moves.
    pub fn from_start(rules: G::Rules) -> Self {
        Self {
            start: G::start(rules),
            moves: Vec::new(),
        }
    }

    /// The position after the moves, and its history.
    pub fn final_position(&self) -> (G, History) {
        let mut position = self.start.clone();
        let mut history = History::new();
        history.push(&position);
        for &mv in &self.moves {
            position.play(mv);
            history.push(&position);
        }
        (position, history)
    }

    /// The same opening followed by `plies` random plies that do not end the game; unchanged if there are none.
    pub fn with_random_plies(&self, plies: u32, seed: u64) -> Self {
        let mut rng = Rng::seed_from_u64(seed);
        for _ in 0..MAX_TRIES {
            let (mut position, mut history) = self.final_position();
            let mut moves = self.moves.clone();
            for _ in 0..plies {
                let Some(mv) = position.random_move(&mut rng) else {
                    break;
                };
                position.play(mv);
                history.push(&position);
                moves.push(mv);
            }
            if history.outcome(&position).is_none() {
                return Self {
                    start: self.start.clone(),
                    moves,
                };
            }
        }
        self.clone()
    }
}

/// Reads a list, one opening a line: a position, moves from the start, or a position, the word `moves` and moves. Empty
/// lines and text after `#` are ignored. An error has its line number.
pub fn parse_list<G: Playable>(
    rules: G::Rules,
    text: &str,
) -> Result<Vec<Opening<G>>, (usize, ParseError)> {
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            openings.push(parse_line(rules, line).map_err(|error| (number, error))?);
        }
    }
    Ok(openings)
}

fn parse_line<G: Playable>(rules: G::Rules, line: &str) -> Result<Opening<G>, ParseError> {
    let (position, moves) = match line.split_once(" moves ") {
        Some(parts) => parts,
        None if starts_with_move(&G::start(rules), line) => ("startpos", line),
        None => (line, ""),
    };
    let start: G = notation::read_position(rules, position)?;
    let mut opening = Opening {
        start,
        moves: Vec::new(),
    };
    let (mut reached, mut history) = opening.final_position();
    let note = |_: &G, mv| opening.moves.push(mv);
    notation::play_moves(&mut reached, &mut history, moves, note)?;
    if history.outcome(&reached).is_some() {
        return Err(ParseError::bad_position::<G>(
            line,
            "the game is over there",
            "an opening after which there is something to play",
        ));
    }
    Ok(opening)
}

fn starts_with_move<G: Playable>(start: &G, line: &str) -> bool {
    let mut position = start.clone();
    let mut history = History::new();
    history.push(&position);
    let word = line.split_whitespace().find(|word| !word.ends_with('.'));
    word.is_some_and(|word| {
        notation::play_moves(&mut position, &mut history, word, |_, _| {}).is_ok()
    })
}
