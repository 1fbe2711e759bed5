//! For each list of an index, one number: an upper bound of the terms of the items that the list shares with the query.
//!
//! Bounds by norms are sums over the common items. Bounds by pairs need two running numbers for each list. Each common
//! item has a product `a`. The first number is the sum of all `a`. The second number is the sum over pairs of common
//! items of the product of their `a`.

use super::postings::{LEAST, Postings, fraction};
use crate::error::Error;
use crate::memory;
use crate::pair::lists::bounds::{Bound, BoundBy};
use crate::rankings::lists::List;

/// An upper bound of the relative rounding error of a sum in single precision, for each number that is added.
const ROUNDING: f64 = 2.4e-7;
/// Marks a list whose value is known.
const KNOWN: f32 = -1.0;
/// The number of a list whose common items add nothing. It is positive, but it counts as 0.
const NOTHING: f32 = f32::from_bits(1);
/// An upper bound of the loss if a product is too small for single precision.
const TINY: f32 = 1e-37;
/// Larger quotients are not computed in single precision.
const LARGEST_QUOTIENT: f64 = 1e30;
/// The number of lists in a strip. The lists of a strip are compared with a limit together, and each gives a bit of a
/// word.
pub(super) const STRIP: usize = 64;

/// The number of ranks that postings distinguish.
pub(super) const RANKS: usize = 1 << u8::BITS;
/// The number of lists that are compared at the same time.
const LANES: usize = 16;

/// Memory of one thread.
pub(super) struct SharedSums {
    by: BoundBy,
    /// The number of each list. It is 0 if the list shares no item, and negative if the value of the list is known.
    sums: Vec<f32>,
    /// For bounds by pairs: the sum of products of each list, while `sums` has the sum over pairs.
    singles: Vec<f32>,
    /// For bounds by pairs: the factor of the sum of products of each class.
    each: Vec<f32>,
    /// The factor of all numbers.
    scale: f64,
}

impl SharedSums {
    /// Memory for `lists` lists in `classes` classes.
    pub(super) fn new(by: BoundBy, lists: usize, classes: usize) -> Result<Self, Error> {
        let sums = memory::filled(lists, 0.0)?;
        let (singles, each) = if by.pairs { (lists, classes) } else { (0, 0) };
        let (singles, each) = (memory::filled(singles, 0.0)?, memory::filled(each, 0.0)?);
        Ok(Self { by, sums, singles, each, scale: 0.0 })
    }

    /// Computes the numbers for a query whose blocks have these norms. `bounds` has the bounds of the classes. If there
    /// are several classes, `classes` has the class of each list.
    pub(super) fn meet(
        &mut self,
        list: List<'_>,
        norms: &[f64],
        postings: &Postings,
        bounds: &mut [Bound],
        classes: &[u32],
    ) {
        let largest = norms.iter().copied().fold(0.0, f64::max);
        let unit = largest * postings.largest();
        if self.by.pairs {
            self.add_pairs(list, norms, largest, postings);
            self.join_pairs(unit, bounds, classes);
            self.scale = unit * unit * (1.0 + ROUNDING * (2.0 * list.len() as f64 + 16.0));
        } else {
            self.add_norms(list, norms, largest, postings);
            self.scale = unit * (1.0 + ROUNDING * (list.len() as f64 + 8.0));
        }
    }

    /// For each list, adds up upper bounds of what the common items add. `table` has the bound for each group of lists
    /// and each larger rank. `groups` has the group of each class of lists. If there are several classes, `classes` has
    /// the class of each list.
    pub(super) fn add_by_rank(
        &mut self,
        list: List<'_>,
        postings: &Postings,
        (groups, classes): (&[u8], &[u32]),
        table: &[[f32; RANKS]],
    ) {
        let sums = &mut self.sums[..];
        for &[item, start] in list {
            let own = u8::try_from(start).unwrap_or(u8::MAX);
            let (lists, ranks) = postings.with_ranks(item);
            if let [of_ranks] = table {
                for (&list, &rank) in lists.iter().zip(ranks) {
                    sums[list as usize] += of_ranks[usize::from(rank.max(own))];
                }
            } else {
                for (&list, &rank) in lists.iter().zip(ranks) {
                    let group = usize::from(groups[classes[list as usize] as usize]);
                    sums[list as usize] += table[group][usize::from(rank.max(own))];
                }
            }
        }
        self.scale = 1.0 + ROUNDING * (list.len() as f64 + 8.0);
    }

    fn add_norms(&mut self, list: List<'_>, norms: &[f64], largest: f64, postings: &Postings) {
        for &[item, start] in list {
            let own = fraction(norms[start as usize], largest);
            let (lists, norms) = postings.with_norms(item);
            for (&list, &norm) in lists.iter().zip(norms) {
                self.sums[list as usize] += own * norm;
            }
        }
    }

    fn add_pairs(&mut self, list: List<'_>, norms: &[f64], largest: f64, postings: &Postings) {
        let (sums, singles) = (&mut self.sums[..], &mut self.singles[..]);
        for &[item, start] in list {
            let own = fraction(norms[start as usize], largest);
            let (lists, norms) = postings.with_norms(item);
            for (&list, &norm) in lists.iter().zip(norms) {
                let (sum, single) = (&mut sums[list as usize], &mut singles[list as usize]);
                let product = own * norm;
                // There are no branches here, because it is unpredictable whether a list was visited before.
                let lost = if *single > 0.0 { TINY } else { 0.0 };
                *sum += *single * product + lost;
                *single += product;
            }
        }
    }

