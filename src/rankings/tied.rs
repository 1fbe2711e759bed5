//! Incomplete rankings: with ties, and with items that are not ranked.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::complete::Rankings;
use super::sorting::BlockSort;
use super::value::{AnyNumbers, InputKind, Value, check_shape, with_slice};
use crate::error::{Error, Number};
use crate::memory;
use crate::parallel::{self, Watch, Workers};

/// The approximate duration of a job that sorts rows.
const JOB_NS: f64 = 2e6;

/// The number of rankings from which the usual number of blocks is estimated.
const SAMPLE: usize = 64;

/// The meaning of an item without a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// An item without a number is an error.
    Error,
    /// The item comes after all items with a number, tied with the other items without a number, as in a top-k list.
    Bottom,
    /// The position of the item is unknown.
    Anywhere,
}

/// The options for reading numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// Whether the largest number is the most preferred.
    pub(crate) descending: bool,
    /// Whether equal numbers are ties and not mistakes.
    pub(crate) ties: bool,
    pub(crate) missing: Missing,
    /// Whether infinite numbers are ordinary numbers and not mistakes.
    pub(crate) infinite: bool,
}

/// Rankings of the same items, with ties and missing items.
///
/// An incomplete ranking stands for all complete rankings that agree with it, each with the same probability. Tied
/// items share a *block* of ranks. Only the order of the numbers of a row matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incomplete {
    rows: usize,
    items: usize,
    missing: Missing,
    /// For each item, the first rank of its block, counted from 0. For an item of unknown position, it is the number of
    /// items.
    starts: Vec<u32>,
    /// The items in the order of their blocks, and by number within a block.
    orders: Vec<u32>,
    /// The items from the last block to the first, and by number within a block.
    downs: Vec<u32>,
    /// The first ranks of the blocks, in the order of the items in `orders`.
    starts_at: Vec<u32>,
    /// For each row, the number of its items that have a position.
    placed: Vec<u32>,
    /// Whether every item of each row has a number, so that no item is missing.
    has_all: Vec<bool>,
    /// Whether every row is complete and without ties.
    complete: bool,
}

/// One ranking of an [`Incomplete`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blocks<'a> {
    /// The first rank of each item's block.
    pub(crate) starts: &'a [u32],
    /// The items in the order of their blocks, and by number within a block.
    pub(crate) order: &'a [u32],
    /// The items from the last block to the first, and by number within a block.
    pub(crate) down: &'a [u32],
    /// The first ranks of the blocks, in the order of the items in `order`.
    pub(crate) start_at: &'a [u32],
    /// The number of items that have a position; the others come last in `order`.
    pub(crate) placed: usize,
}

impl<'a> Blocks<'a> {
    /// The range of ranks of each block, from the first block to the last. Items without a position are left out.
    pub(crate) fn ranges(self) -> Ranges<'a> {
        Ranges { blocks: self, rest: 0..self.placed }
    }
}

/// The ranks of blocks.
pub(crate) struct Ranges<'a> {
    blocks: Blocks<'a>,
    rest: Range<usize>,
}

impl Iterator for Ranges<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.rest.start;
        let tied = self.blocks.start_at[self.rest.clone()].iter().take_while(|&&of_other| of_other as usize == start);
        let size = tied.count();
        self.rest.start += size;
        (size > 0).then_some(start..start + size)
    }
}

impl DoubleEndedIterator for Ranges<'_> {
    fn next_back(&mut self) -> Option<Range<usize>> {
        let end = self.rest.end;
        let &start = self.blocks.start_at[self.rest.clone()].last()?;
        self.rest.end = start as usize;
        Some(self.rest.end..end)
    }
}

