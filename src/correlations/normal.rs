//! Tails and quantiles of the normal distribution. The tails have a relative error of 1e-12 for all values that a double
//! can represent.
//!
//! The tails are exp(-x^2) f(x) with f(x) = exp(x^2) erfc(x). The function f falls slowly. A table has the Taylor
//! series of f at some points. The derivatives of f follow from f' = 2 x f - 2 / sqrt(pi).

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::sync::OnceLock;

/// The number of points of the table per unit.
const POINTS: f64 = 16.0;
/// Beyond this point, the tails are below the smallest double.
const LAST: f64 = 27.5;
/// The number of terms of a series. Within half a step, the next term is below 1e-15 times the first term.
const TERMS: usize = 10;
/// Beyond this point, the continued fraction takes fewer terms than the series.
const FAR: f64 = 2.0;

/// The probability of a value that is farther from 0 than `deviation`.
pub(super) fn both_tails(deviation: f64) -> f64 {
    static TABLE: OnceLock<Vec<[f64; TERMS]>> = OnceLock::new();
    let table =
        TABLE.get_or_init(|| (0..=(LAST * POINTS) as u32).map(|point| series(f64::from(point) / POINTS)).collect());
    let x = deviation.abs() * FRAC_1_SQRT_2;
    if x >= LAST {
        return 0.0;
    }
    let point = (x * POINTS).round();
    let (step, terms) = (x - point / POINTS, &table[point as usize]);
    (-x * x).exp() * terms.iter().rev().fold(0.0, |sum, &term| sum * step + term)
}

/// The probability of a value that is larger than `deviation`.
pub(super) fn upper_tail(deviation: f64) -> f64 {
    let one = 0.5 * both_tails(deviation);
    if deviation < 0.0 { 1.0 - one } else { one }
}

/// The deviation whose upper tail is `probability`. The probability is from 0 to 1/2. The deviation is found by
/// bisection.
pub(super) fn quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if upper_tail(middle) > probability { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The quantile of Student's distribution whose probability is the probability of the normal quantile z. `inverse` is 1
/// divided by the degrees of freedom. The result is the first terms of the expansion in `inverse`. For z up to 2 and at
/// least 3 degrees of freedom, its error is below 1 %.
pub(super) fn student_quantile(z: f64, inverse: f64) -> f64 {
    let s = z * z;
    let terms =
        [(s + 1.0) / 4.0, ((5.0 * s + 16.0) * s + 3.0) / 96.0, (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0];
    z * terms.iter().rev().fold(0.0, |sum, term| (sum + term) * inverse) + z
}

/// The first terms of the Taylor series of exp(x^2) erfc(x).
fn series(x: f64) -> [f64; TERMS] {
    let mut terms = [0.0; TERMS];
    terms[0] = if x < FAR { near(x) } else { far(x) };
    terms[1] = 2.0 * x * terms[0] - 2.0 / PI.sqrt();
    for order in 1..TERMS - 1 {
        // This is f^(k+1) = 2 x f^(k) + 2 k f^(k-1), where each derivative is divided by its factorial.
        terms[order + 1] = (2.0 * x * terms[order] + 2.0 * terms[order - 1]) / (order + 1) as f64;
    }
    terms
}

/// exp(x^2) erfc(x), computed with the series of the error function, 2 / sqrt(pi) exp(-x^2) (x + 2/3 x^3 + 4/15 x^5 +
/// ...).
fn near(x: f64) -> f64 {
    let (mut term, mut sum, mut divisor) = (x, x, 1.0);
    while term > 1e-17 * sum {
        divisor += 2.0;
        term *= 2.0 * x * x / divisor;
        sum += term;
    }
    (x * x).exp() - 2.0 / PI.sqrt() * sum
}

/// exp(x^2) erfc(x), computed with the continued fraction 1 / (x + 1/2 / (x + 2/2 / (x + 3/2 / (x + ...)))) / sqrt(pi).
/// The fraction is evaluated from its end.
fn far(x: f64) -> f64 {
    // With this many terms, the error is below 1e-15 at x = 2. Larger x need fewer terms.
    let terms = 10 + (500.0 / (x * x)) as u32;
    let mut fraction = x;
    for term in (1..=terms).rev() {
        fraction = x + f64::from(term) / 2.0 / fraction;
    }
    1.0 / (PI.sqrt() * fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_student() {
        for (freedom, expected) in [(3.0, 3.1824), (5.0, 2.5706), (10.0, 2.228_14), (30.0, 2.042_27), (1e9, 1.959_964)]
        {
            let found = student_quantile(quantile(0.025), 1.0 / freedom);
            assert!(
                (found / expected - 1.0).abs() < 1.1 / f64::powi(freedom, 4) + 1e-5,
                "{freedom}: {found}, not {expected}"
            );
        }
    }

    /// Values of the complementary error function, from a table.
    const KNOWN: [(f64, f64); 8] = [
        (0.0, 1.0),
        (0.5, 0.479_500_122_186_953_5),
        (1.0, 0.157_299_207_050_285_13),
        (2.0, 0.004_677_734_981_047_266),
        (2.5, 4.069_520_174_449_589e-4),
        (3.0, 2.209_049_699_858_544e-5),
        (5.0, 1.537_459_794_428_034_8e-12),
        (10.0, 2.088_487_583_762_544_7e-45),
    ];

    #[test]
    fn tails_are_those_of_the_table() {
        for (x, expected) in KNOWN {
            let found = both_tails(x / FRAC_1_SQRT_2);
            assert!((found / expected - 1.0).abs() < 1e-12, "{x}: {found} is not {expected}");
        }
        assert_eq!(both_tails(100.0), 0.0);
        assert_eq!(upper_tail(-100.0), 1.0);
    }

    #[test]
    fn points_and_what_is_between_agree_with_the_sums() {
        for index in 0..2000 {
            let x = f64::from(index) / 80.0;
            let found = both_tails(x / FRAC_1_SQRT_2) * (x * x).exp();
            let expected = if x < FAR { near(x) } else { far(x) };
            assert!((found / expected - 1.0).abs() < 1e-11, "{x}: {found} is not {expected}");
        }
        assert!((near(FAR) / far(FAR) - 1.0).abs() < 1e-10);
    }
}
