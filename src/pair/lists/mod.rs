//! Sums over pairs of items of two lists out of a catalogue of N items. A sum is a mean over all complete rankings that
//! agree with the lists. Its time depends only on the lengths of the lists.
//!
//! ```text
//! mod       prepared lists, and the choice of the sum
//! bounds    upper bounds of sums
//! counts    the standard weight: integers
//! sums      products and sums of position weights
//! average   the average weight
//! many      the pairs of common items, if there are many
//! single    sums over single items, for order 1
//! common    finds the common items of lists
//! ```
//!
//! Two lists s and t split the items into four kinds: items in both lists (B), items only in s (A), items only in t
//! (C), and the rest (R). The last block of s contains C and R. The last block of t contains A and R. The kinds of
//! pairs are
//!
//! ```text
//! B B   ordered by their positions in both lists
//! B A   in t the item of B comes first; in s they are ordered by their positions
//! A C   in s the item of A comes first, in t that of C: discordant
//! B R   in both the item of B comes first
//! A A   tied in t; in s ordered by their positions
//! A R   tied in t; in s the item of A comes first
//! R R   tied in both
//! ```
//!
//! Pairs with C are like pairs with A, with s and t swapped. Pairs that are tied in one of the lists add nothing to
//! signed sums. All kinds except B B take one pass over the blocks of each list. If B is empty, they take no pass.

mod average;
pub(crate) mod bounds;
mod common;
mod counts;
mod many;
mod single;
mod sums;

use super::Workspace;
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::rankings::lists::List;
use crate::simd::Isa;
use crate::weight::kinds::PairWeight;
use crate::weight::means::Means;
use crate::weight::tails::Tails;
use average::AgainstTail;
pub(crate) use common::CommonItems;
pub(crate) use counts::CommonPairs;
use many::Sorted;

/// Up to this many common items, all pairs of them are compared; otherwise the items are sorted. Both take the same
/// time for 60 to 90 items.
const FEW: usize = 64;

/// The sum to compute, and its weights.
#[derive(Clone, Copy)]
pub(crate) struct ListSums<'a> {
    pub(crate) weight: &'a PairWeight,
    pub(crate) tails: &'a Tails<'a>,
    /// Whether the discordant sum is subtracted.
    pub(crate) signed: bool,
    /// The number of items of the catalogue.
    pub(crate) items: usize,
    /// Whether the sum is over single items and not over pairs.
    pub(crate) single: bool,
}

/// A list with the quantities that sums need.
pub(crate) struct Listed<'a> {
    pub(crate) list: List<'a>,
    /// The number of items of each block, at its first rank.
    sizes: Vec<u32>,
    /// The mean of the weights of each block, at its first rank. The mean of the unlisted items is at the length of the
    /// list.
    means: Means,
    /// The sum of the terms of pairs of an item of the list and an unlisted item.
    to_tail: f64,
    /// The sum of the terms of all ordered pairs of items of the list.
    within: f64,
    /// For the average weight, the terms of the blocks with the last block of another list.
    against_tail: AgainstTail,
    /// For order 1: the length of another list, and the sum over the items of this list if the other list has none of
    /// these items.
    alone: Option<(usize, f64)>,
}

/// Memory for one thread.
#[derive(Default)]
pub(crate) struct ListWorkspace {
    workspace: Workspace,
    /// The first ranks, in both lists, of the blocks of the common items.
    starts: [Vec<u32>; 2],
    /// For each block of one list, at its first rank: the number of common items of the block, and the sum of their
    /// terms in the other list. All other entries are 0.
    counts: Vec<u32>,
    gains: Vec<f64>,
    /// Numbers of the common items.
    numbers: [Vec<f64>; 4],
    sorted: Sorted,
}

impl ListWorkspace {
    /// Memory for lists of up to `longest` items; the sums allocate nothing more.
    pub(crate) fn new(longest: usize, isa: Option<Isa>, cancel: &Cancel) -> Result<Self, Error> {
        let mut new = Self { workspace: Workspace::for_run(isa, cancel), ..Self::default() };
        if longest > FEW {
            new.workspace.try_fit(longest)?;
            new.sorted.fit(longest)?;
        }
        new.starts.iter_mut().try_for_each(|list| memory::reserve(list, longest))?;
        new.numbers.iter_mut().try_for_each(|list| memory::reserve(list, longest))?;
        memory::resize(&mut new.counts, longest, 0)?;
        memory::resize(&mut new.gains, longest, 0.0)?;
        Ok(new)
    }

