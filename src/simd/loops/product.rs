//! Products of feature panels, and the computation of features.
//!
//! A panel holds the features of `G` rankings side by side: entry `[feature][lane]`. The same panel serves as rows and
//! as columns of a product. `G` lanes take 192 bytes, three of the widest registers: 24 doubles or 48 singles.

use std::ops::{Deref, DerefMut, Mul, Range};

use super::place::Square;
use super::task;
use crate::simd::Isa;
use crate::simd::arch::{Arch, Task, Vector};

/// A number for each ranking of a group. Aligned to a cache line: loading a register that spans two lines takes twice
/// as long.
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

/// How the feature of a pair of items follows from the weights of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    Sum,
    Product,
}

/// The weights and ranks of a group of rankings, for each item. Ranks are floating-point numbers because they are
/// compared next to floating-point numbers.
#[derive(Clone, Copy)]
pub(crate) struct Group<'a, S, const G: usize> {
    pub(crate) ranks: &'a [GroupRow<S, G>],
    pub(crate) weights: &'a [GroupRow<S, G>],
}

/// Single or double precision, `G` side by side.
pub(crate) trait Real<const G: usize>: Copy + Default + Send + Sync + Into<f64> + Mul<Output = Self> {
    /// The vector of `G` numbers of an instruction set.
    type Vector<A: Arch>: Vector<Self, G>;

    /// Whether this is single precision.
    const IS_SINGLE: bool = size_of::<Self>() == 4;

    /// An upper bound of the rounding of a sum, relative to the sum of the absolute values of its terms.
    const ROUNDING: f64 = if Self::IS_SINGLE { 1e-4 } else { 1e-9 };

    fn from_f64(value: f64) -> Self;

    /// Writes the products of the features of a group of rows and a group of columns to `sums`, or adds them.
    fn multiply(isa: Isa, rows: &[GroupRow<Self, G>], columns: &[GroupRow<Self, G>], add: bool, sums: &mut Square<G>) {
        isa.run(Multiply { rows, columns, add, sums });
    }

    /// Appends, for each of the `places`, the entry of every row at this index, times a factor. All must be within the
    /// table, which can have 2^31 - 1 entries.
    fn look_up(
        isa: Isa,
        rows: TableRows<'_, Self, G>,
        places: &[[u32; G]],
        factor: Self,
        out: &mut Vec<GroupRow<Self, G>>,
    ) {
        isa.run(LookUp { rows, places, factor, out });
    }

