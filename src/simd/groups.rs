//! Vectors of 24 doubles or 48 singles: three registers of the widest kind or six narrower ones.

use std::ops::{Add, Deref, DerefMut, Mul, Neg};

/// A number for each ranking of a group. Begins with a line of the cache: a register that lies across two takes twice as long to
/// load.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Row<S, const G: usize>(pub(crate) [S; G]);

impl<S, const G: usize> Deref for Row<S, G> {
    type Target = [S; G];

    #[inline(always)]
    fn deref(&self) -> &[S; G] {
        &self.0
    }
}

impl<S, const G: usize> DerefMut for Row<S, G> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [S; G] {
        &mut self.0
    }
}

/// Vectors of `G` numbers, in one or more registers.
///
/// # Safety
/// The functions may only be called, and must be inlined, where the instructions they stand for are enabled.
pub(super) trait Lanes<S, const G: usize>: Copy {
    unsafe fn zero() -> Self;
    unsafe fn load(values: &[S; G]) -> Self;
    unsafe fn store(self, values: &mut [S; G]);
    /// The entries at these indices, all of which must be within the table and below 2^31.
    unsafe fn gather(table: &[S], at: &[u32; G]) -> Self;
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
    unsafe fn gather(table: &[S], at: &[u32; G]) -> Self {
        // SAFETY: as the trait asks.
        std::array::from_fn(|lane| unsafe { *table.get_unchecked(at[lane] as usize) })
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
    pub(in crate::simd) struct Registers<R, const N: usize>([R; N]);

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
    macro_rules! gather_8 {
        ($table:expr, $at:expr) => {
            _mm512_i32gather_pd::<8>(_mm256_loadu_si256($at.cast()), $table)
        };
    }
    macro_rules! gather_16 {
        ($table:expr, $at:expr) => {
            _mm512_i32gather_ps::<4>(_mm512_loadu_si512($at.cast()), $table)
        };
    }
    macro_rules! gather_4 {
        ($table:expr, $at:expr) => {
            _mm256_i32gather_pd::<8>($table, _mm_loadu_si128($at.cast()))
        };
    }
    macro_rules! gather_8_single {
        ($table:expr, $at:expr) => {
            _mm256_i32gather_ps::<4>($table, _mm256_loadu_si256($at.cast()))
        };
    }
    macro_rules! lanes {
        (
            $scalar:ty, $group:expr, $register:ty, $count:expr, $load:ident, $store:ident, $splat:ident,
            $add:ident, $mul:ident, $fused:ident, $gather:ident, $negate:ident!($zero:ident, $($op:ident),*)
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
                unsafe fn gather(table: &[$scalar], at: &[u32; $group]) -> Self {
                    // SAFETY: all indices are within the table, as the trait asks.
                    unsafe {
                        let mut registers = [$zero(); $count];
                        for (index, register) in registers.iter_mut().enumerate() {
                            let at = at.as_ptr().add(index * ($group / $count));
                            *register = $gather!(table.as_ptr(), at);
                        }
                        Self(registers)
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
        24,
        __m512d,
        3,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_add_pd,
        _mm512_mul_pd,
        _mm512_fmadd_pd,
        gather_8,
        wide!(_mm512_setzero_pd, _mm512_cmp_pd_mask, _mm512_mask_sub_pd)
    );
    lanes!(
        f32,
        48,
        __m512,
        3,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_add_ps,
        _mm512_mul_ps,
        _mm512_fmadd_ps,
        gather_16,
        wide!(_mm512_setzero_ps, _mm512_cmp_ps_mask, _mm512_mask_sub_ps)
    );
    lanes!(
        f64,
        24,
        __m256d,
        6,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_add_pd,
        _mm256_mul_pd,
        _mm256_fmadd_pd,
        gather_4,
        narrow!(_mm256_setzero_pd, _mm256_cmp_pd, _mm256_sub_pd, _mm256_blendv_pd)
    );
    lanes!(
        f32,
        48,
        __m256,
        6,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_add_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps,
        gather_8_single,
        narrow!(_mm256_setzero_ps, _mm256_cmp_ps, _mm256_sub_ps, _mm256_blendv_ps)
    );

    pub(in crate::simd) type Wide64 = Registers<__m512d, 3>;
    pub(in crate::simd) type Wide32 = Registers<__m512, 3>;
    pub(in crate::simd) type Narrow64 = Registers<__m256d, 6>;
    pub(in crate::simd) type Narrow32 = Registers<__m256, 6>;
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Narrow32, Narrow64, Wide32, Wide64};
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Wide64 = [f64; 24];
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Wide32 = [f32; 48];
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Narrow64 = [f64; 24];
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Narrow32 = [f32; 48];
