//! Thresholds for work that the Python package distributes: blocks of large matrices, factors of weights.

/// The maximum size in bytes of the blocks of matrices that are larger than memory, or computed on several machines.
pub(crate) const BLOCK_BYTES: usize = 64 << 20;
/// The maximum number of pairs of rankings times items of such a block, so that it takes seconds and not minutes.
pub(crate) const BLOCK_WORK: usize = 1_500_000_000;
/// A matrix of weights is replaced by products of vectors if this is at least this many times less work.
const WORTH_FACTORS: usize = 4;
/// Finding the factors of a matrix takes about this many products with it.
const FACTORING: usize = 10;

/// The maximum number of terms that factors of an n x n matrix of weights may have to be worth finding and using, for
/// this many pairs of rankings.
pub(crate) fn max_factors(items: usize, pairs: usize) -> Option<usize> {
    let worth = items >= WORTH_FACTORS && pairs > items.saturating_mul(FACTORING);
    worth.then(|| (items / (2 * WORTH_FACTORS)).isqrt())
}
