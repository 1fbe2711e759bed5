//! The items that the tops of two rankings have in common, for all depths. The measures of overlap share this code.
//!
//! Let s and t be the ranks of an item, from 0. Without ties, the item is common from depth `max(s, t) + 1` on. So a
//! sum over depths is a sum over common items, in which each item adds a number that depends on its larger rank.
//!
//! With ties, an item has a block of m ranks that begins at rank a. The item is in the top d with probability `(d - a)
//! / m`, and the overlap is the expected number of common items. At each depth, only one block of each ranking is cut,
//! so four counts of items are enough.

use std::borrow::Cow;

use crate::error::Error;
use crate::memory;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;

/// A list with its blocks.
pub(crate) struct Ranked<'a> {
    /// Each item with the first rank of its block, sorted by item.
    pub(super) entries: Cow<'a, [[u32; 2]]>,
    /// For each rank, the first rank of its block.
    start_at: Vec<u32>,
    /// For the first rank of each block, the rank after the end of the block.
    ends: Vec<u32>,
    /// Whether there are blocks of several items.
    pub(crate) is_tied: bool,
}

impl<'a> Ranked<'a> {
    pub(crate) fn from_list(list: List<'a>) -> Result<Self, Error> {
        Self::new(Cow::Borrowed(list))
    }

    /// The first `depth` items of a ranking that is given by its order.
    pub(super) fn from_top(order: &[u32], depth: usize) -> Result<Self, Error> {
        let mut entries = memory::collect((0..).zip(&order[..depth]).map(|(rank, &item)| [item, rank]))?;
        entries.sort_unstable();
        Self::new(Cow::Owned(entries))
    }

    /// A ranking of all items, which needs no entries.
    pub(super) fn from_blocks(blocks: Blocks<'_>) -> Result<Self, Error> {
        let start_at = memory::collect(blocks.start_at.iter().copied())?;
        Self::from_starts(Cow::Borrowed(&[]), start_at)
    }

    fn new(entries: Cow<'a, [[u32; 2]]>) -> Result<Self, Error> {
        let mut start_at = memory::filled(entries.len(), 0)?;
        for &[_, start] in &*entries {
            start_at[start as usize] = start;
        }
        // The entries of the other ranks of a block are still 0.
        let mut last = 0;
        for start in &mut start_at {
            last = last.max(*start);
            *start = last;
        }
        Self::from_starts(entries, start_at)
    }

    fn from_starts(entries: Cow<'a, [[u32; 2]]>, start_at: Vec<u32>) -> Result<Self, Error> {
        let mut ends = memory::filled(start_at.len(), 0)?;
        for (end, &start) in (1..).zip(&start_at) {
            ends[start as usize] = end;
        }
        let is_tied = (0..).zip(&start_at).any(|(rank, &start)| rank != start);
        Ok(Self { entries, start_at, ends, is_tied })
    }

    /// The number of items of the ranking.
    pub(crate) fn len(&self) -> usize {
        self.start_at.len()
    }

    /// The first ranks of the blocks of items, given the positions of the items in two lists.
    pub(super) fn starts<'b>(
        &'b self,
        other: &'b Self,
        common: &'b [[u32; 2]],
    ) -> impl Iterator<Item = [u32; 2]> + Clone + 'b {
        common.iter().map(|&[one, two]| [self.entries[one as usize][1], other.entries[two as usize][1]])
    }

    /// The block that is cut at a depth: the block of rank `depth - 1`. After the end of the ranking, it is empty.
    fn cut(&self, depth: usize) -> Cut {
        match self.start_at.get(depth - 1) {
            Some(&start) => Cut { start: start as usize, end: self.ends[start as usize] as usize, depth },
            None => Cut { start: depth, end: depth, depth },
        }
    }
}

/// The block of a ranking that contains the last rank of a top. Its ranks are `start..end`.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub(super) start: usize,
    pub(super) end: usize,
    depth: usize,
}

impl Cut {
    /// The probability that an item of the block is in the top.
    pub(super) fn share(self) -> f64 {
        if self.end > self.start { (self.depth - self.start) as f64 / (self.end - self.start) as f64 } else { 1.0 }
    }

    /// The sum of the squares of these probabilities over all items of the ranking.
    pub(super) fn squares(self) -> f64 {
        self.start as f64 + (self.depth - self.start) as f64 * self.share()
    }
}

/// The common items at a depth.
pub(super) struct CommonTop {
    pub(super) depth: usize,
    /// The blocks that are cut in both rankings.
    pub(super) cuts: [Cut; 2],
    /// Four numbers of common items, by where the item is:
    ///
    /// 1. above the cut block in both rankings
    /// 2. in the cut block of the first ranking, above the cut block of the second
    /// 3. above the cut block of the first ranking, in the cut block of the second
    /// 4. in the cut blocks of both rankings
    pub(super) counts: [u32; 4],
    /// The sums of the weights of these items.
    weights: [f64; 4],
}

impl CommonTop {
    /// The expected weight of the items that are in both tops.
    pub(super) fn overlap(&self) -> f64 {
        let [in_both, cut_in_s, cut_in_t, cut_in_both] = self.weights;
        let [s, t] = self.cuts.map(Cut::share);
        in_both + (cut_in_s * s + cut_in_t * t) + cut_in_both * (s * t)
    }

    /// The weight of the items that can be in both tops.
    pub(super) fn possible(&self) -> f64 {
        self.weights.iter().sum()
    }
}

