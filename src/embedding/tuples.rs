//! Sums over rankings for each tuple of items and each tuple of ranks.

use super::{JOB, check_coefficients};
use crate::error::Error;
use crate::memory;
use crate::parallel::{self, Cancel, RunOptions, Workers};
use crate::rankings::Rankings;

/// The number of tuples of `order` items. If it is too large for memory, a number that is also too large.
pub(super) fn tuples_of(items: usize, order: usize) -> usize {
    u32::try_from(order).ok().and_then(|order| items.checked_pow(order)).unwrap_or(usize::MAX)
}

pub(super) fn complete_tuple_sums(
    rankings: &Rankings,
    coefficients: &[f64],
    order: usize,
    out: &mut [f64],
    run: RunOptions<'_>,
) -> Result<(), Error> {
    check_coefficients(rankings.rows(), coefficients)?;
    let items = rankings.items();
    let tuples = tuples_of(items, order);
    if tuples.checked_mul(tuples) != Some(out.len()) {
        return Err(Error::OutputLength { given: out.len(), rows: tuples, columns: tuples });
    }
    out.fill(0.0);
    let m = rankings.rows();
    let mut watch = run.watch;
    let of_item =
        parallel::run_one(10.0 * (m * items) as f64, parallel::share(&mut watch), |cancel| by_item(rankings, cancel))?;
    let threads = parallel::threads_for(tuples.saturating_mul(m) as f64, run.threads);
    let rows = (JOB / m.max(1)).max(1);
    let jobs = memory::collect(out.chunks_mut((rows * tuples).max(1)).enumerate())?;
    parallel::run(
        jobs,
        Workers::new(threads, 0.0),
        watch,
        |_| memory::filled(m, 0),
        |(index, out): (usize, &mut [f64]), places: &mut Vec<usize>, poll| {
            for (number, sums) in (index * rows..).zip(out.chunks_exact_mut(tuples.max(1))) {
                if poll.is_cancelled() {
                    break;
                }
                places.fill(0);
                let (mut rest, mut step) = (number, 1);
                for _ in 0..order {
                    for (place, &rank) in places.iter_mut().zip(&of_item[rest % items * m..][..m]) {
                        *place += rank as usize * step;
                    }
                    rest /= items;
                    step *= items;
                }
                for (&place, coefficient) in places.iter().zip(coefficients) {
                    sums[place] += coefficient;
                }
            }
            Ok(())
        },
    )
}

/// The ranks of each item in all rankings, one after another in memory, so that many positions are computed at a time.
fn by_item(rankings: &Rankings, cancel: &Cancel) -> Result<Vec<u32>, Error> {
    let mut ranks = memory::with_capacity(rankings.rows() * rankings.items())?;
    for item in 0..rankings.items() {
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
        ranks.extend((0..rankings.rows()).map(|row| rankings.row(row).ranks()[item]));
    }
    Ok(ranks)
}
