//! SIMD lanes in one 256-bit register, with AVX2.

use core::arch::{asm, x86_64::*};
use std::{
    ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Shl, Shr, Sub},
    sync::atomic::AtomicU64,
};

use super::lanes::{Floats, LaneWork, Lanes, Number, lane_operators};

/// Four 64-bit words. Invariant: only [`run`] and routines on wide instructions create them, so where one exists the processor
/// has AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2Lanes(__m256i);

/// Four doubles; the invariant of [`Avx2Lanes`].
#[derive(Clone, Copy)]
pub(super) struct Avx2Floats(__m256d);

/// Runs the loop on AVX2 lanes.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run<W: LaneWork>(work: W) -> W::Out {
    work.run::<Avx2Lanes>()
}

/// Loads four words, each atomically with relaxed ordering. Rust has no such vector load; the processor's is atomic for each
/// aligned word.
#[target_feature(enable = "avx2")]
#[inline]
fn load(words: &[AtomicU64; 4]) -> __m256i {
    let loaded;
    // SAFETY: reads the four words of the array.
    unsafe {
        asm!(
            "vmovdqu {loaded}, ymmword ptr [{words}]",
            loaded = lateout(ymm_reg) loaded,
            words = in(reg) words.as_ptr(),
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    loaded
}

/// Loads two pairs of words, as [`load`] does; `low` goes to the lower lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn load_pairs(low: &[AtomicU64; 2], high: &[AtomicU64; 2]) -> __m256i {
    let loaded;
    // SAFETY: reads the words of the two arrays.
    unsafe {
        asm!(
            "vmovdqu {loaded:x}, xmmword ptr [{low}]",
            "vinserti128 {loaded}, {loaded}, xmmword ptr [{high}], 1",
            loaded = out(ymm_reg) loaded,
            low = in(reg) low.as_ptr(),
            high = in(reg) high.as_ptr(),
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    loaded
}

/// The first `N` words of item `row`.
#[inline(always)]
fn words_of<const N: usize>(items: &[AtomicU64], stride: usize, row: usize) -> &[AtomicU64; N] {
    items[row * stride..]
        .first_chunk()
        .expect("the items are as long as asked")
}

impl From<[u64; 4]> for Avx2Lanes {
    #[inline(always)]
    fn from(words: [u64; 4]) -> Self {
        let [a, b, c, d] = words.map(u64::cast_signed);
        // SAFETY: here and below, see `Avx2Lanes`.
        Self(unsafe { _mm256_setr_epi64x(a, b, c, d) })
    }
}

impl From<[f64; 4]> for Avx2Floats {
    #[inline(always)]
    fn from([a, b, c, d]: [f64; 4]) -> Self {
        // SAFETY: here and below, see `Avx2Lanes`.
        Self(unsafe { _mm256_setr_pd(a, b, c, d) })
    }
}

impl Lanes for Avx2Lanes {
    type Floats = Avx2Floats;

    #[inline(always)]
    fn splat_or(self) -> Self {
        // SAFETY: see `Avx2Lanes`.
        unsafe {
            let pairs = _mm256_or_si256(self.0, _mm256_permute4x64_epi64::<0b01_00_11_10>(self.0));
            Self(_mm256_or_si256(
                pairs,
                _mm256_shuffle_epi32::<0b01_00_11_10>(pairs),
            ))
        }
    }

    #[inline(always)]
    fn reduce_or(self) -> u64 {
        // SAFETY: see `Avx2Lanes`.
        unsafe {
            let pair = _mm_or_si128(
                _mm256_castsi256_si128(self.0),
                _mm256_extracti128_si256::<1>(self.0),
            );
            let one = _mm_or_si128(pair, _mm_unpackhi_epi64(pair, pair));
            _mm_cvtsi128_si64(one).cast_unsigned()
        }
    }

    #[inline(always)]
    fn zero_mask(self) -> Self {
        // SAFETY: see `Avx2Lanes`.
        Self(unsafe { _mm256_cmpeq_epi64(self.0, _mm256_setzero_si256()) })
    }

    #[inline(always)]
    fn sign_mask(self) -> u64 {
        // SAFETY: see `Avx2Lanes`.
        unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.0)) as u64 }
    }

    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        // SAFETY: see `Avx2Lanes`; both types are 256 bits, and any bits are valid words.
        unsafe { core::mem::transmute(self.0) }
    }

    #[inline(always)]
    fn load_two_columns(items: &[AtomicU64], stride: usize) -> [Self; 2] {
        let items = &items[..3 * stride + 2];
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| words_of(items, stride, row));
        // SAFETY: see `Avx2Lanes`.
        unsafe {
            let (even, odd) = (load_pairs(a, c), load_pairs(b, d));
            [
                Self(_mm256_unpacklo_epi64(even, odd)),
                Self(_mm256_unpackhi_epi64(even, odd)),
            ]
        }
    }

    #[inline(always)]
    fn load_four_columns(items: &[AtomicU64], stride: usize) -> [Self; 4] {
        let items = &items[..3 * stride + 4];
        let rows = [0, 1, 2, 3].map(|row| words_of(items, stride, row));
        // SAFETY: see `Avx2Lanes`.
        unsafe {
            let [a, b, c, d] = [load(rows[0]), load(rows[1]), load(rows[2]), load(rows[3])];
            let (low, high) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
            let (low_behind, high_behind) =
                (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
            [
                Self(_mm256_permute2x128_si256::<0x20>(low, low_behind)),
                Self(_mm256_permute2x128_si256::<0x20>(high, high_behind)),
                Self(_mm256_permute2x128_si256::<0x31>(low, low_behind)),
                Self(_mm256_permute2x128_si256::<0x31>(high, high_behind)),
            ]
        }
    }
}

