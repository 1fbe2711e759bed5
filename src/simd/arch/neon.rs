//! NEON, the vector instructions of every 64-bit Arm CPU.
//!
//! A register holds 128 bits, and a vector of the loops is two, four or twelve registers. No instruction counts the
//! ones of a word. `cnt` counts the ones of each byte, and `uadalp` adds pairs of bytes to 16-bit sums. These sums are
//! widened once for many words.
#![cfg(all(target_arch = "aarch64", target_endian = "little", not(wkendall_portable)))]
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::intrinsics::{operations, register, token};
use super::registers::{FeatureRegister, HIDDEN, Registers};
use super::vectors::{Doubles8, GridRegister, Ones, PickTable, Register, Simd, Words8};
use super::{Arch, Slowdown, Task};

/// Calls a macro with the features.
macro_rules! neon {
    ($macro:ident! $($input:tt)+) => {
        $macro! {
            (enable = "neon")
            $($input)+
        }
    };
}

neon! { token! Neon }

impl Arch for Neon {
    type Register = DoublePair;
    type Doubles8 = SquareRow;
    type Doubles16 = Registers<DoublePair, 4>;
    type Words8 = WordQuad;
    type Doubles24 = Registers<QDoubles, 12>;
    type Singles48 = Registers<QSingles, 12>;
    type DoubleColumns = Registers<QDoubles, 3>;
    type SingleColumns = Registers<QSingles, 3>;

    // Three registers for each of eight rows are 24 of 32. With all columns of two rows, the compiler loads these twelve
    // registers at a time, and spills sums.
    const PRODUCT_ROWS: usize = 8;
    // Estimated, not measured: see docs/benchmarks.md.
    const SLOWDOWN: Slowdown = Slowdown { bits: 1.9, product: 1.9, grid: 1.6, tuples: 1.0 };

    fn new() -> Option<Self> {
        Self::detect()
    }

    #[inline(always)]
    fn call<T: Task>(self, task: T) -> T::Output {
        self.enable(task)
    }
}

neon! { register!
    /// Two doubles.
    QDoubles(float64x2_t) of Neon: 2 x f64,
    (vdupq_n_f64, vld1q_f64, vst1q_f64, vaddq_f64, vmulq_f64, multiply_add)
}

#[inline]
#[target_feature(enable = "neon")]
fn multiply_add(a: float64x2_t, b: float64x2_t, sum: float64x2_t) -> float64x2_t {
    vfmaq_f64(sum, a, b)
}

neon! { operations!
    impl FeatureRegister<f64> for QDoubles {
        fn negative_unless_less(self, a: Self, b: Self) -> Self {
            Self(vbslq_f64(vcltq_f64(a.0, b.0), self.0, vnegq_f64(self.0)))
        }
        fn store_doubles(self, sums: &mut [f64], add: bool) {
            let sums = &mut sums[..2];
            // SAFETY: there are two sums.
            unsafe {
                let sum = if add { vaddq_f64(vld1q_f64(sums.as_ptr()), self.0) } else { self.0 };
                vst1q_f64(sums.as_mut_ptr(), sum);
            }
        }
        unsafe fn gather(arch: Neon, table: &[f64], at: &[u32]) -> Self {
            let mut found = [0.0; 2];
            for (found, &at) in found.iter_mut().zip(&at[..2]) {
                // SAFETY: the index is within the table, as the trait asks.
                *found = unsafe { *table.get_unchecked(at as usize) };
            }
            Self::load(arch, &found)
        }
    }
}

/// Four doubles in two registers.
#[derive(Clone, Copy)]
pub(super) struct DoublePair(QDoubles, QDoubles);

impl Simd for DoublePair {
    type Arch = Neon;
}

impl Register<f64> for DoublePair {
    const WIDTH: usize = 4;

