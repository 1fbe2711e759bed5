//! An index of lists by item, to find the most similar lists without comparing all.
//!
//! ```text
//! mod        the index, and searches for many lists
//! query      one list against all
//! shared     bounds for the lists that share items with a query
//! patterns   lists that share one or two items: many have the same value
//! parts      an index as plain arrays, to store it
//! postings   the lists that have an item
//! classes    lists that differ only in their items
//! kept       the hits that are kept for one list
//! ```

mod classes;
mod kept;
#[cfg(feature = "python")]
mod parts;
mod patterns;
mod postings;
mod query;
mod shared;

use std::borrow::Cow;
use std::collections::BinaryHeap;

use super::setting::{ListSetting, mean_of};
use super::weighed::KnownWeight;
use crate::error::Error;
use crate::gram::Options;
use crate::gram::cost::{self, FIND_NS, INDEX_ENTRY_NS, INDEX_LIST_NS, STOP_CHECK_INTERVAL_NS};
use crate::gram::element::{Neighbors, Within};
use crate::measure::{KendallMeasure, Measure};
use crate::memory;
use crate::pair::lists::bounds::BoundBy;
use crate::parallel::{self, Cancel, RunOptions, Workers};
use crate::rankings::Lists;
use classes::Classes;
use kept::{Hit, Kept};
#[cfg(feature = "python")]
pub(crate) use parts::IndexParts;
pub(crate) use postings::Postings;
use query::Searcher;

/// An index of lists by item, for one measure. A search visits only lists that share an item, and computes only values
/// that may be good enough. Results are those of [`neighbors`](crate::neighbors) and [`within`](crate::within), which
/// build an index in each call; this one is built once. For lists of more than a tenth of the items these functions may
/// round differently.
///
/// It takes 9 bytes for each item of each list, and 4 to 16 for each list, in addition to the lists themselves. A
/// search takes 4 to 12 bytes for each list on each thread.
///
/// ```
/// use wkendall::{ListIndex, Lists, Measure, Options, Weight};
/// // Three lists out of a million items: 7 before 5; 5 before 9; 8 alone.
/// let lists = Lists::from_ranks(1_000_000, &[0, 2, 4, 5], &[7, 5, 5, 9, 8], &[1, 2, 1, 2, 1])?;
/// let kernel = Measure::kernel(&Weight::Standard, 1_000_000)?.signed()?.normalized();
/// let index = ListIndex::new(&kernel, &lists, Options::default())?;
/// let query = Lists::from_ranks(1_000_000, &[0, 2], &[9, 5], &[1, 2])?;
/// assert_eq!(index.neighbors(Some(&query), 2, Options::default())?.indices, [1, 0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ListIndex<'a> {
    measure: Cow<'a, KendallMeasure>,
    lists: Cow<'a, Lists>,
    /// The divisors of values, if there are any.
    roots: Option<Vec<f64>>,
    /// How bounds are made.
    by: BoundBy,
    known: KnownWeight,
    postings: Postings,
    classes: Classes,
}

impl<'a> ListIndex<'a> {
    /// An index of lists for a measure.
    ///
    /// # Errors
    /// When the numbers of items differ, the measure is not available for lists, `options.threads` or `options.tile` is
    /// 0, there is no memory, or `options.watch` stops the run.
    pub fn new(measure: &'a Measure, lists: &'a Lists, options: Options<'_>) -> Result<Self, Error> {
        Self::of(measure.kendall().ok_or(Error::ListMeasure)?, lists, options)
    }

    pub(in crate::gram) fn of(
        measure: &'a KendallMeasure,
        lists: &'a Lists,
        options: Options<'_>,
    ) -> Result<Self, Error> {
        Self::build(Cow::Borrowed(measure), Cow::Borrowed(lists), options)
    }

