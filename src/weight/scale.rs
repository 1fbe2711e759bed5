//! Powers of two that keep sums of products of weights within the range of floating-point numbers. A multiplication by
//! a power of two does not round.

use std::f64::consts::LN_2;

use super::checked::check_length;
use super::kinds::{PairWeight, TensorWeight, WeightKind};
use super::own::squared_products;
use crate::error::Error;
use crate::memory::{self, Shared};
use crate::parallel::Cancel;

/// Sums of scaled weights stay below 2 to this power. If possible, self-similarities stay above 2 to minus this power.
const RANGE: f64 = 900.0;

impl WeightKind {
    /// The weight, multiplied by the power of two that brings its largest number near 1. Nothing has been checked yet:
    /// numbers that are not finite, or that have the wrong length, are not changed.
    pub(crate) fn scaled_to_unit(self, items: usize) -> Result<Self, Error> {
        let to_unit = |values: &Shared| -> Result<Shared, Error> {
            let finite = values.iter().all(|value| value.is_finite());
            if finite { scaled(values, exponent(values)).map(Shared::from) } else { Ok(values.clone()) }
        };
        Ok(match self {
            Self::Pairs(PairWeight::Sums(values)) => PairWeight::Sums(to_unit(&values)?).into(),
            Self::Pairs(PairWeight::Products(values)) => PairWeight::Products(to_unit(&values)?).into(),
            Self::Pairs(weight @ (PairWeight::Count { .. } | PairWeight::Average)) => weight.into(),
            Self::Tensors(TensorWeight::Tensor { order, entries }) => {
                TensorWeight::Tensor { order, entries: to_unit(&entries)? }.into()
            }
            Self::Tensors(TensorWeight::Factors { order, vectors }) => {
                let usable = check_length(&vectors, items, order).is_ok() && vectors.iter().all(|v| v.is_finite());
                let vectors = if usable { balanced(&vectors, order, items)?.0.into() } else { vectors };
                TensorWeight::Factors { order, vectors }.into()
            }
            Self::Quadruples(entries) => Self::Quadruples(to_unit(&entries)?),
        })
    }

    /// The weight, multiplied by a power of two so that the self-similarity over tuples of `order` items neither
    /// overflows nor underflows. Use it for results that do not depend on the scale of the weights.
    pub(crate) fn scaled(self, order: usize, items: usize, stop: &Cancel) -> Result<Self, Error> {
        if let Self::Pairs(PairWeight::Products(values)) = self {
            return Ok(PairWeight::Products(for_products(&values, order, stop)?.into()).into());
        }
        self.scaled_to_unit(items)
    }
}

/// Scales position weights so that two kinds of sums are in range: the sum of the squared products of `order` weights,
/// and the intermediate sums for products of fewer weights.
///
/// Usually the largest weight becomes 1. With steep weights or a high order, the sum would then underflow: the product
/// of the three weights 1, 1e-90 and 1e-90 has the square 1e-360. The scale for such sums is computed with logarithms.
/// For orders of some hundred, a power of two is too coarse; another factor is used, and the weights are rounded.
pub(crate) fn for_products(u: &[f64], order: usize, stop: &Cancel) -> Result<Vec<f64>, Error> {
    let plain = scaled(u, exponent(u))?;
    let own = squared_products(&plain, order, stop)?;
    if (own > 1e-150 && own < 1e150) || u.iter().filter(|&&u| u != 0.0).count() < order {
        return Ok(plain);
    }
    let logs = log_sums(u, order, stop)?;
    let after = |length: usize, shift: f64| logs[length] + 2.0 * length as f64 * shift;
    let fits = |&shift: &f64| after(order, shift) > -RANGE && (0..=order).all(|length| after(length, shift) < RANGE);
    // The search begins with a self-similarity of 1 and goes down, because the sums for fewer weights can be larger.
    let exact =
        (0..=10).map(|step| -f64::from(step) * RANGE / 10.0 - logs[order]).map(|own| own / (2.0 * order as f64));
    let mut candidates = exact.clone().map(f64::round).chain(exact);
    let Some(shift) = candidates.find(fits) else {
        return Err(Error::TooSteep { order });
    };
    let fraction = (shift - shift.floor()).exp2();
    let mut found = scaled(u, shift.floor() as i32)?;
    for value in &mut found {
        *value *= fraction;
    }
    Ok(found)
}

/// For each length up to the order: the sum of the squared products over all tuples of this length, as a logarithm to
/// base 2.
fn log_sums(u: &[f64], order: usize, stop: &Cancel) -> Result<Vec<f64>, Error> {
    let mut logs = memory::filled(order + 1, f64::NEG_INFINITY)?;
    logs[0] = 0.0;
    for log in u.iter().filter(|&&u| u != 0.0).map(|u| 2.0 * u.abs().log2()) {
        if stop.is_cancelled() {
            return Err(Error::Interrupted);
        }
        for length in (1..=order).rev() {
            let (one, other) = (logs[length], logs[length - 1] + log);
            let (low, high) = (one.min(other), one.max(other));
            let more = if low == f64::NEG_INFINITY { 0.0 } else { (low - high).exp2().ln_1p() / LN_2 };
            logs[length] = high + more;
        }
    }
    Ok(logs)
}

