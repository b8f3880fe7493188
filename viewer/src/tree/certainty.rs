//! How sure a share of wins is, from the number of playouts behind it.
//!
//! Intervals are Wilson's, as for matches. They hold for playouts that are independent; those of a search are not quite, and its
//! later playouts are better than its first ones.

use canopy_engine::arena::stats::{Interval, NORMAL_95, wilson_interval};

use crate::tree::{
    scene::format_thousands,
    value_text::{decimals_of_percent, percent},
};

/// Where the true share lies with 95 % confidence.
pub fn interval(share: f64, visits: u64) -> Interval {
    wilson_interval(share.clamp(0.0, 1.0), visits as f64, NORMAL_95)
}

/// [`margin`] as panels write it: "± 2.8".
pub fn margin_text(share: f64, visits: u64) -> String {
    format!("± {}", margin(share, visits))
}

/// Half the width of the interval in points of a percentage, rounded up: "2.8".
pub fn margin(share: f64, visits: u64) -> String {
    let interval = interval(share, visits);
    let margin = (interval.high - interval.low) * 50.0;
    let decimals = decimals_of_percent(visits);
    let unit = 10_f64.powi(decimals as i32);
    // Rounding errors do not count.
    let margin = (margin * unit - 1e-9).ceil() / unit;
    format!("{margin:.decimals$}")
}

/// What the margin means, in two sentences with the numbers filled in.
pub fn margin_explanation(share: f64, visits: u64) -> String {
    let interval = interval(share, visits);
    let [share, low, high] =
        [share, interval.low, interval.high].map(|share| percent(share, visits));
    let playouts = format_thousands(visits);
    format!(
        "{share} of {playouts} playouts were won. What chance alone may have done to that: the true share lies between {low} and {high} \
         with 95 % confidence (Wilson's interval, as if all playouts were alike)."
    )
}

/// Whether one share is above another by more than chance explains, with 95 % confidence.
///
/// The lower end of the interval of the difference by Newcombe (1998), method 10, which is made from Wilson's intervals.
pub fn is_clearly_better((better, visits): (f64, u64), (other, other_visits): (f64, u64)) -> bool {
    let below = better - interval(better, visits).low;
    let above = interval(other, other_visits).high - other;
    better - other > below.hypot(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 100 playouts half are won: 1.95996 sqrt(0.0025 + 0.0096036 / 100) / 1.038415 = 0.09617, with z^2 / 400 = 0.0096036.
    #[test]
    fn the_margin_is_half_of_wilsons_interval_and_rounded_up() {
        assert_eq!(margin_text(0.5, 100), "± 10");
        assert_eq!(margin_text(0.5, 1_000_000), "± 0.1");
        assert_eq!(margin_text(0.585, 1_234), "± 2.8");
        assert_eq!(margin_text(1.0, 1), "± 40");
        assert_eq!(margin_text(0.3, 0), "± 50");
    }

    #[test]
    fn the_explanation_has_the_ends_of_the_interval() {
        let text = margin_explanation(0.5, 100);
        // 0.5 -+ 0.0962, as above.
        assert!(text.contains("50 % of 100 playouts"), "{text}");
        assert!(text.contains("between 40 % and 60 % with 95 %"), "{text}");
    }

    /// Newcombe (1998), table II, example (a): 56/70 and 48/80 differ by 0.0524 to 0.3339.
    #[test]
    fn a_lead_is_clear_where_newcombes_interval_is_above_zero() {
        let (one, other) = ((56.0 / 70.0, 70), (48.0 / 80.0, 80));
        assert!(is_clearly_better(one, other));
        assert!(!is_clearly_better(other, one));
        let shifted = |by: f64| is_clearly_better((one.0 - by, one.1), other);
        assert!(shifted(0.04) && !shifted(0.07));
        // Examples (b) 9/10 and 3/10: 0.1705 to 0.8090; and (d) 5/56 and 0/29: -0.0381 to 0.1926.
        assert!(is_clearly_better((0.9, 10), (0.3, 10)));
        assert!(!is_clearly_better((5.0 / 56.0, 56), (0.0, 29)));
    }
}
