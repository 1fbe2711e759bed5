//! Rankings as bits, for indexes of bit vectors. A bit is the order of a pair of items.

use crate::error::Error;
use crate::memory;
use crate::pair::pairs_of;
use crate::parallel::{self, RunOptions, Workers};
use crate::rankings::Rankings;

/// The number of bytes that a job writes.
const JOB: usize = 1 << 16;
/// Approximate time per bit (AMD EPYC).
const BIT_NS: f64 = 1.0;

/// The number of bytes of [`packed_signs`] for a ranking of `items` items: one bit for each pair.
#[must_use]
pub fn sign_bytes(items: usize) -> usize {
    pairs_of(items as u64).div_ceil(8) as usize
}

/// Writes each ranking as [`sign_bytes`] bytes, with one bit for the order of each pair of items. The number of bits in
/// which two rankings differ is the number of their discordant pairs.
///
/// The pairs (i, j) with i < j are in the order (0, 1), (0, 2), (1, 2), (0, 3), and so on. A bit is 1 if i comes before
/// j. The first pair is the lowest bit of the first byte; the bits after the last pair are 0.
///
/// # Errors
/// Returns an error when `run.threads` is 0, when there is no memory, or when `run.watch` stops the run.
///
/// ```
/// use wkendall::{Rankings, packed_signs, RunOptions};
/// let x = Rankings::from_ranks(2, 4, &[1, 2, 3, 4, 4, 1, 2, 3])?;
/// assert_eq!(packed_signs(&x, RunOptions::default())?, [0b11_1111, 0b11_0100]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn packed_signs(x: &Rankings, run: RunOptions<'_>) -> Result<Vec<u8>, Error> {
    parallel::check_threads(run.threads)?;
    let (rows, columns) = (x.rows(), sign_bytes(x.items()));
    let length = rows.checked_mul(columns).ok_or(Error::TooLarge { rows, columns })?;
    let mut bytes = memory::filled(length, 0_u8).map_err(|_| Error::TooLarge { rows, columns })?;
    let at_once = (JOB / columns.max(1)).max(1);
    let jobs = memory::collect((0..).step_by(at_once).zip(bytes.chunks_mut((at_once * columns).max(1))))?;
    let row_ns = BIT_NS * 8.0 * columns as f64;
    let workers = Workers::new(parallel::threads_for(row_ns * rows as f64, run.threads), row_ns);
    let pack = |(first, bytes): (usize, &mut [u8]), (): &mut (), poll: &mut parallel::Poll<'_>| {
        for (row, bytes) in (first..).zip(bytes.chunks_exact_mut(columns)) {
            if poll.is_cancelled() {
                break;
            }
            fill(x.row(row).ranks(), bytes);
        }
        Ok(())
    };
    parallel::run(jobs, workers, run.watch, |_| Ok(()), pack)?;
    Ok(bytes)
}

fn fill(ranks: &[u32], bytes: &mut [u8]) {
    let (mut filled, mut bits) = (0, 0);
    let mut bytes = bytes.iter_mut();
    let mut store = |bits: u8| bytes.next().map(|byte| *byte = bits);
    for (j, &later) in ranks.iter().enumerate() {
        for &earlier in &ranks[..j] {
            bits |= u8::from(earlier < later) << filled;
            filled += 1;
            if filled == 8 {
                store(bits);
                (filled, bits) = (0, 0);
            }
        }
    }
    store(bits);
}
