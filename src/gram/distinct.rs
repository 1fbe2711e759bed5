//! Rankings that repeat: the matrix of the distinct ones is computed, and its values are spread.
//!
//! Surveys repeat: 12,216 people who rank six items give at most 720 rankings, and so 260 thousand pairs instead of 75 million.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::{Element, Options};
use crate::error::Error;
use crate::parallel::{self, Progress, Watch};

/// Fewer rankings are computed as they are.
const WORTHWHILE: usize = 64;
/// Values that a job spreads, in a few milliseconds.
const JOB: usize = 1 << 20;

/// The distinct rows of a set of rankings.
pub(super) struct Distinct {
    /// The first row of each class.
    firsts: Vec<usize>,
    /// For each row, which of the distinct ones it is.
    class: Vec<u32>,
}

impl Distinct {
    /// The distinct rows, if there are at most half as many as rows.
    pub(super) fn find<'a>(rows: usize, row: impl Fn(usize) -> &'a [u32]) -> Option<Self> {
        // Where no two of the first sixteenth are the same, there are too many distinct ones to be worth the search.
        let few = (rows / 16).max(WORTHWHILE);
        if rows < WORTHWHILE || Self::among(few.min(rows), &row).firsts.len() == few.min(rows) {
            return None;
        }
        let found = Self::among(rows, &row);
        (found.firsts.len() * 2 <= rows).then_some(found)
    }

    /// All rows as they are.
    pub(super) fn all(rows: usize) -> Self {
        Self { firsts: (0..rows).collect(), class: (0..rows as u32).collect() }
    }

    /// Those of the first rows.
    fn among<'a>(rows: usize, row: impl Fn(usize) -> &'a [u32]) -> Self {
        let mut known = HashMap::new();
        let mut firsts = Vec::new();
        let class = (0..rows)
            .map(|number| {
                *known.entry(row(number)).or_insert_with(|| {
                    firsts.push(number);
                    firsts.len() as u32 - 1
                })
            })
            .collect();
        Self { firsts, class }
    }

    /// One row of each class.
    pub(super) fn firsts(&self) -> &[usize] {
        &self.firsts
    }
}

/// Fills `out` by way of the distinct rankings, whose matrix `compute` fills.
pub(super) fn fill_distinct<T: Element>(
    rows: &Distinct,
    columns: Option<&Distinct>,
    out: &mut [T],
    options: Options<'_>,
    compute: impl FnOnce(&mut [T], Options<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let Options { threads, tile, backend, watch } = options;
    let mut ignore = |_| ControlFlow::Continue(());
    let watch = watch.unwrap_or(&mut ignore);
    let columns = columns.unwrap_or(rows);
    let mut values = vec![T::default(); rows.firsts.len() * columns.firsts.len()];
    // Most of the time goes into spreading.
    let mut first = |_| watch(Progress { done: 0, total: 1 });
    compute(&mut values, Options { threads, tile, backend, watch: Some(&mut first) })?;
    spread(&values, rows, columns, out, threads, Some(watch))
}

/// Fills `out`, the matrix of all rows, from `values`, that of the distinct ones.
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
    let jobs = rows.class.chunks(at_once).zip(chunks).collect();
    let threads = parallel::threads_for(rows.class.len() as f64 * columns.class.len() as f64, threads);
    parallel::run(
        jobs,
        threads,
        watch,
        || (),
        |(classes, out): (&[u32], &mut [T]), (), _| {
            for (&class, out) in classes.iter().zip(out.chunks_mut(columns.class.len().max(1))) {
                let values = &values[class as usize * width..][..width];
                for (cell, &class) in out.iter_mut().zip(&columns.class) {
                    *cell = values[class as usize];
                }
            }
        },
    )
}
