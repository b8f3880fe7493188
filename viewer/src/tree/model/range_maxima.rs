//! The most visited node of any range, quickly.

/// The largest of every block of nodes, of every block of blocks, and so on.
#[derive(Debug)]
pub(super) struct RangeMaxima {
    levels: Vec<Vec<u32>>,
}

const BLOCK_LENGTH: usize = 16;

impl RangeMaxima {
    pub(super) fn new(values: &[i32]) -> Self {
        let better = |one: u32, other: u32| {
            if values[other as usize] > values[one as usize] {
                other
            } else {
                one
            }
        };
        let nodes: Vec<u32> = (0..values.len() as u32).collect();
        let mut levels: Vec<Vec<u32>> = Vec::new();
        loop {
            let below = levels.last().unwrap_or(&nodes);
            if below.len() <= 1 {
                break;
            }
            let level = (below.chunks(BLOCK_LENGTH))
                .map(|block| block.iter().copied().reduce(better).unwrap_or(0))
                .collect();
            levels.push(level);
        }
        Self { levels }
    }

    /// The first of the largest in a range that is not empty.
    pub(super) fn argmax(&self, range: std::ops::Range<usize>, values: &[i32]) -> usize {
        let (mut begin, mut end) = (range.start, range.end);
        let mut best = begin;
        let mut look = |candidate: usize| {
            let (one, other) = (values[best], values[candidate]);
            if other > one || (other == one && candidate < best) {
                best = candidate;
            }
        };
        let mut level: Option<usize> = None;
        loop {
            let at = |index: usize| match level {
                None => index,
                Some(level) => self.levels[level][index] as usize,
            };
            let next = level.map_or(0, |level| level + 1);
            if end - begin <= 2 * BLOCK_LENGTH || next >= self.levels.len() {
                (begin..end).for_each(|index| look(at(index)));
                return best;
            }
            while !begin.is_multiple_of(BLOCK_LENGTH) {
                look(at(begin));
                begin += 1;
            }
            while !end.is_multiple_of(BLOCK_LENGTH) {
                end -= 1;
                look(at(end));
            }
            (begin, end) = (begin / BLOCK_LENGTH, end / BLOCK_LENGTH);
            level = Some(next);
            if begin == end {
                return best;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.levels.iter().map(|level| 4 * level.capacity()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_the_first_of_the_largest() {
        let values: Vec<i32> = (0..5000_u32)
            .map(|index| (index.wrapping_mul(2_654_435_761) >> 20) as i32 % 97)
            .collect();
        let peaks = RangeMaxima::new(&values);
        for begin in (0..5000).step_by(37) {
            for length in [1, 2, 15, 16, 17, 100, 255, 256, 1000, 4999] {
                let end = (begin + length).min(5000);
                let expected = (begin..end).rev().max_by_key(|&index| values[index]);
                assert_eq!(Some(peaks.argmax(begin..end, &values)), expected);
            }
        }
    }
}
