//! The embedding of rankings with ties: the mean over all complete rankings that agree with the ranking.

use super::{JOB, RUN, STOP_CHECK_INTERVAL, check_coefficients, each_row};
use crate::error::Error;
use crate::gram::Element;
use crate::memory;
use crate::parallel::{self, Cancel, RunOptions, Workers};
use crate::rankings::Incomplete;
use crate::weight::checked::check_tensors;
use crate::weight::mean_tensor::{Direction, MeanTensor, check_order};

/// The maximum number of partial sums at a time, and their maximum size in bytes.
const MAX_PARTS: usize = 16;
const MAX_BYTES: usize = 1 << 28;
/// The minimum number of rankings of a part.
const LEAST: usize = 64;

/// The same as [`embed_into`](super::embed_into), for rankings with ties.
pub(crate) fn embed_into<T: Element>(
    rankings: &Incomplete,
    direction: Direction,
    order: usize,
    weights: &[f64],
    out: &mut [T],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    check(rankings, order)?;
    check_tensors(weights, rankings.items(), order, Some(1))?;
    let items = rankings.items();
    each_row(rankings.rows(), weights.len(), out, run, |row, out, poll| {
        let mut lines = memory::filled(2 * items, 0.0)?;
        each_line(rankings, row, direction, order, weights, &mut lines, |place, line| {
            for (cell, &number) in out[place * items..].iter_mut().zip(line) {
                *cell = T::from_f64(number);
            }
            items < STOP_CHECK_INTERVAL || !poll.is_cancelled()
        })
    })
}

/// The same as [`combine`](super::combine), for rankings with ties. The rankings are split into parts; the number of
/// parts does not depend on the number of threads. The sums of all parts are added at the end.
pub(crate) fn combine(
    rankings: &Incomplete,
    direction: Direction,
    coefficients: &[f64],
    order: usize,
    weights: &[f64],
    run: RunOptions<'_>,
) -> Result<Vec<f64>, Error> {
    check(rankings, order)?;
    let (rows, items, size) = (rankings.rows(), rankings.items(), weights.len());
    check_tensors(weights, items, order, Some(1))?;
    check_coefficients(rows, coefficients)?;
    let parts = rows.div_ceil(LEAST).min(MAX_PARTS).min(MAX_BYTES / (8 * size.max(1))).max(1);
    let rows_a_part = rows.div_ceil(parts).max(1);
    let mut sums = memory::filled(parts * size, 0.0)?;
    let threads = run.threads_for(size.saturating_mul(rows) as f64);
    let jobs = memory::collect(sums.chunks_mut(size.max(1)).enumerate())?;
    parallel::run(
        jobs,
        Workers::new(threads, size as f64),
        run.watch,
        |_| Ok((memory::filled(size, 0.0)?, memory::filled(2 * items, 0.0)?)),
        |(index, sums), (part, lines), poll| {
            let all = (index * rows_a_part).min(rows)..((index + 1) * rows_a_part).min(rows);
            for start in all.clone().step_by(RUN) {
                part.fill(0.0);
                let end = all.end.min(start + RUN);
                for (row, coefficient) in (start..end).zip(&coefficients[start..end]) {
                    if poll.is_cancelled() {
                        return Ok(());
                    }
                    if order == 1 {
                        let tensor = MeanTensor::new(weights, order, rankings.row(row), direction)?;
                        tensor.singles(|place, number| part[place] += coefficient * number);
                        continue;
                    }
                    each_line(rankings, row, direction, order, weights, lines, |place, line| {
                        for (sum, number) in part[place * items..].iter_mut().zip(line) {
                            *sum += coefficient * number;
                        }
                        items < STOP_CHECK_INTERVAL || !poll.is_cancelled()
                    })?;
                }
                sums.iter_mut().zip(&*part).for_each(|(sum, part)| *sum += part);
            }
            Ok(())
        },
    )?;
    let (total, others) = sums.split_at_mut(size);
    for other in others.chunks_exact(size.max(1)) {
        total.iter_mut().zip(other).for_each(|(total, part)| *total += part);
    }
    sums.truncate(size);
    Ok(sums)
}

/// The same as [`linear_function`](super::linear_function), for rankings with ties.
pub(crate) fn linear_function(
    rankings: &Incomplete,
    direction: Direction,
    order: usize,
    weights: &[f64],
    tensor: &[f64],
    run: RunOptions<'_>,
) -> Result<Vec<f64>, Error> {
    check(rankings, order)?;
    let items = rankings.items();
    for weights in [weights, tensor] {
        check_tensors(weights, items, order, Some(1))?;
    }
    let mut values = memory::filled(rankings.rows(), 0.0)?;
    let rows = (JOB / weights.len().max(1)).max(1);
    let threads = run.threads_for(weights.len().saturating_mul(rankings.rows()) as f64);
    let jobs = memory::collect(values.chunks_mut(rows).enumerate())?;
    parallel::run(
        jobs,
        Workers::new(threads, weights.len() as f64),
        run.watch,
        |_| memory::filled(2 * items, 0.0),
        |(index, values): (usize, &mut [f64]), lines, poll| {
            for (row, value) in (index * rows..).zip(values) {
                each_line(rankings, row, direction, order, weights, lines, |place, line| {
                    *value += dot(&tensor[place * items..][..items], line);
                    items < STOP_CHECK_INTERVAL || !poll.is_cancelled()
                })?;
                if poll.is_cancelled() {
                    break;
                }
            }
            Ok(())
        },
    )?;
    Ok(values)
}

