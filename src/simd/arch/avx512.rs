//! AVX-512 F, BW, DQ, VL and VPOPCNTDQ: x86-64 servers since 2019.
#![cfg(all(target_arch = "x86_64", not(wkendall_portable)))]

use std::arch::x86_64::*;

use super::registers::{FeatureRegister, HIDDEN, Registers};
use super::vectors::{Doubles8, GridRegister, Register, Words8};
use super::{Arch, Slowdown, Task};

pub(super) struct Avx512;

impl Arch for Avx512 {
    type Register = __m512d;
    type Doubles8 = __m512d;
    type Doubles16 = Registers<__m512d, 2>;
    type Words8 = __m512i;
    type Doubles24 = Registers<__m512d, 3>;
    type Singles48 = Registers<__m512, 3>;

    // Three registers for each of eight rows are 24 of 32.
    const PRODUCT_ROWS: usize = 8;
    const SLOWDOWN: Slowdown = Slowdown { bits: 1.0, product: 1.0, grid: 1.0, tuples: 0.6 };

    fn is_available() -> bool {
        super::avx2::Avx2::is_available()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq")
    }

    #[inline(always)]
    unsafe fn call<T: Task>(task: T) -> T::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
        unsafe fn enabled<T: Task>(task: T) -> T::Output {
            // SAFETY: the instructions are enabled for this function.
            unsafe { task.run::<Avx512>() }
        }

        // SAFETY: this CPU has the instructions, as the trait asks.
        unsafe { enabled(task) }
    }
}

impl Register<f64> for __m512d {
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
        // SAFETY: there is space for eight values.
        unsafe { _mm512_storeu_pd(values[..8].as_mut_ptr(), self) }
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
}

impl FeatureRegister<f64> for __m512d {
    #[inline(always)]
    unsafe fn gather(table: &[f64], at: &[u32]) -> Self {
        // SAFETY: there are eight indices, and they are within the table, as the trait asks.
        unsafe { _mm512_i32gather_pd::<8>(_mm256_loadu_si256(at[..8].as_ptr().cast()), table.as_ptr()) }
    }
    #[inline(always)]
    unsafe fn negative_unless_less(self, a: Self, b: Self) -> Self {
        unsafe { _mm512_mask_sub_pd(self, _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(a, b), _mm512_setzero_pd(), self) }
    }
}

impl GridRegister for __m512d {
    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        unsafe { _mm512_reduce_add_pd(self) }
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
        unsafe { _mm512_max_pd(self, Register::load(&HIDDEN[8 - lane..])) }
    }
}

impl Register<f32> for __m512 {
    const WIDTH: usize = 16;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { _mm512_set1_ps(value) }
    }
    #[inline(always)]
    unsafe fn load(values: &[f32]) -> Self {
        // SAFETY: there are sixteen values.
        unsafe { _mm512_loadu_ps(values[..16].as_ptr()) }
    }
    #[inline(always)]
    unsafe fn store(self, values: &mut [f32]) {
        // SAFETY: there is space for sixteen values.
        unsafe { _mm512_storeu_ps(values[..16].as_mut_ptr(), self) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { _mm512_add_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { _mm512_mul_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        unsafe { _mm512_fmadd_ps(a, b, self) }
    }
}

impl FeatureRegister<f32> for __m512 {
    #[inline(always)]
    unsafe fn gather(table: &[f32], at: &[u32]) -> Self {
        // SAFETY: there are sixteen indices, and they are within the table, as the trait asks.
        unsafe { _mm512_i32gather_ps::<4>(_mm512_loadu_si512(at[..16].as_ptr().cast()), table.as_ptr()) }
    }
    #[inline(always)]
    unsafe fn negative_unless_less(self, a: Self, b: Self) -> Self {
        unsafe { _mm512_mask_sub_ps(self, _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(a, b), _mm512_setzero_ps(), self) }
    }
}

impl Doubles8 for __m512d {
    #[inline(always)]
    unsafe fn load(values: &[f64]) -> Self {
        // SAFETY: the slice has eight values.
        unsafe { _mm512_loadu_pd(values[..8].as_ptr()) }
    }
    #[inline(always)]
    unsafe fn store(self, values: &mut [f64; 8]) {
        // SAFETY: the array has eight values.
        unsafe { _mm512_storeu_pd(values.as_mut_ptr(), self) }
    }
    #[inline(always)]
    unsafe fn store_single(self, values: &mut [f32; 8]) {
        // SAFETY: the array has eight values.
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), _mm512_cvtpd_ps(self)) }
    }
    #[inline(always)]
    unsafe fn transpose(rows: [Self; 8]) -> [Self; 8] {
        unsafe {
            // Even columns of pairs of rows, then odd ones; each register has its four columns in four quarters.
            let [a, b, c, d, e, f, g, h] = rows;
            let low = [
                _mm512_unpacklo_pd(a, b),
                _mm512_unpacklo_pd(c, d),
                _mm512_unpacklo_pd(e, f),
                _mm512_unpacklo_pd(g, h),
            ];
            let high = [
                _mm512_unpackhi_pd(a, b),
                _mm512_unpackhi_pd(c, d),
                _mm512_unpackhi_pd(e, f),
                _mm512_unpackhi_pd(g, h),
            ];
            let ([a, c, e, g], [b, d, f, h]) = (columns(low), columns(high));
            [a, b, c, d, e, f, g, h]
        }
    }
}

