//! An index of lists by item. It finds the most similar lists, and only some of the lists are compared.
//!
//! ```text
//! mod        the index, its growth, and searches for many lists
//! bytes      an index as bytes, to store it
//! sums       queries by a sum over pairs of items
//! overlaps   queries by a measure that is bounded by a sum over the common items
//! query      one list against all of a segment
//! patterns   lists that share one or two items: many have the same value
//! shared     bounds for the lists that share items with a query
//! segment    some lists of an index: what a search needs of them, and which of them are removed
//! postings   the lists that have an item
//! classes    lists that differ only in their items
//! kept       the hits that are kept for one list
//! ```

mod bytes;
mod classes;
mod kept;
mod overlaps;
mod patterns;
mod postings;
mod query;
mod segment;
mod shared;
mod sums;

use std::borrow::Cow;
use std::collections::BinaryHeap;

use super::setting::{ListSetting, mean_of};
use super::weighed::KnownWeight;
use crate::error::Error;
use crate::gram::cost::{INDEX_LIST_NS, STOP_CHECK_INTERVAL_NS};
use crate::gram::element::{Neighbors, Within};
use crate::gram::{Options, diagonal_of};
use crate::measure::{KendallMeasure, Measure, MeasureKind, Part as MeasurePart};
use crate::memory;
use crate::parallel::{self, Cancel, Phases, RunOptions, Watch, Workers};
use crate::rankings::{Lists, Operands};
use kept::{Hit, Kept};
use overlaps::OverlapQuery;
use query::{Compare, Searcher};
use segment::{Part, Segment};
use sums::SumQuery;

/// If more than this fraction (1 / 4) of the lists of a segment are removed, the segment is built again without them.
const MAX_REMOVED: usize = 4;

/// An index of lists by item, for one measure. It finds the most similar lists fast. A search visits only lists that
/// have an item in common with the query, and computes only values that may be good enough.
///
/// The measure is a kernel or distance with a named weight, average overlap, or rank-biased overlap with the value
/// "ext" or "min".
///
/// The results are the same as the results of [`neighbors`](crate::neighbors) and [`within`](crate::within). If lists
/// have more than a tenth of the items, these functions may round differently. They build an index in each call. A
/// `ListIndex` is built once, and lists can be [added](Self::add) and [removed](Self::remove).
///
/// The index needs memory in addition to the lists themselves: 4 to 16 bytes for each list, and 9 bytes for each item
/// of each list. For measures of overlap, it is 5 bytes for each item of each list. A search takes 4 to 12 bytes for
/// each list on each thread. A clone of an index shares the memory of the index.
///
/// ```
/// use wkendall::{ListIndex, Lists, Measure, Options, Weight};
/// // Three lists out of a million items: 7 before 5; 5 before 9; 8 alone.
/// let lists = Lists::from_ranks(1_000_000, &[0, 2, 4, 5], &[7, 5, 5, 9, 8], &[1, 2, 1, 2, 1])?;
/// let kernel = Measure::kernel(&Weight::Standard, 1_000_000)?.signed()?.normalized();
/// let mut index = ListIndex::new(&kernel, &lists, Options::default())?;
/// let query = Lists::from_ranks(1_000_000, &[0, 2], &[9, 5], &[1, 2])?;
/// assert_eq!(index.neighbors(Some(&query), 2, Options::default())?.indices, [1, 0]);
/// index.remove(&[0], Options::default())?;
/// index.add(&query, Options::default())?;
/// assert_eq!(index.neighbors(Some(&query), 2, Options::default())?.indices, [2, 0]);
/// # Ok::<(), wkendall::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ListIndex<'a> {
    measure: IndexMeasure<'a>,
    items: usize,
    /// The parts of the index; there is at least one. When a part is built, the part before it has at least twice as
    /// many lists.
    parts: Vec<Part<'a>>,
}

/// A measure with bounds for lists.
#[derive(Debug, Clone)]
struct IndexMeasure<'a> {
    part: Cow<'a, MeasurePart>,
    /// The means of the weights, if the measure is a sum over pairs of items.
    known: Option<KnownWeight>,
}

impl<'a> IndexMeasure<'a> {
    fn new(part: Cow<'a, MeasurePart>, lists: &Lists, watch: Option<Watch<'_>>) -> Result<Self, Error> {
        let known = match &*part {
            MeasurePart::Kendall(measure) if measure.is_ordered() => {
                return Err(Error::IncompleteOrder { order: measure.order() });
            }
            MeasurePart::Kendall(measure) => {
                Some(KnownWeight::new(mean_of(measure)?.0, lists.items(), lists.longest(), watch)?)
            }
            MeasurePart::Pairwise(measure) if measure.is_bounded() => None,
            MeasurePart::Pairwise(_) => return Err(Error::ListMeasure),
        };
        Ok(Self { part, known })
    }

