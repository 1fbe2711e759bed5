//! AVX2, FMA, BMI and POPCNT: x86-64 since 2013.
#![cfg(all(target_arch = "x86_64", not(wkendall_portable)))]
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::intrinsics::{operations, register, token};
use super::registers::{FeatureRegister, HIDDEN, Registers};
use super::vectors::{Doubles8, GridRegister, PickTable, Register, Simd, Words8};
use super::{Arch, Slowdown, Task};

/// Calls a macro with the features.
macro_rules! avx2 {
    ($macro:ident! $($input:tt)+) => {
        $macro! {
            (enable = "avx2", enable = "fma", enable = "bmi1", enable = "bmi2", enable = "popcnt")
            $($input)+
        }
    };
}

avx2! { token! Avx2 }

impl Arch for Avx2 {
    type Register = YmmDoubles;
    type Doubles8 = DoublePair;
    type Doubles16 = Registers<YmmDoubles, 4>;
    type Words8 = WordPair;
    type Doubles24 = Registers<YmmDoubles, 6>;
    type Singles48 = Registers<YmmSingles, 6>;
    type DoubleColumns = Self::Doubles24;
    type SingleColumns = Self::Singles48;

    // Six registers for each of two rows are 12 of 16.
    const PRODUCT_ROWS: usize = 2;
    const SLOWDOWN: Slowdown = Slowdown { bits: 2.7, product: 1.7, grid: 1.35, tuples: 0.6 };

    fn new() -> Option<Self> {
        Self::detect()
    }

    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        self.enable(task)
    }
}

avx2! { register!
    /// Four doubles.
    YmmDoubles(__m256d) of Avx2: 4 x f64,
    (_mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_mul_pd, _mm256_fmadd_pd)
}

avx2! { operations!
    impl FeatureRegister<f64> for YmmDoubles {
        fn negative_unless_less(self, a: Self, b: Self) -> Self {
            let negative = _mm256_sub_pd(_mm256_setzero_pd(), self.0);
            Self(_mm256_blendv_pd(negative, self.0, _mm256_cmp_pd::<_CMP_LT_OQ>(a.0, b.0)))
        }
        fn store_doubles(self, sums: &mut [f64], add: bool) {
            let sums = &mut sums[..4];
            // SAFETY: there are four sums.
            unsafe {
                let sum = if add { _mm256_add_pd(_mm256_loadu_pd(sums.as_ptr()), self.0) } else { self.0 };
                _mm256_storeu_pd(sums.as_mut_ptr(), sum);
            }
        }
        unsafe fn gather(_arch: Avx2, table: &[f64], at: &[u32]) -> Self {
            // SAFETY: there are four indices, and they are within the table, as the trait asks.
            Self(unsafe { _mm256_i32gather_pd::<8>(table.as_ptr(), _mm_loadu_si128(at[..4].as_ptr().cast())) })
        }
    }
}

avx2! { operations!
    impl GridRegister for YmmDoubles {
        fn sum(self) -> f64 {
            let mut lanes = [0.0; 4];
            self.store(&mut lanes);
            lanes.iter().sum()
        }
        fn add_if_less(self, a: Self, b: Self, value: Self) -> Self {
            Self(_mm256_add_pd(self.0, _mm256_and_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a.0, b.0), value.0)))
        }
        fn reverse_fours(self) -> Self {
            Self(_mm256_permute4x64_pd::<0b00_01_10_11>(self.0))
        }
        fn hide_from(self, lane: usize) -> Self {
            let hidden = &HIDDEN[8 - lane..][..4];
            // SAFETY: there are four values.
            Self(_mm256_max_pd(self.0, unsafe { _mm256_loadu_pd(hidden.as_ptr()) }))
        }
    }
}

avx2! { register!
    /// Eight singles.
    YmmSingles(__m256) of Avx2: 8 x f32,
    (_mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_mul_ps, _mm256_fmadd_ps)
}

