//! Products of feature panels, and making the features.
//!
//! A panel holds the features of `G` rankings side by side: entry `[feature][lane]`. The same panel serves as rows and as columns
//! of a product. `G` lanes take 128 bytes, two of the widest registers: 16 doubles or 32 singles.

use std::ops::{Add, Mul, Neg, Range};

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
    pub(crate) ranks: &'a [[S; G]],
    pub(crate) weights: &'a [[S; G]],
}

/// Single or double precision, `G` side by side.
pub(crate) trait Real<const G: usize>:
    Copy + Default + Send + Sync + Into<f64> + PartialOrd + Add<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    fn from_f64(value: f64) -> Self;

    /// The products of the features of a group of rows and a group of columns, put into `sums` or added to them.
    fn multiply(isa: Isa, rows: &[[Self; G]], columns: &[[Self; G]], add: bool, sums: &mut Square<G>);

    /// Appends the features of the pairs of items (i, j), i in `earlier`: their weights joined, negative if i comes after j.
    fn pair_features(
        isa: Isa,
        join: Join,
        group: Group<'_, Self, G>,
        earlier: Range<usize>,
        j: usize,
        out: &mut Vec<[Self; G]>,
    );
}

/// Vectors of `G` numbers, in one or more registers.
///
/// # Safety
/// The functions may only be called, and must be inlined, where the instructions they stand for are enabled.
trait Lanes<S, const G: usize>: Copy {
    unsafe fn zero() -> Self;
    unsafe fn load(values: &[S; G]) -> Self;
    unsafe fn store(self, values: &mut [S; G]);
    /// `self + value * other`.
    unsafe fn add_times(self, value: S, other: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// Itself where `a < b`, and the negative of itself elsewhere.
    unsafe fn negative_unless_less(self, a: Self, b: Self) -> Self;
}

impl<S, const G: usize> Lanes<S, G> for [S; G]
where
    S: Copy + Default + PartialOrd + Add<Output = S> + Mul<Output = S> + Neg<Output = S>,
{
    #[inline(always)]
    unsafe fn zero() -> Self {
        [S::default(); G]
    }
    #[inline(always)]
    unsafe fn load(values: &[S; G]) -> Self {
        *values
    }
    #[inline(always)]
    unsafe fn store(self, values: &mut [S; G]) {
        *values = self;
    }
    #[inline(always)]
    unsafe fn add_times(self, value: S, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + value * other[lane])
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + other[lane])
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] * other[lane])
    }
    #[inline(always)]
    unsafe fn negative_unless_less(self, a: Self, b: Self) -> Self {
        std::array::from_fn(|lane| if a[lane] < b[lane] { self[lane] } else { -self[lane] })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// So many registers as one vector.
    #[derive(Clone, Copy)]
    pub(super) struct Registers<R, const N: usize>([R; N]);

    macro_rules! wide {
        ($value:expr, $a:expr, $b:expr, $zero:ident, $compare:ident, $subtract:ident) => {
            $subtract($value, $compare::<_CMP_NLT_UQ>($a, $b), $zero(), $value)
        };
    }
    macro_rules! narrow {
        ($value:expr, $a:expr, $b:expr, $zero:ident, $compare:ident, $subtract:ident, $blend:ident) => {
            $blend($subtract($zero(), $value), $value, $compare::<_CMP_LT_OQ>($a, $b))
        };
    }
    macro_rules! lanes {
        (
            $scalar:ty, $group:expr, $register:ty, $count:expr, $load:ident, $store:ident, $splat:ident,
            $add:ident, $mul:ident, $fused:ident, $negate:ident!($zero:ident, $($op:ident),*)
        ) => {
            impl Lanes<$scalar, $group> for Registers<$register, $count> {
                #[inline(always)]
                unsafe fn zero() -> Self {
                    unsafe { Self([$zero(); $count]) }
                }
                #[inline(always)]
                unsafe fn load(values: &[$scalar; $group]) -> Self {
                    // SAFETY: the registers together hold as many numbers as the array.
                    unsafe {
                        let mut registers = [$zero(); $count];
                        for (index, register) in registers.iter_mut().enumerate() {
                            *register = $load(values.as_ptr().add(index * ($group / $count)));
                        }
                        Self(registers)
                    }
                }
                #[inline(always)]
                unsafe fn store(self, values: &mut [$scalar; $group]) {
                    // SAFETY: as above.
                    unsafe {
                        for (index, register) in self.0.into_iter().enumerate() {
                            $store(values.as_mut_ptr().add(index * ($group / $count)), register);
                        }
                    }
                }
                #[inline(always)]
                unsafe fn add_times(mut self, value: $scalar, other: Self) -> Self {
                    unsafe {
                        let value = $splat(value);
                        for (sum, other) in self.0.iter_mut().zip(other.0) {
                            *sum = $fused(value, other, *sum);
                        }
                        self
                    }
                }
                #[inline(always)]
                unsafe fn add(mut self, other: Self) -> Self {
                    for (value, other) in self.0.iter_mut().zip(other.0) {
                        *value = unsafe { $add(*value, other) };
                    }
                    self
                }
                #[inline(always)]
                unsafe fn mul(mut self, other: Self) -> Self {
                    for (value, other) in self.0.iter_mut().zip(other.0) {
                        *value = unsafe { $mul(*value, other) };
                    }
                    self
                }
                #[inline(always)]
                unsafe fn negative_unless_less(mut self, a: Self, b: Self) -> Self {
                    for (value, (a, b)) in self.0.iter_mut().zip(a.0.into_iter().zip(b.0)) {
                        *value = unsafe { $negate!(*value, a, b, $zero, $($op),*) };
                    }
                    self
                }
            }
        };
    }
    lanes!(
        f64,
        16,
        __m512d,
        2,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_add_pd,
        _mm512_mul_pd,
        _mm512_fmadd_pd,
        wide!(_mm512_setzero_pd, _mm512_cmp_pd_mask, _mm512_mask_sub_pd)
    );
    lanes!(
        f32,
        32,
        __m512,
        2,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_add_ps,
        _mm512_mul_ps,
        _mm512_fmadd_ps,
        wide!(_mm512_setzero_ps, _mm512_cmp_ps_mask, _mm512_mask_sub_ps)
    );
    lanes!(
        f64,
        16,
        __m256d,
        4,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_add_pd,
        _mm256_mul_pd,
        _mm256_fmadd_pd,
        narrow!(_mm256_setzero_pd, _mm256_cmp_pd, _mm256_sub_pd, _mm256_blendv_pd)
    );
    lanes!(
        f32,
        32,
        __m256,
        4,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_add_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps,
        narrow!(_mm256_setzero_ps, _mm256_cmp_ps, _mm256_sub_ps, _mm256_blendv_ps)
    );

    pub(super) type Wide64 = Registers<__m512d, 2>;
    pub(super) type Wide32 = Registers<__m512, 2>;
    pub(super) type Narrow64 = Registers<__m256d, 4>;
    pub(super) type Narrow32 = Registers<__m256, 4>;
}

