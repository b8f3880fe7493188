//! Four 64-bit values processed at once: in vector registers where the processor has AVX2, else one by one.

use std::{
    ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Shl, Shr, Sub},
    sync::atomic::{AtomicU64, Ordering},
};

#[cfg(target_arch = "x86_64")]
use super::{avx2, has_wide_instructions};

/// Four 64-bit words. Shift counts are per lane; addition and subtraction wrap.
pub trait Lanes:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<Output = Self>
    + Shr<Output = Self>
    + From<[u64; 4]>
{
    /// The float lanes of the same width.
    type Floats: Floats<Lanes = Self>;

    /// `word` in all lanes.
    #[inline(always)]
    fn splat(word: u64) -> Self {
        [word; 4].into()
    }

    /// The bitwise or of all lanes, in every lane.
    fn splat_or(self) -> Self;

    /// The bitwise or of all lanes.
    fn reduce_or(self) -> u64;

    /// All ones in lanes that are 0, else 0.
    fn zero_mask(self) -> Self;

    /// The most significant bit of each lane; lane 0 in bit 0.
    fn sign_mask(self) -> u64;

    /// The four words, lane 0 first.
    fn to_array(self) -> [u64; 4];

    /// Per lane: `this` where `self` is all ones, `that` where it is 0.
    #[inline(always)]
    fn blend(self, this: Self, that: Self) -> Self {
        that ^ (this ^ that) & self
    }

    /// Loads the first two words of four items `stride` words apart, transposed: all first words, then all second words.
    fn load_two_columns(items: &[AtomicU64], stride: usize) -> [Self; 2];

    /// Loads the first four words of four items, as [`Self::load_two_columns`] does.
    fn load_four_columns(items: &[AtomicU64], stride: usize) -> [Self; 4];
}

/// One number, or several side by side, calculated with as IEEE 754 says: a formula that is written in it gives the same bits
/// for each.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// One number in all lanes.
    fn splat(number: f64) -> Self;

    /// Square roots.
    fn sqrt(self) -> Self;

    /// Per lane minimum; `other` where either is NaN.
    fn min(self, other: Self) -> Self;

    /// Per lane maximum; `other` where either is NaN.
    fn max(self, other: Self) -> Self;

    /// Whether a number is below the other's in any lane.
    fn any_lt(self, other: Self) -> bool;
}

impl Number for f64 {
    #[inline(always)]
    fn splat(number: f64) -> Self {
        number
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn any_lt(self, other: Self) -> bool {
        self < other
    }
}

/// Four numbers side by side.
pub trait Floats: Number + From<[f64; 4]> {
    /// The same bits as words.
    type Lanes: Lanes;

    /// The numbers that have these bits.
    fn from_bits(bits: Self::Lanes) -> Self;

    /// The bits of the numbers.
    fn to_bits(self) -> Self::Lanes;

    /// The largest of the four, in all lanes.
    fn splat_max(self) -> Self;

    /// All ones in lanes that are equal, else 0.
    fn eq_mask(self, other: Self) -> Self::Lanes;

    /// All ones in lanes below those of `other`, else 0.
    fn lt_mask(self, other: Self) -> Self::Lanes;
}

/// A hot loop over [`Lanes`].
pub trait LaneWork {
    /// The result.
    type Out;

    /// Runs the loop. Inlining matters as in [`super::Work::run`].
    fn run<L: Lanes>(self) -> Self::Out;
}

/// Runs `work` on AVX2 lanes where this processor has them. Values stay in vector registers between steps, which saves the
/// transfers that dominate a loop with a dependency from step to step.
#[inline(always)]
pub fn run_in_lanes<W: LaneWork>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if has_wide_instructions() {
        // SAFETY: as in `run_accelerated`.
        return unsafe { avx2::run(work) };
    }
    work.run::<ScalarLanes>()
}

/// Portable word lanes.
#[derive(Clone, Copy, Debug)]
pub struct ScalarLanes([u64; 4]);

/// Portable float lanes.
#[derive(Clone, Copy, Debug)]
pub struct ScalarFloats([f64; 4]);

impl From<[u64; 4]> for ScalarLanes {
    #[inline(always)]
    fn from(words: [u64; 4]) -> Self {
        Self(words)
    }
}

impl From<[f64; 4]> for ScalarFloats {
    #[inline(always)]
    fn from(numbers: [f64; 4]) -> Self {
        Self(numbers)
    }
}

impl Lanes for ScalarLanes {
    type Floats = ScalarFloats;

    #[inline(always)]
    fn splat_or(self) -> Self {
        Self([self.reduce_or(); 4])
    }

    #[inline(always)]
    fn reduce_or(self) -> u64 {
        let [a, b, c, d] = self.0;
        (a | b) | (c | d)
    }

    #[inline(always)]
    fn zero_mask(self) -> Self {
        Self(self.0.map(|word| mask_if(word == 0)))
    }

    #[inline(always)]
    fn sign_mask(self) -> u64 {
        let [a, b, c, d] = self.0.map(|word| word >> 63);
        a | b << 1 | c << 2 | d << 3
    }

    #[inline(always)]
    fn to_array(self) -> [u64; 4] {
        self.0
    }

    #[inline(always)]
    fn load_two_columns(items: &[AtomicU64], stride: usize) -> [Self; 2] {
        let items = &items[..3 * stride + 2];
        [0, 1].map(|column| {
            Self([0, 1, 2, 3].map(|row| items[row * stride + column].load(Ordering::Relaxed)))
        })
    }

