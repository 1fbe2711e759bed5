//! The terms of the average weight for pairs of items of rankings with ties.
//!
//! The average kernel is the mean of the top-k kernels over k = 1..n. An item of a block of ranks is in the top k with
//! probability P(k), the fraction of the block in the top k. For two tied items, T(k) is the probability that both are
//! in the top k, and that a given one of the two is first:
//!
//! ```text
//! P(k) = r / p    T(k) = r (r - 1) / (2 p (p - 1))    r = k - start, but from 0 to p    p = size of the block
//! ```
//!
//! Take a pair whose later item has the block B in the first ranking and the block D in the second. The pair adds the
//! mean over k of a product: P P' if it is tied in neither ranking, T P' if it is tied in the first, P T' if it is tied
//! in the second, and T T' if it is tied in both. While k cuts both blocks, these products are polynomials in k. Then k
//! cuts only one block. Then both blocks are in the top.

use super::task;

/// Used as a factor, because a division takes ten times as long.
const THIRD: f64 = 1.0 / 3.0;
const FIFTH: f64 = 0.2;

/// A block of ranks, as four numbers: the first rank from 0, the size p, 1 / p, and 1 / (2 p (p - 1)). For a block of
/// one item, the last number is 0.
pub(crate) type TopBlock = [f64; 4];
/// Some blocks, as four lists: one list for each of the four numbers of a block.
pub(crate) type TopLists = [Vec<f64>; 4];

/// The number of blocks that are processed at a time.
pub(crate) const STEP: usize = 8;

task! {
    /// A sum over `others`, the blocks of one ranking of n items. Each of these blocks and `block`, a block of another
    /// ranking, have the four numbers of [`of_blocks`]. These numbers are multiplied by their factors and added up. The
    /// lengths of the lists are multiples of [`STEP`].
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
    /// The same sum, with only the first of the four numbers.
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

/// Four sums over i = 1..m, with r = x + i and r' = y + i. A term is the product of r or r (r - 1), and r' or r' (r' -
/// 1).
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

/// The four numbers of two blocks, multiplied by n. If the blocks are swapped, the second and the third number are
/// swapped, and all numbers are bitwise identical.
#[inline(always)]
pub(crate) fn of_blocks(n: f64, [a, p, part_p, pair_p]: TopBlock, [b, q, part_q, pair_q]: TopBlock) -> Four {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let start = larger(a, b);
    let (end_p, end_q) = (a + p, b + q);
    let p_is_last = end_p >= end_q;
    let pick = |if_p: f64, if_q: f64| if p_is_last { if_p } else { if_q };
    let (first_end, last_end) = (pick(end_q, end_p), pick(end_p, end_q));
    // k cuts both blocks in m steps i = 1, 2, ... At step i, x + i ranks of the first block are in the top, and y + i
    // ranks of the second.
    let m = larger(first_end - start, 0.0);
    let (x, y) = (start - a, start - b);
    let [parts, pair_part, part_pair, pairs] = cut(m, x, y);
    // k cuts only one block. At first, j of its ranks are in the top, and in the end all of them.
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

/// Four terms, for pairs that are tied in neither ranking, in the first, in the second, and in both.
pub(crate) type Four = [f64; 4];

/// An item of one ranking, with its block. The items before it and the items tied with it are bits. The bits have the
/// same order in both rankings.
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
    /// Compares a ranking with each of some other rankings. For each of them, it is a sum over items: four numbers for
    /// the two blocks of the item are looked up in a table. They are multiplied by four counts of items: before or tied
    /// with the item in one ranking, and before or tied with it in the other.
    ///
    /// # Panics
    /// Panics if the table has no entry for the sum of two blocks.
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
            // In this order, the result is the same if the two rankings are swapped.
            *sum = (totals[0] + totals[3]) + (totals[1] + totals[2]);
        }
    }
}