avx2! { operations!
    impl FeatureRegister<f32> for YmmSingles {
        fn negative_unless_less(self, a: Self, b: Self) -> Self {
            let negative = _mm256_sub_ps(_mm256_setzero_ps(), self.0);
            Self(_mm256_blendv_ps(negative, self.0, _mm256_cmp_ps::<_CMP_LT_OQ>(a.0, b.0)))
        }
        fn store_doubles(self, sums: &mut [f64], add: bool) {
            let (low, high) = sums[..8].split_at_mut(4);
            let parts = [_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0)];
            for (sums, part) in [low, high].into_iter().zip(parts) {
                let part = _mm256_cvtps_pd(part);
                // SAFETY: there are four sums.
                unsafe {
                    let sum = if add { _mm256_add_pd(_mm256_loadu_pd(sums.as_ptr()), part) } else { part };
                    _mm256_storeu_pd(sums.as_mut_ptr(), sum);
                }
            }
        }
        unsafe fn gather(_arch: Avx2, table: &[f32], at: &[u32]) -> Self {
            // SAFETY: there are eight indices, and they are within the table, as the trait asks.
            Self(unsafe { _mm256_i32gather_ps::<4>(table.as_ptr(), _mm256_loadu_si256(at[..8].as_ptr().cast())) })
        }
    }
}

/// Eight doubles in two registers.
#[derive(Clone, Copy)]
pub(super) struct DoublePair(__m256d, __m256d);

impl Simd for DoublePair {
    type Arch = Avx2;
}