    #[inline(always)]
    fn load_four_columns(items: &[AtomicU64], stride: usize) -> [Self; 4] {
        let items = &items[..3 * stride + 4];
        [0, 1, 2, 3].map(|column| {
            Self([0, 1, 2, 3].map(|row| items[row * stride + column].load(Ordering::Relaxed)))
        })
    }
}

impl Number for ScalarFloats {
    #[inline(always)]
    fn splat(number: f64) -> Self {
        [number; 4].into()
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(zip_map(self.0, other.0, |a, b| if a < b { a } else { b }))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(zip_map(self.0, other.0, |a, b| if a > b { a } else { b }))
    }

    #[inline(always)]
    fn any_lt(self, other: Self) -> bool {
        self.lt_mask(other).sign_mask() != 0
    }
}

impl Floats for ScalarFloats {
    type Lanes = ScalarLanes;

    #[inline(always)]
    fn from_bits(bits: ScalarLanes) -> Self {
        Self(bits.0.map(f64::from_bits))
    }

    #[inline(always)]
    fn to_bits(self) -> ScalarLanes {
        ScalarLanes(self.0.map(f64::to_bits))
    }

    #[inline(always)]
    fn splat_max(self) -> Self {
        let [a, b, c, d] = self.0;
        let turned = self.max(Self([c, d, a, b]));
        let [a, b, c, d] = turned.0;
        turned.max(Self([b, a, d, c]))
    }

    #[inline(always)]
    fn eq_mask(self, other: Self) -> ScalarLanes {
        ScalarLanes(zip_map(self.0, other.0, |a, b| mask_if(a == b)))
    }

    #[inline(always)]
    fn lt_mask(self, other: Self) -> ScalarLanes {
        ScalarLanes(zip_map(self.0, other.0, |a, b| mask_if(a < b)))
    }
}

/// Implements binary operators on lanes.
macro_rules! lane_operators {
    ($lanes:ident: $($operator:ident $method:ident $how:expr;)+) => {
        $(impl $operator for $lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($how(self.0, other.0))
            }
        })+
    };
}

pub(super) use lane_operators;

#[inline(always)]
fn mask_if(is_so: bool) -> u64 {
    if is_so { u64::MAX } else { 0 }
}

#[inline(always)]
fn zip_map<T, U>(one: [T; 4], other: [T; 4], operator: impl Fn(T, T) -> U) -> [U; 4] {
    let [a, b, c, d] = one;
    let [e, f, g, h] = other;
    [
        operator(a, e),
        operator(b, f),
        operator(c, g),
        operator(d, h),
    ]
}

lane_operators! { ScalarLanes:
    Add add |one, other| zip_map(one, other, u64::wrapping_add);
    Sub sub |one, other| zip_map(one, other, u64::wrapping_sub);
    BitAnd bitand |one, other| zip_map(one, other, u64::bitand);
    BitOr bitor |one, other| zip_map(one, other, u64::bitor);
    BitXor bitxor |one, other| zip_map(one, other, u64::bitxor);
    Shl shl |one, other| zip_map(one, other, u64::shl);
    Shr shr |one, other| zip_map(one, other, u64::shr);
}

lane_operators! { ScalarFloats:
    Add add |one, other| zip_map(one, other, f64::add);
    Sub sub |one, other| zip_map(one, other, f64::sub);
    Mul mul |one, other| zip_map(one, other, f64::mul);
    Div div |one, other| zip_map(one, other, f64::div);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation of the lanes, its results as words.
    struct AllLaneOperations<'a>(&'a [AtomicU64]);

    impl LaneWork for AllLaneOperations<'_> {
        type Out = Vec<[u64; 4]>;

        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec<[u64; 4]> {
            let [a, b] = L::load_two_columns(self.0, 3);
            let [c, d, e, f] = L::load_four_columns(self.0, 5);
            let numbers = |words: L| {
                // Doubles from 1 to 2.
                L::Floats::from_bits(words >> L::splat(12) | L::splat(0x3ff0 << 48))
            };
            let (x, y) = (numbers(a), numbers(c));
            let nothing = L::Floats::from([f64::NAN, 1.5, -0.0, f64::INFINITY]);
            let mut found = vec![a, b, c, d, e, f, a + b, a - b, c & d, c | d, c ^ d];
            found.extend([c << L::from([0, 1, 32, 63]), d >> L::from([0, 1, 32, 63])]);
            found.extend([e.splat_or(), (c & L::from([0, 1 << 63, 0, 3])).zero_mask()]);
            found.extend(
                [x + y, x - y, x * y, x / y, x.sqrt(), x.splat_max()].map(L::Floats::to_bits),
            );
            found.extend(
                [x.min(y), x.max(y), x.max(nothing), nothing.min(y)].map(L::Floats::to_bits),
            );
            found.extend([
                x.eq_mask(x),
                x.eq_mask(nothing),
                x.lt_mask(y),
                nothing.lt_mask(x),
            ]);
            found.push(x.lt_mask(y).blend(a, b));
            found.push(L::splat(f.reduce_or() ^ a.sign_mask()));
            found.into_iter().map(L::to_array).collect()
        }
    }

    #[test]
    fn vectors_do_what_plain_words_do() {
        let words: Vec<AtomicU64> = (1..=19)
            .map(|number| AtomicU64::new(u64::wrapping_mul(number, 0x9e37_79b9_7f4a_7c15)))
            .collect();
        let plain = AllLaneOperations(&words).run::<ScalarLanes>();
        assert_eq!(run_in_lanes(AllLaneOperations(&words)), plain);
        let word = |index: usize| words[index].load(Ordering::Relaxed);
        assert_eq!(plain[1], [word(1), word(4), word(7), word(10)]);
        assert_eq!(plain[5], [word(3), word(8), word(13), word(18)]);
    }
}
