//! The lines that won.

use super::{ConnectFour, ROWS, lines_of_four};
use crate::games::{BoardPlace, Explain, explain::places_of};

impl Explain for ConnectFour {
    fn winning_lines(&self) -> Vec<Vec<BoardPlace>> {
        // A column has a spare row.
        let square = |bit: u8| (bit / (ROWS + 1), bit % (ROWS + 1));
        (self.discs().into_iter())
            .flat_map(lines_of_four)
            .map(|line| places_of(line, square).collect())
            .collect()
    }
}
