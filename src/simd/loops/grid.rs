//! Sums over concordant pairs on a grid. Positions are split into buckets (the rows of the grid), and values are split
//! into buckets (its columns).
//!
//! Items are sorted by position; item i has position i and value `v[i]`. A pair i < j is concordant if `v[i] < v[j]`.
//! With `row(i) = i / S` and `column(i) = v[i] / S`, each concordant pair is of one of three kinds:
//!
//! ```text
//! row(i) < row(j), column(i) < column(j)   only the cells matter: sums by cell, then one pass over the cells
//! row(i) = row(j)                          compare all pairs of each row
//! row(i) < row(j), column(i) = column(j)   compare all pairs of each column
//! ```
#![allow(unsafe_code)]

use super::bucket::Bucket;
use super::numbers::{Both, ByValue, Nothing, Numbers, ProductOfBoth, Remaining, TwoByValue};
use super::task;
use crate::simd::arch::GridRegister;
use crate::weight::pair::{Later, Ones, PairTerm, Products, Sums, Terms};

/// Terms of a whole permutation: item i has position i and value `v[i]`, and its numbers follow from both.
#[derive(Clone, Copy)]
pub(crate) enum PermutationTerms<'a> {
    /// `u[i] u[v[i]] * u[j] u[v[j]]`.
    Products(&'a [f64]),
    /// `(u[i] + u[j]) (u[v[i]] + u[v[j]])`.
    Sums(&'a [f64]),
    /// `n - max(j, v[j])` of the later item j.
    Remaining(u32),
}

impl Terms<'_> {
    /// The maximum number of values for one grid. If cells have four numbers, it is faster to split the values first,
    /// already for fewer values.
    pub(crate) fn most_on_grid(&self) -> usize {
        match self {
            Self::Ones | Self::Later(_) | Self::Products(_) => MOST,
            Self::Sums { .. } => NARROW,
        }
    }
}

impl PermutationTerms<'_> {
    /// The same as [`Terms::most_on_grid`].
    pub(crate) fn most_on_grid(&self) -> usize {
        match self {
            Self::Products(_) | Self::Remaining(_) => MOST,
            Self::Sums(_) => NARROW,
        }
    }
}

/// The maximum number of values at a time. The cells of more values would not fit into the second-level cache.
const MOST: usize = 8192;
/// Up to this many values, buckets are narrow. So there are more cells, and fewer pairs within buckets.
const NARROW: usize = 3072;
const NARROW_BUCKET: usize = 32;
const WIDE_BUCKET: usize = 64;

task! {
    /// Adds up the concordant pairs of `values`, which are `first..first + values.len()` sorted by position.
    ///
    /// `spare` is at least as long; `cells` is reusable memory.
    pub(crate) fn sum(
        arch: A, terms: Terms<'_>, first: usize, values: &[u32], spare: &mut [u32], cells: &mut Vec<f64>,
    ) -> f64 {
        let permutation = Permutation::new(first, values);
        match terms {
            Terms::Ones => sum_by::<Ones, A::Register, _, _, _>(arch, &Nothing, permutation, spare, cells),
            Terms::Later(x) => {
                sum_by::<Later, A::Register, _, _, _>(arch, &ByValue(&x[first..]), permutation, spare, cells)
            }
            Terms::Products(x) => {
                sum_by::<Products, A::Register, _, _, _>(arch, &ByValue(&x[first..]), permutation, spare, cells)
            }
            Terms::Sums { p, q } => {
                let numbers = TwoByValue { p: &p[first..], q: &q[first..] };
                sum_by::<Sums, A::Register, _, _, _>(arch, &numbers, permutation, spare, cells)
            }
        }
    }
}

task! {
    /// The same as [`sum`], for a whole permutation.
    pub(crate) fn sum_permutation(
        arch: A, terms: PermutationTerms<'_>, values: &[u32], spare: &mut [u32], cells: &mut Vec<f64>,
    ) -> f64 {
        let permutation = Permutation::new(0, values);
        match terms {
            PermutationTerms::Products(u) => {
                sum_by::<Products, A::Register, _, _, _>(arch, &ProductOfBoth(u), permutation, spare, cells)
            }
            PermutationTerms::Sums(u) => {
                sum_by::<Sums, A::Register, _, _, _>(arch, &Both(u), permutation, spare, cells)
            }
            PermutationTerms::Remaining(n) => {
                sum_by::<Later, A::Register, _, _, _>(arch, &Remaining(n), permutation, spare, cells)
            }
        }
    }
}

