//! Weights of kalah's evaluation `sowing`, in hundredths of a point: a row for each feature, a column for each knot.
//! Written by `canopy-engine fit --game kalah --games 6000 --search deepening,ties=random --nodes 300 --opening 6 --shrink 20 --rounds 400
//! --seed 1`, from 207829 positions.

pub(super) const KNOTS: usize = 3;

#[rustfmt::skip]
pub(super) const WEIGHTS: [[i16; KNOTS]; 14] = [
    // stone in the store
    [188, 108, 102],
    // stone in a pit, the pit next to the store first
    [30, 43, 29], [-49, 17, 13], [-56, -4, 34], [-40, -1, 57], [-80, 30, 66], [-5, 48, 84],
    // pit with stones
    [-125, 87, 78],
    // stone that is sown past the store
    [3, 9, -42],
    // extra turn in reach of the player to move
    [176, 230, 77],
    // extra turn in reach of the opponent
    [206, -104, -30],
    // stone that the player to move can capture at most
    [70, 123, 171],
    // stone that the opponent could capture at most
    [6, -56, -47],
    // to move
    [80, 22, -41],
];
