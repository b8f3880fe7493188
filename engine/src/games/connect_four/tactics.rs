//! Threats of connect four: cells that complete a line.

use super::{Column, ConnectFour, has_four};
use crate::{
    games::{Game as _, tactics::Tactics},
    machine,
};

impl ConnectFour {
    /// The cells where a disc of these would complete four, of those that it can fall into.
    #[inline(always)]
    fn completing_cells(&self, discs: u64) -> impl Iterator<Item = u64> {
        machine::iter_ones(self.landing_cells())
            .map(|cell| 1 << cell)
            .filter(move |cell| has_four(discs | cell))
    }
}

/// The column of a cell.
fn column_of(cell: u64) -> Column {
    Column((cell.trailing_zeros() / 7) as u8)
}

/// For each cell, in how many of the 69 lines it lies.
static LINES_THROUGH: [u8; 48] = {
    let mut counts = [0; 48];
    let mut start = 0;
    while start < 48 {
        let steps = [1, 6, 7, 8];
        let mut index = 0;
        while index < 4 {
            let step = steps[index];
            let line: u128 = 1 << start
                | 1 << (start + step)
                | 1 << (start + 2 * step)
                | 1 << (start + 3 * step);
            if line & !(super::BOARD as u128) == 0 {
                let mut disc = 0;
                while disc < 4 {
                    counts[start + disc * step] += 1;
                    disc += 1;
                }
            }
            index += 1;
        }
        start += 1;
    }
    counts
};

impl Tactics for ConnectFour {
    const HISTORY_SLOTS: usize = 1 << 3;

    /// A disc that completes a line first, then one that keeps the opponent from it, then cells with many lines.
    fn move_order(&self, Column(column): Column, _: u32) -> i32 {
        let cell = self.landing_cells() & 0b111_1111 << (column * 7);
        if has_four(self.own | cell) {
            return 1 << 20;
        }
        let blocks = i32::from(has_four(self.opponent | cell));
        let lines = LINES_THROUGH[cell.trailing_zeros() as usize % 48];
        blocks << 18 | i32::from(lines) << 10
    }

    /// A disc that completes a line.
    fn quiescence_moves(&self, out: &mut Vec<Column>) {
        out.clear();
        if self.outcome().is_none() {
            out.extend(self.completing_cells(self.own).take(1).map(column_of));
        }
    }

    /// The opponent could complete a line, and the player to move cannot do so first.
    fn is_threatened(&self) -> bool {
        self.completing_cells(self.opponent).next().is_some()
            && self.completing_cells(self.own).next().is_none()
    }

    /// The disc in that cell; of several such cells one, as the opponent has the other.
    fn replies_to_threat(&self, out: &mut Vec<Column>) {
        out.clear();
        out.extend(self.completing_cells(self.opponent).take(1).map(column_of));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::notation::read_position;

    #[test]
    fn the_middle_of_the_board_has_most_lines() {
        // Bottom row: 3 4 5 7 5 4 3; the middle of the board has 13.
        let bottom: Vec<u8> = (0..7).map(|column| LINES_THROUGH[column * 7]).collect();
        assert_eq!(bottom, [3, 4, 5, 7, 5, 4, 3]);
        assert_eq!(LINES_THROUGH[3 * 7 + 2], 13);
        let sum: u32 = LINES_THROUGH.iter().map(|&count| u32::from(count)).sum();
        assert_eq!(sum, 69 * 4);
    }

    #[test]
    fn threats_are_met_and_lines_completed() {
        // X has three in the first column, O is to move.
        let threatened: ConnectFour = read_position((), "12131").unwrap();
        let mut moves = Vec::new();
        assert!(threatened.is_threatened());
        threatened.replies_to_threat(&mut moves);
        assert_eq!(moves, [Column(0)]);
        threatened.quiescence_moves(&mut moves);
        assert!(moves.is_empty());
        // O looks away.
        let won: ConnectFour = read_position((), "121312").unwrap();
        assert!(!won.is_threatened());
        won.quiescence_moves(&mut moves);
        assert_eq!(moves, [Column(0)]);
    }
}
