//! The embedding of general weights. A ranking s becomes the tensor `Phi_U(s)` with the entries `U[s(i), s(j), ..]`.
//! The kernel of two rankings is the inner product of their tensors.
//!
//! A tensor has `order` axes, each as long as the number of items; the last axis varies fastest. The tensor of a
//! ranking with ties is the mean of the tensors of all complete rankings that agree with it. For rankings with ties,
//! only the orders 1 and 2 are available.
//!
//! ```text
//! mod       complete rankings
//! tied      rankings with ties
//! tuples    sums over rankings for each tuple of items and ranks
//! entries   sums over the entries of one tensor
//! ```

mod entries;
pub(crate) mod tied;
mod tuples;

use crate::error::Error;
use crate::gram::{Element, Output, with_output, zero_matrix};
use crate::matrix::Matrix;
use crate::memory;
use crate::parallel::{self, Poll, RunOptions, Workers};
use crate::rankings::{Operands, RankingSet, Rankings};
use crate::simd::Isa;
use crate::simd::gathered::{self, Places};
use crate::weight::checked::check_tensors;
use crate::weight::mean_tensor::Direction;
use entries::{add, long_dot};
use tuples::{complete_tuple_sums, tuples_of};

/// The minimum number of entries of a job. They take a few tenths of a millisecond.
const JOB: usize = 1 << 18;
/// The minimum number of entries between two checks for cancellation.
pub(crate) const STOP_CHECK_INTERVAL: usize = 1 << 12;
/// The number of rankings whose tensors are summed separately before they are added to the total, to reduce rounding.
const RUN: usize = 512;

/// The embedding of every ranking. A row has the entries of one tensor.
///
/// # Errors
/// Returns an error in these cases:
///
/// - The weights are not one tensor with `order` axes for this number of items.
/// - `run.threads` is 0.
/// - The result does not fit into memory.
/// - `run.watch` stops the run.
/// - The rankings have ties, and the order is above 2 or items can be anywhere.
///
/// ```
/// use wkendall::{Matrix, Rankings, embedding, RunOptions};
/// let x = Rankings::from_ranks(2, 3, &[2, 3, 1, 1, 2, 3])?;
/// let phi: Matrix = embedding::embed(&x, 1, &[0.5, 0.3, 0.2], RunOptions::default())?;
/// assert_eq!(phi.row(0), [0.3, 0.2, 0.5]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn embed<R: RankingSet, T: Element>(
    rankings: &R,
    order: usize,
    weights: &[f64],
    run: RunOptions<'_>,
) -> Result<Matrix<T>, Error> {
    check_tensors(weights, rankings.items(), order, Some(1))?;
    let mut run = run;
    let mut out = zero_matrix(rankings.rows(), weights.len(), parallel::share(&mut run.watch))?;
    embed_into(rankings, order, weights, out.as_mut_slice(), run)?;
    Ok(out)
}

/// The same as [`embed`], but writes to a slice.
///
/// # Errors
/// Returns an error in these cases:
///
/// - The weights are not one tensor with `order` axes for this number of items.
/// - The length of the slice is not the number of rankings times the number of weights.
/// - `run.threads` is 0.
/// - `run.watch` stops the run.
/// - The rankings have ties, and the order is above 2 or items can be anywhere.
///
/// ```
/// use wkendall::{Rankings, embedding, RunOptions};
/// let x = Rankings::from_ranks(1, 3, &[2, 3, 1])?;
/// let mut out = [0.0; 3];
/// embedding::embed_into(&x, 1, &[0.5, 0.3, 0.2], &mut out, RunOptions::default())?;
/// assert_eq!(out, [0.3, 0.2, 0.5]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn embed_into<R: RankingSet, T: Element>(
    rankings: &R,
    order: usize,
    weights: &[f64],
    out: &mut [T],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    embed_operands(R::operands(rankings, None), order, weights, T::output(out), run)
}

fn embed_operands(
    operands: Operands<'_>,
    order: usize,
    weights: &[f64],
    out: Output<'_>,
    run: RunOptions<'_>,
) -> Result<(), Error> {
    parallel::check_threads(run.threads)?;
    with_output!(out, |out| match operands {
        Operands::Complete(rankings, _) => embed_complete(rankings, order, weights, out, run),
        Operands::Tied(rankings, _) => tied::embed_into(rankings, Direction::Forward, order, weights, out, run),
        Operands::Lists(lists, _) => embed_into(&lists.to_incomplete()?, order, weights, out, run),
    })
}

fn embed_complete<T: Element>(
    rankings: &Rankings,
    order: usize,
    weights: &[f64],
    out: &mut [T],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    check_tensors(weights, rankings.items(), order, Some(1))?;
    each_row(rankings.rows(), weights.len(), out, run, |row, out, poll| {
        embed_row(weights, order, rankings.row(row).ranks(), out, poll);
        Ok(())
    })
}