impl Number for Avx2Floats {
    #[inline(always)]
    fn splat(number: f64) -> Self {
        [number; 4].into()
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see `Avx2Lanes`.
        Self(unsafe { _mm256_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: see `Avx2Lanes`.
        Self(unsafe { _mm256_min_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: see `Avx2Lanes`.
        Self(unsafe { _mm256_max_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn any_lt(self, other: Self) -> bool {
        self.lt_mask(other).sign_mask() != 0
    }
}

impl Floats for Avx2Floats {
    type Lanes = Avx2Lanes;

    #[inline(always)]
    fn from_bits(bits: Avx2Lanes) -> Self {
        // SAFETY: see `Vector`.
        Self(unsafe { _mm256_castsi256_pd(bits.0) })
    }

    #[inline(always)]
    fn to_bits(self) -> Avx2Lanes {
        // SAFETY: see `Vector`.
        Avx2Lanes(unsafe { _mm256_castpd_si256(self.0) })
    }

    #[inline(always)]
    fn splat_max(self) -> Self {
        // SAFETY: see `Avx2Lanes`.
        unsafe {
            let turned = self.max(Self(_mm256_permute2f128_pd::<0x01>(self.0, self.0)));
            turned.max(Self(_mm256_permute_pd::<0b0101>(turned.0)))
        }
    }

    #[inline(always)]
    fn eq_mask(self, other: Self) -> Avx2Lanes {
        // SAFETY: see `Avx2Lanes`.
        Self(unsafe { _mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0) }).to_bits()
    }

    #[inline(always)]
    fn lt_mask(self, other: Self) -> Avx2Lanes {
        // SAFETY: see `Avx2Lanes`.
        Self(unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0) }).to_bits()
    }
}

// SAFETY: see `Avx2Lanes`.
lane_operators! { Avx2Lanes:
    Add add |one, other| unsafe { _mm256_add_epi64(one, other) };
    Sub sub |one, other| unsafe { _mm256_sub_epi64(one, other) };
    BitAnd bitand |one, other| unsafe { _mm256_and_si256(one, other) };
    BitOr bitor |one, other| unsafe { _mm256_or_si256(one, other) };
    BitXor bitxor |one, other| unsafe { _mm256_xor_si256(one, other) };
    Shl shl |one, other| unsafe { _mm256_sllv_epi64(one, other) };
    Shr shr |one, other| unsafe { _mm256_srlv_epi64(one, other) };
}

// SAFETY: see `Avx2Lanes`.
lane_operators! { Avx2Floats:
    Add add |one, other| unsafe { _mm256_add_pd(one, other) };
    Sub sub |one, other| unsafe { _mm256_sub_pd(one, other) };
    Mul mul |one, other| unsafe { _mm256_mul_pd(one, other) };
    Div div |one, other| unsafe { _mm256_div_pd(one, other) };
}
