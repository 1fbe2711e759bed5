//! Loops over vectors: inner products, bilinear forms of the products of two matrices, sums of chosen numbers, division.

use super::task;

/// The number of products that are computed side by side. Vectors are padded with zeros to a multiple of this.
pub(crate) const LANES: usize = 8;
/// The number of vectors that are multiplied at once.
const GROUP: usize = 4;

task! {
    /// The inner products of a vector with several other vectors of the same length, which are stored one after
    /// another. An inner product is bitwise the same if its two vectors are swapped, and it does not depend on the
    /// remaining vectors.
    pub(crate) fn inner_products(_arch: A, one: &[f64], others: &[f64], out: &mut [f64]) {
        let length = one.len();
        let mut groups = out.chunks_exact_mut(GROUP);
        let mut first = 0;
        for out in &mut groups {
            let vectors: [&[f64]; GROUP] = std::array::from_fn(|vector| &others[(first + vector) * length..][..length]);
            out.copy_from_slice(&group(one, vectors));
            first += GROUP;
        }
        for out in groups.into_remainder() {
            [*out] = group(one, [&others[first * length..][..length]]);
            first += 1;
        }
    }
}

/// The width of the matrices of [`bilinear`] is a multiple of this.
pub(crate) const WIDTH: usize = 4;

task! {
    /// For each of two pairs of vectors x and y, the sum over all i and j of `x[i] one[i, j] other[i, j] y[j]`. The
    /// matrices have a row for each number of x and a column for each number of y. y may end with zeros. The sums are
    /// bitwise the same if the two matrices are swapped.
    pub(crate) fn bilinear(_arch: A, one: &[f64], other: &[f64], x: [&[f64]; 2], y: [&[f64]; 2]) -> [f64; 2] {
        let y = y.map(|y| y.as_chunks::<WIDTH>().0);
        let width = y[0].len();
        let (one, other) = (one.as_chunks::<WIDTH>().0, other.as_chunks::<WIDTH>().0);
        let mut sums = [0.0; 2];
        if width == 0 {
            return sums;
        }
        for (row, (one, other)) in one.chunks_exact(width).zip(other.chunks_exact(width)).enumerate() {
            let mut of_row = [[0.0; WIDTH]; 2];
            for (column, (one, other)) in one.iter().zip(other).enumerate() {
                for lane in 0..WIDTH {
                    let product = one[lane] * other[lane];
                    of_row[0][lane] += product * y[0][column][lane];
                    of_row[1][lane] += product * y[1][column][lane];
                }
            }
            for (side, [a, b, c, d]) in of_row.into_iter().enumerate() {
                sums[side] += x[side][row] * ((a + b) + (c + d));
            }
        }
        sums
    }
}

#[inline(always)]
fn group<const G: usize>(one: &[f64], others: [&[f64]; G]) -> [f64; G] {
    let (one, others) = (one.as_chunks::<LANES>().0, others.map(|other| other.as_chunks::<LANES>().0));
    let mut sums = [[0.0; LANES]; G];
    for (step, one) in one.iter().enumerate() {
        for (sums, other) in sums.iter_mut().zip(others) {
            let other = &other[step];
            for lane in 0..LANES {
                sums[lane] += one[lane] * other[lane];
            }
        }
    }
    sums.map(|[a, b, c, d, e, f, g, h]| ((a + b) + (c + d)) + ((e + f) + (g + h)))
}

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

/// The number if the condition holds, otherwise 0. It uses operations on bits. A branch would be unpredictable, and a
/// pair of rankings would take ten times as long.
#[inline(always)]
fn keep_if(condition: bool, number: f64) -> f64 {
    f64::from_bits(number.to_bits() & u64::from(condition).wrapping_neg())
}

task! {
    /// Divides each value by two roots: `root`, and the root in `roots` that belongs to the value. The quotient is
    /// limited to -1 to 1. If a root is 0, the quotient is 0. Returns whether any quotient is near 1.
    pub(crate) fn divide(_arch: A, values: &mut [f64], root: f64, roots: &[f64]) -> bool {
        let mut near = 0;
        for (value, &other) in values.iter_mut().zip(roots) {
            let unit = root * other;
            let quotient = *value / unit;
            let quotient = if quotient > 1.0 { 1.0 } else { quotient };
            let quotient = if quotient < -1.0 { -1.0 } else { quotient };
            *value = if unit == 0.0 { 0.0 } else { quotient };
            near |= u64::from(*value > 0.99);
        }
        near != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Level};

    #[test]
    fn every_instruction_set_gives_the_definition() {
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            for (length, count) in [(0, 3), (8, 0), (8, 1), (16, 4), (40, 7), (24, 9)] {
                let one: Vec<f64> = (0..length).map(|i| f64::from(i * i % 17) - 5.0).collect();
                let others: Vec<f64> = (0..length * count).map(|i| f64::from(i * 31 % 11) - 3.0).collect();
                let mut found = vec![f64::NAN; count as usize];
                inner_products(isa, &one, &others, &mut found);
                for (k, found) in found.iter().enumerate() {
                    let other = &others[k * one.len()..][..one.len()];
                    assert_eq!(*found, one.iter().zip(other).fold(0.0, |sum, (a, b)| sum + a * b));
                }
            }
        }
    }

    #[test]
    fn bilinear_forms_are_sums_over_both_indices() {
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            for n in [0, 1, 3, 4, 9, 20] {
                let width = usize::next_multiple_of(n, WIDTH);
                let number = |i: usize| (i * 31 % 17) as f64 - 8.0;
                let [one, other] = [3, 7].map(|k| (0..n * width).map(|i| number(i * k)).collect::<Vec<_>>());
                let vectors = [1, 2].map(|k| (0..width).map(|i| number(i * k)).collect::<Vec<_>>());
                let vectors = vectors.each_ref().map(|vector| &vector[..]);
                let expected = vectors.map(|x| {
                    let cell = |i: usize, j: usize| x[i] * one[i * width + j] * other[i * width + j] * x[j];
                    (0..n).map(|i| (0..width).map(|j| cell(i, j)).sum::<f64>()).sum::<f64>()
                });
                assert_eq!(bilinear(isa, &one, &other, vectors, vectors), expected);
            }
        }
    }
}
