//! The terms of the average weight for pairs of items of rankings with ties.
//!
//! The average kernel is the mean of the top-k kernels over k = 1..n. An item of a block of ranks is in the top k with
//! probability P(k), the fraction of the block in the top k. Two tied items are both in the top k, with a given one
//! first, with probability T(k):
//!
//! ```text
//! P(k) = r / p    T(k) = r (r - 1) / (2 p (p - 1))    r = k - start, but from 0 to p    p = size of the block
//! ```
//!
//! So a pair whose later item has the blocks B and D in two rankings adds the mean over k of one of P P', T P', P T'
//! and T T', if it is tied in neither, in the first, in the second or in both. While k cuts both blocks, these are
//! polynomials in k; then k cuts only one block; then both are in the top.

use super::task;

/// Used as a factor, because division takes ten times as long.
const THIRD: f64 = 1.0 / 3.0;
const FIFTH: f64 = 0.2;

/// One block of ranks: the first rank from 0, the size p, 1 / p and 1 / (2 p (p - 1)), which is 0 for one item.
pub(crate) type TopBlock = [f64; 4];
/// The four lists of some blocks.
pub(crate) type TopLists = [Vec<f64>; 4];

/// The number of blocks that are processed at a time.
pub(crate) const STEP: usize = 8;

task! {
    /// The sum over the `others`, blocks of one ranking of n items, of the four numbers of [`of_blocks`] for `block` of
    /// another ranking and each of them, each number times a factor. The lengths of lists are multiples of [`STEP`].
    pub(crate) fn sum_in_tops(_arch: A, n: usize, block: TopBlock, others: [&[f64]; 4], factors: [&[f64]; 4]) -> f64 {
        let [starts, sizes, parts, pairs] = others.map(|list| list.as_chunks::<STEP>().0);
        let factors = factors.map(|list| list.as_chunks::<STEP>().0);
        let mut sums = [0.0; STEP];
        for step in 0..starts.len() {
            let (starts, sizes, parts, pairs) = (&starts[step], &sizes[step], &parts[step], &pairs[step]);
            let factors = [&factors[0][step], &factors[1][step], &factors[2][step], &factors[3][step]];
            for lane in 0..STEP {
                let found = of_blocks(n as f64, block, [starts[lane], sizes[lane], parts[lane], pairs[lane]]);
                sums[lane] += (found[0] * factors[0][lane] + found[3] * factors[3][lane])
                    + (found[1] * factors[1][lane] + found[2] * factors[2][lane]);
            }
        }
        sums.iter().sum()
    }
}

task! {
    /// The same for the first number alone.
    pub(crate) fn sum_split_in_tops(_arch: A, n: usize, block: TopBlock, others: [&[f64]; 4], factors: &[f64]) -> f64 {
        let [starts, sizes, parts, pairs] = others.map(|list| list.as_chunks::<STEP>().0);
        let mut sums = [0.0; STEP];
        for (step, factors) in factors.as_chunks::<STEP>().0.iter().enumerate() {
            let (starts, sizes, parts, pairs) = (&starts[step], &sizes[step], &parts[step], &pairs[step]);
            for lane in 0..STEP {
                let found = of_blocks(n as f64, block, [starts[lane], sizes[lane], parts[lane], pairs[lane]]);
                sums[lane] += found[0] * factors[lane];
            }
        }
        sums.iter().sum()
    }
}

