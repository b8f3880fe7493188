//! The symmetries of a square board, and which of them a game's rules respect.

use super::Game;

/// One of the eight ways to lay a square board onto itself.
///
/// The number is made of three flips, applied in this order: bit 0 swaps columns with rows, bit 1 reverses the
/// columns, bit 2 reverses the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self(0);
    /// Left becomes right.
    pub const MIRROR: Self = Self(0b010);
    /// The four rotations, the identity first.
    pub const ROTATIONS: [Self; 4] = [Self(0), Self(0b011), Self(0b110), Self(0b101)];
    /// All eight, the rotations first.
    pub const ALL: [Self; 8] = [
        Self(0),
        Self(0b011),
        Self(0b110),
        Self(0b101),
        Self(0b010),
        Self(0b100),
        Self(0b001),
        Self(0b111),
    ];

    /// The symmetry as a number below 8.
    #[inline(always)]
    pub fn to_bits(self) -> u8 {
        self.0
    }

    /// The symmetry of a number below 8.
    #[inline(always)]
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 7)
    }

    /// Whether columns and rows change places.
    pub const fn transposes(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether the columns are reversed (after a transposition, if there is one).
    pub const fn reverses_columns(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether the rows are reversed (after a transposition, if there is one).
    pub const fn reverses_rows(self) -> bool {
        self.0 & 4 != 0
    }

    /// Where the square (column, row) of a board of `size` by `size` comes to lie.
    #[inline]
    pub const fn map_square(self, (column, row): (u8, u8), size: u8) -> (u8, u8) {
        let (column, row) = if self.transposes() {
            (row, column)
        } else {
            (column, row)
        };
        (
            if self.reverses_columns() {
                size - 1 - column
            } else {
                column
            },
            if self.reverses_rows() {
                size - 1 - row
            } else {
                row
            },
        )
    }

    /// This symmetry and then another, as one.
    pub fn then(self, next: Self) -> Self {
        // "Flip, then transpose" is "transpose, then flip" with the flips in each other's place.
        let flips = if next.transposes() {
            (self.0 & 2) << 1 | (self.0 & 4) >> 1
        } else {
            self.0 & 6
        };
        Self((self.0 & 1 | flips) ^ next.0)
    }

    /// The symmetry that undoes this one.
    pub fn inverse(self) -> Self {
        // Undoing "transpose, then flip" is "flip, then transpose": the flips trade places.
        if self.transposes() {
            Self(self.0 & 1 | (self.0 & 2) << 1 | (self.0 & 4) >> 1)
        } else {
            self
        }
    }
}

/// A game's symmetries. Every image is itself a legal position, and play commutes with taking images.
pub trait Symmetric: Game {
    /// The symmetries the rules respect, the identity first.
    const SYMMETRIES: &'static [Symmetry] = &[Symmetry::IDENTITY];

    /// The position seen through `symmetry`, which must be one of [`Self::SYMMETRIES`].
    fn image(&self, symmetry: Symmetry) -> Self;

    /// A move seen through `symmetry`.
    fn image_of_move(mv: Self::Move, symmetry: Symmetry) -> Self::Move;

    /// The position with the colours and the side to move exchanged, where the rules treat both sides alike:
    /// same moves, opposite outcome.
    fn inverted(&self) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eight_are_a_group_closed_under_inverses() {
        for symmetry in Symmetry::ALL {
            assert!(Symmetry::ALL.contains(&symmetry.inverse()));
            assert_eq!(symmetry.then(symmetry.inverse()), Symmetry::IDENTITY);
            for column in 0..5 {
                for row in 0..5 {
                    let image = symmetry.map_square((column, row), 5);
                    for next in Symmetry::ALL {
                        assert_eq!(
                            symmetry.then(next).map_square((column, row), 5),
                            next.map_square(image, 5),
                            "{symmetry:?}, then {next:?}"
                        );
                    }
                    assert_eq!(
                        symmetry.inverse().map_square(image, 5),
                        (column, row),
                        "{symmetry:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn rotations_turn_a_corner_all_the_way_round() {
        let quarter = Symmetry::ROTATIONS[1];
        let mut square = (0, 0);
        let mut corners = Vec::new();
        for _ in 0..4 {
            square = quarter.map_square(square, 8);
            corners.push(square);
        }
        assert_eq!(square, (0, 0));
        corners.dedup();
        assert_eq!(corners.len(), 4);
    }
}
