//! Lists as given by the caller: compressed sparse rows, checked and sorted.

use std::cmp;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::sorting::sort;
use super::value::{AnyNumbers, VACANT, Value};
use crate::error::{Error, Number};
use crate::memory;
use crate::parallel::{self, Cancel, Watch, Workers};

/// The approximate number of entries of a job that reads lists: a few milliseconds.
const JOB: usize = 1 << 16;
/// Time to read one entry, mostly for sorting.
const ENTRY_NS: f64 = 40.0;

/// Lists as given by the caller: compressed sparse rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a, V> {
    /// The start of each list among the entries, and, at the end, the number of all entries.
    pub(crate) bounds: AnyNumbers<'a>,
    /// The item of each entry.
    pub(crate) listed: AnyNumbers<'a>,
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

/// The bounds (the start of each list among the entries), the entries (each item with the first rank of its block), and
/// for each list whether it has all items.
pub(crate) type ReadLists = (Vec<usize>, Vec<[u32; 2]>, Vec<bool>);

/// Lists that are read together.
struct Job<'a> {
    first: usize,
    /// The lengths of these lists; the job fills them in.
    lengths: &'a mut [usize],
    entries: &'a mut [[u32; 2]],
}

/// Divides the lists into jobs. `lengths` has one number more than there are lists; its first number is not changed.
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

/// Turns the lengths of the lists into bounds: the length of a list stands where the end of the list will stand. If
/// lists have become shorter than given, moves the entries to close the gaps.
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
    cancel: Cancel,
    order: Vec<u32>,
    spare: Vec<u32>,
}

impl Reader {
    /// Reads a list, whose entries begin at `first`; returns the number of entries that are kept. For a list of all
    /// items, the entries of the last block are dropped. `None` if the list is invalid.
    fn read<V: Value>(
        &mut self,
        reading: ListReading,
        parts: Parts<'_, V>,
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
        let given = &parts.values[first..first + entries.len()];
        let before = |one: V, other: V| if reading.descending { other.order(one) } else { one.order(other) };
        if given.windows(2).all(|two| before(two[0], two[1]).is_lt()) {
            // The entries are now sorted, the most preferred first, so their places are ranks.
            let last = entries.len().saturating_sub(1) as u32;
            return Ok(Some(if entries.len() == parts.items { leave_out(last, entries) } else { entries.len() }));
        }
        let Self { cancel, order, spare } = self;
        order.clear();
        memory::reserve(order, entries.len())?;
        order.extend(0..entries.len() as u32);
        memory::resize(spare, entries.len().max(spare.len()), 0)?;
        let value = |entries: &[[u32; 2]], entry: u32| parts.values[first + entries[entry as usize][1] as usize];
        let compare = |i: u32, j: u32| {
            let (one, other) = (value(entries, i), value(entries, j));
            (if reading.descending { other.order(one) } else { one.order(other) }).then(i.cmp(&j))
        };
        if !sort(order, &mut spare[..entries.len()], cancel, compare) {
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

impl<V: Value> Parts<'_, V> {
    /// Reads and checks the lists.
    pub(crate) fn read(
        self,
        reading: ListReading,
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<ReadLists, Error> {
        let given = self.check()?;
        let mut bounds = memory::filled(given.len(), 0)?;
        let mut entries = memory::filled(self.listed.len(), [0; 2])?;
        let longest = given.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(0);
        let threads = parallel::threads_for(ENTRY_NS * entries.len() as f64, threads);
        let first_wrong = AtomicUsize::new(usize::MAX);
        let jobs = jobs(&given, &mut bounds, &mut entries)?;
        parallel::run(
            jobs,
            Workers::new(threads, ENTRY_NS * longest as f64),
            watch,
            |cancel| Ok(Reader { cancel: cancel.clone(), order: Vec::new(), spare: Vec::new() }),
            |job, reader, poll| {
                let mut rest = job.entries;
                for (row, length) in (job.first..).zip(job.lengths) {
                    let entries;
                    (entries, rest) = rest.split_at_mut(given[row + 1] - given[row]);
                    if poll.is_cancelled() {
                        break;
                    }
                    match reader.read(reading, self, given[row], entries)? {
                        Some(kept) => *length = kept,
                        None => _ = first_wrong.fetch_min(row, Ordering::Relaxed),
                    }
                }
                Ok(())
            },
        )?;
        let wrong = first_wrong.into_inner();
        if wrong < given.len() {
            // The list was found invalid before. It can be valid now only if another thread has changed the memory.
            return Err(self.wrong(wrong, given[wrong]..given[wrong + 1], reading)?.unwrap_or(Error::Changed));
        }
        close_gaps(&given, &mut bounds, &mut entries);
        let has_all = memory::collect(given.windows(2).map(|two| two[1] - two[0] == self.items))?;
        Ok((bounds, entries, has_all))
    }

    /// The item of an entry, if it is in the catalogue.
    fn item(&self, entry: usize) -> Option<u32> {
        let item = self.listed.whole(entry).and_then(|item| usize::try_from(item).ok())?;
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
        for row in 0..self.bounds.len() {
            let min = bounds.last().copied().unwrap_or(0);
            let whole = self.bounds.whole(row).and_then(|bound| usize::try_from(bound).ok());
            let fits = |&bound: &usize| bound >= min && bound <= entries && (row > 0 || bound == 0);
            match whole.filter(fits) {
                Some(bound) => bounds.push(bound),
                None => return Err(Error::ListBounds { row, value: self.bounds.number(row), entries }),
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
        let mut listed = memory::with_capacity(range.len())?;
        for entry in range {
            let Some(item) = self.item(entry) else {
                let value = self.listed.number(entry);
                return Ok(Some(Error::NotInCatalogue { row, value, items: self.items }));
            };
            let item = item as usize;
            match self.values[entry].number() {
                Number::Real(value) if !value.is_finite() => {
                    return Ok(Some(Error::ListedNotFinite { row, item, value }));
                }
                _ => listed.push((item, entry)),
            }
        }
        listed.sort_unstable();
        if let Some(two) = listed.windows(2).find(|two| two[0].0 == two[1].0) {
            return Ok(Some(Error::ListedTwice { row, item: two[0].0 }));
        }
        if reading.ties {
            return Ok(None);
        }
        sort_by_value(&mut listed, &|one, other| self.values[one].order(self.values[other]));
        let ties = listed.windows(2).filter(|two| self.values[two[0].1].order(self.values[two[1].1]).is_eq());
        Ok(ties.min_by_key(|two| two[1].0).map(|two| {
            let value = self.values[two[1].1].number();
            Error::ListedTie { row, earlier: two[0].0, item: two[1].0, value }
        }))
    }
}

/// Sorts pairs of an item and an entry by the numbers of the entries. This function is compiled once for all types of
/// numbers.
fn sort_by_value(listed: &mut [(usize, usize)], compare: &dyn Fn(usize, usize) -> cmp::Ordering) {
    listed.sort_by(|one, other| compare(one.1, other.1));
}
