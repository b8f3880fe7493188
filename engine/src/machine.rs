//! What depends on the processor and the system: choosing the k-th set bit of a word, running a loop as code for the newer
//! processor it runs on, words side by side in its vector registers, and memory in large pages.
//!
//! An ordinary build targets the oldest 64-bit processors, which have neither `popcnt` nor `pdep`. [`accelerated`]
//! compiles a loop a second time, for processors of 2013 and later, and picks one of the two at run time.
//! This is the only module that may say `unsafe`.
#![expect(
    unsafe_code,
    reason = "code for a processor that was detected first, and memory from the system"
)]

use std::{
    ops::Deref,
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
};

use memmap2::MmapMut;

mod lanes;
#[cfg(target_arch = "x86_64")]
mod vectors;

pub use lanes::{Floats, LaneWork, Lanes, PlainLanes, in_lanes};

/// A loop that is worth compiling twice.
pub trait Work {
    /// What it answers.
    type Out;

    /// Does the work. Mark it `#[inline(always)]`, and what its loop calls too: what is not inlined stays portable.
    fn run(self) -> Self::Out;
}

/// Does `work`, compiled for the wider instruction set where this processor has it.
#[inline(always)]
pub fn accelerated<W: Work>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if has_wide_instructions() {
        // SAFETY: the processor was just found to have every feature `wide` is compiled for.
        return unsafe { wide(work) };
    }
    work.run()
}

/// Whether [`accelerated`] makes a difference on this machine.
pub fn has_wide_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn wide<W: Work>(work: W) -> W::Out {
    work.run()
}

/// The place of the `rank`-th set bit, counted from 0 at the low end; `rank` must be below the number of set bits.
#[inline(always)]
pub fn select(bits: u64, rank: u32) -> u32 {
    select_bit(bits, rank).trailing_zeros()
}

/// The word with only the `rank`-th set bit left; as [`select`].
#[inline(always)]
pub fn select_bit(bits: u64, rank: u32) -> u64 {
    debug_assert!(
        rank < bits.count_ones(),
        "no set bit of rank {rank} in {bits:#x}"
    );
    #[cfg(target_arch = "x86_64")]
    if has_fast_deposit() {
        // SAFETY: the processor has the instruction.
        return unsafe { core::arch::x86_64::_pdep_u64(1 << rank, bits) };
    }
    1 << select_portable(bits, rank)
}

/// Whether the processor deposits bits (`pdep`) in a few cycles. AMD's before Zen 3 (family 25) have the instruction, but
/// take longer over it than the portable code does.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_fast_deposit() -> bool {
    const YES: u8 = 1;
    const NO: u8 = 2;
    static KNOWN: AtomicU8 = AtomicU8::new(0);

    #[cold]
    fn find_out() -> bool {
        use core::arch::x86_64::__cpuid;
        let vendor = __cpuid(0);
        let is_amd =
            (vendor.ebx, vendor.edx, vendor.ecx) == (0x6874_7541, 0x6974_6e65, 0x444d_4163);
        let version = __cpuid(1).eax;
        let family = (version >> 8 & 15) + (version >> 20 & 255);
        let fast = is_x86_feature_detected!("bmi2") && !(is_amd && family < 25);
        KNOWN.store(if fast { YES } else { NO }, Ordering::Relaxed);
        fast
    }

    match KNOWN.load(Ordering::Relaxed) {
        YES => true,
        NO => false,
        _ => find_out(),
    }
}

/// [`select`] without special instructions: byte sums by one multiplication (Vigna's broadword selection), then a
/// table for the byte that holds the bit.
#[inline(always)]
pub fn select_portable(bits: u64, rank: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let pairs = bits - ((bits >> 1) & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Byte i now holds the number of set bits in bytes 0..=i; those not above `rank` lie wholly before the bit.
    let sums = bytes.wrapping_mul(ONES);
    let not_above = (((u64::from(rank) * ONES) | HIGHS) - sums) & HIGHS;
    let byte = not_above.count_ones();
    let before = ((sums << 8) >> (byte * 8)) as u32 & 0xff;
    let within = (bits >> (byte * 8)) as u8;
    byte * 8 + u32::from(SELECT_IN_BYTE[usize::from(within)][(rank - before) as usize])
}

/// For every byte, the places of its set bits, lowest first.
static SELECT_IN_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut rank) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                table[byte][rank] = place as u8;
                rank += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    table
};

/// Tells the processor that a word is going to be wanted soon, where it can be told. If there is no such word, nothing happens.
#[inline(always)]
pub fn prefetch(words: &[AtomicU64], index: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every such processor has the instruction, and it changes nothing, whatever the address is.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(
            words.as_ptr().wrapping_add(index).cast(),
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (words, index);
}

/// A run of words, all 0 at first, that threads may share. The system hands out memory only when a word is first written,
/// in large pages where it has them: a search that jumps about in its memory is a third faster on those.
#[derive(Debug)]
pub struct Words {
    map: MmapMut,
    len: usize,
}

impl Words {
    /// So many words; at most as many as the system can promise.
    pub fn zeroed(len: usize) -> Self {
        let mut len = len.max(1);
        let map = loop {
            match MmapMut::map_anon(len * 8) {
                Ok(map) => break map,
                // A system that promises only what it has may refuse: be content with less.
                Err(_) if len > 1 => len /= 2,
                Err(error) => panic!("the system has no memory left: {error}"),
            }
        };
        #[cfg(target_os = "linux")]
        if let Some(rest) = (len * 8).checked_sub(LARGE_PAGE) {
            let _ = map.advise_range(memmap2::Advice::HugePage, LARGE_PAGE, rest);
        }
        Self { map, len }
    }

    /// The same words in ordinary pages: for tables of which a few words here and there are written at first, each of which
    /// would wait for a large page to be found and cleared.
    pub fn in_ordinary_pages(self) -> Self {
        #[cfg(target_os = "linux")]
        let _ = self.map.advise(memmap2::Advice::NoHugePage);
        self
    }
}

/// The size of a large page. The first words lie in ordinary pages: the system may take its time to find a large one, and a
/// short search should be over by then.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;

impl Deref for Words {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: the map is at least `len` words long, aligned to a page, lives as long as `self`, and is reached in no
        // other way; any bits are an atomic word.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.len) }
    }
}

/// The set bits of a word, lowest first.
#[inline(always)]
pub fn ones(mut bits: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let place = bits.trailing_zeros() as u8;
            bits &= bits - 1;
            place
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn acceleration_changes_no_answer() {
        struct Count(u64);
        impl Work for Count {
            type Out = u32;

            #[inline(always)]
            fn run(self) -> u32 {
                self.0.count_ones() + select(self.0, 1)
            }
        }
        assert_eq!(accelerated(Count(0b1010_0000)), 2 + 7);
        assert_eq!(Count(0b1010_0000).run(), 2 + 7);
    }

    proptest! {
        #[test]
        fn selecting_agrees_with_walking(bits in any::<u64>(), sparse in any::<u64>()) {
            for bits in [bits, bits & sparse, 1 << (bits & 63), u64::MAX] {
                for (rank, place) in ones(bits).enumerate() {
                    prop_assert_eq!(select(bits, rank as u32), u32::from(place));
                    prop_assert_eq!(select_portable(bits, rank as u32), u32::from(place));
                }
            }
        }
    }
}