/// Sums over i = 1..m of the products of r or r (r - 1), with r = x + i, and r' or r' (r' - 1), with r' = y + i.
#[inline(always)]
pub(crate) fn cut(m: f64, x: f64, y: f64) -> [f64; 4] {
    let sum1 = m * (m + 1.0) * 0.5;
    let sum2 = sum1 * (2.0 * m + 1.0) * THIRD;
    let sum3 = sum1 * sum1;
    let sum4 = sum2 * (3.0 * m * m + 3.0 * m - 1.0) * FIFTH;
    // (x + i) (x + i - 1) = i^2 + x1 i + x0
    let (x1, x0, y1, y0) = (2.0 * x - 1.0, x * (x - 1.0), 2.0 * y - 1.0, y * (y - 1.0));
    [
        sum2 + (x + y) * sum1 + x * y * m,
        sum3 + (x1 + y) * sum2 + (x0 + x1 * y) * sum1 + x0 * y * m,
        sum3 + (y1 + x) * sum2 + (y0 + y1 * x) * sum1 + y0 * x * m,
        sum4 + (x1 + y1) * sum3 + (x0 + y0 + x1 * y1) * sum2 + (x1 * y0 + y1 * x0) * sum1 + x0 * y0 * m,
    ]
}

/// The four numbers of two blocks, times n. Swapping the blocks swaps the second and the third number, bitwise
/// identically.
#[inline(always)]
pub(crate) fn of_blocks(n: f64, [a, p, part_p, pair_p]: TopBlock, [b, q, part_q, pair_q]: TopBlock) -> Four {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let start = larger(a, b);
    let (end_p, end_q) = (a + p, b + q);
    let p_is_last = end_p >= end_q;
    let pick = |if_p: f64, if_q: f64| if p_is_last { if_p } else { if_q };
    let (first_end, last_end) = (pick(end_q, end_p), pick(end_p, end_q));
    // Both are cut in m steps i = 1, 2, ...: then x + i ranks of the first are in the top, and y + i of the second.
    let m = larger(first_end - start, 0.0);
    let (x, y) = (start - a, start - b);
    let [parts, pair_part, part_pair, pairs] = cut(m, x, y);
    // Only one is cut, from j of its ranks to all.
    let size = pick(p, q);
    let j = larger(start, first_end) - pick(a, b);
    let left = size - j;
    let part = left * (size + j + 1.0) * 0.5 * pick(part_p, part_q);
    let pair = left * (size * size + size * j + j * j - 1.0) * THIRD * pick(pair_p, pair_q);
    let rest = n - last_end;
    [
        parts * (part_p * part_q) + part + rest,
        pair_part * (pair_p * part_q) + pick(pair, part * 0.5) + rest * 0.5,
        part_pair * (part_p * pair_q) + pick(part * 0.5, pair) + rest * 0.5,
        pairs * (pair_p * pair_q) + pair * 0.5 + rest * 0.25,
    ]
}

/// The terms of pairs that are tied in neither ranking, in the first, in the second, in both.
pub(crate) type Four = [f64; 4];

/// An item of one ranking: the items before it and those tied with it as bits, in the order in which the items of the
/// other ranking refer to them; and its block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PackedItem {
    pub(crate) planes: [u64; 4],
    pub(crate) block: usize,
}

task! {
    /// Appends the result of [`of_blocks`] for a block with each of the others.
    pub(crate) fn in_tops_of(_arch: A, n: usize, block: TopBlock, others: &[TopBlock], out: &mut Vec<Four>) {
        out.extend(others.iter().map(|&other| of_blocks(n as f64, block, other)));
    }
}

task! {
    /// For a ranking and each of some others: the sum over items of the numbers of their two blocks, looked up in a
    /// table, times the number of items that are before them or tied with them in both.
    ///
    /// # Panics
    /// If the table has no entry for the sum of two blocks.
    pub(crate) fn sum_later(_arch: A, items: &[PackedItem], others: &[PackedItem], table: &[Four], sums: &mut [f64]) {
        for (others, sum) in others.chunks_exact(items.len().max(1)).zip(sums) {
            let mut totals = [0.0; 4];
            for (item, other) in items.iter().zip(others) {
                let numbers = &table[item.block + other.block];
                for kind in 0..4 {
                    let count = (item.planes[kind] & other.planes[kind]).count_ones();
                    totals[kind] += f64::from(count) * numbers[kind];
                }
            }
            // The result is the same for the two rankings in either order.
            *sum = (totals[0] + totals[3]) + (totals[1] + totals[2]);
        }
    }
}