    /// Combines the two numbers of each list into one.
    fn join_pairs(&mut self, unit: f64, bounds: &mut [Bound], classes: &[u32]) {
        for (each, bound) in self.each.iter_mut().zip(bounds) {
            let quotient = if bound.each > 0.0 { bound.each / unit } else { 0.0 };
            if quotient.is_nan() || quotient > LARGEST_QUOTIENT {
                (*each, bound.without) = (0.0, f64::INFINITY);
            } else {
                *each = if quotient > 0.0 { (quotient as f32).next_up() } else { 0.0 };
            }
        }
        let joined = |sum: f32, single: f32, each: f32| {
            let lost = if each > 0.0 { TINY } else { 0.0 };
            let joined = (sum + each * single + lost).max(NOTHING);
            if single > 0.0 { joined } else { 0.0 }
        };
        if let &[each, ref others @ ..] = &self.each[..]
            && others.iter().all(|&other| other == each)
        {
            // Most indexes have lists of one length. Their classes differ only in the roots.
            let numbers = self.sums.iter_mut().zip(&mut self.singles);
            numbers.for_each(|(sum, single)| *sum = joined(*sum, std::mem::take(single), each));
            return;
        }
        let strips = self.sums.chunks_mut(STRIP).zip(self.singles.chunks_mut(STRIP)).zip(classes.chunks(STRIP));
        for ((sums, singles), classes) in strips {
            // The factors are looked up first. Then the numbers are computed with vector instructions.
            let mut of_lists = [0.0; STRIP];
            of_lists.iter_mut().zip(classes).for_each(|(each, &class)| *each = self.each[class as usize]);
            for ((sum, single), each) in sums.iter_mut().zip(singles).zip(of_lists) {
                *sum = joined(*sum, std::mem::take(single), each);
            }
        }
    }

    /// Whether a list shares an item, or its value is known.
    pub(super) fn is_met(&self, list: u32) -> bool {
        self.sums[list as usize] != 0.0
    }

    /// Marks a list whose value is known.
    pub(super) fn set_known(&mut self, list: usize) {
        self.sums[list] = KNOWN;
    }

    /// The bound of the terms of the common items, given the number of a list.
    pub(super) fn added(&self, sum: f32) -> f64 {
        if sum <= NOTHING { 0.0 } else { f64::from(sum) * self.scale }
    }

    /// The number of strips.
    pub(super) fn strips(&self) -> usize {
        self.sums.len().div_ceil(STRIP)
    }

    /// The lists of a strip whose number is at least `min`, as bits. The lowest bit is the first list of the strip.
    pub(super) fn at_least(&self, strip: usize, min: f32) -> u64 {
        let sums = &self.sums[strip * STRIP..self.sums.len().min((strip + 1) * STRIP)];
        if largest(sums) >= min { places(sums, min) } else { 0 }
    }

    /// The number of a list.
    pub(super) fn number(&self, list: u32) -> f32 {
        self.sums[list as usize]
    }

    /// The `count` lists with the largest numbers. If fewer lists share an item, all of these.
    pub(super) fn largest(&self, count: usize) -> Result<Vec<u32>, Error> {
        let mut found: Vec<(f32, u32)> = memory::with_capacity(2 * count)?;
        let mut min = 0.0;
        for (strip, sums) in self.sums.chunks(STRIP).enumerate() {
            if largest(sums) <= min {
                continue;
            }
            for (list, &sum) in (strip * STRIP..).zip(sums) {
                if sum > min {
                    found.push((sum, list as u32));
                    if found.len() == 2 * count {
                        found.select_nth_unstable_by(count - 1, |a, b| b.0.total_cmp(&a.0));
                        found.truncate(count);
                        min = found[count - 1].0;
                    }
                }
            }
        }
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        memory::collect(found.iter().take(count).map(|&(_, list)| list))
    }

    /// Forgets all numbers.
    pub(super) fn clear(&mut self) {
        self.sums.fill(0.0);
    }
}

/// A bound in single precision, rounded up and positive.
pub(super) fn rounded_up(bound: f64) -> f32 {
    (bound as f32).next_up().max(LEAST)
}

/// The largest of some numbers, or 0.
fn largest(sums: &[f32]) -> f32 {
    // The maximum of each lane is found first. With one maximum, the compiler would have to keep the order of
    // comparisons.
    let greater = |one: f32, other: f32| if other > one { other } else { one };
    let mut lanes = [0.0; LANES];
    let (whole, rest) = sums.as_chunks::<LANES>();
    for some in whole {
        for (lane, &sum) in lanes.iter_mut().zip(some) {
            *lane = greater(*lane, sum);
        }
    }
    lanes.iter().chain(rest).copied().fold(0.0, greater)
}

/// The numbers of a strip that are at least `min`, as bits. There are no branches here, because they would be
/// unpredictable.
fn places(strip: &[f32], min: f32) -> u64 {
    strip.iter().enumerate().fold(0, |places, (place, &sum)| places | u64::from(sum >= min) << place)
}
