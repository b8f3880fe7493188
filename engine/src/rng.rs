//! The engine's pseudo-random number generator: small, fast, seedable, the same on every platform.
//!
//! The recurrence is `wyrand` (Wang Yi, wyhash, 2019): a Weyl sequence folded by one 128-bit multiplication. It has one word of
//! state, and a draw depends on the last one by a single addition, so that draws overlap in a playout. Not cryptographic.
//! Depends on nothing but the `rand` traits.

use std::{
    convert::Infallible,
    time::{SystemTime, UNIX_EPOCH},
};

use rand::{SeedableRng, TryRng, rngs::SysRng};

const INCREMENT: u64 = 0xa076_1d64_78bd_642f;
const XOR_CONSTANT: u64 = 0xe703_7ed1_a0b4_28db;

/// A random stream determined by its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The stream of `seed`. The seed is mixed first: seeds that differ in one bit give unrelated streams.
    pub fn new(seed: u64) -> Self {
        Self { state: mix(seed) }
    }

    /// The next 64 random bits.
    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(INCREMENT);
        fold(self.state, self.state ^ XOR_CONSTANT)
    }

    /// A random integer below `bound`, which must not be 0, by Lemire's multiplication (2019). Deviation: without his rejection step,
    /// so the bias is up to `bound` / 2^32.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        debug_assert!(bound > 0, "no number is below 0");
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

impl TryRng for Rng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.bits() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.bits())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.bits().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

impl SeedableRng for Rng {
    type Seed = [u8; 8];

    fn from_seed(seed: [u8; 8]) -> Self {
        Self::new(u64::from_le_bytes(seed))
    }

    fn seed_from_u64(seed: u64) -> Self {
        Self::new(seed)
    }
}

/// A seed from the operating system, for those who set 0: from 1 to 2^31 - 1, which every client can set again.
pub fn entropy_seed() -> u64 {
    let bits = SysRng.try_next_u64().unwrap_or_else(|_| {
        // Without a source of entropy the clock has to do.
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        mix(time.unwrap_or_default().as_nanos() as u64)
    });
    (bits >> 33).max(1)
}

/// The seed itself, or one from the operating system for 0.
pub fn resolve_seed(seed: u64) -> u64 {
    match seed {
        0 => entropy_seed(),
        seed => seed,
    }
}

/// The seed of part `index` (game, side, thread) of whatever `seed` stands for.
pub fn child_seed(seed: u64, index: u64) -> u64 {
    mix(seed ^ mix(index.wrapping_add(1)))
}

/// A bijection on 64 bits; each input bit flips about half of the output bits (David Stafford's mix 13, 2011).
#[inline(always)]
pub fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A checksum of `content`, eight bytes at a time: for damage by accident, not by intent.
pub fn checksum(content: &[u8]) -> u64 {
    let words = content.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word.iter_mut()
            .zip(chunk)
            .for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    });
    words.fold(content.len() as u64, |sum, word| mix(sum ^ word))
}

#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use rand::{Rng as _, RngExt as _};

    use super::*;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = Rng::new(1);
        let drawn: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        // Computed independently in another language. Games and trees must stay reproducible from version to version.
        assert_eq!(
            drawn,
            [0xed10adcae72a4875, 0xbaa12ec3039c5f0e, 0x32f2a0720d8bc666]
        );
    }

    #[test]
    fn small_bounds_are_uniform() {
        let mut rng = Rng::new(7);
        let mut seen = [0u32; 7];
        for _ in 0..70_000 {
            seen[rng.below(7) as usize] += 1;
        }
        // The chi-squared statistic with 6 degrees of freedom exceeds 22.5 for one seed in a thousand.
        let chi: f64 = seen
            .iter()
            .map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0)
            .sum();
        assert!(chi < 22.5, "{seen:?}");
    }

    #[test]
    fn children_differ_from_each_other_and_from_their_parent() {
        let mut seeds: Vec<u64> = (0..1000).map(|index| child_seed(5, index)).collect();
        seeds.push(5);
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 1001);
    }

    #[test]
    fn seeds_of_the_system_differ_and_fit_any_client() {
        let seeds: Vec<u64> = (0..4).map(|_| entropy_seed()).collect();
        assert!(
            seeds.iter().all(|seed| (1..1 << 31).contains(seed)),
            "{seeds:?}"
        );
        assert!(seeds.iter().any(|&seed| seed != seeds[0]), "{seeds:?}");
    }

    #[test]
    fn serves_as_a_generator_of_the_rand_crate() {
        let mut rng = Rng::seed_from_u64(3);
        let mut bytes = [0u8; 13];
        rng.fill_bytes(&mut bytes);
        assert!(bytes.iter().any(|&byte| byte != 0));
        assert!((0.0..1.0).contains(&rng.random::<f64>()));
    }
}
