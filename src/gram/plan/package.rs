//! Thresholds of work that the Python package shares out: blocks of large matrices, factors of weights.

/// Matrices larger than memory, or spread over machines, are computed in blocks of at most so many bytes.
pub(crate) const BLOCK_BYTES: usize = 64 << 20;
/// Such a block has at most so many pairs of rankings times items, so that one takes seconds and not minutes.
pub(crate) const BLOCK_WORK: usize = 1_500_000_000;
/// A matrix of weights is replaced by products of vectors if that is at least so many times less work.
const WORTH_FACTORS: usize = 4;
/// Finding the factors of a matrix takes about so many products with it.
const FACTORING: usize = 10;

/// Of how many terms at most the factors of an n x n matrix of weights may be, to be worth looking for and using for so
/// many pairs of rankings.
pub(crate) fn most_factors(items: usize, pairs: usize) -> Option<usize> {
    let worth = items >= WORTH_FACTORS && pairs > items.saturating_mul(FACTORING);
    worth.then(|| (items / (2 * WORTH_FACTORS)).isqrt())
}