/// A common item: the first ranks of its blocks in both rankings, and its weight.
pub(super) type CommonItem = ([u32; 2], f64);

/// Memory for a pair of rankings: for each rank, how much the numbers of [`CommonTop`] increase there. All are 0
/// between two pairs.
pub(super) struct Gains {
    counts: Vec<[u32; 4]>,
    /// Empty if all weights are 1.
    weights: Vec<[f64; 4]>,
}

impl Gains {
    /// Memory for rankings of up to `longest` items.
    pub(super) fn new(longest: usize, weighted: bool) -> Result<Self, Error> {
        let weights = if weighted { memory::filled(longest + 1, [0.0; 4])? } else { Vec::new() };
        Ok(Self { counts: memory::filled(longest + 1, [0; 4])?, weights })
    }

    /// Visits all depths up to the length of the longer of two rankings, given their common items. Returns the number
    /// of common items and their weight.
    pub(super) fn each_depth(
        &mut self,
        s: &Ranked<'_>,
        t: &Ranked<'_>,
        items: impl Iterator<Item = CommonItem>,
        mut visit: impl FnMut(&CommonTop),
    ) -> (usize, f64) {
        let (mut common, mut total) = (0, 0.0);
        for ([a, c], weight) in items {
            let [end_s, end_t] = [s.ends[a as usize], t.ends[c as usize]];
            let gains = [
                (end_s.max(end_t), true),
                // From the end of this block to the end of the other block, if the other block has begun.
                (a.max(end_t), end_t < end_s),
                (c.max(end_s), end_s < end_t),
                (a.max(c), a.max(c) < end_s.min(end_t)),
            ];
            for (kind, (rank, gained)) in gains.into_iter().enumerate() {
                self.counts[rank as usize][kind] += u32::from(gained);
                if let Some(weights) = self.weights.get_mut(rank as usize).filter(|_| gained) {
                    weights[kind] += weight;
                }
            }
            common += 1;
            total += weight;
        }
        let longest = s.len().max(t.len());
        let (mut counts, mut weights) = ([0; 4], [0.0; 4]);
        for depth in 1..=longest {
            let cuts = [s.cut(depth), t.cut(depth)];
            let [begins_s, begins_t] = cuts.map(|cut| cut.start + 1 >= depth);
            for (kind, begins) in [false, begins_s, begins_t, begins_s || begins_t].into_iter().enumerate() {
                if begins {
                    (counts[kind], weights[kind]) = (0, 0.0);
                }
            }
            let gained = std::mem::take(&mut self.counts[depth - 1]);
            counts.iter_mut().zip(gained).for_each(|(count, gained)| *count += gained);
            if let Some(gained) = self.weights.get_mut(depth - 1) {
                weights.iter_mut().zip(std::mem::take(gained)).for_each(|(weight, gained)| *weight += gained);
            } else {
                weights = counts.map(f64::from);
            }
            visit(&CommonTop { depth, cuts, counts, weights });
        }
        self.counts[longest] = [0; 4];
        if let Some(weights) = self.weights.get_mut(longest) {
            *weights = [0.0; 4];
        }
        (common, total)
    }
}

/// The weights of the common items of a list, given by their positions.
pub(super) fn weights_of<'a>(
    item_weight: &'a [f64],
    list: &'a Ranked<'_>,
    common: &'a [[u32; 2]],
) -> impl Iterator<Item = f64> + 'a {
    common.iter().map(|&[one, _]| item_weight[list.entries[one as usize][0] as usize])
}

/// The weights of all items; 1 if there are no weights.
pub(super) fn all_weights(item_weight: Option<&[f64]>) -> impl Iterator<Item = f64> {
    (0..).map(move |item: usize| item_weight.map_or(1.0, |v| v[item]))
}

/// The sum over the items of two complete rankings, in which each item adds a number that depends on its larger rank.
/// `last` is the largest rank that has a number of its own. The sum is the same if the two rankings are swapped.
pub(super) fn sum_by_larger(s: &[u32], t: &[u32], numbers: &[f64], last: u32) -> f64 {
    const LANES: usize = 4;
    let number = |s: u32, t: u32| numbers[s.max(t).min(last) as usize];
    let (chunks_s, rest_s) = s.as_chunks::<LANES>();
    let (chunks_t, rest_t) = t.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (s, t) in chunks_s.iter().zip(chunks_t) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += number(s[lane], t[lane]);
        }
    }
    let rest: f64 = rest_s.iter().zip(rest_t).map(|(&s, &t)| number(s, t)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// For each rank up to `most`, and a few more ranks, the sum of the weights of all depths above the rank. `most`
/// differs between tiles, but the sums must not depend on it. So the sums from one power of two to the next are always
/// computed from the sum at the end of this range.
pub(super) fn sums_above(
    most: usize,
    at_end: impl Fn(usize) -> f64,
    weight: impl Fn(usize) -> f64,
) -> Result<Vec<f64>, Error> {
    let mut sums = memory::filled(table_end(most) + 1, 0.0)?;
    let (mut first, mut end) = (0, table_end(0));
    while end < sums.len() {
        let mut sum = at_end(end);
        sums[end] = sum;
        for depth in (first + 1..=end).rev() {
            sum += weight(depth);
            sums[depth - 1] = sum;
        }
        (first, end) = (end, 2 * end);
    }
    Ok(sums)
}

/// The last rank of a table for ranks up to `most`.
pub(super) fn table_end(most: usize) -> usize {
    most.max(64).next_power_of_two()
}
