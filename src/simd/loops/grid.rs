//! Sums over concordant pairs on a grid: positions and values are both cut into buckets.
//!
//! A concordant pair is of one of three kinds. If its items lie in different buckets of positions and of values, all that matters
//! is the two cells they lie in: what the items bring is added up cell by cell, and one pass over the cells adds up the pairs. If
//! both lie in one bucket of positions, or in different ones of positions and one of values, they are found by comparing all pairs of
//! the bucket.

use super::rules::{Later, Ones, PlaceSums, Products, Rooms, Rule, Squares, Sums};
use super::task;
use crate::simd::arch::GridRegister;

/// What pairs of items add. An item is named by its value.
#[derive(Clone, Copy)]
pub(crate) enum Terms<'a> {
    /// One.
    Ones,
    /// The product of the numbers of both items.
    Squares(&'a [f64]),
    /// The number of the later item.
    Later(&'a [f64]),
    /// (p + p') (q + q').
    Sums {
        /// One number of each item.
        p: &'a [f64],
        /// The other.
        q: &'a [f64],
    },
}

impl Terms<'_> {
    /// How many values should be summed on one grid at most: with four numbers a cell, splitting first pays sooner.
    pub(crate) fn most(&self) -> usize {
        if matches!(self, Self::Sums { .. }) { NARROW } else { MOST }
    }
}

impl Whole<'_> {
    /// As [`Terms::most`].
    pub(crate) fn most(&self) -> usize {
        if matches!(self, Self::Sums(_)) { NARROW } else { MOST }
    }
}

