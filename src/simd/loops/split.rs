//! Sums over concordant pairs by splitting values sixteen ways where there are too many for one grid.
//!
//! Values come in order of position. An item has two numbers, looked up by its value: one that it brings along and one by which
//! it takes what the concordant items before it have brought. Sixteen running sums, one for each range of values, say what has
//! been brought from below that range; they are updated and used without a branch, by multiplying with rows of zeros and ones.

use super::grid::{self, Terms};
use super::task;
use crate::simd::Isa;
use crate::simd::arch::Doubles16;

/// Ranges of values.
const WAYS: usize = 16;
/// A number for each range.
type Row = [f64; WAYS];

/// Begins with a line of the cache: loading a register across two takes twice as long.
#[repr(align(64))]
struct Aligned<T>(T);

/// `ABOVE[b]` is one for the ranges above `b`.
static ABOVE: Aligned<[Row; WAYS]> = Aligned(table(true));
/// `AT[b]` is one for the range `b`.
static AT: Aligned<[Row; WAYS]> = Aligned(table(false));
const fn table(above: bool) -> [Row; WAYS] {
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

/// At most so many values at a time: running sums over many more would lose digits.
pub(crate) const MOST: usize = 24576;

/// Adds up the concordant pairs of `values`, which are `first..first + values.len()` in order of position. Destroys the values;
/// `spare` is at least as long; `cells` is memory to be used again.
pub(crate) fn sum(
    isa: Isa,
    terms: Terms<'_>,
    first: usize,
    values: &mut [u32],
    spare: &mut [u32],
    cells: &mut Vec<f64>,
) -> f64 {
    assert!(values.len() <= MOST);
    if values.len() <= terms.most() {
        return grid::sum(isa, terms, first, values, spare, cells);
    }
    let spare = &mut spare[..values.len()];
    let ranges = Ranges::new(values.len().div_ceil(WAYS));
    let mut total = across_ranges(isa, terms, first, ranges, values, spare);
    for (index, (part, spare)) in spare.chunks(ranges.length).zip(values.chunks_mut(ranges.length)).enumerate() {
        total += grid::sum(isa, terms, first + index * ranges.length, part, spare, cells);
    }
    total
}

task! {
    /// Adds up the pairs in different ranges; moves the values to `out`, range by range, each in order of position.
    fn across_ranges<A>(terms: Terms<'_>, first: usize, ranges: Ranges, values: &[u32], out: &mut [u32]) -> f64 {
        match terms {
            Terms::Ones => split::<_, A::Doubles16>(&Ones, first, ranges, values, out),
            Terms::Squares(x) => split::<_, A::Doubles16>(&Squares(x), first, ranges, values, out),
            Terms::Later(x) => split::<_, A::Doubles16>(&Later(x), first, ranges, values, out),
            Terms::Sums { p, q } => split::<_, A::Doubles16>(&Sums { p, q }, first, ranges, values, out),
        }
    }
}

/// What a kind of terms does with an item.
///
/// # Safety
/// As for [`Doubles16`].
trait Rule {
    /// Numbers for which running sums are kept.
    const SUMS: usize;

    /// What an item adds to each running sum.
    fn brings(&self, value: usize, sum: usize) -> f64;
    /// What an item takes of the running sums.
    unsafe fn takes<L: Doubles16>(&self, running: &[L; 4], value: usize) -> L;
}

/// A rule with one running sum, of what items bring; they take it times a number of theirs.
macro_rules! product_rule {
    ($rule:ty, |$self:ident, $value:ident| $brings:expr, $takes:expr) => {
        impl Rule for $rule {
            const SUMS: usize = 1;

            #[inline(always)]
            fn brings(&$self, $value: usize, _: usize) -> f64 {
                $brings
            }
            #[inline(always)]
            unsafe fn takes<L: Doubles16>(&$self, running: &[L; 4], $value: usize) -> L {
                unsafe { running[0].mul(L::splat($takes)) }
            }
        }
    };
}

struct Ones;
struct Squares<'a>(&'a [f64]);
struct Later<'a>(&'a [f64]);

product_rule!(Ones, |self, _value| 1.0, 1.0);
product_rule!(Squares<'_>, |self, value| self.0[value], self.0[value]);
product_rule!(Later<'_>, |self, _value| 1.0, self.0[_value]);

struct Sums<'a> {
    p: &'a [f64],
    q: &'a [f64],
}

impl Rule for Sums<'_> {
    /// Of 1, p, q and p q.
    const SUMS: usize = 4;

    #[inline(always)]
    fn brings(&self, value: usize, sum: usize) -> f64 {
        match sum {
            0 => 1.0,
            1 => self.p[value],
            2 => self.q[value],
            _ => self.p[value] * self.q[value],
        }
    }
    #[inline(always)]
    unsafe fn takes<L: Doubles16>(&self, [one, p, q, pq]: &[L; 4], value: usize) -> L {
        unsafe {
            let (own_p, own_q) = (self.p[value], self.q[value]);
            pq.add_product(*p, L::splat(own_q))
                .add_product(*q, L::splat(own_p))
                .add_product(*one, L::splat(own_p * own_q))
        }
    }
}

/// Ranges of equal length, at most [`WAYS`] of them.
#[derive(Clone, Copy)]
struct Ranges {
    length: usize,
    /// 2^32 over the length, rounded up: multiplying by it and shifting divides numbers up to 2^16 by the length.
    inverse: u64,
}

impl Ranges {
    #[inline(always)]
    fn new(length: usize) -> Self {
        Self { length, inverse: (1u64 << 32).div_ceil(length as u64) }
    }

    #[inline(always)]
    fn way(self, offset: usize) -> usize {
        ((offset as u64 * self.inverse) >> 32) as usize % WAYS
    }
}

/// Sums over the pairs in different ranges; moves the values to `out`, range by range, each in order of position.
#[inline(always)]
unsafe fn split<R: Rule, L: Doubles16>(rule: &R, first: usize, ranges: Ranges, values: &[u32], out: &mut [u32]) -> f64 {
    let mut ends: [usize; WAYS] = std::array::from_fn(|way| way * ranges.length);
    // SAFETY: the caller keeps the promise of `Doubles16`.
    unsafe {
        let mut running = [L::splat(0.0); 4];
        let mut sums = L::splat(0.0);
        for &value in values {
            let way = ranges.way(value as usize - first);
            let (at, above) = (L::load(&AT.0[way]), L::load(&ABOVE.0[way]));
            sums = sums.add_product(at, rule.takes(&running, value as usize));
            for (index, running) in running[..R::SUMS].iter_mut().enumerate() {
                *running = running.add_product(above, L::splat(rule.brings(value as usize, index)));
            }
            out[ends[way]] = value;
            ends[way] += 1;
        }
        sums.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_by_multiplication() {
        for length in 1..=MOST / WAYS {
            let ranges = Ranges::new(length);
            for way in 0..WAYS {
                assert_eq!(ranges.way(way * length), way);
                assert_eq!(ranges.way((way + 1) * length - 1), way);
            }
        }
    }
}
