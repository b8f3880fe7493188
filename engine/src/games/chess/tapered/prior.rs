//! What players of chess think of the features before any game is counted. The fit draws weights here, so that what its games
//! hardly show, such as a knight on a corner, is worth what everybody knows.

use super::*;

/// The worth of a feature in the middle game (knot 0) and the end game (knot 1), in hundredths of a pawn.
pub(super) fn worth(feature: usize, knot: usize) -> f64 {
    let [middle, end] = both(feature);
    if knot == 0 { middle } else { end }
}

fn both(feature: usize) -> [f64; 2] {
    const SQUARES: usize = KNIGHT_SQUARES - PAWN_SQUARES;
    const CONNECTED_BY_RANK: [f64; 6] = [5.0, 6.0, 9.0, 17.0, 32.0, 50.0];
    const PASSED_BY_RANK: [[f64; 2]; 6] = [
        [2.0, 8.0],
        [3.0, 12.0],
        [6.0, 28.0],
        [16.0, 55.0],
        [32.0, 95.0],
        [55.0, 140.0],
    ];
    match feature {
        MATERIAL..PAWN_SQUARES => [
            [84.0, 104.0],
            [300.0, 288.0],
            [308.0, 300.0],
            [452.0, 500.0],
            [930.0, 930.0],
        ][feature - MATERIAL],
        PAWN_SQUARES..MOBILITY => {
            let index = feature - PAWN_SQUARES;
            square(index / SQUARES, index % SQUARES % 4, index % SQUARES / 4)
        }
        MOBILITY..BISHOP_PAIR => {
            [[4.0, 4.0], [4.0, 5.0], [2.0, 5.0], [1.0, 3.0]][feature - MOBILITY]
        }
        BISHOP_PAIR => [25.0, 45.0],
        DOUBLED => [-8.0, -18.0],
        ISOLATED => [-10.0, -14.0],
        BACKWARD => [-8.0, -10.0],
        CONNECTED..PASSED => [CONNECTED_BY_RANK[feature - CONNECTED]; 2],
        PASSED..PASSED_BLOCKED => PASSED_BY_RANK[feature - PASSED],
        PASSED_BLOCKED => [-8.0, -20.0],
        PASSED_KINGS..ROOK_FILES => [[0.0, -5.0], [0.0, 9.0]][feature - PASSED_KINGS],
        ROOK_FILES..ROOK_BEHIND => [[22.0, 12.0], [12.0, 6.0]][feature - ROOK_FILES],
        ROOK_BEHIND => [5.0, 12.0],
        OUTPOSTS..SHELTER => [[22.0, 12.0], [12.0, 6.0]][feature - OUTPOSTS],
        SHELTER..KING_FILES => [[14.0, 0.0], [9.0, 0.0]][feature - SHELTER],
        KING_FILES..RING => [[-16.0, 0.0], [-12.0, 0.0]][feature - KING_FILES],
        RING..ATTACKERS => [[6.0, 0.0], [5.0, 0.0], [7.0, 2.0], [4.0, 2.0]][feature - RING],
        ATTACKERS..SAFE_CHECKS => [[12.0, 0.0], [28.0, 5.0], [45.0, 8.0]][feature - ATTACKERS],
        SAFE_CHECKS..THREATS => {
            [[18.0, 5.0], [10.0, 4.0], [16.0, 8.0], [12.0, 8.0]][feature - SAFE_CHECKS]
        }
        THREATS..LOOSE => {
            [[40.0, 30.0], [55.0, 30.0], [55.0, 30.0], [32.0, 25.0]][feature - THREATS]
        }
        LOOSE => [18.0, 12.0],
        _ => [14.0, 6.0],
    }
}

/// The worth of a piece's square; `file` is counted from the edge, `rank` from the own side, both from 0.
fn square(piece: usize, file: usize, rank: usize) -> [f64; 2] {
    let (from_centre, rank_from_centre) = (3 - file, (7_usize).abs_diff(2 * rank) / 2);
    let distance = (from_centre + rank_from_centre) as f64;
    let advance = rank as f64;
    match piece {
        PAWN if rank == 0 || rank == 7 => [0.0; 2],
        PAWN => {
            let centre = [-3.0, -2.0, 3.0, 6.0][file] * (advance - 1.0).min(3.0);
            let at_home = if rank == 1 && file == 3 { -12.0 } else { 0.0 };
            [centre + at_home, 4.0 * (advance - 1.0)]
        }
        KNIGHT => {
            let forward = 3.0 * advance.min(5.0) - 6.0;
            [14.0 - 8.0 * distance + forward, 10.0 - 6.0 * distance]
        }
        BISHOP => [7.0 - 3.0 * distance, 4.0 - 2.0 * distance],
        ROOK => {
            let seventh = if rank == 6 { 12.0 } else { 0.0 };
            [[-6.0, -3.0, 2.0, 5.0][file] + seventh, seventh]
        }
        QUEEN => [0.0, 8.0 - 4.0 * distance],
        _ => {
            let middle = match rank {
                0 => [20.0, 28.0, 2.0, -6.0][file],
                1 => [5.0, 5.0, -12.0, -20.0][file],
                _ => -25.0 - 12.0 * (advance - 2.0),
            };
            [middle, 12.0 - 9.0 * distance]
        }
    }
}
