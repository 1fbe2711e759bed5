//! Lists out of a large catalogue: only the listed items are stored.

use std::cmp;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::sorting::sort;
use super::tied::{Incomplete, Missing};
use super::value::{VACANT, Value};
use crate::error::{Error, Number};
use crate::memory;
use crate::parallel::{self, Crew, Stop, Watch};

/// The approximate number of entries of a job that reads lists: a few milliseconds.
const JOB: usize = 1 << 16;
/// Time to read one entry, mostly for sorting.
const ENTRY_NS: f64 = 40.0;

/// Ranked lists out of the same catalogue of items. The items that are not in a list come after all its items, tied:
/// one block of ranks at the end.
///
/// A listed item takes 8 bytes, an unlisted one takes none. The last block of a ranking is never stored, so that equal
/// rankings have the same representation, however they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    items: usize,
    /// The start of each list among the entries, and their total number at the end.
    bounds: Vec<usize>,
    /// Item and first rank of its block, from 0: list by list, in order of the items.
    entries: Vec<[u32; 2]>,
}

/// One of the lists: item and first rank of its block, in order of the items.
pub(crate) type List<'a> = &'a [[u32; 2]];

/// Lists as given by the caller: compressed sparse rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a, I, V> {
    /// The start of each list among the entries, and their total number at the end.
    pub(crate) bounds: &'a [I],
    /// The item of each entry.
    pub(crate) listed: &'a [I],
    /// The number of each entry.
    pub(crate) values: &'a [V],
    pub(crate) items: usize,
}

/// The options for reading the numbers of lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListReading {
    /// Whether the largest number is the most preferred.
    pub(crate) descending: bool,
    /// Whether equal numbers are ties and not mistakes.
    pub(crate) ties: bool,
}

impl Lists {
    /// Lists from compressed sparse rows: the entries of list p are those from `bounds[p]` to `bounds[p + 1]`, in any
    /// order. Each entry is one of the `items` items of the catalogue and a number. The smallest number is the most
    /// preferred; equal numbers are ties.
    ///
    /// # Errors
    /// When there are no bounds, they do not increase from 0 to the number of entries, an item is not in the
    /// catalogue or twice in a list, or a number is NaN or infinite.
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
    pub fn from_ranks<I: Value, V: Value>(
        items: usize,
        bounds: &[I],
        listed: &[I],
        values: &[V],
    ) -> Result<Self, Error> {
        let reading = ListReading { descending: false, ties: true };
        Self::build(reading, Parts { bounds, listed, values, items }, None, None)
    }

    /// As [`Lists::from_ranks`], but the largest number is the most preferred.
    ///
    /// # Errors
    /// As [`Lists::from_ranks`].
    pub fn from_scores<I: Value, V: Value>(
        items: usize,
        bounds: &[I],
        listed: &[I],
        values: &[V],
    ) -> Result<Self, Error> {
        let reading = ListReading { descending: true, ties: true };
        Self::build(reading, Parts { bounds, listed, values, items }, None, None)
    }

    pub(crate) fn build<I: Value, V: Value>(
        reading: ListReading,
        parts: Parts<'_, I, V>,
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        let given = parts.check()?;
        let mut bounds = memory::filled(given.len(), 0)?;
        let mut entries = memory::filled(parts.listed.len(), [0; 2])?;
        let longest = given.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(0);
        let threads = parallel::threads_for(ENTRY_NS * entries.len() as f64, threads);
        let first_wrong = AtomicUsize::new(usize::MAX);
        let jobs = jobs(&given, &mut bounds, &mut entries)?;
        parallel::run(
            jobs,
            Crew::new(threads, ENTRY_NS * longest as f64),
            watch,
            |stop| Ok(Reader { stop: stop.clone(), order: Vec::new(), spare: Vec::new() }),
            |job, reader, proceed| {
                let mut rest = job.entries;
                for (row, length) in (job.first..).zip(job.lengths) {
                    let entries;
                    (entries, rest) = rest.split_at_mut(given[row + 1] - given[row]);
                    if !proceed() {
                        break;
                    }
                    match reader.read(reading, parts, given[row], entries)? {
                        Some(kept) => *length = kept,
                        None => _ = first_wrong.fetch_min(row, Ordering::Relaxed),
                    }
                }
                Ok(())
            },
        )?;
        let wrong = first_wrong.into_inner();
        if wrong < given.len() {
            // The list can be valid by now only if another thread has changed the memory.
            return Err(parts.wrong(wrong, given[wrong]..given[wrong + 1], reading)?.unwrap_or(Error::Changed));
        }
        close_gaps(&given, &mut bounds, &mut entries);
        Ok(Self { items: parts.items, bounds, entries })
    }

