//! AVX-512 F, BW, DQ, VL and VPOPCNTDQ: x86-64 servers since 2019.
#![cfg(all(target_arch = "x86_64", not(wkendall_portable)))]
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::intrinsics::{operations, register, token};
use super::registers::{FeatureRegister, HIDDEN, Registers};
use super::vectors::{Doubles8, GridRegister, PickTable, Register, Simd, Words8};
use super::{Arch, Slowdown, Task};

/// Calls a macro with the features.
macro_rules! avx512 {
    ($macro:ident! $($input:tt)+) => {
        $macro! {
            (
                enable = "avx2", enable = "fma", enable = "bmi1", enable = "bmi2", enable = "popcnt",
                enable = "avx512f", enable = "avx512bw", enable = "avx512dq", enable = "avx512vl",
                enable = "avx512vpopcntdq"
            )
            $($input)+
        }
    };
}

avx512! { token! Avx512 }

impl Arch for Avx512 {
    type Register = ZmmDoubles;
    type Doubles8 = SquareRow;
    type Doubles16 = Registers<ZmmDoubles, 2>;
    type Words8 = ZmmWords;
    type Doubles24 = Registers<ZmmDoubles, 3>;
    type Singles48 = Registers<ZmmSingles, 3>;
    type DoubleColumns = Self::Doubles24;
    type SingleColumns = Self::Singles48;

    // Three registers for each of eight rows are 24 of 32.
    const PRODUCT_ROWS: usize = 8;
    const SLOWDOWN: Slowdown = Slowdown { bits: 1.0, product: 1.0, grid: 1.0, tuples: 0.6 };

    fn new() -> Option<Self> {
        Self::detect()
    }

    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        self.enable(task)
    }
}

avx512! { register!
    /// Eight doubles.
    ZmmDoubles(__m512d) of Avx512: 8 x f64,
    (_mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, _mm512_mul_pd, _mm512_fmadd_pd)
}

avx512! { operations!
    impl FeatureRegister<f64> for ZmmDoubles {
        fn negative_unless_less(self, a: Self, b: Self) -> Self {
            let turned = _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(a.0, b.0);
            Self(_mm512_mask_sub_pd(self.0, turned, _mm512_setzero_pd(), self.0))
        }
        fn store_doubles(self, sums: &mut [f64], add: bool) {
            let sums = &mut sums[..8];
            // SAFETY: there are eight sums.
            unsafe {
                let sum = if add { _mm512_add_pd(_mm512_loadu_pd(sums.as_ptr()), self.0) } else { self.0 };
                _mm512_storeu_pd(sums.as_mut_ptr(), sum);
            }
        }
        unsafe fn gather(_arch: Avx512, table: &[f64], at: &[u32]) -> Self {
            // SAFETY: there are eight indices, and they are within the table, as the trait asks.
            Self(unsafe { _mm512_i32gather_pd::<8>(_mm256_loadu_si256(at[..8].as_ptr().cast()), table.as_ptr()) })
        }
    }
}

avx512! { operations!
    impl GridRegister for ZmmDoubles {
        fn sum(self) -> f64 {
            _mm512_reduce_add_pd(self.0)
        }
        fn add_if_less(self, a: Self, b: Self, value: Self) -> Self {
            Self(_mm512_mask_add_pd(self.0, _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a.0, b.0), self.0, value.0))
        }
        fn reverse_fours(self) -> Self {
            Self(_mm512_permutex_pd::<0b00_01_10_11>(self.0))
        }
        fn hide_from(self, lane: usize) -> Self {
            let hidden = &HIDDEN[8 - lane..][..8];
            // SAFETY: there are eight values.
            Self(_mm512_max_pd(self.0, unsafe { _mm512_loadu_pd(hidden.as_ptr()) }))
        }
    }
}

avx512! { register!
    /// Sixteen singles.
    ZmmSingles(__m512) of Avx512: 16 x f32,
    (_mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_mul_ps, _mm512_fmadd_ps)
}

avx512! { operations!
    impl FeatureRegister<f32> for ZmmSingles {
        fn negative_unless_less(self, a: Self, b: Self) -> Self {
            let turned = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(a.0, b.0);
            Self(_mm512_mask_sub_ps(self.0, turned, _mm512_setzero_ps(), self.0))
        }
        fn store_doubles(self, sums: &mut [f64], add: bool) {
            let (low, high) = sums[..16].split_at_mut(8);
            let parts = [_mm512_castps512_ps256(self.0), _mm512_extractf32x8_ps::<1>(self.0)];
            for (sums, part) in [low, high].into_iter().zip(parts) {
                let part = _mm512_cvtps_pd(part);
                // SAFETY: there are eight sums.
                unsafe {
                    let sum = if add { _mm512_add_pd(_mm512_loadu_pd(sums.as_ptr()), part) } else { part };
                    _mm512_storeu_pd(sums.as_mut_ptr(), sum);
                }
            }
        }
        unsafe fn gather(_arch: Avx512, table: &[f32], at: &[u32]) -> Self {
            // SAFETY: there are sixteen indices, and they are within the table, as the trait asks.
            Self(unsafe { _mm512_i32gather_ps::<4>(_mm512_loadu_si512(at[..16].as_ptr().cast()), table.as_ptr()) })
        }
    }
}

