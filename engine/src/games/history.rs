//! The history of a game, which a position does not hold: earlier positions and moves. Judges draws by threefold repetition.

use super::{Game, Outcome, SearchHints};
use crate::rng::mix;

/// The positions a game has passed through, as far as they can come back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    keys: Vec<u64>,
    /// The last two moves, the latest last, as [`SearchHints::reply_context`] numbers them.
    last_moves: [Option<u32>; 2],
}

impl History {
    /// A history in which nothing has happened.
    pub fn new() -> Self {
        Self::default()
    }

    /// Plays a move of the game, and notes it and the position it leads to.
    pub fn play<G: SearchHints>(&mut self, position: &mut G, mv: G::Move) {
        let context = position.reply_context(mv) as u32;
        self.last_moves = [self.last_moves[1], Some(context)];
        position.play(mv);
        self.push(position);
    }

    /// The last two moves that were played, the latest last, as [`SearchHints::reply_context`] numbers them; none where none is
    /// known.
    pub fn last_moves(&self) -> [Option<u32>; 2] {
        self.last_moves
    }

    /// Records a position reached by an unknown move; call it for the start position too.
    pub fn push<G: Game>(&mut self, position: &G) {
        if position.is_irreversible() {
            self.keys.clear();
        }
        if let Some(key) = position.repetition_key() {
            self.keys.push(key);
        }
    }

    /// Records a position on a search path, to be removed with [`Self::truncate_to`].
    #[inline]
    pub fn push_search_position<G: Game>(&mut self, position: &G) {
        if let Some(key) = position.repetition_key() {
            self.keys.push(key);
        }
    }

    /// Where the history stands now.
    #[inline]
    pub fn mark(&self) -> usize {
        self.keys.len()
    }

    /// Removes everything recorded since `mark`.
    #[inline]
    pub fn truncate_to(&mut self, mark: usize) {
        self.keys.truncate(mark);
    }

    /// Number of recorded positions with the same repetition key.
    pub fn occurrences<G: Game>(&self, position: &G) -> usize {
        position.repetition_key().map_or(0, |key| {
            self.keys.iter().filter(|&&seen| seen == key).count()
        })
    }

    /// How often the position recorded last has occurred, and whether another occurrence was recorded at `mark` or later.
    pub fn latest_repetition(&self, mark: usize) -> (usize, bool) {
        let Some((&latest, earlier)) = self.keys.split_last() else {
            return (0, false);
        };
        let mut count = 1;
        let mut is_after_mark = false;
        for (index, _) in earlier
            .iter()
            .enumerate()
            .filter(|&(_, &key)| key == latest)
        {
            count += 1;
            is_after_mark |= index >= mark;
        }
        (count, is_after_mark)
    }

    /// A key of the positions that have occurred twice or more; 0 if there are none.
    pub fn repeated_key(&self) -> u64 {
        let occurrences = |index: usize| {
            let earlier = self.keys[..index].iter();
            earlier.filter(|&&key| key == self.keys[index]).count()
        };
        (0..self.keys.len())
            .filter(|&index| occurrences(index) == 1)
            .fold(0, |sum, index| sum ^ mix(self.keys[index]))
    }

    /// Whether `position`, already recorded, occurs for the third time.
    pub fn is_threefold<G: Game>(&self, position: &G) -> bool {
        self.occurrences(position) >= 3
    }

    /// The result of a game whose latest, already noted, position is `position`.
    pub fn outcome<G: Game>(&self, position: &G) -> Option<Outcome> {
        position
            .outcome()
            .or_else(|| self.is_threefold(position).then_some(Outcome::Draw))
    }
}
