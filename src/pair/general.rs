//! Sums with weights given for all tuples of positions, computed by definition.

use crate::parallel::Cancel;
use crate::weight::own::sum;

/// The minimum number of products between two checks for a stop.
const STOP_CHECK_INTERVAL: usize = 1 << 12;

/// The sum over the tensors and over all tuples of positions. A tuple adds the weight of its positions, times the
/// weight of its values.
pub(super) fn tensors(entries: &[f64], order: usize, values: &[u32], cancel: &Cancel) -> f64 {
    let size = values.len().pow(order as u32);
    if size == 0 {
        return 0.0;
    }
    entries.chunks_exact(size).map(|tensor| long_products(tensor, tensor, order, values, cancel)).sum()
}

/// The same as [`products`], but returns early when the run stops.
fn long_products(of_positions: &[f64], of_values: &[f64], order: usize, values: &[u32], cancel: &Cancel) -> f64 {
    let size = of_positions.len() / values.len();
    if size < STOP_CHECK_INTERVAL {
        return products(of_positions, of_values, order, values);
    }
    let parts = of_positions.chunks_exact(size).zip(values);
    parts
        .map(|(part, &value)| {
            let other = &of_values[value as usize * size..][..size];
            if cancel.is_cancelled() { 0.0 } else { long_products(part, other, order - 1, values, cancel) }
        })
        .sum()
}

/// The sum over all tuples of positions. A tuple adds the weight of its positions in one tensor, times the weight of
/// its values in another tensor.
fn products(of_positions: &[f64], of_values: &[f64], order: usize, values: &[u32]) -> f64 {
    if order == 1 {
        return of_positions.iter().zip(values).map(|(weight, &value)| weight * of_values[value as usize]).sum();
    }
    let size = of_positions.len() / values.len();
    let parts = of_positions.chunks_exact(size).zip(values);
    parts.map(|(part, &value)| products(part, &of_values[value as usize * size..][..size], order - 1, values)).sum()
}

/// The sum over every two terms. On each axis, two terms have an inner product of their vectors, one indexed by
/// position and the other by value; the inner products of all axes are multiplied. Two different terms occur in both
/// orders. These two products are added first, so that the inverse permutation gives the same result.
pub(super) fn factors(vectors: &[f64], order: usize, values: &[u32], cancel: &Cancel) -> f64 {
    let items = values.len();
    if items == 0 {
        return 0.0;
    }
    let inner = |a: &[f64], b: &[f64]| sum(a.iter().zip(values).map(|(a, &value)| a * b[value as usize]));
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.chunks_exact(items).zip(b.chunks_exact(items)).map(|(a, b)| inner(a, b)).product()
    };
    let mut sum = 0.0;
    for (index, a) in vectors.chunks_exact(order * items).enumerate() {
        sum += product(a, a);
        for others in vectors[(index + 1) * order * items..].chunks((STOP_CHECK_INTERVAL / items + 1) * order * items) {
            if cancel.is_cancelled() {
                return sum;
            }
            for b in others.chunks_exact(order * items) {
                sum += product(a, b) + product(b, a);
            }
        }
    }
    sum
}

/// The sum over the concordant pairs of the weight of the two positions and the two values.
pub(super) fn quadruples(entries: &[f64], values: &[u32]) -> f64 {
    let items = values.len();
    let mut sum = 0.0;
    for (a, &c) in values.iter().enumerate() {
        for (b, &d) in values.iter().enumerate().skip(a + 1) {
            if c < d {
                sum += entries[((a * items + b) * items + c as usize) * items + d as usize];
            }
        }
    }
    sum
}

/// Whether the weights stay the same when the two positions and the two values are swapped.
pub(crate) fn is_symmetric(entries: &[f64], items: usize) -> bool {
    let pairs = || (0..items).flat_map(|a| (a + 1..items).map(move |b| a * items + b));
    let size = items * items;
    pairs().all(|pair| {
        pairs()
            .take_while(|&other| other < pair)
            .all(|other| entries[pair * size + other] == entries[other * size + pair])
    })
}