    fn build(measure: Cow<'a, KendallMeasure>, lists: Cow<'a, Lists>, options: Options<'_>) -> Result<Self, Error> {
        options.check()?;
        measure.check_items(lists.items())?;
        if measure.is_ordered() {
            return Err(Error::IncompleteOrder { order: measure.order() });
        }
        let (weight, _) = mean_of(&measure)?;
        if u32::try_from(lists.rows()).is_err() {
            return Err(Error::TooLarge { rows: lists.rows(), columns: lists.rows() });
        }
        let mut run = options.run();
        let known = KnownWeight::new(weight, lists.items(), lists.longest(), parallel::share(&mut run.watch))?;
        let setting = ListSetting::with_known(&measure, &lists, &lists, &known, parallel::share(&mut run.watch))?;
        let needed = setting.needs_roots();
        let roots = if needed { Some(setting.roots_of(&lists, run.again())?) } else { None };
        let by = bound_by(&setting, &lists);
        let norms = find_norms(&setting, by, run.again())?;
        drop(setting);
        let sorting = INDEX_ENTRY_NS * norms.len() as f64;
        let postings = parallel::run_one(sorting, parallel::share(&mut run.watch), |cancel| {
            Postings::new(&lists, &norms, cancel)
        })?;
        drop(norms);
        let sorting = FIND_NS * 2.0 * lists.entries() as f64;
        let classes = parallel::run_one(sorting, run.watch, |cancel| Classes::new(&lists, roots.as_deref(), cancel))?;
        Ok(Self { measure, lists, roots, by, known, postings, classes })
    }

    /// The same index, with its own copy of the lists and the measure.
    #[must_use]
    pub fn into_owned(self) -> ListIndex<'static> {
        let Self { measure, lists, roots, by, known, postings, classes } = self;
        let (measure, lists) = (Cow::Owned(measure.into_owned()), Cow::Owned(lists.into_owned()));
        ListIndex { measure, lists, roots, by, known, postings, classes }
    }

    /// The lists of the index.
    #[must_use]
    pub fn lists(&self) -> &Lists {
        &self.lists
    }

    /// For each list of `x` the `count` most similar lists of the index; without `x`, for each list of the index the
    /// most similar others.
    ///
    /// # Errors
    /// As [`neighbors`](crate::neighbors).
    pub fn neighbors(&self, x: Option<&Lists>, count: usize, options: Options<'_>) -> Result<Neighbors, Error> {
        let rankings = self.lists.rows() - usize::from(x.is_none() && self.lists.rows() > 0);
        if count == 0 || count > rankings {
            return Err(Error::NeighborCount { count, rankings, others: x.is_none() });
        }
        let found = self.search(x, || Kept::Best { count, heap: BinaryHeap::new() }, options)?;
        let mut neighbors =
            Neighbors { count, indices: memory::with_capacity(found.len() * count)?, values: Vec::new() };
        memory::reserve(&mut neighbors.values, found.len() * count)?;
        for hit in found.iter().flatten() {
            neighbors.indices.push(hit.index as usize);
            neighbors.values.push(hit.value);
        }
        Ok(neighbors)
    }

    /// For each list of `x`, or of the index, all lists of the index, or all others, whose value is at least `radius`;
    /// for [`Measure::distance`] at most `radius`.
    ///
    /// # Errors
    /// As [`within`](crate::within).
    pub fn within(&self, x: Option<&Lists>, radius: f64, options: Options<'_>) -> Result<Within, Error> {
        if radius.is_nan() || (self.measure.is_distance() && radius < 0.0) {
            return Err(Error::Radius { value: radius, distance: self.measure.is_distance() });
        }
        let limit = self.sign() * radius;
        let found = self.search(x, || Kept::Close { limit, hits: Vec::new() }, options)?;
        let entries = found.iter().map(Vec::len).sum();
        let mut within = Within {
            starts: memory::with_capacity(found.len() + 1)?,
            indices: memory::with_capacity(entries)?,
            values: memory::with_capacity(entries)?,
        };
        within.starts.push(0);
        for hits in &found {
            within.indices.extend(hits.iter().map(|hit| hit.index as usize));
            within.values.extend(hits.iter().map(|hit| hit.value));
            within.starts.push(within.indices.len());
        }
        Ok(within)
    }

    /// The measure of each of some lists and itself, as [`diagonal`](crate::diagonal).
    ///
    /// # Errors
    /// As [`diagonal`](crate::diagonal).
    pub fn diagonal(&self, x: &Lists, options: Options<'_>) -> Result<Vec<f64>, Error> {
        options.check()?;
        self.measure.check_items(x.items())?;
        let mut run = options.run();
        let setting = ListSetting::with_known(&self.measure, x, x, &self.known, parallel::share(&mut run.watch))?;
        setting.diagonal(run)
    }

    fn sign(&self) -> f64 {
        if self.measure.is_distance() { 1.0 } else { -1.0 }
    }

    /// The hits for each list of `x`, or for each list of the index; `kept` creates the store for the hits of a list.
    fn search(
        &self,
        x: Option<&Lists>,
        kept: impl Fn() -> Kept + Sync,
        options: Options<'_>,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        options.check()?;
        let rows = x.unwrap_or(&self.lists);
        self.measure.check_items(rows.items())?;
        let mut run = options.run();
        let mut setting =
            ListSetting::with_known(&self.measure, rows, &self.lists, &self.known, parallel::share(&mut run.watch))?;
        if let Some(roots) = &self.roots {
            let of_rows = match x {
                None => Cow::Borrowed(&roots[..]),
                Some(x) => Cow::Owned(setting.roots_of(x, run.again())?),
            };
            setting.set_roots(of_rows, Some(Cow::Borrowed(roots)));
        }
        let mut found = memory::filled(rows.rows(), Vec::new())?;
        let query_ns = INDEX_LIST_NS * self.lists.rows() as f64;
        let threads = run.threads_for(query_ns * rows.rows() as f64);
        let at_once =
            ((STOP_CHECK_INTERVAL_NS / query_ns.max(1.0)) as usize).clamp(1, rows.rows().div_ceil(4 * threads).max(1));
        let jobs = memory::collect(found.chunks_mut(at_once).enumerate())?;
        parallel::run(
            jobs,
            Workers::new(threads, query_ns),
            run.watch,
            |cancel| Searcher::new(self, &setting, x.is_none(), self.sign(), cancel),
            |(job, found): (usize, &mut [Vec<Hit>]), searcher, poll| {
                for (row, hits) in (job * at_once..).zip(found) {
                    let mut kept = kept();
                    searcher.search(row, &mut kept, poll)?;
                    *hits = kept.take();
                    if poll.is_cancelled() {
                        break;
                    }
                }
                Ok(())
            },
        )?;
        Ok(found)
    }
}

