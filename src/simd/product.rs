//! Products of feature panels, and making the features.
//!
//! A panel holds the features of `G` rankings side by side: entry `[feature][lane]`. The same panel serves as rows and as columns
//! of a product. `G` lanes take 192 bytes, three of the widest registers: 24 doubles or 48 singles.

use std::ops::{Add, Mul, Neg, Range};

pub(crate) use super::groups::Row;
use super::groups::{Lanes, Narrow32, Narrow64, Wide32, Wide64};
use super::place::Square;
use super::{Isa, dispatch};

/// How the feature of a pair of items follows from the weights of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    Sum,
    Product,
}

/// The weights and ranks of a group of rankings, for each item. Ranks are reals because they are compared beside reals.
#[derive(Clone, Copy)]
pub(crate) struct Group<'a, S, const G: usize> {
    pub(crate) ranks: &'a [Row<S, G>],
    pub(crate) weights: &'a [Row<S, G>],
}

/// Single or double precision, `G` side by side.
pub(crate) trait Real<const G: usize>:
    Copy + Default + Send + Sync + Into<f64> + PartialOrd + Add<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Whether this is single precision.
    const IS_SINGLE: bool;

    /// At least the rounding of a sum, relative to the sum of the absolute values of its terms.
    const ROUNDING: f64 = if Self::IS_SINGLE { 1e-4 } else { 1e-9 };

    fn from_f64(value: f64) -> Self;

    /// The products of the features of a group of rows and a group of columns, put into `sums` or added to them.
    fn multiply(isa: Isa, rows: &[Row<Self, G>], columns: &[Row<Self, G>], add: bool, sums: &mut Square<G>);

    /// Appends, for each of the `places`, the entry there of every row, times a factor. All must be within the table, which can have
    /// 2^31 - 1 entries.
    fn look_up(isa: Isa, rows: TableRows<'_, Self, G>, places: &[[u32; G]], factor: Self, out: &mut Vec<Row<Self, G>>);

    /// Appends the features of the pairs of items (i, j), i in `earlier`: their weights joined, negative if i comes after j.
    fn pair_features(
        isa: Isa,
        join: Join,
        group: Group<'_, Self, G>,
        earlier: Range<usize>,
        j: usize,
        out: &mut Vec<Row<Self, G>>,
    );
}

macro_rules! real {
    ($type:ty, $group:expr, $narrow:ty, $wide:ty) => {
        impl Real<$group> for $type {
            const IS_SINGLE: bool = size_of::<$type>() == 4;

            fn from_f64(value: f64) -> Self {
                value as Self
            }

            fn multiply(isa: Isa, rows: &[Row<Self, $group>], columns: &[Row<Self, $group>], add: bool, sums: &mut Square<$group>) {
                // 24 registers of 64 bytes for sums, or twelve of 32, leave enough for what is multiplied.
                if isa.level() == super::Level::Avx512 {
                    dispatch!(
                        isa,
                        L: [$type; $group] | $narrow | $wide,
                        (rows: &[Row<$type, $group>], columns: &[Row<$type, $group>], add: bool, sums: &mut Square<$group>),
                        by_rows::<L, $type, $group, 8>(rows, columns, add, sums)
                    );
                } else {
                    dispatch!(
                        isa,
                        L: [$type; $group] | $narrow | $wide,
                        (rows: &[Row<$type, $group>], columns: &[Row<$type, $group>], add: bool, sums: &mut Square<$group>),
                        by_rows::<L, $type, $group, 2>(rows, columns, add, sums)
                    );
                }
            }

            fn look_up(
                isa: Isa,
                rows: TableRows<'_, Self, $group>,
                places: &[[u32; $group]],
                factor: Self,
                out: &mut Vec<Row<Self, $group>>,
            ) {
                dispatch!(
                    isa,
                    L: [$type; $group] | $narrow | $wide,
                    (
                        rows: TableRows<'_, $type, $group>, places: &[[u32; $group]], factor: $type,
                        out: &mut Vec<Row<$type, $group>>
                    ),
                    push_entries::<L, $type, $group>(rows, places, factor, out)
                );
            }

            fn pair_features(
                isa: Isa,
                join: Join,
                group: Group<'_, Self, $group>,
                earlier: Range<usize>,
                j: usize,
                out: &mut Vec<Row<Self, $group>>,
            ) {
                dispatch!(
                    isa,
                    L: [$type; $group] | $narrow | $wide,
                    (
                        join: Join, group: Group<'_, $type, $group>, earlier: Range<usize>, j: usize,
                        out: &mut Vec<Row<$type, $group>>
                    ),
                    match join {
                        Join::Sum => push_pairs::<L, $type, $group>(group, earlier, j, out, |a, b| a.add(b)),
                        Join::Product => push_pairs::<L, $type, $group>(group, earlier, j, out, |a, b| a.mul(b)),
                    }
                );
            }
        }
    };
}
real!(f64, 24, Narrow64, Wide64);
real!(f32, 48, Narrow32, Wide32);

