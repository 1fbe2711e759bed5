//! Rankings: rows of ranks, checked once and trusted by all other code.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::diagnosis::diagnose;
use super::sorting::ItemSort;
use super::value::{AnyNumbers, InputKind, VACANT, Value, check_shape, index_of, with_slice};
use crate::error::Error;
use crate::memory;
use crate::parallel::{self, Cancel, Watch, Workers};

/// The approximate duration of a job that checks rows. It is short, so that threads can share the work and a stop takes
/// effect soon.
const JOB_NS: f64 = 2e6;
/// The number of values of a row that are checked between two checks for a stop.
const STOP_CHECK_INTERVAL: usize = 1 << 20;

/// Rankings of the same items. Each ranking is a permutation of the ranks; the constructors check this.
///
/// Ranks are stored from 0: the most preferred item has rank 0. The inverse of each row is stored too: the list of its
/// items from the most preferred to the least preferred. A comparison of two rankings uses the ranks of one ranking and
/// the inverse of the other ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rankings {
    rows: usize,
    items: usize,
    ranks: Vec<u32>,
    orders: Vec<u32>,
}

/// One ranking of a [`Rankings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    ranks: &'a [u32],
    order: &'a [u32],
}

impl<'a> Row<'a> {
    /// The rank of each item, counting from 0.
    #[must_use]
    pub fn ranks(self) -> &'a [u32] {
        self.ranks
    }

    /// The items, numbered from 0, from the most preferred to the least preferred.
    #[must_use]
    pub fn order(self) -> &'a [u32] {
        self.order
    }
}

impl Rankings {
    /// Rankings from ranks, row by row: `values[p * items + i]` is the rank that ranking `p` gives to item `i`.
    ///
    /// Ranks count from 1 to `items`, or from 0 to `items - 1`. All rows must count from the same number. A value of 0
    /// shows that ranks count from 0.
    ///
    /// # Errors
    /// Returns an error when a row is not a permutation, when some rows count from 0 and others from 1, or when there
    /// are not `rows * items` values.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 1, 2])?;
    /// assert_eq!(x.row(1).ranks(), [2, 0, 1]);
    /// assert_eq!(x.row(1).order(), [1, 2, 0]);
    /// assert!(Rankings::from_ranks(1, 3, &[1, 2, 2]).is_err());
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_ranks<V: Value>(rows: usize, items: usize, values: &[V]) -> Result<Self, Error> {
        Self::from_numbers(InputKind::Ranks, rows, items, V::numbers(values))
    }

