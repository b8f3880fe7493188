//! The natural logarithm of visit counts, bit-identical on every machine.

/// The natural logarithm of an integer above 0, within two units in the last place.
#[inline(always)]
pub(in crate::search) fn ln(number: u32) -> f64 {
    // Most nodes have few visits.
    match LN_TABLE.get(number as usize) {
        Some(&known) => known,
        None => compute_ln(number),
    }
}

/// Logarithms of small integers; 0 for 0.
static LN_TABLE: [f64; 1024] = {
    let mut table = [0.0; 1024];
    let mut number = 1;
    while number < table.len() {
        table[number] = compute_ln(number as u32);
        number += 1;
    }
    table
};

const fn compute_ln(number: u32) -> f64 {
    // number = 2^exponent * anchor * (1 + rest), the anchor being 1 + index / 128
    let exponent = number.ilog2();
    let aligned = number << (31 - exponent);
    let mantissa = f64::from_bits(0x3ff0 << 48 | (aligned as u64 & 0x7fff_ffff) << 21);
    let LnAnchor { at, inverse, ln } = LN_ANCHORS[(aligned >> 24 & 127) as usize];
    let rest = (mantissa - at) * inverse;
    // rest < 1/128: seven terms of the series suffice, summed in independent pairs.
    let square = rest * rest;
    let low = rest - 0.5 * square;
    let middle = 1.0 / 3.0 - 0.25 * rest + square * (0.2 - 1.0 / 6.0 * rest);
    let high = square * square * (1.0 / 7.0);
    let series = low + square * rest * (middle + high);
    exponent as f64 * std::f64::consts::LN_2 + (ln + series)
}

#[derive(Clone, Copy)]
struct LnAnchor {
    at: f64,
    inverse: f64,
    ln: f64,
}

/// The anchors 1 + i / 128 for i below 128, with their inverses and logarithms.
static LN_ANCHORS: [LnAnchor; 128] = {
    let mut table = [LnAnchor {
        at: 0.0,
        inverse: 0.0,
        ln: 0.0,
    }; 128];
    let mut index = 0;
    while index < 128 {
        let at = 1.0 + index as f64 / 128.0;
        // ln x = 2 artanh((x - 1) / (x + 1)), summed from the small end.
        let ratio = (at - 1.0) / (at + 1.0);
        let mut sum = 0.0;
        let mut power = 41;
        while power >= 1 {
            sum = sum * ratio * ratio + 1.0 / power as f64;
            power -= 2;
        }
        table[index] = LnAnchor {
            at,
            inverse: 1.0 / at,
            ln: 2.0 * ratio * sum,
        };
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_logarithm() {
        for number in
            (1..5000)
                .chain((0..32).map(|bit| 1 << bit))
                .chain([u32::MAX, 999_999_937, 12_345_678])
        {
            let expected = libm::log(f64::from(number));
            assert!(
                (ln(number) - expected).abs() <= 4e-16 * expected.max(1.0),
                "{number}: {} {expected}",
                ln(number)
            );
        }
        assert_eq!(ln(1), 0.0);
    }
}
