//! Functions of the values of several kernels, computed block by block. A block has some rows of the matrix. Each
//! kernel computes the block with its strategy for the whole matrix. Then the values of the kernels are combined entry
//! by entry.

use std::ops::Range;

use super::element::{Neighbors, Within, check_single};
use super::job::{Expand, Job};
use super::{Backend, Element, Options, check_output, diagonal_of, gram_of, planned_of};
use crate::error::Error;
use crate::measure::{Combination, Part};
use crate::memory;
use crate::parallel::Phases;
use crate::rankings::{RankingSet, with_operands};

/// The number of values of a block, for all kernels together: 64 MiB.
const BLOCK_VALUES: usize = 1 << 23;

/// The values of some rows, from some column on.
struct Block<'a> {
    rows: Range<usize>,
    first: usize,
    width: usize,
    values: &'a [f64],
}

impl Block<'_> {
    /// The numbers of the rows, and their values.
    fn iter(&self) -> impl Iterator<Item = (usize, &[f64])> {
        self.rows.clone().zip(self.values.chunks_exact(self.width.max(1)))
    }
}

/// Computes all values, block by block. With `half`, computes only the values on and above the diagonal, and a few
/// values below it.
fn each_block<R: RankingSet>(
    combination: &Combination,
    (x, y): (&R, Option<&R>),
    half: bool,
    options: Options<'_>,
    mut take: impl FnMut(Block<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (rows, columns) = (x.rows(), y.unwrap_or(x).rows());
    let parts = combination.parts();
    let height = (BLOCK_VALUES / (columns * (parts.len() + 1)).max(1)).clamp(1, rows.max(1));
    let starts = (0..rows).step_by(height);
    let mut phases = Phases::new(options.watch, starts.len() * parts.len());
    let plain = |backend| Options { threads: options.threads, tile: options.tile, backend, watch: None };
    let mut jobs = memory::with_capacity(parts.len())?;
    for part in parts {
        // It is decided here, for the whole matrix, whether lists are expanded. The fastest choice depends on the
        // number of rankings, so single blocks could choose differently, and then round differently.
        let job = Job::new(part, R::operands(x, y), Expand::IfFaster, &mut plain(options.backend))?;
        let planned = planned_of::<f64>(part, job.operands(), plain(options.backend))?;
        jobs.push((job, planned.parse::<Backend>()?));
    }
    let mut buffers = memory::with_capacity(parts.len())?;
    for _ in parts {
        buffers.push(memory::filled(height * columns, 0.0)?);
    }
    let mut values = memory::filled(height * columns, 0.0)?;
    let mut of_pair = memory::filled(parts.len(), 0.0)?;
    for start in starts {
        let block = start..rows.min(start + height);
        let first = if half { start } else { 0 };
        let (width, size) = (columns - first, block.len() * (columns - first));
        for ((part, buffer), (job, backend)) in parts.iter().zip(&mut buffers).zip(&jobs) {
            phases.run(1, |watch| {
                let (out, options) = (&mut buffer[..size], Options { watch, ..plain(*backend) });
                with_operands!(job.operands(), |x, y| fill(part, (x, y), (block.clone(), first..columns), out, options))
            })?;
        }
        for (cell, value) in values[..size].iter_mut().enumerate() {
            for (of_part, buffer) in of_pair.iter_mut().zip(&buffers) {
                *of_part = buffer[cell];
            }
            *value = combination.value(&of_pair)?;
        }
        take(Block { rows: block, first, width, values: &values[..size] })?;
    }
    Ok(())
}

/// The values of a part of the measure for some rows and columns.
fn fill<R: RankingSet>(
    part: &Part,
    (x, y): (&R, Option<&R>),
    (rows, columns): (Range<usize>, Range<usize>),
    out: &mut [f64],
    options: Options<'_>,
) -> Result<(), Error> {
    let (some_rows, some_columns) = (selected(x, rows)?, selected(y.unwrap_or(x), columns)?);
    let (of_rows, of_columns) = (some_rows.as_ref().unwrap_or(x), some_columns.as_ref().or(y).unwrap_or(x));
    gram_of(part, R::operands(of_rows, Some(of_columns)), out, options)
}

/// Some of the rankings; `None` for all.
fn selected<R: RankingSet>(set: &R, rows: Range<usize>) -> Result<Option<R>, Error> {
    if rows == (0..set.rows()) { Ok(None) } else { set.select(&memory::collect(rows)?).map(Some) }
}

/// Fills `out` with the whole matrix.
pub(super) fn matrix<R: RankingSet, T: Element>(
    combination: &Combination,
    x: &R,
    y: Option<&R>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    let (_, columns) = check_output(R::operands(x, y), out)?;
    let mirrored = y.is_none() && combination.parts().iter().all(Part::is_symmetric);
    each_block(combination, (x, y), mirrored, options, |block| {
        for (row, values) in block.iter() {
            for (column, &value) in (block.first..).zip(values) {
                check_single::<T>(value)?;
                out[row * columns + column] = T::from_f64(value);
                if mirrored {
                    out[column * columns + row] = T::from_f64(value);
                }
            }
        }
        Ok(())
    })
}

/// The value of each ranking with itself.
pub(super) fn diagonal<R: RankingSet>(
    combination: &Combination,
    x: &R,
    mut options: Options<'_>,
) -> Result<Vec<f64>, Error> {
    let mut parts = memory::with_capacity(combination.parts().len())?;
    for part in combination.parts() {
        parts.push(diagonal_of(part, R::operands(x, None), options.again())?);
    }
    let mut of_ranking = memory::filled(parts.len(), 0.0)?;
    let mut values = memory::with_capacity(x.rows())?;
    for row in 0..x.rows() {
        for (value, part) in of_ranking.iter_mut().zip(&parts) {
            *value = part[row];
        }
        values.push(combination.value(&of_ranking)?);
    }
    Ok(values)
}

/// The `count` best columns of each row, the largest value first. Of equal values, the smaller index comes first.
pub(super) fn neighbors<R: RankingSet>(
    combination: &Combination,
    x: &R,
    y: Option<&R>,
    count: usize,
    options: Options<'_>,
) -> Result<Neighbors, Error> {
    let mut found = Neighbors { count, indices: Vec::new(), values: Vec::new() };
    memory::reserve(&mut found.indices, x.rows() * count)?;
    memory::reserve(&mut found.values, x.rows() * count)?;
    let mut candidates = Vec::new();
    each_block(combination, (x, y), false, options, |block| {
        for (row, values) in block.iter() {
            candidates.clear();
            memory::reserve(&mut candidates, values.len())?;
            let others = values.iter().copied().enumerate().filter(|&(column, _)| y.is_some() || column != row);
            candidates.extend(others);
            let better = |a: &(usize, f64), b: &(usize, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
            candidates.select_nth_unstable_by(count - 1, better);
            candidates.truncate(count);
            candidates.sort_unstable_by(better);
            found.indices.extend(candidates.iter().map(|&(column, _)| column));
            found.values.extend(candidates.iter().map(|&(_, value)| value));
        }
        Ok(())
    })?;
    Ok(found)
}

/// All columns of each row with at least this value.
pub(super) fn within<R: RankingSet>(
    combination: &Combination,
    x: &R,
    y: Option<&R>,
    radius: f64,
    options: Options<'_>,
) -> Result<Within, Error> {
    let mut found = Within { starts: memory::with_capacity(x.rows() + 1)?, indices: Vec::new(), values: Vec::new() };
    found.starts.push(0);
    each_block(combination, (x, y), false, options, |block| {
        for (row, values) in block.iter() {
            for (column, &value) in values.iter().enumerate() {
                if value >= radius && (y.is_some() || column != row) {
                    memory::push(&mut found.indices, column)?;
                    memory::push(&mut found.values, value)?;
                }
            }
            found.starts.push(found.indices.len());
        }
        Ok(())
    })?;
    Ok(found)
}
