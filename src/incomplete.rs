//! Incomplete rankings: with ties, and with items that are not ranked.

use std::ops::Range;

use crate::error::{Error, Number};
use crate::parallel::{self, Watch};
use crate::ranking::{Rankings, Value, check_shape, zeros};

/// Rows are sorted in jobs that take about this long.
const JOB_NS: f64 = 2e6;

/// What an item without a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A mistake.
    Error,
    /// The item comes after all that have a number, tied with the others that have none: a top-k list.
    Bottom,
    /// Nothing is known about its place.
    Anywhere,
}

/// How numbers are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// Whether the largest number is the most preferred.
    pub(crate) descending: bool,
    /// Whether equal numbers are ties and not mistakes.
    pub(crate) ties: bool,
    pub(crate) missing: Missing,
}

/// A number of rankings of the same items that may tie items and leave some out.
///
/// An incomplete ranking stands for all complete rankings that agree with it, each as likely as the others. Tied items share a *block* of
/// ranks. Only the order of the numbers of a row matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incomplete {
    rows: usize,
    items: usize,
    missing: Missing,
    /// For each item the first rank, from 0, of its block; for items of unknown place the number of items.
    starts: Vec<u32>,
    /// The items in the order of their blocks, those of a block by number.
    orders: Vec<u32>,
    /// The items from the last block to the first, those of a block by number.
    downs: Vec<u32>,
    /// The first ranks of the blocks, in the order of the items in `orders`.
    starts_at: Vec<u32>,
    /// How many items of each row have a place.
    placed: Vec<u32>,
    /// Whether every row is complete and without ties.
    complete: bool,
}

/// One ranking of an [`Incomplete`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blocks<'a> {
    /// The first rank of each item's block.
    pub(crate) starts: &'a [u32],
    /// The items in the order of their blocks, those of a block by number.
    pub(crate) order: &'a [u32],
    /// The items from the last block to the first, those of a block by number.
    pub(crate) down: &'a [u32],
    /// The first ranks of the blocks, in the order of the items in `order`.
    pub(crate) start_at: &'a [u32],
    /// How many items have a place; the others come last in `order`.
    pub(crate) placed: usize,
}

impl<'a> Blocks<'a> {
    /// The ranks of each block of items with a place, in order.
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
    /// Rankings from numbers, row by row, of which the least is the most preferred; equal ones are ties, NaN is an item without a number.
    ///
    /// # Errors
    /// When a number is infinite, a NaN is there without being allowed, or the shape does not match.
    ///
    /// ```
    /// use wkendall::{Incomplete, Missing};
    /// let x = Incomplete::from_ranks(1, 4, &[1.0, 2.0, 2.0, f64::NAN], Missing::Bottom)?;
    /// assert_eq!(x.block_of(0, 2), 1..3);
    /// assert_eq!(x.block_of(0, 3), 3..4);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_ranks<V: Value>(rows: usize, items: usize, values: &[V], missing: Missing) -> Result<Self, Error> {
        Self::build(Reading { descending: false, ties: true, missing }, rows, items, values, None, None)
    }

    /// As [`Incomplete::from_ranks`] for numbers of which the largest is the most preferred.
    ///
    /// # Errors
    /// As [`Incomplete::from_ranks`].
    pub fn from_scores<V: Value>(rows: usize, items: usize, values: &[V], missing: Missing) -> Result<Self, Error> {
        Self::build(Reading { descending: true, ties: true, missing }, rows, items, values, None, None)
    }

    pub(crate) fn build<V: Value>(
        reading: Reading,
        rows: usize,
        items: usize,
        values: &[V],
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        let Reading { descending, ties, missing } = reading;
        check_shape(rows, items, values.len())?;
        check_numbers(items, values, missing)?;
        let mut starts = zeros(values.len())?;
        let mut orders = zeros(values.len())?;
        let mut placed = zeros(rows)?;
        placed.fill(items as u32);
        let cost = 6.0 * (items as f64 + 2.0).log2();
        let rows_a_job = (JOB_NS / (cost * items as f64 + 1.0)).max(1.0) as usize;
        let block = rows_a_job * items.max(1);
        let jobs = values.chunks(block).zip(starts.chunks_mut(block)).zip(orders.chunks_mut(block));
        let jobs = jobs.zip(placed.chunks_mut(rows_a_job)).collect();
        let threads = parallel::threads_for(cost * values.len() as f64, threads);
        parallel::run(
            jobs,
            threads,
            watch,
            || (),
            |(((values, starts), orders), placed), (), proceed| {
                let rows = values.chunks_exact(items).zip(starts.chunks_exact_mut(items));
                for ((values, starts), (order, placed)) in rows.zip(orders.chunks_exact_mut(items).zip(placed)) {
                    if !proceed() {
                        return;
                    }
                    *placed = fill_row(descending, missing, values, starts, order);
                }
            },
        )?;
        let mut built = Self::from_blocks(items, missing, starts, orders, placed);
        if !ties && let Some((row, earlier, column)) = built.first_tie(values) {
            let value = values[row * items + column].number();
            return Err(Error::Tie { row, earlier, column, value });
        }
        built.complete = built.finds_complete();
        Ok(built)
    }

    /// Puts together what is known, and what follows from it; complete or not is to be said.
    fn from_blocks(items: usize, missing: Missing, starts: Vec<u32>, orders: Vec<u32>, placed: Vec<u32>) -> Self {
        let mut starts_at = Vec::with_capacity(orders.len());
        let mut downs = Vec::with_capacity(orders.len());
        for (starts, order) in starts.chunks_exact(items.max(1)).zip(orders.chunks_exact(items.max(1))) {
            let first = starts_at.len();
            starts_at.extend(order.iter().map(|&item| starts[item as usize]));
            let mut end = items;
            while end > 0 {
                let start = (starts_at[first + end - 1] as usize).min(end - 1);
                downs.extend_from_slice(&order[start..end]);
                end = start;
            }
        }
        Self { rows: placed.len(), items, missing, starts, orders, downs, starts_at, placed, complete: false }
    }

    /// The first two items of a row that have the same number.
    fn first_tie<V: Value>(&self, values: &[V]) -> Option<(usize, usize, usize)> {
        (0..self.rows).find_map(|row| {
            let order = self.row(row).order;
            let known = |item: u32| values[row * self.items + item as usize].is_real();
            let starts = self.row(row).starts;
            let tied = order.windows(2).filter(|two| {
                let [one, other] = [two[0], two[1]];
                starts[one as usize] == starts[other as usize] && known(one) && known(other)
            });
            tied.map(|two| (row, two[0] as usize, two[1] as usize)).min_by_key(|&(_, _, column)| column)
        })
    }

    fn finds_complete(&self) -> bool {
        let Self { items, orders, starts, placed, .. } = self;
        let items = *items;
        orders
            .chunks_exact(items.max(1))
            .zip(starts.chunks_exact(items.max(1)))
            .all(|(order, starts)| (0..).zip(order).all(|(rank, &item)| starts[item as usize] == rank))
            && placed.iter().all(|&placed| placed as usize == items)
    }

    /// The same as complete rankings, if they are.
    #[must_use]
    pub fn complete(&self) -> Option<Rankings> {
        self.complete.then(|| Rankings::from_ranks(self.rows, self.items, &self.starts).ok()).flatten()
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

    /// For each item of each ranking, row by row, the first rank of its block, from 0; for items of unknown place the number of items.
    #[must_use]
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Whether every ranking is complete and without ties.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The ranks, from 0, that an item of a ranking can have; all ranks for an item of unknown place. Of the others, those with
    /// unknown places are not counted.
    ///
    /// # Panics
    /// If there is no such ranking or item.
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

    /// Whether items can have unknown places.
    pub(crate) fn has_unknown(&self) -> bool {
        self.missing == Missing::Anywhere
    }

    /// These rows, in this order.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let (mut starts, mut orders) = (Vec::new(), Vec::new());
        for blocks in rows.iter().map(|&row| self.row(row)) {
            starts.extend_from_slice(blocks.starts);
            orders.extend_from_slice(blocks.order);
        }
        let placed = rows.iter().map(|&row| self.placed[row]).collect();
        Self { complete: self.complete, ..Self::from_blocks(self.items, self.missing, starts, orders, placed) }
    }
}