    #[inline(always)]
    fn splat(arch: Neon, value: f64) -> Self {
        Self(Register::splat(arch, value), Register::splat(arch, value))
    }
    #[inline(always)]
    fn load(arch: Neon, values: &[f64]) -> Self {
        let values = &values[..4];
        Self(Register::load(arch, &values[..2]), Register::load(arch, &values[2..]))
    }
    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        let (low, high) = values[..4].split_at_mut(2);
        Register::store(self.0, low);
        Register::store(self.1, high);
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(Register::add(self.0, other.0), Register::add(self.1, other.1))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(Register::mul(self.0, other.0), Register::mul(self.1, other.1))
    }
    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        Self(Register::add_product(self.0, a.0, b.0), Register::add_product(self.1, a.1, b.1))
    }
}

neon! { operations!
    impl GridRegister for DoublePair {
        // Every CPU with this architecture has the instructions, so they are also enabled in other functions.
        const PLAIN: bool = true;

        fn sum(self) -> f64 {
            vaddvq_f64(vaddq_f64(self.0.0, self.1.0))
        }
        fn add_if_less(self, a: Self, b: Self, value: Self) -> Self {
            Self(
                QDoubles(vaddq_f64(self.0.0, keep_if(vcltq_f64(a.0.0, b.0.0), value.0.0))),
                QDoubles(vaddq_f64(self.1.0, keep_if(vcltq_f64(a.1.0, b.1.0), value.1.0))),
            )
        }
        fn reverse_fours(self) -> Self {
            Self(QDoubles(vextq_f64::<1>(self.1.0, self.1.0)), QDoubles(vextq_f64::<1>(self.0.0, self.0.0)))
        }
        fn hide_from(self, lane: usize) -> Self {
            let (low, high) = HIDDEN[8 - lane..][..4].split_at(2);
            // SAFETY: the slices have two values each.
            let (low, high) = unsafe { (vld1q_f64(low.as_ptr()), vld1q_f64(high.as_ptr())) };
            Self(QDoubles(vmaxq_f64(self.0.0, low)), QDoubles(vmaxq_f64(self.1.0, high)))
        }
    }
}

/// The numbers where the mask is set, and 0 elsewhere.
#[inline]
#[target_feature(enable = "neon")]
fn keep_if(mask: uint64x2_t, numbers: float64x2_t) -> float64x2_t {
    vreinterpretq_f64_u64(vandq_u64(mask, vreinterpretq_u64_f64(numbers)))
}

neon! { register!
    /// Four singles.
    QSingles(float32x4_t) of Neon: 4 x f32,
    (vdupq_n_f32, vld1q_f32, vst1q_f32, vaddq_f32, vmulq_f32, multiply_add_single)
}

#[inline]
#[target_feature(enable = "neon")]
fn multiply_add_single(a: float32x4_t, b: float32x4_t, sum: float32x4_t) -> float32x4_t {
    vfmaq_f32(sum, a, b)
}

neon! { operations!
    impl FeatureRegister<f32> for QSingles {
        fn negative_unless_less(self, a: Self, b: Self) -> Self {
            Self(vbslq_f32(vcltq_f32(a.0, b.0), self.0, vnegq_f32(self.0)))
        }
        fn store_doubles(self, sums: &mut [f64], add: bool) {
            let (low, high) = sums[..4].split_at_mut(2);
            FeatureRegister::store_doubles(QDoubles(vcvt_f64_f32(vget_low_f32(self.0))), low, add);
            FeatureRegister::store_doubles(QDoubles(vcvt_high_f64_f32(self.0)), high, add);
        }
        unsafe fn gather(arch: Neon, table: &[f32], at: &[u32]) -> Self {
            let mut found = [0.0; 4];
            for (found, &at) in found.iter_mut().zip(&at[..4]) {
                // SAFETY: the index is within the table, as the trait asks.
                *found = unsafe { *table.get_unchecked(at as usize) };
            }
            Self::load(arch, &found)
        }
    }
}

/// Eight doubles of a row of a square.
#[derive(Clone, Copy)]
pub(super) struct SquareRow([float64x2_t; 4]);

impl Simd for SquareRow {
    type Arch = Neon;
}

