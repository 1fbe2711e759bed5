//! Computes features of rankings, and products of panels of features.
//!
//! A panel holds the features of `G` rankings side by side, as entries `[feature][lane]`. The same panel can be the
//! rows or the columns of a product. `G` is 24 for doubles and 48 for singles. In both cases, `G` lanes take 192 bytes,
//! three of the widest registers.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut, Mul, Range};

use super::place::Square;
use super::task;
use crate::simd::Isa;
use crate::simd::arch::{Arch, ProductColumns, Task, Vector};

/// A number for each ranking of a group. It is aligned to a cache line, because it takes twice as long to load a
/// register that spans two lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct GroupRow<S, const G: usize>(pub(crate) [S; G]);

impl<S, const G: usize> Deref for GroupRow<S, G> {
    type Target = [S; G];

    #[inline(always)]
    fn deref(&self) -> &[S; G] {
        &self.0
    }
}

impl<S, const G: usize> DerefMut for GroupRow<S, G> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [S; G] {
        &mut self.0
    }
}

/// How the feature of a pair of items is computed from the weights of the two items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    Sum,
    Product,
}

/// The weights and ranks of a group of rankings, for each item. Ranks are floating-point numbers, because the result of
/// their comparison is used on floating-point numbers.
#[derive(Clone, Copy)]
pub(crate) struct Group<'a, S, const G: usize> {
    pub(crate) ranks: &'a [GroupRow<S, G>],
    pub(crate) weights: &'a [GroupRow<S, G>],
}

/// Single or double precision, `G` side by side.
pub(crate) trait Real<const G: usize>: Copy + Default + Send + Sync + Into<f64> + Mul<Output = Self> {
    /// The vector of `G` numbers of an instruction set.
    type Vector<A: Arch>: Vector<Self, G, Arch = A>;
    /// Columns of a product.
    type Columns<A: Arch>: ProductColumns<Self, Arch = A>;

    /// Whether this is single precision.
    const IS_SINGLE: bool = size_of::<Self>() == 4;

    /// An upper bound of the rounding error of a sum, divided by the sum of the absolute values of its terms.
    const ROUNDING: f64 = if Self::IS_SINGLE { 1e-4 } else { 1e-9 };

    fn from_f64(value: f64) -> Self;

    /// Writes the products of the features of a group of rows and a group of columns to `sums`. With `add`, adds them
    /// to `sums`.
    fn multiply(isa: Isa, rows: &[GroupRow<Self, G>], columns: &[GroupRow<Self, G>], add: bool, sums: &mut Square<G>) {
        isa.run(Multiply { rows, columns, add, sums });
    }

    /// Appends, for each of the `places`, the entry of every row at this index, multiplied by a factor. All indices
    /// must be within the table. The table can have at most 2^31 - 1 entries.
    fn look_up(
        isa: Isa,
        rows: TableRows<'_, Self, G>,
        places: &[[u32; G]],
        factor: Self,
        out: &mut Vec<GroupRow<Self, G>>,
    ) {
        isa.run(LookUp { rows, places, factor, out });
    }

    /// Appends the features of the pairs of items (i, j), for i in `earlier`. A feature combines the weights of both
    /// items. It is negative if i comes after j.
    fn pair_features(
        isa: Isa,
        join: Join,
        group: Group<'_, Self, G>,
        earlier: Range<usize>,
        j: usize,
        out: &mut Vec<GroupRow<Self, G>>,
    ) {
        isa.run(PairFeatures { join, group, earlier, j, out });
    }
}

impl Real<24> for f64 {
    type Vector<A: Arch> = A::Doubles24;
    type Columns<A: Arch> = A::DoubleColumns;

    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Real<48> for f32 {
    type Vector<A: Arch> = A::Singles48;
    type Columns<A: Arch> = A::SingleColumns;

    fn from_f64(value: f64) -> Self {
        value as Self
    }
}

struct Multiply<'a, S, const G: usize> {
    rows: &'a [GroupRow<S, G>],
    columns: &'a [GroupRow<S, G>],
    add: bool,
    sums: &'a mut Square<G>,
}

