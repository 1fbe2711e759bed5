//! The vectors that loops are written with.
//!
//! # Safety
//! The unsafe functions of all traits may only be called, and must be inlined, where their instructions are enabled: in
//! the [`Task::run`](super::Task::run) of their instruction set. Further requirements are stated at the functions.

/// One register of numbers.
pub(crate) trait Register<S>: Copy {
    /// The number of lanes.
    const WIDTH: usize;

    unsafe fn splat(value: S) -> Self;
    /// The first [`WIDTH`](Register::WIDTH) of the values.
    unsafe fn load(values: &[S]) -> Self;
    /// Overwrites the first [`WIDTH`](Register::WIDTH) of the values.
    unsafe fn store(self, values: &mut [S]);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self + a * b`.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
}

/// A register of doubles with the operations for sums over pairs of items.
pub(crate) trait GridRegister: Register<f64> {
    /// Whether its operations need no special instructions. Only then may a function that is not inlined use them.
    const PLAIN: bool = false;

    /// The sum of all numbers.
    unsafe fn sum(self) -> f64;
    /// `self + value` in the lanes where `a < b`, and `self` in the others.
    unsafe fn add_if_less(self, a: Self, b: Self, value: Self) -> Self;
    /// Reverses each group of four lanes.
    unsafe fn reverse_fours(self) -> Self;
    /// Sets the lanes from this one on to infinity.
    unsafe fn hide_from(self, lane: usize) -> Self;
}

/// Eight doubles.
pub trait Doubles8: Copy {
    /// The first eight of the values.
    unsafe fn load(values: &[f64]) -> Self;
    unsafe fn store(self, values: &mut [f64; 8]);
    /// Rounds to single precision.
    unsafe fn store_single(self, values: &mut [f32; 8]);
    /// Transposes rows and columns.
    unsafe fn transpose(rows: [Self; 8]) -> [Self; 8];
}

/// Sixteen doubles.
pub(crate) trait Doubles16: Copy {
    unsafe fn splat(value: f64) -> Self;
    unsafe fn load(values: &[f64; 16]) -> Self;
    /// The sum of all numbers.
    unsafe fn sum(self) -> f64;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self + a * b`.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
}

/// Eight 64-bit words. Pointers must be valid for eight words.
pub(crate) trait Words8: Copy {
    unsafe fn zero() -> Self;
    unsafe fn splat(word: u64) -> Self;
    unsafe fn load(words: *const u64) -> Self;
    unsafe fn store(self, words: *mut u64);
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    /// `self & !(a ^ b)`: the bits of `self` in which `a` and `b` agree.
    unsafe fn and_equal(self, a: Self, b: Self) -> Self;
    /// Wraps around.
    unsafe fn add(self, other: Self) -> Self;
    /// Wraps around.
    unsafe fn sub(self, other: Self) -> Self;
    /// The number of ones in each word.
    unsafe fn count(self) -> Self;
    /// Bit i is whether lane i is less than that of the other; words are below 2^63.
    unsafe fn less(self, other: Self) -> u8;
    /// The smaller of two words below 2^32.
    unsafe fn min(self, other: Self) -> Self;
    /// The product of two words below 2^32.
    unsafe fn mul(self, other: Self) -> Self;
    /// `entries[lane] = table[self[lane]]`. All words must be indices of the table.
    unsafe fn pick(self, table: &[f64], entries: &mut [f64; 8]);
    /// `ranks[i] < pivot` for 64 ranks, bit i.
    unsafe fn below(ranks: &[u16; 64], pivot: u16) -> u64;
}

/// `G` numbers.
pub(crate) trait Vector<S, const G: usize>: Copy {
    unsafe fn zero() -> Self;
    unsafe fn load(values: &[S; G]) -> Self;
    unsafe fn store(self, values: &mut [S; G]);
    /// `table[at[lane]]`. All indices must be within the table and below 2^31.
    unsafe fn gather(table: &[S], at: &[u32; G]) -> Self;
    /// `self + value * other`.
    unsafe fn add_times(self, value: S, other: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self` in the lanes where `a < b`, and `-self` in the others.
    unsafe fn negative_unless_less(self, a: Self, b: Self) -> Self;
}
