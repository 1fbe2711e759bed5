//! The lists that have an item, and the norm of the item in each.

use std::ops::Range;

use crate::error::Error;
use crate::memory::{self, Stored};
use crate::parallel::Cancel;
use crate::rankings::Lists;

/// For each item, the lists that have it. Memory depends only on the number of entries of the lists, and not on the
/// number of items in the catalogue.
#[derive(Debug, Clone)]
pub(super) struct Postings {
    /// The items that occur in any list, in increasing order.
    pub(super) items: Vec<u32>,
    /// The start of the lists of each item, and, at the end, the number of all entries.
    pub(super) starts: Vec<usize>,
    pub(super) lists: Stored<u32>,
    /// The norm of the item in each of these lists, divided by the largest norm and rounded up; empty if bounds follow from
    /// ranks.
    pub(super) norms: Stored<f32>,
    /// The first rank of the block of the item in each of these lists, or the largest number that fits.
    pub(super) ranks: Stored<u8>,
    /// The largest norm.
    pub(super) largest: f64,
}

/// An item of a list.
#[derive(Clone, Copy, Default)]
struct ListedItem {
    item: u32,
    list: u32,
    norm: f32,
    rank: u8,
}

/// Entries are sorted by this many bits of the item at a time. With this number, the places of all digits stay in the
/// first-level cache.
const DIGIT: u32 = 11;
/// The number of entries that are moved between two checks for cancellation.
const STOP_CHECK_INTERVAL: usize = 1 << 16;

impl Postings {
    /// The postings of lists. If bounds need norms, `norms` has the norms of all entries, list by list.
    pub(super) fn new(lists: &Lists, norms: &[f64], cancel: &Cancel) -> Result<Self, Error> {
        let largest = norms.iter().copied().fold(0.0, f64::max);
        let mut entries = memory::with_capacity(lists.entries())?;
        let mut of_entries = norms.iter().chain(std::iter::repeat(&0.0));
        for list in 0..lists.rows() {
            if list % STOP_CHECK_INTERVAL == 0 && cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            for (&[item, start], &norm) in lists.row(list).iter().zip(&mut of_entries) {
                let rank = u8::try_from(start).unwrap_or(u8::MAX);
                entries.push(ListedItem { item, list: list as u32, norm: fraction(norm, largest), rank });
            }
        }
        let entries = sorted(entries, cancel)?;
        let (mut items, mut starts) = (Vec::new(), Vec::new());
        for (place, entry) in entries.iter().enumerate() {
            if items.last() != Some(&entry.item) {
                memory::push(&mut items, entry.item)?;
                memory::push(&mut starts, place)?;
            }
        }
        memory::push(&mut starts, entries.len())?;
        let of_items = memory::collect(entries.iter().map(|entry| entry.list))?.into();
        let ranks = memory::collect(entries.iter().map(|entry| entry.rank))?.into();
        let norms =
            if norms.is_empty() { Vec::new() } else { memory::collect(entries.iter().map(|entry| entry.norm))? };
        Ok(Self { items, starts, lists: of_items, norms: norms.into(), ranks, largest })
    }

    /// Whether these postings can belong to these lists.
    pub(super) fn fit(&self, of: &Lists) -> bool {
        let Self { items, starts, lists, ranks, .. } = self;
        let lengths = [lists.len(), ranks.len(), starts.last().copied().unwrap_or(usize::MAX)];
        lengths == [of.entries(); 3]
            && starts.len() == items.len() + 1
            && starts.first() == Some(&0)
            && starts.is_sorted()
            && items.is_sorted_by(|one, other| one < other)
            && lists.iter().fold(true, |fits, &list| fits & ((list as usize) < of.rows()))
    }

    /// The largest norm, to which the stored norms are relative.
    pub(super) fn largest(&self) -> f64 {
        self.largest
    }

    /// The lists that have an item, in increasing order.
    pub(super) fn of_item(&self, item: u32) -> &[u32] {
        &self.lists[self.range(item)]
    }

    /// The lists that have an item, in increasing order, and its norms in them.
    pub(super) fn with_norms(&self, item: u32) -> (&[u32], &[f32]) {
        let range = self.range(item);
        (&self.lists[range.clone()], &self.norms[range])
    }

    /// The lists that have an item, in increasing order, and the first ranks of its blocks in them, or the largest number
    /// that fits.
    pub(super) fn with_ranks(&self, item: u32) -> (&[u32], &[u8]) {
        let range = self.range(item);
        (&self.lists[range.clone()], &self.ranks[range])
    }

    fn range(&self, item: u32) -> Range<usize> {
        match self.items.binary_search(&item) {
            Ok(place) => self.starts[place]..self.starts[place + 1],
            Err(_) => 0..0,
        }
    }
}

/// Sorts entries by item, digit by digit from the last to the first. Entries of an item stay in the order of their
/// lists.
fn sorted(mut entries: Vec<ListedItem>, cancel: &Cancel) -> Result<Vec<ListedItem>, Error> {
    let max = entries.iter().map(|entry| entry.item).max().unwrap_or(0);
    let mut moved = memory::filled(entries.len(), ListedItem::default())?;
    let mut shift = 0;
    while shift < u32::BITS && max >> shift > 0 {
        let digit = |entry: &ListedItem| (entry.item >> shift) as usize & ((1 << DIGIT) - 1);
        let mut places = [0_usize; 1 << DIGIT];
        for entry in &entries {
            places[digit(entry)] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for some in entries.chunks(STOP_CHECK_INTERVAL) {
            if cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            for entry in some {
                let place = &mut places[digit(entry)];
                moved[*place] = *entry;
                *place += 1;
            }
        }
        std::mem::swap(&mut entries, &mut moved);
        shift += DIGIT;
    }
    Ok(entries)
}

/// A norm divided by the largest norm, and rounded up. The result is at least [`LEAST`] and at most slightly above 1.
pub(super) fn fraction(norm: f64, largest: f64) -> f32 {
    if largest > 0.0 { ((norm / largest) as f32).next_up().max(LEAST) } else { LEAST }
}

/// A small number whose square is still positive in single precision.
pub(super) const LEAST: f32 = 1e-18;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_by_item_and_then_by_list() {
        for max in [0, 1, 2047, 2048, 5_000_000, u32::MAX] {
            let item = |list: u32| (u64::from(list.wrapping_mul(2_654_435_761)) % (u64::from(max) + 1)) as u32;
            let entries: Vec<_> =
                (0..3000).map(|list| ListedItem { item: item(list), list, norm: list as f32, rank: 0 }).collect();
            let mut expected: Vec<_> = entries.iter().map(|entry| (entry.item, entry.list, entry.norm)).collect();
            expected.sort_by_key(|&(item, list, _)| (item, list));
            let found = sorted(entries, &Cancel::default()).unwrap();
            assert!(found.iter().map(|entry| (entry.item, entry.list, entry.norm)).eq(expected), "{max}");
        }
        assert!(sorted(Vec::new(), &Cancel::default()).unwrap().is_empty());
    }

    #[test]
    fn sorting_can_be_stopped() {
        let entries = vec![ListedItem { item: 1, list: 0, norm: 1.0, rank: 0 }; 10];
        assert!(matches!(sorted(entries, &Cancel::of_an_ended_run()), Err(Error::Interrupted)));
        let lists = Lists::from_ranks(3, &[0, 1], &[2], &[1]).unwrap();
        assert!(matches!(Postings::new(&lists, &[1.0], &Cancel::of_an_ended_run()), Err(Error::Interrupted)));
    }
}
