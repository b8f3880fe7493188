//! Bitboards of Delta for the prover: all moves of a side as the boards they lead to, and whether one of them wins.
//!
//! Bits are squares as in [`crate::games::delta`]. A side with all its stones on the board picks one up after its slide, so the
//! stones themselves say which rule holds.

use crate::{
    games::delta::{STONES_PER_SIDE, has_four},
    machine::iter_ones,
};

pub(super) const BOARD: u32 = (1 << 25) - 1;

/// Two opposite directions: the step towards higher bits, the squares such a step can end on from both sides, and the lowest
/// squares of its lines of four.
struct Axis {
    step: u32,
    up: u32,
    down: u32,
    line_starts: u32,
}

const NOT_A: u32 = 0b11110_11110_11110_11110_11110;
const NOT_E: u32 = 0b01111_01111_01111_01111_01111;

const AXES: [Axis; 4] = [
    axis(1, NOT_A, NOT_E, 0b00011_00011_00011_00011_00011),
    axis(5, BOARD, BOARD, 0b00000_00000_00000_11111_11111),
    axis(6, NOT_A, NOT_E, 0b00000_00000_00000_00011_00011),
    axis(4, NOT_E, NOT_A, 0b00000_00000_00000_11000_11000),
];

const fn axis(step: u32, up: u32, down: u32, line_starts: u32) -> Axis {
    Axis {
        step,
        up,
        down,
        line_starts,
    }
}

/// Calls `visit` with every slide of `own`: the stone's origin, and the two squares that are filled. Stops when it returns true,
/// and returns whether it did.
#[inline(always)]
fn any_slide(own: u32, empty: u32, mut visit: impl FnMut(u32, u32) -> bool) -> bool {
    for Axis { step, up, down, .. } in AXES {
        let (up, down) = (up & empty, down & empty);
        let (mut upwards, mut downwards) = (own << step & up, own >> step & down);
        for distance in 2..=4 {
            upwards = upwards << step & up;
            downwards = downwards >> step & down;
            for to in iter_ones(upwards.into()) {
                let to = 1 << to;
                if visit(to >> (distance * step), to | to >> step) {
                    return true;
                }
            }
            for to in iter_ones(downwards.into()) {
                let to = 1 << to;
                if visit(to << (distance * step), to | to << step) {
                    return true;
                }
            }
        }
    }
    false
}

/// Number of slides of `own`.
#[inline(always)]
pub(super) fn count_slides(own: u32, empty: u32) -> u32 {
    let mut count = 0;
    for Axis { step, up, down, .. } in AXES {
        let (up, down) = (up & empty, down & empty);
        let up2 = (own << step & up) << step & up;
        let up3 = up2 << step & up;
        let up4 = up3 << step & up;
        let down2 = (own >> step & down) >> step & down;
        let down3 = down2 >> step & down;
        let down4 = down3 >> step & down;
        // Upwards and downwards are counted together: without an instruction for it counting is most of the work.
        let twos = u64::from(up2) | u64::from(down2) << 32;
        let threes = u64::from(up3) | u64::from(down3) << 32;
        let fours = u64::from(up4) | u64::from(down4) << 32;
        count += twos.count_ones() + threes.count_ones() + fours.count_ones();
    }
    count
}

/// Whether the side has all its stones on the board, so that it picks one up.
#[inline(always)]
pub(super) fn is_pick_up(own: u32) -> bool {
    own.count_ones() == STONES_PER_SIDE
}

/// Calls `visit` with the stones of the mover after each of its slides; in the pick-up phase after each slide and pick-up, in
/// which different moves may lead to the same stones.
#[inline(always)]
pub(super) fn for_each_slide(own: u32, opponent: u32, mut visit: impl FnMut(u32)) {
    let empty = BOARD & !(own | opponent);
    let pick_up = is_pick_up(own);
    any_slide(own, empty, |from, filled| {
        let stones = own ^ from | filled;
        if pick_up {
            for picked in iter_ones((own ^ from).into()) {
                visit(stones ^ 1 << picked);
            }
        } else {
            visit(stones);
        }
        false
    });
}

