//! Computes the self-similarities of rankings with ties and of lists, and divides values by them.

use std::borrow::Cow;

use crate::error::Error;
use crate::gram::cost::STOP_CHECK_INTERVAL_NS;
use crate::memory;
use crate::parallel::{self, Cancel, RunOptions, Workers};

/// The number of rankings that a job compares with themselves, if one ranking takes `ns` nanoseconds.
pub(super) fn rows_a_job(ns: f64) -> usize {
    ((STOP_CHECK_INTERVAL_NS / ns.max(1.0)) as usize).max(1)
}

/// The time to compare a ranking with itself, in nanoseconds.
pub(super) struct OwnCost {
    pub(super) usual: f64,
    pub(super) longest: f64,
}

/// Calls `value` for each ranking on several threads, and returns the results.
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

/// The square roots of the self-similarities of all rows and all columns. For the Mallows kernel, they are the terms
/// that the rankings add to the exponent.
pub(super) struct Roots<'a> {
    of_rows: Cow<'a, [f64]>,
    /// `None` if the columns are the rows.
    of_columns: Option<Cow<'a, [f64]>>,
}

impl<'a> Roots<'a> {
    /// Makes the object from known roots.
    pub(super) fn new(of_rows: Cow<'a, [f64]>, of_columns: Option<Cow<'a, [f64]>>) -> Self {
        Self { of_rows, of_columns }
    }

    /// Makes the object for two sets. `of_set` computes the roots of one set.
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

    /// The final value. If values are normalized, it is divided by both roots. If the value may be a rounding error, it
    /// is 0. `same` tells whether the rankings are equal.
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
            // The value for equal rankings must be exactly 1, even if sums cancel.
            true if value / unit > 0.99 && same() => 1.0,
            true => (value / unit).clamp(-1.0, 1.0),
            // The value is at most the square root of the product of both self-similarities. If both roots are 0, the
            // value is only a rounding error. If only one root is 0, it can be larger.
            false if of_row == 0.0 && of_column == 0.0 => 0.0,
            false => value,
        }
    }
}
