//! Numbers as reports print them: thousands with a comma, a no-break space before a per cent sign, en dashes between results.

use crate::arena::stats::{Interval, WdlCounts};

/// Keeps a number and its unit on one line.
pub const NO_BREAK: char = '\u{a0}';

/// `50.5 %` of 0.505.
pub fn percent(share: f64) -> String {
    format!("{:.1}{NO_BREAK}%", 100.0 * share)
}

/// `43.6 to 57.4 %`
pub fn percent_interval(interval: Interval) -> String {
    let high = percent(interval.high);
    format!("{:.1}{NO_BREAK}to{NO_BREAK}{high}", 100.0 * interval.low)
}

/// `12,345.68` with two decimals.
pub fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let mut out = String::new();
    if value < 0.0 && !is_zero {
        out.push('\u{2212}');
    }
    for (index, digit) in whole.chars().enumerate() {
        let is_group = index > 0 && (whole.len() - index).is_multiple_of(3);
        if is_group && whole.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A number with as many decimals as it needs, at most three.
pub fn short(value: f64) -> String {
    let decimals = (0..3).find(|&decimals| {
        let scaled = value * f64::from(10u32.pow(decimals));
        (scaled - scaled.round()).abs() < 1e-6 * scaled.abs().max(1e-3)
    });
    decimal(value, decimals.unwrap_or(3) as usize)
}

/// `14 – 10 – 76`: won, drawn, lost.
pub fn wdl(results: WdlCounts) -> String {
    let [wins, draws, losses] =
        [results.wins, results.draws, results.losses].map(|count| decimal(f64::from(count), 0));
    format!("{wins}{NO_BREAK}–{NO_BREAK}{draws}{NO_BREAK}–{NO_BREAK}{losses}")
}

/// A test statistic: `0.022`, `9.09`, `115.5`.
pub fn statistic(value: f64) -> String {
    let size = value.abs();
    if size >= 100.0 {
        decimal(value, 1)
    } else if size >= 1.0 || size == 0.0 {
        decimal(value, 2)
    } else {
        significant(value)
    }
}

/// A probability: `0.94`, `0.016`, `0.00022`, `< 0.0001`.
pub fn p_value(p: f64) -> String {
    if p < 0.0001 {
        format!("<{NO_BREAK}0.0001")
    } else if p >= 0.995 {
        "1.00".to_owned()
    } else {
        significant(p)
    }
}

/// Two significant digits of a number below 1, at most six decimals.
fn significant(value: f64) -> String {
    let zeros = -libm::floor(libm::log10(value.abs().max(1e-6)));
    decimal(value, (zeros as usize + 1).min(6))
}
