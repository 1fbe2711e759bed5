//! Self-similarities of rankings with ties and of lists: their computation, and the division of values by them.

use std::borrow::Cow;

use crate::error::Error;
use crate::gram::cost::STOP_CHECK_INTERVAL_NS;
use crate::memory;
use crate::parallel::{self, Cancel, RunOptions, Workers};

/// The number of rankings that a job compares with themselves, if one takes `ns` nanoseconds.
pub(super) fn rows_a_job(ns: f64) -> usize {
    ((STOP_CHECK_INTERVAL_NS / ns.max(1.0)) as usize).max(1)
}

/// The time to compare a ranking with itself, in nanoseconds.
pub(super) struct OwnCost {
    pub(super) usual: f64,
    pub(super) longest: f64,
}

/// The result of `value` for each ranking, on several threads.
pub(super) fn each_ranking<S>(
    rankings: usize,
    cost: &OwnCost,
    run: RunOptions<'_>,
    scratch: impl Fn(&Cancel) -> Result<S, Error> + Sync,
    value: impl Fn(usize, &mut S) -> Result<f64, Error> + Sync,
) -> Result<Vec<f64>, Error> {
    let mut values = memory::filled(rankings, 0.0)?;
    let rows = rows_a_job(cost.usual);
    let threads = run.threads_for(cost.usual * rankings as f64);
    let jobs = memory::collect(values.chunks_mut(rows).enumerate())?;
    parallel::run(
        jobs,
        Workers::new(threads, cost.longest),
        run.watch,
        scratch,
        |(index, values): (usize, &mut [f64]), scratch, poll| {
            for (row, cell) in (index * rows..).zip(values) {
                if poll.is_cancelled() {
                    break;
                }
                *cell = value(row, scratch)?;
            }
            Ok(())
        },
    )?;
    Ok(values)
}

/// The square root of the self-similarity of each row and of each column. For the Mallows kernel, the term that each
/// ranking adds to the exponent.
pub(super) struct Roots<'a> {
    of_rows: Cow<'a, [f64]>,
    /// `None` where the columns are the rows.
    of_columns: Option<Cow<'a, [f64]>>,
}

impl<'a> Roots<'a> {
    /// From the roots themselves.
    pub(super) fn new(of_rows: Cow<'a, [f64]>, of_columns: Option<Cow<'a, [f64]>>) -> Self {
        Self { of_rows, of_columns }
    }

    /// For two sets, by a function that computes the roots of one set.
    pub(super) fn find<S>(x: &S, y: &S, mut of_set: impl FnMut(&S) -> Result<Vec<f64>, Error>) -> Result<Self, Error> {
        let of_rows = of_set(x)?.into();
        let of_columns = if std::ptr::eq(x, y) { None } else { Some(of_set(y)?.into()) };
        Ok(Self { of_rows, of_columns })
    }

    /// The roots of all rows and of all columns.
    pub(super) fn all(&self) -> (&[f64], &[f64]) {
        (&self.of_rows, self.of_columns.as_ref().unwrap_or(&self.of_rows))
    }

    /// The sum of the root of a row and the root of a column.
    pub(super) fn sum(&self, row: usize, column: usize) -> f64 {
        let (of_rows, of_columns) = self.all();
        of_rows[row] + of_columns[column]
    }

    /// A value divided by both roots, if it is normalized; 0 if it may be a rounding error. `same` says whether the
    /// rankings are equal.
    pub(super) fn finish(
        &self,
        value: f64,
        (row, column): (usize, usize),
        normalized: bool,
        same: impl FnOnce() -> bool,
    ) -> f64 {
        let (of_rows, of_columns) = self.all();
        let (of_row, of_column) = (of_rows[row], of_columns[column]);
        let unit = of_row * of_column;
        match normalized {
            true if unit == 0.0 => 0.0,
            // Exactly 1 for equal rankings, even if sums cancel.
            true if value / unit > 0.99 && same() => 1.0,
            true => (value / unit).clamp(-1.0, 1.0),
            // At most the square root of the product of both self-similarities, which is rounding. With one of them it
            // can be more.
            false if of_row == 0.0 && of_column == 0.0 => 0.0,
            false => value,
        }
    }
}
