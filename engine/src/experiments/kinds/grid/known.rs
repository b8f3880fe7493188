//! Games of a grid that somebody else has played, and how ours compare.

use super::{Grid, GridContext, GridGame};
use crate::experiments::{
    document::{Document, Problem},
    file::ExperimentFile,
    kinds::games::GameRow,
};
use crate::games::notation::quote;

/// The form of a line, for messages.
const FORM: &str = "first player, depth, second player, depth, score such as 15-49, moves such as 30/30, leaves such as 10330/11821, and \
                    perhaps leaves of the other search";

/// A game that somebody else has played. Arrays have the first player's figure first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownGame {
    /// The table it is in, by number from 0.
    pub table: usize,
    /// The players.
    pub players: [usize; 2],
    /// Their depths.
    pub depths: [u32; 2],
    /// Pieces at the end, moves, and leaves.
    pub figures: Figures,
    /// Leaves of the search that plays the games again, if known.
    pub again: Option<[u64; 2]>,
}

/// The figures of a game that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Figures {
    /// Discs or stones at the end.
    pub score: [u64; 2],
    /// Moves, without passes.
    pub moves: [u64; 2],
    /// Leaves evaluated.
    pub leaves: [u64; 2],
}

impl Figures {
    /// The figures of a game of ours.
    pub(super) fn of(row: &GameRow) -> Self {
        Self {
            score: row.score.unwrap_or_default().map(u64::from),
            moves: row.searched,
            leaves: row.leaves,
        }
    }
}

impl KnownGame {
    /// The game of ours that it is compared with.
    pub(super) fn game(&self, is_again: bool) -> GridGame {
        GridGame {
            players: self.players,
            depths: self.depths,
            is_again,
        }
    }

    /// Its figures with the search that plays the games again, if they are known.
    fn figures_again(&self) -> Option<Figures> {
        self.again.map(|leaves| Figures {
            leaves,
            ..self.figures
        })
    }

    /// Whether ours is the same; none if it was not played or cannot be compared.
    pub(super) fn is_equal(&self, context: &GridContext<'_>) -> Option<bool> {
        if context.is_random(self.players) {
            return None;
        }
        let ours = Figures::of(context.row(self.game(false))?);
        let again = context.row(self.game(true)).zip(self.figures_again());
        let is_again_equal = again.is_none_or(|(row, known)| Figures::of(row) == known);
        Some(ours == self.figures && is_again_equal)
    }
}

/// The known games of a file.
pub(super) fn parse(
    file: &ExperimentFile<Grid>,
    document: &Document<'_>,
) -> Result<Vec<KnownGame>, Vec<Problem>> {
    let (mut games, mut problems) = (Vec::new(), Vec::new());
    for (table, known) in file.trials.known.iter().enumerate() {
        for (number, line) in (1..).zip(known.games.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            match parse_line(file, table, line) {
                Some(game) => games.push(game),
                None => {
                    let key = format!("trials.known.{}.games", table + 1);
                    let text = format!("{} is no game: expected {FORM}", quote(line));
                    problems.push(document.locate_in_text(Problem::at(key, text), number));
                }
            }
        }
    }
    match problems.is_empty() {
        true => Ok(games),
        false => Err(problems),
    }
}

fn parse_line(file: &ExperimentFile<Grid>, table: usize, line: &str) -> Option<KnownGame> {
    let mut words = line.split_whitespace();
    let mut side = || {
        let player = file.player_index(words.next()?)?;
        let depth: u32 = words.next()?.parse().ok()?;
        (1..=60).contains(&depth).then_some((player, depth))
    };
    let (first, second) = (side()?, side()?);
    let figures = Figures {
        score: two(words.next()?, '-')?,
        moves: two(words.next()?, '/')?,
        leaves: two(words.next()?, '/')?,
    };
    let again = match words.next() {
        Some(word) => Some(two(word, '/')?),
        None => None,
    };
    words.next().is_none().then_some(KnownGame {
        table,
        players: [first.0, second.0],
        depths: [first.1, second.1],
        figures,
        again,
    })
}

/// Two numbers with a symbol between them.
fn two(text: &str, separator: char) -> Option<[u64; 2]> {
    let (first, second) = text.split_once(separator)?;
    Some([first.parse().ok()?, second.parse().ok()?])
}
