//! The self-similarity of a kernel, in closed form: the value for a ranking and itself. It is the same for all complete
//! rankings.
//!
//! # The rule for zeros
//!
//! A self-similarity can be 0 although its terms are not: `(u[0] + u[1] + u[2])^2` for `u = [0.1, 0.2, -0.3]`.
//! Floating-point arithmetic then leaves a small positive or negative rounding error, and a normalized kernel would
//! divide by this error. Therefore, everywhere in this crate: **a self-similarity of at most [`ROUNDING`] times the sum
//! of the absolute values of its terms is 0.** A normalized value with that ranking is then 0. Every value of two such
//! rankings is also 0, by the Cauchy-Schwarz inequality.

use super::kinds::{PairWeight, TensorWeight, WeightKind};
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;

/// An upper bound of the error of every sum, divided by the sum of the absolute values of its terms. It was measured
/// with rankings of up to 20,000 items whose exact self-similarity is 0. The largest self-similarity computed for them
/// was 1.1e-13 times the sum of the absolute values.
pub(crate) const ROUNDING: f64 = 1e-12;

/// A new partial sum begins after this many terms. In one sum of a million terms, four digits would be lost.
const RUN: usize = 512;

/// A self-similarity, or 0 if it is only a rounding error. `size` is the sum of the absolute values of its terms.
pub(crate) fn unless_rounding(value: f64, size: f64) -> f64 {
    if value.abs() <= ROUNDING * size { 0.0 } else { value }
}

/// The self-similarity: the sum of squared weights over all tuples of `order` ranks in increasing order.
pub(crate) fn own(weight: &WeightKind, order: usize, items: usize, stop: &Cancel) -> Result<f64, Error> {
    Ok(match weight {
        WeightKind::Pairs(PairWeight::Count { top }) => binomial(top.unwrap_or(items).min(items), order),
        // The sum over the rank j of the last item, from 0. A term is n - j times the number of ways to choose the
        // earlier items.
        WeightKind::Pairs(PairWeight::Average) => binomial(items + 1, order + 1) / items.max(1) as f64,
        WeightKind::Pairs(PairWeight::Sums(u)) => {
            let (own, size) = squared_sums(u, order);
            unless_rounding(own, size)
        }
        WeightKind::Pairs(PairWeight::Products(u)) => squared_products(u, order, stop)?,
        WeightKind::Tensors(TensorWeight::Tensor { entries, .. }) => sum(entries.iter().map(|entry| entry * entry)),
        WeightKind::Tensors(TensorWeight::Factors { order, vectors }) => {
            let (own, size) = of_factors(vectors, *order, items, stop)?;
            unless_rounding(own, size).max(0.0)
        }
        WeightKind::Quadruples(entries) => {
            let pairs = (0..items).flat_map(|a| (a + 1..items).map(move |b| a * items + b));
            sum(pairs.map(|pair| entries[pair * items * items + pair]))
        }
    })
}

/// A sum that is computed in parts, to reduce rounding.
pub(crate) fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut run) = (0.0, 0.0);
    for (index, term) in terms.enumerate() {
        run += term;
        if index % RUN == RUN - 1 {
            total += std::mem::take(&mut run);
        }
    }
    total + run
}

/// The binomial coefficient. It is exact below 2^53.
pub(crate) fn binomial(items: usize, chosen: usize) -> f64 {
    if chosen > items {
        return 0.0;
    }
    let chosen = chosen.min(items - chosen);
    let mut exact: Option<u128> = Some(1);
    let mut ways = 1.0;
    for step in 0..chosen {
        let (factor, divisor) = (items - step, step + 1);
        // The quotient is again a binomial coefficient, so the division is exact.
        exact = exact.and_then(|exact| exact.checked_mul(factor as u128)).map(|product| product / divisor as u128);
        ways = exact.map_or(ways * factor as f64 / divisor as f64, |exact| exact as f64);
    }
    ways
}

/// For each tuple, the square of the sum of its weights; all these squares are added up. The second result is the same
/// with the absolute values of the weights.
///
/// A square is a sum of terms `u_i^2` and `u_i u_j`. A term occurs in as many tuples as there are ways to choose the
/// other items. The sum of all `u_i u_j` is (sum of u)^2 minus the sum of u^2.
pub(crate) fn squared_sums(u: &[f64], order: usize) -> (f64, f64) {
    if order == 1 || u.len() < 2 {
        let own = if order == 1 { sum(u.iter().map(|u| u * u)) } else { 0.0 };
        return (own, own);
    }
    let squares = binomial(u.len() - 2, order - 1) * sum(u.iter().map(|u| u * u));
    let with_both = binomial(u.len() - 2, order - 2);
    let (total, size) = (sum(u.iter().copied()), sum(u.iter().map(|u| u.abs())));
    (squares + with_both * (total * total), squares + with_both * (size * size))
}