/// Whether the mover has a slide, with its pick-up, that makes four in line.
#[inline(always)]
pub(super) fn can_win_at_once(own: u32, opponent: u32) -> bool {
    let empty = BOARD & !(own | opponent);
    let single = completing_squares(own) & empty;
    let pick_up = is_pick_up(own);
    // A slide that wins fills a square that completes a line, or two neighbours on its own axis that complete one together.
    for Axis {
        step,
        up,
        down,
        line_starts,
    } in AXES
    {
        let [first, second, third, fourth] = line_squares(own, step);
        let pair_tops = (third & fourth & line_starts) << step
            | (first & fourth & line_starts) << (2 * step)
            | (first & second & line_starts) << (3 * step);
        let (up, down) = (up & empty, down & empty);
        let wanted_up = single | single << step | pair_tops;
        let wanted_down = single | single >> step | pair_tops >> step;
        let (mut upwards, mut downwards) = (own << step & up, own >> step & down);
        for distance in 2..=4 {
            upwards = upwards << step & up;
            downwards = downwards >> step & down;
            for to in iter_ones((upwards & wanted_up).into()) {
                let to = 1u32 << to;
                let rest = own ^ to >> (distance * step);
                if has_won(rest, to | to >> step, pick_up) {
                    return true;
                }
            }
            for to in iter_ones((downwards & wanted_down).into()) {
                let to = 1u32 << to;
                let rest = own ^ to << (distance * step);
                if has_won(rest, to | to << step, pick_up) {
                    return true;
                }
            }
        }
    }
    false
}

/// Whether filling two squares, and in the pick-up phase taking away one of the `rest`, leaves four in line.
#[inline(always)]
fn has_won(rest: u32, filled: u32, pick_up: bool) -> bool {
    let stones = rest | filled;
    has_four(stones)
        && (!pick_up || iter_ones(rest.into()).any(|picked| has_four(stones ^ 1 << picked)))
}

/// The squares on which one more stone would complete a line of four, taken ones included.
#[inline(always)]
pub(super) fn completing_squares(stones: u32) -> u32 {
    let mut squares = 0;
    for Axis {
        step, line_starts, ..
    } in AXES
    {
        let [first, second, third, fourth] = line_squares(stones, step);
        squares |= second & third & fourth & line_starts
            | (first & third & fourth & line_starts) << step
            | (first & second & fourth & line_starts) << (2 * step)
            | (first & second & third & line_starts) << (3 * step);
    }
    squares
}

/// The stones on the first, second, third and fourth square of the lines along an axis, each at the line's first square.
#[inline(always)]
fn line_squares(stones: u32, step: u32) -> [u32; 4] {
    [
        stones,
        stones >> step,
        stones >> (2 * step),
        stones >> (3 * step),
    ]
}

/// Both boards in 50 bits, the mover's stones low.
#[inline(always)]
pub(super) fn pack(own: u32, opponent: u32) -> u64 {
    u64::from(own) | u64::from(opponent) << 25
}

/// The smallest [`pack`] among the eight images of a position.
pub(super) fn pack_canonical(own: u32, opponent: u32) -> u64 {
    let mut images = [pack(own, opponent); 8];
    // Each flip doubles the images: the first 1, 2 and 4 of them are seen through it.
    for index in 1..8 {
        images[index] = match index {
            1 => flip_halves(images[0], transpose),
            2 | 3 => flip_halves(images[index - 2], mirror),
            _ => flip_halves(images[index - 4], turn_over),
        };
    }
    images.into_iter().min().unwrap_or_default()
}

