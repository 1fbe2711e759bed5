//! Upper bounds of sums for two lists. They are computed from numbers of each list, and from numbers of each common
//! item.
//!
//! ```text
//! mod     by norms, and code for both
//! pairs   by the products of pairs
//! ```
//!
//! A sum is the inner product of two vectors, one for each list. A vector has an entry for each ordered pair of items.
//! (For the average weight, it has an entry for each pair and each k.) If a list has neither item of a pair, the pair
//! has an entry that is the same for all such pairs. Subtract this entry from all entries. Then only pairs with an item
//! of the list can have an entry that is not zero. So the sum for two lists is
//!
//! ```text
//! products of the subtracted entries with each other and with both vectors    a function of the two lists' shapes
//! + pairs of an item that only s has and one that only t has                  at most 0, or a function of the shapes
//! + pairs with an item i that both have                                       at most norm of i in s * norm of i in t
//! ```
//!
//! by the Cauchy-Schwarz inequality. The norm of an item is the root of the sum of the squared entries of all pairs
//! with it. For signed sums, nothing is subtracted, because the entry of these pairs is already zero. With negative
//! weights, a pair of an item that only s has and an item that only t has can add a positive number. Then the sum of
//! the absolute values of these pairs is used as a bound.

mod pairs;

use super::{ListSums, Listed, sums};
use crate::error::Error;
use crate::memory;
use crate::pair::pairs_of;
use crate::simd::tops::of_blocks;
use crate::weight::kinds::PairWeight;

/// An upper bound of the relative rounding error of the terms below.
const SLACK: f64 = 1e-11;

/// The way to compute bounds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BoundBy {
    /// Whether bounds are computed by the products of pairs of common items. Otherwise they are computed by norms.
    pub(crate) pairs: bool,
    /// Whether any weight is negative.
    negative: bool,
}

/// Bounds for two lists, computed from the shapes of the lists. The lists may have any items.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bound {
    /// An upper bound of the sum over the pairs without a common item.
    pub(crate) without: f64,
    /// For bounds by pairs: the factor of the number of a common item, for its pairs with all other items.
    pub(crate) each: f64,
}

/// If the unlisted items contribute at least this many times as much as the listed items, bounds are computed by norms.
/// They are then as good as bounds by pairs, and take half the memory. Otherwise bounds are computed by pairs.
const MOSTLY_TAIL: f64 = 10.0;

/// The sum of the squared entries of some pairs, and the sum of the absolute values of its terms.
#[derive(Default, Clone, Copy)]
struct Squares {
    sum: f64,
    size: f64,
}

impl Squares {
    fn add(&mut self, count: f64, term: f64, size: f64) {
        self.sum += count * term;
        self.size += count * size.abs();
    }

    fn root(self) -> f64 {
        (self.sum.max(0.0) + SLACK * self.size).sqrt()
    }
}