/// The weighted sum of the embeddings of the rankings. The single embeddings are never in memory.
///
/// # Errors
/// Returns the same errors as [`embed_into`], and an error when there is not one coefficient for each ranking.
pub fn combine<R: RankingSet>(
    rankings: &R,
    coefficients: &[f64],
    order: usize,
    weights: &[f64],
    run: RunOptions<'_>,
) -> Result<Vec<f64>, Error> {
    parallel::check_threads(run.threads)?;
    match R::operands(rankings, None) {
        Operands::Complete(x, _) => combine_complete(x, coefficients, order, weights, run),
        Operands::Tied(x, _) => tied::combine(x, Direction::Forward, coefficients, order, weights, run),
        Operands::Lists(lists, _) => combine(&lists.to_incomplete()?, coefficients, order, weights, run),
    }
}

fn combine_complete(
    rankings: &Rankings,
    coefficients: &[f64],
    order: usize,
    weights: &[f64],
    run: RunOptions<'_>,
) -> Result<Vec<f64>, Error> {
    let items = rankings.items();
    check_tensors(weights, items, order, Some(1))?;
    check_coefficients(rankings.rows(), coefficients)?;
    let mut sum = memory::filled(weights.len(), 0.0)?;
    let size = weights.len() / items.max(1);
    let threads = run.threads_for(weights.len().saturating_mul(rankings.rows()) as f64);
    // Weights with one axis have one sum for each item, so many items are one job.
    let group = if order == 1 { STOP_CHECK_INTERVAL } else { size.max(1) };
    let jobs = memory::collect(sum.chunks_mut(group).enumerate())?;
    let isa = Isa::widest();
    let places = memory::collect((0..rankings.rows()).map(|row| Places::new(rankings.row(row).ranks())))?;
    let workers = Workers::new(threads, size as f64);
    parallel::run(
        jobs,
        workers,
        run.watch,
        |_| memory::with_capacity(group),
        |(index, sum): (usize, &mut [f64]), part, poll| {
            for start in (0..rankings.rows()).step_by(RUN) {
                if poll.is_cancelled() {
                    return Ok(());
                }
                part.clear();
                part.resize(sum.len(), 0.0);
                for (row, &coefficient) in (start..).zip(&coefficients[start..rankings.rows().min(start + RUN)]) {
                    if size >= STOP_CHECK_INTERVAL && poll.is_cancelled() {
                        return Ok(());
                    }
                    if order == 1 {
                        let places = places[row].part(index * group..index * group + sum.len());
                        gathered::add(isa, weights, places, coefficient, part);
                        continue;
                    }
                    let ranks = rankings.row(row).ranks();
                    let of_rank = &weights[ranks[index] as usize * size..][..size];
                    add(isa, of_rank, order - 1, ranks, places[row], coefficient, part);
                }
                for (sum, part) in sum.iter_mut().zip(&*part) {
                    *sum += part;
                }
            }
            Ok(())
        },
    )?;
    Ok(sum)
}

/// The same as [`tuple_sums_into`], but returns the matrix.
///
/// # Errors
/// Returns the same errors as [`tuple_sums_into`], and an error when the result does not fit into memory.
///
/// ```
/// use wkendall::{Rankings, embedding, RunOptions};
/// let x = Rankings::from_ranks(2, 2, &[1, 2, 2, 1])?;
/// let sums = embedding::tuple_sums(&x, &[0.75, 0.25], 1, RunOptions::default())?;
/// assert_eq!(sums.row(1), [0.25, 0.75]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn tuple_sums<R: RankingSet>(
    rankings: &R,
    coefficients: &[f64],
    order: usize,
    run: RunOptions<'_>,
) -> Result<Matrix, Error> {
    let tuples = tuples_of(rankings.items(), order);
    let mut run = run;
    let mut out = zero_matrix(tuples, tuples, parallel::share(&mut run.watch))?;
    tuple_sums_into(rankings, coefficients, order, out.as_mut_slice(), run)?;
    Ok(out)
}

/// Writes a matrix with a row for each tuple of items and a column for each tuple of ranks. An entry is the sum of the
/// coefficients of the rankings that give these ranks to these items. The product of this matrix and the entries of a
/// tensor of weights is the result of [`combine`].
///
/// # Errors
/// Returns an error in these cases:
///
/// - There is not one coefficient for each ranking.
/// - The length of the slice is not the square of the number of tuples.
/// - `run.watch` stops the run.
/// - The rankings have ties, and the order is above 2 or items can be anywhere.
///
/// ```
/// use wkendall::{Rankings, embedding, RunOptions};
/// let x = Rankings::from_ranks(2, 2, &[1, 2, 2, 1])?;
/// let mut out = [0.0; 4];
/// embedding::tuple_sums_into(&x, &[0.75, 0.25], 1, &mut out, RunOptions::default())?;
/// assert_eq!(out, [0.75, 0.25, 0.25, 0.75]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn tuple_sums_into<R: RankingSet>(
    rankings: &R,
    coefficients: &[f64],
    order: usize,
    out: &mut [f64],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    parallel::check_threads(run.threads)?;
    match R::operands(rankings, None) {
        Operands::Complete(x, _) => complete_tuple_sums(x, coefficients, order, out, run),
        Operands::Tied(x, _) => tied::tuple_sums_into(x, coefficients, order, out, run),
        Operands::Lists(lists, _) => tuple_sums_into(&lists.to_incomplete()?, coefficients, order, out, run),
    }
}

