//! The value of a kernel for a ranking and itself, in closed form: it is the same for all complete rankings.
//!
//! # The rule for zeros
//!
//! A self-similarity can be 0 although its terms are not: `(u[0] + u[1] + u[2])^2` for `u = [0.1, 0.2, -0.3]`.
//! Floating-point arithmetic then leaves a rounding error of either sign, and a normalized kernel would divide by it.
//! Therefore, everywhere in this crate: **a self-similarity of at most [`ROUNDING`] times the sum of the absolute
//! values of its terms is 0.** A normalized value with that ranking is then 0, and so is every value of two such
//! rankings, by the Cauchy-Schwarz inequality.

use super::kinds::{PairWeight, TensorWeight, WeightKind};
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;

/// The bound of the error of every sum, relative to the sum of the absolute values of its terms. Among rankings of up
/// to 20,000 items whose exact self-similarity is 0, the largest computed one was 1.1e-13 times its terms.
pub(crate) const ROUNDING: f64 = 1e-12;

/// Sums are restarted after this many terms, so that a million terms do not lose four digits.
const RUN: usize = 512;

/// A self-similarity, or 0 if it is only rounding; `size` is the sum of the absolute values of its terms.
pub(crate) fn unless_rounding(value: f64, size: f64) -> f64 {
    if value.abs() <= ROUNDING * size { 0.0 } else { value }
}

/// The sum over all tuples of `order` items, in their order, of the squared weight of the tuple's ranks.
pub(crate) fn own(weight: &WeightKind, order: usize, items: usize, stop: &Cancel) -> Result<f64, Error> {
    Ok(match weight {
        WeightKind::Pairs(PairWeight::Count { top }) => binomial(top.unwrap_or(items).min(items), order),
        // The sum over j of n - j for the last item, of rank j from 0, times the number of ways to choose the earlier
        // ones.
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

/// A sum in parts.
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

/// The binomial coefficient: exact below 2^53.
pub(crate) fn binomial(items: usize, chosen: usize) -> f64 {
    if chosen > items {
        return 0.0;
    }
    let chosen = chosen.min(items - chosen);
    let mut exact: Option<u128> = Some(1);
    let mut ways = 1.0;
    for step in 0..chosen {
        let (factor, divisor) = (items - step, step + 1);
        // The product of this many consecutive numbers has this divisor.
        exact = exact.and_then(|exact| exact.checked_mul(factor as u128)).map(|product| product / divisor as u128);
        ways = exact.map_or(ways * factor as f64 / divisor as f64, |exact| exact as f64);
    }
    ways
}

/// The sum over the tuples of the square of the sum of their weights, and the same for the absolute values.
///
/// A square is the sum of its `u_i^2` and `u_i u_j`. Each `u_i^2` is in as many tuples as there are ways to choose the
/// other items, and likewise each `u_i u_j`; the sum of the latter is (sum of u)^2 minus the sum of u^2.
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

/// The sum over the tuples of the square of the product of their weights: the elementary symmetric polynomial of the
/// squares.
pub(crate) fn squared_products(u: &[f64], order: usize, stop: &Cancel) -> Result<f64, Error> {
    if order == 0 || order > u.len() {
        return Ok(f64::from(u8::from(order == 0)));
    }
    // By length, from 1: the sums before this part, in this part, and both together for one length less.
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

/// The sum over the tuples of the square of the sum of the terms, and the same for the absolute values.
pub(crate) fn of_factors(vectors: &[f64], order: usize, items: usize, stop: &Cancel) -> Result<(f64, f64), Error> {
    let own = factors(vectors, order, items, stop)?;
    if vectors.iter().all(|&entry| entry >= 0.0) {
        return Ok((own, own));
    }
    let size = memory::collect(vectors.iter().map(|entry| entry.abs()))?;
    Ok((own, factors(&size, order, items, stop)?))
}

/// For every two terms the product over the axes of the inner products of their vectors.
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