    /// Finds the blocks of the common items of two lists, given by their positions in both.
    fn find_starts(&mut self, s: List<'_>, t: List<'_>, common: &[[u32; 2]]) {
        let [of_s, of_t] = &mut self.starts;
        of_s.clear();
        of_t.clear();
        for &[in_s, in_t] in common {
            of_s.push(s[in_s as usize][1]);
            of_t.push(t[in_t as usize][1]);
        }
    }
}

impl ListSums<'_> {
    /// Prepares a list. The function `power` gives the power of two by which the numbers of the list are multiplied.
    pub(crate) fn listed<'a>(&self, list: List<'a>, power: impl FnOnce(&Means) -> i32) -> Result<Listed<'a>, Error> {
        let mut sizes = memory::filled(list.len(), 0)?;
        for &[_, start] in list {
            sizes[start as usize] += 1;
        }
        let mut listed = Listed {
            list,
            sizes,
            means: Means::default(),
            to_tail: 0.0,
            within: 0.0,
            against_tail: AgainstTail::default(),
            alone: None,
        };
        match self.weight {
            PairWeight::Count { top: Some(_) } | PairWeight::Products(_) => {
                self.find_means(&mut listed, power)?;
                sums::find_totals::<false>(&mut listed);
            }
            PairWeight::Sums(_) => {
                self.find_means(&mut listed, power)?;
                sums::find_totals::<true>(&mut listed);
            }
            PairWeight::Average if self.single => {}
            PairWeight::Average => average::find_blocks(self.items, &mut listed)?,
            // General weights have no means here. Measures return an error for them before.
            PairWeight::Count { top: None } => {}
        }
        Ok(listed)
    }

    fn find_means(&self, listed: &mut Listed<'_>, power: impl FnOnce(&Means) -> i32) -> Result<(), Error> {
        listed.means = self.tails.of_list(&listed.sizes)?;
        let power = power(&listed.means);
        listed.means.rescale(power, self.signed);
        Ok(())
    }

    /// The sum for two lists without a common item.
    pub(crate) fn disjoint(&self, s: &mut Listed<'_>, t: &mut Listed<'_>) -> Result<f64, Error> {
        let rest = self.items - s.list.len() - t.list.len();
        if self.single {
            return Ok(single::disjoint(self, s, t, rest));
        }
        Ok(match self.weight {
            PairWeight::Count { top: None } => counts::disjoint(self, s.list.len(), t.list.len()),
            PairWeight::Count { top: Some(_) } | PairWeight::Products(_) | PairWeight::Sums(_) => {
                sums::disjoint(self.signed, s, t, rest)
            }
            PairWeight::Average => average::disjoint(self, s, t, rest)?,
        })
    }

    /// The sum for two lists. `common` has the positions of the common items in both lists, in the order of the items.
    pub(crate) fn of_common<'a>(
        &self,
        s: &mut Listed<'a>,
        t: &mut Listed<'a>,
        common: &[[u32; 2]],
        memory: &mut ListWorkspace,
    ) -> Result<f64, Error> {
        // Long sums are rounded. The order of the two lists is fixed here, so that the result is the same if they are
        // swapped.
        let turned = common.len() > FEW && s.list > t.list;
        memory.find_starts(s.list, t.list, common);
        let (s, t) = if turned { (t, s) } else { (s, t) };
        if turned {
            memory.starts.swap(0, 1);
        }
        if self.single {
            return Ok(single::of_common(self, s, t, memory));
        }
        Ok(match self.weight {
            PairWeight::Count { top: None } => counts::of_common(self, s, t, memory),
            PairWeight::Count { top: Some(_) } | PairWeight::Products(_) => {
                sums::of_common::<false>(self, s, t, memory)
            }
            PairWeight::Sums(_) => sums::of_common::<true>(self, s, t, memory),
            PairWeight::Average => average::of_common(self, s, t, memory)?,
        })
    }
}
