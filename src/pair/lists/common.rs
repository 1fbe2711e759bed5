//! The common items of one list and each of several others.

use crate::error::Error;
use crate::memory;
use crate::rankings::lists::List;

/// Lists that are indexed by item: for each item, the lists that have it, and its positions in them.
#[derive(Default)]
pub(crate) struct CommonItems {
    /// An item, a list and the position in the list. The entries are sorted by item, then by list, then by position.
    entries: Vec<[u32; 3]>,
    /// For each list, the items that it shares with the list of the last search. They are given by their positions in
    /// both lists.
    common: Vec<Vec<[u32; 2]>>,
    /// The number of the list of the last search.
    searched: Option<usize>,
}

impl CommonItems {
    pub(crate) fn new<'a>(lists: impl ExactSizeIterator<Item = List<'a>>) -> Result<Self, Error> {
        let mut new = Self::default();
        new.fill(lists)?;
        Ok(new)
    }

    /// Indexes these lists. Later searches allocate no memory.
    pub(crate) fn fill<'a>(&mut self, lists: impl ExactSizeIterator<Item = List<'a>>) -> Result<(), Error> {
        self.entries.clear();
        self.searched = None;
        self.common.resize_with(lists.len(), Vec::new);
        for (number, list) in (0..).zip(lists) {
            let common = &mut self.common[number as usize];
            common.clear();
            memory::reserve(common, list.len())?;
            let count = self.entries.len() + list.len();
            memory::reserve(&mut self.entries, count)?;
            self.entries.extend((0..).zip(list).map(|(place, &[item, _])| [item, number, place]));
        }
        self.entries.sort_unstable();
        Ok(())
    }

    /// Finds the items that a list has in common with each of the indexed lists.
    pub(crate) fn find(&mut self, list: List<'_>) {
        self.common.iter_mut().for_each(Vec::clear);
        let mut rest = &self.entries[..];
        for (place, &[item, _]) in (0..).zip(list) {
            rest = &rest[rest.partition_point(|entry| entry[0] < item)..];
            while let [[found, number, other], others @ ..] = rest
                && *found == item
            {
                self.common[*number as usize].push([place, *other]);
                rest = others;
            }
        }
    }

    /// The common items of a list with this number and an indexed list: their positions in both lists, sorted by item.
    /// It is fast if the last call had the same list.
    pub(crate) fn of(&mut self, number: usize, list: List<'_>, indexed: usize) -> &[[u32; 2]] {
        if self.searched != Some(number) {
            self.find(list);
            self.searched = Some(number);
        }
        self.with(indexed)
    }

    /// The common items of the list of the last search and an indexed list: their positions in both lists, sorted by
    /// item.
    pub(crate) fn with(&self, indexed: usize) -> &[[u32; 2]] {
        &self.common[indexed]
    }
}
