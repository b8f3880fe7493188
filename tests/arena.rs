//! Match statistics, sequential tests and schedules.
//!
//! Figures marked "computed" come from scipy 1.17, statsmodels 0.15 and mpmath, with the formula stated. Figures marked
//! "published" are what other programs or papers print.

use canopy_engine::arena::{
    sprt::Sprt,
    stats::{Elo, NORMAL_95, WdlByColour, WdlCounts},
};

#[path = "arena/estimates.rs"]
mod estimates;
#[path = "arena/reference_values.rs"]
mod reference_values;
#[path = "arena/schedule.rs"]
mod schedule;
#[path = "arena/significance.rs"]
mod significance;
#[path = "arena/sprt.rs"]
mod sprt;

/// Asserts that two numbers agree within `tolerance`, relative to `expected`, or absolute if that is below 1.
#[track_caller]
fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(1.0);
    assert!(
        (actual - expected).abs() <= tolerance * scale,
        "{actual} is not {expected}"
    );
}

/// Asserts that two numbers agree within a relative `tolerance`, however small they are.
#[track_caller]
fn assert_same_size(actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance * expected.abs(),
        "{actual:e} is not {expected:e}"
    );
}

/// Every combination of 0 to `most` wins, draws and losses.
fn all_results_up_to(most: u32) -> impl Iterator<Item = WdlCounts> {
    (0..=most).flat_map(move |wins| {
        (0..=most).flat_map(move |draws| {
            (0..=most).map(move |losses| WdlCounts::new(wins, draws, losses))
        })
    })
}

fn sprt_test(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Sprt {
    Sprt::new(elo0, elo1, alpha, beta).expect("a sound test")
}