/// The same as [`tuple_sums_into`](super::tuple_sums_into), for rankings with ties. For each tuple of ranks that the
/// items can have, a ranking adds the probability that they have these ranks, times its coefficient.
pub(crate) fn tuple_sums_into(
    rankings: &Incomplete,
    coefficients: &[f64],
    order: usize,
    out: &mut [f64],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    check(rankings, order)?;
    check_coefficients(rankings.rows(), coefficients)?;
    let items = rankings.items();
    let tuples = if order == 2 { items * items } else { items };
    if tuples.checked_mul(tuples) != Some(out.len()) {
        return Err(Error::OutputLength { given: out.len(), rows: tuples, columns: tuples });
    }
    out.fill(0.0);
    let mut watch = run.watch;
    let ns = 10.0 * (rankings.rows() * items) as f64;
    let ends = parallel::run_one(ns, parallel::share(&mut watch), |cancel| ends(rankings, cancel))?;
    let threads = parallel::threads_for(out.len() as f64 * rankings.rows() as f64, run.threads);
    let jobs = memory::collect(out.chunks_mut(tuples.max(1)).enumerate())?;
    parallel::run(
        jobs,
        Workers::new(threads, 0.0),
        watch,
        |_| Ok(()),
        |(tuple, sums): (usize, &mut [f64]), (), poll| {
            let (first, second) = if order == 2 { (tuple / items, tuple % items) } else { (tuple, tuple) };
            for (row, &coefficient) in coefficients.iter().enumerate() {
                if row % LEAST == 0 && poll.is_cancelled() {
                    break;
                }
                let starts = rankings.row(row).starts;
                let block = |item: usize| starts[item] as usize..ends[row * items + item] as usize;
                let (ranks, others) = (block(first), block(second));
                let size = ranks.len() as f64;
                if first == second {
                    // An item has the same rank on both axes.
                    let step = if order == 2 { items + 1 } else { 1 };
                    ranks.for_each(|rank| sums[rank * step] += coefficient / size);
                    continue;
                }
                let same = ranks == others;
                let chance = coefficient / (size * if same { size - 1.0 } else { others.len() as f64 });
                for rank in ranks {
                    let sums = &mut sums[rank * items..][..items];
                    // Two items of one block have different ranks.
                    let gap = if same { rank..rank + 1 } else { others.end..others.end };
                    for part in [others.start..gap.start, gap.end..others.end] {
                        sums[part].iter_mut().for_each(|sum| *sum += chance);
                    }
                }
            }
            Ok(())
        },
    )
}

/// The end of the block of each item of each ranking.
fn ends(rankings: &Incomplete, cancel: &Cancel) -> Result<Vec<u32>, Error> {
    let mut ends = memory::filled(rankings.rows() * rankings.items(), 0)?;
    for (row, ends) in ends.chunks_exact_mut(rankings.items().max(1)).enumerate() {
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
        let blocks = rankings.row(row);
        for block in blocks.ranges() {
            for &item in &blocks.order[block.clone()] {
                ends[item as usize] = block.end as u32;
            }
        }
    }
    Ok(ends)
}

fn check(rankings: &Incomplete, order: usize) -> Result<(), Error> {
    check_order(order)?;
    if rankings.has_unknown() { Err(Error::UnknownPlaces) } else { Ok(()) }
}

/// Calls `each` with the number and the entries of each row of the mean tensor of a ranking, until `each` returns
/// false. A tensor with one axis has one row. `lines` is memory for two rows.
fn each_line(
    rankings: &Incomplete,
    row: usize,
    direction: Direction,
    order: usize,
    weights: &[f64],
    lines: &mut [f64],
    mut each: impl FnMut(usize, &[f64]) -> bool,
) -> Result<(), Error> {
    let tensor = MeanTensor::new(weights, order, rankings.row(row), direction)?;
    if order == 2 {
        tensor.each_line(lines, each);
    } else {
        let line = &mut lines[..rankings.items()];
        tensor.singles(|place, number| line[place] = number);
        each(0, line);
    }
    Ok(())
}

/// An inner product, eight terms at a time.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(one, other)| one * other).sum();
    for (one, other) in ones.zip(others) {
        for (sum, (one, other)) in sums.iter_mut().zip(one.iter().zip(other)) {
            *sum += one * other;
        }
    }
    sums.iter().sum::<f64>() + rest
}