    /// Rankings from orders: row `p` lists the items of ranking `p`, the most preferred item first. Items are numbered
    /// from 1 or from 0.
    ///
    /// # Errors
    /// Returns the same errors as [`Rankings::from_ranks`].
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_orders(1, 3, &[2, 3, 1])?;
    /// assert_eq!(x, Rankings::from_ranks(1, 3, &[3, 1, 2])?);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_orders<V: Value>(rows: usize, items: usize, values: &[V]) -> Result<Self, Error> {
        Self::from_numbers(InputKind::Orders, rows, items, V::numbers(values))
    }

    /// Rankings from scores. In each row, the item with the largest score is the most preferred.
    ///
    /// # Errors
    /// Returns an error when two scores of a row are equal, when a score is NaN or infinite, or when there are not
    /// `rows * items` values.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_scores(1, 3, &[0.1, 7.0, 2.5])?;
    /// assert_eq!(x.row(0).ranks(), [2, 0, 1]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_scores<V: Value>(rows: usize, items: usize, values: &[V]) -> Result<Self, Error> {
        Self::from_numbers(InputKind::Scores, rows, items, V::numbers(values))
    }

    fn from_numbers(kind: InputKind, rows: usize, items: usize, numbers: AnyNumbers<'_>) -> Result<Self, Error> {
        with_slice!(numbers, |values| Self::build(kind, rows, items, values, None, None))
    }

    /// Rankings from ranks, orders or scores, on several threads and with a watch function. The result is the same as
    /// the result of the public constructors.
    pub(crate) fn build<V: Value>(
        kind: InputKind,
        rows: usize,
        items: usize,
        values: &[V],
        threads: Option<usize>,
        mut watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        check_shape(rows, items, values.len())?;
        let zeros = || memory::filled(values.len(), 0);
        let mut built = Self { rows, items, ranks: zeros()?, orders: zeros()? };
        // A valid row contains 0 if and only if it counts from 0, so the first row shows from which number the rows
        // count. If the first row is invalid, the check of the rows finds the error.
        let zero_based = values[..items.min(values.len())].iter().any(|value| value.whole() == Some(0));
        let fill = |values: &[V], ranks: &mut [u32], order: &mut [u32], sort: &mut ItemSort| match kind {
            InputKind::Ranks | InputKind::Orders => fill_permutation(values, zero_based, ranks, order, sort.cancel()),
            InputKind::Scores => fill_scores(values, ranks, order, sort),
        };
        let sorted_items = if kind == InputKind::Scores { items } else { 0 };
        // Nanoseconds for each value on a core of 2.3 GHz. A permutation of many items takes longer than this, because
        // it waits for memory.
        let cost = if kind == InputKind::Scores { 4.0 * (items as f64 + 2.0).log2() } else { 2.0 };
        let silent_ns = items as f64 * cost.max(10.0);
        let first_wrong = AtomicUsize::new(usize::MAX);
        let rows_a_job = (JOB_NS / (cost * items as f64 + 1.0)).max(1.0) as usize;
        let block = rows_a_job * items.max(1);
        let jobs = values.chunks(block).zip(built.ranks.chunks_mut(block)).zip(built.orders.chunks_mut(block));
        let threads = parallel::threads_for(cost * values.len() as f64, threads);
        let jobs = memory::collect((0..).step_by(rows_a_job).zip(jobs))?;
        parallel::run(
            jobs,
            Workers::new(threads, silent_ns),
            parallel::share(&mut watch),
            |cancel| ItemSort::new(sorted_items, cancel),
            |(first, ((values, ranks), orders)), sort, _| {
                let rows = values.chunks(items).zip(ranks.chunks_mut(items)).zip(orders.chunks_mut(items));
                for (row, ((values, ranks), order)) in (first..).zip(rows) {
                    if !fill(values, ranks, order, sort) {
                        first_wrong.fetch_min(row, Ordering::Relaxed);
                    }
                }
                Ok(())
            },
        )?;
        let wrong = first_wrong.into_inner();
        if wrong < rows {
            let find = |cancel: &Cancel| diagnose(kind, items, values, wrong, zero_based, cancel);
            return Err(parallel::run_one(silent_ns, watch, find)?);
        }
        Ok(if matches!(kind, InputKind::Orders) { built.inverse() } else { built })
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

    /// Ranking `row`.
    ///
    /// # Panics
    /// Panics when `row` is not below [`Rankings::rows`].
    #[must_use]
    pub fn row(&self, row: usize) -> Row<'_> {
        assert!(row < self.rows, "row {row} of {} rankings", self.rows);
        let at = row * self.items..(row + 1) * self.items;
        Row { ranks: &self.ranks[at.clone()], order: &self.orders[at] }
    }

    /// All rankings, in order.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 1, 2])?;
    /// let best: Vec<u32> = x.iter().map(|ranking| ranking.order()[0]).collect();
    /// assert_eq!(best, [0, 1]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter { rankings: self, left: 0..self.rows }
    }

    /// The rankings of these rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Result<Self, Error> {
        let pick = |from: &[u32]| {
            let mut picked = memory::with_capacity(rows.len() * self.items)?;
            for row in rows {
                picked.extend_from_slice(&from[row * self.items..(row + 1) * self.items]);
            }
            Ok(picked)
        };
        Ok(Self { rows: rows.len(), items: self.items, ranks: pick(&self.ranks)?, orders: pick(&self.orders)? })
    }

    /// These rankings, followed by other rankings of the same items.
    #[cfg(feature = "python")]
    pub(crate) fn joined(&self, other: &Self) -> Result<Self, Error> {
        let both = |one: &[u32], other: &[u32]| memory::collect(one.iter().chain(other).copied());
        let (ranks, orders) = (both(&self.ranks, &other.ranks)?, both(&self.orders, &other.orders)?);
        Ok(Self { rows: self.rows + other.rows, items: self.items, ranks, orders })
    }

    /// A copy.
    #[cfg(feature = "python")]
    pub(crate) fn try_clone(&self) -> Result<Self, Error> {
        let copy = |from: &[u32]| memory::collect(from.iter().copied());
        Ok(Self { rows: self.rows, items: self.items, ranks: copy(&self.ranks)?, orders: copy(&self.orders)? })
    }

    /// The inverse permutation of every row: items and ranks swap roles.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(1, 3, &[3, 1, 2])?;
    /// assert_eq!(x.clone().inverse().row(0).ranks(), [1, 2, 0]);
    /// assert_eq!(x.clone().inverse().inverse(), x);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { ranks: self.orders, orders: self.ranks, ..self }
    }

    /// The composition of every row with the same row of `other`: the rank of item `i` is the rank that `self` gives to
    /// the item with the number `other(i)`. Here `other(i)` is the rank of `i` in `other`, from 0.
    ///
    /// # Errors
    /// Returns an error when the two sets have different numbers of rows or of items, or when there is no memory for
    /// the result.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(1, 3, &[3, 1, 2])?;
    /// let identity = Rankings::from_ranks(1, 3, &[1, 2, 3])?;
    /// assert_eq!(x.compose(&x.clone().inverse())?, identity);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn compose(&self, other: &Self) -> Result<Self, Error> {
        if self.items != other.items {
            return Err(Error::ItemsDiffer { left: self.items, right: other.items });
        }
        if self.rows != other.rows {
            return Err(Error::RowsDiffer { left: self.rows, right: other.rows });
        }
        let chain = |outer: &[u32], inner: &[u32]| {
            let mut chained = memory::with_capacity(outer.len())?;
            for (outer, inner) in rows_of(outer, self.items).zip(rows_of(inner, self.items)) {
                chained.extend(inner.iter().map(|&i| outer[i as usize]));
            }
            Ok(chained)
        };
        Ok(Self {
            rows: self.rows,
            items: self.items,
            ranks: chain(&self.ranks, &other.ranks)?,
            orders: chain(&other.orders, &self.orders)?,
        })
    }

    /// The reversed rankings: the least preferred item becomes the most preferred.
    ///
    /// ```
    /// use wkendall::Rankings;
    /// let x = Rankings::from_ranks(1, 3, &[3, 1, 2])?;
    /// assert_eq!(x.mirrored(), Rankings::from_ranks(1, 3, &[1, 3, 2])?);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn mirrored(mut self) -> Self {
        if let Some(last) = self.items.checked_sub(1) {
            for rank in &mut self.ranks {
                *rank = last as u32 - *rank;
            }
            for order in self.orders.chunks_exact_mut(self.items) {
                order.reverse();
            }
        }
        self
    }
}