neon! { operations!
    impl Doubles8 for SquareRow {
        fn load(_arch: Neon, values: &[f64]) -> Self {
            let values = &values[..8];
            let mut registers = [vdupq_n_f64(0.0); 4];
            for (register, values) in registers.iter_mut().zip(values.chunks_exact(2)) {
                // SAFETY: there are two values.
                *register = unsafe { vld1q_f64(values.as_ptr()) };
            }
            Self(registers)
        }
        fn store(self, values: &mut [f64; 8]) {
            for (register, values) in self.0.into_iter().zip(values.chunks_exact_mut(2)) {
                // SAFETY: there is space for two values.
                unsafe { vst1q_f64(values.as_mut_ptr(), register) }
            }
        }
        fn store_single(self, values: &mut [f32; 8]) {
            let [a, b, c, d] = self.0;
            let (low, high) = values.split_at_mut(4);
            // SAFETY: the slices have space for four values each.
            unsafe {
                vst1q_f32(low.as_mut_ptr(), vcvt_high_f32_f64(vcvt_f32_f64(a), b));
                vst1q_f32(high.as_mut_ptr(), vcvt_high_f32_f64(vcvt_f32_f64(c), d));
            }
        }
        fn transpose(rows: [Self; 8]) -> [Self; 8] {
            // Squares of two rows and two columns, mirrored one by one.
            let mut columns = rows;
            for pair in 0..4 {
                let (upper, lower) = (rows[2 * pair].0, rows[2 * pair + 1].0);
                for place in 0..4 {
                    columns[2 * place].0[pair] = vzip1q_f64(upper[place], lower[place]);
                    columns[2 * place + 1].0[pair] = vzip2q_f64(upper[place], lower[place]);
                }
            }
            columns
        }
    }
}

/// Eight words in four registers.
#[derive(Clone, Copy)]
pub(super) struct WordQuad([uint64x2_t; 4]);

impl Simd for WordQuad {
    type Arch = Neon;
}

/// Replaces each register of `$words` by an expression of it and of the same registers of others.
macro_rules! each {
    (|$word:ident $(, $other:ident)*| $words:expr $(, $others:expr)*; $value:expr) => {{
        let mut words = $words;
        for index in 0..4 {
            let $word = words.0[index];
            $(let $other = $others.0[index];)*
            words.0[index] = $value;
        }
        words
    }};
}

