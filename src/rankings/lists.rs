//! Lists out of a large catalogue: only the listed items are stored.

use std::ops::Range;

use super::sparse::{ListReading, Parts};
use super::tied::{Incomplete, Missing};
use super::value::{AnyNumbers, Value, with_slice};
use crate::error::Error;
use crate::memory::{self, Stored};
use crate::parallel::Watch;

/// Ranked lists of items out of one catalogue. The items that are not in a list come after all items of the list. They
/// are tied: they share one block of ranks at the end.
///
/// A listed item takes 8 bytes of memory; an unlisted item takes none. If a list has all items of the catalogue, its
/// last block of tied items is not stored. For kernels, the list without these items is the same ranking. For measures
/// that use only listed items, the block is added again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    items: usize,
    /// The start of each list among the entries, and, at the end, the number of all entries.
    bounds: Vec<usize>,
    /// Each item, with the first rank of its block from 0. The entries are in the order of the lists, and within a list
    /// in the order of the items.
    entries: Stored<[u32; 2]>,
    /// For each list, whether it has all items. If it does, the items without an entry are its last block.
    has_all: Vec<bool>,
}

/// One of the lists: each item with the first rank of its block, in the order of the items.
pub(crate) type List<'a> = &'a [[u32; 2]];

impl Lists {
    /// Lists from compressed sparse rows. The entries of list `p` are at `bounds[p]..bounds[p + 1]`, in any order. An
    /// entry has an item, from 0 to `items - 1`, in `listed`, and the number of this item in `values`. The item with
    /// the smallest number is the most preferred. Items with equal numbers are tied.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - There are no bounds, or the bounds do not increase from 0 to the number of entries.
    /// - `listed` and `values` have different lengths.
    /// - An item is not in the catalogue, or is twice in a list.
    /// - A number is NaN or infinite.
    ///
    /// ```
    /// use wkendall::{Lists, Measure, Options, Weight, gram};
    /// // Two lists out of a million items: 7 before 999,999 before 5; and 7 alone.
    /// let x = Lists::from_ranks(1_000_000, &[0, 3, 4], &[7, 5, 999_999, 7], &[1.0, 3.0, 2.0, 1.0])?;
    /// assert_eq!(x.block_of(0, 5), 2..3);
    /// assert_eq!(x.block_of(1, 5), 1..1_000_000);
    /// let kernel = Measure::kernel(&Weight::Standard, 1_000_000)?.signed()?.normalized();
    /// let k = gram(&kernel, &x, None, Options::default())?;
    /// assert!(k[1] > 0.5 && k[1] < 0.6);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_ranks<B: Value, I: Value, V: Value>(
        items: usize,
        bounds: &[B],
        listed: &[I],
        values: &[V],
    ) -> Result<Self, Error> {
        let reading = ListReading { descending: false, ties: true };
        Self::from_numbers(reading, items, [B::numbers(bounds), I::numbers(listed), V::numbers(values)])
    }

    /// The same as [`Lists::from_ranks`], but the item with the largest number is the most preferred.
    ///
    /// # Errors
    /// Returns the same errors as [`Lists::from_ranks`].
    pub fn from_scores<B: Value, I: Value, V: Value>(
        items: usize,
        bounds: &[B],
        listed: &[I],
        values: &[V],
    ) -> Result<Self, Error> {
        let reading = ListReading { descending: true, ties: true };
        Self::from_numbers(reading, items, [B::numbers(bounds), I::numbers(listed), V::numbers(values)])
    }

    /// Lists from the numbers of their items, the most preferred item first. Items are numbered from 0 to `items - 1`.
    ///
    /// # Errors
    /// Returns an error when an item is not in the catalogue, when an item is twice in a list, or when there is no
    /// memory.
    ///
    /// ```
    /// use wkendall::Lists;
    /// // Two lists out of a million items: 7 before 999,999 before 5; and 7 alone.
    /// let x = Lists::from_orders(1_000_000, &[vec![7, 999_999, 5], vec![7]])?;
    /// assert_eq!(x.block_of(0, 999_999), 1..2);
    /// assert_eq!(x.block_of(1, 999_999), 1..1_000_000);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_orders<I: Value>(items: usize, lists: &[impl AsRef<[I]>]) -> Result<Self, Error> {
        let mut bounds = memory::with_capacity(lists.len() + 1)?;
        bounds.push(0);
        let mut listed = Vec::new();
        for list in lists {
            memory::extend(&mut listed, list.as_ref())?;
            bounds.push(listed.len());
        }
        Self::from_orders_of(items, &bounds, I::numbers(&listed))
    }

    /// Reads lists of items. The place of an item in its list is used as the number of the item.
    fn from_orders_of(items: usize, bounds: &[usize], listed: AnyNumbers<'_>) -> Result<Self, Error> {
        let mut places: Vec<usize> = memory::with_capacity(listed.len())?;
        for two in bounds.windows(2) {
            places.extend(0..two[1] - two[0]);
        }
        let parts = Parts { bounds: usize::numbers(bounds), listed, values: &places, items };
        Self::build(ListReading { descending: false, ties: false }, parts, None, None)
    }

    /// Lists of numbers of any type.
    fn from_numbers(
        reading: ListReading,
        items: usize,
        [bounds, listed, values]: [AnyNumbers<'_>; 3],
    ) -> Result<Self, Error> {
        with_slice!(values, |values| Self::build(reading, Parts { bounds, listed, values, items }, None, None))
    }

    pub(crate) fn build<V: Value>(
        reading: ListReading,
        parts: Parts<'_, V>,
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        let items = parts.items;
        let (bounds, entries, has_all) = parts.read(reading, threads, watch)?;
        Ok(Self { items, bounds, entries: entries.into(), has_all })
    }

    /// Rankings with ties as lists. Items without a number are not listed.
    ///
    /// # Errors
    /// Returns an error when an item can be anywhere, or there is no memory.
    pub fn from_incomplete(rankings: &Incomplete) -> Result<Self, Error> {
        let mut bounds = memory::with_capacity(rankings.rows() + 1)?;
        bounds.push(0);
        let mut entries = Vec::new();
        for row in 0..rankings.rows() {
            let starts = rankings.row(row).starts;
            // An item of unknown position has the number of items as its start.
            if let Some(item) = starts.iter().position(|&start| start as usize >= rankings.items()) {
                return Err(Error::ListedAnywhere { row, item });
            }
            let last = starts.iter().copied().max().unwrap_or(0);
            for (item, &start) in (0..).zip(starts).filter(|&(_, &start)| start < last) {
                memory::push(&mut entries, [item, start])?;
            }
            bounds.push(entries.len());
        }
        let has_all = memory::collect(rankings.has_all().iter().copied())?;
        Ok(Self { items: rankings.items(), bounds, entries: entries.into(), has_all })
    }

    /// The lists as rankings of all items, for computations that need a number for each item anyway.
    ///
    /// # Errors
    /// Returns an error when there is no memory for them.
    ///
    /// ```
    /// let lists = wkendall::Lists::from_ranks(4, &[0, 2], &[3, 0], &[1, 2])?;
    /// assert_eq!(lists.to_incomplete()?.starts(), [1, 2, 2, 0]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn to_incomplete(&self) -> Result<Incomplete, Error> {
        let cells = self.rows().checked_mul(self.items).ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        let mut starts = memory::with_capacity(cells)?;
        for row in 0..self.rows() {
            let list = self.row(row);
            starts.resize(starts.len() + self.items, list.len() as u32);
            let of_row = &mut starts[row * self.items..];
            for &[item, start] in list {
                of_row[item as usize] = start;
            }
        }
        let has_all = memory::collect(self.has_all.iter().copied())?;
        Ok(Incomplete::from_ranks(self.rows(), self.items, &starts, Missing::Error)?.with_all(has_all))
    }

    /// The number of lists.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The number of items in the catalogue.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// The total number of listed items of all lists. The last block of a list of all items is not counted, because it
    /// is not stored.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// The ranks, from 0, that an item can have in a list.
    ///
    /// # Panics
    /// Panics if there is no such list or item.
    #[must_use]
    pub fn block_of(&self, row: usize, item: usize) -> Range<usize> {
        assert!(item < self.items, "there is no item {item}");
        let list = self.row(row);
        match list.binary_search_by_key(&(item as u32), |entry| entry[0]) {
            Ok(place) => {
                let start = list[place][1];
                let size = list.iter().filter(|entry| entry[1] == start).count();
                start as usize..start as usize + size
            }
            Err(_) => list.len()..self.items,
        }
    }

    pub(crate) fn row(&self, row: usize) -> List<'_> {
        &self.entries[self.bounds[row]..self.bounds[row + 1]]
    }

    /// For each list, whether it has all items. If it does, the items without an entry are its last block.
    pub(crate) fn has_all(&self) -> &[bool] {
        &self.has_all
    }

    /// The same lists with another `has_all`.
    #[cfg(feature = "python")]
    pub(crate) fn with_all(self, has_all: Vec<bool>) -> Self {
        Self { has_all, ..self }
    }

    /// The start of each list among the entries, and, at the end, the number of all entries.
    pub(crate) fn bounds(&self) -> &[usize] {
        &self.bounds
    }

    /// The entries of all lists, one after another.
    pub(crate) fn all_entries(&self) -> List<'_> {
        &self.entries
    }

    /// Whether any list has ties. In a list without ties, the first ranks of the blocks are all ranks of the list.
    pub(crate) fn has_ties(&self) -> bool {
        let untied = |list: List<'_>| 2 * list.iter().map(|entry| entry[1] as usize).sum::<usize>() + list.len();
        (0..self.rows()).any(|row| untied(self.row(row)) != self.row(row).len().pow(2))
    }

    /// The length of the longest list.
    pub(crate) fn longest(&self) -> usize {
        self.bounds.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(0)
    }

    /// The lists of these rows, in this order.
    pub(crate) fn select(&self, rows: &[usize]) -> Result<Self, Error> {
        let mut bounds = memory::with_capacity(rows.len() + 1)?;
        bounds.push(0);
        let mut end = 0;
        bounds.extend(rows.iter().map(|&row| {
            end += self.row(row).len();
            end
        }));
        let mut entries = memory::with_capacity(end)?;
        for &row in rows {
            entries.extend_from_slice(self.row(row));
        }
        let has_all = memory::collect(rows.iter().map(|&row| self.has_all[row]))?;
        Ok(Self { items: self.items, bounds, entries: entries.into(), has_all })
    }

    /// A copy.
    pub(crate) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self {
            items: self.items,
            bounds: memory::collect(self.bounds.iter().copied())?,
            entries: memory::collect(self.entries.iter().copied())?.into(),
            has_all: memory::collect(self.has_all.iter().copied())?,
        })
    }

    /// Some rows of several sets of lists, one set after the other.
    pub(crate) fn concatenated(items: usize, sets: &[(&Self, Vec<u32>)]) -> Result<Self, Error> {
        let rows = sets.iter().map(|(_, rows)| rows.len()).sum();
        let (mut bounds, mut has_all) = (memory::with_capacity(rows + 1)?, memory::with_capacity(rows)?);
        bounds.push(0);
        let mut end = 0;
        for (lists, rows) in sets {
            for &row in rows {
                end += lists.row(row as usize).len();
                bounds.push(end);
                has_all.push(lists.has_all[row as usize]);
            }
        }
        let mut entries = memory::with_capacity(end)?;
        for (lists, rows) in sets {
            for &row in rows {
                entries.extend_from_slice(lists.row(row as usize));
            }
        }
        Ok(Self { items, bounds, entries: entries.into(), has_all })
    }

    /// Lists from the values of their fields; `None` if these values are not valid.
    pub(crate) fn from_parts(
        items: usize,
        bounds: Vec<usize>,
        entries: Stored<[u32; 2]>,
        has_all: Vec<bool>,
    ) -> Option<Self> {
        let ends = bounds.first() == Some(&0) && bounds.last() == Some(&entries.len()) && bounds.is_sorted();
        if !ends || has_all.len() + 1 != bounds.len() {
            return None;
        }
        let lists = Self { items, bounds, entries, has_all };
        let mut sizes = Vec::new();
        let mut is_list = |list: List<'_>| {
            sizes.clear();
            sizes.resize(list.len(), 0);
            let mut last = None;
            for &[item, start] in list {
                let Some(size) = sizes.get_mut(start as usize).filter(|_| last < Some(item)) else { return false };
                *size += 1;
                last = Some(item);
            }
            let mut end = 0;
            let blocks = (0..).zip(&sizes).all(|(start, &size)| {
                let begins = size == 0 || start == end;
                end += size;
                begins
            });
            blocks && last.is_none_or(|last| (last as usize) < items)
        };
        (0..lists.rows()).all(|row| is_list(lists.row(row))).then_some(lists)
    }

    /// The same lists, with entries also for the last block of a list of all items.
    pub(crate) fn with_last_blocks(&self) -> Result<Self, Error> {
        let mut bounds = memory::with_capacity(self.bounds.len())?;
        bounds.push(0);
        let mut entries = Vec::new();
        for row in 0..self.rows() {
            let list = self.row(row);
            if self.has_all[row] {
                let mut stored = list.iter().copied().peekable();
                memory::reserve(&mut entries, self.items)?;
                entries.extend(
                    (0..self.items as u32)
                        .map(|item| stored.next_if(|entry| entry[0] == item).unwrap_or([item, list.len() as u32])),
                );
            } else {
                memory::extend(&mut entries, list)?;
            }
            bounds.push(entries.len());
        }
        let has_all = memory::filled(self.rows(), false)?;
        Ok(Self { items: self.items, bounds, entries: entries.into(), has_all })
    }

    /// Removes the entries that [`Lists::with_last_blocks`] has added.
    pub(crate) fn without_last_blocks(self) -> Result<Self, Error> {
        if self.items == 0 || self.longest() < self.items {
            return Ok(self);
        }
        let (mut bounds, mut entries) = (memory::with_capacity(self.bounds.len())?, Vec::new());
        bounds.push(0);
        let mut has_all = memory::collect(self.has_all.iter().copied())?;
        for (row, has_all) in has_all.iter_mut().enumerate() {
            let list = self.row(row);
            let last = list.iter().map(|entry| entry[1]).max().filter(|_| list.len() == self.items);
            *has_all |= last.is_some();
            for &entry in list.iter().filter(|entry| Some(entry[1]) != last) {
                memory::push(&mut entries, entry)?;
            }
            bounds.push(entries.len());
        }
        Ok(Self { items: self.items, bounds, entries: entries.into(), has_all })
    }
}
