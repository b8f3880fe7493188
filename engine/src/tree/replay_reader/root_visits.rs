//! Visits of the root's moves over time, in bounded memory.

use crate::games::MoveCode;

/// Visits of the root's moves, sampled over time.
#[derive(Clone, Debug)]
pub(in super::super) struct RootVisitTally {
    /// Iterations between two samples.
    pub(super) sample_interval: u32,
    /// By time, and there by move: after no iteration, after `step`, and so on. Moves at the end that were not known yet are
    /// missing.
    pub(super) samples: Vec<Vec<u32>>,
    pub(super) current: Vec<u32>,
    pub(super) iterations: u32,
    /// Upper bound of kept samples; at the bound, half are dropped.
    max_samples: usize,
}

impl RootVisitTally {
    pub(super) const MAX_SAMPLES: usize = 4096;
    /// Enough to draw, where memory is short.
    pub(in super::super) const MAX_SAMPLES_INDEXED: usize = 1024;

    pub(in super::super) fn new(max_samples: usize) -> Self {
        Self {
            max_samples,
            sample_interval: 1,
            samples: vec![Vec::new()],
            current: Vec::new(),
            iterations: 0,
        }
    }

    /// Counts one iteration, which followed that of the root's moves.
    pub(in super::super) fn count_iteration(&mut self, branch: Option<usize>) {
        if let Some(count) = branch.and_then(|branch| self.current.get_mut(branch)) {
            *count = count.wrapping_add(1);
        }
        self.iterations += 1;
        if !self.iterations.is_multiple_of(self.sample_interval) {
            return;
        }
        self.samples.push(self.current.clone());
        if self.samples.len() > self.max_samples {
            self.halve_samples();
        }
    }

    /// The bytes it takes in memory.
    pub(in super::super) fn bytes(&self) -> usize {
        let moves: usize = self.samples.iter().map(Vec::capacity).sum();
        self.samples.capacity() * size_of::<Vec<u32>>() + 4 * moves
    }

    fn halve_samples(&mut self) {
        let mut index = 0;
        self.samples.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.sample_interval = self.sample_interval.saturating_mul(2);
    }

    /// Sets the root's moves, by their inherited visits. Until the first iteration, inherited visits of known moves may
    /// still grow.
    pub(in super::super) fn extend_moves(&mut self, inherited: impl Iterator<Item = u32>) {
        if self.iterations == 0 {
            self.current.clear();
        }
        let known = self.current.len();
        self.current.extend(inherited.skip(known));
        if self.iterations == 0 {
            self.samples = vec![self.current.clone()];
        }
    }

    /// Serialises the history with the root's moves and their inherited visits; none if that exceeds `max_bytes`.
    pub(in super::super) fn to_bytes(
        &self,
        moves: &[(MoveCode, u32)],
        max_bytes: usize,
    ) -> Option<Vec<u8>> {
        let mut tally = self.clone();
        loop {
            let mut bytes = Vec::new();
            let mut put = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
            put(moves.len() as u32);
            for &(code, inherited) in moves {
                put(code.into());
                put(inherited);
            }
            put(tally.sample_interval);
            put(tally.iterations);
            for time in tally.samples.iter().chain([&tally.current]) {
                put(time.len() as u32);
                time.iter().for_each(|&visits| put(visits));
            }
            let is_short = bytes.len() <= max_bytes;
            if is_short || tally.samples.len() < 2 {
                return is_short.then_some(bytes);
            }
            tally.halve_samples();
        }
    }

    /// Inverse of [`Self::to_bytes`]; none if the bytes are damaged.
    pub(in super::super) fn from_bytes(bytes: &[u8]) -> Option<(Self, Vec<(MoveCode, u32)>)> {
        let mut words = bytes.chunks_exact(4).map(|word| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(word);
            u32::from_le_bytes(bytes)
        });
        let count = words.next()?;
        let mut moves = Vec::new();
        for _ in 0..count {
            moves.push((MoveCode::try_from(words.next()?).ok()?, words.next()?));
        }
        let (step, done) = (words.next().filter(|&step| step > 0)?, words.next()?);
        let mut times: Vec<Vec<u32>> = Vec::new();
        while let Some(len) = words.next() {
            let time: Vec<u32> = words.by_ref().take(len as usize).collect();
            if time.len() < len as usize {
                return None;
            }
            times.push(time);
        }
        let now = times.pop()?;
        let tally = Self {
            sample_interval: step,
            samples: times,
            current: now,
            iterations: done,
            max_samples: Self::MAX_SAMPLES_INDEXED,
        };
        Some((tally, moves))
    }
}
