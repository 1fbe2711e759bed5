//! Instructions that every CPU has: arrays, which the compiler vectorizes as far as it can.
#![allow(unsafe_code)]

use std::ops::{Add, Mul, Neg};

use super::vectors::{Doubles8, Doubles16, GridRegister, PickTable, ProductColumns, Register, Simd, Vector, Words8};
use super::{Arch, Slowdown, Task};

/// The token; every CPU has these instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Portable;

impl Arch for Portable {
    type Register = [f64; 4];
    type Doubles8 = [f64; 8];
    type Doubles16 = [f64; 16];
    type Words8 = [u64; 8];
    type Doubles24 = [f64; 24];
    type Singles48 = [f32; 48];
    type DoubleColumns = [f64; 24];
    type SingleColumns = [f32; 48];

    const PRODUCT_ROWS: usize = 2;
    // For Arm from estimated cycles (docs/benchmarks.md).
    const SLOWDOWN: Slowdown = if cfg!(target_arch = "aarch64") {
        Slowdown { bits: 7.6, product: 8.4, grid: 3.2, tuples: 1.0 }
    } else {
        Slowdown { bits: 7.5, product: 8.4, grid: 2.9, tuples: 1.0 }
    };

    fn new() -> Option<Self> {
        Some(Self)
    }

    fn call<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

impl<S: Copy, const G: usize> Simd for [S; G] {
    type Arch = Portable;
}

impl Register<f64> for [f64; 4] {
    const WIDTH: usize = 4;

    #[inline(always)]
    fn splat(_: Portable, value: f64) -> Self {
        [value; 4]
    }
    #[inline(always)]
    fn load(_: Portable, values: &[f64]) -> Self {
        std::array::from_fn(|lane| values[lane])
    }
    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        values[..4].copy_from_slice(&self);
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + other[lane])
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] * other[lane])
    }
    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + a[lane] * b[lane])
    }
}

impl GridRegister for [f64; 4] {
    const PLAIN: bool = true;

    #[inline(always)]
    fn sum(self) -> f64 {
        self.iter().sum()
    }
    #[inline(always)]
    fn add_if_less(self, a: Self, b: Self, value: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + if a[lane] < b[lane] { value[lane] } else { 0.0 })
    }
    #[inline(always)]
    fn reverse_fours(self) -> Self {
        let [a, b, c, d] = self;
        [d, c, b, a]
    }
    #[inline(always)]
    fn hide_from(self, lane: usize) -> Self {
        std::array::from_fn(|index| if index < lane { self[index] } else { f64::INFINITY })
    }
}

impl Doubles8 for [f64; 8] {
    #[inline(always)]
    fn load(_: Portable, values: &[f64]) -> Self {
        std::array::from_fn(|lane| values[lane])
    }
    #[inline(always)]
    fn store(self, values: &mut [f64; 8]) {
        *values = self;
    }
    #[inline(always)]
    fn store_single(self, values: &mut [f32; 8]) {
        *values = self.map(|value| value as f32);
    }
    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        let mut columns = rows;
        for (row, values) in rows.iter().enumerate() {
            for (column, &value) in columns.iter_mut().zip(values) {
                column[row] = value;
            }
        }
        columns
    }
}

impl Doubles16 for [f64; 16] {
    #[inline(always)]
    fn splat(_: Portable, value: f64) -> Self {
        [value; 16]
    }
    #[inline(always)]
    fn load(_: Portable, values: &[f64; 16]) -> Self {
        *values
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self.iter().sum()
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] * other[lane])
    }
    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + a[lane] * b[lane])
    }
}

/// `f` of each two words.
#[inline(always)]
fn zip(a: [u64; 8], b: [u64; 8], f: impl Fn(u64, u64) -> u64) -> [u64; 8] {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

impl Words8 for [u64; 8] {
    #[inline(always)]
    fn zero(_: Portable) -> Self {
        [0; 8]
    }
    #[inline(always)]
    fn splat(_: Portable, word: u64) -> Self {
        [word; 8]
    }
    #[inline(always)]
    fn load(_: Portable, words: &[u64; 8]) -> Self {
        *words
    }
    #[inline(always)]
    fn store(self, words: &mut [u64; 8]) {
        *words = self;
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        zip(self, other, |a, b| a ^ b)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        zip(self, other, |a, b| a & b)
    }
    #[inline(always)]
    fn and_equal(self, a: Self, b: Self) -> Self {
        let differ = zip(a, b, |a, b| a ^ b);
        zip(self, differ, |bits, differ| bits & !differ)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        zip(self, other, u64::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        zip(self, other, u64::wrapping_sub)
    }
    #[inline(always)]
    fn count(self) -> Self {
        self.map(|word| u64::from(word.count_ones()))
    }
    #[inline(always)]
    fn less(self, other: Self) -> u8 {
        (0..8).fold(0, |bits, lane| bits | u8::from(self[lane] < other[lane]) << lane)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        zip(self, other, u64::min)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        zip(self, other, u64::wrapping_mul)
    }
    #[inline(always)]
    fn pick(self, table: PickTable<'_>, entries: &mut [f64; 8]) {
        for (entry, word) in entries.iter_mut().zip(self) {
            *entry = table.entries()[word.min(table.last()) as usize];
        }
    }
    #[inline(always)]
    fn below(_: Portable, ranks: &[u16; 64], pivot: u16) -> u64 {
        ranks.iter().rev().fold(0, |bits, &rank| bits << 1 | u64::from(rank < pivot))
    }
}

impl<S, const G: usize> Vector<S, G> for [S; G]
where
    S: Copy + Default + PartialOrd + Add<Output = S> + Mul<Output = S> + Neg<Output = S>,
{
    #[inline(always)]
    fn zero(_: Portable) -> Self {
        [S::default(); G]
    }
    #[inline(always)]
    fn load(_: Portable, values: &[S; G]) -> Self {
        *values
    }
    #[inline(always)]
    fn store(self, values: &mut [S; G]) {
        *values = self;
    }
    #[inline(always)]
    unsafe fn gather(_: Portable, table: &[S], at: &[u32; G]) -> Self {
        // SAFETY: all indices are within the table, as the trait asks.
        std::array::from_fn(|lane| unsafe { *table.get_unchecked(at[lane] as usize) })
    }
    #[inline(always)]
    fn add_times(self, _: Portable, value: S, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + value * other[lane])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + other[lane])
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] * other[lane])
    }
    #[inline(always)]
    fn negative_unless_less(self, a: Self, b: Self) -> Self {
        std::array::from_fn(|lane| if a[lane] < b[lane] { self[lane] } else { -self[lane] })
    }
}

impl<S, const G: usize> ProductColumns<S> for [S; G]
where
    S: Copy + Default + Add<Output = S> + Mul<Output = S> + Into<f64>,
{
    const COUNT: usize = G;

    #[inline(always)]
    fn zero(_: Portable) -> Self {
        [S::default(); G]
    }
    #[inline(always)]
    fn load(_: Portable, values: &[S]) -> Self {
        std::array::from_fn(|lane| values[lane])
    }
    #[inline(always)]
    fn add_times(self, _: Portable, value: S, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] + value * other[lane])
    }
    #[inline(always)]
    fn store_doubles(self, sums: &mut [f64], add: bool) {
        for (sum, value) in sums.iter_mut().zip(self) {
            *sum = if add { *sum + value.into() } else { value.into() };
        }
    }
}
