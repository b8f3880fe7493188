//! Tails and quantiles of the distributions that tests refer to, by series and continued fractions.
//!
//! Series and fractions: Abramowitz and Stegun, 6.5.29, 6.5.31 and 26.5.8. They agree with scipy to nine digits or more.

use std::f64::consts::FRAC_1_SQRT_2;

/// A series or fraction is exact enough when its next step changes less than this part of it.
const PRECISION: f64 = 1e-16;

/// Bound on the steps of series and fractions. Far from the mean few are needed, near it about the root of the larger argument.
const MAX_STEPS: u32 = 100_000;

/// Keeps divisors of continued fractions away from 0.
const TINY: f64 = 1e-300;

/// The probability that a standard normal variable is at most `x`.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// The probability that a standard normal variable is at least as far from 0 as `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() * FRAC_1_SQRT_2)
}

/// The point below which a standard normal variable lies with this probability, which is kept away from 0 and 1.
pub fn normal_quantile(probability: f64) -> f64 {
    let probability = probability.clamp(1e-300, 1.0 - f64::EPSILON / 2.0);
    if probability > 0.5 {
        // The lower tail has more digits, where they are there at all.
        return -normal_quantile(1.0 - probability);
    }
    bisect(-40.0, 0.0, |x| normal_cdf(x) < probability)
}

/// The probability that a chi-squared variable with this many degrees of freedom is at least `x`.
pub fn chi_squared_tail(x: f64, degrees: u32) -> f64 {
    match degrees {
        0 => f64::from(u8::from(x <= 0.0)),
        1 => libm::erfc((x.max(0.0) / 2.0).sqrt()),
        degrees => upper_gamma(f64::from(degrees) / 2.0, x.max(0.0) / 2.0),
    }
}

/// The probability that a variable of Student's distribution is at least as far from 0 as `t`.
pub fn student_two_sided(t: f64, degrees: f64) -> f64 {
    if !t.is_finite() {
        return 0.0;
    }
    if t == 0.0 {
        return 1.0;
    }
    let sum = degrees + t * t;
    incomplete_beta(degrees / sum, t * t / sum, degrees / 2.0, 0.5)
}

/// The point that a variable of Student's distribution exceeds in size with probability `p`: the half width of an interval of
/// confidence 1 - `p`, in standard errors.
pub fn student_two_sided_quantile(p: f64, degrees: f64) -> f64 {
    let mut high = 1.0;
    while student_two_sided(high, degrees) > p && high < 1e12 {
        high *= 2.0;
    }
    bisect(0.0, high, |t| student_two_sided(t, degrees) > p)
}

/// The point between `low` and `high` up to which `is_below` holds, to the last digit.
fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The regularised upper incomplete gamma function: Q(a, x), for a > 0 and x >= 0.
fn upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if !x.is_finite() {
        return 0.0;
    }
    let scale = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    let value = if x < a + 1.0 {
        1.0 - scale * lower_gamma_series(a, x)
    } else {
        scale * upper_gamma_fraction(a, x)
    };
    value.clamp(0.0, 1.0)
}

/// `1/a + x/(a (a+1)) + x^2/(a (a+1) (a+2)) + ...`
fn lower_gamma_series(a: f64, x: f64) -> f64 {
    let mut term = 1.0 / a;
    let mut sum = term;
    for step in 1..MAX_STEPS {
        term *= x / (a + f64::from(step));
        sum += term;
        if term < sum * PRECISION {
            break;
        }
    }
    sum
}

/// `1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...)))`
fn upper_gamma_fraction(a: f64, x: f64) -> f64 {
    continued_fraction(x + 1.0 - a, |step| {
        let step = f64::from(step);
        (-step * (step - a), x + 1.0 - a + 2.0 * step)
    })
}

/// The regularised incomplete beta function I_x(a, b), for positive a and b; `rest` is 1 - x, which near 1 has more digits than x.
fn incomplete_beta(x: f64, rest: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    let ln_scale = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log(rest);
    let scale = libm::exp(ln_scale);
    // The fraction converges fast below the mean; above it the mirrored one does.
    let value = if x < (a + 1.0) / (a + b + 2.0) {
        scale / a * beta_fraction(x, a, b)
    } else {
        1.0 - scale / b * beta_fraction(rest, b, a)
    };
    value.clamp(0.0, 1.0)
}

/// `1/(1 + d1/(1 + d2/(1 + ...)))`
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    continued_fraction(1.0, |step| {
        let half = f64::from(step / 2);
        let numerator = if step % 2 == 0 {
            half * (b - half) * x / ((a + 2.0 * half - 1.0) * (a + 2.0 * half))
        } else {
            -(a + half) * (a + b + half) * x / ((a + 2.0 * half) * (a + 2.0 * half + 1.0))
        };
        (numerator, 1.0)
    })
}

/// `1/(first + n1/(d1 + n2/(d2 + ...)))` by Lentz's method; `term` gives each numerator and denominator, from step 1 on.
fn continued_fraction(first: f64, term: impl Fn(u32) -> (f64, f64)) -> f64 {
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut denominators = 1.0 / away(first);
    let mut value = denominators;
    let mut numerators = 1.0 / TINY;
    for step in 1..MAX_STEPS {
        let (numerator, denominator) = term(step);
        denominators = 1.0 / away(denominator + numerator * denominators);
        numerators = away(denominator + numerator / numerators);
        let change = denominators * numerators;
        value *= change;
        if (change - 1.0).abs() < PRECISION.max(f64::EPSILON) {
            break;
        }
    }
    value
}
