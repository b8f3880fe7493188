//! Weights of connect-four's evaluation `threats`, in hundredths of a point: a row for each feature, a column for each knot.
//! Written by `canopy-engine fit --game connect-four --games 6000 --search deepening,ties=random --nodes 300 --opening 6 --shrink 20 --rounds 400
//! --seed 1`, from 106503 positions.

pub(super) const KNOTS: usize = 3;

#[rustfmt::skip]
pub(super) const WEIGHTS: [[i16; KNOTS]; 42] = [
    // disc on row 1 to 6 of an edge column, of the next and so on to the middle
    [-27, -6, -23], [-11, -15, -6], [-7, -15, -14], [13, -2, 18], [-41, -11, -18], [-5, -43, 10], [-1, 7, -21], [29, -2, -15],
    [36, 8, 0], [4, -1, 4], [-52, -19, -4], [-6, -30, 2], [1, 1, -16], [-12, -4, 4], [61, 10, 12], [1, 17, 8],
    [-55, -18, -14], [10, -16, 0], [31, 28, 10], [-22, 18, 22], [-10, 28, 30], [36, -5, -3], [-87, 14, 7], [12, -11, -16],
    // line that only one side can fill, with one, two, three discs
    [6, 4, 10], [35, 17, 11], [66, 38, 28],
    // cell on row 1 to 6 that completes four for the first player, not yet in reach
    [0, 0, 0], [-58, -58, -69], [64, 72, 173], [-15, 13, -45], [-34, 40, 70], [2, 6, -43],
    // the same for the second player
    [0, 0, 0], [-77, 70, 226], [54, 20, -29], [-61, 22, 71], [22, 6, -5], [4, 2, 51],
    // the same in reach of the player to move
    [164, 209, 244],
    // the same in reach of the opponent
    [-7, -61, 18],
    // to move
    [42, 55, -10],
];