impl<S: Real<G>, const G: usize> Task for Multiply<'_, S, G> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self, arch: A) {
        let Self { rows, columns, add, sums } = self;
        const { assert!(matches!(A::PRODUCT_ROWS, 2 | 4 | 8)) };
        match A::PRODUCT_ROWS {
            8 => by_rows::<S::Columns<A>, S, G, 8>(arch, rows, columns, add, sums),
            4 => by_rows::<S::Columns<A>, S, G, 4>(arch, rows, columns, add, sums),
            _ => by_rows::<S::Columns<A>, S, G, 2>(arch, rows, columns, add, sums),
        }
    }
}

struct LookUp<'a, S, const G: usize> {
    rows: TableRows<'a, S, G>,
    places: &'a [[u32; G]],
    factor: S,
    out: &'a mut Vec<GroupRow<S, G>>,
}

impl<S: Real<G>, const G: usize> Task for LookUp<'_, S, G> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self, arch: A) {
        let Self { rows, places, factor, out } = self;
        push_entries::<S::Vector<A>, S, G>(arch, rows, places, factor, out);
    }
}

struct PairFeatures<'a, S, const G: usize> {
    join: Join,
    group: Group<'a, S, G>,
    earlier: Range<usize>,
    j: usize,
    out: &'a mut Vec<GroupRow<S, G>>,
}

impl<S: Real<G>, const G: usize> Task for PairFeatures<'_, S, G> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self, arch: A) {
        let Self { join, group, earlier, j, out } = self;
        match join {
            Join::Sum => push_pairs::<S::Vector<A>, S, G, true>(arch, group, earlier, j, out),
            Join::Product => push_pairs::<S::Vector<A>, S, G, false>(arch, group, earlier, j, out),
        }
    }
}

/// Rows of a table, one for each ranking of a group.
#[derive(Clone, Copy)]
pub(crate) struct TableRows<'a, S, const G: usize> {
    pub(crate) table: &'a [S],
    /// The start of each row.
    pub(crate) starts: [u32; G],
    pub(crate) length: usize,
}

/// Appends, for each of the `places`, the entry of every row at this index, multiplied by a factor.
///
/// # Panics
/// Panics if the table has more than 2^31 - 1 entries, or if a row or a place is not within the table.
#[inline(always)]
fn push_entries<V: Vector<S, G>, S: Copy + Default, const G: usize>(
    arch: V::Arch,
    TableRows { table, starts, length }: TableRows<'_, S, G>,
    places: &[[u32; G]],
    factor: S,
    out: &mut Vec<GroupRow<S, G>>,
) {
    // The indices are checked once, because a check in the loop would take as long as the rest of the loop. Vectors
    // have signed indices.
    assert!(i32::try_from(table.len()).is_ok() && length <= table.len());
    assert!(starts.iter().all(|&start| start as usize <= table.len() - length));
    let most = places.as_flattened().iter().fold(0, |most, &place| most.max(place));
    assert!(places.is_empty() || (most as usize) < length);
    out.reserve(places.len());
    for (entries, places) in out.spare_capacity_mut().iter_mut().zip(places) {
        let mut at = starts;
        for (at, place) in at.iter_mut().zip(places) {
            *at += place;
        }
        // SAFETY: start + place < start + length <= the length of the table < 2^31 for each, as was just checked.
        let found = unsafe { V::gather(arch, table, &at) };
        let mut row = [S::default(); G];
        V::zero(arch).add_times(arch, factor, found).store(&mut row);
        entries.write(GroupRow(row));
    }
    // SAFETY: there was capacity for a row for each of the places, and these rows were just written.
    unsafe { out.set_len(out.len() + places.len()) };
}

/// How values are computed from sums: `half * signed + square * single^2 + linear * single + constant`, then scaled.
/// Here `single` is a sum over single items. With three further numbers, the same formula gives an upper bound of the
/// sum of the absolute values of all terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish {
    pub(crate) half: f64,
    pub(crate) square: f64,
    pub(crate) linear: f64,
    pub(crate) constant: f64,
    pub(crate) most_square: f64,
    pub(crate) most_linear: f64,
    pub(crate) most_constant: f64,
    /// Below this fraction of the bound, a value is marked as NaN.
    pub(crate) cancelled: f64,
    pub(crate) scale: f64,
    /// An upper bound of the absolute values, up to rounding.
    pub(crate) most: f64,
    /// A value of at least this needs a closer look.
    pub(crate) limit: f64,
}

