//! Recursive code compiled for two instruction sets.
//!
//! [`run_accelerated`](super::run_accelerated) inlines a whole loop into a function with wide instructions, which recursion
//! does not allow. Here every step of a recursion is such a function of its own, and steps call each other through an
//! [`InstructionSet`].

use super::{Lanes, ScalarLanes};
#[cfg(target_arch = "x86_64")]
use super::{avx2, has_wide_instructions};

/// A step of a recursion over `State`.
pub trait Routine<State: ?Sized> {
    /// What differs from call to call.
    type Arguments;
    /// The result.
    type Out;

    /// Runs the step. It calls itself and other routines by [`InstructionSet::call`]; inlining matters as in
    /// [`super::Work::run`].
    fn run<S: InstructionSet>(set: S, state: &mut State, arguments: Self::Arguments) -> Self::Out;
}

/// Instructions that routines are compiled for.
pub trait InstructionSet: Copy {
    /// The lanes of these instructions.
    type Lanes: Lanes;

    /// Calls a routine compiled for these instructions.
    fn call<R: Routine<State>, State: ?Sized>(
        self,
        state: &mut State,
        arguments: R::Arguments,
    ) -> R::Out;
}

/// What every processor has.
#[derive(Clone, Copy)]
struct Baseline;

impl InstructionSet for Baseline {
    type Lanes = ScalarLanes;

    #[inline(never)]
    fn call<R: Routine<State>, State: ?Sized>(
        self,
        state: &mut State,
        arguments: R::Arguments,
    ) -> R::Out {
        R::run(self, state, arguments)
    }
}

/// AVX2 and the bit instructions of its time. Invariant: only [`run_routine`] creates it, where the processor has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Wide;

#[cfg(target_arch = "x86_64")]
impl InstructionSet for Wide {
    type Lanes = avx2::Avx2Lanes;

    #[inline(always)]
    fn call<R: Routine<State>, State: ?Sized>(
        self,
        state: &mut State,
        arguments: R::Arguments,
    ) -> R::Out {
        // SAFETY: see `Wide`.
        unsafe { call_wide::<R, State>(self, state, arguments) }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn call_wide<R: Routine<State>, State: ?Sized>(
    set: Wide,
    state: &mut State,
    arguments: R::Arguments,
) -> R::Out {
    R::run(set, state, arguments)
}

/// Runs a routine on the widest instructions of this processor.
pub fn run_routine<R: Routine<State>, State: ?Sized>(
    state: &mut State,
    arguments: R::Arguments,
) -> R::Out {
    #[cfg(target_arch = "x86_64")]
    if has_wide_instructions() {
        return Wide.call::<R, State>(state, arguments);
    }
    run_routine_plainly::<R, State>(state, arguments)
}

/// Runs a routine on what every processor has.
pub fn run_routine_plainly<R: Routine<State>, State: ?Sized>(
    state: &mut State,
    arguments: R::Arguments,
) -> R::Out {
    Baseline.call::<R, State>(state, arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fibonacci;

    impl Routine<u32> for Fibonacci {
        type Arguments = u32;
        type Out = u64;

        #[inline(always)]
        fn run<S: InstructionSet>(set: S, calls: &mut u32, index: u32) -> u64 {
            *calls += 1;
            match index {
                0 | 1 => index.into(),
                _ => {
                    set.call::<Self, u32>(calls, index - 1)
                        + set.call::<Self, u32>(calls, index - 2)
                }
            }
        }
    }

    #[test]
    fn a_routine_calls_itself_on_either_instruction_set() {
        let runs = [
            run_routine::<Fibonacci, u32>,
            run_routine_plainly::<Fibonacci, u32>,
        ];
        for run in runs {
            let mut calls = 0;
            assert_eq!(run(&mut calls, 12), 144);
            assert_eq!(calls, 465);
        }
    }
}
