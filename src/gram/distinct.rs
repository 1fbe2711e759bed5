//! Rankings that repeat: the matrix of the distinct ones is computed, and its values are spread.
//!
//! Surveys repeat: 12,216 people who rank six items give at most 720 rankings, and so 260 thousand pairs instead of 75 million.

use std::collections::HashMap;

use super::Element;
use crate::error::Error;
use crate::parallel::{self, Watch};
use crate::ranking::Rankings;

/// Fewer rankings are computed as they are.
const WORTHWHILE: usize = 64;
/// Values that a job spreads, in a few milliseconds.
const JOB: usize = 1 << 20;

/// The distinct rows of a set of rankings.
pub(super) struct Distinct {
    pub(super) rankings: Rankings,
    /// For each row, which of the distinct ones it is.
    class: Vec<u32>,
}

impl Distinct {
    /// The distinct rows, if there are at most half as many as rows.
    pub(super) fn find(rankings: &Rankings) -> Option<Self> {
        // Where no two of the first sixteenth are the same, there are too many distinct ones to be worth the search.
        let few = (rankings.rows() / 16).max(WORTHWHILE);
        if rankings.rows() < WORTHWHILE || classes(rankings, few).1.len() == few.min(rankings.rows()) {
            return None;
        }
        let (class, rows) = classes(rankings, rankings.rows());
        (rows.len() * 2 <= rankings.rows()).then(|| Self { rankings: rankings.select(&rows), class })
    }

    /// All rows as they are.
    pub(super) fn all(rankings: &Rankings) -> Self {
        Self { rankings: rankings.clone(), class: (0..rankings.rows() as u32).collect() }
    }
}

/// The class of each of the first rows, and the first row of each class.
fn classes(rankings: &Rankings, rows: usize) -> (Vec<u32>, Vec<usize>) {
    let mut known = HashMap::new();
    let mut firsts = Vec::new();
    let class = (0..rows.min(rankings.rows()))
        .map(|row| {
            *known.entry(rankings.row(row).ranks()).or_insert_with(|| {
                firsts.push(row);
                firsts.len() as u32 - 1
            })
        })
        .collect();
    (class, firsts)
}

/// Fills `out`, the matrix of all rows, from `values`, that of the distinct ones.
pub(super) fn spread<T: Element>(
    values: &[T],
    rows: &Distinct,
    columns: &Distinct,
    out: &mut [T],
    threads: Option<usize>,
    watch: Option<Watch<'_>>,
) -> Result<(), Error> {
    let width = columns.rankings.rows();
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