impl From<&Rankings> for Incomplete {
    fn from(rankings: &Rankings) -> Self {
        let (rows, items) = (rankings.rows(), rankings.items());
        let starts = (0..rows).flat_map(|row| rankings.row(row).ranks()).copied().collect();
        let orders = (0..rows).flat_map(|row| rankings.row(row).order()).copied().collect();
        let placed = vec![items as u32; rows];
        Self { complete: true, ..Self::from_blocks(items, Missing::Error, starts, orders, placed) }
    }
}

/// Refuses numbers that are infinite, and those that are missing unless that is allowed.
fn check_numbers<V: Value>(items: usize, values: &[V], missing: Missing) -> Result<(), Error> {
    for (place, value) in values.iter().enumerate() {
        if value.is_real() {
            continue;
        }
        let (row, column) = (place / items, place % items);
        match value.number() {
            Number::Real(value) if value.is_infinite() => return Err(Error::Infinite { row, column, value }),
            _ if missing == Missing::Error => return Err(Error::NotANumber { row, column }),
            _ => {}
        }
    }
    Ok(())
}

/// Writes the starts and the order of a row; how many items have a place.
fn fill_row<V: Value>(descending: bool, missing: Missing, values: &[V], starts: &mut [u32], order: &mut [u32]) -> u32 {
    let known = |item: u32| values[item as usize].is_real();
    for (item, place) in (0..).zip(order.iter_mut()) {
        *place = item;
    }
    order.sort_unstable_by(|&i, &j| {
        let (one, other) = (values[i as usize], values[j as usize]);
        let by_value = match (known(i), known(j)) {
            (true, true) if descending => other.order(one),
            (true, true) => one.order(other),
            (one, other) => other.cmp(&one),
        };
        by_value.then(i.cmp(&j))
    });
    let listed = order.iter().filter(|&&item| known(item)).count();
    let mut start = 0;
    for rank in 0..order.len() {
        let item = order[rank] as usize;
        let same = rank > 0 && {
            let before = order[rank - 1] as usize;
            rank > listed || (rank < listed && values[before].order(values[item]).is_eq())
        };
        start = if same { start } else { rank as u32 };
        starts[item] = if rank >= listed && missing == Missing::Anywhere { order.len() as u32 } else { start };
    }
    (if missing == Missing::Anywhere { listed } else { order.len() }) as u32
}