impl Incomplete {
    /// Rankings from numbers, row by row. The item with the smallest number is the most preferred. Items with equal
    /// numbers are tied. An item whose number is NaN is an item without a number; see [`Missing`].
    ///
    /// # Errors
    /// Returns an error when a number is infinite, when there is a NaN although `missing` is [`Missing::Error`], or
    /// when there are not `rows * items` values.
    ///
    /// ```
    /// use wkendall::{Incomplete, Missing};
    /// let x = Incomplete::from_ranks(1, 4, &[1.0, 2.0, 2.0, f64::NAN], Missing::Bottom)?;
    /// assert_eq!(x.block_of(0, 2), 1..3);
    /// assert_eq!(x.block_of(0, 3), 3..4);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_ranks<V: Value>(rows: usize, items: usize, values: &[V], missing: Missing) -> Result<Self, Error> {
        let reading = Reading { descending: false, ties: true, missing, infinite: false };
        Self::from_numbers(reading, rows, items, V::numbers(values))
    }

    /// The same as [`Incomplete::from_ranks`], but the item with the largest number is the most preferred.
    ///
    /// # Errors
    /// Returns the same errors as [`Incomplete::from_ranks`].
    pub fn from_scores<V: Value>(rows: usize, items: usize, values: &[V], missing: Missing) -> Result<Self, Error> {
        let reading = Reading { descending: true, ties: true, missing, infinite: false };
        Self::from_numbers(reading, rows, items, V::numbers(values))
    }

    pub(crate) fn from_numbers(
        reading: Reading,
        rows: usize,
        items: usize,
        numbers: AnyNumbers<'_>,
    ) -> Result<Self, Error> {
        with_slice!(numbers, |values| Self::build(reading, rows, items, values, None, None))
    }

    pub(crate) fn build<V: Value>(
        reading: Reading,
        rows: usize,
        items: usize,
        values: &[V],
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        check_shape(rows, items, values.len())?;
        let mut built = Self::zeros(rows, items, reading.missing)?;
        let cost = 6.0 * (items as f64 + 2.0).log2();
        let rows_a_job = (JOB_NS / (cost * items as f64 + 1.0)).max(1.0) as usize;
        let threads = parallel::threads_for(cost * values.len() as f64, threads);
        let first_wrong = AtomicUsize::new(usize::MAX);
        let complete = AtomicBool::new(true);
        let values_of = values.chunks((rows_a_job * items).max(1));
        let jobs = memory::collect((0..).step_by(rows_a_job).zip(built.jobs(rows_a_job)).zip(values_of))?;
        parallel::run(
            jobs,
            Workers::new(threads, cost * items as f64),
            watch,
            |cancel| BlockSort::new(items, cancel),
            |((first, rows), values), sort, poll| {
                for ((number, mut row), values) in (first..).zip(rows.split(1, items)).zip(values.chunks_exact(items)) {
                    if poll.is_cancelled() {
                        break;
                    }
                    if !row.read(reading, values, sort) {
                        first_wrong.fetch_min(number, Ordering::Relaxed);
                    } else if !row.is_complete() {
                        complete.store(false, Ordering::Relaxed);
                    }
                }
                Ok(())
            },
        )?;
        let wrong = first_wrong.into_inner();
        if wrong < rows {
            let values = &values[wrong * items..][..items];
            // The row was found invalid before. It can be valid now only if another thread has changed the memory.
            return Err(built.wrong(reading, wrong, values).unwrap_or(Error::Changed));
        }
        built.complete = complete.into_inner();
        Ok(built)
    }

    /// Memory for `rows` rankings, to be filled in.
    fn zeros(rows: usize, items: usize, missing: Missing) -> Result<Self, Error> {
        let zeros = || memory::filled(rows * items, 0);
        let (placed, has_all) = (memory::filled(rows, items as u32)?, memory::filled(rows, true)?);
        let (starts, orders, downs, starts_at) = (zeros()?, zeros()?, zeros()?, zeros()?);
        Ok(Self { rows, items, missing, starts, orders, downs, starts_at, placed, has_all, complete: true })
    }

    /// All rankings, `rows` at a time.
    fn jobs(&mut self, rows: usize) -> impl Iterator<Item = RowsMut<'_>> {
        let Self { items, starts, orders, downs, starts_at, placed, has_all, .. } = self;
        RowsMut { starts, orders, downs, starts_at, placed, has_all }.split(rows, *items)
    }

    /// The error in a row that has been read.
    #[cold]
    fn wrong<V: Value>(&self, reading: Reading, row: usize, values: &[V]) -> Option<Error> {
        let not_real = values.iter().enumerate().filter(|(_, value)| !value.is_real());
        for (column, value) in not_real {
            match value.number() {
                Number::Real(value) if value.is_infinite() => return Some(Error::Infinite { row, column, value }),
                _ if reading.missing == Missing::Error => return Some(Error::NotANumber { row, column }),
                _ => {}
            }
        }
        let Blocks { order, starts, .. } = self.row(row);
        let known = |item: u32| values[item as usize].is_real();
        let tied = order.windows(2).filter(|two| {
            let [one, other] = [two[0], two[1]];
            starts[one as usize] == starts[other as usize] && known(one) && known(other)
        });
        let first = tied.min_by_key(|two| two[1])?;
        let [earlier, column] = [first[0], first[1]].map(|column| column as usize);
        Some(Error::Tie { row, earlier, column, value: values[column].number() })
    }

    /// The same rankings. If every item has a position, `missing` becomes [`Missing::Error`].
    pub(crate) fn settled(self) -> Self {
        let placed = self.placed.iter().all(|&placed| placed as usize == self.items);
        Self { missing: if placed { Missing::Error } else { self.missing }, ..self }
    }

    /// The same rankings as [`Rankings`], if they are complete and there is memory for them.
    #[must_use]
    pub fn complete(&self) -> Option<Rankings> {
        self.try_complete(None).ok().flatten()
    }

    /// The same rankings as [`Rankings`], if they are complete.
    pub(crate) fn try_complete(&self, watch: Option<Watch<'_>>) -> Result<Option<Rankings>, Error> {
        let build = || Rankings::build(InputKind::Ranks, self.rows, self.items, &self.starts, None, watch);
        self.complete.then(build).transpose()
    }

    /// The approximate number of blocks of a ranking: the mean over some of them.
    pub(crate) fn usual_blocks(&self) -> usize {
        let step = self.rows.div_ceil(SAMPLE).max(1);
        let sample = (0..self.rows).step_by(step);
        let blocks: usize = sample.clone().map(|row| self.row(row).ranges().count()).sum();
        blocks.div_ceil(sample.len().max(1))
    }

    /// The number of rankings.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of items.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// For each item of each ranking, row by row, the first rank of its block, counted from 0. For an item of unknown
    /// position, it is the number of items.
    #[must_use]
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Whether every ranking is complete and without ties.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The ranks, from 0, that an item of a ranking can have. An item of unknown position can have all ranks. The ranks
    /// of the other items are counted without the items of unknown position.
    ///
    /// # Panics
    /// Panics if there is no such ranking or item.
    #[must_use]
    pub fn block_of(&self, row: usize, item: usize) -> Range<usize> {
        let Blocks { starts, start_at, placed, .. } = self.row(row);
        let start = starts[item] as usize;
        if start >= placed {
            return 0..self.items;
        }
        let size = start_at[start..placed].iter().take_while(|&&of_other| of_other as usize == start).count();
        start..start + size
    }

    pub(crate) fn row(&self, row: usize) -> Blocks<'_> {
        let range = row * self.items..(row + 1) * self.items;
        Blocks {
            starts: &self.starts[range.clone()],
            order: &self.orders[range.clone()],
            down: &self.downs[range.clone()],
            start_at: &self.starts_at[range],
            placed: self.placed[row] as usize,
        }
    }

    /// Whether every item of each row has a number.
    pub(crate) fn has_all(&self) -> &[bool] {
        &self.has_all
    }

    /// The same rankings with another `has_all`.
    pub(super) fn with_all(self, has_all: Vec<bool>) -> Self {
        Self { has_all, ..self }
    }

    /// Whether items can have unknown positions.
    pub(crate) fn has_unknown(&self) -> bool {
        self.missing == Missing::Anywhere
    }

    /// The rankings of these rows, in this order.
    pub(crate) fn select(&self, rows: &[usize]) -> Result<Self, Error> {
        let mut selected = Self::zeros(rows.len(), self.items, self.missing)?;
        for (&row, mut to) in rows.iter().zip(selected.jobs(1)) {
            to.copy(self.row(row));
        }
        let has_all = memory::collect(rows.iter().map(|&row| self.has_all[row]))?;
        Ok(Self { complete: self.complete, has_all, ..selected })
    }

    /// These rankings, followed by other rankings of the same items.
    #[cfg(feature = "python")]
    pub(crate) fn joined(&self, other: &Self) -> Result<Self, Error> {
        let missing = if other.missing == Missing::Error { self.missing } else { other.missing };
        let mut joined = Self::zeros(self.rows + other.rows, self.items, missing)?;
        let rows = [self, other].into_iter().flat_map(|set| (0..set.rows).map(move |row| set.row(row)));
        for (row, mut to) in rows.zip(joined.jobs(1)) {
            to.copy(row);
        }
        let has_all = memory::collect(self.has_all.iter().chain(&other.has_all).copied())?;
        Ok(Self { complete: self.complete && other.complete, has_all, ..joined })
    }

    /// Complete rankings as incomplete rankings.
    ///
    /// # Errors
    /// Returns an error when there is no memory for them.
    pub fn from_rankings(rankings: &Rankings) -> Result<Self, Error> {
        let mut built = Self::zeros(rankings.rows(), rankings.items(), Missing::Error)?;
        for (row, mut to) in built.jobs(1).enumerate() {
            to.starts.copy_from_slice(rankings.row(row).ranks());
            to.orders.copy_from_slice(rankings.row(row).order());
            to.finish();
        }
        Ok(built)
    }
}