    /// Computes the means that lists of up to this length need.
    fn grow(&mut self, items: usize, longest: usize, watch: Option<Watch<'_>>) -> Result<(), Error> {
        if let (MeasurePart::Kendall(measure), Some(known)) = (&*self.part, &mut self.known) {
            known.grow(mean_of(measure)?.0, items, longest, watch)?;
        }
        Ok(())
    }

    /// The measure and the known means of its weight, if the measure is a sum over pairs of items.
    fn kendall(&self) -> Option<(&KendallMeasure, &KnownWeight)> {
        match (&*self.part, &self.known) {
            (MeasurePart::Kendall(measure), Some(known)) => Some((measure, known)),
            _ => None,
        }
    }

    /// The lists in the form that the measure takes.
    fn listed<'b>(&self, lists: Cow<'b, Lists>) -> Result<Cow<'b, Lists>, Error> {
        let with_all = self.known.is_none() && lists.has_all().contains(&true);
        Ok(if with_all { Cow::Owned(lists.with_last_blocks()?) } else { lists })
    }

    /// 1 if small values are good, -1 if large values are good.
    fn sign(&self) -> f64 {
        if self.part.is_distance() { 1.0 } else { -1.0 }
    }
}

/// Lists whose neighbours are searched.
struct Queries<'a> {
    lists: &'a Lists,
    /// The numbers of these lists.
    rows: &'a [u32],
    /// The part of the index that has these lists, if there is one. A list is then not its own neighbour.
    own: Option<usize>,
}

impl<'a> ListIndex<'a> {
    /// An index of lists for a measure.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - The numbers of items differ.
    /// - There is no index for the measure.
    /// - `options.threads` or `options.tile` is 0.
    /// - There is no memory.
    /// - `options.watch` stops the run.
    pub fn new(measure: &'a Measure, lists: &'a Lists, options: Options<'_>) -> Result<Self, Error> {
        let MeasureKind::Part(part) = measure.kind() else { return Err(Error::ListMeasure) };
        Self::of(part, lists, options)
    }

    pub(in crate::gram) fn of(part: &'a MeasurePart, lists: &'a Lists, options: Options<'_>) -> Result<Self, Error> {
        options.check()?;
        part.check_items(lists.items())?;
        check_rows(lists.rows())?;
        let mut run = options.run();
        let measure = IndexMeasure::new(Cow::Borrowed(part), lists, parallel::share(&mut run.watch))?;
        let segment = Segment::new(&measure, measure.listed(Cow::Borrowed(lists))?, run)?;
        Ok(Self { measure, items: lists.items(), parts: vec![Part::all(segment)] })
    }