    /// Rankings with ties as lists: each list has all items except those of its last block.
    ///
    /// # Errors
    /// When there is no memory for them.
    ///
    /// # Panics
    /// If items can be anywhere.
    pub fn from_incomplete(rankings: &Incomplete) -> Result<Self, Error> {
        assert!(!rankings.has_unknown(), "lists know the place of every item");
        let mut bounds = memory::with_capacity(rankings.rows() + 1)?;
        bounds.push(0);
        let mut entries = Vec::new();
        for row in 0..rankings.rows() {
            let starts = rankings.row(row).starts;
            let last = starts.iter().copied().max().unwrap_or(0);
            for (item, &start) in (0..).zip(starts).filter(|&(_, &start)| start < last) {
                memory::push(&mut entries, [item, start])?;
            }
            bounds.push(entries.len());
        }
        Ok(Self { items: rankings.items(), bounds, entries })
    }

    /// The lists as rankings of all items, for computations that need a number for each item anyway.
    ///
    /// # Errors
    /// When there is no memory for them.
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
        Incomplete::from_ranks(self.rows(), self.items, &starts, Missing::Error)
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

    /// The total number of items in all lists, without their last blocks.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// The ranks, from 0, that an item can have in a list.
    ///
    /// # Panics
    /// If there is no such list or item.
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

    /// The start of each list among the entries, and their total number at the end.
    #[cfg(feature = "python")]
    pub(crate) fn bounds(&self) -> &[usize] {
        &self.bounds
    }

    /// The entries of all lists, one after another.
    #[cfg(feature = "python")]
    pub(crate) fn all_entries(&self) -> List<'_> {
        &self.entries
    }

    /// The length of the longest list.
    pub(crate) fn longest(&self) -> usize {
        self.bounds.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(0)
    }

    /// These rows, in this order.
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
        Ok(Self { items: self.items, bounds, entries })
    }
}

/// Lists that are read together.
struct Job<'a> {
    first: usize,
    /// Their lengths, which are filled in.
    lengths: &'a mut [usize],
    entries: &'a mut [[u32; 2]],
}

/// The jobs. `lengths` has one number more than there are lists; the first one is not changed.
fn jobs<'a>(given: &[usize], lengths: &'a mut [usize], entries: &'a mut [[u32; 2]]) -> Result<Vec<Job<'a>>, Error> {
    let rows = given.len() - 1;
    let mut jobs = Vec::new();
    let (mut lengths, mut entries) = (&mut lengths[1..], entries);
    let mut first = 0;
    while first < rows {
        let last = given.partition_point(|&bound| bound <= given[first] + JOB).clamp(first + 2, rows + 1) - 1;
        let (of_job, rest) = std::mem::take(&mut lengths).split_at_mut(last - first);
        let (own, others) = std::mem::take(&mut entries).split_at_mut(given[last] - given[first]);
        memory::push(&mut jobs, Job { first, lengths: of_job, entries: own })?;
        (lengths, entries, first) = (rest, others, last);
    }
    Ok(jobs)
}

/// Turns lengths, each at the position of the end of its list, into bounds, and moves entries up if lists are shorter
/// than given.
fn close_gaps(given: &[usize], bounds: &mut [usize], entries: &mut Vec<[u32; 2]>) {
    let mut end = 0;
    for (row, bound) in bounds[1..].iter_mut().enumerate() {
        let length = *bound;
        if end != given[row] {
            entries.copy_within(given[row]..given[row] + length, end);
        }
        end += length;
        *bound = end;
    }
    entries.truncate(end);
}

/// Memory of one thread that reads lists.
struct Reader {
    stop: Stop,
    order: Vec<u32>,
    spare: Vec<u32>,
}

