//! Sums over concordant pairs by splitting values sixteen ways, and by brute force where few are left.
//!
//! Values come in order of position. An item has two numbers, looked up by its value: one that it brings along and one by which
//! it takes what the concordant items before it have brought. Sixteen running sums, one for each range of values, say what has
//! been brought from below that range; they are updated and used without a branch, by multiplying with rows of zeros and ones.

use super::doubles::{Avx2, Avx512, Doubles, Row, WAYS};
use super::{Isa, dispatch};

/// Begins with a line of the cache: loading a register across two takes twice as long.
#[repr(align(64))]
struct Aligned<T>(T);

/// `ABOVE[b]` is one for the ranges above `b`.
static ABOVE: Aligned<[Row; WAYS]> = Aligned(table(true));
/// `AT[b]` is one for the range `b`.
static AT: Aligned<[Row; WAYS]> = Aligned(table(false));
/// 0, 1, 2, ...
static PLACES: Row = {
    let mut places = [0.0; WAYS];
    let mut lane = 0;
    while lane < WAYS {
        places[lane] = lane as f64;
        lane += 1;
    }
    places
};

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

/// What belongs to the items, by value.
#[derive(Clone, Copy)]
pub(crate) enum Terms<'a> {
    /// A pair adds what its earlier item brings times what its later item takes.
    Products {
        /// What an item brings.
        brings: &'a [f64],
        /// By which an item takes.
        takes: &'a [f64],
    },
    /// A pair adds (p + p') (q + q').
    Sums {
        /// One number of each item.
        p: &'a [f64],
        /// The other.
        q: &'a [f64],
    },
}

/// At most so many values at a time: two splits and leaves. Running sums over many more would also lose digits.
pub(crate) const MOST: usize = WAYS * WAYS * LEAF;

/// At most this many are left to brute force.
const LEAF: usize = 96;
/// Where splitting once more and brute force take the same time.
const IDEAL_LEAF: usize = 64;

/// Adds up the concordant pairs of `values`, which are `first..first + values.len()` in order of position. Destroys the values;
/// `spare` is at least as long.
pub(crate) fn sum(isa: Isa, terms: Terms<'_>, first: usize, values: &mut [u32], spare: &mut [u32]) -> f64 {
    let mut total = 0.0;
    let result = &mut total;
    dispatch!(
        isa,
        L: Row | Avx2 | Avx512,
        (terms: Terms<'_>, first: usize, values: &mut [u32], spare: &mut [u32], result: &mut f64),
        {
            *result = match terms {
                Terms::Products { brings, takes } => sum_by::<Products<'_>, L>(&Products { brings, takes }, first, values, spare),
                Terms::Sums { p, q } => sum_by::<Sums<'_>, L>(&Sums { p, q }, first, values, spare),
            };
        }
    );
    total
}

/// What a kind of terms does with an item.
///
/// # Safety
/// As for [`Doubles`].
trait Rule {
    /// Numbers for which running sums are kept.
    const SUMS: usize;

    /// What an item adds to each running sum.
    fn brings(&self, value: usize, sum: usize) -> f64;
    /// What an item takes of the running sums.
    unsafe fn takes<L: Doubles>(&self, running: &[L; 4], value: usize) -> L;
    /// The two numbers of an item.
    fn numbers(&self, value: usize) -> (f64, f64);
    /// What each of sixteen earlier items adds with a later one, but for a factor of the earlier one.
    unsafe fn pair<L: Doubles>(earlier: (L, L), later: (f64, f64)) -> L;
    /// That factor.
    unsafe fn factor<L: Doubles>(earlier: (L, L)) -> L;
}

struct Products<'a> {
    brings: &'a [f64],
    takes: &'a [f64],
}

impl Rule for Products<'_> {
    const SUMS: usize = 1;

    #[inline(always)]
    fn brings(&self, value: usize, _: usize) -> f64 {
        self.brings[value]
    }
    #[inline(always)]
    unsafe fn takes<L: Doubles>(&self, running: &[L; 4], value: usize) -> L {
        unsafe { running[0].mul(L::splat(self.takes[value])) }
    }
    #[inline(always)]
    fn numbers(&self, value: usize) -> (f64, f64) {
        (self.brings[value], self.takes[value])
    }
    #[inline(always)]
    unsafe fn pair<L: Doubles>(_: (L, L), later: (f64, f64)) -> L {
        unsafe { L::splat(later.1) }
    }
    #[inline(always)]
    unsafe fn factor<L: Doubles>(earlier: (L, L)) -> L {
        earlier.0
    }
}

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
    unsafe fn takes<L: Doubles>(&self, [one, p, q, pq]: &[L; 4], value: usize) -> L {
        unsafe {
            let (own_p, own_q) = (self.p[value], self.q[value]);
            pq.add_product(*p, L::splat(own_q))
                .add_product(*q, L::splat(own_p))
                .add_product(*one, L::splat(own_p * own_q))
        }
    }
    #[inline(always)]
    fn numbers(&self, value: usize) -> (f64, f64) {
        (self.p[value], self.q[value])
    }
    #[inline(always)]
    unsafe fn pair<L: Doubles>(earlier: (L, L), later: (f64, f64)) -> L {
        unsafe { earlier.0.add(L::splat(later.0)).mul(earlier.1.add(L::splat(later.1))) }
    }
    #[inline(always)]
    unsafe fn factor<L: Doubles>(_: (L, L)) -> L {
        unsafe { L::splat(1.0) }
    }
}

