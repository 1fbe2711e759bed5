//! Repeated rankings. The result of one ranking is also the result of all equal rankings. In a result, a column stands
//! for all columns with an equal ranking.

use std::ops::{ControlFlow, Range};

use super::kept::{self, Candidate};
use super::{FoundRows, Neighbors, Within};
use crate::error::Error;
use crate::gram::distinct::Deduplicated;
use crate::memory;
use crate::parallel::{self, Progress, RunOptions, Workers};
use crate::rankings::RankingSet;

/// The number of entries that a job writes.
const JOB: usize = 1 << 16;
/// Approximate time per entry.
const ENTRY_NS: f64 = 10.0;

/// The classes of equal rankings.
pub(super) struct EqualRankings {
    /// For each row, the index of its distinct ranking; `None` if all rankings are distinct.
    of_rows: Option<Vec<u32>>,
    members: Option<Members>,
    rows: usize,
    /// Whether the columns are the rows, and a ranking is not its own neighbour.
    others: bool,
    /// The factor (1 or -1) that turns values into keys.
    sign: f64,
}

/// The columns of each class.
struct Members {
    starts: Vec<usize>,
    columns: Vec<u32>,
}

impl Members {
    fn new(classes: &[u32], count: usize) -> Result<Self, Error> {
        let mut starts = memory::filled(count + 1, 0)?;
        for &class in classes {
            starts[class as usize + 1] += 1;
        }
        for class in 0..count {
            starts[class + 1] += starts[class];
        }
        let mut next = memory::collect(starts[..count].iter().copied())?;
        let mut columns = memory::filled(classes.len(), 0)?;
        for (column, &class) in (0..).zip(classes) {
            columns[next[class as usize]] = column;
            next[class as usize] += 1;
        }
        Ok(Self { starts, columns })
    }

    /// The columns of a class, in increasing order.
    fn of(&self, class: usize) -> &[u32] {
        &self.columns[self.starts[class]..self.starts[class + 1]]
    }

    /// Replaces classes by their members, the best class first, until there are `kept` members.
    fn expand(&self, kept: usize, classes: &[Candidate], best: &mut Vec<Candidate>) -> Result<(), Error> {
        best.clear();
        for alike in classes.chunk_by(|a, b| a.key == b.key) {
            let missing = kept.saturating_sub(best.len());
            if missing == 0 {
                break;
            }
            let start = best.len();
            for &Candidate { key, index } in alike {
                for &column in self.of(index).iter().take(missing) {
                    memory::push(best, Candidate { key, index: column as usize })?;
                }
            }
            kept::sort(&mut best[start..]);
        }
        best.truncate(kept);
        Ok(())
    }

    /// Replaces classes by all their members, in increasing order.
    fn expand_all(&self, classes: &[Candidate], all: &mut Vec<Candidate>) -> Result<(), Error> {
        all.clear();
        for &Candidate { key, index } in classes {
            for &column in self.of(index) {
                memory::push(all, Candidate { key, index: column as usize })?;
            }
        }
        all.sort_unstable_by_key(|candidate| candidate.index);
        Ok(())
    }
}

/// Memory for one thread.
#[derive(Default)]
struct RepeatedScratch {
    classes: Vec<Candidate>,
    all: Vec<Candidate>,
}

impl EqualRankings {
    pub(super) fn new<R: RankingSet>(
        deduplicated: Option<&Deduplicated<R>>,
        x: &R,
        others: bool,
        sign: f64,
    ) -> Result<Self, Error> {
        let (of_rows, members) = match deduplicated {
            None => (None, None),
            Some(deduplicated) => {
                let (of_rows, of_columns) = deduplicated.classes();
                let members = Members::new(of_columns, deduplicated.shape().1)?;
                (Some(memory::collect(of_rows.iter().copied())?), Some(members))
            }
        };
        Ok(Self { of_rows, members, rows: x.rows(), others, sign })
    }

