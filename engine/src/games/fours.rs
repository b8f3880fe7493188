//! Lines of four on boards of bits: a line is its lowest bit and a step, the distance from one of its squares to the next.

/// The four squares of every line, as bits. `starts` are the lowest bits of the lines of each of the `steps`.
pub(super) fn lines(starts: [u64; 4], steps: [u32; 4]) -> impl Iterator<Item = u64> {
    starts.into_iter().zip(steps).flat_map(|(starts, step)| {
        crate::machine::iter_ones(starts).map(move |start| {
            (0..4).fold(0, |line, index| {
                line | 1 << (u32::from(start) + index * step)
            })
        })
    })
}

/// The lines that only one side can fill.
pub(super) struct OpenLines {
    /// Those with one, two and three of its pieces.
    pub(super) counts: [i32; 3],
    /// Empty squares that complete a line.
    pub(super) completing: u64,
}

impl OpenLines {
    /// The lines that `others` do not block. `starts` are the lowest bits of all lines of the board of each of the `steps`.
    #[inline(always)]
    pub(super) fn new(own: u64, others: u64, starts: [u64; 4], steps: [u32; 4]) -> Self {
        let mut counts = [0; 3];
        let mut completing = 0;
        for (step, starts) in steps.into_iter().zip(starts) {
            let along = |bits: u64| [0, 1, 2, 3].map(|index| bits >> (index * step));
            let [a, b, c, d] = along(own);
            let open = starts & !along(others).into_iter().fold(0, |any, bits| any | bits);
            // The four bits of each line are added in parallel: `ones` and `twos` are the digits of the sum.
            let ones = a ^ b ^ c ^ d;
            let twos = (a & b) ^ (c & d) ^ ((a ^ b) & (c ^ d));
            for (count, lines) in counts
                .iter_mut()
                .zip([ones & !twos, twos & !ones, ones & twos])
            {
                *count += (open & lines).count_ones() as i32;
            }
            let missing = [b & c & d, a & c & d, a & b & d, a & b & c];
            for (index, lines) in (0..).zip(missing) {
                completing |= (open & lines) << (index * step);
            }
        }
        Self {
            counts,
            completing: completing & !own,
        }
    }
}