neon! { operations!
    impl Words8 for WordQuad {
        fn zero(_arch: Neon) -> Self {
            Self([vdupq_n_u64(0); 4])
        }
        fn splat(_arch: Neon, word: u64) -> Self {
            Self([vdupq_n_u64(word); 4])
        }
        fn load(_arch: Neon, words: &[u64; 8]) -> Self {
            let mut registers = [vdupq_n_u64(0); 4];
            for (register, words) in registers.iter_mut().zip(words.chunks_exact(2)) {
                // SAFETY: there are two words.
                *register = unsafe { vld1q_u64(words.as_ptr()) };
            }
            Self(registers)
        }
        fn store(self, words: &mut [u64; 8]) {
            for (register, words) in self.0.into_iter().zip(words.chunks_exact_mut(2)) {
                // SAFETY: there is space for two words.
                unsafe { vst1q_u64(words.as_mut_ptr(), register) }
            }
        }
        fn xor(self, other: Self) -> Self {
            each!(|a, b| self, other; veorq_u64(a, b))
        }
        fn and(self, other: Self) -> Self {
            each!(|a, b| self, other; vandq_u64(a, b))
        }
        fn and_equal(self, a: Self, b: Self) -> Self {
            each!(|bits, a, b| self, a, b; vbicq_u64(bits, veorq_u64(a, b)))
        }
        fn or_both(self, a: Self, b: Self) -> Self {
            // The bits of b where a has ones, and those of self elsewhere: one instruction. The compiler takes `vbslq_u64`
            // apart if a is the same for several registers.
            each!(|bits, a, b| self, a, b; veorq_u64(bits, vandq_u64(a, veorq_u64(bits, b))))
        }
        fn add(self, other: Self) -> Self {
            each!(|a, b| self, other; vaddq_u64(a, b))
        }
        fn sub(self, other: Self) -> Self {
            each!(|a, b| self, other; vsubq_u64(a, b))
        }
        fn count(self) -> Self {
            each!(|word| self; vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(count_bytes(word)))))
        }
        fn count_in(self, ones: Ones<Self>) -> Ones<Self> {
            let parts = each!(|parts, word| ones.parts, self; {
                vreinterpretq_u64_u16(vpadalq_u8(vreinterpretq_u16_u64(parts), count_bytes(word)))
            });
            Ones { parts, ..ones }
        }
        fn count_balance_in(self, less: Self, ones: Ones<Self>) -> Ones<Self> {
            // From -8 to 8 in each byte, so from -16 to 16 in 16 bits: 2047 times fit.
            let parts = each!(|parts, word, less| ones.parts, self, less; {
                let balance = vreinterpretq_s8_u8(vsubq_u8(count_bytes(word), count_bytes(less)));
                vreinterpretq_u64_s16(vpadalq_s8(vreinterpretq_s16_u64(parts), balance))
            });
            Ones { parts, ..ones }
        }
        fn sum_of(ones: Ones<Self>) -> Self {
            each!(|whole, parts| ones.whole, ones.parts; {
                let wide = vpaddlq_s16(vreinterpretq_s16_u64(parts));
                vreinterpretq_u64_s64(vpadalq_s32(vreinterpretq_s64_u64(whole), wide))
            })
        }
        fn less(self, other: Self) -> u8 {
            let [a, b, c, d] = each!(|a, b| self, other; vcltq_u64(a, b)).0;
            let low = vuzp1q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
            let high = vuzp1q_u32(vreinterpretq_u32_u64(c), vreinterpretq_u32_u64(d));
            let all = vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
            // Bit i of 16 for lane i.
            let bits: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
            // SAFETY: the array has eight numbers.
            let bits = unsafe { vld1q_u16(bits.as_ptr()) };
            vaddvq_u16(vandq_u16(all, bits)) as u8
        }
        fn min(self, other: Self) -> Self {
            // Both halves of a word are compared apart. If the other word is below 2^32, the upper half of the result is 0.
            each!(|a, b| self, other; {
                vreinterpretq_u64_u32(vminq_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b)))
            })
        }
        fn mul(self, other: Self) -> Self {
            each!(|a, b| self, other; vmull_u32(vmovn_u64(a), vmovn_u64(b)))
        }
        fn pick(self, table: PickTable<'_>, entries: &mut [f64; 8]) {
            let mut places = [0; 8];
            self.store(&mut places);
            for (entry, place) in entries.iter_mut().zip(places) {
                *entry = table.entries()[place.min(table.last()) as usize];
            }
        }
        fn below(_arch: Neon, ranks: &[u16; 64], pivot: u16) -> u64 {
            let pivot = vdupq_n_u16(pivot);
            let bits: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
            // SAFETY: the array has 16 numbers.
            let bits = unsafe { vld1q_u8(bits.as_ptr()) };
            let mut parts = [bits; 4];
            for (part, ranks) in parts.iter_mut().zip(ranks.chunks_exact(16)) {
                let (low, high) = ranks.split_at(8);
                // SAFETY: the slices have eight ranks each.
                let (low, high) = unsafe { (vld1q_u16(low.as_ptr()), vld1q_u16(high.as_ptr())) };
                let (low, high) = (vcltq_u16(low, pivot), vcltq_u16(high, pivot));
                *part = vandq_u8(bits, vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)));
            }
            // Each addition joins neighbours: two bits, four, eight.
            let [a, b, c, d] = parts;
            let all = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(all, all)))
        }
    }
}

/// The number of ones in each byte.
#[inline]
#[target_feature(enable = "neon")]
fn count_bytes(words: uint64x2_t) -> uint8x16_t {
    vcntq_u8(vreinterpretq_u8_u64(words))
}