/// The four columns whose quarters these registers hold.
#[inline(always)]
unsafe fn columns([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    unsafe {
        let (first, second) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0x88>(c, d));
        let (third, fourth) = (_mm512_shuffle_f64x2::<0xdd>(a, b), _mm512_shuffle_f64x2::<0xdd>(c, d));
        [
            _mm512_shuffle_f64x2::<0x88>(first, second),
            _mm512_shuffle_f64x2::<0x88>(third, fourth),
            _mm512_shuffle_f64x2::<0xdd>(first, second),
            _mm512_shuffle_f64x2::<0xdd>(third, fourth),
        ]
    }
}

impl Words8 for __m512i {
    #[inline(always)]
    unsafe fn zero() -> Self {
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        unsafe { _mm512_set1_epi64(word.cast_signed()) }
    }
    #[inline(always)]
    unsafe fn load(words: *const u64) -> Self {
        unsafe { _mm512_loadu_si512(words.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        unsafe { _mm512_storeu_si512(words.cast(), self) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm512_xor_si512(self, other) }
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        unsafe { _mm512_and_si512(self, other) }
    }
    #[inline(always)]
    unsafe fn and_equal(self, a: Self, b: Self) -> Self {
        // Bits 4 (1, 0, 0) and 7 (1, 1, 1) of the table. One instruction; from "xor" and "and not" the compiler makes
        // three.
        unsafe { _mm512_ternarylogic_epi64::<0b1001_0000>(self, a, b) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { _mm512_add_epi64(self, other) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { _mm512_sub_epi64(self, other) }
    }
    #[inline(always)]
    unsafe fn count(self) -> Self {
        unsafe { _mm512_popcnt_epi64(self) }
    }
    #[inline(always)]
    unsafe fn less(self, other: Self) -> u8 {
        unsafe { _mm512_cmplt_epi64_mask(self, other) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        unsafe { _mm512_min_epu32(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { _mm512_mul_epu32(self, other) }
    }
    #[inline(always)]
    unsafe fn pick(self, table: &[f64], entries: &mut [f64; 8]) {
        // SAFETY: the words are indices of the table, as the trait asks; there are eight entries.
        unsafe {
            let found = _mm512_i64gather_pd::<8>(self, table.as_ptr().cast());
            _mm512_storeu_pd(entries.as_mut_ptr(), found);
        }
    }
    #[inline(always)]
    unsafe fn below(ranks: &[u16; 64], pivot: u16) -> u64 {
        // SAFETY: 64 ranks are two registers of 32.
        unsafe {
            let pivot = _mm512_set1_epi16(pivot.cast_signed());
            let low = _mm512_loadu_si512(ranks.as_ptr().cast());
            let high = _mm512_loadu_si512(ranks.as_ptr().add(32).cast());
            let (low, high) = (_mm512_cmplt_epu16_mask(low, pivot), _mm512_cmplt_epu16_mask(high, pivot));
            u64::from(low) | u64::from(high) << 32
        }
    }
}