/// For each tuple, the square of the product of its weights; all these squares are added up. This is the elementary
/// symmetric polynomial of the squared weights.
pub(crate) fn squared_products(u: &[f64], order: usize, stop: &Cancel) -> Result<f64, Error> {
    if order == 0 || order > u.len() {
        return Ok(f64::from(u8::from(order == 0)));
    }
    // For each length of a tuple, from 1: the sum before this part, the sum in this part, and the total of both for
    // tuples that are one item shorter.
    let mut settled = memory::filled(order, 0.0)?;
    let mut recent = memory::filled(order, 0.0)?;
    let mut shorter = memory::filled(order, 0.0)?;
    for run in u.chunks(RUN) {
        for u in run {
            if stop.is_cancelled() {
                return Err(Error::Interrupted);
            }
            shorter[0] = 1.0;
            for (shorter, (settled, recent)) in shorter[1..].iter_mut().zip(settled.iter().zip(&recent)) {
                *shorter = settled + recent;
            }
            for (recent, shorter) in recent.iter_mut().zip(&shorter) {
                *recent += shorter * (u * u);
            }
        }
        for (settled, recent) in settled.iter_mut().zip(&mut recent) {
            *settled += std::mem::take(recent);
        }
    }
    Ok(settled[order - 1])
}

/// For each tuple, the square of the sum of its terms; all these squares are added up. The second result is the same
/// with absolute values.
pub(crate) fn of_factors(vectors: &[f64], order: usize, items: usize, stop: &Cancel) -> Result<(f64, f64), Error> {
    let own = factors(vectors, order, items, stop)?;
    if vectors.iter().all(|&entry| entry >= 0.0) {
        return Ok((own, own));
    }
    let size = memory::collect(vectors.iter().map(|entry| entry.abs()))?;
    Ok((own, factors(&size, order, items, stop)?))
}

/// The sum over every two terms. Two terms have an inner product of vectors on each axis, and these inner products are
/// multiplied.
fn factors(vectors: &[f64], order: usize, items: usize, stop: &Cancel) -> Result<f64, Error> {
    let items = items.max(1);
    let inner = |a: &[f64], b: &[f64]| sum(a.iter().zip(b).map(|(a, b)| a * b));
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.chunks_exact(items).zip(b.chunks_exact(items)).map(|(a, b)| inner(a, b)).product()
    };
    let mut total = 0.0;
    for (index, a) in vectors.chunks_exact(order * items).enumerate() {
        if stop.is_cancelled() {
            return Err(Error::Interrupted);
        }
        let others = vectors.chunks_exact(order * items).skip(index + 1);
        total += product(a, a) + 2.0 * sum(others.map(|b| product(a, b)));
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials_are_exact_and_grow_without_overflow() {
        assert_eq!(binomial(5, 2), 10.0);
        assert_eq!(binomial(2, 5), 0.0);
        assert_eq!(binomial(0, 0), 1.0);
        assert_eq!(binomial(52, 26), 495_918_532_948_104.0);
        let large = binomial(1000, 500);
        assert!((large / 2.702_882_409_454_365_6e299 - 1.0).abs() < 1e-13);
    }

    #[test]
    fn closed_forms_equal_their_definitions() {
        let u = [0.5, -1.25, 2.0, 0.75, -0.1];
        for order in 1..=6 {
            let (mut sums, mut products, mut count) = (0.0, 0.0, 0.0);
            for chosen in 0_u32..32 {
                if chosen.count_ones() as usize == order {
                    let members = || (0..5).filter(|i| chosen >> i & 1 == 1).map(|i| u[i as usize]);
                    sums += members().sum::<f64>().powi(2);
                    products += members().product::<f64>().powi(2);
                    count += 1.0;
                }
            }
            assert!((squared_sums(&u, order).0 - sums).abs() < 1e-12);
            assert!((squared_products(&u, order, &Cancel::default()).unwrap() - products).abs() < 1e-12);
            assert_eq!(own(&PairWeight::Count { top: None }.into(), order, 5, &Cancel::default()), Ok(count));
        }
    }
}
