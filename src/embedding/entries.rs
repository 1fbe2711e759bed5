//! Sums over the entries of the tensor of one ranking.

use super::STOP_CHECK_INTERVAL;
use crate::parallel::Cancel;
use crate::simd::Isa;
use crate::simd::gathered::{self, Places};

/// The same as [`dot`], but returns early when the run stops.
pub(super) fn long_dot(
    isa: Isa,
    tensor: &[f64],
    weights: &[f64],
    order: usize,
    ranks: &[u32],
    places: Places<'_>,
    cancel: &Cancel,
) -> f64 {
    let size = tensor.len() / ranks.len();
    if size < STOP_CHECK_INTERVAL || order == 1 {
        return dot(isa, tensor, weights, order, ranks, places);
    }
    let parts = tensor.chunks_exact(size).zip(ranks);
    parts
        .map(|(part, &rank)| {
            let weights = &weights[rank as usize * size..][..size];
            if cancel.is_cancelled() { 0.0 } else { long_dot(isa, part, weights, order - 1, ranks, places, cancel) }
        })
        .sum()
}

/// The inner product of a tensor and the embedding of the ranking with these ranks.
fn dot(isa: Isa, tensor: &[f64], weights: &[f64], order: usize, ranks: &[u32], places: Places<'_>) -> f64 {
    if order == 1 {
        return gathered::dot(isa, weights, places, tensor);
    }
    let size = tensor.len() / ranks.len();
    let parts = tensor.chunks_exact(size).zip(ranks);
    parts.map(|(part, &rank)| dot(isa, part, &weights[rank as usize * size..][..size], order - 1, ranks, places)).sum()
}

/// Adds a multiple of the embedding of the ranking with these ranks.
pub(super) fn add(
    isa: Isa,
    weights: &[f64],
    order: usize,
    ranks: &[u32],
    places: Places<'_>,
    coefficient: f64,
    sum: &mut [f64],
) {
    match order {
        0 => sum[0] += coefficient * weights[0],
        1 => gathered::add(isa, weights, places, coefficient, sum),
        _ => {
            let size = weights.len() / ranks.len().max(1);
            for (sum, &rank) in sum.chunks_exact_mut(size).zip(ranks) {
                add(isa, &weights[rank as usize * size..][..size], order - 1, ranks, places, coefficient, sum);
            }
        }
    }
}
