//! Tails of the normal distribution, to a relative 1e-12 as far out as a double can say.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// From here on the continued fraction takes fewer terms than the series.
const FAR: f64 = 2.5;

/// The chance of a value farther from 0.
pub(super) fn both_tails(deviation: f64) -> f64 {
    complement(deviation.abs() * FRAC_1_SQRT_2)
}

/// The chance of a larger value.
pub(super) fn upper_tail(deviation: f64) -> f64 {
    let one = 0.5 * both_tails(deviation);
    if deviation < 0.0 { 1.0 - one } else { one }
}

/// The complementary error function of a number that is not negative.
fn complement(x: f64) -> f64 {
    if x < FAR { 1.0 - near(x) } else { far(x) }
}

/// The error function by the series x + 2/3 x^3 + 4/15 x^5 + ..., times 2 exp(-x^2) / sqrt(pi): all its terms are
/// positive.
fn near(x: f64) -> f64 {
    let (mut term, mut sum, mut divisor) = (x, x, 1.0);
    while term > 1e-17 * sum {
        divisor += 2.0;
        term *= 2.0 * x * x / divisor;
        sum += term;
    }
    2.0 / PI.sqrt() * (-x * x).exp() * sum
}

/// The complement by the continued fraction exp(-x^2) / sqrt(pi) / (x + 1/2 / (x + 2/2 / (x + 3/2 / (x + ...)))), from
/// its end.
fn far(x: f64) -> f64 {
    // So many terms leave an error below 1e-15 at 2.5, and fewer are needed beyond.
    let terms = 10 + (500.0 / (x * x)) as u32;
    let mut fraction = x;
    for term in (1..=terms).rev() {
        fraction = x + f64::from(term) / 2.0 / fraction;
    }
    (-x * x).exp() / (PI.sqrt() * fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a table of 30 digits.
    const KNOWN: [(f64, f64); 8] = [
        (0.0, 1.0),
        (0.5, 0.479_500_122_186_953_46),
        (1.0, 0.157_299_207_050_285_13),
        (2.0, 0.004_677_734_981_047_265_8),
        (2.5, 4.069_520_174_449_589_4e-4),
        (3.0, 2.209_049_699_858_544_1e-5),
        (5.0, 1.537_459_794_428_034_8e-12),
        (10.0, 2.088_487_583_762_544_7e-45),
    ];

    #[test]
    fn the_complement_is_that_of_the_table() {
        for (x, expected) in KNOWN {
            let found = complement(x);
            assert!((found / expected - 1.0).abs() < 1e-12, "{x}: {found} is not {expected}");
        }
        assert_eq!(complement(40.0), 0.0);
    }

    #[test]
    fn both_forms_meet() {
        let (series, fraction) = (1.0 - near(FAR), far(FAR));
        assert!((series / fraction - 1.0).abs() < 1e-11);
    }
}