impl From<&Rankings> for Incomplete {
    /// # Panics
    /// Panics when there is no memory; [`Incomplete::from_rankings`] returns this as an error.
    fn from(rankings: &Rankings) -> Self {
        Self::from_rankings(rankings).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Some rankings under construction.
struct RowsMut<'a> {
    starts: &'a mut [u32],
    orders: &'a mut [u32],
    downs: &'a mut [u32],
    starts_at: &'a mut [u32],
    placed: &'a mut [u32],
    has_all: &'a mut [bool],
}

impl<'a> RowsMut<'a> {
    /// The rankings, `rows` at a time.
    fn split(self, rows: usize, items: usize) -> impl Iterator<Item = RowsMut<'a>> {
        let size = (rows * items).max(1);
        let Self { starts, orders, downs, starts_at, placed, has_all } = self;
        let lists = starts.chunks_mut(size).zip(orders.chunks_mut(size));
        let lists = lists.zip(downs.chunks_mut(size).zip(starts_at.chunks_mut(size)));
        let flags = placed.chunks_mut(rows).zip(has_all.chunks_mut(rows));
        lists.zip(flags).map(|(((starts, orders), (downs, starts_at)), (placed, has_all))| RowsMut {
            starts,
            orders,
            downs,
            starts_at,
            placed,
            has_all,
        })
    }