    /// The results for a row. If a ranking is not its own neighbour, the row itself is left out.
    fn row<'s>(
        &self,
        row: usize,
        kept: Option<usize>,
        found: &FoundRows,
        RepeatedScratch { classes, all }: &'s mut RepeatedScratch,
    ) -> Result<impl Iterator<Item = Candidate> + use<'s>, Error> {
        let class = self.of_rows.as_ref().map_or(row, |classes| classes[row] as usize);
        found.row(class, self.sign, classes)?;
        let found = match (&self.members, kept) {
            (None, _) => &*classes,
            (Some(members), Some(kept)) => {
                members.expand(kept, classes, all)?;
                &*all
            }
            (Some(members), None) => {
                members.expand_all(classes, all)?;
                &*all
            }
        };
        let itself = if self.others { row } else { usize::MAX };
        Ok(found.iter().copied().filter(move |candidate| candidate.index != itself))
    }

    /// The result with `count` neighbours for each row. The search has kept `kept` entries.
    pub(super) fn neighbors(
        &self,
        count: usize,
        kept: usize,
        found: &FoundRows,
        mut run: RunOptions<'_>,
    ) -> Result<Neighbors, Error> {
        let (rows, columns) = (self.rows, count);
        let entries = rows.checked_mul(count).ok_or(Error::TooLarge { rows, columns })?;
        let mut indices = memory::filled(entries, 0)?;
        let mut values = memory::filled(entries, 0.0)?;
        let at_once = (JOB / count).max(1);
        let chunks = indices.chunks_mut(at_once * count).zip(values.chunks_mut(at_once * count));
        let jobs = memory::collect((0..).step_by(at_once).zip(chunks))?;
        write(&mut run, jobs, entries, |(start, (indices, values)): (usize, (&mut [usize], &mut [f64])), scratch| {
            let rows = indices.chunks_exact_mut(count).zip(values.chunks_exact_mut(count));
            for (row, (indices, values)) in (start..).zip(rows) {
                let candidates = self.row(row, Some(kept), found, scratch)?;
                for (candidate, (index, value)) in candidates.zip(indices.iter_mut().zip(values)) {
                    (*index, *value) = (candidate.index, candidate.key * self.sign);
                }
            }
            Ok(())
        })?;
        Ok(Neighbors { count, indices, values })
    }

    /// The result with all neighbours of each row.
    pub(super) fn within(&self, found: &FoundRows, mut run: RunOptions<'_>) -> Result<Within, Error> {
        let mut starts = memory::filled(self.rows + 1, 0)?;
        let at_once = JOB / 16;
        let jobs = memory::collect((0..).step_by(at_once).zip(starts[1..].chunks_mut(at_once)))?;
        write(&mut run, jobs, self.rows * 16, |(start, counts): (usize, &mut [usize]), scratch| {
            for (row, count) in (start..).zip(counts) {
                *count = self.row(row, None, found, scratch)?.count();
            }
            Ok(())
        })?;
        for row in 0..self.rows {
            starts[row + 1] += starts[row];
        }
        let entries = starts[self.rows];
        let mut indices = memory::filled(entries, 0)?;
        let mut values = memory::filled(entries, 0.0)?;
        let mut jobs = memory::with_capacity(self.rows.div_ceil(at_once))?;
        let (mut indices_left, mut values_left) = (&mut indices[..], &mut values[..]);
        for start in (0..self.rows).step_by(at_once) {
            let end = self.rows.min(start + at_once);
            let (indices, rest) = indices_left.split_at_mut(starts[end] - starts[start]);
            let (values, rest_of_values) = values_left.split_at_mut(starts[end] - starts[start]);
            jobs.push((start..end, indices, values));
            (indices_left, values_left) = (rest, rest_of_values);
        }
        write(
            &mut run,
            jobs,
            entries,
            |(rows, indices, values): (Range<usize>, &mut [usize], &mut [f64]), scratch| {
                let mut places = indices.iter_mut().zip(values);
                for row in rows {
                    for candidate in self.row(row, None, found, scratch)? {
                        let Some((index, value)) = places.next() else { break };
                        (*index, *value) = (candidate.index, candidate.key * self.sign);
                    }
                }
                Ok(())
            },
        )?;
        Ok(Within { starts, indices, values })
    }
}

/// Runs jobs that write this many entries.
fn write<J: Send>(
    run: &mut RunOptions<'_>,
    jobs: Vec<J>,
    entries: usize,
    work: impl Fn(J, &mut RepeatedScratch) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let workers = Workers::new(run.threads_for(entries as f64 * ENTRY_NS), 0.0);
    let mut ignore = |_| ControlFlow::Continue(());
    let watch = parallel::share(&mut run.watch).unwrap_or(&mut ignore);
    // All values have been computed.
    let mut ended = |_| watch(Progress { done: 1, total: 1 });
    parallel::run(
        jobs,
        workers,
        Some(&mut ended),
        |_| Ok(RepeatedScratch::default()),
        |job, scratch, _| work(job, scratch),
    )
}