    /// Appends the features of the pairs of items (i, j), i in `earlier`: their weights combined, negative if i comes
    /// after j.
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

    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Real<48> for f32 {
    type Vector<A: Arch> = A::Singles48;

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
    unsafe fn run<A: Arch>(self) {
        let Self { rows, columns, add, sums } = self;
        const { assert!(matches!(A::PRODUCT_ROWS, 2 | 4 | 8)) };
        // SAFETY: the instructions are enabled, as `Task::run` asks.
        unsafe {
            match A::PRODUCT_ROWS {
                8 => by_rows::<S::Vector<A>, S, G, 8>(rows, columns, add, sums),
                4 => by_rows::<S::Vector<A>, S, G, 4>(rows, columns, add, sums),
                _ => by_rows::<S::Vector<A>, S, G, 2>(rows, columns, add, sums),
            }
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
    unsafe fn run<A: Arch>(self) {
        let Self { rows, places, factor, out } = self;
        // SAFETY: the instructions are enabled, as `Task::run` asks.
        unsafe { push_entries::<S::Vector<A>, S, G>(rows, places, factor, out) };
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
    unsafe fn run<A: Arch>(self) {
        let Self { join, group, earlier, j, out } = self;
        // SAFETY: the instructions are enabled, as `Task::run` asks.
        unsafe {
            match join {
                Join::Sum => push_pairs::<S::Vector<A>, S, G>(group, earlier, j, out, |a, b| a.add(b)),
                Join::Product => push_pairs::<S::Vector<A>, S, G>(group, earlier, j, out, |a, b| a.mul(b)),
            }
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

/// Appends, for each of the `places`, the entry of every row at this index, times a factor.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn push_entries<V: Vector<S, G>, S: Copy + Default, const G: usize>(
    TableRows { table, starts, length }: TableRows<'_, S, G>,
    places: &[[u32; G]],
    factor: S,
    out: &mut Vec<GroupRow<S, G>>,
) {
    // Checked once, because a check in the loop would take as long as the rest. Vectors have signed indices.
    assert!(i32::try_from(table.len()).is_ok());
    assert!(starts.iter().all(|&start| start as usize + length <= table.len()));
    assert!(places.as_flattened().iter().fold(0, |most, &place| most.max(place)) < length.max(1) as u32);
    // SAFETY: every start and every place that is added to it is within the table; the caller keeps the promise
    // of `Vector`.
    unsafe {
        out.reserve(places.len());
        for (entries, places) in out.spare_capacity_mut().iter_mut().zip(places) {
            let mut at = starts;
            for (at, place) in at.iter_mut().zip(places) {
                *at += place;
            }
            let mut found = [S::default(); G];
            V::zero().add_times(factor, V::gather(table, &at)).store(&mut found);
            entries.write(GroupRow(found));
        }
        // SAFETY: there was capacity for one row for each of the places, and these rows were just written.
        out.set_len(out.len() + places.len());
    }
}

/// How values follow from sums: `half * signed + square * single^2 + linear * single + constant`, scaled, where
/// `single` is a sum over single items. The next three give, in the same way, an upper bound of the sum of the absolute
/// values of all terms.
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

/// Turns sums into values in place; returns whether any is NaN or reaches the limit.
pub(crate) fn finish<const G: usize>(isa: Isa, finish: &Finish, values: &mut Square<G>, singles: &Square<G>) -> bool {
    finish_all(isa, finish, values.as_flattened_mut(), singles.as_flattened())
}

task! {
    fn finish_all<A>(finish: &Finish, values: &mut [f64], singles: &[f64]) -> bool {
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

/// Processes `R` rows at a time, so that their sums with all columns stay in registers.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn by_rows<V: Vector<S, G>, S: Copy + Default + Into<f64>, const G: usize, const R: usize>(
    rows: &[GroupRow<S, G>],
    columns: &[GroupRow<S, G>],
    add: bool,
    sums: &mut Square<G>,
) {
    for (first, sums) in (0..G).step_by(R).zip(sums.chunks_exact_mut(R)) {
        // SAFETY: the caller keeps the promise of `Vector`.
        let totals = unsafe {
            let mut totals = [V::zero(); R];
            for (row, column) in rows.iter().zip(columns) {
                let column = V::load(column);
                for (r, total) in totals.iter_mut().enumerate() {
                    *total = total.add_times(row[first + r], column);
                }
            }
            totals
        };
        for (total, sums) in totals.into_iter().zip(sums) {
            let mut values = [S::default(); G];
            // SAFETY: as above.
            unsafe { total.store(&mut values) };
            if add {
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += value.into();
                }
            } else {
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum = value.into();
                }
            }
        }
    }
}

/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn push_pairs<V: Vector<S, G>, S: Copy + Default, const G: usize>(
    Group { ranks, weights }: Group<'_, S, G>,
    earlier: Range<usize>,
    j: usize,
    out: &mut Vec<GroupRow<S, G>>,
    join: impl Fn(V, V) -> V,
) {
    let count = earlier.len();
    let pairs = ranks[earlier.clone()].iter().zip(&weights[earlier]);
    out.reserve(count);
    // SAFETY: the caller keeps the promise of `Vector`.
    unsafe {
        let (rank, weight) = (V::load(&ranks[j]), V::load(&weights[j]));
        for (features, (ranks, weights)) in out.spare_capacity_mut().iter_mut().zip(pairs) {
            let mut made = [S::default(); G];
            join(V::load(weights), weight).negative_unless_less(V::load(ranks), rank).store(&mut made);
            features.write(GroupRow(made));
        }
        // SAFETY: there was capacity for a row for each pair, and these rows were just written.
        out.set_len(out.len() + count);
    }
}