    /// The same index, with its own copy of the lists and the measure.
    #[must_use]
    pub fn into_owned(self) -> ListIndex<'static> {
        let Self { measure: IndexMeasure { part, known }, items, parts } = self;
        let measure = IndexMeasure { part: Cow::Owned(part.into_owned()), known };
        ListIndex { measure, items, parts: parts.into_iter().map(Part::into_owned).collect() }
    }

    /// The number of lists.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.parts.iter().map(Part::rows).sum()
    }

    /// Some lists of the index, by their numbers.
    ///
    /// # Errors
    /// Returns an error when there is no such list, or when there is no memory.
    pub fn select(&self, rows: &[usize]) -> Result<Lists, Error> {
        let mut sets = memory::with_capacity(rows.len())?;
        for &row in rows {
            let part = self.part_of(row)?;
            sets.push((&*part.segment.lists, vec![part.list(row as u32)]));
        }
        Lists::concatenated(self.items, &sets)?.without_last_blocks()
    }

    /// All lists of the index.
    ///
    /// # Errors
    /// Returns an error when there is no memory.
    pub fn to_lists(&self) -> Result<Lists, Error> {
        self.concatenated(&self.parts)?.without_last_blocks()
    }

    fn concatenated(&self, parts: &[Part<'_>]) -> Result<Lists, Error> {
        let mut sets = Vec::new();
        for part in parts {
            sets.push((&*part.segment.lists, part.kept()?));
        }
        Lists::concatenated(self.items, &sets)
    }

    fn part_of(&self, row: usize) -> Result<&Part<'a>, Error> {
        let end = |part: &Part<'_>| part.first as usize + part.rows();
        let found = self.parts.iter().find(|&part| row < end(part));
        found.ok_or(Error::NoRow { number: row, rankings: self.rows() })
    }

    /// Appends lists. To add a few lists takes little time, because they become a separate segment of the index. If a
    /// segment is not much larger than the segments after it, these segments are merged. So each list is moved only a
    /// few times, even if many lists are added.
    ///
    /// # Errors
    /// Returns the same errors as [`ListIndex::new`]. After an error, the index is unchanged.
    pub fn add(&mut self, lists: &Lists, options: Options<'_>) -> Result<(), Error> {
        options.check()?;
        self.measure.part.check_items(lists.items())?;
        check_rows(self.rows().saturating_add(lists.rows()))?;
        let mut run = options.run();
        self.measure.grow(self.items, lists.longest(), parallel::share(&mut run.watch))?;
        let lists = self.measure.listed(Cow::Owned(lists.try_clone()?))?;
        let mut parts = self.parts.clone();
        parts.push(Part::all(Segment::new(&self.measure, lists, run.again())?));
        self.settle(parts, run)
    }

    /// Removes lists, by their numbers. The other lists are then numbered as if the index had been built from them
    /// alone.
    ///
    /// # Errors
    /// Returns the same errors as [`ListIndex::new`], and an error when there is no such list. After an error, the
    /// index is unchanged.
    pub fn remove(&mut self, rows: &[usize], options: Options<'_>) -> Result<(), Error> {
        options.check()?;
        let mut numbers = memory::with_capacity(rows.len())?;
        for &row in rows {
            self.part_of(row)?;
            numbers.push(row as u32);
        }
        numbers.sort_unstable();
        let mut parts = Vec::new();
        let mut rest = &numbers[..];
        for part in &self.parts {
            let end = part.first + part.rows() as u32;
            let (own, later) = rest.split_at(rest.partition_point(|&number| number < end));
            parts.push(part.without(&memory::collect(own.iter().map(|&number| part.list(number)))?)?);
            rest = later;
        }
        self.settle(parts, options.run())
    }

    /// Sets the parts. A part with many removed lists is built again. If a part is not much larger than the next part,
    /// the two are built again as one.
    fn settle(&mut self, parts: Vec<Part<'a>>, mut run: RunOptions<'_>) -> Result<(), Error> {
        let rows = |parts: &[Part<'_>]| parts.iter().map(Part::rows).sum::<usize>();
        let mut merged: Vec<Vec<Part<'a>>> = Vec::new();
        for part in parts.into_iter().filter(|part| part.rows() > 0) {
            let mut last = vec![part];
            while let Some(before) = merged.pop_if(|before| rows(before) < 2 * rows(&last)) {
                last.splice(0..0, before);
            }
            merged.push(last);
        }
        if merged.is_empty() {
            merged.push(Vec::new());
        }
        let (mut settled, mut first) = (Vec::new(), 0);
        for group in merged {
            let part = match &group[..] {
                [part] if part.removed().len() <= part.segment.lists.rows() / MAX_REMOVED => part.clone(),
                group => {
                    let lists = self.concatenated(group)?;
                    Part::all(Segment::new(&self.measure, Cow::Owned(lists), run.again())?)
                }
            };
            let rows = part.rows() as u32;
            settled.push(part.numbered_from(first));
            first += rows;
        }
        self.parts = settled;
        Ok(())
    }

    /// Finds, for each list of `x`, the `count` most similar lists of the index. Without `x`, finds for each list of
    /// the index the `count` most similar other lists.
    ///
    /// # Errors
    /// Returns the same errors as [`neighbors`](crate::neighbors).
    pub fn neighbors(&self, x: Option<&Lists>, count: usize, options: Options<'_>) -> Result<Neighbors, Error> {
        let rankings = self.rows().saturating_sub(usize::from(x.is_none()));
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

    /// Finds, for each list of `x`, all lists of the index whose value is at least `radius`. For a distance, the value
    /// must be at most `radius`. Without `x`, each list of the index is compared with the other lists of the index.
    ///
    /// # Errors
    /// Returns the same errors as [`within`](crate::within).
    pub fn within(&self, x: Option<&Lists>, radius: f64, options: Options<'_>) -> Result<Within, Error> {
        let distance = self.measure.part.is_distance();
        if radius.is_nan() || (distance && radius < 0.0) {
            return Err(Error::Radius { value: radius, distance });
        }
        let limit = self.measure.sign() * radius;
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

    /// The measure of each list of `x` with itself, the same as [`diagonal`](crate::diagonal).
    ///
    /// # Errors
    /// Returns the same errors as [`diagonal`](crate::diagonal).
    pub fn diagonal(&self, x: &Lists, options: Options<'_>) -> Result<Vec<f64>, Error> {
        options.check()?;
        self.measure.part.check_items(x.items())?;
        let Some((measure, known)) = self.measure.kendall() else {
            return diagonal_of(&self.measure.part, Operands::Lists(x, None), options);
        };
        let mut run = options.run();
        ListSetting::with_known(measure, x, x, known, parallel::share(&mut run.watch))?.diagonal(run)
    }

    /// The hits for each list of `x`, or, without `x`, for each list of the index. `kept` creates the store for the
    /// hits of a list.
    fn search(
        &self,
        x: Option<&Lists>,
        kept: impl Fn() -> Kept + Sync,
        options: Options<'_>,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        options.check()?;
        if let Some(x) = x {
            self.measure.part.check_items(x.items())?;
            check_rows(x.rows())?;
            let lists = self.measure.listed(Cow::Borrowed(x))?;
            let rows = memory::collect(0..x.rows() as u32)?;
            return self.search_for(&Queries { lists: &lists, rows: &rows, own: None }, &kept, options.run());
        }
        let mut found = memory::with_capacity(self.rows())?;
        let mut phases = Phases::new(options.watch, self.rows());
        for (place, part) in self.parts.iter().enumerate() {
            let rows = part.kept()?;
            let queries = Queries { lists: &part.segment.lists, rows: &rows, own: Some(place) };
            found.extend(phases.run(rows.len(), |watch| {
                self.search_for(&queries, &kept, RunOptions { threads: options.threads, watch })
            })?);
        }
        Ok(found)
    }

    /// The hits for each of some lists.
    fn search_for(
        &self,
        queries: &Queries<'_>,
        kept: &(impl Fn() -> Kept + Sync),
        mut run: RunOptions<'_>,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let lists = queries.lists;
        let Some((measure, known)) = self.measure.kendall() else {
            let longest = self.parts.iter().map(|part| part.segment.longest).fold(lists.longest(), usize::max);
            let MeasurePart::Pairwise(measure) = &*self.measure.part else { return Err(Error::ListMeasure) };
            return self.run(queries, kept, run, |place, _| {
                let found = OverlapQuery::new(&self.parts[place].segment, measure.get(), lists, longest)?;
                found.ok_or(Error::ListMeasure)
            });
        };
        let mut settings: Vec<ListSetting<'_>> = Vec::new();
        let mut of_rows: Option<Cow<'_, [f64]>> =
            queries.own.and_then(|own| self.parts[own].segment.roots.as_deref().map(Cow::Borrowed));
        for part in &self.parts {
            let segment = &*part.segment;
            let watch = parallel::share(&mut run.watch);
            let mut setting = ListSetting::with_known(measure, lists, &segment.lists, known, watch)?;
            if let Some(roots) = &segment.roots {
                let of_rows = match &of_rows {
                    Some(of_rows) => of_rows.clone(),
                    None => of_rows.insert(setting.roots_of(lists, run.again())?.into()).clone(),
                };
                setting.set_roots(of_rows, Some(Cow::Borrowed(&roots[..])));
            }
            settings.push(setting);
        }
        self.run(queries, kept, run, |place, cancel| {
            SumQuery::new(&self.parts[place].segment, &settings[place], cancel)
        })
    }

    /// Searches on all threads. `compare` prepares a thread for the lists of a part.
    fn run<C: Compare>(
        &self,
        queries: &Queries<'_>,
        kept: &(impl Fn() -> Kept + Sync),
        run: RunOptions<'_>,
        compare: impl Fn(usize, &Cancel) -> Result<C, Error> + Sync,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let rows = queries.rows;
        let mut found = memory::filled(rows.len(), Vec::new())?;
        let query_ns = INDEX_LIST_NS * self.rows() as f64;
        let threads = run.threads_for(query_ns * rows.len() as f64);
        let at_once =
            ((STOP_CHECK_INTERVAL_NS / query_ns.max(1.0)) as usize).clamp(1, rows.len().div_ceil(4 * threads).max(1));
        let jobs = memory::collect(rows.chunks(at_once).zip(found.chunks_mut(at_once)))?;
        let searchers = |cancel: &Cancel| {
            let mut searchers = Vec::new();
            for (place, part) in self.parts.iter().enumerate() {
                let own = queries.own == Some(place);
                searchers.push(Searcher::new(part, compare(place, cancel)?, own, self.measure.sign())?);
            }
            Ok(searchers)
        };
        parallel::run(
            jobs,
            Workers::new(threads, query_ns),
            run.watch,
            searchers,
            |(rows, found): (&[u32], &mut [Vec<Hit>]), searchers, poll| {
                for (&row, hits) in rows.iter().zip(found) {
                    let mut kept = kept();
                    for searcher in &mut *searchers {
                        searcher.search(row as usize, &mut kept, poll)?;
                    }
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

/// Returns an error if there are more lists than numbers of lists.
fn check_rows(rows: usize) -> Result<(), Error> {
    if u32::try_from(rows).is_ok() { Ok(()) } else { Err(Error::TooLarge { rows, columns: rows }) }
}