/// The values `first..first + values.len()` sorted by position.
#[derive(Clone, Copy)]
struct Permutation<'a> {
    first: u32,
    /// The values minus `first`. All are below the number of values.
    values: &'a [u32],
}

impl<'a> Permutation<'a> {
    /// # Panics
    /// Panics if a value is not in the range. Whether one is repeated is checked later, by [`Positions::new`].
    #[inline(always)]
    fn new(first: usize, values: &'a [u32]) -> Self {
        let first = u32::try_from(first).expect("values have 32 bits");
        let most = values.iter().fold(0, |most, value| most.max(value.wrapping_sub(first)));
        assert!(values.is_empty() || (most as usize) < values.len(), "a value is not in the range");
        Self { first, values }
    }
}

/// The position of each value. All are below the number of values.
#[derive(Clone, Copy)]
struct Positions<'a>(&'a [u32]);

impl<'a> Positions<'a> {
    /// # Panics
    /// Panics if a value has no position.
    #[inline(always)]
    fn new(positions: &'a [u32]) -> Self {
        let most = positions.iter().fold(0, |most, &position| most.max(position));
        assert!(positions.is_empty() || (most as usize) < positions.len(), "a value is repeated");
        Self(positions)
    }
}

#[inline(always)]
fn sum_by<T: PairTerm<M, N>, V: GridRegister, L: Numbers<M>, const M: usize, const N: usize>(
    arch: V::Arch,
    numbers: &L,
    permutation: Permutation<'_>,
    spare: &mut [u32],
    cells: &mut Vec<f64>,
) -> f64 {
    assert!(permutation.values.len() <= MOST);
    if permutation.values.len() <= NARROW {
        sum_in::<T, V, L, M, N, NARROW_BUCKET>(arch, numbers, permutation, spare, cells)
    } else {
        sum_in::<T, V, L, M, N, WIDE_BUCKET>(arch, numbers, permutation, spare, cells)
    }
}

/// Adds up the concordant pairs with buckets of `S` positions or values.
#[inline(always)]
fn sum_in<T: PairTerm<M, N>, V: GridRegister, L: Numbers<M>, const M: usize, const N: usize, const S: usize>(
    arch: V::Arch,
    numbers: &L,
    permutation: Permutation<'_>,
    spare: &mut [u32],
    cells: &mut Vec<f64>,
) -> f64 {
    let count = permutation.values.len();
    let positions = &mut spare[..count];
    let grid = Grid::new(count.div_ceil(S).max(1));
    cells.clear();
    let later_cells = if T::SYMMETRIC { 0 } else { grid.len() };
    cells.resize((grid.len() + later_cells + grid.sums()) * N, 0.0);
    let (earlier, rest) = cells.as_chunks_mut::<N>().0.split_at_mut(grid.len());
    let (later, sums) = rest.split_at_mut(later_cells);
    let total = sum_rows::<T, V, L, M, N, S>(arch, numbers, permutation, positions, grid, earlier, later);
    let total = sum_columns::<T, V, L, M, N, S>(arch, numbers, Positions::new(positions), total);
    let later = if T::SYMMETRIC { &*earlier } else { &*later };
    total.add(grid.sum::<T, V, M, N>(arch, earlier, later.as_flattened(), sums)).sum()
}

