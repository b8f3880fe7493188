//! Code that depends on the processor or the operating system: bit selection, run-time dispatch to newer instruction sets,
//! SIMD lanes, and shared memory in huge pages.
//!
//! The default build targets baseline x86-64, which has neither `popcnt` nor `pdep`. [`run_accelerated`] compiles a loop a
//! second time for x86-64-v3 class processors (2013 and later) and chooses at run time.
//! This is the only module that may use `unsafe`.
#![expect(
    unsafe_code,
    reason = "code for a processor that was detected first, and memory from the system"
)]

use std::{
    io,
    ops::Deref,
    ptr::NonNull,
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
};

use memmap2::MmapMut;

#[cfg(target_arch = "x86_64")]
mod avx2;
mod lanes;
mod routines;

pub use lanes::{Floats, LaneWork, Lanes, Number, ScalarLanes, run_in_lanes};
pub use routines::{InstructionSet, Routine, run_routine, run_routine_plainly};

/// A hot loop to be compiled for two instruction sets.
pub trait Work {
    /// The result.
    type Out;

    /// Runs the loop. Mark it and everything it calls `#[inline(always)]`: a call that is not inlined stays baseline code.
    fn run(self) -> Self::Out;
}

/// Runs `work`, compiled for AVX2 and BMI2 where this processor has them.
#[inline(always)]
pub fn run_accelerated<W: Work>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if has_wide_instructions() {
        // SAFETY: the processor has just been found to have every feature `run_wide` is compiled for.
        return unsafe { run_wide(work) };
    }
    work.run()
}

/// True if [`run_accelerated`] uses the wider instruction set on this machine.
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
fn run_wide<W: Work>(work: W) -> W::Out {
    work.run()
}

/// Index of the `rank`-th set bit, from 0 at the least significant end. `rank` must be below the number of set bits.
#[inline(always)]
pub fn select(bits: u64, rank: u32) -> u32 {
    select_bit(bits, rank).trailing_zeros()
}

/// The `rank`-th set bit alone, as a mask; the contract of [`select`].
#[inline(always)]
pub fn select_bit(bits: u64, rank: u32) -> u64 {
    debug_assert!(
        rank < bits.count_ones(),
        "no set bit of rank {rank} in {bits:#x}"
    );
    #[cfg(target_arch = "x86_64")]
    if has_fast_pdep() {
        // SAFETY: the processor has BMI2.
        return unsafe { core::arch::x86_64::_pdep_u64(1 << rank, bits) };
    }
    1 << select_portable(bits, rank)
}

/// True if `pdep` takes a few cycles. AMD processors before Zen 3 (family 25) have it in microcode, slower than
/// [`select_portable`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_fast_pdep() -> bool {
    const YES: u8 = 1;
    const NO: u8 = 2;
    static CACHED: AtomicU8 = AtomicU8::new(0);

    #[cold]
    fn detect() -> bool {
        use core::arch::x86_64::__cpuid;
        let vendor = __cpuid(0);
        let is_amd =
            (vendor.ebx, vendor.edx, vendor.ecx) == (0x6874_7541, 0x6974_6e65, 0x444d_4163);
        let version = __cpuid(1).eax;
        let family = (version >> 8 & 15) + (version >> 20 & 255);
        let fast = is_x86_feature_detected!("bmi2") && !(is_amd && family < 25);
        CACHED.store(if fast { YES } else { NO }, Ordering::Relaxed);
        fast
    }

    match CACHED.load(Ordering::Relaxed) {
        YES => true,
        NO => false,
        _ => detect(),
    }
}

