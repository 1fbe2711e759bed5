//! The average weight for incomplete rankings: the blocks of a ranking, and sums over all pairs of items.

use std::ops::Range;

use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::rankings::tied::Blocks;
use crate::simd::tops::{STEP, TopBlock, TopLists, cut, of_blocks};

/// The blocks of a ranking in the form of [`of_blocks`], padded to a multiple of [`STEP`].
#[derive(Debug, Default)]
pub(super) struct TopBlocks {
    lists: TopLists,
    count: usize,
}

impl TopBlocks {
    /// The blocks of a ranking in which all items have a position.
    pub(super) fn of(blocks: Blocks<'_>) -> Result<Self, Error> {
        let mut all = Self::default();
        for ranks in blocks.ranges() {
            all.push(&ranks)?;
            all.count += 1;
        }
        while !all.lists[0].len().is_multiple_of(STEP) {
            all.push(&(0..1))?;
        }
        Ok(all)
    }

    fn push(&mut self, ranks: &Range<usize>) -> Result<(), Error> {
        let block = top_block(ranks);
        self.lists.iter_mut().zip(block).try_for_each(|(list, number)| memory::push(list, number))
    }

    /// The number of blocks of the ranking.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn get(&self, block: usize) -> TopBlock {
        std::array::from_fn(|list| self.lists[list][block])
    }

    pub(super) fn slices(&self) -> [&[f64]; 4] {
        std::array::from_fn(|list| self.lists[list].as_slice())
    }
}

/// The block with these ranks.
pub(crate) fn top_block(ranks: &Range<usize>) -> TopBlock {
    let size = ranks.len() as f64;
    let pairs = 2.0 * size * (size - 1.0);
    [ranks.start as f64, size, size.recip(), if ranks.len() > 1 { pairs.recip() } else { 0.0 }]
}

/// The value for a ranking and itself. If it is signed, tied pairs do not count.
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

/// The numbers of items in four sets, for some k. In each ranking, k cuts one block; the items before this block are
/// certainly in the top k. The sets are:
///
/// 1. items that are certainly in the top k of both rankings
/// 2. items in the cut block of the first ranking, certainly in the top k of the second
/// 3. items in the cut block of the second ranking, certainly in the top k of the first
/// 4. items in the cut blocks of both rankings
///
/// Also the numbers of pairs that are tied in neither ranking: within the first set, of the first with the second set,
/// and of the first with the third set.
#[derive(Default)]
struct Cut {
    inside: f64,
    in_s: f64,
    in_t: f64,
    in_both: f64,
    pairs: f64,
    pairs_s: f64,
    pairs_t: f64,
}

/// The sum over the pairs of items that are tied in neither ranking, in any order. A pair adds the mean over k of the
/// probability that both items are in the top k of both rankings. At each k, only one block of each ranking is cut, so
/// the sum takes O(n).
///
/// `of_s` and `of_t` have a counter for each block of their ranking, at its first rank: how many of its items are in
/// blocks of the other ranking that k has passed.
pub(super) fn split_pairs(s: Blocks<'_>, t: Blocks<'_>, [of_s, of_t]: [&mut Vec<u32>; 2], cancel: &Cancel) -> f64 {
    let items = s.starts.len();
    for counts in [&mut *of_s, &mut *of_t] {
        counts.clear();
        counts.resize(items, 0);
    }
    let (mut blocks_s, mut blocks_t) = (s.ranges(), t.ranges());
    let (Some(mut b), Some(mut d)) = (blocks_s.next(), blocks_t.next()) else { return 0.0 };
    let mut cut = Cut::default();
    cut.enter((s, &b), (t, &d), of_t);
    let (mut sum, mut k) = (0.0, 0);
    loop {
        let end = b.end.min(d.end);
        sum += cut.over(&b, &d, k..end);
        k = end;
        if k == items || cancel.is_cancelled() {
            return sum / items as f64;
        }
        let (ends_s, ends_t) = (b.end == k, d.end == k);
        if ends_s {
            cut.leave((s, &b), t, of_t);
            b = blocks_s.next().unwrap_or(items..items);
            cut.enter((s, &b), (t, &d), of_t);
        }
        if ends_t {
            cut.exchange();
            cut.leave((t, &d), s, of_s);
            d = blocks_t.next().unwrap_or(items..items);
            cut.enter((t, &d), (s, &b), of_s);
            cut.exchange();
        }
    }
}

impl Cut {
    /// The block of the first ranking is now completely in the top.
    fn leave(&mut self, (s, b): (Blocks<'_>, &Range<usize>), t: Blocks<'_>, of_t: &mut [u32]) {
        for &item in &s.order[b.clone()] {
            of_t[t.starts[item as usize] as usize] += 1;
        }
        self.pairs += self.pairs_s;
        self.pairs_t += self.inside * self.in_both + self.in_s * self.in_t;
        self.inside += self.in_s;
        self.in_t += self.in_both;
    }

    /// The next block of the first ranking is cut.
    fn enter(&mut self, (s, b): (Blocks<'_>, &Range<usize>), (t, d): (Blocks<'_>, &Range<usize>), of_t: &[u32]) {
        let (mut before, mut inside, mut tied) = (0_u32, 0_u32, 0_u64);
        for &item in &s.order[b.clone()] {
            let start = t.starts[item as usize] as usize;
            before += u32::from(start < d.start);
            inside += u32::from(start == d.start);
            tied += if start < d.start { u64::from(of_t[start]) } else { 0 };
        }
        (self.in_s, self.in_both) = (before.into(), inside.into());
        self.pairs_s = self.inside * self.in_s - tied as f64;
    }

    /// Swaps the rankings.
    fn exchange(&mut self) {
        std::mem::swap(&mut self.in_s, &mut self.in_t);
        std::mem::swap(&mut self.pairs_s, &mut self.pairs_t);
    }

    /// The sum over some k within two blocks.
    fn over(&self, b: &Range<usize>, d: &Range<usize>, k: Range<usize>) -> f64 {
        let ([_, _, part_s, _], [_, _, part_t, _]) = (top_block(b), top_block(d));
        let (m, x, y) = (k.len() as f64, (k.start - b.start) as f64, (k.start - d.start) as f64);
        let [parts, ..] = cut(m, x, y);
        // The sum over k of the ranks of one block that are in the top.
        let part = |x: f64| m * (m + 1.0) / 2.0 + x * m;
        m * self.pairs
            + part_s * part(x) * self.pairs_s
            + part_t * part(y) * self.pairs_t
            + part_s * part_t * parts * (self.in_s * self.in_t + self.inside * self.in_both)
    }
}