/// Adds up the pairs in one row, that is, in one bucket of positions. Also writes the position of each value, and adds
/// up the numbers of each cell. The position of a missing value is `u32::MAX`.
#[inline(always)]
fn sum_rows<T: PairTerm<M, N>, V: GridRegister, L: Numbers<M>, const M: usize, const N: usize, const S: usize>(
    arch: V::Arch,
    numbers: &L,
    Permutation { first, values }: Permutation<'_>,
    positions: &mut [u32],
    grid: Grid,
    earlier: &mut [[f64; N]],
    later: &mut [[f64; N]],
) -> V {
    let count = values.len();
    assert!(numbers.len() >= count && positions.len() == count);
    assert!(count <= S * grid.height && count <= S * grid.width);
    assert!(earlier.len() == grid.len() && (T::SYMMETRIC || later.len() == grid.len()));
    positions.fill(u32::MAX);
    let mut buckets = [Bucket::<M, S>::new(), Bucket::new(), Bucket::new(), Bucket::new()];
    let mut total = V::splat(arch, 0.0);
    // Several buckets are filled before the first bucket is used. Otherwise there would be a delay: a vector that was
    // stored in parts cannot be loaded as a whole immediately afterwards.
    for (rows, part) in (0..).step_by(buckets.len()).zip(values.chunks(S * buckets.len())) {
        for ((row, bucket), part) in (rows..).zip(&mut buckets).zip(part.chunks(S)) {
            let first_of_row = row * grid.width;
            for (place, &value) in part.iter().enumerate() {
                let (value, position) = (value.wrapping_sub(first) as usize, row * S + place);
                // SAFETY: a value minus the first is below `count`, as `Permutation::new` has checked, and so is a
                // position, because it is the place of a value. There are `count` positions and numbers.
                let item = unsafe {
                    *positions.get_unchecked_mut(value) = position as u32;
                    numbers.of(value, position)
                };
                for (numbers, number) in bucket.numbers.iter_mut().zip(item) {
                    numbers[place] = number;
                }
                let cell = first_of_row + value / S;
                // SAFETY: the row is position / S and the column value / S; both numbers are below `count`, which fits
                // into the height and the width of the grid. There is an entry for each cell.
                let sums = unsafe { earlier.get_unchecked_mut(cell) };
                for (sum, number) in sums.iter_mut().zip(T::earlier(1.0, item)) {
                    *sum += number;
                }
                if !T::SYMMETRIC {
                    // SAFETY: as for `earlier`, which has as many entries.
                    let sums = unsafe { later.get_unchecked_mut(cell) };
                    for (sum, number) in sums.iter_mut().zip(T::later(1.0, item)) {
                        *sum += number;
                    }
                }
            }
            bucket.keys = reals(&whole(part));
        }
        for (bucket, part) in buckets.iter_mut().zip(part.chunks(S)) {
            bucket.bounds = bucket.keys;
            total = total.add(bucket.sum::<T, V, N>(arch, part.len()));
        }
    }
    total
}

/// Adds to `total` the pairs in one column and different rows: in one bucket of values and different buckets of
/// positions.
#[inline(always)]
fn sum_columns<T: PairTerm<M, N>, V: GridRegister, L: Numbers<M>, const M: usize, const N: usize, const S: usize>(
    arch: V::Arch,
    numbers: &L,
    Positions(positions): Positions<'_>,
    mut total: V,
) -> V {
    assert!(numbers.len() >= positions.len());
    let mut bucket = Bucket::<M, S>::new();
    for (column, part) in positions.chunks(S).enumerate() {
        let positions = whole(part);
        bucket.keys = reals(&positions);
        // The items must be in different rows, so the position of the earlier item must be before the first position of
        // the row of the later item.
        for (bound, &position) in bucket.bounds.iter_mut().zip(&positions) {
            *bound = f64::from(position / S as u32 * S as u32);
        }
        // SAFETY: positions are below their number, as `Positions::new` has checked, and so are values, which are their
        // indices. There are as many numbers.
        unsafe {
            if part.len() == S {
                bucket.look_up(numbers, column * S, &positions);
            } else {
                bucket.look_up(numbers, column * S, part);
            }
        }
        total = total.add(bucket.sum::<T, V, N>(arch, part.len()));
    }
    total
}

/// Fills up a part to the size of a bucket. Missing numbers are zero.
#[inline(always)]
fn whole<const S: usize>(part: &[u32]) -> [u32; S] {
    part.first_chunk().copied().unwrap_or_else(|| {
        let mut whole = [0; S];
        whole[..part.len()].copy_from_slice(part);
        whole
    })
}

/// The same as floating-point numbers.
#[inline(always)]
fn reals<const S: usize>(numbers: &[u32; S]) -> [f64; S] {
    let mut reals = [0.0; S];
    for (real, &number) in reals.iter_mut().zip(numbers) {
        *real = f64::from(number);
    }
    reals
}

/// Cells: rows are buckets of positions, columns are buckets of values.
#[derive(Clone, Copy)]
struct Grid {
    /// The number of rows, rounded up so that several rows can be processed at a time.
    height: usize,
    /// The number of columns, rounded up to whole vectors.
    width: usize,
}