avx2! { operations!
    impl Doubles8 for DoublePair {
        fn load(_arch: Avx2, values: &[f64]) -> Self {
            let (low, high) = (&values[..4], &values[4..8]);
            // SAFETY: the slices have four values each.
            unsafe { Self(_mm256_loadu_pd(low.as_ptr()), _mm256_loadu_pd(high.as_ptr())) }
        }
        fn store(self, values: &mut [f64; 8]) {
            let (low, high) = values.split_at_mut(4);
            // SAFETY: the slices have four values each.
            unsafe {
                _mm256_storeu_pd(low.as_mut_ptr(), self.0);
                _mm256_storeu_pd(high.as_mut_ptr(), self.1);
            }
        }
        fn store_single(self, values: &mut [f32; 8]) {
            let (low, high) = values.split_at_mut(4);
            // SAFETY: the slices have four values each.
            unsafe {
                _mm_storeu_ps(low.as_mut_ptr(), _mm256_cvtpd_ps(self.0));
                _mm_storeu_ps(high.as_mut_ptr(), _mm256_cvtpd_ps(self.1));
            }
        }
        fn transpose(rows: [Self; 8]) -> [Self; 8] {
            let [a, b, c, d, e, f, g, h] = rows;
            let (left, left_below) = (transpose_four([a.0, b.0, c.0, d.0]), transpose_four([e.0, f.0, g.0, h.0]));
            let (right, right_below) = (transpose_four([a.1, b.1, c.1, d.1]), transpose_four([e.1, f.1, g.1, h.1]));
            let mut columns = rows;
            for i in 0..4 {
                columns[i] = Self(left[i], left_below[i]);
                columns[i + 4] = Self(right[i], right_below[i]);
            }
            columns
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn transpose_four([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    let (first, second) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
    let (third, fourth) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
    [
        _mm256_permute2f128_pd::<0x20>(first, third),
        _mm256_permute2f128_pd::<0x20>(second, fourth),
        _mm256_permute2f128_pd::<0x31>(first, third),
        _mm256_permute2f128_pd::<0x31>(second, fourth),
    ]
}

/// Eight words in two registers.
#[derive(Clone, Copy)]
pub(super) struct WordPair(__m256i, __m256i);

impl Simd for WordPair {
    type Arch = Avx2;
}

avx2! { operations!
    impl Words8 for WordPair {
        fn zero(_arch: Avx2) -> Self {
            Self(_mm256_setzero_si256(), _mm256_setzero_si256())
        }
        fn splat(_arch: Avx2, word: u64) -> Self {
            Self(_mm256_set1_epi64x(word.cast_signed()), _mm256_set1_epi64x(word.cast_signed()))
        }
        fn load(_arch: Avx2, words: &[u64; 8]) -> Self {
            let (low, high) = words.split_at(4);
            // SAFETY: the slices have four words each.
            unsafe { Self(_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())) }
        }
        fn store(self, words: &mut [u64; 8]) {
            let (low, high) = words.split_at_mut(4);
            // SAFETY: the slices have four words each.
            unsafe {
                _mm256_storeu_si256(low.as_mut_ptr().cast(), self.0);
                _mm256_storeu_si256(high.as_mut_ptr().cast(), self.1);
            }
        }
        fn xor(self, other: Self) -> Self {
            Self(_mm256_xor_si256(self.0, other.0), _mm256_xor_si256(self.1, other.1))
        }
        fn and(self, other: Self) -> Self {
            Self(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1))
        }
        fn and_equal(self, a: Self, b: Self) -> Self {
            let differ = a.xor(b);
            Self(_mm256_andnot_si256(differ.0, self.0), _mm256_andnot_si256(differ.1, self.1))
        }
        fn add(self, other: Self) -> Self {
            Self(_mm256_add_epi64(self.0, other.0), _mm256_add_epi64(self.1, other.1))
        }
        fn sub(self, other: Self) -> Self {
            Self(_mm256_sub_epi64(self.0, other.0), _mm256_sub_epi64(self.1, other.1))
        }
        fn count(self) -> Self {
            Self(count_half(self.0), count_half(self.1))
        }
        fn less(self, other: Self) -> u8 {
            let (low, high) = (_mm256_cmpgt_epi64(other.0, self.0), _mm256_cmpgt_epi64(other.1, self.1));
            let low = _mm256_movemask_pd(_mm256_castsi256_pd(low));
            (low | _mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4) as u8
        }
        fn min(self, other: Self) -> Self {
            Self(_mm256_min_epu32(self.0, other.0), _mm256_min_epu32(self.1, other.1))
        }
        fn mul(self, other: Self) -> Self {
            Self(_mm256_mul_epu32(self.0, other.0), _mm256_mul_epu32(self.1, other.1))
        }
        fn pick(self, table: PickTable<'_>, entries: &mut [f64; 8]) {
            // Both halves of a word are compared apart: the lower is then at most the last index, the upper is 0.
            let last = _mm256_set1_epi64x(table.last().cast_signed());
            let mut places = [0; 8];
            Self(_mm256_min_epu32(self.0, last), _mm256_min_epu32(self.1, last)).store(&mut places);
            // One by one: gathers of four are no faster.
            for (entry, place) in entries.iter_mut().zip(places) {
                *entry = table.entries()[place as usize];
            }
        }
        fn below(_arch: Avx2, ranks: &[u16; 64], pivot: u16) -> u64 {
            // The comparison is for signed numbers. Flipping the highest bit converts to these in the same order.
            let flip = _mm256_set1_epi16(i16::MIN);
            let pivot = _mm256_xor_si256(_mm256_set1_epi16(pivot.cast_signed()), flip);
            let mut below = 0;
            for half in 0..2 {
                let (low, high) = ranks[32 * half..][..32].split_at(16);
                // SAFETY: the slices have 16 ranks each, as many as a register.
                let (low, high) = unsafe {
                    (_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast()))
                };
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

/// Counts by looking up each half byte in a table (W. Mula's method), then adding up the bytes of each word.
#[inline]
#[target_feature(enable = "avx2")]
fn count_half(words: __m256i) -> __m256i {
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let low = _mm256_set1_epi8(0x0f);
    let lower = _mm256_shuffle_epi8(table, _mm256_and_si256(words, low));
    let upper = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(words, 4), low));
    _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256())
}