#[cfg(target_arch = "x86_64")]
use x86::{Narrow32, Narrow64, Wide32, Wide64};
#[cfg(not(target_arch = "x86_64"))]
type Wide64 = [f64; 16];
#[cfg(not(target_arch = "x86_64"))]
type Wide32 = [f32; 32];
#[cfg(not(target_arch = "x86_64"))]
type Narrow64 = [f64; 16];
#[cfg(not(target_arch = "x86_64"))]
type Narrow32 = [f32; 32];

macro_rules! real {
    ($type:ty, $group:expr, $narrow:ty, $wide:ty) => {
        impl Real<$group> for $type {
            fn from_f64(value: f64) -> Self {
                value as Self
            }

            fn multiply(isa: Isa, rows: &[[Self; $group]], columns: &[[Self; $group]], add: bool, sums: &mut Square<$group>) {
                // Sixteen registers of 64 bytes for sums, or eight of 32, leave enough for what is multiplied.
                if isa.level() == super::Level::Avx512 {
                    dispatch!(
                        isa,
                        L: [$type; $group] | $narrow | $wide,
                        (rows: &[[$type; $group]], columns: &[[$type; $group]], add: bool, sums: &mut Square<$group>),
                        by_rows::<L, $type, $group, 8>(rows, columns, add, sums)
                    );
                } else {
                    dispatch!(
                        isa,
                        L: [$type; $group] | $narrow | $wide,
                        (rows: &[[$type; $group]], columns: &[[$type; $group]], add: bool, sums: &mut Square<$group>),
                        by_rows::<L, $type, $group, 2>(rows, columns, add, sums)
                    );
                }
            }

            fn pair_features(
                isa: Isa,
                join: Join,
                group: Group<'_, Self, $group>,
                earlier: Range<usize>,
                j: usize,
                out: &mut Vec<[Self; $group]>,
            ) {
                dispatch!(
                    isa,
                    L: [$type; $group] | $narrow | $wide,
                    (
                        join: Join, group: Group<'_, $type, $group>, earlier: Range<usize>, j: usize,
                        out: &mut Vec<[$type; $group]>
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
real!(f64, 16, Narrow64, Wide64);
real!(f32, 32, Narrow32, Wide32);

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
    rows: &[[S; G]],
    columns: &[[S; G]],
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
    out: &mut Vec<[S; G]>,
    join: impl Fn(L, L) -> L,
) {
    // SAFETY: the caller keeps the promise of `Lanes`.
    unsafe {
        let (rank, weight) = (L::load(&ranks[j]), L::load(&weights[j]));
        out.extend(ranks[earlier.clone()].iter().zip(&weights[earlier]).map(|(ranks, weights)| {
            let mut features = [S::default(); G];
            join(L::load(weights), weight).negative_unless_less(L::load(ranks), rank).store(&mut features);
            features
        }));
    }
}