/// Scales terms of `order` vectors so that the largest term is near 1. The power of two of a term is distributed evenly
/// among its vectors. Also returns the power of two by which the terms have been multiplied.
///
/// A term is the product of its vectors. So a power of two can move from one vector to another, and the term does not
/// change. With the terms `1e200 * 1e-200` and `1e-200 * 1e200`, one scale for all vectors would not work.
pub(crate) fn balanced(vectors: &[f64], order: usize, items: usize) -> Result<(Vec<f64>, i32), Error> {
    let (items, order) = (items.max(1), order.max(1));
    let parts = |term: &[f64]| -> Vec<i32> { term.chunks_exact(items).map(exponent).collect() };
    let is_zero = |term: &[f64]| term.chunks_exact(items).any(|vector| vector.iter().all(|&entry| entry == 0.0));
    let terms = || vectors.chunks_exact(order * items).filter(|term| !is_zero(term));
    // A term that is 0 does not determine a scale.
    let power = terms().map(|term| parts(term).iter().sum()).min().unwrap_or(0);
    let mut balanced = memory::with_capacity(vectors.len())?;
    for term in vectors.chunks_exact(order * items) {
        let exponents = parts(term);
        let rest: i32 = if is_zero(term) { 0 } else { power - exponents.iter().sum::<i32>() };
        let (each, more) = (rest.div_euclid(order as i32), rest.rem_euclid(order as i32));
        for ((axis, vector), exponent) in (0..).zip(term.chunks_exact(items)).zip(exponents) {
            let exponent = exponent + each + i32::from(axis < more);
            balanced.extend(vector.iter().map(|&entry| times_power_of_two(entry, exponent)));
        }
    }
    Ok((balanced, power))
}

/// The power of two that brings the largest weight near 1.
pub(crate) fn exponent(values: &[f64]) -> i32 {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 { 0 } else { -largest.log2().round() as i32 }
}

/// The values times 2 to this power.
pub(crate) fn scaled(values: &[f64], exponent: i32) -> Result<Vec<f64>, Error> {
    memory::collect(values.iter().map(|&value| times_power_of_two(value, exponent)))
}

/// The value times a power of two. It is computed in steps, because the power of two can overflow or underflow although
/// the product does not. Only a subnormal result is rounded, and it is rounded once.
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
    fn steep_weights_are_brought_into_range() {
        for (u, order) in [
            (vec![1.0, 1e-90, 1e-90, 1e-90], 3),
            (vec![1e60, 1e-90, 1e-170, 1e-170, 0.0], 4),
            ((1..=300).map(|rank| 1.0 / f64::from(rank + 1)).collect(), 150),
            ((1..=2000).map(|rank| 1.0 / f64::from(rank + 1)).collect(), 1000),
        ] {
            let own =
                squared_products(&for_products(&u, order, &Cancel::default()).unwrap(), order, &Cancel::default())
                    .unwrap();
            assert!(own > 1e-280 && own < 1e280, "{own}");
        }
    }

    #[test]
    fn weights_too_steep_for_any_scale_are_refused() {
        let u: Vec<f64> = (0..600).map(|rank| 0.8_f64.powi(rank)).collect();
        assert_eq!(for_products(&u, 200, &Cancel::default()), Err(Error::TooSteep { order: 200 }));
    }

    #[test]
    fn terms_are_balanced_and_keep_their_products() {
        let vectors = [1e200, 0.0, 1e-200, 1e-200, 3e-200, 1e-200, 1e200, 5e199, 0.0, 0.0, 1.0, 1e300];
        let (found, power) = balanced(&vectors, 2, 2).unwrap();
        for (term, of) in vectors.chunks(4).zip(found.chunks(4)) {
            for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
                let (wanted, found) = (term[i] * term[j], times_power_of_two(of[i] * of[j], -power));
                assert!((wanted - found).abs() <= 1e-15 * wanted);
            }
        }
        let largest = found.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        assert!(largest < 4.0);
        assert_eq!(balanced(&[], 2, 3), Ok((Vec::new(), 0)));
    }

    #[test]
    fn powers_of_two_are_exact_at_both_ends() {
        assert_eq!(times_power_of_two(f64::from_bits(1), 1074), 1.0);
        assert_eq!(times_power_of_two(1.0, -1074), f64::from_bits(1));
        assert_eq!(times_power_of_two(f64::MAX, -1023), 2.0 - f64::EPSILON);
        assert_eq!(times_power_of_two(0.0, 5000), 0.0);
        assert_eq!(times_power_of_two(1.0, -5000), 0.0);
    }
}