/// Turns sums into values in place. Returns whether any value is NaN or reaches the limit.
pub(crate) fn finish<const G: usize>(isa: Isa, finish: &Finish, values: &mut Square<G>, singles: &Square<G>) -> bool {
    finish_all(isa, finish, values.as_flattened_mut(), singles.as_flattened())
}

task! {
    fn finish_all(_arch: A, finish: &Finish, values: &mut [f64], singles: &[f64]) -> bool {
        let f = *finish;
        let mut seen = 0;
        for (value, &single) in values.iter_mut().zip(singles) {
            let found = f.half * *value + (f.square * single + f.linear) * single + f.constant;
            let most = (f.most_square * single + f.most_linear) * single + f.most_constant;
            let scaled = found * f.scale;
            let scaled = if scaled > f.most { f.most } else { scaled };
            let scaled = if scaled < -f.most { -f.most } else { scaled };
            let kept = if found.abs() < f.cancelled * most { f64::NAN } else { scaled };
            seen |= u64::from(kept.is_nan() || kept >= f.limit);
            *value = kept;
        }
        seen != 0
    }
}

/// Processes `R` rows and some columns at a time, so that their sums stay in registers.
#[inline(always)]
fn by_rows<V: ProductColumns<S>, S: Copy, const G: usize, const R: usize>(
    arch: V::Arch,
    rows: &[GroupRow<S, G>],
    columns: &[GroupRow<S, G>],
    add: bool,
    sums: &mut Square<G>,
) {
    const { assert!(G.is_multiple_of(R) && G.is_multiple_of(V::COUNT)) };
    for (first, sums) in (0..G).step_by(R).zip(sums.chunks_exact_mut(R)) {
        for start in (0..G).step_by(V::COUNT) {
            let mut totals = [V::zero(arch); R];
            for (row, column) in rows.iter().zip(columns) {
                let column = V::load(arch, &column[start..]);
                for (r, total) in totals.iter_mut().enumerate() {
                    *total = total.add_times(arch, row[first + r], column);
                }
            }
            for (total, sums) in totals.into_iter().zip(&mut *sums) {
                total.store_doubles(&mut sums[start..], add);
            }
        }
    }
}

/// Appends the sums of weights if `SUM`, otherwise their products. This is not a closure, because a closure might not
/// be inlined.
#[inline(always)]
fn push_pairs<V: Vector<S, G>, S: Copy + Default, const G: usize, const SUM: bool>(
    arch: V::Arch,
    Group { ranks, weights }: Group<'_, S, G>,
    earlier: Range<usize>,
    j: usize,
    out: &mut Vec<GroupRow<S, G>>,
) {
    let count = earlier.len();
    let pairs = ranks[earlier.clone()].iter().zip(&weights[earlier]);
    let (rank, weight) = (V::load(arch, &ranks[j]), V::load(arch, &weights[j]));
    out.reserve(count);
    for (features, (ranks, weights)) in out.spare_capacity_mut().iter_mut().zip(pairs) {
        let mut row = [S::default(); G];
        let earlier = V::load(arch, weights);
        let joined = if SUM { earlier.add(weight) } else { earlier.mul(weight) };
        joined.negative_unless_less(V::load(arch, ranks), rank).store(&mut row);
        features.write(GroupRow(row));
    }
    // SAFETY: there was capacity for a row for each of the `count` pairs, and these rows were just written.
    unsafe { out.set_len(out.len() + count) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;

    /// Whether looking up `places` in rows of this length panics.
    fn panics(isa: Isa, entries: usize, length: usize, places: &[[u32; 24]]) -> bool {
        let table = [1.0; 64];
        let rows = TableRows { table: &table[..entries], starts: [0; 24], length };
        let look_up = || f64::look_up(isa, rows, places, 1.0, &mut Vec::new());
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(look_up)).is_err()
    }

    #[test]
    fn places_outside_a_row_are_refused() {
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            assert!(!panics(isa, 0, 0, &[]));
            assert!(panics(isa, 0, 0, &[[0; 24]]));
            assert!(!panics(isa, 2, 2, &[[1; 24]]));
            assert!(panics(isa, 2, 2, &[[2; 24]]));
            assert!(panics(isa, 2, 3, &[[0; 24]]));
            assert!(panics(isa, 2, usize::MAX, &[[0; 24]]));
        }
    }
}
