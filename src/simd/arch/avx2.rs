//! AVX2, FMA, BMI and POPCNT: x86-64 since 2013.
#![cfg(all(target_arch = "x86_64", not(wkendall_portable)))]

use std::arch::x86_64::*;

use super::registers::{FeatureRegister, HIDDEN, Registers};
use super::vectors::{Doubles8, GridRegister, Register, Words8};
use super::{Arch, Slowdown, Task};

pub(super) struct Avx2;

impl Arch for Avx2 {
    type Register = __m256d;
    type Doubles8 = DoublePair;
    type Doubles16 = Registers<__m256d, 4>;
    type Words8 = WordPair;
    type Doubles24 = Registers<__m256d, 6>;
    type Singles48 = Registers<__m256, 6>;

    // Six registers for each of two rows are 12 of 16.
    const PRODUCT_ROWS: usize = 2;
    const SLOWDOWN: Slowdown = Slowdown { bits: 2.7, product: 1.7, grid: 1.35, tuples: 0.6 };

    fn is_available() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
    }

    #[inline(always)]
    unsafe fn call<T: Task>(task: T) -> T::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
        unsafe fn enabled<T: Task>(task: T) -> T::Output {
            // SAFETY: the instructions are enabled for this function.
            unsafe { task.run::<Avx2>() }
        }

        // SAFETY: this CPU has the instructions, as the trait asks.
        unsafe { enabled(task) }
    }
}

impl Register<f64> for __m256d {
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
        // SAFETY: there is space for four values.
        unsafe { _mm256_storeu_pd(values[..4].as_mut_ptr(), self) }
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
}

impl FeatureRegister<f64> for __m256d {
    #[inline(always)]
    unsafe fn gather(table: &[f64], at: &[u32]) -> Self {
        // SAFETY: there are four indices, and they are within the table, as the trait asks.
        unsafe { _mm256_i32gather_pd::<8>(table.as_ptr(), _mm_loadu_si128(at[..4].as_ptr().cast())) }
    }
    #[inline(always)]
    unsafe fn negative_unless_less(self, a: Self, b: Self) -> Self {
        unsafe { _mm256_blendv_pd(_mm256_sub_pd(_mm256_setzero_pd(), self), self, _mm256_cmp_pd::<_CMP_LT_OQ>(a, b)) }
    }
}

impl GridRegister for __m256d {
    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        let mut lanes = [0.0; 4];
        unsafe { Register::store(self, &mut lanes) };
        lanes.iter().sum()
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
        unsafe { _mm256_max_pd(self, Register::load(&HIDDEN[8 - lane..])) }
    }
}

impl Register<f32> for __m256 {
    const WIDTH: usize = 8;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { _mm256_set1_ps(value) }
    }
    #[inline(always)]
    unsafe fn load(values: &[f32]) -> Self {
        // SAFETY: there are eight values.
        unsafe { _mm256_loadu_ps(values[..8].as_ptr()) }
    }
    #[inline(always)]
    unsafe fn store(self, values: &mut [f32]) {
        // SAFETY: there is space for eight values.
        unsafe { _mm256_storeu_ps(values[..8].as_mut_ptr(), self) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { _mm256_add_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { _mm256_mul_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        unsafe { _mm256_fmadd_ps(a, b, self) }
    }
}

impl FeatureRegister<f32> for __m256 {
    #[inline(always)]
    unsafe fn gather(table: &[f32], at: &[u32]) -> Self {
        // SAFETY: there are eight indices, and they are within the table, as the trait asks.
        unsafe { _mm256_i32gather_ps::<4>(table.as_ptr(), _mm256_loadu_si256(at[..8].as_ptr().cast())) }
    }
    #[inline(always)]
    unsafe fn negative_unless_less(self, a: Self, b: Self) -> Self {
        unsafe { _mm256_blendv_ps(_mm256_sub_ps(_mm256_setzero_ps(), self), self, _mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) }
    }
}

/// Eight doubles in two registers.
#[derive(Clone, Copy)]
pub(super) struct DoublePair(__m256d, __m256d);

impl DoublePair {
    #[inline(always)]
    unsafe fn transpose_four([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
        unsafe {
            let (first, second) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (third, fourth) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(first, third),
                _mm256_permute2f128_pd::<0x20>(second, fourth),
                _mm256_permute2f128_pd::<0x31>(first, third),
                _mm256_permute2f128_pd::<0x31>(second, fourth),
            ]
        }
    }
}

impl Doubles8 for DoublePair {
    #[inline(always)]
    unsafe fn load(values: &[f64]) -> Self {
        // SAFETY: the slices have four values each.
        unsafe { Self(_mm256_loadu_pd(values[..4].as_ptr()), _mm256_loadu_pd(values[4..8].as_ptr())) }
    }
    #[inline(always)]
    unsafe fn store(self, values: &mut [f64; 8]) {
        // SAFETY: the array has eight values.
        unsafe {
            _mm256_storeu_pd(values.as_mut_ptr(), self.0);
            _mm256_storeu_pd(values.as_mut_ptr().add(4), self.1);
        }
    }
    #[inline(always)]
    unsafe fn store_single(self, values: &mut [f32; 8]) {
        // SAFETY: the array has eight values.
        unsafe {
            _mm_storeu_ps(values.as_mut_ptr(), _mm256_cvtpd_ps(self.0));
            _mm_storeu_ps(values.as_mut_ptr().add(4), _mm256_cvtpd_ps(self.1));
        }
    }
    #[inline(always)]
    unsafe fn transpose(rows: [Self; 8]) -> [Self; 8] {
        unsafe {
            let [a, b, c, d, e, f, g, h] = rows;
            let (left, left_below) =
                (Self::transpose_four([a.0, b.0, c.0, d.0]), Self::transpose_four([e.0, f.0, g.0, h.0]));
            let (right, right_below) =
                (Self::transpose_four([a.1, b.1, c.1, d.1]), Self::transpose_four([e.1, f.1, g.1, h.1]));
            let mut columns = rows;
            for i in 0..4 {
                columns[i] = Self(left[i], left_below[i]);
                columns[i + 4] = Self(right[i], right_below[i]);
            }
            columns
        }
    }
}

/// Eight words in two registers.
#[derive(Clone, Copy)]
pub(super) struct WordPair(__m256i, __m256i);

impl WordPair {
    /// Counts by looking up each half byte in a table (W. Mula's method), then adding up the bytes of each word.
    #[inline(always)]
    unsafe fn count_half(words: __m256i) -> __m256i {
        unsafe {
            let table = _mm256_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            );
            let low = _mm256_set1_epi8(0x0f);
            let lower = _mm256_shuffle_epi8(table, _mm256_and_si256(words, low));
            let upper = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(words, 4), low));
            _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256())
        }
    }
}

