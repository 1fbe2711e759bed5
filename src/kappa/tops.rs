//! The average weight for incomplete rankings: the blocks of a ranking, and sums over all pairs of items.

use std::ops::Range;

use crate::error::Error;
use crate::memory;
use crate::parallel::Stop;
use crate::rankings::tied::Blocks;
use crate::simd::tops::{TopBlock, cut, of_blocks};

/// The blocks of a ranking, as [`of_blocks`] takes them, side by side.
#[derive(Debug, Default)]
pub(super) struct TopBlocks {
    lists: [Vec<f64>; 4],
}

impl TopBlocks {
    pub(super) fn len(&self) -> usize {
        self.lists[0].len()
    }

    pub(super) fn push(&mut self, ranks: &Range<usize>) -> Result<(), Error> {
        let block = top_block(ranks);
        self.lists.iter_mut().zip(block).try_for_each(|(list, number)| memory::push(list, number))
    }

    pub(super) fn get(&self, block: usize) -> TopBlock {
        std::array::from_fn(|list| self.lists[list][block])
    }

    pub(super) fn slices(&self) -> [&[f64]; 4] {
        std::array::from_fn(|list| self.lists[list].as_slice())
    }
}

/// A block by its ranks.
pub(crate) fn top_block(ranks: &Range<usize>) -> TopBlock {
    let size = ranks.len() as f64;
    let pairs = 2.0 * size * (size - 1.0);
    [ranks.start as f64, size, size.recip(), if ranks.len() > 1 { pairs.recip() } else { 0.0 }]
}

/// The value for a ranking and itself; tied pairs do not count where it is signed.
pub(crate) fn own(blocks: Blocks<'_>, signed: bool) -> f64 {
    let items = blocks.starts.len() as f64;
    let of_block = |ranks: Range<usize>| {
        let block = top_block(&ranks);
        let [split, _, _, tied] = of_blocks(items, block, block);
        let size = ranks.len() as f64;
        size * (ranks.start as f64 * split + if signed { 0.0 } else { (size - 1.0) * tied })
    };
    blocks.ranges().map(of_block).sum::<f64>() / items.max(1.0)
}

/// How many items are where, for some k: in the top k of both rankings for sure; in the block of the one that k cuts and
/// in the top of the other; the other way round; in both blocks that k cuts.
#[derive(Default)]
struct Cut {
    inside: f64,
    in_s: f64,
    in_t: f64,
    in_both: f64,
}

/// The sum over all pairs of items, in whatever order, of the mean over k of the chance that both are in the top k of
/// both rankings. At each k only one block of each ranking is cut: O(n).
pub(super) fn all_pairs(s: Blocks<'_>, t: Blocks<'_>, stop: &Stop) -> f64 {
    let items = s.starts.len();
    let (mut of_s, mut of_t) = (s.ranges(), t.ranges());
    let (Some(mut b), Some(mut d)) = (of_s.next(), of_t.next()) else { return 0.0 };
    let mut cut = Cut { in_both: found(s, &b, t, &d).1, ..Cut::default() };
    let (mut sum, mut k) = (0.0, 0);
    loop {
        let end = b.end.min(d.end);
        sum += cut.over(&b, &d, k..end);
        k = end;
        if k == items || stop.is_set() {
            return sum / items as f64;
        }
        let Cut { inside, in_s, in_t, in_both } = &mut cut;
        match (b.end == k, d.end == k) {
            (true, false) => {
                (*inside, *in_t) = (*inside + *in_s, *in_t + *in_both);
                b = of_s.next().unwrap_or(items..items);
                (*in_s, *in_both) = found(s, &b, t, &d);
            }
            (false, _) => {
                (*inside, *in_s) = (*inside + *in_t, *in_s + *in_both);
                d = of_t.next().unwrap_or(items..items);
                (*in_t, *in_both) = found(t, &d, s, &b);
            }
            (true, true) => {
                *inside += *in_s + *in_t + *in_both;
                b = of_s.next().unwrap_or(items..items);
                d = of_t.next().unwrap_or(items..items);
                (*in_s, *in_both) = found(s, &b, t, &d);
                *in_t = found(t, &d, s, &b).0;
            }
        }
    }
}

/// How many items of a block come before a block of the other ranking, and how many are in it.
fn found(own: Blocks<'_>, block: &Range<usize>, other: Blocks<'_>, of_other: &Range<usize>) -> (f64, f64) {
    let starts = own.order[block.clone()].iter().map(|&item| other.starts[item as usize] as usize);
    let (before, inside) = starts.fold((0_u32, 0_u32), |(before, inside), start| {
        (before + u32::from(start < of_other.start), inside + u32::from(start == of_other.start))
    });
    (before.into(), inside.into())
}

impl Cut {
    /// The sum over some k within two blocks.
    fn over(&self, b: &Range<usize>, d: &Range<usize>, k: Range<usize>) -> f64 {
        let Self { inside, in_s, in_t, in_both } = *self;
        let ([_, _, part_s, pair_s], [_, _, part_t, pair_t]) = (top_block(b), top_block(d));
        let (m, x, y) = (k.len() as f64, (k.start - b.start) as f64, (k.start - d.start) as f64);
        let [parts, pair_part, part_pair, pairs] = cut(m, x, y);
        let sum1 = m * (m + 1.0) / 2.0;
        let sum2 = sum1 * (2.0 * m + 1.0) / 3.0;
        // Sums over k of what one ranking has alone.
        let part = |x: f64| sum1 + x * m;
        let pair = |x: f64| sum2 + (2.0 * x - 1.0) * sum1 + x * (x - 1.0) * m;
        m * two(inside)
            + part_s * part(x) * inside * in_s
            + part_t * part(y) * inside * in_t
            + 2.0 * pair_s * pair(x) * two(in_s)
            + 2.0 * pair_t * pair(y) * two(in_t)
            + part_s * part_t * parts * (in_s * in_t + inside * in_both)
            + 2.0 * pair_s * part_t * pair_part * in_s * in_both
            + 2.0 * part_s * pair_t * part_pair * in_t * in_both
            + 4.0 * pair_s * pair_t * pairs * two(in_both)
    }
}

/// The number of pairs of so many items.
fn two(count: f64) -> f64 {
    count * (count - 1.0) / 2.0
}