impl ListSums<'_> {
    /// The better way for lists of about `length` items.
    pub(crate) fn bounded_by(&self, length: usize) -> BoundBy {
        let negative = self.weight.has_negative();
        let squares = match self.weight {
            PairWeight::Count { top: Some(k) } => length.min(*k) as f64,
            PairWeight::Products(u) => u.iter().take(length).map(|u| u * u).sum(),
            PairWeight::Count { top: None } | PairWeight::Average | PairWeight::Sums(_) => {
                return BoundBy { pairs: false, negative };
            }
        };
        let tail = self.tails.means().get(length).map_or(0.0, |&(mean, _)| mean);
        let mostly_tail = self.items as f64 * tail * tail > MOSTLY_TAIL * squares;
        BoundBy { pairs: negative || !mostly_tail, negative }
    }

    /// For each block of a list, at its first rank, computes the norm of an item. If bounds are computed by pairs,
    /// computes the number of an item.
    pub(crate) fn find_norms(&self, by: BoundBy, listed: &Listed<'_>, norms: &mut Vec<f64>) -> Result<(), Error> {
        norms.clear();
        memory::resize(norms, listed.list.len(), 0.0)?;
        if by.pairs {
            pairs::find_sizes(listed, norms);
            return Ok(());
        }
        match self.weight {
            PairWeight::Count { top: None } => {
                // The concordant sum is half of the signed sum plus half of the sum over all pairs.
                let part = if self.signed { 1.0 } else { 0.5 };
                each_block(listed, |start, size| norms[start] = (part * (self.items as f64 - size)).sqrt());
            }
            PairWeight::Count { top: Some(_) } | PairWeight::Products(_) => self.joined::<false>(listed, norms),
            PairWeight::Sums(_) => self.joined::<true>(listed, norms),
            PairWeight::Average => self.of_tops(listed, norms),
        }
        Ok(())
    }

    /// For products and sums of numbers of the ranks.
    fn joined<const ADD: bool>(&self, listed: &Listed<'_>, norms: &mut [f64]) {
        let length = listed.list.len();
        let means = &listed.means;
        let (mut sum, mut size_of_sum, mut squares) = (0.0, 0.0, 0.0);
        each_block(listed, |start, size| {
            sum += size * means.of_block[start];
            size_of_sum += size * means.of_block[start].abs();
            squares += size * means.of_block[start].powi(2);
        });
        let left_out = (self.items - length) as f64;
        let tied = if self.signed { 0.0 } else { means.of_tied[length] };
        each_block(listed, |start, size| {
            let mean = means.of_block[start];
            let others = length as f64 - size;
            let (other_sum, other_squares) = (sum - size * mean, squares - size * mean * mean);
            let mut found = Squares::default();
            if ADD {
                found.add(1.0, others * mean * mean + 2.0 * mean * other_sum + other_squares, 0.0);
                found.add(-2.0 * tied, others * mean + other_sum, 0.0);
                found.size += (length as f64) * mean * mean + 2.0 * mean.abs() * size_of_sum + squares;
                found.size += tied.abs() * (length as f64 * mean.abs() + size_of_sum);
            } else {
                found.add(1.0, mean * mean * other_squares, 0.0);
                found.add(-2.0 * tied, mean * other_sum, 0.0);
                found.size += mean * mean * squares + (tied * mean).abs() * size_of_sum;
            }
            found.add(2.0 * others, tied * tied, tied * tied);
            let to_tail = sums::with_tail::<ADD>(listed, start as u32);
            found.add(left_out, (to_tail - tied).powi(2), to_tail * to_tail + tied * tied);
            if !self.signed {
                let own = means.of_tied[start];
                found.add(2.0 * (size - 1.0), (own - tied).powi(2), own * own + tied * tied);
                found.add(left_out, tied * tied, tied * tied);
            }
            norms[start] = found.root();
        });
    }

    /// For the average weight.
    fn of_tops(&self, listed: &Listed<'_>, norms: &mut [f64]) {
        let (items, length) = (self.items as f64, listed.list.len());
        let own = &listed.against_tail.own;
        let tail = own[length];
        let left_out = (self.items - length) as f64;
        let tails = of_blocks(items, tail, tail);
        let tied = if self.signed { 0.0 } else { tails[3] };
        // The squared entry of a pair whose later item is in this block, and the sum of the absolute values of its
        // terms.
        let square = |start: usize| {
            let [both, ..] = of_blocks(items, own[start], own[start]);
            let with_tail = if self.signed { 0.0 } else { of_blocks(items, own[start], tail)[2] };
            (both - 2.0 * with_tail + tied, both + 2.0 * with_tail + tied)
        };
        let mut later = Squares::default();
        let of_tail = square(length);
        later.add(left_out, of_tail.0 + tied, of_tail.1 + tied);
        let mut end = length;
        while end > 0 {
            // Blocks have their sizes at their first ranks, and zeros between.
            let start = (0..end).rev().find(|&rank| listed.sizes[rank] > 0).unwrap_or(0);
            let (size, (term, terms)) = (f64::from(listed.sizes[start]), square(start));
            let mut found = later;
            found.add(start as f64, term, terms);
            found.add(length as f64 - size, tied, tied);
            if !self.signed {
                let ([.., both], [.., with_tail]) =
                    (of_blocks(items, own[start], own[start]), of_blocks(items, own[start], tail));
                found.add(2.0 * (size - 1.0), both - 2.0 * with_tail + tied, both + 2.0 * with_tail + tied);
            }
            found.sum /= items;
            found.size /= items;
            norms[start] = found.root();
            later.add(size, term, terms);
            end = start;
        }
    }

    /// The bounds that depend only on the shapes of the lists. The lists may have any items.
    pub(crate) fn bound(&self, by: BoundBy, s: &Listed<'_>, t: &Listed<'_>) -> Bound {
        let without = if by.negative { self.with_negative(s, t) } else { self.bound_without(s, t) };
        if by.pairs { self.by_pairs(by, s, t, without) } else { Bound { without, each: 0.0 } }
    }

    /// An upper bound of the sum over the pairs without a common item, with the subtracted entries.
    fn bound_without(&self, s: &Listed<'_>, t: &Listed<'_>) -> f64 {
        if self.signed {
            return 0.0;
        }
        match self.weight {
            PairWeight::Count { top: None } => pairs_of(self.items as u64) as f64 / 2.0,
            PairWeight::Count { top: Some(_) } | PairWeight::Products(_) => self.joined_without::<false>(s, t),
            PairWeight::Sums(_) => self.joined_without::<true>(s, t),
            PairWeight::Average => self.tops_without(s, t),
        }
    }

    fn joined_without<const ADD: bool>(&self, s: &Listed<'_>, t: &Listed<'_>) -> f64 {
        let items = self.items as f64;
        let tied = |listed: &Listed<'_>| listed.means.of_tied[listed.list.len()];
        let all = |listed: &Listed<'_>| {
            let left_out = items - listed.list.len() as f64;
            listed.within + left_out * listed.to_tail + tied(listed) * left_out * (left_out - 1.0)
        };
        // A term for items of the list that add less with an unlisted item than a tie of two unlisted items adds.
        let below = |listed: &Listed<'_>| {
            let mut sum = 0.0;
            each_block(listed, |start, size| {
                sum += size * (tied(listed) - sums::with_tail::<ADD>(listed, start as u32)).max(0.0);
            });
            sum
        };
        let (in_s, in_t) = (tied(s), tied(t));
        let disjoint = in_t * t.list.len() as f64 * below(s) + in_s * s.list.len() as f64 * below(t);
        let (one, other, both) = (in_s * all(t), in_t * all(s), in_s * in_t * items * (items - 1.0));
        one + other - both + disjoint + SLACK * (one + other + both)
    }

    /// The same bound if some weights are negative.
    fn with_negative(&self, s: &Listed<'_>, t: &Listed<'_>) -> f64 {
        match self.weight {
            PairWeight::Products(_) => self.with_signs::<false>(s, t),
            PairWeight::Sums(_) => self.with_signs::<true>(s, t),
            PairWeight::Count { .. } | PairWeight::Average => f64::INFINITY,
        }
    }

    fn with_signs<const ADD: bool>(&self, s: &Listed<'_>, t: &Listed<'_>) -> f64 {
        let items = self.items as f64;
        let length = |listed: &Listed<'_>| listed.list.len() as f64;
        // Two sums of absolute values: over the pairs of a listed and an unlisted item, and over all pairs.
        let sizes = |listed: &Listed<'_>| {
            let (mut to_tail, mut sum) = (0.0, 0.0);
            each_block(listed, |start, size| {
                to_tail += size * sums::with_tail::<ADD>(listed, start as u32).abs();
                let tied = listed.means.of_tied[start].abs();
                sum += size * listed.means.of_block[start].abs().max(if ADD { tied } else { (2.0 * tied).sqrt() });
            });
            let within = if ADD { 2.0 * length(listed) * sum } else { sum * sum };
            (to_tail, within + items * to_tail)
        };
        let ((to_tail_s, all_s), (to_tail_t, all_t)) = (sizes(s), sizes(t));
        if self.signed {
            return to_tail_s * to_tail_t * (1.0 + SLACK);
        }
        let tied = |listed: &Listed<'_>| listed.means.of_tied[listed.list.len()];
        let all = |listed: &Listed<'_>| {
            let left_out = items - length(listed);
            listed.within + left_out * listed.to_tail + tied(listed) * left_out * (left_out - 1.0)
        };
        let (in_s, in_t, pairs) = (tied(s), tied(t), items * items);
        let disjoint = in_t.abs() * length(t) * (to_tail_s + length(s) * in_s.abs())
            + in_s.abs() * length(s) * (to_tail_t + length(t) * in_t.abs());
        let sum = in_s * all(t) + in_t * all(s) - in_s * in_t * items * (items - 1.0);
        let size = in_s.abs() * all_t + in_t.abs() * all_s + 3.0 * (in_s * in_t).abs() * pairs;
        sum + disjoint + SLACK * (size + disjoint)
    }

    fn tops_without(&self, s: &Listed<'_>, t: &Listed<'_>) -> f64 {
        let items = self.items as f64;
        let tail = |listed: &Listed<'_>| listed.against_tail.own[listed.list.len()];
        // The bound for pairs that are tied in the last block of one list, and have any order in the other list.
        let against = |one: &Listed<'_>, other: &Listed<'_>| {
            let length = other.list.len();
            let left_out = items - length as f64;
            let mut sum = 0.0;
            let mut add = |start: f64, size: f64, block| {
                let [_, in_one, _, in_both] = of_blocks(items, tail(one), block);
                sum += size * (start * in_one + (size - 1.0) * in_both);
            };
            each_block(other, |start, size| add(start as f64, size, other.against_tail.own[start]));
            add(length as f64, left_out, tail(other));
            sum
        };
        let [.., tied] = of_blocks(items, tail(s), tail(t));
        let (one, other, both) = (against(s, t), against(t, s), tied * items * (items - 1.0));
        (one + other - both + SLACK * (one + other + both)) / items.max(1.0)
    }
}

/// Calls `visit` with the first rank and the size of each block of a list.
fn each_block(listed: &Listed<'_>, mut visit: impl FnMut(usize, f64)) {
    let blocks = listed.sizes.iter().enumerate().filter(|&(_, &size)| size > 0);
    blocks.for_each(|(start, &size)| visit(start, f64::from(size)));
}

/// The shape of a list: the sizes of its blocks, by first rank. Lists with equal shapes differ only in their items.
pub(crate) fn find_shape(list: crate::rankings::lists::List<'_>, shape: &mut Vec<u32>) -> Result<(), Error> {
    shape.clear();
    memory::resize(shape, list.len(), 0)?;
    for &[_, start] in list {
        shape[start as usize] += 1;
    }
    Ok(())
}
