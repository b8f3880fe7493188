//! What depends on the processor and the system: choosing the k-th set bit of a word, running a loop as code for the newer
//! processor it runs on, words side by side in its vector registers, and memory in large pages.
//!
//! An ordinary build targets the oldest 64-bit processors, which have neither `popcnt` nor `pdep`. [`run_accelerated`]
//! compiles a loop a second time, for processors of 2013 and later, and picks one of the two at run time.
//! This is the only module that may say `unsafe`.
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

pub use lanes::{Floats, LaneWork, Lanes, Number, ScalarLanes, run_in_lanes};

/// A loop that is worth compiling twice.
pub trait Work {
    /// What it answers.
    type Out;

    /// Does the work. Mark it `#[inline(always)]`, and what its loop calls too: what is not inlined stays portable.
    fn run(self) -> Self::Out;
}

/// Does `work`, compiled for the wider instruction set where this processor has it.
#[inline(always)]
pub fn run_accelerated<W: Work>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if has_wide_instructions() {
        // SAFETY: the processor was just found to have every feature `wide` is compiled for.
        return unsafe { run_wide(work) };
    }
    work.run()
}

/// Whether [`run_accelerated`] makes a difference on this machine.
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
    if has_fast_pdep() {
        // SAFETY: the processor has the instruction.
        return unsafe { core::arch::x86_64::_pdep_u64(1 << rank, bits) };
    }
    1 << select_portable(bits, rank)
}

/// Whether the processor deposits bits (`pdep`) in a few cycles. AMD's before Zen 3 (family 25) have the instruction, but
/// take longer over it than the portable code does.
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
///
/// A system that promises only what it has, or a limit of the process, may refuse memory. Whoever needs exactly so many
/// words asks for them with [`Self::zeroed`], whoever can do with fewer with [`Self::zeroed_up_to`] and looks how many came.
#[derive(Debug)]
pub struct AtomicWords {
    start: NonNull<AtomicU64>,
    len: usize,
    memory: Memory,
}

/// Where words lie.
#[derive(Debug)]
enum Memory {
    Mapped(MmapMut),
    /// Few words, when the system refuses even those.
    Heap(#[expect(dead_code, reason = "the words are its, and go with it")] Vec<AtomicU64>),
}

// SAFETY: the words are owned by the value, whichever thread has it, and every one of them is atomic.
unsafe impl Send for AtomicWords {}
// SAFETY: as above; nothing but the words is reached through a shared reference.
unsafe impl Sync for AtomicWords {}

impl AtomicWords {
    /// [`Self::zeroed_up_to`] gives at least so many, if so many are asked for.
    pub const MIN_WORDS: usize = 1 << 11;
    /// So many bytes are left to the rest of the program, which cannot go on without: stacks, what is on the heap.
    const RESERVE_BYTES: usize = 8 << 20;
    /// The same for who can do with fewer words: there should be room for copies of what is going to be in them.
    const LARGE_RESERVE_BYTES: usize = 64 << 20;

    /// Exactly so many words; an error if the system has no room for them.
    pub fn zeroed(len: usize) -> io::Result<Self> {
        Self::map_with_reserve(Self::RESERVE_BYTES, len)
    }

    /// So many words if so many bytes are left then.
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

    /// So many words, or as many as the system has room for.
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

    /// Makes all words 0 again; the system takes the memory back until it is written to.
    pub fn clear(&mut self) {
        match &mut self.memory {
            #[cfg(target_os = "linux")]
            // SAFETY: a private map of no file reads as 0 afterwards, and nobody else has a reference into it now.
            Memory::Mapped(map)
                if unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) }.is_ok() => {}
            _ => {
                for word in self.iter() {
                    word.store(0, Ordering::Relaxed);
                }
            }
        }
    }

    /// The same words in ordinary pages: for tables of which a few words here and there are written at first, each of which
    /// would wait for a large page to be found and cleared.
    pub fn without_huge_pages(self) -> Self {
        #[cfg(target_os = "linux")]
        if let Memory::Mapped(map) = &self.memory {
            let _ = map.advise(memmap2::Advice::NoHugePage);
        }
        self
    }
}

/// The size of a large page. The first words lie in ordinary pages: the system may take its time to find a large one, and a
/// short search should be over by then.
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 2 << 20;

impl Deref for AtomicWords {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: `memory` is at least `len` words long from `start` on, aligned, does not move, lives as long as `self`, and
        // is reached in no other way; any bits are an atomic word.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

/// The set bits of a word, lowest first.
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
        // More than any machine can promise.
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