/// Eight doubles of a row of a square.
#[derive(Clone, Copy)]
pub(super) struct SquareRow(__m512d);

impl Simd for SquareRow {
    type Arch = Avx512;
}

avx512! { operations!
    impl Doubles8 for SquareRow {
        fn load(_arch: Avx512, values: &[f64]) -> Self {
            // SAFETY: there are eight values.
            Self(unsafe { _mm512_loadu_pd(values[..8].as_ptr()) })
        }
        fn store(self, values: &mut [f64; 8]) {
            // SAFETY: the array has eight values.
            unsafe { _mm512_storeu_pd(values.as_mut_ptr(), self.0) }
        }
        fn store_single(self, values: &mut [f32; 8]) {
            // SAFETY: the array has eight values.
            unsafe { _mm256_storeu_ps(values.as_mut_ptr(), _mm512_cvtpd_ps(self.0)) }
        }
        fn transpose(rows: [Self; 8]) -> [Self; 8] {
            // Even columns of pairs of rows, then odd ones; each register has its four columns in four quarters.
            let [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)] = rows;
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
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
        }
    }
}

/// The four columns whose quarters these registers hold.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    let (first, second) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0x88>(c, d));
    let (third, fourth) = (_mm512_shuffle_f64x2::<0xdd>(a, b), _mm512_shuffle_f64x2::<0xdd>(c, d));
    [
        _mm512_shuffle_f64x2::<0x88>(first, second),
        _mm512_shuffle_f64x2::<0x88>(third, fourth),
        _mm512_shuffle_f64x2::<0xdd>(first, second),
        _mm512_shuffle_f64x2::<0xdd>(third, fourth),
    ]
}

/// Eight words.
#[derive(Clone, Copy)]
pub(super) struct ZmmWords(__m512i);

impl Simd for ZmmWords {
    type Arch = Avx512;
}

avx512! { operations!
    impl Words8 for ZmmWords {
        fn zero(_arch: Avx512) -> Self {
            Self(_mm512_setzero_si512())
        }
        fn splat(_arch: Avx512, word: u64) -> Self {
            Self(_mm512_set1_epi64(word.cast_signed()))
        }
        fn load(_arch: Avx512, words: &[u64; 8]) -> Self {
            // SAFETY: the array has eight words.
            Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
        }
        fn store(self, words: &mut [u64; 8]) {
            // SAFETY: the array has eight words.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
        }
        fn xor(self, other: Self) -> Self {
            Self(_mm512_xor_si512(self.0, other.0))
        }
        fn and(self, other: Self) -> Self {
            Self(_mm512_and_si512(self.0, other.0))
        }
        fn and_equal(self, a: Self, b: Self) -> Self {
            // Bits 4 (1, 0, 0) and 7 (1, 1, 1) of the table. One instruction; from "xor" and "and not" the compiler
            // makes three.
            Self(_mm512_ternarylogic_epi64::<0b1001_0000>(self.0, a.0, b.0))
        }
        fn or_both(self, a: Self, b: Self) -> Self {
            // Bits 3 (0, 1, 1) and 4 to 7 (1, any, any).
            Self(_mm512_ternarylogic_epi64::<0b1111_1000>(self.0, a.0, b.0))
        }
        fn add(self, other: Self) -> Self {
            Self(_mm512_add_epi64(self.0, other.0))
        }
        fn sub(self, other: Self) -> Self {
            Self(_mm512_sub_epi64(self.0, other.0))
        }
        fn count(self) -> Self {
            Self(_mm512_popcnt_epi64(self.0))
        }
        fn less(self, other: Self) -> u8 {
            _mm512_cmplt_epi64_mask(self.0, other.0)
        }
        fn min(self, other: Self) -> Self {
            Self(_mm512_min_epu32(self.0, other.0))
        }
        fn mul(self, other: Self) -> Self {
            Self(_mm512_mul_epu32(self.0, other.0))
        }
        fn pick(self, table: PickTable<'_>, entries: &mut [f64; 8]) {
            // Both halves of a word are compared apart: the lower is then at most the last index, the upper is 0.
            let places = _mm512_min_epu32(self.0, _mm512_set1_epi64(table.last().cast_signed()));
            // SAFETY: all places are at most the last index of the table, which has one; there are eight entries.
            unsafe {
                let found = _mm512_i64gather_pd::<8>(places, table.entries().as_ptr());
                _mm512_storeu_pd(entries.as_mut_ptr(), found);
            }
        }
        fn below(_arch: Avx512, ranks: &[u16; 64], pivot: u16) -> u64 {
            let pivot = _mm512_set1_epi16(pivot.cast_signed());
            let (low, high) = ranks.split_at(32);
            // SAFETY: the slices have 32 ranks each, as many as a register.
            let (low, high) = unsafe {
                (_mm512_loadu_si512(low.as_ptr().cast()), _mm512_loadu_si512(high.as_ptr().cast()))
            };
            let (low, high) = (_mm512_cmplt_epu16_mask(low, pivot), _mm512_cmplt_epu16_mask(high, pivot));
            u64::from(low) | u64::from(high) << 32
        }
    }
}