/// What pairs of items of a whole permutation add, where the position of an item is known as well as its value.
#[derive(Clone, Copy)]
pub(crate) enum Whole<'a> {
    /// The product of the numbers of both positions and both values.
    Products(&'a [f64]),
    /// The sum of the numbers of both positions times that of both values.
    Sums(&'a [f64]),
    /// What the larger of value and position of the later item lacks to this.
    Rooms(u32),
}

/// At most so many values at a time: the cells of more would not fit the second cache.
pub(crate) const MOST: usize = 8192;
/// Up to here buckets are narrow: more cells, and fewer pairs within buckets.
const NARROW: usize = 3072;
const NARROW_BUCKET: usize = 32;
const WIDE_BUCKET: usize = 64;

task! {
    /// Adds up the concordant pairs of `values`, which are `first..first + values.len()` in order of position. `spare` is at least
    /// as long; `cells` is memory to be used again.
    pub(crate) fn sum<A>(
        terms: Terms<'_>, first: usize, values: &[u32], spare: &mut [u32], cells: &mut Vec<f64>,
    ) -> f64 {
        assert!(values.len() <= MOST);
        match terms {
            Terms::Ones => sum_by::<_, A::Register, _>(&Ones, first, values, spare, cells),
            Terms::Squares(x) => sum_by::<_, A::Register, _>(&Squares(&x[first..]), first, values, spare, cells),
            Terms::Later(x) => sum_by::<_, A::Register, _>(&Later(&x[first..]), first, values, spare, cells),
            Terms::Sums { p, q } => {
                sum_by::<_, A::Register, _>(&Sums { p: &p[first..], q: &q[first..] }, first, values, spare, cells)
            }
        }
    }
}

task! {
    /// As [`sum`] for a whole permutation.
    pub(crate) fn sum_whole<A>(terms: Whole<'_>, values: &[u32], spare: &mut [u32], cells: &mut Vec<f64>) -> f64 {
        assert!(values.len() <= MOST);
        match terms {
            Whole::Products(u) => sum_by::<_, A::Register, _>(&Products(u), 0, values, spare, cells),
            Whole::Sums(u) => sum_by::<_, A::Register, _>(&PlaceSums(u), 0, values, spare, cells),
            Whole::Rooms(room) => sum_by::<_, A::Register, _>(&Rooms(room), 0, values, spare, cells),
        }
    }
}

/// # Safety
/// As for [`GridRegister`].
#[inline(always)]
unsafe fn sum_by<R: Rule<N>, L: GridRegister, const N: usize>(
    rule: &R,
    first: usize,
    values: &[u32],
    spare: &mut [u32],
    cells: &mut Vec<f64>,
) -> f64 {
    // SAFETY: the caller keeps the promise of `GridRegister`.
    unsafe {
        if values.len() <= NARROW {
            sum_in::<R, L, N, NARROW_BUCKET>(rule, first, values, spare, cells)
        } else {
            sum_in::<R, L, N, WIDE_BUCKET>(rule, first, values, spare, cells)
        }
    }
}

/// With buckets of `S`.
#[inline(always)]
unsafe fn sum_in<R: Rule<N>, L: GridRegister, const N: usize, const S: usize>(
    rule: &R,
    first: usize,
    values: &[u32],
    spare: &mut [u32],
    cells: &mut Vec<f64>,
) -> f64 {
    let count = values.len();
    let positions = &mut spare[..count];
    let grid = Grid::new(count.div_ceil(S).max(1));
    cells.clear();
    cells.resize(grid.len() * (N + usize::from(R::TAKES)), 0.0);
    let (brings, takes) = cells.split_at_mut(grid.len() * N);
    let brings = brings.as_chunks_mut::<N>().0;
    // Checked once for all that is looked up by value below.
    assert!(rule.len() >= count && values.iter().all(|&value| (value as usize).wrapping_sub(first) < count));
    let mut buckets = [Bucket::<S>::new(), Bucket::new(), Bucket::new(), Bucket::new()];
    // SAFETY: the caller keeps the promise of `GridRegister`. Values less the first, and positions, are below `count`, so rows and columns
    // are within the grid.
    unsafe {
        let mut total = L::splat(0.0);
        // Several buckets are filled before the first is used: what has just been stored piece by piece cannot be loaded as a whole.
        for (rows, part) in (0..).step_by(buckets.len()).zip(values.chunks(S * buckets.len())) {
            for ((row, bucket), part) in (rows..).zip(&mut buckets).zip(part.chunks(S)) {
                let first_of_row = row * grid.width;
                for (place, &value) in part.iter().enumerate() {
                    let (value, position) = (value as usize - first, row * S + place);
                    *positions.get_unchecked_mut(value) = position as u32;
                    bucket.both[0][place] = rule.both(value, position).0;
                    if R::TWO {
                        bucket.both[1][place] = rule.both(value, position).1;
                    }
                    let cell = first_of_row + value / S;
                    let sums = brings.get_unchecked_mut(cell);
                    for (sum, number) in sums.iter_mut().zip(rule.brings(value, position)) {
                        *sum += number;
                    }
                    if R::TAKES {
                        *takes.get_unchecked_mut(cell) += rule.takes(value, position);
                    }
                }
                bucket.keys = whole(part).map(f64::from);
            }
            for (bucket, part) in buckets.iter_mut().zip(part.chunks(S)) {
                bucket.bounds = bucket.keys;
                total = total.add(bucket.sum::<R, L, N>(part.len()));
            }
        }
        let [bucket, ..] = &mut buckets;
        for (column, part) in positions.chunks(S).enumerate() {
            let positions = whole(part);
            bucket.keys = positions.map(f64::from);
            // Items of the same bucket of positions have been seen to: an earlier item is one before the bucket.
            bucket.bounds = positions.map(|position| f64::from(position / S as u32 * S as u32));
            if part.len() == S {
                bucket.set_all(rule, column * S, &positions);
            } else {
                bucket.set_all(rule, column * S, part);
            }
            total = total.add(bucket.sum::<R, L, N>(part.len()));
        }
        let takes = if R::TAKES { &*takes } else { brings.as_flattened() };
        total.add(grid.sum::<L, N>(brings, takes)).sum()
    }
}

/// As many as a bucket holds, with zeros for what is missing.
#[inline(always)]
fn whole<const S: usize>(part: &[u32]) -> [u32; S] {
    part.first_chunk().copied().unwrap_or_else(|| {
        let mut whole = [0; S];
        whole[..part.len()].copy_from_slice(part);
        whole
    })
}

/// Cells in rows of buckets of positions and columns of buckets of values.
#[derive(Clone, Copy)]
struct Grid {
    /// Rounded up, so that rows can be taken several at a time.
    height: usize,
    /// Rounded up to whole vectors.
    width: usize,
}

/// Rows that are scanned side by side, because an addition has to wait for the one before it.
const SCANNED: usize = 4;
/// Columns of a grid are a multiple of the width of the widest vector.
const COLUMNS: usize = 8;

impl Grid {
    fn new(buckets: usize) -> Self {
        Self { height: buckets.next_multiple_of(SCANNED), width: buckets.next_multiple_of(COLUMNS) }
    }

    fn len(self) -> usize {
        self.height * self.width
    }

    /// Adds up the pairs of cells of which one is in a lower row and a lower column than the other: what the one brings, times what
    /// the other takes by, the last of these for the first of those.
    ///
    /// # Safety
    /// As for [`GridRegister`].
    #[inline(always)]
    unsafe fn sum<L: GridRegister, const N: usize>(self, brings: &[[f64; N]], takes: &[f64]) -> L {
        const MOST_COLUMNS: usize = (MOST / WIDE_BUCKET).next_multiple_of(COLUMNS);
        const { assert!((NARROW / NARROW_BUCKET).next_multiple_of(COLUMNS) <= MOST_COLUMNS) };
        // What the cells in lower rows and columns bring, and those in a row and lower columns.
        let mut below = [[0.0; N]; MOST_COLUMNS];
        let mut left = [[[0.0; N]; MOST_COLUMNS]; SCANNED];
        // SAFETY: the caller keeps the promise of `GridRegister`.
        unsafe {
            let mut totals = [L::splat(0.0); SCANNED];
            let bands = brings.chunks_exact(self.width * SCANNED).zip(takes.chunks_exact(self.width * SCANNED * N));
            for (brings, takes) in bands {
                let rows: [&[[f64; N]]; SCANNED] = [0, 1, 2, 3].map(|row| &brings[row * self.width..][..self.width]);
                let mut sums = [[0.0; N]; SCANNED];
                for column in 0..self.width.min(MOST_COLUMNS) {
                    for row in 0..SCANNED {
                        left[row][column] = sums[row];
                        for (sum, number) in sums[row].iter_mut().zip(rows[row][column]) {
                            *sum += number;
                        }
                    }
                }
                for start in (0..self.width * N).step_by(L::WIDTH) {
                    let below = &mut below.as_flattened_mut()[start..start + L::WIDTH];
                    let mut seen = L::load(below);
                    for row in 0..SCANNED {
                        let takes = L::load(&takes[row * self.width * N + start..]);
                        let takes = if N == 4 { takes.reverse_fours() } else { takes };
                        totals[row] = totals[row].add_product(seen, takes);
                        seen = seen.add(L::load(&left[row].as_flattened()[start..]));
                    }
                    seen.store(below);
                }
            }
            let [a, b, c, d] = totals;
            a.add(b).add(c.add(d))
        }
    }
}

/// The items of a bucket, in the order of the one thing; of the other each has a key of its own and a bound for those of the
/// items before it that it makes a pair with.
struct Bucket<const S: usize> {
    keys: [f64; S],
    bounds: [f64; S],
    both: [[f64; S]; 2],
}

impl<const S: usize> Bucket<S> {
    fn new() -> Self {
        Self { keys: [0.0; S], bounds: [0.0; S], both: [[0.0; S]; 2] }
    }

    /// Sets the numbers of the values from `first` on, which have these positions.
    ///
    /// # Safety
    /// As for [`Rule`].
    #[inline(always)]
    unsafe fn set_all<R: Rule<N>, const N: usize>(&mut self, rule: &R, first: usize, positions: &[u32]) {
        let [first_of_both, second] = &mut self.both;
        // SAFETY: as promised.
        unsafe {
            for (value, (number, &position)) in (first..).zip(first_of_both.iter_mut().zip(positions)) {
                *number = rule.both(value, position as usize).0;
            }
            if R::TWO {
                for (value, (number, &position)) in (first..).zip(second.iter_mut().zip(positions)) {
                    *number = rule.both(value, position as usize).1;
                }
            }
        }
    }

    /// Adds up the pairs of an earlier item, of the first `count`, whose key is below the bound of a later one.
    ///
    /// # Safety
    /// As for [`GridRegister`].
    #[inline(always)]
    unsafe fn sum<R: Rule<N>, L: GridRegister, const N: usize>(&mut self, count: usize) -> L {
        self.keys[count..].fill(f64::INFINITY);
        self.bounds[count..].fill(f64::NEG_INFINITY);
        // SAFETY: the caller keeps the promise of `GridRegister`.
        unsafe {
            let mut total = L::splat(0.0);
            for start in (0..S).step_by(4 * L::WIDTH) {
                total = total.add(self.sum_from::<R, L, N>(start));
            }
            total
        }
    }

    /// With the earlier items in four vectors from `start` on, each with a sum that need not wait for the others.
    #[inline(always)]
    unsafe fn sum_from<R: Rule<N>, L: GridRegister, const N: usize>(&self, start: usize) -> L {
        // Spelled out, because what is in an array is not sure to be in registers.
        macro_rules! vector {
            ($values:expr, $index:expr) => {
                L::load(&$values[start + $index * L::WIDTH..])
            };
        }
        macro_rules! earlier {
            ($index:expr) => {
                (vector!(self.keys, $index), (vector!(self.both[0], $index), vector!(self.both[1], $index)))
            };
        }
        macro_rules! add {
            ($place:expr,) => {};
            ($place:expr, $($sum:ident: $keys:expr, $earlier:expr);+) => {
                let later = (self.both[0][$place], self.both[1][$place]);
                let bound = L::splat(self.bounds[$place]);
                $($sum = $sum.add_if_less($keys, bound, R::pair($earlier, later));)+
            };
        }
        macro_rules! add_own {
            ($index:expr, $own:ident: $own_keys:ident, $own_earlier:ident; $($sum:ident: $keys:ident, $earlier:ident);*) => {
                add!(start + $index * L::WIDTH, $($sum: $keys, $earlier);*);
                for lane in 1..L::WIDTH {
                    let place = start + $index * L::WIDTH + lane;
                    add!(place, $own: $own_keys.hide_from(lane), $own_earlier $(; $sum: $keys, $earlier)*);
                }
            };
        }
        // SAFETY: the caller keeps the promise of `GridRegister`.
        unsafe {
            let ((ka, a), (kb, b), (kc, c), (kd, d)) = (earlier!(0), earlier!(1), earlier!(2), earlier!(3));
            let zero = L::splat(0.0);
            let (mut sa, mut sb, mut sc, mut sd) = (zero, zero, zero, zero);
            add_own!(0, sa: ka, a;);
            add_own!(1, sb: kb, b; sa: ka, a);
            add_own!(2, sc: kc, c; sa: ka, a; sb: kb, b);
            add_own!(3, sd: kd, d; sa: ka, a; sb: kb, b; sc: kc, c);
            for place in start + 4 * L::WIDTH..S {
                add!(place, sa: ka, a; sb: kb, b; sc: kc, c; sd: kd, d);
            }
            let left = sa.mul(R::factor(a)).add_product(sb, R::factor(b));
            let right = sc.mul(R::factor(c)).add_product(sd, R::factor(d));
            left.add(right)
        }
    }
}
