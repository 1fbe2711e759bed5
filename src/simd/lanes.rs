//! Vectors of as many doubles as a register holds.

/// One register of doubles.
///
/// # Safety
/// The functions may only be called, and must be inlined, where the instructions they stand for are enabled.
pub(super) trait Lanes: Copy {
    const WIDTH: usize;

    unsafe fn splat(value: f64) -> Self;
    /// The first of the values, as many as there are lanes.
    unsafe fn load(values: &[f64]) -> Self;
    unsafe fn store(self, values: &mut [f64]);
    unsafe fn sum(self) -> f64;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self + a * b`.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    /// `self + value` in the lanes where `a < b`.
    unsafe fn add_if_less(self, a: Self, b: Self, value: Self) -> Self;
    /// Each four lanes in reverse.
    unsafe fn reverse_fours(self) -> Self;
    /// Infinity from this lane on.
    unsafe fn hide_from(self, lane: usize) -> Self;
}

/// What is to be taken the maximum with so that lanes from `7 - start` on are hidden, when read from `start` on.
#[cfg(target_arch = "x86_64")]
static HIDDEN: [f64; 16] = {
    let mut hidden = [f64::NEG_INFINITY; 16];
    let mut lane = 8;
    while lane < 16 {
        hidden[lane] = f64::INFINITY;
        lane += 1;
    }
    hidden
};

pub(super) type Portable = [f64; 4];

impl Lanes for Portable {
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        [value; 4]
    }
    #[inline(always)]
    unsafe fn load(values: &[f64]) -> Self {
        std::array::from_fn(|lane| values[lane])
    }
    #[inline(always)]
    unsafe fn store(self, values: &mut [f64]) {
        values.copy_from_slice(&self);
    }
    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        self.iter().sum()
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
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + a[lane] * b[lane])
    }
    #[inline(always)]
    unsafe fn add_if_less(self, a: Self, b: Self, value: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + if a[lane] < b[lane] { value[lane] } else { 0.0 })
    }
    #[inline(always)]
    unsafe fn reverse_fours(self) -> Self {
        let [a, b, c, d] = self;
        [d, c, b, a]
    }
    #[inline(always)]
    unsafe fn hide_from(self, lane: usize) -> Self {
        std::array::from_fn(|index| if index < lane { self[index] } else { f64::INFINITY })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{HIDDEN, Lanes};
    use std::arch::x86_64::*;

    pub(in crate::simd) type Avx512 = __m512d;

    impl Lanes for Avx512 {
        const WIDTH: usize = 8;

        #[inline(always)]
        unsafe fn splat(value: f64) -> Self {
            unsafe { _mm512_set1_pd(value) }
        }
        #[inline(always)]
        unsafe fn load(values: &[f64]) -> Self {
            // SAFETY: there are eight values.
            unsafe { _mm512_loadu_pd(values[..8].as_ptr()) }
        }
        #[inline(always)]
        unsafe fn store(self, values: &mut [f64]) {
            // SAFETY: there is room for eight values.
            unsafe { _mm512_storeu_pd(values[..8].as_mut_ptr(), self) }
        }
        #[inline(always)]
        unsafe fn sum(self) -> f64 {
            unsafe { _mm512_reduce_add_pd(self) }
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            unsafe { _mm512_add_pd(self, other) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            unsafe { _mm512_mul_pd(self, other) }
        }
        #[inline(always)]
        unsafe fn add_product(self, a: Self, b: Self) -> Self {
            unsafe { _mm512_fmadd_pd(a, b, self) }
        }
        #[inline(always)]
        unsafe fn add_if_less(self, a: Self, b: Self, value: Self) -> Self {
            unsafe { _mm512_mask_add_pd(self, _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b), self, value) }
        }
        #[inline(always)]
        unsafe fn reverse_fours(self) -> Self {
            unsafe { _mm512_permutex_pd::<0b00_01_10_11>(self) }
        }
        #[inline(always)]
        unsafe fn hide_from(self, lane: usize) -> Self {
            // SAFETY: there are eight values from the ninth less the number of the lane on.
            unsafe { _mm512_max_pd(self, _mm512_loadu_pd(HIDDEN[8 - lane..][..8].as_ptr())) }
        }
    }

    pub(in crate::simd) type Avx2 = __m256d;

    impl Lanes for Avx2 {
        const WIDTH: usize = 4;

        #[inline(always)]
        unsafe fn splat(value: f64) -> Self {
            unsafe { _mm256_set1_pd(value) }
        }
        #[inline(always)]
        unsafe fn load(values: &[f64]) -> Self {
            // SAFETY: there are four values.
            unsafe { _mm256_loadu_pd(values[..4].as_ptr()) }
        }
        #[inline(always)]
        unsafe fn store(self, values: &mut [f64]) {
            // SAFETY: there is room for four values.
            unsafe { _mm256_storeu_pd(values[..4].as_mut_ptr(), self) }
        }
        #[inline(always)]
        unsafe fn sum(self) -> f64 {
            let mut lanes = [0.0; 4];
            unsafe { self.store(&mut lanes) };
            lanes.iter().sum()
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            unsafe { _mm256_add_pd(self, other) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            unsafe { _mm256_mul_pd(self, other) }
        }
        #[inline(always)]
        unsafe fn add_product(self, a: Self, b: Self) -> Self {
            unsafe { _mm256_fmadd_pd(a, b, self) }
        }
        #[inline(always)]
        unsafe fn add_if_less(self, a: Self, b: Self, value: Self) -> Self {
            unsafe { _mm256_add_pd(self, _mm256_and_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b), value)) }
        }
        #[inline(always)]
        unsafe fn reverse_fours(self) -> Self {
            unsafe { _mm256_permute4x64_pd::<0b00_01_10_11>(self) }
        }
        #[inline(always)]
        unsafe fn hide_from(self, lane: usize) -> Self {
            // SAFETY: there are four values from the ninth less the number of the lane on.
            unsafe { _mm256_max_pd(self, _mm256_loadu_pd(HIDDEN[8 - lane..][..4].as_ptr())) }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Avx2 = Portable;
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Avx512 = Portable;