/// For every ranking, the inner product of `tensor` and the embedding of the ranking.
///
/// The same number can be written with the inverse ranking: embed the inverse ranking with `tensor` as weights, and
/// take the inner product with the weights.
///
/// # Errors
/// Returns the same errors as [`embed_into`].
pub fn linear_function<R: RankingSet>(
    rankings: &R,
    order: usize,
    weights: &[f64],
    tensor: &[f64],
    run: RunOptions<'_>,
) -> Result<Vec<f64>, Error> {
    parallel::check_threads(run.threads)?;
    match R::operands(rankings, None) {
        Operands::Complete(x, _) => complete_function(x, order, weights, tensor, run),
        Operands::Tied(x, _) => tied::linear_function(x, Direction::Forward, order, weights, tensor, run),
        Operands::Lists(lists, _) => linear_function(&lists.to_incomplete()?, order, weights, tensor, run),
    }
}

fn complete_function(
    rankings: &Rankings,
    order: usize,
    weights: &[f64],
    tensor: &[f64],
    run: RunOptions<'_>,
) -> Result<Vec<f64>, Error> {
    for weights in [weights, tensor] {
        check_tensors(weights, rankings.items(), order, Some(1))?;
    }
    let mut values = memory::filled(rankings.rows(), 0.0)?;
    let rows = (JOB / weights.len().max(1)).max(1);
    let threads = run.threads_for(weights.len().saturating_mul(rankings.rows()) as f64);
    let jobs = memory::collect(values.chunks_mut(rows).enumerate())?;
    let isa = Isa::widest();
    parallel::run(
        jobs,
        Workers::new(threads, weights.len() as f64),
        run.watch,
        |cancel| Ok(cancel.clone()),
        |(index, values): (usize, &mut [f64]), cancel, poll| {
            for (row, value) in (index * rows..).zip(values) {
                if !weights.is_empty() {
                    let ranks = rankings.row(row).ranks();
                    *value = long_dot(isa, tensor, weights, order, ranks, Places::new(ranks), cancel);
                }
                if poll.is_cancelled() {
                    break;
                }
            }
            Ok(())
        },
    )?;
    Ok(values)
}

fn check_coefficients(rows: usize, coefficients: &[f64]) -> Result<(), Error> {
    if coefficients.len() == rows {
        return Ok(());
    }
    Err(Error::CoefficientCount { given: coefficients.len(), rankings: rows })
}

/// Fills `width` entries for each row.
pub(crate) fn each_row<T: Element>(
    rows: usize,
    width: usize,
    out: &mut [T],
    run: RunOptions<'_>,
    fill: impl Fn(usize, &mut [T], &mut Poll<'_>) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    if rows.checked_mul(width) != Some(out.len()) {
        return Err(Error::OutputLength { given: out.len(), rows, columns: width });
    }
    let at_once = (JOB / width.max(1)).max(1);
    let threads = run.threads_for(out.len() as f64);
    let jobs = memory::collect(out.chunks_mut((at_once * width).max(1)).enumerate())?;
    parallel::run(
        jobs,
        Workers::new(threads, 0.0),
        run.watch,
        |_| Ok(()),
        |(index, out): (usize, &mut [T]), (), poll| {
            for (row, out) in (index * at_once..).zip(out.chunks_exact_mut(width.max(1))) {
                fill(row, out, poll)?;
                if poll.is_cancelled() {
                    break;
                }
            }
            Ok(())
        },
    )
}

/// The embedding of one ranking, axis by axis.
fn embed_row<T: Element>(weights: &[f64], order: usize, ranks: &[u32], out: &mut [T], poll: &mut Poll<'_>) {
    let size = weights.len() / ranks.len().max(1);
    if order == 1 {
        for (cell, &rank) in out.iter_mut().zip(ranks) {
            *cell = T::from_f64(weights[rank as usize]);
        }
        return;
    }
    for (out, &rank) in out.chunks_exact_mut(size).zip(ranks) {
        if size >= STOP_CHECK_INTERVAL && poll.is_cancelled() {
            return;
        }
        embed_row(&weights[rank as usize * size..][..size], order - 1, ranks, out, poll);
    }
}
