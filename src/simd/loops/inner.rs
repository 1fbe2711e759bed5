//! Inner products of one vector with several others.

use super::task;

/// The numbers that are multiplied side by side. Vectors are padded with zeros to whole ones.
pub(crate) const LANES: usize = 8;
/// The vectors that are multiplied at once.
const GROUP: usize = 4;

task! {
    /// The inner product of a vector with each of several others of the same length, one after another. Each is the same
    /// bitwise if the two vectors are swapped, and whatever the other vectors are.
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
}
