//! Which lists have an item, and the norm of the item in each.

use crate::error::Error;
use crate::memory;
use crate::rankings::Lists;

/// Lists by item. Memory depends only on the entries of the lists, not on the number of items.
#[derive(Debug, Clone)]
pub(super) struct Postings {
    /// The items that occur in any list, in increasing order.
    items: Vec<u32>,
    /// The start of the lists of each item, and the total number at the end.
    starts: Vec<usize>,
    lists: Vec<u32>,
    /// The norm of the item in each of these lists, divided by the largest norm and rounded up.
    norms: Vec<f32>,
    /// The largest norm.
    largest: f64,
}

/// An item of a list.
#[derive(Clone, Copy)]
struct Entry {
    item: u32,
    list: u32,
    norm: f32,
}

impl Postings {
    /// Builds the index; `norms` has the norms of all entries, list by list.
    pub(super) fn new(lists: &Lists, norms: &[f64]) -> Result<Self, Error> {
        let largest = norms.iter().copied().fold(0.0, f64::max);
        let mut entries = memory::with_capacity(norms.len())?;
        let mut of_entries = norms.iter();
        for list in 0..lists.rows() {
            for (&[item, _], &norm) in lists.row(list).iter().zip(&mut of_entries) {
                entries.push(Entry { item, list: list as u32, norm: fraction(norm, largest) });
            }
        }
        entries.sort_unstable_by_key(|entry| u64::from(entry.item) << 32 | u64::from(entry.list));
        let (mut items, mut starts) = (Vec::new(), Vec::new());
        for (place, entry) in entries.iter().enumerate() {
            if items.last() != Some(&entry.item) {
                memory::push(&mut items, entry.item)?;
                memory::push(&mut starts, place)?;
            }
        }
        memory::push(&mut starts, entries.len())?;
        let lists = memory::collect(entries.iter().map(|entry| entry.list))?;
        let norms = memory::collect(entries.iter().map(|entry| entry.norm))?;
        Ok(Self { items, starts, lists, norms, largest })
    }

    /// The largest norm, to which the stored norms are relative.
    pub(super) fn largest(&self) -> f64 {
        self.largest
    }

    /// The lists that have an item, in increasing order, and its norms in them.
    pub(super) fn of_item(&self, item: u32) -> (&[u32], &[f32]) {
        let range = match self.items.binary_search(&item) {
            Ok(place) => self.starts[place]..self.starts[place + 1],
            Err(_) => 0..0,
        };
        (&self.lists[range.clone()], &self.norms[range])
    }
}

/// A norm divided by the largest, rounded up: from the smallest positive number to slightly above 1.
pub(super) fn fraction(norm: f64, largest: f64) -> f32 {
    if largest > 0.0 { ((norm / largest) as f32).next_up().max(LEAST) } else { LEAST }
}

/// A number that is positive even when squared.
const LEAST: f32 = 1e-18;