#[inline(always)]
fn flip_halves(packed: u64, flip: impl Fn(u32) -> u32) -> u64 {
    pack(flip(packed as u32 & BOARD), flip((packed >> 25) as u32))
}

/// Columns become rows.
#[inline(always)]
fn transpose(stones: u32) -> u32 {
    // A square of column c and row r moves by 4 (c - r) bits.
    const DIAGONAL: u32 = 1 | 1 << 6 | 1 << 12 | 1 << 18 | 1 << 24;
    const DISTANCES: [u32; 4] = [
        1 << 1 | 1 << 7 | 1 << 13 | 1 << 19,
        1 << 2 | 1 << 8 | 1 << 14,
        1 << 3 | 1 << 9,
        1 << 4,
    ];
    let mut image = stones & DIAGONAL;
    for (below, distance) in DISTANCES.into_iter().zip(1..) {
        let above = below << (4 * distance);
        image |= (stones & below) << (4 * distance) | (stones & above) >> (4 * distance);
    }
    image
}

/// Left becomes right.
#[inline(always)]
fn mirror(stones: u32) -> u32 {
    const COLUMN: u32 = 0b00001_00001_00001_00001_00001;
    (stones & COLUMN) << 4
        | (stones & COLUMN << 1) << 2
        | stones & COLUMN << 2
        | (stones & COLUMN << 3) >> 2
        | (stones & COLUMN << 4) >> 4
}

/// The top becomes the bottom.
#[inline(always)]
fn turn_over(stones: u32) -> u32 {
    const ROW: u32 = 0b11111;
    (stones & ROW) << 20
        | (stones & ROW << 5) << 10
        | stones & ROW << 10
        | (stones & ROW << 15) >> 10
        | stones >> 20
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{Game as _, Outcome, SearchHints as _, Symmetric as _, Symmetry, delta::Delta},
        rng::Rng,
    };

    fn sides(position: &Delta) -> (u32, u32) {
        position.to_move().own_first(position.stones()).into()
    }

    /// Unfinished positions of random games, after the placements.
    fn positions(games: u32) -> Vec<Delta> {
        let mut rng = Rng::new(7);
        let mut found = Vec::new();
        for _ in 0..games {
            let mut position = Delta::start(Default::default());
            while position.play_random(&mut rng) {
                if position.ply() > 3 && position.outcome().is_none() {
                    found.push(position);
                }
            }
        }
        found
    }

    #[test]
    fn moves_and_wins_are_those_of_the_rules() {
        let mut moves = Vec::new();
        for position in positions(300) {
            let (own, opponent) = sides(&position);
            position.legal_moves(&mut moves);
            let mut expected = Vec::new();
            let mut wins = false;
            for &mv in &moves {
                let mut child = position;
                child.play(mv);
                expected.push(sides(&child).1);
                wins |= has_four(sides(&child).1);
                if has_four(sides(&child).1) {
                    assert_eq!(child.outcome(), Some(Outcome::Win(position.to_move())));
                }
            }
            let mut listed = Vec::new();
            for_each_slide(own, opponent, |stones| listed.push(stones));
            expected.sort_unstable();
            listed.sort_unstable();
            assert_eq!(listed, expected, "{position:?}");
            assert_eq!(can_win_at_once(own, opponent), wins, "{position:?}");
            let picks = if is_pick_up(own) { 8 } else { 1 };
            let slides = count_slides(own, BOARD & !(own | opponent)) as usize;
            assert_eq!(slides * picks, moves.len(), "{position:?}");
        }
    }

    #[test]
    fn canonical_boards_are_the_smallest_of_the_eight_images() {
        for position in positions(50) {
            let images = Symmetry::ALL.map(|symmetry| {
                let (own, opponent) = sides(&position.image(symmetry));
                pack(own, opponent)
            });
            let (own, opponent) = sides(&position);
            assert_eq!(
                Some(pack_canonical(own, opponent)),
                images.into_iter().min()
            );
        }
    }
}
