//! Sums over pairs of items of two lists out of a catalogue of N items, in time that depends on the lengths of the
//! lists alone: means over all complete rankings that agree with them.
//!
//! ```text
//! mod       lists made ready, and which sum is whose
//! bounds    how large a sum can be
//! counts    the standard weight: whole numbers
//! sums      products and sums of numbers of the ranks
//! average   the average weight
//! many      the pairs of items that both lists have, where these are many
//! ```
//!
//! Two lists s and t split the items into four kinds: those that both have (B), those that only s has (A), those that
//! only t has (C), and the rest (R). The last block of s holds C and R, that of t holds A and R. So pairs have
//!
//! ```text
//! B B   what their places in both lists say
//! B A   in t the item of B comes first; in s their places say which
//! A C   in s the item of A comes first, in t that of C: discordant
//! B R   in both the item of B comes first
//! A A   tied in t; in s their places say which comes first
//! A R   tied in t; in s the item of A comes first
//! R R   tied in both
//! ```
//!
//! and pairs with C as those with A, s and t changing places. Pairs that are tied in one of the lists add nothing to
//! signed sums. All but B B is found in one pass over the blocks of each list, and needs no pass if B is empty.

mod average;
pub(crate) mod bounds;
mod counts;
mod many;
mod sums;

use super::Workspace;
use crate::error::Error;
use crate::memory;
use crate::parallel::Stop;
use crate::rankings::lists::List;
use crate::simd::Isa;
use crate::weight::lowered::Lowered;
use crate::weight::means::Means;
use crate::weight::tails::Tails;
use average::AgainstTail;
use many::Sorted;

/// Up to so many items that both lists have, all pairs of them are looked at: sorting takes as long at some 60 to 90
/// items.
const FEW: usize = 64;

/// What is summed, for which weights.
#[derive(Clone, Copy)]
pub(crate) struct ListSums<'a> {
    pub(crate) weight: &'a Lowered,
    pub(crate) tails: &'a Tails<'a>,
    /// Whether the discordant sum is subtracted.
    pub(crate) signed: bool,
    /// How many items the catalogue has.
    pub(crate) items: usize,
}

/// A list with what sums need of it.
pub(crate) struct Listed<'a> {
    pub(crate) list: List<'a>,
    /// The numbers of items of its blocks, by first rank.
    sizes: Vec<u32>,
    /// What the weights come to, by first rank, and at the place of the length for what the list leaves out.
    means: Means,
    /// The sum of what an item of the list and one that it leaves out have.
    to_tail: f64,
    /// The sum of what all ordered pairs of items of the list have.
    within: f64,
    /// For the average weight, what the blocks have with the last block of another list.
    against_tail: AgainstTail,
}

/// Memory for one thread.
#[derive(Default)]
pub(crate) struct ListWorkspace {
    workspace: Workspace,
    /// The first ranks, in both lists, of the blocks of the items that both have.
    starts: [Vec<u32>; 2],
    /// By first rank in one list, the number of items of the block that both lists have, and the sum of what they have
    /// in the other. Zero in between.
    counts: Vec<u32>,
    gains: Vec<f64>,
    /// Numbers of the items that both lists have.
    numbers: [Vec<f64>; 4],
    sorted: Sorted,
}

impl ListWorkspace {
    /// Memory for lists of up to so many items, all of it: sums allocate nothing.
    pub(crate) fn new(longest: usize, isa: Option<Isa>, stop: &Stop) -> Result<Self, Error> {
        let mut new = Self { workspace: Workspace::for_run(isa, stop), ..Self::default() };
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

    /// Finds the blocks of the items that two lists have, given by their places in both.
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
    /// Makes a list ready; `power` tells the power of two that its numbers are multiplied by.
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
        };
        match self.weight {
            Lowered::Count { top: Some(_) } | Lowered::Products(_) => {
                self.find_means(&mut listed, power)?;
                sums::find_totals::<false>(&mut listed);
            }
            Lowered::Sums(_) => {
                self.find_means(&mut listed, power)?;
                sums::find_totals::<true>(&mut listed);
            }
            Lowered::Later => average::find_blocks(self.items, &mut listed)?,
            // General weights have no means; measures refuse them.
            Lowered::Count { top: None }
            | Lowered::Tensor { .. }
            | Lowered::Factors { .. }
            | Lowered::Quadruples(_) => {}
        }
        Ok(listed)
    }

    fn find_means(&self, listed: &mut Listed<'_>, power: impl FnOnce(&Means) -> i32) -> Result<(), Error> {
        listed.means = self.tails.of_list(&listed.sizes)?;
        let power = power(&listed.means);
        listed.means.rescale(power, self.signed);
        Ok(())
    }

    /// The sum for two lists that have no item in common.
    pub(crate) fn apart(&self, s: &mut Listed<'_>, t: &mut Listed<'_>) -> Result<f64, Error> {
        let rest = self.items - s.list.len() - t.list.len();
        Ok(match self.weight {
            Lowered::Count { top: None } => counts::apart(self, s.list.len(), t.list.len()),
            Lowered::Count { top: Some(_) } | Lowered::Products(_) | Lowered::Sums(_) => {
                sums::apart(self.signed, s, t, rest)
            }
            Lowered::Later => average::apart(self, s, t, rest)?,
            Lowered::Tensor { .. } | Lowered::Factors { .. } | Lowered::Quadruples(_) => 0.0,
        })
    }

    /// The sum for two lists, given the places in both of the items that both have, in order of the items.
    pub(crate) fn of_common<'a>(
        &self,
        s: &mut Listed<'a>,
        t: &mut Listed<'a>,
        common: &[[u32; 2]],
        memory: &mut ListWorkspace,
    ) -> Result<f64, Error> {
        // Long sums round, and have to be the same the other way round.
        let turned = common.len() > FEW && s.list > t.list;
        memory.find_starts(s.list, t.list, common);
        let (s, t) = if turned { (t, s) } else { (s, t) };
        if turned {
            memory.starts.swap(0, 1);
        }
        Ok(match self.weight {
            Lowered::Count { top: None } => counts::of_common(self, s, t, memory),
            Lowered::Count { top: Some(_) } | Lowered::Products(_) => sums::of_common::<false>(self, s, t, memory),
            Lowered::Sums(_) => sums::of_common::<true>(self, s, t, memory),
            Lowered::Later => average::of_common(self, s, t, memory)?,
            Lowered::Tensor { .. } | Lowered::Factors { .. } | Lowered::Quadruples(_) => 0.0,
        })
    }
}