/// [`select`] without special instructions: broadword selection (Vigna 2008) finds the byte, a table the bit within it. The
/// table replaces the paper's second broadword step.
#[inline(always)]
pub fn select_portable(bits: u64, rank: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let pairs = bits - ((bits >> 1) & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Byte i holds the number of set bits in bytes 0..=i. Bytes whose sum is at most `rank` end before the bit.
    let sums = bytes.wrapping_mul(ONES);
    let not_above = (((u64::from(rank) * ONES) | HIGHS) - sums) & HIGHS;
    let byte = not_above.count_ones();
    let before = ((sums << 8) >> (byte * 8)) as u32 & 0xff;
    let within = (bits >> (byte * 8)) as u8;
    byte * 8 + u32::from(SELECT_IN_BYTE[usize::from(within)][(rank - before) as usize])
}

/// The indices of the set bits of each byte, lowest first.
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

/// Prefetches a word into all cache levels, where the processor can. An index out of bounds is harmless.
#[inline(always)]
pub fn prefetch(words: &[AtomicU64], index: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64, and a prefetch has no effect on memory, whatever the address.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(
            words.as_ptr().wrapping_add(index).cast(),
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (words, index);
}

/// Zero-initialised memory of atomic words, shared between threads. Pages are committed on first write, and huge where the
/// system has them: random access over a large tree is a third faster there.
///
/// The system may refuse memory: without overcommit, or at a limit of the process. [`Self::zeroed`] then fails;
/// [`Self::zeroed_up_to`] returns fewer words.
#[derive(Debug)]
pub struct AtomicWords {
    start: NonNull<AtomicU64>,
    len: usize,
    memory: Memory,
}

/// Owner of the words' memory.
#[derive(Debug)]
enum Memory {
    Mapped(MmapMut),
    /// At most [`AtomicWords::MIN_WORDS`] words. Also the last resort when the system refuses to map any.
    Heap(#[expect(dead_code, reason = "the words are its, and go with it")] Vec<AtomicU64>),
}

// SAFETY: the value owns its words, on whichever thread it is, and each of them is atomic.
unsafe impl Send for AtomicWords {}
// SAFETY: as above; a shared reference reaches nothing but the words.
unsafe impl Sync for AtomicWords {}

impl AtomicWords {
    /// Lower bound of [`Self::zeroed_up_to`] for larger requests.
    pub const MIN_WORDS: usize = 1 << 11;
    /// Bytes left to the rest of the program, which aborts without them: stacks and heap.
    const RESERVE_BYTES: usize = 8 << 20;
    /// The same for [`Self::zeroed_up_to`], whose callers also need room for copies of the contents.
    const LARGE_RESERVE_BYTES: usize = 64 << 20;

    /// Exactly `len` words; an error if the system refuses the memory.
    pub fn zeroed(len: usize) -> io::Result<Self> {
        Self::map_with_reserve(Self::RESERVE_BYTES, len)
    }

    /// `len` words, if the system could map `reserve` bytes more after that.
    fn map_with_reserve(reserve: usize, len: usize) -> io::Result<Self> {
        if len <= Self::MIN_WORDS {
            return Ok(Self::on_heap(len));
        }
        let bytes = len.checked_mul(8).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        drop(MmapMut::map_anon(reserve)?);
        #[cfg(target_os = "linux")]
        if let Some(rest) = bytes.checked_sub(HUGE_PAGE_BYTES) {
            let _ = map.advise_range(memmap2::Advice::HugePage, HUGE_PAGE_BYTES, rest);
        }
        Ok(Self {
            start: NonNull::new(map.as_ptr().cast_mut().cast())
                .ok_or(io::ErrorKind::OutOfMemory)?,
            len,
            memory: Memory::Mapped(map),
        })
    }

    /// `len` words, or fewer, halved until the system grants them.
    pub fn zeroed_up_to(len: usize) -> Self {
        let mut len = len.max(1);
        loop {
            match Self::map_with_reserve(Self::LARGE_RESERVE_BYTES, len) {
                Ok(words) => return words,
                Err(_) => len = (len / 2).max(Self::MIN_WORDS),
            }
        }
    }

    fn on_heap(len: usize) -> Self {
        let mut words: Vec<AtomicU64> = std::iter::repeat_with(AtomicU64::default)
            .take(len)
            .collect();
        Self {
            start: NonNull::from(&mut words[..]).cast(),
            len,
            memory: Memory::Heap(words),
        }
    }

    /// Zeroes all words. The system reclaims the pages until they are written again.
    pub fn clear(&mut self) {
        match &mut self.memory {
            #[cfg(target_os = "linux")]
            // SAFETY: a private anonymous mapping reads as 0 afterwards, and `&mut self` excludes other references into it.
            Memory::Mapped(map)
                if unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) }.is_ok() => {}
            _ => {
                for word in self.iter() {
                    word.store(0, Ordering::Relaxed);
                }
            }
        }
    }

    /// Asks the system for ordinary pages. For sparse tables, where each first write would otherwise wait for a huge page to be
    /// found and cleared.
    pub fn without_huge_pages(self) -> Self {
        #[cfg(target_os = "linux")]
        if let Memory::Mapped(map) = &self.memory {
            let _ = map.advise(memmap2::Advice::NoHugePage);
        }
        self
    }
}

/// Size of a huge page. The first of them stays ordinary pages: finding and clearing a huge page takes longer than a short
/// search.
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 2 << 20;

impl Deref for AtomicWords {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: `memory` holds `len` aligned words from `start` on, never moves, lives as long as `self`, and is reached in no
        // other way. Every bit pattern is a valid atomic word.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

/// Indices of the set bits, lowest first.
#[inline(always)]
pub fn iter_ones(mut bits: u64) -> impl Iterator<Item = u8> {
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
        struct CountOnes(u64);
        impl Work for CountOnes {
            type Out = u32;

            #[inline(always)]
            fn run(self) -> u32 {
                self.0.count_ones() + select(self.0, 1)
            }
        }
        assert_eq!(run_accelerated(CountOnes(0b1010_0000)), 2 + 7);
        assert_eq!(CountOnes(0b1010_0000).run(), 2 + 7);
    }

    #[test]
    fn memory_that_is_not_there_is_refused_or_less() {
        // More than any address space holds.
        let far_too_many = 1 << 57;
        assert!(AtomicWords::zeroed(far_too_many).is_err());
        assert!(AtomicWords::zeroed(usize::MAX).is_err());
        let words = AtomicWords::zeroed_up_to(far_too_many);
        assert!((AtomicWords::MIN_WORDS..far_too_many).contains(&words.len()));
        for len in [1000, 10_000] {
            let words = AtomicWords::zeroed(len).expect("so much there is");
            assert_eq!(words.len(), len);
        }
    }

    #[test]
    fn cleared_words_are_zero() {
        for len in [10, 100_000] {
            let mut words = AtomicWords::zeroed(len).expect("so much there is");
            words[len - 1].store(7, Ordering::Relaxed);
            words.clear();
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        }
    }

    proptest! {
        #[test]
        fn selecting_agrees_with_walking(bits in any::<u64>(), sparse in any::<u64>()) {
            for bits in [bits, bits & sparse, 1 << (bits & 63), u64::MAX] {
                for (rank, place) in iter_ones(bits).enumerate() {
                    prop_assert_eq!(select(bits, rank as u32), u32::from(place));
                    prop_assert_eq!(select_portable(bits, rank as u32), u32::from(place));
                }
            }
        }
    }
}
