//! All slides of one side at once, counted and picked without listing them.

use crate::machine::{iter_ones, select};

/// Two opposite directions: the step towards higher bits, and the squares such a step can end on from both sides.
struct Axis {
    step: u32,
    up: u32,
    down: u32,
}

const NOT_A: u32 = 0b11110_11110_11110_11110_11110;
const NOT_E: u32 = 0b01111_01111_01111_01111_01111;
const ALL: u32 = super::BOARD;

const AXES: [Axis; 4] = [
    Axis {
        step: 1,
        up: NOT_A,
        down: NOT_E,
    },
    Axis {
        step: 5,
        up: ALL,
        down: ALL,
    },
    Axis {
        step: 6,
        up: NOT_A,
        down: NOT_E,
    },
    Axis {
        step: 4,
        up: NOT_E,
        down: NOT_A,
    },
];

/// The slides of one side, a word for each direction (axis by axis, up before down).
///
/// In a word, bits 0-24 are the squares reached by slides over two squares and bits 25-49 those reached over three. A
/// slide over four squares crosses the whole board, so it is the only one in its line, and it is noted among the
/// latter by its origin, where no slide over three squares in that direction can end.
#[derive(Clone, Copy)]
pub(super) struct Slides([u64; 8]);

impl Slides {
    pub(super) const NONE: Self = Self([0; 8]);

    #[inline(always)]
    pub(super) fn new(own: u32, empty: u32) -> Self {
        let mut words = [0; 8];
        for axis in 0..4 {
            let Axis { step, up, down } = AXES[axis];
            let (up, down) = (up & empty, down & empty);
            let up1 = own << step & up;
            let up2 = up1 << step & up;
            let up3 = up2 << step & up;
            let up4 = up3 << step & up;
            let down1 = own >> step & down;
            let down2 = down1 >> step & down;
            let down3 = down2 >> step & down;
            let down4 = down3 >> step & down;
            words[2 * axis] = u64::from(up2) | u64::from(up3 | up4 >> (4 * step)) << 25;
            words[2 * axis + 1] = u64::from(down2) | u64::from(down3 | down4 << (4 * step)) << 25;
        }
        Self(words)
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The slide of that index, as (from, to); any order, but each index below `count` a different one.
    #[inline(always)]
    pub(super) fn get(&self, mut index: u32) -> (u8, u8) {
        for (direction, &word) in self.0.iter().enumerate() {
            let count = word.count_ones();
            if index < count {
                return decode(direction, select(word, index) as u8);
            }
            index -= count;
        }
        unreachable!("index beyond the number of slides")
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u8, u8)> {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(direction, &word)| iter_ones(word).map(move |bit| decode(direction, bit)))
    }
}

/// The slide that a bit of a direction's word stands for.
#[inline(always)]
fn decode(direction: usize, bit: u8) -> (u8, u8) {
    DECODED[direction][usize::from(bit)]
}

static DECODED: [[(u8, u8); 50]; 8] = {
    let mut table = [[(0, 0); 50]; 8];
    let mut direction = 0;
    while direction < 8 {
        let step = AXES[direction / 2].step as i32 * if direction % 2 == 0 { 1 } else { -1 };
        let mut square = 0;
        while square < 25 {
            table[direction][square as usize] = ((square - 2 * step) as u8, square as u8);
            // Three squares back is on the board, along the line: a slide over three. Else the origin of one over four.
            let columns = [1, 0, 1, -1][direction / 2] * step.signum();
            let rows = [0, 1, 1, 1][direction / 2] * step.signum();
            let (column, row) = (square % 5 - 3 * columns, square / 5 - 3 * rows);
            table[direction][25 + square as usize] =
                if column >= 0 && column < 5 && row >= 0 && row < 5 {
                    ((square - 3 * step) as u8, square as u8)
                } else {
                    (square as u8, (square + 4 * step) as u8)
                };
            square += 1;
        }
        direction += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::games::eight_directions;

    fn slides_by_walking(own: u32, empty: u32) -> Vec<(u8, u8)> {
        let mut found = Vec::new();
        for from in 0..25i32 {
            if own >> from & 1 == 0 {
                continue;
            }
            for (dx, dy) in eight_directions() {
                for distance in 1..5 {
                    let (x, y) = (from % 5 + dx * distance, from / 5 + dy * distance);
                    if !(0..5).contains(&x) || !(0..5).contains(&y) || empty >> (y * 5 + x) & 1 == 0
                    {
                        break;
                    }
                    if distance >= 2 {
                        found.push((from as u8, (y * 5 + x) as u8));
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn words_agree_with_walking(own in 0u32..1 << 25, other in any::<u32>(), thin in any::<u32>()) {
            let empty = super::super::BOARD & !(own | other & thin);
            let slides = Slides::new(own, empty);
            let expected = slides_by_walking(own, empty);
            let mut listed: Vec<_> = slides.iter().collect();
            let mut picked: Vec<_> = (0..slides.count()).map(|index| slides.get(index)).collect();
            listed.sort_unstable();
            picked.sort_unstable();
            prop_assert_eq!(&listed, &expected);
            prop_assert_eq!(&picked, &expected);
        }
    }
}