impl Reader {
    /// Reads a list, whose entries begin at `first`; returns the number of entries that are kept. For a list of all
    /// items, the entries of the last block are dropped. `None` if the list is invalid.
    fn read<I: Value, V: Value>(
        &mut self,
        reading: ListReading,
        parts: Parts<'_, I, V>,
        first: usize,
        entries: &mut [[u32; 2]],
    ) -> Result<Option<usize>, Error> {
        for (place, entry) in entries.iter_mut().enumerate() {
            let item = parts.item(first + place);
            if item.is_none() || !parts.values[first + place].is_real() {
                return Ok(None);
            }
            *entry = [item.unwrap_or(VACANT), place as u32];
        }
        if !entries.is_sorted() {
            entries.sort_unstable();
        }
        if entries.windows(2).any(|two| two[0][0] == two[1][0]) {
            return Ok(None);
        }
        let Self { stop, order, spare } = self;
        order.clear();
        memory::reserve(order, entries.len())?;
        order.extend(0..entries.len() as u32);
        memory::resize(spare, entries.len().max(spare.len()), 0)?;
        let value = |entries: &[[u32; 2]], entry: u32| parts.values[first + entries[entry as usize][1] as usize];
        let compare = |i: u32, j: u32| {
            let (one, other) = (value(entries, i), value(entries, j));
            (if reading.descending { other.order(one) } else { one.order(other) }).then(i.cmp(&j))
        };
        if !sort(order, &mut spare[..entries.len()], stop, compare) {
            return Ok(Some(0));
        }
        let (mut start, mut before) = (0, None::<V>);
        for (rank, &entry) in (0..).zip(&*order) {
            let value = value(entries, entry);
            let tied = before.is_some_and(|before| before.order(value).is_eq());
            if tied && !reading.ties {
                return Ok(None);
            }
            start = if tied { start } else { rank };
            before = Some(value);
            entries[entry as usize][1] = start;
        }
        Ok(Some(if entries.len() == parts.items { leave_out(start, entries) } else { entries.len() }))
    }
}

/// Removes the entries of a block; returns how many are left.
fn leave_out(start: u32, entries: &mut [[u32; 2]]) -> usize {
    let mut kept = 0;
    for place in 0..entries.len() {
        if entries[place][1] != start {
            entries[kept] = entries[place];
            kept += 1;
        }
    }
    kept
}

impl<I: Value, V: Value> Parts<'_, I, V> {
    /// The item of an entry, if it is in the catalogue.
    fn item(&self, entry: usize) -> Option<u32> {
        let item = self.listed[entry].whole().and_then(|item| usize::try_from(item).ok())?;
        (item < self.items).then_some(item as u32)
    }

    /// The bounds as numbers of entries, if they are valid.
    fn check(&self) -> Result<Vec<usize>, Error> {
        let (items, entries) = (self.listed.len(), self.values.len());
        if self.items >= VACANT as usize {
            return Err(Error::TooManyItems { items: self.items });
        }
        if items != entries {
            return Err(Error::EntriesDiffer { items, values: entries });
        }
        let mut bounds = memory::with_capacity(self.bounds.len().max(1))?;
        for (row, bound) in self.bounds.iter().enumerate() {
            let least = bounds.last().copied().unwrap_or(0);
            let whole = bound.whole().and_then(|bound| usize::try_from(bound).ok());
            let fits = |&bound: &usize| bound >= least && bound <= entries && (row > 0 || bound == 0);
            match whole.filter(fits) {
                Some(bound) => bounds.push(bound),
                None => return Err(Error::ListBounds { row, value: bound.number(), entries }),
            }
        }
        match bounds.last() {
            Some(&end) if end == entries => Ok(bounds),
            Some(&end) => {
                let value = Number::Unsigned(end as u64);
                Err(Error::ListBounds { row: self.bounds.len() - 1, value, entries })
            }
            None => Err(Error::NoBounds),
        }
    }

    /// The error in a list.
    #[cold]
    fn wrong(&self, row: usize, range: Range<usize>, reading: ListReading) -> Result<Option<Error>, Error> {
        let mut columns = memory::with_capacity(range.len())?;
        for entry in range {
            let Some(item) = self.item(entry) else {
                let value = self.listed[entry].number();
                return Ok(Some(Error::NotInCatalogue { row, value, items: self.items }));
            };
            let column = item as usize;
            match self.values[entry].number() {
                Number::Real(value) if value.is_nan() => return Ok(Some(Error::NotANumber { row, column })),
                Number::Real(value) if value.is_infinite() => return Ok(Some(Error::Infinite { row, column, value })),
                _ => columns.push((column, entry)),
            }
        }
        columns.sort_unstable();
        if let Some(two) = columns.windows(2).find(|two| two[0].0 == two[1].0) {
            return Ok(Some(Error::ListedTwice { row, column: two[0].0 }));
        }
        if reading.ties {
            return Ok(None);
        }
        sort_by_value(&mut columns, &|one, other| self.values[one].order(self.values[other]));
        let ties = columns.windows(2).filter(|two| self.values[two[0].1].order(self.values[two[1].1]).is_eq());
        Ok(ties.min_by_key(|two| two[1].0).map(|two| {
            let value = self.values[two[1].1].number();
            Error::Tie { row, earlier: two[0].0, column: two[1].0, value }
        }))
    }
}

/// Sorts pairs of a column and an entry by the numbers of the entries; compiled once for all types of numbers.
fn sort_by_value(columns: &mut [(usize, usize)], compare: &dyn Fn(usize, usize) -> cmp::Ordering) {
    columns.sort_by(|one, other| compare(one.1, other.1));
}
