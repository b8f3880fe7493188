//! Visits and values of the root's moves over time, in bounded memory.

use super::super::replay::ONE;
use crate::games::MoveCode;

/// What is counted of a move of the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct RootMoveStats {
    pub(in super::super) visits: u32,
    /// The sum of rewards for the first player of the root's frame; 1 is 2^32.
    pub(in super::super) sum: u64,
}

impl RootMoveStats {
    /// What is kept of it over time.
    pub(super) fn sample(self) -> RootMoveSample {
        let mean = match self.visits {
            0 => 0.0,
            visits => self.sum as f64 / ONE as f64 / f64::from(visits),
        };
        RootMoveSample {
            visits: self.visits,
            mean: mean as f32,
        }
    }
}

/// A move of the root at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RootMoveSample {
    pub(super) visits: u32,
    /// The mean reward for the first player of the root's frame; 0 without visits.
    pub(super) mean: f32,
}

/// Visits and values of the root's moves, sampled over time.
#[derive(Clone, Debug)]
pub(in super::super) struct RootMoveTally {
    /// Iterations between two samples.
    pub(super) sample_interval: u32,
    /// By time, and there by move: after no iteration, after `step`, and so on. Moves at the end that were not known yet are
    /// missing.
    pub(super) samples: Vec<Vec<RootMoveSample>>,
    pub(super) current: Vec<RootMoveStats>,
    pub(super) iterations: u32,
    /// Upper bound of kept samples; at the bound, half are dropped.
    max_samples: usize,
}

impl RootMoveTally {
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

    /// Counts one iteration, which followed that of the root's moves and had this reward for the first player of the root's
    /// frame.
    pub(in super::super) fn count_iteration(&mut self, branch: Option<usize>, reward: u64) {
        if let Some(stats) = branch.and_then(|branch| self.current.get_mut(branch)) {
            stats.visits = stats.visits.wrapping_add(1);
            stats.sum = stats.sum.wrapping_add(reward);
        }
        self.iterations += 1;
        if !self.iterations.is_multiple_of(self.sample_interval) {
            return;
        }
        self.samples.push(self.sample());
        if self.samples.len() > self.max_samples {
            self.halve_samples();
        }
    }

    /// The moves as they are now.
    fn sample(&self) -> Vec<RootMoveSample> {
        self.current.iter().map(|stats| stats.sample()).collect()
    }

    /// The bytes it takes in memory.
    pub(in super::super) fn bytes(&self) -> usize {
        let moves: usize = self.samples.iter().map(Vec::capacity).sum();
        let lists = self.samples.capacity() * size_of::<Vec<RootMoveSample>>();
        lists + size_of::<RootMoveSample>() * moves
    }

    fn halve_samples(&mut self) {
        let mut index = 0;
        self.samples.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.sample_interval = self.sample_interval.saturating_mul(2);
    }

    /// Sets the root's moves, by their inherited visits and rewards. Until the first iteration, those of known moves may
    /// still grow.
    pub(in super::super) fn extend_moves(
        &mut self,
        inherited: impl Iterator<Item = RootMoveStats>,
    ) {
        if self.iterations == 0 {
            self.current.clear();
        }
        let known = self.current.len();
        self.current.extend(inherited.skip(known));
        if self.iterations == 0 {
            self.samples = vec![self.sample()];
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
            put(tally.current.len() as u32);
            for stats in &tally.current {
                put(stats.visits);
                put(stats.sum as u32);
                put((stats.sum >> 32) as u32);
            }
            for time in &tally.samples {
                put(time.len() as u32);
                for sample in time {
                    put(sample.visits);
                    put(sample.mean.to_bits());
                }
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
        let known = words.next()?;
        let mut current = Vec::new();
        for _ in 0..known {
            let (visits, low, high) = (words.next()?, words.next()?, words.next()?);
            let sum = u64::from(high) << 32 | u64::from(low);
            current.push(RootMoveStats { visits, sum });
        }
        let mut samples = Vec::new();
        while let Some(len) = words.next() {
            let mut time = Vec::new();
            for _ in 0..len {
                let (visits, mean) = (words.next()?, f32::from_bits(words.next()?));
                time.push(RootMoveSample { visits, mean });
            }
            samples.push(time);
        }
        let tally = Self {
            sample_interval: step,
            samples,
            current,
            iterations: done,
            max_samples: Self::MAX_SAMPLES_INDEXED,
        };
        Some((tally, moves))
    }
}
