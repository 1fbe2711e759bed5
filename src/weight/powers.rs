//! Multiplication by powers of two, which is exact.

use crate::error::Error;
use crate::memory;

/// The power of two that brings the largest weight near 1.
pub(crate) fn exponent(values: &[f64]) -> i32 {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 { 0 } else { -largest.log2().round() as i32 }
}

/// The values times 2 to this power.
pub(crate) fn scaled(values: &[f64], exponent: i32) -> Result<Vec<f64>, Error> {
    memory::collect(values.iter().map(|&value| times_power_of_two(value, exponent)))
}

/// In steps, because a power of two can overflow or underflow although the product does not. The result is rounded at
/// most once, if it is subnormal.
pub(crate) fn times_power_of_two(value: f64, exponent: i32) -> f64 {
    let (mut value, mut rest) = (value, exponent);
    while rest.abs() > 1000 && value != 0.0 && value.is_finite() {
        let step = 1000 * rest.signum();
        value *= f64::from(step).exp2();
        rest -= step;
    }
    value * f64::from(rest.clamp(-1000, 1000)).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_exact_at_both_ends() {
        assert_eq!(times_power_of_two(f64::from_bits(1), 1074), 1.0);
        assert_eq!(times_power_of_two(1.0, -1074), f64::from_bits(1));
        assert_eq!(times_power_of_two(f64::MAX, -1023), 2.0 - f64::EPSILON);
        assert_eq!(times_power_of_two(0.0, 5000), 0.0);
        assert_eq!(times_power_of_two(1.0, -5000), 0.0);
    }
}
