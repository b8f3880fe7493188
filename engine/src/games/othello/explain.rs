//! What a disc would flip, and passes told in words.

use super::{Othello, OthelloMove, PASS};
use crate::games::{BoardPlace, Explain, Game as _, Notation as _, Player};

impl Explain for Othello {
    fn flip_counts(&self) -> Vec<(BoardPlace, [u32; 2])> {
        let other = self.with_turn_passed();
        let [first, second] = match self.to_move {
            Player::First => [self, &other],
            Player::Second => [&other, self],
        };
        (0..64)
            .map(|square| {
                let counts = [first, second].map(|position| position.captures(square).count_ones());
                (BoardPlace::square((square % 8, square / 8)), counts)
            })
            .filter(|(_, counts)| *counts != [0, 0])
            .collect()
    }

    fn move_note(&self, mv: OthelloMove) -> Option<String> {
        let mover = Self::PLAYERS[self.to_move.index()];
        (mv == PASS).then(|| format!("{mover} has no move and passes"))
    }

    fn position_note(&self) -> Option<String> {
        let mover = Self::PLAYERS[self.to_move.index()];
        self.is_legal(PASS).then(|| format!("{mover} must pass"))
    }
}
