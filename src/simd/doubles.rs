//! Vectors of sixteen doubles, in two registers of the widest kind or more narrower ones.

/// Numbers side by side.
pub(crate) const WAYS: usize = 16;

/// As many numbers as a vector has.
pub(super) type Row = [f64; WAYS];

/// Vectors of [`WAYS`] doubles.
///
/// # Safety
/// The functions may only be called, and must be inlined, where the instructions they stand for are enabled.
pub(super) trait Doubles: Copy {
    unsafe fn splat(value: f64) -> Self;
    unsafe fn load(values: &Row) -> Self;
    unsafe fn sum(self) -> f64;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self + a * b`.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
}

impl Doubles for Row {
    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        [value; WAYS]
    }
    #[inline(always)]
    unsafe fn load(values: &Row) -> Self {
        *values
    }
    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        self.iter().sum()
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] * other[lane])
    }
    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + a[lane] * b[lane])
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Doubles, Row};
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    pub(in crate::simd) struct Avx512([__m512d; 2]);

    impl Doubles for Avx512 {
        #[inline(always)]
        unsafe fn splat(value: f64) -> Self {
            unsafe { Self([_mm512_set1_pd(value); 2]) }
        }
        #[inline(always)]
        unsafe fn load(values: &Row) -> Self {
            // SAFETY: two registers of 8 are a row.
            unsafe { Self([_mm512_loadu_pd(values.as_ptr()), _mm512_loadu_pd(values.as_ptr().add(8))]) }
        }
        #[inline(always)]
        unsafe fn sum(self) -> f64 {
            unsafe { _mm512_reduce_add_pd(_mm512_add_pd(self.0[0], self.0[1])) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            unsafe { Self([_mm512_mul_pd(self.0[0], other.0[0]), _mm512_mul_pd(self.0[1], other.0[1])]) }
        }
        #[inline(always)]
        unsafe fn add_product(self, a: Self, b: Self) -> Self {
            unsafe { Self([_mm512_fmadd_pd(a.0[0], b.0[0], self.0[0]), _mm512_fmadd_pd(a.0[1], b.0[1], self.0[1])]) }
        }
    }

    #[derive(Clone, Copy)]
    pub(in crate::simd) struct Avx2([__m256d; 4]);

    impl Avx2 {
        #[inline(always)]
        unsafe fn each(f: impl Fn(usize) -> __m256d) -> Self {
            Self([f(0), f(1), f(2), f(3)])
        }
    }

    impl Doubles for Avx2 {
        #[inline(always)]
        unsafe fn splat(value: f64) -> Self {
            unsafe { Self([_mm256_set1_pd(value); 4]) }
        }
        #[inline(always)]
        unsafe fn load(values: &Row) -> Self {
            // SAFETY: four registers of 4 are a row.
            unsafe { Self::each(|part| _mm256_loadu_pd(values.as_ptr().add(4 * part))) }
        }
        #[inline(always)]
        unsafe fn sum(self) -> f64 {
            unsafe {
                let both = _mm256_add_pd(_mm256_add_pd(self.0[0], self.0[1]), _mm256_add_pd(self.0[2], self.0[3]));
                let mut lanes = [0.0; 4];
                _mm256_storeu_pd(lanes.as_mut_ptr(), both);
                lanes.iter().sum()
            }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            unsafe { Self::each(|part| _mm256_mul_pd(self.0[part], other.0[part])) }
        }
        #[inline(always)]
        unsafe fn add_product(self, a: Self, b: Self) -> Self {
            unsafe { Self::each(|part| _mm256_fmadd_pd(a.0[part], b.0[part], self.0[part])) }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Avx2 = Row;
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Avx512 = Row;