/// Rows of a table, one for each ranking of a group.
#[derive(Clone, Copy)]
pub(crate) struct TableRows<'a, S, const G: usize> {
    pub(crate) table: &'a [S],
    /// Where each begins.
    pub(crate) starts: [u32; G],
    pub(crate) length: usize,
}

/// Appends, for each of the `places`, the entry there of every row, times a factor.
///
/// # Safety
/// As for [`Lanes`].
#[inline(always)]
unsafe fn push_entries<L: Lanes<S, G>, S: Copy + Default, const G: usize>(
    TableRows { table, starts, length }: TableRows<'_, S, G>,
    places: &[[u32; G]],
    factor: S,
    out: &mut Vec<Row<S, G>>,
) {
    // Checked once, because in the loop it would take as long as the rest. Vectors have signed indices.
    assert!(i32::try_from(table.len()).is_ok());
    assert!(starts.iter().all(|&start| start as usize + length <= table.len()));
    assert!(places.as_flattened().iter().fold(0, |most, &place| most.max(place)) < length.max(1) as u32);
    // SAFETY: every start and every place that is added to it is within the table; the caller keeps the promise of `Lanes`.
    unsafe {
        out.extend(places.iter().map(|places| {
            let mut at = starts;
            for (at, place) in at.iter_mut().zip(places) {
                *at += place;
            }
            let mut entries = [S::default(); G];
            L::zero().add_times(factor, L::gather(table, &at)).store(&mut entries);
            Row(entries)
        }));
    }
}

/// How values follow from sums: `half * signed + square * single^2 + linear * single + constant`, scaled, where `single` is a sum
/// over single items. The next three say in the same way what the sum of the absolute values of all terms is at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish {
    pub(crate) half: f64,
    pub(crate) square: f64,
    pub(crate) linear: f64,
    pub(crate) constant: f64,
    pub(crate) most_square: f64,
    pub(crate) most_linear: f64,
    pub(crate) most_constant: f64,
    /// Below this part of the most, a value is marked as NaN.
    pub(crate) cancelled: f64,
    pub(crate) scale: f64,
    /// No value is larger in absolute value, but by rounding.
    pub(crate) most: f64,
    /// From here on a value needs to be looked at.
    pub(crate) limit: f64,
}

/// Turns sums into values in place; says whether any is NaN or reaches the limit.
pub(crate) fn finish<const G: usize>(isa: Isa, finish: &Finish, values: &mut Square<G>, singles: &Square<G>) -> bool {
    let (values, singles) = (values.as_flattened_mut(), singles.as_flattened());
    let mut attention = false;
    let attend = &mut attention;
    dispatch!(
        isa,
        _L: () | () | (),
        (finish: &Finish, values: &mut [f64], singles: &[f64], attend: &mut bool),
        {
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
            *attend = seen != 0;
        }
    );
    attention
}

/// Takes `R` rows at a time, so that their sums with all columns stay in registers.
///
/// # Safety
/// As for [`Lanes`].
#[inline(always)]
unsafe fn by_rows<L: Lanes<S, G>, S: Copy + Default + Into<f64>, const G: usize, const R: usize>(
    rows: &[Row<S, G>],
    columns: &[Row<S, G>],
    add: bool,
    sums: &mut Square<G>,
) {
    for (first, sums) in (0..G).step_by(R).zip(sums.chunks_exact_mut(R)) {
        // SAFETY: the caller keeps the promise of `Lanes`.
        let totals = unsafe {
            let mut totals = [L::zero(); R];
            for (row, column) in rows.iter().zip(columns) {
                let column = L::load(column);
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
            let values = values.map(Into::into);
            *sums = if add { std::array::from_fn(|lane| sums[lane] + values[lane]) } else { values };
        }
    }
}

/// # Safety
/// As for [`Lanes`].
#[inline(always)]
unsafe fn push_pairs<L: Lanes<S, G>, S: Copy + Default, const G: usize>(
    Group { ranks, weights }: Group<'_, S, G>,
    earlier: Range<usize>,
    j: usize,
    out: &mut Vec<Row<S, G>>,
    join: impl Fn(L, L) -> L,
) {
    // SAFETY: the caller keeps the promise of `Lanes`.
    unsafe {
        let (rank, weight) = (L::load(&ranks[j]), L::load(&weights[j]));
        out.extend(ranks[earlier.clone()].iter().zip(&weights[earlier]).map(|(ranks, weights)| {
            let mut features = [S::default(); G];
            join(L::load(weights), weight).negative_unless_less(L::load(ranks), rank).store(&mut features);
            Row(features)
        }));
    }
}