/// How bounds are made for these lists.
fn bound_by(setting: &ListSetting<'_>, lists: &Lists) -> BoundBy {
    setting.sums().bounded_by(lists.entries().div_ceil(lists.rows().max(1)))
}

/// The norms of all entries of the lists, list by list.
fn find_norms(setting: &ListSetting<'_>, by: BoundBy, run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
    let lists = setting.y;
    let mut norms = memory::filled(lists.entries(), 0.0)?;
    let list_ns = cost::lists_norms_ns(lists.entries().div_ceil(lists.rows().max(1)));
    let at_once = ((STOP_CHECK_INTERVAL_NS / list_ns) as usize).max(1);
    let mut jobs = Vec::new();
    let mut rest = &mut norms[..];
    for first in (0..lists.rows()).step_by(at_once) {
        let end = lists.rows().min(first + at_once);
        let length = (first..end).map(|list| lists.row(list).len()).sum();
        let (own, others) = std::mem::take(&mut rest).split_at_mut(length);
        memory::push(&mut jobs, (first..end, own))?;
        rest = others;
    }
    let threads = run.threads_for(list_ns * lists.rows() as f64);
    parallel::run(
        jobs,
        Workers::new(threads, cost::lists_norms_ns(lists.longest())),
        run.watch,
        |_: &Cancel| Ok(Vec::new()),
        |(rows, mut out), of_block, poll| {
            for row in rows {
                let list = lists.row(row);
                setting.sums().find_norms(by, &setting.listed(list)?, of_block)?;
                let own;
                (own, out) = std::mem::take(&mut out).split_at_mut(list.len());
                for (norm, &[_, start]) in own.iter_mut().zip(list) {
                    *norm = of_block[start as usize];
                }
                if poll.is_cancelled() {
                    break;
                }
            }
            Ok(())
        },
    )?;
    Ok(norms)
}
