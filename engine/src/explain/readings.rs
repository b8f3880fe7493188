//! Moves as people read them: chess in standard algebraic notation, where files have "g1f3".

use crate::games::{
    self, Playable, Visitor,
    notation::{self, Style, move_text},
};

/// Writes moves from a position as people read them, as far as the rules allow them.
struct ReadLine<'a> {
    position: &'a str,
    moves: &'a [String],
}

impl Visitor for ReadLine<'_> {
    type Out = Option<Vec<String>>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let start = match self.position.trim() {
            "" => "startpos",
            position => position,
        };
        let mut position: G = notation::read_position(rules, start).ok()?;
        let mut texts = Vec::new();
        for name in self.moves {
            let Ok(mv) = position.parse_move(name) else {
                break;
            };
            let mut text = String::new();
            texts.push(match position.write_move(mv, Style::Human, &mut text) {
                Ok(()) => text,
                Err(_) => move_text(&position, mv),
            });
            position.play(mv);
        }
        Some(texts)
    }
}

/// The moves of a line as people read them; as they are written where the game or a move is unknown.
pub(super) fn read_line(game: &str, position: &str, moves: &[String]) -> Vec<String> {
    let read = games::with_game(game, ReadLine { position, moves });
    let mut texts = read.ok().flatten().unwrap_or_default();
    texts.extend(moves.iter().skip(texts.len()).cloned());
    texts
}
