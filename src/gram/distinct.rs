//! Repeated rankings: the matrix of the distinct rankings is computed, and its values are copied to the matrix of all
//! rankings.
//!
//! Surveys often have repeated rankings. For example, if 12,216 people rank six items, there are at most 720 distinct
//! rankings. These have 260 thousand pairs, while all rankings have 75 million pairs.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::plan::cost::{FIND_NS, WORTH_SEARCHING};
use super::{Element, Options};
use crate::error::Error;
use crate::memory;
use crate::parallel::{self, Cancel, Progress, Watch, Workers};
use crate::rankings::RankingSet;

/// The number of values that a job copies. This takes a few milliseconds.
const JOB: usize = 1 << 20;

/// The distinct rows of a set of rankings.
struct Distinct {
    /// The first row of each class of equal rows.
    firsts: Vec<usize>,
    /// The class of each row.
    class: Vec<u32>,
}

impl Distinct {
    /// The distinct rows, if at most half of the rows are distinct.
    fn find<R: RankingSet>(set: &R, cancel: &Cancel) -> Result<Option<Self>, Error> {
        let rows = set.rows();
        // If the first sixteenth of the rows has no repeated row, there are too many distinct rows, and the search does
        // not pay off.
        let few = (rows / 16).max(WORTH_SEARCHING).min(rows);
        if rows < WORTH_SEARCHING || Self::among(few, set, cancel)?.firsts.len() == few {
            return Ok(None);
        }
        let found = Self::among(rows, set, cancel)?;
        Ok((found.firsts.len() * 2 <= rows).then_some(found))
    }

    /// All rows, each as its own class.
    fn all(rows: usize) -> Result<Self, Error> {
        Ok(Self { firsts: memory::collect(0..rows)?, class: memory::collect(0..rows as u32)? })
    }

    /// The distinct rows among the first rows.
    fn among<R: RankingSet>(rows: usize, set: &R, cancel: &Cancel) -> Result<Self, Error> {
        let mut known = HashMap::new();
        let mut firsts = Vec::new();
        let mut class = memory::with_capacity(rows)?;
        for number in 0..rows {
            if cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            let bytes = known.capacity() * 2 * size_of::<(&[u32], u32)>();
            known.try_reserve(1).map_err(|_| Error::OutOfMemory { bytes })?;
            let next = firsts.len() as u32;
            let of_row = *known.entry(set.key(number)).or_insert(next);
            if of_row == next {
                memory::push(&mut firsts, number)?;
            }
            class.push(of_row);
        }
        Ok(Self { firsts, class })
    }
}

/// The number of rankings for which a single call computes values. It is the number of distinct rankings if it pays off
/// to find them.
pub(super) fn computed<R: RankingSet>(set: &R, watch: Option<Watch<'_>>) -> Result<usize, Error> {
    let ns = FIND_NS * set.numbers() as f64;
    let found = parallel::run_one(ns, watch, |cancel| Distinct::find(set, cancel))?;
    Ok(found.map_or(set.rows(), |found| found.firsts.len()))
}

/// The distinct rankings of the rows and columns of a result.
pub(super) struct Deduplicated<R> {
    of_rows: Distinct,
    of_columns: Option<Distinct>,
    x: R,
    y: Option<R>,
}

impl<R: RankingSet> Deduplicated<R> {
    /// The distinct rankings, if they are few and there is memory for them.
    pub(super) fn find(x: &R, y: Option<&R>, watch: Option<Watch<'_>>) -> Result<Option<Self>, Error> {
        let ns = FIND_NS * (x.numbers() as f64 + y.map_or(0, R::numbers) as f64);
        match parallel::run_one(ns, watch, |cancel| Self::search(x, y, cancel)) {
            Err(Error::OutOfMemory { .. }) => Ok(None),
            found => found,
        }
    }

    fn search(x: &R, y: Option<&R>, cancel: &Cancel) -> Result<Option<Self>, Error> {
        let (of_rows, of_columns) =
            match (Distinct::find(x, cancel)?, y.map(|y| Distinct::find(y, cancel)).transpose()?) {
                (None, None | Some(None)) => return Ok(None),
                found => found,
            };
        let or_all = |found: Option<Distinct>, set: &R| found.map_or_else(|| Distinct::all(set.rows()), Ok);
        let of_rows = or_all(of_rows, x)?;
        let of_columns = y.map(|y| or_all(of_columns.flatten(), y)).transpose()?;
        let few_x = x.select(&of_rows.firsts)?;
        let few_y = y.zip(of_columns.as_ref()).map(|(y, found)| y.select(&found.firsts)).transpose()?;
        Ok(Some(Self { of_rows, of_columns, x: few_x, y: few_y }))
    }

    /// The numbers of distinct rankings of the rows and of the columns.
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.x.rows(), self.y.as_ref().unwrap_or(&self.x).rows())
    }

    /// The distinct rankings of the rows and, if they differ, of the columns.
    pub(super) fn sets(&self) -> (&R, Option<&R>) {
        (&self.x, self.y.as_ref())
    }

    /// The index of the distinct ranking of each row, and of each column.
    pub(super) fn classes(&self) -> (&[u32], &[u32]) {
        (&self.of_rows.class, &self.of_columns.as_ref().unwrap_or(&self.of_rows).class)
    }

    /// Memory for the matrix of the distinct rankings; `None` if there is not enough.
    pub(super) fn matrix<T: Element>(&self) -> Option<Vec<T>> {
        let (rows, columns) = self.shape();
        memory::filled(rows.checked_mul(columns)?, T::default()).ok()
    }

    /// Fills `out`. First `compute` fills `values`, the matrix of the distinct rankings; then its values are copied to
    /// `out`.
    pub(super) fn fill<T: Element>(
        &self,
        values: &mut [T],
        out: &mut [T],
        options: Options<'_>,
        compute: impl FnOnce(&R, Option<&R>, &mut [T], Options<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Options { threads, tile, backend, watch } = options;
        let mut ignore = |_| ControlFlow::Continue(());
        let watch = watch.unwrap_or(&mut ignore);
        // Most of the time is spent on copying.
        let mut first = |_| watch(Progress { done: 0, total: 1 });
        compute(&self.x, self.y.as_ref(), values, Options { threads, tile, backend, watch: Some(&mut first) })?;
        spread(values, &self.of_rows, self.of_columns.as_ref().unwrap_or(&self.of_rows), out, threads, Some(watch))
    }
}

/// Fills `out`, the matrix of all rows, from `values`, the matrix of the distinct rows.
fn spread<T: Element>(
    values: &[T],
    rows: &Distinct,
    columns: &Distinct,
    out: &mut [T],
    threads: Option<usize>,
    watch: Option<Watch<'_>>,
) -> Result<(), Error> {
    let width = columns.firsts.len();
    let at_once = (JOB / columns.class.len().max(1)).max(1);
    let chunks = out.chunks_mut((at_once * columns.class.len()).max(1));
    let jobs = memory::collect(rows.class.chunks(at_once).zip(chunks))?;
    let threads = parallel::threads_for(rows.class.len() as f64 * columns.class.len() as f64, threads);
    parallel::run(
        jobs,
        Workers::new(threads, 0.0),
        watch,
        |_| Ok(()),
        |(classes, out): (&[u32], &mut [T]), (), _| {
            for (&class, out) in classes.iter().zip(out.chunks_mut(columns.class.len().max(1))) {
                let values = &values[class as usize * width..][..width];
                for (cell, &class) in out.iter_mut().zip(&columns.class) {
                    *cell = values[class as usize];
                }
            }
            Ok(())
        },
    )
}
