//! Weights of delta's evaluation `reach`, in hundredths of a point: a row for each feature, a column for each knot.
//! Written by `canopy-engine fit --game delta --games 6000 --search deepening,ties=random --nodes 300 --opening 3 --shrink 20 --rounds 400
//! --seed 1`, from 62434 positions.

pub(super) const KNOTS: usize = 2;

#[rustfmt::skip]
pub(super) const WEIGHTS: [[i16; KNOTS]; 14] = [
    // stone on a corner, beside it, in the middle of an edge, inside of a corner, beside the centre, on it
    [81, 95], [107, -14], [98, 61], [81, 10], [83, 11], [24, 80],
    // line that only one side can fill, with one, two, three stones
    [0, 33], [46, 15], [31, -2],
    // square that completes four
    [36, 2],
    // the same as the end of a slide of the player to move, or where it drops
    [189, 215],
    // the same for the opponent
    [-66, -128],
    // slide
    [9, 3],
    // to move
    [88, 84],
];
