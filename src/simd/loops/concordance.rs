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
                sums[lane] += if values[lane] > pivot { row[lane] } else { 0.0 };
            }
        }
        for ((sum, &value), &number) in sums.iter_mut().zip(values).zip(row) {
            *sum += if value > pivot { number } else { 0.0 };
        }
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }
}
