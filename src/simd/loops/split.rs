//! Sums over concordant pairs of values that are too many for one grid. The values are split into sixteen ranges.
//!
//! Values are sorted by position. Each range of values has a running sum: the sum of the numbers that the items so far
//! give to the values of this range. The running sums are multiplied by rows of zeros and ones, so that no branch is
//! needed:
//!
//! ```text
//! for each item j, in the range r:
//!     total += running[r] . later(j)
//!     running[r'] += earlier(j) for all r' > r
//! ```

use super::grid;
use super::task;
use crate::simd::Isa;
use crate::simd::arch::Doubles16;
use crate::weight::pair::{Later, Ones, PairTerm, Products, Sums, Terms};

/// The number of ranges of values.
const WAYS: usize = 16;
/// A number for each range.
type Ways = [f64; WAYS];

/// Aligned to a cache line, because it takes twice as long to load a register that spans two lines.
#[repr(align(64))]
struct Aligned<T>(T);

/// `ABOVE[b]` is one for the ranges above `b`.
static ABOVE: Aligned<[Ways; WAYS]> = Aligned(table(true));
/// `AT[b]` is one for the range `b`.
static AT: Aligned<[Ways; WAYS]> = Aligned(table(false));
const fn table(above: bool) -> [Ways; WAYS] {
    let mut table = [[0.0; WAYS]; WAYS];
    let mut way = 0;
    while way < WAYS {
        let mut lane = 0;
        while lane < WAYS {
            if (above && lane > way) || (!above && lane == way) {
                table[way][lane] = 1.0;
            }
            lane += 1;
        }
        way += 1;
    }
    table
}

/// The maximum number of values at a time. Running sums over many more values would lose digits.
pub(crate) const MOST: usize = 24576;

/// Adds up the concordant pairs of `values`, which are `first..first + values.len()` sorted by position.
///
/// Overwrites the values; `spare` is at least as long; `cells` is reusable memory.
pub(crate) fn sum(
    isa: Isa,
    terms: Terms<'_>,
    first: usize,
    values: &mut [u32],
    spare: &mut [u32],
    cells: &mut Vec<f64>,
) -> f64 {
    assert!(values.len() <= MOST);
    if values.len() <= terms.most_on_grid() {
        return grid::sum(isa, terms, first, values, spare, cells);
    }
    let spare = &mut spare[..values.len()];
    let ranges = UniformRanges::new(values.len().div_ceil(WAYS));
    let mut total = across_ranges(isa, terms, first, ranges, values, spare);
    for (index, (part, spare)) in spare.chunks(ranges.length).zip(values.chunks_mut(ranges.length)).enumerate() {
        total += grid::sum(isa, terms, first + index * ranges.length, part, spare, cells);
    }
    total
}

task! {
    /// Adds up the pairs in different ranges. Moves the values to `out`, range by range; the values of a range are
    /// sorted by position.
    fn across_ranges(
        arch: A, terms: Terms<'_>, first: usize, ranges: UniformRanges, values: &[u32], out: &mut [u32],
    ) -> f64 {
        match terms {
            Terms::Ones => split::<Ones, A::Doubles16, _, _>(arch, |_| [], first, ranges, values, out),
            Terms::Later(x) => {
                split::<Later, A::Doubles16, _, _>(arch, move |value| [x[value]], first, ranges, values, out)
            }
            Terms::Products(x) => {
                split::<Products, A::Doubles16, _, _>(arch, move |value| [x[value]], first, ranges, values, out)
            }
            Terms::Sums { p, q } => {
                // Both slices get the same length, so that one check covers both.
                let length = p.len().min(q.len());
                let (p, q) = (&p[..length], &q[..length]);
                split::<Sums, A::Doubles16, _, _>(arch, move |value| [p[value], q[value]], first, ranges, values, out)
            }
        }
    }
}

/// Ranges of equal length, at most [`WAYS`] of them.
#[derive(Clone, Copy)]
struct UniformRanges {
    length: usize,
    /// 2^32 divided by the length, rounded up. Numbers up to 2^16 are divided by the length with a multiplication by
    /// this number and a shift.
    inverse: u64,
}

impl UniformRanges {
    #[inline(always)]
    fn new(length: usize) -> Self {
        Self { length, inverse: (1u64 << 32).div_ceil(length as u64) }
    }

    #[inline(always)]
    fn way(self, offset: usize) -> usize {
        ((offset as u64 * self.inverse) >> 32) as usize % WAYS
    }
}

/// The same as [`across_ranges`], for a kind of term and the numbers of items.
#[inline(always)]
fn split<T: PairTerm<M, N>, V: Doubles16, const M: usize, const N: usize>(
    arch: V::Arch,
    numbers: impl Fn(usize) -> [f64; M],
    first: usize,
    ranges: UniformRanges,
    values: &[u32],
    out: &mut [u32],
) -> f64 {
    let mut ends: [usize; WAYS] = std::array::from_fn(|way| way * ranges.length);
    let mut running = [V::splat(arch, 0.0); N];
    let mut sums = V::splat(arch, 0.0);
    for &value in values {
        let way = ranges.way(value as usize - first);
        let (at, above) = (V::load(arch, &AT.0[way]), V::load(arch, &ABOVE.0[way]));
        let item = numbers(value as usize);
        let later = T::later(1.0, item);
        let mut terms = running[T::ORDER[0]].mul(V::splat(arch, later[T::ORDER[0]]));
        for &k in &T::ORDER[1..] {
            terms = terms.add_product(running[k], V::splat(arch, later[k]));
        }
        sums = sums.add_product(at, terms);
        let earlier = T::earlier(1.0, item);
        for k in 0..N {
            running[k] = running[k].add_product(above, V::splat(arch, earlier[k]));
        }
        out[ends[way]] = value;
        ends[way] += 1;
    }
    sums.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_by_multiplication() {
        for length in 1..=MOST / WAYS {
            let ranges = UniformRanges::new(length);
            for way in 0..WAYS {
                assert_eq!(ranges.way(way * length), way);
                assert_eq!(ranges.way((way + 1) * length - 1), way);
            }
        }
    }
}