/// The rankings of a [`Rankings`], in order.
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    rankings: &'a Rankings,
    left: Range<usize>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = Row<'a>;

    fn next(&mut self) -> Option<Row<'a>> {
        self.left.next().map(|row| self.rankings.row(row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left.next_back().map(|row| self.rankings.row(row))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Rankings {
    type Item = Row<'a>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Writes the ranks of a row, from 0, and the inverse of the row. Returns true if the row is a permutation, and also if
/// the run is stopped.
fn fill_permutation<V: Value>(
    values: &[V],
    zero_based: bool,
    ranks: &mut [u32],
    order: &mut [u32],
    cancel: &Cancel,
) -> bool {
    order.fill(VACANT);
    if values.len() <= STOP_CHECK_INTERVAL {
        return fill_part(values, 0, zero_based, ranks, order);
    }
    let mut parts = (0..)
        .step_by(STOP_CHECK_INTERVAL)
        .zip(values.chunks(STOP_CHECK_INTERVAL).zip(ranks.chunks_mut(STOP_CHECK_INTERVAL)));
    parts.all(|(first, (values, ranks))| cancel.is_cancelled() || fill_part(values, first, zero_based, ranks, order))
}

/// The same as [`fill_permutation`], for the columns from `first` on.
fn fill_part<V: Value>(values: &[V], first: u32, zero_based: bool, ranks: &mut [u32], order: &mut [u32]) -> bool {
    for (column, (value, rank)) in (first..).zip(values.iter().zip(ranks)) {
        match index_of(*value, zero_based, order.len()) {
            Some(index) if order[index] == VACANT => {
                order[index] = column;
                *rank = index as u32;
            }
            _ => return false,
        }
    }
    true
}

/// Writes the ranks of a row of scores, and the inverse of the row; the largest score has rank 0. Returns true if all
/// scores are finite and different, and also if the run is stopped.
fn fill_scores<V: Value>(scores: &[V], ranks: &mut [u32], order: &mut [u32], sort: &mut ItemSort) -> bool {
    if scores.iter().any(|score| !score.is_real()) {
        return false;
    }
    if !sort.fill(scores, ranks, order) {
        return true;
    }
    let score = |column: u32| scores[column as usize];
    for (rank, &column) in (0..).zip(order.iter()) {
        ranks[column as usize] = rank;
    }
    order.windows(2).all(|pair| score(pair[0]).order(score(pair[1])).is_ne())
}

/// The rows of a matrix with `items` columns; none if there are no columns.
fn rows_of<T>(values: &[T], items: usize) -> impl Iterator<Item = &[T]> {
    values.chunks_exact(items.max(1))
}
