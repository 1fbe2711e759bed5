//! Sums over concordant pairs of weights from a table.

use super::task;

const LANES: usize = 8;

task! {
    /// The sum of `row[i]` over the items i whose value is above `pivot`.
    pub(crate) fn sum_above(_arch: A, pivot: u32, values: &[u32], row: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        let (value_parts, values) = values.as_chunks::<LANES>();
        let (row_parts, row) = row.as_chunks::<LANES>();
        for (values, row) in value_parts.iter().zip(row_parts) {
            for lane in 0..LANES {
                sums[lane] += keep_if(values[lane] > pivot, row[lane]);
            }
        }
        for ((sum, &value), &number) in sums.iter_mut().zip(values).zip(row) {
            *sum += keep_if(value > pivot, number);
        }
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }
}

/// The number, or 0. With bits, because a branch would be unpredictable: a pair of rankings would take ten times as long.
#[inline(always)]
fn keep_if(condition: bool, number: f64) -> f64 {
    f64::from_bits(number.to_bits() & u64::from(condition).wrapping_neg())
}