/// The number of rows that are scanned side by side. In one row, each addition has to wait for the previous addition.
const SCANNED: usize = 4;
/// The number of columns of a grid is a multiple of the width of the widest vector.
const COLUMNS: usize = 8;

impl Grid {
    fn new(buckets: usize) -> Self {
        Self { height: buckets.next_multiple_of(SCANNED), width: buckets.next_multiple_of(COLUMNS) }
    }

    fn len(self) -> usize {
        self.height * self.width
    }

    /// The number of sums for which [`Self::sum`] needs memory.
    fn sums(self) -> usize {
        (1 + SCANNED) * self.width
    }

    /// Adds up the pairs of cells in different rows and columns, from the sums of their numbers:
    ///
    /// ```text
    /// for each row r, for each column c:
    ///     total += below[c] . later[r][c]        below[c] = sum of earlier[r'][c'] over r' < r, c' < c
    /// ```
    ///
    /// For symmetric terms, `later` has the numbers of `earlier` in reverse order. `sums` is memory for [`Self::sums`]
    /// sums, filled with zeros.
    #[inline(always)]
    fn sum<T: PairTerm<M, N>, V: GridRegister, const M: usize, const N: usize>(
        self,
        arch: V::Arch,
        earlier: &[[f64; N]],
        later: &[f64],
        sums: &mut [[f64; N]],
    ) -> V {
        const { assert!(N == 1 || N == 4) };
        let (below, left) = sums.split_at_mut(self.width);
        let below = below.as_flattened_mut();
        let mut totals = [V::splat(arch, 0.0); SCANNED];
        let bands = earlier.chunks_exact(self.width * SCANNED).zip(later.chunks_exact(self.width * SCANNED * N));
        for (earlier, later) in bands {
            self.scan(earlier, left);
            let left = left.as_flattened();
            for start in (0..self.width * N).step_by(V::WIDTH) {
                let below = &mut below[start..start + V::WIDTH];
                let mut seen = V::load(arch, below);
                for row in 0..SCANNED {
                    let later = V::load(arch, &later[row * self.width * N + start..]);
                    let later = if T::SYMMETRIC && N == 4 { later.reverse_fours() } else { later };
                    totals[row] = totals[row].add_product(seen, later);
                    seen = seen.add(V::load(arch, &left[row * self.width * N + start..]));
                }
                seen.store(below);
            }
        }
        let [a, b, c, d] = totals;
        a.add(b).add(c.add(d))
    }

    /// For each row r, column by column: `left[r][column]` = sum of `earlier[r][c]` over c < column.
    #[inline(always)]
    fn scan<const N: usize>(self, earlier: &[[f64; N]], left: &mut [[f64; N]]) {
        let row = |row: usize| &earlier[row * self.width..][..self.width];
        let rows: [&[[f64; N]]; SCANNED] = [row(0), row(1), row(2), row(3)];
        let (a, rest) = left.split_at_mut(self.width);
        let (b, rest) = rest.split_at_mut(self.width);
        let (c, d) = rest.split_at_mut(self.width);
        let left = [a, b, c, &mut d[..self.width]];
        let mut sums = [[0.0; N]; SCANNED];
        for column in 0..self.width {
            for row in 0..SCANNED {
                left[row][column] = sums[row];
                for (sum, number) in sums[row].iter_mut().zip(rows[row][column]) {
                    *sum += number;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Level};

    /// Whether the sum panics. The numbers after the first `count` belong to another array.
    fn panics(isa: Isa, terms: fn(&[f64]) -> PermutationTerms<'_>, values: &[u32]) -> bool {
        let numbers = [1.0; 64];
        // Values that an earlier, longer permutation may have left there.
        let mut spare = [40; 64];
        let terms = terms(&numbers[..values.len()]);
        let sum = || sum_permutation(isa, terms, values, &mut spare, &mut Vec::new());
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(sum)).is_err()
    }

    #[test]
    fn repeated_values_are_refused() {
        let kinds: [fn(&[f64]) -> PermutationTerms<'_>; 2] =
            [|u| PermutationTerms::Products(u), |u| PermutationTerms::Sums(u)];
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            for terms in kinds {
                assert!(!panics(isa, terms, &[2, 0, 1]));
                assert!(panics(isa, terms, &[2, 0, 2]));
                assert!(panics(isa, terms, &[2, 0, 3]));
            }
        }
    }
}