    /// Copies a ranking.
    fn copy(&mut self, blocks: Blocks<'_>) {
        self.starts.copy_from_slice(blocks.starts);
        self.orders.copy_from_slice(blocks.order);
        self.downs.copy_from_slice(blocks.down);
        self.starts_at.copy_from_slice(blocks.start_at);
        self.placed.fill(blocks.placed as u32);
    }

    /// Reads a ranking. Returns true if its numbers are valid, and also if the run is stopped.
    fn read<V: Value>(&mut self, reading: Reading, values: &[V], sort: &mut BlockSort) -> bool {
        let Reading { descending, ties, missing, infinite } = reading;
        let has_place = |value: V| if infinite { value.is_known() } else { value.is_real() };
        let allowed = |value: &V| has_place(*value) || missing != Missing::Error && !value.is_known();
        if !values.iter().all(allowed) {
            return false;
        }
        let Some((listed, tied)) = sort.fill(descending, has_place, values, self.starts, self.orders) else {
            return true;
        };
        if missing == Missing::Anywhere {
            for &item in &self.orders[listed..] {
                self.starts[item as usize] = values.len() as u32;
            }
        }
        self.has_all.fill(listed == values.len());
        self.placed.fill(if missing == Missing::Anywhere { listed } else { values.len() } as u32);
        self.finish();
        ties || !tied
    }

    /// Computes `starts_at` and `downs` from `starts` and `orders`.
    fn finish(&mut self) {
        for (start, &item) in self.starts_at.iter_mut().zip(&*self.orders) {
            *start = self.starts[item as usize];
        }
        let mut down = &mut *self.downs;
        let mut end = self.orders.len();
        while end > 0 {
            let start = (self.starts_at[end - 1] as usize).min(end - 1);
            let block;
            (block, down) = down.split_at_mut(end - start);
            match block {
                [only] => *only = self.orders[start], // faster than a copy
                block => block.copy_from_slice(&self.orders[start..end]),
            }
            end = start;
        }
    }

    /// Whether each item has its own position.
    fn is_complete(&self) -> bool {
        (0..).zip(&*self.starts_at).all(|(rank, &start)| rank == start)
            && self.placed.iter().all(|&placed| placed as usize == self.orders.len())
    }
}
