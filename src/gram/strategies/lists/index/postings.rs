//! Which lists have an item, and the norm of the item in each.

use crate::error::Error;
use crate::memory;
use crate::rankings::Lists;

/// Lists by item. Memory depends on the entries of the lists alone, not on the number of items.
#[derive(Debug, Clone)]
pub(super) struct Postings {
    /// The items that any list has, rising.
    items: Vec<u32>,
    /// Where the lists of each begin, and their number at the end.
    starts: Vec<usize>,
    lists: Vec<u32>,
    /// For each the norm of the item in the list, divided by the largest of all, rounded up.
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
    /// Those of lists, given the norms of all entries, list by list.
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

    /// The largest norm, which norms are fractions of.
    pub(super) fn largest(&self) -> f64 {
        self.largest
    }

    /// The lists that have an item, rising, and its norms in them.
    pub(super) fn of_item(&self, item: u32) -> (&[u32], &[f32]) {
        let range = match self.items.binary_search(&item) {
            Ok(place) => self.starts[place]..self.starts[place + 1],
            Err(_) => 0..0,
        };
        (&self.lists[range.clone()], &self.norms[range])
    }
}

/// A number as a part of the largest, from the least positive number to a little over 1, rounded up.
pub(super) fn fraction(norm: f64, largest: f64) -> f32 {
    if largest > 0.0 { ((norm / largest) as f32).next_up().max(LEAST) } else { LEAST }
}

/// What is positive even when it is squared.
const LEAST: f32 = 1e-18;