/// Splits the values once, or where many are left each part once more, and sums up the leaves; the two buffers take turns.
///
/// # Safety
/// As for [`Doubles`].
#[inline(always)]
unsafe fn sum_by<R: Rule, L: Doubles>(rule: &R, first: usize, values: &mut [u32], spare: &mut [u32]) -> f64 {
    assert!(values.len() <= MOST);
    // SAFETY: the caller keeps the promise of `Doubles`.
    unsafe {
        if values.len() <= LEAF {
            return brute_force::<R, L>(rule, values);
        }
        let spare = &mut spare[..values.len()];
        let (outer, inner) = lengths(values.len());
        let mut total = split::<R, L>(rule, first, Ranges::new(outer), values, spare);
        for (index, (part, out)) in spare.chunks_mut(outer).zip(values.chunks_mut(outer)).enumerate() {
            if outer == inner {
                total += brute_force::<R, L>(rule, part);
            } else {
                total += split::<R, L>(rule, first + index * outer, Ranges::new(inner), part, out);
                for leaf in out.chunks(inner) {
                    total += brute_force::<R, L>(rule, leaf);
                }
            }
        }
        total
    }
}

/// The lengths of the ranges of the first split and of the second, which are the leaves; equal where one is enough.
#[inline(always)]
fn lengths(count: usize) -> (usize, usize) {
    let leaves = count.div_ceil(IDEAL_LEAF);
    if count <= WAYS * LEAF {
        let length = count.div_ceil(leaves.min(WAYS));
        return (length, length);
    }
    let ways = (1..=WAYS).find(|ways| ways * ways >= leaves).unwrap_or(WAYS);
    let inner = count.div_ceil(ways * ways);
    (inner * ways, inner)
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
unsafe fn split<R: Rule, L: Doubles>(rule: &R, first: usize, ranges: Ranges, values: &[u32], out: &mut [u32]) -> f64 {
    let mut ends: [usize; WAYS] = std::array::from_fn(|way| way * ranges.length);
    // SAFETY: the caller keeps the promise of `Doubles`.
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

/// All pairs of at most [`LEAF`] values: sixteen earlier ones at a time against all later ones.
#[inline(always)]
unsafe fn brute_force<R: Rule, L: Doubles>(rule: &R, values: &[u32]) -> f64 {
    let values = &values[..values.len().min(LEAF)];
    // Places beyond the last have a rank that is below none.
    let mut ranks = [f64::INFINITY; LEAF];
    let mut first = [0.0; LEAF];
    let mut second = [0.0; LEAF];
    for (place, &value) in values.iter().enumerate() {
        ranks[place] = f64::from(value);
        (first[place], second[place]) = rule.numbers(value as usize);
    }
    // SAFETY: the caller keeps the promise of `Doubles`.
    unsafe {
        let places = L::load(&PLACES);
        let mut total = L::splat(0.0);
        for (block, earlier_ranks) in ranks.as_chunks::<WAYS>().0.iter().enumerate() {
            let start = block * WAYS;
            if start >= values.len() {
                break;
            }
            let earlier_ranks = L::load(earlier_ranks);
            let earlier = (L::load(&first.as_chunks().0[block]), L::load(&second.as_chunks().0[block]));
            // Two sums, so that an addition need not wait for the one before it.
            let (mut even, mut odd) = (L::splat(0.0), L::splat(0.0));
            let later = ranks.iter().zip(first.iter().zip(&second)).take(values.len()).skip(start);
            for ((rank, (first, second)), place) in later.zip(&PLACES) {
                let value = R::pair(earlier, (*first, *second));
                even = even.add_if_both_less(earlier_ranks, L::splat(*rank), places, L::splat(*place), value);
            }
            let own = values.len().min(start + WAYS);
            for place in (own..values.len() & !1).step_by(2) {
                let value = R::pair(earlier, (first[place], second[place]));
                even = even.add_if_less(earlier_ranks, L::splat(ranks[place]), value);
                let next = R::pair(earlier, (first[place + 1], second[place + 1]));
                odd = odd.add_if_less(earlier_ranks, L::splat(ranks[place + 1]), next);
            }
            if values.len() % 2 == 1 && own < values.len() {
                let last = values.len() - 1;
                let value = R::pair(earlier, (first[last], second[last]));
                odd = odd.add_if_less(earlier_ranks, L::splat(ranks[last]), value);
            }
            total = total.add_product(even.add(odd), R::factor(earlier));
        }
        total.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_all_values_in_at_most_sixteen_ways() {
        for count in LEAF + 1..=MOST {
            let (outer, inner) = lengths(count);
            assert!(inner <= LEAF && count.div_ceil(outer) <= WAYS && outer.div_ceil(inner) <= WAYS, "{count}");
            assert!(outer % inner == 0, "{count}");
        }
    }

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