impl Words8 for WordPair {
    #[inline(always)]
    unsafe fn zero() -> Self {
        unsafe { Self(_mm256_setzero_si256(), _mm256_setzero_si256()) }
    }
    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        unsafe { Self(_mm256_set1_epi64x(word.cast_signed()), _mm256_set1_epi64x(word.cast_signed())) }
    }
    #[inline(always)]
    unsafe fn load(words: *const u64) -> Self {
        unsafe { Self(_mm256_loadu_si256(words.cast()), _mm256_loadu_si256(words.add(4).cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        unsafe {
            _mm256_storeu_si256(words.cast(), self.0);
            _mm256_storeu_si256(words.add(4).cast(), self.1);
        }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { Self(_mm256_xor_si256(self.0, other.0), _mm256_xor_si256(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        unsafe { Self(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn and_equal(self, a: Self, b: Self) -> Self {
        unsafe {
            let differ = a.xor(b);
            Self(_mm256_andnot_si256(differ.0, self.0), _mm256_andnot_si256(differ.1, self.1))
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm256_add_epi64(self.0, other.0), _mm256_add_epi64(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm256_sub_epi64(self.0, other.0), _mm256_sub_epi64(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn count(self) -> Self {
        unsafe { Self(Self::count_half(self.0), Self::count_half(self.1)) }
    }
    #[inline(always)]
    unsafe fn less(self, other: Self) -> u8 {
        unsafe {
            let (low, high) = (_mm256_cmpgt_epi64(other.0, self.0), _mm256_cmpgt_epi64(other.1, self.1));
            let low = _mm256_movemask_pd(_mm256_castsi256_pd(low));
            (low | _mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4) as u8
        }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        unsafe { Self(_mm256_min_epu32(self.0, other.0), _mm256_min_epu32(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { Self(_mm256_mul_epu32(self.0, other.0), _mm256_mul_epu32(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn pick(self, table: &[f64], entries: &mut [f64; 8]) {
        // One by one: gathers of four are no faster.
        let mut places = [0; 8];
        // SAFETY: the array has eight words.
        unsafe { self.store(places.as_mut_ptr()) };
        for (entry, place) in entries.iter_mut().zip(places) {
            *entry = table[place as usize];
        }
    }
    #[inline(always)]
    unsafe fn below(ranks: &[u16; 64], pivot: u16) -> u64 {
        // SAFETY: 64 ranks are four registers of 16.
        unsafe {
            // The comparison is for signed numbers. Flipping the highest bit converts to these in the same order.
            let flip = _mm256_set1_epi16(i16::MIN);
            let pivot = _mm256_xor_si256(_mm256_set1_epi16(pivot.cast_signed()), flip);
            let mut below = 0;
            for half in 0..2 {
                let low = _mm256_loadu_si256(ranks.as_ptr().add(32 * half).cast());
                let high = _mm256_loadu_si256(ranks.as_ptr().add(32 * half + 16).cast());
                let low = _mm256_cmpgt_epi16(pivot, _mm256_xor_si256(low, flip));
                let high = _mm256_cmpgt_epi16(pivot, _mm256_xor_si256(high, flip));
                // Packing interleaves the halves of both registers; the permutation restores their order.
                let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high));
                below |= u64::from(_mm256_movemask_epi8(packed).cast_unsigned()) << (32 * half);
            }
            below
        }
    }
}
